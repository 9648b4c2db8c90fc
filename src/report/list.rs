//! Several backups, a row each.

use super::Report;
use super::grid::{Align, Cell, Column, Grid};
use super::human::{self, ByteUnit, UNKNOWN};
use super::style::{BOLD, PLAIN, RED, Style, YELLOW};
use super::text::wrap;
use crate::domain::backup::{Backup, Outcome};
use crate::domain::units::{Amount, Bound};

/// The lines of the list: the table, what its codes mean, how many there are and what was left out.
pub(super) fn lines(report: &Report<'_>, style: &Style) -> Vec<String> {
    let backups = report.backups;
    let mut blocks = Vec::new();
    if !backups.is_empty() {
        blocks.push(if style.is_narrow() { short(backups, style) } else { table(backups, style) });
        blocks.push(codes(backups, style));
    }
    blocks.push(counts(report, style));
    blocks.retain(|block| !block.is_empty());
    blocks.join(&String::new())
}

/// The columns of the table, in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Start,
    Interface,
    Duration,
    Data,
    Items,
    Effective,
    Destination,
    Outcome,
}

const FIELDS: &[Field] = &[
    Field::Start,
    Field::Interface,
    Field::Duration,
    Field::Data,
    Field::Items,
    Field::Effective,
    Field::Destination,
    Field::Outcome,
];

/// The columns that leave where there is no room, the first first.
const LEAVING: &[Field] = &[Field::Items, Field::Destination, Field::Interface];

fn table(backups: &[Backup], style: &Style) -> Vec<String> {
    let unit = unit(backups, style);
    let mut fields = FIELDS.to_vec();
    // Logs and records tell nothing of interfaces: without any the question doesn't arise.
    fields.retain(|field| *field != Field::Interface || backups.iter().any(|backup| !backup.links.is_empty()));
    let mut leaving = LEAVING.iter();
    loop {
        let mut grid = Grid::new(fields.iter().map(|field| field.column(unit, style)).collect());
        for backup in backups {
            grid.row(fields.iter().map(|field| field.cell(backup, unit, style)).collect());
        }
        match (grid.fitting(style), leaving.next()) {
            (Some(lines), _) => return lines,
            (None, Some(least)) => fields.retain(|field| field != least),
            (None, None) => return grid.lines(style),
        }
    }
}

/// One unit for all: that of the largest amount, but not above GB for the sake of the small ones.
fn unit(backups: &[Backup], style: &Style) -> ByteUnit {
    let largest = backups.iter().filter_map(|backup| backup.copied.data).map(|data| data.bytes).max().unwrap_or(0);
    style.units.unit_for(largest.clamp(1_100_000, 900_000_000_000))
}

impl Field {
    fn column(self, unit: ByteUnit, style: &Style) -> Column {
        match self {
            Self::Start => Column::new("", "start", Align::Left),
            Self::Interface => Column::new("", "interface", Align::Left),
            Self::Duration => Column::new("duration", "h:mm:ss", Align::Right),
            Self::Data => Column::new("data", unit.name, Align::Decimal),
            Self::Items => Column::new("", "items", Align::Right),
            Self::Effective => Column::new("effective", style.units.bit_rate(), Align::Decimal),
            Self::Destination => Column::new("", "to", Align::Left).shrinking(8),
            Self::Outcome => Column::new("", "outcome", Align::Left),
        }
    }

    fn cell(self, backup: &Backup, unit: ByteUnit, style: &Style) -> Cell {
        let text = match self {
            Self::Start => Some(human::start(backup.started)),
            Self::Interface => backup.link().map(|link| link.kind.short().to_owned()),
            Self::Duration => backup.duration.map(human::hms),
            Self::Data => backup.copied.data.map(|data| data_in(data, unit)),
            Self::Items => items(backup),
            Self::Effective => rate(backup, style),
            Self::Destination => backup.destination.name.clone(),
            Self::Outcome => return Cell::inked(outcome(backup), ink(backup.outcome)),
        };
        text.unwrap_or_else(|| UNKNOWN.to_owned()).into()
    }
}

fn data_in(data: Amount, unit: ByteUnit) -> String {
    format!("{}{}", human::mark(data.bound), human::in_unit(data.bytes, unit))
}

fn items(backup: &Backup) -> Option<String> {
    let at_least = backup.copied.data.filter(|data| data.bound == Bound::AtLeast);
    let mark = at_least.map_or("", |data| human::mark(data.bound));
    backup.copied.items.map(|items| format!("{mark}{}", human::count(items)))
}

/// No rate for a backup that is not whole: its bytes are a bound, and so the rate would be.
fn rate(backup: &Backup, style: &Style) -> Option<String> {
    backup.effective_rate().map(|rate| human::bit_rate(rate, style.units))
}

fn outcome(backup: &Backup) -> String {
    match backup.failure.as_ref().and_then(|failure| failure.code) {
        Some(code) if backup.outcome == Outcome::Failed => format!("{} {code}", backup.outcome),
        _ => backup.outcome.to_string(),
    }
}

