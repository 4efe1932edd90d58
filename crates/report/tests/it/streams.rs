//! Streams: figures of one are of that one alone.

use crate::made::{CASE, SECOND, answering, plan, slice};
use proofload_report::{of_run, text};
use proofload_store::schema::{Environment, Plan, PlannedClaim, RunResult, StreamLoad};
use proofload_store::{Run, RunWriter};

/// A record of two streams, the first with twice as many exchanges; `took_ns` returns the duration of each
/// exchange by cycle and block.
fn streamed(claims: &[&str], took_ns: &dyn Fn(u64, u64) -> u64) -> RunResult {
    let claim = |text: &&str| PlannedClaim { name: text.to_string(), text: text.to_string() };
    let load = |stream: &str, model: &str| StreamLoad {
        stream: stream.into(),
        model: model.into(),
        ..StreamLoad::default()
    };
    let mut plan = Plan {
        streams: vec!["fast".into(), "slow".into()],
        claims: claims.iter().map(claim).collect(),
        ..plan(CASE)
    };
    plan.points[0].model = "mixed".into();
    plan.points[0].streams = vec![load("fast", "open"), load("slow", "closed")];
    let root = tempfile::tempdir().expect("a directory");
    let mut record =
        RunWriter::create(root.path(), &plan, &Environment::default(), SECOND).expect("a record");
    for block in 1..=CASE.blocks {
        let mut writer = record.begin_block(block).expect("a block");
        for (cycle, variant) in [(1, 0), (1, 1), (2, 1), (2, 0)] {
            for (stream, exchanges) in [("fast", 20_000), ("slow", 10_000)] {
                let mut slice = slice(CASE, block, cycle, variant);
                answering(&mut slice, exchanges, &|_| took_ns(cycle.into(), block.into()));
                slice.measured.stream = stream.into();
                slice.measured.subject = slice.measured.subject.filter(|_| stream == "fast");
                writer.append(&slice).expect("written");
            }
        }
        writer.finish().expect("whole");
    }
    of_run(&Run::open(record.path()).expect("readable")).expect("a result")
}

#[test]
fn a_quantile_of_a_stream_is_of_the_responses_and_the_loop_of_that_stream() {
    let found = streamed(&["p99[fast](nio2) < 50ms", "p99(nio2) < 50ms"], &|_, _| 10_000);
    for (claim, said) in
        found.claims.iter().zip(["open loop, 160,000 responses", "mixed loop, 240,000 responses"])
    {
        assert!(claim.sentence.contains(said), "{said} is not in {}", claim.sentence);
    }
}

#[test]
fn starts_that_are_too_short_are_named_with_their_stream() {
    let found = streamed(&[], &|cycle, block| cycle * 1_000_000 + block * 10_000);
    let said = text(&found, false);
    let expected = "measuring longer per start would narrow p50 of nio @ 64c, nio [fast] @ 64c, nio [slow] @ 64c and 3 more:";
    assert!(said.contains(expected), "{said}");
}
