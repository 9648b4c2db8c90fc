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
    insta::assert_snapshot!(shown(&examples::usb3_first(), &at_80()), @r"
    where the time went  h:mm:ss  share
    ───────────────────  ───────  ─────
    Starting             0:00:04   <1 %  ╸
    MountingBackupVol    0:00:07   <1 %  ╸
    SizingChanges        0:02:32    6 %  ━━
    Copying              0:38:31   92 %  ━━━━━━━━━━━━━━━━━━━━━━━━━━━╸
      of it stalled      0:02:50    7 %  ━━
    Finishing            0:00:38    2 %  ╸

    data       91.3 GB copied (91,272,331,264 bytes, from status), 412,806 items
    duration   0:42:00   13:02:11 to 13:44:11, 2026-09-12; start to verdict
    copy time  0:38:31   one pass
    stalls     0:02:50   1 with nothing moving (1:14), 1 with items only (1:36)
    interface  USB 3.0 (USB 3.2 Gen 1), 5 Gb/s; certain, and the same at the end
               Borealis BX-2TU3, bulk-only transport, on a port of the Mac itself
               not limited by the link: copying took 16 % of the practical rate
    warning    tmutil gave no answer for 31 s at 13:20:12; 6 samples are missing

    throughput                 of nominal  of practical
                   MB/s  Mb/s      5 Gb/s      250 MB/s  how computed
    ─────────────  ────  ────  ──────────  ────────────  ────────────────
    effective      36.2   290       5.8 %          14 %  data / duration
    while copying  39.5   316       6.3 %          16 %  data / copy time

    Completed: 91.3 GB in 42 min, 36.2 MB/s (290 Mb/s)
    First backup to TM-LaCie over USB 3.0
    saved as 7f3a1c
    ");
}

