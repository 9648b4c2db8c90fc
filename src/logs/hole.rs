//! The holes of a template: what may stand in each kind, and how it is printed again.

use chrono::NaiveDate;

use crate::domain::units::Amount;

use super::size;

/// The longest text of a hole: well above macOS's longest path (1,024 bytes).
const LONGEST: usize = 4096;

/// What a hole holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A size for people, such as `42.26 GB`.
    Size,
    /// Bytes as a bare number.
    Bytes,
    /// A whole number, perhaps with grouping.
    Count,
    /// A whole number that may be negative.
    Code,
    /// A number with decimals whose value does not matter.
    Number,
    /// Upper-case words joined by `_`.
    Name,
    /// A UUID.
    Uuid,
    /// The local time in the name of a backup: `2026-08-14-091233`.
    Stamp,
    /// The BSD name of a volume, with or without `/dev/`.
    Device,
    /// A progress bar.
    Bar,
    /// An absolute path.
    Path,
    /// A URL.
    Url,
    /// What kind of backup begins: `manual backup`, `automatic health check`.
    Mode,
    /// The name of a volume.
    Volume,
    /// Any other text within a line.
    Text,
    /// Whole lines, or none.
    Lines,
    /// Whatever follows, or nothing.
    Rest,
}

impl Kind {
    /// The kinds by the words that the tables use.
    const WORDS: &[(&str, Self)] = &[
        ("size", Self::Size),
        ("bytes", Self::Bytes),
        ("count", Self::Count),
        ("code", Self::Code),
        ("number", Self::Number),
        ("name", Self::Name),
        ("uuid", Self::Uuid),
        ("stamp", Self::Stamp),
        ("device", Self::Device),
        ("bar", Self::Bar),
        ("path", Self::Path),
        ("url", Self::Url),
        ("mode", Self::Mode),
        ("volume", Self::Volume),
        ("text", Self::Text),
        ("lines", Self::Lines),
        ("rest", Self::Rest),
        // Names whose meaning the events know; see `message`.
        ("items", Self::Count),
        ("logical", Self::Size),
        ("destination_id", Self::Uuid),
        ("destination_name", Self::Text),
        ("mount_point", Self::Path),
    ];

    /// The kind that a word in a table stands for.
    pub(super) fn of(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|row| row.0 == word).map(|row| row.1)
    }

    /// Whether its end can be told only by what follows it.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::Path | Self::Url | Self::Mode | Self::Volume | Self::Text)
    }

    /// The bytes with which it can begin, for kinds that may stand at the head of a template.
    pub(super) fn heads(self) -> &'static [u8] {
        match self {
            Self::Size => b"0123456789Z",
            Self::Bytes | Self::Count => b"0123456789",
            _ => b"",
        }
    }

    /// Reads a value whose end can be told by itself; returns it with what follows.
    pub(super) fn read(self, text: &str) -> Option<(Value<'_>, &str)> {
        match self {
            Self::Size => size::read(text).map(|(size, rest)| (Value::Size(size), rest)),
            Self::Bytes => {
                let (digits, rest) = size::digits(text)?;
                Some((Value::Size(Amount::exact(digits.parse().ok()?)), rest))
            }
            Self::Count => count(text).map(|(count, rest)| (Value::Count(count), rest)),
            Self::Code => code(text).map(|(code, rest)| (Value::Code(code), rest)),
            _ => {
                let end = self.length(text)?;
                let (value, rest) = text.split_at_checked(end)?;
                Some((Value::Text(value), rest))
            }
        }
    }

    /// The length of a value at the head of `text`, for kinds that are kept as text.
    fn length(self, text: &str) -> Option<usize> {
        let while_ =
            |accept: fn(&u8) -> bool| Some(text.bytes().take_while(accept).count()).filter(|&length| length > 0);
        match self {
            Self::Number => while_(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-')),
            Self::Name => while_(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_'),
            Self::Uuid => is_uuid(text.get(..36)?).then_some(36),
            Self::Stamp => is_stamp(text.get(..17)?).then_some(17),
            Self::Device => {
                let length = while_(|byte| byte.is_ascii_alphanumeric() || *byte == b'/')?;
                text[..length].trim_start_matches("/dev/").starts_with("disk").then_some(length)
            }
            Self::Bar => {
                let end = text.find(|c: char| c.is_alphanumeric() || matches!(c, '.' | '\n')).unwrap_or(text.len());
                (end > 0).then_some(end)
            }
            _ => None,
        }
    }

    /// Whether `text` can be the value of an open hole.
    pub(super) fn accepts(self, text: &str) -> bool {
        let fits = !text.is_empty() && text.len() <= LONGEST && !text.contains('\n');
        fits && match self {
            // What macOS keeps from the log is printed so.
            _ if text == "<private>" => true,
            Self::Path => text.starts_with('/'),
            Self::Url => text.contains("://"),
            // An unknown kind of run must not pass for a backup.
            Self::Mode => text.ends_with("backup") || text.ends_with("health check"),
            _ => true,
        }
    }
}

/// What stood in a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// Bytes and how exact they are.
    Size(Amount),
    /// A count.
    Count(u64),
    /// A code.
    Code(i64),
    /// Text as it stood there.
    Text(&'a str),
}

impl<'a> Value<'a> {
    /// The value as a template of that kind prints it.
    #[cfg(test)]
    pub(super) fn render(self, kind: Kind) -> String {
        match self {
            Self::Size(amount) if kind == Kind::Bytes => amount.bytes.to_string(),
            Self::Size(amount) => size::render(amount),
            Self::Count(count) => count.to_string(),
            Self::Code(code) => code.to_string(),
            Self::Text(text) => text.to_owned(),
        }
    }

    /// The size, if it is one.
    pub(super) fn size(self) -> Option<Amount> {
        if let Self::Size(amount) = self { Some(amount) } else { None }
    }

    /// The count, if it is one.
    pub(super) fn count(self) -> Option<u64> {
        if let Self::Count(count) = self { Some(count) } else { None }
    }

    /// The code, if it is one.
    pub(super) fn code(self) -> Option<i64> {
        if let Self::Code(code) = self { Some(code) } else { None }
    }

    /// The text, if it is one and was not kept from the log.
    pub(super) fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) if text != "<private>" => Some(text),
            _ => None,
        }
    }
}

