//! The link behind a network interface.

use super::asker::Asker;
use super::finding::{self, blank, element, finish, note, set_kind, set_rate};
use super::ifconfig::{self, Class, Interface};
use super::networksetup::{self, Port};
use super::{ioreg_usb, thunderbolt, usb, wi_fi};
use crate::domain::link::{ChainElement, Confidence, Evidence, Link, LinkKind, Seen};

/// The interfaces and ports of this Mac.
pub(super) struct Network {
    /// By `ifconfig -v`.
    pub(super) interfaces: Vec<Interface>,
    /// By networksetup; empty while a backup runs.
    pub(super) ports: Vec<Port>,
}

impl Network {
    /// Asks for both. Says why if there are no interfaces.
    pub(super) fn ask(asker: &mut Asker) -> Result<Self, String> {
        let interfaces = ifconfig::read(&asker.text("ifconfig", &["-v"])?);
        let ports = match asker.text("networksetup", &["-listallhardwareports"]) {
            Ok(text) => networksetup::read(&text),
            Err(_) => Vec::new(),
        };
        Ok(Self { interfaces, ports })
    }

    fn port(&self, name: &str) -> Option<&Port> {
        self.ports.iter().find(|port| port.device == name)
    }

    /// What an interface is, and how sure that is. The `type:` of a Thunderbolt port may be Ethernet (seen in a capture of
    /// 10.13); its port's name tells.
    fn class(&self, interface: &Interface) -> Option<(Class, Confidence)> {
        let by_port = self.port(&interface.name).and_then(Port::class);
        match (interface.class(), by_port) {
            (Some(Class::Ethernet), Some(Class::Thunderbolt)) => Some((Class::Thunderbolt, Confidence::High)),
            (Some(class), _) => Some((class, Confidence::Certain)),
            (None, Some(class)) => Some((class, Confidence::High)),
            (None, None) => None,
        }
    }
}

/// How many interfaces below one another are followed: a VLAN on a bond on a port.
const DEEPEST: usize = 4;

/// Finds the link behind an interface. `sure` is how sure it is that this interface is used.
pub(super) fn link(asker: &mut Asker, network: &Network, name: &str, sure: Confidence) -> Link {
    let mut found = of(asker, network, name, 0);
    found.kind_confidence = found.kind_confidence.min(sure);
    found.rate_confidence = found.rate_confidence.min(sure);
    finish(found)
}

fn of(asker: &mut Asker, network: &Network, name: &str, depth: usize) -> Link {
    let mut link = blank(asker.moment());
    link.bsd_name = Some(name.to_owned());
    let Some(interface) = ifconfig::named(&network.interfaces, name) else {
        note(&mut link, IFCONFIG, name, "not in the list");
        return link;
    };
    match alone(network, interface, &mut link) {
        Some(Class::UsbEthernet) => adapter(asker, name, &mut link),
        Some(Class::WiFi) => generation(asker, name, &mut link),
        Some(Class::Thunderbolt) => over_thunderbolt(asker, &mut link),
        Some(class @ (Class::Bridge | Class::Bond | Class::Vlan)) if depth < DEEPEST => {
            return below(asker, network, interface, class, link, depth);
        }
        _ => {}
    }
    link
}

/// Puts in what ifconfig alone says of an interface, and tells its class.
pub(super) fn alone(network: &Network, interface: &Interface, link: &mut Link) -> Option<Class> {
    link.bsd_name = Some(interface.name.clone());
    let Some((class, sure)) = network.class(interface) else {
        note(link, IFCONFIG, "type:", "absent");
        // A media line with a rate is Ethernet's.
        if interface.media_rate().is_some() {
            ethernet(interface, network, Confidence::High, link);
        }
        return None;
    };
    note_class(link, network, interface, class);
    match class {
        Class::Ethernet | Class::UsbEthernet => ethernet(interface, network, sure, link),
        Class::WiFi => wi_fi(interface, sure, link),
        Class::Thunderbolt => set_kind(link, LinkKind::ThunderboltIp, sure),
        Class::FireWire => set_kind(link, LinkKind::FireWireIp, sure),
        Class::Bluetooth => set_kind(link, LinkKind::Bluetooth, sure),
        Class::Vpn => vpn(interface, link),
        Class::Bridge | Class::Bond | Class::Vlan | Class::Loopback | Class::Other => {
            note(link, IFCONFIG, &interface.name, "no way to a server by itself");
        }
    }
    Some(class)
}

