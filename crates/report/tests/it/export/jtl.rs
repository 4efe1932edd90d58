//! JMeter's results, read back; `cargo xtask readers` has JMeter make its report of them.

use super::{result, small};
use crate::made::{CASE, SECOND, answering, slice};
use proofload_report::formats::{ExportError, JTL_LINES_MAX, Jtl};
use proofload_store::schema::{Phase, RunResult, Slice};
use std::collections::BTreeMap;

pub fn written(result: &RunResult, slices: &[&Slice]) -> String {
    let mut out = Vec::new();
    Jtl::of(result, slices).expect("it can be had").write(&mut out).expect("written to memory");
    String::from_utf8(out).expect("UTF-8")
}

pub fn records(text: &str) -> Vec<csv::StringRecord> {
    csv::Reader::from_reader(text.as_bytes()).records().collect::<Result<_, _>>().expect("CSV")
}

fn number(row: &csv::StringRecord, column: usize) -> u64 {
    row[column].parse().expect("a number")
}

#[test]
fn each_exchange_is_a_line() {
    let slice = small(0, 1);
    let text = written(&result(), &[&slice]);
    insta::assert_snapshot!("slice.jtl", text);
    let rows = records(&text);
    assert_eq!(rows.len() as u64, slice.measured.outcomes.values().sum::<u64>());
    let sum = |column| rows.iter().map(|row| number(row, column)).sum::<u64>();
    assert_eq!((sum(8), sum(9)), (slice.measured.bytes_received, slice.measured.bytes_sent));
    let began_ms = slice.started_unix_ns / 1_000_000;
    let first_second = rows.iter().filter(|row| number(row, 0) < began_ms + 1_000).count();
    assert_eq!(first_second, 17, "three quarters, as of the answers");
    assert!(rows.iter().all(|row| (began_ms..began_ms + 2_000).contains(&number(row, 0))));
    let times: Vec<u64> = rows.iter().map(|row| number(row, 0)).collect();
    assert!(times.is_sorted(), "in order of time");
}

#[test]
fn times_are_those_of_the_histogram_and_make_no_trend() {
    let mut slice = slice(CASE, 1, 1, 0);
    answering(&mut slice, 10_000, &|i| 1_000_000 * (1 + i / 100));
    slice.measured.seconds = 1.0;
    let rows = records(&written(&result(), &[&slice]));
    let elapsed: Vec<u64> = rows.iter().map(|row| number(row, 1)).collect();
    let mut sorted = elapsed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..10_000).map(|i| 1 + i / 100).collect::<Vec<u64>>(), "to a millisecond");
    for part in elapsed.chunks(1_000) {
        let mean = part.iter().sum::<u64>() as f64 / 1_000.0;
        assert!((mean - 50.5).abs() < 0.5, "{mean}");
    }
}

#[test]
fn only_what_totals_rest_on_is_there() {
    let (first, second) = (small(0, 1), small(1, 2));
    let warm_up = Slice { phase: Phase::WarmUp, ..small(0, 1) };
    let slices = [&second, &warm_up, &first];
    let labels = |result: &RunResult| {
        let mut labels = BTreeMap::<String, usize>::new();
        for row in records(&written(result, &slices)) {
            *labels.entry(row[2].to_string()).or_default() += 1;
        }
        labels.into_iter().collect::<Vec<_>>()
    };
    let of = |name: &str, n| (name.to_string(), n);
    let nio2 = [of("nio2@64c", 21), of("nio2@64c/failed", 2)];
    assert_eq!(labels(&result()), [&nio2[..], &[of("nio@64c", 21), of("nio@64c/failed", 2)]].concat());
    assert_eq!(labels(&RunResult { disturbed_blocks: vec![1], ..result() }), nio2);
}

#[test]
fn a_code_stands_only_where_counts_leave_no_choice() {
    let codes = |change: &dyn Fn(&mut Slice)| {
        let mut slice = small(0, 1);
        change(&mut slice);
        let mut codes = BTreeMap::new();
        for row in records(&written(&result(), &[&slice])) {
            codes.insert(row[4].to_string(), row[3].to_string());
        }
        codes.into_values().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(codes(&|_| {}), "200 503 timeout");
    assert_eq!(codes(&|slice| slice.measured.redirects = 1), "answered rejected timeout");
    let three = |slice: &mut Slice| {
        slice.measured.codes = BTreeMap::from([("200".into(), 20), ("503".into(), 1), ("500".into(), 1)])
    };
    assert_eq!(codes(&three), "answered rejected timeout");
    let same = |slice: &mut Slice| {
        slice.measured.outcomes.insert("rejected".into(), 20);
        slice.measured.codes.insert("503".into(), 20);
    };
    assert_eq!(codes(&same), "answered rejected timeout");
}

#[test]
fn of_an_older_record_time_outs_have_no_time() {
    let mut slice = small(0, 1);
    slice.histograms.unended.clear();
    let rows = records(&written(&result(), &[&slice]));
    let timeout = rows.iter().find(|row| &row[4] == "timeout").expect("one");
    assert_eq!((&timeout[1], &timeout[2]), ("0", "nio@64c/failed"));
}

#[test]
fn seconds_that_are_not_known_are_one() {
    let mut slice = small(0, 1);
    slice.measured.per_second.clear();
    let rows = records(&written(&result(), &[&slice]));
    let began_ms = slice.started_unix_ns / 1_000_000;
    let first_second = rows.iter().filter(|row| number(row, 0) < began_ms + 1_000).count();
    assert!((11..=12).contains(&first_second), "{first_second}");
}

#[test]
fn too_many_lines_and_damage_are_refused_before_anything_is_written() {
    let mut slice = small(0, 1);
    slice.measured.outcomes.insert("unsent".into(), JTL_LINES_MAX - 22);
    let refused = Jtl::of(&result(), &[&slice]).err().expect("a refusal");
    assert!(matches!(refused, ExportError::TooManyLines { exchanges, .. } if exchanges == JTL_LINES_MAX + 1));
    assert!(
        refused.to_string().contains("10000001 exchanges") && refused.to_string().contains("parquet"),
        "{refused}"
    );
    slice.measured.outcomes.insert("unsent".into(), u64::MAX);
    assert!(matches!(Jtl::of(&result(), &[&slice]), Err(ExportError::TooManyLines { .. })));
    let mut damaged = small(0, 1);
    damaged.measured.outcomes.insert("answered".into(), 19);
    assert!(matches!(
        Jtl::of(&result(), &[&damaged]),
        Err(ExportError::Contradiction { answered: 19, timed: 20, .. })
    ));
    damaged.histograms.response_time = "nonsense".into();
    assert!(matches!(Jtl::of(&result(), &[&damaged]), Err(ExportError::Histogram { .. })));
}

#[test]
fn an_empty_slice_has_no_line() {
    let mut slice = slice(CASE, 1, 1, 0);
    slice.measured.outcomes.clear();
    slice.histograms = Default::default();
    slice.started_unix_ns = SECOND;
    assert!(records(&written(&result(), &[&slice])).is_empty());
}
