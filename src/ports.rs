//! The doors to the world that a live run needs. `system` holds the real ones; a recording stands in for all of them.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, FixedOffset};

use crate::domain::backup::Outcome;
use crate::domain::destination::Destination;
use crate::domain::link::Link;
use crate::domain::progress::Progress;
use crate::domain::time::{Moment, Mono, Wall};

/// One call of one of Apple's tools.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The tool's base name, such as `tmutil`.
    pub tool: String,
    /// Its arguments, exactly.
    pub args: Vec<String>,
    /// How long it may take.
    pub deadline: Duration,
}

impl Call {
    /// Describes a call.
    pub fn new(tool: &str, args: &[&str], deadline: Duration) -> Self {
        Self { tool: tool.to_owned(), args: args.iter().map(|&arg| arg.to_owned()).collect(), deadline }
    }

    /// The call as a person would type it.
    pub fn command_line(&self) -> String {
        let mut line = self.tool.clone();
        for arg in &self.args {
            line.push(' ');
            line.push_str(arg);
        }
        line
    }
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// With an exit code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// It outlived its deadline and was killed.
    TimedOut,
    /// There is no such tool.
    NotFound,
    /// The recording holds no such call.
    NotRecorded,
    /// It could not be started.
    Failed(String),
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// When it was started, in elapsed time. In a recording this names the line: the same line has the same time.
    pub started: Duration,
    /// How long it took.
    pub took: Duration,
    /// How it ended.
    pub end: CallEnd,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained.
    pub stderr: Vec<u8>,
}

impl Captured {
    /// Whether it ran to its end and says that it succeeded.
    pub fn succeeded(&self) -> bool {
        self.end == CallEnd::Exit(0)
    }

    /// Why there is no answer, in words that follow the name of the tool; `None` if it ran to an exit code.
    pub fn problem(&self) -> Option<String> {
        match &self.end {
            CallEnd::Exit(_) => None,
            CallEnd::Signal(signal) => Some(format!("was ended by signal {signal}")),
            CallEnd::TimedOut => Some(format!("gave no answer within {} s", self.took.as_secs_f64().round())),
            CallEnd::NotFound => Some("does not exist on this system".to_owned()),
            CallEnd::NotRecorded => Some("is not in the recording".to_owned()),
            CallEnd::Failed(why) => Some(format!("could not be started: {why}")),
        }
    }
}

/// Apple's tools.
pub trait Tools {
    /// Runs a tool to its end or its deadline. Never fails: what went wrong is in the answer.
    fn run(&mut self, call: &Call) -> Captured;
}

/// A reading of all clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Since the observing began, sleep counted.
    pub elapsed: Duration,
    /// The same without sleep.
    pub awake: Duration,
    /// The wall clock with its offset.
    pub wall: DateTime<FixedOffset>,
}

impl From<Now> for Moment {
    fn from(now: Now) -> Self {
        Self { mono: Some(Mono { elapsed: now.elapsed, awake: now.awake }), wall: Some(Wall::Zoned(now.wall)) }
    }
}

/// The clocks.
pub trait Clock {
    /// Reads them.
    fn now(&self) -> Now;
}

/// A signal that means something to an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// End the observing; the number is the signal's.
    End(i32),
    /// Print the state now.
    Info,
}

/// What an observer waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The time asked for has come, or something to poll for may have.
    Tick,
    /// A line of the log arrived.
    LogLine(String),
    /// The log stream ended.
    LogEnded {
        /// Its exit code, if it had one.
        exit: Option<i32>,
        /// What it complained.
        stderr: String,
    },
    /// A signal came.
    Signal(Signal),
    /// Nothing more can come: the recording is over.
    Ended,
}

/// The one place that waits.
pub trait Inbox {
    /// Waits until `until` (elapsed) at most, and returns what came first.
    fn next(&mut self, until: Duration) -> Wake;
}

/// The forms in which the log is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogStyle {
    /// One JSON object a line.
    Ndjson,
    /// Text lines; for a `log` that knows no ndjson.
    Syslog,
}

impl LogStyle {
    /// The word after `--style`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Syslog => "syslog",
        }
    }
}

/// What a look back into the log gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookBack {
    /// Its lines.
    Lines(Vec<String>),
    /// Why there are none.
    Failed {
        /// The exit code of `log`, if it ran.
        exit: Option<i32>,
        /// In words.
        why: String,
    },
}

/// The log of this Mac. Lines of a stream arrive in the inbox.
pub trait LogSource {
    /// Starts the stream, anew if it had ended.
    fn start_stream(&mut self, style: LogStyle);
    /// Ends it.
    fn stop_stream(&mut self);
    /// Asks for what was logged since `since`.
    fn look_back(&mut self, style: LogStyle, since: DateTime<FixedOffset>, deadline: Duration) -> LookBack;
}

/// Everything a live run needs of a Mac.
pub trait Mac: Tools + Clock + Inbox + LogSource {}
impl<T: Tools + Clock + Inbox + LogSource> Mac for T {}

/// Where samples and log lines are kept as they come.
pub trait Journal {
    /// Names the destinations' mount points: nothing may be kept there.
    fn avoid(&mut self, mount_points: Vec<PathBuf>);
    /// Keeps one whole line (without its line feed).
    fn append(&mut self, line: &str) -> std::io::Result<()>;
    /// Lets go of what was kept, because its record is kept now; the next line begins anew.
    fn release(&mut self) -> std::io::Result<()>;
}

/// What whoever watches is told once.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// The watching of a backup begins.
    Begins {
        /// Where it goes.
        destination: Destination,
        /// Over what, if that was looked at.
        link: Option<Box<Link>>,
        /// Whether it is the first, if that is known.
        first: Option<bool>,
        /// When it was asked for; `None`: it ran already.
        asked: Option<DateTime<FixedOffset>>,
    },
    /// The backup is over.
    Ended {
        /// When that is told.
        at: DateTime<FixedOffset>,
        /// How it ended.
        outcome: Outcome,
        /// How long it took.
        duration: Option<Duration>,
    },
    /// Anything else, in words.
    Note(String),
    /// The watching is over, and the backup is not.
    Stopped {
        /// When that was.
        at: DateTime<FixedOffset>,
        /// How long was watched.
        watched: Duration,
    },
}

/// Whoever watches.
pub trait ProgressSink {
    /// Shows the state.
    fn update(&mut self, progress: &Progress);
    /// Shows the state at once, because someone asked.
    fn show_now(&mut self, progress: &Progress);
    /// Says something that stays on the screen.
    fn say(&mut self, news: &News);
    /// Takes the live display away; the next state brings it back.
    fn finish(&mut self);
}
