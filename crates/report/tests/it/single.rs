//! One measurement, which is not a study: thresholds, figures, and the parts that it lacks.

use crate::made::{CASE, Case, slice};
use proofload_analysis::{Overall, judged_on_one, names_of_one, overall, thresholds};
use proofload_report::{Undecided, json, junit, text};
use proofload_store::schema::{RunResult, RunState, Status, Verdict};

fn measured(case: Case, fail: &[&str]) -> RunResult {
    let slice = slice(case, 1, 1, 1);
    let names = names_of_one("nio2", "64c", &[]);
    let texts: Vec<String> = fail.iter().map(ToString::to_string).collect();
    let claims = thresholds(&texts, &names).expect("thresholds");
    RunResult {
        claims: judged_on_one(&claims, &names, Some(&slice)).expect("a histogram"),
        status: Status { state: RunState::Finished, ..Status::default() },
        points: vec![slice.measured],
        ..RunResult::default()
    }
}

#[test]
fn a_threshold_of_a_server_that_fails_too_often_fails_in_junit_as_in_the_exit_code() {
    let found = measured(Case { rejected: 10, ..CASE }, &["p99 < 50ms"]);
    assert_eq!((found.claims[0].verdict.clone(), overall(&found)), (Verdict::Refuted, Overall::Refuted));
    let drawn = junit(&found, Undecided::Skip);
    let document = roxmltree::Document::parse(&drawn).expect("XML");
    let failures: Vec<_> = document.descendants().filter(|node| node.has_tag_name("failure")).collect();
    let [run, failure] = failures[..] else { panic!("{drawn}") };
    assert!(run.attribute("message").is_some_and(|why| why.starts_with("✘ 120 of 11,044")), "{drawn}");
    let why = failure.attribute("message").expect("a message");
    assert!(why.starts_with("refuted: ") && why.contains("1.09 % errors of nio2: above 0.1 %"), "{why}");
    assert!(!drawn.contains("<skipped"), "{drawn}");
    assert_eq!(overall(&measured(CASE, &["p99 < 50ms"])), Overall::AllSupported);
}

#[test]
fn one_measurement_has_figures_like_a_study_and_no_send_delay_in_a_closed_loop() {
    let found = measured(CASE, &[]);
    let read: RunResult = serde_json::from_str(&json(&found)).expect("JSON");
    let figure =
        |measure: &str| read.figures.iter().find(|figure| figure.measure == measure).expect("a figure");
    let (p99, throughput) = (figure("p99"), figure("throughput"));
    let estimate = p99.estimate.as_ref().expect("a value");
    assert_eq!(Some(estimate.point as u64), found.points[0].response_time_ns.p99);
    assert_eq!((estimate.low, estimate.high, p99.starts), (None, None, 1));
    assert_eq!(throughput.per_block, [found.points[0].throughput_per_s]);
    assert!(read.points[0].send_delay_ns.p50.is_none() && found.points[0].send_delay_ns.p50.is_some());
    let drawn = text(&found, false);
    let row = drawn.lines().find(|line| line.contains("send delay")).expect("a row");
    assert!(row.contains('–') && !row.contains("ns") && !row.contains("µs"), "{row}");
    let mut open = found;
    open.points[0].model = "open".into();
    assert!(text(&open, false).lines().any(|line| line.contains("send delay") && line.contains("4.00 µs")));
}
