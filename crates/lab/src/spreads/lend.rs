//! Spreads that earlier runs lend: between blocks, and where they are several sittings between these.

use super::{Subject, compiling, independent};
use proofload_analysis::{compare, restore};
use proofload_host::cpus;
use proofload_stats::sample::Moments;
use proofload_stats::{Between, EARLIER_SITTINGS_MIN, common_spread, pooled_between};
use proofload_store::PAUSE_MAX_NS;
use proofload_store::schema::{
    EarlierSpread, Environment, KeptSpread, KeptSpreads, LentSpread, Plan, Replication,
};
use proofload_study::Study;
use std::collections::{BTreeMap, BTreeSet};

/// Fewest comparisons, or levels, that lend a spread.
const RELATIVES_MIN: usize = 2;
/// Most of them: the newest.
const RELATIVES_MAX: usize = 60;
/// Blocks that measure that many times as long are not alike.
const SECONDS_FACTOR: f64 = 2.0;

/// Spreads of one kind of comparison, or level, in the history.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Its kind; the spread in it is that of the newest.
    pub like: KeptSpread,
    /// The spread that is lent.
    pub spread: f64,
    /// Number of spreads that it is made of.
    pub relatives: u32,
    pub between: Option<Between>,
}

/// Spreads of earlier runs, each with its run, oldest first.
type Relatives<'a> = Vec<(&'a KeptSpreads, &'a KeptSpread)>;

/// Enters in a plan the spreads that runs of the same machine lend its claims. The past of servers that run already is
/// unknown.
pub fn lend(plan: &mut Plan, study: &Study, environment: &Environment, kept: &[KeptSpreads]) {
    let compiling = compiling(study);
    let Ok((_, claims, _)) = restore(plan) else { return };
    if plan.replication == Replication::Process || compiling.len() != plan.variants.len() {
        return;
    }
    let here = of_machine(kept, &compare::machine_of(plan, environment));
    for claim in claims {
        let Some(subject) = Subject::of(&claim) else { continue };
        let relatives = relatives(&here, &subject.bare(plan, &compiling));
        if let Some((spread, lenders)) = spread_of(&relatives) {
            let relatives = lenders.len() as u32;
            plan.lent.push(LentSpread { claim: claim.text.clone(), spread, relatives, runs: ids(lenders) });
        }
        let earlier = plan.earlier_sittings.iter().flat_map(|earlier| &earlier.claims);
        if earlier.clone().any(|known| known.claim == claim.text) {
            continue;
        }
        if let Some((between, lenders)) = between_of(&relatives) {
            let earlier = plan.earlier_sittings.get_or_insert_default();
            earlier.claims.push(EarlierSpread {
                claim: claim.text,
                tau: between.tau,
                freedom: between.freedom,
                sittings: between.sittings,
                of_means: between.of_means,
            });
            let all = earlier.runs.drain(..).chain(ids(lenders));
            earlier.runs = all.collect::<BTreeSet<String>>().into_iter().collect();
        }
    }
}

/// All spreads of this machine in the history, with their runs: their number, and the start of the first.
pub fn known(kept: &[KeptSpreads], environment: &Environment) -> (Vec<Known>, usize, u64) {
    let share = cpus::share(&environment.cpus);
    let plan = Plan { generator_cpus: share.generator, subject_cpus: share.subject, ..Plan::default() };
    let here = of_machine(kept, &compare::machine_of(&plan, environment));
    let mut likes: Vec<&KeptSpread> = Vec::new();
    for spread in here.iter().rev().flat_map(|run| &run.spreads) {
        if !likes.iter().any(|like| are_alike(like, spread)) {
            likes.push(spread);
        }
    }
    likes.sort_by(|one, other| {
        let key = |it: &KeptSpread| (it.kind, it.measure.clone(), it.runtime, it.model.clone());
        key(one).cmp(&key(other)).then(one.seconds.total_cmp(&other.seconds))
    });
    let of = |like: &KeptSpread| {
        let relatives = relatives(&here, like);
        let (spread, lenders) = spread_of(&relatives)?;
        let between = between_of(&relatives).map(|(between, _)| between);
        Some(Known { like: like.clone(), spread, relatives: lenders.len() as u32, between })
    };
    let began_unix_ns = here.first().map_or(0, |run| run.began_unix_ns);
    (likes.into_iter().filter_map(of).collect(), here.len(), began_unix_ns)
}

