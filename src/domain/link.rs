//! The physical way to a destination. JSON calls it `interface`.

use std::fmt;

/// How sure a statement about a link is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Nothing speaks for it.
    #[default]
    None,
    /// A guess by the least certain means.
    Low,
    /// Probable.
    Medium,
    /// Practically sure.
    High,
    /// Proven.
    Certain,
}

/// When a link was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Before the backup began.
    Before,
    /// While it ran.
    During,
    /// After it ended.
    After,
    /// Said by the user.
    User,
    /// Told by what a past backup left behind.
    Past,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $key:literal, $short:literal, $long:literal;)*) => {
        /// A kind of link with its generation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum LinkKind { $($(#[$doc])* $name,)* }

        impl LinkKind {
            /// Every kind, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            fn row(self) -> (&'static str, &'static str, &'static str) {
                match self { $(Self::$name => ($key, $short, $long),)* }
            }
        }
    };
}

// One row a kind: its key (JSON, CSV, command line; never changed), its short and its long label.
kinds! {
    /// USB, speed unknown.
    Usb: "usb", "USB", "USB";
    /// USB 1.1, 1.5 or 12 Mb/s.
    Usb1: "usb-1.1", "USB 1.1", "USB 1.1";
    /// USB High Speed, 480 Mb/s.
    Usb2: "usb-2.0", "USB 2.0", "USB 2.0";
    /// USB `SuperSpeed`, 5 Gb/s; long sold as USB 3.0.
    Usb3Gen1: "usb-3.2-gen-1", "USB 3.0", "USB 3.2 Gen 1";
    /// 10 Gb/s on one lane.
    Usb3Gen2: "usb-3.2-gen-2", "USB 3.2 Gen 2", "USB 3.2 Gen 2";
    /// 20 Gb/s on two lanes.
    Usb3Gen2x2: "usb-3.2-gen-2x2", "USB 3.2 Gen 2x2", "USB 3.2 Gen 2x2";
    /// USB4 at 20 Gb/s.
    Usb4At20: "usb4-20", "USB4 20", "USB4 20 Gb/s";
    /// USB4 at 40 Gb/s.
    Usb4At40: "usb4-40", "USB4 40", "USB4 40 Gb/s";
    /// USB4 version 2 at 80 Gb/s.
    Usb4At80: "usb4-80", "USB4 80", "USB4 80 Gb/s";
    /// Thunderbolt or USB4, generation unknown.
    Thunderbolt: "thunderbolt", "Thunderbolt", "Thunderbolt or USB4";
    /// Thunderbolt, first generation.
    Thunderbolt1: "thunderbolt-1", "Thunderbolt 1", "Thunderbolt 1";
    /// Thunderbolt 2.
    Thunderbolt2: "thunderbolt-2", "Thunderbolt 2", "Thunderbolt 2";
    /// Thunderbolt 3.
    Thunderbolt3: "thunderbolt-3", "Thunderbolt 3", "Thunderbolt 3";
    /// Thunderbolt 4.
    Thunderbolt4: "thunderbolt-4", "Thunderbolt 4", "Thunderbolt 4";
    /// Thunderbolt 5.
    Thunderbolt5: "thunderbolt-5", "Thunderbolt 5", "Thunderbolt 5";
    /// PCI Express inside the Mac.
    Pcie: "pcie", "PCIe", "PCI Express";
    /// The internal SSD of Apple silicon.
    AppleFabric: "apple-fabric", "Apple Fabric", "Apple Fabric";
    /// SATA, speed unknown.
    Sata: "sata", "SATA", "SATA";
    /// SATA at 1.5 Gb/s.
    Sata1: "sata-1", "SATA 1.5", "SATA 1.5 Gb/s";
    /// SATA at 3 Gb/s.
    Sata2: "sata-2", "SATA 3", "SATA 3 Gb/s";
    /// SATA at 6 Gb/s.
    Sata3: "sata-3", "SATA 6", "SATA 6 Gb/s";
    /// `FireWire`, speed unknown.
    FireWire: "firewire", "FireWire", "FireWire";
    /// IEEE 1394a.
    FireWire400: "firewire-400", "FireWire 400", "FireWire 400";
    /// IEEE 1394b.
    FireWire800: "firewire-800", "FireWire 800", "FireWire 800";
    /// A card reader.
    Sd: "sd", "SD", "SD card";
    /// Serial attached SCSI.
    Sas: "sas", "SAS", "SAS";
    /// Fibre Channel.
    FibreChannel: "fibre-channel", "Fibre Channel", "Fibre Channel";
    /// Ethernet, speed unknown.
    Ethernet: "ethernet", "Ethernet", "Ethernet";
    /// 10 Mb/s Ethernet.
    Ethernet10: "ethernet-10", "10BASE-T", "10BASE-T Ethernet";
    /// 100 Mb/s Ethernet.
    Ethernet100: "ethernet-100", "100BASE-TX", "100BASE-TX Ethernet";
    /// Gigabit Ethernet.
    Ethernet1000: "ethernet-1000", "1000BASE-T", "1000BASE-T Ethernet";
    /// 2.5 Gb/s Ethernet.
    Ethernet2500: "ethernet-2500", "2.5GBASE-T", "2.5GBASE-T Ethernet";
    /// 5 Gb/s Ethernet.
    Ethernet5000: "ethernet-5000", "5GBASE-T", "5GBASE-T Ethernet";
    /// 10 Gb/s Ethernet.
    Ethernet10000: "ethernet-10000", "10GBASE-T", "10GBASE-T Ethernet";
    /// Wi-Fi, generation unknown.
    WiFi: "wi-fi", "Wi-Fi", "Wi-Fi";
    /// Wi-Fi before 802.11n.
    WiFiLegacy: "wi-fi-legacy", "Wi-Fi a/b/g", "Wi-Fi (802.11a/b/g)";
    /// 802.11n.
    WiFi4: "wi-fi-4", "Wi-Fi 4", "Wi-Fi 4 (802.11n)";
    /// 802.11ac.
    WiFi5: "wi-fi-5", "Wi-Fi 5", "Wi-Fi 5 (802.11ac)";
    /// 802.11ax below 6 GHz.
    WiFi6: "wi-fi-6", "Wi-Fi 6", "Wi-Fi 6 (802.11ax)";
    /// 802.11ax at 6 GHz.
    WiFi6e: "wi-fi-6e", "Wi-Fi 6E", "Wi-Fi 6E (802.11ax, 6 GHz)";
    /// 802.11be.
    WiFi7: "wi-fi-7", "Wi-Fi 7", "Wi-Fi 7 (802.11be)";
    /// IP over a Thunderbolt cable between two computers.
    ThunderboltIp: "thunderbolt-ip", "Thunderbolt IP", "IP over Thunderbolt";
    /// IP over FireWire.
    FireWireIp: "firewire-ip", "FireWire IP", "IP over FireWire";
    /// A Bluetooth network.
    Bluetooth: "bluetooth", "Bluetooth", "Bluetooth PAN";
    /// A tunnel; the way below it is unknown.
    Vpn: "vpn", "VPN", "VPN";
    /// A disk image whose place is unknown.
    DiskImage: "disk-image", "disk image", "disk image";
    /// A RAM disk.
    Ram: "ram", "RAM disk", "RAM disk";
    /// A disk of a virtual machine.
    Virtual: "virtual", "virtual", "virtual disk";
    /// Several ways at once.
    Mixed: "mixed", "mixed", "several kinds";
    /// Looked at, and nothing is proven.
    Unknown: "unknown", "unknown", "unknown";
}

