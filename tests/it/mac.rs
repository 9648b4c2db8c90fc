//! What Apple's tools print on an invented Mac, and recordings made of it.

use std::fmt::Write as _;
use std::fs;

use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The usual destination, and another one.
pub(crate) const QUARRY: &str = "E13461ED-5D1B-5AC9-AC90-AAE205B22692";
pub(crate) const ANVIL: &str = "C6477613-03D5-5851-BCB1-AE4B95C7DDE8";

/// The first words of `log stream`.
pub(crate) const PREAMBLE: &str = "Filtering the log data using \"subsystem == \"com.apple.TimeMachine\"\"";

fn plist(body: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n{body}</dict>\n</plist>\n")
}

fn key(name: &str, kind: &str, value: &str) -> String {
    format!("<key>{name}</key><{kind}>{value}</{kind}>\n")
}

/// `tmutil destinationinfo -X` of local disks: name, ID and mount point of each.
pub(crate) fn destinations(disks: &[(&str, &str, &str)]) -> String {
    let mut list = String::new();
    for (name, id, mount_point) in disks {
        let mount_point = if mount_point.is_empty() { String::new() } else { key("MountPoint", "string", mount_point) };
        let disk = [key("ID", "string", id), key("Kind", "string", "Local"), key("Name", "string", name), mount_point];
        let _ = writeln!(list, "<dict>{}</dict>", disk.concat());
    }
    plist(&key("Destinations", "array", &list))
}

/// The usual one alone.
pub(crate) fn quarry() -> String {
    destinations(&[("Quarry", QUARRY, "/Volumes/Quarry")])
}

/// A status of macOS 13.
#[derive(Clone, Default)]
pub(crate) struct Status {
    pub(crate) phase: &'static str,
    pub(crate) id: &'static str,
    pub(crate) mount_point: &'static str,
    pub(crate) first: bool,
    /// Bytes and items.
    pub(crate) copied: Option<(u64, u64)>,
}

impl Status {
    pub(crate) fn text(&self) -> String {
        let mut body = String::new();
        let mut word = |name: &str, value: &str| {
            if !value.is_empty() {
                body.push_str(&key(name, "string", value));
            }
        };
        word("BackupPhase", self.phase);
        word("ClientID", "com.apple.backupd");
        word("DestinationID", self.id);
        word("DestinationMountPoint", self.mount_point);
        if self.first {
            body.push_str("<key>FirstBackup</key><true/>\n");
        }
        if let Some((bytes, items)) = self.copied {
            let figures = [("bytes", bytes), ("files", items), ("totalBytes", 9_000_000_000), ("totalFiles", 90_000)];
            let figures = figures.map(|(name, value)| key(name, "integer", &value.to_string()));
            body.push_str(&key("Progress", "dict", &format!("{}<key>Percent</key><real>0.5</real>", figures.concat())));
        }
        let running = if self.phase.is_empty() { "<false/>" } else { "<true/>" };
        let _ = writeln!(body, "<key>Running</key>{running}");
        plist(&body)
    }
}

/// No backup runs.
pub(crate) fn idle() -> String {
    Status::default().text()
}

/// A phase on the way to Quarry.
pub(crate) fn phase(phase: &'static str) -> String {
    Status { phase, id: QUARRY, mount_point: "/Volumes/Quarry", ..Status::default() }.text()
}

/// Copying to Quarry: so many megabytes so far.
pub(crate) fn copying(megabytes: u64) -> String {
    copying_to(QUARRY, "/Volumes/Quarry", megabytes)
}

/// Copying to any destination.
pub(crate) fn copying_to(id: &'static str, mount_point: &'static str, megabytes: u64) -> String {
    let copied = Some((megabytes * 1_000_000, megabytes * 10));
    Status { phase: "Copying", id, mount_point, copied, ..Status::default() }.text()
}

/// A line of `log stream --style ndjson`; `at` as it stands in the log.
pub(crate) fn log_line(at: &str, message: &str) -> String {
    json!({
        "timestamp": at,
        "eventMessage": message,
        "subsystem": "com.apple.TimeMachine",
        "category": "BackupDispatching",
        "processImagePath": "/System/Library/CoreServices/TimeMachine/backupd",
        "processID": 412,
    })
    .to_string()
}

