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
