//! A property list in whichever form it comes: XML, binary or OpenStep text. A tool that was asked for one form may answer
//! in another, put complaints before it, or be cut off.

use memchr::memmem;

use super::openstep::{self, OpenStepError};
use super::plist;
use super::value::Value;

/// The line that `tmutil status` prints before its dictionary.
pub const STATUS_HEADER: &str = "Backup session status:";

/// Why no property list could be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// There is nothing but white space.
    #[error("empty")]
    Empty,
    /// It ends too early.
    #[error("cut short in line {line}")]
    Cut {
        /// The last line, from 1.
        line: usize,
        /// What could be read; only of the text form.
        partial: Option<Value>,
    },
    /// It is something else, or damaged; says what was found.
    #[error("not a property list: {0}")]
    NotAPropertyList(String),
}

/// Reads a property list of any form. A byte-order mark, the header of a status and lines before the list are skipped.
pub fn read(bytes: &[u8]) -> Result<Value, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::Empty);
    }
    if let Some(start) = text_start(bytes) {
        return read_text(bytes, start);
    }
    if let Some(start) = memmem::find(bytes, plist::BINARY_MAGIC) {
        return plist::parse(&bytes[start..]).map_err(ReadError::NotAPropertyList);
    }
    if let Some(start) = memmem::find(bytes, b"<?xml").or_else(|| memmem::find(bytes, b"<plist")) {
        return read_xml(bytes, start);
    }
    let text = String::from_utf8_lossy(bytes);
    if text.trim() == STATUS_HEADER {
        return Err(ReadError::Cut { line: 1, partial: None });
    }
    let first: String = text.trim().lines().next().unwrap_or_default().chars().take(80).collect();
    Err(ReadError::NotAPropertyList(format!("it begins with {first:?}")))
}

fn read_text(bytes: &[u8], start: usize) -> Result<Value, ReadError> {
    let (before, rest) = bytes.split_at(start);
    let skipped = lines(before);
    openstep::parse(&String::from_utf8_lossy(rest)).map_err(|error| match error {
        OpenStepError::Cut { line, partial } => ReadError::Cut { line: line + skipped, partial: Some(partial) },
        OpenStepError::Syntax { line, expected, found } => {
            let error = OpenStepError::Syntax { line: line + skipped, expected, found };
            ReadError::NotAPropertyList(error.to_string())
        }
        OpenStepError::TooDeep { line } => {
            ReadError::NotAPropertyList(OpenStepError::TooDeep { line: line + skipped }.to_string())
        }
    })
}

fn read_xml(bytes: &[u8], start: usize) -> Result<Value, ReadError> {
    const END: &[u8] = b"</plist>";
    let list = &bytes[start..];
    let Some(end) = memmem::find(list, END) else {
        // `<plist/>` and other XML have no such end either, but they are no property lists worth the name.
        let is_list = memmem::find(list, b"<plist").is_some() || list.len() < 200;
        return Err(if is_list {
            ReadError::Cut { line: lines(bytes) + 1, partial: None }
        } else {
            ReadError::NotAPropertyList("it is other XML".to_owned())
        });
    };
    plist::parse(&list[..end + END.len()]).map_err(ReadError::NotAPropertyList)
}

/// Where the text form begins: at a bracket that opens the whole, or at a line that is nothing but a bracket.
fn text_start(bytes: &[u8]) -> Option<usize> {
    let indent = bytes.len() - bytes.trim_ascii_start().len();
    let opens = |rest: &[u8]| rest.first().is_some_and(|b| matches!(b, b'{' | b'('));
    let rest = &bytes[indent..];
    if opens(rest) {
        return Some(indent);
    }
    if let Some(after) = rest.strip_prefix(STATUS_HEADER.as_bytes()) {
        let start = bytes.len() - after.trim_ascii_start().len();
        if opens(&bytes[start..]) {
            return Some(start);
        }
    }
    let mut start = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        match line.trim_ascii() {
            b"{" => return Some(start),
            // Whatever follows is inside that list.
            line if line.starts_with(b"<?xml") || line.starts_with(b"<plist") => return None,
            _ => start += line.len(),
        }
    }
    None
}

fn lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const XML: &str = "<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n<dict>\n\t<key>Running</key>\n\t<true/>\n</dict>\n</plist>\n";

    fn running(text: &str) -> Option<bool> {
        read(text.as_bytes()).ok()?.get("Running")?.as_bool()
    }

    #[test]
    fn whatever_stands_around_the_list_is_skipped() {
        assert_eq!(running(XML), Some(true));
        assert_eq!(running(&format!("2026-01-01 tmutil[7:8] XPC error {{1}}\n{XML}done\n")), Some(true));
        assert_eq!(running(XML.strip_prefix("<?xml version=\"1.0\"?>\n").unwrap()), Some(true));
        assert_eq!(running("{ Running = 1; }"), Some(true));
        assert_eq!(running("\u{feff}Backup session status:\r\n{\r\n    Running = 1;\r\n}\r\n"), Some(true));
        assert_eq!(running("XPC error\nBackup session status:\n{\n    Running = 1;\n}"), Some(true));
    }

    #[test]
    fn each_cause_has_its_own_error() {
        let told = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(told(""), "empty");
        assert_eq!(told(" \n"), "empty");
        assert_eq!(told("Backup session status:\n"), "cut short in line 1");
        assert_eq!(told("Backup session status:\n{\n  Running"), "cut short in line 3");
        assert_eq!(told(&XML[..60]), "cut short in line 4");
        assert_eq!(
            told("<?xml version=\"1.0\"?><plist><dict><key>A</key></dict></plist>").split(':').next(),
            Some("not a property list")
        );
        assert_eq!(told("zsh: command not found"), "not a property list: it begins with \"zsh: command not found\"");
        assert_eq!(told("x\n{\n a 1\n}"), "not a property list: line 3: expected `=`, found '1'");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0..XML.len()) {
            _ = read(&bytes);
            _ = read(&[b"bplist00", bytes.as_slice()].concat());
            let is_cut = read(&XML.as_bytes()[..cut]).is_err() || cut >= XML.trim_end().len();
            prop_assert!(is_cut);
        }
    }
}
