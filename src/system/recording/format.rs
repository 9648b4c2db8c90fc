//! The form of a recording, schema 1: a folder with `recording.toml` and `calls.ndjson` (or `calls.ndjson.gz`).

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, FixedOffset, Offset, TimeDelta};
use chrono_tz::Tz;
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use crate::error::{Exit, Failure};
use crate::ports::CallEnd;

/// The schema that is written, and the only one that is understood.
pub const SCHEMA: i64 = 1;
/// The file that describes a recording.
pub const HEADER_FILE: &str = "recording.toml";
/// The file that holds its lines.
pub const LINES_FILE: &str = "calls.ndjson";
/// More than any recording unpacks to; a packed file beyond it is refused.
const UNPACKED_LIMIT: u64 = 1 << 30;

/// Where a recording came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Written by `--record` on a Mac.
    Captured,
    /// Written by hand.
    Invented,
}

/// What `recording.toml` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// One line about what is recorded.
    pub title: String,
    /// Where it came from.
    pub kind: Kind,
    /// The release of macOS.
    pub macos: Option<String>,
    /// The wall clock at `t` = 0.
    pub start: DateTime<FixedOffset>,
    /// The zone that gives the offset after a change of daylight saving time.
    pub time_zone: Option<Tz>,
    /// Whether names were replaced; `None` if it doesn't say.
    pub redacted: Option<bool>,
    /// Anything else worth knowing.
    pub note: Option<String>,
}

/// One recorded call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedCall {
    /// The tool's base name.
    pub tool: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// How long it took.
    pub took: Duration,
    /// How it ended.
    pub end: CallEnd,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained.
    pub stderr: Vec<u8>,
}

impl RecordedCall {
    /// The subcommand of `tmutil` that was called, if that was the tool.
    pub fn tmutil_verb(&self) -> Option<&str> {
        if self.tool == "tmutil" { self.args.first().map(String::as_str) } else { None }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A tool was called.
    Call(RecordedCall),
    /// A line of the log arrived.
    Log(String),
    /// The log stream ended.
    LogEnd {
        /// Its exit code, if it had one.
        exit: Option<i32>,
        /// What it complained.
        stderr: String,
    },
    /// The Mac slept, or its wall clock was set.
    Clock {
        /// How much of the time since the line before it slept.
        asleep: Duration,
        /// By how much the wall clock moved.
        shift: TimeDelta,
    },
}

/// One line of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Elapsed time at the start of the call or the arrival of the line.
    pub t: Duration,
    /// What happened then.
    pub what: What,
}

/// A recording, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// What it says about itself.
    pub header: Header,
    /// Its lines; `t` never falls.
    pub lines: Vec<Line>,
    /// What was wrong with it without making it useless.
    pub warnings: Vec<String>,
}

impl Recording {
    /// Reads the recording in a folder. A last line that is cut, and a packed file that ends early, are warnings.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(HEADER_FILE);
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        let mut warnings = Vec::new();
        let header = parse_header(&text, &mut warnings)
            .map_err(|why| Failure::new(Exit::Damaged, format!("cannot read {}: {why}", path.display())))?;
        let path = folder.join(LINES_FILE);
        let (path, bytes) = match fs::read(&path) {
            Ok(bytes) => (path, bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let packed = folder.join(format!("{LINES_FILE}.gz"));
                let bytes = fs::read(&packed).map_err(|second| {
                    let plain_is_missing = second.kind() == io::ErrorKind::NotFound;
                    if plain_is_missing { unreadable(&path, &error) } else { unreadable(&packed, &second) }
                })?;
                let (bytes, cut) = unpack(&bytes).map_err(|error| unreadable(&packed, &error))?;
                if let Some(why) = cut {
                    warnings.push(format!("{} ends early ({why}); the rest is used", packed.display()));
                }
                (packed, bytes)
            }
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let lines = parse_lines(&bytes, &mut warnings).map_err(|(number, why)| {
            Failure::new(Exit::Damaged, format!("cannot read {}, line {number}: {why}", path.display()))
        })?;
        Ok(Self { header, lines, warnings })
    }

