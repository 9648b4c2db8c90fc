//! The command line: types only, no logic.

mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::domain::backup::Outcome;
use crate::domain::filter::Instant;
use crate::domain::link::LinkKind;
use crate::domain::stats::By;

/// How fast are Time Machine backups, and over which interface?
#[derive(Debug, Parser)]
#[command(
    name = "tmgauge",
    version,
    disable_help_subcommand = true,
    disable_help_flag = true,
    after_help = EXAMPLES,
    max_term_width = 80
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options that every command takes.
    #[command(flatten)]
    pub common: Common,
}

const EXAMPLES: &str = "\
Examples:
  tmgauge run --destination TM-Disk              the next backup, measured
  tmgauge watch --wait                           the next one that macOS starts
  tmgauge run --replay DIR --units iec           a recording, on any system
  tmgauge doctor                                 what works here, and what to do";

/// Options everywhere.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// table, markdown, csv, json or ndjson.
    #[arg(long, global = true, value_enum, hide_possible_values = true, default_value_t = Format::Table, value_name = "FORMAT", help_heading = "Options everywhere")]
    pub format: Format,
    /// si (GB, Mb/s) or iec (GiB, Mib/s).
    #[arg(long, global = true, value_enum, hide_possible_values = true, default_value_t = Units::Si, value_name = "UNITS", help_heading = "Options everywhere")]
    pub units: Units,
    /// auto, always or never.
    #[arg(long, global = true, value_enum, hide_possible_values = true, default_value_t = Color::Auto, value_name = "WHEN", help_heading = "Options everywhere")]
    pub color: Color,
    /// No characters beyond ASCII.
    #[arg(long, global = true, help_heading = "Options everywhere")]
    pub ascii: bool,
    /// No progress and no notes on stderr.
    #[arg(short, long, global = true, help_heading = "Options everywhere")]
    pub quiet: bool,
    /// Show this page.
    #[arg(short, long, global = true, action = clap::ArgAction::HelpShort, help_heading = "Options everywhere")]
    help: Option<bool>,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// A Markdown table.
    Markdown,
    /// Comma-separated values; columns are the dotted JSON paths.
    Csv,
    /// One JSON object.
    Json,
    /// One JSON object a line, as things happen.
    Ndjson,
}

/// Families of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Units {
    /// Powers of 1,000.
    Si,
    /// Powers of 1,024.
    Iec,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start a backup, or join the one that runs, and measure it to its end
    Run(RunArgs),
    /// Measure a backup that macOS starts by itself
    Watch(WatchArgs),
    /// Read logs of past backups, and what Time Machine's tools printed or earlier runs kept
    Analyze(AnalyzeArgs),
    /// List the destinations and over which interface each is reached
    Destinations(DestinationsArgs),
    /// Say what many backups say together: one row an interface
    Summary(SummaryArgs),
    /// Set backups side by side, with a verdict and a check of its fairness
    Compare(CompareArgs),
    /// Write a page, or a chart, that can be passed on
    Report(ReportArgs),
    /// Check what works here, and say what to do
    Doctor(DoctorArgs),
    /// Print a completion script
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Where the answers of Apple's tools come from and go to.
#[derive(Args, Clone, Debug, Default)]
pub struct ToolArgs {
    /// Play a recording; works on any system.
    #[arg(long, value_name = "DIR", help_heading = "Recordings", conflicts_with = "tools")]
    pub replay: Option<PathBuf>,
    /// Play N times as fast as it was, or `max`.
    #[arg(long, value_name = "N", help_heading = "Recordings", requires = "replay")]
    pub speed: Option<Speed>,
    /// Keep what a recording shows, as if it had been measured here.
    #[arg(long, help_heading = "Recordings", requires = "replay")]
    pub save: bool,
    /// Keep everything that Apple's tools say.
    #[arg(long, value_name = "DIR", help_heading = "Recordings")]
    pub record: Option<PathBuf>,
    /// Record names, serials and addresses too.
    #[arg(long, help_heading = "Recordings", requires = "record")]
    pub raw: bool,
    /// Take Apple's tools from DIR.
    #[arg(long, value_name = "DIR", help_heading = "Recordings")]
    pub tools: Option<PathBuf>,
}

