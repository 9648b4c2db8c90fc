//! Backups side by side: which was faster, and whether that may be said of the links.

use std::time::Duration;

use super::backup::{Backup, Outcome, WarningCode};
use super::link::Confidence;
use super::stats::{self, Class, Group, LeftOut};
use super::units::BitRate;

/// Figures that are so near are close.
const CLOSE: f64 = 0.10;
/// Rates that are so near are the same to whoever waits.
const EQUAL: f64 = 1.05;
/// What must be the same for two backups to tell of their links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The disk, its file system, and whether it is encrypted.
    Disk,
    /// First or later, and completed.
    Kind,
    /// The release, throttling, and power.
    Macos,
    /// How surely the interfaces are known, and whether they stayed.
    Interfaces,
    /// How much was copied.
    Data,
    /// Which share of the duration was spent copying.
    Copying,
    /// The Mac and the disk that was read.
    Mac,
    /// Sleep.
    Sleep,
}

impl Aspect {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Kind => "kind",
            Self::Macos => "macOS",
            Self::Interfaces => "interfaces",
            Self::Data => "data",
            Self::Copying => "copying",
            Self::Mac => "Mac",
            Self::Sleep => "sleep",
        }
    }
}

/// How an aspect compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// The same.
    Same,
    /// Within a tenth.
    Close,
    /// Not known of each.
    Unknown,
    /// Not the same.
    Differs,
}

impl Judgement {
    /// The word for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Close => "close",
            Self::Unknown => "unknown",
            Self::Differs => "differs",
        }
    }

    /// Whether a verdict must mention it.
    pub fn is_reservation(self) -> bool {
        self >= Self::Unknown
    }
}

/// One line of the check of fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub aspect: Aspect,
    /// How it compares.
    pub judgement: Judgement,
}

/// Checks whether backups can tell of their links.
pub fn check(backups: &[&Backup]) -> Vec<Check> {
    let mut checks = vec![
        (Aspect::Disk, disk(backups)),
        (Aspect::Kind, kind(backups)),
        (Aspect::Macos, macos(backups)),
        (Aspect::Interfaces, interfaces(backups)),
        (Aspect::Data, data(backups)),
        (Aspect::Copying, copying(backups)),
        (Aspect::Mac, mac(backups)),
    ];
    if backups.iter().any(|backup| slept(backup)) {
        checks.push((Aspect::Sleep, Judgement::Differs));
    }
    // What speaks for fairness comes first, in the order above.
    checks.sort_by_key(|check| check.1);
    checks.into_iter().map(|(aspect, judgement)| Check { aspect, judgement }).collect()
}

/// Whether a backup was slept through for more than a moment.
pub fn slept(backup: &Backup) -> bool {
    stats::asleep_share(backup).is_some_and(|share| share > stats::ASLEEP)
}

/// Whether values are the same; `None` where one is not known and the known ones are.
fn same<T: PartialEq>(backups: &[&Backup], of: impl Fn(&Backup) -> Option<T>) -> Option<bool> {
    let values: Vec<Option<T>> = backups.iter().map(|backup| of(backup)).collect();
    let mut known = values.iter().flatten();
    let first = known.next()?;
    if known.any(|value| value != first) {
        return Some(false);
    }
    values.iter().all(Option::is_some).then_some(true)
}

/// The first decides if it is known; the others only where they are known to differ.
fn judge(decides: Option<bool>, others: &[Option<bool>]) -> Judgement {
    match decides {
        _ if decides == Some(false) || others.contains(&Some(false)) => Judgement::Differs,
        Some(_) => Judgement::Same,
        None => Judgement::Unknown,
    }
}

fn disk(backups: &[&Backup]) -> Judgement {
    let device = same(backups, |backup| backup.link()?.device.clone());
    let name = same(backups, |backup| backup.destination.name.clone());
    let id = same(backups, |backup| backup.destination.id.clone());
    // A disk that is set up anew gets another ID, so a name and a model together decide where there is none.
    let both = if device == Some(true) && name == Some(true) { Some(true) } else { None };
    let file_system = same(backups, |backup| backup.conditions.file_system.clone());
    let encrypted = same(backups, |backup| backup.conditions.encrypted);
    judge(id.or(both), &[device, file_system, encrypted])
}

