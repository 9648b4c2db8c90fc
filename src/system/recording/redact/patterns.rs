//! What can be told by its form alone: addresses, UUIDs, and names in paths.

use std::net::{Ipv4Addr, Ipv6Addr};

use regex::Regex;

use super::Name;
use super::names::of_mount_point;

/// Partition and volume types, which are the same on every disk.
const TYPE_UUIDS: [&str; 2] = ["-0000-11AA-AA11-00306543ECAC", "-F81F-11D2-BA4B-00A0C93EC93B"];

pub(super) struct Patterns {
    pub(super) uuid: Regex,
    pub(super) mac: Regex,
    pub(super) v4: Regex,
    pub(super) v6: Regex,
    /// Binary values under keys that name one device.
    pub(super) data: Regex,
    pub(super) home_path: Regex,
    pub(super) volume_path: Regex,
    /// How a path on a destination goes on that says nothing about files.
    pub(super) backup_path: Regex,
    /// What lies in a backup, below the volume that was backed up.
    pub(super) in_backup: Regex,
    home: Regex,
    url: Regex,
    mount: Regex,
    bundle: Regex,
    backupdb: Regex,
}

impl Patterns {
    pub(super) fn new() -> Self {
        Self {
            uuid: regex(r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
            mac: regex(r"(?i)\b(?:[0-9a-f]{1,2}:){5}[0-9a-f]{1,2}\b|\b(?:[0-9a-f]{2}-){5}[0-9a-f]{2}\b"),
            v4: regex(r"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b"),
            v6: regex(
                r"(?i)(?:[0-9a-f]{1,4}:){2,7}:?(?:[0-9a-f]{1,4}:?){0,6}[0-9a-f]{0,4}|[0-9a-f]{0,4}::(?:[0-9a-f]{1,4}:?){0,7}",
            ),
            data: regex(r"(?i)(<key>[^<]*(?:serial|uuid|address)[^<]*</key>\s*<data>)[^<]*(</data>)"),
            home_path: regex(r#"(\bUsers\\?/[^/\\\s"'<>:,)]+)\\?/[^"'<>\n]*"#),
            volume_path: regex(r#"(\\?/Volumes\\?/(?:volume|share|host)-[0-9]+\\?/)([^"'<>\n]*)"#),
            backup_path: regex(
                r"^$|^Backups\.backupdb|^[0-9]{4}-[0-9]{2}-[0-9]{2}-|^\S+\.(?:sparsebundle|backupbundle)\b|^\(|^\s",
            ),
            in_backup: regex(r#"([0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{6}[^/"'<>\n\\]*\\?/[^/"'<>\n\\:]+)\\?/[^"'<>\n]*"#),
            home: regex(r#"\bUsers\\?/([^/\\\s"'<>:,)]+)"#),
            url: regex(
                r#"(?i)\b(?:smb|afp|cifs|nfs):\\?/\\?/(?:([^@/\\\s"'<>]+)@)?([^/\\\s"'<>]+)(?:\\?/([^/\\\s"'<>]+))?"#,
            ),
            mount: regex(r"(?m)^(?://(?:([^@/\n]+)@)?([^/\n]+)/(.+?)|\S.*?) on (/.*) \([^()\n]*\)$"),
            bundle: regex(r#"[/"']([^/\\"'<>\n]+)\.(?:sparsebundle|backupbundle|sparseimage)\b"#),
            backupdb: regex(r#"Backups\.backupdb\\?/([^/\\"'<>\n]+)"#),
        }
    }

    /// Whether a name is replaced for its form anyway.
    pub(super) fn has_own_form(&self, name: &str) -> bool {
        let whole = |regex: &Regex| regex.find(name).is_some_and(|found| found.len() == name.len());
        whole(&self.uuid) || whole(&self.mac) || name.parse::<Ipv4Addr>().is_ok() || name.parse::<Ipv6Addr>().is_ok()
    }

    /// The names that paths and addresses of shares hold.
    pub(super) fn names_in(&self, text: &str) -> Vec<(Name, String)> {
        let mut names = Vec::new();
        for found in self.home.captures_iter(text) {
            names.push((Name::User, found[1].to_owned()));
        }
        for regex in [&self.url, &self.mount] {
            for found in regex.captures_iter(text) {
                let user = found.get(1).map(|user| user.as_str().split([':', ';']).map(decoded).collect::<Vec<_>>());
                names.extend(user.into_iter().flatten().map(|user| (Name::User, user)));
                names.extend(found.get(2).map(|host| (Name::Host, decoded(host.as_str()))));
                names.extend(found.get(3).map(|share| (Name::Share, decoded(share.as_str()))));
            }
        }
        for found in self.mount.captures_iter(text) {
            names.extend(of_mount_point(&found[4]));
        }
        for regex in [&self.bundle, &self.backupdb] {
            for found in regex.captures_iter(text) {
                names.push((Name::Host, decoded(&found[1])));
            }
        }
        names
    }
}

/// The patterns are constants.
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// Percent escapes undone; what isn't UTF-8 then stays as it was.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped =
            tail.get(..2).and_then(|hex| str::from_utf8(hex).ok()).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let (b'%', Some(byte)) = (*first, escaped) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

pub(super) fn kept_uuid(uuid: &str) -> bool {
    let upper = uuid.to_uppercase();
    let stand_in = upper.starts_with("00000000-0000-");
    stand_in || TYPE_UUIDS.iter().any(|end| upper.ends_with(end))
}

pub(super) fn kept_v4(address: Ipv4Addr) -> bool {
    address.is_loopback() || address.is_unspecified() || address.is_multicast() || address.octets()[0] == 255
}

pub(super) fn kept_v6(address: Ipv6Addr) -> bool {
    address.is_loopback() || address.is_unspecified() || address.is_multicast()
}

/// An address of the ranges for documentation; one that says that it holds on one link only still says so.
pub(super) fn stand_in_v4(address: Ipv4Addr, number: usize) -> String {
    let (high, low) = (number / 254 % 250, number % 254 + 1);
    if address.is_link_local() { format!("169.254.{high}.{low}") } else { format!("198.18.{high}.{low}") }
}

/// The same for IPv6.
pub(super) fn stand_in_v6(address: Ipv6Addr, number: usize) -> String {
    if address.is_unicast_link_local() { format!("fe80::{number:x}") } else { format!("2001:db8::{number:x}") }
}
