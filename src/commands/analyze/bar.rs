//! A bar for reading that takes longer than a moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::commands::Output;
use crate::sources::Progress;

/// What is over before this is not worth a bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar on standard error, if that is a terminal.
pub(super) struct Bar {
    line: ProgressBar,
    began: Instant,
    wanted: bool,
    shown: AtomicBool,
}

impl Bar {
    pub(super) fn new(output: &Output) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = "{bar:32} {percent:>3} %  {bytes} of {total_bytes}, {bytes_per_sec}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(if output.stderr_style().ascii { style.progress_chars("##.") } else { style });
        }
        let wanted = output.stderr_is_terminal() && !output.quiet;
        Self { line: bar, began: Instant::now(), wanted, shown: AtomicBool::new(false) }
    }

    pub(super) fn take(&self, progress: Progress) {
        match progress {
            Progress::Total(bytes) if bytes > 0 => self.line.set_length(bytes),
            Progress::Total(_) => {}
            Progress::Read(bytes) => self.line.inc(bytes),
        }
        if self.wanted && self.began.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            self.line.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    pub(super) fn finish(&self) {
        self.line.finish_and_clear();
    }
}
