//! The clocks of this machine.

use std::time::Duration;

use chrono::Local;
use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::ports::{Clock, Now};

/// Counts sleep: on Linux the boot clock, on macOS the monotonic one.
#[cfg(target_os = "linux")]
const ELAPSED: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const ELAPSED: ClockId = ClockId::Monotonic;

/// The system's clocks, counted from when this was made.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    elapsed: Duration,
    awake: Duration,
}

impl SystemClock {
    /// Begins to count.
    pub fn start() -> Self {
        Self { elapsed: read(ELAPSED), awake: awake() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Now {
        Now {
            elapsed: read(ELAPSED).saturating_sub(self.elapsed),
            awake: awake().saturating_sub(self.awake),
            wall: Local::now().fixed_offset(),
        }
    }
}

fn read(clock: ClockId) -> Duration {
    duration(clock_gettime(clock))
}

fn duration(time: Timespec) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanos)
}

/// Time without sleep. Linux's monotonic clock stands while it sleeps.
#[cfg(target_os = "linux")]
fn awake() -> Duration {
    read(ClockId::Monotonic)
}

/// Time without sleep. Rust's own instants stand while a Mac sleeps (`CLOCK_UPTIME_RAW`), and rustix doesn't offer that clock.
#[cfg(not(target_os = "linux"))]
fn awake() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}
