//! Logs of past backups, against readings worked out by hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{self, Run};

fn cases() -> Vec<PathBuf> {
    let folders = fs::read_dir(common::root().join("fixtures/logs-backups")).unwrap();
    let mut cases: Vec<PathBuf> = folders.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    cases.sort();
    cases
}

fn log_of(case: &Path) -> PathBuf {
    let files = fs::read_dir(case).unwrap().map(|entry| entry.unwrap().path());
    files.into_iter().find(|path| path.extension().is_none_or(|extension| extension != "toml")).unwrap()
}

fn analyze(args: &[&str]) -> Run {
    common::run(&[&["analyze", "--format", "json"], args].concat())
}

fn at<'a>(backup: &'a Value, key: &str) -> &'a Value {
    key.split('.').fold(backup, |value, part| &value[part])
}

/// What differs between a backup and what is expected of it.
fn differences(backup: &Value, expected: &toml::Table) -> Vec<String> {
    let differs = |(key, wanted): (&String, &toml::Value)| {
        let wanted = match wanted.as_str() {
            Some("null") => Value::Null,
            _ => serde_json::to_value(wanted).unwrap(),
        };
        let found = match key.as_str() {
            "warnings" => {
                backup["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].clone()).collect()
            }
            key => at(backup, key).clone(),
        };
        let same = match (found.as_f64(), wanted.as_f64()) {
            (Some(found), Some(wanted)) => (found - wanted).abs() < 1e-6 * wanted.abs().max(1.0),
            _ => found == wanted,
        };
        (!same).then(|| format!("{key}: {found}, not {wanted}"))
    };
    expected.iter().filter_map(differs).collect()
}

#[test]
fn every_log_gives_what_was_worked_out_by_hand() {
    let mut wrong = Vec::new();
    for case in cases() {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let expected: toml::Table = fs::read_to_string(case.join("expected.toml")).unwrap().parse().unwrap();
        let run = analyze(&[log_of(&case).to_str().unwrap()]);
        let wanted: Vec<&toml::Table> = expected
            .get("backup")
            .and_then(toml::Value::as_array)
            .map(|backups| backups.iter().map(|backup| backup.as_table().unwrap()).collect())
            .unwrap_or_default();
        if wanted.is_empty() {
            assert_eq!(run.code, 6, "{name}: {}{}", run.stdout, run.stderr);
            continue;
        }
        let json = run.json();
        let found = json["backups"].as_array().unwrap();
        if found.len() != wanted.len() {
            wrong.push(format!("{name}: {} backups, not {}", found.len(), wanted.len()));
            continue;
        }
        for (number, (backup, wanted)) in found.iter().zip(&wanted).enumerate() {
            wrong.extend(differences(backup, wanted).into_iter().map(|what| format!("{name} {number}: {what}")));
        }
        let unread = json["skipped"]["reasons"]["lines of backupd not understood"].as_u64().unwrap_or(0);
        let wanted_unread = expected.get("not_understood").and_then(toml::Value::as_integer).unwrap_or(0);
        if i64::try_from(unread).unwrap() != wanted_unread {
            wrong.push(format!("{name}: {unread} lines not understood, not {wanted_unread}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_folder_of_anything_gives_what_is_in_it() {
    let place = tempfile::tempdir().unwrap();
    let good = log_of(&common::root().join("fixtures/logs-backups/10.14-cancelled"));
    let text = fs::read(good).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, &text).unwrap();
    let packed = gzip.finish().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(place.path().join(name), bytes).unwrap();
    put("a.log.0.gz", &packed);
    put("empty.log", b"");
    put("photo.jpg", b"\xff\xd8\xff\xe0\x00\x00\x00");
    put("notes.txt", b"Dear diary, nothing happened today.\n");
    let folder = place.path().to_str().unwrap();
    let run = analyze(&[folder]);
    assert_eq!((run.code, run.json()["backups"].as_array().unwrap().len()), (0, 1), "{}", run.stderr);
    assert!(run.stderr.contains("1 file passed over as no logs"), "{}", run.stderr);
    put("b.log.1.gz", &packed[..packed.len() - 12]);
    let run = analyze(&[folder]);
    assert_eq!((run.code, run.json()["backups"].as_array().unwrap().len()), (5, 1), "{}", run.stderr);
    let missing = analyze(&[folder, "no/such/file"]);
    assert_eq!((missing.code, missing.json()["backups"].as_array().unwrap().len()), (5, 1));
}

#[test]
fn a_folder_of_a_thousand_files_that_are_no_logs_is_a_count() {
    let place = tempfile::tempdir().unwrap();
    for number in 0..1000 {
        fs::write(place.path().join(format!("{number}.txt")), "Dear diary, nothing happened today.\n").unwrap();
    }
    let run = analyze(&[place.path().to_str().unwrap()]);
    assert_eq!(run.code, 6);
    assert!(run.stderr.contains("1,000 files passed over as no logs"), "{}", run.stderr);
    assert!(run.stderr.lines().count() < 10, "{}", run.stderr);
}

#[test]
fn options_choose_among_backups() {
    let log = log_of(&common::root().join("fixtures/logs-backups/26-first-backup-in-three-attempts"));
    let log = log.to_str().unwrap();
    let outcomes = |args: &[&str]| {
        let run = analyze(&[&[log], args].concat());
        if run.code == 6 {
            return Vec::new();
        }
        let outcome = |backup: &Value| backup["outcome"].as_str().unwrap().to_owned();
        run.json()["backups"].as_array().unwrap().iter().map(outcome).collect()
    };
    assert_eq!(outcomes(&["--since", "2026-06-25 10:30"]), ["interrupted", "completed"]);
    assert_eq!(outcomes(&["--until", "2026-06-25T10:30"]), ["failed"]);
    assert_eq!(outcomes(&["--until", "2026-06-24"]), Vec::<String>::new());
    assert_eq!(outcomes(&["--outcome", "failed", "--outcome", "completed"]), ["failed", "completed"]);
    assert_eq!(outcomes(&["--min-size", "1GB"]), ["failed", "completed"]);
    assert_eq!(outcomes(&["--destination", "vault"]).len(), 3);
    assert_eq!(outcomes(&["--destination", "elsewhere"]).len(), 0);
    assert_eq!(outcomes(&["--last", "1h"]).len(), 0);
}

#[test]
fn what_nobody_understood_is_shown_when_asked_for() {
    let log = log_of(&common::root().join("fixtures/logs-backups/28-unknown-wording"));
    let run = analyze(&["--explain", log.to_str().unwrap()]);
    assert!(run.stderr.contains("Backup sealed and delivered"), "{}", run.stderr);
    assert!(run.stderr.contains("default style"), "{}", run.stderr);
}