fn of_machine<'a>(kept: &'a [KeptSpreads], machine: &[String]) -> Vec<&'a KeptSpreads> {
    kept.iter().filter(|run| run.machine == machine).collect()
}

fn relatives<'a>(runs: &[&'a KeptSpreads], like: &KeptSpread) -> Relatives<'a> {
    let of_run = |run: &&'a KeptSpreads| {
        let run: &'a KeptSpreads = run;
        run.spreads.iter().map(move |spread| (run, spread))
    };
    runs.iter().flat_map(of_run).filter(|(_, spread)| are_alike(like, spread)).collect()
}

fn are_alike(one: &KeptSpread, other: &KeptSpread) -> bool {
    let longer = (one.seconds / other.seconds).max(other.seconds / one.seconds);
    (&one.measure, one.kind, one.runtime, &one.model)
        == (&other.measure, other.kind, other.runtime, &other.model)
        && longer <= SECONDS_FACTOR
}

/// The spread that relatives have in common, and of which of them it is.
fn spread_of<'a>(relatives: &Relatives<'a>) -> Option<(f64, Relatives<'a>)> {
    let lenders: Relatives<'a> = relatives.iter().filter(|(_, it)| it.sd > 0.0).copied().collect();
    let lenders = lenders[lenders.len().saturating_sub(RELATIVES_MAX)..].to_vec();
    let variances: Vec<(f64, u32)> = lenders.iter().map(|(_, it)| (it.sd.powi(2), it.blocks - 1)).collect();
    let spread = common_spread(&variances).filter(|_| lenders.len() >= RELATIVES_MIN)?;
    Some((spread, lenders))
}

/// The spread between sittings that relatives have in common which were seen in several, and of which of them it is.
fn between_of<'a>(relatives: &Relatives<'a>) -> Option<(Between, Relatives<'a>)> {
    let mut comparisons: BTreeMap<&str, Relatives<'a>> = BTreeMap::new();
    for (run, spread) in relatives {
        comparisons.entry(&spread.of).or_default().push((run, spread));
    }
    comparisons.values_mut().for_each(each_sitting);
    comparisons.retain(|_, sittings| sittings.len() > 1);
    let of = |spread: &KeptSpread| Moments { n: spread.blocks, mean: spread.mean, sd: spread.sd };
    let moments: Vec<Vec<Moments>> = comparisons
        .values()
        .map(|sittings| sittings.iter().map(|(_, spread)| of(spread)).collect())
        .collect();
    let runs = ids(comparisons.values().flatten().copied().collect());
    let at = |(run, _): &(&KeptSpreads, &KeptSpread)| runs.iter().position(|id| *id == run.run).unwrap_or(0);
    let differences = comparisons
        .values()
        .flat_map(|sittings| sittings.windows(2).map(|pair| (at(&pair[0]), at(&pair[1]))));
    let freedom = independent(differences, runs.len()).len() as u32;
    let between =
        pooled_between(&moments, freedom).filter(|between| between.sittings >= EARLIER_SITTINGS_MIN)?;
    Some((between, comparisons.into_values().flatten().collect()))
}

/// Leaves the first run of each sitting: one that begins soon after the one before it ended shares what that had.
fn each_sitting(runs: &mut Relatives<'_>) {
    let mut ended_ns = None;
    runs.retain(|(run, _)| {
        let pause_ns = ended_ns.map_or(u64::MAX, |ended_ns| run.began_unix_ns.saturating_sub(ended_ns));
        ended_ns = ended_ns.max(Some(run.ended_unix_ns));
        pause_ns > PAUSE_MAX_NS
    });
}

/// Ids of the runs, oldest first.
fn ids(of: Relatives<'_>) -> Vec<String> {
    let mut runs: Vec<String> = of.into_iter().map(|(run, _)| run.run.clone()).collect();
    runs.sort_unstable();
    runs.dedup();
    runs
}
