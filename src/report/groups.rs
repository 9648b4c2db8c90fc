//! The summary: one row a group, first backups apart from later ones.

use std::io::{self, Write};

use super::grid::{Align, Cell, Column, Grid};
use super::human::{self, ByteUnit, UNKNOWN};
use super::markdown;
use super::style::{BOLD, Style};
use super::text::{cut_middle, escape, pad_end, pad_start, width, wrap};
use crate::contract::group;
use crate::domain::stats::{By, Class, Group, LeftOut, Statistics};

/// What a summary is made of.
#[derive(Clone, Debug)]
pub struct Groups<'a> {
    /// The groups and what was left out.
    pub statistics: &'a Statistics,
    /// What makes a group.
    pub by: By,
    /// Below so many copied bytes a backup was left out.
    pub min_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Link,
    Count,
    Data,
    Duration,
    Effective,
    Spread,
    Bytes,
    Copying,
    Nominal,
    Practical,
    Times,
}

const FIELDS: &[Field] = &[
    Field::Name,
    Field::Link,
    Field::Count,
    Field::Data,
    Field::Duration,
    Field::Effective,
    Field::Spread,
    Field::Bytes,
    Field::Copying,
    Field::Nominal,
    Field::Practical,
    Field::Times,
];

/// What leaves where there is no room, the first first; the first three leave together with the words of the headers.
const LEAVING: &[Field] = &[
    Field::Copying,
    Field::Bytes,
    Field::Link,
    Field::Spread,
    Field::Practical,
    Field::Nominal,
    Field::Duration,
    Field::Data,
];

