//! Figures for people: three significant digits, shares two, thousands by commas. All made from raw bytes and seconds.

use std::time::Duration;

use chrono::{DateTime, FixedOffset};

use super::style::Units;
use crate::domain::time::Wall;
use crate::domain::units::{Amount, BitRate, Bound};

/// What is not known.
pub const UNKNOWN: &str = "–";

/// A unit of data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByteUnit {
    /// Its name.
    pub name: &'static str,
    /// Its bytes.
    pub size: f64,
}

const SI: &[(&str, f64)] =
    &[("bytes", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15), ("EB", 1e18)];
const IEC: &[(&str, f64)] = &[
    ("bytes", 1.0),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("PiB", 1_125_899_906_842_624.0),
    ("EiB", 1_152_921_504_606_846_976.0),
];

impl Units {
    fn steps(self) -> (&'static [(&'static str, f64)], f64) {
        match self {
            Self::Si => (SI, 1000.0),
            Self::Iec => (IEC, 1024.0),
        }
    }

    /// The name of the unit for bytes per second in tables.
    pub fn byte_rate(self) -> &'static str {
        match self {
            Self::Si => "MB/s",
            Self::Iec => "MiB/s",
        }
    }

    /// The name of the unit for bits per second in tables.
    pub fn bit_rate(self) -> &'static str {
        match self {
            Self::Si => "Mb/s",
            Self::Iec => "Mib/s",
        }
    }

    fn mega(self) -> f64 {
        match self {
            Self::Si => 1e6,
            Self::Iec => 1_048_576.0,
        }
    }

    /// The unit in which `bytes` has one to three digits before the point; for a column, that of its largest value.
    pub fn unit_for(self, bytes: u64) -> ByteUnit {
        let (steps, next) = self.steps();
        let unit = steps.iter().find(|(_, size)| float(bytes) / size < next - 0.5).or(steps.last());
        unit.map_or(ByteUnit { name: "bytes", size: 1.0 }, |&(name, size)| ByteUnit { name, size })
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn float(number: u64) -> f64 {
    number as f64
}

/// Puts commas between the thousands of a decimal number.
fn group(number: &str) -> String {
    let (whole, rest) = number.find('.').map_or((number, ""), |at| number.split_at(at));
    let mut grouped = String::with_capacity(number.len() + whole.len() / 3);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// A count.
pub fn count(number: u64) -> String {
    group(&number.to_string())
}

/// A count with its noun.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A number with so many significant digits; all digits before the point stay. What isn't nought never looks so.
fn significant(number: f64, digits: i32) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    if number < 0.000_999_5 {
        return "<0.001".to_owned();
    }
    // The exponent after rounding.
    let precision = usize::try_from(digits - 1).unwrap_or(0);
    let exponent = format!("{number:.precision$e}").rsplit('e').next().and_then(|e| e.parse::<i32>().ok()).unwrap_or(0);
    let decimals = usize::try_from(digits - 1 - exponent).unwrap_or(0);
    group(&format!("{number:.decimals$}"))
}

/// A number with three significant digits.
pub fn three(number: f64) -> String {
    significant(number, 3)
}

/// Data in the unit that suits them.
pub fn bytes(bytes: u64, units: Units) -> String {
    match units.unit_for(bytes) {
        ByteUnit { name: "bytes", .. } => counted(bytes, "byte", "bytes"),
        unit => format!("{} {}", in_unit(bytes, unit), unit.name),
    }
}

/// By how much data may be off: no digits that say nothing.
pub fn margin(off: u64, units: Units) -> String {
    let text = bytes(off, units);
    let Some((number, unit)) = text.split_once(' ').filter(|(number, _)| number.contains('.')) else { return text };
    format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
}

/// Data in a given unit, without its name.
pub fn in_unit(bytes: u64, unit: ByteUnit) -> String {
    if unit.size > 1.0 { three(float(bytes) / unit.size) } else { count(bytes) }
}

/// The mark before an amount that is not the true one.
pub fn mark(bound: Bound) -> &'static str {
    match bound {
        Bound::Exact | Bound::Rounded => "",
        Bound::AtLeast => "≥",
        Bound::AtMost => "≤",
        Bound::Estimate => "~",
    }
}

