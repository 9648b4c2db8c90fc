//! A reader of the OpenStep form, as the description of an `NSDictionary` prints it:
//! `{ Progress =     { bytes = 24705; "_raw_Percent" = "3.8e-05"; }; Running = 1; }`.
//!
//! Any indentation is taken. Every scalar becomes text, since the form has no types; [`Value`]'s accessors read numbers
//! out of it. A text that ends early is told apart from one that is wrong, and what could be read of it is kept.

use std::iter::Peekable;
use std::str::Chars;

use super::value::Value;

/// Deeper nesting than this is refused.
pub const MAX_DEPTH: usize = 64;

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OpenStepError {
    /// It ends before its outermost bracket is closed.
    #[error("cut short in line {line}")]
    Cut {
        /// The last line, from 1.
        line: usize,
        /// What stands before the cut; a value that may have been cut itself is left out.
        partial: Value,
    },
    /// Something else stands where it should not.
    #[error("line {line}: expected {expected}, found {found:?}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// What does.
        found: char,
    },
    /// It is nested too deeply.
    #[error("line {line}: nested more than {MAX_DEPTH} deep")]
    TooDeep {
        /// The line, from 1.
        line: usize,
    },
}

/// Reads one dictionary or array. White space may surround it, nothing else.
pub fn parse(text: &str) -> Result<Value, OpenStepError> {
    let mut reader = Reader { chars: text.chars().peekable(), line: 1 };
    let value = match reader.next_solid() {
        Some('{') => reader.dict(1),
        Some('(') => reader.array(1),
        Some(found) => Err(reader.syntax("a dictionary or an array", found)),
        None => Err(Stop::Cut(None)),
    };
    match value {
        Ok(value) => match reader.next_solid() {
            None => Ok(value),
            Some(found) => Err(reader.told(reader.syntax("the end", found))),
        },
        Err(stop) => Err(reader.told(stop)),
    }
}

/// Why reading stopped, on its way up through the brackets.
enum Stop {
    /// The text ended; holds what was whole of the innermost bracket, if it was a bracket that ended.
    Cut(Option<Value>),
    Syntax {
        line: usize,
        expected: &'static str,
        found: char,
    },
    TooDeep,
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    line: usize,
}

