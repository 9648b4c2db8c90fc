//! The calls that are made, with exactly these arguments, so that a recording made elsewhere answers them.

use std::time::Duration;

use crate::ports::Call;

/// How long tools may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// For `tmutil`, which may wait for a disk or a server.
    pub tmutil: Duration,
    /// For tools that only read tables.
    pub other: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self::for_tmutil(Duration::from_secs(20))
    }
}

impl Deadlines {
    /// Deadlines in proportion to the one for `tmutil`: others get half of it.
    pub fn for_tmutil(deadline: Duration) -> Self {
        Self { tmutil: deadline, other: deadline / 2 }
    }

    /// `tmutil status -X`
    pub fn status(&self) -> Call {
        self.call_tmutil(&["status", "-X"])
    }

    /// `tmutil destinationinfo -X`
    pub fn destinationinfo(&self) -> Call {
        self.call_tmutil(&["destinationinfo", "-X"])
    }

    /// `tmutil startbackup`, to one destination or to the next one in macOS's order.
    pub fn startbackup(&self, destination_id: Option<&str>) -> Call {
        match destination_id {
            Some(id) => self.call_tmutil(&["startbackup", "--destination", id]),
            None => self.call_tmutil(&["startbackup"]),
        }
    }

    /// `tmutil stopbackup`
    pub fn stopbackup(&self) -> Call {
        self.call_tmutil(&["stopbackup"])
    }

    /// `sw_vers`: the macOS version and build.
    pub fn sw_vers(&self) -> Call {
        Call::new("sw_vers", &[], self.other)
    }

    /// `sysctl -n KEY`
    pub fn sysctl(&self, key: &str) -> Call {
        Call::new("sysctl", &["-n", key], self.other)
    }

    fn call_tmutil(&self, args: &[&str]) -> Call {
        Call::new("tmutil", args, self.tmutil)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_are_exactly_these() {
        let calls = Deadlines::default();
        let lines = [
            calls.status(),
            calls.destinationinfo(),
            calls.startbackup(None),
            calls.startbackup(Some("1B2C")),
            calls.stopbackup(),
            calls.sw_vers(),
            calls.sysctl("hw.model"),
        ]
        .map(|call| call.command_line());
        assert_eq!(
            lines,
            [
                "tmutil status -X",
                "tmutil destinationinfo -X",
                "tmutil startbackup",
                "tmutil startbackup --destination 1B2C",
                "tmutil stopbackup",
                "sw_vers",
                "sysctl -n hw.model",
            ]
        );
    }

    #[test]
    fn other_tools_get_half_the_time() {
        let usual = Deadlines::default();
        assert_eq!((usual.status().deadline.as_secs(), usual.sw_vers().deadline.as_secs()), (20, 10));
        assert_eq!(Deadlines::for_tmutil(Duration::from_millis(300)).sw_vers().deadline, Duration::from_millis(150));
    }
}
