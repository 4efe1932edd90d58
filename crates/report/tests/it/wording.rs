//! Words that a report may use about a claim, and those that it never uses.

use crate::facts::told;
use crate::made::{CASE, Case, plan, result, result_of};
use crate::page::read_only;
use proofload_report::{Undecided, csv, html, json, junit, markdown, text};
use proofload_store::schema::{Level, Plan, PlannedClaim, RunResult, Variant, Verdict};

fn claiming(case: Case, texts: &[(&str, &str)]) -> Plan {
    let claim = |(name, text): &(&str, &str)| PlannedClaim { name: name.to_string(), text: text.to_string() };
    Plan { claims: texts.iter().map(claim).collect(), ..plan(case) }
}

fn sentence(case: Case, text: &str) -> String {
    result_of(case, &claiming(case, &[("claimed", text)])).claims.remove(0).sentence
}

/// Twelve blocks, looked at once: nothing stops early.
fn late(text: &str, case: Case) -> String {
    let mut plan = claiming(case, &[("claimed", text)]);
    plan.timing.looks = vec![case.blocks];
    result_of(case, &plan).claims.remove(0).sentence
}

#[test]
fn a_sentence_says_by_how_much_how_sure_and_what_it_rests_on() {
    let said = late("throughput(nio2) > throughput(nio)", CASE);
    let expected = "nio2 serves 9.6 % more requests than nio (95 % repeated interval +";
    assert!(said.starts_with(expected), "{said}");
    let rest = [
        "4 blocks of fresh starts in cycles",
        "Hodges–Lehmann +9.",
        "Claim \"claimed\": supported in this sitting.",
    ];
    assert!(rest.iter().all(|part| said.contains(part)), "{said}");
}

#[test]
fn a_study_that_stopped_early_is_quoted_by_the_end_nearer_to_what_is_claimed() {
    let found = result(CASE);
    assert!(found.claims[0].early);
    let low = found.claims[0].estimate.as_ref().and_then(|estimate| estimate.low).expect("an end");
    let least = format!("nio2 serves at least {:.1} % more requests than nio", (low - 1.0) * 100.0);
    assert!(found.claims[0].sentence.starts_with(&least), "{} is not {least}", found.claims[0].sentence);
    assert!(found.claims[0].sentence.contains("estimate +9."), "{}", found.claims[0].sentence);
    let refuted = sentence(CASE, "throughput(nio) > throughput(nio2)");
    assert!(
        refuted.starts_with("nio serves at least 1.") && refuted.contains(" fewer requests than nio2 ("),
        "{refuted}"
    );
    let most = sentence(CASE, "throughput(nio2) > 1.4 * throughput(nio)");
    assert!(
        most.starts_with("nio2 serves at most 1") && most.ends_with("refuted in this sitting."),
        "{most}"
    );
    let lines = text(&found, false);
    let last = lines.lines().last().expect("a line");
    assert!(last.starts_with(&format!("nio2 serves at least {low:.2} times")), "{last}");
}

