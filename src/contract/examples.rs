//! Backups for tests; all names and figures are invented.

use std::time::Duration;

use chrono::{DateTime, FixedOffset};

use crate::domain::backup::*;
use crate::domain::destination::{Destination, DestinationKind};
use crate::domain::event::Trigger;
use crate::domain::link::{ChainElement, Confidence, Evidence, Link, LinkKind, Seen};
use crate::domain::phase::Phase;
use crate::domain::time::{Moment, Wall};
use crate::domain::units::{Amount, BitRate};

pub(crate) fn at(text: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(text).unwrap()
}

pub(crate) fn secs(seconds: f64) -> Duration {
    Duration::from_millis((seconds * 1000.0).round() as u64)
}

/// A backup of which nothing is known.
pub(crate) fn unknown() -> Backup {
    Backup::unknown()
}

pub(crate) fn usb3() -> Link {
    Link {
        kind: LinkKind::Usb3Gen1,
        negotiated_bps: Some(5_000_000_000),
        port_max_bps: Some(5_000_000_000),
        practical_bps: Some(2_000_000_000),
        device: Some("Borealis BX-2TU3".to_owned()),
        vendor: Some("Borealis".to_owned()),
        bsd_name: Some("disk4s2".to_owned()),
        chain: vec![],
        transport: Some("bulk-only transport".to_owned()),
        seen: Seen::Before,
        kind_confidence: Confidence::Certain,
        rate_confidence: Confidence::Certain,
        evidence: vec![Evidence {
            tool: "ioreg".to_owned(),
            key: "UsbLinkSpeed".to_owned(),
            value: "5000000000".to_owned(),
        }],
    }
}

const PHASES: &[(&str, &str, f64)] = &[
    ("Starting", "2026-09-12T13:02:11+02:00", 3.8),
    ("MountingBackupVol", "2026-09-12T13:02:14.8+02:00", 6.9),
    ("SizingChanges", "2026-09-12T13:02:21.7+02:00", 151.9),
    ("Copying", "2026-09-12T13:04:53.6+02:00", 2311.4),
    ("Finishing", "2026-09-12T13:43:25+02:00", 38.4),
];

/// The first backup over USB 3.0 of the mock-ups.
pub(crate) fn usb3_first() -> Backup {
    let stall = |start, seconds, items_moved| Stall {
        started: Moment::at_wall(Wall::Zoned(at(start))),
        duration: secs(seconds),
        items_moved: Some(items_moved),
    };
    Backup {
        id: Some("7f3a1c0de5b2".to_owned()),
        trigger: Some(Trigger::Manual),
        first: Some(true),
        destination: Destination {
            name: Some("TM-LaCie".to_owned()),
            kind: Some(DestinationKind::Local),
            ..Destination::default()
        },
        links: vec![usb3(), Link { seen: Seen::After, ..usb3() }],
        started: Some(Wall::Zoned(at("2026-09-12T13:02:11+02:00"))),
        ended: Some(Wall::Zoned(at("2026-09-12T13:44:11+02:00"))),
        duration: Some(secs(2520.0)),
        copy_duration: Some(secs(2311.4)),
        phases: PHASES
            .iter()
            .map(|&(name, start, seconds)| PhaseSpan {
                phase: Phase::new(name),
                started: Moment::at_wall(Wall::Zoned(at(start))),
                duration: Some(secs(seconds)),
            })
            .collect(),
        copied: Copied { data: Some(Amount::exact(91_272_331_264)), logical_bytes: None, items: Some(412_806) },
        outcome: Outcome::Completed,
        stalls: Some(vec![
            stall("2026-09-12T13:31:47+02:00", 74.0, false),
            stall("2026-09-12T13:36:30+02:00", 96.0, true),
        ]),
        sources: [
            ("copied.bytes".to_owned(), Source::Status),
            ("ended_at".to_owned(), Source::Log),
            ("started_at".to_owned(), Source::Command),
        ]
        .into(),
        warnings: vec![Warning {
            code: WarningCode::StatusGap,
            field: Some("samples".to_owned()),
            message: "tmutil gave no answer for 31 s at 13:20:12; 6 samples are missing".to_owned(),
        }],
        ..unknown()
    }
}

/// A backup of which every field is known.
pub(crate) fn full() -> Backup {
    let text = |text: &str| Some(text.to_owned());
    Backup {
        host: text("mac-of-nobody"),
        destination: Destination {
            id: text("0B1C2D3E-4F50-6172-8394-A5B6C7D8E9F0"),
            name: text("TM-LaCie"),
            kind: Some(DestinationKind::Network),
            mount_point: text("/Volumes/TM-LaCie"),
            url: text("smb://nas.example/tm"),
            bsd_name: text("disk4s2"),
            quota_bytes: None,
            last_used: false,
        },
        links: vec![Link {
            chain: vec![ChainElement {
                kind: "hub".to_owned(),
                name: text("Borealis Hub"),
                negotiated_bps: Some(5_000_000_000),
            }],
            ..usb3()
        }],
        asleep: Some(secs(0.25)),
        copied: Copied {
            data: Some(Amount::rounded(91_300_000_000, 50_000_000)),
            logical_bytes: Some(93_900_000_000),
            items: Some(412_806),
        },
        outcome: Outcome::Failed,
        failure: Some(Failure {
            code: Some(26),
            name: text("BACKUP_FAILED_DISCONNECTED_NETWORK"),
            message: text("the network disk went away"),
        }),
        destination_test: Some(DestinationTest {
            large_file: BitRate::from_bps(1.5e9),
            small_files: BitRate::from_bps(1.25e6),
        }),
        attempts: Some(Attempts {
            attempt: Some(2),
            attempts: Some(3),
            copied_bytes_at_least: Some(1),
            copied_bytes_at_most: Some(2),
            wall: Some(secs(86_400.5)),
            busy: Some(secs(3_600.125)),
        }),
        conditions: Conditions {
            macos: text("13.2"),
            build: text("22D49"),
            power: text("mains"),
            throttled: Some(true),
            encrypted: Some(false),
            file_system: text("apfs"),
            free_bytes: Some(1_000_000),
        },
        machine: Machine {
            model: text("Mac14,2"),
            chip: text("Apple M2"),
            memory_bytes: Some(8 << 30),
            source_disk: text("APPLE SSD"),
        },
        samples: Some(vec![Point {
            t: 1.5,
            phase: Some(Phase::new("Copying")),
            bytes: Some(1),
            items: Some(2),
            percent: Some(0.25),
        }]),
        observed: Some(Observed {
            from: Some(at("2026-09-12T13:02:10+02:00")),
            until: Some(at("2026-09-12T13:44:21+02:00")),
            complete: true,
            by: "run".to_owned(),
        }),
        ..usb3_first()
    }
}
