//! Plays a recording: every port over a virtual clock, so that an hour takes no time.
//!
//! The clock moves only when somebody waits or calls. It never passes a line of the recording without stopping there,
//! so nothing that is found depends on how often the loop polls or how fast the recording is played.

use std::time::Duration;

use chrono::{DateTime, FixedOffset, Offset, TimeDelta};

use super::format::{Header, Line, RecordedCall, Recording, What};
use crate::ports::{Call, CallEnd, Captured, Clock, Inbox, LogSource, LogStyle, LookBack, Now, Signal, Tools, Wake};

/// How long after its last line a recording is over.
const AFTERWARDS: Duration = Duration::from_secs(60);
/// The verbs of `tmutil` whose lines are commands: each answers once.
const COMMANDS: [&str; 2] = ["startbackup", "stopbackup"];

/// How often the clock stands at a start command that nobody has given yet, before it goes on without.
const STAND: u8 = 2;

/// Waits so long in real time; returns early with a signal.
pub type Waiter = Box<dyn FnMut(Duration) -> Option<Signal>>;

/// A recording that is being played.
pub struct Replay {
    header: Header,
    lines: Vec<Line>,
    clocks: Vec<ClockLine>,
    now: Duration,
    /// Which command lines have answered.
    answered: Vec<bool>,
    /// The first line that the log stream hasn't dealt with.
    log_at: usize,
    stream: Stream,
    missing_log: MissingLog,
    /// How often the clock has stood at the start command.
    stood: u8,
    pace: Option<(f64, Waiter)>,
}

/// A clock line: picked out, since the clock is read at every step.
#[derive(Clone, Copy)]
struct ClockLine {
    t: Duration,
    asleep: Duration,
    shift: TimeDelta,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    /// Never started, or ended by itself: what it would have said is still to come.
    Idle,
    Running,
    /// Stopped: what arrives meanwhile is missed.
    Stopped,
}

/// A recording without any log: that it can't be read is said once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingLog {
    No,
    ToSay,
    Said,
}

impl Replay {
    /// Plays as fast as the caller goes.
    pub fn new(recording: Recording) -> Self {
        let has_log = recording.lines.iter().any(|line| matches!(line.what, What::Log(_) | What::LogEnd { .. }));
        let clocks = recording.lines.iter().filter_map(|line| match line.what {
            What::Clock { asleep, shift } => Some(ClockLine { t: line.t, asleep, shift }),
            _ => None,
        });
        Self {
            clocks: clocks.collect(),
            answered: vec![false; recording.lines.len()],
            header: recording.header,
            lines: recording.lines,
            now: Duration::ZERO,
            log_at: 0,
            stream: Stream::Idle,
            missing_log: if has_log { MissingLog::No } else { MissingLog::ToSay },
            stood: 0,
            pace: None,
        }
    }

    /// Plays at so many times real time, waiting through `waiter`. A speed that is not a positive number changes nothing.
    #[must_use]
    pub fn at_speed(mut self, speed: f64, waiter: Waiter) -> Self {
        if speed.is_finite() && speed > 0.0 {
            self.pace = Some((speed, waiter));
        }
        self
    }

    /// Whether a backup is started in it; one without is of a run that was joined.
    pub fn has_start(&self) -> bool {
        self.lines.iter().any(|line| line.verb() == Some("startbackup"))
    }

    /// How many lines began at or before now.
    fn begun(&self) -> usize {
        self.lines.partition_point(|line| line.t <= self.now)
    }

    /// When the next line begins, or else the recording is over.
    fn next_stop(&self) -> Duration {
        self.lines.get(self.begun()).map_or_else(|| self.over_at(), |line| line.t)
    }

    fn over_at(&self) -> Duration {
        self.lines.last().map_or(Duration::ZERO, |line| line.t).saturating_add(AFTERWARDS)
    }

    /// Whether the clock stands where a start command is due that nobody has given.
    fn stands_at_start(&self) -> bool {
        let due =
            |(line, answered): (&Line, &bool)| line.t == self.now && !answered && line.verb() == Some("startbackup");
        self.lines.iter().zip(&self.answered).take(self.begun()).any(due)
    }

