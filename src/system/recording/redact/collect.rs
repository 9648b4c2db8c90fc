//! Finds names where it is certain what they are.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::super::format::{Line, RecordedCall, What};
use super::letters::unescape;
use super::names::{Kind, folded};
use super::regex;
use crate::apple::property_list;
use crate::apple::url::{Share, percent_decode};
use crate::apple::value::Value;

/// What was found in a recording.
#[derive(Default)]
pub(super) struct Found {
    /// Names, in the order of the recording.
    pub(super) names: Vec<(Kind, String)>,
    /// Words the answers are read by, folded: no name that equals one is replaced.
    pub(super) words: HashSet<Vec<char>>,
    /// What looks like a stand-in already.
    pub(super) stand_ins: HashSet<String>,
    seen: HashSet<(Kind, String)>,
}

/// Where in free text, and in paths, names stand. Each has one group.
const PLACES: [(Kind, &str); 15] = [
    (Kind::User, r#"(?:^|["/'\s])Users/([^/\s"'<>:()\\]+)"#),
    (Kind::User, r"mounted by ([^\s,()]+)"),
    (Kind::Volume, r#"/Volumes/((?:[^/"'’<>\n]|['’][A-Za-z0-9])+)(?:[/"<]|['’](?:[^A-Za-z0-9]|$))"#),
    (Kind::Volume, r"(?m) on /Volumes/([^/\n]+) \([a-z]"),
    (Kind::Volume, r"(?m)^/Volumes/([^/\n]+)$"),
    (Kind::Volume, r#"volumes? "([^"\n]+)""#),
    (Kind::Volume, r"(?:volume|from|for|of|source|to) '([^'/\n]+)'"),
    (Kind::Volume, r"from volume ([^\x22'/\n]+?)\.(?:\s|$)"),
    (Kind::Volume, r"volumes? to ([^\x22'/\n]+?) \(/dev/"),
    (Kind::Host, r#"/Volumes/\.timemachine/([^/"<>\n]+)/"#),
    (
        Kind::Share,
        r#"/Volumes/\.timemachine/[^/"<>\n]+/[[:xdigit:]-]{36}/((?:[^/"'’<>\n]|['’][A-Za-z0-9])+?)(?:["<'’/]| \(|$)"#,
    ),
    (Kind::Host, r#"Backups\.backupdb/((?:[^/"'<>\n:]|['’][A-Za-z0-9])+)(?:[/"<]|['’](?:[^A-Za-z0-9]|$)|$)"#),
    (Kind::Host, r#"/([^/"<>\n:]+?)(?: \d+)?\.(?:sparsebundle|backupbundle)"#),
    (Kind::Host, r"(?m)^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ([^\s:]+) \S+\[\d+\]"),
    (Kind::Host, r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+[-+]\d{4}  ([^\s:]+) \S+\[\d+\]"),
];

impl Found {
    /// Looks for names in one line.
    pub(super) fn look_at(&mut self, line: &Line) {
        match &line.what {
            What::Call(call) => self.look_at_call(call),
            What::Log(text) => self.look_at_text(text),
            What::LogEnd { stderr, .. } => self.look_at_text(stderr),
            What::Clock { .. } => {}
        }
    }

    fn look_at_call(&mut self, call: &RecordedCall) {
        if let Some(value) = parsed(&call.stdout) {
            self.walk(&value, &call.tool, &[]);
        }
        let text = String::from_utf8_lossy(&call.stdout);
        if call.tool == "mount" {
            for line in text.lines() {
                self.look_at_mount(line);
            }
        }
        if call.tool == "sysctl" && call.args.iter().any(|arg| arg.contains("hostname")) {
            self.add_host(text.trim());
        }
        self.look_at_text(&text);
        self.look_at_text(&String::from_utf8_lossy(&call.stderr));
        for arg in &call.args {
            self.look_at_text(arg);
        }
    }

    /// `//user@host/share on /Volumes/share (smbfs, ...)`.
    fn look_at_mount(&mut self, line: &str) {
        let Some((source, _)) = line.split_once(" on /") else { return };
        if source.starts_with("//") || (source.contains(":/") && !source.contains('@')) {
            self.add_share(source);
        }
    }

    fn look_at_text(&mut self, text: &str) {
        static REGEXES: LazyLock<Vec<(Kind, Regex)>> =
            LazyLock::new(|| PLACES.iter().map(|(kind, place)| (*kind, regex(place))).collect());
        static URL: LazyLock<Regex> = LazyLock::new(|| regex(r#"\b(?i-u:smb|cifs|afp|nfs)://[^\s"'<>]+"#));
        static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
            let words = "(?:host|domain|user|password|volume|share|network|serial)[0-9]+";
            regex(&format!("{words}|0x00000000[0-9A-F]{{8}}|1000000[0-9]{{3}}"))
        });
        let plain = if text.contains('\\') { unescape(text) } else { text.to_owned() };
        for (kind, place) in &*REGEXES {
            for found in place.captures_iter(&plain) {
                let Some(name) = found.get(1) else { continue };
                self.add_path_part(*kind, name.as_str());
            }
        }
        for found in URL.find_iter(&plain) {
            self.add_share(found.as_str());
        }
        for found in STAND_IN.find_iter(text) {
            self.stand_ins.insert(found.as_str().to_owned());
        }
    }

    fn add_path_part(&mut self, kind: Kind, name: &str) {
        let name = unescape_xml(name);
        let odd = name.ends_with(' ') || name.contains(": ") || name.contains("://") || name.contains(" to /");
        let own = is_uuid(&name) || kind == Kind::Volume && (name.starts_with('.') || name.starts_with("com.apple."));
        if odd || own {
            return;
        }
        match kind {
            Kind::Volume => self.add_volume(&name),
            Kind::Host => self.add_host(&name),
            _ => self.add(kind, &name),
        }
    }

    fn walk(&mut self, value: &Value, tool: &str, keys: &[&str]) {
        match value {
            Value::Dict(entries) => {
                for (key, value) in entries {
                    if !key.contains('/') {
                        self.words.insert(folded(key));
                    }
                    let keys: Vec<&str> = keys.iter().copied().chain([key.as_str()]).collect();
                    self.walk(value, tool, &keys);
                    self.look_at_text(key);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.walk(value, tool, keys)),
            Value::String(text) => self.look_at_value(text.trim(), tool, keys),
            Value::Integer(number) => {
                let is_id = keys.last().is_some_and(|key| matches!(*key, "UID" | "GUID" | "EcID" | "Domain UID"));
                let digits = number.unsigned_abs().to_string();
                if is_id && digits.len() >= 10 {
                    self.add(Kind::NumberId, &digits);
                }
            }
            Value::Real(_) | Value::Bool(_) | Value::Date(_) | Value::Data(_) => {}
        }
    }

    fn look_at_value(&mut self, text: &str, tool: &str, keys: &[&str]) {
        let key = keys.last().copied().unwrap_or_default();
        let parent = keys.iter().rev().nth(1).copied().unwrap_or_default();
        let lower = key.to_ascii_lowercase();
        if key == "BackupPhase" || key == "Kind" {
            self.words.insert(folded(text));
        } else if lower.contains("serial") {
            let is_id = text.len() >= 4 && !text.contains(' ') && text.bytes().any(|byte| byte.is_ascii_digit());
            if is_id {
                self.add(Kind::Serial, text);
            }
        } else if lower.ends_with("uid_key") || lower.ends_with("guid") || lower.ends_with("uid") {
            if text.strip_prefix("0x").is_some_and(|digits| digits.len() >= 10) {
                self.add(Kind::HexId, text);
            }
        } else if key == "_name" && parent.contains("network_information") || parent.contains("local_wireless_networks")
        {
            if key == "_name" {
                self.add(Kind::Network, text);
            }
        } else if (key == "_name" && parent.starts_with("volumes"))
            || (key == "Name" && matches!(tool, "diskutil" | "tmutil"))
            || matches!(key, "VolumeName" | "CoreStorageLogicalVolumeName" | "volume_name" | "DestinationName")
        {
            self.add_volume(text);
        } else {
            match lower.as_str() {
                "server_name" | "servername" | "server" | "hostname" | "host_name" | "local_host_name"
                | "localhostname" | "computername" | "computer_name" => self.add_host(text),
                "share_name" | "share" | "sharename" => self.add(Kind::Share, text),
                "user" | "user_name" | "username" => self.add_user(text),
                "ssid" | "ssid_str" => self.add(Kind::Network, text),
                _ => {}
            }
        }
        // OpenStep and XML have their own escapes, which are gone here.
        self.look_at_text(text);
        if let Some(volume) = text.strip_prefix("/Volumes/").filter(|volume| !volume.contains('/')) {
            self.add_path_part(Kind::Volume, volume);
        }
    }

    /// Time Machine names the volume in an image after the Mac: `Backups of Pat’s iMac`.
    fn add_volume(&mut self, name: &str) {
        if let Some(host) = name.strip_prefix("Backups of ") {
            let (host, number) = host.rsplit_once(' ').unwrap_or((host, ""));
            let counted = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            self.add_host(if counted { host } else { name.strip_prefix("Backups of ").unwrap_or(host) });
        } else {
            self.add(Kind::Volume, name.strip_suffix(" - Data").unwrap_or(name));
        }
    }

    /// A host's name, with its domain or Bonjour service, or an address, which is known by its shape.
    fn add_host(&mut self, name: &str) {
        const EVERYWHERE: [&str; 8] =
            ["local", "lan", "home", "localdomain", "internal", "fritz.box", "home.arpa", "box"];
        let name = name.strip_suffix('.').unwrap_or(name);
        let is_address = name.contains(':') || name.split('.').all(|part| part.parse::<u8>().is_ok());
        if is_address {
            return;
        }
        if let Some(service) = name.find("._") {
            self.add(Kind::Host, &name[..service]);
            return;
        }
        match name.split_once('.') {
            // A name with blanks is no DNS name: its dots are its own.
            Some((first, domain)) if !name.contains(' ') => {
                self.add(Kind::Host, first);
                if !EVERYWHERE.contains(&domain) {
                    self.add(Kind::Domain, domain);
                }
            }
            _ => self.add(Kind::Host, name),
        }
    }

    fn add_user(&mut self, user: &str) {
        // `DOMAIN;user:password`
        let (domain, user) = user.split_once(';').unwrap_or(("", user));
        let (user, password) = user.split_once(':').unwrap_or((user, ""));
        self.add(Kind::Domain, domain);
        self.add(Kind::User, user);
        self.add(Kind::Password, password);
    }

    /// A URL or the source of a mount.
    fn add_share(&mut self, text: &str) {
        let authority = text.split_once("//").map_or("", |(_, rest)| rest);
        let authority = authority.split('/').next().unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@') {
            self.add_user(&percent_decode(user));
        }
        let Some(share) = Share::parse(text) else { return };
        self.add_host(&share.host);
        let path = share.share.unwrap_or_default();
        for part in path.split('/').filter(|part| !part.ends_with("bundle")) {
            self.add(Kind::Share, part.trim_end_matches([',', '.', ')', ';', ':']));
        }
    }

    fn add(&mut self, kind: Kind, name: &str) {
        let name = name.trim();
        let is_none = matches!(name, "" | "(null)" | "<private>" | "<redacted>" | "." | "..");
        let is_path = name.contains(['/', '\n']) || name.len() > 255 || name.contains('…');
        if !is_none && !is_path && self.seen.insert((kind, name.to_owned())) {
            self.names.push((kind, name.to_owned()));
        }
    }
}

/// Reads what a tool answered, in whichever form.
fn parsed(bytes: &[u8]) -> Option<Value> {
    if let Ok(json) = serde_json::from_slice::<serde_json::Value>(bytes)
        && (json.is_object() || json.is_array())
    {
        return Some(from_json(json));
    }
    match property_list::read(bytes) {
        Ok(value) => Some(value),
        Err(property_list::ReadError::Cut { partial, .. }) => partial,
        Err(_) => None,
    }
}

fn from_json(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Object(entries) => {
            Value::Dict(entries.into_iter().map(|(key, value)| (key, from_json(value))).collect())
        }
        serde_json::Value::Array(values) => Value::Array(values.into_iter().map(from_json).collect()),
        serde_json::Value::String(text) => Value::String(text),
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => {
            number.as_i128().map_or_else(|| Value::Real(number.as_f64().unwrap_or_default()), Value::Integer)
        }
        serde_json::Value::Null => Value::String(String::new()),
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// In the text of an XML property list, names have the escapes of XML.
fn unescape_xml(text: &str) -> String {
    let quoted = text.replace("&apos;", "'").replace("&#39;", "'").replace("&quot;", "\"");
    quoted.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
