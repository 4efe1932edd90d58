//! The whole design on recorded noise: plan, runner, disturbed blocks, record, looks and judge together, in virtual
//! time. The result is compared with the judge alone, which the replays of `stats` ask many thousand times.

use super::bench::{SECONDS, planned, run_on, study};
use super::recorded::{Block, Recorded};
use super::{MS, SECOND};
use proofload_engine::{GeneratorUse, LoadResult};
use proofload_facts::Finding;
use proofload_lab::runner::{Absent, Bench, BenchError, LoadWindow, Loaded};
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_stats::rng::Rng;
use proofload_store::schema::{Conditions, Plan, RunResult, SubjectUse, Verdict};
use proofload_study::LoadRole;
use std::path::Path;

/// Share of the blocks in which the hypervisor takes a twentieth of the CPU, and a third of what a server reaches.
const DISTURBED: f64 = 0.1;

/// Serves the slices of a drawn study, block by block; a block that the machine disturbed is served again.
struct RecordedBench<'a> {
    plan: &'a Plan,
    blocks: std::slice::Iter<'a, Block>,
    now: Option<&'a Block>,
    /// Slices of this block that each variant has had.
    taken: [usize; 2],
    rng: Rng,
    disturbed: bool,
    disturbances: u32,
    now_ns: u64,
}

impl<'a> RecordedBench<'a> {
    fn new(plan: &'a Plan, blocks: &'a [Block], seed: u64) -> Self {
        RecordedBench {
            plan,
            blocks: blocks.iter(),
            now: None,
            taken: [0; 2],
            rng: Rng::new(seed),
            disturbed: false,
            disturbances: 0,
            now_ns: 0,
        }
    }

    /// A result with that throughput and p99, of some exchanges.
    fn result(&self, per_s: f64, p99_ns: f64) -> LoadResult {
        // The window must hold the slowest answer.
        let count = (2.0 * p99_ns * per_s / 1e9).ceil() as u64 + 20;
        let start_ns = self.now_ns;
        let window = Window { start_ns, end_ns: start_ns + (count as f64 / per_s * 1e9) as u64 };
        let mut recorder = Recorder::new(window);
        for at in 0..count {
            let intended_ns = start_ns + at;
            let times = ExchangeTimes {
                intended_ns,
                sent_ns: Some(intended_ns),
                first_byte_ns: None,
                end_ns: intended_ns + p99_ns as u64,
            };
            recorder.record(&times, Outcome::Answered);
        }
        LoadResult {
            snapshot: recorder.finish(),
            per_second: vec![count],
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
            stopped_early: false,
            window_start_ns: start_ns,
        }
    }
}

