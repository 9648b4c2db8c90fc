//! The clocks of this machine.

use std::time::{Duration, Instant};

use chrono::Local;
use rustix::time::{ClockId, clock_gettime};

use crate::ports::{Clock, Now};

/// The clock that goes on while the machine sleeps.
#[cfg(target_os = "linux")]
const SLEEP_COUNTED: ClockId = ClockId::Boottime;
/// The clock that goes on while the machine sleeps: on macOS the monotonic one.
#[cfg(not(target_os = "linux"))]
const SLEEP_COUNTED: ClockId = ClockId::Monotonic;

/// Reads the clocks, counted from its making.
#[derive(Clone, Copy, Debug)]
pub struct RealClock {
    began: Duration,
    // `Instant` stands still while the machine sleeps, on macOS (CLOCK_UPTIME_RAW) and on Linux (CLOCK_MONOTONIC).
    began_awake: Instant,
}

impl RealClock {
    /// Starts counting.
    pub fn start() -> Self {
        Self { began: sleep_counted(), began_awake: Instant::now() }
    }

    /// Time since the start, sleep counted.
    pub fn elapsed(&self) -> Duration {
        sleep_counted().saturating_sub(self.began)
    }
}

fn sleep_counted() -> Duration {
    // Never negative: both clocks count from the start of the machine.
    Duration::try_from(clock_gettime(SLEEP_COUNTED)).unwrap_or_default()
}

impl Clock for RealClock {
    fn now(&self) -> Now {
        let elapsed = self.elapsed();
        Now { elapsed, awake: self.began_awake.elapsed().min(elapsed), wall: Local::now().fixed_offset() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_go_forward_together() {
        let clock = RealClock::start();
        let first = clock.now();
        let second = clock.now();
        assert!(first.elapsed <= second.elapsed);
        assert!(second.awake <= second.elapsed);
    }
}
