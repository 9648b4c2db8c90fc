//! `ifconfig -v`: the network interfaces, their addresses and what they negotiated.

use super::usb_speed::whole;

/// What an interface is, by its `type:` line (10.13 and later) or by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Ethernet,
    UsbEthernet,
    WiFi,
    Thunderbolt,
    FireWire,
    Bluetooth,
    Vpn,
    Bridge,
    Bond,
    Vlan,
    Loopback,
    /// Apple's own links (`awdl0`, `llw0`, `anpi0`), virtual machines' and others that lead to no server.
    Other,
}

impl Class {
    /// What it is called.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ethernet => "Ethernet",
            Self::UsbEthernet => "USB Ethernet",
            Self::WiFi => "Wi-Fi",
            Self::Thunderbolt => "Thunderbolt",
            Self::FireWire => "FireWire",
            Self::Bluetooth => "Bluetooth",
            Self::Vpn => "VPN",
            Self::Bridge => "bridge",
            Self::Bond => "bond",
            Self::Vlan => "VLAN",
            Self::Loopback => "loopback",
            Self::Other => "no way to a server",
        }
    }
}

/// A network interface.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Interface {
    /// Its BSD name, such as `en0`.
    pub(super) name: String,
    /// The text of its `type:` line.
    pub(super) type_text: Option<String>,
    /// Its addresses, without scope.
    pub(super) addresses: Vec<String>,
    /// The text of its `media:` line.
    pub(super) media: Option<String>,
    /// What its `status:` line says of it being active.
    pub(super) active: Option<bool>,
    /// `link rate:`, or what the link is set to on the line `uplink rate:`, bit/s.
    pub(super) link_rate: Option<u64>,
    /// Which of the two lines it was.
    pub(super) rate_key: &'static str,
    /// Members of a bridge or bond, the parent of a VLAN, the interface below a tunnel.
    pub(super) below: Vec<String>,
}

/// Interfaces whose names tell what they are; the others by their `type:`.
const BY_NAME: &[(&str, Class)] = &[
    ("utun", Class::Vpn),
    ("ipsec", Class::Vpn),
    ("ppp", Class::Vpn),
    ("tun", Class::Vpn),
    ("tap", Class::Vpn),
    ("bridge", Class::Bridge),
    ("bond", Class::Bond),
    ("vlan", Class::Vlan),
    ("lo", Class::Loopback),
    ("fw", Class::FireWire),
];

const BY_TYPE: &[(&str, Class)] = &[
    ("Ethernet", Class::Ethernet),
    ("USB Ethernet", Class::UsbEthernet),
    ("Wi-Fi", Class::WiFi),
    ("IP over Thunderbolt", Class::Thunderbolt),
    ("IP over FireWire", Class::FireWire),
    ("Bluetooth PAN", Class::Bluetooth),
];

impl Interface {
    /// What it is; `None` for an `enN` whose type is not told.
    pub(super) fn class(&self) -> Option<Class> {
        let letters = self.name.trim_end_matches(|c: char| c.is_ascii_digit());
        if let Some((_, class)) = BY_NAME.iter().find(|(name, _)| *name == letters) {
            return Some(*class);
        }
        if letters != "en" {
            return Some(Class::Other);
        }
        let text = self.type_text.as_deref()?;
        Some(BY_TYPE.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map_or(Class::Other, |(_, class)| *class))
    }

    /// The rate on the media line: the figure before `base` inside the parentheses, bit/s. Without parentheses, without a
    /// cable or when the interface is inactive there is none.
    pub(super) fn media_rate(&self) -> Option<u64> {
        if self.active == Some(false) {
            return None;
        }
        media_rate(self.media.as_deref()?)
    }
}

fn media_rate(media: &str) -> Option<u64> {
    let (_, inside) = media.split_once('(')?;
    let inside = inside.split(['<', ')']).next()?.trim().to_ascii_lowercase();
    let (figure, _) = inside.split_once("base")?;
    let (figure, unit) = match figure.strip_suffix('g') {
        Some(figure) => (figure, 1e9),
        None => (figure, 1e6),
    };
    whole(figure.parse::<f64>().ok()? * unit)
}

