//! What cannot be had from outside: the moment between reading a name and opening its file.

use super::*;
use crate::RunWriter;

fn begun(root: &Path) -> RunWriter {
    let plan = Plan { format: FORMAT_VERSION, study: "shop".to_string(), ..Plan::default() };
    RunWriter::create(root, &plan, &Environment::default(), 1_769_860_800_000_000_000).unwrap()
}

fn write_block(writer: &mut RunWriter, number: u32, lines: usize) {
    let mut block = writer.begin_block(number).unwrap();
    let slice = Slice { format: FORMAT_VERSION, block: number, phase: Phase::Measure, ..Slice::default() };
    (0..lines).for_each(|_| block.append(&slice).unwrap());
    block.finish().unwrap();
}

#[test]
fn a_block_that_is_finished_while_the_run_is_read_counts() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = begun(root.path());
    let mut run = Run::open(writer.path()).unwrap();
    write_block(&mut writer, 1, 3);
    // The name that it had before.
    run.read_block(1, false).unwrap();
    assert_eq!((run.blocks()[0].slices.len(), run.excluded().len()), (3, 0));
    assert!(matches!(run.read_block(2, false), Err(StoreError::Io { .. })), "it has no name at all");
}
