//! Bytes or lines in, records out, one by one as they come.

use std::sync::Arc;

use chrono_tz::Tz;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use super::Read;
use super::chunks::{Encoding, Piece, Splitter};
use super::format::{Aside, Format, Shape};
use super::json::Objects;
use super::loose::Loose;
use super::ndjson::{self, Scratch};
use super::stamp::{DayMonth, Stamp};
use super::text::{Head, Pattern, Room};
use crate::logs::message::{is_backupd, knows, with_first_line};

/// A record that goes on for longer than this is handed on as far as it goes.
const LONGEST: usize = 1 << 20;

/// A head that was wrapped takes so many lines more, at most.
const WRAPPED: usize = 2;

/// So much of an unreadable line is kept for the report.
const EXCERPT: usize = 200;

/// What is known beforehand of a log that is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// The year of its first line, for stamps without one.
    pub year: Option<i32>,
    /// The time zone of its stamps without an offset.
    pub zone: Option<Tz>,
    /// Hand on only what backupd says; everything else is passed over, as fast as the format allows.
    pub only_backupd: bool,
}

/// What reading a log came to so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Records handed on.
    pub entries: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
    /// The first of them, as far as it is worth showing.
    pub first_unreadable: Option<String>,
    /// Notices of the log that records were lost.
    pub lost: u64,
    /// Set if the log itself says that messages of the type Info were not asked for: starts and successes are missing then.
    pub infos_left_out: bool,
    /// How often a stamp lay before the one before it, New Year and midnight aside. In a log with the newest line first that
    /// is nearly always so.
    pub went_back: u64,
}

/// Reads a log of one format.
#[derive(Debug)]
pub struct LogReader {
    format: Arc<Format>,
    only_backupd: bool,
    needle: Option<Finder<'static>>,
    /// Stands before every line, such as `> `.
    prefix: String,
    order: Option<DayMonth>,
    splitter: Splitter,
    scratch: Scratch,
    octal: String,
    room: Option<Room>,
    /// The record under way, its parts, and its time.
    record: String,
    head: Option<(Head, Option<Stamp>)>,
    /// Lines before the first record, each after a line break.
    headless: String,
    /// Lines that may be the first ones of a head of several lines.
    first_lines: Vec<String>,
    objects: Objects,
    loose: Loose,
    last: Option<Stamp>,
    report: Report,
}

impl LogReader {
    /// Begins a log.
    pub fn new(format: &Arc<Format>, options: &ReadOptions) -> Self {
        let room = match &format.shape {
            Shape::Text(pattern) | Shape::Messages(pattern) => Some(pattern.room()),
            Shape::Ndjson | Shape::Json => None,
        };
        let needle = format.needle.as_ref().filter(|_| options.only_backupd);
        Self {
            format: Arc::clone(format),
            only_backupd: options.only_backupd,
            needle: needle.map(|needle| Finder::new(needle).into_owned()),
            prefix: String::new(),
            order: None,
            splitter: Splitter::default(),
            scratch: Scratch::default(),
            octal: String::new(),
            room,
            record: String::new(),
            head: None,
            headless: String::new(),
            first_lines: Vec::new(),
            objects: Objects::default(),
            loose: Loose::default(),
            last: None,
            report: Report::default(),
        }
    }

    /// The same with what detection found out.
    pub(super) fn prepared(mut self, encoding: Encoding, prefix: &str, order: Option<DayMonth>) -> Self {
        self.splitter = Splitter::new(encoding);
        prefix.clone_into(&mut self.prefix);
        self.order = order;
        self
    }

    /// The format.
    pub fn format(&self) -> &Arc<Format> {
        &self.format
    }

    /// What reading came to so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Whether a record begins with `line`, so that a file may be cut before it.
    pub fn begins(&self, line: &str) -> bool {
        self.format.begins(unquoted(line, &self.prefix))
    }

    /// Takes bytes, cut anywhere, and calls `each` with what they complete.
    pub fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(Read<'_>)) {
        let mut splitter = std::mem::take(&mut self.splitter);
        splitter.push(bytes, &mut |piece| self.push_piece(&piece, each));
        self.splitter = splitter;
    }

    /// Takes a line without its end and calls `each` with what it completes: a record of several lines is complete with the
    /// first line that does not belong to it, or with [`flush`](Self::flush).
    pub fn push_line(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if self.prefix.is_empty() {
            self.push_bare(line, each);
        } else {
            let prefix = std::mem::take(&mut self.prefix);
            self.push_bare(unquoted(line, &prefix), each);
            self.prefix = prefix;
        }
    }

