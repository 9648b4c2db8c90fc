//! One log, read from its first byte to its last: bytes in, news out.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::memmem;

use super::said::{News, Said, Sender, fingerprint, outdoes};
use crate::domain::event::Event;
use crate::domain::time::Moment;
use crate::logs::formats::{Dates, Detection, Entry, Order, Read as Record, ReadOptions, Stamp};
use crate::logs::message::{Reading, understand, understand_cut};
use crate::logs::understand_entry;

/// As much is read at once.
pub(super) const CHUNK: usize = 512 * 1024;
/// As many lines that nobody understood are kept to be shown.
const SHOWN: usize = 50;
/// As much of each of them.
const SHOWN_LENGTH: usize = 300;
/// What `log stream` says when it could not keep up.
const LOST: &[u8] = b"=== Messages dropped during live streaming";
/// Where Time Machine logs. In the releases that put the category behind a point, the name goes on.
const SUBSYSTEM: &str = "com.apple.TimeMachine";
/// The host of every record that `log` prints.
const NOWHERE: &str = "localhost";

/// What a log held.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) news: News,
    pub(super) counts: Counts,
    /// Why it could not be read to its end.
    pub(super) broken: Option<io::Error>,
}

/// How much of a log was of use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines of other programs.
    pub foreign: u64,
    /// Messages of backupd that nobody understood.
    pub not_understood: u64,
    /// The first of them.
    pub examples: Vec<String>,
    /// The log was asked for without its Infos, which tell of starts and successes.
    pub without_infos: bool,
}

impl Counts {
    /// Adds another log's counts.
    pub(super) fn add(&mut self, other: Self) {
        self.foreign += other.foreign;
        self.not_understood += other.not_understood;
        self.without_infos |= other.without_infos;
        let room = SHOWN.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
    }

    fn note_unread(&mut self, message: &str) {
        self.not_understood += 1;
        if self.examples.len() < SHOWN {
            self.examples.push(message.chars().take(SHOWN_LENGTH).collect());
        }
    }
}

/// What one record came to: handed from whoever reads to whoever keeps the order.
#[derive(Debug)]
pub(super) enum Heard {
    Entry { at: Option<Stamp>, message: String, item: Item },
    Lost,
}

/// Who said what.
#[derive(Debug)]
pub(super) struct Item {
    sender: Sender,
    text: u64,
    /// Without an event the message may still tell the date.
    event: Option<Box<Event>>,
}

/// Turns records into what was heard. Knows the last names of hosts, so that each is kept once.
#[derive(Debug, Default)]
pub(super) struct Ear {
    pub(super) counts: Counts,
    host: Option<Arc<str>>,
}

impl Ear {
    /// Takes a record; `may_be_cut` for the last one of a log that ends within a line.
    pub(super) fn hear(&mut self, record: Record<'_>, may_be_cut: bool) -> Option<Heard> {
        match record {
            Record::Entry(entry) => self.entry(&entry, may_be_cut),
            Record::Dropped => Some(Heard::Lost),
            Record::Preamble(_) | Record::Footer => None,
            Record::Unreadable(line) => stray(line),
        }
    }

    fn entry(&mut self, entry: &Entry<'_>, may_be_cut: bool) -> Option<Heard> {
        if entry.subsystem.is_some_and(|subsystem| !subsystem.starts_with(SUBSYSTEM)) {
            self.counts.foreign += 1;
            return None;
        }
        let reading = if may_be_cut { understand_cut(entry.message, entry.process) } else { understand_entry(entry) };
        let event = match reading {
            Reading::Event(event) => Some(Box::new(event)),
            Reading::Noise => None,
            Reading::OtherProcess => {
                self.counts.foreign += 1;
                return None;
            }
            Reading::NotUnderstood => {
                self.counts.note_unread(entry.message);
                None
            }
        };
        // A message may tell the date that its stamp lacks.
        let whole = matches!(entry.at, Some(Stamp::Zoned(_) | Stamp::Local(_)));
        if event.is_none() && whole {
            return None;
        }
        let sender = Sender { host: self.host(entry.host), pid: entry.pid };
        let message = if whole { String::new() } else { entry.message.to_owned() };
        Some(Heard::Entry { at: entry.at, message, item: Item { sender, text: fingerprint(entry.message), event } })
    }

    fn host(&mut self, host: Option<&str>) -> Option<Arc<str>> {
        let host = host.filter(|host| !host.is_empty() && *host != NOWHERE)?;
        if self.host.as_deref() != Some(host) {
            self.host = Some(host.into());
        }
        self.host.clone()
    }
}

