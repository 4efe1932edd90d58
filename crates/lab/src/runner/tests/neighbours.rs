//! Programs beside a run: waited for, reported, and the end of a run that they make hopeless.

use super::*;
use proofload_store::schema::RunState;

/// A generator whose books do not add up: nothing bounds its effect on any figure.
fn unfit() -> proofload_engine::Finding {
    proofload_engine::Finding::LittlesLaw { expected: 8.0, found: 5.0 }
}

fn machine(path: &Path) -> Vec<Finding> {
    Run::open(path).expect("readable").status().sittings[0].machine.clone()
}

fn gzip(used_cpus: f64) -> Finding {
    let programs = vec![format!("gzip (pid 7) {used_cpus:.2}")];
    Finding::OtherPrograms { used_cpus, cpus: 2, programs }
}

/// Judges nothing: every claim stays open.
fn open_look(plan: &Plan, bench: &mut FakeBench) -> (Ending, PathBuf, tempfile::TempDir) {
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), plan, &Environment::default(), 1).expect("a record");
    let path = record.path().to_path_buf();
    let judge = proofload_analysis::RunJudge::of(plan).expect("claims");
    let design = proofload_analysis::design_of(plan);
    let stop = AtomicBool::new(false);
    let ending = Runner {
        plan,
        design: &design,
        claims: &judge.claims(),
        bench,
        record: &mut record,
        look: &mut |path| judge.judge(&Run::open(path)?),
        progress: &mut |_| {},
        stop: &stop,
        behind: Behind::default(),
        place: 1,
        wait_for_quiet_ns: None,
    }
    .run();
    (ending.expect("the record can be written"), path, root)
}

fn claimed(looks: &[u32]) -> Plan {
    let text = "throughput(b) > throughput(a)".to_string();
    Plan { claims: vec![proofload_store::schema::PlannedClaim { name: "more".into(), text }], ..plan(looks) }
}

#[test]
fn a_generator_without_a_fit_block_ends_the_run_after_three_and_says_with_whom() {
    let mut bench = FakeBench { unfit: Some(unfit()), others: Some(|_| 1.02), ..FakeBench::new() };
    let (ending, path, _root) = open_look(&claimed(&[4, 8, 30]), &mut bench);
    let what = Box::new(gzip(1.02));
    assert_eq!(ending, Ending::Hopeless(Finding::NoVerdictInReach { blocks: 3, what }));
    assert_eq!(machine(&path), [gzip(1.02)], "told once, after the first block");
    assert_eq!(ending.status().state, RunState::Finished, "its figures are whole");
    let mut alone = FakeBench { unfit: Some(unfit()), others: Some(|_| 0.02), ..FakeBench::new() };
    let (ending, path, _root) = open_look(&claimed(&[4, 8, 30]), &mut alone);
    let Ending::Hopeless(Finding::NoVerdictInReach { what, .. }) = ending else { panic!("{ending:?}") };
    assert!(
        matches!(what.innermost(), Finding::ConnectionsUnaccounted { .. }),
        "nobody else's fault: {what:?}"
    );
    assert!(machine(&path).is_empty());
}

/// Blocks that do not count have numbers, too.
#[test]
fn blocks_that_the_machine_disturbed_hide_no_unfit_generator_after_them() {
    let (unfit, others) = (Some(unfit()), Some((|_| 1.02) as fn(u64) -> f64));
    let mut bench = FakeBench { unfit, others, stolen_until_load: 12, ..FakeBench::new() };
    let (ending, path, _root) = open_look(&claimed(&[4, 8, 30]), &mut bench);
    assert!(!left_out(&Run::open(&path).expect("readable")).is_empty(), "planted");
    let what = Box::new(gzip(1.02));
    assert_eq!(ending, Ending::Hopeless(Finding::NoVerdictInReach { blocks: 3, what }));
}

#[test]
fn a_fit_generator_beside_a_busy_program_ends_nothing_and_tells_nothing() {
    let mut bench = FakeBench { others: Some(|_| 1.02), ..FakeBench::new() };
    let (ending, path, _root) = open_look(&claimed(&[4]), &mut bench);
    assert_eq!((ending, machine(&path).len()), (Ending::Finished, 0));
}

#[test]
fn the_machine_is_waited_for_and_that_is_not_of_the_budget() {
    let mut plan = plan(&[2]);
    // Two blocks have just enough room.
    plan.timing.budget_ns = 20 * SECOND;
    let busy = |now_ns| if now_ns < 100 * SECOND { 0.5 } else { 0.05 };
    let wait_for_quiet_ns = Some(200 * SECOND);
    let mut bench = FakeBench { others: Some(busy), wait_for_quiet_ns, ..FakeBench::new() };
    let (ending, _, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    assert_eq!((ending, bench.done_of("pause ").len()), (Ending::Finished, 101));
    assert_eq!(bench.done_of("start ").len(), 4);
}

#[test]
fn a_machine_that_is_never_quiet_is_waited_for_no_longer_than_was_said() {
    let wait_for_quiet_ns = Some(30 * SECOND);
    let mut bench = FakeBench { others: Some(|_| 0.5), wait_for_quiet_ns, ..FakeBench::new() };
    let (ending, _, _root) = conduct(&plan(&[2]), &mut bench, 9, &AtomicBool::new(false));
    let programs = vec!["gzip (pid 7) 0.50".to_string()];
    let never = Finding::NeverQuiet { waited_ns: 30 * SECOND, used_cpus: 0.5, cpus: 2, programs };
    assert_eq!(ending, Ending::Hopeless(never));
    assert!(bench.done_of("start ").is_empty());
}

#[test]
fn a_budget_that_ends_before_the_first_look_is_told_after_the_first_block() {
    let mut plan = plan(&[4, 6, 8]);
    plan.timing.budget_ns = 20 * SECOND;
    let mut bench = FakeBench::new();
    let (ending, ..) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    let Ending::Hopeless(Finding::NoLookInBudget { blocks: 1, first: 4, budget }) = ending else {
        panic!("{ending:?}")
    };
    let seconds: u64 = budget.trim_end_matches('s').parse().expect("seconds");
    plan.timing.budget_ns = seconds * SECOND;
    let (ending, path, _root) = conduct(&plan, &mut FakeBench::new(), 9, &AtomicBool::new(false));
    assert_eq!(ending, Ending::OutOfBudget, "{budget}");
    assert!(Run::open(&path).expect("readable").blocks().len() >= 4, "{budget} is enough");
}
