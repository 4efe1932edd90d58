//! Records of every version, damaged ones and those that went on.

use crate::fixture::{STARTED_NS, environment, plan, slice, slices, snapshot, write, write_block};
use proofload_analysis::{condense, conditions_of, judged, measures_of, observations, points, pooled};
use proofload_stats::Measure;
use proofload_store::schema::{FORMAT_VERSION, Phase, Plan, PlannedCondition, Slice};
use proofload_store::{Run, RunWriter, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

const LATER_NS: u64 = STARTED_NS + 3_600_000_000_000;

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/testdata")
}

/// Files of a run that are copied as they are, and the block that is not.
const COPIED: [&str; 4] = ["plan.json", "environment.json", "status.json", "blocks/0002.partial.jsonl"];
const CONDENSED: &str = "blocks/0001.jsonl.gz";

/// Every fixture, see the tests of `store`.
fn fixtures() -> Vec<String> {
    let of_version = |version| ["", "-newest", "-condensed"].map(|kind| format!("v{version}{kind}"));
    (1..=FORMAT_VERSION).flat_map(of_version).collect()
}

/// A run of one whole block whose second one was begun when it ended.
fn cut_off(root: &Path) -> RunWriter {
    let mut run = write(root, &plan(), 1);
    run.begin_block(2).unwrap().append(&slices(2)[0]).unwrap();
    run
}

#[test]
fn every_stored_version_is_read_and_yields_the_same_figures() {
    for version in fixtures() {
        let run = Run::open(&testdata().join(&version)).unwrap();
        assert_eq!(run.plan().study, "fixture", "{version}");
        let seen = observations(&run, &[Measure::Throughput, Measure::CpuPerRequest]).unwrap();
        assert_eq!((seen.blocks.as_slice(), seen.excluded_blocks), (&[1][..], 1), "{version}");
        let wholes = seen.cells.iter().filter(|cell| cell.stream.is_none());
        let merged: Vec<_> = wholes.map(|cell| cell.merged.unwrap()).collect();
        assert_eq!(merged, [1_026.0, 20_000.0, 1_126.0, 20_000.0], "{version}");
        assert_eq!(points(&run).unwrap()[1].response_time_ns.count, 2_252, "{version}");
    }
}

/// With `UPDATE_FIXTURES=1` it is written anew, from the newest fixture; that the bytes are packed the same is not asked, for
/// what packs them may pack better one day.
#[test]
fn the_condensed_fixture_is_what_is_condensed_today() {
    let root = tempfile::tempdir().unwrap();
    let today = root.path().join("condensed");
    let whole = Run::open(&testdata().join(format!("v{FORMAT_VERSION}-newest"))).unwrap();
    condense(&whole, &[Measure::ResponseQuantile(9900), Measure::ResponseMean], &today).unwrap();
    let committed = testdata().join(format!("v{FORMAT_VERSION}-condensed"));
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::create_dir_all(committed.join("blocks")).unwrap();
        for name in COPIED.iter().chain([&CONDENSED]) {
            fs::copy(today.join(name), committed.join(name)).unwrap();
        }
    }
    let slices = |path: &Path| Run::open(path).unwrap().blocks()[0].slices.clone();
    assert!(slices(&today) == slices(&committed), "slices are condensed differently now");
    assert_eq!(slices(&committed).len(), 4, "no warm-up");
    for name in COPIED {
        let read = |path: &Path| fs::read_to_string(path.join(name)).unwrap();
        assert!(read(&today) == read(&committed), "{name} is written differently now");
    }
}

#[test]
fn a_condensed_record_has_the_first_byte_where_it_is_asked_for() {
    const P95: Measure = Measure::FirstByteQuantile(9500);
    let root = tempfile::tempdir().unwrap();
    let writer = write(root.path(), &plan(), 2);
    let whole = Run::open(writer.path()).unwrap();
    let values = |run: &Run| -> Vec<_> {
        let seen = observations(run, &[P95]).unwrap();
        seen.cells.iter().map(|cell| (cell.cycles.clone(), cell.merged)).collect()
    };
    for (name, measures, is_kept) in
        [("with", &[Measure::ResponseMean, P95][..], true), ("without", &[Measure::ResponseMean], false)]
    {
        let to = root.path().join(name);
        condense(&whole, measures, &to).unwrap();
        let condensed = Run::open(&to).unwrap();
        assert_eq!(values(&condensed) == values(&whole), is_kept, "{name}");
        assert!(values(&whole).iter().all(|(_, merged)| merged.is_some()));
    }
}

#[test]
fn claims_are_judged_on_what_the_record_yields() {
    let run = Run::open(&testdata().join(format!("v{FORMAT_VERSION}"))).unwrap();
    let names = proofload_stats::Names {
        variants: ["nio", "nio2"]
            .map(|name| proofload_stats::Selector {
                name: name.to_string(),
                levels: vec![("connector".to_string(), name.to_string())],
            })
            .to_vec(),
        points: vec!["64c".to_string()],
        ..proofload_stats::Names::default()
    };
    let planned = &run.plan().claims[0];
    let claims = proofload_stats::parse_claim(&planned.name, &planned.text, &names).unwrap();
    assert_eq!(measures_of(&claims), [Measure::Throughput]);
    let design = proofload_stats::Design::at(&[4, 6]);
    let judgement = judged(&run, &claims, &design).unwrap();
    assert_eq!(judgement.claims.len(), 1);
    assert_eq!(judgement.claims[0].verdict, proofload_stats::Verdict::Undecided, "one block of four");
    assert!(!judgement.settled);
}

