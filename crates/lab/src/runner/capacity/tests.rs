//! Searches without servers and in virtual time.

use super::*;
use proofload_analysis::{searches, trial_slices};
use proofload_engine::{GeneratorUse, LoadResult};
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_stats::capacity::Answer;
use proofload_store::schema::{Ceiling, Environment, LoadPoint, Timing, Variant};
use proofload_subject::Exit;
use std::path::Path;
use std::sync::Arc;

const SECOND: u64 = 1_000_000_000;

/// Servers of one worker each that take a fixed time for an answer: beyond their capacity requests wait for ever longer.
struct QueueBench {
    now_ns: u64,
    /// Of each variant, per second.
    capacities: Vec<f64>,
    done: Vec<String>,
    loads: usize,
    stop_at_load: Option<usize>,
    stop_at_ceiling: bool,
    stop: Arc<AtomicBool>,
    dies_above_per_s: f64,
    dies_at_load: Option<usize>,
    dead: bool,
    silent: bool,
    keeper_dies_at_load: Option<usize>,
    is_unkept: bool,
}

impl QueueBench {
    fn new(capacities: &[f64]) -> Self {
        QueueBench {
            now_ns: 0,
            capacities: capacities.to_vec(),
            done: Vec::new(),
            loads: 0,
            stop_at_load: None,
            stop_at_ceiling: false,
            stop: Arc::default(),
            dies_above_per_s: f64::INFINITY,
            dies_at_load: None,
            dead: false,
            silent: false,
            keeper_dies_at_load: None,
            is_unkept: false,
        }
    }

    fn result(&self, served_per_s: f64, rate_per_s: f64, window: Window, stopped_early: bool) -> LoadResult {
        let mut recorder = Recorder::new(window);
        let seconds = (window.end_ns - window.start_ns) as f64 / 1e9;
        let count = (rate_per_s * seconds) as u64;
        let service_ns = (1e9 / served_per_s) as u64;
        let mut free_ns = window.start_ns;
        for i in 0..count {
            let intended_ns = window.start_ns + (i as f64 / rate_per_s * 1e9) as u64;
            let end_ns = free_ns.max(intended_ns) + service_ns;
            free_ns = end_ns;
            let times =
                ExchangeTimes { intended_ns, sent_ns: Some(intended_ns), first_byte_ns: None, end_ns };
            recorder.record(&times, if self.silent { Outcome::ConnectRefused } else { Outcome::Answered });
            recorder.record_bytes(intended_ns, 100, 500);
        }
        LoadResult {
            snapshot: recorder.finish(),
            per_second: Vec::new(),
            quantiles_per_second: Vec::new(),
            connections: Default::default(),
            generator: GeneratorUse { driver: "sim", threads: 1, ..GeneratorUse::default() },
            findings: Vec::new(),
            checks: Vec::new(),
            negotiated: Vec::new(),
            addresses: Vec::new(),
            elsewhere: Vec::new(),
            silences: None,
            bad_answers: Vec::new(),
            stopped_early,
            window_start_ns: window.start_ns,
        }
    }
}

impl Bench for QueueBench {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn start(&mut self, variant: usize, _log: &Path) -> Result<(), BenchError> {
        self.now_ns += SECOND;
        self.dead = false;
        self.done.push(format!("start {variant}"));
        Ok(())
    }

    fn wait_quiet(&mut self, _busy: usize) -> Vec<Finding> {
        Vec::new()
    }

    fn load(&mut self, _: usize, _: usize, _: LoadWindow, _: u64) -> Result<Loaded, BenchError> {
        Err(BenchError::Failed(Finding::failed("a search has rates of its own")))
    }

