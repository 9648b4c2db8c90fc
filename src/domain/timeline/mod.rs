//! The one fold: samples and events, in order of time, become backups. Pure; the same for a backup that runs, for a
//! journal and for an old log.

mod conclude;
mod counters;
mod draft;
mod passes;
mod spans;
#[cfg(test)]
mod tests;

use std::time::Duration;

use super::event::{Event, Meaning};
use super::phase::{Phase, Stage};
use super::reading::Reading;
use super::sample::Sample;
use super::time::Moment;

pub use draft::Draft;

/// How late a start line may reach us after the status has shown the backup.
const START_LINE_LAG: Duration = Duration::from_secs(30);

/// Lines that judge a backup, or make one known, come no further apart.
const SAME_END: Duration = Duration::from_secs(60);

/// As many messages are kept that may belong to the next backup.
const MOST_BEFORE: usize = 16;

/// One observation.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// This program asked for a backup.
    Command {
        /// The destination asked for, if one was.
        destination_id: Option<String>,
    },
    /// A status.
    Sample(Sample),
    /// The status gave nothing usable.
    Unanswered,
    /// A message of the log.
    Event(Event),
}

/// The fold.
#[derive(Clone, Debug)]
pub struct Timeline {
    stall_after: Duration,
    open: Option<Draft>,
    closed: Vec<Reading>,
    /// Something was observed while no backup ran, so that one that appears now is seen to begin.
    watched_idle: bool,
    /// What the log said between two backups, and may belong to the next.
    before: Vec<(Moment, Event)>,
}

impl Timeline {
    /// Begins with nothing. Bytes that stand for `stall_after` while copying are a stall.
    pub fn new(stall_after: Duration) -> Self {
        Self { stall_after, open: None, closed: Vec::new(), watched_idle: false, before: Vec::new() }
    }

    /// Takes an observation, not older than the ones before.
    pub fn push(&mut self, at: Moment, input: &Input) {
        match input {
            Input::Command { destination_id } => {
                self.close(true);
                let mut draft = Draft::new(at, self.stall_after);
                draft.commanded(at, destination_id.clone());
                self.open = Some(draft);
            }
            Input::Sample(sample) if sample.running => self.running(at, sample),
            Input::Sample(_) => {
                self.watched_idle = true;
                if let Some(draft) = &mut self.open {
                    draft.idle(at);
                }
            }
            Input::Unanswered => {
                if let Some(draft) = &mut self.open {
                    draft.unanswered(at);
                }
            }
            Input::Event(event) => self.event(at, event),
        }
    }

    /// The backup that is open: the one that runs, or the last one until another begins.
    pub fn current(&self) -> Option<&Draft> {
        self.open.as_ref()
    }

    /// Takes a message that was found by looking back into the log. What is older than the open backup tells at most when
    /// that began.
    pub fn recall(&mut self, at: Moment, event: &Event) {
        let Some(draft) = &mut self.open else { return };
        let older = draft.first_seen().since(&at).is_some_and(|by| !by.is_zero());
        match &event.meaning {
            Meaning::Started(_) if older && draft.command.is_none() => draft.event(at, event),
            // What began before this verdict was another backup.
            meaning if older && meaning.is_verdict() => draft.forget_start_line(),
            _ if older => {}
            _ => draft.event(at, event),
        }
    }

    /// The backups that are over because another one began, and were not taken yet.
    pub fn closed(&self) -> &[Reading] {
        &self.closed
    }

    /// Drops the oldest backup that is over because another one began; tells whether there was one.
    pub fn drop_closed(&mut self) -> bool {
        let any = !self.closed.is_empty();
        self.closed.drain(..usize::from(any));
        any
    }

    /// Takes the backups that are over because another one began.
    pub fn take_closed(&mut self) -> Vec<Reading> {
        std::mem::take(&mut self.closed)
    }

    /// Closes the open backup too and gives all that were not taken.
    #[must_use]
    pub fn finish(mut self) -> Vec<Reading> {
        self.close(false);
        self.closed
    }

    fn close(&mut self, another_begins: bool) {
        if let Some(mut draft) = self.open.take() {
            if another_begins {
                draft.interrupt();
            }
            self.closed.push(draft.reading());
        }
    }

    fn running(&mut self, at: Moment, sample: &Sample) {
        let another = self.open.as_ref().is_some_and(|draft| is_another(draft, sample));
        if another {
            self.watched_idle = true;
            self.close(true);
        }
        let seen_to_begin = std::mem::take(&mut self.watched_idle);
        let stall_after = self.stall_after;
        let draft = self.open.get_or_insert_with(|| {
            let mut draft = Draft::new(at, stall_after);
            if seen_to_begin {
                draft.seen_to_begin(at);
            }
            draft
        });
        draft.running(at, sample);
    }

    /// backupd was started anew: a backup that was open is over.
    pub fn restarted(&mut self) {
        if self.open.as_ref().is_some_and(|draft| !draft.has_verdict()) {
            self.close(true);
        }
    }

