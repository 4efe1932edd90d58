//! Several runs of one study as sittings of one record.

use crate::compare;
use crate::conditions::level_of;
use crate::fitness::counting_blocks;
use crate::judged::measures_of;
use crate::observe::observations;
use crate::planned::restore;
use proofload_stats::{
    Claim, ConditionNames, Design, EARLIER_SITTINGS_MIN, Judgement, Measure, Observations, Sittings, judge,
    sitting_values,
};
use proofload_store::schema::{
    EarlierSittings, EarlierSpread, Environment, Plan, Replication, RunState, Sitting,
};
use proofload_store::{Run, StoreError, runs, runs_in};
use std::path::{Path, PathBuf};

/// Most earlier runs whose sittings are taken: the latest.
const EARLIER_RUNS_MAX: usize = 20;

/// Observations of these measures in several runs of one study: their blocks one after the other, each run a sitting
/// of its own, or more where it paused for long. Their plans must have the same variants, load points and streams.
///
/// # Errors
/// Fails if a stored histogram cannot be read.
pub fn pooled(runs: &[Run], measures: &[Measure]) -> Result<Observations, StoreError> {
    let conditions = conditions_of(runs);
    let mut all = Observations { conditions: vec![Vec::new(); conditions.len()], ..Observations::default() };
    let (mut begun, mut sittings) = (0, 0);
    for run in runs {
        for block in counting_blocks(run) {
            for (condition, levels) in conditions.iter().zip(&mut all.conditions) {
                let level = level_of(run.plan(), block.place, &condition.name);
                levels.push(
                    condition.levels.iter().position(|known| Some(known.as_str()) == level).unwrap_or(0),
                );
            }
        }
        let mut one = observations(run, measures)?;
        let complete = all.blocks.len() as u32;
        one.cells.iter_mut().for_each(|cell| cell.block += begun);
        one.lost.iter_mut().for_each(|start| start.block += begun);
        one.unsteady.iter_mut().for_each(|start| start.block += begun);
        all.cells.append(&mut one.cells);
        all.lost.append(&mut one.lost);
        all.unsteady.append(&mut one.unsteady);
        all.disturbed.extend(one.disturbed.iter().map(|before| before + complete));
        all.sittings.extend(one.sittings.iter().map(|sitting| sitting + sittings));
        all.blocks.extend(one.blocks.iter().map(|block| block + begun));
        let last = one.blocks.last().copied().unwrap_or(0);
        begun += last.max(one.blocks.len() as u32 + one.excluded_blocks);
        sittings += one.sittings.last().copied().unwrap_or(0);
        all.excluded_blocks += one.excluded_blocks;
        all.replication = one.replication;
    }
    Ok(all)
}

/// The conditions of measuring that all of these runs know, each with the levels that it has in any of them: the
/// names for the conditions in [`pooled`].
pub fn conditions_of(runs: &[Run]) -> Vec<ConditionNames> {
    let known = |run: &Run, name: &str| run.plan().conditions.iter().any(|it| it.name == name);
    let mut all: Vec<ConditionNames> = Vec::new();
    for condition in runs.iter().flat_map(|run| &run.plan().conditions) {
        if !runs.iter().all(|run| known(run, &condition.name)) {
            continue;
        }
        let at = all.iter().position(|it| it.name == condition.name).unwrap_or_else(|| {
            all.push(ConditionNames { name: condition.name.clone(), levels: Vec::new() });
            all.len() - 1
        });
        let new = condition.levels.iter().filter(|level| !all[at].levels.contains(level)).cloned();
        let new: Vec<String> = new.collect();
        all[at].levels.extend(new);
    }
    all
}

/// Judges claims over several runs of one study; the looks of the design count their sittings.
///
/// # Errors
/// Fails if a stored histogram cannot be read.
pub fn judged_over(runs: &[Run], claims: &[Claim], design: &Design) -> Result<Judgement, StoreError> {
    Ok(judge(claims, &pooled(runs, &measures_of(claims))?, design))
}

/// Cost of a sitting beside its blocks, in blocks: the time that the runs were conducted and did not measure.
pub fn sitting_cost(runs: &[Run]) -> f64 {
    let length = |sitting: &Sitting| {
        sitting.ended_unix_ns.map_or(0, |ended| ended.saturating_sub(sitting.began_unix_ns)) as f64
    };
    let conducted: f64 = runs.iter().flat_map(|run| &run.status().sittings).map(length).sum();
    let measured: f64 = runs.iter().map(|run| run.measured_ns() as f64).sum();
    let blocks: usize = runs.iter().map(|run| run.blocks().len()).sum();
    if measured <= 0.0 {
        return 0.0;
    }
    ((conducted - measured).max(0.0) / runs.len() as f64) / (measured / blocks.max(1) as f64)
}

/// Spread between sittings in the finished runs of this study below `root`, for the quantities of its claims, on the
/// same machine, with the same servers and the same build of the generator. `None` where they are too few. Runs that
/// cannot be read are passed over.
///
/// # Errors
/// Fails if the directory of the runs cannot be read.
pub fn earlier_sittings(
    root: &Path,
    plan: &Plan,
    environment: &Environment,
) -> Result<Option<EarlierSittings>, StoreError> {
    // Servers that ran already may not be the same as those of the earlier runs.
    if plan.replication == Replication::Process {
        return Ok(None);
    }
    let mut paths = runs(root, Some(&plan.study))?;
    if paths.len() < EARLIER_SITTINGS_MIN as usize {
        return Ok(None);
    }
    paths.drain(..paths.len().saturating_sub(EARLIER_RUNS_MAX));
    let alike = alike(&paths, plan, environment);
    let Ok((_, claims, _)) = restore(plan) else { return Ok(None) };
    let measures = measures_of(&claims);
    let seen: Vec<Observations> = alike.iter().filter_map(|run| observations(run, &measures).ok()).collect();
    let spread = |claim: &Claim| {
        let values: Vec<Vec<f64>> =
            seen.iter().flat_map(|observations| sitting_values(claim, observations)).collect();
        let between = Sittings::of(&values)?.between?;
        (between.sittings >= EARLIER_SITTINGS_MIN).then(|| EarlierSpread {
            claim: claim.text.clone(),
            tau: between.tau,
            freedom: between.freedom,
            of_means: between.of_means,
            sittings: between.sittings,
        })
    };
    let claims: Vec<EarlierSpread> = claims.iter().filter_map(spread).collect();
    let runs = alike.iter().map(Run::id).collect();
    Ok((!claims.is_empty()).then_some(EarlierSittings { runs, claims }))
}

/// The latest of the finished runs beside this one, itself among them, that were made alike: the same study on the same
/// machine, with the same servers and the same build of the generator. Runs that cannot be read are passed over.
///
/// # Errors
/// Fails if the directory of the runs cannot be read.
pub fn runs_alike(run: &Run) -> Result<Vec<Run>, StoreError> {
    let Some(of_study) = run.path().parent() else { return Ok(Vec::new()) };
    let mut paths = runs_in(of_study)?;
    paths.drain(..paths.len().saturating_sub(EARLIER_RUNS_MAX));
    Ok(alike(&paths, run.plan(), run.environment()))
}

fn alike(paths: &[PathBuf], plan: &Plan, environment: &Environment) -> Vec<Run> {
    let is_alike = |run: &Run| {
        let (never, told) = compare::sittings((run.plan(), run.environment()), (plan, environment));
        run.status().state == RunState::Finished && never.is_empty() && told.is_empty()
    };
    paths.iter().filter_map(|path| Run::open(path).ok()).filter(is_alike).collect()
}
