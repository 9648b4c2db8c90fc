//! Imports run downwards only, and rooms of one level don't know each other.

use std::fs;
use std::path::{Path, PathBuf};

/// The levels, top first. A room may import rooms of the levels below its own.
const LEVELS: &[&[&str]] = &[
    &["main"],
    &["lib"],
    &["commands"],
    &["cli"],
    &["system"],
    &["report"],
    &["history"],
    &["observe"],
    &["sources"],
    &["logs", "archive", "records", "links", "bench", "tmutil"],
    &["apple"],
    &["contract"],
    &["error", "ports"],
    &["domain"],
];

fn level_of(room: &str) -> Option<usize> {
    LEVELS.iter().position(|rooms| rooms.contains(&room))
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

/// The rooms that a source text names behind `crate::` (or `tmgauge::` in `main.rs`).
fn imported_rooms(text: &str, prefix: &str) -> Vec<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut rooms = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let rest = &text[at + prefix.len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0_usize;
            let mut item = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        rooms.push(name(item.trim()));
                        item.clear();
                        continue;
                    }
                    _ => {}
                }
                item.push(c);
            }
            rooms.push(name(item.trim()));
        } else {
            rooms.push(name(rest));
        }
    }
    rooms.retain(|room| !room.is_empty());
    rooms
}

fn violations(file: &str, room: &str, text: &str) -> Vec<String> {
    let Some(own) = level_of(room) else { return vec![format!("{file}: the room `{room}` has no level")] };
    imported_rooms(text, if room == "main" { "tmgauge::" } else { "crate::" })
        .into_iter()
        .filter(|other| other != room)
        .filter_map(|other| match level_of(&other) {
            Some(level) if level > own => None,
            Some(_) => Some(format!("{file} uses `{other}`, which is not below `{room}`")),
            // A name of the crate's root, such as a macro or `run`.
            None if room == "main" || room == "lib" => None,
            None => Some(format!("{file} uses `{other}`, which is no room")),
        })
        .collect()
}

#[test]
fn imports_run_downwards_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    assert!(files.len() > 10, "the walk found too little");
    let mut wrong = Vec::new();
    for path in files {
        let inside = path.strip_prefix(&src).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let room = first.strip_suffix(".rs").unwrap_or(first);
        wrong.extend(violations(&inside.display().to_string(), room, &fs::read_to_string(&path).unwrap()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_guard_sees_what_it_guards_against() {
    assert_eq!(violations("domain/units.rs", "domain", "use crate::report::human;").len(), 1);
    assert_eq!(violations("logs/mod.rs", "logs", "use crate::{domain::event, links::usb};").len(), 1);
    assert_eq!(violations("logs/mod.rs", "logs", "use crate::{domain::event::{Event, Data}, apple};").len(), 0);
    assert_eq!(violations("stray/mod.rs", "stray", "").len(), 1);
}
