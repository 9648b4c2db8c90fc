//! Runs Apple's tools.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::clock::RealClock;
use crate::ports::{Call, CallEnd, Captured, Tools};

/// Where macOS keeps the tools that are called.
const TOOLS: &[(&str, &str)] = &[
    ("tmutil", "/usr/bin/tmutil"),
    ("log", "/usr/bin/log"),
    ("diskutil", "/usr/sbin/diskutil"),
    ("system_profiler", "/usr/sbin/system_profiler"),
    ("ioreg", "/usr/sbin/ioreg"),
    ("netstat", "/usr/sbin/netstat"),
    ("mount", "/sbin/mount"),
    ("ifconfig", "/sbin/ifconfig"),
    ("route", "/sbin/route"),
    ("networksetup", "/usr/sbin/networksetup"),
    ("hdiutil", "/usr/bin/hdiutil"),
    ("smbutil", "/usr/bin/smbutil"),
    ("pmset", "/usr/bin/pmset"),
    ("sw_vers", "/usr/bin/sw_vers"),
    ("sysctl", "/usr/sbin/sysctl"),
];

/// The most that is kept of each pipe; what a tool prints beyond it is drained and dropped.
const KEPT: usize = 64 << 20;
/// How long a killed tool is waited for.
const GRACE: Duration = Duration::from_secs(1);
/// How long the pipes of a tool that has ended are read on, when something that it started holds them open.
const LINGER: Duration = Duration::from_millis(100);

/// Where the tools are taken from.
#[derive(Clone, Debug, Default)]
pub struct Toolbox {
    folder: Option<PathBuf>,
}

impl Toolbox {
    /// Those of the system, by absolute path.
    pub fn system() -> Self {
        Self::default()
    }

    /// Those in a folder.
    pub fn folder(folder: &Path) -> io::Result<Self> {
        Ok(Self { folder: Some(std::path::absolute(folder)?) })
    }

    /// The path of a tool; `None` for one that is never called.
    pub fn path(&self, tool: &str) -> Option<PathBuf> {
        let (_, path) = TOOLS.iter().find(|(name, _)| *name == tool)?;
        Some(self.folder.as_ref().map_or_else(|| PathBuf::from(path), |folder| folder.join(tool)))
    }

    /// The command, ready to be started: in the C locale, without input, with both pipes, in a process group of its own.
    pub(super) fn command(&self, tool: &str, args: &[String]) -> Option<Command> {
        let mut command = Command::new(self.path(tool)?);
        command.args(args).env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        Some(command)
    }
}

/// Runs tools as processes.
#[derive(Debug)]
pub struct Processes {
    toolbox: Toolbox,
    clock: RealClock,
    /// Killed, but not gone within the grace: reaped when they are.
    left: Vec<Child>,
}

impl Processes {
    /// Runs the tools of a box, by a clock.
    pub fn new(toolbox: Toolbox, clock: RealClock) -> Self {
        Self { toolbox, clock, left: Vec::new() }
    }

    /// Where the tools come from.
    pub fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }
}

impl Tools for Processes {
    fn run(&mut self, call: &Call) -> Captured {
        self.left.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        let started = self.clock.elapsed();
        let mut output = Output::default();
        let end = match self.toolbox.command(&call.tool, &call.args).map(|mut command| command.spawn()) {
            None => CallEnd::NotFound,
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => CallEnd::NotFound,
            Some(Err(error)) => CallEnd::Failed(error.to_string()),
            Some(Ok(child)) => self.follow(child, Instant::now() + call.deadline, &mut output),
        };
        let took = self.clock.elapsed().saturating_sub(started);
        Captured { started, took, end, stdout: output.stdout, stderr: output.stderr }
    }
}

