//! Several backups a side: medians, their spread, and whether the spreads meet.

use super::{Comparison, Head, bold, letter, sentence};
use crate::domain::compare::fastest;
use crate::domain::stats::{self, Class, Group};
use crate::report::grid::{Align, Cell, Column, Grid};
use crate::report::human::{self, UNKNOWN};
use crate::report::style::Style;
use crate::report::text::wrap;

/// The groups of one class, by side.
struct Row<'a> {
    class: Class,
    sides: Vec<(usize, &'a str, Group)>,
}

fn rows<'a>(comparison: &'a Comparison<'_>) -> Vec<Row<'a>> {
    let of = |class: &Class| {
        let sides = comparison.sides.iter().enumerate();
        let groups = sides
            .filter_map(|(place, side)| Some((place, side.label.as_str(), side.group(*class, comparison.min_bytes)?)));
        Row { class: *class, sides: groups.collect() }
    };
    Class::ALL.iter().map(of).filter(|row| !row.sides.is_empty()).collect()
}

fn name(group: &Group, label: &str, place: usize) -> String {
    group.name.clone().unwrap_or_else(|| if label.is_empty() { letter(place) } else { label.to_owned() })
}

fn class_words(class: Class, comparison: &Comparison<'_>, style: &Style) -> String {
    let least = human::margin(comparison.min_bytes, style.units);
    let least = if comparison.min_bytes > 0 { format!(", at least {least}") } else { String::new() };
    match class {
        Class::First => "first".to_owned(),
        Class::Later => format!("later{least}"),
        Class::Unknown => format!("first or later not known{least}"),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "medians of counts, never negative")]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

fn relative(row: &Row<'_>, group: &Group) -> Option<f64> {
    let slowest = row.sides.iter().filter_map(|(_, _, group)| group.effective_bps).min_by(f64::total_cmp);
    stats::ratio(group.effective_bps?, slowest?)
}

fn count(number: usize) -> String {
    human::count(u64::try_from(number).unwrap_or(u64::MAX))
}

pub(super) fn lines(comparison: &Comparison<'_>, style: &Style) -> Vec<String> {
    let units = style.units;
    let rows = rows(comparison);
    let verdict = bold(&sentence(comparison, style), style);
    if rows.is_empty() {
        return verdict;
    }
    let largest = rows.iter().flat_map(|row| &row.sides).filter_map(|side| side.2.bytes).fold(0.0, f64::max);
    let unit = units.unit_for(whole(largest).clamp(1_100_000, 900_000_000_000));
    let shown = |bps: f64| human::mega_bits(bps, units);
    let known = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    if style.is_narrow() {
        let mut lines = Vec::new();
        for row in &rows {
            lines.extend(wrap(&style.glyphs(&class_words(row.class, comparison, style)), style.width));
            for (place, label, group) in &row.sides {
                let rate = known(group.effective_bps.map(shown));
                let times = known(relative(row, group).map(human::times));
                let line = format!(
                    "{} {}  {rate} {}  {times}×  n {}",
                    letter(*place),
                    name(group, label, *place),
                    units.bit_rate(),
                    count(group.n)
                );
                lines.push(style.glyphs(&crate::report::text::escape(&line)));
            }
            lines.push(String::new());
        }
        lines.extend(verdict);
        return lines;
    }
    let mut grid = Grid::new(vec![
        Column::new("", "backups", Align::Left),
        Column::new("", "", Align::Left),
        Column::new("", "interface", Align::Left).shrinking(8),
        Column::new("", "n", Align::Right),
        Column::new("data", unit.name, Align::Decimal),
        Column::new("effective", units.bit_rate(), Align::Decimal),
        Column::new("p10–p90", units.bit_rate(), Align::Right),
        Column::new("", "×", Align::Right),
    ]);
    for row in &rows {
        for (number, (place, label, group)) in row.sides.iter().enumerate() {
            let class = if number == 0 { class_words(row.class, comparison, style) } else { String::new() };
            let spread = group.spread.filter(|spread| spread.percentiles);
            let cells: [String; 8] = [
                class,
                letter(*place),
                name(group, label, *place),
                count(group.n),
                known(group.bytes.map(|bytes| human::in_unit(whole(bytes), unit))),
                known(group.effective_bps.map(shown)),
                known(spread.map(|spread| format!("{}–{}", shown(spread.low), shown(spread.high)))),
                known(relative(row, group).map(human::times)),
            ];
            grid.row(cells.into_iter().map(Cell::from).collect());
        }
    }
    let mut lines = grid.lines(style);
    lines.push(String::new());
    lines.extend(verdict);
    lines
}

