//! Steady state of servers: the rule that ends a warm-up, and a check of the measurements after it.
//!
//! The rule looks at the CPU time per answered exchange and, where the load does not fix it, the throughput. A
//! warm-up is cut into turns; the last window of turns is compared with the one before, turn by turn, so that turns
//! at the same load point meet. Of a JVM the compilers must be quiet, too.
//!
//! A change that all variants share falls out of every comparison of them. Only one that differs *between* variants
//! means that there is no steady state; one that they share means that their own figures are not yet those of warm
//! servers.

use crate::sample::{Moments, median};
use crate::student;

/// Largest share of a core that the compilers of a JVM may use, over [`Pace::jit_window_ns`].
pub const JIT_SHARE_MAX: f64 = 0.02;
/// Changes below this count as none, however certain they are.
pub const CHANGE_MIN: f64 = 0.01;
/// Standard errors that a change between two windows may have.
const STANDARD_ERRORS: f64 = 2.0;
/// Turns of a window of variants that may be JVMs: at least this many of each, and [`WINDOW_TURNS_OF_ALL`] of all
/// together.
const WINDOW_TURNS_MIN: usize = 10;
const WINDOW_TURNS_OF_ALL: usize = 20;
/// Fewest turns of a window of variants that compile nothing.
const PLAIN_WINDOW_TURNS: usize = 3;
/// Their windows grow with the warm-up: the later half of it is two windows.
const PLAIN_WINDOWS: usize = 4;
/// With this probability a block without any step is taken for one with a step.
const STEP_TAIL: f64 = 0.01;
/// Time in which a slope is expressed.
const SLOPE_NS: f64 = 10e9;

/// Values of one variant in a turn of load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// Time at its end, on a monotonic clock.
    pub ended_ns: u64,
    /// CPU time of the variant per answered exchange; `None` when it is not known, or nothing was answered.
    pub cpu_ns_per_exchange: Option<f64>,
    /// Answered exchanges per second; `None` where the load fixes it, or nothing was answered.
    pub answered_per_s: Option<f64>,
    /// CPU time of its JIT compilers since its start; `None` without a JVM.
    pub jit_ns: Option<u64>,
}

/// Division of a warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    pub turn_ns: u64,
    /// True if nothing compiles: then a flat stretch is enough, however short. Compilers work in bursts, and a wave
    /// that goes up and down has instants at which two windows are alike, so that theirs must hold for a whole
    /// window.
    pub plain: bool,
}

impl Pace {
    /// Over how long the compilers must be quiet.
    pub fn jit_window_ns(self) -> u64 {
        self.turn_ns.saturating_mul(WINDOW_TURNS_OF_ALL as u64)
    }

    /// Turns of a window after `turns` turns of that many variants at that many load points.
    fn window_turns(self, variants: usize, points: usize, turns: usize) -> usize {
        let window = match self.plain {
            true => PLAIN_WINDOW_TURNS.max(turns / PLAIN_WINDOWS),
            false => WINDOW_TURNS_MIN.max(WINDOW_TURNS_OF_ALL.div_ceil(variants.max(1))),
        };
        window.next_multiple_of(points.max(1))
    }
}

/// Ten seconds that a warm-up may go on as it was when it had to end.
const MORE_WARM_UP: f64 = 6.0;
/// Steps that may follow one.
const MORE_STEPS: f64 = 2.0;

/// End of a variant's warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmth {
    Steady,
    /// At the cap, though neither it nor its compilers were busy with anything of its own: it waited for others.
    Capped,
    /// At the cap, while its compilers were at work, or it changed as all variants did.
    StillWarming,
    /// At the cap, while it went another way than the others.
    NoSteadyState,
    /// Nothing is known of it, or there was too little to compare.
    NotMeasured,
}

/// The last window against the one before, as logarithms of ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    pub own: f64,
    /// Largest own change that counts as none.
    pub own_allowed: f64,
    /// Change beyond that of the others; its own where there are no others.
    pub between: f64,
    /// Largest such change that counts as none.
    pub between_allowed: f64,
}

