//! `report`: a page, or a chart, in a file.

use std::fs;
use std::io::Write;
use std::path::Path;

use chrono::Local;

use super::Output;
use super::selection::selection;
use crate::cli::{Chart, ReportArgs};
use crate::domain::backup::Backup;
use crate::domain::stats::{self, By, LeftOut};
use crate::error::{Exit, Failure};
use crate::report::page::{Drawing, Page};

/// Writes what is asked for.
pub(super) fn report(args: &ReportArgs, output: &Output) -> anyhow::Result<Exit> {
    let mut found = selection("report", &args.paths, &args.interface, output)?;
    found.backups.retain(|backup| !args.first || backup.first == Some(true));
    let statistics = stats::summarise(&found.backups, By::Interface, args.min_size);
    let counting: Vec<Backup> =
        found.backups.iter().filter(|backup| LeftOut::reason(backup, args.min_size).is_none()).cloned().collect();
    let made = Local::now().format("%Y-%m-%d").to_string();
    let Some(page) = Page::new(&counting, &statistics, By::Interface, args.min_size, &made) else {
        return Err(Failure::new(Exit::Nothing, "could not report: no whole backup of known size and duration")
            .hint("--min-size 0 counts the small ones too")
            .into());
    };
    let style = output.style();
    let text = match args.svg {
        None => page.html(&style),
        Some(chart) => {
            let drawing = match chart {
                Chart::Throughput => Drawing::Throughput,
                Chart::Link => Drawing::Link,
                Chart::Rate => Drawing::Rate,
            };
            page.svg(drawing, &style).ok_or_else(|| {
                Failure::new(Exit::Nothing, "could not draw the rate over time: none of the backups was watched")
            })?
        }
    };
    match &args.output {
        None => Output::stdout().write_all(text.as_bytes())?,
        Some(path) => write(path, &text)?,
    }
    Ok(found.exit())
}

/// Writes the file by renaming one beside it: who reads it meanwhile finds all or nothing.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        // It may never have come to be.
        let _ = fs::remove_file(&beside);
        Failure::new(Exit::Use, format!("could not write `{}`: {error}", path.display()))
    })
}
