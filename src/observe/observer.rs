//! The live loop: polls the status, hears the log, and folds both until a backup is over.

use std::time::Duration;

use super::Settings;
use super::keeping::Keeper;
use super::listening::{Hearing, Listening, Told};
use super::patience::Patience;
use super::progress;
use crate::contract::journal::JournalLine;
use crate::domain::backup::{Source, Warning, WarningCode};
use crate::domain::destination::Destination;
use crate::domain::link::Seen;
use crate::domain::rate::RateWindow;
use crate::domain::reading::Reading;
use crate::domain::sample::Sample;
use crate::domain::time::Moment;
use crate::domain::timeline::{Draft, Input, Timeline};
use crate::links::{self, Look};
use crate::ports::{Call, CallEnd, Captured, Journal, Mac, News, Now, ProgressSink, Signal, Tools, Wake};
use crate::tmutil;

/// Why the loop stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The backup is over.
    Over,
    /// The backup that was asked for did not begin.
    NotStarted,
    /// No backup runs, and none is to be waited for.
    NothingRuns,
    /// The status gave nothing usable for too long.
    StatusLost,
    /// The backup goes to another destination than the one asked for.
    OtherDestination,
    /// A signal ended the observing.
    Signal(i32),
    /// The recording is over.
    RecordingOver,
}

/// What is waited for.
#[derive(Clone, Debug)]
pub(super) enum Expecting {
    /// The backup that was asked for at this time.
    Commanded(Duration),
    /// A backup that runs, or nothing.
    Running,
    /// Any backup, whenever it comes.
    Anything,
}

/// How the polling stands.
struct Polled {
    /// When the latest answer was begun; a line of a recording is known by it.
    answer: Option<Duration>,
    /// How that call ended.
    end: CallEnd,
    /// Whether it was a status.
    usable: bool,
    /// When the status last was.
    last_usable: Option<Duration>,
    /// When to ask again.
    next: Duration,
}

/// What belongs to the open backup alone.
#[derive(Default)]
pub(super) struct Open {
    /// The looks at its link since it began.
    pub(super) looks: Vec<Look>,
    looked: bool,
    told_first: bool,
    handed_out: bool,
}

/// An observer at work.
pub(super) struct Observer<'a> {
    pub(super) mac: &'a mut dyn Mac,
    pub(super) sink: &'a mut dyn ProgressSink,
    pub(super) settings: &'a Settings,
    pub(super) patience: Patience,
    pub(super) timeline: Timeline,
    pub(super) listening: Listening,
    pub(super) from: Now,
    pub(super) warnings: Vec<Warning>,
    /// The ID of the destination that was asked for and must be kept to.
    pub(super) only: Option<String>,
    /// A first backup was asked for.
    pub(super) want_first: bool,
    /// The configured destinations.
    pub(super) destinations: Vec<Destination>,
    /// What belongs to the open backup alone.
    pub(super) open: Open,
    /// It was said what is watched; only then its state is shown.
    pub(super) announced: bool,
    /// A signal came before the loop began.
    pub(super) ended_early: Option<i32>,
    pub(super) keeper: Keeper<'a>,
    rates: RateWindow,
    /// The latest thing that was seen or heard.
    pub(super) last_observed: Now,
    polled: Polled,
}

impl<'a> Observer<'a> {
    pub(super) fn new(
        mac: &'a mut dyn Mac,
        sink: &'a mut dyn ProgressSink,
        journal: &'a mut dyn Journal,
        settings: &'a Settings,
    ) -> Self {
        let from = mac.now();
        Self {
            mac,
            sink,
            settings,
            patience: Patience::new(settings.deadline),
            timeline: Timeline::new(settings.stall_after),
            listening: Listening::new(),
            from,
            warnings: Vec::new(),
            only: None,
            want_first: false,
            destinations: Vec::new(),
            open: Open::default(),
            announced: false,
            ended_early: None,
            keeper: Keeper::new(journal),
            rates: RateWindow::default(),
            last_observed: from,
            polled: Polled {
                answer: None,
                end: CallEnd::NotRecorded,
                usable: false,
                last_usable: None,
                next: from.elapsed,
            },
        }
    }

