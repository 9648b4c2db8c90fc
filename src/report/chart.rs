//! The rate over time, drawn with characters.

use std::time::Duration;

use super::human;
use super::style::Units;
use super::style::{Style, YELLOW};
use super::text::{pad_start, wrap};
use crate::domain::backup::{Backup, Point, Stall};
use crate::domain::time::Wall;

/// Rows between nought and the top.
const ROWS: usize = 6;
/// Columns left of the drawing.
const MARGIN: usize = 7;
/// Spans that a column may stand for, in seconds; beyond an hour it is whole hours.
const SPANS: &[u32] = &[
    1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 25, 30, 36, 40, 45, 48, 50, 60, 72, 75, 80, 90, 100, 120, 144,
    150, 180, 200, 225, 240, 300, 360, 400, 450, 600, 720, 900, 1200, 1800, 3600,
];
/// Tops of the axis, times a power of ten: round, and so is half of them.
const TOPS: &[f64] = &[1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
/// Below so many columns there is nothing to see.
const FEWEST: usize = 10;

/// What a column of the time axis says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// Nobody looked.
    Unseen,
    Copying,
    Other,
    Stalled,
    ItemsOnly,
}

impl Mark {
    fn glyph(self, ascii: bool) -> char {
        match (self, ascii) {
            (Self::Unseen, _) => ' ',
            (Self::Copying, false) => '━',
            (Self::Copying, true) => '=',
            (Self::Other, false) => '·',
            (Self::Other, true) => '.',
            (Self::Stalled, false) => '▲',
            (Self::Stalled, true) => 'S',
            (Self::ItemsOnly, false) => '△',
            (Self::ItemsOnly, true) => 's',
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Unseen => "blank: not seen",
            Self::Copying => "copying",
            Self::Other => "before, after",
            Self::Stalled => "stall, nothing moved",
            Self::ItemsOnly => "stall, items only",
        }
    }
}

/// The drawing's columns.
struct Columns {
    span: f64,
    /// Bytes per second.
    rates: Vec<f64>,
    marks: Vec<Mark>,
}

/// Draws the chart; `None` if there is too little to draw.
pub(super) fn lines(backup: &Backup, style: &Style) -> Option<Vec<String>> {
    let points: Vec<&Point> = backup.samples.as_ref()?.iter().filter(|point| point.t.is_finite()).collect();
    let end = backup.duration.map_or_else(|| points.last().map_or(0.0, |point| point.t), |time| time.as_secs_f64());
    let columns = columns(&points, end, style.width.unwrap_or(80).saturating_sub(MARGIN))?;
    let columns = with_stalls(columns, backup);
    let highest = columns.rates.iter().copied().fold(0.0, f64::max);
    let (unit, size) = unit(highest, style.units);
    let top = round_top(highest / size);
    let mut lines =
        vec![format!("Rate over time, {unit}, each column the mean of {}", human::words(time(columns.span)))];
    for row in (0..ROWS).rev() {
        let label = match row {
            _ if row == ROWS - 1 => label(top),
            _ if row == ROWS / 2 - 1 => label(top / 2.0),
            _ => String::new(),
        };
        let axis = match (label.is_empty(), style.ascii) {
            (true, false) => '│',
            (false, false) => '┤',
            (true, true) => '|',
            (false, true) => '+',
        };
        let cells: String = columns.rates.iter().map(|rate| block(rate / size / top, row, style.ascii)).collect();
        lines.push(format!("{} {axis}{cells}", pad_start(&label, MARGIN - 2)).trim_end().to_owned());
    }
    lines.push(time_axis(&columns.marks, style));
    lines.push(times(backup, &columns));
    lines.extend(legend(&columns.marks, style));
    Some(lines)
}

/// The rate over time as means of one span each: the span in seconds, and bytes per second in each. At most `most` of them;
/// `None` if there is too little to draw.
pub(super) fn rates(backup: &Backup, most: usize) -> Option<(f64, Vec<f64>)> {
    let points: Vec<&Point> = backup.samples.as_ref()?.iter().filter(|point| point.t.is_finite()).collect();
    let end = backup.duration.map_or_else(|| points.last().map_or(0.0, |point| point.t), |time| time.as_secs_f64());
    columns(&points, end, most).map(|columns| (columns.span, columns.rates))
}

