//! HdrHistogram's percentiles; `cargo xtask readers` compares them with those of its own tools, line by line.

use super::{result, small};
use crate::made::{CASE, slice};
use proofload_report::formats::{ExportError, hgrm};
use proofload_store::schema::{Phase, RunResult, Slice};

#[test]
fn a_distribution_has_the_shape_of_hdrhistograms_tools() {
    let slice = small(0, 1);
    let all = hgrm(&result(), &[&slice]).expect("a distribution");
    assert_eq!(all.len(), 1);
    insta::assert_snapshot!("slice.hgrm", all[0].text);
    assert!(
        all[0].text.ends_with("#[Without an end = 1: unsent, timeout, unanswered; in none of the lines]\n")
    );
}

#[test]
fn the_slices_of_a_variant_at_a_point_are_one_and_others_none_of_it() {
    let slices = [slice(CASE, 1, 1, 0), slice(CASE, 1, 1, 1), slice(CASE, 2, 1, 0)];
    let warm_up = Slice { phase: Phase::WarmUp, ..slices[0].clone() };
    let all = [&slices[0], &slices[1], &warm_up, &slices[2]];
    let total = |result: &RunResult| -> Vec<(String, u64)> {
        let all = hgrm(result, &all).expect("distributions");
        let count = |text: &str| {
            let (_, after) = text.split_once("Total count    =").expect("a footer");
            after.split(']').next().and_then(|n| n.trim().parse().ok()).expect("a number")
        };
        all.iter().map(|one| (one.name.clone(), count(&one.text))).collect()
    };
    let of = |n: usize| slices[n].measured.response_time_ns.count;
    let both = [("nio-64c".to_string(), of(0) + of(2)), ("nio2-64c".to_string(), of(1))];
    assert_eq!(total(&result()), both);
    let disturbed = RunResult { disturbed_blocks: vec![2], ..result() };
    assert_eq!(total(&disturbed), [("nio-64c".to_string(), of(0)), ("nio2-64c".to_string(), of(1))]);
}

#[test]
fn streams_have_files_of_their_own_and_no_two_the_same() {
    let mut slices = [small(0, 1), small(0, 1), small(0, 1)];
    for (slice, stream) in slices.iter_mut().zip(["a/b", "a:b", "c"]) {
        slice.measured.stream = stream.into();
        slice.measured.point = "5k/s".into();
    }
    let all = hgrm(&result(), &slices.iter().collect::<Vec<_>>()).expect("distributions");
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["nio-a_b-5k_s", "nio-a_b-5k_s-2", "nio-c-5k_s"]);
}

#[test]
fn without_a_measurement_there_is_nothing_to_write() {
    assert!(matches!(hgrm(&result(), &[]), Err(ExportError::Nothing)));
    let mut damaged = small(0, 1);
    damaged.histograms.response_time = "AAAA".into();
    let error = hgrm(&result(), &[&damaged]).expect_err("a refusal").to_string();
    assert!(error.starts_with("block 1, nio@64c: the histogram of response times: "), "{error}");
}
