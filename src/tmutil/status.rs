//! `tmutil status`, with `-X` or without, of every macOS so far.
//!
//! The verb is private and undocumented, and its keys changed their meaning over the years. Which meaning they have is told
//! by the keys present (the first rule that fits):
//!
//! 1. `attemptOptions`: era D.
//! 2. a key of the engine that copies without sizing first (`sizingFreePreflight`, `EventFractionOfTotalProgressBar`,
//!    `FractionOfProgressBar`, `FractionDone`, `ChangedItemCount`): era C if `Stopping` or one of the first two is there,
//!    which 15 and later have lost, else D.
//! 3. `Progress` without a `Percent` of its own, beside a `Percent` at top level: era A.
//! 4. `Progress` with a `Percent` inside: era B with `Stopping`, else D.
//! 5. a running backup in a named phase without `Stopping`: era D.
//! 6. anything else, as at idle: not told, and nothing depends on it.
//!
//! Evidence: captures of 10.13, 10.14, 11 (or 10.15), 12, 13, 15 and 26; none of 14. In eras A and B `_raw_totalBytes` is what is
//! to be copied (Percent = bytes / total to the last digit in captures); from era C on it is the size of the whole source,
//! and no key tells what is to be copied.

use crate::apple::property_list::{self, ReadError};
use crate::apple::value::Value;
use crate::domain::phase::Phase;
use crate::domain::sample::{Counters, Era, Sample};

/// Why an output is no usable status.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StatusError {
    /// There is nothing in it.
    #[error("the status is empty")]
    Empty,
    /// It ends too early.
    #[error("the status is cut short in line {line}")]
    CutShort {
        /// The last line, from 1.
        line: usize,
        /// What could be read before the cut, if that tells anything.
        partial: Option<Box<Sample>>,
    },
    /// It is something else, or damaged; says what was found.
    #[error("the status is not a property list: {0}")]
    NotAPropertyList(String),
    /// It is a property list about something else.
    #[error("a property list, but not a status: it has neither Running nor BackupPhase")]
    NotAStatus,
}

/// How the value of a key has to read.
#[derive(Clone, Copy)]
enum Form {
    Flag,
    Count,
    Real,
    Text,
    Dict,
    /// Known, its value means nothing to us.
    Any,
}

impl Form {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Flag => value.as_bool().is_some(),
            Self::Count => value.as_u64().is_some(),
            Self::Real => value.as_f64().is_some(),
            Self::Text => value.as_str().is_some(),
            Self::Dict => value.as_dict().is_some(),
            Self::Any => true,
        }
    }
}

/// The keys at top level.
const TOP: &[(&str, Form)] = &[
    ("Running", Form::Flag),
    ("Stopping", Form::Flag),
    ("FirstBackup", Form::Flag),
    ("BackupPhase", Form::Text),
    ("ClientID", Form::Any),
    ("DateOfStateChange", Form::Any),
    ("DestinationID", Form::Text),
    ("DestinationMountPoint", Form::Text),
    ("Percent", Form::Real),
    ("_raw_Percent", Form::Real),
    ("ChangedItemCount", Form::Count),
    ("FractionDone", Form::Real),
    ("FractionOfProgressBar", Form::Real),
    ("EventFractionOfTotalProgressBar", Form::Real),
    ("sizingFreePreflight", Form::Any),
    ("attemptOptions", Form::Any),
    ("Progress", Form::Dict),
];

/// The keys inside `Progress`.
const PROGRESS: &[(&str, Form)] = &[
    ("bytes", Form::Count),
    ("totalBytes", Form::Count),
    ("_raw_totalBytes", Form::Count),
    ("files", Form::Count),
    ("totalFiles", Form::Count),
    ("TimeRemaining", Form::Real),
    ("Percent", Form::Real),
    ("_raw_Percent", Form::Real),
    ("sizingFreePreflight", Form::Any),
];

/// Reads the output of `tmutil status`, whatever its form.
pub fn parse_status(bytes: &[u8]) -> Result<Sample, StatusError> {
    match property_list::read(bytes) {
        Ok(list) => sample(&list).ok_or(StatusError::NotAStatus),
        Err(ReadError::Empty) => Err(StatusError::Empty),
        Err(ReadError::Cut { line, partial }) => {
            let partial = partial.as_ref().and_then(sample).map(|sample| Box::new(without_era(sample)));
            Err(StatusError::CutShort { line, partial })
        }
        Err(ReadError::NotAPropertyList(why)) => Err(StatusError::NotAPropertyList(why)),
    }
}