    fn event(&mut self, at: Moment, event: &Event) {
        if self.open.as_ref().is_some_and(|draft| means_another(draft, at, event)) {
            self.close(true);
        }
        let lies_between = self.open.as_ref().is_none_or(|draft| draft.has_verdict() && !draft.was_seen_running());
        if self.open.is_none() && opens(event) {
            let mut draft = Draft::new(at, self.stall_after);
            for (said, earlier) in self.before.drain(..).filter(|(said, _)| near(*said, at)) {
                draft.event(said, &earlier);
            }
            self.open = Some(draft);
        } else if lies_between && precedes(event) {
            // Older words than these belong to something else.
            if self.before.len() == MOST_BEFORE {
                self.before.remove(0);
            }
            self.before.push((at, event.clone()));
            return;
        }
        if let Some(draft) = &mut self.open {
            draft.event(at, event);
        }
    }
}

/// Whether a message may be said of a backup before it is seen to begin.
fn precedes(event: &Event) -> bool {
    let stage = event.phase.as_ref().map(Phase::stage);
    match event.meaning {
        Meaning::Requested | Meaning::Destination | Meaning::DestinationTest(_) | Meaning::PassStarted => true,
        Meaning::PhaseOnly => matches!(stage, None | Some(Stage::Opening | Stage::Preparing)),
        _ => false,
    }
}

/// Whether two lines may belong to the same moment: at most a minute lies between, as far as that can be told.
fn near(a: Moment, b: Moment) -> bool {
    b.since(&a).or_else(|| a.since(&b)).is_none_or(|passed| passed <= SAME_END)
}

/// Whether a status shows another backup than the draft's.
fn is_another(draft: &Draft, sample: &Sample) -> bool {
    let stage = sample.phase.as_ref().map(Phase::stage);
    let other_destination = match (&draft.destination().id, &sample.destination_id) {
        (Some(known), Some(now)) => known != now && draft.was_seen_running(),
        _ => false,
    };
    let last_stage = draft.last_sample().and_then(|last| last.phase.as_ref()).map(Phase::stage);
    let past_copy = draft.has_copied() && matches!(last_stage, Some(Stage::Finishing | Stage::ThinningAfter));
    let opens_again = draft.was_seen_running()
        && match stage {
            Some(Stage::Opening) => draft.has_verdict() || past_copy || draft.is_idle(),
            // A verdict may come while the status still says that it copies, but never before it prepares to.
            Some(Stage::Preparing) => draft.has_verdict(),
            _ => false,
        };
    // Only thinning goes on after an end that the status itself told.
    let after_idle = draft.is_idle() && stage != Some(Stage::ThinningAfter);
    other_destination || opens_again || after_idle
}

/// Whether a message belongs to another backup than the draft.
fn means_another(draft: &Draft, at: Moment, event: &Event) -> bool {
    let later = draft.over_at().is_some_and(|over| at.since(&over).is_some_and(|passed| passed > SAME_END));
    match &event.meaning {
        Meaning::Started(_) => !takes_start_line(draft, at),
        _ if draft.is_in_other_folder(event.folder) => true,
        // After a verdict such a line belongs to a backup whose start line was lost.
        Meaning::CopyStarted
        | Meaning::Progress(_)
        | Meaning::VolumeCopied(_)
        | Meaning::PassCopied(_)
        | Meaning::Result(_) => draft.has_verdict(),
        Meaning::Completed { stamp, .. } => {
            draft.has_verdict() && (!draft.is_completed() || later || draft.has_other_name(stamp.as_deref()))
        }
        // Of failures often no line remains but the last.
        Meaning::Failed(_) | Meaning::Deferred(_) | Meaning::FailureCause(_) => draft.has_verdict() && later,
        Meaning::PhaseOnly | Meaning::Estimate { .. } => draft.has_verdict() && later && looks_for_changes(event),
        _ => false,
    }
}

/// Whether a start line belongs to the draft: it was asked for or just appeared, and has no start line yet.
fn takes_start_line(draft: &Draft, at: Moment) -> bool {
    if !draft.was_seen_running() && draft.command.is_none() {
        // It can only be the same line again, as some logs hold it twice.
        return draft.is_at_start(at);
    }
    let fresh = at.since(&draft.first_seen()).is_none_or(|age| age <= START_LINE_LAG);
    let asked_for = draft.started().is_some_and(|(_, source)| source == super::backup::Source::Command);
    !draft.has_start_line() && !draft.has_verdict() && !draft.is_idle() && !draft.has_copied() && (asked_for || fresh)
}

/// Whether a message tells of a search for changes, which only backups make.
fn looks_for_changes(event: &Event) -> bool {
    event.phase.as_ref().is_some_and(|phase| matches!(phase.name(), "FindingChanges" | "SizingChanges"))
}

/// Whether a message can be the first that is seen of a backup.
fn opens(event: &Event) -> bool {
    if event.meaning == Meaning::PhaseOnly {
        return looks_for_changes(event);
    }
    matches!(
        event.meaning,
        Meaning::Started(_)
            | Meaning::CopyStarted
            | Meaning::Progress(_)
            | Meaning::VolumeCopied(_)
            | Meaning::PassCopied(_)
            | Meaning::Estimate { .. }
            | Meaning::Result(_)
            | Meaning::Completed { .. }
            | Meaning::Failed(_)
            | Meaning::Cancelled(_)
            | Meaning::Deferred(_)
            | Meaning::FailureCause(_)
            | Meaning::ThinningStarted
    )
}
