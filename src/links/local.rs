//! A disk of this Mac: down from the volume to the physical disks, then the link of each.

use std::collections::VecDeque;

use super::asker::Asker;
use super::disk;
use super::diskutil::{self, Info, Layer};
use super::finding::{blank, clean, finish, note, set_kind};
use super::mount::Mount;
use super::{image, usb};
use crate::domain::link::{Evidence, Link, LinkKind, Seen};

/// How many steps down are taken in all.
const MOST_STEPS: usize = 24;

/// Finds the links to a volume: one, or a summary and one for each disk of a set.
pub(super) fn resolve(asker: &mut Asker, bsd: &str, mounts: &[Mount], depth: usize) -> Vec<Link> {
    if asker.moment() == Seen::During {
        return vec![by_registry_alone(asker, bsd)];
    }
    let mut descent = Descent { waiting: VecDeque::from([bsd.to_owned()]), ..Descent::default() };
    let mut links = Vec::new();
    while let Some(next) = descent.waiting.pop_front() {
        if descent.seen.contains(&next) {
            continue;
        }
        if descent.seen.len() == MOST_STEPS {
            links.push(unknown(asker, &next, descent.evidence.clone(), "the way down has too many steps"));
            break;
        }
        descent.seen.push(next.clone());
        match descent.step(asker, &next) {
            Step::Down(below) => descent.waiting.extend(below),
            Step::Image => links.extend(image::resolve(asker, &next, mounts, depth)),
            Step::Disk(info) => links.push(disk::link(asker, &info, &descent.evidence)),
            Step::Unknown(why) => links.push(unknown(asker, &next, descent.evidence.clone(), &why)),
        }
    }
    match links.len() {
        0 => vec![unknown(asker, bsd, descent.evidence, "the way down leads in a circle")],
        1 => links,
        _ => with_summary(asker, bsd, links, descent.evidence),
    }
}

/// While a backup runs only the registry is asked, which shows what hangs on USB.
fn by_registry_alone(asker: &mut Asker, bsd: &str) -> Link {
    let mut link = blank(asker.moment());
    if !usb::by_registry(asker, bsd, &mut link) {
        note(&mut link, "ioreg", "BSD Name", &format!("{bsd} is on no USB device"));
        link.bsd_name = Some(bsd.to_owned());
    }
    finish(link)
}

fn unknown(asker: &Asker, bsd: &str, evidence: Vec<Evidence>, why: &str) -> Link {
    let mut link = blank(asker.moment());
    link.evidence = evidence;
    link.bsd_name = Some(bsd.to_owned());
    note(&mut link, &format!("diskutil info -plist {bsd}"), "answer", why);
    link
}

/// A set of disks has no rate of its own.
fn with_summary(asker: &Asker, bsd: &str, links: Vec<Link>, evidence: Vec<Evidence>) -> Vec<Link> {
    let mut summary = blank(asker.moment());
    let sure = links.iter().map(|link| link.kind_confidence).min().unwrap_or_default();
    set_kind(&mut summary, LinkKind::Mixed, sure);
    summary.bsd_name = Some(bsd.to_owned());
    summary.evidence = evidence;
    let mut all = vec![summary];
    all.extend(links);
    all
}

/// Where a step leads.
enum Step {
    Down(Vec<String>),
    Image,
    Disk(Box<Info>),
    Unknown(String),
}

#[derive(Default)]
struct Descent {
    waiting: VecDeque<String>,
    seen: Vec<String>,
    /// What led down so far.
    evidence: Vec<Evidence>,
}

impl Descent {
    fn step(&mut self, asker: &mut Asker, bsd: &str) -> Step {
        let info = match asker.value("diskutil", &["info", "-plist", bsd]) {
            Ok(answer) => answer.as_ref().and_then(diskutil::info),
            Err(why) => return Step::Unknown(why),
        };
        let Some(info) = info else { return Step::Unknown("is an error".to_owned()) };
        if info.bus.as_deref() == Some("Disk Image") {
            return Step::Image;
        }
        if !info.stores.is_empty() {
            return self.down(bsd, "APFSPhysicalStores", info.stores);
        }
        match &info.whole {
            Some(whole) if !info.is_whole && whole != bsd => {
                return self.down(bsd, "ParentWholeDisk", vec![whole.clone()]);
            }
            _ => {}
        }
        match info.layer {
            Layer::Raid => {
                let members = raid(asker, bsd);
                self.down(bsd, "RAIDMaster", members)
            }
            Layer::CoreStorage => {
                let slices = core_storage(asker, bsd);
                self.down(bsd, "CoreStorage", slices)
            }
            Layer::Virtual => Step::Unknown("a virtual disk without what lies below".to_owned()),
            Layer::Physical => Step::Disk(Box::new(Info { bsd_name: Some(bsd.to_owned()), ..info })),
        }
    }

    fn down(&mut self, bsd: &str, key: &str, below: Vec<String>) -> Step {
        if below.is_empty() {
            return Step::Unknown(format!("{key}, and nothing says what lies below"));
        }
        let tool = format!("diskutil info -plist {bsd}");
        self.evidence.push(super::finding::evidence(&tool, key, &below.join(" ")));
        Step::Down(below)
    }
}

fn raid(asker: &mut Asker, bsd: &str) -> Vec<String> {
    let answer = asker.value("diskutil", &["appleRAID", "list", "-plist"]).ok().flatten();
    answer.iter().flat_map(|answer| diskutil::raid_members(answer, bsd)).map(str::to_owned).collect()
}

/// The slices of the same group. `cs list` gives UUIDs alone, so each `CoreStorage` slice is asked for its group.
fn core_storage(asker: &mut Asker, bsd: &str) -> Vec<String> {
    let Some(group) = group_of(asker, bsd) else { return Vec::new() };
    let list = asker.value("diskutil", &["list", "-plist"]).ok().flatten();
    let slices: Vec<String> =
        list.iter().flat_map(diskutil::core_storage_slices).take(MOST_STEPS).map(str::to_owned).collect();
    slices.into_iter().filter(|slice| slice != bsd && group_of(asker, slice).as_ref() == Some(&group)).collect()
}

fn group_of(asker: &mut Asker, bsd: &str) -> Option<String> {
    let answer = asker.value("diskutil", &["cs", "info", "-plist", bsd]).ok().flatten()?;
    diskutil::core_storage_group(&answer).map(str::to_owned)
}

/// The model of the disk below a volume; of a set of disks, all of them.
pub(super) fn model(asker: &mut Asker, bsd: &str) -> Option<String> {
    let mut descent = Descent { waiting: VecDeque::from([bsd.to_owned()]), ..Descent::default() };
    let mut models: Vec<String> = Vec::new();
    while let Some(next) = descent.waiting.pop_front() {
        if descent.seen.contains(&next) || descent.seen.len() == MOST_STEPS {
            continue;
        }
        descent.seen.push(next.clone());
        match descent.step(asker, &next) {
            Step::Down(below) => descent.waiting.extend(below),
            Step::Disk(info) => models.extend(info.model().and_then(clean)),
            Step::Image | Step::Unknown(_) => {}
        }
    }
    (!models.is_empty()).then(|| models.join(" + "))
}
