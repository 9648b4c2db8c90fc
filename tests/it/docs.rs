//! The documents say what the program does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tmgauge::contract::backup::BackupJson;
use tmgauge::contract::check::CheckJson;
use tmgauge::contract::columns::COLUMNS;
use tmgauge::contract::envelope::{Envelope, Section, Skipped};
use tmgauge::contract::error::ErrorJson;
use tmgauge::contract::progress::ProgressJson;
use tmgauge::domain::backup::{Backup, Source, WarningCode};
use tmgauge::domain::check::{Check, State};
use tmgauge::domain::link::LinkKind;
use tmgauge::domain::phase::Phase;
use tmgauge::domain::progress::{Movement, Progress};
use tmgauge::domain::units::BitRate;
use tmgauge::error::Exit;

use crate::common::{Run, root, run};
use crate::whole;

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// What stands below a heading, up to the next one of its level or above.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let level = heading.chars().take_while(|&c| c == '#').count();
    let start = text.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no heading `{heading}`"));
    let body = &text[start + heading.len() + 2..];
    let ends = |line: &str| {
        let hashes = line.chars().take_while(|&c| c == '#').count();
        (1..=level).contains(&hashes) && line[hashes..].starts_with(' ')
    };
    let mut end = 0;
    for line in body.split_inclusive('\n') {
        if ends(line) {
            break;
        }
        end += line.len();
    }
    &body[..end]
}

/// The cells of every row of the tables whose header begins with this cell.
fn rows(text: &str, first_header: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut table: Vec<Vec<String>> = Vec::new();
    for line in text.lines().chain([""]) {
        if let Some(inner) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) {
            table.push(inner.split(" | ").map(|cell| cell.trim().to_owned()).collect());
        } else if !line.starts_with('|') && !table.is_empty() {
            let header = table.remove(0);
            let rows = std::mem::take(&mut table);
            if header[0] == first_header {
                found.extend(rows);
            }
        }
    }
    found
}

fn bare(cell: &str) -> String {
    cell.trim_matches('`').to_owned()
}

/// A table of two columns as pairs.
fn pairs(text: &str, first_header: &str) -> Vec<(String, String)> {
    rows(text, first_header).into_iter().map(|row| (bare(&row[0]), row[1].clone())).collect()
}

#[test]
fn exit_codes_are_those_of_the_code() {
    let code: Vec<_> = Exit::ALL.iter().map(|exit| (exit.code().to_string(), exit.meaning().to_owned())).collect();
    assert_eq!(pairs(section(&document("docs/scripting.md"), "## Exit codes"), "code"), code);
}

#[test]
fn warning_codes_are_those_of_the_code() {
    let code: Vec<_> =
        WarningCode::ALL.iter().map(|code| (code.code().to_owned(), code.meaning().to_owned())).collect();
    assert_eq!(pairs(section(&document("docs/scripting.md"), "## Warning codes"), "code"), code);
}

#[test]
fn sources_and_interface_keys_are_those_of_the_code() {
    let text = document("docs/scripting.md");
    let listed: Vec<_> = pairs(&text, "source").into_iter().map(|(word, _)| word).collect();
    assert_eq!(listed, Source::ALL.iter().map(|source| source.word()).collect::<Vec<_>>());
    let keys = section(&text, "### Interface keys");
    let (list, _) = keys.split_once("\n\nA key without").unwrap();
    let listed: Vec<_> = list.split('`').skip(1).step_by(2).collect();
    let code: Vec<_> = LinkKind::ALL.iter().map(|kind| kind.key()).collect();
    assert_eq!(listed, code);
}

/// What JSON holds at each path: the names of types, with `null` among them where it occurs.
#[derive(Default)]
struct Shape(BTreeMap<String, BTreeSet<&'static str>>);

impl Shape {
    fn take(&mut self, path: &str, value: &Value) {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let is_element = path.ends_with("[]");
        if !path.is_empty() && !is_element {
            self.0.entry(path.to_owned()).or_default().insert(kind);
        }
        match value {
            Value::Array(elements) => elements.iter().for_each(|element| self.take(&format!("{path}[]"), element)),
            Value::Object(object) => {
                for (key, value) in object {
                    let dot = if path.is_empty() { "" } else { "." };
                    // The keys of `sources` are paths themselves.
                    let key = if path == "sources" { "*" } else { key };
                    self.take(&format!("{path}{dot}{key}"), value);
                }
            }
            _ => {}
        }
    }

    /// As the tables have it: path and type, in order of paths.
    fn described(&self) -> BTreeMap<String, String> {
        let describe = |kinds: &BTreeSet<&'static str>| {
            let mut words: Vec<_> = kinds.iter().copied().filter(|kind| *kind != "null").collect();
            words.extend(kinds.get("null"));
            words.join(" or ")
        };
        self.0.iter().map(|(path, kinds)| (path.clone(), describe(kinds))).collect()
    }
}

