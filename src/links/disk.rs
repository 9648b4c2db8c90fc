//! The link of a physical disk.

use super::asker::Asker;
use super::diskutil::Info;
use super::finding::{blank, clean, element, finish, note, set_kind, set_rate};
use super::{card_reader, fibre_channel, firewire, sata, thunderbolt, usb};
use crate::apple::value::Value;
use crate::domain::link::{Confidence, Evidence, Link, LinkKind, Seen};

/// The link of a physical disk: the kind by its bus, then the speed by the tool that knows that bus.
pub(super) fn link(asker: &mut Asker, info: &Info, before: &[Evidence]) -> Link {
    let mut link = of_info(asker.moment(), info);
    link.evidence.splice(0..0, before.iter().cloned());
    let bsd = info.bsd_name.as_deref().unwrap_or_default();
    match info.bus.as_deref() {
        Some("USB") => on_usb(asker, bsd, info, &mut link),
        Some("PCI-Express" | "PCI") if link.kind == LinkKind::Thunderbolt => on_thunderbolt(asker, &mut link),
        Some("SATA" | "ATA" | "ATAPI") => {
            if info.tree_path.as_deref().is_some_and(has_thunderbolt) {
                through_thunderbolt(asker, "enclosure", &mut link);
            }
            on_sata(asker, bsd, &mut link);
        }
        Some("FireWire") => on_firewire(asker, bsd, &mut link),
        Some("Fibre Channel Interface") => on_fibre_channel(asker, bsd, &mut link),
        _ => {}
    }
    finish(link)
}

/// What diskutil alone says of a physical disk: the kind, never the speed.
pub(super) fn of_info(seen: Seen, info: &Info) -> Link {
    let mut link = blank(seen);
    link.bsd_name.clone_from(&info.bsd_name);
    link.device = info.model().and_then(clean);
    link.vendor = info.vendor().and_then(clean);
    let tool = match &info.bsd_name {
        Some(bsd) => format!("diskutil info -plist {bsd}"),
        None => "diskutil info -plist".to_owned(),
    };
    let (kind, sure) = kind_by_bus(info);
    set_kind(&mut link, kind, sure);
    note(&mut link, &tool, "BusProtocol", info.bus.as_deref().unwrap_or("absent"));
    if let Some(internal) = info.internal.filter(|_| info.bus.as_deref() != Some("USB")) {
        note(&mut link, &tool, "Internal", if internal { "true" } else { "false" });
    }
    if let Some(path) = &info.tree_path
        && has_thunderbolt(path)
    {
        note(&mut link, &tool, "DeviceTreePath", path);
    }
    link
}

/// The kind by `IOKit`'s interconnect strings. There is none for Thunderbolt: a disk behind it is an external one on PCI Express.
fn kind_by_bus(info: &Info) -> (LinkKind, Confidence) {
    let path = info.tree_path.as_deref();
    match info.bus.as_deref() {
        Some("USB") => (LinkKind::Usb, Confidence::High),
        Some("PCI-Express" | "PCI") => match (info.internal, path) {
            (Some(true), _) => (LinkKind::Pcie, Confidence::High),
            (Some(false), Some(path)) if is_tunnelled(path) => (LinkKind::Thunderbolt, Confidence::High),
            // A slot of a Mac Pro, perhaps.
            (Some(false), Some(_)) => (LinkKind::Pcie, Confidence::Low),
            (Some(false), None) => (LinkKind::Thunderbolt, Confidence::Medium),
            (None, _) => (LinkKind::Unknown, Confidence::None),
        },
        Some("Apple Fabric") => (LinkKind::AppleFabric, Confidence::High),
        Some("SATA" | "ATA" | "ATAPI") => (LinkKind::Sata, Confidence::High),
        Some("FireWire") => (LinkKind::FireWire, Confidence::High),
        Some("Secure Digital") => (LinkKind::Sd, Confidence::High),
        Some("SAS") => (LinkKind::Sas, Confidence::High),
        Some("Fibre Channel Interface") => (LinkKind::FibreChannel, Confidence::High),
        Some("Virtual Interface") => (LinkKind::Virtual, Confidence::High),
        _ => (LinkKind::Unknown, Confidence::None),
    }
}

/// The PCI Express root of a Thunderbolt port: `apciec0` on Apple silicon (the internal disk's is another), `UPSB` on Intel.
fn has_thunderbolt(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with("apciec") || part.starts_with("UPSB"))
}

/// A path through a Thunderbolt controller whose end is not that controller's own USB.
pub(super) fn is_tunnelled(path: &str) -> bool {
    has_thunderbolt(path) && !is_usb(path)
}

/// A path through a USB controller.
pub(super) fn is_usb(path: &str) -> bool {
    let of_usb = |part: &str| part.starts_with("XHC") || part.starts_with("EHC") || part.starts_with("usb");
    path.split('/').any(of_usb)
}

