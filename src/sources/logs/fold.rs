//! From the news of senders to backups.

use std::time::Duration;

use super::said::{Said, Sender, order};
use crate::apple::codes;
use crate::apple::url::Share;
use crate::domain::attempts::note_attempts;
use crate::domain::backup::{Backup, Failure, Outcome};
use crate::domain::destination::Destination;
use crate::domain::reading::Reading;
use crate::domain::reconcile::{Context, settle};
use crate::domain::time::{Moment, Wall};
use crate::domain::timeline::{Input, Timeline};

/// Folds each sender's news. A backup without an end is interrupted if its Mac began another one later.
pub(super) fn fold(senders: Vec<(Sender, Vec<Said>)>) -> Vec<Backup> {
    let mut found: Vec<(Sender, Reading)> = Vec::new();
    for (sender, said) in senders {
        let mut timeline = Timeline::new(Duration::MAX);
        for Said { at, event, .. } in said {
            timeline.push(at, &Input::Event(event));
        }
        found.extend(timeline.finish().into_iter().map(|reading| (sender.clone(), reading)));
    }
    interrupt(&mut found);
    let mut backups: Vec<Backup> = found.iter().map(|(sender, reading)| backup(sender, reading)).collect();
    sort(&mut backups);
    note_attempts(&mut backups);
    backups
}

/// Makes the record of a backup that a log tells of.
pub(super) fn backup(sender: &Sender, reading: &Reading) -> Backup {
    let context = Context { host: sender.host.as_deref().map(str::to_owned), ..Context::default() };
    let meaning = |failure: &Failure| codes::failure(failure.code, failure.name.as_deref()).message;
    let mut backup = settle(reading, context, meaning);
    if backup.destination.name.is_none() {
        backup.destination.name = name(&backup.destination);
    }
    backup
}

/// What a person would call the destination: the share, for a network one, else the volume.
fn name(destination: &Destination) -> Option<String> {
    let share = destination.url.as_deref().and_then(Share::parse).and_then(|share| share.share);
    let volume = || destination.mount_point.as_deref().and_then(|path| path.rsplit('/').next()).map(str::to_owned);
    share.or_else(volume).filter(|name| !name.is_empty())
}

/// By start; backups without a date after the others, in the order of the logs.
pub(super) fn sort(backups: &mut [Backup]) {
    backups.sort_by_key(|backup| {
        let wall = backup.started.or(backup.ended).map(local);
        order(Moment { mono: None, wall })
    });
}

/// The time on the wall where the backup ran.
fn local(wall: Wall) -> Wall {
    if let Wall::Zoned(at) = wall { Wall::Local(at.naive_utc()) } else { wall }
}

/// Another process of the same Mac that begins a backup later shows that the one without an end had none.
fn interrupt(found: &mut [(Sender, Reading)]) {
    let begun: Vec<(Sender, Moment)> =
        found.iter().filter_map(|(sender, reading)| Some((sender.clone(), reading.started?.0))).collect();
    for (sender, reading) in found.iter_mut().filter(|(_, reading)| reading.outcome.0 == Outcome::Unknown) {
        let later = |at: &Moment| at.since(&reading.last_seen).is_some_and(|passed| !passed.is_zero());
        let others = |other: &Sender| other.host == sender.host && other.pid != sender.pid && other.pid.is_some();
        if sender.pid.is_some() && begun.iter().any(|(other, at)| others(other) && later(at)) {
            reading.outcome.0 = Outcome::Interrupted;
        }
    }
}