fn shape<'a>(values: impl IntoIterator<Item = &'a Value>) -> BTreeMap<String, String> {
    let mut shape = Shape::default();
    values.into_iter().for_each(|value| shape.take("", value));
    shape.described()
}

fn documented(text: &str) -> BTreeMap<String, String> {
    let rows = pairs(text, "key");
    let table: BTreeMap<_, _> = rows.iter().cloned().collect();
    assert_eq!(table.len(), rows.len(), "a key stands twice");
    table
}

fn json(backup: &Backup) -> Value {
    serde_json::to_value(BackupJson::from(backup)).unwrap()
}

#[test]
fn the_record_is_described_key_by_key() {
    let text = document("docs/scripting.md");
    let backups =
        [whole::backup(), whole::local_times(), whole::hollow(), whole::unknown()].map(|backup| json(&backup));
    assert_eq!(documented(section(&text, "## The record of a backup")), shape(&backups));
}

#[test]
fn the_comparison_of_keys_sees_what_is_missing_or_mistaken() {
    let described = shape([&json(&whole::backup()), &json(&whole::unknown())]);
    let mut other = whole::backup();
    other.host = None;
    assert_ne!(described, shape([&json(&other), &json(&whole::unknown())]), "a key that is never a string");
    assert_ne!(described, shape([&json(&whole::backup())]), "keys that are never null");
    let table = "\n## A\n\n| key | type | meaning |\n|---|---|---|\n| `a.b` | string or null | x |\n\n| k | l |\n|---|---|\n| `c` | d |\n";
    assert_eq!(documented(section(table, "## A")), [("a.b".to_owned(), "string or null".to_owned())].into());
}

#[test]
fn the_envelope_and_its_checks_are_described() {
    let checks = [Check::new("a", State::Ok, "b"), Check::new("a", State::No, "b").mend("c", "d")];
    let checks = checks.iter().map(|check| serde_json::to_value(CheckJson::from(check)).unwrap()).collect();
    let skipped = Skipped { lines: 1, files: 1, ..Skipped::default() };
    let envelope = Envelope::new(&[], &skipped, &[], Some(Section::Checks(checks)));
    let text = document("docs/scripting.md");
    let table = documented(section(&text, "## The object of `--format json`"));
    assert_eq!(table, shape([&serde_json::to_value(envelope).unwrap()]));
}

#[test]
fn progress_lines_are_described() {
    let known = Progress {
        t: Duration::from_secs(9),
        at: whole::at("2026-02-03T04:05:06+01:00"),
        phase: Some(Phase::new("Copying")),
        phase_age: Duration::from_secs(3),
        since_start: Duration::from_secs(8),
        last_change: Duration::from_secs(1),
        bytes: Some(1),
        items: Some(2),
        bytes_to_copy: None,
        rate: BitRate::from_bps(8.0),
        rate_window: Duration::from_secs(2),
        overall: BitRate::from_bps(4.0),
        copying_rate: None,
        items_per_second: None,
        changed_items: None,
        apple_percent: Some(0.5),
        apple_remaining_s: Some(7.0),
        remaining: None,
        movement: Movement::Nothing(Duration::from_secs(60)),
        ended: None,
        verdict: None,
    };
    let unknown = Progress {
        phase: None,
        bytes: None,
        items: None,
        rate: None,
        overall: None,
        apple_percent: None,
        apple_remaining_s: None,
        movement: Movement::Moving,
        ..known.clone()
    };
    let lines = [known, unknown].map(|progress| serde_json::to_value(ProgressJson::from(&progress)).unwrap());
    let text = document("docs/scripting.md");
    assert_eq!(documented(section(&text, "### Progress lines")), shape(&lines));
}

#[test]
fn the_error_object_is_described() {
    let errors = [vec![], vec!["do this".to_owned()]]
        .map(|hints| serde_json::to_value(ErrorJson::new(Exit::Use, "no".to_owned(), &hints)).unwrap());
    assert_eq!(documented(section(&document("docs/scripting.md"), "## Errors")), shape(&errors));
}

#[test]
fn csv_columns_are_those_of_the_code() {
    let text = document("docs/scripting.md");
    let listed = fenced(section(&text, "## CSV")).remove(0).body;
    assert_eq!(listed.lines().collect::<Vec<_>>(), COLUMNS);
}

