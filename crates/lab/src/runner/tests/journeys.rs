//! Studies of journeys, their users simulated by the engine in virtual time: what is told of a step, and who is still on
//! his way when another variant has its turn.

use super::*;
use crate::plan::{self, LoadTerms, Preset};
use crate::tests::TestCatalogue;
use proofload_analysis::RunJudge;
use proofload_engine::{Extent, LoadPlan, Watch};
use proofload_facts::Finding;
use proofload_host::cpus::CpuShare;
use proofload_stats::rng::Rng;
use proofload_stats::{Cell, Measure, Observations};
use proofload_study::{Options, Speaks, Study};
use proofload_testkit::sim::{Served, Server, Service, World, run_in};
use std::net::SocketAddr;

const MS: u64 = 1_000_000;
const FIVE_MINUTES: u64 = 300 * SECOND;
const P99: Measure = Measure::ResponseQuantile(9_900);

/// Rounds that the replays of `stats` draw from, and the file in which they are.
const ROUNDS: u32 = 24;
const RECORDED: &str = include_str!("../../../../stats/tests/it/fixtures/journeys.csv");

/// Loads by their names in that file: so many users a second that a round has seen a p99, and users of whom each is
/// followed by a new one.
const LOADS: [(&str, &str); 2] =
    [("open", "{ open: { rate: 2700/s, arrival: poisson } }"), ("closed", "{ closed: { connections: 12 } }")];

/// Two servers that run. A user thinks, buys, and one of five looks at a report, which takes the longest.
fn shop(load: &str) -> Study {
    // Of a closed number of users each serves as many as he can.
    let think = if load.contains("closed") { "1ms" } else { "uniform:200ms..400ms" };
    let text = format!(
        "study: shop
question: Who sells sooner?
subjects: {{ a: {{ url: 'http://127.0.0.1:1/' }}, b: {{ url: 'http://127.0.0.1:2/' }} }}
journeys:
  buy:
    - pause: {think}
    - checkout: {{ get: /checkout }}
    - choose: [ {{ weight: 4, steps: [ pause: 1ms ] }}, {{ steps: [ report: {{ get: /report }} ] }} ]
load: {load}
claims:
  - sells sooner: p99[checkout](a) < p99[checkout](b)
  - sells more: throughput[checkout](a) > throughput[checkout](b)
"
    );
    proofload_study::parse(&text, "shop.yaml", Path::new("."), &Options::default(), &TestCatalogue)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn planned(study: &Study, budget_ns: u64) -> Plan {
    let mode = plan::choose_mode(study, None, None).expect("a mode");
    let cpus = CpuShare { generator: vec![0], subject: vec![1], ..CpuShare::default() };
    let plan = plan::make(study, Preset::Default, 1, Some(budget_ns), mode, &cpus);
    Plan { no_ceiling: true, ..plan }
}

/// Servers on a machine that drifts, as those of the replays on a shared machine: standard deviations of logarithms from
/// round to round, from slice to slice, and of what lasts.
struct Shop<'a> {
    study: &'a Study,
    /// Times of the checkout of each variant, as a multiple.
    checkout: [f64; 2],
    rng: Rng,
    rounds: [f64; 2],
    drift: f64,
    now_ns: u64,
    /// Counts of the servers in the last load.
    served: Served,
}

impl<'a> Shop<'a> {
    fn new(study: &'a Study, checkout: [f64; 2], seed: u64) -> Self {
        let rng = Rng::new(seed);
        Shop { study, checkout, rng, rounds: [0.0; 2], drift: 0.0, now_ns: 0, served: Served::default() }
    }

