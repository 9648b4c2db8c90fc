//! `hdiutil info -plist`: attached disk images and the files behind them.

use super::value_of::{bsd_name, list, text, whole_disk};
use crate::apple::value::Value;

/// An attached image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    /// Its file; `ram://4194304` for a RAM disk. It may hold names of people and is never shown.
    pub(super) path: String,
    /// Its type in hdiutil's words.
    pub(super) kind: Option<String>,
    /// BSD names of the disks and slices that it gives, the synthesized ones too, which have numbers of their own.
    pub(super) devices: Vec<String>,
}

impl Image {
    /// Whether it lives in memory.
    pub(super) fn is_ram(&self) -> bool {
        self.path.starts_with("ram://")
    }
}

/// Reads the images; none if nothing is attached.
pub(super) fn images(answer: &Value) -> Vec<Image> {
    list(answer, "images").iter().filter_map(image).collect()
}

fn image(image: &Value) -> Option<Image> {
    let entities = list(image, "system-entities").iter();
    Some(Image {
        path: text(image, "image-path")?.to_owned(),
        kind: text(image, "image-type").map(str::to_owned),
        devices: entities.filter_map(|entity| bsd_name(text(entity, "dev-entry")?)).map(str::to_owned).collect(),
    })
}

/// Reads the same from the text form, for saved answers.
pub(super) fn images_of_text(answer: &str) -> Vec<Image> {
    let mut images: Vec<Image> = Vec::new();
    for line in answer.lines() {
        let field = |name: &str| line.strip_prefix(name)?.trim_start().strip_prefix(':').map(str::trim);
        if let Some(path) = field("image-path") {
            images.push(Image { path: path.to_owned(), kind: None, devices: Vec::new() });
        } else if let Some(image) = images.last_mut() {
            if let Some(kind) = field("image-type") {
                image.kind = Some(kind.to_owned());
            } else if let Some(device) = line.split_whitespace().next().and_then(bsd_name) {
                image.devices.push(device.to_owned());
            }
        }
    }
    images
}

/// The image that a disk or a slice belongs to.
pub(super) fn holding<'a>(images: &'a [Image], bsd: &str) -> Option<&'a Image> {
    let disk = whole_disk(bsd)?;
    images.iter().find(|image| image.devices.iter().any(|device| whole_disk(device) == Some(disk)))
}

#[cfg(test)]
mod tests {
    use super::super::value_of::read;
    use super::*;

    #[test]
    fn a_synthesized_disk_belongs_to_its_image() {
        let answer = read(
            br#"{"images" : [{"image-path" : "/Volumes/TM/Mac.sparsebundle", "image-type" : "sparse bundle disk image",
            "system-entities" : [{"dev-entry" : "/dev/disk6"}, {"dev-entry" : "/dev/disk6s1"}, {"dev-entry" : "/dev/disk9s1"}]},
            {"image-path" : "ram://4194304", "system-entities" : [{"dev-entry" : "/dev/disk8"}]}]}"#,
        )
        .unwrap();
        let images = images(&answer);
        assert_eq!(holding(&images, "disk9s1").unwrap().kind.as_deref(), Some("sparse bundle disk image"));
        assert!(holding(&images, "disk8").unwrap().is_ram());
        assert_eq!(holding(&images, "disk7"), None);
        assert_eq!(super::images(&read(b"{\"framework\" : \"x\"}").unwrap()), []);
    }

    #[test]
    fn the_text_form_says_the_same() {
        let images = images_of_text(
            "images          : 1\nimage-path      : /Volumes/A/in (1).dmg\nimage-type      : read/write\n\
             /dev/disk5\tGUID_partition_scheme\t\n/dev/disk5s1\tX\t/Volumes/Inner\n",
        );
        assert_eq!(images[0].path, "/Volumes/A/in (1).dmg");
        assert_eq!(images[0].devices, ["disk5", "disk5s1"]);
    }
}
