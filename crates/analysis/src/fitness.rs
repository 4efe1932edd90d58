//! Was the generator fit, and did the machine keep still? What only the whole record can tell: the rate against
//! the ceiling, what twice the threads changed, and which blocks the machine disturbed.
//!
//! Everything is a function of the record up to a block, so that what is judged later is what was judged then.

use crate::checks::{LENGTHENED, answer_bytes, answer_class, check_ceiling};
use crate::conditions::{level_of, levels_of};
use crate::merge::mean;
use crate::streams::fused;
use proofload_facts::Finding;
use proofload_stats::{Counts, Perturbation, Speeds, is_slower, perturbation};
use proofload_store::schema::{Ceiling, CheckName, CheckOutcome, FitnessCheck, Phase, Plan, Point, Slice};
use proofload_store::{Block, Run, StoreError};
use std::collections::BTreeMap;

/// Change of throughput that twice the threads may bring, either way.
const PERTURBED_THROUGHPUT: f64 = 0.02;
/// Change of the 99th percentile of response time.
const PERTURBED_P99: f64 = 0.10;
/// Share of the time of the CPUs that the hypervisor may take in a block.
const STEAL_SHARE: f64 = 0.02;
/// The same where CPUs may sleep: one that is woken waits until another guest's time is over, and that is steal, too. It belongs
/// to the condition, and leaving such blocks out would leave the condition out.
const STEAL_SHARE_ASLEEP: f64 = 0.10;
/// Share of the machine's usual speed that a block may lack.
const SPEED_DROP: f64 = 0.05;
/// Fewest slices from which to tell if the machine takes the CPU away in most.
const SLICES_MIN: usize = 3;

/// A complete block that the machine disturbed, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Disturbance {
    pub block: u32,
    /// Causes, at least one.
    pub causes: Vec<Finding>,
}

/// Ratios of a pair of slices, with twice the threads over with once.
struct Pair {
    variant: String,
    throughput: Option<f64>,
    p99: Option<f64>,
    /// True if there were fewer CPUs than twice the threads.
    shares: bool,
}

/// The pairs at one load point in these blocks.
fn pairs_at(run: &Run, blocks: &[&Block], point: &str) -> Result<Vec<Pair>, StoreError> {
    let (plan, everywhere) = (run.plan(), run.environment().cpus.len());
    let cpus = if plan.generator_cpus.is_empty() { everywhere } else { plan.generator_cpus.len() };
    let mut pairs = Vec::new();
    for block in blocks {
        for planned in &plan.variants {
            let is_it =
                |slice: &&Slice| slice.phase == Phase::Perturbation && slice.is_of(&planned.name, point);
            let lines: Vec<&Slice> = block.slices.iter().filter(is_it).collect();
            let slices = fused(&lines, run.path(), run.fused())?;
            let of = |perturbed: bool| slices.iter().find(|slice| slice.perturbed == perturbed);
            let (Some(once), Some(twice)) = (of(false), of(true)) else { continue };
            let (once, twice) = (&once.measured, &twice.measured);
            let rates = once.throughput_per_s.zip(twice.throughput_per_s);
            let tails = once.response_time_ns.p99.zip(twice.response_time_ns.p99);
            pairs.push(Pair {
                variant: planned.name.clone(),
                throughput: rates.map(|(once, twice)| twice / once),
                p99: tails.map(|(once, twice)| twice as f64 / once as f64),
                shares: twice.generator.threads as usize > cpus,
            });
        }
    }
    Ok(pairs)
}

/// Effect of twice the threads at one load point. The generator is the same for all variants: where the pairs of one
/// settle nothing, those of all do.
fn perturbed(
    run: &Run,
    blocks: &[&Block],
    variant: &str,
    point: &str,
) -> Result<Vec<FitnessCheck>, StoreError> {
    let pairs = pairs_at(run, blocks, point)?;
    let shares = pairs.iter().any(|pair| pair.shares);
    // Threads that take turns on a CPU cost something, wherever the limit is: only a gain shows that the generator
    // was it.
    let counts = |gain: Counts| if shares { gain } else { Counts::Both };
    let check = |check: CheckName, of: &dyn Fn(&Pair) -> Option<f64>, gain: Counts, tolerance: f64| {
        let own: Vec<f64> = pairs.iter().filter(|pair| pair.variant == variant).filter_map(of).collect();
        let all: Vec<f64> = pairs.iter().filter_map(of).collect();
        let mut found = (perturbation(&own, tolerance, counts(gain)), own.len());
        if matches!(found.0, Perturbation::Unresolved { .. }) && all.len() > own.len() {
            found = (perturbation(&all, tolerance, counts(gain)), all.len());
        }
        let (pairs, of_all) = (found.1, found.1 > own.len());
        let (outcome, ratio) = match found.0 {
            Perturbation::Unresolved { ratio: None, .. } => (CheckOutcome::NotMeasured, None),
            Perturbation::Unresolved { ratio, .. } => (CheckOutcome::Unresolved, ratio),
            Perturbation::Meaningless { ratio } => (CheckOutcome::Unresolved, Some(ratio)),
            Perturbation::Within { ratio } => (CheckOutcome::Passed, Some(ratio)),
            Perturbation::Beyond { ratio } => (CheckOutcome::Failed, Some(ratio)),
        };
        let note = Some(note_of(&check, &found.0, pairs as u32, of_all));
        let found = ratio;
        FitnessCheck { check, outcome, found, limit: Some(tolerance), unit: "ratio".to_string(), note }
    };
    Ok(vec![
        check(CheckName::PerturbedThroughput, &|pair| pair.throughput, Counts::Rise, PERTURBED_THROUGHPUT),
        check(CheckName::PerturbedP99, &|pair| pair.p99, Counts::Fall, PERTURBED_P99),
    ])
}

