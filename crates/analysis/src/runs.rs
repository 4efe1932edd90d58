//! Several runs: history, differences, a baseline. A verdict comes from the judge alone.

use crate::changes::{self, COMPARED, Member};
use crate::claims::earlier_spread;
use crate::compare;
use crate::error::AnalysisError;
use crate::figures::TABLE_TAIL;
use crate::observe::observations;
use crate::planned::restore;
use crate::pooled::runs_alike;
use crate::reasons;
use crate::result::{Analysed, of_run};
use proofload_facts::{Finding, Reason};
use proofload_stats::{
    Cell, Counterpart, EARLIER_SITTINGS_MIN, FigureOf, Judged, Names, Observations, Sittings,
    judge_regressions, ratio_unpaired, sitting_values_of_figure,
};
use proofload_store::Run;
use proofload_store::schema::{
    Baseline, BaselineFigure, Difference, Estimate, FORMAT_VERSION, Figure, FigurePair, HistoryEntry,
    HistoryVerdict, RunDiff, RunResult, RunState,
};
use std::path::{Path, PathBuf};

/// Error rate over all figures of a comparison with a baseline.
const BASELINE_ALPHA: f64 = 0.05;

/// Runs, oldest first, each in a line, with the series that they make and the change points in those. One that cannot
/// be read is in the history too, with the reason. `least_change` is a share: of two levels the higher must be above
/// the lower by that. `answer` gives the result of a run in a line.
pub fn history(
    paths: &[PathBuf],
    least_change: f64,
    answer: &dyn Fn(&Run, Analysed) -> String,
) -> Vec<HistoryEntry> {
    let mut entries: Vec<HistoryEntry> = Vec::new();
    let mut members: Vec<Member> = Vec::new();
    for path in paths {
        let (entry, member) = history_entry(path, entries.len(), answer);
        entries.push(entry);
        members.extend(member);
    }
    changes::enter(&mut entries, &members, least_change);
    entries
}

/// A run in a line, and what it brings to a series. `at` is its place in the history.
fn history_entry(
    path: &Path,
    at: usize,
    answer: &dyn Fn(&Run, Analysed) -> String,
) -> (HistoryEntry, Option<Member>) {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut entry = HistoryEntry {
        study: path.parent().and_then(name).unwrap_or_default(),
        id: name(path).unwrap_or_default(),
        run: path.display().to_string(),
        ..HistoryEntry::default()
    };
    let read = Run::open(path).map_err(AnalysisError::from).and_then(|run| {
        let analysed = of_run(&run)?;
        let goes_on = run.is_running();
        let member = (!goes_on)
            .then(|| Member::of(&run, &analysed.judgements[0].observations, at))
            .transpose()?
            .flatten();
        Ok((run, analysed, member))
    });
    match read {
        Ok((run, analysed, member)) => {
            fill(&mut entry, &analysed.result, &run);
            entry.answer = answer(&run, analysed);
            let (left_out, member) = member.map_or((Vec::new(), None), |(m, out)| (out, Some(m)));
            entry.left_out = left_out;
            (entry, member)
        }
        Err(error) => {
            entry.damage = error.to_string();
            (entry, None)
        }
    }
}

fn fill(entry: &mut HistoryEntry, result: &RunResult, run: &Run) {
    entry.study = result.study.clone();
    entry.preset = run.plan().preset.clone();
    entry.status = result.status.clone();
    if entry.status.state == RunState::Running && !run.is_running() {
        entry.status.state = RunState::Killed;
    }
    let sittings = &result.status.sittings;
    entry.began_unix_ns = sittings.first().map_or(0, |sitting| sitting.began_unix_ns);
    entry.blocks = result.blocks;
    entry.machine = result.environment.machine.chars().take(8).collect();
    let verdict = |claim: &proofload_store::schema::ClaimResult| HistoryVerdict {
        claim: claim.name.clone(),
        verdict: claim.verdict.clone(),
    };
    entry.verdicts = result.claims.iter().map(verdict).collect();
}

/// Two runs side by side.
///
/// # Errors
/// Fails if one of them cannot be read.
pub fn diff(left: &Run, right: &Run) -> Result<RunDiff, AnalysisError> {
    diff_of([left, right], [&of_run(left)?.result, &of_run(right)?.result])
}

/// The same where they were judged already.
///
/// # Errors
/// Fails if the subjects' facts of one of them cannot be read.
pub fn diff_of([left, right]: [&Run; 2], [a, b]: [&RunResult; 2]) -> Result<RunDiff, AnalysisError> {
    let mut environment = compare::environments(left.environment(), right.environment(), true);
    environment.extend(subjects(left, right)?);
    Ok(RunDiff {
        format: FORMAT_VERSION,
        left: a.run.clone(),
        right: b.run.clone(),
        plan: compare::plans(left.plan(), right.plan()),
        environment,
        figures: figure_pairs(&a.figures, &b.figures),
        verdicts: verdicts(a, b),
    })
}

