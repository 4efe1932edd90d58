use super::*;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::Ordering;

static GO: AtomicBool = AtomicBool::new(false);

/// Set in a child of these tests: the path of the lock that it takes and keeps until its input ends.
const CHILD: &str = "PROOFLOAD_TEST_LOCK";

fn take(path: &Path, who: &str) -> Result<MeasuringLock, LockError> {
    MeasuringLock::acquire_at(path, who, Wait::No, &GO, &mut |_| {})
}

#[test]
fn the_child_of_the_other_tests() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let lock = take(Path::new(&path), "study in another process").unwrap();
    println!("\nholding");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    drop(lock);
}

/// A process that holds the lock, and the rest of what it prints.
fn holding_child(path: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lock::tests::the_child_of_the_other_tests", "--nocapture", "--test-threads=1"])
        .env(CHILD, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while line.trim() != "holding" {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the child ended without the lock");
    }
    (child, output)
}

#[test]
fn the_second_leaves_and_names_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let first = take(&path, "study tomcat-connectors").unwrap();
    let error = take(&path, "study other").unwrap_err();
    let LockError::Held(holder) = &error else { panic!("{error}") };
    assert_eq!((holder.pid, holder.who.as_str()), (Some(std::process::id()), "study tomcat-connectors"));
    assert!(error.to_string().contains("(study tomcat-connectors) since 20"), "{error}");
    drop(first);
    drop(take(&path, "study other").unwrap());
}

#[test]
fn the_lock_is_free_once_its_holder_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let (mut child, _output) = holding_child(&path);
    assert_eq!(holder_at(&path).unwrap().unwrap().pid, Some(child.id()));
    assert!(matches!(take(&path, "second"), Err(LockError::Held(_))));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(holder_at(&path).unwrap(), None, "the text is still there, the holder is not");
    drop(take(&path, "second").unwrap());
}

#[test]
fn the_second_waits_is_told_for_whom_and_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let (mut child, _output) = holding_child(&path);
    let mut stdin = child.stdin.take();
    let mut told = Vec::new();
    let lock = MeasuringLock::acquire_at(&path, "second", Wait::Forever, &GO, &mut |waiting| {
        told.push(waiting.clone());
        // Only now may the first end, so the second has certainly waited.
        if let Some(mut stdin) = stdin.take() {
            stdin.write_all(b"\n").unwrap();
        }
    })
    .unwrap();
    assert_eq!(told[0].0.who, "study in another process");
    assert!(child.wait().unwrap().success());
    drop(lock);
}

#[test]
fn waiting_ends_at_its_deadline_or_when_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let _first = take(&path, "first").unwrap();
    let deadline_ns = clock::monotonic_ns() + 1_000_000;
    let wait = Wait::Until(deadline_ns);
    let late = MeasuringLock::acquire_at(&path, "second", wait, &GO, &mut |_| {}).unwrap_err();
    assert!(matches!(late, LockError::Held(_)), "{late}");
    let stop = AtomicBool::new(false);
    let stopped = MeasuringLock::acquire_at(&path, "second", Wait::Forever, &stop, &mut |_| {
        stop.store(true, Ordering::Relaxed);
    })
    .unwrap_err();
    assert!(stopped.to_string().contains("first"), "{stopped}");
}

#[test]
fn everybody_may_open_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    drop(take(&path, "first").unwrap());
    let found = std::fs::metadata(&path).unwrap();
    assert_eq!((found.permissions().mode() & 0o777, found.size()), (0o666, 0));
}

#[test]
fn a_link_a_folder_and_a_pipe_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("precious");
    std::fs::write(&target, "precious").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let hard = folder.path().join("hard");
    std::fs::hard_link(&target, &hard).unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    for path in [&link, &hard, &pipe, &folder.path().to_path_buf()] {
        let error = take(path, "first").unwrap_err();
        assert!(matches!(error, LockError::NotAFile { .. }), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "precious");
}

#[test]
fn nobody_holds_a_lock_that_was_never_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    assert_eq!(holder_at(&path).unwrap(), None);
    assert!(!path.exists(), "looking leaves no trace");
}

#[test]
fn a_strangers_text_cannot_reach_the_terminal() {
    let holder = parse_holder("12\n1700000000000000000\nnice \x1b[2J study\u{7}\nmore");
    assert_eq!(holder.who, "nice [2J study");
    assert_eq!(holder.to_string(), "process 12 (nice [2J study) since 2023-11-14 22:13:20 UTC");
    assert_eq!(parse_holder("garbage").to_string(), "another process");
    assert_eq!(parse_holder("99999999999999999999\n1\nx"), Holder::default());
    assert_eq!(parse_holder(&format!("1\n{}\nx", u64::MAX)).pid, Some(1));
}
