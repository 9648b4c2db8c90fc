//! `system_profiler SPAirPortDataType`: generation and rate of Wi-Fi. Never asked while a backup runs, since it may scan.

use super::system_profiler::items;
use super::usb_speed::whole;
use super::value_of::{first_text, list, text};
use crate::apple::value::Value;
use crate::domain::link::LinkKind;

/// The network that an interface is on now.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Network {
    /// Its generation.
    pub(super) kind: LinkKind,
    /// `802.11ax` and the like.
    pub(super) phy_mode: Option<String>,
    /// `40 (5GHz, 160MHz)`.
    pub(super) channel: Option<String>,
    /// The rate of the last frames sent, bit/s.
    pub(super) bps: Option<u64>,
}

/// The network of the interface of this name. Others, such as `awdl0`, have one too.
pub(super) fn network(answer: &Value, interface: &str) -> Option<Network> {
    let wanted = interfaces(answer).into_iter().find(|found| text(found, "_name") == Some(interface))?;
    of(wanted)
}

/// Every interface that is on a network with a rate; for saved answers.
pub(super) fn networks(answer: &Value) -> Vec<(&str, Network)> {
    interfaces(answer).into_iter().filter_map(|found| Some((text(found, "_name")?, of(found)?))).collect()
}

fn interfaces(answer: &Value) -> Vec<&Value> {
    let cards = items(answer, "SPAirPortDataType");
    cards.iter().flat_map(|card| list(card, "spairport_airport_interfaces")).collect()
}

fn of(interface: &Value) -> Option<Network> {
    let now = interface.get("spairport_current_network_information")?;
    let phy_mode = text(now, "spairport_network_phymode");
    let channel = first_text(now, &["spairport_network_channel", "spairport_network_channel_info"]);
    let bps = now.get("spairport_network_rate").and_then(Value::as_f64).and_then(|mbps| whole(mbps * 1e6));
    if phy_mode.is_none() && bps.is_none() {
        return None;
    }
    Some(Network {
        kind: phy_mode.map_or(LinkKind::WiFi, |mode| generation(mode, channel)),
        phy_mode: phy_mode.map(str::to_owned),
        channel: channel.map(str::to_owned),
        bps,
    })
}

/// The generation of a PHY mode (`802.11ax`, `11ax`); a list of modes is none.
pub(super) fn generation(phy_mode: &str, channel: Option<&str>) -> LinkKind {
    let letters = phy_mode.trim().trim_start_matches("802.").trim_start_matches("11");
    let at_6_ghz = channel.is_some_and(|channel| channel.contains("6GHz") || channel.starts_with("6g"));
    match letters {
        "a" | "b" | "g" => LinkKind::WiFiLegacy,
        "n" => LinkKind::WiFi4,
        "ac" => LinkKind::WiFi5,
        "ax" if at_6_ghz => LinkKind::WiFi6e,
        "ax" => LinkKind::WiFi6,
        "be" => LinkKind::WiFi7,
        _ => LinkKind::WiFi,
    }
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn the_network_of_the_interface_asked_for_is_taken() {
        let answer = read(
            br#"{"SPAirPortDataType" : [{"spairport_airport_interfaces" : [
            {"_name" : "awdl0", "spairport_current_network_information" : {"spairport_network_type" : "x"}},
            {"_name" : "en0", "spairport_current_network_information" : {"_name" : "<redacted>",
              "spairport_network_channel" : "37 (6GHz, 160MHz)", "spairport_network_phymode" : "802.11ax",
              "spairport_network_rate" : 1152}}]}]}"#,
        )
        .unwrap();
        let found = network(&answer, "en0").unwrap();
        assert_eq!((found.kind, found.bps), (LinkKind::WiFi6e, Some(1_152_000_000)));
        assert_eq!(network(&answer, "awdl0"), None);
        assert_eq!(network(&answer, "en9"), None);
    }

    #[test]
    fn each_mode_is_a_generation() {
        for (mode, kind) in [
            ("802.11g", LinkKind::WiFiLegacy),
            ("802.11n", LinkKind::WiFi4),
            ("802.11ac", LinkKind::WiFi5),
            ("11ax", LinkKind::WiFi6),
            ("802.11be", LinkKind::WiFi7),
            ("802.11a/n/ac/ax", LinkKind::WiFi),
        ] {
            assert_eq!(generation(mode, Some("40 (5GHz, 80MHz)")), kind, "{mode}");
        }
        assert_eq!(generation("11ax", Some("6g37/160")), LinkKind::WiFi6e);
    }
}
