//! The rules of the fold, one test a rule.

use std::time::Duration;

use chrono::{DateTime, TimeDelta};

use super::{Input, Timeline};
use crate::domain::backup::{Outcome, Source, WarningCode};
use crate::domain::event::{Data, Event, Meaning, ResultCode, Trigger};
use crate::domain::phase::Phase;
use crate::domain::reading::{Grade, Reading};
use crate::domain::sample::{Counters, Sample};
use crate::domain::time::{Moment, Mono, Wall};
use crate::domain::units::Amount;

const HERE: &str = "A1B2C3D4-0000-4000-8000-000000000001";
const THERE: &str = "A1B2C3D4-0000-4000-8000-000000000002";

fn at(seconds: f64) -> Moment {
    let elapsed = Duration::from_secs_f64(seconds);
    let start = DateTime::parse_from_rfc3339("2026-03-01T10:00:00+01:00").unwrap();
    let wall = start + TimeDelta::from_std(elapsed).unwrap();
    Moment { mono: Some(Mono { elapsed, awake: elapsed }), wall: Some(Wall::Zoned(wall)) }
}

fn status(phase: &str) -> Input {
    Input::Sample(Sample {
        running: true,
        phase: Some(Phase::new(phase)),
        destination_id: Some(HERE.to_owned()),
        ..Sample::default()
    })
}

fn copying(bytes: u64, items: u64) -> Input {
    let Input::Sample(sample) = status("Copying") else { unreachable!() };
    let counters = Counters { bytes: Some(bytes), items: Some(items), ..Counters::default() };
    Input::Sample(Sample { counters: Some(counters), ..sample })
}

fn idle() -> Input {
    Input::Sample(Sample::default())
}

fn event(meaning: Meaning) -> Input {
    Input::Event(Event::new(meaning))
}

fn completed() -> Input {
    event(Meaning::Completed { stamp: None, data: Data::default(), after_thinning: false })
}

fn failed(code: i64) -> Input {
    event(Meaning::Failed(ResultCode { code: Some(code), name: None }))
}

fn command() -> Input {
    Input::Command { destination_id: Some(HERE.to_owned()) }
}

fn fold(inputs: &[(f64, Input)]) -> Vec<Reading> {
    let mut timeline = Timeline::new(Duration::from_secs(60));
    for (seconds, input) in inputs {
        timeline.push(at(*seconds), input);
    }
    timeline.finish()
}

fn one(inputs: &[(f64, Input)]) -> Reading {
    let mut readings = fold(inputs);
    assert_eq!(readings.len(), 1, "{readings:#?}");
    readings.remove(0)
}

fn seconds(reading: &Reading) -> f64 {
    let (start, end) = (reading.started.unwrap().0, reading.ended.unwrap().0);
    end.since(&start).unwrap().as_secs_f64()
}

#[test]
fn a_run_lasts_from_the_command_to_the_verdict() {
    let reading = one(&[
        (0.5, idle()),
        (1.0, command()),
        (1.2, idle()),
        (2.0, status("Starting")),
        (2.1, event(Meaning::Started(Some(Trigger::Manual)))),
        (10.0, copying(0, 0)),
        (60.0, copying(5_000, 40)),
        (61.0, copying(5_000, 40)),
        (62.0, status("Finishing")),
        (65.0, completed()),
        (65.5, status("ThinningPostBackup")),
        (80.0, idle()),
    ]);
    assert_eq!(reading.outcome, (Outcome::Completed, Some(Source::Log)));
    assert!((seconds(&reading) - 64.0).abs() < 1e-9);
    assert_eq!(reading.copy_duration, Some(Duration::from_secs(52)));
    let best = reading.best_claim().unwrap();
    assert_eq!((best.grade, best.amount), (Grade::SettledCounter, Amount::exact(5_000)));
    let names: Vec<_> = reading.phases.iter().map(|span| span.phase.name()).collect();
    assert_eq!(names, ["Starting", "Copying", "Finishing", "ThinningPostBackup"]);
    assert_eq!(reading.trigger, Some(Trigger::Manual));
}

#[test]
fn without_a_verdict_the_end_is_the_first_sample_after_the_copy_and_the_outcome_unknown() {
    let reading =
        one(&[(0.0, idle()), (1.0, status("Starting")), (5.0, copying(10, 1)), (9.0, idle()), (12.0, idle())]);
    assert_eq!(reading.started, Some((at(1.0), Source::Status)));
    assert_eq!(reading.ended, Some((at(9.0), Source::Status)));
    assert_eq!(reading.outcome, (Outcome::Unknown, None));
    assert_eq!(reading.best_claim().unwrap().amount, Amount::at_least(10));
}

#[test]
fn what_stood_still_in_a_backup_that_broke_off_is_a_lower_bound() {
    let reading = one(&[(0.0, command()), (1.0, copying(9, 1)), (2.0, copying(9, 1)), (3.0, failed(26))]);
    assert_eq!(reading.best_claim().unwrap().amount, Amount::at_least(9));
}

