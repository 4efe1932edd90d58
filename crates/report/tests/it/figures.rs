//! The figures of a study: each with its interval between starts, and what it rests on.

use crate::made::{CASE, Case, SECOND, answering, plan, result, slice};
use proofload_report::{html, json, markdown, of_run, text};
use proofload_store::schema::{Environment, Figure, RunResult, Slice};
use proofload_store::{Run, RunWriter};

fn figure<'a>(result: &'a RunResult, variant: &str, measure: &str) -> &'a Figure {
    let is_it = |figure: &&Figure| figure.variant == variant && figure.measure == measure;
    result.figures.iter().find(is_it).expect("a figure")
}

/// A record of four blocks whose slices were changed.
fn record(spoil: &dyn Fn(&mut Slice) -> bool) -> RunResult {
    let root = tempfile::tempdir().expect("a directory");
    let mut record =
        RunWriter::create(root.path(), &plan(CASE), &Environment::default(), SECOND).expect("a record");
    for block in 1..=CASE.blocks {
        let mut writer = record.begin_block(block).expect("a block");
        for cycle in 1..=2 {
            for variant in 0..2 {
                let mut slice = slice(CASE, block, cycle, variant);
                if spoil(&mut slice) {
                    writer.append(&slice).expect("written");
                }
            }
        }
        writer.finish().expect("whole");
    }
    let mut result = of_run(&Run::open(record.path()).expect("readable")).expect("a result");
    result.run = "RUN".into();
    result
}

#[test]
fn every_figure_says_how_many_starts_and_exchanges_it_rests_on() {
    let result = result(CASE);
    for variant in ["nio", "nio2"] {
        let point = result.points.iter().find(|point| point.variant == variant).expect("a point");
        for measure in ["throughput", "p50", "p90", "p99", "cpu_per_request"] {
            let figure = figure(&result, variant, measure);
            assert_eq!((figure.starts, figure.exchanges), (4, point.outcomes["answered"]), "{figure:?}");
            let estimate = figure.estimate.as_ref().expect("an estimate");
            assert!(estimate.low.is_some() && estimate.high.is_some(), "{figure:?}");
        }
    }
    let value: serde_json::Value = serde_json::from_str(&json(&result)).expect("JSON");
    let p99 = &value["figures"].as_array().expect("a list")[3];
    assert_eq!((p99["measure"].as_str(), p99["starts"].as_u64()), (Some("p99"), Some(4)), "{p99}");
    assert!(p99["estimate"]["low"].is_f64() && p99["exchanges"].as_u64() > Some(10_000), "{p99}");
    for drawn in [text(&result, false), markdown(&result), html(&result, &[])] {
        for part in ["p90", "p999", "starts"] {
            assert!(drawn.contains(part), "no {part} in {drawn}");
        }
    }
}

/// 20,000 exchanges a start: 200 lie beyond p99, 20 beyond p99.9.
#[test]
fn a_quantile_with_fewer_than_a_hundred_exchanges_beyond_it_is_not_resolvable() {
    let found = result(CASE);
    let (p99, p999) = (figure(&found, "nio", "p99"), figure(&found, "nio", "p999"));
    assert!(!p99.rough && p99.beyond.is_some_and(|n| (190..=200).contains(&n)), "{p99:?}");
    assert!(p999.rough && p999.beyond.is_some_and(|n| (19..=20).contains(&n)), "{p999:?}");
    let estimate = p999.estimate.as_ref().expect("a rough value");
    assert_eq!((estimate.low, estimate.high), (None, None));
    assert_eq!(figure(&found, "nio", "throughput").beyond, None);
    for drawn in [text(&found, false), markdown(&found), html(&found, &[])] {
        assert!(drawn.contains("≈ ") && drawn.contains("p999 is not resolvable"), "{drawn}");
        assert!(!drawn.contains("p99 is not resolvable"), "{drawn}");
    }
    // One short start is enough: a p99 of four starts is missing when one has only eighty beyond it.
    let short = record(&|slice| {
        if slice.block == 2 {
            answering(slice, 4_000, &|i| 1_000_000 + i * 100);
        }
        true
    });
    let p99 = figure(&short, "nio", "p99");
    assert!(p99.rough && p99.beyond == Some(80), "{p99:?}");
}