#[test]
fn ascii() {
    let style = Style { ascii: true, ..at_80() };
    insta::assert_snapshot!(shown(&examples::usb3_first(), &style), @r"
    where the time went  h:mm:ss  share
    -------------------  -------  -----
    Starting             0:00:04   <1 %  #
    MountingBackupVol    0:00:07   <1 %  #
    SizingChanges        0:02:32    6 %  ##
    Copying              0:38:31   92 %  ############################
      of it stalled      0:02:50    7 %  ##
    Finishing            0:00:38    2 %  #

    data       91.3 GB copied (91,272,331,264 bytes, from status), 412,806 items
    duration   0:42:00   13:02:11 to 13:44:11, 2026-09-12; start to verdict
    copy time  0:38:31   one pass
    stalls     0:02:50   1 with nothing moving (1:14), 1 with items only (1:36)
    interface  USB 3.0 (USB 3.2 Gen 1), 5 Gb/s; certain, and the same at the end
               Borealis BX-2TU3, bulk-only transport, on a port of the Mac itself
               not limited by the link: copying took 16 % of the practical rate
    warning    tmutil gave no answer for 31 s at 13:20:12; 6 samples are missing

    throughput                 of nominal  of practical
                   MB/s  Mb/s      5 Gb/s      250 MB/s  how computed
    -------------  ----  ----  ----------  ------------  ----------------
    effective      36.2   290       5.8 %          14 %  data / duration
    while copying  39.5   316       6.3 %          16 %  data / copy time

    Completed: 91.3 GB in 42 min, 36.2 MB/s (290 Mb/s)
    First backup to TM-LaCie over USB 3.0
    saved as 7f3a1c
    ");
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
    insta::assert_snapshot!(shown(&backup, &style), @r"
    data       87.0 GiB copied (93,418,770,432 bytes, from status)
    duration   1:30:00
    copy time  1:24:22
    stalls     none
    interface  USB 2.0, 480 Mb/s; certain
               Borealis BX-2TU3, bulk-only transport, on a port of the Mac itself
               slower than its port, which can do 5 Gb/s
               not limited by the link: copying took 43 % of the practical rate

    throughput                   of nominal  of practical
                   MiB/s  Mib/s    480 Mb/s      41 MiB/s  how computed
    ─────────────  ─────  ─────  ──────────  ────────────  ────────────────
    effective       16.5    132        29 %          41 %  data / duration
    while copying   17.6    141        31 %          43 %  data / copy time

    Completed: 87.0 GiB in 1 h 30 min, 16.5 MiB/s (132 Mib/s)
    First backup to TM-LaCie over USB 2.0
    saved as 7f3a1c
    ");
}

#[test]
fn at_40_columns() {
    let style = Style { width: Some(40), ..Style::default() };
    insta::assert_snapshot!(shown(&examples::usb3_first(), &style), @r"
    Starting           0:00:04  <1 %
    MountingBackupVol  0:00:07  <1 %
    SizingChanges      0:02:32   6 %
    Copying            0:38:31  92 %
    Finishing          0:00:38   2 %

    interface    USB 3.0, 5 Gb/s
    data         91.3 GB, 412,806 items
    duration     0:42:00
    copy time    0:38:31
    effective    36.2 MB/s  290 Mb/s
    copying      39.5 MB/s  316 Mb/s
    of nominal   5.8 %
    of practical 14 %
    warning      tmutil gave no answer for
                 31 s at 13:20:12; 6 samples
                 are missing

    Completed: 91.3 GB in 42 min, 36.2 MB/s
    (290 Mb/s)
    First backup to TM-LaCie over USB 3.0
    saved as 7f3a1c
    ");
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
                port_max_bps: None,
                device: None,
                transport: Some("SMB 3.1.1".to_owned()),
                rate_confidence: Confidence::Low,
                ..examples::usb3()
            },
            Link {
                kind: LinkKind::WiFi6,
                negotiated_bps: Some(864_000_000),
                practical_bps: None,
                port_max_bps: None,
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
    insta::assert_snapshot!(shown(&failed(), &at_80()), @r"
    why        BACKUP_FAILED_DISCONNECTED_DISK_IMAGE: the disk image went away
    data       ≥5.10 GB copied (5,103,841,280 bytes at the last sample, from
               status), ≥38,113 items
    duration   0:21:04   13:02:11 to 13:23:15, 2026-09-12; start to verdict
    copy time  0:19:42   to the last sample
    effective  –         not given, the backup isn't whole
    copying    4.32 MB/s, 34.5 Mb/s to the last sample
    stalls     –         not observable here
    interface  Wi-Fi 6 (802.11ax), 1,201 Mb/s at the start, 864 Mb/s at the end;
               kind certain, rate low
               SMB 3.1.1

    Failed (70): at least 5.10 GB in 21 min
    First backup to TM-LaCie over Wi-Fi 6
    hint: `tmgauge watch` records the next attempt; macOS resumes where it stopped
    saved as 7f3a1c
    ");
}

#[test]
fn a_failed_backup_at_40_columns() {
    insta::assert_snapshot!(shown(&failed(), &Style { width: Some(40), ..Style::default() }), @r"
    why          BACKUP_FAILED_DISCONNECTED_DISK_IMAGE:
                 the disk image went away
    interface    Wi-Fi 6, 1,201 Mb/s
    data         ≥5.10 GB, ≥38,113 items
    duration     0:21:04
    copy time    0:19:42
    effective    –
    copying      4.32 MB/s  34.5 Mb/s
    of nominal   –
    of practical –

    Failed (70): at least 5.10 GB in 21 min
    First backup to TM-LaCie over Wi-Fi 6
    hint: `tmgauge watch` records the next
    attempt; macOS resumes where it stopped
    saved as 7f3a1c
    ");
}

#[test]
fn nothing_known() {
    insta::assert_snapshot!(shown(&examples::unknown(), &Style::default()), @r"
    data       –
    duration   –
    copy time  –
    effective  –         not known, for the data aren't
    stalls     –         not observable here
    interface  not looked at

    Outcome unknown
    Backup to an unknown destination
    ");
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
    insta::assert_snapshot!(shown(&backup, &at_80()), @r"
    where the time went  h:mm:ss  share
    ───────────────────  ───────  ─────
    Starting             0:00:04   <1 %  ╸
    MountingBackupVol    0:00:07   <1 %  ╸
    SizingChanges        0:02:32    6 %  ━━
    Copying              0:38:31   92 %  ━━━━━━━━━━━━━━━━━━━━━━━━━━━╸
      of it stalled      0:02:50    7 %  ━━
    Finishing            0:00:38    2 %  ╸
    ThinningPostBackup   0:00:08         after the end, not counted

    data       91.3 GB copied (±50 MB, from log), 412,806 items
    duration   0:42:00   2026-09-12 13:02:11 to 2026-09-13 00:44:11; start to the
               removal of old backups
    asleep     0:09:00   of the duration, in which nothing was copied
    copy time  0:38:31   one pass
    stalls     0:02:50   1 with nothing moving (1:14), 1 with items only (1:36)
    interface  unknown: ioreg says UsbLinkSpeed = 5000000000
    warning    x␛[2J

    throughput                 of nominal  of practical
                   MB/s  Mb/s           –             –  how computed
    ─────────────  ────  ────  ──────────  ────────────  ────────────────
    effective      36.2   290           –             –  data / duration
    while copying  39.5   316           –             –  data / copy time

    Completed: 91.3 GB in 42 min, 36.2 MB/s (290 Mb/s)
    First backup to TM-LaCie
    saved as 7f3a1c
    ");
}

fn interface_lines(links: Vec<Link>, codes: &[WarningCode]) -> Vec<String> {
    let warnings = codes.iter().map(|&code| Warning { code, field: None, message: String::new() }).collect();
    interface::lines(&Backup { links, warnings, ..examples::usb3_first() })
}

fn evidence(key: &str, value: &str) -> crate::domain::link::Evidence {
    crate::domain::link::Evidence { tool: "x".to_owned(), key: key.to_owned(), value: value.to_owned() }
}

#[test]
fn what_changed_and_what_did_not_is_said() {
    let during =
        Link { kind: LinkKind::Usb2, negotiated_bps: Some(480_000_000), seen: Seen::During, ..examples::usb3() };
    assert_eq!(
        interface_lines(vec![examples::usb3(), during], &[WarningCode::LinkChanged])[0],
        "changed during the backup: USB 3.0, 5 Gb/s before the start; USB 2.0, 480 Mb/s while it ran"
    );
    let mut same = Link { seen: Seen::After, ..examples::usb3() };
    same.evidence.push(evidence(crate::links::MOMENTS, "before, during, after"));
    assert_eq!(
        interface_lines(vec![same], &[])[0],
        "USB 3.0 (USB 3.2 Gen 1), 5 Gb/s; certain, and the same at the end"
    );
    let mut wi_fi = Link { kind: LinkKind::WiFi6, ..examples::usb3() };
    wi_fi.evidence.push(evidence(crate::links::RATES_SEEN, "41 looks, 300 to 866 Mb/s"));
    assert_eq!(interface_lines(vec![wi_fi], &[])[1], "the rate is the median of 41 looks, 300 to 866 Mb/s");
    let vpn = Link { kind: LinkKind::Vpn, negotiated_bps: None, ..examples::usb3() };
    assert_eq!(interface_lines(vec![vpn], &[])[1], "rate unknown: macOS doesn't tell what carries the tunnel");
}

#[test]
fn a_link_limits_from_four_fifths_of_what_it_carries() {
    let limited = |practical_bps| {
        interface_lines(vec![Link { practical_bps: Some(practical_bps), ..examples::usb3() }], &[]).pop().unwrap()
    };
    assert_eq!(limited(394_000_000), "limited by the link: copying took 80 % of the practical rate");
    assert_eq!(limited(396_000_000), "not limited by the link: copying took 80 % of the practical rate");
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
        name in "\\PC*", phase in ".*", room in 40..140_usize, ascii in any::<bool>(), bytes in 0..2_000_000_000_000_000_u64,
        seconds in 600..u32::MAX,
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
