use proptest::prelude::*;

use super::*;
use crate::contract::examples;
use crate::domain::backup::{Copied, Failure, Source, Warning};
use crate::domain::link::{Confidence, Link, LinkKind, Seen};
use crate::report::style::Units;
use crate::report::text::width;

fn shown(backup: &Backup, style: &Style) -> String {
    lines(backup, style, false).join("\n")
}

fn at_80() -> Style {
    Style { width: Some(80), ..Style::default() }
}

#[test]
fn a_first_backup_at_80_columns() {
    insta::assert_snapshot!(shown(&examples::usb3_first(), &at_80()), @"");
}

#[test]
fn ascii() {
    let style = Style { ascii: true, ..at_80() };
    insta::assert_snapshot!(shown(&examples::usb3_first(), &style), @"");
}

#[test]
fn iec_over_a_slow_link() {
    let backup = Backup {
        copied: Copied { data: Some(Amount::exact(93_418_770_432)), ..Copied::default() },
        links: vec![Link {
            kind: LinkKind::Usb2,
            negotiated_bps: Some(480_000_000),
            practical_bps: Some(340_000_000),
            ..examples::usb3()
        }],
        duration: Some(Duration::from_secs(5400)),
        copy_duration: Some(Duration::from_millis(5_061_900)),
        phases: vec![],
        stalls: Some(vec![]),
        ended: None,
        warnings: vec![],
        ..examples::usb3_first()
    };
    let style = Style { units: Units::Iec, ..at_80() };
    insta::assert_snapshot!(shown(&backup, &style), @"");
}

#[test]
fn at_40_columns() {
    let style = Style { width: Some(40), ..Style::default() };
    insta::assert_snapshot!(shown(&examples::usb3_first(), &style), @"");
}

fn failed() -> Backup {
    Backup {
        outcome: Outcome::Failed,
        failure: Some(Failure {
            code: Some(70),
            name: Some("BACKUP_FAILED_DISCONNECTED_DISK_IMAGE".to_owned()),
            message: Some("the disk image went away".to_owned()),
        }),
        copied: Copied { data: Some(Amount::at_least(5_103_841_280)), items: Some(38_113), ..Copied::default() },
        samples: Some(vec![]),
        duration: Some(Duration::from_secs(1264)),
        copy_duration: Some(Duration::from_secs(1182)),
        ended: Some(Wall::Zoned(examples::at("2026-09-12T13:23:15+02:00"))),
        links: vec![
            Link {
                kind: LinkKind::WiFi6,
                negotiated_bps: Some(1_201_000_000),
                practical_bps: None,
                device: None,
                transport: Some("SMB 3.1.1".to_owned()),
                rate_confidence: Confidence::Low,
                ..examples::usb3()
            },
            Link {
                kind: LinkKind::WiFi6,
                negotiated_bps: Some(864_000_000),
                practical_bps: None,
                device: None,
                transport: None,
                rate_confidence: Confidence::None,
                seen: Seen::After,
                ..examples::usb3()
            },
        ],
        phases: vec![],
        stalls: None,
        observed: Some(crate::domain::backup::Observed {
            from: None,
            until: None,
            complete: true,
            by: "run".to_owned(),
        }),
        warnings: vec![],
        ..examples::usb3_first()
    }
}

#[test]
fn a_failed_backup_has_no_effective_rate() {
    insta::assert_snapshot!(shown(&failed(), &at_80()), @"");
}

#[test]
fn a_failed_backup_at_40_columns() {
    insta::assert_snapshot!(shown(&failed(), &Style { width: Some(40), ..Style::default() }), @"");
}

#[test]
fn nothing_known() {
    insta::assert_snapshot!(shown(&examples::unknown(), &Style::default()), @"");
}

#[test]
fn what_is_told_changes_with_what_is_known() {
    let mut backup = examples::usb3_first();
    backup.phases.push(crate::domain::backup::PhaseSpan {
        phase: Phase::new("ThinningPostBackup"),
        started: crate::domain::time::Moment::default(),
        duration: Some(Duration::from_millis(7_600)),
    });
    backup.copied.data = Some(Amount::rounded(91_300_000_000, 50_000_000));
    backup.sources.insert("copied.bytes".to_owned(), Source::Log);
    backup.asleep = Some(Duration::from_secs(540));
    backup.links = vec![Link {
        kind: LinkKind::Unknown,
        negotiated_bps: None,
        practical_bps: None,
        kind_confidence: Confidence::None,
        ..examples::usb3()
    }];
    backup.ended = Some(Wall::Zoned(examples::at("2026-09-13T00:44:11+02:00")));
    backup.warnings =
        vec![Warning { code: WarningCode::EndBeforeVerdict, field: None, message: "x\u{1b}[2J".to_owned() }];
    insta::assert_snapshot!(shown(&backup, &at_80()), @"");
}

#[test]
fn the_answer_says_how_it_ended() {
    for (outcome, answer) in [
        (Outcome::Cancelled, "Cancelled: at least 5.10 GB in 21 min"),
        (Outcome::Interrupted, "Interrupted: at least 5.10 GB in 21 min"),
        (Outcome::Running, "Still running: at least 5.10 GB in 21 min"),
        (Outcome::Unknown, "Outcome unknown: at least 5.10 GB in 21 min"),
        (Outcome::Deferred, "Put off by macOS: at least 5.10 GB in 21 min"),
    ] {
        let lines = lines(&Backup { outcome, ..failed() }, &Style::default(), false);
        assert!(lines.contains(&answer.to_owned()), "{lines:?}");
    }
    let short = Backup { copied: Copied::default(), ..failed() };
    assert!(lines(&short, &Style::default(), false).contains(&"Failed (70) after 21 min".to_owned()));
}

#[test]
fn the_answer_is_bold_and_its_first_word_coloured() {
    let style = Style { color: true, ..at_80() };
    let lines = lines(&examples::usb3_first(), &style, false);
    let answer = lines.iter().find(|line| line.contains("Completed")).unwrap();
    assert_eq!(
        answer,
        "\u{1b}[1m\u{1b}[32mCompleted\u{1b}[0m\u{1b}[1m: 91.3 GB in 42 min, 36.2 MB/s (290 Mb/s)\u{1b}[0m"
    );
    let plain: Vec<_> = lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
    assert_eq!(plain.join("\n"), shown(&examples::usb3_first(), &at_80()));
}

proptest! {
    #[test]
    fn any_name_and_width_make_a_summary(
        name in "\\PC*", phase in ".*", room in 40..140_usize, ascii in any::<bool>(), bytes in any::<u64>(),
        seconds in any::<u32>(),
    ) {
        let mut backup = examples::full();
        backup.destination.name = Some(name.replace(char::is_whitespace, "x").chars().take(20).collect());
        backup.phases[0].phase = Phase::new(phase);
        backup.copied.data = Some(Amount::exact(bytes));
        backup.duration = Some(Duration::from_secs(seconds.into()));
        backup.failure = None;
        let style = Style { ascii, width: Some(room), ..Style::default() };
        for line in lines(&backup, &style, true) {
            prop_assert!(width(&line) <= room, "{} > {room}: {line}", width(&line));
            prop_assert!(!ascii || line.is_ascii(), "{line}");
        }
    }
}
