//! A stand-in for Apple's tools, for tests of this room.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::ports::{Call, CallEnd, Captured, Tools};

struct Line {
    t: f64,
    command: String,
    end: CallEnd,
    stdout: Vec<u8>,
}

/// Answers by command line: the newest that is not later than `now`.
#[derive(Default)]
pub(super) struct Answers {
    lines: Vec<Line>,
    /// The time, in the recording's seconds.
    pub(super) now: f64,
    /// What was asked, in order.
    pub(super) asked: Vec<String>,
}

impl Answers {
    pub(super) fn add(&mut self, tool: &str, args: &[&str], stdout: &[u8]) {
        self.add_exit(tool, args, 0, stdout);
    }

    pub(super) fn add_exit(&mut self, tool: &str, args: &[&str], exit: i32, stdout: &[u8]) {
        let command = Call::new(tool, args, Duration::ZERO).command_line();
        self.lines.push(Line { t: 0.0, command, end: CallEnd::Exit(exit), stdout: stdout.to_vec() });
    }

    /// Takes the calls of a recording.
    pub(super) fn of_recording(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join("calls.ndjson")).unwrap();
        Self { lines: text.lines().map(line).collect(), ..Self::default() }
    }

    /// Changes every answer.
    pub(super) fn change(&mut self, change: impl Fn(&mut Vec<u8>)) {
        for line in &mut self.lines {
            change(&mut line.stdout);
        }
    }
}

fn line(text: &str) -> Line {
    let call: serde_json::Value = serde_json::from_str(text).unwrap();
    let args: Vec<&str> = call["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let end = if call["timed_out"] == true {
        CallEnd::TimedOut
    } else if call["not_found"] == true {
        CallEnd::NotFound
    } else {
        CallEnd::Exit(i32::try_from(call["exit"].as_i64().unwrap()).unwrap())
    };
    Line {
        t: call["t"].as_f64().unwrap(),
        command: Call::new(call["tool"].as_str().unwrap(), &args, Duration::ZERO).command_line(),
        end,
        stdout: call["stdout"].as_str().unwrap().as_bytes().to_vec(),
    }
}

impl Tools for Answers {
    fn run(&mut self, call: &Call) -> Captured {
        let command = call.command_line();
        let answer = self.lines.iter().rfind(|line| line.command == command && line.t <= self.now);
        let (end, stdout) = match answer {
            Some(line) => (line.end.clone(), line.stdout.clone()),
            None => (CallEnd::NotRecorded, Vec::new()),
        };
        self.asked.push(command);
        Captured { started: Duration::ZERO, took: Duration::ZERO, end, stdout, stderr: Vec::new() }
    }
}
