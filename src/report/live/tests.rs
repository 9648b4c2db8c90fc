use crate::ports::News;
use chrono::TimeDelta;
use proptest::prelude::*;

use super::*;
use crate::contract::examples;
use crate::domain::backup::Outcome;
use crate::domain::units::BitRate;
use crate::report::style::Units;
use crate::report::text::width;

fn at(columns: usize) -> Style {
    Style { width: Some(columns), ..Style::default() }
}

fn megabytes(rate: f64) -> Option<BitRate> {
    BitRate::from_bps(rate * 8e6)
}

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn in_phase(name: &str, age: u64) -> Progress {
    Progress {
        t: secs(age + 163),
        at: examples::at("2026-09-12T13:26:07+02:00"),
        phase: Some(Phase::new(name)),
        phase_age: secs(age),
        since_start: secs(age + 162),
        last_change: secs(0),
        bytes: None,
        items: None,
        bytes_to_copy: None,
        rate: None,
        rate_window: secs(120),
        overall: None,
        copying_rate: None,
        items_per_second: None,
        changed_items: None,
        apple_percent: None,
        apple_remaining_s: None,
        remaining: None,
        movement: Movement::Moving,
        ended: None,
        verdict: None,
    }
}

fn copying() -> Progress {
    Progress {
        bytes: Some(59_312_000_000),
        items: Some(268_000),
        bytes_to_copy: Some(91_272_331_264),
        rate: megabytes(37.1),
        overall: megabytes(41.3),
        copying_rate: megabytes(46.5),
        items_per_second: Some(172.3),
        apple_percent: Some(0.58),
        apple_remaining_s: Some(1020.0),
        remaining: Some((secs(640), secs(1310))),
        ..in_phase("Copying", 1274)
    }
}

fn size_unknown() -> Progress {
    Progress {
        bytes: Some(43_600_000_000),
        bytes_to_copy: None,
        rate: megabytes(9.75),
        overall: megabytes(9.67),
        items_per_second: Some(38.0),
        apple_percent: Some(0.31),
        apple_remaining_s: Some(9420.0),
        remaining: None,
        phase_age: secs(4360),
        ..copying()
    }
}

fn finding() -> Progress {
    Progress {
        changed_items: Some(914_203),
        apple_percent: Some(0.41),
        since_start: secs(108),
        last_change: secs(3),
        ..in_phase("FindingChanges", 72)
    }
}

fn stalled() -> Progress {
    Progress {
        bytes: Some(75_700_000_000),
        rate: megabytes(28.2),
        overall: megabytes(41.0),
        phase_age: secs(1683),
        at: examples::at("2026-09-12T13:32:56+02:00"),
        last_change: secs(69),
        movement: Movement::Nothing(secs(69)),
        ..copying()
    }
}

fn items_only() -> Progress {
    Progress {
        bytes: Some(79_600_000_000),
        rate: megabytes(4.60),
        overall: megabytes(36.6),
        items_per_second: Some(185.0),
        phase_age: secs(2011),
        movement: Movement::ItemsOnly(secs(81)),
        ..copying()
    }
}

fn shown(progress: &Progress, style: &Style) -> String {
    let (first, second) = live_lines(progress, style);
    second.map_or_else(|| first.clone(), |second| format!("{first}\n{second}"))
}