    /// Hands on what is under way: at the end of a log, or when nothing has come for a while.
    pub fn flush(&mut self, each: &mut dyn FnMut(Read<'_>)) {
        let mut splitter = std::mem::take(&mut self.splitter);
        splitter.flush(&mut |piece| self.push_piece(&piece, each));
        self.splitter = splitter;
        for line in std::mem::take(&mut self.first_lines) {
            self.push_more(&line, each);
        }
        self.end_record(each);
        if let Some(cut) = self.objects.cut() {
            self.unreadable(&cut, each);
        }
        let mut loose = std::mem::take(&mut self.loose);
        loose.flush(&mut |read| self.hand_on(read, each));
        self.loose = loose;
    }

    fn push_piece(&mut self, piece: &Piece<'_>, each: &mut dyn FnMut(Read<'_>)) {
        let Piece::Lines(lines) = *piece else { return self.unreadable("a line of more than 4 MiB", each) };
        let mut at = 0;
        while at < lines.len() {
            if self.is_passing()
                && let Some(needle) = &self.needle
            {
                let Some(found) = needle.find(&lines[at..]) else { return };
                at = memrchr(b'\n', &lines[at..at + found]).map_or(at, |end| at + end + 1);
            }
            let end = memchr(b'\n', &lines[at..]).map_or(lines.len(), |end| at + end);
            let line = &lines[at..end];
            at = end + 1;
            match std::str::from_utf8(line) {
                Ok(line) => self.push_line(line, each),
                Err(_) => self.push_line(&String::from_utf8_lossy(line), each),
            }
        }
    }

    /// Whether lines that are not of backupd may be passed over unread.
    fn is_passing(&self) -> bool {
        self.head.is_none() && self.first_lines.is_empty() && self.prefix.is_empty()
    }

    fn push_bare(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        let format = Arc::clone(&self.format);
        match &format.shape {
            Shape::Ndjson => self.push_ndjson(line, each),
            Shape::Json => self.push_json(line, each),
            Shape::Text(_) if format.head_lines > 1 => self.push_one_of_several(line, each),
            Shape::Text(pattern) => self.push_text(pattern, line, each),
            Shape::Messages(pattern) => {
                if self.push_aside(line, each) {
                    return;
                }
                let mut loose = std::mem::take(&mut self.loose);
                if let Some(mut room) = self.room.take() {
                    loose.push(&format, pattern, &mut room, line, &mut |read| self.hand_on(read, each));
                    self.room = Some(room);
                }
                self.loose = loose;
            }
        }
    }

    /// Begins a record if `line` is the head of one.
    fn push_head(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) -> bool {
        let Shape::Text(pattern) = &self.format.shape else { return false };
        let Some(room) = &mut self.room else { return false };
        let Some(head) = pattern.read(line, room) else { return false };
        if self.format.is_excepted(line) {
            return false;
        }
        let Ok(at) = self.format.read_time(head.at.as_ref(), line, self.order) else { return false };
        if self.order.is_none() && self.format.has_day_month() {
            let text = head.at.clone().and_then(|at| line.get(at));
            self.order = text.and_then(|text| self.format.day_month(text));
        }
        self.end_record(each);
        let foreign = || Head::part(head.process.as_ref(), line).is_some_and(|process| !is_backupd(process));
        if !(self.only_backupd && foreign()) {
            self.record.push_str(line);
            self.head = Some((head, at));
        }
        true
    }

    /// Takes a line of a log whose heads take one, unless a program wrapped them.
    fn push_text(&mut self, pattern: &Pattern, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        if !self.first_lines.is_empty() {
            if !pattern.starts(line) && !line.trim().is_empty() {
                let wrapped = |joint| format!("{}{joint}{}", self.first_lines.join(joint), line.trim_start());
                let (words, anywhere) = (wrapped(" "), wrapped(""));
                if self.push_head(&words, each) || self.push_head(&anywhere, each) {
                    return self.first_lines.clear();
                }
                if self.first_lines.len() < WRAPPED {
                    return self.first_lines.push(line.to_owned());
                }
            }
            for line in std::mem::take(&mut self.first_lines) {
                self.push_more(&line, each);
            }
        }
        if self.push_head(line, each) {
            return;
        }
        if pattern.starts(line) && !self.format.is_excepted(line) {
            self.first_lines.push(line.to_owned());
        } else {
            self.push_more(line, each);
        }
    }

    /// Takes a line of a log whose heads take several.
    fn push_one_of_several(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        self.first_lines.push(line.to_owned());
        if self.first_lines.len() < self.format.head_lines {
            return;
        }
        if self.push_head(&self.first_lines.join("\n"), each) {
            self.first_lines.clear();
        } else {
            let first = self.first_lines.remove(0);
            self.push_more(&first, each);
        }
    }

    /// Takes a line that begins no record.
    fn push_more(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        if self.push_aside(line, each) {
            return;
        }
        if self.head.is_some() && self.record.len() + line.len() < LONGEST {
            self.record.push('\n');
            self.record.push_str(line);
            return;
        }
        if self.head.is_some() {
            self.end_record(each);
        }
        if line.trim().is_empty() || self.only_backupd && self.needle.is_some() {
            return;
        }
        if self.report.entries == 0 && self.headless.len() + line.len() < LONGEST {
            self.headless.push('\n');
            self.headless.push_str(line);
        } else {
            self.push_headless(line, each);
        }
    }

    /// Takes a line before all records, or one whose record was too long.
    fn push_headless(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        // It may have lost its stamp.
        if knows(line) {
            self.hand_on(Read::Entry(Head::default().entry(line, None)), each);
        } else {
            self.unreadable(line, each);
        }
    }

