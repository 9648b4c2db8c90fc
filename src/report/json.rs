//! One JSON object.

use std::io::{self, Write};

use super::{Renderer, Report, Style};
use crate::contract::envelope::Envelope;

pub(super) struct Json;

impl Renderer for Json {
    fn report(&self, report: &Report<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        let envelope = Envelope::new(report.backups, &report.skipped, report.warnings, report.section.clone());
        serde_json::to_writer(&mut *out, &envelope)?;
        writeln!(out)
    }
}
