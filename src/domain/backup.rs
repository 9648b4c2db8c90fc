//! The record of one backup: what all sources together say of it.
//!
//! Unknown is `None` throughout, never nought.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use chrono::{DateTime, FixedOffset};

use super::destination::Destination;
use super::event::Trigger;
use super::link::{Link, LinkKind};
use super::phase::Phase;
use super::time::{Moment, Wall};
use super::units::{Amount, BitRate};

/// How a backup ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Success.
    Completed,
    /// A verdict of failure.
    Failed,
    /// Stopped on request.
    Cancelled,
    /// Put off by macOS; nothing was backed up.
    Deferred,
    /// No end, and a later start, boot or leftover shows that there was none.
    Interrupted,
    /// Under way when last seen.
    Running,
    /// Ended, but nothing says how.
    Unknown,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: &[Self] = &[
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Deferred,
        Self::Interrupted,
        Self::Running,
        Self::Unknown,
    ];

    /// The word for it, in JSON and in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Deferred => "deferred",
            Self::Interrupted => "interrupted",
            Self::Running => "running",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Where a figure came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// backupd's log.
    Log,
    /// `tmutil status`.
    Status,
    /// The command that this program gave.
    Command,
    /// `backup_manifest.plist`.
    Manifest,
    /// Extended attributes of a backup.
    Xattr,
    /// A snapshot on the destination.
    Snapshot,
    /// Time Machine's preferences.
    Preferences,
    /// The power log.
    Power,
    /// The history.
    History,
    /// The user.
    User,
    /// The description of a recording.
    Recording,
}

impl Source {
    /// Every source.
    pub const ALL: &[Self] = &[
        Self::Log,
        Self::Status,
        Self::Command,
        Self::Manifest,
        Self::Xattr,
        Self::Snapshot,
        Self::Preferences,
        Self::Power,
        Self::History,
        Self::User,
        Self::Recording,
    ];

    /// The word for it, in JSON and in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Status => "status",
            Self::Command => "command",
            Self::Manifest => "manifest",
            Self::Xattr => "xattr",
            Self::Snapshot => "snapshot",
            Self::Preferences => "preferences",
            Self::Power => "power",
            Self::History => "history",
            Self::User => "user",
            Self::Recording => "recording",
        }
    }
}

/// Why a backup failed, was cancelled or put off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The result code.
    pub code: Option<i64>,
    /// backupd's name for it.
    pub name: Option<String>,
    /// What it means, in plain words.
    pub message: Option<String>,
}

/// A stretch of time in one phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseSpan {
    /// The phase.
    pub phase: Phase,
    /// When it was first seen.
    pub started: Moment,
    /// How long it lasted, as far as it was seen.
    pub duration: Option<Duration>,
}

/// A stretch of copying in which the byte counter stood still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    /// When the counter last moved.
    pub started: Moment,
    /// How long it stood.
    pub duration: Duration,
    /// Whether items went on meanwhile; `None` if items are not counted.
    pub items_moved: Option<bool>,
}

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Bytes written (physical).
    pub data: Option<Amount>,
    /// Lengths of the files.
    pub logical_bytes: Option<u64>,
    /// Files, folders and links.
    pub items: Option<u64>,
}

/// A point of the progress over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Seconds since the start of the backup, else since the observing began.
    pub t: f64,
    /// The phase.
    pub phase: Option<Phase>,
    /// Bytes copied so far.
    pub bytes: Option<u64>,
    /// Items copied so far.
    pub items: Option<u64>,
    /// Apple's progress, 0 to 1.
    pub percent: Option<f64>,
}

/// What an observer saw of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// When the observing began.
    pub from: Option<DateTime<FixedOffset>>,
    /// When it ended.
    pub until: Option<DateTime<FixedOffset>>,
    /// Whether it saw the backup from its start to its end.
    pub complete: bool,
    /// Which command observed.
    pub by: String,
}

/// Apple's own probe of the destination, made before copying.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DestinationTest {
    /// One large file.
    pub large_file: Option<BitRate>,
    /// Many small files.
    pub small_files: Option<BitRate>,
}

/// Where a first backup took several attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attempts {
    /// Which one this is, from 1.
    pub attempt: Option<u64>,
    /// How many there were.
    pub attempts: Option<u64>,
    /// All attempts together copied this or more.
    pub copied_bytes_at_least: Option<u64>,
    /// All attempts together copied this or less.
    pub copied_bytes_at_most: Option<u64>,
    /// From the first start to the last end.
    pub wall: Option<Duration>,
    /// The attempts' durations added up.
    pub busy: Option<Duration>,
}

/// Under which conditions a backup ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The macOS version.
    pub macos: Option<String>,
    /// Its build.
    pub build: Option<String>,
    /// `mains`, `battery` or `ups`.
    pub power: Option<String>,
    /// Whether macOS throttles low-priority disk work.
    pub throttled: Option<bool>,
    /// Whether the destination is encrypted.
    pub encrypted: Option<bool>,
    /// Its file system.
    pub file_system: Option<String>,
    /// Its free bytes before the start.
    pub free_bytes: Option<u64>,
}

/// The Mac that was backed up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The model identifier.
    pub model: Option<String>,
    /// The processor.
    pub chip: Option<String>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// The disk that was read.
    pub source_disk: Option<String>,
}

/// Something a reader of the figures should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// A stable code; docs/scripting.md lists them.
    pub code: WarningCode,
    /// The dotted JSON path it is about.
    pub field: Option<String>,
    /// In words.
    pub message: String,
}

