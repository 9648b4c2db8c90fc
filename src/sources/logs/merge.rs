//! Several logs as one: rotated sets in order of time, what two exports both hold only once.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use chrono::{Datelike, NaiveDateTime, TimeDelta};

use super::said::{News, Said, Sender, order};
use crate::domain::time::{Moment, Wall, Yearless};

/// Files of one set lie no further apart than this.
const CLOSE: TimeDelta = TimeDelta::days(2);

/// Joins the news of several logs, sender by sender, in the order in which senders first spoke.
pub(super) fn merge(logs: Vec<News>) -> Vec<(Sender, Vec<Said>)> {
    let mut senders: Vec<(Sender, Vec<Vec<Said>>)> = Vec::new();
    let mut places: HashMap<Sender, usize> = HashMap::new();
    for (sender, said) in logs.into_iter().flat_map(News::into_senders) {
        let place = *places.entry(sender.clone()).or_insert_with(|| {
            senders.push((sender, Vec::new()));
            senders.len() - 1
        });
        senders[place].1.extend(runs(said));
    }
    complete_years(&mut senders);
    senders.into_iter().map(|(sender, runs)| (sender, join(runs))).collect()
}

/// Gives a year to times without one that lie close to a known time of the same Mac: the other files of a set often tell it.
fn complete_years(senders: &mut [(Sender, Vec<Vec<Said>>)]) {
    let mut known: HashMap<Option<Arc<str>>, BTreeSet<NaiveDateTime>> = HashMap::new();
    for (sender, runs) in senders.iter() {
        let dates = runs.iter().flatten().filter_map(|said| match said.at.wall {
            Some(Wall::Local(at)) => Some(at),
            _ => None,
        });
        known.entry(sender.host.clone()).or_default().extend(dates);
    }
    for (sender, runs) in senders {
        let Some(dates) = known.get(&sender.host).filter(|dates| !dates.is_empty()) else { continue };
        for said in runs.iter_mut().flatten() {
            if let Some(Wall::Yearless(at)) = said.at.wall
                && let Some(at) = year_beside(at, dates)
            {
                said.at.wall = Some(Wall::Local(at));
            }
        }
    }
}

/// The time in the year in which it lies close to one of `dates`.
fn year_beside(at: Yearless, dates: &BTreeSet<NaiveDateTime>) -> Option<NaiveDateTime> {
    let (first, last) = (dates.first()?.year() - 1, dates.last()?.year() + 1);
    (first..=last)
        .filter_map(|year| at.in_year(year))
        .find(|at| dates.range(*at - CLOSE..=*at + CLOSE).next().is_some())
}

/// Cuts a log where its time goes back: there another log was appended, or the clock was set.
fn runs(said: Vec<Said>) -> Vec<Vec<Said>> {
    let mut runs: Vec<Vec<Said>> = Vec::new();
    let mut last: Option<Moment> = None;
    for said in said {
        let back = last.is_some_and(|last| is_before(said.at, last));
        if said.at.wall.is_some() {
            last = Some(said.at);
        }
        match runs.last_mut() {
            Some(run) if !back => run.push(said),
            _ => runs.push(vec![said]),
        }
    }
    runs
}

/// Joins runs. One that lies before or after the others takes its place; one that lies between them and repeats what they
/// hold, or comes from a log of its own, is merged line by line.
fn join(mut runs: Vec<Vec<Said>>) -> Vec<Said> {
    if runs.len() == 1 {
        return runs.remove(0);
    }
    runs.sort_by_key(|run| run.iter().find(|said| said.at.wall.is_some()).map_or((1, 0, 0), |said| order(said.at)));
    let mut joined: Vec<Said> = Vec::new();
    for run in runs {
        let overlaps = match (joined.iter().rev().find(|said| said.at.wall.is_some()), run.first()) {
            (Some(last), Some(first)) => is_before(first.at, last.at) || first.at == last.at,
            _ => false,
        };
        if overlaps {
            joined = interleave(joined, run);
        } else {
            joined.extend(run);
        }
    }
    joined
}

/// Merges two runs by time; a line that the first holds too is left out.
fn interleave(first: Vec<Said>, second: Vec<Said>) -> Vec<Said> {
    let known: HashSet<(Option<Key>, u64)> = first.iter().map(|said| (key(said.at), said.text)).collect();
    let mut first = first.into_iter().peekable();
    let mut merged = Vec::with_capacity(first.len() + second.len());
    for said in second {
        if said.at.wall.is_some() && known.contains(&(key(said.at), said.text)) {
            continue;
        }
        while first.peek().is_some_and(|next| next.at.wall.is_none() || !is_before(said.at, next.at)) {
            merged.extend(first.next());
        }
        merged.push(said);
    }
    merged.extend(first);
    merged
}

type Key = (u8, i64, u32);

fn key(at: Moment) -> Option<Key> {
    at.wall.map(|_| order(at))
}

/// Whether `a` comes before `b` by the same kind of clock.
fn is_before(a: Moment, b: Moment) -> bool {
    match (a.wall, b.wall) {
        (Some(Wall::Zoned(a)), Some(Wall::Zoned(b))) => a < b,
        (Some(Wall::Local(a)), Some(Wall::Local(b))) => a < b,
        _ => false,
    }
}
