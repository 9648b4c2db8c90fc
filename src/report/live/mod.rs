//! What is shown while a backup runs: on a terminal, into a pipe, to a program, or to nobody.

mod lines;
mod pipe;
mod said;
mod terminal;

use std::io::{self, Write};
use std::time::Duration;

pub use lines::live_lines;
pub use pipe::pipe_line;
pub use said::{ended, intro, stopped};

use super::ndjson;
use super::style::{Format, Style};
use crate::contract::progress::ProgressJson;
use crate::domain::phase::Phase;
use crate::domain::progress::{Movement, Progress};
use crate::ports::{News, ProgressSink};

/// The ways to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// Nothing, unless someone asks.
    Hidden,
    /// Lines that are redrawn in place, on stderr.
    Terminal,
    /// A line now and then, on stderr.
    Lines,
    /// A JSON object a state, on stdout.
    Json,
}

/// Chooses how progress is shown.
pub fn choose(quiet: bool, format: Format, stderr_is_terminal: bool) -> Display {
    match (quiet, format, stderr_is_terminal) {
        (true, ..) => Display::Hidden,
        (false, Format::Ndjson, _) => Display::Json,
        (false, _, true) => Display::Terminal,
        (false, _, false) => Display::Lines,
    }
}

/// Opens a display. The style is that of stderr.
pub fn sink(display: Display, style: &Style) -> Box<dyn ProgressSink> {
    match display {
        Display::Hidden => Box::new(Hidden { style: style.clone(), err: io::stderr() }),
        Display::Terminal => Box::new(terminal::Terminal::new(style)),
        Display::Lines => Box::new(pipe::Lines::new(style, io::stderr())),
        Display::Json => Box::new(Json { out: io::stdout(), err: io::stderr() }),
    }
}

// A display that can't be written is no reason to end the measuring: failures of writing are left alone below.

/// Shows nothing but what someone asks for.
struct Hidden<W> {
    style: Style,
    err: W,
}

impl<W: Write> ProgressSink for Hidden<W> {
    fn update(&mut self, _: &Progress) {}

    fn show_now(&mut self, progress: &Progress) {
        let _ = writeln!(self.err, "{}", pipe_line(progress, &self.style));
    }

    fn say(&mut self, _: &News) {}

    fn finish(&mut self) {}
}

/// Writes an object for every state; what is said goes to people.
struct Json<O, E> {
    out: O,
    err: E,
}

impl<O: Write, E: Write> ProgressSink for Json<O, E> {
    fn update(&mut self, progress: &Progress) {
        let _ = ndjson::line(&ProgressJson::from(progress), &mut self.out);
    }

    fn show_now(&mut self, progress: &Progress) {
        self.update(progress);
    }

    fn say(&mut self, news: &News) {
        for line in said::words(news) {
            let _ = writeln!(self.err, "{line}");
        }
    }

    fn finish(&mut self) {
        let _ = self.out.flush();
    }
}

/// What has changed between two states that deserves a line of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Change {
    /// The phase, the movement or the end.
    turned: bool,
    /// A stall is over, after so long; with whether items had gone on.
    moved_again: Option<(Duration, bool)>,
}

/// Remembers the state before.
#[derive(Clone, Debug, Default)]
struct Watch {
    before: Option<Before>,
}

#[derive(Clone, Debug)]
struct Before {
    phase: Option<Phase>,
    movement: Movement,
    t: Duration,
    ended: bool,
}

impl Watch {
    /// Compares a state with the one before.
    fn see(&mut self, progress: &Progress) -> Change {
        let now = Before {
            phase: progress.phase.clone(),
            movement: progress.movement,
            t: progress.t,
            ended: progress.ended.is_some(),
        };
        let Some(before) = self.before.replace(now) else { return Change { turned: true, moved_again: None } };
        let same_phase = before.phase == progress.phase;
        let passed = progress.t.saturating_sub(before.t);
        let moved_again = match (before.movement, progress.movement) {
            (Movement::Nothing(time), Movement::Moving) => Some((time.saturating_add(passed), false)),
            (Movement::ItemsOnly(time), Movement::Moving) => Some((time.saturating_add(passed), true)),
            _ => None,
        };
        let turned = !same_phase
            || before.ended != progress.ended.is_some()
            || std::mem::discriminant(&before.movement) != std::mem::discriminant(&progress.movement);
        Change { turned, moved_again: moved_again.filter(|_| same_phase) }
    }
}

#[cfg(test)]
mod tests;
