//! `ioreg -a -l -r -c IOUSBHostDevice`: the USB devices with what hangs below them. The only answer that joins a disk or a
//! network interface to the speed of its link, at any time.

use super::rates::BULK_ONLY;
use super::usb_speed::{kind_of, of_connection_code, of_device_code};
use super::value_of::{first_text, text};
use crate::apple::value::Value;
use crate::domain::link::LinkKind;

/// A USB device: a hub, a disk, an adapter.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Device {
    /// What it calls itself.
    pub(super) name: Option<String>,
    /// Its maker.
    pub(super) vendor: Option<String>,
    /// Its serial number: only to take it out of names.
    pub(super) serial: Option<String>,
    /// The USB version that it claims, as in `0x0320`.
    pub(super) claims: Option<u64>,
    /// The negotiated rate.
    pub(super) rate: Option<Rate>,
    /// Its place: the controller, then the port of each hub.
    pub(super) location: Option<u64>,
}

/// A rate and where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    /// Bit/s.
    pub(super) bps: u64,
    /// The key.
    pub(super) key: &'static str,
    /// Its value.
    pub(super) value: u64,
}

/// What hangs at the end of a chain of USB devices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// The hubs, from the Mac outwards.
    pub(super) hubs: Vec<Device>,
    /// The device itself.
    pub(super) device: Device,
    /// The disk inside it, by its own model name.
    pub(super) disk_model: Option<String>,
    /// BSD name of the whole disk or of the network interface, if it is told.
    pub(super) bsd_name: Option<String>,
    /// How the disk is spoken to.
    pub(super) transport: Option<&'static str>,
}

const DEVICE_CLASSES: &[&str] = &["IOUSBHostDevice", "IOUSBDevice", "IOUSBHubDevice"];

/// Finds the device that holds the object with this BSD name: a disk, a slice, a volume on it or a network interface. A
/// nested device is listed once more as a root of its own; the longest chain is the whole one.
pub(super) fn find(answer: &Value, bsd: &str) -> Option<Found> {
    let mut search = Search { bsd, path: Vec::new(), best: None };
    for root in roots(answer) {
        search.visit(root);
    }
    search.best
}

/// Every disk on USB, for saved answers. The text form may lack the BSD names, so a disk is told by its class.
pub(super) fn disks(answer: &Value) -> Vec<Found> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    for root in roots(answer) {
        collect(root, &mut path, &mut found, |node| class(node) == "IOMedia");
    }
    found
}

/// Every USB device with a rate, for saved answers.
pub(super) fn devices(answer: &Value) -> Vec<Found> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    for root in roots(answer) {
        collect(root, &mut path, &mut found, |node| DEVICE_CLASSES.contains(&class(node)) && rate(node).is_some());
    }
    found
}

// As deep as the property list at most, whose depth is bounded.
fn collect<'a>(
    node: &'a Value,
    path: &mut Vec<&'a Value>,
    all: &mut Vec<Found>,
    is_wanted: impl Fn(&Value) -> bool + Copy,
) {
    path.push(node);
    let is_found = is_wanted(node);
    all.extend(is_found.then(|| found(path)).flatten());
    for child in children(node) {
        // What lies on a disk is a part of it.
        if !(is_found && class(node) == "IOMedia") {
            collect(child, path, all, is_wanted);
        }
    }
    path.pop();
}

fn roots(answer: &Value) -> &[Value] {
    answer.as_array().unwrap_or(std::slice::from_ref(answer))
}

struct Search<'a, 'b> {
    bsd: &'b str,
    path: Vec<&'a Value>,
    best: Option<Found>,
}

impl<'a> Search<'a, '_> {
    // As deep as the property list at most, whose depth is bounded.
    fn visit(&mut self, node: &'a Value) {
        self.path.push(node);
        if text(node, "BSD Name") == Some(self.bsd)
            && let Some(found) = found(&self.path)
            && self.best.as_ref().is_none_or(|best| found.hubs.len() > best.hubs.len())
        {
            self.best = Some(found);
        }
        for child in children(node) {
            self.visit(child);
        }
        self.path.pop();
    }
}

/// The children are an array, or a dictionary when parents were asked for.
fn children(node: &Value) -> &[Value] {
    match node.get("IORegistryEntryChildren") {
        Some(Value::Array(children)) => children,
        Some(child @ Value::Dict(_)) => std::slice::from_ref(child),
        _ => &[],
    }
}

fn class(node: &Value) -> &str {
    text(node, "IOObjectClass").unwrap_or_default()
}

fn found(path: &[&Value]) -> Option<Found> {
    let is_device = |node: &&&Value| DEVICE_CLASSES.contains(&class(node));
    let mut hubs: Vec<Device> = path.iter().filter(is_device).map(|node| device(node)).collect();
    let device = hubs.pop()?;
    let disk = path.iter().find(|node| class(node) == "IOMedia");
    let bsd_name = disk.or(path.last()).and_then(|node| text(node, "BSD Name")).map(str::to_owned);
    let disk_model = disk.and_then(|disk| text(disk, "IORegistryEntryName")).map(model);
    Some(Found { hubs, device, disk_model, bsd_name, transport: path.iter().find_map(|node| transport(class(node))) })
}

