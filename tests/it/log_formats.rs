//! Every form in which a log comes, from bytes to records with completed times.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tmgauge::domain::time::{Moment, Wall};
use tmgauge::logs::formats::{Dates, Formats, Order, Read, ReadOptions, Report, detect};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    files: Vec<String>,
    format: String,
    order: Option<String>,
    year: Option<i32>,
    zone: Option<String>,
    entries: usize,
    #[serde(default)]
    lost: u64,
    #[serde(default)]
    unreadable: u64,
    #[serde(default)]
    infos_left_out: bool,
    #[serde(default)]
    went_back: u64,
    entry: Vec<Record>,
}

/// A record; what the fixture leaves out is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    at: String,
    host: Option<String>,
    process: Option<String>,
    pid: Option<u64>,
    level: Option<String>,
    subsystem: Option<String>,
    category: Option<String>,
    message: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs")
}

fn cases() -> Vec<(String, Expected)> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(root()).unwrap() {
        let folder = entry.unwrap().path();
        if let Ok(text) = fs::read_to_string(folder.join("entries.toml")) {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let expected = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            cases.push((name, expected));
        }
    }
    cases.sort_by(|a: &(String, Expected), b| a.0.cmp(&b.0));
    cases
}

fn shown(moment: Moment) -> String {
    match moment.wall {
        None => String::new(),
        Some(Wall::Zoned(at)) => format!("{at:?}"),
        Some(Wall::Local(at)) => format!("{at:?}"),
        Some(Wall::Yearless(at)) => format!("--{:02}-{:02}T{:?}", at.month(), at.day(), at.time()),
        Some(Wall::TimeOfDay(at)) => format!("{at:?}"),
    }
}

/// Reads the files of a case in pieces of that size.
fn read(name: &str, expected: &Expected, size: usize) -> (Vec<Record>, Report, Order) {
    let zone = expected.zone.as_ref().map(|zone| zone.parse().unwrap());
    let options = ReadOptions { year: expected.year, zone, ..ReadOptions::default() };
    let (mut records, mut last) = (Vec::new(), None);
    let mut dates: Option<Dates<Record>> = None;
    for file in &expected.files {
        let bytes = fs::read(root().join(name).join(file)).unwrap();
        let found = detect(&bytes, Formats::built_in());
        let mut reader = found.reader(&options).unwrap_or_else(|| panic!("{name}: {:?}", found.scores));
        assert_eq!(reader.format().name(), expected.format, "{name}");
        let dates = dates.get_or_insert_with(|| Dates::new(&options, found.order));
        let mut each = |read: Read<'_>| {
            let Read::Entry(entry) = read else { return };
            let text = |part: Option<&str>| part.map(str::to_owned);
            let record = Record {
                at: String::new(),
                host: text(entry.host),
                process: text(entry.process),
                pid: entry.pid,
                level: text(entry.level),
                subsystem: text(entry.subsystem),
                category: text(entry.category),
                message: entry.message.to_owned(),
            };
            dates.push(entry.at, entry.host, entry.message, record, &mut |at, record| {
                records.push(Record { at: shown(at), ..record });
            });
        };
        for piece in bytes.chunks(size) {
            reader.push(piece, &mut each);
        }
        reader.flush(&mut each);
        last = Some((reader.report().clone(), found.order));
    }
    dates.unwrap().flush(&mut |at, record| records.push(Record { at: shown(at), ..record }));
    let (report, order) = last.unwrap();
    (records, report, order)
}

#[test]
fn every_form_is_read_as_stated() {
    let mut wrong = Vec::new();
    for (name, expected) in cases() {
        let (records, report, order) = read(&name, &expected, usize::MAX);
        let counts = (report.lost, report.unreadable, report.infos_left_out, report.went_back);
        if counts != (expected.lost, expected.unreadable, expected.infos_left_out, expected.went_back)
            || records.len() != expected.entries
        {
            wrong.push(format!("{name}: {} records, {report:?}", records.len()));
        }
        let order_word = match order {
            Order::OldestFirst => "oldest-first",
            Order::NewestFirst => "newest-first",
            Order::Mixed => "mixed",
            Order::Unknown => "unknown",
        };
        if expected.order.as_deref().is_some_and(|order| order != order_word) {
            wrong.push(format!("{name}: {order_word}"));
        }
        for (record, stated) in records.iter().zip(&expected.entry) {
            let known = Record {
                at: record.at.clone(),
                message: record.message.clone(),
                host: stated.host.as_ref().and(record.host.clone()),
                process: stated.process.as_ref().and(record.process.clone()),
                pid: stated.pid.and(record.pid),
                level: stated.level.as_ref().and(record.level.clone()),
                subsystem: stated.subsystem.as_ref().and(record.subsystem.clone()),
                category: stated.category.as_ref().and(record.category.clone()),
            };
            if known != *stated {
                wrong.push(format!("{name}:\n  read   {known:?}\n  stated {stated:?}"));
            }
        }
        for size in [1, 7, 100] {
            let (pieces, of_pieces, _) = read(&name, &expected, size);
            if pieces != records || of_pieces != report {
                wrong.push(format!("{name}: other records in pieces of {size}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_form_has_a_fixture() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let rows = readme.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| form |"));
    let mut listed = BTreeSet::new();
    for row in rows {
        let fixtures = row.rsplit("| ").next().unwrap().trim_end_matches(" |");
        let mut count = 0;
        for name in fixtures.split(", ").map(|name| name.trim_matches('`')).filter(|name| !name.is_empty()) {
            assert!(root().join(name).join("entries.toml").exists(), "{row}");
            listed.insert(name.to_owned());
            count += 1;
        }
        assert!(count > 0, "no fixture: {row}");
    }
    let cases = cases();
    let there: BTreeSet<String> = cases.iter().map(|case| case.0.clone()).collect();
    assert_eq!(listed, there);
    let read: BTreeSet<&str> = cases.iter().map(|case| case.1.format.as_str()).collect();
    let formats: BTreeSet<&str> = Formats::built_in().iter().map(|format| format.name()).collect();
    assert_eq!(read, formats, "each format has a fixture");
}