    fn server(&mut self, variant: usize) -> Server {
        let (memory, drift): (f64, f64) = (0.9, 0.05);
        self.drift = memory * self.drift + drift * (1.0 - memory * memory).sqrt() * self.rng.normal();
        let mut longer = self.rounds[variant] + self.drift + 0.04 * self.rng.normal();
        if self.rng.uniform() < 0.05 {
            longer += 0.04 * (1.0 - self.rng.uniform()).powf(-0.4).min(8.0);
        }
        let ns = |ms: f64| (ms * longer.exp() * MS as f64) as u64;
        Server {
            service: Service::Exponential(ns(0.5)),
            threads: 128,
            slower: vec![
                ("/checkout", Service::Constant(ns(20.0 * self.checkout[variant]))),
                ("/report", Service::Constant(ns(60.0))),
            ],
            ..Server::default()
        }
    }

    fn load_plan(&self, point: usize, window: LoadWindow, seed: u64) -> LoadPlan {
        let terms = LoadTerms {
            target: SocketAddr::from(([127, 0, 0, 1], 80)).into(),
            authority: "server.test",
            speaks: &Speaks::Http,
            discard_ns: window.discard_ns,
            extent: Extent::DurationNs(window.measure_ns),
            drain_ns: window.drain_ns,
            workers: 1,
            cpus: Vec::new(),
            seed,
            settings: &GeneratorSettings::default(),
        };
        let plans = plan::load_plans(self.study, &self.study.points[point], window.role, &terms);
        plans.expect("a load that can be planned").remove(0)
    }

    fn carry_out(&mut self, variant: usize, plan: &LoadPlan) -> LoadResult {
        let world = World::new(self.server(variant), plan.seed);
        let result = run_in(plan, &Watch::default(), &world).expect("it can be carried out");
        self.served = world.served();
        result
    }
}

impl Bench for Shop<'_> {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn start(&mut self, variant: usize, _log: &Path) -> Result<(), BenchError> {
        self.rounds[variant] = 0.03 * self.rng.normal();
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
        let plan = self.load_plan(point, window, seed);
        let result = self.carry_out(variant, &plan);
        let started_unix_ns = self.now_ns + window.discard_ns;
        self.now_ns = started_unix_ns + window.measure_ns + SECOND / 2;
        Ok(Loaded { results: vec![result], started_unix_ns, ..Loaded::default() })
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

/// Observations of all rounds of a study.
fn observed(study: &Study, checkout: [f64; 2], seed: u64) -> (Plan, Observations) {
    let mut plan = planned(study, 2 * FIVE_MINUTES);
    plan::retime(&mut plan, "warm-up=50ms").expect("a timing");
    plan.timing.looks = vec![ROUNDS];
    plan.timing.perturbation_ns = 0;
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), &plan, &Environment::default(), 1).expect("a record");
    let path = record.path().to_path_buf();
    let claims = RunJudge::of(&plan).expect("claims").claims();
    let ending = Runner {
        plan: &plan,
        design: &proofload_analysis::design_of(&plan),
        claims: &claims,
        bench: &mut Shop::new(study, checkout, seed),
        record: &mut record,
        look: &mut |_: &Path| Ok(Judgement::default()),
        progress: &mut |_| (),
        stop: &AtomicBool::new(false),
        behind: Behind::default(),
        place: 1,
        wait_for_quiet_ns: None,
    }
    .run()
    .expect("the record can be written");
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    let seen = observations(&run, &[P99, Measure::Throughput]).expect("readable");
    assert_eq!((seen.blocks.len() as u32, seen.lost.len(), seen.excluded_blocks), (ROUNDS, 0, 0));
    (plan, seen)
}