    /// Whether `tmutil status` has ever given a usable answer.
    pub(super) fn was_ever_answered(&self) -> bool {
        self.polled.last_usable.is_some()
    }

    /// What went wrong with the keeping, if anything did.
    pub(super) fn journal_warning(&self) -> Option<Warning> {
        self.keeper.warning()
    }

    /// The open backup, unless it was handed out.
    pub(super) fn draft(&self) -> Option<&Draft> {
        self.timeline.current().filter(|_| !self.open.handed_out)
    }

    /// Takes the backups that are over because another began, without those handed out.
    pub(super) fn take_closed(&mut self) -> Vec<Reading> {
        let mut closed = self.timeline.take_closed();
        if self.open.handed_out && !closed.is_empty() {
            closed.remove(0);
            self.open = Open::default();
        }
        closed
    }

    /// Forgets what was learnt of a backup that is over, because another began.
    pub(super) fn forget_closed(&mut self) {
        self.open = Open::default();
    }

    /// Notes that the open backup was handed out.
    pub(super) fn hand_out(&mut self) {
        self.open = Open { handed_out: true, ..Open::default() };
    }

    /// Notes that this program asked for a backup.
    pub(super) fn commanded(&mut self, at: Now, destination_id: Option<String>) {
        self.keeper
            .keep(JournalLine::Destination(Destination { id: destination_id.clone(), ..Destination::default() }));
        self.keeper.keep(JournalLine::Asked(at));
        self.timeline.push(at.into(), &Input::Command { destination_id });
    }

    /// Observes until there is a reason to stop, or a backup is over.
    pub(super) fn observe(&mut self, expecting: &Expecting) -> Stop {
        if let Some(number) = self.ended_early {
            return Stop::Signal(number);
        }
        loop {
            let now = self.mac.now();
            if let Some(stop) = self.reason_to_stop(now, expecting) {
                return stop;
            }
            if self.listening.restart_at().is_some_and(|at| at <= now.elapsed) {
                self.listening.start(&mut *self.mac);
            }
            let until = self.next_wake(expecting);
            let woke_to_poll = match self.mac.next(until) {
                Wake::Tick => {
                    self.end_record();
                    true
                }
                Wake::LogLine(line) => self.hear(&line),
                Wake::LogEnded { exit, stderr } => {
                    self.stream_ended(exit, &stderr);
                    false
                }
                Wake::Signal(Signal::Info) => {
                    self.show_now();
                    false
                }
                Wake::Signal(Signal::End(number)) => return Stop::Signal(number),
                Wake::Ended => return Stop::RecordingOver,
            };
            let due = woke_to_poll || self.mac.now().elapsed >= self.polled.next;
            if let Some(stop) = due.then(|| self.poll()).flatten() {
                return stop;
            }
            if self.timeline.closed().len() > usize::from(self.open.handed_out) {
                return Stop::Over;
            }
        }
    }

    fn reason_to_stop(&self, now: Now, expecting: &Expecting) -> Option<Stop> {
        if now.elapsed >= self.silent_until() {
            return Some(Stop::StatusLost);
        }
        let Some(draft) = self.draft() else {
            let idle = self.polled.usable;
            return (matches!(expecting, Expecting::Running) && idle).then_some(Stop::NothingRuns);
        };
        let shown = draft.was_seen_running() || draft.has_verdict();
        let over = draft.over_at().and_then(|at| at.mono).map(|mono| mono.elapsed);
        let still_busy = self.settings.until_idle && draft.was_seen_running() && !draft.is_idle();
        if let Some(since) = over {
            return (now.elapsed >= since + self.patience.tail && !still_busy).then_some(Stop::Over);
        }
        let in_vain =
            matches!(expecting, Expecting::Commanded(at) if !shown && now.elapsed >= *at + self.patience.start);
        // A mute status does not say that nothing began.
        let in_vain = in_vain && self.polled.usable;
        in_vain.then_some(Stop::NotStarted)
    }

