//! The bench of the real world: subjects as processes, the engine, telemetry.

use super::bench::{Absent, Bench, BenchError, BenchTerms, Benches, CeilingOf, LoadWindow, Loaded};
use super::observed::{Watching, length_of, observed};
use super::once;
use crate::cause;
use crate::ceiling::{Measuring, Setting};
use crate::generator_settings::{GeneratorSettings, pinned};
use crate::plan;
use crate::registry;
use proofload_engine::{Address, Addresses, Extent, LoadPlan, LoadResult, Profile};
use proofload_facts::Finding;
use proofload_host::affinity::{self, Pinned};
use proofload_host::clock;
use proofload_host::cpus::KeptOff;
use proofload_host::others::{self, Others, Programs};
use proofload_host::steady::{Sides, Steady};
use proofload_measure::Outcome;
use proofload_store::schema::{Ceiling, Network};
use proofload_study::quantity::rate_label;
use proofload_study::{Condition, LoadPoint, LoadRole, SubjectSpec};
use proofload_subject::{Keeper, Running, SubjectError, Surroundings};
use proofload_telemetry::{Checkpointer, Sampler, Target, Tree, TreeSample, idle_share};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Window for the CPU of idle variants. Each slice waits that long.
const QUIET_WINDOW_NS: u64 = 10_000_000;
/// Longest wait for idle variants to become quiet.
const QUIET_WAIT_NS: u64 = 2_000_000_000;
/// Share of a core that an idle variant may use.
const QUIET_SHARE: f64 = 0.02;

/// Benches of the real world, each with a keeper that ends everything even if this process is killed.
#[derive(Clone, Copy, Debug)]
pub struct LiveBenches;

impl Benches for LiveBenches {
    fn open<'a>(&self, terms: BenchTerms<'a>) -> Result<Box<dyn Bench + 'a>, SubjectError> {
        let kept = KeptOff::these(terms.generator_cpus);
        let keeper = Keeper::start()?;
        // The bench chooses for each block the CPUs that this thread and its children must avoid.
        drop(kept);
        Ok(Box::new(LiveBench::new(terms, keeper)))
    }
}

struct Active {
    running: Running,
    /// The variants that use it.
    users: BTreeSet<usize>,
    /// Its processes; `None` for a `url:` subject.
    tree: Option<Tree>,
    /// Its threads, where a `url:` subject is pinned.
    _pinned: Vec<Pinned>,
    /// Values that its setup left, by their variables: all users have them.
    given: Vec<(usize, Vec<u8>)>,
}

/// Starts real processes and loads them with the engine.
struct LiveBench<'a> {
    terms: BenchTerms<'a>,
    keeper: Keeper,
    active: Vec<Option<Active>>,
    starts: u32,
    settings: GeneratorSettings,
    /// Keeps this thread, and its children, off the generator's CPUs.
    kept: Option<KeptOff>,
    is_unkept: bool,
    /// All programs, when others were requested.
    programs: Option<Programs>,
    /// Servers that run already, and processes of this program.
    ours: BTreeSet<u32>,
    /// Reasons why nothing of a variant was answered as it was asked for, by the most frequent outcome; `None` where none
    /// was found.
    causes: BTreeMap<(usize, Outcome), Option<Finding>>,
}

impl<'a> LiveBench<'a> {
    fn new(terms: BenchTerms<'a>, keeper: Keeper) -> Self {
        let active = terms.hosts.ready.iter().map(|_| None).collect();
        LiveBench {
            active,
            terms,
            keeper,
            starts: 0,
            settings: GeneratorSettings::default(),
            kept: None,
            is_unkept: false,
            programs: None,
            ours: BTreeSet::new(),
            causes: BTreeMap::new(),
        }
    }

    fn workers(&self) -> u32 {
        let own = self.settings.generator_cpus.len().max(1) as u32;
        self.terms.workers.or(self.settings.workers).unwrap_or(own)
    }

