//! What a message of backupd means.

use std::time::Duration;

use crate::apple::codes;
use crate::apple::url::without_user;
use crate::domain::backup::Outcome;
use crate::domain::destination::{Destination, DestinationKind, fill};
use crate::domain::event::{Data, Event, Meaning, ResultCode, Trigger};
use crate::domain::units::{Amount, Bound};

use super::folder;
use super::formats::Entry;
use super::hole::{Value, is_stamp, is_uuid};
use super::io_test;
use super::release::Release;
use super::result;
use super::table::{BACKUPD, Kind, Row, TABLE};
use super::template::Values;

/// The sender in system logs of Mac OS X 10.5; later releases have a label or another path.
const LEOPARD: &str = "/System/Library/CoreServices/backupd";
/// How the reasons for a scan begin in 10.5.
const LEOPARD_FLAG: &str = "kFSEDBEventFlag";
/// The attribute of a folder in the backup that holds what was copied into it.
const COMPLETION_DATE: &str = "com.apple.timemachine.private.directorycompletiondate";

/// What could be made of a message.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "made and taken apart one at a time")]
pub enum Reading {
    /// News of a backup.
    Event(Event),
    /// Known, and no news.
    Noise,
    /// Not said by backupd.
    OtherProcess,
    /// Said by backupd, as far as can be told, and in no table.
    NotUnderstood,
}

/// Reads a message. `process` is the name, the label or the path of who said it; `None` if the log doesn't tell, and then the
/// text decides alone. Other processes never say anything about a backup here: some repeat backupd's words.
pub fn understand(message: &str, process: Option<&str>) -> Reading {
    read_as(message, process, false)
}

/// Reads the last message of a log that ends within a line: a figure at its very end may lack digits and is left out.
pub fn understand_cut(message: &str, process: Option<&str>) -> Reading {
    read_as(message, process, true)
}

fn read_as(message: &str, process: Option<&str>, may_be_cut: bool) -> Reading {
    if process.is_some_and(|process| !is_backupd(process)) {
        return Reading::OtherProcess;
    }
    let Some((row, mut values)) = TABLE.find(message) else { return Reading::NotUnderstood };
    if may_be_cut {
        row.template.drop_last(&mut values);
    }
    if process.is_none() && row.process != BACKUPD {
        return Reading::OtherProcess;
    }
    meaning(row, &values)
        .map_or(Reading::Noise, |meaning| Reading::Event(event(row, &values, meaning, message, process)))
}

fn event(row: &Row, values: &Values<'_>, meaning: Meaning, message: &str, process: Option<&str>) -> Event {
    let folder = folder::find(message);
    let mut destination = destination(row, values);
    if destination.mount_point.is_none() {
        destination.mount_point = folder.and_then(|folder| folder.volume).map(str::to_owned);
    }
    if let Meaning::Result(_) = meaning {
        let rest = row.template.value(values, "rest").and_then(Value::text);
        fill(&mut destination.mount_point, rest.and_then(result::mount_point).as_ref());
    }
    let reason = row.template.value(values, "reason").and_then(Value::text);
    Event {
        meaning,
        phase: row.phase.clone(),
        destination,
        folder: folder.map(|folder| folder.made),
        first: row.first,
        binary_sizes: process == Some(LEOPARD) || reason.is_some_and(|reason| reason.starts_with(LEOPARD_FLAG)),
    }
}

/// Reads a message; `None` unless it is news of a backup.
pub fn read(message: &str, process: Option<&str>) -> Option<Event> {
    match understand(message, process) {
        Reading::Event(event) => Some(event),
        _ => None,
    }
}

/// Reads the message of a record. Text that a program wrapped on its way is put together again, and a first line counts by
/// itself if only the lines after it are strange.
pub fn understand_entry(entry: &Entry<'_>) -> Reading {
    let reading = understand(entry.message, entry.process);
    if reading != Reading::NotUnderstood || !entry.message.contains('\n') {
        return reading;
    }
    let first = entry.message.split('\n').next().unwrap_or_default();
    let wrapped = [entry.message.replace('\n', " "), entry.message.replace('\n', "")];
    let mut readings = wrapped.iter().map(String::as_str).chain([first]).map(|text| understand(text, entry.process));
    readings.find(|reading| *reading != Reading::NotUnderstood).unwrap_or(Reading::NotUnderstood)
}

/// Whether the tables know a message, whoever said it.
pub(super) fn knows(message: &str) -> bool {
    TABLE.find(message).is_some()
}

