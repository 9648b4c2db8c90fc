//! How the lines of a log are built: `*.toml` beside this file, one per form.
//!
//! From bytes to entries: [`detect`] tells the format by trying all of them, [`LogReader`] takes the bytes and hands out
//! entries, [`Dates`] completes their times with what the whole log tells.

mod chunks;
mod dates;
mod detect;
mod entry;
mod format;
mod json;
mod loose;
mod ndjson;
mod proof;
mod quick;
mod reader;
mod stamp;
mod text;
mod user;

use std::sync::{Arc, LazyLock};

use super::embedded;

pub use dates::Dates;
pub use detect::{Detection, Order, Score, detect};
pub use entry::{Entry, Read};
pub use format::Format;
pub use reader::{LogReader, ReadOptions, Report};
pub use stamp::Stamp;
pub use user::Diagnostic;

/// The formats that are tried.
#[derive(Clone, Debug)]
pub struct Formats {
    all: Vec<Arc<Format>>,
}

/// The built-in formats.
static BUILT_IN: LazyLock<Formats> = LazyLock::new(|| {
    let load = |&(file, text): &(&str, &str)| Format::load(file, text).map(Arc::new);
    let all = embedded::FORMATS.iter().map(load).collect::<Result<_, _>>();
    Formats { all: all.expect("a test loads the built-in formats") }
});

impl Formats {
    /// The built-in formats.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Format>> {
        self.all.iter()
    }

    /// The format of that name.
    pub fn named(&self, name: &str) -> Option<&Arc<Format>> {
        self.all.iter().find(|format| format.name() == name)
    }
}

#[cfg(test)]
mod tests;
