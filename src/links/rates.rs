//! What each kind of link can do: the table `rates.toml`, with its sources.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::link::LinkKind;

const TABLE: &str = include_str!("rates.toml");

/// What is known of a kind of link.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// The link's own bit rate, bit/s.
    pub nominal_bps: Option<u64>,
    /// What it carries in practice, bit/s.
    pub practical_bps: Option<u64>,
    /// The same for a USB disk with the bulk-only transport, bit/s.
    pub bulk_only_bps: Option<u64>,
    /// What it carries in practice, as a share of the negotiated rate.
    pub practical_share: Option<f64>,
    /// Where the figures come from.
    pub sources: Vec<String>,
}

static RATES: LazyLock<BTreeMap<String, Rates>> = LazyLock::new(|| toml::from_str(TABLE).unwrap_or_default());

/// What is known of `kind`; `None` for kinds without a rate of their own.
pub fn of(kind: LinkKind) -> Option<&'static Rates> {
    RATES.get(kind.key())
}

/// How USB disks are spoken to.
pub(super) const BULK_ONLY: &str = "bulk-only transport";

/// What a link carries in practice, bit/s. A link that negotiated less than its kind's nominal rate carries less in proportion.
pub fn practical_bps(kind: LinkKind, negotiated_bps: Option<u64>, transport: Option<&str>) -> Option<u64> {
    let rates = of(kind)?;
    if let Some(share) = rates.practical_share {
        return negotiated_bps.map(|bps| scaled(bps, share));
    }
    let practical = match rates.bulk_only_bps {
        Some(bulk_only) if transport == Some(BULK_ONLY) => bulk_only,
        _ => rates.practical_bps?,
    };
    Some(match (negotiated_bps, rates.nominal_bps) {
        #[expect(clippy::cast_precision_loss, reason = "link rates are far below 2^53")]
        (Some(negotiated), Some(nominal)) if negotiated < nominal => {
            scaled(practical, negotiated as f64 / nominal as f64)
        }
        _ => practical,
    })
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "link rates are far below 2^53, shares between 0 and 1"
)]
fn scaled(bps: u64, share: f64) -> u64 {
    (bps as f64 * share).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_kinds_that_exist_and_every_row_has_a_source() {
        let table: BTreeMap<String, Rates> = toml::from_str(TABLE).unwrap();
        assert!(table.len() > 30);
        for (key, rates) in &table {
            assert!(LinkKind::from_key(key).is_some(), "{key}");
            assert!(!rates.sources.is_empty(), "{key}");
            if let (Some(nominal), Some(practical)) = (rates.nominal_bps, rates.practical_bps) {
                assert!(practical < nominal, "{key}");
            }
        }
    }

    #[test]
    fn what_a_link_carries_depends_on_what_it_negotiated() {
        let practical = |kind, negotiated, transport| practical_bps(kind, negotiated, transport);
        assert_eq!(practical(LinkKind::Usb3Gen1, Some(5_000_000_000), None), Some(3_400_000_000));
        assert_eq!(practical(LinkKind::Usb3Gen1, Some(5_000_000_000), Some(BULK_ONLY)), Some(2_000_000_000));
        assert_eq!(practical(LinkKind::WiFi6, Some(1_201_000_000), None), Some(720_600_000));
        assert_eq!(practical(LinkKind::WiFi6, None, None), None);
        assert_eq!(practical(LinkKind::Thunderbolt3, Some(20_000_000_000), None), Some(11_000_000_000));
        assert_eq!(practical(LinkKind::Vpn, None, None), None);
    }
}
