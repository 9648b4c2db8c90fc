//! The verdict as a person would write it, with its reservation inside.

use crate::domain::backup::Backup;
use crate::domain::compare::{self, Aspect, Check, Judgement, Refusal, Verdict};
use crate::domain::link::LinkKind;
use crate::report::human::{self, UNKNOWN};
use crate::report::style::Style;

/// The name of each backup in a sentence: its interface, where that tells them apart, else its letter.
pub fn names(backups: &[&Backup]) -> Vec<String> {
    let kinds: Vec<Option<LinkKind>> = backups.iter().map(|backup| backup.link().map(|link| link.kind)).collect();
    let apart = kinds
        .iter()
        .enumerate()
        .all(|(place, kind)| kind.is_some_and(|kind| kind != LinkKind::Unknown) && !kinds[..place].contains(kind));
    let name = |(place, kind): (usize, &Option<LinkKind>)| match kind {
        Some(kind) if apart => kind.short().to_owned(),
        _ => super::letter(place),
    };
    kinds.iter().enumerate().map(name).collect()
}

/// Words with commas between them and `and` before the last.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The claim alone: `USB 3.0 was 2.1× as fast as USB 2.0 and 4.5× as fast as Wi-Fi 4`.
pub fn claim(names: &[String], fastest: usize, times: &[(usize, f64)], equal: bool) -> String {
    let name = |place: usize| names.get(place).map_or(UNKNOWN, String::as_str);
    if equal {
        let mut all = vec![name(fastest).to_owned()];
        all.extend(times.iter().map(|(place, _)| name(*place).to_owned()));
        return format!("{} were equally fast", list(&all));
    }
    let others: Vec<String> =
        times.iter().map(|(place, times)| format!("{}× as fast as {}", human::times(*times), name(*place))).collect();
    format!("{} was {}", name(fastest), list(&others))
}

/// The figures of the fastest against those of the others.
pub fn against(fastest: usize, times: &[(usize, f64)], of: impl Fn(usize) -> String) -> String {
    let others: Vec<String> = times.iter().map(|(place, _)| of(*place)).collect();
    format!("{} against {}", of(fastest), list(&others))
}

/// The whole verdict.
pub fn of(backups: &[&Backup], checks: &[Check], verdict: &Verdict, style: &Style) -> String {
    let (fastest, times, equal, reservations) = match verdict {
        Verdict::Refused(refusal) => return refused(backups, refusal, style),
        Verdict::Faster { fastest, times, equal, reservations } => (*fastest, times, *equal, reservations),
    };
    let names = names(backups);
    let same_disk = checks.iter().any(|check| check.aspect == Aspect::Disk && check.judgement == Judgement::Same);
    let disk = if same_disk { " on the same disk" } else { "" };
    let reservation = reservation(reservations, links_differ(backups));
    let reservation = reservation.map(|text| format!(" {text}")).unwrap_or_default();
    format!("{}{disk}: {}.{reservation}", claim(&names, fastest, times, equal), figures(backups, fastest, times, style))
}

/// Rates, data and durations, each once with its unit.
pub fn figures(backups: &[&Backup], fastest: usize, times: &[(usize, f64)], style: &Style) -> String {
    let units = style.units;
    let rate = |place: usize| {
        backups[place].effective_rate().map_or_else(|| UNKNOWN.to_owned(), |rate| human::bit_rate(rate, units))
    };
    let whole = |place: usize| backups[place].copied.data.map(|data| data.bytes);
    let unit = units
        .unit_for(backups.iter().filter_map(|backup| backup.copied.data).map(|data| data.bytes).max().unwrap_or(0));
    let data = |place: usize| whole(place).map_or_else(|| UNKNOWN.to_owned(), |bytes| human::in_unit(bytes, unit));
    let time = |place: usize| backups[place].duration.map_or_else(|| UNKNOWN.to_owned(), human::words);
    format!(
        "{} {}, {} {}, {}",
        against(fastest, times, rate),
        units.bit_rate(),
        against(fastest, times, data),
        unit.name,
        against(fastest, times, time)
    )
}

