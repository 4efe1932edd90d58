//! Telemetry of real JVMs that collect and work as they are told.

use proofload_host::{clock, jdk};
use proofload_store::schema::{SubjectUse, Telemetry};
use proofload_telemetry::{Checkpointer, Sampler, Target, Tree, hsperf};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const SECOND_NS: u64 = 1_000_000_000;
/// Collectors, and whether they count full collections apart.
const COLLECTORS: [(&str, bool); 4] =
    [("UseSerialGC", true), ("UseParallelGC", true), ("UseG1GC", true), ("UseZGC", false)];

struct Workers {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Workers {
    fn start(jdk: &jdk::Jdk, collector: &str) -> Workers {
        Workers::run(jdk, &[&format!("-XX:+{collector}"), "testdata/jvm/Workers.java"])
    }

    fn run(jdk: &jdk::Jdk, arguments: &[&str]) -> Workers {
        let mut child = Command::new(jdk.home.join("bin/java"))
            .args(["-Xmx64m", "-XX:+UsePerfData"])
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut workers = Workers { child, stdin, stdout };
        assert_eq!(workers.answer(), "ready");
        workers
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim().to_string()
    }

    fn tell(&mut self, what: &str) {
        writeln!(self.stdin, "{what}").unwrap();
        assert_eq!(self.answer(), "done");
    }

    /// Telemetry during all of that, with one checkpoint in the midst of it.
    fn observed(&mut self, lines: &[&str]) -> (SubjectUse, Telemetry) {
        let tree = Tree::of(self.child.id());
        let target = Target { tree: &tree, loaded_ports: &[] };
        let sampler = Sampler { target, discard_ns: SECOND_NS, window_ns: None, thorough: true };
        let stop = AtomicBool::new(false);
        let checkpointer =
            Checkpointer { tree: &tree, every_ns: SECOND_NS, length_ns: 2 * SECOND_NS, stop: &stop };
        let (start_ns, done) = (clock::monotonic_ns() + SECOND_NS, AtomicBool::new(false));
        let window_start_ns = AtomicU64::new(start_ns);
        std::thread::scope(|scope| {
            let sampling = scope.spawn(|| sampler.run(&window_start_ns, &done));
            let checking = scope.spawn(|| checkpointer.run(&window_start_ns, &done));
            clock::sleep_until(start_ns, &stop);
            // Its checkpoint is over before the load is.
            let checkpoints = checking.join().unwrap();
            lines.iter().for_each(|line| self.tell(line));
            let end_ns = clock::monotonic_ns();
            done.store(true, Ordering::Relaxed);
            let (mut used, mut telemetry) = sampling.join().unwrap().digest(start_ns, end_ns).unwrap();
            checkpoints.enter(&mut used, &mut telemetry, start_ns);
            (used, telemetry)
        })
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn jdks() -> Vec<jdk::Jdk> {
    let found: Vec<jdk::Jdk> =
        jdk::find_all().into_iter().filter(|jdk| jdk.has_compiler && jdk.major >= 17).collect();
    assert!(!found.is_empty(), "a JDK is needed: apt-get install openjdk-17-jdk-headless");
    found
}

#[test]
#[ignore = "full: starts a JVM of every JDK with every collector"]
fn full_collections_of_a_jvms_own_are_counted_and_the_forced_ones_are_not() {
    for jdk in jdks() {
        for (collector, counts) in COLLECTORS {
            let (used, telemetry) = Workers::start(&jdk, collector).observed(&["gc", "gc"]);
            let said = format!("{jdk} {collector}: {used:?} {telemetry:?}");
            println!("{said}");
            assert_eq!(telemetry.checkpoints.len(), 1, "{said}");
            assert!(telemetry.checkpoints[0].live_bytes > Some(0), "{said}");
            assert_eq!(telemetry.checkpoints[0].forced_full_gcs, counts.then_some(1), "{said}");
            assert_eq!(used.full_gc_count, counts.then_some(2), "{said}");
        }
    }
}

#[test]
#[ignore = "full: starts a JVM of every JDK"]
fn work_that_is_spread_evenly_over_a_jvms_threads_is_told_from_work_that_is_not() {
    for jdk in jdks() {
        let mut workers = Workers::start(&jdk, "UseParallelGC");
        let mut balance = |lines: &[&str]| {
            let (used, telemetry) = workers.observed(lines);
            println!("{jdk}: {:?} {:?}", used.worker_balance, telemetry.threads);
            used.worker_balance.unwrap()
        };
        let even = balance(&["400 400 400 400"]);
        assert!(even > 0.99, "{even}");
        // (600 + 3 · 20)² / (4 · (600² + 3 · 20²)) = 0.301.
        let uneven = balance(&["600 20 20 20"]);
        assert!((0.28..0.33).contains(&uneven), "{uneven}");
        let three = balance(&["400 400 400 0"]);
        assert!((0.73..0.77).contains(&three), "{three}");
    }
}

/// Value of this name in a JVM's performance data.
fn counted(pid: u32, name: &str) -> Option<i64> {
    let users = std::fs::read_dir("/tmp").unwrap().flatten().map(|entry| entry.path());
    let mut files = users.map(|folder| folder.join(pid.to_string()));
    let bytes = files.find_map(|file| std::fs::read(file).ok())?;
    let counters = hsperf::parse(&bytes).unwrap();
    counters.list.into_iter().find(|counter| counter.name == name).map(|counter| counter.value)
}

#[test]
#[ignore = "full: starts a JVM of every JDK"]
fn contended_locks_are_counted_within_a_jvm_as_those_count_them_that_do() {
    for jdk in jdks() {
        let classes = tempfile::tempdir().unwrap();
        let compiled = Command::new(jdk.home.join("bin/javac"))
            .args(["../../subjects/java/LockCounter.java", "testdata/jvm/Contend.java", "-d"])
            .arg(classes.path())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status();
        assert!(compiled.unwrap().success(), "{jdk}");
        let exports = "--add-exports=java.base/jdk.internal.perf=ALL-UNNAMED";
        let path = classes.path().display().to_string();
        let mut jvm = Workers::run(&jdk, &[exports, "-cp", &path, "LockCounter", "Contend"]);
        let (alone, _) = jvm.observed(&["own"]);
        assert!(alone.contended_locks < Some(50), "{jdk}: {alone:?}");
        // Threads that ended keep what they counted: the second round adds to the first.
        let (used, _) = jvm.observed(&["one", "one"]);
        let within = counted(jvm.child.id(), "proofload.contendedLocks").unwrap();
        let by_the_jvm = counted(jvm.child.id(), "sun.rt._sync_ContendedLockAttempts");
        println!(
            "{jdk}: {:?} apart, {:?} together; {within} within, {by_the_jvm:?} by the JVM",
            alone.contended_locks, used.contended_locks
        );
        assert!(used.contended_locks > Some(400), "{jdk}: {used:?}");
        assert_eq!(by_the_jvm.is_some(), jdk.major <= 21, "{jdk}");
        if let Some(by_the_jvm) = by_the_jvm {
            assert!((by_the_jvm * 9 / 10..=by_the_jvm + 50).contains(&within), "{within} and {by_the_jvm}");
        }
    }
}
