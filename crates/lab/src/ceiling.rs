//! The generator's ceiling: its highest rate against a server that does nothing, in the setting of a load.
//!
//! A rate near it is the generator's, not the server's. The server is our own reference server as the null server,
//! on the subjects' CPUs; the load is the same requests by the same connections, as fast as they are answered. A
//! ceiling is kept in the cache for the setting that it was measured in, for a week, and as long as a piece of
//! fixed work takes as long as it did then.

mod null;
mod setting;

pub(crate) use null::NullServer;
pub use setting::Setting;

use crate::generator_settings::GeneratorSettings;
use data_encoding::HEXLOWER;
use proofload_engine::{Generator, Launch, LoadPlan, LoadResult, Watch};
use proofload_facts::Finding;
use proofload_host::files;
use proofload_host::{clock, cpus, steady};
use proofload_store::schema::{Ceiling, Environment, FORMAT_VERSION};
use proofload_subject::{Cache, Keeper, this_program};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Measurements of a ceiling. The highest counts: every disturbance can only lower it.
const TIMES: u32 = 2;
/// Longest age of a ceiling in the cache.
const FRESH_NS: u64 = 7 * DAY_NS;
const DAY_NS: u64 = 24 * 3600 * 1_000_000_000;
/// Share by which the fixed work may take longer or shorter on a machine that is still the same.
const CANARY_SHARE: f64 = 0.10;
/// Share of exchanges that may fail; a load that the null server does not understand fails altogether.
const FAILED_SHARE_MAX: f64 = 0.001;
/// Largest file of the cache that is read.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Means of measuring a ceiling.
pub struct Measuring<'a> {
    pub cache: &'a Cache,
    /// The keeper of the null server.
    pub keeper: &'a Keeper,
    /// Settings of the measurement, among them the CPUs of the null server.
    pub settings: &'a GeneratorSettings,
    pub stop: &'a AtomicBool,
    pub generator: &'a dyn Generator,
    /// Address on which the null server listens.
    pub address: IpAddr,
}

/// Another build is another generator.
pub(crate) fn build() -> String {
    let file = fs::metadata(this_program());
    file.map_or_else(|_| "unknown".to_string(), |file| format!("{}-{}", file.len(), file.mtime()))
}

fn path_of(cache: &Cache, lines: &[String]) -> PathBuf {
    let digest = HEXLOWER.encode(&Sha256::digest(lines.join("\n")));
    cache.root().join("ceilings").join(format!("{}.json", &digest[..32]))
}

/// Ceilings in the cache, except those that are too old, or of a machine that was faster or slower. The fixed work is
/// done only where everything else fits: without a ceiling in the cache nothing waits for it.
fn fresh(
    path: &Path,
    lines: &[String],
    unix_ns: u64,
    canary_ns: impl FnOnce() -> u64,
) -> Result<Ceiling, Finding> {
    let bytes = files::read(path, FILE_BYTES_MAX).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Finding::CeilingNotCached,
        _ => Finding::CeilingDamaged,
    })?;
    let found: Ceiling = serde_json::from_slice(&bytes).map_err(|_| Finding::CeilingDamaged)?;
    let whole = found.exchanges_per_s.is_some_and(|rate| rate.is_finite() && rate > 0.0);
    if found.format != FORMAT_VERSION || found.setting != lines || !whole {
        return Err(Finding::CeilingDamaged);
    }
    if unix_ns.checked_sub(found.measured_unix_ns).is_none_or(|age_ns| age_ns > FRESH_NS) {
        return Err(Finding::CeilingOld { allowed_days: FRESH_NS / DAY_NS });
    }
    let now_ns = canary_ns();
    let work = now_ns as f64 / found.canary_ns.max(1) as f64;
    match (1.0 / (1.0 + CANARY_SHARE)..=1.0 + CANARY_SHARE).contains(&work) {
        true => Ok(Ceiling { cached: true, ..found }),
        false => Err(Finding::CeilingOtherSpeed { then_ns: found.canary_ns, now_ns }),
    }
}

/// The ceiling that the cache holds for this setting, if it still holds.
///
/// # Errors
/// The reason why there is none: the null server cannot replace the load's servers (`false`: measuring does not help),
/// or the cache has none that holds (`true`).
pub fn cached(
    cache: &Cache,
    setting: &Setting,
    environment: &Environment,
    settings: &GeneratorSettings,
) -> Result<Ceiling, (Finding, bool)> {
    if let Some(why) = setting.refusal() {
        return Err((why, false));
    }
    let lines = setting.lines(environment, settings);
    let canary_ns = || steady::canary_ns(settings.subject_cpus.first().copied());
    let found = fresh(&path_of(cache, &lines), &lines, clock::unix_ns(), canary_ns);
    found.map_err(|unusable| (unusable, true))
}

