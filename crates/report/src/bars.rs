//! Intervals of claims as bars, each beside what is claimed; those of ratios on one scale, so that they can be compared.

use crate::shown::{Bar, Mark};
use crate::{messages, number};
use proofload_analysis::restore;
use proofload_stats::{Claim, Comparison, Names, parse_claim};
use proofload_store::schema::{ClaimResult, Estimate, Plan, RunResult};

/// Ends that a scale may have, of each power of ten.
const ENDS: [f64; 18] =
    [1.0, 1.05, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 9.5, 10.0];

/// Factor by which a scale extends beyond the values on it.
const MARGIN: f64 = 1.02;

/// Labels closer than this share of the scale would touch.
const APART_MIN: f64 = 0.13;

const RATIO: &str = "ratio";

/// A logarithmic scale between two values above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    from: f64,
    to: f64,
}

impl Scale {
    /// One on which these values lie; `None` without a value.
    fn around(values: impl Iterator<Item = f64>) -> Option<Scale> {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|value| *value > 0.0 && value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        let scale = Scale { from: end_below(low / MARGIN), to: end_above(high * MARGIN) };
        (scale.from > 0.0 && scale.to.is_finite() && scale.from < scale.to).then_some(scale)
    }

    fn place(&self, value: f64) -> f64 {
        let place = (value / self.from).ln() / (self.to / self.from).ln();
        if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) }
    }
}

fn end_below(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    ENDS.iter().rev().map(|end| end * power).find(|end| *end <= value).unwrap_or(power)
}

fn end_above(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    ENDS.iter().map(|end| end * power).find(|end| *end >= value).unwrap_or(power * 10.0)
}

/// An interval, and the values for which the claim holds.
struct Shown<'a> {
    estimate: &'a Estimate,
    low: f64,
    high: f64,
    holds: (f64, f64),
}

impl Shown<'_> {
    fn of<'a>(result: &'a ClaimResult, claim: &Claim) -> Option<Shown<'a>> {
        let estimate = result.estimate.as_ref().filter(|found| found.point > 0.0)?;
        let (low, high) = (estimate.low.filter(|low| *low > 0.0)?, estimate.high?);
        if claim.is_of_a_count() || messages::is_difference(&estimate.unit) || messages::is_wide(low, high) {
            return None;
        }
        let boundary = messages::boundary(claim, false);
        let holds = match claim.comparison {
            Comparison::Greater | Comparison::AtLeast => (boundary, f64::INFINITY),
            Comparison::Less | Comparison::AtMost => (0.0, boundary),
            Comparison::Equal => (boundary, boundary),
            Comparison::Within(band) => (boundary / (1.0 + band), boundary * (1.0 + band)),
        };
        (boundary > 0.0 && boundary.is_finite()).then_some(Shown { estimate, low, high, holds })
    }

    fn is_ratio(&self) -> bool {
        self.estimate.unit == RATIO
    }

    fn values(&self) -> impl Iterator<Item = f64> + use<> {
        let one = if self.is_ratio() { 1.0 } else { self.estimate.point };
        [self.low, self.estimate.point, self.high, self.holds.0, self.holds.1, one].into_iter()
    }

    fn on(&self, scale: Scale) -> Bar {
        let label = |value: f64| number::short(value, &self.estimate.unit);
        let inside = |value: &f64| *value > 0.0 && value.is_finite();
        let one = self.is_ratio().then_some(1.0);
        // The claimed bounds come first where there is no room for all labels.
        let asked = [self.holds.0, self.holds.1].into_iter().filter(inside);
        let mut marks: Vec<Mark> = Vec::new();
        for value in asked.chain(one).chain([scale.from, scale.to]) {
            let place = scale.place(value);
            if marks.iter().all(|mark| (mark.place - place).abs() >= APART_MIN) {
                marks.push(Mark { place, label: label(value) });
            }
        }
        let holds = (Some(self.holds.0).filter(inside), Some(self.holds.1).filter(inside));
        Bar {
            low: scale.place(self.low),
            point: scale.place(self.estimate.point),
            high: scale.place(self.high),
            holds: (holds.0.map_or(0.0, |from| scale.place(from)), holds.1.map_or(1.0, |to| scale.place(to))),
            one: one.map(|one| scale.place(one)),
            marks,
            told: messages::bar(
                &messages::interval(self.estimate),
                [&label(scale.from), &label(scale.to)],
                [holds.0.map(label).as_deref(), holds.1.map(label).as_deref()],
            ),
        }
    }
}