#[test]
fn one_start_has_no_interval_and_says_so() {
    let smoke = result(Case { blocks: 1, ..CASE });
    assert!(smoke.figures.iter().all(|f| f.estimate.as_ref().is_none_or(|e| e.low.is_none())));
    for drawn in [text(&smoke, false), markdown(&smoke), html(&smoke, &[])] {
        assert!(drawn.contains("1, no interval"), "{drawn}");
    }
    let processes = text(&result(Case { replication: "process", ..CASE }), false);
    assert!(
        processes.contains(" blocks  answered") && !processes.contains("starts  answered"),
        "{processes}"
    );
}

#[test]
fn a_figure_that_rests_on_fewer_starts_than_its_row_says_so() {
    let found = record(&|slice| {
        if slice.block == 3 {
            slice.measured.subject = None;
        }
        true
    });
    let cpu = figure(&found, "nio", "cpu_per_request");
    assert_eq!((cpu.starts, figure(&found, "nio", "p50").starts), (3, 4));
    assert!(cpu.exchanges < figure(&found, "nio", "p50").exchanges);
    assert!(text(&found, false).contains("], 3 starts"), "{}", text(&found, false));
    let lost = record(&|slice| slice.block != 3 || slice.measured.variant != "nio");
    assert_eq!(figure(&lost, "nio", "p50").starts, 3);
    assert!(!text(&lost, false).contains("], 3 starts"), "the row says it");
}

/// Three starts answer in 1 ms, the fourth, which is the busiest by far, in 9 ms: put together the exchanges have a
/// median of 9 ms, and starts have one of √3 ms.
#[test]
fn quantiles_of_starts_are_combined_and_not_their_histograms() {
    let found = record(&|slice| {
        match slice.block {
            4 => answering(slice, 90_000, &|_| 9_000_000),
            _ => answering(slice, 2_000, &|_| 1_000_000),
        }
        true
    });
    let p50 = figure(&found, "nio", "p50").estimate.as_ref().expect("a figure").point;
    assert!((p50 / (3_f64.sqrt() * 1e6) - 1.0).abs() < 0.01, "{p50}");
    let heap = found.points[0].response_time_ns.p50.expect("a median");
    assert!(heap > 8_900_000, "{heap}");
}

/// Both cycles of every start differ by a factor of two, and the starts hardly: longer starts would help.
#[test]
fn starts_that_leave_more_open_than_lies_between_them_are_too_short() {
    let rough = record(&|slice| {
        let (cycle, block) = (u64::from(slice.cycle), u64::from(slice.block));
        answering(slice, 10_000, &|_| cycle * 1_000_000 + block * 10_000);
        true
    });
    let p50 = figure(&rough, "nio", "p50");
    assert!(p50.within_start > p50.between_starts && p50.between_starts > Some(0.0), "{p50:?}");
    let said = text(&rough, false);
    assert!(said.contains("measuring longer per start would narrow p50 of nio @ 64c, nio2 @ 64c:"), "{said}");
    let settled = record(&|slice| {
        let block = u64::from(slice.block);
        answering(slice, 10_000, &|_| block * 1_000_000);
        true
    });
    assert!(!text(&settled, false).contains("longer starts"), "{}", text(&settled, false));
}

#[test]
fn a_quantity_that_is_never_negative_has_no_negative_end() {
    let found = record(&|slice| {
        if let Some(used) = slice.measured.subject.as_mut() {
            used.gc_ns = Some(if slice.block == 1 { 0 } else { 3_000_000 * u64::from(slice.block == 2) });
            used.gc_count = Some(1);
        }
        true
    });
    let share = figure(&found, "nio", "gc_time_share").estimate.as_ref().expect("a figure");
    assert!(share.point > 0.0 && share.low == Some(0.0), "{share:?}");
}

#[test]
fn errors_stand_in_the_second_column_and_empty_columns_nowhere() {
    let found = record(&|slice| {
        slice.measured.subject = None;
        true
    });
    let drawn = markdown(&found);
    let header = drawn.lines().find(|line| line.starts_with("| variant")).expect("a table");
    assert!(header.starts_with("| variant | errors | loop | throughput |"), "{header}");
    assert!(!header.contains("cpu"), "{header}");
    assert!(markdown(&result(CASE)).contains(" cpu\\_per\\_request |"), "there it has values");
}
