//! Every form of output, on every recording.

use std::fs;
use std::io::Read as _;
use std::process::Stdio;

use serde_json::Value;

use crate::common::{Place, Run, recording, recordings, run};

/// Plays a recording in a form.
fn play(name: &str, more: &[&str]) -> Run {
    let dir = recording(name);
    let expected: toml::Table = fs::read_to_string(dir.join("expected.toml")).unwrap().parse().unwrap();
    let mut args: Vec<&str> = expected["command"].as_str().unwrap().split(' ').collect();
    args.extend(["--replay", dir.to_str().unwrap()]);
    args.extend(more);
    run(&args)
}

#[test]
fn every_recording_has_every_form() {
    for name in recordings() {
        let table = play(&name, &["--ascii"]);
        assert!(!table.stdout.is_empty(), "{name}");
        assert!(table.stdout.is_ascii() && table.stderr.is_ascii(), "{name}: {}", table.stdout);
        let markdown = play(&name, &["--format", "markdown"]);
        let mut rows = markdown.stdout.lines();
        assert!(rows.next().is_some_and(|row| row.starts_with("| ")), "{name}: {}", markdown.stdout);
        assert!(rows.clone().count() >= 2 && rows.all(|row| row.starts_with('|')), "{name}: {}", markdown.stdout);
        let csv = play(&name, &["--format", "csv", "--quiet"]);
        let mut reader = csv::Reader::from_reader(csv.stdout.as_bytes());
        let columns = reader.headers().unwrap().len();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert!(!rows.is_empty() && rows.iter().all(|row| row.len() == columns), "{name}: {}", csv.stdout);
        let ndjson = play(&name, &["--format", "ndjson"]);
        let lines: Vec<Value> = ndjson.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
        assert_eq!(types.iter().filter(|kind| **kind == "backup").count(), rows.len(), "{name}: {types:?}");
        assert!(types.iter().all(|kind| ["progress", "backup", "skipped", "warning"].contains(kind)), "{types:?}");
        assert_eq!(types.first(), Some(&"progress"), "{name}");
    }
}

#[test]
fn quiet_says_nothing_but_errors() {
    let quiet = play("first-backup-usb3", &["--quiet"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    assert_eq!(quiet.stdout, play("first-backup-usb3", &[]).stdout);
    let refused = play("start-refused", &["--quiet"]);
    assert!(refused.stderr.starts_with("error: could not start a backup: "), "{}", refused.stderr);
    assert_eq!(refused.stderr.lines().count(), 2, "{}", refused.stderr);
}

#[test]
fn colour_is_only_paint() {
    let escapes = regex::Regex::new("\x1b\\[[0-9;]*m").unwrap();
    for format in ["table", "markdown", "csv", "json"] {
        let plain = play("stalls", &["--format", format]).stdout;
        let painted = play("stalls", &["--format", format, "--color", "always"]).stdout;
        assert!(!plain.contains('\x1b'), "{format}");
        assert_eq!(escapes.is_match(&painted), format == "table", "{format}");
        assert_eq!(escapes.replace_all(&painted, ""), plain, "{format}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for format in ["table", "json", "ndjson", "csv"] {
        let place = Place::new();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tmgauge"));
        let dir = recording("first-backup-usb3");
        command.env_clear().envs(place.environment()).args(["run", "--format", format, "--replay"]).arg(dir);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{format}: {stderr}");
        assert!(!stderr.contains("error"), "{format}: {stderr}");
    }
}

#[test]
fn an_error_is_one_object_where_results_are_json() {
    for format in ["json", "ndjson"] {
        let run = play("start-refused", &["--format", format, "--quiet"]);
        let error: Value = serde_json::from_str(&run.stderr).unwrap();
        assert_eq!((run.code, &error["type"], &error["code"]), (4, &"error".into(), &4.into()));
        assert!(error["message"].as_str().unwrap().contains("too soon after the last backup"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("tmgauge watch --wait"), "{error}");
    }
}

#[test]
fn the_forms_look_like_this() {
    insta::assert_snapshot!("table", play("first-backup-usb3", &["--units", "iec"]).stdout);
    insta::assert_snapshot!("markdown", play("interrupted-resumed", &["--format", "markdown"]).stdout);
    insta::assert_snapshot!("csv", play("network-fails-70-then-26", &["--format", "csv"]).stdout);
    insta::assert_snapshot!("progress-in-a-pipe", play("stalls", &[]).stderr);
}
