//! The lines that are redrawn in place.

use std::time::Duration;

use crate::domain::phase::{Phase, Stage};
use crate::domain::progress::{Movement, Progress, START_GRACE};
use crate::domain::units::BitRate;
use crate::report::human;
use crate::report::style::{BOLD, DIM, PLAIN, Style, YELLOW};
use crate::report::text::{bar, cut_middle, escape, pad_start, width};

/// Columns of the words for a phase.
const WORDS: usize = 15;
/// Columns of the age of a phase.
const AGE: usize = 7;
/// Columns that an estimate usually takes.
const ESTIMATE: usize = 15;
/// Columns of a bar, at least and at most.
const BAR: std::ops::RangeInclusive<usize> = 8..=40;

/// A piece of a line with its colour.
type Part = (String, anstyle::Style);

fn plain(text: impl Into<String>) -> Part {
    (text.into(), PLAIN)
}

/// Composes the two lines for a terminal; below 60 columns there is only the first, in a short form.
pub fn live_lines(progress: &Progress, style: &Style) -> (String, Option<String>) {
    if style.is_narrow() {
        return (short_line(progress, style), None);
    }
    let (first, second) = match state(progress) {
        State::Starting => (vec![plain(starting(progress))], vec![]),
        State::Ended => return (style.paint(BOLD, &over(progress)), None),
        State::Thinning => (vec![plain(thinning(progress, style))], vec![]),
        State::Copying => copying(progress, style),
        State::Finding => (finding(progress), vec![since_start(progress), last_change(progress)]),
        State::Other => (vec![plain(other(progress, style))], vec![]),
    };
    let second = join(second.into_iter().map(plain), " · ", 2, style);
    let second = (!second.is_empty()).then(|| format!("  {}", style.paint(DIM, &second)));
    (first_line(progress, first, style), second)
}

/// What is told depends on where the backup stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Starting,
    Finding,
    Copying,
    Thinning,
    Ended,
    Other,
}

fn state(progress: &Progress) -> State {
    let Some(phase) = &progress.phase else {
        return if progress.ended.is_some() { State::Ended } else { State::Starting };
    };
    match phase.stage() {
        Stage::ThinningAfter => State::Thinning,
        _ if progress.ended.is_some() => State::Ended,
        Stage::Copying => State::Copying,
        Stage::Opening | Stage::Preparing if progress.changed_items.is_some() => State::Finding,
        _ => State::Other,
    }
}

/// Plain words for the phase.
pub(super) fn words(progress: &Progress) -> String {
    match (&progress.phase, progress.ended) {
        (Some(phase), _) => escape(&phase.words()),
        (None, None) => "starting".to_owned(),
        (None, Some(_)) => "ended".to_owned(),
    }
}

fn first_line(progress: &Progress, parts: Vec<Part>, style: &Style) -> String {
    let words = cut_middle(&style.glyphs(&words(progress)), WORDS, &style.glyphs("…"));
    let before =
        format!("{}{}  ", " ".repeat(WORDS - width(&words)), pad_start(&human::clock(progress.phase_age), AGE));
    let rest = join(parts.into_iter(), "  ", width(&words) + width(&before), style);
    format!("{}{before}{rest}", style.paint(BOLD, &words))
}

/// Joins as many parts as fit behind so many columns.
fn join(parts: impl Iterator<Item = Part>, separator: &str, before: usize, style: &Style) -> String {
    let mut room = style.width.unwrap_or(80).saturating_sub(before);
    let separator = style.glyphs(separator);
    let mut line = String::new();
    for (text, ink) in parts.filter(|part| !part.0.is_empty()) {
        let text = style.glyphs(&text);
        let between = if line.is_empty() { "" } else { separator.as_str() };
        let Some(left) = room.checked_sub(width(between) + width(&text)) else {
            if line.is_empty() {
                line = cut_middle(&text, room, &style.glyphs("…"));
            }
            break;
        };
        room = left;
        line.push_str(between);
        line.push_str(&style.paint(ink, &text));
    }
    line
}

fn starting(progress: &Progress) -> String {
    let age = chrono::TimeDelta::from_std(progress.phase_age).ok();
    let asked = age.and_then(|age| progress.at.checked_sub_signed(age));
    let asked = asked.map_or_else(String::new, |at| format!("asked at {}, ", human::at_time(at)));
    format!("{asked}not begun yet; giving up at {}", human::clock(START_GRACE))
}

