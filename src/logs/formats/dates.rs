//! Completes the times of a log with what the whole log tells, and gives back the order in which things happened.

use std::collections::HashMap;

use chrono::{DateTime, FixedOffset, LocalResult, NaiveDateTime, NaiveTime, TimeDelta, TimeZone};
use chrono_tz::Tz;

use super::detect::Order;
use super::reader::ReadOptions;
use super::stamp::{Stamp, named_dates, past_hour};
use crate::domain::time::{Moment, Wall, Yearless};

/// A date that a message names was right at most so long before, to tell the year of the line.
const NAMES_YEAR: TimeDelta = TimeDelta::days(45);

/// A backup is named by its end, and the line that says so follows; so long at most.
const NAMES_END: TimeDelta = TimeDelta::minutes(2);

/// Completes the times of what a log told.
///
/// Times that are whole pass at once, in the order in which they come. Times without a year, a day or an hour are held until
/// [`flush`](Self::flush), since only later lines may name a date; so is a log with the newest line first. What stays unknown
/// is handed on as far as it goes.
#[derive(Debug)]
pub struct Dates<T> {
    options: ReadOptions,
    newest_first: bool,
    held: Vec<Held<T>>,
    hosts: HashMap<Box<str>, usize>,
    /// The last whole time of each host, for the hour that happens twice.
    last: HashMap<usize, Placed>,
}

#[derive(Debug)]
struct Held<T> {
    at: Option<Stamp>,
    host: usize,
    named: Vec<NaiveDateTime>,
    item: T,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    local: NaiveDateTime,
    at: Option<DateTime<Tz>>,
}

impl<T> Dates<T> {
    /// Begins a log.
    pub fn new(options: &ReadOptions, order: Order) -> Self {
        Self {
            options: *options,
            newest_first: order == Order::NewestFirst,
            held: Vec::new(),
            hosts: HashMap::new(),
            last: HashMap::new(),
        }
    }

    /// Takes something that the log told, with the stamp, the host and the message of its record, and calls `each` with what
    /// can be handed on.
    pub fn push(
        &mut self,
        at: Option<Stamp>,
        host: Option<&str>,
        message: &str,
        item: T,
        each: &mut dyn FnMut(Moment, T),
    ) {
        let host = self.number(host.unwrap_or_default());
        let passes = self.held.is_empty() && !self.newest_first && at.is_none_or(Stamp::is_whole);
        if passes {
            let moment = self.moment(at, host);
            return each(moment, item);
        }
        // Old backups that are deleted are named as well, but not at their time.
        let deleted = message.starts_with("Deleted");
        let named = if deleted && !matches!(at, Some(Stamp::Yearless(_))) {
            Vec::new()
        } else {
            named_dates(message).collect()
        };
        self.held.push(Held { at, host, named, item });
    }

    /// Hands on what is held, at the end of the log.
    pub fn flush(&mut self, each: &mut dyn FnMut(Moment, T)) {
        let mut held = std::mem::take(&mut self.held);
        if self.newest_first {
            held = turned(held);
        }
        for host in 0..self.hosts.len() {
            let of_host: Vec<usize> = (0..held.len()).filter(|&at| held[at].host == host).collect();
            let told: Vec<(Option<Stamp>, &[NaiveDateTime])> =
                of_host.iter().map(|&at| (held[at].at, held[at].named.as_slice())).collect();
            let whole = complete(&told, self.options.year);
            for (at, stamp) in of_host.into_iter().zip(whole) {
                held[at].at = stamp;
            }
        }
        for Held { at, host, item, .. } in held {
            let moment = self.moment(at, host);
            each(moment, item);
        }
    }

    fn number(&mut self, host: &str) -> usize {
        if let Some(&number) = self.hosts.get(host) {
            return number;
        }
        let number = self.hosts.len();
        self.hosts.insert(host.into(), number);
        number
    }

