//! `system_profiler SPFireWireDataType`: FireWire disks, which hang two levels below the device that has the speed.

use super::system_profiler::{bsd_names, items};
use super::value_of::{list, text, whole_disk};
use crate::apple::value::Value;
use crate::domain::link::LinkKind;

/// A disk in the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Disk {
    /// BSD name.
    pub(super) bsd_name: String,
    /// What the device calls itself.
    pub(super) name: Option<String>,
    /// Its maker.
    pub(super) vendor: Option<String>,
    /// The kind by its negotiated speed.
    pub(super) kind: LinkKind,
    /// That speed, bit/s.
    pub(super) bps: Option<u64>,
    /// The same in macOS's word.
    pub(super) told: Option<String>,
}

/// All disks.
pub(super) fn disks(answer: &Value) -> Vec<Disk> {
    let mut disks = Vec::new();
    for bus in items(answer, "SPFireWireDataType") {
        visit(bus, None, &mut disks);
    }
    disks
}

// As deep as the property list at most, whose depth is bounded.
fn visit<'a>(node: &'a Value, above: Option<&'a Value>, disks: &mut Vec<Disk>) {
    let device = if text(node, "connected_speed").is_some() { Some(node) } else { above };
    if let Some(device) = device
        && let Some(bsd_name) = bsd_names(node).into_iter().find_map(whole_disk)
    {
        let (kind, bps) = speed(text(device, "connected_speed"));
        disks.push(Disk {
            bsd_name: bsd_name.to_owned(),
            name: text(device, "_name").map(str::to_owned),
            vendor: text(device, "device_manufacturer").map(str::to_owned),
            kind,
            bps,
            told: text(device, "connected_speed").map(str::to_owned),
        });
    }
    for key in ["_items", "units"] {
        for below in list(node, key) {
            visit(below, device, disks);
        }
    }
}

/// The base rate of FireWire is 98.304 Mb/s.
fn speed(word: Option<&str>) -> (LinkKind, Option<u64>) {
    match word {
        Some("100mbit_speed") => (LinkKind::FireWire, Some(98_304_000)),
        Some("200mbit_speed") => (LinkKind::FireWire, Some(196_608_000)),
        Some("400mbit_speed") => (LinkKind::FireWire400, Some(393_216_000)),
        Some("800mbit_speed") => (LinkKind::FireWire800, Some(786_432_000)),
        _ => (LinkKind::FireWire, None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn the_speed_is_the_connected_one_and_stands_two_levels_up() {
        let answer = read(
            br#"{"SPFireWireDataType" : [{"_name" : "bus", "_items" : [{"_name" : "Quill FW", "connected_speed" : "400mbit_speed",
            "device_manufacturer" : "Quill", "max_device_speed" : "800mbit_speed", "units" : [{"units" : [{"_name" : "x"}]},
            {"units" : [{"bsd_name" : "disk2", "volumes" : [{"bsd_name" : "disk2s2"}]}]}]}]}]}"#,
        )
        .unwrap();
        let disks = disks(&answer);
        assert_eq!(disks.len(), 1);
        assert_eq!((disks[0].kind, disks[0].bps), (LinkKind::FireWire400, Some(393_216_000)));
        assert_eq!((disks[0].bsd_name.as_str(), disks[0].told.as_deref()), ("disk2", Some("400mbit_speed")));
        assert_eq!(speed(Some("1394b_speed")), (LinkKind::FireWire, None));
    }
}
