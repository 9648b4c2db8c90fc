//! A property value, read leniently: the same figure comes as an integer, a real, a boolean or a string, depending on the
//! macOS release and on the form that was asked for.

use std::fmt;

/// A value of a property list, in whichever form the list was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Keys with values, in the order of the file.
    Dict(Vec<(String, Value)>),
    /// Values.
    Array(Vec<Value>),
    /// Text. Every scalar of the OpenStep form is one.
    String(String),
    /// A whole number.
    Integer(i128),
    /// A number with a fraction.
    Real(f64),
    /// Yes or no.
    Bool(bool),
    /// A date in UTC, such as `2023-02-27T01:08:48Z`.
    Date(String),
    /// Bytes.
    Data(Vec<u8>),
}

impl Value {
    /// The value of a key; `None` if this is no dictionary or has no such key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_dict()?.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The keys and values of a dictionary.
    pub fn as_dict(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Dict(entries) => Some(entries),
            _ => None,
        }
    }

    /// The values of an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(values) => Some(values),
            _ => None,
        }
    }

    /// Text that is text; a number is none.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) | Self::Date(text) => Some(text),
            _ => None,
        }
    }

    /// A count: not negative, without a fraction (`3.0` counts as 3), from a number or from text that is one.
    pub fn as_u64(&self) -> Option<u64> {
        self.whole().and_then(|number| u64::try_from(number).ok())
    }

    /// A whole number, from a number or from text that is one.
    pub fn as_i64(&self) -> Option<i64> {
        self.whole().and_then(|number| i64::try_from(number).ok())
    }

    /// A finite number, from a number or from text that is one; exponents are understood.
    pub fn as_f64(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "asked for as a real")]
        let number = match self {
            Self::Integer(number) => *number as f64,
            Self::Real(number) => *number,
            Self::String(text) => real(text)?,
            _ => return None,
        };
        number.is_finite().then_some(number)
    }

    /// Yes or no, from a boolean, from 1 or 0, or from text that says so.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" => Some(true),
                "0" | "false" | "no" => Some(false),
                _ => None,
            },
            _ => match self.whole()? {
                0 => Some(false),
                1 => Some(true),
                _ => None,
            },
        }
    }

    fn whole(&self) -> Option<i128> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Real(number) => whole_real(*number),
            Self::String(text) => {
                let text = text.trim();
                text.parse().ok().or_else(|| real(text).and_then(whole_real))
            }
            _ => None,
        }
    }
}

/// Takes a real without a fraction, as far as 64 bits reach.
fn whole_real(number: f64) -> Option<i128> {
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within the range just tested")]
    (number.fract() == 0.0 && number.abs() < BEYOND).then_some(number as i128)
}

/// Reads a decimal number; words such as `inf` and `nan`, which Rust would take, are refused.
fn real(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !plain {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// On one line, for keys that nobody knows.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dict(entries) => {
                f.write_str("{")?;
                for (key, value) in entries {
                    write!(f, " {key} = {value};")?;
                }
                f.write_str(" }")
            }
            Self::Array(values) => {
                f.write_str("(")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Self::String(text) | Self::Date(text) => f.write_str(text),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Real(number) => write!(f, "{number}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Data(bytes) => {
                f.write_str("<")?;
                for byte in bytes {
                    write!(f, "{byte:02x}")?;
                }
                f.write_str(">")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    #[test]
    fn a_count_is_whole_and_not_negative_in_every_form() {
        for seven in [Value::Integer(7), Value::Real(7.0), text("7"), text(" 7 "), text("7.0"), text("0.7e1")] {
            assert_eq!(seven.as_u64(), Some(7), "{seven:?}");
        }
        for none in
            [Value::Integer(-1), Value::Real(-1.0), Value::Real(0.5), text("-1"), text("7.5"), text(""), text("x")]
        {
            assert_eq!(none.as_u64(), None, "{none:?}");
        }
        assert_eq!(Value::Integer(i128::from(u64::MAX)).as_u64(), Some(u64::MAX));
        assert_eq!(text("18446744073709551615").as_u64(), Some(u64::MAX));
        assert_eq!(text("18446744073709551616").as_u64(), None);
        assert_eq!(Value::Real(1e300).as_u64(), None);
        assert_eq!(text("-9").as_i64(), Some(-9));
    }

    #[test]
    fn a_real_is_finite_and_may_have_an_exponent() {
        assert_eq!(text("3.8e-05").as_f64(), Some(3.8e-5));
        assert_eq!(text("-1").as_f64(), Some(-1.0));
        assert_eq!(Value::Integer(1).as_f64(), Some(1.0));
        for none in
            [text("nan"), text("inf"), text("-infinity"), text("1e999"), Value::Real(f64::NAN), Value::Bool(true)]
        {
            assert_eq!(none.as_f64(), None, "{none:?}");
        }
    }

    #[test]
    fn yes_and_no_have_many_forms() {
        for yes in [Value::Bool(true), Value::Integer(1), Value::Real(1.0), text("1"), text("YES"), text("true")] {
            assert_eq!(yes.as_bool(), Some(true), "{yes:?}");
        }
        for no in [Value::Bool(false), Value::Integer(0), text("0"), text("No")] {
            assert_eq!(no.as_bool(), Some(false), "{no:?}");
        }
        assert_eq!(Value::Integer(2).as_bool(), None);
        assert_eq!(text("perhaps").as_bool(), None);
    }

    #[test]
    fn a_value_is_told_on_one_line() {
        let value = Value::Dict(vec![
            ("a".into(), Value::Array(vec![Value::Integer(1), text("x y")])),
            ("b".into(), Value::Data(vec![0, 255])),
        ]);
        assert_eq!(value.to_string(), "{ a = (1, x y); b = <00ff>; }");
        assert_eq!(value.get("b"), Some(&Value::Data(vec![0, 255])));
        assert_eq!(value.get("c"), None);
    }
}
