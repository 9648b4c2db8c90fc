//! The charts. Text keeps its size: positions across are percentages, and only curves stretch. What they draw stands in words
//! in their title and description.

use std::fmt::Write as _;
use std::time::Duration;

use super::markup::Text;
use crate::domain::backup::{Backup, Stall};
use crate::domain::units::BitRate;
use crate::report::chart;
use crate::report::human;
use crate::report::style::Units;

/// The height of a row of bars.
const ROW: usize = 66;
/// The most steps of a curve.
const STEPS: usize = 240;
/// Times that may stand below a curve, in seconds.
const TICKS: &[u32] = &[10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800, 604_800];

/// A chart that can stand alone: its content and how high it is.
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) body: String,
    pub(super) height: usize,
}

impl Chart {
    /// As a part of a page; `id` is its own on it.
    pub(super) fn inline(&self, id: &str) -> String {
        let Self { title, description, body, height } = self;
        format!(
            "<svg class=\"chart\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\" width=\"100%\" height=\"{height}\">\n\
             <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n{body}</svg>\n",
            Text(title),
            Text(description)
        )
    }
}

fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole * 100.0).clamp(0.0, 100.0) } else { 0.0 }
}

/// A bar that isn't nought shows at least a sliver.
fn bar(class: &str, y: usize, height: usize, percent: f64) -> String {
    let percent = if percent > 0.0 { percent.max(0.3) } else { 0.0 };
    format!("<rect class=\"{class}\" x=\"0\" y=\"{y}\" width=\"{percent:.3}%\" height=\"{height}\"/>")
}

fn words(rate: Option<BitRate>, units: Units) -> String {
    rate.map_or_else(|| "unknown".to_owned(), |rate| human::bit_rate(rate, units))
}

/// Effective throughput and that while copying, a pair of bars a backup.
pub(super) fn throughput(backups: &[&Backup], names: &[String], units: Units) -> Chart {
    let unit = units.bit_rate();
    let rates: Vec<_> = backups.iter().map(|backup| (backup.effective_rate(), backup.copy_rate())).collect();
    let mega = if units == Units::Iec { 1_048_576.0 } else { 1e6 };
    let highest = rates.iter().flat_map(|(a, b)| [*a, *b]).flatten().map(BitRate::bps).fold(0.0, f64::max);
    let top = chart::round_top(highest / mega) * mega;
    let bottom = 4 + ROW * backups.len();
    let mut body = String::new();
    for (at, anchor) in [(0.0, "start"), (0.5, "middle"), (1.0, "end")] {
        let label = chart::label(top / mega * at);
        let label = if anchor == "end" { format!("{label} {unit}") } else { label };
        let x = at * 100.0;
        let _ = writeln!(
            body,
            "<line class=\"grid\" x1=\"{x}%\" x2=\"{x}%\" y1=\"4\" y2=\"{bottom}\"/><text class=\"lab\" x=\"{x}%\" y=\"{}\" text-anchor=\"{anchor}\">{label}</text>",
            bottom + 16
        );
    }
    let mut described = Vec::new();
    for (place, ((effective, copying), name)) in rates.iter().zip(names).enumerate() {
        let y = ROW * place;
        let (effective_words, copying_words) = (words(*effective, units), words(*copying, units));
        described.push(format!("{name}: effective {effective_words}, while copying {copying_words} {unit}"));
        let _ = writeln!(
            body,
            "{}{}<text class=\"strong halo\" x=\"0\" dx=\"2\" y=\"{}\">{}</text><text class=\"lab halo\" x=\"0\" dx=\"2\" y=\"{}\"><tspan class=\"num\">{effective_words}</tspan> effective, <tspan class=\"num\">{copying_words}</tspan> while copying</text>",
            bar("bar2", y + 25, 16, share(copying.map_or(0.0, BitRate::bps), top)),
            bar("bar1", y + 25, 16, share(effective.map_or(0.0, BitRate::bps), top)),
            y + 18,
            Text(name),
            y + 58,
        );
    }
    Chart {
        title: format!("Throughput by backup, {unit}"),
        description: format!("{}.", described.join("; ")),
        body,
        height: bottom + 18,
    }
}

