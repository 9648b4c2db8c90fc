//! The real doors to the system, and recordings of them.

pub mod clock;
pub mod inbox;
pub mod process;
pub mod recording;
