//! One answer of `tmutil status`.

use super::phase::Phase;

/// What the keys of a status mean, which changed over the years. Told by the keys present, never by the macOS version.
/// (Letters as in docs/design.md, which lists the evidence.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Up to 10.14: percentages at top level, padded by a tenth.
    A,
    /// 10.15 and 11: percentages inside `Progress`, the total is what is to be copied.
    B,
    /// 12 and 13: the total is the size of the whole source.
    C,
    /// 14 and later: as C, with `attemptOptions` or without `Stopping`.
    D,
}

impl Era {
    /// Whether the total of this era's statuses is the amount to be copied.
    pub fn total_is_to_copy(self) -> bool {
        matches!(self, Self::A | Self::B)
    }
}

/// The counters of a copy under way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Bytes copied so far.
    pub bytes: Option<u64>,
    /// Items copied so far.
    pub items: Option<u64>,
    /// Bytes to copy in all; only in eras that tell it.
    pub bytes_to_copy: Option<u64>,
    /// Items to copy in all; only in eras that tell it.
    pub items_to_copy: Option<u64>,
    /// Apple's estimate of the seconds left, as printed (it may go up, and has been seen negative).
    pub remaining_s: Option<f64>,
}

/// One status of Time Machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Whether a backup is active; true also while it stops or thins.
    pub running: bool,
    /// Whether a cancel was asked for.
    pub stopping: bool,
    /// What backupd is busy with; absent at idle.
    pub phase: Option<Phase>,
    /// Which meaning the keys have; `None` where they don't tell.
    pub era: Option<Era>,
    /// The destination's ID, upper case; it may come late.
    pub destination_id: Option<String>,
    /// Where the destination's volume is mounted; it may come late.
    pub mount_point: Option<String>,
    /// Whether the key `FirstBackup` is set.
    pub first_backup: bool,
    /// The counters, while there are any.
    pub counters: Option<Counters>,
    /// Apple's progress of the copy, 0 to 1; `None` where it says that it doesn't know.
    pub percent: Option<f64>,
    /// How far the phase is that finds the changes, 0 to 1.
    pub phase_fraction: Option<f64>,
    /// Changed items found so far.
    pub changed_items: Option<u64>,
    /// Keys that this program does not know, as printed.
    pub unknown: Vec<(String, String)>,
}

impl Sample {
    /// Whether data are being copied.
    pub fn is_copying(&self) -> bool {
        self.running && self.phase.as_ref().is_some_and(Phase::is_copying)
    }

    /// Bytes copied so far, while there is a counter.
    pub fn bytes(&self) -> Option<u64> {
        self.counters.as_ref().and_then(|c| c.bytes)
    }

    /// Items copied so far, while there is a counter.
    pub fn items(&self) -> Option<u64> {
        self.counters.as_ref().and_then(|c| c.items)
    }
}
