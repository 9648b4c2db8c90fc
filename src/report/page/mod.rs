//! One page that holds all it shows: no script, nothing loaded from elsewhere.

mod markup;
mod sections;
mod svg;

use std::fmt::Write as _;

use self::markup::Text;
use super::compare::sentence;
use super::human;
use super::style::Style;
use crate::domain::backup::Backup;
use crate::domain::compare::{self, Check, Verdict};
use crate::domain::stats::{By, Statistics};

/// The most backups that are drawn side by side.
pub const COLUMNS: usize = 6;

const STYLES: &str = include_str!("page.css");
/// The hatching of stalls in which items went on.
const HATCH: &str = "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" style=\"stroke:var(--warn)\" stroke-width=\"2.4\"/></pattern></defs>";
const SECTIONS: &[(&str, &str)] = &[
    ("summary", "Summary"),
    ("interfaces", "Interfaces"),
    ("rate", "Rate over time"),
    ("phases", "Where the time went"),
    ("conditions", "Conditions"),
    ("glossary", "What the figures mean"),
];

/// What is reported.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// The backups side by side, the fastest first; one at least, and each with an effective rate.
    backups: Vec<&'a Backup>,
    statistics: &'a Statistics,
    by: By,
    min_bytes: u64,
    made: String,
}

/// A chart that can be had alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// Throughput by backup.
    Throughput,
    /// How much of each link was used.
    Link,
    /// Rate over time of the fastest backup.
    Rate,
}

impl<'a> Page<'a> {
    /// Takes the backups that have a rate; of more than can stand side by side, those nearest the median of their groups.
    /// `made` says when, and is left out where it is empty. `None` if no backup has a rate.
    pub fn new(backups: &'a [Backup], statistics: &'a Statistics, by: By, min_bytes: u64, made: &str) -> Option<Self> {
        let rate = |backup: &Backup| backup.effective_rate().map_or(0.0, crate::domain::units::BitRate::bps);
        let whole: Vec<&Backup> = backups.iter().filter(|backup| rate(backup) > 0.0).collect();
        let mut shown = if whole.len() <= COLUMNS { whole } else { representatives(&whole, statistics) };
        shown.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
        shown.truncate(COLUMNS);
        (!shown.is_empty()).then(|| Self { backups: shown, statistics, by, min_bytes, made: made.to_owned() })
    }

    fn names(&self) -> Vec<String> {
        sentence::names(&self.backups)
    }

    fn judged(&self) -> (Vec<Check>, Verdict) {
        (compare::check(&self.backups), compare::verdict(&self.backups))
    }

