//! Text in markup: nothing that comes from outside can become a part of it.

use std::fmt::{self, Write};

use crate::report::text::{cut_middle, escape};

/// Names are no longer than this.
const LONGEST: usize = 80;

/// A text as it may stand in HTML and SVG, between tags and in quoted attributes.
pub(super) struct Text<'a>(pub(super) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in escape(self.0).chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // Code points that no document may hold.
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A name: its own direction stays inside it, and its middle is left out where it is long.
pub(super) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", Text(&cut_middle(text, LONGEST, "…")))
}

/// What is not known, for eyes and for a screen reader.
pub(super) const UNKNOWN: &str = "<abbr title=\"not known\">–</abbr>";

/// A known text, escaped, or the mark of what is not known.
pub(super) fn known(text: Option<String>) -> String {
    text.map_or_else(|| UNKNOWN.to_owned(), |text| Text(&text).to_string())
}
