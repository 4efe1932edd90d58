//! One claim at one moment: its estimate, its interval, and what follows from them.

use super::decide::{Frame, Scale};
use super::depends::{DependenceTerms, Dependences};
use super::estimated::{estimate, widened};
use super::evaluation::{Evaluation, Progress, not_measured};
use super::flaws::Flaws;
use super::observed::{Observed, observed};
use super::series::{Series, Sides};
use super::{fact, guard};
use crate::design::{A_PRIORI_SPREAD, At, Bounds, CONSTANT_BLOCKS_MIN, blocks_needed};
use crate::sample::Moments;
use crate::{
    Between, Borrowed, Comparison, Design, Lent, Measure, OverSittings, Projection, Reach, Reason, Scope,
    Side, Sittings, hodges_lehmann, student,
};

/// The resolution that projections are made for: ±5 %.
const PROJECTED_RESOLUTION: f64 = 0.05;

/// Share from which on the verdict mentions that an interval is wider for the generator's own delays.
const TOLD_FROM: f64 = 0.01;

/// Probability that the next sitting lies outside of its prediction.
const PREDICTION_TAIL: f64 = 0.05;

/// A claim is closed as undecided when the last look would settle it with a smaller probability than this.
pub(super) const FUTILE_BELOW: f64 = 0.02;

/// Looks at a claim with the first blocks there are. A server that died under load had errors, however few were seen.
pub(super) fn evaluate(
    series: &Series<'_>,
    bounds: &mut Bounds<'_>,
    design: &Design,
    progress: Progress,
) -> Evaluation {
    let mut evaluation = match series.spoiled(progress.blocks).filter(|_| !series.is_fact()) {
        Some(spoiled) => evaluate_without(spoiled, series, bounds, design, progress),
        None => evaluate_exchanges(series, bounds, design, progress, 0),
    };
    if let Some(died) = guard::died(series, progress.begun) {
        (evaluation.decided, evaluation.permanent) = (Some(false), true);
        (evaluation.futile, evaluation.reasons) = (None, vec![died]);
    }
    evaluation
}

/// Leaves out for all variants alike the few blocks in which the generator was unfit with any of them.
fn evaluate_without(
    spoiled: u32,
    series: &Series<'_>,
    bounds: &mut Bounds<'_>,
    design: &Design,
    progress: Progress,
) -> Evaluation {
    let (blocks, begun) = (progress.blocks - spoiled, progress.begun.saturating_sub(spoiled));
    let sound = series.without_spoiled();
    let left = Progress { blocks, begun, ..progress };
    let mut evaluation = evaluate_exchanges(&sound, bounds, design, left, spoiled);
    evaluation.reasons.push(Reason::SpoiledBlocks { blocks: spoiled, of: progress.blocks });
    evaluation
}

