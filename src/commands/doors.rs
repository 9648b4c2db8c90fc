//! Opens the doors that the command line asks for: this Mac, its tools from a folder, or a recording.

use std::fs::File;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::{Speed, ToolArgs};
use crate::error::Failure;
use crate::ports::{Mac, Tools};
use crate::system::inbox::{RealMac, waiter};
use crate::system::process::Toolbox;
use crate::system::recording::format::{Header, Kind, Recording};
use crate::system::recording::record::{Options, Record};
use crate::system::recording::replay::Replay;
use crate::tmutil::calls::Deadlines;
use crate::tmutil::destinations::parse_destinations;

/// On a terminal a recording takes about so long.
const SHOWN_IN: Duration = Duration::from_secs(10);
/// What only programs with Full Disk Access may read since macOS 10.14.
const PROTECTED: &str = "/Library/Preferences/com.apple.TimeMachine.plist";

/// Open doors.
pub(super) struct Opened {
    door: Door,
    /// Whether it is a recording.
    pub(super) is_replay: bool,
    tools_elsewhere: bool,
}

/// A door, plain or with a recorder in it.
enum Door {
    Here(Box<RealMac>),
    Played(Box<Replay>),
    HereRecorded(Box<Record<RealMac>>),
    PlayedRecorded(Box<Record<Replay>>),
}

/// Opens what the command line asks for. `say` takes what is to be known of a recording.
pub(super) fn open(args: &ToolArgs, say: &mut dyn FnMut(&str)) -> anyhow::Result<Opened> {
    let tools_elsewhere = args.tools.is_some();
    let Some(folder) = &args.replay else {
        let toolbox = match &args.tools {
            Some(folder) => Toolbox::folder(folder)?,
            None => Toolbox::system(),
        };
        let mut mac = RealMac::new(toolbox)?;
        let door = match &args.record {
            Some(folder) => {
                let destinations = mount_points(&mut mac);
                Door::HereRecorded(Box::new(record(mac, folder, &destinations, args.raw)?))
            }
            None => Door::Here(Box::new(mac)),
        };
        return Ok(Opened { door, is_replay: false, tools_elsewhere });
    };
    let replay = replay(folder, args.speed, say)?;
    let door = match &args.record {
        Some(folder) => Door::PlayedRecorded(Box::new(record(replay, folder, &[], args.raw)?)),
        None => Door::Played(Box::new(replay)),
    };
    Ok(Opened { door, is_replay: true, tools_elsewhere })
}

/// Where the destinations are mounted: nothing is recorded there.
fn mount_points(mac: &mut RealMac) -> Vec<PathBuf> {
    let answer = mac.run(&Deadlines::default().destinationinfo());
    let destinations = parse_destinations(&answer.stdout).unwrap_or_default();
    destinations.into_iter().filter_map(|destination| destination.mount_point).map(PathBuf::from).collect()
}

fn record<M: Mac>(mac: M, folder: &Path, destinations: &[PathBuf], raw: bool) -> Result<Record<M>, Failure> {
    let header = Header {
        title: "recorded by tmgauge".to_owned(),
        kind: Kind::Captured,
        macos: None,
        start: mac.now().wall,
        time_zone: None,
        redacted: None,
        note: None,
    };
    Record::start(mac, header, &Options { folder, destinations, raw })
}

fn replay(folder: &Path, speed: Option<Speed>, say: &mut dyn FnMut(&str)) -> anyhow::Result<Replay> {
    let recording = Recording::read(folder)?;
    for warning in &recording.warnings {
        say(&format!("warning: {warning}"));
    }
    let shown = recording.length().as_secs_f64() / SHOWN_IN.as_secs_f64();
    let replay = Replay::new(recording);
    let speed = match speed {
        Some(Speed::Times(times)) => times,
        None if stderr().is_terminal() && shown > 0.0 => shown,
        Some(Speed::Max) | None => return Ok(replay),
    };
    Ok(replay.at_speed(speed, waiter()?))
}

impl Opened {
    /// The Mac behind the door.
    pub(super) fn mac(&mut self) -> &mut dyn Mac {
        match &mut self.door {
            Door::Here(mac) => mac.as_mut(),
            Door::Played(mac) => mac.as_mut(),
            Door::HereRecorded(mac) => mac.as_mut(),
            Door::PlayedRecorded(mac) => mac.as_mut(),
        }
    }

    /// Whether this program may read what Time Machine protects; `None` where that says nothing about a Mac.
    pub(super) fn full_disk_access(&self) -> Option<bool> {
        let here = cfg!(target_os = "macos") && !self.is_replay && !self.tools_elsewhere;
        here.then(|| File::open(PROTECTED).is_ok())
    }

    /// Finishes a recording, if one was made.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self.door {
            Door::HereRecorded(recorder) => recorder.finish(),
            Door::PlayedRecorded(recorder) => recorder.finish(),
            Door::Here(_) | Door::Played(_) => Ok(()),
        }
    }
}
