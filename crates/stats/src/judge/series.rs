//! Values of a claim in each block: those of its two sides, and the logarithm of their ratio.

use crate::fitness::{Counts, Perturbation, perturbation};
use crate::sample;
use crate::{Cell, Claim, LostStart, Measure, Observations, Side, Term, Unsteady};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Block, variant, point, stream and measure.
type Key = (u32, usize, usize, Option<usize>, Measure);

/// Largest difference between a ratio in long slices and that in short ones.
const SLICE_LENGTH_TOLERANCE: f64 = 0.01;

/// Share of the blocks that may be left out because the generator was unfit in them.
const SPOILED_SHARE_MAX: f64 = 0.2;

pub(super) struct Index<'a> {
    cells: HashMap<Key, &'a Cell>,
    unsteady: &'a [Unsteady],
    /// Blocks in which the generator was unfit for a measure at a load point, whichever variant it loaded.
    unfit: HashSet<(u32, usize, Measure)>,
    /// The sitting of each block.
    sittings: HashMap<u32, u32>,
    lost: &'a [LostStart],
    /// For each condition the level in each block.
    conditions: &'a [Vec<usize>],
    /// True if the rules are the older ones.
    is_older: bool,
}

impl<'a> Index<'a> {
    pub fn new(observations: &'a Observations) -> Self {
        Index::of(observations, false)
    }

    /// By the older rules few values that are an end are left out, too, and of more than few each is a block.
    pub fn of(observations: &'a Observations, is_older: bool) -> Self {
        let is_unfit = if is_older { Cell::is_unbounded } else { Cell::is_spoiled };
        let key = |cell: &Cell| (cell.block, cell.variant, cell.point, cell.stream, cell.measure);
        Index {
            cells: observations.cells.iter().map(|cell| (key(cell), cell)).collect(),
            unsteady: &observations.unsteady,
            unfit: observations
                .cells
                .iter()
                .filter(|cell| is_unfit(cell))
                .map(|cell| (cell.block, cell.point, cell.measure))
                .collect(),
            sittings: observations
                .blocks
                .iter()
                .copied()
                .zip(observations.sittings.iter().copied())
                .collect(),
            lost: &observations.lost,
            conditions: &observations.conditions,
            is_older,
        }
    }

    pub fn get(&self, block: u32, trial: Trial) -> Option<&'a Cell> {
        self.cells.get(&(block, trial.variant, trial.point, trial.stream, trial.measure)).copied()
    }

    /// All trials of the same measure and stream, by load point and variant.
    pub fn trials_like(&self, like: Trial) -> Vec<Trial> {
        let alike = self.cells.keys().filter(|key| (key.3, key.4) == (like.stream, like.measure));
        let places: BTreeSet<(usize, usize)> = alike.map(|key| (key.2, key.1)).collect();
        places.into_iter().map(|(point, variant)| Trial { point, variant, ..like }).collect()
    }
}

/// A measure of a variant at a load point: what a term rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trial {
    pub measure: Measure,
    pub variant: usize,
    pub point: usize,
    pub stream: Option<usize>,
}

/// Both sides in one block, factors left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sides {
    pub left: f64,
    /// Right value; 1 for a constant.
    pub right: f64,
    /// Logarithm of left over right, slice by slice where the measure is compared so. `None` where a side
    /// is 0.
    pub log: Option<f64>,
}

/// A claim with its values in every complete block, in order.
pub(super) struct Series<'a> {
    pub claim: &'a Claim,
    /// All that the claim rests on.
    pub trials: Vec<Trial>,
    /// For each block the cells of `trials`.
    pub cells: Vec<Vec<Option<&'a Cell>>>,
    /// For each block what the sides are; `None` when a value is missing.
    pub sides: Vec<Option<Sides>>,
    /// For each block the sitting in which it was measured.
    pub sittings: Vec<u32>,
    numbers: Vec<u32>,
    /// For each block whether a trial was left out of it on purpose.
    pub spared: Vec<bool>,
    /// For each block the variants that the claim rests on and that had no steady state.
    pub unsteady: Vec<Vec<Unsteady>>,
    /// For each block whether the generator was unfit for what the claim rests on, with any variant.
    unfit: Vec<bool>,
    /// Starts of its variants that did not get through their block.
    pub lost: Vec<&'a LostStart>,
    /// For each condition of measuring its level in each block.
    pub conditions: Vec<Vec<usize>>,
    /// True if the rules are the older ones.
    pub is_older: bool,
}

