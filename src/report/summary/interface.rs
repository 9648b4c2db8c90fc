//! What is said of the way to the destination.

use crate::domain::backup::Backup;
use crate::domain::link::{Confidence, Link, LinkKind, Seen};
use crate::report::human;

/// From which share of the practical rate on a link is what limits the copy.
const LIMITING_SHARE: f64 = 0.8;

/// The interface in up to three lines: what it is, what hangs on it, and whether it limits.
pub(super) fn lines(backup: &Backup) -> Vec<String> {
    let Some(link) = backup.link() else { return vec!["not looked at".to_owned()] };
    if link.kind == LinkKind::Unknown {
        return vec![unknown(link)];
    }
    let mut lines = vec![format!("{}; {}{}", kind(link), confidence(link), at_the_end(&backup.links))];
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
        Some(link) => format!("{}, {}", link.kind.short(), rate(link)),
    }
}

fn rate(link: &Link) -> String {
    link.negotiated_bps.map_or_else(|| "rate unknown".to_owned(), human::link_rate)
}

fn unknown(link: &Link) -> String {
    match link.evidence.last() {
        Some(evidence) => format!("unknown: {}, {} = {}", evidence.tool, evidence.key, evidence.value),
        None => "unknown".to_owned(),
    }
}

fn kind(link: &Link) -> String {
    let (short, long) = (link.kind.short(), link.kind.long());
    let label = if short == long { short.to_owned() } else { format!("{short} ({long})") };
    format!("{label}, {}", rate(link))
}

fn confidence(link: &Link) -> String {
    let word = |confidence| match confidence {
        Confidence::Certain => "certain",
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
        Confidence::None => "unproven",
    };
    let (kind, rate) = (word(link.kind_confidence), word(link.rate_confidence));
    match link.negotiated_bps {
        Some(_) if kind == "certain" && rate == "certain" => "certain".to_owned(),
        Some(_) => format!("kind {kind}, rate {rate}"),
        None => format!("kind {kind}"),
    }
}

/// Whether the link was the same after the backup.
fn at_the_end(links: &[Link]) -> String {
    let before = links.iter().find(|link| link.seen == Seen::Before);
    let after = links.iter().rev().find(|link| link.seen == Seen::After);
    match (before, after) {
        (Some(a), Some(b)) if (a.kind, a.negotiated_bps) == (b.kind, b.negotiated_bps) => {
            ", and the same at the end".to_owned()
        }
        (Some(a), Some(b)) if a.kind == b.kind => format!("; {} at the start, {} at the end", rate(a), rate(b)),
        (Some(a), Some(b)) => format!("; {} at the start, {} at the end", a.kind.short(), b.kind.short()),
        _ => String::new(),
    }
}

fn device(link: &Link) -> Option<String> {
    let name = link.device.as_ref().map(|device| match &link.vendor {
        Some(vendor) if !device.starts_with(vendor.as_str()) => format!("{vendor} {device}"),
        _ => device.clone(),
    });
    let mut parts: Vec<String> = name.into_iter().chain(link.transport.clone()).collect();
    if !link.chain.is_empty() {
        let elements = link.chain.iter().map(|element| {
            let name = element.name.as_deref().unwrap_or(&element.kind);
            element.negotiated_bps.map_or_else(|| name.to_owned(), |bps| format!("{name} at {}", human::link_rate(bps)))
        });
        parts.push(format!("behind {}", elements.collect::<Vec<_>>().join(", ")));
    } else if has_ports(link.kind) && link.kind_confidence == Confidence::Certain {
        parts.push("on a port of the Mac itself".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Whether hubs and docks of this kind are part of the evidence, so that their absence says something.
fn has_ports(kind: LinkKind) -> bool {
    ["usb", "thunderbolt-", "firewire-"].iter().any(|family| kind.key().starts_with(family))
        && !matches!(kind, LinkKind::ThunderboltIp | LinkKind::FireWireIp)
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