    /// The `t` of its last line; nought without lines.
    pub fn length(&self) -> Duration {
        self.lines.last().map_or(Duration::ZERO, |line| line.t)
    }

    /// Whether a backup was started in it; one without is of a run that was joined.
    pub fn has_start(&self) -> bool {
        self.lines.iter().any(|line| line.verb() == Some("startbackup"))
    }
}

impl Line {
    /// The call, if it is one.
    pub fn call(&self) -> Option<&RecordedCall> {
        if let What::Call(call) = &self.what { Some(call) } else { None }
    }

    /// The subcommand of `tmutil`, if it is a call of that.
    pub fn verb(&self) -> Option<&str> {
        self.call().and_then(RecordedCall::tmutil_verb)
    }

    /// Writes the line with its line feed, in one write.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let mut text = serde_json::to_vec(&RawLine::from(self))?;
        text.push(b'\n');
        out.write_all(&text)
    }
}

impl Header {
    /// The text of `recording.toml`.
    pub fn to_toml(&self) -> String {
        let kind = match self.kind {
            Kind::Captured => "captured",
            Kind::Invented => "invented",
        };
        let entries = [
            ("schema", Some(SCHEMA.to_string())),
            ("title", Some(quoted(&self.title))),
            ("kind", Some(quoted(kind))),
            ("macos", self.macos.as_deref().map(quoted)),
            ("start", Some(quoted(&self.start.to_rfc3339()))),
            ("time_zone", self.time_zone.map(|zone| quoted(zone.name()))),
            ("redacted", self.redacted.map(|redacted| redacted.to_string())),
            ("note", self.note.as_deref().map(quoted)),
        ];
        entries.into_iter().filter_map(|(key, value)| Some(format!("{key} = {}\n", value?))).collect()
    }
}

/// A TOML basic string: that of JSON, with DEL escaped as well.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Damaged, format!("cannot read {}: {error}", path.display()))
        .hint(format!("a recording is a folder with {HEADER_FILE} and {LINES_FILE} (or {LINES_FILE}.gz)"))
}

/// Unpacks gzip; of data that end early what came, and why.
fn unpack(packed: &[u8]) -> io::Result<(Vec<u8>, Option<String>)> {
    let mut bytes = Vec::new();
    let result = MultiGzDecoder::new(packed).take(UNPACKED_LIMIT + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > UNPACKED_LIMIT {
        return Err(io::Error::other("it unpacks to more than 1 GiB"));
    }
    match result {
        Ok(_) => Ok((bytes, None)),
        Err(error) if bytes.is_empty() => Err(error),
        Err(error) => Ok((bytes, Some(error.to_string()))),
    }
}

#[derive(Deserialize)]
struct RawHeader {
    #[serde(default = "first_schema")]
    schema: i64,
    title: String,
    kind: Kind,
    macos: Option<String>,
    start: RawStart,
    time_zone: Option<String>,
    redacted: Option<bool>,
    note: Option<String>,
}

fn first_schema() -> i64 {
    SCHEMA
}

/// A date of TOML, or one in quotes.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawStart {
    Text(String),
    Date(toml::value::Datetime),
}

fn parse_header(text: &str, warnings: &mut Vec<String>) -> Result<Header, String> {
    let raw: RawHeader = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    if raw.schema != SCHEMA {
        return Err(format!("its schema is {}; this version reads schema {SCHEMA}", raw.schema));
    }
    let start = match raw.start {
        RawStart::Text(text) => text,
        RawStart::Date(date) => date.to_string(),
    };
    let start = DateTime::parse_from_rfc3339(&start)
        .map_err(|_| format!("`start` is `{start}`; expected a date and time with offset (RFC 3339)"))?;
    let mut time_zone = None;
    if let Some(name) = raw.time_zone {
        let zone: Tz = name.parse().map_err(|_| format!("`time_zone` is `{name}`; expected an IANA name"))?;
        if start.with_timezone(&zone).offset().fix() == *start.offset() {
            time_zone = Some(zone);
        } else {
            warnings.push(format!("the offset of `start` isn't that of {name}; the offset is used, the zone is not"));
        }
    }
    Ok(Header {
        title: raw.title,
        kind: raw.kind,
        macos: raw.macos,
        start,
        time_zone,
        redacted: raw.redacted,
        note: raw.note,
    })
}

