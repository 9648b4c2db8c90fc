//! `analyze`: what files, or this Mac's own log, tell of backups.

mod bar;
mod explain;
mod follow;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use chrono::{Local, TimeDelta};

use self::bar::Bar;
use super::{Output, said};
use crate::cli::AnalyzeArgs;
use crate::contract::destination::DestinationRow;
use crate::contract::envelope::{Section, Skipped};
use crate::domain::filter::{Filter, Instant};
use crate::error::{Exit, Failure};
use crate::logs::formats::{Formats, ReadOptions};
use crate::report::{self, Format, Report, human};
use crate::sources::{self, Fault, Gathered, Trouble};
use crate::system::folders::Folders;
use crate::system::past_log::PastLog;
use crate::system::process::Toolbox;

/// The folder of a user's own formats below the config folder.
const FORMATS: &str = "formats";

/// Reads what is named and prints a row a backup.
pub(super) fn analyze(args: &AnalyzeArgs, output: &Output) -> anyhow::Result<Exit> {
    let formats = formats(output);
    if let Some(path) = &args.follow {
        return follow::follow(path, args, formats, output);
    }
    let mut found = if args.paths.is_empty() {
        own_log(args, &formats, output)?
    } else {
        gather(args, &args.paths, &formats, &mut io::stdin(), output)
    };
    say_troubles(&found, args.explain, output);
    if args.explain {
        explain::explain(&found, output);
    }
    if found.backups.is_empty() && found.destinations.is_empty() {
        if output.format == Format::Json {
            show(&found, output)?;
        }
        return Err(nothing(&found, &args.paths).into());
    }
    said::apply(&args.interface, &mut found.backups);
    let all = found.backups.len();
    let filter = filter(args);
    found.backups.retain(|backup| filter.wants(backup));
    if found.backups.is_empty() && all > 0 {
        let what = human::counted(count(all), "backup was", "backups were");
        return Err(Failure::new(
            Exit::Nothing,
            format!("could not find such a backup: {what} found, none of them fits"),
        )
        .hint("leave an option out; a backup without a date fits no --since, --until or --last")
        .into());
    }
    show(&found, output)?;
    Ok(if found.is_incomplete() { Exit::Damaged } else { Exit::Done })
}

fn show(found: &Gathered, output: &Output) -> io::Result<()> {
    if output.format == Format::Table && found.backups.is_empty() {
        let mut out = Output::stdout();
        let lines = report::destinations::listed(&found.destinations, &output.style());
        return lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    }
    let rows = found.destinations.iter().map(|destination| DestinationRow::new(destination, &[])).collect();
    let report = Report {
        backups: &found.backups,
        skipped: skipped(found),
        files: (found.files > 0).then_some(found.files),
        section: (!found.destinations.is_empty()).then_some(Section::Destinations(rows)),
        at_length: found.logs == 0,
        ..Report::default()
    };
    report::render(output.format, &report, &output.style(), &mut Output::stdout())
}

/// What was read and not used, with a name for each kind of it.
fn skipped(found: &Gathered) -> Skipped {
    let counts = &found.counts;
    let mut reasons = found.reasons();
    for (reason, lines) in
        [("lines of other programs", counts.foreign), ("lines of backupd not understood", counts.not_understood)]
    {
        if lines > 0 {
            reasons.insert(reason.to_owned(), lines);
        }
    }
    Skipped { lines: counts.foreign.saturating_add(counts.not_understood), files: count(found.troubles.len()), reasons }
}

fn gather(
    args: &AnalyzeArgs,
    paths: &[PathBuf],
    formats: &Formats,
    stdin: &mut (dyn Read + Send),
    output: &Output,
) -> Gathered {
    let bar = Bar::new(output);
    let progress = |progress| bar.take(progress);
    let request = sources::Request { paths, options: options(args), formats, progress: &progress };
    let found = sources::gather(&request, stdin);
    bar.finish();
    found
}

