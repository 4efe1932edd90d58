//! Conditions of the blocks: those that the study fixes or varies, and by default those that this machine lets vary.
//!
//! Conditions of two levels come in pairs of blocks, the second block of a pair with the other level of each (a fold-over), so
//! that an even number of blocks has every level equally often. Their combination within a pair is drawn without
//! repetition, so that a few pairs tell them apart. A condition of more levels goes through all of them before one comes again.

use super::order::SplitMix;
use proofload_facts::Finding;
use proofload_host::cpus::{self, CpuShare};
use proofload_store::schema::{Environment, PlannedCondition};
use proofload_study::{Condition, Study, SubjectSpec};

/// Conditions that a machine lets vary.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    /// Split of its CPUs between generator and subjects.
    pub cpus: &'a CpuShare,
    /// The reason why CPUs cannot be kept awake, if they cannot.
    pub why_asleep: Option<Finding>,
    /// The reason why io_uring cannot be used, if it cannot.
    pub why_no_io_uring: Option<Finding>,
}

impl<'a> Machine<'a> {
    pub fn here(cpus: &'a CpuShare, environment: &Environment) -> Self {
        let sleep = environment.facts.get("cpu_sleep").map(String::as_str);
        let probe = proofload_engine::driver::probe(proofload_engine::DriverChoice::IoUring);
        Machine {
            cpus,
            why_asleep: match sleep {
                Some(sleep) if sleep != proofload_host::AS_IT_LIKES => None,
                _ => Some(Finding::CannotStayAwake),
            },
            why_no_io_uring: probe.err().map(Finding::failed),
        }
    }
}

impl<'a> From<&'a CpuShare> for Machine<'a> {
    /// One of which nothing more is known.
    fn from(cpus: &'a CpuShare) -> Self {
        let why = Some(Finding::NotLookedFor);
        Machine { cpus, why_asleep: why.clone(), why_no_io_uring: why }
    }
}

/// The conditions of a study with their levels. `vary` is false where there is one block, or none: then each has its first.
pub(super) fn planned(study: &Study, machine: &Machine<'_>, vary: bool) -> Vec<PlannedCondition> {
    let by_default = vary && !study.conditions.fixed;
    let one = |condition: Condition| {
        let named = study.conditions.levels(condition);
        let (mut levels, mut why) = match (condition, named) {
            (Condition::CpusAwake, _) => awake(named, machine),
            (Condition::Driver, _) => driver(named, machine),
            (Condition::GeneratorCpus, _) => generator_cpus(study, named, machine)?,
            (_, Some(levels)) => (levels.to_vec(), None),
            (_, None) => return None,
        };
        let may_vary = if named.is_some() { vary } else { by_default };
        if !may_vary {
            levels.truncate(1);
            why = None;
        }
        Some(PlannedCondition { name: condition.name().to_string(), levels, why })
    };
    Condition::ALL.into_iter().filter_map(one).collect()
}

/// The levels that are possible of those that are wanted, and why not all are.
fn possible(
    named: Option<&[String]>,
    all: [&str; 2],
    refused: &str,
    why: Option<&Finding>,
) -> (Vec<String>, Option<Finding>) {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    let wanted = named.map_or(all.clone(), <[String]>::to_vec);
    if why.is_none() {
        return (wanted, None);
    }
    let mut left: Vec<String> = wanted.iter().filter(|level| *level != refused).cloned().collect();
    if left.is_empty() {
        left = all.into_iter().filter(|level| level != refused).collect();
    }
    let why = why.filter(|_| left != wanted).cloned();
    (left, why)
}

fn awake(named: Option<&[String]>, machine: &Machine<'_>) -> (Vec<String>, Option<Finding>) {
    possible(named, ["true", "false"], "true", machine.why_asleep.as_ref())
}

fn driver(named: Option<&[String]>, machine: &Machine<'_>) -> (Vec<String>, Option<Finding>) {
    possible(named, ["epoll", "io_uring"], "io_uring", machine.why_no_io_uring.as_ref())
}

/// The other end of the CPUs, as a study names it.
const FIRST: &str = "first";

