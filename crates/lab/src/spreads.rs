//! The history of spreads: the differences of comparisons and levels from block to block in runs of this machine, for
//! later ones to borrow from.
//!
//! A run leaves a document in the cache when it ends, for any reason. Only its blocks up to the first look are in it,
//! independent of the decision: a run that its spread ended early has a spread that is too small by chance, and so
//! would a history of such runs.

mod lend;

pub use lend::{Known, known, lend};

use crate::ceiling;
use crate::plan::may_compile;
use data_encoding::HEXLOWER;
use proofload_analysis::{compare, measures_of, observations, restore};
use proofload_host::files;
use proofload_stats::sample::Moments;
use proofload_stats::{Claim, Comparison, FigureOf, Measure, Observations, Side, Term, first_values};
use proofload_store::Run;
use proofload_store::schema::{
    FORMAT_VERSION, KeptSpread, KeptSpreads, LoadPoint, Plan, Preset, Replication, Runtime, SpreadKind,
};
use proofload_study::Study;
use proofload_subject::Cache;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// Most runs whose spreads are kept: the newest.
const RUNS_MAX: usize = 100;
/// Most spreads of a run that are kept; those of its claims come first.
const SPREADS_MAX: usize = 1_000;
/// Age at which a run counts no more.
const FRESH_NS: u64 = 90 * 24 * 3600 * 1_000_000_000;
/// Largest file of the cache that is read.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Measures that are kept of each run beside those of its claims.
const ALWAYS: [Measure; 3] = [Measure::Throughput, Measure::CpuPerRequest, Measure::ResponseQuantile(9900)];

/// Stores the spreads of this run for later ones, if it reached its first look. A failure to write only costs them
/// that.
pub fn keep(cache: &Cache, study: &Study, run: &Run, unix_ns: u64) {
    let Some(kept) = of_run(run, &compiling(study), unix_ns) else { return };
    let path = folder(cache).join(format!("{}.json", kept.run));
    if ceiling::keep(&path, &kept).is_ok() {
        let paths = documents(cache);
        let old = paths.len().saturating_sub(RUNS_MAX);
        paths[..old].iter().for_each(|path| drop(fs::remove_file(path)));
    }
}

/// Documents of the last months in the cache, oldest first. Odd ones are passed over.
pub fn read(cache: &Cache, unix_ns: u64) -> Vec<KeptSpreads> {
    let paths = documents(cache);
    let old = paths.len().saturating_sub(RUNS_MAX);
    paths[old..].iter().filter_map(|path| document(path, unix_ns)).collect()
}

fn folder(cache: &Cache) -> PathBuf {
    cache.root().join("spreads")
}

/// The files, oldest first: ids of runs begin with their time.
fn documents(cache: &Cache) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(cache)).into_iter().flatten().flatten();
    let is_document = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_document).collect();
    paths.sort_unstable();
    paths
}

fn document(path: &Path, unix_ns: u64) -> Option<KeptSpreads> {
    let mut kept: KeptSpreads = serde_json::from_slice(&files::read(path, FILE_BYTES_MAX).ok()?).ok()?;
    let age_ns = unix_ns.checked_sub(kept.began_unix_ns)?;
    kept.spreads.retain(|it| it.blocks > 1 && it.mean.is_finite() && it.sd >= 0.0 && it.seconds > 0.0);
    (kept.format == FORMAT_VERSION && age_ns <= FRESH_NS).then_some(kept)
}

/// For each variant of a study true if it may compile while it serves.
fn compiling(study: &Study) -> Vec<bool> {
    study.variants.iter().map(may_compile).collect()
}

/// The document of a run; `None` for one that did not reach its first look, or that starts nothing afresh.
fn of_run(run: &Run, compiling: &[bool], unix_ns: u64) -> Option<KeptSpreads> {
    let plan = run.plan();
    let first = plan.timing.looks.first().copied().filter(|first| *first > 1)?;
    let starts = plan.replication != Replication::Process && plan.preset != Preset::Smoke;
    if !starts || plan.capacity.is_some() || compiling.len() != plan.variants.len() {
        return None;
    }
    let (_, claims, _) = restore(plan).ok()?;
    let mut measures: Vec<Measure> = measures_of(&claims).into_iter().chain(ALWAYS).collect();
    measures.sort_unstable();
    measures.dedup();
    let seen = observations(run, &measures).ok().filter(|seen| seen.blocks.len() >= first as usize)?;
    let spread = |subject: &Subject| {
        let moments = Moments::of(&subject.values(&seen, first)).filter(|moments| moments.n > 1)?;
        Some(subject.kept(plan, compiling, moments))
    };
    let subjects = subjects(plan, &claims, &measures);
    let spreads = subjects.iter().filter_map(spread).take(SPREADS_MAX).collect();
    Some(KeptSpreads {
        format: FORMAT_VERSION,
        run: run.id(),
        machine: compare::machine_of(plan, run.environment()),
        began_unix_ns: run.status().sittings.first().map_or(unix_ns, |sitting| sitting.began_unix_ns),
        ended_unix_ns: unix_ns,
        spreads,
    })
}

