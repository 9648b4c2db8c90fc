//! What the readers of this room build: a link with what decided. Whatever becomes text goes through [`clean`], so that no
//! serial number, UUID or address reaches a report.

use std::sync::LazyLock;

use regex::Regex;

use super::rates;
use crate::domain::link::{ChainElement, Confidence, Evidence, Link, LinkKind, Seen};

/// A link of which nothing is known yet.
pub(super) fn blank(seen: Seen) -> Link {
    Link {
        kind: LinkKind::Unknown,
        negotiated_bps: None,
        port_max_bps: None,
        practical_bps: None,
        device: None,
        vendor: None,
        bsd_name: None,
        chain: Vec::new(),
        transport: None,
        seen,
        kind_confidence: Confidence::None,
        rate_confidence: Confidence::None,
        evidence: Vec::new(),
    }
}

/// Sets the kind and how sure it is.
pub(super) fn set_kind(link: &mut Link, kind: LinkKind, confidence: Confidence) {
    link.kind = kind;
    link.kind_confidence = confidence;
}

/// Sets the negotiated rate and how sure it is. An unknown rate has no confidence.
pub(super) fn set_rate(link: &mut Link, bps: Option<u64>, confidence: Confidence) {
    link.negotiated_bps = bps;
    link.rate_confidence = if bps.is_some() { confidence } else { Confidence::None };
}

/// Adds what the link carries in practice, no more than the slowest adapter on the way does.
pub(super) fn finish(mut link: Link) -> Link {
    let own = rates::practical_bps(link.kind, link.negotiated_bps, link.transport.as_deref());
    let adapter = link.chain.iter().filter(|element| element.kind == "adapter").filter_map(adapter_bps).min();
    link.practical_bps = match (own, adapter) {
        (Some(own), Some(adapter)) => Some(own.min(adapter)),
        (own, _) => own,
    };
    link
}

fn adapter_bps(adapter: &ChainElement) -> Option<u64> {
    let bps = adapter.negotiated_bps?;
    rates::practical_bps(super::usb_speed::kind_of(bps), Some(bps), None)
}

/// Notes what decided.
pub(super) fn note(link: &mut Link, tool: &str, key: &str, value: &str) {
    link.evidence.push(evidence(tool, key, value));
}

/// A piece of evidence, cleaned.
pub(super) fn evidence(tool: &str, key: &str, value: &str) -> Evidence {
    Evidence { tool: tool.to_owned(), key: key.to_owned(), value: clean(value).unwrap_or_default() }
}

/// An element of the chain.
pub(super) fn element(kind: &str, name: Option<&str>, negotiated_bps: Option<u64>) -> ChainElement {
    ChainElement { kind: kind.to_owned(), name: name.and_then(clean), negotiated_bps }
}

const LONGEST: usize = 160;

/// A name for people: without blanks at its ends, UUIDs, hardware addresses, network addresses and control characters;
/// `None` if nothing is left. Names with blanks at both ends were seen in captures of 10.7 to 26.
pub(super) fn clean(text: &str) -> Option<String> {
    static PRIVATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
            r"|\b[0-9a-f]{1,2}([:-][0-9a-f]{1,2}){5}\b",
            r"|\b\d{1,3}(\.\d{1,3}){3}\b",
            r"|\b[0-9a-f]{1,4}(:[0-9a-f]{0,4}){2,7}(%\w+)?"
        ))
        .ok()
    });
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let safe = PRIVATE.as_ref()?.replace_all(&plain, "…");
    let words: Vec<&str> = safe.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(LONGEST).collect();
    (!name.is_empty()).then_some(name)
}

/// A product's name without its serial number, which some makers put there.
pub(super) fn clean_without(text: &str, serial: Option<&str>) -> Option<String> {
    match serial.map(str::trim).filter(|serial| serial.len() >= 4) {
        Some(serial) => clean(&text.replace(serial, "")),
        None => clean(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_blanks_and_what_is_private() {
        for (given, kept) in [
            (" SanDisk 3.2 Gen1", Some("SanDisk 3.2 Gen1")),
            ("USB2.0 Hub             ", Some("USB2.0 Hub")),
            ("disk A1000009-1B09-4009-8009-C0DE00000009", Some("disk …")),
            ("by 02:00:00:aa:bb:0c", Some("by …")),
            ("by 192.0.2.17 and fe80::a00:1%en0", Some("by … and …")),
            ("revision 1.2.3", Some("revision 1.2.3")),
            ("at 20:31:07", Some("at …")),
            (" \u{7}", None),
        ] {
            assert_eq!(clean(given).as_deref(), kept, "{given}");
        }
        assert_eq!(clean_without("Vault 77 INV0042X", Some("INV0042X")).as_deref(), Some("Vault 77"));
    }

    #[test]
    fn an_adapter_limits_what_is_carried() {
        let mut link = blank(Seen::During);
        set_kind(&mut link, LinkKind::Ethernet1000, Confidence::Certain);
        set_rate(&mut link, Some(1_000_000_000), Confidence::Certain);
        link.chain.push(element("adapter", Some("USB LAN"), Some(480_000_000)));
        assert_eq!(finish(link).practical_bps, Some(320_000_000));
    }
}
