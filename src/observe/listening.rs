//! Following the log while a backup runs, and looking back into it afterwards.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use chrono::{DateTime, FixedOffset, TimeDelta};

use crate::domain::backup::{Warning, WarningCode};
use crate::domain::event::Event;
use crate::domain::time::{Moment, Mono, Wall};
use crate::logs::{Heard, LiveLog};
use crate::ports::{LogSource, LogStyle, LookBack, Now};

/// A line whose own stamp is further than this from the clock is not believed to have been written just now.
const STAMP_TOLERANCE: TimeDelta = TimeDelta::seconds(90);
/// The exit code of `log` for users who are not administrators.
const NOT_ADMINISTRATOR: i32 = 77;
/// The exit code of `log` for a command line that it does not understand.
const NOT_UNDERSTOOD: i32 = 64;

/// What the log can be relied on for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hearing {
    /// The stream was asked for and has said nothing yet.
    Waiting,
    /// The stream runs.
    Streaming,
    /// The stream ended and may be started again.
    Ended,
    /// There is no log to be had, for this reason.
    Deaf(String),
}

/// What lines of the log tell.
pub(super) struct Told {
    /// When the last of them arrived.
    pub(super) at: Now,
    /// What they mean, and when that was.
    pub(super) events: Vec<(Moment, Event)>,
    /// The lines themselves.
    pub(super) lines: Vec<String>,
}

/// The ear at the log.
pub(super) struct Listening {
    style: LogStyle,
    live: LiveLog,
    hearing: Hearing,
    /// Lines may be missing.
    gap: bool,
    restart_at: Option<Duration>,
    heard: HashSet<u64>,
    /// Lines that may belong to a record that is not yet known to be over, and when the last of them arrived.
    pending: Vec<String>,
    arrived: Option<Now>,
}

impl Listening {
    pub(super) fn new() -> Self {
        Self {
            style: LogStyle::Ndjson,
            live: LiveLog::new(LogStyle::Ndjson),
            hearing: Hearing::Waiting,
            gap: false,
            restart_at: None,
            heard: HashSet::new(),
            pending: Vec::new(),
            arrived: None,
        }
    }

    pub(super) fn start(&mut self, log: &mut (impl LogSource + ?Sized)) {
        self.hearing = Hearing::Waiting;
        self.restart_at = None;
        log.start_stream(self.style);
    }

    pub(super) fn hearing(&self) -> &Hearing {
        &self.hearing
    }

    /// When the stream is to be started again.
    pub(super) fn restart_at(&self) -> Option<Duration> {
        self.restart_at
    }

    /// Takes a line of the stream and gives what is understood with it. In a log of text it is the next line that shows a
    /// record to be over.
    pub(super) fn line(&mut self, line: &str, now: Now) -> Told {
        self.hearing = Hearing::Streaming;
        let heard = self.live.push_line(line);
        let completes = !heard.is_empty();
        // An object is whole; a line of text ends the record before.
        let at = if line.starts_with('{') { now } else { self.arrived.unwrap_or(now) };
        let events = self.understand(heard, at);
        if events.is_empty() && completes {
            self.pending.clear();
        }
        if self.style == LogStyle::Syslog || !events.is_empty() {
            self.pending.push(line.to_owned());
        }
        self.arrived = Some(now);
        let lines = if events.is_empty() { Vec::new() } else { std::mem::take(&mut self.pending) };
        Told { at, events, lines }
    }

    /// When the latest line arrived, as long as its record is not known to be over.
    pub(super) fn pending_since(&self) -> Option<Duration> {
        self.arrived.filter(|_| !self.pending.is_empty()).map(|at| at.elapsed)
    }

    /// Gives what a record that was not known to be over means.
    pub(super) fn flush(&mut self) -> Option<Told> {
        let at = self.arrived.take()?;
        let heard = self.live.flush();
        Some(Told { at, events: self.understand(heard, at), lines: std::mem::take(&mut self.pending) })
    }

    fn understand(&mut self, heard: Vec<Heard>, now: Now) -> Vec<(Moment, Event)> {
        let mut events = Vec::new();
        for heard in heard {
            match heard {
                Heard::Event { at, event } => {
                    self.heard.insert(fingerprint(at, &event));
                    events.push((arrival(now, at), event));
                }
                Heard::Dropped => self.gap = true,
                Heard::Preamble | Heard::NotUnderstood(_) | Heard::Other => {}
            }
        }
        events
    }

