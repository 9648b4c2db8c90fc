use proptest::prelude::*;

use super::*;
use crate::contract::examples::{at, usb3};
use crate::domain::backup::WarningCode;
use crate::domain::destination::{Destination, DestinationKind};
use crate::domain::link::{Confidence, Evidence, Seen};
use crate::links::Look;

fn evidence(rows: &[[&str; 3]]) -> Vec<Evidence> {
    let own = |text: &str| text.to_owned();
    rows.iter().map(|[tool, key, value]| Evidence { tool: own(tool), key: own(key), value: own(value) }).collect()
}

fn way(name: &str, link: Link, bsd_name: Option<&str>, mounted: Option<&str>) -> Way {
    let destination =
        Destination { name: Some(name.to_owned()), kind: Some(DestinationKind::Local), ..Destination::default() };
    let look = Look {
        seen: Seen::Before,
        links: vec![link],
        bsd_name: bsd_name.map(str::to_owned),
        mounted: mounted.map(str::to_owned),
        generations: Vec::new(),
        warnings: Vec::new(),
    };
    Way { destination, look, at: at("2026-01-10T20:31:07+01:00") }
}

fn disk() -> Way {
    let rows = [
        ["diskutil info -plist disk4", "BusProtocol", "USB"],
        ["ioreg -a -l -r -c IOUSBHostDevice", "UsbLinkSpeed", "5000000000"],
        ["ioreg, IOMedia with BSD Name = disk4", "USB Product Name", "LCH-MN2TU3S"],
        ["ioreg, no hub above it", "locationID", "0x14500000"],
    ];
    let own = |text: &str| Some(text.to_owned());
    let link = Link { device: own("LCH-MN2TU3S"), vendor: own("LaCie"), evidence: evidence(&rows), ..usb3() };
    way("TM-LaCie", link, Some("disk4s2"), Some("/Volumes/TM-LaCie"))
}

fn nas() -> Way {
    let airport = "system_profiler -xml SPAirPortDataType";
    let rows = [
        ["ifconfig -v en0", "type:", "Wi-Fi"],
        ["netstat -anv -p tcp", "ESTABLISHED", "local address on en0"],
        [airport, "spairport_network_rate", "1201"],
        ["smbutil statshares -a -f JSON", "SMB_VERSION", "SMB_3.1.1"],
        ["smbutil multichannel -a -f JSON", "mc_on", "no"],
        [airport, "spairport_network_channel", "40 (5GHz, 80MHz)"],
    ];
    let link = Link {
        kind: LinkKind::WiFi6,
        negotiated_bps: Some(1_201_000_000),
        port_max_bps: None,
        practical_bps: Some(720_600_000),
        device: None,
        vendor: None,
        bsd_name: Some("en0".to_owned()),
        transport: Some("SMB 3.1.1, signed".to_owned()),
        rate_confidence: Confidence::High,
        evidence: evidence(&rows),
        ..usb3()
    };
    let mut way = way("NAS-TM", link, None, Some("/Volumes/.timemachine/my-nas/X/TimeMachine"));
    way.destination.url = Some("smb://my-nas/TimeMachine".to_owned());
    way.destination.last_used = true;
    way
}

fn nothing() -> Link {
    Link {
        kind: LinkKind::Unknown,
        negotiated_bps: None,
        port_max_bps: None,
        practical_bps: None,
        device: None,
        vendor: None,
        transport: None,
        kind_confidence: Confidence::None,
        rate_confidence: Confidence::None,
        evidence: evidence(&[["tmutil destinationinfo -X", "Kind", "Local, not mounted"]]),
        ..usb3()
    }
}

fn all() -> Vec<Way> {
    vec![disk(), nas(), way("Attic", nothing(), None, None)]
}

fn slow_port() -> Warning {
    let message = "port en5 could do 1 Gb/s and came up at 100 Mb/s: cable or switch".to_owned();
    Warning { code: WarningCode::SlowPort, field: None, message }
}

fn shown(ways: &[Way], warnings: &[Warning], explain: bool, style: &Style) -> String {
    lines(ways, warnings, explain, style).join("\n")
}

fn at_80() -> Style {
    Style { width: Some(80), ..Style::default() }
}

