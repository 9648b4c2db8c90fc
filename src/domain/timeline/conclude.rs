//! What a draft comes to: outcome, claims about the data, and the reading of it all.

use super::draft::{Draft, Verdict, status_gap};
use crate::domain::backup::{Outcome, Source, Warning, WarningCode};
use crate::domain::destination::fill;
use crate::domain::event::ResultCode;
use crate::domain::reading::{Claim, Grade, Reading};
use crate::domain::units::{Amount, Bound};

impl Draft {
    fn outcome(&self) -> (Outcome, Option<Source>) {
        match &self.verdict {
            Some((_, Verdict::Completed { .. })) => return (Outcome::Completed, Some(Source::Log)),
            Some((_, Verdict::Failed(_))) => return (Outcome::Failed, Some(Source::Log)),
            Some((_, Verdict::Cancelled(_))) => return (Outcome::Cancelled, Some(Source::Log)),
            Some((_, Verdict::Deferred(_))) => return (Outcome::Deferred, Some(Source::Log)),
            None => {}
        }
        let over = self.idle.is_some() || self.left_copy.is_some();
        if over && self.stopping {
            (Outcome::Cancelled, Some(Source::Status))
        } else if over && self.cancel_requested {
            (Outcome::Cancelled, Some(Source::Log))
        } else if self.interrupted && !over {
            (Outcome::Interrupted, None)
        } else if !over && self.last_sample.as_ref().is_some_and(|sample| sample.running) {
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
            let over = self.ended().is_some();
            let exact = over && amount.bound == Bound::Exact;
            let grade = if exact { Grade::SettledCounter } else { Grade::Running };
            claim(grade, if exact { amount } else { Amount::at_least(amount.bytes) }, Source::Status);
        }
        if let Some(amount) = self.volume_sum() {
            claim(Grade::VolumeSum, amount, Source::Log);
        }
        if let Some(amount) = self.verdict_data.physical {
            claim(Grade::Verdict, amount, Source::Log);
        }
        if let Some(amount) = self.running_total.physical {
            claim(Grade::Running, Amount::at_least(lowest(amount)), Source::Log);
        }
        claims
    }

    /// What the passes copied, added up; no more than a lower bound where the backup did not complete.
    fn volume_sum(&self) -> Option<Amount> {
        let parts: Vec<Amount> = self.volumes.iter().filter_map(|data| data.physical).collect();
        let (first, rest) = parts.split_first()?;
        let sum = rest.iter().fold(*first, |sum, part| Amount {
            bytes: sum.bytes.saturating_add(part.bytes),
            bound: if sum.bound == Bound::Exact { part.bound } else { sum.bound },
            precision: Some(sum.precision.unwrap_or(0).saturating_add(part.precision.unwrap_or(0))),
        });
        let whole = self.is_completed() && parts.len() == self.volumes.len();
        Some(if whole { sum } else { Amount::at_least(lowest(sum)) })
    }

    fn items_claim(&self) -> Option<(u64, Source)> {
        let of_volumes: Vec<u64> = self.volumes.iter().filter_map(|data| data.items).collect();
        if !of_volumes.is_empty() && of_volumes.len() == self.volumes.len() {
            return Some((of_volumes.iter().fold(0, |sum: u64, n| sum.saturating_add(*n)), Source::Log));
        }
        self.verdict_data
            .items
            .map(|items| (items, Source::Log))
            .or(self.counters.items().map(|items| (items, Source::Status)))
            .or(self.running_total.items.map(|items| (items, Source::Log)))
    }

    fn logical_bytes(&self) -> Option<u64> {
        let of_volumes: Vec<u64> =
            self.volumes.iter().filter_map(|data| data.logical.map(|amount| amount.bytes)).collect();
        let complete = !of_volumes.is_empty() && of_volumes.len() == self.volumes.len();
        complete.then(|| of_volumes.iter().fold(0, |sum: u64, n| sum.saturating_add(*n)))
    }

    fn code(&self) -> Option<ResultCode> {
        match &self.verdict {
            Some((_, Verdict::Failed(code) | Verdict::Cancelled(code) | Verdict::Deferred(code))) => {
                Some(code.clone()).filter(|code| *code != ResultCode::default()).or_else(|| self.cause.clone())
            }
            Some((_, Verdict::Completed { .. })) => None,
            None => self.cause.clone(),
        }
    }

    /// What has been learnt.
    pub fn reading(&self) -> Reading {
        let ended = self.ended();
        let until = ended.map_or(self.last_seen, |(at, _)| at);
        let with_status = !self.by_status.is_empty();
        let spans = if with_status { &self.by_status } else { &self.by_log };
        let mut warnings = self.warnings.clone();
        warnings.extend(self.unanswered_since.and_then(|since| status_gap(since, self.last_seen)));
        let mut destination = self.destination.clone();
        fill(&mut destination.id, self.asked_for.as_ref());
        if matches!(self.verdict, Some((_, Verdict::Completed { after_thinning: true })))
            && self.thinning_began.is_some()
        {
            warnings.push(Warning {
                code: WarningCode::EndBeforeVerdict,
                field: Some("ended_at".to_owned()),
                message:
                    "the verdict of this release follows the removal of old backups, so the end is where that began"
                        .to_owned(),
            });
        }
        Reading {
            trigger: self.trigger,
            first: self.first(),
            destination,
            started: self.started(),
            ended,
            last_seen: self.last_seen,
            phases: spans.to_vec(self.last_seen),
            phases_source: if with_status { Source::Status } else { Source::Log },
            copy_duration: spans.copying(until),
            claims: self.claims(),
            logical_bytes: self.logical_bytes(),
            items: self.items_claim(),
            outcome: self.outcome(),
            code: self.code(),
            destination_test: None,
            stalls: with_status.then(|| self.counters.stalls(self.stall_after)),
            points: with_status.then(|| self.points.clone()),
            warnings,
        }
    }
}

fn lowest(amount: Amount) -> u64 {
    amount.bytes.saturating_sub(if amount.bound == Bound::Rounded { amount.precision.unwrap_or(0) } else { 0 })
}