fn copying(progress: &Progress, style: &Style) -> (Vec<Part>, Vec<String>) {
    match progress.movement {
        Movement::Moving => (moving(progress, style), moving_second(progress, style)),
        Movement::Nothing(time) => (
            vec![
                (format!("STALL: nothing has moved for {}", human::clock(time)), YELLOW.bold()),
                plain(amount(progress, style)),
            ],
            vec![rates(progress, style), last_moved(progress)],
        ),
        Movement::ItemsOnly(time) => (
            vec![plain(with_items(format!("no bytes for {}, items go on", human::clock(time)), ": ", progress))],
            vec![amount(progress, style), rates(progress, style)],
        ),
    }
}

fn moving(progress: &Progress, style: &Style) -> Vec<Part> {
    let (Some(share), Some(total)) = (share(progress), progress.bytes_to_copy) else {
        return vec![plain(match progress.bytes {
            Some(bytes) => format!("{} so far, total unknown", human::bytes(bytes, style.units)),
            None => "no count of bytes yet".to_owned(),
        })];
    };
    let percent = pad_start(&human::whole_share(share), 4);
    let widest = amount(&Progress { bytes: Some(total), ..progress.clone() }, style);
    let amount = pad_start(&amount(progress, style), width(&widest));
    let estimate =
        progress.remaining.map_or_else(|| "no estimate yet".to_owned(), |range| format!("{} left", span(range)));
    // The bar takes what the rest leaves.
    let rest = WORDS + AGE + width(&percent) + width(&amount) + width(&estimate).max(ESTIMATE) + 8;
    let columns = style.width.unwrap_or(80).saturating_sub(rest).min(*BAR.end());
    let bar = if BAR.contains(&columns) { bar(share, columns, true, style.ascii) } else { String::new() };
    vec![plain(bar), plain(percent), plain(amount), plain(estimate)]
}

fn moving_second(progress: &Progress, style: &Style) -> Vec<String> {
    vec![rates(progress, style), items_rate(progress).unwrap_or_default(), apple(progress).unwrap_or_default()]
}

/// How much of what is to be copied is copied; only where both are known and agree.
pub(super) fn share(progress: &Progress) -> Option<f64> {
    let (bytes, total) = (progress.bytes?, progress.bytes_to_copy.filter(|total| *total > 0)?);
    #[expect(clippy::cast_precision_loss, reason = "a share with two digits")]
    (bytes <= total).then(|| bytes as f64 / total as f64)
}

/// The bytes copied, of how many where that is known.
pub(super) fn amount(progress: &Progress, style: &Style) -> String {
    let Some(bytes) = progress.bytes else { return String::new() };
    match progress.bytes_to_copy.filter(|_| share(progress).is_some()) {
        Some(total) => {
            let unit = style.units.unit_for(total);
            format!("{} of {} {}", human::in_unit(bytes, unit), human::in_unit(total, unit), unit.name)
        }
        None => human::bytes(bytes, style.units),
    }
}

/// The rates with their divisors; one that is nought says nothing that a stall doesn't say better.
fn rates(progress: &Progress, style: &Style) -> String {
    let known = |rate: Option<BitRate>| rate.filter(|rate| rate.bps() > 0.0);
    let is_wide = style.width.is_some_and(|width| width >= 100);
    let rates = [
        (known(progress.rate), format!("last {}", human::coarse(progress.rate_window))),
        (known(progress.copying_rate).filter(|_| is_wide), "since copying began".to_owned()),
        (known(progress.overall), "since start".to_owned()),
    ];
    let unit = style.units.byte_rate();
    let told = rates.into_iter().filter_map(|(rate, divisor)| Some((human::byte_rate(rate?, style.units), divisor)));
    // The unit stands once, with the first.
    told.enumerate()
        .map(
            |(place, (rate, divisor))| {
                if place == 0 { format!("{rate} {unit} {divisor}") } else { format!("{rate} {divisor}") }
            },
        )
        .collect::<Vec<_>>()
        .join(", ")
}

/// Items per second.
pub(super) fn items_rate(progress: &Progress) -> Option<String> {
    let rate = progress.items_per_second.filter(|rate| rate.is_finite() && *rate > 0.0)?;
    let rate = if rate < 10.0 { human::three(rate) } else { human::three(rate.round()) };
    // A count has no decimals from ten on.
    Some(format!("{} items/s", rate.strip_suffix(".0").unwrap_or(&rate)))
}

fn with_items(text: String, separator: &str, progress: &Progress) -> String {
    match items_rate(progress) {
        Some(rate) => format!("{text}{separator}{rate}"),
        None => text,
    }
}

/// Apple's own figures, behind its name.
fn apple(progress: &Progress) -> Option<String> {
    let figures: Vec<_> = apple_figures(progress).collect();
    (!figures.is_empty()).then(|| format!("Apple: {}", figures.join(", ")))
}

