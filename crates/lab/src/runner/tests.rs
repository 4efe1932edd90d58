//! The sequence of a study, without servers and in virtual time.

mod ceilings;
mod conditions;
mod fake;
mod journeys;
mod neighbours;
mod skipping;
mod steady;

use super::*;
use proofload_analysis::{left_out, observations};
use proofload_engine::{GeneratorUse, LoadResult};
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_store::Run;
use proofload_store::schema::{
    Ceiling, Conditions, Environment, LoadPoint, Phase, Slice, SubjectUse, Timing, Variant,
};
use proofload_study::LoadRole;
use std::path::{Path, PathBuf};

use fake::{FakeBench, Lending, Nature};

const SECOND: u64 = 1_000_000_000;

fn plan(looks: &[u32]) -> Plan {
    let variant = |name: &str| Variant { name: name.into(), kind: "command".into(), ..Variant::default() };
    let order = vec![vec![vec![1, 0], vec![0, 1]]; looks.last().copied().unwrap_or(1) as usize];
    Plan {
        format: proofload_store::schema::FORMAT_VERSION,
        study: "fake".into(),
        preset: "quick".into(),
        replication: "start".into(),
        alpha: 0.05,
        variants: vec![variant("a"), variant("b")],
        points: vec![LoadPoint {
            label: "8c".into(),
            model: "closed".into(),
            connections: 8,
            ..LoadPoint::default()
        }],
        timing: Timing {
            warm_up_ns: 2 * SECOND,
            warm_up_cap_ns: 0,
            cycles: 2,
            cycles_adapt: false,
            slice_ns: SECOND,
            discard_ns: SECOND / 10,
            drain_ns: 0,
            looks: looks.to_vec(),
            budget_ns: 600 * SECOND,
            ..Timing::default()
        },
        order,
        ..Plan::default()
    }
}

/// One claim for each pair of neighbours: `throughput(b) > throughput(a)`.
fn claims_of(plan: &Plan) -> Vec<Claim> {
    let selector = |v: &Variant| proofload_stats::Selector { name: v.name.clone(), levels: Vec::new() };
    let names = proofload_stats::Names {
        variants: plan.variants.iter().map(selector).collect(),
        points: plan.points.iter().map(|point| point.label.clone()).collect(),
        ..proofload_stats::Names::default()
    };
    let pair = |pair: &[Variant]| {
        let text = format!("throughput({}) > throughput({})", pair[1].name, pair[0].name);
        proofload_stats::parse_claim("more", &text, &names).expect("a claim").remove(0)
    };
    plan.variants.windows(2).map(pair).collect()
}

/// Three variants instead of two.
fn plan_of_three(looks: &[u32]) -> Plan {
    let mut plan = plan(looks);
    plan.variants.push(Variant { name: "c".into(), kind: "command".into(), ..Variant::default() });
    plan.order.iter_mut().for_each(|block| *block = vec![vec![1, 0, 2], vec![2, 0, 1]]);
    plan
}

fn serial(mut plan: Plan) -> Plan {
    plan.mode = proofload_store::schema::Mode::Serial;
    plan.order.iter_mut().for_each(|block| block[1] = block[0].clone());
    plan
}

/// Runs a study in a new directory and returns how it ended and where it lies.
fn conduct(
    plan: &Plan,
    bench: &mut FakeBench,
    settle_at: u32,
    stop: &AtomicBool,
) -> (Ending, PathBuf, tempfile::TempDir) {
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), plan, &Environment::default(), 1).expect("a record");
    let path = record.path().to_path_buf();
    let ending = go_on(plan, bench, settle_at, stop, &mut record, Behind::default());
    (ending, path, root)
}

/// Goes on with a record that may have blocks already.
fn go_on(
    plan: &Plan,
    bench: &mut FakeBench,
    settle_at: u32,
    stop: &AtomicBool,
    record: &mut RunWriter,
    behind: Behind,
) -> Ending {
    let design = proofload_analysis::design_of(plan);
    let bench_waits = bench.wait_for_quiet_ns;
    let mut looks = 0;
    let mut look = |_: &Path| {
        looks += 1;
        Ok(Judgement { settled: looks >= settle_at, ..Judgement::default() })
    };
    Runner {
        plan,
        design: &design,
        claims: &claims_of(plan),
        bench,
        record,
        look: &mut look,
        progress: &mut |progress| {
            if let Progress::Block { block, of, .. } = progress {
                assert!(block <= of, "block {block} of at most {of}");
            }
        },
        stop,
        behind,
        place: 1,
        wait_for_quiet_ns: bench_waits,
    }
    .run()
    .expect("the record can be written")
}