/// Shares bytes out among the columns of the time in which they were copied.
fn columns(points: &[&Point], end: f64, room: usize) -> Option<Columns> {
    #[expect(clippy::cast_precision_loss, reason = "columns of a terminal")]
    let least = end / room.max(1) as f64;
    let span = SPANS
        .iter()
        .copied()
        .map(f64::from)
        .find(|span| *span >= least)
        .unwrap_or_else(|| (least / 3600.0).ceil() * 3600.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "no more than the room")]
    let count = ((end / span).ceil().max(0.0) as usize).min(room);
    if count < FEWEST {
        return None;
    }
    let mut columns = Columns { span, rates: vec![0.0; count], marks: vec![Mark::Unseen; count] };
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let copying = from.phase.as_ref().is_some_and(crate::domain::phase::Phase::is_copying);
        let bytes = if copying { from.bytes.zip(to.bytes).map_or(0, |(a, b)| b.saturating_sub(a)) } else { 0 };
        columns.add(from.t, to.t, bytes, copying);
    }
    columns.rates.iter().any(|rate| *rate > 0.0).then_some(columns)
}

impl Columns {
    /// Spreads bytes evenly over a stretch of time.
    #[expect(clippy::cast_precision_loss, reason = "columns of a terminal, and bytes shown in eighths of a row")]
    fn add(&mut self, from: f64, to: f64, bytes: u64, copying: bool) {
        if to <= from {
            return;
        }
        for (index, rate) in self.rates.iter_mut().enumerate() {
            let (left, right) = (index as f64 * self.span, (index + 1) as f64 * self.span);
            let shared = right.min(to) - left.max(from);
            if shared <= 0.0 {
                continue;
            }
            *rate += bytes as f64 * shared / (to - from) / self.span;
            // The middle of a column decides what it is called.
            let middle = left + self.span / 2.0;
            if (from <= middle && middle < to) || self.marks[index] == Mark::Unseen {
                self.marks[index] = if copying { Mark::Copying } else { Mark::Other };
            }
        }
    }
}

/// Marks the columns of stalls: those whose middle lies in one, at least the one with the stall's own middle.
fn with_stalls(mut columns: Columns, backup: &Backup) -> Columns {
    let Some(start) = backup.started else { return columns };
    for stall in backup.stalls.iter().flatten() {
        let Some(from) = stall.started.wall.and_then(|wall: Wall| wall.since(start)).map(|time| time.as_secs_f64())
        else {
            continue;
        };
        let to = from + stall.duration.as_secs_f64();
        let own = (f64::midpoint(from, to) / columns.span).floor();
        for (index, mark) in columns.marks.iter_mut().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "columns of a terminal")]
            let index = index as f64;
            let middle = (index + 0.5) * columns.span;
            #[expect(clippy::float_cmp, reason = "both are whole numbers")]
            if (from <= middle && middle < to) || index == own {
                *mark = of(stall);
            }
        }
    }
    columns
}

fn of(stall: &Stall) -> Mark {
    if stall.items_moved == Some(true) { Mark::ItemsOnly } else { Mark::Stalled }
}

/// The unit for the whole chart: MB/s, or kB/s where all is below one MB/s.
pub(super) fn unit(highest: f64, units: Units) -> (&'static str, f64) {
    match units {
        Units::Si if highest < 1e6 => ("kB/s", 1e3),
        Units::Si => ("MB/s", 1e6),
        Units::Iec if highest < 1_048_576.0 => ("KiB/s", 1024.0),
        Units::Iec => ("MiB/s", 1_048_576.0),
    }
}

/// The smallest round number that holds the highest value.
pub(super) fn round_top(highest: f64) -> f64 {
    let power = 10_f64.powf(highest.max(0.01).log10().floor());
    let top = TOPS.iter().map(|top| top * power).find(|top| *top >= highest).unwrap_or(10.0 * power);
    // Tenths and the like are not exact in binary.
    (top * 1000.0).round() / 1000.0
}

