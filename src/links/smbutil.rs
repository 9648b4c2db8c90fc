//! `smbutil multichannel -a -f JSON` (11.3 and later) and `smbutil statshares -a -f JSON` (11 and later): the SMB session.
//! All numbers of the first are strings (Apple's source of 2025).

use super::value_of::{is_set, text};
use crate::apple::url::Share;
use crate::apple::value::Value;

/// One TCP connection of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    /// Whether data go over it now. The main channel may be idle while others carry everything.
    pub(super) active: bool,
    /// The local interface; only with multichannel on.
    pub(super) interface: Option<String>,
    /// Its rate when the session was set up, bit/s.
    pub(super) bps: Option<u64>,
    /// The server's address.
    pub(super) server: Option<String>,
}

/// The session behind a mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    /// Whether multichannel is in use.
    pub(super) multichannel: bool,
    /// Bytes sent, protocol overhead included.
    pub(super) sent_bytes: Option<u64>,
    /// Its connections.
    pub(super) channels: Vec<Channel>,
}

impl Session {
    /// The channels that carry data over a known interface.
    pub(super) fn active(&self) -> Vec<&Channel> {
        self.channels.iter().filter(|channel| channel.active && channel.interface.is_some()).collect()
    }
}

/// The session of the share mounted at `point`.
pub(super) fn session(answer: &Value, point: &str) -> Option<Session> {
    let session = answer.get(point)?;
    let info = session.get("session_info");
    let channels = session.get("multi_channel_status").and_then(Value::as_dict).unwrap_or_default();
    Some(Session {
        multichannel: info.is_some_and(|info| is_set(info, "mc_on")),
        sent_bytes: info.and_then(|info| info.get("total_tx_bytes")?.as_u64()),
        channels: channels.iter().map(|(_, channel)| of(channel)).collect(),
    })
}

fn of(channel: &Value) -> Channel {
    Channel {
        active: text(channel, "state") == Some("session active"),
        interface: text(channel, "client_interface").map(str::to_owned),
        bps: channel.get("link_speed").and_then(Value::as_u64).filter(|bps| *bps > 0),
        server: text(channel, "server_inet").map(str::to_owned),
    }
}

/// The protocol of a share in words, such as `SMB 3.1.1, signed`. With several shares mounted, server and share must fit.
pub(super) fn protocol(answer: &Value, wanted: &Share) -> Option<String> {
    let shares = answer.as_array()?;
    match shares {
        [only] => words(only),
        several => words(several.iter().find(|share| is_of(share, wanted))?),
    }
}

fn words(share: &Value) -> Option<String> {
    let version = text(share, "SMB_VERSION")?;
    let mut words = vec![version.replace('_', " ")];
    if is_set(share, "SIGNING_ON") {
        words.push("signed".to_owned());
    }
    if text(share, "SMB_CURR_ENCRYPT_ALGORITHM").is_some_and(|name| !name.eq_ignore_ascii_case("off")) {
        words.push("encrypted".to_owned());
    }
    Some(words.join(", "))
}

fn is_of(share: &Value, wanted: &Share) -> bool {
    let host = text(share, "SERVER_NAME").unwrap_or_default().trim_end_matches('.');
    host.eq_ignore_ascii_case(&wanted.host) && text(share, "share_name") == wanted.share.as_deref()
}

/// All sessions with their mount points, for saved answers.
pub(super) fn sessions(answer: &Value) -> Vec<(&str, Session)> {
    let entries = answer.as_dict().unwrap_or_default();
    entries.iter().filter_map(|(point, _)| Some((point.as_str(), session(answer, point)?))).collect()
}

/// The protocols of all shares, for saved answers.
pub(super) fn protocols(answer: &Value) -> Vec<String> {
    answer.as_array().unwrap_or_default().iter().filter_map(words).collect()
}

/// The addresses that a list of channels names.
pub(super) fn servers(session: &Session) -> Vec<&str> {
    session.channels.iter().filter_map(|channel| channel.server.as_deref()).collect()
}

/// Whether an answer looks like that of multichannel.
pub(super) fn is_multichannel(answer: &Value) -> bool {
    answer.as_dict().is_some_and(|entries| entries.iter().any(|(_, value)| value.get("multi_channel_status").is_some()))
}

/// Whether an answer looks like that of statshares.
pub(super) fn is_statshares(answer: &Value) -> bool {
    answer.as_array().is_some_and(|shares| shares.iter().any(|share| share.get("SMB_VERSION").is_some()))
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn the_main_channel_may_be_idle() {
        let answer = read(
            br#"{"\/Volumes\/TM" : {"session_info" : {"mc_on" : "yes", "total_tx_bytes" : "77"}, "multi_channel_status" : {
            "1" : {"flags" : ["main"], "state" : "session inactive", "client_interface" : "en0", "link_speed" : "261600000"},
            "2" : {"state" : "session active", "client_interface" : "en6", "link_speed" : "2500000000", "server_inet" : "192.0.2.2"},
            "3" : {"state" : "session active", "client_interface" : "en7", "link_speed" : "2500000000"}}}}"#,
        )
        .unwrap();
        let session = session(&answer, "/Volumes/TM").unwrap();
        assert!(session.multichannel);
        assert_eq!(session.sent_bytes, Some(77));
        let active: Vec<_> = session.active().iter().map(|c| (c.interface.as_deref().unwrap(), c.bps)).collect();
        assert_eq!(active, [("en6", Some(2_500_000_000)), ("en7", Some(2_500_000_000))]);
        assert_eq!(servers(&session), ["192.0.2.2"]);
        assert_eq!(super::session(&answer, "/Volumes/Other"), None);
    }

    #[test]
    fn encryption_that_is_null_is_off() {
        let share = |host: &str, encryption: &str| {
            format!(
                r#"{{"SERVER_NAME" : "{host}", "share_name" : "TM", "SMB_VERSION" : "SMB_3.1.1", "SIGNING_ON" : true,
                "SMB_CURR_ENCRYPT_ALGORITHM" : {encryption}}}"#
            )
        };
        let wanted = Share::parse("smb://attic/TM").unwrap();
        let one = read(format!("[{}]", share("other", "null")).as_bytes()).unwrap();
        assert_eq!(protocol(&one, &wanted).as_deref(), Some("SMB 3.1.1, signed"));
        let two = format!("[{},{}]", share("other", "null"), share("Attic", "\"AES-128-GCM\""));
        let two = read(two.as_bytes()).unwrap();
        assert_eq!(protocol(&two, &wanted).as_deref(), Some("SMB 3.1.1, signed, encrypted"));
        assert_eq!(protocol(&two, &Share::parse("smb://attic/Else").unwrap()), None);
    }
}
