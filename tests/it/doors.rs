//! Real processes: how the doors deal with tools that fail, hang, talk too much or aren't there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tmgauge::ports::{Call, CallEnd, Captured, Clock, Inbox, LogSource, LogStyle, LookBack, Tools, Wake};
use tmgauge::system::clock::RealClock;
use tmgauge::system::inbox::RealMac;
use tmgauge::system::process::{Processes, Toolbox};

/// Makes a folder of tools that answer by a script.
pub(crate) fn stand_ins(tools: &[&str], script: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for tool in tools {
        symlink(env!("CARGO_BIN_EXE_stand-in"), folder.path().join(tool)).unwrap();
    }
    fs::write(folder.path().join("script.toml"), script).unwrap();
    folder
}

const DEADLINE: Duration = Duration::from_millis(300);

fn run(folder: &Path, tool: &str, args: &[&str], deadline: Duration) -> Captured {
    let mut tools = Processes::new(Toolbox::folder(folder).unwrap(), RealClock::start());
    tools.run(&Call::new(tool, args, deadline))
}

#[test]
fn answers_come_in_turn_with_their_exit_codes_and_signals() {
    let folder = stand_ins(
        &["tmutil"],
        r#"
        answer = [
            { tool = "tmutil", args = ["status"], stdout = "first", exit = 3 },
            { tool = "tmutil", args = ["status"], stderr = "second" },
            { tool = "tmutil", kill = true },
        ]"#,
    );
    let long = Duration::from_secs(20);
    let first = run(folder.path(), "tmutil", &["status", "-X"], long);
    assert_eq!((first.end, first.stdout.as_slice()), (CallEnd::Exit(3), &b"first"[..]));
    for _ in 0..2 {
        let second = run(folder.path(), "tmutil", &["status", "-X"], long);
        assert_eq!((second.end, second.stderr.as_slice()), (CallEnd::Exit(0), &b"second"[..]));
    }
    assert_eq!(run(folder.path(), "tmutil", &["other"], long).end, CallEnd::Signal(9));
    assert_eq!(run(folder.path(), "ioreg", &[], long).end, CallEnd::NotFound);
    assert_eq!(run(folder.path(), "sh", &[], long).end, CallEnd::NotFound);
    let calls = fs::read_to_string(folder.path().join("calls.log")).unwrap();
    assert_eq!(calls, "tmutil\tstatus\t-X\n".repeat(3) + "tmutil\tother\n");
}

#[test]
fn a_tool_that_hangs_is_killed_with_what_it_started() {
    let folder =
        stand_ins(&["mount"], r#"answer = [{ tool = "mount", stdout = "a", grandchild_s = 30, hang = true }]"#);
    let began = Instant::now();
    let captured = run(folder.path(), "mount", &[], DEADLINE);
    assert_eq!((captured.end, captured.stdout.as_slice()), (CallEnd::TimedOut, &b"a"[..]));
    assert!(captured.took >= DEADLINE);
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[test]
fn pipes_that_something_else_holds_open_delay_no_answer() {
    let folder = stand_ins(&["mount"], r#"answer = [{ tool = "mount", stdout = "a", grandchild_s = 3 }]"#);
    let captured = run(folder.path(), "mount", &[], Duration::from_secs(20));
    assert_eq!((captured.end, captured.stdout.as_slice()), (CallEnd::Exit(0), &b"a"[..]));
    assert!(captured.took < Duration::from_secs(2));
}

#[test]
fn both_pipes_are_drained() {
    let script = r#"answer = [{ tool = "ioreg", stdout = "0123456789\n", stderr = "abcdefghi\n", times = 50000 }]"#;
    let folder = stand_ins(&["ioreg"], script);
    let captured = run(folder.path(), "ioreg", &["-a"], Duration::from_secs(20));
    assert_eq!(captured.end, CallEnd::Exit(0));
    assert_eq!((captured.stdout.len(), captured.stderr.len()), (550_000, 500_000));
}

#[test]
fn a_tool_that_prints_for_ever_is_cut() {
    let folder = stand_ins(&["pmset"], r#"answer = [{ tool = "pmset", stdout = "and so on\n", forever = true }]"#);
    let captured = run(folder.path(), "pmset", &[], DEADLINE);
    assert_eq!(captured.end, CallEnd::TimedOut);
    assert!(!captured.stdout.is_empty());
    assert!(captured.stdout.len() <= 64 << 20);
}

#[test]
fn the_log_comes_through_the_inbox() {
    let folder = stand_ins(
        &["log"],
        r#"
        answer = [
            { tool = "log", args = ["stream"], lines = [{ text = "one" }, { text = "two" }], stderr = "gone", exit = 7 },
            { tool = "log", args = ["stream"], lines = [{ text = "three" }], hang = true },
            { tool = "log", args = ["show"], stdout = "past\n" },
            { tool = "log", args = ["show"], stderr = "no", exit = 77 },
        ]"#,
    );
    let mut mac = RealMac::new(Toolbox::folder(folder.path()).unwrap()).unwrap();
    let soon = Duration::from_secs(20);
    mac.start_stream(LogStyle::Ndjson);
    assert_eq!(mac.next(soon), Wake::LogLine("one".to_owned()));
    assert_eq!(mac.next(soon), Wake::LogLine("two".to_owned()));
    assert_eq!(mac.next(soon), Wake::LogEnded { exit: Some(7), stderr: "gone".to_owned() });
    mac.start_stream(LogStyle::Syslog);
    assert_eq!(mac.next(soon), Wake::LogLine("three".to_owned()));
    mac.stop_stream();
    let until = mac.now().elapsed + Duration::from_millis(50);
    assert_eq!(mac.next(until), Wake::Tick);
    let now = mac.now();
    assert_eq!(mac.look_back(LogStyle::Ndjson, now.wall, soon), LookBack::Lines(vec!["past".to_owned()]));
    let failed = LookBack::Failed { exit: Some(77), why: "no".to_owned() };
    assert_eq!(mac.look_back(LogStyle::Ndjson, now.wall, soon), failed);
    let calls = fs::read_to_string(folder.path().join("calls.log")).unwrap();
    assert!(calls.contains("--style\tsyslog\t--predicate\tsubsystem == \"com.apple.TimeMachine\"\n"), "{calls}");
}
