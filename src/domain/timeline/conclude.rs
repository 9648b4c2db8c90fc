//! What a draft comes to: outcome, claims about the data, and the reading of it all.

use chrono::{Datelike, NaiveDateTime, TimeZone};

use super::draft::{Draft, Verdict, status_gap};
use crate::domain::backup::{Outcome, Source, Warning, WarningCode};
use crate::domain::destination::{Destination, DestinationKind, fill};
use crate::domain::event::ResultCode;
use crate::domain::reading::{Claim, Grade, Reading};
use crate::domain::time::{Moment, Wall, Yearless};
use crate::domain::units::{Amount, Bound};

impl Draft {
    fn outcome(&self) -> (Outcome, Option<Source>) {
        if let Some(outcome) = self.verdict() {
            return (outcome, Some(Source::Log));
        }
        let over = self.idle.is_some() || self.left_copy.is_some();
        let runs = !over && self.last_sample.as_ref().is_some_and(|sample| sample.running);
        if over && self.stopping {
            (Outcome::Cancelled, Some(Source::Status))
        } else if (over || self.interrupted) && self.cancel_requested {
            (Outcome::Cancelled, Some(Source::Log))
        } else if !runs && !self.causes.is_empty() {
            (Outcome::Failed, Some(Source::Log))
        } else if self.interrupted && !over {
            (Outcome::Interrupted, None)
        } else if runs {
            (Outcome::Running, Some(Source::Status))
        } else {
            (Outcome::Unknown, None)
        }
    }

    fn claims(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        let mut claim = |grade, amount, source| claims.push(Claim { grade, amount, source });
        if let Some(amount) = self.closing {
            claim(Grade::ClosingCounter, amount, Source::Log);
        }
        if let Some(amount) = self.counters.amount() {
            // What stood still in a backup that broke off may only have been stuck.
            let broke_off = matches!(
                self.outcome().0,
                Outcome::Failed | Outcome::Cancelled | Outcome::Interrupted | Outcome::Deferred
            );
            let over = self.ended().is_some() && !broke_off;
            let exact = over && amount.bound == Bound::Exact;
            let grade = if exact { Grade::SettledCounter } else { Grade::Running };
            claim(grade, if exact { amount } else { Amount::at_least(amount.bytes) }, Source::Status);
        }
        let sum = self.passes.bytes().map(|amount| self.shown(amount));
        if let Some(amount) = sum.filter(|_| self.log_is_whole()) {
            claim(Grade::VolumeSum, amount, Source::Log);
        }
        if let Some(amount) = self.verdict_data.physical {
            claim(Grade::Verdict, self.shown(amount), Source::Log);
        }
        let so_far = self.running_total.physical.map(|amount| self.shown(amount));
        let seen = sum.into_iter().chain(so_far).map(Amount::lowest).max();
        if let Some(bytes) = seen.filter(|_| sum.is_none() || !self.log_is_whole()) {
            claim(Grade::Running, Amount::at_least(bytes), Source::Log);
        }
        // A run that was watched has better to say, even where that is nothing.
        if let Some(amount) = self.forecast().filter(|_| self.by_status.is_empty()) {
            claim(Grade::Forecast, self.shown(amount), Source::Log);
        }
        claims
    }

    /// A size of the log, which says `MB` for 2^20 bytes in Mac OS X 10.5.
    fn shown(&self, amount: Amount) -> Amount {
        if self.binary_sizes { amount.as_binary() } else { amount }
    }

    /// Whether the log tells every pass and volume: from its start to success, with nothing lost between.
    fn log_is_whole(&self) -> bool {
        let from_start = self.started().is_some() || !self.by_status.is_empty();
        self.is_completed() && from_start && !self.lines_lost
    }

    /// What was expected: to the byte where the volumes tell it and agree with the line about all of them.
    fn forecast(&self) -> Option<Amount> {
        match self.forecast {
            (Some(volumes), Some(all)) => {
                let all_shown = Amount { bound: Bound::Rounded, ..all };
                Some(if all_shown.agrees_with(Amount::exact(volumes.bytes)) { volumes } else { all })
            }
            (volumes, all) => all.or(volumes),
        }
    }

    fn items_claim(&self) -> Option<(u64, Source)> {
        // Of a log that lacks a volume the sum is wrong where the total is right.
        let complete = self.closing.zip(self.passes.bytes()).is_none_or(|(total, sum)| total.agrees_with(sum));
        if let Some(items) = self.passes.items().filter(|_| complete) {
            return Some((items, Source::Log));
        }
        self.verdict_data
            .items
            .map(|items| (items, Source::Log))
            .or(self.counters.items().map(|items| (items, Source::Status)))
            .or(self.running_total.items.filter(|_| self.passes.is_empty()).map(|items| (items, Source::Log)))
    }

    fn logical_bytes(&self) -> Option<u64> {
        self.passes.logical().map(|amount| self.shown(amount).bytes)
    }

