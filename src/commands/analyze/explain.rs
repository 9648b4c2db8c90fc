//! `--explain`: how each file was told, and what of it was not understood.

use crate::commands::Output;
use crate::report::human;
use crate::report::text::escape;
use crate::sources::Gathered;

/// So many formats that came near are shown.
const NEAREST: usize = 4;

pub(super) fn explain(found: &Gathered, output: &Output) {
    for file in &found.explained {
        let name = escape(&file.name);
        match &file.format {
            Some(format) => output.say(&format!("{name}: read as {format}")),
            None => output.say(&format!("{name}: of no known form")),
        }
        for score in file.scores.iter().take(NEAREST) {
            output.say(&format!("  {}", escape(score)));
        }
        let counts = &file.counts;
        if counts.foreign > 0 {
            output.say(&format!(
                "  {}",
                human::counted(counts.foreign, "line of another program", "lines of other programs")
            ));
        }
        if counts.not_understood > 0 {
            output.say(&format!("  {}:", not_understood(counts.not_understood)));
        }
        for line in &counts.examples {
            output.say(&format!("    {}", escape(line)));
        }
    }
}

fn not_understood(count: u64) -> String {
    human::counted(count, "message of backupd that nobody understood", "messages of backupd that nobody understood")
}