    /// Hands on the lines before the first record: the end of a record whose head is missing.
    fn end_headless(&mut self, each: &mut dyn FnMut(Read<'_>)) {
        if self.headless.is_empty() {
            return;
        }
        let body = std::mem::take(&mut self.headless);
        if let Some(message) = with_first_line(&body) {
            self.hand_on(Read::Entry(Head::default().entry(&message, None)), each);
        } else {
            body.lines().skip(1).for_each(|line| self.push_headless(line, each));
        }
    }

    /// Takes a line that `log` adds of itself.
    fn push_aside(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) -> bool {
        let Some(aside) = self.format.aside(line) else { return false };
        self.end_record(each);
        self.report.infos_left_out |= aside == Aside::InfosLeftOut;
        let read = match aside {
            Aside::Preamble | Aside::InfosLeftOut => Read::Preamble(line),
            Aside::Footer => Read::Footer,
            Aside::Dropped => Read::Dropped,
        };
        self.hand_on(read, each);
        true
    }

    fn end_record(&mut self, each: &mut dyn FnMut(Read<'_>)) {
        self.end_headless(each);
        if let Some((head, at)) = self.head.take() {
            let record = std::mem::take(&mut self.record);
            let mut entry = head.entry(record.trim_end_matches('\n'), at);
            let mut room = std::mem::take(&mut self.octal);
            if self.format.octal && entry.message.contains('#') {
                unescape_octal(entry.message, &mut room);
                entry.message = &room;
            }
            self.hand_on(Read::Entry(entry), each);
            self.octal = room;
            self.record = record;
        }
        self.record.clear();
    }

    fn push_ndjson(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        if !line.starts_with('{') && (line.trim().is_empty() || self.push_aside(line, each)) {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        self.hand_on_json(&ndjson::read(&self.format.clone(), line, &mut scratch), line, each);
        self.scratch = scratch;
    }

    fn push_json(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        if !self.objects.is_open() {
            let trimmed = line.trim();
            if trimmed.is_empty() || matches!(trimmed, "[" | "]" | "," | "[]") || self.push_aside(line, each) {
                return;
            }
            if !line.contains('{') {
                return self.unreadable(line, each);
            }
        }
        let mut objects = std::mem::take(&mut self.objects);
        let mut scratch = std::mem::take(&mut self.scratch);
        let format = Arc::clone(&self.format);
        objects.push(line, |object| self.hand_on_json(&ndjson::whole(&format, object, &mut scratch), object, each));
        self.objects = objects;
        self.scratch = scratch;
    }

    fn hand_on_json(&mut self, json: &ndjson::Line<'_>, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        match *json {
            ndjson::Line::Entry(entry) => {
                if !(self.only_backupd && entry.process.is_some_and(|process| !is_backupd(process))) {
                    self.hand_on(Read::Entry(entry), each);
                }
            }
            ndjson::Line::Dropped => self.hand_on(Read::Dropped, each),
            ndjson::Line::Footer => self.hand_on(Read::Footer, each),
            ndjson::Line::Unreadable => self.unreadable(line, each),
        }
    }

    fn unreadable(&mut self, line: &str, each: &mut dyn FnMut(Read<'_>)) {
        self.hand_on(Read::Unreadable(line), each);
    }

    /// Counts what is handed on.
    fn hand_on(&mut self, read: Read<'_>, each: &mut dyn FnMut(Read<'_>)) {
        match read {
            Read::Entry(entry) => {
                self.report.entries += 1;
                if let Some(at) = entry.at {
                    self.report.went_back +=
                        u64::from(self.last.is_some_and(|last| at.is_before(last) && !at.begins_anew_after(last)));
                    self.last = Some(at);
                }
            }
            Read::Unreadable(line) => {
                self.report.unreadable += 1;
                self.report.first_unreadable.get_or_insert_with(|| line.chars().take(EXCERPT).collect());
            }
            Read::Dropped => self.report.lost += 1,
            Read::Preamble(_) | Read::Footer => {}
        }
        each(read);
    }
}

/// A line without what stands before every line. A mailer may have lost the blank after the `>`.
pub(super) fn unquoted<'a>(line: &'a str, prefix: &str) -> &'a str {
    let bare = line.strip_prefix(prefix).or_else(|| {
        let mark = prefix.trim_end();
        if mark.is_empty() { line.trim().is_empty().then_some("") } else { line.strip_prefix(mark) }
    });
    bare.unwrap_or(line)
}

/// Puts back the characters that rsyslog writes as `#` and three octal digits, such as `#011` for a tab.
fn unescape_octal(text: &str, room: &mut String) {
    room.clear();
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        room.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 4).filter(|digits| digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte)));
        // Only what a log cannot hold as it stands is written so.
        let control = code.and_then(|digits| u8::from_str_radix(digits, 8).ok()).filter(u8::is_ascii_control);
        room.push(control.map_or('#', char::from));
        rest = &rest[at + if control.is_some() { 4 } else { 1 }..];
    }
    room.push_str(rest);
}