impl Reader<'_> {
    fn told(&self, stop: Stop) -> OpenStepError {
        match stop {
            Stop::Cut(partial) => {
                OpenStepError::Cut { line: self.line, partial: partial.unwrap_or_else(|| Value::Dict(Vec::new())) }
            }
            Stop::Syntax { line, expected, found } => OpenStepError::Syntax { line, expected, found },
            Stop::TooDeep => OpenStepError::TooDeep { line: self.line },
        }
    }

    fn syntax(&self, expected: &'static str, found: char) -> Stop {
        Stop::Syntax { line: self.line, expected, found }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    /// The next character that is no white space.
    fn next_solid(&mut self) -> Option<char> {
        loop {
            let c = self.next()?;
            if !c.is_whitespace() {
                return Some(c);
            }
        }
    }

    fn peek_solid(&mut self) -> Option<char> {
        while self.chars.peek()?.is_whitespace() {
            self.next();
        }
        self.chars.peek().copied()
    }

    /// The rest of a dictionary whose `{` was taken.
    fn dict(&mut self, depth: usize) -> Result<Value, Stop> {
        let mut entries = Vec::new();
        match self.entries(&mut entries, depth) {
            Err(Stop::Cut(_)) => Err(Stop::Cut(Some(Value::Dict(entries)))),
            Err(stop) => Err(stop),
            Ok(()) => Ok(Value::Dict(entries)),
        }
    }

    fn entries(&mut self, entries: &mut Vec<(String, Value)>, depth: usize) -> Result<(), Stop> {
        loop {
            let key = match self.next_solid().ok_or(Stop::Cut(None))? {
                '}' => return Ok(()),
                first => self.word(first, "a key or `}`")?,
            };
            match self.next_solid().ok_or(Stop::Cut(None))? {
                '=' => {}
                found => return Err(self.syntax("`=`", found)),
            }
            match self.value(depth) {
                Err(Stop::Cut(Some(partial))) => {
                    entries.push((key, partial));
                    return Err(Stop::Cut(None));
                }
                value => entries.push((key, value?)),
            }
            match self.peek_solid().ok_or(Stop::Cut(None))? {
                ';' => _ = self.next(),
                '}' => {}
                found => return Err(self.syntax("`;` or `}`", found)),
            }
        }
    }

    /// The rest of an array whose `(` was taken.
    fn array(&mut self, depth: usize) -> Result<Value, Stop> {
        let mut values = Vec::new();
        match self.elements(&mut values, depth) {
            Err(Stop::Cut(_)) => Err(Stop::Cut(Some(Value::Array(values)))),
            Err(stop) => Err(stop),
            Ok(()) => Ok(Value::Array(values)),
        }
    }

    fn elements(&mut self, values: &mut Vec<Value>, depth: usize) -> Result<(), Stop> {
        loop {
            if self.peek_solid().ok_or(Stop::Cut(None))? == ')' {
                self.next();
                return Ok(());
            }
            match self.value(depth) {
                Err(Stop::Cut(Some(partial))) => {
                    values.push(partial);
                    return Err(Stop::Cut(None));
                }
                value => values.push(value?),
            }
            match self.peek_solid().ok_or(Stop::Cut(None))? {
                ',' => _ = self.next(),
                ')' => {}
                found => return Err(self.syntax("`,` or `)`", found)),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Stop> {
        match self.next_solid().ok_or(Stop::Cut(None))? {
            '{' | '(' if depth >= MAX_DEPTH => Err(Stop::TooDeep),
            '{' => self.dict(depth + 1),
            '(' => self.array(depth + 1),
            '<' => self.data(),
            first => self.word(first, "a value").map(Value::String),
        }
    }

    /// A quoted or bare word whose first character was taken. A bare word that the end of the text ends may be half of
    /// one, so it counts as cut.
    fn word(&mut self, first: char, expected: &'static str) -> Result<String, Stop> {
        if first == '"' {
            return self.quoted();
        }
        if !is_bare(first) {
            return Err(self.syntax(expected, first));
        }
        let mut word = String::from(first);
        while let Some(c) = self.chars.next_if(|&c| is_bare(c)) {
            word.push(c);
        }
        if self.chars.peek().is_none() { Err(Stop::Cut(None)) } else { Ok(word) }
    }

    fn quoted(&mut self) -> Result<String, Stop> {
        let mut text = String::new();
        // The first half of a character beyond U+FFFF, until its second half comes.
        let mut high: Option<u16> = None;
        loop {
            let c = match self.next().ok_or(Stop::Cut(None))? {
                '"' => break,
                '\\' => match self.escape()? {
                    Escape::Char(c) => c,
                    Escape::Unit(unit) => {
                        if let Some(first) = high.take() {
                            if let [Ok(c)] = char::decode_utf16([first, unit]).collect::<Vec<_>>()[..] {
                                text.push(c);
                                continue;
                            }
                            text.push(char::REPLACEMENT_CHARACTER);
                        }
                        if (0xD800..0xDC00).contains(&unit) {
                            high = Some(unit);
                            continue;
                        }
                        char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)
                    }
                },
                c => c,
            };
            if high.take().is_some() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
            text.push(c);
        }
        if high.is_some() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        Ok(text)
    }

    /// What a backslash stands for. Octal numbers above 0177 are in an encoding of the 1980s and become U+FFFD.
    fn escape(&mut self) -> Result<Escape, Stop> {
        Ok(Escape::Char(match self.next().ok_or(Stop::Cut(None))? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'U' | 'u' => return self.unit().map(Escape::Unit),
            first @ '0'..='7' => {
                let mut code = first.to_digit(8).unwrap_or_default();
                for _ in 0..2 {
                    let Some(digit) = self.chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + digit;
                    self.next();
                }
                char::from_u32(code).filter(char::is_ascii).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => other,
        }))
    }

    fn unit(&mut self) -> Result<u16, Stop> {
        let mut unit = 0;
        for _ in 0..4 {
            let c = self.next().ok_or(Stop::Cut(None))?;
            let digit = c.to_digit(16).ok_or_else(|| self.syntax("four hexadecimal digits after `\\U`", c))?;
            unit = unit << 4 | u16::try_from(digit).unwrap_or_default();
        }
        Ok(unit)
    }

    /// The rest of `<0a1b 2c3d>` whose `<` was taken.
    fn data(&mut self) -> Result<Value, Stop> {
        let mut bytes = Vec::new();
        loop {
            let high = match self.next_solid().ok_or(Stop::Cut(None))? {
                '>' => return Ok(Value::Data(bytes)),
                c => self.hex(c)?,
            };
            let c = self.next().ok_or(Stop::Cut(None))?;
            bytes.push(high << 4 | self.hex(c)?);
        }
    }

    fn hex(&self, c: char) -> Result<u8, Stop> {
        c.to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
            .ok_or_else(|| self.syntax("hexadecimal digits or `>`", c))
    }
}

enum Escape {
    Char(char),
    /// Half of a character, or all of it, in UTF-16.
    Unit(u16),
}

/// Whether a word may hold this without quotes. Foundation quotes all but letters and digits; people who trim a paste don't.
fn is_bare(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '/' | ':' | '.' | '-' | '+')
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn string(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn dict(entries: &[(&str, Value)]) -> Value {
        Value::Dict(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    /// Prints as Foundation does: four blanks a level, five before the brace of a nested value.
    fn render(value: &Value, depth: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        match value {
            Value::Dict(entries) => {
                out.push_str("{\n");
                for (key, value) in entries {
                    let gap = if matches!(value, Value::Dict(_) | Value::Array(_)) { "    " } else { "" };
                    write!(out, "{pad}    {} = {gap}", quote(key)).unwrap();
                    render(value, depth + 1, out);
                    out.push_str(";\n");
                }
                write!(out, "{pad}}}").unwrap();
            }
            Value::Array(values) => {
                out.push_str("(\n");
                for (i, value) in values.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ",\n" });
                    write!(out, "{pad}    ").unwrap();
                    render(value, depth + 1, out);
                }
                write!(out, "\n{pad})").unwrap();
            }
            Value::String(text) => out.push_str(&quote(text)),
            other => write!(out, "{other}").unwrap(),
        }
    }

    fn quote(text: &str) -> String {
        if !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return text.to_owned();
        }
        let mut quoted = String::from('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => write!(quoted, "\\{c}").unwrap(),
                '\n' => quoted.push_str("\\n"),
                c if c.is_ascii_control() => write!(quoted, "\\{:03o}", u32::from(c)).unwrap(),
                c if c.is_ascii() => quoted.push(c),
                c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| write!(quoted, "\\U{unit:04x}").unwrap()),
            }
        }
        quoted + "\""
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<String>().prop_map(Value::String),
            prop::collection::vec(any::<u8>(), 0..9).prop_map(Value::Data),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
                prop::collection::vec((any::<String>(), inner), 0..5).prop_map(Value::Dict),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(entries in prop::collection::vec((any::<String>(), values()), 0..5)) {
            let value = Value::Dict(entries);
            let mut text = String::new();
            render(&value, 0, &mut text);
            prop_assert_eq!(parse(&text), Ok(value));
        }

        #[test]
        fn every_cut_is_called_a_cut(entries in prop::collection::vec((any::<String>(), values()), 0..4), at in 0.0..1.0_f64) {
            let mut text = String::new();
            render(&Value::Dict(entries), 0, &mut text);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a short text")]
            let keep = (text.chars().count() as f64 * at) as usize;
            let cut: String = text.chars().take(keep).collect();
            let is_cut = matches!(parse(&cut), Err(OpenStepError::Cut { .. }));
            prop_assert!(is_cut, "{}", cut);
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), braced in "[{}()=;,<>\"\\\\Ua0-9 \n]{0,60}") {
            _ = parse(&text);
            _ = parse(&format!("{{{braced}"));
        }
    }

    #[test]
    fn foundation_quotes_and_nests_like_this() {
        let text = "{\n    Progress =     {\n        \"_raw_Percent\" = \"3.8e-05\";\n        bytes = 24705;\n    };\n    Running = 1;\n}";
        let progress = dict(&[("_raw_Percent", string("3.8e-05")), ("bytes", string("24705"))]);
        assert_eq!(parse(text), Ok(dict(&[("Progress", progress), ("Running", string("1"))])));
    }

    #[test]
    fn escapes_are_utf16_units_octal_numbers_and_letters() {
        let text = r#"{ a = "S\U00e3o \"x\" \\ \U0001\ud83d\ude00\Ud83dz\102\0337\n"; }"#;
        let expected = "S\u{e3}o \"x\" \\ \u{1}\u{1f600}\u{fffd}zB\u{1b}7\n";
        assert_eq!(parse(text), Ok(dict(&[("a", string(expected))])));
    }

    #[test]
    fn arrays_and_data_are_read() {
        let text = "{ a = ( 1, \"x y\", ( ), ); d = <0a1b 2C>; }";
        let array = Value::Array(vec![string("1"), string("x y"), Value::Array(vec![])]);
        assert_eq!(parse(text), Ok(dict(&[("a", array), ("d", Value::Data(vec![10, 27, 44]))])));
    }

    #[test]
    fn a_cut_text_keeps_what_was_whole() {
        let text = "{\n  A = 1;\n  P = {\n    bytes = 24705;\n    files = 66";
        let expected = dict(&[("A", string("1")), ("P", dict(&[("bytes", string("24705"))]))]);
        assert_eq!(parse(text), Err(OpenStepError::Cut { line: 5, partial: expected }));
    }

    #[test]
    fn errors_name_the_line_and_what_was_expected() {
        let told = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(told("{\n a : 1;\n}"), "line 2: expected `=`, found ':'");
        assert_eq!(told("{ a = 1 b"), "line 1: expected `;` or `}`, found 'b'");
        assert_eq!(told("{ a = ; }"), "line 1: expected a value, found ';'");
        assert_eq!(told("{}\n{}"), "line 2: expected the end, found '{'");
        assert_eq!(told("tmutil"), "line 1: expected a dictionary or an array, found 't'");
        assert_eq!(told("{ a = <0g>; }"), "line 1: expected hexadecimal digits or `>`, found 'g'");
        assert_eq!(told("{ a = \"\\U00g1\"; }"), "line 1: expected four hexadecimal digits after `\\U`, found 'g'");
        assert_eq!(told(&"(".repeat(100)), "line 1: nested more than 64 deep");
    }
}
