//! The body of `Destination IO performance measured:`, macOS's own probe of a destination.

use crate::domain::backup::DestinationTest;
use crate::domain::units::BitRate;

/// Takes the rate of the one large file and that of the many small ones: `Wrote 1 50 MB file at 286.74 MB/s to …` and
/// `Concurrently wrote 500 4 KB files at …`. Their MB are 10^6 bytes: in captures size, rate and time agree only so.
pub(super) fn read(body: &str) -> Option<DestinationTest> {
    let test = DestinationTest {
        large_file: body.lines().find(|line| line.contains(" MB file at ")).and_then(rate),
        small_files: body.lines().find(|line| line.contains(" KB files at ")).and_then(rate),
    };
    (test.large_file.is_some() || test.small_files.is_some()).then_some(test)
}

fn rate(line: &str) -> Option<BitRate> {
    let (_, rest) = line.split_once(" at ")?;
    let (rate, _) = rest.split_once(" MB/s ")?;
    BitRate::from_bps(rate.trim().replace(',', ".").parse::<f64>().ok()? * 8e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_rates_are_read() {
        let body = "\nWrote 1 50 MB file at 286,5 MB/s to \"/Volumes/A\" in 0,174 seconds\n\tWrote 500 4 KB files at 23.25 MB/s to \"/Volumes/A\" in 0.088 seconds";
        let test = read(body).unwrap();
        assert_eq!(test.large_file.map(BitRate::bps), Some(2_292_000_000.0));
        assert_eq!(test.small_files.map(BitRate::bps), Some(186_000_000.0));
    }

    #[test]
    fn a_cut_one_gives_what_is_whole() {
        assert_eq!(read("\nWrote 1 50 MB file at 286.7"), None);
        assert_eq!(read(""), None);
        let half = read("\nWrote 1 50 MB file at 100 MB/s to \"/V\"\nWrote 500 4 KB files at 2").unwrap();
        assert!(half.large_file.is_some() && half.small_files.is_none());
    }
}