    fn moment(&mut self, at: Option<Stamp>, host: usize) -> Moment {
        let Some(at) = at else { return Moment::default() };
        if let (Stamp::Local(local), Some(zone)) = (at, self.options.zone) {
            let placed = Placed { local, at: in_zone(local, zone, self.last.get(&host).copied()) };
            self.last.insert(host, placed);
            if let Some(at) = placed.at {
                return Moment::at_wall(Wall::Zoned(at.fixed_offset()));
            }
        }
        at.wall().map(Moment::at_wall).unwrap_or_default()
    }
}

/// The time in a zone. In the hour that happens twice it is the second time once the clock fell inside it, or once the time
/// before lies past the first; otherwise nothing tells, and the offset stays unknown. A time in the hour that is left out
/// has none.
fn in_zone(local: NaiveDateTime, zone: Tz, before: Option<Placed>) -> Option<DateTime<Tz>> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(at) => Some(at),
        LocalResult::None => None,
        LocalResult::Ambiguous(first, second) => {
            let before = before?;
            let fell = local < before.local && zone.from_local_datetime(&before.local).single().is_none();
            let is_past_first = before.at.is_some_and(|at| at > first);
            (fell || is_past_first).then_some(if first < second { second } else { first })
        }
    }
}

/// The oldest first; what carries the same time keeps its order.
fn turned<T>(held: Vec<Held<T>>) -> Vec<Held<T>> {
    let mut groups: Vec<Vec<Held<T>>> = Vec::new();
    for one in held {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| last.at == one.at) || one.at.is_none() => group.push(one),
            _ => groups.push(vec![one]),
        }
    }
    groups.into_iter().rev().flatten().collect()
}

/// Completes the stamps of one host, in order of time.
fn complete(told: &[(Option<Stamp>, &[NaiveDateTime])], year: Option<i32>) -> Vec<Option<Stamp>> {
    let counts = steps(told.iter().map(|told| told.0));
    let with = || told.iter().zip(&counts).filter_map(|(&(at, named), &count)| Some((at?, named, i64::from(count))));
    let first_year = year
        .map(i64::from)
        .or_else(|| with().filter_map(|(at, named, count)| year_of(at, named).map(|year| year - count)).max());
    let first_day = only(with().filter_map(|(at, named, count)| Some(day_of(at, named)? - TimeDelta::days(count))));
    let first_hour = only(with().filter_map(|(at, named, count)| Some(hour_of(at, named)? - TimeDelta::hours(count))));
    let whole = |at: Stamp, count: i64| match at {
        Stamp::Yearless(at) => at.in_year(i32::try_from(first_year? + count).ok()?).map(Stamp::Local),
        Stamp::TimeOfDay { time, offset } => {
            let local = first_day?.checked_add_signed(TimeDelta::days(count))?.date().and_time(time);
            Some(with_offset(local, offset))
        }
        Stamp::PastHour(time) => {
            first_hour?.checked_add_signed(TimeDelta::hours(count) + past_hour(time)).map(Stamp::Local)
        }
        Stamp::Zoned(_) | Stamp::Local(_) => None,
    };
    told.iter().zip(&counts).map(|(&(at, _), &count)| at.map(|at| whole(at, i64::from(count)).unwrap_or(at))).collect()
}

/// How many years, days or hours after the first stamp each of them lies, by how often the time fell.
fn steps(stamps: impl Iterator<Item = Option<Stamp>>) -> Vec<u32> {
    let (mut last, mut count) = (None, 0);
    stamps
        .map(|stamp| {
            if let (Some(stamp), Some(before)) = (stamp, last)
                && stamp.begins_anew_after(before)
            {
                count += 1;
            }
            last = stamp.or(last);
            count
        })
        .collect()
}

/// The first year that puts a line after a date which it names, if that makes the two lie close together.
fn year_of(at: Stamp, named: &[NaiveDateTime]) -> Option<i64> {
    let Stamp::Yearless(at) = at else { return None };
    named.iter().filter_map(|&named| first_year_after(at, named)).max()
}

