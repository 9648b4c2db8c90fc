//! What the output can show.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use rustix::termios::tcgetwinsize;

/// What is known about where the output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Whether standard output is one.
    pub stdout: bool,
    /// Whether standard error is one.
    pub stderr: bool,
    /// Columns, of whichever is one.
    pub width: Option<u16>,
    /// Whether the locale's characters are UTF-8.
    pub utf8: bool,
    /// What the environment asks for.
    pub color: Color,
}

/// What the environment says about colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Where a terminal is.
    Auto,
    /// Nowhere: `NO_COLOR`, or a terminal that is dumb.
    Never,
    /// Everywhere: `CLICOLOR_FORCE`.
    Always,
}

impl Terminal {
    /// Looks.
    pub fn detect() -> Self {
        let variable = |name: &str| std::env::var_os(name);
        let (stdout, stderr) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let of_stderr = || stderr.then(|| tcgetwinsize(io::stderr()).ok()).flatten();
        let size = stdout.then(|| tcgetwinsize(io::stdout()).ok()).flatten().or_else(of_stderr);
        let width = size.map(|size| size.ws_col).filter(|&columns| columns > 0);
        Self { stdout, stderr, width, utf8: is_utf8(&variable), color: color(&variable) }
    }
}

fn is_utf8(variable: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.iter().find_map(|name| variable(name).filter(|value| !value.is_empty()));
    let locale = locale.unwrap_or_default().to_string_lossy().to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn color(variable: &dyn Fn(&str) -> Option<OsString>) -> Color {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        Color::Never
    } else if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        Color::Always
    } else if set("TERM").is_some_and(|value| value == "dumb") {
        Color::Never
    } else {
        Color::Auto
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides() {
        let with = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        };
        assert!(is_utf8(&with(&[("LC_ALL", ""), ("LANG", "de_DE.UTF-8")])));
        assert!(!is_utf8(&with(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")])));
        assert!(!is_utf8(&with(&[])));
        assert_eq!(color(&with(&[])), Color::Auto);
        assert_eq!(color(&with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")])), Color::Never);
        assert_eq!(color(&with(&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")])), Color::Always);
        assert_eq!(color(&with(&[("TERM", "dumb")])), Color::Never);
    }
}