#[test]
fn a_block_that_was_cut_off_is_to_the_judge_as_if_it_had_never_begun() {
    let root = tempfile::tempdir().unwrap();
    let path = cut_off(root.path()).path().to_path_buf();
    let seen = |path| observations(&Run::open(path).unwrap(), &[Measure::Throughput]).unwrap();
    assert_eq!((seen(&path).blocks, seen(&path).excluded_blocks), (vec![1], 1), "not known yet");
    let (mut writer, _) = RunWriter::reopen(&path, LATER_NS, Vec::new()).unwrap();
    write_block(&mut writer, 3);
    assert_eq!((seen(&path).blocks, seen(&path).excluded_blocks), (vec![1, 2], 0));
    assert!(seen(&path).cells.iter().all(|cell| cell.block <= 2));
    let run = Run::open(&path).unwrap();
    assert_eq!((run.excluded().len(), run.cut_blocks().collect::<Vec<_>>()), (1, vec![2]));
}

#[test]
fn a_block_that_its_servers_lost_still_counts_as_lost() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = cut_off(root.path());
    writer.note_lost(2).unwrap();
    let path = writer.path().to_path_buf();
    drop(writer);
    let (mut writer, run) = RunWriter::reopen(&path, LATER_NS, Vec::new()).unwrap();
    write_block(&mut writer, 3);
    assert_eq!(run.status().sittings[0].cut_block, None);
    let seen = observations(&Run::open(&path).unwrap(), &[Measure::Throughput]).unwrap();
    assert_eq!((seen.blocks, seen.excluded_blocks), (vec![1, 3], 1));
}

/// The first sitting was asked with CPUs awake, the second asleep; the driver varies within both, named in another order.
#[test]
fn several_runs_know_under_which_conditions_each_of_their_blocks_was_measured() {
    let root = tempfile::tempdir().unwrap();
    let condition = |name: &str, levels: &[&str]| PlannedCondition {
        name: name.into(),
        levels: levels.iter().map(ToString::to_string).collect(),
        ..PlannedCondition::default()
    };
    let sitting = |awake: &str, drivers: [&str; 2], only: bool| {
        let mut conditions = vec![condition("cpus_awake", &[awake]), condition("driver", &drivers)];
        conditions.extend(only.then(|| condition("events", &["1"])));
        let condition_order = vec![vec![0, 0, 0], vec![0, 1, 0]];
        let written = write(root.path(), &Plan { conditions, condition_order, ..plan() }, 2);
        Run::open(written.path()).unwrap()
    };
    let runs = [sitting("true", ["epoll", "io_uring"], true), sitting("false", ["io_uring", "epoll"], false)];
    let names: Vec<(String, Vec<String>)> =
        conditions_of(&runs).into_iter().map(|known| (known.name, known.levels)).collect();
    let named = |name: &str, levels: [&str; 2]| (name.to_string(), levels.map(str::to_string).to_vec());
    assert_eq!(names, [named("cpus_awake", ["true", "false"]), named("driver", ["epoll", "io_uring"])]);
    let seen = pooled(&runs, &[Measure::Throughput]).unwrap();
    assert_eq!(seen.conditions, [[0, 0, 1, 1], [0, 1, 1, 0]]);
    assert_eq!(seen.sittings, [1, 1, 2, 2]);
}

#[test]
fn a_histogram_that_cannot_be_read_is_an_error_and_not_a_zero() {
    let root = tempfile::tempdir().unwrap();
    let run = write(root.path(), &plan(), 1).path().to_path_buf();
    let block = run.join("blocks/0001.jsonl");
    let text = fs::read_to_string(&block).unwrap();
    let good = &slices(1)[2].histograms.response_time;
    fs::write(&block, text.replace(good.as_str(), "AAAA")).unwrap();
    let read = Run::open(&run).unwrap();
    assert!(matches!(points(&read), Err(StoreError::Damaged { .. })));
}

#[test]
fn a_variant_that_a_block_lost_has_no_value_there() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(root.path(), &plan(), &environment(), STARTED_NS).unwrap();
    let mut block = writer.begin_block(1).unwrap();
    let fast = snapshot(100, 1_000, 0);
    let lost = Slice { phase: Phase::Lost, ..slice(1, 0, 0, "nio2", &snapshot(0, 0, 0)) };
    for slice in
        [slice(1, 1, 1, "nio", &fast), slice(1, 1, 2, "nio2", &fast), slice(1, 2, 1, "nio", &fast), lost]
    {
        block.append(&slice).unwrap();
    }
    block.finish().unwrap();
    let run = Run::open(writer.path()).unwrap();
    let seen = observations(&run, &[Measure::Throughput]).unwrap();
    assert_eq!(seen.cells.iter().map(|cell| cell.variant).collect::<Vec<_>>(), [0]);
    assert_eq!(points(&run).unwrap().len(), 1);
}
