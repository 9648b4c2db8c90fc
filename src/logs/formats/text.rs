//! Records whose first line a regex tells.

use std::ops::Range;

use regex::{CaptureLocations, Regex};

use super::Entry;
use super::quick::{self, Quick};
use super::stamp::Stamp;

/// The names that the groups of a record's regex may have.
const GROUPS: [&str; 9] = ["at", "host", "process", "pid", "level", "sender", "subsystem", "category", "message"];

/// The form of a record's first line, or first lines.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    /// The number of each group of [`GROUPS`].
    groups: [Option<usize>; GROUPS.len()],
    /// Code that says the same sooner, of the lines that it dares to judge.
    quick: Option<Quick>,
    /// The pattern as far as the time.
    start: Option<Regex>,
}

/// Room for the places of groups, used again for every line.
#[derive(Debug)]
pub(super) struct Room(CaptureLocations);

/// Where the parts of a record stand in its first line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) at: Option<Range<usize>>,
    pub(super) host: Option<Range<usize>>,
    pub(super) process: Option<Range<usize>>,
    pub(super) pid: Option<Range<usize>>,
    pub(super) level: Option<Range<usize>>,
    pub(super) subsystem: Option<Range<usize>>,
    pub(super) category: Option<Range<usize>>,
    pub(super) message: usize,
}

impl Pattern {
    /// Compiles the regex of a record's first line, or says what is wrong with it.
    pub(super) fn compile(record: &str, quick: Option<&str>, needs_time: bool) -> Result<Self, String> {
        let regex = Regex::new(record).map_err(|error| error.to_string())?;
        if !record.starts_with('^') || !record.ends_with('$') {
            return Err("`record` must match the whole line, from `^` to `$`".to_owned());
        }
        if let Some(name) = regex.capture_names().flatten().find(|name| !GROUPS.contains(name)) {
            return Err(format!(
                "`record` has a group `{name}`, and the groups that mean something are {}",
                GROUPS.join(", ")
            ));
        }
        let place = |group| regex.capture_names().position(|name| name == Some(group));
        let groups = GROUPS.map(place);
        if needs_time && groups[0].is_none() {
            return Err("`record` needs the group `at`".to_owned());
        }
        if groups[8].is_none() {
            return Err("`record` needs the group `message`".to_owned());
        }
        let quick = quick
            .map(|name| quick::named(name).ok_or_else(|| format!("there is no quick way `{name}`")))
            .transpose()?;
        let start = until_time(record).and_then(|start| Regex::new(start).ok());
        Ok(Self { regex, groups, quick, start })
    }

    pub(super) fn room(&self) -> Room {
        Room(self.regex.capture_locations())
    }

    /// The regex.
    pub(super) fn regex(&self) -> &Regex {
        &self.regex
    }

    /// Whether a line has at least the time with which a record begins.
    pub(super) fn starts(&self, line: &str) -> bool {
        line.starts_with(|c: char| c.is_ascii_alphanumeric())
            && self.start.as_ref().is_some_and(|start| start.is_match(line))
    }

    /// Takes a first line apart; `None` if it is none.
    pub(super) fn read(&self, line: &str, room: &mut Room) -> Option<Head> {
        self.quick.and_then(|quick| quick(line)).or_else(|| self.read_by_regex(line, room))
    }

    pub(super) fn read_by_regex(&self, line: &str, room: &mut Room) -> Option<Head> {
        self.regex.captures_read(&mut room.0, line)?;
        let [at, host, process, pid, level, _, subsystem, category, message] = self.groups.map(|group| {
            let (start, end) = room.0.get(group?)?;
            Some(start..end)
        });
        Some(Head { at, host, process, pid, level, subsystem, category, message: message?.start })
    }

    #[cfg(test)]
    pub(super) fn quick(&self) -> Option<Quick> {
        self.quick
    }
}

/// The beginning of a pattern up to the end of the group `at`.
fn until_time(record: &str) -> Option<&str> {
    let rest = record.strip_prefix("^(?<at>")?;
    let mut depth = 1;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return record.get(..record.len() - rest.len() + at + 1);
        }
    }
    None
}

impl Head {
    /// A part of the first line.
    pub(super) fn part<'a>(range: Option<&Range<usize>>, record: &'a str) -> Option<&'a str> {
        record.get(range?.clone()).filter(|part| !part.is_empty())
    }

    /// The record, whose text begins with the line that this was read from.
    pub(super) fn entry<'a>(&self, record: &'a str, at: Option<Stamp>) -> Entry<'a> {
        Entry {
            at,
            host: Self::part(self.host.as_ref(), record),
            process: Self::part(self.process.as_ref(), record),
            pid: Self::part(self.pid.as_ref(), record).and_then(|pid| pid.parse().ok()),
            level: Self::part(self.level.as_ref(), record),
            subsystem: Self::part(self.subsystem.as_ref(), record),
            category: Self::part(self.category.as_ref(), record),
            message: record.get(self.message..).unwrap_or_default().trim_start_matches('\n'),
        }
    }
}