impl LinkKind {
    /// The stable key of JSON, CSV and the command line.
    pub fn key(self) -> &'static str {
        self.row().0
    }

    /// The label for tables and sentences.
    pub fn short(self) -> &'static str {
        self.row().1
    }

    /// The label for details.
    pub fn long(self) -> &'static str {
        self.row().2
    }

    /// Finds a kind by what a person may call it: its key, one of its labels, or one of a few short names.
    pub fn named(name: &str) -> Option<Self> {
        const SHORT: &[(&str, LinkKind)] = &[
            ("usb-1", LinkKind::Usb1),
            ("usb-2", LinkKind::Usb2),
            ("usb-3", LinkKind::Usb3Gen1),
            ("usb-3.0", LinkKind::Usb3Gen1),
            ("gigabit", LinkKind::Ethernet1000),
        ];
        let name = name.trim();
        let is = |other: &str| other.eq_ignore_ascii_case(name);
        let by_row = Self::ALL.iter().copied().find(|kind| is(kind.key()) || is(kind.short()) || is(kind.long()));
        by_row.or_else(|| SHORT.iter().find(|(short, _)| is(short)).map(|(_, kind)| *kind))
    }

    /// Finds a kind by its key.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.key() == key)
    }
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short())
    }
}

/// Something between the Mac and the disk: a hub, a dock, an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainElement {
    /// What it is.
    pub kind: String,
    /// What it calls itself.
    pub name: Option<String>,
    /// The rate of its own link in bit/s.
    pub negotiated_bps: Option<u64>,
}

/// The command and key that decided something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The command.
    pub tool: String,
    /// The key in its output.
    pub key: String,
    /// What stood there.
    pub value: String,
}

/// A link, as it was seen once.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its kind with the generation.
    pub kind: LinkKind,
    /// The bit rate that was negotiated, bit/s.
    pub negotiated_bps: Option<u64>,
    /// What the port could do, bit/s.
    pub port_max_bps: Option<u64>,
    /// What such a link carries in practice, bit/s.
    pub practical_bps: Option<u64>,
    /// The device's model.
    pub device: Option<String>,
    /// Its maker.
    pub vendor: Option<String>,
    /// BSD name of the disk or network interface.
    pub bsd_name: Option<String>,
    /// What lies between, from the Mac outwards.
    pub chain: Vec<ChainElement>,
    /// The protocol on it, such as `SMB 3.1.1` or `USB attached SCSI`.
    pub transport: Option<String>,
    /// When it was looked at.
    pub seen: Seen,
    /// How sure the kind is.
    pub kind_confidence: Confidence,
    /// How sure the negotiated rate is.
    pub rate_confidence: Confidence,
    /// What decided.
    pub evidence: Vec<Evidence>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_key_and_by_no_other() {
        for (i, kind) in LinkKind::ALL.iter().enumerate() {
            assert_eq!(LinkKind::from_key(kind.key()), Some(*kind));
            assert_eq!(LinkKind::named(kind.short()), Some(*kind));
            assert_eq!(LinkKind::named(&kind.long().to_uppercase()), Some(*kind));
            assert!(LinkKind::ALL[..i].iter().all(|other| other.short() != kind.short()), "{kind}");
        }
    }

    #[test]
    fn a_person_may_use_short_names() {
        assert_eq!(LinkKind::named(" usb-2 "), Some(LinkKind::Usb2));
        assert_eq!(LinkKind::named("Gigabit"), Some(LinkKind::Ethernet1000));
        assert_eq!(LinkKind::named("USB 3.0"), Some(LinkKind::Usb3Gen1));
        assert_eq!(LinkKind::named("usb-9"), None);
    }
}
