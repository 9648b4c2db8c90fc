//! A backup of which more may still be learnt: takes what is observed and answers what a watcher asks meanwhile.

use std::time::Duration;

use super::counters::Counters;
use super::spans::Spans;
use crate::domain::backup::{Outcome, Point, Source, Warning, WarningCode};
use crate::domain::destination::Destination;
use crate::domain::event::{Data, Event, Meaning, ResultCode, Trigger};
use crate::domain::phase::{Phase, Stage};
use crate::domain::sample::Sample;
use crate::domain::time::Moment;
use crate::domain::units::Amount;

/// A wall clock that moves by so much against the run's own clock was set.
const CLOCK_SET_FROM: Duration = Duration::from_secs(5);

/// What the log said of the end.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    Completed { after_thinning: bool },
    Failed(ResultCode),
    Cancelled(ResultCode),
    Deferred(ResultCode),
}

impl Verdict {
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Completed { .. } => Outcome::Completed,
            Self::Failed(_) => Outcome::Failed,
            Self::Cancelled(_) => Outcome::Cancelled,
            Self::Deferred(_) => Outcome::Deferred,
        }
    }
}

/// A backup in the making.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each notes one thing seen or not seen")]
pub struct Draft {
    pub(super) stall_after: Duration,
    pub(super) first_seen: Moment,
    pub(super) last_seen: Moment,
    pub(super) command: Option<Moment>,
    /// The destination the command named.
    pub(super) asked_for: Option<String>,
    pub(super) start_line: Option<Moment>,
    /// The first running sample of a run that was seen to begin.
    pub(super) began: Option<Moment>,
    pub(super) trigger: Option<Trigger>,
    pub(super) first_backup: bool,
    pub(super) copied_as_ordinary: bool,
    pub(super) destination: Destination,
    pub(super) by_status: Spans,
    pub(super) by_log: Spans,
    pub(super) counters: Counters,
    pub(super) points: Vec<(Moment, Point)>,
    pub(super) last_sample: Option<Sample>,
    pub(super) last_change: Moment,
    pub(super) thinning_began: Option<Moment>,
    /// The first sample after the copy that shows that it is over.
    pub(super) left_copy: Option<Moment>,
    pub(super) idle: Option<Moment>,
    pub(super) stopping: bool,
    pub(super) cancel_requested: bool,
    pub(super) verdict: Option<(Moment, Verdict)>,
    pub(super) cause: Option<ResultCode>,
    pub(super) interrupted: bool,
    pub(super) closing: Option<Amount>,
    pub(super) volumes: Vec<Data>,
    pub(super) verdict_data: Data,
    pub(super) running_total: Data,
    pub(super) unanswered_since: Option<Moment>,
    pub(super) warnings: Vec<Warning>,
}

impl Draft {
    pub(super) fn new(at: Moment, stall_after: Duration) -> Self {
        Self {
            stall_after,
            first_seen: at,
            last_seen: at,
            command: None,
            asked_for: None,
            start_line: None,
            began: None,
            trigger: None,
            first_backup: false,
            copied_as_ordinary: false,
            destination: Destination::default(),
            by_status: Spans::default(),
            by_log: Spans::default(),
            counters: Counters::default(),
            points: Vec::new(),
            last_sample: None,
            last_change: at,
            thinning_began: None,
            left_copy: None,
            idle: None,
            stopping: false,
            cancel_requested: false,
            verdict: None,
            cause: None,
            interrupted: false,
            closing: None,
            volumes: Vec::new(),
            verdict_data: Data::default(),
            running_total: Data::default(),
            unanswered_since: None,
            warnings: Vec::new(),
        }
    }

    pub(super) fn commanded(&mut self, at: Moment, destination_id: Option<String>) {
        self.command = Some(at);
        self.trigger = Some(Trigger::Manual);
        self.asked_for = destination_id;
    }

    pub(super) fn seen_to_begin(&mut self, at: Moment) {
        self.began = Some(at);
    }

    /// The start line that a look back found turned out to be another backup's.
    pub(super) fn forget_start_line(&mut self) {
        self.start_line = None;
        self.trigger = None;
    }

    pub(super) fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// Takes a status of a backup that runs.
    pub(super) fn running(&mut self, at: Moment, sample: &Sample) {
        self.answered(at);
        self.note_clock(at);
        self.last_seen = at;
        self.first_backup |= sample.first_backup;
        self.stopping |= sample.stopping;
        self.destination.fill_from(&Destination {
            id: sample.destination_id.clone(),
            mount_point: sample.mount_point.clone(),
            ..Destination::default()
        });
        self.note_unknown_keys(sample);
        if let Some(phase) = &sample.phase {
            self.by_status.enter(phase, at);
            self.note_stage(at, phase.stage());
        }
        if sample.is_copying() {
            self.copied_as_ordinary |= !sample.first_backup;
            self.counters.copying(at, sample, self.stall_after);
        } else {
            self.counters.left_standing(self.stall_after);
        }
        self.note_point(at, sample);
        self.last_sample = Some(sample.clone());
    }

