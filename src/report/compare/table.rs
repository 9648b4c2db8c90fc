//! The tables of a comparison of single backups.

use std::time::Duration;

use super::{Head, letter};
use crate::domain::backup::Backup;
use crate::domain::compare::{Shares, shares};
use crate::domain::stats;
use crate::domain::units::BitRate;
use crate::report::grid::{Align, Cell, Column, Grid};
use crate::report::human::{self, ByteUnit, UNKNOWN};
use crate::report::style::Style;
use crate::report::text::{cut_middle, escape, pad_end, pad_start, width};

/// From so much of the practical rate on a backup counts as limited by its link.
const LIMITED: f64 = 0.8;

fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// A part of the duration.
type Part = (&'static str, fn(&Shares) -> Option<Duration>);

const PARTS: &[Part] = &[
    ("before copying", |shares| shares.before),
    ("copying", |shares| shares.copying),
    ("  of it stalled", |shares| shares.stalled),
    ("after copying", |shares| shares.after),
    ("total", |shares| shares.total),
];

/// Where the time went; of two also the difference.
pub(super) fn times(backups: &[&Backup], style: &Style) -> Vec<String> {
    let divided: Vec<Shares> = backups.iter().map(|backup| shares(backup)).collect();
    let mut columns = vec![Column::new("", "where the time went", Align::Left)];
    columns.extend((0..backups.len()).map(|place| Column::new(&letter(place), "h:mm:ss", Align::Right)));
    if divided.len() == 2 {
        columns.push(Column::new("B − A", "h:mm:ss", Align::Right));
        columns.push(Column::new("share of", "difference", Align::Right));
    }
    let mut grid = Grid::new(columns);
    for (name, part) in PARTS {
        let times: Vec<Option<Duration>> = divided.iter().map(part).collect();
        let mut cells: Vec<Cell> = vec![(*name).into()];
        cells.extend(times.iter().map(|time| Cell::from(known(time.map(human::hms)))));
        if let [a, b] = divided.as_slice() {
            let difference = times[0].zip(times[1]).map(|(a, b)| b.as_secs_f64() - a.as_secs_f64());
            let whole = a.total.zip(b.total).map(|(a, b)| b.as_secs_f64() - a.as_secs_f64());
            cells.push(known(difference.map(signed)).into());
            cells
                .push(difference.zip(whole).map_or_else(|| UNKNOWN.to_owned(), |(part, whole)| of(part, whole)).into());
        }
        grid.row(cells);
    }
    grid.lines(style)
}

/// A difference of times with its sign.
fn signed(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "−" } else { "+" };
    let time = Duration::try_from_secs_f64(seconds.abs()).unwrap_or_default();
    if time.is_zero() { human::hms(time) } else { format!("{sign}{}", human::hms(time)) }
}

/// Which share of the whole difference a part makes; blank where there is none to speak of.
fn of(part: f64, whole: f64) -> String {
    if whole.abs() < 1.0 {
        return String::new();
    }
    let share = part / whole;
    let sign = if share <= -0.01 { "−" } else { "" };
    format!("{sign}{}", human::whole_share(share.abs()))
}

/// Whether the links were the limit.
pub(super) fn limits(backups: &[&Backup], style: &Style) -> Vec<String> {
    let mut grid = Grid::new(vec![
        Column::new("", "", Align::Left),
        Column::new("practical", style.units.byte_rate(), Align::Right),
        Column::new("copying", "% of it", Align::Right),
        Column::new("limited by the link?", "(from 80 % on)", Align::Left),
    ]);
    if backups.iter().all(|backup| backup.link().is_none_or(|link| link.practical_bps.is_none())) {
        return Vec::new();
    }
    for (place, backup) in backups.iter().enumerate() {
        let practical = backup.link().and_then(|link| link.practical_bps);
        let share = practical.and_then(|practical| backup.copy_rate()?.share_of(practical));
        let rate = practical.map(|bps| human::practical_rate(bps, style.units));
        let rate = rate.map(|text| text.split_once(' ').map_or_else(|| text.clone(), |(number, _)| number.to_owned()));
        let limited = share.map(|share| if share >= LIMITED { "yes" } else { "no" }.to_owned());
        grid.row(vec![
            letter(place).into(),
            known(rate).into(),
            known(share.map(human::percent)).into(),
            known(limited).into(),
        ]);
    }
    grid.lines(style)
}

fn unit(backups: &[&Backup], style: &Style) -> ByteUnit {
    let largest = backups.iter().filter_map(|backup| backup.copied.data).map(|data| data.bytes).max().unwrap_or(0);
    style.units.unit_for(largest.clamp(1_100_000, 900_000_000_000))
}

fn interface(backup: &Backup) -> String {
    backup.link().map_or("unknown", |link| link.kind.short()).to_owned()
}

fn link_rate(backup: &Backup) -> Option<String> {
    backup.link()?.negotiated_bps.map(human::short_link_rate)
}

fn data(backup: &Backup, unit: ByteUnit) -> Option<String> {
    backup.copied.data.map(|data| format!("{}{}", human::mark(data.bound), human::in_unit(data.bytes, unit)))
}

