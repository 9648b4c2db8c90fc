//! The sections of the page.

use std::fmt::Write as _;
use std::time::Duration;

use super::markup::{Text, UNKNOWN, known, name};
use super::{Page, svg};
use crate::domain::backup::Backup;
use crate::domain::compare::{Check, Judgement, Verdict};
use crate::domain::phase::Phase;
use crate::domain::stats::{Class, Group};
use crate::domain::time::Wall;
use crate::domain::units::BitRate;
use crate::report::compare::{detail, heading};
use crate::report::groups::Groups;
use crate::report::human;
use crate::report::style::{Style, Units};

fn open(id: &str, title: &str, out: &mut String) {
    let _ = writeln!(out, "<section id=\"{id}\" aria-labelledby=\"h-{id}\">\n<h2 id=\"h-{id}\">{title}</h2>");
}

/// A table that scrolls by itself where it is too wide, also by keyboard.
fn table(caption: &str, heads: &[(String, &str)], rows: &str, out: &mut String) {
    let _ = writeln!(
        out,
        "<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table>\n<caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>",
        Text(caption),
        Text(caption),
        heads.iter().fold(String::new(), |all, (head, class)| all + "<th scope=\"col\"" + class + ">" + head + "</th>")
    );
}

const NUMBER: &str = " class=\"n\"";
/// Numbers that a narrow screen leaves out.
const WIDE: &str = " class=\"n w\"";

fn head(title: &str, unit: &str) -> String {
    format!("{title}<small>{unit}</small>")
}

/// The name of a backup as the head of a column or row.
fn backup_name(backup: &Backup, name: &str) -> String {
    let kind = backup.link().map_or("unknown", |link| link.kind.short());
    if name == kind { Text(name).to_string() } else { format!("{}, {}", Text(name), Text(kind)) }
}

pub(super) fn summary(
    page: &Page<'_>,
    names: &[String],
    checks: &[Check],
    verdict: &Verdict,
    style: &Style,
    out: &mut String,
) {
    let units = style.units;
    open("summary", "Summary", out);
    let largest = page.backups.iter().filter_map(|backup| backup.copied.data).map(|data| data.bytes).max().unwrap_or(0);
    let unit = units.unit_for(largest.clamp(1_100_000, 900_000_000_000));
    let slowest =
        page.backups.iter().filter_map(|backup| backup.effective_rate()).map(BitRate::bps).min_by(f64::total_cmp);
    let heads = [
        ("Interface".to_owned(), ""),
        (head("Data", unit.name), NUMBER),
        (head("Duration", "h:mm:ss"), NUMBER),
        (head("Effective", units.bit_rate()), NUMBER),
        (head("Effective", units.byte_rate()), WIDE),
        (head("Copying", units.bit_rate()), WIDE),
        ("<abbr title=\"times the slowest\">×</abbr>".to_owned(), NUMBER),
    ];
    let mut rows = String::new();
    for (backup, name) in page.backups.iter().zip(names) {
        let effective = backup.effective_rate();
        let link = backup.link().and_then(|link| link.negotiated_bps).map(human::short_link_rate);
        let when = backup.started.or(backup.ended).and_then(human::date);
        let details: Vec<String> = [link, when].into_iter().flatten().collect();
        let times = effective.zip(slowest).and_then(|(rate, slowest)| crate::domain::stats::ratio(rate.bps(), slowest));
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{}<small>{}</small></th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n w\">{}</td><td class=\"n w\">{}</td><td class=\"n\">{}</td></tr>",
            backup_name(backup, name),
            Text(&details.join(", ")),
            known(backup.copied.data.map(|data| human::in_unit(data.bytes, unit))),
            known(backup.duration.map(human::hms)),
            known(effective.map(|rate| human::bit_rate(rate, units))),
            known(effective.map(|rate| human::byte_rate(rate, units))),
            known(backup.copy_rate().map(|rate| human::bit_rate(rate, units))),
            known(times.map(human::times)),
        );
    }
    table(
        "The backups side by side. Effective throughput is data divided by duration; × is times the slowest.",
        &heads,
        &rows,
        out,
    );
    if page.backups.len() > 1 {
        fair(page, checks, verdict, out);
    }
    groups(page, style, out);
    out.push_str("</section>\n\n");
}

