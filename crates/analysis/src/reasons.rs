//! Reasons of verdicts, with names in the place of indexes.

use proofload_facts::{Amount, AtLevel, Needs, Reason};
use proofload_stats as stats;
use proofload_stats::{Judged, Names, Source, TAIL_EXCHANGES_MIN};

/// The reasons of a verdict; where there were too few blocks also how many would give a useful interval.
pub fn reasons(judged: &Judged, names: &Names, seconds_per_block: f64) -> Vec<Reason> {
    let unit = judged.estimate.map_or("ratio", |estimate| estimate.unit);
    let mut found: Vec<Reason> = judged.reasons.iter().map(|it| reason(it, names, unit)).collect();
    let is_few =
        |it: &stats::Reason| matches!(it, stats::Reason::TooFewBlocks { .. } | stats::Reason::NoData);
    if let Some(projection) = judged.projection.filter(|_| judged.reasons.iter().any(is_few)) {
        found.push(Reason::WouldTake {
            resolution_share: projection.resolution,
            blocks: projection.blocks,
            minutes: (f64::from(projection.blocks) * seconds_per_block / 60.0).round() as u32,
            assumed: projection.assumed,
        });
    }
    found
}

/// One reason; `unit` is that of the estimate.
pub fn reason(reason: &stats::Reason, names: &Names, unit: &str) -> Reason {
    use stats::Reason as Found;
    let variant = |index: usize| names.variants.get(index).map_or("?", |it| it.name.as_str()).to_string();
    match reason {
        Found::NoData => Reason::NoData,
        Found::TooFewBlocks { have: 1, .. } => Reason::OneBlock,
        Found::TooFewBlocks { have, need } => Reason::TooFewBlocks { have: *have, need: *need },
        Found::TooFewSittings { have, need: Some(need) } => {
            Reason::TooFewSittings { have: *have, need: *need }
        }
        Found::TooFewSittings { have, need: None } => Reason::FewSittings { have: *have },
        Found::IntervalCrosses { resolution, more_blocks } => {
            Reason::IntervalCrosses { resolution_share: *resolution, more_blocks: *more_blocks }
        }
        Found::SittingsCross { resolution, more_sittings } => {
            Reason::SittingsCross { resolution_share: *resolution, more_sittings: *more_sittings }
        }
        Found::WidenedBySittings { tau, sittings } => {
            Reason::WidenedBySittings { tau_share: *tau, sittings: *sittings }
        }
        Found::Widened { share } => Reason::Widened { wider_share: *share },
        Found::MayAccountFor { share, margin } => {
            Reason::MayAccountFor { moved_share: *share, margin_share: *margin }
        }
        Found::LimitedOnTheFasterSide => Reason::LimitedOnTheFasterSide,
        Found::OnlyLengthened => Reason::OnlyLengthened,
        Found::SignsDisagree => Reason::SignsDisagree,
        Found::Constant => Reason::Constant,
        Found::OneMeasurement => Reason::OneMeasurement,
        Found::Futile { last, chance } => Reason::Futile { blocks: *last, chance_share: chance.max(0.000_1) },
        Found::SliceLength { ratio, blocks } => Reason::SliceLength { ratio: *ratio, blocks: *blocks },
        Found::HalvesDiffer { first, second, errors, allowed } => {
            let amount = |value: f64| Amount { value, unit: unit.to_string() };
            let (first, second) = (amount(*first), amount(*second));
            Reason::HalvesDiffer { first, second, errors: *errors, allowed: *allowed }
        }
        Found::NotMeasured { measure, variant: of, point, stream, blocks } => {
            let stream = names.part(*stream);
            Reason::MeasureMissing {
                measure: stream.map_or_else(|| measure.name(), |name| format!("{}[{name}]", measure.name())),
                variant: variant(*of),
                point: names.points.get(*point).map_or("?", String::as_str).to_string(),
                blocks: *blocks,
                needs: needs(measure.source()),
            }
        }
        Found::NotResolvable { measure, variant: of, beyond } => Reason::NotResolvable {
            measure: measure.name(),
            variant: variant(*of),
            beyond: *beyond,
            need: TAIL_EXCHANGES_MIN,
        },
        Found::DependsOn { condition, levels, alike } => depends_on(*condition, levels, *alike, names),
        of_errors => of_blocks_and_errors(of_errors, variant),
    }
}

