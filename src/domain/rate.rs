//! Rates while a backup copies: over a window that suits the link, and what they say of the time left.

use std::collections::VecDeque;
use std::time::Duration;

use super::units::BitRate;

/// The window is at least this long …
const WINDOW: Duration = Duration::from_secs(120);
/// … and holds at least this much, so that a slow link that delivers in bursts doesn't make the rate jump …
const WINDOW_BYTES: u64 = 100_000_000;
/// … but is never longer than this.
const WINDOW_MAX: Duration = Duration::from_secs(900);
/// Rates are kept for the forecast in steps of this.
const STEP: Duration = Duration::from_secs(60);
/// Before so much copying there is no forecast.
const FORECAST_AFTER: Duration = Duration::from_secs(300);

/// A reading of both counters.
#[derive(Clone, Copy, Debug)]
struct Reading {
    at: Duration,
    bytes: u64,
    items: Option<u64>,
}

/// Follows the counters of a copy.
#[derive(Clone, Debug, Default)]
pub struct RateWindow {
    readings: VecDeque<Reading>,
    step_began: Option<Reading>,
    steps: Vec<f64>,
    copied_for: Duration,
}

/// The rate over the latest stretch of copying.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowRate {
    /// Bits per second.
    pub rate: BitRate,
    /// Items per second, if items are counted.
    pub items_per_second: Option<f64>,
    /// How long the stretch is.
    pub window: Duration,
}

impl RateWindow {
    /// Takes a reading at `at` on a clock that never falls. A counter that fell begins anew.
    pub fn push(&mut self, at: Duration, bytes: u64, items: Option<u64>) {
        let reading = Reading { at, bytes, items };
        if let Some(last) = self.readings.back() {
            if bytes < last.bytes || at < last.at {
                self.readings.clear();
                self.step_began = None;
            } else {
                self.copied_for += at.saturating_sub(last.at);
            }
        }
        self.readings.push_back(reading);
        self.shrink();
        self.step(reading);
    }

    /// Forgets everything but what the forecast rests on: the backup copies no more for now.
    pub fn pause(&mut self) {
        self.readings.clear();
        self.step_began = None;
    }

    fn shrink(&mut self) {
        let Some(last) = self.readings.back().copied() else { return };
        while let Some(second) = self.readings.get(1) {
            let (time, bytes) = (last.at.saturating_sub(second.at), last.bytes - second.bytes);
            let enough = time >= WINDOW && bytes >= WINDOW_BYTES;
            if !enough && time < WINDOW_MAX {
                break;
            }
            self.readings.pop_front();
        }
    }

    fn step(&mut self, reading: Reading) {
        let began = *self.step_began.get_or_insert(reading);
        let time = reading.at.saturating_sub(began.at);
        if time >= STEP {
            self.steps.extend(BitRate::mean(reading.bytes - began.bytes, time).map(BitRate::bps));
            self.step_began = Some(reading);
        }
    }

    /// The rate over the window; `None` with fewer than two readings.
    pub fn rate(&self) -> Option<WindowRate> {
        let (first, last) = (self.readings.front()?, self.readings.back()?);
        let window = last.at.saturating_sub(first.at);
        let rate = BitRate::mean(last.bytes - first.bytes, window)?;
        #[expect(clippy::cast_precision_loss, reason = "items are far below 2^53")]
        let items_per_second = first
            .items
            .zip(last.items)
            .and_then(|(first, last)| last.checked_sub(first))
            .map(|items| items as f64 / window.as_secs_f64());
        Some(WindowRate { rate, items_per_second, window })
    }

    /// The time that `bytes` more will take: from the upper to the lower quartile of the rates of all minutes so far.
    /// `None` before five minutes of copying, or if the slow minutes stood still.
    pub fn forecast(&self, bytes: u64) -> Option<(Duration, Duration)> {
        if self.copied_for < FORECAST_AFTER || self.steps.len() < 4 {
            return None;
        }
        let mut steps = self.steps.clone();
        steps.sort_by(f64::total_cmp);
        let at = |share: usize| steps.get((steps.len() - 1) * share / 4).copied();
        let time = |bps: f64| {
            #[expect(clippy::cast_precision_loss, reason = "a forecast needs no 16 digits")]
            Duration::try_from_secs_f64(bytes as f64 * 8.0 / bps).ok()
        };
        Some((time(at(3)?)?, time(at(1)?)?))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    #[test]
    fn the_window_names_the_time_it_really_spans() {
        let mut window = RateWindow::default();
        for second in 0..=300 {
            window.push(seconds(second), second * 10_000_000, Some(second * 3));
        }
        let rate = window.rate().unwrap();
        assert_eq!(rate.window, seconds(120));
        assert!((rate.rate.bps() - 80e6).abs() < 1.0);
        assert!((rate.items_per_second.unwrap() - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_slow_link_gets_a_longer_window() {
        let mut window = RateWindow::default();
        for burst in 0..=60 {
            window.push(seconds(burst * 20), burst * 5_000_000, None);
        }
        assert_eq!(window.rate().unwrap().window, seconds(400));
    }

    #[test]
    fn a_counter_that_falls_begins_anew() {
        let mut window = RateWindow::default();
        window.push(seconds(1), 1_000, None);
        window.push(seconds(2), 2_000, None);
        window.push(seconds(3), 10, None);
        assert_eq!(window.rate(), None);
    }

    #[test]
    fn a_forecast_is_a_range_and_comes_after_five_minutes() {
        let mut window = RateWindow::default();
        let mut bytes = 0;
        for minute in 0..=4 {
            window.push(seconds(minute * 60), bytes, None);
            bytes += if minute % 2 == 0 { 600_000_000 } else { 1_200_000_000 };
        }
        assert_eq!(window.forecast(1), None);
        for minute in 5..=12 {
            window.push(seconds(minute * 60), bytes, None);
            bytes += if minute % 2 == 0 { 600_000_000 } else { 1_200_000_000 };
        }
        let (soonest, latest) = window.forecast(12_000_000_000).unwrap();
        assert_eq!((soonest, latest), (seconds(600), seconds(1200)));
    }

    proptest! {
        #[test]
        fn no_counters_make_a_rate_that_is_not_a_number(steps in prop::collection::vec((0_u64..400, any::<u64>()), 0..40)) {
            let mut window = RateWindow::default();
            let mut at = 0;
            for (pause, bytes) in steps {
                at += pause;
                window.push(seconds(at), bytes, Some(bytes / 7));
                if let Some(rate) = window.rate() {
                    prop_assert!(rate.rate.bps().is_finite() && rate.rate.bps() >= 0.0);
                    prop_assert!(rate.items_per_second.is_none_or(|items| items.is_finite() && items >= 0.0));
                }
                let _ = window.forecast(bytes);
            }
        }
    }
}
