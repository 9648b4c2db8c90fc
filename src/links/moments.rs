//! Joins the looks before, during and after a backup into the list that is kept.

use super::Look;
use super::finding::{finish, note, set_kind};
use crate::domain::backup::{Warning, WarningCode};
use crate::domain::link::{Confidence, Link, LinkKind, Seen};

/// Under this key the evidence names the moments that agree, if there are several.
pub const MOMENTS: &str = "seen the same";

/// Joins looks in the order of time. Looks that agree become one, the surest; if two disagree, both are kept and a warning
/// says that the link changed. Looks that found nothing change nothing, unless there is no other. A generation of Wi-Fi that
/// was learnt before the way was known is put in where the way turned out to be that Wi-Fi.
pub fn join(looks: &[Look]) -> (Vec<Link>, Option<Warning>) {
    let (known, unknown): (Vec<&Look>, Vec<&Look>) = looks.iter().partition(|look| !is_unknown(look));
    let mut kept: Vec<(Vec<Link>, Vec<Seen>)> = Vec::new();
    for look in known {
        match kept.last_mut() {
            Some((last, moments)) if agree(last, &look.links) => {
                *last = surer(last, &look.links);
                moments.push(look.seen);
            }
            _ => kept.push((look.links.clone(), vec![look.seen])),
        }
    }
    let mut kept: Vec<Vec<Link>> = kept.into_iter().map(|(links, moments)| told(links, &moments)).collect();
    for link in kept.iter_mut().flatten() {
        generation(link, looks);
    }
    let changed = (kept.len() > 1).then(|| Warning {
        code: WarningCode::LinkChanged,
        field: Some("interfaces".to_owned()),
        message: "changed during the backup".to_owned(),
    });
    if kept.is_empty() {
        kept.extend(unknown.last().map(|look| look.links.clone()));
    }
    (kept.into_iter().flatten().collect(), changed)
}

/// Says at which moments it was seen, where it was more than one.
fn told(mut links: Vec<Link>, moments: &[Seen]) -> Vec<Link> {
    if moments.len() > 1
        && let Some(first) = links.first_mut()
    {
        let words: Vec<&str> = moments.iter().copied().map(word).collect();
        note(first, "all looks", MOMENTS, &words.join(", "));
    }
    links
}

fn word(seen: Seen) -> &'static str {
    match seen {
        Seen::Before => "before",
        Seen::During => "during",
        Seen::After => "after",
        Seen::User => "user",
        Seen::Past => "past",
    }
}

/// The generation was not told at the moment itself, so it is no surer than high.
fn generation(link: &mut Link, looks: &[Look]) {
    if link.kind != LinkKind::WiFi {
        return;
    }
    let found =
        looks.iter().flat_map(|look| &look.generations).rfind(|it| Some(&it.interface) == link.bsd_name.as_ref());
    let Some(found) = found else { return };
    set_kind(link, found.kind, link.kind_confidence.min(Confidence::High));
    link.evidence.push(found.evidence.clone());
    *link = finish(link.clone());
}

fn is_unknown(look: &Look) -> bool {
    look.links.iter().all(|link| link.kind == LinkKind::Unknown)
}

/// Whether each link of one look is one of the other. A look that saw less of a set does not disagree.
fn agree(a: &[Link], b: &[Link]) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter().all(|link| many.iter().any(|other| is_same(link, other)))
}

fn is_same(a: &Link, b: &Link) -> bool {
    let is_wi_fi = a.kind.key().starts_with("wi-fi");
    let rates =
        is_wi_fi || a.negotiated_bps.is_none() || b.negotiated_bps.is_none() || a.negotiated_bps == b.negotiated_bps;
    // A disk may get another number; an interface keeps its name.
    let is_interface = |link: &Link| link.bsd_name.as_deref().is_some_and(|name| !name.starts_with("disk"));
    let names = !(is_interface(a) && is_interface(b)) || a.bsd_name == b.bsd_name;
    (a.kind == b.kind || refines(a.kind, b.kind) || refines(b.kind, a.kind)) && rates && names
}

/// Whether `exact` is a generation of `family`.
fn refines(exact: LinkKind, family: LinkKind) -> bool {
    let prefix = match family {
        LinkKind::Usb => "usb-",
        LinkKind::Sata => "sata-",
        LinkKind::FireWire => "firewire-",
        LinkKind::Ethernet => "ethernet-",
        LinkKind::WiFi => "wi-fi-",
        LinkKind::Thunderbolt => return exact.key().starts_with("thunderbolt-") || exact.key().starts_with("usb4-"),
        _ => return false,
    };
    exact.key().starts_with(prefix) && exact != LinkKind::FireWireIp && exact != LinkKind::ThunderboltIp
}

/// Takes the surer look, the later of equals, and from the other what only that one knows.
fn surer(earlier: &[Link], later: &[Link]) -> Vec<Link> {
    let sureness = |links: &[Link]| {
        let least = links.iter().map(|link| (link.kind_confidence, link.rate_confidence)).min();
        (links.len(), least)
    };
    let (best, rest) = if sureness(earlier) > sureness(later) { (earlier, later) } else { (later, earlier) };
    let filled = |link: &Link| match rest.iter().find(|other| is_same(link, other)) {
        Some(other) => fill(link.clone(), other),
        None => link.clone(),
    };
    best.iter().map(filled).collect()
}