    /// Shows the state, because someone asked.
    fn show_now(&mut self) {
        if self.draft().is_some() {
            let progress = self.progress();
            self.sink.show_now(&progress);
        } else {
            self.sink.say(&News::Note("no backup is running; waiting for one".to_owned()));
        }
    }

    /// When a status that gives nothing usable will have done so for too long.
    fn silent_until(&self) -> Duration {
        self.polled.last_usable.unwrap_or(self.from.elapsed) + self.patience.silence
    }

    fn next_wake(&self, expecting: &Expecting) -> Duration {
        let over = self.draft().and_then(Draft::over_at).and_then(|at| at.mono);
        let over = over.map(|since| since.elapsed + self.patience.tail);
        let start = match expecting {
            Expecting::Commanded(at) => self
                .draft()
                .filter(|draft| !draft.was_seen_running() && !draft.has_verdict())
                .map(|_| *at + self.patience.start),
            _ => None,
        };
        let now = self.mac.now().elapsed;
        [Some(self.polled.next), over.filter(|at| *at > now), start.filter(|at| *at > now), self.listening.restart_at()]
            .into_iter()
            .flatten()
            .fold(self.silent_until(), Duration::min)
    }

    /// Takes the end of the log stream.
    pub(super) fn stream_ended(&mut self, exit: Option<i32>, stderr: &str) {
        let now = self.mac.now();
        self.listening.stream_ended(exit, stderr, now, self.patience.restart);
        if let Hearing::Deaf(why) = self.listening.hearing() {
            let line = format!(
                "warning: the log can't be read: {why}. The outcome will stay unknown, and the bytes are those of the status; \
                 an administrator can read it"
            );
            self.sink.say(&News::Note(line));
        }
    }

    /// No more lines of a record of text are expected when none has come for a while.
    fn end_record(&mut self) {
        let now = self.mac.now().elapsed;
        if self.listening.pending_since().is_some_and(|since| now >= since + self.patience.record) {
            self.flush_log();
        }
    }

    /// Takes a line of the log and tells whether something is understood with it.
    pub(super) fn hear(&mut self, line: &str) -> bool {
        let now = self.mac.now();
        let told = self.listening.line(line, now);
        self.take(told)
    }

    /// Takes the latest record of the log, which no other has ended: where lines are text, more of it might have come.
    pub(super) fn flush_log(&mut self) {
        if let Some(told) = self.listening.flush() {
            self.take(told);
        }
    }

    fn take(&mut self, told: Told) -> bool {
        if told.events.is_empty() {
            return false;
        }
        if told.at.elapsed > self.last_observed.elapsed {
            self.last_observed = told.at;
        }
        for line in told.lines {
            self.keeper.keep(JournalLine::Log(told.at, line));
        }
        for (at, event) in told.events {
            self.timeline.push(at, &Input::Event(event));
        }
        true
    }

    /// Asks for the status for the first time and tells how the call ended.
    pub(super) fn poll_first(&mut self) -> CallEnd {
        let _ = self.poll();
        self.polled.end.clone()
    }

    /// Asks for the status once. One line of a recording makes one sample, however often it answers.
    fn poll(&mut self) -> Option<Stop> {
        let answer = self.mac.run(&self.patience.deadlines.status());
        let now = self.mac.now();
        self.polled.next = (answer.started + self.settings.interval).max(now.elapsed);
        if self.polled.answer == Some(answer.started) {
            if self.polled.usable {
                self.polled.last_usable = Some(now.elapsed);
            }
            return None;
        }
        self.polled.answer = Some(answer.started);
        self.polled.end = answer.end.clone();
        let then = clocks_at(&answer, now);
        let at = Moment::from(then);
        let input = read_status(&answer);
        self.polled.usable = matches!(input, Input::Sample(_));
        if self.polled.usable {
            self.polled.last_usable = Some(now.elapsed);
            self.last_observed = then;
        }
        self.timeline.push(at, &input);
        let stop = if let Input::Sample(sample) = input {
            let stop = self.note(then, &sample);
            // While nothing runs there is nothing to keep.
            if sample.running || self.draft().is_some() {
                self.keeper.keep(JournalLine::Sample(then, sample));
            }
            self.look_during(then);
            stop
        } else {
            if self.draft().is_some() {
                let why = answer.problem().unwrap_or_else(|| "was no status".to_owned());
                self.keeper.keep(JournalLine::Unanswered(then, why));
            }
            None
        };
        if self.announced && self.draft().is_some() {
            let progress = self.progress();
            self.sink.update(&progress);
        }
        stop
    }

