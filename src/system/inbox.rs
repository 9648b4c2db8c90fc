//! The one queue of a live run: time, lines of the log and signals come out of it.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, ChildStdout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use chrono::{DateTime, FixedOffset, Local};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use super::clock::RealClock;
use super::process::{Processes, Toolbox, kill_group};
use super::recording::replay::Waiter;
use crate::ports::{Call, CallEnd, Captured, Clock, Inbox, LogSource, LogStyle, LookBack, Now, Signal, Tools, Wake};

#[cfg(target_os = "macos")]
use signal_hook::consts::SIGINFO as INFO;
#[cfg(not(target_os = "macos"))]
use signal_hook::consts::SIGUSR1 as INFO;

/// What is asked of the log: everything that Time Machine says.
pub(super) const PREDICATE: &str = "subsystem == \"com.apple.TimeMachine\"";
/// A longer line of the log is cut.
const LINE_LIMIT: usize = 1 << 20;
/// As much of the complaints of `log` is kept.
const STDERR_LIMIT: u64 = 64 << 10;
/// So many messages wait in the queue; then the stream waits, and `log` itself says what it drops.
const QUEUE: usize = 256;
/// The clock of a wait stands still while the machine sleeps: it is compared with the elapsed time this often.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

enum Message {
    Signal(Signal),
    /// Of the stream with this number; an older one's is dropped.
    Log(u64, Wake),
}

/// This Mac.
pub struct RealMac {
    tools: Processes,
    clock: RealClock,
    sender: SyncSender<Message>,
    queue: Receiver<Message>,
    streams: u64,
    stream: Option<LogStream>,
    cut_lines: Arc<AtomicU64>,
}

impl RealMac {
    /// Starts the clocks and takes over the signals of this process.
    pub fn new(toolbox: Toolbox) -> io::Result<Self> {
        let (sender, queue) = mpsc::sync_channel(QUEUE);
        let signals = sender.clone();
        watch_signals(move |signal| signals.send(Message::Signal(signal)).is_ok())?;
        let clock = RealClock::start();
        let tools = Processes::new(toolbox, clock);
        Ok(Self { tools, clock, sender, queue, streams: 0, stream: None, cut_lines: Arc::default() })
    }

    /// How many lines of the log were too long and were cut.
    pub fn cut_lines(&self) -> u64 {
        self.cut_lines.load(Ordering::Relaxed)
    }
}

impl Tools for RealMac {
    fn run(&mut self, call: &Call) -> Captured {
        self.tools.run(call)
    }
}

impl Clock for RealMac {
    fn now(&self) -> Now {
        self.clock.now()
    }
}

impl Inbox for RealMac {
    fn next(&mut self, until: Duration) -> Wake {
        loop {
            let left = until.saturating_sub(self.clock.elapsed());
            match self.queue.recv_timeout(left.min(LONGEST_WAIT)) {
                Ok(Message::Signal(signal)) => return Wake::Signal(signal),
                Ok(Message::Log(stream, wake)) if self.stream.is_some() && stream == self.streams => return wake,
                Err(RecvTimeoutError::Timeout) if left <= LONGEST_WAIT => return Wake::Tick,
                Ok(Message::Log(..)) | Err(RecvTimeoutError::Timeout) => {}
                // Can't be: the sender of this very struct keeps it open.
                Err(RecvTimeoutError::Disconnected) => return Wake::Ended,
            }
        }
    }
}

impl LogSource for RealMac {
    fn start_stream(&mut self, style: LogStyle) {
        self.stop_stream();
        self.streams += 1;
        let number = self.streams;
        let sender = self.sender.clone();
        let send = move |wake| sender.send(Message::Log(number, wake)).is_ok();
        self.stream = Some(LogStream::start(self.tools.toolbox(), style, send, &self.cut_lines));
    }

    fn stop_stream(&mut self) {
        self.stream = None;
    }

    fn look_back(&mut self, style: LogStyle, since: DateTime<FixedOffset>, deadline: Duration) -> LookBack {
        let start = since.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S").to_string();
        let args = ["show", "--info", "--style", style.word(), "--predicate", PREDICATE, "--start", &start];
        look_back_of(&self.tools.run(&Call::new("log", &args, deadline)))
    }
}

fn look_back_of(captured: &Captured) -> LookBack {
    if captured.succeeded() {
        let text = String::from_utf8_lossy(&captured.stdout);
        return LookBack::Lines(text.lines().map(str::to_owned).collect());
    }
    let exit = if let CallEnd::Exit(code) = captured.end { Some(code) } else { None };
    let said = String::from_utf8_lossy(&captured.stderr).trim().to_owned();
    let why = captured.problem().map_or(said, |problem| format!("log {problem}"));
    LookBack::Failed { exit, why }
}

/// A running `log stream`; killed when dropped.
struct LogStream {
    child: Shared,
}

/// The child, as long as it may not have been reaped.
type Shared = Arc<Mutex<Option<Child>>>;

fn lock(child: &Shared) -> MutexGuard<'_, Option<Child>> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LogStream {
    fn start(
        toolbox: &Toolbox,
        style: LogStyle,
        send: impl Fn(Wake) -> bool + Send + 'static,
        cut_lines: &Arc<AtomicU64>,
    ) -> Self {
        let args = ["stream", "--level", "info", "--style", style.word(), "--predicate", PREDICATE];
        let args = args.map(str::to_owned);
        let child = Shared::default();
        let spawned = match toolbox.command("log", &args).map(|mut command| command.spawn()) {
            Some(spawned) => spawned,
            None => Err(io::ErrorKind::NotFound.into()),
        };
        match spawned {
            Ok(mut spawned) => {
                let (stdout, stderr) = (spawned.stdout.take(), spawned.stderr.take());
                *lock(&child) = Some(spawned);
                let (shared, cut_lines) = (Arc::clone(&child), Arc::clone(cut_lines));
                thread::spawn(move || follow(&shared, stdout, stderr, &send, &cut_lines));
            }
            Err(error) => {
                // Not from here: a full queue would wait for ourselves.
                let stderr = format!("log could not be started: {error}");
                thread::spawn(move || send(Wake::LogEnded { exit: None, stderr }));
            }
        }
        Self { child }
    }
}

