//! Names in structured answers, and the ways in which a name is written.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Cursor;
use std::ops::Range;

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::Name;

/// Keys (in lower case, letters and digits only) whose text is a name.
const KEYS: &[(&str, Name)] = &[
    ("volumename", Name::Volume),
    ("davolumename", Name::Volume),
    ("hostname", Name::Host),
    ("computername", Name::Host),
    ("localhostname", Name::Host),
    ("servername", Name::Host),
    ("server", Name::Host),
    ("username", Name::User),
    ("longusername", Name::User),
    ("loginname", Name::User),
    ("user", Name::User),
    ("share", Name::Share),
    ("sharename", Name::Share),
    ("ssid", Name::Ssid),
];
/// The lists of Wi-Fi networks of `system_profiler`.
const NETWORKS: [&str; 2] = ["spairportcurrentnetworkinformation", "spairportairportotherlocalwirelessnetworks"];

/// The names in what a tool printed: a property list, JSON, or lines `key: value`.
pub(super) fn of_answer(tool: &str, text: &str) -> Vec<(Name, String)> {
    let mut walk = Walk { tool, names: Vec::new() };
    if let Some(at) = text.find("<?xml").or_else(|| text.find("<plist")) {
        if let Ok(value) = plist::Value::from_reader_xml(Cursor::new(&text.as_bytes()[at..])) {
            walk.plist("", &value);
        }
    } else if let Ok(value) = serde_json::from_str(text) {
        walk.json("", &value);
    } else {
        for line in text.lines() {
            // `Name : x`, and `"Name" = "x";` of the old form.
            let Some((key, value)) = line.split_once(" = ").or_else(|| line.split_once(':')) else { continue };
            walk.text(key, value.trim().trim_end_matches(';').trim_matches('"'));
        }
    }
    walk.names
}

struct Walk<'a> {
    tool: &'a str,
    names: Vec<(Name, String)>,
}

impl Walk<'_> {
    fn plist(&mut self, key: &str, value: &plist::Value) {
        match value {
            plist::Value::Dictionary(dict) => {
                self.dict(key, |name| dict.get(name).and_then(plist::Value::as_string));
                for (inner, value) in dict {
                    if let Some(text) = value.as_string() {
                        self.text(inner, text);
                    } else {
                        self.plist(inner, value);
                    }
                }
            }
            plist::Value::Array(values) => values.iter().for_each(|value| self.plist(key, value)),
            plist::Value::Integer(number) => self.number(key, &number.to_string()),
            _ => {}
        }
    }

    fn json(&mut self, key: &str, value: &serde_json::Value) {
        match value {
            serde_json::Value::Object(dict) => {
                self.dict(key, |name| dict.get(name).and_then(serde_json::Value::as_str));
                for (inner, value) in dict {
                    if let Some(text) = value.as_str() {
                        self.text(inner, text);
                    } else {
                        self.json(inner, value);
                    }
                }
            }
            serde_json::Value::Array(values) => values.iter().for_each(|value| self.json(key, value)),
            serde_json::Value::Number(number) => self.number(key, &number.to_string()),
            _ => {}
        }
    }

    /// Names that only the other keys beside them give away.
    fn dict<'v>(&mut self, key: &str, get: impl Fn(&str) -> Option<&'v str>) {
        let Some(name) = get("_name") else { return };
        if NETWORKS.contains(&plain(key).as_str()) {
            self.names.push((Name::Ssid, name.to_owned()));
        } else if get("mount_point").is_some() {
            self.names.push((Name::Volume, name.to_owned()));
        }
    }

    fn text(&mut self, key: &str, value: &str) {
        let key = plain(key);
        if key.contains("serial") && !value.contains(' ') {
            self.names.push((Name::Serial, value.to_owned()));
        } else if let Some((_, kind)) = KEYS.iter().find(|(name, _)| *name == key) {
            // `Full Name (account)`.
            for part in value.split([',', '(', ')']).filter(|_| *kind == Name::User) {
                self.names.push((*kind, part.trim().to_owned()));
            }
            if *kind != Name::User {
                self.names.push((*kind, value.to_owned()));
            }
        } else if key == "name" && self.tool == "tmutil" {
            self.names.push((Name::Volume, value.to_owned()));
        } else if key.ends_with("mountpoint") {
            self.names.extend(of_mount_point(value));
        }
    }

    fn number(&mut self, key: &str, digits: &str) {
        let digits = digits.trim_start_matches('-');
        if key == "UID" && digits.len() >= 10 {
            self.names.push((Name::DeviceNumber, digits.to_owned()));
        }
    }
}

