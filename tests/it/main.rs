//! The tests that run the whole program or look at the whole tree.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;
mod doors;
mod layers;
mod log_formats;
mod past_logs;
mod recordings;
