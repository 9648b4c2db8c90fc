//! What `summary` and `compare` add to the JSON, and the rows of the summary's CSV.

use std::io;

use serde::Serialize;
use serde_json::Value;

use super::number::finite;
use crate::domain::compare::{Check, Refusal, Side, Verdict};
use crate::domain::stats::{Class, Group, Spread, Statistics};
use crate::domain::units::BitRate;

/// A group of backups: `groups` of `summary`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct GroupJson {
    pub by: String,
    pub key: Option<String>,
    pub name: Option<String>,
    pub backups: String,
    pub n: usize,
    pub negotiated_bps: Option<f64>,
    pub median: MedianJson,
    pub spread: Option<SpreadJson>,
    pub total: TotalJson,
    pub relative: Option<f64>,
}

/// Medians, each of its own column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct MedianJson {
    pub bytes: Option<f64>,
    pub duration_s: Option<f64>,
    pub effective_bps: Option<f64>,
    pub copy_bps: Option<f64>,
    pub of_negotiated: Option<f64>,
    pub of_practical: Option<f64>,
}

/// The spread of the effective throughput: `p10-p90` or `min-max`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct SpreadJson {
    pub kind: &'static str,
    pub low_bps: f64,
    pub high_bps: f64,
}

/// All of a group together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "docs/scripting.md describes the keys")]
pub struct TotalJson {
    pub bytes: u64,
    pub duration_s: f64,
    pub bps: Option<f64>,
}

impl From<Spread> for SpreadJson {
    fn from(spread: Spread) -> Self {
        let kind = if spread.percentiles { "p10-p90" } else { "min-max" };
        Self { kind, low_bps: spread.low, high_bps: spread.high }
    }
}

impl GroupJson {
    /// A group of those by which was grouped.
    pub fn new(group: &Group, by: &str) -> Self {
        let number = |number: Option<f64>| number.and_then(finite);
        Self {
            by: by.to_owned(),
            key: group.key.clone(),
            name: group.name.clone(),
            backups: group.class.word().to_owned(),
            n: group.n,
            negotiated_bps: number(group.negotiated_bps),
            median: MedianJson {
                bytes: number(group.bytes),
                duration_s: number(group.duration_s),
                effective_bps: number(group.effective_bps),
                copy_bps: number(group.copy_bps),
                of_negotiated: number(group.of_negotiated),
                of_practical: number(group.of_practical),
            },
            spread: group.spread.map(SpreadJson::from),
            total: TotalJson {
                bytes: group.total_bytes,
                duration_s: group.total_duration.as_secs_f64(),
                bps: group.total_rate().map(BitRate::bps),
            },
            relative: number(group.relative),
        }
    }
}

/// The groups as the envelope holds them.
pub fn rows(statistics: &Statistics, by: &str) -> Vec<Value> {
    let json = |group| serde_json::to_value(GroupJson::new(group, by)).ok();
    statistics.groups.iter().filter_map(json).collect()
}

/// Columns of the summary's CSV: dotted paths of the JSON.
pub const COLUMNS: &[&str] = &[
    "by",
    "key",
    "name",
    "backups",
    "n",
    "negotiated_bps",
    "median.bytes",
    "median.duration_s",
    "median.effective_bps",
    "median.copy_bps",
    "median.of_negotiated",
    "median.of_practical",
    "spread.kind",
    "spread.low_bps",
    "spread.high_bps",
    "total.bytes",
    "total.duration_s",
    "total.bps",
    "relative",
];

/// Writes the groups as CSV; what is not known is empty.
pub fn write_csv(statistics: &Statistics, by: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for row in rows(statistics, by) {
        writer.write_record(COLUMNS.iter().map(|path| cell(&row, path)))?;
    }
    writer.flush()
}

fn cell(row: &Value, path: &str) -> String {
    match path.split('.').try_fold(row, |value, key| value.get(key)) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// `comparison` of `compare`. `labels` name the sides in order.
pub fn comparison(
    labels: &[String],
    sides: &[Side<'_>],
    min_bytes: u64,
    checks: &[Check],
    verdict: Option<&Verdict>,
    sentence: &str,
) -> Value {
    let sides: Vec<Value> = labels
        .iter()
        .zip(sides)
        .map(|(label, side)| {
            let groups: Vec<Value> = Class::ALL
                .iter()
                .filter_map(|class| side.group(*class, min_bytes))
                .filter_map(|group| serde_json::to_value(GroupJson::new(&group, "side")).ok())
                .collect();
            serde_json::json!({"side": label, "source": side.label, "n": side.backups.len(), "groups": groups})
        })
        .collect();
    let checks: Vec<Value> = checks
        .iter()
        .map(|check| serde_json::json!({"aspect": check.aspect.word(), "judgement": check.judgement.word()}))
        .collect();
    serde_json::json!({
        "sides": sides,
        "checks": checks,
        "verdict": verdict.map(|verdict| verdict_json(verdict, labels)),
        "sentence": sentence,
    })
}

fn verdict_json(verdict: &Verdict, labels: &[String]) -> Value {
    let label = |place: usize| labels.get(place).cloned();
    match verdict {
        Verdict::Refused(refusal) => {
            let (why, what): (&str, Vec<String>) = match refusal {
                Refusal::NoRate(places) => ("no-rate", places.iter().filter_map(|place| label(*place)).collect()),
                Refusal::Kinds => ("first-and-later", vec![]),
                Refusal::Differ(aspects) => ("differ", aspects.iter().map(|aspect| aspect.word().to_owned()).collect()),
            };
            serde_json::json!({"kind": "refused", "why": why, "what": what})
        }
        Verdict::Faster { fastest, times, equal, reservations } => {
            let times: Vec<Value> = times
                .iter()
                .map(|(place, times)| serde_json::json!({"side": label(*place), "times": finite(*times)}))
                .collect();
            let reservations: Vec<&str> = reservations.iter().map(|check| check.aspect.word()).collect();
            let kind = if *equal { "equal" } else { "faster" };
            serde_json::json!({"kind": kind, "fastest": label(*fastest), "times": times, "reservations": reservations})
        }
    }
}
