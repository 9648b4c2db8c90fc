//! What every format yields.

use super::stamp::Stamp;

/// What a log says at one point: who said what, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// When, as far as the record itself tells.
    pub at: Option<Stamp>,
    /// The host, where the log names one. In `log show` it is always `localhost`.
    pub host: Option<&'a str>,
    /// The name, the label or the path of the process.
    pub process: Option<&'a str>,
    /// Its ID.
    pub pid: Option<u64>,
    /// How grave, in the log's own words: `Info`, `Error`, `E`.
    pub level: Option<&'a str>,
    /// The subsystem, such as `com.apple.TimeMachine`.
    pub subsystem: Option<&'a str>,
    /// The category, such as `BackupEngine`.
    pub category: Option<&'a str>,
    /// The message; may hold line breaks.
    pub message: &'a str,
}

/// What came out of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// A record.
    Entry(Entry<'a>),
    /// What `log` says before the first record.
    Preamble(&'a str),
    /// What it says after the last.
    Footer,
    /// It says that records were lost.
    Dropped,
    /// A line that cannot be read.
    Unreadable(&'a str),
}
