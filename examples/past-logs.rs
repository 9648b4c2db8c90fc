//! Makes logs of any size to measure `tmgauge analyze` with: `cargo run --release --example past-logs -- KIND MIB > FILE`.
//!
//! Kinds: `sparse` (all that a Mac logs in the default style, one record in a thousand said by backupd), `dense` (backupd only,
//! in the mix of a Ventura Mac: per backup a scan, about 400 blocks of progress, a result and a verdict), `ndjson` (the same as
//! `dense` with one object a record), `system` (system.log of 10.7 with one backup an hour). Everything is invented, and the same
//! arguments give the same bytes.

use std::io::{self, BufWriter, Write};

use chrono::{DateTime, FixedOffset, TimeDelta};

/// How many blocks of progress a backup of the dense log logs.
const BLOCKS: u64 = 400;
/// Programs that fill a system log, with a line of each.
const OTHERS: &[(&str, &str)] = &[
    ("mds_stores", "(CoreSpotlight) [com.apple.spotlight:query] store 0x7f8 query finished, 214 results in 0.013 s"),
    ("kernel", "(AppleUSBFamily) IOUSBHostInterface: device 0x14200000 suspended, 3 clients remain open"),
    ("WindowServer", "(SkyLight) [com.apple.SkyLight:default] display 2 transaction 0x5c13 committed after 7 ms"),
    ("bluetoothd", "[com.apple.bluetooth:Server.Core] connection handle 0x0040 changed its sniff interval to 30 ms"),
    ("nsurlsessiond", "(CFNetwork) [com.apple.CFNetwork:Default] Task <3F1C>.<12> finished successfully, 1832 bytes"),
];

struct Writer<W> {
    out: W,
    written: u64,
    at: DateTime<FixedOffset>,
    style: Style,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Default,
    Ndjson,
}

impl<W: Write> Writer<W> {
    fn stamp(&self) -> String {
        self.at.format("%Y-%m-%d %H:%M:%S%.6f%z").to_string()
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        self.written += text.len() as u64 + 1;
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")
    }

    fn backupd(&mut self, category: &str, message: &str) -> io::Result<()> {
        let stamp = self.stamp();
        let record = match self.style {
            Style::Default => format!(
                "{stamp} 0x14cbf68  Info        0x0                  23864  0    backupd: (TimeMachine) [com.apple.TimeMachine:{category}] {message}"
            ),
            Style::Ndjson => ndjson(&stamp, category, message),
        };
        self.put(&record)?;
        self.at += TimeDelta::milliseconds(730);
        Ok(())
    }

    fn other(&mut self, number: u64) -> io::Result<()> {
        let (process, message) = OTHERS[usize::try_from(number).unwrap_or(0) % OTHERS.len()];
        let stamp = self.stamp();
        let thread = number % 60_000;
        self.put(&format!(
            "{stamp} 0x{thread:<8x} Default     0x0                  {:<6} 0    {process}: {message}",
            number % 900
        ))?;
        self.at += TimeDelta::microseconds(2_113);
        Ok(())
    }

    fn backup(&mut self, blocks: u64) -> io::Result<()> {
        self.backupd("General", "Starting automatic backup")?;
        self.backupd("General", "Backing up to Attic Disk (/dev/disk4s2,e): /Volumes/Attic Disk")?;
        self.backupd("EventCollection", "Finished collecting events from volume \"Data\"\n\t       21704 Total Items Changed\nChange Overview:\n100% (21704): <Root of Tree>")?;
        self.backupd("CopyProgress", "Copying \"Data\" (device: /dev/disk3s5 mount: '/System/Volumes/Data' fsUUID: 0B6E2D10-7A31-4C59-9E04-5D1C8A2F3B47 eventDBUUID: 5E1F6A08-33B2-4D7E-8C61-0F9A7B2D4C15)")?;
        let name = self.at.format("%Y-%m-%d-%H%M%S").to_string();
        for block in 1..=blocks {
            let (items, megabytes) = (block * 37, block * 3);
            self.backupd("CopyProgress", &format!(".•••••••   .\n\tProgress: {}% done, 0.2620%/s, 6.25 MB/s, avg: 6.25 MB/s, 56.96 items/s, avg: 56.96 items/s\n\tCopied: {items} (l:{megabytes}.1 MB p:{megabytes}.2 MB) Propagated: 1539959 (l:472.71 GB p:465.43 GB) Propagated (shallow): 16022 (l:Zero KB p:Zero KB)\n\tBackup Projected Stats: 3503449 items (p:780.56 GB)\n\tCurrent: Zero KB/(l:4 KB,p:8 KB) - /Volumes/Attic Disk/{name}.inprogress/Data/Users/mira/Library/Containers/com.example.mail/Data/{block}", block * 100 / blocks))?;
            if block % 2 == 0 {
                self.backupd("General", "Mountpoint '/Volumes/Attic Disk' is still valid")?;
            }
        }
        let (items, megabytes) = (blocks * 37, blocks * 3);
        self.backupd("CopyProgress", &format!("Finished copying from volume \"Data\"\n\t      {items} Total Items Added (l: {megabytes}.1 MB p: {megabytes}.2 MB)\n\t      498907 Total Items Propagated (shallow) (l: Zero KB p: Zero KB)\n\t    10762313 Total Items in Backup (l: 1.7 TB p: 1.7 TB)"))?;
        self.backupd("General", &format!("Backup result: {{\n    BackupStrategy = 2;\n    Progress =     {{\n        bytes = {0};\n    }};\n    \"com.apple.backupd.SnapshotTotalBytesCopied\" = {0};\n}}", megabytes * 1_000_000 + 200_000))?;
        let done = self.at.format("%Y-%m-%d-%H%M%S").to_string();
        self.backupd("General", &format!("Completed backup: {done}.backup"))?;
        self.at += TimeDelta::minutes(50);
        Ok(())
    }

