use proptest::prelude::*;

use super::*;

fn named(name: &str) -> &'static Format {
    Format::named(name).unwrap()
}

fn ndjson() -> &'static Format {
    named("ndjson")
}

/// What came out of a log, with text of its own.
fn read(format: &'static Format, lines: &[&str]) -> Vec<String> {
    let mut reader = LineReader::new(format);
    let mut found = Vec::new();
    for line in lines {
        reader.push(line, &mut |read| found.push(shown(read)));
    }
    reader.flush(&mut |read| found.push(shown(read)));
    found
}

fn shown(read: Read<'_>) -> String {
    match read {
        Read::Entry(entry) => format!("entry {:?}", entry.message),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// What is wrong with formats: samples that don't read as stated, and samples that another format reads.
fn problems(formats: &'static [Format]) -> Vec<String> {
    let mut wrong = Vec::new();
    for format in formats {
        for sample in &format.samples {
            let lines: Vec<&str> = sample.text.split('\n').collect();
            let (mut entries, mut others) = (0, 0);
            let mut each = |read: Read<'_>| match read {
                Read::Entry(entry) if is_as_stated(&entry, sample) => entries += 1,
                _ => others += 1,
            };
            let mut reader = LineReader::new(format);
            for line in &lines {
                reader.push(line, &mut each);
            }
            reader.flush(&mut each);
            if (entries, others) != (1, 0) {
                wrong.push(format!("{} does not read {:?} as stated", format.name, sample.text));
            }
            for other in formats.iter().filter(|other| other.name != format.name && other.begins(lines[0])) {
                wrong.push(format!("{} also reads a line of {}", other.name, format.name));
            }
        }
    }
    wrong
}

fn is_as_stated(entry: &Entry<'_>, sample: &Sample) -> bool {
    let stated = Entry {
        at: Moment::at_wall(Wall::Zoned(sample.at)),
        process: sample.process.as_deref(),
        pid: sample.pid,
        subsystem: sample.subsystem.as_deref(),
        category: sample.category.as_deref(),
        message: &sample.message,
    };
    *entry == stated
}

#[test]
fn every_sample_is_read_by_its_format_alone_and_as_stated() {
    assert_eq!(problems(Format::all()), Vec::<String>::new());
    for format in Format::all() {
        assert!(!format.title().is_empty(), "{}", format.name());
    }
}

#[test]
fn a_greedy_format_is_caught() {
    let greedy = r"
        title = 'greedy'
        kind = 'text'
        record = '^(?<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+[+-]\d{4})(?<message>.*)$'
        time = '%Y-%m-%d %H:%M:%S%.f%z'
        [[sample]]
        text = '2026-03-01 09:15:22.408772+0100 hello'
        at = '2026-03-01T09:15:22.408772+01:00'
        message = ' hello'
    ";
    let syslog = embedded::FORMATS.iter().find(|(file, _)| *file == "syslog.toml").unwrap();
    let formats = vec![Format::load("greedy.toml", greedy).unwrap(), Format::load(syslog.0, syslog.1).unwrap()];
    let wrong = problems(formats.leak());
    assert!(wrong.iter().any(|problem| problem == "greedy also reads a line of syslog"), "{wrong:?}");
}

#[test]
fn formats_that_could_not_work_are_refused() {
    let format = |record: &str| {
        format!(
            "title = 't'\nkind = 'text'\nrecord = '{record}'\ntime = '%Y'\n[[sample]]\ntext = 'x'\n\
             at = '2026-03-01T00:00:00Z'\nmessage = 'x'"
        )
    };
    assert!(Format::load("t", &format("^(?<at>x)(?<message>.*)$")).is_ok());
    for record in ["(?<at>x)(?<message>.*)$", "^(?<at>x)(?<message>.*)", "^(?<at>x)$", "^(?<message>x)$", "^(?<at>x$"] {
        assert!(Format::load("t", &format(record)).is_err(), "{record}");
    }
    assert!(Format::load("t", "title = 't'").is_err());
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
    let found = read(named("syslog"), &lines);
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
    let found = read(ndjson(), &lines);
    let kinds: Vec<&str> = found.iter().map(|line| line.split('(').next().unwrap()).collect();
    assert_eq!(
        kinds,
        ["preamble", "entry \"a\"", "dropped", "dropped", "entry \"b\"", "unreadable", "unreadable", "footer"]
    );
}

/// The sample in which every key of `log` is there.
fn json_sample() -> &'static str {
    &ndjson().samples[0].text
}

#[test]
fn the_quick_and_the_whole_reader_agree() {
    let quick = json_sample();
    let spaced = quick.replace("\":", "\": ");
    let numbered = quick.replace("manual", "\\u006danual");
    let format = ndjson();
    let found = read(format, &[quick, &spaced, &numbered]);
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

#[test]
fn a_cut_json_line_gives_nothing() {
    for end in 0..json_sample().len() {
        let mut each = |read: Read<'_>| assert!(!matches!(read, Read::Entry(_)), "{read:?}");
        LineReader::new(ndjson()).push(&json_sample()[..end], &mut each);
    }
}

proptest! {
    #[test]
    fn no_line_panics_a_format(lines in proptest::collection::vec("\\PC{0,80}", 0..4), head in 0_usize..200) {
        for format in Format::all() {
            let start: String = format.samples[0].text.chars().take(head).collect();
            let lines: Vec<String> = lines.iter().map(|line| format!("{start}{line}")).collect();
            read(format, &lines.iter().map(String::as_str).collect::<Vec<_>>());
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
        LineReader::new(ndjson()).push(&record.to_string(), &mut |read| {
            let Read::Entry(entry) = read else { panic!("{read:?}") };
            assert_eq!(entry.message, message);
            assert_eq!(entry.process, process.rsplit('/').next());
            entries += 1;
        });
        prop_assert_eq!(entries, 1);
    }
}
