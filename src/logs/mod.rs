//! What backupd logged: text to entries, entries to events.
//!
//! Two sets of tables, both data with samples that prove them. `formats/*.toml` says how a line of a log is built: when, who,
//! what text. `messages/*.toml` says what backupd's text means. A new wording is a new row there, a new kind of log a new
//! file; the build takes in whatever lies in those folders.

mod folder;
pub mod formats;
mod hole;
mod index;
mod io_test;
pub mod live;
pub mod message;
mod release;
mod result;
mod size;
mod table;
mod template;

pub use live::{Heard, LiveLog};
pub use message::{release_is_known, understand_entry};

/// The tables as they lie in the source, file name and text.
mod embedded {
    include!(concat!(env!("OUT_DIR"), "/log_tables.rs"));
}