/// `spoiled` blocks beside them were left out.
fn evaluate_exchanges(
    series: &Series<'_>,
    bounds: &mut Bounds<'_>,
    design: &Design,
    progress: Progress,
    spoiled: u32,
) -> Evaluation {
    if series.is_fact() {
        return fact::evaluate(series, design, progress);
    }
    let flaws = Flaws::of(series, progress.blocks);
    let mut guards = guard::guards(series, progress.blocks, progress.begun, progress.disturbed);
    let confidence = 1.0 - design.alpha / f64::from(progress.open);
    let mut evaluation = Evaluation::empty(0, confidence);
    let blocks = series.sides.iter().take(progress.blocks as usize).enumerate();
    let used: Vec<usize> = blocks.filter(|(_, sides)| sides.is_some()).map(|(block, _)| block).collect();
    let with_sitting = |&block: &usize| Some((series.sittings[block], series.sides[block]?));
    let sides: Vec<(u32, Sides)> = used.iter().filter_map(with_sitting).collect();
    let missing = not_measured(series, progress.blocks);
    let Some(Observed { frame, by_block, moments, blocks, is_constant, sittings }) = observed(series, &sides)
    else {
        evaluation.reasons = guards;
        evaluation.reasons.extend(nothing_to_estimate(series, progress.blocks, missing));
        evaluation.limited(flaws);
        return evaluation;
    };
    evaluation.blocks = blocks;
    let constant = is_constant && blocks >= CONSTANT_BLOCKS_MIN;
    let is_log = sittings.is_none() && frame.scale == Scale::Log;
    let lent = progress.lent.filter(|_| is_log);
    let (claims, ends) = (progress.open, progress.spends_the_rest);
    let at = At { blocks: moments.n, claims, ends, lends: progress.lent.is_some() };
    let halves = Halves::of(&moments, bounds, at, lent, constant);
    let known = design.between(series.claim).filter(|_| is_log);
    let widened_to = |half| known.map_or(half, |between| wider(half, &halves, &moments, between));
    let half = widened_to(halves.half);
    let centre = hodges_lehmann::estimate(&frame.values).unwrap_or(moments.mean);
    let reach = match design.method {
        0 => flaws.reach_on(frame.scale),
        _ => flaws.reach_on(frame.scale).and(of_left_out(&frame.values, &moments, spoiled)),
    };
    let with_half = |half| widened(estimate(series, &frame, &moments, half, centre), reach);
    evaluation.estimate = Some(with_half(half));
    evaluation.borrowed = lent.map(|lent| Borrowed {
        lent,
        is_used: halves.is_by_lent,
        own: moments.sd,
        plain: with_half(widened_to(halves.plain)),
    });
    evaluation.scope = match (sittings, known) {
        (Some(found), _) => over_sittings(series, &frame, found, centre),
        (None, Some(between)) => Scope::Widened(*between),
        (None, None) => Scope::ThisSitting,
    };
    if sittings.is_none() {
        evaluation.projection = projection(design, &frame, &moments, &progress);
    }
    guards.extend(guard::of_values(&frame));
    let between = known.copied().filter(|_| half > halves.half);
    let of = Basis { are_sittings: sittings.is_some(), between };
    let terms = DependenceTerms { open: progress.open, reach, used: &used, sittings: of.are_sittings };
    let depends = Dependences::of(series, &frame, &by_block, bounds, &terms);
    let finding = Finding { frame, moments, half, of, reach, centre, depends, design, progress };
    let beyond_warm_up = finding.beyond_warm_up(series, &guards);
    let few = guard::few(design, moments.n, half, of.are_sittings);
    if let Some(few) = few.filter(|_| !progress.spends_the_rest) {
        evaluation.reasons = vec![few];
        evaluation.reasons.extend(guards);
    } else if !guards.is_empty() && beyond_warm_up.is_none() {
        evaluation.reasons = guards;
    } else if constant && reach == Reach::NONE {
        finding.constant(series, &mut evaluation);
    } else {
        finding.estimated(&mut evaluation);
        evaluation.reasons.extend(beyond_warm_up);
        let may_close = design.futility && !of.are_sittings && !finding.depends.suspected;
        if evaluation.decided.is_none() && may_close {
            evaluation.futile = finding.futile(half_at_last(bounds, design, &moments, lent));
        }
    }
    evaluation.limited(flaws);
    evaluation.reasons.extend(missing);
    evaluation
}

fn nothing_to_estimate(series: &Series<'_>, blocks: u32, missing: Vec<Reason>) -> Vec<Reason> {
    match (blocks, missing.is_empty()) {
        (0, _) => vec![Reason::NoData],
        (_, false) => missing,
        // Every value is there and yet no ratio of them: one of a ratio's sides is zero.
        (_, true) => every_trial(series, blocks),
    }
}

/// Ratio of the assumed distance of left-out blocks from the mean to that of the farthest of the others.
const LEFT_OUT_MARGIN: f64 = 2.0;

