//! Phases as stretches of time.

use std::time::Duration;

use crate::domain::backup::PhaseSpan;
use crate::domain::phase::Phase;
use crate::domain::time::Moment;

/// The phases of one backup, as one kind of source tells them.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    done: Vec<(Phase, Moment, Moment)>,
    open: Option<(Phase, Moment)>,
    /// The open phase had done its work by then, though nothing says yet what follows.
    done_by: Option<Moment>,
}

impl Spans {
    /// Notes that the backup is in `phase` at `at`.
    pub(super) fn enter(&mut self, phase: &Phase, at: Moment) {
        if self.open.as_ref().is_some_and(|(open, _)| open == phase) && self.done_by.is_none() {
            return;
        }
        self.leave(at);
        self.open = Some((phase.clone(), at));
    }

    /// Notes that the phase that was open is over at `at`, or was before.
    pub(super) fn leave(&mut self, at: Moment) {
        let done_by = self.done_by.take();
        if let Some((phase, since)) = self.open.take() {
            self.done.push((phase, since, done_by.unwrap_or(at)));
        }
    }

    /// Notes that a copy had done its work by `at`.
    pub(super) fn copied_by(&mut self, at: Moment) {
        if self.open.as_ref().is_some_and(|(phase, _)| phase.is_copying()) {
            self.done_by = Some(at);
        }
    }

    /// Copying begins at `at`; a copy that was thought to have begun before, and of which nothing came, was `instead`.
    pub(super) fn begin_copy(&mut self, copying: &Phase, at: Moment, instead: &Phase) {
        if self.done_by.is_none()
            && let Some((open, _)) = &mut self.open
            && open.is_copying()
        {
            open.clone_from(instead);
        }
        self.enter(copying, at);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.done.is_empty() && self.open.is_none()
    }

    /// The phase that is open and since when.
    pub(super) fn current(&self) -> Option<(&Phase, Moment)> {
        self.open.as_ref().map(|(phase, since)| (phase, *since))
    }

    /// Whether a phase that satisfies `test` has been seen.
    pub(super) fn any(&self, test: impl Fn(&Phase) -> bool) -> bool {
        self.done.iter().any(|(phase, ..)| test(phase)) || self.open.as_ref().is_some_and(|(phase, _)| test(phase))
    }

    /// The time in Copying, up to `until` and no further.
    pub(super) fn copying(&self, until: Moment) -> Option<Duration> {
        let clipped = |since: &Moment, to: &Moment| match (to.since(&until), until.since(since)) {
            // `to` lies after `until`.
            (Some(over), Some(within)) if !over.is_zero() => Some(within),
            (Some(over), None) if !over.is_zero() => None,
            _ => to.since(since),
        };
        let done = self.done.iter().filter(|(phase, ..)| phase.is_copying()).map(|(_, since, to)| clipped(since, to));
        let open = self
            .open
            .iter()
            .filter(|(phase, _)| phase.is_copying())
            .map(|(_, since)| clipped(since, &self.done_by.unwrap_or(until)));
        let spans: Vec<Duration> = done.chain(open).flatten().collect();
        (!spans.is_empty()).then(|| spans.iter().sum())
    }

    /// The phases in order; the open one lasts to `until`.
    pub(super) fn to_vec(&self, until: Moment) -> Vec<PhaseSpan> {
        let done = self.done.iter().map(|(phase, since, to)| span(phase, *since, to.since(since)));
        let open =
            self.open.iter().map(|(phase, since)| span(phase, *since, self.done_by.unwrap_or(until).since(since)));
        done.chain(open).collect()
    }
}

fn span(phase: &Phase, started: Moment, duration: Option<Duration>) -> PhaseSpan {
    PhaseSpan { phase: phase.clone(), started, duration }
}
