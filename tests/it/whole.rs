//! Backups of which everything, or nothing, is known. All names and figures are invented.

use std::time::Duration;

use chrono::{DateTime, FixedOffset, NaiveDate};
use tmgauge::domain::backup::{
    Attempts, Backup, Conditions, Copied, DestinationTest, Failure, Machine, Observed, Outcome, PhaseSpan, Point,
    Source, Stall, Warning, WarningCode,
};
use tmgauge::domain::destination::{Destination, DestinationKind};
use tmgauge::domain::event::Trigger;
use tmgauge::domain::link::{ChainElement, Confidence, Evidence, Link, LinkKind, Seen};
use tmgauge::domain::phase::Phase;
use tmgauge::domain::time::{Moment, Wall};
use tmgauge::domain::units::{Amount, BitRate};

pub(crate) fn at(text: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(text).unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "what the fields want")]
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn moment(time: &str) -> Moment {
    Moment::at_wall(Wall::Zoned(at(time)))
}

/// Nothing is known.
pub(crate) fn unknown() -> Backup {
    Backup::unknown()
}

/// Everything is there, and nothing is known of it.
pub(crate) fn hollow() -> Backup {
    Backup {
        links: vec![Link {
            kind: LinkKind::Unknown,
            negotiated_bps: None,
            port_max_bps: None,
            practical_bps: None,
            device: None,
            vendor: None,
            bsd_name: None,
            chain: vec![ChainElement { kind: "hub".to_owned(), name: None, negotiated_bps: None }],
            transport: None,
            seen: Seen::Before,
            kind_confidence: Confidence::None,
            rate_confidence: Confidence::None,
            evidence: vec![],
        }],
        phases: vec![PhaseSpan { phase: Phase::new("Copying"), started: Moment::default(), duration: None }],
        failure: Some(Failure::default()),
        destination_test: Some(DestinationTest { large_file: None, small_files: None }),
        stalls: Some(vec![Stall { started: Moment::default(), duration: Duration::ZERO, items_moved: None }]),
        attempts: Some(Attempts::default()),
        samples: Some(vec![Point { t: 0.0, phase: None, bytes: None, items: None, percent: None }]),
        observed: Some(Observed { from: None, until: None, complete: false, by: "run".to_owned() }),
        warnings: vec![Warning { code: WarningCode::LogGap, field: None, message: "lines are missing".to_owned() }],
        ..unknown()
    }
}

/// Everything is known; what can't be known at the same time is in [`local_times`].
pub(crate) fn backup() -> Backup {
    Backup {
        id: text("0123456789ab"),
        host: text("mac-of-nobody"),
        trigger: Some(Trigger::Manual),
        first: Some(true),
        destination: Destination {
            id: text("00000000-0000-4000-8000-000000000001"),
            name: text("Anvil"),
            kind: Some(DestinationKind::Network),
            mount_point: text("/Volumes/Anvil"),
            url: text("smb://nas.example/anvil"),
            bsd_name: text("disk4s2"),
            quota_bytes: None,
            last_used: false,
        },
        links: vec![link()],
        started: Some(Wall::Zoned(at("2026-02-03T04:05:06+01:00"))),
        ended: Some(Wall::Zoned(at("2026-02-03T04:25:06+01:00"))),
        duration: Some(Duration::from_secs(1200)),
        copy_duration: Some(Duration::from_secs(1000)),
        asleep: Some(Duration::from_millis(250)),
        phases: vec![PhaseSpan {
            phase: Phase::new("Copying"),
            started: moment("2026-02-03T04:06:00+01:00"),
            duration: Some(Duration::from_secs(1000)),
        }],
        copied: Copied {
            data: Some(Amount::rounded(90_000_000_000, 50_000_000)),
            logical_bytes: Some(91_000_000_000),
            items: Some(400_000),
        },
        outcome: Outcome::Failed,
        failure: Some(Failure {
            code: Some(26),
            name: text("BACKUP_FAILED_DISCONNECTED_NETWORK"),
            message: text("the connection to the server was lost"),
        }),
        destination_test: Some(DestinationTest {
            large_file: BitRate::from_bps(1.5e9),
            small_files: BitRate::from_bps(1.5e7),
        }),
        stalls: Some(vec![Stall {
            started: moment("2026-02-03T04:10:00+01:00"),
            duration: Duration::from_secs(70),
            items_moved: Some(true),
        }]),
        attempts: Some(Attempts {
            attempt: Some(2),
            attempts: Some(2),
            copied_bytes_at_least: Some(1),
            copied_bytes_at_most: Some(2),
            wall: Some(Duration::from_secs(9000)),
            busy: Some(Duration::from_secs(3000)),
        }),
        conditions: Conditions {
            macos: text("15.5"),
            build: text("24F74"),
            power: text("mains"),
            throttled: Some(true),
            encrypted: Some(false),
            file_system: text("apfs"),
            free_bytes: Some(1_000_000_000_000),
        },
        machine: Machine {
            model: text("Mac14,2"),
            chip: text("Apple M2"),
            memory_bytes: Some(8 << 30),
            source_disk: text("APPLE SSD"),
        },
        samples: Some(vec![Point {
            t: 60.0,
            phase: Some(Phase::new("Copying")),
            bytes: Some(1),
            items: Some(1),
            percent: Some(0.25),
        }]),
        observed: Some(Observed {
            from: Some(at("2026-02-03T04:05:05+01:00")),
            until: Some(at("2026-02-03T04:25:16+01:00")),
            complete: true,
            by: "run".to_owned(),
        }),
        sources: [("copied.bytes".to_owned(), Source::Log)].into(),
        warnings: vec![Warning {
            code: WarningCode::StatusGap,
            field: text("samples"),
            message: "no answer for 31 s".to_owned(),
        }],
    }
}

fn link() -> Link {
    Link {
        kind: LinkKind::Usb3Gen1,
        negotiated_bps: Some(5_000_000_000),
        port_max_bps: Some(5_000_000_000),
        practical_bps: Some(3_400_000_000),
        device: text("Borealis BX-2TU3"),
        vendor: text("Borealis"),
        bsd_name: text("disk4"),
        chain: vec![ChainElement {
            kind: "hub".to_owned(),
            name: text("Borealis Hub"),
            negotiated_bps: Some(5_000_000_000),
        }],
        transport: text("USB attached SCSI"),
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

/// The times have no offset.
pub(crate) fn local_times() -> Backup {
    let day = NaiveDate::from_ymd_opt(2026, 2, 3).unwrap();
    let local = |hour| Some(Wall::Local(day.and_hms_opt(hour, 0, 0).unwrap()));
    Backup { started: local(4), ended: local(5), ..backup() }
}
