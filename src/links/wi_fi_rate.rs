//! The rate of Wi-Fi over a whole backup. It changes every second, so it is asked for now and then.

use super::asker::Asker;
use super::finding::{finish, note, set_rate};
use super::ifconfig::{self, Class};
use crate::domain::link::{Confidence, Link, Seen};
use crate::ports::Tools;

/// Under this key the evidence tells how often the rate was asked for and what it was between.
pub const RATES_SEEN: &str = "link rate, every 30 s";

/// The rate of a Wi-Fi interface now, in bit/s. Asks only ifconfig, so it may be asked while a backup runs.
pub fn wi_fi_rate(interface: &str, tools: &mut dyn Tools) -> Option<u64> {
    let text = Asker::new(tools, Seen::During).text("ifconfig", &["-v"]).ok()?;
    let interfaces = ifconfig::read(&text);
    let found = ifconfig::named(&interfaces, interface)?;
    found.link_rate.filter(|_| found.class() == Some(Class::WiFi))
}

/// Puts the median of the rates seen during a backup into its Wi-Fi link. Without rates the link stays as it is.
pub fn put_wi_fi_rates(link: &mut Link, rates: &[u64]) {
    let mut sorted = rates.to_vec();
    sorted.sort_unstable();
    let (Some(least), Some(median), Some(most)) = (sorted.first(), sorted.get(sorted.len() / 2), sorted.last()) else {
        return;
    };
    let mbps = |bps: u64| bps / 1_000_000;
    let value = format!("{} looks, {} to {} Mb/s", sorted.len(), mbps(*least), mbps(*most));
    note(link, "ifconfig -v", RATES_SEEN, &value);
    set_rate(link, Some(*median), Confidence::Medium);
    *link = finish(link.clone());
}

#[cfg(test)]
mod tests {
    use super::super::finding::blank;
    use super::super::stand_in::Answers;
    use super::*;
    use crate::domain::link::LinkKind;

    #[test]
    fn only_wi_fi_has_such_a_rate() {
        let mut tools = Answers::default();
        let text = b"en0: flags=8863<UP> mtu 1500\n\ttype: Wi-Fi\n\tlink rate: 866.00 Mbps\n\
            en1: flags=8863<UP> mtu 1500\n\ttype: Ethernet\n\tlink rate: 1.00 Gbps\n";
        tools.add("ifconfig", &["-v"], text);
        assert_eq!(wi_fi_rate("en0", &mut tools), Some(866_000_000));
        assert_eq!(wi_fi_rate("en1", &mut tools), None);
        assert_eq!(wi_fi_rate("en2", &mut tools), None);
    }

    #[test]
    fn the_median_stands_for_the_backup() {
        let mut link = blank(Seen::During);
        link.kind = LinkKind::WiFi5;
        put_wi_fi_rates(&mut link, &[]);
        assert_eq!(link.negotiated_bps, None);
        put_wi_fi_rates(&mut link, &[866_000_000, 300_000_000, 400_000_000]);
        assert_eq!((link.negotiated_bps, link.practical_bps), (Some(400_000_000), Some(240_000_000)));
        assert_eq!(link.evidence[0].value, "3 looks, 300 to 866 Mb/s");
    }
}
