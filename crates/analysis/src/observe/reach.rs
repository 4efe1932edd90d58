//! Reach of the error of a generator that had too little of its CPU.
//!
//! It follows from four figures of the record: the share of the time for which connections of a closed loop waited in
//! the generator (Little's law), the share for which a worker was kept from waking, and by how much its delays
//! lengthen the mean and the tail.

use super::Responses;
use crate::checks::lengthening;
use proofload_stats::{Measure, Reach, sample};
use proofload_store::schema::{CheckName, Model, Slice};

/// Factor between an estimated disturbance and its largest likely value: estimates scatter as the disturbance does.
const MARGIN: f64 = 2.0;

/// Share by which a server may at most be dearer or slower than seen with a busy generator: planted, docs/truth.md.
pub(super) const BUSY_MOVES: f64 = 0.10;

/// Distance of the cost of a request, either way, from that with a generator with time to spare, at the same rate.
pub(super) fn of_cost(slices: &[&Slice]) -> f64 {
    let away = median(slices, |slice| found(slice, &CheckName::Away));
    BUSY_MOVES.ln_1p() + if away.is_finite() { (MARGIN * away).ln_1p() } else { 0.0 }
}

/// Reach of a generator that always had something to do. It alone decided how much was asked then, so that the server may be any faster.
pub(super) fn of_busy(measure: Measure, slices: &[&Slice], times: &Responses) -> Reach {
    let moved = BUSY_MOVES.ln_1p();
    let is_closed = slices.iter().all(|slice| slice.measured.model == Model::Closed);
    match measure {
        Measure::Throughput if is_closed => Reach { below: moved, ..Reach::AT_LEAST },
        Measure::ResponseMean if is_closed => Reach { above: moved + median(slices, held), ..Reach::AT_MOST },
        Measure::ResponseQuantile(q) if is_closed => {
            // A pause hits what is in the server: perhaps one, where without the generator's limit it were all.
            let all = median(slices, |slice| f64::from(slice.measured.connections));
            let longer = times.longer(f64::from(q) / 10_000.0, all);
            Reach { above: moved + MARGIN * median(slices, held) + longer, ..Reach::AT_MOST }
        }
        _ => Reach::ANY,
    }
}

/// The server's own value of a measure lies within this of the measured one; infinite where nothing bounds it.
pub(super) fn of_lost_cpu(measure: Measure, slices: &[&Slice], times: &Responses) -> Reach {
    let is_closed = slices.iter().all(|slice| slice.measured.model == Model::Closed);
    let is_whole_open =
        slices.iter().all(|slice| slice.measured.model == Model::Open && slice.measured.unsent == 0);
    // An open loop asks what it was to ask; a closed one asks less, and its server had shorter queues.
    let held = if is_whole_open { 0.0 } else { median(slices, held) };
    let away = median(slices, |slice| found(slice, &CheckName::Away));
    match measure {
        Measure::Throughput if is_closed => {
            Reach { below: 0.0, above: held + late(Measure::ResponseMean, slices) }
        }
        Measure::ResponseMean if is_closed || is_whole_open => {
            Reach { below: late(measure, slices), above: held }
        }
        _ if measure.ranks_unended() && (is_closed || is_whole_open) => {
            let below = match measure {
                Measure::ResponseQuantile(q) if q < 9900 => {
                    times.shorter(f64::from(q) / 10_000.0, MARGIN * away)
                }
                _ => late(measure, slices),
            };
            Reach { below, above: MARGIN * held }
        }
        _ if measure.is_of_cpu_cost() => {
            let moved = (MARGIN * away).ln_1p();
            Reach { below: moved, above: moved }
        }
        _ => Reach::ANY,
    }
}

/// Decrease of a time without the generator's own delays.
fn late(measure: Measure, slices: &[&Slice]) -> f64 {
    let Some(name) = lengthening(measure) else { return f64::INFINITY };
    (MARGIN * median(slices, |slice| found(slice, &name))).ln_1p()
}

/// Value found by a check; infinite where it found nothing.
fn found(slice: &Slice, name: &CheckName) -> f64 {
    let check = slice.measured.generator.checks.iter().find(|check| check.check == *name);
    check.and_then(|check| check.found).map_or(f64::INFINITY, |found| found.max(0.0))
}

/// Increase of the request rate if no connection ever waited in the generator.
fn held(slice: &Slice) -> f64 {
    let measured = &slice.measured;
    let known =
        measured.throughput_per_s.zip(measured.service_time_ns.mean).filter(|_| measured.connections > 0);
    let in_use =
        known.map_or(0.0, |(per_s, mean_ns)| per_s * mean_ns / 1e9 / f64::from(measured.connections));
    (1.0 / in_use).ln().max(0.0)
}

/// The median of the slices: the value of a block.
fn median(slices: &[&Slice], of: impl Fn(&Slice) -> f64) -> f64 {
    let all: Vec<f64> = slices.iter().map(|slice| of(slice)).collect();
    sample::median(&all).unwrap_or(f64::INFINITY)
}
