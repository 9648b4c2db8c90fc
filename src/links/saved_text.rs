//! Saved answers in the text forms.

use super::finding::{blank, note, set_kind, set_rate};
use super::interface::Network;
use super::networksetup::Port;
use super::saved::{Explained, channel, images, interfaces, registry};
use super::smbutil::Channel;
use super::usb_speed::of_text;
use super::{
    disk, fibre_channel, hdiutil, ifconfig, ioreg_text, mount, netstat, network, networksetup, route, usb, wi_fi,
};
use crate::domain::link::{Confidence, Link, LinkKind, Seen};

/// Explains a text.
pub(super) fn explain(text: &str, ports: &[Port]) -> Option<Explained> {
    let begins = |start: &str| text.lines().any(|line| line.trim_start().starts_with(start));
    if begins("+-o ") || text.lines().any(|line| line.trim_start_matches(['|', ' ']).starts_with("+-o ")) {
        return registry(&ioreg_text::read(text)?);
    }
    if begins("image-path") {
        return Some(images(&hdiutil::images_of_text(text)));
    }
    if text.contains(": flags=") {
        let network = Network { interfaces: ifconfig::read(text), ports: ports.to_vec() };
        return Some(interfaces(&network));
    }
    if begins("Hardware Port:") {
        return Some(named_ports(text));
    }
    if begins("Active Internet connections") {
        return Some(connections(text));
    }
    if begins("route to:") || begins("route:") {
        return Some(one_route(text));
    }
    if begins("Fibre Channel:") {
        let links = fibre_channel::disks_of_text(text).into_iter().map(|found| {
            let mut link = blank(Seen::Past);
            disk::take_fibre_channel(&mut link, &found);
            link
        });
        return Some(Explained::of("system_profiler SPFibreChannelDataType").links(links, "no disk on Fibre Channel"));
    }
    if begins("IODeviceTree:/") || begins("IOService:/") {
        return Some(paths(text));
    }
    if begins("Tx Rate") {
        return Some(wdutil(text));
    }
    if text.contains("Multichannel ON:") {
        return Some(multichannel(text));
    }
    if text.contains("ATTRIBUTE TYPE") {
        return Some(statshares(text));
    }
    let mounts = mount::read(text);
    if !mounts.is_empty() {
        return Some(mounts.iter().map(mounted).fold(Explained::of("mount"), Explained::note));
    }
    if begins("/dev/disk") {
        return Some(Explained::of("diskutil list").note("no bus is told here"));
    }
    sysctl(text)
}

fn named_ports(text: &str) -> Explained {
    let ports = networksetup::read(text);
    let told = |port: &Port| match port.class() {
        Some(class) => format!("{} is {}", port.device, class.word()),
        None => format!("{} has a name of its own", port.device),
    };
    ports.iter().map(told).fold(Explained::of("networksetup -listallhardwareports"), Explained::note)
}

fn connections(text: &str) -> Explained {
    let told = |row: &netstat::Connection| {
        let protocol = match row.port {
            445 => "SMB",
            548 => "AFP",
            2049 => "NFS",
            _ => return None,
        };
        let sent = row.sent_bytes.map_or_else(|| "bytes not told".to_owned(), |bytes| format!("{bytes} bytes sent"));
        Some(format!("a connection by {protocol}, {sent}"))
    };
    let rows = netstat::read(text);
    let notes = rows.iter().filter_map(told);
    notes.fold(Explained::of("netstat"), Explained::note).note("which interface has the local address, ifconfig tells")
}

fn one_route(text: &str) -> Explained {
    let told = Explained::of("route -n get");
    let Some(found) = route::read(text) else {
        return told.note("no route, or one that says nothing of the way taken");
    };
    let interface = ifconfig::Interface { name: found.interface.clone(), ..ifconfig::Interface::default() };
    let mut link = blank(Seen::Past);
    link.bsd_name = Some(found.interface.clone());
    note(&mut link, "route -n get", "interface", &found.interface);
    if interface.class() == Some(ifconfig::Class::Vpn) {
        set_kind(&mut link, LinkKind::Vpn, Confidence::Low);
    }
    told.links([link], "")
}

fn paths(text: &str) -> Explained {
    let told = |path: &str| {
        let last = path.rsplit('/').next().unwrap_or_default();
        if let Some(location) = usb::location(path) {
            format!("a USB device at {location:#010x}")
        } else if disk::is_usb(path) {
            "a USB device, port not told".to_owned()
        } else if disk::is_tunnelled(path) {
            "a disk on PCI Express through Thunderbolt".to_owned()
        } else {
            format!("inside the Mac, or not told: …/{last}")
        }
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(told).fold(Explained::of("DeviceTreePath"), Explained::note)
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.trim().strip_prefix(name)?.trim_start().strip_prefix(':').map(str::trim))
}

fn wdutil(text: &str) -> Explained {
    let mut link = blank(Seen::Past);
    link.bsd_name = field(text, "Interface Name").map(str::to_owned);
    let mode = field(text, "PHY Mode");
    set_kind(
        &mut link,
        mode.map_or(LinkKind::WiFi, |mode| wi_fi::generation(mode, field(text, "Channel"))),
        Confidence::Certain,
    );
    let rate = field(text, "Tx Rate").unwrap_or_default();
    note(&mut link, "wdutil info", "PHY Mode", mode.unwrap_or("absent"));
    note(&mut link, "wdutil info", "Tx Rate", rate);
    set_rate(&mut link, of_text(rate), Confidence::High);
    Explained::of("wdutil info").links([link], "")
}

