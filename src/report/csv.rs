//! Comma-separated values.

use std::io::{self, Write};

use super::{Renderer, Report, Style};
use crate::contract::columns;
use crate::contract::envelope::Section;

pub(super) struct Csv;

impl Renderer for Csv {
    fn report(&self, report: &Report<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        match &report.section {
            Some(Section::Destinations(rows)) if report.backups.is_empty() => columns::write_destinations(rows, out),
            Some(Section::Explained(rows)) => columns::write_explained(rows, out),
            _ => columns::write(report.backups, out),
        }
    }
}
