//! The real doors to the world, and the recordings that stand in for them.

pub mod clock;
pub mod folders;
pub mod inbox;
pub mod journal;
pub mod mac;
pub mod process;
pub mod recording;
pub mod terminal;
