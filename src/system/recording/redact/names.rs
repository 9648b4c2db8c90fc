//! Names and their stand-ins.

use std::collections::{HashMap, HashSet};

use super::collect::Found;
use super::letters::{fold, readings, word_can_begin, word_can_end};

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Host,
    /// The part of a host's name that isn't its own.
    Domain,
    User,
    Password,
    Volume,
    Share,
    /// A Wi-Fi network.
    Network,
    Serial,
    /// An ID in hexadecimal, such as `0x0123456789ABCDEF`.
    HexId,
    /// An ID that is a number.
    NumberId,
}

impl Kind {
    const WORDS: [Self; 8] =
        [Self::Host, Self::Domain, Self::User, Self::Password, Self::Volume, Self::Share, Self::Network, Self::Serial];

    fn stem(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Domain => "domain",
            Self::User => "user",
            Self::Password => "password",
            Self::Volume => "volume",
            Self::Share => "share",
            Self::Network => "network",
            Self::Serial => "serial",
            Self::HexId => HEX_STEM,
            Self::NumberId => NUMBER_STEM,
        }
    }

    fn stand_in(self, number: usize) -> String {
        match self {
            Self::HexId => format!("{HEX_STEM}{number:08X}"),
            Self::NumberId => format!("{NUMBER_STEM}{number:03}"),
            _ => format!("{}{number}", self.stem()),
        }
    }
}

const HEX_STEM: &str = "0x00000000";
const NUMBER_STEM: &str = "1000000";

/// Shorter names are replaced only where nothing but a name can stand.
const SHORT: usize = 3;

/// Words that name nobody, or that the answers are read by.
const GENERAL: &str = "
    time machine timemachine tm backup backups backupd backupdb backed com of the my a new old no yes none name untitled
    macintosh hd ssd hdd nvme usb disk disks drive volume volumes data system preboot recovery update vm boot snapshot
    image images media storage store external internal local network remote share shared shares sharepoint folder file
    files server host localhost nas fileserver home homes public users user root admin administrator guest everyone
    nobody daemon mac macos osx os x macbook book pro air max ultra mini studio imac apple computer laptop desktop pc
    main extra archive archives photo photos picture pictures music movie movies video videos document documents
    work test temp tmp private library library applications recovered lost found efi s st nd rd th
    tb gb mb kb b k gib tib bytes byte item items percent progress size count total running copying starting stopping
    finding changes mounting preparing source sources thinning finishing deleting idle stopped started completed failed
    cancelled success error errors warning info default debug fault kind url id key string dict array true false null
    to from for in on at by with and or not is was be been has have will can via using until
    ac battery ups power smb afp nfs cifs webdav http https ftp tcp udp ip apfs hfs exfat fat msdos ntfs zfs ext
    en rdisk bsd lan wan wifi wlan wi fi ethernet thunderbolt firewire bridge airport capsule extreme router fritz box
    sandisk samsung seagate toshiba lacie western digital wd kingston crucial micron intel hitachi hgst maxtor iomega
    transcend adata corsair sabrent owc synology qnap asustor buffalo netgear readynas truenas freenas drobo diskstation
    passport elements expansion portable rugged porsche element mybook mycloud cloud plus one touch ultra slim extreme
    t shield evo green black blue red generic american samsungs
";

/// The names of a recording, with what replaces each.
pub(super) struct Names {
    /// Folded names with their stand-ins, the longest first, by their first letter.
    by_letter: HashMap<char, Vec<(Vec<char>, String)>>,
}

impl Names {
    /// Gives everything that was found its stand-in.
    pub(super) fn new(found: &Found) -> Self {
        let general: HashSet<&str> = GENERAL.split_whitespace().collect();
        let mut given: HashMap<Vec<char>, String> = HashMap::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for (kind, name) in &found.names {
            let folded = folded(name);
            if given.contains_key(&folded) || found.words.contains(&folded) || is_general(*kind, name, &general) {
                continue;
            }
            let number = numbers.entry(kind.stem()).or_default();
            let stand_in = loop {
                *number += 1;
                let stand_in = kind.stand_in(*number);
                if !found.stand_ins.contains(&stand_in) {
                    break stand_in;
                }
            };
            // macOS derives the name of a Mac on the network from the name its user gave it.
            let derived = (*kind == Kind::Host).then(|| on_network(name)).flatten();
            if let Some(derived) = derived.filter(|derived| !is_general(*kind, derived, &general)) {
                given.entry(self::folded(&derived)).or_insert_with(|| stand_in.clone());
            }
            given.insert(folded, stand_in);
        }
        let mut by_letter: HashMap<char, Vec<(Vec<char>, String)>> = HashMap::new();
        for (name, stand_in) in given {
            let Some(&first) = name.first() else { continue };
            by_letter.entry(first).or_default().push((name, stand_in));
        }
        for names in by_letter.values_mut() {
            names.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        }
        Self { by_letter }
    }

