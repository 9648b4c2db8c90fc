//! What is said of a way to a destination: its heading, what lies between, its rates, how sure they are, and why something
//! is unknown.

use chrono::{DateTime, FixedOffset};

use super::human;
use super::style::Units;
use crate::domain::link::{Confidence, Evidence, Link, LinkKind, Seen};
use crate::links;

/// Kinds that have no rate to be known.
const WITHOUT_RATE: &[LinkKind] =
    &[LinkKind::Pcie, LinkKind::AppleFabric, LinkKind::DiskImage, LinkKind::Ram, LinkKind::Virtual, LinkKind::Unknown];

/// Kind, rate and protocol in one line. Of a set of disks or channels the first link stands for the whole.
pub(super) fn heading(links: &[Link]) -> String {
    let Some((whole, parts)) = links.split_first() else { return "not looked at".to_owned() };
    let mut words = vec![kinds(whole, parts)];
    if let Some(bps) = whole.negotiated_bps {
        words.push(human::link_rate(bps));
    } else if !WITHOUT_RATE.contains(&whole.kind) {
        words.push("rate unknown".to_owned());
    }
    if whole.kind != LinkKind::Unknown {
        words.extend(protocol(whole).map(str::to_owned));
    }
    words.join(" · ")
}

fn kinds(whole: &Link, parts: &[Link]) -> String {
    if whole.kind != LinkKind::Mixed || parts.is_empty() {
        return whole.kind.short().to_owned();
    }
    parts.iter().map(|part| part.kind.short()).collect::<Vec<_>>().join(" + ")
}

/// The protocol of a share, without its properties.
fn protocol(link: &Link) -> Option<&str> {
    is_share(link).then(|| link.transport.as_deref()?.split(',').next()).flatten()
}

/// Whether a link leads to a share.
pub(super) fn is_share(link: &Link) -> bool {
    link.transport.as_deref().is_some_and(|words| ["SMB", "AFP", "NFS"].iter().any(|name| words.starts_with(name)))
}

/// Maker and model.
pub(super) fn device(link: &Link) -> Option<String> {
    link.device.as_ref().map(|device| match &link.vendor {
        Some(vendor) if !device.to_lowercase().contains(&vendor.to_lowercase()) => format!("{vendor} {device}"),
        _ => device.clone(),
    })
}

/// What a tool named where it did not say which it is.
pub(super) fn candidates(link: &Link) -> Vec<&str> {
    link.evidence.iter().filter(|found| found.key == "candidate").map(|found| found.value.as_str()).collect()
}

/// What lies between the Mac and the disk or server; `None` where nothing is known of it or nothing can be.
pub(super) fn between(link: &Link) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    if is_share(link)
        && let Some(interface) = &link.bsd_name
    {
        words.push(format!("{interface} ({})", family(link.kind)));
        words.extend(channel(link));
    }
    let is_said = |name: &Option<String>| !words.is_empty() && name.is_some() && *name == link.bsd_name;
    let elements: Vec<_> = link.chain.iter().filter(|element| !is_said(&element.name)).collect();
    words.extend(elements.into_iter().map(|element| {
        let name = match &element.name {
            Some(name) if name.to_lowercase().contains(&element.kind) => name.clone(),
            Some(name) => format!("{} {name}", element.kind),
            None => element.kind.clone(),
        };
        element.negotiated_bps.map_or(name.clone(), |bps| format!("{name} at {}", human::link_rate(bps)))
    }));
    if words.is_empty() {
        return (has_ports(link.kind) && link.negotiated_bps.is_some())
            .then(|| "nothing, a port of the Mac".to_owned());
    }
    Some(words.join(", "))
}

fn family(kind: LinkKind) -> &'static str {
    let key = kind.key();
    let families =
        [("wi-fi", "Wi-Fi"), ("ethernet", "Ethernet"), ("thunderbolt", "Thunderbolt"), ("firewire", "FireWire")];
    families.into_iter().find(|(start, _)| key.starts_with(start)).map_or(kind.short(), |(_, name)| name)
}