const IFCONFIG: &str = "ifconfig -v";
const AIRPORT: &str = "system_profiler -xml SPAirPortDataType";

fn note_class(link: &mut Link, network: &Network, interface: &Interface, class: Class) {
    if let Some(text) = &interface.type_text {
        note(link, IFCONFIG, "type:", text);
    } else if interface.class().is_some() {
        note(link, IFCONFIG, "name", &interface.name);
    } else if network.port(&interface.name).is_some() {
        note(link, "networksetup -listallhardwareports", "Hardware Port", class.word());
    }
}

/// The media line has the rate; where `link rate:` says another, it is less sure.
pub(super) fn ethernet(interface: &Interface, network: &Network, sure: Confidence, link: &mut Link) {
    let media = interface.media_rate();
    if let Some(text) = &interface.media {
        note(link, IFCONFIG, "media:", text);
    }
    let bps = media.or(interface.link_rate.filter(|_| interface.active == Some(true)));
    if media.is_none() && bps.is_some() {
        note(link, IFCONFIG, interface.rate_key, &bps.unwrap_or_default().to_string());
    }
    let agree = media.is_some() && interface.link_rate.is_none_or(|rate| Some(rate) == media);
    set_kind(link, ethernet_kind(bps), sure);
    set_rate(link, bps, if agree { sure } else { sure.min(Confidence::High) });
    link.port_max_bps = network.port(&interface.name).and_then(Port::max_bps).filter(|max| Some(*max) >= bps);
}

/// The kind of an Ethernet rate.
pub(super) fn ethernet_kind(bps: Option<u64>) -> LinkKind {
    match bps {
        Some(10_000_000) => LinkKind::Ethernet10,
        Some(100_000_000) => LinkKind::Ethernet100,
        Some(1_000_000_000) => LinkKind::Ethernet1000,
        Some(2_500_000_000) => LinkKind::Ethernet2500,
        Some(5_000_000_000) => LinkKind::Ethernet5000,
        Some(10_000_000_000) => LinkKind::Ethernet10000,
        _ => LinkKind::Ethernet,
    }
}

/// The USB link of a USB network adapter bounds it.
fn adapter(asker: &mut Asker, name: &str, link: &mut Link) {
    let Ok(Some(answer)) = asker.value("ioreg", &["-a", "-l", "-r", "-c", "IOUSBHostDevice"]) else { return };
    let Some(found) = ioreg_usb::find(&answer, name) else { return };
    let rate = found.device.rate.as_ref();
    if let Some(rate) = rate {
        note(link, "ioreg -a -l -r -c IOUSBHostDevice", rate.key, &rate.value.to_string());
    }
    let hubs: Vec<ChainElement> = found.hubs.iter().map(usb::hub).collect();
    link.chain.extend(hubs);
    link.chain.push(element("adapter", found.device.name.as_deref(), rate.map(|rate| rate.bps)));
}

/// The rate of Wi-Fi is that of the moment.
fn wi_fi(interface: &Interface, sure: Confidence, link: &mut Link) {
    set_kind(link, LinkKind::WiFi, sure);
    if let Some(bps) = interface.link_rate {
        note(link, IFCONFIG, interface.rate_key, &bps.to_string());
        set_rate(link, Some(bps), Confidence::High);
    }
}

/// The generation of Wi-Fi is only told by a tool that may scan, so not during a backup.
fn generation(asker: &mut Asker, name: &str, link: &mut Link) {
    if asker.moment() == Seen::During {
        return;
    }
    match asker.value("system_profiler", &["-xml", "SPAirPortDataType"]) {
        Ok(answer) => {
            if let Some(network) = answer.as_ref().and_then(|answer| wi_fi::network(answer, name)) {
                take_wi_fi(link, &network, AIRPORT, link.kind_confidence);
            }
        }
        Err(why) => note(link, AIRPORT, "answer", &why),
    }
}

