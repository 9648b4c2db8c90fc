//! One backup at length: where its time went, its figures and what they rest on, and the answer last.

mod answer;
mod interface;
mod narrow;
mod surroundings;

use std::time::Duration;

use super::chart;
use super::grid::{Align, Cell, Column, Grid};
use super::human::{self, UNKNOWN};
use super::style::{Style, YELLOW};
use super::text::{bar, escape, wrap};
use crate::domain::backup::{Backup, Outcome, Stall, WarningCode};
use crate::domain::phase::{Phase, Stage};
use crate::domain::time::Wall;
use crate::domain::units::{Amount, BitRate, Bound};

/// The lines of the summary.
pub(super) fn lines(backup: &Backup, style: &Style, with_chart: bool) -> Vec<String> {
    if style.is_narrow() {
        return narrow::lines(backup, style);
    }
    let mut blocks = Vec::new();
    if with_chart {
        blocks.extend(chart::lines(backup, style));
    }
    blocks.push(phases(backup, style));
    blocks.push(details(backup, style));
    if rates_are_whole(backup) {
        blocks.push(throughput(backup, style));
    }
    blocks.push(answer::lines(backup, style));
    join(blocks)
}

/// Puts an empty line between blocks.
fn join(mut blocks: Vec<Vec<String>>) -> Vec<String> {
    blocks.retain(|block| !block.is_empty());
    blocks.join(&String::new())
}

/// Whether the backup's data are whole, so that its rates are those of the backup.
fn rates_are_whole(backup: &Backup) -> bool {
    backup.copied.data.is_some_and(|data| data.bound.is_whole()) && backup.outcome != Outcome::Running
}

/// Time spent in phases of one name.
struct PhaseTime<'a> {
    phase: &'a Phase,
    time: Option<Duration>,
}

/// Adds up phases of one name, in the order of their first appearance.
fn phase_times(backup: &Backup) -> Vec<PhaseTime<'_>> {
    let mut times: Vec<PhaseTime<'_>> = Vec::new();
    for span in &backup.phases {
        match times.iter_mut().find(|time| *time.phase == span.phase) {
            Some(time) => time.time = time.time.zip(span.duration).map(|(a, b)| a.saturating_add(b)),
            None => times.push(PhaseTime { phase: &span.phase, time: span.duration }),
        }
    }
    times
}

/// Which share of the backup's duration a time is. Blank for what isn't part of it.
fn share_of_duration(backup: &Backup, time: Option<Duration>) -> Option<f64> {
    let whole = backup.duration.filter(|whole| !whole.is_zero())?;
    Some(time?.as_secs_f64() / whole.as_secs_f64())
}

fn stalled(stalls: &[Stall]) -> Duration {
    stalls.iter().fold(Duration::ZERO, |sum, stall| sum.saturating_add(stall.duration))
}

fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| UNKNOWN.to_owned())
}

fn phases(backup: &Backup, style: &Style) -> Vec<String> {
    let times = phase_times(backup);
    if times.is_empty() {
        return Vec::new();
    }
    let table = |bar_columns: usize| {
        let mut grid = Grid::new(vec![
            Column::new("", "where the time went", Align::Left).shrinking(12),
            Column::new("", "h:mm:ss", Align::Right),
            Column::new("", "share", Align::Right),
            Column::new("", "", Align::Left),
        ]);
        let mut row = |name: &str, time: Option<Duration>| {
            let share = share_of_duration(backup, time);
            let drawn = share.map_or_else(String::new, |share| bar(share, bar_columns, false, style.ascii));
            grid.row(vec![
                name.into(),
                or_unknown(time.map(human::hms)).into(),
                or_unknown(share.map(human::whole_share)).into(),
                drawn.into(),
            ]);
        };
        let (after, within): (Vec<_>, Vec<_>) =
            times.iter().partition(|time| time.phase.stage() == Stage::ThinningAfter);
        for time in within {
            row(time.phase.name(), time.time);
            if let (true, Some(stalls)) = (time.phase.is_copying(), backup.stalls.as_deref())
                && !stalls.is_empty()
            {
                row("  of it stalled", Some(stalled(stalls)));
            }
        }
        for time in after {
            grid.row(vec![
                time.phase.name().into(),
                or_unknown(time.time.map(human::hms)).into(),
                "".into(),
                "after the end, not counted".into(),
            ]);
        }
        grid
    };
    [30, 20, 10].into_iter().find_map(|columns| table(columns).fitting(style)).unwrap_or_else(|| table(1).lines(style))
}

/// Columns of the labels with their gap.
const MARGIN: usize = 11;

/// A figure or a remark behind its name.
struct Detail {
    label: &'static str,
    lines: Vec<String>,
    ink: anstyle::Style,
}

impl Detail {
    fn new(label: &'static str, lines: impl IntoIterator<Item = String>) -> Self {
        Self { label, lines: lines.into_iter().collect(), ink: super::style::PLAIN }
    }

