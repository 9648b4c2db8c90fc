//! One way to run the program: in a home of its own, in a known time zone and locale, with all streams captured.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// The root of the project.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A recording among the fixtures.
pub(crate) fn recording(name: &str) -> PathBuf {
    root().join("fixtures/recordings").join(name)
}

/// Every recording among the fixtures, by name.
pub(crate) fn recordings() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("fixtures/recordings"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A place to run the program in.
pub(crate) struct Place {
    home: TempDir,
}

/// What a run gave.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The one JSON object on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { home: TempDir::new().unwrap() }
    }

    /// The home folder.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// The whole environment of the program.
    pub(crate) fn environment(&self) -> [(&str, &OsStr); 3] {
        [("HOME", self.home.path().as_os_str()), ("TZ", OsStr::new("UTC")), ("LC_ALL", OsStr::new("C.UTF-8"))]
    }

    /// The program, ready to be given arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tmgauge"));
        command.env_clear().envs(self.environment());
        command.current_dir(root());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.command().args(args).output().unwrap().into()
    }
}

/// Runs the program once in a place of its own.
pub(crate) fn run(args: &[&str]) -> Run {
    Place::new().run(args)
}

/// Plays a recording and gives the JSON.
pub(crate) fn replay(command: &str, dir: &Path, more: &[&str]) -> Run {
    let mut args = vec![command, "--replay", dir.to_str().unwrap(), "--format", "json"];
    args.extend(more);
    run(&args)
}
