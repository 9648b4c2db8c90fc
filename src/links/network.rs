//! A share on a server: from the server's address to the socket in use, from there to the interface.

use super::asker::Asker;
use super::finding::{blank, finish, note, set_kind, set_rate};
use super::ifconfig;
use super::interface::{self, Network};
use super::mount::Mount;
use super::netstat::{self, Connection};
use super::smbutil::{self, Session};
use super::{finding, route};
use crate::apple::url::Share;
use crate::domain::link::{Confidence, Evidence, Link, LinkKind, Seen};

/// What is known of the share.
pub(super) struct Way<'a> {
    /// Server and share.
    pub(super) share: Option<Share>,
    /// Where it is mounted, while it is.
    pub(super) mount: Option<&'a Mount>,
}

const NETSTAT: &str = "netstat -anv -p tcp";
const STATSHARES: &str = "smbutil statshares -a -f JSON";
const MULTICHANNEL: &str = "smbutil multichannel -a -f JSON";

impl Way<'_> {
    fn protocol(&self) -> Option<Protocol> {
        let by_mount = self.mount.and_then(|mount| Protocol::of(mount.file_system.strip_suffix("fs")?));
        let nfs = self.mount.filter(|mount| mount.file_system == "nfs").map(|_| Protocol::Nfs);
        let by_url = || Protocol::of(self.share.as_ref()?.scheme.as_deref()?);
        by_mount.or(nfs).or_else(by_url)
    }

    /// The server's address, if the share is named by one.
    fn literal(&self) -> Option<&str> {
        let host = self.share.as_ref()?.host.as_str();
        let bare = ifconfig::without_scope(host);
        bare.parse::<std::net::IpAddr>().is_ok().then_some(host)
    }

    /// A host name that can be looked up: the instance of a Bonjour service can't.
    fn host_name(&self) -> Option<&str> {
        let share = self.share.as_ref()?;
        (share.service_instance.is_none() && self.literal().is_none()).then_some(share.host.as_str())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Smb,
    Afp,
    Nfs,
}

impl Protocol {
    fn of(name: &str) -> Option<Self> {
        match name {
            "smb" | "cifs" => Some(Self::Smb),
            "afp" => Some(Self::Afp),
            "nfs" => Some(Self::Nfs),
            _ => None,
        }
    }

    fn port(self) -> u16 {
        match self {
            Self::Smb => 445,
            Self::Afp => 548,
            Self::Nfs => 2049,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Smb => "SMB",
            Self::Afp => "AFP",
            Self::Nfs => "NFS",
        }
    }
}

/// Finds the links to a share: one, or a sum and one for each channel of SMB multichannel.
pub(super) fn resolve(asker: &mut Asker, way: &Way, mounts: &[Mount]) -> Vec<Link> {
    let network = match Network::ask(asker) {
        Ok(network) => network,
        Err(why) => {
            let mut link = blank(asker.moment());
            note(&mut link, "ifconfig -v", "answer", &why);
            return vec![link];
        }
    };
    let mut evidence = Vec::new();
    if let Some(mount) = way.mount {
        evidence.push(finding::evidence("mount", "file system", &mount.file_system));
    }
    let session = session(asker, way, &mut evidence);
    let transport = transport(asker, way, session.as_ref(), &mut evidence);
    let mut links = match session.as_ref().filter(|session| session.multichannel).map(Session::active) {
        Some(channels) if !channels.is_empty() => {
            channels.into_iter().map(|channel| of_channel(asker, &network, channel)).collect()
        }
        _ => vec![by_socket_or_route(asker, way, mounts, &network, session.as_ref())],
    };
    if links.len() > 1 {
        links.insert(0, sum(asker.moment(), &links));
    }
    for link in &mut links {
        link.evidence.splice(0..0, evidence.iter().cloned());
        link.transport.clone_from(&transport);
    }
    links
}

/// The SMB session. macOS may refuse to tell it of Time Machine's own mount; then the sockets decide.
fn session(asker: &mut Asker, way: &Way, evidence: &mut Vec<Evidence>) -> Option<Session> {
    let mount = way.mount.filter(|mount| mount.file_system == "smbfs")?;
    if asker.moment() == Seen::During {
        return None;
    }
    let session = match asker.value("smbutil", &["multichannel", "-a", "-f", "JSON"]) {
        Ok(answer) => smbutil::session(&answer?, &mount.point),
        Err(why) => {
            evidence.push(finding::evidence(MULTICHANNEL, "answer", &why));
            return None;
        }
    }?;
    evidence.push(finding::evidence(MULTICHANNEL, "mc_on", if session.multichannel { "yes" } else { "no" }));
    Some(session)
}

