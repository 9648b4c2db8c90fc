//! Where results and words go, and in which form.

use std::io::{self, BufWriter, IsTerminal, Write};

use crate::cli::{self, Common};
use crate::report::{Format, Style, Units};
use crate::system::terminal;

/// The streams of the program and how they are written to.
#[derive(Clone, Debug)]
pub struct Output {
    /// The form of results.
    pub format: Format,
    /// No progress and no notes.
    pub quiet: bool,
    units: Units,
    color: cli::Color,
    ascii: bool,
}

impl Output {
    /// Takes what the command line says.
    pub fn new(common: &Common) -> Self {
        let format = match common.format {
            cli::Format::Table => Format::Table,
            cli::Format::Markdown => Format::Markdown,
            cli::Format::Csv => Format::Csv,
            cli::Format::Json => Format::Json,
            cli::Format::Ndjson => Format::Ndjson,
        };
        let units = match common.units {
            cli::Units::Si => Units::Si,
            cli::Units::Iec => Units::Iec,
        };
        Self { format, quiet: common.quiet, units, color: common.color, ascii: common.ascii }
    }

    /// Standard output, written as a whole.
    #[expect(clippy::unused_self, reason = "whoever writes has been told how")]
    pub fn stdout(&self) -> impl Write + use<> {
        BufWriter::new(io::stdout().lock())
    }

    /// How results are shown.
    pub fn style(&self) -> Style {
        self.style_for(io::stdout().is_terminal())
    }

    /// How words on standard error are shown.
    pub fn stderr_style(&self) -> Style {
        self.style_for(io::stderr().is_terminal())
    }

    fn style_for(&self, is_terminal: bool) -> Style {
        let color = match self.color {
            cli::Color::Always => true,
            cli::Color::Never => false,
            cli::Color::Auto => is_terminal && terminal::wants_color(),
        };
        Style {
            units: self.units,
            color,
            ascii: self.ascii || (is_terminal && !terminal::is_utf8()),
            width: is_terminal.then(terminal::width),
        }
    }

    /// Says something on standard error, unless it is to be quiet.
    pub fn say(&self, line: &str) {
        if !self.quiet {
            // There is no one left to tell that nobody listens.
            let _ = writeln!(io::stderr().lock(), "{line}");
        }
    }
}