/// The rounds of a study as lines of the file.
fn lines(load: (&str, &str), planted: f64, seed: u64) -> Vec<String> {
    let study = shop(load.1);
    let (plan, seen) = observed(&study, [1.0, planted], seed);
    let checkout = plan.requests.iter().position(|name| name == "checkout").expect("a step");
    let cell = |block, variant, stream, measure| {
        let is_it = |cell: &&Cell| {
            (cell.block, cell.variant, cell.stream, cell.measure) == (block, variant, stream, measure)
        };
        seen.cells.iter().find(is_it).expect("measured")
    };
    let mut lines = Vec::new();
    for block in 1..=ROUNDS {
        for variant in [0, 1] {
            let step = cell(block, variant, Some(checkout), P99);
            let (all, sold) =
                (cell(block, variant, None, P99), cell(block, variant, Some(checkout), Measure::Throughput));
            let us = |cell: &Cell| (cell.merged.expect("answers") / 1e3).round();
            let sold: Vec<String> = sold.cycles.iter().flatten().map(f64::to_string).collect();
            assert_eq!((step.errors, step.unsent, all.errors, sold.len()), (0, 0, 0, 4));
            let name = load.0;
            lines.push(format!(
                "{name},{planted},{block},{variant},{},{},{},{},{}",
                step.finished,
                us(step),
                all.finished,
                us(all),
                sold.join(",")
            ));
        }
    }
    lines
}

#[test]
#[ignore = "full: a million exchanges"]
fn rounds_of_the_replays_are_those_that_the_engine_gives() {
    let planted = [(0, 1.0, 11), (0, 1.1, 12), (1, 1.0, 13), (1, 1.1, 14)];
    let made: Vec<String> =
        planted.iter().flat_map(|(load, planted, seed)| lines(LOADS[*load], *planted, *seed)).collect();
    println!("{}", made.join("\n"));
    let recorded: Vec<&str> = RECORDED.lines().skip_while(|line| line.starts_with(['#', 'l'])).collect();
    assert!(made == recorded, "the engine simulates other rounds: put these into the file");
}

/// Timing that the replays assume.
#[test]
fn five_minutes_have_twenty_rounds_of_four_slices_that_are_long_beside_a_journey() {
    for (name, load) in LOADS {
        let study = shop(load);
        let timing = planned(&study, FIVE_MINUTES).timing;
        assert_eq!(timing.looks[..7], [6, 8, 10, 12, 14, 16, 20], "{name}: {timing:?}");
        assert_eq!((timing.cycles, timing.slice_ns), (4, SECOND), "{name}");
    }
    let mut study = shop(LOADS[0].1);
    study.journeys.as_mut().expect("journeys").pauses_ns = 3 * SECOND;
    let timing = planned(&study, FIVE_MINUTES).timing;
    assert!(timing.slice_ns >= 6 * SECOND && timing.discard_ns >= 3 * SECOND, "{timing:?}");
}

/// Requests of a turn that the servers had and the generator has no answer to when it ends: they would be served while
/// the other variant is measured.
fn left_behind(study: &Study, server: usize, drain_ns: Option<u64>) -> u64 {
    let mut shop = Shop::new(study, [1.0, 1.5], 5);
    let role = LoadRole::Real;
    let window = LoadWindow {
        role,
        discard_ns: 300 * MS,
        measure_ns: SECOND,
        drain_ns: 2 * SECOND,
        doubled: false,
        thorough: false,
    };
    let mut plan = shop.load_plan(0, window, 7);
    plan.drain_ns = drain_ns.unwrap_or(plan.drain_ns);
    let result = shop.carry_out(server, &plan);
    let snapshot = &result.snapshot;
    let answered = snapshot.outcomes.get(Outcome::Answered) + snapshot.discarded.get(Outcome::Answered);
    assert!(answered > 300, "{answered}");
    shop.served.requests - answered
}

/// Whichever server had its turn before, and however slow it was, the next turn begins with nobody on his way: that is
/// why the order of turns moves no ratio.
#[test]
fn nobody_is_on_his_way_when_the_next_turn_begins() {
    let [open, closed] = ["{ open: { rate: 400/s, arrival: poisson } }", LOADS[1].1].map(shop);
    for server in [0, 1] {
        assert_eq!(left_behind(&open, server, None), 0);
        assert_eq!(left_behind(&closed, server, None), 0);
        // As long as the slowest answer took is waited in any case, and that is enough without pauses.
        assert!(left_behind(&open, server, Some(0)) > 0, "without the wait this test must fail");
    }
}
