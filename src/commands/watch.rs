//! `watch`: measures backups that something else starts.

use super::Output;
use super::observing::{Observing, Show};
use crate::cli::WatchArgs;
use crate::error::Exit;
use crate::observe::Task;

/// Measures the backup that runs, the next one, or each.
pub(super) fn watch(args: &WatchArgs, output: &Output) -> anyhow::Result<Exit> {
    let mut observing = Observing::new(&args.tools, &args.pace, output, Show::EachAtLength)?;
    let task = Task::Watch { wait: args.wait, forever: args.forever };
    let result = observing.observe(&task, args.pace.until_idle);
    observing.conclude(result)
}
