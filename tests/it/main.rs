//! The tests that run the whole program or look at the whole tree.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;
mod compare;
mod docs;
mod doors;
mod formats;
mod interfaces;
mod keeping;
mod layers;
mod log_formats;
mod mac;
mod observing;
mod past_logs;
mod processes;
mod recordings;
mod whole;
