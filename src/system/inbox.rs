//! One queue for everything that is waited for: lines of the log, the end of its stream, and signals.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::process::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::process::{Launcher, group_of, kill};
use crate::ports::{LogStyle, Signal, Wake};

#[cfg(target_os = "macos")]
const INFO: i32 = signal_hook::consts::SIGINFO;
#[cfg(not(target_os = "macos"))]
const INFO: i32 = signal_hook::consts::SIGUSR1;

/// What Time Machine's messages have in common.
const PREDICATE: &str = "subsystem == \"com.apple.TimeMachine\"";
/// A longer line is cut.
const LONGEST_LINE: u64 = 1024 * 1024;
/// More lines than this wait for no one: the stream is read only as fast as they are taken.
const QUEUE: usize = 4096;

/// What comes out of the queue.
enum Item {
    Line(u64, String),
    Ended(u64, Option<i32>, String),
    Signal(Signal),
}

/// The queue.
pub struct Queue {
    items: Receiver<Item>,
    sender: mpsc::SyncSender<Item>,
    /// The running stream's number; items of earlier ones are old.
    stream: u64,
    group: Option<Pid>,
}

impl Queue {
    /// Opens the queue and listens to signals. A second interrupt ends the program at once.
    pub fn open() -> std::io::Result<Self> {
        let (sender, items) = mpsc::sync_channel(QUEUE);
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&asked))?;
        }
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, INFO])?;
        let to = sender.clone();
        thread::spawn(move || {
            for number in signals.forever() {
                let signal = if number == INFO { Signal::Info } else { Signal::End(number) };
                if signal != Signal::Info {
                    asked.store(true, Ordering::SeqCst);
                }
                if to.send(Item::Signal(signal)).is_err() {
                    break;
                }
            }
        });
        Ok(Self { items, sender, stream: 0, group: None })
    }

    /// Waits at most so long.
    pub fn wait(&mut self, time: Duration) -> Wake {
        let start = std::time::Instant::now();
        loop {
            let left = time.saturating_sub(start.elapsed());
            match self.items.recv_timeout(left) {
                Ok(Item::Signal(signal)) => return Wake::Signal(signal),
                Ok(Item::Line(stream, line)) if stream == self.stream => return Wake::LogLine(line),
                Ok(Item::Ended(stream, exit, stderr)) if stream == self.stream => {
                    self.group = None;
                    return Wake::LogEnded { exit, stderr };
                }
                Ok(Item::Line(..) | Item::Ended(..)) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Wake::Tick,
            }
        }
    }

    /// Starts `log stream`; its end is reported even if it could not be started.
    pub fn start_stream(&mut self, launcher: &Launcher, style: LogStyle) {
        self.stop_stream();
        let args = ["stream", "--level", "info", "--style", style.word(), "--predicate", PREDICATE];
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let (stream, to) = (self.stream, self.sender.clone());
        match launcher.start("log", &args) {
            Ok(child) => {
                self.group = group_of(&child);
                thread::spawn(move || follow(child, stream, &to));
            }
            Err(error) => {
                // The queue may be full of lines; the caller takes them.
                thread::spawn(move || {
                    to.send(Item::Ended(stream, None, format!("`log` could not be started: {error}")))
                });
            }
        }
    }

    /// Ends the stream; what it still had to say is not heard.
    pub fn stop_stream(&mut self) {
        self.stream += 1;
        kill(self.group.take());
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.stop_stream();
    }
}

fn follow(mut child: Child, stream: u64, to: &mpsc::SyncSender<Item>) {
    let complaint = child.stderr.take().map(|stderr| {
        thread::spawn(move || {
            let mut said = Vec::new();
            let _ = stderr.take(LONGEST_LINE).read_to_end(&mut said);
            String::from_utf8_lossy(&said).into_owned()
        })
    });
    if let Some(stdout) = child.stdout.take() {
        let mut stdout = BufReader::new(stdout);
        while let Some(line) = next_line(&mut stdout) {
            if to.send(Item::Line(stream, line)).is_err() {
                break;
            }
        }
    }
    let exit = child.wait().ok().and_then(|status| status.code());
    let stderr = complaint.and_then(|thread| thread.join().ok()).unwrap_or_default();
    let _ = to.send(Item::Ended(stream, exit, stderr));
}

/// Reads a line, cut where it is too long.
fn next_line(from: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).ok().filter(|&read| read > 0)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else {
        // The rest of a line that is too long.
        skip_line(from);
    }
    Some(String::from_utf8_lossy(&line).into_owned())
}

fn skip_line(from: &mut impl BufRead) {
    while let Ok(buffer) = from.fill_buf() {
        let (used, over) = match memchr::memchr(b'\n', buffer) {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        from.consume(used);
        if over {
            break;
        }
    }
}

/// The arguments of a look back.
pub(super) fn show_args(style: LogStyle, since: &str) -> Vec<String> {
    ["show", "--info", "--style", style.word(), "--predicate", PREDICATE, "--start", since]
        .iter()
        .map(|&arg| arg.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_next_one_is_whole() {
        let longest = usize::try_from(LONGEST_LINE).unwrap();
        let text = format!("{}\nnext\nlast", "x".repeat(longest + 10));
        let mut from = BufReader::new(text.as_bytes());
        assert_eq!(next_line(&mut from).unwrap().len(), longest);
        assert_eq!(next_line(&mut from).as_deref(), Some("next"));
        assert_eq!(next_line(&mut from).as_deref(), Some("last"));
        assert_eq!(next_line(&mut from), None);
    }
}
