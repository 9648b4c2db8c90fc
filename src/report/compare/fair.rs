//! The check of fairness in words.

use super::letter;
use crate::domain::backup::{Backup, Outcome};
use crate::domain::compare::{self, Aspect, Check, Judgement, Verdict};
use crate::domain::link::Seen;
use crate::report::human::{self, UNKNOWN};
use crate::report::style::{PLAIN, Style, YELLOW};
use crate::report::text::{cut_middle, escape, pad_end, wrap};

/// Columns before the words of a line.
const MARGIN: usize = 23;
/// Names are no longer than this.
const LONGEST: usize = 40;
const NUMBERS: &[&str] = &["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/// The answer to `Fair?`.
pub fn heading(checks: &[Check], verdict: &Verdict) -> String {
    if matches!(verdict, Verdict::Refused(_)) {
        return "No.".to_owned();
    }
    match checks.iter().filter(|check| check.judgement.is_reservation()).count() {
        0 => "Yes.".to_owned(),
        1 => "With one reservation.".to_owned(),
        many => format!("With {} reservations.", NUMBERS.get(many).copied().unwrap_or("many")),
    }
}

fn word(judgement: Judgement) -> &'static str {
    if judgement == Judgement::Differs { "DIFFERS" } else { judgement.word() }
}

pub(super) fn lines(backups: &[&Backup], checks: &[Check], verdict: &Verdict, style: &Style) -> Vec<String> {
    let mut lines = vec![format!("Fair?  {}", heading(checks, verdict))];
    let room = style.width.map(|width| width.saturating_sub(MARGIN).max(10));
    for check in checks {
        let mut first = true;
        for text in detail(backups, *check) {
            for line in wrap(&style.glyphs(&escape(&text)), room) {
                let head = if first {
                    let ink = if check.judgement == Judgement::Differs { YELLOW } else { PLAIN };
                    let word = word(check.judgement);
                    let blanks = " ".repeat(9_usize.saturating_sub(word.len()));
                    format!("  {}{blanks}{}", style.paint(ink, word), pad_end(check.aspect.word(), 12))
                } else {
                    " ".repeat(MARGIN)
                };
                first = false;
                lines.push(format!("{head}{line}"));
            }
        }
    }
    lines
}

/// What was compared: one line where it is the same, else one a backup.
pub fn detail(backups: &[&Backup], check: Check) -> Vec<String> {
    match (check.aspect, check.judgement) {
        (Aspect::Data, _) => vec![data(backups)],
        (Aspect::Copying, _) => vec![copying(backups)],
        (Aspect::Interfaces, Judgement::Same) => vec![surely(backups)],
        (aspect, Judgement::Same | Judgement::Close) => {
            vec![backups.first().map_or_else(String::new, |backup| same(aspect, backup, backups.len()))]
        }
        (aspect, _) => {
            let one = |(place, backup): (usize, &&Backup)| format!("{} {}", letter(place), of(aspect, backup));
            backups.iter().enumerate().map(one).collect()
        }
    }
}

fn same(aspect: Aspect, backup: &Backup, count: usize) -> String {
    if aspect != Aspect::Kind {
        return of(aspect, backup);
    }
    let kind = if backup.first == Some(true) { "first backups" } else { "later backups" };
    let all = if count == 2 { "both" } else { "all" };
    format!("{kind}, {all} {}, one of each", backup.outcome)
}

fn join(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let known: Vec<String> = parts.into_iter().flatten().map(|part| cut_middle(&escape(&part), LONGEST, "…")).collect();
    if known.is_empty() { UNKNOWN.to_owned() } else { known.join(", ") }
}

/// One aspect of one backup.
fn of(aspect: Aspect, backup: &Backup) -> String {
    let conditions = &backup.conditions;
    match aspect {
        Aspect::Disk => join([
            backup.destination.name.clone(),
            backup.link().and_then(device),
            conditions.file_system.clone(),
            conditions.encrypted.map(|yes| if yes { "encrypted" } else { "not encrypted" }.to_owned()),
        ]),
        Aspect::Kind => {
            let kind = match backup.first {
                Some(true) => "a first backup",
                Some(false) => "a later backup",
                None => "first or later not known",
            };
            format!(
                "{kind}, {}",
                if backup.outcome == Outcome::Unknown { "outcome unknown" } else { backup.outcome.word() }
            )
        }
        Aspect::Macos => {
            let throttled = conditions.throttled.map(|on| format!("throttling {}", if on { "on" } else { "off" }));
            let power = conditions.power.as_ref().map(|power| format!("{power} power"));
            let parts: Vec<String> = [conditions.macos.clone(), throttled, power].into_iter().flatten().collect();
            if parts.is_empty() { UNKNOWN.to_owned() } else { parts.join("; ") }
        }
        Aspect::Interfaces => {
            let Some(link) = backup.link() else { return "not known".to_owned() };
            let sure = format!("{:?}", link.kind_confidence.min(link.rate_confidence)).to_lowercase();
            format!("{}; confidence: {sure}", link.kind.short())
        }
        Aspect::Data => backup.copied.data.map_or_else(|| UNKNOWN.to_owned(), |data| human::count(data.bytes)),
        Aspect::Copying => compare::copying_share(backup).map_or_else(|| UNKNOWN.to_owned(), human::whole_share),
        Aspect::Mac => join([
            backup.machine.model.clone(),
            backup.machine.chip.clone(),
            backup.machine.memory_bytes.map(memory),
            backup.machine.source_disk.clone(),
        ]),
        Aspect::Sleep => match crate::domain::stats::asleep_share(backup) {
            Some(share) => format!("slept through {} of its duration", human::whole_share(share)),
            None => "sleep not known".to_owned(),
        },
    }
}

/// The maker is said once.
fn device(link: &crate::domain::link::Link) -> Option<String> {
    let device = link.device.clone()?;
    match &link.vendor {
        Some(vendor) if !device.starts_with(vendor.as_str()) => Some(format!("{vendor} {device}")),
        _ => Some(device),
    }
}

/// Memory is sold in binary units under decimal names.
pub(super) fn memory(bytes: u64) -> String {
    format!("{} GB", human::count(bytes >> 30))
}

fn surely(backups: &[&Backup]) -> String {
    let all = if backups.len() == 2 { "both" } else { "all" };
    let after = |backup: &&Backup| backup.links.iter().any(|link| link.seen == Seen::After);
    let unchanged = if backups.iter().all(after) { ", unchanged to the end" } else { "" };
    format!("{all} read with certainty{unchanged}")
}

fn data(backups: &[&Backup]) -> String {
    let apart = |share: Option<f64>| match share {
        None => "not known of each".to_owned(),
        Some(0.0) => "the same".to_owned(),
        Some(share) => format!("{} apart", human::whole_share(share)),
    };
    let bytes = compare::apart(backups, |backup| backup.copied.data.map(|data| data.bytes));
    let items = compare::apart(backups, |backup| backup.copied.items);
    let items = items.map_or_else(String::new, |items| format!("; items {}", apart(Some(items))));
    format!("{}{items}", apart(bytes))
}

fn copying(backups: &[&Backup]) -> String {
    let share =
        |backup: &&Backup| compare::copying_share(backup).map_or_else(|| UNKNOWN.to_owned(), human::whole_share);
    format!("{} of the duration", super::sentence::list(&backups.iter().map(share).collect::<Vec<_>>()))
}
