//! The noise audit: the difference of two equal servers on this machine, and the differences that a study can then
//! resolve.
//!
//! It is an ordinary quick study of the reference server in two variants that differ in nothing, and a third that does
//! 6 % more work on a request. Its record is fitted, and the fit kept in the cache for this machine. Each block has
//! long slices as well, for as long as its short ones: they show if long slices narrow the ratio of the equal two, and
//! if they move that of the unequal.

mod resolution_warnings;

pub use resolution_warnings::resolution_warnings;

use crate::ceiling;
use crate::messages::noise as messages;
use crate::plan::{self, Mode, Preset};
use data_encoding::HEXLOWER;
use proofload_analysis::{counting_blocks, left_out, observations};
use proofload_facts::Finding;
use proofload_host::cpus::CpuShare;
use proofload_stats::noise::{self, Detectable, Ends, Noise};
use proofload_stats::{CellKey, Design, Measure, Observations};
use proofload_store::schema::{
    Between, Environment, FORMAT_VERSION, MeasureNoise, NoiseAudit, Plan, Resolution, Resolved,
    SliceLengthNoise, Slicing, Timing,
};
use proofload_store::{Run, StoreError};
use proofload_study::{Declarations, Options, Problems, Study};
use proofload_subject::Cache;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Blocks of an audit, by default.
pub const BLOCKS: u32 = 20;
/// Fewest blocks of an audit.
pub const BLOCKS_MIN: u32 = 4;
/// Most blocks of an audit.
pub const BLOCKS_MAX: u32 = 200;
/// Share of studies that must find a difference for it to count as resolved.
pub const POWER: f64 = 0.8;
/// Days after which an audit counts as outdated.
const FRESH_DAYS: u64 = 7;
const FRESH_NS: u64 = FRESH_DAYS * 24 * 3600 * S;
/// Largest file of the cache that is read.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Log-ratio by which long slices may differ from short ones, as in a study.
const SLICE_LENGTH_TOLERANCE: f64 = 0.01;
/// With fewer blocks the spread is known to a third or worse.
const FEW_BLOCKS: u32 = 12;

const S: u64 = 1_000_000_000;
/// Cycles of long slices in each block.
const LONG_CYCLES: u32 = 2;
/// Seconds of a block beside its long slices and the short ones: starts, warm-up, stops.
const BESIDE_S: f64 = 3.0;
/// Seconds of a slice beside its load.
const SLICE_S: f64 = 0.1;

/// Fitted measures: those that every table of figures has.
pub const MEASURES: [Measure; 4] = [
    Measure::Throughput,
    Measure::ResponseQuantile(5000),
    Measure::ResponseQuantile(9900),
    Measure::CpuPerRequest,
];

/// Studies whose resolution is reported.
const STUDIES: [(u32, Preset); 3] = [(5, Preset::Quick), (20, Preset::Default), (60, Preset::Default)];

const STUDY: &str = "study: noise-audit
question: How much do two equal servers differ on this machine?
subjects:
  one:   { use: reference, with: { service: 'spin:200us' } }
  other: { use: reference, with: { service: 'spin:200us' } }
  more:  { use: reference, with: { service: 'spin:212us' } }
workload: { page: { get: /, expect: { status: 200, bytes: 1024 } } }
load: { closed: { connections: 8 } }
claims:
  - as many answers:   throughput(one) ~ throughput(other) within 5%
  - as fast answers:   p50(one) ~ p50(other) within 5%
  - as much CPU:       cpu_per_request(one) ~ cpu_per_request(other) within 5%
";

/// The study of an audit.
///
/// # Errors
/// A catalogue without the reference server as it is.
pub fn study(catalogue: &dyn Declarations) -> Result<Study, Problems> {
    proofload_study::parse(STUDY, "noise audit", Path::new("."), &Options::default(), catalogue)
}

/// Seconds that a block of an audit takes.
fn seconds_per_block(plan: &Plan) -> f64 {
    let timing = &plan.timing;
    let variants = plan.variants.len() as f64;
    let slice_s = (timing.slice_ns + timing.discard_ns) as f64 / S as f64 + SLICE_S;
    match timing.cycles_adapt {
        // As much time in short slices as in long ones.
        true => BESIDE_S + 2.0 * f64::from(LONG_CYCLES) * variants * slice_s,
        false => BESIDE_S + f64::from(timing.cycles) * variants * slice_s,
    }
}

/// Number of blocks of an audit that fit into a budget.
pub fn blocks_in(study: &Study, budget_ns: u64) -> u32 {
    let mode = (Mode::Cycles, Finding::SideBySide);
    let plan = plan::make(study, Preset::Quick, 1, None, mode, &CpuShare::default());
    (budget_ns as f64 / S as f64 / seconds_per_block(&plan)) as u32
}

