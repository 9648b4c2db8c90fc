//! A saved output of `tmutil` as a source.

use std::time::Duration;

use super::{Fault, Gathered};
use crate::domain::reconcile::{Context, settle};
use crate::domain::time::Moment;
use crate::domain::timeline::{Input, Timeline};
use crate::tmutil::destinations::parse_destinations;
use crate::tmutil::recognise::Output;
use crate::tmutil::status::{StatusError, parse_status};

pub(super) fn read(name: &str, bytes: &[u8], output: &Output, gathered: &mut Gathered) {
    match output {
        Output::Status => status(name, bytes, gathered),
        Output::Destinations => match parse_destinations(bytes) {
            Ok(destinations) if destinations.is_empty() => {
                gathered.trouble(name, Fault::NotASource("a list of no destinations: none is configured".to_owned()));
            }
            Ok(destinations) => gathered.destinations.extend(destinations),
            Err(error) => gathered.trouble(name, Fault::Damaged(error.to_string())),
        },
        Output::CurrentPhase(None) => gathered.trouble(name, Fault::Idle),
        other => gathered.trouble(name, Fault::NotASource(other.describe())),
    }
}

fn status(name: &str, bytes: &[u8], gathered: &mut Gathered) {
    let sample = match parse_status(bytes) {
        Ok(sample) if sample.running => sample,
        Ok(_) => return gathered.trouble(name, Fault::Idle),
        Err(error @ StatusError::NotAStatus) => {
            return gathered.trouble(name, Fault::NotASource(error.to_string()));
        }
        Err(error) => return gathered.trouble(name, Fault::Damaged(error.to_string())),
    };
    let mut timeline = Timeline::new(Duration::MAX);
    timeline.push(Moment::default(), &Input::Sample(sample));
    for mut reading in timeline.finish() {
        // One moment tells of no stalls.
        reading.stalls = None;
        gathered.backups.push(settle(&reading, Context::default(), |_| None));
    }
}