    fn note_stage(&mut self, at: Moment, stage: Stage) {
        match stage {
            Stage::Copying => {
                self.left_copy = None;
                self.thinning_began = None;
            }
            Stage::ThinningAfter if self.has_copied() => {
                self.left_copy.get_or_insert(at);
                self.thinning_began.get_or_insert(at);
            }
            Stage::Stopping => self.stopping = true,
            _ => {}
        }
    }

    /// Notes a wall clock that was set: it moved otherwise than the run's own clock.
    fn note_clock(&mut self, at: Moment) {
        let Some((last, _)) = self.points.last() else { return };
        let (Some(before), Some(now), Some(passed)) = (last.zoned(), at.zoned(), at.since(last)) else { return };
        let moved = (now - before).as_seconds_f64() - passed.as_secs_f64();
        if moved.abs() >= CLOCK_SET_FROM.as_secs_f64() {
            self.warnings.push(Warning {
                code: WarningCode::ClockSet,
                field: None,
                message: format!("the wall clock was set by {moved:+.0} s while the backup ran"),
            });
        }
    }

    fn note_unknown_keys(&mut self, sample: &Sample) {
        let new: Vec<&str> = sample.unknown.iter().map(|(key, _)| key.as_str()).collect();
        if new.is_empty() || self.warnings.iter().any(|w| w.code == WarningCode::UnknownKeys) {
            return;
        }
        self.warnings.push(Warning {
            code: WarningCode::UnknownKeys,
            field: None,
            message: format!("the status holds keys that are not known here: {}", new.join(", ")),
        });
    }

    fn note_point(&mut self, at: Moment, sample: &Sample) {
        let point = Point {
            t: 0.0,
            phase: sample.phase.clone(),
            bytes: sample.is_copying().then(|| self.counters.bytes()).flatten(),
            items: sample.is_copying().then(|| self.counters.items()).flatten(),
            percent: sample.percent,
        };
        let changed = self.last_sample.as_ref().is_none_or(|last| {
            last.phase != sample.phase
                || last.bytes() != sample.bytes()
                || last.items() != sample.items()
                || last.changed_items != sample.changed_items
        });
        if changed {
            self.last_change = at;
        }
        keep_point(&mut self.points, at, point);
    }

    /// Takes a status that says that no backup runs.
    pub(super) fn idle(&mut self, at: Moment) {
        self.answered(at);
        if self.idle.is_some() || self.last_sample.is_none() {
            return;
        }
        self.last_seen = at;
        self.counters.left_standing(self.stall_after);
        self.by_status.leave(at);
        self.idle = Some(at);
        self.left_copy.get_or_insert(at);
    }

    /// Notes that the status gave nothing usable.
    pub(super) fn unanswered(&mut self, at: Moment) {
        self.unanswered_since.get_or_insert(at);
    }

    fn answered(&mut self, at: Moment) {
        if let Some(since) = self.unanswered_since.take() {
            self.warnings.extend(status_gap(since, at));
        }
    }

    /// Takes a message of the log.
    pub(super) fn event(&mut self, at: Moment, event: &Event) {
        if at.since(&self.last_seen).is_some() {
            self.last_seen = at;
        }
        self.destination.fill_from(&event.destination);
        if let Some(phase) = &event.phase {
            self.by_log.enter(phase, at);
        }
        match &event.meaning {
            Meaning::Started(trigger) => {
                self.start_line = Some(at);
                if self.command.is_none() {
                    self.trigger = *trigger;
                }
            }
            Meaning::Progress(data) => self.running_total = *data,
            Meaning::VolumeCopied(data) => self.volumes.push(*data),
            Meaning::Result(data) => self.closing = data.physical.or(self.closing),
            Meaning::Completed { data, after_thinning, .. } => {
                merge_data(&mut self.verdict_data, data);
                self.judge(at, Verdict::Completed { after_thinning: *after_thinning });
            }
            Meaning::Failed(code) => self.judge(at, Verdict::Failed(code.clone())),
            Meaning::Cancelled(code) => self.judge(at, Verdict::Cancelled(code.clone())),
            Meaning::Deferred(code) => self.judge(at, Verdict::Deferred(code.clone())),
            Meaning::FailureCause(code) => self.cause = Some(code.clone()),
            Meaning::CancelRequested => self.cancel_requested = true,
            Meaning::ThinningStarted if self.has_copied() => {
                self.thinning_began.get_or_insert(at);
            }
            Meaning::Requested
            | Meaning::HealthCheckStarted
            | Meaning::Destination
            | Meaning::CopyStarted
            | Meaning::ThinningStarted
            | Meaning::PhaseOnly
            | Meaning::LinesDropped => {}
        }
    }

    /// The last success line of a backup counts; of failures the first; and nothing undoes a success.
    fn judge(&mut self, at: Moment, verdict: Verdict) {
        self.by_log.leave(at);
        let replace = match (&self.verdict, &verdict) {
            (None, _) | (Some((_, Verdict::Completed { .. })), Verdict::Completed { .. }) => true,
            (Some(_), _) => false,
        };
        if replace {
            self.verdict = Some((at, verdict));
        }
    }

