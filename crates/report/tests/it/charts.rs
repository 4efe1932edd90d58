//! The charts of a page: where their numbers come from, and that nothing gets out of their place.

use crate::made::{CASE, SECOND, plan, result, slice};
use crate::page::charts;
use proofload_facts::Finding;
use proofload_measure::LatencyHistogram;
use proofload_report::{self as report, html, json};
use proofload_store::schema::{
    AtLevel, CapacityResult, CapacityTrial, DependsOn, Environment, Estimate, PublishedFigure, RunResult,
    SingleLoad, Slice, Telemetry,
};
use proofload_store::{Run, RunWriter};
use proofload_testkit::HOSTILE;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn chart<'a>(charts: &'a [Value], id: &str) -> &'a Value {
    charts.iter().find(|chart| chart["id"] == id).unwrap_or_else(|| panic!("no chart {id}"))
}

fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Number(number) => found.extend(number.as_f64()),
        Value::Array(list) => list.iter().for_each(|value| numbers(value, found)),
        Value::Object(map) => map.values().for_each(|value| numbers(value, found)),
        _ => {}
    }
}

#[test]
fn each_number_of_a_figure_is_in_the_result() {
    let result = result(CASE);
    let page = html(&result, &[]);
    let told: Value = serde_json::from_str(&json(&result)).expect("JSON");
    let mut known = Vec::new();
    numbers(&told, &mut known);
    let known: BTreeSet<u64> = known.into_iter().map(f64::to_bits).collect();
    let charts = charts(&page);
    let ids: Vec<&str> = charts.iter().filter_map(|chart| chart["id"].as_str()).collect();
    assert_eq!(ids, ["throughput", "p50", "p99", "cpu_per_request", "blocks-throughput", "blocks-p99"]);
    for chart in &charts {
        let mut drawn = Vec::new();
        for row in chart["rows"].as_array().expect("rows") {
            // Before them are names, and the number of the block.
            row.as_array().expect("a row")[2..].iter().for_each(|cell| numbers(cell, &mut drawn));
        }
        assert!(!drawn.is_empty(), "{}", chart["id"]);
        for number in drawn {
            assert!(known.contains(&number.to_bits()), "{}: {number}", chart["id"]);
        }
    }
}

#[test]
fn rows_are_as_wide_as_their_header() {
    let slices = [slice(CASE, 1, 1, 0), slice(CASE, 1, 1, 1)];
    let page = html(&result(CASE), &slices.iter().collect::<Vec<&Slice>>());
    for chart in charts(&page) {
        let columns = chart["columns"].as_array().expect("columns").len();
        assert_eq!(chart["units"].as_array().expect("units").len(), columns, "{}", chart["id"]);
        for row in chart["rows"].as_array().expect("rows") {
            assert_eq!(row.as_array().expect("a row").len(), columns, "{}", chart["id"]);
        }
        let place =
            format!("<section class=\"chart\" id=\"chart-{}\">", chart["id"].as_str().expect("a name"));
        assert_eq!(page.matches(&place).count(), 1, "{place}");
    }
}

#[test]
fn percentiles_are_those_of_the_histograms() {
    let slice = slice(CASE, 1, 1, 0);
    let page = html(&result(CASE), &[&slice]);
    let charts = charts(&page);
    let rows = chart(&charts, "percentiles")["rows"].as_array().expect("rows").clone();
    let at = |quantile: f64| {
        let row = rows.iter().find(|row| (row[1].as_f64().expect("a number") - quantile).abs() < 1e-9);
        row.unwrap_or_else(|| panic!("{quantile}"))
    };
    let times = &slice.measured.response_time_ns;
    assert_eq!(at(0.9)[2].as_f64(), times.p90.map(|ns| ns as f64));
    assert_eq!(at(0.99)[2].as_f64(), times.p99.map(|ns| ns as f64));
    assert_eq!(at(0.0)[3].as_f64(), Some(times.count as f64));
    let last = rows.last().expect("rows");
    assert!(last[3].as_f64().expect("a number") >= 1.0, "{last}");
}