/// A block between fences.
struct Block {
    language: String,
    body: String,
}

fn fenced(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some(Block { language: language.to_owned(), body: String::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.body.push_str(line);
                block.body.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is never closed");
    blocks
}

/// A command of a `console` block, and what it prints where that is shown.
#[derive(Debug, PartialEq)]
struct Shown {
    args: Vec<String>,
    output: String,
}

/// How a command line begins that runs this program.
const PROGRAM: &[&str] = &["tmgauge", "cargo run --release --"];

/// The commands in the `console` blocks that run this program.
fn shown(text: &str) -> Vec<Shown> {
    let mut found = Vec::new();
    for block in fenced(text).into_iter().filter(|block| block.language == "console") {
        let mut current: Option<Shown> = None;
        for line in block.body.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                found.extend(current.take());
                assert!(!command.contains(['\'', '"', '|', '>', '\\']), "`{command}` needs a shell");
                let args = PROGRAM.iter().find_map(|program| command.strip_prefix(program)?.strip_prefix(' '));
                current = args.map(|args| Shown {
                    args: args.split_whitespace().map(str::to_owned).collect(),
                    output: String::new(),
                });
            } else if let Some(shown) = &mut current {
                shown.output.push_str(line);
                shown.output.push('\n');
            }
        }
        found.extend(current);
    }
    found
}

/// What differs from what a document shows.
fn differences(text: &str, run: impl Fn(&[&str]) -> Run) -> Vec<String> {
    let differs = |shown: Shown| {
        let args: Vec<_> = shown.args.iter().map(String::as_str).collect();
        let run = run(&args);
        if run.code != 0 {
            return Some(format!("{args:?} exits {}: {}", run.code, run.stderr));
        }
        let same = shown.output.is_empty() || shown.output == run.stdout;
        (!same).then(|| format!("{args:?} prints\n{}\nand not\n{}", run.stdout, shown.output))
    };
    shown(text).into_iter().filter_map(differs).collect()
}

#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let text = document("README.md");
    assert!(!shown(&text).is_empty());
    let wrong = differences(&text, run);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_check_of_the_readme_can_fail() {
    let block = |lines: &str| format!("text\n\n```console\n{lines}\n```\n\n```sh\n$ tmgauge --nonsense\n```\n");
    let version = concat!("tmgauge ", env!("CARGO_PKG_VERSION"));
    assert_eq!(differences(&block("$ tmgauge --version"), run).len(), 0);
    assert_eq!(differences(&block(&format!("$ ls\nx\n$ tmgauge --version\n{version}")), run).len(), 0);
    assert_eq!(differences(&block("$ tmgauge --version\ntmgauge 0.0.0"), run).len(), 1);
    assert_eq!(differences(&block("$ tmgauge --nonsense"), run).len(), 1);
    assert_eq!(differences(&block(&format!("$ cargo run --release -- --version\n{version}!")), run).len(), 1);
}

/// Every document of the project, by its path below the root.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["", "docs"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn links_between_documents_lead_somewhere_and_lines_are_short() {
    let documents = documents();
    assert!(documents.len() >= 6, "{documents:?}");
    let mut wrong = Vec::new();
    for path in documents {
        let text = document(path.to_str().unwrap());
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, _) = target.split_once('#').unwrap_or((target, ""));
            let there =
                file.is_empty() || file.contains("://") || root().join(&path).parent().unwrap().join(file).exists();
            if !there {
                wrong.push(format!("{}: no {target}", path.display()));
            }
        }
        // Rows of tables and commands can't be broken.
        let whole = |line: &str| line.starts_with('|') || line.starts_with("$ ");
        let long = text.lines().enumerate().filter(|(_, line)| !whole(line) && line.chars().count() > 120);
        wrong.extend(long.map(|(index, _)| format!("{}:{}: more than 120 columns", path.display(), index + 1)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn open_facts_have_ids_of_their_own_and_a_command_each() {
    let text = document("docs/open-facts.md");
    let mut ids = BTreeSet::new();
    for fact in text.split("\n### ").skip(1) {
        let id = fact.split(['.', ' ']).next().unwrap();
        assert!(ids.insert(id.to_owned()), "{id} stands twice");
        for part in ["**Open:**", "**Meanwhile:**", "**Settle:**"] {
            assert!(fact.contains(part), "{id} lacks {part}");
        }
    }
    assert!(ids.len() > 20, "{ids:?}");
}