fn fair(page: &Page<'_>, checks: &[Check], verdict: &Verdict, out: &mut String) {
    let _ = write!(
        out,
        "<div class=\"note\" id=\"fair\"><p><strong>Fair? {}</strong></p>\n<ul class=\"checks\">",
        heading(checks, verdict)
    );
    for check in checks {
        let word = check.judgement.word();
        let word = if check.judgement == Judgement::Differs {
            format!("<strong class=\"diff\">{word}</strong>")
        } else {
            word.to_owned()
        };
        let details: Vec<String> = detail(&page.backups, *check).iter().map(|line| Text(line).to_string()).collect();
        let _ = write!(out, "<li>{}: {word}. {}</li>", check.aspect.word(), details.join("; "));
    }
    out.push_str("</ul></div>\n");
}

/// What many backups say together, if there are more than stand side by side.
fn groups(page: &Page<'_>, style: &Style, out: &mut String) {
    let statistics = page.statistics;
    let groups = Groups { statistics, by: page.by, min_bytes: page.min_bytes };
    if statistics.counted() > page.backups.len() {
        let units = style.units;
        let by = page.by.word();
        for class in Class::ALL {
            let rows = statistics.of_class(*class);
            if rows.is_empty() {
                continue;
            }
            let heads = [
                (by.to_owned(), ""),
                ("n".to_owned(), NUMBER),
                (head("Effective", units.bit_rate()), NUMBER),
                (head("p10–p90", units.bit_rate()), NUMBER),
                (head("All data / all time", units.bit_rate()), WIDE),
                ("<abbr title=\"times the slowest\">×</abbr>".to_owned(), NUMBER),
            ];
            let body: String = rows.iter().map(|group| group_row(group, units)).collect();
            let title = match class {
                Class::First => "All first backups, medians",
                Class::Later => "All later backups, medians",
                Class::Unknown => "All backups of which nothing tells whether they were the first, medians",
            };
            table(title, &heads, &body, out);
        }
        let _ = writeln!(out, "<p>Drawn below is, of each group, the backup nearest its median.</p>");
    }
    if statistics.total > 1 {
        let _ = writeln!(out, "<p class=\"meta\">{}</p>", Text(&groups.counted(style)));
    }
}

fn group_row(group: &Group, units: Units) -> String {
    let shown = |bps: f64| human::mega_bits(bps, units);
    let spread = group.spread.filter(|spread| spread.percentiles);
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n w\">{}</td><td class=\"n\">{}</td></tr>\n",
        group.name.as_deref().map_or_else(|| "unknown".to_owned(), name),
        human::count(u64::try_from(group.n).unwrap_or(u64::MAX)),
        known(group.effective_bps.map(shown)),
        known(spread.map(|spread| format!("{}–{}", shown(spread.low), shown(spread.high)))),
        known(group.total_rate().map(|rate| human::bit_rate(rate, units))),
        known(group.relative.map(human::times)),
    )
}

pub(super) fn interfaces(page: &Page<'_>, names: &[String], style: &Style, out: &mut String) {
    open("interfaces", "Interfaces", out);
    let bars = "<span class=\"k\"><span class=\"key b1\"></span>effective (in front),</span> <span class=\"k\"><span class=\"key b2\"></span>while copying (behind)</span>";
    let _ = writeln!(
        out,
        "<div class=\"pair\">\n<figure><h3>Throughput</h3>\n{}<figcaption>{bars}</figcaption></figure>\n\
         <figure><h3>How much of the link was used</h3>\n{}<figcaption>{bars} <span class=\"k\"><span class=\"key pr\"></span>practical (thin mark)</span> <span class=\"k\"><span class=\"key no\"></span>nominal (thick mark)</span></figcaption></figure>\n</div>\n</section>\n",
        svg::throughput(&page.backups, names, style.units).inline("tb"),
        svg::link_use(&page.backups, names).inline("lb"),
    );
}

