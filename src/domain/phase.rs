//! What backupd is busy with. The names are backupd's own and the set is open.

use std::fmt;

/// A phase, by backupd's own name for it (`BackupPhase` of `tmutil status`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phase(pub String);

/// Where a phase stands in a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The session opens: a backup that shows this again after its end is a new one.
    Opening,
    /// Between opening and copying.
    Preparing,
    /// Data are copied.
    Copying,
    /// The backup is closed.
    Finishing,
    /// Old backups are removed after copying.
    ThinningAfter,
    /// Cancelled, winding down.
    Stopping,
    /// A name that the table does not hold.
    Unknown,
}

/// Names with their stage and plain words. Sources: captures and lists of other programs, collected per release; names seen
/// nowhere in a capture are marked so.
const PHASES: &[(&str, Stage, &str)] = &[
    ("Starting", Stage::Opening, "starting"),
    ("FindingBackupVol", Stage::Opening, "finding disk"),
    ("MountingBackupVol", Stage::Opening, "mounting"),
    ("MountingDiskImage", Stage::Opening, "mounting image"),
    ("MountingBackupVolForHealthCheck", Stage::Opening, "mounting"),
    ("HealthCheckCopyHFSMeta", Stage::Preparing, "verifying"),
    ("HealthCheckFsck", Stage::Preparing, "verifying"),
    ("PreparingSourceVolumes", Stage::Preparing, "preparing"),
    ("SizingChanges", Stage::Preparing, "sizing changes"),
    ("FindingChanges", Stage::Preparing, "finding changes"),
    ("DeletingOldBackups", Stage::Preparing, "making room"),
    ("ThinningPreBackup", Stage::Preparing, "making room"),
    ("Copying", Stage::Copying, "copying"),
    ("Finishing", Stage::Finishing, "finishing"),
    ("ThinningPostBackup", Stage::ThinningAfter, "thinning"),
    ("LazyThinning", Stage::ThinningAfter, "lazy thinning"),
    ("Stopping", Stage::Stopping, "stopping"),
];

impl Phase {
    /// Names a phase.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// backupd's name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Where it stands in a backup.
    pub fn stage(&self) -> Stage {
        self.row().map_or(Stage::Unknown, |row| row.1)
    }

    /// Plain words for a person who watches; an unknown name is split at its capitals.
    pub fn words(&self) -> String {
        self.row().map_or_else(|| split_at_capitals(&self.0), |row| row.2.to_owned())
    }

    /// Whether data are copied in it.
    pub fn is_copying(&self) -> bool {
        self.stage() == Stage::Copying
    }

    fn row(&self) -> Option<&'static (&'static str, Stage, &'static str)> {
        PHASES.iter().find(|row| row.0 == self.0)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn split_at_capitals(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut after_small = false;
    for c in name.chars() {
        if c.is_uppercase() && after_small {
            words.push(' ');
        }
        after_small = c.is_lowercase() || c.is_numeric();
        words.extend(c.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_phases_have_a_stage_and_unknown_ones_are_split() {
        assert_eq!(Phase::new("LazyThinning").stage(), Stage::ThinningAfter);
        assert_eq!(Phase::new("MountingDiskImage").words(), "mounting image");
        assert_eq!(Phase::new("CopyingHFSMeta").words(), "copying hfsmeta");
        assert_eq!(Phase::new("SealingTheBackup").stage(), Stage::Unknown);
        assert_eq!(Phase::new("SealingTheBackup").words(), "sealing the backup");
    }

    #[test]
    fn no_name_stands_twice_in_the_table() {
        for (i, row) in PHASES.iter().enumerate() {
            assert!(PHASES[..i].iter().all(|other| other.0 != row.0), "{} stands twice", row.0);
        }
    }
}
