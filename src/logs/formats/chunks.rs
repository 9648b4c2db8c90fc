//! Bytes in any pieces to whole lines.

use memchr::{memchr, memrchr};

/// A line that goes on for longer is no line of a log.
const LONGEST: usize = 4 << 20;

/// How a text is written as bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8, or nearly so.
    #[default]
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    /// By the mark that a text may begin with.
    pub(super) fn of(head: &[u8]) -> Self {
        match head {
            [0xff, 0xfe, ..] => Self::Utf16Le,
            [0xfe, 0xff, ..] => Self::Utf16Be,
            _ => Self::Utf8,
        }
    }

    /// The text, with a mark for what cannot be read.
    pub(super) fn decode(self, bytes: &[u8]) -> String {
        let unit: fn([u8; 2]) -> u16 = match self {
            Self::Utf8 => return String::from_utf8_lossy(bytes).into_owned(),
            Self::Utf16Le => u16::from_le_bytes,
            Self::Utf16Be => u16::from_be_bytes,
        };
        let (units, _) = bytes.as_chunks::<2>();
        char::decode_utf16(units.iter().map(|&bytes| unit(bytes)))
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }

    /// How many bytes of `bytes` are whole lines.
    fn whole_lines(self, bytes: &[u8]) -> usize {
        let end = match self {
            Self::Utf8 => return memrchr(b'\n', bytes).map_or(0, |at| at + 1),
            Self::Utf16Le => [b'\n', 0],
            Self::Utf16Be => [0, b'\n'],
        };
        let (units, _) = bytes.as_chunks::<2>();
        units.iter().rposition(|&unit| unit == end).map_or(0, |at| (at + 1) * 2)
    }
}

/// What comes out of bytes.
pub(super) enum Piece<'a> {
    /// Whole lines with their ends; UTF-8, or nearly so.
    Lines(&'a [u8]),
    /// A line so long that it was passed over.
    TooLong,
}

/// Cuts bytes into whole lines.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    encoding: Encoding,
    /// The beginning of a line whose end hasn't come.
    pending: Vec<u8>,
    /// Whether the line under way is passed over.
    passing: bool,
}

impl Splitter {
    pub(super) fn new(encoding: Encoding) -> Self {
        Self { encoding, ..Self::default() }
    }

    /// Takes bytes and hands on the lines that they complete.
    pub(super) fn push(&mut self, mut bytes: &[u8], each: &mut dyn FnMut(Piece<'_>)) {
        if self.encoding != Encoding::Utf8 {
            self.pending.extend_from_slice(bytes);
            let whole = self.encoding.whole_lines(&self.pending);
            let text = self.encoding.decode(&self.pending[..whole]);
            self.pending.drain(..whole);
            return each(Piece::Lines(text.as_bytes()));
        }
        if self.passing {
            let Some(end) = memchr(b'\n', bytes) else { return };
            bytes = &bytes[end + 1..];
            self.passing = false;
        }
        if !self.pending.is_empty() {
            let end = memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
            self.pending.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end..];
            if self.pending.ends_with(b"\n") {
                each(Piece::Lines(&self.pending));
                self.pending.clear();
            }
        }
        let whole = self.encoding.whole_lines(bytes);
        if whole > 0 {
            each(Piece::Lines(&bytes[..whole]));
        }
        self.pending.extend_from_slice(&bytes[whole..]);
        if self.pending.len() > LONGEST {
            self.pending = Vec::new();
            self.passing = true;
            each(Piece::TooLong);
        }
    }

    /// Hands on a last line without an end.
    pub(super) fn flush(&mut self, each: &mut dyn FnMut(Piece<'_>)) {
        if !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            match self.encoding {
                Encoding::Utf8 => each(Piece::Lines(&pending)),
                encoding => each(Piece::Lines(encoding.decode(&pending).as_bytes())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(encoding: Encoding, pieces: &[&[u8]]) -> String {
        let mut splitter = Splitter::new(encoding);
        let mut text = Vec::new();
        let mut each = |piece: Piece<'_>| match piece {
            Piece::Lines(lines) => text.extend_from_slice(lines),
            Piece::TooLong => text.extend_from_slice(b"<too long>\n"),
        };
        for piece in pieces {
            splitter.push(piece, &mut each);
        }
        splitter.flush(&mut each);
        String::from_utf8_lossy(&text).into_owned()
    }

    #[test]
    fn a_line_without_end_is_passed_over() {
        let long = vec![b'x'; LONGEST + 1];
        assert_eq!(lines(Encoding::Utf8, &[b"a\n", &long, &long, b"x\nb"]), "a\n<too long>\nb");
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(text in "[a-zé😀\n]{0,60}", cuts in proptest::collection::vec(0_usize..130, 0..5)) {
            let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            for (encoding, bytes) in
                [(Encoding::Utf8, text.as_bytes()), (Encoding::Utf16Le, &le), (Encoding::Utf16Be, &be)]
            {
                let mut cuts: Vec<usize> = cuts.iter().map(|&cut| cut.min(bytes.len())).collect();
                cuts.sort_unstable();
                let mut pieces = Vec::new();
                let mut from = 0;
                for cut in cuts {
                    pieces.push(&bytes[from..cut]);
                    from = cut;
                }
                pieces.push(&bytes[from..]);
                prop_assert_eq!(&lines(encoding, &pieces), &text);
            }
        }
    }
}
