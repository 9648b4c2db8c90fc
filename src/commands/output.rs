//! Where results and words go, and in which form.

use std::io::{self, BufWriter, Write};

use crate::cli::{self, Common};
use crate::report::{Format, Style, Units};
use crate::system::terminal::{self, Terminal};

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
    terminal: Terminal,
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
        Self {
            format,
            quiet: common.quiet,
            units,
            color: common.color,
            ascii: common.ascii,
            terminal: Terminal::detect(),
        }
    }

    /// Standard output, written as a whole.
    pub fn stdout() -> impl Write {
        BufWriter::new(io::stdout().lock())
    }

    /// How results are shown.
    pub fn style(&self) -> Style {
        self.style_for(self.terminal.stdout)
    }

    /// Whether standard error is a terminal.
    pub fn stderr_is_terminal(&self) -> bool {
        self.terminal.stderr
    }

    /// How words on standard error are shown.
    pub fn stderr_style(&self) -> Style {
        self.style_for(self.terminal.stderr)
    }

    fn style_for(&self, is_terminal: bool) -> Style {
        let color = match self.color {
            cli::Color::Always => true,
            cli::Color::Never => false,
            cli::Color::Auto => match self.terminal.color {
                terminal::Color::Always => true,
                terminal::Color::Never => false,
                terminal::Color::Auto => is_terminal,
            },
        };
        Style {
            units: self.units,
            color,
            ascii: self.ascii || (is_terminal && !self.terminal.utf8),
            width: self.terminal.width.filter(|_| is_terminal).map(usize::from),
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
