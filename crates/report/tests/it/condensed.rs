//! A condensed record has the same result as the one that it was made of.

use crate::made::{CASE, Case, plan, record, slice};
use proofload_analysis::reported_measures;
use proofload_analysis::{condense, observations};
use proofload_facts::Finding;
use proofload_report::{markdown, of_run, text};
use proofload_stats::Measure;
use proofload_store::Run;
use proofload_store::schema::{
    Phase, Plan, PlannedClaim, Point, RequestFigures, RequestHistograms, RunResult, Slice, Telemetry,
    Verdict, WarmUp,
};
use std::path::Path;

/// Claims on measures of each kind: by cycles, on quantiles that no table has, on counts.
fn asking() -> Plan {
    let claim = |name: &str, text: &str| PlannedClaim { name: name.into(), text: text.into() };
    let mut plan = plan(CASE);
    plan.claims.push(claim("no slower", "p95(nio2) ~ p95(nio) within 10%"));
    plan.claims.push(claim("on average", "mean(nio2) < 1.2 * mean(nio)"));
    plan.claims.push(claim("at worst", "max(nio2) < 1s"));
    plan
}

/// The result, except the path of the record and clocks that no figure and no verdict uses.
fn told(run: &Run) -> RunResult {
    let mut result = of_run(run).expect("a result");
    result.run = String::new();
    for point in &mut result.points {
        let nothing = Point::default();
        point.service_time_ns = nothing.service_time_ns;
        point.first_byte_ns = nothing.first_byte_ns;
        point.send_delay_ns = nothing.send_delay_ns;
    }
    result
}

fn size(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).expect("a directory").flatten();
    let of = |entry: std::fs::DirEntry| match entry.metadata().expect("its size") {
        known if known.is_dir() => size(&entry.path()),
        known => known.len(),
    };
    entries.map(of).sum()
}

fn small(run: &Run, to: &Path) -> Run {
    condense(run, &reported_measures(run.plan()).expect("measures"), to).expect("a copy");
    Run::open(to).expect("readable")
}

#[test]
fn it_tells_the_same_and_is_small() {
    for case in [CASE, Case { ratio: 0.9, rejected: 5, ..CASE }, Case { fit: false, ..CASE }] {
        let root = tempfile::tempdir().expect("a directory");
        let whole = record(case, &asking(), root.path());
        let small = small(&whole, &root.path().join("small/copy"));
        let (before, after) = (told(&whole), told(&small));
        assert_eq!(before, after);
        assert_eq!(before.claims.len(), 5);
        assert_eq!(text(&before, false), text(&after, false));
        assert_eq!(markdown(&before), markdown(&after));
        let (before, after) = (size(whole.path()), size(small.path()));
        assert!(3 * after < before, "{after} of {before} bytes");
        let measures: Vec<Measure> = reported_measures(whole.plan()).expect("measures");
        let cells = |run: &Run| observations(run, &measures).expect("observations").cells;
        assert_eq!(cells(&whole), cells(&small), "every cycle of every measure");
    }
}

#[test]
fn what_is_claimed_of_an_entry_of_a_mix_is_told_the_same() {
    let root = tempfile::tempdir().expect("a directory");
    let claim = |name: &str, text: &str| PlannedClaim { name: name.into(), text: text.into() };
    let claims = [
        claim("median", "p50[page](nio2) ~ p50[page](nio) within 10%"),
        claim("rate", "throughput[query](nio2) > 0.5 * throughput[query](nio)"),
    ];
    let plan = Plan { requests: vec!["page".into(), "query".into()], claims: claims.into(), ..asking() };
    let whole = record(CASE, &plan, root.path());
    let mixed = |mut slice: Slice| {
        let of = |name: &str, share: u64| RequestFigures {
            name: name.into(),
            outcomes: slice.measured.outcomes.iter().map(|(kind, n)| (kind.clone(), n / share)).collect(),
            answered_in_window: slice.answered_in_window / share,
            ..RequestFigures::default()
        };
        let own =
            RequestHistograms { response_time: slice.histograms.response_time.clone(), ..Default::default() };
        slice.measured.requests = vec![of("page", 2), of("query", 3)];
        slice.histograms.requests = vec![own; 2];
        slice
    };
    for block in 1..=CASE.blocks {
        let cycles = (1..=2).flat_map(|cycle| (0..2).map(move |variant| (cycle, variant)));
        let lines = cycles.map(|(cycle, variant)| {
            serde_json::to_string(&mixed(slice(CASE, block, cycle, variant))).expect("JSON") + "\n"
        });
        let name = format!("blocks/{block:04}.jsonl");
        std::fs::write(whole.path().join(name), lines.collect::<String>()).expect("written");
    }
    let whole = Run::open(whole.path()).expect("readable");
    let (before, after) = (told(&whole), told(&small(&whole, &root.path().join("small/copy"))));
    assert_eq!(before, after);
    assert!(before.claims.iter().all(|claim| claim.verdict == Verdict::Supported), "{:?}", before.claims);
    let [page, query] = &before.points[0].requests[..] else { panic!("{:?}", before.points[0]) };
    assert!(page.throughput_per_s > query.throughput_per_s && page.response_time_ns.count > 70_000);
}

