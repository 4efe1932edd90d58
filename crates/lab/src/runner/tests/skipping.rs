//! The next block is spent where a claim is still open.

use super::*;
use proofload_analysis::observations;
use proofload_stats::{Judged, Verdict};
use proofload_store::schema::Phase;

fn judged(settled: bool) -> Judged {
    Judged {
        verdict: Verdict::Undecided,
        estimate: None,
        confidence: 0.95,
        blocks: 2,
        reasons: Vec::new(),
        settled,
        projection: None,
        scope: proofload_stats::Scope::ThisSitting,
        borrowed: None,
    }
}

/// Conducts a study whose n-th look finds the claims of the n-th entry settled.
fn conduct_with(
    plan: &Plan,
    bench: &mut FakeBench,
    looks: &[&[bool]],
) -> (Vec<String>, Run, tempfile::TempDir) {
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), plan, &Environment::default(), 1).expect("a record");
    let path = record.path().to_path_buf();
    let mut looked = 0;
    let mut look = |_: &Path| {
        let settled = looks[looked.min(looks.len() - 1)];
        looked += 1;
        let claims: Vec<Judged> = settled.iter().map(|settled| judged(*settled)).collect();
        Ok(Judgement { settled: claims.iter().all(|claim| claim.settled), claims, ..Judgement::default() })
    };
    let mut said = Vec::new();
    let ending = Runner {
        plan,
        design: &proofload_analysis::design_of(plan),
        claims: &claims_of(plan),
        bench,
        record: &mut record,
        look: &mut look,
        progress: &mut |step| {
            if let Progress::Skipped { skipped } = step {
                said.push(skipped.join(", "));
            }
        },
        stop: &AtomicBool::new(false),
        behind: Behind::default(),
        place: 1,
        wait_for_quiet_ns: None,
    }
    .run();
    assert_eq!(ending.expect("the record can be written"), Ending::Finished);
    (said, Run::open(&path).expect("readable"), root)
}

/// `b > a` and `c > b`: once the first is settled, nothing needs a.
#[test]
fn what_no_open_claim_needs_is_not_started_any_more() {
    for plan in [plan_of_three(&[2, 4]), serial(plan_of_three(&[2, 4]))] {
        let mut bench = FakeBench::new();
        let (said, run, _root) = conduct_with(
            &plan,
            &mut bench,
            &[&[false, false], &[true, false], &[true, false], &[true, true]],
        );
        assert_eq!(said, ["a @ 8c"], "told once");
        let starts = bench.done_of("start ");
        assert_eq!(starts.iter().filter(|variant| **variant == "0").count(), 2, "{starts:?}");
        assert_eq!(starts.iter().filter(|variant| **variant == "2").count(), 4, "{starts:?}");
        assert_eq!(run.blocks().len(), 4, "a block without it is whole: {:?}", run.excluded());
        let left_out: Vec<usize> = run.blocks().iter().map(|block| block.spared.len()).collect();
        assert_eq!(left_out, [0, 0, 1, 1]);
        assert_eq!(run.blocks()[3].spared[0].variant, "a");
        assert!(run.blocks()[3].lost.is_empty(), "it is not lost");
        let seen = observations(&run, &[proofload_stats::Measure::Throughput]).expect("readable");
        let of_a = seen.cells.iter().filter(|cell| cell.variant == 0).map(proofload_stats::Cell::is_spared);
        assert_eq!(of_a.collect::<Vec<_>>(), [false, false, true, true]);
    }
}

/// Each variant has the same share of load before it is measured, however many there are.
#[test]
fn the_warm_up_shrinks_with_what_is_left_out() {
    let plan = plan_of_three(&[2, 4]);
    let mut bench = FakeBench::new();
    let (_, run, _root) = conduct_with(&plan, &mut bench, &[&[true, false], &[true, false], &[true, true]]);
    let turns = |block: usize, variant: &str| {
        let lines = run.blocks()[block].slices.iter();
        lines.filter(|line| line.phase == Phase::WarmUp && line.measured.variant == variant).count()
    };
    assert_eq!((turns(0, "b"), turns(1, "b")), (turns(0, "c"), turns(0, "b")));
    assert!(turns(0, "a") > 0 && turns(1, "a") == 0);
}

/// A claim at one of two load points is settled: the other point goes on, for all variants that its claims need.
#[test]
fn a_load_point_whose_claims_are_settled_is_left_out() {
    let mut plan = plan(&[2, 4]);
    plan.points.push(LoadPoint { label: "64c".into(), ..plan.points[0].clone() });
    let mut bench = FakeBench::new();
    // claims_of keeps the first load point's claim only.
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), &plan, &Environment::default(), 1).expect("a record");
    let selector = |v: &Variant| proofload_stats::Selector { name: v.name.clone(), levels: Vec::new() };
    let names = proofload_stats::Names {
        variants: plan.variants.iter().map(selector).collect(),
        points: vec!["8c".into(), "64c".into()],
        ..proofload_stats::Names::default()
    };
    let claims = proofload_stats::parse_claim("more", "throughput(b) > throughput(a)", &names).expect("two");
    assert_eq!(claims.len(), 2);
    let mut look =
        |_: &Path| Ok(Judgement { claims: vec![judged(true), judged(false)], ..Judgement::default() });
    let ending = Runner {
        plan: &plan,
        design: &proofload_analysis::design_of(&plan),
        claims: &claims,
        bench: &mut bench,
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
    let run = Run::open(record.path()).expect("readable");
    let labels: Vec<Vec<&str>> = run
        .blocks()
        .iter()
        .map(|block| {
            let mut labels: Vec<&str> = block
                .slices
                .iter()
                .filter(|slice| slice.phase == Phase::Measure)
                .map(|slice| slice.measured.point.as_str())
                .collect();
            labels.dedup();
            labels
        })
        .collect();
    assert!(labels[0].contains(&"8c") && labels[0].contains(&"64c"), "{labels:?}");
    assert_eq!(labels[1..], [["64c"], ["64c"], ["64c"]]);
    assert_eq!(run.blocks().len(), 4);
}

#[test]
fn what_no_claim_ever_spoke_of_goes_on_for_its_figures() {
    let claims = claims_of(&plan_of_three(&[2, 4]));
    let mut participants = Participants::new(4);
    let judgement = Judgement { claims: vec![judged(true), judged(false)], ..Judgement::default() };
    assert!(participants.skip_settled(&claims, &judgement, 1));
    assert!(!participants.skip_settled(&claims, &judgement, 1), "told once");
    participants.begin_block();
    assert_eq!(participants.skipped(), [(0, 0)]);
    assert!(participants.takes_part(3) && participants.takes_part_at(3, 0) && !participants.takes_part(0));
    let all = Judgement { claims: vec![judged(true), judged(true)], ..Judgement::default() };
    assert!(!participants.skip_settled(&claims, &all, 1), "nothing is left out where nothing is open");
    assert!(participants.skipped().is_empty());
}