/// Reads `1635` or `1,635` (also grouped by a point, an apostrophe or a blank that does not break).
fn count(text: &str) -> Option<(u64, &str)> {
    let (head, mut rest) = size::digits(text)?;
    let mut value: u64 = head.parse().ok()?;
    if head.len() > 3 {
        return Some((value, rest));
    }
    while let Some((group, after)) =
        rest.strip_prefix([',', '.', '\'', '’', '\u{a0}', '\u{202f}']).and_then(size::digits)
        && group.len() == 3
    {
        value = value.checked_mul(1000)?.checked_add(group.parse().ok()?)?;
        rest = after;
    }
    Some((value, rest))
}

fn code(text: &str) -> Option<(i64, &str)> {
    let (digits, rest) = size::digits(text.strip_prefix('-').unwrap_or(text))?;
    let value: i64 = digits.parse().ok()?;
    Some((if text.starts_with('-') { -value } else { value }, rest))
}

/// Whether `text` is a UUID.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether `text` is the stamp of a backup, such as `2026-08-14-091233`.
pub(super) fn is_stamp(text: &str) -> bool {
    text.len() == 17
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 | 10 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
        && is_time(text.as_bytes())
}

/// Whether the digits of a stamp are a time.
fn is_time(stamp: &[u8]) -> bool {
    let two =
        |at: usize| stamp.get(at..at + 2).map_or(0, |pair| u32::from(pair[0] - b'0') * 10 + u32::from(pair[1] - b'0'));
    let year = i32::try_from(two(0) * 100 + two(2)).unwrap_or_default();
    NaiveDate::from_ymd_opt(year, two(5), two(8))
        .is_some_and(|day| day.and_hms_opt(two(11), two(13), two(15)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_may_be_grouped() {
        assert_eq!(count("10698."), Some((10_698, ".")));
        assert_eq!(count("10,514,978 Total"), Some((10_514_978, " Total")));
        assert_eq!(count("1.234.567"), Some((1_234_567, "")));
        assert_eq!(count("313, 42"), Some((313, ", 42")));
        assert_eq!(count("1,2345"), Some((1, ",2345")));
        assert_eq!(count("99999999999999999999"), None);
        assert_eq!(count("x"), None);
    }

    #[test]
    fn each_kind_takes_its_own_form_only() {
        let reads = |kind: Kind, text: &str| kind.read(text).map(|(value, rest)| (value.render(kind), rest.to_owned()));
        let some = |value: &str, rest: &str| Some((value.to_owned(), rest.to_owned()));
        assert_eq!(reads(Kind::Code, "-48) S"), some("-48", ") S"));
        assert_eq!(reads(Kind::Name, "BACKUP_FAILED_LAUNCH (1)"), some("BACKUP_FAILED_LAUNCH", " (1)"));
        assert_eq!(reads(Kind::Stamp, "2026-06-14-145122.backup"), some("2026-06-14-145122", ".backup"));
        assert_eq!(reads(Kind::Stamp, "2026-06-14-1451"), None);
        assert_eq!(reads(Kind::Stamp, "2026-13-14-145122"), None);
        assert_eq!(reads(Kind::Uuid, "0A1B2C3D-0000-4000-8000-00000000000é"), None);
        assert_eq!(reads(Kind::Device, "/dev/disk4s2: /V"), some("/dev/disk4s2", ": /V"));
        assert_eq!(reads(Kind::Device, "floppy"), None);
        assert_eq!(reads(Kind::Bar, "••••  ."), some("••••  ", "."));
    }

    #[test]
    fn an_unknown_kind_of_run_is_no_mode() {
        assert!(Kind::Mode.accepts("automatic backup"));
        assert!(Kind::Mode.accepts("manual health check"));
        assert!(!Kind::Mode.accepts("manual restore"));
    }
}