    /// The line that answers a call.
    fn find(&self, call: &Call) -> Option<usize> {
        let verb = call.args.first().map(String::as_str).filter(|_| call.tool == "tmutil");
        if let Some(verb) = verb.filter(|verb| COMMANDS.contains(verb)) {
            return (0..self.lines.len()).find(|&at| self.lines[at].verb() == Some(verb) && !self.answered[at]);
        }
        let matches = |line: &Line| line.call().is_some_and(|it| it.tool == call.tool && it.args == call.args);
        let begun = self.begun();
        let (past, future) = self.lines.split_at(begun);
        // What was asked right after a wake is recorded a moment later; it is the answer to the same question now.
        let soon = future.iter().take_while(|line| line.call().is_some_and(is_question)).position(matches);
        if let Some(at) = soon {
            return Some(begun + at);
        }
        if let Some(at) = past.iter().rposition(matches) {
            return Some(at);
        }
        if verb == Some("status") {
            return self.lines.iter().position(matches);
        }
        let start = if self.has_start() { "startbackup" } else { "status" };
        let start = self.lines.iter().position(|line| line.verb() == Some(start)).unwrap_or(self.lines.len());
        self.lines[..start].iter().position(matches)
    }

    /// The wake that the log stream has for us by now.
    fn log_wake(&mut self) -> Option<Wake> {
        if self.stream != Stream::Running {
            return None;
        }
        if self.missing_log == MissingLog::ToSay {
            self.missing_log = MissingLog::Said;
            return Some(Wake::LogEnded { exit: None, stderr: NO_LOG.to_owned() });
        }
        while let Some(line) = self.lines.get(self.log_at).filter(|line| line.t <= self.now) {
            self.log_at += 1;
            match &line.what {
                What::Log(text) => return Some(Wake::LogLine(text.clone())),
                What::LogEnd { exit, stderr } => {
                    self.stream = Stream::Idle;
                    return Some(Wake::LogEnded { exit: *exit, stderr: stderr.clone() });
                }
                What::Call(_) | What::Clock { .. } => {}
            }
        }
        None
    }

    /// How long the Mac slept until now. A sleep is taken to end with its line.
    fn asleep(&self) -> Duration {
        let slept = |line: &ClockLine| self.now.min(line.t).saturating_sub(line.t.saturating_sub(line.asleep));
        self.clocks.iter().map(slept).sum()
    }

    fn shift(&self) -> TimeDelta {
        self.clocks.iter().filter(|line| line.t <= self.now).map(|line| line.shift).sum()
    }

    fn wall(&self) -> DateTime<FixedOffset> {
        let start = self.header.start;
        let passed = TimeDelta::from_std(self.now).ok().and_then(|passed| passed.checked_add(&self.shift()));
        let wall = passed.and_then(|passed| start.checked_add_signed(passed)).unwrap_or(start);
        match self.header.time_zone {
            Some(zone) => wall.with_timezone(&wall.with_timezone(&zone).offset().fix()),
            None => wall,
        }
    }
}

const NO_LOG: &str = "the recording holds no log";

/// Whether a recorded call only asks, and is not the poll itself.
fn is_question(call: &RecordedCall) -> bool {
    call.tmutil_verb().is_none_or(|verb| verb != "status" && !COMMANDS.contains(&verb))
}

impl Tools for Replay {
    fn run(&mut self, call: &Call) -> Captured {
        let Some(at) = self.find(call) else {
            let end = CallEnd::NotRecorded;
            return Captured { started: self.now, took: Duration::ZERO, end, stdout: Vec::new(), stderr: Vec::new() };
        };
        self.answered[at] = true;
        self.now = self.now.max(self.lines[at].t);
        let stop = self.next_stop();
        let line = &self.lines[at];
        let What::Call(answer) = &line.what else { unreachable!("only calls match a call") };
        let took = answer.took.min(call.deadline);
        self.now = self.now.saturating_add(took).min(stop);
        if answer.took > call.deadline {
            let end = CallEnd::TimedOut;
            return Captured { started: line.t, took, end, stdout: Vec::new(), stderr: Vec::new() };
        }
        Captured {
            started: line.t,
            took,
            end: answer.end.clone(),
            stdout: answer.stdout.clone(),
            stderr: answer.stderr.clone(),
        }
    }
}

impl Clock for Replay {
    fn now(&self) -> Now {
        Now { elapsed: self.now, awake: self.now.saturating_sub(self.asleep()), wall: self.wall() }
    }
}

