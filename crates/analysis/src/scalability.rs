//! Knee, plateau and peak of each variant on the ladder of connections that a study's load points are.

use crate::figures::TABLE_TAIL;
use crate::guard::against;
use crate::observe::observations;
use proofload_facts::{Limit, Reason};
use proofload_stats::{Cell, Fitted, Ladder, MeanInterval, Measure, NoKnee, NoLadder, NoPeak, Rung};
use proofload_store::schema::{Estimate, LoadPoint, Model, Plan, Scalability};
use proofload_store::{Run, StoreError};
use std::collections::BTreeMap;

/// Measures that a ladder is read from.
const MEASURES: [Measure; 2] = [Measure::Throughput, Measure::ResponseMean];

/// Observed cells: by measure, variant, load point and block.
type Cells<'a> = BTreeMap<(Measure, usize, usize, u32), &'a Cell>;

/// One entry for each variant; none where the load points are not a ladder.
///
/// # Errors
/// Fails if the record cannot be read.
pub(crate) fn scalability(run: &Run) -> Result<Vec<Scalability>, StoreError> {
    let plan = run.plan();
    let ladders = ladders(plan);
    if ladders.is_empty() {
        return Ok(Vec::new());
    }
    let observations = observations(run, &MEASURES)?;
    let key = |cell: &Cell| (cell.measure, cell.variant, cell.point, cell.block);
    let whole = observations.cells.iter().filter(|cell| cell.stream.is_none());
    let cells: Cells<'_> = whole.map(|cell| (key(cell), cell)).collect();
    let blocks = &observations.blocks;
    let climb =
        |points: &Vec<usize>, variant| Climb { plan, points, cells: &cells, blocks, variant }.result();
    let of_ladder = |points| (0..plan.variants.len()).map(move |variant| (points, variant));
    Ok(ladders.iter().flat_map(of_ladder).map(|(points, variant)| climb(points, variant)).collect())
}

/// A ladder for each request that is asked alone, one for those that are a mix; only with two rungs or more.
fn ladders(plan: &Plan) -> Vec<Vec<usize>> {
    let mut asked: Vec<&str> = Vec::new();
    for point in &plan.points {
        if !asked.contains(&point.asks.as_str()) {
            asked.push(&point.asks);
        }
    }
    asked.into_iter().map(|asks| points(plan, asks)).filter(|points| points.len() >= 2).collect()
}

/// Indexes of the load points that differ in nothing but their connections, the fewest first. An open loop has no
/// ladder of connections, and neither have loads with a shape or in streams.
fn points(plan: &Plan, asks: &str) -> Vec<usize> {
    let is_plain = |point: &LoadPoint| {
        point.model == Model::Closed
            && point.connections > 0
            && !point.whole
            && point.profile.is_empty()
            && point.streams.is_empty()
            && point.asks == asks
    };
    let pace = |point: &LoadPoint| (point.think_ns, point.think.clone(), point.keep_alive.clone());
    let Some(first) = plan.points.iter().find(|point| is_plain(point)) else { return Vec::new() };
    let mut points: Vec<usize> = (0..plan.points.len())
        .filter(|at| is_plain(&plan.points[*at]) && pace(&plan.points[*at]) == pace(first))
        .collect();
    points.sort_by_key(|at| plan.points[*at].connections);
    points.dedup_by_key(|at| plan.points[*at].connections);
    points
}

/// One variant on the ladder.
struct Climb<'a> {
    plan: &'a Plan,
    points: &'a [usize],
    cells: &'a Cells<'a>,
    blocks: &'a [u32],
    variant: usize,
}

