//! One form of a log, as its file describes it.

use std::ops::Range;

use regex::Regex;
use serde::Deserialize;
use toml::Spanned;

use super::stamp::{DayMonth, Stamp, TimeForm, time_alone};
use super::text::Pattern;
use crate::logs::message::knows;

/// How records are told from the text.
#[derive(Debug)]
pub(super) enum Shape {
    /// One JSON object a line.
    Ndjson,
    /// JSON objects over many lines, in an array.
    Json,
    /// First lines that this matches, and lines that it doesn't.
    Text(Pattern),
    /// No mark but the messages themselves; the pattern takes off what may stand before them.
    Messages(Pattern),
}

/// A form in which a log comes.
#[derive(Debug)]
pub struct Format {
    name: String,
    title: String,
    pub(super) shape: Shape,
    /// How many lines a record's head takes.
    pub(super) head_lines: usize,
    except: Option<Regex>,
    time: Vec<TimeForm>,
    pub(super) needle: Option<String>,
    pub(super) octal: bool,
    pub(super) weak: bool,
    pub(super) header: Option<Header>,
    preamble: Vec<String>,
    infos_left_out: Vec<String>,
    footer: Vec<String>,
    dropped: Vec<String>,
    pub(super) samples: Vec<Proof>,
}

/// What stands above messages without times: when it ended and how long it lasted.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) ended: Regex,
    pub(super) lasted: Regex,
}

/// A sample and where its file has it.
#[derive(Debug)]
pub(super) struct Proof {
    pub(super) sample: Sample,
    pub(super) line: usize,
}

/// A record that proves a format, with what is to be read of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sample {
    pub(super) text: String,
    pub(super) at: Option<String>,
    pub(super) host: Option<String>,
    pub(super) process: Option<String>,
    pub(super) pid: Option<u64>,
    pub(super) level: Option<String>,
    pub(super) subsystem: Option<String>,
    pub(super) category: Option<String>,
    pub(super) message: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Text,
    Messages,
    Ndjson,
    Json,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    kind: Kind,
    record: Option<Spanned<String>>,
    #[serde(default = "one")]
    lines: usize,
    quick: Option<String>,
    except: Option<String>,
    #[serde(default)]
    time: Vec<String>,
    needle: Option<String>,
    #[serde(default)]
    octal: bool,
    #[serde(default)]
    weak: bool,
    ended: Option<String>,
    lasted: Option<String>,
    #[serde(default)]
    preamble: Vec<String>,
    #[serde(default)]
    infos_left_out: Vec<String>,
    #[serde(default)]
    footer: Vec<String>,
    #[serde(default)]
    dropped: Vec<String>,
    #[serde(default)]
    sample: Vec<Spanned<Sample>>,
}

fn one() -> usize {
    1
}

/// Why a format was refused.
#[derive(Debug)]
pub(super) struct Refused {
    /// The line of the file.
    pub(super) line: Option<usize>,
    pub(super) why: String,
}

/// A line that is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    Preamble,
    /// A preamble that says that messages of the type Info were not asked for.
    InfosLeftOut,
    Footer,
    Dropped,
}

impl Format {
    /// Compiles a format; the error names the file and what is wrong.
    pub fn load(file: &str, text: &str) -> Result<Self, String> {
        Self::compile(file, text).map_err(|refused| match refused.line {
            Some(line) => format!("{file}:{line}: {}", refused.why),
            None => format!("{file}: {}", refused.why),
        })
    }

    /// Its name: that of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether a record of this form begins with `line`. Where heads take several lines, `line` must hold them all.
    pub fn begins(&self, line: &str) -> bool {
        match &self.shape {
            Shape::Ndjson => line.trim_start().strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"')),
            Shape::Json => matches!(line.trim(), "[{" | "[" | "{" | "},{"),
            Shape::Text(pattern) => {
                !self.is_excepted(line)
                    && pattern
                        .read(line, &mut pattern.room())
                        .is_some_and(|head| self.read_time(head.at.as_ref(), line, None).is_ok())
            }
            Shape::Messages(_) if self.header.is_some() => {
                self.aside(line).is_some() || self.header.as_ref().is_some_and(|header| header.lasted.is_match(line))
            }
            Shape::Messages(pattern) => {
                let head = pattern.read(line, &mut pattern.room());
                head.is_some_and(|head| line.get(head.message..).is_some_and(knows))
            }
        }
    }

    /// Whether `line` begins a record of this form or is one of the lines that come with it.
    pub fn knows(&self, line: &str) -> bool {
        self.begins(line) || self.aside(line).is_some()
    }

    /// Whether lines of this form are left to another.
    pub(super) fn is_excepted(&self, line: &str) -> bool {
        self.except.as_ref().is_some_and(|except| except.is_match(line))
    }

