//! Observations are kept as they come. That they can't be is a warning, never the end of a run.

use std::path::PathBuf;

use crate::contract::journal::{Header, JournalLine};
use crate::domain::backup::{Warning, WarningCode};
use crate::ports::Journal;

/// The journal of one observing, until it fails.
pub(super) struct Keeper<'a> {
    journal: &'a mut dyn Journal,
    header: Option<Header>,
    /// What came before the header was known, or since the last journal was let go of.
    waiting: Vec<JournalLine>,
    begun: bool,
    failed: Option<Warning>,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(journal: &'a mut dyn Journal) -> Self {
        Self { journal, header: None, waiting: Vec::new(), begun: false, failed: None }
    }

    /// Names the destinations' mount points: nothing may be kept there.
    pub(super) fn avoid(&mut self, mount_points: Vec<PathBuf>) {
        self.journal.avoid(mount_points);
    }

    /// Tells how every journal of this observing begins. What waited is kept now.
    pub(super) fn begin(&mut self, header: Header) {
        self.header = Some(header);
        for line in std::mem::take(&mut self.waiting) {
            self.keep(line);
        }
    }

    /// Keeps a line. The first failure ends the keeping.
    pub(super) fn keep(&mut self, line: JournalLine) {
        let Some(header) = &self.header else { return self.waiting.push(line) };
        if !self.begun {
            self.begun = true;
            let header = JournalLine::Header(header.clone());
            self.append(&header);
        }
        self.append(&line);
    }

    fn append(&mut self, line: &JournalLine) {
        if self.failed.is_some() {
            return;
        }
        let text = line.write().map_err(|error| error.to_string());
        let kept = text.and_then(|text| self.journal.append(&text).map_err(|error| error.to_string()));
        self.fail(kept);
    }

    /// The record of what was kept is kept elsewhere now.
    pub(super) fn release(&mut self) {
        if std::mem::take(&mut self.begun) && self.failed.is_none() {
            let released = self.journal.release().map_err(|error| error.to_string());
            self.fail(released);
        }
    }

    fn fail(&mut self, result: Result<(), String>) {
        if let Err(why) = result {
            self.failed = Some(Warning {
                code: WarningCode::JournalFailed,
                field: None,
                message: format!("samples could not be kept as they came: {why}"),
            });
        }
    }

    /// What went wrong, if anything did.
    pub(super) fn warning(&self) -> Option<Warning> {
        self.failed.clone()
    }
}
