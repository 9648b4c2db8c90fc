//! Which format a log has: all are tried on its beginning, and the one that reads most of it wins.

use std::sync::Arc;

use super::chunks::Encoding;
use super::format::{Format, Shape};
use super::reader::{LogReader, ReadOptions, unquoted};
use super::stamp::{DayMonth, Stamp, named_dates};
use super::{Formats, Read};
use crate::domain::time::Yearless;
use crate::logs::message::knows;

/// So much of a log is enough to tell.
const HEAD: usize = 64 << 10;

/// In which order a log has its lines, by their stamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they were written.
    OldestFirst,
    /// The other way round.
    NewestFirst,
    /// Neither: several clocks, or a clock that was set.
    Mixed,
    /// Too few stamps to tell.
    #[default]
    Unknown,
}

/// How a format fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The name of the format.
    pub format: String,
    /// Lines that it knows: heads of records, known messages, lines that `log` adds.
    pub read: usize,
    /// Lines that it was tried on.
    pub tried: usize,
    /// The same in words.
    pub why: String,
}

/// What was found out of a log.
#[derive(Clone, Debug, Default)]
pub struct Detection {
    /// The best format; without one it is no log that anybody knows.
    pub format: Option<Arc<Format>>,
    /// How all fared, the best first.
    pub scores: Vec<Score>,
    /// The order of its lines.
    pub order: Order,
    /// Why it is no text at all, if it isn't.
    pub not_text: Option<&'static str>,
    encoding: Encoding,
    prefix: String,
    day_month: Option<DayMonth>,
}

impl Detection {
    /// A reader for the log, from its beginning.
    pub fn reader(&self, options: &ReadOptions) -> Option<LogReader> {
        let format = self.format.as_ref()?;
        Some(LogReader::new(format, options).prepared(self.encoding, &self.prefix, self.day_month))
    }

    /// Whether its bytes can be cut into chunks that are read side by side.
    pub fn can_be_cut(&self) -> bool {
        let format = self.format.as_ref();
        self.encoding == Encoding::Utf8
            && format.is_some_and(|format| match format.shape {
                Shape::Ndjson => true,
                Shape::Text(_) => format.head_lines == 1 && !format.has_day_month(),
                Shape::Json | Shape::Messages(_) => false,
            })
    }
}

/// Tells the format of a log by its beginning. 64 KiB are enough, and more is not looked at.
pub fn detect(head: &[u8], formats: &Formats) -> Detection {
    let head = head.get(..HEAD).unwrap_or(head);
    let encoding = Encoding::of(head);
    let not_text = if head.is_empty() {
        Some("it is empty")
    } else if encoding == Encoding::Utf8 && head.contains(&0) {
        Some("it is binary")
    } else {
        None
    };
    if not_text.is_some() {
        return Detection { not_text, encoding, ..Detection::default() };
    }
    let text = encoding.decode(head);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut lines: Vec<&str> = text.lines().collect();
    if head.len() == HEAD && lines.len() > 1 {
        // It is cut.
        lines.pop();
    }
    let prefix = common_prefix(&lines);
    let bare: Vec<&str> = lines.iter().map(|line| unquoted(line, prefix)).collect();
    let plain = Trial::all(&lines, formats);
    let quoted = if prefix.is_empty() { Vec::new() } else { Trial::all(&bare, formats) };
    let best = |trials: &[Trial]| trials.first().map_or(0, |trial| trial.read);
    let (trials, prefix, lines) =
        if best(&quoted) > best(&plain) { (quoted, prefix, bare) } else { (plain, "", lines) };
    let format = trials.first().filter(|trial| trial.is_good()).map(|trial| Arc::clone(&trial.format));
    let told = format.as_ref().map(|format| Told::by(format, &lines)).unwrap_or_default();
    let order = if told.day_month.is_some() {
        // Now the dates can be compared.
        format.as_ref().map(|format| Told::read(format, &lines, told.day_month).order()).unwrap_or_default()
    } else {
        told.order()
    };
    Detection {
        format,
        scores: trials.iter().map(|trial| trial.score(lines.len())).collect(),
        order,
        not_text: None,
        encoding,
        prefix: prefix.to_owned(),
        day_month: told.day_month,
    }
}

/// What nearly all lines begin with: the marks of a quotation, or an indent.
fn common_prefix<'a>(lines: &[&'a str]) -> &'a str {
    let mut filled = lines.iter().filter(|line| !line.trim().is_empty());
    let Some(first) = filled.next() else { return "" };
    let end = first.find(|c: char| !matches!(c, ' ' | '\t' | '>')).unwrap_or(0);
    let prefix = first.get(..end).unwrap_or_default();
    let (with, all) = filled.fold((1, 1), |(with, all), line| {
        (
            with + usize::from(
                line.starts_with(prefix.trim_end()) && line.starts_with(prefix.get(..1).unwrap_or_default()),
            ),
            all + 1,
        )
    });
    if with * 10 >= all * 9 { prefix } else { "" }
}

/// A format and how it fared.
struct Trial {
    format: Arc<Format>,
    read: usize,
    asides: usize,
    records: usize,
    known: usize,
}

impl Trial {
    fn all(lines: &[&str], formats: &Formats) -> Vec<Self> {
        let mut trials: Vec<Self> = formats.iter().map(|format| Self::of(format, lines)).collect();
        // A weak form never wins against one that says more.
        trials.sort_by_key(|trial| (!trial.is_good(), std::cmp::Reverse(trial.read), trial.format.weak));
        trials
    }

