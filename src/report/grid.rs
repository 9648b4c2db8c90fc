//! Tables: columns of one width each, numbers set by the decimal point, one thin rule under the header.

use super::style::{PLAIN, Style};
use super::text::{cut_middle, escape, pad_end, pad_start, width};

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
    /// By the decimal point; a text without one ends where the units stand.
    Decimal,
}

/// A column with its header of two lines; without a header it has no rule.
#[derive(Clone, Debug)]
pub(super) struct Column {
    head: [String; 2],
    align: Align,
    /// To how many columns its cells may be cut; `None`: never.
    shrinks_to: Option<usize>,
}

impl Column {
    pub(super) fn new(first: &str, second: &str, align: Align) -> Self {
        Self { head: [first.to_owned(), second.to_owned()], align, shrinks_to: None }
    }

    /// Lets its cells be cut, down to so many columns.
    pub(super) fn shrinking(mut self, least: usize) -> Self {
        self.shrinks_to = Some(least);
        self
    }
}

/// What stands in one place.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    text: String,
    ink: anstyle::Style,
}

impl Cell {
    /// A text in a colour.
    pub(super) fn inked(text: impl Into<String>, ink: anstyle::Style) -> Self {
        Self { text: text.into(), ink }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), ink: PLAIN }
    }
}

/// A table.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

const GAP: usize = 2;

impl Grid {
    pub(super) fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Returns the lines of the table, or `None` if they would not fit the style's width.
    pub(super) fn fitting(&self, style: &Style) -> Option<Vec<String>> {
        let lines = self.layout(style);
        match style.width {
            Some(room) if lines.1 > room => None,
            _ => Some(lines.0),
        }
    }

    /// Returns the lines of the table, as narrow as it can be made.
    pub(super) fn lines(&self, style: &Style) -> Vec<String> {
        self.layout(style).0
    }

    fn layout(&self, style: &Style) -> (Vec<String>, usize) {
        let ellipsis = style.glyphs("…");
        let mut excess = style.width.map_or(0, |room| self.natural_width(style).saturating_sub(room));
        let columns: Vec<Vec<String>> = (0..self.columns.len())
            .map(|index| {
                let mut cells = self.texts(index, style);
                if let Some(least) = self.columns[index].shrinks_to {
                    let widest = cells.iter().map(|cell| width(cell)).max().unwrap_or(0);
                    let room = widest.saturating_sub(excess).max(least.min(widest));
                    excess = excess.saturating_sub(widest - room);
                    cells.iter_mut().for_each(|cell| *cell = cut_middle(cell, room, &ellipsis));
                }
                set(&cells, self.columns[index].align)
            })
            .collect();
        let widths: Vec<usize> = columns.iter().map(|cells| cells.first().map_or(0, |cell| width(cell))).collect();
        let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        let mut lines = Vec::with_capacity(self.rows.len() + 3);
        for head in 0..2 {
            if self.columns.iter().any(|column| !column.head[head].is_empty()) {
                lines.push(join(columns.iter().map(|cells| cells[head].clone())));
            }
        }
        if !lines.is_empty() {
            let rule = style.glyphs("─");
            lines.push(join(self.columns.iter().zip(&widths).map(|(column, &width)| {
                if column.head.iter().all(String::is_empty) { " ".repeat(width) } else { rule.repeat(width) }
            })));
        }
        for (number, row) in self.rows.iter().enumerate() {
            lines.push(join(columns.iter().enumerate().map(|(index, cells)| {
                let ink = row.get(index).map_or(PLAIN, |cell| cell.ink);
                paint_inside(&cells[number + 2], ink, style)
            })));
        }
        (lines, total)
    }

    fn natural_width(&self, style: &Style) -> usize {
        let width_of = |index| {
            let cells = set(&self.texts(index, style), self.columns[index].align);
            cells.first().map_or(0, |cell| width(cell))
        };
        (0..self.columns.len()).map(width_of).sum::<usize>() + GAP * self.columns.len().saturating_sub(1)
    }

