//! Whatever is named on the command line: found out by its content, read, and folded into backups. What can't be read is
//! told beside what can.

mod detect;
mod gather;
mod journal;
pub mod logs;
mod record;
mod status;
mod unpack;
mod walk;

use std::collections::BTreeMap;

use crate::domain::backup::Backup;
use crate::domain::destination::Destination;
use crate::domain::time::Moment;

pub use detect::Kind;
pub use gather::{Progress, Request, gather};
pub use journal::recover;

/// Why a source gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It could not be opened or read.
    Unreadable(String),
    /// It is what it says, but cut or damaged.
    Damaged(String),
    /// There is nothing in it.
    Empty,
    /// It is no text, and no packed text either.
    Binary,
    /// It is no source of backups; says what it is.
    NotASource(String),
    /// It tells that no backup runs.
    Idle,
}

/// A source that gave nothing, or not everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Its name as given.
    pub name: String,
    /// Why.
    pub fault: Fault,
    /// Whether it was found in a folder and not named itself.
    pub in_folder: bool,
}

impl Trouble {
    /// Whether something is missing that was asked for: what merely lies in a folder may be anything.
    pub fn is_loss(&self) -> bool {
        match self.fault {
            Fault::Unreadable(_) | Fault::Damaged(_) => true,
            Fault::Empty | Fault::Binary => !self.in_folder,
            Fault::NotASource(_) | Fault::Idle => false,
        }
    }
}

/// How a file was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// Its name.
    pub name: String,
    /// The format that was taken, in words.
    pub format: Option<String>,
    /// How each format did that was tried, best first.
    pub scores: Vec<String>,
    /// What it held beside backups.
    pub counts: logs::Counts,
}

/// Everything that was found.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// The backups, in the order of the sources.
    pub backups: Vec<Backup>,
    /// Configured destinations, where a source tells them.
    pub destinations: Vec<Destination>,
    /// What gave nothing or not everything.
    pub troubles: Vec<Trouble>,
    /// How many files were looked at.
    pub files: usize,
    /// How many of them are logs.
    pub logs: usize,
    /// What the logs held beside backups.
    pub counts: logs::Counts,
    /// When the first log begins.
    pub first: Option<Moment>,
    /// How each log was told.
    pub explained: Vec<Explained>,
}

impl Gathered {
    /// How many sources were passed over, by reason.
    pub fn reasons(&self) -> BTreeMap<String, u64> {
        let mut reasons = BTreeMap::new();
        for trouble in &self.troubles {
            let reason = match &trouble.fault {
                Fault::Unreadable(_) => "unreadable",
                Fault::Damaged(_) => "damaged",
                Fault::Empty => "empty",
                Fault::Binary => "not text",
                Fault::NotASource(_) => "no source of backups",
                Fault::Idle => "status of an idle Time Machine",
            };
            *reasons.entry(reason.to_owned()).or_default() += 1;
        }
        reasons
    }

    /// Whether anything was unreadable or damaged.
    pub fn is_incomplete(&self) -> bool {
        self.troubles.iter().any(Trouble::is_loss)
    }

    fn trouble(&mut self, name: &str, fault: Fault) {
        self.troubles.push(Trouble { name: name.to_owned(), fault, in_folder: false });
    }
}