/// Reads all interfaces. Lines of an interface are indented; what is not understood is passed.
pub(super) fn read(text: &str) -> Vec<Interface> {
    let mut interfaces: Vec<Interface> = Vec::new();
    for line in text.lines() {
        if line.starts_with(char::is_whitespace) {
            if let Some(interface) = interfaces.last_mut() {
                detail(interface, line.trim());
            }
        } else if let Some((name, rest)) = line.split_once(": ")
            && rest.starts_with("flags=")
        {
            interfaces.push(Interface { name: name.to_owned(), ..Interface::default() });
        }
    }
    interfaces
}

fn detail(interface: &mut Interface, line: &str) {
    let Some((key, rest)) = line.split_once(' ') else { return };
    let rest = rest.trim();
    let after = |words: &str| line.strip_prefix(words).map(str::trim);
    match key {
        "inet" | "inet6" => {
            let address = rest.split_whitespace().next().unwrap_or_default();
            interface.addresses.push(without_scope(address).to_owned());
        }
        "media:" => interface.media = Some(rest.to_owned()),
        "status:" => interface.active = Some(rest == "active"),
        "type:" => interface.type_text = Some(rest.to_owned()),
        "member:" => interface.below.extend(rest.split_whitespace().next().map(str::to_owned)),
        "vlan:" => interface.below.extend(word_after(rest, "parent interface:")),
        _ => {
            const RATES: [&str; 2] = ["link rate:", "uplink rate:"];
            if let Some((key, rate)) = RATES.into_iter().find_map(|key| Some((key, after(key)?))) {
                interface.link_rate = rate_of(rate);
                interface.rate_key = key;
            } else if let Some(names) = after("bond interfaces:") {
                interface.below.extend(names.split_whitespace().map(str::to_owned));
            } else if let Some(name) = after("effective interface:") {
                interface.below.push(name.to_owned());
            }
        }
    }
}

fn word_after(text: &str, words: &str) -> Option<String> {
    let (_, rest) = text.split_once(words)?;
    rest.split_whitespace().next().map(str::to_owned)
}

/// A rate such as `1.00 Gbps`, or `433.00 Mbps [eff] / 866.00 Mbps`: effective now, then what the link is set to.
fn rate_of(text: &str) -> Option<u64> {
    let last = text.rsplit('/').next()?;
    let mut words = last.split_whitespace();
    let figure: f64 = words.next()?.parse().ok()?;
    let unit = match words.next()? {
        "bps" => 1.0,
        "Kbps" => 1e3,
        "Mbps" => 1e6,
        "Gbps" => 1e9,
        "Tbps" => 1e12,
        _ => return None,
    };
    whole(figure * unit)
}

/// An address without `%en0` behind it.
pub(super) fn without_scope(address: &str) -> &str {
    address.split('%').next().unwrap_or_default()
}

/// The interface that has a name.
pub(super) fn named<'a>(interfaces: &'a [Interface], name: &str) -> Option<&'a Interface> {
    interfaces.iter().find(|interface| interface.name == name)
}

/// The interface that owns a local address. A scope (`fe80::7%en4`) names it itself.
pub(super) fn owner<'a>(interfaces: &'a [Interface], address: &str) -> Option<&'a Interface> {
    if let Some((_, scope)) = address.split_once('%') {
        return named(interfaces, scope);
    }
    interfaces.iter().find(|interface| interface.addresses.iter().any(|own| own == address))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