/// The generation of Wi-Fi on one interface.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// The interface.
    pub interface: String,
    /// Which generation.
    pub kind: LinkKind,
    /// What decided.
    pub evidence: Evidence,
}

/// The generations of all Wi-Fi that is up, for when it turns out later that the way leads over it.
pub(super) fn generations(asker: &mut Asker) -> Vec<Generation> {
    if asker.moment() == Seen::During {
        return Vec::new();
    }
    let Ok(network) = Network::ask(asker) else { return Vec::new() };
    let is_wi_fi =
        |found: &&Interface| found.active != Some(false) && matches!(network.class(found), Some((Class::WiFi, _)));
    let names: Vec<&str> = network.interfaces.iter().filter(is_wi_fi).map(|found| found.name.as_str()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let Ok(Some(answer)) = asker.value("system_profiler", &["-xml", "SPAirPortDataType"]) else { return Vec::new() };
    let generation = |name: &&str| {
        let found = wi_fi::network(&answer, name)?;
        let mode = found.phy_mode.as_deref().unwrap_or("absent");
        let evidence = finding::evidence(AIRPORT, "spairport_network_phymode", mode);
        (found.kind != LinkKind::WiFi).then(|| Generation { interface: (*name).to_owned(), kind: found.kind, evidence })
    };
    names.iter().filter_map(generation).collect()
}

/// Takes generation, channel and rate.
pub(super) fn take_wi_fi(link: &mut Link, network: &wi_fi::Network, tool: &str, sure: Confidence) {
    set_kind(link, network.kind, sure);
    if let Some(mode) = &network.phy_mode {
        note(link, tool, "spairport_network_phymode", mode);
    }
    if let Some(channel) = &network.channel {
        note(link, tool, "spairport_network_channel", channel);
    }
    if let Some(bps) = network.bps {
        note(link, tool, "spairport_network_rate", &(bps / 1_000_000).to_string());
        set_rate(link, Some(bps), Confidence::High);
    }
}

/// IP over a Thunderbolt cable: its rate is that of the only computer on the ports.
fn over_thunderbolt(asker: &mut Asker, link: &mut Link) {
    let Ok(Some(answer)) = asker.value("system_profiler", &["-xml", "SPThunderboltDataType"]) else { return };
    let peers: Vec<_> = thunderbolt::devices(&answer).into_iter().filter(|device| device.is_computer).collect();
    if let [peer] = peers.as_slice()
        && let Some(bps) = peer.bps
    {
        note(link, "system_profiler -xml SPThunderboltDataType", "current_speed_key", &bps.to_string());
        set_rate(link, Some(bps), Confidence::High);
    }
}

/// What carries a tunnel is not known, unless ifconfig says so; then it still isn't the tunnel's rate.
fn vpn(interface: &Interface, link: &mut Link) {
    set_kind(link, LinkKind::Vpn, Confidence::Low);
    if let Some(carrier) = interface.below.first() {
        note(link, IFCONFIG, "effective interface:", carrier);
    }
    link.chain.push(element("tunnel", Some(&interface.name), None));
}

/// A bridge, bond or VLAN is what its active members are, if all are the same.
fn below(
    asker: &mut Asker,
    network: &Network,
    interface: &Interface,
    class: Class,
    mut link: Link,
    depth: usize,
) -> Link {
    let word = match class {
        Class::Bond => "bond",
        Class::Vlan => "vlan",
        _ => "bridge",
    };
    let is_idle = |name: &str| ifconfig::named(&network.interfaces, name).is_some_and(|i| i.active == Some(false));
    let names: Vec<&String> = interface.below.iter().filter(|name| !is_idle(name)).collect();
    let members: Vec<Link> = names.iter().map(|name| of(asker, network, name, depth + 1)).collect();
    let same = members.first().filter(|first| {
        members.iter().all(|other| (other.kind, other.negotiated_bps) == (first.kind, first.negotiated_bps))
    });
    let Some(first) = same else {
        for member in &members {
            let name = member.bsd_name.as_deref().unwrap_or_default();
            note(&mut link, IFCONFIG, "candidate", &format!("{name}, {}", member.kind));
        }
        set_kind(&mut link, LinkKind::Unknown, Confidence::Low);
        link.chain.push(element(word, Some(&interface.name), None));
        return link;
    };
    let mut found = first.clone();
    found.bsd_name = Some(interface.name.clone());
    found.chain.insert(0, element(word, Some(&interface.name), None));
    found.evidence.splice(0..0, link.evidence);
    found.kind_confidence = found.kind_confidence.min(Confidence::Medium);
    found.rate_confidence = found.rate_confidence.min(Confidence::Medium);
    found
}

#[cfg(test)]
mod tests {
    use super::super::stand_in::Answers;
    use super::*;

    fn told(text: &str, name: &str) -> Link {
        let mut tools = Answers::default();
        tools.add("ifconfig", &["-v"], text.as_bytes());
        let mut asker = Asker::new(&mut tools, Seen::During);
        let network = Network::ask(&mut asker).unwrap();
        link(&mut asker, &network, name, Confidence::Certain)
    }

    const TEXT: &str = "\
en5: flags=8863<UP> mtu 1500
\tmedia: autoselect (1000baseT <full-duplex>)
\tstatus: active
\ttype: Ethernet
\tlink rate: 1.00 Gbps
en6: flags=8863<UP> mtu 1500
\tmedia: autoselect (1000baseT <full-duplex>)
\tstatus: active
\ttype: Ethernet
en7: flags=8863<UP> mtu 1500
\tmedia: autoselect (100baseTX <full-duplex>)
\tstatus: active
\ttype: Ethernet
\tlink rate: 1.00 Gbps
en8: flags=8863<UP> mtu 1500
\tmedia: autoselect
\tstatus: inactive
\ttype: Ethernet
bond0: flags=8843<UP> mtu 1500
\tbond interfaces: en5 en6
bond1: flags=8843<UP> mtu 1500
\tbond interfaces: en5 en7
vlan0: flags=8843<UP> mtu 1500
\tvlan: 12 parent interface: bond0
bridge1: flags=8863<UP> mtu 1500
\tmember: en8 flags=3
\tmember: en7 flags=3
bridge2: flags=8863<UP> mtu 1500
\tmember: bridge2 flags=3
utun3: flags=8051<UP> mtu 1400
\teffective interface: en5
awdl0: flags=8943<UP> mtu 1484
\tstatus: active
";

    #[test]
    fn members_that_are_alike_are_the_link_and_others_are_candidates() {
        let of = |name| {
            let link = told(TEXT, name);
            (link.kind, link.negotiated_bps, link.kind_confidence, link.rate_confidence)
        };
        let gigabit = Some(1_000_000_000);
        let (certain, high, medium) = (Confidence::Certain, Confidence::High, Confidence::Medium);
        assert_eq!(of("en5"), (LinkKind::Ethernet1000, gigabit, certain, certain));
        assert_eq!(of("en7"), (LinkKind::Ethernet100, Some(100_000_000), certain, high));
        assert_eq!(of("bond0"), (LinkKind::Ethernet1000, gigabit, medium, medium));
        assert_eq!(of("vlan0"), (LinkKind::Ethernet1000, gigabit, medium, medium));
        assert_eq!(of("bond1"), (LinkKind::Unknown, None, Confidence::Low, Confidence::None));
        assert_eq!(of("bridge1"), (LinkKind::Ethernet100, Some(100_000_000), medium, medium));
        assert_eq!(of("bridge2").0, LinkKind::Unknown);
        assert_eq!(of("utun3"), (LinkKind::Vpn, None, Confidence::Low, Confidence::None));
        assert_eq!(of("awdl0").0, LinkKind::Unknown);
        assert_eq!(of("en99").0, LinkKind::Unknown);
        assert_eq!(told(TEXT, "bond1").evidence.iter().filter(|found| found.key == "candidate").count(), 2);
    }
}