/// A line that lost its stamp still says what it says.
fn stray(line: &str) -> Option<Heard> {
    let Reading::Event(event) = understand(line.trim(), None) else { return None };
    let item = Item { sender: Sender::default(), text: fingerprint(line), event: Some(Box::new(event)) };
    Some(Heard::Entry { at: None, message: line.to_owned(), item })
}

/// Whether the log says in this chunk that it lost records; for readers that pass over everything but backupd.
pub(super) fn says_lost(options: &ReadOptions, chunk: &[u8]) -> bool {
    options.only_backupd && memmem::find(chunk, LOST).is_some()
}

/// Adds what was heard to the rest of a chunk, without what it outdoes: what need not be kept need not go from thread to thread.
pub(super) fn add(all: &mut Vec<Heard>, heard: Heard) {
    if let ([.., before, last], Some(now)) = (all.as_mut_slice(), event_of(&heard))
        && let (Some(before), Some(latest)) = (event_of(before), event_of(last))
        && before.0 == now.0
        && latest.0 == now.0
        && outdoes(latest.1, before.1)
        && outdoes(now.1, latest.1)
    {
        *last = heard;
    } else {
        all.push(heard);
    }
}

/// Who said what, of an entry whose time is told by itself.
fn event_of(heard: &Heard) -> Option<(&Sender, &Event)> {
    match heard {
        Heard::Entry { at: Some(Stamp::Zoned(_) | Stamp::Local(_)), item, .. } => {
            Some((&item.sender, item.event.as_deref()?))
        }
        _ => None,
    }
}

/// Puts what was heard into the order of time and keeps the news of it.
pub(super) struct Keeper {
    dates: Dates<Item>,
    news: News,
    last: Sender,
}

impl Keeper {
    pub(super) fn new(options: &ReadOptions, order: Order) -> Self {
        Self { dates: Dates::new(options, order), news: News::default(), last: Sender::default() }
    }

    pub(super) fn keep(&mut self, heard: Heard) {
        match heard {
            Heard::Lost => self.news.lines_lost(),
            Heard::Entry { at, message, mut item } => {
                // A line that lost its stamp belongs to whoever spoke last.
                if at.is_none() && item.sender == Sender::default() {
                    item.sender = self.last.clone();
                } else {
                    self.last = item.sender.clone();
                }
                let (news, host) = (&mut self.news, item.sender.host.clone());
                self.dates.push(at, host.as_deref(), &message, item, &mut |at, item| put(news, at, item));
            }
        }
    }

    /// Gives the news so far, of a log that goes on unless `over`.
    pub(super) fn take_news(&mut self, over: bool) -> Vec<(Sender, Vec<Said>)> {
        if over {
            let news = &mut self.news;
            self.dates.flush(&mut |at, item| put(news, at, item));
        }
        std::mem::take(&mut self.news).into_senders()
    }

    pub(super) fn finish(mut self) -> News {
        let news = &mut self.news;
        self.dates.flush(&mut |at, item| put(news, at, item));
        self.news
    }
}

fn put(news: &mut News, at: Moment, item: Item) {
    if let Some(event) = item.event {
        news.take(item.sender, Said { at, text: item.text, event: *event });
    }
}

/// Reads a log that comes as a stream.
pub(super) fn stream(
    found: &Detection,
    options: &ReadOptions,
    head: &[u8],
    rest: &mut dyn Read,
    progress: &dyn Fn(u64),
) -> Log {
    let mut log = Log::default();
    let Some(mut reader) = found.reader(options) else { return log };
    let mut ear = Ear::default();
    let mut keeper = Keeper::new(options, found.order);
    let mut chunk = vec![0; CHUNK];
    let mut ends_in_line = !head.is_empty() && !head.ends_with(b"\n");
    reader.push(head, &mut |record| ear.hear(record, false).into_iter().for_each(|heard| keeper.keep(heard)));
    loop {
        match rest.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                let bytes = &chunk[..length];
                ends_in_line = !bytes.ends_with(b"\n");
                reader.push(bytes, &mut |record| {
                    ear.hear(record, false).into_iter().for_each(|heard| keeper.keep(heard));
                });
                if says_lost(options, bytes) {
                    keeper.keep(Heard::Lost);
                }
                progress(length as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                log.broken = Some(error);
                ends_in_line = true;
                break;
            }
        }
    }
    reader.flush(&mut |record| ear.hear(record, ends_in_line).into_iter().for_each(|heard| keeper.keep(heard)));
    let report = reader.report();
    ear.counts.without_infos = report.infos_left_out;
    log.news = keeper.finish();
    log.counts = ear.counts;
    log
}
