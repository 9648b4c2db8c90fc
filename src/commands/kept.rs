//! What is kept in the state folder: journals while a run lasts, records until a store takes them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::Output;
use crate::contract::backup::BackupJson;
use crate::contract::journal::Journal as JournalText;
use crate::domain::backup::Backup;
use crate::domain::check::{Check, State};
use crate::error::{Exit, Failure};
use crate::ports::Journal;
use crate::sources;
use crate::system::folders::Folders;
use crate::system::journal::{FileJournal, leftover, unique_name};

/// The state folder, if anything is to be kept.
pub(super) struct Kept {
    place: Option<(Folders, PathBuf, PathBuf)>,
    warn: bool,
}

/// Keeps the records of finished backups.
pub(super) struct Records {
    place: Option<(Folders, PathBuf)>,
    warn: bool,
}

/// Keeps nothing.
struct NoJournal;

impl Journal for NoJournal {
    fn append(&mut self, _line: &str) -> std::io::Result<()> {
        Ok(())
    }

    fn release(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Kept {
    /// Keeps nothing: what a recording shows was kept when it was measured.
    pub(super) fn nothing() -> Self {
        Self { place: None, warn: false }
    }

    /// Opens the state folder, and makes records of what earlier runs left behind.
    pub(super) fn in_state_folder(output: &Output) -> Self {
        let folders = match Folders::find() {
            Ok(folders) => folders,
            Err(error) => {
                output.say(&format!("warning: nothing will be kept: {error}"));
                return Self::nothing();
            }
        };
        let (journals, records) = (folders.state().join("journals"), folders.state().join("records"));
        let kept = Self { place: Some((folders, journals, records)), warn: !output.quiet };
        kept.take_leftovers(output);
        kept
    }

    fn take_leftovers(&self, output: &Output) {
        let Some((_, journals, _)) = &self.place else { return };
        for path in leftover(journals).unwrap_or_default() {
            let Ok(text) = fs::read(&path) else { continue };
            let backups = sources::recover(&JournalText::read(&text));
            let (_, mut records) = self.split();
            let kept: Vec<Option<PathBuf>> = backups.iter().map(|backup| records.keep(backup)).collect();
            // A journal is let go of only when all that it tells is kept.
            if kept.iter().all(Option::is_some) && fs::remove_file(&path).is_ok() {
                for record in kept.into_iter().flatten() {
                    output.say(&format!(
                        "note: an earlier watching was cut off; what it had seen is kept: tmgauge analyze {}",
                        record.display()
                    ));
                }
            }
        }
    }

    /// The journal of a run, and the keeper of its records.
    pub(super) fn split(&self) -> (Box<dyn Journal>, Records) {
        let Some((folders, journals, records)) = &self.place else {
            return (Box::new(NoJournal), Records { place: None, warn: false });
        };
        let journal = FileJournal::new(folders, journals);
        (Box::new(journal), Records { place: Some((folders.clone(), records.clone())), warn: self.warn })
    }

    /// Whether the state folder can be written, and what lies there.
    pub(super) fn checks() -> Vec<Check> {
        let name = "kept runs";
        let folders = match Folders::find() {
            Ok(folders) => folders,
            Err(error) => {
                return vec![
                    Check::new(name, State::No, error.to_string())
                        .mend("runs are shown but not kept", "set HOME to your home folder"),
                ];
            }
        };
        let count = |part: &str| fs::read_dir(folders.state().join(part)).map_or(0, Iterator::count);
        let (records, journals) = (count("records"), count("journals"));
        let place = folders.state().display().to_string();
        let writable = folders.make(folders.state()).and_then(|()| {
            let probe = folders.state().join(unique_name(0, "probe"));
            fs::write(&probe, b"")?;
            fs::remove_file(probe)
        });
        vec![match writable {
            Ok(()) => Check::new(name, State::Ok, format!("{records} records and {journals} journals in {place}")),
            Err(error) => Check::new(name, State::No, format!("{place} can't be written: {error}"))
                .mend("runs are shown but not kept", "make the folder writable for you"),
        }]
    }
}

impl Records {
    /// Keeps the record of a backup; tells where.
    pub(super) fn keep(&mut self, backup: &Backup) -> Option<PathBuf> {
        let (folders, folder) = self.place.as_ref()?;
        match write_record(folders, folder, backup) {
            Ok(path) => Some(path),
            Err(error) => {
                if self.warn {
                    // Nobody is left to tell that this could not be told.
                    let _ = writeln!(
                        std::io::stderr(),
                        "warning: could not keep the record in `{}`: {error}",
                        folder.display()
                    );
                }
                None
            }
        }
    }
}

fn write_record(folders: &Folders, folder: &Path, backup: &Backup) -> anyhow::Result<PathBuf> {
    folders.make(folder)?;
    let json = serde_json::to_vec(&BackupJson::from(backup))?;
    let mut number = 0;
    let path = loop {
        let path = folder.join(unique_name(number, "json"));
        match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(&json)?;
                file.sync_all()?;
                break path;
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            Err(error) => return Err(error.into()),
        }
    };
    folders.give(&path)?;
    Ok(path)
}

/// Refuses to write onto a backup disk.
pub(super) fn refuse_backup_disk(folder: &Path) -> anyhow::Result<()> {
    let on_backup_disk = folder
        .ancestors()
        .any(|part| part.join("Backups.backupdb").is_dir() || part.join("backup_manifest.plist").is_file());
    if on_backup_disk {
        return Err(Failure::new(
            Exit::Use,
            format!("won't write to `{}`: it lies on a backup disk", folder.display()),
        )
        .hint("name a folder on another disk")
        .into());
    }
    Ok(())
}
