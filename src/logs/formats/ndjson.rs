//! One JSON object a line. The few keys that matter are looked up where they stand; a line that is written otherwise than
//! `log` writes it goes through a whole JSON reader.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memchr2;
use memchr::memmem::Finder;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Entry, Format};

/// What a line is.
pub(super) enum Line<'a> {
    Entry(Entry<'a>),
    /// The log says that it lost something.
    Dropped,
    /// What `log show` ends with.
    Footer,
    /// No JSON, or cut.
    Unreadable,
}

/// Room for unescaped text, used again for every line.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    message: String,
    process: String,
    subsystem: String,
    category: String,
    level: String,
}

/// Finds a key of the top level with a text as its value. In JSON a quote inside a text has a backslash before it, so these
/// bytes cannot stand within a value.
macro_rules! finder {
    ($name:ident, $key:literal) => {
        static $name: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(concat!("\"", $key, "\":\"")));
    };
}

finder!(MESSAGE, "eventMessage");
finder!(TIMESTAMP, "timestamp");
finder!(PROCESS, "processImagePath");
finder!(SUBSYSTEM, "subsystem");
finder!(CATEGORY, "category");
finder!(EVENT_TYPE, "eventType");
finder!(LEVEL, "messageType");
static PID: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"processID\":"));

/// The type of a record that stands for lost ones; known by name only.
const LOSS: &str = "lossEvent";

/// A whole record, for the reader that takes any JSON.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow)]
    event_message: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    process_image_path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    subsystem: Option<Cow<'a, str>>,
    #[serde(borrow)]
    category: Option<Cow<'a, str>>,
    #[serde(borrow)]
    event_type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message_type: Option<Cow<'a, str>>,
    #[serde(rename = "processID")]
    pid: Option<u64>,
    finished: Option<IgnoredAny>,
}

/// Reads a line.
pub(super) fn read<'a>(format: &Format, line: &'a str, scratch: &'a mut Scratch) -> Line<'a> {
    let line = line.trim();
    if !line.starts_with('{') || !line.ends_with('}') {
        return Line::Unreadable;
    }
    let Some(parts) = parts(line) else { return whole(format, line, scratch) };
    if parts.event_type == Some(LOSS) {
        return Line::Dropped;
    }
    let Scratch { message: room, .. } = scratch;
    let Some(message) = unescape(parts.message, room) else { return Line::Unreadable };
    Line::Entry(Entry {
        at: format.stamp(parts.timestamp, None),
        host: None,
        process: Some(name_of(parts.process)).filter(|name| !name.is_empty()),
        pid: parts.pid,
        level: parts.level.filter(|text| !text.is_empty()),
        subsystem: parts.subsystem.filter(|text| !text.is_empty()),
        category: parts.category.filter(|text| !text.is_empty()),
        message,
    })
}

/// The values as they stand in the line, not unescaped.
struct Parts<'a> {
    message: &'a str,
    timestamp: &'a str,
    process: &'a str,
    subsystem: Option<&'a str>,
    category: Option<&'a str>,
    event_type: Option<&'a str>,
    level: Option<&'a str>,
    pid: Option<u64>,
}

/// Looks the values up; `None` if the line is not written as `log` writes it: all keys there, and nothing escaped but the
/// message and the slashes of the path.
fn parts(line: &str) -> Option<Parts<'_>> {
    let plain = |key: &Finder<'_>| match value(line, key) {
        Some(text) if text.contains('\\') => None,
        found => Some(found),
    };
    let path = value(line, &PROCESS)?;
    let after_backslashes = path.match_indices('\\').map(|(at, _)| path.as_bytes().get(at + 1));
    if after_backslashes.into_iter().any(|byte| byte != Some(&b'/')) {
        return None;
    }
    Some(Parts {
        message: value(line, &MESSAGE)?,
        timestamp: plain(&TIMESTAMP)??,
        process: path,
        subsystem: plain(&SUBSYSTEM)?,
        category: plain(&CATEGORY)?,
        event_type: plain(&EVENT_TYPE)?,
        level: plain(&LEVEL)?,
        pid: PID.find(line.as_bytes()).and_then(|at| number(&line[at + PID.needle().len()..])),
    })
}

/// The text after a key, up to the quote that ends it.
fn value<'a>(line: &'a str, key: &Finder<'_>) -> Option<&'a str> {
    let start = key.find(line.as_bytes())? + key.needle().len();
    let rest = line.as_bytes().get(start..)?;
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', rest.get(at..)?)?;
        if rest[at] == b'"' {
            return line.get(start..start + at);
        }
        at += 2;
    }
}

fn number(text: &str) -> Option<u64> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..end].parse().ok()
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Turns the inside of a JSON text into what it stands for; borrowed if nothing is escaped. `None` if an escape is wrong.
fn unescape<'a>(text: &'a str, room: &'a mut String) -> Option<&'a str> {
    let Some(first) = text.find('\\') else { return Some(text) };
    room.clear();
    room.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(after) = rest.strip_prefix('\\') {
        let escaped = after.chars().next()?;
        let after = &after[escaped.len_utf8()..];
        room.push(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '"' | '\\' | '/' => escaped,
            'u' => {
                // Rare, and pairs of them stand for one character: leave it to the JSON reader.
                *room = serde_json::from_str(&format!("\"{text}\"")).ok()?;
                return Some(room);
            }
            _ => return None,
        });
        let next = after.find('\\').unwrap_or(after.len());
        room.push_str(&after[..next]);
        rest = &after[next..];
    }
    Some(room)
}

/// Reads a line that is written in another way.
pub(super) fn whole<'a>(format: &Format, line: &'a str, scratch: &'a mut Scratch) -> Line<'a> {
    let Ok(record) = serde_json::from_str::<Record<'_>>(line) else { return Line::Unreadable };
    if record.event_type.as_deref() == Some(LOSS) {
        return Line::Dropped;
    }
    let Some(message) = &record.event_message else {
        return if record.finished.is_some() { Line::Footer } else { Line::Unreadable };
    };
    let at = record.timestamp.as_deref().and_then(|at| format.stamp(at, None));
    let Scratch { message: text, process, subsystem, category, level } = scratch;
    let keep = |room: &'a mut String, value: Option<&Cow<'_, str>>| {
        let value = value.filter(|value| !value.is_empty())?;
        room.clear();
        room.push_str(value);
        Some(&*room)
    };
    Line::Entry(Entry {
        at,
        host: None,
        level: keep(level, record.message_type.as_ref()).map(String::as_str),
        process: keep(process, record.process_image_path.as_ref())
            .map(|path| name_of(path))
            .filter(|name| !name.is_empty()),
        pid: record.pid,
        subsystem: keep(subsystem, record.subsystem.as_ref()).map(String::as_str),
        category: keep(category, record.category.as_ref()).map(String::as_str),
        message: keep(text, Some(message)).map(String::as_str).unwrap_or_default(),
    })
}
