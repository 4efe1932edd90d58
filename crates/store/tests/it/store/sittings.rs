//! A run that was cut off and goes on.

use crate::store::fixture::{STARTED_NS, plan, slices, write, write_block};
use proofload_stats::Measure;
use proofload_store::schema::{Plan, PlannedCondition, RunState};
use proofload_store::{Run, RunWriter, StoreError, conditions_of, joined};

const LATER_NS: u64 = STARTED_NS + 3_600_000_000_000;

/// A run of one whole block whose second one was begun when it ended.
fn cut_off(root: &std::path::Path) -> RunWriter {
    let mut run = write(root, &plan(), 1);
    run.begin_block(2).unwrap().append(&slices(2)[0]).unwrap();
    run
}

#[test]
fn a_killed_run_goes_on_and_tells_when_it_was_conducted() {
    let root = tempfile::tempdir().unwrap();
    let path = cut_off(root.path()).path().to_path_buf();
    let accepted = vec!["another kernel".to_string()];
    let (mut writer, run) = RunWriter::reopen(&path, LATER_NS, accepted.clone()).unwrap();
    assert_eq!((run.last_block(), run.blocks().len()), (2, 1));
    write_block(&mut writer, 3);
    writer.set_status(RunState::Finished, "", LATER_NS + 7).unwrap();
    drop(writer);
    let status = Run::open(&path).unwrap().status().clone();
    let told: Vec<_> = status.sittings.iter().map(|s| (s.state.name(), s.cut_block)).collect();
    assert_eq!(told, [("killed", Some(2)), ("finished", None)]);
    assert_eq!(status.sittings[0].began_unix_ns, STARTED_NS);
    let last_slice = &slices(2)[0];
    let end_ns = last_slice.started_unix_ns + (last_slice.measured.seconds * 1e9) as u64;
    assert_eq!(status.sittings[0].ended_unix_ns, Some(end_ns));
    assert_eq!(status.sittings[1].ended_unix_ns, Some(LATER_NS + 7));
    assert_eq!(status.sittings[1].differences, accepted);
    assert_eq!((status.state.name(), status.why.as_str()), ("finished", ""));
}

#[test]
fn a_block_that_was_cut_off_is_to_the_judge_as_if_it_had_never_begun() {
    let root = tempfile::tempdir().unwrap();
    let path = cut_off(root.path()).path().to_path_buf();
    let seen = |path| Run::open(path).unwrap().observations(&[Measure::Throughput]).unwrap();
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
    let seen = Run::open(&path).unwrap().observations(&[Measure::Throughput]).unwrap();
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
    let seen = joined(&runs, &[Measure::Throughput]).unwrap();
    assert_eq!(seen.conditions, [[0, 0, 1, 1], [0, 1, 1, 0]]);
    assert_eq!(seen.sittings, [1, 1, 2, 2]);
}

#[test]
fn the_block_that_is_being_measured_is_neither_whole_nor_lost() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = cut_off(root.path());
    let path = writer.path().to_path_buf();
    let taken = |path| {
        let mut run = Run::open(path).unwrap();
        let block = run.take_current().map(|block| (block.number, block.slices.len()));
        (block, run.excluded().len(), run.blocks().len())
    };
    assert_eq!(taken(&path), (Some((2, 1)), 0, 1));
    writer.note_lost(2).unwrap();
    assert_eq!(taken(&path), (None, 1, 1), "its servers lost it");
    write_block(&mut writer, 3);
    assert_eq!(taken(&path), (None, 1, 2), "no block is being measured");
    drop(writer);
    let killed = cut_off(root.path()).path().to_path_buf();
    assert_eq!(taken(&killed), (None, 1, 1), "nobody measures it any more");
}

#[test]
fn two_do_not_conduct_one_run() {
    let root = tempfile::tempdir().unwrap();
    let writer = cut_off(root.path());
    let path = writer.path().to_path_buf();
    assert!(Run::open(&path).unwrap().is_running());
    let refused = RunWriter::reopen(&path, LATER_NS, Vec::new()).unwrap_err();
    assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
    assert_eq!(Run::open(&path).unwrap().status().sittings.len(), 1, "nothing was changed");
    drop(writer);
    assert!(!Run::open(&path).unwrap().is_running());
    RunWriter::reopen(&path, LATER_NS, Vec::new()).unwrap();
}

/// Records of before there were sittings have none.
#[test]
fn a_record_without_sittings_goes_on_too() {
    let root = tempfile::tempdir().unwrap();
    let path = cut_off(root.path()).path().to_path_buf();
    std::fs::write(path.join("status.json"), "{\"state\": \"running\", \"why\": \"\"}").unwrap();
    let (_writer, run) = RunWriter::reopen(&path, LATER_NS, Vec::new()).unwrap();
    let sittings = &run.status().sittings;
    assert_eq!(sittings.len(), 2);
    assert_eq!((sittings[0].state.name(), sittings[0].cut_block), ("killed", Some(2)));
    assert_eq!(sittings[0].began_unix_ns, slices(1)[0].started_unix_ns);
}
