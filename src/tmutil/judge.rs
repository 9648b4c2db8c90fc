//! Whether a call was answered, and why not.

use crate::ports::{Call, CallEnd, Captured};

/// The exit code with which `tmutil` asks for Full Disk Access (checked by other programs on 11 to 13).
const EXIT_NO_ACCESS: i32 = 80;

/// Why a call gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no such tool.
    #[error("{tool} does not exist on this system")]
    NotFound {
        /// Its name.
        tool: String,
    },
    /// The recording holds no such call.
    #[error("{call} is not in the recording")]
    NotRecorded {
        /// The command line.
        call: String,
    },
    /// macOS wants the program that calls to have Full Disk Access.
    #[error("{call} requires Full Disk Access")]
    NotPermitted {
        /// The command line.
        call: String,
    },
    /// Only root may do this.
    #[error("{call} requires root privileges")]
    NeedsRoot {
        /// The command line.
        call: String,
    },
    /// It was killed or could not be started.
    #[error("{call} {why}")]
    NoAnswer {
        /// The command line.
        call: String,
        /// What became of it.
        why: String,
    },
    /// It ran to its deadline.
    #[error("{call} {why}")]
    TimedOut {
        /// The command line.
        call: String,
        /// How long it was waited for, in words.
        why: String,
    },
    /// It ended with an exit code other than 0.
    #[error("{call} failed with exit code {code}{}", said.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Exit {
        /// The command line.
        call: String,
        /// The exit code.
        code: i32,
        /// The first line of what it complained.
        said: Option<String>,
    },
}

impl Refusal {
    /// What a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotFound { .. } => Some("this needs a Mac; elsewhere --replay DIR plays a recording"),
            Self::NotPermitted { .. } => Some(
                "give your terminal Full Disk Access: System Settings > Privacy & Security > Full Disk Access, then open a new window",
            ),
            Self::NeedsRoot { .. } => Some("run it again with sudo"),
            Self::TimedOut { .. } => Some("a disk or a server may not answer; --deadline allows more time"),
            Self::NotRecorded { .. } | Self::NoAnswer { .. } | Self::Exit { .. } => None,
        }
    }
}

/// Judges the answer to a call. Exit code 0 proves nothing with `tmutil`, so complaints count whatever the code.
pub fn judge(call: &Call, captured: &Captured) -> Result<(), Refusal> {
    let line = call.command_line();
    let why = captured.problem().unwrap_or_default();
    let code = match &captured.end {
        CallEnd::NotFound => return Err(Refusal::NotFound { tool: call.tool.clone() }),
        CallEnd::NotRecorded => return Err(Refusal::NotRecorded { call: line }),
        CallEnd::TimedOut => return Err(Refusal::TimedOut { call: line, why }),
        CallEnd::Signal(_) | CallEnd::Failed(_) => return Err(Refusal::NoAnswer { call: line, why }),
        CallEnd::Exit(code) => *code,
    };
    let is_tmutil = call.tool == "tmutil";
    if is_tmutil && (code == EXIT_NO_ACCESS || complains(captured, "requires Full Disk Access")) {
        return Err(Refusal::NotPermitted { call: line });
    }
    if complains(captured, "requires root privileges") {
        return Err(Refusal::NeedsRoot { call: line });
    }
    if code == 0 {
        return Ok(());
    }
    let said = first_line(&captured.stderr).or_else(|| first_line(&captured.stdout));
    Err(Refusal::Exit { call: line, code, said })
}

/// Whether a line of either stream says so. On stdout only the tool's own complaints count, which name it or its verb
/// first: a volume may be called anything.
fn complains(captured: &Captured, what: &str) -> bool {
    let stderr = String::from_utf8_lossy(&captured.stderr);
    let stdout = String::from_utf8_lossy(&captured.stdout);
    stderr.contains(what)
        || stdout.lines().any(|line| {
            let line = line.trim_start_matches("tmutil: ");
            line.split_once(' ')
                .is_some_and(|(verb, rest)| verb.bytes().all(|b| b.is_ascii_lowercase()) && rest.starts_with(what))
        })
}

fn first_line(stream: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stream);
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| line.chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn judged(end: CallEnd, stdout: &str, stderr: &str) -> Result<(), String> {
        let call = Call::new("tmutil", &["latestbackup"], Duration::from_secs(20));
        let captured = Captured {
            started: Duration::ZERO,
            took: Duration::from_secs(20),
            end,
            stdout: stdout.into(),
            stderr: stderr.into(),
        };
        judge(&call, &captured).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn each_cause_has_its_own_words() {
        let said = |end, stdout, stderr| judged(end, stdout, stderr).unwrap_err();
        assert_eq!(said(CallEnd::NotFound, "", ""), "tmutil does not exist on this system");
        assert_eq!(said(CallEnd::NotRecorded, "", ""), "tmutil latestbackup is not in the recording");
        assert_eq!(said(CallEnd::TimedOut, "", ""), "tmutil latestbackup gave no answer within 20 s");
        assert_eq!(said(CallEnd::Signal(9), "", ""), "tmutil latestbackup was ended by signal 9");
        assert_eq!(
            said(CallEnd::Failed("no memory".into()), "", ""),
            "tmutil latestbackup could not be started: no memory"
        );
        assert_eq!(said(CallEnd::Exit(80), "", ""), "tmutil latestbackup requires Full Disk Access");
        assert_eq!(
            said(CallEnd::Exit(1), "", "disable requires root privileges."),
            "tmutil latestbackup requires root privileges"
        );
        assert_eq!(
            said(CallEnd::Exit(64), "", "\nWrong use.\nMore.\n"),
            "tmutil latestbackup failed with exit code 64: Wrong use."
        );
        assert_eq!(
            said(CallEnd::Exit(1), "No machine directory found for host.\n", ""),
            "tmutil latestbackup failed with exit code 1: No machine directory found for host."
        );
        assert_eq!(said(CallEnd::Exit(1), "", ""), "tmutil latestbackup failed with exit code 1");
    }

    #[test]
    fn a_complaint_counts_on_either_stream_whatever_the_code() {
        let complaint = "tmutil: latestbackup requires Full Disk Access privileges.\nTo allow ...\n";
        for (stdout, stderr) in [(complaint, ""), ("", complaint)] {
            assert!(judged(CallEnd::Exit(0), stdout, stderr).is_err());
        }
        assert_eq!(judged(CallEnd::Exit(0), "/Volumes/It requires Full Disk Access/x\n", ""), Ok(()));
        assert_eq!(judged(CallEnd::Exit(0), "{ }", "XPC error\n"), Ok(()));
    }
}
