//! The same character in all the escapes that Apple's tools and logs write.

/// Makes characters equal that stand for the same one in two spellings of a name: `Pat’s iMac`, `pat's imac`.
pub(super) fn fold(letter: char) -> char {
    match letter {
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        _ => letter.to_lowercase().next().unwrap_or(letter),
    }
}

/// The ways to read the first character of a text, each with its length in bytes: as it stands, and as an escape.
pub(super) fn readings(text: &str) -> impl Iterator<Item = (char, usize)> {
    let plain = text.chars().next().map(|letter| (letter, letter.len_utf8()));
    plain.into_iter().chain(escaped(text))
}

/// Reads an escape: `%20`, `\U2019`, `\u2019`, `\/`, `\"`, `\n`, `&amp;`, `&#39;`.
pub(super) fn escaped(text: &str) -> Option<(char, usize)> {
    match text.as_bytes().first()? {
        b'%' => percent(text),
        b'\\' => backslash(text),
        b'&' => entity(text),
        _ => None,
    }
}

fn percent(text: &str) -> Option<(char, usize)> {
    let mut bytes = Vec::with_capacity(4);
    let mut rest = text;
    while bytes.len() < 4 {
        let digits = rest.strip_prefix('%')?.get(..2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = rest.get(3..)?;
        if let Ok(letter) = str::from_utf8(&bytes) {
            return Some((letter.chars().next()?, 3 * bytes.len()));
        }
    }
    None
}

fn backslash(text: &str) -> Option<(char, usize)> {
    // Text that was escaped twice has two of them.
    let slashes = text.bytes().take_while(|&byte| byte == b'\\').count();
    let rest = text.get(slashes..)?;
    if let Some(first) = code_unit(rest) {
        let is_high = (0xd800..0xdc00).contains(&first);
        let low = is_high.then(|| code_unit(rest.get(5..)?.strip_prefix('\\')?)).flatten();
        let units: Vec<u16> = [Some(first), low].into_iter().flatten().collect();
        let letter = char::decode_utf16(units).next()?.ok()?;
        return Some((letter, slashes + if low.is_some() { 11 } else { 5 }));
    }
    let letter = match (slashes, rest.chars().next()) {
        (1, Some(letter @ ('/' | '"' | '\''))) => letter,
        (1, Some('n')) => '\n',
        (1, Some('t')) => '\t',
        (1, Some('r')) => '\r',
        (2.., _) => return Some(('\\', 2)),
        _ => return None,
    };
    Some((letter, 2))
}

/// The four digits after `u` or `U`.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix(['u', 'U'])?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

fn entity(text: &str) -> Option<(char, usize)> {
    let name = text.get(1..)?.split(';').next().filter(|name| name.len() < 9 && name.len() + 2 <= text.len())?;
    let letter = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
            char::from_u32(hex.unwrap_or_else(|| number.parse()).ok()?)?
        }
    };
    Some((letter, name.len() + 2))
}

/// Takes the backslashes out, as far as they are escapes.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let (letter, length) = backslash(rest).unwrap_or((letter, letter.len_utf8()));
        plain.push(letter);
        rest = rest.get(length..).unwrap_or_default();
    }
    plain
}

/// Whether a word can begin after this text: it does not end in a letter or digit, except in those of an escape.
pub(super) fn word_can_begin(before: &str) -> bool {
    let bytes = before.as_bytes();
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match bytes {
        [] | [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., last] if !last.is_ascii_alphanumeric() => true,
        _ => {
            let tail = |length: usize| bytes.len().checked_sub(length).and_then(|at| bytes.get(at..));
            matches!(tail(3), Some([b'%', digits @ ..]) if hex(digits))
                || matches!(tail(6), Some([b'\\', b'u' | b'U', digits @ ..]) if hex(digits))
        }
    }
}

/// Whether a word can end before this text.
pub(super) fn word_can_end(after: &str) -> bool {
    !after.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
}
