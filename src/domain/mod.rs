//! Values and arithmetic; std and chrono only.

pub mod backup;
pub mod destination;
pub mod event;
pub mod link;
pub mod phase;
pub mod progress;
pub mod sample;
pub mod time;
pub mod units;
