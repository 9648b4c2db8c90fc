//! The text form of `ioreg -l`, for saved answers: the same tree as the property list, with the properties that fit a line.

use crate::apple::value::Value;

/// Nodes nested deeper than this are taken for the depth before; a registry is about 40 deep.
const DEEPEST: usize = 120;

/// A node whose children may still come.
struct Open {
    indent: usize,
    properties: Vec<(String, Value)>,
    children: Vec<Value>,
}

/// Reads the tree; `None` if no line is a node. Roots come as an array.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut open: Vec<Open> = Vec::new();
    let mut roots = Vec::new();
    for line in text.lines() {
        if let Some(at) = line.find("+-o ") {
            while open.last().is_some_and(|node| node.indent >= at) || open.len() > DEEPEST {
                close(&mut open, &mut roots);
            }
            let rest = line.get(at + "+-o ".len()..).unwrap_or_default();
            open.push(Open { indent: at, properties: node(rest), children: Vec::new() });
        } else if let Some(node) = open.last_mut() {
            node.properties.extend(property(line));
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    (!roots.is_empty()).then_some(Value::Array(roots))
}

fn close(open: &mut Vec<Open>, roots: &mut Vec<Value>) {
    let Some(Open { mut properties, children, .. }) = open.pop() else { return };
    properties.push(("IORegistryEntryChildren".to_owned(), Value::Array(children)));
    let siblings = open.last_mut().map_or(roots, |node| &mut node.children);
    siblings.push(Value::Dict(properties));
}

/// `LaCie Device@fd100000  <class IOUSBDevice, id 0x10000024d, ...>`.
fn node(text: &str) -> Vec<(String, Value)> {
    let (name, rest) = text.split_once("<class ").unwrap_or((text, ""));
    let name = name.trim();
    let name = name.rsplit_once('@').map_or(name, |(name, _)| name);
    let class = rest.split([',', '>']).next().unwrap_or_default();
    [("IORegistryEntryName", name.trim()), ("IOObjectClass", class)]
        .map(|(key, value)| (key.to_owned(), Value::String(value.to_owned())))
        .to_vec()
}

/// `| |   "USB Product Name" = "LaCie Device"`; numbers and texts only.
fn property(line: &str) -> Option<(String, Value)> {
    let (key, value) = line.trim_start_matches(['|', ' ']).strip_prefix('"')?.split_once("\" = ")?;
    let value = value.trim_end();
    let value = match value.strip_prefix('"') {
        Some(text) => text.strip_suffix('"')?,
        None if value.bytes().all(|byte| byte.is_ascii_digit()) => value,
        None => return None,
    };
    Some((key.to_owned(), Value::String(value.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::super::ioreg_usb;
    use super::*;

    #[test]
    fn the_tree_is_that_of_the_property_list() {
        let text = "\
+-o Root  <class IORegistryEntry, id 0x100000100, retain 15>
  +-o Quill Case@fd100000  <class IOUSBDevice, id 0x10000024d, registered>
  | | {
  | |   \"USB Product Name\" = \"Quill Case\"
  | |   \"Device Speed\" = 2
  | |   \"IOCFPlugInTypes\" = {\"a\"=\"b\"}
  | | }
  | +-o IOUSBMassStorageClass  <class IOUSBMassStorageClass, id 0x1>
  |   +-o QX-2 Media  <class IOMedia, id 0x10000028e>
  +-o Mouse@fd200000  <class IOUSBDevice, id 0x1>
";
        let disks = ioreg_usb::disks(&read(text).unwrap());
        assert_eq!(disks.len(), 1);
        assert_eq!(disks[0].device.rate.as_ref().unwrap().bps, 480_000_000);
        assert_eq!(disks[0].disk_model.as_deref(), Some("QX-2"));
        assert_eq!(read("no tree"), None);
    }
}
