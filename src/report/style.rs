//! In which form, units, colours and characters something is shown.

use super::text;

/// The form of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// A Markdown table.
    Markdown,
    /// Comma-separated values, a row a backup.
    Csv,
    /// One object.
    Json,
    /// One typed object a line.
    Ndjson,
}

impl Format {
    /// Whether errors are JSON too.
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Ndjson)
    }
}

/// The family of units for data and throughput. Links keep the decimal names under which they are negotiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Units {
    /// 1 GB = 10^9 bytes.
    #[default]
    Si,
    /// 1 GiB = 2^30 bytes.
    Iec,
}

/// How something is shown to people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The family of units.
    pub units: Units,
    /// Whether colours are used.
    pub color: bool,
    /// Whether only ASCII is used.
    pub ascii: bool,
    /// The columns of the terminal; `None`: no terminal, everything is whole.
    pub width: Option<usize>,
}

/// The answer.
pub const BOLD: anstyle::Style = anstyle::Style::new().bold();
/// The secondary.
pub const DIM: anstyle::Style = anstyle::Style::new().dimmed();
/// No emphasis.
pub const PLAIN: anstyle::Style = anstyle::Style::new();
/// What needs attention.
pub const YELLOW: anstyle::Style = anstyle::AnsiColor::Yellow.on_default();
/// What went wrong.
pub const RED: anstyle::Style = anstyle::AnsiColor::Red.on_default();
/// `Completed`, and nothing else.
pub const GREEN: anstyle::Style = anstyle::AnsiColor::Green.on_default();
/// `hint:`.
pub const CYAN: anstyle::Style = anstyle::AnsiColor::Cyan.on_default();

impl Style {
    /// The text in a colour, if colours are used.
    pub fn paint(&self, ink: anstyle::Style, text: &str) -> String {
        if self.color && !ink.is_plain() && !text.is_empty() { format!("{ink}{text}{ink:#}") } else { text.to_owned() }
    }

    /// The text in the characters that may be used.
    pub fn glyphs(&self, text: &str) -> String {
        if self.ascii { text::to_ascii(text) } else { text.to_owned() }
    }

    /// Whether there are too few columns for tables.
    pub fn is_narrow(&self) -> bool {
        self.width.is_some_and(|width| width < 60)
    }
}
