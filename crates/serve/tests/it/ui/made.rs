//! Records to show: copies of a published one under other names.

use proofload_report::of_run;
use proofload_store::schema::{Environment, Plan, RunState, Slice};
use proofload_store::{Run, RunWriter};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Start of the first of them.
const BEGAN_UNIX_NS: u64 = 1_790_000_000_000_000_000;
const HOUR_NS: u64 = 3_600_000_000_000;

/// The record that all are made of.
pub fn original() -> &'static Run {
    static ORIGINAL: OnceLock<Run> = OnceLock::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproductions/java-servers");
    ORIGINAL.get_or_init(|| Run::open(&path).expect("a record"))
}

/// A run that was begun, in the hour of that number, with its first blocks.
pub fn begun(root: &Path, study: &str, hour: u64, blocks: usize) -> RunWriter {
    let plan = Plan { study: study.to_string(), ..original().plan().clone() };
    let environment = Environment { kernel: format!("6.{hour}"), ..original().environment().clone() };
    let mut writer =
        RunWriter::create(root, &plan, &environment, BEGAN_UNIX_NS + hour * HOUR_NS).expect("a record");
    for block in 1..=blocks {
        let mut file = writer.begin_block(block as u32).expect("a block");
        slices(block).iter().for_each(|slice| file.append(slice).expect("written"));
        file.finish().expect("whole");
    }
    if let Some(slicing) = original().slicing() {
        writer.write_slicing(slicing).expect("written");
    }
    writer
}

/// The slices of a block of the original.
pub fn slices(block: usize) -> Vec<Slice> {
    let block = &original().blocks()[block - 1];
    block.slices.iter().map(|slice| Slice { block: block.number, ..slice.clone() }).collect()
}

/// Ends a run as Proofload does.
pub fn end(mut writer: RunWriter) -> PathBuf {
    let path = writer.path().to_path_buf();
    writer.set_status(RunState::Finished, None, BEGAN_UNIX_NS + 2 * HOUR_NS).expect("written");
    let result = of_run(&Run::open(&path).expect("a record")).expect("a result");
    writer.write_result(&result).expect("written");
    path
}

/// A whole run.
pub fn run(root: &Path, study: &str, hour: u64) -> PathBuf {
    end(begun(root, study, hour, original().blocks().len()))
}

/// The name of its folder.
pub fn id(run: &Path) -> String {
    run.file_name().expect("a name").to_string_lossy().into_owned()
}
