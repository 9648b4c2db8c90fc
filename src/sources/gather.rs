//! All that was named, read side by side: every source by itself, the logs among them then folded together.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::logs::{self, OneLog};
use super::unpack::{self, HEAD, Opened};
use super::walk::{self, Found};
use super::{Explained, Fault, Gathered, Kind, Trouble, detect, journal, record, status};
use crate::logs::formats::{self, Detection, Formats, ReadOptions};
use crate::tmutil::recognise::Output;

/// Larger records and journals than this are not read: no run makes them.
const LARGEST: u64 = 256 << 20;
/// The name of standard input.
const STDIN: &str = "standard input";

/// What is to be read, and how.
pub struct Request<'a> {
    /// Files and folders; `-` is standard input.
    pub paths: &'a [PathBuf],
    /// How logs are read.
    pub options: ReadOptions,
    /// The formats that logs may have.
    pub formats: &'a Formats,
    /// Is told how many bytes there are and, again and again, how many more have been read.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// How far the reading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many bytes are to be read.
    Total(u64),
    /// So many more have been.
    Read(u64),
}

/// What one source gave.
#[derive(Default)]
struct Source {
    gathered: Gathered,
    log: Option<OneLog>,
    explained: Option<Explained>,
}

/// One thing to read.
enum Task {
    File { path: PathBuf, named: bool, size: u64 },
    Stdin,
    Trouble(Trouble),
}

/// Reads all that was asked for.
pub fn gather(request: &Request<'_>, stdin: &mut (dyn Read + Send)) -> Gathered {
    let tasks = tasks(request.paths);
    let total = tasks.iter().map(|task| if let Task::File { size, .. } = task { *size } else { 0 }).sum();
    (request.progress)(Progress::Total(total));
    let slots: Vec<Mutex<Option<Source>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
    let put = |at: usize, source: Source| {
        if let Ok(mut slot) = slots[at].lock() {
            *slot = Some(source);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (large, small): (Vec<usize>, Vec<usize>) = (0..tasks.len()).partition(|&at| tasks[at].is_large());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads.min(small.len()) {
            scope.spawn(|| {
                while let Some(&at) = small.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !matches!(tasks[at], Task::Stdin) {
                        put(at, request.read(&tasks[at], 1));
                    }
                }
            });
        }
    });
    for at in large {
        put(at, request.read(&tasks[at], threads.max(2)));
    }
    for (at, _) in tasks.iter().enumerate().filter(|(_, task)| matches!(task, Task::Stdin)) {
        let opened = unpack::stream(&mut *stdin);
        put(at, request.source(STDIN, true, opened, 1));
    }
    join(slots.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()), tasks.len())
}

fn tasks(paths: &[PathBuf]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            tasks.push(Task::Stdin);
            continue;
        }
        let mut found = Vec::new();
        walk::files(path, &mut found);
        tasks.extend(found.into_iter().map(|found| match found {
            Found::File(path, named) => {
                let size = path.metadata().map_or(0, |metadata| metadata.len());
                Task::File { path, named, size }
            }
            Found::Closed(path, error) => Task::Trouble(Trouble {
                name: path.display().to_string(),
                fault: Fault::Unreadable(error.to_string()),
                in_folder: true,
            }),
        }));
    }
    tasks
}

impl Task {
    fn is_large(&self) -> bool {
        matches!(self, Self::File { size, .. } if *size >= logs::LARGE)
    }
}

/// Puts what the sources gave together, in their order.
fn join(sources: impl Iterator<Item = Source>, files: usize) -> Gathered {
    let mut all = Gathered { files, ..Gathered::default() };
    let mut read = Vec::new();
    for source in sources {
        all.backups.extend(source.gathered.backups);
        all.destinations.extend(source.gathered.destinations);
        all.troubles.extend(source.gathered.troubles);
        all.explained.extend(source.explained);
        read.extend(source.log);
    }
    all.logs = read.len();
    let records = !all.backups.is_empty();
    let (backups, counts, first) = logs::backups(read);
    all.backups.extend(backups);
    if records {
        logs::sort(&mut all.backups);
    }
    all.counts = counts;
    all.first = first;
    all
}

