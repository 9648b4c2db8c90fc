use proptest::prelude::*;

use super::*;
use crate::logs::table::TABLE;

fn meaning_of(message: &str) -> Option<Meaning> {
    read(message, Some("backupd")).map(|event| event.meaning)
}

fn code(code: i64, name: &str) -> ResultCode {
    ResultCode { code: Some(code), name: Some(name.to_owned()) }
}

#[test]
fn a_start_tells_who_asked() {
    for (message, trigger) in [
        ("Starting standard backup", None),
        ("Starting manual backup", Some(Trigger::Manual)),
        ("Starting backup with mode \"automatic backup\"", Some(Trigger::Automatic)),
        ("Attempting backup with mode \"manual backup\"", Some(Trigger::Manual)),
    ] {
        assert_eq!(meaning_of(message), Some(Meaning::Started(trigger)), "{message}");
    }
}

#[test]
fn a_check_of_old_backups_is_no_backup() {
    for message in
        ["Starting backup with mode \"manual health check\"", "Attempting backup with mode \"automatic health check\""]
    {
        assert_eq!(meaning_of(message), Some(Meaning::HealthCheckStarted), "{message}");
    }
    assert_eq!(understand("Attempting backup with mode \"manual restore\"", None), Reading::NotUnderstood);
}

#[test]
fn other_processes_say_nothing_about_backups() {
    let start = "Starting backup with mode \"manual backup\"";
    for process in ["backupd-helper", "TimeMachineSettings", "/Applications/Other.app/Contents/MacOS/Other", "mtmd"] {
        assert_eq!(understand(start, Some(process)), Reading::OtherProcess, "{process}");
    }
    for process in ["backupd", "com.apple.backupd", "/System/Library/CoreServices/TimeMachine/backupd"] {
        assert!(read(start, Some(process)).is_some(), "{process}");
    }
    let skipped = "Skipping scheduled Time Machine backup: Backup already running";
    assert_eq!(understand(skipped, None), Reading::OtherProcess);
}

#[test]
fn only_what_was_added_is_data() {
    let block = "Finished copying from volume \"Data\"\n\t  2014 Total Items Added (l: 38.17 GB p: 38.15 GB)\n\t \
                 3210001 Total Items in Backup (l: 612.4 GB p: 611.9 GB)";
    let data = Data {
        physical: Some(Amount::rounded(38_150_000_000, 5_000_000)),
        logical: Some(Amount::rounded(38_170_000_000, 5_000_000)),
        items: Some(2014),
    };
    assert_eq!(meaning_of(block), Some(Meaning::VolumeCopied(data)));
    let whole_source = "Estimated full backup will contain 2810114 files (612.4 GB) from all sources";
    assert_eq!(meaning_of(whole_source), Some(Meaning::PhaseOnly));
    let need = "4.12 GB required (including padding), 412.5 GB available";
    assert_eq!(meaning_of(need), Some(Meaning::PassStarted));
    let forecast = Amount { bound: Bound::Estimate, ..Amount::rounded(22_700_000, 50_000) };
    let data = Data { physical: Some(forecast), logical: None, items: Some(421) };
    assert_eq!(meaning_of("Found 421 files (22.7 MB) needing backup"), Some(Meaning::Estimate { data, whole: true }));
}

#[test]
fn a_running_total_is_a_lower_bound() {
    let message = "Copied 152 GB of 160.81 GB, 280113 of 290716 items";
    let Some(Meaning::Progress(data)) = meaning_of(message) else { panic!("no progress") };
    let physical = data.physical.unwrap();
    assert_eq!((physical.bytes, physical.bound), (152_000_000_000, Bound::AtLeast));
    assert_eq!(data.items, Some(280_113));
}

#[test]
fn the_closing_record_is_exact() {
    let message = "Backup result: {\n    Progress =     {\n        bytes = 61;\n    };\n    \
                   \"com.apple.backupd.SnapshotTotalBytesCopied\" = 62345;\n}";
    let data = Data { physical: Some(Amount::exact(62_345)), ..Data::default() };
    assert_eq!(meaning_of(message), Some(Meaning::Result(data)));
}

#[test]
fn success_has_a_wording_in_every_release() {
    let completed = |stamp: Option<&str>, data, after_thinning| {
        Some(Meaning::Completed { stamp: stamp.map(str::to_owned), data, after_thinning })
    };
    let none = Data::default();
    assert_eq!(meaning_of("Backup completed successfully."), completed(None, none, true));
    let stamp = Some("2026-03-01-091522");
    assert_eq!(meaning_of("Completed backup: 2026-03-01-091522"), completed(stamp, none, false));
    assert_eq!(meaning_of("Completed backup: 2026-03-01-091522.backup"), completed(stamp, none, false));
    assert_eq!(meaning_of("Backup succeeded"), completed(None, none, false));
    let data = Data { physical: Some(Amount::rounded(181_200_000, 50_000)), ..none };
    let message = "Successfully completed backing up 181.2 MB to '/Volumes/Mira's Disk/2026-03-01-091522.backup'";
    assert_eq!(meaning_of(message), completed(stamp, data, false));
}