/// The statistics that name the exact bytes of a backup.
pub(crate) fn result(bytes: u64) -> String {
    format!("Backup result: {{\n    \"com.apple.backupd.SnapshotTotalBytesCopied\" = {bytes};\n}}")
}

/// A recording in the making: what was asked and heard, in order of time.
pub(crate) struct Recorded {
    start: DateTime<FixedOffset>,
    lines: Vec<(f64, Value)>,
}

impl Recorded {
    /// A Mac of macOS 13.2 with one destination and no backup running.
    pub(crate) fn new() -> Self {
        Self::with(&quarry(), "13.2").status(0.1, &idle())
    }

    /// A Mac with these destinations and this macOS; its status is still to be told.
    pub(crate) fn with(destinations: &str, macos: &str) -> Self {
        let start = DateTime::parse_from_rfc3339("2026-03-14T09:00:00+01:00").unwrap();
        let versions = format!("ProductName:\t\tmacOS\nProductVersion:\t\t{macos}\nBuildVersion:\t\t22D68\n");
        Self { start, lines: Vec::new() }.call(0.0, &["tmutil", "destinationinfo", "-X"], destinations).call(
            0.2,
            &["sw_vers"],
            &versions,
        )
    }

    /// An answer.
    pub(crate) fn call(self, t: f64, words: &[&str], stdout: &str) -> Self {
        let (tool, args) = words.split_first().unwrap();
        self.line(t, json!({ "tool": tool, "args": args, "took": 0.01, "exit": 0, "stdout": stdout, "stderr": "" }))
    }

    /// An answer of `tmutil status -X`.
    pub(crate) fn status(self, t: f64, text: &str) -> Self {
        self.call(t, &["tmutil", "status", "-X"], text)
    }

    /// The first words of the log, and the start command after them.
    pub(crate) fn started(self, t: f64) -> Self {
        self.line(t - 0.2, json!({ "log": PREAMBLE })).call(t, &["tmutil", "startbackup"], "")
    }

    /// A message of backupd.
    pub(crate) fn log(self, t: f64, message: &str) -> Self {
        let at = self.start + TimeDelta::from_std(std::time::Duration::from_secs_f64(t)).unwrap();
        let line = log_line(&at.format("%Y-%m-%d %H:%M:%S%.6f%z").to_string(), message);
        self.line(t, json!({ "log": line }))
    }

    /// Any line.
    pub(crate) fn line(mut self, t: f64, mut line: Value) -> Self {
        line["t"] = json!(t);
        self.lines.push((t, line));
        self
    }

    /// A whole backup to Quarry that is asked for at `t` and takes a minute: a gigabyte.
    pub(crate) fn backup(self, t: f64) -> Self {
        self.started(t)
            .log(t + 0.2, "Starting manual backup")
            .status(t + 1.0, &phase("Starting"))
            .backup_from_copying(t)
    }

    /// The same from its copying on.
    pub(crate) fn backup_from_copying(self, t: f64) -> Self {
        self.status(t + 10.0, &copying(100))
            .status(t + 30.0, &copying(1000))
            .status(t + 40.0, &copying(1000))
            .status(t + 41.0, &phase("Finishing"))
            .log(t + 59.0, &result(1_000_000_000))
            .log(t + 60.0, "Completed backup: 2026-03-14-090100.backup")
            .status(t + 61.0, &idle())
    }

    /// Writes it.
    pub(crate) fn write(mut self) -> TempDir {
        let folder = TempDir::new().unwrap();
        self.lines.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let calls = self.lines.iter().map(|(_, line)| format!("{line}\n")).collect::<Vec<_>>().concat();
        fs::write(folder.path().join("calls.ndjson"), calls).unwrap();
        let start = self.start.to_rfc3339();
        let header = format!(
            "schema = 1\ntitle = \"a test\"\nkind = \"invented\"\nstart = \"{start}\"\ntime_zone = \"Europe/Zurich\"\n"
        );
        fs::write(folder.path().join("recording.toml"), header).unwrap();
        folder
    }
}
