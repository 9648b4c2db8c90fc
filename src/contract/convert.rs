//! The record of a backup, from and to the domain.

use std::time::Duration;

use chrono::{DateTime, FixedOffset, NaiveDateTime, NaiveTime};

use super::backup::{
    AttemptsJson, BackupJson, ConditionsJson, CopiedJson, DestinationTestJson, FailureJson, MachineJson, ObservedJson,
    PhaseJson, PointJson, StallJson, ThroughputJson, WarningJson,
};
use super::link::InterfaceJson;
use super::number::{Seconds, finite};
use super::words::{Word, find};
use super::{Invalid, SCHEMA};
use crate::domain::backup::{
    Attempts, Backup, Conditions, Copied, DestinationTest, Failure, Machine, Observed, Outcome, PhaseSpan, Point,
    Source, Stall, Warning, WarningCode,
};
use crate::domain::destination::Destination;
use crate::domain::event::Trigger;
use crate::domain::link::Link;
use crate::domain::phase::Phase;
use crate::domain::time::{Moment, Wall};
use crate::domain::units::{Amount, BitRate, Bound};

impl From<&Backup> for BackupJson {
    fn from(backup: &Backup) -> Self {
        Self {
            kind: "backup".to_owned(),
            schema: SCHEMA,
            id: backup.id.clone(),
            host: backup.host.clone(),
            trigger: backup.trigger.map(Word::word),
            first: backup.first,
            destination: (&backup.destination).into(),
            interfaces: backup.links.iter().map(InterfaceJson::from).collect(),
            started_at: backup.started.and_then(Wall::zoned),
            ended_at: backup.ended.and_then(Wall::zoned),
            started_local: backup.started.and_then(local),
            ended_local: backup.ended.and_then(local),
            duration_s: backup.duration.map(Seconds),
            copy_duration_s: backup.copy_duration.map(Seconds),
            asleep_s: backup.asleep.map(Seconds),
            phases: backup.phases.iter().map(PhaseJson::from).collect(),
            copied: (&backup.copied).into(),
            outcome: backup.outcome.word().to_owned(),
            failure: backup.failure.clone().map(|Failure { code, name, message }| FailureJson { code, name, message }),
            throughput: throughput(backup),
            destination_test: backup.destination_test.map(|test| DestinationTestJson {
                large_file_bps: test.large_file.map(BitRate::bps),
                small_files_bps: test.small_files.map(BitRate::bps),
            }),
            stalls: backup.stalls.as_ref().map(|stalls| stalls.iter().map(StallJson::from).collect()),
            attempts: backup.attempts.map(AttemptsJson::from),
            conditions: backup.conditions.clone().into(),
            machine: backup.machine.clone().into(),
            samples: backup.samples.as_ref().map(|points| points.iter().filter_map(point).collect()),
            observed: backup.observed.clone().map(|Observed { from, until, complete, by }| ObservedJson {
                from,
                until,
                complete,
                by,
            }),
            sources: backup.sources.iter().map(|(field, source)| (field.clone(), source.word().to_owned())).collect(),
            warnings: backup.warnings.iter().map(WarningJson::from).collect(),
        }
    }
}

impl TryFrom<BackupJson> for Backup {
    type Error = Invalid;