impl Change {
    fn own_is_small(&self) -> bool {
        self.own.abs() <= self.own_allowed
    }

    fn between_is_small(&self) -> bool {
        self.between.abs() <= self.between_allowed
    }
}

/// A change of speed within ten seconds, as a logarithm: 0.02 is 2 % faster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    pub own: f64,
    pub between: f64,
}

/// State of a variant when the warm-up ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub warmth: Warmth,
    /// Share of a core that the compilers used lately; `None` without a JVM.
    pub jit_share: Option<f64>,
    pub window_turns: usize,
    /// CPU time per exchange of each whole window, in nanoseconds, from the first to the last.
    pub windows_ns: Vec<Option<f64>>,
    /// CPU time per exchange, the last window against the one before; `None` when it is unknown.
    pub change: Option<Change>,
    /// The same of the throughput.
    pub throughput: Option<Change>,
    /// Speed-up that was still going on; `None` when neither is known.
    pub slope: Option<Slope>,
}

/// Further change, as a logarithm, of a variant that changed by `per_10s` within the last ten seconds of its warm-up:
/// as much in each ten seconds of a minute more. The remaining work of a compiler ends sooner, and slows down.
pub fn rest_of_warm_up(per_10s: f64) -> f64 {
    MORE_WARM_UP * per_10s.abs()
}

/// Further change, as a logarithm, of a variant that took such a step while it was measured: by two more of them.
pub fn rest_of_step(step: f64) -> f64 {
    MORE_STEPS * step.abs()
}

/// Comparison of the last turns of all variants in one quantity.
struct Compared {
    changes: Vec<Option<Change>>,
    /// Every variant stays as it is, or all move alike.
    together: bool,
    /// Variants that move another way than the others.
    differs: Vec<bool>,
}

/// Comparison of the last turns of all variants.
struct Evaluation {
    cpu: Compared,
    throughput: Compared,
    quiet: bool,
}

impl Evaluation {
    fn is_flat(&self) -> bool {
        self.cpu.together && self.throughput.together
    }

    fn is_known(&self) -> bool {
        self.cpu.changes.iter().chain(&self.throughput.changes).any(Option::is_some)
    }
}

/// Watches the warm-up of variants that take turns, and says when it may end.
#[derive(Clone, Debug)]
pub struct Watch {
    turns: Vec<Option<Vec<Turn>>>,
    points: usize,
    pace: Pace,
    /// Rounds in a row at the end of which the variants moved together.
    held: usize,
    /// For each round that could be judged, which variants moved another way.
    differed: Vec<Vec<bool>>,
}

impl Watch {
    /// For that many variants, at that many load points in turn.
    pub fn new(variants: usize, points: usize, pace: Pace) -> Watch {
        Watch { turns: vec![Some(Vec::new()); variants], points, pace, held: 0, differed: Vec::new() }
    }

    pub fn enter(&mut self, variant: usize, turn: Turn) {
        if let Some(turns) = self.turns.get_mut(variant).and_then(Option::as_mut) {
            turns.push(turn);
        }
    }

    /// The variant takes no more part.
    pub fn leave(&mut self, variant: usize) {
        if let Some(turns) = self.turns.get_mut(variant) {
            *turns = None;
        }
    }

    /// Every variant has had its turn: whether the rule is met.
    pub fn end_round(&mut self) -> bool {
        let Some(evaluation) = self.evaluate() else { return false };
        self.held = if evaluation.is_flat() { self.held + 1 } else { 0 };
        let differs = evaluation.cpu.differs.iter().zip(&evaluation.throughput.differs);
        self.differed.push(differs.map(|(cpu, throughput)| *cpu || *throughput).collect());
        let needed = if self.pace.plain { 0 } else { self.window_turns() };
        self.held > needed && evaluation.quiet && evaluation.is_known()
    }

