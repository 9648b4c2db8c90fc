//! The body of `Backup result: {`, a property list in the OpenStep form.

use crate::domain::event::Data;
use crate::domain::units::Amount;

/// The bytes of the whole backup; seen in captures of macOS 13, on HFS+ and on APFS.
const TOTAL: &str = "com.apple.backupd.SnapshotTotalBytesCopied";

/// Takes from the body what it says of data. Only whole entries (up to their `;`) count, so a body that was cut gives fewer
/// figures and no wrong ones. `Progress.files` lags behind the number of items in every capture, so it is left.
pub(super) fn data(body: &str) -> Data {
    let exact = entry(body, &[], TOTAL).map(Amount::exact);
    let progress = || entry(body, &["Progress"], "bytes").map(Amount::at_least);
    Data { physical: exact.or_else(progress), ..Data::default() }
}

/// The number of a key inside the dictionaries called `path`.
fn entry(body: &str, path: &[&str], key: &str) -> Option<u64> {
    let mut open: Vec<&str> = Vec::new();
    for line in body.lines().map(str::trim) {
        if line.starts_with('}') {
            open.pop();
        } else if let Some((name, value)) = line.split_once('=') {
            let (name, value) = (bare(name), value.trim());
            if value == "{" {
                open.push(name);
            } else if name == key && open == path {
                return bare(value.strip_suffix(';')?).parse().ok();
            }
        }
    }
    None
}

fn bare(text: &str) -> &str {
    text.trim().trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "\n    BytesToCopy = 900000000;\n    Progress =     {\n        Percent = \"0.97\";\n        bytes = 61000;\n        files = 40;\n    };\n    Running = 1;\n    \"com.apple.backupd.SnapshotTotalBytesCopied\" = 62345;\n}";

    #[test]
    fn the_exact_total_comes_before_the_last_progress() {
        assert_eq!(data(BODY), Data { physical: Some(Amount::exact(62_345)), ..Data::default() });
        let without = BODY.replace(TOTAL, "other");
        assert_eq!(data(&without).physical, Some(Amount::at_least(61_000)));
    }

    #[test]
    fn a_cut_body_gives_no_wrong_figure() {
        for end in 0..BODY.len() {
            let physical = data(&BODY[..end]).physical;
            let right = [None, Some(Amount::at_least(61_000)), Some(Amount::exact(62_345))];
            assert!(right.contains(&physical), "{physical:?} at {end}");
        }
    }

    #[test]
    fn the_same_key_elsewhere_does_not_count() {
        assert_eq!(data("\n bytes = 5;\n Other = {\n bytes = 6;\n };\n}"), Data::default());
    }
}
