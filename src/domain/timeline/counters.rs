//! The byte and item counters of the status, over several passes, and the times they stood still.

use std::time::Duration;

use crate::domain::backup::Stall;
use crate::domain::sample::Sample;
use crate::domain::time::Moment;
use crate::domain::units::Amount;

/// Follows the counters while a backup copies.
///
/// A counter that falls begins a further pass; what the pass before had reached is added.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters {
    bytes: Tally,
    items: Tally,
    standing: Option<Standing>,
    stalls: Vec<Stall>,
}

/// One counter over several passes.
#[derive(Clone, Debug, Default)]
struct Tally {
    passes_before: u64,
    last: Option<u64>,
    /// The latest two readings of this pass were the same.
    settled: bool,
    /// Every pass before was left with a settled counter.
    earlier_settled: bool,
    passes: usize,
}

impl Tally {
    fn read(&mut self, value: u64) {
        match self.last {
            None => {
                self.passes = 1;
                self.earlier_settled = true;
            }
            Some(last) if value < last => {
                self.passes_before = self.passes_before.saturating_add(last);
                self.earlier_settled &= self.settled;
                self.settled = false;
                self.passes += 1;
            }
            Some(last) => self.settled = value == last,
        }
        self.last = Some(value);
    }

    fn total(&self) -> Option<u64> {
        Some(self.passes_before.saturating_add(self.last?))
    }
}

/// Since when, and at what count, the byte counter has stood.
#[derive(Clone, Copy, Debug)]
struct Standing {
    since: Moment,
    seen: Moment,
    bytes: u64,
    items_then: Option<u64>,
    items_now: Option<u64>,
}

impl Standing {
    /// For how long the counter is proven to have stood, sleep left out.
    fn proven(&self) -> Duration {
        let passed = self.seen.since(&self.since).unwrap_or_default();
        passed.saturating_sub(self.seen.asleep_since(&self.since).unwrap_or_default())
    }

    fn items_moved(&self) -> Option<bool> {
        Some(self.items_now? != self.items_then?)
    }
}

impl Counters {
    /// Takes a sample in Copying.
    pub(super) fn copying(&mut self, at: Moment, sample: &Sample, stall_after: Duration) {
        if let Some(items) = sample.items() {
            self.items.read(items);
        }
        let Some(bytes) = sample.bytes() else { return };
        self.bytes.read(bytes);
        match &mut self.standing {
            Some(standing) if standing.bytes == bytes => {
                standing.seen = at;
                standing.items_now = sample.items();
            }
            _ => {
                self.moved_on(at, stall_after);
                let items = sample.items();
                self.standing = Some(Standing { since: at, seen: at, bytes, items_then: items, items_now: items });
            }
        }
    }

    /// The counter moves again: what is proven to have been a stall lasted until now.
    fn moved_on(&mut self, at: Moment, stall_after: Duration) {
        if let Some(mut standing) = self.standing.take()
            && stall(&standing, stall_after).is_some()
        {
            standing.seen = at;
            self.stalls.extend(stall(&standing, stall_after));
        }
    }

    /// The backup does something else than copying now.
    pub(super) fn left_standing(&mut self, stall_after: Duration) {
        if let Some(standing) = self.standing.take() {
            self.stalls.extend(stall(&standing, stall_after));
        }
    }

    /// Bytes of all passes so far.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.bytes.total()
    }

    /// Items of all passes so far.
    pub(super) fn items(&self) -> Option<u64> {
        self.items.total()
    }

    /// How many passes have been seen.
    pub(super) fn passes(&self) -> usize {
        self.bytes.passes
    }

    /// The bytes copied: exact if the counter stood still before each pass was left, else a lower bound.
    pub(super) fn amount(&self) -> Option<Amount> {
        let bytes = self.bytes.total()?;
        let exact = self.bytes.settled && self.bytes.earlier_settled;
        Some(if exact { Amount::exact(bytes) } else { Amount::at_least(bytes) })
    }

    /// The stalls so far, one that lasts included.
    pub(super) fn stalls(&self, stall_after: Duration) -> Vec<Stall> {
        let lasting = self.standing.as_ref().and_then(|standing| stall(standing, stall_after));
        self.stalls.iter().cloned().chain(lasting).collect()
    }

    /// For how long the byte counter has stood by now, and whether items went on; `None` while it moves.
    pub(super) fn standing(&self) -> Option<(Duration, Option<bool>)> {
        let standing = self.standing.as_ref()?;
        Some((standing.proven(), standing.items_moved()))
    }
}

fn stall(standing: &Standing, stall_after: Duration) -> Option<Stall> {
    let duration = standing.proven();
    (duration >= stall_after && !duration.is_zero()).then(|| Stall {
        started: standing.since,
        duration,
        items_moved: standing.items_moved(),
    })
}
