//! A disk image: the way to it is the way to its file.

use super::asker::Asker;
use super::finding::{blank, element, note, set_kind};
use super::hdiutil::{self, Image};
use super::mount::{self, Mount};
use super::resolve;
use crate::domain::link::{Confidence, Link, LinkKind};

const TOOL: &str = "hdiutil info -plist";

/// Finds the links to the image behind a disk.
pub(super) fn resolve(asker: &mut Asker, bsd: &str, mounts: &[Mount], depth: usize) -> Vec<Link> {
    let answer = asker.value("hdiutil", &["info", "-plist"]);
    let mut link = blank(asker.moment());
    set_kind(&mut link, LinkKind::DiskImage, Confidence::High);
    link.bsd_name = Some(bsd.to_owned());
    let images = match answer {
        Ok(answer) => answer.as_ref().map(hdiutil::images).unwrap_or_default(),
        Err(why) => {
            note(&mut link, TOOL, "answer", &why);
            return vec![link];
        }
    };
    let Some(image) = hdiutil::holding(&images, bsd) else {
        note(&mut link, TOOL, "dev-entry", &format!("{bsd} is in no image"));
        return vec![link];
    };
    of_image(asker, image, link, mounts, depth)
}

fn of_image(asker: &mut Asker, image: &Image, mut link: Link, mounts: &[Mount], depth: usize) -> Vec<Link> {
    if image.is_ram() {
        note(&mut link, TOOL, "image-path", "ram://");
        set_kind(&mut link, LinkKind::Ram, Confidence::Certain);
        return vec![link];
    }
    let Some(below) = mount::holding(mounts, &image.path) else {
        note(&mut link, TOOL, "image-path", "on no mounted file system");
        return vec![link];
    };
    let mut links = resolve::of_mount(asker, below, mounts, depth + 1);
    for link in &mut links {
        link.chain.push(element("disk image", image.kind.as_deref(), None));
        note(link, TOOL, "image-type", image.kind.as_deref().unwrap_or("unknown"));
    }
    links
}
