//! backupd's result codes: the number and the name that its log gives with a failure, which are also `RESULT` in the
//! preferences and the codes of `com.apple.backupd.ErrorDomain`.

use crate::domain::backup::{Failure, Outcome};

/// A result code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The number.
    pub number: i64,
    /// backupd's name, where a log or an error has shown it together with the number.
    pub name: Option<&'static str>,
    /// What it means.
    pub meaning: &'static str,
}

const fn code(number: i64, meaning: &'static str) -> Code {
    Code { number, name: None, meaning }
}

const fn named(number: i64, name: &'static str, meaning: &'static str) -> Code {
    Code { number, name: Some(name), meaning }
}

/// Meanings from the messages that macOS shows for the codes, collected by users and other programs; not from Apple's
/// documentation, which has none.
const CODES: &[Code] = &[
    named(0, "NO_ERROR", "success"),
    code(1, "the backup could not be launched"),
    code(2, "the backup could not be set up on the destination"),
    code(3, "the destination's file system is not suitable"),
    code(4, "the state of the destination's disk could not be told"),
    code(5, "file ownership is switched off on the destination"),
    code(6, "the destination's file system is not suitable"),
    code(7, "the destination has too little space"),
    code(8, "the destination can only be read"),
    code(9, "access control lists are switched off on the destination"),
    code(10, "an error while the backup was prepared"),
    code(11, "an error while files were copied"),
    code(12, "an error while unchanged files were linked"),
    code(14, "an expired backup could not be removed"),
    code(15, "the destination is full, and nothing may be removed from it"),
    code(16, "the destination is full even without the backups that may go"),
    named(17, "BACKUP_FAILED_TARGETVOL_NOT_SPECIFIED", "no destination is set up"),
    named(18, "BACKUP_FAILED_TARGETVOL_NOT_FOUND", "the destination could not be found"),
    code(19, "the destination could not be located or mounted"),
    code(20, "the disk image on the destination could not be created"),
    code(21, "the disk image on the destination could not be opened"),
    code(22, "cancelled"),
    code(23, "source and destination differ in telling capitals from small letters"),
    code(24, "two volumes to back up have the same name"),
    code(25, "there is nothing to back up"),
    named(26, "BACKUP_FAILED_DISCONNECTED_NETWORK", "the connection to the server was lost"),
    code(27, "the destination's disk was disconnected"),
    code(28, "the destination ran out of space during the backup"),
    code(29, "the server refused the user or the password"),
    code(30, "existing backups could not be taken over"),
    code(31, "the disk image on the destination is in use"),
    code(32, "the disk image on the destination is missing"),
    code(33, "the clock is wrong"),
    code(37, "a disk that was being backed up was disconnected"),
    code(38, "the disk image on the destination can only be read"),
    code(39, "the destination is no longer encrypted"),
    code(40, "the backups could not be verified"),
    code(41, "the backups could not be verified"),
    code(42, "the backups could not be verified"),
    code(44, "a disk image could not be deleted"),
    code(45, "the server lacks features that Time Machine needs"),
    code(49, "a local snapshot failed"),
    code(50, "a local snapshot failed"),
    code(52, "the password of the encrypted backups is empty"),
    code(53, "the password of the encrypted backups is wrong"),
    named(56, "BACKUP_FAILED_TARGETVOL_DISK_FULL", "the destination is full"),
    code(60, "a management profile forbids it"),
    named(70, "BACKUP_FAILED_DISCONNECTED_DISK_IMAGE", "the disk image on the destination was disconnected"),
    code(100, "put off: the Mac runs on battery"),
    code(101, "put off: the battery is low"),
    code(102, "put off: the Mac is too hot"),
    code(103, "put off: FileVault is converting the disk"),
    code(104, "put off: files can't be read while the Mac is locked"),
    code(105, "put off: cloud files are not yet synchronised"),
    named(107, "BACKUP_DELAYED_NOT_ENOUGH_ELAPSED_TIME", "put off: too soon after the last backup"),
    code(300, "an error while the backup was prepared"),
    code(402, "a disk error while files were copied"),
    code(404, "an error while the backup was finished"),
    code(406, "a path is too long"),
    code(450, "the backup could not be sealed"),
    code(451, "an error in the configuration"),
    code(455, "an error in the configuration"),
    code(501, "the backup could not be restored from"),
    code(703, "cancelled to eject a disk that was being backed up"),
    code(704, "cancelled to eject the destination"),
    code(999, "an unknown error"),
    code(1006, "verification found that a new backup must be begun"),
    named(1008, "BACKUP_FAILED_TARGETVOL_NOT_RECOGNIZED", "the destination is not the disk it was"),
    code(1009, "it waits for mains power"),
    code(1011, "an encrypted backup would go to a destination that is not encrypted"),
];

