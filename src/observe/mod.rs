//! The live loop of one Mac: starts or joins a backup, watches it, and says what it saw. It prints nothing and touches
//! nothing but its ports.

mod before;
pub mod destinations;
mod ending;
mod keeping;
mod listening;
mod looking;
mod observer;
mod patience;
mod progress;
mod snapshots;
pub mod survey;

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, FixedOffset};

use crate::contract::journal::Header;
use crate::domain::backup::{Backup, Outcome};
use crate::domain::destination::Destination;
use crate::domain::reading::Reading;
use crate::domain::timeline::Draft;
use crate::error::{Exit, Failure};
use crate::ports::{CallEnd, Journal, Mac, News, ProgressSink};
use crate::tmutil;

use before::Before;
use observer::{Expecting, Observer, Stop, clocks_at};
pub use patience::Patience;

/// How to observe.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Between two polls of the status.
    pub interval: Duration,
    /// The deadline of `tmutil`, with which all waits scale; `None` for the usual ones.
    pub deadline: Option<Duration>,
    /// Bytes that stand for so long while copying are a stall.
    pub stall_after: Duration,
    /// Wait for the removal of old backups too.
    pub until_idle: bool,
    /// Whether this program may read what Time Machine protects; `None` if that can't be told.
    pub full_disk_access: Option<bool>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(1),
            deadline: None,
            stall_after: Duration::from_secs(60),
            until_idle: false,
            full_disk_access: None,
        }
    }
}

/// What to observe.
#[derive(Clone, Debug)]
pub enum Task {
    /// Start a backup, or join the one that runs.
    Run {
        /// The destination, by name, ID or mount point; macOS's own choice if left out.
        destination: Option<String>,
        /// Join a running backup whatever its destination.
        any: bool,
        /// Refuse where it is proven that it would not be the first.
        first: bool,
    },
    /// Watch a backup that something else starts.
    Watch {
        /// Wait for one if none runs.
        wait: bool,
        /// Go on after each.
        forever: bool,
    },
}

impl Task {
    fn name(&self) -> &'static str {
        match self {
            Self::Run { .. } => "run",
            Self::Watch { .. } => "watch",
        }
    }

    fn attempt(&self) -> &'static str {
        match self {
            Self::Run { .. } => "could not start a backup",
            Self::Watch { .. } => "could not watch for a backup",
        }
    }
}

/// The doors of an observing.
pub struct Doors<'a> {
    /// The Mac, or the recording of one.
    pub mac: &'a mut dyn Mac,
    /// Whoever watches.
    pub sink: &'a mut dyn ProgressSink,
    /// Where observations are kept as they come.
    pub journal: &'a mut dyn Journal,
}

/// Observes, hands out each backup when it is over, and tells the exit code.
///
/// # Errors
/// A [`Failure`] where nothing could be observed or the start was refused; what `each` fails with.
pub fn observe(
    doors: &mut Doors<'_>,
    settings: &Settings,
    task: &Task,
    each: &mut dyn FnMut(Backup) -> anyhow::Result<()>,
) -> anyhow::Result<Exit> {
    let mut observer = Observer::new(&mut *doors.mac, &mut *doors.sink, &mut *doors.journal, settings);
    let result = observe_with(&mut observer, task, each);
    observer.mac.stop_stream();
    observer.sink.finish();
    result
}

