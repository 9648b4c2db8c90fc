//! Which backups are wanted.

use chrono::{DateTime, FixedOffset, NaiveDateTime};

use super::backup::{Backup, Outcome};
use super::time::Wall;
use super::units::Bound;

/// A point in time as a person gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instant {
    /// With its offset.
    Zoned(DateTime<FixedOffset>),
    /// By the clock on the wall, wherever the backup ran.
    Local(NaiveDateTime),
}

/// What backups must be to be shown; empty lets all pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Begun then or later.
    pub since: Option<Instant>,
    /// Begun before then.
    pub until: Option<Instant>,
    /// To one of these: name, ID or mount point.
    pub destinations: Vec<String>,
    /// Ended in one of these ways.
    pub outcomes: Vec<Outcome>,
    /// Copied so many bytes or more.
    pub min_bytes: Option<u64>,
}

impl Filter {
    /// Whether a backup is wanted. What is not known of it is taken as not fitting: a backup without a date lies in no range.
    pub fn wants(&self, backup: &Backup) -> bool {
        let at = backup.started.or(backup.ended);
        let since = self.since.is_none_or(|since| at.and_then(|at| is_before(at, since)).is_some_and(|before| !before));
        let until = self.until.is_none_or(|until| at.and_then(|at| is_before(at, until)).unwrap_or(false));
        since && until && self.wants_destination(backup) && self.wants_outcome(backup) && self.wants_size(backup)
    }

    fn wants_destination(&self, backup: &Backup) -> bool {
        let own = &backup.destination;
        let is = |wanted: &String| {
            [&own.name, &own.id, &own.mount_point, &own.url]
                .into_iter()
                .flatten()
                .any(|own| own.eq_ignore_ascii_case(wanted))
        };
        self.destinations.is_empty() || self.destinations.iter().any(is)
    }

    fn wants_outcome(&self, backup: &Backup) -> bool {
        self.outcomes.is_empty() || self.outcomes.contains(&backup.outcome)
    }

    fn wants_size(&self, backup: &Backup) -> bool {
        self.min_bytes.is_none_or(|least| {
            backup.copied.data.is_some_and(|data| data.bound != Bound::Estimate && data.bytes >= least)
        })
    }
}

/// Whether `at` comes before `limit`; `None` if that can't be told.
fn is_before(at: Wall, limit: Instant) -> Option<bool> {
    match (at, limit) {
        (Wall::Zoned(at), Instant::Zoned(limit)) => Some(at < limit),
        (Wall::Zoned(at), Instant::Local(limit)) => Some(at.naive_local() < limit),
        (Wall::Local(at), Instant::Local(limit)) => Some(at < limit),
        (Wall::Local(at), Instant::Zoned(limit)) => Some(at < limit.naive_local()),
        (Wall::Yearless(_) | Wall::TimeOfDay(_), _) => None,
    }
}