fn transport(asker: &mut Asker, way: &Way, session: Option<&Session>, evidence: &mut Vec<Evidence>) -> Option<String> {
    let protocol = way.protocol()?;
    let told = if protocol == Protocol::Smb && way.mount.is_some() && asker.moment() != Seen::During {
        match asker.value("smbutil", &["statshares", "-a", "-f", "JSON"]) {
            Ok(answer) => answer.and_then(|answer| smbutil::protocol(&answer, way.share.as_ref()?)),
            Err(why) => {
                evidence.push(finding::evidence(STATSHARES, "answer", &why));
                None
            }
        }
    } else {
        None
    };
    if let Some(words) = &told {
        let version = words.split(',').next().unwrap_or_default().replace(' ', "_");
        evidence.push(finding::evidence(STATSHARES, "SMB_VERSION", &version));
    }
    let mut text = told.unwrap_or_else(|| protocol.name().to_owned());
    if session.is_some_and(|session| session.multichannel) {
        text.push_str(", multichannel");
    }
    Some(text)
}

fn of_channel(asker: &mut Asker, network: &Network, channel: &smbutil::Channel) -> Link {
    let name = channel.interface.as_deref().unwrap_or_default();
    let mut link = interface::link(asker, network, name, Confidence::Certain);
    take_channel(&mut link, channel);
    finish(link)
}

/// Takes the rate that SMB itself tells of a channel; it is that of the session's setup.
pub(super) fn take_channel(link: &mut Link, channel: &smbutil::Channel) {
    note(link, MULTICHANNEL, "client_interface", channel.interface.as_deref().unwrap_or_default());
    let Some(bps) = channel.bps else { return };
    note(link, MULTICHANNEL, "link_speed", &bps.to_string());
    if link.negotiated_bps.is_none() {
        set_rate(link, Some(bps), Confidence::Certain);
        if matches!(link.kind, LinkKind::Ethernet | LinkKind::Unknown)
            && interface::ethernet_kind(Some(bps)) != LinkKind::Ethernet
        {
            set_kind(link, interface::ethernet_kind(Some(bps)), link.kind_confidence.max(Confidence::High));
        }
    }
}

/// Channels carry data side by side: their rates add up.
pub(super) fn sum(seen: Seen, channels: &[Link]) -> Link {
    let mut link = blank(seen);
    let add = |rates: Vec<Option<u64>>| rates.into_iter().try_fold(0_u64, |sum, rate| sum.checked_add(rate?));
    set_kind(
        &mut link,
        LinkKind::Mixed,
        channels.iter().map(|channel| channel.kind_confidence).min().unwrap_or_default(),
    );
    let sure = channels.iter().map(|channel| channel.rate_confidence).min().unwrap_or_default();
    set_rate(&mut link, add(channels.iter().map(|channel| channel.negotiated_bps).collect()), sure);
    link.practical_bps = add(channels.iter().map(|channel| channel.practical_bps).collect());
    note(&mut link, MULTICHANNEL, "session active", &format!("{} channels", channels.len()));
    link
}

fn by_socket_or_route(
    asker: &mut Asker,
    way: &Way,
    mounts: &[Mount],
    network: &Network,
    session: Option<&Session>,
) -> Link {
    let mut failed = blank(asker.moment());
    if way.mount.is_some() {
        match asker.text("netstat", &["-anv", "-p", "tcp"]) {
            Ok(text) => {
                let connections = connections(&netstat::read(&text), way, mounts, session);
                if let Some(link) = by_connections(asker, &connections, network) {
                    return link;
                }
                note(&mut failed, NETSTAT, "ESTABLISHED", "no connection to the server from an address of this Mac");
            }
            Err(why) => note(&mut failed, NETSTAT, "answer", &why),
        }
    }
    if let Some((_, scope)) = way.literal().and_then(|host| host.split_once('%')) {
        let mut link = interface::link(asker, network, scope, Confidence::High);
        note(&mut link, "mount", "scope of the address", scope);
        return link;
    }
    by_route(asker, way, network, session, failed)
}

