//! What is said once and stays on the screen.

use std::time::Duration;

use chrono::{DateTime, FixedOffset};

use crate::domain::backup::Outcome;
use crate::domain::destination::Destination;
use crate::domain::link::{Confidence, Link, LinkKind};
use crate::ports::News;
use crate::report::human;
use crate::report::text::escape;

/// News in words.
pub(super) fn words(news: &News) -> Vec<String> {
    match news {
        News::Begins { destination, link, first, asked } => intro(destination, link.as_deref(), *first, *asked),
        News::Ended { at, outcome, duration } => vec![ended(*at, *outcome, *duration)],
        News::Note(line) => vec![escape(line)],
        News::Stopped { at, watched } => stopped(*at, *watched).to_vec(),
    }
}

/// Where the backup goes and over what, and how to stop watching.
///
/// `asked` is when the start command was given; without it an already running backup is joined.
pub fn intro(
    destination: &Destination,
    link: Option<&Link>,
    first: Option<bool>,
    asked: Option<DateTime<FixedOffset>>,
) -> Vec<String> {
    let name = escape(destination.name.as_deref().unwrap_or("a destination not known yet"));
    let what = if first == Some(true) { "First backup" } else { "Backup" };
    let when = match asked {
        Some(at) => format!("asked for at {}", human::at_time(at)),
        None => "already running".to_owned(),
    };
    vec![format!("{name}{}", way(link)), format!("{what}, {when}. Ctrl-C ends the watching, not the backup.")]
}

fn way(link: Option<&Link>) -> String {
    let Some(link) = link.filter(|link| link.kind != LinkKind::Unknown) else {
        return "; the interface is unknown".to_owned();
    };
    let rate = link.negotiated_bps.map_or_else(|| "rate unknown".to_owned(), human::link_rate);
    let sure = match (link.kind_confidence, link.rate_confidence, link.negotiated_bps) {
        (Confidence::Certain, Confidence::Certain, Some(_)) => "kind and rate certain",
        (Confidence::Certain, ..) => "kind certain",
        _ => "not certain",
    };
    let remarks: Vec<_> = link.device.iter().map(|device| escape(device)).chain([sure.to_owned()]).collect();
    format!(" over {}, {rate} ({})", link.kind.short(), remarks.join("; "))
}

/// How a backup ended.
pub fn ended(at: DateTime<FixedOffset>, outcome: Outcome, duration: Option<Duration>) -> String {
    let after = duration.map_or_else(String::new, |time| format!(" after {}", human::hms(time)));
    let word = if outcome == Outcome::Unknown { "ended, outcome unknown," } else { outcome.word() };
    format!("{}  {}{after}", human::at_time(at), if after.is_empty() { word.trim_end_matches(',') } else { word })
}

/// That the watching ended before the backup did.
pub fn stopped(at: DateTime<FixedOffset>, since_start: Duration) -> [String; 2] {
    [
        format!("{}  stopped watching after {}; the backup goes on", human::at_time(at), human::clock(since_start)),
        "hint: `tmgauge watch` picks it up again".to_owned(),
    ]
}