    fn try_from(json: BackupJson) -> Result<Self, Invalid> {
        if json.kind != "backup" {
            return Err(Invalid::Type(json.kind));
        }
        if json.schema != SCHEMA {
            return Err(Invalid::Schema(json.schema));
        }
        let source = |(field, word): (String, String)| {
            find("sources", &word, Source::ALL, Source::word).map(|source| (field, source))
        };
        Ok(Self {
            id: json.id,
            host: json.host,
            trigger: json.trigger.map(|word| Trigger::parse("trigger", &word)).transpose()?,
            first: json.first,
            destination: Destination::try_from(json.destination)?,
            links: json.interfaces.into_iter().map(Link::try_from).collect::<Result<_, _>>()?,
            started: wall(json.started_at, "started_local", json.started_local)?,
            ended: wall(json.ended_at, "ended_local", json.ended_local)?,
            duration: json.duration_s.map(|s| s.0),
            copy_duration: json.copy_duration_s.map(|s| s.0),
            asleep: json.asleep_s.map(|s| s.0),
            phases: json.phases.into_iter().map(PhaseSpan::from).collect(),
            copied: Copied::try_from(json.copied)?,
            outcome: find("outcome", &json.outcome, Outcome::ALL, Outcome::word)?,
            failure: json.failure.map(|FailureJson { code, name, message }| Failure { code, name, message }),
            destination_test: json.destination_test.map(DestinationTest::try_from).transpose()?,
            stalls: json.stalls.map(|stalls| stalls.into_iter().map(Stall::from).collect()),
            attempts: json.attempts.map(Attempts::from),
            conditions: json.conditions.into(),
            machine: json.machine.into(),
            samples: json.samples.map(|points| points.into_iter().map(Point::from).collect()),
            observed: json.observed.map(|ObservedJson { from, until, complete, by }| Observed {
                from,
                until,
                complete,
                by,
            }),
            sources: json.sources.into_iter().map(source).collect::<Result<_, _>>()?,
            warnings: json.warnings.into_iter().map(Warning::try_from).collect::<Result<_, _>>()?,
        })
    }
}

fn throughput(backup: &Backup) -> ThroughputJson {
    let effective = backup.effective_rate();
    let link = backup.link();
    let share = |of: Option<u64>| effective?.share_of(of?).and_then(finite);
    ThroughputJson {
        effective_bps: effective.map(BitRate::bps),
        copy_bps: backup.copy_rate().map(BitRate::bps),
        of_negotiated: share(link.and_then(|link| link.negotiated_bps)),
        of_practical: share(link.and_then(|link| link.practical_bps)),
    }
}

/// A time without an offset.
fn local(wall: Wall) -> Option<String> {
    match wall {
        Wall::Zoned(_) => None,
        // `Debug` is the ISO form with exactly the digits that are needed.
        Wall::Local(at) => Some(format!("{at:?}")),
        // The contract knows whole dates and times of day.
        Wall::Yearless(at) => Some(format!("{:?}", at.time())),
        Wall::TimeOfDay(at) => Some(format!("{at:?}")),
    }
}

fn wall(
    zoned: Option<DateTime<FixedOffset>>,
    field: &'static str,
    local: Option<String>,
) -> Result<Option<Wall>, Invalid> {
    let text = match (zoned, local) {
        (Some(at), _) => return Ok(Some(Wall::Zoned(at))),
        (None, None) => return Ok(None),
        (None, Some(text)) => text,
    };
    text.parse::<NaiveDateTime>()
        .map(Wall::Local)
        .or_else(|_| text.parse::<NaiveTime>().map(Wall::TimeOfDay))
        .map(Some)
        .map_err(|_| Invalid::value(field, text))
}

fn moment(at: Option<DateTime<FixedOffset>>) -> Moment {
    Moment { mono: None, wall: at.map(Wall::Zoned) }
}

/// A point of the progress; one whose time is no number can't be placed and is left out.
fn point(point: &Point) -> Option<PointJson> {
    Some(PointJson {
        t: finite((point.t * 1000.0).round() / 1000.0)?,
        phase: point.phase.as_ref().map(|phase| phase.name().to_owned()),
        bytes: point.bytes,
        items: point.items,
        percent: point.percent.and_then(finite),
    })
}

impl From<PointJson> for Point {
    fn from(json: PointJson) -> Self {
        let PointJson { t, phase, bytes, items, percent } = json;
        Self { t, phase: phase.map(Phase::new), bytes, items, percent }
    }
}

impl From<&PhaseSpan> for PhaseJson {
    fn from(span: &PhaseSpan) -> Self {
        Self {
            name: span.phase.name().to_owned(),
            started_at: span.started.zoned(),
            duration_s: span.duration.map(Seconds),
        }
    }
}

impl From<PhaseJson> for PhaseSpan {
    fn from(json: PhaseJson) -> Self {
        Self { phase: Phase::new(json.name), started: moment(json.started_at), duration: json.duration_s.map(|s| s.0) }
    }
}

impl From<&Stall> for StallJson {
    fn from(stall: &Stall) -> Self {
        Self { started_at: stall.started.zoned(), duration_s: Seconds(stall.duration), items_moved: stall.items_moved }
    }
}