    /// True if nothing can be told of the variants so far.
    pub fn is_blind(&self) -> bool {
        let mut turns = self.turns.iter().flatten().flatten();
        turns.all(|turn| turn.cpu_ns_per_exchange.is_none() && turn.answered_per_s.is_none())
    }

    fn window_turns(&self) -> usize {
        let turns = self.turns.iter().flatten().map(Vec::len).max().unwrap_or(0);
        self.pace.window_turns(self.turns.len(), self.points, turns)
    }

    /// The state of each variant, by number; `None` for those that left. `met` is the answer of the last
    /// [`Watch::end_round`].
    pub fn found(&self, met: bool) -> Vec<Option<Found>> {
        let evaluation = self.evaluate();
        let window_turns = self.window_turns();
        let found = |(variant, turns): (usize, &Option<Vec<Turn>>)| {
            let turns = turns.as_ref()?;
            let of = |compared: fn(&Evaluation) -> &Compared| {
                evaluation.as_ref().and_then(|evaluation| compared(evaluation).changes[variant])
            };
            let (change, throughput) = (of(|all| &all.cpu), of(|all| &all.throughput));
            let jit_share = jit_share(turns, self.pace.jit_window_ns());
            let small = [change, throughput].iter().flatten().all(Change::own_is_small);
            let warmth = match change.or(throughput) {
                None => Warmth::NotMeasured,
                Some(_) if met => Warmth::Steady,
                Some(_) if self.mostly_differed(variant) => Warmth::NoSteadyState,
                Some(_) if !small || jit_share.is_some_and(|share| share >= JIT_SHARE_MAX) => {
                    Warmth::StillWarming
                }
                Some(_) => Warmth::Capped,
            };
            let windows_ns = windows(turns, window_turns);
            let slope = slope(turns, window_turns, change, throughput);
            Some(Found { warmth, jit_share, window_turns, windows_ns, change, throughput, slope })
        };
        self.turns.iter().enumerate().map(found).collect()
    }

    /// True if the variant went its own way in most of the rounds of the last two windows.
    fn mostly_differed(&self, variant: usize) -> bool {
        let late = &self.differed[self.differed.len().saturating_sub(2 * self.window_turns())..];
        2 * late.iter().filter(|differed| differed[variant]).count() > late.len()
    }

    /// `None` while some variant has fewer turns than two windows take.
    fn evaluate(&self) -> Option<Evaluation> {
        let window = self.window_turns();
        let present = || self.turns.iter().flatten();
        if present().any(|turns| turns.len() < 2 * window) {
            return None;
        }
        let mut quiet = true;
        for turns in present().filter(|turns| turns.last().is_some_and(|turn| turn.jit_ns.is_some())) {
            quiet &= jit_share(turns, self.pace.jit_window_ns())? < JIT_SHARE_MAX;
        }
        let compared = |of: fn(&Turn) -> Option<f64>| {
            let steps = |turns: &Option<Vec<Turn>>| steps(turns.as_ref()?, window, of);
            compare(&self.turns.iter().map(steps).collect::<Vec<_>>())
        };
        Some(Evaluation {
            cpu: compared(|turn| turn.cpu_ns_per_exchange),
            throughput: compared(|turn| turn.answered_per_s),
            quiet,
        })
    }
}

/// Compares the steps of all variants in one quantity; where nothing is known, nothing moves.
fn compare(steps: &[Option<Vec<Option<f64>>>]) -> Compared {
    let changes: Vec<Option<Change>> = (0..steps.len()).map(|variant| change(steps, variant)).collect();
    let known = || changes.iter().flatten();
    let several = known().count() > 1;
    let together = known().all(Change::own_is_small) || (several && known().all(Change::between_is_small));
    let odd = |change: &Change| match known().count() {
        _ if together => false,
        1 => !change.own_is_small(),
        // Of two the one that moved.
        2 => !change.between_is_small() && change.own.abs() >= change.between.abs() / 2.0,
        _ => !change.between_is_small(),
    };
    let differs = changes.iter().map(|change| change.as_ref().is_some_and(odd)).collect();
    Compared { changes, together, differs }
}

