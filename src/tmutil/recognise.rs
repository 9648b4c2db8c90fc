//! Which output of `tmutil` a file holds. Strict: a text that fits nothing stays unknown.

use super::destinations::parse_destinations;
use crate::apple::property_list::{self, ReadError, STATUS_HEADER};
use crate::apple::value::Value;
use crate::domain::phase::{Phase, Stage};

/// An output of `tmutil`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// `status`, whole or cut.
    Status,
    /// `destinationinfo`.
    Destinations,
    /// `currentphase`; `None` at idle.
    CurrentPhase(Option<Phase>),
    /// `version`: its first line.
    Version(String),
    /// What `startbackup --block` prints at its end.
    StartbackupSummary(Summary),
    /// Paths of backups, from `latestbackup` or `listbackups`.
    PathList(Vec<String>),
    /// `isexcluded`.
    Isexcluded,
    /// A verb about local snapshots.
    LocalSnapshots,
    /// A verb that asks for Full Disk Access.
    FdaError {
        /// The verb.
        verb: String,
    },
    /// Another complaint of `tmutil`; says what it means.
    Error(&'static str),
}

/// The summary of `startbackup --block`. Its `MB` are MiB (72704000 bytes are printed as 69.34 MB) and its speed is per
/// minute, so only the bytes are taken. All nought is printed too for a backup that was skipped or stopped, and was seen once
/// after 23 MiB had been copied: it proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Bytes copied.
    pub bytes: u64,
    /// Bytes per second over a time that is not told.
    pub bytes_per_second: u64,
}

impl Output {
    /// What it is, in words that follow "this is".
    pub fn describe(&self) -> String {
        match self {
            Self::Status => "a status of Time Machine (tmutil status)".to_owned(),
            Self::Destinations => "a list of destinations (tmutil destinationinfo)".to_owned(),
            Self::CurrentPhase(None) => "the phase of an idle Time Machine (tmutil currentphase)".to_owned(),
            Self::CurrentPhase(Some(phase)) => format!("the phase of a backup (tmutil currentphase): {phase}"),
            Self::Version(_) => "the version of tmutil (tmutil version)".to_owned(),
            Self::StartbackupSummary(_) => "the summary of tmutil startbackup --block".to_owned(),
            Self::PathList(paths) if paths.len() == 1 => "the path of a backup (tmutil latestbackup)".to_owned(),
            Self::PathList(_) => "a list of backups (tmutil listbackups)".to_owned(),
            Self::Isexcluded => "a list of excluded paths (tmutil isexcluded)".to_owned(),
            Self::LocalSnapshots => "local snapshots (tmutil listlocalsnapshots)".to_owned(),
            Self::FdaError { verb } => format!("a complaint of tmutil: {verb} requires Full Disk Access"),
            Self::Error(meaning) => format!("a complaint of tmutil: {meaning}"),
        }
    }
}

/// Says which output of `tmutil` this is, if any.
pub fn recognise(bytes: &[u8]) -> Option<Output> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some(output) = property_list(bytes) {
        return Some(output);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let first = *lines.first()?;
    complaint(first)
        .or_else(|| one_line(&lines))
        .or_else(|| summary(&lines).map(Output::StartbackupSummary))
        .or_else(|| marked_paths(&lines))
        .or_else(|| local_snapshots(&lines))
        .or_else(|| paths(&lines))
        .or_else(|| (has_rule(&lines) && parse_destinations(bytes).is_ok()).then_some(Output::Destinations))
}

fn property_list(bytes: &[u8]) -> Option<Output> {
    let headed = bytes.trim_ascii_start().starts_with(STATUS_HEADER.as_bytes());
    match property_list::read(bytes) {
        Ok(list) if headed || is_status(&list) => Some(Output::Status),
        Ok(list) if is_exclusions(&list) => Some(Output::Isexcluded),
        Ok(list) if list.get("Destinations").and_then(Value::as_array).is_some_and(are_destinations) => {
            Some(Output::Destinations)
        }
        // What `destinationinfo -X` prints on a Mac without any.
        Ok(Value::Dict(entries)) if entries.is_empty() => Some(Output::Destinations),
        Err(ReadError::Cut { partial, .. }) if headed || partial.as_ref().is_some_and(is_status) => {
            Some(Output::Status)
        }
        _ => None,
    }
}

/// The record that backupd logs at the end of a backup has the same keys and some more.
fn is_status(list: &Value) -> bool {
    let has = |key: &str| list.get(key).is_some();
    let is_record = has("BackupStrategy") || has("BytesToCopy") || has("com.apple.backupd.SnapshotTotalBytesCopied");
    let by_backupd = list.get("ClientID").and_then(Value::as_str).is_some_and(|id| id.starts_with("com.apple.backupd"));
    let running = list.get("Running").is_some_and(|running| running.as_bool().is_some());
    !is_record && (has("BackupPhase") && (running || by_backupd) || running && (by_backupd || has("Percent")))
}