/// How fast a recording is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// As fast as can be.
    Max,
    /// So many times real time.
    Times(f64),
}

impl std::str::FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "max" {
            return Ok(Self::Max);
        }
        match text.parse::<f64>() {
            Ok(times) if times.is_finite() && times > 0.0 => Ok(Self::Times(times)),
            _ => Err("neither `max` nor a number above 0".to_owned()),
        }
    }
}

/// How to watch.
#[derive(Args, Clone, Debug)]
pub struct PaceArgs {
    /// Ask for the status every TIME.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration, help_heading = "How to watch")]
    pub interval: Duration,
    /// Wait so long for `tmutil`; other waits scale with it [default: 20s].
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "How to watch")]
    pub deadline: Option<Duration>,
    /// Call it a stall after TIME.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration, help_heading = "How to watch")]
    pub stall_after: Duration,
    /// Wait until old backups are removed too.
    #[arg(long, help_heading = "How to watch")]
    pub until_idle: bool,
    /// Draw the rate over time even where the output is no terminal.
    #[arg(long, help_heading = "How to watch")]
    pub chart: bool,
}

fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time.is_zero() => Err("must be more than nothing".to_owned()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("{error}; write it as 50ms, 5s or 2m")),
    }
}

/// Options of `run`.
#[derive(Args, Debug)]
#[command(after_help = "\
Ctrl-C ends the watching, not the backup; Ctrl-T prints the state at once.
Exit: 0 completed, 1 wrong use, 3 a tool is missing or mute, 4 failed, cancelled
or refused, 8 outcome unknown, 130 interrupted.

Examples:
  tmgauge run                           the next backup, wherever it goes
  tmgauge run -d TM-Disk --first        the first backup to a new disk
  tmgauge run --replay DIR --units iec  a recording, in GiB and Mib/s")]
pub struct RunArgs {
    /// Where to; macOS's own choice if left out. Given twice: one after the other.
    #[arg(short, long, value_name = "NAME|ID|PATH", help_heading = "What to back up")]
    pub destination: Vec<String>,
    /// Refuse where it is proven that it would not be the first backup there.
    #[arg(long, help_heading = "What to back up")]
    pub first: bool,
    /// Join a running backup whatever its destination.
    #[arg(long, help_heading = "What to back up")]
    pub any: bool,
    /// How to watch.
    #[command(flatten)]
    pub pace: PaceArgs,
    /// Recordings.
    #[command(flatten)]
    pub tools: ToolArgs,
}

/// Options of `watch`.
#[derive(Args, Debug)]
#[command(after_help = "\
Ctrl-C ends the watching, not the backup; Ctrl-T prints the state at once.
Exit: 0 completed, 3 a tool is missing or mute, 4 failed or cancelled, 6 none
runs, 8 outcome unknown, 130 interrupted (0 with --forever).")]
pub struct WatchArgs {
    /// Wait for a backup if none runs.
    #[arg(long, help_heading = "How to watch")]
    pub wait: bool,
    /// Go on after each backup until interrupted.
    #[arg(long, help_heading = "How to watch")]
    pub forever: bool,
    /// How to watch.
    #[command(flatten)]
    pub pace: PaceArgs,
    /// Recordings.
    #[command(flatten)]
    pub tools: ToolArgs,
}

/// Options of `analyze`.
#[derive(Args, Debug)]
#[command(after_help = "\
Exit: 0 found, 5 something was unreadable (the rest is printed), 6 none found.

Examples
  tmgauge analyze --last 7d
  tmgauge analyze ~/Desktop/old-logs --explain
  tmgauge analyze /var/log/system.log* --year 2012")]
