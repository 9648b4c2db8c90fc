//! `system_profiler SPFibreChannelDataType`: disks on Fibre Channel. Only the text form was seen; in the other forms the
//! speed is looked for in any key that is called so, above the disk.

use super::system_profiler::{bsd_names, items};
use super::value_of::{text, whole_disk};
use crate::apple::value::Value;

/// A disk in the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Disk {
    /// BSD name.
    pub(super) bsd_name: String,
    /// Its model, cut to 16 letters by SCSI.
    pub(super) model: Option<String>,
    /// Its maker.
    pub(super) vendor: Option<String>,
    /// The negotiated line rate, bit/s.
    pub(super) bps: Option<u64>,
}

/// The line rates behind the names of the generations.
const LINE_RATES: &[(&str, u64)] = &[
    ("1", 1_062_500_000),
    ("2", 2_125_000_000),
    ("4", 4_250_000_000),
    ("8", 8_500_000_000),
    ("16", 14_025_000_000),
    ("32", 28_050_000_000),
];

/// `Automatic (4 Gigabit)` or `4 Gigabit`; `Automatic` alone is a port without a link.
fn line_rate(text: &str) -> Option<u64> {
    let inside = text.split_once('(').map_or(text, |(_, inside)| inside);
    let (figure, _) = inside.split_once(" Gig")?;
    LINE_RATES.iter().find(|(name, _)| *name == figure.trim()).map(|(_, bps)| *bps)
}

/// All disks.
pub(super) fn disks(answer: &Value) -> Vec<Disk> {
    let mut disks = Vec::new();
    for domain in items(answer, "SPFibreChannelDataType") {
        visit(domain, None, &mut disks);
    }
    disks
}

// As deep as the property list at most, whose depth is bounded.
fn visit(node: &Value, above_bps: Option<u64>, disks: &mut Vec<Disk>) {
    let entries = node.as_dict().unwrap_or_default();
    let own = entries.iter().filter(|(key, _)| key.contains("speed")).find_map(|(_, value)| line_rate(value.as_str()?));
    let bps = own.or(above_bps);
    if let Some(bsd_name) = bsd_names(node).into_iter().find_map(whole_disk) {
        disks.push(Disk {
            bsd_name: bsd_name.to_owned(),
            model: text(node, "device_model").or_else(|| text(node, "_name")).map(str::to_owned),
            vendor: text(node, "device_manufacturer").map(str::to_owned),
            bps,
        });
        return;
    }
    for (_, value) in entries {
        for below in value.as_array().unwrap_or_default() {
            visit(below, bps, disks);
        }
    }
}

/// Reads the text form, for saved answers.
pub(super) fn disks_of_text(answer: &str) -> Vec<Disk> {
    let mut disks: Vec<Disk> = Vec::new();
    let (mut bps, mut model, mut vendor) = (None, None, None);
    for line in answer.lines().map(str::trim) {
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key {
            key if key.starts_with("Fibre Channel Domain") => bps = None,
            "Speed" => bps = line_rate(value),
            "Manufacturer" => vendor = Some(value.to_owned()).filter(|name| !name.is_empty()),
            "Model" => model = Some(value.to_owned()),
            "BSD Name" if whole_disk(value) == Some(value) => {
                disks.push(Disk { bsd_name: value.to_owned(), model: model.clone(), vendor: vendor.clone(), bps });
            }
            _ => {}
        }
    }
    disks
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn the_speed_of_the_domain_is_the_disks() {
        let text = "Fibre Channel:\n\n    Fibre Channel Domain 0:\n\n      Speed: Automatic (4 Gigabit)\n\n        SCSI Target Device @ 0:\n\
                    \n          Manufacturer: QUILL\n          Model: QuillStor\n              BSD Name: disk5\n                  BSD Name: disk5s3\n\
                    \n    Fibre Channel Domain 1:\n\n      Speed: Automatic\n              BSD Name: disk6\n";
        let disks = disks_of_text(text);
        assert_eq!(disks.len(), 2);
        assert_eq!((disks[0].bsd_name.as_str(), disks[0].bps), ("disk5", Some(4_250_000_000)));
        assert_eq!(disks[1].bps, None);
    }

    #[test]
    fn a_structured_answer_is_searched_for_a_speed() {
        let answer = read(
            br#"{"SPFibreChannelDataType" : [{"_name" : "domain", "x_speed" : "Automatic (8 Gigabit)", "_items" : [
            {"_items" : [{"_name" : "QuillStor", "bsd_name" : "disk5"}]}]}]}"#,
        )
        .unwrap();
        assert_eq!(disks(&answer)[0].bps, Some(8_500_000_000));
    }
}
