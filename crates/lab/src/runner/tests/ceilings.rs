//! Times at which ceilings are measured, and their record.

use super::*;

fn ceilings_of(path: &Path) -> Vec<Ceiling> {
    Run::open(path).expect("readable").ceilings().to_vec()
}

#[test]
fn what_cannot_be_measured_of_the_ceiling_is_on_record_once() {
    let mut bench = FakeBench::new();
    let (_, path, _root) = conduct(&plan(&[2]), &mut bench, 9, &AtomicBool::new(false));
    assert!(ceilings_of(&path).is_empty(), "nothing was received: no class of answers");
    let mut bench = FakeBench { received: 100_000, ..FakeBench::new() };
    let (_, path, _root) = conduct(&plan(&[6]), &mut bench, 9, &AtomicBool::new(false));
    let [ceiling] = &ceilings_of(&path)[..] else { panic!("{:?}", ceilings_of(&path)) };
    assert_eq!((ceiling.point.as_str(), ceiling.answer_bytes, ceiling.exchanges_per_s), ("8c", 1024, None));
    assert_eq!((ceiling.variants.join(" "), bench.ceilings), ("a b".into(), 3), "tried three times");
    let mut without = plan(&[2]);
    without.no_ceiling = true;
    let mut bench = FakeBench { received: 100_000, ..FakeBench::new() };
    let (_, path, _root) = conduct(&without, &mut bench, 9, &AtomicBool::new(false));
    assert!(ceilings_of(&path).is_empty());
}

#[test]
fn a_ceiling_that_failed_is_measured_after_a_later_block() {
    let mut bench = FakeBench { received: 100_000, ceiling: Some(("here", 2)), ..FakeBench::new() };
    let (_, path, _root) = conduct(&plan(&[2]), &mut bench, 9, &AtomicBool::new(false));
    let [ceiling] = &ceilings_of(&path)[..] else { panic!("{:?}", ceilings_of(&path)) };
    assert_eq!((ceiling.exchanges_per_s, ceiling.variants.join(" ")), (Some(50_000.0), "a b".into()));
}

#[test]
fn a_stop_in_a_ceiling_leaves_it_off_the_record_and_the_next_sitting_measures_it_before_it_looks() {
    let plan = plan(&[1]);
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), &plan, &Environment::default(), 1).expect("a record");
    let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    let here = FakeBench { received: 100_000, ceiling: Some(("here", 1)), ..FakeBench::new() };
    let mut bench = FakeBench { stop_at_ceiling: Some(stop), ..here };
    go_on(&plan, &mut bench, 9, stop, &mut record, Behind::default());
    assert_eq!((bench.ceilings, ceilings_of(record.path())), (1, Vec::new()));
    let behind = Behind { last_block: 1, complete: 1, disturbed: 0, spent_ns: SECOND };
    let go_on = |bench: &mut FakeBench, record: &mut RunWriter| {
        go_on(&plan, bench, 9, &AtomicBool::new(false), record, behind);
        let settings = ceilings_of(record.path()).into_iter().flat_map(|ceiling| ceiling.setting);
        (bench.loads, settings.collect::<Vec<String>>())
    };
    (bench.stop_at_ceiling, bench.loads) = (None, 0);
    assert_eq!(go_on(&mut bench, &mut record), (0, vec!["here".into()]), "all blocks are complete");
    // Another machine has a ceiling of its own.
    let mut elsewhere = FakeBench { ceiling: Some(("elsewhere", 1)), ..FakeBench::new() };
    assert_eq!(go_on(&mut elsewhere, &mut record), (0, vec!["here".into(), "elsewhere".into()]));
    assert_eq!((go_on(&mut bench, &mut record).1.len(), bench.ceilings), (2, 2), "both are known");
}
