//! What `--format json` prints, and the lines of `--format ndjson`.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::SCHEMA;
use super::backup::{BackupJson, WarningJson};
use super::destination::DestinationRow;
use crate::domain::backup::{Backup, Warning};

/// What was read and not understood or not wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Lines.
    pub lines: u64,
    /// Whole files.
    pub files: u64,
    /// How many for which reason; the reason reads on after the number (`lines of other programs`).
    pub reasons: BTreeMap<String, u64>,
}

/// The key that one command adds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// `summary`: one object an interface.
    Groups(Vec<Value>),
    /// `compare`.
    Comparison(Value),
    /// `destinations`.
    Destinations(Vec<DestinationRow>),
    /// `doctor` and `check`.
    Checks(Vec<Value>),
    /// `bench`.
    Benches(Vec<Value>),
}

impl Section {
    /// Its objects as lines of ndjson: each carries its type first.
    pub fn lines(&self) -> Vec<Value> {
        let rows = match self {
            Self::Groups(rows) | Self::Checks(rows) | Self::Benches(rows) => rows.clone(),
            Self::Comparison(comparison) => vec![comparison.clone()],
            Self::Destinations(rows) => rows.iter().filter_map(|row| serde_json::to_value(row).ok()).collect(),
        };
        let kind = self.to_string();
        let kind = kind.strip_suffix("es").filter(|_| kind == "benches").or(kind.strip_suffix('s')).unwrap_or(&kind);
        rows.into_iter().map(|row| typed(kind, row)).collect()
    }
}

/// The object with its type in front.
fn typed(kind: &str, row: Value) -> Value {
    let mut object = serde_json::Map::new();
    object.insert("type".to_owned(), Value::from(kind));
    match row {
        Value::Object(fields) => object.extend(fields),
        other => {
            object.insert("value".to_owned(), other);
        }
    }
    Value::Object(object)
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Groups(_) => "groups",
            Self::Comparison(_) => "comparison",
            Self::Destinations(_) => "destinations",
            Self::Checks(_) => "checks",
            Self::Benches(_) => "benches",
        })
    }
}

/// The one object of `--format json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Envelope {
    schema: u32,
    backups: Vec<BackupJson>,
    skipped: Skipped,
    warnings: Vec<WarningJson>,
    #[serde(flatten)]
    section: Option<Section>,
}

impl Envelope {
    /// Puts everything a command has to say into one object.
    pub fn new(backups: &[Backup], skipped: &Skipped, warnings: &[Warning], section: Option<Section>) -> Self {
        Self {
            schema: SCHEMA,
            backups: backups.iter().map(BackupJson::from).collect(),
            skipped: skipped.clone(),
            warnings: warnings.iter().map(WarningJson::from).collect(),
            section,
        }
    }
}

/// A line of `--format ndjson` beside `backup` and `progress`, which carry their type themselves.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// What was not read.
    Skipped(Skipped),
    /// A warning that belongs to no backup.
    Warning(WarningJson),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::backup::WarningCode;

    #[test]
    fn an_envelope_always_has_its_four_keys() {
        let empty = Envelope::new(&[], &Skipped::default(), &[], None);
        assert_eq!(
            serde_json::to_string(&empty).unwrap(),
            r#"{"schema":1,"backups":[],"skipped":{"lines":0,"files":0,"reasons":{}},"warnings":[]}"#
        );
    }

    #[test]
    fn the_lines_of_a_section_carry_their_type() {
        let checks = Section::Checks(vec![serde_json::json!({"name": "log", "state": "ok"})]);
        assert_eq!(checks.lines()[0].to_string(), r#"{"type":"check","name":"log","state":"ok"}"#);
        assert_eq!(Section::Benches(vec![serde_json::json!({})]).lines()[0].to_string(), r#"{"type":"bench"}"#);
        let comparison = Section::Comparison(serde_json::json!({"n": 1}));
        assert_eq!(comparison.lines()[0].to_string(), r#"{"type":"comparison","n":1}"#);
    }

    #[test]
    fn a_command_adds_one_key() {
        for section in [
            Section::Groups(vec![]),
            Section::Comparison(Value::Null),
            Section::Destinations(vec![]),
            Section::Checks(vec![]),
            Section::Benches(vec![]),
        ] {
            let key = section.to_string();
            let envelope = Envelope::new(&[], &Skipped::default(), &[], Some(section));
            let Value::Object(object) = serde_json::to_value(envelope).unwrap() else { panic!("no object") };
            assert_eq!(object.keys().collect::<Vec<_>>(), ["schema", "backups", "skipped", "warnings", key.as_str()]);
        }
    }

    #[test]
    fn lines_name_their_type() {
        let mut skipped = Skipped { lines: 3, ..Skipped::default() };
        skipped.reasons.insert("lines of other programs".to_owned(), 3);
        assert_eq!(
            serde_json::to_string(&Line::Skipped(skipped)).unwrap(),
            r#"{"type":"skipped","lines":3,"files":0,"reasons":{"lines of other programs":3}}"#
        );
        let warning = Warning { code: WarningCode::LogGap, field: None, message: "lines are missing".to_owned() };
        assert_eq!(
            serde_json::to_string(&Line::Warning(WarningJson::from(&warning))).unwrap(),
            r#"{"type":"warning","code":"log-gap","field":null,"message":"lines are missing"}"#
        );
    }
}
