//! Checks of the generator: their limits, the claims that they concern, and one check in place of several.

use proofload_facts::{Check, Finding};
use proofload_stats::Measure;
use proofload_store::counts_of;
use proofload_store::schema::{Ceiling, CheckName, CheckOutcome, FitnessCheck, Generator, Point};

/// Share of the ceiling that a trial may reach.
const CEILING_SHARE: f64 = 0.70;
/// The same where a claim is about the tail: what waits in the generator shows there first.
const CEILING_TAIL_SHARE: f64 = 0.50;
/// Largest answers of each class for which there is a ceiling, head included.
pub const ANSWER_CLASSES: [u64; 4] = [1 << 10, 4 << 10, 16 << 10, 64 << 10];

/// True if a failure of the check forbids claims about some times alone: p99 and beyond, or the mean.
pub fn concerns_tails_only(check: &CheckName) -> bool {
    let early = matches!(check, CheckName::CeilingTail | CheckName::Hiccups | CheckName::SendDelayTail);
    early || LENGTHENED.contains(check)
}

/// True if a generator is unfit for no other reason than lost agents: the others passed their self-checks.
pub fn lacks_agents_only(generator: &Generator) -> bool {
    let failed =
        |check: &FitnessCheck| check.outcome == CheckOutcome::Failed && !concerns_tails_only(&check.check);
    !generator.fit && generator.agents_lost() > 0 && !generator.checks.iter().any(failed)
}

/// Share by which the generator's own delays lengthen the mean, p99 and p999.
pub(crate) const LENGTHENED: [CheckName; 3] =
    [CheckName::LengthenedMean, CheckName::LengthenedP99, CheckName::LengthenedP999];

/// The check for the lengthening of that measure, if it is one of these.
pub(crate) fn lengthening(measure: Measure) -> Option<CheckName> {
    match measure.of_whole() {
        Measure::ResponseMean => Some(CheckName::LengthenedMean),
        Measure::ResponseQuantile(9990..) | Measure::ResponseMax => Some(CheckName::LengthenedP999),
        Measure::ResponseQuantile(9900..) => Some(CheckName::LengthenedP99),
        _ => None,
    }
}

/// True if a failure of the check forbids claims about that measure.
pub(crate) fn concerns(check: &CheckName, measure: Measure) -> bool {
    if LENGTHENED.contains(check) {
        return lengthening(measure).as_ref() == Some(check);
    }
    let is_mean = measure.of_whole() == Measure::ResponseMean;
    !concerns_tails_only(check) || is_tail(measure) || (*check == CheckName::SendDelayTail && is_mean)
}

/// p99 and beyond.
fn is_tail(measure: Measure) -> bool {
    measure.of_whole() == Measure::ResponseMax || measure.quantile().is_some_and(|quantile| quantile >= 9900)
}

/// Class of answers of that mean length, by its largest; `None` where there is no ceiling for them.
pub fn answer_class(bytes: f64) -> Option<u64> {
    ANSWER_CLASSES.into_iter().find(|most| bytes <= *most as f64)
}

/// Mean length of an answer, head included; `None` when nothing was received.
pub fn answer_bytes(point: &Point) -> Option<f64> {
    let finished = counts_of(&point.outcomes).finished();
    (finished > 0 && point.bytes_received > 0).then(|| point.bytes_received as f64 / finished as f64)
}

/// Exchanges per second that the generator carried out, failed ones too: of a load with a shape in its busiest
/// second, for there it would be the limit.
fn rate(points: &[&Point], whole: bool) -> Option<f64> {
    let seconds: f64 = points.iter().map(|point| point.seconds).sum();
    let finished = points.iter().map(|point| counts_of(&point.outcomes).finished());
    let mean = finished.fold(0, u64::saturating_add) as f64 / seconds;
    let busiest = points.iter().flat_map(|point| &point.per_second).max().map_or(0.0, |most| *most as f64);
    let rate = if whole { mean.max(busiest) } else { mean };
    (seconds > 0.0 && rate.is_finite()).then_some(rate)
}

