//! Points in time, as far as they are known.
//!
//! A run that we watch has two clocks of its own and a wall clock; a line of an old log may have no more than a time of day.

use std::time::Duration;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};

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
    /// Local time of a day in an unknown year.
    Yearless(Yearless),
    /// Local time of an unknown day.
    TimeOfDay(NaiveTime),
}

/// Local time of a day in an unknown year, as system.log has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Yearless {
    month: u32,
    day: u32,
    time: NaiveTime,
}

impl Yearless {
    /// A time on a day that some year has.
    pub fn new(month: u32, day: u32, time: NaiveTime) -> Option<Self> {
        NaiveDate::from_ymd_opt(2000, month, day).map(|_| Self { month, day, time })
    }

    /// The month, 1 to 12.
    pub fn month(self) -> u32 {
        self.month
    }

    /// The day of the month.
    pub fn day(self) -> u32 {
        self.day
    }

    /// The time of day.
    pub fn time(self) -> NaiveTime {
        self.time
    }

    /// The time in that year; `None` on 29 February of a year without.
    pub fn in_year(self, year: i32) -> Option<NaiveDateTime> {
        NaiveDate::from_ymd_opt(year, self.month, self.day).map(|date| date.and_time(self.time))
    }

    /// The time from `earlier` to here if both lie less than half a year apart, perhaps with New Year between; `None` where
    /// it depends on whether the year is a leap year.
    fn since(self, earlier: Self) -> Option<chrono::TimeDelta> {
        let half = chrono::TimeDelta::days(183);
        let in_years = |year: i32| {
            let passed = |later: i32| Some(self.in_year(later)? - earlier.in_year(year)?);
            [passed(year), passed(year + 1)].into_iter().flatten().find(|passed| passed.abs() < half)
        };
        // A leap year, and one that is none; next to both lies none.
        match (in_years(2004), in_years(2001)) {
            (Some(leap), Some(common)) if leap == common => Some(leap),
            (Some(only), None) | (None, Some(only)) => Some(only),
            _ => None,
        }
    }
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
            (Self::Yearless(a), Self::Yearless(b)) => b.since(a)?,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn yearless(month: u32, day: u32, time: &str) -> Wall {
        Wall::Yearless(Yearless::new(month, day, time.parse().unwrap()).unwrap())
    }

    #[test]
    fn days_without_a_year_are_counted_where_every_year_agrees() {
        let hours = |hours: u64| Some(Duration::from_secs(hours * 3600));
        let passed = |from, until: Wall| until.since(from);
        assert_eq!(passed(yearless(11, 18, "10:00:00"), yearless(11, 19, "09:00:00")), hours(23));
        assert_eq!(passed(yearless(12, 31, "23:00:00"), yearless(1, 1, "01:00:00")), hours(2));
        assert_eq!(passed(yearless(2, 28, "23:00:00"), yearless(3, 1, "01:00:00")), None);
        assert_eq!(passed(yearless(2, 28, "23:00:00"), yearless(2, 29, "01:00:00")), hours(2));
        assert_eq!(passed(yearless(2, 29, "23:00:00"), yearless(3, 1, "01:00:00")), hours(2));
        assert_eq!(passed(yearless(11, 18, "10:00:00"), yearless(11, 18, "09:00:00")), None);
        assert_eq!(Yearless::new(2, 30, NaiveTime::MIN), None);
    }
}
