//! What a source is, by its content and never by its name.

use crate::tmutil::recognise::{Output, recognise};

/// A kind of source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing at all.
    Empty,
    /// A journal of this program.
    Journal,
    /// Records of this program, as JSON or ndjson.
    Record,
    /// An output of `tmutil`.
    Tmutil(Output),
    /// No text.
    Binary,
    /// Text of an unknown kind.
    Unknown,
}

/// How far into a source is looked for a byte that no text has.
const LOOK: usize = 8 * 1024;

/// Says what `bytes` are.
pub(super) fn kind(bytes: &[u8]) -> Kind {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Kind::Empty;
    }
    if let Some(output) = recognise(bytes) {
        return Kind::Tmutil(output);
    }
    match object_type(bytes) {
        Some(Typed::Journal) => Kind::Journal,
        Some(Typed::Record) => Kind::Record,
        None if bytes.iter().take(LOOK).any(|&byte| byte == 0) => Kind::Binary,
        None => Kind::Unknown,
    }
}

enum Typed {
    Journal,
    Record,
}

/// Reads the first JSON object's type, be it a line of several or the only one.
fn object_type(bytes: &[u8]) -> Option<Typed> {
    let first = serde_json::Deserializer::from_slice(bytes).into_iter::<serde_json::Value>().next()?.ok()?;
    let object = first.as_object()?;
    match object.get("type").and_then(serde_json::Value::as_str) {
        Some("journal") => Some(Typed::Journal),
        Some("backup" | "progress" | "skipped" | "warning") => Some(Typed::Record),
        _ if object.contains_key("schema") && object.contains_key("backups") => Some(Typed::Record),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        assert_eq!(kind(b" \n"), Kind::Empty);
        assert_eq!(kind(b"{\"type\":\"journal\",\"schema\":1}\n{\"type\":\"asked\""), Kind::Journal);
        assert_eq!(kind(b"{\"type\":\"backup\"}\n"), Kind::Record);
        assert_eq!(kind(b"{\"schema\":1,\"backups\":[]}"), Kind::Record);
        assert_eq!(kind(b"dear diary"), Kind::Unknown);
        assert_eq!(kind(b"PK\x03\x04\x00\x00"), Kind::Binary);
        assert_eq!(kind(b"tmutil version 4.0.0 (built Mar  6 2023)"), Kind::Tmutil(Output::Version(
            "tmutil version 4.0.0 (built Mar  6 2023)".to_owned()
        )));
    }
}
