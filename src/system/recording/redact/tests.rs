#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::apple::property_list;
use crate::system::recording::format::RecordedCall;

const STATUS: &str = "Backup session status:\n{\n    BackupPhase = Copying;\n    ClientID = \"com.apple.backupd\";\n    DestinationID = \"3D1B5F0A-9C47-4E0B-8B1D-6F2A4C8E9B01\";\n    DestinationMountPoint = \"/Volumes/Backups of Quill\\U2019s Loom\";\n    Running = 1;\n}\n";

const DESTINATIONS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n<key>Destinations</key>\n<array>\n<dict>\n<key>ID</key>\n<string>3d1b5f0a-9c47-4e0b-8b1d-6f2a4c8e9b01</string>\n<key>Kind</key>\n<string>Network</string>\n<key>Name</key>\n<string>Vault &amp; Loft</string>\n<key>URL</key>\n<string>smb://quillon@Attic%20Nest._smb._tcp.local./Vault%20&amp;%20Loft</string>\n</dict>\n<dict>\n<key>Name</key><string>Zed&apos;s Brick</string>\n<key>Kind</key><string>Local</string>\n<key>MountPoint</key><string>/Volumes/Zed&apos;s Brick</string>\n</dict>\n</array>\n</dict>\n</plist>\n";

const MOUNT: &str = "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n/dev/disk9s1 on /Volumes/Zed's Brick (apfs, local, journaled, noowners)\n//quillon:hush7@Attic%20Nest._smb._tcp.local/Vault%20&%20Loft on /Volumes/.timemachine/Attic Nest._smb._tcp.local./5E6F0A1B-2C3D-4E5F-8A9B-0C1D2E3F4A5B/Vault & Loft (smbfs, nobrowse)\n//quillon@10.20.30.40/stash on /Volumes/stash (smbfs, nodev, nosuid, mounted by quillon)\n/dev/disk8s1 on /Users/quillon/mnt/inner (hfs, local)\n";

const IFCONFIG: &str = "en0: flags=8863<UP,BROADCAST> mtu 1500\n\tether a4:5e:60:c1:d2:0f \n\tinet6 fe80::14c3:9aff:fe12:77ab%en0 prefixlen 64 secured scopeid 0x6 \n\tinet 10.20.30.41 netmask 0xffffff00 broadcast 10.20.30.255\n\tinet6 2a02:810a:44:9::17 prefixlen 64\n\tinet 127.0.0.1 netmask 0xff000000\n";

const NETSTAT: &str = "tcp4       0      0  10.20.30.41.61042       10.20.30.40.445          ESTABLISHED      4403218\ntcp6       0      0  2a02:810a:44:9::.50000  2a02:810a:44:9:8.445  ESTABLISHED  0\ntcp4 0 0 *.445 *.* LISTEN 0\n";

const SMBUTIL: &str = "{\n  \"\\/Volumes\\/.timemachine\\/Attic Nest._smb._tcp.local.\\/5E6F0A1B-2C3D-4E5F-8A9B-0C1D2E3F4A5B\\/Vault & Loft\" : {\n    \"server_inet\" : \"10.20.30.40\",\n    \"user\" : \"jo\"\n  }\n}\n";

const USB: &str = "{\"SPUSBHostDataType\":[{\"_name\":\"LaCie Rugged Mini\",\"USBDeviceKeySerialNumber\":\"NL3QRS81\",\"USBKeyLocationID\":\"0x01200000\",\"switch_uid_key\":\"0xF60AE2C0F1FBE525\",\"spairport_current_network_information\":{\"_name\":\"Guest Goose\"},\"volumes\":[{\"_name\":\"Fjordé\",\"mount_point\":\"\\/Volumes\\/Fjordé\"}]}]}";

const IOREG: &str = "<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><array><dict><key>USB Serial Number</key><string>NL3QRS81</string><key>IOMACAddress</key><data>pF5gwdIP</data><key>device-id</key><data>AQIDBA==</data><key>UID</key><integer>-709321985512345678</integer></dict></array></plist>\n";

