//! The journal of an observer: what it saw, a line each, written as it came, so that a crash loses nothing but the last line.

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

use super::destination::DestinationJson;
use super::link::InterfaceJson;
use super::number::{Reading, finite};
use super::words::Word;
use super::{Invalid, SCHEMA};
use crate::domain::destination::Destination;
use crate::domain::link::Link;
use crate::domain::phase::Phase;
use crate::domain::sample::{Counters, Era, Sample};
use crate::ports::Now;

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The command that observes, `run` or `watch`.
    pub command: String,
    /// The version of the program that writes.
    pub version: String,
    /// When the observing began; the clocks of all lines start there.
    pub from: DateTime<FixedOffset>,
    /// The macOS version, if it is known.
    pub macos: Option<String>,
}

/// A line of a journal.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalLine {
    /// How the observing began.
    Header(Header),
    /// The destination: the one asked for, and what is known of it when it is mounted.
    Destination(Destination),
    /// A link as it was seen.
    Link(Link),
    /// The start command was given.
    Asked(Now),
    /// An answer of `tmutil status`.
    Sample(Now, Sample),
    /// `tmutil status` gave nothing usable; in words, why.
    Unanswered(Now, String),
    /// A line of the log as it came.
    Log(Now, String),
}

/// What a journal holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// Its lines, in order.
    pub lines: Vec<JournalLine>,
    /// What could not be read: the number of the line, from 1, and why.
    pub damaged: Vec<(usize, Invalid)>,
    /// Whether the last line was cut while it was being written, and therefore left out.
    pub cut: bool,
}

impl Journal {
    /// Reads a journal. Never fails: what can't be read is told beside what can.
    pub fn read(text: &[u8]) -> Self {
        let mut journal = Self::default();
        for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let Some(line) = line.strip_suffix(b"\n") else {
                journal.cut = true;
                break;
            };
            match JournalLine::read(line) {
                Ok(line) => journal.lines.push(line),
                Err(why) => journal.damaged.push((number + 1, why)),
            }
        }
        journal
    }
}

impl JournalLine {
    /// Writes the line, without its line feed.
    pub fn write(&self) -> Result<String, Invalid> {
        Ok(serde_json::to_string(&LineJson::from(self))?)
    }

    /// Reads a line, without its line feed.
    pub fn read(line: &[u8]) -> Result<Self, Invalid> {
        serde_json::from_slice::<LineJson>(line)?.try_into()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum LineJson {
    Journal {
        schema: u32,
        command: String,
        version: String,
        from: DateTime<FixedOffset>,
        macos: Option<String>,
    },
    Destination {
        #[serde(flatten)]
        destination: DestinationJson,
        quota_bytes: Option<u64>,
        last_used: bool,
    },
    Interface(InterfaceJson),
    Asked(NowJson),
    Sample {
        #[serde(flatten)]
        now: NowJson,
        #[serde(flatten)]
        sample: SampleJson,
    },
    Unanswered {
        #[serde(flatten)]
        now: NowJson,
        why: String,
    },
    Log {
        #[serde(flatten)]
        now: NowJson,
        log: String,
    },
}

#[derive(Serialize, Deserialize)]
struct NowJson {
    t: Reading,
    awake: Reading,
    at: DateTime<FixedOffset>,
}

#[derive(Serialize, Deserialize)]
struct SampleJson {
    running: bool,
    stopping: bool,
    phase: Option<String>,
    era: Option<String>,
    destination_id: Option<String>,
    mount_point: Option<String>,
    first_backup: bool,
    counters: Option<CountersJson>,
    percent: Option<f64>,
    phase_fraction: Option<f64>,
    changed_items: Option<u64>,
    unknown: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize)]
struct CountersJson {
    bytes: Option<u64>,
    items: Option<u64>,
    bytes_to_copy: Option<u64>,
    items_to_copy: Option<u64>,
    remaining_s: Option<f64>,
}

impl From<&JournalLine> for LineJson {
    fn from(entry: &JournalLine) -> Self {
        match entry {
            JournalLine::Header(header) => {
                let Header { command, version, from, macos } = header.clone();
                Self::Journal { schema: SCHEMA, command, version, from, macos }
            }
            JournalLine::Destination(destination) => Self::Destination {
                destination: destination.into(),
                quota_bytes: destination.quota_bytes,
                last_used: destination.last_used,
            },
            JournalLine::Link(link) => Self::Interface(link.into()),
            JournalLine::Asked(now) => Self::Asked((*now).into()),
            JournalLine::Sample(now, sample) => Self::Sample { now: (*now).into(), sample: sample.into() },
            JournalLine::Unanswered(now, why) => Self::Unanswered { now: (*now).into(), why: why.clone() },
            JournalLine::Log(now, log) => Self::Log { now: (*now).into(), log: log.clone() },
        }
    }
}

impl TryFrom<LineJson> for JournalLine {
    type Error = Invalid;