#[test]
fn programs_get_what_the_page_draws() {
    let slices = [slice(CASE, 1, 1, 0), slice(CASE, 1, 1, 1)];
    let slices: Vec<&Slice> = slices.iter().collect();
    let drawn = charts(&html(&result(CASE), &slices));
    let told: Value = serde_json::from_str(&report::charts(&result(CASE), &slices)).expect("JSON");
    assert_eq!(told, Value::from(drawn));
    insta::assert_snapshot!("charts.json", report::charts(&result(CASE), &[]));
}

#[test]
fn what_was_not_answered_is_drawn_as_a_share_of_all() {
    let case = crate::made::Case { rejected: 250, ..CASE };
    let page = html(&result(case), &[]);
    let charts = charts(&page);
    let rows = chart(&charts, "outcomes")["rows"].as_array().expect("rows").clone();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((rows[0][0].as_str(), rows[0][1].as_str()), (Some("nio2"), Some("rejected")));
    let outcomes = &result(case).points[1].outcomes;
    let share = outcomes["rejected"] as f64 / outcomes.values().sum::<u64>() as f64;
    let expected = [Some(outcomes["rejected"] as f64), Some(share)];
    assert_eq!([rows[0][2].as_f64(), rows[0][3].as_f64()], expected);
    assert!((0.2..0.3).contains(&share), "{share}");
    let shares = chart(&charts, "error_share")["rows"].as_array().expect("rows").clone();
    assert_eq!(shares[0][2].as_f64(), Some(0.0));
    assert!((shares[1][2].as_f64().expect("a number") - share).abs() < 0.01, "{shares:?}");
}

fn on_a_condition(unit: &str) -> DependsOn {
    let at = |level: &str, point: f64| AtLevel {
        level: level.into(),
        estimate: Estimate { point, low: Some(point - 0.01), high: Some(point + 0.01), unit: unit.into() },
    };
    let levels = vec![at("true", 1.05), at("false", 1.15)];
    DependsOn { condition: "cpus_awake".into(), levels, alike: true }
}

/// A published figure of a quantity, beside what was found from a tenth less to a fifth more.
fn published(quantity: &str, published: f64, found: Option<f64>) -> PublishedFigure {
    PublishedFigure {
        quantity: quantity.into(),
        measure: "p99".into(),
        published,
        found: found.map(|point| Estimate {
            point,
            low: Some(point * 0.9),
            high: Some(point * 1.2),
            unit: "ns".into(),
        }),
        ratio: found.map(|point| point / published),
        source: quantity.into(),
        ..PublishedFigure::default()
    }
}

/// A search of three trials, of which the first meets the objective.
fn searched(variant: &str) -> CapacityResult {
    let trial = |rate_per_s: f64, outcome: &str, p99: Option<f64>| CapacityTrial {
        rate_per_s,
        outcome: outcome.into(),
        values: BTreeMap::from([("p99".to_string(), p99)]),
        ..CapacityTrial::default()
    };
    let trials =
        vec![trial(100.0, "pass", Some(1e6)), trial(200.0, "fail", Some(5e7)), trial(400.0, "fail", None)];
    CapacityResult {
        variant: variant.into(),
        slo: vec!["p99 < 10ms".into()],
        trials,
        ..CapacityResult::default()
    }
}

#[test]
fn a_claim_that_depends_on_a_condition_is_drawn_at_each_of_its_levels() {
    let mut result = result(CASE);
    result.claims[0].depends_on = vec![on_a_condition("ratio")];
    // Another unit has no place on a scale of ratios.
    result.claims[1].depends_on = vec![on_a_condition("ns")];
    let rows = chart(&charts(&html(&result, &[])), "conditions")["rows"].clone();
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[1][2].as_f64(), Some(1.15));
    assert!(rows[1][0].as_str().expect("a name").starts_with("NIO2 serves more: "), "{rows:?}");
}

