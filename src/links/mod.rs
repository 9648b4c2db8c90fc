//! Which physical way a backup took: from the answers of Apple's tools to links. What is not proven stays unknown.

mod asker;
mod card_reader;
#[cfg(test)]
mod cases;
mod conditions;
mod disk;
mod diskutil;
mod fibre_channel;
mod finding;
mod firewire;
mod hdiutil;
mod ifconfig;
mod image;
mod interface;
mod ioreg_text;
mod ioreg_usb;
mod local;
mod moments;
mod mount;
mod netstat;
mod network;
mod networksetup;
mod past;
mod rates;
mod resolve;
mod route;
mod sata;
mod saved;
mod saved_text;
mod smbutil;
#[cfg(test)]
mod stand_in;
pub mod sw_vers;
mod system_profiler;
mod system_profiler_usb;
mod thunderbolt;
mod usb;
mod usb_speed;
mod value_of;
mod warnings;
mod wi_fi;
mod wi_fi_rate;

use crate::domain::backup::Warning;
use crate::domain::destination::{Destination, DestinationKind};
use crate::domain::link::{Link, LinkKind, Seen};
use crate::ports::Tools;

pub use conditions::{conditions, machine};
pub use interface::Generation;
pub use moments::{MOMENTS, join};
pub use mount::is_hidden;
pub use past::{remembered, said_by_user};
pub use rates::{Rates, of as rates_of, practical_bps};
pub use saved::{Explained, explain};
pub use warnings::{of_links as warnings_of_links, of_rate as warning_of_rate};
pub use wi_fi_rate::{RATES_SEEN, put_wi_fi_rates, wi_fi_rate};

/// What one look at the way to a destination found.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// When it was.
    pub seen: Seen,
    /// The links, at least one: of kind `unknown` if nothing is proven. A set of disks or channels begins with a link of kind
    /// `mixed` that stands for the whole.
    pub links: Vec<Link>,
    /// The BSD name of the destination's volume, if it is on a disk of this Mac or in an image.
    pub bsd_name: Option<String>,
    /// Where the volume or share is mounted, if it is.
    pub mounted: Option<String>,
    /// The generations of this Mac's Wi-Fi, learnt where the way itself was not known yet.
    pub generations: Vec<Generation>,
    /// What a user should know of these links.
    pub warnings: Vec<Warning>,
}

/// Looks at the way to a destination. While a backup runs ([`Seen::During`]) only tools are asked that read tables of the
/// kernel; what they can't tell is left to the looks before and after.
pub fn look(destination: &Destination, seen: Seen, tools: &mut dyn Tools) -> Look {
    let mut asker = asker::Asker::new(tools, seen);
    let resolve::Resolved { links, bsd_name, mounted } = resolve::destination(&mut asker, destination);
    let is_share = destination.url.is_some() || destination.kind == Some(DestinationKind::Network);
    let generations = if is_share && links.iter().all(|link| link.kind == LinkKind::Unknown) {
        interface::generations(&mut asker)
    } else {
        Vec::new()
    };
    Look { seen, warnings: warnings::of_links(&links), links, bsd_name, mounted, generations }
}