lo0: flags=8049<UP,LOOPBACK> mtu 16384 index 1
\tinet 127.0.0.1 netmask 0xff000000
en0: flags=8863<UP,BROADCAST> mtu 1500 index 6
\tether 02:00:00:00:00:01
\tinet6 fe80::a00:1%en0 prefixlen 64 secured scopeid 0x6
\tinet 192.0.2.30 netmask 0xffffff00 broadcast 192.0.2.255
\tmedia: autoselect (1000baseT <full-duplex,flow-control>)
\tstatus: active
\ttype: Ethernet
\tlink quality: 100 (good)
\tlink rate: 1.00 Gbps
en1: flags=8863<UP,BROADCAST> mtu 1500 index 7
\tinet 192.0.2.58 netmask 0xffffff00 broadcast 192.0.2.255
\tmedia: autoselect
\tstatus: active
\ttype: Wi-Fi
\tuplink rate: 433.00 Mbps [eff] / 866.00 Mbps
\tdownlink rate: 433.00 Mbps [eff] / 1.20 Gbps
vlan0: flags=8843<UP> mtu 1500 index 9
\tvlan: 12 parent interface: en0
bond0: flags=8843<UP> mtu 1500 index 10
\tbond interfaces: en5 en6
bridge0: flags=8863<UP> mtu 1500 index 11
\tmember: en2 flags=3<LEARNING,DISCOVER>
utun4: flags=8051<UP> mtu 1400 index 12
\tinet 198.51.100.3 --> 198.51.100.3 netmask 0xffffffff
\teffective interface: en1
";

    #[test]
    fn an_interface_is_told_by_type_or_name() {
        let all = read(TEXT);
        let class = |name| named(&all, name).unwrap().class();
        assert_eq!(class("en0"), Some(Class::Ethernet));
        assert_eq!(class("en1"), Some(Class::WiFi));
        assert_eq!(class("vlan0"), Some(Class::Vlan));
        assert_eq!(class("utun4"), Some(Class::Vpn));
        assert_eq!(class("lo0"), Some(Class::Loopback));
        let below = |name| named(&all, name).unwrap().below.clone();
        assert_eq!(below("vlan0"), ["en0"]);
        assert_eq!(below("bond0"), ["en5", "en6"]);
        assert_eq!(below("bridge0"), ["en2"]);
        assert_eq!(below("utun4"), ["en1"]);
        assert_eq!(Interface { name: "awdl0".to_owned(), ..Interface::default() }.class(), Some(Class::Other));
        assert_eq!(Interface { name: "en9".to_owned(), ..Interface::default() }.class(), None);
    }

    #[test]
    fn an_address_has_one_owner() {
        let all = read(TEXT);
        let owner = |address| owner(&all, address).map(|interface| interface.name.as_str());
        assert_eq!(owner("192.0.2.58"), Some("en1"));
        assert_eq!(owner("fe80::a00:1"), Some("en0"));
        assert_eq!(owner("fe80::99%en1"), Some("en1"));
        assert_eq!(owner("203.0.113.1"), None);
    }

    #[test]
    fn rates_come_from_the_media_or_the_rate_line() {
        let all = read(TEXT);
        assert_eq!(named(&all, "en0").unwrap().media_rate(), Some(1_000_000_000));
        assert_eq!(named(&all, "en0").unwrap().link_rate, Some(1_000_000_000));
        assert_eq!(named(&all, "en1").unwrap().media_rate(), None);
        assert_eq!(named(&all, "en1").unwrap().link_rate, Some(866_000_000));
        for (media, rate) in [
            ("autoselect (100baseTX <full-duplex>)", Some(100_000_000)),
            ("autoselect (10baseT/UTP <half-duplex>)", Some(10_000_000)),
            ("autoselect (2500Base-T <full-duplex>)", Some(2_500_000_000)),
            ("autoselect (5000Base-T)", Some(5_000_000_000)),
            ("autoselect (10Gbase-T <full-duplex>)", Some(10_000_000_000)),
            ("10GbaseT (10GbaseT <full-duplex>)", Some(10_000_000_000)),
            ("autoselect (none)", None),
            ("none", None),
            ("autoselect (<unknown type>)", None),
            ("<unknown type>", None),
            ("autoselect <full-duplex>", None),
            ("autoselect", None),
            ("autoselect (ébase)", None),
        ] {
            assert_eq!(media_rate(media), rate, "{media}");
        }
        let idle = Interface { media: Some("x (100baseTX)".to_owned()), active: Some(false), ..Interface::default() };
        assert_eq!(idle.media_rate(), None);
    }
}
