//! The message tables: rows of `messages/*.toml`, compiled once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::destination::DestinationKind;
use crate::domain::event::Trigger;
use crate::domain::phase::Phase;

use super::embedded;
use super::index::Index;
use super::release::{Release, Releases};
use super::template::{Template, Values};

/// The process that logs backups.
pub(super) const BACKUPD: &str = "backupd";

/// What a row says of its messages. The words are those of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Requested,
    Started,
    HealthCheckStarted,
    Destination,
    CopyStarted,
    Progress,
    /// Items only, by their kinds.
    ItemProgress,
    PassStarted,
    PassCopied,
    VolumeCopied,
    VolumeEstimate,
    Estimate,
    DestinationTest,
    CopyTime,
    CompletionDate,
    Result,
    Completed,
    Failed,
    FailureCause,
    CancelRequested,
    Cancelled,
    Deferred,
    ThinningStarted,
    Phase,
    /// Known, and nothing about a backup.
    Noise,
}

/// How well a wording is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Evidence {
    /// In captures.
    Seen,
    /// Among the strings of Apple's programs.
    Strings,
    /// By somebody's description.
    Described,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    message: Vec<RawRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawRow {
    template: String,
    meaning: Kind,
    macos: String,
    evidence: Evidence,
    phase: Option<String>,
    process: Option<String>,
    trigger: Option<RawTrigger>,
    link: Option<RawLink>,
    #[serde(default)]
    after_thinning: bool,
    #[serde(default)]
    first: bool,
    samples: Vec<Sample>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawTrigger {
    Manual,
    Automatic,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawLink {
    Local,
    Network,
}

/// A message that proves a row, with what stands in its holes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), expect(dead_code, reason = "proofs are for tests"))]
pub(super) struct Sample {
    /// The message.
    pub(super) text: String,
    /// By the name of the hole: text as it stands there, counts and exact bytes as a number, rounded sizes as `[bytes, half a
    /// unit of the last digit]`.
    #[serde(default)]
    pub(super) values: BTreeMap<String, toml::Value>,
}

/// A wording of backupd.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "proofs are for tests"))]
pub(super) struct Row {
    /// The file that it stands in.
    pub(super) file: &'static str,
    /// How it reads.
    pub(super) template: Template,
    /// What it means.
    pub(super) kind: Kind,
    /// In which releases it was seen.
    pub(super) releases: Releases,
    /// How well it is known.
    pub(super) evidence: Evidence,
    /// The phase it opens.
    pub(super) phase: Option<Phase>,
    /// The process that says it.
    pub(super) process: String,
    /// Who asked, where the wording itself tells it.
    pub(super) trigger: Option<Trigger>,
    /// How the destination is reached, where the wording tells it.
    pub(super) link: Option<DestinationKind>,
    /// Whether old backups are removed before it is said.
    pub(super) after_thinning: bool,
    /// Whether only a first backup says it.
    pub(super) first: bool,
    /// Proofs.
    pub(super) samples: Vec<Sample>,
}

/// All rows, with the index to find them.
#[derive(Debug)]
pub(super) struct Table {
    /// The rows.
    pub(super) rows: Vec<Row>,
    index: Index,
}

/// The built-in tables.
pub(super) static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::load(embedded::MESSAGES).expect("a test loads the built-in tables"));

impl Table {
    /// Compiles files given by name and text; the error names the file and the row.
    fn load(files: &[(&'static str, &str)]) -> Result<Self, String> {
        let mut table = Self { rows: Vec::new(), index: Index::new() };
        for &(file, text) in files {
            let parsed: File = toml::from_str(text).map_err(|error| format!("{file}: {error}"))?;
            if parsed.title.is_empty() || parsed.message.is_empty() {
                return Err(format!("{file}: it needs a title and messages"));
            }
            for raw in parsed.message {
                let row = Row::compile(file, &raw).map_err(|why| format!("{file}: `{}`: {why}", raw.template))?;
                for head in row.template.heads() {
                    table.index.insert(head, table.rows.len());
                }
                table.rows.push(row);
            }
        }
        Ok(table)
    }

    /// Finds the row that reads `message`.
    pub(super) fn find<'m>(&self, message: &'m str) -> Option<(&Row, Values<'m>)> {
        self.index.find(message.as_bytes(), |at| {
            let row = self.rows.get(at)?;
            row.template.read(message).map(|values| (row, values))
        })
    }

    /// Whether some row begins as `message` does.
    pub(super) fn may_find(&self, message: &str) -> bool {
        self.index.find(message.as_bytes(), Some).is_some()
    }

    /// Whether a wording of success is known for `release`.
    pub(super) fn knows_success_of(&self, release: Release) -> bool {
        self.rows.iter().any(|row| row.kind == Kind::Completed && row.releases.contain(release))
    }
}

impl Row {
    fn compile(file: &'static str, raw: &RawRow) -> Result<Self, String> {
        if raw.samples.is_empty() {
            return Err("it needs a sample".to_owned());
        }
        let process = raw.process.clone().unwrap_or_else(|| BACKUPD.to_owned());
        if process != BACKUPD && raw.meaning != Kind::Noise {
            return Err("what other processes say is never about a backup".to_owned());
        }
        Ok(Self {
            file,
            template: Template::compile(&raw.template)?,
            kind: raw.meaning,
            releases: Releases::parse(&raw.macos)?,
            evidence: raw.evidence,
            phase: raw.phase.as_deref().map(Phase::new),
            process,
            trigger: raw.trigger.map(|trigger| match trigger {
                RawTrigger::Manual => Trigger::Manual,
                RawTrigger::Automatic => Trigger::Automatic,
            }),
            link: raw.link.map(|link| match link {
                RawLink::Local => DestinationKind::Local,
                RawLink::Network => DestinationKind::Network,
            }),
            after_thinning: raw.after_thinning,
            first: raw.first,
            samples: raw.samples.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
