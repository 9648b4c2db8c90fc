//! The procedure: from a destination to its mount, and from there by disk, image or network to the links.

use super::asker::Asker;
use super::finding::{blank, note};
use super::mount::{self, Mount};
use super::{local, network};
use crate::apple::url::Share;
use crate::domain::destination::{Destination, DestinationKind};
use crate::domain::link::Link;

/// How many images within images, or shares below them, are followed.
const DEEPEST: usize = 8;

/// What a look found.
pub(super) struct Resolved {
    /// The links; at least one.
    pub(super) links: Vec<Link>,
    /// The BSD name of the destination's volume, if it is a disk's.
    pub(super) bsd_name: Option<String>,
    /// Where it is mounted.
    pub(super) mounted: Option<String>,
}

/// Finds the links to a destination.
pub(super) fn destination(asker: &mut Asker, wanted: &Destination) -> Resolved {
    let mounts = match asker.text("mount", &[]) {
        Ok(text) => mount::read(&text),
        Err(why) => {
            let mut link = blank(asker.moment());
            note(&mut link, "mount", "answer", &why);
            return Resolved { links: vec![link], bsd_name: None, mounted: None };
        }
    };
    let share = wanted.url.as_deref().and_then(Share::parse);
    if share.is_some() || wanted.kind == Some(DestinationKind::Network) {
        let mount = share_mount(&mounts, wanted, share.as_ref());
        let way = network::Way { share: share.or_else(|| mount?.share()), mount };
        let mounted = mount.map(|mount| mount.point.clone());
        return Resolved { links: network::resolve(asker, &way, &mounts), bsd_name: None, mounted };
    }
    let Some(mount) = wanted.mount_point.as_deref().and_then(|point| mount::at(&mounts, point)) else {
        return Resolved { links: vec![not_mounted(asker, wanted)], bsd_name: None, mounted: None };
    };
    Resolved {
        links: of_mount(asker, mount, &mounts, 0),
        bsd_name: mount.bsd_name().map(str::to_owned),
        mounted: Some(mount.point.clone()),
    }
}

fn not_mounted(asker: &Asker, wanted: &Destination) -> Link {
    let mut link = blank(asker.moment());
    if wanted.mount_point.is_some() {
        note(&mut link, "mount", "mount point", "not in the list");
    } else {
        let kind = if wanted.kind == Some(DestinationKind::Local) { "Local" } else { "absent" };
        note(&mut link, "tmutil destinationinfo -X", "Kind", &format!("{kind}, not mounted"));
    }
    link
}

/// The mount of a share: by its URL, by its mount point, or the only share that Time Machine has mounted.
fn share_mount<'a>(mounts: &'a [Mount], wanted: &Destination, share: Option<&Share>) -> Option<&'a Mount> {
    let by_url = share.map(|share| mount::of_share(mounts, share)).unwrap_or_default();
    let by_point = || wanted.mount_point.as_deref().and_then(|point| mount::at(mounts, point));
    let hidden = || {
        let mut found = mounts.iter().filter(|mount| mount.is_network() && mount::is_hidden(&mount.point));
        found.next().filter(|_| found.next().is_none())
    };
    let of_time_machine = by_url.iter().copied().find(|mount| mount::is_hidden(&mount.point));
    of_time_machine
        .or_else(|| by_url.first().copied())
        .or_else(|| by_point().filter(|mount| mount.is_network()))
        .or_else(hidden)
}

/// Finds the links below a mount. `depth` counts the images passed so far.
pub(super) fn of_mount(asker: &mut Asker, mount: &Mount, mounts: &[Mount], depth: usize) -> Vec<Link> {
    if depth < DEEPEST {
        if mount.is_network() {
            let way = network::Way { share: mount.share(), mount: Some(mount) };
            return network::resolve(asker, &way, mounts);
        }
        if let Some(bsd) = mount.bsd_name() {
            return local::resolve(asker, bsd, mounts, depth);
        }
    }
    let mut link = blank(asker.moment());
    let value = if depth < DEEPEST { mount.file_system.as_str() } else { "images within images, too deep" };
    note(&mut link, "mount", "file system", value);
    vec![link]
}
