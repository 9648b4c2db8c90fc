//! A log as it is followed while a backup runs: lines in, news out.

use crate::domain::event::Event;
use crate::domain::time::Wall;
use crate::ports::LogStyle;

use super::formats::{Entry, Formats, LogReader, Read, ReadOptions, Stamp};
use super::message::{Reading, understand_entry};

/// Where Time Machine logs. In the releases that put the category behind a point, the name goes on.
const SUBSYSTEM: &str = "com.apple.TimeMachine";

/// What a line of the log told.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "made and taken apart one at a time")]
pub enum Heard {
    /// The stream is up.
    Preamble,
    /// News of a backup.
    Event {
        /// When, by the line itself.
        at: Option<Wall>,
        /// What.
        event: Event,
    },
    /// A message of backupd that no table knows, or a line that cannot be read.
    NotUnderstood(String),
    /// The log says that it lost lines.
    Dropped,
    /// Nothing about backups: known noise, another process, the end of the log.
    Other,
}

/// A log that is followed.
#[derive(Debug)]
pub struct LiveLog {
    reader: Option<LogReader>,
}

impl LiveLog {
    /// Begins to follow a log that was asked for in this style. Lines of another style are understood all the same.
    pub fn new(style: LogStyle) -> Self {
        Self {
            reader: Formats::built_in()
                .named(style.word())
                .map(|format| LogReader::new(format, &ReadOptions::default())),
        }
    }

    /// Takes a line, without its end, and gives what it completes.
    pub fn push_line(&mut self, line: &str) -> Vec<Heard> {
        let mut heard = Vec::new();
        let fits = self.reader.as_ref().is_some_and(|reader| reader.format().knows(line));
        if !fits && let Some(format) = Formats::built_in().iter().find(|format| format.knows(line)) {
            heard = self.flush();
            self.reader = Some(LogReader::new(format, &ReadOptions::default()));
        }
        match &mut self.reader {
            Some(reader) => reader.push_line(line, &mut |read| heard.push(hear(read))),
            None => heard.push(hear(Read::Unreadable(line))),
        }
        heard
    }

    /// Gives what is under way. Call it when no line has come for a while, or at the end.
    pub fn flush(&mut self) -> Vec<Heard> {
        let mut heard = Vec::new();
        if let Some(reader) = &mut self.reader {
            reader.flush(&mut |read| heard.push(hear(read)));
        }
        heard
    }
}

fn hear(read: Read<'_>) -> Heard {
    match read {
        Read::Entry(entry) => hear_entry(&entry),
        Read::Preamble(_) => Heard::Preamble,
        Read::Dropped => Heard::Dropped,
        Read::Footer => Heard::Other,
        Read::Unreadable(line) => Heard::NotUnderstood(line.to_owned()),
    }
}

fn hear_entry(entry: &Entry<'_>) -> Heard {
    if entry.subsystem.is_some_and(|subsystem| !subsystem.starts_with(SUBSYSTEM)) {
        return Heard::Other;
    }
    match understand_entry(entry) {
        Reading::Event(event) => Heard::Event { at: entry.at.and_then(Stamp::wall), event },
        Reading::NotUnderstood => Heard::NotUnderstood(entry.message.to_owned()),
        Reading::Noise | Reading::OtherProcess => Heard::Other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::event::{Meaning, Trigger};

    fn json(process: &str, subsystem: &str, message: &str) -> String {
        serde_json::json!({
            "eventMessage": message,
            "subsystem": subsystem,
            "processImagePath": format!("/System/{process}"),
            "timestamp": "2026-03-01 09:15:22.408772+0100",
        })
        .to_string()
    }

    fn meanings(heard: Vec<Heard>) -> Vec<Meaning> {
        heard
            .into_iter()
            .filter_map(|heard| if let Heard::Event { event, .. } = heard { Some(event.meaning) } else { None })
            .collect()
    }

    #[test]
    fn only_backupd_in_its_own_subsystem_is_heard() {
        let mut log = LiveLog::new(LogStyle::Ndjson);
        let start = "Starting backup with mode \"manual backup\"";
        assert_eq!(log.push_line("Filtering the log data using \"x\""), [Heard::Preamble]);
        assert_eq!(log.push_line(&json("backupd-helper", SUBSYSTEM, start)), [Heard::Other]);
        assert_eq!(log.push_line(&json("backupd", "com.apple.xpc", start)), [Heard::Other]);
        assert_eq!(log.push_line(&json("backupd", SUBSYSTEM, "News")), [Heard::NotUnderstood("News".to_owned())]);
        let heard = log.push_line(&json("backupd", SUBSYSTEM, start));
        let [Heard::Event { at: Some(at), event }] = heard.as_slice() else { panic!("{heard:?}") };
        assert_eq!(event.meaning, Meaning::Started(Some(Trigger::Manual)));
        assert_eq!(at.zoned().map(|at| at.to_rfc3339()).as_deref(), Some("2026-03-01T09:15:22.408772+01:00"));
    }

    #[test]
    fn a_log_in_another_style_is_understood() {
        let mut log = LiveLog::new(LogStyle::Ndjson);
        let head =
            "2026-03-01 09:15:22.408772+0100  localhost backupd[811]: (TimeMachine) [com.apple.TimeMachine:General] ";
        assert!(log.push_line(&format!("{head}Starting manual backup")).is_empty());
        assert_eq!(meanings(log.push_line(&json("backupd", SUBSYSTEM, "Backup succeeded"))).len(), 2);
        assert!(log.push_line(&format!("{head}Backup result: {{")).is_empty());
        assert!(log.push_line("    \"com.apple.backupd.SnapshotTotalBytesCopied\" = 7;").is_empty());
        assert!(log.push_line("}").is_empty());
        assert!(matches!(meanings(log.flush()).as_slice(), [Meaning::Result(data)] if data.physical.is_some()));
        assert!(log.flush().is_empty());
    }

    #[test]
    fn every_style_has_its_format() {
        for style in [LogStyle::Ndjson, LogStyle::Syslog] {
            assert!(LiveLog::new(style).reader.is_some(), "{}", style.word());
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(lines in proptest::collection::vec(any::<String>(), 0..6)) {
            let mut log = LiveLog::new(LogStyle::Syslog);
            for line in &lines {
                log.push_line(line);
            }
            log.flush();
        }
    }
}
