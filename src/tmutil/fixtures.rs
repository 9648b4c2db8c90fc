//! Every fixture gives the reading that the README beside it states, and none is without one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::destinations::parse_destinations;
use super::recognise::{Output, recognise};
use super::status::{StatusError, parse_status};
use crate::domain::destination::Destination;
use crate::domain::sample::Sample;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// The first and the last column of the table in a folder's README: file and reading.
fn stated(folder: &Path) -> Vec<(String, String)> {
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    readme
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ").collect();
            Some((cells.first()?.trim_end_matches('`').to_owned(), (*cells.last()?).to_owned()))
        })
        .collect()
}

fn check(folder: &Path, reading: impl Fn(&[u8]) -> String) {
    let stated = stated(folder);
    let mut wrong = String::new();
    for (file, expected) in &stated {
        let got = reading(&fs::read(folder.join(file)).unwrap());
        if got != *expected {
            writeln!(wrong, "{file}\n  stated: {expected}\n  read:   {got}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let files: BTreeSet<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let rows: BTreeSet<String> = stated.into_iter().map(|(file, _)| file).chain(["README.md".to_owned()]).collect();
    assert_eq!(files, rows, "files and rows of the table in {}", folder.display());
}

fn of_total(count: u64, total: Option<u64>) -> String {
    total.map_or_else(|| count.to_string(), |total| format!("{count} of {total}"))
}

fn status_line(sample: &Sample) -> String {
    let mut said = vec![if sample.running { "running".to_owned() } else { "idle".to_owned() }];
    said.extend(sample.phase.as_ref().map(ToString::to_string));
    said.extend(sample.era.map(|era| format!("era {era:?}")));
    if let Some(counters) = &sample.counters {
        said.extend(counters.bytes.map(|bytes| format!("{} bytes", of_total(bytes, counters.bytes_to_copy))));
        said.extend(counters.items.map(|items| format!("{} items", of_total(items, counters.items_to_copy))));
    }
    said.extend(sample.percent.map(|percent| format!("{:.5} %", percent * 100.0)));
    said.extend(sample.counters.as_ref().and_then(|c| c.remaining_s).map(|left| format!("{left:.1} s left")));
    said.extend(sample.phase_fraction.map(|done| format!("phase {:.5} %", done * 100.0)));
    said.extend(sample.changed_items.map(|items| format!("{items} changed")));
    said.extend(sample.first_backup.then(|| "first".to_owned()));
    said.extend(sample.stopping.then(|| "stopping".to_owned()));
    said.extend(sample.destination_id.as_ref().map(|id| format!("to {}", &id[..8])));
    said.extend(sample.mount_point.as_ref().map(|place| format!("at {place}")));
    said.extend(sample.unknown.iter().map(|(key, value)| format!("{key}={value}")));
    said.join("; ")
}

fn status_reading(bytes: &[u8]) -> String {
    match parse_status(bytes) {
        Ok(sample) => status_line(&sample),
        Err(StatusError::CutShort { line, partial: Some(partial) }) => {
            format!("cut short in line {line}, before that: {}", status_line(&partial))
        }
        Err(error) => error.to_string(),
    }
}

fn destination_line(destination: &Destination) -> String {
    let mut said: Vec<String> = Vec::new();
    said.extend(destination.name.clone());
    said.extend(destination.id.as_ref().map(|id| id[..8].to_owned()));
    said.extend(destination.kind.map(|kind| format!("{kind:?}").to_lowercase()));
    said.extend(destination.mount_point.as_ref().map(|place| format!("at {place}")));
    said.extend(destination.url.clone());
    said.extend(destination.quota_bytes.map(|bytes| format!("quota {bytes}")));
    said.extend(destination.last_used.then(|| "last".to_owned()));
    said.join(", ")
}

fn destinations_reading(bytes: &[u8]) -> String {
    match parse_destinations(bytes) {
        Ok(none) if none.is_empty() => "none".to_owned(),
        Ok(destinations) => destinations.iter().map(destination_line).collect::<Vec<_>>().join("; "),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_status_gives_its_reading() {
    check(&folder("status"), status_reading);
}

#[test]
fn each_list_of_destinations_gives_its_reading() {
    check(&folder("destinations"), destinations_reading);
}

#[test]
fn both_forms_of_a_status_read_the_same() {
    let folder = folder("status");
    let mut pairs = 0;
    for (file, _) in stated(&folder) {
        let Some(name) = file.strip_suffix(".txt") else { continue };
        let (text, xml) = (folder.join(&file), folder.join(format!("{name}.plist")));
        if xml.exists() {
            assert_eq!(parse_status(&fs::read(text).unwrap()), parse_status(&fs::read(xml).unwrap()), "{file}");
            pairs += 1;
        }
    }
    assert!(pairs >= 6, "only {pairs} pairs");
}

#[test]
fn every_fixture_is_recognised() {
    for (name, output) in [("status", Output::Status), ("destinations", Output::Destinations)] {
        let folder = folder(name);
        for (file, reading) in stated(&folder) {
            // What is no output of this verb, or too little of one, stays unknown.
            let readable = !reading.contains("not a") && !reading.contains("empty") && !reading.contains("cut short");
            if readable {
                assert_eq!(recognise(&fs::read(folder.join(&file)).unwrap()).as_ref(), Some(&output), "{file}");
            }
        }
    }
}

#[test]
fn no_cut_of_any_status_is_taken_for_a_whole_one() {
    let folder = folder("status");
    for (file, reading) in stated(&folder) {
        let bytes = fs::read(folder.join(&file)).unwrap();
        if !reading.starts_with("running") && !reading.starts_with("idle") {
            continue;
        }
        let whole = parse_status(&bytes).unwrap();
        for at in 0..bytes.trim_ascii_end().len() {
            let cut = parse_status(&bytes[..at]);
            assert!(cut.is_err(), "{file} cut at {at} reads as {cut:?} instead of {whole:?}");
        }
    }
}
