//! Keeps everything that a Mac says, as a recording.
//!
//! While it records, the program sees the clock of the recording: whole milliseconds that go on only when something was
//! awaited or asked. So a replay shows exactly the same times.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, FixedOffset, SubsecRound, TimeDelta};

use super::format::{HEADER_FILE, Header, Kind, LINES_FILE, Line, RecordedCall, What, parse_draft};
use super::redact;
use crate::ports::{Call, CallEnd, Captured, Clock, Inbox, LogSource, LogStyle, LookBack, Mac, Now, Tools, Wake};

/// A call that begins so soon after the clock was read is put on that reading.
const SOON: Duration = Duration::from_millis(5);
/// From so much on, sleep and a set wall clock get a line of their own.
const CLOCK_LINE_FROM: Duration = Duration::from_millis(500);

/// A Mac whose every answer is kept.
pub struct Recorder {
    inner: Box<dyn Mac>,
    folder: PathBuf,
    draft: PathBuf,
    file: File,
    raw: bool,
    start: DateTime<FixedOffset>,
    now: Now,
    asleep: Duration,
    shift: TimeDelta,
    heard: HashSet<u64>,
    kept: HashSet<(Duration, u64)>,
    macos: Option<String>,
    failed: Option<io::Error>,
}

impl Recorder {
    /// Begins a recording in `folder`, which must not hold one.
    pub fn new(inner: Box<dyn Mac>, folder: &Path, raw: bool) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        if folder.join(HEADER_FILE).exists() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it holds a recording already"));
        }
        // Until it is redacted, nobody else may read it and it has not its final name.
        let draft = folder.join("calls.unredacted");
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        let first = inner.now();
        let start = first.wall.trunc_subsecs(3) - TimeDelta::milliseconds(millis(first.elapsed));
        let mut recorder = Self {
            inner,
            folder: folder.to_owned(),
            draft,
            file,
            raw,
            start,
            now: first,
            asleep: first.elapsed.saturating_sub(first.awake),
            shift: TimeDelta::zero(),
            heard: HashSet::new(),
            kept: HashSet::new(),
            macos: None,
            failed: None,
        };
        recorder.read_clock();
        Ok(recorder)
    }

    /// Ends the recording: names are replaced, and the files get their names.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.file.flush()?;
        let mut lines = parse_draft(&fs::read(&self.draft)?)?;
        if !self.raw {
            redact::redact(&mut lines);
        }
        let mut calls = io::BufWriter::new(File::create(self.folder.join(LINES_FILE))?);
        for line in &lines {
            line.write_to(&mut calls)?;
        }
        calls.flush()?;
        let header = Header {
            title: "as recorded by tmgauge".to_owned(),
            kind: Kind::Captured,
            macos: self.macos.clone(),
            start: self.start,
            time_zone: None,
            redacted: Some(!self.raw),
            note: None,
        };
        fs::write(self.folder.join(HEADER_FILE), header.to_toml())?;
        fs::remove_file(&self.draft)
    }

    /// Reads the clocks of the Mac onto the clock of the recording.
    fn read_clock(&mut self) {
        let real = self.inner.now();
        let elapsed = Duration::from_millis(real.elapsed.as_millis().try_into().unwrap_or(u64::MAX));
        let elapsed = elapsed.max(self.now.elapsed);
        let asleep = real.elapsed.saturating_sub(real.awake).saturating_sub(self.asleep);
        let unmoved = self.start + TimeDelta::milliseconds(millis(elapsed)) + self.shift;
        let moved = real.wall - unmoved;
        let limit = TimeDelta::from_std(CLOCK_LINE_FROM).unwrap_or_default();
        let slept = asleep >= CLOCK_LINE_FROM;
        let set = moved.abs() >= limit;
        if slept || set {
            let asleep = if slept { asleep } else { Duration::ZERO };
            let shift = if set { moved } else { TimeDelta::zero() };
            self.asleep += asleep;
            self.shift += shift;
            self.write(elapsed, What::Clock { asleep, shift });
        }
        let awake = elapsed.saturating_sub(self.asleep);
        self.now = Now { elapsed, awake, wall: self.start + TimeDelta::milliseconds(millis(elapsed)) + self.shift };
    }

    fn write(&mut self, t: Duration, what: What) {
        if self.failed.is_none() {
            self.failed = Line { t, what }.write_to(&mut self.file).err();
        }
    }

    fn heard_now(&mut self, line: &str) -> bool {
        self.heard.insert(fingerprint(line))
    }
}

fn fingerprint(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

impl Tools for Recorder {
    fn run(&mut self, call: &Call) -> Captured {
        let mut answer = self.inner.run(call);
        let asked = self.now.elapsed;
        self.read_clock();
        let line = (answer.started, fingerprint(call));
        if answer.end == CallEnd::NotRecorded || !self.kept.insert(line) {
            // An older answer of a recording that is played was kept when it was new.
            return answer;
        }
        if answer.started >= asked {
            if answer.started <= asked + SOON {
                answer.started = asked;
            }
            answer.took = self.now.elapsed.saturating_sub(answer.started);
        }
        if call.tool == "sw_vers" && answer.succeeded() {
            let text = String::from_utf8_lossy(&answer.stdout);
            let version = text.lines().find_map(|line| line.strip_prefix("ProductVersion:"));
            self.macos = version.map(|version| version.trim().to_owned());
        }
        let recorded = RecordedCall {
            tool: call.tool.clone(),
            args: call.args.clone(),
            took: answer.took,
            end: answer.end.clone(),
            stdout: answer.stdout.clone(),
            stderr: answer.stderr.clone(),
        };
        self.write(answer.started, What::Call(recorded));
        answer
    }
}

impl Clock for Recorder {
    fn now(&self) -> Now {
        self.now
    }
}

impl Inbox for Recorder {
    fn next(&mut self, until: Duration) -> Wake {
        let wake = self.inner.next(until);
        self.read_clock();
        match &wake {
            Wake::LogLine(line) => {
                self.heard_now(line);
                self.write(self.now.elapsed, What::Log(line.clone()));
            }
            Wake::LogEnded { exit, stderr } => {
                self.write(self.now.elapsed, What::LogEnd { exit: *exit, stderr: stderr.clone() });
            }
            Wake::Tick | Wake::Signal(_) | Wake::Ended => {}
        }
        wake
    }
}

impl LogSource for Recorder {
    fn start_stream(&mut self, style: LogStyle) {
        self.inner.start_stream(style);
    }

    fn stop_stream(&mut self) {
        self.inner.stop_stream();
    }

    fn look_back(&mut self, style: LogStyle, since: DateTime<FixedOffset>, deadline: Duration) -> LookBack {
        let answer = self.inner.look_back(style, since, deadline);
        self.read_clock();
        match &answer {
            LookBack::Lines(lines) => {
                for line in lines {
                    if self.heard_now(line) {
                        self.write(self.now.elapsed, What::Log(line.clone()));
                    }
                }
            }
            LookBack::Failed { exit, why } if self.heard.is_empty() && exit.is_some() => {
                self.write(self.now.elapsed, What::LogEnd { exit: *exit, stderr: why.clone() });
            }
            LookBack::Failed { .. } => {}
        }
        answer
    }
}
