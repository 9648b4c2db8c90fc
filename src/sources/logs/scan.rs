//! A large log in a plain file, read by several threads in chunks.
//!
//! A record belongs to the chunk that holds its first byte; whoever reads a chunk reads on behind its end until another record
//! begins. The file is read, not mapped: memory stays at some chunks however large it is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use memchr::memchr;

use super::collect::{self, CHUNK, Counts, Ear, Heard, Keeper, Log};
use crate::logs::formats::{Detection, LogReader, Read as Record, ReadOptions};

/// As much of a line tells whether a record begins with it. Both neighbours of a border look at as much.
const LINE_HEAD: usize = 4096;
/// As much is read at once behind the end of a chunk, until another record begins.
const BEHIND: usize = 16 * 1024;

/// What all threads need.
struct Scan<'a> {
    found: &'a Detection,
    options: &'a ReadOptions,
    file: &'a File,
    length: u64,
    next: AtomicU64,
    progress: &'a (dyn Fn(u64) + Sync),
}

/// Reads the file. What could not be read ends it there.
pub(super) fn file(
    found: &Detection,
    options: &ReadOptions,
    file: &File,
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Log {
    let length = match file.metadata() {
        Ok(metadata) => metadata.len(),
        Err(error) => return Log { broken: Some(error), ..Log::default() },
    };
    let scan = Scan { found, options, file, length, next: AtomicU64::new(0), progress };
    let mut log = Log::default();
    let mut keeper = Keeper::new(options, found.order);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(threads * 2);
        let scan = &scan;
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let sender = sender.clone();
                scope.spawn(move || scan.work(&sender))
            })
            .collect();
        drop(sender);
        in_order(&receiver, |heard| keeper.keep(heard));
        for worker in workers {
            match worker.join() {
                Ok(Ok(counts)) => log.counts.add(counts),
                Ok(Err(error)) => log.broken = Some(error),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    log.news = keeper.finish();
    log
}

/// Calls `each` with what was heard in the chunks, in the order of the chunks.
fn in_order(receiver: &mpsc::Receiver<(u64, Vec<Heard>)>, mut each: impl FnMut(Heard)) {
    let mut early = BTreeMap::new();
    let mut expected = 0;
    for (number, heard) in receiver {
        early.insert(number, heard);
        while let Some(heard) = early.remove(&expected) {
            heard.into_iter().for_each(&mut each);
            expected += 1;
        }
    }
}

impl Scan<'_> {
    fn work(&self, sender: &mpsc::SyncSender<(u64, Vec<Heard>)>) -> io::Result<Counts> {
        let mut ear = Ear::default();
        let mut buffer = vec![0; 1 + CHUNK + LINE_HEAD];
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let start = number.saturating_mul(CHUNK as u64);
            if start >= self.length {
                return Ok(ear.counts);
            }
            let heard = self.chunk(start, &mut buffer, &mut ear)?;
            (self.progress)(self.length.min(start + CHUNK as u64) - start);
            if sender.send((number, heard)).is_err() {
                return Ok(ear.counts);
            }
        }
    }

    /// Reads the records that begin in the chunk at `start`.
    fn chunk(&self, start: u64, buffer: &mut [u8], ear: &mut Ear) -> io::Result<Vec<Heard>> {
        let mut heard = Vec::new();
        let Some(mut reader) = self.found.reader(self.options) else { return Ok(heard) };
        // One byte more at the front tells whether the chunk begins with a line.
        let from = start.saturating_sub(1);
        let filled = read_at(self.file, buffer, from)?;
        let bytes = &buffer[..filled];
        let own = (usize::try_from(start - from).unwrap_or(0) + CHUNK).min(filled);
        let first = if start == 0 { Some(0) } else { first_record(&reader, bytes, own) };
        let Some(first) = first else { return Ok(heard) };
        let mut take = |record: Record<'_>, cut| {
            if let Some(news) = ear.hear(record, cut) {
                collect::add(&mut heard, news);
            }
        };
        reader.push(&bytes[first..own], &mut |record| take(record, false));
        let in_line = own > first && bytes[own - 1] != b'\n';
        let cut = self.read_on(from + own as u64, in_line, &mut reader, &mut |record| take(record, false))?;
        reader.flush(&mut |record| take(record, cut));
        if collect::says_lost(self.options, &bytes[first..own]) {
            heard.push(Heard::Lost);
        }
        Ok(heard)
    }

    /// Feeds what follows at `at` until a record begins; tells whether the file ends within a line.
    fn read_on(
        &self,
        mut at: u64,
        mut in_line: bool,
        reader: &mut LogReader,
        each: &mut dyn FnMut(Record<'_>),
    ) -> io::Result<bool> {
        let mut block = vec![0; BEHIND];
        loop {
            let filled = read_at(self.file, &mut block, at)?;
            if filled == 0 {
                return Ok(in_line);
            }
            let last = at + filled as u64 >= self.length;
            let mut done = 0;
            while done < filled {
                let line = &block[done..filled];
                if !in_line {
                    if line.len() < LINE_HEAD && !last && memchr(b'\n', line).is_none() && done > 0 {
                        // Too little of the line is here to tell.
                        break;
                    }
                    if begins(reader, line) {
                        return Ok(false);
                    }
                }
                let end = memchr(b'\n', line);
                let taken = end.map_or(line.len(), |end| end + 1);
                reader.push(&line[..taken], each);
                in_line = end.is_none();
                done += taken;
            }
            at += done as u64;
        }
    }
}

/// Where the first record begins that begins within the first `own` bytes; the byte at 0 belongs to the chunk before.
fn first_record(reader: &LogReader, bytes: &[u8], own: usize) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'\n', bytes.get(at..own)?)? + 1;
        if at < own && begins(reader, &bytes[at..]) {
            return Some(at);
        }
    }
}

/// Whether a record begins with this line.
fn begins(reader: &LogReader, text: &[u8]) -> bool {
    let end = memchr(b'\n', text).unwrap_or(text.len()).min(LINE_HEAD);
    reader.begins(&String::from_utf8_lossy(&text[..end]))
}

fn read_at(file: &File, buffer: &mut [u8], from: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], from + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