/// Names without a number to go with them: listed in backupd of 10.13.6, or logged without one.
const NAMES: &[(&str, &str)] = &[
    ("BACKUP_FAILED_LAUNCH", "the backup could not be launched"),
    ("BACKUP_FAILED_SETUP", "the backup could not be set up on the destination"),
    ("BACKUP_FAILED_TARGETVOL_UNSUPPORTED_FS", "the destination's file system is not suitable"),
    ("BACKUP_FAILED_TARGETVOL_OWNERS_DISABLED", "file ownership is switched off on the destination"),
    ("BACKUP_FAILED_TARGETVOL_NOT_JOURNALED", "the destination's file system keeps no journal"),
    ("BACKUP_FAILED_TARGETVOL_DISK_SPACE", "the destination has too little space"),
    ("BACKUP_FAILED_TARGETVOL_READONLY", "the destination can only be read"),
    ("BACKUP_FAILED_TARGETVOL_ACLS_DISABLED", "access control lists are switched off on the destination"),
    ("BACKUP_FAILED_PREFLIGHT_STAGE", "an error while the backup was prepared"),
    ("BACKUP_FAILED_COPY_STAGE", "an error while files were copied"),
    ("BACKUP_FAILED_LINK_SOURCE", "an error while unchanged files were linked"),
    ("BACKUP_FAILED_SNAPSHOT_DELETE_FAILED", "an expired backup could not be removed"),
    ("BACKUP_FAILED_CULLING_DISABLED", "the destination is full, and nothing may be removed from it"),
    ("BACKUP_FAILED_CULLING_DATELIMIT", "the destination is full even without the backups that may go"),
    ("BACKUP_FAILED_DISK_IMAGE_NOT_CREATED", "the disk image on the destination could not be created"),
    ("BACKUP_FAILED_DISK_IMAGE_NOT_MOUNTED", "the disk image on the destination could not be opened"),
    ("BACKUP_FAILED_CASE_SENSITIVITY", "source and destination differ in telling capitals from small letters"),
    ("BACKUP_FAILED_DUPLICATE_VOLNAMES", "two volumes to back up have the same name"),
    ("BACKUP_FAILED_TARGETVOL_DISK_SPACE_DURING_BACKUP", "the destination ran out of space during the backup"),
    ("BACKUP_FAILED_AUTHENTICATION_ERROR", "the server refused the user or the password"),
    ("BACKUP_FAILED_UNABLE_TO_INHERIT_BACKUP", "existing backups could not be taken over"),
    ("BACKUP_FAILED_DISK_IMAGE_BUSY", "the disk image on the destination is in use"),
    ("BACKUP_FAILED_DISK_IMAGE_NOT_FOUND", "the disk image on the destination is missing"),
    ("BACKUP_FAILED_CLOCK_WRONG", "the clock is wrong"),
    ("BACKUP_FAILED_TARGETIMAGE_READONLY", "the disk image on the destination can only be read"),
    ("BACKUP_FAILED_TO_DELETE_IMAGE", "a disk image could not be deleted"),
    ("BACKUP_FAILED_UNSUPPORTED_NETWORK_VOLUME", "the server lacks features that Time Machine needs"),
    ("BACKUP_FAILED_DISCONNECTED_DESTINATION", "the destination's disk was disconnected"),
    ("BACKUP_FAILED_UNKNOWN", "an unknown error"),
];

