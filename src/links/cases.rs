//! Whole Macs, each a recording with the readings that are expected of it.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde::Deserialize;

use super::stand_in::Answers;
use super::{Look, join, look};
use crate::domain::destination::{Destination, DestinationKind};
use crate::domain::link::{Confidence, Link, Seen};

#[derive(Deserialize)]
struct Expected {
    destination: Wanted,
    joined: Option<Joined>,
    look: Vec<ExpectedLook>,
}

#[derive(Deserialize)]
struct Wanted {
    mount_point: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
struct Joined {
    kinds: Vec<String>,
    changed: bool,
}

#[derive(Deserialize)]
struct ExpectedLook {
    seen: String,
    t: f64,
    warnings: Vec<String>,
    link: Vec<ExpectedLink>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedLink {
    kind: String,
    kind_confidence: String,
    rate_confidence: String,
    negotiated_bps: Option<u64>,
    practical_bps: Option<u64>,
    port_max_bps: Option<u64>,
    device: Option<String>,
    vendor: Option<String>,
    bsd_name: Option<String>,
    transport: Option<String>,
    chain: Option<Vec<String>>,
    candidates: Option<usize>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/links")
}

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    cases.sort();
    assert!(cases.len() > 60);
    cases
}

fn expected(case: &Path) -> Expected {
    toml::from_str(&fs::read_to_string(case.join("expected.toml")).unwrap()).unwrap()
}

fn destination(wanted: &Wanted) -> Destination {
    let kind = if wanted.url.is_some() { DestinationKind::Network } else { DestinationKind::Local };
    Destination {
        kind: Some(kind),
        mount_point: wanted.mount_point.clone(),
        url: wanted.url.clone(),
        ..Destination::default()
    }
}

fn seen(word: &str) -> Seen {
    match word {
        "before" => Seen::Before,
        "during" => Seen::During,
        "after" => Seen::After,
        _ => panic!("{word}"),
    }
}

fn word(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "certain",
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
        Confidence::None => "none",
    }
}

fn looks(expected: &Expected, tools: &mut Answers) -> Vec<Look> {
    let destination = destination(&expected.destination);
    let mut looks = Vec::new();
    for wanted in &expected.look {
        tools.now = wanted.t;
        looks.push(look(&destination, seen(&wanted.seen), tools));
    }
    looks
}

/// What differs from the expected; what an expectation doesn't name is free.
fn differences(link: &Link, expected: &ExpectedLink) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |name: &str, found: String, wanted: Option<String>| {
        if wanted.is_some_and(|wanted| wanted != found) {
            wrong.push(format!("{name} is {found}"));
        }
    };
    let number = |found: Option<u64>| found.map_or_else(String::new, |found| found.to_string());
    let text = |found: &Option<String>| found.clone().unwrap_or_default();
    check("kind", link.kind.key().to_owned(), Some(expected.kind.clone()));
    check("kind_confidence", word(link.kind_confidence).to_owned(), Some(expected.kind_confidence.clone()));
    check("rate_confidence", word(link.rate_confidence).to_owned(), Some(expected.rate_confidence.clone()));
    check("negotiated_bps", number(link.negotiated_bps), Some(number(expected.negotiated_bps)));
    check("practical_bps", number(link.practical_bps), expected.practical_bps.map(|bps| bps.to_string()));
    check("port_max_bps", number(link.port_max_bps), expected.port_max_bps.map(|bps| bps.to_string()));
    check("device", text(&link.device), expected.device.clone());
    check("vendor", text(&link.vendor), expected.vendor.clone());
    check("bsd_name", text(&link.bsd_name), expected.bsd_name.clone());
    check("transport", text(&link.transport), expected.transport.clone());
    let chain: Vec<&str> = link.chain.iter().map(|element| element.kind.as_str()).collect();
    check("chain", chain.join(", "), expected.chain.as_ref().map(|chain| chain.join(", ")));
    let candidates = link.evidence.iter().filter(|found| found.key == "candidate").count();
    check("candidates", candidates.to_string(), Some(expected.candidates.unwrap_or(0).to_string()));
    wrong
}

