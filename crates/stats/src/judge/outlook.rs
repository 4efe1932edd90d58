//! Remaining length of a study.
//!
//! Mean and spread of the blocks of each open claim are continued at random a few hundred times:
//! mean and spread are drawn from their possible values after these blocks (the usual posterior, with neither known
//! before), blocks are drawn from those, and the looks are taken as the judge takes them, until every claim is
//! settled or given up. The same blocks give the same answer: the seed is fixed.

use super::decide::{Frame, frame};
use super::evaluate::{FUTILE_BELOW, Halves, half_at_last, wider};
use super::{Replay, replay};
use crate::design::{At, Bounds};
use crate::rng::Rng;
use crate::sample::Moments;
use crate::{Between, Claim, Design, Lent, Observations, Outlook, Reason, Scope, next_look};

const PATHS: usize = 300;

/// Share of them below `low`, and above `high`.
const TAIL: f64 = 0.05;

const SEED: u64 = 0x6c6f_6f6b;

/// Further blocks that it may take until every claim is settled. `None` when all are, without claims, or when the
/// last look is behind.
pub fn outlook(claims: &[Claim], observations: &Observations, design: &Design) -> Option<Outlook> {
    replay(claims, observations, design, of_replay)
}

/// An open claim as it is now.
struct Open {
    frame: Frame,
    moments: Moments,
    /// Spread between sittings, which makes its interval wider.
    between: Option<Between>,
    /// The spread that was lent to it.
    lent: Option<Lent>,
    /// Something forbids a verdict that more blocks do not heal.
    held: bool,
}

/// The same, on one of the ways in which it may go on.
struct Walker<'a> {
    open: &'a Open,
    mean: f64,
    sd: f64,
    now: Moments,
    settled: bool,
    given_up: bool,
}

fn of_replay(mut replay: Replay<'_>, blocks: u32) -> Option<Outlook> {
    if replay.units.are_sittings() {
        // The common part of a sitting that is still to come is not known.
        return None;
    }
    let usable = replay.open().map(|case| replay.cases[case].usable(blocks)).min();
    let have = usable.unwrap_or(blocks);
    let first = next_look(replay.design, have)?;
    if replay.cases.is_empty() || replay.settled.iter().all(Option::is_some) {
        return None;
    }
    let (soonest, last) = (first - have, replay.design.last() - have);
    let open: Vec<usize> = replay.open().collect();
    let mut known = Vec::new();
    for case in open {
        let Some(open) = open_case(&mut replay, case, blocks) else {
            // One block has no spread: anything may come.
            return Some(Outlook { low: soonest, median: last, high: last, last });
        };
        known.push(open);
    }
    let given_up = replay.given_up.iter().filter(|given_up| **given_up).count() as u32;
    let mut rng = Rng::new(SEED);
    let mut bounds = Bounds::new(replay.design);
    let mut ends: Vec<u32> = (0..PATHS)
        .map(|_| path(&known, replay.design, &mut bounds, have, given_up, &mut rng) - have)
        .collect();
    ends.sort_unstable();
    let at = |share: f64| ends[((PATHS - 1) as f64 * share).round() as usize];
    Some(Outlook { low: at(TAIL), median: at(0.5), high: at(1.0 - TAIL), last })
}

/// An open claim after all blocks there are; `None` where they have no spread.
fn open_case(replay: &mut Replay<'_>, case: usize, have: u32) -> Option<Open> {
    let sides: Vec<_> = replay.cases[case].sides.iter().flatten().copied().collect();
    let frame = frame(&replay.cases[case], &sides)?;
    let moments = Moments::of(&frame.values).filter(|moments| moments.n > 1)?;
    let evaluation = replay.evaluate(case, have, have);
    let for_good = |reason: &Reason| {
        matches!(reason, Reason::ClientLimited { .. } | Reason::Errors { .. } | Reason::NotResolvable { .. })
    };
    let between = match evaluation.scope {
        Scope::Widened(between) => Some(between),
        Scope::ThisSitting | Scope::Sittings(_) => None,
    };
    let lent = replay.lent[case];
    Some(Open { frame, moments, between, lent, held: evaluation.reasons.iter().any(for_good) })
}

/// Blocks in all when every claim is settled or given up, on one way.
fn path(
    known: &[Open],
    design: &Design,
    bounds: &mut Bounds<'_>,
    have: u32,
    given_up: u32,
    rng: &mut Rng,
) -> u32 {
    let mut walkers: Vec<Walker<'_>> = known.iter().map(|open| Walker::begin(open, rng)).collect();
    let mut at = have;
    for &look in design.looks.iter().filter(|&&look| look > have) {
        for walker in walkers.iter_mut().filter(|walker| walker.is_open()) {
            (at..look).for_each(|_| walker.step(rng));
        }
        at = look;
        loop {
            let sharing = given_up + walkers.iter().filter(|walker| !walker.settled).count() as u32;
            let mut any = false;
            for walker in walkers.iter_mut().filter(|walker| walker.is_open()) {
                walker.settled = walker.decides(bounds, sharing);
                any |= walker.settled;
            }
            if !any {
                break;
            }
        }
        if design.futility && look < design.last() {
            for walker in walkers.iter_mut().filter(|walker| walker.is_open()) {
                walker.given_up = walker.is_futile(bounds, design);
            }
        }
        if !walkers.iter().any(Walker::is_open) {
            return look;
        }
    }
    design.last()
}

impl<'a> Walker<'a> {
    /// With a mean and a spread that the claim may have.
    fn begin(open: &'a Open, rng: &mut Rng) -> Walker<'a> {
        let Moments { n, mean, sd } = open.moments;
        let squares: f64 = (1..n).map(|_| rng.normal().powi(2)).sum();
        let sd = if squares > 0.0 { sd * (f64::from(n - 1) / squares).sqrt() } else { sd };
        let mean = mean + sd / f64::from(n).sqrt() * rng.normal();
        Walker { open, mean, sd, now: open.moments, settled: false, given_up: false }
    }

    fn is_open(&self) -> bool {
        !self.settled && !self.given_up
    }

    /// One block more (Welford's recurrence).
    fn step(&mut self, rng: &mut Rng) {
        let value = self.mean + self.sd * rng.normal();
        let Moments { n, mean, sd } = self.now;
        let apart = value - mean;
        let mean = mean + apart / f64::from(n + 1);
        let squares = sd * sd * f64::from(n - 1) + apart * (value - mean);
        self.now = Moments { n: n + 1, mean, sd: (squares / f64::from(n)).sqrt() };
    }

    fn decides(&self, bounds: &mut Bounds<'_>, claims: u32) -> bool {
        let lent = self.open.lent;
        let at = At { blocks: self.now.n, claims, ends: false, lends: lent.is_some() };
        let halves = Halves::of(&self.now, bounds, at, lent, self.now.sd == 0.0);
        let widened = |between| wider(halves.half, &halves, &self.now, &between);
        let half = self.open.between.map_or(halves.half, widened);
        let (low, high) = (self.now.mean - half, self.now.mean + half);
        !self.open.held && self.open.frame.decide(low, high).is_some()
    }

    fn is_futile(&self, bounds: &mut Bounds<'_>, design: &Design) -> bool {
        let half = half_at_last(bounds, design, &self.now, self.open.lent);
        let chance = self.open.frame.chance_at_last(&self.now, design.last(), half);
        !self.open.held && chance.is_some_and(|chance| chance < FUTILE_BELOW)
    }
}
