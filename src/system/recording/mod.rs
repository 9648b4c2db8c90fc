//! Recordings of what a live run saw, and the stand-ins for the doors that play them.

pub mod format;
pub mod record;
pub mod redact;
pub mod replay;
