//! `analyze`: what files tell of backups.

use std::io;
use std::path::PathBuf;

use super::Output;
use crate::cli::AnalyzeArgs;
use crate::contract::destination::DestinationRow;
use crate::contract::envelope::{Section, Skipped};
use crate::error::{Exit, Failure};
use crate::report::{self, Report};
use crate::sources::{self, Fault, Gathered, Trouble};

/// Reads what is named and prints a row a backup.
pub(super) fn analyze(args: &AnalyzeArgs, output: &Output) -> anyhow::Result<Exit> {
    let found = sources::gather(args.paths.iter().map(PathBuf::as_path), &mut io::stdin().lock());
    for trouble in &found.troubles {
        output.say(&words(trouble));
    }
    if found.backups.is_empty() && found.destinations.is_empty() {
        return Err(nothing(&found, args.paths.len()).into());
    }
    let rows = found.destinations.iter().map(|destination| DestinationRow::new(destination, &[])).collect();
    let report = Report {
        backups: &found.backups,
        skipped: Skipped { lines: 0, files: count(found.troubles.len()), reasons: found.reasons() },
        files: Some(args.paths.len()),
        section: (!found.destinations.is_empty()).then_some(Section::Destinations(rows)),
        at_length: true,
        ..Report::default()
    };
    report::render(output.format, &report, &output.style(), &mut Output::stdout())?;
    Ok(if found.is_incomplete() { Exit::Damaged } else { Exit::Done })
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn words(trouble: &Trouble) -> String {
    let name = &trouble.name;
    match &trouble.fault {
        Fault::Unreadable(why) => format!("warning: could not read `{name}`: {why}"),
        Fault::Damaged(why) => format!("warning: could not read all of `{name}`: {why}"),
        Fault::NotASource(what) => format!("warning: {name}: passed over, {what}"),
        Fault::Idle => format!("note: {name}: Time Machine was idle, no backup was running"),
    }
}

fn nothing(found: &Gathered, paths: usize) -> Failure {
    let (exit, why) = match found.troubles.as_slice() {
        _ if found.is_incomplete() => (Exit::Damaged, "what could be read holds none".to_owned()),
        [only] => (
            Exit::Nothing,
            match &only.fault {
                Fault::NotASource(what) => format!("`{}` is {what}", only.name),
                _ => format!("`{}` says that none was running", only.name),
            },
        ),
        _ => (Exit::Nothing, format!("none of {paths} files holds one")),
    };
    Failure::new(exit, format!("could not find a backup: {why}"))
}