/// The keys that tell the era may stand behind the cut.
fn without_era(mut sample: Sample) -> Sample {
    sample.era = None;
    if let Some(counters) = &mut sample.counters {
        counters.bytes_to_copy = None;
        counters.items_to_copy = None;
    }
    sample
}

/// Reads a status out of its dictionary; `None` if it holds neither `Running` nor `BackupPhase`.
pub fn sample(list: &Value) -> Option<Sample> {
    let phase = text(list, "BackupPhase").map(Phase::new);
    let running = list.get("Running").and_then(Value::as_bool).or_else(|| phase.as_ref().map(|_| true))?;
    let era = running.then(|| era(list)).flatten();
    let progress = list.get("Progress").filter(|progress| progress.as_dict().is_some());
    let copying = running && (progress.is_some() || phase.as_ref().is_some_and(Phase::is_copying));
    let percent = progress.and_then(|progress| progress.get("Percent")).or_else(|| list.get("Percent"));
    Some(Sample {
        running,
        stopping: flag(list, "Stopping"),
        era,
        destination_id: text(list, "DestinationID").map(str::to_ascii_uppercase),
        mount_point: text(list, "DestinationMountPoint").map(str::to_owned),
        first_backup: flag(list, "FirstBackup"),
        counters: progress.map(|progress| counters(progress, era)),
        percent: percent.filter(|_| copying).and_then(fraction),
        phase_fraction: list.get("FractionDone").and_then(fraction),
        changed_items: list.get("ChangedItemCount").and_then(Value::as_u64),
        unknown: unknown(list, progress),
        phase,
    })
}

/// The rule at the head of this file.
fn era(list: &Value) -> Option<Era> {
    let progress = list.get("Progress");
    let inside = |key: &str| progress.is_some_and(|progress| progress.get(key).is_some());
    let top = |key: &str| list.get(key).is_some();
    let has = |key: &str| top(key) || inside(key);
    if has("attemptOptions") {
        return Some(Era::D);
    }
    if has("sizingFreePreflight") || has("EventFractionOfTotalProgressBar") {
        return Some(Era::C);
    }
    let with_stopping = |era: Era| if top("Stopping") { era } else { Era::D };
    if ["FractionOfProgressBar", "FractionDone", "ChangedItemCount"].into_iter().any(top) {
        return Some(with_stopping(Era::C));
    }
    match progress {
        Some(_) if inside("Percent") => Some(with_stopping(Era::B)),
        Some(_) if top("Percent") => Some(Era::A),
        None if top("BackupPhase") && !top("Stopping") => Some(Era::D),
        _ => None,
    }
}

fn counters(progress: &Value, era: Option<Era>) -> Counters {
    let count = |key: &str| progress.get(key).and_then(Value::as_u64);
    // A total of nought is one that isn't known yet.
    let total = |key: &str| count(key).filter(|&total| total > 0);
    let (bytes_to_copy, items_to_copy) = match era {
        // The padded total of era A is no stand-in for the raw one.
        Some(Era::A) => (total("_raw_totalBytes"), total("totalFiles")),
        Some(Era::B) => (total("_raw_totalBytes").or_else(|| total("totalBytes")), total("totalFiles")),
        _ => (None, None),
    };
    Counters {
        bytes: count("bytes"),
        items: count("files"),
        bytes_to_copy,
        items_to_copy,
        remaining_s: progress.get("TimeRemaining").and_then(Value::as_f64),
    }
}

/// A share of 1. Apple's -1 stands for unknown; more than 1 has been seen and is shown as 1.
fn fraction(value: &Value) -> Option<f64> {
    value.as_f64().filter(|&share| share >= 0.0).map(|share| share.min(1.0))
}

fn flag(list: &Value, key: &str) -> bool {
    list.get(key).and_then(Value::as_bool).unwrap_or(false)
}

fn text<'a>(list: &'a Value, key: &str) -> Option<&'a str> {
    list.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Keys that the tables don't hold, and values that don't read as they should.