#[test]
fn an_undecided_claim_says_its_resolution_and_how_many_more_blocks() {
    let said = sentence(CASE, "throughput(nio2) >= 1.08 * throughput(nio)");
    for part in [
        "undecided, at +8.0 % the interval allows both; the resolution is ±",
        "; about ",
        " blocks more would settle it.",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let few = sentence(Case { blocks: 1, ..CASE }, "throughput(nio2) > throughput(nio)");
    assert!(few.contains("no interval") && few.contains("undecided: one block"), "{few}");
    let held = sentence(Case { fit: false, ..CASE }, "throughput(nio2) > throughput(nio)");
    assert!(held.contains("undecided: client-limited"), "{held}");
    let rough = sentence(Case { ratio: 0.4, ..CASE }, "p99(nio2) < 50ms");
    assert!(rough.contains("undecided: p99(nio2) is not resolvable: as few as "), "{rough}");
}

#[test]
fn what_the_sentence_of_an_undecided_claim_tells_is_not_listed_below_it_again() {
    let claims = [("a tenth", "throughput(nio2) >= 1.08 * throughput(nio)")];
    for (case, reason) in [(CASE, "would settle it"), (Case { blocks: 1, ..CASE }, "would take about")] {
        let result = result_of(case, &claiming(case, &claims));
        assert!(
            told(&result.claims[0].reasons).iter().any(|why| why.contains(reason)),
            "{:?}",
            result.claims
        );
        // A page has it in the one sentence, and in the whole one that is folded below it.
        for (drawn, most) in [(text(&result, false), 1), (html(&result, &[]), 2)] {
            assert!((1..=most).contains(&drawn.matches(reason).count()), "{reason}: {drawn}");
            assert!(!drawn.contains("decides nothing"), "that is said once, of the whole run: {drawn}");
        }
    }
}

#[test]
fn what_is_equivalent_is_called_so_within_its_band_and_not_without_a_difference() {
    let case = Case { ratio: 1.02, wobble: 0.0004, ..CASE };
    let said = sentence(case, "throughput(nio2) ~ throughput(nio) within 5%");
    assert!(said.contains("more requests than nio: practically equivalent within ±5.00 %"), "{said}");
    assert!(said.starts_with("nio2 serves 1.9"), "neither end of it is the nearer one: {said}");
    let even =
        sentence(Case { ratio: 1.0, wobble: 0.001, ..CASE }, "throughput(nio2) ~ throughput(nio) within 5%");
    assert!(even.contains(": equivalent within ±5.00 %"), "{even}");
}

#[test]
fn a_figure_of_response_times_says_how_requests_came_and_how_many() {
    for text in ["p99(nio2) < 50ms", "p50(nio2) <= p50(nio)", "mean(nio2) > 0.9 * mean(nio)", "max(nio) < 1s"]
    {
        let said = sentence(CASE, text);
        assert!(said.contains("closed loop, 8") && said.contains(" responses"), "{said}");
    }
    assert!(!sentence(CASE, "throughput(nio) > 5k/s").contains("responses"));
}

/// Four blocks settle it; later blocks are not part of it.
#[test]
fn responses_are_those_of_the_blocks_that_a_verdict_rests_on() {
    let more = Case { blocks: 8, ..CASE };
    for text in ["p99(nio2) < 50ms", "p50(nio2) <= p50(nio)"] {
        assert_eq!(sentence(more, text), sentence(CASE, text));
    }
    let explored = |case| {
        let found = result(case).exploratory.into_iter().find(|found| found.measure == "cpu_per_request");
        found.expect("a comparison")
    };
    let (few, many) = (explored(CASE), explored(more));
    assert_eq!((few.blocks, few.under_exchanges), (4, 80_160));
    assert!(many.blocks == 4 && many.over_exchanges == few.over_exchanges, "{many:?}");
}

/// Without any error of the one there is no ratio: the difference is judged, factors included.
#[test]
fn a_difference_is_told_with_its_factors_and_its_nearer_end() {
    let said = sentence(Case { rejected: 5, ..CASE }, "2 * error_share(nio2) > error_share(nio)");
    let expected = "2 × error_share(nio2) @ 64c less error_share(nio) @ 64c is at least 0.";
    assert!(said.starts_with(expected) && said.ends_with("supported in this sitting."), "{said}");
}

#[test]
fn a_count_is_exact_and_has_no_nearer_end() {
    let found = result(Case { rejected: 5, ..CASE });
    let errors = &found.claims[1];
    assert!(errors.sentence.starts_with("errors(nio2) @ 64c is 460 (4 blocks"), "{}", errors.sentence);
    assert!(errors.verdict == Verdict::Refuted && !errors.early);
    let said = text(&found, false);
    assert!(said.contains("\n           460, 4 blocks\n") && !said.contains("[460, 460]"), "{said}");
}

#[test]
fn other_measures_are_told_in_words_of_their_own() {
    let cpu = late("cpu_per_request(nio2) < cpu_per_request(nio)", CASE);
    assert!(
        cpu.starts_with("nio2 uses 8.7") && cpu.contains("% less CPU time for a request than nio ("),
        "{cpu}"
    );
    let level = late("throughput(nio) > 5k/s", CASE);
    assert!(level.starts_with("throughput(nio) @ 64c is 10,0"), "{level}");
    let times = late("throughput(nio2) < throughput(nio)", Case { ratio: 0.4, ..CASE });
    assert!(
        times.starts_with("nio2 serves 0.398") && times.contains(" times as many requests as nio ("),
        "{times}"
    );
    let count = sentence(CASE, "errors(nio2) == 0");
    assert!(count.starts_with("errors(nio2) @ 64c is 0 (4 blocks of fresh starts"), "{count}");
    let running = sentence(Case { replication: "process", ..CASE }, "throughput(nio2) > throughput(nio)");
    assert!(running.contains("4 blocks of the running processes"), "{running}");
}

/// Everything that a reader of any format sees.
fn all_formats(result: &RunResult) -> [(&'static str, String); 6] {
    [
        ("text", text(result, false)),
        ("markdown", markdown(result)),
        ("html", read_only(&html(result, &[]))),
        ("junit", junit(result, Undecided::Skip)),
        ("json", json(result)),
        ("csv", csv(result)),
    ]
}

#[test]
fn no_report_says_what_none_may_say() {
    let many = |case: Case| {
        let claims = [
            ("faster", "throughput(nio2) > throughput(nio)"),
            ("a tenth", "throughput(nio2) >= 1.1 * throughput(nio)"),
            ("alike", "throughput(nio2) ~ throughput(nio) within 5%"),
            ("quick", "p99(nio2) < 50ms"),
            ("tail", "p99(nio2) <= p99(nio)"),
            ("clean", "errors(nio2) == 0"),
        ];
        result_of(case, &claiming(case, &claims))
    };
    let cases = [
        CASE,
        Case { ratio: 1.0, wobble: 0.001, ..CASE },
        Case { ratio: 1.01, wobble: 0.03, ..CASE },
        Case { ratio: 0.9, ..CASE },
        Case { blocks: 1, ..CASE },
        Case { fit: false, rejected: 9, ..CASE },
        Case { replication: "process", ..CASE },
    ];
    let never = [
        "no difference",
        "p =",
        "p <",
        "p-value",
        "p value",
        "significant",
        "inconclusive",
        "ping-pong",
        "the same speed",
    ];
    for result in cases.map(many) {
        assert!(result.claims.iter().all(|claim| claim.sentence.contains("Claim")), "{:?}", result.claims);
        for (format, drawn) in all_formats(&result) {
            let lower = drawn.to_lowercase();
            for phrase in never {
                assert!(!lower.contains(phrase), "{format} says \"{phrase}\":\n{drawn}");
            }
        }
        for sentence in result.claims.iter().map(|claim| &claim.sentence) {
            let tells_latency = ["p99(", "p99 of"].iter().any(|part| sentence.contains(part));
            assert!(!tells_latency || sentence.contains(" loop, "), "{sentence}");
        }
    }
}

fn third(mut plan: Plan) -> Plan {
    plan.variants.push(Variant {
        name: "apr".into(),
        levels: vec![Level { factor: "connector".into(), level: "apr".into() }],
        ..plan.variants[0].clone()
    });
    plan
}

#[test]
fn what_no_claim_asked_for_is_exploratory_and_gets_no_verdict() {
    let found = result(CASE);
    let shown: Vec<(&str, &str, &str)> = found
        .exploratory
        .iter()
        .map(|it| (it.measure.as_str(), it.over.as_str(), it.under.as_str()))
        .collect();
    assert_eq!(shown, [("cpu_per_request", "nio2", "nio"), ("p99", "nio2", "nio")], "throughput is claimed");
    let cpu = &found.exploratory[0];
    assert!(cpu.stands_out && cpu.confidence >= 0.95 && cpu.blocks == 4, "{cpu:?}");
    assert!(cpu.ratio.as_ref().is_some_and(|ratio| ratio.high.is_some_and(|high| high < 1.0)), "{cpu:?}");
    for (format, drawn) in all_formats(&found) {
        // As a reader sees it, without what keeps a name from meaning something in the format.
        let drawn = drawn.replace('\\', "").replace("&#64;", "@");
        match format {
            "csv" | "junit" => {}
            "json" => assert!(drawn.contains("\"exploratory\""), "{drawn}"),
            _ => {
                assert!(drawn.contains("Exploratory: no claim asked for these"), "{format}");
                assert!(
                    drawn.contains("cpu_per_request(nio2) / cpu_per_request(nio) @ 64c"),
                    "{format}: {drawn}"
                );
                assert!(drawn.contains("stands out"), "{format}");
            }
        }
    }
    let claims = found.claims.len();
    assert_eq!(claims, 2, "none of them is a claim");
    // They share an error rate of their own: more of them make the claims' intervals no wider.
    let alone = result_of(CASE, &claiming(CASE, &[("faster", "throughput(nio2) > throughput(nio)")]));
    assert_eq!(alone.claims[0].estimate, found.claims[0].estimate);
}

#[test]
fn one_block_and_one_variant_suggest_nothing() {
    assert!(result(Case { blocks: 1, ..CASE }).exploratory.is_empty());
    // A variant that was never measured is compared with no other.
    let unmeasured = result_of(CASE, &third(plan(CASE)));
    assert!(unmeasured.exploratory.iter().all(|found| found.over != "apr" && found.under != "apr"));
}

#[test]
fn a_claim_keeps_a_name_that_its_text_begins_with() {
    let named = |name: &str, claimed: &str| {
        let mut result = result(CASE);
        result.claims.truncate(1);
        (result.claims[0].name, result.claims[0].text) = (name.to_string(), claimed.to_string());
        text(&result, false)
    };
    for (name, text) in [
        ("cpu", "cpu_per_request(nio2) >= 2 * cpu_per_request(nio)"),
        ("throughput", "throughput(nio2) > throughput(nio)"),
        ("errors", "errors(nio2) == 0"),
        ("p99", "p99 @ 64c < 50ms"),
    ] {
        let said = named(name, text);
        assert!(said.contains(&format!("  {name}: {text}\n")), "{said}");
    }
    let threshold = named("p99(nio) < 50ms", "p99(nio) < 50ms @ 64c");
    assert!(threshold.contains("  p99(nio) < 50ms @ 64c\n"), "{threshold}");
}

#[test]
fn a_comparison_without_an_interval_claims_no_confidence() {
    let mut result = result(CASE);
    let found = result.exploratory.first_mut().expect("a comparison");
    let ratio = found.ratio.as_mut().expect("a ratio");
    (ratio.low, ratio.high) = (None, None);
    let name = format!("{}({}) / {}({})", found.measure, found.over, found.measure, found.under);
    let drawn = text(&result, false);
    let row = drawn.lines().find(|line| line.contains(&name)).expect("a row");
    assert!(row.contains("  –  ") && !row.contains('%'), "{row}");
}
