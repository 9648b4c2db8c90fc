//! What must hold of every log, tried on the invented ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::said::News;
use super::{OneLog, backups, collect, read_file, read_stream};
use crate::domain::backup::{Backup, Outcome, WarningCode};
use crate::domain::event::Meaning;
use crate::domain::units::Bound;
use crate::logs::formats::{Formats, ReadOptions, detect};

fn cases() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs-backups");
    let mut logs: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|case| case.unwrap().path())
        .filter(|path| path.is_dir())
        .flat_map(|case| fs::read_dir(case).unwrap().map(|file| file.unwrap().path()))
        .filter(|path| path.extension().is_none_or(|extension| extension != "toml"))
        .collect();
    logs.sort();
    logs
}

fn read(text: &[u8]) -> OneLog {
    let options = ReadOptions::default();
    read_stream(&detect(text, Formats::built_in()), &options, text, &mut std::io::empty(), &|_| {})
}

fn backups_of(texts: &[&[u8]]) -> Vec<Backup> {
    backups(texts.iter().map(|text| read(text)).collect()).0
}

/// Outcome, bytes, items, duration and copy time in ms, code.
type Figures = (Outcome, Option<u64>, Option<u64>, Option<u128>, Option<u128>, Option<i64>);

/// The figures of a backup, without what a log of another style cannot know.
fn figures(backup: &Backup) -> Figures {
    let millis = |time: Option<std::time::Duration>| time.map(|time| time.as_millis());
    let data = backup.copied.data.map(|data| data.bytes);
    let code = backup.failure.as_ref().and_then(|failure| failure.code);
    (backup.outcome, data, backup.copied.items, millis(backup.duration), millis(backup.copy_duration), code)
}

fn name(meaning: &Meaning) -> &'static str {
    match meaning {
        Meaning::Requested => "requested",
        Meaning::Started(_) => "started",
        Meaning::HealthCheckStarted => "health check",
        Meaning::Destination => "destination",
        Meaning::CopyStarted => "copy started",
        Meaning::Progress(_) => "progress",
        Meaning::PassStarted => "pass started",
        Meaning::VolumeCopied(_) => "volume copied",
        Meaning::PassCopied(_) => "pass copied",
        Meaning::Estimate { .. } => "estimate",
        Meaning::DestinationTest(_) => "destination test",
        Meaning::CopyTime(_) => "copy time",
        Meaning::Result(_) => "result",
        Meaning::Completed { .. } => "completed",
        Meaning::Failed(_) => "failed",
        Meaning::FailureCause(_) => "failure cause",
        Meaning::CancelRequested => "cancel requested",
        Meaning::Cancelled(_) => "cancelled",
        Meaning::Deferred(_) => "deferred",
        Meaning::ThinningStarted => "thinning started",
        Meaning::PhaseOnly => "phase",
        Meaning::LinesDropped => "lines dropped",
    }
}

/// As many names as [`name`] knows.
const MEANINGS: usize = 22;

#[test]
fn every_kind_of_news_has_a_log() {
    let mut seen = BTreeSet::new();
    for path in cases() {
        let OneLog(collect::Log { news, .. }) = read(&fs::read(path).unwrap());
        let said = News::into_senders(news).into_iter().flat_map(|(_, said)| said);
        seen.extend(said.map(|said| name(&said.event.meaning)));
    }
    assert_eq!(seen.len(), MEANINGS, "{seen:?}");
}

/// Whether what a cut log says can be true beside what the whole one says.
fn is_no_wrong_figure(cut: &Backup, whole: &[Backup]) -> bool {
    let by_name = |backup: &Backup| backup.warnings.iter().any(|warning| warning.code == WarningCode::TimeFromName);
    whole.iter().any(|whole| {
        let bytes = cut.copied.data.is_none_or(|cut_data| match (cut_data.bound, whole.copied.data) {
            (Bound::Estimate, _) | (Bound::AtLeast, None) => true,
            (_, Some(data)) => data.bound == Bound::Estimate || cut_data.agrees_with(data),
            (_, None) => false,
        });
        let outcome = [whole.outcome, Outcome::Unknown, Outcome::Interrupted].contains(&cut.outcome)
            // What the verdict would have made of it is not known.
            || cut.outcome == Outcome::Failed && whole.outcome != Outcome::Completed
            // Without the success before it, the end of the thinning looks like the end of a backup.
            || cut.outcome == Outcome::Cancelled && cut.started.is_none() && cut.copied.data.is_none();
        let code = |backup: &Backup| backup.failure.as_ref().and_then(|failure| failure.code);
        let right_code = code(cut).is_none() || code(whole).is_none() || code(cut) == code(whole)
            // A cause that the verdict overrules.
            || whole.failure.is_some() && cut.ended.is_none();
        let duration =
            cut.duration.is_none() || by_name(cut) || cut.duration == whole.duration || cut.ended != whole.ended;
        bytes && outcome && right_code && duration
    })
}

