//! tmgauge measures Apple Time Machine backups.

pub mod domain;
pub mod error;
pub mod ports;
pub mod system;
