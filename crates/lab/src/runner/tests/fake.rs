//! A bench without servers, in virtual time.

use super::*;
use proofload_host::others::Others;

/// A world in which starting takes 1 s and a load its own length. Records the calls to it.
pub(super) struct FakeBench {
    pub(super) now_ns: u64,
    pub(super) done: Vec<String>,
    /// Fails on the n-th load, if set.
    pub(super) dies_at_load: Option<usize>,
    /// Cannot start this variant, that many times.
    pub(super) broken: Option<(usize, u32)>,
    /// Takes requests and answers none, from the n-th load of this variant on.
    pub(super) hangs: Option<(usize, usize)>,
    /// Dies in every measured load of this variant.
    pub(super) always_dies: Option<usize>,
    pub(super) dead: [bool; 4],
    pub(super) loads_of: [usize; 4],
    /// Sets the stop flag at the n-th load.
    pub(super) stop_at_load: Option<(usize, &'static AtomicBool)>,
    pub(super) loads: usize,
    pub(super) streams: usize,
    /// The hypervisor takes time until this load.
    pub(super) stolen_until_load: usize,
    /// Bytes received in each load.
    pub(super) received: u64,
    /// Has a ceiling of this setting, from its n-th measurement on.
    pub(super) ceiling: Option<(&'static str, usize)>,
    /// Sets the stop flag while the first ceiling is measured.
    pub(super) stop_at_ceiling: Option<&'static AtomicBool>,
    pub(super) ceilings: usize,
    /// Behaviour of each variant at its age in seconds; constant if not set.
    pub(super) nature: Option<fn(usize, f64) -> Nature>,
    pub(super) started_ns: [u64; 4],
    /// Variation of that from load to load, a share.
    pub(super) noise: f64,
    /// I/O driver in each block, as it was set.
    pub(super) drivers: Vec<&'static str>,
    /// Lends the generator's CPUs: which call fails, if any.
    pub(super) lends: Option<Lending>,
    /// The keeper is killed, and all servers with it, in the n-th step: a start, a wait, a load, a stop.
    pub(super) keeper_dies_at: Option<usize>,
    pub(super) steps: usize,
    pub(super) is_unkept: bool,
    /// Use of two CPUs by others at a time in nanoseconds.
    pub(super) others: Option<fn(u64) -> f64>,
    pub(super) wait_for_quiet_ns: Option<u64>,
    /// Fault of the generator in every load.
    pub(super) unfit: Option<proofload_engine::Finding>,
}

/// Behaviour of a bench that lends the generator's CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lending {
    Works,
    Refused,
    /// They are not given back.
    Kept,
}

/// Behaviour of a variant at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nature {
    /// Exchanges of a load of any length.
    pub(super) exchanges: u64,
    pub(super) cpu_ns: f64,
    /// Seconds that its compilers have spent; `None` if it is not a JVM.
    pub(super) jit_s: Option<f64>,
}

impl Nature {
    /// Use of the subject by a load.
    pub(super) fn used(self) -> SubjectUse {
        SubjectUse { cpu_ns: Some((self.cpu_ns * self.exchanges as f64) as u64), ..SubjectUse::default() }
    }
}

impl FakeBench {
    pub(super) fn new() -> Self {
        FakeBench {
            now_ns: 0,
            done: Vec::new(),
            dies_at_load: None,
            broken: None,
            hangs: None,
            always_dies: None,
            dead: [false; 4],
            loads_of: [0; 4],
            stop_at_load: None,
            loads: 0,
            streams: 0,
            stolen_until_load: 0,
            received: 0,
            ceiling: None,
            stop_at_ceiling: None,
            ceilings: 0,
            nature: None,
            started_ns: [0; 4],
            noise: 0.016,
            drivers: Vec::new(),
            lends: None,
            keeper_dies_at: None,
            steps: 0,
            is_unkept: false,
            others: None,
            wait_for_quiet_ns: None,
            unfit: None,
        }
    }

    pub(super) fn nature_of(&self, variant: usize) -> Option<Nature> {
        let age_s = (self.now_ns - self.started_ns[variant]) as f64 / SECOND as f64;
        let nature = self.nature?(variant, age_s);
        let noise = 1.0 + self.noise * steady::waver(variant, self.now_ns);
        Some(Nature {
            exchanges: (nature.exchanges as f64 * noise).round() as u64,
            cpu_ns: nature.cpu_ns / noise,
            jit_s: nature.jit_s,
        })
    }

    fn step(&mut self) {
        self.steps += 1;
        if self.keeper_dies_at == Some(self.steps) {
            (self.is_unkept, self.dead) = (true, [true; 4]);
        }
    }

    pub(super) fn done_of(&self, prefix: &str) -> Vec<&str> {
        self.done.iter().filter_map(|line| line.strip_prefix(prefix)).collect()
    }
}

impl Bench for FakeBench {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn adopt(&mut self, settings: &GeneratorSettings) {
        self.drivers.push(settings.driver.name());
    }

    fn start(&mut self, variant: usize, _log: &Path) -> Result<(), BenchError> {
        self.now_ns += SECOND;
        self.step();
        if self.is_unkept {
            return Err(BenchError::Failed(Finding::failed("no keeper")));
        }
        if let Some((broken, times)) = &mut self.broken
            && *broken == variant
            && *times > 0
        {
            *times -= 1;
            return Err(BenchError::Failed(Finding::failed("exited with status 1")));
        }
        self.done.push(format!("start {variant}"));
        self.started_ns[variant] = self.now_ns;
        self.dead[variant] = false;
        Ok(())
    }

    fn pause(&mut self, ns: u64) {
        self.now_ns += ns;
        self.done.push(format!("pause {}ms", ns / 1_000_000));
    }

