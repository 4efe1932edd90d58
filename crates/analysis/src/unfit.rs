//! Evidence of the whole record against the generator.

use crate::checks::{concerns_tails_only, finding};
use crate::points::place_of;
use proofload_facts::{Finding, Limit};
use proofload_store::schema::{CheckName, CheckOutcome, FitnessCheck, Point};

/// Evidence of the whole record against the generator, for each variant and load point. Delays that lengthen times
/// are one limit, from the lowest quantile that they affect.
pub fn limits(points: &[Point]) -> Vec<Limit> {
    let mut limits = Vec::new();
    for point in points.iter().filter(|point| point.stream.is_empty()) {
        limits.extend(delays(point));
        for check in &point.generator.checks {
            // Self-checks of slices are reported with the slices.
            let tails_only = concerns_tails_only(&check.check);
            let of_record = tails_only || check.check == CheckName::Ceiling || is_perturbation(&check.check);
            let fails = |c: &FitnessCheck| c.check == CheckName::Ceiling && c.outcome == CheckOutcome::Failed;
            let fails_whole =
                check.check == CheckName::CeilingTail && point.generator.checks.iter().any(fails);
            let finding = finding(check).filter(|_| of_record && !fails_whole);
            let of_delays = |what: &Finding| matches!(what, Finding::TimesLengthened { .. });
            limits.extend(finding.filter(|what| !of_delays(what)).map(|what| Limit::GeneratorLimited {
                variant: point.variant.clone(),
                point: point.point.clone(),
                tails: tails_only,
                what,
            }));
        }
    }
    limits.extend(unresolved(points));
    limits
}

/// The lowest quantile that the generator's own delays lengthen by more than is allowed.
fn delays(point: &Point) -> Option<Limit> {
    let found = point.generator.checks.iter().filter_map(finding);
    let lengthened = found.filter_map(|finding| match finding {
        Finding::TimesLengthened { measure, longer_share, allowed_share } => {
            Some((measure, longer_share, allowed_share))
        }
        _ => None,
    });
    let (from, longer_share, allowed_share) = lengthened.min_by_key(|(measure, ..)| *measure)?;
    let (variant, point) = (point.variant.clone(), point.point.clone());
    Some(Limit::GeneratorDelays { variant, point, from, longer_share, allowed_share })
}

fn is_perturbation(check: &CheckName) -> bool {
    matches!(check, CheckName::PerturbedThroughput | CheckName::PerturbedP99)
}

/// Points at which the perturbation could neither acquit the generator nor show that it was the limit.
fn unresolved(points: &[Point]) -> Option<Limit> {
    let is_open = |check: &FitnessCheck| {
        let is_open = matches!(check.outcome, CheckOutcome::Unresolved | CheckOutcome::NotMeasured);
        is_perturbation(&check.check) && is_open
    };
    let whole = points.iter().filter(|point| point.stream.is_empty());
    let open: Vec<&Point> = whole.filter(|point| point.generator.checks.iter().any(is_open)).collect();
    let named = open.iter().filter(|point| !point.variant.is_empty());
    let places = named.map(|point| place_of(&point.variant, "", &point.point)).collect();
    (!open.is_empty()).then_some(Limit::ThreadsNotChecked { places })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::Generator;

    fn check(name: &str, outcome: &str, found: Option<f64>, unit: &str) -> FitnessCheck {
        FitnessCheck {
            check: name.into(),
            outcome: outcome.into(),
            found,
            limit: Some(0.7),
            unit: unit.into(),
            note: None,
        }
    }

    fn point(name: &str, checks: Vec<FitnessCheck>) -> Point {
        let generator = Generator { checks, ..Generator::default() };
        Point { variant: name.into(), point: "8c".into(), generator, ..Point::default() }
    }

    #[test]
    fn what_forbids_everything_is_said_once_and_what_forbids_tails_says_so() {
        let tail = check("ceiling_tail", "failed", Some(0.9), "share");
        let whole = vec![check("ceiling", "failed", Some(0.9), "share"), tail.clone()];
        assert_eq!(limits(&[point("a", whole)]).len(), 1);
        let alone = limits(&[point("a", vec![check("ceiling", "passed", Some(0.6), "share"), tail])]);
        assert!(matches!(alone[..], [Limit::GeneratorLimited { tails: true, .. }]), "{alone:?}");
    }

    #[test]
    fn where_the_perturbation_is_not_resolved_is_said() {
        let at = |name: &str, outcome: &str| {
            point(name, vec![check("perturbation_throughput", outcome, Some(1.0), "ratio")])
        };
        assert_eq!(limits(&[at("a", "passed"), point("b", Vec::new())]), []);
        let said = limits(&[at("a", "unresolved"), at("b", "passed"), at("c", "not_measured")]);
        assert_eq!(said, [Limit::ThreadsNotChecked { places: vec!["a @ 8c".into(), "c @ 8c".into()] }]);
    }
}