impl Inbox for Replay {
    fn next(&mut self, until: Duration) -> Wake {
        if let Some(wake) = self.log_wake() {
            return wake;
        }
        if self.now >= self.over_at() {
            return Wake::Ended;
        }
        // What follows the start command is not to pass while the caller still prepares to give it.
        if self.stood < STAND && self.stands_at_start() {
            self.stood += 1;
            return Wake::Tick;
        }
        let stop = self.next_stop().min(until);
        if let Some(ahead) = stop.checked_sub(self.now).filter(|ahead| !ahead.is_zero()) {
            if let Some((speed, wait)) = &mut self.pace
                && let Some(signal) = wait(Duration::try_from_secs_f64(ahead.as_secs_f64() / *speed).unwrap_or(ahead))
            {
                return Wake::Signal(signal);
            }
            self.now = stop;
        }
        if let Some(wake) = self.log_wake() {
            return wake;
        }
        if self.now >= self.over_at() { Wake::Ended } else { Wake::Tick }
    }
}

impl LogSource for Replay {
    fn start_stream(&mut self, _style: LogStyle) {
        if self.stream == Stream::Stopped {
            self.log_at = self.log_at.max(self.begun());
        }
        self.stream = Stream::Running;
    }

    fn stop_stream(&mut self) {
        self.stream = Stream::Stopped;
    }