impl Request<'_> {
    fn read(&self, task: &Task, threads: usize) -> Source {
        match task {
            Task::File { path, named, .. } => {
                self.source(&path.display().to_string(), *named, unpack::open(path), threads)
            }
            Task::Trouble(trouble) => {
                let mut source = Source::default();
                source.gathered.troubles.push(trouble.clone());
                source
            }
            Task::Stdin => Source::default(),
        }
    }

    /// Finds out what a source is and reads it.
    fn source(&self, name: &str, named: bool, opened: io::Result<Opened<'_>>, threads: usize) -> Source {
        let mut source = Source::default();
        match opened {
            Ok(opened) => self.take(name, opened, threads, &mut source),
            Err(error) => source.gathered.trouble(name, Fault::Unreadable(error.to_string())),
        }
        for trouble in &mut source.gathered.troubles {
            trouble.in_folder = !named;
        }
        source
    }

    fn take(&self, name: &str, mut opened: Opened<'_>, threads: usize, source: &mut Source) {
        let kind = detect::kind(&opened.head);
        let summary = matches!(kind, Kind::Tmutil(Output::StartbackupSummary(_)));
        if !summary && matches!(kind, Kind::Journal | Kind::Record | Kind::Tmutil(_)) {
            return read_whole(name, &kind, opened, &mut source.gathered);
        }
        let found = formats::detect(&opened.head, self.formats);
        if found.format.is_some() && kind != Kind::Empty {
            return self.log(name, &found, &mut opened, threads, source);
        }
        let gathered = &mut source.gathered;
        gathered.trouble(name, fault(&kind, opened.broken));
        source.explained = Some(explained(name, &found));
    }

    fn log(&self, name: &str, found: &Detection, opened: &mut Opened<'_>, threads: usize, source: &mut Source) {
        let progress = |bytes| (self.progress)(Progress::Read(bytes));
        // Where that costs no time worth mentioning, what others say is read too, so that it can be counted.
        let options = ReadOptions { only_backupd: opened.packed || threads > 1, ..self.options };
        let plain = opened.plain.take().filter(|file| threads > 1 && can_be_cut(found, file));
        let log = match plain {
            Some(file) => logs::read_file(found, &options, &file, threads, &progress),
            None => logs::read_stream(found, &options, &opened.head, &mut opened.rest, &progress),
        };
        if let Some(error) = opened.broken.as_ref().or(log.broken()) {
            source.gathered.trouble(name, Fault::Damaged(error.to_string()));
        }
        let mut told = explained(name, found);
        told.counts = log.counts().clone();
        source.explained = Some(told);
        source.log = Some(log);
    }
}

/// Whether a file is worth cutting into chunks, and can be.
fn can_be_cut(found: &Detection, file: &File) -> bool {
    let large = file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() >= logs::LARGE);
    large && found.can_be_cut()
}

fn explained(name: &str, found: &Detection) -> Explained {
    Explained {
        name: name.to_owned(),
        format: found.format.as_ref().map(|format| format.title().to_owned()),
        scores: found
            .scores
            .iter()
            .map(|score| format!("{}: {} of {} lines, {}", score.format, score.read, score.tried, score.why))
            .collect(),
        counts: logs::Counts::default(),
    }
}

fn fault(kind: &Kind, broken: Option<io::Error>) -> Fault {
    match (kind, broken) {
        (_, Some(error)) => Fault::Damaged(error.to_string()),
        (Kind::Empty, None) => Fault::Empty,
        (Kind::Binary, None) => Fault::Binary,
        _ => Fault::NotASource("nothing that is known here".to_owned()),
    }
}

/// Reads a source that is understood only as a whole.
fn read_whole(name: &str, kind: &Kind, opened: Opened<'_>, gathered: &mut Gathered) {
    let mut bytes = opened.head;
    let broken = match opened.rest.take(LARGEST - HEAD as u64).read_to_end(&mut bytes) {
        Ok(_) => opened.broken,
        Err(error) => Some(error),
    };
    if let Some(error) = broken {
        gathered.trouble(name, Fault::Damaged(error.to_string()));
    }
    match kind {
        Kind::Journal => journal::read(name, &bytes, gathered),
        Kind::Tmutil(output) => status::read(name, &bytes, output, gathered),
        _ => record::read(name, &bytes, gathered),
    }
}
