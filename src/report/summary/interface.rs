//! What is said of the way to the destination.

use crate::domain::backup::{Backup, WarningCode};
use crate::domain::link::{Confidence, Link, LinkKind, Seen};
use crate::links::{MOMENTS, RATES_SEEN};
use crate::report::{human, way};

/// From which share of the practical rate on a link is what limits the copy.
const LIMITING_SHARE: f64 = 0.8;

/// The interface in up to three lines: what it is, what hangs on it, and whether it limits.
pub(super) fn lines(backup: &Backup) -> Vec<String> {
    let Some(link) = backup.link() else { return vec!["not looked at".to_owned()] };
    if link.kind == LinkKind::Unknown {
        return vec![unknown(link)];
    }
    let mut lines = match changed(backup) {
        Some(moments) => vec![moments],
        None => vec![kind(&backup.links, link)],
    };
    lines.extend(rates_seen(link));
    lines.extend(way::why(link).map(|why| format!("rate unknown: {why}")));
    lines.extend(device(link));
    lines.extend(slower_than_port(link));
    lines.extend(limit(backup, link));
    lines
}

/// The short label with its bit rate.
pub(super) fn short(backup: &Backup) -> String {
    match backup.link() {
        None => "not looked at".to_owned(),
        Some(link) if link.kind == LinkKind::Unknown => unknown(link),
        Some(link) => short_label(link),
    }
}

fn short_label(link: &Link) -> String {
    format!("{}, {}", link.kind.short(), rate(link))
}

fn rate(link: &Link) -> String {
    link.negotiated_bps.map_or_else(|| "rate unknown".to_owned(), human::link_rate)
}

fn unknown(link: &Link) -> String {
    if link.evidence.is_empty() && way::candidates(link).is_empty() {
        return "unknown".to_owned();
    }
    format!("unknown: {}", way::why(link).unwrap_or_else(|| way::reason(link)))
}

fn label(kind: LinkKind) -> String {
    let (short, long) = (kind.short(), kind.long());
    if long.starts_with(short) { long.to_owned() } else { format!("{short} ({long})") }
}

fn confidence(link: &Link) -> String {
    let (kind, rate) = (way::word(link.kind_confidence), way::word(link.rate_confidence));
    match link.negotiated_bps {
        Some(_) if kind == "certain" && rate == "certain" => "certain".to_owned(),
        Some(_) => format!("kind {kind}, rate {rate}"),
        None => format!("kind {kind}"),
    }
}

/// The link with its rate and how sure both are; what changed while the backup ran is said, and also that nothing did.
fn kind(links: &[Link], link: &Link) -> String {
    let before = links.iter().find(|link| link.seen == Seen::Before);
    let after = links.iter().rev().find(|link| link.seen == Seen::After);
    let label = label(link.kind);
    let sure = confidence(link);
    match (before, after) {
        (Some(a), Some(b)) if a.kind != b.kind => {
            format!("{} at the start, {} at the end; {sure}", short_label(a), short_label(b))
        }
        (Some(a), Some(b)) if a.negotiated_bps != b.negotiated_bps => {
            format!("{label}, {} at the start, {} at the end; {sure}", rate(a), rate(b))
        }
        (Some(_), Some(_)) => format!("{label}, {}; {sure}, and the same at the end", rate(link)),
        _ if is_same_at_the_end(link) => format!("{label}, {}; {sure}, and the same at the end", rate(link)),
        _ => format!("{label}, {}; {sure}", rate(link)),
    }
}

/// What it was at each moment, if that was not the same.
fn changed(backup: &Backup) -> Option<String> {
    backup.warnings.iter().find(|warning| warning.code == WarningCode::LinkChanged)?;
    let moment = |link: &Link| {
        let when = match link.seen {
            Seen::Before => "before the start",
            Seen::During => "while it ran",
            Seen::After => "after the end",
            Seen::User | Seen::Past => return None,
        };
        Some(format!("{} {when}", short_label(link)))
    };
    let moments: Vec<String> = backup.links.iter().filter_map(moment).collect();
    Some(format!("changed during the backup: {}", moments.join("; ")))
}

/// What the rate of Wi-Fi was between.
fn rates_seen(link: &Link) -> Option<String> {
    let seen = link.evidence.iter().rfind(|found| found.key == RATES_SEEN)?;
    Some(format!("the rate is the median of {}", seen.value))
}

/// Whether it was seen at the end and before that, and was the same.
fn is_same_at_the_end(link: &Link) -> bool {
    link.evidence.iter().any(|found| found.key == MOMENTS && found.value.ends_with("after"))
}

fn device(link: &Link) -> Option<String> {
    let mut parts: Vec<String> = way::device(link).into_iter().chain(link.transport.clone()).collect();
    if !link.chain.is_empty() {
        let elements = link.chain.iter().map(|element| {
            let name = element.name.as_deref().unwrap_or(&element.kind);
            element.negotiated_bps.map_or_else(|| name.to_owned(), |bps| format!("{name} at {}", human::link_rate(bps)))
        });
        parts.push(format!("behind {}", elements.collect::<Vec<_>>().join(", ")));
    } else if way::has_ports(link.kind) && link.kind_confidence == Confidence::Certain {
        parts.push("on a port of the Mac itself".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn slower_than_port(link: &Link) -> Option<String> {
    let (negotiated, port) = (link.negotiated_bps?, link.port_max_bps?);
    (port > negotiated).then(|| format!("slower than its port, which can do {}", human::link_rate(port)))
}

fn limit(backup: &Backup, link: &Link) -> Option<String> {
    let share = backup.copy_rate()?.share_of(link.practical_bps?)?;
    let not = if share < LIMITING_SHARE { "not " } else { "" };
    Some(format!("{not}limited by the link: copying took {} of the practical rate", human::share(share)))
}