/// Which share of its link each backup used, with marks for the practical and the nominal rate.
pub(super) fn link_use(backups: &[&Backup], names: &[String]) -> Chart {
    let bottom = 4 + ROW * backups.len();
    let mut body = String::new();
    let mut described = Vec::new();
    for (place, (backup, name)) in backups.iter().zip(names).enumerate() {
        let y = ROW * place;
        let link = backup.link();
        let nominal = link.and_then(|link| link.negotiated_bps);
        let practical = link.and_then(|link| link.practical_bps);
        let of = |rate: Option<BitRate>, whole: Option<u64>| rate.and_then(|rate| rate.share_of(whole?));
        let (effective, copying) = (backup.effective_rate(), backup.copy_rate());
        let shown = |share: Option<f64>| share.map_or_else(|| "an unknown share".to_owned(), human::share);
        let head = match nominal {
            Some(bps) => format!("{name}, {}", human::short_link_rate(bps)),
            None => format!("{name}, rate of the link unknown"),
        };
        let figures =
            format!("{} of nominal, {} of practical", shown(of(effective, nominal)), shown(of(effective, practical)));
        described.push(format!("{head}: effective {figures}"));
        let percent = |share: Option<f64>| share.map_or(0.0, |share| (share * 100.0).clamp(0.0, 100.0));
        if nominal.is_some() {
            let _ = write!(body, "<rect class=\"track\" x=\"0\" y=\"{}\" width=\"100%\" height=\"16\"/>", y + 25);
            let mark = nominal.zip(practical).and_then(|(nominal, practical)| ratio(practical, nominal));
            if let Some(mark) = mark {
                let mark = (mark * 100.0).clamp(0.0, 100.0);
                let _ = write!(
                    body,
                    "<rect class=\"track2\" x=\"0\" y=\"{}\" width=\"{mark:.3}%\" height=\"16\"/><line class=\"mark\" x1=\"{mark:.3}%\" x2=\"{mark:.3}%\" y1=\"{}\" y2=\"{}\"/>",
                    y + 25,
                    y + 22,
                    y + 44
                );
            }
            let _ = write!(
                body,
                "{}{}<line class=\"mark2\" x1=\"100%\" x2=\"100%\" y1=\"{}\" y2=\"{}\"/>",
                bar("bar2", y + 28, 10, percent(of(copying, nominal))),
                bar("bar1", y + 28, 10, percent(of(effective, nominal))),
                y + 22,
                y + 44
            );
        }
        let _ = writeln!(
            body,
            "<text class=\"strong halo\" x=\"0\" dx=\"2\" y=\"{}\">{}</text><text class=\"lab halo\" x=\"0\" dx=\"2\" y=\"{}\">{figures}</text>",
            y + 18,
            Text(&head),
            y + 58
        );
    }
    for (x, label, anchor) in [("0%", "0 %", "start"), ("50%", "50 %", "middle"), ("100%", "100 % of nominal", "end")] {
        let _ = writeln!(
            body,
            "<text class=\"lab\" x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{label}</text>",
            bottom + 16
        );
    }
    Chart {
        title: "How much of each link was used".to_owned(),
        description: format!("{}.", described.join("; ")),
        body,
        height: bottom + 18,
    }
}

#[expect(clippy::cast_precision_loss, reason = "rates of links are far below 2^53")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// When stalls were, in seconds since the start.
fn stalls(backup: &Backup) -> Vec<(f64, &Stall)> {
    let start = backup.started;
    let began = |stall: &Stall| stall.started.wall?.since(start?).map(|time| time.as_secs_f64());
    backup.stalls.iter().flatten().filter_map(|stall| Some((began(stall)?, stall))).collect()
}