fn plain(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The names in the path of a mount point, which is known to end where the text ends.
pub(super) fn of_mount_point(path: &str) -> Vec<(Name, String)> {
    let Some(rest) = path.strip_prefix("/Volumes/") else { return Vec::new() };
    let rest = rest.strip_prefix(".timemachine/").unwrap_or(rest);
    let hidden = |part: &&str| !part.is_empty() && !part.starts_with('.') && !part.starts_with("com.apple.");
    let stamp = |part: &str| part.get(..11).is_some_and(|day| day.chars().all(|c| c.is_ascii_digit() || c == '-'));
    let backup = |part: &&str| !stamp(part) && *part != "Backups.backupdb";
    let kind = |part: &str| if part.contains("._") { Name::Host } else { Name::Volume };
    rest.split('/').filter(hidden).filter(backup).map(|part| (kind(part), part.to_owned())).collect()
}

/// All ways of writing the names, and what stands in for each.
#[derive(Default)]
pub(super) struct Forms {
    stand_ins: HashMap<String, String>,
    search: Option<AhoCorasick>,
}

impl Forms {
    pub(super) fn add(&mut self, name: &str, stand_in: &str) {
        for form in forms(name) {
            self.stand_ins.entry(form).or_insert_with(|| stand_in.to_owned());
        }
    }

    /// Prepares the search; names that are added later aren't found.
    pub(super) fn seal(&mut self) {
        // The longest counts: a name may begin with another.
        let build = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(self.stand_ins.keys());
        self.search = Some(build.expect("names fit into memory many times over"));
    }

    pub(super) fn replace(&self, text: &str) -> String {
        let Some(search) = &self.search else { return text.to_owned() };
        let mut replaced = String::with_capacity(text.len());
        let (mut done, mut from) = (0, 0);
        while let Some(found) = search.find(Input::new(text).range(from..)) {
            let name = &text[found.range()];
            if is_word(text, found.range()) {
                replaced.push_str(&text[done..found.start()]);
                replaced.push_str(self.stand_ins.get(name).map_or("", String::as_str));
                done = found.end();
                from = done;
            } else {
                // Inside a longer word it is another word; a shorter name may still begin further on.
                from = found.start() + name.chars().next().map_or(1, char::len_utf8);
            }
        }
        replaced.push_str(&text[done..]);
        replaced
    }
}

/// Whether the range is no part of a longer word.
fn is_word(text: &str, range: Range<usize>) -> bool {
    let joins =
        |a: Option<char>, b: Option<char>| a.is_some_and(char::is_alphanumeric) && b.is_some_and(char::is_alphanumeric);
    let (before, name, after) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    !joins(before.chars().next_back(), name.chars().next()) && !joins(name.chars().next_back(), after.chars().next())
}

/// A name as it is written raw, in XML, in JSON, in URLs (two customs, two cases), and in the old property lists.
fn forms(name: &str) -> Vec<String> {
    let xml = name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let json = escape(name, "\\u").replace('"', "\\\"");
    let openstep = escape(name, "\\U");
    let mut forms = vec![name.to_owned(), xml.clone(), xml.replace('\'', "&apos;").replace('"', "&quot;")];
    forms.extend([json.replace('/', "\\/"), json, openstep.replace('\\', "\\\\"), openstep]);
    for kept in ["-._~", "-._~!$&'()*+,;=:@"] {
        let upper = percent(name, kept);
        forms.extend([upper.clone(), lower_escapes(&upper), upper.replace('&', "&amp;")]);
    }
    forms.push(name.replace(' ', "\\040"));
    forms.push(name.replace(' ', "\\ "));
    forms
}

fn escape(name: &str, prefix: &str) -> String {
    let mut text = String::new();
    let mut units = [0; 2];
    for c in name.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string can't fail.
                let _ = write!(text, "{prefix}{unit:04x}");
            }
        }
    }
    text
}

fn percent(name: &str, kept: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// `%C3` as `%c3`.
fn lower_escapes(text: &str) -> String {
    let mut left = 0;
    text.chars()
        .map(|c| {
            let lowered = if left > 0 { c.to_ascii_lowercase() } else { c };
            left = if c == '%' { 2 } else { usize::saturating_sub(left, 1) };
            lowered
        })
        .collect()
}
