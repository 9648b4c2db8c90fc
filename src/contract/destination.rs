//! A destination, within a backup and in the list of destinations.

use serde::{Deserialize, Serialize};

use super::Invalid;
use super::link::InterfaceJson;
use super::words::Word;
use crate::domain::destination::{Destination, DestinationKind};
use crate::domain::link::Link;

/// The destination of a backup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct DestinationJson {
    pub id: Option<String>,
    pub name: Option<String>,
    pub kind: Option<String>,
    pub mount_point: Option<String>,
    pub url: Option<String>,
    pub bsd_name: Option<String>,
}

/// A row of `destinations`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct DestinationRow {
    #[serde(flatten)]
    pub destination: DestinationJson,
    pub quota_bytes: Option<u64>,
    pub last_used: bool,
    pub interfaces: Vec<InterfaceJson>,
}

impl DestinationRow {
    /// A destination with the links that lead to it; none means not looked at.
    pub fn new(destination: &Destination, links: &[Link]) -> Self {
        Self {
            destination: destination.into(),
            quota_bytes: destination.quota_bytes,
            last_used: destination.last_used,
            interfaces: links.iter().map(InterfaceJson::from).collect(),
        }
    }
}

/// A row of `explained`: what a saved answer of a tool says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "docs/interfaces.md describes the keys")]
pub struct ExplainedRow {
    pub file: String,
    pub tool: String,
    pub interfaces: Vec<InterfaceJson>,
    pub notes: Vec<String>,
}

impl ExplainedRow {
    /// What the answer of `tool` that was saved as `file` says.
    pub fn new(file: &str, tool: &str, links: &[Link], notes: &[String]) -> Self {
        Self {
            file: file.to_owned(),
            tool: tool.to_owned(),
            interfaces: links.iter().map(InterfaceJson::from).collect(),
            notes: notes.to_vec(),
        }
    }
}

/// A path without the UUIDs in it: where Time Machine mounts a share out of sight, one is a part of the path.
fn without_uuids(path: &str) -> String {
    let is_uuid = |part: &str| {
        let groups: Vec<&str> = part.split('-').collect();
        groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
            && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    let parts = path.split('/').map(|part| if is_uuid(part) { "…" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

impl From<&Destination> for DestinationJson {
    fn from(destination: &Destination) -> Self {
        Self {
            id: destination.id.clone(),
            name: destination.name.clone(),
            kind: destination.kind.map(Word::word),
            mount_point: destination.mount_point.as_deref().map(without_uuids),
            url: destination.url.clone(),
            bsd_name: destination.bsd_name.clone(),
        }
    }
}

impl TryFrom<DestinationJson> for Destination {
    type Error = Invalid;

    fn try_from(json: DestinationJson) -> Result<Self, Invalid> {
        Ok(Self {
            id: json.id,
            name: json.name,
            kind: json.kind.map(|word| DestinationKind::parse("destination.kind", &word)).transpose()?,
            mount_point: json.mount_point,
            url: json.url,
            bsd_name: json.bsd_name,
            quota_bytes: None,
            last_used: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_uuid_is_told_in_a_path() {
        let hidden = "/Volumes/.timemachine/nas.local/0B1C2D3E-4F50-6172-8394-A5B6C7D8E9F0/TM";
        assert_eq!(without_uuids(hidden), "/Volumes/.timemachine/nas.local/…/TM");
        assert_eq!(without_uuids("/Volumes/a-b-c-d-e"), "/Volumes/a-b-c-d-e");
    }

    #[test]
    fn a_row_has_every_key_in_order() {
        let row = DestinationRow::new(&Destination::default(), &[]);
        assert_eq!(
            serde_json::to_string(&row).unwrap(),
            r#"{"id":null,"name":null,"kind":null,"mount_point":null,"url":null,"bsd_name":null,"quota_bytes":null,"last_used":false,"interfaces":[]}"#
        );
    }
}