/// A claim about a ratio, with its interval and from where to where the claim holds; `None` where it has no end.
pub(crate) struct Ratio {
    pub claim: ClaimResult,
    pub point: f64,
    pub low: f64,
    pub high: f64,
    pub holds: (Option<f64>, Option<f64>),
}

/// The claims whose quantity is a ratio with an interval.
pub(crate) fn ratios(result: &RunResult) -> Vec<Ratio> {
    let inside = |value: f64| Some(value).filter(|value| *value > 0.0 && value.is_finite());
    let claims = crate::headline::shown(result);
    let ratio = |(claim, shown): (&ClaimResult, Option<Shown<'_>>)| {
        let shown = shown.filter(Shown::is_ratio)?;
        let holds = (inside(shown.holds.0), inside(shown.holds.1));
        Some(Ratio {
            claim: claim.clone(),
            point: shown.estimate.point,
            low: shown.low,
            high: shown.high,
            holds,
        })
    };
    let shown = shown(result.plan.as_ref(), &claims);
    claims.iter().zip(shown).filter_map(ratio).collect()
}

/// A bar for each of some claims of a plan whose interval can be drawn on a logarithmic scale.
pub(crate) fn bars_of(plan: Option<&Plan>, results: &[ClaimResult]) -> Vec<Option<Bar>> {
    let shown = shown(plan, results);
    let ratios = Scale::around(shown.iter().flatten().filter(|one| one.is_ratio()).flat_map(Shown::values));
    let bar = |shown: &Option<Shown<'_>>| {
        let shown = shown.as_ref()?;
        let scale = if shown.is_ratio() { ratios? } else { Scale::around(shown.values())? };
        Some(shown.on(scale))
    };
    shown.iter().map(bar).collect()
}

/// The picture of each claim: its estimate and bounds; `None` where it has none.
fn shown<'a>(plan: Option<&Plan>, results: &'a [ClaimResult]) -> Vec<Option<Shown<'a>>> {
    let (names, claims) = match plan.map(restore) {
        Some(Ok((names, claims, _))) => (names, claims),
        _ => (Names::default(), Vec::new()),
    };
    let claim_of = |at: usize, judged: &ClaimResult| {
        let planned = claims.get(at).filter(|claim| claim.text == judged.text).cloned();
        // A threshold that was asked for afterwards is in no plan.
        planned.or_else(|| parse_claim(&judged.name, &judged.text, &names).ok()?.into_iter().next())
    };
    results.iter().enumerate().map(|(at, judged)| Shown::of(judged, &claim_of(at, judged)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_at_numbers_that_are_easily_read() {
        let ends = |values: &[f64]| {
            let scale = Scale::around(values.iter().copied()).expect("a scale");
            (number::short(scale.from, RATIO), number::short(scale.to, RATIO))
        };
        let told = |from: &str, to: &str| (from.to_string(), to.to_string());
        assert_eq!(ends(&[1.04, 1.15, 1.05, 1.0]), told("×0.95", "×1.2"));
        assert_eq!(ends(&[1.0]), told("×0.95", "×1.05"));
        assert_eq!(ends(&[0.02, 241.0, 1.0]), told("×0.0175", "×250"));
        assert_eq!(Scale::around([0.0, f64::INFINITY].into_iter()), None);
    }
}
