//! Journals: what a run saw, on disk as it comes. A lock tells a journal that is being written from one left behind.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset, Local};

use super::folders::{Folders, lies_on};
use crate::error::{Exit, Failure};
use crate::ports::Journal;

/// The folder below the state folder.
const FOLDER: &str = "journals";
/// How their names end.
const EXTENSION: &str = "ndjson";

/// A journal that this process writes.
#[derive(Debug)]
pub struct FileJournal {
    file: File,
    path: PathBuf,
    /// A write failed, perhaps within a line.
    torn: bool,
}

impl FileJournal {
    /// Creates a new one and locks it. Refused where it would lie on a backup destination.
    pub fn create(folders: &Folders, destinations: &[PathBuf], at: DateTime<FixedOffset>) -> Result<Self, Failure> {
        let folder = folders.state.join(FOLDER);
        let failure = |why: String| {
            Failure::new(Exit::Use, format!("cannot keep a journal in {}: {why}", folder.display()))
                .hint("set XDG_STATE_HOME to a folder that can be written")
        };
        if let Some(mount) = lies_on(&folder, destinations) {
            return Err(failure(format!("it lies on the backup destination {}", mount.display())));
        }
        let create = || {
            folders.create(&folder)?;
            let (file, path) = create_new(&folder, at)?;
            folders.adopt(&file)?;
            // Whoever looks for journals left behind holds the lock for a moment only.
            file.lock()?;
            Ok(Self { file, path, torn: false })
        };
        create().map_err(|error: io::Error| failure(error.to_string()))
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it: what it held is kept elsewhere.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// A file of a name that nothing had.
fn create_new(folder: &Path, at: DateTime<FixedOffset>) -> io::Result<(File, PathBuf)> {
    let stem = format!("{}-{}", at.format("%Y-%m-%dT%H%M%S"), std::process::id());
    let mut number = 1_u32;
    loop {
        let name = if number == 1 { format!("{stem}.{EXTENSION}") } else { format!("{stem}-{number}.{EXTENSION}") };
        let path = folder.join(name);
        match OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            result => return Ok((result?, path)),
        }
    }
}

impl FileJournal {
    /// Keeps one whole line (without its line feed), in one write.
    pub fn append(&mut self, line: &str) -> io::Result<()> {
        // After a failure a line of its own, so that the next one is whole.
        let start = if self.torn { "\n" } else { "" };
        let result = self.file.write_all(format!("{start}{}\n", line.replace('\n', " ")).as_bytes());
        self.torn = result.is_err();
        result
    }
}

/// The journal of a run: a file a backup, made with its first line.
#[derive(Debug)]
pub struct RunJournal {
    folders: Folders,
    destinations: Vec<PathBuf>,
    open: Option<FileJournal>,
}

impl RunJournal {
    /// Prepares to keep in the state folder.
    pub fn new(folders: &Folders) -> Self {
        Self { folders: folders.clone(), destinations: Vec::new(), open: None }
    }
}

impl Journal for RunJournal {
    fn avoid(&mut self, mount_points: Vec<PathBuf>) {
        self.destinations = mount_points;
    }

    fn append(&mut self, line: &str) -> io::Result<()> {
        let open = match self.open.take() {
            Some(open) => open,
            None => FileJournal::create(&self.folders, &self.destinations, Local::now().fixed_offset())
                .map_err(io::Error::other)?,
        };
        self.open.insert(open).append(line)
    }

    fn release(&mut self) -> io::Result<()> {
        self.open.take().map_or(Ok(()), FileJournal::remove)
    }
}

/// A journal that nobody writes any more; locked while this lives, so that one process alone deals with it.
#[derive(Debug)]
pub struct Leftover {
    file: File,
    path: PathBuf,
}

impl Leftover {
    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its text; the last line may be cut, and bytes that aren't UTF-8 are replaced.
    pub fn read(&self) -> io::Result<String> {
        let mut bytes = Vec::new();
        (&self.file).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Removes it.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// The journals that were left behind, oldest first. Empty ones are left out: nothing was kept in them, or is yet.
pub fn leftover(folders: &Folders) -> io::Result<Vec<Leftover>> {
    let entries = match fs::read_dir(folders.state.join(FOLDER)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let file = match File::open(&path) {
            // Another process has dealt with it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file?,
        };
        match file.try_lock() {
            Ok(()) if file.metadata()?.len() > 0 => found.push(Leftover { file, path }),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    fn folders(home: &Path) -> Folders {
        Folders::below(home, None)
    }

    fn at() -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339("2024-03-31T01:30:00+01:00").unwrap()
    }

    #[test]
    fn a_journal_is_left_behind_only_when_nobody_writes_it() {
        let home = tempfile::tempdir().unwrap();
        let folders = folders(home.path());
        assert!(leftover(&folders).unwrap().is_empty());
        let mut first = FileJournal::create(&folders, &[], at()).unwrap();
        let second = FileJournal::create(&folders, &[], at()).unwrap();
        assert_ne!(first.path(), second.path());
        first.append("{\"a\":1}").unwrap();
        first.append("two\nlines").unwrap();
        assert!(leftover(&folders).unwrap().is_empty());
        drop((first, second));
        let mut left = leftover(&folders).unwrap();
        assert_eq!(left.len(), 1, "the empty one doesn't count");
        assert!(leftover(&folders).unwrap().is_empty(), "it is being dealt with");
        let left = left.remove(0);
        assert_eq!(left.read().unwrap(), "{\"a\":1}\ntwo lines\n");
        left.remove().unwrap();
        assert!(leftover(&folders).unwrap().is_empty());
    }

    #[test]
    fn a_run_keeps_a_file_a_backup() {
        let home = tempfile::tempdir().unwrap();
        let folders = folders(home.path());
        let mut journal = RunJournal::new(&folders);
        journal.append("one").unwrap();
        journal.release().unwrap();
        assert!(leftover(&folders).unwrap().is_empty());
        journal.append("two").unwrap();
        drop(journal);
        assert_eq!(leftover(&folders).unwrap().remove(0).read().unwrap(), "two\n");
    }

    #[test]
    fn none_is_kept_on_a_destination_or_where_nothing_can_be_written() {
        let home = tempfile::tempdir().unwrap();
        let mut folders = folders(home.path());
        let refused = FileJournal::create(&folders, &[home.path().to_owned()], at()).unwrap_err();
        assert!(refused.message.contains("destination"), "{refused}");
        assert!(!folders.state.exists());
        folders.state = PathBuf::from("/dev/null/state");
        assert!(FileJournal::create(&folders, &[], at()).is_err());
    }
}
