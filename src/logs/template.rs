//! Templates such as `Copied {items} items ({size}) from volume {volume}.`: read a message, or make one.
//!
//! A hole is `{word}`, where the word names its kind, or `{name:kind}`. A line break in a template stands for a line break and
//! whatever blanks the next line begins with. `{lines}` stands for whole lines or none, `{rest}` for all that follows. Braces
//! that belong to the text are doubled.

use std::fmt;

use memchr::{memchr, memmem};

use super::hole::{Kind, Value};

/// How many holes a template may have.
pub(super) const MOST_HOLES: usize = 12;

/// Blanks that may begin a continued line.
const INDENT: &[char] = &[' ', '\t'];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Literal(String),
    /// A line break; the blanks are those that the template shows.
    Break(String),
    /// A hole, by its place in the list of holes.
    Hole(Kind, usize),
}

/// A hole of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hole {
    /// Its name, unique within the template.
    pub(super) name: String,
    /// What it holds.
    pub(super) kind: Kind,
}

/// A compiled template.
#[derive(Clone, Debug)]
pub(super) struct Template {
    tokens: Vec<Token>,
    holes: Vec<Hole>,
}

/// What stood in the holes of one message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'m>([Option<Value<'m>>; MOST_HOLES]);

impl Template {
    /// Compiles a template, or says what is wrong with it.
    pub(super) fn compile(text: &str) -> Result<Self, String> {
        let mut template = Self { tokens: Vec::new(), holes: Vec::new() };
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            rest = match c {
                '{' | '}' if after.starts_with(c) => {
                    template.push_char(c);
                    &after[1..]
                }
                '{' => {
                    let (hole, after) = after.split_once('}').ok_or("a hole is not closed")?;
                    template.push_hole(hole)?;
                    after
                }
                '}' => return Err("a brace that closes no hole must be doubled".to_owned()),
                '\n' => {
                    let next = after.trim_start_matches(INDENT);
                    template.tokens.push(Token::Break(after[..after.len() - next.len()].to_owned()));
                    next
                }
                _ => {
                    template.push_char(c);
                    after
                }
            };
        }
        template.check()?;
        Ok(template)
    }

    /// The holes in order.
    #[cfg(test)]
    pub(super) fn holes(&self) -> &[Hole] {
        &self.holes
    }

    /// The beginnings that a message of this template can have.
    pub(super) fn heads(&self) -> Vec<&[u8]> {
        match self.tokens.first() {
            Some(Token::Literal(text)) => vec![text.as_bytes()],
            Some(Token::Hole(kind, _)) => kind.heads().chunks(1).collect(),
            _ => Vec::new(),
        }
    }

    /// Forgets the value at the very end of a message that may have been cut there: no one can see that `1` was `18`.
    pub(super) fn drop_last(&self, values: &mut Values<'_>) {
        if let Some(Token::Hole(_, at)) = self.tokens.last()
            && let Some(value) = values.0.get_mut(*at)
        {
            *value = None;
        }
    }

    /// Reads a message to its end; `None` if it is not of this template. Line breaks at the very end don't count.
    pub(super) fn read<'m>(&self, message: &'m str) -> Option<Values<'m>> {
        let mut values = Values([None; MOST_HOLES]);
        fits(&self.tokens, message.trim_end_matches(['\n', '\r']), &mut values).then_some(values)
    }

    /// Makes the message with those values.
    #[cfg(test)]
    pub(super) fn render(&self, values: &[Value<'_>]) -> String {
        let mut message = String::new();
        for token in &self.tokens {
            match token {
                Token::Literal(text) => message.push_str(text),
                Token::Break(indent) => {
                    message.push('\n');
                    message.push_str(indent);
                }
                Token::Hole(kind, at) => message.push_str(&values[*at].render(*kind)),
            }
        }
        message
    }

    /// What must follow the value of an open hole, or `None` if nothing does.
    #[cfg(test)]
    pub(super) fn after_hole(&self, at: usize) -> Option<&str> {
        let place = self.tokens.iter().position(|token| matches!(token, Token::Hole(_, hole) if *hole == at))?;
        match self.tokens.get(place + 1)? {
            Token::Literal(text) => Some(text),
            _ => None,
        }
    }

    /// The name of a hole's value in a message, as a map would give it.
    pub(super) fn value<'m>(&self, values: &Values<'m>, name: &str) -> Option<Value<'m>> {
        let at = self.holes.iter().position(|hole| hole.name == name)?;
        values.0.get(at).copied().flatten()
    }

    fn push_char(&mut self, c: char) {
        if let Some(Token::Literal(text)) = self.tokens.last_mut() {
            text.push(c);
        } else {
            self.tokens.push(Token::Literal(c.to_string()));
        }
    }

    fn push_hole(&mut self, text: &str) -> Result<(), String> {
        let (name, kind) = text.split_once(':').unwrap_or((text, text));
        let kind = Kind::of(kind).ok_or_else(|| format!("`{kind}` is no kind of hole"))?;
        if self.holes.iter().any(|hole| hole.name == name) {
            return Err(format!("two holes are called `{name}`"));
        }
        self.tokens.push(Token::Hole(kind, self.holes.len()));
        self.holes.push(Hole { name: name.to_owned(), kind });
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        if self.holes.len() > MOST_HOLES {
            return Err(format!("it has more than {MOST_HOLES} holes"));
        }
        if self.heads().iter().all(|head| head.is_empty()) {
            return Err("it must begin with text, a size or a count".to_owned());
        }
        for (at, token) in self.tokens.iter().enumerate() {
            let (before, after) = (at.checked_sub(1).map(|at| &self.tokens[at]), self.tokens.get(at + 1));
            match token {
                Token::Hole(kind, _) if *kind != Kind::Lines && matches!(after, Some(Token::Hole(..))) => {
                    return Err("text or the end must tell where a hole ends".to_owned());
                }
                Token::Hole(Kind::Rest, _) if after.is_some() => return Err("`rest` must come last".to_owned()),
                Token::Hole(Kind::Lines, _) if !matches!(before, Some(Token::Break(_))) || after.is_none() => {
                    return Err("`lines` stands after a line break and before more".to_owned());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for token in &self.tokens {
            match token {
                Token::Literal(text) => f.write_str(text)?,
                Token::Break(_) => f.write_str(" / ")?,
                Token::Hole(_, at) => write!(f, "{{{}}}", self.holes[*at].name)?,
            }
        }
        Ok(())
    }
}

/// Whether `text` is what `tokens` say, to the end. An open hole ends where what follows it fits first.
fn fits<'m>(tokens: &[Token], text: &'m str, values: &mut Values<'m>) -> bool {
    let Some((token, rest)) = tokens.split_first() else { return text.is_empty() };
    match token {
        Token::Literal(literal) => text.strip_prefix(literal.as_str()).is_some_and(|text| fits(rest, text, values)),
        Token::Break(_) => line_break(text).is_some_and(|text| fits(rest, text, values)),
        Token::Hole(Kind::Rest, at) => {
            values.0[*at] = Some(Value::Text(text));
            true
        }
        Token::Hole(Kind::Lines, at) => fits_after_lines(rest, text, *at, values),
        Token::Hole(kind, at) if kind.is_open() => fits_after_open(*kind, *at, rest, text, values),
        Token::Hole(kind, at) => kind.read(text).is_some_and(|(value, text)| {
            values.0[*at] = Some(value);
            fits(rest, text, values)
        }),
    }
}

fn fits_after_open<'m>(kind: Kind, at: usize, rest: &[Token], text: &'m str, values: &mut Values<'m>) -> bool {
    let line = &text[..memchr(b'\n', text.as_bytes()).unwrap_or(text.len())];
    let take = |end: usize, values: &mut Values<'m>| {
        let (value, after) = text.split_at(end);
        let value = if end == line.len() { value.trim_end_matches('\r') } else { value };
        if !kind.accepts(value) {
            return false;
        }
        values.0[at] = Some(Value::Text(value));
        fits(rest, after, values)
    };
    match rest {
        [Token::Literal(literal)] => text.strip_suffix(literal.as_str()).is_some_and(|value| take(value.len(), values)),
        [Token::Literal(literal), ..] => {
            memmem::find_iter(line.as_bytes(), literal.as_bytes()).any(|end| take(end, values))
        }
        _ => take(line.len(), values),
    }
}

