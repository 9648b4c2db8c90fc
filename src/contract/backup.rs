//! The record of a backup.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

use super::Invalid;
use super::destination::DestinationJson;
use super::link::InterfaceJson;
use super::number::Seconds;
use crate::domain::backup::Backup;

/// One backup, with its keys in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct BackupJson {
    #[serde(rename = "type")]
    pub kind: String,
    pub schema: u32,
    pub id: Option<String>,
    pub host: Option<String>,
    pub trigger: Option<String>,
    pub first: Option<bool>,
    pub destination: DestinationJson,
    pub interfaces: Vec<InterfaceJson>,
    pub started_at: Option<DateTime<FixedOffset>>,
    pub ended_at: Option<DateTime<FixedOffset>>,
    pub started_local: Option<String>,
    pub ended_local: Option<String>,
    pub duration_s: Option<Seconds>,
    pub copy_duration_s: Option<Seconds>,
    pub asleep_s: Option<Seconds>,
    pub phases: Vec<PhaseJson>,
    pub copied: CopiedJson,
    pub outcome: String,
    pub failure: Option<FailureJson>,
    pub throughput: ThroughputJson,
    pub destination_test: Option<DestinationTestJson>,
    pub stalls: Option<Vec<StallJson>>,
    pub attempts: Option<AttemptsJson>,
    pub conditions: ConditionsJson,
    pub machine: MachineJson,
    pub samples: Option<Vec<PointJson>>,
    pub observed: Option<ObservedJson>,
    pub sources: BTreeMap<String, String>,
    pub warnings: Vec<WarningJson>,
}

/// A row of `phases`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct PhaseJson {
    pub name: String,
    pub started_at: Option<DateTime<FixedOffset>>,
    pub duration_s: Option<Seconds>,
}

/// `copied`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct CopiedJson {
    pub bytes: Option<u64>,
    pub bound: Option<String>,
    pub precision_bytes: Option<u64>,
    pub logical_bytes: Option<u64>,
    pub items: Option<u64>,
}

/// `failure`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct FailureJson {
    pub code: Option<i64>,
    pub name: Option<String>,
    pub message: Option<String>,
}

/// `throughput`: computed from the rest, never read back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct ThroughputJson {
    pub effective_bps: Option<f64>,
    pub copy_bps: Option<f64>,
    pub of_negotiated: Option<f64>,
    pub of_practical: Option<f64>,
}

/// `destination_test`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct DestinationTestJson {
    pub large_file_bps: Option<f64>,
    pub small_files_bps: Option<f64>,
}

/// A row of `stalls`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct StallJson {
    pub started_at: Option<DateTime<FixedOffset>>,
    pub duration_s: Seconds,
    pub items_moved: Option<bool>,
}

/// `attempts`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct AttemptsJson {
    pub attempt: Option<u64>,
    pub attempts: Option<u64>,
    pub copied_bytes_at_least: Option<u64>,
    pub copied_bytes_at_most: Option<u64>,
    pub wall_s: Option<Seconds>,
    pub busy_s: Option<Seconds>,
}

/// `conditions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct ConditionsJson {
    pub macos: Option<String>,
    pub build: Option<String>,
    pub power: Option<String>,
    pub throttled: Option<bool>,
    pub encrypted: Option<bool>,
    pub file_system: Option<String>,
    pub free_bytes: Option<u64>,
}

/// `machine`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct MachineJson {
    pub model: Option<String>,
    pub chip: Option<String>,
    pub memory_bytes: Option<u64>,
    pub source_disk: Option<String>,
}

/// A row of `samples`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct PointJson {
    pub t: f64,
    pub phase: Option<String>,
    pub bytes: Option<u64>,
    pub items: Option<u64>,
    pub percent: Option<f64>,
}

/// `observed`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct ObservedJson {
    pub from: Option<DateTime<FixedOffset>>,
    pub until: Option<DateTime<FixedOffset>>,
    pub complete: bool,
    pub by: String,
}

/// A row of `warnings`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct WarningJson {
    pub code: String,
    pub field: Option<String>,
    pub message: String,
}

/// Reads one backup back from its JSON.
pub fn read(json: &str) -> Result<Backup, Invalid> {
    serde_json::from_str::<BackupJson>(json)?.try_into()
}

#[cfg(test)]
#[path = "backup_tests.rs"]
mod tests;
