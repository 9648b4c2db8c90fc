//! A stand-in for Apple's tools, for tests of this room.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::ports::{Call, CallEnd, Captured, Tools};

/// Answers by command line, and a record of what was asked.
#[derive(Default)]
pub(super) struct Answers {
    known: HashMap<String, (i32, Vec<u8>)>,
    pub(super) asked: Vec<String>,
}

impl Answers {
    pub(super) fn add(&mut self, tool: &str, args: &[&str], stdout: &[u8]) {
        self.add_exit(tool, args, 0, stdout);
    }

    pub(super) fn add_exit(&mut self, tool: &str, args: &[&str], exit: i32, stdout: &[u8]) {
        let line = Call::new(tool, args, Duration::ZERO).command_line();
        self.known.insert(line, (exit, stdout.to_vec()));
    }

    /// Takes every file of a folder: its first line is the command line behind `$ `, the rest the answer.
    pub(super) fn add_folder(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let Some(rest) = bytes.strip_prefix(b"$ ") else { continue };
            let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            let line = String::from_utf8(rest[..end].to_vec()).unwrap();
            let answer = rest.get(end + 1..).unwrap_or_default().to_vec();
            assert!(self.known.insert(line, (0, answer)).is_none(), "{} answers a second time", path.display());
        }
    }
}

impl Tools for Answers {
    fn run(&mut self, call: &Call) -> Captured {
        let line = call.command_line();
        let answer = self.known.get(&line).cloned();
        self.asked.push(line);
        let (end, stdout) = match answer {
            Some((exit, stdout)) => (CallEnd::Exit(exit), stdout),
            None => (CallEnd::NotRecorded, Vec::new()),
        };
        Captured { started: Duration::ZERO, took: Duration::ZERO, end, stdout, stderr: Vec::new() }
    }
}