/// The connections that may be the share's.
fn connections(all: &[Connection], way: &Way, mounts: &[Mount], session: Option<&Session>) -> Vec<Connection> {
    let Some(port) = way.protocol().map(Protocol::port) else { return Vec::new() };
    let port = way.share.as_ref().and_then(|share| share.port).unwrap_or(port);
    let literal = way.literal().map(ifconfig::without_scope);
    let servers: Vec<&str> = session.map(smbutil::servers).unwrap_or_default().into_iter().chain(literal).collect();
    let mut found: Vec<Connection> = all
        .iter()
        .filter(|row| row.port == port && (servers.is_empty() || servers.contains(&row.server.as_str())))
        .cloned()
        .collect();
    if servers.is_empty() {
        // Connections to servers that another mount names by their address are that mount's.
        let others: Vec<String> = mounts.iter().filter(|other| Some(*other) != way.mount).filter_map(address).collect();
        found.retain(|row| !others.contains(&row.server));
    }
    if let Some(sent) = session.and_then(|session| session.sent_bytes).filter(|sent| *sent > 1_000_000) {
        let same: Vec<Connection> = found.iter().filter(|row| is_about(row.sent_bytes, sent)).cloned().collect();
        if same.len() == 1 {
            return same;
        }
    }
    found
}

fn address(mount: &Mount) -> Option<String> {
    let way = Way { share: mount.share(), mount: None };
    way.literal().map(|host| ifconfig::without_scope(host).to_owned())
}

/// The socket's counter holds a little more than the session's.
fn is_about(counted: Option<u64>, sent: u64) -> bool {
    counted.is_some_and(|counted| counted.abs_diff(sent) <= sent / 50)
}

/// The interface that owns the local address of the connections; several interfaces are candidates.
fn by_connections(asker: &mut Asker, connections: &[Connection], network: &Network) -> Option<Link> {
    let mut owners: Vec<&str> = Vec::new();
    for connection in connections {
        let owner = ifconfig::owner(&network.interfaces, &connection.local)?;
        if !owners.contains(&owner.name.as_str()) {
            owners.push(&owner.name);
        }
    }
    match owners.as_slice() {
        [] => None,
        [only] => {
            let mut link = interface::link(asker, network, only, Confidence::Certain);
            note(&mut link, NETSTAT, "ESTABLISHED", &format!("local address on {only}"));
            Some(link)
        }
        several => {
            let mut link = blank(asker.moment());
            for name in several {
                let candidate = interface::link(asker, network, name, Confidence::None);
                note(&mut link, NETSTAT, "candidate", &format!("{name}, {}", candidate.kind));
            }
            Some(link)
        }
    }
}

/// The interface that packets to the server would take. This proves less than a connection.
fn by_route(asker: &mut Asker, way: &Way, network: &Network, session: Option<&Session>, mut failed: Link) -> Link {
    let told = session.map(smbutil::servers).unwrap_or_default().first().copied().map(str::to_owned);
    let literal = way.literal().map(ifconfig::without_scope).map(str::to_owned);
    // While a backup runs nothing is looked up by name.
    let by_name = || way.host_name().filter(|_| asker.moment() != Seen::During).map(str::to_owned);
    let Some(address) = told.or(literal).or_else(by_name) else {
        note(&mut failed, "route -n get", "address", "the server's address is not known");
        return failed;
    };
    let is_v6 = address.contains(':');
    let args: &[&str] = if is_v6 { &["-n", "get", "-inet6", &address] } else { &["-n", "get", &address] };
    match asker.text("route", args).map(|text| route::read(&text)) {
        Ok(Some(found)) => {
            let sure = if found.on_link && way.mount.is_some() { Confidence::High } else { Confidence::Medium };
            let mut link = interface::link(asker, network, &found.interface, sure);
            link.evidence.splice(0..0, failed.evidence);
            note(&mut link, "route -n get", "interface", &found.interface);
            link
        }
        Ok(None) => {
            note(&mut failed, "route -n get", "interface", "absent: no route now");
            failed
        }
        Err(why) => {
            note(&mut failed, "route -n get", "answer", &why);
            failed
        }
    }
}
