//! Records whose first line a regex tells.

use std::ops::Range;

use regex::Regex;

use crate::domain::time::Moment;

use super::{Entry, Format};

/// Compiles the regex of a record's first line, or says what is wrong with it.
pub(super) fn compile(record: &str) -> Result<Regex, String> {
    let regex = Regex::new(record).map_err(|error| error.to_string())?;
    let has = |group: &str| regex.capture_names().flatten().any(|name| name == group);
    if !record.starts_with('^') || !record.ends_with('$') {
        return Err("`record` must match the whole line, from `^` to `$`".to_owned());
    }
    for group in ["at", "message"] {
        if !has(group) {
            return Err(format!("`record` needs the group `{group}`"));
        }
    }
    Ok(regex)
}

/// Where the parts of a record stand in its first line.
#[derive(Debug)]
pub(super) struct Head {
    at: Moment,
    process: Option<Range<usize>>,
    pid: Option<u64>,
    subsystem: Option<Range<usize>>,
    category: Option<Range<usize>>,
    message: usize,
}

impl Head {
    /// Takes a first line apart; `None` if it is none.
    pub(super) fn read(format: &Format, record: &Regex, line: &str) -> Option<Self> {
        let groups = record.captures(line)?;
        let range = |name| groups.name(name).map(|group| group.range());
        Some(Self {
            at: format.moment(groups.name("at")?.as_str())?,
            process: range("process"),
            pid: groups.name("pid").and_then(|pid| pid.as_str().parse().ok()),
            subsystem: range("subsystem"),
            category: range("category"),
            message: groups.name("message")?.start(),
        })
    }

    /// The record, whose text begins with the line that this was read from.
    pub(super) fn entry<'a>(&self, record: &'a str) -> Entry<'a> {
        let part = |range: &Option<Range<usize>>| range.clone().and_then(|range| record.get(range));
        Entry {
            at: self.at,
            process: part(&self.process),
            pid: self.pid,
            subsystem: part(&self.subsystem),
            category: part(&self.category),
            message: record.get(self.message..).unwrap_or_default(),
        }
    }
}
