//! What one stream of observations says of one backup, before it is reconciled with others.

use std::time::Duration;

use super::backup::{DestinationTest, Outcome, PhaseSpan, Point, Source, Stall, Warning};
use super::destination::Destination;
use super::event::{ResultCode, Trigger};
use super::time::Moment;
use super::units::Amount;

/// A statement about the bytes copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// How good the statement is.
    pub grade: Grade,
    /// The bytes.
    pub amount: Amount,
    /// Who says so.
    pub source: Source,
}

/// How good a statement about the bytes copied is, best first (docs/design.md gives the evidence).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// backupd's closing counter, `SnapshotTotalBytesCopied`.
    ClosingCounter,
    /// The status counter, once it stood still.
    SettledCounter,
    /// What the passes over the volumes copied, added up.
    VolumeSum,
    /// The size in the verdict.
    Verdict,
    /// A running total.
    Running,
    /// A forecast.
    Forecast,
}

/// A reading of one backup.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Who asked for it.
    pub trigger: Option<Trigger>,
    /// Whether it was the first to its destination.
    pub first: Option<bool>,
    /// Where it went.
    pub destination: Destination,
    /// When it began, and who says so.
    pub started: Option<(Moment, Source)>,
    /// When it ended, and who says so.
    pub ended: Option<(Moment, Source)>,
    /// The last moment at which anything was seen of it.
    pub last_seen: Moment,
    /// Its phases in order.
    pub phases: Vec<PhaseSpan>,
    /// Who tells the phases.
    pub phases_source: Source,
    /// The time in Copying up to the end.
    pub copy_duration: Option<Duration>,
    /// Statements about the bytes.
    pub claims: Vec<Claim>,
    /// Lengths of the files.
    pub logical_bytes: Option<u64>,
    /// Items copied, and who says so.
    pub items: Option<(u64, Source)>,
    /// How it ended, and who says so.
    pub outcome: (Outcome, Option<Source>),
    /// The code of a failure, of its cause, of a cancel or deferral.
    pub code: Option<ResultCode>,
    /// Apple's probe of the destination.
    pub destination_test: Option<DestinationTest>,
    /// Stalls, if a status was there to see them.
    pub stalls: Option<Vec<Stall>>,
    /// The progress over time, if there was a status.
    pub points: Option<Vec<(Moment, Point)>>,
    /// What a reader should know.
    pub warnings: Vec<Warning>,
}

impl Reading {
    /// The best claim about the bytes.
    pub fn best_claim(&self) -> Option<&Claim> {
        self.claims.iter().min_by_key(|claim| claim.grade)
    }
}