/// Makes the plan of a quick study of [`study()`] that of an audit: that many blocks, none of which ends it early.
pub fn shape(plan: &mut Plan, study: &Study, blocks: u32) {
    plan.timing.long_cycles = LONG_CYCLES;
    plan.timing.perturbation_ns = 0;
    plan.no_ceiling = true;
    let adapts = plan.timing.cycles_adapt;
    plan::reshape(plan, study, &[blocks], u64::MAX);
    plan.timing.cycles_adapt = adapts;
    plan.estimated_seconds = f64::from(blocks) * seconds_per_block(plan);
    // As many blocks again may be disturbed; beyond that an audit is impossible now.
    plan.timing.budget_ns = (plan.estimated_seconds * 3.0 * S as f64) as u64 + 60 * S;
    plan.not_tested.clear();
    plan.not_tested.push(Finding::OtherServers);
}

/// Fits a record of an audit. `None` where it has too few blocks for that.
///
/// # Errors
/// A record that cannot be read.
pub fn audit(run: &Run, study: &Study, seconds: f64, unix_ns: u64) -> Result<Option<NoiseAudit>, StoreError> {
    let observations = observations(run, &MEASURES)?;
    let fitted = |measure: Measure| {
        let place = CellKey { measure, point: 0, stream: None };
        Some((measure, noise::fit(&observations, place, (0, 1))?))
    };
    let found: Vec<(Measure, Noise)> = MEASURES.into_iter().filter_map(fitted).collect();
    if found.is_empty() {
        return Ok(None);
    }
    let slicing = run.slicing().cloned().unwrap_or_default();
    let as_long = as_long(&run.plan().timing, &slicing);
    let slice_lengths: Vec<SliceLengthNoise> =
        MEASURES.into_iter().filter_map(|measure| lengths(&observations, measure, as_long)).collect();
    let blocks = observations.blocks.len() as u32;
    let disturbed = left_out(run).len() as u32;
    let (plan, environment) = (run.plan(), run.environment());
    Ok(Some(NoiseAudit {
        format: FORMAT_VERSION,
        measured_unix_ns: unix_ns,
        machine: environment.machine.clone(),
        kernel: environment.kernel.clone(),
        cpu_model: environment.cpu_model.clone(),
        build: format!("{} {}", environment.proofload, ceiling::build()),
        run: run.path().display().to_string(),
        blocks,
        disturbed_blocks: disturbed,
        cycles: slicing.cycles_of(1).unwrap_or(plan.timing.cycles),
        slice_ns: slicing.lengths(&plan.timing).0,
        long_cycles: if slice_lengths.is_empty() { 0 } else { plan.timing.long_cycles },
        long_slice_ns: plan.timing.slice_ns,
        findings: findings(run, &found, &slice_lengths, blocks, disturbed),
        slice_lengths,
        seconds,
        measures: found.iter().map(|(measure, noise)| stored(*measure, noise)).collect(),
        resolution: STUDIES
            .iter()
            .map(|(minutes, preset)| resolution(study, *minutes, *preset, &found))
            .collect(),
    }))
}

/// Cycles of short slices that take as long as the long ones.
fn as_long(timing: &Timing, slicing: &Slicing) -> usize {
    let (slice_ns, discard_ns) = slicing.lengths(timing);
    let long_ns = u64::from(timing.long_cycles).saturating_mul(timing.slice_ns + timing.discard_ns);
    (long_ns / (slice_ns + discard_ns).max(1)) as usize
}

/// Comparison of short slices with long ones: the spread of the equal two, and the ratio of the unequal.
fn lengths(observations: &Observations, measure: Measure, as_long: usize) -> Option<SliceLengthNoise> {
    let place = CellKey { measure, point: 0, stream: None };
    let equal = noise::slice_lengths(observations, place, (0, 1), as_long)?;
    let unequal = noise::slice_lengths(observations, place, (0, 2), as_long)?;
    Some(SliceLengthNoise {
        measure: measure.name(),
        blocks: equal.blocks,
        short_sd: between(equal.short_sd),
        long_sd: between(equal.long_sd),
        apart: between(unequal.apart),
    })
}

fn between(ends: Ends) -> Between {
    Between { value: ends.value, low: ends.low, high: ends.high }
}

fn stored(measure: Measure, noise: &Noise) -> MeasureNoise {
    MeasureNoise {
        measure: measure.name(),
        blocks: noise.blocks,
        run_sd: noise.run_sd,
        block_sd: between(noise.block_sd),
        difference: between(noise.difference),
        start_sd: noise.start_sd,
        slice_sd: noise.slice_sd,
        drift_sd: noise.drift_sd,
        drift_memory: noise.drift_memory,
        drift_share: noise.drift_share,
        spike_share: noise.spike_share,
        spike_size: noise.spike_size,
    }
}

