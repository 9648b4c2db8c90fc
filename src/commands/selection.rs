//! The backups that a command is about: from files, folders, recordings and standard input; without any of them from the
//! history.

use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

use super::Output;
use super::analyze::words;
use super::doors;
use super::kept::Kept;
use super::said;
use crate::cli::{Speed, ToolArgs};
use crate::domain::backup::Backup;
use crate::domain::link::LinkKind;
use crate::error::{Exit, Failure};
use crate::logs::formats::{Formats, ReadOptions};
use crate::observe::{self, Doors, Settings, Task};
use crate::report::live;
use crate::sources::{self, Request};
use crate::system::recording::format::Recording;

/// The file that makes a folder a recording.
const RECORDING: &str = "recording.toml";

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// The backups, in the order of what was named.
    pub(super) backups: Vec<Backup>,
    /// Whether something was unreadable or damaged.
    pub(super) incomplete: bool,
}

impl Selection {
    /// The exit code of a command that has done its work.
    pub(super) fn exit(&self) -> Exit {
        if self.incomplete { Exit::Damaged } else { Exit::Done }
    }
}

/// Gives all that `paths` tell of; without any what the history holds. `task` says what it is for,
/// `interfaces` what the user tells of destinations.
///
/// # Errors
/// Where nothing is named and there is no history; where a recording can't be read.
pub(super) fn selection(
    task: &str,
    paths: &[PathBuf],
    interfaces: &[(String, LinkKind)],
    output: &Output,
) -> anyhow::Result<Selection> {
    if paths.is_empty() {
        return Err(no_history(task).into());
    }
    let mut selection = Selection::default();
    for path in paths {
        if is_recording(path) {
            selection.backups.extend(play(path, output)?);
        } else {
            read(path, output, &mut selection);
        }
    }
    said::apply(interfaces, &mut selection.backups);
    Ok(selection)
}

/// That nothing is kept from which to choose.
pub(super) fn no_history(task: &str) -> Failure {
    Failure::new(Exit::Nothing, format!("could not {task}: there is no history yet"))
        .hint("name files, folders or recordings; `-` is standard input")
}

fn is_recording(path: &Path) -> bool {
    path.join(RECORDING).is_file()
}

fn read(path: &Path, output: &Output, selection: &mut Selection) {
    let mut stdin = stdin();
    let request = Request {
        paths: &[path.to_owned()],
        options: ReadOptions { year: None, zone: None, only_backupd: true },
        formats: Formats::built_in(),
        progress: &|_| {},
    };
    let stdin: &mut (dyn Read + Send) = &mut stdin;
    let found = sources::gather(&request, stdin);
    for trouble in &found.troubles {
        output.say(&words(trouble));
    }
    selection.incomplete |= found.is_incomplete();
    selection.backups.extend(found.backups);
}

/// Plays a recording as fast as can be. It keeps nothing and shows no progress.
fn play(folder: &Path, output: &Output) -> anyhow::Result<Vec<Backup>> {
    // A recording in which nothing is started was made by one that watched.
    let task = if Recording::read(folder)?.has_start() {
        Task::Run { destination: None, any: true, first: false }
    } else {
        Task::Watch { wait: true, forever: true }
    };
    let tools = ToolArgs { replay: Some(folder.to_owned()), speed: Some(Speed::Max), ..ToolArgs::default() };
    let mut opened = doors::open(&tools, &mut |line| output.say(line))?;
    let settings = Settings { full_disk_access: opened.full_disk_access(), ..Settings::default() };
    let style = output.stderr_style();
    let mut sink = live::sink(live::choose(true, output.format, false), &style);
    let mut journal = Kept::nothing().journal();
    let mut backups = Vec::new();
    let mut doors = Doors { mac: opened.mac(), sink: sink.as_mut(), journal: journal.as_mut() };
    let observed = observe::observe(&mut doors, &settings, &task, &mut |backup| {
        backups.push(backup);
        Ok(())
    });
    opened.finish()?;
    match observed {
        // A backup that did not start is none; what else the recording holds counts.
        Err(error) if crate::error::exit_of(&error) != Exit::Bug => {
            output.say(&format!("note: {}: {error}", folder.display()));
        }
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    Ok(backups)
}
