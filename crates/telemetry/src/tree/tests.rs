use super::*;
use proofload_store::schema::SubjectUse;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Keeps a shell busy for some tens of milliseconds of CPU time, on any machine.
const SPIN: &str = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";

/// A clock tick of /proc, and what its rounding can make of a sum of two.
const TICKS_NS: u64 = 2 * 10_000_000;

/// A child that reports its progress and goes on when it is told to: nothing depends on how fast it is.
struct Script {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Script {
    fn run(program: &str, args: &[&str]) -> Script {
        let mut child =
            Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Script { child, stdin, stdout }
    }

    fn shell(script: &str) -> Script {
        Script::run("sh", &["-c", script])
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the script ended");
        line.trim().to_string()
    }

    fn go_on(&mut self) {
        self.stdin.write_all(b"\n").unwrap();
    }

    fn tree(&self) -> Tree {
        Tree::of(self.child.id())
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn cpu_time_agrees_with_the_kernels_ticks() {
    let mut script = Script::shell(&format!("{SPIN}; echo done; read x"));
    let tree = script.tree();
    assert_eq!(script.line(), "done");
    let sample = tree.sample();
    let ticks_ns = Stat::read(script.child.id()).unwrap().own_ns;
    assert!(ticks_ns > 0, "the script has worked");
    assert!(sample.cpu_ns.abs_diff(ticks_ns) <= 2 * TICKS_NS, "{} against {ticks_ns}", sample.cpu_ns);
    assert_eq!(
        (sample.processes, sample.threads, sample.jvm, sample.jvm_use),
        (1, 1, false, JvmUse::default())
    );
    assert!(sample.rss_bytes > 0 && sample.descriptors >= Some(3));
}

#[test]
fn a_tree_whose_leader_ended_has_no_process() {
    let mut script = Script::shell("sleep 30 >/dev/null & echo $!");
    let orphan: u32 = script.line().parse().unwrap();
    script.child.wait().unwrap();
    let tree = script.tree();
    let (before, after) = (tree.sample(), tree.sample());
    assert_eq!((after.processes, after.since(&before)), (0, SubjectUse::default()));
    let _ = Command::new("kill").arg(orphan.to_string()).status();
}

#[test]
fn children_that_came_and_went_between_samples_are_counted() {
    let mut script = Script::shell(&format!("echo a; read x; ({SPIN}); echo b; read x"));
    let tree = script.tree();
    assert_eq!(script.line(), "a");
    let before = tree.sample();
    script.go_on();
    assert_eq!(script.line(), "b");
    let after = tree.sample();
    let children_ns = Stat::read(script.child.id()).unwrap().children_ns;
    assert!(children_ns > 0, "the shell forked, and waited for its child");
    assert!(after.since(&before).cpu_ns.unwrap() >= children_ns);
    assert_eq!(after.processes, 1);
}

#[test]
fn a_child_that_was_seen_and_ended_counts_once() {
    let mut script = Script::shell(&format!("sh -c '{SPIN}; echo a; read x'; echo b; read x"));
    let tree = script.tree();
    assert_eq!(script.line(), "a");
    let both = tree.sample();
    assert_eq!(both.processes, 2);
    script.go_on();
    assert_eq!(script.line(), "b");
    let one = tree.sample();
    assert_eq!(one.processes, 1);
    assert!(one.cpu_ns >= both.cpu_ns, "never backwards");
    assert!(one.cpu_ns - both.cpu_ns < both.cpu_ns / 2, "twice would double it: {both:?} {one:?}");
}

#[test]
fn a_tree_that_ended_keeps_what_it_used() {
    let mut script = Script::shell(&format!("{SPIN}; echo a; read x"));
    let tree = script.tree();
    script.line();
    let before = tree.sample();
    script.child.kill().unwrap();
    let zombie = tree.sample();
    assert!(zombie.cpu_ns >= before.cpu_ns);
    script.child.wait().unwrap();
    let after = tree.sample();
    assert_eq!((after.processes, after.threads, after.rss_bytes), (0, 0, 0));
    assert!(after.cpu_ns >= before.cpu_ns);
}

#[test]
fn a_process_that_never_was_is_an_empty_tree() {
    let sample = Tree::of(5_000_000).sample();
    assert_eq!((sample.processes, sample.cpu_ns, sample.jvm), (0, 0, false));
}

/// Set in a process of its own for the next test: it has to become the one that daemons fall to.
const CHILD: &str = "PROOFLOAD_TEST_TREE";

#[test]
fn the_child_of_the_next_test() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
    // A daemon: its parent, the subshell, has ended when its number is printed.
    let mut script =
        Script::run("setsid", &["sh", "-c", "n=$(sleep 20 >/dev/null & echo $!); echo $n; read x"]);
    let daemon: i32 = script.line().parse().unwrap();
    let tree = script.tree();
    let sample = tree.sample();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(daemon).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    assert_eq!(sample.processes, 2, "{sample:?}");
}

#[test]
fn a_daemon_of_the_roots_session_is_found_at_the_roots_parent() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tree::tests::the_child_of_the_next_test", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn tracked(pid: u32, parent: u32, own_ns: u64) -> Tracked {
    Tracked {
        pid,
        name: String::new(),
        zombie: false,
        work: Work::default(),
        start_ticks: 1,
        parent,
        clock: None,
        own_ns,
        waited_ns: 0,
        waited_before_ns: 0,
        ended_ns: 0,
        jvm: None,
        jvm_use: JvmUse::default(),
    }
}

fn total(known: &Known) -> u64 {
    known.ended_ns + known.processes.iter().map(Tracked::cpu_ns).sum::<u64>()
}

#[test]
fn a_family_that_ended_together_is_charged_to_its_nearest_live_ancestor() {
    let mut root = tracked(1, 0, 100);
    // It waited for the child, which had waited for the grandchild: 10 + 5 in whole ticks is less than they used.
    root.waited_ns = 14;
    let mut known = Known { processes: vec![root], ..Known::default() };
    known.credit_ended(&[tracked(2, 1, 10), tracked(3, 2, 5)]);
    assert_eq!(total(&known), 115);
    // Something that was never seen ends: only the kernel knows.
    known.processes[0].waited_ns = 40;
    assert_eq!(total(&known), 140);
}

#[test]
fn what_the_kernel_charged_before_a_child_ended_is_not_forgotten() {
    let mut root = tracked(1, 0, 0);
    (root.waited_before_ns, root.waited_ns) = (50, 60);
    let mut known = Known { processes: vec![root], ..Known::default() };
    known.credit_ended(&[tracked(2, 1, 10)]);
    assert_eq!(total(&known), 60);
}

#[test]
fn an_orphan_that_ended_keeps_its_time_in_the_tree() {
    let mut known = Known { processes: vec![tracked(1, 0, 7)], ..Known::default() };
    let mut orphan = tracked(9, 4_000_000, 30);
    orphan.jvm_use.gc_count = Some(3);
    known.credit_ended(&[orphan]);
    assert_eq!((total(&known), known.ended_jvm.gc_count), (37, Some(3)));
}

#[test]
fn users_are_found_by_number() {
    let passwd = "root:x:0:0:root:/root:/bin/sh\n+::::\nweb:x:33:33::/:/bin/false\n../x:y:34:0::/:/\n";
    assert_eq!(parse_user(passwd, 33).as_deref(), Some("web"));
    assert_eq!((parse_user(passwd, 34), parse_user(passwd, 1), parse_user("", 0)), (None, None, None));
}
