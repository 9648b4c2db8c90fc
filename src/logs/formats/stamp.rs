//! Time stamps of log lines: what they say of the time, and how they are written.

use std::fmt;

use chrono::format::{Item, Parsed, StrftimeItems, parse};
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};

use crate::domain::time::{Wall, Yearless};

/// The form in which `log` prints times in every style but compact.
const LOG: &str = "%Y-%m-%d %H:%M:%S%.f%z";

/// The form of a time in system.log.
const BSD: &str = "%b %e %H:%M:%S";

/// Time Machine came in 2007; a year before is no year.
const FIRST_YEAR: i32 = 2000;

/// Clocks are set back by less than this; a time of day that falls further belongs to the next day.
const SET_BACK: TimeDelta = TimeDelta::hours(2);

/// What the stamp of a record says of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// All of it.
    Zoned(DateTime<FixedOffset>),
    /// All but the offset.
    Local(NaiveDateTime),
    /// Neither the year nor the offset.
    Yearless(Yearless),
    /// A time of an unknown day.
    TimeOfDay {
        /// The time.
        time: NaiveTime,
        /// Its offset from UTC, where it is told.
        offset: Option<FixedOffset>,
    },
    /// Minutes and seconds of an unknown hour, as the time after midnight of its first hour.
    PastHour(NaiveTime),
}

impl Stamp {
    /// The time by a wall clock, as far as it goes. [`Dates`](super::Dates) may know more.
    pub fn wall(self) -> Option<Wall> {
        match self {
            Self::Zoned(at) => Some(Wall::Zoned(at)),
            Self::Local(at) => Some(Wall::Local(at)),
            Self::Yearless(at) => Some(Wall::Yearless(at)),
            Self::TimeOfDay { time, .. } => Some(Wall::TimeOfDay(time)),
            Self::PastHour(_) => None,
        }
    }

    /// Whether it goes as far as the date.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Zoned(_) | Self::Local(_))
    }

    /// Whether it is before `earlier`, as far as the two can be compared without knowing more.
    pub(super) fn is_before(self, earlier: Self) -> bool {
        match (earlier, self) {
            (Self::Zoned(a), Self::Zoned(b)) => b < a,
            (Self::Local(a), Self::Local(b)) => b < a,
            (Self::Yearless(a), Self::Yearless(b)) => (b.month(), b.day(), b.time()) < (a.month(), a.day(), a.time()),
            (Self::TimeOfDay { time: a, .. }, Self::TimeOfDay { time: b, .. })
            | (Self::PastHour(a), Self::PastHour(b)) => b < a,
            _ => false,
        }
    }

    /// Whether New Year, midnight or a full hour lies between `before` and this. A clock that is set back is none of these.
    pub(super) fn begins_anew_after(self, before: Self) -> bool {
        match (before, self) {
            (Self::Yearless(a), Self::Yearless(b)) => a.month() > b.month() + 6,
            (Self::TimeOfDay { time: a, .. }, Self::TimeOfDay { time: b, .. }) => a - b > SET_BACK,
            (Self::PastHour(a), Self::PastHour(b)) => a > b,
            _ => false,
        }
    }
}

impl fmt::Display for Stamp {
    /// ISO 8601 as far as it goes: `2026-03-01T09:15:22+01:00`, `2012-06-20T14:10:24`, `--11-16T19:38:23`, `14:35:30`,
    /// `14:35:30+01:00`, `-:47:17.053`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zoned(at) => write!(f, "{at:?}"),
            Self::Local(at) => write!(f, "{at:?}"),
            Self::Yearless(at) => write!(f, "--{:02}-{:02}T{:?}", at.month(), at.day(), at.time()),
            Self::TimeOfDay { time, offset: None } => write!(f, "{time:?}"),
            Self::TimeOfDay { time, offset: Some(offset) } => write!(f, "{time:?}{offset}"),
            Self::PastHour(time) => {
                let text = format!("{time:?}");
                write!(f, "-:{}", text.get(3..).unwrap_or_default())
            }
        }
    }
}

/// Which of two numbers is the day, where a log writes `08/11/2011`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DayMonth {
    DayFirst,
    MonthFirst,
}

/// Reads a time of one form without chrono's general reader; `None` leaves it to that.
type Quick = fn(&[u8]) -> Option<Stamp>;

/// A form in which a time is written, in the letters of strftime.
#[derive(Debug)]
pub(super) struct TimeForm {
    items: Vec<Item<'static>>,
    quick: Option<Quick>,
    /// Set if the same text might be read with day and month exchanged.
    order: Option<DayMonth>,
}

