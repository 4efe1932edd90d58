//! A study from its text to its judgement, its servers simulated.

use super::{MS, SECOND};
use proofload_analysis::RunJudge;
use proofload_engine::{Extent, LoadPlan, Watch};
use proofload_facts::Finding;
use proofload_host::cpus::CpuShare;
use proofload_lab::generator_settings::GeneratorSettings;
use proofload_lab::plan::{self, LoadTerms, Preset};
use proofload_lab::runner::{Absent, Behind, Bench, BenchError, Ending, LoadWindow, Loaded, Runner};
use proofload_store::schema::{Environment, Plan, RunResult};
use proofload_store::{Run, RunWriter};
use proofload_study::{self as study, Study};
use proofload_subject::Catalogue;
use proofload_testkit::sim::World;
use proofload_testkit::sim::run_in;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Long enough for every self-check of the generator.
pub const SECONDS: &str = "warm-up=500ms,slice=1s,discard=100ms,cycles=2";

/// Many exchanges in little time: for servers that answer in microseconds.
pub const BRIEF: &str = "warm-up=50ms,slice=50ms,discard=5ms,cycles=2";

/// A study of two variants of the reference server, `seed=1` and `seed=2`.
pub fn study(load: &str, claims: &str) -> Study {
    let text = format!(
        "study: planted
question: Is the truth found?
subjects:
  server: {{ use: reference, vary: {{ seed: [\"1\", \"2\"] }} }}
workload: {{ page: {{ get: /, expect: {{ status: 200, bytes: 100 }} }} }}
load: {load}
claims:
{claims}"
    );
    let catalogue =
        Catalogue::find(Some(&crate::support::root().join("subjects")), None).expect("the catalogue");
    let options = study::Options { quick: true, ..study::Options::default() };
    study::parse(&text, "planted.yaml", Path::new("."), &options, &catalogue)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// The plan of a study; a debug build, as in the gate, takes the first of its looks alone.
pub fn planned(study: &Study, seed: u64, timing: &str) -> Plan {
    let mode = plan::choose_mode(study, None, None).expect("a mode");
    let cpus = CpuShare { generator: vec![0], subject: vec![1], ..CpuShare::default() };
    let mut plan = plan::make(study, Preset::Quick, seed, None, mode, &cpus);
    plan::retime(&mut plan, timing).expect("a timing");
    plan.no_ceiling = true;
    if cfg!(debug_assertions) {
        plan.timing.looks.truncate(1);
    }
    plan
}

/// Servers of a simulated world. Time is virtual: a study of minutes takes none.
pub struct SimBench<'a, W> {
    pub study: &'a Study,
    /// The world that the n-th start of a variant meets.
    pub world: W,
    pub starts: Vec<u64>,
    pub now_ns: u64,
    pub workers: u32,
}

impl<W: FnMut(usize, u64) -> World> Bench for SimBench<'_, W> {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn start(&mut self, variant: usize, _log: &Path) -> Result<(), BenchError> {
        self.starts[variant] += 1;
        self.now_ns += 300 * MS;
        Ok(())
    }

    fn wait_quiet(&mut self, _busy: usize) -> Vec<Finding> {
        Vec::new()
    }

    fn load(
        &mut self,
        variant: usize,
        point: usize,
        load_window: LoadWindow,
        seed: u64,
    ) -> Result<Loaded, BenchError> {
        let plan = self.load_plan(point, load_window, seed);
        let mut world = (self.world)(variant, self.starts[variant]);
        world.seed ^= seed;
        let result = run_in(&plan, &Watch::default(), &world)
            .map_err(|error| BenchError::Failed(Finding::failed(error)))?;
        let started_ns = self.now_ns + load_window.discard_ns;
        self.now_ns = started_ns + load_window.measure_ns;
        Ok(Loaded {
            results: vec![result],
            started_unix_ns: started_ns,
            age_seconds: 1.0,
            ..Loaded::default()
        })
    }

    fn alive(&mut self, _variant: usize) -> Result<(), Absent> {
        Ok(())
    }

    fn stop(&mut self, _variant: usize) -> Vec<Finding> {
        Vec::new()
    }

    fn stop_all(&mut self) -> Vec<Finding> {
        Vec::new()
    }
}

impl<W> SimBench<'_, W> {
    fn load_plan(&self, point: usize, load_window: LoadWindow, seed: u64) -> LoadPlan {
        let target = SocketAddr::from(([127, 0, 0, 1], 80)).into();
        let terms = LoadTerms {
            target,
            authority: "server.test",
            speaks: &proofload_study::Speaks::Http,
            discard_ns: load_window.discard_ns,
            extent: Extent::DurationNs(load_window.measure_ns),
            drain_ns: SECOND,
            workers: self.workers,
            cpus: Vec::new(),
            seed,
            settings: &GeneratorSettings::default(),
        };
        plan::load_plans(self.study, &self.study.points[point], load_window.role, &terms)
            .expect("a load that can be planned")
            .remove(0)
    }
}

/// Runs the study to its end and judges its record.
pub fn conduct(study: &Study, timing: &str, world: impl FnMut(usize, u64) -> World) -> RunResult {
    let mut bench = SimBench { study, world, starts: vec![0; study.variants.len()], now_ns: 0, workers: 1 };
    run_on(&planned(study, 8, timing), &mut bench)
}

/// Carries a plan out on a bench, through the record.
pub fn run_on<B: Bench>(plan: &Plan, bench: &mut B) -> RunResult {
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), plan, &Environment::default(), 1).expect("a record");
    let (_, _, design) = proofload_analysis::restore(plan).expect("a plan that can be read");
    let judge = RunJudge::of(plan).expect("claims");
    let path = record.path().to_path_buf();
    let ending = Runner {
        plan,
        design: &design,
        claims: &judge.claims(),
        bench,
        record: &mut record,
        look: &mut |path: &Path| judge.judge(&Run::open(path)?),
        progress: &mut |_| (),
        stop: &AtomicBool::new(false),
        behind: Behind::default(),
        place: 1,
        wait_for_quiet_ns: None,
    }
    .run()
    .expect("the record can be written");
    assert!(matches!(ending, Ending::Finished | Ending::OutOfBudget | Ending::Hopeless(_)), "{ending:?}");
    proofload_report::of_run(&Run::open(&path).expect("a record")).expect("a result")
}
