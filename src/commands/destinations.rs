//! `destinations`: the configured destinations and over which interface each is reached.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Output;
use super::doors;
use crate::cli::DestinationsArgs;
use crate::contract::destination::{DestinationRow, ExplainedRow};
use crate::contract::envelope::{Section, Skipped};
use crate::domain::backup::Warning;
use crate::error::{Exit, Failure};
use crate::links::{self, Explained};
use crate::observe::destinations::{self as ways, Way};
use crate::report::{self, Format, Report};

/// What is read of a file at most: the longest output of a tool is a few megabytes.
const LONGEST: u64 = 64 << 20;

/// Lists the destinations, or explains saved outputs.
pub(super) fn destinations(args: &DestinationsArgs, output: &Output) -> anyhow::Result<Exit> {
    match args.explain.as_deref() {
        Some(files @ [_, ..]) => explain(files, output),
        explain => list(args, explain.is_some(), output),
    }
}

fn list(args: &DestinationsArgs, explain: bool, output: &Output) -> anyhow::Result<Exit> {
    let mut opened = doors::open(&args.tools, &mut |line| output.say(line))?;
    let found = ways::look(opened.mac(), args.deadline);
    opened.finish()?;
    let found = found?;
    if let Some(why) = found.restricted {
        output.say(&format!("note: {why}"));
    }
    let mut warnings: Vec<Warning> = Vec::new();
    for warning in found.ways.iter().flat_map(|way| &way.look.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    print(output, &found.ways, &warnings, explain)?;
    Ok(if found.ways.is_empty() { Exit::Nothing } else { Exit::Done })
}

fn print(output: &Output, ways: &[Way], warnings: &[Warning], explain: bool) -> anyhow::Result<()> {
    let style = output.style();
    let mut out = Output::stdout();
    match output.format {
        Format::Table => write_lines(&report::destinations::lines(ways, warnings, explain, &style), &mut out)?,
        Format::Markdown => report::destinations::write_markdown(ways, &style, &mut out)?,
        format => {
            let rows = ways.iter().map(|way| DestinationRow::new(&way.whole(), &way.look.links)).collect();
            let section = Some(Section::Destinations(rows));
            report::render(format, &Report { warnings, section, ..Report::default() }, &style, &mut out)?;
        }
    }
    Ok(out.flush()?)
}

fn write_lines(lines: &[String], out: &mut dyn Write) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn explain(files: &[PathBuf], output: &Output) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    let mut names = Vec::new();
    let mut contents = Vec::new();
    for file in files {
        match read(file) {
            Ok(bytes) => {
                names.push(file.display().to_string());
                contents.push(bytes);
            }
            Err(error) => {
                output.say(&format!("warning: could not read `{}`: {error}", file.display()));
                exit = Exit::Damaged;
            }
        }
    }
    let slices: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
    let mut answers: Vec<(String, Explained)> = Vec::new();
    let mut skipped = Skipped::default();
    for (name, told) in names.into_iter().zip(links::explain(&slices)) {
        if let Some(told) = told {
            answers.push((name, told));
        } else {
            output.say(&format!("warning: {name}: passed over, no output of a tool that tells of an interface"));
            skipped.files += 1;
        }
    }
    if skipped.files > 0 {
        skipped.reasons.insert("files without an output of a known tool".to_owned(), skipped.files);
    }
    if answers.is_empty() {
        let exit = exit.worst(Exit::Nothing);
        let why = "no file holds an output of a tool that tells of an interface";
        return Err(Failure::new(exit, format!("could not explain anything: {why}"))
            .hint("save what `ioreg`, `diskutil`, `system_profiler`, `ifconfig`, ... print; docs/interfaces.md lists them")
            .into());
    }
    print_explained(output, &answers, skipped)?;
    Ok(exit)
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let length = fs::metadata(file)?.len();
    if length > LONGEST {
        return Err(io::Error::other("it is too long for an output of one tool"));
    }
    fs::read(file)
}

fn print_explained(output: &Output, answers: &[(String, Explained)], skipped: Skipped) -> anyhow::Result<()> {
    let style = output.style();
    let mut out = Output::stdout();
    match output.format {
        Format::Table => write_lines(&report::destinations::explained(answers, &style), &mut out)?,
        Format::Markdown => report::destinations::write_explained_markdown(answers, &style, &mut out)?,
        format => {
            let row =
                |(file, told): &(String, Explained)| ExplainedRow::new(file, &told.tool, &told.links, &told.notes);
            let section = Some(Section::Explained(answers.iter().map(row).collect()));
            report::render(format, &Report { skipped, section, ..Report::default() }, &style, &mut out)?;
        }
    }
    Ok(out.flush()?)
}