fn are_destinations(destinations: &[Value]) -> bool {
    // The preferences have `Destinations` too, with other keys.
    destinations.iter().all(|d| d.get("Kind").is_some() && (d.get("ID").is_some() || d.get("DestinationID").is_some()))
}

fn is_exclusions(list: &Value) -> bool {
    list.as_array().is_some_and(|entries| {
        !entries.is_empty() && entries.iter().all(|e| e.get("Path").is_some() && e.get("IsExcluded").is_some())
    })
}

/// How complaints begin, and what they mean. Wording from captures of 10.8 to 26.
const COMPLAINTS: &[(&str, &str)] = &[
    ("Failed to mount backup destination, error:", "the destination could not be mounted"),
    ("Failed to find any backups", "no backup of this Mac was found"),
    ("No machine directory found for host.", "the destination holds no backup of this Mac, or is not mounted"),
    ("Unable to locate machine directory for host.", "the destination holds no backup of this Mac, or is not mounted"),
    ("Unable to locate latest snapshot for host.", "the destination holds no finished backup of this Mac"),
    ("No backups found for host.", "the destination holds no backup of this Mac"),
    ("Must specify at least one item inside a backup.", "compare was given no path inside a backup"),
    ("help: Unrecognized verb.", "it has no help for this verb"),
];

fn complaint(first: &str) -> Option<Output> {
    let line = first.trim_start_matches("tmutil: ");
    let single = |verb: &str| verb.bytes().all(|b| b.is_ascii_lowercase()) && !verb.is_empty();
    if let Some(verb) = line.strip_suffix(" requires Full Disk Access privileges.").filter(|verb| single(verb)) {
        return Some(Output::FdaError { verb: verb.to_owned() });
    }
    if line.strip_suffix(" requires root privileges.").is_some_and(single) {
        return Some(Output::Error("it requires root privileges"));
    }
    if line.contains(": Error (") && line.ends_with(") while attempting to change exclusion setting.") {
        return Some(Output::Error("an exclusion could not be changed"));
    }
    if line == "No destinations configured." {
        return Some(Output::Destinations);
    }
    COMPLAINTS.iter().find(|(begin, _)| line.starts_with(begin)).map(|(_, meaning)| Output::Error(meaning))
}

fn one_line(lines: &[&str]) -> Option<Output> {
    let [line] = *lines else { return None };
    if line == "BackupNotRunning" {
        return Some(Output::CurrentPhase(None));
    }
    if line.starts_with("tmutil version ") && line.contains("(built ") {
        return Some(Output::Version(line.to_owned()));
    }
    let phase = Phase::new(line);
    (phase.stage() != Stage::Unknown).then_some(Output::CurrentPhase(Some(phase)))
}

/// Finds the last two lines of `startbackup --block`; other lines may stand before them.
fn summary(lines: &[&str]) -> Option<Summary> {
    let number = |label: &str, unit: &str| {
        let line = lines.iter().rev().find_map(|line| line.strip_prefix(label))?;
        line.trim_end().strip_suffix(unit)?.rsplit_once('(')?.1.trim().parse().ok()
    };
    Some(Summary { bytes: number("Total copied:", "bytes)")?, bytes_per_second: number("Avg speed:", "bytes/sec)")? })
}

fn marked_paths(lines: &[&str]) -> Option<Output> {
    let marked = |line: &&str| {
        ["[Included]", "[Excluded]", "[Unknown]"]
            .iter()
            .any(|mark| line.strip_prefix(mark).is_some_and(|path| path.trim_start().starts_with('/')))
    };
    lines.iter().all(marked).then_some(Output::Isexcluded)
}

fn local_snapshots(lines: &[&str]) -> Option<Output> {
    const HEADERS: &[&str] = &["Snapshots for ", "Snapshot dates for "];
    const NOTES: &[&str] = &["NOTE: local snapshots are considered purgeable"];
    let done = |line: &str| {
        line.strip_prefix("Created local snapshot with date: ").is_some_and(is_stamp)
            || line
                .strip_prefix("Deleted local snapshot '")
                .and_then(|rest| rest.strip_suffix('\''))
                .is_some_and(is_stamp)
    };
    let named = |line: &str| {
        line.strip_prefix("com.apple.TimeMachine.")
            .is_some_and(|rest| is_stamp(rest.strip_suffix(".local").unwrap_or(rest)))
    };
    let headed = lines.first().is_some_and(|line| HEADERS.iter().any(|h| line.starts_with(h) && line.ends_with(':')));
    let body = &lines[usize::from(headed)..];
    let fits = |line: &&str| {
        done(line) || named(line) || headed && is_stamp(line) || NOTES.iter().any(|note| line.starts_with(note))
    };
    (body.iter().all(fits) && (headed || body.iter().any(|line| done(line) || named(line))))
        .then_some(Output::LocalSnapshots)
}

