//! What is said and kept when an observing stops.

use chrono::TimeDelta;

use super::Task;
use super::before::Before;
use super::observer::{Observer, Stop};
use super::snapshots;
use crate::apple::codes;
use crate::domain::backup::{Backup, Observed, Outcome, Warning, WarningCode};
use crate::domain::link::Seen;
use crate::domain::reading::Reading;
use crate::domain::reconcile::{Context, settle};
use crate::domain::time::Wall;
use crate::error::{Exit, Failure};
use crate::links::{self, Look};
use crate::ports::News;

/// Makes the record of a backup.
pub(super) fn record(
    observer: &Observer<'_>,
    task: &Task,
    before: &Before,
    reading: &Reading,
    stop: Stop,
    from_start: bool,
) -> Backup {
    let destination = observer.known(&reading.destination);
    let found_before = before.of(&destination);
    let mut looks: Vec<Look> = found_before.map(|(_, look, _)| look.clone()).into_iter().collect();
    looks.extend(observer.open.looks.iter().cloned());
    let (links, changed) = links::join(&looks);
    let mut warnings = observer.warnings.clone();
    warnings.extend(observer.journal_warning());
    warnings.extend(observer.listening.warning());
    warnings.extend(changed);
    for warning in links::warnings_of_links(&links) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    if !from_start {
        warnings.push(Warning {
            code: WarningCode::JoinedLate,
            field: Some("started_at".to_owned()),
            message: "the backup was already running when the watching began".to_owned(),
        });
    }
    let complete = from_start && reading.ended.is_some() && matches!(stop, Stop::Over);
    let context = Context {
        host: None,
        destination: Some(destination),
        links,
        conditions: found_before.map(|(.., conditions)| conditions.clone()).unwrap_or_default(),
        machine: before.machine.clone(),
        observed: Some(Observed {
            from: Some(observer.from.wall),
            until: Some(observer.last_observed.wall),
            complete,
            by: task.name().to_owned(),
        }),
        warnings,
    };
    settle(reading, context, |failure| codes::failure(failure.code, failure.name.as_deref()).message)
}

/// Looks at the link and at the destination's snapshots once more, if the backup is over to its last act: until then nothing
/// may touch the destination.
pub(super) fn look_after(observer: &mut Observer<'_>, before: &Before, reading: &mut Reading) {
    let Some(draft) = observer.draft().filter(|draft| draft.is_idle()) else { return };
    let since = draft.ended().and_then(|(at, _)| at.mono).map(|mono| mono.elapsed).unwrap_or_default();
    let destination = observer.known(draft.destination());
    observer.look(&destination, Seen::After, since);
    let volume = before.of(&destination).and_then(|(_, look, _)| look.bsd_name.clone());
    let Some((volume, held)) = volume.and_then(|volume| Some((volume.clone(), before.snapshots(&volume)?))) else {
        return;
    };
    if let Some(holds) = snapshots::backups(observer, &volume, since) {
        snapshots::confirm(reading, held, &holds);
    }
}

/// Looks back into the log where it may hold what was not heard: lost lines, a verdict, the start.
pub(super) fn look_back(observer: &mut Observer<'_>) {
    let Some(draft) = observer.draft() else { return };
    let started = draft.started();
    let wanted = observer.listening.may_have_missed() || !draft.has_verdict() || started.is_none();
    if !wanted {
        return;
    }
    // Of a backup joined late the start may be a day ago.
    let from = started
        .and_then(|(at, _)| at.zoned())
        .map_or(observer.from.wall - TimeDelta::days(1), |at| at - TimeDelta::seconds(5));
    let now = observer.mac.now();
    let deadline = observer.patience.deadlines.other;
    let Ok(events) = observer.listening.look_back(&mut *observer.mac, from, now, deadline) else { return };
    for (at, event) in events {
        observer.timeline.recall(at, &event);
    }
}

/// Says on the screen how it ended.
pub(super) fn say_farewell(observer: &mut Observer<'_>, backup: &Backup, stop: Stop) {
    let now = observer.mac.now();
    let news = match stop {
        Stop::Signal(_) if backup.outcome == Outcome::Running => {
            News::Stopped { at: now.wall, watched: now.elapsed.saturating_sub(observer.from.elapsed) }
        }
        _ => {
            let at = backup.ended.and_then(Wall::zoned).unwrap_or(now.wall);
            News::Ended { at, outcome: backup.outcome, duration: backup.duration }
        }
    };
    observer.sink.say(&news);
}

/// Why there is no tmutil.
pub(super) fn no_tmutil(attempt: &str) -> Failure {
    Failure::new(Exit::Tool, format!("{attempt}: `/usr/bin/tmutil` does not exist on this system"))
        .hint("measuring needs a Mac; play a recording here: tmgauge run --replay DIR")
}

/// Why a running backup was not joined.
pub(super) fn other_destination() -> Failure {
    Failure::new(Exit::Use, "won't join the backup that runs: it goes to another destination than the one asked for")
        .hint("--any joins it all the same; or wait for its end, which `tmgauge watch` tells")
}

/// Why the backup was not made at all.
pub(super) fn refusal(backup: &Backup) -> Failure {
    let failure = backup.failure.as_ref();
    let why = failure
        .and_then(|failure| failure.message.clone().or_else(|| failure.name.clone()))
        .unwrap_or_else(|| "macOS gives no reason".to_owned());
    let code = failure.and_then(|failure| failure.code).map(|code| format!(" (code {code})")).unwrap_or_default();
    Failure::new(Exit::BackupFailed, format!("could not start a backup: {why}{code}"))
        .hint("`tmgauge watch --wait` measures the one that macOS starts itself")
}

/// The failure that a reason to stop is.
pub(super) fn failure(stop: Stop, task: &Task, observer: &Observer<'_>) -> Failure {
    match stop {
        Stop::NotStarted => Failure::new(
            Exit::BackupFailed,
            format!(
                "could not start a backup: none began within {} s of `tmutil startbackup`, and the log gives no reason",
                observer.patience.start.as_secs_f64()
            ),
        )
        .hint("System Settings > General > Time Machine may tell why; `tmgauge doctor` checks what works here"),
        Stop::NothingRuns => {
            Failure::new(Exit::Nothing, "could not watch a backup: none is running").hint("--wait waits for one")
        }
        Stop::OtherDestination => other_destination(),
        _ => {
            let how_long = observer.patience.silence.as_secs_f64();
            let why = if observer.was_ever_answered() {
                format!("`tmutil status -X` gave nothing usable for {how_long} s")
            } else {
                format!("`tmutil status -X` never gave a usable answer in {how_long} s")
            };
            Failure::new(Exit::Tool, format!("{}: {why}", task.attempt()))
                .hint("`tmgauge doctor` checks what works here")
        }
    }
}
