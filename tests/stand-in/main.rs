//! Stand-ins for Apple's tools.
fn main() {}
