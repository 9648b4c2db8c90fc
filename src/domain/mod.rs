//! Values and arithmetic; std and chrono only.

pub mod attempts;
pub mod backup;
pub mod check;
pub mod compare;
pub mod destination;
pub mod event;
pub mod filter;
pub mod link;
pub mod phase;
pub mod progress;
pub mod rate;
pub mod reading;
pub mod reconcile;
pub mod sample;
pub mod stats;
pub mod time;
pub mod timeline;
pub mod units;
