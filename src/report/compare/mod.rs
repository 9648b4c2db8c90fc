//! Backups side by side: where their time went, whether the comparison is fair, their figures, and the verdict last.

mod fair;
mod many;
pub mod sentence;
mod table;

use std::io::{self, Write};

use serde_json::Value;

use super::markdown;
use super::style::{BOLD, Style};
use super::text::wrap;
use crate::contract::group;
use crate::domain::backup::Backup;
use crate::domain::compare::{self, Check, Side, Verdict};

pub use fair::{detail, heading};

/// What is compared.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The sides in the order in which they were named.
    pub sides: Vec<Side<'a>>,
    /// Below so many copied bytes a backup of several is left out.
    pub min_bytes: u64,
}

/// The letter of a side.
pub fn letter(place: usize) -> String {
    u8::try_from(place)
        .ok()
        .filter(|place| *place < 26)
        .map_or_else(|| format!("#{}", place.saturating_add(1)), |place| char::from(b'A' + place).to_string())
}

impl Comparison<'_> {
    /// The backups, if each side is a single one.
    fn singles(&self) -> Option<Vec<&Backup>> {
        self.sides.iter().map(|side| if let [one] = side.backups.as_slice() { Some(*one) } else { None }).collect()
    }

    fn judged(&self) -> Option<(Vec<&Backup>, Vec<Check>, Verdict)> {
        let backups = self.singles()?;
        let (checks, verdict) = (compare::check(&backups), compare::verdict(&backups));
        Some((backups, checks, verdict))
    }

    /// The verdict as a sentence.
    pub fn sentence(&self, style: &Style) -> String {
        match self.judged() {
            Some((backups, checks, verdict)) => sentence::of(&backups, &checks, &verdict, style),
            None => many::sentence(self, style),
        }
    }

    /// The lines for people.
    pub fn lines(&self, style: &Style) -> Vec<String> {
        let Some((backups, checks, verdict)) = self.judged() else { return many::lines(self, style) };
        let mut blocks = Vec::new();
        if style.is_narrow() {
            blocks.push(table::narrow(&backups, style));
            blocks.push(bold(&sentence::short(&backups, &checks, &verdict, style), style));
        } else {
            blocks.push(table::times(&backups, style));
            blocks.push(table::limits(&backups, style));
            blocks.push(fair::lines(&backups, &checks, &verdict, style));
            blocks.push(table::figures(&backups, style));
            blocks.push(bold(&sentence::of(&backups, &checks, &verdict, style), style));
        }
        blocks.retain(|block| !block.is_empty());
        blocks.join(&String::new())
    }

    /// The table of the sides in Markdown.
    pub fn markdown(&self, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let (head, rows) = match self.singles() {
            Some(backups) => table::markdown(&backups, style),
            None => many::markdown(self, style),
        };
        let rule: Vec<&str> = head.iter().map(|(_, right)| if *right { "--:" } else { ":--" }).collect();
        markdown::row(head.iter().map(|(name, _)| name.clone()), style, out)?;
        writeln!(out, "|{}|", rule.join("|"))?;
        rows.into_iter().try_for_each(|row| markdown::row(row, style, out))
    }

    /// What stands under `comparison` in the JSON.
    pub fn json(&self, style: &Style) -> Value {
        let labels: Vec<String> = (0..self.sides.len()).map(letter).collect();
        let judged = self.judged();
        let (checks, verdict) = judged.map_or((Vec::new(), None), |(_, checks, verdict)| (checks, Some(verdict)));
        let sentence = self.sentence(style);
        // Also the small ones, since they were named.
        let least = if verdict.is_some() { 0 } else { self.min_bytes };
        group::comparison(&labels, &self.sides, least, &checks, verdict.as_ref(), &sentence)
    }
}

fn bold(sentence: &str, style: &Style) -> Vec<String> {
    wrap(&style.glyphs(sentence), style.width).iter().map(|line| style.paint(BOLD, line)).collect()
}

/// The column of a Markdown table: its name, and whether it holds numbers.
type Head = (String, bool);

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
