//! The one end-to-end test: the program with real processes, which start, go on, hang, fail, speak late, print garbage
//! or print for ever. It is the only test that waits; all of it takes less than ten seconds.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{Place, Run};
use crate::doors::stand_ins;
use crate::mac::{self, ANVIL, PREAMBLE, QUARRY, copying, idle, phase};

/// Much longer than anything here takes.
const LONG: Duration = Duration::from_secs(20);
const COMPLETED: &str = "Completed backup: 2026-03-14-090100.backup";
const DROPPED: &str = "=== Messages dropped during live streaming (use `log show` to see what they were)";

/// A Mac of stand-ins, and a home to measure it from.
struct Scene {
    tools: TempDir,
    place: Place,
}

/// An answer of the script: the words it answers, and what it does.
fn answer(words: &[&str], does: &str) -> String {
    let (tool, args) = words.split_first().unwrap();
    format!("{{ tool = \"{tool}\", args = {args:?}, {does} }},\n")
}

fn prints(words: &[&str], text: &str) -> String {
    answer(words, &format!("stdout = '''\n{text}'''"))
}

fn status(text: &str) -> String {
    prints(&["tmutil", "status"], text)
}

/// A stream of log lines, each with the number of polls it waits for.
fn stream(lines: &[(usize, String)], then: &str) -> String {
    let line = |(polls, text): &(usize, String)| format!("{{ after_polls = {polls}, text = '''{text}''' }}");
    let lines: Vec<String> = lines.iter().map(line).collect();
    answer(&["log", "stream"], &format!("lines = [{}], {then}", lines.join(", ")))
}

/// A line of the log, written now.
fn says(message: &str) -> String {
    mac::log_line("{now}", message)
}

/// The usual stream: the start line, and what else is said and when.
fn talk(more: &[(usize, &str)]) -> String {
    let mut lines = vec![(0, PREAMBLE.to_owned()), (2, says("Starting manual backup"))];
    lines.extend(more.iter().map(|(polls, message)| (*polls, says(message))));
    stream(&lines, "hang = true")
}

/// From idle to the copy, which goes on for ever unless more is added.
fn under_way() -> String {
    [idle(), phase("Starting"), copying(100), copying(500), copying(900)].iter().map(|text| status(text)).collect()
}

fn none_before() -> String {
    status(&idle())
}

impl Scene {
    /// A Mac with the usual destination, whose start command works.
    fn new(script: &str) -> Self {
        Self::with_destinations(&mac::quarry(), script)
    }

    fn with_destinations(destinations: &str, script: &str) -> Self {
        let usual = [
            prints(&["tmutil", "destinationinfo"], destinations),
            prints(&["tmutil", "startbackup"], ""),
            prints(&["sw_vers"], "ProductName:\tmacOS\nProductVersion:\t13.2\nBuildVersion:\t22D68\n"),
        ];
        let script = format!("answer = [\n{}{script}]\n", usual.concat());
        Self { tools: stand_ins(&["tmutil", "log", "sw_vers"], &script), place: Place::new() }
    }

    fn args<'a>(&'a self, command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let mut args = vec![command, "--tools", self.tools.path().to_str().unwrap()];
        args.extend(["--interval", "50ms", "--format", "json"]);
        args.extend(more);
        args
    }

    fn run(&self, more: &[&str]) -> Run {
        let mut args = self.args("run", &["--deadline", "300ms"]);
        args.extend(more);
        self.place.run(&args)
    }

    /// Starts it and leaves it running.
    fn start(&self, more: &[&str]) -> Running {
        let args = self.args("run", more);
        let mut command = Command::new(env!("CARGO_BIN_EXE_tmgauge"));
        command.env_clear().envs(self.place.environment()).args(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(command.spawn().unwrap())
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.tools.path().join("calls.log")).unwrap_or_default()
    }

    fn polls(&self) -> usize {
        self.calls().lines().filter(|line| line.starts_with("tmutil\tstatus")).count()
    }

    /// The files in a folder of the state folder.
    fn kept(&self, folder: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.place.home().join(".local/state/tmgauge").join(folder));
        entries.map(|entries| entries.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
    }
}

struct Running(Child);