fn fill(mut link: Link, other: &Link) -> Link {
    if refines(other.kind, link.kind) {
        link.kind = other.kind;
    }
    link.device = link.device.or_else(|| other.device.clone());
    link.vendor = link.vendor.or_else(|| other.vendor.clone());
    link.port_max_bps = link.port_max_bps.or(other.port_max_bps);
    // `SMB 3.1.1, signed` says more than `SMB`.
    if other.transport.as_ref().map(String::len) > link.transport.as_ref().map(String::len) {
        link.transport.clone_from(&other.transport);
    }
    if link.chain.is_empty() {
        link.chain.clone_from(&other.chain);
    }
    for evidence in &other.evidence {
        if !link.evidence.contains(evidence) {
            link.evidence.push(evidence.clone());
        }
    }
    finish(link)
}

#[cfg(test)]
mod tests {
    use super::super::finding::{blank, evidence, set_rate};
    use super::super::interface::Generation;
    use super::*;

    fn look(seen: Seen, kind: LinkKind, bps: Option<u64>, sure: Confidence, name: &str) -> Look {
        let mut link = blank(seen);
        set_kind(&mut link, kind, sure);
        set_rate(&mut link, bps, sure);
        link.bsd_name = Some(name.to_owned());
        Look { seen, links: vec![link], bsd_name: None, mounted: None, generations: Vec::new(), warnings: Vec::new() }
    }

    type Told = (Vec<(&'static str, Option<u64>, Seen)>, bool);

    fn told(looks: &[Look]) -> Told {
        let (links, changed) = join(looks);
        (links.iter().map(|link| (link.kind.key(), link.negotiated_bps, link.seen)).collect(), changed.is_some())
    }

    #[test]
    fn looks_that_agree_are_one() {
        let before = look(Seen::Before, LinkKind::Usb3Gen1, Some(5_000_000_000), Confidence::Certain, "disk4");
        let during = look(Seen::During, LinkKind::Usb3Gen1, Some(5_000_000_000), Confidence::Certain, "disk6");
        let unknown = look(Seen::After, LinkKind::Unknown, None, Confidence::None, "disk6");
        let one = vec![("usb-3.2-gen-1", Some(5_000_000_000), Seen::During)];
        assert_eq!(told(&[before, during, unknown]), (one, false));
    }

    #[test]
    fn a_generation_refines_its_family_and_wi_fi_may_change_its_rate() {
        let during = look(Seen::During, LinkKind::WiFi, Some(866_000_000), Confidence::Certain, "en0");
        let after = look(Seen::After, LinkKind::WiFi6, Some(1_201_000_000), Confidence::High, "en0");
        assert_eq!(told(&[during, after]), (vec![("wi-fi-6", Some(866_000_000), Seen::During)], false));
    }

    #[test]
    fn looks_that_disagree_are_all_kept() {
        let before = look(Seen::Before, LinkKind::Usb3Gen1, Some(5_000_000_000), Confidence::Certain, "disk4");
        let during = look(Seen::During, LinkKind::Usb2, Some(480_000_000), Confidence::Certain, "disk6");
        let (kept, changed) = told(&[before, during]);
        assert_eq!((kept.len(), changed), (2, true));
        let wired = look(Seen::Before, LinkKind::Ethernet1000, Some(1_000_000_000), Confidence::Medium, "en7");
        let wireless = look(Seen::During, LinkKind::WiFi, None, Confidence::Certain, "en0");
        assert!(told(&[wired, wireless]).1);
    }

    #[test]
    fn a_generation_learnt_before_the_way_was_known_is_not_lost() {
        let mut before = look(Seen::Before, LinkKind::Unknown, None, Confidence::None, "en0");
        before.generations.push(Generation {
            interface: "en0".to_owned(),
            kind: LinkKind::WiFi6,
            evidence: evidence("system_profiler", "spairport_network_phymode", "802.11ax"),
        });
        let during = |name| look(Seen::During, LinkKind::WiFi, Some(1_201_000_000), Confidence::Certain, name);
        let (links, changed) = join(&[before.clone(), during("en0")]);
        assert_eq!((links[0].kind, links[0].kind_confidence, changed), (LinkKind::WiFi6, Confidence::High, None));
        assert_eq!(links[0].practical_bps, Some(720_600_000));
        assert_eq!(join(&[before, during("en1")]).0[0].kind, LinkKind::WiFi);
    }

    #[test]
    fn the_moments_that_agree_are_named() {
        let seen = |seen| look(seen, LinkKind::Usb2, Some(480_000_000), Confidence::Certain, "disk4");
        let (links, _) = join(&[seen(Seen::Before), seen(Seen::During), seen(Seen::After)]);
        let moments = links[0].evidence.iter().find(|found| found.key == MOMENTS).unwrap();
        assert_eq!(moments.value, "before, during, after");
        assert!(join(&[seen(Seen::Before)]).0[0].evidence.is_empty());
    }

    #[test]
    fn nothing_found_is_told_once_and_nothing_looked_at_is_nothing() {
        let unknown = |seen| look(seen, LinkKind::Unknown, None, Confidence::None, "disk4");
        assert_eq!(told(&[unknown(Seen::Before), unknown(Seen::After)]).0, [("unknown", None, Seen::After)]);
        assert_eq!(told(&[]), (vec![], false));
    }
}
