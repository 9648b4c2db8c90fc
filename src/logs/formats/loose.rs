//! Messages without anything before them: where one ends and the next begins, only the messages themselves can tell.

use std::collections::VecDeque;

use chrono::{NaiveDateTime, TimeDelta};

use super::format::{Format, Header};
use super::stamp::Stamp;
use super::text::{Head, Pattern, Room};
use super::{Entry, Read};
use crate::logs::message::{ends_backup, knows, may_know};

/// How many lines one message may take up before its end is known.
const WINDOW: usize = 24;

/// How lines become one text: as they stand, or wrapped by a program between words or anywhere.
const JOINTS: [&str; 3] = ["\n", " ", ""];

/// Messages that come line by line.
#[derive(Debug, Default)]
pub(super) struct Loose {
    lines: VecDeque<Line>,
    ended: Option<NaiveDateTime>,
    lasted: Option<TimeDelta>,
    begun: bool,
}

#[derive(Debug)]
struct Line {
    text: String,
    process: Option<String>,
    category: Option<String>,
    known: bool,
}

impl Loose {
    /// Takes a line.
    pub(super) fn push(
        &mut self,
        format: &Format,
        pattern: &Pattern,
        room: &mut Room,
        line: &str,
        each: &mut dyn FnMut(Read<'_>),
    ) {
        if let Some(header) = &format.header
            && self.read_header(format, header, line)
        {
            return each(Read::Preamble(line));
        }
        let Some(head) = pattern.read(line, room) else { return each(Read::Unreadable(line)) };
        let text = line.get(head.message..).unwrap_or_default();
        self.lines.push_back(Line {
            text: text.to_owned(),
            process: Head::part(head.process.as_ref(), line).map(str::to_owned),
            category: Head::part(head.category.as_ref(), line).map(str::to_owned),
            known: knows(text),
        });
        while self.lines.len() > WINDOW {
            self.give_first(each);
        }
    }

    /// Hands on what there is.
    pub(super) fn flush(&mut self, each: &mut dyn FnMut(Read<'_>)) {
        while !self.lines.is_empty() {
            self.give_first(each);
        }
    }

    /// The lines above the messages that tell the time.
    fn read_header(&mut self, format: &Format, header: &Header, line: &str) -> bool {
        if let Some(groups) = header.ended.captures(line) {
            self.ended = groups.name("at").and_then(|at| match format.stamp(at.as_str(), None) {
                Some(Stamp::Local(at)) => Some(at),
                _ => None,
            });
            return true;
        }
        let Some(groups) = header.lasted.captures(line) else { return false };
        let part = |name| groups.name(name).and_then(|part| part.as_str().parse::<u32>().ok()).map(i64::from);
        let seconds = [("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1)]
            .into_iter()
            .try_fold(0_i64, |sum, (name, unit)| sum.checked_add(part(name)?.checked_mul(unit)?));
        self.lasted = seconds.and_then(TimeDelta::try_seconds);
        true
    }

    /// Hands on the first message: the shortest that is known, and the lines after it that belong to it and begin no other.
    fn give_first(&mut self, each: &mut dyn FnMut(Read<'_>)) {
        let window = self.lines.len().min(WINDOW);
        // Most lines of a text that is no log begin no message.
        let window = if self.may_begin() { window } else { 1 };
        let (text, taken) = (1..=window).find_map(|count| self.message(count)).map_or_else(
            || (self.lines.front().map(|line| line.text.clone()).unwrap_or_default(), 1),
            |first| self.longer(first, window),
        );
        let first = self.lines.drain(..taken).next();
        let (process, category) = first.map(|line| (line.process, line.category)).unwrap_or_default();
        if text.trim().is_empty() {
            return;
        }
        let at = if !self.begun {
            self.ended.zip(self.lasted).and_then(|(ended, lasted)| ended.checked_sub_signed(lasted))
        } else if ends_backup(&text) {
            self.ended
        } else {
            None
        };
        self.begun = true;
        each(Read::Entry(Entry {
            at: at.map(Stamp::Local),
            host: None,
            process: process.as_deref(),
            pid: None,
            level: None,
            subsystem: None,
            category: category.as_deref(),
            message: &text,
        }));
    }

    /// The first `count` lines as one known message. A line that is known by itself is no part of another.
    fn message(&self, count: usize) -> Option<(String, usize)> {
        if self.lines.iter().take(count).skip(1).any(|line| line.known) {
            return None;
        }
        JOINTS.iter().map(|joint| self.joined(count, joint)).find(|text| knows(text)).map(|text| (text, count))
    }

    /// Whether the first lines begin like a known message, however they are joined.
    fn may_begin(&self) -> bool {
        JOINTS.iter().any(|joint| may_know(&self.joined(self.lines.len().min(3), joint)))
    }

    fn longer(&self, first: (String, usize), window: usize) -> (String, usize) {
        let more = (first.1 + 1..=window).map_while(|count| self.message(count)).last();
        more.unwrap_or(first)
    }

    fn joined(&self, count: usize, joint: &str) -> String {
        let lines: Vec<&str> = self.lines.iter().take(count).map(|line| line.text.as_str()).collect();
        lines.join(joint)
    }
}