fn observe_with(
    observer: &mut Observer<'_>,
    task: &Task,
    each: &mut dyn FnMut(Backup) -> anyhow::Result<()>,
) -> anyhow::Result<Exit> {
    let destinations = configured(observer, task)?;
    let wanted = wanted(destinations.as_deref(), task)?;
    observer.destinations = destinations.unwrap_or_default();
    let mount_points = observer.destinations.iter().filter_map(|known| known.mount_point.as_ref());
    observer.keeper.avoid(mount_points.map(PathBuf::from).collect());
    first_status(observer, task)?;
    let runs = observer.draft().is_some();
    let mut before = Before::default();
    before.ask(observer, runs, wanted.as_ref());
    observer.keeper.begin(Header {
        command: task.name().to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        from: observer.from.wall,
        macos: before.macos().map(str::to_owned),
    });
    if let Task::Run { any, first, .. } = task {
        observer.only = wanted.as_ref().filter(|_| !any).and_then(|wanted| wanted.id.clone());
        observer.want_first = *first;
        if runs {
            refuse_other(observer, wanted.as_ref(), *any)?;
        } else if *first {
            before.refuse_if_proven_not_first(wanted.as_ref())?;
        }
    }
    Before::listen(observer);
    if runs {
        announce(observer, &before, None);
    }
    let expecting = match task {
        Task::Run { .. } if runs => Expecting::Running,
        Task::Run { .. } => start(observer, &before, wanted.as_ref())?,
        Task::Watch { wait: false, forever: false } => Expecting::Running,
        Task::Watch { .. } => {
            if !runs {
                observer.sink.say(&News::Note("No backup runs; waiting for one. Ctrl-C ends the waiting.".to_owned()));
            }
            Expecting::Anything
        }
    };
    observer.announced = true;
    let forever = matches!(task, Task::Watch { forever: true, .. });
    let mut exit = Exit::Done;
    let mut count = 0_usize;
    let mut each = |backup| {
        count += 1;
        each(backup)
    };
    loop {
        let stop = observer.observe(&expecting);
        exit = exit.worst(hand_out(observer, task, &before, stop, &mut each)?);
        match stop {
            Stop::Over if forever => {}
            Stop::RecordingOver if count == 0 => {
                let stop = if observer.draft().is_some() { Stop::NotStarted } else { Stop::NothingRuns };
                return Err(ending::failure(stop, task, observer).into());
            }
            // Whoever watches on and on wants the backups, not a judgement of them.
            Stop::Signal(_) | Stop::RecordingOver if forever => return Ok(Exit::Done),
            Stop::Over | Stop::Signal(_) | Stop::RecordingOver => return Ok(exit),
            other => return Err(ending::failure(other, task, observer).into()),
        }
    }
}

/// Asks which destinations are configured; `None` if that could not be learnt.
fn configured(observer: &mut Observer<'_>, task: &Task) -> Result<Option<Vec<Destination>>, Failure> {
    let answer = observer.mac.run(&observer.patience.deadlines.destinationinfo());
    if answer.end == CallEnd::NotFound {
        return Err(ending::no_tmutil(task.attempt()));
    }
    if answer.problem().is_some() {
        return Ok(None);
    }
    Ok(tmutil::destinations::parse_destinations(&answer.stdout).ok())
}

/// The destination that was asked for.
fn wanted(destinations: Option<&[Destination]>, task: &Task) -> Result<Option<Destination>, Failure> {
    let Task::Run { destination, .. } = task else { return Ok(None) };
    if destinations.is_some_and(<[Destination]>::is_empty) {
        return Err(Failure::new(Exit::BackupFailed, "could not start a backup: no destination is configured")
            .hint("add one under System Settings > General > Time Machine, or with `tmutil setdestination`"));
    }
    let Some(name) = destination else { return Ok(None) };
    let Some(destinations) = destinations else {
        return Err(Failure::new(
            Exit::Tool,
            format!("could not find the destination `{name}`: `tmutil destinationinfo -X` gave no usable answer"),
        )
        .hint("leave out --destination to take macOS's own choice"));
    };
    tmutil::select::select(destinations, name).map(|found| Some(found.clone())).map_err(|error| {
        Failure::new(Exit::Use, format!("could not choose the destination `{name}`: {error}"))
            .hint("name it by its ID, as `tmutil destinationinfo` prints it")
    })
}

/// Asks for the status before anything else happens.
fn first_status(observer: &mut Observer<'_>, task: &Task) -> Result<(), Failure> {
    let end = observer.poll_first();
    match end {
        CallEnd::NotFound => Err(ending::no_tmutil(task.attempt())),
        CallEnd::NotRecorded => Err(Failure::new(
            Exit::Damaged,
            format!("{}: the recording holds no answer of `tmutil status -X`", task.attempt()),
        )
        .hint("a recording needs at least one; docs/design.md describes the form")),
        _ => Ok(()),
    }
}

/// Refuses to join a backup to another destination than the one asked for.
fn refuse_other(observer: &Observer<'_>, wanted: Option<&Destination>, any: bool) -> Result<(), Failure> {
    let running = observer.draft().and_then(|draft| draft.destination().id.as_deref());
    let other = wanted.and_then(|wanted| wanted.id.as_deref()).zip(running).is_some_and(|(a, b)| a != b);
    if other && !any {
        return Err(ending::other_destination());
    }
    Ok(())
}