/// The code of this number.
pub fn by_number(number: i64) -> Option<&'static Code> {
    CODES.iter().find(|code| code.number == number)
}

/// The code of this name; `None` too for a name whose number is not known.
pub fn by_name(name: &str) -> Option<&'static Code> {
    CODES.iter().find(|code| code.name == Some(name))
}

/// What a name means, with or without a known number.
pub fn meaning_of_name(name: &str) -> Option<&'static str> {
    by_name(name)
        .map(|code| code.meaning)
        .or_else(|| NAMES.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning))
}

/// How a backup with this result ended. A number that nobody knows is a failure: success has only one.
pub fn outcome(number: i64) -> Outcome {
    match number {
        0 => Outcome::Completed,
        22 | 703 | 704 => Outcome::Cancelled,
        100..=105 | 107 => Outcome::Deferred,
        _ => Outcome::Failed,
    }
}

/// How a backup ended whose result has only a name. `BACKUP_DELAYED` is how the one known name of a deferral begins.
pub fn outcome_of_name(name: &str) -> Outcome {
    match by_name(name) {
        Some(code) => outcome(code.number),
        None if name.starts_with("BACKUP_DELAYED") => Outcome::Deferred,
        None => Outcome::Failed,
    }
}

/// Completes what was logged of a failure; number and name stay as they were logged, also when nobody knows them.
pub fn failure(number: Option<i64>, name: Option<&str>) -> Failure {
    let code = number.and_then(by_number).or_else(|| name.and_then(by_name));
    let meaning = name.and_then(meaning_of_name).or(code.map(|code| code.meaning));
    Failure {
        code: number.or(code.map(|code| code.number)),
        name: name.or(code.and_then(|code| code.name)).map(str::to_owned),
        message: meaning.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_and_no_name_stands_twice() {
        assert!(CODES.is_sorted_by(|a, b| a.number < b.number));
        let mut names: Vec<_> =
            CODES.iter().filter_map(|code| code.name).chain(NAMES.iter().map(|row| row.0)).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn each_number_has_its_outcome() {
        assert_eq!(outcome(0), Outcome::Completed);
        for cancelled in [22, 703, 704] {
            assert_eq!(outcome(cancelled), Outcome::Cancelled);
        }
        for deferred in [100, 101, 102, 103, 104, 105, 107] {
            assert_eq!(outcome(deferred), Outcome::Deferred);
            assert!(by_number(deferred).unwrap().meaning.starts_with("put off"));
        }
        for failed in [7, 26, 70, 106, 1008, -3, 424_242] {
            assert_eq!(outcome(failed), Outcome::Failed);
        }
        assert_eq!(outcome_of_name("BACKUP_DELAYED_NOT_ENOUGH_ELAPSED_TIME"), Outcome::Deferred);
        assert_eq!(outcome_of_name("BACKUP_FAILED_DISCONNECTED_NETWORK"), Outcome::Failed);
        assert_eq!(outcome_of_name("BACKUP_FAILED_BY_MAGIC"), Outcome::Failed);
    }

    #[test]
    fn what_was_logged_stays_and_the_rest_is_filled_in() {
        let by_number = failure(Some(26), None);
        assert_eq!(by_number.name.as_deref(), Some("BACKUP_FAILED_DISCONNECTED_NETWORK"));
        assert_eq!(by_number, failure(None, Some("BACKUP_FAILED_DISCONNECTED_NETWORK")));

        let unknown = failure(Some(424_242), Some("BACKUP_FAILED_BY_MAGIC"));
        assert_eq!((unknown.code, unknown.name.as_deref()), (Some(424_242), Some("BACKUP_FAILED_BY_MAGIC")));
        assert_eq!(unknown.message, None);

        let name_only = failure(None, Some("BACKUP_FAILED_CLOCK_WRONG"));
        assert_eq!((name_only.code, name_only.message.as_deref()), (None, Some("the clock is wrong")));
    }
}