fn unknown(list: &Value, progress: Option<&Value>) -> Vec<(String, String)> {
    let mut unknown = Vec::new();
    for (value, keys, prefix) in [(Some(list), TOP, ""), (progress, PROGRESS, "Progress.")] {
        for (key, value) in value.and_then(Value::as_dict).unwrap_or_default() {
            let known = keys.iter().any(|(name, form)| name == key && form.fits(value));
            if !known {
                unknown.push((format!("{prefix}{key}"), value.to_string()));
            }
        }
    }
    unknown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Sample {
        parse_status(text.as_bytes()).unwrap()
    }

    fn era_of(inner: &str) -> Option<Era> {
        read(&format!("{{ Running = 1; BackupPhase = Copying; {inner} }}")).era
    }

    #[test]
    fn the_era_is_told_by_the_keys_present() {
        assert_eq!(era_of("Percent = \"0.4\"; Progress = { bytes = 1; }; Stopping = 0;"), Some(Era::A));
        assert_eq!(era_of("Progress = { Percent = \"0.4\"; }; Stopping = 0;"), Some(Era::B));
        assert_eq!(era_of("Progress = { Percent = \"0.4\"; sizingFreePreflight = 1; }; Stopping = 0;"), Some(Era::C));
        assert_eq!(era_of("Progress = { Percent = \"0.4\"; sizingFreePreflight = 1; };"), Some(Era::C));
        assert_eq!(era_of("FractionOfProgressBar = \"0.9\"; Progress = { Percent = 1; }; Stopping = 0;"), Some(Era::C));
        assert_eq!(era_of("FractionOfProgressBar = \"0.9\"; Progress = { Percent = 1; };"), Some(Era::D));
        assert_eq!(era_of("Progress = { Percent = 1; }; attemptOptions = 1; Stopping = 0;"), Some(Era::D));
        assert_eq!(era_of("Progress = { Percent = 1; };"), Some(Era::D));
        assert_eq!(era_of("Percent = \"-1\"; Stopping = 0;"), None);
    }

    #[test]
    fn only_eras_a_and_b_tell_what_is_to_be_copied() {
        let to_copy = |inner: &str| {
            let counters = read(&format!("{{ Running = 1; BackupPhase = Copying; {inner} }}")).counters.unwrap();
            (counters.bytes_to_copy, counters.items_to_copy)
        };
        assert_eq!(
            to_copy("Percent = 0; Progress = { \"_raw_totalBytes\" = 100; totalBytes = 110; totalFiles = 9; };"),
            (Some(100), Some(9))
        );
        assert_eq!(to_copy("Percent = 0; Progress = { totalBytes = 110; };"), (None, None));
        assert_eq!(to_copy("Stopping = 0; Progress = { Percent = 0; totalBytes = 100; };"), (Some(100), None));
        assert_eq!(to_copy("Stopping = 0; Progress = { Percent = 0; totalBytes = 0; };"), (None, None));
        assert_eq!(
            to_copy("Progress = { Percent = 0; \"_raw_totalBytes\" = 100; totalBytes = 100; totalFiles = 9; };"),
            (None, None)
        );
    }

    #[test]
    fn what_apple_does_not_know_is_unknown() {
        assert_eq!(read("{ Running = 0; Percent = 1; }").percent, None, "left over from the backup before");
        assert_eq!(read("{ Running = 1; BackupPhase = Copying; Percent = \"-1\"; }").percent, None);
        assert_eq!(read("{ Running = 1; BackupPhase = Starting; Percent = 0; }").percent, None);
        assert_eq!(
            read("{ Running = 1; BackupPhase = Copying; Progress = { Percent = \"1.01\"; }; }").percent,
            Some(1.0)
        );
    }

    #[test]
    fn what_is_not_understood_is_carried_along() {
        let sample = read(
            "{ Running = 1; BackupPhase = SealingTheBackup; Seals = ( a, b ); ChangedItemCount = many; Progress = { hue = \"0.5\"; files = \"-3\"; }; }",
        );
        let unknown: Vec<_> = sample.unknown.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(unknown, ["Seals=(a, b)", "ChangedItemCount=many", "Progress.hue=0.5", "Progress.files=-3"]);
        assert_eq!(sample.items(), None);
        assert_eq!(sample.phase, Some(Phase::new("SealingTheBackup")));
    }

    #[test]
    fn each_cause_has_its_own_error() {
        assert_eq!(parse_status(b"\n"), Err(StatusError::Empty));
        assert_eq!(parse_status(b"{ ClientID = x; }"), Err(StatusError::NotAStatus));
        assert_eq!(parse_status(b"{ Running = perhaps; }"), Err(StatusError::NotAStatus));
        assert!(matches!(parse_status(b"No such verb"), Err(StatusError::NotAPropertyList(_))));
        let Err(StatusError::CutShort { line: 3, partial: Some(partial) }) =
            parse_status(b"Backup session status:\n{\n BackupPhase = Copying; Runn")
        else {
            panic!("not told as cut")
        };
        assert!(partial.is_copying());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..120), body in "[A-Za-z{}()=;\" 0-9-]{0,80}") {
            _ = parse_status(&bytes);
            _ = parse_status(format!("{{ Running = 1; Progress = {{ {body}").as_bytes());
        }
    }
}