/// The model in `LaCie Rugged Media`.
fn model(name: &str) -> String {
    name.strip_suffix(" Media").unwrap_or(name).trim().to_owned()
}

fn transport(class: &str) -> Option<&'static str> {
    match class {
        "IOUSBMassStorageUASDriver" | "IOUSBAttachedSCSI" => Some("USB attached SCSI"),
        "IOUSBMassStorageDriver" | "IOUSBMassStorageClass" => Some(BULK_ONLY),
        _ => None,
    }
}

fn device(node: &Value) -> Device {
    let owned = |keys: &[&str]| first_text(node, keys).map(str::to_owned);
    Device {
        name: owned(&["USB Product Name", "kUSBProductString", "IORegistryEntryName"]),
        vendor: owned(&["USB Vendor Name", "kUSBVendorString"]),
        serial: owned(&["USB Serial Number", "kUSBSerialNumberString"]),
        claims: node.get("bcdUSB").and_then(Value::as_u64),
        location: node.get("locationID").and_then(Value::as_u64),
        rate: rate(node),
    }
}

/// The negotiated rate by the surest key that gives one of USB's rates.
fn rate(node: &Value) -> Option<Rate> {
    let number = |key| node.get(key).and_then(Value::as_u64);
    let by = |key: &'static str, bps: fn(u64) -> Option<u64>| {
        let value = number(key)?;
        Some(Rate { bps: bps(value)?, key, value })
    };
    by("UsbLinkSpeed", |bps| (kind_of(bps) != LinkKind::Usb).then_some(bps))
        .or_else(|| by("USBSpeed", of_connection_code))
        .or_else(|| by("Device Speed", of_device_code))
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    fn node(class: &str, properties: &str, children: &str) -> String {
        format!(
            "<dict><key>IOObjectClass</key><string>{class}</string>{properties}\
             <key>IORegistryEntryChildren</key><array>{children}</array></dict>"
        )
    }

    fn property(key: &str, value: &str) -> String {
        format!("<key>{key}</key>{value}")
    }

    fn answer() -> Value {
        let volume = node("AppleAPFSVolume", &property("BSD Name", "<string>disk7s1</string>"), "");
        let slice = node("IOMedia", &property("BSD Name", "<string>disk6s2</string>"), &volume);
        let names = "<key>BSD Name</key><string>disk6</string>\
                     <key>IORegistryEntryName</key><string>Quill QX-2 Media</string>";
        let disk = node("IOMedia", names, &slice);
        let driver = node("IOUSBMassStorageUASDriver", "", &disk);
        let speeds = "<key>UsbLinkSpeed</key><integer>5000000000</integer><key>USBSpeed</key><integer>4</integer>\
                      <key>Device Speed</key><integer>3</integer><key>bcdUSB</key><integer>800</integer>";
        let names = "<key>USB Product Name</key><string> Quill Case </string>";
        let device = node("IOUSBHostDevice", &(names.to_owned() + speeds), &driver);
        let hub_speed = "<key>USBSpeed</key><integer>4</integer><key>Device Speed</key><integer>2</integer>";
        let hub = node("IOUSBHostDevice", hub_speed, &node("AppleUSB30Hub", "", &device));
        let text = format!("<plist version=\"1.0\"><array>{device}{hub}</array></plist>");
        read(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_longest_chain_is_the_whole_one() {
        for bsd in ["disk6", "disk6s2", "disk7s1"] {
            let found = find(&answer(), bsd).unwrap();
            assert_eq!(found.hubs.len(), 1);
            assert_eq!(found.hubs[0].rate.as_ref().unwrap().bps, 5_000_000_000);
            assert_eq!(found.hubs[0].rate.as_ref().unwrap().key, "USBSpeed");
            assert_eq!(found.device.name.as_deref(), Some("Quill Case"));
            assert_eq!(found.device.claims, Some(0x0320));
            assert_eq!(found.device.rate.as_ref().unwrap().key, "UsbLinkSpeed");
            assert_eq!(found.disk_model.as_deref(), Some("Quill QX-2"));
            assert_eq!(found.bsd_name.as_deref(), Some("disk6"));
            assert_eq!(found.transport, Some("USB attached SCSI"));
        }
        assert_eq!(find(&answer(), "disk1"), None);
    }

    #[test]
    fn an_unknown_code_is_no_rate() {
        let bare = |properties: &str| {
            rate(&read(format!("<plist version=\"1.0\"><dict>{properties}</dict></plist>").as_bytes()).unwrap())
        };
        assert_eq!(bare("<key>USBSpeed</key><integer>0</integer>"), None);
        assert_eq!(bare("<key>UsbLinkSpeed</key><integer>0</integer>"), None);
        let odd = bare("<key>UsbLinkSpeed</key><integer>1410065408</integer><key>USBSpeed</key><integer>5</integer>")
            .unwrap();
        assert_eq!((odd.bps, odd.key), (10_000_000_000, "USBSpeed"));
        let old = bare("<key>Device Speed</key><integer>2</integer>").unwrap();
        assert_eq!((old.bps, old.key), (480_000_000, "Device Speed"));
    }
}