#[derive(Default)]
struct Output {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Processes {
    fn follow(&mut self, mut child: Child, deadline: Instant, output: &mut Output) -> CallEnd {
        let status = drain(&mut child, deadline, output).and_then(|status| match status {
            Some(status) => Ok(Some(status)),
            None => wait_until(&mut child, deadline),
        });
        match status {
            Ok(Some(status)) => end_of(status),
            Ok(None) => {
                self.kill(child);
                CallEnd::TimedOut
            }
            Err(error) => {
                self.kill(child);
                CallEnd::Failed(error.to_string())
            }
        }
    }

    fn kill(&mut self, mut child: Child) {
        kill_group(&child);
        if !matches!(wait_until(&mut child, Instant::now() + GRACE), Ok(Some(_))) {
            self.left.push(child);
        }
    }
}

/// Kills the process group of a child that hasn't been reaped, so that its number is still its own.
pub(super) fn kill_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have ended by itself in this moment.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn end_of(status: ExitStatus) -> CallEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => CallEnd::Exit(code),
        (None, Some(signal)) => CallEnd::Signal(signal),
        (None, None) => CallEnd::Failed(status.to_string()),
    }
}

/// Reads both pipes to their ends or the deadline. Returns the status if the child was seen to end before them.
fn drain(child: &mut Child, deadline: Instant, output: &mut Output) -> io::Result<Option<ExitStatus>> {
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let mut buffer = vec![0; 64 << 10];
    let mut ended: Option<(ExitStatus, Instant)> = None;
    while stdout.is_some() || stderr.is_some() {
        let now = Instant::now();
        let until = ended.map_or(deadline, |(_, until)| until.min(deadline));
        let Some(left) = until.checked_duration_since(now).filter(|left| !left.is_zero()) else { break };
        // Wakes now and then to see whether the child ended while something else holds its pipes open.
        let (out_ready, err_ready) = wait_for_pipes(stdout.as_ref(), stderr.as_ref(), left.min(LINGER))?;
        if out_ready {
            read_some(&mut stdout, &mut buffer, &mut output.stdout)?;
        }
        if err_ready {
            read_some(&mut stderr, &mut buffer, &mut output.stderr)?;
        }
        if !out_ready && !err_ready && ended.is_none() {
            ended = child.try_wait()?.map(|status| (status, Instant::now() + LINGER));
        }
    }
    Ok(ended.map(|(status, _)| status))
}

fn wait_for_pipes(
    stdout: Option<&std::process::ChildStdout>,
    stderr: Option<&std::process::ChildStderr>,
    timeout: Duration,
) -> io::Result<(bool, bool)> {
    let mut fds = Vec::with_capacity(2);
    fds.extend(stdout.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    fds.extend(stderr.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
    let mut of = |there: bool| there && ready.next() == Some(true);
    Ok((of(stdout.is_some()), of(stderr.is_some())))
}

/// Reads what is there; takes the pipe away at its end.
fn read_some(pipe: &mut Option<impl Read>, buffer: &mut [u8], kept: &mut Vec<u8>) -> io::Result<()> {
    let Some(reader) = pipe else { return Ok(()) };
    match reader.read(buffer) {
        Ok(0) => *pipe = None,
        Ok(count) => {
            let room = KEPT.saturating_sub(kept.len());
            kept.extend(buffer.iter().take(count.min(room)));
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Waits for a child whose pipes are closed, which has as a rule ended: looks at once, then ever less often.
fn wait_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
            return Ok(None);
        };
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(LINGER);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    #[test]
    fn tools_have_absolute_paths_or_lie_in_the_folder() {
        assert!(TOOLS.iter().all(|(name, path)| path.starts_with('/') && path.ends_with(&format!("/{name}"))));
        assert_eq!(Toolbox::system().path("mount"), Some(PathBuf::from("/sbin/mount")));
        let toolbox = Toolbox::folder(Path::new("/a/b")).unwrap();
        assert_eq!(toolbox.path("log"), Some(PathBuf::from("/a/b/log")));
        assert_eq!(toolbox.path("../sh"), None);
    }
}
