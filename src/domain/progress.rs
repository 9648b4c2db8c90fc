//! What a person or program that watches is shown while a backup runs.

use std::time::Duration;

use chrono::{DateTime, FixedOffset};

use super::phase::Phase;
use super::units::BitRate;

/// Whether the copy moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// It does, or there is nothing to move in this phase.
    Moving,
    /// Neither bytes nor items have changed for so long.
    Nothing(Duration),
    /// Bytes have stood for so long, items went on.
    ItemsOnly(Duration),
}

/// The state of a backup at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Since the observing began.
    pub t: Duration,
    /// The wall time.
    pub at: DateTime<FixedOffset>,
    /// The phase; `None` while a backup is asked for but has not begun.
    pub phase: Option<Phase>,
    /// How long the phase has lasted.
    pub phase_age: Duration,
    /// Since the start of the backup.
    pub since_start: Duration,
    /// How long since phase, bytes or items last changed.
    pub last_change: Duration,
    /// Bytes copied so far, all passes.
    pub bytes: Option<u64>,
    /// Items copied so far, all passes.
    pub items: Option<u64>,
    /// Bytes to copy in all; only in eras that tell it.
    pub bytes_to_copy: Option<u64>,
    /// The rate over the latest stretch of copying.
    pub rate: Option<BitRate>,
    /// How long that stretch is.
    pub rate_window: Duration,
    /// All bytes over all time since the start.
    pub overall: Option<BitRate>,
    /// All bytes over the time in Copying.
    pub copying_rate: Option<BitRate>,
    /// Items per second over the same stretch as `rate`.
    pub items_per_second: Option<f64>,
    /// Changed items found so far, while they are searched.
    pub changed_items: Option<u64>,
    /// Apple's progress of the copy, or of the phase that finds changes; 0 to 1.
    pub apple_percent: Option<f64>,
    /// Apple's estimate of the seconds left.
    pub apple_remaining_s: Option<f64>,
    /// Our own range of the time left; only where the size to copy is known.
    pub remaining: Option<(Duration, Duration)>,
    /// Whether the copy moves.
    pub movement: Movement,
    /// How long the backup took, once the verdict is known.
    pub ended: Option<Duration>,
}