#[derive(Default, Serialize, Deserialize)]
struct RawLine {
    t: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    took: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_found: Option<bool>,
    /// A tool that could not be started, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_end: Option<RawLogEnd>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<RawClock>,
}

#[derive(Serialize, Deserialize)]
struct RawLogEnd {
    exit: Option<i32>,
    #[serde(default)]
    stderr: String,
}

#[derive(Serialize, Deserialize)]
struct RawClock {
    #[serde(default)]
    asleep: f64,
    #[serde(default)]
    shift: f64,
}

impl From<&Line> for RawLine {
    fn from(line: &Line) -> Self {
        let mut raw = Self { t: seconds(line.t), ..Self::default() };
        match &line.what {
            What::Call(call) => {
                raw.tool = Some(call.tool.clone());
                raw.args = Some(call.args.clone());
                raw.took = Some(seconds(call.took));
                match &call.end {
                    CallEnd::Exit(code) => raw.exit = Some(*code),
                    CallEnd::Signal(signal) => raw.signal = Some(*signal),
                    CallEnd::TimedOut => raw.timed_out = Some(true),
                    CallEnd::NotFound | CallEnd::NotRecorded => raw.not_found = Some(true),
                    CallEnd::Failed(why) => raw.failed = Some(why.clone()),
                }
                (raw.stdout, raw.stdout_base64) = text_or_base64(&call.stdout);
                (raw.stderr, raw.stderr_base64) = text_or_base64(&call.stderr);
            }
            What::Log(text) => raw.log = Some(text.clone()),
            What::LogEnd { exit, stderr } => raw.log_end = Some(RawLogEnd { exit: *exit, stderr: stderr.clone() }),
            What::Clock { asleep, shift } => {
                let size = seconds(shift.abs().to_std().unwrap_or_default());
                let shift = if *shift < TimeDelta::zero() { -size } else { size };
                raw.clock = Some(RawClock { asleep: seconds(*asleep), shift });
            }
        }
        raw
    }
}

fn text_or_base64(bytes: &[u8]) -> (Option<String>, Option<String>) {
    match str::from_utf8(bytes) {
        Ok(text) => (Some(text.to_owned()), None),
        Err(_) => (None, Some(STANDARD.encode(bytes))),
    }
}

/// Seconds, rounded once, so that milliseconds are written as such.
#[expect(clippy::cast_precision_loss, reason = "exact below 104 days")]
fn seconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e9
}