    /// The host of a variant, and which of its endpoints is the variant's.
    fn place(&self, variant: usize) -> Option<(usize, usize)> {
        let hosts = self.terms.hosts.ready.iter().enumerate();
        let mut places = hosts.filter_map(|(host, served)| {
            Some((host, served.variants.iter().position(|one| *one == variant)?))
        });
        places.next()
    }

    /// The process that serves a variant, with the endpoint and the address that are the variant's.
    fn active(&self, variant: usize) -> Result<(&Active, usize, Addresses), BenchError> {
        let found = self.place(variant).and_then(|(host, endpoint)| {
            let active = self.active[host].as_ref().filter(|active| active.users.contains(&variant))?;
            Some((active, endpoint, active.running.addresses().get(endpoint)?.clone()))
        });
        found.ok_or(BenchError::Failed(Finding::NotStarted))
    }

    /// CPUs that are the generator's alone, or those that the study gives; none where it has to share the only one with
    /// the subjects.
    fn own_cpus(&self) -> Vec<usize> {
        let (own, subject) = (&self.settings.generator_cpus, &self.settings.subject_cpus);
        let is_said = self.terms.study.conditions.levels(Condition::GeneratorCpus).is_some();
        if !is_said && own.iter().any(|cpu| subject.contains(cpu)) { Vec::new() } else { own.clone() }
    }

    fn is_shared(&self, variant: usize) -> bool {
        self.terms.study.variants[variant].shares.is_some()
    }

    fn load_plans(
        &self,
        variant: usize,
        point: &LoadPoint,
        load_window: LoadWindow,
        seed: u64,
    ) -> Result<Vec<LoadPlan>, BenchError> {
        let (active, ..) = self.active(variant)?;
        let plans = self.with_terms(variant, load_window, seed, |terms| {
            plan::load_plans(self.terms.study, point, load_window.role, terms)
        })?;
        let mut plans = plans.map_err(|error| BenchError::Failed(Finding::failed(error)))?;
        for journeys in plans.iter_mut().filter_map(|plan| plan.asking.journeys.as_mut()) {
            if !active.given.is_empty() {
                Arc::make_mut(journeys).given.clone_from(&active.given);
            }
        }
        Ok(plans)
    }

    /// Calls `plan` with the terms of a load on this variant.
    fn with_terms<T>(
        &self,
        variant: usize,
        load_window: LoadWindow,
        seed: u64,
        plan: impl FnOnce(&plan::LoadTerms<'_>) -> T,
    ) -> Result<T, BenchError> {
        let (active, endpoint, address) = self.active(variant)?;
        let authority = active.running.authority(endpoint);
        let passage = &self.terms.study.variants[variant].passage;
        let (target, speaks) = registry::reached(passage, &address, &authority)
            .map_err(|why| BenchError::Failed(Finding::failed(why)))?;
        let terms = plan::LoadTerms {
            target,
            authority: &authority,
            speaks: &speaks,
            discard_ns: load_window.discard_ns,
            extent: proofload_engine::Extent::DurationNs(load_window.measure_ns),
            drain_ns: load_window.drain_ns,
            workers: self.workers() * if load_window.doubled { 2 } else { 1 },
            cpus: self.own_cpus(),
            seed,
            settings: &self.settings,
        };
        Ok(plan(&terms))
    }

    /// Lets one user take the steps before or after all loads on a server; the values that he captured.
    fn walk(&self, variant: usize, when: plan::Around) -> Result<Vec<(usize, Vec<u8>)>, Finding> {
        if self.terms.study.journeys.as_ref().is_none_or(|journeys| journeys.around[when as usize].is_none())
        {
            return Ok(Vec::new());
        }
        let window = LoadWindow {
            role: LoadRole::Real,
            discard_ns: 0,
            measure_ns: 1,
            drain_ns: 0,
            doubled: false,
            thorough: false,
        };
        let failed = |error: BenchError| match error {
            BenchError::Failed(why) => why,
            BenchError::Interrupted => Finding::NotStarted,
        };
        let planned =
            self.with_terms(variant, window, 1, |terms| plan::around(self.terms.study, when, terms));
        match planned.map_err(failed)? {
            None => Ok(Vec::new()),
            Some(plan) => once::walk(&plan.map_err(Finding::failed)?, &self.terms.study.workload),
        }
    }

    fn measuring(&self) -> Measuring<'_> {
        Measuring {
            cache: self.terms.cache,
            keeper: &self.keeper,
            settings: &self.settings,
            stop: &self.terms.stop,
            generator: self.terms.generator,
            address: self.terms.address,
        }
    }

