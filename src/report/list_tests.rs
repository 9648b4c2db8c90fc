use proptest::prelude::*;

use super::*;
use crate::contract::envelope::Skipped;
use crate::contract::examples::{self, secs};
use crate::domain::backup::{Copied, Failure};
use crate::domain::time::Wall;
use crate::report::text::width;

fn backup(start: &str, seconds: Option<f64>, data: Option<Amount>, items: u64, to: &str, outcome: Outcome) -> Backup {
    let started = start.parse().map(Wall::Local).or_else(|_| start.parse().map(Wall::TimeOfDay)).unwrap();
    let mut backup = Backup {
        started: Some(started),
        duration: seconds.map(secs),
        copied: Copied { data, items: (items > 0).then_some(items), logical_bytes: None },
        outcome,
        ..examples::unknown()
    };
    backup.destination.name = Some(to.to_owned());
    backup
}

fn lot() -> Vec<Backup> {
    let exact = |bytes| Some(Amount::exact(bytes));
    let at_least = |bytes| Some(Amount::at_least(bytes));
    let mut lot = vec![
        backup("2026-08-14T09:12:00", Some(9067.0), exact(112_400_000_000), 504_318, "NAS-TM", Outcome::Completed),
        backup("2026-08-14T12:51:00", Some(192.0), exact(412_000_000), 1_204, "NAS-TM", Outcome::Completed),
        backup("2026-08-15T01:04:00", Some(4233.0), at_least(12_600_000_000), 38_113, "NAS-TM", Outcome::Failed),
        backup("2026-08-15T08:20:00", Some(705.0), at_least(3_080_000_000), 9_871, "NAS-TM", Outcome::Cancelled),
        backup("2026-08-16T10:00:00", None, at_least(1_900_000_000), 5_402, "NAS-TM", Outcome::Interrupted),
        backup("2026-08-16T11:02:00", None, at_least(904_000_000), 2_118, "NAS-TM", Outcome::Unknown),
        backup("2026-08-17T00:12:00", Some(41.0), None, 0, "TM-LaCie", Outcome::Failed),
        backup("22:40:00", Some(1514.0), exact(2_100_000_000), 8_040, "TM-LaCie", Outcome::Completed),
    ];
    lot[2].failure = Some(Failure {
        code: Some(26),
        name: Some("BACKUP_FAILED_DISCONNECTED_NETWORK".to_owned()),
        message: Some("the network disk went away".to_owned()),
    });
    lot[6].failure = Some(Failure {
        code: Some(19),
        name: None,
        message: Some("the destination could not be found or mounted".to_owned()),
    });
    lot
}

fn shown(style: &Style) -> String {
    let mut skipped = Skipped::default();
    skipped.reasons.insert("lines of other programs".to_owned(), 18_204);
    skipped.reasons.insert("lines of backupd not understood".to_owned(), 12);
    let backups = lot();
    lines(&Report { backups: &backups, skipped, files: Some(3), ..Report::default() }, style).join("\n")
}

