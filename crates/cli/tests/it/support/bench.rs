//! The bench of studies in that world: reference servers as simulated ones, loads and ages in virtual time.

use super::Reference;
use super::world::World;
use proofload_engine::{
    Addresses, EngineError, Extent, Launch, LoadPlan, LoadResult, Profile, Stretch, Watch,
};
use proofload_facts::Finding;
use proofload_host::clock;
use proofload_lab::generator_settings::GeneratorSettings;
use proofload_lab::plan::{self, LoadTerms};
use proofload_lab::runner::{Absent, Bench, BenchError, BenchTerms, Benches, CeilingOf, LoadWindow, Loaded};
use proofload_store::schema::{Ceiling, Conditions, FORMAT_VERSION, SubjectUse, Variant};
use proofload_study::quantity::rate_label;
use proofload_study::{LoadPoint, SubjectSpec};
use proofload_subject::{Exit, SubjectError};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Duration of a start.
const START_NS: u64 = 300_000_000;
const MEMORY_BYTES: u64 = 20_000_000;

impl Benches for World {
    fn open<'a>(&self, terms: BenchTerms<'a>) -> Result<Box<dyn Bench + 'a>, SubjectError> {
        let running = terms.study.variants.iter().map(|_| None).collect();
        let none = vec![0; terms.study.variants.len()];
        let (starts, loads) = (none.clone(), none);
        let world = self.clone();
        let (now_ns, settings, is_unkept) = (1, GeneratorSettings::default(), false);
        Ok(Box::new(SimBench { world, terms, running, starts, loads, now_ns, settings, is_unkept }))
    }
}

/// Unwinds through everything, as an end without notice.
pub struct Killed;

struct SimBench<'a> {
    world: World,
    terms: BenchTerms<'a>,
    /// By variant.
    running: Vec<Option<Running>>,
    starts: Vec<u32>,
    loads: Vec<u32>,
    now_ns: u64,
    settings: GeneratorSettings,
    is_unkept: bool,
}

struct Running {
    address: Addresses,
    authority: String,
    /// `None` for a `url:` subject, whose server is not ours.
    server: Option<Reference>,
    started_ns: u64,
    is_dead: bool,
}

fn failed(why: impl ToString) -> BenchError {
    BenchError::Failed(Finding::failed(why))
}

