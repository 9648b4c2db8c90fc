//! Under which conditions a backup runs, and on which Mac.

use super::asker::Asker;
use super::diskutil::{self, Info};
use super::finding::clean;
use super::sw_vers;
use super::value_of::bsd_name;
use super::{local, mount};
use crate::domain::backup::{Conditions, Machine};
use crate::domain::destination::Destination;
use crate::domain::link::Seen;
use crate::ports::Tools;

/// Asks for the conditions. The destination's file system, encryption and free space are asked of diskutil, so never while
/// a backup runs.
pub fn conditions(destination: &Destination, seen: Seen, tools: &mut dyn Tools) -> Conditions {
    let mut asker = Asker::new(tools, seen);
    let versions = asker.text("sw_vers", &[]).unwrap_or_default();
    let volume = volume(&mut asker, destination);
    Conditions {
        macos: sw_vers::field(&versions, "ProductVersion"),
        build: sw_vers::field(&versions, "BuildVersion"),
        power: asker.text("pmset", &["-g", "batt"]).ok().as_deref().and_then(power),
        throttled: sysctl(&mut asker, "debug.lowpri_throttle_enabled").as_deref().and_then(flag),
        encrypted: volume.as_ref().and_then(|volume| volume.encrypted),
        file_system: volume.as_ref().and_then(|volume| volume.file_system.clone()),
        free_bytes: volume.as_ref().and_then(|volume| volume.free_bytes),
    }
}

/// Asks for the hardware.
pub fn machine(seen: Seen, tools: &mut dyn Tools) -> Machine {
    let mut asker = Asker::new(tools, seen);
    Machine {
        model: sysctl(&mut asker, "hw.model"),
        chip: sysctl(&mut asker, "machdep.cpu.brand_string"),
        memory_bytes: sysctl(&mut asker, "hw.memsize").and_then(|text| text.parse().ok()),
        source_disk: source_disk(&mut asker),
    }
}

fn sysctl(asker: &mut Asker, name: &str) -> Option<String> {
    asker.text("sysctl", &["-n", name]).ok().as_deref().and_then(clean)
}

fn flag(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// The source in `Now drawing from 'AC Power'`.
fn power(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Now drawing from '")?;
    let (source, _) = rest.split_once('\'')?;
    let word = match source {
        "AC Power" => "mains",
        "Battery Power" => "battery",
        "UPS Power" => "ups",
        _ => return None,
    };
    Some(word.to_owned())
}

fn volume(asker: &mut Asker, destination: &Destination) -> Option<Info> {
    let point = destination.mount_point.as_deref()?;
    let mounts = mount::read(&asker.text("mount", &[]).ok()?);
    let bsd = mount::at(&mounts, point)?.bsd_name()?.to_owned();
    info(asker, &bsd)
}

fn info(asker: &mut Asker, bsd: &str) -> Option<Info> {
    diskutil::info(&asker.value("diskutil", &["info", "-plist", bsd]).ok()??)
}

/// The model of the disk that the system is on.
fn source_disk(asker: &mut Asker) -> Option<String> {
    let mounts = mount::read(&asker.text("mount", &[]).ok()?);
    let root = bsd_name(&mount::at(&mounts, "/")?.source)?.to_owned();
    local::model(asker, &root)
}

#[cfg(test)]
mod tests {
    use super::super::stand_in::Answers;
    use super::*;

    fn info(bsd: &str, more: &str) -> Vec<u8> {
        format!("<plist version=\"1.0\"><dict><key>DeviceIdentifier</key><string>{bsd}</string>{more}</dict></plist>")
            .into_bytes()
    }

    fn tools() -> Answers {
        let mut tools = Answers::default();
        tools.add("sw_vers", &[], b"ProductName:\t\tmacOS\nProductVersion:\t\t15.3\nBuildVersion:\t\t24D60\n");
        tools.add(
            "pmset",
            &["-g", "batt"],
            b"Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t80%; charging\n",
        );
        tools.add("sysctl", &["-n", "debug.lowpri_throttle_enabled"], b"1\n");
        tools.add("sysctl", &["-n", "hw.model"], b"Mac14,9\n");
        tools.add("sysctl", &["-n", "machdep.cpu.brand_string"], b"Apple M2 Pro\n");
        tools.add("sysctl", &["-n", "hw.memsize"], b"17179869184\n");
        tools.add(
            "mount",
            &[],
            b"/dev/disk3s1s1 on / (apfs, sealed, local)\n/dev/disk7s1 on /Volumes/Vault (apfs, local)\n",
        );
        let volume = "<key>FilesystemType</key><string>apfs</string><key>Encryption</key><true/>\
                      <key>APFSContainerFree</key><integer>812000000000</integer>";
        tools.add("diskutil", &["info", "-plist", "disk7s1"], &info("disk7s1", volume));
        let store = "<key>APFSPhysicalStores</key><array><dict><key>APFSPhysicalStore</key><string>disk0s2</string></dict></array>";
        tools.add("diskutil", &["info", "-plist", "disk3s1s1"], &info("disk3s1s1", store));
        tools.add(
            "diskutil",
            &["info", "-plist", "disk0s2"],
            &info("disk0s2", "<key>ParentWholeDisk</key><string>disk0</string><key>WholeDisk</key><false/>"),
        );
        let disk = "<key>WholeDisk</key><true/><key>ParentWholeDisk</key><string>disk0</string>\
                    <key>MediaName</key><string>APPLE SSD AP0512Z</string>";
        tools.add("diskutil", &["info", "-plist", "disk0"], &info("disk0", disk));
        tools
    }

    #[test]
    fn all_is_asked_before_the_start() {
        let destination = Destination { mount_point: Some("/Volumes/Vault".to_owned()), ..Destination::default() };
        let mut tools = tools();
        let found = conditions(&destination, Seen::Before, &mut tools);
        assert_eq!(
            found,
            Conditions {
                macos: Some("15.3".to_owned()),
                build: Some("24D60".to_owned()),
                power: Some("mains".to_owned()),
                throttled: Some(true),
                encrypted: Some(true),
                file_system: Some("apfs".to_owned()),
                free_bytes: Some(812_000_000_000),
            }
        );
        let found = machine(Seen::Before, &mut tools);
        assert_eq!(found.model.as_deref(), Some("Mac14,9"));
        assert_eq!(
            (found.memory_bytes, found.source_disk.as_deref()),
            (Some(17_179_869_184), Some("APPLE SSD AP0512Z"))
        );
    }

    #[test]
    fn tools_that_are_missing_leave_all_unknown() {
        let mut none = Answers::default();
        assert_eq!(conditions(&Destination::default(), Seen::Before, &mut none), Conditions::default());
        assert_eq!(machine(Seen::Before, &mut none), Machine::default());
        assert_eq!(power("Now drawing from 'Solar'"), None);
        assert_eq!(flag("2"), None);
    }
}
