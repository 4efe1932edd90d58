//! Records in, files for other programs out.

mod hgrm;
mod hostile;
mod jtl;
mod parquet;

use crate::made::{self, CASE, Case, SECOND, slice};
use proofload_store::schema::{Environment, RunResult, Slice, Telemetry};
use std::collections::BTreeMap;

/// A result with values in all metadata of a file.
fn result() -> RunResult {
    RunResult {
        study: "connectors".into(),
        run: "runs/connectors/latest".into(),
        replication: "start".into(),
        blocks: 2,
        environment: Environment { proofload: "0.1.0".into(), ..Environment::default() },
        plan: Some(made::plan(CASE)),
        variants: made::plan(CASE).variants,
        ..RunResult::default()
    }
}

/// A slice of a few exchanges: 20 answered in two seconds, two rejected, a time-out that was waited for 30 ms.
fn small(variant: usize, block: u32) -> Slice {
    let mut slice = slice(Case { ratio: 1.0, ..CASE }, block, 1, variant);
    made::answering(&mut slice, 20, &|i| 3_000_000 + i * 400_000);
    let mut waited = proofload_measure::LatencyHistogram::new();
    waited.record(30_000_000);
    slice.histograms.unended = waited.encode();
    slice.started_unix_ns += u64::from(block) * 10 * SECOND;
    let measured = &mut slice.measured;
    measured.seconds = 2.0;
    measured.per_second = vec![15, 5];
    measured.response_time_ns.unended = 1;
    measured.outcomes.extend([("rejected".into(), 2), ("timeout".into(), 1)]);
    measured.codes = BTreeMap::from([("200".into(), 20), ("503".into(), 2)]);
    (measured.bytes_received, measured.bytes_sent) = (1_000, 230);
    slice
}

/// The same with telemetry, and a sample that failed.
fn watched() -> Slice {
    let mut slice = small(0, 1);
    slice.measured.response_p50_per_second_ns = vec![Some(3_000_000), None];
    slice.telemetry = Some(Telemetry {
        period_ns: SECOND / 2,
        at_ns: vec![0, SECOND / 2],
        series: BTreeMap::from([("rss_bytes".into(), vec![Some(1 << 20), None])]),
        ..Telemetry::default()
    });
    slice
}
