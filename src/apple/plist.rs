//! XML and binary property lists.

use std::io::Cursor;

use super::openstep::MAX_DEPTH;
use super::value::Value;

/// How a binary property list begins.
pub const BINARY_MAGIC: &[u8] = b"bplist00";

/// Reads a property list that is XML or binary.
///
/// # Errors
/// Says in words what is wrong with it. Nothing tells a cut binary list from a damaged one.
pub fn parse(bytes: &[u8]) -> Result<Value, String> {
    // The reader below builds a nested value of its own, which takes stack to free.
    if !bytes.starts_with(BINARY_MAGIC) && xml_depth(bytes) > MAX_DEPTH {
        return Err(too_deep());
    }
    let value = ::plist::Value::from_reader(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    convert(value, 0)
}

fn too_deep() -> String {
    format!("nested more than {MAX_DEPTH} deep")
}

/// The deepest nesting of collections, counted without parsing.
fn xml_depth(bytes: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for at in memchr::memchr_iter(b'<', bytes) {
        let tag = bytes.get(at + 1..).unwrap_or_default();
        if tag.starts_with(b"dict>") || tag.starts_with(b"array>") {
            depth += 1;
            deepest = deepest.max(depth);
        } else if tag.starts_with(b"/dict>") || tag.starts_with(b"/array>") {
            depth = depth.saturating_sub(1);
        }
    }
    deepest
}

fn convert(value: ::plist::Value, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    Ok(match value {
        ::plist::Value::Dictionary(entries) => Value::Dict(
            entries
                .into_iter()
                .map(|(key, value)| Ok((key, convert(value, depth + 1)?)))
                .collect::<Result<_, String>>()?,
        ),
        ::plist::Value::Array(values) => {
            Value::Array(values.into_iter().map(|value| convert(value, depth + 1)).collect::<Result<_, String>>()?)
        }
        ::plist::Value::String(text) => Value::String(text),
        ::plist::Value::Integer(number) => Value::Integer(
            number
                .as_signed()
                .map(i128::from)
                .or_else(|| number.as_unsigned().map(i128::from))
                .ok_or("an integer beyond 64 bits")?,
        ),
        ::plist::Value::Real(number) => Value::Real(number),
        ::plist::Value::Boolean(value) => Value::Bool(value),
        ::plist::Value::Date(date) => Value::Date(date.to_xml_format()),
        ::plist::Value::Data(bytes) => Value::Data(bytes),
        ::plist::Value::Uid(uid) => Value::Integer(i128::from(uid.get())),
        _ => return Err("a kind of value that property lists didn't have".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_keep_dates_and_large_integers() {
        let xml = br#"<?xml version="1.0"?><plist version="1.0"><dict>
            <key>Z</key><integer>18446744073709551615</integer><key>A</key><date>2023-02-27T01:08:48Z</date>
            <key>R</key><real>0.90000000000000002</real><key>B</key><true/></dict></plist>"#;
        let value = parse(xml).unwrap();
        assert_eq!(value.get("Z").unwrap().as_u64(), Some(u64::MAX));
        assert_eq!(value.get("A").unwrap().as_str(), Some("2023-02-27T01:08:48Z"));
        assert_eq!(value.as_dict().unwrap()[0].0, "Z", "the order of the file is kept");

        let mut binary = Vec::new();
        ::plist::Value::from_reader(Cursor::new(xml)).unwrap().to_writer_binary(&mut binary).unwrap();
        assert_eq!(parse(&binary).unwrap(), value);
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = format!("<plist>{}{}</plist>", "<array>".repeat(100_000), "</array>".repeat(100_000));
        assert_eq!(parse(deep.as_bytes()), Err("nested more than 64 deep".to_owned()));
    }
}
