//! Points in time, as far as they are known.
//!
//! A run that we watch has two clocks of its own and a wall clock; a line of an old log may have no more than a time of day.

use std::time::Duration;

use chrono::{DateTime, FixedOffset, NaiveDateTime, NaiveTime};

/// A reading of the two clocks of one run. Both start at nought with the observing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mono {
    /// Time that counts sleep.
    pub elapsed: Duration,
    /// Time that does not.
    pub awake: Duration,
}

/// What a wall clock said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// With its offset from UTC.
    Zoned(DateTime<FixedOffset>),
    /// Local time, offset unknown.
    Local(NaiveDateTime),
    /// Local time of an unknown day.
    TimeOfDay(NaiveTime),
}

impl Wall {
    /// The time with its offset, if it has one.
    pub fn zoned(self) -> Option<DateTime<FixedOffset>> {
        match self {
            Self::Zoned(at) => Some(at),
            _ => None,
        }
    }

    /// Returns the time from `earlier` to here; `None` if that can't be told or would be negative.
    pub fn since(self, earlier: Self) -> Option<Duration> {
        let passed = match (earlier, self) {
            (Self::Zoned(a), Self::Zoned(b)) => b - a,
            (Self::Local(a), Self::Local(b)) => b - a,
            (Self::TimeOfDay(a), Self::TimeOfDay(b)) => b - a,
            _ => return None,
        };
        passed.to_std().ok()
    }
}

/// A point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// By the clocks of the run; absent in logs and records.
    pub mono: Option<Mono>,
    /// By the wall clock.
    pub wall: Option<Wall>,
}

impl Moment {
    /// A moment of which only the wall clock's reading is known.
    pub fn at_wall(wall: Wall) -> Self {
        Self { mono: None, wall: Some(wall) }
    }

    /// Returns the time from `earlier` to here: by the run's own clock where both have it, so that a clock that is set
    /// back changes nothing, else by the wall clock; `None` if neither can tell.
    pub fn since(&self, earlier: &Self) -> Option<Duration> {
        match (earlier.mono, self.mono) {
            (Some(a), Some(b)) => b.elapsed.checked_sub(a.elapsed),
            _ => self.wall?.since(earlier.wall?),
        }
    }

    /// Returns how much of the time from `earlier` to here was slept through; `None` without the run's own clocks.
    pub fn asleep_since(&self, earlier: &Self) -> Option<Duration> {
        let (a, b) = (earlier.mono?, self.mono?);
        let elapsed = b.elapsed.checked_sub(a.elapsed)?;
        let awake = b.awake.checked_sub(a.awake)?;
        Some(elapsed.saturating_sub(awake))
    }

    /// The wall time with its offset, if it is known.
    pub fn zoned(&self) -> Option<DateTime<FixedOffset>> {
        self.wall.and_then(Wall::zoned)
    }
}
