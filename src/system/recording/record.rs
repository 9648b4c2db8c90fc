//! Records what a live run sees.
//!
//! The run sees a clock of its own: whole milliseconds, moved to the real time at the end of each call and at each
//! return of `next`, and still in between. A line's `t` is that clock, so a replay meets every line at the very time
//! at which the run met it.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, FixedOffset, Offset, TimeDelta};

use super::format::{HEADER_FILE, Header, LINES_FILE, Line, RecordedCall, What, read_draft};
use super::redact::redact;
use crate::error::{Exit, Failure};
use crate::ports::{Call, CallEnd, Captured, Clock, Inbox, LogSource, LogStyle, LookBack, Mac, Now, Tools, Wake};
use crate::system::folders::lies_on;

/// Holds the lines as they come, names and all, until they are redacted.
const RAW_FILE: &str = ".calls.ndjson.raw";
/// Less sleep, or less of a jump of the wall clock, isn't worth a line.
const CLOCK_STEP: Duration = Duration::from_secs(1);
/// A wait that ends no later than this after its time ended in time: the rest belongs to the next call.
const LATE: Duration = Duration::from_millis(50);

/// Where and how to record.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The folder of the recording; made if it isn't there.
    pub folder: &'a Path,
    /// Where Time Machine destinations are mounted: nothing is written there.
    pub destinations: &'a [PathBuf],
    /// Keep names as they are.
    pub raw: bool,
}

/// A Mac whose answers are recorded.
pub struct Record<M> {
    mac: M,
    header: Header,
    folder: PathBuf,
    out: File,
    raw: bool,
    /// The first failure to write; nothing is written after it.
    failed: Option<io::Error>,
    /// What the clock of `mac` said at the start.
    base: Now,
    now: Duration,
    last_line: Duration,
    asleep: Duration,
    shift: TimeDelta,
    /// Hashes of the log lines so far, so that a look back adds only new ones.
    seen: HashSet<u64>,
    /// Which calls are kept, by their start and a hash.
    kept: HashSet<(Duration, u64)>,
}

impl<M: Mac> Record<M> {
    /// Starts to record. `header` describes the recording; its start and whether it is redacted are filled in.
    pub fn start(mac: M, header: Header, options: &Options<'_>) -> Result<Self, Failure> {
        let folder = options.folder;
        if let Some(mount) = lies_on(folder, options.destinations) {
            let message =
                format!("cannot record to {}: it lies on the backup destination {}", folder.display(), mount.display());
            return Err(Failure::new(Exit::Use, message).hint("choose a folder on another volume"));
        }
        let wrong = |error: io::Error| {
            let failure = Failure::new(Exit::Use, format!("cannot record to {}: {error}", folder.display()));
            if error.kind() == io::ErrorKind::AlreadyExists { failure.hint("choose a new folder") } else { failure }
        };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(wrong)?;
        if [HEADER_FILE, LINES_FILE].iter().any(|name| folder.join(name).exists()) {
            return Err(wrong(io::Error::new(io::ErrorKind::AlreadyExists, "it holds a recording already")));
        }
        let out = create(&folder.join(RAW_FILE)).map_err(wrong)?;
        let base = mac.now();
        let time_zone =
            header.time_zone.filter(|zone| base.wall.with_timezone(zone).offset().fix() == *base.wall.offset());
        Ok(Self {
            mac,
            header: Header { start: base.wall, time_zone, redacted: Some(!options.raw), ..header },
            folder: folder.to_owned(),
            out,
            raw: options.raw,
            failed: None,
            base,
            now: Duration::ZERO,
            last_line: Duration::ZERO,
            asleep: Duration::ZERO,
            shift: TimeDelta::zero(),
            seen: HashSet::new(),
            kept: HashSet::new(),
        })
    }

    /// The file that holds the lines with all names until `finish`; it stays if this process is killed.
    pub fn raw_file(&self) -> PathBuf {
        self.folder.join(RAW_FILE)
    }

    /// Ends the recording: redacts it and gives it its name.
    pub fn finish(mut self) -> Result<(), Failure> {
        let folder = self.folder.display().to_string();
        self.complete().map_err(|error| {
            let message = format!("cannot finish the recording in {folder}: {error}");
            Failure::new(Exit::Use, message)
                .hint(format!("{RAW_FILE} there may hold names; delete it before you share it"))
        })
    }

    fn complete(&mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let raw = self.raw_file();
        let lines_file = self.folder.join(LINES_FILE);
        let mut lines = read_draft(&fs::read(&raw)?)?;
        if !self.raw {
            redact(&mut lines);
        }
        let mut out = io::BufWriter::new(create(&lines_file)?);
        for line in &lines {
            line.write_to(&mut out)?;
        }
        out.flush()?;
        fs::remove_file(&raw)?;
        create(&self.folder.join(HEADER_FILE))?.write_all(self.header.to_toml().as_bytes())
    }