#[test]
fn a_backup_joined_late_has_no_start() {
    let reading = one(&[(0.0, copying(10, 1)), (1.0, copying(20, 2))]);
    assert_eq!(reading.started, None);
    assert_eq!(reading.outcome.0, Outcome::Running);
}

#[test]
fn a_counter_that_falls_is_a_further_pass() {
    let reading = one(&[
        (0.0, idle()),
        (1.0, copying(900, 9)),
        (2.0, copying(900, 9)),
        (3.0, status("SizingChanges")),
        (4.0, copying(20, 1)),
        (5.0, copying(70, 3)),
        (6.0, copying(70, 3)),
        (7.0, idle()),
    ]);
    assert_eq!(reading.best_claim().unwrap().amount, Amount::exact(970));
    assert_eq!(reading.items, Some((12, Source::Status)));
    assert_eq!(reading.copy_duration, Some(Duration::from_secs(5)));
}

#[test]
fn an_opening_phase_after_a_verdict_or_after_thinning_is_another_backup() {
    let end_then_start = [
        (0.0, idle()),
        (1.0, copying(5, 1)),
        (2.0, completed()),
        (2.5, status("ThinningPostBackup")),
        (3.0, status("MountingBackupVol")),
        (4.0, copying(7, 1)),
        (5.0, failed(26)),
    ];
    let outcomes: Vec<_> = fold(&end_then_start).iter().map(|reading| reading.outcome.0).collect();
    assert_eq!(outcomes, [Outcome::Completed, Outcome::Failed]);
    let thinning_first =
        [(0.0, idle()), (1.0, status("ThinningPostBackup")), (2.0, status("Starting")), (3.0, copying(1, 1))];
    assert_eq!(fold(&thinning_first).len(), 1);
}

#[test]
fn another_destination_is_another_backup_and_the_first_was_interrupted() {
    let Input::Sample(there) = copying(3, 1) else { unreachable!() };
    let there = Input::Sample(Sample { destination_id: Some(THERE.to_owned()), ..there });
    let readings = fold(&[(0.0, idle()), (1.0, copying(5, 1)), (2.0, there)]);
    assert_eq!(readings.iter().map(|r| r.outcome.0).collect::<Vec<_>>(), [Outcome::Interrupted, Outcome::Running]);
}

#[test]
fn a_start_line_without_an_end_before_means_that_the_one_before_was_interrupted() {
    let readings = fold(&[
        (0.0, event(Meaning::Started(None))),
        (9.0, event(Meaning::CopyStarted)),
        (100.0, event(Meaning::Started(None))),
        (200.0, completed()),
    ]);
    assert_eq!(readings.iter().map(|r| r.outcome.0).collect::<Vec<_>>(), [Outcome::Interrupted, Outcome::Completed]);
}

#[test]
fn a_cause_and_a_verdict_are_one_failure_and_the_verdict_decides() {
    let cause = event(Meaning::FailureCause(ResultCode { code: Some(70), name: None }));
    let reading = one(&[(0.0, command()), (1.0, copying(9, 1)), (2.0, cause), (3.0, failed(26)), (4.0, failed(26))]);
    assert_eq!(reading.code.unwrap().code, Some(26));
    assert_eq!(reading.ended.unwrap().0, at(3.0));
}

#[test]
fn a_cancel_after_success_does_not_undo_it_and_the_last_success_line_is_the_end() {
    let cancelled = event(Meaning::Cancelled(ResultCode::default()));
    let reading =
        one(&[(0.0, command()), (1.0, copying(9, 1)), (2.0, completed()), (2.5, completed()), (3.0, cancelled)]);
    assert_eq!(reading.outcome.0, Outcome::Completed);
    assert_eq!(reading.ended.unwrap().0, at(2.5));
}

#[test]
fn stopping_makes_a_cancelled_backup() {
    let reading = one(&[(0.0, command()), (1.0, copying(9, 1)), (2.0, status("Stopping")), (30.0, idle())]);
    assert_eq!(reading.outcome, (Outcome::Cancelled, Some(Source::Status)));
    assert_eq!(reading.ended.unwrap().0, at(30.0));
}

#[test]
fn where_the_verdict_follows_thinning_the_end_is_where_that_began() {
    let verdict = event(Meaning::Completed { stamp: None, data: Data::default(), after_thinning: true });
    let reading = one(&[
        (0.0, command()),
        (1.0, copying(9, 1)),
        (5.0, status("ThinningPostBackup")),
        (30.0, verdict),
        (31.0, idle()),
    ]);
    assert_eq!(reading.ended, Some((at(5.0), Source::Status)));
    assert_eq!(reading.outcome.0, Outcome::Completed);
    assert!(reading.warnings.iter().any(|w| w.code == WarningCode::EndBeforeVerdict));
}

