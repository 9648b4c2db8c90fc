//! `summary`: one row a group of backups.

use super::Output;
use super::selection::selection;
use crate::cli::SummaryArgs;
use crate::contract::envelope::{Section, Skipped};
use crate::contract::group;
use crate::domain::filter::Filter;
use crate::domain::stats::{self, By, Statistics};
use crate::error::{Exit, Failure};
use crate::report::groups::{Groups, reason_words};
use crate::report::{self, Format, Report, human};

/// Groups what is named, and prints a row a group.
pub(super) fn summary(args: &SummaryArgs, output: &Output) -> anyhow::Result<Exit> {
    let found = selection("summarise", &args.paths, &args.interface, output)?;
    let filter =
        Filter { since: args.since, until: args.until, destinations: args.destination.clone(), ..Filter::default() };
    let wanted =
        found.backups.iter().filter(|backup| filter.wants(backup) && (!args.first || backup.first == Some(true)));
    let by = By::from(args.by);
    let statistics = stats::summarise(wanted, by, args.min_size);
    let style = output.style();
    let groups = Groups { statistics: &statistics, by, min_bytes: args.min_size };
    if statistics.counted() == 0 {
        return Err(nothing(&groups, output).into());
    }
    let mut out = Output::stdout();
    match output.format {
        Format::Table => groups.lines(&style).iter().try_for_each(|line| writeln_to(&mut out, line))?,
        Format::Markdown => groups.markdown(&style, &mut out)?,
        Format::Csv => groups.csv(&mut out)?,
        Format::Json | Format::Ndjson => {
            let section = Some(Section::Groups(group::rows(&statistics, by.word())));
            let skipped = skipped(&statistics, args.min_size, output);
            report::render(output.format, &Report { skipped, section, ..Report::default() }, &style, &mut out)?;
        }
    }
    Ok(found.exit())
}

fn writeln_to(out: &mut impl std::io::Write, line: &str) -> std::io::Result<()> {
    writeln!(out, "{line}")
}

/// What was left out, in the words of the table.
fn skipped(statistics: &Statistics, min_bytes: u64, output: &Output) -> Skipped {
    let size = human::margin(min_bytes, output.style().units);
    let words = |(reason, n): (&stats::LeftOut, &usize)| {
        (format!("backups {}", reason_words(*reason, &size)), u64::try_from(*n).unwrap_or(u64::MAX))
    };
    Skipped { reasons: statistics.left_out.iter().map(words).collect(), ..Skipped::default() }
}

fn nothing(groups: &Groups<'_>, output: &Output) -> Failure {
    let style = output.style();
    let size = human::margin(groups.min_bytes, style.units);
    let what =
        if groups.min_bytes > 0 { format!("no whole backup of at least {size}") } else { "no whole backup".to_owned() };
    let reasons = groups.reasons(&style);
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    let failure = Failure::new(Exit::Nothing, format!("could not summarise: {what}{reasons}"));
    if groups.statistics.left_out.contains_key(&stats::LeftOut::Small) {
        return failure.hint("--min-size 0 counts the small ones; they say little about a link");
    }
    failure
}