/// Whether a message begins like one that the tables know.
pub(super) fn may_know(message: &str) -> bool {
    TABLE.may_find(message)
}

/// Puts back what is missing before the rest of a closing record, which is known by its keys; `None` of anything else. The
/// rest may begin inside a list of the record.
pub(super) fn with_first_line(rest: &str) -> Option<String> {
    let (mut depth, mut missing) = (0_usize, 0_usize);
    for byte in rest.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b'}' => missing += 1,
            _ => {}
        }
    }
    let lists = "\n    Progress = {".repeat(missing.saturating_sub(1).min(1));
    (rest.contains(result::TOTAL) && missing <= 2).then(|| format!("Backup result: {{{lists}{rest}"))
}

/// Whether a message is backupd's verdict on a backup.
pub(super) fn ends_backup(message: &str) -> bool {
    matches!(understand(message, None), Reading::Event(event) if event.meaning.is_verdict())
}

/// Whether that is backupd, by its name, its label or its path.
pub(super) fn is_backupd(process: &str) -> bool {
    name_of(process) == BACKUPD
}

/// Whether the tables hold the words with which backupd of that release (such as `15.7.1`) reports success.
pub fn release_is_known(macos_version: &str) -> bool {
    Release::parse(macos_version).is_some_and(|release| TABLE.knows_success_of(release))
}

/// The bare name of a process: `/System/…/backupd` and `com.apple.backupd` are both `backupd`.
fn name_of(process: &str) -> &str {
    let name = process.rsplit('/').next().unwrap_or(process);
    name.strip_prefix("com.apple.").unwrap_or(name)
}

fn meaning(row: &Row, values: &Values<'_>) -> Option<Meaning> {
    let value = |name| row.template.value(values, name);
    Some(match row.kind {
        Kind::Requested => Meaning::Requested,
        Kind::Started => started(row.trigger, value("mode").and_then(Value::text)),
        Kind::HealthCheckStarted => Meaning::HealthCheckStarted,
        Kind::Destination => Meaning::Destination,
        Kind::CopyStarted => Meaning::CopyStarted,
        Kind::Progress => Meaning::Progress(lower_bound(data(row, values))),
        Kind::ItemProgress => Meaning::Progress(Data { items: Some(items_by_kind(row, values)?), ..Data::default() }),
        Kind::PassStarted => Meaning::PassStarted,
        Kind::PassCopied => Meaning::PassCopied(data(row, values)),
        Kind::VolumeCopied => Meaning::VolumeCopied(data(row, values)),
        Kind::VolumeEstimate => Meaning::Estimate { data: forecast(row, values), whole: false },
        Kind::Estimate => Meaning::Estimate { data: forecast(row, values), whole: true },
        Kind::DestinationTest => Meaning::DestinationTest(io_test::read(value("rest").and_then(Value::text)?)?),
        Kind::CopyTime => Meaning::CopyTime(minutes(value("minutes").and_then(Value::text)?)?),
        Kind::CompletionDate => Meaning::Progress(completion_date(row, values)?),
        Kind::Result => Meaning::Result(value("rest").and_then(Value::text).map(result::data).unwrap_or_default()),
        // `startbackup --block` prints nought for a backup that was stopped or skipped too.
        Kind::Completed if value("bytes").and_then(Value::size) == Some(Amount::exact(0)) => return None,
        Kind::Completed => Meaning::Completed {
            stamp: value("stamp").or_else(|| value("path")).and_then(Value::text).and_then(stamp_of).map(str::to_owned),
            data: data(row, values),
            after_thinning: row.after_thinning,
        },
        Kind::Failed => verdict(result_code(row, values)),
        Kind::FailureCause => Meaning::FailureCause(result_code(row, values)),
        Kind::CancelRequested => Meaning::CancelRequested,
        Kind::Cancelled => Meaning::Cancelled(result_code(row, values)),
        Kind::Deferred => Meaning::Deferred(result_code(row, values)),
        Kind::ThinningStarted => Meaning::ThinningStarted,
        Kind::Phase => Meaning::PhaseOnly,
        Kind::Noise => return None,
    })
}

/// Tells who asked for a backup, and a check of old backups from a backup.
fn started(trigger: Option<Trigger>, mode: Option<&str>) -> Meaning {
    let mode = mode.unwrap_or_default();
    if mode.ends_with("health check") {
        return Meaning::HealthCheckStarted;
    }
    Meaning::Started(trigger.or(match mode.split(' ').next() {
        Some("manual") => Some(Trigger::Manual),
        Some("automatic") => Some(Trigger::Automatic),
        _ => None,
    }))
}

