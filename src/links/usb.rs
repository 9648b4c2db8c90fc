//! A disk on USB: its speed by the registry first, then by the lists of `system_profiler`.

use super::asker::Asker;
use super::finding::{clean_without, element, note, set_kind, set_rate};
use super::ioreg_usb::{self, Device, Found};
use super::system_profiler_usb::{self as lists, NEW, OLD};
use super::usb_speed::kind_of;
use super::{diskutil::Info, sw_vers};
use crate::domain::link::{Confidence, Link, LinkKind};

/// The class since 10.11, then the one before.
const CLASSES: &[&str] = &["IOUSBHostDevice", "IOUSBDevice"];

/// The key under which a device's claim is noted; [`super::warnings`] looks for it.
pub(super) const CLAIM: &str = "bcdUSB";

/// Looks for the disk below a USB device of the registry. This may be asked at any time.
pub(super) fn by_registry(asker: &mut Asker, bsd: &str, link: &mut Link) -> bool {
    for class in CLASSES {
        match asker.value("ioreg", &["-a", "-l", "-r", "-c", class]) {
            Ok(Some(answer)) => {
                if let Some(found) = ioreg_usb::find(&answer, bsd) {
                    fill(link, &found, class);
                    return true;
                }
            }
            Ok(None) => {}
            Err(why) => note(link, &tool(class), "answer", &why),
        }
    }
    false
}

fn tool(class: &str) -> String {
    format!("ioreg -a -l -r -c {class}")
}

/// Puts in what the registry says: the kind is proven by the place below a USB device.
pub(super) fn fill(link: &mut Link, found: &Found, class: &str) {
    let Found { hubs, device, disk_model, bsd_name, transport } = found;
    let tool = tool(class);
    if let Some(rate) = &device.rate {
        note(link, &tool, rate.key, &rate.value.to_string());
    }
    if let Some(claims) = device.claims {
        note(link, &tool, CLAIM, &format!("{claims:#06x}"));
    }
    let media = match bsd_name {
        Some(bsd) => format!("ioreg, IOMedia with BSD Name = {bsd}"),
        None => tool,
    };
    note(link, &media, "USB Product Name", &name_of(device).unwrap_or_else(|| "absent".to_owned()));
    if let Some(location) = device.location {
        let tool = match hubs.len() {
            0 => "ioreg, no hub above it".to_owned(),
            1 => "ioreg, one hub above it".to_owned(),
            number => format!("ioreg, {number} hubs above it"),
        };
        note(link, &tool, "locationID", &format!("{location:#010x}"));
    }
    let bps = device.rate.as_ref().map(|rate| rate.bps);
    let sure = if device.rate.as_ref().is_some_and(|rate| rate.key == "Device Speed") {
        Confidence::High
    } else {
        Confidence::Certain
    };
    set_kind(link, bps.map_or(LinkKind::Usb, kind_of), Confidence::Certain);
    set_rate(link, bps, sure);
    link.bsd_name.clone_from(bsd_name);
    link.transport = transport.map(str::to_owned);
    link.chain.extend(hubs.iter().map(hub));
    names(link, device.name.as_deref(), device.vendor.as_deref(), device.serial.as_deref(), disk_model.as_deref());
}

fn name_of(device: &Device) -> Option<String> {
    clean_without(device.name.as_deref()?, device.serial.as_deref())
}

/// A hub of the chain.
pub(super) fn hub(device: &Device) -> crate::domain::link::ChainElement {
    element("hub", device.name.as_deref(), device.rate.as_ref().map(|rate| rate.bps))
}

/// The disk is the device; an enclosure of another name is a part of the way.
fn names(link: &mut Link, name: Option<&str>, vendor: Option<&str>, serial: Option<&str>, model: Option<&str>) {
    let name = name.and_then(|name| clean_without(name, serial));
    let model = model.and_then(|model| clean_without(model, serial)).or_else(|| link.device.take());
    link.vendor = vendor.and_then(|vendor| clean_without(vendor, serial)).or_else(|| link.vendor.take());
    match (name, model) {
        (Some(name), Some(model)) if !is_part(&name, &model) => {
            link.chain.push(element("enclosure", Some(&name), link.negotiated_bps));
            link.device = Some(model);
        }
        (name, model) => link.device = name.or(model),
    }
}

/// Whether one of two names holds the other, as `LaCie Rugged` does `Rugged`.
fn is_part(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    a.contains(&b) || b.contains(&a)
}