#[test]
fn what_was_found_is_drawn_over_what_was_published() {
    let mut result = result(CASE);
    result.published = vec![
        published("p99.9(nio)", 4e6, Some(2e6)),
        published("p50(nio)", 0.0, Some(1e6)),
        published("p50(nio2)", 1e6, None),
    ];
    let charts = charts(&html(&result, &[]));
    let rows = chart(&charts, "published")["rows"].as_array().expect("rows").clone();
    assert_eq!(rows.len(), 1, "where there is nothing to hold against: {rows:?}");
    let numbers: Vec<Option<f64>> = (2..5).map(|at| rows[0][at].as_f64()).collect();
    assert_eq!(numbers, [Some(0.5), Some(0.45), Some(0.6)]);
}

#[test]
fn a_trial_that_did_not_meet_the_objective_is_marked() {
    let mut result = result(CASE);
    result.capacities = vec![searched("nio")];
    let charts = charts(&html(&result, &[]));
    let drawn = chart(&charts, "trials-p99");
    assert_eq!((drawn["drawn"].as_str(), drawn["y"]["unit"].as_str()), (Some("dots"), Some("ns")));
    let rows = drawn["rows"].as_array().expect("rows");
    assert_eq!(rows[0][3], "");
    assert_ne!(rows[1][3], "");
    assert!(rows[2][2].is_null());
}

#[test]
fn what_no_figure_rests_on_is_in_the_course_and_marked() {
    let mut slices: Vec<Slice> =
        (1..=3).flat_map(|block| [0, 1].map(|at| slice(CASE, block, 1, at))).collect();
    slices.insert(0, Slice { phase: "warm-up".into(), cycle: 0, ..slice(CASE, 1, 1, 0) });
    slices.push(Slice { phase: "lost".into(), ..slice(CASE, 3, 2, 1) });
    slices.push(Slice { phase: "perturbation".into(), ..slice(CASE, 3, 3, 1) });
    // The variant whose turn it was in that cycle had less of the machine.
    slices.push(slice(CASE, 4, 1, 0));
    slices.push(Slice {
        marks: vec![Finding::NotIdle { variant: "nio".into(), cpu_share: 0.5, allowed_share: 0.05 }],
        ..slice(CASE, 4, 1, 1)
    });
    for (at, slice) in (0..).zip(&mut slices) {
        slice.started_unix_ns += at * SECOND;
    }
    let mut result = result(CASE);
    result.disturbed_blocks = vec![2];
    let charts = charts(&html(&result, &slices.iter().collect::<Vec<&Slice>>()));
    let rows = chart(&charts, "course-throughput")["rows"].as_array().expect("rows").clone();
    let seen: Vec<(&str, u64, &str)> = rows
        .iter()
        .filter(|row| !row[2].is_null())
        .map(|row| {
            let word = |at: usize| row[at].as_str().expect("a text").split(':').next().unwrap_or_default();
            (word(0), row[1].as_f64().expect("a number") as u64, row[3].as_str().expect("a text"))
        })
        .collect();
    let (warm_up, disturbed) = ("warm-up", "left out: the machine disturbed this restart");
    let lost = "left out: the variant did not get through this restart";
    let marked = "left out: another variant was not quiet in this cycle";
    assert_eq!(
        seen,
        [
            ("nio", 0, warm_up),
            ("nio", 1, ""),
            ("nio", 3, disturbed),
            ("nio", 5, ""),
            ("nio", 9, marked),
            ("nio2", 2, ""),
            ("nio2", 4, disturbed),
            ("nio2", 6, lost),
            ("nio2", 10, marked),
        ]
    );
}

/// A window of fifty hours: a wave by the hour, one peak, one gap.
fn fifty_hours(variant: usize) -> Slice {
    const SECONDS: u64 = 180_000;
    let mut slice = slice(CASE, 1, 1, variant);
    let wave = |second: u64| 1_000_000 + (second % 3_600) * 500;
    let measured = &mut slice.measured;
    measured.seconds = SECONDS as f64;
    measured.per_second = (0..SECONDS).map(|second| 10_000 + second % 997).collect();
    measured.response_p50_per_second_ns = (0..86_400).map(|second| Some(wave(second))).collect();
    measured.response_p99_per_second_ns = (0..86_400).map(|second| Some(9 * wave(second))).collect();
    measured.per_second[77_777] = 99_999;
    measured.response_p99_per_second_ns[50_000] = None;
    let samples = 0..SECONDS / 6;
    let series = |of: fn(u64) -> u64| samples.clone().map(|at| Some(of(at))).collect::<Vec<_>>();
    slice.telemetry = Some(Telemetry {
        at_ns: samples.clone().map(|at| at * 6_000_000_000).collect(),
        series: BTreeMap::from([
            ("cpu_ns".to_string(), series(|_| 3_000_000_000)),
            ("rss_bytes".to_string(), series(|at| 200_000_000 + at * 1_000)),
            ("threads".to_string(), series(|_| 40)),
        ]),
        ..Telemetry::default()
    });
    slice
}

