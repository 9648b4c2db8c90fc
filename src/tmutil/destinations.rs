//! `tmutil destinationinfo`, with `-X` or without.
//!
//! The text form prints blocks, each opened by a line of `=` (with `> ` before it for the destination that was used last,
//! if there are several), with labels such as `Mount Point`; the XML has `MountPoint`. Seen in captures of 13 and 26.

use crate::apple::property_list::{self, ReadError};
use crate::apple::url::without_user;
use crate::apple::value::Value;
use crate::domain::destination::{Destination, DestinationKind};

/// Why no destinations could be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DestinationsError {
    /// There is nothing in it; a Mac without destinations says so in words or in an empty dictionary.
    #[error("the list of destinations is empty text")]
    Empty,
    /// It ends too early.
    #[error("the list of destinations is cut short in line {line}")]
    CutShort {
        /// The last line, from 1.
        line: usize,
    },
    /// It is something else, or damaged; says what was found.
    #[error("not a list of destinations: {0}")]
    NotDestinations(String),
}

const NONE: &str = "No destinations configured";

/// Reads the output of `tmutil destinationinfo`, whatever its form. A Mac without destinations gives an empty list. Users
/// and passwords in URLs are dropped.
pub fn parse_destinations(bytes: &[u8]) -> Result<Vec<Destination>, DestinationsError> {
    let text = String::from_utf8_lossy(bytes);
    if text.lines().any(|line| opens_block(line).is_some()) {
        return from_text(&text);
    }
    if text.lines().any(|line| line.trim_start_matches("tmutil: ").starts_with(NONE)) {
        return Ok(Vec::new());
    }
    match property_list::read(bytes) {
        Ok(list) => from_list(&list),
        Err(ReadError::Empty) => Err(DestinationsError::Empty),
        Err(ReadError::Cut { line, .. }) => Err(DestinationsError::CutShort { line }),
        Err(ReadError::NotAPropertyList(why)) => Err(DestinationsError::NotDestinations(why)),
    }
}

fn from_list(list: &Value) -> Result<Vec<Destination>, DestinationsError> {
    let other = |why: &str| DestinationsError::NotDestinations(why.to_owned());
    let entries = list.as_dict().ok_or_else(|| other("a property list that is no dictionary"))?;
    let Some(destinations) = list.get("Destinations") else {
        return if entries.is_empty() { Ok(Vec::new()) } else { Err(other("a property list without Destinations")) };
    };
    let destinations = destinations.as_array().ok_or_else(|| other("Destinations is no array"))?;
    destinations
        .iter()
        .map(|entry| {
            let mut destination = Destination::default();
            for (key, value) in entry.as_dict().ok_or_else(|| other("a destination that is no dictionary"))? {
                match key.as_str() {
                    "LastDestination" => destination.last_used = value.as_bool().unwrap_or(false),
                    "QuotaGB" => destination.quota_bytes = value.as_f64().and_then(|number| bytes_of(number, "GB")),
                    _ => set(&mut destination, key, value.as_str().unwrap_or_default()),
                }
            }
            Ok(destination)
        })
        .collect()
}

fn from_text(text: &str) -> Result<Vec<Destination>, DestinationsError> {
    let mut destinations: Vec<Destination> = Vec::new();
    for line in text.lines() {
        if let Some(last_used) = opens_block(line) {
            destinations.push(Destination { last_used, ..Destination::default() });
        } else if let (Some(destination), Some((label, value))) = (destinations.last_mut(), line.split_once(':')) {
            set(destination, label.trim(), value.trim());
        }
    }
    // Every block ends with its ID.
    match destinations.last() {
        Some(last) if last.id.is_none() => Err(DestinationsError::CutShort { line: text.lines().count() }),
        _ => Ok(destinations),
    }
}

/// Whether a line of `=` opens a block, and whether it marks the destination used last.
fn opens_block(line: &str) -> Option<bool> {
    let line = line.trim();
    let (marked, rule) = line.strip_prefix("> ").map_or((false, line), |rule| (true, rule));
    (rule.len() >= 20 && rule.bytes().all(|b| b == b'=')).then_some(marked)
}

/// Sets what a label of the text form or a key of the XML stands for.
fn set(destination: &mut Destination, label: &str, value: &str) {
    if value.is_empty() {
        return;
    }
    match label {
        "Name" => destination.name = Some(value.to_owned()),
        "Kind" => {
            destination.kind = match value {
                "Local" => Some(DestinationKind::Local),
                "Network" => Some(DestinationKind::Network),
                _ => None,
            }
        }
        "URL" => destination.url = Some(without_user(value)),
        "Mount Point" | "MountPoint" => destination.mount_point = Some(value.to_owned()),
        // The second is what one other program accepts from old releases.
        "ID" | "DestinationID" => destination.id = Some(value.to_ascii_uppercase()),
        "Quota" => destination.quota_bytes = quota(value),
        _ => {}
    }
}

/// Reads `300 GB`.
fn quota(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(char::is_whitespace)?;
    bytes_of(Value::String(number.to_owned()).as_f64()?, unit.trim())
}

fn bytes_of(number: f64, unit: &str) -> Option<u64> {
    let scale = match unit {
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => return None,
    };
    // No quota set prints nothing; one of nought is none.
    Value::Real((number * scale).round()).as_u64().filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_destination_is_no_error() {
        for none in [
            "tmutil: No destinations configured.\n",
            "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>",
            "{\n}",
        ] {
            assert_eq!(parse_destinations(none.as_bytes()), Ok(Vec::new()));
        }
    }

    #[test]
    fn each_cause_has_its_own_error() {
        let told = |text: &str| parse_destinations(text.as_bytes()).unwrap_err().to_string();
        let rule = "=".repeat(52);
        assert_eq!(told(" "), "the list of destinations is empty text");
        assert_eq!(
            told(&format!("{rule}\nName          : Attic\nKi")),
            "the list of destinations is cut short in line 3"
        );
        assert_eq!(told("{ Destinations = ( { Name = A"), "the list of destinations is cut short in line 1");
        assert_eq!(told("{ Running = 0; }"), "not a list of destinations: a property list without Destinations");
        assert_eq!(told("{ Destinations = 1; }"), "not a list of destinations: Destinations is no array");
    }

    #[test]
    fn a_quota_is_in_decimal_units() {
        assert_eq!(quota("300 GB"), Some(300_000_000_000));
        assert_eq!(quota("1.5 TB"), Some(1_500_000_000_000));
        assert_eq!(quota("plenty"), None);
        assert_eq!(quota("3 stone"), None);
        assert_eq!(quota("nan GB"), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..120), text in "(> )?={18,54}\n([A-Z a-z]{0,14}:[^\n]{0,9}\n){0,4}") {
            _ = parse_destinations(&bytes);
            _ = parse_destinations(text.as_bytes());
        }
    }
}
