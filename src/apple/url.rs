//! URLs and mount sources of shares. A user's name or password in them is never kept.

/// Takes user and password out of a URL (`smb://user:password@host/share`) or a mount source (`//user@host/share`).
/// Anything else is returned as it is.
pub fn without_user(text: &str) -> String {
    let Some((head, rest)) = split_authority(text) else { return text.to_owned() };
    format!("{head}{}", &rest[user_len(rest)..])
}

/// Splits after the `//` that opens the authority.
fn split_authority(text: &str) -> Option<(&str, &str)> {
    let at = if text.starts_with("//") { 2 } else { text.find("://")? + 3 };
    text.split_at_checked(at)
}

/// How many bytes of an authority and its path are user, password and `@`.
fn user_len(rest: &str) -> usize {
    let authority = rest.split('/').next().unwrap_or_default();
    if let Some(at) = authority.rfind('@') {
        return at + 1;
    }
    // A password with a slash in it that nobody escaped: what looks like a port is no number.
    let odd_port = !authority.contains(']')
        && authority.split_once(':').is_some_and(|(_, port)| !port.bytes().all(|b| b.is_ascii_digit()));
    if odd_port { rest.rfind('@').map_or(0, |at| at + 1) } else { 0 }
}

/// Decodes `%20` and the like. What is no such code stays; what is no UTF-8 becomes U+FFFD.
pub fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if let Some(code) = (byte == b'%').then(|| hex_pair(bytes.get(at + 1..at + 3)?)).flatten() {
            decoded.push(code);
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn hex_pair(digits: &[u8]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    match digits {
        [high, low] => Some(value(*high)? << 4 | value(*low)?),
        _ => None,
    }
}

/// A share on a server, as a URL or a mount source names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// `smb`, `afp`, `nfs`, ...; lower case; absent in a mount source.
    pub scheme: Option<String>,
    /// The server: a name, an address (IPv6 without brackets), or a whole Bonjour service such as
    /// `Attic NAS._smb._tcp.local`; decoded, without a trailing dot.
    pub host: String,
    /// The instance of that Bonjour service: `Attic NAS`.
    pub service_instance: Option<String>,
    /// The port, if one is given.
    pub port: Option<u16>,
    /// The path on the server without its first slash, decoded; absent if it is empty.
    pub share: Option<String>,
}

impl Share {
    /// Reads a URL, `//host/share` or `host:/path` (how NFS is mounted). User and password are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let Some((head, rest)) = split_authority(text) else {
            let (host, path) = text.split_once(":/")?;
            return Self::of(None, host, None, path);
        };
        let scheme = head.strip_suffix("://").map(str::to_ascii_lowercase);
        let rest = &rest[user_len(rest)..];
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = if let Some(v6) = authority.strip_prefix('[') {
            let (host, after) = v6.split_once(']')?;
            (host, after.strip_prefix(':'))
        } else {
            authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
        };
        Self::of(scheme, host, port.and_then(|port| port.parse().ok()), path)
    }

    fn of(scheme: Option<String>, host: &str, port: Option<u16>, path: &str) -> Option<Self> {
        let host = percent_decode(host);
        let host = host.strip_suffix('.').unwrap_or(&host).to_owned();
        if host.is_empty() {
            return None;
        }
        let service_instance = host
            .find("._tcp")
            .and_then(|tcp| host.get(..tcp))
            .and_then(|service| service.rsplit_once("._"))
            .map(|(instance, _)| instance.to_owned());
        let share = Some(percent_decode(path.trim_end_matches('/'))).filter(|share| !share.is_empty());
        Some(Self { scheme, host, service_instance, port, share })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn user_and_password_go_and_the_rest_stays() {
        for (given, kept) in [
            ("smb://anna@attic._smb._tcp.local./Time%20Machine", "smb://attic._smb._tcp.local./Time%20Machine"),
            ("afp://anna:se%40cret@attic.local:548/TM", "afp://attic.local:548/TM"),
            ("smb://anna:p@ss@attic/TM", "smb://attic/TM"),
            ("smb://anna:pa/ss@attic/TM", "smb://attic/TM"),
            ("smb://HOME;anna@attic/TM", "smb://attic/TM"),
            ("//anna@attic/TM", "//attic/TM"),
            ("smb://attic/a@b", "smb://attic/a@b"),
            ("smb://attic:445/a@b", "smb://attic:445/a@b"),
            ("nfs://[fe80::1]/export", "nfs://[fe80::1]/export"),
            ("/Volumes/anna@home", "/Volumes/anna@home"),
        ] {
            assert_eq!(without_user(given), kept);
        }
    }

    #[test]
    fn a_share_has_a_server_and_a_path() {
        let share = Share::parse("smb://anna@Attic%20NAS._smb._tcp.local./Time%20Machine").unwrap();
        assert_eq!(share.scheme.as_deref(), Some("smb"));
        assert_eq!(share.host, "Attic NAS._smb._tcp.local");
        assert_eq!(share.service_instance.as_deref(), Some("Attic NAS"));
        assert_eq!(share.share.as_deref(), Some("Time Machine"));

        let share = Share::parse("//anna:x@192.0.2.7:4450/TM/").unwrap();
        assert_eq!((share.host.as_str(), share.port, share.share.as_deref()), ("192.0.2.7", Some(4450), Some("TM")));
        assert_eq!(share.scheme, None);
        assert_eq!(share.service_instance, None);

        assert_eq!(Share::parse("nfs://[2001:db8::7]:2049/x").unwrap().host, "2001:db8::7");
        assert_eq!(Share::parse("attic.local:/export/tm").unwrap().share.as_deref(), Some("export/tm"));
        assert_eq!(Share::parse("/dev/disk4s2"), None);
        assert_eq!(Share::parse("smb:///share"), None);
    }

    #[test]
    fn odd_codes_stay() {
        assert_eq!(percent_decode("100%"), "100%");
        assert_eq!(percent_decode("%zz%4"), "%zz%4");
        assert_eq!(percent_decode("B%C3%BCro%ff"), "B\u{fc}ro\u{fffd}");
    }

    proptest! {
        #[test]
        fn no_text_makes_them_panic(text in any::<String>(), odd in "(smb:)?//[a%@:/\\[\\]é]{0,12}") {
            for text in [text, odd] {
                _ = without_user(&text);
                _ = percent_decode(&text);
                _ = Share::parse(&text);
            }
        }
    }
}
