//! The state of a backup under way, for whoever watches.

use std::time::Duration;

use crate::domain::progress::{Movement, Progress};
use crate::domain::rate::RateWindow;
use crate::domain::time::Moment;
use crate::domain::timeline::Draft;
use crate::domain::units::BitRate;
use crate::ports::Now;

/// Puts the state together. `asked` is when a backup was asked for that has not shown itself yet.
pub(super) fn compose(draft: Option<&Draft>, rates: &RateWindow, now: Now, stall_after: Duration) -> Progress {
    let at = Moment::from(now);
    let since = |moment: Moment| at.since(&moment).unwrap_or_default();
    let sample = draft.and_then(Draft::last_sample);
    let phase = draft.and_then(Draft::phase);
    let counters = sample.and_then(|sample| sample.counters.as_ref());
    let bytes = draft.and_then(Draft::bytes);
    let began = draft.map(|draft| draft.started().map_or(draft.first_seen(), |(began, _)| began));
    let since_start = began.map(since).unwrap_or_default();
    // While thinning goes on, a verdict may still come.
    let ended = draft.filter(|draft| draft.has_verdict() || draft.is_idle()).and_then(Draft::ended);
    let copying = sample.is_some_and(crate::domain::sample::Sample::is_copying);
    let window = copying.then(|| rates.rate()).flatten();
    let movement = if copying { movement(draft, stall_after) } else { Movement::Moving };
    let to_copy = counters.and_then(|counters| counters.bytes_to_copy);
    let left = to_copy.zip(bytes).and_then(|(all, done)| all.checked_sub(done));
    let moving = movement == Movement::Moving;
    let joined_late = draft.is_some_and(|draft| draft.started().is_none());
    Progress {
        t: now.elapsed,
        at: now.wall,
        phase: phase.map(|(phase, _)| phase.clone()),
        phase_age: phase.map_or(since_start, |(_, entered)| since(entered)),
        since_start,
        last_change: draft.map(|draft| since(draft.last_change())).unwrap_or_default(),
        bytes,
        items: draft.and_then(Draft::items),
        bytes_to_copy: to_copy,
        rate: window.filter(|_| moving).map(|window| window.rate),
        rate_window: window.map(|window| window.window).unwrap_or_default(),
        // Without the start, all bytes over the time watched would be no rate at all.
        overall: bytes.filter(|_| !joined_late).and_then(|bytes| BitRate::mean(bytes, since_start)),
        copying_rate: bytes
            .filter(|_| !joined_late)
            .zip(draft.and_then(|draft| draft.copying_until(at)))
            .and_then(|(bytes, time)| BitRate::mean(bytes, time)),
        items_per_second: window.and_then(|window| window.items_per_second),
        changed_items: sample.and_then(|sample| sample.changed_items),
        apple_percent: sample.and_then(|sample| sample.percent.or(sample.phase_fraction)),
        apple_remaining_s: counters.and_then(|counters| counters.remaining_s),
        remaining: left.filter(|_| copying && moving).and_then(|left| rates.forecast(left)),
        movement,
        ended: ended.and_then(|(end, _)| end.since(&began?)),
        verdict: draft.and_then(Draft::verdict),
    }
}

fn movement(draft: Option<&Draft>, stall_after: Duration) -> Movement {
    match draft.and_then(Draft::standing) {
        Some((stood, items_moved)) if stood >= stall_after => match items_moved {
            Some(true) => Movement::ItemsOnly(stood),
            _ => Movement::Nothing(stood),
        },
        _ => Movement::Moving,
    }
}
