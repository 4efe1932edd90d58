//! Interface of the runner to the world.

use super::{Hosts, Listener};
use crate::generator_settings::GeneratorSettings;
use proofload_engine::{Generator, LoadResult};
use proofload_facts::Finding;
use proofload_host::lock::MeasuringLock;
use proofload_host::others::Others;
use proofload_store::schema::{Ceiling, Conditions, Environment, Network, SubjectUse, Telemetry};
use proofload_study::{LoadRole, Study};
use proofload_subject::{Cache, Exit, SubjectError};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Part of a load that is carried out, and its lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadWindow {
    /// The load point's own load, whole where it has a shape of its own; or the load that takes the place of such a
    /// one.
    pub role: LoadRole,
    /// Load that is not measured, before the window.
    pub discard_ns: u64,
    /// The window; a load that is carried out whole ends with its shape, at the latest after this.
    pub measure_ns: u64,
    /// Longest wait for requests in flight at the end.
    pub drain_ns: u64,
    /// Uses twice the generator's threads.
    pub doubled: bool,
    /// Samples the subject's threads, descriptors and pages as well, which takes milliseconds of its CPUs.
    pub thorough: bool,
}

/// Reason why a step could not be taken.
#[derive(Clone, Debug, PartialEq)]
pub enum BenchError {
    Interrupted,
    Failed(Finding),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Absent {
    /// Its process ended, with that status.
    Ended(Exit, Finding),
    Unknown(Finding),
}

impl Absent {
    pub fn why(&self) -> &Finding {
        match self {
            Absent::Ended(_, why) | Absent::Unknown(why) => why,
        }
    }
}

/// A load that was carried out, with what the subject used in its window.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The generator's books, one for each stream; one without streams.
    pub results: Vec<LoadResult>,
    /// The subject's processes; `None` for a `url:` subject.
    pub subject: Option<SubjectUse>,
    /// Samples of its processes meanwhile.
    pub telemetry: Option<Telemetry>,
    /// Wall-clock time of the window's start, nanoseconds since 1970.
    pub started_unix_ns: u64,
    /// Seconds since the variant was started when the window began; 0 for a `url:` subject.
    pub age_seconds: f64,
    /// State of the machine meanwhile.
    pub conditions: Option<Conditions>,
    pub marks: Vec<Finding>,
    /// Reason why nothing was answered, or nothing but redirects; looked for once for each variant.
    pub cause: Option<Finding>,
}

/// Load whose ceiling is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CeilingOf {
    pub variant: usize,
    pub point: usize,
    /// Largest answer of the class, in bytes.
    pub answer_bytes: u64,
    /// Connections that the load came to at most, one for each stream; one without streams.
    pub peaks: Vec<u32>,
}

pub struct BenchTerms<'a> {
    pub study: &'a Study,
    /// The processes that serve its variants, prepared.
    pub hosts: &'a Hosts,
    /// The right to measure, by which CPUs are kept awake or let sleep.
    pub right: &'a MeasuringLock,
    /// CPUs of the generator, as the plan has them.
    pub generator_cpus: &'a [usize],
    /// Threads of the generator, overriding the study; as many as it has CPUs where neither sets them.
    pub workers: Option<u32>,
    pub cache: &'a Cache,
    pub environment: &'a Environment,
    pub stop: Arc<AtomicBool>,
    pub generator: &'a dyn Generator,
    pub address: IpAddr,
    /// Observer of loads while they last.
    pub listener: Option<&'a dyn Listener>,
}

pub trait Benches: Sync {
    /// A bench on which nothing runs yet.
    ///
    /// # Errors
    /// The keeper cannot be started.
    fn open<'a>(&self, terms: BenchTerms<'a>) -> Result<Box<dyn Bench + 'a>, SubjectError>;
}

