//! The tests that run the whole program or look at the whole tree.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;
mod compare;
mod docs;
mod doors;
mod formats;
mod keeping;
mod layers;
mod mac;
mod observing;
mod processes;
mod recordings;
mod whole;
