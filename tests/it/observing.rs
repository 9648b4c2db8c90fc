//! The live loop in virtual time: what `run` and `watch` make of the turns that a backup can take.

use serde_json::Value;

use crate::common::{Run, replay, run};
use crate::mac::{self, ANVIL, PREAMBLE, QUARRY, Recorded, Status, copying, idle, phase};

fn play(command: &str, recorded: Recorded, more: &[&str]) -> Run {
    replay(command, recorded.write().path(), more)
}

fn first(run: &Run) -> Value {
    run.json()["backups"][0].clone()
}

fn codes(backup: &Value) -> Vec<&str> {
    backup["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[test]
fn a_backup_that_goes_straight_from_copying_to_idle_ends_there() {
    let recorded = Recorded::new()
        .started(1.0)
        .status(2.0, &phase("Starting"))
        .status(11.0, &copying(100))
        .status(31.0, &copying(700))
        .status(41.0, &idle());
    let run = play("run", recorded, &[]);
    let backup = first(&run);
    assert_eq!((run.code, &backup["outcome"]), (8, &"unknown".into()));
    assert_eq!(backup["duration_s"], 40.0);
    assert_eq!(backup["copied"]["bytes"], 700_000_000);
    assert_eq!(backup["copied"]["bound"], "at_least");
}

#[test]
fn destination_and_mount_point_may_come_late() {
    let late = |phase, id, mount_point| Status { phase, id, mount_point, ..Status::default() }.text();
    let recorded = Recorded::with(&mac::destinations(&[("Quarry", QUARRY, "")]), "13.2")
        .status(0.1, &idle())
        .started(1.0)
        .status(2.0, &late("Starting", "", ""))
        .status(3.0, &late("MountingBackupVol", QUARRY, ""))
        .backup_from_copying(1.0);
    let run = play("run", recorded, &[]);
    let backup = first(&run);
    assert_eq!((run.code, &backup["outcome"]), (0, &"completed".into()));
    let destination = &backup["destination"];
    assert_eq!((&destination["id"], &destination["name"]), (&QUARRY.into(), &"Quarry".into()));
    assert_eq!(destination["mount_point"], "/Volumes/Quarry");
    assert_eq!(run.json()["backups"].as_array().unwrap().len(), 1);
}

#[test]
fn a_backup_may_take_a_minute_to_begin() {
    let mut recorded = Recorded::new().started(1.0);
    for t in [5.0, 15.0, 25.0, 35.0, 45.0, 55.0, 58.0] {
        recorded = recorded.status(t, &idle());
    }
    let recorded = recorded.status(60.0, &phase("Starting")).backup_from_copying(60.0);
    let backup = first(&play("run", recorded, &[]));
    assert_eq!(backup["outcome"], "completed");
    assert_eq!(backup["duration_s"], 119.0, "it counts from the command");
}

#[test]
fn a_backup_that_never_begins_is_told_plainly() {
    let mut recorded = Recorded::new().started(1.0);
    for t in [5.0, 25.0, 45.0, 65.0, 75.0] {
        recorded = recorded.status(t, &idle());
    }
    let run = play("run", recorded, &[]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    assert_eq!(run.json()["backups"], Value::Array(vec![]));
    assert!(run.stderr.contains("none began within 60 s of `tmutil startbackup`"), "{}", run.stderr);
}

#[test]
fn a_running_backup_is_joined_where_it_goes_to_the_right_disk() {
    let disks = mac::destinations(&[("Quarry", QUARRY, "/Volumes/Quarry"), ("Anvil", ANVIL, "/Volumes/Anvil")]);
    let recorded = || {
        Recorded::with(&disks, "13.2")
            .status(0.1, &mac::copying_to(ANVIL, "/Volumes/Anvil", 50))
            .line(0.8, serde_json::json!({ "log": PREAMBLE }))
            .status(5.0, &mac::copying_to(ANVIL, "/Volumes/Anvil", 500))
            .log(20.0, "Completed backup: 2026-03-14-090020.backup")
            .status(21.0, &idle())
    };
    let refused = play("run", recorded(), &["-d", "Quarry"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("another destination"), "{}", refused.stderr);
    for more in [&["-d", "Quarry", "--any"][..], &["-d", "Anvil"], &["-d", "/Volumes/Anvil"], &[]] {
        let joined = play("run", recorded(), more);
        let backup = first(&joined);
        assert_eq!((joined.code, &backup["outcome"]), (0, &"completed".into()), "{more:?}");
        assert_eq!(backup["destination"]["name"], "Anvil");
        assert_eq!(codes(&backup).iter().filter(|code| **code == "joined-late").count(), 1);
        assert_eq!(backup["duration_s"], Value::Null, "when it began is not known");
    }
}

#[test]
fn watch_waits_only_where_it_is_asked_to() {
    let recorded = || {
        Recorded::new()
            .line(0.8, serde_json::json!({ "log": PREAMBLE }))
            .status(100.0, &idle())
            .log(200.0, "Starting automatic backup")
            .status(201.0, &phase("Starting"))
            .backup_from_copying(200.0)
    };
    let nothing = play("watch", recorded(), &[]);
    assert_eq!(nothing.code, 6);
    assert!(nothing.stderr.contains("--wait"), "{}", nothing.stderr);
    assert_eq!(nothing.json()["backups"], Value::Array(vec![]));
    let waited = play("watch", recorded(), &["--wait"]);
    let backup = first(&waited);
    assert_eq!((waited.code, &backup["outcome"], &backup["trigger"]), (0, &"completed".into(), &"automatic".into()));
    assert_eq!(backup["duration_s"], 60.0);
    assert_eq!(backup["observed"]["complete"], true);
}

#[test]
fn watch_forever_gives_each_backup() {
    let mut recorded = Recorded::new().line(0.8, serde_json::json!({ "log": PREAMBLE }));
    for t in [100.0, 4000.0] {
        recorded = recorded
            .log(t, "Starting automatic backup")
            .status(t + 1.0, &phase("Starting"))
            .backup_from_copying(t)
            .status(t + 200.0, &idle());
    }
    let run = play("watch", recorded, &["--forever"]);
    let backups = run.json()["backups"].as_array().unwrap().clone();
    assert_eq!((run.code, backups.len()), (0, 2));
    for backup in &backups {
        assert_eq!((&backup["outcome"], &backup["duration_s"]), (&"completed".into(), &60.0.into()));
        assert_eq!(backup["copied"]["bytes"], 1_000_000_000);
    }
    assert_ne!(backups[0]["started_at"], backups[1]["started_at"]);
}

#[test]
fn two_destinations_give_one_table() {
    let disks = mac::destinations(&[("Quarry", QUARRY, "/Volumes/Quarry"), ("Anvil", ANVIL, "/Volumes/Anvil")]);
    let recorded = Recorded::with(&disks, "13.2")
        .status(0.1, &idle())
        .backup(1.0)
        .line(90.0, serde_json::json!({ "log": PREAMBLE }))
        .call(100.0, &["tmutil", "startbackup", "--destination", ANVIL], "")
        .status(101.0, &Status { phase: "Starting", id: ANVIL, ..Status::default() }.text())
        .status(110.0, &mac::copying_to(ANVIL, "/Volumes/Anvil", 10))
        .status(140.0, &mac::copying_to(ANVIL, "/Volumes/Anvil", 3000))
        .log(150.0, "Completed backup: 2026-03-14-090230.backup")
        .status(151.0, &idle())
        .write();
    let args = ["-d", "Quarry", "-d", "Anvil"];
    let json = replay("run", recorded.path(), &args);
    let backups = json.json()["backups"].as_array().unwrap().clone();
    let names: Vec<&str> = backups.iter().map(|backup| backup["destination"]["name"].as_str().unwrap()).collect();
    assert_eq!((json.code, names), (0, vec!["Quarry", "Anvil"]), "{}", json.stderr);
    let table = run(&["run", "--replay", recorded.path().to_str().unwrap(), "-d", "Quarry", "-d", "Anvil"]);
    assert_eq!(table.code, 0);
    assert_eq!(table.stdout.matches("Quarry").count(), table.stdout.matches("Anvil").count(), "{}", table.stdout);
}

#[test]
fn first_is_refused_only_on_proof() {
    let with_snapshots = |names: &[&str]| {
        let name = |name: &&str| {
            format!("<dict><key>SnapshotName</key><string>com.apple.TimeMachine.{name}.backup</string></dict>")
        };
        let names = names.iter().map(name).collect::<Vec<_>>().concat();
        let list = format!("<plist version=\"1.0\"><dict><key>Snapshots</key><array>{names}</array></dict></plist>");
        Recorded::new()
            .call(0.3, &["mount"], "/dev/disk5s1 on /Volumes/Quarry (apfs, local, nodev, nosuid, journaled)\n")
            .call(0.4, &["diskutil", "apfs", "listSnapshots", "-plist", "disk5s1"], &list)
            .backup(1.0)
    };
    let refused = play("run", with_snapshots(&["2026-03-01-091522", "2026-03-02-091522"]), &["--first"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("it holds 2 already"), "{}", refused.stderr);
    assert_eq!(play("run", with_snapshots(&["2026-03-01-091522"]), &[]).code, 0, "nobody asked");
    let started = play("run", with_snapshots(&[]), &["--first"]);
    let backup = first(&started);
    assert_eq!((started.code, &backup["first"]), (0, &false.into()));
    assert!(codes(&backup).contains(&"not-first"), "{backup}");
    let ordinary = play("run", with_snapshots(&[]), &[]);
    assert!(!codes(&first(&ordinary)).contains(&"not-first"));
}

#[test]
fn an_unknown_macos_is_told_before_the_start() {
    let recorded = Recorded::with(&mac::quarry(), "31.0").status(0.1, &idle()).backup(1.0).write();
    let table = run(&["run", "--replay", recorded.path().to_str().unwrap()]);
    let warning = table.stderr.find("the messages of macOS 31.0 are not known here");
    let begins = table.stderr.find("Quarry");
    assert!(warning.is_some() && begins.is_some() && warning < begins, "{}", table.stderr);
    let backup = first(&replay("run", recorded.path(), &[]));
    assert!(codes(&backup).contains(&"unknown-release"));
}

#[test]
fn a_run_asks_in_the_right_order() {
    let recorded = Recorded::new().backup(1.0).write();
    let place = tempfile::tempdir().unwrap();
    let again = place.path().join("again");
    let run = replay("run", recorded.path(), &["--record", again.to_str().unwrap(), "--raw"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(again.join("calls.ndjson")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let position = |what: &dyn Fn(&Value) -> bool| lines.iter().position(what).unwrap();
    let verb = |verb: &'static str| move |line: &Value| line["tool"] == "tmutil" && line["args"][0] == verb;
    let steps = [
        position(&verb("destinationinfo")),
        position(&verb("status")),
        position(&|line| line["tool"] == "sw_vers"),
        position(&|line| line["log"] == PREAMBLE),
        position(&verb("startbackup")),
        lines.iter().rposition(verb("status")).unwrap(),
    ];
    assert!(steps.is_sorted(), "{steps:?}\n{text}");
    assert_eq!(steps[0], 0);
}
