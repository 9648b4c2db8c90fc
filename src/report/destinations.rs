//! The configured destinations and the way to each, and what saved answers of Apple's tools say of a way.

use std::io::{self, Write};

use chrono::{DateTime, FixedOffset};

use super::human::{self, UNKNOWN};
use super::style::{BOLD, CYAN, Style, YELLOW};
use super::text::{escape, pad_end, width, wrap};
use super::{evidence, markdown, way};
use crate::apple::url::Share;
use crate::domain::backup::Warning;
use crate::domain::destination::{Destination, DestinationKind};
use crate::domain::link::{Link, LinkKind};
use crate::links::{self, Explained};
use crate::observe::destinations::Way;

/// Where the text of a row begins.
const TEXT: usize = 13;
/// The measure of a page.
const PAGE: usize = 80;

/// A row: its label, its text, what it goes on with below.
struct Row {
    label: &'static str,
    text: String,
    below: Vec<String>,
}

impl Row {
    fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label, text: text.into(), below: Vec::new() }
    }

    fn write(&self, style: &Style, out: &mut Vec<String>) {
        let room = style.width.map(|columns| columns.saturating_sub(TEXT).max(10));
        let texts = std::iter::once(&self.text).chain(&self.below);
        let lines = texts.flat_map(|text| wrap(&style.glyphs(&escape(text)), room));
        for (number, line) in lines.enumerate() {
            let label = if number == 0 { self.label } else { "" };
            out.push(format!("  {}{line}", pad_end(label, TEXT - 2)));
        }
    }
}

/// The lines of `destinations`.
pub fn lines(ways: &[Way], warnings: &[Warning], explain: bool, style: &Style) -> Vec<String> {
    if ways.is_empty() {
        return none(style);
    }
    let names: Vec<String> = ways.iter().map(|way| style.glyphs(&escape(&name(way)))).collect();
    let column = names.iter().map(|name| width(name)).max().unwrap_or(0) + 3;
    let mut lines = Vec::new();
    for (way, name) in ways.iter().zip(&names) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(head(name, column, &way::heading(&way.look.links), way.destination.last_used, style));
        for row in rows(way, style) {
            row.write(style, &mut lines);
        }
        if explain {
            lines.extend(all_evidence(&way.look.links, style));
        }
    }
    if !warnings.is_empty() {
        lines.push(String::new());
    }
    lines.extend(warnings.iter().flat_map(|warning| remark("warning:", YELLOW, &warning.message, style)));
    lines
}

fn none(style: &Style) -> Vec<String> {
    let mut lines = wrap("No destination is configured.", style.width);
    lines.extend(remark("hint:", CYAN, "System Settings > General > Time Machine > Add Backup Disk", style));
    lines
}

fn remark(label: &str, ink: anstyle::Style, text: &str, style: &Style) -> Vec<String> {
    let mut lines = wrap(&format!("{label} {}", style.glyphs(&escape(text))), style.width);
    if let Some(first) = lines.first_mut()
        && let Some(rest) = first.strip_prefix(label)
    {
        *first = format!("{}{rest}", style.paint(ink, label));
    }
    lines
}

fn name(way: &Way) -> String {
    let place = way.destination.mount_point.as_deref().filter(|point| !links::is_hidden(point));
    way.destination.name.as_deref().or(place).unwrap_or("without a name").to_owned()
}

/// The name, the way, and at the right edge whether the last backup went there.
fn head(name: &str, column: usize, heading: &str, last_used: bool, style: &Style) -> Vec<String> {
    const MARK: &str = "last used";
    let heading = style.glyphs(&escape(heading));
    let unknown = heading.starts_with("unknown");
    let painted = if unknown { style.paint(YELLOW, &heading) } else { heading.clone() };
    let page = style.width.map_or(PAGE, |columns| columns.min(PAGE));
    let mark = if last_used { width(MARK) + 2 } else { 0 };
    let bold = style.paint(BOLD, name);
    if style.width.is_some_and(|columns| column + width(&heading) > columns) || style.is_narrow() {
        let mut lines = vec![if last_used { format!("{bold}  {MARK}") } else { bold }];
        Row::new("over", heading).write(style, &mut lines);
        return lines;
    }
    let gap = " ".repeat(column - width(name));
    let blanks = page.saturating_sub(column + width(&heading) + mark) + 2;
    let mark = if last_used { format!("{}{MARK}", " ".repeat(blanks)) } else { String::new() };
    vec![format!("{bold}{gap}{painted}{mark}")]
}

