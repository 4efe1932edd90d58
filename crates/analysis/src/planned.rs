//! Declarations of a plan, parsed: names, claims, expectations, published figures, and the looks at which
//! they are judged.

use proofload_language::facts::told;
use proofload_language::tr;
use proofload_stats::{
    Between, Claim, ClaimError, ConditionNames, Design, Expectation, Kind, KnownSpread, LentSpread, Names,
    Published, Selector, parse_claim, parse_expectation, parse_published,
};
use proofload_store::schema::{Looking, Plan, PlannedCondition, PlannedExpectation, Variant};

/// A claim, an expectation or a published figure of a plan that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", tr!("plan-claim", claim, why))]
pub struct PlanError {
    /// The claim's name, or the quantity of the expectation or the figure.
    pub claim: String,
    /// Description of the fault.
    pub why: String,
}

impl PlanError {
    fn of(claim: &str, errors: &[ClaimError]) -> PlanError {
        PlanError {
            claim: claim.to_string(),
            why: errors.first().map(|error| told(&error.mistake)).unwrap_or_default(),
        }
    }
}

/// After which blocks the claims of this plan are judged; decided before its first block.
pub fn design_of(plan: &Plan) -> Design {
    let kind = if plan.timing.looking == Looking::Anytime { Kind::Anytime } else { Kind::Looks };
    let earlier = plan.earlier_sittings.iter().flat_map(|earlier| &earlier.claims);
    let known = earlier.map(|spread| KnownSpread {
        claim: spread.claim.clone(),
        between: Between {
            tau: spread.tau,
            freedom: spread.freedom.max(1.0),
            sittings: spread.sittings,
            of_means: spread.of_means,
        },
    });
    let lent = plan.lent.iter().map(|lent| LentSpread {
        claim: lent.claim.clone(),
        spread: lent.spread,
        relatives: lent.relatives,
    });
    Design {
        looks: plan.timing.looks.clone(),
        alpha: plan.alpha,
        kind,
        futility: plan.timing.futility,
        known: known.collect(),
        lent: lent.collect(),
        method: plan.method,
    }
}

/// Input of the judge from a plan: names, claims at definite load points, looks.
///
/// # Errors
/// Fails if a claim of the plan cannot be read.
pub fn restore(plan: &Plan) -> Result<(Names, Vec<Claim>, Design), PlanError> {
    let selector = |variant: &Variant| Selector {
        name: variant.name.clone(),
        levels: variant.levels.iter().map(|l| (l.factor.clone(), l.level.clone())).collect(),
    };
    let names = Names {
        variants: plan.variants.iter().map(selector).collect(),
        points: plan.points.iter().map(|point| point.label.clone()).collect(),
        streams: plan.streams.clone(),
        requests: plan.requests.clone(),
        journeys: plan.journeys.clone(),
        conditions: plan.conditions.iter().map(names_of).collect(),
    };
    let mut claims = Vec::new();
    for claim in &plan.claims {
        let parsed = parse_claim(&claim.name, &claim.text, &names)
            .map_err(|errors| PlanError::of(&claim.name, &errors))?;
        claims.extend(parsed);
    }
    Ok((names, claims, design_of(plan)))
}

fn names_of(condition: &PlannedCondition) -> ConditionNames {
    ConditionNames { name: condition.name.clone(), levels: condition.levels.clone() }
}

/// The expectations of a plan at definite load points, each with the declared row it comes from.
///
/// # Errors
/// Fails if a row of the plan cannot be read.
pub fn expectations_of<'a>(
    plan: &'a Plan,
    names: &Names,
) -> Result<Vec<(&'a PlannedExpectation, Expectation)>, PlanError> {
    let mut rows = Vec::new();
    for planned in &plan.expectations {
        let read = parse_expectation(&planned.quantity, &planned.range, names)
            .map_err(|errors| PlanError::of(&planned.quantity, &errors))?;
        rows.extend(read.into_iter().map(|row| (planned, row)));
    }
    Ok(rows)
}

/// The published figures of a plan, in the order of its references.
///
/// # Errors
/// Fails if one cannot be read.
pub fn published_figures(plan: &Plan, names: &Names) -> Result<Vec<Published>, PlanError> {
    let figures = plan.references.iter().flat_map(|reference| &reference.figures);
    figures
        .map(|figure| {
            parse_published(&figure.quantity, &figure.value, names)
                .map_err(|errors| PlanError::of(&figure.quantity, &errors))
        })
        .collect()
}
