//! `system_profiler SPCardReaderDataType`: memory cards. The mode of the card's own bus is told nowhere.

use super::system_profiler::{bsd_names, items};
use super::value_of::{list, text, whole_disk};
use crate::apple::value::Value;

/// The cards: BSD name and what the card is called.
pub(super) fn cards(answer: &Value) -> Vec<(&str, Option<&str>)> {
    let readers = items(answer, "SPCardReaderDataType").iter();
    let nodes = readers.flat_map(|reader| list(reader, "_items"));
    nodes.filter_map(|card| Some((bsd_names(card).into_iter().find_map(whole_disk)?, text(card, "_name")))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn an_empty_reader_has_no_card() {
        let answer = read(
            br#"{"SPCardReaderDataType" : [{"_name" : "spcardreader"},
            {"_name" : "spcardreader", "_items" : [{"_name" : "SDXC Card", "bsd_name" : "disk2"}]}]}"#,
        )
        .unwrap();
        assert_eq!(cards(&answer), [("disk2", Some("SDXC Card"))]);
    }
}