    /// Puts the stand-ins into a text.
    pub(super) fn replace(&self, text: &str) -> String {
        let mut new = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
            if let Some((stand_in, length)) = self.name_at(text, at) {
                new.push_str(stand_in);
                at += length;
            } else {
                new.push(letter);
                at += letter.len_utf8();
            }
        }
        new
    }

    fn name_at(&self, text: &str, at: usize) -> Option<(&str, usize)> {
        let (before, rest) = text.split_at_checked(at)?;
        let mut best: Option<(&str, usize, usize)> = None;
        for (letter, _) in readings(rest) {
            for (name, stand_in) in self.by_letter.get(&fold(letter)).into_iter().flatten() {
                if best.is_some_and(|(_, _, letters)| letters >= name.len()) {
                    break;
                }
                if let Some(length) = length_of(name, rest)
                    && stands_alone(name, before, rest.get(length..).unwrap_or_default())
                {
                    best = Some((stand_in, length, name.len()));
                    break;
                }
            }
        }
        best.map(|(stand_in, length, _)| (stand_in, length))
    }
}

/// How many bytes the name takes at the start of a text, if it stands there in any escapes.
fn length_of(name: &[char], text: &str) -> Option<usize> {
    let [first, others @ ..] = name else { return Some(0) };
    readings(text).find_map(|(letter, length)| {
        let rest = text.get(length..).filter(|_| fold(letter) == *first)?;
        Some(length + length_of(others, rest)?)
    })
}

fn stands_alone(name: &[char], before: &str, after: &str) -> bool {
    let is_edge_word = |letter: Option<&char>| letter.is_some_and(char::is_ascii_alphanumeric);
    let begins = !is_edge_word(name.first()) || word_can_begin(before);
    let ends = !is_edge_word(name.last()) || word_can_end(after);
    begins && ends && (name.len() >= SHORT || is_name_place(before, after))
}

/// Whether only a name can stand here: a part of a path or URL, or the whole of a value.
fn is_name_place(before: &str, after: &str) -> bool {
    let in_folder = ["Volumes/", "Users/", "mounted by "].iter().any(|folder| before.ends_with(folder));
    let opened = before.ends_with(['/', '@', '>', '"', '\'']);
    let closed = after.starts_with(['/', '@', '<', '"', '\'', ':', '\\']) || after.starts_with(" on /");
    in_folder || (opened && closed)
}

pub(super) fn folded(name: &str) -> Vec<char> {
    name.chars().map(fold).collect()
}

/// `Pat’s iMac` is `Pats-iMac` on the network.
fn on_network(name: &str) -> Option<String> {
    let letters = name.chars().filter(|&letter| fold(letter) != '\'');
    let dashed: String = letters.map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
    let derived: Vec<&str> = dashed.split('-').filter(|part| !part.is_empty()).collect();
    let derived = derived.join("-");
    (!derived.is_empty() && derived != name).then_some(derived)
}

/// Whether it tells nothing about anybody; stand-ins are such names as well.
fn is_general(kind: Kind, name: &str, general: &HashSet<&str>) -> bool {
    match kind {
        Kind::HexId => name.starts_with(HEX_STEM),
        Kind::NumberId => name.len() == NUMBER_STEM.len() + 3 && name.starts_with(NUMBER_STEM),
        Kind::Serial if !name.contains(char::is_alphabetic) => {
            let digits: Vec<u8> = name.bytes().filter(u8::is_ascii_digit).collect();
            digits.len() < 8 || digits.iter().all(|&digit| digit == b'0')
        }
        Kind::Password | Kind::Network if !is_stand_in(name) => false,
        _ => name.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).all(|word| {
            // `disk4s2`, `9tb` and `mac1` too.
            let mut parts = word.split(|letter: char| letter.is_ascii_digit());
            parts.all(|part| part.is_empty() || general.contains(part)) || general.contains(word) || is_stand_in(word)
        }),
    }
}

fn is_stand_in(word: &str) -> bool {
    Kind::WORDS.iter().any(|kind| {
        word.strip_prefix(kind.stem())
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}