impl Running {
    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    /// Waits for its end: the exit code or, below zero, the signal.
    fn end(mut self) -> Run {
        use std::os::unix::process::ExitStatusExt as _;
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.0.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        self.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let status = self.0.wait().unwrap();
        let code = status.code().unwrap_or_else(|| -status.signal().unwrap());
        Run { code, stdout, stderr }
    }
}

fn wait_until(what: &str, is: impl Fn() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < LONG, "waited for {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn only(run: &Run) -> Value {
    let backups = run.json()["backups"].as_array().unwrap().clone();
    assert_eq!(backups.len(), 1, "{}", run.stderr);
    backups[0].clone()
}

fn has(backup: &Value, code: &str) -> bool {
    backup["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == code)
}

fn assert_completed(run: &Run) -> Value {
    let backup = only(run);
    assert_eq!((run.code, backup["outcome"].as_str()), (0, Some("completed")), "{backup}\n{}", run.stderr);
    backup
}

#[test]
fn a_backup_is_started_followed_and_measured() {
    let script = under_way() + &talk(&[(6, &mac::result(912_345_678)), (6, COMPLETED)]);
    let scene = Scene::new(&script);
    let run = scene.run(&[]);
    let backup = assert_completed(&run);
    assert_eq!(backup["copied"]["bytes"], 912_345_678);
    assert_eq!(backup["copied"]["bound"], "exact");
    assert!(backup["duration_s"].as_f64().unwrap() > 0.0);
    assert!(backup["throughput"]["effective_bps"].as_f64().unwrap() > 0.0);
    assert_eq!(backup["destination"]["name"], "Quarry");
    assert_eq!(backup["conditions"]["macos"], "13.2");
    assert_eq!(backup["sources"]["copied.bytes"], "log");
    assert_eq!(backup["sources"]["started_at"], "command");
    assert_eq!(backup["sources"]["outcome"], "log");
    assert_eq!(backup["observed"]["complete"], true);
    assert_eq!((scene.kept("records").len(), scene.kept("journals").len()), (1, 0));
    let calls = scene.calls();
    let at = |call: &str| calls.find(call).unwrap_or_else(|| panic!("{call} in {calls}"));
    let order =
        [at("tmutil\tdestinationinfo"), at("tmutil\tstatus"), at("sw_vers"), at("log\t"), at("tmutil\tstartbackup")];
    assert!(order.is_sorted(), "{calls}");
    assert!(!calls.contains("log\tshow"), "nothing was missed");
}

#[test]
fn a_status_that_hangs_now_and_then_is_a_gap() {
    let answers = [
        under_way(),
        answer(&["tmutil", "status"], "hang = true"),
        answer(&["tmutil", "status"], "garbage = 5000"),
        answer(&["tmutil", "status"], "stdout = 'and so on', forever = true"),
        answer(&["tmutil", "status"], "kill = true"),
        status(&copying(1000)),
    ];
    let run = Scene::new(&(answers.concat() + &talk(&[(10, COMPLETED)]))).run(&[]);
    let backup = assert_completed(&run);
    assert!(has(&backup, "status-gap"), "{backup}");
    assert_eq!(backup["copied"]["bytes"], 1_000_000_000);
}

#[test]
fn a_status_that_never_answers_ends_the_measuring() {
    let hangs = answer(&["tmutil", "status"], "hang = true") + &talk(&[]);
    let scene = Scene::new(&hangs);
    let run = scene.place.run(&scene.args("run", &["--deadline", "60ms"]));
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("never gave a usable answer"), "{}", run.stderr);
}

#[test]
fn a_failure_is_told_with_its_code() {
    let failed = "Backup failed: BACKUP_FAILED_DISCONNECTED_NETWORK (26)";
    let run = Scene::new(&(under_way() + &talk(&[(6, failed)]))).run(&[]);
    let backup = only(&run);
    assert_eq!((run.code, &backup["outcome"], &backup["failure"]["code"]), (4, &"failed".into(), &26.into()));
}

#[test]
fn a_verdict_may_come_after_the_end() {
    let run = Scene::new(&(under_way() + &status(&idle()) + &talk(&[(7, COMPLETED)]))).run(&[]);
    assert_completed(&run);
}

