//! Was the generator fit, and did the machine keep still? What only the whole record can tell: the rate against
//! the ceiling, what twice the threads changed, and which blocks the machine disturbed.
//!
//! Everything is a function of the record up to a block, so that what is judged later is what was judged then.

use crate::convert::counts_of;
use crate::run::PHASE_PERTURBATION;
use crate::schema::{Ceiling, FitnessCheck, Point, Slice};
use crate::streams::fused;
use crate::{Block, Run, StoreError};
use proofload_stats::{Perturbation, is_slower, perturbation};

/// Share of the ceiling that a trial may reach.
const CEILING_SHARE: f64 = 0.70;
/// The same where a claim is about the tail: what waits in the generator shows there first.
const CEILING_TAIL_SHARE: f64 = 0.50;
/// Change of throughput that twice the threads may bring, either way.
const PERTURBED_THROUGHPUT: f64 = 0.02;
/// Change of the 99th percentile of response time.
const PERTURBED_P99: f64 = 0.10;
/// Share of the time of the CPUs that the hypervisor may take in a block.
const STEAL_SHARE: f64 = 0.02;
/// Share of the machine's usual speed that a block may lack.
const SPEED_DROP: f64 = 0.05;
/// Largest answers of each class for which there is a ceiling, head included.
pub const ANSWER_CLASSES: [u64; 4] = [1 << 10, 4 << 10, 16 << 10, 64 << 10];

/// The check of a rate against the ceiling.
pub const CHECK_CEILING: &str = "ceiling";
/// The same for claims about p99 and beyond.
pub const CHECK_CEILING_TAIL: &str = "ceiling_tail";
/// Stretches in which the generator did not look at its sockets, against the 99th percentile of response time.
pub const CHECK_HICCUPS: &str = "hiccups";

/// Of fewer slices than these there is no telling whether the machine takes the CPU away in most.
const HICCUPS_MIN: usize = 3;

/// Whether a check that fails forbids claims about p99 and beyond alone.
pub fn concerns_tails_only(check: &str) -> bool {
    [CHECK_CEILING_TAIL, CHECK_HICCUPS].contains(&check)
}
/// What twice the threads do to throughput.
const CHECK_PERTURBED_THROUGHPUT: &str = "perturbation_throughput";
/// What they do to p99.
const CHECK_PERTURBED_P99: &str = "perturbation_p99";

/// A complete block that the machine disturbed, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Disturbance {
    /// The block's number.
    pub block: u32,
    /// What was found, a sentence.
    pub why: String,
}

/// The class of answers of that mean length, by its largest; `None` where there is no ceiling for them.
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

/// Holds what one point came to against the ceiling of its setting; `why` stands where there is none. Without a
/// ceiling nothing is failed, and nothing passed.
pub fn check_ceiling(
    points: &[&Point],
    whole: bool,
    ceiling: Option<&Ceiling>,
    why: &str,
) -> [FitnessCheck; 2] {
    let ceiling_per_s = ceiling.and_then(|ceiling| ceiling.exchanges_per_s).filter(|most| *most > 0.0);
    let known = rate(points, whole).zip(ceiling_per_s);
    let check = |name: &str, allowed: f64| {
        let found = known.map(|(rate, most)| rate / most);
        let outcome = match found {
            None => "not_measured",
            Some(share) if share > allowed => "failed",
            Some(_) => "passed",
        };
        let note = match (known, ceiling) {
            (Some((rate, most)), _) => {
                format!(
                    "{rate:.0} of {most:.0} exchanges/s, which it reaches against a server that does nothing"
                )
            }
            (None, Some(ceiling)) if !ceiling.why.is_empty() => {
                format!("ceiling not measured: {}", ceiling.why)
            }
            _ => format!("ceiling not measured: {why}"),
        };
        FitnessCheck {
            check: name.to_string(),
            outcome: outcome.to_string(),
            found,
            limit: Some(allowed),
            unit: "share".to_string(),
            note,
        }
    };
    [check(CHECK_CEILING, CEILING_SHARE), check(CHECK_CEILING_TAIL, CEILING_TAIL_SHARE)]
}

