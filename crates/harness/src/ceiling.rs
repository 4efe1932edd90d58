//! The generator's ceiling: what it reaches against a server that does nothing, in the setting of a load.
//!
//! A rate near it is the generator's, not the server's. The server is our own reference server as the null server,
//! on the subjects' CPUs; the load is the same requests by the same connections, as fast as they are answered. A
//! ceiling is kept in the cache for the setting that it was measured in, for a week, and as long as a piece of
//! fixed work takes as long as it did then.

use crate::host::{clock, cpus, steady};
use crate::study::SubjectSpec;
use crate::subject::{Cache, Catalogue, Keeper, Prepared, SubjectError, this_program};
use proofload_engine::transport::Transport;
use proofload_engine::{Distribution, Expect, Extent, Follow, KeepAlive, LoadPlan, Profile, Target, Watch};
use proofload_store::schema::{Ceiling, Environment, FORMAT_VERSION};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Load that is not counted: connections are made and caches filled.
const DISCARD_NS: u64 = 150_000_000;
/// What is counted.
const WINDOW_NS: u64 = 500_000_000;
/// How often it is done. The most counts: whatever disturbs can only take away.
const TIMES: u32 = 2;
/// What is in flight against a server that does nothing ends in no time.
const DRAIN_NS: u64 = 200_000_000;
/// How long a ceiling is believed.
const FRESH_NS: u64 = 7 * 24 * 3600 * 1_000_000_000;
/// By how much the fixed work may take longer or shorter on a machine that is still the same.
const CANARY_SHARE: f64 = 0.10;
/// Most threads of the null server.
const SERVER_WORKERS_MAX: usize = 16;
/// How long the null server may take until it listens.
const READY_WITHIN_NS: u64 = 10_000_000_000;
/// Share of exchanges that may fail; a load that the null server does not understand fails altogether.
const FAILED_SHARE_MAX: f64 = 0.001;
/// Shorter requests cost what these do.
const REQUEST_BYTES_MIN: u64 = 256;
/// Largest file of the cache that is read.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What a ceiling is measured with.
pub struct Measuring<'a> {
    /// Where ceilings are kept.
    pub cache: &'a Cache,
    /// The keeper of the null server.
    pub keeper: &'a Keeper,
    /// CPUs of the null server; empty pins it nowhere.
    pub subject_cpus: &'a [usize],
    /// Set to end early.
    pub stop: &'a AtomicBool,
}

/// A load whose ceiling is asked for.
pub struct Setting {
    /// Its plans, one for each stream, against any address.
    pub plans: Vec<LoadPlan>,
    /// Largest answer of the class, in bytes, head included.
    pub answer_bytes: u64,
}

impl Setting {
    /// Why the null server cannot stand for the load's servers, if it cannot.
    fn refusal(&self) -> Option<String> {
        let every = self.plans.iter().any(|plan| matches!(plan.keep_alive, KeepAlive::Every(_)));
        let targets = || self.plans.iter().flat_map(|plan| &plan.targets);
        if every {
            return Some(
                "connections that end after some exchanges are none of the null server's".to_string(),
            );
        }
        if targets().any(|target| target.transport != Transport::default()) {
            return Some("the null server speaks neither TLS nor through a proxy".to_string());
        }
        let is_unix = |target: &Target| target.address.tcp().is_none();
        targets().any(is_unix).then(|| "the null server listens on no Unix socket".to_string())
    }

    /// All that a ceiling depends on, a line each.
    fn lines(&self, environment: &Environment, subject_cpus: &[usize]) -> Vec<String> {
        let mut lines = vec![
            format!("machine {}", environment.machine),
            format!("kernel {}", environment.kernel),
            format!("CPU model {}", environment.cpu_model),
            format!("proofload {} {}", environment.proofload, build()),
            format!("CPUs of the process {:?}", environment.cpus),
            format!("CPUs of the server {subject_cpus:?}"),
            format!("answers up to {} bytes", self.answer_bytes),
        ];
        for plan in &self.plans {
            let weights: u64 = plan.mix.iter().map(|entry| u64::from(entry.weight)).sum();
            let bytes: u64 =
                plan.mix.iter().map(|entry| u64::from(entry.weight) * entry.request.bytes.len() as u64).sum();
            let request = (bytes / weights.max(1)).max(REQUEST_BYTES_MIN).next_power_of_two();
            lines.push(format!(
                "{} connections, {} threads on CPUs {:?}, keep-alive {:?}, driver {}, requests up to {request} bytes",
                plan.connections,
                plan.workers,
                plan.cpus,
                plan.keep_alive,
                plan.driver.name()
            ));
        }
        lines
    }

