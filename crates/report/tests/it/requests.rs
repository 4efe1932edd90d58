//! Figures of the entries of a mix, in every format for people.

use crate::made::{CASE, Case, result};
use crate::page::read_only;
use proofload_measure::{LatencyHistogram, Outcome};
use proofload_report::{html, json, markdown, text};
use proofload_store::schema::{RequestFigures, RunResult};
use proofload_store::{bad_answer, response_times_of};
use std::collections::BTreeMap;

fn entry(name: &str, answered: u64, rejected: u64, took_ms: u64) -> RequestFigures {
    let mut times = LatencyHistogram::new();
    times.record_many(took_ms * 1_000_000, answered);
    RequestFigures {
        name: name.into(),
        throughput_per_s: Some(answered as f64),
        answered_in_window: answered,
        outcomes: BTreeMap::from([("answered".into(), answered), ("rejected".into(), rejected)]),
        response_time_ns: response_times_of(&times, &LatencyHistogram::new()),
        ..RequestFigures::default()
    }
}

/// A study whose first variant asks these.
fn of_entries(entries: Vec<RequestFigures>) -> RunResult {
    let mut result = result(Case { blocks: 1, ..CASE });
    let sum = |kind: &str| entries.iter().filter_map(|entry| entry.outcomes.get(kind)).sum::<u64>();
    let point = &mut result.points[0];
    point.outcomes =
        BTreeMap::from([("answered".into(), sum("answered")), ("rejected".into(), sum("rejected"))]);
    point.bad_answers = vec![bad_answer(Outcome::Rejected, "status 410", b"HTTP/1.1 410 Gone\r\n\r\n", &[])];
    point.bad_answers[0].request = "/gone".into();
    point.requests = entries;
    result
}

#[test]
fn the_entry_that_has_the_errors_is_named_in_every_format() {
    let result =
        of_entries(vec![entry("/cart", 300, 0, 4), entry("/gone", 0, 23, 1), entry("/slow", 50, 0, 70)]);
    for shown in [text(&result, false), markdown(&result), html(&result, &[])] {
        assert!(shown.contains("23 of 23 of /gone rejected: status 410"), "{shown}");
        assert!(shown.contains("/gone: rejected") && shown.contains("Requests"), "{shown}");
    }
    let shown = markdown(&result);
    let rows: Vec<&str> = shown.lines().filter(|line| line.starts_with("| nio &#64; 64c: ")).collect();
    let expected = [
        "| nio &#64; 64c: /cart | 300 | 300/s | 4.00 ms | 4.00 ms | 0 |",
        "| nio &#64; 64c: /gone | 23 | 0/s | – | – | 23 (100 %) |",
        "| nio &#64; 64c: /slow | 50 | 50.0/s | 70.1 ms | 70.1 ms | 0 |",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_failure_that_every_entry_has_is_that_of_the_load() {
    let result = of_entries(vec![entry("/cart", 30, 3, 4), entry("/gone", 0, 20, 1)]);
    let shown = text(&result, false);
    assert!(shown.contains("23 of 53 rejected: status 410"), "{shown}");
}

#[test]
fn entries_beyond_the_twentieth_are_summed_and_all_are_in_json() {
    let entries = (1..=23).map(|at| entry(&format!("/e{at:02}"), 100 + at, at, 5));
    let result = of_entries(entries.collect());
    let shown = read_only(&html(&result, &[]));
    assert!(!shown.contains("/e03<") && shown.contains("/e04<") && shown.contains("3 others"), "{shown}");
    let shown = markdown(&result);
    assert!(shown.contains("| nio &#64; 64c: 3 others | 312 | 306/s | – | – | 6 (1.9 %) |"), "{shown}");
    let read: serde_json::Value = serde_json::from_str(&json(&result)).expect("JSON");
    assert_eq!(read["points"][0]["requests"].as_array().map(Vec::len), Some(23));
    assert!(read["points"][1].get("requests").is_none(), "a load of one request has none");
}
