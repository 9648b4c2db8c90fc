//! What `doctor` found, for people.

use super::human::counted;
use super::style::{DIM, GREEN, Style, YELLOW};
use super::text::{escape, pad_end, wrap};
use crate::domain::check::{Check, State};

/// Where the text of a check begins.
const TEXT: usize = 27;

/// The lines of a `doctor`.
pub fn lines(checks: &[Check], style: &Style) -> Vec<String> {
    let system = format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH);
    let mut lines = vec![format!("tmgauge {} on {system}", env!("CARGO_PKG_VERSION")), String::new()];
    for check in checks {
        let (word, ink) = match check.state {
            State::Ok => ("ok", GREEN),
            State::No => ("NO", YELLOW),
            State::Unknown => ("?", YELLOW),
            State::NotHere => ("–", DIM),
        };
        let mark = style.paint(ink, &pad_end(&style.glyphs(word), 4));
        lines.extend(paragraph(&format!("  {mark}  {}", pad_end(&check.name, 17)), &check.detail, style));
        let more = [("without it", &check.without), ("what to do", &check.remedy)];
        for (label, text) in more.into_iter().filter_map(|(label, text)| Some((label, text.as_ref()?))) {
            lines.extend(paragraph(&format!("        {}", pad_end(label, 17)), text, style));
        }
    }
    lines.push(String::new());
    lines.push(style.paint(super::style::BOLD, &conclusion(checks)));
    lines
}

/// A label and its text, which goes on below itself.
fn paragraph(label: &str, text: &str, style: &Style) -> Vec<String> {
    let room = style.width.map(|width| width.saturating_sub(TEXT).max(20));
    let text = style.glyphs(&escape(text));
    let mut lines = Vec::new();
    for (i, part) in wrap(&text, room).into_iter().enumerate() {
        let before = if i == 0 { format!("{label}  ") } else { " ".repeat(TEXT) };
        lines.push(format!("{before}{part}"));
    }
    lines
}

fn conclusion(checks: &[Check]) -> String {
    let missing = checks.iter().filter(|check| check.state == State::No).count();
    let measures = !checks.iter().any(|check| check.state == State::NotHere && check.name == "Apple's tools");
    let next = if measures { "tmgauge run" } else { "tmgauge run --replay DIR, or tmgauge analyze FILE" };
    if missing == 0 {
        return format!("Nothing to do. Next: {next}");
    }
    let things = counted(u64::try_from(missing).unwrap_or(u64::MAX), "thing", "things");
    format!("{things} to do. Next: {next}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_no_says_what_is_lost_and_what_to_do() {
        let checks = [
            Check::new("log", State::Ok, "readable"),
            Check::new("Full Disk Access", State::No, "not granted").mend("less is known", "grant it"),
        ];
        let lines = lines(&checks, &Style::default());
        assert_eq!(
            lines[2..],
            [
                "  ok    log                readable",
                "  NO    Full Disk Access   not granted",
                "        without it         less is known",
                "        what to do         grant it",
                "",
                "1 thing to do. Next: tmgauge run",
            ]
        );
    }

    #[test]
    fn on_a_terminal_long_texts_go_on_below_themselves() {
        let check = Check::new("log", State::Ok, "word ".repeat(20).trim_end());
        let style = Style { width: Some(60), ..Style::default() };
        let lines = lines(&[check], &style);
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{lines:#?}");
        assert!(lines[3].starts_with(&" ".repeat(TEXT)));
    }
}
