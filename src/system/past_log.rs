//! This Mac's own log, as far back as it reaches.

use std::io::{self, Read};
use std::process::{Child, ChildStdout};
use std::thread::{self, JoinHandle};

use super::inbox::PREDICATE;
use super::process::Toolbox;

/// As much of the complaints of `log` is kept.
const COMPLAINTS: u64 = 64 << 10;

/// `log show`, as it prints.
pub struct PastLog {
    child: Child,
    output: ChildStdout,
    complaints: JoinHandle<String>,
}

impl PastLog {
    /// Asks for all that Time Machine has logged, Infos included: starts and successes are Infos.
    pub fn ask(toolbox: &Toolbox) -> io::Result<Self> {
        let args = ["show", "--info", "--predicate", PREDICATE, "--style", "ndjson"].map(str::to_owned);
        let command = toolbox.command("log", &args);
        let mut child = command.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?.spawn()?;
        let missing = || io::Error::other("no pipe");
        let output = child.stdout.take().ok_or_else(missing)?;
        let errors = child.stderr.take().ok_or_else(missing)?;
        let complaints = thread::spawn(move || {
            let mut text = Vec::new();
            let mut errors = errors;
            let _ = errors.by_ref().take(COMPLAINTS).read_to_end(&mut text);
            let _ = io::copy(&mut errors, &mut io::sink());
            String::from_utf8_lossy(&text).trim().to_owned()
        });
        Ok(Self { child, output, complaints })
    }

    /// What it prints.
    pub fn output(&mut self) -> &mut (dyn Read + Send) {
        &mut self.output
    }

    /// Waits for its end. Says what went wrong, if anything did.
    pub fn finish(mut self) -> Result<(), String> {
        drop(self.output);
        let status = self.child.wait().map_err(|error| error.to_string())?;
        let complaints = self.complaints.join().unwrap_or_default();
        if status.success() { Ok(()) } else { Err(format!("{status}: {complaints}")) }
    }
}