impl SimBench<'_> {
    fn workers(&self) -> u32 {
        let own = self.settings.generator_cpus.len().max(1) as u32;
        self.terms.workers.or(self.settings.workers).unwrap_or(own)
    }

    /// The arguments of the reference server that serves a variant.
    fn arguments(&self, variant: usize) -> Result<Vec<String>, BenchError> {
        let host = self.terms.hosts.ready.iter().find(|host| host.variants.contains(&variant));
        let missing = || {
            let missing = &self.terms.hosts.missing;
            let why = missing.iter().find(|(missing, _)| *missing == variant).map(|(_, why)| why.clone());
            BenchError::Failed(why.map_or(Finding::NotStarted, Finding::failed))
        };
        let host = host.ok_or_else(missing)?;
        let mut planned = Variant::default();
        host.prepared.describe(&mut planned);
        let verb = planned.command.iter().position(|word| word == "reference-server");
        let verb = verb.ok_or_else(|| failed("only the reference server is simulated"))?;
        Ok(planned.command[verb + 1..]
            .iter()
            .map(|word| word.replace("{port}", "0").replace("{address}", "127.0.0.1"))
            .collect())
    }

    fn load_plans(
        &self,
        variant: usize,
        point: &LoadPoint,
        window: LoadWindow,
        seed: u64,
    ) -> Result<Vec<LoadPlan>, BenchError> {
        let running = self.running[variant].as_ref().ok_or_else(|| failed("it was not started"))?;
        let passage = &self.terms.study.variants[variant].passage;
        let terms = LoadTerms {
            target: passage.target(&running.address, &running.authority),
            authority: &running.authority,
            speaks: &passage.speaks,
            discard_ns: window.discard_ns,
            extent: Extent::DurationNs(window.measure_ns),
            drain_ns: window.drain_ns,
            workers: self.workers() * if window.doubled { 2 } else { 1 },
            cpus: Vec::new(),
            seed,
            settings: &self.settings,
        };
        plan::load_plans(self.terms.study, point, window.role, &terms).map_err(failed)
    }

    /// Carries the load out on a thread of its own, since a signal may stop it.
    fn carried_out(&self, plans: &[LoadPlan]) -> Result<Vec<LoadResult>, EngineError> {
        let watch = &Watch::default();
        let (generator, listener) = (self.terms.generator, self.terms.listener);
        std::thread::scope(|scope| {
            let (over, ended) = mpsc::channel::<()>();
            let load = scope.spawn(move || {
                let _over = over;
                let mut tell = |stretch: &Stretch<'_>| listener.iter().for_each(|it| it.second(stretch));
                generator.launch(Launch { each_second: Some(&mut tell), ..Launch::new(plans, watch) })
            });
            while ended.recv_timeout(Duration::from_millis(20)) == Err(RecvTimeoutError::Timeout) {
                watch.stop.fetch_or(self.terms.stop.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            load.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Fate of Proofload in a load of that variant.
    fn meet(&self, variant: usize) {
        let terms = &self.world.terms;
        if terms.killed_in == Some(self.starts[variant]) {
            std::panic::resume_unwind(Box::new(Killed));
        }
        if terms.signal_at == Some(self.loads.iter().sum()) {
            self.terms.stop.store(true, Ordering::Relaxed);
        }
    }

    fn load_point(
        &mut self,
        variant: usize,
        point: &LoadPoint,
        window: LoadWindow,
        seed: u64,
    ) -> Result<Loaded, BenchError> {
        let study = self.terms.study;
        let name = &study.variants[variant].name;
        self.loads[variant] += 1;
        self.meet(variant);
        if self.world.terms.unkept_at == Some(self.loads.iter().sum()) {
            self.is_unkept = true;
            self.running.iter_mut().flatten().for_each(|running| running.is_dead = true);
            return Err(failed("nobody listens"));
        }
        let deaths = &self.world.terms.deaths;
        if deaths.iter().any(|(who, load)| who == name && *load == self.loads[variant]) {
            self.running[variant].iter_mut().for_each(|running| running.is_dead = true);
            return Err(failed("nobody listens"));
        }
        let plans = self.load_plans(variant, point, window, seed)?;
        if let Some(listener) = self.terms.listener {
            listener.begins(name, &point.label);
        }
        let running = self.running[variant].as_ref().ok_or_else(|| failed("it was not started"))?;
        let before = running.server.as_ref().map(|server| server.counted());
        let results = self.carried_out(&plans).map_err(failed)?;
        let start_ns = self.now_ns + window.discard_ns;
        let age_seconds = match running.server {
            Some(_) => (start_ns - running.started_ns) as f64 / 1e9,
            None => 0.0,
        };
        let subject = running.server.as_ref().zip(before).map(|(server, before)| {
            let after = server.counted();
            let requests = after.requests - before.requests;
            let spun_ns = after.spin_cpu_ns - before.spin_cpu_ns;
            SubjectUse {
                cpu_ns: Some(requests * self.world.terms.request_cpu_ns + spun_ns),
                rss_bytes: Some(MEMORY_BYTES),
                threads: Some(2),
                descriptors: Some(10),
                ..SubjectUse::default()
            }
        });
        let taken_ns =
            results.iter().map(|result| result.snapshot.window.end_ns - result.snapshot.window.start_ns);
        self.now_ns = start_ns + taken_ns.max().unwrap_or(0);
        Ok(Loaded {
            started_unix_ns: clock::unix_ns(),
            results,
            subject,
            age_seconds,
            conditions: Some(Conditions::default()),
            ..Loaded::default()
        })
    }
}

impl Bench for SimBench<'_> {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn adopt(&mut self, settings: &GeneratorSettings) {
        self.settings = settings.clone();
    }

    fn start(&mut self, variant: usize, log: &Path) -> Result<(), BenchError> {
        let (address, authority, server) = match &self.terms.study.variants[variant].subject {
            SubjectSpec::Url { address, authority } => (address.clone(), authority.clone(), None),
            _ => {
                let server = Reference::new(&self.arguments(variant)?).map_err(failed)?;
                std::fs::write(log, format!("listening on {}\n", server.url())).map_err(failed)?;
                (server.address().into(), server.address().to_string(), Some(server))
            }
        };
        self.now_ns += START_NS;
        self.starts[variant] += 1;
        let started_ns = self.now_ns;
        self.running[variant] = Some(Running { address, authority, server, started_ns, is_dead: false });
        Ok(())
    }

    fn wait_quiet(&mut self, _busy: usize) -> Vec<Finding> {
        Vec::new()
    }

    fn load(
        &mut self,
        variant: usize,
        point: usize,
        window: LoadWindow,
        seed: u64,
    ) -> Result<Loaded, BenchError> {
        self.load_point(variant, &self.terms.study.points[point], window, seed)
    }

    fn load_at(
        &mut self,
        variant: usize,
        rate_per_s: f64,
        window: LoadWindow,
        seed: u64,
    ) -> Result<Loaded, BenchError> {
        let label = rate_label(rate_per_s);
        let mut point = LoadPoint { label, ..self.terms.study.points[0].clone() };
        if let Profile::Open { rate_per_s: planned, .. } = &mut point.profile {
            *planned = rate_per_s;
        }
        self.load_point(variant, &point, window, seed)
    }

    fn alive(&mut self, variant: usize) -> Result<(), Absent> {
        match self.running[variant].as_ref().is_some_and(|running| running.is_dead) {
            true => Err(Absent::Ended(Exit::Signal(9), Finding::failed("was killed by signal 9"))),
            false => Ok(()),
        }
    }

    fn fault(&mut self) -> Option<Finding> {
        self.is_unkept.then_some(Finding::KeeperGone)
    }

    fn can_double(&self, point: usize) -> bool {
        let (study, twice) = (self.terms.study, self.workers() * 2);
        let point = &study.points[point];
        match study.streams.is_empty() {
            true => point.connections >= twice,
            false => point.streams.iter().all(|load| load.connections >= twice),
        }
    }

    fn ceiling_setting(&mut self, of: &CeilingOf) -> Vec<String> {
        vec![format!("simulated, answers of {} bytes, connections {:?}", of.answer_bytes, of.peaks)]
    }

    fn ceiling(&mut self, of: &CeilingOf) -> Ceiling {
        Ceiling {
            format: FORMAT_VERSION,
            setting: self.ceiling_setting(of),
            answer_bytes: of.answer_bytes,
            exchanges_per_s: Some(self.world.terms.ceiling_per_s),
            measured_unix_ns: clock::unix_ns(),
            ..Ceiling::default()
        }
    }

    fn may_compile(&mut self, variant: usize) -> bool {
        self.running[variant].as_ref().is_some_and(|running| running.server.is_none())
    }

    fn stop(&mut self, variant: usize) -> Vec<Finding> {
        self.running[variant] = None;
        Vec::new()
    }

    fn stop_all(&mut self) -> Vec<Finding> {
        self.running.iter_mut().for_each(|running| *running = None);
        Vec::new()
    }
}