/// Differences between the facts that the subjects reported in the last block of each run.
fn subjects(left: &Run, right: &Run) -> Result<Vec<Difference>, AnalysisError> {
    let last = |run: &Run| -> Result<_, AnalysisError> {
        let blocks = run.subjects()?;
        let facts = blocks.into_iter().next_back().map(|(_, facts)| facts).unwrap_or_default();
        let named = facts.into_iter().flat_map(|of| {
            let name = |fact: &str| format!("variant {}: {fact}", of.variant);
            of.facts.iter().map(|(fact, value)| (name(fact), value.clone())).collect::<Vec<_>>()
        });
        Ok(named.collect::<std::collections::BTreeMap<_, _>>())
    };
    let (left, right) = (last(left)?, last(right)?);
    Ok(compare::differences(&left, &right))
}

fn same(a: &Figure, b: &Figure) -> bool {
    (&a.variant, &a.point, &a.stream, &a.measure) == (&b.variant, &b.point, &b.stream, &b.measure)
}

fn figure_pairs(left: &[Figure], right: &[Figure]) -> Vec<FigurePair> {
    let pair = |a: Option<&Figure>, b: Option<&Figure>| {
        let any = a.or(b)?;
        let seen = |figure: Option<&Figure>| -> Vec<f64> {
            figure.map(|figure| figure.per_block.iter().copied().flatten().collect()).unwrap_or_default()
        };
        let (before, after) = (seen(a), seen(b));
        let ratio = ratio_unpaired(&after, &before, TABLE_TAIL)
            .map(|ratio| Estimate::new(ratio.point, Some((ratio.low, ratio.high)), "ratio"));
        let point_only = || {
            let (a, b) = (a?.estimate.as_ref()?.point, b?.estimate.as_ref()?.point);
            (a > 0.0).then(|| Estimate::new(b / a, None, "ratio"))
        };
        Some(FigurePair {
            variant: any.variant.clone(),
            point: any.point.clone(),
            stream: any.stream.clone(),
            measure: any.measure.clone(),
            left: a.and_then(|figure| figure.estimate.clone()),
            right: b.and_then(|figure| figure.estimate.clone()),
            ratio: ratio.or_else(point_only),
            confidence: 1.0 - TABLE_TAIL,
        })
    };
    let of_left = left.iter().map(|a| pair(Some(a), right.iter().find(|b| same(a, b))));
    let only_right = right.iter().filter(|b| !left.iter().any(|a| same(a, b))).map(|b| pair(None, Some(b)));
    of_left.chain(only_right).flatten().collect()
}

fn verdicts(left: &RunResult, right: &RunResult) -> Vec<Difference> {
    let said = |result: &RunResult, text: &str, name: &str| {
        let mut claims = result.claims.iter();
        claims
            .find(|claim| claim.text == text && claim.name == name)
            .map(|claim| claim.verdict.name().to_string())
    };
    let mut seen: Vec<(&str, &str)> = Vec::new();
    let mut changed = Vec::new();
    for claim in left.claims.iter().chain(&right.claims) {
        let key = (claim.text.as_str(), claim.name.as_str());
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let (a, b) = (said(left, key.0, key.1), said(right, key.0, key.1));
        if a != b {
            let what = if key.0 == key.1 { key.0.to_string() } else { format!("{}: {}", key.1, key.0) };
            changed.push(Difference { what, left: a, right: b });
        }
    }
    changed
}

/// Blocks of the baseline that have a value of this figure.
fn usable_blocks(then: &Observations, of: &Counterpart) -> u32 {
    let is_it = |cell: &&Cell| {
        (cell.measure, cell.variant, cell.point, cell.stream) == (of.measure, of.variant.1, of.point.1, None)
    };
    let values = then.cells.iter().filter(is_it).filter_map(|cell| cell.merged);
    values.filter(|value| value.is_finite() && *value > 0.0).count() as u32
}

