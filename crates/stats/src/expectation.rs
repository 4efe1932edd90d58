//! Expectations: a range in which a quantity was expected to lie, declared before it was measured.
//!
//! A row is judged as a claim about the whole range, by the same judge as any claim. Beside it are published
//! figures, which are read here and never judged.

use crate::{
    Claim, ClaimError, Comparison, Judged, Measure, Names, Reason, Side, Term, Verdict, parse_claim,
};
use proofload_facts::{Expected, Mistake};

/// A row of a table of expectations, at a definite load point.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The quantity: `throughput(nio) @ 64c`.
    pub quantity: String,
    /// Smallest value expected, in the measure's base unit; `None` for any.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// The base unit: `per_s`, `ns`, `share`, `bytes`, `count`, `ratio`.
    pub unit: &'static str,
    /// Claims that are judged: one about the range, or one about each of its ends where the measure may be
    /// zero.
    pub claims: Vec<Claim>,
}

/// Outcome of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The interval lies within the range.
    Met,
    NotMet,
    Undecided,
}

impl Outcome {
    /// As it is written everywhere: `met`, `not met`, `undecided`.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Met => "met",
            Outcome::NotMet => "not met",
            Outcome::Undecided => "undecided",
        }
    }
}

impl Expectation {
    /// Outcome of the row, from the judgements of its claims; with the one of them that tells most.
    pub fn outcome<'a>(&self, judged: &'a [Judged]) -> (Outcome, Option<&'a Judged>) {
        let refuted = judged.iter().find(|judged| judged.verdict == Verdict::Refuted);
        let open = judged.iter().find(|judged| judged.verdict != Verdict::Supported);
        match (refuted, open, judged.first()) {
            (Some(refuted), ..) => (Outcome::NotMet, Some(refuted)),
            (_, Some(open), _) => (Outcome::Undecided, Some(open)),
            (_, _, Some(first)) => (Outcome::Met, Some(first)),
            (_, _, None) => (Outcome::Undecided, None),
        }
    }
}

/// Reasons of a row's outcome: those of all its claims, each once.
pub fn reasons_of(judged: &[Judged]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for reason in judged.iter().flat_map(|judged| &judged.reasons) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    reasons
}

const RANGE: &str = "8000/s..14000/s, 8000/s.., ..50ms";

/// Reads a row: `throughput(nio) @ 64c` and `8000/s..14000/s`, `8000/s..` or `..50ms`. Without `@` it becomes
/// one row for each load point.
///
/// # Errors
/// Every mistake that was found, with what to write instead. `at` counts bytes of the quantity; a mistake in
/// the range is behind it.
pub fn parse_expectation(
    quantity: &str,
    range: &str,
    names: &Names,
) -> Result<Vec<Expectation>, Vec<ClaimError>> {
    let quantity = quantity.trim();
    let behind = |mistake: Mistake| vec![ClaimError { mistake, at: quantity.len() + 1 }];
    let not_a_range = |found: &str| Mistake::not(format!("`{found}`"), Expected::Range, RANGE);
    let Some((low, high)) = range.split_once("..") else {
        return Err(behind(not_a_range(range.trim())));
    };
    let (low, high) = (low.trim(), high.trim());
    if low.is_empty() && high.is_empty() {
        return Err(behind(not_a_range(range.trim())));
    }
    let bound = |operator: &str, end: &str| match end {
        "" => Ok(None),
        end if !end.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') => {
            Err(behind(not_a_range(range.trim())))
        }
        end => parse_claim(quantity, &format!("{quantity} {operator} {end}"), names).map(Some),
    };
    let (lows, highs) = (bound(">=", low)?, bound("<=", high)?);
    let rows = lows.as_ref().or(highs.as_ref()).map_or(0, Vec::len);
    let mut expectations = Vec::new();
    for row in 0..rows {
        let at = |claims: &Option<Vec<Claim>>| claims.as_ref().and_then(|claims| claims.get(row)).cloned();
        expectations.push(
            expectation(quantity, range.trim(), at(&lows), at(&highs), names, rows > 1).map_err(behind)?,
        );
    }
    Ok(expectations)
}

fn is_plain(side: &Side) -> bool {
    matches!(side, Side::Measured { factor, .. } if *factor == 1.0)
}

