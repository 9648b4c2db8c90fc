//! tmgauge measures Apple Time Machine backups.

pub mod apple;
pub mod contract;
pub mod domain;
pub mod error;
pub mod logs;
pub mod ports;
pub mod report;
pub mod tmutil;
