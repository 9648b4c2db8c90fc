//! An interface, that is a link.

use serde::{Deserialize, Serialize};

use super::Invalid;
use super::words::Word;
use crate::domain::link::{ChainElement, Confidence, Evidence, Link, LinkKind, Seen};

/// One interface as it was seen once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct InterfaceJson {
    pub key: String,
    pub kind: String,
    pub generation: Option<String>,
    pub negotiated_bps: Option<u64>,
    pub port_max_bps: Option<u64>,
    pub practical_bps: Option<u64>,
    pub device: Option<String>,
    pub vendor: Option<String>,
    pub bsd_name: Option<String>,
    pub chain: Vec<ChainJson>,
    pub transport: Option<String>,
    pub seen: String,
    pub kind_confidence: String,
    pub rate_confidence: String,
    pub evidence: Vec<EvidenceJson>,
}

/// Something between the Mac and the disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct ChainJson {
    pub kind: String,
    pub name: Option<String>,
    pub negotiated_bps: Option<u64>,
}

/// The command and key that decided something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct EvidenceJson {
    pub tool: String,
    pub key: String,
    pub value: String,
}

/// Families that have generations, as the beginnings of their keys.
const FAMILIES: &[&str] = &["usb", "thunderbolt", "sata", "firewire", "ethernet", "wi-fi"];

/// The family of a kind, and which generation of it this is.
fn family(kind: LinkKind) -> (&'static str, Option<&'static str>) {
    if matches!(kind, LinkKind::ThunderboltIp | LinkKind::FireWireIp) {
        return (kind.key(), None);
    }
    match FAMILIES.iter().find(|family| kind.key().starts_with(**family)) {
        Some(family) => (family, Some(kind.long())),
        None => (kind.key(), None),
    }
}

impl From<&Link> for InterfaceJson {
    fn from(link: &Link) -> Self {
        let (kind, generation) = family(link.kind);
        Self {
            key: link.kind.key().to_owned(),
            kind: kind.to_owned(),
            generation: generation.map(str::to_owned),
            negotiated_bps: link.negotiated_bps,
            port_max_bps: link.port_max_bps,
            practical_bps: link.practical_bps,
            device: link.device.clone(),
            vendor: link.vendor.clone(),
            bsd_name: link.bsd_name.clone(),
            chain: link.chain.iter().cloned().map(ChainJson::from).collect(),
            transport: link.transport.clone(),
            seen: link.seen.word(),
            kind_confidence: link.kind_confidence.word(),
            rate_confidence: link.rate_confidence.word(),
            evidence: link.evidence.iter().cloned().map(EvidenceJson::from).collect(),
        }
    }
}

impl TryFrom<InterfaceJson> for Link {
    type Error = Invalid;

    fn try_from(json: InterfaceJson) -> Result<Self, Invalid> {
        Ok(Self {
            kind: LinkKind::from_key(&json.key).ok_or_else(|| Invalid::value("interfaces.key", &json.key))?,
            negotiated_bps: json.negotiated_bps,
            port_max_bps: json.port_max_bps,
            practical_bps: json.practical_bps,
            device: json.device,
            vendor: json.vendor,
            bsd_name: json.bsd_name,
            chain: json.chain.into_iter().map(ChainElement::from).collect(),
            transport: json.transport,
            seen: Seen::parse("interfaces.seen", &json.seen)?,
            kind_confidence: Confidence::parse("interfaces.kind_confidence", &json.kind_confidence)?,
            rate_confidence: Confidence::parse("interfaces.rate_confidence", &json.rate_confidence)?,
            evidence: json.evidence.into_iter().map(Evidence::from).collect(),
        })
    }
}

impl From<ChainElement> for ChainJson {
    fn from(element: ChainElement) -> Self {
        Self { kind: element.kind, name: element.name, negotiated_bps: element.negotiated_bps }
    }
}

impl From<ChainJson> for ChainElement {
    fn from(json: ChainJson) -> Self {
        Self { kind: json.kind, name: json.name, negotiated_bps: json.negotiated_bps }
    }
}

impl From<Evidence> for EvidenceJson {
    fn from(evidence: Evidence) -> Self {
        Self { tool: evidence.tool, key: evidence.key, value: evidence.value }
    }
}

impl From<EvidenceJson> for Evidence {
    fn from(json: EvidenceJson) -> Self {
        Self { tool: json.tool, key: json.key, value: json.value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_and_generations_follow_from_the_kind() {
        assert_eq!(family(LinkKind::Usb3Gen1), ("usb", Some("USB 3.2 Gen 1")));
        assert_eq!(family(LinkKind::Usb4At40), ("usb", Some("USB4 40 Gb/s")));
        assert_eq!(family(LinkKind::WiFi6e), ("wi-fi", Some("Wi-Fi 6E (802.11ax, 6 GHz)")));
        assert_eq!(family(LinkKind::ThunderboltIp), ("thunderbolt-ip", None));
        assert_eq!(family(LinkKind::Unknown), ("unknown", None));
    }
}