    /// Looks at the link as soon as the status tells where the destination is mounted.
    fn look_during(&mut self, then: Now) {
        let Some(draft) = self.draft() else { return };
        if self.open.looked || draft.is_idle() || draft.destination().mount_point.is_none() {
            return;
        }
        let destination = self.known(draft.destination());
        let began = draft.started().filter(|(_, source)| *source != Source::Command).and_then(|(at, _)| at.zoned());
        if let Some(at) = began {
            let name = destination.name.as_deref().unwrap_or("a destination without a name");
            self.sink.say(&News::Note(format!("A backup to {name} began at {}.", at.format("%H:%M:%S"))));
        }
        self.open.looked = true;
        self.keeper.keep(JournalLine::Destination(destination.clone()));
        self.look(&destination, Seen::During, then.elapsed);
    }

    /// Looks at the link, with answers not older than `since`.
    pub(super) fn look(&mut self, destination: &Destination, seen: Seen, since: Duration) {
        let mut fresh = Fresh { mac: &mut *self.mac, since };
        let look = links::look(destination, seen, &mut fresh);
        for link in &look.links {
            self.keeper.keep(JournalLine::Link(link.clone()));
        }
        self.open.looks.push(look);
    }

    /// A destination with what `tmutil destinationinfo` says of it.
    pub(super) fn known(&self, destination: &Destination) -> Destination {
        let mut whole = destination.clone();
        let same = |other: &&Destination| whole.id.is_some() && other.id == whole.id;
        if let Some(configured) = self.destinations.iter().find(same) {
            whole.fill_from(configured);
        }
        whole
    }

    /// What follows from a sample beside the fold.
    fn note(&mut self, then: Now, sample: &Sample) -> Option<Stop> {
        let draft = self.timeline.current()?;
        match draft.bytes().filter(|_| sample.is_copying()) {
            Some(bytes) => self.rates.push(then.elapsed, bytes, draft.items()),
            None => self.rates.pause(),
        }
        if self.want_first && !self.open.told_first && draft.first() == Some(false) {
            self.open.told_first = true;
            let message = "this is not a first backup: the status says that it is an ordinary one".to_owned();
            self.sink.say(&News::Note(message.clone()));
            self.warnings.push(Warning { code: WarningCode::NotFirst, field: Some("first".to_owned()), message });
        }
        let elsewhere = self.only.as_ref().zip(sample.destination_id.as_ref()).is_some_and(|(only, id)| only != id);
        (sample.running && elsewhere).then_some(Stop::OtherDestination)
    }

    pub(super) fn progress(&self) -> crate::domain::progress::Progress {
        progress::compose(self.draft(), &self.rates, self.mac.now(), self.settings.stall_after)
    }
}

/// What all clocks said when a call was begun.
pub(super) fn clocks_at(answer: &Captured, now: Now) -> Now {
    let ago = now.elapsed.saturating_sub(answer.started);
    Now { elapsed: answer.started, awake: now.awake.saturating_sub(ago), wall: now.wall - ago }
}

/// A Mac that answers with nothing older than asked for. A recording may hold only an old answer, which says nothing of now.
struct Fresh<'a> {
    mac: &'a mut dyn Mac,
    since: Duration,
}

impl Tools for Fresh<'_> {
    fn run(&mut self, call: &Call) -> Captured {
        let answer = self.mac.run(call);
        if answer.started >= self.since {
            return answer;
        }
        Captured { end: CallEnd::NotRecorded, stdout: Vec::new(), stderr: Vec::new(), ..answer }
    }
}

fn read_status(answer: &Captured) -> Input {
    if answer.problem().is_some() {
        return Input::Unanswered;
    }
    tmutil::status::parse_status(&answer.stdout).map_or(Input::Unanswered, Input::Sample)
}
