//! `destinations` over every recording of a way, and what docs/interfaces.md says of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use tmgauge::domain::link::LinkKind;

use crate::common::{recording, recordings, root, run};

const FORMATS: &[&str] = &["table", "markdown", "csv", "json", "ndjson"];

/// Planted in the recordings wherever macOS prints such a thing: serial numbers, UUIDs, hardware addresses, the name of a
/// network, users in URLs and paths.
const SECRETS: &[&str] = &[
    "S3CR3T",
    "DEADBEEF",
    "00C0FFEE",
    "ca:fe:07",
    "Heimnetz",
    "pat@",
    "pat.sparse",
    "Users/pat",
    "7B5B5B19E56E0E",
    "570CBD93742CCF6B",
];
/// The ID by which `tmutil` knows a destination: the key of its record, and no name of a disk or person.
const ID: &str = "DEADBEEF-0A0B-4C0D-8E0F-00C0FFEE0001";

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("fixtures/links")).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    cases.sort();
    assert!(cases.len() > 60);
    cases
}

fn listed(case: &Path, more: &[&str]) -> crate::common::Run {
    let mut args = vec!["destinations", "--replay", case.to_str().unwrap()];
    args.extend(more);
    run(&args)
}

fn calls(case: &Path) -> Vec<Value> {
    let text = fs::read_to_string(case.join("calls.ndjson")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_way_is_listed_and_tells_no_secret() {
    for case in cases() {
        let has_list = calls(&case).iter().any(|call| call["args"][0] == "destinationinfo");
        for format in FORMATS {
            let run = listed(&case, &["--explain", "--format", format]);
            let at = format!("{}, {format}", case.display());
            assert_eq!(run.code, if has_list { 0 } else { 5 }, "{at}: {}", run.stderr);
            assert_eq!(run.stdout.is_empty(), !has_list, "{at}");
            let told = (run.stdout + &run.stderr).replace(ID, "ID");
            for secret in SECRETS {
                assert!(!told.contains(secret), "{at}: {secret}: {told}");
            }
        }
        if has_list {
            let run = listed(&case, &["--format", "json"]);
            let json = run.json();
            let rows = json["destinations"].as_array().unwrap();
            assert!(!rows.is_empty());
            for link in rows.iter().flat_map(|row| row["interfaces"].as_array().unwrap()) {
                assert_eq!(link["negotiated_bps"].is_null(), link["rate_confidence"] == "none", "{link}");
                assert!(link["key"] != "unknown" || link["kind_confidence"] != "certain", "{link}");
            }
            // The ID is for programs.
            assert!(!listed(&case, &[]).stdout.contains(ID));
        }
    }
}

#[test]
fn saved_answers_tell_no_secret() {
    let folder = TempDir::new().unwrap();
    let mut files = Vec::new();
    for case in cases() {
        for call in calls(&case) {
            let Some(stdout) = call["stdout"].as_str().filter(|stdout| !stdout.trim().is_empty()) else { continue };
            let file = folder.path().join(format!("{}.txt", files.len()));
            fs::write(&file, stdout).unwrap();
            files.push(file.display().to_string());
        }
    }
    assert!(files.len() > 300);
    for format in FORMATS {
        let mut args = vec!["destinations", "--format", format, "--explain"];
        args.extend(files.iter().map(String::as_str));
        let run = run(&args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        for secret in SECRETS {
            assert!(!run.stdout.contains(secret), "{format}: {secret}");
        }
    }
}

#[test]
fn recordings_of_backups_name_their_destinations() {
    for name in recordings() {
        let run = listed(&recording(&name), &["--format", "json"]);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        assert!(!run.json()["destinations"].as_array().unwrap().is_empty(), "{name}");
    }
    let usb3 = listed(&recording("first-backup-usb3"), &["--format", "json"]).json();
    assert_eq!(usb3["destinations"][0]["interfaces"][0]["key"], "usb-3.2-gen-1");
}

/// Tools that read tables of the kernel and touch no destination.
const ALLOWED: &[&str] = &["tmutil", "mount", "netstat", "ifconfig", "route", "ioreg", "sysctl", "pmset"];

#[test]
fn while_a_backup_runs_no_destination_is_touched() {
    let place = TempDir::new().unwrap();
    let kept = place.path().join("kept");
    let run = listed(&recording("attached"), &["--record", kept.to_str().unwrap(), "--raw"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("note: a backup is running"), "{}", run.stderr);
    let asked: BTreeSet<String> =
        calls(&kept).iter().filter_map(|call| Some(call["tool"].as_str()?.to_owned())).collect();
    assert!(asked.contains("tmutil"));
    assert!(asked.iter().all(|tool| ALLOWED.contains(&tool.as_str())), "{asked:?}");
}

#[test]
fn no_destination_is_told_in_words() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("recording.toml"),
        "schema = 1\ntitle = \"none\"\nkind = \"invented\"\nstart = \"2026-01-10T20:31:00+01:00\"\n",
    )
    .unwrap();
    let call = r#"{"t":0.0,"tool":"tmutil","args":["destinationinfo","-X"],"took":0.1,"exit":0,"stdout":"tmutil: No destinations configured.\n","stderr":""}"#;
    fs::write(folder.path().join("calls.ndjson"), format!("{call}\n")).unwrap();
    let run = listed(folder.path(), &[]);
    assert_eq!(run.code, 6);
    assert_eq!(
        run.stdout,
        "No destination is configured.\nhint: System Settings > General > Time Machine > Add Backup Disk\n"
    );
    assert_eq!(listed(folder.path(), &["--format", "json"]).json()["destinations"], Value::Array(vec![]));
}

#[test]
fn what_is_no_answer_is_passed_over() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("letter.txt");
    fs::write(&file, "Dear reader").unwrap();
    let letter = run(&["destinations", "--explain", file.to_str().unwrap()]);
    assert_eq!((letter.code, letter.stdout.as_str()), (6, ""));
    assert!(letter.stderr.contains("could not explain anything"), "{}", letter.stderr);
    let gone = run(&["destinations", "--explain", folder.path().join("gone").to_str().unwrap()]);
    assert_eq!(gone.code, 5);
}

/// A copy of a recording over Wi-Fi, with the rate asked for every half minute while it copies.
fn with_rates(rates: &[&str]) -> TempDir {
    let from = recording("network-fails-70-then-26");
    let to = TempDir::new().unwrap();
    fs::copy(from.join("recording.toml"), to.path().join("recording.toml")).unwrap();
    let lines = calls(&from);
    let asked = lines.iter().find(|line| line["tool"] == "ifconfig" && line["t"].as_f64() > Some(1.0)).unwrap();
    let mut rates = rates.iter();
    let mut due = 100.0;
    let mut kept: Vec<String> = Vec::new();
    for line in &lines {
        let t = line["t"].as_f64().unwrap();
        kept.push(line.to_string());
        if line["args"][0] == "status"
            && t >= due
            && let Some(rate) = rates.next()
        {
            let mut answer = asked.clone();
            answer["t"] = Value::from(t);
            answer["stdout"] = Value::from(asked["stdout"].as_str().unwrap().replace("1.20 Gbps", rate));
            kept.push(answer.to_string());
            due = t + 40.0;
        }
    }
    fs::write(to.path().join("calls.ndjson"), kept.join("\n") + "\n").unwrap();
    to
}

#[test]
fn the_rate_of_wi_fi_is_followed_whatever_the_interval() {
    let recording = with_rates(&["300.00 Mbps", "400.00 Mbps", "864.00 Mbps", "500.00 Mbps"]);
    let followed = |interval: &str| {
        let run = crate::common::replay("run", recording.path(), &["--interval", interval]);
        run.json()["backups"][0]["interfaces"].clone()
    };
    let links = followed("1s");
    assert_eq!((links[0]["key"].as_str(), links[0]["negotiated_bps"].as_u64()), (Some("wi-fi-6"), Some(500_000_000)));
    assert_eq!(links[0]["rate_confidence"], "medium");
    let seen = links[0]["evidence"].as_array().unwrap().iter().find(|row| row["key"] == "link rate, every 30 s");
    assert_eq!(seen.unwrap()["value"], "5 looks, 300 to 1200 Mb/s");
    assert_eq!(links, followed("7s"));
    assert_eq!(links, followed("90s"));
}

#[test]
fn ways_as_people_see_them() {
    let shown = |name: &str, more: &[&str]| listed(&root().join("fixtures/links").join(name), more).stdout;
    insta::assert_snapshot!(shown("smb-wi-fi-15", &["--explain"]), @r"
    Vault   Wi-Fi 6 · 1,201 Mb/s · SMB 3.1.1
      server     Attic NAS, share TM
      mounted    by Time Machine itself, hidden
      between    en0 (Wi-Fi), channel 40, 80 MHz
      rates      nominal 1,201 Mb/s at 20:34:20, practical 90 MB/s (60 % of it)
      sure       kind certain, rate high for this moment, low as an average
      evidence
        kind     mount                                    file system = smbfs
                 ifconfig -v                              type: Wi-Fi
                 system_profiler SPAirPortDataType        …network_phymode = 802.11ax
        way      netstat -anv -p tcp                      local address on en0
        rate     ifconfig -v                              uplink rate: 1200000000
                 system_profiler SPAirPortDataType        …network_rate = 1201
        between  system_profiler SPAirPortDataType        …network_channel = 40 (5GHz, 80MHz)
        protocol smbutil statshares -a -f JSON            SMB_VERSION = SMB_3.1.1
        channels smbutil multichannel -a -f JSON          mc_on = no
    ");
    insta::assert_snapshot!(shown("usb-dock-26", &[]), @r"
    Vault   USB 3.2 Gen 2 · 10 Gb/s
      device     Quill QX-2 SSD, USB attached SCSI
      mounted    /Volumes/Vault (disk5s1)
      between    Pier Dock at 40 Gb/s, USB3.1 Hub at 10 Gb/s, enclosure Quill Case at 10 Gb/s
      rates      nominal 10 Gb/s, practical 1,000 MB/s
      sure       kind certain, rate certain
    ");
    insta::assert_snapshot!(shown("raid-usb-12", &[]), @r"
    Vault   USB 3.0 + USB 2.0 · rate unknown
      mounted    /Volumes/Vault (disk8)
      sure       kind certain, rate unknown
      why        several ways have no rate in common
      part       USB 3.0 · 5 Gb/s; Quill QX-2 SSD; enclosure Quill Case at 5 Gb/s; kind certain, rate certain
      part       USB 2.0 · 480 Mb/s; Quill QX-2 SSD; enclosure Quill Case at 480 Mb/s; kind certain, rate certain
    ");
    insta::assert_snapshot!(shown("thunderbolt-two-26", &["--ascii"]), @r"
    Vault   Thunderbolt, rate unknown
      device     one of: Envoy 5 at 40 Gb/s
                         Old Box at 10 Gb/s
      mounted    /Volumes/Vault (disk5s1)
      why        two devices hang on Thunderbolt and macOS doesn't say which holds disk4
    ");
    insta::assert_snapshot!(shown("smb-vpn-13", &["--units", "iec"]), @r"
    Vault   VPN · rate unknown · SMB
      server     192.0.2.2, share TM
      mounted    /Volumes/TM
      between    utun4 (VPN)
      sure       kind low, rate unknown
      why        macOS doesn't tell what carries the tunnel
    ");
    insta::assert_snapshot!(shown("smb-two-interfaces-15", &[]), @r"
    Vault   1000BASE-T · 1 Gb/s · SMB 3.1.1
      server     Attic NAS, share TM
      mounted    by Time Machine itself, hidden
      between    en7 (Ethernet)
      rates      nominal 1 Gb/s, practical 110 MB/s
      sure       kind certain, rate certain
    ");
    insta::assert_snapshot!(shown("sparsebundle-on-usb-12", &[]), @r"
    Vault   USB 3.0 · 5 Gb/s
      device     Quill QX-2 SSD, USB attached SCSI
      mounted    /Volumes/Backups of Mac (disk9s1)
      between    enclosure Quill Case at 5 Gb/s, sparse bundle disk image
      rates      nominal 5 Gb/s, practical 430 MB/s
      sure       kind certain, rate certain
    ");
    insta::assert_snapshot!(shown("usb-2-same-disk-12", &[]), @r"
    Vault   USB 2.0 · 480 Mb/s
      device     Quill QX-2 SSD, USB attached SCSI
      mounted    /Volumes/Vault (disk5s1)
      between    enclosure Quill Case at 480 Mb/s
      rates      nominal 480 Mb/s, practical 40 MB/s
      sure       kind certain, rate certain

    warning: QX-2 SSD can do more than USB 2.0 and came up at 480 Mb/s: cable, hub or port
    ");
}

#[test]
fn the_document_lists_every_key() {
    let text = fs::read_to_string(root().join("docs/interfaces.md")).unwrap();
    let rows: Vec<[String; 3]> = text
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ").collect();
            let [key, short, long, ..] = cells.as_slice() else { return None };
            Some([key.trim_end_matches('`'), short, long].map(str::to_owned))
        })
        .collect();
    let code: Vec<[String; 3]> =
        LinkKind::ALL.iter().map(|kind| [kind.key(), kind.short(), kind.long()].map(str::to_owned)).collect();
    assert_eq!(rows, code);
}