/// Reasons about blocks, and about sources of errors.
fn of_blocks_and_errors(reason: &stats::Reason, variant: impl Fn(usize) -> String) -> Reason {
    use stats::Reason as Found;
    match reason {
        Found::ClientLimited { what } => Reason::ClientLimited { what: what.clone() },
        Found::SpoiledBlocks { blocks, of } => Reason::SpoiledBlocks { unfit: *blocks, blocks: *of },
        Found::BlocksLost { lost, of } => Reason::BlocksLost { lost: *lost, blocks: *of },
        Found::Disturbed { blocks, of } => Reason::Disturbed { disturbed: *blocks, blocks: *of },
        Found::LostUnevenly { variant: of, lost, other, of: blocks } => {
            Reason::LostUnevenly { variant: variant(*of), lost: *lost, other: *other, blocks: *blocks }
        }
        Found::NoSteadyState { blocks, of, per_10s } => {
            Reason::NoSteadyState { unsteady: *blocks, blocks: *of, faster_share: *per_10s }
        }
        Found::BeyondWarmUp { blocks, of, share } => {
            Reason::BeyondWarmUp { unsteady: *blocks, blocks: *of, change_share: *share }
        }
        Found::Unended { measure, variant: of, unanswered, unsent } => Reason::LowerEnd {
            measure: measure.name(),
            variant: variant(*of),
            unanswered: *unanswered,
            unsent: *unsent,
        },
        Found::SeenOnly { exchanges, upper, starts, upper_starts } => Reason::SeenOnly {
            exchanges: *exchanges,
            upper_share: *upper,
            starts: *starts,
            upper_starts_share: *upper_starts,
        },
        Found::InLostBlocks { errors } => Reason::InLostBlocks { errors: *errors },
        Found::OwnErrors { errors } => Reason::OwnErrors { errors: *errors },
        Found::Died { variant: of, what } => Reason::Died { variant: variant(*of), what: what.clone() },
        Found::Errors { variant: of, share } => {
            Reason::TooManyErrors { variant: variant(*of), error_share: *share }
        }
        Found::FailsTooOften { variant: of, share } => {
            Reason::FailsTooOften { variant: variant(*of), error_share: *share }
        }
        _ => Reason::Unknown,
    }
}

fn depends_on(condition: usize, levels: &[(usize, stats::Estimate)], alike: bool, names: &Names) -> Reason {
    let Some(known) = names.conditions.get(condition) else { return Reason::Unknown };
    let at = |(level, estimate): &(usize, stats::Estimate)| AtLevel {
        condition: known.name.clone(),
        level: known.levels.get(*level).cloned().unwrap_or_default(),
        point: estimate.point,
        low: estimate.low,
        high: estimate.high,
        unit: estimate.unit.to_string(),
    };
    Reason::DependsOn { condition: known.name.clone(), levels: levels.iter().map(at).collect(), alike }
}

/// Requirement on a subject for a value to exist.
fn needs(source: Source) -> Needs {
    match source {
        Source::Process => Needs::Processes,
        Source::Workers => Needs::Workers,
        Source::Sockets | Source::Machine => Needs::Server,
        Source::Backend => Needs::Backend,
        Source::Jvm => Needs::Jvm,
        Source::Collections => Needs::Collections,
        Source::FullCollections => Needs::FullCollections,
        Source::Generations => Needs::Generations,
        Source::Locks => Needs::Locks,
        _ => Needs::Exchanges,
    }
}