    /// The load itself, of as many connections as it has, against no particular server.
    fn setting(&self, of: &CeilingOf) -> Result<Setting, Finding> {
        let study = self.terms.study;
        let nowhere = match &study.variants[of.variant].subject {
            SubjectSpec::Url { address, .. } if matches!(address.first, Address::Unix(_)) => address.clone(),
            _ => SocketAddr::from((Ipv4Addr::LOCALHOST, 1)).into(),
        };
        let terms = plan::LoadTerms {
            target: study.variants[of.variant].passage.target(&nowhere, "localhost:80"),
            authority: "localhost:80",
            speaks: &study.variants[of.variant].passage.speaks,
            discard_ns: 0,
            extent: Extent::DurationNs(1),
            drain_ns: 0,
            workers: self.workers(),
            cpus: self.own_cpus(),
            seed: 1,
            settings: &self.settings,
        };
        let plans = plan::load_plans(study, &study.points[of.point], LoadRole::Real, &terms);
        let plans = plans.map_err(Finding::failed)?;
        Ok(Setting::new(plans, of.answer_bytes, &of.peaks))
    }

    /// Samples the live set in a soak only.
    fn checkpointer<'t>(
        &'t self,
        tree: &'t Tree,
        point: &LoadPoint,
        load_window: LoadWindow,
    ) -> Option<Checkpointer<'t>> {
        let every_ns = point.checkpoint_ns();
        (every_ns > 0 && load_window.role == LoadRole::Real).then(|| Checkpointer {
            tree,
            every_ns,
            length_ns: load_window.measure_ns,
            stop: &self.terms.stop,
        })
    }

    fn load_point(
        &self,
        variant: usize,
        point: &LoadPoint,
        load_window: LoadWindow,
        seed: u64,
    ) -> Result<Loaded, BenchError> {
        let plans = self.load_plans(variant, point, load_window, seed)?;
        let (active, _, address) = self.active(variant)?;
        let ports: Vec<u16> = address.tcp().iter().map(std::net::SocketAddr::port).collect();
        // The resource use of a shared process cannot be divided between its variants.
        let tree = active.tree.as_ref().filter(|_| !self.is_shared(variant));
        let sampler = tree.map(|tree| Sampler {
            target: Target { tree, loaded_ports: &ports },
            discard_ns: load_window.discard_ns,
            window_ns: length_of(&plans),
            thorough: load_window.thorough,
        });
        let checkpointer = tree.and_then(|tree| self.checkpointer(tree, point, load_window));
        let sides = Sides { generator: &self.settings.generator_cpus, subject: &self.settings.subject_cpus };
        let mut steady = Steady::begin(sides);
        let listener = self.terms.listener;
        if let Some(listener) = listener {
            listener.begins(&self.terms.study.variants[variant].name, &point.label);
        }
        let generator = self.terms.generator;
        let watching = Watching { generator, sampler, checkpointer, listener };
        let observed = observed(&plans, &watching, &self.terms.stop, &mut steady);
        let (results, sampled, checkpoints) =
            observed.map_err(|error| BenchError::Failed(Finding::failed(error)))?;
        let conditions = Some(steady.end());
        // All streams have one first instant; the last to end is the end of the window.
        let started_ns = results.first().map_or(0, |result| result.window_start_ns);
        let ended_ns = results.iter().map(|result| result.snapshot.window.end_ns).max().unwrap_or(started_ns);
        let seen = sampled.and_then(|sampled| sampled.digest(started_ns, ended_ns));
        let seen = seen.map(|(mut used, mut telemetry)| {
            if let Some(checkpoints) = checkpoints {
                checkpoints.enter(&mut used, &mut telemetry, started_ns);
            }
            (used, telemetry)
        });
        let (subject, telemetry) = seen.unzip();
        let age_seconds =
            active.running.started_ns().map_or(0.0, |ns| started_ns.saturating_sub(ns) as f64 / 1e9);
        let ago_ns = clock::monotonic_ns().saturating_sub(started_ns);
        Ok(Loaded {
            results,
            subject,
            telemetry,
            started_unix_ns: clock::unix_ns().saturating_sub(ago_ns),
            age_seconds,
            conditions,
            marks: Vec::new(),
            cause: None,
        })
    }

    /// The reason why nothing of a load was answered as it was asked for.
    fn cause(
        &mut self,
        variant: usize,
        point: &LoadPoint,
        load_window: LoadWindow,
        seed: u64,
        results: &[LoadResult],
    ) -> Option<Finding> {
        let wanted: Option<Vec<Outcome>> = results.iter().map(cause::wanted).collect();
        let first = *wanted?.first()?;
        if let Some(known) = self.causes.get(&(variant, first)) {
            return known.clone();
        }
        if self.terms.stop.load(Ordering::Relaxed) {
            return None;
        }
        let (active, endpoint, _) = self.active(variant).ok()?;
        let authority = active.running.authority(endpoint);
        let plans = self.load_plans(variant, point, load_window, seed).ok()?;
        let found = cause::cause(self.terms.generator, plans.first()?, results.first()?, &authority);
        self.causes.insert((variant, first), found.clone());
        found
    }

    fn sample_idle(&self, busy: usize) -> Vec<(usize, TreeSample)> {
        let others = self.active.iter().flatten().filter(|active| !active.users.contains(&busy));
        others.filter_map(|active| Some((*active.users.first()?, active.tree.as_ref()?.sample()))).collect()
    }
}