/// The curve of one backup: what it says below it, and the chart. `None` without samples.
pub(super) fn rate(backup: &Backup, name: &str, units: Units) -> Option<(String, Chart)> {
    let (span, rates) = chart::rates(backup, STEPS)?;
    let end = backup.duration.map_or(span * number(rates.len()), |time| time.as_secs_f64());
    let highest = rates.iter().copied().fold(0.0, f64::max);
    let (unit, size) = chart::unit(highest, units);
    let top = chart::round_top(highest / size);
    let step = human::words(Duration::try_from_secs_f64(span).ok()?);
    let mut body = String::new();
    for y in ["24", "99"] {
        let _ = writeln!(body, "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{y}\" y2=\"{y}\"/>");
    }
    let spent = crate::domain::compare::shares(backup);
    let before = spent.before.map(|time| share(time.as_secs_f64(), end));
    let copied = before.zip(spent.copying).map(|(before, time)| before + share(time.as_secs_f64(), end));
    if let (Some(before), Some(copied)) = (before, copied) {
        let rest = (100.0 - copied).max(0.0);
        let _ = writeln!(
            body,
            "<rect class=\"band\" x=\"0\" y=\"24\" width=\"{before:.3}%\" height=\"150\"/><rect class=\"band\" x=\"{copied:.3}%\" y=\"24\" width=\"{rest:.3}%\" height=\"150\"/>"
        );
    }
    let path = curve(&rates, span, end, top * size);
    let _ = writeln!(
        body,
        "<svg x=\"0\" y=\"24\" width=\"100%\" height=\"150\" viewBox=\"0 0 {end:.1} 150\" preserveAspectRatio=\"none\"><path class=\"area\" d=\"M0,150L0,150{path}V150Z\"/><path class=\"line\" d=\"M0,150{path}\"/></svg>"
    );
    let mut told = Vec::new();
    for (from, stall) in stalls(backup) {
        let seconds = stall.duration.as_secs_f64();
        let (x, wide) = (share(from, end), share(seconds, end).max(0.2));
        let items_only = stall.items_moved == Some(true);
        let (class, fill) = if items_only { ("slow", " fill=\"url(#hatch)\"") } else { ("stall", "") };
        let label = human::clock(stall.duration);
        let middle = (x + wide / 2.0).clamp(3.0, 97.0);
        let _ = writeln!(
            body,
            "<rect class=\"{class}\"{fill} x=\"{x:.3}%\" y=\"24\" width=\"{wide:.3}%\" height=\"150\"/><text class=\"stall-t\" x=\"{middle:.3}%\" y=\"16\" text-anchor=\"middle\">{label}</text>"
        );
        told.push(format!("{label}, {}", if items_only { "items only" } else { "nothing moved" }));
    }
    let _ = writeln!(body, "<line class=\"axis\" x1=\"0\" x2=\"100%\" y1=\"174\" y2=\"174\"/>");
    let mean = backup.copy_rate().map(BitRate::bytes_per_second);
    if let Some(((mean, from), to)) = mean.zip(before).zip(copied) {
        let y = 174.0 - 150.0 * (mean / (top * size)).clamp(0.0, 1.0);
        let _ = writeln!(body, "<line class=\"mean\" x1=\"{from:.3}%\" x2=\"{to:.3}%\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
    }
    let _ = writeln!(
        body,
        "<text class=\"lab\" x=\"4\" y=\"37\">{} {unit}</text><text class=\"lab\" x=\"4\" y=\"112\">{}</text>",
        chart::label(top),
        chart::label(top / 2.0)
    );
    times(end, &mut body);
    let mean = mean.map(|mean| format!("{} {unit}", human::three(mean / size)));
    let stalls = match (&backup.stalls, told.as_slice()) {
        (None, _) => "Stalls could not be observed.".to_owned(),
        (Some(_), []) => "No stalls.".to_owned(),
        (Some(_), told) => format!("Stalls: {}.", told.join("; ")),
    };
    let highest = format!("The highest {step} mean was {} {unit}.", human::three(highest / size));
    let copying = mean.as_ref().map(|mean| format!("Mean while copying {mean}. ")).unwrap_or_default();
    let caption = format!("{unit}, each step the mean of {step}. {copying}{stalls}");
    let chart = Chart {
        title: format!("Rate over time, {name}, {unit}"),
        description: format!("{copying}{highest} {stalls}"),
        body,
        height: 198,
    };
    Some((caption, chart))
}

/// The steps of a curve, one a span.
fn curve(rates: &[f64], span: f64, end: f64, top: f64) -> String {
    let mut path = String::new();
    for (place, rate) in rates.iter().enumerate() {
        let y = 150.0 - 150.0 * (rate / top).clamp(0.0, 1.0);
        let x = (number(place + 1) * span).min(end);
        let _ = write!(path, "V{y:.2}H{x:.1}");
    }
    path
}

/// Marks and labels of the time axis.
fn times(end: f64, body: &mut String) {
    let step = TICKS.iter().copied().map(f64::from).find(|step| end / step <= 5.0).unwrap_or(end.max(1.0));
    let mut at = 0.0;
    while at <= end {
        let x = share(at, end);
        let (anchor, shift) = if at == 0.0 {
            ("start", " dx=\"2\"")
        } else if x > 94.0 {
            ("end", "")
        } else {
            ("middle", "")
        };
        let label =
            if at == 0.0 { "0".to_owned() } else { human::words(Duration::try_from_secs_f64(at).unwrap_or_default()) };
        let _ = writeln!(
            body,
            "<line class=\"axis\" x1=\"{x:.3}%\" x2=\"{x:.3}%\" y1=\"174\" y2=\"179\"/><text class=\"lab\" x=\"{x:.3}%\"{shift} y=\"193\" text-anchor=\"{anchor}\">{label}</text>"
        );
        at += step;
    }
}
