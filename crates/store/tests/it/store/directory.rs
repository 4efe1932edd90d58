//! Layout of a run on disk.

use crate::store::fixture::{STARTED_NS, environment, plan, slices, write};
use proofload_facts::Finding;
use proofload_store::schema::{Plan, RunResult, RunState};
use proofload_store::{Run, RunWriter, StoreError};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn names(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn the_plan_is_on_disk_before_the_first_start_and_nobody_else_can_read_it() {
    let root = tempfile::tempdir().unwrap();
    let run = RunWriter::create(root.path(), &plan(), &environment(), STARTED_NS).unwrap();
    assert_eq!(
        names(run.path()),
        set(&["blocks", "environment.json", "lock", "logs", "plan.json", "status.json"])
    );
    let study = root.path().join("runs/fixture");
    for directory in [&root.path().join("runs"), &study, run.path(), &run.path().join("blocks")] {
        assert_eq!(fs::metadata(directory).unwrap().permissions().mode() & 0o777, 0o700, "{directory:?}");
    }
    let read = Run::open(run.path()).unwrap();
    assert_eq!(*read.plan(), plan());
    assert_eq!(*read.environment(), environment());
    assert_eq!(read.status().state, RunState::Running);
    assert!(run.path().file_name().unwrap().to_str().unwrap().starts_with("20260131T120000.000Z-"));
}

#[test]
fn latest_points_to_the_newest_run_and_can_be_opened() {
    let root = tempfile::tempdir().unwrap();
    let first = write(root.path(), &plan(), 0);
    let second = write(root.path(), &plan(), 1);
    assert_ne!(first.path(), second.path());
    for path in ["runs/fixture/latest", "runs/fixture"] {
        let opened = Run::open(&root.path().join(path)).unwrap();
        assert_eq!(opened.path(), fs::canonicalize(second.path()).unwrap());
    }
    // A link that survives a move of the whole tree names its sibling alone.
    let target = fs::read_link(root.path().join("runs/fixture/latest")).unwrap();
    assert_eq!(target.components().count(), 1);
}

#[test]
fn runs_that_begin_together_stay_apart() {
    let root = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..8).for_each(|_| drop(write(root.path(), &plan(), 0))));
        }
    });
    let study = root.path().join("runs/fixture");
    assert_eq!(names(&study).len(), 4 * 8 + 1);
    Run::open(&study).unwrap();
}

#[test]
fn a_hostile_study_name_stays_under_runs() {
    let root = tempfile::tempdir().unwrap();
    let inner = root.path().join("inner");
    for study in ["../../escape", "/etc/escape", "..", "a/../../b", "\0"] {
        let plan = Plan { study: study.to_string(), ..plan() };
        let run = RunWriter::create(&inner, &plan, &environment(), STARTED_NS).unwrap();
        assert!(run.path().starts_with(inner.join("runs")), "{:?}", run.path());
        assert_eq!(run.path().strip_prefix(inner.join("runs")).unwrap().components().count(), 2);
    }
    assert_eq!(names(root.path()), set(&["inner"]));
}

#[test]
fn a_block_counts_when_it_is_finished_and_not_before() {
    let root = tempfile::tempdir().unwrap();
    let mut run = write(root.path(), &plan(), 1);
    let mut block = run.begin_block(2).unwrap();
    block.append(&slices(2)[0]).unwrap();
    let open = Run::open(run.path()).unwrap();
    drop(block);
    assert_eq!(names(&run.path().join("blocks")), set(&["0001.jsonl", "0002.partial.jsonl"]));
    for read in [open, Run::open(run.path()).unwrap()] {
        assert_eq!(read.blocks().iter().map(|block| block.number).collect::<Vec<_>>(), [1]);
        assert_eq!(read.blocks()[0].slices, slices(1));
        assert_eq!(read.excluded().len(), 1);
        assert_eq!(read.excluded()[0].slices, slices(2)[..1]);
        assert_eq!(read.excluded()[0].damage, None);
    }
    assert!(matches!(run.begin_block(2), Err(StoreError::Io { .. })), "no number twice");
}

#[test]
fn the_end_of_a_run_is_written_with_its_result_and_texts() {
    let root = tempfile::tempdir().unwrap();
    let mut run = write(root.path(), &plan(), 0);
    let result = RunResult { study: "fixture".to_string(), ..RunResult::default() };
    run.set_status(RunState::Interrupted, Some(&Finding::StoppedBySignal), STARTED_NS + 5).unwrap();
    run.write_result(&result).unwrap();
    run.write_text("report.md", "old").unwrap();
    run.write_text("report.md", "# new\n").unwrap();
    let status = Run::open(run.path()).unwrap().status().clone();
    assert_eq!((status.state.name(), status.why.as_ref()), ("interrupted", Some(&Finding::StoppedBySignal)));
    assert_eq!(status.sittings[0].ended_unix_ns, Some(STARTED_NS + 5));
    assert_eq!(fs::read_to_string(run.path().join("report.md")).unwrap(), "# new\n");
    let stored: RunResult =
        serde_json::from_slice(&fs::read(run.path().join("result.json")).unwrap()).unwrap();
    assert_eq!(stored, result);
    for name in ["../x", "/x", "", ".", "..", "a/b", ".hidden", "a\0b"] {
        assert!(matches!(run.write_text(name, ""), Err(StoreError::Name { .. })), "{name:?}");
    }
    let left: Vec<_> = names(run.path()).into_iter().filter(|name| name.ends_with(".new")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn logs_of_all_variants_and_blocks_have_their_own_names() {
    let root = tempfile::tempdir().unwrap();
    let run = write(root.path(), &plan(), 0);
    let name = |block, variant| run.log_path(block, variant).file_name().unwrap().to_owned();
    assert_eq!(name(3, "connector=nio2"), "0003-connector=nio2.log");
    let all: BTreeSet<_> = [name(1, "a/b"), name(1, "a:b"), name(2, "a/b"), name(1, "../a/b")].into();
    assert_eq!(all.len(), 4);
    assert_eq!(run.log_path(1, "../../x").parent().unwrap(), run.path().join("logs"));
}

#[test]
fn credentials_do_not_reach_the_plan_on_disk() {
    let root = tempfile::tempdir().unwrap();
    let mut plan = plan();
    // Of the text the study takes them out, which knows what is a value there.
    plan.arguments = vec!["-H".to_string(), "Authorization: Basic c2VjcmV0".to_string()];
    plan.workload = vec!["GET http://me:hunter2@host/".to_string()];
    plan.variants[0].command = vec!["server".to_string(), "--password=hunter2".to_string()];
    let run = write(root.path(), &plan, 0);
    let text = fs::read_to_string(run.path().join("plan.json")).unwrap();
    assert!(!text.contains("hunter2") && !text.contains("c2VjcmV0"), "{text}");
    assert!(text.contains("[redacted]"));
}

#[test]
fn what_is_noticed_is_on_disk_at_once_without_credentials_and_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    proofload_store::note(root.path(), "block 1: a ended by KILL").unwrap();
    proofload_store::note(root.path(), "b was lost: Authorization: Bearer zQ9secret").unwrap();
    let path = root.path().join("noticed.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("block 1: a ended by KILL\nb was lost: ") && text.ends_with('\n'), "{text}");
    assert!(!text.contains("zQ9"), "{text}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}