fn kind(backups: &[&Backup]) -> Judgement {
    let completed = backups.iter().all(|backup| backup.outcome == Outcome::Completed);
    judge(same(backups, |backup| backup.first), &[completed.then_some(true).or(Some(false))])
}

fn macos(backups: &[&Backup]) -> Judgement {
    let throttled = same(backups, |backup| backup.conditions.throttled);
    let power = same(backups, |backup| backup.conditions.power.clone());
    judge(same(backups, |backup| backup.conditions.macos.clone()), &[throttled, power])
}

fn interfaces(backups: &[&Backup]) -> Judgement {
    let changed = |backup: &&Backup| backup.warnings.iter().any(|warning| warning.code == WarningCode::LinkChanged);
    let sure = |backup: &&Backup| {
        let link = backup.link();
        link.is_some_and(|link| link.kind_confidence.min(link.rate_confidence) >= Confidence::High)
    };
    if backups.iter().any(changed) {
        Judgement::Differs
    } else if backups.iter().all(sure) {
        Judgement::Same
    } else {
        Judgement::Unknown
    }
}

fn data(backups: &[&Backup]) -> Judgement {
    match apart(backups, |backup| backup.copied.data.filter(|data| data.bound.is_whole()).map(|data| data.bytes)) {
        None => Judgement::Unknown,
        Some(0.0) => Judgement::Same,
        Some(apart) if apart <= CLOSE => Judgement::Close,
        Some(_) => Judgement::Differs,
    }
}

/// By which share of the least the greatest of some counts is above it; `None` if one is not known.
pub fn apart(backups: &[&Backup], of: impl Fn(&Backup) -> Option<u64>) -> Option<f64> {
    let counts = backups.iter().map(|backup| of(backup)).collect::<Option<Vec<u64>>>()?;
    let (least, most) = (*counts.iter().min()?, *counts.iter().max()?);
    #[expect(clippy::cast_precision_loss, reason = "a share of two digits")]
    if most == least { Some(0.0) } else { stats::ratio((most - least) as f64, least as f64) }
}

/// Which share of its duration a backup spent copying.
pub fn copying_share(backup: &Backup) -> Option<f64> {
    let share = backup.copy_duration?.as_secs_f64();
    stats::ratio(share, backup.duration?.as_secs_f64())
}

fn copying(backups: &[&Backup]) -> Judgement {
    let Some(shares) = backups.iter().map(|backup| copying_share(backup)).collect::<Option<Vec<f64>>>() else {
        return Judgement::Unknown;
    };
    let (least, most) =
        shares.iter().fold((f64::MAX, f64::MIN), |(low, high), share| (low.min(*share), high.max(*share)));
    match most - least {
        off if off < 0.005 => Judgement::Same,
        off if off <= CLOSE => Judgement::Close,
        _ => Judgement::Differs,
    }
}

fn mac(backups: &[&Backup]) -> Judgement {
    let machine = |of: fn(&Backup) -> Option<String>| same(backups, of);
    judge(
        machine(|backup| backup.machine.model.clone()),
        &[
            machine(|backup| backup.machine.chip.clone()),
            same(backups, |backup| backup.machine.memory_bytes),
            machine(|backup| backup.machine.source_disk.clone()),
        ],
    )
}

/// When the time of a backup passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// From the start to the first copying.
    pub before: Option<Duration>,
    /// Copying.
    pub copying: Option<Duration>,
    /// The part of it in which no byte was copied; `None` if that was not observable.
    pub stalled: Option<Duration>,
    /// What remains.
    pub after: Option<Duration>,
    /// From start to end.
    pub total: Option<Duration>,
}