const LOGS: [&str; 9] = [
    "2026-02-03 04:05:06.123456+0100 0x1 Default 0x0 510 0 backupd: (TimeMachine) [com.apple.TimeMachine:Mounting] Attempting to mount 'smb://quillon@Attic%20Nest._smb._tcp.local./Vault%20&%20Loft'",
    "Failing backup with BACKUP_FAILED_DISCONNECTED_DISK_IMAGE (70) because '/Volumes/Backups of Quill’s Loom' was unmounted or disconnected.",
    "{\"eventMessage\" : \"Copied 2 GB.\\n\\tLast path seen: \\/Users\\/quillon\\/Documents\\/taxes for zed.pdf\",\"processID\":5}",
    "\t\tCurrent: \"Users/quillon/Work/secret plan/.DS_Store\"",
    "\tCurrent: Zero KB/(l:30 KB,p:33 KB) - /Volumes/Zed's Brick/Backups.backupdb/Quill’s Loom/2023-02-17-184532.inProgress/09EC92D9-8582-5B6C-A6AF-291DE2F16D40/Data/Library/secret plan.js",
    "Copying source: /Volumes/com.apple.TimeMachine.localsnapshots/Backups.backupdb/Quill’s Loom/2021-03-10-070620/macOS - Data to destination: /Volumes/Zed's Brick/2021-03-10-070621.inprogress name: macOS - Data",
    "Nov 18 10:09:58 quills-loom com.apple.backupd[9232]: Disk image /Volumes/stash/Quills-Loom 1.sparsebundle mounted at: /Volumes/Time Machine Backups",
    "Could not read xattr of '/Users/quillon/Letters/secret plan.rtf', error: 13",
    "Backup completed successfully. Finished copying from volume \"Macintosh HD - Data\"",
];

/// Whatever names the invented people and their things, in any escapes.
const TELLTALES: [&str; 34] = [
    "quillon",
    "Quill",
    "Loom",
    "hush7",
    "Attic",
    "Nest",
    "Loft",
    "Zed",
    "Brick",
    "stash",
    "\"jo\"",
    "NL3QRS81",
    "Goose",
    "Fjord",
    "a4:5e",
    "10.20.30",
    "fe12",
    "2a02",
    "3D1B5F0A",
    "3d1b5f0a",
    "5E6F0A1B",
    "F60AE2C0",
    "7093219",
    "pF5gwdIP",
    "taxes",
    "secret",
    "Documents",
    "Letters",
    "mnt/inner",
    "09EC92D9",
    "Vault",
    "Quills",
    "quills",
    "\\U2019",
];

fn call(tool: &str, args: &[&str], stdout: &[u8]) -> Line {
    let call = RecordedCall {
        tool: tool.to_owned(),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        took: Duration::ZERO,
        end: CallEnd::Exit(0),
        stdout: stdout.to_vec(),
        stderr: Vec::new(),
    };
    Line { t: Duration::ZERO, what: What::Call(call) }
}

fn log(text: &str) -> Line {
    Line { t: Duration::ZERO, what: What::Log(text.to_owned()) }
}

fn recording() -> Vec<Line> {
    let mut lines = vec![
        call("tmutil", &["status", "-X"], STATUS.as_bytes()),
        call("tmutil", &["destinationinfo", "-X"], DESTINATIONS.as_bytes()),
        call("tmutil", &["startbackup", "--destination", "3D1B5F0A-9C47-4E0B-8B1D-6F2A4C8E9B01"], b""),
        call("mount", &[], MOUNT.as_bytes()),
        call("ifconfig", &["-v"], IFCONFIG.as_bytes()),
        call("netstat", &["-anv", "-p", "tcp"], NETSTAT.as_bytes()),
        call("route", &["-n", "get", "10.20.30.40"], b"   route to: 10.20.30.40\n  interface: en0\n"),
        call("smbutil", &["multichannel", "-a", "-f", "JSON"], SMBUTIL.as_bytes()),
        call("system_profiler", &["-xml", "SPUSBHostDataType"], USB.as_bytes()),
        call("ioreg", &["-a", "-l", "-r", "-c", "IOUSBHostDevice"], IOREG.as_bytes()),
        call("sw_vers", &[], b"ProductName:\tmacOS\nProductVersion:\t26.5.1\nBuildVersion:\t25F80\n"),
    ];
    lines.extend(LOGS.map(log));
    lines
}

fn redacted(mut lines: Vec<Line>) -> Vec<Line> {
    redact(&mut lines);
    lines
}

fn text(line: &Line) -> String {
    let mut line = line.clone();
    let mut all = String::new();
    each_text(&mut line, &mut |text, _| {
        all.push_str(text);
        all.push('\u{0}');
        None
    });
    all
}

fn stdout(lines: &[Line], tool: &str, verb: &str) -> Vec<u8> {
    let line = lines
        .iter()
        .filter_map(Line::call)
        .find(|call| call.tool == tool && (verb.is_empty() || call.args.first().is_some_and(|arg| arg == verb)));
    line.unwrap().stdout.clone()
}

/// What a log line becomes in the recording above.
fn logged(index: usize) -> String {
    let lines = redacted(recording());
    let logs: Vec<&Line> = lines.iter().filter(|line| matches!(line.what, What::Log(_))).collect();
    text(logs[index]).trim_end_matches('\u{0}').to_owned()
}

#[test]
fn nothing_that_tells_is_left_in_any_escapes() {
    for line in redacted(recording()) {
        let text = text(&line);
        let plain = letters::unescape(&crate::apple::url::percent_decode(&text));
        for telltale in TELLTALES {
            assert!(!text.contains(telltale) && !plain.contains(telltale), "{telltale} is left in {text}");
        }
    }
}

