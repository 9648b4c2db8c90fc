//! Schema 1 of what programs read: JSON, CSV and the journal. The only place that knows the names of keys.
//!
//! Fields may be added, never removed or used for something else; every key is always there. What is unknown is `null`, an
//! object of which nothing is known is an object of nulls. Bytes, seconds and bits per second throughout.

pub mod backup;
pub mod check;
pub mod columns;
mod convert;
pub mod destination;
pub mod envelope;
pub mod error;
#[cfg(test)]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a table of examples")]
pub(crate) mod examples;
pub mod group;
pub mod journal;
pub mod link;
mod number;
pub mod progress;
mod words;

/// The version of all of this.
pub const SCHEMA: u32 = 1;

/// Why something written in this schema could not be read back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// It is not JSON, or a value has the wrong type.
    #[error("not an object of schema {SCHEMA}: {0}")]
    Json(String),
    /// It is an object of another type.
    #[error("an object of type `{0}`, which is not wanted here")]
    Type(String),
    /// A later version wrote it.
    #[error("written in schema {0}; this program reads {SCHEMA}")]
    Schema(u32),
    /// A value is not among those that its field may have.
    #[error("`{field}` can't be `{value}`")]
    Value {
        /// The dotted path of the field.
        field: &'static str,
        /// What stood there.
        value: String,
    },
}

impl Invalid {
    fn value(field: &'static str, value: impl Into<String>) -> Self {
        Self::Value { field, value: value.into() }
    }
}

impl From<serde_json::Error> for Invalid {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error.to_string())
    }
}
