//! Time stamps of log lines.

use chrono::{DateTime, FixedOffset, NaiveDate};

/// The form in which `log` prints times in every style but compact.
const LOG: &str = "%Y-%m-%d %H:%M:%S%.f%z";

/// Reads a time with its offset in the form that a format names.
pub(super) fn read(text: &str, form: &str) -> Option<DateTime<FixedOffset>> {
    let quick = if form == LOG { log_time(text.as_bytes()) } else { None };
    quick.or_else(|| DateTime::parse_from_str(text, form).ok())
}

/// Reads `2026-03-01 09:15:22.408772+0100`, the one form that makes up whole logs, without chrono's general reader.
fn log_time(text: &[u8]) -> Option<DateTime<FixedOffset>> {
    if text.len() != 31
        || [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':'), (19, b'.')]
            .iter()
            .any(|&(at, byte)| text[at] != byte)
    {
        return None;
    }
    let number = |from: usize, to: usize| {
        text.get(from..to)?
            .iter()
            .try_fold(0_u32, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
    };
    let year = i32::try_from(number(0, 4)?).ok()?;
    let local = NaiveDate::from_ymd_opt(year, number(5, 7)?, number(8, 10)?)?.and_hms_micro_opt(
        number(11, 13)?,
        number(14, 16)?,
        number(17, 19)?,
        number(20, 26)?,
    )?;
    let offset = i32::try_from(number(27, 29)? * 3600 + number(29, 31)? * 60).ok()?;
    let offset = match text[26] {
        b'+' => FixedOffset::east_opt(offset),
        b'-' => FixedOffset::west_opt(offset),
        _ => None,
    }?;
    local.and_local_timezone(offset).single()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_quick_way_says_what_the_general_one_says() {
        for text in
            ["2026-03-01 09:15:22.408772+0100", "2024-02-29 23:59:59.000001-0930", "2026-03-01 00:00:00.000000+0000"]
        {
            assert_eq!(log_time(text.as_bytes()), DateTime::parse_from_str(text, LOG).ok(), "{text}");
            assert!(log_time(text.as_bytes()).is_some());
        }
        assert_eq!(read("2026-02-29 09:15:22.408772+0100", LOG), None);
        assert_eq!(read("2026-03-01 09:15:22.4+0100", LOG).map(|at| at.timestamp_subsec_millis()), Some(400));
    }

    proptest! {
        #[test]
        fn nothing_panics_it(text in "[0-9 :.+-]{31}|\\PC{0,40}") {
            read(&text, LOG);
        }
    }
}