/// Compares the figures of points with the ceiling of their setting; `why` is the reason where there is none. Without
/// a ceiling nothing is failed, and nothing passed.
pub fn check_ceiling(
    points: &[&Point],
    whole: bool,
    ceiling: Option<&Ceiling>,
    why: &Finding,
) -> [FitnessCheck; 2] {
    let ceiling_per_s = ceiling.and_then(|ceiling| ceiling.exchanges_per_s).filter(|most| *most > 0.0);
    let known = rate(points, whole).zip(ceiling_per_s);
    let check = |check, allowed: f64| {
        let found = known.map(|(rate, most)| rate / most);
        let outcome = match found {
            None => CheckOutcome::NotMeasured,
            Some(share) if share > allowed => CheckOutcome::Failed,
            Some(_) => CheckOutcome::Passed,
        };
        let note = Some(match known {
            Some((per_s, most_per_s)) => Finding::OfCeiling { per_s, most_per_s },
            None => {
                let why = ceiling.and_then(|ceiling| ceiling.why.clone()).unwrap_or_else(|| why.clone());
                Finding::NoCeiling { why: Box::new(why) }
            }
        });
        FitnessCheck { check, outcome, found, limit: Some(allowed), unit: "share".to_string(), note }
    };
    [check(CheckName::Ceiling, CEILING_SHARE), check(CheckName::CeilingTail, CEILING_TAIL_SHARE)]
}

/// Finding for a failed check; `None` for one that did not fail.
pub fn finding(check: &FitnessCheck) -> Option<Finding> {
    let (found, limit) = (check.found?, check.limit?);
    if check.outcome != CheckOutcome::Failed {
        return None;
    }
    let (allowed_share, allowed_ns) = (limit, limit);
    let why = check.note.clone().map(Box::new);
    let lengthened = |measure| Finding::TimesLengthened { measure, longer_share: found, allowed_share };
    Some(match check.check {
        CheckName::Ceiling | CheckName::CeilingTail => {
            Finding::NearCeiling { found_share: found, allowed_share, why }
        }
        CheckName::Hiccups => Finding::GeneratorStalls { p999_ns: found, allowed_ns },
        CheckName::LengthenedMean => lengthened(Check::Mean),
        CheckName::LengthenedP99 => lengthened(Check::P99),
        CheckName::LengthenedP999 => lengthened(Check::P999),
        CheckName::SendDelayTail => Finding::TailSentLate { p99_ns: found, allowed_ns },
        CheckName::PerturbedThroughput | CheckName::PerturbedP99 => {
            let measure = if check.check == CheckName::PerturbedP99 { "p99" } else { "throughput" };
            Finding::ThreadsMatter { measure: measure.to_string(), ratio: found, allowed_share, why }
        }
        _ => Finding::CheckFailed { check: check.check.name().to_string() },
    })
}

/// The checks of several slices as those of one: of each the one that came nearest to its limit, or over it.
pub(crate) fn merged_checks<'a>(checks: impl Iterator<Item = &'a FitnessCheck>) -> Vec<FitnessCheck> {
    let rank = |check: &FitnessCheck| {
        let outcome = match check.outcome {
            CheckOutcome::Failed => 2,
            CheckOutcome::NotMeasured => 0,
            _ => 1,
        };
        let used = match (check.found, check.limit) {
            (Some(found), Some(limit)) if limit > 0.0 => found / limit,
            (found, _) => found.unwrap_or(f64::NEG_INFINITY),
        };
        (outcome, used)
    };
    let mut merged: Vec<FitnessCheck> = Vec::new();
    for check in checks {
        let Some(known) = merged.iter_mut().find(|known| known.check == check.check) else {
            if merged.len() < CHECKS_MAX {
                merged.push(check.clone());
            }
            continue;
        };
        let ((outcome, used), (worst, most)) = (rank(check), rank(known));
        if outcome > worst || (outcome == worst && used > most) {
            known.clone_from(check);
        }
    }
    merged
}

/// Most kinds of checks; a record may hold any number.
const CHECKS_MAX: usize = 32;

#[cfg(test)]
mod tests;
