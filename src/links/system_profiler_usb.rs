//! The USB lists of `system_profiler`: `SPUSBDataType` up to macOS 15, `SPUSBHostDataType` since 26, where the old list is
//! empty and no node names its disk.

use super::system_profiler::{bsd_names, items};
use super::usb_speed::{of_text, of_word};
use super::value_of::{first_text, list, text, whole_disk};
use crate::apple::value::Value;

/// The old list.
pub(super) const OLD: &str = "SPUSBDataType";
/// The list since macOS 26.
pub(super) const NEW: &str = "SPUSBHostDataType";

/// A device of the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Device {
    /// What it calls itself.
    pub(super) name: Option<String>,
    /// Its maker.
    pub(super) vendor: Option<String>,
    /// Its serial number: only to take it out of names.
    pub(super) serial: Option<String>,
    /// The negotiated rate in bit/s. Some devices and all buses have none.
    pub(super) bps: Option<u64>,
    /// The key and the text it came from.
    pub(super) rate: Option<(&'static str, String)>,
    /// Where it is plugged in.
    pub(super) location: Option<u64>,
    /// Whether it can be unplugged; only in the new list.
    pub(super) removable: bool,
    /// Whether it comes through a USB4 tunnel; only in the new list.
    pub(super) tunnelled: bool,
    /// The disks on it and their slices.
    pub(super) bsd_names: Vec<String>,
    /// Positions in the list of the hubs above it, from the Mac outwards.
    pub(super) hubs: Vec<usize>,
}

/// All devices, each after the hub that it hangs on. Buses are left out: they may repeat a disk's BSD name, without a speed
/// (seen in captures of 10.12).
pub(super) fn devices(answer: &Value) -> Vec<Device> {
    let mut devices = Vec::new();
    for data_type in [OLD, NEW] {
        for bus in items(answer, data_type) {
            for node in list(bus, "_items") {
                visit(node, &[], &mut devices);
            }
        }
    }
    devices
}

// As deep as the property list at most, whose depth is bounded.
fn visit(node: &Value, hubs: &[usize], devices: &mut Vec<Device>) {
    let mut found = device(node);
    found.hubs = hubs.to_vec();
    devices.push(found);
    let here: Vec<usize> = hubs.iter().copied().chain([devices.len() - 1]).collect();
    for below in list(node, "_items") {
        visit(below, &here, devices);
    }
}

fn device(node: &Value) -> Device {
    let owned = |keys: &[&str]| first_text(node, keys).map(str::to_owned);
    let rate = ["device_speed", "e_device_speed", "USBDeviceKeyLinkSpeed"]
        .into_iter()
        .find_map(|key| Some((key, text(node, key)?.to_owned())));
    Device {
        name: owned(&["_name"]),
        vendor: owned(&["manufacturer", "f_manufacturer", "USBDeviceKeyVendorName"]),
        serial: owned(&["serial_num", "d_serial_num", "USBDeviceKeySerialNumber"]),
        bps: rate
            .as_ref()
            .and_then(|(key, text)| if *key == "USBDeviceKeyLinkSpeed" { of_text(text) } else { of_word(text) }),
        rate,
        location: first_text(node, &["location_id", "g_location_id", "USBKeyLocationID"]).and_then(location),
        removable: text(node, "USBKeyHardwareType") == Some("Removable"),
        tunnelled: text(node, "USBDeviceKeyUSB4Tunnel") == Some("Yes"),
        bsd_names: bsd_names(node).into_iter().map(str::to_owned).collect(),
        hubs: Vec::new(),
    }
}

/// `0x14500000 / 4` or `0x14500000`.
fn location(text: &str) -> Option<u64> {
    let hex = text.split_whitespace().next()?.strip_prefix("0x")?;
    u64::from_str_radix(hex, 16).ok()
}

/// The device with this disk on it: the last in the list that has a speed, which is the one farthest out.
pub(super) fn with_disk<'a>(devices: &'a [Device], disk: &str) -> Option<&'a Device> {
    let holds = |device: &&Device| device.bsd_names.iter().any(|name| whole_disk(name) == Some(disk));
    devices.iter().filter(holds).rfind(|device| device.bps.is_some())
}

/// Second bytes of location ids differed in some setups, seen in another project; a match without it is less sure.
const WITHOUT_SECOND_BYTE: u64 = 0xFF00_FFFF;

