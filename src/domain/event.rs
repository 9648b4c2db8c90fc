//! What one message of backupd means.

use std::time::Duration;

use chrono::NaiveDateTime;

use super::backup::DestinationTest;
use super::destination::Destination;
use super::phase::Phase;
use super::units::Amount;

/// Who or what asked for a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A person or a program.
    Manual,
    /// macOS's own schedule.
    Automatic,
}

/// A code with which backupd ends a backup, as far as it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultCode {
    /// The number, such as 26.
    pub code: Option<i64>,
    /// The name, such as `BACKUP_FAILED_DISCONNECTED_NETWORK`.
    pub name: Option<String>,
}

/// What a message says of data: any part may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Allocated bytes (`p:`), what counts as copied.
    pub physical: Option<Amount>,
    /// Lengths of the files (`l:`).
    pub logical: Option<Amount>,
    /// Files, folders and links.
    pub items: Option<u64>,
}

/// The meaning of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// A backup was asked for; the start follows.
    Requested,
    /// A backup begins.
    Started(Option<Trigger>),
    /// A check of old backups begins, not a backup.
    HealthCheckStarted,
    /// Something about the destination became known.
    Destination,
    /// One volume's copy begins.
    CopyStarted,
    /// A running total of this copy; never more than a lower bound.
    Progress(Data),
    /// A pass over the volumes begins; one backup may make several.
    PassStarted,
    /// What one pass over one volume copied; such figures add up.
    VolumeCopied(Data),
    /// What a pass has copied by now, earlier volumes of it included; only the last of a pass counts.
    PassCopied(Data),
    /// What backupd expects to copy.
    Estimate {
        /// The forecast.
        data: Data,
        /// For all volumes together, or for one of them.
        whole: bool,
    },
    /// Apple's own probe of the destination, made before copying.
    DestinationTest(DestinationTest),
    /// How long copying took, by backupd's own count.
    CopyTime(Duration),
    /// The closing record: exact bytes of the whole backup.
    Result(Data),
    /// The backup succeeded.
    Completed {
        /// The name of the backup on the destination, such as `2026-08-14-091233`.
        stamp: Option<String>,
        /// Its data, where the line tells them.
        data: Data,
        /// Whether in this release the line comes after the removal of old backups.
        after_thinning: bool,
    },
    /// The backup failed.
    Failed(ResultCode),
    /// Why a failure is about to follow.
    FailureCause(ResultCode),
    /// A cancel was asked for.
    CancelRequested,
    /// The backup was cancelled.
    Cancelled(ResultCode),
    /// The backup was put off or skipped; nothing was backed up.
    Deferred(ResultCode),
    /// The removal of old backups begins.
    ThinningStarted,
    /// backupd is in a phase; nothing more.
    PhaseOnly,
    /// The log itself says that lines were lost.
    LinesDropped,
}

impl Meaning {
    /// Whether backupd judges a backup with it.
    pub fn is_verdict(&self) -> bool {
        matches!(self, Self::Completed { .. } | Self::Failed(_) | Self::Cancelled(_) | Self::Deferred(_))
    }
}

/// One message understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What it means.
    pub meaning: Meaning,
    /// The phase it opens, by the message table; used where no status tells the phase.
    pub phase: Option<Phase>,
    /// What it says of the destination.
    pub destination: Destination,
    /// The local time in the name of the folder that is written (`2026-08-14-091233.inprogress`): when that was made, which
    /// is after mounting.
    pub folder: Option<NaiveDateTime>,
    /// Whether only a first backup says it.
    pub first: bool,
    /// Whether it bears the marks of Mac OS X 10.5, whose sizes are binary.
    pub binary_sizes: bool,
}

impl Event {
    /// An event that says nothing beyond its meaning.
    pub fn new(meaning: Meaning) -> Self {
        Self {
            meaning,
            phase: None,
            destination: Destination::default(),
            folder: None,
            first: false,
            binary_sizes: false,
        }
    }
}