/// `cargo xtask web --check` opens the page that this leaves behind.
#[test]
fn fifty_hours_fit_a_page_with_their_peaks_and_gaps() {
    let slices = [fifty_hours(0), fifty_hours(1)];
    let page = html(&result(CASE), &slices.iter().collect::<Vec<&Slice>>());
    assert!(page.len() < 2 * 1024 * 1024, "{} bytes", page.len());
    let charts = charts(&page);
    let values = |id: &str| -> Vec<Option<f64>> {
        let rows = chart(&charts, id)["rows"].as_array().expect("rows");
        rows.iter().map(|row| row[2].as_f64()).collect()
    };
    assert_eq!(values("course-throughput").into_iter().flatten().fold(0.0, f64::max), 99_999.0);
    assert!(values("course-p99").contains(&None));
    // Half a CPU in every six seconds; the first sample has no value.
    let cpus = values("course-cpu_ns");
    assert_eq!((cpus[0], cpus[1]), (None, Some(0.5)));
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("fifty-hours.html"), page).expect("written");
}

#[test]
fn what_never_ended_ranks_last_among_the_percentiles() {
    let mut slice = slice(CASE, 1, 1, 0);
    let answered = slice.measured.response_time_ns.count;
    let mut waited = LatencyHistogram::new();
    waited.record_many(3 * SECOND, answered / 9);
    slice.histograms.unended = waited.encode();
    let charts = charts(&html(&result(CASE), &[&slice]));
    let rows = chart(&charts, "percentiles")["rows"].as_array().expect("rows");
    assert_eq!(rows[0][3].as_f64(), Some((answered + answered / 9) as f64));
    let p99 =
        rows.iter().find(|row| (row[1].as_f64().expect("a number") - 0.99).abs() < 1e-9).expect("a row");
    assert!(p99[2].as_f64().expect("a number") >= 2.9e9, "{p99}");
}

#[test]
fn a_variant_that_a_record_lost_is_in_the_course_and_not_in_the_percentiles() {
    let root = tempfile::tempdir().expect("a directory");
    let mut record =
        RunWriter::create(root.path(), &plan(CASE), &Environment::default(), SECOND).expect("a record");
    let mut writer = record.begin_block(1).expect("a block");
    let lost =
        Slice { phase: "lost".into(), marks: vec![Finding::failed("it ended")], ..slice(CASE, 1, 2, 1) };
    for slice in [slice(CASE, 1, 1, 0), slice(CASE, 1, 1, 1), slice(CASE, 1, 2, 0), lost] {
        writer.append(&slice).expect("written");
    }
    writer.finish().expect("whole");
    let run = Run::open(record.path()).expect("readable");
    let lost = run.blocks().iter().flat_map(|block| &block.lost).flat_map(|lost| &lost.slices);
    let slices: Vec<&Slice> = run.blocks().iter().flat_map(|block| &block.slices).chain(lost).collect();
    let charts = charts(&html(&result(CASE), &slices));
    let of = |id: &str, name: &str| -> Vec<Value> {
        let rows = chart(&charts, id)["rows"].as_array().expect("rows");
        rows.iter().filter(|row| row[0] == name).cloned().collect()
    };
    let course = of("course-throughput", "nio2");
    assert_eq!(course[0][3], "left out: the variant did not get through this restart");
    assert_eq!(of("course-throughput", "nio")[0][3], "");
    assert!(of("percentiles", "nio2").is_empty());
    assert!(!of("percentiles", "nio").is_empty());
}

