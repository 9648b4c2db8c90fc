//! Every recording gives what was read from it by hand, and its figures depend on nothing else.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{self, Run, recording, recordings, replay};

/// The command that a recording was made for: `watch` where nothing in it starts a backup.
fn play(name: &str, more: &[&str]) -> Run {
    play_at(&recording(name), more)
}

fn play_at(dir: &Path, more: &[&str]) -> Run {
    let expected = fs::read_to_string(dir.join("expected.toml")).unwrap();
    let expected: toml::Table = expected.parse().unwrap();
    let command: Vec<&str> = expected["command"].as_str().unwrap().split(' ').collect();
    let mut args: Vec<&str> = command[1..].to_vec();
    args.extend(more);
    replay(command[0], dir, &args)
}

fn copy(from: &Path, change: impl Fn(&str, String) -> String) -> TempDir {
    let to = TempDir::new().unwrap();
    for name in ["recording.toml", "calls.ndjson", "expected.toml"] {
        let text = fs::read_to_string(from.join(name)).unwrap();
        fs::write(to.path().join(name), change(name, text)).unwrap();
    }
    to
}

/// The same JSON without what `keys` name, at any depth.
fn without(mut value: Value, keys: &[&str]) -> Value {
    match &mut value {
        Value::Object(object) => {
            for key in keys {
                object.remove(*key);
            }
            let inner = std::mem::take(object);
            for (key, value) in inner {
                object.insert(key, without(value, keys));
            }
        }
        Value::Array(array) => {
            *array = std::mem::take(array).into_iter().map(|value| without(value, keys)).collect();
        }
        _ => {}
    }
    value
}

