use proptest::prelude::*;

use super::*;
use crate::contract::examples;
use crate::domain::backup::Point;
use crate::domain::link::{Link, LinkKind};
use crate::domain::phase::Phase;
use crate::domain::stats::{MIN_BYTES, summarise};
use crate::report::Units;

fn backups() -> Vec<Backup> {
    let mut a = examples::usb3_first();
    let point = |step: u32| Point {
        t: 160.0 + f64::from(step) * 60.0,
        phase: Some(Phase::new("Copying")),
        bytes: Some(u64::from(step) * 2_000_000_000),
        items: None,
        percent: None,
    };
    a.samples = Some((0..40).map(point).collect());
    let mut b = a.clone();
    b.duration = Some(examples::secs(5400.0));
    for link in &mut b.links {
        *link = Link { kind: LinkKind::Usb2, negotiated_bps: Some(480_000_000), ..link.clone() };
    }
    vec![b, a]
}

fn page(backups: &[Backup], units: Units) -> String {
    let statistics = summarise(backups, By::Interface, MIN_BYTES);
    let page = Page::new(backups, &statistics, By::Interface, MIN_BYTES, "2026-09-20").unwrap();
    page.html(&Style { units, ..Style::default() })
}

/// Checks that every tag is closed in its turn and every reference has its target.
fn check(html: &str) {
    const VOID: &[&str] = &["meta", "br", "!doctype"];
    let tag = regex::Regex::new(r#"<(/?)([a-zA-Z!][a-zA-Z0-9]*)((?:\s+[a-zA-Z0-9:-]+="[^"<]*"|\s+[a-z]+)*)\s*(/?)>"#)
        .unwrap();
    let without_style = regex::Regex::new("(?s)<style>.*?</style>").unwrap().replace_all(html, "").into_owned();
    assert_eq!(tag.find_iter(&without_style).count(), without_style.matches('<').count(), "a `<` that begins no tag");
    let mut stack = Vec::new();
    for found in tag.captures_iter(&without_style) {
        let name = found[2].to_lowercase();
        if &found[1] == "/" {
            assert_eq!(stack.pop().as_deref(), Some(name.as_str()));
        } else if found[4].is_empty() && !VOID.contains(&name.as_str()) {
            stack.push(name);
        }
    }
    assert!(stack.is_empty(), "{stack:?}");
    let all = |pattern: &str| -> Vec<String> {
        let found = regex::Regex::new(pattern).unwrap();
        found.captures_iter(html).map(|found| found[1].to_owned()).collect()
    };
    let ids = all(r#" id="([^"]*)""#);
    let unique: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "an id stands twice");
    let targets = all("href=\"#([^\"]*)\"").into_iter();
    let labels = all("aria-labelledby=\"([^\"]*)\"").into_iter();
    let labels = labels.flat_map(|ids| ids.split(' ').map(str::to_owned).collect::<Vec<_>>());
    for target in targets.chain(labels) {
        assert!(ids.contains(&target), "{target} is nowhere");
    }
}

#[test]
fn the_page_is_whole_and_needs_nothing_else() {
    let html = page(&backups(), Units::Si);
    check(&html);
    assert!(html.contains("<h1>USB 3.0 was 2.1× as fast as USB 2.0</h1>"), "{html}");
    for never in ["<script", "http://", "https://", "url(h", "@import", "NaN", " src="] {
        assert!(!html.contains(never), "{never}");
    }
    assert_eq!(html.matches("<table").count(), html.matches("<caption").count());
    assert!(!html.contains("<th>"), "every head says of what it is one");
}

#[test]
fn units_are_those_asked_for() {
    let html = page(&backups(), Units::Iec);
    assert!(html.contains("276 against"), "{html}");
    assert!(html.contains("85.0 GiB in 42 min"));
}

#[test]
fn many_backups_are_told_by_their_groups() {
    let many: Vec<Backup> = backups().into_iter().cycle().take(20).collect();
    let html = page(&many, Units::Si);
    check(&html);
    assert!(html.contains("All first backups, medians"));
    assert_eq!(html.matches("class=\"backup\"").count(), 2);
}

#[test]
fn backups_without_a_rate_make_no_page() {
    let backups = [examples::unknown()];
    let statistics = summarise(&backups, By::Interface, 0);
    assert!(Page::new(&backups, &statistics, By::Interface, 0, "").is_none());
}

#[test]
fn a_chart_alone_brings_its_colours() {
    let backups = backups();
    let statistics = summarise(&backups, By::Interface, 0);
    let page = Page::new(&backups, &statistics, By::Interface, 0, "").unwrap();
    for drawing in [Drawing::Throughput, Drawing::Link, Drawing::Rate] {
        let svg = page.svg(drawing, &Style::default()).unwrap();
        check(&svg);
        assert!(svg.contains("--bar") || svg.contains("--data:"), "{svg}");
    }
}

fn contrast(a: &str, b: &str) -> f64 {
    let channel = |hex: &str| {
        let value = f64::from(u8::from_str_radix(hex, 16).unwrap()) / 255.0;
        if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let light = |color: &str| {
        let hex = color.trim_start_matches('#');
        let hex = if hex.len() == 3 { hex.chars().flat_map(|c| [c, c]).collect() } else { hex.to_owned() };
        0.2126 * channel(&hex[0..2]) + 0.7152 * channel(&hex[2..4]) + 0.0722 * channel(&hex[4..6])
    };
    let (a, b) = (light(a), light(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn all_text_can_be_read() {
    let schemes = regex::Regex::new(r":root\{([^}]*)\}").unwrap();
    let schemes: Vec<_> = schemes.captures_iter(STYLES).collect();
    assert_eq!(schemes.len(), 3, "light, dark, print");
    for scheme in schemes {
        let color = |name: &str| {
            let found = scheme[1].split(';').find_map(|pair| pair.strip_prefix(&format!("--{name}:")));
            found.unwrap_or_else(|| panic!("no --{name}")).to_owned()
        };
        for text in ["ink", "dim", "warn", "link"] {
            assert!(contrast(&color(text), &color("bg")) >= 4.5, "{text}");
        }
        for ground in ["note", "data2", "warnbg2", "ph", "area", "band"] {
            assert!(contrast(&color("ink"), &color(ground)) >= 4.5, "ink on {ground}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn no_name_breaks_the_page(text in r#"[ -~<>&"'\x00-\x1f\u{202e}\u{ffff}é]{0,60}"#) {
        let mut backups = backups();
        for backup in &mut backups {
            let name = Some(format!("{text}</td><script>alert(1)</script>\"'"));
            backup.destination.name.clone_from(&name);
            backup.machine.model.clone_from(&name);
            backup.conditions.macos.clone_from(&name);
            backup.warnings[0].message = text.clone();
            backup.phases[0].phase = Phase::new(text.clone());
            backup.links[0].device.clone_from(&name);
        }
        let html = page(&backups, Units::Si);
        check(&html);
        prop_assert!(!html.contains("<script"));
        prop_assert!(!html.chars().any(|c| c.is_control() && c != '\n'));
    }
}
