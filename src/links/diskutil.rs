//! `diskutil info -plist`: a disk, a slice, a volume or a container; and the lists behind `CoreStorage` and RAID.

use super::value_of::{is_set, list, text};
use crate::apple::value::Value;

/// What a disk is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Layer {
    /// Itself, or a slice of a disk.
    #[default]
    Physical,
    /// Something else: a container or an image, which has no bus of its own.
    Virtual,
    /// A group of `CoreStorage`.
    CoreStorage,
    /// A RAID set.
    Raid,
}

/// What `info -plist` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Info {
    /// The BSD name.
    pub(super) bsd_name: Option<String>,
    /// How the physical disk is connected, in `IOKit`'s words. Slices, containers and volumes inherit it.
    pub(super) bus: Option<String>,
    /// Whether it is inside the Mac. A card in the built-in slot is.
    pub(super) internal: Option<bool>,
    /// Its place in the device tree; evidence, no identity.
    pub(super) tree_path: Option<String>,
    /// Whether it is a whole disk.
    pub(super) is_whole: bool,
    /// The whole disk that it is a part of. A container is its own.
    pub(super) whole: Option<String>,
    /// The slices that hold an APFS container.
    pub(super) stores: Vec<String>,
    /// What it is made of.
    pub(super) layer: Layer,
    /// The model of a whole disk; of a slice its name or nothing.
    pub(super) media_name: Option<String>,
    /// Maker and model of a whole disk, of a slice its name.
    pub(super) entry_name: Option<String>,
    /// The file system's type.
    pub(super) file_system: Option<String>,
    /// Whether the volume is encrypted.
    pub(super) encrypted: Option<bool>,
    /// Its free bytes; of APFS those of the container.
    pub(super) free_bytes: Option<u64>,
}

/// Reads the answer; `None` for an error, which is a property list too, with exit code 1 (network mounts, unknown names).
pub(super) fn info(answer: &Value) -> Option<Info> {
    if is_set(answer, "Error") {
        return None;
    }
    answer.as_dict()?;
    let owned = |key: &str| text(answer, key).map(str::to_owned);
    let flag = |key: &str| answer.get(key).and_then(Value::as_bool);
    let number = |key: &str| answer.get(key).and_then(Value::as_u64);
    let bsd_name = owned("DeviceIdentifier");
    let is_apfs = text(answer, "FilesystemType") == Some("apfs");
    Some(Info {
        is_whole: flag("WholeDisk") == Some(true),
        whole: owned("ParentWholeDisk"),
        bsd_name,
        bus: owned("BusProtocol"),
        internal: flag("Internal"),
        tree_path: owned("DeviceTreePath"),
        stores: stores(answer),
        layer: layer(answer),
        media_name: owned("MediaName"),
        entry_name: owned("IORegistryEntryName"),
        file_system: owned("FilesystemType"),
        encrypted: flag("Encryption").or_else(|| flag("FileVault")).or_else(|| flag("CoreStorageEncrypted")),
        free_bytes: number("APFSContainerFree").or_else(|| number("FreeSpace").filter(|_| !is_apfs)),
    })
}

fn layer(answer: &Value) -> Layer {
    // What a slice says of the group it belongs to is about its physical volume.
    let is_logical = |(key, value): &(String, Value)| {
        key.starts_with("CoreStorage") && !key.contains("PV") && value.as_bool() != Some(false)
    };
    if is_set(answer, "RAIDMaster") {
        Layer::Raid
    } else if answer.as_dict().is_some_and(|entries| entries.iter().any(is_logical)) {
        Layer::CoreStorage
    } else if text(answer, "VirtualOrPhysical") == Some("Virtual") {
        Layer::Virtual
    } else {
        Layer::Physical
    }
}

fn stores(answer: &Value) -> Vec<String> {
    let stores = list(answer, "APFSPhysicalStores").iter();
    stores
        .filter_map(|store| text(store, "APFSPhysicalStore").or_else(|| text(store, "DeviceIdentifier")))
        .map(str::to_owned)
        .collect()
}