    /// The header and the cells of a column in the characters that may be used.
    fn texts(&self, index: usize, style: &Style) -> Vec<String> {
        let head = self.columns[index].head.iter().map(String::as_str);
        let cells = self.rows.iter().map(|row| row.get(index).map_or("", |cell| cell.text.as_str()));
        head.chain(cells).map(|text| style.glyphs(&escape(text))).collect()
    }
}

/// Brings all cells of a column, the header's two first, to one width.
fn set(cells: &[String], align: Align) -> Vec<String> {
    let (head, body) = cells.split_at(2.min(cells.len()));
    let body: Vec<String> = if align == Align::Decimal { by_point(body) } else { body.to_vec() };
    let widest = head.iter().chain(&body).map(|cell| width(cell)).max().unwrap_or(0);
    let pad = if align == Align::Left { pad_end } else { pad_start };
    head.iter().chain(&body).map(|cell| pad(cell, widest)).collect()
}

fn by_point(cells: &[String]) -> Vec<String> {
    let behind = |cell: &str| cell.find('.').map_or(0, |at| width(&cell[at..]));
    let most = cells.iter().map(|cell| behind(cell)).max().unwrap_or(0);
    let block: Vec<String> = cells.iter().map(|cell| format!("{cell}{}", " ".repeat(most - behind(cell)))).collect();
    let widest = block.iter().map(|cell| width(cell)).max().unwrap_or(0);
    block.iter().map(|cell| pad_start(cell, widest)).collect()
}

/// Colours the text of a cell and leaves its blanks.
fn paint_inside(cell: &str, ink: anstyle::Style, style: &Style) -> String {
    let text = cell.trim();
    let before = cell.len() - cell.trim_start().len();
    let after = cell.len() - before - text.len();
    format!("{}{}{}", " ".repeat(before), style.paint(ink, text), " ".repeat(after))
}

fn join(cells: impl Iterator<Item = String>) -> String {
    let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grid(rows: &[[&str; 3]]) -> Grid {
        let mut grid = Grid::new(vec![
            Column::new("", "name", Align::Left).shrinking(4),
            Column::new("data", "GB", Align::Decimal),
            Column::new("", "h:mm:ss", Align::Right),
        ]);
        for row in rows {
            grid.row(row.iter().map(|&cell| Cell::from(cell)).collect());
        }
        grid
    }

    #[test]
    fn numbers_stand_by_their_point_and_names_by_their_width() {
        let grid = grid(&[["バックアップ", "112", "2:31:07"], ["b", "≥0.412", "–"], ["c", "–", "0:00:41"]]);
        let lines = grid.lines(&Style::default()).join("\n");
        insta::assert_snapshot!(lines, @r"
                         data
        name               GB  h:mm:ss
        ────────────  ───────  ───────
        バックアップ  112      2:31:07
        b              ≥0.412        –
        c               –      0:00:41
        ");
        let ascii = Style { ascii: true, width: Some(24), ..Style::default() };
        insta::assert_snapshot!(grid.lines(&ascii).join("\n"), @r"
                  data
        name        GB  h:mm:ss
        ----  --------  -------
        ????   112      2:31:07
        b     >=0.412         -
        c        -      0:00:41
        ");
    }

    #[test]
    fn colours_do_not_count() {
        let mut grid = grid(&[]);
        grid.row(vec![Cell::inked("x", super::super::style::BOLD), "1".into(), "0:00:01".into()]);
        let colored = Style { color: true, ..Style::default() };
        assert_eq!(
            anstream::adapter::strip_str(&grid.lines(&colored).join("\n")).to_string(),
            grid.lines(&Style::default()).join("\n")
        );
    }

    proptest! {
        #[test]
        fn any_cells_make_a_table(a in ".*", b in ".*", c in ".*", room in 0..100_usize, ascii in any::<bool>()) {
            let style = Style { ascii, width: Some(room), ..Style::default() };
            if let Some(lines) = grid(&[[&a, &b, &c], ["x", "1.5", "–"]]).fitting(&style) {
                prop_assert!(lines.iter().all(|line| width(line) <= room));
            }
        }
    }
}