/// An amount in words that fit a sentence.
pub fn amount_words(amount: Amount, units: Units) -> String {
    let words = match amount.bound {
        Bound::Exact | Bound::Rounded => "",
        Bound::AtLeast => "at least ",
        Bound::AtMost => "at most ",
        Bound::Estimate => "about ",
    };
    format!("{words}{}", bytes(amount.bytes, units))
}

/// A rate in MB/s or MiB/s, without the name.
pub fn byte_rate(rate: BitRate, units: Units) -> String {
    three(rate.bytes_per_second() / units.mega())
}

/// A rate in Mb/s or Mib/s, without the name.
pub fn bit_rate(rate: BitRate, units: Units) -> String {
    three(rate.bps() / units.mega())
}

/// The rate of a link, under the name by which it is negotiated.
pub fn link_rate(bps: u64) -> String {
    let (rate, name) = match bps {
        1_000_000_000.. if bps.is_multiple_of(100_000_000) => (float(bps) / 1e9, "Gb/s"),
        1_000_000.. => (float(bps) / 1e6, "Mb/s"),
        1_000.. => (float(bps) / 1e3, "kb/s"),
        _ => (float(bps), "b/s"),
    };
    let one = format!("{rate:.1}");
    format!("{} {name}", group(one.strip_suffix(".0").unwrap_or(&one)))
}

/// The rate of a link where there is little room: `1.2 Gb/s` for what is negotiated as 1,201 Mb/s.
pub fn short_link_rate(bps: u64) -> String {
    match bps {
        1_000_000_000.. => {
            let rate = format!("{:.1}", float(bps) / 1e9);
            format!("{} Gb/s", group(rate.strip_suffix(".0").unwrap_or(&rate)))
        }
        _ => link_rate(bps),
    }
}

/// Bits per second in Mb/s or Mib/s, without the name; bytes likewise.
pub fn mega_bits(bps: f64, units: Units) -> String {
    three(bps / units.mega())
}

/// A share in percent with two significant digits, without the sign.
pub fn percent(part: f64) -> String {
    let text = share(part);
    text.strip_suffix(" %").unwrap_or(&text).to_owned()
}

/// How many times as much: one decimal below 10.
pub fn times(factor: f64) -> String {
    if factor < 9.95 { format!("{factor:.1}") } else { group(&format!("{factor:.0}")) }
}

/// What a link carries in practice, with two digits.
pub fn practical_rate(bps: u64, units: Units) -> String {
    let rate = float(bps) / 8.0 / units.mega();
    // Two significant digits also before the point: a practical rate is no better known.
    let magnitude = 10_f64.powf(rate.max(f64::MIN_POSITIVE).log10().floor() - 1.0);
    let rate = if rate >= 100.0 { (rate / magnitude).round() * magnitude } else { rate };
    format!("{} {}", significant(rate, 2), units.byte_rate())
}

/// A share with two significant digits.
pub fn share(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        percent if percent < 0.1 => "<0.1 %".to_owned(),
        percent => format!("{} %", significant(percent, 2)),
    }
}

