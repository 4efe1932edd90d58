//! Published conclusions and figures, beside their outcomes in a record.

use crate::facts::told;
use crate::made::{Case, plan, result_of};
use proofload_analysis::overall;
use proofload_facts::{Finding, Reason};
use proofload_language::facts::in_english;
use proofload_report::{html, json, markdown, text};
use proofload_store::schema::{
    LoadPoint, Plan, PlannedClaim, PlannedConclusion, PlannedFigure, PlannedReference, RunResult,
};

/// So steady that some claims are settled although several share the error rate.
const CASE: Case = Case { wobble: 0.001, ..crate::made::CASE };

fn figure((quantity, value): (&str, &str)) -> PlannedFigure {
    PlannedFigure { quantity: quantity.into(), value: value.into() }
}

fn conclusion(says: &str, claims: &[&str], was: &str) -> PlannedConclusion {
    PlannedConclusion {
        says: says.into(),
        claims: claims.iter().map(|name| name.to_string()).collect(),
        was: was.into(),
        ..PlannedConclusion::default()
    }
}

/// A study of a report whose author concluded this, and published figures of 64 connections that add up.
fn reported(conclusions: Vec<PlannedConclusion>) -> Plan {
    let claim = |name: &str, text: &str| PlannedClaim { name: name.into(), text: text.into() };
    let base = plan(CASE);
    Plan {
        claims: vec![
            claim("NIO2 serves more", "throughput(nio2) > throughput(nio)"),
            claim("NIO2 serves twice as much", "throughput(nio2) >= 2 * throughput(nio)"),
            claim("NIO2 serves 10 % more", "throughput(nio2) >= 1.10 * throughput(nio)"),
        ],
        references: vec![PlannedReference {
            source: "Some <report>, 2011 \u{1b}[2J".into(),
            url: "https://example.org/a?b=1&c=2".into(),
            figures: [("throughput(nio) @ 64c", "20000/s"), ("mean(nio) @ 64c", "3.2ms")]
                .map(figure)
                .to_vec(),
            conclusions,
        }],
        ..base
    }
}

fn outcomes(result: &RunResult) -> Vec<&str> {
    result.conclusions.iter().map(|row| row.outcome.name()).collect()
}

#[test]
fn each_conclusion_gets_its_word_in_every_format() {
    let untested = PlannedConclusion {
        not_tested: "fifty hours are longer than this study takes".into(),
        ..conclusion("it holds for fifty hours", &[], "")
    };
    let beware = PlannedConclusion {
        beware: "the best of several runs".into(),
        ..conclusion("NIO2 serves more", &["NIO2 serves more"], "1.10")
    };
    let plan = reported(vec![
        beware,
        conclusion("NIO2 serves twice as much", &["NIO2 serves twice as much"], "2.0"),
        conclusion("NIO2 serves much more", &["NIO2 serves 10 % more"], "+10 %"),
        conclusion(
            "NIO2 serves more, and twice as much",
            &["NIO2 serves more", "NIO2 serves twice as much"],
            "",
        ),
        untested,
    ]);
    let found = result_of(CASE, &plan);
    assert_eq!(
        outcomes(&found),
        ["reproduced", "not reproduced", "undecided here", "not reproduced", "not tested"]
    );
    // The quantity is the claim's, and so is what it rests on.
    let (test, claim) = (&found.conclusions[0].tests[0], &found.claims[0]);
    assert_eq!(
        (&test.estimate, test.blocks, test.confidence),
        (&claim.estimate, claim.blocks, claim.confidence)
    );
    assert!(
        told(&found.conclusions[2].tests[0].reasons).join(" ").contains("resolution"),
        "{:?}",
        found.conclusions[2]
    );
    insta::assert_snapshot!("conclusions.txt", text(&found, false));
    insta::assert_snapshot!("conclusions.md", markdown(&found));
    for drawn in [text(&found, false), markdown(&found), html(&found, &[]), json(&found)] {
        for part in
            ["reproduced", "not reproduced", "undecided here", "not tested", "fifty hours", "best of several"]
        {
            assert!(drawn.contains(part), "no {part} in {drawn}");
        }
        assert!(!drawn.contains('\u{1b}'), "a control character came through");
    }
    assert!(!html(&found, &[]).contains("<report>") && !markdown(&found).contains("<report>"));
    let coloured = text(&found, true);
    assert!(coloured.contains("\u{1b}[32mreproduced") && coloured.contains("\u{1b}[31mnot reproduced"));
    let plain = result_of(CASE, &Plan { references: Vec::new(), ..plan });
    assert_eq!(overall(&found), overall(&plain), "what others published changes no verdict");
    assert!(
        !text(&plain, false).contains("Published"),
        "nothing of others is told where nothing is said of them"
    );
}

