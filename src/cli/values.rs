//! What people write on the command line for times, sizes and zones.

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta};

use crate::domain::backup::Outcome;
use crate::domain::filter::Instant;
use crate::domain::link::LinkKind;

/// Units of sizes with their bytes.
const SIZES: &[(&str, u64)] = &[
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("b", 1),
    ("", 1),
];

/// Reads the first moment that is meant: `2026-08-14`, `2026-08-14 09:12`, `2026-08-14T09:12:33+02:00`.
pub(super) fn since(text: &str) -> Result<Instant, String> {
    instant(text, TimeDelta::zero())
}

/// Reads the first moment that is no longer meant; of a date the day after, since that whole day is meant.
pub(super) fn until(text: &str) -> Result<Instant, String> {
    instant(text, TimeDelta::days(1))
}

fn instant(text: &str, of_a_date: TimeDelta) -> Result<Instant, String> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(Instant::Zoned(at));
    }
    let with_time = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"];
    let at = with_time.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let date = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0)?.checked_add_signed(of_a_date);
    at.or_else(date).map(Instant::Local).ok_or_else(|| "write it as 2026-08-14 or 2026-08-14T09:12".to_owned())
}

/// Reads a size such as `1GB`, `1.5 GiB` or `500`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let factor = SIZES.iter().find(|row| row.0 == unit).map(|row| row.1);
    let bytes = number.parse::<f64>().ok().zip(factor).map(|(number, factor)| number * factor_as_number(factor));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    bytes
        .filter(|bytes| (0.0..1e18).contains(bytes))
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "write it as 500MB, 1GB or 1.5GiB".to_owned())
}

#[expect(clippy::cast_precision_loss, reason = "units are far below 2^53")]
fn factor_as_number(factor: u64) -> f64 {
    factor as f64
}

/// Reads how a backup ended.
pub(super) fn outcome(text: &str) -> Result<Outcome, String> {
    let known = Outcome::ALL.iter().find(|outcome| outcome.word() == text).copied();
    known.ok_or_else(|| format!("one of {}", Outcome::ALL.iter().map(|o| o.word()).collect::<Vec<_>>().join(", ")))
}

/// Reads a year in which a log can have been written.
pub(super) fn year(text: &str) -> Result<i32, String> {
    let year = text.parse().ok().filter(|year| (2007..=2100).contains(year));
    year.ok_or_else(|| "a year from 2007 on".to_owned())
}

/// `DEST=INTERFACE`, such as `TM-Disk=usb-2`.
pub(super) fn interface(text: &str) -> Result<(String, LinkKind), String> {
    let (destination, kind) = text.rsplit_once('=').ok_or("expected DEST=INTERFACE, such as TM-Disk=usb-2")?;
    let kind = LinkKind::named(kind).ok_or_else(|| {
        format!("`{kind}` is no interface; such are usb-2, usb-3, thunderbolt-3, gigabit, wi-fi-6 (docs/interfaces.md)")
    })?;
    Ok((destination.to_owned(), kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_stands_for_its_whole_day() {
        let local = |text: &str| Instant::Local(text.parse().unwrap());
        assert_eq!(since("2026-08-14"), Ok(local("2026-08-14T00:00:00")));
        assert_eq!(until("2026-08-14"), Ok(local("2026-08-15T00:00:00")));
        assert_eq!(until("2026-08-14 09:12"), Ok(local("2026-08-14T09:12:00")));
        assert!(matches!(since("2026-08-14T09:12:33+02:00"), Ok(Instant::Zoned(_))));
        assert!(since("14.8.2026").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("1GB"), Ok(1_000_000_000));
        assert_eq!(size("1.5 GiB"), Ok(1_610_612_736));
        assert_eq!(size("500"), Ok(500));
        for bad in ["", "GB", "1 XB", "-1GB", "1e30"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
