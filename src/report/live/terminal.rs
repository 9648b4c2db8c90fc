//! The lines on a terminal.

use std::io::{self, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::said;
use super::{Watch, live_lines, pipe_line};
use crate::domain::progress::Progress;
use crate::ports::{News, ProgressSink};
use crate::report::human;
use crate::report::style::Style;

/// Redraws a second at most.
const REDRAWS: u8 = 10;
/// What is over before this is not worth a flicker.
const FIRST_DRAW: Duration = Duration::from_millis(250);

pub(super) struct Terminal {
    style: Style,
    bar: ProgressBar,
    watch: Watch,
}

impl Terminal {
    pub(super) fn new(style: &Style) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(REDRAWS));
        if let Ok(message_only) = ProgressStyle::with_template("{msg}") {
            bar.set_style(message_only);
        }
        Self { style: style.clone(), bar, watch: Watch::default() }
    }

    /// Writes a line that stays above the redrawn ones.
    fn write(&self, line: &str) {
        let line = self.style.glyphs(line);
        if self.bar.is_finished() || self.bar.is_hidden() {
            let _ = writeln!(io::stderr(), "{line}");
        } else {
            self.bar.println(line);
        }
    }
}

impl ProgressSink for Terminal {
    fn update(&mut self, progress: &Progress) {
        if let Some((time, items)) = self.watch.see(progress).moved_again {
            let what = if items { "bytes move again" } else { "moving again" };
            let without = if items { "" } else { " without any change" };
            self.write(&format!("{}  {what} after {}{without}", human::at_time(progress.at), human::clock(time)));
        }
        if progress.t < FIRST_DRAW {
            return;
        }
        if self.bar.is_finished() {
            self.bar.reset();
        }
        let (first, second) = live_lines(progress, &self.style);
        self.bar.set_message(second.map_or_else(|| first.clone(), |second| format!("{first}\n{second}")));
    }

    fn show_now(&mut self, progress: &Progress) {
        self.write(&pipe_line(progress, &self.style));
    }

    fn say(&mut self, news: &News) {
        for line in said::words(news) {
            self.write(&line);
        }
    }

    fn finish(&mut self) {
        self.bar.finish_and_clear();
    }
}
