//! How results and progress are shown, to people and to programs.

mod chart;
mod csv;
pub mod failure;
mod grid;
pub mod human;
mod json;
mod list;

mod markdown;
mod ndjson;
pub mod style;
mod summary;
pub mod text;

use std::io::{self, Write};

use crate::contract::envelope::{Section, Skipped};
use crate::domain::backup::{Backup, Warning};

pub use style::{Format, Style, Units};

/// Everything a command about backups has found.
#[derive(Clone, Debug, Default)]
pub struct Report<'a> {
    /// The backups, in the order in which they are to be shown.
    pub backups: &'a [Backup],
    /// What was not read.
    pub skipped: Skipped,
    /// Warnings that belong to no single backup. A table leaves them to stderr.
    pub warnings: &'a [Warning],
    /// How many files were read, where that is worth telling.
    pub files: Option<usize>,
    /// The key that the command adds to its JSON.
    pub section: Option<Section>,
    /// Whether a single backup is shown at length instead of as a row.
    pub at_length: bool,
    /// Whether the rate over time is drawn.
    pub chart: bool,
}

/// One way to write a report.
trait Renderer {
    fn report(&self, report: &Report<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()>;
}

/// Writes a report in the form asked for.
pub fn render(format: Format, report: &Report<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let renderer: &dyn Renderer = match format {
        Format::Table => &Table,
        Format::Markdown => &markdown::Markdown,
        Format::Csv => &csv::Csv,
        Format::Json => &json::Json,
        Format::Ndjson => &ndjson::Ndjson,
    };
    renderer.report(report, style, out)
}

struct Table;

impl Renderer for Table {
    fn report(&self, report: &Report<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let lines = match report.backups {
            [backup] if report.at_length => summary::lines(backup, style, report.chart),
            _ => list::lines(report, style),
        };
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }
}
