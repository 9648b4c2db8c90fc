//! A backup of which more may still be learnt: takes what is observed and answers what a watcher asks meanwhile.

use std::time::Duration;

use chrono::NaiveDateTime;

use super::counters::Counters;
use super::passes::Passes;
use super::spans::Spans;
use crate::domain::backup::{DestinationTest, Outcome, Point, Source, Warning, WarningCode};
use crate::domain::destination::{Destination, fill};
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
    /// Why it fails, by each line that says so.
    pub(super) causes: Vec<ResultCode>,
    pub(super) interrupted: bool,
    pub(super) closing: Option<Amount>,
    pub(super) passes: Passes,
    pub(super) verdict_data: Data,
    pub(super) running_total: Data,
    /// What was expected to be copied: of each volume added up, and of all.
    pub(super) forecast: (Option<Amount>, Option<Amount>),
    pub(super) destination_test: Option<DestinationTest>,
    /// How long copying took, by backupd's own count.
    pub(super) copy_time: Option<Duration>,
    /// When the folder was made that is written, by its name.
    pub(super) folder: Option<NaiveDateTime>,
    /// The offset of the clock that the log used then.
    pub(super) folder_seen: Option<Moment>,
    /// The name of the backup that was completed.
    pub(super) stamp: Option<String>,
    /// Sizes in the log are binary.
    pub(super) binary_sizes: bool,
    /// The log itself says that lines are missing.
    pub(super) lines_lost: bool,
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
            causes: Vec::new(),
            interrupted: false,
            closing: None,
            passes: Passes::default(),
            verdict_data: Data::default(),
            running_total: Data::default(),
            forecast: (None, None),
            destination_test: None,
            copy_time: None,
            folder: None,
            folder_seen: None,
            stamp: None,
            binary_sizes: false,
            lines_lost: false,
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
        self.note_context(at, event);
        self.note_log_phase(at, event);
        match &event.meaning {
            Meaning::Started(trigger) => {
                self.start_line = Some(at);
                if self.command.is_none() {
                    self.trigger = *trigger;
                }
            }
            Meaning::Progress(data) => self.running_total = larger(self.running_total, *data),
            Meaning::PassStarted => self.passes.begin(),
            Meaning::PassCopied(data) => {
                self.passes.pass_so_far(*data);
                self.by_log.copied_by(at);
            }
            Meaning::VolumeCopied(data) => {
                self.passes.volume(*data);
                self.by_log.copied_by(at);
            }
            Meaning::Estimate { data, whole } => self.expect(data.physical, *whole),
            Meaning::DestinationTest(test) => self.destination_test = Some(*test),
            Meaning::CopyTime(time) => self.copy_time = Some(*time),
            Meaning::Result(data) => self.closing = data.physical.or(self.closing),
            Meaning::Completed { stamp, data, after_thinning } => {
                merge_data(&mut self.verdict_data, data);
                fill(&mut self.stamp, stamp.as_ref());
                self.judge(at, Verdict::Completed { after_thinning: *after_thinning });
            }
            Meaning::Failed(code) => self.judge(at, Verdict::Failed(code.clone())),
            Meaning::Cancelled(code) => self.judge(at, Verdict::Cancelled(code.clone())),
            Meaning::Deferred(code) => self.judge(at, Verdict::Deferred(code.clone())),
            Meaning::FailureCause(code) if self.verdict.is_none() => self.causes.push(code.clone()),
            Meaning::CancelRequested if self.verdict.is_none() => self.cancel_requested = true,
            Meaning::ThinningStarted if self.has_copied() => {
                self.thinning_began.get_or_insert(at);
            }
            Meaning::LinesDropped => self.lines_dropped(),
            Meaning::Requested
            | Meaning::HealthCheckStarted
            | Meaning::Destination
            | Meaning::CopyStarted
            | Meaning::FailureCause(_)
            | Meaning::CancelRequested
            | Meaning::ThinningStarted
            | Meaning::PhaseOnly => {}
        }
    }

    /// Takes what a message says beside its meaning.
    fn note_context(&mut self, at: Moment, event: &Event) {
        self.destination.fill_from(&event.destination);
        self.first_backup |= event.first;
        self.binary_sizes |= event.binary_sizes;
        if self.folder.is_none() && event.folder.is_some() {
            self.folder = event.folder;
            self.folder_seen = Some(at);
        }
    }

    /// Whether a folder is another than the one that this backup writes.
    pub(super) fn is_in_other_folder(&self, folder: Option<NaiveDateTime>) -> bool {
        self.folder.zip(folder).is_some_and(|(own, other)| own != other)
    }

    /// Whether the backup got another name than this one.
    pub(super) fn has_other_name(&self, stamp: Option<&str>) -> bool {
        self.stamp.as_deref().zip(stamp).is_some_and(|(own, other)| own != other)
    }

    /// Whether its start line came at that very moment.
    pub(super) fn is_at_start(&self, at: Moment) -> bool {
        self.start_line.is_some_and(|start| start.wall.is_some() && start == at && self.last_seen == start)
    }

    fn note_log_phase(&mut self, at: Moment, event: &Event) {
        let Some(phase) = &event.phase else { return };
        if self.verdict.is_some() && phase.stage() != Stage::ThinningAfter {
            return;
        }
        if event.meaning == Meaning::PassStarted {
            self.by_log.begin_copy(phase, at, &Phase::new("SizingChanges"));
        } else {
            self.by_log.enter(phase, at);
        }
    }

    fn expect(&mut self, amount: Option<Amount>, whole: bool) {
        let (volumes, all) = &mut self.forecast;
        match (amount, whole) {
            (Some(amount), true) => *all = Some(amount),
            (Some(amount), false) => {
                let before = volumes.map_or(0, |before| before.bytes);
                *volumes = Some(Amount { bytes: before.saturating_add(amount.bytes), ..amount });
            }
            (None, _) => {}
        }
    }

    fn lines_dropped(&mut self) {
        if std::mem::replace(&mut self.lines_lost, true) {
            return;
        }
        self.warnings.push(Warning {
            code: WarningCode::LogGap,
            field: None,
            message: "the log says that lines of it were lost".to_owned(),
        });
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
        self.by_status.any(Phase::is_copying) || self.by_log.any(Phase::is_copying) || !self.passes.is_empty()
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

/// Of two running totals the one that says more; both are lower bounds.
fn larger(before: Data, now: Data) -> Data {
    let lowest = |data: &Data| (data.physical.map(Amount::lowest), data.items);
    if lowest(&now) >= lowest(&before) { now } else { before }
}

fn merge_data(data: &mut Data, other: &Data) {
    data.physical = other.physical.or(data.physical);
    data.logical = other.logical.or(data.logical);
    data.items = other.items.or(data.items);
}
