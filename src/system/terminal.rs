//! What the terminal can show.

use std::env;
use std::io;

use rustix::termios::tcgetwinsize;

/// What is assumed where the terminal does not tell.
const USUAL_WIDTH: usize = 80;

/// The columns of the terminal on standard error, else on standard output, else 80.
pub fn width() -> usize {
    let of = |size: rustix::io::Result<rustix::termios::Winsize>| {
        size.ok().map(|size| usize::from(size.ws_col)).filter(|&columns| columns > 0)
    };
    of(tcgetwinsize(io::stderr())).or_else(|| of(tcgetwinsize(io::stdout()))).unwrap_or(USUAL_WIDTH)
}

/// Whether the locale says that the terminal shows UTF-8.
pub fn is_utf8() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| env::var(name).ok().filter(|v| !v.is_empty()));
    says_utf8(set.as_deref().unwrap_or_default())
}

fn says_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Whether colour is welcome, as far as the environment says.
pub fn wants_color() -> bool {
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
    !refused && !dumb
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_a_locale_that_says_so_is_utf8() {
        assert!(super::says_utf8("de_DE.UTF-8"));
        assert!(super::says_utf8("C.utf8"));
        assert!(!super::says_utf8("C"));
        assert!(!super::says_utf8(""));
    }
}