    fn load_at(
        &mut self,
        variant: usize,
        rate_per_s: f64,
        load_window: LoadWindow,
        _seed: u64,
    ) -> Result<Loaded, BenchError> {
        self.loads += 1;
        let stopped = self.stop_at_load == Some(self.loads);
        if stopped {
            self.stop.store(true, Ordering::Relaxed);
        }
        let start_ns = self.now_ns + load_window.discard_ns;
        let window = Window { start_ns, end_ns: start_ns + load_window.measure_ns };
        self.now_ns = window.end_ns;
        self.done.push(format!("load {variant}"));
        self.is_unkept |= self.keeper_dies_at_load == Some(self.loads);
        self.dead |=
            self.is_unkept || rate_per_s > self.dies_above_per_s || self.dies_at_load == Some(self.loads);
        Ok(Loaded {
            results: vec![self.result(self.capacities[variant], rate_per_s, window, stopped)],
            started_unix_ns: start_ns,
            ..Loaded::default()
        })
    }

    fn alive(&mut self, _variant: usize) -> Result<(), Absent> {
        let how = || Absent::Ended(Exit::Signal(9), Finding::failed("killed by signal 9"));
        if self.dead { Err(how()) } else { Ok(()) }
    }

    fn fault(&mut self) -> Option<Finding> {
        self.is_unkept.then_some(Finding::KeeperGone)
    }

    fn ceiling(&mut self, of: &CeilingOf) -> Ceiling {
        self.done.push("ceiling".into());
        if self.stop_at_ceiling {
            self.stop.store(true, Ordering::Relaxed);
            return Ceiling { why: Some(Finding::CeilingStopped), ..Ceiling::default() };
        }
        Ceiling { answer_bytes: of.answer_bytes, exchanges_per_s: Some(1e6), ..Ceiling::default() }
    }

    fn stop(&mut self, _variant: usize) -> Vec<Finding> {
        Vec::new()
    }

    fn stop_all(&mut self) -> Vec<Finding> {
        self.done.push("stop".into());
        Vec::new()
    }
}

fn plan(variants: &[&str]) -> Plan {
    let variant =
        |name: &&str| Variant { name: (*name).into(), kind: "command".into(), ..Variant::default() };
    Plan {
        format: proofload_store::schema::FORMAT_VERSION,
        study: "fake".into(),
        replication: "start".into(),
        variants: variants.iter().map(variant).collect(),
        points: vec![LoadPoint { label: "50/s..5k/s".into(), model: "open".into(), ..LoadPoint::default() }],
        timing: Timing {
            warm_up_ns: 2 * SECOND,
            cycles: 1,
            slice_ns: 2 * SECOND,
            discard_ns: SECOND / 10,
            looks: vec![1],
            budget_ns: 3_600 * SECOND,
            ..Timing::default()
        },
        capacity: Some(PlannedCapacity {
            slo: vec!["p99 < 50ms".into()],
            from_per_s: 50.0,
            to_per_s: 5_000.0,
            trial_ns: 2 * SECOND,
            trials_max: 30,
        }),
        ..Plan::default()
    }
}

fn conduct(plan: &Plan, bench: &mut QueueBench, record: &mut RunWriter, last_block: u32) -> Ending {
    let stop = Arc::clone(&bench.stop);
    CapacityRunner {
        plan,
        capacity: plan.capacity.as_ref().expect("a search"),
        bench,
        record,
        progress: &mut |_| {},
        stop: &stop,
        last_block,
        spent_ns: 0,
    }
    .run()
    .expect("a record")
}

fn recorded(root: &Path, plan: &Plan) -> RunWriter {
    RunWriter::create(root, plan, &Environment::default(), 1_790_000_000 * SECOND).expect("a directory")
}

fn answers(record: &RunWriter) -> Vec<Answer> {
    let searches = searches(&Run::open(record.path()).expect("a run")).expect("searches");
    searches.into_iter().map(|(mut search, _)| search.cut_off()).collect()
}

