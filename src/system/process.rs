//! Runs Apple's tools: by absolute path, without a shell, each in a process group of its own and with a deadline.

use std::collections::HashMap;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::ports::CallEnd;

/// Where macOS keeps its tools.
const PLACES: &[(&str, &str)] = &[
    ("tmutil", "/usr/bin/tmutil"),
    ("log", "/usr/bin/log"),
    ("sw_vers", "/usr/bin/sw_vers"),
    ("hdiutil", "/usr/bin/hdiutil"),
    ("smbutil", "/usr/bin/smbutil"),
    ("pmset", "/usr/bin/pmset"),
    ("mount", "/sbin/mount"),
    ("ifconfig", "/sbin/ifconfig"),
    ("route", "/sbin/route"),
    ("sysctl", "/usr/sbin/sysctl"),
    ("netstat", "/usr/sbin/netstat"),
    ("networksetup", "/usr/sbin/networksetup"),
    ("ioreg", "/usr/sbin/ioreg"),
    ("diskutil", "/usr/sbin/diskutil"),
    ("system_profiler", "/usr/sbin/system_profiler"),
];

/// A tool that prints more than this is cut off.
const MOST: u64 = 64 * 1024 * 1024;
/// How long a killed group is waited for before it is left.
const AFTER_KILL: Duration = Duration::from_secs(1);

/// Finds and starts tools.
#[derive(Clone, Debug, Default)]
pub struct Launcher {
    folder: Option<PathBuf>,
}

/// What a tool gave.
#[derive(Clone, Debug)]
pub struct Answer {
    /// How it ended.
    pub end: CallEnd,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained.
    pub stderr: Vec<u8>,
}

impl Launcher {
    /// Takes the tools from `folder` instead of their places on a Mac.
    pub fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_owned) }
    }

    /// The path of a tool; `None` for one that is never called.
    pub fn path(&self, tool: &str) -> Option<PathBuf> {
        let places: HashMap<_, _> = PLACES.iter().copied().collect();
        let place = places.get(tool)?;
        Some(self.folder.as_ref().map_or_else(|| PathBuf::from(place), |folder| folder.join(tool)))
    }

    /// Starts a tool with both outputs piped.
    pub fn start(&self, tool: &str, args: &[String]) -> io::Result<Child> {
        let path = self.path(tool).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such tool"))?;
        Command::new(path)
            .args(args)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
    }

    /// Runs a tool to its end, or kills it at its deadline.
    pub fn run(&self, tool: &str, args: &[String], deadline: Duration) -> Answer {
        let child = match self.start(tool, args) {
            Ok(child) => child,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Answer::nothing(CallEnd::NotFound),
            Err(error) => return Answer::nothing(CallEnd::Failed(error.to_string())),
        };
        wait(child, deadline)
    }
}

impl Answer {
    fn nothing(end: CallEnd) -> Self {
        Self { end, stdout: Vec::new(), stderr: Vec::new() }
    }
}

/// What the threads that wait for a child report.
enum Part {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    Exited(io::Result<ExitStatus>),
}

fn wait(mut child: Child, deadline: Duration) -> Answer {
    let group = group_of(&child);
    let (sender, parts) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        drain(stdout, sender.clone(), Part::Stdout);
    }
    if let Some(stderr) = child.stderr.take() {
        drain(stderr, sender.clone(), Part::Stderr);
    }
    thread::spawn(move || sender.send(Part::Exited(child.wait())));
    let mut answer = Answer::nothing(CallEnd::TimedOut);
    if collect(&parts, Instant::now() + deadline, &mut answer) {
        return answer;
    }
    kill(group);
    // What the dying still say is taken, how they end is not: it was too late.
    let mut rest = Answer { end: CallEnd::TimedOut, ..answer };
    collect(&parts, Instant::now() + AFTER_KILL, &mut rest);
    rest.end = CallEnd::TimedOut;
    rest
}

/// Takes parts until all have come or the time is over; tells which.
fn collect(parts: &Receiver<Part>, until: Instant, answer: &mut Answer) -> bool {
    loop {
        match parts.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Part::Stdout(bytes)) => answer.stdout = bytes,
            Ok(Part::Stderr(bytes)) => answer.stderr = bytes,
            Ok(Part::Exited(Ok(status))) => answer.end = end_of(status),
            Ok(Part::Exited(Err(error))) => answer.end = CallEnd::Failed(error.to_string()),
            // Every thread has reported and gone.
            Err(RecvTimeoutError::Disconnected) => return true,
            Err(RecvTimeoutError::Timeout) => return false,
        }
    }
}

fn drain(from: impl Read + Send + 'static, to: Sender<Part>, part: fn(Vec<u8>) -> Part) {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // Whoever prints without end gets a closed pipe.
        let _ = from.take(MOST).read_to_end(&mut bytes);
        let _ = to.send(part(bytes));
    });
}

fn end_of(status: ExitStatus) -> CallEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => CallEnd::Exit(code),
        (None, Some(signal)) => CallEnd::Signal(signal),
        (None, None) => CallEnd::Failed("it ended in an unknown way".to_owned()),
    }
}

/// The group that a child leads.
pub(super) fn group_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Kills a whole group; that it is gone already is no error.
pub(super) fn kill(group: Option<Pid>) {
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
