//! The charts of a page: where their numbers come from, and that nothing gets out of their place.

use crate::made::{CASE, SECOND, result, slice};
use crate::page::charts;
use proofload_measure::LatencyHistogram;
use proofload_report::{html, json};
use proofload_store::schema::{RunResult, SingleLoad, Slice, Telemetry};
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
            // Before them stand names, and which block it is.
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
    // Half a CPU in every six seconds; of the first sample nobody knows.
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

/// `cargo xtask web --check` opens the page that this leaves behind, and whatever runs in it is noticed there.
#[test]
fn no_text_of_strangers_ends_the_element_of_the_numbers() {
    let calm = result(CASE);
    let mut result = RunResult { figures: Vec::new(), claims: Vec::new(), ..calm.clone() };
    let mut slices = Vec::new();
    for hostile in HOSTILE {
        result.figures.extend(calm.figures.iter().cloned().map(|mut figure| {
            figure.variant = hostile.to_string();
            figure
        }));
        result.claims.extend(calm.claims.iter().cloned().map(|mut claim| {
            claim.name = hostile.to_string();
            claim
        }));
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
    for id in ["claims", "throughput", "percentiles", "course-p99", "blocks-p99"] {
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