#[test]
fn variants_start_in_the_plans_order_and_take_turns_in_it() {
    let mut bench = FakeBench::new();
    let (ending, _, _root) = conduct(&plan(&[1]), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    assert_eq!(bench.done_of("start "), ["1", "0"]);
    let measured: Vec<_> = bench.done_of("load ").into_iter().filter(|l| l.ends_with("1000ms")).collect();
    assert_eq!(measured, ["1@0 1000ms", "0@0 1000ms", "0@0 1000ms", "1@0 1000ms"]);
    assert_eq!(bench.done.last().map(String::as_str), Some("stop"));
}

#[test]
fn the_warm_up_gives_every_variant_as_many_turns_as_every_other() {
    let mut bench = FakeBench::new();
    let _kept = conduct(&plan(&[1]), &mut bench, 9, &AtomicBool::new(false));
    let turns = |variant: &str| {
        bench
            .done_of("load ")
            .iter()
            .filter(|l| l.ends_with(" 500ms in its stead") && l.starts_with(variant))
            .count()
    };
    assert_eq!((turns("0"), turns("1")), (2, 2));
}

#[test]
fn a_settled_judgement_ends_the_study() {
    let mut bench = FakeBench::new();
    let (ending, path, _root) = conduct(&plan(&[4, 6]), &mut bench, 5, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    assert_eq!((run.blocks().len(), run.excluded().len()), (5, 0));
}

#[test]
fn a_server_that_dies_once_costs_its_own_block_and_not_that_of_the_others() {
    let mut bench = FakeBench { dies_at_load: Some(7), ..FakeBench::new() };
    let (ending, path, _root) = conduct(&plan(&[2]), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    assert_eq!(run.blocks().iter().map(|block| block.number).collect::<Vec<_>>(), [1, 2]);
    let [lost] = run.blocks()[0].lost.as_slice() else { panic!("{:?}", run.blocks()[0].lost) };
    assert_eq!(lost.variant, "a");
    let died = Finding::InCycle {
        block: 1,
        cycle: 2,
        variant: "a".into(),
        what: Box::new(Finding::failed("killed by signal 9")),
    };
    assert_eq!(lost.why, [died]);
    assert_eq!(lost.slices.iter().filter(|slice| slice.phase == Phase::Measure).count(), 1);
    let of_a = |slice: &&Slice| slice.measured.variant == "a";
    assert_eq!(run.blocks()[0].slices.iter().filter(of_a).count(), 0, "in no figure");
    assert!(run.blocks()[1].lost.is_empty());
    assert_eq!(bench.done_of("end "), ["0"], "what died or hangs is stopped at once");
    let seen = observations(&run, &[proofload_stats::Measure::Errors]).expect("readable").lost;
    let [start] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!((start.block, start.variant, start.died.as_ref()), (1, 0, lost.why.first()));
    assert!(start.seen[0].finished > 0 && start.seen[0].errors == 0, "{start:?}");
}

/// Before a start, in the warm-up, in a slice, between slices, at a stop: wherever, and though all servers end with it.
#[test]
fn whenever_the_keeper_dies_no_server_did() {
    for plan in [plan(&[2]), serial(plan(&[2]))] {
        let mut whole = FakeBench::new();
        conduct(&plan, &mut whole, 9, &AtomicBool::new(false));
        for step in 1..=whole.steps {
            let mut bench = FakeBench { keeper_dies_at: Some(step), ..FakeBench::new() };
            let (ending, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
            assert_eq!(ending, Ending::Broken(Finding::KeeperGone), "step {step} of {}", whole.steps);
            let run = Run::open(&path).expect("readable");
            let lines = run.excluded().iter().flat_map(|block| &block.slices);
            assert!(lines.chain(run.blocks().iter().flat_map(|block| &block.slices)).all(|line| !line.died));
            assert!(run.blocks().iter().all(|block| block.lost.is_empty()), "step {step}");
        }
    }
}

#[test]
fn a_server_that_does_not_start_is_tried_once_more() {
    let mut bench = FakeBench { broken: Some((0, 1)), ..FakeBench::new() };
    let (ending, path, _root) = conduct(&plan(&[2]), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    assert!(Run::open(&path).expect("readable").blocks().iter().all(|block| block.lost.is_empty()));
}

/// Finding about a variant that did not start in the first block.
fn given_up(variant: &str) -> Finding {
    let what = Box::new(Finding::failed("exited with status 1"));
    Finding::GivenUp { why: vec![Finding::InStart { block: 1, variant: variant.into(), what }] }
}

#[test]
fn a_study_of_which_no_claim_is_left_ends_at_once_and_what_was_started_is_stopped() {
    let mut bench = FakeBench { broken: Some((0, 9)), ..FakeBench::new() };
    let (ending, _, _root) = conduct(&plan(&[4]), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Failed(given_up("a")));
    assert_eq!(bench.done, ["start 1", "end 0", "end 0", "stop"]);
}

#[test]
fn the_others_go_on_when_one_never_starts() {
    let mut bench = FakeBench { broken: Some((2, 9)), ..FakeBench::new() };
    let (ending, path, _root) = conduct(&plan_of_three(&[3]), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    assert_eq!(run.blocks().len(), 3);
    for block in run.blocks() {
        assert_eq!(block.lost.iter().map(|lost| lost.variant.as_str()).collect::<Vec<_>>(), ["c"]);
    }
    assert_eq!(run.blocks()[2].lost[0].why, [given_up("c")]);
    assert_eq!(bench.done_of("start 2").len(), 0);
}

#[test]
fn a_server_that_dies_in_two_blocks_in_a_row_is_not_started_a_third_time() {
    let mut bench = FakeBench { always_dies: Some(2), ..FakeBench::new() };
    let (ending, _, _root) = conduct(&plan_of_three(&[4]), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    assert_eq!(bench.done_of("start 2").len(), 2);
    assert_eq!(bench.done_of("start 0").len(), 4);
}

#[test]
fn a_server_that_hangs_is_told_from_one_that_dies() {
    for discard_ns in [0, 1_000] {
        let mut bench = FakeBench { hangs: Some((2, 4)), ..FakeBench::new() };
        let mut plan = plan_of_three(&[1]);
        plan.timing.discard_ns = discard_ns;
        let (_, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
        let run = Run::open(&path).expect("readable");
        let lost = &run.blocks()[0].lost;
        let hangs = Finding::InCycle {
            block: 1,
            cycle: 2,
            variant: "c".into(),
            what: Box::new(Finding::Hangs { requests: 120, sliced: true }),
        };
        assert_eq!(lost[0].why, [hangs]);
    }
    let mut bench = FakeBench { hangs: Some((2, 2)), ..FakeBench::new() };
    let mut plan = plan_of_three(&[1]);
    plan.points[0] = LoadPoint { whole: true, length_ns: 7 * SECOND, ..plan.points[0].clone() };
    let (_, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    let lost = Run::open(&path).expect("readable").blocks()[0].lost.clone();
    assert!(matches!(lost[0].why[0].innermost(), Finding::Hangs { sliced: false, .. }), "{lost:?}");
}

#[test]
fn in_serial_mode_each_variant_is_alone_from_start_to_stop() {
    let mut bench = FakeBench::new();
    let (ending, path, _root) = conduct(&serial(plan(&[1])), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let one = |v: &str| {
        let warm = std::iter::repeat_n(format!("load {v}@0 500ms in its stead"), 2);
        let slices = std::iter::repeat_n(format!("load {v}@0 1000ms"), 2);
        let ends = [format!("start {v}")].into_iter().chain(warm).chain(slices);
        ends.chain([format!("end {v}")]).collect::<Vec<_>>()
    };
    let expected: Vec<String> = one("1").into_iter().chain(one("0")).chain(["stop".to_string()]).collect();
    assert_eq!(bench.done, expected);
    assert_eq!(Run::open(&path).expect("readable").blocks().len(), 1);
}

#[test]
fn in_serial_mode_the_next_variant_runs_though_the_one_before_died() {
    let mut bench = FakeBench { always_dies: Some(0), ..FakeBench::new() };
    let (ending, path, _root) = conduct(&serial(plan_of_three(&[2])), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    let lost = |block: &proofload_store::Block| block.lost.iter().map(|l| l.variant.clone()).collect();
    let lost: Vec<Vec<String>> = run.blocks().iter().map(lost).collect();
    assert_eq!(lost, [["a"], ["a"]]);
    assert!(run.blocks().iter().all(|block| block.slices.iter().any(|s| s.measured.variant == "c")));
}

#[test]
fn a_stop_in_the_middle_ends_cleanly_and_keeps_complete_blocks() {
    let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    let mut bench = FakeBench { stop_at_load: Some((13, stop)), ..FakeBench::new() };
    let (ending, path, _root) = conduct(&plan(&[4]), &mut bench, 9, stop);
    assert_eq!(ending, Ending::Interrupted);
    let run = Run::open(&path).expect("readable");
    assert_eq!((run.blocks().len(), run.excluded().len()), (1, 1));
    // Twelve loads before it, of which eight are the first block's; that of the stop is kept as far as it came.
    assert_eq!(run.excluded()[0].slices.len(), 5);
    assert_eq!(bench.done.last().map(String::as_str), Some("stop"));
}

#[test]
fn a_budget_that_is_used_up_ends_the_study_between_blocks() {
    let mut plan = plan(&[2, 4, 8]);
    plan.timing.budget_ns = 20 * SECOND;
    let mut bench = FakeBench::new();
    let (ending, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::OutOfBudget);
    assert!(bench.now_ns <= 20 * SECOND, "{}", bench.now_ns);
    assert!(Run::open(&path).expect("readable").excluded().is_empty());
}

#[test]
fn a_run_goes_on_with_the_next_number_and_looks_first() {
    let plan = plan(&[3]);
    let stop = AtomicBool::new(false);
    let mut bench = FakeBench::new();
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), &plan, &Environment::default(), 1).expect("a record");
    let behind = Behind { last_block: 3, complete: 1, disturbed: 0, spent_ns: 8 * SECOND };
    let settled = go_on(&plan, &mut bench, 1, &stop, &mut record, behind);
    assert_eq!((settled, bench.done.len()), (Ending::Finished, 0), "settled before it began");
    let ending = go_on(&plan, &mut bench, 9, &stop, &mut record, behind);
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(record.path()).expect("readable");
    assert_eq!(run.blocks().iter().map(|block| block.number).collect::<Vec<_>>(), [4, 5]);
    let spent = Behind { spent_ns: plan.timing.budget_ns, ..behind };
    assert_eq!(go_on(&plan, &mut bench, 9, &stop, &mut record, spent), Ending::OutOfBudget);
}

#[test]
fn a_load_with_a_shape_is_carried_out_whole_and_something_plain_warms_for_it() {
    let mut plan = plan(&[1]);
    plan.points[0] = LoadPoint { whole: true, length_ns: 7 * SECOND, ..plan.points[0].clone() };
    plan.order = vec![vec![vec![1, 0]]];
    let mut bench = FakeBench::new();
    let (ending, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let loads = bench.done_of("load ");
    let (whole, warming): (Vec<&str>, Vec<&str>) = loads.into_iter().partition(|l| l.ends_with(" 7000ms"));
    assert_eq!(whole, ["1@0 7000ms", "0@0 7000ms"]);
    assert!(warming.iter().all(|load| load.ends_with(" 500ms in its stead")), "{warming:?}");
    assert_eq!(Run::open(&path).expect("readable").blocks().len(), 1);
}

#[test]
fn a_slice_of_streams_is_a_line_for_each_and_a_block_that_lacks_one_does_not_count() {
    let mut plan = plan(&[1]);
    plan.streams = vec!["fast".into(), "slow".into()];
    let mut bench = FakeBench { streams: 2, ..FakeBench::new() };
    let (_, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    let run = Run::open(&path).expect("readable");
    let measured = run.blocks()[0].slices.iter().filter(|slice| slice.phase == Phase::Measure);
    let lines: Vec<_> = measured
        .map(|s| (s.cycle, s.position, s.measured.stream.as_str(), s.measured.subject.is_some()))
        .collect();
    assert_eq!(
        lines[..4],
        [(1, 1, "fast", true), (1, 1, "slow", false), (1, 2, "fast", true), (1, 2, "slow", false)]
    );
    assert_eq!(lines.len(), 8);
    let block = path.join("blocks/0001.jsonl");
    let text = std::fs::read_to_string(&block).expect("a block");
    let cut = text.trim_end().rfind('\n').expect("many lines");
    std::fs::write(&block, &text[..=cut]).expect("it can be written");
    assert!(Run::open(&path).expect("readable").blocks().is_empty());
}

/// Only what rests on a variant that was given up is not waited for.
#[test]
fn a_judgement_that_is_not_settled_is_waited_for_while_nobody_is_given_up() {
    let plan = plan_of_three(&[2, 4]);
    let claims = claims_of(&plan);
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), &plan, &Environment::default(), 1).expect("a record");
    let path = record.path().to_path_buf();
    let judged = |settled| proofload_stats::Judged {
        verdict: proofload_stats::Verdict::Undecided,
        estimate: None,
        confidence: 0.95,
        blocks: 2,
        reasons: Vec::new(),
        settled,
        projection: None,
        scope: proofload_stats::Scope::ThisSitting,
        borrowed: None,
    };
    let mut look =
        |_: &Path| Ok(Judgement { claims: vec![judged(true), judged(true)], ..Judgement::default() });
    let ending = Runner {
        plan: &plan,
        design: &Design::at(&[2, 4]),
        claims: &claims,
        bench: &mut FakeBench::new(),
        record: &mut record,
        look: &mut look,
        progress: &mut |_| (),
        stop: &AtomicBool::new(false),
        behind: Behind::default(),
        place: 1,
        wait_for_quiet_ns: None,
    }
    .run();
    assert_eq!(ending.expect("the record can be written"), Ending::Finished);
    assert_eq!(Run::open(&path).expect("readable").blocks().len(), 4);
}

#[test]
fn each_block_ends_with_a_pair_of_slices_with_once_and_twice_the_threads() {
    let mut plan = plan(&[2]);
    plan.timing.perturbation_ns = SECOND / 2;
    let mut bench = FakeBench::new();
    let (ending, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    let pairs: Vec<Vec<(&str, bool)>> = run
        .blocks()
        .iter()
        .map(|block| {
            let slices = block.slices.iter().filter(|slice| slice.phase == Phase::Perturbation);
            slices.map(|slice| (slice.measured.variant.as_str(), slice.perturbed)).collect()
        })
        .collect();
    assert_eq!(pairs, [[("a", false), ("a", true)], [("b", true), ("b", false)]]);
    let loads = bench.done_of("load ");
    assert_eq!(loads.iter().filter(|load| load.ends_with("twice the threads")).count(), 2);
    assert!(loads[loads.len() - 1].starts_with("1@0 500ms"), "after all cycles: {loads:?}");
}

#[test]
fn a_block_that_is_left_out_takes_no_turn_of_the_pairs() {
    let mut plan = plan(&[2]);
    plan.timing.perturbation_ns = SECOND / 2;
    let mut bench = FakeBench { stolen_until_load: 8, ..FakeBench::new() };
    let (_, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    let run = Run::open(&path).expect("readable");
    let in_pair = |slice: &&Slice| slice.phase == Phase::Perturbation;
    let whose = |block: &proofload_store::Block| {
        block.slices.iter().find(in_pair).map(|slice| slice.measured.variant.clone())
    };
    let turns: Vec<String> = run.blocks().iter().filter_map(whose).collect();
    assert_eq!((left_out(&run), turns.join(" ")), (vec![1], "a a b".into()));
}

#[test]
fn a_server_that_dies_in_the_pair_costs_the_pair_alone() {
    let mut plan = plan(&[1]);
    plan.timing.perturbation_ns = SECOND / 2;
    let mut bench = FakeBench { dies_at_load: Some(9), ..FakeBench::new() };
    let (ending, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    assert!(run.blocks()[0].lost.is_empty());
    assert!(run.blocks()[0].slices.iter().all(|slice| slice.phase != Phase::Perturbation));
}

#[test]
fn a_block_that_the_machine_disturbed_is_replaced_and_a_machine_that_never_keeps_still_ends_the_study() {
    let mut bench = FakeBench { stolen_until_load: 8, ..FakeBench::new() };
    let (ending, path, _root) = conduct(&plan(&[2]), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    assert_eq!((run.blocks().len(), left_out(&run)), (3, vec![1]));
    let mut bench = FakeBench { stolen_until_load: usize::MAX, ..FakeBench::new() };
    let (ending, path, _root) = conduct(&plan(&[2]), &mut bench, 9, &AtomicBool::new(false));
    assert!(matches!(ending, Ending::Hopeless(Finding::NoVerdictInReach { blocks: 3, .. })), "{ending:?}");
    assert_eq!(left_out(&Run::open(&path).expect("readable")), [1, 2, 3]);
}
