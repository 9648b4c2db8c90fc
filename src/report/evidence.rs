//! The commands and keys that decided, a row each.

use super::style::Style;
use super::text::{escape, pad_end, width, wrap};
use crate::domain::link::Link;

/// What each key is evidence of, in the order in which it is shown.
const TOPICS: &[(&str, &[&str])] = &[
    (
        "kind",
        &[
            "BusProtocol",
            "Internal",
            "DeviceTreePath",
            "type:",
            "name",
            "Hardware Port",
            "image-type",
            "image-path",
            "file system",
            "Kind",
            "spairport_network_phymode",
            "PHY Mode",
            "MountPoint",
            "mount point",
            "BSD Name",
            "kind",
        ],
    ),
    (
        "way",
        &[
            "ESTABLISHED",
            "interface",
            "client_interface",
            "scope of the address",
            "address",
            "APFSPhysicalStores",
            "ParentWholeDisk",
            "CoreStorage",
            "RAIDMaster",
            "dev-entry",
            "bsd_name",
            "location",
            "_name",
            "effective interface:",
        ],
    ),
    (
        "rate",
        &[
            "UsbLinkSpeed",
            "USBSpeed",
            "Device Speed",
            "device_speed",
            "e_device_speed",
            "USBDeviceKeyLinkSpeed",
            "media:",
            "link rate:",
            "uplink rate:",
            "downlink rate:",
            "spairport_network_rate",
            "current_speed_key",
            "link_speed",
            "Tx Rate",
            "spsata_negotiatedlinkspeed",
            "spsata_linkspeed",
            "connected_speed",
            "speed",
            "spnvme_linkspeed",
            crate::links::RATES_SEEN,
        ],
    ),
    ("device", &["USB Product Name", "bcdUSB", "candidate"]),
    ("between", &["locationID", "spairport_network_channel", "USBDeviceKeyUSB4Tunnel"]),
    ("protocol", &["SMB_VERSION"]),
    ("channels", &["mc_on", "session active"]),
    ("moments", &[crate::links::MOMENTS]),
];

/// What is evidence of nothing else.
const OTHER: &str = "other";
/// Where the tool stands, and the columns it gets.
const TOOL: usize = 13;
const TOOL_COLUMNS: usize = 41;

fn topic(key: &str) -> (usize, &'static str) {
    let row = TOPICS.iter().position(|(_, keys)| keys.contains(&key));
    row.map_or((TOPICS.len(), OTHER), |row| (row, TOPICS[row].0))
}

/// The lines for a link, or nothing where there is no evidence.
pub(super) fn lines(link: &Link, style: &Style) -> Vec<String> {
    let mut rows: Vec<_> = link.evidence.iter().map(|found| (topic(&found.key), found)).collect();
    rows.sort_by_key(|((rank, _), _)| *rank);
    let mut lines = Vec::new();
    let mut last = "";
    for ((_, topic), found) in rows {
        let label = if topic == last { "" } else { topic };
        last = topic;
        let tool = style.glyphs(&escape(&found.tool.replace("system_profiler -xml ", "system_profiler ")));
        let told = match found.key.as_str() {
            // The name itself stands above.
            "USB Product Name" => found.key.clone(),
            "answer" | "ESTABLISHED" => found.value.clone(),
            key if key.ends_with(':') => format!("{key} {}", found.value),
            key => match key.strip_prefix("spairport_") {
                Some(rest) => format!("…{rest} = {}", found.value),
                None => format!("{key} = {}", found.value),
            },
        };
        let told = style.glyphs(&escape(&told));
        let head = format!("    {}", pad_end(label, TOOL - 4));
        let one = format!("{head}{}  {told}", pad_end(&tool, TOOL_COLUMNS - 2));
        if style.width.is_none_or(|columns| width(&one) <= columns) {
            lines.push(one);
            continue;
        }
        lines.push(format!("{head}{tool}"));
        let room = style.width.map(|columns| columns.saturating_sub(TOOL + 2).max(10));
        lines.extend(wrap(&told, room).into_iter().map(|line| format!("{}{line}", " ".repeat(TOOL + 2))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_evidence_of_one_thing() {
        let keys: Vec<&str> = TOPICS.iter().flat_map(|(_, keys)| keys.iter().copied()).collect();
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "{key}");
        }
        assert_eq!((topic("UsbLinkSpeed").1, topic("anything").1), ("rate", OTHER));
    }
}
