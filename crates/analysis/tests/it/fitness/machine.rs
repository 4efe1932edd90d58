//! Blocks that the machine disturbed.

use super::*;

const STOLEN: Conditions = Conditions {
    generator_steal_share: Some(0.0),
    subject_steal_share: Some(0.05),
    frequency_hz: None,
    canary_ns: None,
};

#[test]
fn a_block_of_which_the_hypervisor_took_time_is_left_out_for_all_and_not_counted_as_lost() {
    let root = tempfile::tempdir().unwrap();
    let mut blocks: Vec<Vec<Slice>> = (1..=5).map(block).collect();
    blocks[1] = under(block(2), &STOLEN);
    let run = record(root.path(), &plan(), &blocks, &[]);
    assert_eq!((left_out(&run), run.blocks().len(), counting_blocks(&run).len()), (vec![2], 5, 4));
    let [Finding::StealFromServers { steal_share }] = disturbances(&run)[0].causes[..] else {
        panic!("one cause")
    };
    assert!((steal_share - 0.05).abs() < 1e-9, "{steal_share}");
    let seen = observations(&run, &[Measure::Throughput]).unwrap();
    assert_eq!((seen.blocks, seen.excluded_blocks, seen.disturbed), (vec![1, 2, 3, 4], 0, vec![1]));
    assert_eq!(verdict(&run, FASTER).0, Verdict::Supported);
    let quiet = record(root.path(), &plan(), &(1..=5).map(block).collect::<Vec<_>>(), &[]);
    let answered = |run: &Run| points(run).unwrap()[0].outcomes["answered"];
    assert!(answered(&run) < answered(&quiet), "in no figure either");
}

/// Its worker wakes late by this share of the time, in blocks whose CPUs may sleep or all are kept awake.
fn woken_late(root: &Path, share: f64, level: &str) -> Run {
    let mut blocks = four();
    for line in blocks.iter_mut().flatten().filter(|line| line.phase == Phase::Measure) {
        let check = FitnessCheck {
            check: CheckName::Away,
            outcome: CheckOutcome::Failed,
            found: Some(share),
            ..FitnessCheck::default()
        };
        line.measured.generator.checks = vec![check];
        (line.measured.generator.fit, line.measured.generator.findings) = (false, vec![Finding::Unfit]);
    }
    let condition = PlannedCondition {
        name: "cpus_awake".into(),
        levels: vec![level.into()],
        ..PlannedCondition::default()
    };
    let plan = Plan { conditions: vec![condition], condition_order: vec![vec![0]; 4], ..plan() };
    record(root, &plan, &blocks, &[])
}

#[test]
fn a_worker_may_wake_late_where_cpus_sleep_and_nowhere_else() {
    let root = tempfile::tempdir().unwrap();
    let found = |share, level| verdict(&woken_late(root.path(), share, level), FASTER).0;
    assert_eq!(found(0.08, "false"), Verdict::Supported);
    assert_eq!((found(0.12, "false"), found(0.08, "true")), (Verdict::Undecided, Verdict::Undecided));
}

/// A CPU that sleeps waits for the hypervisor whenever it is woken: left out, no block would have slept.
#[test]
fn where_cpus_may_sleep_the_hypervisor_may_take_more() {
    let root = tempfile::tempdir().unwrap();
    let left_out = |share: f64| {
        let stolen = Conditions { subject_steal_share: Some(share), ..STOLEN.clone() };
        let blocks: Vec<Vec<Slice>> = (1..=4).map(|number| under(block(number), &stolen)).collect();
        let plan = Plan {
            conditions: vec![PlannedCondition {
                name: "cpus_awake".into(),
                levels: vec!["true".into(), "false".into()],
                ..PlannedCondition::default()
            }],
            condition_order: vec![vec![0], vec![1], vec![1], vec![0]],
            ..plan()
        };
        left_out(&record(root.path(), &plan, &blocks, &[]))
    };
    assert_eq!(left_out(0.019), Vec::<u32>::new());
    assert_eq!(left_out(0.03), [1, 4]);
    assert_eq!(left_out(0.11), [1, 2, 3, 4]);
}

