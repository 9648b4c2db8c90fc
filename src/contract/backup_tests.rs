use proptest::prelude::*;

use super::*;
use crate::contract::examples;

fn round_trip(backup: &Backup) -> Backup {
    read(&serde_json::to_string(&BackupJson::from(backup)).unwrap()).unwrap()
}

#[test]
fn a_backup_of_which_nothing_is_known_has_every_key_in_order() {
    assert_eq!(
        serde_json::to_string(&BackupJson::from(&examples::unknown())).unwrap(),
        concat!(
            r#"{"type":"backup","schema":1,"id":null,"host":null,"trigger":null,"first":null,"#,
            r#""destination":{"id":null,"name":null,"kind":null,"mount_point":null,"url":null,"bsd_name":null},"#,
            r#""interfaces":[],"started_at":null,"ended_at":null,"started_local":null,"ended_local":null,"#,
            r#""duration_s":null,"copy_duration_s":null,"asleep_s":null,"phases":[],"#,
            r#""copied":{"bytes":null,"bound":null,"precision_bytes":null,"logical_bytes":null,"items":null},"#,
            r#""outcome":"unknown","failure":null,"#,
            r#""throughput":{"effective_bps":null,"copy_bps":null,"of_negotiated":null,"of_practical":null},"#,
            r#""destination_test":null,"stalls":null,"attempts":null,"#,
            r#""conditions":{"macos":null,"build":null,"power":null,"throttled":null,"encrypted":null,"file_system":null,"free_bytes":null},"#,
            r#""machine":{"model":null,"chip":null,"memory_bytes":null,"source_disk":null},"#,
            r#""samples":null,"observed":null,"sources":{},"warnings":[]}"#,
        )
    );
}