/// How many times the slowest each is.
fn relative(backups: &[&Backup], rate: fn(&Backup) -> Option<BitRate>) -> Vec<Option<f64>> {
    let rates: Vec<Option<f64>> = backups.iter().map(|backup| rate(backup).map(BitRate::bps)).collect();
    let slowest = rates.iter().flatten().copied().min_by(f64::total_cmp);
    rates.iter().map(|rate| stats::ratio((*rate)?, slowest?)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Letter,
    Interface,
    Link,
    Date,
    Data,
    Duration,
    Effective,
    Times,
    Copying,
    CopyTimes,
}

const FIELDS: &[Field] = &[
    Field::Letter,
    Field::Interface,
    Field::Link,
    Field::Date,
    Field::Data,
    Field::Duration,
    Field::Effective,
    Field::Times,
    Field::Copying,
    Field::CopyTimes,
];
const LEAVING: &[Field] = &[Field::Date, Field::CopyTimes, Field::Copying, Field::Link];

/// The figures of each side.
pub(super) fn figures(backups: &[&Backup], style: &Style) -> Vec<String> {
    let unit = unit(backups, style);
    let bits = style.units.bit_rate();
    let (effective, copying) = (relative(backups, Backup::effective_rate), relative(backups, Backup::copy_rate));
    let column = |field: &Field| match field {
        Field::Letter => Column::new("", "", Align::Left),
        Field::Interface => Column::new("", "interface", Align::Left),
        Field::Link => Column::new("", "link", Align::Left),
        Field::Date => Column::new("", "date", Align::Left),
        Field::Data => Column::new("data", unit.name, Align::Decimal),
        Field::Duration => Column::new("duration", "h:mm:ss", Align::Right),
        Field::Effective => Column::new("effective", bits, Align::Decimal),
        Field::Copying => Column::new("copying", bits, Align::Decimal),
        Field::Times | Field::CopyTimes => Column::new("", "×", Align::Right),
    };
    let cell = |field: &Field, place: usize, backup: &Backup| match field {
        Field::Letter => letter(place),
        Field::Interface => interface(backup),
        Field::Link => known(link_rate(backup)),
        Field::Date => known(backup.started.or(backup.ended).and_then(human::date)),
        Field::Data => known(data(backup, unit)),
        Field::Duration => known(backup.duration.map(human::hms)),
        Field::Effective => known(backup.effective_rate().map(|rate| human::bit_rate(rate, style.units))),
        Field::Copying => known(backup.copy_rate().map(|rate| human::bit_rate(rate, style.units))),
        Field::Times => known(effective[place].map(human::times)),
        Field::CopyTimes => known(copying[place].map(human::times)),
    };
    let mut fields = FIELDS.to_vec();
    let mut leaving = LEAVING.iter();
    loop {
        let mut grid = Grid::new(fields.iter().map(column).collect());
        for (place, backup) in backups.iter().enumerate() {
            grid.row(fields.iter().map(|field| Cell::from(cell(field, place, backup))).collect());
        }
        match (grid.fitting(style), leaving.next()) {
            (Some(lines), _) => return lines,
            (None, Some(least)) => fields.retain(|field| field != least),
            (None, None) => return grid.lines(style),
        }
    }
}

/// A column a backup; of more than a narrow terminal holds, one below the other.
pub(super) fn narrow(backups: &[&Backup], style: &Style) -> Vec<String> {
    let units = style.units;
    let unit = unit(backups, style);
    let rate =
        |rate: Option<BitRate>| rate.map(|rate| format!("{} {}", human::bit_rate(rate, units), units.bit_rate()));
    let rows: Vec<(&str, Vec<String>)> = vec![
        ("", (0..backups.len()).map(letter).collect()),
        ("", backups.iter().map(|backup| interface(backup)).collect()),
        (
            "data",
            backups
                .iter()
                .map(|backup| known(data(backup, unit).map(|data| format!("{data} {}", unit.name))))
                .collect(),
        ),
        ("duration", backups.iter().map(|backup| known(backup.duration.map(human::hms))).collect()),
        ("effective", backups.iter().map(|backup| known(rate(backup.effective_rate()))).collect()),
        ("copying", backups.iter().map(|backup| known(rate(backup.copy_rate()))).collect()),
    ];
    let shown = |text: &str| cut_middle(&style.glyphs(&escape(text)), 14, &style.glyphs("…"));
    let room = style.width.unwrap_or(40);
    let mut lines = Vec::new();
    // The names take 11 columns, a side up to 15.
    let at_once = (room.saturating_sub(11) / 13).max(1);
    for from in (0..backups.len()).step_by(at_once) {
        let part = from..(from + at_once).min(backups.len());
        let widths: Vec<usize> =
            part.clone().map(|place| rows.iter().map(|row| width(&shown(&row.1[place]))).max().unwrap_or(0)).collect();
        if from > 0 {
            lines.push(String::new());
        }
        for (name, cells) in &rows {
            let cells = cells[part.clone()].iter().zip(&widths);
            let cells: Vec<String> = cells.map(|(cell, &wide)| pad_start(&shown(cell), wide.max(9))).collect();
            lines.push(format!("{}  {}", pad_end(name, 11), cells.join("  ")).trim_end().to_owned());
        }
    }
    lines
}

/// The table in Markdown.
pub(super) fn markdown(backups: &[&Backup], style: &Style) -> (Vec<Head>, Vec<Vec<String>>) {
    let unit = unit(backups, style);
    let bits = style.units.bit_rate();
    let head = vec![
        ("Interface".to_owned(), false),
        ("Link".to_owned(), false),
        (format!("Data ({})", unit.name), true),
        ("Duration (h:mm:ss)".to_owned(), true),
        (format!("Effective ({bits})"), true),
        (format!("Copying ({bits})"), true),
        ("Relative".to_owned(), true),
    ];
    let relative = relative(backups, Backup::effective_rate);
    let rate = |rate: Option<BitRate>| known(rate.map(|rate| human::bit_rate(rate, style.units)));
    let rows = backups.iter().zip(relative).map(|(backup, times)| {
        vec![
            interface(backup),
            known(link_rate(backup)),
            known(data(backup, unit)),
            known(backup.duration.map(human::hms)),
            rate(backup.effective_rate()),
            rate(backup.copy_rate()),
            known(times.map(|times| format!("{times:.2}×"))),
        ]
    });
    (head, rows.collect())
}