#[test]
fn cutting_a_log_anywhere_makes_no_wrong_figure() {
    let mut wrong = Vec::new();
    for path in cases() {
        let text = fs::read(&path).unwrap();
        let whole = backups_of(&[&text]);
        // The ends of lines, where figures are cut, and some places between.
        let at_end = |at: usize| text[at..].iter().take(3).any(|&byte| byte == b'\n');
        for at in (0..text.len()).filter(|&at| at % 151 == 0 || at_end(at)) {
            for part in [&text[..at], &text[at..]] {
                let found = backups_of(&[part]);
                let cut = found.iter().filter(|cut| !is_no_wrong_figure(cut, &whole));
                wrong.extend(cut.map(|cut| format!("{} at {at}: {:?}", path.display(), figures(cut))));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_files_give_what_they_give_as_one() {
    for path in cases() {
        let text = fs::read(&path).unwrap();
        let lines: Vec<usize> = (1..text.len()).filter(|&at| text[at - 1] == b'\n').collect();
        let whole = backups_of(&[&text]);
        for at in lines {
            let (first, second) = text.split_at(at);
            // A line that continues a record makes no log of its own.
            if detect(second, Formats::built_in()).format.is_none() || !second[0].is_ascii_alphanumeric() {
                continue;
            }
            let (Some(a), Some(b)) =
                (detect(first, Formats::built_in()).format, detect(second, Formats::built_in()).format)
            else {
                continue;
            };
            let same_form =
                detect(&text, Formats::built_in()).format.is_some_and(|c| a.name() == c.name() && b.name() == c.name());
            if !same_form {
                continue;
            }
            // The order of backups without a date is not told.
            let sorted = |backups: &[Backup]| {
                let mut all: Vec<String> = backups.iter().map(|backup| format!("{:?}", figures(backup))).collect();
                all.sort();
                all
            };
            assert_eq!(sorted(&backups_of(&[first, second])), sorted(&whole), "{} at {at}", path.display());
        }
    }
}

#[test]
fn the_same_log_twice_is_one_log() {
    for path in cases() {
        let text = fs::read(&path).unwrap();
        let name = path.display().to_string();
        // Without dates nothing shows that two lines are one.
        if name.contains("two-hosts") || name.contains("binary") {
            continue;
        }
        let whole: Vec<_> = backups_of(&[&text]).iter().map(figures).collect();
        let found: Vec<_> = backups_of(&[&text, &text]).iter().map(figures).collect();
        assert_eq!(found, whole, "{name}");
    }
}

#[test]
fn foreign_lines_change_nothing() {
    let foreign = "2026-03-01 09:01:00.000000+0100 0x14cbf68  Info        0x0                  77     0    mds: (CoreSpotlight) [com.apple.spotlight:q] Completed backup: 2026-03-01-090059.backup\n";
    for path in cases().into_iter().filter(|path| path.ends_with("show.log")) {
        let text = fs::read_to_string(&path).unwrap();
        if detect(text.as_bytes(), Formats::built_in()).format.is_none_or(|format| format.name() != "default") {
            continue;
        }
        let whole: Vec<_> = backups_of(&[text.as_bytes()]).iter().map(figures).collect();
        let mixed: String = text
            .split_inclusive('\n')
            .map(|line| if line.starts_with("20") { format!("{foreign}{line}") } else { line.to_owned() })
            .collect();
        let found: Vec<_> = backups_of(&[mixed.as_bytes()]).iter().map(figures).collect();
        assert_eq!(found, whole, "{}", path.display());
    }
}

#[test]
fn five_styles_of_one_session_give_one_answer() {
    let messages = [
        ("09:00:00.000000", "Starting backup with mode \"automatic backup\""),
        (
            "09:00:10.000000",
            "Copying \"Data\" (device: /dev/disk3s5 mount: '/System/Volumes/Data' fsUUID: A eventDBUUID: B)",
        ),
        (
            "09:02:10.000000",
            "Finished copying from volume \"Data\"\n\t   2014 Total Items Added (l: 3.17 GB p: 3.15 GB)\n\t   9 Files Copied (l: 1 KB p: 4 KB)",
        ),
        ("09:02:12.000000", "Backup result: {\n    \"com.apple.backupd.SnapshotTotalBytesCopied\" = 3150123008;\n}"),
        ("09:02:13.000000", "Backup succeeded"),
    ];
    let json = |time: &str, message: &str| {
        serde_json::json!({ "timestamp": format!("2026-03-01 {time}+0100"), "processID": 811, "messageType": "Info",
            "processImagePath": "/System/Library/CoreServices/TimeMachine/backupd", "subsystem": "com.apple.TimeMachine",
            "category": "General", "eventMessage": message })
    };
    let each = |style: &dyn Fn(&str, &str) -> String| {
        messages.iter().map(|(time, text)| style(time, text)).collect::<String>()
    };
    let tag = "(TimeMachine) [com.apple.TimeMachine:General]";
    let objects: Vec<_> = messages.iter().map(|(time, text)| json(time, text)).collect();
    let styles = [
        each(&|time, text| {
            format!(
                "2026-03-01 {time}+0100 0x14cbf68  Info        0x0                  811    0    backupd: {tag} {text}\n"
            )
        }),
        each(&|time, text| format!("2026-03-01 {time}+0100  localhost backupd[811]: {tag} {text}\n")),
        each(&|time, text| {
            format!("2026-03-01 {} I  backupd[811:14cbf68] [com.apple.TimeMachine:General] {text}\n", &time[..12])
        }),
        each(&|time, text| format!("{}\n", json(time, text))),
        serde_json::to_string_pretty(&objects).unwrap(),
    ];
    let answers: Vec<Vec<_>> =
        styles.iter().map(|text| backups_of(&[text.as_bytes()]).iter().map(figures).collect()).collect();
    let wanted = (Outcome::Completed, Some(3_150_123_008), Some(2014), Some(133_000), Some(120_000), None);
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer, &[wanted], "style {number}");
    }
}

#[test]
fn chunks_and_a_stream_give_the_same() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("large.log");
    let line = |second: usize, text: &str| {
        format!(
            "2026-03-{:02} {:02}:{:02}:{:02}.000000+0100 0x14cbf68  Info        0x0                  811    0    {text}\n",
            1 + second / 86_400,
            second / 3600 % 24,
            second / 60 % 60,
            second % 60
        )
    };
    let mut text = String::new();
    for number in 0..40_000 {
        let at = number * 5;
        text.push_str(&match number % 400 {
            0 => line(at, "backupd: (TimeMachine) [com.apple.TimeMachine:General] Starting automatic backup"),
            300 => line(at, "backupd: (TimeMachine) [com.apple.TimeMachine:General] Finished copying from volume \"Data\"\n\t   2014 Total Items Added (l: 3.17 GB p: 3.15 GB)\n\t   9 Files Copied (l: 1 KB p: 4 KB)"),
            310 => line(at, "backupd: (TimeMachine) [com.apple.TimeMachine:General] Completed backup: 2026-03-01-090059.backup"),
            _ => line(at, "kernel: (AppleUSB) a device was suspended and three clients remain open for the time being"),
        });
    }
    fs::write(&path, &text).unwrap();
    let found = detect(&text.as_bytes()[..65_536], Formats::built_in());
    let options = ReadOptions { only_backupd: true, ..ReadOptions::default() };
    let file = fs::File::open(&path).unwrap();
    let chunks = backups(vec![read_file(&found, &options, &file, 3, &|_| {})]).0;
    let streamed = backups_of(&[text.as_bytes()]);
    assert_eq!(chunks.len(), 100);
    assert_eq!(chunks.iter().map(figures).collect::<Vec<_>>(), streamed.iter().map(figures).collect::<Vec<_>>());
}

#[test]
fn a_growing_file_tells_each_backup_as_it_ends() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("system.log");
    let formats = Formats::built_in().clone();
    let mut followed = super::follow::Followed::new(&path, ReadOptions::default(), formats);
    assert!(followed.look().unwrap().is_empty());
    let line = |time: &str, text: &str| {
        format!(
            "2026-03-01 {time}.000000+0100  localhost backupd[811]: (TimeMachine) [com.apple.TimeMachine:General] {text}\n"
        )
    };
    let mut text = line("09:00:00", "Starting manual backup");
    fs::write(&path, &text).unwrap();
    assert!(followed.look().unwrap().is_empty());
    text.push_str(&line("09:01:00", "Completed backup: 2026-03-01-090059"));
    fs::write(&path, &text).unwrap();
    let mut ended = followed.look().unwrap();
    // The last record may go on until nothing more has come.
    ended.extend(followed.look().unwrap());
    assert_eq!(ended.iter().map(|backup| backup.outcome).collect::<Vec<_>>(), [Outcome::Completed]);
    fs::rename(&path, place.path().join("system.log.0")).unwrap();
    fs::write(&path, line("10:00:00", "Starting manual backup") + &line("10:00:30", "Backup failed with error 26"))
        .unwrap();
    let mut ended = followed.look().unwrap();
    ended.extend(followed.look().unwrap());
    assert_eq!(ended.iter().map(|backup| backup.outcome).collect::<Vec<_>>(), [Outcome::Failed]);
}
