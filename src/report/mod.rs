//! How results and progress are shown, to people and to programs.

mod chart;
pub mod compare;
mod csv;
pub mod destinations;
pub mod doctor;
mod evidence;
pub mod failure;
mod grid;
pub mod groups;
pub mod human;
mod json;
mod list;
pub mod live;

mod markdown;
mod ndjson;
pub mod page;
pub mod style;
mod summary;
pub mod text;
mod way;

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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::contract::columns::COLUMNS;
    use crate::contract::examples;
    use crate::domain::backup::WarningCode;

    fn rendered(format: Format) -> String {
        let backups = [examples::full(), examples::unknown()];
        let warnings = [Warning { code: WarningCode::LogGap, field: None, message: "lines are missing".to_owned() }];
        let skipped = Skipped { files: 1, ..Skipped::default() };
        let section = Some(Section::Checks(vec![]));
        let report = Report { backups: &backups, warnings: &warnings, skipped, section, ..Report::default() };
        let mut out = Vec::new();
        render(format, &report, &Style::default(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_is_one_object() {
        let text = rendered(Format::Json);
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((text.lines().count(), text.ends_with('\n')), (1, true));
        assert_eq!(json["backups"][1]["outcome"], "unknown");
        assert_eq!(json["skipped"]["files"], 1);
        assert_eq!(json["warnings"][0]["code"], "log-gap");
        assert_eq!(json["checks"], Value::Array(vec![]));
    }

    #[test]
    fn ndjson_is_a_typed_object_a_line() {
        let types: Vec<_> = rendered(Format::Ndjson)
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(types, ["backup", "backup", "skipped", "warning"]);
    }

    #[test]
    fn csv_is_a_header_and_a_row_a_backup() {
        let text = rendered(Format::Csv);
        assert_eq!(text.lines().next().unwrap(), COLUMNS.join(","));
        assert_eq!(csv_rows(&text), 2);
    }

    fn csv_rows(text: &str) -> usize {
        ::csv::Reader::from_reader(text.as_bytes()).records().map(Result::unwrap).count()
    }

    #[test]
    fn one_backup_at_length_or_as_a_row() {
        let backups = [examples::usb3_first()];
        let first_line = |at_length| {
            let mut out = Vec::new();
            let report = Report { backups: &backups, at_length, ..Report::default() };
            render(Format::Table, &report, &Style::default(), &mut out).unwrap();
            String::from_utf8(out).unwrap().lines().next().unwrap().to_owned()
        };
        assert_eq!(first_line(true), "where the time went  h:mm:ss  share");
        assert!(first_line(false).ends_with("duration  data           effective"), "{}", first_line(false));
    }
}