impl Groups<'_> {
    /// The lines for people.
    pub fn lines(&self, style: &Style) -> Vec<String> {
        let mut lines = Vec::new();
        for class in Class::ALL {
            let groups = self.statistics.of_class(*class);
            if groups.is_empty() {
                continue;
            }
            if style.is_narrow() {
                lines.push(style.glyphs(&self.narrow_title(*class, &groups, style)));
                lines.extend(narrow(&groups, style));
            } else {
                lines.push(style.glyphs(&self.title(*class, &groups, style)));
                lines.push(String::new());
                lines.extend(self.table(&groups, style));
            }
            lines.push(String::new());
        }
        if style.is_narrow() {
            lines.extend(wrap(&style.glyphs(&self.counted_shortly(style)), style.width));
        } else {
            lines.extend(self.notes(style));
        }
        lines
    }

    fn size(&self, style: &Style) -> Option<String> {
        (self.min_bytes > 0).then(|| human::margin(self.min_bytes, style.units))
    }

    fn title(&self, class: Class, groups: &[&Group], style: &Style) -> String {
        let n = human::count(count(groups.iter().map(|group| group.n).sum()));
        let least = self.size(style).map(|size| format!(" of at least {size}")).unwrap_or_default();
        match class {
            Class::First => format!("First backups ({n}), medians"),
            Class::Later => format!("Later backups{least} ({n}), medians"),
            Class::Unknown => format!("Backups{least}, first or later not known ({n}), medians"),
        }
    }

    fn narrow_title(&self, class: Class, groups: &[&Group], style: &Style) -> String {
        let n = human::count(count(groups.iter().map(|group| group.n).sum()));
        let least = self.size(style).map(|size| format!(" ≥{size}")).unwrap_or_default();
        match class {
            Class::First => format!("First backups ({n}), effective"),
            Class::Later => format!("Later backups{least} ({n}), effective"),
            Class::Unknown => format!("Other backups{least} ({n}), effective"),
        }
    }

    fn table(&self, groups: &[&Group], style: &Style) -> Vec<String> {
        let unit = unit(groups, style);
        let mut fields = FIELDS.to_vec();
        if self.by != By::Interface {
            fields.retain(|field| *field != Field::Link);
        }
        let mut leaving = LEAVING.iter();
        loop {
            let short = !fields.contains(&Field::Copying);
            let columns = fields.iter().map(|field| self.column(*field, unit, short, style)).collect();
            let mut grid = Grid::new(columns);
            for group in groups {
                grid.row(fields.iter().map(|field| Cell::from(cell(*field, group, unit, style))).collect());
            }
            match (grid.fitting(style), leaving.next()) {
                (Some(lines), _) => return lines,
                (None, None) => return grid.lines(style),
                // Without the first of them the second says the same in another unit, and the third is in the name.
                (None, Some(Field::Copying)) => {
                    fields.retain(|field| !matches!(field, Field::Copying | Field::Bytes | Field::Link));
                }
                (None, Some(least)) => fields.retain(|field| field != least),
            }
        }
    }

    fn column(&self, field: Field, unit: ByteUnit, short: bool, style: &Style) -> Column {
        let units = style.units;
        match field {
            Field::Name => Column::new("", self.by.word(), Align::Left).shrinking(8),
            Field::Link => Column::new("", "link", Align::Left),
            Field::Count => Column::new("", "n", Align::Right),
            Field::Data => Column::new("data", unit.name, Align::Decimal),
            Field::Duration => Column::new("duration", "h:mm:ss", Align::Right),
            Field::Effective => Column::new("effective", units.bit_rate(), Align::Decimal),
            Field::Spread => Column::new("p10–p90", units.bit_rate(), Align::Right),
            Field::Bytes => Column::new("effective", units.byte_rate(), Align::Decimal),
            Field::Copying => Column::new("copying", units.bit_rate(), Align::Decimal),
            Field::Nominal => Column::new("% of", if short { "link" } else { "nominal" }, Align::Right),
            Field::Practical => Column::new("% of", if short { "pract." } else { "practical" }, Align::Right),
            Field::Times if short => Column::new("", "×", Align::Right),
            Field::Times => Column::new("times", "slowest", Align::Right),
        }
    }

    fn notes(&self, style: &Style) -> Vec<String> {
        let mut lines: Vec<String> =
            wrap(&style.glyphs(&self.counted(style)), style.width).iter().map(|line| style.paint(BOLD, line)).collect();
        let notes = [
            "effective: data / duration; p10–p90: from 5 backups on; ×: times the slowest",
            "Medians are of each column for itself: data / duration of a row isn't its rate.",
        ];
        lines.extend(notes.iter().flat_map(|note| wrap(&style.glyphs(note), style.width)));
        lines
    }

    /// How many were counted, and for which reasons the others were not.
    pub fn counted(&self, style: &Style) -> String {
        let total = human::counted(count(self.statistics.total), "backup", "backups");
        let counted = human::count(count(self.statistics.counted()));
        let reasons = self.reasons(style);
        if reasons.is_empty() {
            return format!("Counted {counted} of {total}.");
        }
        format!("Counted {counted} of {total}. Left out: {}.", reasons.join(", "))
    }

    /// The reasons for leaving out, with how many.
    pub fn reasons(&self, style: &Style) -> Vec<String> {
        let size = human::margin(self.min_bytes, style.units);
        let words = |(reason, n): (&LeftOut, &usize)| {
            let why = reason_words(*reason, &size);
            let hint = if *reason == LeftOut::Small { " (--min-size 0 counts them)" } else { "" };
            format!("{} {why}{hint}", human::count(count(*n)))
        };
        self.statistics.left_out.iter().map(words).collect()
    }

    fn counted_shortly(&self, style: &Style) -> String {
        let counted = human::count(count(self.statistics.counted()));
        let head = format!("{counted} of {} counted", human::count(count(self.statistics.total)));
        let size = human::margin(self.min_bytes, style.units);
        let small = self.statistics.left_out.get(&LeftOut::Small);
        let small = small.map(|small| format!("; {} under {size}", human::count(count(*small))));
        format!("{head}{}", small.unwrap_or_default())
    }

    /// Writes a Markdown table a class.
    pub fn markdown(&self, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let units = style.units;
        for (number, class) in
            Class::ALL.iter().filter(|class| !self.statistics.of_class(**class).is_empty()).enumerate()
        {
            let groups = self.statistics.of_class(*class);
            let unit = unit(&groups, style);
            if number > 0 {
                writeln!(out)?;
            }
            writeln!(out, "**{}**\n", style.glyphs(&self.title(*class, &groups, style)))?;
            let bits = units.bit_rate();
            let head = [
                capital(self.by.word()),
                "Link".to_owned(),
                "n".to_owned(),
                format!("Data ({})", unit.name),
                "Duration (h:mm:ss)".to_owned(),
                format!("Effective ({bits})"),
                format!("p10–p90 ({bits})"),
                format!("Copying ({bits})"),
                format!("Total data / total time ({bits})"),
                "% of nominal".to_owned(),
                "% of practical".to_owned(),
                "Relative".to_owned(),
            ];
            markdown::row(head, style, out)?;
            writeln!(out, "|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")?;
            for group in groups {
                let cell = |field| cell(field, group, unit, style);
                let total = group.total_rate().map_or_else(|| UNKNOWN.to_owned(), |rate| human::bit_rate(rate, units));
                let relative = group.relative.map_or_else(|| UNKNOWN.to_owned(), |times| format!("{times:.2}×"));
                let cells = [
                    cell(Field::Name),
                    cell(Field::Link),
                    cell(Field::Count),
                    cell(Field::Data),
                    cell(Field::Duration),
                    cell(Field::Effective),
                    cell(Field::Spread),
                    cell(Field::Copying),
                    total,
                    cell(Field::Nominal),
                    cell(Field::Practical),
                    relative,
                ];
                markdown::row(cells, style, out)?;
            }
        }
        writeln!(out, "\n{}", style.glyphs(&self.counted(style)))
    }

    /// Writes CSV, a row a group.
    pub fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        group::write_csv(self.statistics, self.by.word(), out)
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Why a backup was left out; reads on after a number.
pub fn reason_words(reason: LeftOut, size: &str) -> String {
    match reason {
        LeftOut::Small => format!("under {size} copied"),
        LeftOut::Failed => "failed".to_owned(),
        LeftOut::Cancelled => "cancelled".to_owned(),
        LeftOut::Deferred => "put off".to_owned(),
        LeftOut::Interrupted => "interrupted".to_owned(),
        LeftOut::OutcomeUnknown => "of unknown outcome".to_owned(),
        LeftOut::SizeUnknown => "of unknown size".to_owned(),
        LeftOut::DurationUnknown => "of unknown duration".to_owned(),
        LeftOut::Asleep => "slept through".to_owned(),
        LeftOut::Running => "still running".to_owned(),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "medians of counts, never negative")]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