    fn try_from(json: LineJson) -> Result<Self, Invalid> {
        Ok(match json {
            LineJson::Journal { schema, .. } if schema != SCHEMA => return Err(Invalid::Schema(schema)),
            LineJson::Journal { command, version, from, macos, .. } => {
                Self::Header(Header { command, version, from, macos })
            }
            LineJson::Destination { destination, quota_bytes, last_used } => {
                Self::Destination(Destination { quota_bytes, last_used, ..destination.try_into()? })
            }
            LineJson::Interface(link) => Self::Link(link.try_into()?),
            LineJson::Asked(now) => Self::Asked(now.into()),
            LineJson::Sample { now, sample } => Self::Sample(now.into(), sample.try_into()?),
            LineJson::Unanswered { now, why } => Self::Unanswered(now.into(), why),
            LineJson::Log { now, log } => Self::Log(now.into(), log),
        })
    }
}

impl From<Now> for NowJson {
    fn from(now: Now) -> Self {
        Self { t: Reading(now.elapsed), awake: Reading(now.awake), at: now.wall }
    }
}

impl From<NowJson> for Now {
    fn from(json: NowJson) -> Self {
        Self { elapsed: json.t.0, awake: json.awake.0, wall: json.at }
    }
}

impl From<&Sample> for SampleJson {
    fn from(sample: &Sample) -> Self {
        Self {
            running: sample.running,
            stopping: sample.stopping,
            phase: sample.phase.as_ref().map(|phase| phase.name().to_owned()),
            era: sample.era.map(Word::word),
            destination_id: sample.destination_id.clone(),
            mount_point: sample.mount_point.clone(),
            first_backup: sample.first_backup,
            counters: sample.counters.as_ref().map(|counters| CountersJson {
                bytes: counters.bytes,
                items: counters.items,
                bytes_to_copy: counters.bytes_to_copy,
                items_to_copy: counters.items_to_copy,
                remaining_s: counters.remaining_s.and_then(finite),
            }),
            percent: sample.percent.and_then(finite),
            phase_fraction: sample.phase_fraction.and_then(finite),
            changed_items: sample.changed_items,
            unknown: sample.unknown.clone(),
        }
    }
}

impl TryFrom<SampleJson> for Sample {
    type Error = Invalid;