/// Whether hubs and docks of this kind are part of the evidence, so that their absence says something.
pub(super) fn has_ports(kind: LinkKind) -> bool {
    ["usb", "thunderbolt-", "firewire-"].iter().any(|family| kind.key().starts_with(family))
        && !matches!(kind, LinkKind::ThunderboltIp | LinkKind::FireWireIp)
}

/// The channel in `40 (5GHz, 80MHz)`.
fn channel(link: &Link) -> Option<String> {
    let told = &link.evidence.iter().rfind(|found| found.key == "spairport_network_channel")?.value;
    let (number, rest) = told.split_once(" (").unwrap_or((told, ""));
    let width = rest.trim_end_matches(')').split(", ").find_map(|part| part.strip_suffix("MHz"));
    Some(width.map_or_else(|| format!("channel {number}"), |width| format!("channel {number}, {width} MHz")))
}

fn is_wi_fi(link: &Link) -> bool {
    link.kind.key().starts_with("wi-fi")
}

/// The rate of the link and what it carries in practice. The rate of Wi-Fi is that of the moment.
pub(super) fn rates(link: &Link, at: Option<DateTime<FixedOffset>>, units: Units) -> Option<String> {
    let mut words = Vec::new();
    if let Some(bps) = link.negotiated_bps {
        let when = at.filter(|_| is_wi_fi(link)).map_or_else(String::new, |at| format!(" at {}", human::at_time(at)));
        words.push(format!("nominal {}{when}", human::link_rate(bps)));
    }
    if let Some(bps) = link.practical_bps {
        let share = links::rates_of(link.kind).and_then(|rates| rates.practical_share);
        let share = share.map_or_else(String::new, |share| format!(" ({} of it)", human::share(share)));
        words.push(format!("practical {}{share}", human::practical_rate(bps, units)));
    }
    if let Some(max) = link.port_max_bps.filter(|max| link.negotiated_bps.is_none_or(|bps| bps < *max)) {
        words.push(format!("the port could do {}", human::link_rate(max)));
    }
    (!words.is_empty()).then(|| words.join(", "))
}

/// How sure kind and rate are.
pub(super) fn sure(link: &Link) -> String {
    let kind = word(link.kind_confidence);
    let rate = word(link.rate_confidence);
    match link.negotiated_bps {
        Some(_) if is_wi_fi(link) && link.rate_confidence >= Confidence::High => {
            format!("kind {kind}, rate {rate} for this moment, low as an average")
        }
        Some(_) => format!("kind {kind}, rate {rate}"),
        None if WITHOUT_RATE.contains(&link.kind) => format!("kind {kind}"),
        None => format!("kind {kind}, rate unknown"),
    }
}

/// A confidence in a word.
pub(super) fn word(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "certain",
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
        Confidence::None => "unproven",
    }
}

/// Why the kind or the rate is unknown; `None` where both are known.
pub(super) fn why(link: &Link) -> Option<String> {
    let several = candidates(link);
    if !several.is_empty() {
        return Some(undecided(link, several.len()));
    }
    if link.kind == LinkKind::Unknown {
        return Some(reason(link));
    }
    let rate_missing = link.negotiated_bps.is_none() && !WITHOUT_RATE.contains(&link.kind);
    rate_missing.then(|| no_rate(link))
}

fn undecided(link: &Link, number: usize) -> String {
    let number = match number {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        more => more.to_string(),
    };
    let tool = link.evidence.iter().rfind(|found| found.key == "candidate").map_or("", |found| found.tool.as_str());
    let disk = link.bsd_name.as_deref().unwrap_or("the disk");
    if tool.starts_with("netstat") {
        return format!(
            "connections to such a server lead over {number} interfaces and macOS doesn't say which is used"
        );
    }
    if tool.starts_with("ifconfig") {
        return format!("{disk} has {number} members of different kinds");
    }
    if tool.contains("Thunderbolt") {
        return format!("{number} devices hang on Thunderbolt and macOS doesn't say which holds {disk}");
    }
    format!("{number} devices carry this name and macOS doesn't say which holds {disk}")
}

