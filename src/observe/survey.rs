//! What can be known on this Mac, and everything that a first look at one should tell.

use std::time::Duration;

use chrono::TimeDelta;

use super::patience::Patience;
use crate::domain::check::{Check, State};
use crate::domain::destination::Destination;
use crate::links;
use crate::logs;
use crate::ports::{Call, CallEnd, Captured, Inbox, LogStyle, LookBack, Mac, Signal, Wake};
use crate::tmutil::{destinations, status};

/// How long the gathering may take in all.
const BUDGET: Duration = Duration::from_secs(110);
/// How far back the log is gathered.
const LOG_BACK: TimeDelta = TimeDelta::hours(26);

/// Asks what works here.
pub fn check(mac: &mut dyn Mac, deadline: Option<Duration>, full_disk_access: Option<bool>) -> Vec<Check> {
    let patience = Patience::new(deadline);
    let status = mac.run(&patience.deadlines.status());
    if status.end == CallEnd::NotFound {
        return vec![Check::new(
            "Apple's tools",
            State::NotHere,
            "none here: `run` and `watch` need a Mac, or a recording",
        )];
    }
    let mut checks = vec![status_check(&status)];
    let answer = mac.run(&patience.deadlines.destinationinfo());
    checks.push(destinations_check(&answer));
    let answer = mac.run(&patience.deadlines.sw_vers());
    checks.push(release_check(&answer));
    let now = mac.now();
    checks.push(log_check(&mac.look_back(LogStyle::Ndjson, now.wall - TimeDelta::hours(1), patience.deadlines.other)));
    checks.push(access_check(full_disk_access));
    checks
}

fn status_check(answer: &Captured) -> Check {
    let name = "backup status";
    if let Some(problem) = answer.problem() {
        return Check::new(name, State::No, format!("`tmutil status -X` {problem}"))
            .mend("nothing can be measured", "restart the Mac if it persists; --deadline waits longer");
    }
    match status::parse_status(&answer.stdout) {
        Ok(sample) if sample.running => Check::new(name, State::Ok, "readable; a backup is running"),
        Ok(_) => Check::new(name, State::Ok, "readable; no backup is running"),
        Err(error) => Check::new(name, State::No, format!("not understood: {error}"))
            .mend("nothing can be measured", "send the output of `tmutil status -X` in a report"),
    }
}

fn destinations_check(answer: &Captured) -> Check {
    let name = "destinations";
    match answer.problem().map_or_else(|| destinations::parse_destinations(&answer.stdout).ok(), |_| None) {
        None => Check::new(name, State::Unknown, "`tmutil destinationinfo -X` gave no usable answer"),
        Some(none) if none.is_empty() => Check::new(name, State::No, "none is configured")
            .mend("there is nothing to back up to", "System Settings > General > Time Machine > Add Backup Disk"),
        Some(found) => {
            let list: Vec<String> = found.iter().map(words).collect();
            Check::new(name, State::Ok, format!("{}: {}", found.len(), list.join(", ")))
        }
    }
}

fn words(destination: &Destination) -> String {
    let mounted = if destination.mount_point.is_some() { "mounted" } else { "not mounted" };
    format!("{} ({mounted})", destination.name.as_deref().unwrap_or("without a name"))
}

fn release_check(answer: &Captured) -> Check {
    let name = "macOS release";
    let text = String::from_utf8_lossy(&answer.stdout);
    let Some(version) = links::sw_vers::field(&text, "ProductVersion") else {
        return Check::new(name, State::Unknown, "`sw_vers` gave no usable answer");
    };
    if logs::release_is_known(&version) {
        Check::new(name, State::Ok, format!("{version}, whose messages are known"))
    } else {
        Check::new(name, State::No, format!("{version}, whose messages are not known")).mend(
            "bytes, phases and times work; the verdict may stay unknown",
            "`tmgauge doctor --record DIR` during a backup gathers what is needed to learn them",
        )
    }
}

fn log_check(answer: &LookBack) -> Check {
    let name = "log";
    match answer {
        LookBack::Lines(_) => Check::new(name, State::Ok, "readable"),
        LookBack::Failed { why, .. } => Check::new(name, State::No, format!("not readable: {why}")).mend(
            "the outcome of backups and their exact bytes stay unknown",
            "an administrator of the Mac can read it; a recording holds what could be read when it was made",
        ),
    }
}

