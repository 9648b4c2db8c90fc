//! What a log says of backups, boiled down while it is read: who said what and when.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::domain::event::{Event, Meaning};
use crate::domain::time::{Moment, Wall};
use crate::domain::units::Amount;

/// Who said it. Each sender's messages are folded for themselves: hosts may be interleaved, and of one Mac a new process means
/// that the one before is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sender {
    /// The Mac, where the log tells it.
    pub(super) host: Option<Arc<str>>,
    /// The ID of the process, where the log tells it.
    pub(super) pid: Option<u64>,
}

/// One piece of news.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) at: Moment,
    /// Stands for the text, to know the same line in another export.
    pub(super) text: u64,
    pub(super) event: Event,
}

/// Stands for a message's text.
pub(super) fn fingerprint(message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.hash(&mut hasher);
    hasher.finish()
}

/// The news of one log by sender, senders in the order of their first word.
#[derive(Debug, Default)]
pub(super) struct News {
    senders: Vec<(Sender, Vec<Said>)>,
    places: HashMap<Sender, usize>,
    latest: Option<usize>,
    /// Lines were lost before anybody had said anything.
    lost: bool,
}

impl News {
    /// Takes a piece of news. Of running totals and of lines that say no more than the phase, one after the other, the first and
    /// the last are kept: a log of nothing but backups grows by some lines a backup and no more.
    pub(super) fn take(&mut self, sender: Sender, said: Said) {
        let place = self.places.get(&sender).copied().unwrap_or_else(|| {
            self.senders.push((sender.clone(), Vec::new()));
            self.places.insert(sender, self.senders.len() - 1);
            self.senders.len() - 1
        });
        self.latest = Some(place);
        let said_before = &mut self.senders[place].1;
        if let [.., before, last] = said_before.as_mut_slice()
            && outdoes(&last.event, &before.event)
            && outdoes(&said.event, &last.event)
        {
            *last = said;
        } else {
            said_before.push(said);
        }
        if std::mem::take(&mut self.lost) {
            self.lines_lost();
        }
    }

    /// Notes that the log lost lines.
    pub(super) fn lines_lost(&mut self) {
        let Some(latest) = self.latest else { return self.lost = true };
        let event = Event::new(Meaning::LinesDropped);
        self.senders[latest].1.push(Said { at: Moment::default(), text: 0, event });
    }

    /// The first moment that is known.
    pub(super) fn first(&self) -> Option<Moment> {
        let first = |said: &Vec<Said>| said.iter().map(|said| said.at).find(|at| at.wall.is_some());
        self.senders.iter().filter_map(|(_, said)| first(said)).min_by_key(|at| order(*at))
    }

    pub(super) fn into_senders(self) -> Vec<(Sender, Vec<Said>)> {
        self.senders
    }
}

/// Whether `later` says all that `earlier` says and more, so that nothing is lost without the latter.
pub(super) fn outdoes(later: &Event, earlier: &Event) -> bool {
    let (a, b) = (earlier, later);
    let alike = match (&a.meaning, &b.meaning) {
        (Meaning::Progress(a), Meaning::Progress(b)) => {
            a.physical.map(Amount::lowest) <= b.physical.map(Amount::lowest) && a.items <= b.items
        }
        (Meaning::PhaseOnly, Meaning::PhaseOnly) => true,
        _ => false,
    };
    alike && a.phase == b.phase && a.folder == b.folder && a.destination == b.destination && a.first == b.first
}

/// A key that orders moments as far as they can be ordered: dates first, by the wall clock.
pub(super) fn order(at: Moment) -> (u8, i64, u32) {
    match at.wall {
        Some(Wall::Zoned(at)) => (0, at.timestamp(), at.timestamp_subsec_nanos()),
        Some(Wall::Local(at)) => (0, at.and_utc().timestamp(), at.and_utc().timestamp_subsec_nanos()),
        Some(Wall::Yearless(_) | Wall::TimeOfDay(_)) | None => (1, 0, 0),
    }
}