pub(super) fn rates(page: &Page<'_>, names: &[String], style: &Style, out: &mut String) {
    open("rate", "Rate over time", out);
    for (place, (backup, name)) in page.backups.iter().zip(names).enumerate() {
        let data = backup.copied.data.map(|data| human::amount_words(data, style.units));
        let time = backup.duration.map(human::words);
        let title = match (data, time) {
            (Some(data), Some(time)) => format!(": {data} in {time}"),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "<section class=\"backup\" aria-labelledby=\"h-b{place}\">\n<h3 id=\"h-b{place}\">{}{title}</h3>\n<p class=\"meta\">{}</p>",
            backup_name(backup, name),
            meta(backup)
        );
        for warning in &backup.warnings {
            let _ = writeln!(out, "<p class=\"note\">{}</p>", Text(&warning.message));
        }
        match svg::rate(backup, name, style.units) {
            Some((caption, chart)) => {
                let _ = writeln!(
                    out,
                    "<figure>\n{}<figcaption>{} <span class=\"k\"><span class=\"key mn\"></span>mean while copying;</span> <span class=\"k\"><span class=\"key bd\"></span>before and after copying;</span> <span class=\"k\"><span class=\"key st\"></span>nothing moved;</span> <span class=\"k\"><span class=\"key ha\"></span>items only.</span></figcaption>\n</figure>",
                    chart.inline(&format!("rt{place}")),
                    Text(&caption)
                );
            }
            None => out.push_str("<p>Its rate over time is not known: nobody watched it, or it was too short.</p>\n"),
        }
        out.push_str("</section>\n");
    }
    out.push_str("</section>\n\n");
}

/// When, from where and to where, in one line.
fn meta(backup: &Backup) -> String {
    let when = match (backup.started, backup.ended) {
        (Some(start), Some(end)) => {
            let date = human::date(start).map(|date| format!("{date}, ")).unwrap_or_default();
            Some(Text(&format!("{date}{} to {}", minute(start), minute(end))).to_string())
        }
        _ => None,
    };
    let destination = backup.destination.name.as_deref().map(|to| format!("to {}", name(to)));
    let model = backup.machine.model.as_deref().map(|model| Text(model).to_string());
    let share = backup.link().and_then(|link| backup.copy_rate()?.share_of(link.practical_bps?));
    let limit = share.map(|share| {
        let limited = if share >= 0.8 { "Limited" } else { "Not limited" };
        format!("{limited} by the link: copying took {} of the practical rate.", human::share(share))
    });
    let line: Vec<String> = [when, model, destination].into_iter().flatten().collect();
    format!("{}. {}", line.join("; "), limit.unwrap_or_default())
}

fn minute(wall: Wall) -> String {
    human::time_of_day(wall).chars().take(5).collect()
}

/// What a phase does, in plain words, where its name doesn't say it.
fn plain(phase: &Phase) -> String {
    let words = phase.words();
    if words.eq_ignore_ascii_case(phase.name()) { String::new() } else { format!("<small>{}</small>", Text(&words)) }
}

pub(super) fn phases(page: &Page<'_>, names: &[String], out: &mut String) {
    open("phases", "Where the time went", out);
    let mut heads = vec![("Phase".to_owned(), "")];
    heads.extend(page.backups.iter().zip(names).map(|(backup, name)| (backup_name(backup, name), NUMBER)));
    let mut order: Vec<&Phase> = Vec::new();
    for span in page.backups.iter().flat_map(|backup| &backup.phases) {
        if !order.contains(&&span.phase) {
            order.push(&span.phase);
        }
    }
    // Phases of different releases are put in the order of their stages.
    order.sort_by_key(|phase| phase.stage() as u8);
    let mut rows = String::new();
    for phase in order {
        let class = if phase.is_copying() { " c" } else { "" };
        let times = page.backups.iter().map(|backup| phase_time(backup, phase));
        row(&format!("{}{}", Text(phase.name()), plain(phase)), "", class, page, times, &mut rows);
        if phase.is_copying() {
            let stalled = page.backups.iter().map(|backup| Spent::from(crate::domain::compare::shares(backup).stalled));
            row("of it stalled<small>no bytes for a while</small>", " class=\"sub\"", " s", page, stalled, &mut rows);
        }
    }
    let totals = page.backups.iter().map(|backup| Spent::from(backup.duration));
    row("Duration<small>start to verdict</small>", " class=\"total\"", " none", page, totals, &mut rows);
    table("Time in each phase, h:mm:ss, and its share of the duration. Names are macOS's own.", &heads, &rows, out);
    out.push_str("</section>\n\n");
}

