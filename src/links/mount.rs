//! `mount` without an argument: what is mounted where, from the kernel's table.

use std::path::Path;

use super::value_of::bsd_name;
use crate::apple::url::Share;

/// One mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// What is mounted: `/dev/disk4s2`, `//user@host/share`.
    pub(super) source: String,
    /// Where.
    pub(super) point: String,
    /// The file system's type, such as `apfs` or `smbfs`.
    pub(super) file_system: String,
    /// Whether a local snapshot is mounted, rather than a volume.
    pub(super) is_snapshot: bool,
}

/// Types of file systems that come over a network.
const NETWORK: &[&str] = &["smbfs", "afpfs", "nfs", "webdav", "ftp"];

impl Mount {
    /// Whether it comes over a network.
    pub(super) fn is_network(&self) -> bool {
        NETWORK.contains(&self.file_system.as_str())
    }

    /// The BSD name of a local volume.
    pub(super) fn bsd_name(&self) -> Option<&str> {
        bsd_name(&self.source)
    }

    /// The server and the share. AFP sources of before about 10.9 are opaque and name neither.
    pub(super) fn share(&self) -> Option<Share> {
        self.is_network().then(|| Share::parse(&self.source)).flatten()
    }
}

/// Whether Time Machine has mounted something at this place itself, out of sight. Seen in captures since 10.15.
pub fn is_hidden(point: &str) -> bool {
    point.starts_with("/Volumes/.timemachine/")
}

/// Reads the lines `SOURCE on POINT (TYPE, OPTIONS)`.
pub(super) fn read(text: &str) -> Vec<Mount> {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<Mount> {
    let (head, options) = line.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    let (source, rest) = head.split_once(" on /")?;
    let file_system = options.split(',').next().unwrap_or_default().trim();
    Some(Mount {
        source: source.to_owned(),
        point: format!("/{rest}"),
        file_system: file_system.to_owned(),
        is_snapshot: source.contains("@/dev/"),
    })
}

/// The file system mounted at exactly this place.
pub(super) fn at<'a>(mounts: &'a [Mount], point: &str) -> Option<&'a Mount> {
    let wanted = Path::new(point);
    // The newest lies on top.
    mounts.iter().rfind(|mount| Path::new(&mount.point) == wanted)
}

/// The file system that a path lies on: the one with the longest mount point above it, whole components only.
pub(super) fn holding<'a>(mounts: &'a [Mount], path: &str) -> Option<&'a Mount> {
    let path = Path::new(path);
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| Path::new(&mount.point).components().count())
}

/// The mounts of a share: the same server and the same share.
pub(super) fn of_share<'a>(mounts: &'a [Mount], wanted: &Share) -> Vec<&'a Mount> {
    mounts.iter().filter(|mount| mount.share().is_some_and(|share| is_same(&share, wanted))).collect()
}

fn is_same(a: &Share, b: &Share) -> bool {
    a.host.eq_ignore_ascii_case(&b.host)
        && match (&a.share, &b.share) {
            (Some(a), Some(b)) => a.to_lowercase() == b.to_lowercase(),
            (a, b) => a == b,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
/dev/disk5s2 on /Volumes/Vault (2024) on ice (hfs, local, nodev, nosuid, journaled)
com.apple.TimeMachine.2026-04-02-152252.backup@/dev/disk14s2 on /Volumes/.timemachine/snap (apfs, local, read-only)
//pat@Attic%20NAS._smb._tcp.local/TM on /Volumes/.timemachine/Attic NAS._smb._tcp.local./X/TM (smbfs, nobrowse)
//pat;x@[fe80::7%25en4]/TM2 on /Volumes/TM2 (smbfs, nodev, nosuid)
afp_0aBcDeF-1.23000004 on /Volumes/Old (afpfs, nodev)
attic:/export/tm on /Volumes/N (nfs)
";

    #[test]
    fn each_form_of_source_is_understood() {
        let mounts = read(TEXT);
        assert_eq!(mounts.len(), 8);
        assert_eq!(mounts[2].point, "/Volumes/Vault (2024) on ice");
        assert_eq!(mounts[2].bsd_name(), Some("disk5s2"));
        assert!(mounts[3].is_snapshot);
        assert_eq!(mounts[3].bsd_name(), Some("disk14s2"));
        assert_eq!(mounts[4].share().unwrap().service_instance.as_deref(), Some("Attic NAS"));
        assert_eq!(mounts[5].share().unwrap().host, "fe80::7%en4");
        assert_eq!(mounts[6].share(), None);
        assert!(mounts[6].is_network());
        assert_eq!(mounts[7].share().unwrap().host, "attic");
    }

    #[test]
    fn a_path_lies_on_the_longest_mount_point() {
        let mounts = read(TEXT);
        let on = |path| holding(&mounts, path).map(|mount| mount.point.as_str());
        assert_eq!(on("/Volumes/TM2/a.sparsebundle"), Some("/Volumes/TM2"));
        assert_eq!(on("/Volumes/TM22/a"), Some("/"));
        assert_eq!(on("ram://8"), None);
        assert_eq!(at(&mounts, "/Volumes/TM2/").unwrap().file_system, "smbfs");
        assert_eq!(at(&mounts, "/Volumes/TM"), None);
    }

    #[test]
    fn a_share_is_found_whatever_user_and_case_it_is_written_with() {
        let mounts = read(TEXT);
        let url = Share::parse("smb://sam@attic nas._smb._tcp.local./tm").unwrap();
        assert_eq!(of_share(&mounts, &url).len(), 1);
        assert_eq!(of_share(&mounts, &Share::parse("smb://attic/TM").unwrap()).len(), 0);
    }

    #[test]
    fn lines_of_another_kind_are_passed() {
        assert_eq!(read("mount: no\n)\n(\n on / (\n").len(), 0);
    }
}
