//! Recordings: written by a decorator around a Mac, played in the place of one.

pub mod format;
pub mod record;
mod redact;
pub mod replay;