/// CPUs of the generator; none where it has none of its own.
fn generator_cpus(
    study: &Study,
    named: Option<&[String]>,
    machine: &Machine<'_>,
) -> Option<(Vec<String>, Option<Finding>)> {
    let CpuShare { generator, swapped, .. } = machine.cpus;
    if generator.is_empty() {
        return None;
    }
    let runs_elsewhere = study.variants.iter().any(|it| matches!(it.subject, SubjectSpec::Url { .. }));
    let why = match (swapped.is_empty(), runs_elsewhere) {
        (true, _) => Some(Finding::NoOtherDivision),
        (_, true) => Some(Finding::CpusOfOthers),
        _ => None,
    };
    let (ends, why) = possible(named, ["last", FIRST], FIRST, why.as_ref());
    let cpus_of = |end: &String| match end.as_str() {
        FIRST => cpus::list_text(swapped),
        "last" => cpus::list_text(generator),
        list => list.to_string(),
    };
    Some((ends.iter().map(cpus_of).collect(), why))
}

/// For each of that many blocks the level of each condition; `levels` are the numbers of their levels.
pub(super) fn order(seed: u64, blocks: u32, levels: &[usize]) -> Vec<Vec<usize>> {
    let mut dice = SplitMix::new(seed ^ CONDITIONS);
    let pairs: Vec<usize> = (0..levels.len()).filter(|&at| levels[at] == 2).collect();
    // Which of the levels go together: the first condition's is 0, and the second block of a pair has the others.
    let patterns = 1_usize << pairs.len().saturating_sub(1).min(PATTERN_BITS);
    let mut drawn: Vec<usize> = Vec::new();
    let mut rounds: Vec<Vec<usize>> = vec![Vec::new(); levels.len()];
    let mut out: Vec<Vec<usize>> = Vec::new();
    for block in 0..blocks {
        let mirrored = (block % 2 == 1).then(|| out.last().cloned()).flatten();
        if mirrored.is_none() && drawn.is_empty() {
            drawn = dice.permutation(patterns);
        }
        let pattern = if mirrored.is_none() { drawn.pop().unwrap_or(0) } else { 0 };
        let flip = if mirrored.is_none() { dice.below(2) } else { 0 };
        let level = |(at, &count): (usize, &usize)| match (count, &mirrored) {
            (0 | 1, _) => 0,
            (2, Some(before)) => 1 - before[at],
            (2, None) => {
                let place = pairs.iter().position(|&pair| pair == at).unwrap_or(0);
                let bit = if place == 0 { 0 } else { pattern >> (place - 1) & 1 };
                bit ^ flip
            }
            _ => {
                if rounds[at].is_empty() {
                    rounds[at] = dice.permutation(count);
                }
                rounds[at].pop().unwrap_or(0)
            }
        };
        let levels = levels.iter().enumerate().map(level).collect();
        out.push(levels);
    }
    out
}

/// Separates these draws from those of the variants' order.
const CONDITIONS: u64 = 0x636f_6e64_6974_696f;
/// Conditions beyond the first whose levels are combined in every way.
const PATTERN_BITS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_number_of_blocks_has_every_level_equally_often() {
        for seed in 0..200 {
            for blocks in [2, 4, 6, 8, 12, 30] {
                let order = order(seed, blocks, &[2, 1, 2, 2]);
                assert_eq!(order.len(), blocks as usize);
                for at in [0, 2, 3] {
                    let upper = order.iter().filter(|levels| levels[at] == 1).count();
                    assert_eq!(upper, blocks as usize / 2, "seed {seed}, {blocks} blocks");
                }
                assert!(order.iter().all(|levels| levels[1] == 0));
            }
        }
    }

    #[test]
    fn three_pairs_tell_three_conditions_apart_and_four_have_every_combination() {
        for seed in 0..200 {
            let order = order(seed, 8, &[2, 2, 2]);
            let same = |a: usize, b: usize, blocks: usize| {
                let alike = order[..blocks].iter().filter(|levels| levels[a] == levels[b]).count();
                alike == 0 || alike == blocks
            };
            assert!(
                [(0, 1), (0, 2), (1, 2)].into_iter().all(|(a, b)| !same(a, b, 6)),
                "seed {seed}: {order:?}"
            );
            let distinct: std::collections::BTreeSet<_> = order.iter().collect();
            assert_eq!(distinct.len(), 8);
        }
    }

    #[test]
    fn more_levels_come_all_before_one_comes_again() {
        let order = order(3, 9, &[3, 2]);
        for round in order.chunks(3) {
            let levels: std::collections::BTreeSet<usize> = round.iter().map(|levels| levels[0]).collect();
            assert_eq!(levels.len(), 3);
        }
    }

    #[test]
    fn the_seed_draws_and_a_longer_order_begins_with_a_shorter_one() {
        assert_eq!(order(5, 20, &[2, 2, 2])[..6], order(5, 6, &[2, 2, 2])[..]);
        assert!((0..20).any(|seed| order(seed, 4, &[2, 2]) != order(seed + 1, 4, &[2, 2])));
    }
}
