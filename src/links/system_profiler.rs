//! What all answers of `system_profiler` share: the list of items, in the XML and in the JSON form.

use super::value_of::{list, text};
use crate::apple::value::Value;

/// The items of a data type. The XML form carries `_properties` beside them, which describes columns and is no data.
pub(super) fn items<'a>(answer: &'a Value, data_type: &str) -> &'a [Value] {
    if let Some(sections) = answer.as_array() {
        let section = sections.iter().find(|section| text(section, "_dataType") == Some(data_type));
        return section.map(|section| list(section, "_items")).unwrap_or_default();
    }
    list(answer, data_type)
}

/// The data types that an answer holds.
pub(super) fn data_types(answer: &Value) -> Vec<&str> {
    if let Some(sections) = answer.as_array() {
        return sections.iter().filter_map(|section| text(section, "_dataType")).collect();
    }
    let entries = answer.as_dict().unwrap_or_default();
    entries.iter().map(|(key, _)| key.as_str()).filter(|key| key.starts_with("SP")).collect()
}

/// The BSD names that a node carries itself, in its media and in its volumes, in that order.
pub(super) fn bsd_names(node: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = text(node, "bsd_name").into_iter().collect();
    for key in ["Media", "volumes"] {
        for below in list(node, key) {
            names.extend(bsd_names(below));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn both_forms_have_items() {
        let json = read(br#"{"SPNVMeDataType" : [{"_name" : "a"}]}"#).unwrap();
        let xml = read(
            b"<plist version=\"1.0\"><array><dict><key>_dataType</key><string>SPNVMeDataType</string><key>_items</key>\
              <array><dict><key>_name</key><string>a</string></dict></array></dict></array></plist>",
        )
        .unwrap();
        assert_eq!(items(&json, "SPNVMeDataType"), items(&xml, "SPNVMeDataType"));
        assert_eq!(data_types(&json), data_types(&xml));
        assert_eq!(items(&json, "SPUSBDataType").len(), 0);
    }
}
