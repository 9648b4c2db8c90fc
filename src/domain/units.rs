//! Amounts and rates. Arithmetic on them exists here and nowhere else; how they are shown is `report`'s business.

use std::time::Duration;

/// A mean rate in bits per second; finite and never negative.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct BitRate(f64);

impl BitRate {
    /// Returns the mean rate of `bytes` over `time`, or `None` if no time passed.
    pub fn mean(bytes: u64, time: Duration) -> Option<Self> {
        #[expect(clippy::cast_precision_loss, reason = "16 digits are more than any source has")]
        (!time.is_zero()).then(|| Self(bytes as f64 * 8.0 / time.as_secs_f64()))
    }

    /// Takes a rate in bits per second; `None` if it is negative or not finite.
    pub fn from_bps(bps: f64) -> Option<Self> {
        (bps.is_finite() && bps >= 0.0).then_some(Self(bps))
    }

    /// Bits per second.
    pub fn bps(self) -> f64 {
        self.0
    }

    /// Bytes per second.
    pub fn bytes_per_second(self) -> f64 {
        self.0 / 8.0
    }

    /// Returns which share of `whole` (bit/s) this rate is; `None` if `whole` is 0.
    pub fn share_of(self, whole: u64) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "link rates are far below 2^53")]
        (whole > 0).then(|| self.0 / whole as f64)
    }
}

/// How an amount relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true amount, to the byte.
    Exact,
    /// The true amount, rounded; off by at most the precision given beside it.
    Rounded,
    /// The true amount is this or more.
    AtLeast,
    /// The true amount is this or less.
    AtMost,
    /// Somebody's forecast.
    Estimate,
}

impl Bound {
    /// Whether a rate may be made of such an amount.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Exact | Self::Rounded)
    }
}

/// A number of bytes with how exact it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The bytes.
    pub bytes: u64,
    /// How they relate to the truth.
    pub bound: Bound,
    /// Half a unit of the last digit shown, for rounded amounts; 1 for exact ones.
    pub precision: Option<u64>,
}

impl Amount {
    /// An amount known to the byte.
    pub fn exact(bytes: u64) -> Self {
        Self { bytes, bound: Bound::Exact, precision: Some(1) }
    }

    /// A lower bound.
    pub fn at_least(bytes: u64) -> Self {
        Self { bytes, bound: Bound::AtLeast, precision: None }
    }

    /// A rounded amount, off by at most `precision` bytes.
    pub fn rounded(bytes: u64, precision: u64) -> Self {
        Self { bytes, bound: Bound::Rounded, precision: Some(precision) }
    }

    /// Returns whether this amount and `other` can both be true of one backup.
    pub fn agrees_with(self, other: Self) -> bool {
        let (low, high) = self.range();
        let (other_low, other_high) = other.range();
        low <= other_high && other_low <= high
    }

    /// The lowest that the true amount can be.
    #[must_use]
    pub fn lowest(self) -> u64 {
        match self.bound {
            Bound::Exact => self.bytes,
            Bound::Rounded | Bound::AtLeast => self.bytes.saturating_sub(self.precision.unwrap_or(0)),
            Bound::AtMost | Bound::Estimate => 0,
        }
    }

    /// Takes the same digits for powers of 1,024: what was read as `1.5 MB` of 10^6 bytes each becomes that of 2^20.
    /// Amounts to the byte stay.
    #[must_use]
    pub fn as_binary(self) -> Self {
        let Some(step) = self.precision.filter(|&half| half > 1).map(|half| half.saturating_mul(2)) else {
            return self;
        };
        let thousands = step.ilog10().div_ceil(3);
        let (decimal, binary) = (1000_u128.pow(thousands), 1024_u128.pow(thousands));
        let scale = |bytes: u64| u64::try_from(u128::from(bytes) * binary / decimal).unwrap_or(u64::MAX);
        Self { bytes: scale(self.bytes), precision: self.precision.map(scale), ..self }
    }

    fn range(self) -> (u64, u64) {
        let off = self.precision.unwrap_or(0);
        match self.bound {
            Bound::Exact => (self.bytes, self.bytes),
            Bound::Rounded => (self.bytes.saturating_sub(off), self.bytes.saturating_add(off)),
            Bound::AtLeast => (self.bytes, u64::MAX),
            Bound::AtMost => (0, self.bytes),
            Bound::Estimate => (0, u64::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_divides_by_the_whole_time() {
        let rate = |ms| BitRate::mean(1_500_000, Duration::from_millis(ms)).map(BitRate::bps);
        assert_eq!(rate(1_000), Some(12_000_000.0));
        assert_eq!(rate(1_500), Some(8_000_000.0));
        assert_eq!(rate(0), None);
    }

    #[test]
    fn a_rate_is_never_negative_or_infinite() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(BitRate::from_bps(bad), None);
        }
    }

    #[test]
    fn the_same_digits_are_more_in_powers_of_1024() {
        let megabytes = Amount::rounded(730_000_000, 50_000).as_binary();
        assert_eq!((megabytes.bytes, megabytes.precision), (765_460_480, Some(52_428)));
        assert_eq!(Amount::rounded(1_530_000_000, 5_000_000).as_binary().bytes, 1_642_824_990);
        assert_eq!(Amount::rounded(259_000, 500).as_binary().bytes, 265_216);
        assert_eq!(Amount::exact(98).as_binary(), Amount::exact(98));
    }

    #[test]
    fn a_rounded_amount_agrees_within_its_last_digit() {
        let shown = Amount::rounded(42_260_000_000, 5_000_000);
        assert!(shown.agrees_with(Amount::exact(42_257_047_552)));
        assert!(!shown.agrees_with(Amount::exact(42_250_000_000)));
        assert!(Amount::at_least(10).agrees_with(Amount::exact(11)));
        assert!(!Amount::at_least(10).agrees_with(Amount::exact(9)));
    }
}