/// Speed-up of a variant between the middles of its last two windows: by its throughput, else by its CPU.
fn slope(turns: &[Turn], window: usize, cpu: Option<Change>, throughput: Option<Change>) -> Option<Slope> {
    let change = throughput.or(cpu.map(|cpu| Change { own: -cpu.own, between: -cpu.between, ..cpu }))?;
    let late = &turns[turns.len().checked_sub(2 * window)?..];
    let apart = |at: usize| late[window + at].ended_ns.saturating_sub(late[at].ended_ns) as f64;
    let apart_ns = (0..window).map(apart).sum::<f64>() / window as f64;
    let per = SLOPE_NS / apart_ns;
    (apart_ns > 0.0).then_some(Slope { own: change.own * per, between: change.between * per })
}

fn usable(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value > 0.0)
}

/// Log-ratios of the turns of the last window to those of the window before, in order. `None` when less than half
/// of them are known.
fn steps(turns: &[Turn], window: usize, of: fn(&Turn) -> Option<f64>) -> Option<Vec<Option<f64>>> {
    let late = &turns[turns.len().checked_sub(2 * window)?..];
    let step = |at: usize| Some(usable(of(&late[window + at]))?.ln() - usable(of(&late[at]))?.ln());
    let steps: Vec<Option<f64>> = (0..window).map(step).collect();
    (2 * steps.iter().flatten().count() >= window).then_some(steps)
}

fn change(steps: &[Option<Vec<Option<f64>>>], variant: usize) -> Option<Change> {
    let own: Vec<f64> = steps[variant].as_ref()?.iter().flatten().copied().collect();
    let others: Vec<f64> = beyond_the_others(steps, variant).into_iter().flatten().collect();
    let allowed = |values: &[f64]| CHANGE_MIN.ln_1p().max(STANDARD_ERRORS * standard_error(values));
    Some(Change {
        own: mean(&own)?,
        own_allowed: allowed(&own),
        between: mean(&others)?,
        between_allowed: allowed(&others),
    })
}

/// Of the mean, from the differences of neighbours (von Neumann, 1941): a step among the values is then not taken for
/// noise, behind which it would hide itself.
fn standard_error(values: &[f64]) -> f64 {
    let differences = values.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>();
    let variance = differences / (2 * values.len().saturating_sub(1).max(1)) as f64;
    (variance / values.len().max(1) as f64).sqrt()
}

/// A series less what the others have at the same place: of two the other, of more the median of all.
fn beyond_the_others(series: &[Option<Vec<Option<f64>>>], variant: usize) -> Vec<Option<f64>> {
    let Some(own) = &series[variant] else { return Vec::new() };
    let known: Vec<usize> = (0..series.len()).filter(|at| series[*at].is_some()).collect();
    let value =
        |of: usize, at: usize| series[of].as_ref().and_then(|values| values.get(at).copied().flatten());
    let reference = |at: usize| match known.len() {
        1 => Some(0.0),
        2 => value(*known.iter().find(|other| **other != variant)?, at),
        _ => median(&known.iter().filter_map(|of| value(*of, at)).collect::<Vec<_>>()),
    };
    (0..own.len()).map(|at| Some(own[at]? - reference(at)?)).collect()
}

/// Geometric means of whole windows, the last one ending with the last turn.
fn windows(turns: &[Turn], window: usize) -> Vec<Option<f64>> {
    let whole = turns.len() / window * window;
    let mean = |turns: &[Turn]| {
        let logs: Vec<f64> =
            turns.iter().filter_map(|turn| Some(usable(turn.cpu_ns_per_exchange)?.ln())).collect();
        Some(Moments::of(&logs)?.mean.exp())
    };
    turns[turns.len() - whole..].chunks(window).map(mean).collect()
}

