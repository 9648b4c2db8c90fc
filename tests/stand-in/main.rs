//! A stand-in for Apple's tools: whatever name it is called by (`tmutil`, `log`, ...), it answers as `script.toml`
//! beside it says, and notes each call in `calls.log` there.
//!
//! ```toml
//! [[answer]]
//! tool = "tmutil"
//! args = ["status"]        # the beginning of the arguments; the longest that fits counts
//! stdout = "text"          # or stdout_file = "a file beside the script"
//! exit = 0
//! ```
//!
//! Several answers to the same tool and arguments are given in turn, the last one for ever.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use rustix::process::Pid;
use serde::Deserialize;

#[derive(Deserialize)]
struct Script {
    answer: Vec<Answer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    tool: String,
    #[serde(default)]
    args: Vec<String>,
    /// Waits before it says anything.
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    stdout: String,
    /// Instead of `stdout`; any bytes.
    stdout_file: Option<String>,
    #[serde(default)]
    stderr: String,
    /// Prints `stdout` and `stderr` so many times in turn.
    #[serde(default = "once")]
    times: usize,
    /// Prints `stdout` until it is killed.
    #[serde(default)]
    forever: bool,
    /// Prints so many bytes that are no text.
    #[serde(default)]
    garbage: usize,
    /// Prints these lines, as `log stream` does.
    #[serde(default)]
    lines: Vec<Line>,
    /// Starts a child that holds the pipes open for so many seconds.
    grandchild_s: Option<u32>,
    /// Stays until it is killed or whoever called it is gone.
    #[serde(default)]
    hang: bool,
    /// Kills itself.
    #[serde(default)]
    kill: bool,
    #[serde(default)]
    exit: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    after_ms: u64,
    /// Waits until the status has been asked for so often.
    #[serde(default)]
    after_polls: usize,
    /// `{now}` stands for the time as the log writes it.
    text: String,
}

fn once() -> usize {
    1
}

/// The process that called it.
static CALLER: OnceLock<Option<Pid>> = OnceLock::new();

/// How a call stands in `calls.log`: one line, words apart by tabs.
fn noted(tool: &str, args: &[String]) -> String {
    let mut line = tool.to_owned();
    for arg in args {
        line.push('\t');
        line.push_str(&arg.replace(['\t', '\n'], " "));
    }
    line
}

fn main() -> anyhow::Result<ExitCode> {
    CALLER.get_or_init(rustix::process::getppid);
    let mut args = std::env::args();
    let path = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    let path = Path::new(&path);
    let folder = path.parent().unwrap_or(Path::new("."));
    let tool = path.file_name().unwrap_or_default().to_string_lossy().into_owned();

    let script: Script = toml::from_str(&fs::read_to_string(folder.join("script.toml"))?)?;
    let calls_path = folder.join("calls.log");
    let calls = fs::read_to_string(&calls_path).unwrap_or_default();
    let mut log = fs::OpenOptions::new().create(true).append(true).open(&calls_path)?;
    log.write_all(format!("{}\n", noted(&tool, &args)).as_bytes())?;

    let fits = |answer: &&Answer| answer.tool == tool && args.starts_with(&answer.args);
    let Some(longest) = script.answer.iter().filter(fits).map(|answer| answer.args.len()).max() else {
        writeln!(io::stderr(), "stand-in: no answer to {tool} {}", args.join(" "))?;
        return Ok(ExitCode::from(64));
    };
    let turns: Vec<&Answer> = script.answer.iter().filter(fits).filter(|answer| answer.args.len() == longest).collect();
    let same = noted(&tool, &args[..longest]);
    let is_same = |call: &&str| call.strip_prefix(&same).is_some_and(|rest| rest.is_empty() || rest.starts_with('\t'));
    let turn = calls.lines().filter(is_same).count().min(turns.len() - 1);
    // Whoever reads may have gone away.
    Ok(give(turns[turn], folder).unwrap_or(ExitCode::FAILURE))
}

fn now() -> String {
    chrono::Local::now().format("%Y-%m-%d %H:%M:%S%.6f%z").to_string()
}

/// How often the status has been asked for.
fn polls(folder: &Path) -> usize {
    let calls = fs::read_to_string(folder.join("calls.log")).unwrap_or_default();
    calls.lines().filter(|line| line.starts_with("tmutil\tstatus")).count()
}

/// Whether whoever called it is gone.
fn is_orphan() -> bool {
    rustix::process::getppid() != CALLER.get().copied().flatten()
}

fn give(answer: &Answer, folder: &Path) -> io::Result<ExitCode> {
    thread::sleep(Duration::from_millis(answer.delay_ms));
    if let Some(seconds) = answer.grandchild_s {
        Command::new("/bin/sleep").arg(seconds.to_string()).spawn()?;
    }
    let text = match &answer.stdout_file {
        Some(name) => fs::read(folder.join(name))?,
        None => answer.stdout.replace("{now}", &now()).into_bytes(),
    };
    let (mut stdout, mut stderr) = (io::stdout().lock(), io::stderr().lock());
    for _ in 0..answer.times {
        stdout.write_all(&text)?;
        stderr.write_all(answer.stderr.as_bytes())?;
    }
    let noise: Vec<u8> = (0..answer.garbage).map(|at| u8::try_from(at * 167 % 251).unwrap_or(0) ^ 0x80).collect();
    stdout.write_all(&noise)?;
    for line in &answer.lines {
        while polls(folder) < line.after_polls && !is_orphan() {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(line.after_ms));
        writeln!(stdout, "{}", line.text.replace("{now}", &now()))?;
        stdout.flush()?;
    }
    stdout.flush()?;
    if answer.forever {
        loop {
            stdout.write_all(&text)?;
        }
    }
    if answer.kill {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)?;
    }
    while answer.hang && !is_orphan() {
        thread::sleep(Duration::from_millis(20));
    }
    Ok(ExitCode::from(answer.exit))
}
