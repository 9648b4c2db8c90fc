//! tmgauge measures Apple Time Machine backups: how much, how long, how fast, over which interface.
//!
//! docs/design.md tells how the rooms lie and how data flow through them.

pub mod apple;
pub mod cli;
pub mod commands;
pub mod contract;
pub mod domain;
pub mod error;
pub mod links;
pub mod logs;
pub mod observe;
pub mod ports;
pub mod report;
pub mod sources;
pub mod system;
pub mod tmutil;

use std::ffi::OsString;
use std::io::{Write, stderr, stdout};

use clap::Parser;
use clap::error::ErrorKind;

use cli::Cli;
use commands::Output;
use error::Exit;

/// Carries out a command line and tells the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let output = Output::new(&cli.common);
    match commands::carry_out(&cli, &output) {
        Ok(exit) => exit,
        Err(error) => {
            let exit = error::exit_of(&error);
            if exit != Exit::Done {
                // Nobody is left to tell that this could not be told.
                let _ = report::failure::write(&error, output.format, &output.stderr_style(), &mut stderr().lock());
            }
            exit
        }
    }
}

/// Shows help or the version, or what is wrong with the command line.
fn usage(error: &clap::Error) -> Exit {
    let text = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = write!(stdout().lock(), "{text}");
            Exit::Done
        }
        _ => {
            let _ = write!(stderr().lock(), "{text}");
            Exit::CommandLine
        }
    }
}
