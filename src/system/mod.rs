//! The real doors to the system, and recordings of them.

pub mod recording;
