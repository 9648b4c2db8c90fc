//! What is kept in the state folder: journals while a run lasts, records until a store takes them.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use chrono::Local;

use super::Output;
use crate::contract::backup::BackupJson;
use crate::contract::journal::Journal as JournalText;
use crate::domain::backup::Backup;
use crate::domain::check::{Check, State};
use crate::ports::Journal;
use crate::sources;
use crate::system::folders::{Folders, lies_on};
use crate::system::journal::{Leftover, RunJournal, leftover};

/// The folder of records below the state folder.
const RECORDS: &str = "records";
/// How many records of one second and process may lie side by side.
const TRIES: u32 = 1000;

/// The state folder, if anything is to be kept.
pub(super) struct Kept {
    folders: Option<Folders>,
}

/// Keeps nothing.
struct NoJournal;

impl Journal for NoJournal {
    fn avoid(&mut self, _mount_points: Vec<PathBuf>) {}

    fn append(&mut self, _line: &str) -> io::Result<()> {
        Ok(())
    }

    fn release(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    /// Keeps nothing: what a recording shows was kept when it was measured.
    pub(super) fn nothing() -> Self {
        Self { folders: None }
    }

    /// Opens the state folder, and makes records of what earlier runs left behind.
    pub(super) fn in_state_folder(output: &Output) -> Self {
        let folders = match Folders::find() {
            Ok(folders) => folders,
            Err(failure) => {
                output.say(&format!("warning: nothing will be kept: {failure}"));
                return Self::nothing();
            }
        };
        for left in leftover(&folders).unwrap_or_default() {
            take_over(&folders, left, output);
        }
        Self { folders: Some(folders) }
    }

    /// The journal of a run.
    pub(super) fn journal(&self) -> Box<dyn Journal> {
        match &self.folders {
            Some(folders) => Box::new(RunJournal::new(folders)),
            None => Box::new(NoJournal),
        }
    }

    /// Keeps the record of a backup; says where that fails.
    pub(super) fn keep(&self, backup: &Backup, output: &Output) {
        let Some(folders) = &self.folders else { return };
        let place = folders.state.join(RECORDS);
        let mount_point = backup.destination.mount_point.iter().map(PathBuf::from).collect::<Vec<_>>();
        if lies_on(&place, &mount_point).is_some() {
            let place = place.display();
            return output.say(&format!(
                "warning: the record is not kept: `{place}` lies on the backup's destination; set XDG_STATE_HOME to another folder"
            ));
        }
        if let Err(error) = write_record(folders, backup) {
            output.say(&format!("warning: could not keep the record in `{}`: {error}", place.display()));
        }
    }

    /// Whether the state folder can be written, and what lies there.
    pub(super) fn check() -> Check {
        let name = "kept runs";
        let lost = "runs are shown but not kept";
        let folders = match Folders::find() {
            Ok(folders) => folders,
            Err(failure) => {
                let remedy = failure.hints.first().cloned().unwrap_or_default();
                return Check::new(name, State::No, failure.to_string()).mend(lost, remedy);
            }
        };
        let records = fs::read_dir(folders.state.join(RECORDS)).map_or(0, Iterator::count);
        let place = folders.state.display().to_string();
        match probe(&folders) {
            Ok(()) => Check::new(name, State::Ok, format!("{records} in {place}")),
            Err(error) => Check::new(name, State::No, format!("{place} can't be written: {error}"))
                .mend(lost, "make the folder writable for you, or set XDG_STATE_HOME to another"),
        }
    }
}

fn probe(folders: &Folders) -> io::Result<()> {
    folders.create(&folders.state)?;
    let (_, path) = create_new(&folders.state, "probe")?;
    fs::remove_file(path)
}

/// Makes records of a journal that was left behind, and lets go of it when all that it tells is kept.
fn take_over(folders: &Folders, left: Leftover, output: &Output) {
    let Ok(text) = left.read() else { return };
    let mut records = Vec::new();
    for backup in sources::recover(&JournalText::read(text.as_bytes())) {
        match write_record(folders, &backup) {
            Ok(path) => records.push(path),
            Err(error) => {
                let journal = left.path().display();
                return output
                    .say(&format!("warning: `{journal}` was left behind and can't be made a record: {error}"));
            }
        }
    }
    if left.remove().is_ok() {
        for record in records {
            let record = record.display();
            output.say(&format!(
                "note: an earlier watching was cut off; what it had seen is kept: tmgauge analyze {record}"
            ));
        }
    }
}

fn write_record(folders: &Folders, backup: &Backup) -> anyhow::Result<PathBuf> {
    let folder = folders.state.join(RECORDS);
    folders.create(&folder)?;
    let (mut file, path) = create_new(&folder, "json")?;
    folders.adopt(&file)?;
    serde_json::to_writer(&mut file, &BackupJson::from(backup))?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    Ok(path)
}

/// A file of a name that nothing had.
fn create_new(folder: &Path, extension: &str) -> io::Result<(fs::File, PathBuf)> {
    let stem = format!("{}-{}", Local::now().format("%Y-%m-%dT%H%M%S"), std::process::id());
    let mut number = 1;
    loop {
        let path = folder.join(format!("{stem}-{number}.{extension}"));
        match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < TRIES => number += 1,
            result => return Ok((result?, path)),
        }
    }
}