/// Reads what this Mac has logged.
fn own_log(args: &AnalyzeArgs, formats: &Formats, output: &Output) -> anyhow::Result<Gathered> {
    let toolbox = match &args.tools {
        Some(folder) => Toolbox::folder(folder)?,
        None => Toolbox::system(),
    };
    let mut log = PastLog::ask(&toolbox).map_err(|error| {
        let why = if error.kind() == io::ErrorKind::NotFound {
            "there is no `log` here".to_owned()
        } else {
            error.to_string()
        };
        Failure::new(Exit::Tool, format!("could not read this system's own log: {why}"))
            .hint("name files or folders: tmgauge analyze PATH")
    })?;
    let mut found = gather(args, &[PathBuf::from("-")], formats, log.output(), output);
    found.files = 0;
    log.finish().map_err(|why| {
        Failure::new(Exit::Tool, format!("could not read this Mac's own log: {why}"))
            .hint("an administrator may read it; so may `log show` into a file that is then analysed")
    })?;
    if let Some(first) = found.first.and_then(|at| at.wall) {
        output.say(&format!(
            "note: this Mac's log reaches back to {} with what Time Machine said",
            human::start(Some(first))
        ));
    }
    // An empty log is no damage.
    found.troubles.retain(|trouble| !matches!(trouble.fault, Fault::Empty | Fault::NotASource(_)));
    Ok(found)
}

/// The built-in formats and the user's own, which are told about where they don't hold.
fn formats(output: &Output) -> Formats {
    let Ok(folders) = Folders::find() else { return Formats::built_in().clone() };
    let (formats, diagnostics) = Formats::load_user(&folders.config.join(FORMATS));
    for diagnostic in diagnostics {
        output.say(&format!("warning: {diagnostic}"));
    }
    formats
}

fn options(args: &AnalyzeArgs) -> ReadOptions {
    ReadOptions { year: args.year, zone: args.tz, only_backupd: false }
}

fn filter(args: &AnalyzeArgs) -> Filter {
    let last = args.last.and_then(|last| TimeDelta::from_std(last).ok()).map(|last| Local::now().fixed_offset() - last);
    Filter {
        since: last.map(Instant::Zoned).or(args.since),
        until: args.until,
        destinations: args.destination.clone(),
        outcomes: args.outcome.clone(),
        min_bytes: args.min_size,
    }
}

/// Tells what could not be used; what only lies in a folder is counted.
fn say_troubles(found: &Gathered, all: bool, output: &Output) {
    let (by_name, counted): (Vec<_>, Vec<_>) = found
        .troubles
        .iter()
        .partition(|trouble| all || !trouble.in_folder || !matches!(trouble.fault, Fault::NotASource(_)));
    for trouble in by_name {
        output.say(&words(trouble));
    }
    if !counted.is_empty() {
        let files = human::counted(count(counted.len()), "file", "files");
        output.say(&format!("warning: {files} passed over as no logs (--explain names each)"));
    }
    if found.counts.without_infos {
        output.say("warning: a log was saved without its Infos, which tell of starts and successes: `log show --info`");
    }
}

/// A trouble in words.
pub(super) fn words(trouble: &Trouble) -> String {
    let name = &trouble.name;
    match &trouble.fault {
        Fault::Unreadable(why) => format!("warning: could not read `{name}`: {why}"),
        Fault::Damaged(why) => format!("warning: could not read all of `{name}`: {why}"),
        Fault::Empty => format!("warning: {name}: passed over, it is empty"),
        Fault::Binary => format!("warning: {name}: passed over, not text"),
        Fault::NotASource(what) => format!("warning: {name}: passed over, {what}"),
        Fault::Idle => format!("note: {name}: Time Machine was idle, no backup was running"),
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn nothing(found: &Gathered, paths: &[PathBuf]) -> Failure {
    if found.is_incomplete() {
        return Failure::new(Exit::Damaged, "could not find a backup: what could be read holds none");
    }
    let files = human::counted(count(found.files), "file", "files");
    let why = match (found.troubles.as_slice(), paths) {
        (_, []) => "could not find a backup in this Mac's own log".to_owned(),
        ([only], [path]) if !path.is_dir() => match &only.fault {
            Fault::NotASource(what) => format!("could not find a backup: `{}` is {what}", only.name),
            _ => format!("could not find a backup: `{}` says that none was running", only.name),
        },
        (_, [path]) => format!("could not find a backup in `{}`: {files}, {}", path.display(), lines_of(found)),
        _ => format!("could not find a backup: none of {files} holds one"),
    };
    let failure = Failure::new(Exit::Nothing, why);
    if found.logs > 0 || paths.is_empty() {
        failure.hint("it may be older than the log, which keeps some days")
    } else {
        failure.hint(format!("`tmgauge analyze --explain {}` shows how near each format came", shown(paths)))
    }
}

fn lines_of(found: &Gathered) -> String {
    match found.counts.not_understood {
        0 => "no word of a backup".to_owned(),
        lines => format!("{} that nobody understood", human::counted(lines, "line of backupd", "lines of backupd")),
    }
}

fn shown(paths: &[PathBuf]) -> String {
    paths.first().map_or(Path::new("PATH"), PathBuf::as_path).display().to_string()
}
