//! Sentences about figures over starts.

use super::interval;
use crate::number;
use proofload_store::schema::{Estimate, Replication};

/// Most places that are named in one sentence.
const PLACES_TOLD_MAX: usize = 3;

/// Column of how many starts the figures of a row rest on; of running processes it is blocks.
pub fn starts_column(replication: &Replication) -> &'static str {
    if *replication == Replication::Process { "blocks" } else { "starts" }
}

/// So many; of one alone there is no interval.
pub fn starts_cell(n: u32) -> String {
    if n == 1 { "1, no interval".to_string() } else { n.to_string() }
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
        Some(1) if *replication == Replication::Process => format!("{figure}, 1 block"),
        Some(1) => format!("{figure}, 1 start"),
        Some(n) => format!("{figure}, {n} {}", starts_column(replication)),
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
    format!(
        "the interval is wider by {} for what the generator, late or busy, may have done to it",
        number::percent(share)
    )
}

/// What a small number of errors is worth.
pub fn seen_only(exchanges: u64, upper: f64, starts: u64, upper_starts: f64) -> String {
    let (exchanges, upper) = (number::count(exchanges), number::percent(upper));
    match starts {
        0 | 1 => format!(
            "holds for the {exchanges} exchanges of one start that were seen; with 95 % confidence, less than {upper} of its \
             exchanges fail, and another start may differ"
        ),
        _ => format!(
            "holds for the {exchanges} exchanges of {starts} starts that were seen; with 95 % confidence, less than {upper} of \
             such exchanges fail, and less than {} of starts see an error",
            number::percent(upper_starts)
        ),
    }
}

/// The rank of a quantile lies among exchanges without an end.
pub fn lower_end(measure: &str, variant: &str, unanswered: u64, unsent: u64) -> String {
    let what = [(unanswered, "never answered"), (unsent, "never sent")];
    let said: Vec<String> = what
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", number::count(*n)))
        .collect();
    format!("{measure} of {variant} is a lower end: of its requests {} rank beyond it", said.join(" and "))
}

/// Too few exchanges lie beyond a quantile.
pub fn not_resolvable(measure: &str, fewest: u64, need: u64) -> String {
    format!("{measure} is not resolvable where it is marked ≈: {}", few_beyond(fewest, need))
}

/// The same of one variant.
pub fn unresolved(measure: &str, variant: &str, fewest: u64, need: u64) -> String {
    format!("{measure}({variant}) is not resolvable: {}", few_beyond(fewest, need))
}

fn few_beyond(fewest: u64, need: u64) -> String {
    format!(
        "as few as {} exchanges of a start lie beyond it, {need} are needed; make the starts longer",
        number::count(fewest)
    )
}

/// What a start leaves open is more than half of what lies between starts.
pub fn longer_starts(measure: &str, places: &[String]) -> String {
    let named = places.iter().take(PLACES_TOLD_MAX).cloned().collect::<Vec<_>>().join(", ");
    let more = match places.len().saturating_sub(PLACES_TOLD_MAX) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!(
        "measuring longer per start would narrow {measure} of {named}{more}: within-start noise exceeds half the \
         spread between starts"
    )
}
