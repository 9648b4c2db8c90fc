//! First lines that make up whole logs, taken apart by hand.
//!
//! The regex of the format stays the definition: what is found here is what it would find, and a line that is not plainly of
//! the form is left to it. A property test holds the two together.

use std::ops::Range;

use memchr::memchr;

use super::text::Head;

/// Takes a first line apart; `None` leaves it to the regex.
pub(super) type Quick = fn(&str) -> Option<Head>;

/// The quick way of that name.
pub(super) fn named(name: &str) -> Option<Quick> {
    match name {
        "default" => Some(default),
        "syslog" => Some(syslog),
        "compact" => Some(compact),
        "bsd" => Some(bsd),
        _ => None,
    }
}

/// A line, and how far it is read.
struct Cursor<'a> {
    line: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(line: &'a str) -> Self {
        Self { line, bytes: line.as_bytes(), at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.rest().starts_with(text).then(|| self.at += text.len())
    }

    /// One or more bytes of a kind.
    fn some(&mut self, kind: impl Fn(&u8) -> bool) -> Option<Range<usize>> {
        let length = self.rest().iter().take_while(|byte| kind(byte)).count();
        let start = self.at;
        self.at += length;
        (length > 0).then_some(start..self.at)
    }

    fn blanks(&mut self) -> Option<()> {
        self.some(|&byte| byte == b' ').map(|_| ())
    }

    /// A time of so many bytes, in which a `9` of `form` stands for a digit and all else for itself.
    fn form(&mut self, form: &[u8]) -> Option<()> {
        let text = self.rest().get(..form.len())?;
        let fits = |(&byte, &form): (&u8, &u8)| match form {
            b'9' => byte.is_ascii_digit(),
            b'+' => byte == b'+' || byte == b'-',
            _ => byte == form,
        };
        text.iter().zip(form).all(fits).then(|| self.at += form.len())
    }

    /// `(sender) `, if it is there.
    fn sender(&mut self) {
        if self.rest().first() == Some(&b'(')
            && let Some(end) = memchr(b')', self.rest())
            && self.rest().get(end + 1) == Some(&b' ')
        {
            self.at += end + 2;
        }
    }

    /// `[subsystem:category] ` with a point in the subsystem. What is written otherwise is left to the regex.
    fn subsystem(&mut self, head: &mut Head) -> Option<()> {
        if self.rest().first() != Some(&b'[') {
            return Some(());
        }
        self.at += 1;
        let part = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let subsystem = self.some(|byte| part(byte) || *byte == b'.')?;
        let text = self.line.get(subsystem.clone())?;
        if !text.contains('.') || text.split('.').any(str::is_empty) {
            return None;
        }
        self.skip(b":")?;
        let start = self.at;
        let length = memchr(b']', self.rest())?;
        self.at += length;
        self.skip(b"] ")?;
        head.subsystem = Some(subsystem);
        head.category = Some(start..start + length);
        Some(())
    }
}

/// The time in the styles of `log`.
const TIME: &[u8] = b"9999-99-99 99:99:99.999999+9999";

/// A name without what ends it in any of the styles.
fn plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b':' | b'[' | b']' | b'(' | b')')
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

fn default(line: &str) -> Option<Head> {
    let mut cursor = Cursor::new(line);
    let mut head = Head::default();
    cursor.form(TIME)?;
    head.at = Some(0..cursor.at);
    cursor.skip(b" 0x")?;
    cursor.some(|&byte| is_hex(byte))?;
    cursor.blanks()?;
    head.level =
        Some(cursor.some(u8::is_ascii_alphabetic).filter(|level| cursor.bytes[level.start].is_ascii_uppercase())?);
    cursor.blanks()?;
    cursor.skip(b"0x")?;
    cursor.some(|&byte| is_hex(byte))?;
    cursor.blanks()?;
    head.pid = Some(cursor.some(u8::is_ascii_digit)?);
    cursor.blanks()?;
    if cursor.some(u8::is_ascii_digit).is_some() {
        cursor.blanks()?;
    }
    head.process = Some(cursor.some(|&byte| plain(byte))?);
    cursor.skip(b": ")?;
    cursor.sender();
    cursor.subsystem(&mut head)?;
    head.message = cursor.at;
    Some(head)
}

fn syslog(line: &str) -> Option<Head> {
    let mut cursor = Cursor::new(line);
    let mut head = Head::default();
    cursor.form(TIME)?;
    head.at = Some(0..cursor.at);
    cursor.blanks()?;
    let host = cursor.at;
    cursor.skip(b"localhost")?;
    head.host = Some(host..cursor.at);
    cursor.skip(b" ")?;
    head.process = Some(cursor.some(|&byte| plain(byte))?);
    cursor.skip(b"[")?;
    head.pid = Some(cursor.some(u8::is_ascii_digit)?);
    cursor.skip(b"]: ")?;
    cursor.sender();
    cursor.subsystem(&mut head)?;
    head.message = cursor.at;
    Some(head)
}

fn compact(line: &str) -> Option<Head> {
    let mut cursor = Cursor::new(line);
    let mut head = Head::default();
    cursor.form(b"9999-99-99 99:99:99.999")?;
    head.at = Some(0..cursor.at);
    cursor.skip(b" ")?;
    let level = cursor.some(u8::is_ascii_alphabetic)?;
    match &cursor.bytes[level.clone()] {
        [first] if first.is_ascii_uppercase() => {}
        [first, second] if first.is_ascii_uppercase() && second.is_ascii_lowercase() => {}
        _ => return None,
    }
    head.level = Some(level);
    cursor.blanks()?;
    head.process = Some(cursor.some(|&byte| plain(byte))?);
    cursor.skip(b"[")?;
    head.pid = Some(cursor.some(u8::is_ascii_digit)?);
    cursor.skip(b":")?;
    cursor.some(|&byte| is_hex(byte))?;
    cursor.skip(b"] ")?;
    cursor.sender();
    cursor.subsystem(&mut head)?;
    head.message = cursor.at;
    Some(head)
}

fn bsd(line: &str) -> Option<Head> {
    let mut cursor = Cursor::new(line);
    let mut head = Head::default();
    let month = cursor.some(u8::is_ascii_alphabetic)?;
    let text = &cursor.bytes[month.clone()];
    if text.len() != 3 || !text[0].is_ascii_uppercase() || !text[1..].iter().all(u8::is_ascii_lowercase) {
        return None;
    }
    cursor.skip(b" ")?;
    if cursor.skip(b" ").is_some() {
        cursor.form(b"9 99:99:99 ")?;
    } else {
        cursor.form(b"99 99:99:99 ")?;
    }
    head.at = Some(0..cursor.at - 1);
    head.host = Some(cursor.some(u8::is_ascii_graphic)?);
    cursor.skip(b" ")?;
    head.process = Some(cursor.some(|&byte| plain(byte))?);
    cursor.skip(b"[")?;
    head.pid = Some(cursor.some(u8::is_ascii_digit)?);
    cursor.skip(b"]: ")?;
    head.message = cursor.at;
    Some(head)
}