/// One wording serves failures, cancels and deferrals; the code, or else its name, tells which.
fn verdict(result: ResultCode) -> Meaning {
    let name = result.name.as_deref().unwrap_or_default();
    let outcome = match result.code {
        Some(code) if codes::by_number(code).is_some() => codes::outcome(code),
        // A release called a backup put off a cancelled one.
        _ if name.ends_with("_NOT_ENOUGH_ELAPSED_TIME") => Outcome::Deferred,
        _ if name.starts_with("BACKUP_CANCEL") => Outcome::Cancelled,
        _ => codes::outcome_of_name(name),
    };
    match outcome {
        Outcome::Deferred => Meaning::Deferred(result),
        Outcome::Cancelled => Meaning::Cancelled(result),
        _ => Meaning::Failed(result),
    }
}

fn result_code(row: &Row, values: &Values<'_>) -> ResultCode {
    let value = |name| row.template.value(values, name);
    ResultCode {
        code: value("code").and_then(Value::code),
        name: value("name").and_then(Value::text).map(str::to_owned),
    }
}

fn data(row: &Row, values: &Values<'_>) -> Data {
    let value = |name| row.template.value(values, name);
    Data {
        physical: value("size").or_else(|| value("bytes")).and_then(Value::size),
        logical: value("logical").and_then(Value::size),
        items: value("items").and_then(Value::count),
    }
}

/// Files, folders and symbolic links that a tracker line counts.
fn items_by_kind(row: &Row, values: &Values<'_>) -> Option<u64> {
    ["files", "folders", "symlinks"]
        .into_iter()
        .try_fold(0_u64, |sum, name| sum.checked_add(row.template.value(values, name).and_then(Value::count)?))
}

fn forecast(row: &Row, values: &Values<'_>) -> Data {
    let value = |name| row.template.value(values, name);
    Data {
        physical: value("estimate").and_then(Value::size).map(|size| Amount { bound: Bound::Estimate, ..size }),
        logical: None,
        items: value("estimated_items").and_then(Value::count),
    }
}

fn minutes(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(decimal(text)? * 60.0).ok()
}

/// Reads a number with a point or, in some locales, a comma.
fn decimal(text: &str) -> Option<f64> {
    text.replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// What the folder of a whole volume holds so far; folders below it say nothing of the backup.
fn completion_date(row: &Row, values: &Values<'_>) -> Option<Data> {
    let text = |name| row.template.value(values, name).and_then(Value::text);
    let made = folder::find(text("path")?)?;
    if text("attribute") != Some(COMPLETION_DATE) || !made.is_of_volume {
        return None;
    }
    let mut fields = text("value")?.split(',').skip(2);
    let logical = fields.next()?.parse().ok().map(Amount::at_least);
    let physical = fields.next()?.parse().ok().map(Amount::at_least);
    Some(Data { physical, logical, items: fields.next()?.parse().ok() })
}

/// The stamp of a backup by its name or its path: `2026-08-14-091233` or `/Volumes/Disk/2026-08-14-091233.backup`.
fn stamp_of(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let stamp = name.strip_suffix(".backup").unwrap_or(name);
    is_stamp(stamp).then_some(stamp)
}

/// A running total is a lower bound. Its precision stays, since it may have been rounded up.
fn lower_bound(data: Data) -> Data {
    let bound = |amount: Amount| Amount { bound: Bound::AtLeast, ..amount };
    Data { physical: data.physical.map(bound), logical: data.logical.map(bound), ..data }
}

fn destination(row: &Row, values: &Values<'_>) -> Destination {
    let text = |name| row.template.value(values, name).and_then(Value::text);
    let mount_point = text("mount_point");
    Destination {
        id: text("destination_id").map(str::to_ascii_uppercase),
        name: text("destination_name").map(str::to_owned),
        kind: row.link.or_else(|| mount_point.and_then(kind_by_path)),
        mount_point: mount_point.map(str::to_owned),
        url: text("url").map(without_user),
        bsd_name: text("device").map(|device| device.trim_start_matches("/dev/").to_owned()),
        ..Destination::default()
    }
}

/// Shares are mounted below `/Volumes/.timemachine/HOST`; below a UUID in the same folder lie snapshots of any destination.
fn kind_by_path(path: &str) -> Option<DestinationKind> {
    let host = path.strip_prefix("/Volumes/.timemachine/")?.split('/').next()?;
    (!host.is_empty() && !is_uuid(host)).then_some(DestinationKind::Network)
}

#[cfg(test)]
mod tests;
