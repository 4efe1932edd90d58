//! Several sittings of one study, judged together. A verdict comes from the judge alone.

use crate::claims::{Judgements, sittings_of};
use crate::compare;
use crate::error::AnalysisError;
use crate::figures::figured;
use crate::fitness::counting_blocks;
use crate::planned::restore;
use crate::pooled::{conditions_of, judged_over, pooled, sitting_cost};
use crate::result::{Overall, of_run, overall};
use proofload_facts::{Finding, Limit};
use proofload_stats::{Design, Kind, Names};
use proofload_store::PAUSE_MAX_NS;
use proofload_store::Run;
use proofload_store::schema::{Difference, FORMAT_VERSION, RunResult, SittingRun, SittingsResult, Verdict};

/// Result of several runs of one study, oldest first, each a sitting; `None` where fewer than two sittings have a
/// complete block. The caller must make sure that they are of one study.
///
/// # Errors
/// Fails if a record cannot be read, or a plan holds a claim that cannot be.
pub fn sittings(runs: &[Run]) -> Result<Option<(SittingsResult, Judgements)>, AnalysisError> {
    let Some(last) = runs.last() else { return Ok(None) };
    let plan = last.plan();
    let (names, claims, design) = restore(plan)?;
    let names = Names { conditions: conditions_of(runs), ..names };
    let observations = pooled(runs, &figured(&claims, &[]))?;
    let number = sittings_of(&observations);
    if number < 2 {
        return Ok(None);
    }
    let (looks, planned) = looks(runs, number);
    let design = Design { looks, futility: false, known: Vec::new(), kind: Kind::Looks, ..design };
    let judgement = judged_over(runs, &claims, &design)?;
    let cost = sitting_cost(runs);
    let judgements = Judgements { claims, judged: judgement.claims, names, design, observations, cost };
    let differences = differences(runs);
    let mut limits: Vec<Limit> =
        differences.iter().map(|what| Limit::SittingsDiffer { what: what.clone() }).collect();
    limits.extend((!planned).then_some(Limit::SittingsNotPlanned));
    let close = close(runs) as u32;
    limits.extend((close > 0).then_some(Limit::SittingsClose { sittings: close }));
    limits.push(Limit::LimitsOfEach);
    let result = SittingsResult {
        format: FORMAT_VERSION,
        study: plan.study.clone(),
        question: plan.question.clone(),
        runs: runs.iter().map(sitting_run).collect(),
        sittings: number,
        planned,
        blocks: judgements.observations.blocks.len() as u32,
        headline: String::new(),
        claims: judgements.results(0.0),
        differences,
        limits,
        looks: judgements.design.looks.clone(),
    };
    Ok(Some((result, judgements)))
}

/// After how many sittings the claims are judged: as was planned before the first, else after all that there are.
fn looks(runs: &[Run], sittings: u32) -> (Vec<u32>, bool) {
    let planned = |run: &Run| run.plan().sitting.as_ref().map(|sitting| sitting.looks.clone());
    let first = runs.first().and_then(planned);
    let same = first.filter(|looks| runs.iter().all(|run| planned(run).as_ref() == Some(looks)));
    match same.filter(|looks| looks.last().is_some_and(|last| sittings <= *last)) {
        Some(looks) => (looks, true),
        None => (vec![sittings], false),
    }
}

fn sitting_run(run: &Run) -> SittingRun {
    SittingRun {
        id: run.id(),
        run: run.path().display().to_string(),
        began_unix_ns: began(run),
        seed: run.plan().seed,
        blocks: counting_blocks(run).len() as u32,
    }
}

fn began(run: &Run) -> u64 {
    run.status().sittings.first().map_or(0, |sitting| sitting.began_unix_ns)
}

/// Differences of any run from the first, each fact once.
fn differences(runs: &[Run]) -> Vec<Finding> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let mut all: Vec<Difference> = Vec::new();
    for run in others {
        let (_, told) =
            compare::sittings((first.plan(), first.environment()), (run.plan(), run.environment()));
        for difference in told {
            if !all.iter().any(|known| known.what == difference.what) {
                all.push(difference);
            }
        }
    }
    all.iter().map(Difference::finding).collect()
}

/// Sittings that began soon after the one before them ended.
fn close(runs: &[Run]) -> usize {
    let ended = |run: &Run| run.status().sittings.last().and_then(|sitting| sitting.ended_unix_ns);
    let is_close = |pair: &&[Run]| {
        ended(&pair[0]).is_some_and(|ended| began(&pair[1]).saturating_sub(ended) < PAUSE_MAX_NS)
    };
    runs.windows(2).filter(is_close).count()
}

/// Overall answer of the sittings; the exit code rests on it.
///
/// # Errors
/// Fails if a record cannot be read.
pub fn overall_of_sittings(result: &SittingsResult, runs: &[Run]) -> Result<Overall, AnalysisError> {
    let any = |verdict| result.claims.iter().any(|claim| claim.verdict == verdict);
    if any(Verdict::Refuted) {
        return Ok(Overall::Refuted);
    }
    if !any(Verdict::Undecided) && !result.claims.is_empty() {
        return Ok(Overall::AllSupported);
    }
    // A run in which the generator was the limit is why nothing was decided.
    let result = |run| of_run(run).map(|analysed| analysed.result);
    let each: Vec<RunResult> = runs.iter().map(result).collect::<Result<_, _>>()?;
    match each.iter().any(|run| overall(run) == Overall::Invalid) {
        true => Ok(Overall::Invalid),
        false => Ok(Overall::Undecided),
    }
}