impl<'a> Series<'a> {
    pub fn new(claim: &'a Claim, index: &Index<'a>, blocks: &[u32]) -> Self {
        let mut trials = trials_of(&claim.left);
        for trial in trials_of(&claim.right) {
            if !trials.contains(&trial) {
                trials.push(trial);
            }
        }
        let cells: Vec<Vec<Option<&Cell>>> = blocks
            .iter()
            .map(|&block| trials.iter().map(|&trial| index.get(block, trial)).collect())
            .collect();
        let sides = blocks.iter().map(|&block| sides(claim, index, block)).collect();
        let sittings = blocks.iter().map(|block| index.sittings.get(block).copied().unwrap_or(1)).collect();
        let left_out = |cells: &Vec<Option<&Cell>>| cells.iter().flatten().any(|cell| cell.is_spared());
        let spared = cells.iter().map(left_out).collect();
        // A change that all variants share cancels out of a comparison, but not out of a threshold on a constant.
        let is_absolute = matches!(claim.right, Side::Constant(_));
        let concerns = |start: &&Unsteady, block: u32| {
            start.block == block
                && (is_absolute || !start.shared)
                && trials.iter().any(|trial| trial.variant == start.variant)
        };
        let unsteady_in =
            |block: u32| index.unsteady.iter().filter(move |start| concerns(start, block)).copied();
        let unsteady = blocks.iter().map(|&block| unsteady_in(block).collect()).collect();
        let is_unfit = |block: u32| {
            trials.iter().any(|trial| index.unfit.contains(&(block, trial.point, trial.measure)))
        };
        let unfit = blocks.iter().map(|&block| is_unfit(block)).collect();
        let of_it = |start: &&LostStart| trials.iter().any(|trial| trial.variant == start.variant);
        let lost = index.lost.iter().filter(of_it).collect();
        let known = |levels: &&Vec<usize>| levels.len() == blocks.len();
        let conditions = index.conditions.iter().filter(known).cloned().collect();
        let numbers = blocks.to_vec();
        let is_older = index.is_older;
        Series {
            claim,
            trials,
            cells,
            sides,
            sittings,
            numbers,
            spared,
            unsteady,
            unfit,
            lost,
            conditions,
            is_older,
        }
    }

    /// Number of the first blocks with a value for the claim.
    pub fn usable(&self, blocks: u32) -> u32 {
        let counts_unfit = self.is_older && self.spoiled(blocks).is_none();
        let held = self.sides.iter().zip(&self.unfit).take(blocks as usize);
        held.filter(|(sides, unfit)| sides.is_some() && (counts_unfit || !**unfit)).count() as u32
    }

    /// The blocks among the first ones with a value for the claim, with their logarithms; `None` where one has none.
    pub fn usable_logs(&self, blocks: u32) -> Option<Vec<(u32, f64)>> {
        let held = self.numbers.iter().zip(&self.sides).zip(&self.unfit).take(blocks as usize);
        let usable =
            held.filter(|(_, unfit)| !**unfit).filter_map(|((block, sides), _)| Some((*block, (*sides)?)));
        usable.map(|(block, sides)| Some((block, sides.log.filter(|log| log.is_finite())?))).collect()
    }

    /// Places of the blocks, from 1, that the generator spoiled, or that one of its variants did not get through.
    pub fn replaced(&self) -> Vec<u32> {
        let is_lost = |block: usize| {
            let number = self.numbers[block];
            self.sides[block].is_none() && self.lost.iter().any(|start| start.block == number)
        };
        let all = (0..self.sides.len()).filter(|&block| self.unfit[block] || is_lost(block));
        all.map(|block| block as u32 + 1).collect()
    }

    /// Number of the first blocks that the generator spoiled, where these are few enough to be left out.
    pub fn spoiled(&self, blocks: u32) -> Option<u32> {
        let spoiled = self.unfit.iter().take(blocks as usize).filter(|unfit| **unfit).count() as u32;
        let few = spoiled > 0 && f64::from(spoiled) <= SPOILED_SHARE_MAX * f64::from(blocks);
        few.then_some(spoiled)
    }