/// The verdict for a narrow terminal.
pub(super) fn short(backups: &[&Backup], checks: &[Check], verdict: &Verdict, style: &Style) -> String {
    let Verdict::Faster { fastest, times, equal, reservations } = verdict else {
        return of(backups, checks, verdict, style);
    };
    let rate = |place: usize| {
        backups[place].effective_rate().map_or_else(|| UNKNOWN.to_owned(), |rate| human::bit_rate(rate, style.units))
    };
    let text = claim(&names(backups), *fastest, times, *equal);
    let reservation = reservation(reservations, false).map(|text| format!(" {text}")).unwrap_or_default();
    format!("{text}: {} {}.{reservation}", against(*fastest, times, rate), style.units.bit_rate())
}

fn links_differ(backups: &[&Backup]) -> bool {
    let kinds: Vec<_> = backups.iter().map(|backup| backup.link().map(|link| link.kind)).collect();
    kinds.windows(2).any(|pair| pair[0] != pair[1])
}

/// What is not the same, in the plural.
fn plural(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Disk => "disks",
        Aspect::Kind => "kinds of backup",
        Aspect::Macos => "macOS versions or settings",
        Aspect::Interfaces => "interfaces before and after",
        Aspect::Data => "amounts of data",
        Aspect::Copying => "shares of copying",
        Aspect::Mac => "Macs",
        Aspect::Sleep => "times asleep",
    }
}

/// What one must know beside the claim.
pub fn reservation(reservations: &[Check], links_differ: bool) -> Option<String> {
    let of = |judgement| {
        let found = reservations.iter().filter(move |check| check.judgement == judgement);
        found.map(|check| check.aspect).collect::<Vec<_>>()
    };
    let differing: Vec<String> = of(Judgement::Differs).into_iter().map(|aspect| plural(aspect).to_owned()).collect();
    let unknown: Vec<String> = of(Judgement::Unknown)
        .into_iter()
        .map(|aspect| if aspect == Aspect::Kind { "kind of backup" } else { aspect.word() }.to_owned())
        .collect();
    let mut sentences = Vec::new();
    if !differing.is_empty() {
        let tail = if links_differ { " too, so the link alone need not be the cause" } else { "" };
        sentences.push(format!("The {} differ{tail}.", list(&differing)));
    }
    if !unknown.is_empty() {
        sentences.push(format!("Not known of each: {}.", unknown.join(", ")));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn refused(backups: &[&Backup], refusal: &Refusal, style: &Style) -> String {
    match refusal {
        Refusal::NoRate(places) => {
            let without: Vec<String> = places.iter().map(|place| no_rate(backups, *place)).collect();
            format!("No verdict: {}.", list(&without))
        }
        Refusal::Kinds => {
            let kinds: Vec<String> = (0..backups.len()).map(|place| kind(backups, place, style)).collect();
            format!("No verdict on the links: {}.", kinds.join(", "))
        }
        Refusal::Differ(aspects) => {
            let words: Vec<String> = aspects.iter().map(|aspect| plural(*aspect).to_owned()).collect();
            format!("No verdict on the links: the {} differ, so they can't be compared.", list(&words))
        }
    }
}

fn no_rate(backups: &[&Backup], place: usize) -> String {
    let backup = backups[place];
    let why = match (backup.copied.data, backup.duration) {
        (None, _) => "how much it copied is not known".to_owned(),
        (Some(data), _) if !data.bound.is_whole() => format!("it isn't whole ({})", backup.outcome),
        (_, None) => "how long it took is not known".to_owned(),
        _ => "it copied nothing".to_owned(),
    };
    format!("{} has no effective rate, {why}", super::letter(place))
}

fn kind(backups: &[&Backup], place: usize, style: &Style) -> String {
    let backup = backups[place];
    let what = match (backup.first, place) {
        (Some(true), 0) => "is a first backup",
        (Some(true), _) => "a first one",
        (Some(false), 0) => "is a later backup",
        (Some(false), _) => "a later one",
        (None, 0) => "is a backup of unknown kind",
        (None, _) => "one of unknown kind",
    };
    let data = backup.copied.data.map(|data| format!(" of {}", human::amount_words(data, style.units)));
    let preparing = compare::copying_share(backup).filter(|share| *share < 0.5).map(|_| {
        let shares = compare::shares(backup);
        let before = shares.before.zip(shares.total).map(|(before, total)| before.as_secs_f64() / total.as_secs_f64());
        before.map(|share| format!(" that spent {} of its duration before copying", human::whole_share(share)))
    });
    format!("{} {what}{}{}", super::letter(place), data.unwrap_or_default(), preparing.flatten().unwrap_or_default())
}
