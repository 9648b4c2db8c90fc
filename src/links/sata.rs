//! `system_profiler SPSerialATADataType`: SATA disks and what their ports negotiated.

use super::system_profiler::{bsd_names, items};
use super::usb_speed::{of_text, whole};
use super::value_of::{list, text, whole_disk};
use crate::apple::value::Value;
use crate::domain::link::LinkKind;

/// A disk in the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Disk {
    /// BSD name.
    pub(super) bsd_name: String,
    /// Its model.
    pub(super) model: Option<String>,
    /// What the link is.
    pub(super) kind: LinkKind,
    /// What the port and the disk agreed on, bit/s; of an Apple SSD on PCI Express the payload rate of its lanes.
    pub(super) bps: Option<u64>,
    /// The key that gave it, and its value.
    pub(super) told: Option<(&'static str, String)>,
    /// What the port could do, bit/s.
    pub(super) port_max_bps: Option<u64>,
}

/// All disks. The rate stands at the controller above a disk, and at many ports without one.
pub(super) fn disks(answer: &Value) -> Vec<Disk> {
    let controllers = items(answer, "SPSerialATADataType").iter();
    controllers
        .flat_map(|controller| list(controller, "_items").iter().filter_map(|node| disk(controller, node)))
        .collect()
}

fn disk(controller: &Value, node: &Value) -> Option<Disk> {
    let bsd_name = bsd_names(node).into_iter().find_map(whole_disk)?.to_owned();
    let negotiated = text(controller, "spsata_negotiatedlinkspeed").and_then(of_text);
    let is_pcie = text(controller, "spsata_physical_interconnect").is_some_and(|bus| bus.starts_with("PCI"));
    let (kind, bps, key) = if is_pcie {
        (LinkKind::Pcie, lanes(controller), "spsata_linkspeed")
    } else {
        (kind_of(negotiated), negotiated, "spsata_negotiatedlinkspeed")
    };
    let told = text(controller, key).map(|value| (key, value.to_owned()));
    Some(Disk {
        bsd_name,
        model: text(node, "device_model").or_else(|| text(node, "_name")).map(str::to_owned),
        kind,
        bps,
        told,
        port_max_bps: text(controller, "spsata_portspeed").and_then(of_text),
    })
}

/// The payload of `5.0 GT/s` on `x2`: the first two generations code 8 bits as 10, later ones 128 as 130.
fn lanes(controller: &Value) -> Option<u64> {
    let transfers: f64 = text(controller, "spsata_linkspeed")?.split_whitespace().next()?.parse().ok()?;
    let width: f64 = text(controller, "spsata_linkwidth")?.strip_prefix('x')?.parse().ok()?;
    let payload = if transfers <= 5.0 { 0.8 } else { 128.0 / 130.0 };
    whole(transfers * 1e9 * width * payload)
}

/// The kind of a SATA rate.
pub(super) fn kind_of(bps: Option<u64>) -> LinkKind {
    match bps {
        Some(1_500_000_000) => LinkKind::Sata1,
        Some(3_000_000_000) => LinkKind::Sata2,
        Some(6_000_000_000) => LinkKind::Sata3,
        _ => LinkKind::Sata,
    }
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn a_port_without_a_disk_and_what_a_port_could_do_are_no_links() {
        let answer = read(
            br#"{"SPSerialATADataType" : [
            {"spsata_portspeed" : "6 Gigabit"},
            {"spsata_portspeed" : "6 Gigabit", "spsata_negotiatedlinkspeed" : "1,5 Gigabit",
             "spsata_physical_interconnect" : "SATA", "_items" : [{"_name" : "Quill HD", "bsd_name" : "disk1"}]},
            {"spsata_linkspeed" : "5.0 GT/s", "spsata_linkwidth" : "x2", "spsata_physical_interconnect" : "PCI",
             "_items" : [{"_name" : "Quill SSD", "bsd_name" : "disk0"}]}]}"#,
        )
        .unwrap();
        let told: Vec<_> = disks(&answer).into_iter().map(|d| (d.bsd_name, d.kind, d.bps, d.port_max_bps)).collect();
        assert_eq!(
            told,
            [
                ("disk1".to_owned(), LinkKind::Sata1, Some(1_500_000_000), Some(6_000_000_000)),
                ("disk0".to_owned(), LinkKind::Pcie, Some(8_000_000_000), None),
            ]
        );
    }
}