/// Note on the change that twice the threads brought; `all_variants` where the pairs of all were needed.
fn note_of(check: &CheckName, found: &Perturbation, pairs: u32, all_variants: bool) -> Finding {
    let measure = if *check == CheckName::PerturbedP99 { "p99" } else { "throughput" }.to_string();
    match found {
        Perturbation::Unresolved { ratio: None, .. } => Finding::NoThreadPairs,
        Perturbation::Unresolved { .. } => Finding::ThreadPairsTooFew { pairs, all_variants },
        Perturbation::Meaningless { .. } => Finding::ThreadsShareCpus { measure, pairs, all_variants },
        Perturbation::Within { .. } | Perturbation::Beyond { .. } => {
            Finding::ThreadPairs { measure, pairs, all_variants }
        }
    }
}

/// Speeds by where the same load runs: variant, load point, and how CPUs sleep and are shared. Loads heat a machine in different
/// ways, and CPUs differ.
type Series<'a> = BTreeMap<(&'a str, &'a str, [&'a str; 2]), Speeds>;

/// Enters the speeds of a block's slices.
fn enter_speeds<'a>(
    series: &mut Series<'a>,
    plan: &'a Plan,
    block: &'a Block,
    speed: impl Fn(&proofload_store::schema::Conditions) -> Option<f64>,
) {
    for places in series.values_mut() {
        places.earlier.append(&mut places.now);
    }
    for slice in block.slices.iter().filter(|slice| slice.is_measured()) {
        let speed = slice.conditions.as_ref().and_then(&speed);
        if let Some(speed) = speed.filter(|speed| speed.is_finite() && *speed > 0.0) {
            let level = |name| level_of(plan, block.place, name).unwrap_or_default();
            let cpus = [level("cpus_awake"), level("generator_cpus")];
            let place = (slice.measured.variant.as_str(), slice.measured.point.as_str(), cpus);
            series.entry(place).or_default().now.push(speed);
        }
    }
}

/// The complete blocks that the machine disturbed, in order, and how. Which these are rests on nothing that a
/// subject or the generator did, and on no later block.
pub fn disturbances(run: &Run) -> Vec<Disturbance> {
    // Readings of a clock and durations of work are figures of different kinds.
    let (mut clocks, mut works) = (Series::new(), Series::new());
    let mut found = Vec::new();
    for block in run.blocks() {
        let measured = block.slices.iter().filter(|slice| slice.is_measured());
        let conditions: Vec<_> = measured.filter_map(|slice| slice.conditions.as_ref()).collect();
        let generator = mean(conditions.iter().filter_map(|seen| seen.generator_steal_share));
        let subject = mean(conditions.iter().filter_map(|seen| seen.subject_steal_share));
        enter_speeds(&mut clocks, run.plan(), block, |seen| seen.frequency_hz);
        enter_speeds(&mut works, run.plan(), block, |seen| Some(1e9 / seen.canary_ns? as f64));
        let mut causes = Vec::new();
        let asleep = level_of(run.plan(), block.place, "cpus_awake") == Some("false");
        let allowed = if asleep { STEAL_SHARE_ASLEEP } else { STEAL_SHARE };
        let is_much = |share: &f64| *share > allowed;
        let from_generator = |steal_share| Finding::StealFromGenerator { steal_share };
        causes.extend(generator.filter(is_much).map(from_generator));
        let from_servers = |steal_share| Finding::StealFromServers { steal_share };
        causes.extend(subject.filter(is_much).map(from_servers));
        if [&clocks, &works].iter().any(|series| is_slower(series.values(), SPEED_DROP)) {
            causes.push(Finding::CpusSlower { slower_share: SPEED_DROP });
        }
        if !causes.is_empty() {
            found.push(Disturbance { block: block.number, causes });
        }
    }
    found
}

/// The complete blocks that are left out as disturbed by the machine; none in a run of a single look at one
/// block, which decides nothing.
pub fn left_out(run: &Run) -> Vec<u32> {
    match run.plan().timing.looks.last() {
        Some(1) => Vec::new(),
        _ => disturbances(run).into_iter().map(|disturbance| disturbance.block).collect(),
    }
}

