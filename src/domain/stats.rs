//! What many backups say together: groups, medians and spreads. What says nothing about a link is left out and counted.

use std::collections::BTreeMap;
use std::time::Duration;

use super::backup::{Backup, Outcome};
use super::link::LinkKind;
use super::time::Wall;
use super::units::BitRate;

/// From so many values on, 10th and 90th percentile say more than the extremes.
const PERCENTILES_FROM: usize = 5;
/// A backup that slept more than this share of its duration says nothing about a link.
pub const ASLEEP: f64 = 0.01;
/// Below so many copied bytes a backup says little about a link.
pub const MIN_BYTES: u64 = 1_000_000_000;

/// What makes a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// The interface to the destination.
    #[default]
    Interface,
    /// The destination.
    Destination,
    /// The Mac.
    Host,
    /// The month of the start.
    Month,
}

impl By {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Interface => "interface",
            Self::Destination => "destination",
            Self::Host => "host",
            Self::Month => "month",
        }
    }

    /// The group of a backup; `None` where that is not known.
    fn of(self, backup: &Backup) -> Option<String> {
        match self {
            Self::Interface => {
                let kind = backup.link().map(|link| link.kind).filter(|kind| *kind != LinkKind::Unknown);
                kind.map(|kind| kind.key().to_owned())
            }
            Self::Destination => backup.destination.id.clone().or_else(|| backup.destination.name.clone()),
            Self::Host => backup.host.clone(),
            Self::Month => match backup.started.or(backup.ended)? {
                Wall::Zoned(at) => Some(at.format("%Y-%m").to_string()),
                Wall::Local(at) => Some(at.format("%Y-%m").to_string()),
                Wall::Yearless(_) | Wall::TimeOfDay(_) => None,
            },
        }
    }

    /// How a group is called among people.
    fn name(self, backup: &Backup) -> Option<String> {
        match self {
            Self::Interface => backup.link().map(|link| link.kind.short().to_owned()),
            Self::Destination => {
                let own = &backup.destination;
                own.name.clone().or_else(|| own.mount_point.clone()).or_else(|| own.id.clone())
            }
            Self::Host | Self::Month => self.of(backup),
        }
    }
}

/// First backups stand apart from the others: they copy everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The first to their destination.
    First,
    /// Not the first.
    Later,
    /// Nothing tells which.
    Unknown,
}

impl Class {
    /// Every class, in the order in which they are shown.
    pub const ALL: &[Self] = &[Self::First, Self::Later, Self::Unknown];

    /// The class of a backup.
    pub fn of(backup: &Backup) -> Self {
        match backup.first {
            Some(true) => Self::First,
            Some(false) => Self::Later,
            None => Self::Unknown,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Later => "later",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a backup is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// It copied less than asked for.
    Small,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// macOS put it off.
    Deferred,
    /// It has no end.
    Interrupted,
    /// How it ended is not known.
    OutcomeUnknown,
    /// How much it copied is not known, or only a bound of it.
    SizeUnknown,
    /// How long it took is not known.
    DurationUnknown,
    /// The Mac slept through a part of it.
    Asleep,
    /// It was under way when last seen.
    Running,
}

impl LeftOut {
    /// Why `backup` says nothing; `None` if it counts.
    pub fn reason(backup: &Backup, min_bytes: u64) -> Option<Self> {
        match backup.outcome {
            Outcome::Completed => {}
            Outcome::Failed => return Some(Self::Failed),
            Outcome::Cancelled => return Some(Self::Cancelled),
            Outcome::Deferred => return Some(Self::Deferred),
            Outcome::Interrupted => return Some(Self::Interrupted),
            Outcome::Running => return Some(Self::Running),
            Outcome::Unknown => return Some(Self::OutcomeUnknown),
        }
        let Some(data) = backup.copied.data.filter(|data| data.bound.is_whole()) else {
            return Some(Self::SizeUnknown);
        };
        if data.bytes < min_bytes {
            return Some(Self::Small);
        }
        if backup.duration.is_none_or(|duration| duration.is_zero()) {
            return Some(Self::DurationUnknown);
        }
        asleep_share(backup).is_some_and(|share| share > ASLEEP).then_some(Self::Asleep)
    }

    /// The word for it, in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Deferred => "deferred",
            Self::Interrupted => "interrupted",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::SizeUnknown => "size_unknown",
            Self::DurationUnknown => "duration_unknown",
            Self::Asleep => "asleep",
            Self::Running => "running",
        }
    }
}

