//! Files as streams of bytes, unpacked where they are packed. Content tells how, never the name.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;

/// As much is read at once from packed files.
const PACKED_BUFFER: usize = 128 * 1024;
/// As much of the beginning decides what a source is.
pub(super) const HEAD: usize = 64 * 1024;

/// A source that is open, with its beginning read ahead.
pub(super) struct Opened<'a> {
    /// The beginning, unpacked.
    pub(super) head: Vec<u8>,
    /// What follows it.
    pub(super) rest: Box<dyn Read + 'a>,
    /// The file itself if it is not packed: it can be read at any place.
    pub(super) plain: Option<File>,
    /// Whether it is packed.
    pub(super) packed: bool,
    /// Whether the beginning could not be unpacked to its end.
    pub(super) broken: Option<io::Error>,
}

/// Opens a file.
pub(super) fn open(path: &Path) -> io::Result<Opened<'static>> {
    let mut file = File::open(path)?;
    let mut magic = [0; 3];
    let length = fill(&mut file, &mut magic)?;
    let magic = magic[..length].to_vec();
    let plain = if is_packed(&magic) { None } else { Some(file.try_clone()?) };
    unpack(magic, file, plain)
}

/// Takes a stream, such as standard input.
pub(super) fn stream<'a>(mut reader: impl Read + 'a) -> io::Result<Opened<'a>> {
    let mut magic = [0; 3];
    let length = fill(&mut reader, &mut magic)?;
    unpack(magic[..length].to_vec(), reader, None)
}

fn is_packed(magic: &[u8]) -> bool {
    magic.starts_with(&[0x1f, 0x8b]) || magic.starts_with(b"BZh")
}

fn unpack<'a>(magic: Vec<u8>, reader: impl Read + 'a, plain: Option<File>) -> io::Result<Opened<'a>> {
    let packed = is_packed(&magic);
    let gzip = magic.first() == Some(&0x1f);
    let whole = io::Cursor::new(magic).chain(reader);
    let mut rest: Box<dyn Read + 'a> = if !packed {
        Box::new(whole)
    } else if gzip {
        Box::new(MultiGzDecoder::new(BufReader::with_capacity(PACKED_BUFFER, whole)))
    } else {
        Box::new(MultiBzDecoder::new(BufReader::with_capacity(PACKED_BUFFER, whole)))
    };
    let mut head = Vec::new();
    let broken = match rest.by_ref().take(HEAD as u64).read_to_end(&mut head) {
        Ok(_) => None,
        Err(error) if packed => Some(error),
        Err(error) => return Err(error),
    };
    Ok(Opened { head, rest, plain, packed, broken })
}

/// Reads until the buffer is full or nothing comes any more.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match reader.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn all(bytes: &[u8]) -> (Vec<u8>, bool) {
        let mut opened = stream(bytes).unwrap();
        let mut text = std::mem::take(&mut opened.head);
        let failed = opened.broken.is_some() || opened.rest.read_to_end(&mut text).is_err();
        (text, failed)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn packed_and_plain_give_the_same_text() {
        let text: Vec<u8> = (0..40_000).flat_map(|n: u32| format!("line {n}\n").into_bytes()).collect();
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(&text).unwrap();
        let bzip = encoder.finish().unwrap();
        // Rotated logs are often joined as they are.
        let twice = [gzip(&text), gzip(b"more\n")].concat();
        assert_eq!(all(&text), (text.clone(), false));
        assert_eq!(all(&bzip), (text.clone(), false));
        assert_eq!(all(&twice), ([text, b"more\n".to_vec()].concat(), false));
        assert_eq!(all(b""), (vec![], false));
    }

    #[test]
    fn of_a_cut_file_the_beginning_is_kept() {
        let text: Vec<u8> = (0..40_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let packed = gzip(&text);
        let (found, failed) = all(&packed[..packed.len() / 2]);
        assert!(failed && found.len() > 1000 && text.starts_with(&found));
        assert!(all(&packed[..5]).1);
    }
}