/// Why the kind is unknown, by the evidence that came last.
pub(super) fn reason(link: &Link) -> String {
    let Some(last) = link.evidence.last() else { return "no tool tells it".to_owned() };
    let Evidence { tool, key, value } = last;
    match key.as_str() {
        "Kind" | "MountPoint" | "mount point" => "not mounted: macOS tells nothing of the way to it".to_owned(),
        "address" => "macOS tells no address of the server until its share is mounted".to_owned(),
        "answer" => answer(tool, value),
        "BSD Name" if link.seen == Seen::During => format!("{value}, and more is not asked while a backup runs"),
        _ => format!("{tool} says {key} = {value}"),
    }
}

/// What a tool gave instead of an answer. Most are words that follow its name.
fn answer(tool: &str, value: &str) -> String {
    let follows = ["is ", "was ", "gave ", "ended ", "does ", "could "].iter().any(|verb| value.starts_with(verb));
    let colon = if follows { "" } else { ":" };
    format!("`{tool}`{colon} {value}")
}

fn no_rate(link: &Link) -> String {
    match link.kind {
        LinkKind::Mixed => return "several ways have no rate in common".to_owned(),
        LinkKind::Vpn => return "macOS doesn't tell what carries the tunnel".to_owned(),
        LinkKind::Sd => return "macOS doesn't tell the speed of the card's own bus".to_owned(),
        _ => {}
    }
    // smbutil tells of the protocol alone.
    let is_failure = |found: &&Evidence| found.key == "answer" && !found.tool.starts_with("smbutil");
    if let Some(failed) = link.evidence.iter().rfind(is_failure) {
        return answer(&failed.tool, &failed.value);
    }
    let why = match link.kind {
        _ if link.seen == Seen::During => "what tells the rate is not asked while a backup runs",
        LinkKind::Thunderbolt => "nothing in macOS's list of Thunderbolt devices tells it",
        _ => "no tool tells the rate",
    };
    why.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::examples;

    #[test]
    fn a_set_is_named_by_its_parts() {
        let whole = Link { kind: LinkKind::Mixed, negotiated_bps: None, transport: None, ..examples::usb3() };
        assert_eq!(heading(&[whole, examples::usb3(), examples::usb3()]), "USB 3.0 + USB 3.0 · rate unknown");
        assert_eq!(heading(&[]), "not looked at");
    }

    #[test]
    fn unknown_has_a_reason() {
        let told = |key: &str, value: &str| {
            let evidence = vec![Evidence { tool: "diskutil".to_owned(), key: key.to_owned(), value: value.to_owned() }];
            why(&Link { kind: LinkKind::Unknown, evidence, ..examples::usb3() }).unwrap()
        };
        assert_eq!(told("MountPoint", "not mounted"), "not mounted: macOS tells nothing of the way to it");
        assert_eq!(told("answer", "gave no answer within 10 s"), "`diskutil` gave no answer within 10 s");
        assert_eq!(told("answer", "the way leads in a circle"), "`diskutil`: the way leads in a circle");
        assert_eq!(told("BusProtocol", "Thunderbolt"), "diskutil says BusProtocol = Thunderbolt");
        assert_eq!(why(&examples::usb3()), None);
        let vpn = Link { kind: LinkKind::Vpn, negotiated_bps: None, evidence: vec![], ..examples::usb3() };
        assert_eq!(why(&vpn).unwrap(), "macOS doesn't tell what carries the tunnel");
    }

    #[test]
    fn what_lies_between_is_only_said_where_it_is_known() {
        assert_eq!(between(&examples::usb3()).unwrap(), "nothing, a port of the Mac");
        assert_eq!(between(&Link { kind: LinkKind::Usb, negotiated_bps: None, ..examples::usb3() }), None);
        assert_eq!(between(&Link { kind: LinkKind::Pcie, ..examples::usb3() }), None);
    }
}
