//! Takes people out of a recording: the same name becomes the same stand-in wherever and however it is written.
//!
//! First every answer is read for names: from keys that hold one, from paths, from addresses of shares. Then all text
//! is rewritten: what has a form of its own (UUIDs, hardware and network addresses) and the names that were found, also
//! percent-encoded and escaped; at last what lies below a person's folders is dropped.

mod names;
mod patterns;

use std::collections::HashMap;

use regex::{Captures, Regex};

use super::format::{Line, RecordedCall, What};
use names::Forms;
use patterns::{Patterns, kept_uuid, kept_v4, kept_v6};

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// A person's account.
    User,
    /// A computer or a NAS.
    Host,
    /// A volume or a destination.
    Volume,
    /// A share of a server.
    Share,
    /// A serial number.
    Serial,
    /// A Wi-Fi network.
    Ssid,
    /// A number that belongs to one device.
    DeviceNumber,
}

impl Name {
    fn stand_in(self, number: usize) -> String {
        match self {
            Self::User => format!("user-{number}"),
            Self::Host => format!("host-{number}"),
            Self::Volume => format!("volume-{number}"),
            Self::Share => format!("share-{number}"),
            Self::Serial => format!("SERIAL{number:04}"),
            Self::Ssid => format!("ssid-{number}"),
            Self::DeviceNumber => format!("{}", 1_000_000_000 + number),
        }
    }
}

/// Names that say nothing about a person, or that are words of the very messages that must stay readable.
const HARMLESS: &[&str] = &[
    "macintosh hd",
    "macintosh hd - data",
    "data",
    "preboot",
    "recovery",
    "vm",
    "update",
    "untitled",
    "backup",
    "backups",
    "time machine",
    "time machine backups",
    "time machine backup",
    "timemachine",
    "root",
    "guest",
    "shared",
    "users",
    "volumes",
    "local",
    "localhost",
    "admin",
    "user",
    "none",
    "null",
    "unknown",
    "true",
    "false",
    "yes",
    "no",
    "disk",
    "system",
    "network",
    "volume",
    "mac",
    "apple",
    "copying",
    "starting",
    "stopping",
    "mounted",
    "snapshot",
    "default",
    "private",
    "macos",
    "log",
    "home",
    "public",
    "server",
    "share",
    "name",
    "kind",
    "url",
    "tmutil",
    "backupd",
];

/// Collects names, then replaces them.
pub struct Redactor {
    patterns: Patterns,
    stand_ins: HashMap<String, String>,
    counts: HashMap<Name, usize>,
    addresses: HashMap<String, String>,
    forms: Forms,
}

impl Redactor {
    /// Knows no names yet.
    pub fn new() -> Self {
        Self {
            patterns: Patterns::new(),
            stand_ins: HashMap::new(),
            counts: HashMap::new(),
            addresses: HashMap::new(),
            forms: Forms::default(),
        }
    }

