//! Sentences about figures over starts.

use super::interval;
use crate::number;
use proofload_language::{say, word};
use proofload_store::schema::{Estimate, Replication};

/// Column of how many starts the figures of a row rest on; of running processes it is blocks.
pub fn starts_column(replication: &Replication) -> &'static str {
    if *replication == Replication::Process {
        word!("starts-column-blocks")
    } else {
        word!("starts-column-starts")
    }
}

/// So many; of one alone there is no interval.
pub fn starts_cell(n: u32) -> String {
    if n == 1 { word!("starts-cell").to_string() } else { n.to_string() }
}

/// A figure with its interval between starts; marked where it is rough, and where it rests on fewer starts than the
/// others of its row.
pub fn over_starts(
    estimate: &Estimate,
    rough: bool,
    fewer: Option<u32>,
    replication: &Replication,
) -> String {
    let figure = match (rough, estimate.low) {
        (true, _) => format!("≈ {}", number::with_unit(estimate.point, &estimate.unit)),
        (false, Some(_)) => interval(estimate),
        (false, None) => number::with_unit(estimate.point, &estimate.unit),
    };
    match fewer {
        None => figure,
        Some(n) => say!("over-starts", figure, n, restarted = *replication != Replication::Process),
    }
}

/// A figure that may be a lower end.
pub fn bounded(is_lower_end: bool, figure: String) -> String {
    if is_lower_end { format!("≥ {figure}") } else { figure }
}

/// A variant at a load point.
pub fn at(variant: &str, point: &str) -> String {
    format!("{variant} @ {point}")
}
