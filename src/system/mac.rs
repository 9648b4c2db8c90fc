//! This Mac: its tools, clocks, log and signals together.

use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, FixedOffset, Local};

use super::clock::SystemClock;
use super::inbox::{Queue, show_args};
use super::process::Launcher;
use crate::ports::{Call, CallEnd, Captured, Clock, Inbox, LogSource, LogStyle, LookBack, Now, Tools, Wake};

/// This machine in the role of a Mac. On another system every tool is missing.
pub struct ThisMac {
    launcher: Launcher,
    clock: SystemClock,
    queue: Queue,
}

impl ThisMac {
    /// Opens the doors; tools are taken from `folder` if one is given.
    pub fn open(folder: Option<&Path>) -> std::io::Result<Self> {
        Ok(Self { launcher: Launcher::new(folder), clock: SystemClock::start(), queue: Queue::open()? })
    }
}

impl Tools for ThisMac {
    fn run(&mut self, call: &Call) -> Captured {
        let started = self.clock.now().elapsed;
        let answer = self.launcher.run(&call.tool, &call.args, call.deadline);
        let took = self.clock.now().elapsed.saturating_sub(started);
        Captured { started, took, end: answer.end, stdout: answer.stdout, stderr: answer.stderr }
    }
}

impl Clock for ThisMac {
    fn now(&self) -> Now {
        self.clock.now()
    }
}

impl Inbox for ThisMac {
    fn next(&mut self, until: Duration) -> Wake {
        self.queue.wait(until.saturating_sub(self.clock.now().elapsed))
    }
}

impl LogSource for ThisMac {
    fn start_stream(&mut self, style: LogStyle) {
        self.queue.start_stream(&self.launcher, style);
    }

    fn stop_stream(&mut self) {
        self.queue.stop_stream();
    }

    fn look_back(&mut self, style: LogStyle, since: DateTime<FixedOffset>, deadline: Duration) -> LookBack {
        // `log` takes local time.
        let since = since.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S").to_string();
        let answer = self.launcher.run("log", &show_args(style, &since), deadline);
        let text = String::from_utf8_lossy(&answer.stdout);
        match answer.end {
            CallEnd::Exit(0) => LookBack::Lines(text.lines().map(str::to_owned).collect()),
            CallEnd::Exit(code) => {
                let said = String::from_utf8_lossy(&answer.stderr);
                let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
                LookBack::Failed { exit: Some(code), why: format!("`log show` ended with {code}: {said}") }
            }
            CallEnd::TimedOut => LookBack::Failed {
                exit: None,
                why: format!("`log show` gave no answer within {} s", deadline.as_secs()),
            },
            CallEnd::NotFound => LookBack::Failed { exit: None, why: "`log` does not exist on this system".to_owned() },
            other => LookBack::Failed { exit: None, why: format!("`log show` failed: {other:?}") },
        }
    }
}
