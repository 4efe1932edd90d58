//! Records made in memory, written, read back, judged and drawn in every format.

mod made;

use made::{CASE, Case, result};
use proofload_measure::Outcome;
use proofload_report::{Overall, html, json, markdown, overall, text};
use proofload_store::bad_answer;
use proofload_store::schema::{LoadPoint, PlannedClaim};

#[test]
fn a_supported_claim_in_every_format() {
    let result = result(CASE);
    assert_eq!(result.claims[0].verdict, "supported", "{:?}", result.claims[0]);
    insta::assert_snapshot!("supported.txt", text(&result, false));
    insta::assert_snapshot!("supported.md", markdown(&result));
    insta::assert_snapshot!("supported.html", html(&result));
    let said = text(&result, false);
    let last = said.lines().last().expect("a last line");
    assert!(last.starts_with("nio2 serves 1.") && last.ends_with(", 4 blocks"), "{last}");
}

#[test]
fn a_refuted_claim_says_so_first() {
    let result = result(Case { ratio: 0.9, ..CASE });
    assert_eq!(result.claims[0].verdict, "refuted");
    assert_eq!(overall(&result), Overall::Refuted);
    insta::assert_snapshot!("refuted.txt", text(&result, false));
}

#[test]
fn an_undecided_claim_says_its_resolution() {
    let result = result(Case { ratio: 1.01, wobble: 0.03, ..CASE });
    assert_eq!(result.claims[0].verdict, "undecided");
    assert!(result.claims[0].reasons[0].contains("resolution"), "{:?}", result.claims[0].reasons);
    assert_eq!(overall(&result), Overall::Undecided);
    insta::assert_snapshot!("undecided.txt", text(&result, false));
    let said = text(&result, false);
    assert!(said.trim_end().ends_with("4 blocks (undecided)"), "{said}");
}

#[test]
fn one_block_decides_nothing_and_says_what_would() {
    let result = result(Case { blocks: 1, ..CASE });
    assert!(result.claims.iter().all(|claim| claim.verdict == "undecided"));
    assert!(result.claims[0].reasons.join(" ").contains("±5"), "{:?}", result.claims[0].reasons);
    insta::assert_snapshot!("smoke.txt", text(&result, false));
}

#[test]
fn no_verdict_rests_on_an_unfit_generator_or_on_errors() {
    let unfit = result(Case { fit: false, ..CASE });
    assert_eq!(unfit.claims[0].verdict, "undecided");
    assert_eq!(overall(&unfit), Overall::Invalid);
    insta::assert_snapshot!("client-limited.txt", text(&unfit, false));
    let errors = result(Case { rejected: 5, ..CASE });
    assert_eq!(errors.claims[0].verdict, "undecided");
    assert_eq!(errors.claims[1].verdict, "refuted", "a claim about errors is judged: {:?}", errors.claims[1]);
    insta::assert_snapshot!("errors.txt", text(&errors, false));
}

#[test]
fn the_last_line_compares_two_variants_under_one_load() {
    let mut result = result(CASE);
    let plan = result.plan.as_mut().expect("a plan");
    plan.points.push(LoadPoint { label: "128c".into(), ..plan.points[0].clone() });
    for text in
        ["throughput(nio2) @ 64c > throughput(nio) @ 128c", "throughput(nio) @ 64c > throughput(nio) @ 128c"]
    {
        let plan = result.plan.as_mut().expect("a plan");
        plan.claims = vec![PlannedClaim { name: "across".into(), text: text.into() }];
        let said = proofload_report::text(&result, false);
        assert!(!said.contains("times as many"), "{said}");
    }
}

#[test]
fn the_first_bad_answers_are_shown_in_every_format() {
    let mut result = result(Case { blocks: 1, ..CASE });
    let received = "HTTP/1.1 503 Busy\r\n\r\n<b>no</b>";
    result.points[0].bad_answers = vec![bad_answer(Outcome::Rejected, "status 503", received.as_bytes())];
    for shown in [text(&result, false), markdown(&result), html(&result), json(&result)] {
        assert!(shown.contains("status 503") && shown.contains("HTTP/1.1 503 Busy"), "{shown}");
    }
}

#[test]
fn processes_are_not_setups() {
    let result = result(Case { replication: "process", ..CASE });
    assert!(result.limits.iter().any(|limit| limit.contains("between these two running processes")));
}

#[test]
fn json_is_what_the_schema_says() {
    let (_, schema) = proofload_store::schemas()
        .into_iter()
        .find(|(name, _)| *name == "result.schema.json")
        .expect("a schema of results");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for case in [CASE, Case { blocks: 1, ..CASE }, Case { fit: false, rejected: 9, ..CASE }] {
        let value = serde_json::from_str(&json(&result(case))).expect("JSON");
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn colours_only_when_asked_for() {
    let result = result(Case { blocks: 1, ..CASE });
    assert!(text(&result, true).contains('\u{1b}'));
    assert!(!text(&result, false).contains('\u{1b}'));
}