    fn one(label: &'static str, line: impl Into<String>) -> Self {
        Self::new(label, [line.into()])
    }

    /// Writes the label into a margin of `margin` columns, and the lines, wrapped, beside it.
    fn write(&self, margin: usize, style: &Style, out: &mut Vec<String>) {
        let room = style.width.map(|width| width.saturating_sub(margin).max(10));
        let lines = self.lines.iter().flat_map(|line| wrap(&style.glyphs(&escape(line)), room));
        for (number, line) in lines.enumerate() {
            let label = if number == 0 { self.label } else { "" };
            let blanks = " ".repeat(margin.saturating_sub(label.len()));
            out.push(format!("{}{blanks}{line}", style.paint(self.ink, label)));
        }
    }
}

fn details(backup: &Backup, style: &Style) -> Vec<String> {
    let mut details = Vec::new();
    details.extend(why(backup));
    details.push(Detail::one("data", data(backup, style)));
    details.push(Detail::one("duration", duration(backup)));
    details.extend(asleep(backup));
    details.push(Detail::one("copy time", copy_time(backup)));
    if !rates_are_whole(backup) {
        details.push(Detail::one("effective", format!("–         {}", why_no_rate(backup))));
        details.extend(backup.copy_rate().map(|rate| {
            let rate = format!("{}, {} to the last sample", mega_bytes(rate, style), mega_bits(rate, style));
            Detail::one("copying", rate)
        }));
    }
    details.push(Detail::one("stalls", stalls(backup.stalls.as_deref())));
    details.push(Detail::new("interface", interface::lines(backup)));
    details.extend(surroundings::machine(&backup.machine).map(|line| Detail::one("machine", line)));
    let conditions = surroundings::conditions(&backup.conditions, style);
    details.extend((!conditions.is_empty()).then(|| Detail::new("conditions", conditions)));
    details.extend(warnings(backup));
    let mut out = Vec::new();
    for detail in details {
        detail.write(MARGIN, style, &mut out);
    }
    out
}

fn warnings(backup: &Backup) -> impl Iterator<Item = Detail> {
    backup.warnings.iter().map(|warning| Detail { ink: YELLOW, ..Detail::one("warning", warning.message.clone()) })
}

/// Why it failed, was cancelled or put off.
fn why(backup: &Backup) -> Option<Detail> {
    let failure = backup.failure.as_ref()?;
    let parts: Vec<_> = [&failure.name, &failure.message].into_iter().flatten().cloned().collect();
    (!parts.is_empty()).then(|| Detail::one("why", parts.join(": ")))
}

fn data(backup: &Backup, style: &Style) -> String {
    let copied = backup.copied;
    let Some(data) = copied.data else {
        let items = copied.items.map(|items| format!(", {}", human::counted(items, "item", "items")));
        return format!("{UNKNOWN}{}", items.unwrap_or_default());
    };
    let source = backup.sources.get("copied.bytes").map(|source| source.word());
    let mut origin = vec![exactness(data, source, style)];
    origin.extend(source.map(|source| format!("from {source}")));
    origin.retain(|part| !part.is_empty());
    let origin = if origin.is_empty() { String::new() } else { format!(" ({})", origin.join(", ")) };
    let items = copied
        .items
        .map_or_else(String::new, |items| format!(", {}{}", items_mark(data), human::counted(items, "item", "items")));
    format!("{}{} copied{origin}{items}", human::mark(data.bound), human::bytes(data.bytes, style.units))
}

/// How exact an amount is: its digits, or how far off it may be.
fn exactness(data: Amount, source: Option<&str>, style: &Style) -> String {
    let digits = human::counted(data.bytes, "byte", "bytes");
    match (data.bound, data.precision) {
        (Bound::Rounded, Some(off)) => format!("±{}", human::margin(off, style.units)),
        (Bound::Rounded, None) => "rounded".to_owned(),
        (Bound::AtLeast, _) if source == Some("status") => format!("{digits} at the last sample"),
        _ => digits,
    }
}

/// Items are counted as far as bytes are.
fn items_mark(data: Amount) -> &'static str {
    if data.bound == Bound::AtLeast { human::mark(data.bound) } else { "" }
}

