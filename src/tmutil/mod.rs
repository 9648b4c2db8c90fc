//! `tmutil`: the calls that are made, why one may be refused, and what its answers say.

pub mod calls;
pub mod destinations;
#[cfg(test)]
mod fixtures;
pub mod judge;
pub mod recognise;
pub mod select;
pub mod status;
