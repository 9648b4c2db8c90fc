//! `compare`: backups side by side.

use std::io::Write;
use std::path::Path;

use super::Output;
use super::selection::{Selection, no_history, selection};
use crate::cli::CompareArgs;
use crate::contract::envelope::Section;
use crate::domain::backup::Backup;
use crate::domain::compare::Side;
use crate::error::{Exit, Failure};
use crate::report::compare::Comparison;
use crate::report::{self, Format, Report};

/// Compares what is named.
pub(super) fn compare(args: &CompareArgs, output: &Output) -> anyhow::Result<Exit> {
    let mut found = Vec::new();
    for name in &args.sides {
        found.push(side(name, args, output)?);
    }
    let sides: Vec<Side<'_>> = args
        .sides
        .iter()
        .zip(&found)
        .map(|(name, found)| Side { label: name.clone(), backups: found.backups.iter().collect() })
        .collect();
    let comparison = Comparison { sides, min_bytes: args.min_size };
    let style = output.style();
    let mut out = Output::stdout();
    match output.format {
        Format::Table => comparison.lines(&style).iter().try_for_each(|line| writeln!(out, "{line}"))?,
        Format::Markdown => comparison.markdown(&style, &mut out)?,
        Format::Csv | Format::Json | Format::Ndjson => {
            let backups: Vec<Backup> = found.iter().flat_map(|side| side.backups.iter().cloned()).collect();
            let section = Some(Section::Comparison(comparison.json(&style)));
            report::render(
                output.format,
                &Report { backups: &backups, section, ..Report::default() },
                &style,
                &mut out,
            )?;
        }
    }
    Ok(found.iter().fold(Exit::Done, |exit, side| exit.worst(side.exit())))
}

/// The backups of one side.
fn side(name: &str, args: &CompareArgs, output: &Output) -> anyhow::Result<Selection> {
    let path = Path::new(name);
    if name != "-" && !path.exists() {
        return Err(no_history(&format!("compare `{name}`, which is no file")).into());
    }
    let mut found = selection("compare", &[path.to_owned()], &args.interface, output)?;
    found.backups.retain(|backup| !args.first || backup.first == Some(true));
    if found.backups.is_empty() {
        let what = if args.first { "no first backup" } else { "no backup" };
        let exit = if found.incomplete { Exit::Damaged } else { Exit::Nothing };
        return Err(Failure::new(exit, format!("could not compare `{name}`: {what} in it")).into());
    }
    Ok(found)
}
