//! Plain lines for a pipe or a file: ASCII, without colour, the same fields in the same order.

use std::io::Write;
use std::time::Duration;

use super::lines::{amount, apple_figures, items_rate, share, span, words};
use super::said;
use super::{Change, Watch};
use crate::domain::backup::Outcome;
use crate::domain::phase::Stage;
use crate::domain::progress::{Movement, Progress};
use crate::domain::units::BitRate;
use crate::ports::{News, ProgressSink};
use crate::report::human;
use crate::report::style::Style;
use crate::report::text::to_ascii;

/// How often a line is written while nothing turns.
const EVERY: Duration = Duration::from_secs(10);

/// One line for a state.
pub fn pipe_line(progress: &Progress, style: &Style) -> String {
    let mut fields = vec![human::at_time(progress.at)];
    if is_over(progress) {
        let verdict = progress.verdict.map_or("ended", Outcome::word);
        fields.push(format!("{verdict} after {}", progress.ended.map_or_else(String::new, human::hms)));
    } else {
        fields.push(words(progress));
        fields.push(human::clock(progress.phase_age));
        fields.extend(figures(progress, style));
    }
    to_ascii(&fields.join("  "))
}

/// Whether nothing is to come but the verdict.
fn is_over(progress: &Progress) -> bool {
    progress.ended.is_some() && progress.phase.as_ref().is_none_or(|phase| phase.stage() != Stage::ThinningAfter)
}

fn figures(progress: &Progress, style: &Style) -> Vec<String> {
    if !progress.phase.as_ref().is_some_and(crate::domain::phase::Phase::is_copying) {
        return elsewhere(progress, style);
    }
    let mut fields = Vec::new();
    match progress.movement {
        Movement::Moving => {}
        Movement::Nothing(time) => fields.push(format!("STALL nothing moved for {}", human::clock(time))),
        Movement::ItemsOnly(time) => fields.push(format!("no bytes for {}", human::clock(time))),
    }
    fields.push(amount(progress, style));
    let moving = progress.movement == Movement::Moving;
    let began = progress.bytes.is_some_and(|bytes| bytes > 0);
    if moving && began {
        fields.extend(share(progress).map(human::whole_share));
        fields.extend(rates(progress, style));
    }
    if progress.movement != Movement::Moving || began {
        fields.extend(items_rate(progress).filter(|_| !matches!(progress.movement, Movement::Nothing(_))));
    }
    if moving && began {
        fields.extend(progress.remaining.map(|range| format!("left {}", span(range))));
        let apple: Vec<_> = apple_figures(progress).collect();
        fields.extend((!apple.is_empty()).then(|| format!("Apple {}", apple.join(" "))));
    }
    fields.retain(|field| !field.is_empty());
    fields
}

fn rates(progress: &Progress, style: &Style) -> Vec<String> {
    let shown =
        |rate: Option<BitRate>| rate.filter(|rate| rate.bps() > 0.0).map(|rate| human::byte_rate(rate, style.units));
    let unit = style.units.byte_rate();
    let last = shown(progress.rate).map(|rate| format!("{rate} {unit} last {}", human::coarse(progress.rate_window)));
    let overall = shown(progress.overall).map(|rate| match last {
        Some(_) => format!("{rate} since start"),
        None => format!("{rate} {unit} since start"),
    });
    last.into_iter().chain(overall).collect()
}

/// Before and after copying.
fn elsewhere(progress: &Progress, style: &Style) -> Vec<String> {
    let mut fields = Vec::new();
    fields.extend(progress.changed_items.map(|items| human::counted(items, "changed item", "changed items")));
    fields.extend(
        progress.bytes.filter(|bytes| *bytes > 0).map(|bytes| format!("{} copied", human::bytes(bytes, style.units))),
    );
    if progress.last_change >= EVERY && progress.phase.is_some() {
        fields.push(format!("last change {} ago", human::clock(progress.last_change)));
    }
    fields
}

/// Writes a line every ten seconds, and at once when a phase or a stall begins or ends.
pub(super) struct Lines<W> {
    style: Style,
    out: W,
    watch: Watch,
    written: Option<Duration>,
}

impl<W: Write> Lines<W> {
    pub(super) fn new(style: &Style, out: W) -> Self {
        Self { style: style.clone(), out, watch: Watch::default(), written: None }
    }

    fn write(&mut self, line: &str) {
        let _ = writeln!(self.out, "{}", to_ascii(line));
    }

    #[cfg(test)]
    pub(super) fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> ProgressSink for Lines<W> {
    fn update(&mut self, progress: &Progress) {
        let Change { turned, moved_again } = self.watch.see(progress);
        if let Some((time, _)) = moved_again {
            let line = format!(
                "{}  {}  {}  moving again after {}",
                human::at_time(progress.at),
                words(progress),
                human::clock(progress.phase_age),
                human::clock(time)
            );
            self.write(&line);
            self.written = Some(progress.t);
        } else if is_over(progress) {
            // The news of the end says it once and for good.
        } else if turned || self.written.is_none_or(|written| progress.t.saturating_sub(written) >= EVERY) {
            self.show_now(progress);
        }
    }

    fn show_now(&mut self, progress: &Progress) {
        self.written = Some(progress.t);
        let line = pipe_line(progress, &self.style);
        self.write(&line);
    }

    fn say(&mut self, news: &News) {
        for line in said::words(news) {
            self.write(&line);
        }
    }

    fn finish(&mut self) {
        let _ = self.out.flush();
    }
}
