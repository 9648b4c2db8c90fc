//! Journals on disk: one file a backup, whole lines as they come, locked while somebody writes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chrono::Local;

use super::folders::Folders;
use crate::ports::Journal;

/// How many journals of one second and process may lie side by side.
const TRIES: u32 = 1000;

/// A journal that makes its file with the first line.
#[derive(Debug)]
pub struct FileJournal {
    folders: Folders,
    folder: PathBuf,
    open: Option<(PathBuf, File)>,
}

impl FileJournal {
    /// Prepares to write into `folder`.
    pub fn new(folders: &Folders, folder: &Path) -> Self {
        Self { folders: folders.clone(), folder: folder.to_owned(), open: None }
    }

    fn create(&self) -> io::Result<(PathBuf, File)> {
        self.folders.make(&self.folder)?;
        for i in 0..TRIES {
            let path = self.folder.join(unique_name(i, "ndjson"));
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => {
                    file.try_lock()?;
                    self.folders.give(&path)?;
                    return Ok((path, file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "too many journals of this second"))
    }
}

/// A name that no other file of this process has.
pub fn unique_name(number: u32, extension: &str) -> String {
    let stamp = Local::now().format("%Y-%m-%d-%H%M%S");
    let more = if number == 0 { String::new() } else { format!("-{number}") };
    format!("{stamp}-{}{more}.{extension}", std::process::id())
}

impl Journal for FileJournal {
    fn append(&mut self, line: &str) -> io::Result<()> {
        if self.open.is_none() {
            self.open = Some(self.create()?);
        }
        let Some((_, file)) = &mut self.open else { return Ok(()) };
        // One write a line: a reader never sees half of one unless the machine stops.
        file.write_all(format!("{line}\n").as_bytes())
    }

    fn release(&mut self) -> io::Result<()> {
        match self.open.take() {
            Some((path, _)) => fs::remove_file(path),
            None => Ok(()),
        }
    }
}

/// The journals in `folder` that nobody writes any more, oldest first.
pub fn leftover(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_journal = path.extension().is_some_and(|extension| extension == "ndjson");
        if is_journal && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_that_is_written_is_not_left_over_and_one_let_go_of_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let folders = Folders::find().unwrap();
        let mut journal = FileJournal::new(&folders, place.path());
        journal.append("one").unwrap();
        journal.append("two").unwrap();
        assert_eq!(leftover(place.path()).unwrap(), Vec::<PathBuf>::new());
        let path = journal.open.as_ref().unwrap().0.clone();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        let mut other = FileJournal::new(&folders, place.path());
        other.append("three").unwrap();
        drop(other);
        assert_eq!(leftover(place.path()).unwrap().len(), 1);
        journal.release().unwrap();
        assert!(!path.exists());
    }
}