    /// The same load without pauses, against the null server.
    fn against(&self, address: SocketAddr) -> Vec<LoadPlan> {
        let plans = self.plans.iter().cloned().map(|mut plan| {
            plan.targets = vec![Target::from(address)];
            for entry in &mut plan.mix {
                (entry.target, entry.expect, entry.follow) = (0, Expect::default(), Follow::default());
            }
            plan.asking.bind = Vec::new();
            plan.shortage = proofload_engine::Shortage::default();
            plan.profile = Profile::Closed { think_ns: Distribution::Constant(0) };
            (plan.discard_ns, plan.drain_ns) = (DISCARD_NS, DRAIN_NS);
            plan.extent = Extent::DurationNs(WINDOW_NS);
            plan
        });
        plans.collect()
    }

    fn keeps_alive(&self) -> bool {
        !self.plans.iter().any(|plan| plan.keep_alive == KeepAlive::Off)
    }
}

/// Another build is another generator.
fn build() -> String {
    let file = fs::metadata(this_program());
    file.map_or_else(|_| "unknown".to_string(), |file| format!("{}-{}", file.len(), file.mtime()))
}

fn path_of(cache: &Cache, lines: &[String]) -> PathBuf {
    let digest = Sha256::digest(lines.join("\n"));
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    cache.root().join("ceilings").join(format!("{name}.json"))
}

/// What is in the cache; nothing that is too old, or of a machine that was faster or slower.
fn fresh(path: &Path, lines: &[String], unix_ns: u64, canary_ns: u64) -> Option<Ceiling> {
    let is_small = fs::metadata(path).ok()?.len() <= FILE_BYTES_MAX;
    let found: Ceiling = serde_json::from_slice(&fs::read(path).ok().filter(|_| is_small)?).ok()?;
    let age_ns = unix_ns.checked_sub(found.measured_unix_ns)?;
    let work = canary_ns as f64 / found.canary_ns.max(1) as f64;
    let same = (1.0 / (1.0 + CANARY_SHARE)..=1.0 + CANARY_SHARE).contains(&work);
    let whole = found.exchanges_per_s.is_some_and(|rate| rate.is_finite() && rate > 0.0);
    let known = found.format == FORMAT_VERSION && found.setting == lines;
    (known && whole && same && age_ns <= FRESH_NS).then_some(Ceiling { cached: true, ..found })
}

/// The ceiling that the cache holds for this setting, if it still holds.
pub fn cached(
    cache: &Cache,
    setting: &Setting,
    environment: &Environment,
    subject_cpus: &[usize],
) -> Option<Ceiling> {
    let lines = setting.lines(environment, subject_cpus);
    let path = path_of(cache, &lines);
    // Whoever never measured one is not made to wait for the fixed work.
    if !path.is_file() {
        return None;
    }
    fresh(&path, &lines, clock::unix_ns(), steady::canary_ns(subject_cpus.first().copied()))
}