    /// Adds a name. One that says nothing, or too short to be found again, is left.
    pub fn add(&mut self, kind: Name, name: &str) {
        let name = name.trim().trim_end_matches('.');
        let harmless = HARMLESS.contains(&name.to_lowercase().as_str());
        let plain_number =
            kind != Name::DeviceNumber && kind != Name::Serial && name.bytes().all(|b| b.is_ascii_digit());
        let has_own_form = self.patterns.has_own_form(name);
        if name.chars().count() < 2 || harmless || plain_number || has_own_form || self.stand_ins.contains_key(name) {
            return;
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let stand_in = kind.stand_in(*count);
        self.forms.add(name, &stand_in);
        if kind == Name::Host {
            self.forms.add(&name.to_lowercase(), &stand_in);
            self.forms.add(&name.to_uppercase(), &stand_in);
        }
        self.stand_ins.insert(name.to_owned(), stand_in);
        if kind == Name::Host
            && let Some((short, _)) = name.split_once('.')
        {
            self.add(kind, short);
        }
    }

    /// Rewrites lines in place.
    pub fn redact(&mut self, lines: &mut [Line]) {
        for line in &*lines {
            self.collect_line(line);
        }
        self.forms.seal();
        for line in lines {
            match &mut line.what {
                What::Call(call) => self.redact_call(call),
                What::Log(text) => *text = self.text(text),
                What::LogEnd { stderr, .. } => *stderr = self.text(stderr),
                What::Clock { .. } => {}
            }
        }
    }

    /// Rewrites a text, after `redact` has learnt the names.
    pub fn text(&mut self, text: &str) -> String {
        let text = self.patterns.data.replace_all(text, "$1$2").into_owned();
        let text = self.forms.replace(&text);
        let text = self.own_forms(&text);
        self.drop_paths(&text)
    }

    fn redact_call(&mut self, call: &mut RecordedCall) {
        for arg in &mut call.args {
            *arg = self.text(arg);
        }
        call.stdout = self.text(&String::from_utf8_lossy(&call.stdout)).into_bytes();
        call.stderr = self.text(&String::from_utf8_lossy(&call.stderr)).into_bytes();
    }

    fn own_forms(&mut self, text: &str) -> String {
        let Self { patterns, addresses, .. } = self;
        let mut replace = |regex: &Regex, text: &str, stand_in: &dyn Fn(&str, usize) -> Option<String>| {
            let one = |found: &Captures<'_>| {
                let found = &found[0];
                let number = addresses.len() + 1;
                let key = found.to_lowercase();
                if let Some(known) = addresses.get(&key) {
                    return known.clone();
                }
                let Some(stand_in) = stand_in(found, number) else { return found.to_owned() };
                addresses.insert(key, stand_in.clone());
                stand_in
            };
            regex.replace_all(text, one).into_owned()
        };
        let text = replace(&patterns.uuid, text, &|found, number| {
            (!kept_uuid(found)).then(|| format!("00000000-0000-4000-8000-{number:012X}"))
        });
        let text = replace(&patterns.mac, &text, &|found, number| {
            let octets: Vec<&str> = found.split([':', '-']).collect();
            let kept = ["0", "00", "ff"].iter().any(|same| octets.iter().all(|it| it.eq_ignore_ascii_case(same)));
            let known = found.starts_with("02:00:00:00:");
            (!kept && !known).then(|| format!("02:00:00:00:{:02x}:{:02x}", number / 256 % 256, number % 256))
        });
        let text = replace(&patterns.v6, &text, &|found, number| {
            let address = found.parse().ok().filter(|address| !kept_v6(*address))?;
            Some(patterns::stand_in_v6(address, number))
        });
        replace(&patterns.v4, &text, &|found, number| {
            let address = found.parse().ok().filter(|address| !kept_v4(*address))?;
            Some(patterns::stand_in_v4(address, number))
        })
    }