fn first_year_after(at: Yearless, named: NaiveDateTime) -> Option<i64> {
    let year = chrono::Datelike::year(&named);
    (year - 1..=year + 1)
        .find_map(|year| {
            let passed = at.in_year(year)? - named;
            // A clock may have been set meanwhile, and stamps of backups are local to where they were made.
            (passed > -TimeDelta::days(1)).then_some((year, passed))
        })
        .filter(|&(_, passed)| passed < NAMES_YEAR)
        .map(|(year, _)| i64::from(year))
}

/// Midnight of the day of a line that names a backup which has just ended.
fn day_of(at: Stamp, named: &[NaiveDateTime]) -> Option<NaiveDateTime> {
    let Stamp::TimeOfDay { time, .. } = at else { return None };
    named.iter().find_map(|&named| {
        [named.date(), named.date().succ_opt()?].into_iter().find_map(|day| {
            let passed = day.and_time(time) - named;
            (passed >= TimeDelta::zero() && passed <= NAMES_END).then(|| day.and_time(NaiveTime::MIN))
        })
    })
}

/// The full hour of such a line.
fn hour_of(at: Stamp, named: &[NaiveDateTime]) -> Option<NaiveDateTime> {
    let Stamp::PastHour(time) = at else { return None };
    named.iter().find_map(|&named| {
        let hour = named - past_hour(named.time());
        [hour, hour.checked_add_signed(TimeDelta::hours(1))?].into_iter().find(|&hour| {
            let passed = hour + past_hour(time) - named;
            passed >= TimeDelta::zero() && passed <= NAMES_END
        })
    })
}

fn with_offset(local: NaiveDateTime, offset: Option<FixedOffset>) -> Stamp {
    let zoned = offset.and_then(|offset| local.and_local_timezone(offset).single());
    zoned.map_or(Stamp::Local(local), Stamp::Zoned)
}

