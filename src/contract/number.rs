//! Numbers as they are written.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time as seconds, to the millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(pub Duration);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let millis = self.0.saturating_add(Duration::from_micros(500)).as_millis();
        #[expect(clippy::cast_precision_loss, reason = "exact up to 285,000 years")]
        serializer.serialize_f64(millis as f64 / 1000.0)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        // By milliseconds, so that what was written comes back to the digit.
        Duration::try_from_secs_f64((seconds * 1000.0).round())
            .map(|thousandfold| Self(thousandfold / 1000))
            .map_err(serde::de::Error::custom)
    }
}

/// A reading of a run's clock, in seconds with all its digits: what is folded again must give the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading(pub Duration);

impl Serialize for Reading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.as_secs_f64())
    }
}

impl<'de> Deserialize<'de> for Reading {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map(Self).map_err(serde::de::Error::custom)
    }
}

/// Keeps a number that JSON can hold.
pub(super) fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_at_most_three_decimals() {
        for (nanos, text) in
            [(2_311_400_000_000, "2311.4"), (1_499_600, "0.001"), (0, "0.0"), (2_520_000_000_000, "2520.0")]
        {
            assert_eq!(serde_json::to_string(&Seconds(Duration::from_nanos(nanos))).unwrap(), text);
        }
        assert!(serde_json::to_string(&Seconds(Duration::MAX)).is_ok());
    }

    #[test]
    fn negative_and_endless_times_are_refused() {
        for text in ["-1", "1e300", "null", "\"1\""] {
            assert!(serde_json::from_str::<Seconds>(text).is_err(), "{text}");
            assert!(serde_json::from_str::<Reading>(text).is_err(), "{text}");
        }
    }
}