fn expectation(
    quantity: &str,
    range: &str,
    low: Option<Claim>,
    high: Option<Claim>,
    names: &Names,
    several: bool,
) -> Result<Expectation, Mistake> {
    let either = low.as_ref().or(high.as_ref()).ok_or(Mistake::EveryValueFits)?.clone();
    let (Side::Measured { term, point, .. }, true) = (&either.left, is_plain(&either.left)) else {
        return Err(Mistake::ExpectationOfMeasure);
    };
    let constant = |claim: &Option<Claim>| match claim.as_ref().map(|claim| &claim.right) {
        Some(Side::Constant(value)) => Some(*value),
        _ => None,
    };
    let (from, to) = (constant(&low), constant(&high));
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(Mistake::EndsBeforeItBegins { found: range.to_string() });
    }
    let label = names.points.get(*point).filter(|_| several);
    let text = label.map_or_else(|| quantity.to_string(), |label| format!("{quantity} @ {label}"));
    let (unit, may_be_zero) = match term {
        Term::Of { measure, .. } => (measure.unit(), measure.may_be_zero()),
        Term::Ratio { .. } => ("ratio", false),
    };
    let with = |comparison: Comparison, right: f64| Claim {
        name: text.clone(),
        text: text.clone(),
        comparison,
        right: Side::Constant(right),
        ..either.clone()
    };
    let claims = match (from, to) {
        (Some(from), Some(to)) if from == to => vec![with(Comparison::Equal, from)],
        // Symmetric on the scale of ratios, on which such measures are judged.
        (Some(from), Some(to)) if from > 0.0 && !may_be_zero => {
            vec![with(Comparison::Within((to / from).sqrt() - 1.0), (from * to).sqrt())]
        }
        (from, to) => {
            // Counts, shares and sizes are never below zero, so nothing is tested there.
            let from = from.filter(|from| *from > 0.0).map(|from| with(Comparison::AtLeast, from));
            let to = to.map(|to| with(Comparison::AtMost, to));
            from.into_iter().chain(to).collect()
        }
    };
    if claims.is_empty() {
        return Err(Mistake::EveryValueFits);
    }
    Ok(Expectation { quantity: text, low: from, high: to, unit, claims })
}

/// A published figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    pub measure: Measure,
    /// Index into [`Names::variants`].
    pub variant: usize,
    /// Index into [`Names::points`].
    pub point: usize,
    /// Index into [`Names::streams`]; `None` is all of them together.
    pub stream: Option<usize>,
    /// Its value, in the measure's base unit.
    pub value: f64,
    /// The smallest value that is written like it: `0.6ms` means 0.55 ms to 0.65 ms.
    pub low: f64,
    pub high: f64,
}

/// Half of a unit of the last digit of a number as it is written, in units of the number.
fn half_a_digit(written: &str) -> f64 {
    let digits = written.trim_start();
    let end = digits.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(digits.len());
    let decimals = digits[..end].split_once('.').map_or(0, |(_, after)| after.len());
    0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX))
}

/// The value of one unit of a number as it is written: nanoseconds for `101ms`.
fn scale(written: &str, value: f64) -> f64 {
    let end = written.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(written.len());
    written[..end].parse().map_or(0.0, |number: f64| value / number)
}

/// Reads a published figure: `p99(ajp) @ 100c` and `101ms`.
///
/// # Errors
/// Every mistake that was found, with what to write instead.
pub fn parse_published(quantity: &str, value: &str, names: &Names) -> Result<Published, Vec<ClaimError>> {
    let (quantity, value) = (quantity.trim(), value.trim());
    let mistake = |mistake: Mistake| Err(vec![ClaimError { mistake, at: 0 }]);
    if !value.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
        return mistake(Mistake::NotAFigure);
    }
    let written = value;
    let claims = parse_claim(quantity, &format!("{quantity} >= {written}"), names)?;
    match claims.as_slice() {
        [Claim { left: Side::Measured { factor, term, point }, right: Side::Constant(value), .. }] => {
            match term {
                Term::Of { measure, variant, stream } if *factor == 1.0 && *value > 0.0 => {
                    let (measure, variant, point, stream) = (*measure, *variant, *point, *stream);
                    let rounded = half_a_digit(written) * scale(written, *value);
                    let (low, high) = (*value - rounded, *value + rounded);
                    Ok(Published { measure, variant, point, stream, value: *value, low, high })
                }
                _ => mistake(Mistake::NotAFigure),
            }
        }
        [] | [_] => mistake(Mistake::NotAFigure),
        _ => mistake(Mistake::FigureOfWhichPoint),
    }
}

#[cfg(test)]
mod tests;