    fn try_from(json: SampleJson) -> Result<Self, Invalid> {
        Ok(Self {
            running: json.running,
            stopping: json.stopping,
            phase: json.phase.map(Phase::new),
            era: json.era.map(|word| Era::parse("era", &word)).transpose()?,
            destination_id: json.destination_id,
            mount_point: json.mount_point,
            first_backup: json.first_backup,
            counters: json.counters.map(|counters| Counters {
                bytes: counters.bytes,
                items: counters.items,
                bytes_to_copy: counters.bytes_to_copy,
                items_to_copy: counters.items_to_copy,
                remaining_s: counters.remaining_s,
            }),
            percent: json.percent,
            phase_fraction: json.phase_fraction,
            changed_items: json.changed_items,
            unknown: json.unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::contract::examples;

    fn now(millis: u64) -> Now {
        Now {
            elapsed: Duration::from_nanos(millis * 1_000_000 + 317),
            awake: Duration::from_millis(millis),
            wall: examples::at("2026-09-12T13:02:11.25+02:00"),
        }
    }

    fn sample() -> Sample {
        Sample {
            running: true,
            stopping: false,
            phase: Some(Phase::new("Copying")),
            era: Some(Era::C),
            destination_id: Some("0B1C2D3E-4F50-6172-8394-A5B6C7D8E9F0".to_owned()),
            mount_point: Some("/Volumes/Täglich".to_owned()),
            first_backup: true,
            counters: Some(Counters {
                bytes: Some(59_300_000_000),
                items: Some(0),
                bytes_to_copy: None,
                items_to_copy: None,
                remaining_s: Some(-1.5),
            }),
            percent: Some(0.58),
            phase_fraction: None,
            changed_items: Some(914_203),
            unknown: vec![("New".to_owned(), "1".to_owned()), ("New".to_owned(), "a\nb".to_owned())],
        }
    }

    fn lines() -> Vec<JournalLine> {
        vec![
            JournalLine::Header(Header {
                command: "run".to_owned(),
                version: "0.1.0".to_owned(),
                from: examples::at("2026-09-12T13:02:10+02:00"),
                macos: Some("13.2".to_owned()),
            }),
            JournalLine::Destination(Destination {
                quota_bytes: Some(5),
                last_used: true,
                ..examples::full().destination
            }),
            JournalLine::Link(examples::usb3()),
            JournalLine::Asked(now(900)),
            JournalLine::Sample(now(1_000), Sample::default()),
            JournalLine::Sample(now(86_400_123), sample()),
            JournalLine::Unanswered(now(3_000), "gave no answer within 20 s".to_owned()),
            JournalLine::Log(now(4_000), "{\"eventMessage\":\"Starting manual backup — ✓\"}".to_owned()),
        ]
    }

    fn text() -> String {
        lines().iter().map(|line| line.write().unwrap() + "\n").collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let text = text();
        assert_eq!(text.lines().count(), lines().len(), "a line must be one line");
        assert_eq!(Journal::read(text.as_bytes()), Journal { lines: lines(), damaged: vec![], cut: false });
    }

    #[test]
    fn a_journal_cut_anywhere_gives_its_whole_lines() {
        let text = text();
        for cut in 0..=text.len() {
            let kept = &text.as_bytes()[..cut];
            let journal = Journal::read(kept);
            let whole = kept.split(|&byte| byte == b'\n').count() - 1;
            assert_eq!(journal.lines, lines()[..whole]);
            assert_eq!(journal.cut, cut > 0 && kept[cut - 1] != b'\n', "cut at {cut}");
            assert_eq!(journal.damaged, vec![]);
        }
    }

    #[test]
    fn a_damaged_line_costs_no_other_line() {
        let mut text = text().into_bytes();
        text.splice(0..0, b"\xff{\n{\"type\":\"moon\"}\n".iter().copied());
        let journal = Journal::read(&text);
        assert_eq!(journal.lines, lines());
        assert_eq!(journal.damaged.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_log_line_has_the_keys_of_a_recording_and_its_type() {
        let line = JournalLine::Log(
            Now { elapsed: Duration::from_millis(12_400), awake: Duration::from_secs(12), wall: now(0).wall },
            "as it came".to_owned(),
        );
        assert_eq!(
            line.write().unwrap(),
            r#"{"type":"log","t":12.4,"awake":12.0,"at":"2026-09-12T13:02:11.250+02:00","log":"as it came"}"#
        );
    }
}
