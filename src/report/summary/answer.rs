//! The answer, which stands last: how it ended, how much, how long, how fast, over what.

use super::{mega_bits, mega_bytes};
use crate::domain::backup::{Backup, Outcome};
use crate::domain::link::LinkKind;
use crate::report::human;
use crate::report::style::{BOLD, CYAN, GREEN, RED, Style, YELLOW};
use crate::report::text::{escape, wrap};

/// The answer's lines.
pub(super) fn lines(backup: &Backup, style: &Style) -> Vec<String> {
    let head = head(backup);
    let mut lines = Vec::new();
    for (number, line) in
        wrap(&style.glyphs(&format!("{head}{}", figures(backup, style))), style.width).iter().enumerate()
    {
        // Where the head itself was broken, it is only bold.
        lines.push(match line.strip_prefix(&head).filter(|_| number == 0) {
            Some(rest) => format!("{}{}", style.paint(ink(backup.outcome).bold(), &head), style.paint(BOLD, rest)),
            None => style.paint(BOLD, line),
        });
    }
    lines.extend(wrap(&style.glyphs(&escape(&way(backup))), style.width));
    if backup.outcome == Outcome::Failed && backup.observed.is_some() {
        let hint = "`tmgauge watch` records the next attempt; macOS resumes where it stopped";
        let hint = wrap(&format!("hint: {hint}"), style.width);
        lines.extend(hint.iter().map(|line| match line.strip_prefix("hint:") {
            Some(rest) => format!("{}{rest}", style.paint(CYAN, "hint:")),
            None => line.clone(),
        }));
    }
    if let Some(id) = &backup.id {
        lines.push(format!("saved as {}", id.chars().take(6).collect::<String>()));
    }
    lines
}

fn head(backup: &Backup) -> String {
    let failure = backup.failure.as_ref();
    match backup.outcome {
        Outcome::Completed => "Completed".to_owned(),
        Outcome::Failed => match failure.and_then(|failure| failure.code) {
            Some(code) => format!("Failed ({code})"),
            None => "Failed".to_owned(),
        },
        Outcome::Cancelled => "Cancelled".to_owned(),
        Outcome::Deferred => "Put off by macOS".to_owned(),
        Outcome::Interrupted => "Interrupted".to_owned(),
        Outcome::Running => "Still running".to_owned(),
        Outcome::Unknown => "Outcome unknown".to_owned(),
    }
}

fn ink(outcome: Outcome) -> anstyle::Style {
    match outcome {
        Outcome::Completed => GREEN,
        Outcome::Failed => RED,
        _ => YELLOW,
    }
}

fn figures(backup: &Backup, style: &Style) -> String {
    let data = backup.copied.data.map(|data| human::amount_words(data, style.units));
    let time = backup.duration.map(human::words);
    let figures = match (data, time) {
        (Some(data), Some(time)) => format!(": {data} in {time}"),
        (Some(data), None) => format!(": {data}"),
        (None, Some(time)) => format!(" after {time}"),
        (None, None) => String::new(),
    };
    let rate = backup
        .effective_rate()
        .filter(|_| super::rates_are_whole(backup))
        .map(|rate| format!(", {} ({})", mega_bytes(rate, style), mega_bits(rate, style)));
    figures + &rate.unwrap_or_default()
}

fn way(backup: &Backup) -> String {
    let what = if backup.first == Some(true) { "First backup" } else { "Backup" };
    let known = backup.destination.name.as_deref().or(backup.destination.mount_point.as_deref());
    let name = known.unwrap_or("an unknown destination");
    let over = backup.link().filter(|link| link.kind != LinkKind::Unknown);
    format!("{what} to {name}{}", over.map_or_else(String::new, |link| format!(" over {}", link.kind.short())))
}