fn unit(groups: &[&Group], style: &Style) -> ByteUnit {
    let largest = groups.iter().filter_map(|group| group.bytes).fold(0.0, f64::max);
    style.units.unit_for(whole(largest).clamp(1_100_000, 900_000_000_000))
}

fn cell(field: Field, group: &Group, unit: ByteUnit, style: &Style) -> String {
    let units = style.units;
    let mega = |bps: f64| human::mega_bits(bps, units);
    let text = match field {
        Field::Name => return group.name.clone().unwrap_or_else(|| "unknown".to_owned()),
        Field::Link => group.negotiated_bps.map(|bps| human::short_link_rate(whole(bps))),
        Field::Count => Some(human::count(count(group.n))),
        Field::Data => group.bytes.map(|bytes| human::in_unit(whole(bytes), unit)),
        Field::Duration => {
            group.duration_s.and_then(|s| std::time::Duration::try_from_secs_f64(s).ok()).map(human::hms)
        }
        Field::Effective => group.effective_bps.map(mega),
        Field::Spread => group
            .spread
            .filter(|spread| spread.percentiles)
            .map(|spread| format!("{}–{}", mega(spread.low), mega(spread.high))),
        Field::Bytes => group.effective_bps.map(|bps| mega(bps / 8.0)),
        Field::Copying => group.copy_bps.map(mega),
        Field::Nominal => group.of_negotiated.map(human::percent),
        Field::Practical => group.of_practical.map(human::percent),
        Field::Times => group.relative.map(human::times),
    };
    text.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// One line a group.
fn narrow(groups: &[&Group], style: &Style) -> Vec<String> {
    let bits = style.units.bit_rate();
    let unit = unit(groups, style);
    let rows: Vec<[String; 4]> = groups
        .iter()
        .map(|group| {
            let shown = |field| style.glyphs(&escape(&cell(field, group, unit, style)));
            let name = cut_middle(&shown(Field::Name), 14, &style.glyphs("…"));
            [name, shown(Field::Effective), shown(Field::Times), shown(Field::Count)]
        })
        .collect();
    let widest = |at: usize| rows.iter().map(|row| width(&row[at])).max().unwrap_or(0);
    let widths = [widest(0), widest(1), widest(2).max(3)];
    let times = style.glyphs("×");
    rows.iter()
        .map(|[name, rate, factor, n]| {
            let (name, rate) = (pad_end(name, widths[0]), pad_start(rate, widths[1]));
            format!("{name}  {rate} {bits}  {}{times}  n {n}", pad_start(factor, widths[2]))
        })
        .collect()
}

#[cfg(test)]
#[path = "groups_tests.rs"]
mod tests;
