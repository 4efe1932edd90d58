//! A run that was cut off and goes on.

use crate::store::fixture::{STARTED_NS, plan, slices, write, write_block};
use proofload_facts::Finding;
use proofload_store::schema::RunState;
use proofload_store::{Run, RunWriter, StoreError};

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
    let accepted = vec![Finding::NoProcess];
    let (mut writer, run) = RunWriter::reopen(&path, LATER_NS, accepted.clone()).unwrap();
    assert_eq!((run.last_block(), run.blocks().len()), (2, 1));
    write_block(&mut writer, 3);
    writer.set_status(RunState::Finished, None, LATER_NS + 7).unwrap();
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
    assert_eq!((status.state.name(), status.why), ("finished", None));
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
