//! A backup as one row of a CSV.
//!
//! A column's name is the dotted path of its value in the JSON. Arrays have no place in a row: of interfaces and warnings
//! the fields listed here are joined by `;`, in the order of the array; phases, stalls, samples and sources stay in JSON.
//! What is unknown is empty. Cells are written as they are, with the csv crate's quotes and no other protection.

use std::io;

use serde::Serialize;
use serde_json::Value;

use super::backup::BackupJson;
use super::destination::{DestinationRow, ExplainedRow};
use crate::domain::backup::Backup;

/// Every column, in order.
pub const COLUMNS: &[&str] = &[
    "schema",
    "id",
    "host",
    "trigger",
    "first",
    "destination.id",
    "destination.name",
    "destination.kind",
    "destination.mount_point",
    "destination.url",
    "destination.bsd_name",
    "interfaces.key",
    "interfaces.negotiated_bps",
    "interfaces.practical_bps",
    "interfaces.device",
    "interfaces.seen",
    "interfaces.kind_confidence",
    "interfaces.rate_confidence",
    "started_at",
    "ended_at",
    "started_local",
    "ended_local",
    "duration_s",
    "copy_duration_s",
    "asleep_s",
    "copied.bytes",
    "copied.bound",
    "copied.precision_bytes",
    "copied.logical_bytes",
    "copied.items",
    "outcome",
    "failure.code",
    "failure.name",
    "failure.message",
    "throughput.effective_bps",
    "throughput.copy_bps",
    "throughput.of_negotiated",
    "throughput.of_practical",
    "destination_test.large_file_bps",
    "destination_test.small_files_bps",
    "attempts.attempt",
    "attempts.attempts",
    "attempts.copied_bytes_at_least",
    "attempts.copied_bytes_at_most",
    "attempts.wall_s",
    "attempts.busy_s",
    "conditions.macos",
    "conditions.build",
    "conditions.power",
    "conditions.throttled",
    "conditions.encrypted",
    "conditions.file_system",
    "conditions.free_bytes",
    "machine.model",
    "machine.chip",
    "machine.memory_bytes",
    "machine.source_disk",
    "observed.from",
    "observed.until",
    "observed.complete",
    "observed.by",
    "warnings.code",
];

/// Writes backups as CSV, a header first.
pub fn write(backups: &[Backup], out: &mut dyn io::Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(COLUMNS).map_err(io_error)?;
    for backup in backups {
        csv.write_record(row(backup)?).map_err(io_error)?;
    }
    csv.flush()
}

/// The columns of a destination.
pub const DESTINATION_COLUMNS: &[&str] = &[
    "id",
    "name",
    "kind",
    "mount_point",
    "url",
    "bsd_name",
    "quota_bytes",
    "last_used",
    "interfaces.key",
    "interfaces.negotiated_bps",
    "interfaces.port_max_bps",
    "interfaces.practical_bps",
    "interfaces.device",
    "interfaces.vendor",
    "interfaces.bsd_name",
    "interfaces.transport",
    "interfaces.seen",
    "interfaces.kind_confidence",
    "interfaces.rate_confidence",
];

/// The columns of a saved answer.
pub const EXPLAINED_COLUMNS: &[&str] = &[
    "file",
    "tool",
    "interfaces.key",
    "interfaces.negotiated_bps",
    "interfaces.practical_bps",
    "interfaces.device",
    "interfaces.vendor",
    "interfaces.bsd_name",
    "interfaces.kind_confidence",
    "interfaces.rate_confidence",
    "notes",
];

/// Writes destinations as CSV, a header first.
pub fn write_destinations(rows: &[DestinationRow], out: &mut dyn io::Write) -> io::Result<()> {
    write_rows(DESTINATION_COLUMNS, rows, out)
}

/// Writes what saved answers say as CSV, a header first.
pub fn write_explained(rows: &[ExplainedRow], out: &mut dyn io::Write) -> io::Result<()> {
    write_rows(EXPLAINED_COLUMNS, rows, out)
}

fn write_rows(columns: &[&str], rows: &[impl Serialize], out: &mut dyn io::Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(columns).map_err(io_error)?;
    for row in rows {
        let json = serde_json::to_value(row)?;
        csv.write_record(columns.iter().map(|path| cell(&json, path))).map_err(io_error)?;
    }
    csv.flush()
}

fn row(backup: &Backup) -> io::Result<Vec<String>> {
    let json = serde_json::to_value(BackupJson::from(backup))?;
    Ok(COLUMNS.iter().map(|path| cell(&json, path)).collect())
}

fn cell(value: &Value, path: &str) -> String {
    let (head, tail) = path.split_once('.').unwrap_or((path, ""));
    match value {
        Value::Array(elements) => elements.iter().map(|element| cell(element, path)).collect::<Vec<_>>().join(";"),
        Value::Object(object) => object.get(head).map_or_else(String::new, |value| cell(value, tail)),
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        number_or_truth => number_or_truth.to_string(),
    }
}

/// Keeps what kind of failure it was, so that a broken pipe is still known as one.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::examples;

    fn scalars(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    scalars(value, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, found);
                }
            }
            Value::Array(_) => {}
            _ => found.push(path.to_owned()),
        }
    }

    #[test]
    fn every_scalar_has_a_column_and_no_column_is_without_a_value() {
        let json = serde_json::to_value(BackupJson::from(&examples::full())).unwrap();
        let mut found = Vec::new();
        scalars(&json, "", &mut found);
        found.retain(|path| path != "type" && !path.starts_with("sources."));
        let columns: Vec<_> =
            COLUMNS.iter().copied().filter(|c| !c.starts_with("interfaces.") && !c.starts_with("warnings.")).collect();
        assert_eq!(found, columns);
        for column in COLUMNS {
            // A time has an offset or has none.
            assert_eq!(cell(&json, column).is_empty(), column.ends_with("_local"), "{column}");
        }
    }

    #[test]
    fn names_are_quoted_and_unknown_is_empty() {
        let mut backup = examples::unknown();
        backup.destination.name = Some("a, \"b\"\nc".to_owned());
        backup.links = vec![examples::usb3(), examples::usb3()];
        let mut out = Vec::new();
        write(&[backup], &mut out).unwrap();
        let mut reader = csv::Reader::from_reader(out.as_slice());
        assert_eq!(reader.headers().unwrap(), COLUMNS);
        let row = reader.records().next().unwrap().unwrap();
        let value = |name| &row[COLUMNS.iter().position(|column| *column == name).unwrap()];
        assert_eq!(value("destination.name"), "a, \"b\"\nc");
        assert_eq!(value("interfaces.key"), "usb-3.2-gen-1;usb-3.2-gen-1");
        assert_eq!(value("copied.bytes"), "");
        assert_eq!(value("observed.from"), "");
    }
}
