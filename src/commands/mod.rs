//! One file a subcommand: chooses sources, calls, renders. No arithmetic and no parsing.

mod analyze;
mod compare;
mod destinations;
mod doctor;
mod doors;
mod generate;
mod kept;
mod observing;
mod output;
mod report;
mod run;
mod said;
mod selection;
mod summary;
mod watch;

use crate::cli::{Cli, Command};
use crate::error::Exit;

pub use output::Output;

/// Carries out a command and tells the exit code.
///
/// # Errors
/// What ended it; [`crate::error::exit_of`] gives the code.
pub fn carry_out(cli: &Cli, output: &Output) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Run(args) => run::run(args, output),
        Command::Watch(args) => watch::watch(args, output),
        Command::Analyze(args) => analyze::analyze(args, output),
        Command::Destinations(args) => destinations::destinations(args, output),
        Command::Summary(args) => summary::summary(args, output),
        Command::Compare(args) => compare::compare(args, output),
        Command::Report(args) => report::report(args, output),
        Command::Doctor(args) => doctor::doctor(args, output),
        Command::Completions { shell } => generate::completions(*shell),
        Command::Man => generate::man(),
    }
}
