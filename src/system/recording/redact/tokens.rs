//! UUIDs, MAC addresses and IP addresses: known by their shape.

use std::collections::{HashMap, HashSet};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::letters::{word_can_begin, word_can_end};
use super::regex;

/// What is about to be replaced, in one spelling.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Token {
    /// Lower case.
    Uuid(String),
    /// Lower case, two digits a group, with colons; six groups, or eight of a FireWire address.
    Mac(String),
    V4(Ipv4Addr),
    /// As Rust writes it; as it stands if a table cut it.
    V6(String),
}

const UUID_STAND_IN: &str = "00000000-0000-4000-8000-";
const MAC_STAND_IN: &str = "02:00:00:00:";

/// UUIDs that are the same on every Mac: types of partitions, and what an EFI partition gets for want of its own.
const KNOWN_UUIDS: [&str; 6] = [
    "-0000-11aa-aa11-00306543ecac",
    "c12a7328-f81f-11d2-ba4b-00a0c93ec93b",
    "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7",
    "0e239bc6-f960-3107-89cf-1c97f78bb46b",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
];

#[derive(Default)]
pub(super) struct Tokens {
    stand_ins: HashMap<Token, String>,
    taken: HashSet<String>,
    uuids: u32,
    macs: u32,
    v4s: u32,
    v6s: u32,
}

impl Tokens {
    /// Keeps what already looks like a stand-in from being given to something else.
    pub(super) fn keep_stand_ins(&mut self, text: &str) {
        for (_, token) in find(text) {
            if stays(&token) {
                self.taken.insert(spelled(&token));
            }
        }
    }

    pub(super) fn replace(&mut self, text: &str) -> String {
        let mut new = String::with_capacity(text.len());
        let mut done = 0;
        for (place, token) in find(text) {
            if stays(&token) {
                continue;
            }
            let old = &text[place.clone()];
            let mut stand_in = self.stand_in(token);
            if !old.contains(|c: char| c.is_ascii_lowercase()) {
                stand_in.make_ascii_uppercase();
            }
            if old.as_bytes().get(2) == Some(&b'-') {
                stand_in = stand_in.replace(':', "-");
            }
            new.push_str(&text[done..place.start]);
            new.push_str(&stand_in);
            done = place.end;
        }
        new.push_str(&text[done..]);
        new
    }

    fn stand_in(&mut self, token: Token) -> String {
        if let Some(known) = self.stand_ins.get(&token) {
            return known.clone();
        }
        let stand_in = loop {
            let next = match &token {
                Token::Uuid(_) => format!("{UUID_STAND_IN}{:012x}", count(&mut self.uuids)),
                Token::Mac(old) => mac(count(&mut self.macs), old.len() > 17),
                Token::V4(_) => v4(count(&mut self.v4s)).to_string(),
                Token::V6(old) => v6(count(&mut self.v6s), old.starts_with("fe80")).to_string(),
            };
            if self.taken.insert(next.clone()) {
                break next;
            }
        };
        self.stand_ins.insert(token, stand_in.clone());
        stand_in
    }
}

fn count(counter: &mut u32) -> u32 {
    *counter += 1;
    *counter
}

fn mac(number: u32, long: bool) -> String {
    let [_, _, high, low] = number.to_be_bytes();
    format!("{MAC_STAND_IN}{}{high:02x}:{low:02x}", if long { "00:00:" } else { "" })
}

/// From the three ranges for documentation, then from that for benchmarks.
fn v4(number: u32) -> Ipv4Addr {
    let [_, _, block, low] = number.to_be_bytes();
    match block {
        0 => Ipv4Addr::new(192, 0, 2, low),
        1 => Ipv4Addr::new(198, 51, 100, low),
        2 => Ipv4Addr::new(203, 0, 113, low),
        _ => Ipv4Addr::new(198, 18, block, low),
    }
}

/// From the range for documentation; what is valid on one link only stays so.
fn v6(number: u32, link_local: bool) -> Ipv6Addr {
    let [a, b, c, d] = number.to_be_bytes();
    let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
    if link_local {
        Ipv6Addr::new(0xfe80, 0, 0, 0, 0, high, 0xa00, low)
    } else {
        Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, high, low)
    }
}

fn spelled(token: &Token) -> String {
    match token {
        Token::Uuid(text) | Token::Mac(text) | Token::V6(text) => text.clone(),
        Token::V4(address) => address.to_string(),
    }
}

