//! Soaks that are planted in a record: every format shows what grew, and no more.

use crate::facts::told;
use crate::made::{CASE, Case, SECOND, plan, slice};
use proofload_report::{Reproduction, html, json, markdown, of_run, reproductions, text};
use proofload_stats::rng::Rng;
use proofload_store::schema::{
    Checkpoint, ClassGrowth, Environment, LoadPoint, Plan, RunResult, Slice, Telemetry, TrendVerdict,
};
use proofload_store::{Run, RunWriter};
use std::collections::BTreeMap;

const MIB: u64 = 1 << 20;
const SECONDS: u64 = 7_200;
/// Answers in each second.
const PER_S: u64 = 1_000;

/// Bytes that grow with each request.
#[derive(Clone, Copy)]
struct Leak {
    heap: u64,
    elsewhere: u64,
}

fn soak_plan() -> Plan {
    let mut plan = plan(Case { blocks: 1, ..CASE });
    plan.points[0] = LoadPoint {
        whole: true,
        length_ns: SECONDS * SECOND,
        checkpoint_ns: 120 * SECOND,
        ..plan.points[0].clone()
    };
    plan.timing.cycles = 1;
    plan.order = vec![vec![vec![0, 1]]];
    plan
}

fn soaked(variant: usize, leak: Leak) -> Slice {
    let mut rng = Rng::new(variant as u64 + 1);
    let mut slice = slice(Case { blocks: 1, ..CASE }, 1, 1, variant);
    let mut noise = |of: u64| (rng.uniform() * of as f64) as u64;
    let at = |second: u64| second * PER_S;
    let live = |second: u64, noise: u64| 40 * MIB + leak.heap * at(second) + noise;
    slice.measured.seconds = SECONDS as f64;
    slice.measured.per_second = vec![PER_S; SECONDS as usize];
    slice.measured.response_p50_per_second_ns =
        (0..SECONDS).map(|_| Some(3_000_000 + noise(50_000))).collect();
    let checkpoint = |number: u64, noise: u64| Checkpoint {
        at_ns: number * 120 * SECOND,
        took_ns: 80_000_000 + number,
        live_bytes: Some(live(number * 120, noise)),
        ..Checkpoint::default()
    };
    let checkpoints = (1..60).map(|number| checkpoint(number, noise(MIB / 2))).collect();
    let samples: Vec<u64> = (0..600).map(|number| number * 12).collect();
    let resident =
        |second: &u64, noise: u64| Some(300 * MIB + (leak.heap + leak.elsewhere) * at(*second) + noise);
    let rss = samples.iter().map(|second| resident(second, noise(MIB))).collect();
    slice.telemetry = Some(Telemetry {
        at_ns: samples.iter().map(|second| second * SECOND).collect(),
        series: BTreeMap::from([
            ("rss_bytes".to_string(), rss),
            ("threads".to_string(), vec![Some(31); 600]),
            // Used heap between collections shows nothing, and is not used where the live set is known.
            ("heap_used_bytes".to_string(), samples.iter().map(|second| Some(second * MIB)).collect()),
        ]),
        checkpoints,
        growth: vec![ClassGrowth { class: "[B <b>".into(), before_bytes: 0, after_bytes: 100 * MIB }],
        heap_max_bytes: Some(1_024 * MIB),
        ..Telemetry::default()
    });
    slice
}

fn result(leaks: [Leak; 2]) -> RunResult {
    result_of([0, 1].map(|variant| soaked(variant, leaks[variant])))
}

fn result_of(slices: [Slice; 2]) -> RunResult {
    let root = tempfile::tempdir().expect("a directory");
    let mut record =
        RunWriter::create(root.path(), &soak_plan(), &Environment::default(), 1_790_000_000 * SECOND)
            .expect("a record");
    let mut writer = record.begin_block(1).expect("a block");
    slices.iter().for_each(|slice| writer.append(slice).expect("written"));
    writer.finish().expect("whole");
    of_run(&Run::open(record.path()).expect("readable")).expect("a result")
}

fn verdicts<'a>(result: &'a RunResult, variant: &str) -> Vec<(&'a str, &'a str)> {
    let rows = result.trends.iter().filter(|row| row.variant == variant);
    rows.map(|row| (row.measure.as_str(), row.verdict.name())).collect()
}