#[test]
fn the_parts_of_a_full_backup_are_written_as_agreed() {
    let json = serde_json::to_value(BackupJson::from(&examples::full())).unwrap();
    let part = |name: &str| json[name].to_string();
    assert_eq!(
        part("interfaces"),
        concat!(
            r#"[{"key":"usb-3.2-gen-1","kind":"usb","generation":"USB 3.2 Gen 1","negotiated_bps":5000000000,"#,
            r#""port_max_bps":5000000000,"practical_bps":2000000000,"device":"Borealis BX-2TU3","vendor":"Borealis","#,
            r#""bsd_name":"disk4s2","chain":[{"kind":"hub","name":"Borealis Hub","negotiated_bps":5000000000}],"#,
            r#""transport":"bulk-only transport","seen":"before","kind_confidence":"certain","rate_confidence":"certain","#,
            r#""evidence":[{"tool":"ioreg","key":"UsbLinkSpeed","value":"5000000000"}]}]"#,
        )
    );
    assert_eq!(part("duration_s"), "2520.0");
    assert_eq!(part("copy_duration_s"), "2311.4");
    assert_eq!(part("started_at"), r#""2026-09-12T13:02:11+02:00""#);
    assert_eq!(
        json["phases"][1].to_string(),
        r#"{"name":"MountingBackupVol","started_at":"2026-09-12T13:02:14.800+02:00","duration_s":6.9}"#
    );
    assert_eq!(
        part("copied"),
        r#"{"bytes":91300000000,"bound":"rounded","precision_bytes":50000000,"logical_bytes":93900000000,"items":412806}"#
    );
    assert_eq!(
        json["stalls"][0].to_string(),
        r#"{"started_at":"2026-09-12T13:31:47+02:00","duration_s":74.0,"items_moved":false}"#
    );
    assert_eq!(part("samples"), r#"[{"t":1.5,"phase":"Copying","bytes":1,"items":2,"percent":0.25}]"#);
    assert_eq!(part("sources"), r#"{"copied.bytes":"status","ended_at":"log","started_at":"command"}"#);
    assert_eq!(
        part("observed"),
        r#"{"from":"2026-09-12T13:02:10+02:00","until":"2026-09-12T13:44:21+02:00","complete":true,"by":"run"}"#
    );
}

#[test]
fn throughput_follows_from_bytes_seconds_and_the_link() {
    let throughput = BackupJson::from(&examples::usb3_first()).throughput;
    let near = |value: Option<f64>, wanted: f64| (value.unwrap() / wanted - 1.0).abs() < 1e-4;
    assert!(near(throughput.effective_bps, 289.75e6));
    assert!(near(throughput.copy_bps, 315.90e6));
    assert!(near(throughput.of_negotiated, 0.05795));
    assert!(near(throughput.of_practical, 0.14488));
}

#[test]
fn examples_come_back_whole() {
    for backup in [examples::unknown(), examples::usb3_first(), examples::full()] {
        assert_eq!(round_trip(&backup), backup);
    }
}

#[test]
fn times_without_an_offset_come_back() {
    for (wall, text) in [
        (Wall::Local("2012-06-20T14:10:24".parse().unwrap()), "2012-06-20T14:10:24"),
        (Wall::TimeOfDay("14:10:24".parse().unwrap()), "14:10:24"),
    ] {
        let backup = Backup { started: Some(wall), ..examples::unknown() };
        let json = BackupJson::from(&backup);
        assert_eq!((json.started_local.as_deref(), json.started_at), (Some(text), None));
        assert_eq!(round_trip(&backup), backup);
    }
}

#[test]
fn numbers_that_json_cannot_hold_are_left_out() {
    let point = |t, percent| Point { t, phase: None, bytes: None, items: None, percent };
    let backup =
        Backup { samples: Some(vec![point(f64::NAN, None), point(1.0, Some(f64::INFINITY))]), ..examples::unknown() };
    assert_eq!(round_trip(&backup).samples, Some(vec![point(1.0, None)]));
}

#[test]
fn what_is_not_of_this_schema_is_refused_in_words() {
    let text = serde_json::to_string(&BackupJson::from(&examples::full())).unwrap();
    for (from, to, why) in [
        (r#""schema":1"#, r#""schema":2"#, "written in schema 2; this program reads 1"),
        (r#""type":"backup""#, r#""type":"bench""#, "an object of type `bench`, which is not wanted here"),
        (r#""outcome":"failed""#, r#""outcome":"fine""#, "`outcome` can't be `fine`"),
        (r#""code":"status-gap""#, r#""code":"x""#, "`warnings.code` can't be `x`"),
        (r#""bound":"rounded""#, r#""bound":null"#, "`copied.bound` can't be `null`"),
        (r#""seen":"before""#, r#""seen":"then""#, "`interfaces.seen` can't be `then`"),
    ] {
        assert!(text.contains(from), "{from}");
        assert_eq!(read(&text.replace(from, to)).unwrap_err().to_string(), why);
    }
    let later = text.replacen('{', r#"{"added":[1],"#, 1);
    assert_eq!(read(&later).unwrap(), examples::full(), "fields may be added");
}

fn time() -> impl Strategy<Value = Duration> {
    (0..400_000_000_000_u64).prop_map(Duration::from_millis)
}

fn zoned() -> impl Strategy<Value = DateTime<FixedOffset>> {
    (0..4_000_000_000_000_i64, -14 * 60..=14 * 60).prop_map(|(millis, minutes)| {
        let offset = FixedOffset::east_opt(minutes * 60).unwrap();
        DateTime::from_timestamp_millis(millis).unwrap().with_timezone(&offset)
    })
}

fn any_wall() -> impl Strategy<Value = Wall> {
    prop_oneof![
        zoned().prop_map(Wall::Zoned),
        zoned().prop_map(|at| Wall::Local(at.naive_local())),
        zoned().prop_map(|at| Wall::TimeOfDay(at.time())),
    ]
}

fn any_moment() -> impl Strategy<Value = Moment> {
    proptest::option::of(zoned()).prop_map(moment)
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

fn amount() -> impl Strategy<Value = Amount> {
    let bounds = [Bound::Exact, Bound::Rounded, Bound::AtLeast, Bound::AtMost, Bound::Estimate];
    (any::<u64>(), proptest::sample::select(bounds.to_vec()), any::<Option<u64>>())
        .prop_map(|(bytes, bound, precision)| Amount { bytes, bound, precision })
}

fn backup() -> impl Strategy<Value = Backup> {
    use proptest::collection::vec;
    use proptest::option::of;
    let phases = vec(
        (".*", any_moment(), of(time())).prop_map(|(name, started, duration)| PhaseSpan {
            phase: Phase::new(name),
            started,
            duration,
        }),
        0..4,
    );
    let stalls = of(vec(
        (any_moment(), time(), any::<Option<bool>>()).prop_map(|(started, duration, items_moved)| Stall {
            started,
            duration,
            items_moved,
        }),
        0..3,
    ));
    let points = of(vec(
        (0..u32::MAX, of(".*"), any::<Option<u64>>(), any::<Option<u64>>(), of(0.0..=1.0)).prop_map(
            |(millis, phase, bytes, items, percent)| Point {
                t: f64::from(millis) / 1000.0,
                phase: phase.map(Phase::new),
                bytes,
                items,
                percent,
            },
        ),
        0..4,
    ));
    let sources = proptest::collection::btree_map("[a-z.]*", one_of(Source::ALL), 0..4);
    let warnings = vec(
        (one_of(WarningCode::ALL), of(".*"), ".*").prop_map(|(code, field, message)| Warning { code, field, message }),
        0..3,
    );
    let times = (of(any_wall()), of(any_wall()), of(time()), of(time()), of(time()));
    let rest = (of(amount()), one_of(Outcome::ALL), of(".*"), any::<Option<bool>>(), of(time()));
    (times, phases, stalls, points, sources, warnings, rest).prop_map(
        |(times, phases, stalls, samples, sources, warnings, (data, outcome, name, first, wall))| Backup {
            first,
            started: times.0,
            ended: times.1,
            duration: times.2,
            copy_duration: times.3,
            asleep: times.4,
            phases,
            stalls,
            samples,
            sources,
            warnings,
            copied: Copied { data, ..Copied::default() },
            outcome,
            host: name.clone(),
            failure: name.map(|name| Failure { name: Some(name), ..Failure::default() }),
            attempts: wall.map(|wall| Attempts { wall: Some(wall), ..Attempts::default() }),
            ..examples::full()
        },
    )
}

proptest! {
    #[test]
    fn any_backup_comes_back_whole(backup in backup()) {
        // An amount is absent as a whole.
        prop_assert_eq!(round_trip(&backup), backup);
    }

    #[test]
    fn no_figure_is_ever_without_end(backup in backup()) {
        let throughput = BackupJson::from(&backup).throughput;
        for figure in [throughput.effective_bps, throughput.copy_bps, throughput.of_negotiated, throughput.of_practical] {
            prop_assert!(figure.is_none_or(f64::is_finite));
        }
    }
}