/// Distance of the mean from that of all blocks when some were left out. A generator may be unfit because a server
/// was fast: the blocks that it spoiled may all have been such ones.
fn of_left_out(values: &[f64], moments: &Moments, spoiled: u32) -> Reach {
    let share = f64::from(spoiled) / f64::from(moments.n + spoiled);
    let farthest = |sign: f64| {
        values.iter().map(|value| sign * (value - moments.mean)).fold(0.0, f64::max) * LEFT_OUT_MARGIN * share
    };
    Reach { below: farthest(-1.0), above: farthest(1.0) }
}

/// Half the widths of the intervals that a claim may have.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    /// Of the one that is judged: the narrower one where a spread was lent.
    pub half: f64,
    /// Of the one by the own spread at the whole of the error rate, which is that one where nothing was lent.
    plain: f64,
    /// True where it is that by the lent spread.
    is_by_lent: bool,
}

impl Halves {
    pub fn of(
        moments: &Moments,
        bounds: &mut Bounds<'_>,
        at: At,
        lent: Option<Lent>,
        constant: bool,
    ) -> Halves {
        if constant || moments.sd == 0.0 {
            let half = if constant { 0.0 } else { f64::INFINITY };
            return Halves { half, plain: half, is_by_lent: false };
        }
        let plain = bounds.at(At { lends: false, ..at }).own * moments.standard_error();
        let critical = bounds.at(at);
        let half = critical.half(moments, lent);
        Halves { half, plain, is_by_lent: half < critical.own * moments.standard_error() }
    }
}

/// Half the width of an interval that is wider for what earlier sittings differed by, at the error rate that the interval
/// of the blocks alone has; never narrower than that.
pub(super) fn wider(half: f64, halves: &Halves, moments: &Moments, between: &Between) -> f64 {
    if half == 0.0 || half.is_infinite() || between.tau == 0.0 {
        return half;
    }
    let tail = student::two_sided_tail(halves.plain / moments.standard_error(), moments.n - 1);
    if half == halves.plain {
        return half.max(between.half_around(moments, tail));
    }
    // Two independent errors, each within its half: their sum is within the root of the sum of squares.
    half.hypot(between.half_around(&Moments { sd: 0.0, ..*moments }, tail))
}

/// Half the width of the interval at the last look, if every other claim had settled by then and the spread stayed what it is.
pub(super) fn half_at_last(
    bounds: &mut Bounds<'_>,
    design: &Design,
    moments: &Moments,
    lent: Option<Lent>,
) -> f64 {
    let at = At { blocks: design.last(), claims: 1, ends: false, lends: lent.is_some() };
    bounds.at(at).half(&Moments { n: design.last(), ..*moments }, lent)
}

/// Result of the sittings, with the prediction of the next one.
fn over_sittings(series: &Series<'_>, frame: &Frame, found: Sittings, centre: f64) -> Scope {
    let half = found.prediction_half(PREDICTION_TAIL);
    let prediction = estimate(series, frame, &found.means, half, centre);
    Scope::Sittings(OverSittings { found, prediction, is_log: frame.scale == Scale::Log })
}

fn every_trial(series: &Series<'_>, blocks: u32) -> Vec<Reason> {
    let trials = series.trials.iter();
    trials
        .map(|trial| Reason::NotMeasured {
            measure: trial.measure,
            variant: trial.variant,
            point: trial.point,
            stream: trial.stream,
            blocks,
        })
        .collect()
}

fn projection(design: &Design, frame: &Frame, moments: &Moments, progress: &Progress) -> Option<Projection> {
    let reach = match frame.scale {
        Scale::Log => PROJECTED_RESOLUTION.ln_1p(),
        Scale::Plain => PROJECTED_RESOLUTION * moments.mean.abs(),
        Scale::Difference => return None,
    };
    let assumed = moments.n < 2;
    let spread = match assumed {
        true if frame.scale == Scale::Log => A_PRIORI_SPREAD,
        true => return None,
        false => moments.sd,
    };
    let blocks = match spread == 0.0 {
        true => moments.n.max(CONSTANT_BLOCKS_MIN),
        false => blocks_needed(design, progress.open, spread, reach, 0, lent_on(frame.scale, progress))?,
    };
    Some(Projection { resolution: PROJECTED_RESOLUTION, blocks, assumed })
}