#[test]
fn a_claim_that_was_left_out_is_not_tested_and_says_why() {
    let rows = vec![conclusion("NIO2 serves more", &["NIO2 serves more"], "1.10")];
    let mut plan = reported(rows);
    plan.claims.remove(0);
    let gone = result_of(CASE, &plan);
    assert_eq!(outcomes(&gone), ["not tested"]);
    let claim = "NIO2 serves more".to_string();
    assert_eq!(gone.conclusions[0].not_tested, [Finding::NoSuchClaim { claim: claim.clone() }]);
    let text_of = "throughput(nio2) > throughput(nio)".to_string();
    let left_out = Finding::ClaimLeftOut { claim, text: text_of, lost_side: true };
    plan.not_tested.push(left_out.clone());
    let gone = result_of(CASE, &plan);
    let [found] = gone.conclusions[0].not_tested.as_slice() else { panic!("{gone:?}") };
    assert_eq!(found, &left_out);
    assert!(in_english(found).ends_with("one of its variants or load points was not run"));
    // Where a variant was left out for a reason, that is the reason.
    let variant =
        |variant: &str, why: &str| Finding::VariantLeftOut { variant: variant.into(), why: why.into() };
    let of_its_own = variant("connector=nio2,heap=1g", "not applicable on JDK 25: no such flag");
    plan.not_tested.push(of_its_own.clone());
    plan.not_tested.push(variant("apr", "no such library"));
    let gone = result_of(CASE, &plan);
    assert_eq!(gone.conclusions[0].not_tested, [left_out, of_its_own]);
    let said = text(&gone, false);
    for part in ["was not run", "variant connector=nio2,heap=1g: not applicable on JDK 25: no such flag"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    // Of two claims one is left: what it supports is not the whole conclusion.
    plan.references[0].conclusions[0].claims.push("NIO2 serves more still".into());
    plan.claims.insert(
        0,
        PlannedClaim {
            name: "NIO2 serves more still".into(),
            text: plan.claims[1].text.replace("1.10", "1.01"),
        },
    );
    assert_eq!(outcomes(&result_of(CASE, &plan)), ["undecided here"]);
}

#[test]
fn several_load_points_are_one_conclusion_with_a_line_each() {
    let mut plan = reported(vec![conclusion("NIO2 serves more", &["NIO2 serves more"], "1.10")]);
    plan.order = Vec::new();
    plan.points.push(LoadPoint { label: "128c".into(), connections: 128, ..plan.points[0].clone() });
    let found = result_of(CASE, &plan);
    let tests: Vec<&str> = found.conclusions[0].tests.iter().map(|test| test.outcome.name()).collect();
    // Nothing was measured at the second.
    assert_eq!(tests, ["reproduced", "undecided here"]);
    assert_eq!(outcomes(&found), ["undecided here"]);
    let said = text(&found, false);
    assert!(said.contains("reproduced: throughput(nio2) > throughput(nio) @ 64c: here 1."), "{said}");
    assert!(said.contains("undecided here: throughput(nio2) > throughput(nio) @ 128c"), "{said}");
}

#[test]
fn one_block_tests_nothing() {
    let case = Case { blocks: 1, ..CASE };
    let conclusions =
        reported(vec![conclusion("NIO2 serves more", &["NIO2 serves more"], "1.10")]).references;
    let found = result_of(case, &Plan { references: conclusions, ..plan(case) });
    assert_eq!(outcomes(&found), ["not tested"]);
    assert!(found.conclusions[0].tests.is_empty());
    assert_eq!(found.conclusions[0].not_tested, [Finding::NotTestedBySmoke]);
    assert!(text(&found, false).contains("leave --smoke out"), "{}", text(&found, false));
}

#[test]
fn figures_that_cannot_be_true_stand_beside_the_figures_and_the_conclusions_that_rest_on_them() {
    let mut plan = reported(vec![
        conclusion("NIO2 serves more", &["NIO2 serves more"], "1.10"),
        PlannedConclusion { not_tested: "not here".into(), ..conclusion("it is easy", &[], "") },
    ]);
    assert_eq!(result_of(CASE, &plan).contradictions, [], "20,000/s of 3.2 ms are 64 in flight");
    plan.references[0].figures = [
        ("throughput(nio) @ 64c", "20000/s"),
        ("mean(nio) @ 64c", "5.0ms"),
        ("throughput(nio2) @ 64c", "20000/s"),
        ("mean(nio2) @ 64c", "2.0ms"),
        ("p99(nio2) @ 64c", "9ms"),
        ("max(nio2) @ 64c", "7ms"),
    ]
    .map(figure)
    .to_vec();
    let found = result_of(CASE, &plan);
    assert_eq!(found.contradictions[0].measures, ["throughput", "mean"]);
    let variants: Vec<&str> = found.contradictions.iter().map(|it| it.variant.as_str()).collect();
    assert_eq!(variants, ["nio", "nio2", "nio2"], "{:?}", found.contradictions);
    let facts: Vec<Reason> = found.contradictions.iter().map(|it| it.what.clone()).collect();
    for (said, expected) in told(&facts).iter().zip([
        "cannot be true: throughput × mean is 99 requests in flight at the least, on 64 connections",
        "does not add up: the time of 23 of the 64 connections is unaccounted for",
        "cannot be true: max is below p99",
    ]) {
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(found.conclusions[0].contradictions.len(), 3);
    assert!(found.conclusions[1].contradictions.is_empty(), "it speaks of no figure");
    insta::assert_snapshot!("contradictions.txt", text(&found, false));
    for drawn in [text(&found, false), markdown(&found), html(&found, &[]), json(&found)] {
        for part in ["cannot be true", "does not add up", "max is below p99"] {
            assert!(drawn.contains(part), "no {part} in {drawn}");
        }
    }
    // Another source with figures of its own: nothing is put together across sources.
    let (mean, rest) = (plan.references[0].figures.remove(1), plan.references[0].clone());
    plan.references.push(PlannedReference { source: "Another".into(), figures: vec![mean], ..rest });
    let found = result_of(CASE, &plan);
    assert!(found.contradictions.iter().all(|it| it.variant == "nio2"), "{:?}", found.contradictions);
}
