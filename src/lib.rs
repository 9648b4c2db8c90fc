//! tmgauge measures Apple Time Machine backups.

pub mod apple;
pub mod domain;
pub mod error;
pub mod links;
pub mod ports;
pub mod tmutil;