#[test]
fn the_page_of_reproductions_has_the_trends_and_says_what_was_set() {
    let mut result = result([Leak { heap: 64, elsewhere: 0 }, Leak { heap: 0, elsewhere: 0 }]);
    let page_of = |result: &RunResult| {
        let record = Reproduction { record: "kept".into(), date: "today".into(), result: result.clone() };
        reproductions(&[record])
    };
    let as_it_stands = page_of(&result);
    assert!(!as_it_stands.contains("not as the study's file has it"), "{as_it_stands}");
    let live_set = "\n| live set after forced collections of nio &#64; 64c";
    let row = as_it_stands.split(live_set).nth(1).expect("a row").lines().next().expect("a line");
    assert!(
        row.contains("64.0 B \\[64.0, 64.0\\] with each request") && row.ends_with("| **leak** |"),
        "{row}"
    );
    assert!(
        as_it_stands.contains("### Trends over the soak\n\n| of | based on | verdict |"),
        "{as_it_stands}"
    );
    assert!(as_it_stands.contains("of nio2 &#64; 64c: "), "why is said, too: {as_it_stands}");

    result.plan.as_mut().expect("a plan").settings =
        vec!["load.closed.soak=1h".into(), "subjects.a.with.b=2".into()];
    let page = page_of(&result);
    assert!(
        page.contains("\n- not as the study's file has it: load.closed.soak=1h, subjects.a.with.b=2\n"),
        "{page}"
    );
}

#[test]
fn a_leak_and_a_leak_outside_the_heap_are_told_apart_in_every_format() {
    let result = result([Leak { heap: 64, elsewhere: 0 }, Leak { heap: 0, elsewhere: 64 }]);
    let expected =
        [("live_set", "leak"), ("rss", "growth"), ("threads", "no_growth"), ("response_p50", "no_growth")];
    assert_eq!(verdicts(&result, "nio"), expected);
    assert_eq!(verdicts(&result, "nio2")[..2], [("live_set", "no_growth"), ("rss", "growth")]);
    let leak = &result.trends[0];
    let each = leak.per_exchange.as_ref().expect("requests");
    assert!((each.point - 64.0).abs() < 1.0 && each.unit == "bytes", "{each:?}");
    let per_hour = leak.per_hour.as_ref().expect("a slope");
    let planted = 64.0 * (PER_S * 3_600) as f64;
    assert!(per_hour.low.is_some_and(|low| low < planted) && per_hour.high > Some(planted), "{per_hour:?}");
    assert_eq!((leak.values, leak.left_out, leak.block), (41, 18, 1));
    // Thirty-one threads do not grow, whatever the reference.
    assert_eq!(result.trends[2].per_exchange, None);

    let said = text(&result, false);
    assert!(
        said.contains("Trends over the soak\nleak       live set after forced collections of nio @ 64c"),
        "{said}"
    );
    assert!(said.contains("64.0 B [64.0, 64.0] with each request, 95.0 %, level "), "{said}");
    assert!(said.contains("41 values over 1.33 h after 18 left out"), "{said}");
    assert!(said.contains("of the largest heap in an hour, in the second half as well"), "{said}");
    assert!(said.contains("most grew: [B <b> +100 MiB"), "{said}");
    assert_eq!(said.matches("alarm: the live set of the heap does not grow").count(), 1, "{said}");
    assert!(
        said.contains("118 full collections were forced in the soak, half of them took 80.0 ms"),
        "{said}"
    );
    for drawn in [markdown(&result), html(&result, &[])] {
        for part in ["Trends over the soak", "no growth", "with each request", "alarm: the live set"] {
            assert!(drawn.contains(part), "no {part} in {drawn}");
        }
        assert!(!drawn.contains("[B <b>"), "escaped");
    }
    let json: serde_json::Value = serde_json::from_str(&json(&result)).expect("JSON");
    assert_eq!(json["trends"][0]["verdict"], "leak");
}

/// A heap that is hardly ever collected fills with what is dead as well.
#[test]
fn a_heap_of_which_no_collection_was_forced_may_grow_and_is_not_called_leaking() {
    let unasked = |variant: usize| {
        let mut slice = soaked(variant, Leak { heap: 0, elsewhere: 0 });
        slice.telemetry.iter_mut().for_each(|telemetry| telemetry.checkpoints.clear());
        slice
    };
    let found = result_of([0, 1].map(unasked));
    assert_eq!(verdicts(&found, "nio")[0], ("heap_low", "growth"));
    let said = told(&found.trends[0].reasons).join("; ");
    assert!(
        said.contains("may be garbage that none has looked at yet") && !said.contains(": a leak"),
        "{said}"
    );
}

#[test]
fn what_does_not_grow_is_said_and_what_is_too_short_is_undecided() {
    let steady = Leak { heap: 0, elsewhere: 0 };
    let found = result([steady, steady]);
    assert!(found.trends.iter().all(|row| row.verdict == TrendVerdict::NoGrowth), "{:#?}", found.trends);
    let said = text(&found, false);
    assert!(said.contains("in 24 hours, ") && said.contains("counts as no growth"), "{said}");
    assert!(!said.contains("most grew"), "{said}");
    // A load that is not a soak has no trends.
    let plain = crate::made::result(CASE);
    assert!(plain.trends.is_empty() && !text(&plain, false).contains("Trends"));
}