    fn of(format: &Arc<Format>, lines: &[&str]) -> Self {
        let mut trial = Self { format: Arc::clone(format), read: 0, asides: 0, records: 0, known: 0 };
        let by_message = matches!(format.shape, Shape::Messages(_));
        let many_lines = matches!(format.shape, Shape::Json);
        let heads = format.head_lines;
        let mut reader = LogReader::new(format, &ReadOptions::default());
        let mut each = |read: Read<'_>| match read {
            Read::Entry(entry) => {
                // A line without a stamp in a format with stamps proves nothing.
                if !by_message && !many_lines && entry.at.is_none() && !matches!(format.shape, Shape::Ndjson) {
                    return;
                }
                let known = knows(entry.message);
                trial.known += usize::from(known);
                trial.records += 1;
                trial.read += match () {
                    () if by_message => usize::from(known) * entry.message.lines().count().max(1),
                    () if many_lines => 0,
                    () => heads,
                };
            }
            Read::Preamble(_) | Read::Footer | Read::Dropped => {
                trial.read += 1;
                trial.asides += 1;
            }
            Read::Unreadable(_) => {}
        };
        for line in lines {
            reader.push_line(line, &mut each);
        }
        reader.flush(&mut each);
        if many_lines {
            // Objects of one line each are no array of `log`.
            let unreadable = usize::try_from(reader.report().unreadable).unwrap_or(usize::MAX);
            trial.read = if trial.records == 0 || lines.len() < 2 * trial.records {
                0
            } else {
                lines.len().saturating_sub(unreadable)
            };
            trial.records = trial.records.min(trial.read);
        }
        trial
    }

    fn is_good(&self) -> bool {
        let has_header = self.format.header.is_none() || self.asides > 0;
        self.records > 0 && has_header && (self.known > 0 || !self.format.weak)
    }

    fn score(&self, tried: usize) -> Score {
        let why = match (self.records, self.known) {
            (0, _) => "no record of this form".to_owned(),
            (_, 0) if self.format.weak => format!("{} records, and no message among them that is known", self.records),
            (records, known) => format!("{records} records, {known} of them known messages"),
        };
        Score { format: self.format.name().to_owned(), read: self.read, tried, why }
    }
}

/// What the stamps of a beginning tell.
#[derive(Default)]
struct Told {
    rises: usize,
    falls: usize,
    day_month: Option<DayMonth>,
}

impl Told {
    fn by(format: &Arc<Format>, lines: &[&str]) -> Self {
        let mut told = Self::read(format, lines, None);
        if !format.has_day_month() {
            return told;
        }
        let mut fits =
            [DayMonth::DayFirst, DayMonth::MonthFirst].map(|order| (order, Self::dates_fit(format, lines, order)));
        fits.sort_by_key(|fit| std::cmp::Reverse(fit.1));
        told.day_month = (fits[0].1 > fits[1].1).then_some(fits[0].0);
        told
    }

    fn read(format: &Arc<Format>, lines: &[&str], order: Option<DayMonth>) -> Self {
        let mut told = Self::default();
        let mut last: Option<Stamp> = None;
        let mut each = |read: Read<'_>| {
            let Read::Entry(entry) = read else { return };
            let Some(at) = entry.at else { return };
            if let Some(last) = last {
                // From December to January, or past midnight, time goes on.
                let wraps = wraps(last, at);
                told.falls += usize::from(at.is_before(last) && !wraps || last.is_before(at) && self::wraps(at, last));
                told.rises += usize::from(last.is_before(at) && !self::wraps(at, last) || at.is_before(last) && wraps);
            }
            last = Some(at);
        };
        let mut reader = LogReader::new(format, &ReadOptions::default()).prepared(Encoding::Utf8, "", order);
        for line in lines {
            reader.push_line(line, &mut each);
        }
        reader.flush(&mut each);
        told
    }

    /// How many stamps can be read with the day in that place, and agree with the dates that their messages name. None if one
    /// cannot be read.
    fn dates_fit(format: &Arc<Format>, lines: &[&str], order: DayMonth) -> Option<usize> {
        let mut fits = 0;
        let mut reads = true;
        for line in lines {
            let mut reader = LogReader::new(format, &ReadOptions::default()).prepared(Encoding::Utf8, "", Some(order));
            let mut each = |read: Read<'_>| {
                let Read::Entry(entry) = read else { return };
                let Some(Stamp::Local(at)) = entry.at else { return };
                let close = |named: chrono::NaiveDateTime| (at - named).abs() < chrono::TimeDelta::hours(24);
                fits += usize::from(named_dates(entry.message).any(close));
            };
            reader.push_line(line, &mut each);
            reader.flush(&mut each);
            reads &= !format.begins(line) || reader.report().entries > 0;
        }
        reads.then_some(fits)
    }

    fn order(&self) -> Order {
        match (self.rises, self.falls) {
            (0, 0) => Order::Unknown,
            (rises, falls) if falls * 10 <= rises => Order::OldestFirst,
            (rises, falls) if rises * 10 <= falls => Order::NewestFirst,
            _ => Order::Mixed,
        }
    }
}

/// Whether a fall from one stamp to the next is New Year or midnight, in a log that goes forward.
fn wraps(before: Stamp, after: Stamp) -> bool {
    let month = |at: Yearless| at.month();
    match (before, after) {
        (Stamp::Yearless(a), Stamp::Yearless(b)) => month(a) > month(b) + 6,
        (Stamp::TimeOfDay { time: a, .. }, Stamp::TimeOfDay { time: b, .. })
        | (Stamp::PastHour(a), Stamp::PastHour(b)) => {
            let whole = if matches!(before, Stamp::PastHour(_)) { 60 } else { 24 * 60 };
            a - b > chrono::TimeDelta::minutes(whole / 2)
        }
        _ => false,
    }
}
