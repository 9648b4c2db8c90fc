//! `system_profiler SPThunderboltDataType`: what hangs on the Thunderbolt ports. No key joins it to a disk.

use super::system_profiler::items;
use super::usb_speed::of_text;
use super::value_of::{first_text, list, text};
use crate::apple::value::Value;
use crate::domain::link::LinkKind;

/// A device on a port, or further out on another device.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Device {
    /// What it calls itself.
    pub(super) name: Option<String>,
    /// Its maker.
    pub(super) vendor: Option<String>,
    /// Its kind by the mode of its link.
    pub(super) kind: LinkKind,
    /// The rate that this and all links before it give, bit/s.
    pub(super) bps: Option<u64>,
    /// Whether it is a computer: IP runs over that cable, and no disk.
    pub(super) is_computer: bool,
    /// The names of the devices before it, from the Mac outwards.
    pub(super) before: Vec<Option<String>>,
}

/// All devices that are connected now. Ports that are free only say what they could do (`Up to 40 Gb/s`).
pub(super) fn devices(answer: &Value) -> Vec<Device> {
    let mut devices = Vec::new();
    for bus in items(answer, "SPThunderboltDataType") {
        let port = receptacles(bus).find_map(speed);
        for node in list(bus, "_items") {
            visit(node, port, &[], &mut devices);
        }
    }
    devices
}

// As deep as the property list at most, whose depth is bounded.
fn visit(node: &Value, before_bps: Option<u64>, before: &[Option<String>], devices: &mut Vec<Device>) {
    let own = node.get("receptacle_upstream_ambiguous_tag").and_then(speed);
    let bps = match (own, before_bps) {
        (Some(own), Some(before)) => Some(own.min(before)),
        (own, before) => own.or(before),
    };
    let is_computer = !list(node, "services_title").is_empty();
    let name = first_text(node, &["_name", "device_name_key"]).map(str::to_owned);
    devices.push(Device {
        name: name.clone(),
        vendor: text(node, "vendor_name_key").map(str::to_owned),
        kind: kind(text(node, "mode_key"), bps),
        bps,
        is_computer,
        before: before.to_vec(),
    });
    let here: Vec<_> = before.iter().cloned().chain([name]).collect();
    for below in list(node, "_items") {
        visit(below, bps, &here, devices);
    }
}

fn receptacles(node: &Value) -> impl Iterator<Item = &Value> {
    let entries = node.as_dict().unwrap_or_default();
    entries.iter().filter(|(key, _)| key.starts_with("receptacle_") && key.ends_with("_tag")).map(|(_, tag)| tag)
}

/// The rate of a connected receptacle.
fn speed(receptacle: &Value) -> Option<u64> {
    let connected = text(receptacle, "receptacle_status_key").is_none_or(|status| status == "receptacle_connected");
    connected.then(|| of_text(text(receptacle, "current_speed_key")?)).flatten()
}

/// The kind by the mode. Thunderbolt 4 and USB4 have one mode, and Thunderbolt 5 and USB4 at 80 Gb/s another: they are
/// named by USB4, which all of them are.
fn kind(mode: Option<&str>, bps: Option<u64>) -> LinkKind {
    match (mode, bps) {
        (Some("thunderbolt_one"), _) => LinkKind::Thunderbolt1,
        (Some("thunderbolt_two"), _) => LinkKind::Thunderbolt2,
        (Some("thunderbolt_three"), _) => LinkKind::Thunderbolt3,
        (Some("usb_four" | "usb_four_v2"), Some(20_000_000_000)) => LinkKind::Usb4At20,
        (Some("usb_four" | "usb_four_v2"), Some(40_000_000_000)) => LinkKind::Usb4At40,
        (Some("usb_four_v2"), Some(80_000_000_000)) => LinkKind::Usb4At80,
        _ => LinkKind::Thunderbolt,
    }
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn what_a_port_could_do_is_no_rate_and_a_chain_is_as_slow_as_its_slowest_link() {
        let answer = read(
            br#"{"SPThunderboltDataType" : [
            {"_name" : "bus_1", "receptacle_1_tag" : {"current_speed_key" : "Up to 120 Gb/s",
              "receptacle_status_key" : "receptacle_no_devices_connected"}},
            {"_name" : "bus_0", "receptacle_1_tag" : {"current_speed_key" : "40 Gb/s",
              "receptacle_status_key" : "receptacle_connected"}, "_items" : [
              {"_name" : "Pier Dock", "mode_key" : "usb_four", "vendor_name_key" : "Pier",
               "receptacle_upstream_ambiguous_tag" : {"current_speed_key" : "40 Gb/s",
                 "receptacle_status_key" : "receptacle_connected"},
               "receptacle_2_tag" : {"current_speed_key" : "Up to 40 Gb/s"}, "_items" : [
                {"_name" : "Old Box", "mode_key" : "thunderbolt_one",
                 "receptacle_upstream_ambiguous_tag" : {"current_speed_key" : "10 Gb/s"}}]}]}]}"#,
        )
        .unwrap();
        let told: Vec<_> =
            devices(&answer).into_iter().map(|d| (d.name.unwrap(), d.kind, d.bps, d.before.len())).collect();
        assert_eq!(
            told,
            [
                ("Pier Dock".to_owned(), LinkKind::Usb4At40, Some(40_000_000_000), 0),
                ("Old Box".to_owned(), LinkKind::Thunderbolt1, Some(10_000_000_000), 1),
            ]
        );
    }

    #[test]
    fn a_computer_and_no_hardware_are_no_disks() {
        let answer = read(
            br#"{"SPThunderboltDataType" : [{"receptacle_1_tag" : {"current_speed_key" : "80 Gb/s"}, "_items" : [
            {"_name" : "Other Mac", "services_title" : [{"_name" : "service_ip"}]}]}, {"Thunderbolt" : "no_hardware"}]}"#,
        )
        .unwrap();
        let devices = devices(&answer);
        assert_eq!(devices.len(), 1);
        assert!(devices[0].is_computer);
        assert_eq!((devices[0].kind, devices[0].bps), (LinkKind::Thunderbolt, Some(80_000_000_000)));
    }
}