impl TimeForm {
    pub(super) fn compile(form: &str) -> Result<Self, String> {
        let items = StrftimeItems::new(form).parse_to_owned().map_err(|_| format!("`{form}` is no form of a time"))?;
        let place = |letter| form.find(letter);
        let order = match (place("%d"), place("%m"), form.contains('/')) {
            (Some(day), Some(month), true) if day < month => Some(DayMonth::DayFirst),
            (Some(_), Some(_), true) => Some(DayMonth::MonthFirst),
            _ => None,
        };
        let quick: Option<Quick> = match form {
            LOG => Some(log_time),
            BSD => Some(bsd_time),
            _ => None,
        };
        Ok(Self { items, quick, order })
    }

    /// Whether day and month may stand the other way round, and how this form takes them.
    pub(super) fn order(&self) -> Option<DayMonth> {
        self.order
    }

    /// Reads a time that is written in this form. A comma before the fraction counts as a point.
    pub(super) fn read(&self, text: &str) -> Option<Stamp> {
        if let Some(stamp) = self.quick.and_then(|quick| quick(text.as_bytes())) {
            return Some(stamp);
        }
        let mut parsed = Parsed::new();
        match text.rsplit_once(',') {
            Some((time, fraction)) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
                parse(&mut parsed, &format!("{time}.{fraction}"), self.items.iter()).ok()?;
            }
            _ => parse(&mut parsed, text, self.items.iter()).ok()?,
        }
        stamp(&parsed)
    }
}

/// What the parts of a time come to.
fn stamp(parts: &Parsed) -> Option<Stamp> {
    let offset = parts.to_fixed_offset().ok();
    let Ok(time) = parts.to_naive_time() else {
        let (minute, second) = (parts.minute()?, parts.second()?);
        return NaiveTime::from_hms_nano_opt(0, minute, second, parts.nanosecond().unwrap_or(0)).map(Stamp::PastHour);
    };
    if let Ok(date) = parts.to_naive_date() {
        if !(FIRST_YEAR..9999).contains(&chrono::Datelike::year(&date)) {
            return None;
        }
        let local = date.and_time(time);
        return match offset {
            Some(offset) => local.and_local_timezone(offset).single().map(Stamp::Zoned),
            None => Some(Stamp::Local(local)),
        };
    }
    if parts.year().is_some() || parts.year_mod_100().is_some() {
        return None;
    }
    match (parts.month(), parts.day()) {
        (Some(month), Some(day)) => Yearless::new(month, day, time).map(Stamp::Yearless),
        _ => Some(Stamp::TimeOfDay { time, offset }),
    }
}

fn number(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0_u32, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}

/// Reads `2026-03-01 09:15:22.408772+0100`, the one form that makes up whole logs, without chrono's general reader.
fn log_time(text: &[u8]) -> Option<Stamp> {
    if text.len() != 31
        || [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':'), (19, b'.')]
            .iter()
            .any(|&(at, byte)| text[at] != byte)
    {
        return None;
    }
    let number = |from: usize, to: usize| number(text.get(from..to)?);
    let year = i32::try_from(number(0, 4)?).ok().filter(|&year| year >= FIRST_YEAR)?;
    let local = NaiveDate::from_ymd_opt(year, number(5, 7)?, number(8, 10)?)?.and_hms_micro_opt(
        number(11, 13)?,
        number(14, 16)?,
        number(17, 19)?,
        number(20, 26)?,
    )?;
    let offset = i32::try_from(number(27, 29)? * 3600 + number(29, 31)? * 60).ok()?;
    let offset = match text[26] {
        b'+' => FixedOffset::east_opt(offset),
        b'-' => FixedOffset::west_opt(offset),
        _ => None,
    }?;
    local.and_local_timezone(offset).single().map(Stamp::Zoned)
}

const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";

/// Reads `Nov  8 10:09:37`.
fn bsd_time(text: &[u8]) -> Option<Stamp> {
    let &[m0, m1, m2, b' ', d0, d1, b' ', h0, h1, b':', n0, n1, b':', s0, s1] = text else { return None };
    let month = MONTHS.chunks_exact(3).zip(1..).find_map(|(name, month)| (name == [m0, m1, m2]).then_some(month))?;
    let day = if d0 == b' ' { number(&[d1])? } else { number(&[d0, d1])? };
    let time = NaiveTime::from_hms_opt(number(&[h0, h1])?, number(&[n0, n1])?, number(&[s0, s1])?)?;
    Yearless::new(month, day, time).map(Stamp::Yearless)
}