/// Share of a core that the compilers used over the last `window_ns`; `None` when that is not known.
fn jit_share(turns: &[Turn], window_ns: u64) -> Option<f64> {
    let last = turns.last()?;
    let long_ago = |turn: &&Turn| last.ended_ns.saturating_sub(turn.ended_ns) >= window_ns;
    let then = turns.iter().rev().find(long_ago)?;
    let spent_ns = last.jit_ns?.saturating_sub(then.jit_ns?);
    Some(spent_ns as f64 / (last.ended_ns - then.ended_ns) as f64)
}

/// A step within the measured slices of a block: where the cycles part best into an earlier and a later stretch.
/// Changes are logarithms of ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepChange {
    /// Cycles before it.
    pub after_cycles: usize,
    /// The later stretch against the earlier one, the variant's own.
    pub own: f64,
    /// The same beyond what the others did.
    pub between: f64,
    /// Largest such step that counts as none.
    pub allowed: f64,
    /// True if the variant moved another way than the others: the block has no steady state for it.
    pub differs: bool,
}

/// Looks for a step in the measured slices of a block: `logs` are the logarithms of CPU per exchange, for each variant
/// cycle by cycle. `None` for variants of which too little is known. Without any step one is found in a hundredth of
/// all blocks.
pub fn late_steps(logs: &[Vec<Option<f64>>]) -> Vec<Option<StepChange>> {
    let series: Vec<Option<Vec<Option<f64>>>> =
        logs.iter().map(|logs| logs.iter().any(Option::is_some).then(|| logs.clone())).collect();
    let known = series.iter().flatten().count();
    let step = |variant: usize| {
        // Both are of the cycles in which the others are known as well.
        let beyond = beyond_the_others(&series, variant);
        let own = series[variant].as_ref()?;
        let cycles: Vec<usize> = (0..own.len()).filter(|at| beyond[*at].is_some()).collect();
        let of = |values: &[Option<f64>]| cycles.iter().filter_map(|at| values[*at]).collect::<Vec<f64>>();
        let (own, beyond) = (of(own), of(&beyond));
        let (split, between, allowed) = best_split(&beyond)?;
        let (after_cycles, own) = (cycles[split], mean(&own[split..])? - mean(&own[..split])?);
        let moved = known != 2 || own.abs() >= between.abs() / 2.0;
        Some(StepChange { after_cycles, own, between, allowed, differs: between.abs() > allowed && moved })
    };
    (0..series.len()).map(step).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    Moments::of(values).map(|moments| moments.mean)
}

/// The split with the most standard errors between its sides: its place, the difference, and the largest difference
/// that counts as none.
fn best_split(values: &[f64]) -> Option<(usize, f64, f64)> {
    let least = (values.len() / 4).max(2);
    let splits = least..(values.len() + 1).saturating_sub(least);
    let tail = STEP_TAIL / splits.len().max(1) as f64;
    let split = |at: usize| {
        let (early, late) = (Moments::of(&values[..at])?, Moments::of(&values[at..])?);
        let freedom = early.n + late.n - 2;
        let squares = early.sd.powi(2) * f64::from(early.n - 1) + late.sd.powi(2) * f64::from(late.n - 1);
        let spread = (squares / f64::from(freedom)).sqrt();
        let error = spread * (1.0 / f64::from(early.n) + 1.0 / f64::from(late.n)).sqrt();
        let difference = late.mean - early.mean;
        let allowed = CHANGE_MIN.ln_1p().max(student::critical(tail, freedom) * error);
        Some((at, difference, allowed))
    };
    let beyond = |found: &(usize, f64, f64)| found.1.abs() / found.2;
    splits.filter_map(split).max_by(|a, b| beyond(a).total_cmp(&beyond(b)))
}

#[cfg(test)]
mod tests;