fn access_check(full_disk_access: Option<bool>) -> Check {
    let name = "Full Disk Access";
    match full_disk_access {
        Some(true) => Check::new(name, State::Ok, "granted"),
        Some(false) => Check::new(name, State::No, "not granted to the program that runs tmgauge").mend(
            "measuring works; what past backups left on the disk (sizes, durations) can't be read",
            "System Settings > Privacy & Security > Full Disk Access: switch on your terminal, then open a new window",
        ),
        None => Check::new(name, State::NotHere, "can't be told from a recording"),
    }
}

/// What is asked for once. None of it touches a destination.
const TABLES: &[(&str, &[&str])] = &[
    ("sw_vers", &[]),
    ("sysctl", &["-n", "hw.model"]),
    ("sysctl", &["-n", "hw.memsize"]),
    ("sysctl", &["-n", "machdep.cpu.brand_string"]),
    ("sysctl", &["-n", "debug.lowpri_throttle_enabled"]),
    ("mount", &[]),
    ("ifconfig", &["-v"]),
    ("netstat", &["-anv", "-p", "tcp"]),
    ("networksetup", &["-listallhardwareports"]),
    ("ioreg", &["-a", "-l", "-r", "-c", "IOUSBHostDevice"]),
    ("ioreg", &["-a", "-l", "-r", "-c", "IOThunderboltPort"]),
    ("pmset", &["-g", "batt"]),
    ("pmset", &["-g", "log"]),
];

/// What is asked for only while no backup runs, because it may touch a destination.
const ONLY_AT_IDLE: &[(&str, &[&str])] = &[
    ("diskutil", &["list", "-plist"]),
    ("diskutil", &["appleRAID", "list", "-plist"]),
    ("hdiutil", &["info", "-plist"]),
    ("system_profiler", &["-xml", "SPUSBDataType"]),
    ("system_profiler", &["-xml", "SPUSBHostDataType"]),
    ("system_profiler", &["-xml", "SPThunderboltDataType"]),
    ("system_profiler", &["-xml", "SPStorageDataType"]),
    ("system_profiler", &["-xml", "SPSerialATADataType"]),
    ("system_profiler", &["-xml", "SPNVMeDataType"]),
    ("system_profiler", &["-xml", "SPAirPortDataType"]),
    ("smbutil", &["statshares", "-a", "-f", "JSON"]),
    ("smbutil", &["multichannel", "-a", "-f", "JSON"]),
];

/// Asks for everything that a first look at a Mac should tell, for a recording, in two minutes at most. Says how many
/// answers came.
pub fn gather(mac: &mut dyn Mac, deadline: Option<Duration>, say: &mut dyn FnMut(&str)) -> usize {
    let patience = Patience::new(deadline);
    let end = mac.now().elapsed + BUDGET;
    let mut answers = 0;
    let mut ask = |mac: &mut dyn Mac, call: &Call| {
        let answer = mac.run(call);
        answers += usize::from(answer.problem().is_none());
        answer
    };
    ask(mac, &patience.deadlines.destinationinfo());
    let first = ask(mac, &patience.deadlines.status());
    let idle = status::parse_status(&first.stdout).is_ok_and(|sample| !sample.running);
    let at_idle: &[(&str, &[&str])] = if idle { ONLY_AT_IDLE } else { &[] };
    if !idle {
        say("a backup may be running: what could touch its disk is left out; run this again when none is");
    }
    for (tool, args) in TABLES.iter().chain(at_idle) {
        if mac.now().elapsed >= end {
            break;
        }
        say(&format!("asking {tool} {}", args.join(" ")));
        let deadline = if *tool == "system_profiler" { patience.deadlines.tmutil } else { patience.deadlines.other };
        ask(mac, &Call::new(tool, args, deadline));
    }
    let now = mac.now();
    if now.elapsed < end {
        say("reading the log");
        mac.look_back(LogStyle::Ndjson, now.wall - LOG_BACK, end.saturating_sub(now.elapsed).min(patience.tail * 4));
    }
    if !idle {
        follow(mac, &patience, end, &mut ask);
    }
    answers
}

/// Polls the status of a backup that runs and follows the log until the time is over.
fn follow(mac: &mut dyn Mac, patience: &Patience, end: Duration, ask: &mut dyn FnMut(&mut dyn Mac, &Call) -> Captured) {
    mac.start_stream(LogStyle::Ndjson);
    let mut next = mac.now().elapsed;
    while next < end {
        ask(mac, &patience.deadlines.status());
        next = mac.now().elapsed + Duration::from_secs(1);
        while mac.now().elapsed < next {
            if let Wake::Signal(Signal::End(_)) | Wake::Ended = Inbox::next(mac, next) {
                mac.stop_stream();
                return;
            }
        }
    }
    mac.stop_stream();
}