#[test]
fn every_recording_gives_its_hand_reading() {
    let names = recordings();
    assert!(names.len() >= 15, "only {} recordings", names.len());
    let mut wrong = Vec::new();
    for name in names {
        let expected: toml::Table =
            fs::read_to_string(recording(&name).join("expected.toml")).unwrap().parse().unwrap();
        let run = play(&name, &[]);
        let got = run.json();
        let backups = got["backups"].as_array().unwrap();
        let mut check = |what: &str, got: &Value, want: &Value| {
            let same = match (got.as_f64(), want.as_f64()) {
                (Some(got), Some(want)) => (got - want).abs() < 0.0005,
                _ => got == want,
            };
            if !same {
                wrong.push(format!("{name}: {what} is {got}, by hand it is {want}"));
            }
        };
        check("exit code", &json!(run.code), &json!(expected["exit"].as_integer().unwrap()));
        let readings = expected.get("backup").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        check("number of backups", &json!(backups.len()), &json!(readings.len()));
        for (backup, reading) in backups.iter().zip(&readings) {
            for (path, want) in reading.as_table().unwrap() {
                let want = if want.as_str() == Some("unknown") && path != "outcome" {
                    Value::Null
                } else {
                    serde_json::to_value(want).unwrap()
                };
                let step = |value: &'_ Value, key: &str| match key.parse::<usize>() {
                    Ok(index) => value[index].clone(),
                    Err(_) => value[key].clone(),
                };
                let got = &path.split('.').fold(backup.clone(), |value, key| step(&value, key));
                let counted = json!(got.as_array().map(Vec::len));
                check(path, if path == "stalls" { &counted } else { got }, &want);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_interval_changes_nothing_but_the_samples() {
    for name in recordings() {
        let [a, b, c] = ["1s", "5s", "17s"].map(|interval| {
            let run = play(&name, &["--interval", interval]);
            (run.code, without(run.json(), &["samples"]))
        });
        assert_eq!(a, b, "{name}");
        assert_eq!(a, c, "{name}");
    }
}

#[test]
fn doubling_every_byte_figure_doubles_the_throughput() {
    let keys = r#"(?x) ( (?: SnapshotTotalBytesCopied | bytes | BytesToCopy | [tT]otalBytes | PaddedBytesRequired )
        (?: [\\"]* \s* = \s* | </key>(?:\\n|\\t)*<integer> ) ) (\d+)"#;
    let figure = regex::Regex::new(keys).unwrap();
    for name in ["first-backup-usb3", "first-backup-usb2", "stalls"] {
        let doubled = copy(&recording(name), |file, text| {
            if file != "calls.ndjson" {
                return text;
            }
            let double = |found: &regex::Captures<'_>| format!("{}{}", &found[1], found[2].parse::<u64>().unwrap() * 2);
            figure.replace_all(&text, double).into_owned()
        });
        let (one, two) = (play(name, &[]).json(), play_at(doubled.path(), &[]).json());
        let rate = |value: &Value, key: &str| value["backups"][0]["throughput"][key].as_f64().unwrap();
        for key in ["effective_bps", "copy_bps"] {
            let ratio = rate(&two, key) / rate(&one, key);
            assert!((ratio - 2.0).abs() < 1e-6, "{name}: {key} grew by {ratio}");
        }
        assert_eq!(one["backups"][0]["duration_s"], two["backups"][0]["duration_s"]);
    }
}

#[test]
fn moving_the_start_by_a_year_moves_only_times() {
    let times = ["started_at", "ended_at", "started_local", "ended_local", "from", "until", "samples"];
    for name in recordings() {
        let moved = copy(&recording(&name), |file, text| {
            // The names of snapshots are times too.
            let text = (2023..=2027).fold(text, |text, year| {
                text.replace(&format!("com.apple.TimeMachine.{year}-"), &format!("com.apple.TimeMachine.{}-", year - 1))
            });
            if file != "recording.toml" {
                return text;
            }
            text.replace("start = \"2025", "start = \"2024")
                .replace("start = \"2026", "start = \"2025")
                .replace("start = \"2023", "start = \"2022")
        });
        let (here, there) = (play(&name, &[]), play_at(moved.path(), &[]));
        assert_eq!(here.code, there.code, "{name}");
        assert_eq!(without(here.json(), &times), without(there.json(), &times), "{name}");
    }
}

#[test]
fn a_recording_of_a_recording_gives_the_same() {
    let clocks = ["samples"];
    for name in recordings() {
        let here = play(&name, &[]);
        let place = TempDir::new().unwrap();
        let again = place.path().join("again");
        let _ = play(&name, &["--record", again.to_str().unwrap(), "--raw"]);
        fs::copy(recording(&name).join("expected.toml"), again.join("expected.toml")).unwrap();
        let there = play_at(&again, &[]);
        assert_eq!(here.code, there.code, "{name}");
        assert_eq!(without(here.json(), &clocks), without(there.json(), &clocks), "{name}");
    }
}

#[test]
fn redaction_changes_names_and_nothing_else() {
    let names = ["id", "name", "mount_point", "url", "evidence", "samples"];
    for name in recordings() {
        let place = TempDir::new().unwrap();
        let redacted = place.path().join("redacted");
        let here = play(&name, &["--record", redacted.to_str().unwrap()]);
        fs::copy(recording(&name).join("expected.toml"), redacted.join("expected.toml")).unwrap();
        let there = play_at(&redacted, &[]);
        assert_eq!(without(here.json(), &names), without(there.json(), &names), "{name}");
        let kept = fs::read_to_string(redacted.join("calls.ndjson")).unwrap();
        let secrets = &here.json()["backups"][0]["destination"];
        let secrets = [&secrets["name"], &secrets["id"]].into_iter().filter_map(Value::as_str);
        // A name of general words names nobody.
        for secret in secrets.filter(|secret| *secret != "TimeMachine") {
            assert!(!kept.contains(secret), "{name}: {secret} is still there");
        }
    }
}

#[test]
fn the_machine_has_no_say() {
    let place = common::Place::new();
    for zone in ["Asia/Kolkata", "America/St_Johns"] {
        let dir = recording("first-backup-usb3");
        let args = ["run", "--replay", dir.to_str().unwrap(), "--format", "json"];
        let elsewhere: Run =
            place.command().env("TZ", zone).env("LC_ALL", "de_DE.UTF-8").args(args).output().unwrap().into();
        assert_eq!(elsewhere.json(), play("first-backup-usb3", &[]).json());
    }
}

#[test]
fn the_article_comes_out() {
    for (name, answer) in [
        ("first-backup-usb3", "Completed: 85.0 GiB in 42 min, 34.5 MiB/s (276 Mib/s)"),
        ("first-backup-usb2", "Completed: 87.0 GiB in 1 h 30 min, 16.5 MiB/s (132 Mib/s)"),
    ] {
        let dir = recording(name);
        let run = common::run(&["run", "--replay", dir.to_str().unwrap(), "--units", "iec"]);
        assert!(run.stdout.contains(answer), "{}", run.stdout);
        assert_eq!(run.code, 0);
    }
}
