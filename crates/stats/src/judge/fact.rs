//! Claims about counts over all exchanges seen: `errors(x) == 0`.

use super::evaluation::{Evaluation, Progress, not_measured};
use super::series::Series;
use crate::{Comparison, Design, Estimate, Reason, Side};

/// Confidence of the bound that is reported beside a count.
const CONFIDENCE: f64 = 0.95;

/// Judges a count. It takes no part in the error rate: it says what was seen, and how much that is worth.
pub(super) fn evaluate(
    series: &Series<'_>,
    design: &Design,
    progress: Progress,
    guards: Vec<Reason>,
) -> Evaluation {
    let (mut errors, mut exchanges) = (0_u64, 0_u64);
    for cell in series.cells.iter().take(progress.blocks as usize).flatten().flatten() {
        errors = errors.saturating_add(cell.errors);
        exchanges = exchanges.saturating_add(cell.finished);
    }
    let mut evaluation = Evaluation::empty(progress.blocks, CONFIDENCE);
    if exchanges == 0 {
        evaluation.reasons = guards;
        if progress.blocks == 0 {
            evaluation.reasons.push(Reason::NoData);
        }
        evaluation.reasons.extend(not_measured(series, progress.blocks));
        return evaluation;
    }
    let seen = errors as f64;
    evaluation.estimate =
        Some(Estimate { point: seen, low: seen, high: seen, unit: "count", hodges_lehmann: seen });
    let first = design.looks.first().copied().unwrap_or(u32::MAX).max(2);
    if progress.blocks < first {
        evaluation.reasons = vec![super::guard::too_few(design, progress.blocks)];
        evaluation.reasons.extend(guards);
    } else if !guards.is_empty() {
        evaluation.reasons = guards;
    } else {
        let (holds, permanent) = compare(series, seen);
        evaluation.decided = Some(holds);
        evaluation.permanent = permanent;
    }
    if evaluation.decided != Some(false) {
        evaluation.reasons.push(Reason::SeenOnly { exchanges, upper: upper_share(errors, exchanges) });
    }
    evaluation
}

/// Whether the count is as claimed, and whether more errors, which are all that can come, cannot change that.
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
    use super::upper_share;

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
    }
}