    /// Whether anything shows that data were being copied.
    pub fn has_copied(&self) -> bool {
        self.by_status.any(Phase::is_copying) || self.by_log.any(Phase::is_copying) || !self.volumes.is_empty()
    }

    /// Whether the log has given its verdict.
    pub fn has_verdict(&self) -> bool {
        self.verdict.is_some()
    }

    /// How the log says that it ended.
    pub fn verdict(&self) -> Option<Outcome> {
        self.verdict.as_ref().map(|(_, verdict)| verdict.outcome())
    }

    /// Whether the verdict was success.
    pub(super) fn is_completed(&self) -> bool {
        matches!(self.verdict, Some((_, Verdict::Completed { .. })))
    }

    /// Whether the status has said that the backup is over.
    pub fn is_idle(&self) -> bool {
        self.idle.is_some()
    }

    /// When the status or the log first said that the backup is over.
    pub fn over_at(&self) -> Option<Moment> {
        let verdict = self.verdict.as_ref().map(|(at, _)| *at);
        match (self.idle, verdict) {
            (Some(idle), Some(verdict)) if idle.since(&verdict).is_some() => Some(verdict),
            (idle, verdict) => idle.or(verdict),
        }
    }

    /// Whether a status has shown the backup at all.
    pub fn was_seen_running(&self) -> bool {
        self.last_sample.is_some()
    }

    /// Whether its start line has been read.
    pub fn has_start_line(&self) -> bool {
        self.start_line.is_some()
    }

    /// Whether it is known when it began.
    pub fn started(&self) -> Option<(Moment, Source)> {
        self.command
            .map(|at| (at, Source::Command))
            .or(self.start_line.map(|at| (at, Source::Log)))
            .or(self.began.map(|at| (at, Source::Status)))
    }

    /// Whether it was watched from its start.
    pub fn seen_from_start(&self) -> bool {
        let start_line_in_time = self.start_line.is_some_and(|at| at.since(&self.first_seen).is_some());
        self.command.is_some() || self.began.is_some() || start_line_in_time
    }

    /// Bytes copied so far.
    pub fn bytes(&self) -> Option<u64> {
        self.counters.bytes()
    }

    /// Items copied so far.
    pub fn items(&self) -> Option<u64> {
        self.counters.items()
    }

    /// How many passes have been seen.
    pub fn passes(&self) -> usize {
        self.counters.passes()
    }

    /// The latest status of it.
    pub fn last_sample(&self) -> Option<&Sample> {
        self.last_sample.as_ref()
    }

    /// The phase it is in and since when, by the status.
    pub fn phase(&self) -> Option<(&Phase, Moment)> {
        self.by_status.current()
    }

    /// The destination as far as it is known.
    pub fn destination(&self) -> &Destination {
        &self.destination
    }

    /// When it was first seen.
    pub fn first_seen(&self) -> Moment {
        self.first_seen
    }

    /// When phase or counters last changed.
    pub fn last_change(&self) -> Moment {
        self.last_change
    }

    /// The time in Copying up to now.
    pub fn copying_until(&self, now: Moment) -> Option<Duration> {
        self.by_status.copying(now)
    }

    /// For how long the byte counter has stood, and whether items went on; `None` while it moves.
    pub fn standing(&self) -> Option<(Duration, Option<bool>)> {
        self.counters.standing()
    }

    /// Whether it is the first to its destination, as far as the status tells.
    pub fn first(&self) -> Option<bool> {
        match (self.first_backup, self.copied_as_ordinary) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    /// When the backup proper ended, and who says so.
    pub fn ended(&self) -> Option<(Moment, Source)> {
        match &self.verdict {
            Some((_, Verdict::Completed { after_thinning: true })) if self.thinning_began.is_some() => {
                let by = if self.by_status.is_empty() { Source::Log } else { Source::Status };
                self.thinning_began.map(|at| (at, by))
            }
            Some((at, _)) => Some((*at, Source::Log)),
            None => self.left_copy.map(|at| (at, Source::Status)),
        }
    }
}

/// The word on a stretch without a usable status.
pub(super) fn status_gap(since: Moment, until: Moment) -> Option<Warning> {
    let seconds = until.since(&since)?.as_secs_f64().round();
    Some(Warning {
        code: WarningCode::StatusGap,
        field: Some("samples".to_owned()),
        message: format!("tmutil gave no usable answer for {seconds} s"),
    })
}

/// Keeps a point; of a stretch in which nothing changes only the first and the last.
fn keep_point(points: &mut Vec<(Moment, Point)>, at: Moment, point: Point) {
    if let [.., (_, before), (last_at, last)] = points.as_mut_slice()
        && *before == point
        && *last == point
    {
        *last_at = at;
        return;
    }
    points.push((at, point));
}

fn merge_data(data: &mut Data, other: &Data) {
    data.physical = other.physical.or(data.physical);
    data.logical = other.logical.or(data.logical);
    data.items = other.items.or(data.items);
}
