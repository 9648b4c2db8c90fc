//! `summary`, `compare` and `report` as one calls them.

use serde_json::Value;

use crate::common::{self, Run, recording};

fn call(args: &[&str]) -> Run {
    common::run(args)
}

fn path(name: &str) -> String {
    recording(name).to_str().unwrap().to_owned()
}

fn article(more: &[&str]) -> Run {
    let (usb3, usb2) = (path("first-backup-usb3"), path("first-backup-usb2"));
    let mut args = vec!["compare", &usb3, &usb2];
    args.extend(more);
    call(&args)
}

#[test]
fn the_article_comes_out_of_its_two_recordings() {
    let run = article(&["--units", "iec"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for line in [
        "A  USB 3.0    5 Gb/s    2026-03-14  85.0   0:42:00        276  2.1      301  2.1",
        "B  USB 2.0    480 Mb/s  2026-03-15  87.0   1:30:00        132  1.0      141  1.0",
        "USB 3.0 was 2.1× as fast as USB 2.0 on the same disk: 276 against 132 Mib/s, 85.0 against 87.0 GiB, \
         42 min against 1 h 30 min. The Macs differ too, so the link alone need not be the cause.",
    ] {
        assert!(run.stdout.lines().any(|shown| shown == line), "{}", run.stdout);
    }
    let markdown = article(&["--units", "iec", "--format", "markdown"]).stdout;
    assert!(markdown.contains("| USB 3.0 | 5 Gb/s | 85.0 | 0:42:00 | 276 | 301 | 2.09× |"), "{markdown}");
    assert!(article(&["--ascii"]).stdout.is_ascii());
}

#[test]
fn a_comparison_in_json_has_its_own_key() {
    let json = article(&["--format", "json"]).json();
    assert_eq!(json["backups"].as_array().unwrap().len(), 2);
    let comparison = &json["comparison"];
    assert_eq!(comparison["verdict"]["kind"], "faster");
    assert_eq!(comparison["verdict"]["fastest"], "A");
    assert_eq!(comparison["verdict"]["reservations"], serde_json::json!(["Mac"]));
    let times = comparison["verdict"]["times"][0]["times"].as_f64().unwrap();
    // 91,268,055,040 bytes in 2,520 s against 93,415,538,688 bytes in 5,400 s.
    assert!((times - 2.093_596).abs() < 1e-5, "{times}");
}

#[test]
fn a_summary_of_recordings() {
    let (usb3, usb2) = (path("first-backup-usb3"), path("first-backup-usb2"));
    let refused = path("cancelled");
    let json = call(&["summary", &usb3, &usb2, &refused, "--format", "json"]).json();
    let groups = json["groups"].as_array().unwrap();
    let keys: Vec<_> = groups.iter().map(|group| group["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["usb-3.2-gen-1", "usb-2.0"]);
    assert_eq!(groups[0]["spread"], Value::Null);
    assert_eq!(json["skipped"]["reasons"]["backups cancelled"], 1);
    let csv = call(&["summary", &usb3, &usb2, "--format", "csv", "--by", "month"]).stdout;
    assert_eq!(csv.lines().count(), 2);
}

#[test]
fn records_come_by_standard_input_too() {
    let record = common::replay("run", &recording("first-backup-usb3"), &[]).stdout;
    let output = common::Place::new().command().args(["summary", "-"]).write_stdin(record).output().unwrap();
    assert!(Run::from(output).stdout.contains("USB 3.0"));
}

#[test]
fn without_a_history_one_must_name_something() {
    for command in ["summary", "report"] {
        let run = call(&[command]);
        assert_eq!(run.code, 6);
        assert!(run.stderr.contains("there is no history yet"), "{}", run.stderr);
    }
    let run = call(&["compare", "interface:usb-2", "interface:usb-3"]);
    assert_eq!(run.code, 6, "{}", run.stderr);
}

#[test]
fn a_page_and_a_chart_in_files() {
    let place = tempfile::TempDir::new().unwrap();
    let (usb3, usb2) = (path("first-backup-usb3"), path("first-backup-usb2"));
    let page = place.path().join("page.html");
    let run = call(&["report", &usb3, &usb2, "-o", page.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.contains("<h1>USB 3.0 was 2.1× as fast as USB 2.0</h1>"));
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1);
    let svg = call(&["report", &usb3, "--svg", "rate"]).stdout;
    assert!(svg.starts_with("<svg xmlns="), "{svg}");
}