    fn old_backup(&mut self) -> io::Result<()> {
        let lines = [
            "Starting standard backup",
            "Backing up to: /Volumes/Attic/Backups.backupdb",
            "1.53 GB required (including padding), 598.36 GB available",
            "Copied 2257 files (2.1 MB) from volume Macintosh HD.",
            "Starting post-backup thinning",
            "No post-back up thinning needed: no expired backups exist",
            "Backup completed successfully.",
        ];
        for line in lines {
            let stamp = self.at.format("%b %e %H:%M:%S");
            self.put(&format!("{stamp} mira-air com.apple.backupd[9232]: {line}"))?;
            self.at += TimeDelta::seconds(9);
        }
        for number in 0..2_000 {
            let stamp = self.at.format("%b %e %H:%M:%S");
            self.put(&format!(
                "{stamp} mira-air kernel[0]: en0: channel {} is busy, {number} frames waited",
                number % 13
            ))?;
            self.at += TimeDelta::milliseconds(1700);
        }
        Ok(())
    }
}

fn ndjson(stamp: &str, category: &str, message: &str) -> String {
    let escaped = serde_json::Value::from(message).to_string().replace('/', "\\/");
    format!(
        r#"{{"timezoneName":"","messageType":"Info","eventType":"logEvent","source":null,"formatString":"%{{public}}@","userID":0,"activityIdentifier":0,"subsystem":"com.apple.TimeMachine","category":"{category}","threadID":21806952,"senderImageUUID":"A9BC891F-0E73-56B9-853C-F7842FDA6784","backtrace":{{"frames":[{{"imageOffset":123456,"imageUUID":"A9BC891F-0E73-56B9-853C-F7842FDA6784"}}]}},"bootUUID":"C25F3C6C-4750-5E16-919F-26893046764E","processImagePath":"\/System\/Library\/CoreServices\/TimeMachine\/backupd","senderImagePath":"\/System\/Library\/PrivateFrameworks\/TimeMachine.framework\/Versions\/A\/TimeMachine","timestamp":"{stamp}","machTimestamp":90000000000000,"eventMessage":{escaped},"processImageUUID":"62509E7D-409F-567C-95A5-B1FC578F2553","traceID":1000000000000,"processID":23864,"senderProgramCounter":123456,"parentActivityIdentifier":0}}"#
    )
}

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = || io::Error::other("usage: past-logs sparse|dense|ndjson|system MIB");
    let [kind, size] = args.as_slice() else { return Err(usage()) };
    let wanted = size.parse::<u64>().map_err(io::Error::other)? << 20;
    let at = DateTime::parse_from_rfc3339("2023-02-17T08:00:00-08:00").map_err(io::Error::other)?;
    let style = if kind == "ndjson" { Style::Ndjson } else { Style::Default };
    let mut log = Writer { out: BufWriter::new(io::stdout().lock()), written: 0, at, style };
    let mut number = 0;
    while log.written < wanted {
        number += 1;
        match kind.as_str() {
            "sparse" if number % 2_000_000 == 1_000 => log.backup(4)?,
            "sparse" if number % 1_000 == 0 => {
                log.backupd("General", "Mountpoint '/Volumes/Attic Disk' is still valid")?;
            }
            "sparse" => log.other(number)?,
            "dense" | "ndjson" => log.backup(BLOCKS)?,
            "system" => log.old_backup()?,
            _ => return Err(usage()),
        }
    }
    log.out.flush()
}