#[test]
fn copying_a_known_size() {
    insta::assert_snapshot!(shown(&copying(), &at(80)), @r"
    copying          21:14  ━━━━━━━━━━╸─────  65 %  59.3 of 91.3 GB  11–22 min left
      37.1 MB/s last 2 min, 41.3 since start · 172 items/s · Apple: 58 %, 17 min
    ");
    insta::assert_snapshot!(shown(&copying(), &at(120)), @r"
    copying          21:14  ━━━━━━━━━━━━━━━━━━━━━━━━━━──────────────  65 %  59.3 of 91.3 GB  11–22 min left
      37.1 MB/s last 2 min, 46.5 since copying began, 41.3 since start · 172 items/s · Apple: 58 %, 17 min
    ");
    insta::assert_snapshot!(shown(&copying(), &at(40)), @"copying 21:14 65 % 59.3 GB 37.1 MB/s");
    insta::assert_snapshot!(shown(&copying(), &Style { ascii: true, ..at(80) }), @r"
    copying          21:14  ##########......  65 %  59.3 of 91.3 GB  11-22 min left
      37.1 MB/s last 2 min, 41.3 since start, 172 items/s, Apple: 58 %, 17 min
    ");
    let early = Progress { remaining: None, ..copying() };
    insta::assert_snapshot!(shown(&early, &Style { units: Units::Iec, ..at(80) }), @r"
    copying          21:14  ━━━━━━━━━╸─────  65 %  55.2 of 85.0 GiB  no estimate yet
      35.4 MiB/s last 2 min, 39.4 since start · 172 items/s · Apple: 58 %, 17 min
    ");
}

#[test]
fn copying_an_unknown_size() {
    insta::assert_snapshot!(shown(&size_unknown(), &at(80)), @r"
    copying        1:12:40  43.6 GB so far, total unknown
      9.75 MB/s last 2 min, 9.67 since start · 38 items/s · Apple: 31 %, 2 h 37 min
    ");
    insta::assert_snapshot!(shown(&size_unknown(), &at(40)), @"copying 1:12:40 43.6 GB 9.75 MB/s");
    let more_than_told = Progress { bytes: Some(99_000_000_000), ..copying() };
    insta::assert_snapshot!(shown(&more_than_told, &at(80)), @r"
    copying          21:14  99.0 GB so far, total unknown
      37.1 MB/s last 2 min, 41.3 since start · 172 items/s · Apple: 58 %, 17 min
    ");
}

#[test]
fn before_copying() {
    let starting = Progress { phase: None, ..in_phase("", 4) };
    insta::assert_snapshot!(shown(&starting, &at(80)), @"starting          0:04  asked at 13:26:03, not begun yet; giving up at 1:00");
    insta::assert_snapshot!(shown(&starting, &at(40)), @"starting 0:04");
    insta::assert_snapshot!(shown(&Progress { since_start: secs(26), ..in_phase("MountingDiskImage", 14) }, &at(80)), @"mounting image    0:14  MountingDiskImage; 0:26 since the start");
    insta::assert_snapshot!(shown(&finding(), &at(80)), @r"
    finding changes   1:12  914,203 changed items so far · Apple: 41 % of this phase
      1:48 since the start · last change 3 s ago
    ");
    insta::assert_snapshot!(shown(&finding(), &at(40)), @"finding changes 1:12 914,203 items");
    insta::assert_snapshot!(shown(&in_phase("SealingTheWholeBackup\u{1b}", 3), &at(80)), @"sealing…backup␛   0:03  SealingTheWholeBackup␛; 2:45 since the start");
}

#[test]
fn stalls() {
    insta::assert_snapshot!(shown(&stalled(), &at(80)), @r"
    copying          28:03  STALL: nothing has moved for 1:09  75.7 of 91.3 GB
      28.2 MB/s last 2 min, 41.0 since start · last change 13:31:47
    ");
    insta::assert_snapshot!(shown(&stalled(), &at(40)), @"copying 28:03 STALL 1:09 at 75.7 GB");
    insta::assert_snapshot!(shown(&items_only(), &at(80)), @r"
    copying          33:31  no bytes for 1:21, items go on: 185 items/s
      79.6 of 91.3 GB · 4.60 MB/s last 2 min, 36.6 since start
    ");
    insta::assert_snapshot!(shown(&items_only(), &at(40)), @"copying 33:31 no bytes 1:21 at 79.6 GB");
}

#[test]
fn after_copying() {
    let bytes = Some(91_272_331_264);
    insta::assert_snapshot!(shown(&Progress { bytes, ..in_phase("Finishing", 9) }, &at(80)), @"finishing         0:09  91.3 GB copied; 2:51 since the start");
    insta::assert_snapshot!(shown(&Progress { bytes, ..in_phase("ThinningPostBackup", 5) }, &at(80)), @"thinning          0:05  91.3 GB copied; removing old backups");
    let counted =
        Progress { ended: Some(secs(9067)), verdict: Some(Outcome::Completed), ..in_phase("ThinningPostBackup", 21) };
    insta::assert_snapshot!(shown(&counted, &at(80)), @"thinning          0:21  completed (2:31:07); removing old backups, not counted");
    insta::assert_snapshot!(shown(&counted, &at(40)), @"thinning 0:21 completed");
    let over = Progress { phase: None, ended: Some(secs(2520)), verdict: Some(Outcome::Completed), ..copying() };
    insta::assert_snapshot!(shown(&over, &at(80)), @"completed after 0:42:00");
}

#[test]
fn colours_repeat_what_is_said() {
    let style = Style { color: true, ..at(80) };
    let (first, second) = live_lines(&stalled(), &style);
    assert!(first.starts_with("\u{1b}[1mcopying\u{1b}[0m "), "{first:?}");
    assert!(first.contains("\u{1b}[1m\u{1b}[33mSTALL: nothing has moved for 1:09\u{1b}[0m"), "{first:?}");
    assert!(second.unwrap().starts_with("  \u{1b}[2m28.2 MB/s"));
    assert_eq!(anstream::adapter::strip_str(&first).to_string(), live_lines(&stalled(), &at(80)).0);
}

#[test]
fn lines_into_a_pipe() {
    let line = |progress: &Progress| pipe_line(progress, &Style::default());
    let lines = [
        Progress { phase: None, ..in_phase("", 0) },
        in_phase("MountingBackupVol", 0),
        Progress { last_change: secs(10), ..in_phase("SizingChanges", 10) },
        finding(),
        Progress { bytes: Some(0), ..Progress { phase_age: secs(0), ..copying() } },
        copying(),
        size_unknown(),
        stalled(),
        items_only(),
        Progress { bytes: Some(91_272_331_264), ..in_phase("Finishing", 0) },
        Progress { ended: Some(secs(2520)), verdict: Some(Outcome::Completed), phase: None, ..copying() },
    ];
    insta::assert_snapshot!(lines.iter().map(line).collect::<Vec<_>>().join("\n"), @r"
    13:26:07  starting  0:00
    13:26:07  mounting  0:00
    13:26:07  sizing changes  0:10  last change 0:10 ago
    13:26:07  finding changes  1:12  914,203 changed items
    13:26:07  copying  0:00  0 of 91.3 GB
    13:26:07  copying  21:14  59.3 of 91.3 GB  65 %  37.1 MB/s last 2 min  41.3 since start  172 items/s  left 11-22 min  Apple 58 % 17 min
    13:26:07  copying  1:12:40  43.6 GB  9.75 MB/s last 2 min  9.67 since start  38 items/s  Apple 31 % 2 h 37 min
    13:32:56  copying  28:03  STALL nothing moved for 1:09  75.7 of 91.3 GB
    13:26:07  copying  33:31  no bytes for 1:21  79.6 of 91.3 GB  185 items/s
    13:26:07  finishing  0:00  91.3 GB copied
    13:26:07  completed after 0:42:00
    ");
}

#[test]
fn a_pipe_gets_a_line_every_ten_seconds_and_at_every_turn() {
    let mut lines = pipe::Lines::new(&Style::default(), Vec::new());
    let mut step = |t: u64, movement, name: &str| {
        let now = Progress {
            t: secs(t),
            at: examples::at("2026-09-12T13:00:00+02:00") + TimeDelta::seconds(i64::try_from(t).unwrap()),
            movement,
            phase_age: secs(t),
            bytes: Some(1_000_000_000),
            ..in_phase(name, 0)
        };
        lines.update(&now);
    };
    for t in 0..=21 {
        step(t, Movement::Moving, "Copying");
    }
    step(60, Movement::Nothing(secs(60)), "Copying");
    step(61, Movement::Nothing(secs(61)), "Copying");
    step(62, Movement::Moving, "Copying");
    step(63, Movement::Moving, "Finishing");
    insta::assert_snapshot!(String::from_utf8(lines.into_inner()).unwrap(), @r"
    13:00:00  copying  0:00  1.00 GB
    13:00:10  copying  0:10  1.00 GB
    13:00:20  copying  0:20  1.00 GB
    13:01:00  copying  1:00  STALL nothing moved for 1:00  1.00 GB
    13:01:02  copying  1:02  moving again after 1:02
    13:01:03  finishing  1:03  1.00 GB copied
    ");
}

#[test]
fn a_program_gets_an_object_a_state() {
    let mut json = Json { out: Vec::new(), err: Vec::new() };
    json.update(&stalled());
    json.update(&Progress { ended: Some(secs(2520)), ..copying() });
    json.say(&News::Note("for people".to_owned()));
    assert_eq!(json.err, b"for people\n");
    insta::assert_snapshot!(String::from_utf8(json.out).unwrap(), @r#"
    {"type":"progress","t":1437.0,"at":"2026-09-12T13:32:56+02:00","phase":"Copying","bytes":75700000000,"items":268000,"rate_bps":225600000.0,"overall_bps":328000000.0,"apple_percent":0.58,"apple_remaining_s":1020.0,"stalled_s":69.0}
    {"type":"progress","t":1437.0,"at":"2026-09-12T13:26:07+02:00","phase":"Copying","bytes":59312000000,"items":268000,"rate_bps":null,"overall_bps":330400000.0,"apple_percent":0.58,"apple_remaining_s":1020.0,"stalled_s":null}
    "#);
}

#[test]
fn who_hides_the_progress_can_still_ask() {
    let mut hidden = Hidden { style: Style::default(), err: Vec::new() };
    hidden.update(&copying());
    hidden.say(&News::Note("nothing".to_owned()));
    assert_eq!(hidden.err, b"");
    hidden.show_now(&stalled());
    assert_eq!(hidden.err, b"13:32:56  copying  28:03  STALL nothing moved for 1:09  75.7 of 91.3 GB\n");
}

#[test]
fn the_display_is_chosen_once() {
    use Display::{Hidden, Json, Lines, Terminal};
    for (quiet, format, terminal, display) in [
        (false, Format::Table, true, Terminal),
        (false, Format::Table, false, Lines),
        (false, Format::Json, true, Terminal),
        (false, Format::Csv, false, Lines),
        (false, Format::Ndjson, true, Json),
        (false, Format::Ndjson, false, Json),
        (true, Format::Ndjson, false, Hidden),
        (true, Format::Table, true, Hidden),
    ] {
        assert_eq!(choose(quiet, format, terminal), display, "{quiet} {format:?} {terminal}");
    }
}

#[test]
fn what_stays_on_the_screen() {
    let at = examples::at("2026-09-12T13:02:11+02:00");
    let backup = examples::usb3_first();
    assert_eq!(
        intro(&backup.destination, backup.link(), Some(true), Some(at)),
        [
            "TM-LaCie over USB 3.0, 5 Gb/s (Borealis BX-2TU3; kind and rate certain)",
            "First backup, asked for at 13:02:11. Ctrl-C ends the watching, not the backup.",
        ]
    );
    assert_eq!(
        intro(&examples::unknown().destination, None, None, None),
        [
            "a destination not known yet; the interface is unknown",
            "Backup, already running. Ctrl-C ends the watching, not the backup.",
        ]
    );
    assert_eq!(ended(at, Outcome::Completed, Some(secs(2520))), "13:02:11  completed after 0:42:00");
    assert_eq!(ended(at, Outcome::Unknown, None), "13:02:11  ended, outcome unknown");
    assert_eq!(stopped(at, secs(1436))[0], "13:02:11  stopped watching after 23:56; the backup goes on");
}

proptest! {
    #[test]
    fn no_state_is_wider_than_the_terminal(
        name in ".*", columns in 0..130_usize, ascii in any::<bool>(), bytes in any::<Option<u64>>(),
        total in any::<Option<u64>>(), age in any::<u32>(), number in any::<f64>(), movement in 0..3,
    ) {
        let time = secs(age.into());
        let progress = Progress {
            phase: Some(Phase::new(if movement == 0 { name.as_str() } else { "Copying" })),
            bytes,
            bytes_to_copy: total,
            phase_age: time,
            last_change: time,
            rate: BitRate::from_bps(number.abs()),
            items_per_second: Some(number),
            apple_percent: Some(number),
            apple_remaining_s: Some(number),
            remaining: Some((time, time * 2)),
            movement: [Movement::Moving, Movement::Nothing(time), Movement::ItemsOnly(time)][usize::try_from(movement).unwrap()],
            ..copying()
        };
        let style = Style { ascii, ..at(columns) };
        let (first, second) = live_lines(&progress, &style);
        for line in [Some(first), second].into_iter().flatten() {
            prop_assert!(width(&line) <= columns.max(24), "{line}");
            prop_assert!(!ascii || line.is_ascii());
        }
        prop_assert!(pipe_line(&progress, &style).is_ascii());
    }
}