/// Paths whose last part is the stamp of a backup. A stamp alone is a path only with `.backup` behind it.
fn paths(lines: &[&str]) -> Option<Output> {
    let is_path = |line: &&str| {
        let (folder, name) = line.rsplit_once('/').map_or((None, *line), |(folder, name)| (Some(folder), name));
        if let Some(stamp) = name.strip_suffix(".backup") {
            return is_stamp(stamp);
        }
        let stamp = name.strip_suffix(".inProgress").or_else(|| name.strip_suffix(".inprogress")).unwrap_or(name);
        folder.is_some() && is_stamp(stamp)
    };
    lines.iter().all(is_path).then(|| Output::PathList(lines.iter().map(|&line| line.to_owned()).collect()))
}

/// Whether this is `2020-05-14-104500`.
fn is_stamp(text: &str) -> bool {
    text.len() == 17
        && text.bytes().enumerate().all(|(i, b)| if matches!(i, 4 | 7 | 10) { b == b'-' } else { b.is_ascii_digit() })
}

fn has_rule(lines: &[&str]) -> bool {
    lines.first().is_some_and(|line| {
        let rule = line.strip_prefix("> ").unwrap_or(line);
        rule.len() >= 20 && rule.bytes().all(|b| b == b'=')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Option<Output> {
        recognise(text.as_bytes())
    }

    #[test]
    fn each_output_is_named() {
        let rule = "=".repeat(52);
        for (text, what) in [
            ("{ ClientID = \"com.apple.backupd\"; Running = 0; }", "a status of Time Machine (tmutil status)"),
            ("Backup session status:\n{\n  BackupPh", "a status of Time Machine (tmutil status)"),
            ("tmutil: No destinations configured.\n", "a list of destinations (tmutil destinationinfo)"),
            ("<?xml version=\"1.0\"?><plist><dict/></plist>", "a list of destinations (tmutil destinationinfo)"),
            (&format!("{rule}\nName : A\nID : 1B\n"), "a list of destinations (tmutil destinationinfo)"),
            ("BackupNotRunning", "the phase of an idle Time Machine (tmutil currentphase)"),
            ("Copying\n", "the phase of a backup (tmutil currentphase): Copying"),
            ("tmutil version 4.0.0 (built Jan  1 2024)", "the version of tmutil (tmutil version)"),
            ("[Included]  /a\n[Excluded] /b\n", "a list of excluded paths (tmutil isexcluded)"),
            ("Snapshot dates for all disks:\n2024-05-06-070809\n", "local snapshots (tmutil listlocalsnapshots)"),
            ("com.apple.TimeMachine.2024-05-06-070809.local", "local snapshots (tmutil listlocalsnapshots)"),
            ("Created local snapshot with date: 2024-05-06-070809", "local snapshots (tmutil listlocalsnapshots)"),
            ("/Volumes/A/Backups.backupdb/mac/2011-08-26-104514\n", "the path of a backup (tmutil latestbackup)"),
            ("2022-01-02-030405.backup\nVolumes/A/2022-01-02-040506.backup", "a list of backups (tmutil listbackups)"),
            (
                "tmutil: disable requires Full Disk Access privileges.\nTo allow",
                "a complaint of tmutil: disable requires Full Disk Access",
            ),
            ("tmutil: disable requires root privileges.", "a complaint of tmutil: it requires root privileges"),
            ("No backups found for host.", "a complaint of tmutil: the destination holds no backup of this Mac"),
            (
                "/a/b: Error (-43) while attempting to change exclusion setting.",
                "a complaint of tmutil: an exclusion could not be changed",
            ),
        ] {
            assert_eq!(of(text).map(|output| output.describe()).as_deref(), Some(what), "{text}");
        }
    }

    #[test]
    fn the_summary_counts_bytes() {
        let text = "Total copied: 10.00 MB (10485760 bytes)\nAvg speed:    60.00 MB/min (1048576 bytes/sec)\n";
        let summary = Summary { bytes: 10_485_760, bytes_per_second: 1_048_576 };
        assert_eq!(of(text), Some(Output::StartbackupSummary(summary)));
        assert_eq!(of("Total copied: 10.00 MB (10485760 bytes)\n"), None);
    }

    #[test]
    fn what_fits_nothing_stays_unknown() {
        for text in [
            "",
            "\n",
            "hello",
            "2024-05-06-070809",
            "/Users/anna/notes.txt",
            "{ Running = 1; Name = launchd; }",
            "{ BackupStrategy = 2; ClientID = \"com.apple.backupd\"; Running = 1; }",
            "{ Destinations = ( { DestinationID = 1B; RESULT = 0; } ); }",
            "[Included]  /a\nand more",
            "Copying\nCopying\n",
            "Snapshots of my holiday:\n2024-05-06-070809",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..120), text in any::<String>()) {
            _ = recognise(&bytes);
            _ = recognise(text.as_bytes());
        }
    }
}