fn rows(way: &Way, style: &Style) -> Vec<Row> {
    let Some((whole, parts)) = way.look.links.split_first() else { return Vec::new() };
    let mut rows = Vec::new();
    let share = way.destination.url.as_deref().and_then(Share::parse);
    let device = what_it_is(whole, share.as_ref());
    let device_is_known = device.is_some();
    rows.extend(device);
    rows.push(Row::new("mounted", mounted(way, share.is_some())));
    about(whole, Some(way.at), style, &mut rows, device_is_known);
    for part in parts {
        rows.push(Row::new("part", in_one_line(part)));
    }
    rows
}

/// The disk, or the server and its share.
fn what_it_is(link: &Link, share: Option<&Share>) -> Option<Row> {
    if let Some(share) = share {
        let server = share.service_instance.as_ref().unwrap_or(&share.host);
        let path = share.share.as_ref().map_or_else(String::new, |path| format!(", share {path}"));
        return Some(Row::new("server", format!("{server}{path}")));
    }
    let candidates = way::candidates(link);
    if let Some((first, others)) = candidates.split_first() {
        const ONE_OF: &str = "one of: ";
        let mut row = Row::new("device", format!("{ONE_OF}{first}"));
        row.below = others.iter().map(|other| format!("{}{other}", " ".repeat(ONE_OF.len()))).collect();
        return Some(row);
    }
    let words: Vec<String> = way::device(link).into_iter().chain(link.transport.clone()).collect();
    (!words.is_empty()).then(|| Row::new("device", words.join(", ")))
}

fn mounted(way: &Way, is_share: bool) -> String {
    match (&way.look.mounted, &way.look.bsd_name) {
        (None, _) => UNKNOWN.to_owned(),
        (Some(point), _) if is_share && links::is_hidden(point) => "by Time Machine itself, hidden".to_owned(),
        (Some(point), Some(bsd)) => format!("{point} ({bsd})"),
        (Some(point), None) => point.clone(),
    }
}

/// What lies between, the rates, how sure they are, and why something is unknown.
fn about(link: &Link, at: Option<DateTime<FixedOffset>>, style: &Style, rows: &mut Vec<Row>, device_is_known: bool) {
    rows.extend(way::between(link).map(|text| Row::new("between", text)));
    let candidates = way::candidates(link);
    if device_is_known && way::is_share(link) && !candidates.is_empty() {
        rows.push(Row::new("between", format!("one of: {}", candidates.join("; "))));
    }
    rows.extend(way::rates(link, at, style.units).map(|text| Row::new("rates", text)));
    if link.kind != LinkKind::Unknown && candidates.is_empty() {
        rows.push(Row::new("sure", way::sure(link)));
    }
    rows.extend(way::why(link).map(|text| Row::new("why", text)));
}

/// A disk of a set, or a channel.
fn in_one_line(link: &Link) -> String {
    let mut words = vec![way::heading(std::slice::from_ref(link))];
    words.extend(way::device(link));
    words.extend(way::between(link));
    words.push(way::sure(link));
    words.join("; ")
}

fn all_evidence(links: &[Link], style: &Style) -> Vec<String> {
    let mut out = Vec::new();
    for link in links.iter().filter(|link| !link.evidence.is_empty()) {
        let of = link.bsd_name.as_deref().filter(|_| links.len() > 1);
        out.push(of.map_or_else(|| "  evidence".to_owned(), |name| format!("  evidence of {}", escape(name))));
        out.extend(evidence::lines(link, style));
    }
    out
}

