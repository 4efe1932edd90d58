//! Sentences about figures over starts.

use super::interval;
use crate::number;
use proofload_language::{say, word};
use proofload_store::schema::{Estimate, Replication};

/// Most places that are named in one sentence.
const PLACES_TOLD_MAX: usize = 3;

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

/// An interval knows of the generator's own delays.
pub fn widened(share: f64) -> String {
    say!("widened", share = number::percent(share))
}

/// What a small number of errors is worth.
pub fn seen_only(exchanges: u64, upper: f64, starts: u64, upper_starts: f64) -> String {
    let (exchanges, upper) = (number::count(exchanges), number::percent(upper));
    match starts {
        0 | 1 => say!("seen-only-holds-for-the-exchanges", exchanges, upper),
        _ => say!(
            "seen-only-holds-for-the-exchanges-of-starts",
            exchanges,
            starts,
            upper,
            upper_starts = number::percent(upper_starts)
        ),
    }
}

/// The rank of a quantile lies among exchanges without an end.
pub fn lower_end(measure: &str, variant: &str, unanswered: u64, unsent: u64) -> String {
    let what = [(unanswered, word!("lower-end-never-answered")), (unsent, word!("lower-end-never-sent"))];
    let said: Vec<String> = what
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", number::count(*n)))
        .collect();
    say!("lower-end-of-is-a-lower", measure, variant, said = said.join(word!("between-both")))
}

/// Too few exchanges lie beyond a quantile.
pub fn not_resolvable(measure: &str, fewest: u64, need: u64) -> String {
    say!("not-resolvable-is-not-resolvable-where", measure, few_beyond = few_beyond(fewest, need))
}

/// The same of one variant.
pub fn unresolved(measure: &str, variant: &str, fewest: u64, need: u64) -> String {
    say!("unresolved", measure, variant, few_beyond = few_beyond(fewest, need))
}

fn few_beyond(fewest: u64, need: u64) -> String {
    say!("few-beyond", fewest = number::count(fewest), need)
}

/// What a start leaves open is more than half of what lies between starts.
pub fn longer_starts(measure: &str, places: &[String]) -> String {
    let named = places.iter().take(PLACES_TOLD_MAX).cloned().collect::<Vec<_>>().join(word!("between-items"));
    let more = match places.len().saturating_sub(PLACES_TOLD_MAX) {
        0 => String::new(),
        n => say!("longer-starts-and-more", n),
    };
    say!("longer-starts-measuring-longer-per-start", measure, named, more)
}