    fn code(&self) -> Option<ResultCode> {
        match &self.verdict {
            Some((_, Verdict::Failed(code) | Verdict::Cancelled(code) | Verdict::Deferred(code))) => {
                Some(code.clone()).filter(|code| *code != ResultCode::default()).or_else(|| self.cause())
            }
            Some((_, Verdict::Completed { .. })) => None,
            None => self.cause(),
        }
    }

    /// The code of the cause, unless several lines give different ones: then only the verdict could tell which counts.
    fn cause(&self) -> Option<ResultCode> {
        let mut told = self.causes.iter().filter(|code| **code != ResultCode::default());
        let first = told.next().cloned();
        if told.any(|other| Some(other) != first.as_ref()) {
            return Some(ResultCode::default());
        }
        first.or_else(|| self.causes.first().cloned())
    }

    /// When it began by the name of its folder: only where nothing else tells.
    fn start_by_folder(&self) -> Option<(Moment, Source)> {
        let (made, seen) = (self.folder?, self.folder_seen?);
        let wall = match seen.wall.or(self.last_seen.wall)? {
            Wall::Zoned(at) => Wall::Zoned(at.offset().from_local_datetime(&made).single()?),
            Wall::Local(_) => Wall::Local(made),
            Wall::Yearless(_) => Wall::Yearless(Yearless::new(made.month(), made.day(), made.time())?),
            Wall::TimeOfDay(_) => Wall::TimeOfDay(made.time()),
        };
        let at = Moment::at_wall(wall);
        self.first_seen.since(&at).map(|_| (at, Source::Log))
    }

    /// When it ended by the name that it got, where the line has no time.
    fn end_by_name(&self) -> Option<(Moment, Source)> {
        let (at, verdict) = self.verdict.as_ref()?;
        if at.wall.is_some() || !matches!(verdict, Verdict::Completed { .. }) {
            return None;
        }
        let made = NaiveDateTime::parse_from_str(self.stamp.as_ref()?, "%Y-%m-%d-%H%M%S").ok()?;
        Some((Moment::at_wall(Wall::Local(made)), Source::Log))
    }

    /// Where it goes; a volume that no share or image was mounted for is a disk of this Mac.
    fn where_to(&self) -> Destination {
        let mut destination = self.destination.clone();
        fill(&mut destination.id, self.asked_for.as_ref());
        let told = self.has_start_line() && (destination.mount_point.is_some() || destination.bsd_name.is_some());
        if destination.kind.is_none() && told && !self.by_log.any(|phase| phase.name() == "MountingDiskImage") {
            destination.kind = Some(DestinationKind::Local);
        }
        destination
    }

    fn warnings_of(&self, by_name: bool) -> Vec<Warning> {
        let mut warnings = self.warnings.clone();
        warnings.extend(self.unanswered_since.and_then(|since| status_gap(since, self.last_seen)));
        let mut warn = |code, field: &str, message: &str| {
            warnings.push(Warning { code, field: Some(field.to_owned()), message: message.to_owned() });
        };
        if matches!(self.verdict, Some((_, Verdict::Completed { after_thinning: true })))
            && self.thinning_began.is_some()
        {
            warn(
                WarningCode::EndBeforeVerdict,
                "ended_at",
                "the verdict of this release follows the removal of old backups, so the end is where that began",
            );
        }
        if by_name {
            warn(
                WarningCode::TimeFromName,
                "started_at",
                "no line tells the time; it is that in the name of the backup, which is given after mounting or at the end",
            );
        }
        let rounded =
            |amount: Option<Amount>| amount.is_some_and(|amount| amount.precision.is_some_and(|half| half > 1));
        if self.binary_sizes
            && (rounded(self.passes.bytes())
                || rounded(self.verdict_data.physical)
                || rounded(self.running_total.physical))
        {
            warn(
                WarningCode::BinarySizes,
                "copied.bytes",
                "the log is of Mac OS X 10.5, so its MB are taken as 1,048,576 bytes",
            );
        }
        warnings
    }

    /// What has been learnt.
    pub fn reading(&self) -> Reading {
        let ended = self.end_by_name().or_else(|| self.ended());
        let until = ended.map_or(self.last_seen, |(at, _)| at);
        let with_status = !self.by_status.is_empty();
        let spans = if with_status { &self.by_status } else { &self.by_log };
        let by_folder = if with_status { None } else { self.start_by_folder() };
        let by_name = self.end_by_name().is_some() || (self.started().is_none() && by_folder.is_some());
        Reading {
            trigger: self.trigger,
            first: self.first(),
            destination: self.where_to(),
            started: self.started().or(by_folder),
            ended,
            last_seen: self.last_seen,
            phases: spans.to_vec(self.last_seen),
            phases_source: if with_status { Source::Status } else { Source::Log },
            copy_duration: spans.copying(until).or(self.copy_time),
            claims: self.claims(),
            logical_bytes: self.logical_bytes(),
            items: self.items_claim(),
            outcome: self.outcome(),
            code: self.code(),
            destination_test: self.destination_test,
            stalls: with_status.then(|| self.counters.stalls(self.stall_after)),
            points: with_status.then(|| self.points.clone()),
            warnings: self.warnings_of(by_name),
        }
    }
}
