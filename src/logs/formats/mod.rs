//! How the lines of a log are built: `*.toml` beside this file, one per form.

mod ndjson;
mod reader;
mod stamp;
mod text;

use std::sync::LazyLock;

use chrono::{DateTime, FixedOffset};
use regex::Regex;
use serde::Deserialize;

use crate::domain::time::{Moment, Wall};

use super::embedded;

pub use reader::{LineReader, Read};

/// What a log says at one point: who said what, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry<'a> {
    /// When, by the wall clock; without one if the record has no time that can be read.
    pub at: Moment,
    /// The name of the process.
    pub process: Option<&'a str>,
    /// Its ID.
    pub pid: Option<u64>,
    /// The subsystem, such as `com.apple.TimeMachine`.
    pub subsystem: Option<&'a str>,
    /// The category, such as `BackupEngine`.
    pub category: Option<&'a str>,
    /// The message; may hold line breaks.
    pub message: &'a str,
}

/// How records are told from the text.
#[derive(Debug)]
enum Shape {
    /// One JSON object a line.
    Ndjson,
    /// A first line that this matches, and lines that it doesn't.
    Text(Regex),
}

/// A form in which a log comes.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "proofs are for tests"))]
pub struct Format {
    name: String,
    title: String,
    shape: Shape,
    time: String,
    preamble: Vec<String>,
    footer: Vec<String>,
    dropped: Vec<String>,
    samples: Vec<Sample>,
}

/// A record that proves a format, with what is to be read of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), expect(dead_code, reason = "proofs are for tests"))]
struct Sample {
    text: String,
    at: DateTime<FixedOffset>,
    process: Option<String>,
    pid: Option<u64>,
    subsystem: Option<String>,
    category: Option<String>,
    message: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Text,
    Ndjson,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    kind: Kind,
    record: Option<String>,
    time: String,
    #[serde(default)]
    preamble: Vec<String>,
    #[serde(default)]
    footer: Vec<String>,
    #[serde(default)]
    dropped: Vec<String>,
    sample: Vec<Sample>,
}

/// A line that is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aside {
    Preamble,
    Footer,
    Dropped,
}

/// The built-in formats.
static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let load = |&(file, text): &(&str, &str)| Format::load(file, text);
    embedded::FORMATS.iter().map(load).collect::<Result<_, _>>().expect("a test loads the built-in formats")
});

impl Format {
    /// Compiles a format; the error names the file and what is wrong.
    pub fn load(file: &str, text: &str) -> Result<Self, String> {
        Self::compile(file, text).map_err(|why| format!("{file}: {why}"))
    }

    /// The built-in formats.
    pub fn all() -> &'static [Self] {
        &FORMATS
    }

    /// The built-in format of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether a record of this form begins with `line`.
    pub fn begins(&self, line: &str) -> bool {
        match &self.shape {
            Shape::Ndjson => line.trim_start().strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"')),
            Shape::Text(record) => record.is_match(line),
        }
    }

    /// Whether `line` begins a record of this form or is one of the lines that come with it.
    pub fn knows(&self, line: &str) -> bool {
        self.begins(line) || self.aside(line).is_some()
    }

    fn compile(file: &str, text: &str) -> Result<Self, String> {
        let parsed = toml::from_str::<File>(text).map_err(|error| error.to_string())?;
        let shape = match (parsed.kind, &parsed.record) {
            (Kind::Ndjson, None) => Shape::Ndjson,
            (Kind::Text, Some(record)) => Shape::Text(text::compile(record)?),
            _ => return Err("`record` belongs to `kind = \"text\"` and to no other".to_owned()),
        };
        if parsed.sample.is_empty() {
            return Err("it needs a sample".to_owned());
        }
        Ok(Self {
            name: file.strip_suffix(".toml").unwrap_or(file).to_owned(),
            title: parsed.title,
            shape,
            time: parsed.time,
            preamble: parsed.preamble,
            footer: parsed.footer,
            dropped: parsed.dropped,
            samples: parsed.sample,
        })
    }

    fn aside(&self, line: &str) -> Option<Aside> {
        let begins = |heads: &[String]| heads.iter().any(|head| line.starts_with(head.as_str()));
        if begins(&self.preamble) {
            Some(Aside::Preamble)
        } else if begins(&self.footer) {
            Some(Aside::Footer)
        } else {
            begins(&self.dropped).then_some(Aside::Dropped)
        }
    }

    fn moment(&self, at: &str) -> Option<Moment> {
        stamp::read(at, &self.time).map(|at| Moment::at_wall(Wall::Zoned(at)))
    }
}

#[cfg(test)]
mod tests;
