#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "small invented figures"
)]

use proptest::prelude::*;

use super::*;
use crate::contract::examples;
use crate::domain::backup::{Backup, Point};
use crate::domain::phase::Phase;
use crate::report::text::width;

/// Rates of the copy in MB/s, each for 72 s.
const RATES: &[f64] = &[
    8.0, 14.0, 20.0, 22.0, 18.0, 25.0, 24.0, 31.0, 12.0, 26.0, 40.0, 44.0, 42.0, 61.0, 30.0, 55.0, 96.0, 130.0, 124.0,
    72.0, 40.0, 21.0, 33.0, 18.0, 40.0, 66.0, 70.0, 12.0, 9.0,
];

/// A backup with a sample every six seconds.
fn watched() -> Backup {
    let mut samples = Vec::new();
    let mut bytes = 0.0;
    for step in 0..=420_u32 {
        let t = f64::from(step) * 6.0;
        let phase = match t {
            ..162.6 => "SizingChanges",
            ..2474.0 => "Copying",
            _ => "Finishing",
        };
        let stalled = (1776.0..1850.0).contains(&t) || (2059.0..2155.0).contains(&t);
        if phase == "Copying" && !stalled {
            bytes += RATES[(t / 36.0 / 2.0) as usize % RATES.len()] * 6e6;
        }
        samples.push(Point {
            t,
            phase: Some(Phase::new(phase)),
            bytes: Some(bytes as u64),
            items: None,
            percent: None,
        });
    }
    Backup { samples: Some(samples), ..examples::usb3_first() }
}

fn shown(backup: &Backup, style: &Style) -> String {
    lines(backup, style).unwrap().join("\n")
}

#[test]
fn at_80_columns() {
    insta::assert_snapshot!(shown(&watched(), &Style { width: Some(80), ..Style::default() }), @r"
    Rate over time, MB/s, each column the mean of 36 s
      140 ┤                                  ▅▄▃
          │                                ▁▃████
          │                                ██████▁
       70 ┤                          ▅▃  ▃▅███████▇            █▅
          │          ▁▁ ▁▃▂  ▁▂▆▆▇▇▆▇██▂▄██████████▆▅  ▃▂  ▆  ▇██
          │    ▂▇█▇▆▇██████▄▅████████████████████████▇███▆▇█▂ ███▄▄▃▁ ▁▅▅▇▇█▇▆▇▆
        0 └·····━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━▲▲━━━━━━△△△━━━━━━━━━·
           13:02                            13:23                           13:44
           ━ copying  · before, after  ▲ stall, nothing moved  △ stall, items only
    ");
}

#[test]
fn ascii() {
    insta::assert_snapshot!(shown(&watched(), &Style { ascii: true, width: Some(80), ..Style::default() }), @r"
    Rate over time, MB/s, each column the mean of 36 s
      140 +                                  ##
          |                                  ####
          |                                ######
       70 +                          #    #########            ##
          |                    ########  ############      #  ###
          |    .############################################. ####... .#########
        0 +.....============================================SS======sss=========.
           13:02                            13:23                           13:44
           = copying  . before, after  S stall, nothing moved  s stall, items only
    ");
}

#[test]
fn a_wider_terminal_has_shorter_spans() {
    let style = Style { width: Some(120), ..Style::default() };
    let lines = lines(&watched(), &style).unwrap();
    assert_eq!(lines[0], "Rate over time, MB/s, each column the mean of 24 s");
    assert_eq!(lines.iter().map(|line| width(line)).max(), Some(MARGIN + 105));
}

#[test]
fn what_was_not_seen_is_blank() {
    let mut backup = watched();
    backup.started = None;
    backup.samples.as_mut().unwrap().retain(|point| point.t >= 900.0);
    let text = shown(&backup, &Style::default());
    assert!(text.contains("└                         ━━━━"), "{text}");
    assert!(text.contains("blank: not seen"), "{text}");
    assert!(text.contains("       0:00 "), "{text}");
}

#[test]
fn all_bytes_are_in_the_drawing() {
    let backup = watched();
    let points: Vec<_> = backup.samples.as_deref().unwrap().iter().collect();
    let columns = columns(&points, 2520.0, 73).unwrap();
    let drawn: f64 = columns.rates.iter().map(|rate| rate * columns.span).sum();
    let copied = points.iter().filter_map(|point| point.bytes).max().unwrap();
    assert!((drawn / copied as f64 - 1.0).abs() < 0.01, "{drawn} of {copied}");
}

#[test]
fn too_little_to_draw() {
    assert_eq!(lines(&examples::usb3_first(), &Style::default()), None);
    let mut short = watched();
    short.duration = Some(Duration::from_secs(5));
    assert_eq!(lines(&short, &Style::default()), None);
    let point = |t| Point { t, phase: None, bytes: None, items: None, percent: None };
    let nothing = Backup { samples: Some(vec![point(f64::NAN), point(1.0)]), ..examples::unknown() };
    assert_eq!(lines(&nothing, &Style::default()), None);
}

#[test]
fn the_top_of_the_axis_is_round_and_so_is_half_of_it() {
    for (highest, top, half) in
        [(133.0, "140", "70"), (24.1, "30", "15"), (0.9, "1", "0.5"), (100.0, "100", "50"), (1.1, "1.2", "0.6")]
    {
        assert_eq!((label(round_top(highest)), label(round_top(highest) / 2.0)), (top.to_owned(), half.to_owned()));
    }
}

proptest! {
    #[test]
    fn any_samples_make_a_chart_or_none(
        steps in proptest::collection::vec((any::<f64>(), any::<Option<u64>>(), any::<bool>()), 0..40),
        room in 0..200_usize, ascii in any::<bool>(), duration in proptest::option::of(any::<u32>()),
    ) {
        let points = steps.into_iter().map(|(t, bytes, copying)| Point {
            t: t.abs(),
            phase: copying.then(|| Phase::new("Copying")),
            bytes,
            items: None,
            percent: None,
        });
        let backup = Backup {
            samples: Some(points.collect()),
            duration: duration.map(|seconds| Duration::from_secs(seconds.into())),
            ..examples::usb3_first()
        };
        let style = Style { ascii, width: Some(room), ..Style::default() };
        for line in lines(&backup, &style).into_iter().flatten() {
            // The title of an absurd time is long.
            prop_assert!(width(&line) <= room.max(70), "{line}");
            prop_assert!(!ascii || line.is_ascii());
        }
    }

    #[test]
    fn what_was_copied_is_in_the_drawing_however_it_came(
        steps in proptest::collection::vec((1..60_u32, 0..1_000_000_000_u64), 2..200), room in 20..140_usize,
    ) {
        let (mut t, mut bytes) = (0.0, 0);
        let points: Vec<_> = steps.iter().map(|(time, more)| {
            let point = Point { t, phase: Some(Phase::new("Copying")), bytes: Some(bytes), items: None, percent: None };
            t += f64::from(*time);
            bytes += more;
            point
        }).collect();
        let points: Vec<&Point> = points.iter().collect();
        let last = points.last().unwrap();
        if let Some(columns) = columns(&points, last.t, room) {
            let drawn: f64 = columns.rates.iter().map(|rate| rate * columns.span).sum();
            prop_assert!((drawn - last.bytes.unwrap() as f64).abs() < 1.0 + drawn * 1e-9);
        }
    }
}