/// How long something took.
#[derive(Clone, Copy)]
enum Spent {
    /// It wasn't.
    Not,
    /// That is not known.
    Unknown,
    Time(Duration),
}

impl From<Option<Duration>> for Spent {
    fn from(time: Option<Duration>) -> Self {
        time.map_or(Self::Unknown, Self::Time)
    }
}

/// The time in phases of one name.
fn phase_time(backup: &Backup, phase: &Phase) -> Spent {
    let mut spans = backup.phases.iter().filter(|span| span.phase == *phase).peekable();
    if spans.peek().is_none() {
        return Spent::Not;
    }
    spans.map(|span| span.duration).try_fold(Duration::ZERO, |sum, time| sum.checked_add(time?)).into()
}

fn row(title: &str, class: &str, bar: &str, page: &Page<'_>, times: impl Iterator<Item = Spent>, out: &mut String) {
    let _ = write!(out, "<tr{class}><th scope=\"row\">{title}</th>");
    for (backup, time) in page.backups.iter().zip(times) {
        let cell = match time {
            Spent::Not => String::new(),
            Spent::Unknown => UNKNOWN.to_owned(),
            Spent::Time(time) => {
                let whole = backup.duration.map(|whole| whole.as_secs_f64()).filter(|whole| *whole > 0.0);
                let share = whole.map(|whole| time.as_secs_f64() / whole);
                let width = share.map_or(0.0, |share| (share * 100.0).clamp(0.0, 100.0));
                let bar = if width > 0.0 { bar } else { " none" };
                let share = share.map(human::whole_share).map(|share| Text(&share).to_string()).unwrap_or_default();
                format!(
                    "<span class=\"bar{bar}\" style=\"--w:{width:.2}%\">{}<small>{share}</small></span>",
                    Text(&human::hms(time))
                )
            }
        };
        let _ = write!(out, "<td class=\"n\">{cell}</td>");
    }
    out.push_str("</tr>\n");
}

