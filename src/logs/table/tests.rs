use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::domain::phase::Stage;
use crate::domain::units::{Amount, Bound};
use crate::logs::hole::{self, Value};

/// The value as a table states it.
fn stated(value: Value<'_>) -> toml::Value {
    let number = |number: u64| toml::Value::Integer(i64::try_from(number).unwrap());
    match value {
        Value::Size(amount) if amount.bound == Bound::Exact => number(amount.bytes),
        Value::Size(amount) => vec![number(amount.bytes), number(amount.precision.unwrap())].into(),
        Value::Count(count) => number(count),
        Value::Code(code) => code.into(),
        Value::Text(text) => text.into(),
    }
}

/// What is wrong with a set of rows: samples that don't read as stated, and samples that two rows read.
fn problems(table: &Table) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, row) in table.rows.iter().enumerate() {
        for sample in &row.samples {
            match row.template.read(&sample.text) {
                None => wrong.push(format!("{}: `{}` does not read {:?}", row.file, row.template, sample.text)),
                Some(values) => wrong.extend(differences(row, sample, &values)),
            }
            let others = table.rows.iter().enumerate().filter(|&(other, _)| other != at);
            for (_, other) in others.filter(|(_, other)| other.template.read(&sample.text).is_some()) {
                wrong.push(format!("{}: `{}` also reads {:?}", other.file, other.template, sample.text));
            }
            if table.find(&sample.text).is_none() {
                wrong.push(format!("{}: {:?} is not found by its beginning", row.file, sample.text));
            }
        }
    }
    wrong
}

fn differences(row: &Row, sample: &Sample, values: &Values<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    for hole in row.template.holes() {
        let found = row.template.value(values, &hole.name).map(stated);
        let long = matches!(hole.kind, hole::Kind::Lines | hole::Kind::Rest);
        match sample.values.get(&hole.name) {
            None if long => {}
            stated if stated == found.as_ref() => {}
            stated => wrong.push(format!("{}: `{}` has {stated:?}, read {found:?}", sample.text, hole.name)),
        }
    }
    let unknown = sample.values.keys().filter(|name| row.template.holes().iter().all(|hole| hole.name != **name));
    wrong.extend(unknown.map(|name| format!("{}: there is no hole `{name}`", sample.text)));
    wrong
}

fn table(text: &'static str) -> Result<Table, String> {
    Table::load(&[("test.toml", text)])
}

#[test]
fn every_sample_is_read_by_its_row_alone_and_as_stated() {
    assert!(TABLE.rows.len() > 150, "only {} rows", TABLE.rows.len());
    assert_eq!(problems(&TABLE), Vec::<String>::new());
}

#[test]
fn every_phase_is_one_that_backupd_has() {
    for phase in TABLE.rows.iter().filter_map(|row| row.phase.as_ref()) {
        assert_ne!(phase.stage(), Stage::Unknown, "{phase}");
    }
}

#[test]
fn every_row_has_the_holes_that_its_meaning_needs() {
    for row in &TABLE.rows {
        let has = |name: &str| row.template.holes().iter().any(|hole| hole.name == name);
        let figures = ["size", "bytes", "logical", "items"].into_iter().any(has);
        let fits = match row.kind {
            Kind::VolumeCopied | Kind::PassCopied | Kind::Progress => has("size") && has("items"),
            Kind::Result | Kind::DestinationTest => has("rest"),
            Kind::ItemProgress => ["files", "folders", "symlinks"].into_iter().all(has) && !figures,
            Kind::Estimate | Kind::VolumeEstimate => has("estimate") && has("estimated_items") && !figures,
            Kind::CopyTime => has("minutes") && !figures,
            Kind::CompletionDate => has("value") && has("attribute") && has("path") && !figures,
            // Sizes of anything else must not pass for copied data.
            Kind::Completed => true,
            _ => !figures,
        };
        assert!(fits, "{}: `{}`", row.file, row.template);
    }
}

#[test]
fn guesses_are_marked() {
    let described = TABLE.rows.iter().filter(|row| row.evidence == Evidence::Described).count();
    let seen = TABLE.rows.iter().filter(|row| row.evidence == Evidence::Seen).count();
    assert!(described > 0 && seen > described, "{seen} seen, {described} described");
}

const TWO_ROWS: &str = r#"
    title = "t"
    [[message]]
    template = "Copied {items} items"
    meaning = "progress"
    macos = "13"
    evidence = "seen"
    samples = [{ text = "Copied 7 items", values = { items = 7 } }]
    [[message]]
    template = "Copied {rest}"
    meaning = "noise"
    macos = "13"
    evidence = "seen"
    samples = [{ text = "Copied all", values = { rest = "all" } }]
"#;

#[test]
fn a_greedy_row_is_caught() {
    assert_eq!(problems(&table(TWO_ROWS).unwrap()), ["test.toml: `Copied {rest}` also reads \"Copied 7 items\""]);
}

#[test]
fn a_sample_that_states_something_else_is_caught() {
    let wrong = r#"
        title = "t"
        [[message]]
        template = "Copied {items} items"
        meaning = "progress"
        macos = "13"
        evidence = "seen"
        samples = [{ text = "Copied 7 items", values = { items = 8 } }, { text = "Copied 7", values = { n = 1 } }]
    "#;
    assert_eq!(problems(&table(wrong).unwrap()).len(), 3);
}