/// What saved answers say, each with the name of its file.
pub fn explained(answers: &[(String, Explained)], style: &Style) -> Vec<String> {
    let mut lines = Vec::new();
    for (file, told) in answers {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(style.paint(BOLD, &style.glyphs(&escape(file))));
        Row::new("answer of", told.tool.clone()).write(style, &mut lines);
        for link in &told.links {
            let name = link.bsd_name.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
            let mut rows = vec![Row::new("over", format!("{}{name}", way::heading(std::slice::from_ref(link))))];
            let device = what_it_is(link, None);
            let device_is_known = device.is_some();
            rows.extend(device);
            about(link, None, style, &mut rows, device_is_known);
            for row in rows {
                row.write(style, &mut lines);
            }
            lines.extend(all_evidence(std::slice::from_ref(link), style));
        }
        for note in &told.notes {
            Row::new("note", note.clone()).write(style, &mut lines);
        }
    }
    lines
}

/// Writes the destinations as a Markdown table.
pub fn write_markdown(ways: &[Way], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rows = ways.iter().map(|way| {
        let mounted = if way.look.mounted.is_some() { "yes" } else { "no" };
        [name(way), mounted.to_owned()].into_iter().chain(cells_of(&way.look.links, style)).collect()
    });
    markdown::table(
        &["destination", "mounted", "interface", "device", "between", "practical", "sure", "why"],
        rows,
        style,
        out,
    )
}

/// Writes what saved answers say as a Markdown table, a row a link.
pub fn write_explained_markdown(answers: &[(String, Explained)], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rows = answers.iter().flat_map(|(file, told)| {
        let head = [file.clone(), told.tool.clone()];
        let mut rows: Vec<Vec<String>> =
            told.links.iter().map(|link| cells_of(std::slice::from_ref(link), style)).collect();
        if rows.is_empty() {
            let mut cells = vec![UNKNOWN.to_owned(); 5];
            cells.push(told.notes.join("; "));
            rows.push(cells);
        }
        rows.into_iter().map(move |cells| head.iter().cloned().chain(cells).collect())
    });
    markdown::table(
        &["file", "answer of", "interface", "device", "between", "practical", "sure", "why"],
        rows,
        style,
        out,
    )
}

fn cells_of(links: &[Link], style: &Style) -> Vec<String> {
    let known = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    let Some(link) = links.first() else { return vec![UNKNOWN.to_owned(); 6] };
    let candidates = way::candidates(link).join("; ");
    vec![
        way::heading(links),
        if candidates.is_empty() { known(way::device(link)) } else { format!("one of: {candidates}") },
        known(way::between(link)),
        known(link.practical_bps.map(|bps| human::practical_rate(bps, style.units))),
        if link.kind == LinkKind::Unknown { UNKNOWN.to_owned() } else { way::sure(link) },
        way::why(link).unwrap_or_default(),
    ]
}

/// A line a destination, as a saved list tells it: the way to it was not looked at.
pub fn listed(destinations: &[Destination], style: &Style) -> Vec<String> {
    let words = |destination: &Destination| {
        let name = escape(destination.name.as_deref().unwrap_or("without a name"));
        let kind = match destination.kind {
            Some(DestinationKind::Local) => "local",
            Some(DestinationKind::Network) => "network",
            None => "of unknown kind",
        };
        let place = destination
            .mount_point
            .as_ref()
            .map_or_else(|| "not mounted".to_owned(), |place| format!("mounted at {}", escape(place)));
        let url = destination.url.as_ref().map(|url| format!(", {}", escape(url))).unwrap_or_default();
        let last = if destination.last_used { ", last used" } else { "" };
        style.glyphs(&format!("{name}: {kind}, {place}{url}{last}"))
    };
    destinations.iter().map(words).collect()
}

#[cfg(test)]
#[path = "destinations_tests.rs"]
mod tests;