/// The device at a location, and whether it is there to the bit. Several of the second kind are none.
pub(super) fn at_location(devices: &[Device], location: u64) -> Option<(&Device, bool)> {
    if let Some(exact) = devices.iter().find(|device| device.location == Some(location)) {
        return Some((exact, true));
    }
    let is_near = |device: &&Device| {
        device.location.is_some_and(|other| other & WITHOUT_SECOND_BYTE == location & WITHOUT_SECOND_BYTE)
    };
    let mut near = devices.iter().filter(is_near);
    match (near.next(), near.next()) {
        (Some(device), None) => Some((device, false)),
        _ => None,
    }
}

/// The removable devices with a speed whose name, with or without the maker's, is this disk's.
pub(super) fn called<'a>(devices: &'a [Device], disk_name: &str) -> Vec<&'a Device> {
    let wanted = plain(disk_name);
    let fits = |device: &&Device| {
        let name = plain(device.name.as_deref().unwrap_or_default());
        let full = plain(&format!("{} {name}", device.vendor.as_deref().unwrap_or_default()));
        device.removable && device.bps.is_some() && !name.is_empty() && (name == wanted || full == wanted)
    };
    devices.iter().filter(fits).collect()
}

fn plain(name: &str) -> String {
    let name = name.trim();
    let name = name.strip_suffix(" Media").unwrap_or(name);
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn a_bus_that_repeats_the_disk_is_passed() {
        let list = read(
            br#"{"SPUSBDataType" : [{"_name" : "USB20Bus", "bsd_name" : "disk1", "_items" : [
              {"_name" : "Hub", "device_speed" : "high_speed", "location_id" : "0xfa100000 / 2", "_items" : [
                {"_name" : "External USB 3.0", "device_speed" : "high_speed", "location_id" : "0xfa140000 / 4",
                 "Media" : [{"bsd_name" : "disk1", "volumes" : [{"bsd_name" : "disk1s2"}]}]}]}]}]}"#,
        )
        .unwrap();
        let devices = devices(&list);
        let disk = with_disk(&devices, "disk1").unwrap();
        assert_eq!((disk.bps, disk.hubs.as_slice()), (Some(480_000_000), [0].as_slice()));
        assert_eq!(disk.location, Some(0xfa14_0000));
        assert_eq!(with_disk(&devices, "disk2"), None);
    }

    #[test]
    fn the_prefixed_keys_of_10_7_are_the_same_words() {
        let list = read(
            br#"[{"_dataType" : "SPUSBDataType", "_items" : [{"_name" : "EHCI", "_items" : [{"_name" : "Stick",
              "bsd_name" : "disk2", "e_device_speed" : "full_speed", "f_manufacturer" : "Quill", "g_location_id" : "0x04400000"}]}]}]"#,
        )
        .unwrap();
        let devices = devices(&list);
        let disk = with_disk(&devices, "disk2").unwrap();
        assert_eq!((disk.bps, disk.vendor.as_deref()), (Some(12_000_000), Some("Quill")));
    }

    #[test]
    fn the_new_list_is_joined_by_location_or_name() {
        let device = |name: &str, speed: &str, location: &str| {
            format!(
                r#"{{"_name" : "{name}", "USBDeviceKeyLinkSpeed" : "{speed}", "USBDeviceKeyVendorName" : "Quill",
                "USBKeyHardwareType" : "Removable", "USBKeyLocationID" : "{location}"}}"#
            )
        };
        let list = format!(
            r#"{{"SPUSBHostDataType" : [{{"_name" : "USB 3.1 Bus", "_items" : [{},{},{}]}}]}}"#,
            device(" QX-2", "10 Gb/s", "0x01200000"),
            device("QX-3", "480 Mb/s", "0x02100000"),
            device("QX-3", "5 Gb/s", "0x02200000"),
        );
        let devices = devices(&read(list.as_bytes()).unwrap());
        assert_eq!(
            at_location(&devices, 0x0120_0000).map(|(d, exact)| (d.bps, exact)),
            Some((Some(10_000_000_000), true))
        );
        assert_eq!(at_location(&devices, 0x0130_0000).map(|(_, exact)| exact), Some(false));
        assert_eq!(at_location(&devices, 0x0230_0000), None);
        assert_eq!(called(&devices, "Quill QX-2 Media").len(), 1);
        assert_eq!(called(&devices, "qx-3").len(), 2);
        assert_eq!(called(&devices, "").len(), 0);
    }
}