/// Gives the start command.
fn start(observer: &mut Observer<'_>, before: &Before, wanted: Option<&Destination>) -> Result<Expecting, Failure> {
    let id = wanted.and_then(|wanted| wanted.id.as_deref());
    let answer = observer.mac.run(&observer.patience.deadlines.startbackup(id));
    let now = observer.mac.now();
    match &answer.end {
        // A recording of a backup that ran already.
        CallEnd::NotRecorded => return Ok(Expecting::Anything),
        CallEnd::NotFound => return Err(ending::no_tmutil("could not start a backup")),
        CallEnd::Exit(0) | CallEnd::TimedOut => {}
        CallEnd::Exit(code) => {
            let said = String::from_utf8_lossy(&answer.stderr);
            let said = said.lines().chain(std::str::from_utf8(&answer.stdout).unwrap_or_default().lines());
            let said = said.map(str::trim).find(|line| !line.is_empty()).unwrap_or("it gave no reason").to_owned();
            return Err(Failure::new(
                Exit::BackupFailed,
                format!("could not start a backup: `tmutil startbackup` ended with {code}: {said}"),
            )
            .hint("`tmgauge doctor` checks what works here"));
        }
        CallEnd::Signal(_) | CallEnd::Failed(_) => {
            let why = answer.problem().unwrap_or_default();
            return Err(Failure::new(Exit::Tool, format!("could not start a backup: `tmutil startbackup` {why}"))
                .hint("`tmgauge doctor` checks what works here"));
        }
    }
    let at = clocks_at(&answer, now);
    observer.commanded(at, id.map(str::to_owned));
    announce(observer, before, Some(at.wall));
    Ok(Expecting::Commanded(answer.started))
}

/// Says that the watching of a backup begins.
fn announce(observer: &mut Observer<'_>, before: &Before, asked: Option<DateTime<FixedOffset>>) {
    let destination = observer.draft().map(|draft| draft.reading().destination).unwrap_or_default();
    let mut destination = observer.known(&destination);
    if let ([only], None) = (observer.destinations.as_slice(), &destination.id) {
        destination.fill_from(only);
    }
    let link = before.of(&destination).and_then(|(_, look, _)| look.links.first().cloned());
    let first = observer.draft().and_then(Draft::first);
    observer.sink.say(&News::Begins { destination, link: link.map(Box::new), first, asked });
}

/// Hands out what is over, and what is open when the observing stops.
fn hand_out(
    observer: &mut Observer<'_>,
    task: &Task,
    before: &Before,
    stop: Stop,
    each: &mut dyn FnMut(Backup) -> anyhow::Result<()>,
) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    let closed = observer.take_closed();
    let another_began = !closed.is_empty();
    for reading in closed {
        let from_start = reading.started.is_some();
        let backup = ending::record(observer, task, before, &reading, Stop::Over, from_start);
        exit = exit.worst(exit_of(&backup));
        observer.sink.finish();
        each(backup)?;
        observer.forget_closed();
    }
    if stop == Stop::Over && another_began {
        return Ok(exit);
    }
    observer.flush_log();
    if observer.draft().is_none() || stop == Stop::NothingRuns {
        return Ok(exit);
    }
    ending::look_back(observer);
    let Some(draft) = observer.draft() else { return Ok(exit) };
    if !draft.was_seen_running() && !draft.has_verdict() {
        return Ok(exit);
    }
    let (mut reading, from_start): (Reading, bool) = (draft.reading(), draft.seen_from_start());
    let refused = !draft.was_seen_running() && matches!(reading.outcome.0, Outcome::Deferred | Outcome::Failed);
    if stop == Stop::Over {
        ending::look_after(observer, before, &mut reading);
    }
    let backup = ending::record(observer, task, before, &reading, stop, from_start);
    observer.hand_out();
    observer.sink.finish();
    // What never began has no end either: the error says why.
    if !refused {
        ending::say_farewell(observer, &backup, stop);
    }
    exit = exit.worst(match stop {
        Stop::Signal(number) => Exit::Signal(number),
        _ => exit_of(&backup),
    });
    let failure = refused.then(|| ending::refusal(&backup));
    each(backup)?;
    observer.keeper.release();
    failure.map_or(Ok(exit), |failure| Err(failure.into()))
}

fn exit_of(backup: &Backup) -> Exit {
    match backup.outcome {
        Outcome::Completed | Outcome::Running => Exit::Done,
        Outcome::Failed | Outcome::Cancelled | Outcome::Deferred | Outcome::Interrupted => Exit::BackupFailed,
        Outcome::Unknown => Exit::OutcomeUnknown,
    }
}