/// The spread that was lent, where logarithms are judged.
fn lent_on(scale: Scale, progress: &Progress) -> Option<Lent> {
    progress.lent.filter(|_| scale == Scale::Log)
}

/// Basis of an interval.
#[derive(Clone, Copy)]
struct Basis {
    /// Means of sittings, not blocks of one.
    are_sittings: bool,
    /// Spread between sittings, which makes the interval of one sitting wider.
    between: Option<Between>,
}

/// An estimate with an interval, to be compared with what is claimed.
struct Finding<'a> {
    frame: Frame,
    moments: Moments,
    half: f64,
    of: Basis,
    /// Distance of the servers' own quantity from the measured one.
    reach: Reach,
    centre: f64,
    depends: Dependences,
    design: &'a Design,
    progress: Progress,
}

impl Finding<'_> {
    /// Answer of the interval widened by that reach.
    fn decide(&self, reach: Reach) -> Option<bool> {
        let (mean, half) = (self.moments.mean, self.half);
        self.frame.decide(mean - half - reach.below, mean + half + reach.above)
    }

    fn estimated(&self, evaluation: &mut Evaluation) {
        let bounded = self.reach.bounded();
        let share = bounded.below.max(bounded.above).exp_m1();
        if share >= TOLD_FROM {
            evaluation.reasons.push(Reason::Widened { share });
        }
        evaluation.reasons.splice(0..0, self.depends.found.iter().cloned());
        match self.decide(self.reach) {
            Some(_) if self.depends.differ() => {}
            Some(decided) => {
                let guards = guard::of_estimate(&self.frame, self.moments.mean, self.centre);
                evaluation.decided = guards.is_empty().then_some(decided);
                evaluation.reasons.extend(guards);
            }
            None if self.depends.differ() => {}
            // A cause without a bound keeps it open, and more blocks do not bound it.
            None if self.reach.is_any() || self.decide(bounded).is_some() => {
                evaluation.is_hopeless = !self.reach.is_any() && self.is_kept_open_by(self.reach);
            }
            None if self.decide(Reach::NONE).is_some() => {
                evaluation.is_hopeless = self.is_kept_open_by(self.reach.half());
                let (mean, half) = (self.moments.mean, self.half);
                let margin = self.frame.margin(mean - half, mean + half).exp_m1();
                evaluation.reasons.retain(|reason| !matches!(reason, Reason::Widened { .. }));
                evaluation.reasons.push(Reason::MayAccountFor { share, margin });
            }
            None => {
                evaluation.is_hopeless = self.is_kept_open_by(self.reach.half());
                if evaluation.is_hopeless {
                    evaluation.reasons.push(Reason::MayAccountFor { share, margin: 0.0 });
                }
                evaluation.reasons.push(self.crosses());
            }
        }
        let wider = self.of.between;
        let told = wider.map(|Between { tau, sittings, .. }| Reason::WidenedBySittings { tau, sittings });
        evaluation.reasons.extend(told);
    }

    /// True if that would be so wherever in the interval the mean of more blocks lay; by the older rules nothing ends
    /// for it.
    fn is_kept_open_by(&self, reach: Reach) -> bool {
        let (mean, half) = (self.moments.mean, self.half);
        let is_open = |mean: f64| self.frame.decide(mean - reach.below, mean + reach.above).is_none();
        self.design.method > 0
            && reach != Reach::NONE
            && [mean - half, mean, mean + half].into_iter().all(is_open)
    }

    /// Reason for a verdict although variants were still warming, where nothing else speaks against it: the change
    /// that they may still make could not turn it.
    fn beyond_warm_up(&self, series: &Series<'_>, guards: &[Reason]) -> Option<Reason> {
        let [Reason::NoSteadyState { blocks, of, .. }] = guards else { return None };
        let rest = guard::rest_of_warm_up(series, self.progress.blocks)?;
        let may_change = Reach { below: rest, above: rest };
        let is_clear = self.frame.scale == Scale::Log && self.decide(self.reach.and(may_change)).is_some();
        is_clear.then(|| Reason::BeyondWarmUp { blocks: *blocks, of: *of, share: rest.exp_m1() })
    }

    /// Reason that the interval allows both, with the further blocks that would settle it.
    fn crosses(&self) -> Reason {
        let resolution = self.resolution();
        match self.of.are_sittings {
            true => Reason::SittingsCross { resolution, more_sittings: self.more() },
            false => Reason::IntervalCrosses { resolution, more_blocks: self.more() },
        }
    }

    /// Reason why the last look is not worth waiting for; `half` is half the width that the interval would have
    /// there.
    fn futile(&self, half: f64) -> Option<Reason> {
        let last = self.design.last();
        let chance = self.frame.chance_at_last(&self.moments, last, half)?;
        (chance < FUTILE_BELOW).then_some(Reason::Futile { last, chance })
    }

    /// Half-width as a share of the estimate.
    fn resolution(&self) -> f64 {
        match self.frame.scale {
            Scale::Log => self.half.exp_m1(),
            Scale::Plain | Scale::Difference if self.moments.mean == 0.0 => f64::INFINITY,
            Scale::Plain | Scale::Difference => self.half / self.moments.mean.abs(),
        }
    }

    /// Further blocks, or sittings, until the interval is narrow enough. However many blocks there are, that of one
    /// sitting does not get narrower than the spread between sittings makes it.
    fn more(&self) -> Option<u32> {
        let reach = self.frame.reach(&self.moments)?;
        let floor = self.of.between.map_or(0.0, |between| {
            between.half_around(&Moments { sd: 0.0, ..self.moments }, self.design.alpha)
        });
        let Moments { n, sd, .. } = self.moments;
        let lent = lent_on(self.frame.scale, &self.progress).filter(|_| !self.of.are_sittings);
        let needed = blocks_needed(self.design, self.progress.open, sd, reach, n, lent)?;
        (floor < reach).then(|| needed - self.moments.n)
    }

    /// Values that never changed are compared exactly; a share of errors that was always zero only as far
    /// as the number of exchanges carries.
    fn constant(&self, series: &Series<'_>, evaluation: &mut Evaluation) {
        let holds = self.frame.decide_constant(self.moments.mean);
        let exchanges = no_error_in(series, self.progress.blocks);
        let Some(exchanges) = exchanges.filter(|_| self.moments.mean == 0.0) else {
            evaluation.decided = Some(holds);
            evaluation.reasons.push(Reason::Constant);
            return;
        };
        let upper = fact::upper_share(0, exchanges);
        if let Some(estimate) = &mut evaluation.estimate {
            estimate.high = upper;
        }
        let below = matches!(series.claim.comparison, Comparison::Less | Comparison::AtMost);
        let proven = !below || !holds || self.frame.boundary <= 0.0 || upper < self.frame.boundary;
        if proven {
            evaluation.decided = Some(holds);
            evaluation.reasons.push(Reason::Constant);
        } else {
            let needed = f64::from(self.progress.blocks) * upper / self.frame.boundary;
            let more = needed.ceil() - f64::from(self.progress.blocks);
            let more_blocks = (more < 1e6).then_some((more as u32).max(1));
            evaluation.reasons.push(Reason::IntervalCrosses { resolution: upper, more_blocks });
        }
        evaluation.reasons.push(fact::seen_only(exchanges, 0, u64::from(evaluation.blocks), 0));
    }
}

/// The exchanges behind a claim that compares one error share with a constant; `None` where one of them failed.
fn no_error_in(series: &Series<'_>, blocks: u32) -> Option<u64> {
    let [trial] = series.trials[..] else { return None };
    if trial.measure != Measure::ErrorShare || !matches!(series.claim.right, Side::Constant(_)) {
        return None;
    }
    let mut cells = series.cells.iter().take(blocks as usize).flatten().flatten();
    cells.try_fold(0_u64, |sum, cell| (cell.errors == 0).then(|| sum.saturating_add(cell.finished)))
}