#[test]
fn a_stall_is_proven_standing_and_lasts_until_bytes_move_or_the_copy_is_left() {
    let reading = one(&[
        (0.0, command()),
        (1.0, copying(9, 1)),
        (31.0, copying(9, 1)),
        (75.0, copying(9, 1)),
        (80.0, copying(10, 1)),
        (110.0, copying(10, 5)),
        (141.0, copying(10, 9)),
        (150.0, status("Finishing")),
        (900.0, status("Finishing")),
    ]);
    let stalls = reading.stalls.unwrap();
    let short: Vec<_> = stalls.iter().map(|s| (s.duration.as_secs(), s.items_moved)).collect();
    assert_eq!(short, [(79, Some(false)), (61, Some(true))]);
}

#[test]
fn samples_a_minute_apart_are_no_stalls() {
    let reading = one(&[(0.0, command()), (0.0, copying(1, 1)), (90.0, copying(2, 2)), (180.0, copying(3, 3))]);
    assert_eq!(reading.stalls, Some(Vec::new()));
}

#[test]
fn closing_counter_beats_everything_and_sums_of_volumes_beat_the_verdict() {
    let volume = |bytes| {
        event(Meaning::VolumeCopied(Data {
            physical: Some(Amount::rounded(bytes, 50)),
            logical: Some(Amount::rounded(bytes + 7, 50)),
            items: Some(3),
        }))
    };
    let verdict = Meaning::Completed {
        stamp: None,
        data: Data { physical: Some(Amount::rounded(3_000, 500)), ..Data::default() },
        after_thinning: false,
    };
    let mut lines =
        vec![(0.0, event(Meaning::Started(None))), (1.0, volume(1_000)), (2.0, volume(2_100)), (4.0, event(verdict))];
    let reading = one(&lines);
    assert_eq!(reading.best_claim().unwrap().amount, Amount::rounded(3_100, 100));
    assert_eq!((reading.items, reading.logical_bytes), (Some((6, Source::Log)), Some(3_114)));
    let closing = Meaning::Result(Data { physical: Some(Amount::exact(3_123)), ..Data::default() });
    lines.insert(3, (3.0, event(closing)));
    assert_eq!(one(&lines).best_claim().unwrap().amount, Amount::exact(3_123));
}

#[test]
fn without_a_completed_verdict_a_sum_is_a_lower_bound() {
    let volume = Meaning::VolumeCopied(Data { physical: Some(Amount::rounded(1_000, 50)), ..Data::default() });
    let reading = one(&[(0.0, event(Meaning::Started(None))), (1.0, event(volume)), (2.0, failed(11))]);
    assert_eq!(reading.best_claim().unwrap().amount, Amount::at_least(950));
}

#[test]
fn a_gap_without_answers_is_a_warning_and_changes_no_figure() {
    let mut inputs = vec![(0.0, command()), (1.0, copying(9, 1)), (40.0, copying(90, 2)), (41.0, completed())];
    let whole = one(&inputs);
    inputs.insert(2, (9.0, Input::Unanswered));
    let mut with_gap = one(&inputs);
    assert_eq!(with_gap.warnings.len(), 1);
    assert!(with_gap.warnings[0].message.contains("31 s"), "{:?}", with_gap.warnings);
    with_gap.warnings.clear();
    assert_eq!(with_gap, whole);
}

#[test]
fn a_wall_clock_set_back_changes_no_duration() {
    let mut late = at(50.0);
    late.wall = at(50.0).zoned().map(|wall| Wall::Zoned(wall - TimeDelta::hours(1)));
    let mut timeline = Timeline::new(Duration::from_secs(60));
    timeline.push(at(0.0), &command());
    timeline.push(at(10.0), &copying(5, 1));
    timeline.push(late, &completed());
    let reading = timeline.finish().remove(0);
    assert!((seconds(&reading) - 50.0).abs() < 1e-9);
}

#[test]
fn a_look_back_finds_the_start_of_a_backup_joined_late_but_not_of_the_one_before() {
    let start = |trigger| Event::new(Meaning::Started(Some(trigger)));
    let Input::Event(verdict) = completed() else { unreachable!() };
    let mut timeline = Timeline::new(Duration::from_secs(60));
    timeline.push(at(500.0), &copying(5, 1));
    timeline.push(at(600.0), &completed());
    timeline.recall(at(1.0), &start(Trigger::Manual));
    timeline.recall(at(90.0), &verdict);
    assert_eq!(timeline.current().unwrap().started(), None);
    timeline.recall(at(100.0), &start(Trigger::Automatic));
    timeline.recall(at(600.0), &verdict);
    let reading = timeline.finish().remove(0);
    assert_eq!(reading.started, Some((at(100.0), Source::Log)));
    assert_eq!(reading.trigger, Some(Trigger::Automatic));
}

#[test]
fn first_is_told_by_the_flag_or_by_copying_without_it() {
    let Input::Sample(sample) = status("Starting") else { unreachable!() };
    let flagged = Input::Sample(Sample { first_backup: true, ..sample });
    assert_eq!(one(&[(0.0, command()), (1.0, flagged), (2.0, copying(1, 1))]).first, Some(true));
    assert_eq!(one(&[(0.0, command()), (1.0, status("Starting"))]).first, None);
    assert_eq!(one(&[(0.0, command()), (1.0, copying(1, 1))]).first, Some(false));
}
