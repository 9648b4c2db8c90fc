//! Logs as sources: read side by side, joined, folded into backups.

mod collect;
mod fold;
pub mod follow;
mod merge;
mod said;
mod scan;

use std::fs::File;
use std::io::{self, Read};

use crate::domain::backup::Backup;
use crate::domain::time::Moment;
use crate::logs::formats::{Detection, ReadOptions};

pub use collect::Counts;
use collect::Log;

/// From this size on a file gets all threads for itself.
pub(super) const LARGE: u64 = 8 << 20;

/// A log that was read.
#[derive(Debug)]
pub(super) struct OneLog(Log);

/// Reads a log from a stream whose beginning has been read.
pub(super) fn read_stream(
    found: &Detection,
    options: &ReadOptions,
    head: &[u8],
    rest: &mut dyn Read,
    progress: &dyn Fn(u64),
) -> OneLog {
    OneLog(collect::stream(found, options, head, rest, progress))
}

/// Reads a log from a plain file with several threads.
pub(super) fn read_file(
    found: &Detection,
    options: &ReadOptions,
    file: &File,
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> OneLog {
    OneLog(scan::file(found, options, file, threads, progress))
}

impl OneLog {
    /// Why it could not be read to its end.
    pub(super) fn broken(&self) -> Option<&io::Error> {
        self.0.broken.as_ref()
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.0.counts
    }
}

/// Folds all logs together. Gives the backups, what else the logs held, and when the first of them begins.
pub(super) fn backups(logs: Vec<OneLog>) -> (Vec<Backup>, Counts, Option<Moment>) {
    let mut counts = Counts::default();
    let mut news = Vec::with_capacity(logs.len());
    for OneLog(log) in logs {
        counts.add(log.counts);
        news.push(log.news);
    }
    let first = news.iter().filter_map(said::News::first).min_by_key(|at| said::order(*at));
    (fold::fold(merge::merge(news)), counts, first)
}

/// Puts backups into the order in which they are shown: by start, those without a date last.
pub(super) fn sort(backups: &mut [Backup]) {
    fold::sort(backups);
}

#[cfg(test)]
mod tests;
