//! The body of `Backup result: {`, a property list in the OpenStep form.

use crate::apple::openstep::{self, OpenStepError};
use crate::apple::value::Value;
use crate::domain::event::Data;
use crate::domain::units::Amount;

/// The bytes of the whole backup; seen in captures of macOS 13, on HFS+ and on APFS.
pub(super) const TOTAL: &str = "com.apple.backupd.SnapshotTotalBytesCopied";

/// Takes from the text after the first brace what it says of data: the exact total and nothing else. `Progress.bytes` and
/// `Progress.files` beside it are the last sample; the files lag behind the items in every capture.
pub(super) fn data(body: &str) -> Data {
    let (Ok(list) | Err(OpenStepError::Cut { partial: list, .. })) = openstep::parse(&format!("{{{body}")) else {
        return Data::default();
    };
    let total = list.get(TOTAL).and_then(Value::as_u64);
    Data { physical: total.map(Amount::exact), ..Data::default() }
}

/// Where the destination's volume was mounted.
pub(super) fn mount_point(body: &str) -> Option<String> {
    let (Ok(list) | Err(OpenStepError::Cut { partial: list, .. })) = openstep::parse(&format!("{{{body}")) else {
        return None;
    };
    list.get("DestinationMountPoint").and_then(Value::as_str).filter(|path| path.starts_with('/')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "\n    BytesToCopy = 900000000;\n    Progress =     {\n        Percent = \"0.97\";\n        bytes = 61000;\n        files = 40;\n    };\n    Running = 1;\n    \"com.apple.backupd.SnapshotTotalBytesCopied\" = 62345;\n}";

    #[test]
    fn the_total_is_exact() {
        assert_eq!(data(BODY), Data { physical: Some(Amount::exact(62_345)), ..Data::default() });
        assert_eq!(data(&BODY.replace(TOTAL, "other")), Data::default());
        assert_eq!(data("no list"), Data::default());
    }

    #[test]
    fn a_cut_body_gives_no_wrong_figure() {
        for end in 0..BODY.len() {
            let physical = data(&BODY[..end]).physical;
            assert!([None, Some(Amount::exact(62_345))].contains(&physical), "{physical:?} at {end}");
        }
    }
}
