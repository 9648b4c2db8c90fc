//! Nothing is lost, wherever the watching is cut off, and that nothing can be kept ends no run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tmgauge::contract::backup::BackupJson;
use tmgauge::contract::journal::Journal as JournalText;
use tmgauge::domain::backup::Backup;
use tmgauge::observe::{Doors, Settings, Task, observe};
use tmgauge::ports::Journal;
use tmgauge::report::Style;
use tmgauge::report::live::{Display, sink};
use tmgauge::sources::recover;
use tmgauge::system::recording::format::Recording;
use tmgauge::system::recording::replay::Replay;

use crate::common::{Place, Run, recording};
use crate::mac::{self, QUARRY, Recorded};

/// A journal in memory, on a disk that is full after so many lines.
struct Memory {
    text: String,
    room: usize,
}

impl Journal for Memory {
    fn avoid(&mut self, _mount_points: Vec<PathBuf>) {}

    fn append(&mut self, line: &str) -> io::Result<()> {
        self.room = self.room.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
        self.text.push_str(line);
        self.text.push('\n');
        Ok(())
    }

    fn release(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Plays a recording with a journal that has room for so many lines.
fn play(dir: &Path, task: &Task, room: usize) -> (Vec<Backup>, String) {
    let mut mac = Replay::new(Recording::read(dir).unwrap());
    let mut sink = sink(Display::Hidden, &Style::default());
    let mut journal = Memory { text: String::new(), room };
    let mut doors = Doors { mac: &mut mac, sink: sink.as_mut(), journal: &mut journal };
    let settings = Settings {
        interval: Duration::from_secs(1),
        deadline: None,
        stall_after: Duration::from_secs(60),
        until_idle: false,
        full_disk_access: None,
    };
    let mut backups = Vec::new();
    let each = &mut |backup| {
        backups.push(backup);
        Ok(())
    };
    observe(&mut doors, &settings, task, each).unwrap();
    (backups, journal.text)
}

fn run_task() -> Task {
    Task::Run { destination: None, any: false, first: false }
}

fn recovered(journal: &[u8]) -> Vec<Value> {
    let journal = JournalText::read(journal);
    assert!(journal.damaged.is_empty(), "{:?}", journal.damaged);
    recover(&journal).iter().map(|backup| serde_json::to_value(BackupJson::from(backup)).unwrap()).collect()
}

#[test]
fn a_journal_cut_anywhere_tells_less_but_nothing_wrong() {
    for name in ["first-backup-usb3", "era-a-10.13", "era-c-12", "stalls", "slept-through"] {
        let (backups, journal) = play(&recording(name), &run_task(), usize::MAX);
        let whole = serde_json::to_value(BackupJson::from(&backups[0])).unwrap();
        let (bytes, duration) = (whole["copied"]["bytes"].as_u64().unwrap(), whole["duration_s"].as_f64().unwrap());
        let journal = journal.as_bytes();
        let mut known = 0;
        for step in 0..=50 {
            let cut = journal.len() * step / 50;
            let backups = recovered(&journal[..cut]);
            assert!(backups.len() <= 1, "{name}, {cut}");
            let Some(backup) = backups.first() else {
                assert_eq!(known, 0, "{name}: what was known at an earlier cut is lost at {cut}");
                continue;
            };
            let at = format!("{name} cut at {cut}: {backup}");
            let copied = &backup["copied"];
            if let Some(sofar) = copied["bytes"].as_u64() {
                assert!(sofar <= bytes, "{at}");
                assert!(sofar == bytes || copied["bound"] == "at_least", "{at}");
                known = sofar;
            } else {
                assert_eq!(known, 0, "{at}");
            }
            for (key, most) in [("duration_s", duration), ("copy_duration_s", f64::MAX)] {
                assert!(backup[key].as_f64().is_none_or(|time| time <= most + 0.001), "{key}: {at}");
            }
            for key in ["started_at", "trigger", "first"] {
                assert!(backup[key].is_null() || backup[key] == whole[key], "{key}: {at}");
            }
            let outcome = &backup["outcome"];
            assert!(*outcome == whole["outcome"] || outcome == "running" || outcome == "unknown", "{at}");
            assert_eq!(backup["observed"]["complete"], false, "{at}");
        }
        assert_eq!(known, bytes, "{name}: the whole journal tells all");
    }
}

#[test]
fn a_cut_journal_is_offered_and_can_be_read_as_it_is() {
    let (_, journal) = play(&recording("first-backup-usb3"), &run_task(), usize::MAX);
    let place = Place::new();
    let journals = place.home().join(".local/state/tmgauge/journals");
    fs::create_dir_all(&journals).unwrap();
    let path = journals.join("2026-03-14T120000-1.ndjson");
    fs::write(&path, &journal.as_bytes()[..journal.len() / 2]).unwrap();
    let direct = place.run(&["analyze", path.to_str().unwrap(), "--format", "json"]);
    assert_eq!(direct.json()["backups"][0]["outcome"], "running", "{}", direct.stderr);
    let next = save(&place, Recorded::new(), "watch", &[]);
    assert_eq!(next.code, 6);
    assert!(next.stderr.contains("note: an earlier watching was cut off"), "{}", next.stderr);
    assert!(!path.exists());
}

#[test]
fn a_full_disk_is_a_warning() {
    let recorded = Recorded::new().backup(1.0).write();
    let whole = play(recorded.path(), &run_task(), usize::MAX).1;
    for room in [0, 1, 5] {
        let (backups, kept) = play(recorded.path(), &run_task(), room);
        let backup = serde_json::to_value(BackupJson::from(&backups[0])).unwrap();
        assert_eq!((&backup["outcome"], &backup["copied"]["bytes"]), (&"completed".into(), &1_000_000_000.into()));
        assert!(warns(&backup), "{backup}");
        assert!(whole.starts_with(&kept) && kept.lines().count() == room);
    }
}

fn warns(backup: &Value) -> bool {
    backup["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "journal-failed")
}

/// Plays a recording and keeps what it shows.
fn save(place: &Place, recorded: Recorded, command: &str, environment: &[(&str, &str)]) -> Run {
    let recorded = recorded.write();
    let args = [command, "--replay", recorded.path().to_str().unwrap(), "--save", "--format", "json"];
    place.command().envs(environment.iter().copied()).args(args).output().unwrap().into()
}

fn assert_goes_on(run: &Run) {
    let backup = run.json()["backups"][0].clone();
    assert_eq!((run.code, &backup["outcome"]), (0, &"completed".into()), "{}", run.stderr);
    assert!(warns(&backup), "{backup}");
    assert!(run.stderr.contains("warning: "), "{}", run.stderr);
}

#[test]
fn what_a_recording_shows_is_kept_where_it_is_asked_to() {
    let place = Place::new();
    let run = save(&place, Recorded::new().backup(1.0), "run", &[]);
    assert_eq!(run.code, 0);
    let state = place.home().join(".local/state/tmgauge");
    let mut records = fs::read_dir(state.join("records")).unwrap();
    let record = records.next().unwrap().unwrap().path();
    assert!(records.next().is_none());
    assert_eq!(fs::read_dir(state.join("journals")).unwrap().count(), 0);
    let again = place.run(&["analyze", record.to_str().unwrap(), "--format", "json"]);
    assert_eq!(again.json()["backups"], run.json()["backups"]);
}

#[test]
fn a_state_folder_that_cannot_be_written_is_a_warning() {
    let place = Place::new();
    let run = save(&place, Recorded::new().backup(1.0), "run", &[("XDG_STATE_HOME", "/dev/null/x")]);
    assert_goes_on(&run);
}

#[test]
fn nothing_is_kept_on_the_destination() {
    let place = Place::new();
    let home: &'static str = place.home().to_str().unwrap().to_owned().leak();
    let recorded = Recorded::with(&mac::destinations(&[("Quarry", QUARRY, home)]), "13.2")
        .status(0.1, &mac::idle())
        .started(1.0)
        .status(2.0, &mac::copying_to(QUARRY, home, 10))
        .log(60.0, "Completed backup: 2026-03-14-090100.backup")
        .status(61.0, &mac::idle());
    let run = save(&place, recorded, "run", &[]);
    assert_goes_on(&run);
    assert!(run.stderr.contains("lies on the backup's destination"), "{}", run.stderr);
    assert!(!place.home().join(".local").exists());
}
