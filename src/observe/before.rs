//! What only before the start can be learnt, and what must be said before it.

use std::time::Duration;

use super::listening::Hearing;
use super::observer::Observer;
use super::snapshots;
use crate::domain::backup::{Conditions, Machine, Warning, WarningCode};
use crate::domain::destination::{Destination, DestinationKind};
use crate::domain::link::Seen;
use crate::error::{Exit, Failure};
use crate::links::{self, Look};
use crate::logs;
use crate::ports::{News, Signal, Wake};

/// What was learnt before.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Each destination that could be meant, with the way to it and the conditions there.
    pub(super) looks: Vec<(Destination, Look, Conditions)>,
    /// The Mac.
    pub(super) machine: Machine,
    macos: Option<String>,
    /// The names of the backups on each volume, by its BSD name.
    snapshots: Vec<(String, Vec<String>)>,
}

impl Before {
    /// Asks, and says what will stay unknown. While a backup runs only what touches no destination is asked.
    pub(super) fn ask(&mut self, observer: &mut Observer<'_>, runs: bool, wanted: Option<&Destination>) {
        let seen = if runs { Seen::During } else { Seen::Before };
        let mut meant: Vec<Destination> = wanted.cloned().into_iter().collect();
        if meant.is_empty() {
            meant.clone_from(&observer.destinations);
        }
        if meant.is_empty() {
            // The conditions of the Mac itself don't depend on a destination.
            meant.push(Destination::default());
        }
        for destination in meant {
            let mut tools = observer.tools(Duration::ZERO);
            let look = links::look(&destination, seen, &mut tools);
            let conditions = links::conditions(&destination, seen, &mut tools);
            self.macos = self.macos.take().or_else(|| conditions.macos.clone());
            let local = destination.kind == Some(DestinationKind::Local) && !runs;
            if let Some(bsd) = look.bsd_name.as_deref().filter(|_| local) {
                let found = snapshots::backups(observer, bsd, Duration::ZERO);
                self.snapshots.extend(found.map(|names| (bsd.to_owned(), names)));
            }
            self.looks.push((destination, look, conditions));
        }
        self.machine = links::machine(seen, &mut observer.tools(Duration::ZERO));
        self.say_what_stays_unknown(observer);
    }

    /// The macOS version.
    pub(super) fn macos(&self) -> Option<&str> {
        self.macos.as_deref()
    }

    /// What was learnt of a destination; of the only one if the backup's is not known.
    pub(super) fn of(&self, destination: &Destination) -> Option<&(Destination, Look, Conditions)> {
        let by_id = self.looks.iter().find(|(known, ..)| known.id.is_some() && known.id == destination.id);
        match self.looks.as_slice() {
            [only] if destination.id.is_none() || only.0.id.is_none() => Some(only),
            _ => by_id,
        }
    }

    /// The backups that a volume held; `None` if that is not known.
    pub(super) fn snapshots(&self, bsd_name: &str) -> Option<&[String]> {
        self.snapshots.iter().find(|(known, _)| known == bsd_name).map(|(_, names)| names.as_slice())
    }

    fn say_what_stays_unknown(&self, observer: &mut Observer<'_>) {
        if let Some(version) = self.macos().filter(|version| !logs::release_is_known(version)) {
            let message = format!(
                "the messages of macOS {version} are not known here: bytes, phases and times work, the verdict may stay unknown"
            );
            observer.sink.say(&News::Note(format!("warning: {message}")));
            let field = Some("outcome".to_owned());
            observer.warnings.push(Warning { code: WarningCode::UnknownRelease, field, message });
        }
        if observer.settings.full_disk_access == Some(false) {
            let note = "note: without Full Disk Access measuring works, but what Time Machine itself recorded can't confirm the \
                        outcome; `tmgauge doctor` tells how to grant it";
            observer.sink.say(&News::Note(note.to_owned()));
        }
    }

    /// Starts the log stream and waits for its first word.
    pub(super) fn listen(observer: &mut Observer<'_>) {
        observer.listening.start(&mut *observer.mac);
        let until = observer.mac.now().elapsed + observer.patience.preamble;
        let mut last = Duration::MAX;
        while *observer.listening.hearing() == Hearing::Waiting {
            let now = observer.mac.now().elapsed;
            // In a recording the clock stands where the start command is due.
            if now >= until || now == last {
                break;
            }
            last = now;
            match observer.mac.next(until) {
                Wake::LogLine(line) => {
                    observer.hear(&line);
                }
                Wake::LogEnded { exit, stderr } => observer.stream_ended(exit, &stderr),
                Wake::Signal(Signal::End(number)) => {
                    observer.ended_early = Some(number);
                    break;
                }
                Wake::Ended => break,
                Wake::Tick | Wake::Signal(Signal::Info) => {}
            }
        }
    }

    /// Refuses `--first` where a snapshot proves that the destination already holds a backup.
    pub(super) fn refuse_if_proven_not_first(&self, wanted: Option<&Destination>) -> Result<(), Failure> {
        let found = match (wanted, self.looks.as_slice()) {
            (Some(wanted), _) => self.of(wanted),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let Some((destination, look, _)) = found else { return Ok(()) };
        let Some(bsd) = look.bsd_name.as_deref().filter(|_| destination.kind == Some(DestinationKind::Local)) else {
            return Ok(());
        };
        let count = self.snapshots(bsd).map_or(0, <[String]>::len);
        if count == 0 {
            return Ok(());
        }
        let name = destination.name.as_deref().unwrap_or(bsd);
        Err(Failure::new(Exit::Use, format!("won't measure a first backup to `{name}`: it holds {count} already"))
            .hint("leave out --first, or choose another disk: --destination NAME"))
    }
}