#[test]
fn rows_that_could_not_hold_are_refused() {
    let row = |line: &str| {
        format!(
            "title = 't'\n[[message]]\ntemplate = 'x'\nmacos = '13'\nevidence = 'seen'\n{line}\nsamples = [{{ text = 'x' }}]"
        )
    };
    let refused = |line: &str| Table::load(&[("t", &row(line))]).is_err();
    assert!(!refused("meaning = 'noise'"));
    assert!(refused("meaning = 'started'\nprocess = 'backupd-helper'"));
    assert!(refused("meaning = 'begun'"));
    assert!(refused("meaning = 'noise'\ncolour = 'red'"));
    assert!(table("title = 't'\nmessage = []").is_err());
}

/// A value that a hole of this kind may hold.
fn any_value(kind: hole::Kind) -> BoxedStrategy<Owned> {
    let text = |pattern: &'static str| pattern.prop_map(Owned::Text).boxed();
    match kind {
        hole::Kind::Size => (0_u64..1_000_000, 0_u32..13)
            .prop_map(|(shown, step)| {
                let unit = 10_u64.pow(step);
                let bytes = shown * unit;
                Owned::Size(if unit == 1 { Amount::exact(bytes) } else { Amount::rounded(bytes, unit / 2) })
            })
            .boxed(),
        hole::Kind::Bytes => any::<u64>().prop_map(|bytes| Owned::Size(Amount::exact(bytes))).boxed(),
        hole::Kind::Count => any::<u64>().prop_map(Owned::Count).boxed(),
        hole::Kind::Code => (-9999_i64..9999).prop_map(Owned::Code).boxed(),
        hole::Kind::Number => text("[0-9]{1,4}\\.[0-9]{1,2}"),
        hole::Kind::Name => text("BACKUP(_[A-Z]{1,9}){1,4}"),
        hole::Kind::Uuid => text("[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[0-9A-F]{4}-[0-9A-F]{12}"),
        hole::Kind::Stamp => text("20[0-9]{2}-0[1-9]-1[0-9]-1[0-9][0-5][0-9][0-5][0-9]"),
        hole::Kind::Device => text("(/dev/)?disk[0-9]{1,2}(s[0-9]){0,2}"),
        hole::Kind::Bar => text("[ •+]{10}"),
        hole::Kind::Path => text("(/[A-Za-z0-9 é’'\"(). ,:]{1,12}){1,4}"),
        hole::Kind::Url => text("(smb|afp)://[a-z0-9.@_]{1,20}(/[A-Za-z0-9 %']{1,8}){0,2}"),
        hole::Kind::Mode => select(vec!["manual backup", "automatic backup", "manual health check"])
            .prop_map(|mode| Owned::Text(mode.to_owned()))
            .boxed(),
        hole::Kind::Volume => text("[A-Za-z0-9][A-Za-z0-9 é’'\"(). ,:-]{0,20}"),
        hole::Kind::Text => text("[A-Za-z0-9][A-Za-z0-9 é’'\"(). ,:/<>-]{0,20}"),
        hole::Kind::Lines => text("([A-Z][a-z]{1,8}: [0-9]\n\t){0,3}"),
        hole::Kind::Rest => text("([A-Za-z0-9][A-Za-z0-9 ]{0,11}|)"),
    }
}

/// A value that owns its text.
#[derive(Clone, Debug)]
enum Owned {
    Size(Amount),
    Count(u64),
    Code(i64),
    Text(String),
}

impl Owned {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Size(amount) => Value::Size(*amount),
            Self::Count(count) => Value::Count(*count),
            Self::Code(code) => Value::Code(*code),
            Self::Text(text) => Value::Text(text),
        }
    }
}

/// Whether the end of each open value can be told from what follows it.
fn is_plain(row: &Row, values: &[Owned]) -> bool {
    values.iter().zip(row.template.holes()).enumerate().all(|(at, (value, hole))| match (value, hole.kind) {
        (Owned::Text(text), kind) if kind.is_open() => row.template.after_hole(at).is_none_or(|after| {
            let mut joined = text.clone();
            joined.push_str(after);
            joined.find(after) == Some(text.len())
        }),
        _ => true,
    })
}

fn any_row() -> impl Strategy<Value = (usize, Vec<Owned>)> {
    (0..TABLE.rows.len()).prop_flat_map(|at| {
        let values: Vec<_> = TABLE.rows[at].template.holes().iter().map(|hole| any_value(hole.kind)).collect();
        (Just(at), values)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, max_global_rejects: 1 << 16, ..ProptestConfig::default() })]

    #[test]
    fn what_is_rendered_is_read_back((at, values) in any_row()) {
        let row = &TABLE.rows[at];
        prop_assume!(is_plain(row, &values));
        let values: Vec<Value<'_>> = values.iter().map(Owned::value).collect();
        let message = row.template.render(&values);
        let read = row.template.read(&message);
        prop_assert!(read.is_some(), "{:?}", message);
        for (hole, value) in row.template.holes().iter().zip(&values) {
            let found = read.and_then(|read| row.template.value(&read, &hole.name));
            prop_assert_eq!(found, Some(*value), "{} in {:?}", hole.name, message);
        }
    }

    #[test]
    fn nothing_panics_a_template(text in "\\PC{0,60}", cut in 0_usize..200, at in 0..TABLE.rows.len()) {
        let row = &TABLE.rows[at];
        row.template.read(&text);
        let sample = &row.samples[0].text;
        let start: String = sample.chars().take(cut).collect();
        TABLE.find(&format!("{start}{text}"));
    }
}
