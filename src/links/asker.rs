//! Asks Apple's tools, each at most once a look, and only those that may be asked at that moment.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use super::value_of::read;
use crate::apple::value::Value;
use crate::domain::link::Seen;
use crate::ports::{Call, CallEnd, Captured, Tools};

/// While a backup runs only these are asked: they read tables of the kernel and never touch the destination.
const ALLOWED_DURING: &[&str] = &["mount", "netstat", "ifconfig", "route", "ioreg", "sysctl", "pmset"];

const SLOW: Duration = Duration::from_secs(20);
const USUAL: Duration = Duration::from_secs(10);

/// What a tool printed, or why it printed nothing, in words that follow the name of the tool.
pub(super) type Answer = Result<Rc<Vec<u8>>, String>;

/// Asks tools at one moment.
pub(super) struct Asker<'a> {
    tools: &'a mut dyn Tools,
    moment: Seen,
    answers: HashMap<String, Answer>,
}

impl<'a> Asker<'a> {
    /// Asks `tools` at `moment`.
    pub(super) fn new(tools: &'a mut dyn Tools, moment: Seen) -> Self {
        Self { tools, moment, answers: HashMap::new() }
    }

    /// When this is.
    pub(super) fn moment(&self) -> Seen {
        self.moment
    }

    /// Asks a tool. Asking the same again gives the first answer.
    pub(super) fn ask(&mut self, tool: &str, args: &[&str]) -> Answer {
        if self.moment == Seen::During && !ALLOWED_DURING.contains(&tool) {
            return Err("is not asked while a backup runs".to_owned());
        }
        let deadline = if tool == "system_profiler" { SLOW } else { USUAL };
        let call = Call::new(tool, args, deadline);
        let line = call.command_line();
        if let Some(answer) = self.answers.get(&line) {
            return answer.clone();
        }
        let answer = judged(self.tools.run(&call));
        self.answers.insert(line, answer.clone());
        answer
    }

    /// Asks a tool for text. What is not UTF-8 becomes U+FFFD.
    pub(super) fn text(&mut self, tool: &str, args: &[&str]) -> Result<String, String> {
        self.ask(tool, args).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Asks a tool for a property list or JSON. No output at all is `None`: it means that nothing matched.
    pub(super) fn value(&mut self, tool: &str, args: &[&str]) -> Result<Option<Value>, String> {
        let bytes = self.ask(tool, args)?;
        if bytes.trim_ascii().is_empty() {
            return Ok(None);
        }
        read(&bytes).map(Some).map_err(|why| format!("gave what can't be read: {why}"))
    }
}

/// A tool that failed may still have printed an answer: diskutil prints its error as a property list.
fn judged(captured: Captured) -> Answer {
    if let Some(problem) = captured.problem() {
        return Err(problem);
    }
    match captured.end {
        CallEnd::Exit(code) if code != 0 && captured.stdout.trim_ascii().is_empty() => {
            Err(format!("ended with exit code {code}"))
        }
        _ => Ok(Rc::new(captured.stdout)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::stand_in::Answers;
    use super::*;

    #[test]
    fn nothing_that_could_touch_the_destination_is_asked_while_a_backup_runs() {
        let mut tools = Answers::default();
        let mut asker = Asker::new(&mut tools, Seen::During);
        for tool in ["diskutil", "hdiutil", "smbutil", "system_profiler", "networksetup", "sw_vers"] {
            assert_eq!(asker.ask(tool, &[]), Err("is not asked while a backup runs".to_owned()));
        }
        assert!(tools.asked.is_empty());
    }

    #[test]
    fn each_call_is_made_once_and_says_why_it_gave_nothing() {
        let mut tools = Answers::default();
        tools.add("mount", &[], b"/dev/disk1 on / (apfs)\n");
        tools.add_exit(
            "diskutil",
            &["info", "-plist", "x"],
            1,
            b"<plist version=\"1.0\"><dict><key>Error</key><true/></dict></plist>",
        );
        tools.add_exit("route", &["-n", "get", "x"], 1, b"");
        tools.add("ioreg", &[], b"");
        let mut asker = Asker::new(&mut tools, Seen::Before);
        assert!(asker.text("mount", &[]).is_ok());
        assert!(asker.text("mount", &[]).is_ok());
        let error = asker.value("diskutil", &["info", "-plist", "x"]).unwrap().unwrap();
        assert_eq!(error.get("Error").unwrap().as_bool(), Some(true));
        assert_eq!(asker.text("route", &["-n", "get", "x"]), Err("ended with exit code 1".to_owned()));
        assert_eq!(asker.value("ioreg", &[]), Ok(None));
        assert_eq!(asker.text("hdiutil", &["info"]), Err("is not in the recording".to_owned()));
        assert_eq!(tools.asked.iter().filter(|line| *line == "mount").count(), 1);
    }
}
