//! Paths of files are cut off after the home folder, or after the volume in a backup.

use std::sync::LazyLock;

use regex::Regex;

use super::letters::escaped;
use super::regex;

/// What is put in the place of the rest of a path.
const REST: char = '…';

/// What can come after a path besides quotes and the end of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// In the answer of a tool: also ` (` and ` on `, as in that of `mount`.
    Answer,
    /// In a line of the log, where those are part of a file's name.
    Log,
}

/// Cuts off all paths of files in a text.
pub(super) fn cut(text: &str, ends: Ends) -> String {
    let mut new = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = next_cut(rest, ends) {
        let (kept, dropped) = rest.split_at(start);
        new.push_str(kept);
        new.push(REST);
        // A path in apostrophes ends at one; others may hold some.
        let quoted = kept.rsplit(['\n', ' ']).next().is_some_and(|word| word.contains('\'')) || in_apostrophes(kept);
        rest = dropped.get(path_length(dropped, ends, quoted)..).unwrap_or_default();
    }
    new.push_str(rest);
    new
}

fn in_apostrophes(kept: &str) -> bool {
    kept.rfind(" '/").is_some_and(|open| !kept[open + 3..].contains("' "))
}

/// Where the part begins that the next path loses.
fn next_cut(text: &str, ends: Ends) -> Option<usize> {
    static HEADS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        // A slash may be escaped.
        let common = [
            r"(?:^|[/\x22'\s])Users\\?/[^/\\\x22'<>\s]+\\?/",
            r"/\d{4}-\d\d-\d\d-\d{6}(?:\.[A-Za-z]+)?\\?/(?:[[:xdigit:]-]{36}\\?/)?(?:[^/\\\x22<>\n:]|:[^ /])+\\?/",
        ];
        let log = [
            r"Current: \\?\x22(?:Users\\?/[^/\\\x22\n]+\\?/)?",
            r"Current: [^\x22\n/\\]*(?:\\?/\([^\x22\n/]*\))? - (?:\\?/(?:Volumes|Users)\\?/[^/\\\x22\n]+\\?/)?",
            r"Last path seen: (?:(?:\\?/System\\?/Volumes\\?/Data)?\\?/(?:Volumes|Users)\\?/[^/\\\x22\n]+\\?/)?",
            r"(?:^\\?|[^am\\]|[^am]\\)/Volumes\\?/(?:[^./\\\x22<>\n:][^/\\\x22<>\n:]*)\\?/",
        ];
        common.iter().chain(&log).map(|head| regex(head)).collect()
    });
    let count = if ends == Ends::Log { HEADS.len() } else { 2 };
    HEADS.iter().take(count).filter_map(|head| first_end(head, text)).min()
}

fn first_end(head: &Regex, text: &str) -> Option<usize> {
    head.find_iter(text)
        .filter(|found| {
            let after = text.get(found.end()..).unwrap_or_default();
            let leads_into_backups = found.as_str().contains("Volumes") && is_of_backups(after);
            let is_command = found.as_str().contains(" to /") || found.as_str().contains("com.apple.");
            !after.is_empty() && !after.starts_with(REST) && !leads_into_backups && !is_command
        })
        .map(|found| found.end())
        .next()
}

/// Whether what comes in a volume are Time Machine's own folders.
fn is_of_backups(after: &str) -> bool {
    static OWN: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^(?:\.|Backups\.backupdb|\d{4}-\d\d-\d\d-\d{6}|[[:xdigit:]-]{36}",
            r"|[^/\\\x22<>\n]+\.(?:sparsebundle|backupbundle|purgeable))",
        ))
    });
    OWN.is_match(after)
}

/// How many bytes the rest of a path takes.
fn path_length(text: &str, ends: Ends, quoted: bool) -> usize {
    const BOTH: [&str; 7] = [" to destination: ", " to /", " to (null)", " to '", " to \"", ", error", " error:"];
    const ANSWER: [&str; 2] = [" (", " on /"];
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(plain) = rest.chars().next() else { break };
        let (letter, length) = if plain == '\\' { escaped(rest) } else { None }.unwrap_or((plain, plain.len_utf8()));
        let closes = quoted && letter == '\'' && !rest[1..].starts_with(char::is_alphanumeric);
        let ended = matches!(letter, '"' | '\n' | '\r' | '<' | '\u{201d}')
            || closes
            || BOTH.iter().any(|end| rest.starts_with(end))
            || (ends == Ends::Answer && ANSWER.iter().any(|end| rest.starts_with(end)));
        if ended {
            return at;
        }
        at += length;
    }
    text.len()
}