/// Whether it is a stand-in already, or the same everywhere.
fn stays(token: &Token) -> bool {
    match token {
        Token::Uuid(uuid) => uuid.starts_with(UUID_STAND_IN) || KNOWN_UUIDS.iter().any(|known| uuid.ends_with(known)),
        Token::Mac(mac) => {
            let same = |byte: &str| mac.split(':').all(|group| group == byte);
            mac.starts_with(MAC_STAND_IN) || same("00") || same("ff")
        }
        Token::V4(address) => {
            let [first, second, ..] = address.octets();
            matches!((first, second), (0 | 127 | 224.., _) | (198, 18)) || address.is_documentation()
        }
        Token::V6(text) => match text.parse::<Ipv6Addr>() {
            Ok(address) => {
                let groups = address.segments();
                address.is_loopback()
                    || address.is_unspecified()
                    || address.is_multicast()
                    || groups.starts_with(&[0x2001, 0xdb8])
                    || matches!(groups, [0xfe80, 0, 0, 0, 0, 0, 0, 1] | [0xfe80, 0, 0, 0, 0, _, 0xa00, _])
            }
            Err(_) => text.starts_with("2001:db8"),
        },
    }
}

/// The tokens of a text with their places, in order.
fn find(text: &str) -> Vec<(Range<usize>, Token)> {
    static SHAPE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?x)
            (?<uuid> [[:xdigit:]]{8} (?: -[[:xdigit:]]{4} ){3} -[[:xdigit:]]{12} )
            | (?<dashed> [[:xdigit:]]{2} (?: -[[:xdigit:]]{2} ){5} )
            | (?<colons> [[:xdigit:]]{0,4} (?: :[[:xdigit:]]{0,4} ){2,8} )
            | (?<dots> [0-9]{1,3} (?: \.[0-9]{1,3} ){3} )",
        )
    });
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(found) = SHAPE.captures_at(text, at) {
        let Some(whole) = found.get(0) else { break };
        let (before, after) = (&text[..whole.start()], &text[whole.end()..]);
        let old = whole.as_str();
        let token = if !word_can_begin(before) || !word_can_end(after) {
            None
        } else if found.name("uuid").is_some() {
            Some(Token::Uuid(old.to_ascii_lowercase()))
        } else if found.name("dashed").is_some() {
            (!before.ends_with('-') && !after.starts_with('-'))
                .then(|| Token::Mac(old.to_ascii_lowercase().replace('-', ":")))
        } else if found.name("colons").is_some() {
            if before.ends_with([':', '.']) || after.starts_with(':') { None } else { with_colons(old, after) }
        } else {
            with_dots(old, before, after)
        };
        if let Some(token) = token {
            at = whole.end();
            tokens.push((whole.range(), token));
        } else {
            // All shapes begin with ASCII, so this is no place inside a character.
            at = whole.start() + 1;
        }
    }
    tokens
}

fn with_dots(old: &str, before: &str, after: &str) -> Option<Token> {
    // `netstat` writes the port after one more dot; still more dots are a version.
    let run = after.split(|c: char| c != '.' && !c.is_ascii_digit()).next().unwrap_or_default();
    let more = run.split('.').filter(|part| !part.is_empty()).count();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    let word = line.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let versions = ["version", "firmware", "driver", "revision", "framework", "build"];
    let is_version = before.ends_with('.') || more > 1 || versions.iter().any(|said| word.eq_ignore_ascii_case(said));
    if is_version { None } else { old.parse().ok().map(Token::V4) }
}

fn with_colons(old: &str, after: &str) -> Option<Token> {
    let groups: Vec<&str> = old.split(':').collect();
    let short = |length: std::ops::RangeInclusive<usize>| groups.iter().all(|group| length.contains(&group.len()));
    if (groups.len() == 6 && short(1..=2)) || (groups.len() == 8 && short(2..=2)) {
        let groups: Vec<String> = groups.iter().map(|group| format!("{group:0>2}")).collect();
        return Some(Token::Mac(groups.join(":").to_ascii_lowercase()));
    }
    let has_digit = old.contains(|c: char| c.is_ascii_digit());
    // The IPv4 address inside such a one is found by itself.
    if !has_digit || old.to_ascii_lowercase().starts_with("::ffff:") {
        return None;
    }
    if let Ok(address) = old.parse::<Ipv6Addr>() {
        return Some(Token::V6(address.to_string()));
    }
    // `netstat` cuts long ones to the width of its column and puts the port after a dot.
    let first = groups.first().filter(|group| group.len() == 4)?;
    let routed = u16::from_str_radix(first, 16).is_ok_and(|group| group >= 0x2000);
    let has_port = after.strip_prefix('.').is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()));
    (routed && has_port).then(|| Token::V6(old.to_ascii_lowercase()))
}