    /// Takes the end of the stream: without rights there is no other, without ndjson the style changes, else it is started
    /// again after `pause`.
    pub(super) fn stream_ended(&mut self, exit: Option<i32>, stderr: &str, now: Now, pause: Duration) {
        let never_spoke = self.hearing == Hearing::Waiting;
        let said = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given").trim();
        self.hearing = match exit {
            Some(NOT_ADMINISTRATOR) => Hearing::Deaf("`log` is for administrators only (exit 77)".to_owned()),
            None if never_spoke => Hearing::Deaf(said.to_owned()),
            Some(NOT_UNDERSTOOD) if never_spoke && self.style == LogStyle::Ndjson => {
                self.style = LogStyle::Syslog;
                self.live = LiveLog::new(LogStyle::Syslog);
                Hearing::Ended
            }
            Some(code) if never_spoke && code != 0 => Hearing::Deaf(format!("`log` ended with {code}: {said}")),
            _ => {
                self.gap = true;
                Hearing::Ended
            }
        };
        if self.hearing == Hearing::Ended {
            self.restart_at = Some(now.elapsed + if never_spoke { Duration::ZERO } else { pause });
        }
    }

    /// Whether lines may be missing that a look back could bring.
    pub(super) fn may_have_missed(&self) -> bool {
        self.gap || self.hearing != Hearing::Streaming
    }

    /// Looks back and gives what had not been heard.
    pub(super) fn look_back(
        &mut self,
        log: &mut (impl LogSource + ?Sized),
        since: DateTime<FixedOffset>,
        now: Now,
        deadline: Duration,
    ) -> Result<Vec<(Moment, Event)>, String> {
        let lines = match log.look_back(self.style, since, deadline) {
            LookBack::Lines(lines) => lines,
            LookBack::Failed { why, .. } => return Err(why),
        };
        let mut past = LiveLog::new(self.style);
        let mut heard: Vec<Heard> = lines.iter().flat_map(|line| past.push_line(line)).collect();
        heard.extend(past.flush());
        let events = heard.into_iter().filter_map(|heard| match heard {
            Heard::Event { at, event } => Some((at, event)),
            _ => None,
        });
        let mut new = Vec::new();
        for (at, event) in events {
            if self.heard.insert(fingerprint(at, &event)) {
                new.push((long_ago(now, at), event));
            }
        }
        self.gap = false;
        Ok(new)
    }

    /// The word on a log that could not be heard or not wholly.
    pub(super) fn warning(&self) -> Option<Warning> {
        match &self.hearing {
            Hearing::Deaf(why) => Some(Warning {
                code: WarningCode::LogUnreadable,
                field: None,
                message: format!("the log could not be read: {why}; the outcome and the exact bytes may stay unknown"),
            }),
            _ if self.gap => Some(Warning {
                code: WarningCode::LogGap,
                field: None,
                message: "lines of the log are missing and a look back did not bring them".to_owned(),
            }),
            _ => None,
        }
    }
}

fn fingerprint(at: Option<Wall>, event: &Event) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{at:?} {event:?}").hash(&mut hasher);
    hasher.finish()
}

/// The moment of a line that just arrived: durations by our clock, the wall time by the line's own stamp.
fn arrival(now: Now, stamp: Option<Wall>) -> Moment {
    let own = stamp.filter(|stamp| stamp.zoned().is_some_and(|at| (now.wall - at).abs() <= STAMP_TOLERANCE));
    Moment { mono: Some(Mono { elapsed: now.elapsed, awake: now.awake }), wall: own.or(Some(Wall::Zoned(now.wall))) }
}

/// The moment of a line found by looking back: by its stamp alone, put on our clock if it lies within the observing.
fn long_ago(now: Now, stamp: Option<Wall>) -> Moment {
    let mono = stamp.and_then(Wall::zoned).and_then(|at| {
        let ago = (now.wall - at).to_std().unwrap_or_default();
        Some(Mono { elapsed: now.elapsed.checked_sub(ago)?, awake: now.awake.checked_sub(ago)? })
    });
    Moment { mono, wall: stamp }
}