/// A share in whole percent.
pub fn whole_share(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        percent if percent < 1.0 => "<1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// A duration in a table, `h:mm:ss`, rounded.
pub fn hms(time: Duration) -> String {
    if !time.is_zero() && time < Duration::from_millis(500) {
        return "<0:00:01".to_owned();
    }
    let seconds = rounded(time);
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A running time, `m:ss` or `h:mm:ss`; whole seconds that have passed.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 3600 {
        format!("{}:{:02}", seconds / 60, seconds % 60)
    } else {
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}

/// A duration in a sentence: `1 h 30 min`, `42 min`, `6 min 43 s`, `41 s`.
pub fn words(time: Duration) -> String {
    let seconds = rounded(time);
    match seconds {
        0 if !time.is_zero() => "under 1 s".to_owned(),
        0..60 => format!("{seconds} s"),
        60..600 => two_parts(seconds / 60, "min", seconds % 60, "s"),
        _ => {
            let minutes = seconds.saturating_add(30) / 60;
            if minutes < 60 { format!("{minutes} min") } else { two_parts(minutes / 60, "h", minutes % 60, "min") }
        }
    }
}

/// A stretch of time by which something is averaged or foretold: seconds below two minutes, then minutes.
pub fn coarse(time: Duration) -> String {
    let seconds = rounded(time);
    match (seconds, seconds.saturating_add(30) / 60) {
        (0..120, _) if seconds != 60 => format!("{seconds} s"),
        (_, minutes @ 0..60) => format!("{minutes} min"),
        (_, minutes) => two_parts(minutes / 60, "h", minutes % 60, "min"),
    }
}

fn two_parts(large: u64, large_name: &str, small: u64, small_name: &str) -> String {
    if small == 0 { format!("{large} {large_name}") } else { format!("{large} {large_name} {small} {small_name}") }
}

fn rounded(time: Duration) -> u64 {
    time.saturating_add(Duration::from_millis(500)).as_secs()
}

/// The time of day with seconds.
pub fn time_of_day(wall: Wall) -> String {
    match wall {
        Wall::Zoned(at) => at_time(at),
        Wall::Local(at) => at.format("%H:%M:%S").to_string(),
        Wall::Yearless(at) => at.time().format("%H:%M:%S").to_string(),
        Wall::TimeOfDay(at) => at.format("%H:%M:%S").to_string(),
    }
}

/// The time of day with seconds.
pub fn at_time(at: DateTime<FixedOffset>) -> String {
    at.format("%H:%M:%S").to_string()
}

/// The date, if there is one.
pub fn date(wall: Wall) -> Option<String> {
    match wall {
        Wall::Zoned(at) => Some(at.format("%Y-%m-%d").to_string()),
        Wall::Local(at) => Some(at.format("%Y-%m-%d").to_string()),
        Wall::Yearless(_) | Wall::TimeOfDay(_) => None,
    }
}

/// Date and time to the minute, 16 columns; what is unknown keeps its place.
pub fn start(wall: Option<Wall>) -> String {
    match wall {
        None => UNKNOWN.to_owned(),
        Some(Wall::Zoned(at)) => at.format("%Y-%m-%d %H:%M").to_string(),
        Some(Wall::Local(at)) => at.format("%Y-%m-%d %H:%M").to_string(),
        Some(Wall::Yearless(at)) => {
            format!("–    {:02}-{:02} {}", at.month(), at.day(), at.time().format("%H:%M"))
        }
        Some(Wall::TimeOfDay(at)) => at.format("–      –   %H:%M").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::time::Yearless;

    const A: u64 = 91_272_331_264;

    #[test]
    fn data_have_three_digits_and_the_name_of_their_family() {
        let shown = |bytes_, units| bytes(bytes_, units);
        for (amount, si, iec) in [
            (0, "0 bytes", "0 bytes"),
            (1, "1 byte", "1 byte"),
            (999, "999 bytes", "999 bytes"),
            (1_000, "1.00 kB", "1,000 bytes"),
            (1_024, "1.02 kB", "1.00 KiB"),
            (999_949, "1.00 MB", "977 KiB"),
            (412_000_000, "412 MB", "393 MiB"),
            (5_103_841_280, "5.10 GB", "4.75 GiB"),
            (A, "91.3 GB", "85.0 GiB"),
            (u64::MAX, "18.4 EB", "16.0 EiB"),
        ] {
            assert_eq!(
                (shown(amount, Units::Si), shown(amount, Units::Iec)),
                (si.to_owned(), iec.to_owned()),
                "{amount}"
            );
        }
    }

    #[test]
    fn rates_come_from_raw_bytes_and_seconds() {
        let rate = BitRate::mean(A, Duration::from_secs(2520)).unwrap();
        assert_eq!((byte_rate(rate, Units::Si).as_str(), bit_rate(rate, Units::Si).as_str()), ("36.2", "290"));
        assert_eq!((byte_rate(rate, Units::Iec).as_str(), bit_rate(rate, Units::Iec).as_str()), ("34.5", "276"));
    }

    #[test]
    fn numbers_keep_three_digits_and_never_look_like_nought() {
        for (number, shown) in [
            (0.0, "0"),
            (0.412, "0.412"),
            (0.000_999_6, "0.00100"),
            (0.000_4, "<0.001"),
            (8.08, "8.08"),
            (9.996, "10.0"),
            (99.96, "100"),
            (1_234.5, "1,234"),
            (9_876_543.2, "9,876,543"),
        ] {
            assert_eq!(three(number), shown, "{number}");
        }
    }

    #[test]
    fn links_keep_the_names_they_are_negotiated_under() {
        for (bps, shown) in [
            (5_000_000_000, "5 Gb/s"),
            (2_500_000_000, "2.5 Gb/s"),
            (480_000_000, "480 Mb/s"),
            (1_201_000_000, "1,201 Mb/s"),
            (866_700_000, "866.7 Mb/s"),
            (1_500_000, "1.5 Mb/s"),
            (0, "0 b/s"),
        ] {
            assert_eq!(link_rate(bps), shown);
        }
        assert_eq!(practical_rate(2_000_000_000, Units::Si), "250 MB/s");
        assert_eq!(practical_rate(2_000_000_000, Units::Iec), "240 MiB/s");
        assert_eq!(practical_rate(336_000_000, Units::Iec), "40 MiB/s");
        assert_eq!(practical_rate(0, Units::Si), "0 MB/s");
    }

    #[test]
    fn shares_have_two_digits() {
        for (number, two, whole) in [
            (0.0, "0 %", "0 %"),
            (0.000_1, "<0.1 %", "<1 %"),
            (0.003, "0.30 %", "<1 %"),
            (0.057_95, "5.8 %", "6 %"),
            (0.144_9, "14 %", "14 %"),
            (1.25, "125 %", "125 %"),
        ] {
            assert_eq!((share(number).as_str(), whole_share(number).as_str()), (two, whole));
        }
    }

    #[test]
    fn durations_are_told_by_place() {
        let secs = Duration::from_secs_f64;
        for (time, table, live, sentence) in [
            (0.0, "0:00:00", "0:00", "0 s"),
            (0.3, "<0:00:01", "0:00", "under 1 s"),
            (41.0, "0:00:41", "0:41", "41 s"),
            (151.9, "0:02:32", "2:31", "2 min 32 s"),
            (1264.0, "0:21:04", "21:04", "21 min"),
            (2520.0, "0:42:00", "42:00", "42 min"),
            (4360.0, "1:12:40", "1:12:40", "1 h 13 min"),
            (5400.0, "1:30:00", "1:30:00", "1 h 30 min"),
            (3599.6, "1:00:00", "59:59", "1 h"),
        ] {
            let shown = (hms(secs(time)), clock(secs(time)), words(secs(time)));
            assert_eq!(shown, (table.to_owned(), live.to_owned(), sentence.to_owned()), "{time}");
        }
        assert_eq!(
            ["47", "60", "90", "120", "9420"].map(|s| coarse(secs(s.parse().unwrap()))),
            ["47 s", "1 min", "90 s", "2 min", "2 h 37 min"]
        );
    }

    #[test]
    fn a_start_keeps_the_places_of_what_is_unknown() {
        let yearless = Yearless::new(11, 16, "19:38:23".parse().unwrap()).unwrap();
        assert_eq!(start(Some(Wall::Yearless(yearless))), "–    11-16 19:38");
        assert_eq!(start(Some(Wall::TimeOfDay("22:40:01".parse().unwrap()))), "–      –   22:40");
        assert_eq!(start(Some(Wall::Local("2012-06-20T14:10:24".parse().unwrap()))), "2012-06-20 14:10");
        assert_eq!(start(None), "–");
    }

    proptest! {
        #[test]
        fn every_figure_can_be_shown(amount in any::<u64>(), bps in any::<f64>(), secs in any::<u64>(), nanos in 0..1_000_000_000_u32) {
            let time = Duration::new(secs, nanos);
            let shown = [hms(time), clock(time), words(time), coarse(time), bytes(amount, Units::Iec), link_rate(amount), practical_rate(amount, Units::Si), share(bps.abs())];
            prop_assert!(shown.iter().all(|text| !text.is_empty()));
            if amount > 0 {
                prop_assert!(!bytes(amount, Units::Si).starts_with("0 "));
            }
            if let Some(rate) = BitRate::from_bps(bps) {
                prop_assert_eq!(bit_rate(rate, Units::Si) == "0", bps == 0.0);
            }
        }
    }
}