fn fits_after_lines<'m>(rest: &[Token], text: &'m str, at: usize, values: &mut Values<'m>) -> bool {
    let mut left = text;
    loop {
        if fits(rest, left, values) {
            values.0[at] = Some(Value::Text(&text[..text.len() - left.len()]));
            return true;
        }
        let Some(end) = memchr(b'\n', left.as_bytes()) else { return false };
        left = left[end + 1..].trim_start_matches(INDENT);
    }
}

/// Takes a line break and the blanks around it.
fn line_break(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(INDENT);
    let text = text.strip_prefix('\r').unwrap_or(text).strip_prefix('\n')?;
    Some(text.trim_start_matches(INDENT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(template: &str, message: &str) -> Option<Vec<String>> {
        let template = Template::compile(template).unwrap();
        let values = template.read(message)?;
        Some(template.holes().iter().zip(values.0).map(|(hole, value)| value.unwrap().render(hole.kind)).collect())
    }

    #[test]
    fn an_open_hole_may_hold_what_ends_it() {
        let found = read("Backed up {size} to '{path}'", "Backed up 205.7 MB to '/Volumes/Mira's Disk'").unwrap();
        assert_eq!(found, ["205.7 MB", "/Volumes/Mira's Disk"]);
        let found = read("from volume {volume}. Linked {linked:count}.", "from volume A. Linked. Linked 7.").unwrap();
        assert_eq!(found, ["A. Linked", "7"]);
    }

    #[test]
    fn lines_are_skipped_whatever_their_indent() {
        let template = "Done\n\t{lines}{items} Added{rest}";
        assert_eq!(read(template, "Done\n\t  12 Added (x)\n  9 Left").unwrap(), ["", "12", " (x)\n  9 Left"]);
        assert_eq!(read(template, "Done\n 3 Seen\n12 Added\n").unwrap(), ["3 Seen\n", "12", ""]);
        assert_eq!(read(template, "Done\n 3 Seen"), None);
    }

    #[test]
    fn a_template_reads_to_the_end_or_not_at_all() {
        assert_eq!(read("Linked {linked:count}.", "Linked 12. Moved 3"), None);
        assert_eq!(read("Result: {{{rest}", "Result: {\n}").unwrap(), ["\n}"]);
        assert_eq!(read("at '{path}'", "at 'no path'"), None);
    }

    #[test]
    fn what_could_not_work_is_refused() {
        for bad in [
            "{path} is open at the head",
            "a {size",
            "a } b",
            "a {b:colour}",
            "a {size} {size}",
            "a {path}{text}",
            "a {count}{rest}",
            "a {rest} b",
            "a {lines}b",
            "",
        ] {
            assert!(Template::compile(bad).is_err(), "{bad}");
        }
    }
}
