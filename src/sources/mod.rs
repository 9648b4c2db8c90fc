//! Whatever is named on the command line: found out by its content, read, and folded into backups. What can't be read is
//! told beside what can.

mod detect;
mod journal;
mod record;
mod status;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::domain::backup::Backup;
use crate::domain::destination::Destination;

pub use detect::Kind;
pub use journal::recover;

/// Why a source gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It could not be opened or read.
    Unreadable(String),
    /// It is what it says, but cut or damaged.
    Damaged(String),
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
}

impl Gathered {
    /// How many sources were passed over, by reason.
    pub fn reasons(&self) -> BTreeMap<String, u64> {
        let mut reasons = BTreeMap::new();
        for trouble in &self.troubles {
            let reason = match &trouble.fault {
                Fault::Unreadable(_) => "unreadable",
                Fault::Damaged(_) => "damaged",
                Fault::NotASource(_) => "no source of backups",
                Fault::Idle => "status of an idle Time Machine",
            };
            *reasons.entry(reason.to_owned()).or_default() += 1;
        }
        reasons
    }

    /// Whether anything was unreadable or damaged.
    pub fn is_incomplete(&self) -> bool {
        self.troubles.iter().any(|trouble| matches!(trouble.fault, Fault::Unreadable(_) | Fault::Damaged(_)))
    }

    fn trouble(&mut self, name: &str, fault: Fault) {
        self.troubles.push(Trouble { name: name.to_owned(), fault });
    }
}

/// Reads all of `paths`; `-` is `stdin`.
pub fn gather<'a>(paths: impl IntoIterator<Item = &'a Path>, stdin: &mut dyn Read) -> Gathered {
    let mut gathered = Gathered::default();
    for path in paths {
        let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
        match read(path, stdin) {
            Ok(bytes) => take(&name, &bytes, &mut gathered),
            Err(error) => gathered.trouble(&name, Fault::Unreadable(error.to_string())),
        }
    }
    gathered
}

fn read(path: &Path, stdin: &mut dyn Read) -> io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn take(name: &str, bytes: &[u8], gathered: &mut Gathered) {
    match detect::kind(bytes) {
        Kind::Empty => gathered.trouble(name, Fault::Damaged("it is empty".to_owned())),
        Kind::Journal => journal::read(name, bytes, gathered),
        Kind::Record => record::read(name, bytes, gathered),
        Kind::Tmutil(output) => status::read(name, bytes, &output, gathered),
        Kind::Binary => gathered.trouble(name, Fault::NotASource("not text".to_owned())),
        Kind::Unknown => gathered.trouble(name, Fault::NotASource("nothing that is known here".to_owned())),
    }
}