macro_rules! warning_codes {
    ($($(#[doc = $doc:literal])* $name:ident: $code:literal;)*) => {
        /// The stable codes of warnings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum WarningCode { $($(#[doc = $doc])* $name,)* }

        impl WarningCode {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code as JSON has it.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// What it means.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),*).trim_ascii(),)* }
            }
        }
    };
}

warning_codes! {
    /// Two sources give figures that can't both be true; the better source's was taken.
    SourcesDisagree: "sources-disagree";
    /// The end is the line that begins the removal of old backups, since the verdict follows it in this release.
    EndBeforeVerdict: "end-before-verdict";
    /// No line tells the time; it is the one in the name of the backup.
    TimeFromName: "time-from-name";
    /// The log is of Mac OS X 10.5, whose sizes are taken to be binary; that is inferred.
    BinarySizes: "binary-sizes";
    /// `tmutil status` gave no usable answer for a while; samples are missing.
    StatusGap: "status-gap";
    /// Lines of the log are missing.
    LogGap: "log-gap";
    /// The log could not be read; outcome and exact bytes may be unknown.
    LogUnreadable: "log-unreadable";
    /// The Mac slept through more than a hundredth of the backup.
    Asleep: "asleep";
    /// The wall clock was set while the backup ran; durations come from another clock.
    ClockSet: "clock-set";
    /// The wording of this macOS release is not in the tables; the verdict may stay unknown.
    UnknownRelease: "unknown-release";
    /// A status held keys that this program does not know.
    UnknownKeys: "unknown-keys";
    /// The backup was already running when the observing began.
    JoinedLate: "joined-late";
    /// It was asked for as a first backup but is an ordinary one.
    NotFirst: "not-first";
    /// The link was not the same before, during and after the backup.
    LinkChanged: "link-changed";
    /// The watching was cut off; the record holds what had been kept until then.
    WatchingCutOff: "watching-cut-off";
    /// The disk could do more than the USB link that it got.
    SlowUsbLink: "slow-usb-link";
    /// A network port could do more than it negotiated.
    SlowPort: "slow-port";
    /// The backup was faster than the negotiated rate: the link was read wrongly, or the bytes were not all sent.
    AboveNegotiated: "above-negotiated";
    /// Samples could not be kept on disk as they came.
    JournalFailed: "journal-failed";
    /// Several records could belong to this backup; none was joined.
    AmbiguousJoin: "ambiguous-join";
}

/// One backup.
#[derive(Clone, Debug, PartialEq)]
pub struct Backup {
    /// 12 hexadecimal digits, given at first storing.
    pub id: Option<String>,
    /// The Mac that was backed up, by name.
    pub host: Option<String>,
    /// Who asked for it.
    pub trigger: Option<Trigger>,
    /// Whether it was the first to its destination.
    pub first: Option<bool>,
    /// Where it went.
    pub destination: Destination,
    /// The links seen; empty means not looked at.
    pub links: Vec<Link>,
    /// When it began.
    pub started: Option<Wall>,
    /// When it ended.
    pub ended: Option<Wall>,
    /// From start to end, sleep included.
    pub duration: Option<Duration>,
    /// The time spent copying.
    pub copy_duration: Option<Duration>,
    /// How much of the duration the Mac slept.
    pub asleep: Option<Duration>,
    /// Its phases in order.
    pub phases: Vec<PhaseSpan>,
    /// What was copied.
    pub copied: Copied,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, was cancelled or put off.
    pub failure: Option<Failure>,
    /// Apple's probe.
    pub destination_test: Option<DestinationTest>,
    /// `None`: not observable. Empty: there were none.
    pub stalls: Option<Vec<Stall>>,
    /// Where it took several attempts.
    pub attempts: Option<Attempts>,
    /// Under which conditions it ran.
    pub conditions: Conditions,
    /// The Mac.
    pub machine: Machine,
    /// Its progress over time, if it was watched.
    pub samples: Option<Vec<Point>>,
    /// What an observer saw, if there was one.
    pub observed: Option<Observed>,
    /// Where the figures came from, by dotted JSON path.
    pub sources: BTreeMap<String, Source>,
    /// What a reader should know.
    pub warnings: Vec<Warning>,
}

impl Backup {
    /// A backup of which nothing is known.
    pub fn unknown() -> Self {
        Self {
            id: None,
            host: None,
            trigger: None,
            first: None,
            destination: Destination::default(),
            links: Vec::new(),
            started: None,
            ended: None,
            duration: None,
            copy_duration: None,
            asleep: None,
            phases: Vec::new(),
            copied: Copied::default(),
            outcome: Outcome::Unknown,
            failure: None,
            destination_test: None,
            stalls: None,
            attempts: None,
            conditions: Conditions::default(),
            machine: Machine::default(),
            samples: None,
            observed: None,
            sources: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    /// Returns copied data / duration; `None` unless both are known and the data are whole.
    pub fn effective_rate(&self) -> Option<BitRate> {
        let data = self.copied.data.filter(|data| data.bound.is_whole())?;
        BitRate::mean(data.bytes, self.duration?)
    }

    /// Returns copied data / time in Copying. A lower bound of the data gives the rate up to the last sample.
    pub fn copy_rate(&self) -> Option<BitRate> {
        let data = self.copied.data.filter(|data| {
            data.bound.is_whole() || (data.bound == super::units::Bound::AtLeast && self.samples.is_some())
        })?;
        BitRate::mean(data.bytes, self.copy_duration?)
    }

    /// The link that figures are put beside: several disks or channels as a whole, else the surest one, the latest of equals.
    pub fn link(&self) -> Option<&Link> {
        let whole = self.links.iter().rfind(|link| link.kind == LinkKind::Mixed);
        whole.or_else(|| self.links.iter().max_by_key(|link| (link.kind_confidence, link.rate_confidence)))
    }
}