/// `ALT   184  en6    (Ethernet)   6   2   [session active       ]   192.0.2.1   445   2.5 Gb`.
fn multichannel(text: &str) -> Explained {
    let row = |line: &str| {
        let (head, rest) = line.split_once('[')?;
        let (state, rest) = rest.split_once(']')?;
        let mut tail = rest.split_whitespace().skip(2);
        let (figure, unit) = (tail.next()?, tail.next()?);
        Some(Channel {
            active: state.trim() == "session active",
            interface: head.split_whitespace().nth(2).map(str::to_owned),
            bps: of_text(&format!("{figure} {unit}")),
            server: None,
        })
    };
    let channels: Vec<Link> =
        text.lines().filter_map(row).filter(|found| found.active).map(|found| channel(&found)).collect();
    let sum = (channels.len() > 1).then(|| network::sum(Seen::Past, &channels));
    Explained::of("smbutil multichannel")
        .links(sum.into_iter().chain(channels), "no channel with an interface is active")
}

fn statshares(text: &str) -> Explained {
    let value = |name: &str| {
        let line = text.lines().map(str::trim).find(|line| line.starts_with(name))?;
        line.strip_prefix(name)?.split_whitespace().next()
    };
    let version = value("SMB_VERSION").map_or_else(|| "SMB".to_owned(), |version| version.replace('_', " "));
    let signs = value("SMB_CURR_SIGN_ALGORITHM").is_some_and(|name| !name.eq_ignore_ascii_case("off"));
    let signed = if signs || value("SIGNING_ON") == Some("TRUE") { ", signed" } else { "" };
    Explained::of("smbutil statshares").note(format!("{version}{signed}"))
}

fn mounted(mount: &mount::Mount) -> String {
    match (mount.bsd_name(), mount.share()) {
        (Some(bsd), _) if mount.is_snapshot => format!("a snapshot of {bsd}, {}", mount.file_system),
        (Some(bsd), _) => format!("{bsd}, {}", mount.file_system),
        (None, Some(share)) if share.service_instance.is_some() => {
            format!("{}, server named as a Bonjour service", mount.file_system)
        }
        (None, Some(share)) => match share.host.split_once('%') {
            Some((_, scope)) => format!("{}, server's address is on {scope}", mount.file_system),
            None => format!("{}, server named", mount.file_system),
        },
        (None, None) => format!("{}, server not named", mount.file_system),
    }
}

/// What `sysctl` prints with names.
fn sysctl(text: &str) -> Option<Explained> {
    const NAMES: &[&str] = &["hw.model", "machdep.cpu.brand_string", "machdep.cpu.core_count", "hw.memsize"];
    let is_name = |line: &str| line.starts_with("hw.") || line.starts_with("machdep.") || line.starts_with("debug.");
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    if !lines.clone().all(is_name) || lines.next().is_none() {
        return None;
    }
    let told = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_level = name.starts_with("hw.perflevel");
        (is_level || NAMES.contains(&name)).then(|| format!("{name} = {}", value.trim()))
    });
    Some(told.fold(Explained::of("sysctl"), Explained::note))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_multichannel_sums_the_active_channels() {
        let text = "Info: Multichannel ON: yes, Reconnect Count: 1Reconnect Time\n\
            M     177  en0    (wifi    )   8   5   [session inactive     ]   192.0.2.252  445  261.6 Mb\n\
            ALT   184  en6    (Ethernet)   6   2   [session active       ]   192.0.2.1  445  2.5 Gb\n\
            ALT   188  en15   (Ethernet)   5   3   [session active       ]   192.0.2.1  445  2.5 Gb\n";
        let told = explain(text, &[]).unwrap();
        let rates: Vec<_> = told.links.iter().map(|link| (link.kind, link.negotiated_bps)).collect();
        let channel = (LinkKind::Ethernet2500, Some(2_500_000_000));
        assert_eq!(rates, [(LinkKind::Mixed, Some(5_000_000_000)), channel, channel]);
    }

    #[test]
    fn the_rate_of_wdutil_is_a_moments() {
        let text = "    Interface Name       : en0\n    Tx Rate              : 1200.0 Mbps\n    PHY Mode             : 11ax\n    Channel              : 6g37/160\n";
        let link = &explain(text, &[]).unwrap().links[0];
        assert_eq!((link.kind, link.negotiated_bps), (LinkKind::WiFi6e, Some(1_200_000_000)));
    }

    #[test]
    fn a_tunnel_is_told_by_its_name_and_nothing_else_by_a_route() {
        let of = |interface: &str| {
            explain(&format!("   route to: 192.0.2.2\n  interface: {interface}\n"), &[]).unwrap().links[0].kind
        };
        assert_eq!((of("utun4"), of("en0")), (LinkKind::Vpn, LinkKind::Unknown));
        assert_eq!(explain("route: writing to routing socket: not in table\n", &[]).unwrap().links.len(), 0);
    }

    #[test]
    fn other_text_is_nothing() {
        assert_eq!(explain("", &[]), None);
        assert_eq!(explain("hello\nworld", &[]), None);
    }
}
