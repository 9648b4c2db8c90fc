//! `doctor`: what works here, and what to do about the rest.

use std::io::Write;
use std::path::Path;

use super::Output;
use super::doors;
use super::kept::Kept;
use crate::cli::DoctorArgs;
use crate::contract::check::CheckJson;
use crate::contract::envelope::Section;
use crate::domain::check::{Check, State};
use crate::error::Exit;
use crate::observe::survey;
use crate::report::{self, Format, Report};

/// Checks, or gathers what a first look at a Mac should tell.
pub(super) fn doctor(args: &DoctorArgs, output: &Output) -> anyhow::Result<Exit> {
    let mut opened = doors::open(&args.tools, &mut |line| output.say(line))?;
    if let Some(dir) = &args.tools.record {
        let answers = survey::gather(opened.mac(), args.deadline, &mut |line| output.say(line));
        opened.finish()?;
        return Ok(gathered(output, dir, answers));
    }
    let access = opened.full_disk_access();
    let mut checks = survey::check(opened.mac(), args.deadline, access);
    if !opened.is_replay {
        checks.push(Kept::check());
    }
    let missing = checks.iter().any(|check| check.state == State::No);
    print(output, &checks)?;
    Ok(if missing { Exit::Tool } else { Exit::Done })
}

fn gathered(output: &Output, dir: &Path, answers: usize) -> Exit {
    let dir = dir.display();
    output.say(&format!("{answers} answers kept in `{dir}`; look through it before you pass it on"));
    if answers == 0 { Exit::Tool } else { Exit::Done }
}

fn print(output: &Output, checks: &[Check]) -> anyhow::Result<()> {
    let rows = checks.iter().map(|check| serde_json::to_value(CheckJson::from(check)));
    let style = output.style();
    let mut out = Output::stdout();
    if output.format == Format::Table {
        for line in report::doctor::lines(checks, &style) {
            writeln!(out, "{line}")?;
        }
        return Ok(());
    }
    let section = Some(Section::Checks(rows.collect::<Result<_, _>>()?));
    let report = Report { section, ..Report::default() };
    Ok(report::render(output.format, &report, &style, &mut out)?)
}