/// Divides the duration of a backup.
pub fn shares(backup: &Backup) -> Shares {
    let (total, copying) = (backup.duration, backup.copy_duration);
    let first = backup.phases.iter().position(|span| span.phase.is_copying());
    let room = total.zip(copying).and_then(|(total, copying)| total.checked_sub(copying));
    let by_clock = || {
        let began = backup.phases.get(first?)?.started.wall?;
        began.since(backup.started?).filter(|time| room.is_some_and(|room| *time <= room))
    };
    let by_phases = || {
        let spans = backup.phases.get(..first?)?;
        spans
            .iter()
            .map(|span| span.duration)
            .sum::<Option<Duration>>()
            .filter(|time| room.is_some_and(|room| *time <= room))
    };
    let before = by_clock().or_else(by_phases);
    let stalled = backup
        .stalls
        .as_ref()
        .map(|stalls| stalls.iter().fold(Duration::ZERO, |sum, stall| sum.saturating_add(stall.duration)));
    Shares {
        before,
        copying,
        stalled,
        after: room.zip(before).and_then(|(room, before)| room.checked_sub(before)),
        total,
    }
}

/// What one compares: one backup, or several that have something in common.
#[derive(Clone, Debug, Default)]
pub struct Side<'a> {
    /// What it was called, where its backups are not what it is called by.
    pub label: String,
    /// Its backups.
    pub backups: Vec<&'a Backup>,
}

impl Side<'_> {
    /// Its backups of one class that count.
    pub fn group(&self, class: Class, min_bytes: u64) -> Option<Group> {
        let counts = |backup: &&&Backup| Class::of(backup) == class && LeftOut::reason(backup, min_bytes).is_none();
        let own: Vec<&Backup> = self.backups.iter().filter(counts).copied().collect();
        let name = own.last().and_then(|backup| backup.link()).map(|link| link.kind.short().to_owned());
        (!own.is_empty()).then(|| Group::of(Some(self.label.clone()), name, class, &own))
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// These have no effective rate, by their place.
    NoRate(Vec<usize>),
    /// One is a first backup, another is not.
    Kinds,
    /// Too much differs.
    Differ(Vec<Aspect>),
}

/// Which was faster.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing can be said of the links.
    Refused(Refusal),
    /// The fastest, and how many times it is as fast as each of the others.
    Faster {
        /// Its place.
        fastest: usize,
        /// The others by place, in their order, each with a factor of at least 1.
        times: Vec<(usize, f64)>,
        /// Whether nobody would feel the difference.
        equal: bool,
        /// What speaks against laying it to the links.
        reservations: Vec<Check>,
    },
}

/// Compares single backups.
pub fn verdict(backups: &[&Backup]) -> Verdict {
    let rates: Vec<Option<f64>> =
        backups.iter().map(|backup| backup.effective_rate().map(BitRate::bps).filter(|rate| *rate > 0.0)).collect();
    let without: Vec<usize> = (0..rates.len()).filter(|&place| rates[place].is_none()).collect();
    if !without.is_empty() || rates.is_empty() {
        return Verdict::Refused(Refusal::NoRate(without));
    }
    if same(backups, |backup| backup.first) == Some(false) {
        return Verdict::Refused(Refusal::Kinds);
    }
    let Some((fastest, times)) = fastest(&rates) else { return Verdict::Refused(Refusal::NoRate(without)) };
    // Each pair must be fair by itself.
    for (other, _) in &times {
        let differing: Vec<Aspect> = check(&[backups[fastest], backups[*other]])
            .into_iter()
            .filter(|check| check.judgement == Judgement::Differs)
            .map(|check| check.aspect)
            .collect();
        if differing.len() > 1 {
            return Verdict::Refused(Refusal::Differ(differing));
        }
    }
    let reservations = check(backups).into_iter().filter(|check| check.judgement.is_reservation()).collect();
    let equal = times.iter().all(|(_, times)| *times < EQUAL);
    Verdict::Faster { fastest, times, equal, reservations }
}