/// Whether a USB disk's path goes through a second Thunderbolt controller, or through the PCI Express of a Thunderbolt port: the
/// USB port is a dock's.
fn is_in_dock(path: &str) -> bool {
    let upstream = path.split('/').filter(|part| part.starts_with("UPSB")).count();
    upstream > 1 || path.contains("/apciec")
}

fn on_usb(asker: &mut Asker, bsd: &str, info: &Info, link: &mut Link) {
    if info.tree_path.as_deref().is_some_and(is_in_dock) {
        through_thunderbolt(asker, "dock", link);
    }
    if !usb::by_registry(asker, bsd, link) {
        usb::by_lists(asker, bsd, info, link);
    }
    if info.internal == Some(true) {
        in_card_reader(asker, bsd, link);
    }
}

/// A card in a built-in USB reader: the reader's link bounds it, and the card's own bus is not told.
fn in_card_reader(asker: &mut Asker, bsd: &str, link: &mut Link) {
    let Some(answer) = profile(asker, "SPCardReaderDataType", link) else { return };
    let Some((_, name)) = card_reader::cards(&answer).into_iter().find(|(card, _)| *card == bsd) else { return };
    note(link, &xml("SPCardReaderDataType"), "bsd_name", bsd);
    link.port_max_bps = link.negotiated_bps;
    set_kind(link, LinkKind::Sd, Confidence::Medium);
    set_rate(link, None, Confidence::None);
    link.device = name.and_then(clean).or_else(|| link.device.take());
}

fn xml(data_type: &str) -> String {
    format!("system_profiler -xml {data_type}")
}

fn profile(asker: &mut Asker, data_type: &str, link: &mut Link) -> Option<Value> {
    match asker.value("system_profiler", &["-xml", data_type]) {
        Ok(answer) => answer,
        Err(why) => {
            note(link, &xml(data_type), "answer", &why);
            None
        }
    }
}

fn connected(asker: &mut Asker, link: &mut Link) -> Vec<thunderbolt::Device> {
    let answer = profile(asker, "SPThunderboltDataType", link);
    let devices = answer.as_ref().map(thunderbolt::devices).unwrap_or_default();
    devices.into_iter().filter(|device| !device.is_computer).collect()
}

/// Puts the Thunderbolt device on the way into the chain, by name if it is the only one.
fn through_thunderbolt(asker: &mut Asker, kind: &str, link: &mut Link) {
    let devices = connected(asker, link);
    let only = if let [only] = devices.as_slice() { Some(only) } else { None };
    let (name, bps) = only.map_or((None, None), |only| (only.name.as_deref(), only.bps));
    link.chain.push(element(kind, name, bps));
}

/// Nothing joins a disk to a Thunderbolt device, so the rate is known if there is only one, or if all have the same.
fn on_thunderbolt(asker: &mut Asker, link: &mut Link) {
    let tool = xml("SPThunderboltDataType");
    let devices = connected(asker, link);
    let sure = match devices.as_slice() {
        [] => return,
        [_] => Confidence::High,
        [first, rest @ ..] if rest.iter().all(|other| (other.kind, other.bps) == (first.kind, first.bps)) => {
            Confidence::Medium
        }
        several => {
            for device in several {
                note(link, &tool, "candidate", &candidate(device));
            }
            return;
        }
    };
    let [first, rest @ ..] = devices.as_slice() else { return };
    note(link, &tool, "current_speed_key", &candidate(first));
    set_kind(link, first.kind, link.kind_confidence.min(Confidence::High));
    set_rate(link, first.bps, sure);
    if rest.is_empty() {
        link.vendor = link.vendor.take().or_else(|| first.vendor.as_deref().and_then(clean));
        link.chain.push(element("enclosure", first.name.as_deref(), first.bps));
    }
}

fn candidate(device: &thunderbolt::Device) -> String {
    let name = device.name.as_deref().unwrap_or("a device");
    match device.bps {
        Some(bps) => format!("{name} at {} Gb/s", bps / 1_000_000_000),
        None => format!("{name}, rate unknown"),
    }
}

fn on_sata(asker: &mut Asker, bsd: &str, link: &mut Link) {
    let Some(answer) = profile(asker, "SPSerialATADataType", link) else { return };
    let Some(disk) = sata::disks(&answer).into_iter().find(|disk| disk.bsd_name == bsd) else { return };
    take_sata(link, &disk);
}

/// Takes what the list says of a SATA disk.
pub(super) fn take_sata(link: &mut Link, disk: &sata::Disk) {
    let (key, told) = disk.told.as_ref().map_or(("spsata_negotiatedlinkspeed", "absent"), |(key, told)| (*key, told));
    note(link, &xml("SPSerialATADataType"), key, told);
    set_kind(link, disk.kind, Confidence::Certain);
    set_rate(link, disk.bps, Confidence::Certain);
    link.port_max_bps = disk.port_max_bps;
    link.bsd_name = Some(disk.bsd_name.clone());
    link.device = disk.model.as_deref().and_then(clean).or_else(|| link.device.take());
}

