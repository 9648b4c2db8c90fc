//! `completions` and `man`.

use std::io::Write;

use clap::CommandFactory;

use super::Output;
use crate::cli::Cli;
use crate::error::Exit;

/// Prints a completion script.
pub(super) fn completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tmgauge", &mut script);
    Output::stdout().write_all(&script)?;
    Ok(Exit::Done)
}

/// Prints the manual page, its subcommands' included.
pub(super) fn man() -> anyhow::Result<Exit> {
    let mut out = Output::stdout();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut out)?;
    for subcommand in command.get_subcommands() {
        clap_mangen::Man::new(subcommand.clone()).render(&mut out)?;
    }
    Ok(Exit::Done)
}
