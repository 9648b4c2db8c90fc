//! The speeds of USB in all their codings. The same registry node carries `USBSpeed` and `Device Speed` with different numbers
//! for one link (3 and 2 for High Speed, seen in captures of 15 and 26): the two are never mixed.

use crate::domain::link::LinkKind;

struct Row {
    bps: u64,
    /// `USBSpeed`, `IOKit`'s `tIOUSBHostConnectionSpeed`.
    connection_code: u64,
    /// `Device Speed`, the older coding.
    device_code: u64,
    /// `device_speed` of `SPUSBDataType`.
    words: &'static [&'static str],
    kind: LinkKind,
}

const ROWS: &[Row] = &[
    Row { bps: 1_500_000, connection_code: 2, device_code: 0, words: &["low_speed"], kind: LinkKind::Usb1 },
    Row { bps: 12_000_000, connection_code: 1, device_code: 1, words: &["full_speed"], kind: LinkKind::Usb1 },
    Row { bps: 480_000_000, connection_code: 3, device_code: 2, words: &["high_speed"], kind: LinkKind::Usb2 },
    Row { bps: 5_000_000_000, connection_code: 4, device_code: 3, words: &["super_speed"], kind: LinkKind::Usb3Gen1 },
    Row {
        bps: 10_000_000_000,
        connection_code: 5,
        device_code: 4,
        words: &["super_speed_plus"],
        kind: LinkKind::Usb3Gen2,
    },
    Row {
        bps: 20_000_000_000,
        connection_code: 6,
        device_code: 5,
        words: &["super_speed_plus_by_2", "super_speed_plus_plus"],
        kind: LinkKind::Usb3Gen2x2,
    },
];

/// The kind of a USB link of this rate; plain USB if the rate is none of USB's.
pub(super) fn kind_of(bps: u64) -> LinkKind {
    ROWS.iter().find(|row| row.bps == bps).map_or(LinkKind::Usb, |row| row.kind)
}

/// The rate of a `USBSpeed`, bit/s.
pub(super) fn of_connection_code(code: u64) -> Option<u64> {
    ROWS.iter().find(|row| row.connection_code == code).map(|row| row.bps)
}

/// The rate of a `Device Speed`, bit/s.
pub(super) fn of_device_code(code: u64) -> Option<u64> {
    ROWS.iter().find(|row| row.device_code == code).map(|row| row.bps)
}

/// The rate of a `device_speed` of `SPUSBDataType`, bit/s.
pub(super) fn of_word(word: &str) -> Option<u64> {
    ROWS.iter().find(|row| row.words.contains(&word.trim())).map(|row| row.bps)
}

/// A rate as `system_profiler` writes it: `480 Mb/s`, `5 Gb/s`, `10 Gb/s x1`, older `Mb/sec`; bit/s. A decimal comma is
/// understood. What begins with `Up to` is what a port can do, and no rate.
pub(super) fn of_text(text: &str) -> Option<u64> {
    let mut words = text.split_whitespace();
    let number: f64 = words.next()?.replace(',', ".").parse().ok()?;
    let unit = match words.next()?.get(..1)? {
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return None,
    };
    whole(number * unit)
}

/// A rate as a whole number of bit/s; none if it is not positive or beyond all links.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
pub(super) fn whole(bps: f64) -> Option<u64> {
    (bps.is_finite() && (1.0..1e15).contains(&bps)).then(|| bps.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_codings_differ_for_one_link() {
        for (bps, connection, device) in [
            (1_500_000, 2, 0),
            (12_000_000, 1, 1),
            (480_000_000, 3, 2),
            (5_000_000_000, 4, 3),
            (10_000_000_000, 5, 4),
            (20_000_000_000, 6, 5),
        ] {
            assert_eq!((of_connection_code(connection), of_device_code(device)), (Some(bps), Some(bps)));
        }
        assert_eq!(of_connection_code(0), None);
        assert_eq!(of_connection_code(9), None);
        assert_eq!(of_device_code(9), None);
    }

    #[test]
    fn words_and_texts_are_rates() {
        assert_eq!(of_word("high_speed"), Some(480_000_000));
        assert_eq!(of_word("super_speed_plus_by_2"), Some(20_000_000_000));
        assert_eq!(of_word("warp_speed"), None);
        assert_eq!(of_text("1.5 Mb/s"), Some(1_500_000));
        assert_eq!(of_text("480 Mb/sec"), Some(480_000_000));
        assert_eq!(of_text("10 Gb/s x1"), Some(10_000_000_000));
        assert_eq!(of_text("1,5 Gigabit"), Some(1_500_000_000));
        assert_eq!(of_text("Up to 40 Gb/s"), None);
        assert_eq!(of_text("5 élan"), None);
        assert_eq!(of_text("nan Gb/s"), None);
        assert_eq!(kind_of(10_000_000_000), LinkKind::Usb3Gen2);
        assert_eq!(kind_of(7), LinkKind::Usb);
    }
}