/// Starts, loads, watches and stops variants. Variants and load points are named by their index in the plan.
pub trait Bench {
    fn now_ns(&self) -> u64;
    /// Applies these settings to everything measured from now on.
    fn adopt(&mut self, _settings: &GeneratorSettings) {}
    /// Measures the network between the generator and the servers.
    fn network(&mut self) -> Network {
        Network::default()
    }
    /// Starts a variant and waits until it is ready.
    ///
    /// # Errors
    /// It died, never got ready, or the stop flag was set.
    fn start(&mut self, variant: usize, log: &Path) -> Result<(), BenchError>;
    /// Lets that much time pass.
    fn pause(&mut self, _ns: u64) {}
    /// CPU time that programs beside the run used since the last call; `None` where it is unknown.
    fn others(&mut self) -> Option<Others> {
        None
    }
    /// Waits, at most 2 s, until every other variant is quiet; returns those that were not.
    fn wait_quiet(&mut self, busy: usize) -> Vec<Finding>;
    /// Loads a variant.
    ///
    /// # Errors
    /// The load could not be carried out at all; failed exchanges are results.
    fn load(
        &mut self,
        variant: usize,
        point: usize,
        load_window: LoadWindow,
        seed: u64,
    ) -> Result<Loaded, BenchError>;
    /// Loads a variant with a rate of its own instead of the one of its load point, the first of the plan.
    ///
    /// # Errors
    /// As [`Bench::load`].
    fn load_at(
        &mut self,
        _variant: usize,
        _rate_per_s: f64,
        _load_window: LoadWindow,
        _seed: u64,
    ) -> Result<Loaded, BenchError> {
        Err(BenchError::Failed(Finding::failed("this bench has no rates of its own")))
    }
    /// Checks that the variant still runs.
    ///
    /// # Errors
    /// Its death, or the reason why its state is unknown.
    fn alive(&mut self, variant: usize) -> Result<(), Absent>;
    /// Fault of the lab: nothing observed in this block is about a variant. Once it is there it stays.
    fn fault(&mut self) -> Option<Finding> {
        None
    }
    /// True if a load point has connections enough for twice the generator's threads.
    fn can_double(&self, _point: usize) -> bool {
        true
    }
    /// All that a ceiling depends on, a line each: what has the same lines has the same ceiling.
    fn ceiling_setting(&mut self, _of: &CeilingOf) -> Vec<String> {
        Vec::new()
    }
    /// Highest rate of the generator against a server that does nothing, with answers of that class. Nothing else
    /// should run. Never fails: without a rate it has a reason.
    fn ceiling(&mut self, of: &CeilingOf) -> Ceiling {
        Ceiling { answer_bytes: of.answer_bytes, why: Some(Finding::NoNullServer), ..Ceiling::default() }
    }
    /// Facts that a running variant reports about itself, by name; empty for one that was not started here.
    fn facts(&mut self, _variant: usize) -> BTreeMap<String, String> {
        BTreeMap::new()
    }
    /// CPU time of the JIT compilers of the process that serves a variant since its start; `None` if it is not a JVM.
    fn jit_ns(&mut self, _variant: usize) -> Option<u64> {
        None
    }
    /// True if a variant may compile while it runs: a JVM does, and one that was not started here may be one.
    fn may_compile(&mut self, variant: usize) -> bool {
        self.jit_ns(variant).is_some()
    }
    /// Lets a variant use the generator's CPUs beside its own, while it warms up. Returns true if it has more now.
    ///
    /// # Errors
    /// The reason why it cannot.
    fn spread(&mut self, _variant: usize) -> Result<bool, Finding> {
        Ok(false)
    }
    /// Brings it back to its own CPUs, to be measured.
    ///
    /// # Errors
    /// The reason why it stays on the others.
    fn gather(&mut self, _variant: usize) -> Result<(), Finding> {
        Ok(())
    }
    /// Stops one variant if it runs; returns a finding for each thing that did not end as it should. Never fails.
    fn stop(&mut self, variant: usize) -> Vec<Finding>;
    /// Stops every variant that was started; returns a finding for each thing that did not end as it should. Never
    /// fails.
    fn stop_all(&mut self) -> Vec<Finding>;
}