/// Difference that a study of two variants at one load point with one claim resolves in that many minutes.
fn resolution(study: &Study, minutes: u32, preset: Preset, found: &[(Measure, Noise)]) -> Resolution {
    let budget_ns = u64::from(minutes) * 60 * S;
    // Of servers that compile: their blocks are the longer ones.
    let mut study = study.clone();
    study.variants.iter_mut().for_each(|variant| variant.jvm = true);
    let plan = plan::make(
        &study,
        preset,
        1,
        Some(budget_ns),
        (Mode::Cycles, Finding::SideBySide),
        &CpuShare::default(),
    );
    let blocks = plan.timing.looks.last().copied().unwrap_or(1);
    let measures = match noise::detectable(&design(&plan), 1, POWER) {
        Some(unit) => found.iter().map(|(measure, noise)| resolved(*measure, noise, unit)).collect(),
        None => Vec::new(),
    };
    Resolution { minutes, preset: preset.name().into(), blocks, measures }
}

fn design(plan: &Plan) -> Design {
    proofload_analysis::design_of(plan)
}

fn resolved(measure: Measure, noise: &Noise, unit: Detectable) -> Resolved {
    let share = |factor: f64| {
        let of = |sd: f64| (factor * sd).exp_m1();
        let sd = noise.block_sd;
        Between { value: of(sd.value), low: of(sd.low), high: of(sd.high) }
    };
    Resolved { measure: measure.name(), difference: share(unit.difference), band: share(unit.band) }
}

fn findings(
    run: &Run,
    found: &[(Measure, Noise)],
    lengths: &[SliceLengthNoise],
    blocks: u32,
    disturbed: u32,
) -> Vec<Finding> {
    let mut said = Vec::new();
    for found in
        lengths.iter().filter(|found| found.apart.low.max(-found.apart.high) > SLICE_LENGTH_TOLERANCE)
    {
        said.push(Finding::SlicesMove {
            measure: found.measure.clone(),
            difference_share: found.apart.value.exp_m1(),
        });
    }
    for (measure, noise) in found {
        let ends = noise.difference;
        // Each interval misses once in twenty: one that ends just beside 0 is not a finding.
        let reach = 0.5 * (ends.high - ends.low);
        if ends.value.abs() > 2.0 * reach {
            said.push(Finding::EqualServersDiffer {
                measure: measure.name(),
                difference_share: ends.value.exp_m1(),
            });
        }
    }
    if blocks < FEW_BLOCKS {
        said.push(Finding::FewBlocks { blocks, better: BLOCKS });
    }
    if disturbed > 0 {
        said.push(Finding::BlocksDisturbed { blocks: disturbed });
    }
    let unfit = counting_blocks(run).into_iter().flat_map(|block| &block.slices);
    let unfit = unfit.filter(|slice| slice.is_measured() && !slice.measured.generator.fit).count();
    if unfit > 0 {
        said.push(Finding::AuditUnfit { slices: unfit as u32 });
    }
    said
}

fn path_of(cache: &Cache, environment: &Environment) -> PathBuf {
    let digest =
        HEXLOWER.encode(&Sha256::digest(format!("{}\n{}", environment.machine, environment.cpu_model)));
    cache.root().join("noise").join(format!("{}.json", &digest[..32]))
}

/// Keeps an audit in the cache as the last one of this machine.
///
/// # Errors
/// A cache that cannot be written.
pub fn keep(cache: &Cache, environment: &Environment, audit: &NoiseAudit) -> std::io::Result<()> {
    ceiling::keep(&path_of(cache, environment), audit)
}

/// The last audit of this machine that the cache has; one that cannot be read is none.
pub fn last(cache: &Cache, environment: &Environment) -> Option<NoiseAudit> {
    let path = path_of(cache, environment);
    let bytes = proofload_host::files::read(&path, FILE_BYTES_MAX).ok()?;
    let found: NoiseAudit = serde_json::from_slice(&bytes).ok()?;
    let whole = found.format == FORMAT_VERSION && !found.measures.is_empty();
    (whole && found.machine == environment.machine).then_some(found)
}

/// Reasons why an audit may not hold any more, a phrase each; empty when it does.
pub fn outdated(audit: &NoiseAudit, environment: &Environment, unix_ns: u64) -> Vec<String> {
    let mut why = Vec::new();
    if unix_ns.checked_sub(audit.measured_unix_ns).is_none_or(|age_ns| age_ns > FRESH_NS) {
        why.push(messages::not_of_the_last(FRESH_DAYS));
    }
    if audit.kernel != environment.kernel {
        why.push(messages::other_kernel(&audit.kernel));
    }
    why
}

#[cfg(test)]
mod tests;
