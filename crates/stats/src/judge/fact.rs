//! Claims about counts over all exchanges seen: `errors(x) == 0`.

use super::evaluation::{Evaluation, Progress, not_measured};
use super::guard;
use super::series::Series;
use crate::{Comparison, Design, Estimate, Reason, SeenErrors, Side};

/// Confidence of the bound that is reported beside a count.
const CONFIDENCE: f64 = 0.95;

/// Counts in the complete blocks, and in those that the variant did not get through.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    exchanges: u64,
    errors: u64,
    /// Of the errors, those of the generator's own making.
    own: u64,
    /// Of the errors, those of blocks that the variant did not get through.
    lost: u64,
    /// Starts that were seen, and those with an error.
    starts: u64,
    failed: u64,
}

impl Counted {
    fn of(series: &Series<'_>, progress: Progress) -> Counted {
        let mut counted = Counted::default();
        for cell in series.cells.iter().take(progress.blocks as usize).flatten().flatten() {
            counted.add(cell.finished, cell.errors, cell.own_errors);
        }
        let errors = counted.errors;
        for start in series.lost.iter().filter(|start| start.block <= progress.begun) {
            let place = |seen: &&SeenErrors| {
                series.trials.iter().any(|trial| (trial.point, trial.stream) == (seen.point, seen.stream))
            };
            for seen in start.seen.iter().filter(place) {
                counted.add(seen.finished, seen.errors, seen.own_errors);
            }
        }
        Counted { lost: counted.errors - errors, ..counted }
    }

    fn add(&mut self, exchanges: u64, errors: u64, own: u64) {
        self.exchanges = self.exchanges.saturating_add(exchanges);
        self.errors = self.errors.saturating_add(errors);
        self.own = self.own.saturating_add(own);
        self.starts += u64::from(exchanges > 0);
        self.failed += u64::from(errors > 0);
    }
}

/// Judges a count. It takes no part in the error rate: it reports the count, with bounds. The count is valid, however
/// busy the generator or the machine was: only errors of the generator's own making are excused, and only blocks that
/// were lost may hide some.
pub(super) fn evaluate(series: &Series<'_>, design: &Design, progress: Progress) -> Evaluation {
    let counted = Counted::of(series, progress);
    let mut guards = guard::of_blocks(series, progress.blocks, progress.begun);
    let mut evaluation = Evaluation::empty(progress.blocks, CONFIDENCE);
    if counted.exchanges == 0 {
        evaluation.reasons = guards;
        if progress.blocks == 0 {
            evaluation.reasons.push(Reason::NoData);
        }
        evaluation.reasons.extend(not_measured(series, progress.blocks));
        return evaluation;
    }
    let seen = counted.errors as f64;
    evaluation.estimate =
        Some(Estimate { point: seen, low: seen, high: seen, unit: "count", hodges_lehmann: seen });
    let first = design.looks.first().copied().unwrap_or(u32::MAX).max(2);
    if counted.own > 0 {
        guards.insert(0, Reason::OwnErrors { errors: counted.own });
    }
    let (holds, permanent) = compare(series, (counted.errors - counted.own) as f64);
    if permanent {
        (evaluation.decided, evaluation.permanent) = (Some(holds), true);
    } else if progress.blocks < first {
        evaluation.reasons = vec![guard::too_few(design, progress.blocks)];
        evaluation.reasons.extend(guards);
    } else if !guards.is_empty() {
        evaluation.reasons = guards;
    } else {
        evaluation.decided = Some(holds);
    }
    if counted.lost > 0 {
        evaluation.reasons.push(Reason::InLostBlocks { errors: counted.lost });
    }
    if evaluation.decided != Some(false) {
        evaluation.reasons.push(seen_only(counted.exchanges, counted.errors, counted.starts, counted.failed));
    }
    evaluation
}

/// Bounds that follow from no errors, or a small number of them. Exchanges of one start are not independent evidence
/// for another start: the number of exchanges gives one bound, the number of starts the other.
pub(super) fn seen_only(exchanges: u64, errors: u64, starts: u64, failed: u64) -> Reason {
    Reason::SeenOnly {
        exchanges,
        upper: upper_share(errors, exchanges),
        starts,
        upper_starts: upper_share_of_few(failed, starts),
    }
}

/// The 95 % upper bound of the share of starts with an error: exact where none had one, else that of a Poisson mean.
fn upper_share_of_few(failed: u64, starts: u64) -> f64 {
    match failed {
        0 => 1.0 - (1.0 - CONFIDENCE).powf(1.0 / starts.max(1) as f64),
        _ => upper_share(failed, starts),
    }
}

/// True if the count is as claimed; and true if more errors, which are all that can come, cannot change that.
fn compare(series: &Series<'_>, seen: f64) -> (bool, bool) {
    let Side::Constant(constant) = series.claim.right else { return (false, false) };
    let factor = match series.claim.left {
        Side::Measured { factor, .. } => factor,
        Side::Constant(_) => 1.0,
    };
    let seen = factor * seen;
    match series.claim.comparison {
        Comparison::Greater => (seen > constant, seen > constant),
        Comparison::AtLeast => (seen >= constant, seen >= constant),
        Comparison::Less => (seen < constant, seen >= constant),
        Comparison::AtMost => (seen <= constant, seen > constant),
        Comparison::Equal => (seen == constant, seen > constant),
        Comparison::Within(share) => {
            let (bottom, top) = (constant / (1.0 + share), constant * (1.0 + share));
            (seen >= bottom && seen <= top, seen > top)
        }
    }
}

/// The 95 % upper bound of the share of errors: 3/n when none was seen, else that of a Poisson mean by the
/// approximation of Wilson and Hilferty, which is good to 0.4 % from one error on.
pub(super) fn upper_share(errors: u64, exchanges: u64) -> f64 {
    /// 95 % quantile of the standard normal distribution.
    const Z: f64 = 1.644_853_626_951_472_7;
    let exchanges = exchanges.max(1) as f64;
    if errors == 0 {
        return (3.0 / exchanges).min(1.0);
    }
    let next = errors as f64 + 1.0;
    let mean = next * (1.0 - 1.0 / (9.0 * next) + Z / (3.0 * next.sqrt())).powi(3);
    (mean / exchanges).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::{upper_share, upper_share_of_few};

    /// Exact 95 % upper limits of a Poisson mean from printed tables: 1 seen 4.744, 5 seen 10.51, 10 seen
    /// 16.96.
    #[test]
    fn the_upper_bound_of_an_error_share_is_that_of_the_poisson_tables() {
        assert_eq!(upper_share(0, 3_000), 0.001);
        for (seen, limit) in [(1, 4.744), (5, 10.513), (10, 16.962)] {
            assert!((upper_share(seen, 1_000_000) * 1e6 / limit - 1.0).abs() < 4e-3, "{seen}");
        }
        assert_eq!(upper_share(0, 0), 1.0);
        assert_eq!(upper_share(5, 5), 1.0);
        // Four starts without an error: 1 - 0.05^(1/4).
        assert!((upper_share_of_few(0, 4) - 0.5271).abs() < 1e-4);
        assert!((upper_share_of_few(0, 1) - 0.95).abs() < 1e-9);
    }
}
