//! Sizes as backupd prints them: `42.26 GB`, `112,2 MB`, `Zero KB`, `98 bytes`.
//!
//! Units are decimal: in a capture of macOS 11, 112,230,400 bytes are printed as `112,2 MB`.

use crate::domain::units::Amount;

/// Units with their power of ten. The longer of two that begin alike comes first.
const UNITS: &[(&str, u32)] = &[
    ("KB", 3),
    ("kB", 3),
    ("MB", 6),
    ("GB", 9),
    ("TB", 12),
    ("PB", 15),
    ("bytes", 0),
    ("byte", 0),
    ("Bytes", 0),
    ("Byte", 0),
];

/// What may stand between number and unit.
const BLANKS: &[char] = &[' ', '\u{a0}', '\u{202f}'];

/// Reads a size at the head of `text`; returns it with what follows. A size without its whole unit is none, so that a line
/// that was cut gives no wrong figure.
pub(super) fn read(text: &str) -> Option<(Amount, &str)> {
    if let Some(rest) = text.strip_prefix("Zero") {
        let (power, rest) = unit(rest)?;
        return Some((amount(0, power.max(1)), rest));
    }
    let (whole, decimals, rest) = decimal(text)?;
    let (power, rest) = unit(rest)?;
    let places = u32::try_from(decimals.len()).ok()?;
    // More places than the unit has are no size.
    let step = power.checked_sub(places)?;
    let digits: u64 = if decimals.is_empty() { 0 } else { decimals.parse().ok()? };
    let shown = whole.checked_mul(10_u64.checked_pow(places)?)?.checked_add(digits)?;
    let bytes = shown.checked_mul(10_u64.checked_pow(step)?)?;
    Some((amount(bytes, step), rest))
}

/// The size as it would be printed. Turns exactly what [`read`] gives back into text.
#[cfg(test)]
pub(super) fn render(size: Amount) -> String {
    let step = match (size.bound, size.precision) {
        (crate::domain::units::Bound::Exact, _) | (_, None) => return format!("{} bytes", size.bytes),
        (_, Some(half)) => half.saturating_mul(2).max(1),
    };
    if size.bytes == 0 && step == 1000 {
        return "Zero KB".to_owned();
    }
    let power = step.ilog10();
    let unit_power = power.div_ceil(3).max(1) * 3;
    let unit = UNITS.iter().find(|unit| unit.1 == unit_power).map_or("bytes", |unit| unit.0);
    let places = unit_power - power;
    let shown = size.bytes / step;
    if places == 0 {
        return format!("{shown} {unit}");
    }
    let scale = 10_u64.pow(places);
    format!("{}.{:0width$} {unit}", shown / scale, shown % scale, width = places as usize)
}

/// A size whose last digit stands for ten to the power of `step` bytes.
fn amount(bytes: u64, step: u32) -> Amount {
    match 10_u64.checked_pow(step) {
        Some(unit) if unit > 1 => Amount::rounded(bytes, unit / 2),
        _ => Amount::exact(bytes),
    }
}

/// Splits `12,345` or `1.53` into whole part and decimals.
fn decimal(text: &str) -> Option<(u64, &str, &str)> {
    let (whole, rest) = digits(text)?;
    let decimals = rest.strip_prefix(['.', ',']).and_then(digits);
    let whole = whole.parse().ok()?;
    Some(decimals.map_or((whole, "", rest), |(decimals, rest)| (whole, decimals, rest)))
}

/// The digits at the head of `text`, at least one.
pub(super) fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then(|| text.split_at(end))
}

fn unit(text: &str) -> Option<(u32, &str)> {
    let text = text.strip_prefix(BLANKS)?;
    UNITS.iter().find_map(|&(name, power)| Some((power, text.strip_prefix(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_with_its_precision() {
        for (text, bytes, precision) in [
            ("42.26 GB", 42_260_000_000, 5_000_000),
            ("112,2 MB", 112_200_000, 50_000),
            ("27\u{a0}KB", 27_000, 500),
            ("1.7\u{202f}TB", 1_700_000_000_000, 50_000_000_000),
            ("169 GB", 169_000_000_000, 500_000_000),
            ("Zero KB", 0, 500),
        ] {
            assert_eq!(read(text), Some((Amount::rounded(bytes, precision), "")), "{text}");
        }
        for (text, bytes) in [("98 bytes", 98), ("1 byte", 1), ("705 Byte", 705)] {
            assert_eq!(read(text), Some((Amount::exact(bytes), "")), "{text}");
        }
    }

    #[test]
    fn a_size_without_its_unit_is_none() {
        for text in ["42.26", "42.26 ", "42.26 G", "42. GB", "Zero", "", "GB", "1.2345 KB", "99999999999 PB", "-1 KB"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_rendered_is_read_back() {
        for text in ["42.26 GB", "112.2 MB", "27 KB", "Zero KB", "98 bytes", "4 MB", "0.02 GB"] {
            let (size, _) = read(text).unwrap();
            assert_eq!(render(size), text);
        }
    }
}