/// The dates that a message names as Time Machine names backups, `2017-05-22-191840`.
pub(super) fn named_dates(message: &str) -> impl Iterator<Item = NaiveDateTime> {
    let bytes = message.as_bytes();
    memchr::memmem::find_iter(bytes, b"20").filter_map(move |at| {
        let text = bytes.get(at..at + 17)?;
        if at > 0 && bytes[at - 1].is_ascii_digit() || bytes.get(at + 17).is_some_and(u8::is_ascii_digit) {
            return None;
        }
        if text[4] != b'-' || text[7] != b'-' || text[10] != b'-' {
            return None;
        }
        let part = |from: usize, to: usize| number(&text[from..to]);
        NaiveDate::from_ymd_opt(i32::try_from(part(0, 4)?).ok()?, part(5, 7)?, part(8, 10)?)?.and_hms_opt(
            part(11, 13)?,
            part(13, 15)?,
            part(15, 17)?,
        )
    })
}

/// The time of day that is known even if the day is in doubt.
pub(super) fn time_alone(stamp: Stamp) -> Option<Stamp> {
    match stamp {
        Stamp::Local(at) => Some(Stamp::TimeOfDay { time: at.time(), offset: None }),
        Stamp::Zoned(at) => Some(Stamp::TimeOfDay { time: at.time(), offset: Some(*at.offset()) }),
        _ => None,
    }
}

/// Seconds since the full hour.
pub(super) fn past_hour(time: NaiveTime) -> chrono::TimeDelta {
    chrono::TimeDelta::seconds(i64::from(time.minute() * 60 + time.second()))
        + chrono::TimeDelta::nanoseconds(i64::from(time.nanosecond()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, form: &str) -> Option<String> {
        TimeForm::compile(form).unwrap().read(text).map(|stamp| stamp.to_string())
    }

    /// What chrono makes of it.
    fn slowly(text: &str, form: &str) -> Option<Stamp> {
        TimeForm { quick: None, ..TimeForm::compile(form).unwrap() }.read(text)
    }

    #[test]
    fn a_stamp_says_what_it_knows() {
        for (text, form, said) in [
            ("2026-03-01 09:15:22.408772+0100", LOG, "2026-03-01T09:15:22.408772+01:00"),
            ("2026-03-01 09:15:22.4+0100", LOG, "2026-03-01T09:15:22.400+01:00"),
            ("04.02.12 14:28:10,615", "%d.%m.%y %H:%M:%S%.f", "2012-02-04T14:28:10.615"),
            ("6/20/12 2:10:24.123 PM", "%m/%d/%y %I:%M:%S%.f %p", "2012-06-20T14:10:24.123"),
            ("Nov  8 10:09:37", BSD, "--11-08T10:09:37"),
            ("19:13:47.026207+0100", "%H:%M:%S%.f%z", "19:13:47.026207+01:00"),
            ("14:35:30", "%H:%M:%S", "14:35:30"),
            ("47:17.053", "%M:%S%.f", "-:47:17.053"),
        ] {
            assert_eq!(read(text, form).as_deref(), Some(said), "{text}");
        }
        assert_eq!(read("2026-02-29 09:15:22.408772+0100", LOG), None);
        assert_eq!(read("5/31/12 06:53:32", "%m/%d/%Y %H:%M:%S"), None);
        assert!(TimeForm::compile("%Q").is_err());
    }

    #[test]
    fn dates_are_found_in_names() {
        let found = |message: &str| named_dates(message).map(|at| at.to_string()).collect::<Vec<_>>();
        assert_eq!(found("Created new backup: 2017-05-22-191840"), ["2017-05-22 19:18:40"]);
        assert_eq!(found("'/V/X/2026-06-14-145122.backup' com.apple.TimeMachine.2026-06-14-145100.local").len(), 2);
        assert!(found("2017-05-22-1918405 12017-05-22-191840 2017-13-22-191840 20").is_empty());
    }

    proptest! {
        #[test]
        fn the_quick_ways_say_what_chrono_says(text in "20[0-3]\\d-[01]\\d-[0-3]\\d [0-2]\\d:[0-6]\\d:[0-5]\\d\\.\\d{6}[+-][01]\\d[0-5]\\d") {
            if let Some(quick) = log_time(text.as_bytes()) {
                prop_assert_eq!(Some(quick), slowly(&text, LOG));
            }
        }

        #[test]
        fn the_quick_way_of_system_log_says_what_chrono_says(text in "(Jan|Feb|Nov|Dec|Xyz) [ 0-3]\\d [0-2]\\d:[0-6]\\d:[0-5]\\d") {
            if let Some(quick) = bsd_time(text.as_bytes()) {
                prop_assert_eq!(Some(quick), slowly(&text, BSD));
            }
        }

        #[test]
        fn nothing_panics_it(text in "[0-9 :.+-]{31}|\\PC{0,40}") {
            let _ = TimeForm::compile(LOG).unwrap().read(&text);
            let _ = named_dates(&text).count();
        }
    }
}