#[test]
fn a_start_that_macos_puts_off_is_told_at_once() {
    let put_off = "Backup failed: BACKUP_DELAYED_NOT_ENOUGH_ELAPSED_TIME (107)";
    let run = Scene::new(&(none_before() + &talk(&[(2, put_off)]))).run(&[]);
    assert_eq!((run.code, &only(&run)["outcome"]), (4, &"deferred".into()));
    assert!(run.stderr.contains("too soon after the last backup"), "{}", run.stderr);
}

#[test]
fn a_start_command_that_fails_is_told() {
    let script =
        none_before() + &talk(&[]) + &answer(&["tmutil", "startbackup", "--destination"], "stderr = 'No.', exit = 1");
    let run = Scene::new(&script).run(&["-d", "Quarry"]);
    assert_eq!(run.code, 4);
    assert!(run.stderr.contains("`tmutil startbackup` ended with 1: No."), "{}", run.stderr);
}

#[test]
fn without_rights_to_the_log_the_outcome_is_unknown() {
    let log = answer(&["log"], "stderr = 'log: Must be admin to run this command', exit = 77");
    let run = Scene::new(&(under_way() + &status(&idle()) + &log)).run(&[]);
    let backup = only(&run);
    assert_eq!((run.code, &backup["outcome"]), (8, &"unknown".into()));
    assert!(has(&backup, "log-unreadable"));
    let (refused, begins) = (run.stderr.find("administrators only"), run.stderr.find("Backup, asked for"));
    assert!(refused.is_some() && refused < begins, "{}", run.stderr);
}

#[test]
fn a_log_without_ndjson_is_read_as_text() {
    let text = |message: &str| {
        format!("{{now}}  localhost backupd[412]: (TimeMachine) [com.apple.TimeMachine:General] {message}")
    };
    let lines = [(0, PREAMBLE.to_owned()), (2, text("Starting manual backup")), (6, text(COMPLETED))];
    let log = answer(&["log", "stream"], "stderr = 'log: unknown style', exit = 64") + &stream(&lines, "hang = true");
    let scene = Scene::new(&(under_way() + &status(&idle()) + &log));
    assert_completed(&scene.run(&[]));
    assert!(scene.calls().contains("--style\tsyslog"), "{}", scene.calls());
}

#[test]
fn a_log_stream_that_ends_is_started_again() {
    let lines = [(0, PREAMBLE.to_owned()), (2, says("Starting manual backup"))];
    let again = [(0, PREAMBLE.to_owned()), (9, says(COMPLETED))];
    let show = prints(&["log", "show"], "");
    let log = stream(&lines, "exit = 0") + &stream(&again, "hang = true") + &show;
    let scene = Scene::new(&(under_way() + &log));
    assert_completed(&scene.run(&[]));
    let calls = scene.calls();
    assert_eq!((calls.matches("log\tstream").count(), calls.matches("log\tshow").count()), (2, 1), "{calls}");
}

#[test]
fn lines_that_were_dropped_are_looked_for_afterwards() {
    let lines = [(0, PREAMBLE.to_owned()), (2, says("Starting manual backup")), (3, DROPPED.to_owned())];
    let show = prints(&["log", "show"], &format!("{}\n{}\n", says(&mac::result(905_000_000)), says(COMPLETED)));
    let run = Scene::new(&(under_way() + &status(&idle()) + &stream(&lines, "hang = true") + &show)).run(&[]);
    let backup = assert_completed(&run);
    assert_eq!(backup["copied"]["bytes"], 905_000_000);
    assert!(!has(&backup, "log-gap"));
}

#[test]
fn a_log_that_prints_for_ever_stops_nothing() {
    let log = answer(&["log", "stream"], "stdout = \"chatter\\n\", forever = true");
    let show = prints(&["log", "show"], &format!("{}\n", says(COMPLETED)));
    assert_completed(&Scene::new(&(under_way() + &status(&idle()) + &log + &show)).run(&[]));
}

