//! Text on a terminal: what shows, how wide it is, and how it is made to fit.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Makes visible what would otherwise act on the terminal or change the order of what is read: control characters, marks of
/// direction and separators of lines.
pub fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c) {
            code @ 0..=0x1f => shown.extend(char::from_u32(0x2400 + code)),
            0x7f => shown.push('␡'),
            0x80..=0x9f | 0x061c | 0x200e | 0x200f | 0x2028..=0x202e | 0x2066..=0x2069 | 0x200b | 0xfeff => {
                shown.extend(c.escape_unicode());
            }
            _ => shown.push(c),
        }
    }
    shown
}

/// Characters that have a form in ASCII. ` · ` is dealt with before these.
const ASCII: &[(char, &str)] = &[
    ('–', "-"),
    ('−', "-"),
    ('×', "x"),
    ('≥', ">="),
    ('≤', "<="),
    ('±', "+-"),
    ('…', "..."),
    ('·', "."),
    ('─', "-"),
    ('━', "#"),
    ('╸', "#"),
    ('█', "#"),
    ('†', "*"),
];

/// Writes a text in ASCII alone; what has no form in it becomes `?`.
pub fn to_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for c in text.replace(" · ", ", ").chars() {
        match c {
            _ if c.is_ascii() => ascii.push(c),
            '\u{2400}'..='\u{241f}' => {
                ascii.push('^');
                ascii.extend(char::from_u32(u32::from(c) - 0x2400 + 0x40));
            }
            '␡' => ascii.push_str("^?"),
            _ if c.width() == Some(0) => {}
            _ => ascii.push_str(ASCII.iter().find(|row| row.0 == c).map_or("?", |row| row.1)),
        }
    }
    ascii
}

/// Cuts a name in the middle, so that it takes at most `columns`.
pub fn cut_middle(text: &str, columns: usize, ellipsis: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(width(ellipsis)) else { return fit(text.chars(), columns) };
    let tail_room = room / 2;
    let head = fit(text.chars(), room - tail_room);
    let tail: String = fit(text.chars().rev(), tail_room).chars().rev().collect();
    // A mark that combines must not lean on the ellipsis.
    let tail = tail.trim_start_matches(|c: char| c.width() == Some(0));
    format!("{head}{ellipsis}{tail}")
}

/// As many characters as `columns` hold.
fn fit(chars: impl Iterator<Item = char>, columns: usize) -> String {
    let mut kept = String::new();
    for c in chars {
        kept.push(c);
        if width(&kept) > columns {
            kept.pop();
            break;
        }
    }
    kept
}

/// Fills a text with blanks up to `columns`.
pub fn pad_end(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Puts blanks before a text, up to `columns`.
pub fn pad_start(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Breaks a text between words, so that no line takes more than `columns` but one that is a single word.
pub fn wrap(text: &str, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else { return vec![text.to_owned()] };
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A bar of `share` (0 to 1) of `columns`; what isn't nought shows at least a sliver. With `track` the rest is drawn too.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a few columns"
)]
pub fn bar(share: f64, columns: usize, track: bool, ascii: bool) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let least = usize::from(share > 0.0);
    let (mut bar, rest) = if ascii {
        ("#".repeat(((share * columns as f64).round() as usize).max(least)), '.')
    } else {
        let halves = ((share * columns as f64 * 2.0).round() as usize).max(least);
        ("━".repeat(halves / 2) + if halves % 2 == 1 { "╸" } else { "" }, '─')
    };
    if track {
        let drawn = width(&bar);
        bar.extend(std::iter::repeat_n(rest, columns.saturating_sub(drawn)));
    }
    bar
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_acts_on_the_terminal_is_shown() {
        assert_eq!(escape("a\u{1b}[31mb\r\n\u{7f}"), "a␛[31mb␍␊␡");
        assert_eq!(escape("in\u{202e}gnp.exe\u{9b}"), "in\\u{202e}gnp.exe\\u{9b}");
        assert_eq!(escape("日本 é e\u{301}"), "日本 é e\u{301}");
        assert_eq!(to_ascii(&escape("\u{1b}[1m")), "^[[1m");
    }

    #[test]
    fn ascii_is_ascii() {
        assert_eq!(to_ascii("≥12.6 – 5 × 3 · a…b"), ">=12.6 - 5 x 3, a...b");
        assert_eq!(to_ascii("Müller"), "M?ller");
    }

    #[test]
    fn names_are_cut_in_the_middle() {
        assert_eq!(cut_middle("Time Machine Disk", 9, "…"), "Time…Disk");
        assert_eq!(cut_middle("Time Machine Disk", 10, "…"), "Time …Disk");
        assert_eq!(cut_middle("バックアップ用", 9, "…"), "バッ…プ用");
        assert_eq!(cut_middle("abcdef", 2, "..."), "ab");
        assert_eq!(cut_middle("short", 5, "…"), "short");
    }

    #[test]
    fn bars_are_to_scale_and_never_lose_what_is_there() {
        assert_eq!(bar(2311.4 / 2520.0, 30, false, false), "━".repeat(27) + "╸");
        assert_eq!(bar(0.65, 16, true, false), "━━━━━━━━━━╸─────");
        assert_eq!(bar(0.65, 16, true, true), "##########......");
        assert_eq!((bar(0.0001, 30, false, false), bar(0.0001, 30, false, true)), ("╸".to_owned(), "#".to_owned()));
        assert_eq!(bar(0.0, 30, false, false), "");
        assert_eq!(bar(f64::NAN, 4, true, false), "────");
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_its_room(text in ".*", columns in 0..40_usize) {
            let shown = escape(&text);
            prop_assert!(width(&cut_middle(&shown, columns, "…")) <= columns);
            prop_assert!(to_ascii(&shown).is_ascii());
            prop_assert!(!shown.chars().any(char::is_control));
            for line in wrap(&shown, Some(columns)) {
                prop_assert!(width(&line) <= columns || !line.contains(' '));
            }
        }
    }
}
