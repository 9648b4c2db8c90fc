//! Reads what a tool printed as a property list or as JSON; both give the same value.

use std::sync::LazyLock;

use regex::Regex;

use crate::apple::property_list;
use crate::apple::value::Value;

/// Reads either form.
pub(super) fn read(bytes: &[u8]) -> Result<Value, String> {
    let start = bytes.trim_ascii_start().first();
    if matches!(start, Some(b'{' | b'['))
        && let Ok(json) = serde_json::from_slice(bytes)
    {
        return Ok(from_json(json));
    }
    property_list::read(bytes)
        .or_else(|error| property_list::read(&without_huge_integers(bytes).ok_or(error)?))
        .map_err(|error| error.to_string())
}

/// The same list with integers beyond 64 bits as reals: one such figure must not hide all others. `None` if there are none.
fn without_huge_integers(bytes: &[u8]) -> Option<Vec<u8>> {
    static HUGE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"<integer>(\s*-?\d{19,}\s*)</integer>").ok());
    let text = std::str::from_utf8(bytes).ok()?;
    let huge = HUGE.as_ref().filter(|huge| huge.is_match(text))?;
    Some(huge.replace_all(text, "<real>$1</real>").into_owned().into_bytes())
}

/// JSON has no dates and no data; its null is a key without a value.
fn from_json(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::String(String::new()),
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Value::Integer(i128::from(whole)),
            (None, Some(whole)) => Value::Integer(i128::from(whole)),
            (None, None) => Value::Real(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::String(text),
        serde_json::Value::Array(values) => Value::Array(values.into_iter().map(from_json).collect()),
        serde_json::Value::Object(entries) => {
            Value::Dict(entries.into_iter().map(|(key, value)| (key, from_json(value))).collect())
        }
    }
}

/// The text of a key; empty text is none.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// The first of several keys that has text.
pub(super) fn first_text<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| text(value, key))
}

/// Whether a key says yes.
pub(super) fn is_set(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool) == Some(true)
}

/// The values of the array of a key; none if there is no such array.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

/// The name of the whole disk of a BSD name: `disk4` of `disk4s2`, `disk4s2s1` and `disk4`. `None` for anything else.
pub(super) fn whole_disk(bsd: &str) -> Option<&str> {
    let digits = bsd.strip_prefix("disk")?;
    let number = digits.bytes().take_while(u8::is_ascii_digit).count();
    let rest = digits.get(number..)?;
    let is_slice =
        rest.is_empty() || rest.strip_prefix('s').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    (number > 0 && is_slice).then(|| bsd.get(.."disk".len() + number)).flatten()
}

/// The BSD name in `/dev/disk4s2`, `/dev/rdisk4s2` or `name@/dev/disk4s2` (how a snapshot is mounted). A bare word is none:
/// a volume may be called disk4.
pub(super) fn bsd_name(source: &str) -> Option<&str> {
    let device = match source.rsplit_once("@/dev/") {
        Some((_, device)) => device,
        None => source.strip_prefix("/dev/")?,
    };
    let device = device.strip_prefix('r').filter(|device| device.starts_with("disk")).unwrap_or(device);
    whole_disk(device).map(|_| device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_property_list_give_the_same() {
        let json = read(br#"{"a" : [1, 2.5, true, null, "x\/y"]}"#).unwrap();
        let a = json.get("a").unwrap().as_array().unwrap();
        assert_eq!(a[0].as_u64(), Some(1));
        assert_eq!(a[2].as_bool(), Some(true));
        assert_eq!(a[4].as_str(), Some("x/y"));
        let xml = read(b"<plist version=\"1.0\"><dict><key>a</key><string> b </string></dict></plist>").unwrap();
        assert_eq!(text(&xml, "a"), Some("b"));
    }

    #[test]
    fn one_huge_figure_does_not_hide_the_others() {
        let list = "<plist version=\"1.0\"><dict><key>TotalSize</key><integer>650002432000000000000</integer>\
                    <key>BusProtocol</key><string>USB</string></dict></plist>";
        let value = read(list.as_bytes()).unwrap();
        assert_eq!(text(&value, "BusProtocol"), Some("USB"));
        assert_eq!(value.get("TotalSize").unwrap().as_u64(), None);
    }

    #[test]
    fn disks_and_their_slices() {
        assert_eq!(whole_disk("disk3s1s2"), Some("disk3"));
        assert_eq!(whole_disk("disk14"), Some("disk14"));
        for odd in ["disk", "diskette", "disk3x", "disk3s", "en0", ""] {
            assert_eq!(whole_disk(odd), None, "{odd}");
        }
        assert_eq!(bsd_name("/dev/disk4s2"), Some("disk4s2"));
        assert_eq!(bsd_name("/dev/rdisk4"), Some("disk4"));
        assert_eq!(bsd_name("com.apple.TimeMachine.2026-04-02-152252.backup@/dev/disk14s2"), Some("disk14s2"));
        assert_eq!(bsd_name("disk4"), None);
        assert_eq!(bsd_name("//nas/disk4"), None);
    }
}
