//! Links of backups that nobody watched: said by the user, or remembered of a backup to the same destination.

use super::finding::{blank, evidence, finish, set_kind, set_rate};
use super::rates;
use crate::domain::link::{Confidence, Link, LinkKind, Seen};

/// The link that the user says it was. The rate is the nominal one of that kind, which nobody measured.
pub fn said_by_user(kind: LinkKind) -> Link {
    let mut link = blank(Seen::User);
    set_kind(&mut link, kind, Confidence::High);
    set_rate(&mut link, rates::of(kind).and_then(|rates| rates.nominal_bps), Confidence::Medium);
    link.evidence.push(evidence("--interface", "kind", kind.key()));
    finish(link)
}

/// A link that was seen live on another day: it may have been the same then, no more.
pub fn remembered(link: &Link, seen_on: &str) -> Link {
    let mut link = Link { seen: Seen::Past, ..link.clone() };
    link.kind_confidence = link.kind_confidence.min(Confidence::Low);
    link.rate_confidence = link.rate_confidence.min(Confidence::Low);
    link.evidence = vec![evidence("history", "seen on", seen_on)];
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_watched_is_never_certain() {
        let said = said_by_user(LinkKind::Usb2);
        assert_eq!((said.negotiated_bps, said.practical_bps), (Some(480_000_000), Some(320_000_000)));
        assert_eq!((said.seen, said.rate_confidence), (Seen::User, Confidence::Medium));
        let unknown = said_by_user(LinkKind::Vpn);
        assert_eq!((unknown.negotiated_bps, unknown.rate_confidence), (None, Confidence::None));

        let past = remembered(&said, "2026-01-10");
        assert_eq!((past.kind_confidence, past.rate_confidence), (Confidence::Low, Confidence::Low));
        assert_eq!((past.seen, past.evidence[0].value.as_str()), (Seen::Past, "2026-01-10"));
    }
}
