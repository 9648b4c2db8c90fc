//! One line of progress.

use chrono::{DateTime, FixedOffset};
use serde::Serialize;

use super::number::{Seconds, finite};
use crate::domain::progress::{Movement, Progress};
use crate::domain::units::BitRate;

/// The state of a backup at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct ProgressJson {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub t: Seconds,
    pub at: DateTime<FixedOffset>,
    pub phase: Option<String>,
    pub bytes: Option<u64>,
    pub items: Option<u64>,
    pub rate_bps: Option<f64>,
    pub overall_bps: Option<f64>,
    pub apple_percent: Option<f64>,
    pub apple_remaining_s: Option<f64>,
    /// `null` while nothing stalls.
    pub stalled_s: Option<Seconds>,
}

impl From<&Progress> for ProgressJson {
    fn from(progress: &Progress) -> Self {
        Self {
            kind: "progress",
            t: Seconds(progress.t),
            at: progress.at,
            phase: progress.phase.as_ref().map(|phase| phase.name().to_owned()),
            bytes: progress.bytes,
            items: progress.items,
            // After the end a rate over the latest stretch means nothing any more.
            rate_bps: progress.rate.filter(|_| progress.ended.is_none()).map(BitRate::bps),
            overall_bps: progress.overall.map(BitRate::bps),
            apple_percent: progress.apple_percent.and_then(finite),
            apple_remaining_s: progress.apple_remaining_s.and_then(finite),
            stalled_s: match progress.movement {
                Movement::Moving => None,
                Movement::Nothing(time) | Movement::ItemsOnly(time) => Some(Seconds(time)),
            },
        }
    }
}