#[test]
fn destinations_are_checked_before_anything_starts() {
    let two = [("Quarry", QUARRY, "/Volumes/Quarry"), ("Quarry", ANVIL, "/Volumes/Quarry 1")];
    let nothing = none_before() + &talk(&[]);
    let cases = [
        (mac::destinations(&[]), "Quarry", 4, "no destination is configured"),
        (mac::destinations(&two), "Quarry", 1, ANVIL),
        (mac::quarry(), "Anvil", 1, "Anvil"),
    ];
    for (destinations, name, code, said) in cases {
        let scene = Scene::with_destinations(&destinations, &nothing);
        let run = scene.run(&["-d", name]);
        assert_eq!(run.code, code, "{}", run.stderr);
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert!(!scene.calls().contains("startbackup"));
    }
}

#[test]
fn a_backup_to_another_destination_than_asked_for_is_not_measured() {
    let elsewhere = mac::copying_to(ANVIL, "/Volumes/Anvil", 5);
    let run = Scene::new(&(none_before() + &status(&elsewhere) + &talk(&[]))).run(&["-d", "Quarry"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("another destination"), "{}", run.stderr);
}

#[test]
fn signals_end_the_watching_and_not_the_backup() {
    let scene = Scene::new(&(under_way() + &talk(&[])));
    let running = scene.start(&["--quiet"]);
    wait_until("the copy", || scene.polls() > 5);
    running.signal(Signal::USR1);
    let polls = scene.polls();
    wait_until("the answer", || scene.polls() > polls + 2);
    running.signal(Signal::INT);
    let run = running.end();
    let backup = only(&run);
    assert_eq!((run.code, &backup["outcome"]), (130, &"running".into()));
    assert_eq!(backup["observed"]["complete"], false);
    assert_eq!((&backup["copied"]["bytes"], &backup["copied"]["bound"]), (&900_000_000.into(), &"at_least".into()));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("copying  0:00  900 MB"), "{}", run.stderr);
    assert!(!scene.calls().contains("stopbackup"));
    assert_eq!((scene.kept("records").len(), scene.kept("journals").len()), (1, 0));
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let scene = Scene::new(&(under_way() + &answer(&["tmutil", "status"], "hang = true") + &talk(&[])));
    let running = scene.start(&[]);
    wait_until("the status that hangs", || scene.polls() > 5);
    running.signal(Signal::INT);
    thread::sleep(Duration::from_millis(50));
    let began = Instant::now();
    running.signal(Signal::INT);
    assert_eq!(running.end().code, -Signal::INT.as_raw());
    assert!(began.elapsed() < Duration::from_secs(5), "the usual deadline of tmutil is longer");
    assert_eq!(scene.kept("journals").len(), 1);
}

#[test]
fn what_a_killed_run_had_seen_is_offered_at_the_next_start() {
    let scene = Scene::new(&(under_way() + &talk(&[])));
    let running = scene.start(&[]);
    let journal = || scene.kept("journals").first().map(|path| fs::read_to_string(path).unwrap()).unwrap_or_default();
    wait_until("samples in the journal", || journal().matches("\"type\":\"sample\"").count() > 5);
    running.signal(Signal::KILL);
    assert_eq!(running.end().code, -Signal::KILL.as_raw());
    let next = Scene { tools: Scene::new(&(none_before() + &talk(&[]))).tools, ..scene };
    let run = next.place.run(&next.args("watch", &["--deadline", "300ms"]));
    assert_eq!(run.code, 6);
    let note = run.stderr.lines().find(|line| line.starts_with("note: ")).unwrap_or_default();
    let path = note.rsplit("tmgauge analyze ").next().unwrap();
    assert!(Path::new(path).is_file(), "{}", run.stderr);
    assert_eq!((next.kept("records").len(), next.kept("journals").len()), (1, 0));
    let backup = only(&next.place.run(&["analyze", path, "--format", "json"]));
    assert_eq!((&backup["outcome"], &backup["observed"]["complete"]), (&"running".into(), &false.into()));
    assert_eq!((&backup["copied"]["bytes"], &backup["copied"]["bound"]), (&900_000_000.into(), &"at_least".into()));
    assert_eq!(backup["sources"]["started_at"], "command");
    assert_eq!(backup["destination"]["name"], "Quarry");
}
