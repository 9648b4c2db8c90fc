use super::*;
use crate::contract::examples;
use crate::domain::link::{Link, LinkKind, Seen};
use crate::domain::units::Amount;
use crate::report::Units;
use crate::report::text::width;

fn pair() -> [Backup; 2] {
    let mut a = examples::usb3_first();
    a.destination.id = Some("D".to_owned());
    a.conditions.macos = Some("10.13.6".to_owned());
    a.conditions.throttled = Some(true);
    a.conditions.power = Some("mains".to_owned());
    a.machine.model = Some("MacBookAir5,2".to_owned());
    let mut b = a.clone();
    b.machine.model = Some("MacBookAir3,2".to_owned());
    for link in &mut b.links {
        *link = Link {
            kind: LinkKind::Usb2,
            negotiated_bps: Some(480_000_000),
            practical_bps: Some(336_000_000),
            ..link.clone()
        };
    }
    b.copied.data = Some(Amount::exact(93_418_770_432));
    b.copied.items = Some(418_233);
    (b.duration, b.copy_duration) = (Some(examples::secs(5400.0)), Some(examples::secs(5061.9)));
    [a, b]
}

fn shown(backups: &[Backup], style: &Style) -> String {
    let sides = backups.iter().map(|backup| Side { label: String::new(), backups: vec![backup] }).collect();
    Comparison { sides, min_bytes: 0 }.lines(style).join("\n")
}

#[test]
fn the_article_on_80_columns() {
    insta::assert_snapshot!(shown(&pair(), &Style { width: Some(80), ..Style::default() }));
}

#[test]
fn the_article_in_its_own_units_and_in_ascii() {
    let text = shown(&pair(), &Style { units: Units::Iec, ascii: true, width: Some(80), ..Style::default() });
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains("276 against 132 Mib/s"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_article_on_40_columns() {
    insta::assert_snapshot!(shown(&pair(), &Style { width: Some(40), ..Style::default() }));
}

#[test]
fn several_a_side_are_told_by_medians() {
    let [a, b] = pair();
    let more = |of: &Backup, first: bool, seconds: &[f64]| -> Vec<Backup> {
        let one = |s: &f64| Backup { duration: Some(examples::secs(*s)), first: Some(first), ..of.clone() };
        seconds.iter().map(one).collect()
    };
    let (mut fast, mut slow) = (
        more(&a, false, &[2400.0, 2450.0, 2500.0, 2550.0, 2600.0]),
        more(&b, false, &[5300.0, 5350.0, 5400.0, 5450.0, 5500.0]),
    );
    fast.extend(more(&a, true, &[2520.0]));
    slow.extend(more(&b, true, &[5400.0]));
    let comparison = Comparison {
        sides: vec![
            Side { label: "fast".to_owned(), backups: fast.iter().collect() },
            Side { label: "slow".to_owned(), backups: slow.iter().collect() },
        ],
        min_bytes: 1_000_000_000,
    };
    insta::assert_snapshot!(comparison.lines(&Style { width: Some(80), ..Style::default() }).join("\n"));
}

#[test]
fn a_first_backup_against_a_small_later_one_has_no_verdict() {
    let [a, mut b] = pair();
    b.first = Some(false);
    b.copied.data = Some(Amount::exact(6_870_000_000));
    b.copy_duration = Some(examples::secs(2430.0));
    let text = shown(&[a, b], &Style::default());
    assert!(
        text.contains("No verdict on the links: A is a first backup of 91.3 GB, B a later one of 6.87 GB"),
        "{text}"
    );
}

#[test]
fn unchanged_means_looked_at_twice() {
    let [a, mut b] = pair();
    assert!(shown(&[a.clone(), b.clone()], &Style::default()).contains("unchanged to the end"));
    b.links.retain(|link| link.seen == Seen::Before);
    assert!(!shown(&[a, b], &Style::default()).contains("unchanged to the end"));
}

#[test]
fn nothing_known_and_hostile_names_do_no_harm() {
    let mut odd = examples::unknown();
    odd.destination.name = Some("\u{1b}[31m<script>|\n\u{202e}".repeat(50));
    let backups = [odd.clone(), odd, examples::full()];
    for room in [None, Some(40), Some(80), Some(120)] {
        let text = shown(&backups, &Style { width: room, ..Style::default() });
        assert!(!text.contains('\u{1b}') && !text.contains("NaN") && !text.contains("inf "), "{text}");
        if let Some(room) = room {
            assert!(text.lines().all(|line| width(line) <= room.max(80) || !line.contains(' ')), "{room}");
        }
    }
}

#[test]
fn markdown_is_the_article_s_table() {
    let pair = pair();
    let sides = pair.iter().map(|backup| Side { label: String::new(), backups: vec![backup] }).collect();
    let mut out = Vec::new();
    let style = Style { units: Units::Iec, ..Style::default() };
    Comparison { sides, min_bytes: 0 }.markdown(&style, &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
    | Interface | Link | Data (GiB) | Duration (h:mm:ss) | Effective (Mib/s) | Copying (Mib/s) | Relative |
    |:--|:--|--:|--:|--:|--:|--:|
    | USB 3.0 | 5 Gb/s | 85.0 | 0:42:00 | 276 | 301 | 2.09× |
    | USB 2.0 | 480 Mb/s | 87.0 | 1:30:00 | 132 | 141 | 1.00× |
    ");
}
