use super::*;
use crate::contract::examples;
use crate::domain::backup::{Backup, Outcome};
use crate::domain::link::LinkKind;
use crate::domain::stats::{MIN_BYTES, summarise};
use crate::domain::units::Amount;

fn backups() -> Vec<Backup> {
    let make = |kind: Option<LinkKind>, bps: u64, bytes: u64, seconds: f64, first| {
        let mut backup = examples::usb3_first();
        match kind {
            Some(kind) => {
                for link in &mut backup.links {
                    (link.kind, link.negotiated_bps, link.practical_bps) = (kind, Some(bps), Some(bps / 10 * 4));
                }
            }
            None => backup.links.clear(),
        }
        backup.copied.data = Some(Amount::exact(bytes));
        backup.duration = Some(examples::secs(seconds));
        backup.copy_duration = Some(examples::secs(seconds * 0.9));
        backup.first = Some(first);
        backup
    };
    let usb2 = Some(LinkKind::Usb2);
    let mut backups = vec![
        make(Some(LinkKind::Usb3Gen1), 5_000_000_000, 91_272_331_264, 2520.0, true),
        make(usb2, 480_000_000, 93_418_770_432, 5400.0, true),
        make(None, 0, 4_650_000_000, 222.0, false),
        make(usb2, 480_000_000, 412_000_000, 100.0, false),
    ];
    for number in 0..6_u32 {
        let seconds = 763.0 + f64::from(number) * 10.0;
        backups.push(make(Some(LinkKind::WiFi6), 1_201_000_000, 9_610_000_000, seconds, false));
    }
    backups.push(Backup { outcome: Outcome::Failed, ..examples::usb3_first() });
    backups
}

fn shown(style: &Style) -> String {
    let backups = backups();
    let statistics = summarise(&backups, By::Interface, MIN_BYTES);
    Groups { statistics: &statistics, by: By::Interface, min_bytes: MIN_BYTES }.lines(style).join("\n")
}

#[test]
fn a_row_an_interface_on_80_columns() {
    insta::assert_snapshot!(shown(&Style { width: Some(80), ..Style::default() }));
}

#[test]
fn everything_in_a_pipe() {
    insta::assert_snapshot!(shown(&Style::default()));
}

#[test]
fn a_line_a_group_on_40_columns() {
    insta::assert_snapshot!(shown(&Style { width: Some(40), ..Style::default() }));
}

#[test]
fn ascii_is_ascii() {
    let text = shown(&Style { width: Some(80), ascii: true, units: crate::report::Units::Iec, ..Style::default() });
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn nothing_is_wider_than_its_room() {
    for room in 30..140 {
        let text = shown(&Style { width: Some(room), ..Style::default() });
        let widest = text.lines().map(width).max().unwrap_or(0);
        assert!(widest <= room.max(40), "{room}: {widest}\n{text}");
    }
}

#[test]
fn markdown_and_csv_hold_every_group() {
    let backups = backups();
    let statistics = summarise(&backups, By::Interface, MIN_BYTES);
    let groups = Groups { statistics: &statistics, by: By::Interface, min_bytes: MIN_BYTES };
    let mut out = Vec::new();
    groups.markdown(&Style::default(), &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap());
    let mut out = Vec::new();
    groups.csv(&mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap().lines().count(), 1 + statistics.groups.len());
}