#[test]
fn what_belongs_together_still_does() {
    let lines = redacted(recording());
    let status = property_list::read(&stdout(&lines, "tmutil", "status")).unwrap();
    let list = property_list::read(&stdout(&lines, "tmutil", "destinationinfo")).unwrap();
    let first = &list.get("Destinations").unwrap().as_array().unwrap()[0];
    let text_of = |value: &crate::apple::value::Value, key: &str| value.get(key).unwrap().as_str().unwrap().to_owned();
    let id = text_of(&status, "DestinationID");
    assert_eq!(id.to_lowercase(), text_of(first, "ID"));
    assert_eq!(lines[2].call().unwrap().args[2], id);
    assert_eq!(text_of(&status, "BackupPhase"), "Copying");

    let second = &list.get("Destinations").unwrap().as_array().unwrap()[1];
    let mount = String::from_utf8(stdout(&lines, "mount", "")).unwrap();
    assert!(mount.contains(&format!("/dev/disk9s1 on {} (apfs", text_of(second, "MountPoint"))), "{mount}");
    assert_eq!(text_of(second, "MountPoint"), format!("/Volumes/{}", text_of(second, "Name")));
    let host = crate::apple::url::Share::parse(&text_of(first, "URL")).unwrap().host;
    assert!(host.ends_with("._smb._tcp.local") && mount.contains(&host), "{host}: {mount}");
    assert!(mount.contains("mounted by user1)") && mount.contains("on /Users/user1/… (hfs"), "{mount}");

    let address = &lines[6].call().unwrap().args[2];
    assert!(address.starts_with("192.0.2."));
    for (tool, has) in [("netstat", format!("{address}.445 ")), ("mount", format!("@{address}/"))] {
        assert!(String::from_utf8(stdout(&lines, tool, "")).unwrap().contains(&has), "{tool}");
    }
}

#[test]
fn what_says_nothing_about_anybody_stays() {
    let lines = redacted(recording());
    let all: String = lines.iter().map(text).collect();
    for kept in [
        "LaCie Rugged Mini",
        "0x01200000",
        "AQIDBA==",
        "127.0.0.1",
        "netmask 0xffffff00",
        "26.5.1",
        "*.445",
        "mtu 1500",
        "(70) because '/Volumes/Backups of host",
        "Finished copying from volume \"Macintosh HD - Data\"",
        "mounted at: /Volumes/Time Machine Backups",
        "com.apple.TimeMachine.localsnapshots/Backups.backupdb/",
    ] {
        assert!(all.contains(kept), "{kept} is gone from {all}");
    }
}

#[test]
fn paths_of_files_are_cut_where_they_become_private() {
    assert!(logged(2).ends_with("Last path seen: \\/Users\\/user1\\/…\",\"processID\":5}"), "{}", logged(2));
    assert_eq!(logged(3), "\t\tCurrent: \"Users/user1/…\"");
    assert!(logged(4).contains(".inProgress/00000000-0000-4000-8000-"), "{}", logged(4));
    assert!(logged(4).ends_with("/Data/…"), "{}", logged(4));
    assert!(logged(5).ends_with("/2021-03-10-070621.inprogress name: macOS - Data"), "{}", logged(5));
    assert!(logged(5).contains("/2021-03-10-070620/macOS - Data to destination: /Volumes/volume"), "{}", logged(5));
    assert_eq!(logged(7), "Could not read xattr of '/Users/user1/…', error: 13");
}

#[test]
fn lists_can_still_be_read_and_equal_lines_stay_equal() {
    let mut lines = recording();
    lines.extend(recording());
    let lines = redacted(lines);
    let (first, second) = lines.split_at(lines.len() / 2);
    assert_eq!(first, second);
    for tool in ["tmutil", "ioreg"] {
        assert!(property_list::read(&stdout(&lines, tool, "")).is_ok(), "{tool}");
    }
    for tool in ["smbutil", "system_profiler"] {
        assert!(serde_json::from_slice::<serde_json::Value>(&stdout(&lines, tool, "")).is_ok(), "{tool}");
    }
}

#[test]
fn a_second_time_changes_nothing() {
    let once = redacted(recording());
    assert_eq!(redacted(once.clone()), once);
}

#[test]
fn bytes_that_are_no_text_are_left_out_and_it_is_said() {
    let mut binary = Vec::new();
    let names =
        plist::Value::Dictionary([("VolumeName".to_owned(), plist::Value::from("Zebrafish"))].into_iter().collect());
    names.to_writer_binary(&mut binary).unwrap();
    let lines = redacted(vec![call("diskutil", &["info", "-plist", "disk4"], &binary), log("Unmounted 'Zebrafish'")]);
    assert_eq!(lines[0].call().unwrap().stdout, b"");
    assert_eq!(lines[0].call().unwrap().stderr, LEFT_OUT);
    assert_eq!(lines[1].what, What::Log("Unmounted 'volume1'".to_owned()));
    assert_eq!(redacted(lines.clone()), lines);
}