impl Measuring<'_> {
    /// The ceiling of a setting: from the cache, or measured now and kept there. Never fails: what cannot be
    /// measured says why.
    pub fn ceiling(&self, setting: &Setting, environment: &Environment) -> Ceiling {
        let lines = setting.lines(environment, self.subject_cpus);
        let bare = Ceiling {
            format: FORMAT_VERSION,
            setting: lines.clone(),
            answer_bytes: setting.answer_bytes,
            measured_unix_ns: clock::unix_ns(),
            ..Ceiling::default()
        };
        if let Some(why) = setting.refusal() {
            return Ceiling { why, ..bare };
        }
        let path = path_of(self.cache, &lines);
        let canary_ns = steady::canary_ns(self.subject_cpus.first().copied());
        if let Some(known) = fresh(&path, &lines, bare.measured_unix_ns, canary_ns) {
            return known;
        }
        match self.measure(setting) {
            Err(why) => Ceiling { why, ..bare },
            Ok(rate) => {
                let measured = Ceiling { exchanges_per_s: Some(rate), canary_ns, ..bare };
                // A cache that cannot be written costs a second the next time, and nothing else.
                let _ = keep(&path, &measured);
                measured
            }
        }
    }

    fn measure(&self, setting: &Setting) -> Result<f64, String> {
        // The null server's head takes about 100 bytes; half of the class stands for all of it.
        let size = setting.answer_bytes / 2;
        let busy: usize = setting.plans.iter().map(|plan| plan.workers as usize).sum();
        let workers = match self.subject_cpus {
            [] => cpus::allowed().len().saturating_sub(busy),
            cpus => cpus.len(),
        };
        let workers = workers.clamp(1, SERVER_WORKERS_MAX);
        let mut args = vec![this_program().display().to_string()];
        let words = ["reference-server", "--null", "--port", "{port}", "--size", &size.to_string()];
        args.extend(words.map(str::to_string));
        args.extend(["--workers".to_string(), workers.to_string()]);
        if !setting.keeps_alive() {
            args.extend(["--close-after".to_string(), "1".to_string()]);
        }
        let spec = SubjectSpec::Command {
            args,
            port: None,
            env: BTreeMap::new(),
            directory: Some(self.keeper.temp().to_path_buf()),
            ready_within_ns: READY_WITHIN_NS,
            memory_max_bytes: None,
        };
        let said = |error: SubjectError| error.to_string();
        let catalogue = Catalogue::find(None, None).map_err(said)?;
        let prepared = Prepared::resolve("the null server", &spec, &catalogue, self.cache).map_err(said)?;
        let temp = self.keeper.temp().join(format!("null-{}", clock::monotonic_ns()));
        let log = temp.with_extension("log");
        let running = prepared.start(self.keeper, self.subject_cpus, &log, &temp).map_err(said)?;
        running.wait_ready(self.stop).map_err(said)?;
        let address = running.address().tcp().unwrap_or((Ipv4Addr::LOCALHOST, 0).into());
        let plans = setting.against(address);
        let rates: Result<Vec<f64>, String> = (0..TIMES).map(|_| self.load(&plans)).collect();
        running.stop().map_err(said)?;
        Ok(rates?.into_iter().fold(0.0, f64::max))
    }

    fn load(&self, plans: &[LoadPlan]) -> Result<f64, String> {
        let watch = Watch::default();
        let results = std::thread::scope(|scope| {
            let load = scope.spawn(|| proofload_engine::run_streams(plans, &watch));
            while !load.is_finished() {
                if self.stop.load(Ordering::Relaxed) {
                    watch.stop.store(true, Ordering::Relaxed);
                }
                clock::sleep_ns(10_000_000);
            }
            load.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let results = results.map_err(|error| error.to_string())?;
        if results.iter().any(|result| result.stopped_early) {
            return Err("it was stopped".to_string());
        }
        let (mut rate, mut failed) = (0.0, 0.0_f64);
        for result in &results {
            rate += result.snapshot.throughput_per_s().unwrap_or(0.0);
            failed = failed.max(result.snapshot.outcomes.error_share().unwrap_or(1.0));
        }
        if failed > FAILED_SHARE_MAX {
            let share = failed * 100.0;
            return Err(format!("{share:.1} % of the exchanges with the null server failed"));
        }
        Ok(rate)
    }
}

fn keep(path: &Path, ceiling: &Ceiling) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let text = serde_json::to_vec_pretty(ceiling).map_err(std::io::Error::other)?;
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    fs::write(&fresh, text)?;
    fs::rename(&fresh, path)
}

#[cfg(test)]
mod tests;
