//! A journal of a run that was cut off, folded again as it was while it ran.

use std::time::Duration;

use super::{Fault, Gathered};
use crate::apple::codes;
use crate::contract::journal::{Journal, JournalLine};
use crate::domain::backup::{Backup, Conditions, Observed, Warning, WarningCode};
use crate::domain::destination::Destination;
use crate::domain::reconcile::{Context, settle};
use crate::domain::time::Moment;
use crate::domain::timeline::{Input, Timeline};
use crate::logs::{Heard, LiveLog};
use crate::ports::{LogStyle, Now};

/// What counts as a stall where the journal does not say it.
const STALL_AFTER: Duration = Duration::from_secs(60);

pub(super) fn read(name: &str, bytes: &[u8], gathered: &mut Gathered) {
    let journal = Journal::read(bytes);
    if let Some((line, why)) = journal.damaged.first() {
        gathered.trouble(name, Fault::Damaged(format!("line {line}: {why}")));
    }
    gathered.backups.extend(recover(&journal));
}

/// Gives the backups that a journal tells of, as far as it goes. None of them was observed to the end.
pub fn recover(journal: &Journal) -> Vec<Backup> {
    let mut fold = Fold::new();
    for line in &journal.lines {
        fold.take(line);
    }
    fold.finish()
}

struct Fold {
    timeline: Timeline,
    live: LiveLog,
    context: Context,
    asked_for: Option<Destination>,
    by: String,
    until: Option<Now>,
    from: Option<chrono::DateTime<chrono::FixedOffset>>,
}

impl Fold {
    fn new() -> Self {
        Self {
            timeline: Timeline::new(STALL_AFTER),
            live: LiveLog::new(LogStyle::Ndjson),
            context: Context::default(),
            asked_for: None,
            by: String::new(),
            until: None,
            from: None,
        }
    }

    fn take(&mut self, kept: &JournalLine) {
        match kept {
            JournalLine::Header(header) => {
                self.by.clone_from(&header.command);
                self.from = Some(header.from);
                self.context.conditions = Conditions { macos: header.macos.clone(), ..Conditions::default() };
            }
            JournalLine::Destination(destination) => self.asked_for = Some(destination.clone()),
            JournalLine::Link(link) => self.context.links.push(link.clone()),
            JournalLine::Asked(now) => {
                let destination_id = self.asked_for.as_ref().and_then(|asked| asked.id.clone());
                self.push(*now, &Input::Command { destination_id });
            }
            JournalLine::Sample(now, sample) => self.push(*now, &Input::Sample(sample.clone())),
            JournalLine::Unanswered(now, _) => self.push(*now, &Input::Unanswered),
            JournalLine::Log(now, line) => {
                let heard = self.live.push_line(line);
                self.hear(*now, heard);
            }
        }
    }

    fn hear(&mut self, now: Now, heard: Vec<Heard>) {
        for heard in heard {
            if let Heard::Event { event, .. } = heard {
                self.push(now, &Input::Event(event));
            }
        }
    }

    fn push(&mut self, now: Now, input: &Input) {
        self.until = Some(now);
        self.timeline.push(Moment::from(now), input);
    }

    fn finish(mut self) -> Vec<Backup> {
        let rest = self.live.flush();
        if let Some(now) = self.until {
            self.hear(now, rest);
        }
        self.context.destination = self.asked_for;
        self.context.observed =
            Some(Observed { from: self.from, until: self.until.map(|now| now.wall), complete: false, by: self.by });
        self.context.warnings.push(Warning {
            code: WarningCode::WatchingCutOff,
            field: None,
            message: "the watching was cut off; this is what had been kept".to_owned(),
        });
        let context = self.context;
        let meaning =
            |failure: &crate::domain::backup::Failure| codes::failure(failure.code, failure.name.as_deref()).message;
        self.timeline.finish().iter().map(|reading| settle(reading, context.clone(), meaning)).collect()
    }
}
