//! The race that cannot be provoked from outside: between reading a name and opening its file.

use super::*;
use crate::RunWriter;
use crate::schema::FORMAT_VERSION;

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
    run.read_block(1, false, &mut Room::default()).unwrap();
    assert_eq!((run.blocks()[0].slices.len(), run.excluded().len()), (3, 0));
    let missing = run.read_block(2, false, &mut Room::default());
    assert!(matches!(missing, Err(StoreError::Io { .. })), "it has no name at all");
}

#[test]
fn blocks_have_room_together_and_each_line_takes_at_least_a_slice() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = begun(root.path());
    write_block(&mut writer, 1, 2);
    fs::write(layout::partial_block(writer.path(), 2), format!("{{\"format\":{FORMAT_VERSION}}}\n")).unwrap();
    let opens = |room: &u64| Run::open_small(writer.path(), *room).is_ok();
    let enough = (0..1 << 20).step_by(64).find(opens).unwrap();
    assert_eq!(Run::open_small(writer.path(), enough).unwrap().last_block(), 2);
    assert!(enough >= 3 * size_of::<Slice>() as u64, "{enough}");
    let refused = Run::open_small(writer.path(), enough - 64).unwrap_err();
    assert!(matches!(refused, StoreError::TooLarge { .. }), "{refused}");
    assert!(refused.to_string().contains("0002.partial.jsonl, more than any study leaves"), "{refused}");
}
