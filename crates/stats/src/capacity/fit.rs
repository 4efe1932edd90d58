//! Fit of all trials together: the rate at which passing turns into failing.
//!
//! The chance that a trial at a rate passes falls along a logistic curve over the logarithm of the rate; the capacity is
//! where the curve is at its middle. How wide the curve is, is unknown too: it is as likely as another of a list of widths
//! that reaches from a hard limit to a server whose capacity differs by a tenth from trial to trial. Trials also fail for
//! reasons that have nothing to do with the rate, and rarely pass for such: both are allowed for, so that one stray trial
//! far from the others moves nothing. The interval is the 95 % credible one (of the posterior of a flat prior on the
//! logarithm of the capacity, the widths averaged over). Unlike a likelihood's interval it does not collapse when
//! all passes lie below all failures, as they often do after twenty trials.

use super::{Outcome, Trial};

/// Share of trials that fail whatever the rate is.
const STRAY_FAIL: f64 = 0.04;
/// Share of trials that pass whatever the rate is.
const STRAY_PASS: f64 = 0.01;
/// Widths of the curve (scale of the logistic in logarithms of the rate) that are taken as equally likely.
const SCALES: [f64; 7] = [0.004, 0.007, 0.012, 0.02, 0.03, 0.045, 0.07];
/// Grid of the capacity, in logarithms.
const STEP: f64 = 0.002;
/// Distance of the capacity beyond the trials that is allowed for.
const BEYOND: f64 = 0.3;
/// Most steps: a range of a factor of 50 around the turn.
const STEPS_MAX: usize = 2_000;
/// Probability that the interval leaves out on each side.
const TAIL: f64 = 0.025;

/// The capacity as the trials have it, per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Lower end of the 95 % interval.
    pub low: f64,
    pub point: f64,
    pub high: f64,
}

/// Passes and failures at one rate.
struct Tally {
    ln_rate: f64,
    passed: f64,
    failed: f64,
}

/// Fits all trials that tell anything; `None` when none does.
pub fn fit(trials: &[Trial]) -> Option<Fit> {
    let tallies = tallies(trials);
    let (from, to) = window(&tallies)?;
    let steps = (((to - from) / STEP).ceil() as usize + 1).min(STEPS_MAX);
    let step = (to - from) / (steps - 1).max(1) as f64;
    let mut likely = vec![f64::NEG_INFINITY; steps * SCALES.len()];
    for (at, slot) in likely.iter_mut().enumerate() {
        let (place, scale) = (at / SCALES.len(), SCALES[at % SCALES.len()]);
        *slot = log_likelihood(&tallies, from + place as f64 * step, scale);
    }
    let most = likely.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> =
        likely.chunks(SCALES.len()).map(|row| row.iter().map(|l| (l - most).exp()).sum()).collect();
    let total: f64 = weights.iter().sum();
    let quantile = |share: f64| {
        let mut sum = 0.0;
        for (place, weight) in weights.iter().enumerate() {
            if sum + weight >= share * total {
                let within = (share * total - sum) / weight - 0.5;
                return (from + (place as f64 + within) * step).exp();
            }
            sum += weight;
        }
        to.exp()
    };
    Some(Fit { low: quantile(TAIL), point: quantile(0.5), high: quantile(1.0 - TAIL) })
}

fn tallies(trials: &[Trial]) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = Vec::new();
    for trial in trials.iter().filter(|trial| trial.rate_per_s > 0.0) {
        let ln_rate = trial.rate_per_s.ln();
        let (passed, failed) = match trial.outcome {
            Outcome::Pass => (1.0, 0.0),
            Outcome::Fail => (0.0, 1.0),
            Outcome::Limited(_) => continue,
        };
        match tallies.iter_mut().find(|tally| (tally.ln_rate - ln_rate).abs() < 1e-9) {
            Some(tally) => {
                tally.passed += passed;
                tally.failed += failed;
            }
            None => tallies.push(Tally { ln_rate, passed, failed }),
        }
    }
    tallies
}

/// Range of rates to search for the capacity: around the rates between the lowest failure and the highest pass, which
/// need not lie in this order.
fn window(tallies: &[Tally]) -> Option<(f64, f64)> {
    let all = || tallies.iter().map(|tally| tally.ln_rate);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if !least.is_finite() {
        return None;
    }
    let passed = tallies.iter().filter(|t| t.passed > 0.0).map(|t| t.ln_rate).fold(least, f64::max);
    let failed = tallies.iter().filter(|t| t.failed > 0.0).map(|t| t.ln_rate).fold(most, f64::min);
    Some((passed.min(failed) - BEYOND, passed.max(failed) + BEYOND))
}

fn log_likelihood(tallies: &[Tally], ln_capacity: f64, scale: f64) -> f64 {
    let of = |tally: &Tally| {
        let curve = 1.0 / (1.0 + ((tally.ln_rate - ln_capacity) / scale).exp());
        let passes = STRAY_PASS + (1.0 - STRAY_PASS - STRAY_FAIL) * curve;
        tally.passed * passes.ln() + tally.failed * (1.0 - passes).ln()
    };
    tallies.iter().map(of).sum()
}
