//! `run`: starts a backup, or joins the one that runs, and measures it.

use super::Output;
use super::observing::{Observing, Show};
use crate::cli::RunArgs;
use crate::error::Exit;
use crate::observe::Task;

/// Measures one backup, or one after the other where several destinations are named.
pub(super) fn run(args: &RunArgs, output: &Output) -> anyhow::Result<Exit> {
    let wanted: Vec<Option<String>> = if args.destination.is_empty() {
        vec![None]
    } else {
        args.destination.iter().cloned().map(Some).collect()
    };
    let show = if wanted.len() == 1 { Show::EachAtLength } else { Show::AllAtTheEnd };
    let mut observing = Observing::new(&args.tools, &args.pace, output, show)?;
    let mut exit = Exit::Done;
    let last = wanted.len() - 1;
    for (i, destination) in wanted.into_iter().enumerate() {
        let task = Task::Run { destination, any: args.any, first: args.first };
        // The next one can't start before old backups are removed.
        let until_idle = args.pace.until_idle || i < last;
        match observing.observe(&task, until_idle) {
            Ok(ended) => exit = exit.worst(ended),
            Err(error) => return observing.conclude(Err(error)),
        }
        if matches!(exit, Exit::Signal(_)) {
            break;
        }
    }
    observing.conclude(Ok(exit))
}