fn on_firewire(asker: &mut Asker, bsd: &str, link: &mut Link) {
    let Some(answer) = profile(asker, "SPFireWireDataType", link) else { return };
    let Some(disk) = firewire::disks(&answer).into_iter().find(|disk| disk.bsd_name == bsd) else { return };
    take_firewire(link, &disk);
}

/// Takes what the list says of a FireWire disk.
pub(super) fn take_firewire(link: &mut Link, disk: &firewire::Disk) {
    note(link, &xml("SPFireWireDataType"), "connected_speed", disk.told.as_deref().unwrap_or("absent"));
    set_kind(link, disk.kind, Confidence::Certain);
    set_rate(link, disk.bps, Confidence::Certain);
    link.bsd_name = Some(disk.bsd_name.clone());
    link.device = disk.name.as_deref().and_then(clean).or_else(|| link.device.take());
    link.vendor = disk.vendor.as_deref().and_then(clean);
}

fn on_fibre_channel(asker: &mut Asker, bsd: &str, link: &mut Link) {
    let Some(answer) = profile(asker, "SPFibreChannelDataType", link) else { return };
    let Some(disk) = fibre_channel::disks(&answer).into_iter().find(|disk| disk.bsd_name == bsd) else { return };
    take_fibre_channel(link, &disk);
}

/// Takes what the list says of a disk on Fibre Channel.
pub(super) fn take_fibre_channel(link: &mut Link, disk: &fibre_channel::Disk) {
    let rate = disk.bps.map_or_else(|| "absent".to_owned(), |bps| bps.to_string());
    note(link, &xml("SPFibreChannelDataType"), "speed", &rate);
    set_kind(link, LinkKind::FibreChannel, Confidence::Certain);
    set_rate(link, disk.bps, Confidence::Certain);
    link.bsd_name = Some(disk.bsd_name.clone());
    link.device = disk.model.as_deref().and_then(clean).or_else(|| link.device.take());
    link.vendor = disk.vendor.as_deref().and_then(clean);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_path_tells_a_tunnelled_disk_from_usb() {
        for (path, tunnelled, dock) in [
            (
                "IODeviceTree:/arm-io@10F00000/apciec0@50000000/pcic0-bridge@0/pci15b7,5030@0/IONVMeController",
                true,
                true,
            ),
            ("IODeviceTree:/arm-io@10F00000/ans@19600000/iop-ans-nub/AppleANS3CGv2Controller", false, false),
            ("IODeviceTree:/PCI0@0/PEG2@1,2/UPSB@0/DSB2@2/XHC3@0", false, false),
            ("IODeviceTree:/PCI0@0/PEG2@1,2/UPSB@0/DSB1@1/UPSB@0/DSB4@4/XHC4@0", false, true),
            ("IODeviceTree:/PCI0@0/RP05@1C,4/UPSB@0/DSB1@1/NVME@0", true, false),
        ] {
            assert_eq!((is_tunnelled(path), is_in_dock(path)), (tunnelled, dock), "{path}");
        }
    }

    #[test]
    fn each_interconnect_is_a_kind_and_thunderbolt_is_none() {
        let kind = |bus: &str, internal| {
            kind_by_bus(&Info { bus: Some(bus.to_owned()), internal: Some(internal), ..Info::default() })
        };
        for (bus, internal, expected) in [
            ("USB", false, LinkKind::Usb),
            ("USB", true, LinkKind::Usb),
            ("PCI-Express", true, LinkKind::Pcie),
            ("PCI-Express", false, LinkKind::Thunderbolt),
            ("PCI", true, LinkKind::Pcie),
            ("PCI", false, LinkKind::Thunderbolt),
            ("SATA", true, LinkKind::Sata),
            ("SATA", false, LinkKind::Sata),
            ("ATA", true, LinkKind::Sata),
            ("ATAPI", true, LinkKind::Sata),
            ("Apple Fabric", true, LinkKind::AppleFabric),
            ("Secure Digital", true, LinkKind::Sd),
            ("FireWire", false, LinkKind::FireWire),
            ("SAS", false, LinkKind::Sas),
            ("Fibre Channel Interface", false, LinkKind::FibreChannel),
            ("Virtual Interface", true, LinkKind::Virtual),
            ("Thunderbolt", false, LinkKind::Unknown),
            ("SCSI Parallel Interface", false, LinkKind::Unknown),
        ] {
            assert_eq!(kind(bus, internal).0, expected, "{bus} {internal}");
        }
    }
}