impl Drop for LogStream {
    fn drop(&mut self) {
        if let Some(child) = &*lock(&self.child) {
            kill_group(child);
        }
    }
}

fn follow(
    child: &Shared,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    send: &dyn Fn(Wake) -> bool,
    cut_lines: &AtomicU64,
) {
    let complaints = thread::spawn(move || complaints(stderr));
    if let Some(stdout) = stdout {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
        while let Ok(Some(cut)) = read_line(&mut reader, &mut line, LINE_LIMIT) {
            cut_lines.fetch_add(u64::from(cut), Ordering::Relaxed);
            if !send(Wake::LogLine(String::from_utf8_lossy(&line).into_owned())) {
                break;
            }
        }
    }
    let exit = reap(child);
    // Whatever else holds its stderr open isn't waited for.
    for _ in 0..20 {
        if complaints.is_finished() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let stderr = if complaints.is_finished() { complaints.join().unwrap_or_default() } else { String::new() };
    send(Wake::LogEnded { exit, stderr });
}

/// Waits for the child to end; one that closed its output and goes on is killed.
fn reap(child: &Shared) -> Option<i32> {
    let mut pause = Duration::from_millis(1);
    loop {
        {
            let mut guard = lock(child);
            match guard.as_mut()?.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => {
                    *guard = None;
                    return status.code();
                }
                Err(_) => {
                    *guard = None;
                    return None;
                }
            }
            if pause > Duration::from_millis(500)
                && let Some(child) = &*guard
            {
                kill_group(child);
            }
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_secs(1));
    }
}

fn complaints(stderr: Option<ChildStderr>) -> String {
    let Some(mut stderr) = stderr else { return String::new() };
    let mut kept = Vec::new();
    // Errors here cost no more than the words of a failure that is reported anyway.
    let _ = stderr.by_ref().take(STDERR_LIMIT).read_to_end(&mut kept);
    let _ = io::copy(&mut stderr, &mut io::sink());
    String::from_utf8_lossy(&kept).trim().to_owned()
}

/// Reads one line without its line feed, keeping at most `limit` bytes; returns whether it was cut, `None` at the end.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>, limit: usize) -> io::Result<Option<bool>> {
    line.clear();
    let mut begun = false;
    let mut cut = false;
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok(begun.then_some(cut));
        }
        begun = true;
        let end = memchr::memchr(b'\n', chunk);
        let text = end.map_or(chunk, |end| chunk.split_at(end).0);
        let room = limit.saturating_sub(line.len());
        cut |= text.len() > room;
        line.extend(text.iter().take(room));
        let used = text.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(cut));
        }
    }
}

/// Hands every signal that means something to `send`, from a thread, until it returns false. A second SIGINT ends the
/// process at once.
fn watch_signals(send: impl Fn(Signal) -> bool + Send + 'static) -> io::Result<()> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // In this order: the first SIGINT arms what the second one meets.
    flag::register_conditional_default(SIGINT, Arc::clone(&interrupted))?;
    flag::register(SIGINT, interrupted)?;
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, INFO])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let meaning = if signal == INFO { Signal::Info } else { Signal::End(signal) };
            if !send(meaning) {
                break;
            }
        }
    });
    Ok(())
}

/// A wait in real time that a signal ends; takes over the signals of this process. For a recording that is played slowly.
pub fn waiter() -> io::Result<Waiter> {
    let (sender, receiver) = mpsc::channel();
    watch_signals(move |signal| sender.send(signal).is_ok())?;
    Ok(Box::new(move |time| receiver.recv_timeout(time).ok()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_the_next_one_is_whole() {
        let mut reader = BufReader::with_capacity(4, &b"abc\n\n0123456789\nlast"[..]);
        let mut line = Vec::new();
        let mut read = || {
            let cut = read_line(&mut reader, &mut line, 6).unwrap()?;
            Some((String::from_utf8(line.clone()).unwrap(), cut))
        };
        let expected = [("abc", false), ("", false), ("012345", true), ("last", false)];
        for (text, cut) in expected {
            assert_eq!(read(), Some((text.to_owned(), cut)));
        }
        assert_eq!(read(), None);
    }

    #[test]
    fn a_look_back_that_fails_says_why() {
        let mut captured = Captured {
            started: Duration::ZERO,
            took: Duration::from_secs(10),
            end: CallEnd::Exit(77),
            stdout: b"a\nb\n".to_vec(),
            stderr: b"log: Must be admin\n".to_vec(),
        };
        let why = "log: Must be admin".to_owned();
        assert_eq!(look_back_of(&captured), LookBack::Failed { exit: Some(77), why });
        captured.end = CallEnd::TimedOut;
        let why = "log gave no answer within 10 s".to_owned();
        assert_eq!(look_back_of(&captured), LookBack::Failed { exit: None, why });
        captured.end = CallEnd::Exit(0);
        assert_eq!(look_back_of(&captured), LookBack::Lines(vec!["a".to_owned(), "b".to_owned()]));
    }
}
