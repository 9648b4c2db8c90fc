//! The real doors to the system, and recordings of them.

pub mod clock;
pub mod folders;
pub mod inbox;
pub mod journal;
pub mod process;
pub mod recording;
pub mod terminal;