/// Every level, and of each measure at each load point as many pairs as determine all of their ratios: those that are
/// claimed, and neighbours where these leave variants apart. More would repeat the same.
fn subjects(plan: &Plan, claims: &[Claim], measures: &[Measure]) -> Vec<Subject> {
    let claimed: Vec<Subject> = claims.iter().filter_map(Subject::of).collect();
    let mut figures: Vec<FigureOf> =
        claimed.iter().map(|subject| FigureOf { variant: 0, ..subject.figure }).collect();
    for &measure in measures {
        let at = |point| FigureOf { measure, variant: 0, point, stream: None };
        figures.extend((0..plan.points.len()).map(at));
    }
    let mut each: Vec<FigureOf> = Vec::new();
    figures.into_iter().for_each(|figure| {
        if !each.contains(&figure) {
            each.push(figure);
        }
    });
    let variants = plan.variants.len();
    let of_figure = |figure: &FigureOf| {
        let here = claimed.iter().filter(|it| FigureOf { variant: 0, ..it.figure } == *figure);
        let pairs = here.filter_map(|it| Some((it.figure.variant, it.under?)));
        let ratio =
            |(over, under)| Subject { figure: FigureOf { variant: over, ..*figure }, under: Some(under) };
        let mut all: Vec<Subject> = tree(pairs, variants).into_iter().map(ratio).collect();
        let level = |variant| Subject { figure: FigureOf { variant, ..*figure }, under: None };
        all.extend((0..variants).map(level));
        all
    };
    each.iter().flat_map(of_figure).collect()
}

/// Pairs that connect all of that many, none of which follows from the others: these first, then neighbours.
fn tree(first: impl Iterator<Item = (usize, usize)>, count: usize) -> Vec<(usize, usize)> {
    let pairs = independent(first.chain((1..count).map(|at| (at - 1, at))), count);
    pairs.into_iter().map(|(one, other)| (one.min(other), one.max(other))).collect()
}

/// Those of the pairs, of that many, that do not follow from the ones before them.
fn independent(pairs: impl Iterator<Item = (usize, usize)>, count: usize) -> Vec<(usize, usize)> {
    let mut group: Vec<usize> = (0..count).collect();
    let mut connects = |&(one, other): &(usize, usize)| {
        let (from, to) = (group[one], group[other]);
        group.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
        from != to
    };
    pairs.filter(|pair| connects(pair)).collect()
}

/// A ratio of two variants in one measure, or the level of one: it has a spread.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Subject {
    figure: FigureOf,
    /// The variant that it is compared with.
    under: Option<usize>,
}

impl Subject {
    /// Subject of a claim; `None` for a claim about more than that, and for a count.
    fn of(claim: &Claim) -> Option<Subject> {
        let figures: Vec<FigureOf> = claim.figures().collect();
        match figures[..] {
            [figure] if matches!(claim.right, Side::Constant(_)) && !claim.is_of_a_count() => {
                Some(Subject { figure, under: None })
            }
            [figure, under]
                if figure.variant != under.variant
                    && (FigureOf { variant: figure.variant, ..under }) == figure =>
            {
                Some(Subject { figure, under: Some(under.variant) })
            }
            _ => None,
        }
    }

    /// Its values in the first blocks, formed as the judge forms them.
    fn values(&self, seen: &Observations, blocks: u32) -> Vec<f64> {
        let FigureOf { measure, point, stream, variant } = self.figure;
        let side =
            |variant| Side::Measured { factor: 1.0, term: Term::Of { measure, variant, stream }, point };
        let claim = Claim {
            name: String::new(),
            text: String::new(),
            left: side(variant),
            comparison: Comparison::Greater,
            right: self.under.map_or(Side::Constant(1.0), side),
        };
        first_values(&claim, seen, blocks)
    }

    /// Its kind, with nothing known of its spread.
    fn bare(&self, plan: &Plan, compiling: &[bool]) -> KeptSpread {
        let point = &plan.points[self.figure.point];
        let stream =
            self.figure.stream.and_then(|stream| plan.streams.iter().chain(&plan.requests).nth(stream));
        let measure = self.figure.measure.name();
        let both = [Some(self.figure.variant), self.under];
        let compile = both.into_iter().flatten().map(|variant| compiling[variant]);
        KeptSpread {
            measure: stream.map_or(measure.clone(), |stream| format!("{measure}[{stream}]")),
            kind: if self.under.is_some() { SpreadKind::Ratio } else { SpreadKind::Level },
            runtime: match (compile.clone().any(|it| it), compile.clone().all(|it| it)) {
                (_, true) => Runtime::Jvm,
                (true, false) => Runtime::Both,
                (false, false) => Runtime::Native,
            },
            model: point.model.clone(),
            seconds: seconds(plan, point),
            ..KeptSpread::default()
        }
    }

    fn kept(&self, plan: &Plan, compiling: &[bool], moments: Moments) -> KeptSpread {
        let bare = self.bare(plan, compiling);
        let (timing, point) = (&plan.timing, &plan.points[self.figure.point]);
        let variant = |at: usize| &plan.variants[at];
        let lengths = [timing.warm_up_ns, timing.warm_up_cap_ns, timing.slice_ns, timing.discard_ns];
        let study = (&plan.study, &plan.workload, &plan.mode, timing.cycles, lengths);
        let what = (variant(self.figure.variant), self.under.map(variant), point, &bare.measure);
        let text = serde_json::to_vec(&(study, what)).unwrap_or_default();
        let of = HEXLOWER.encode(&Sha256::digest(text))[..32].to_string();
        KeptSpread { of, mean: moments.mean, sd: moments.sd, blocks: moments.n, ..bare }
    }
}

/// Planned seconds for which each block measures a variant at a load point: the actual ones are chosen after a block
/// began, in runs that lend and in runs that borrow alike.
fn seconds(plan: &Plan, point: &LoadPoint) -> f64 {
    let sliced_ns = u64::from(plan.timing.cycles).saturating_mul(plan.timing.slice_ns);
    (if point.whole { point.length_ns } else { sliced_ns }) as f64 / 1e9
}

#[cfg(test)]
mod tests;
