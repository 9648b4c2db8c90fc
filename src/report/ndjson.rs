//! One typed JSON object a line.

use std::io::{self, Write};

use serde::Serialize;

use super::{Renderer, Report, Style};
use crate::contract::backup::{BackupJson, WarningJson};
use crate::contract::envelope::{Line, Section, Skipped};

pub(super) struct Ndjson;

impl Renderer for Ndjson {
    fn report(&self, report: &Report<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        for backup in report.backups {
            line(&BackupJson::from(backup), out)?;
        }
        for object in report.section.iter().flat_map(Section::lines) {
            line(&object, out)?;
        }
        if report.skipped != Skipped::default() {
            line(&Line::Skipped(report.skipped.clone()), out)?;
        }
        report.warnings.iter().try_for_each(|warning| line(&Line::Warning(WarningJson::from(warning)), out))
    }
}

/// Writes one object as a line.
pub(super) fn line(object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    writeln!(out)
}