impl Info {
    /// The maker of a whole disk: what the registry's name has before the model.
    pub(super) fn vendor(&self) -> Option<&str> {
        let model = self.model()?;
        let entry = self.entry_name.as_deref()?.strip_suffix(" Media")?.trim_end();
        entry.strip_suffix(model).map(str::trim).filter(|maker| !maker.is_empty())
    }

    /// The disk's model: for whole disks only, since a slice gives its own name there (seen in captures of 10.10 and 12).
    pub(super) fn model(&self) -> Option<&str> {
        let entry = self.entry_name.as_deref().map(|name| name.strip_suffix(" Media").unwrap_or(name).trim());
        self.media_name.as_deref().or(entry).filter(|name| self.is_whole && !name.is_empty())
    }
}

/// The group of a `CoreStorage` volume, logical or physical, in the answer of `diskutil cs info -plist`.
pub(super) fn core_storage_group(answer: &Value) -> Option<&str> {
    text(answer, "MemberOfCoreStorageLogicalVolumeGroup")
}

/// The slices that hold `CoreStorage`, in the answer of `diskutil list -plist`.
pub(super) fn core_storage_slices(answer: &Value) -> Vec<&str> {
    let disks = list(answer, "AllDisksAndPartitions").iter();
    disks
        .flat_map(|disk| list(disk, "Partitions"))
        .filter(|slice| text(slice, "Content") == Some("Apple_CoreStorage"))
        .filter_map(|slice| text(slice, "DeviceIdentifier"))
        .collect()
}

/// The members of a RAID set, in the answer of `diskutil appleRAID list -plist`.
pub(super) fn raid_members<'a>(answer: &'a Value, set: &str) -> Vec<&'a str> {
    const NAMES: &[&str] = &["BSD Name", "DeviceIdentifier"];
    let name = |value: &'a Value| NAMES.iter().find_map(|key| text(value, key));
    let sets = list(answer, "AppleRAIDSets").iter();
    sets.filter(|found| name(found) == Some(set))
        .flat_map(|found| found.as_dict().unwrap_or_default())
        .flat_map(|(_, value)| value.as_array().unwrap_or_default())
        .filter_map(name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn a_slice_has_no_model() {
        let answer = read(
            b"<plist version=\"1.0\"><dict><key>DeviceIdentifier</key><string>disk4s2</string><key>WholeDisk</key><false/>\
              <key>MediaName</key><string>Vault</string><key>TotalSize</key><real>5.119E11</real></dict></plist>",
        )
        .unwrap();
        let slice = info(&answer).unwrap();
        assert_eq!((slice.model(), slice.internal, slice.is_whole), (None, None, false));
    }

    #[test]
    fn the_free_space_of_apfs_is_its_containers() {
        let volume = |more: &str| {
            let text = format!(
                "<plist version=\"1.0\"><dict><key>FilesystemType</key><string>apfs</string>\
                 <key>FreeSpace</key><integer>0</integer>{more}</dict></plist>"
            );
            info(&read(text.as_bytes()).unwrap()).unwrap().free_bytes
        };
        assert_eq!(volume(""), None);
        assert_eq!(volume("<key>APFSContainerFree</key><integer>77</integer>"), Some(77));
    }

    #[test]
    fn an_error_is_no_disk() {
        let error = read(b"<plist version=\"1.0\"><dict><key>Error</key><true/></dict></plist>").unwrap();
        assert_eq!(info(&error), None);
    }

    #[test]
    fn the_members_of_a_set_are_found() {
        let answer = read(
            br#"{"AppleRAIDSets" : [{"BSD Name" : "disk8", "Members" : [{"BSD Name" : "disk4s2"}, {"BSD Name" : "disk5s2"}]},
            {"BSD Name" : "disk9", "Members" : [{"BSD Name" : "disk6s2"}]}]}"#,
        )
        .unwrap();
        assert_eq!(raid_members(&answer, "disk8"), ["disk4s2", "disk5s2"]);
        assert_eq!(raid_members(&answer, "disk7").len(), 0);
    }
}