/// What a failed check says among the findings.
pub fn finding(check: &FitnessCheck) -> Option<String> {
    let (found, limit) = (check.found?, check.limit?);
    if check.outcome != "failed" {
        return None;
    }
    Some(match check.check.as_str() {
        CHECK_CEILING | CHECK_CEILING_TAIL => format!(
            "the generator ran at {:.0} % of its ceiling, {:.0} % allowed ({}); use more workers, more CPUs or \
             another machine",
            found * 100.0,
            limit * 100.0,
            check.note
        ),
        CHECK_HICCUPS => format!(
            "the generator was away from its sockets for {:.2} ms or more in a thousandth of the time, {:.2} ms \
             allowed{}; give it CPUs of its own, or more workers",
            found / 1e6,
            limit / 1e6,
            if check.note.is_empty() { String::new() } else { format!(" ({})", check.note) }
        ),
        _ => format!(
            "{} with twice the threads, more than ±{:.0} %: {}",
            change(found),
            limit * 100.0,
            check.note
        ),
    })
}

fn change(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// What twice the threads did to one variant at one load point, in these blocks.
fn perturbed(
    run: &Run,
    blocks: &[&Block],
    variant: &str,
    point: &str,
) -> Result<Vec<FitnessCheck>, StoreError> {
    let (mut throughput, mut p99) = (Vec::new(), Vec::new());
    for block in blocks {
        let is_it = |slice: &&Slice| {
            let measured = &slice.measured;
            slice.phase == PHASE_PERTURBATION && measured.variant == variant && measured.point == point
        };
        let lines: Vec<&Slice> = block.slices.iter().filter(is_it).collect();
        let slices = fused(&lines, run.path())?;
        let of = |perturbed: bool| slices.iter().find(|slice| slice.perturbed == perturbed);
        let (Some(once), Some(twice)) = (of(false), of(true)) else { continue };
        let rates = once.measured.throughput_per_s.zip(twice.measured.throughput_per_s);
        throughput.extend(rates.map(|(once, twice)| twice / once));
        let tails = once.measured.response_time_ns.p99.zip(twice.measured.response_time_ns.p99);
        p99.extend(tails.map(|(once, twice)| twice as f64 / once as f64));
    }
    let check = |name: &str, what: &str, ratios: &[f64], tolerance: f64| {
        let (outcome, found) = match perturbation(ratios, tolerance) {
            Perturbation::Unresolved { ratio: None, .. } => ("not_measured", None),
            Perturbation::Unresolved { ratio, .. } => ("unresolved", ratio),
            Perturbation::Within { ratio } => ("passed", Some(ratio)),
            Perturbation::Beyond { ratio } => ("failed", Some(ratio)),
        };
        let pairs = ratios.len();
        let note = match outcome {
            "not_measured" => "perturbation not measured: no pair of slices".to_string(),
            "unresolved" => format!("perturbation not resolved by {pairs} pairs of slices"),
            _ => format!("{what} in {pairs} pairs of slices"),
        };
        let (check, outcome, unit) = (name.to_string(), outcome.to_string(), "ratio".to_string());
        FitnessCheck { check, outcome, found, limit: Some(tolerance), unit, note }
    };
    Ok(vec![
        check(CHECK_PERTURBED_THROUGHPUT, "throughput", &throughput, PERTURBED_THROUGHPUT),
        check(CHECK_PERTURBED_P99, "p99", &p99, PERTURBED_P99),
    ])
}

impl Run {
    /// The complete blocks that the machine disturbed, in order, and how. Which these are rests on nothing that a
    /// subject or the generator did, and on no later block.
    pub fn disturbances(&self) -> Vec<Disturbance> {
        let mut earlier: Vec<f64> = Vec::new();
        let mut found = Vec::new();
        for block in self.blocks() {
            let measured = block.slices.iter().filter(|slice| slice.phase == "measure");
            let conditions: Vec<_> = measured.filter_map(|slice| slice.conditions.as_ref()).collect();
            let mean = |values: Vec<f64>| {
                (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
            };
            let generator = mean(conditions.iter().filter_map(|seen| seen.generator_steal_share).collect());
            let subject = mean(conditions.iter().filter_map(|seen| seen.subject_steal_share).collect());
            let speed = |seen: &&crate::schema::Conditions| {
                let work = seen.canary_ns.filter(|ns| *ns > 0).map(|ns| 1e9 / ns as f64);
                seen.frequency_hz.or(work).filter(|speed| speed.is_finite() && *speed > 0.0)
            };
            let now: Vec<f64> = conditions.iter().filter_map(speed).collect();
            let mut why = Vec::new();
            for (whose, share) in [("generator", generator), ("subjects", subject)] {
                if let Some(share) = share.filter(|share| *share > STEAL_SHARE) {
                    why.push(format!(
                        "steal: the hypervisor took {:.1} % of the {whose}' CPUs",
                        share * 100.0
                    ));
                }
            }
            if is_slower(&earlier, &now, SPEED_DROP) {
                why.push(format!("the CPUs were over {:.0} % slower than before", SPEED_DROP * 100.0));
            }
            earlier.extend(now);
            if !why.is_empty() {
                found.push(Disturbance { block: block.number, why: why.join("; ") });
            }
        }
        found
    }

    /// The complete blocks that are left out for what the machine did; none in a run of a single look at one
    /// block, which decides nothing.
    pub fn left_out(&self) -> Vec<u32> {
        match self.plan().timing.looks.last() {
            Some(1) => Vec::new(),
            _ => self.disturbances().into_iter().map(|disturbance| disturbance.block).collect(),
        }
    }

    /// The complete blocks that count.
    pub fn counting_blocks(&self) -> Vec<&Block> {
        let out = self.left_out();
        self.blocks().iter().filter(|block| !out.contains(&block.number)).collect()
    }

    /// The checks of a variant at a load point that only the record can make, from these blocks; `trials` are
    /// its slices of each of them. None for a record that holds no checks at all.
    pub(crate) fn checks(
        &self,
        blocks: &[&Block],
        (variant, point): (&str, &str),
        trials: &[&[Slice]],
    ) -> Result<Vec<FitnessCheck>, StoreError> {
        let slices = || trials.iter().flat_map(|trial| trial.iter());
        if slices().all(|slice| slice.measured.generator.checks.is_empty()) {
            return Ok(Vec::new());
        }
        let whole = self.plan().points.iter().any(|load| load.label == point && load.whole);
        let lengths: Vec<f64> = slices().filter_map(|slice| answer_bytes(&slice.measured)).collect();
        let class = answer_class(lengths.iter().copied().fold(0.0, f64::max));
        // Answers near the border of a class may lie on its other side in one block or another.
        let apart = |ceiling: &&Ceiling| class.map_or(u64::MAX, |class| class.abs_diff(ceiling.answer_bytes));
        let here = self.ceilings().iter().filter(|ceiling| ceiling.point == point && class.is_some());
        let ceiling = here.min_by_key(apart);
        let why = match class {
            _ if self.plan().no_ceiling => "--no-ceiling was given",
            None => "the answers are longer than those of the server that does nothing",
            Some(_) => "no ceiling of this setting is on record",
        };
        // The worst of the blocks stands for all.
        let of_block = |trial: &&[Slice]| {
            let points: Vec<&Point> = trial.iter().map(|slice| &slice.measured).collect();
            check_ceiling(&points, whole, ceiling, why)
        };
        let worst = trials.iter().map(of_block).max_by(|a, b| a[0].found.total_cmp_none(&b[0].found));
        let mut checks: Vec<FitnessCheck> = worst.into_iter().flatten().collect();
        checks.extend(hiccups(blocks, variant, point));
        if self.plan().timing.perturbation_ns > 0 {
            checks.extend(perturbed(self, blocks, variant, point)?);
        }
        Ok(checks)
    }
}

/// The hiccups of the slices of a variant at a load point as those of all: the median, for a machine takes its CPU away in
/// one block or another, and what that does to a tail shows in the spread of the blocks. One that it takes away in most spoils
/// the tails of all.
fn hiccups(blocks: &[&Block], variant: &str, point: &str) -> Option<FitnessCheck> {
    let slices = blocks.iter().flat_map(|block| &block.slices).filter(|slice| slice.phase == "measure");
    let own = slices.filter(|slice| slice.measured.variant == variant && slice.measured.point == point);
    let checks = own.flat_map(|slice| &slice.measured.generator.checks);
    let mut found: Vec<(f64, &FitnessCheck)> = checks
        .filter(|check| check.check == CHECK_HICCUPS)
        .filter_map(|check| Some((check.found? / check.limit?, check)))
        .collect();
    if found.len() < HICCUPS_MIN {
        return None;
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let median = found[(found.len() - 1) / 2].1;
    Some(FitnessCheck { note: format!("median of {} slices", found.len()), ..median.clone() })
}

/// Nothing is less than anything.
trait TotalOrder {
    fn total_cmp_none(&self, other: &Self) -> std::cmp::Ordering;
}

impl TotalOrder for Option<f64> {
    fn total_cmp_none(&self, other: &Self) -> std::cmp::Ordering {
        self.unwrap_or(f64::NEG_INFINITY).total_cmp(&other.unwrap_or(f64::NEG_INFINITY))
    }
}

/// The checks of several slices as those of one: of each the one that came nearest to its limit, or over it.
pub(crate) fn merged_checks<'a>(checks: impl Iterator<Item = &'a FitnessCheck>) -> Vec<FitnessCheck> {
    let rank = |check: &FitnessCheck| {
        let outcome = match check.outcome.as_str() {
            "failed" => 2,
            "not_measured" => 0,
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