impl Bench for RecordedBench<'_> {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn start(&mut self, _variant: usize, _log: &Path) -> Result<(), BenchError> {
        self.now_ns += 300 * MS;
        if self.now.is_none() {
            self.disturbed = self.rng.uniform() < DISTURBED;
            self.disturbances += u32::from(self.disturbed);
            // A disturbed block is discarded, so it uses up none of the recorded blocks.
            self.now = match self.disturbed {
                true => self.blocks.as_slice().first(),
                false => self.blocks.next(),
            };
            self.taken = [0; 2];
        }
        Ok(())
    }

    fn wait_quiet(&mut self, _busy: usize) -> Vec<Finding> {
        Vec::new()
    }

    fn load(
        &mut self,
        variant: usize,
        _: usize,
        load_window: LoadWindow,
        _: u64,
    ) -> Result<Loaded, BenchError> {
        let block =
            self.now.ok_or_else(|| BenchError::Failed(Finding::failed("the record has no more blocks")))?;
        let warming = load_window.role == LoadRole::WarmUp;
        let slice = block[variant][if warming { 0 } else { self.taken[variant] }];
        self.taken[variant] += usize::from(!warming);
        self.now_ns += load_window.discard_ns;
        // Steal that meets one variant and not the other would be a winner out of nothing.
        let lost = if self.disturbed && variant == 1 { 1.5 } else { 1.0 };
        let result = self.result(slice.throughput.exp() / lost, slice.p99.exp());
        let answered = result.snapshot.answered_in_window;
        let started_unix_ns = self.now_ns;
        self.now_ns += load_window.measure_ns;
        let steal = if self.disturbed { 0.15 } else { 0.0 };
        Ok(Loaded {
            results: vec![result],
            subject: Some(SubjectUse {
                cpu_ns: Some((slice.cpu.exp() * lost * answered as f64) as u64),
                ..SubjectUse::default()
            }),
            started_unix_ns,
            age_seconds: 30.0,
            conditions: Some(Conditions { subject_steal_share: Some(steal), ..Conditions::default() }),
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
        self.now = None;
        assert!(
            self.taken.iter().all(|taken| *taken == self.plan.timing.cycles as usize),
            "{:?}",
            self.taken
        );
        Vec::new()
    }
}

/// All exchanges of a slice take its p99, and few they are: any quantile is it, and p50 is resolvable.
const CLAIMS: &str = "  - serves more: throughput(seed=1) > throughput(seed=2)
  - sooner: p50(seed=1) < p50(seed=2)
  - uses less: cpu_per_request(seed=1) < cpu_per_request(seed=2)
";

/// Cycles of the record.
const CYCLES: usize = 6;

/// A whole study of that difference; also how many blocks were disturbed.
fn assembled(record: &Recorded, faster: f64, seed: u64) -> (RunResult, u32) {
    let study = study("{ closed: { connections: 8 } }", CLAIMS);
    let mut plan = planned(&study, seed, SECONDS);
    plan.timing.cycles = CYCLES as u32;
    plan.timing.perturbation_ns = 0;
    plan.timing.warm_up_ns = SECOND / 2;
    let cycle = |at: usize| if at.is_multiple_of(2) { vec![0, 1] } else { vec![1, 0] };
    plan.order.iter_mut().for_each(|block| *block = (0..CYCLES).map(cycle).collect());
    let last = plan.timing.looks.last().copied().unwrap_or(1) as usize;
    let blocks = record.study(&mut Rng::new(seed), faster, last + 1);
    let mut bench = RecordedBench::new(&plan, &blocks, seed);
    let result = run_on(&plan, &mut bench);
    (result, bench.disturbances)
}

#[test]
fn truth_01_the_assembled_study_of_equal_servers_has_no_winner() {
    let studies: u64 = if cfg!(debug_assertions) { 6 } else { 1_000 };
    let record = Recorded::read();
    let (mut winners, mut left_out, mut disturbed, mut direction) = (0, 0, 0, 0);
    for seed in 0..studies {
        let (result, disturbances) = assembled(&record, 0.0, seed);
        winners += u32::from(result.claims.iter().any(|claim| claim.verdict != Verdict::Undecided));
        left_out += result.disturbed_blocks.len() as u32;
        disturbed += disturbances;
        let (faster, _) = assembled(&record, 0.10_f64.ln_1p(), seed);
        direction += u64::from(faster.claims.iter().any(|claim| claim.verdict == Verdict::Refuted));
    }
    println!(
        "truth 01 | the assembled design (plan, runner, record, judge) on recorded noise, {} blocks, three claims, every tenth block \
         disturbed, {studies} studies | winners within the binomial bound of 5 %; disturbed blocks left out; 10 % found \
         the wrong way round in at most 1 % | winners in {winners}; {left_out} of {disturbed} left out; wrong way round {direction}",
        record.blocks()
    );
    let mean = studies as f64 * 0.05;
    assert!(f64::from(winners) <= mean + 3.0 * (mean * 0.95).sqrt(), "{winners} of {studies}");
    assert_eq!(left_out, disturbed);
    assert!(disturbed > 0 && direction <= studies / 100, "{disturbed} {direction}");
}
