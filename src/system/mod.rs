//! The real doors to the system, and recordings of them.

pub mod changes;
pub mod clock;
pub mod folders;
pub mod inbox;
pub mod journal;
pub mod past_log;
pub mod process;
pub mod recording;
pub mod terminal;
