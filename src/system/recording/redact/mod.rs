//! Names in a recording are replaced, so that it can be shown to others.
//!
//! Names of hosts, users, volumes, shares and Wi-Fi networks, and serial numbers, are collected where it is certain what
//! they are, and then replaced wherever they occur, in whichever escapes. UUIDs and addresses are known by their shape.
//! The same name gets the same stand-in, so a mount point still leads to its volume. Paths of files are cut off. Names made of
//! nothing but general words (`Macintosh HD`, `Time Machine`, `LaCie Backup 2`) tell nothing about anybody and stay.

mod collect;
mod letters;
mod names;
mod paths;
#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use regex::{Captures, Regex};

use self::collect::Found;
use self::names::Names;
use self::paths::Ends;
use self::tokens::Tokens;
use super::format::{Line, What};
use crate::ports::CallEnd;

/// What stands in stderr in place of a stdout that is no text.
const LEFT_OUT: &[u8] = b"left out by the redaction: stdout was not text\n";

/// Replaces names, serial numbers, UUIDs and addresses in all lines, and cuts off the paths of files.
pub fn redact(lines: &mut [Line]) {
    let mut found = Found::default();
    for line in &*lines {
        found.look_at(line);
    }
    let mut redactor = Redactor { names: Names::new(&found), tokens: Tokens::default() };
    for line in &mut *lines {
        each_text(line, &mut |text, _| {
            redactor.tokens.keep_stand_ins(text);
            None
        });
    }
    for line in lines {
        leave_out_binary(line);
        each_text(line, &mut |text, ends| Some(redactor.text(text, ends)));
    }
}

struct Redactor {
    names: Names,
    tokens: Tokens,
}

impl Redactor {
    fn text(&mut self, text: &str, ends: Ends) -> String {
        let text = without_data(text);
        let text = paths::cut(&text, ends);
        let text = self.names.replace(&text);
        self.tokens.replace(&text)
    }
}

/// Shows every text of a line to `change`, and takes what it gives in its place.
fn each_text(line: &mut Line, change: &mut dyn FnMut(&str, Ends) -> Option<String>) {
    let mut put = |text: &mut String, ends| {
        if let Some(new) = change(text, ends) {
            *text = new;
        }
    };
    match &mut line.what {
        What::Call(call) => {
            for arg in &mut call.args {
                put(arg, Ends::Answer);
            }
            if let CallEnd::Failed(why) = &mut call.end {
                put(why, Ends::Answer);
            }
            for bytes in [&mut call.stdout, &mut call.stderr] {
                let mut text = String::from_utf8_lossy(bytes).into_owned();
                put(&mut text, Ends::Answer);
                *bytes = text.into_bytes();
            }
        }
        What::Log(text) => put(text, Ends::Log),
        What::LogEnd { stderr, .. } => put(stderr, Ends::Log),
        What::Clock { .. } => {}
    }
}

/// Nothing can be replaced in place in binary property lists, whose lengths would be wrong then.
fn leave_out_binary(line: &mut Line) {
    let What::Call(call) = &mut line.what else { return };
    if call.stdout.starts_with(b"bplist") || str::from_utf8(&call.stdout).is_err() {
        call.stdout.clear();
        call.stderr.extend_from_slice(LEFT_OUT);
    }
}

/// Zeroes the bytes in XML property lists: addresses and serial numbers come like that too. Four bytes or fewer are
/// numbers such as the ID of a vendor, and stay.
fn without_data(text: &str) -> Cow<'_, str> {
    static DATA: LazyLock<Regex> = LazyLock::new(|| regex(r"(<data>\s*)([^<]*?)(\s*</data>)"));
    DATA.replace_all(text, |found: &Captures<'_>| {
        let packed: String = found[2].split_whitespace().collect();
        let zeroes = STANDARD.decode(packed).map(|bytes| if bytes.len() > 4 { vec![0; bytes.len()] } else { bytes });
        format!("{}{}{}", &found[1], STANDARD.encode(zeroes.unwrap_or_default()), &found[3])
    })
}

/// One of the patterns of this folder. One that is wrong must not go unseen: names would be left.
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}