#[test]
fn each_variants_capacity_is_found_and_stands_in_the_record() {
    let plan = plan(&["slow", "fast"]);
    let root = tempfile::tempdir().expect("a directory");
    let mut record = recorded(root.path(), &plan);
    let mut bench = QueueBench::new(&[400.0, 900.0]);
    assert_eq!(conduct(&plan, &mut bench, &mut record, 0), Ending::Finished);
    for (answer, truth) in answers(&record).into_iter().zip([400.0, 900.0]) {
        let Answer::Found { low, point, high, .. } = answer else { panic!("{answer:?}") };
        // The queue of a trial of two seconds may grow to 50 ms: 2.5 % above the rate of service.
        assert!(low <= truth * 1.03 && truth <= high && (point / truth - 1.0).abs() < 0.05, "{answer:?}");
    }
    // Starts are warmed, no start has more than eight trials, and the variants take turns.
    let starts: Vec<&[String]> = bench.done.split(|step| step == "stop").collect();
    for start in starts.iter().filter(|start| start.iter().any(|step| step.starts_with("start"))) {
        // Two seconds of warm-up in turns of one.
        assert!(start.iter().filter(|step| step.starts_with("load")).count() <= 2 + 8, "{start:?}");
    }
    assert_eq!(bench.done.iter().filter(|step| *step == "ceiling").count(), 2, "one for each variant");
    let order: Vec<&String> = bench.done.iter().filter(|step| step.starts_with("start")).take(4).collect();
    assert_eq!(order, ["start 0", "start 1", "start 0", "start 1"]);
}

#[test]
fn a_search_that_was_interrupted_keeps_its_trials_and_goes_on_to_the_same_answer() {
    let plan = plan(&["a"]);
    let root = tempfile::tempdir().expect("a directory");
    let mut record = recorded(root.path(), &plan);
    let mut bench = QueueBench::new(&[400.0]);
    bench.stop_at_load = Some(9);
    assert_eq!(conduct(&plan, &mut bench, &mut record, 0), Ending::Interrupted);
    let run = Run::open(record.path()).expect("a run");
    let kept = trial_slices(&run).len();
    assert!(kept >= 3, "{kept}");
    assert!(matches!(answers(&record)[0], Answer::NotSettled { .. }));
    let mut bench = QueueBench::new(&[400.0]);
    assert_eq!(conduct(&plan, &mut bench, &mut record, run.last_block()), Ending::Finished);
    let resumed = answers(&record).remove(0);
    let whole = tempfile::tempdir().expect("a directory");
    let mut record = recorded(whole.path(), &plan);
    conduct(&plan, &mut QueueBench::new(&[400.0]), &mut record, 0);
    assert_eq!(resumed, answers(&record).remove(0));
}

/// As `kill -9` leaves it.
#[test]
fn a_block_that_was_cut_off_has_its_trials_and_took_its_time_of_the_budget() {
    let plan = plan(&["a"]);
    let root = tempfile::tempdir().expect("a directory");
    let mut record = recorded(root.path(), &plan);
    conduct(&plan, &mut QueueBench::new(&[400.0]), &mut record, 0);
    let told = || {
        let run = Run::open(record.path()).expect("a run");
        (trial_slices(&run).len(), run.measured_ns(), run.excluded().len())
    };
    let (trials, took_ns, none) = told();
    let blocks = record.path().join("blocks");
    std::fs::rename(blocks.join("0001.jsonl"), blocks.join("0001.partial.jsonl")).expect("a block");
    assert_eq!((none, told()), (0, (trials, took_ns, 1)));
    assert!(took_ns > 0);
}

#[test]
fn a_server_that_dies_under_load_is_started_again_and_has_failed() {
    let plan = plan(&["a"]);
    let root = tempfile::tempdir().expect("a directory");
    let mut record = recorded(root.path(), &plan);
    let mut bench = QueueBench::new(&[4_000.0]);
    bench.dies_above_per_s = 300.0;
    assert_eq!(conduct(&plan, &mut bench, &mut record, 0), Ending::Finished);
    let answer = answers(&record).remove(0);
    assert!(matches!(answer, Answer::Found { low, high, .. } if low <= 300.0 && high > 300.0), "{answer:?}");
}

#[test]
fn whenever_the_keeper_dies_no_rate_is_to_blame() {
    let plan = plan(&["a"]);
    // Two loads warm each start up, of which the first two have a trial each.
    for (load, whole) in [(1, 0), (2, 0), (3, 0), (4, 1), (6, 1)] {
        let root = tempfile::tempdir().expect("a directory");
        let mut record = recorded(root.path(), &plan);
        let mut bench = QueueBench { keeper_dies_at_load: Some(load), ..QueueBench::new(&[400.0]) };
        let ended = conduct(&plan, &mut bench, &mut record, 0);
        assert_eq!(ended, Ending::Broken(Finding::KeeperGone), "load {load}");
        let trials = trial_slices(&Run::open(record.path()).expect("a run")).len();
        assert_eq!(trials, whole, "that of the death, load {load}, is no trial");
    }
}