#[test]
fn every_case_gives_its_reading() {
    let mut wrong = Vec::new();
    for case in cases() {
        let name = case.file_name().unwrap().to_str().unwrap().to_owned();
        let expected = expected(&case);
        let looks = looks(&expected, &mut Answers::of_recording(&case));
        for (found, wanted) in looks.iter().zip(&expected.look) {
            let at = format!("{name}, {}", wanted.seen);
            if found.links.len() != wanted.link.len() {
                wrong.push(format!("{at}: {:#?}", found.links));
                continue;
            }
            for (link, expected) in found.links.iter().zip(&wanted.link) {
                let differences = differences(link, expected);
                if !differences.is_empty() {
                    wrong.push(format!("{at}: {}\n  {:?}", differences.join("; "), link.evidence));
                }
                assert!(!link.evidence.is_empty(), "{at}: nothing says why");
            }
            let codes: Vec<&str> = found.warnings.iter().map(|warning| warning.code.code()).collect();
            if codes != wanted.warnings {
                wrong.push(format!("{at}: warns {codes:?}"));
            }
        }
        if let Some(wanted) = &expected.joined {
            let (links, changed) = join(&looks);
            let kinds: Vec<&str> = links.iter().map(|link| link.kind.key()).collect();
            if kinds != wanted.kinds || changed.is_some() != wanted.changed {
                wrong.push(format!("{name}, joined: {kinds:?}, {changed:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rows of the readers' tables: how a bus is read, the speeds of USB, the interfaces of a network.
const ROWS: &[&str] = &[
    "USB, external",
    "USB, internal",
    "PCI-Express, internal",
    "PCI-Express, external",
    "PCI, internal",
    "PCI, external",
    "SATA, internal",
    "SATA, external",
    "ATA",
    "Apple Fabric",
    "Secure Digital",
    "FireWire",
    "SAS",
    "Fibre Channel Interface",
    "Virtual Interface",
    "Disk Image",
    "an unknown string",
    "absent",
    "none",
    "low",
    "full",
    "high",
    "super",
    "super plus",
    "super plus by 2",
    "en, Ethernet",
    "en, USB Ethernet",
    "en, Wi-Fi",
    "en, IP over Thunderbolt",
    "en, Bluetooth PAN",
    "fw, IP over FireWire",
    "utun",
    "bridge",
    "bond",
    "vlan",
    "awdl",
    "lo",
];

#[test]
fn every_row_has_a_recording_and_every_recording_is_listed() {
    let readme = fs::read_to_string(folder().join("README.md")).unwrap();
    for row in ROWS {
        let cell = format!("| {row} | ");
        let Some(names) = readme.lines().find_map(|line| line.strip_prefix(&cell)?.strip_suffix(" |")) else {
            panic!("no row `{row}`");
        };
        for name in names.split(", ") {
            assert!(folder().join(name).join("expected.toml").is_file(), "{row}: {name}");
        }
    }
    for case in cases() {
        let name = case.file_name().unwrap().to_str().unwrap();
        assert!(readme.contains(name), "{name} is not listed");
    }
}

/// Planted in the recordings wherever macOS prints such a thing.
const SECRETS: &[&str] = &[
    "S3CR3T",
    "DEADBEEF",
    "00C0FFEE",
    "ca:fe:07",
    "Heimnetz",
    "pat@",
    "pat.sparse",
    "Users/pat",
    "192.0.2",
    "198.51.100",
    "203.0.113",
    "fe80",
    "2001:db8",
    "Attic",
    "attic",
    "7B5B5B19E56E0E",
    "570CBD93742CCF6B",
];

#[test]
fn no_serial_number_address_or_name_of_a_person_gets_into_a_link() {
    let mut planted = vec![false; SECRETS.len()];
    for case in cases() {
        let recording = fs::read_to_string(case.join("calls.ndjson")).unwrap();
        for (planted, secret) in planted.iter_mut().zip(SECRETS) {
            *planted |= recording.contains(secret);
        }
        for look in looks(&expected(&case), &mut Answers::of_recording(&case)) {
            let told = format!("{:?} {:?}", look.links, look.warnings);
            for secret in SECRETS {
                assert!(!told.contains(secret), "{}: {secret}: {told}", case.display());
            }
        }
    }
    assert!(planted.iter().all(|planted| *planted), "{planted:?}");
}

#[test]
fn a_look_during_a_backup_asks_only_the_kernel() {
    for case in cases() {
        let expected = expected(&case);
        let mut tools = Answers::of_recording(&case);
        look(&destination(&expected.destination), Seen::During, &mut tools);
        for asked in &tools.asked {
            let tool = asked.split(' ').next().unwrap();
            assert!(["mount", "netstat", "ifconfig", "route", "ioreg"].contains(&tool), "{asked}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Answers that are cut, garbled or of another encoding.
    #[test]
    fn no_answer_makes_it_panic(cut in 0..4000_usize, at in 0..4000_usize, byte in any::<u8>()) {
        for case in cases() {
            let expected = expected(&case);
            let mut tools = Answers::of_recording(&case);
            tools.change(|answer| {
                if let Some(garbled) = answer.get_mut(at) {
                    *garbled = byte;
                }
                answer.truncate(answer.len().saturating_sub(cut.saturating_sub(2000)));
            });
            for found in looks(&expected, &mut tools) {
                prop_assert!(!found.links.is_empty());
            }
        }
    }
}
