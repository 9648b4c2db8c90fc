//! The words for values that come from a closed set.

use super::Invalid;
use crate::domain::destination::DestinationKind;
use crate::domain::event::Trigger;
use crate::domain::link::{Confidence, Seen};
use crate::domain::sample::Era;
use crate::domain::units::Bound;

/// Values with one word each.
pub(super) trait Word: Copy + PartialEq + 'static {
    /// Every value with its word.
    const WORDS: &'static [(Self, &'static str)];

    /// The word for a value.
    fn word(self) -> String {
        Self::WORDS.iter().find(|row| row.0 == self).map_or("", |row| row.1).to_owned()
    }

    /// The value of a word that stood in `field`.
    fn parse(field: &'static str, word: &str) -> Result<Self, Invalid> {
        Self::WORDS.iter().find(|row| row.1 == word).map(|row| row.0).ok_or_else(|| Invalid::value(field, word))
    }
}

impl Word for Bound {
    const WORDS: &'static [(Self, &'static str)] = &[
        (Self::Exact, "exact"),
        (Self::Rounded, "rounded"),
        (Self::AtLeast, "at_least"),
        (Self::AtMost, "at_most"),
        (Self::Estimate, "estimate"),
    ];
}

impl Word for Trigger {
    const WORDS: &'static [(Self, &'static str)] = &[(Self::Manual, "manual"), (Self::Automatic, "automatic")];
}

impl Word for DestinationKind {
    const WORDS: &'static [(Self, &'static str)] = &[(Self::Local, "local"), (Self::Network, "network")];
}

impl Word for Confidence {
    const WORDS: &'static [(Self, &'static str)] = &[
        (Self::Certain, "certain"),
        (Self::High, "high"),
        (Self::Medium, "medium"),
        (Self::Low, "low"),
        (Self::None, "none"),
    ];
}

impl Word for Seen {
    const WORDS: &'static [(Self, &'static str)] = &[
        (Self::Before, "before"),
        (Self::During, "during"),
        (Self::After, "after"),
        (Self::User, "user"),
        (Self::Past, "past"),
    ];
}

impl Word for Era {
    const WORDS: &'static [(Self, &'static str)] = &[(Self::A, "a"), (Self::B, "b"), (Self::C, "c"), (Self::D, "d")];
}

/// Finds the value of a word among values that know their own.
pub(super) fn find<T: Copy>(
    field: &'static str,
    word: &str,
    all: &[T],
    word_of: fn(T) -> &'static str,
) -> Result<T, Invalid> {
    all.iter().copied().find(|&value| word_of(value) == word).ok_or_else(|| Invalid::value(field, word))
}
