//! How fast logs of past backups are read, without the start of a process around it.

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tmgauge::logs::formats::{Formats, ReadOptions};
use tmgauge::sources::{Request, gather};

/// So many backups make up a log.
const BACKUPS: usize = 400;

/// One backup of a day, as `log show` prints it.
fn backup(number: usize) -> String {
    let line = |second: usize, text: &str| {
        format!(
            "2026-{:02}-{:02} {:02}:{:02}:{:02}.000000+0100 0x14cbf68  Info        0x0                  811    0    backupd: (TimeMachine) [com.apple.TimeMachine:General] {text}\n",
            1 + number / 28 % 12,
            1 + number % 28,
            9 + second / 3600,
            second / 60 % 60,
            second % 60
        )
    };
    let mut text = line(0, "Starting automatic backup");
    for step in 1..60 {
        text.push_str(&line(
            step * 20,
            &format!(".••••      .\n\tProgress: 4% done, -, - MB/s\n\tCopied: {step} (l:{step} MB p:{step} MB) Propagated: 9 (l:1 KB p:4 KB)"),
        ));
    }
    text + &line(1300, "Completed backup: 2026-03-01-090059.backup")
}

fn past_logs(criterion: &mut Criterion) {
    let text: String = (0..BACKUPS).map(backup).collect();
    let mut group = criterion.benchmark_group("past logs");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
    group.bench_function("backupd only, default style", |bench| {
        let request = Request {
            paths: &[PathBuf::from("-")],
            options: ReadOptions::default(),
            formats: Formats::built_in(),
            progress: &|_| {},
        };
        bench.iter(|| black_box(gather(&request, &mut text.as_bytes())));
    });
    group.finish();
}

criterion_group!(benches, past_logs);
criterion_main!(benches);
