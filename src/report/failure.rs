//! Errors and warnings, for people and for programs. They go to stderr.

use std::io::{self, Write};

use super::ndjson::line;
use super::style::{CYAN, Format, RED, Style, YELLOW};
use super::text::escape;
use crate::contract::error::ErrorJson;
use crate::error::{Failure, exit_of};

/// Writes the error that ends a command: what was tried and why it failed on one line, then hints; one object where the
/// results are JSON.
pub fn write(error: &anyhow::Error, format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let hints = error.downcast_ref::<Failure>().map_or(&[][..], |failure| &failure.hints);
    let message = format!("{error:#}");
    if format.is_json() {
        return line(&ErrorJson::new(exit_of(error), message, hints), out);
    }
    writeln!(out, "{} {}", style.paint(RED.bold(), "error:"), shown(&message, style))?;
    hints.iter().try_for_each(|hint| write_hint(hint, style, out))
}

/// Writes what to do next.
pub fn write_hint(hint: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {}", style.paint(CYAN, "hint:"), shown(hint, style))
}

/// Writes a warning.
pub fn write_warning(warning: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {}", style.paint(YELLOW, "warning:"), shown(warning, style))
}

fn shown(text: &str, style: &Style) -> String {
    style.glyphs(&escape(text))
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;
    use crate::error::Exit;

    fn written(error: &anyhow::Error, format: Format, style: &Style) -> String {
        let mut out = Vec::new();
        write(error, format, style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn no_tmutil() -> anyhow::Error {
        Failure::new(Exit::Tool, "could not start a backup: `/usr/bin/tmutil` does not exist on this system")
            .hint("measuring needs a Mac; play a recording here: tmgauge run --replay DIR")
            .hint("…")
            .into()
    }

    #[test]
    fn people_get_lines() {
        assert_eq!(
            written(&no_tmutil(), Format::Table, &Style { ascii: true, width: Some(20), ..Style::default() }),
            "error: could not start a backup: `/usr/bin/tmutil` does not exist on this system\n\
             hint: measuring needs a Mac; play a recording here: tmgauge run --replay DIR\n\
             hint: ...\n"
        );
    }

    #[test]
    fn programs_get_one_object() {
        for format in [Format::Json, Format::Ndjson] {
            assert_eq!(
                written(&no_tmutil(), format, &Style::default()),
                "{\"type\":\"error\",\"code\":3,\"message\":\"could not start a backup: `/usr/bin/tmutil` does not exist on \
                 this system\",\"hint\":\"measuring needs a Mac; play a recording here: tmgauge run --replay DIR\\n…\"}\n"
            );
        }
    }

    #[test]
    fn the_whole_chain_is_one_line_and_harmless() {
        let error = Err::<(), _>(io::Error::other("disk\n\u{1b}[2Jgone")).context("could not read `x`").unwrap_err();
        assert_eq!(written(&error, Format::Csv, &Style::default()), "error: could not read `x`: disk␊␛[2Jgone\n");
        assert_eq!(
            written(&error, Format::Json, &Style::default()),
            "{\"type\":\"error\",\"code\":70,\"message\":\"could not read `x`: disk\\n\\u001b[2Jgone\",\"hint\":null}\n"
        );
    }

    #[test]
    fn colour_is_on_the_word_alone() {
        let style = Style { color: true, ..Style::default() };
        let mut out = Vec::new();
        write_warning("x", &style, &mut out).unwrap();
        write_hint("y", &style, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\u{1b}[33mwarning:\u{1b}[0m x\n\u{1b}[36mhint:\u{1b}[0m y\n");
    }
}
