//! Opens the doors that the command line asks for: this Mac, its tools from a folder, or a recording.

use std::fs::File;
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::time::Duration;

use super::kept;
use crate::cli::{Speed, ToolArgs};
use crate::error::{Exit, Failure};
use crate::ports::Mac;
use crate::system::inbox::Queue;
use crate::system::mac::ThisMac;
use crate::system::recording::format::Recording;
use crate::system::recording::record::Recorder;
use crate::system::recording::replay::Replay;

/// On a terminal a recording takes about so long.
const SHOWN_IN: Duration = Duration::from_secs(10);
/// What only programs with Full Disk Access may read since macOS 10.14.
const PROTECTED: &str = "/Library/Preferences/com.apple.TimeMachine.plist";

/// Open doors.
pub(super) struct Opened {
    /// The Mac behind them.
    pub(super) mac: Door,
    /// Whether it is a recording.
    pub(super) is_replay: bool,
    tools_elsewhere: bool,
}

/// A door, plain or with a recorder in it.
pub(super) enum Door {
    /// Nobody keeps what is said.
    Plain(Box<dyn Mac>),
    /// Everything is kept.
    Recorded(Box<Recorder>),
}

impl Door {
    /// The Mac behind it.
    pub(super) fn as_mut(&mut self) -> &mut dyn Mac {
        match self {
            Self::Plain(mac) => mac.as_mut(),
            Self::Recorded(mac) => mac.as_mut(),
        }
    }
}

/// Opens what the command line asks for.
pub(super) fn open(args: &ToolArgs) -> anyhow::Result<Opened> {
    let is_replay = args.replay.is_some();
    let mac: Box<dyn Mac> = match &args.replay {
        Some(folder) => Box::new(replay(folder, args.speed)?),
        None => Box::new(ThisMac::open(args.tools.as_deref())?),
    };
    let mac = match &args.record {
        Some(folder) => {
            kept::refuse_backup_disk(folder)?;
            let recorder = Recorder::new(mac, folder, args.raw).map_err(|error| {
                Failure::new(Exit::Use, format!("could not begin a recording in `{}`: {error}", folder.display()))
                    .hint("name a new or empty folder")
            })?;
            Door::Recorded(Box::new(recorder))
        }
        None => Door::Plain(mac),
    };
    Ok(Opened { mac, is_replay, tools_elsewhere: args.tools.is_some() })
}

fn replay(folder: &Path, speed: Option<Speed>) -> anyhow::Result<Replay> {
    let recording = Recording::read(folder)?;
    let length = recording.length().as_secs_f64();
    let replay = Replay::new(recording);
    let shown = length / SHOWN_IN.as_secs_f64();
    let speed = match speed {
        Some(Speed::Times(times)) => times,
        None if stderr().is_terminal() && shown > 0.0 => shown,
        Some(Speed::Max) | None => return Ok(replay),
    };
    let mut queue = Queue::open()?;
    let wait = move |time| match queue.wait(time) {
        crate::ports::Wake::Signal(signal) => Some(signal),
        _ => None,
    };
    Ok(replay.at_speed(speed, Box::new(wait)))
}

impl Opened {
    /// Whether this program may read what Time Machine protects; `None` where that says nothing about a Mac.
    pub(super) fn full_disk_access(&self) -> Option<bool> {
        let here = cfg!(target_os = "macos") && !self.is_replay && !self.tools_elsewhere;
        here.then(|| File::open(PROTECTED).is_ok())
    }

    /// Finishes a recording, if one was made.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        if let Door::Recorded(recorder) = self.mac {
            recorder
                .finish()
                .map_err(|error| Failure::new(Exit::Damaged, format!("could not finish the recording: {error}")))?;
        }
        Ok(())
    }
}
