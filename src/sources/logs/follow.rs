//! A log that grows: each backup is told as it ends.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::collect::{CHUNK, Ear, Keeper};
use super::fold;
use super::said::{Said, Sender};
use crate::domain::backup::Backup;
use crate::domain::timeline::{Draft, Input, Timeline};
use crate::logs::formats::{Formats, LogReader, ReadOptions, detect};

/// A file that is read again and again, through rotation and truncation.
pub struct Followed {
    path: PathBuf,
    options: ReadOptions,
    formats: Formats,
    open: Option<Open>,
    folds: HashMap<Sender, Fold>,
    ear: Ear,
}

/// The file as it is now.
struct Open {
    file: File,
    read: u64,
    /// What came before its format was known.
    head: Vec<u8>,
    reader: Option<(LogReader, Keeper)>,
}

struct Fold {
    timeline: Timeline,
    /// The verdict of the open backup has been told.
    told: bool,
}

impl Followed {
    /// Begins with the beginning of the file, which need not exist yet.
    pub fn new(path: &Path, options: ReadOptions, formats: Formats) -> Self {
        Self { path: path.to_owned(), options, formats, open: None, folds: HashMap::new(), ear: Ear::default() }
    }

    /// Reads what is new and gives the backups that have ended. A file that was replaced is read to its end first, a file that
    /// was cut is read anew.
    pub fn look(&mut self) -> io::Result<Vec<Backup>> {
        let mut ended = Vec::new();
        let now = match std::fs::metadata(&self.path) {
            Ok(metadata) => Some(metadata),
            // It is being rotated, or does not exist yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(mut open) = self.open.take() {
            let same = now.as_ref().is_none_or(|now| open.is(now).unwrap_or(false));
            self.read(&mut open, !same, &mut ended)?;
            if same {
                self.open = Some(open);
            }
        }
        if self.open.is_none() && now.is_some() {
            let mut open = Open { file: File::open(&self.path)?, read: 0, head: Vec::new(), reader: None };
            self.read(&mut open, false, &mut ended)?;
            self.open = Some(open);
        }
        Ok(ended)
    }

    fn read(&mut self, open: &mut Open, to_the_end: bool, ended: &mut Vec<Backup>) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK];
        let mut grew = false;
        loop {
            let length = open.file.read(&mut chunk)?;
            if length == 0 {
                break;
            }
            grew = true;
            open.read += length as u64;
            self.feed(open, &chunk[..length]);
        }
        if let Some((reader, keeper)) = &mut open.reader {
            // What has stood for a look is whole; the last line of a file that is over may not be.
            if to_the_end || !grew {
                let ear = &mut self.ear;
                reader
                    .flush(&mut |record| ear.hear(record, to_the_end).into_iter().for_each(|heard| keeper.keep(heard)));
            }
            for (sender, said) in keeper.take_news(to_the_end || !grew) {
                self.fold(&sender, said, ended);
            }
        }
        Ok(())
    }

    fn feed(&mut self, open: &mut Open, bytes: &[u8]) {
        let mut bytes = bytes;
        let head;
        if open.reader.is_none() {
            open.head.extend_from_slice(bytes);
            let found = detect(&open.head, &self.formats);
            let Some(reader) = found.reader(&self.options) else {
                // A log that is none so far; its first lines will do.
                open.head.truncate(super::super::unpack::HEAD);
                return;
            };
            open.reader = Some((reader, Keeper::new(&self.options, found.order)));
            head = std::mem::take(&mut open.head);
            bytes = &head;
        }
        let ear = &mut self.ear;
        if let Some((reader, keeper)) = &mut open.reader {
            reader.push(bytes, &mut |record| ear.hear(record, false).into_iter().for_each(|heard| keeper.keep(heard)));
        }
    }

    fn fold(&mut self, sender: &Sender, said: Vec<Said>, ended: &mut Vec<Backup>) {
        let fold = self
            .folds
            .entry(sender.clone())
            .or_insert_with(|| Fold { timeline: Timeline::new(Duration::MAX), told: false });
        for said in said {
            fold.timeline.push(said.at, &Input::Event(said.event));
            for closed in fold.timeline.take_closed() {
                if !std::mem::take(&mut fold.told) {
                    ended.push(fold::backup(sender, &closed));
                }
            }
            let over = fold.timeline.current().filter(|draft| draft.has_verdict() && !fold.told).map(Draft::reading);
            if let Some(reading) = over {
                fold.told = true;
                ended.push(fold::backup(sender, &reading));
            }
        }
    }
}

impl Open {
    /// Whether this is still the file of that name, and has not been cut.
    fn is(&self, now: &Metadata) -> io::Result<bool> {
        let own = self.file.metadata()?;
        Ok((own.dev(), own.ino()) == (now.dev(), now.ino()) && now.len() >= self.read)
    }
}