    /// The same without the blocks that the generator spoiled, whichever variant it loaded then.
    pub fn without_spoiled(&self) -> Series<'a> {
        fn kept<T: Clone>(values: &[T], unfit: &[bool]) -> Vec<T> {
            values.iter().zip(unfit).filter(|(_, unfit)| !**unfit).map(|(value, _)| value.clone()).collect()
        }
        Series {
            claim: self.claim,
            trials: self.trials.clone(),
            cells: kept(&self.cells, &self.unfit),
            sides: kept(&self.sides, &self.unfit),
            sittings: kept(&self.sittings, &self.unfit),
            numbers: kept(&self.numbers, &self.unfit),
            spared: kept(&self.spared, &self.unfit),
            unsteady: kept(&self.unsteady, &self.unfit),
            unfit: kept(&self.unfit, &self.unfit),
            lost: self.lost.clone(),
            conditions: self.conditions.iter().map(|levels| kept(levels, &self.unfit)).collect(),
            is_older: self.is_older,
        }
    }

    /// Comparison of the claim's ratio in the long slices of the first blocks with that in their short ones, and the
    /// number of blocks in which both are known; `None` for claims that do not compare slices.
    pub fn slice_length(&self, blocks: u32) -> Option<(Perturbation, u32)> {
        let (left, right) = compared(self.claim)?;
        let place = |wanted: Trial| self.trials.iter().position(|trial| *trial == wanted);
        let (left, right) = (place(left)?, place(right)?);
        let of_block = |cells: &Vec<Option<&Cell>>| {
            let (left, right) = (cells[left]?, cells[right]?);
            Some((middle(&left.long, &right.long)? - middle(&left.cycles, &right.cycles)?).exp())
        };
        let ratios: Vec<f64> = self.cells.iter().take(blocks as usize).filter_map(of_block).collect();
        Some((perturbation(&ratios, SLICE_LENGTH_TOLERANCE, Counts::Both), ratios.len() as u32))
    }

    /// True if the claim is about a count over all exchanges seen, which needs no estimate.
    pub fn is_fact(&self) -> bool {
        self.claim.is_of_a_count()
    }

    pub fn is_of_errors(&self) -> bool {
        self.trials.iter().all(|trial| matches!(trial.measure, Measure::Errors | Measure::ErrorShare))
    }

    pub fn is_of_times(&self) -> bool {
        self.trials.iter().all(|trial| trial.measure.ranks_unended())
    }

    pub fn is_of_speed(&self) -> bool {
        self.trials.iter().any(|trial| trial.measure.is_speed())
    }
}

pub(super) fn trials_of(side: &Side) -> Vec<Trial> {
    match side {
        Side::Constant(_) => Vec::new(),
        Side::Measured { term: Term::Of { measure, variant, stream }, point, .. } => {
            vec![Trial { measure: *measure, variant: *variant, point: *point, stream: *stream }]
        }
        Side::Measured { term: Term::Ratio { measure, over, under, stream }, point, .. } => [*over, *under]
            .into_iter()
            .map(|variant| Trial { measure: *measure, variant, point: *point, stream: *stream })
            .collect(),
    }
}

fn sides(claim: &Claim, index: &Index<'_>, block: u32) -> Option<Sides> {
    if let (Some(left), Some(right)) = (single(&claim.left), single(&claim.right)) {
        return pair(index.get(block, left)?, index.get(block, right)?);
    }
    let (left, left_log) = value(&claim.left, index, block)?;
    let (right, right_log) = value(&claim.right, index, block)?;
    let log = left_log.zip(right_log).map(|(left, right)| left - right);
    Some(Sides { left, right, log })
}

/// The trial of a side that is one plain measure.
fn single(side: &Side) -> Option<Trial> {
    match side {
        Side::Measured { term: Term::Of { .. }, .. } => trials_of(side).first().copied(),
        _ => None,
    }
}