#[test]
fn every_destination_with_its_way() {
    insta::assert_snapshot!(shown(&all(), &[slow_port()], false, &at_80()), @r"
    TM-LaCie   USB 3.0 · 5 Gb/s
      device     LaCie LCH-MN2TU3S, bulk-only transport
      mounted    /Volumes/TM-LaCie (disk4s2)
      between    nothing, a port of the Mac
      rates      nominal 5 Gb/s, practical 250 MB/s
      sure       kind certain, rate certain

    NAS-TM     Wi-Fi 6 · 1,201 Mb/s · SMB 3.1.1                            last used
      server     my-nas, share TimeMachine
      mounted    by Time Machine itself, hidden
      between    en0 (Wi-Fi), channel 40, 80 MHz
      rates      nominal 1,201 Mb/s at 20:31:07, practical 90 MB/s (60 % of it)
      sure       kind certain, rate high for this moment, low as an average

    Attic      unknown
      mounted    –
      why        not mounted: macOS tells nothing of the way to it

    warning: port en5 could do 1 Gb/s and came up at 100 Mb/s: cable or switch
    ");
}

#[test]
fn with_what_decided() {
    insta::assert_snapshot!(shown(&all(), &[], true, &at_80()), @r"
    TM-LaCie   USB 3.0 · 5 Gb/s
      device     LaCie LCH-MN2TU3S, bulk-only transport
      mounted    /Volumes/TM-LaCie (disk4s2)
      between    nothing, a port of the Mac
      rates      nominal 5 Gb/s, practical 250 MB/s
      sure       kind certain, rate certain
      evidence
        kind     diskutil info -plist disk4               BusProtocol = USB
        rate     ioreg -a -l -r -c IOUSBHostDevice        UsbLinkSpeed = 5000000000
        device   ioreg, IOMedia with BSD Name = disk4     USB Product Name
        between  ioreg, no hub above it                   locationID = 0x14500000

    NAS-TM     Wi-Fi 6 · 1,201 Mb/s · SMB 3.1.1                            last used
      server     my-nas, share TimeMachine
      mounted    by Time Machine itself, hidden
      between    en0 (Wi-Fi), channel 40, 80 MHz
      rates      nominal 1,201 Mb/s at 20:31:07, practical 90 MB/s (60 % of it)
      sure       kind certain, rate high for this moment, low as an average
      evidence
        kind     ifconfig -v en0                          type: Wi-Fi
        way      netstat -anv -p tcp                      local address on en0
        rate     system_profiler SPAirPortDataType        …network_rate = 1201
        between  system_profiler SPAirPortDataType
                   …network_channel = 40 (5GHz, 80MHz)
        protocol smbutil statshares -a -f JSON            SMB_VERSION = SMB_3.1.1
        channels smbutil multichannel -a -f JSON          mc_on = no

    Attic      unknown
      mounted    –
      why        not mounted: macOS tells nothing of the way to it
      evidence
        kind     tmutil destinationinfo -X                Kind = Local, not mounted
    ");
}

#[test]
fn ascii() {
    let style = Style { ascii: true, ..at_80() };
    insta::assert_snapshot!(shown(&[disk()], &[], false, &style), @r"
    TM-LaCie   USB 3.0, 5 Gb/s
      device     LaCie LCH-MN2TU3S, bulk-only transport
      mounted    /Volumes/TM-LaCie (disk4s2)
      between    nothing, a port of the Mac
      rates      nominal 5 Gb/s, practical 250 MB/s
      sure       kind certain, rate certain
    ");
}

#[test]
fn candidates_and_none_chosen() {
    let rows = [
        ["system_profiler -xml SPUSBHostDataType", "candidate", "SanDisk Extreme 55AE at 10 Gb/s"],
        ["system_profiler -xml SPUSBHostDataType", "candidate", "SanDisk Extreme 55AE at 480 Mb/s"],
    ];
    let link = Link {
        kind: LinkKind::Usb,
        bsd_name: Some("disk6".to_owned()),
        evidence: evidence(&rows),
        kind_confidence: Confidence::High,
        ..nothing()
    };
    let shown = shown(&[way("Backup SSD", link, Some("disk6s1"), Some("/Volumes/Backup SSD"))], &[], false, &at_80());
    insta::assert_snapshot!(shown, @r"
    Backup SSD   USB · rate unknown
      device     one of: SanDisk Extreme 55AE at 10 Gb/s
                         SanDisk Extreme 55AE at 480 Mb/s
      mounted    /Volumes/Backup SSD (disk6s1)
      why        two devices carry this name and macOS doesn't say which holds disk6
    ");
}

#[test]
fn none() {
    insta::assert_snapshot!(shown(&[], &[], false, &at_80()), @r"
    No destination is configured.
    hint: System Settings > General > Time Machine > Add Backup Disk
    ");
}

#[test]
fn at_40_columns() {
    insta::assert_snapshot!(shown(&all()[..2], &[slow_port()], true, &Style { width: Some(40), ..Style::default() }), @r"
    TM-LaCie
      over       USB 3.0 · 5 Gb/s
      device     LaCie LCH-MN2TU3S,
                 bulk-only transport
      mounted    /Volumes/TM-LaCie (disk4s2)
      between    nothing, a port of the Mac
      rates      nominal 5 Gb/s, practical
                 250 MB/s
      sure       kind certain, rate certain
      evidence
        kind     diskutil info -plist disk4
                   BusProtocol = USB
        rate     ioreg -a -l -r -c IOUSBHostDevice
                   UsbLinkSpeed = 5000000000
        device   ioreg, IOMedia with BSD Name = disk4
                   USB Product Name
        between  ioreg, no hub above it
                   locationID = 0x14500000

    NAS-TM  last used
      over       Wi-Fi 6 · 1,201 Mb/s · SMB
                 3.1.1
      server     my-nas, share TimeMachine
      mounted    by Time Machine itself,
                 hidden
      between    en0 (Wi-Fi), channel 40, 80
                 MHz
      rates      nominal 1,201 Mb/s at
                 20:31:07, practical 90 MB/s
                 (60 % of it)
      sure       kind certain, rate high for
                 this moment, low as an
                 average
      evidence
        kind     ifconfig -v en0
                   type: Wi-Fi
        way      netstat -anv -p tcp
                   local address on en0
        rate     system_profiler SPAirPortDataType
                   …network_rate = 1201
        between  system_profiler SPAirPortDataType
                   …network_channel = 40
                   (5GHz, 80MHz)
        protocol smbutil statshares -a -f JSON
                   SMB_VERSION = SMB_3.1.1
        channels smbutil multichannel -a -f JSON
                   mc_on = no

    warning: port en5 could do 1 Gb/s and
    came up at 100 Mb/s: cable or switch
    ");
}

#[test]
fn the_name_is_bold_and_unknown_is_yellow() {
    let style = Style { color: true, ..at_80() };
    let lines = lines(&[way("Attic", nothing(), None, None)], &[slow_port()], false, &style);
    assert_eq!(lines[0], "\u{1b}[1mAttic\u{1b}[0m   \u{1b}[33munknown\u{1b}[0m");
    assert!(lines[4].starts_with("\u{1b}[33mwarning:\u{1b}[0m port en5"), "{lines:?}");
}

#[test]
fn saved_answers() {
    let told = Explained {
        tool: "ioreg".to_owned(),
        links: vec![disk().look.links[0].clone()],
        notes: vec!["a note".to_owned()],
    };
    let shown = explained(&[("a/ioreg.plist".to_owned(), told)], &at_80()).join("\n");
    insta::assert_snapshot!(shown, @r"
    a/ioreg.plist
      answer of  ioreg
      over       USB 3.0 · 5 Gb/s (disk4s2)
      device     LaCie LCH-MN2TU3S, bulk-only transport
      between    nothing, a port of the Mac
      rates      nominal 5 Gb/s, practical 250 MB/s
      sure       kind certain, rate certain
      evidence
        kind     diskutil info -plist disk4               BusProtocol = USB
        rate     ioreg -a -l -r -c IOUSBHostDevice        UsbLinkSpeed = 5000000000
        device   ioreg, IOMedia with BSD Name = disk4     USB Product Name
        between  ioreg, no hub above it                   locationID = 0x14500000
      note       a note
    ");
}

#[test]
fn markdown() {
    let mut out = Vec::new();
    write_markdown(&all(), &Style::default(), &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
    | destination | mounted | interface | device | between | practical | sure | why |
    |:--|:--|:--|:--|:--|:--|:--|:--|
    | TM-LaCie | yes | USB 3.0 · 5 Gb/s | LaCie LCH-MN2TU3S | nothing, a port of the Mac | 250 MB/s | kind certain, rate certain |  |
    | NAS-TM | yes | Wi-Fi 6 · 1,201 Mb/s · SMB 3.1.1 | – | en0 (Wi-Fi), channel 40, 80 MHz | 90 MB/s | kind certain, rate high for this moment, low as an average |  |
    | Attic | no | unknown | – | – | – | – | not mounted: macOS tells nothing of the way to it |
    ");
}

proptest! {
    #[test]
    fn any_name_and_width_fit(name in "\\PC{0,30}", room in 40..120_usize, ascii in any::<bool>()) {
        let mut ways = all();
        ways[0].destination.name = Some(name.replace(char::is_whitespace, "x"));
        let style = Style { ascii, width: Some(room), ..Style::default() };
        for line in lines(&ways, &[slow_port()], true, &style) {
            prop_assert!(!ascii || line.is_ascii(), "{line}");
            prop_assert!(width(&line) <= room.max(80) || !line.trim().contains(' '), "{} > {room}: {line}", width(&line));
        }
    }
}
