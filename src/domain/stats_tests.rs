#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "figures of tests are small and exact"
)]

use proptest::prelude::*;

use super::*;
use crate::domain::backup::Copied;
use crate::domain::link::{Confidence, Link, LinkKind, Seen};
use crate::domain::units::Amount;

/// A completed backup of which only this is known.
pub(in crate::domain) fn backup(kind: Option<LinkKind>, gigabytes: f64, seconds: u64, first: Option<bool>) -> Backup {
    let link = |kind| Link {
        kind,
        negotiated_bps: None,
        port_max_bps: None,
        practical_bps: None,
        device: None,
        vendor: None,
        bsd_name: None,
        chain: vec![],
        transport: None,
        seen: Seen::Before,
        kind_confidence: Confidence::Certain,
        rate_confidence: Confidence::Certain,
        evidence: vec![],
    };
    Backup {
        first,
        links: kind.map(link).into_iter().collect(),
        duration: Some(Duration::from_secs(seconds)),
        copied: Copied { data: Some(Amount::exact((gigabytes * 1e9) as u64)), ..Copied::default() },
        outcome: Outcome::Completed,
        ..Backup::unknown()
    }
}

#[test]
fn a_median_of_none_one_and_two() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[7.0]), Some(7.0));
    assert_eq!(median(&[9.0, 7.0]), Some(8.0));
    assert_eq!(median(&[9.0, f64::NAN, 7.0, 1.0]), Some(7.0));
}

#[test]
fn quantiles_are_those_of_type_7() {
    let values = [10.0, 1.0, 4.0, 2.0, 3.0];
    // 0.1 × 4 = 0.4 between 1 and 2; 0.9 × 4 = 3.6 between 4 and 10.
    assert_eq!(quantile(&values, 0.1), Some(1.4));
    assert!((quantile(&values, 0.9).unwrap() - 7.6).abs() < 1e-12);
    let five = Spread::of(&values).unwrap();
    assert!(five.percentiles && (five.low - 1.4).abs() < 1e-12);
    assert_eq!(Spread::of(&values[..4]), Some(Spread { low: 1.0, high: 10.0, percentiles: false }));
    assert_eq!(Spread::of(&values[..1]), None);
}

#[test]
fn groups_stand_by_class_and_speed_and_what_is_not_known_stands_last() {
    let later = Some(false);
    let backups = [
        backup(Some(LinkKind::Usb2), 10.0, 1000, later),
        backup(Some(LinkKind::Usb3Gen1), 10.0, 250, later),
        backup(Some(LinkKind::Usb3Gen1), 30.0, 250, later),
        backup(None, 40.0, 250, later),
        backup(Some(LinkKind::Usb2), 90.0, 9000, Some(true)),
        backup(Some(LinkKind::Usb2), 90.0, 9000, None),
    ];
    let statistics = summarise(&backups, By::Interface, MIN_BYTES);
    let rows: Vec<_> = statistics
        .groups
        .iter()
        .map(|group| {
            (group.class, group.key.as_deref(), group.n, group.effective_bps.unwrap(), group.relative.unwrap())
        })
        .collect();
    assert_eq!(
        rows,
        [
            (Class::First, Some("usb-2.0"), 1, 80e6, 1.0),
            (Class::Later, Some("usb-3.2-gen-1"), 2, 640e6, 8.0),
            (Class::Later, Some("usb-2.0"), 1, 80e6, 1.0),
            (Class::Later, None, 1, 1280e6, 16.0),
            (Class::Unknown, Some("usb-2.0"), 1, 80e6, 1.0),
        ]
    );
    assert_eq!(statistics.groups[1].total_rate().unwrap().bps(), 640e6);
    assert_eq!((statistics.groups[3].of_negotiated, statistics.groups[3].of_practical), (None, None));
}

#[test]
fn what_says_nothing_is_left_out_for_a_reason() {
    let whole = backup(Some(LinkKind::Usb2), 10.0, 1000, Some(false));
    let with = |change: fn(&mut Backup)| {
        let mut backup = whole.clone();
        change(&mut backup);
        LeftOut::reason(&backup, MIN_BYTES)
    };
    assert_eq!(with(|_| ()), None);
    assert_eq!(with(|b| b.outcome = Outcome::Failed), Some(LeftOut::Failed));
    assert_eq!(with(|b| b.outcome = Outcome::Running), Some(LeftOut::Running));
    assert_eq!(with(|b| b.copied.data = None), Some(LeftOut::SizeUnknown));
    assert_eq!(with(|b| b.copied.data = Some(Amount::at_least(9_000_000_000))), Some(LeftOut::SizeUnknown));
    assert_eq!(with(|b| b.copied.data = Some(Amount::exact(999_999_999))), Some(LeftOut::Small));
    assert_eq!(with(|b| b.duration = None), Some(LeftOut::DurationUnknown));
    assert_eq!(with(|b| b.asleep = Some(Duration::from_secs(11))), Some(LeftOut::Asleep));
    assert_eq!(with(|b| b.asleep = Some(Duration::from_secs(9))), None);
}

/// The quantile by its definition: walk up the sorted values.
fn naive(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = 1.0 + (sorted.len() as f64 - 1.0) * p;
    let at = |number: f64| sorted[(number as usize).clamp(1, sorted.len()) - 1];
    at(position.floor()) * (1.0 - position.fract()) + at(position.floor() + 1.0) * position.fract()
}

proptest! {
    #[test]
    fn quantiles_agree_with_the_definition(values in prop::collection::vec(0.0_f64..1e12, 1..40), p in 0.0_f64..=1.0) {
        let got = quantile(&values, p).unwrap();
        prop_assert!((got - naive(&values, p)).abs() <= 1e-9 * 1e12);
        let mut turned = values.clone();
        turned.reverse();
        prop_assert_eq!(quantile(&turned, p), Some(got));
        let doubled: Vec<f64> = values.iter().map(|value| value * 2.0).collect();
        prop_assert!((quantile(&doubled, p).unwrap() - 2.0 * got).abs() <= 1e-3);
    }

    #[test]
    fn groups_lose_nobody_and_ratios_are_numbers(
        rows in prop::collection::vec((0_u8..4, 0_u64..200_000_000_000, 0_u64..100_000, any::<Option<bool>>()), 0..40),
    ) {
        let kinds = [None, Some(LinkKind::Usb2), Some(LinkKind::WiFi6), Some(LinkKind::Unknown)];
        let backups: Vec<Backup> = rows
            .iter()
            .map(|&(kind, bytes, seconds, first)| {
                let mut backup = backup(kinds[usize::from(kind)], 0.0, seconds, first);
                backup.copied.data = Some(Amount::exact(bytes));
                backup
            })
            .collect();
        let statistics = summarise(&backups, By::Interface, 0);
        prop_assert_eq!(statistics.counted() + statistics.left_out.values().sum::<usize>(), backups.len());
        for group in &statistics.groups {
            prop_assert!(group.relative.is_none_or(|times| times.is_finite() && times >= 1.0));
            prop_assert!(group.effective_bps.is_some_and(f64::is_finite));
        }
        let twice = summarise(backups.iter().chain(&backups), By::Interface, 0);
        let medians = |statistics: &Statistics| {
            statistics.groups.iter().map(|group| group.effective_bps.map(f64::to_bits)).collect::<Vec<_>>()
        };
        prop_assert_eq!(medians(&statistics).len(), medians(&twice).len());
        for (one, two) in statistics.groups.iter().zip(&twice.groups) {
            prop_assert_eq!((one.class, &one.key, one.n * 2), (two.class, &two.key, two.n));
        }
    }
}