impl From<StallJson> for Stall {
    fn from(json: StallJson) -> Self {
        Self { started: moment(json.started_at), duration: json.duration_s.0, items_moved: json.items_moved }
    }
}

impl From<&Copied> for CopiedJson {
    fn from(copied: &Copied) -> Self {
        Self {
            bytes: copied.data.map(|data| data.bytes),
            bound: copied.data.map(|data| data.bound.word()),
            precision_bytes: copied.data.and_then(|data| data.precision),
            logical_bytes: copied.logical_bytes,
            items: copied.items,
        }
    }
}

impl TryFrom<CopiedJson> for Copied {
    type Error = Invalid;

    fn try_from(json: CopiedJson) -> Result<Self, Invalid> {
        let data = match (json.bytes, json.bound) {
            (None, _) => None,
            (Some(_), None) => return Err(Invalid::value("copied.bound", "null")),
            (Some(bytes), Some(bound)) => {
                Some(Amount { bytes, bound: Bound::parse("copied.bound", &bound)?, precision: json.precision_bytes })
            }
        };
        Ok(Self { data, logical_bytes: json.logical_bytes, items: json.items })
    }
}

impl TryFrom<DestinationTestJson> for DestinationTest {
    type Error = Invalid;

    fn try_from(json: DestinationTestJson) -> Result<Self, Invalid> {
        let rate = |bps: Option<f64>| {
            let rate = |bps| BitRate::from_bps(bps).ok_or_else(|| Invalid::value("destination_test", bps.to_string()));
            bps.map(rate).transpose()
        };
        Ok(Self { large_file: rate(json.large_file_bps)?, small_files: rate(json.small_files_bps)? })
    }
}

impl From<Attempts> for AttemptsJson {
    fn from(attempts: Attempts) -> Self {
        Self {
            attempt: attempts.attempt,
            attempts: attempts.attempts,
            copied_bytes_at_least: attempts.copied_bytes_at_least,
            copied_bytes_at_most: attempts.copied_bytes_at_most,
            wall_s: attempts.wall.map(Seconds),
            busy_s: attempts.busy.map(Seconds),
        }
    }
}

impl From<AttemptsJson> for Attempts {
    fn from(json: AttemptsJson) -> Self {
        let time = |seconds: Option<Seconds>| -> Option<Duration> { seconds.map(|s| s.0) };
        Self {
            attempt: json.attempt,
            attempts: json.attempts,
            copied_bytes_at_least: json.copied_bytes_at_least,
            copied_bytes_at_most: json.copied_bytes_at_most,
            wall: time(json.wall_s),
            busy: time(json.busy_s),
        }
    }
}

impl From<Conditions> for ConditionsJson {
    fn from(conditions: Conditions) -> Self {
        let Conditions { macos, build, power, throttled, encrypted, file_system, free_bytes } = conditions;
        Self { macos, build, power, throttled, encrypted, file_system, free_bytes }
    }
}

impl From<ConditionsJson> for Conditions {
    fn from(json: ConditionsJson) -> Self {
        let ConditionsJson { macos, build, power, throttled, encrypted, file_system, free_bytes } = json;
        Self { macos, build, power, throttled, encrypted, file_system, free_bytes }
    }
}

impl From<Machine> for MachineJson {
    fn from(machine: Machine) -> Self {
        let Machine { model, chip, memory_bytes, source_disk } = machine;
        Self { model, chip, memory_bytes, source_disk }
    }
}

impl From<MachineJson> for Machine {
    fn from(json: MachineJson) -> Self {
        let MachineJson { model, chip, memory_bytes, source_disk } = json;
        Self { model, chip, memory_bytes, source_disk }
    }
}

impl From<&Warning> for WarningJson {
    fn from(warning: &Warning) -> Self {
        Self { code: warning.code.code().to_owned(), field: warning.field.clone(), message: warning.message.clone() }
    }
}

impl TryFrom<WarningJson> for Warning {
    type Error = Invalid;

    fn try_from(json: WarningJson) -> Result<Self, Invalid> {
        let code = find("warnings.code", &json.code, WarningCode::ALL, WarningCode::code)?;
        Ok(Self { code, field: json.field, message: json.message })
    }
}