    fn write(&mut self, t: Duration, what: What) {
        if let What::Log(text) = &what {
            self.seen.insert(hash(text.as_str()));
        }
        self.last_line = self.last_line.max(t);
        if self.failed.is_none() {
            // A full disk ends the recording, not the run.
            self.failed = Line { t, what }.write_to(&mut self.out).err();
        }
    }

    /// Moves the clock to the real time, or to `exactly` if that has just passed, and notes sleep and a set wall clock.
    fn advance(&mut self, exactly: Option<Duration>) {
        let real = self.mac.now();
        let elapsed = whole_millis(real.elapsed.saturating_sub(self.base.elapsed));
        let in_time = exactly.filter(|&time| time <= elapsed && elapsed.saturating_sub(time) < LATE);
        self.now = self.now.max(in_time.unwrap_or(elapsed));

        let awake = real.awake.saturating_sub(self.base.awake);
        let real_asleep = whole_millis(elapsed.saturating_sub(awake));
        let room = self.now.saturating_sub(self.last_line);
        let asleep = real_asleep.saturating_sub(self.asleep).min(room);
        let asleep = if asleep >= CLOCK_STEP { asleep } else { Duration::ZERO };
        let passed = TimeDelta::from_std(elapsed).unwrap_or_default();
        let set = real.wall.signed_duration_since(self.base.wall) - passed - self.shift;
        let set = TimeDelta::milliseconds(set.num_milliseconds());
        let shift = if set.abs().to_std().is_ok_and(|size| size >= CLOCK_STEP) { set } else { TimeDelta::zero() };
        if !asleep.is_zero() || !shift.is_zero() {
            self.asleep += asleep;
            self.shift += shift;
            self.write(self.now, What::Clock { asleep, shift });
        }
    }
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn whole_millis(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn hash(what: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

impl<M: Mac> Tools for Record<M> {
    fn run(&mut self, call: &Call) -> Captured {
        let asked = self.now;
        let mut captured = self.mac.run(call);
        let own = whole_millis(captured.started.saturating_sub(self.base.elapsed));
        // A recording that is played answers with an older line again, or jumps ahead to one.
        let is_old = own < asked;
        captured.started = if is_old || own >= asked + LATE { own } else { asked };
        if !is_old {
            let real = self.mac.now();
            let end = whole_millis(real.elapsed.saturating_sub(self.base.elapsed)).max(self.now);
            captured.took = end.saturating_sub(captured.started).min(call.deadline);
        }
        if call.tool == "sw_vers" && captured.succeeded() {
            let text = String::from_utf8_lossy(&captured.stdout);
            let version = text.lines().find_map(|line| line.strip_prefix("ProductVersion:"));
            self.header.macos = version.map(|version| version.trim().to_owned());
        }
        if captured.end != CallEnd::NotRecorded && self.kept.insert((captured.started, hash(call))) {
            let call = RecordedCall {
                tool: call.tool.clone(),
                args: call.args.clone(),
                took: captured.took,
                end: captured.end.clone(),
                stdout: captured.stdout.clone(),
                stderr: captured.stderr.clone(),
            };
            self.write(captured.started, What::Call(call));
        }
        self.advance(None);
        captured
    }
}

impl<M: Mac> Clock for Record<M> {
    fn now(&self) -> Now {
        let passed = TimeDelta::from_std(self.now).unwrap_or_default() + self.shift;
        let wall = self.base.wall.checked_add_signed(passed).unwrap_or(self.base.wall);
        let wall = match self.header.time_zone {
            Some(zone) => wall.with_timezone(&wall.with_timezone(&zone).offset().fix()),
            None => wall,
        };
        Now { elapsed: self.now, awake: self.now.saturating_sub(self.asleep), wall }
    }
}

impl<M: Mac> Inbox for Record<M> {
    fn next(&mut self, until: Duration) -> Wake {
        let wake = self.mac.next(until.saturating_add(self.base.elapsed));
        self.advance((wake == Wake::Tick).then(|| whole_millis(until)));
        match &wake {
            Wake::LogLine(text) => self.write(self.now, What::Log(text.clone())),
            Wake::LogEnded { exit, stderr } => {
                self.write(self.now, What::LogEnd { exit: *exit, stderr: stderr.clone() });
            }
            Wake::Tick | Wake::Signal(_) | Wake::Ended => {}
        }
        wake
    }
}

impl<M: Mac> LogSource for Record<M> {
    fn start_stream(&mut self, style: LogStyle) {
        self.mac.start_stream(style);
    }

    fn stop_stream(&mut self) {
        self.mac.stop_stream();
    }

    fn look_back(&mut self, style: LogStyle, since: DateTime<FixedOffset>, deadline: Duration) -> LookBack {
        let found = self.mac.look_back(style, since, deadline);
        if let LookBack::Lines(lines) = &found {
            for line in lines {
                if !self.seen.contains(&hash(line.as_str())) {
                    self.write(self.now, What::Log(line.clone()));
                }
            }
        }
        found
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::super::format::{Kind, Recording};
    use super::super::replay::Replay;
    use super::*;

    fn header() -> Header {
        Header {
            title: "a test".to_owned(),
            kind: Kind::Captured,
            macos: Some("13.4".to_owned()),
            start: DateTime::UNIX_EPOCH.fixed_offset(),
            time_zone: None,
            redacted: None,
            note: None,
        }
    }

    fn call(t: u64, verb: &str, took: u64, stdout: &str) -> Line {
        let what = What::Call(RecordedCall {
            tool: "tmutil".to_owned(),
            args: vec![verb.to_owned()],
            took: Duration::from_millis(took),
            end: CallEnd::Exit(0),
            stdout: stdout.into(),
            stderr: Vec::new(),
        });
        Line { t: Duration::from_millis(t), what }
    }

    fn line(t: u64, what: What) -> Line {
        Line { t: Duration::from_millis(t), what }
    }

    fn source() -> Recording {
        let clock = What::Clock { asleep: Duration::from_secs(600), shift: TimeDelta::seconds(-5) };
        let lines = vec![
            call(0, "status", 20, "idle"),
            call(500, "startbackup", 10, ""),
            call(510, "status", 20, "/Users/erika/x"),
            line(1_700, What::Log("Starting for erika".to_owned())),
            call(2_000, "status", 30, "copying"),
            line(900_000, clock),
            line(900_500, What::LogEnd { exit: Some(1), stderr: "gone".to_owned() }),
            call(901_000, "status", 20_000, "done"),
        ];
        Recording { header: header(), lines, warnings: Vec::new() }
    }

    /// What a run that polls like the real one sees.
    fn watch(mac: &mut impl Mac) -> Vec<String> {
        let mut seen = Vec::new();
        let mut ask = |mac: &mut dyn FnMut(&Call) -> Captured, verb: &str| {
            let captured = mac(&Call::new("tmutil", &[verb], Duration::from_secs(10)));
            seen.push(format!(
                "{verb} {:?} {:?} {}",
                captured.started,
                captured.end,
                String::from_utf8_lossy(&captured.stdout)
            ));
        };
        ask(&mut |call| mac.run(call), "status");
        mac.start_stream(LogStyle::Ndjson);
        ask(&mut |call| mac.run(call), "startbackup");
        let mut wakes = Vec::new();
        loop {
            ask(&mut |call| mac.run(call), "status");
            let until = mac.now().elapsed + Duration::from_secs(1);
            match mac.next(until) {
                Wake::Ended => break,
                Wake::Tick => {}
                wake => wakes.push(format!("{wake:?} {:?}", mac.now())),
            }
        }
        seen.dedup();
        seen.extend(wakes);
        seen.push(format!("{:?}", mac.now()));
        seen
    }

    fn record(folder: &Path, raw: bool) -> Vec<String> {
        let options = Options { folder, destinations: &[], raw };
        let mut mac = Record::start(Replay::new(source()), header(), &options).unwrap();
        let seen = watch(&mut mac);
        mac.finish().unwrap();
        seen
    }

    #[test]
    fn a_replay_of_the_record_sees_what_the_run_saw() {
        let folder = tempfile::tempdir().unwrap();
        let once = folder.path().join("once");
        let seen = record(&once, true);
        let recording = Recording::read(&once).unwrap();
        assert!(recording.lines.iter().any(|line| matches!(line.what, What::Clock { .. })));
        let mut replay = Replay::new(recording);
        let again = watch(&mut replay);
        // The source plays on for a minute after its last line, the recording after its own last line.
        assert_eq!(seen[..seen.len() - 1], again[..seen.len() - 1]);
        assert!(!once.join(RAW_FILE).exists());
    }

    #[test]
    fn a_record_is_redacted_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("new");
        record(&to, false);
        let all = fs::read_to_string(to.join(HEADER_FILE)).unwrap() + &fs::read_to_string(to.join(LINES_FILE)).unwrap();
        assert!(!all.contains("erika"), "{all}");
        assert!(all.contains("Starting for user1"), "{all}");
        assert!(all.contains("redacted = true"), "{all}");
        assert!(!to.join(RAW_FILE).exists());
    }

    #[test]
    fn nothing_is_overwritten_and_nothing_written_to_a_destination() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("new");
        record(&to, true);
        let mut options = Options { folder: &to, destinations: &[], raw: true };
        let refused = Record::start(Replay::new(source()), header(), &options).err().unwrap();
        assert!(refused.message.contains("already"), "{refused}");
        let destinations = [folder.path().to_owned()];
        let other = folder.path().join("other");
        options = Options { folder: &other, destinations: &destinations, raw: true };
        let refused = Record::start(Replay::new(source()), header(), &options).err().unwrap();
        assert!(refused.message.contains("destination"), "{refused}");
        assert!(!other.exists());
    }
}