pub(super) fn label(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The part of a column that lies in a row, given its height as a share of the whole.
fn block(height: f64, row: usize, ascii: bool) -> char {
    #[expect(clippy::cast_precision_loss, reason = "six rows")]
    let filled = (height * ROWS as f64 - row as f64).clamp(0.0, 1.0);
    let little = row == 0 && height > 0.0;
    if ascii {
        return match filled {
            0.5.. => '#',
            _ if little => '.',
            _ => ' ',
        };
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "nought to eight")]
    let eighths = ((filled * 8.0).round() as usize).max(usize::from(little));
    [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'].get(eighths).copied().unwrap_or('█')
}

fn time_axis(marks: &[Mark], style: &Style) -> String {
    let corner = if style.ascii { '+' } else { '└' };
    let mut line = format!("{} {corner}", pad_start("0", MARGIN - 2));
    for run in marks.chunk_by(|a, b| a == b) {
        let glyphs: String = run.iter().map(|mark| mark.glyph(style.ascii)).collect();
        let is_stall = matches!(run.first(), Some(Mark::Stalled | Mark::ItemsOnly));
        line.push_str(&if is_stall { style.paint(YELLOW, &glyphs) } else { glyphs });
    }
    line.trim_end().to_owned()
}

/// The times at the beginning, the middle and the end.
fn times(backup: &Backup, columns: &Columns) -> String {
    #[expect(clippy::cast_precision_loss, reason = "columns of a terminal")]
    let end = columns.rates.len() as f64 * columns.span;
    let end = backup.duration.map_or(end, |time| time.as_secs_f64());
    let label = |seconds: f64| match backup.started.and_then(|start| clock_after(start, time(seconds))) {
        Some(text) => text,
        None => human::clock(time(seconds)),
    };
    let (first, middle, last) = (label(0.0), label(end / 2.0), label(end));
    let width = columns.rates.len();
    let mut line = first;
    let middle_at = (width / 2).saturating_sub(middle.len() / 2);
    if line.len() < middle_at && middle_at + middle.len() + last.len() < width {
        line = format!("{line}{}{middle}", " ".repeat(middle_at - line.len()));
    }
    let last_at = width.saturating_sub(last.len()).max(line.len() + 1);
    line = format!("{line}{}{last}", " ".repeat(last_at - line.len()));
    format!("{}{line}", " ".repeat(MARGIN))
}

/// A time of so many seconds; what no clock can hold is as much as one can.
fn time(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// The time of day so long after a start.
fn clock_after(start: Wall, time: Duration) -> Option<String> {
    let time = chrono::TimeDelta::from_std(time).ok()?;
    Some(match start {
        Wall::Zoned(at) => at.checked_add_signed(time)?.format("%H:%M").to_string(),
        Wall::Local(at) => at.checked_add_signed(time)?.format("%H:%M").to_string(),
        Wall::Yearless(at) => at.time().overflowing_add_signed(time).0.format("%H:%M").to_string(),
        Wall::TimeOfDay(at) => at.overflowing_add_signed(time).0.format("%H:%M").to_string(),
    })
}

/// What the marks mean that occur.
fn legend(marks: &[Mark], style: &Style) -> Vec<String> {
    let all = [Mark::Copying, Mark::Other, Mark::Stalled, Mark::ItemsOnly, Mark::Unseen];
    let shown: Vec<_> = all
        .into_iter()
        .filter(|mark| marks.contains(mark))
        .map(|mark| match mark.glyph(style.ascii) {
            ' ' => mark.words().to_owned(),
            glyph => format!("{glyph} {}", mark.words()),
        })
        .collect();
    let room = style.width.map(|width| width.saturating_sub(MARGIN));
    wrap(&shown.join("  "), room).iter().map(|line| format!("{}{}", " ".repeat(MARGIN), line.trim())).collect()
}

#[cfg(test)]
#[path = "chart_tests.rs"]
mod tests;