/// A side's value and its logarithm, where it has one.
fn value(side: &Side, index: &Index<'_>, block: u32) -> Option<(f64, Option<f64>)> {
    match (side, &trials_of(side)[..]) {
        (Side::Constant(_), _) => Some((1.0, Some(0.0))),
        (_, [trial]) => {
            let value = of_block(index.get(block, *trial)?)?;
            Some((value, logarithm(value)))
        }
        (_, [over, under]) => {
            let ratio = pair(index.get(block, *over)?, index.get(block, *under)?)?;
            Some((ratio.log?.exp(), ratio.log))
        }
        _ => None,
    }
}

fn logarithm(value: f64) -> Option<f64> {
    (value > 0.0).then(|| value.ln())
}

/// The logarithm of the ratio of two cells of a block; `None` where one has no value, or is 0.
pub(crate) fn log_ratio(left: &Cell, right: &Cell) -> Option<f64> {
    pair(left, right)?.log
}

/// Two cells of a block: the median over cycles of the slices' log-ratios, or that of the merged values.
fn pair(left: &Cell, right: &Cell) -> Option<Sides> {
    let values = Sides { left: of_block(left)?, right: of_block(right)?, log: None };
    let merged = || logarithm(values.left).zip(logarithm(values.right)).map(|(left, right)| left - right);
    let by_cycle =
        left.measure == right.measure && left.measure.pairs_by_cycle() && left.point == right.point;
    let log = if by_cycle { middle(&left.cycles, &right.cycles).or_else(merged) } else { merged() };
    Some(Sides { log, ..values })
}

/// The middle log-ratio of the slices of both sides.
pub(crate) fn middle(left: &[Option<f64>], right: &[Option<f64>]) -> Option<f64> {
    let logs: Vec<f64> = pairs(left, right).into_iter().map(|(left, right)| left - right).collect();
    sample::median(&logs)
}

/// Logarithms of both sides' slices, cycle by cycle where both have one.
fn pairs(left: &[Option<f64>], right: &[Option<f64>]) -> Vec<(f64, f64)> {
    let usable = |value: &Option<f64>| value.filter(|value| value.is_finite() && *value > 0.0);
    let slices = left.iter().zip(right);
    slices.filter_map(|(left, right)| Some((usable(left)?.ln(), usable(right)?.ln()))).collect()
}

/// Slices that a claim compares: for each block the logarithms of both sides in each cycle. Nothing for claims that
/// do not compare slices: thresholds, quantiles, differences of ratios.
pub fn slice_pairs(claim: &Claim, observations: &Observations) -> Vec<Vec<(f64, f64)>> {
    let index = Index::new(observations);
    let Some((left, right)) = compared(claim) else { return Vec::new() };
    let block =
        |block: &u32| Some(pairs(&index.get(*block, left)?.cycles, &index.get(*block, right)?.cycles));
    observations.blocks.iter().filter_map(block).collect()
}

/// Comparison of a claim's ratio in long slices with that in short ones: the short ones may still show that the load
/// went from one server to the other. With it, the number of blocks in which both are known; `None` for claims that
/// do not compare slices.
pub fn slice_length(claim: &Claim, observations: &Observations) -> Option<(Perturbation, u32)> {
    let index = Index::new(observations);
    Series::new(claim, &index, &observations.blocks).slice_length(observations.blocks.len() as u32)
}

/// Trials that a claim compares slice by slice.
fn compared(claim: &Claim) -> Option<(Trial, Trial)> {
    let both = match (single(&claim.left), single(&claim.right), &claim.right) {
        (Some(left), Some(right), _) => Some((left, right)),
        (None, _, Side::Constant(_)) => match trials_of(&claim.left)[..] {
            [over, under] => Some((over, under)),
            _ => None,
        },
        _ => None,
    };
    let comparable = |(left, right): &(Trial, Trial)| {
        left.measure == right.measure && left.measure.pairs_by_cycle() && left.point == right.point
    };
    both.filter(comparable)
}

/// The value of a block: over the merged slices, or the middle one of the slices where nothing was merged.
pub(crate) fn of_block(cell: &Cell) -> Option<f64> {
    let fits =
        |value: &f64| value.is_finite() && (*value > 0.0 || (*value == 0.0 && cell.measure.may_be_zero()));
    let from_cycles = || {
        let values: Vec<f64> = cell.cycles.iter().flatten().copied().filter(fits).collect();
        sample::median(&values)
    };
    match cell.merged {
        Some(merged) => Some(merged).filter(fits),
        None => from_cycles(),
    }
}
