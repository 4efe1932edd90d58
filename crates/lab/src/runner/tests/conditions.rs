//! Blocks are measured under the conditions of the plan, and compared with the ceilings of these.

use super::*;
use proofload_analysis::{counting_blocks, left_out, observations};
use proofload_store::schema::PlannedCondition;

/// Four blocks, by epoll and io_uring in turn.
fn varied() -> Plan {
    let levels = vec!["epoll".to_string(), "io_uring".to_string()];
    let condition = PlannedCondition { name: "driver".into(), levels, ..PlannedCondition::default() };
    let order = (0..4).map(|block| vec![block % 2]).collect();
    Plan { conditions: vec![condition], condition_order: order, no_ceiling: true, ..plan(&[4]) }
}

#[test]
fn every_block_is_measured_under_its_conditions() {
    let mut bench = FakeBench::new();
    let (_, path, _root) = conduct(&varied(), &mut bench, 9, &AtomicBool::new(false));
    assert_eq!(bench.drivers, ["epoll", "io_uring", "epoll", "io_uring"]);
    let observations = observations(&Run::open(&path).unwrap(), &[]).unwrap();
    assert_eq!(observations.conditions, [vec![0, 1, 0, 1]]);
}

#[test]
fn each_combination_of_levels_has_a_ceiling_of_its_own() {
    let plan = Plan { no_ceiling: false, ..varied() };
    let mut bench = FakeBench { received: 100_000, ceiling: Some(("here", 1)), ..FakeBench::new() };
    let (_, path, _root) = conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
    let ceilings = Run::open(&path).expect("readable").ceilings().to_vec();
    let levels: Vec<&[usize]> = ceilings.iter().map(|ceiling| &ceiling.levels[..]).collect();
    assert_eq!((levels, bench.ceilings), (vec![&[0][..], &[1]], 2));
}

#[test]
fn a_block_that_was_lost_is_made_up_for_under_its_conditions() {
    let mut bench = FakeBench { stolen_until_load: 12, ..FakeBench::new() };
    let (_, path, _root) = conduct(&varied(), &mut bench, 9, &AtomicBool::new(false));
    let run = Run::open(&path).unwrap();
    assert!(!left_out(&run).is_empty(), "planted");
    let places: Vec<u32> = counting_blocks(&run).iter().map(|block| block.place).collect();
    assert_eq!(places, [1, 2, 3, 4]);
    assert_eq!(observations(&run, &[]).unwrap().conditions, [vec![0, 1, 0, 1]]);
}

/// After the last planned block the judge reports that a claim lacks the second.
#[test]
fn a_block_that_the_generator_spoiled_is_made_up_for_at_the_end() {
    let (plan, mut bench) = (varied(), FakeBench::new());
    let root = tempfile::tempdir().unwrap();
    let mut record = RunWriter::create(root.path(), &plan, &Environment::default(), 1).unwrap();
    let design = proofload_analysis::design_of(&plan);
    let mut look = |_: &Path| Ok(Judgement { to_replace: vec![2], ..Judgement::default() });
    let ending = Runner {
        plan: &plan,
        design: &design,
        claims: &claims_of(&plan),
        bench: &mut bench,
        record: &mut record,
        look: &mut look,
        progress: &mut |_| {},
        stop: &AtomicBool::new(false),
        behind: Behind::default(),
        place: 1,
        wait_for_quiet_ns: None,
    }
    .run();
    assert_eq!(ending.unwrap(), Ending::Finished);
    assert_eq!(bench.drivers, ["epoll", "io_uring", "epoll", "io_uring", "io_uring"]);
    let run = Run::open(record.path()).unwrap();
    let places: Vec<(u32, u32)> = run.blocks().iter().map(|block| (block.number, block.place)).collect();
    assert_eq!(places[3..], [(4, 4), (5, 2)]);
}

#[test]
fn more_warm_up_is_load_before_the_first_slice() {
    let took_s = |length: &str| {
        let levels = vec![length.to_string()];
        let condition =
            PlannedCondition { name: "extra_warm_up".into(), levels, ..PlannedCondition::default() };
        let order = vec![vec![0]];
        let plan = Plan { conditions: vec![condition], condition_order: order, ..plan(&[1]) };
        let mut bench = FakeBench::new();
        conduct(&plan, &mut bench, 9, &AtomicBool::new(false));
        bench.now_ns as f64 / SECOND as f64
    };
    let more_s = took_s("5000ms") - took_s("0ms");
    assert!((5.0..6.5).contains(&more_s), "{more_s}");
}
