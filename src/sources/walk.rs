//! Folders as sources: every file below them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file to read, or a place that could not be looked into.
#[derive(Debug)]
pub(super) enum Found {
    /// A file, and whether it was named itself.
    File(PathBuf, bool),
    /// A folder that could not be listed.
    Closed(PathBuf, io::Error),
}

/// Lists `path`: itself, or every file below it in the order of names. Links to folders are not followed, so that no circle
/// is walked; what is neither file nor folder (sockets, devices) is left out unless it was named itself.
pub(super) fn files(path: &Path, found: &mut Vec<Found>) {
    if path.is_dir() {
        below(path, found);
    } else {
        found.push(Found::File(path.to_owned(), true));
    }
}

fn below(folder: &Path, found: &mut Vec<Found>) {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return found.push(Found::Closed(folder.to_owned(), error)),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => below(&path, found),
            Ok(kind) if kind.is_file() || (kind.is_symlink() && path.is_file()) => found.push(Found::File(path, false)),
            Ok(_) => {}
            Err(error) => found.push(Found::Closed(path, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_order_and_circles_are_not_walked() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("b/c")).unwrap();
        for name in ["b/c/2.log", "b/1.log", "a.log"] {
            fs::write(place.path().join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(place.path(), place.path().join("b/circle")).unwrap();
        let mut found = Vec::new();
        files(place.path(), &mut found);
        let names: Vec<_> = found
            .iter()
            .map(|found| match found {
                Found::File(path, false) => path.strip_prefix(place.path()).unwrap().display().to_string(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(names, ["a.log", "b/1.log", "b/c/2.log"]);
    }
}
