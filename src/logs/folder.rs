//! The folder that a backup is written to, as paths in messages name it: `/Volumes/Disk/2026-08-14-091233.inprogress/Data/…`,
//! on HFS+ `/Volumes/Disk/Backups.backupdb/Host/2026-08-14-091233.inProgress/…`.

use chrono::NaiveDateTime;
use memchr::memmem;

use super::hole::{is_stamp, is_uuid};

/// A folder that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folder<'a> {
    /// When it was made, by its name: local time, after mounting.
    pub(super) made: NaiveDateTime,
    /// Where the destination's volume is mounted.
    pub(super) volume: Option<&'a str>,
    /// Whether the path ends at the folder of one source volume.
    pub(super) is_of_volume: bool,
}

/// Finds the first such folder in a text.
pub(super) fn find(text: &str) -> Option<Folder<'_>> {
    let at = memmem::find(text.as_bytes(), b".inprogress").or_else(|| memmem::find(text.as_bytes(), b".inProgress"))?;
    let (path, rest) = (text.get(..at)?, text.get(at + ".inprogress".len()..)?);
    let stamp = path.get(path.len().checked_sub(17)?..).filter(|stamp| is_stamp(stamp))?;
    let parent = path[..path.len() - stamp.len()].strip_suffix('/').unwrap_or_default();
    let volume = parent.rfind("/Volumes/").map(|at| &parent[at..]);
    let volume = volume.map(|volume| volume.split_once("/Backups.backupdb/").map_or(volume, |(volume, _)| volume));
    let mut below = rest.trim_end_matches('/').split('/').skip(1);
    let first = below.next();
    // On HFS+ a UUID stands between.
    let source = if first.is_some_and(is_uuid) { below.next() } else { first };
    Some(Folder {
        made: NaiveDateTime::parse_from_str(stamp, "%Y-%m-%d-%H%M%S").ok()?,
        volume,
        is_of_volume: source.is_some() && below.next().is_none(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(String, Option<&str>, bool)> {
        find(text).map(|folder| (folder.made.to_string(), folder.volume, folder.is_of_volume))
    }

    #[test]
    fn both_kinds_of_folder_are_found() {
        let made = "2026-03-01 09:00:01".to_owned();
        assert_eq!(
            found("Current: 4 KB - /Volumes/Attic (2)/2026-03-01-090001.inprogress/Data/Users/mira/a"),
            Some((made.clone(), Some("/Volumes/Attic (2)"), false))
        );
        assert_eq!(
            found(
                "/Volumes/Attic/Backups.backupdb/Mira’s Air/2026-03-01-090001.inProgress/0B6E2D10-7A31-4C59-9E04-5D1C8A2F3B47/Data"
            ),
            Some((made.clone(), Some("/Volumes/Attic"), true))
        );
        assert_eq!(found("2026-03-01-090001.inprogress"), Some((made, None, false)));
    }

    #[test]
    fn what_is_no_stamp_is_no_folder() {
        for text in [
            "/Volumes/Attic/2026-13-01-090001.inprogress",
            "a.inprogress",
            ".inprogress",
            "é2026-03-01-09001.inprogress",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