impl Measuring<'_> {
    /// All that the ceiling of a setting depends on, a line each.
    pub fn lines(&self, setting: &Setting, environment: &Environment) -> Vec<String> {
        let mut lines = setting.lines(environment, self.settings);
        let agents = self.generator.agents();
        if !agents.is_empty() {
            lines.push(format!("to {}", self.address));
        }
        lines.extend(agents.iter().map(|agent| format!("agent on {} with {} CPUs", agent.host, agent.cpus)));
        lines
    }

    /// The ceiling of a setting: from the cache, or measured now and kept there. Never fails: a ceiling that cannot be
    /// measured has a reason instead.
    pub fn ceiling(&self, setting: &Setting, environment: &Environment) -> Ceiling {
        let lines = self.lines(setting, environment);
        let bare = Ceiling {
            format: FORMAT_VERSION,
            setting: lines.clone(),
            answer_bytes: setting.answer_bytes,
            measured_unix_ns: clock::unix_ns(),
            ..Ceiling::default()
        };
        if let Some(why) = setting.refusal() {
            return Ceiling { why: Some(why), ..bare };
        }
        let path = path_of(self.cache, &lines);
        let canary_ns = steady::canary_ns(self.settings.subject_cpus.first().copied());
        if let Ok(known) = fresh(&path, &lines, bare.measured_unix_ns, || canary_ns) {
            return known;
        }
        match self.measure(setting) {
            Err(why) => Ceiling { why: Some(why), ..bare },
            Ok(rate) => {
                let measured = Ceiling { exchanges_per_s: Some(rate), canary_ns, ..bare };
                // A cache that cannot be written costs a second the next time, and nothing else.
                let _ = keep(&path, &measured);
                measured
            }
        }
    }

    fn measure(&self, setting: &Setting) -> Result<f64, Finding> {
        let busy: usize = setting.plans.iter().map(|plan| plan.workers as usize).sum();
        let null = NullServer {
            // The null server's head takes about 100 bytes; half of the class represents all of it.
            body_bytes: setting.answer_bytes / 2,
            closes: !setting.keeps_alive(),
            has_tls: setting.tls().is_some(),
            workers: Some(cpus::allowed().len().saturating_sub(busy)),
        };
        let running = self.start_null(&null)?;
        let authority = setting.tls().map(|_| running.authority()).transpose()?;
        let plans = setting.against(running.address, authority.as_deref());
        let rates: Result<Vec<f64>, Finding> = (0..TIMES).map(|_| Ok(rate(&self.load(&plans)?))).collect();
        running.stop()?;
        Ok(rates?.into_iter().fold(0.0, f64::max))
    }

    /// Loads it; with more than a thousandth of failures it is not a measurement.
    pub(crate) fn load(&self, plans: &[LoadPlan]) -> Result<Vec<LoadResult>, Finding> {
        let watch = Watch::default();
        let results = std::thread::scope(|scope| {
            let load = scope.spawn(|| self.generator.launch(Launch::new(plans, &watch)));
            while !load.is_finished() {
                if self.stop.load(Ordering::Relaxed) {
                    watch.stop.store(true, Ordering::Relaxed);
                }
                clock::sleep_ns(10_000_000);
            }
            load.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let results = results.map_err(Finding::failed)?;
        if results.iter().any(|result| result.stopped_early) {
            return Err(Finding::CeilingStopped);
        }
        let lost = results.iter().filter_map(|result| result.generator.agents).any(|agents| agents.lost > 0);
        if lost {
            // What the others reach must not be kept as what all do.
            return Err(Finding::CeilingAgentLost);
        }
        let shares = results.iter().map(|result| result.snapshot.outcomes.error_share().unwrap_or(1.0));
        let failed = shares.fold(0.0, f64::max);
        match failed > FAILED_SHARE_MAX {
            true => Err(Finding::CeilingExchangesFailed { failed_share: failed }),
            false => Ok(results),
        }
    }
}

/// Exchanges per second, of all streams together.
fn rate(results: &[LoadResult]) -> f64 {
    results.iter().filter_map(|result| result.snapshot.throughput_per_s()).sum()
}

/// Writes a document of the cache: whole, or not at all.
pub(crate) fn keep(path: &Path, document: &impl serde::Serialize) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let text = serde_json::to_vec_pretty(document).map_err(std::io::Error::other)?;
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    fs::write(&fresh, text)?;
    fs::rename(&fresh, path)
}

#[cfg(test)]
mod tests;