fn duration(backup: &Backup) -> String {
    let Some(time) = backup.duration else {
        return backup.started.map_or_else(
            || UNKNOWN.to_owned(),
            |start| {
                format!(
                    "–         began at {}",
                    [Some(human::time_of_day(start)), human::date(start)]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            },
        );
    };
    let mut text = human::hms(time);
    if let (Some(start), Some(end)) = (backup.started, backup.ended) {
        text = format!("{text}   {}; {}", span(start, end), limits(backup));
    }
    text
}

/// From when to when, the date once if it is the same.
fn span(start: Wall, end: Wall) -> String {
    let (first, last) = (human::time_of_day(start), human::time_of_day(end));
    match (human::date(start), human::date(end)) {
        (Some(a), Some(b)) if a == b => format!("{first} to {last}, {a}"),
        (Some(a), Some(b)) => format!("{a} {first} to {b} {last}"),
        _ => format!("{first} to {last}"),
    }
}

/// What the duration reaches from and to.
fn limits(backup: &Backup) -> String {
    if backup.outcome == Outcome::Running {
        return "still running".to_owned();
    }
    if backup.warnings.iter().any(|warning| warning.code == WarningCode::EndBeforeVerdict) {
        return "start to the removal of old backups".to_owned();
    }
    match backup.sources.get("ended_at").map(|source| source.word()) {
        Some("log") => "start to verdict".to_owned(),
        Some("status") => "start to the last status of the copy".to_owned(),
        Some(source) => format!("end from {source}"),
        None => "start to end".to_owned(),
    }
}

fn asleep(backup: &Backup) -> Option<Detail> {
    let asleep = backup.asleep.filter(|asleep| *asleep >= Duration::from_secs(1))?;
    Some(Detail::one("asleep", format!("{}   of the duration, in which nothing was copied", human::hms(asleep))))
}

fn copy_time(backup: &Backup) -> String {
    let Some(time) = backup.copy_duration else { return UNKNOWN.to_owned() };
    let passes = backup.phases.iter().filter(|span| span.phase.is_copying()).count();
    let note = match passes {
        _ if !rates_are_whole(backup) => "to the last sample".to_owned(),
        0 => return human::hms(time),
        1 => "one pass".to_owned(),
        more => format!("{more} passes"),
    };
    format!("{}   {note}", human::hms(time))
}

fn why_no_rate(backup: &Backup) -> &'static str {
    match backup.copied.data.map(|data| data.bound) {
        None => "not known, for the data aren't",
        Some(Bound::AtLeast) => "not given, the backup isn't whole",
        Some(Bound::AtMost | Bound::Estimate) => "not given, the data are only estimated",
        Some(Bound::Exact | Bound::Rounded) => "not given, it is still running",
    }
}

fn stalls(stalls: Option<&[Stall]>) -> String {
    let Some(stalls) = stalls else { return "–         not observable here".to_owned() };
    if stalls.is_empty() {
        return "none".to_owned();
    }
    let kinds = [(Some(false), "with nothing moving"), (Some(true), "with items only"), (None, "without a byte")];
    let told = kinds.iter().filter_map(|(moved, words)| {
        let times: Vec<_> =
            stalls.iter().filter(|stall| stall.items_moved == *moved).map(|stall| stall.duration).collect();
        let longest = human::clock(*times.iter().max()?);
        let longest = if times.len() == 1 { longest } else { format!("longest {longest}") };
        Some(format!("{} {words} ({longest})", times.len()))
    });
    format!("{}   {}", human::hms(stalled(stalls)), told.collect::<Vec<_>>().join(", "))
}

fn mega_bytes(rate: BitRate, style: &Style) -> String {
    format!("{} {}", human::byte_rate(rate, style.units), style.units.byte_rate())
}

fn mega_bits(rate: BitRate, style: &Style) -> String {
    format!("{} {}", human::bit_rate(rate, style.units), style.units.bit_rate())
}

fn throughput(backup: &Backup, style: &Style) -> Vec<String> {
    let link = backup.link();
    let negotiated = link.and_then(|link| link.negotiated_bps);
    let practical = link.and_then(|link| link.practical_bps);
    // What fewer columns leave out: how it is computed, then the practical rate.
    let table = |left_out: usize| {
        let columns = [
            Column::new("throughput", "", Align::Left),
            Column::new("", style.units.byte_rate(), Align::Right),
            Column::new("", style.units.bit_rate(), Align::Right),
            Column::new("of nominal", &or_unknown(negotiated.map(human::link_rate)), Align::Right),
            Column::new(
                "of practical",
                &or_unknown(practical.map(|bps| human::practical_rate(bps, style.units))),
                Align::Right,
            ),
            Column::new("", "how computed", Align::Left),
        ];
        let kept = columns.len() - left_out;
        let mut grid = Grid::new(columns.into_iter().take(kept).collect());
        for (name, rate, divisor) in [
            ("effective", backup.effective_rate(), "data / duration"),
            ("while copying", backup.copy_rate(), "data / copy time"),
        ] {
            let share =
                |of: Option<u64>| or_unknown(rate.zip(of).and_then(|(rate, of)| rate.share_of(of)).map(human::share));
            let cells: [Cell; 6] = [
                name.into(),
                or_unknown(rate.map(|rate| human::byte_rate(rate, style.units))).into(),
                or_unknown(rate.map(|rate| human::bit_rate(rate, style.units))).into(),
                share(negotiated).into(),
                share(practical).into(),
                divisor.into(),
            ];
            grid.row(cells.into_iter().take(kept).collect());
        }
        grid
    };
    [0, 1].into_iter().find_map(|left_out| table(left_out).fitting(style)).unwrap_or_else(|| table(2).lines(style))
}

#[cfg(test)]
mod tests;