/// Apple's percentage and its time left, as far as there are any.
pub(super) fn apple_figures(progress: &Progress) -> impl Iterator<Item = String> {
    let percent = progress.apple_percent.filter(|share| (0.0..=1.0).contains(share)).map(human::whole_share);
    let left = progress.apple_remaining_s.and_then(|left| Duration::try_from_secs_f64(left).ok()).map(human::coarse);
    percent.into_iter().chain(left)
}

/// A range of the time left.
pub(super) fn span((low, high): (Duration, Duration)) -> String {
    let (low, high) = (human::coarse(low), human::coarse(high));
    match (low.strip_suffix(" min"), high.strip_suffix(" min")) {
        _ if low == high => low,
        (Some(a), Some(b)) if !a.contains(' ') && !b.contains(' ') => format!("{a}–{b} min"),
        _ => format!("{low}–{high}"),
    }
}

fn finding(progress: &Progress) -> Vec<Part> {
    let found = progress
        .changed_items
        .map(|items| format!("{} so far", human::counted(items, "changed item", "changed items")));
    let percent = progress.apple_percent.filter(|share| (0.0..=1.0).contains(share)).map(human::whole_share);
    let percent = percent.map(|percent| format!("Apple: {percent} of this phase"));
    vec![plain(found.into_iter().chain(percent).collect::<Vec<_>>().join(" · "))]
}

fn since_start(progress: &Progress) -> String {
    format!("{} since the start", human::clock(progress.since_start))
}

fn last_change(progress: &Progress) -> String {
    format!("last change {} ago", human::words(progress.last_change))
}

/// When something last moved, by the wall clock.
fn last_moved(progress: &Progress) -> String {
    let age = chrono::TimeDelta::from_std(progress.last_change).ok();
    age.and_then(|age| progress.at.checked_sub_signed(age))
        .map_or_else(String::new, |at| format!("last change {}", human::at_time(at)))
}

fn verdict(progress: &Progress) -> &'static str {
    progress.verdict.map_or("ended", crate::domain::backup::Outcome::word)
}

fn over(progress: &Progress) -> String {
    format!("{} after {}", verdict(progress), ended(progress))
}

fn ended(progress: &Progress) -> String {
    progress.ended.map_or_else(|| human::UNKNOWN.to_owned(), human::hms)
}

fn thinning(progress: &Progress, style: &Style) -> String {
    match progress.ended {
        Some(_) => format!("{} ({}); removing old backups, not counted", verdict(progress), ended(progress)),
        None => match progress.bytes {
            Some(bytes) => format!("{} copied; removing old backups", human::bytes(bytes, style.units)),
            None => "removing old backups".to_owned(),
        },
    }
}

fn other(progress: &Progress, style: &Style) -> String {
    let name = progress.phase.as_ref().map_or("", Phase::name);
    let copied = progress.bytes.map(|bytes| format!("{} copied", human::bytes(bytes, style.units)));
    format!("{}; {}", copied.unwrap_or_else(|| escape(name)), since_start(progress))
}

/// The one line of a narrow terminal: phase, age, and the figure that matters.
fn short_line(progress: &Progress, style: &Style) -> String {
    let bytes = progress.bytes.map(|bytes| human::bytes(bytes, style.units));
    let words = words(progress);
    let mut parts = vec![(words, BOLD), plain(human::clock(progress.phase_age))];
    match state(progress) {
        State::Copying => {
            match progress.movement {
                Movement::Moving => {
                    parts.extend(share(progress).map(|share| plain(human::whole_share(share))));
                    parts.extend(bytes.map(plain));
                    parts.extend(progress.rate.filter(|rate| rate.bps() > 0.0).map(|rate| {
                        plain(format!("{} {}", human::byte_rate(rate, style.units), style.units.byte_rate()))
                    }));
                }
                Movement::Nothing(time) => {
                    parts.push((format!("STALL {}", human::clock(time)), YELLOW.bold()));
                    parts.extend(bytes.map(|bytes| plain(format!("at {bytes}"))));
                }
                Movement::ItemsOnly(time) => {
                    parts.push(plain(format!("no bytes {}", human::clock(time))));
                    parts.extend(bytes.map(|bytes| plain(format!("at {bytes}"))));
                }
            }
        }
        State::Finding => {
            parts.extend(progress.changed_items.map(|items| plain(human::counted(items, "item", "items"))));
        }
        State::Ended => parts = vec![(over(progress), BOLD)],
        State::Thinning if progress.ended.is_some() => parts.push(plain(verdict(progress))),
        State::Thinning | State::Other => parts.extend(bytes.map(plain)),
        State::Starting => {}
    }
    join(parts.into_iter(), " ", 0, style)
}
