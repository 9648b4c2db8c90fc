//! Failures, their exit codes and how they are told.

use std::fmt;
use std::io;

macro_rules! exits {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal;)*) => {
        /// What the exit code says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Exit {
            $($(#[doc = $doc])* $name,)*
            /// Ended by a signal: 128 + its number.
            Signal(i32),
        }

        impl Exit {
            /// Every code but those of signals.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code.
            pub fn code(self) -> u8 {
                match self {
                    $(Self::$name => $code,)*
                    Self::Signal(number) => u8::try_from(128 + number).unwrap_or(u8::MAX),
                }
            }

            /// What it means.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),*).trim_ascii(),)*
                    Self::Signal(_) => "ended by a signal",
                }
            }
        }
    };
}

exits! {
    /// done
    Done = 0;
    /// wrong input or use
    Use = 1;
    /// command line not understood
    CommandLine = 2;
    /// a system tool is missing, not permitted or timed out
    Tool = 3;
    /// `run` and `watch`: the backup failed, was cancelled or did not start
    BackupFailed = 4;
    /// input unreadable or damaged; the rest is printed
    Damaged = 5;
    /// nothing found
    Nothing = 6;
    /// a check found something stale
    Stale = 7;
    /// `run` and `watch`: ended, outcome unknown
    OutcomeUnknown = 8;
    /// a bug in tmgauge
    Bug = 70;
}

impl Exit {
    /// Of several codes that apply, the one that counts.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        if other.rank() < self.rank() { other } else { self }
    }

    fn rank(self) -> u8 {
        match self {
            Self::Signal(_) => 0,
            Self::Bug => 1,
            Self::CommandLine => 2,
            Self::Use => 3,
            Self::Tool => 4,
            Self::Damaged => 5,
            Self::BackupFailed => 6,
            Self::OutcomeUnknown => 7,
            Self::Stale => 8,
            Self::Nothing => 9,
            Self::Done => 10,
        }
    }
}

/// A failure that ends a command: what was tried and why it failed, and what to do next.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What was tried, then why it failed; lower case, no full stop.
    pub message: String,
    /// What to do next, one line each.
    pub hints: Vec<String>,
}

impl Failure {
    /// A failure without a hint.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hints: Vec::new() }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Finds the exit code of an error: a `Failure` anywhere in its chain, a broken pipe (which is no failure), else a bug.
pub fn exit_of(error: &anyhow::Error) -> Exit {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.exit;
    }
    if is_broken_pipe(error) { Exit::Done } else { Exit::Bug }
}

/// Whether the reader of our output went away.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|cause| cause.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_written_order_counts() {
        assert_eq!(Exit::Done.worst(Exit::Nothing), Exit::Nothing);
        assert_eq!(Exit::Damaged.worst(Exit::BackupFailed), Exit::Damaged);
        assert_eq!(Exit::Tool.worst(Exit::Damaged), Exit::Tool);
        assert_eq!(Exit::Use.worst(Exit::Tool), Exit::Use);
        assert_eq!(Exit::OutcomeUnknown.worst(Exit::Stale), Exit::OutcomeUnknown);
        assert_eq!(Exit::Signal(2).worst(Exit::Bug).code(), 130);
    }
}