/// Which share of its duration the Mac slept; `None` if that is not known.
pub fn asleep_share(backup: &Backup) -> Option<f64> {
    let duration = backup.duration.filter(|duration| !duration.is_zero())?;
    Some(backup.asleep?.as_secs_f64() / duration.as_secs_f64())
}

/// Between which values most of a group lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The 10th percentile, or the least.
    pub low: f64,
    /// The 90th percentile, or the greatest.
    pub high: f64,
    /// Whether these are percentiles and not the extremes.
    pub percentiles: bool,
}

impl Spread {
    /// The spread of values; `None` below two.
    pub fn of(values: &[f64]) -> Option<Self> {
        let percentiles = values.len() >= PERCENTILES_FROM;
        let (low, high) = if percentiles { (0.1, 0.9) } else { (0.0, 1.0) };
        if values.len() < 2 {
            return None;
        }
        Some(Self { low: quantile(values, low)?, high: quantile(values, high)?, percentiles })
    }

    /// Whether the two have values in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// The quantile `p` (0 to 1) of values in any order by linear interpolation between them, type 7 of Hyndman and Fan;
/// `None` if there are none. Values that are no numbers don't count.
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    #[expect(clippy::cast_precision_loss, reason = "no more values than fit into memory")]
    let at = p.clamp(0.0, 1.0) * last as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between nought and the last index")]
    let below = (at.floor() as usize).min(last);
    let above = (below + 1).min(last);
    Some(sorted[below] + (at - at.floor()) * (sorted[above] - sorted[below]))
}

/// The middle of values; `None` if there are none.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The backups of one group and one class, and what they say together. Each median is that of its own column.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they have in common; `None`: not known.
    pub key: Option<String>,
    /// Its name for people; `None`: not known.
    pub name: Option<String>,
    /// First backups or later ones.
    pub class: Class,
    /// How many.
    pub n: usize,
    /// Median of the bit rate negotiated, bit/s.
    pub negotiated_bps: Option<f64>,
    /// Median of the bytes copied.
    pub bytes: Option<f64>,
    /// Median duration in seconds.
    pub duration_s: Option<f64>,
    /// Median of data / duration, bit/s.
    pub effective_bps: Option<f64>,
    /// Spread of data / duration, bit/s.
    pub spread: Option<Spread>,
    /// Median of data / copy time, bit/s.
    pub copy_bps: Option<f64>,
    /// Median share of the negotiated rate.
    pub of_negotiated: Option<f64>,
    /// Median share of the practical rate.
    pub of_practical: Option<f64>,
    /// All bytes copied.
    pub total_bytes: u64,
    /// All durations.
    pub total_duration: Duration,
    /// Times the slowest group of the class.
    pub relative: Option<f64>,
}

impl Group {
    /// All bytes / all seconds.
    pub fn total_rate(&self) -> Option<BitRate> {
        BitRate::mean(self.total_bytes, self.total_duration)
    }