/// The complete blocks that count.
pub fn counting_blocks(run: &Run) -> Vec<&Block> {
    let out = left_out(run);
    run.blocks().iter().filter(|block| !out.contains(&block.number)).collect()
}

/// The checks of a variant at a load point that only the record can make, from these blocks; `trials` are
/// its slices of each of them. None for a record that holds no checks at all.
pub(crate) fn checks(
    run: &Run,
    blocks: &[&Block],
    (variant, point): (&str, &str),
    trials: &[&[Slice]],
) -> Result<Vec<FitnessCheck>, StoreError> {
    let slices = || trials.iter().flat_map(|trial| trial.iter());
    if slices().all(|slice| slice.measured.generator.checks.is_empty()) {
        return Ok(Vec::new());
    }
    let whole = run.plan().points.iter().any(|load| load.label == point && load.whole);
    let lengths: Vec<f64> = slices().filter_map(|slice| answer_bytes(&slice.measured)).collect();
    let class = answer_class(lengths.iter().copied().fold(0.0, f64::max));
    // Answers near the border of a class may lie on its other side in one block or another.
    let apart = |ceiling: &&Ceiling| class.map_or(u64::MAX, |class| class.abs_diff(ceiling.answer_bytes));
    let is_of = |ceiling: &&Ceiling| {
        let named = ceiling.variants.is_empty() || ceiling.variants.iter().any(|name| name == variant);
        ceiling.point == point && named && class.is_some()
    };
    // Of several settings, as of a run that went on elsewhere, the lowest may have been the limit.
    let lowest = |ceiling: &&Ceiling| ceiling.exchanges_per_s.unwrap_or(f64::INFINITY);
    let under = |levels: &[usize]| {
        let here = run.ceilings().iter().filter(is_of);
        let here = here.filter(|ceiling| ceiling.levels.is_empty() || ceiling.levels == levels);
        here.min_by(|a, b| apart(a).cmp(&apart(b)).then(lowest(a).total_cmp(&lowest(b))))
    };
    let why = match class {
        _ if run.plan().no_ceiling => Finding::CeilingNotAsked,
        None => Finding::AnswersTooLong,
        Some(_) => Finding::CeilingNotRecorded,
    };
    // The worst of the blocks counts for all.
    let of_block = |trial: &&[Slice]| {
        let points: Vec<&Point> = trial.iter().map(|slice| &slice.measured).collect();
        let levels = levels_of(run.plan(), trial.first().map_or(1, Slice::place));
        check_ceiling(&points, whole, under(levels), &why)
    };
    let used = |checks: &[FitnessCheck; 2]| checks[0].found.unwrap_or(f64::NEG_INFINITY);
    let worst = trials.iter().map(of_block).max_by(|a, b| used(a).total_cmp(&used(b)));
    let mut checks: Vec<FitnessCheck> = worst.into_iter().flatten().collect();
    // Where it is known by how much tails are lengthened, they need no margin to the ceiling of their own.
    let mut own = slices().flat_map(|slice| &slice.measured.generator.checks);
    if own.any(|check| LENGTHENED.contains(&check.check)) {
        checks.retain(|check| check.check != CheckName::CeilingTail);
    }
    let of_slices = [CheckName::Hiccups, CheckName::SendDelayTail].into_iter().chain(LENGTHENED);
    checks.extend(of_slices.filter_map(|check| usual(&check, blocks, variant, point)));
    if run.plan().timing.perturbation_ns > 0 {
        checks.extend(perturbed(run, blocks, variant, point)?);
    }
    Ok(checks)
}

/// A check of the slices of a variant at a load point as that of all: the median, for a machine takes its CPU away in
/// one block or another, and what that does to a tail shows in the spread of the blocks. One that it takes away in most spoils
/// the tails of all. Of several streams the worst.
fn usual(check: &CheckName, blocks: &[&Block], variant: &str, point: &str) -> Option<FitnessCheck> {
    let slices = blocks.iter().flat_map(|block| &block.slices);
    let slices = slices.filter(|slice| slice.is_measured() && slice.is_of(variant, point));
    let mut streams: BTreeMap<&str, Vec<(f64, &FitnessCheck)>> = BTreeMap::new();
    for slice in slices {
        let own = slice.measured.generator.checks.iter().filter(|own| own.check == *check);
        let found = own.filter_map(|own| Some((own.found? / own.limit?, own)));
        streams.entry(&slice.measured.stream).or_default().extend(found);
    }
    let medians = streams.into_values().filter(|found| found.len() >= SLICES_MIN).map(|mut found| {
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (used, median) = found[(found.len() - 1) / 2];
        (
            used,
            FitnessCheck {
                note: Some(Finding::MedianOfSlices { slices: found.len() as u32 }),
                ..median.clone()
            },
        )
    });
    medians.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, check)| check)
}
