//! `--follow`: a log that grows.

use std::io::Write;
use std::path::Path;

use super::{filter, options};
use crate::cli::AnalyzeArgs;
use crate::commands::Output;
use crate::error::{Exit, Failure};
use crate::logs::formats::Formats;
use crate::report::{self, Report};
use crate::sources::logs::follow::Followed;
use crate::system::changes::Changes;

/// Tells each backup as it ends, until a signal ends the program.
pub(super) fn follow(path: &Path, args: &AnalyzeArgs, formats: Formats, output: &Output) -> anyhow::Result<Exit> {
    let changes = Changes::of(path);
    let wanted = filter(args);
    let mut followed = Followed::new(path, options(args), formats);
    loop {
        let ended = followed
            .look()
            .map_err(|error| Failure::new(Exit::Damaged, format!("could not read `{}`: {error}", path.display())))?;
        let backups: Vec<_> = ended.into_iter().filter(|backup| wanted.wants(backup)).collect();
        if !backups.is_empty() {
            let mut out = Output::stdout();
            let report = Report { backups: &backups, ..Report::default() };
            report::render(output.format, &report, &output.style(), &mut out)?;
            out.flush()?;
        }
        changes.wait();
    }
}
