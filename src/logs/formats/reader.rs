//! Lines in, records out, one by one as they come.

use super::ndjson::{self, Scratch};
use super::text::Head;
use super::{Aside, Entry, Format, Shape};

/// A record that goes on for longer than this is handed on as far as it goes.
const LONGEST: usize = 1 << 20;

/// What came out of a log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Read<'a> {
    /// A record.
    Entry(Entry<'a>),
    /// What `log` says before the first record.
    Preamble(&'a str),
    /// What it says after the last.
    Footer,
    /// It says that records were lost.
    Dropped,
    /// A line that cannot be read.
    Unreadable(&'a str),
}

/// Reads a log of one format.
#[derive(Debug)]
pub struct LineReader {
    format: &'static Format,
    scratch: Scratch,
    /// The record under way, and where its parts stand.
    record: String,
    head: Option<Head>,
}

impl LineReader {
    /// Begins a log.
    pub fn new(format: &'static Format) -> Self {
        Self { format, scratch: Scratch::default(), record: String::new(), head: None }
    }

    /// The format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Takes a line without its end and calls `each` with what it completes: a record of several lines is complete with the
    /// first line that does not belong to it, or with [`flush`](Self::flush).
    pub fn push(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(aside) = self.format.aside(line) {
            self.flush(each);
            return each(match aside {
                Aside::Preamble => Read::Preamble(line),
                Aside::Footer => Read::Footer,
                Aside::Dropped => Read::Dropped,
            });
        }
        match &self.format.shape {
            Shape::Ndjson => self.push_json(line, each),
            Shape::Text(record) => {
                if let Some(head) = Head::read(self.format, record, line) {
                    self.flush(each);
                    self.record.push_str(line);
                    self.head = Some(head);
                } else {
                    self.push_more(line, each);
                }
            }
        }
    }

    /// Hands on the record under way.
    pub fn flush(&mut self, each: &mut dyn FnMut(Read<'_>)) {
        if let Some(head) = self.head.take() {
            each(Read::Entry(head.entry(self.record.trim_end_matches('\n'))));
        }
        self.record.clear();
    }

    fn push_json(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        if line.trim().is_empty() {
            return;
        }
        each(match ndjson::read(self.format, line, &mut self.scratch) {
            ndjson::Line::Entry(entry) => Read::Entry(entry),
            ndjson::Line::Dropped => Read::Dropped,
            ndjson::Line::Footer => Read::Footer,
            ndjson::Line::Unreadable => Read::Unreadable(line),
        });
    }

    fn push_more(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        if self.head.is_some() && self.record.len() + line.len() < LONGEST {
            self.record.push('\n');
            self.record.push_str(line);
        } else {
            self.flush(each);
            if !line.trim().is_empty() {
                each(Read::Unreadable(line));
            }
        }
    }
}
