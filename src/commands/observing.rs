//! What `run` and `watch` share: doors, display, keeping, and how each backup is printed.

use super::Output;
use super::doors::{self, Opened};
use super::kept::Kept;
use crate::cli::{PaceArgs, ToolArgs};
use crate::domain::backup::Backup;
use crate::error::Exit;
use crate::observe::{self, Doors, Settings, Task};
use crate::report::{self, Format, Report, live};

/// When backups are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    /// Each when it is over, at length.
    EachAtLength,
    /// All in one table.
    AllAtTheEnd,
}

/// An observing command at work.
pub(super) struct Observing<'a> {
    opened: Opened,
    kept: Kept,
    settings: Settings,
    output: &'a Output,
    show: Show,
    chart: bool,
    backups: Vec<Backup>,
}

impl<'a> Observing<'a> {
    /// Opens the doors, and keeps what earlier runs left behind.
    pub(super) fn new(tools: &ToolArgs, pace: &PaceArgs, output: &'a Output, show: Show) -> anyhow::Result<Self> {
        let opened = doors::open(tools, &mut |line| output.say(line))?;
        let kept = if opened.is_replay && !tools.save { Kept::nothing() } else { Kept::in_state_folder(output) };
        let settings = Settings {
            interval: pace.interval,
            deadline: pace.deadline,
            stall_after: pace.stall_after,
            until_idle: pace.until_idle,
            full_disk_access: opened.full_disk_access(),
        };
        Ok(Self { opened, kept, settings, output, show, chart: pace.chart, backups: Vec::new() })
    }

    /// Carries out a task.
    pub(super) fn observe(&mut self, task: &Task, until_idle: bool) -> anyhow::Result<Exit> {
        let settings = Settings { until_idle, ..self.settings.clone() };
        let output = self.output;
        let style = output.stderr_style();
        let mut sink = live::sink(live::choose(output.quiet, output.format, output.stderr_is_terminal()), &style);
        let mut journal = self.kept.journal();
        let kept = &self.kept;
        let mut doors = Doors { mac: self.opened.mac(), sink: sink.as_mut(), journal: journal.as_mut() };
        let (show, chart) = (self.show, self.chart);
        let backups = &mut self.backups;
        observe::observe(&mut doors, &settings, task, &mut |backup| {
            kept.keep(&backup, output);
            if show == Show::EachAtLength && !prints_whole(output.format) {
                print(output, std::slice::from_ref(&backup), chart)?;
            } else {
                backups.push(backup);
            }
            Ok(())
        })
    }

    /// Prints what was not printed yet and finishes a recording, whatever the observing came to.
    pub(super) fn conclude(self, result: anyhow::Result<Exit>) -> anyhow::Result<Exit> {
        let is_due = !self.backups.is_empty() || prints_whole(self.output.format);
        let printed = if is_due { print(self.output, &self.backups, self.chart) } else { Ok(()) };
        // A reader that has gone away costs no recording.
        self.opened.finish()?;
        printed?;
        result
    }
}

/// Whether the form is one document, printed at the end even where it is empty.
fn prints_whole(format: Format) -> bool {
    matches!(format, Format::Json | Format::Csv | Format::Markdown)
}

fn print(output: &Output, backups: &[Backup], chart: bool) -> anyhow::Result<()> {
    let style = output.style();
    let report = Report { backups, at_length: true, chart: chart || style.width.is_some(), ..Report::default() };
    Ok(report::render(output.format, &report, &style, &mut Output::stdout())?)
}