#[test]
fn a_server_that_answers_nothing_ends_the_search_with_what_to_do() {
    let plan = plan(&["a"]);
    let root = tempfile::tempdir().expect("a directory");
    let mut record = recorded(root.path(), &plan);
    let mut bench = QueueBench::new(&[400.0]);
    bench.silent = true;
    let Ending::Failed(why) = conduct(&plan, &mut bench, &mut record, 0) else { panic!("nothing answers") };
    let unanswered = |mostly: &str| mostly == "connect_refused";
    assert!(
        matches!(why.innermost(), Finding::FirstTrialUnanswered { mostly, .. } if unanswered(mostly)),
        "{why:?}"
    );
    let run = Run::open(record.path()).expect("a run");
    assert!(trial_slices(&run).is_empty(), "it says nothing of what is there when the search goes on");
    let ended = conduct(&plan, &mut QueueBench::new(&[400.0]), &mut record, run.last_block());
    assert_eq!(ended, Ending::Finished);
    assert!(matches!(answers(&record)[0], Answer::Found { .. }), "{:?}", answers(&record));
}

#[test]
fn a_server_that_dies_before_its_first_trial_has_failed_at_no_rate() {
    let plan = plan(&["a"]);
    let root = tempfile::tempdir().expect("a directory");
    let mut record = recorded(root.path(), &plan);
    let mut bench = QueueBench { dies_at_load: Some(2), ..QueueBench::new(&[400.0]) };
    let ended = conduct(&plan, &mut bench, &mut record, 0);
    assert_eq!(
        ended,
        Ending::Failed(Finding::InWarmUp {
            block: 1,
            variant: "a".into(),
            what: Box::new(Finding::failed("killed by signal 9"))
        })
    );
    assert!(trial_slices(&Run::open(record.path()).expect("a run")).is_empty());
}

#[test]
fn a_ceiling_that_a_stop_cut_short_is_measured_when_the_search_goes_on() {
    let plan = plan(&["a"]);
    let root = tempfile::tempdir().expect("a directory");
    let mut record = recorded(root.path(), &plan);
    let mut bench = QueueBench { stop_at_ceiling: true, ..QueueBench::new(&[400.0]) };
    assert_eq!(conduct(&plan, &mut bench, &mut record, 0), Ending::Interrupted);
    let run = Run::open(record.path()).expect("a run");
    assert!(run.ceilings().is_empty(), "{:?}", run.ceilings());
    let ended = conduct(&plan, &mut QueueBench::new(&[400.0]), &mut record, run.last_block());
    assert_eq!(ended, Ending::Finished);
    let run = Run::open(record.path()).expect("a run");
    assert_eq!(run.ceilings().iter().map(|found| found.exchanges_per_s).collect::<Vec<_>>(), [Some(1e6)]);
}

#[test]
fn the_budget_ends_a_search_between_two_trials() {
    let mut plan = plan(&["a"]);
    plan.timing.budget_ns = 20 * SECOND;
    let root = tempfile::tempdir().expect("a directory");
    let mut record = recorded(root.path(), &plan);
    let mut bench = QueueBench::new(&[400.0]);
    assert_eq!(conduct(&plan, &mut bench, &mut record, 0), Ending::OutOfBudget);
    assert!(bench.now_ns <= 20 * SECOND);
    assert!(matches!(answers(&record)[0], Answer::NotSettled { .. }));
}

#[test]
fn trials_at_low_rates_are_long_enough_for_the_quantile() {
    assert_eq!(exchanges_needed(&["p99 < 50ms".into()]).round(), 1_000.0);
    assert_eq!(exchanges_needed(&["p50 < 50ms".into(), "p999 < 1s".into()]).round(), 10_000.0);
    assert_eq!(exchanges_needed(&["errors < 1%".into()]), 100.0);
}
