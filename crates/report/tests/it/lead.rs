//! The first line of every surface: never greener than the exit code.

use crate::made::{CASE, Case, busy, plan, result, result_of};
use proofload_analysis::{Overall, overall};
use proofload_measure::Outcome;
use proofload_report::{Terminal, Tone, Undecided, html, junit, lead, markdown, screen, text};
use proofload_store::bad_answer;
use proofload_store::schema::{
    Baseline, BaselineFigure, CapacityResult, Estimate, Generator, RunResult, Verdict,
};

fn against(verdict: Verdict) -> Baseline {
    let ratio = Estimate { point: 0.71, low: Some(0.61), high: Some(0.83), unit: "ratio".into() };
    let figure = BaselineFigure {
        variant: "nio".into(),
        point: "64c".into(),
        measure: "throughput".into(),
        verdict,
        ratio: Some(ratio),
        confidence: 0.95,
        ..BaselineFigure::default()
    };
    let fine = BaselineFigure { verdict: Verdict::Supported, measure: "p99".into(), ..figure.clone() };
    Baseline { run: "runs/base".into(), tolerance: 0.1, figures: vec![fine, figure], ..Baseline::default() }
}

fn with(change: impl Fn(&mut RunResult)) -> RunResult {
    let mut result = result(CASE);
    change(&mut result);
    result
}

/// A result for each way to each of the outcomes.
fn all() -> Vec<(&'static str, Overall, RunResult)> {
    let smoke = Case { blocks: 1, ..CASE };
    let nothing = |result: &mut RunResult| {
        for point in &mut result.points {
            point.outcomes = [("answered".to_string(), 0), ("rejected".to_string(), 803)].into();
            point.bad_answers = vec![bad_answer(
                Outcome::Rejected,
                "status 404, expected 200",
                b"HTTP/1.1 404 Not Found\r\n\r\nno such page",
                &[],
            )];
        }
    };
    let capacity = |answer: &str| {
        let found =
            CapacityResult { answer: answer.into(), sentence: "a sentence".into(), ..Default::default() };
        with(|result| result.capacities = vec![found.clone()])
    };
    let mut both_ways = plan(CASE);
    both_ways.two_sided = true;
    both_ways.claims.truncate(1);
    let single = |change: &dyn Fn(&mut RunResult)| {
        with(|result| {
            (result.plan, result.claims) = (None, Vec::new());
            result.points.truncate(1);
            change(result);
        })
    };
    let unfit = |result: &mut RunResult| {
        for point in &mut result.points {
            point.generator = Generator { findings: vec![busy()], ..Generator::default() };
        }
    };
    use Overall::{AllSupported, Checked, Invalid, Refuted, Regressed, Undecided};
    vec![
        ("supported", AllSupported, result(CASE)),
        ("refuted", Refuted, result(Case { ratio: 0.9, ..CASE })),
        (
            "not met",
            Refuted,
            with(|result| {
                result.expectations = vec![proofload_store::schema::ExpectationResult {
                    outcome: "not met".into(),
                    ..Default::default()
                }];
            }),
        ),
        ("undecided", Undecided, result(Case { ratio: 1.01, wobble: 0.03, ..CASE })),
        ("no claim", Undecided, with(|result| result.claims.clear())),
        ("regressed", Regressed, with(|result| result.baseline = Some(against(Verdict::Refuted)))),
        ("regressed both ways", Regressed, {
            let mut result = result_of(CASE, &both_ways);
            result.baseline = Some(against(Verdict::Refuted));
            result
        }),
        (
            "undecided against the baseline",
            Undecided,
            with(|result| result.baseline = Some(against(Verdict::Undecided))),
        ),
        ("nothing compared", Undecided, with(|result| result.baseline = Some(Baseline::default()))),
        ("client-limited", Invalid, result(Case { fit: false, ..CASE })),
        ("nothing answered", Invalid, with(nothing)),
        (
            "checked",
            Checked,
            result_of(smoke, &{
                let mut plan = plan(smoke);
                plan.timing.looks = vec![1];
                plan
            }),
        ),
        ("one", AllSupported, single(&|_| ())),
        ("one, nothing answered", Invalid, single(&nothing)),
        ("one, client-limited", Invalid, single(&unfit)),
        ("capacity found", AllSupported, capacity("found")),
        ("below the range", Refuted, capacity("below_range")),
        ("capacity client-limited", Invalid, capacity("client_limited")),
        ("capacity not settled", Undecided, capacity("not_settled")),
    ]
}