    fn look_back(&mut self, _style: LogStyle, _since: DateTime<FixedOffset>, _deadline: Duration) -> LookBack {
        let begun = self.begun();
        // The caller has them now; the stream need not bring them late.
        self.log_at = self.log_at.max(begun);
        let is_log = |line: &Line| matches!(line.what, What::Log(_));
        if self.lines.iter().any(is_log) {
            let text = |line: &Line| if let What::Log(text) = &line.what { Some(text.clone()) } else { None };
            return LookBack::Lines(self.lines[..begun].iter().filter_map(text).collect());
        }
        let end = self.lines.iter().rev().find_map(|line| match &line.what {
            What::LogEnd { exit, stderr } => Some((*exit, stderr.trim().to_owned())),
            _ => None,
        });
        let (exit, why) = end.unwrap_or((None, NO_LOG.to_owned()));
        LookBack::Failed { exit, why }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::super::format::Kind;
    use super::*;

    fn secs(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn line(t: f64, what: What) -> Line {
        Line { t: secs(t), what }
    }

    fn answer(t: f64, command: &str, took: f64, stdout: &str) -> Line {
        let mut words = command.split(' ').map(str::to_owned);
        let call = RecordedCall {
            tool: words.next().unwrap(),
            args: words.collect(),
            took: secs(took),
            end: CallEnd::Exit(0),
            stdout: stdout.into(),
            stderr: Vec::new(),
        };
        line(t, What::Call(call))
    }

    fn log(t: f64, text: &str) -> Line {
        line(t, What::Log(text.to_owned()))
    }

    fn clock(t: f64, asleep: f64, shift: i64) -> Line {
        line(t, What::Clock { asleep: secs(asleep), shift: TimeDelta::seconds(shift) })
    }

    fn replay(lines: Vec<Line>) -> Replay {
        let header = Header {
            title: "a test".to_owned(),
            kind: Kind::Invented,
            macos: None,
            start: DateTime::parse_from_rfc3339("2024-03-31T01:30:00+01:00").unwrap(),
            time_zone: Some(chrono_tz::Europe::Berlin),
            redacted: None,
            note: None,
        };
        Replay::new(Recording { header, lines, warnings: Vec::new() })
    }

    fn ask(replay: &mut Replay, command: &str) -> Captured {
        let mut words = command.split(' ');
        let tool = words.next().unwrap();
        replay.run(&Call::new(tool, &words.collect::<Vec<_>>(), Duration::from_secs(10)))
    }

    fn said(replay: &mut Replay, command: &str) -> String {
        let captured = ask(replay, command);
        if captured.end == CallEnd::NotRecorded { "-".to_owned() } else { String::from_utf8(captured.stdout).unwrap() }
    }

    const STATUS: &str = "tmutil status -X";

    #[test]
    fn the_newest_line_at_or_before_now_answers_and_keeps_its_time() {
        let mut mac = replay(vec![answer(0.0, STATUS, 0.0, "a"), answer(5.0, STATUS, 0.0, "b")]);
        assert_eq!(said(&mut mac, STATUS), "a");
        assert_eq!(mac.next(secs(3.0)), Wake::Tick);
        assert_eq!((ask(&mut mac, STATUS).started, mac.now().elapsed), (secs(0.0), secs(3.0)));
        assert_eq!(mac.next(secs(17.0)), Wake::Tick);
        assert_eq!(mac.now().elapsed, secs(5.0));
        assert_eq!(said(&mut mac, STATUS), "b");
    }

    #[test]
    fn a_call_takes_its_time_but_passes_no_line() {
        let mut mac = replay(vec![answer(0.0, STATUS, 0.5, "a"), log(2.0, "x"), answer(3.0, STATUS, 20.0, "late")]);
        ask(&mut mac, STATUS);
        assert_eq!(mac.now().elapsed, secs(0.5));
        mac.next(secs(1.8));
        ask(&mut mac, STATUS);
        assert_eq!(mac.now().elapsed, secs(2.0));
        mac.next(secs(3.0));
        let captured = ask(&mut mac, STATUS);
        assert_eq!((captured.end, captured.took), (CallEnd::TimedOut, secs(10.0)));
        assert_eq!(mac.now().elapsed, secs(13.0));
    }

    #[test]
    fn commands_answer_once_each_by_their_verb_and_move_the_clock() {
        let mut mac = replay(vec![
            answer(0.0, STATUS, 0.0, "idle"),
            answer(4.0, "tmutil startbackup --destination X", 0.0, "first"),
            answer(9.0, "tmutil startbackup", 0.0, "second"),
        ]);
        assert!(mac.has_start());
        assert_eq!(said(&mut mac, "tmutil startbackup"), "first");
        assert_eq!(mac.now().elapsed, secs(4.0));
        assert_eq!(said(&mut mac, "tmutil startbackup"), "second");
        assert_eq!(said(&mut mac, "tmutil startbackup"), "-");
        assert_eq!(said(&mut mac, "tmutil stopbackup"), "-");
    }

    #[test]
    fn answers_recorded_right_after_the_wake_are_found() {
        let mut mac = replay(vec![
            answer(0.0, "mount", 0.0, "before"),
            answer(0.0, STATUS, 0.0, "a"),
            answer(5.0, STATUS, 0.02, "b"),
            answer(5.03, "netstat -anv", 0.0, "n"),
            answer(5.05, "mount", 0.0, "after"),
            answer(6.0, STATUS, 0.0, "c"),
            answer(6.1, "mount", 0.0, "later"),
        ]);
        assert_eq!(said(&mut mac, "mount"), "before");
        mac.next(secs(5.0));
        assert_eq!(said(&mut mac, STATUS), "b");
        assert_eq!(said(&mut mac, "mount"), "after");
        assert_eq!(mac.now().elapsed, secs(5.05));
        assert_eq!(said(&mut mac, "netstat -anv"), "n");
        assert_eq!(said(&mut mac, "mount"), "after");
    }

    #[test]
    fn before_the_start_the_clock_jumps_to_what_was_asked_before_it() {
        let mut mac = replay(vec![
            answer(0.5, "tmutil destinationinfo -X", 0.0, "d"),
            answer(0.7, STATUS, 0.0, "idle"),
            answer(0.9, "mount", 0.0, "before"),
            answer(1.0, "tmutil startbackup", 0.0, ""),
            answer(2.0, "pmset -g batt", 0.0, "p"),
        ]);
        assert_eq!(said(&mut mac, STATUS), "idle");
        assert_eq!(mac.now().elapsed, secs(0.7));
        assert_eq!(said(&mut mac, "mount"), "before");
        assert_eq!(said(&mut mac, "pmset -g batt"), "-");
        assert_eq!(said(&mut mac, "tmutil destinationinfo -X"), "d");
        // Joined: the first status is the start.
        let mut mac = replay(vec![
            answer(0.5, "mount", 0.0, "m"),
            answer(1.0, STATUS, 0.0, "a"),
            answer(2.0, "sw_vers", 0.0, ""),
        ]);
        assert!(!mac.has_start());
        assert_eq!(said(&mut mac, "sw_vers"), "-");
        assert_eq!(said(&mut mac, "mount"), "m");
    }

    #[test]
    fn log_lines_come_at_their_time_or_late_and_not_while_stopped() {
        let mut mac = replay(vec![
            log(0.1, "early"),
            log(2.0, "two"),
            log(3.0, "missed"),
            log(4.0, "four"),
            line(5.0, What::LogEnd { exit: Some(1), stderr: "gone".to_owned() }),
            log(6.0, "again"),
        ]);
        mac.next(secs(0.1));
        mac.start_stream(LogStyle::Ndjson);
        assert_eq!(mac.next(secs(0.1)), Wake::LogLine("early".to_owned()));
        assert_eq!(mac.next(secs(1.0)), Wake::Tick);
        assert_eq!(mac.next(secs(9.0)), Wake::LogLine("two".to_owned()));
        mac.stop_stream();
        assert_eq!(mac.next(secs(9.0)), Wake::Tick);
        assert_eq!(mac.now().elapsed, secs(3.0));
        let since = mac.now().wall;
        let lines = ["early", "two", "missed"].map(str::to_owned).to_vec();
        assert_eq!(mac.look_back(LogStyle::Ndjson, since, secs(1.0)), LookBack::Lines(lines));
        mac.start_stream(LogStyle::Ndjson);
        assert_eq!(mac.next(secs(9.0)), Wake::LogLine("four".to_owned()));
        assert_eq!(mac.next(secs(9.0)), Wake::LogEnded { exit: Some(1), stderr: "gone".to_owned() });
        assert_eq!(mac.next(secs(9.0)), Wake::Tick);
        mac.start_stream(LogStyle::Syslog);
        assert_eq!(mac.next(secs(9.0)), Wake::LogLine("again".to_owned()));
        assert_eq!(mac.next(secs(99.0)), Wake::Ended);
        assert_eq!(mac.now().elapsed, secs(66.0));
        assert_eq!(mac.next(secs(99.0)), Wake::Ended);
    }

    #[test]
    fn a_recording_without_log_says_so_once() {
        let mut mac = replay(vec![answer(0.0, STATUS, 0.0, "")]);
        mac.start_stream(LogStyle::Ndjson);
        assert!(matches!(mac.next(secs(1.0)), Wake::LogEnded { exit: None, .. }));
        mac.start_stream(LogStyle::Ndjson);
        assert_eq!(mac.next(secs(1.0)), Wake::Tick);
        let since = mac.now().wall;
        assert!(matches!(mac.look_back(LogStyle::Ndjson, since, secs(1.0)), LookBack::Failed { exit: None, .. }));
        let mut mac = replay(vec![line(0.0, What::LogEnd { exit: Some(77), stderr: "admin".to_owned() })]);
        let failed = LookBack::Failed { exit: Some(77), why: "admin".to_owned() };
        assert_eq!(mac.look_back(LogStyle::Ndjson, since, secs(1.0)), failed);
    }

    #[test]
    fn sleep_and_a_set_clock_change_awake_and_wall_only() {
        let mut mac = replay(vec![log(100.0, ""), clock(900.0, 700.0, -30), log(3600.0, "")]);
        let mut last = mac.now();
        while mac.next(last.elapsed + secs(50.0)) != Wake::Ended {
            let now = mac.now();
            assert!(now.awake >= last.awake, "time awake never falls");
            last = now;
            if now.elapsed == secs(900.0) {
                assert_eq!(now.awake, secs(200.0));
                assert_eq!(now.wall.to_rfc3339(), "2024-03-31T01:44:30+01:00");
            }
            if now.elapsed == secs(3600.0) {
                // Daylight saving time began meanwhile.
                assert_eq!(now.wall.to_rfc3339(), "2024-03-31T03:29:30+02:00");
            }
        }
        assert_eq!(last.elapsed.checked_sub(last.awake), Some(secs(700.0)));
    }

    #[test]
    fn a_signal_ends_a_paced_wait() {
        let mut waits = vec![Some(Signal::Info), None];
        let waiter = move |wait: Duration| {
            assert_eq!(wait, secs(0.5));
            waits.pop().unwrap()
        };
        let mut mac = replay(vec![log(5.0, ""), log(10.0, "")]).at_speed(10.0, Box::new(waiter));
        assert_eq!(mac.next(secs(60.0)), Wake::Tick);
        assert_eq!(mac.next(secs(60.0)), Wake::Signal(Signal::Info));
        assert_eq!(mac.now().elapsed, secs(5.0));
    }
}