fn duration(key: &str, seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{key}` is {seconds}; expected seconds, not negative"))
}

/// Reads lines that were kept as they came, and puts them in the order of time: an answer may be older than the question.
pub(super) fn read_draft(bytes: &[u8]) -> io::Result<Vec<Line>> {
    let mut lines = Vec::new();
    for text in bytes.split(|&byte| byte == b'\n').filter(|text| !text.is_empty()) {
        let raw: RawLine = serde_json::from_slice(text)?;
        lines.push(parse_line(raw).map_err(io::Error::other)?);
    }
    lines.sort_by_key(|line| line.t);
    Ok(lines)
}

/// A line number, counted from 1, and what is wrong there.
type LineError = (usize, String);

fn parse_lines(bytes: &[u8], warnings: &mut Vec<String>) -> Result<Vec<Line>, LineError> {
    let mut lines: Vec<Line> = Vec::new();
    for (index, text) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let number = index + 1;
        let whole = text.ends_with(b"\n");
        if text.trim_ascii().is_empty() {
            continue;
        }
        let raw: RawLine = match serde_json::from_slice(text) {
            Ok(raw) => raw,
            // Only the last line can lack its line feed: whoever wrote it was ended.
            Err(_) if !whole => {
                warnings.push(format!("line {number} is cut and was left out"));
                continue;
            }
            Err(error) => return Err((number, format!("expected one JSON object with `t` ({error})"))),
        };
        let line = parse_line(raw).map_err(|why| (number, why))?;
        let before = lines.last().map_or(Duration::ZERO, |line| line.t);
        let Some(passed) = line.t.checked_sub(before) else {
            let why = format!("`t` is {}, less than {} of the line before", seconds(line.t), seconds(before));
            return Err((number, why));
        };
        if let What::Clock { asleep, .. } = line.what
            && asleep > passed
        {
            return Err((number, "`asleep` is more than the time since the line before".to_owned()));
        }
        lines.push(line);
    }
    Ok(lines)
}

fn parse_line(raw: RawLine) -> Result<Line, String> {
    let t = duration("t", raw.t)?;
    let kinds = [raw.tool.is_some(), raw.log.is_some(), raw.log_end.is_some(), raw.clock.is_some()];
    if kinds.into_iter().filter(|&there| there).count() != 1 {
        return Err("expected one of `tool`, `log`, `log_end`, `clock`".to_owned());
    }
    let what = if let Some(text) = raw.log {
        What::Log(text)
    } else if let Some(end) = raw.log_end {
        What::LogEnd { exit: end.exit, stderr: end.stderr }
    } else if let Some(clock) = raw.clock {
        let size = duration("shift", clock.shift.abs())?;
        let size = TimeDelta::from_std(size).map_err(|_| format!("`shift` is {}; too much", clock.shift))?;
        What::Clock { asleep: duration("asleep", clock.asleep)?, shift: if clock.shift < 0.0 { -size } else { size } }
    } else {
        What::Call(parse_call(raw)?)
    };
    Ok(Line { t, what })
}

fn parse_call(raw: RawLine) -> Result<RecordedCall, String> {
    let ends = [
        raw.exit.map(CallEnd::Exit),
        raw.signal.map(CallEnd::Signal),
        (raw.timed_out == Some(true)).then_some(CallEnd::TimedOut),
        (raw.not_found == Some(true)).then_some(CallEnd::NotFound),
        raw.failed.map(CallEnd::Failed),
    ];
    let mut ends = ends.into_iter().flatten();
    let (Some(end), None) = (ends.next(), ends.next()) else {
        return Err("expected one of `exit`, `signal`, `timed_out`, `not_found`".to_owned());
    };
    Ok(RecordedCall {
        tool: raw.tool.unwrap_or_default(),
        args: raw.args.unwrap_or_default(),
        took: duration("took", raw.took.unwrap_or_default())?,
        end,
        stdout: bytes_of("stdout", raw.stdout, raw.stdout_base64)?,
        stderr: bytes_of("stderr", raw.stderr, raw.stderr_base64)?,
    })
}

fn bytes_of(key: &str, text: Option<String>, base64: Option<String>) -> Result<Vec<u8>, String> {
    match (text, base64) {
        (Some(_), Some(_)) => Err(format!("expected `{key}` or `{key}_base64`, not both")),
        (_, Some(base64)) => STANDARD.decode(base64).map_err(|error| format!("`{key}_base64`: {error}")),
        (text, None) => Ok(text.unwrap_or_default().into_bytes()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(Vec<Line>, Vec<String>), LineError> {
        let mut warnings = Vec::new();
        parse_lines(text.as_bytes(), &mut warnings).map(|lines| (lines, warnings))
    }

    fn header(text: &str) -> Result<(Header, Vec<String>), String> {
        let mut warnings = Vec::new();
        parse_header(text, &mut warnings).map(|header| (header, warnings))
    }

    #[test]
    fn every_kind_of_line_is_written_as_it_is_read() {
        let text = concat!(
            r#"{"t":0.0,"tool":"tmutil","args":["status","-X"],"took":0.021,"exit":0,"stdout":"<plist/>","stderr":""}"#,
            "\n",
            r#"{"t":12.345,"tool":"ioreg","args":[],"took":10.0,"timed_out":true,"stdout_base64":"/w==","stderr":"é"}"#,
            "\n",
            r#"{"t":12.345,"tool":"smbutil","args":["x"],"took":0.0,"not_found":true,"stdout":"","stderr":""}"#,
            "\n",
            r#"{"t":13.0,"tool":"smbutil","args":["x"],"took":0.0,"signal":9,"stdout":"","stderr":""}"#,
            "\n",
            r#"{"t":20.001,"log":"a \"line\""}"#,
            "\n",
            r#"{"t":20.002,"log_end":{"exit":77,"stderr":"must be admin"}}"#,
            "\n",
            r#"{"t":900.0,"clock":{"asleep":540.5,"shift":-3600.25}}"#,
            "\n",
        );
        let (lines, warnings) = parse(text).unwrap();
        assert!(warnings.is_empty());
        assert_eq!(lines[1].t, Duration::from_millis(12_345));
        assert_eq!(lines[1].call().unwrap().stdout, [0xff]);
        let mut written = Vec::new();
        for line in &lines {
            line.write_to(&mut written).unwrap();
        }
        assert_eq!(String::from_utf8(written).unwrap(), text);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| parse(text).unwrap_err();
        assert_eq!(wrong("{\"t\":1,\"log\":\"\"}\n\n{\"t\":0.5,\"log\":\"\"}\n").0, 3);
        assert!(wrong("{\"t\":-1,\"log\":\"\"}\n").1.contains("not negative"));
        assert!(wrong("{\"t\":1}\n").1.contains("expected one of `tool`"));
        assert!(wrong("{\"t\":1,\"tool\":\"mount\"}\n").1.contains("expected one of `exit`"));
        assert!(wrong("{\"t\":1,\"tool\":\"mount\",\"exit\":0,\"signal\":9}\n").1.contains("expected one of `exit`"));
        assert!(wrong("nonsense\n").1.contains("expected one JSON object"));
        assert!(wrong("{\"t\":1,\"clock\":{\"asleep\":2}}\n").1.contains("asleep"));
    }

    #[test]
    fn a_cut_last_line_is_left_out_and_unknown_keys_do_no_harm() {
        let (lines, warnings) = parse("{\"t\":1,\"log\":\"a\",\"new\":[1]}\n{\"t\":2,\"lo").unwrap();
        assert_eq!((lines.len(), warnings.len()), (1, 1));
        let (lines, warnings) = parse("{\"t\":1,\"log\":\"a\"}").unwrap();
        assert_eq!((lines.len(), warnings.len()), (1, 0));
    }

    #[test]
    fn the_header_needs_title_kind_and_start() {
        let (read, _) =
            header("title='a'\nkind='invented'\nstart=2024-03-30T10:00:00+01:00\ntime_zone='Europe/Berlin'").unwrap();
        assert_eq!(read.start.to_rfc3339(), "2024-03-30T10:00:00+01:00");
        assert_eq!(header(&read.to_toml()).unwrap().0, read);
        assert!(header("title='a'\nkind='invented'").unwrap_err().contains("start"));
        assert!(header("title='a'\nkind='invented'\nstart='yesterday'").unwrap_err().contains("RFC 3339"));
        assert!(header("schema=2\ntitle='a'\nkind='captured'\nstart='x'").unwrap_err().contains("schema"));
        let (read, warnings) =
            header("title='a'\nkind='captured'\nstart='2024-01-01T10:00:00Z'\ntime_zone='Asia/Tokyo'").unwrap();
        assert_eq!((read.time_zone, warnings.len()), (None, 1));
    }

    #[test]
    fn a_packed_recording_that_ends_early_is_used_as_far_as_it_goes() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(HEADER_FILE), "title='a'\nkind='invented'\nstart='2024-01-01T10:00:00Z'").unwrap();
        let error = Recording::read(folder.path()).unwrap_err();
        assert!(error.message.contains(LINES_FILE), "{error}");

        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for t in 0..2000_u32 {
            writeln!(encoder, "{{\"t\":{t},\"log\":\"{:x}\"}}", t.wrapping_mul(2_654_435_761)).unwrap();
        }
        let packed = encoder.finish().unwrap();
        let path = folder.path().join(format!("{LINES_FILE}.gz"));
        fs::write(&path, &packed).unwrap();
        let read = Recording::read(folder.path()).unwrap();
        assert_eq!((read.length(), read.warnings.len()), (Duration::from_secs(1999), 0));
        fs::write(&path, &packed[..packed.len() / 2]).unwrap();
        let read = Recording::read(folder.path()).unwrap();
        assert!(read.lines.len() < 2000);
        assert!(!read.warnings.is_empty());
    }
}