pub struct AnalyzeArgs {
    /// Files or folders to read: logs in any form, plain, .gz or .bz2, in any mix; `-` is standard input. Without any: this
    /// Mac's own log, as far back as it reaches.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Begun then or later.
    #[arg(long, value_name = "DATE", value_parser = values::since, help_heading = "Which backups")]
    pub since: Option<Instant>,
    /// Begun before then, or on that day.
    #[arg(long, value_name = "DATE", value_parser = values::until, help_heading = "Which backups")]
    pub until: Option<Instant>,
    /// Begun within the last TIME, such as 12h or 7d.
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "since", help_heading = "Which backups")]
    pub last: Option<Duration>,
    /// To there: name, ID or mount point.
    #[arg(long, value_name = "NAME", help_heading = "Which backups")]
    pub destination: Vec<String>,
    /// Ended so: completed, failed, cancelled, interrupted, ...
    #[arg(long, value_name = "OUTCOME", value_parser = values::outcome, help_heading = "Which backups")]
    pub outcome: Vec<Outcome>,
    /// Copied at least SIZE, such as 1GB.
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Which backups")]
    pub min_size: Option<u64>,
    /// For logs that name no year.
    #[arg(long, value_name = "YEAR", value_parser = values::year, help_heading = "How to read")]
    pub year: Option<i32>,
    /// For logs without an offset, such as Europe/Berlin.
    #[arg(long, value_name = "ZONE", help_heading = "How to read")]
    pub tz: Option<chrono_tz::Tz>,
    /// Tell which format fits, what was passed over and which lines nobody understood.
    #[arg(long, help_heading = "How to read")]
    pub explain: bool,
    /// Go on reading as the file grows; each backup is told when it ends.
    #[arg(long, value_name = "FILE", conflicts_with = "paths", help_heading = "How to read")]
    pub follow: Option<PathBuf>,
    /// Take Apple's tools from DIR.
    #[arg(long, value_name = "DIR", help_heading = "How to read")]
    pub tools: Option<PathBuf>,
    /// Say over which interface backups to DEST went.
    #[arg(long, value_name = "DEST=INTERFACE", value_parser = values::interface)]
    pub interface: Vec<(String, LinkKind)>,
}

/// Options of `destinations`.
#[derive(Args, Debug)]
#[command(after_help = "\
While a backup runs, nothing is asked that could touch a destination: less is
known then.
Exit: 0 listed, 3 a tool is missing or mute, 5 a file was unreadable, 6 none.

Examples:
  tmgauge destinations                    every destination and its interface
  tmgauge destinations --explain          with the command and key that decided
  tmgauge destinations --explain ioreg.plist ifconfig.txt    of saved outputs")]
pub struct DestinationsArgs {
    /// Show which command and key decided; of FILEs, what these saved outputs of Apple's tools say.
    #[arg(long, value_name = "FILE", num_args = 0..)]
    pub explain: Option<Vec<PathBuf>>,
    /// How long to wait for a tool [default: 20s for tmutil, 10s for most others].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub deadline: Option<Duration>,
    /// Recordings.
    #[command(flatten)]
    pub tools: ToolArgs,
}

/// What makes a row of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupBy {
    /// The interface to the destination.
    Interface,
    /// The destination.
    Destination,
    /// The Mac.
    Host,
    /// The month of the start.
    Month,
}

impl From<GroupBy> for By {
    fn from(by: GroupBy) -> Self {
        match by {
            GroupBy::Interface => Self::Interface,
            GroupBy::Destination => Self::Destination,
            GroupBy::Host => Self::Host,
            GroupBy::Month => Self::Month,
        }
    }
}

/// Options of `summary`.
#[derive(Args, Debug)]
#[command(after_help = "\
PATH is a log, a record, a folder of them, a recording, or `-` for standard
input. Without PATH: the history.
Exit: 0 done, 5 something was unreadable (the rest is counted), 6 nothing to count.

