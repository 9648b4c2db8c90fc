//! From readings to the record of a backup: for each figure the best source wins, and disagreement is a warning.

use std::collections::BTreeMap;
use std::time::Duration;

use super::backup::{
    Backup, Conditions, Copied, Failure, Machine, Observed, Outcome, Point, Source, Warning, WarningCode,
};
use super::destination::Destination;
use super::link::Link;
use super::reading::{Claim, Grade, Reading};
use super::time::Moment;

/// From which share of the duration on sleep spoils a figure.
const SLEEP_THAT_MATTERS: f64 = 0.01;

/// What is known of a backup beside its reading.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The Mac, by name.
    pub host: Option<String>,
    /// What `tmutil destinationinfo` says of the destination.
    pub destination: Option<Destination>,
    /// The links seen.
    pub links: Vec<Link>,
    /// The conditions.
    pub conditions: Conditions,
    /// The Mac.
    pub machine: Machine,
    /// What the observer saw, if there was one.
    pub observed: Option<Observed>,
    /// What an observer has to say.
    pub warnings: Vec<Warning>,
}

/// Makes the record of a backup. `meaning` puts a result code into plain words.
pub fn settle(reading: &Reading, context: Context, meaning: impl Fn(&Failure) -> Option<String>) -> Backup {
    let mut sources = BTreeMap::new();
    let mut warnings = reading.warnings.clone();
    warnings.extend(context.warnings);

    let (started, started_by) = split(reading.started);
    let (ended, ended_by) = split(reading.ended);
    note(&mut sources, "started_at", started_by);
    note(&mut sources, "ended_at", ended_by);
    note(&mut sources, "outcome", reading.outcome.1);

    let claim = reading.best_claim();
    note(&mut sources, "copied.bytes", claim.map(|claim| claim.source));
    warnings.extend(claim.and_then(|best| disagreement(best, &reading.claims)));
    note(&mut sources, "copied.items", reading.items.map(|(_, source)| source));
    if !reading.phases.is_empty() {
        note(&mut sources, "phases", Some(reading.phases_source));
    }
    if reading.copy_duration.is_some() {
        note(&mut sources, "copy_duration_s", Some(reading.phases_source));
    }

    let duration = ended.zip(started).and_then(|(end, start)| end.since(&start));
    let asleep = started.and_then(|start| ended.unwrap_or(reading.last_seen).asleep_since(&start));
    warnings.extend(sleep_warning(asleep, duration));

    let mut destination = reading.destination.clone();
    if let Some(configured) = &context.destination {
        destination.fill_from(configured);
    }
    let origin = started.or_else(|| reading.points.as_ref().and_then(|points| points.first().map(|(at, _)| *at)));
    Backup {
        id: None,
        host: context.host,
        trigger: reading.trigger,
        first: reading.first,
        destination,
        links: context.links,
        started: started.and_then(|at| at.wall),
        ended: ended.and_then(|at| at.wall),
        duration,
        copy_duration: reading.copy_duration,
        asleep,
        phases: reading.phases.clone(),
        copied: Copied {
            data: claim.map(|claim| claim.amount),
            logical_bytes: reading.logical_bytes,
            items: reading.items.map(|(items, _)| items),
        },
        outcome: reading.outcome.0,
        failure: failure(reading, meaning),
        destination_test: reading.destination_test,
        stalls: reading.stalls.clone(),
        attempts: None,
        conditions: context.conditions,
        machine: context.machine,
        samples: reading.points.as_ref().map(|points| place(points, origin)),
        observed: context.observed,
        sources,
        warnings,
    }
}

fn split<T: Copy>(value: Option<(T, Source)>) -> (Option<T>, Option<Source>) {
    (value.map(|(value, _)| value), value.map(|(_, source)| source))
}

fn note(sources: &mut BTreeMap<String, Source>, field: &str, source: Option<Source>) {
    if let Some(source) = source {
        sources.insert(field.to_owned(), source);
    }
}

/// A figure that can't be true beside the best one. A settled counter beside a lower total of the same counter is no
/// disagreement, nor is a forecast that did not come true.
fn disagreement(best: &Claim, claims: &[Claim]) -> Option<Warning> {
    let other = claims
        .iter()
        .filter(|claim| claim.grade != Grade::Forecast)
        .find(|claim| !claim.amount.agrees_with(best.amount))?;
    let say = |claim: &Claim| format!("{} bytes by the {}", claim.amount.bytes, claim.source.word());
    Some(Warning {
        code: WarningCode::SourcesDisagree,
        field: Some("copied.bytes".to_owned()),
        message: format!("{} can't be true beside {}; the former was taken", say(best), say(other)),
    })
}

fn sleep_warning(asleep: Option<Duration>, duration: Option<Duration>) -> Option<Warning> {
    let (asleep, duration) = (asleep?, duration?);
    (asleep.as_secs_f64() > duration.as_secs_f64() * SLEEP_THAT_MATTERS).then(|| Warning {
        code: WarningCode::Asleep,
        field: Some("asleep_s".to_owned()),
        message: format!(
            "the Mac slept for {} s of the {} s, so the rates say nothing about the link",
            asleep.as_secs_f64().round(),
            duration.as_secs_f64().round()
        ),
    })
}

fn failure(reading: &Reading, meaning: impl Fn(&Failure) -> Option<String>) -> Option<Failure> {
    let code = reading.code.as_ref();
    if code.is_none() && !matches!(reading.outcome.0, Outcome::Failed) {
        return None;
    }
    let mut failure =
        Failure { code: code.and_then(|code| code.code), name: code.and_then(|code| code.name.clone()), message: None };
    failure.message = meaning(&failure);
    Some(failure)
}

/// Gives the points their time since the origin.
fn place(points: &[(Moment, Point)], origin: Option<Moment>) -> Vec<Point> {
    points
        .iter()
        .filter_map(|(at, point)| {
            // A single point without any time is its own origin.
            let t = if Some(*at) == origin { 0.0 } else { at.since(&origin?)?.as_secs_f64() };
            Some(Point { t, ..point.clone() })
        })
        .collect()
}
