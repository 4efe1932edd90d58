//! Objectives: `p99 < 50ms, errors < 0.1%`.

use crate::{Comparison, Measure, Names, Selector, Side, Term, parse_claim};
use proofload_facts::{Expected, Mistake, Thing};

/// Share of the load that may be missing in a trial that passes: of the planned requests 99 % are sent, and of those in
/// the window 99 % come to an end.
pub const SHORTFALL_MAX: f64 = 0.01;
/// The condition on errors where an objective has none: a fast error page carries no load.
const ERRORS_UNSAID: &str = "errors <= 0.1%";
/// Most terms.
const TERMS_MAX: usize = 16;

/// Conditions that have to hold for a rate to be carried.
#[derive(Clone, Debug, PartialEq)]
pub struct Slo {
    pub terms: Vec<SloTerm>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SloTerm {
    pub text: String,
    pub measure: Measure,
    /// Limit, in the measure's base unit.
    pub limit: f64,
    /// True if the limit itself is allowed.
    pub inclusive: bool,
}

impl SloTerm {
    /// True if a value is within the limit.
    pub fn holds(&self, value: f64) -> bool {
        if self.inclusive { value <= self.limit } else { value < self.limit }
    }
}

impl Slo {
    /// Its terms as they were written, what was left unsaid among them.
    pub fn texts(&self) -> Vec<String> {
        self.terms.iter().map(|term| term.text.clone()).collect()
    }
}

/// Reads an objective: conditions that all have to hold, each `measure < constant`, with commas between. `errors` with a
/// percentage is their share. Without a condition on errors, at most 0.1 % are allowed.
///
/// # Errors
/// Every mistake, a sentence each with what to write instead.
pub fn parse_slo(texts: &[String]) -> Result<Slo, Vec<Mistake>> {
    let parts: Vec<&str> = texts.iter().flat_map(|text| text.split(',')).map(str::trim).collect();
    let mut mistakes = Vec::new();
    if parts.iter().all(|part| part.is_empty()) {
        return Err(vec![Mistake::Empty { form: "'p99 < 50ms, errors < 0.1%'".to_string() }]);
    }
    if parts.len() > TERMS_MAX {
        return Err(vec![Mistake::too_many(Thing::Condition, parts.len(), TERMS_MAX)]);
    }
    let read = |part: &&str| term(part).map_err(|found| mistakes.extend(found)).ok();
    let mut terms: Vec<SloTerm> = parts.iter().filter(|part| !part.is_empty()).filter_map(read).collect();
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    if !terms.iter().any(|term| matches!(term.measure, Measure::Errors | Measure::ErrorShare)) {
        terms.extend(term(ERRORS_UNSAID));
    }
    Ok(Slo { terms })
}

fn term(text: &str) -> Result<SloTerm, Vec<Mistake>> {
    let names = Names {
        variants: vec![Selector { name: "the server".to_string(), levels: Vec::new() }],
        points: vec!["1/s".to_string()],
        ..Names::default()
    };
    // `errors` is a count; a share of them is what people mean by a percentage.
    let claim = match text.contains('%') && text.contains("errors") {
        true => text.replace("errors", "error_share"),
        false => text.to_string(),
    };
    let parsed = parse_claim(text, &claim, &names);
    let claims = parsed.map_err(|errors| -> Vec<Mistake> {
        errors.into_iter().map(|error| error.mistake.at(format!("`{text}`"))).collect()
    })?;
    let unfit = || vec![Mistake::not(format!("`{text}`"), Expected::Objective, "p99 < 50ms, errors < 0.1%")];
    let text = text.to_string();
    let claim = claims.first().ok_or_else(unfit)?;
    let (Side::Measured { factor, term: Term::Of { measure, .. }, .. }, Side::Constant(limit)) =
        (&claim.left, &claim.right)
    else {
        return Err(unfit());
    };
    let inclusive = match claim.comparison {
        Comparison::Less => false,
        Comparison::AtMost => true,
        Comparison::Equal if *limit == 0.0 => true,
        _ => return Err(vec![Mistake::NoUpperLimit { text }]),
    };
    let is_time = measure.ranks_unended();
    if !is_time && !matches!(measure, Measure::Errors | Measure::ErrorShare) {
        return Err(vec![Mistake::NotOfObjectives { text, measure: measure.name() }]);
    }
    let limit = limit / factor;
    if !limit.is_finite() || limit < 0.0 || (is_time && limit == 0.0) {
        return Err(vec![Mistake::NeverHolds { text }]);
    }
    Ok(SloTerm { text, measure: *measure, limit, inclusive })
}
