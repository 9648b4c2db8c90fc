//! What only before the start can be learnt, and what must be said before it.

use std::time::Duration;

use super::listening::Hearing;
use super::observer::Observer;
use crate::apple;
use crate::domain::backup::{Conditions, Machine, Warning, WarningCode};
use crate::domain::destination::{Destination, DestinationKind};
use crate::error::{Exit, Failure};
use crate::logs;
use crate::ports::{Call, Signal, Wake};

/// What was learnt before.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// The configured destinations.
    pub(super) destinations: Vec<Destination>,
    /// The conditions.
    pub(super) conditions: Conditions,
    /// The Mac.
    pub(super) machine: Machine,
}

impl Before {
    /// Asks, and says what will stay unknown.
    pub(super) fn ask(&mut self, observer: &mut Observer<'_>) {
        let answer = observer.mac.run(&observer.patience.deadlines.sw_vers());
        if answer.succeeded() {
            let text = String::from_utf8_lossy(&answer.stdout);
            self.conditions.macos = apple::sw_vers::value(&text, "ProductVersion");
            self.conditions.build = apple::sw_vers::value(&text, "BuildVersion");
        }
        if let Some(version) = self.conditions.macos.as_deref().filter(|version| !logs::release_is_known(version)) {
            let message = format!(
                "the messages of macOS {version} are not known here: bytes, phases and times work, the verdict may stay unknown"
            );
            observer.sink.say(&format!("warning: {message}"));
            observer.warnings.push(Warning { code: WarningCode::UnknownRelease, field: Some("outcome".to_owned()), message });
        }
        if observer.settings.full_disk_access == Some(false) {
            observer.sink.say(
                "note: without Full Disk Access measuring works, but what Time Machine itself recorded can't confirm the outcome; \
                 `tmgauge doctor` tells how to grant it",
            );
        }
    }

    /// Starts the log stream and waits for its first word.
    pub(super) fn listen(&self, observer: &mut Observer<'_>) {
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
    pub(super) fn refuse_if_proven_not_first(
        &self,
        observer: &mut Observer<'_>,
        wanted: Option<&Destination>,
    ) -> Result<(), Failure> {
        let single = || if let [only] = self.destinations.as_slice() { Some(only) } else { None };
        let Some(destination) = wanted.or_else(single) else { return Ok(()) };
        if destination.kind != Some(DestinationKind::Local) {
            return Ok(());
        }
        let Some(mount_point) = &destination.mount_point else { return Ok(()) };
        let mounts = observer.mac.run(&Call::new("mount", &[], observer.patience.deadlines.other));
        let Some(bsd) = apple::mount::bsd_name(&String::from_utf8_lossy(&mounts.stdout), mount_point) else {
            return Ok(());
        };
        let call = Call::new("diskutil", &["apfs", "listSnapshots", "-plist", &bsd], observer.patience.deadlines.other);
        let answer = observer.mac.run(&call);
        let count = apple::snapshots::backups(&answer.stdout);
        if count == 0 {
            return Ok(());
        }
        let name = destination.name.as_deref().unwrap_or(mount_point);
        Err(Failure::new(Exit::Use, format!("won't measure a first backup to `{name}`: it holds {count} already"))
            .hint("leave out --first, or choose another disk: --destination NAME"))
    }
}
