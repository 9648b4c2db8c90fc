//! Saved answers of Apple's tools, recognised by their content: what each alone says, with what decided.

use super::finding::{blank, clean, element, finish, note, set_kind, set_rate};
use super::ifconfig::{Class, Interface};
use super::interface::{self, Network};
use super::value_of::{list, read, text};
use super::{
    card_reader, disk, diskutil, fibre_channel, firewire, hdiutil, ioreg_usb, network, networksetup, sata, saved_text,
    smbutil, system_profiler, system_profiler_usb as usb_lists, thunderbolt, usb, wi_fi,
};
use crate::apple::value::Value;
use crate::domain::link::{Confidence, Link, LinkKind, Seen};

/// What a saved answer says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explained {
    /// The tool that gave it.
    pub tool: String,
    /// The links that it tells of.
    pub links: Vec<Link>,
    /// What else it tells, and what it does not.
    pub notes: Vec<String>,
}

impl Explained {
    pub(super) fn of(tool: &str) -> Self {
        Self { tool: tool.to_owned(), ..Self::default() }
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(super) fn links(mut self, links: impl IntoIterator<Item = Link>, otherwise: &str) -> Self {
        self.links.extend(links.into_iter().map(finish));
        if self.links.is_empty() { self.note(otherwise) } else { self }
    }
}

/// Explains saved answers, one result a file; `None` for what is no answer of a known tool. An answer of networksetup among
/// them names the ports of ifconfig.
pub fn explain(files: &[&[u8]]) -> Vec<Option<Explained>> {
    let texts: Vec<String> = files.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    let ports: Vec<_> = texts.iter().flat_map(|text| networksetup::read(text)).collect();
    let explained = |(bytes, text): (&&[u8], &String)| match read(bytes) {
        Ok(value @ (Value::Dict(_) | Value::Array(_))) => structured(&value),
        _ => saved_text::explain(text, &ports),
    };
    files.iter().zip(&texts).map(explained).collect()
}

fn structured(answer: &Value) -> Option<Explained> {
    let has = |key: &str| answer.get(key).is_some();
    let data_types = system_profiler::data_types(answer);
    if !data_types.is_empty() {
        return Some(profiles(answer, &data_types));
    }
    if smbutil::is_multichannel(answer) {
        return Some(multichannel(answer));
    }
    if smbutil::is_statshares(answer) {
        let protocols = smbutil::protocols(answer);
        return Some(protocols.into_iter().fold(Explained::of("smbutil statshares"), Explained::note));
    }
    if has("images") || has("framework") {
        return Some(images(&hdiutil::images(answer)));
    }
    if has("CoreStorageRole") || has("CoreStorageLogicalVolumeGroups") {
        return Some(Explained::of("diskutil cs").note("CoreStorage is no link: its physical volumes lie below"));
    }
    if has("AllDisksAndPartitions") || has("Containers") {
        return Some(Explained::of("diskutil list").note("no bus is told here"));
    }
    if answer.get("Error").and_then(Value::as_bool) == Some(true) {
        return Some(Explained::of("diskutil info -plist").note("an error: no disk of this Mac by that name"));
    }
    if has("DeviceIdentifier") || has("BusProtocol") {
        return diskutil::info(answer).map(|info| disk_info(&info));
    }
    registry(answer)
}

/// What a registry says, of either form.
pub(super) fn registry(answer: &Value) -> Option<Explained> {
    let mut found = ioreg_usb::disks(answer);
    if found.is_empty() {
        found = ioreg_usb::devices(answer);
    }
    let is_registry = !found.is_empty() || list_of(answer).iter().any(|node| node.get("IOObjectClass").is_some());
    let link = |found: &ioreg_usb::Found| {
        let mut link = blank(Seen::Past);
        usb::fill(&mut link, found, "IOUSBHostDevice");
        link
    };
    is_registry.then(|| Explained::of("ioreg").links(found.iter().map(link), "no USB device here"))
}

fn list_of(answer: &Value) -> &[Value] {
    answer.as_array().unwrap_or(std::slice::from_ref(answer))
}

fn disk_info(info: &diskutil::Info) -> Explained {
    let mut link = disk::of_info(Seen::Past, info);
    if info.bus.as_deref() == Some("Disk Image") {
        set_kind(&mut link, LinkKind::DiskImage, Confidence::High);
    }
    let told = Explained::of("diskutil info -plist").links([link], "");
    if !info.stores.is_empty() {
        return told.note(format!("lies on {}", info.stores.join(" and ")));
    }
    match &info.whole {
        Some(whole) if !info.is_whole => told.note(format!("a part of {whole}")),
        _ => told,
    }
}

/// What is known of attached images. Their paths may hold names of people.
pub(super) fn images(images: &[hdiutil::Image]) -> Explained {
    let link = |image: &hdiutil::Image| {
        let mut link = blank(Seen::Past);
        let kind = if image.is_ram() { LinkKind::Ram } else { LinkKind::DiskImage };
        set_kind(&mut link, kind, Confidence::Certain);
        link.bsd_name = image.devices.first().cloned();
        note(&mut link, "hdiutil info", "image-type", image.kind.as_deref().unwrap_or("absent"));
        let element = element("disk image", image.kind.as_deref(), None);
        link.chain.push(element);
        link
    };
    let told = Explained::of("hdiutil info").links(images.iter().map(link), "nothing is attached");
    let on_share = images.iter().any(|image| super::mount::is_hidden(&image.path));
    if on_share { told.note("on a share that Time Machine has mounted") } else { told }
}

fn multichannel(answer: &Value) -> Explained {
    let mut told = Explained::of("smbutil multichannel");
    for (_, session) in smbutil::sessions(answer) {
        let channels: Vec<Link> = session.active().into_iter().map(channel).map(finish).collect();
        if channels.is_empty() {
            told = told.note("multichannel is off: the interface is not told here");
        }
        if channels.len() > 1 {
            told.links.push(network::sum(Seen::Past, &channels));
        }
        told.links.extend(channels);
    }
    told
}

/// The link of a channel, as far as SMB tells it.
pub(super) fn channel(channel: &smbutil::Channel) -> Link {
    let mut link = blank(Seen::Past);
    link.bsd_name.clone_from(&channel.interface);
    network::take_channel(&mut link, channel);
    link
}

/// Several data types may be asked for at once. What a type lacks is only worth a word if no other tells of a link.
fn profiles(answer: &Value, data_types: &[&str]) -> Explained {
    let mut told = Explained::of(&format!("system_profiler {}", data_types.join(" ")));
    for one in data_types.iter().map(|data_type| profile(answer, data_type)) {
        told.links.extend(one.links);
        told.notes.extend(one.notes);
    }
    if data_types.len() > 1 && !told.links.is_empty() {
        told.notes.clear();
    }
    told
}

fn profile(answer: &Value, data_type: &str) -> Explained {
    let told = Explained::of(&format!("system_profiler {data_type}"));
    let items = system_profiler::items(answer, data_type);
    match data_type {
        usb_lists::OLD | usb_lists::NEW => told.links(usb_disks(answer, data_type), "no disk on USB"),
        "SPThunderboltDataType" => {
            told.links(thunderbolt::devices(answer).iter().map(on_thunderbolt), "nothing on Thunderbolt")
        }
        "SPSerialATADataType" => {
            told.links(sata::disks(answer).iter().map(|found| taken(found, disk::take_sata)), "no SATA disk")
        }
        "SPFireWireDataType" => told
            .links(firewire::disks(answer).iter().map(|found| taken(found, disk::take_firewire)), "no FireWire disk"),
        "SPFibreChannelDataType" => told.links(
            fibre_channel::disks(answer).iter().map(|found| taken(found, disk::take_fibre_channel)),
            "no disk on Fibre Channel",
        ),
        "SPCardReaderDataType" => told.links(card_reader::cards(answer).into_iter().map(card), "no card"),
        "SPAirPortDataType" => told.links(wi_fi::networks(answer).into_iter().map(on_wi_fi), "no Wi-Fi network"),
        "SPNVMeDataType" => {
            told.links(items.iter().flat_map(|controller| list(controller, "_items")).map(nvme), "no disk")
        }
        "SPHardwareDataType" => items.iter().flat_map(hardware).fold(told, Explained::note),
        _ => told.note("nothing here tells of a link"),
    }
}

fn taken<T>(found: &T, take: fn(&mut Link, &T)) -> Link {
    let mut link = blank(Seen::Past);
    take(&mut link, found);
    link
}

/// The devices that hold a disk. The list since macOS 26 names no disks: there, all devices that can be unplugged.
fn usb_disks(answer: &Value, data_type: &str) -> Vec<Link> {
    let devices = usb_lists::devices(answer);
    let is_hub = |at: usize| devices.iter().any(|device| device.hubs.contains(&at));
    let is_wanted = |(at, device): &(usize, &usb_lists::Device)| {
        let holds_disk = !device.bsd_names.is_empty();
        device.bps.is_some() && (holds_disk || (data_type == usb_lists::NEW && device.removable && !is_hub(*at)))
    };
    let link = |(_, device): (usize, &usb_lists::Device)| {
        let mut link = blank(Seen::Past);
        link.bsd_name = device.bsd_names.first().cloned();
        let sure = if device.bsd_names.is_empty() { Confidence::High } else { Confidence::Certain };
        usb::take(&mut link, device, &devices, &format!("system_profiler {data_type}"), sure);
        link
    };
    devices.iter().enumerate().filter(is_wanted).map(link).collect()
}

fn on_thunderbolt(device: &thunderbolt::Device) -> Link {
    let mut link = blank(Seen::Past);
    let kind = if device.is_computer { LinkKind::ThunderboltIp } else { device.kind };
    set_kind(&mut link, kind, Confidence::High);
    set_rate(&mut link, device.bps, Confidence::High);
    let rate = device.bps.map_or_else(|| "absent".to_owned(), |bps| format!("{} Gb/s", bps / 1_000_000_000));
    note(&mut link, "system_profiler SPThunderboltDataType", "current_speed_key", &rate);
    // The name of a computer may be its owner's.
    link.device = device.name.as_deref().filter(|_| !device.is_computer).and_then(clean);
    link.vendor = device.vendor.as_deref().and_then(clean);
    link.chain = device.before.iter().map(|name| element("dock", name.as_deref(), None)).collect();
    link
}

fn card((bsd_name, name): (&str, Option<&str>)) -> Link {
    let mut link = blank(Seen::Past);
    set_kind(&mut link, LinkKind::Sd, Confidence::Medium);
    link.bsd_name = Some(bsd_name.to_owned());
    link.device = name.and_then(clean);
    note(&mut link, "system_profiler SPCardReaderDataType", "bsd_name", bsd_name);
    link
}

fn on_wi_fi((interface, found): (&str, wi_fi::Network)) -> Link {
    let mut link = blank(Seen::Past);
    link.bsd_name = Some(interface.to_owned());
    interface::take_wi_fi(&mut link, &found, "system_profiler SPAirPortDataType", Confidence::Certain);
    link
}

/// The speed told here is that between the SSD and its controller, which may sit in an enclosure.
fn nvme(node: &Value) -> Link {
    const TOOL: &str = "system_profiler SPNVMeDataType";
    let mut link = blank(Seen::Past);
    link.bsd_name = text(node, "bsd_name").map(str::to_owned);
    link.device = text(node, "device_model").and_then(clean);
    match (text(node, "spnvme_linkspeed"), text(node, "spnvme_linkwidth")) {
        (Some(speed), Some(width)) => {
            note(&mut link, TOOL, "spnvme_linkspeed", &format!("{speed} {width}, not the link to the Mac"));
        }
        _ => note(&mut link, TOOL, "spnvme_linkspeed", "absent"),
    }
    link
}

fn hardware(node: &Value) -> Vec<String> {
    ["machine_model", "chip_type", "cpu_type", "physical_memory"]
        .into_iter()
        .filter_map(|key| clean(text(node, key)?))
        .collect()
}

/// The links of the interfaces of a saved ifconfig that are up and have an address.
pub(super) fn interfaces(network: &Network) -> Explained {
    let is_used = |found: &&Interface| {
        found.active != Some(false) && found.addresses.iter().any(|address| !address.starts_with("fe80"))
    };
    let links = network.interfaces.iter().filter(is_used).filter_map(|found| {
        let mut link = blank(Seen::Past);
        let class = interface::alone(network, found, &mut link);
        (!matches!(class, Some(Class::Loopback | Class::Other))).then_some(link)
    });
    Explained::of("ifconfig").links(links, "no interface is up")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(bytes: &[u8]) -> Explained {
        explain(&[bytes]).remove(0).unwrap()
    }

    #[test]
    fn an_answer_is_known_by_its_content() {
        let disk = one(
            b"<plist version=\"1.0\"><dict><key>DeviceIdentifier</key><string>disk4s2</string><key>BusProtocol</key>\
              <string>USB</string><key>Internal</key><false/><key>ParentWholeDisk</key><string>disk4</string></dict></plist>",
        );
        assert_eq!((disk.links[0].kind, disk.notes), (LinkKind::Usb, vec!["a part of disk4".to_owned()]));
        let nvme = one(
            br#"{"SPNVMeDataType" : [{"_items" : [{"bsd_name" : "disk4", "device_model" : "Quill", "spnvme_linkspeed" : "16.0 GT/s",
            "spnvme_linkwidth" : "x4"}]}]}"#,
        );
        assert_eq!((nvme.links[0].kind, nvme.links[0].negotiated_bps), (LinkKind::Unknown, None));
        let empty = one(br#"{"SPUSBDataType" : []}"#);
        assert_eq!(empty.notes, ["no disk on USB"]);
        assert_eq!(explain(&[b"hello", b"", b"{}", b"[]"]), [None, None, None, None]);
    }

    #[test]
    fn ports_of_one_file_name_the_interfaces_of_another() {
        let ifconfig =
            b"en0: flags=8863<UP> mtu 1500\n\tinet 192.0.2.3 netmask 0x0\n\tmedia: autoselect\n\tstatus: active\n";
        let ports = b"\nHardware Port: Wi-Fi\nDevice: en0\n";
        let told = explain(&[ifconfig, ports]);
        let link = &told[0].as_ref().unwrap().links[0];
        assert_eq!((link.kind, link.kind_confidence, link.negotiated_bps), (LinkKind::WiFi, Confidence::High, None));
    }
}