fn tone_of(overall: Overall) -> Tone {
    match overall {
        Overall::AllSupported | Overall::Checked => Tone::Good,
        Overall::Undecided => Tone::Open,
        Overall::Refuted | Overall::Regressed | Overall::Invalid => Tone::Bad,
    }
}

/// Tone of a first line by its sign; a line without one is neither good nor bad news.
fn tone_of_line(line: &str) -> Option<Tone> {
    [(Tone::Good, "✔"), (Tone::Open, "?"), (Tone::Bad, "✘")]
        .into_iter()
        .find(|(_, mark)| line.contains(mark))
        .map(|(tone, _)| tone)
}

#[test]
fn no_first_line_is_greener_than_the_exit_code() {
    let mut seen = Vec::new();
    for (what, expected, result) in all() {
        assert_eq!(overall(&result), expected, "{what}");
        seen.push(expected);
        let tone = tone_of(expected);
        let page = html(&result, &[]);
        let heading =
            page.split_once("<h1").and_then(|(_, rest)| rest.split_once("</h1>")).expect("a heading").0;
        let on = Terminal { colour: false, columns: 80 };
        for (surface, drawn) in [
            ("lead", lead(&result)[0].line()),
            ("text", text(&result, false)),
            ("screen", screen(&result, &[], on)),
            ("markdown", markdown(&result)),
            ("html", heading.to_string()),
        ] {
            let first = drawn.lines().next().expect("a line");
            let said = tone_of_line(first);
            assert!(said.map_or(tone == Tone::Good, |said| said >= tone), "{what}, {surface}: {drawn}");
        }
        let xml = junit(&result, Undecided::Skip);
        let document = roxmltree::Document::parse(&xml).expect("XML");
        let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
        let count = |name| suite.attribute(name).and_then(|n| n.parse::<u32>().ok()).expect("a number");
        let (failed, skipped) = (count("failures") + count("errors"), count("skipped"));
        match tone {
            Tone::Bad => assert!(failed > 0, "{what}: {xml}"),
            Tone::Open => assert!(failed + skipped > 0, "{what}: {xml}"),
            Tone::Good => assert_eq!(failed, 0, "{what}: {xml}"),
        }
    }
    use Overall::{AllSupported, Checked, Invalid, Refuted, Regressed};
    for overall in [AllSupported, Refuted, Regressed, Overall::Undecided, Checked, Invalid] {
        assert!(seen.contains(&overall), "{overall:?}");
    }
}

#[test]
fn a_regression_comes_first_with_a_case_for_each_figure() {
    let result = with(|result| result.baseline = Some(against(Verdict::Refuted)));
    let expected = "✘ regression  throughput(nio) ×0.71 [0.61, 0.83], 10 % allowed";
    let on = Terminal { colour: false, columns: 80 };
    for drawn in [text(&result, false), screen(&result, &[], on)] {
        assert_eq!(drawn.lines().next(), Some(expected), "{drawn}");
        assert_eq!(drawn.trim_end().lines().last(), Some(expected), "{drawn}");
    }
    let xml = junit(&result, Undecided::Skip);
    assert!(
        xml.contains("failures=\"1\"") && xml.contains("throughput(nio) @ 64c against the baseline"),
        "{xml}"
    );
    assert!(xml.contains("p99(nio) @ 64c against the baseline"), "{xml}");
}

#[test]
fn wrong_answers_come_before_everything() {
    for result in
        all().into_iter().filter(|(what, ..)| what.ends_with("nothing answered")).map(|(.., result)| result)
    {
        let drawn = text(&result, false);
        let mut lines = drawn.lines();
        let first = lines.next().expect("a line");
        let name = if result.plan.is_some() { "nio: " } else { "" };
        assert_eq!(first, format!("✘ {name}803 of 803 rejected: status 404, expected 200"), "{drawn}");
        assert_eq!(lines.next(), Some("  HTTP/1.1 404 Not Found … no such page"), "{drawn}");
    }
}

#[test]
fn errors_that_a_claim_accepts_are_no_failure() {
    let accepted = with(|result| {
        result.points[1].outcomes.insert("rejected".into(), 2_000);
    });
    assert_eq!(overall(&accepted), Overall::AllSupported);
    assert_eq!(lead(&accepted)[0].line(), "⚠ nio2: 2,000 of 89,824 failed: rejected");
    assert!(junit(&accepted, Undecided::Skip).contains("failures=\"0\" errors=\"0\""));
}
