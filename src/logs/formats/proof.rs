//! What a format claims is put to the test: its samples are read as stated, and nobody else's are read at all.

use super::format::{Format, Proof, Shape};
use super::reader::{LogReader, ReadOptions};
use super::{Entry, Formats, Read};
use std::sync::Arc;

/// A claim that doesn't hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The line of the format's file on which the sample begins.
    pub(super) line: usize,
    /// Which sample, from 1.
    pub(super) sample: usize,
    pub(super) why: String,
    pub(super) help: Option<String>,
}

/// Tests all samples of a format, with the others at hand.
pub(super) fn failures(format: &Arc<Format>, all: &Formats) -> Vec<Failure> {
    let mut found = Vec::new();
    for (proof, number) in format.samples.iter().zip(1..) {
        let failure = |why: String, help: Option<String>| Failure { line: proof.line, sample: number, why, help };
        if let Some((why, help)) = misread(format, proof) {
            found.push(failure(why, help));
        }
        let start = start_of(format, &proof.sample.text);
        for other in all.iter().filter(|other| other.name() != format.name()) {
            if other.begins(start) {
                found.push(failure(
                    format!("`{}` reads it as well", other.name()),
                    Some("make one of the two patterns say more of what its lines look like".to_owned()),
                ));
            }
        }
    }
    for other in all.iter().filter(|other| other.name() != format.name()) {
        if let Some(taken) = other.samples.iter().find(|proof| format.begins(start_of(other, &proof.sample.text))) {
            found.push(Failure {
                line: 1,
                sample: 1,
                why: format!("it also reads a line of `{}`: {}", other.name(), start_of(other, &taken.sample.text)),
                help: Some("make the pattern say more of what its lines look like".to_owned()),
            });
        }
    }
    found
}

/// The lines of a sample that make up the head of its record.
fn start_of<'a>(format: &Format, text: &'a str) -> &'a str {
    let end = text.match_indices('\n').nth(format.head_lines - 1).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

/// What is wrong with a sample, and what might help.
fn misread(format: &Arc<Format>, proof: &Proof) -> Option<(String, Option<String>)> {
    let mut entries: Vec<Vec<String>> = Vec::new();
    let mut others = Vec::new();
    let mut each = |read: Read<'_>| match read {
        Read::Entry(entry) => entries.push(differences(&entry, proof)),
        Read::Unreadable(line) => others.push(line.to_owned()),
        _ => {}
    };
    let mut reader = LogReader::new(format, &ReadOptions::default());
    for line in proof.sample.text.split('\n') {
        reader.push_line(line, &mut each);
    }
    reader.flush(&mut each);
    if let Some(line) = others.first() {
        let help = how_far(format, line).map(|far| format!("`record` matches up to here: {far}"));
        return Some((format!("`record` does not match: {line}"), help));
    }
    match entries.as_slice() {
        [differences] if differences.is_empty() => None,
        [differences] => Some((differences.join("; "), None)),
        entries => Some((format!("it gives {} records instead of one", entries.len()), None)),
    }
}

fn differences(entry: &Entry<'_>, proof: &Proof) -> Vec<String> {
    let stated = &proof.sample;
    let at = entry.at.map(|at| at.to_string());
    let mut found: Vec<String> = [
        ("at", at.as_deref(), stated.at.as_deref()),
        ("host", entry.host, stated.host.as_deref()),
        ("process", entry.process, stated.process.as_deref()),
        ("level", entry.level, stated.level.as_deref()),
        ("subsystem", entry.subsystem, stated.subsystem.as_deref()),
        ("category", entry.category, stated.category.as_deref()),
        ("message", Some(entry.message), Some(stated.message.as_str())),
    ]
    .into_iter()
    .filter(|(_, read, stated)| read != stated)
    .map(|(part, read, stated)| format!("`{part}` is read as {}, not {}", shown(read), shown(stated)))
    .collect();
    if entry.pid != stated.pid {
        found.push(format!("`pid` is read as {:?}, not {:?}", entry.pid, stated.pid));
    }
    found
}

fn shown(part: Option<&str>) -> String {
    part.map_or_else(|| "nothing".to_owned(), |part| format!("{part:?}"))
}

/// The part of a line that the longest usable beginning of the pattern matches.
fn how_far<'a>(format: &Format, line: &'a str) -> Option<&'a str> {
    let (Shape::Text(pattern) | Shape::Messages(pattern)) = &format.shape else { return None };
    let text = pattern.regex().as_str();
    let ends = text.char_indices().map(|(at, _)| at).skip(1).collect::<Vec<_>>();
    let far = ends
        .into_iter()
        .rev()
        .find_map(|end| regex::Regex::new(text.get(..end)?).ok()?.find(line).map(|found| found.end()))?;
    line.get(..far).filter(|far| !far.is_empty())
}
