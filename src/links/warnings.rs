//! What a user should know of a link: that it is slower than it could be, or that the figures can't be true.

use super::usb::CLAIM;
use crate::domain::backup::{Backup, Warning, WarningCode};
use crate::domain::link::{Confidence, Link, LinkKind};

/// The warnings that the links themselves give.
pub fn of_links(links: &[Link]) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    for warning in links.iter().flat_map(|link| [slow_usb(link), slow_port(link)]).flatten() {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    warnings
}

fn warning(code: WarningCode, message: String) -> Warning {
    Warning { code, field: Some("interfaces".to_owned()), message }
}

/// A disk that can do more than USB 2.0 on a link that doesn't. A device says 2.10 at High Speed if it knows later versions
/// (USB 3.2 specification, 9.2.6.6), and 3.x only when it is linked so, or against the rule.
fn slow_usb(link: &Link) -> Option<Warning> {
    if !matches!(link.kind, LinkKind::Usb1 | LinkKind::Usb2) || link.rate_confidence < Confidence::Medium {
        return None;
    }
    let claims = link
        .evidence
        .iter()
        .rfind(|found| found.key == CLAIM)
        .and_then(|found| u64::from_str_radix(found.value.strip_prefix("0x")?, 16).ok());
    let names = link.chain.iter().filter_map(|element| element.name.as_deref()).chain(link.device.as_deref());
    let is_told = claims.is_some_and(|claims| claims >= 0x0210) || names.into_iter().any(says_usb_3);
    if !is_told {
        return None;
    }
    let device = link.device.as_deref().unwrap_or("the disk");
    let rate = if link.kind == LinkKind::Usb2 { "480 Mb/s" } else { "12 Mb/s or less" };
    let message = format!("{device} can do more than USB 2.0 and came up at {rate}: cable, hub or port");
    Some(warning(WarningCode::SlowUsbLink, message))
}

fn says_usb_3(name: &str) -> bool {
    let name = name.to_lowercase();
    ["usb 3", "usb3", "usb-3", "3.1 gen", "3.2 gen", "superspeed"].iter().any(|word| name.contains(word))
}

/// A network port that negotiated less than it can do.
fn slow_port(link: &Link) -> Option<Warning> {
    let is_ethernet = matches!(link.kind, LinkKind::Ethernet10 | LinkKind::Ethernet100);
    let (max, now) = (link.port_max_bps?, link.negotiated_bps?);
    if !is_ethernet || now >= max {
        return None;
    }
    let port = link.bsd_name.as_deref().unwrap_or("the port");
    let message = format!("port {port} could do {} and came up at {}: cable or switch", rate(max), rate(now));
    Some(warning(WarningCode::SlowPort, message))
}

fn rate(bps: u64) -> String {
    match bps / 1_000_000 {
        mbps if mbps >= 1000 && mbps.is_multiple_of(1000) => format!("{} Gb/s", mbps / 1000),
        mbps => format!("{mbps} Mb/s"),
    }
}

/// A backup that was faster than the link negotiated. Nothing is clamped: one of the two figures is wrong.
pub fn of_rate(backup: &Backup) -> Option<Warning> {
    let link = backup.link()?;
    let negotiated = link.negotiated_bps?;
    // The rate of Wi-Fi is of one moment only.
    if link.kind.key().starts_with("wi-fi") {
        return None;
    }
    let fastest = [backup.effective_rate(), backup.copy_rate()].into_iter().flatten();
    let is_above = fastest.into_iter().any(|rate| rate.share_of(negotiated).is_some_and(|share| share > 1.0));
    is_above.then(|| {
        let message = format!(
            "faster than the negotiated rate of {}: the interface was read wrongly, or not all bytes were sent",
            link.kind
        );
        warning(WarningCode::AboveNegotiated, message)
    })
}

#[cfg(test)]
mod tests {
    use super::super::finding::{blank, evidence, set_kind, set_rate};
    use super::*;
    use crate::domain::link::Seen;

    fn with_claim(mut link: Link, claims: &str) -> Link {
        link.evidence.push(evidence("ioreg", CLAIM, claims));
        link
    }

    fn usb(kind: LinkKind, bps: u64) -> Link {
        let mut link = blank(Seen::Before);
        set_kind(&mut link, kind, Confidence::Certain);
        set_rate(&mut link, Some(bps), Confidence::Certain);
        link.device = Some("Quill".to_owned());
        link
    }

    #[test]
    fn a_disk_that_can_do_more_is_told_by_its_claim_or_name() {
        let slow = || usb(LinkKind::Usb2, 480_000_000);
        let codes = |link: Link| of_links(&[link]).iter().map(|w| w.code.code()).collect::<Vec<_>>();
        assert_eq!(codes(with_claim(slow(), "0x0210")), ["slow-usb-link"]);
        assert_eq!(codes(with_claim(slow(), "0x0200")).len(), 0);
        assert_eq!(codes(with_claim(usb(LinkKind::Usb3Gen1, 5_000_000_000), "0x0320")).len(), 0);
        let mut named = slow();
        named.device = Some("External USB 3.0".to_owned());
        assert_eq!(codes(named), ["slow-usb-link"]);
    }

    #[test]
    fn a_port_that_came_up_slow_is_told_once() {
        let mut link = usb(LinkKind::Ethernet100, 100_000_000);
        link.port_max_bps = Some(1_000_000_000);
        link.bsd_name = Some("en5".to_owned());
        let warnings = of_links(&[link.clone(), link]);
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].message, "port en5 could do 1 Gb/s and came up at 100 Mb/s: cable or switch");
    }
}
