//! The snapshots of a destination: one that was not there before proves that a backup was completed.

use std::time::Duration;

use chrono::{NaiveDateTime, TimeDelta};

use super::observer::Observer;
use crate::apple::plist;
use crate::apple::value::Value;
use crate::domain::backup::{Outcome, Source};
use crate::domain::reading::Reading;
use crate::ports::Call;

/// So long after the end a snapshot's stamp may lie.
const AFTER_END: TimeDelta = TimeDelta::seconds(60);

/// Asks for the names of the backups on a volume; `None` if that can't be learnt. Never while a backup runs.
pub(super) fn backups(observer: &mut Observer<'_>, bsd_name: &str, since: Duration) -> Option<Vec<String>> {
    let args = ["apfs", "listSnapshots", "-plist", bsd_name];
    let call = Call::new("diskutil", &args, observer.patience.deadlines.other);
    let answer = observer.mac.run(&call);
    // An older answer of a recording says nothing of now.
    (answer.succeeded() && answer.started >= since).then(|| names(&answer.stdout))
}

/// The names of backups in an answer of `diskutil apfs listSnapshots`: `com.apple.TimeMachine.STAMP.backup`. Those of a source
/// end in `.local`.
fn names(answer: &[u8]) -> Vec<String> {
    let Ok(answer) = plist::parse(answer) else { return Vec::new() };
    let list = answer.get("Snapshots").and_then(Value::as_array).unwrap_or_default();
    let name = |snapshot: &Value| snapshot.get("SnapshotName").and_then(Value::as_str).map(str::to_owned);
    list.iter().filter_map(name).filter(|name| stamp(name).is_some()).collect()
}

/// The local time at which a backup was finished, by its name.
fn stamp(name: &str) -> Option<NaiveDateTime> {
    let stamp = name.strip_prefix("com.apple.TimeMachine.")?.strip_suffix(".backup")?;
    NaiveDateTime::parse_from_str(stamp, "%Y-%m-%d-%H%M%S").ok()
}

/// Takes a new backup on the destination, finished inside the run, for the outcome that the log did not tell.
pub(super) fn confirm(reading: &mut Reading, before: &[String], after: &[String]) {
    if reading.outcome.0 != Outcome::Unknown {
        return;
    }
    let (Some((start, _)), Some((end, _))) = (reading.started, reading.ended) else { return };
    let (Some(start), Some(end)) = (start.zoned(), end.zoned()) else { return };
    let inside = |at: NaiveDateTime| at >= start.naive_local() && at <= end.naive_local() + AFTER_END;
    if after.iter().any(|name| !before.contains(name) && stamp(name).is_some_and(inside)) {
        reading.outcome = (Outcome::Completed, Some(Source::Snapshot));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_backups_have_a_stamp() {
        assert!(stamp("com.apple.TimeMachine.2026-01-05-101500.backup").is_some());
        assert!(stamp("com.apple.TimeMachine.2026-01-05-101500.local").is_none());
        assert!(stamp("com.apple.TimeMachine.yesterday.backup").is_none());
        assert!(stamp("com.apple.os.update-1A2B").is_none());
    }
}