#[test]
fn the_copy_of_a_copy_is_the_copy() {
    let root = tempfile::tempdir().expect("a directory");
    let whole = record(CASE, &asking(), root.path());
    let once = small(&whole, &root.path().join("once"));
    let twice = small(&once, &root.path().join("twice"));
    for file in ["plan.json", "blocks/0001.jsonl.gz", "blocks/0004.jsonl.gz"] {
        let read = |run: &Run| std::fs::read(run.path().join(file)).expect("a file");
        assert_eq!(read(&once), read(&twice), "{file}");
    }
    let taken = condense(&whole, &[], once.path()).expect_err("something lies there");
    assert!(taken.to_string().contains("move it away"), "{taken}");
}

#[test]
fn what_was_lost_cut_off_or_not_seen_is_still_told() {
    let root = tempfile::tempdir().expect("a directory");
    let whole = record(CASE, &asking(), root.path());
    let blocks = whole.path().join("blocks");
    let write = |name: &str, slices: &[Slice]| {
        let lines = slices.iter().map(|slice| serde_json::to_string(slice).expect("JSON") + "\n");
        std::fs::write(blocks.join(name), lines.collect::<String>()).expect("written");
    };
    let all = |block| -> Vec<Slice> {
        (1..=2).flat_map(|cycle| (0..2).map(move |variant| slice(CASE, block, cycle, variant))).collect()
    };
    // A block that was cut off, and one in which a variant was lost.
    write("0005.partial.jsonl", &all(5)[..2]);
    let mut lost = all(4);
    lost.retain(|slice| slice.measured.variant == "nio");
    lost[0].telemetry = Some(Telemetry {
        missing: vec![Finding::NoDiagnosis { error: "not permitted".into() }],
        at_ns: vec![1, 2],
        ..Telemetry::default()
    });
    let gone = Point { variant: "nio2".into(), ..Point::default() };
    lost.push(Slice {
        phase: "lost".into(),
        marks: vec![Finding::failed("it died")],
        measured: gone,
        ..lost[0].clone()
    });
    // Of warm-ups there is nothing in any figure.
    lost.insert(0, Slice { phase: "warm-up".into(), cycle: 0, ..lost[0].clone() });
    write("0004.jsonl", &lost);
    let warm_up = [WarmUp { variant: "nio".into(), ended: "steady".into(), ..WarmUp::default() }];
    let text = serde_json::to_string(&warm_up).expect("JSON");
    std::fs::write(blocks.join("0001.warm-up.json"), text).expect("written");
    let whole = Run::open(whole.path()).expect("readable");
    let small = small(&whole, &root.path().join("small"));
    let (before, after) = (told(&whole), told(&small));
    assert_eq!(before, after);
    let said = crate::facts::told(&before.limits).join("\n");
    for part in ["it died", "not permitted"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert_eq!((before.excluded_blocks, before.steady_states.len()), (1, 1));
    assert!(small.blocks().iter().flat_map(|block| &block.slices).all(|slice| slice.phase == Phase::Measure));
}

#[test]
fn of_loads_that_are_whole_the_course_stays_and_no_warm_up_and_no_place_of_the_writer() {
    let root = tempfile::tempdir().expect("a directory");
    let mut plan = Plan { working_directory: "/home/somebody/secret".into(), ..asking() };
    plan.points.iter_mut().for_each(|point| point.whole = true);
    let whole = record(CASE, &plan, root.path());
    let course = Telemetry { at_ns: vec![1, 2], ..Telemetry::default() };
    let seen = Slice { telemetry: Some(course.clone()), ..slice(CASE, 1, 1, 0) };
    let warm_up = Slice { phase: "warm-up".into(), cycle: 0, ..seen.clone() };
    let mut slices = vec![warm_up, seen, slice(CASE, 1, 1, 1)];
    slices.extend((0..2).map(|variant| slice(CASE, 1, 2, variant)));
    let line = |slice: &Slice| serde_json::to_string(slice).expect("JSON") + "\n";
    let lines: Vec<_> = slices.iter().map(line).collect();
    std::fs::write(whole.path().join("blocks/0001.jsonl"), lines.concat()).expect("written");
    let whole = Run::open(whole.path()).expect("readable");
    let small = small(&whole, &root.path().join("small"));
    let kept = &small.blocks()[0].slices;
    assert_eq!(kept.iter().map(|slice| slice.phase.name()).collect::<Vec<_>>(), ["measure"; 4]);
    assert_eq!(kept[0].telemetry.as_ref(), Some(&course));
    assert_eq!(small.plan().working_directory, "");
    let mut before = told(&whole);
    before.plan.iter_mut().for_each(|plan| plan.working_directory.clear());
    assert_eq!(before, told(&small));
}

#[test]
fn a_packed_block_that_was_damaged_does_not_count() {
    let root = tempfile::tempdir().expect("a directory");
    let small = small(&record(CASE, &asking(), root.path()), &root.path().join("small"));
    let path = small.path().join("blocks/0002.jsonl.gz");
    let bytes = std::fs::read(&path).expect("a block");
    let mut flipped = bytes.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x55;
    for damaged in [&bytes[..bytes.len() / 2], &flipped, b"", b"no gzip"] {
        std::fs::write(&path, damaged).expect("written");
        let run = Run::open(small.path()).expect("readable");
        assert_eq!((run.blocks().len(), run.excluded().len()), (3, 1), "{} bytes", damaged.len());
        assert!(run.excluded()[0].damage.is_some());
    }
}
