//! How long each thing is waited for. All waits scale with the deadline of `tmutil`, so that one flag slows or hurries
//! everything.

use std::time::Duration;

use crate::tmutil::calls::Deadlines;

/// The deadline of `tmutil` that the other waits are set for.
const TMUTIL: Duration = Duration::from_secs(20);

/// The waits of an observing.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the answers of tools.
    pub deadlines: Deadlines,
    /// For the log stream's first word.
    pub preamble: Duration,
    /// For the backup to begin after the start command.
    pub start: Duration,
    /// For lines of the log after the end.
    pub tail: Duration,
    /// For more lines of a log record of text.
    pub record: Duration,
    /// For a usable status.
    pub silence: Duration,
    /// Between two starts of a log stream that ends.
    pub restart: Duration,
}

impl Patience {
    /// The waits for a deadline of `tmutil`; `None` for the usual ones.
    pub fn new(deadline: Option<Duration>) -> Self {
        let tmutil = deadline.unwrap_or(TMUTIL);
        let scaled = |seconds: u32| tmutil * seconds / 20;
        Self {
            deadlines: Deadlines::for_tmutil(tmutil),
            preamble: scaled(3),
            start: scaled(60),
            tail: scaled(10),
            record: scaled(1),
            silence: scaled(300),
            restart: scaled(5),
        }
    }
}