    /// The group of `backups`, which all count.
    pub fn of(key: Option<String>, name: Option<String>, class: Class, backups: &[&Backup]) -> Self {
        let collect = |value: &dyn Fn(&Backup) -> Option<f64>| -> Vec<f64> {
            backups.iter().filter_map(|backup| value(backup)).collect()
        };
        let effective = collect(&|backup| backup.effective_rate().map(BitRate::bps));
        let share = |of: fn(&super::link::Link) -> Option<u64>| {
            median(&collect(&|backup| backup.effective_rate()?.share_of(backup.link().and_then(of)?)))
        };
        let bytes = |backup: &Backup| backup.copied.data.map(|data| data.bytes);
        Self {
            key,
            name,
            class,
            n: backups.len(),
            negotiated_bps: median(&collect(&|backup| float(backup.link()?.negotiated_bps?))),
            bytes: median(&collect(&|backup| float(bytes(backup)?))),
            duration_s: median(&collect(&|backup| backup.duration.map(|time| time.as_secs_f64()))),
            effective_bps: median(&effective),
            spread: Spread::of(&effective),
            copy_bps: median(&collect(&|backup| backup.copy_rate().map(BitRate::bps))),
            of_negotiated: share(|link| link.negotiated_bps),
            of_practical: share(|link| link.practical_bps),
            total_bytes: backups.iter().filter_map(|backup| bytes(backup)).fold(0, u64::saturating_add),
            total_duration: backups
                .iter()
                .filter_map(|backup| backup.duration)
                .fold(Duration::ZERO, Duration::saturating_add),
            relative: None,
        }
    }
}

#[expect(clippy::cast_precision_loss, clippy::unnecessary_wraps, reason = "16 digits are more than any source has")]
fn float(number: u64) -> Option<f64> {
    Some(number as f64)
}

/// Groups of backups, and what was not counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// By class; within it the fastest first, the unknown last.
    pub groups: Vec<Group>,
    /// How many backups there were.
    pub total: usize,
    /// How many were not counted, for which reason.
    pub left_out: BTreeMap<LeftOut, usize>,
}

impl Statistics {
    /// How many backups are in the groups.
    pub fn counted(&self) -> usize {
        self.groups.iter().map(|group| group.n).sum()
    }

    /// The groups of one class.
    pub fn of_class(&self, class: Class) -> Vec<&Group> {
        self.groups.iter().filter(|group| group.class == class).collect()
    }
}

/// Groups the backups that count: completed, of known size and duration, not slept through, with `min_bytes` or more.
pub fn summarise<'a>(backups: impl IntoIterator<Item = &'a Backup>, by: By, min_bytes: u64) -> Statistics {
    let mut statistics = Statistics::default();
    let mut members: BTreeMap<(Class, Option<String>), Vec<&Backup>> = BTreeMap::new();
    for backup in backups {
        statistics.total += 1;
        match LeftOut::reason(backup, min_bytes) {
            Some(reason) => *statistics.left_out.entry(reason).or_default() += 1,
            None => members.entry((Class::of(backup), by.of(backup))).or_default().push(backup),
        }
    }
    for ((class, key), members) in members {
        let name = key.as_ref().and_then(|_| members.last().and_then(|backup| by.name(backup)));
        statistics.groups.push(Group::of(key, name, class, &members));
    }
    for class in Class::ALL {
        relate(&mut statistics.groups, *class);
    }
    statistics.groups.sort_by(|a, b| {
        let rate = |group: &Group| group.effective_bps.unwrap_or(-1.0);
        let order = if by == By::Month { a.key.cmp(&b.key) } else { rate(b).total_cmp(&rate(a)) };
        a.class.cmp(&b.class).then(a.key.is_none().cmp(&b.key.is_none())).then(order)
    });
    statistics
}

/// Sets each group of a class beside its slowest.
fn relate(groups: &mut [Group], class: Class) {
    let own = |group: &&mut Group| group.class == class;
    let slowest = groups
        .iter()
        .filter(|group| group.class == class)
        .filter_map(|group| group.effective_bps)
        .min_by(f64::total_cmp);
    for group in groups.iter_mut().filter(own) {
        group.relative = group.effective_bps.zip(slowest).and_then(|(rate, slowest)| ratio(rate, slowest));
    }
}

/// How many times `b` is `a`; `None` if `b` is nought or either no number.
pub fn ratio(a: f64, b: f64) -> Option<f64> {
    (b > 0.0).then_some(a / b).filter(|ratio| ratio.is_finite())
}

#[cfg(test)]
#[path = "stats_tests.rs"]
pub(in crate::domain) mod tests;
