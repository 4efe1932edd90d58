//! The intervals of claims as they are drawn beside what is claimed.

use crate::made::{CASE, plan, result_of};
use proofload_report::html;
use proofload_store::schema::{Plan, PlannedClaim};

/// The pictures of these claims: their words, and the places of rules and labels.
fn pictures(texts: &[&str]) -> Vec<String> {
    let claim = |text: &&str| PlannedClaim { name: text.to_string(), text: text.to_string() };
    let mut plan = Plan { claims: texts.iter().map(claim).collect(), ..plan(CASE) };
    plan.timing.looks = vec![4];
    let page = html(&result_of(CASE, &plan), &[]);
    let parts = page.split("<svg ").skip(1);
    parts.filter_map(|rest| Some(rest.split_once("</svg>")?.0.to_string())).collect()
}

/// Positions of the elements of a class.
fn places(picture: &str, begins: &str) -> Vec<f64> {
    let parts = picture.split(begins).skip(1);
    parts.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
}

#[test]
fn a_bar_is_ruled_at_its_own_threshold_and_ratios_share_a_scale() {
    let drawn = pictures(&[
        "throughput(nio2) > throughput(nio)",
        "throughput(nio2) >= 1.05 * throughput(nio)",
        "throughput(nio2) ~ throughput(nio) within 5%",
        "throughput(nio) > 9k/s",
    ]);
    assert_eq!(drawn.len(), 4);
    let rules: Vec<Vec<f64>> = drawn.iter().map(|one| places(one, "class=\"rule\" x1=\"")).collect();
    assert_eq!(rules.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 2, 1], "{drawn:?}");
    assert!(rules[1][0] > rules[0][0], "1.05 is right of 1: {rules:?}");
    assert_eq!(rules[2][1], rules[1][0], "on one scale 1.05 is at one place: {rules:?}");
    let one = places(&drawn[1], "class=\"one\" x1=\"");
    assert_eq!(one, rules[0], "and so is 1");
    assert!(drawn[1].contains(">×1.05</text>") && drawn[3].contains(">9,000/s</text>"), "{drawn:?}");
    let points: Vec<Vec<f64>> = drawn.iter().map(|one| places(one, "<circle cx=\"")).collect();
    assert_eq!(points[0], points[1], "the same ratio at the same place");
    assert!(points[0][0] > rules[1][0], "10 % more is beyond 5 % more");
    assert!(
        drawn[3].contains("the claim holds above 9,000/s") && drawn[2].contains("from ×0.952 to ×1.05"),
        "{drawn:?}"
    );
    assert!(drawn.iter().all(|one| !one.contains("NaN") && one.contains("role=\"img\"")), "{drawn:?}");
}

#[test]
fn a_difference_and_a_count_have_no_bar() {
    assert_eq!(
        pictures(&["errors(nio2) == 0", "error_share(nio2) <= error_share(nio)"]),
        Vec::<String>::new()
    );
}