/// The verdict: of the class with the most backups on its weaker side; then what the others say.
pub(super) fn sentence(comparison: &Comparison<'_>, style: &Style) -> String {
    let all = comparison.sides.len();
    let mut rows = rows(comparison);
    rows.retain(|row| row.sides.len() == all && all > 1);
    rows.sort_by_key(|row| std::cmp::Reverse(row.sides.iter().map(|side| side.2.n).min()));
    let Some(main) = rows.first() else {
        return "No verdict: the sides have no backups of one kind that count.".to_owned();
    };
    let names: Vec<String> = main.sides.iter().map(|(place, label, group)| name(group, label, *place)).collect();
    let names = if (1..names.len()).any(|at| names[..at].contains(&names[at])) {
        (0..all).map(letter).collect()
    } else {
        names
    };
    let rates: Vec<Option<f64>> =
        main.sides.iter().map(|side| side.2.effective_bps.filter(|rate| *rate > 0.0)).collect();
    let Some((first, times)) = fastest(&rates).filter(|(_, times)| times.len() + 1 == all) else {
        return "No verdict: a side has no effective rate.".to_owned();
    };
    let units = style.units;
    let shown = |place: usize| rates[place].map_or_else(|| UNKNOWN.to_owned(), |rate| human::mega_bits(rate, units));
    let claim = sentence::claim(&names, first, &times, times.iter().all(|(_, times)| *times < 1.05));
    let figures = sentence::against(first, &times, shown);
    let numbers: Vec<String> = std::iter::once(first)
        .chain(times.iter().map(|(place, _)| *place))
        .map(|place| count(main.sides[place].2.n))
        .collect();
    let kind = match main.class {
        Class::First => "first backups",
        Class::Later => "later backups",
        Class::Unknown => "backups",
    };
    let spread = spreads(main, first, &times);
    let others: Vec<String> = rows.iter().skip(1).filter_map(|row| other(row, first)).collect();
    let others = if others.is_empty() { String::new() } else { format!("; {}", others.join("; ")) };
    format!("{claim}: {figures} {}, medians of {} {kind}{spread}{others}.", units.bit_rate(), sentence::list(&numbers))
}

/// Whether the spread of the fastest meets that of another.
fn spreads(row: &Row<'_>, first: usize, times: &[(usize, f64)]) -> String {
    let Some(own) = row.sides[first].2.spread else { return " (one alone has no spread)".to_owned() };
    let others: Option<Vec<_>> = times.iter().map(|(place, _)| row.sides[*place].2.spread).collect();
    let Some(others) = others else { return " (one alone has no spread)".to_owned() };
    let kind = if own.percentiles && others.iter().all(|other| other.percentiles) { "p10–p90" } else { "min–max" };
    if others.iter().any(|other| own.meets(other)) {
        format!(" whose {kind} ranges meet, so chance may have a part in it")
    } else {
        format!(" whose {kind} ranges don't meet")
    }
}

/// What another class says of the same sides.
fn other(row: &Row<'_>, first: usize) -> Option<String> {
    let rate = |place: usize| row.sides.get(place)?.2.effective_bps;
    let slowest = (0..row.sides.len()).filter(|place| *place != first).filter_map(rate).max_by(f64::total_cmp);
    let times = stats::ratio(rate(first)?, slowest?)?;
    let kind = match row.class {
        Class::First => "the first",
        Class::Later => "later ones",
        Class::Unknown => "those of unknown kind",
    };
    let numbers: Vec<String> = row.sides.iter().map(|side| count(side.2.n)).collect();
    let numbers =
        if row.sides.iter().all(|side| side.2.n == 1) { "one each".to_owned() } else { sentence::list(&numbers) };
    let times = if times < 0.1 { format!("{times:.2}") } else { human::times(times) };
    Some(format!("{times}× for {kind} ({numbers})"))
}

/// The table in Markdown.
pub(super) fn markdown(comparison: &Comparison<'_>, style: &Style) -> (Vec<Head>, Vec<Vec<String>>) {
    let bits = style.units.bit_rate();
    let head = [("Backups", false), ("Interface", false), ("n", true)].map(|(name, right)| (name.to_owned(), right));
    let mut head = head.to_vec();
    head.extend([
        (format!("Effective ({bits})"), true),
        (format!("p10–p90 ({bits})"), true),
        ("Relative".to_owned(), true),
    ]);
    let known = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    let mut table = Vec::new();
    for row in rows(comparison) {
        for (place, label, group) in &row.sides {
            let shown = |bps: f64| human::mega_bits(bps, style.units);
            let spread = group.spread.filter(|spread| spread.percentiles);
            table.push(vec![
                class_words(row.class, comparison, style),
                name(group, label, *place),
                count(group.n),
                known(group.effective_bps.map(shown)),
                known(spread.map(|spread| format!("{}–{}", shown(spread.low), shown(spread.high)))),
                known(relative(&row, group).map(|times| format!("{times:.2}×"))),
            ]);
        }
    }
    (head, table)
}