impl Bench for LiveBench<'_> {
    fn now_ns(&self) -> u64 {
        clock::monotonic_ns()
    }

    fn adopt(&mut self, settings: &GeneratorSettings) {
        self.terms.right.keep_awake(settings.awake);
        // First back to where it was before: keeping CPUs off narrows the allowed ones.
        self.kept = None;
        self.kept = Some(KeptOff::these(&settings.generator_cpus));
        self.settings = settings.clone();
    }

    fn network(&mut self) -> Network {
        self.measuring().network()
    }

    fn start(&mut self, variant: usize, log: &Path) -> Result<(), BenchError> {
        let Some((host, _)) = self.place(variant) else {
            let missing = self.terms.hosts.missing.iter().find(|(missing, _)| *missing == variant);
            let why = missing.map_or(Finding::NoProcess, |(_, why)| Finding::failed(why));
            return Err(BenchError::Failed(why));
        };
        if let Some(active) = &mut self.active[host] {
            active.users.insert(variant);
            return Ok(());
        }
        let terms = &self.terms;
        self.starts += 1;
        let temp = self.keeper.temp().join(format!("start-{}", self.starts));
        let surroundings = Surroundings {
            address: self.terms.address,
            cpus: &self.settings.subject_cpus,
            environment_bytes: self.settings.environment_bytes,
        };
        let running = terms.hosts.ready[host]
            .prepared
            .start(&self.keeper, surroundings, log, &temp)
            .and_then(|running| running.wait_ready(&terms.stop).map(|()| running));
        let running = running.map_err(|error| match error {
            SubjectError::Interrupted => BenchError::Interrupted,
            error => {
                self.is_unkept |= error.is_ours();
                BenchError::Failed(Finding::failed(error))
            }
        })?;
        let tree = tree_of(&running);
        let _pinned = match running.started_ns() {
            None => pinned(terms.study, &running.address().first, &self.settings.subject_cpus)
                .map_err(BenchError::Failed)?,
            Some(_) => Vec::new(),
        };
        let users = BTreeSet::from([variant]);
        self.active[host] = Some(Active { running, users, tree, _pinned, given: Vec::new() });
        let given = self.walk(variant, plan::Around::Setup).map_err(BenchError::Failed)?;
        if let Some(active) = &mut self.active[host] {
            active.given = given;
        }
        Ok(())
    }

    fn pause(&mut self, ns: u64) {
        clock::sleep_ns(ns);
    }

    fn others(&mut self) -> Option<Others> {
        let port = |subject: &SubjectSpec| match subject {
            SubjectSpec::Url { address, .. } => Some(address.tcp()?.port()),
            _ => None,
        };
        if self.ours.is_empty() {
            let ports = self.terms.study.variants.iter().filter_map(|variant| port(&variant.subject));
            self.ours = others::ours(&ports.collect::<Vec<u16>>());
        }
        let now = Programs::now(clock::monotonic_ns())?;
        let before = self.programs.replace(now.clone())?;
        Some(now.since(&before, &self.ours))
    }

    fn wait_quiet(&mut self, busy: usize) -> Vec<Finding> {
        let deadline_ns = clock::monotonic_ns() + QUIET_WAIT_NS;
        loop {
            let before = self.sample_idle(busy);
            if before.is_empty() {
                return Vec::new();
            }
            clock::sleep_ns(QUIET_WINDOW_NS);
            let after = self.sample_idle(busy);
            let loud: Vec<(usize, f64)> = before
                .iter()
                .zip(&after)
                .map(|((variant, before), (_, after))| (*variant, idle_share(before, after)))
                .filter(|(_, share)| *share > QUIET_SHARE)
                .collect();
            let stopped = self.terms.stop.load(Ordering::Relaxed);
            if loud.is_empty() || stopped || clock::monotonic_ns() >= deadline_ns {
                return loud
                    .into_iter()
                    .map(|(variant, share)| {
                        let name = &self.terms.study.variants[variant].name;
                        Finding::NotIdle {
                            variant: name.to_string(),
                            cpu_share: share,
                            allowed_share: QUIET_SHARE,
                        }
                    })
                    .collect();
            }
        }
    }

    fn load(
        &mut self,
        variant: usize,
        point: usize,
        load_window: LoadWindow,
        seed: u64,
    ) -> Result<Loaded, BenchError> {
        let point = &self.terms.study.points[point];
        let mut loaded = self.load_point(variant, point, load_window, seed)?;
        loaded.cause = self.cause(variant, point, load_window, seed, &loaded.results);
        Ok(loaded)
    }

    fn load_at(
        &mut self,
        variant: usize,
        rate_per_s: f64,
        load_window: LoadWindow,
        seed: u64,
    ) -> Result<Loaded, BenchError> {
        let label = rate_label(rate_per_s);
        let mut point = LoadPoint { label, ..self.terms.study.points[0].clone() };
        if let Profile::Open { rate_per_s: planned, .. } = &mut point.profile {
            *planned = rate_per_s;
        }
        self.load_point(variant, &point, load_window, seed)
    }

    fn alive(&mut self, variant: usize) -> Result<(), Absent> {
        match self.active(variant) {
            Ok((active, ..)) => active.running.alive().map_err(|absent| match absent {
                proofload_subject::Absent::Ended(exit, why) => Absent::Ended(exit, Finding::failed(why)),
                proofload_subject::Absent::Unknown(why) => Absent::Unknown(Finding::failed(why)),
            }),
            Err(_) => Err(Absent::Unknown(Finding::NotStarted)),
        }
    }

    fn fault(&mut self) -> Option<Finding> {
        self.is_unkept |= self.keeper.is_gone();
        self.is_unkept.then_some(Finding::KeeperGone)
    }

    fn can_double(&self, point: usize) -> bool {
        let (study, point) = (self.terms.study, &self.terms.study.points[point]);
        // Each agent has that many.
        let agents = self.terms.generator.agents().len().max(1) as u32;
        let twice = self.workers().saturating_mul(2).saturating_mul(agents);
        match study.streams.is_empty() {
            true => point.connections >= twice,
            false => point.streams.iter().all(|load| load.connections >= twice),
        }
    }

    fn ceiling_setting(&mut self, of: &CeilingOf) -> Vec<String> {
        let setting = self.setting(of);
        setting.map(|setting| self.measuring().lines(&setting, self.terms.environment)).unwrap_or_default()
    }

    fn ceiling(&mut self, of: &CeilingOf) -> Ceiling {
        match self.setting(of) {
            Ok(setting) => self.measuring().ceiling(&setting, self.terms.environment),
            Err(why) => Ceiling { answer_bytes: of.answer_bytes, why: Some(why), ..Ceiling::default() },
        }
    }

    fn facts(&mut self, variant: usize) -> BTreeMap<String, String> {
        let tree = self.active(variant).ok().and_then(|(active, ..)| active.tree.as_ref());
        tree.map(Tree::facts).unwrap_or_default()
    }

    fn jit_ns(&mut self, variant: usize) -> Option<u64> {
        let (active, ..) = self.active(variant).ok()?;
        active.tree.as_ref()?.sample().jvm_use.jit_ns
    }

    fn may_compile(&mut self, variant: usize) -> bool {
        let Ok((active, ..)) = self.active(variant) else { return false };
        // One that keeps no performance data still has compilers.
        active.tree.is_none()
            || active.running.pids().into_iter().any(affinity::has_compilers)
            || self.jit_ns(variant).is_some()
    }

    fn spread(&mut self, variant: usize) -> Result<bool, Finding> {
        let Ok((active, ..)) = self.active(variant) else { return Ok(false) };
        let (own, more) = (&self.settings.subject_cpus, &self.settings.generator_cpus);
        if active.tree.is_none() || own.is_empty() || more.iter().all(|cpu| own.contains(cpu)) {
            return Ok(false);
        }
        active.running.spread(more).map(|()| true).map_err(Finding::failed)
    }

    fn gather(&mut self, variant: usize) -> Result<(), Finding> {
        let Ok((active, ..)) = self.active(variant) else { return Ok(()) };
        active.running.gather().map_err(|why| Finding::NotGathered { error: why.to_string() })
    }

    fn stop(&mut self, variant: usize) -> Vec<Finding> {
        let Some((host, _)) = self.place(variant) else { return Vec::new() };
        let Some(active) = &mut self.active[host] else { return Vec::new() };
        active.users.remove(&variant);
        if !active.users.is_empty() {
            return Vec::new();
        }
        active.users.insert(variant);
        let walked = self.walk(variant, plan::Around::Teardown).err();
        let name = &self.terms.study.variants[variant].name;
        let ended = self.active[host].take().map(|active| active.running.stop());
        let error = ended.and_then(Result::err);
        self.is_unkept |= error.as_ref().is_some_and(SubjectError::is_ours);
        let stopped = error.map(|error| Finding::failed(format!("{name}: {error}")));
        walked.into_iter().chain(stopped).collect()
    }

    fn stop_all(&mut self) -> Vec<Finding> {
        (0..self.terms.study.variants.len()).flat_map(|variant| self.stop(variant)).collect()
    }
}

/// Everything that was started, the process that is loaded first; `None` for a `url:` subject.
fn tree_of(running: &Running) -> Option<Tree> {
    let front = running.pid()?;
    let others = running.processes().into_iter().map(|(_, pid)| pid).filter(|pid| *pid != front);
    let roots: Vec<u32> = std::iter::once(front).chain(others).collect();
    Some(Tree::of_all(&roots))
}
