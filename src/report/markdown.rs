//! A Markdown table, a row a backup.

use std::io::{self, Write};

use super::human::{self, UNKNOWN};
use super::text::escape;
use super::{Renderer, Report, Style};
use crate::domain::backup::Backup;
use crate::domain::units::BitRate;

pub(super) struct Markdown;

impl Renderer for Markdown {
    fn report(&self, report: &Report<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let units = style.units;
        let unit = units.unit_for(
            report.backups.iter().filter_map(|backup| backup.copied.data).map(|data| data.bytes).max().unwrap_or(0),
        );
        let head = [
            "start".to_owned(),
            "interface".to_owned(),
            "to".to_owned(),
            format!("data, {}", unit.name),
            "items".to_owned(),
            "duration, h:mm:ss".to_owned(),
            format!("effective, {}", units.byte_rate()),
            format!("effective, {}", units.bit_rate()),
            format!("copying, {}", units.bit_rate()),
            "of link".to_owned(),
            "outcome".to_owned(),
        ];
        row(head, style, out)?;
        writeln!(out, "|:--|:--|:--|--:|--:|--:|--:|--:|--:|--:|:--|")?;
        for backup in report.backups {
            let known = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
            let (effective, copying) = (backup.effective_rate(), backup.copy_rate());
            let bits = |rate: Option<BitRate>| known(rate.map(|rate| human::bit_rate(rate, units)));
            let data = backup
                .copied
                .data
                .map(|data| format!("{}{}", human::mark(data.bound), human::in_unit(data.bytes, unit)));
            let cells = [
                human::start(backup.started),
                interface(backup),
                known(backup.destination.name.clone()),
                known(data),
                known(backup.copied.items.map(human::count)),
                known(backup.duration.map(human::hms)),
                known(effective.map(|rate| human::byte_rate(rate, units))),
                bits(effective),
                bits(copying),
                known(
                    effective
                        .zip(backup.link())
                        .and_then(|(rate, link)| rate.share_of(link.negotiated_bps?))
                        .map(human::share),
                ),
                outcome(backup),
            ];
            row(cells, style, out)?;
        }
        Ok(())
    }
}

/// Writes a table of texts.
pub(super) fn table(
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    row(head.iter().map(|&cell| cell.to_owned()), style, out)?;
    writeln!(out, "{}|", "|:--".repeat(head.len()))?;
    rows.into_iter().try_for_each(|cells| row(cells, style, out))
}

fn interface(backup: &Backup) -> String {
    backup.link().map_or_else(
        || UNKNOWN.to_owned(),
        |link| match link.negotiated_bps {
            Some(bps) => format!("{}, {}", link.kind.short(), human::link_rate(bps)),
            None => link.kind.short().to_owned(),
        },
    )
}

fn outcome(backup: &Backup) -> String {
    let code = backup.failure.as_ref().and_then(|failure| failure.code);
    code.map_or_else(|| backup.outcome.to_string(), |code| format!("{} {code}", backup.outcome))
}

/// Writes a row, with names kept from being read as markup.
pub(super) fn row(cells: impl IntoIterator<Item = String>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for cell in cells {
        write!(out, "| {} ", style.glyphs(&protect(&cell)))?;
    }
    writeln!(out, "|")
}

/// Keeps a name from being read as markup.
fn protect(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in escape(text).chars() {
        if matches!(c, '|' | '\\' | '`' | '*' | '_' | '<' | '[' | ']' | '~') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::examples;

    #[test]
    fn a_row_a_backup() {
        let mut odd = examples::unknown();
        odd.destination.name = Some("a|b_c".to_owned());
        let mut out = Vec::new();
        let report = Report { backups: &[examples::usb3_first(), odd], ..Report::default() };
        Markdown.report(&report, &Style::default(), &mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
        | start | interface | to | data, GB | items | duration, h:mm:ss | effective, MB/s | effective, Mb/s | copying, Mb/s | of link | outcome |
        |:--|:--|:--|--:|--:|--:|--:|--:|--:|--:|:--|
        | 2026-09-12 13:02 | USB 3.0, 5 Gb/s | TM-LaCie | 91.3 | 412,806 | 0:42:00 | 36.2 | 290 | 316 | 5.8 % | completed |
        | – | – | a\|b\_c | – | – | – | – | – | – | – | unknown |
        ");
    }
}