    fn drop_paths(&self, text: &str) -> String {
        let text = self.patterns.home_path.replace_all(text, "$1/(path)");
        let text = self.patterns.in_backup.replace_all(&text, "$1/(path)");
        let kept = |found: &Captures<'_>| {
            if self.patterns.backup_path.is_match(&found[2]) {
                found[0].to_owned()
            } else {
                format!("{}(path)", &found[1])
            }
        };
        self.patterns.volume_path.replace_all(&text, kept).into_owned()
    }

    fn collect_line(&mut self, line: &Line) {
        match &line.what {
            What::Call(call) => {
                let text = String::from_utf8_lossy(&call.stdout);
                if call.tool == "sysctl" && call.args.iter().any(|arg| arg == "kern.hostname") {
                    self.add(Name::Host, &text);
                }
                for (kind, name) in names::of_answer(&call.tool, &text) {
                    self.add(kind, &name);
                }
                self.collect_text(&text);
                self.collect_text(&String::from_utf8_lossy(&call.stderr));
            }
            What::Log(text) => self.collect_text(text),
            What::LogEnd { stderr, .. } => self.collect_text(stderr),
            What::Clock { .. } => {}
        }
    }

    fn collect_text(&mut self, text: &str) {
        for (kind, name) in self.patterns.names_in(text) {
            self.add(kind, &name);
        }
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ports::CallEnd;

    fn call(command: &str, stdout: &str) -> Line {
        let mut words = command.split(' ').map(str::to_owned);
        let call = RecordedCall {
            tool: words.next().unwrap(),
            args: words.collect(),
            took: Duration::ZERO,
            end: CallEnd::Exit(0),
            stdout: stdout.into(),
            stderr: Vec::new(),
        };
        Line { t: Duration::ZERO, what: What::Call(call) }
    }

    fn log(text: &str) -> Line {
        Line { t: Duration::ZERO, what: What::Log(text.to_owned()) }
    }

    fn redacted(mut lines: Vec<Line>) -> String {
        Redactor::new().redact(&mut lines);
        let mut text = Vec::new();
        for line in &lines {
            line.write_to(&mut text).unwrap();
        }
        String::from_utf8(text).unwrap()
    }

    fn plist(inside: &str) -> String {
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>{inside}</dict></plist>")
    }

    fn assert_gone(text: &str, names: &[&str]) {
        for name in names {
            assert!(!text.contains(name), "{name} is left in {text}");
        }
    }

    #[test]
    fn a_name_goes_in_every_way_of_writing_it() {
        let text = redacted(vec![
            log("Backing up to Zoë & Söhne: /Volumes/Zoë & Söhne/Backups.backupdb"),
            call(
                "tmutil destinationinfo -X",
                &plist(
                    "<key>Name</key><string>Zoë &amp; Söhne</string><key>MountPoint</key><string>/Volumes/Zoë &amp; Söhne</string>",
                ),
            ),
            log("file:///Volumes/Zo%C3%AB%20&%20S%C3%B6hne/x file:///Volumes/Zo%c3%ab%20%26%20S%c3%b6hne/x"),
            log("DestinationMountPoint = \"/Volumes/Zo\\U00eb & S\\U00f6hne\";"),
            log(r#"{"eventMessage":"\/Volumes\/Zo\u00eb & S\u00f6hne is full"}"#),
        ]);
        assert_gone(&text, &["Zo", "hne"]);
        assert!(text.contains("Backing up to volume-1: /Volumes/volume-1/Backups.backupdb"), "{text}");
        assert!(text.contains("is full"), "{text}");
    }

    #[test]
    fn shares_users_and_hosts_are_found_in_mounts_and_addresses() {
        let text = redacted(vec![
            call(
                "mount",
                "//erika@nas-keller._smb._tcp.local/TM%20Erika on /Volumes/.timemachine/nas-keller._smb._tcp.local/11111111-2222-3333-4444-555555555555/TM Erika (smbfs, nobrowse)\n/dev/disk4s2 on /Volumes/Kastanie (apfs, local)\n",
            ),
            log("Attempting to mount 'smb://erika@nas-keller._smb._tcp.local/TM%20Erika'"),
            log("Found 'Erikas Laptop.sparsebundle' on Kastanie of erika; NAS-KELLER.local is ready"),
        ]);
        assert_gone(&text, &["rika", "keller", "KELLER", "Kastanie", "11111111-2222"]);
        assert!(text.contains("smb://user-1@host-1/share-1"), "{text}");
        assert!(text.contains("(smbfs, nobrowse)"), "{text}");
    }

    #[test]
    fn what_has_a_form_of_its_own_keeps_the_form() {
        let text = redacted(vec![
            call("tmutil startbackup --destination 9B2D1C44-0F5E-4A51-8B0A-1234567890AB", ""),
            log(
                "to 9b2d1c44-0f5e-4a51-8b0a-1234567890ab at 10:00:00, 10.1.2.3 and 10.1.2.3.445, 127.0.0.1, ::1, fe80::1c2b:3a4d%en0",
            ),
            call(
                "ifconfig -v",
                "ether 3c:22:fb:01:02:03\ninet6 2003:e1:2345::7 prefixlen 64\ninet 192.168.178.20 netmask 0xffffff00",
            ),
            call(
                "diskutil info -plist disk4",
                &plist("<key>Content</key><string>48465300-0000-11AA-AA11-00306543ECAC</string>"),
            ),
        ]);
        assert_gone(&text, &["9B2D", "9b2d", "10.1.2", "1c2b", "fb:01", "2003:", "192.168"]);
        assert_eq!(text.matches("00000000-0000-4000-8000-000000000001").count(), 2, "{text}");
        for kept in ["10:00:00", "127.0.0.1", "::1,", "%en0", ".445", "48465300-", "fe80::", "02:00:00:00:00:"] {
            assert!(text.contains(kept), "{kept} is gone from {text}");
        }
    }

    #[test]
    fn serials_go_and_products_stay() {
        let text = redacted(vec![
            call(
                "ioreg -a -l -r -c IOUSBHostDevice",
                &plist(
                    "<key>USB Product Name</key><string>Portable SSD</string><key>USB Serial Number</key><string>S4X9KK77</string><key>IOMACAddress</key><data>PCL7AQID</data>",
                ),
            ),
            call(
                "system_profiler -json SPHardwareDataType",
                r#"{"a":[{"serial_number":"C02ZZ99Q","machine_name":"MacBook Pro"}]}"#,
            ),
            log("S4X9KK77 and C02ZZ99Q"),
        ]);
        assert_gone(&text, &["S4X9KK77", "C02ZZ99Q", "PCL7AQID"]);
        assert!(text.contains("Portable SSD") && text.contains("MacBook Pro"), "{text}");
    }

    #[test]
    fn paths_of_user_files_are_dropped() {
        let text = redacted(vec![
            log(r#"{"eventMessage":"Failed to copy '\/Users\/erika\/Taxes 2023\/secret.pdf' twice"}"#),
            log("Skipping /Users/erika/Pictures/me.jpg"),
            call("mount", "/dev/disk5s1 on /Volumes/Kastanie (apfs, local)"),
            log("slow: \"/Volumes/Kastanie/Photos/birthday.jpg\", /Volumes/Kastanie/2024-01-02-030405.backup"),
            log("Current: Users/erika/Pictures/a b"),
            log(
                "Last path seen: /Volumes/Kastanie/Backups.backupdb/Birne/2024-01-02-030405.inProgress/Data/Library/secret/x",
            ),
            log("Failed to create disk image /Volumes/Kastanie/Birne.sparsebundle, error: 22"),
            log(
                "Copying source: /Volumes/com.apple.TimeMachine.localsnapshots/Backups.backupdb/Birne/2024-01-02-030405/Data to destination: /Volumes/Kastanie/2024-01-02-030406.inprogress",
            ),
        ]);
        assert_gone(&text, &["erika", "Taxes", "secret", "Pictures", "me.jpg", "birthday", "Kastanie"]);
        assert!(text.contains("twice"), "{text}");
        assert!(text.contains("/Volumes/volume-1/host-1.sparsebundle, error: 22"), "{text}");
        assert!(
            text.contains("/2024-01-02-030405/Data to destination: /Volumes/volume-1/2024-01-02-030406.inprogress"),
            "{text}"
        );
        assert!(text.contains("/Volumes/volume-1/2024-01-02-030405.backup"), "{text}");
    }

    #[test]
    fn words_of_the_messages_stay() {
        let line = "Starting manual backup to Backup";
        let text = redacted(vec![
            call("tmutil destinationinfo -X", &plist("<key>Name</key><string>Backup</string>")),
            call("mount", "/dev/disk5s1 on /Volumes/art (apfs, local)"),
            log(line),
        ]);
        assert!(text.contains(line), "{text}");
        assert!(text.contains("/Volumes/volume-1 "), "{text}");
    }
}
