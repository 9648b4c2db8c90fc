//! `networksetup -listallhardwareports`: what the user's network ports are called. The names are free text.

use super::ifconfig::Class;

/// A port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Port {
    /// Its name, which may be localised or a product's.
    pub(super) name: String,
    /// Its BSD name.
    pub(super) device: String,
}

/// Reads the pairs of `Hardware Port:` and `Device:`, up to the VLANs.
pub(super) fn read(text: &str) -> Vec<Port> {
    let mut ports = Vec::new();
    let mut name = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Hardware Port:") {
            name = Some(rest.trim().to_owned());
        } else if let Some(rest) = line.strip_prefix("Device:")
            && let Some(name) = name.take()
        {
            ports.push(Port { name, device: rest.trim().to_owned() });
        } else if line.starts_with("VLAN Configurations") {
            break;
        }
    }
    ports
}

impl Port {
    /// What the port is by its name, where macOS gives the name: a weaker word than `type:` of ifconfig.
    pub(super) fn class(&self) -> Option<Class> {
        match self.name.as_str() {
            "Wi-Fi" | "AirPort" => Some(Class::WiFi),
            "Bluetooth PAN" => Some(Class::Bluetooth),
            "FireWire" => Some(Class::FireWire),
            "Ethernet" | "Ethernet 1" | "Ethernet 2" => Some(Class::Ethernet),
            name if name.starts_with("Thunderbolt ") && name.ends_with(|c: char| c.is_ascii_digit()) => {
                Some(Class::Thunderbolt)
            }
            name if name.starts_with("USB ") => Some(Class::UsbEthernet),
            _ => None,
        }
    }

    /// What the port could do, bit/s, where its name says so. A built-in port of a Mac since 2009 does a gigabit.
    pub(super) fn max_bps(&self) -> Option<u64> {
        let is_gigabit =
            matches!(self.name.as_str(), "Ethernet" | "Ethernet 1" | "Ethernet 2" | "Thunderbolt Ethernet")
                || self.name.contains("10/100/1000")
                || self.name.contains("Gigabit");
        is_gigabit.then_some(1_000_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_up_to_the_vlans() {
        let text = "\nHardware Port: Ethernet\nDevice: en0\nEthernet Address: 02:00:00:00:00:32\n\n\
                    Hardware Port: USB 10/100/1000 LAN\nDevice: en5\n\nHardware Port: Thunderbolt 1\nDevice: en2\n\
                    \nVLAN Configurations\n===================\nHardware Port: x\nDevice: en9\n";
        let ports = read(text);
        assert_eq!(ports.len(), 3);
        assert_eq!((ports[1].name.as_str(), ports[1].device.as_str()), ("USB 10/100/1000 LAN", "en5"));
        let told: Vec<_> = ports.iter().map(|port| (port.class(), port.max_bps())).collect();
        assert_eq!(
            told,
            [
                (Some(Class::Ethernet), Some(1_000_000_000)),
                (Some(Class::UsbEthernet), Some(1_000_000_000)),
                (Some(Class::Thunderbolt), None),
            ]
        );
    }
}
