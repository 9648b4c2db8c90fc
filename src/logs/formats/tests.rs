use std::fs;
use std::sync::Arc;

use proptest::prelude::*;

use super::format::Shape;
use super::*;

fn built_in(name: &str) -> &'static Arc<Format> {
    Formats::built_in().named(name).unwrap()
}

/// What comes out of a reader, in words.
fn shown(read: Read<'_>) -> String {
    match read {
        Read::Entry(entry) => format!("entry {:?}", entry.message),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn read(name: &str, lines: &[&str]) -> Vec<String> {
    let mut reader = LogReader::new(built_in(name), &ReadOptions::default());
    let mut found = Vec::new();
    for line in lines {
        reader.push_line(line, &mut |read| found.push(shown(read)));
    }
    reader.flush(&mut |read| found.push(shown(read)));
    found
}

#[test]
fn every_sample_is_read_by_its_format_alone_and_as_stated() {
    let formats = Formats::built_in();
    for format in formats.iter() {
        assert_eq!(proof::failures(format, formats), [], "{}", format.name());
    }
}

#[test]
fn every_sample_is_detected() {
    for format in Formats::built_in().iter() {
        for proof in &format.samples {
            let found = detect(proof.sample.text.as_bytes(), Formats::built_in());
            // A weak form needs a known message.
            if let Some(found) = found.format {
                assert_eq!(found.name(), format.name(), "{}", proof.sample.text);
            } else {
                assert!(format.weak, "{}", proof.sample.text);
            }
        }
    }
}

const GREEDY: &str = r"
title = 'greedy'
kind = 'text'
record = '^(?<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+[+-]\d{4})(?<message>.*)$'
time = ['%Y-%m-%d %H:%M:%S%.f%z']
[[sample]]
text = '2026-03-01 09:15:22.408772+0100=hello'
at = '2026-03-01T09:15:22.408772+01:00'
message = '=hello'
";

const SHORT: &str = r"
title = 'short'
kind = 'text'
record = '^(?<at>\d\d\d\d/\d\d/\d\d) (?<process>\w+): (?<message>\w+)$'
time = ['%Y/%m/%d']
[[sample]]
text = '2026/03/01 backupd: hello there'
message = 'hello'
";

const GOOD: &str = r"
title = 'good'
kind = 'text'
record = '^@(?<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)@ (?<message>.*)$'
time = ['%Y-%m-%d %H:%M:%S']
[[sample]]
text = '@2026-03-01 09:15:22@ Starting manual backup'
at = '2026-03-01T09:15:22'
message = 'Starting manual backup'
";

/// What a folder with these files gives: the formats taken in, and what is said of the others.
fn user(files: &[(&str, &str)]) -> (Formats, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let (formats, diagnostics) = Formats::load_user(folder.path());
    let root = format!("{}/", folder.path().display());
    (formats, diagnostics.iter().map(|diagnostic| diagnostic.to_string().replace(&root, "")).collect())
}

#[test]
fn a_greedy_format_is_caught() {
    let (formats, diagnostics) = user(&[("greedy.toml", GREEDY)]);
    assert!(formats.named("greedy").is_none());
    let reads =
        |other: &str| diagnostics.iter().any(|said| said.contains(&format!("it also reads a line of `{other}`")));
    assert!(reads("default") && reads("syslog") && reads("log-trimmed"), "{diagnostics:#?}");
}

#[test]
fn a_format_of_the_user_is_taken_in() {
    let (formats, diagnostics) = user(&[("mine.toml", GOOD), ("note.txt", "no format")]);
    assert_eq!(diagnostics, Vec::<String>::new());
    let found = detect(b"@2026-03-01 09:15:22@ Starting manual backup\n", &formats);
    assert_eq!(found.format.unwrap().name(), "mine");
    assert!(Formats::load_user(std::path::Path::new("/nowhere")).1.is_empty());
}

#[test]
fn what_is_wrong_with_a_format_is_said_with_its_place() {
    let (_, said) = user(&[
        ("a-short.toml", SHORT),
        ("b-novel.toml", &GOOD.replace("at = '2026", "novel = 1\nat = '2026")),
        ("c-group.toml", &GOOD.replace("?<message>", "?<text>")),
        ("d-open.toml", &GOOD.replace(".*)$", ".*)")),
        ("e-wrong.toml", &GOOD.replace("at = '2026", "at = '2025")),
        ("f-none.toml", "title = 'none'\nkind = 'text'\nrecord = '^(?<at>x)(?<message>.*)$'\ntime = ['%Y']\n"),
        ("syslog.toml", GOOD),
    ]);
    insta::assert_snapshot!(said.join("\n"), @r#"
    a-short.toml:6: sample 1: `record` does not match: 2026/03/01 backupd: hello there
      help: `record` matches up to here: 2026/03/01 backupd: hello
    b-novel.toml:8: unknown field `novel`, expected one of `text`, `at`, `host`, `process`, `pid`, `level`, `subsystem`, `category`, `message`
    c-group.toml:4: `record` has a group `text`, and the groups that mean something are at, host, process, pid, level, sender, subsystem, category, message
    d-open.toml:4: `record` must match the whole line, from `^` to `$`
    e-wrong.toml:6: sample 1: `at` is read as "2026-03-01T09:15:22", not "2025-03-01T09:15:22"
    f-none.toml: it needs a sample
    syslog.toml: there is a format `syslog` already
    "#);
}

#[test]
fn a_text_record_waits_for_its_end() {
    let head = "2026-03-01 09:15:22.359915-0800 localhost backupd[398]: (TimeMachine) [com.apple.TimeMachine:General] ";
    let first = format!("{head}Backup result: {{");
    let next = format!("{head}Starting manual backup\r");
    let lines = [
        "Filtering the log data using \"x\"",
        "Timestamp                       (process)[PID]    ",
        "lost",
        &first,
        "    Running = 1;",
        "}",
        "",
        &next,
        "=== Messages dropped during live streaming (use `log show` to see what they were)",
    ];
    let found = read("syslog", &lines);
    assert_eq!(
        found[3..],
        ["entry \"Backup result: {\\n    Running = 1;\\n}\"", "entry \"Starting manual backup\"", "dropped"]
    );
    assert_eq!(found[2], "unreadable(\"lost\")");
}

#[test]
fn a_json_log_has_a_preamble_a_footer_and_gaps() {
    let lines = [
        "Filtering the log data using \"subsystem == \\\"com.apple.TimeMachine\\\"\"",
        "{\"eventMessage\":\"a\"}",
        "",
        "=== Messages dropped during live streaming (use `log show` to see what they were)",
        "{\"eventType\":\"lossEvent\",\"eventMessage\":\"x\",\"timestamp\":\"\",\"processImagePath\":\"/x\"}",
        "{\"eventType\":\"novelEvent\",\"eventMessage\":\"b\"}",
        "{\"eventMessage\":\"cut",
        "{\"other\":1}",
        "{\"count\":2,\"finished\":1}",
    ];
    let found = read("ndjson", &lines);
    let kinds: Vec<&str> = found.iter().map(|line| line.split('(').next().unwrap()).collect();
    assert_eq!(
        kinds,
        ["preamble", "entry \"a\"", "dropped", "dropped", "entry \"b\"", "unreadable", "unreadable", "footer"]
    );
}

/// The sample in which every key of `log` is there.
fn json_sample() -> &'static str {
    &built_in("ndjson").samples[0].sample.text
}

#[test]
fn the_quick_and_the_whole_reader_agree() {
    let quick = json_sample();
    let spaced = quick.replace("\":", "\": ");
    let numbered = quick.replace("manual", "\\u006danual");
    let found = read("ndjson", &[quick, &spaced, &numbered]);
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

#[test]
fn a_cut_json_line_gives_nothing() {
    for end in 0..json_sample().len() {
        let mut each = |read: Read<'_>| assert!(!matches!(read, Read::Entry(_)), "{read:?}");
        LogReader::new(built_in("ndjson"), &ReadOptions::default()).push_line(&json_sample()[..end], &mut each);
    }
}

#[test]
fn only_backupd_is_handed_on_where_that_is_asked() {
    let head = "2026-03-01 09:15:22.359915-0800 0x1 Info 0x0 1 0 ";
    let text = format!(
        "Timestamp  Thread\n{head}kernel: one\n\tabout backupd\n{head}backupd: two\n\tmore\n{head}kernel: three\n\
         {head}backupd-helper: four\n{head}backupd: five\n"
    );
    let options = ReadOptions { only_backupd: true, ..ReadOptions::default() };
    for size in [1, 7, 4096] {
        let mut reader = LogReader::new(built_in("default"), &options);
        let mut found = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            reader.push(piece, &mut |read| found.push(shown(read)));
        }
        reader.flush(&mut |read| found.push(shown(read)));
        found.retain(|said| said.starts_with("entry"));
        assert_eq!(found, ["entry \"two\\n\\tmore\"", "entry \"five\""]);
    }
}

#[test]
fn what_is_no_text_is_refused() {
    let found = |bytes: &[u8]| detect(bytes, Formats::built_in());
    assert_eq!(found(b"").not_text, Some("it is empty"));
    assert_eq!(found(b"\x7fELF\0\0\0").not_text, Some("it is binary"));
    let prose = found(b"Dear Mira,\nthe backup of the attic went well.\n");
    assert!(prose.format.is_none() && prose.not_text.is_none());
    assert_eq!(prose.scores.len(), Formats::built_in().iter().count());
}

proptest! {
    #[test]
    fn the_quick_heads_are_those_of_the_regex(
        format in 0_usize..4, sample in 0_usize..3, at in 0_usize..140, length in 0_usize..3, put in "[ -~é]{0,3}",
    ) {
        let format = built_in(["default", "syslog", "compact", "bsd-syslog"][format]);
        let Shape::Text(pattern) = &format.shape else { panic!() };
        let proof = &format.samples[sample % format.samples.len()];
        let line: Vec<char> = proof.sample.text.split('\n').next().unwrap().chars().collect();
        let at = at.min(line.len());
        let end = (at + length).min(line.len());
        let line: String = line[..at].iter().copied().chain(put.chars()).chain(line[end..].iter().copied()).collect();
        let mut room = pattern.room();
        if let Some(quick) = pattern.quick().and_then(|quick| quick(&line)) {
            prop_assert_eq!(Some(quick), pattern.read_by_regex(&line, &mut room), "{}", line);
        }
    }

    #[test]
    fn no_line_panics_a_format(
        format in 0_usize..40, lines in proptest::collection::vec("\\PC{0,80}", 0..4), head in 0_usize..200,
    ) {
        let formats: Vec<_> = Formats::built_in().iter().collect();
        let format = formats[format % formats.len()];
        let start: String = format.samples[0].sample.text.chars().take(head).collect();
        let lines: Vec<String> = lines.iter().map(|line| format!("{start}{line}")).collect();
        read(format.name(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
        detect(lines.join("\n").as_bytes(), Formats::built_in());
    }

    #[test]
    fn pieces_and_lines_give_the_same(sample in 0_usize..60, size in 1_usize..50) {
        let samples: Vec<_> = Formats::built_in().iter().flat_map(|format| format.samples.iter().map(move |proof| (format, proof))).collect();
        let (format, proof) = samples[sample % samples.len()];
        let text = &proof.sample.text;
        let by_line = read(format.name(), &text.split('\n').collect::<Vec<_>>());
        for end in ["\n", "\r\n"] {
            let mut reader = LogReader::new(format, &ReadOptions::default());
            let mut found = Vec::new();
            for piece in text.replace('\n', end).as_bytes().chunks(size) {
                reader.push(piece, &mut |read| found.push(shown(read)));
            }
            reader.flush(&mut |read| found.push(shown(read)));
            prop_assert_eq!(&found, &by_line);
        }
    }

    #[test]
    fn any_text_comes_out_of_json_as_it_went_in(message in any::<String>(), process in "[ -~é]{1,12}") {
        let record = serde_json::json!({
            "eventMessage": message,
            "processImagePath": format!("/x/{process}"),
            "timestamp": "2026-03-01 09:15:22.408772+0100",
        });
        let mut entries = 0;
        LogReader::new(built_in("ndjson"), &ReadOptions::default()).push_line(&record.to_string(), &mut |read| {
            let Read::Entry(entry) = read else { panic!("{read:?}") };
            assert_eq!(entry.message, message);
            assert_eq!(entry.process, process.rsplit('/').next().filter(|name| !name.is_empty()));
            entries += 1;
        });
        prop_assert_eq!(entries, 1);
    }
}