impl Climb<'_> {
    fn result(&self) -> Scalability {
        let mut reasons = Vec::new();
        let mut kept = Vec::new();
        for &point in self.points {
            match self.against(point) {
                Some(why) => reasons.push(Reason::LevelLeftOut {
                    connections: self.plan.points[point].connections,
                    why: Box::new(why),
                }),
                None => kept.push(point),
            }
        }
        let ladder = self.ladder(&kept);
        let mut result = Scalability {
            variant: self.plan.variants[self.variant].name.clone(),
            asks: self.points.first().map(|point| self.plan.points[*point].asks.clone()).unwrap_or_default(),
            connections: ladder.rungs.iter().map(|rung| rung.connections).collect(),
            blocks: ladder.low_response_ns.len() as u32,
            confidence: 1.0 - TABLE_TAIL,
            think_ns: self.plan.points[self.points[0]].think_ns,
            ..Scalability::default()
        };
        // Variants that take part in the same study shall not share their luck.
        let seed = self.plan.seed.wrapping_add(self.variant as u64);
        match proofload_stats::scalability(&ladder, TABLE_TAIL, seed) {
            Ok(found) => {
                enter(&found, &mut result);
                result.reasons.append(&mut reasons);
            }
            Err(why) => result.reasons = std::iter::once(no_ladder(&why)).chain(reasons).collect(),
        }
        result
    }

    fn cell(&self, measure: Measure, point: usize, block: u32) -> Option<&Cell> {
        self.cells.get(&(measure, self.variant, point, block)).copied()
    }

    /// Reason why a load point does not count: a guard against verdicts about its throughput.
    fn against(&self, point: usize) -> Option<Reason> {
        let cell = |block: &u32| self.cell(Measure::Throughput, point, *block);
        against(self.blocks.iter().filter_map(cell))
    }

    /// These load points in the blocks in which each of them has a value.
    fn ladder(&self, points: &[usize]) -> Ladder {
        let value = |measure, point, block| {
            let value = self.cell(measure, point, block).and_then(|cell| cell.merged);
            value.filter(|value| value.is_finite() && *value > 0.0)
        };
        let low = |block| points.first().and_then(|point| value(Measure::ResponseMean, *point, block));
        let whole = |block: u32| {
            points.iter().all(|point| value(Measure::Throughput, *point, block).is_some())
                && low(block).is_some()
        };
        let blocks: Vec<u32> = self.blocks.iter().copied().filter(|block| whole(*block)).collect();
        let rung = |point: &usize| Rung {
            connections: self.plan.points[*point].connections,
            throughput_per_s: blocks
                .iter()
                .filter_map(|block| value(Measure::Throughput, *point, *block))
                .collect(),
        };
        Ladder {
            rungs: points.iter().map(rung).collect(),
            low_response_ns: blocks.iter().filter_map(|block| low(*block)).collect(),
            think_ns: self.points.first().map_or(0.0, |point| self.plan.points[*point].think_ns as f64),
        }
    }
}

fn enter(found: &proofload_stats::Scalability, into: &mut Scalability) {
    let of_mean = |mean: MeanInterval, unit| Estimate::new(mean.mean, mean.ends, unit);
    let of_fit = |fit: Fitted, unit| Estimate::new(fit.point, Some((fit.low, fit.high)), unit);
    let (lowest, highest) = match (into.connections.first(), into.connections.last()) {
        (Some(lowest), Some(highest)) => (*lowest, *highest),
        _ => return,
    };
    into.most = Some(of_mean(found.most_per_s, "per_s"));
    into.low_load_response = Some(of_mean(found.low_response_ns, "ns"));
    into.knee = found.knee.ok().map(|knee| of_mean(knee, "count"));
    let from = found.plateau_from;
    let is_flat = found.knee != Err(NoKnee::StillRising);
    into.plateau_from = is_flat.then(|| Estimate {
        point: f64::from(from.point),
        low: Some(f64::from(from.low)),
        high: from.high.map(f64::from),
        unit: "count".to_string(),
    });
    into.peak = found.peak.ok().map(|peak| of_fit(peak, "count"));
    // Idle time, which the law would take for an exchange's.
    if into.think_ns == 0 {
        into.contention = Some(of_fit(found.contention, "share"));
        into.coherency = Some(of_fit(found.coherency, "share"));
    }
    match found.knee {
        Err(NoKnee::StillRising) => into.reasons.push(Reason::KneeBeyond { highest }),
        Err(NoKnee::AtLowest) => into.reasons.push(Reason::KneeAtLowest { lowest }),
        Err(NoKnee::BeyondHighest) => into.reasons.push(Reason::KneeUnclear { lowest, highest }),
        Ok(_) if !found.low_load => into.reasons.push(Reason::LoadedAtLowest { lowest }),
        Ok(_) => {}
    }
    into.reasons.extend(found.peak.err().map(|why| match why {
        NoPeak::NoFall => Reason::PeakBeyond { highest },
        NoPeak::OpenEnd => Reason::PeakUnclear { highest },
    }));
}

fn no_ladder(why: &NoLadder) -> Reason {
    match *why {
        NoLadder::TooFewRungs { have, need } => Reason::TooFewLevels { have: have as u32, need: need as u32 },
        NoLadder::TooFewBlocks { have, need } => {
            Reason::TooFewWholeBlocks { have: have as u32, need: need as u32 }
        }
        NoLadder::Unsound => Reason::NonFinite,
    }
}

/// Limits of a study with several numbers of connections but no such table.
pub(crate) fn limits(found: &[Scalability]) -> Vec<Limit> {
    let mut limits = Vec::new();
    if found.iter().all(|of| of.most.is_none()) {
        for of in found.iter().filter(|of| !of.reasons.is_empty()) {
            let limit = Limit::NoScalability { reasons: of.reasons.clone() };
            if !limits.contains(&limit) {
                limits.push(limit);
            }
        }
    }
    limits
}
