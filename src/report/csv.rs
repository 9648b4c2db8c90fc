//! Comma-separated values.

use std::io::{self, Write};

use super::{Renderer, Report, Style};
use crate::contract::columns;

pub(super) struct Csv;

impl Renderer for Csv {
    fn report(&self, report: &Report<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        columns::write(report.backups, out)
    }
}