fn ink(outcome: Outcome) -> anstyle::Style {
    match outcome {
        Outcome::Completed | Outcome::Running => PLAIN,
        Outcome::Failed => RED,
        _ => YELLOW,
    }
}

/// Two lines a backup.
fn short(backups: &[Backup], style: &Style) -> Vec<String> {
    let mut lines = Vec::new();
    for backup in backups {
        let outcome = style.paint(ink(backup.outcome), &outcome(backup));
        lines.push(format!("{}  {outcome}", style.glyphs(&human::start(backup.started))));
        let unit = unit(std::slice::from_ref(backup), style);
        // In words one may change the unit, but small backups beside large ones are compared in one.
        let unit = if unit.name.starts_with('k') { unit } else { self::unit(backups, style) };
        let figures = format!(
            "  {}  {} {}  {} {}",
            backup.duration.map_or_else(|| UNKNOWN.to_owned(), human::hms),
            backup.copied.data.map_or_else(|| UNKNOWN.to_owned(), |data| data_in(data, unit)),
            unit.name,
            rate(backup, style).unwrap_or_else(|| UNKNOWN.to_owned()),
            style.units.bit_rate(),
        );
        lines.push(style.glyphs(&figures));
    }
    lines
}

/// What the codes of failures mean, each once, in the order of the table.
fn codes(backups: &[Backup], style: &Style) -> Vec<String> {
    let mut known: Vec<i64> = Vec::new();
    let mut rows: Vec<(String, String)> = Vec::new();
    for failure in backups.iter().filter(|backup| backup.outcome == Outcome::Failed).filter_map(|b| b.failure.as_ref())
    {
        let Some(code) = failure.code.filter(|code| !known.contains(code)) else { continue };
        known.push(code);
        let meaning = match (&failure.name, &failure.message) {
            (Some(name), Some(message)) => format!("{name}: {message}"),
            (None, Some(message)) => format!("{message} (no name is told)"),
            (Some(name), None) => name.clone(),
            (None, None) => "no reason is told".to_owned(),
        };
        rows.push((code.to_string(), style.glyphs(&super::text::escape(&meaning))));
    }
    let margin = rows.iter().map(|row| row.0.len()).max().unwrap_or(0) + 2;
    let mut lines = Vec::new();
    for (code, meaning) in rows {
        let room = style.width.map(|width| width.saturating_sub(margin).max(10));
        for (number, line) in wrap(&meaning, room).iter().enumerate() {
            let code = if number == 0 { code.as_str() } else { "" };
            lines.push(format!("{code:margin$}{line}"));
        }
    }
    lines
}

fn counts(report: &Report<'_>, style: &Style) -> Vec<String> {
    let mut sentences = vec![how_many(report)];
    sentences.extend(explanations(report.backups));
    sentences.extend(skipped(report));
    // The first sentence is the answer.
    let mut lines = Vec::new();
    for (number, sentence) in sentences.iter().enumerate() {
        let ink = if number == 0 { BOLD } else { PLAIN };
        lines.extend(wrap(&style.glyphs(sentence), style.width).iter().map(|line| style.paint(ink, line)));
    }
    lines
}

fn how_many(report: &Report<'_>) -> String {
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let total = human::counted(number(report.backups.len()), "backup", "backups");
    let files = report.files.map(|files| format!(" in {}", human::counted(number(files), "file", "files")));
    let outcomes: Vec<_> = Outcome::ALL
        .iter()
        .filter_map(|outcome| {
            let count = report.backups.iter().filter(|backup| backup.outcome == *outcome).count();
            let word = if *outcome == Outcome::Unknown { "of unknown outcome" } else { outcome.word() };
            (count > 0).then(|| format!("{} {word}", human::count(number(count))))
        })
        .collect();
    let outcomes = if outcomes.is_empty() { String::new() } else { format!(": {}", outcomes.join(", ")) };
    format!("{total}{}{outcomes}.", files.unwrap_or_default())
}

/// What the marks and words above mean, where they stand.
fn explanations(backups: &[Backup]) -> Vec<String> {
    let mut told = Vec::new();
    if backups.iter().any(|backup| backup.copied.data.is_some_and(|data| data.bound == Bound::AtLeast)) {
        told.push("≥ at least: the log ends or the backup broke off before the final figure.".to_owned());
    }
    let words: Vec<_> = [
        (Outcome::Interrupted, "interrupted: the next one began without a verdict"),
        (Outcome::Unknown, "unknown: no verdict was found"),
    ]
    .iter()
    .filter(|(outcome, _)| backups.iter().any(|backup| backup.outcome == *outcome))
    .map(|row| row.1)
    .collect();
    if !words.is_empty() {
        told.push(format!("{}.", words.join("; ")));
    }
    told
}

fn skipped(report: &Report<'_>) -> Option<String> {
    let reasons: Vec<_> =
        report.skipped.reasons.iter().map(|(reason, count)| format!("{} {reason}", human::count(*count))).collect();
    (!reasons.is_empty()).then(|| format!("Left out: {} (--explain).", reasons.join(", ")))
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