    fn others(&mut self) -> Option<Others> {
        let used_cpus = self.others?(self.now_ns);
        Some(Others { used_cpus, cpus: 2, programs: vec![format!("gzip (pid 7) {used_cpus:.2}")] })
    }

    fn wait_quiet(&mut self, _busy: usize) -> Vec<Finding> {
        self.step();
        Vec::new()
    }

    fn load(
        &mut self,
        variant: usize,
        point: usize,
        load_window: LoadWindow,
        _seed: u64,
    ) -> Result<Loaded, BenchError> {
        self.loads += 1;
        self.step();
        if let Some((at, flag)) = self.stop_at_load
            && at == self.loads
        {
            flag.store(true, Ordering::Relaxed);
        }
        self.loads_of[variant] += 1;
        let always = self.always_dies == Some(variant) && load_window.measure_ns == SECOND;
        if self.dies_at_load == Some(self.loads) || always {
            self.dead[variant] = true;
            return Err(BenchError::Failed(Finding::failed("nobody listens")));
        }
        let start_ns = self.now_ns + load_window.discard_ns;
        let window = Window { start_ns, end_ns: start_ns + load_window.measure_ns };
        self.now_ns = window.end_ns;
        let stead = if load_window.role == LoadRole::WarmUp { " in its stead" } else { "" };
        let threads = if load_window.doubled { " with twice the threads" } else { "" };
        self.done
            .push(format!("load {variant}@{point} {}ms{stead}{threads}", load_window.measure_ns / 1_000_000));
        let mut recorder = Recorder::new(window);
        let silent = self.hangs.is_some_and(|(who, from)| who == variant && self.loads_of[who] >= from);
        // The connections of a closed loop are stuck before the window begins, and send nothing in it.
        let first_ns = if silent { start_ns - load_window.discard_ns } else { start_ns };
        let nature = self.nature_of(variant);
        for i in 0..nature.map_or(100 + 10 * variant as u64, |nature| nature.exchanges) {
            let at_ns = first_ns + i;
            let times = ExchangeTimes {
                intended_ns: at_ns,
                sent_ns: Some(at_ns),
                first_byte_ns: None,
                end_ns: at_ns + 1_000,
            };
            recorder.record(&times, if silent { Outcome::Unanswered } else { Outcome::Answered });
        }
        recorder.record_bytes(start_ns, 1, self.received);
        let stolen = self.loads <= self.stolen_until_load;
        let result = LoadResult {
            snapshot: recorder.finish(),
            per_second: vec![100],
            quantiles_per_second: Vec::new(),
            connections: Default::default(),
            generator: GeneratorUse { driver: "sim", threads: 1, ..GeneratorUse::default() },
            findings: self.unfit.iter().cloned().collect(),
            checks: Vec::new(),
            negotiated: Vec::new(),
            addresses: Vec::new(),
            elsewhere: Vec::new(),
            silences: None,
            bad_answers: Vec::new(),
            stopped_early: self.stop_at_load.is_some_and(|(at, _)| at == self.loads),
            window_start_ns: start_ns,
        };
        let results = vec![result; self.streams.max(1)];
        Ok(Loaded {
            results,
            subject: Some(nature.map_or_else(SubjectUse::default, Nature::used)),
            started_unix_ns: start_ns,
            conditions: stolen
                .then(|| Conditions { subject_steal_share: Some(0.1), ..Conditions::default() }),
            ..Loaded::default()
        })
    }

    fn jit_ns(&mut self, variant: usize) -> Option<u64> {
        Some((self.nature_of(variant)?.jit_s? * SECOND as f64) as u64)
    }

    fn spread(&mut self, variant: usize) -> Result<bool, Finding> {
        match self.lends {
            None => return Ok(false),
            Some(Lending::Refused) => return Err(Finding::failed("not permitted")),
            Some(_) => {}
        }
        self.done.push(format!("spread {variant}"));
        Ok(true)
    }

    fn gather(&mut self, variant: usize) -> Result<(), Finding> {
        self.done.push(format!("gather {variant}"));
        if self.lends == Some(Lending::Kept) {
            return Err(Finding::NotGathered { error: "not permitted".into() });
        }
        Ok(())
    }

    fn alive(&mut self, variant: usize) -> Result<(), Absent> {
        let how = || Absent::Ended(Exit::Signal(9), Finding::failed("killed by signal 9"));
        if self.dead[variant] { Err(how()) } else { Ok(()) }
    }

    fn fault(&mut self) -> Option<Finding> {
        self.is_unkept.then_some(Finding::KeeperGone)
    }

    fn ceiling_setting(&mut self, _of: &CeilingOf) -> Vec<String> {
        self.ceiling.iter().map(|(setting, _)| setting.to_string()).collect()
    }

    fn ceiling(&mut self, of: &CeilingOf) -> Ceiling {
        self.ceilings += 1;
        if let Some(stop) = self.stop_at_ceiling {
            stop.store(true, Ordering::Relaxed);
        }
        let measured = self.ceiling.filter(|(_, from)| self.ceilings >= *from);
        Ceiling {
            answer_bytes: of.answer_bytes,
            setting: self.ceiling_setting(of),
            exchanges_per_s: measured.map(|_| 50_000.0),
            why: if measured.is_some() { None } else { Some(Finding::failed("it failed")) },
            ..Ceiling::default()
        }
    }

    fn stop(&mut self, variant: usize) -> Vec<Finding> {
        self.done.push(format!("end {variant}"));
        self.step();
        Vec::new()
    }

    fn stop_all(&mut self) -> Vec<Finding> {
        self.done.push("stop".into());
        self.step();
        Vec::new()
    }
}