/// A row of the conditions.
type Condition = (&'static str, fn(&Backup) -> Option<String>);

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

const CONDITIONS: &[Condition] = &[
    ("Kind", |backup| backup.first.map(|first| if first { "first" } else { "later" }.to_owned())),
    ("Outcome", |backup| Some(backup.outcome.to_string())),
    ("Items", |backup| backup.copied.items.map(human::count)),
    ("Mac", |backup| backup.machine.model.clone()),
    ("Processor", |backup| backup.machine.chip.clone()),
    ("Memory", |backup| backup.machine.memory_bytes.map(|bytes| format!("{} GB", human::count(bytes >> 30)))),
    ("Source disk", |backup| backup.machine.source_disk.clone()),
    ("macOS", |backup| backup.conditions.macos.clone()),
    ("Destination", |backup| backup.destination.name.clone()),
    ("Device", |backup| backup.link()?.device.clone()),
    ("Protocol", |backup| backup.link()?.transport.clone()),
    ("File system", |backup| backup.conditions.file_system.clone()),
    ("Encrypted", |backup| backup.conditions.encrypted.map(yes)),
    ("Throttled", |backup| backup.conditions.throttled.map(yes)),
    ("Power", |backup| backup.conditions.power.clone()),
    ("Between", |backup| {
        let chain = &backup.link()?.chain;
        let parts: Vec<&str> = chain.iter().map(|part| part.name.as_deref().unwrap_or(&part.kind)).collect();
        Some(if parts.is_empty() { "nothing that is known".to_owned() } else { parts.join(", ") })
    }),
    ("Rate known", |backup| Some(format!("{:?}", backup.link()?.rate_confidence).to_lowercase())),
    ("Asleep", |backup| backup.asleep.map(human::hms)),
];

pub(super) fn conditions(page: &Page<'_>, names: &[String], out: &mut String) {
    open("conditions", "Conditions", out);
    let mut heads = vec![("<span class=\"vh\">Condition</span>".to_owned(), "")];
    heads.extend(page.backups.iter().zip(names).map(|(backup, name)| (backup_name(backup, name), "")));
    let mut rows = String::new();
    for (title, of) in CONDITIONS {
        let _ = write!(rows, "<tr><th scope=\"row\">{title}</th>");
        let first = page.backups.first().and_then(|backup| of(backup));
        for backup in &page.backups {
            let value = of(backup);
            // A count differs always and says little.
            let differs = value.is_some() && first.is_some() && value != first && !matches!(*title, "Items" | "Asleep");
            let (class, mark) = if differs { (" class=\"diff\"", "≠ ") } else { ("", "") };
            let shown = value.map_or_else(|| UNKNOWN.to_owned(), |value| name(&value));
            let _ = write!(rows, "<td{class}>{mark}{shown}</td>");
        }
        rows.push_str("</tr>\n");
    }
    table("What differs from the first column is bold and marked ≠.", &heads, &rows, out);
    raw(page, names, out);
    out.push_str("</section>\n\n");
}

fn raw(page: &Page<'_>, names: &[String], out: &mut String) {
    let heads = [
        ("Interface".to_owned(), ""),
        (head("Data", "bytes"), NUMBER),
        (head("Duration", "s"), NUMBER),
        (head("Copy time", "s"), NUMBER),
        (head("Effective", "bit/s"), NUMBER),
        (head("Copying", "bit/s"), NUMBER),
    ];
    let seconds = |time: Option<Duration>| known(time.map(|time| format!("{:.1}", time.as_secs_f64())));
    let rate = |rate: Option<BitRate>| known(rate.map(|rate| whole(rate.bps())));
    let mut rows = String::new();
    for (backup, name) in page.backups.iter().zip(names) {
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            backup_name(backup, name),
            known(backup.copied.data.map(|data| human::count(data.bytes))),
            seconds(backup.duration),
            seconds(backup.copy_duration),
            rate(backup.effective_rate()),
            rate(backup.copy_rate()),
        );
    }
    out.push_str("<h3>Raw figures</h3>\n");
    table("The figures from which all others are made.", &heads, &rows, out);
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rates are finite and never negative")]
fn whole(number: f64) -> String {
    human::count(number.round() as u64)
}

const GLOSSARY: &[(&str, &str)] = &[
    ("Data", "Bytes this backup wrote (physical). Not the size of the source, and not what had to be looked at."),
    ("Duration", "From the start of the backup to its verdict: finding changes, copying and finishing are all in it."),
    ("Copy time", "Only while macOS says it is copying, stalls included."),
    ("Effective throughput", "Data divided by duration. What one waits for."),
    ("Throughput while copying", "Data divided by copy time. What disk and link carry."),
    ("Nominal rate", "The bit rate the link negotiated, as the system reports it."),
    (
        "Practical rate",
        "What such a link carries at best, as public tests have it. A backup counts as limited by its link from 80 % of it on.",
    ),
    (
        "Stall",
        "No byte copied for a while (60 s unless told otherwise). Filled: nothing moved at all. Hatched: items went on, only bytes stood still.",
    ),
    ("First backup", "The first one to its destination. Only these and large later ones say something about a link."),
    ("Median, p10–p90", "The middle of a group, and between which values most of it lies; from five backups on."),
    ("– (a dash)", "Not known. Never a nought, never a guess."),
];

pub(super) fn glossary(style: &Style, out: &mut String) {
    open("glossary", "What the figures mean", out);
    let units = match style.units {
        Units::Si => "SI: 1 GB = 10⁹ bytes, 1 Mb/s = 10⁶ bit/s.",
        Units::Iec => {
            "Binary: 1 GiB = 2³⁰ bytes, 1 Mib/s = 2²⁰ bit/s. Links keep the decimal names under which they are negotiated."
        }
    };
    out.push_str("<dl>\n");
    for (term, meaning) in GLOSSARY.iter().copied().chain([("Units", units)]) {
        let _ = writeln!(out, "<dt>{term}</dt><dd>{meaning}</dd>");
    }
    out.push_str("</dl>\n</section>\n");
}