#[test]
fn shapes_are_told_from_times_versions_and_masks() {
    for stays in [
        "10:09:58",
        "2023-02-17-184532",
        "Darwin 23.1.0",
        "version 1.2.3.4.5.6",
        "255.255.255.0",
        "std::vec",
        "::1",
        "fe80::1%lo0",
        "'/System/Volumes/Data/home'",
        r"\/System\/Volumes\/Data\/home",
        "Firmware 1.2.3.4",
        "/dev/disk9s2",
        "ff02::fb",
        "ff:ff:ff:ff:ff:ff",
        "41504653-0000-11AA-AA11-00306543ECAC",
        "0x1d65400",
    ] {
        assert_eq!(redacted(vec![log(stays)]), [log(stays)]);
    }
    for (old, new) in [
        ("8:0:20:9:a:b", "02:00:00:00:00:01"),
        ("AC-DE-48-00-11-22", "02-00-00-00-00-01"),
        ("[fe80::1234%25en0]", "[fe80::a00:1%25en0]"),
        ("::ffff:10.1.2.3", "::ffff:192.0.2.1"),
        ("10.1.2.3.445 10.1.2.3", "192.0.2.1.445 192.0.2.1"),
        ("\\/192.168.7.9\\/", "\\/192.0.2.1\\/"),
    ] {
        assert_eq!(redacted(vec![log(old)]), [log(new)]);
    }
}

#[test]
fn a_short_name_is_replaced_only_where_a_name_stands() {
    let list = "{ Destinations = ( { Name = \"Q7\"; MountPoint = \"/Volumes/Q7\"; } ); }";
    let lines = redacted(vec![call("tmutil", &[], list.as_bytes()), log("Q7 is 3 Q7 of '/Volumes/Q7'")]);
    assert_eq!(
        text(&lines[0]),
        "\u{0}{ Destinations = ( { Name = \"volume1\"; MountPoint = \"/Volumes/volume1\"; } ); }\u{0}\u{0}"
            .trim_start_matches('\u{0}')
    );
    assert_eq!(lines[1], log("Q7 is 3 Q7 of '/Volumes/volume1'"));
}

#[test]
fn no_two_get_the_same_stand_in() {
    let lines = redacted(vec![log("/Users/user1/ /Users/quillon/x 192.0.2.1 10.0.0.1")]);
    assert_eq!(lines, [log("/Users/user1/…")]);
    let lines = redacted(vec![log("'/Users/user1/a' '/Users/quillon/x' 192.0.2.1 10.0.0.1")]);
    assert_eq!(lines, [log("'/Users/user1/…' '/Users/user2/…' 192.0.2.1 192.0.2.2")]);
}

/// A name in one of the escapes in which it may come.
fn written(name: &str, form: usize) -> String {
    let each = |escape: &dyn Fn(char) -> String| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { escape(c) }).collect()
    };
    match form {
        0 => name.to_owned(),
        1 => each(&|c| c.to_string().bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02X}"))),
        2 => each(&|c| {
            c.encode_utf16(&mut [0; 2]).iter().fold(String::new(), |text, unit| format!("{text}\\U{unit:04x}"))
        }),
        3 => each(&|c| {
            c.encode_utf16(&mut [0; 2]).iter().fold(String::new(), |text, unit| format!("{text}\\u{unit:04X}"))
        }),
        _ => each(&|c| format!("&#{};", u32::from(c))),
    }
}

proptest! {
    #[test]
    fn a_name_is_replaced_in_every_escape(name in "[A-Z][a-z]{2,5}zq['’& é🐢-]{1,2}[a-z]{1,4}xv", form in 0_usize..5) {
        let list = serde_json::json!({ "VolumeName": name }).to_string();
        let around = format!("before {} after", written(&name, form));
        let lines = redacted(vec![call("diskutil", &["info"], list.as_bytes()), log(&around)]);
        prop_assert_eq!(&lines[1], &log("before volume1 after"));
        prop_assert_eq!(redacted(lines.clone()), lines);
    }

    #[test]
    fn no_text_makes_it_panic_and_twice_is_once(texts in prop::collection::vec(
        "(/Users/|/Volumes/|Users\\\\/|Current: |smb://|Backups of |[ab]{1,3}|1\\.2\\.3\\.4|2001:a::|'|\"|\\\\|%4|%20|&|é|…|/| |\n){0,12}", 1..4,
    )) {
        let once = redacted(texts.iter().map(|text| log(text)).collect());
        prop_assert_eq!(once.len(), texts.len());
        _ = redacted(once);
    }
}