/// Looks for the disk in the lists of `system_profiler`, the one of this macOS first.
pub(super) fn by_lists(asker: &mut Asker, disk: &str, info: &Info, link: &mut Link) {
    let types = if sw_vers::major(asker).is_some_and(|major| major >= 26) { [NEW, OLD] } else { [OLD, NEW] };
    for data_type in types {
        let tool = format!("system_profiler -xml {data_type}");
        match asker.value("system_profiler", &["-xml", data_type]) {
            Ok(answer) => {
                let devices = answer.as_ref().map(lists::devices).unwrap_or_default();
                if in_list(&devices, disk, info, &tool, link) {
                    return;
                }
            }
            Err(why) => note(link, &tool, "answer", &why),
        }
    }
}

/// Looks in one list; says whether it decided, be it that several devices fit.
pub(super) fn in_list(devices: &[lists::Device], disk: &str, info: &Info, tool: &str, link: &mut Link) -> bool {
    if let Some(device) = lists::with_disk(devices, disk) {
        note(link, tool, "bsd_name", disk);
        take(link, device, devices, tool, Confidence::Certain);
        return true;
    }
    if let Some(location) = info.tree_path.as_deref().and_then(location)
        && let Some((device, exact)) = lists::at_location(devices, location)
    {
        note(link, tool, "location", &format!("{location:#010x}, the end of DeviceTreePath"));
        take(link, device, devices, tool, if exact { Confidence::High } else { Confidence::Medium });
        return true;
    }
    let names = [info.model(), info.entry_name.as_deref()];
    let Some(fits) = names.into_iter().flatten().map(|name| lists::called(devices, name)).find(|fits| !fits.is_empty())
    else {
        return false;
    };
    if let [device] = fits.as_slice() {
        note(link, tool, "_name", device.name.as_deref().unwrap_or_default());
        take(link, device, devices, tool, Confidence::Medium);
    } else {
        for device in fits {
            let name = device.name.as_deref().unwrap_or_default();
            let text = device.rate.as_ref().map(|(_, text)| text.as_str()).unwrap_or_default();
            note(link, tool, "candidate", &format!("{name} at {text}"));
        }
    }
    true
}

/// Takes what a list says of a device.
pub(super) fn take(link: &mut Link, device: &lists::Device, all: &[lists::Device], tool: &str, sure: Confidence) {
    if let Some((key, text)) = &device.rate {
        note(link, tool, key, text);
    }
    set_kind(link, device.bps.map_or(LinkKind::Usb, kind_of), link.kind_confidence.max(sure));
    set_rate(link, device.bps, sure);
    let hubs = device.hubs.iter().filter_map(|at| all.get(*at));
    link.chain.extend(hubs.map(|hub| element("hub", hub.name.as_deref(), hub.bps)));
    if device.tunnelled {
        note(link, tool, "USBDeviceKeyUSB4Tunnel", "Yes");
    }
    names(link, device.name.as_deref(), device.vendor.as_deref(), device.serial.as_deref(), None);
}

/// The location id at the end of a path on Apple silicon: `…/usb-drd1-port-ss@01200000`. On Intel it has none.
pub(super) fn location(tree_path: &str) -> Option<u64> {
    let (name, id) = tree_path.rsplit('/').next()?.split_once('@')?;
    let is_port = name.starts_with("usb-") || name.contains("-port");
    (is_port && id.len() == 8).then(|| u64::from_str_radix(id, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ports_of_apple_silicon_have_a_location() {
        assert_eq!(
            location("IODeviceTree:/arm-io@10F00000/usb-drd1@2280000/usb-drd1-port-ss@01200000"),
            Some(0x0120_0000)
        );
        assert_eq!(location("IODeviceTree:/PCI0@0/XHC1@14"), None);
        assert_eq!(location("IODeviceTree:/arm-io@10F00000/ans@19600000"), None);
    }

    #[test]
    fn an_enclosure_of_another_name_is_a_part_of_the_way() {
        let mut link = super::super::finding::blank(crate::domain::link::Seen::Before);
        names(&mut link, Some("Quill Case S77X01"), Some("Quill"), Some("S77X01"), Some("ST99"));
        assert_eq!(link.device.as_deref(), Some("ST99"));
        assert_eq!(link.chain[0].name.as_deref(), Some("Quill Case"));
        let mut link = super::super::finding::blank(crate::domain::link::Seen::Before);
        names(&mut link, Some("Quill Case"), None, None, Some("Case"));
        assert_eq!((link.device.as_deref(), link.chain.len()), (Some("Quill Case"), 0));
    }
}