#[test]
fn at_80_columns() {
    insta::assert_snapshot!(shown(&Style { width: Some(80), ..Style::default() }), @r"
                      duration     data           effective
    start              h:mm:ss       GB    items       Mb/s  to        outcome
    ────────────────  ────────  ───────  ───────  ─────────  ────────  ───────────
    2026-08-14 09:12   2:31:07  112      504,318       99.2  NAS-TM    completed
    2026-08-14 12:51   0:03:12    0.412    1,204       17.2  NAS-TM    completed
    2026-08-15 01:04   1:10:33  ≥12.6    ≥38,113        –    NAS-TM    failed 26
    2026-08-15 08:20   0:11:45   ≥3.08    ≥9,871        –    NAS-TM    cancelled
    2026-08-16 10:00         –   ≥1.90    ≥5,402        –    NAS-TM    interrupted
    2026-08-16 11:02         –   ≥0.904   ≥2,118        –    NAS-TM    unknown
    2026-08-17 00:12   0:00:41    –            –        –    TM-LaCie  failed 19
    –      –   22:40   0:25:14    2.10     8,040       11.1  TM-LaCie  completed

    26  BACKUP_FAILED_DISCONNECTED_NETWORK: the network disk went away
    19  the destination could not be found or mounted (no name is told)

    8 backups in 3 files: 3 completed, 2 failed, 1 cancelled, 1 interrupted, 1 of
    unknown outcome.
    ≥ at least: the log ends or the backup broke off before the final figure.
    interrupted: no end, and a later start or boot shows that there was none;
    unknown: no verdict was found.
    Left out: 12 lines of backupd not understood, 18,204 lines of other programs
    (--explain).
    ");
}

#[test]
fn ascii_into_a_pipe() {
    insta::assert_snapshot!(shown(&Style { ascii: true, ..Style::default() }), @r"
                      duration      data            effective
    start              h:mm:ss        GB     items       Mb/s  to        outcome
    ----------------  --------  --------  --------  ---------  --------  -----------
    2026-08-14 09:12   2:31:07   112       504,318       99.2  NAS-TM    completed
    2026-08-14 12:51   0:03:12     0.412     1,204       17.2  NAS-TM    completed
    2026-08-15 01:04   1:10:33  >=12.6    >=38,113        -    NAS-TM    failed 26
    2026-08-15 08:20   0:11:45   >=3.08    >=9,871        -    NAS-TM    cancelled
    2026-08-16 10:00         -   >=1.90    >=5,402        -    NAS-TM    interrupted
    2026-08-16 11:02         -   >=0.904   >=2,118        -    NAS-TM    unknown
    2026-08-17 00:12   0:00:41     -             -        -    TM-LaCie  failed 19
    -      -   22:40   0:25:14     2.10      8,040       11.1  TM-LaCie  completed

    26  BACKUP_FAILED_DISCONNECTED_NETWORK: the network disk went away
    19  the destination could not be found or mounted (no name is told)

    8 backups in 3 files: 3 completed, 2 failed, 1 cancelled, 1 interrupted, 1 of unknown outcome.
    >= at least: the log ends or the backup broke off before the final figure.
    interrupted: no end, and a later start or boot shows that there was none; unknown: no verdict was found.
    Left out: 12 lines of backupd not understood, 18,204 lines of other programs (--explain).
    ");
}

#[test]
fn at_40_columns() {
    insta::assert_snapshot!(shown(&Style { width: Some(40), ..Style::default() }), @r"
    2026-08-14 09:12  completed
      2:31:07  112 GB  99.2 Mb/s
    2026-08-14 12:51  completed
      0:03:12  0.412 GB  17.2 Mb/s
    2026-08-15 01:04  failed 26
      1:10:33  ≥12.6 GB  – Mb/s
    2026-08-15 08:20  cancelled
      0:11:45  ≥3.08 GB  – Mb/s
    2026-08-16 10:00  interrupted
      –  ≥1.90 GB  – Mb/s
    2026-08-16 11:02  unknown
      –  ≥0.904 GB  – Mb/s
    2026-08-17 00:12  failed 19
      0:00:41  – GB  – Mb/s
    –      –   22:40  completed
      0:25:14  2.10 GB  11.1 Mb/s

    26  BACKUP_FAILED_DISCONNECTED_NETWORK:
        the network disk went away
    19  the destination could not be found
        or mounted (no name is told)

    8 backups in 3 files: 3 completed, 2
    failed, 1 cancelled, 1 interrupted, 1 of
    unknown outcome.
    ≥ at least: the log ends or the backup
    broke off before the final figure.
    interrupted: no end, and a later start
    or boot shows that there was none;
    unknown: no verdict was found.
    Left out: 12 lines of backupd not
    understood, 18,204 lines of other
    programs (--explain).
    ");
}

#[test]
fn interfaces_have_a_column_once_one_was_seen() {
    let second = Backup { links: vec![], ..examples::usb3_first() };
    let backups = [examples::usb3_first(), second];
    let report = Report { backups: &backups, ..Report::default() };
    insta::assert_snapshot!(lines(&report, &Style { width: Some(80), ..Style::default() }).join("\n"), @r"
                                 duration  data  effective
    start             interface   h:mm:ss    GB       Mb/s  to        outcome
    ────────────────  ─────────  ────────  ────  ─────────  ────────  ─────────
    2026-09-12 13:02  USB 3.0     0:42:00  91.3        290  TM-LaCie  completed
    2026-09-12 13:02  –           0:42:00  91.3        290  TM-LaCie  completed

    2 backups: 2 completed.
    ");
}

#[test]
fn colours_repeat_the_outcome() {
    let style = Style { color: true, width: Some(80), ..Style::default() };
    let text = shown(&style);
    assert!(text.contains("\u{1b}[31mfailed 26\u{1b}[0m"));
    assert!(text.contains("\u{1b}[33mcancelled\u{1b}[0m"));
    assert!(text.contains("  completed\n"));
    assert_eq!(anstream::adapter::strip_str(&text).to_string(), shown(&Style { color: false, ..style }));
}

#[test]
fn none_are_none() {
    assert_eq!(lines(&Report::default(), &Style::default()), ["0 backups."]);
}

proptest! {
    #[test]
    fn any_lot_fits(
        room in 40..130_usize, ascii in any::<bool>(), name in ".*", bytes in 0..1_000_000_000_000_000_u64,
        seconds in 60..u32::MAX,
    ) {
        let mut backups = lot();
        backups[0].destination.name = Some(name);
        backups[1].copied.data = Some(Amount::exact(bytes));
        backups[1].duration = Some(std::time::Duration::from_secs(seconds.into()));
        for backup in &mut backups {
            backup.failure = None;
        }
        let style = Style { ascii, width: Some(room), ..Style::default() };
        for line in lines(&Report { backups: &backups, ..Report::default() }, &style) {
            prop_assert!(width(&line) <= room, "{line}");
            prop_assert!(!ascii || line.is_ascii());
        }
    }
}
