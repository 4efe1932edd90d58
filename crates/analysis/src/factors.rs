//! Main effects and interactions of a study that varies several factors: which settings matter.

use crate::cells::Cells;
use crate::figures::{TABLE_TAIL, figure};
use crate::guard::against;
use proofload_facts::{Limit, Reason};
use proofload_stats::{Change, Combination, Contrast, Effect, Finding, Grid, Measure, Observations};
use proofload_store::schema::{Estimate, FactorEffect, FactorTable, LevelChange, Plan};

/// Measures whose effects are reported.
const MEASURES: [Measure; 3] = [Measure::Throughput, Measure::ResponseQuantile(9900), Measure::CpuPerRequest];

/// A factor with its levels, as the variants name them, the first one being what others are compared with.
struct Factor {
    name: String,
    levels: Vec<String>,
}

/// The table; `None` unless at least two factors have at least two levels each. `observations` hold all of
/// [`MEASURES`].
pub(crate) fn factors(plan: &Plan, observations: &Observations) -> Option<FactorTable> {
    let factors = varied(plan);
    if factors.len() < 2 {
        return None;
    }
    let cells = Cells::of(observations);
    let mut reasons = Vec::new();
    let mut places = Vec::new();
    let mut grids = Vec::new();
    for (point, load) in plan.points.iter().enumerate() {
        for measure in MEASURES {
            let grid = grid((plan, &factors, &cells), point, measure, &mut reasons);
            if grid.combinations.iter().any(|of| of.per_block.iter().flatten().next().is_some()) {
                places.push((measure.name(), load.label.clone()));
                grids.push(grid);
            }
        }
    }
    let found = proofload_stats::effects(&grids, TABLE_TAIL);
    let is_main = |contrast: &Contrast| matches!(contrast, Contrast::Main(_));
    let main_effects = found.effects.iter().filter(|effect| is_main(&effect.contrast)).count();
    for (grid, contrast) in found.unmatched.iter().filter(|(_, contrast)| is_main(contrast)) {
        let (measure, point) = &places[*grid];
        let unmatched = |LevelChange { factor, from, to }| {
            let (measure, point) = (measure.clone(), point.clone());
            Reason::SettingUnmatched { factor, from, to, measure, point }
        };
        reasons.extend(changes(&factors, *contrast).into_iter().map(unmatched));
    }
    let told = |effect: &&Effect| is_main(&effect.contrast) || effect.low > 1.0 || effect.high < 1.0;
    let stored = |effect: &Effect| {
        let (measure, point) = places[effect.grid].clone();
        entry(effect, measure, point, changes(&factors, effect.contrast))
    };
    reasons.dedup();
    Some(FactorTable {
        effects: found.effects.iter().filter(told).map(stored).collect(),
        error_rate: TABLE_TAIL,
        main_effects: main_effects as u32,
        interactions: (found.effects.len() - main_effects) as u32,
        reasons,
    })
}

/// Factors with several levels, both in the order in which the variants have them.
fn varied(plan: &Plan) -> Vec<Factor> {
    let mut factors: Vec<Factor> = Vec::new();
    for level in plan.variants.iter().flat_map(|variant| &variant.levels) {
        let at = factors.iter().position(|factor| factor.name == level.factor).unwrap_or_else(|| {
            factors.push(Factor { name: level.factor.clone(), levels: Vec::new() });
            factors.len() - 1
        });
        if !factors[at].levels.contains(&level.level) {
            factors[at].levels.push(level.level.clone());
        }
    }
    factors.retain(|factor| factor.levels.len() > 1);
    factors
}

/// Most variants that are named in one reason.
const NAMED_MAX: usize = 3;

fn grid(
    (plan, factors, cells): (&Plan, &[Factor], &Cells<'_>),
    point: usize,
    measure: Measure,
    reasons: &mut Vec<Reason>,
) -> Grid {
    let mut combinations = Vec::new();
    let mut left_out: Vec<(Reason, Vec<&str>)> = Vec::new();
    for (variant, planned) in plan.variants.iter().enumerate() {
        let place = (variant, point, None);
        let found = figure(cells, place, measure);
        let why = against(cells.at(place, measure).iter().copied());
        let why = why.or_else(|| found.rough.then_some(Reason::TooFewBeyond));
        if let Some(why) = why {
            match left_out.iter_mut().find(|(other, _)| *other == why) {
                Some((_, names)) => names.push(planned.name.as_str()),
                None => left_out.push((why, vec![planned.name.as_str()])),
            }
            continue;
        }
        let level = |factor: &Factor| {
            let own = planned.levels.iter().find(|level| level.factor == factor.name)?;
            factor.levels.iter().position(|level| *level == own.level)
        };
        combinations
            .push(Combination { levels: factors.iter().map(level).collect(), per_block: found.per_block });
    }
    reasons.extend(left_out.into_iter().map(|(why, names)| Reason::CombinationsLeftOut {
        measure: measure.name(),
        point: plan.points[point].label.clone(),
        variants: names.iter().take(NAMED_MAX).map(ToString::to_string).collect(),
        more: names.len().saturating_sub(NAMED_MAX) as u32,
        why: Box::new(why),
    }));
    Grid { levels: factors.iter().map(|factor| factor.levels.len()).collect(), combinations }
}

fn changes(factors: &[Factor], contrast: Contrast) -> Vec<LevelChange> {
    let change = |change: Change| {
        let factor = &factors[change.factor];
        LevelChange {
            factor: factor.name.clone(),
            from: factor.levels[0].clone(),
            to: factor.levels[change.level].clone(),
        }
    };
    match contrast {
        Contrast::Main(only) => vec![change(only)],
        Contrast::Interaction(first, second) => vec![change(first), change(second)],
    }
}

fn entry(effect: &Effect, measure: String, point: String, changes: Vec<LevelChange>) -> FactorEffect {
    FactorEffect {
        measure,
        point,
        changes,
        estimate: Estimate::new(effect.point, Some((effect.low, effect.high)), "ratio"),
        confidence: effect.confidence,
        blocks: effect.blocks,
        matched: effect.matched,
        combinations: effect.of,
        finding: match effect.finding {
            Finding::Matters => "matters",
            Finding::PracticallyEqual => "practically equal",
            Finding::NotToldApart => "not told apart",
        }
        .to_string(),
    }
}

/// Limits of the table.
pub(crate) fn limits(factors: Option<&FactorTable>) -> Vec<Limit> {
    let Some(factors) = factors else { return Vec::new() };
    let shown = factors.effects.iter().filter(|effect| effect.changes.len() > 1).count() as u32;
    let FactorTable { main_effects, interactions, error_rate: error_share, .. } = *factors;
    let explored = match main_effects {
        0 => Limit::FactorsNotTold,
        _ => Limit::FactorsExplored { main_effects, interactions, shown, error_share },
    };
    let why = factors.reasons.iter().map(|why| Limit::FactorLeftOut { why: why.clone() });
    std::iter::once(explored).chain(why).collect()
}