/// The place of the greatest rate, and how many times it is each of the others.
pub fn fastest(rates: &[Option<f64>]) -> Option<(usize, Vec<(usize, f64)>)> {
    let known: Vec<(usize, f64)> =
        rates.iter().enumerate().filter_map(|(place, rate)| Some((place, (*rate)?))).collect();
    // Of equals the first.
    let (fastest, top) = known.iter().copied().rev().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let others = known.iter().filter(|(place, _)| *place != fastest);
    Some((fastest, others.filter_map(|(place, rate)| Some((*place, stats::ratio(top, *rate)?))).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::link::LinkKind;
    use crate::domain::stats::tests::backup;

    fn pair() -> (Backup, Backup) {
        let side = |kind, gigabytes, seconds| {
            let mut backup = backup(Some(kind), gigabytes, seconds, Some(true));
            backup.destination.id = Some("D".to_owned());
            backup.conditions.macos = Some("13.6".to_owned());
            backup.machine.model = Some("Mac14,2".to_owned());
            backup.copy_duration = backup.duration.map(|time| time.mul_f64(0.9));
            backup
        };
        (side(LinkKind::Usb3Gen1, 91.0, 2520), side(LinkKind::Usb2, 93.0, 5400))
    }

    fn judged(a: &Backup, b: &Backup, aspect: Aspect) -> Judgement {
        check(&[a, b]).iter().find(|check| check.aspect == aspect).unwrap().judgement
    }

    #[test]
    fn a_fair_pair_has_a_verdict_without_reservation() {
        let (a, b) = pair();
        let Verdict::Faster { fastest, times, equal, reservations } = verdict(&[&b, &a]) else { panic!() };
        assert_eq!((fastest, times.len(), equal, reservations.len()), (1, 1, false, 0));
        assert!((times[0].1 - 91.0 / 2520.0 * 5400.0 / 93.0).abs() < 1e-9);
        assert_eq!(judged(&a, &b, Aspect::Data), Judgement::Close);
    }

    #[test]
    fn one_difference_is_a_reservation_and_two_are_too_many() {
        let (a, mut b) = pair();
        b.machine.model = Some("Mac15,3".to_owned());
        let Verdict::Faster { reservations, .. } = verdict(&[&a, &b]) else { panic!() };
        assert_eq!(reservations, [Check { aspect: Aspect::Mac, judgement: Judgement::Differs }]);
        b.conditions.throttled = Some(true);
        assert!(matches!(verdict(&[&a, &b]), Verdict::Faster { .. }), "only one side is known");
        b.destination.id = Some("E".to_owned());
        assert_eq!(verdict(&[&a, &b]), Verdict::Refused(Refusal::Differ(vec![Aspect::Disk, Aspect::Mac])));
    }

    #[test]
    fn what_is_not_known_is_a_reservation() {
        let (a, mut b) = pair();
        b.destination.id = None;
        b.links[0].rate_confidence = Confidence::Low;
        assert_eq!(judged(&a, &b, Aspect::Disk), Judgement::Unknown);
        assert_eq!(judged(&a, &b, Aspect::Interfaces), Judgement::Unknown);
        let Verdict::Faster { reservations, .. } = verdict(&[&a, &b]) else { panic!() };
        assert_eq!(reservations.len(), 2);
    }

    #[test]
    fn a_first_backup_is_not_set_against_a_later_one() {
        let (a, mut b) = pair();
        b.first = Some(false);
        assert_eq!(verdict(&[&a, &b]), Verdict::Refused(Refusal::Kinds));
        b.copied.data = None;
        assert_eq!(verdict(&[&a, &b]), Verdict::Refused(Refusal::NoRate(vec![1])));
    }

    #[test]
    fn sleep_counts_only_where_someone_slept() {
        let (a, mut b) = pair();
        assert!(check(&[&a, &b]).iter().all(|check| check.aspect != Aspect::Sleep));
        b.asleep = Some(Duration::from_secs(600));
        assert_eq!(judged(&a, &b, Aspect::Sleep), Judgement::Differs);
    }
}