    pub(super) fn compile(file: &str, text: &str) -> Result<Self, Refused> {
        let parsed = toml::from_str::<File>(text).map_err(|error| Refused {
            line: error.span().map(|span| line_of(text, &span)),
            why: error.message().to_owned(),
        })?;
        let general = |why: String| Refused { line: None, why };
        let record_line = parsed.record.as_ref().map(|record| line_of(text, &record.span()));
        let at_record = |why: String| Refused { line: record_line, why };
        let record = parsed.record.map(Spanned::into_inner);
        let shape = match (parsed.kind, record) {
            (Kind::Ndjson, None) => Shape::Ndjson,
            (Kind::Json, None) => Shape::Json,
            (Kind::Text, Some(record)) => {
                Shape::Text(Pattern::compile(&record, parsed.quick.as_deref(), true).map_err(at_record)?)
            }
            (Kind::Messages, Some(record)) => {
                Shape::Messages(Pattern::compile(&record, None, false).map_err(at_record)?)
            }
            (Kind::Text | Kind::Messages, None) => return Err(general("it needs `record`".to_owned())),
            _ => return Err(at_record("`record` is for text, and JSON needs none".to_owned())),
        };
        if parsed.title.is_empty() {
            return Err(general("it needs a title".to_owned()));
        }
        if parsed.sample.is_empty() {
            return Err(general("it needs a sample".to_owned()));
        }
        if parsed.time.is_empty() && !matches!(parsed.kind, Kind::Messages) {
            return Err(general("it needs `time`, the form of its times".to_owned()));
        }
        let regex = |text: &String| Regex::new(text).map_err(|error| general(error.to_string()));
        let header = match (&parsed.ended, &parsed.lasted) {
            (Some(ended), Some(lasted)) => Some(Header { ended: regex(ended)?, lasted: regex(lasted)? }),
            (None, None) => None,
            _ => return Err(general("`ended` and `lasted` belong together".to_owned())),
        };
        let proof =
            |sample: Spanned<Sample>| Proof { line: line_of(text, &sample.span()), sample: sample.into_inner() };
        Ok(Self {
            name: file.strip_suffix(".toml").unwrap_or(file).to_owned(),
            title: parsed.title,
            shape,
            head_lines: parsed.lines.clamp(1, 9),
            except: parsed.except.as_ref().map(regex).transpose()?,
            time: parsed.time.iter().map(|form| TimeForm::compile(form)).collect::<Result<_, _>>().map_err(general)?,
            needle: parsed.needle,
            octal: parsed.octal,
            weak: parsed.weak,
            header,
            preamble: parsed.preamble,
            infos_left_out: parsed.infos_left_out,
            footer: parsed.footer,
            dropped: parsed.dropped,
            samples: parsed.sample.into_iter().map(proof).collect(),
        })
    }

    pub(super) fn aside(&self, line: &str) -> Option<Aside> {
        // Most lines that are no heads are indented, and nothing of this is.
        if line.as_bytes().first().is_none_or(u8::is_ascii_whitespace) {
            return None;
        }
        let begins = |heads: &[String]| heads.iter().any(|head| line.starts_with(head.as_str()));
        [
            (&self.preamble, Aside::Preamble),
            (&self.infos_left_out, Aside::InfosLeftOut),
            (&self.footer, Aside::Footer),
            (&self.dropped, Aside::Dropped),
        ]
        .into_iter()
        .find_map(|(heads, aside)| begins(heads).then_some(aside))
    }

    /// Reads a time. `order` is what is known of days and months; if it isn't, and the text can be read both ways, the day
    /// stays unknown.
    pub(super) fn stamp(&self, text: &str, order: Option<DayMonth>) -> Option<Stamp> {
        let mut found: Option<Stamp> = None;
        for form in &self.time {
            if form.order().is_some() && order.is_some() && form.order() != order {
                continue;
            }
            let Some(stamp) = form.read(text) else { continue };
            match found {
                _ if form.order().is_none() || order.is_some() => return Some(stamp),
                None => found = Some(stamp),
                Some(first) if first == stamp => {}
                Some(first) => return time_alone(first),
            }
        }
        found
    }

    /// Which number is the day, if `text` can be read in one way only.
    pub(super) fn day_month(&self, text: &str) -> Option<DayMonth> {
        let mut orders = self.time.iter().filter(|form| form.read(text).is_some()).map(TimeForm::order);
        let first = orders.next()??;
        orders.all(|order| order == Some(first)).then_some(first)
    }

    /// Whether day and month could be exchanged.
    pub(super) fn has_day_month(&self) -> bool {
        self.time.iter().any(|form| form.order().is_some())
    }

    /// The time of a head; an error if it has one that cannot be read.
    pub(super) fn read_time(
        &self,
        at: Option<&Range<usize>>,
        line: &str,
        order: Option<DayMonth>,
    ) -> Result<Option<Stamp>, ()> {
        match at.and_then(|at| line.get(at.clone())) {
            None => Ok(None),
            Some(text) => self.stamp(text, order).map(Some).ok_or(()),
        }
    }
}

/// The number of the line in which a place lies.
fn line_of(text: &str, span: &Range<usize>) -> usize {
    text.as_bytes().iter().take(span.start).filter(|&&byte| byte == b'\n').count() + 1
}