#[test]
fn one_wording_tells_failures_cancels_and_deferrals() {
    let failed = |name: &str, number: i64| meaning_of(&format!("Backup failed: {name} ({number})"));
    let network = "BACKUP_FAILED_DISCONNECTED_NETWORK";
    assert_eq!(failed(network, 26), Some(Meaning::Failed(code(26, network))));
    let delayed = "BACKUP_DELAYED_NOT_ENOUGH_ELAPSED_TIME";
    assert_eq!(failed(delayed, 107), Some(Meaning::Deferred(code(107, delayed))));
    for (name, number) in [("BACKUP_CANCELED", 22), ("BACKUP_CANCELED_SOMEHOW", 8801)] {
        assert_eq!(failed(name, number), Some(Meaning::Cancelled(code(number, name))));
    }
    let name = "BACKUP_CANCELLED_NOT_ENOUGH_ELAPSED_TIME";
    assert_eq!(failed(name, 8802), Some(Meaning::Deferred(code(8802, name))));
    assert_eq!(failed("BACKUP_FAILED_NOVELTY", 8803), Some(Meaning::Failed(code(8803, "BACKUP_FAILED_NOVELTY"))));
    let plain = ResultCode { code: Some(19), name: None };
    assert_eq!(meaning_of("Backup failed with error: 19"), Some(Meaning::Failed(plain)));
}

#[test]
fn a_destination_is_named_without_its_user() {
    let event = read("Attempting to mount 'smb://mira:secret@attic.local/Vault'", None).unwrap();
    assert_eq!(event.destination.url.as_deref(), Some("smb://attic.local/Vault"));
    assert_eq!(event.destination.kind, Some(DestinationKind::Network));
    assert_eq!(event.phase.unwrap().name(), "MountingBackupVol");
    let line = "Backing up 2 volumes to Attic (/dev/disk10s1,TMBackupOptions(rawValue: 257)): /Volumes/Attic";
    let local = read(line, None).unwrap().destination;
    assert_eq!((local.bsd_name.as_deref(), local.mount_point.as_deref()), (Some("disk10s1"), Some("/Volumes/Attic")));
    assert_eq!((local.name.as_deref(), local.kind), (Some("Attic"), None));
}

#[test]
fn snapshots_of_a_local_disk_are_not_on_a_share() {
    assert_eq!(kind_by_path("/Volumes/.timemachine/attic.local/x"), Some(DestinationKind::Network));
    let snapshot = "/Volumes/.timemachine/0B6E2D10-7A31-4C59-9E04-5D1C8A2F3B47/2026-03-01-091522.backup";
    assert_eq!(kind_by_path(snapshot), None);
    assert_eq!(kind_by_path("/Volumes/Attic"), None);
}

#[test]
fn what_is_kept_from_the_log_is_unknown() {
    let event = read("Attempting to mount '<private>'", None).unwrap();
    assert_eq!(event.destination.url, None);
}

#[test]
fn verdicts_are_known_up_to_26() {
    for known in ["10.12.6", "10.13", "10.15.7", "11.7", "12", "13.4", "14.0", "15.7.9", "26.3.1"] {
        assert!(release_is_known(known), "{known}");
    }
    for unknown in ["27.0", "28", "10.4.11", "", "Tahoe"] {
        assert!(!release_is_known(unknown), "{unknown}");
    }
}

/// The figures of a message.
fn figures(message: &str) -> Vec<String> {
    let Some(
        Meaning::Progress(data) | Meaning::VolumeCopied(data) | Meaning::Result(data) | Meaning::Completed { data, .. },
    ) = meaning_of(message)
    else {
        return Vec::new();
    };
    let amounts = [data.physical, data.logical].into_iter().flatten().map(|amount| format!("{amount:?}"));
    amounts.chain(data.items.map(|items| items.to_string())).collect()
}

#[test]
fn a_cut_message_never_gives_another_figure() {
    for sample in TABLE.rows.iter().flat_map(|row| &row.samples) {
        let whole = figures(&sample.text);
        for (at, _) in sample.text.char_indices() {
            for figure in figures(&sample.text[..at]) {
                assert!(whole.contains(&figure), "{figure} in {:?}", &sample.text[..at]);
            }
        }
    }
}

proptest! {
    #[test]
    fn no_message_panics(message in any::<String>(), process in proptest::option::of(any::<String>())) {
        understand(&message, process.as_deref());
        understand(&format!("Backup result: {{{message}"), None);
        understand(&format!("Copied {message} items"), None);
    }
}

#[test]
fn a_closing_record_without_its_beginning_is_read() {
    let rest = "\n        bytes = 61000;\n        files = 40;\n    };\n    Running = 1;\n    \"com.apple.backupd.SnapshotTotalBytesCopied\" = 62345;\n}";
    for rest in [rest.to_owned(), rest.replace("    };\n", "")] {
        let message = with_first_line(&rest).unwrap();
        let Reading::Event(event) = understand(&message, None) else { panic!("{message}") };
        let Meaning::Result(data) = event.meaning else { panic!("{event:?}") };
        assert_eq!(data.physical, Some(Amount::exact(62_345)));
    }
    assert_eq!(with_first_line("\n    Running = 1;\n}"), None);
}

#[test]
fn wrapped_messages_are_put_together_again() {
    let entry = |message| crate::logs::formats::Entry {
        at: None,
        host: None,
        process: None,
        pid: None,
        level: None,
        subsystem: None,
        category: None,
        message,
    };
    for message in [
        "Copied 20856 files (730.0\nMB) from volume Attic HD.",
        "Copied 20856 files (730.0 MB) from vol\nume Attic HD.",
        "Copied 20856 files (730.0 MB) from volume Attic HD.\nsigned, Mira",
    ] {
        let Reading::Event(event) = understand_entry(&entry(message)) else { panic!("{message}") };
        assert!(matches!(event.meaning, Meaning::PassCopied(data) if data.items == Some(20_856)), "{message}");
    }
}

#[test]
fn prose_does_not_begin_like_a_message() {
    for text in ["Dear Mira, the attic is full", "fn main() {", "<html>", "-- ", "Copying is easy"] {
        assert!(!may_know(text), "{text}");
    }
    assert!(may_know("Starting standard backup"));
}