Examples:
  tmgauge summary backups.ndjson --by destination
  tmgauge summary recordings/* --format markdown")]
pub struct SummaryArgs {
    /// What to read.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// One row a GROUP: interface, destination, host or month.
    #[arg(long, value_name = "GROUP", value_enum, hide_possible_values = true, default_value_t = GroupBy::Interface)]
    pub by: GroupBy,
    /// Leave out what copied less; 0 counts all.
    #[arg(long, value_name = "SIZE", value_parser = values::size, default_value = "1GB", help_heading = "Which backups")]
    pub min_size: u64,
    /// First backups only.
    #[arg(long, help_heading = "Which backups")]
    pub first: bool,
    /// Begun then or later.
    #[arg(long, value_name = "DATE", value_parser = values::since, help_heading = "Which backups")]
    pub since: Option<Instant>,
    /// Begun before then, or on that day.
    #[arg(long, value_name = "DATE", value_parser = values::until, help_heading = "Which backups")]
    pub until: Option<Instant>,
    /// To there: name, ID or mount point.
    #[arg(long, value_name = "NAME", help_heading = "Which backups")]
    pub destination: Vec<String>,
    /// Say over which interface backups to DEST went.
    #[arg(long, value_name = "DEST=INTERFACE", value_parser = values::interface)]
    pub interface: Vec<(String, LinkKind)>,
}

/// Options of `compare`.
#[derive(Args, Debug)]
#[command(after_help = "\
Each of A, B, C is a recording, a record, a log or a folder of them, or `-`.
Several backups a side are compared by their medians.

Examples:
  tmgauge compare usb3-recording/ usb2-recording/ --units iec
  tmgauge compare before.ndjson after.ndjson --format markdown")]
pub struct CompareArgs {
    /// What to set side by side.
    #[arg(value_name = "SIDE", num_args = 2.., required = true)]
    pub sides: Vec<String>,
    /// Of several backups leave out those that copied less.
    #[arg(long, value_name = "SIZE", value_parser = values::size, default_value = "1GB", help_heading = "Which backups")]
    pub min_size: u64,
    /// First backups only.
    #[arg(long, help_heading = "Which backups")]
    pub first: bool,
    /// Say over which interface backups to DEST went.
    #[arg(long, value_name = "DEST=INTERFACE", value_parser = values::interface)]
    pub interface: Vec<(String, LinkKind)>,
}

/// A chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Chart {
    /// Throughput by backup.
    Throughput,
    /// How much of each link was used.
    Link,
    /// Rate over time of the fastest backup.
    Rate,
}

/// Options of `report`.
#[derive(Args, Debug)]
#[command(after_help = "\
The page is one file: no script, nothing loaded from elsewhere. Up to six
backups stand side by side; of more, one of each interface.

Examples:
  tmgauge report usb3-recording/ usb2-recording/ -o report.html
  tmgauge report backups.ndjson --svg throughput -o throughput.svg")]
pub struct ReportArgs {
    /// What to read: recordings, records, logs, folders of them, or `-`.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Where to write it [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A chart alone: throughput, link or rate.
    #[arg(long, value_name = "CHART", value_enum, hide_possible_values = true)]
    pub svg: Option<Chart>,
    /// Leave out what copied less; 0 counts all.
    #[arg(long, value_name = "SIZE", value_parser = values::size, default_value = "1GB", help_heading = "Which backups")]
    pub min_size: u64,
    /// First backups only.
    #[arg(long, help_heading = "Which backups")]
    pub first: bool,
    /// Say over which interface backups to DEST went.
    #[arg(long, value_name = "DEST=INTERFACE", value_parser = values::interface)]
    pub interface: Vec<(String, LinkKind)>,
}

/// Options of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// How long to wait for a tool [default: 20s for tmutil, 10s for others].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub deadline: Option<Duration>,
    /// Recordings.
    #[command(flatten)]
    pub tools: ToolArgs,
}