#[test]
fn a_run_of_which_most_blocks_were_disturbed_is_undecided_for_that_reason() {
    let root = tempfile::tempdir().unwrap();
    let mut blocks: Vec<Vec<Slice>> = (1..=5).map(|number| under(block(number), &STOLEN)).collect();
    blocks.extend((6..=9).map(block));
    let run = record(root.path(), &plan(), &blocks, &[]);
    let (found, reasons) = verdict(&run, FASTER);
    assert_eq!((found, reasons), (Verdict::Undecided, vec![Reason::Disturbed { blocks: 5, of: 9 }]));
}

#[test]
fn a_verdict_that_was_given_stays_whatever_the_machine_does_later() {
    let root = tempfile::tempdir().unwrap();
    let mut blocks = four();
    let early = verdict(&record(root.path(), &plan(), &blocks, &[]), FASTER);
    assert_eq!(early.0, Verdict::Supported);
    blocks.extend((5..=14).map(|number| under(block(number), &STOLEN)));
    assert_eq!(verdict(&record(root.path(), &plan(), &blocks, &[]), FASTER), early);
}

#[test]
fn a_block_on_slower_cpus_than_those_before_it_is_left_out() {
    let root = tempfile::tempdir().unwrap();
    let at = |hz: f64| Conditions { frequency_hz: Some(hz), ..Conditions::default() };
    let working = |ns: u64| Conditions { canary_ns: Some(ns), ..Conditions::default() };
    let left_out = |conditions: [Conditions; 5]| {
        let blocks: Vec<Vec<Slice>> =
            (1..=5).zip(&conditions).map(|(number, seen)| under(block(number), seen)).collect();
        left_out(&record(root.path(), &plan(), &blocks, &[]))
    };
    assert_eq!(left_out([3.0e9, 3.0e9, 2.7e9, 2.95e9, 3.0e9].map(at)), [3]);
    assert_eq!(left_out([400_000, 401_000, 399_000, 460_000, 400_000].map(working)), [4]);
    assert_eq!(left_out([400_000; 5].map(working)), [0_u32; 0]);
    // A slice that is too short for the clock to be read has the fixed work alone.
    let both = |hz, ns| Conditions { frequency_hz: Some(hz), canary_ns: Some(ns), ..Conditions::default() };
    let mixed = [both(3.0e9, 400_000), working(400_000), both(3.0e9, 400_000), working(400_000), at(3.0e9)];
    assert_eq!(left_out(mixed), [0_u32; 0]);
    let worse =
        [both(3.0e9, 400_000), working(400_000), both(3.0e9, 460_000), both(2.7e9, 400_000), at(3.0e9)];
    assert_eq!(left_out(worse), [3, 4], "either kind tells");
}

#[test]
fn a_variant_that_is_missing_makes_no_block_slower() {
    let root = tempfile::tempdir().unwrap();
    // The clock under load is that of the load.
    let clocked = |number: u32, without: &str| {
        let mut lines = block(number);
        lines.retain(|line| line.measured.variant != without);
        for line in lines.iter_mut().filter(|line| line.phase == Phase::Measure) {
            let hz = if line.measured.variant == "nio" { 3.0e9 } else { 2.0e9 };
            line.conditions = Some(Conditions { frequency_hz: Some(hz), ..Conditions::default() });
        }
        lines
    };
    let mut blocks: Vec<Vec<Slice>> = (1..=5).map(|number| clocked(number, "")).collect();
    blocks[3] = clocked(4, "nio");
    let run = record(root.path(), &plan(), &blocks, &[]);
    assert_eq!(disturbances(&run), []);
}

#[test]
fn a_smoke_run_leaves_nothing_out() {
    let root = tempfile::tempdir().unwrap();
    let mut smoke = plan();
    smoke.timing.looks = vec![1];
    let run = record(root.path(), &smoke, &[under(block(1), &STOLEN)], &[]);
    assert_eq!((left_out(&run).len(), disturbances(&run).len()), (0, 1));
}