    /// The page.
    pub fn html(&self, style: &Style) -> String {
        let (checks, verdict) = self.judged();
        let names = self.names();
        let title = self.heading(&names, &verdict);
        let lede = self.lede(&verdict, style);
        let mut out = String::new();
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"generator\" content=\"tmgauge {version}\">\n<title>{title}</title>\n<style>\n{STYLES}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#summary\">To the summary</a>\n\
             <svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\" focusable=\"false\">{HATCH}</svg>\n\
             <header>\n<p class=\"kicker\">Time Machine, measured by tmgauge</p>\n<h1>{title}</h1>\n<p class=\"lede\">{lede}</p>\n",
            version = env!("CARGO_PKG_VERSION"),
            title = Text(&title),
            lede = Text(&lede),
        );
        out.push_str("<nav aria-label=\"Contents\"><ul>");
        for (id, name) in SECTIONS {
            let _ = write!(out, "<li><a href=\"#{id}\">{name}</a></li>");
        }
        out.push_str("</ul></nav>\n</header>\n<main>\n");
        sections::summary(self, &names, &checks, &verdict, style, &mut out);
        sections::interfaces(self, &names, style, &mut out);
        sections::rates(self, &names, style, &mut out);
        sections::phases(self, &names, &mut out);
        sections::conditions(self, &names, &mut out);
        sections::glossary(style, &mut out);
        let made = if self.made.is_empty() { String::new() } else { format!(" on {}", self.made) };
        let _ = write!(
            out,
            "</main>\n<footer>\n<p>Made by tmgauge {}{}. The page holds all it shows: no script, nothing loaded from elsewhere.</p>\n</footer>\n</body>\n</html>\n",
            env!("CARGO_PKG_VERSION"),
            Text(&made)
        );
        out
    }

    /// A chart alone. `None` if there is nothing to draw.
    pub fn svg(&self, drawing: Drawing, style: &Style) -> Option<String> {
        let names = self.names();
        let chart = match drawing {
            Drawing::Throughput => svg::throughput(&self.backups, &names, style.units),
            Drawing::Link => svg::link_use(&self.backups, &names),
            Drawing::Rate => {
                self.backups.iter().zip(&names).find_map(|(backup, name)| svg::rate(backup, name, style.units))?.1
            }
        };
        let svg::Chart { title, description, body, height } = chart;
        Some(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"t d\" width=\"720\" height=\"{height}\" font-family=\"sans-serif\">\n\
             <title id=\"t\">{}</title>\n<desc id=\"d\">{}</desc>\n<style>{}</style>\n{HATCH}\n<rect width=\"100%\" height=\"100%\" style=\"fill:var(--bg)\"/>\n{body}</svg>\n",
            Text(&title),
            Text(&description),
            own_styles()
        ))
    }

    fn heading(&self, names: &[String], verdict: &Verdict) -> String {
        match (verdict, self.backups.as_slice()) {
            (_, [only]) => {
                let over = only.link().map(|link| format!(" over {}", link.kind.short())).unwrap_or_default();
                let kind = if only.first == Some(true) { "A first backup" } else { "A backup" };
                let time = only.duration.map(|time| format!(" took {}", human::words(time))).unwrap_or_default();
                format!("{kind}{over}{time}")
            }
            (Verdict::Faster { fastest, times, equal, .. }, _) => sentence::claim(names, *fastest, times, *equal),
            (Verdict::Refused(_), _) => format!("Time Machine over {}: no verdict", sentence::list(names)),
        }
    }

    fn lede(&self, verdict: &Verdict, style: &Style) -> String {
        if let [only] = self.backups.as_slice() {
            let data = only.copied.data.map(|data| human::amount_words(data, style.units)).unwrap_or_default();
            let rate = only.effective_rate();
            let unit = (style.units.byte_rate(), style.units.bit_rate());
            let rate = rate.map(|rate| (human::byte_rate(rate, style.units), human::bit_rate(rate, style.units)));
            return rate.map_or(data.clone(), |(bytes, bits)| {
                format!("{data} at {bytes} {} ({bits} {}), from start to verdict.", unit.0, unit.1)
            });
        }
        match verdict {
            Verdict::Faster { fastest, times, reservations, .. } => {
                let links: Vec<_> = self.backups.iter().map(|backup| backup.link().map(|link| link.kind)).collect();
                let differ = links.windows(2).any(|pair| pair[0] != pair[1]);
                let figures = sentence::figures(&self.backups, *fastest, times, style);
                let reservation = sentence::reservation(reservations, differ).map(|text| format!(" {text}"));
                format!("{figures}.{}", reservation.unwrap_or_default())
            }
            Verdict::Refused(_) => {
                let (checks, verdict) = self.judged();
                sentence::of(&self.backups, &checks, &verdict, style)
            }
        }
    }
}

/// Of each group the backup nearest its median; first backups before later ones.
fn representatives<'a>(backups: &[&'a Backup], statistics: &Statistics) -> Vec<&'a Backup> {
    let mut chosen: Vec<&'a Backup> = Vec::new();
    let Some(class) = statistics.groups.first().map(|group| group.class) else {
        return backups.iter().take(COLUMNS).copied().collect();
    };
    for group in statistics.of_class(class) {
        let Some(median) = group.effective_bps else { continue };
        let own = |backup: &&&Backup| {
            crate::domain::stats::Class::of(backup) == class
                && backup.link().map(|link| link.kind.short()) == group.name.as_deref()
        };
        let off = |backup: &Backup| backup.effective_rate().map_or(f64::MAX, |rate| (rate.bps() - median).abs());
        chosen.extend(backups.iter().filter(own).min_by(|a, b| off(a).total_cmp(&off(b))).copied());
    }
    if chosen.is_empty() { backups.iter().take(COLUMNS).copied().collect() } else { chosen }
}

/// The variables and the rules of charts, for a chart that stands alone.
fn own_styles() -> String {
    let wanted = |line: &&str| {
        [
            ":root",
            "@media (prefers-color-scheme",
            "svg ",
            ".grid",
            ".band",
            ".line",
            ".mean",
            ".stall",
            ".bar1",
            ".mark",
        ]
        .iter()
        .any(|start| line.starts_with(start))
    };
    STYLES.lines().filter(wanted).collect::<Vec<_>>().join("\n").replace("svg text", "text").replace("svg .", ".")
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