#[test]
fn a_variant_has_the_same_colour_in_each_chart() {
    // Colours go by the order of series, not by the order of measuring.
    let mut slices = [slice(CASE, 1, 1, 1), slice(CASE, 1, 1, 0)];
    slices[1].started_unix_ns += SECOND;
    let page = html(&result(CASE), &slices.iter().collect::<Vec<&Slice>>());
    for chart in charts(&page).iter().filter(|chart| chart["drawn"] != "intervals") {
        assert_eq!(chart["rows"][0][0], "nio", "{}", chart["id"]);
    }
}

#[test]
fn percentiles_leave_out_what_figures_leave_out() {
    let slices = [slice(CASE, 1, 1, 0), slice(CASE, 2, 1, 0)];
    let slices: Vec<&Slice> = slices.iter().collect();
    let counted = |result: &RunResult| {
        let charts = charts(&html(result, &slices));
        chart(&charts, "percentiles")["rows"][0][3].as_f64().expect("a number")
    };
    let (all, one) = (result(CASE), slices[0].measured.response_time_ns.count as f64);
    assert!(counted(&all) > one);
    let disturbed = RunResult { disturbed_blocks: vec![2], ..all.clone() };
    assert_eq!(counted(&disturbed), one);
    let nothing_else = RunResult { disturbed_blocks: vec![1, 2], blocks: 0, ..all };
    assert!(counted(&nothing_else) > one);
}

/// `cargo xtask web --check` opens the page that this leaves behind, and notices any script that runs in it.
#[test]
fn no_text_of_strangers_ends_the_element_of_the_numbers() {
    let calm = result(crate::made::Case { rejected: 250, ..CASE });
    let mut result =
        RunResult { figures: Vec::new(), claims: Vec::new(), points: Vec::new(), ..calm.clone() };
    let mut slices = Vec::new();
    for hostile in HOSTILE {
        result.figures.extend(calm.figures.iter().cloned().map(|mut figure| {
            figure.variant = hostile.to_string();
            figure
        }));
        result.claims.extend(calm.claims.iter().cloned().map(|mut claim| {
            claim.name = hostile.to_string();
            claim.depends_on = vec![on_a_condition("ratio")];
            claim
        }));
        result.points.push(calm.points[1].clone());
        result.points.last_mut().expect("a point").variant = hostile.to_string();
        result.published.push(published(hostile, 4e6, Some(2e6)));
        result.capacities.push(searched(hostile));
        slices.push(slice(CASE, 1, 1, 0));
        slices.last_mut().expect("a slice").measured.variant = hostile.to_string();
    }
    let page = html(&result, &slices.iter().collect::<Vec<&Slice>>());
    let charts = charts(&page);
    let named = |id: &str| -> BTreeSet<String> {
        let rows = chart(&charts, id)["rows"].as_array().expect("rows");
        rows.iter().map(|row| row[0].as_str().expect("a name").to_string()).collect()
    };
    let shown: BTreeSet<String> = HOSTILE.iter().map(|it| proofload_report::escape::line(it)).collect();
    for id in [
        "claims",
        "throughput",
        "percentiles",
        "course-p99",
        "blocks-p99",
        "outcomes",
        "published",
        "trials-p99",
    ] {
        assert_eq!(named(id), shown, "{id}");
    }
    assert_eq!(page.to_ascii_lowercase().matches("</script").count(), 2);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("hostile.html"), page).expect("written");
}

#[test]
fn a_page_says_how_to_run_it_again() {
    let mut kept = result(CASE);
    kept.run = "runs/my study/1".to_string();
    let page = html(&kept, &[]);
    assert!(
        page.contains("<pre>proofload rerun &#39;runs/my study/1&#39;\nproofload report "),
        "{page:.20000}"
    );
    kept.run.clear();
    assert!(!html(&kept, &[]).contains("<h2>Run it again</h2>"));
    let load = SingleLoad {
        arguments: vec!["http://[::1]/?a=b&c".into(), "-c".into(), "4".into()],
        ..SingleLoad::default()
    };
    let single = RunResult { plan: None, load: Some(load), ..kept };
    assert!(html(&single, &[]).contains("<pre>proofload &#39;http://[::1]/?a=b&amp;c&#39; -c 4</pre>"));
}