/// Compares a run with a baseline, figure by figure. `differences` are those that were accepted.
///
/// # Errors
/// Fails if one of them cannot be read.
pub fn baseline(
    run: &Run,
    base: &Run,
    tolerance: f64,
    differences: &[Difference],
) -> Result<Baseline, AnalysisError> {
    let (names, _, _) = restore(run.plan())?;
    let (base_names, _, _) = restore(base.plan())?;
    let mut unmatched = Vec::new();
    let mut counterparts = Vec::new();
    for (point, label) in names.points.iter().enumerate() {
        for (variant, selector) in names.variants.iter().enumerate() {
            let there = base_names.variants.iter().position(|other| other.name == selector.name);
            let at = base_names.points.iter().position(|other| other == label);
            let (Some(there), Some(at)) = (there, at) else {
                unmatched.push(format!("{} @ {label}", selector.name));
                continue;
            };
            counterparts.extend(COMPARED.map(|measure| Counterpart {
                measure,
                variant: (variant, there),
                point: (point, at),
                between: None,
            }));
        }
    }
    let (now, then) = (observations(run, &COMPARED)?, observations(base, &COMPARED)?);
    // A figure that neither has (CPU of a server that was not started) is not a comparison.
    let seen = |of: &Observations, measure, variant, point| {
        let mut cells = of.cells.iter().filter(|cell| cell.merged.is_some());
        cells.any(|cell| (cell.measure, cell.variant, cell.point) == (measure, variant, point))
    };
    let known = |c: &Counterpart| {
        seen(&now, c.measure, c.variant.0, c.point.0) || seen(&then, c.measure, c.variant.1, c.point.1)
    };
    counterparts.retain(known);
    enter_spreads(&mut counterparts, run, base)?;
    let judged = judge_regressions(&now, &then, &counterparts, tolerance, BASELINE_ALPHA);
    let figure = |(of, judged): (&Counterpart, &proofload_stats::Judged)| BaselineFigure {
        variant: names.variants[of.variant.0].name.clone(),
        point: names.points[of.point.0].clone(),
        measure: of.measure.name(),
        verdict: judged.verdict.into(),
        ratio: judged
            .estimate
            .map(|estimate| Estimate::new(estimate.point, Some((estimate.low, estimate.high)), "ratio")),
        confidence: judged.confidence,
        blocks: judged.blocks,
        baseline_blocks: usable_blocks(&then, of),
        reasons: baseline_reasons(judged, &names),
        tau: of.between.as_ref().map(earlier_spread),
    };
    Ok(Baseline {
        run: base.path().display().to_string(),
        tolerance,
        differences: differences.iter().map(Difference::finding).collect(),
        figures: counterparts.iter().zip(&judged).map(figure).collect(),
        unmatched,
        build: builds(base, run),
    })
}

/// Reasons of a figure's comparison with the baseline.
fn baseline_reasons(judged: &Judged, names: &Names) -> Vec<Reason> {
    let unit = judged.estimate.map_or("ratio", |estimate| estimate.unit);
    let reason = |found: &proofload_stats::Reason| match found {
        proofload_stats::Reason::IntervalCrosses { resolution, .. } => {
            Reason::ToleranceWithin { resolution_share: *resolution }
        }
        proofload_stats::Reason::TooFewBlocks { have, need } => {
            Reason::OneSideShort { have: *have, need: *need }
        }
        other => reasons::reason(other, names, unit),
    };
    judged.reasons.iter().map(reason).collect()
}

/// Enters in each comparison how much its figure differs between sittings, as the runs like the baseline beside it show it, or
/// those like the run.
fn enter_spreads(counterparts: &mut [Counterpart], run: &Run, base: &Run) -> Result<(), AnalysisError> {
    for (of, is_base) in [(base, true), (run, false)] {
        let beside = runs_alike(of)?;
        if beside.len() < EARLIER_SITTINGS_MIN as usize {
            continue;
        }
        let seen: Vec<Observations> =
            beside.iter().filter_map(|run| observations(run, &COMPARED).ok()).collect();
        for counterpart in counterparts.iter_mut().filter(|counterpart| counterpart.between.is_none()) {
            let side = |pair: (usize, usize)| if is_base { pair.1 } else { pair.0 };
            let (variant, point) = (side(counterpart.variant), side(counterpart.point));
            let figure = FigureOf { measure: counterpart.measure, variant, point, stream: None };
            let values: Vec<Vec<f64>> =
                seen.iter().flat_map(|observations| sitting_values_of_figure(observations, figure)).collect();
            let between = Sittings::of(&values).and_then(|found| found.between);
            counterpart.between = between.filter(|between| between.sittings >= EARLIER_SITTINGS_MIN);
        }
    }
    Ok(())
}

/// Difference between the two builds of the generator.
fn builds(base: &Run, run: &Run) -> Option<Finding> {
    let found = compare::environments(base.environment(), run.environment(), false);
    let is_build = |difference: &&Difference| {
        let known = difference.left.is_some() && difference.right.is_some();
        known && (difference.what == compare::VERSION || difference.what == compare::BUILD)
    };
    found.iter().find(is_build).map(Difference::finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_compared_with_the_same_stream() {
        let figure = |stream: &str, value: f64| Figure {
            variant: "nio".into(),
            point: "64c".into(),
            stream: stream.into(),
            measure: "throughput".into(),
            per_block: vec![Some(value); 4],
            ..Figure::default()
        };
        let left = [figure("", 100.0), figure("slow", 10.0)];
        let right = [figure("", 200.0), figure("slow", 10.0), figure("new", 1.0)];
        let pairs = figure_pairs(&left, &right);
        let ratios: Vec<(&str, Option<f64>)> = pairs
            .iter()
            .map(|pair| (pair.stream.as_str(), pair.ratio.as_ref().map(|ratio| ratio.point.round())))
            .collect();
        assert_eq!(ratios, [("", Some(2.0)), ("slow", Some(1.0)), ("new", None)]);
    }
}
