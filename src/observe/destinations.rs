//! The configured destinations, each with the way to it.

use std::time::Duration;

use chrono::{DateTime, FixedOffset};

use super::looking::Asking;
use super::patience::Patience;
use crate::domain::destination::Destination;
use crate::domain::link::Seen;
use crate::error::{Exit, Failure};
use crate::links::{self, Look};
use crate::ports::{CallEnd, Captured, Mac};
use crate::tmutil::destinations::parse_destinations;
use crate::tmutil::status::parse_status;

/// A destination and the way to it.
#[derive(Clone, Debug)]
pub struct Way {
    /// The destination.
    pub destination: Destination,
    /// What was found.
    pub look: Look,
    /// When that was.
    pub at: DateTime<FixedOffset>,
}

impl Way {
    /// The destination with what the look told of its place.
    pub fn whole(&self) -> Destination {
        let mut whole = self.destination.clone();
        whole.mount_point = whole.mount_point.or_else(|| self.look.mounted.clone());
        whole.bsd_name = whole.bsd_name.or_else(|| self.look.bsd_name.clone());
        whole
    }
}

/// All destinations.
#[derive(Clone, Debug)]
pub struct Ways {
    /// In the order in which macOS lists them.
    pub ways: Vec<Way>,
    /// Whether only what the kernel knows was asked, and why.
    pub restricted: Option<&'static str>,
}

/// Looks at the way to each configured destination. While a backup runs, or where that can't be told, nothing is asked that
/// could touch a destination.
///
/// # Errors
/// A [`Failure`] where the list of destinations can't be had.
pub fn look(mac: &mut dyn Mac, deadline: Option<Duration>) -> Result<Ways, Failure> {
    let patience = Patience::new(deadline);
    let answer = mac.run(&patience.deadlines.destinationinfo());
    let destinations = configured(&answer)?;
    let restricted = if destinations.is_empty() { None } else { restriction(&mac.run(&patience.deadlines.status())) };
    let seen = if restricted.is_some() { Seen::During } else { Seen::Before };
    let mut ways = Vec::new();
    for destination in destinations {
        let look = links::look(&destination, seen, &mut Asking::of(&mut *mac, patience));
        ways.push(Way { destination, look, at: mac.now().wall });
    }
    Ok(Ways { ways, restricted })
}

fn configured(answer: &Captured) -> Result<Vec<Destination>, Failure> {
    const ATTEMPT: &str = "could not list the destinations";
    if answer.end == CallEnd::NotFound {
        return Err(Failure::new(Exit::Tool, format!("{ATTEMPT}: `/usr/bin/tmutil` does not exist on this system"))
            .hint("they are a Mac's; play a recording here: tmgauge destinations --replay DIR"));
    }
    if let Some(problem) = answer.problem() {
        let exit = if answer.end == CallEnd::NotRecorded { Exit::Damaged } else { Exit::Tool };
        return Err(Failure::new(exit, format!("{ATTEMPT}: `tmutil destinationinfo -X` {problem}"))
            .hint("`tmgauge doctor` checks what works here"));
    }
    parse_destinations(&answer.stdout).map_err(|error| {
        Failure::new(Exit::Damaged, format!("{ATTEMPT}: `tmutil destinationinfo -X` can't be read: {error}"))
            .hint("send the output of `tmutil destinationinfo -X` in a report")
    })
}

/// Why a destination must be left alone now. In a recording without a status nothing can be disturbed.
fn restriction(status: &Captured) -> Option<&'static str> {
    if status.end == CallEnd::NotRecorded {
        return None;
    }
    match parse_status(&status.stdout) {
        Ok(sample) if status.problem().is_none() => {
            sample.running.then_some("a backup is running, so only what touches no destination was asked")
        }
        _ => Some("whether a backup is running could not be told, so only what touches no destination was asked"),
    }
}