/// What all say, if they say the same.
fn only<T: PartialEq>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::logs::formats::{Formats, LogReader, Read};

    /// The completed times of the lines of a log, in the order in which they are handed on.
    fn times(format: &str, options: &ReadOptions, order: Order, lines: &[&str]) -> Vec<String> {
        let mut reader = LogReader::new(Formats::built_in().named(format).unwrap(), options);
        let mut dates = Dates::new(options, order);
        let mut found = Vec::new();
        {
            let mut keep = |moment: Moment, (): ()| found.push(shown(moment));
            let mut each = |read: Read<'_>| {
                if let Read::Entry(entry) = read {
                    dates.push(entry.at, entry.host, entry.message, (), &mut keep);
                }
            };
            for line in lines {
                reader.push_line(line, &mut each);
            }
            reader.flush(&mut each);
            dates.flush(&mut keep);
        }
        found
    }

    fn shown(moment: Moment) -> String {
        match moment.wall {
            None => "unknown".to_owned(),
            Some(Wall::Zoned(at)) => at.to_rfc3339(),
            Some(Wall::Local(at)) => at.to_string(),
            Some(Wall::Yearless(at)) => format!("{}-{} {}", at.month(), at.day(), at.time()),
            Some(Wall::TimeOfDay(at)) => at.to_string(),
        }
    }

    fn bsd(stamp: &str, message: &str) -> String {
        format!("{stamp} attic com.apple.backupd[7]: {message}")
    }

    fn bsd_times(year: Option<i32>, lines: &[(&str, &str)]) -> Vec<String> {
        let lines: Vec<String> = lines.iter().map(|(stamp, message)| bsd(stamp, message)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        times("bsd-syslog", &ReadOptions { year, ..ReadOptions::default() }, Order::OldestFirst, &lines)
    }

    #[test]
    fn a_date_that_is_far_from_the_line_tells_no_year() {
        let old = "Deleted /Volumes/Attic/Backups.backupdb/Attic/2010-03-14-184109 (24.3 MB)";
        assert_eq!(bsd_times(None, &[("Nov 18 10:09:37", old)]), ["11-18 10:09:37"]);
        let near = "Deleted /Volumes/Attic/Backups.backupdb/Attic/2010-12-14-184109 (24.3 MB)";
        let found = bsd_times(None, &[("Dec 31 23:59:37", "x"), ("Jan  2 10:09:37", near)]);
        assert_eq!(found, ["2010-12-31 23:59:37", "2011-01-02 10:09:37"]);
    }

    #[test]
    fn the_newest_date_that_is_named_tells_the_year() {
        let name = |year: i32| format!("Deleted /Volumes/Attic/Backups.backupdb/Attic/{year}-11-14-184109 (24.3 MB)");
        let found = bsd_times(None, &[("Nov 18 10:09:37", &name(2010)), ("Nov 18 10:09:38", &name(2011))]);
        assert_eq!(found, ["2011-11-18 10:09:37", "2011-11-18 10:09:38"]);
    }

    #[test]
    fn a_leap_day_needs_its_year() {
        assert_eq!(bsd_times(Some(2012), &[("Feb 29 10:09:37", "x")]), ["2012-02-29 10:09:37"]);
        assert_eq!(bsd_times(Some(2011), &[("Feb 29 10:09:37", "x")]), ["2-29 10:09:37"]);
    }

    #[test]
    fn dates_that_contradict_each_other_tell_nothing() {
        let name = |day: u32| format!("Created new backup: 2017-05-{day}-191840");
        let lines = [format!("19:18:41 {}", name(21)), format!("19:18:42 {}", name(22))];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let found = times("time-only", &ReadOptions::default(), Order::OldestFirst, &lines);
        assert_eq!(found, ["19:18:41", "19:18:42"]);
    }

    #[test]
    fn the_hour_that_happens_twice_is_told_only_where_something_tells_it() {
        let options = ReadOptions { zone: Some(chrono_tz::Europe::Berlin), ..ReadOptions::default() };
        let line = |time: &str| format!("2026-10-25 {time},000 com.apple.backupd[7]: x");
        let of = |stamps: &[&str]| {
            let lines: Vec<String> = stamps.iter().map(|stamp| line(stamp)).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            times("console-iso", &options, Order::OldestFirst, &lines)
        };
        assert_eq!(of(&["02:30:00"]), ["2026-10-25 02:30:00"]);
        assert_eq!(of(&["01:30:00", "02:30:00"])[1], "2026-10-25 02:30:00");
        assert_eq!(of(&["02:30:00", "02:10:00"])[1], "2026-10-25T02:10:00+01:00");
        assert_eq!(of(&["02:30:00", "02:10:00", "02:20:00"])[2], "2026-10-25T02:20:00+01:00");
        assert_eq!(of(&["03:30:00"]), ["2026-10-25T03:30:00+01:00"]);
    }

    #[test]
    fn whole_times_pass_at_once() {
        let mut dates = Dates::new(&ReadOptions::default(), Order::OldestFirst);
        let at = Stamp::Local("2026-03-01T09:15:22".parse().unwrap());
        let mut count = 0;
        dates.push(Some(at), None, "x", (), &mut |_, ()| count += 1);
        assert_eq!(count, 1);
        let at = Stamp::TimeOfDay { time: "09:15:22".parse().unwrap(), offset: None };
        dates.push(Some(at), None, "x", (), &mut |_, ()| panic!("held"));
        dates.flush(&mut |_, ()| count += 1);
        assert_eq!(count, 2);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_panics(
            lines in proptest::collection::vec(("(Jan|Feb|Dec) [ 12]\\d [01]\\d:[0-5]\\d:[0-5]\\d", "[ab] 20[019]\\d-(02-29|12-31)-235959"), 0..8),
            newest in any::<bool>(),
            year in proptest::option::of(-300_000..300_000),
        ) {
            let lines: Vec<String> = lines.iter().map(|(stamp, message)| bsd(stamp, message)).collect();
            let heads = lines.iter().filter(|line| Formats::built_in().named("bsd-syslog").unwrap().begins(line)).count();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let order = if newest { Order::NewestFirst } else { Order::OldestFirst };
            let options = ReadOptions { year, zone: Some(chrono_tz::America::New_York), ..ReadOptions::default() };
            prop_assert!(times("bsd-syslog", &options, order, &lines).len() >= heads.min(1));
        }
    }
}
