use super::*;
use proofload_host::{clock, jdk};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Barrier;

fn sample(at_ns: u64, cpu_ns: u64) -> TreeSample {
    TreeSample { at_ns, cpu_ns, processes: 1, ..TreeSample::default() }
}

#[test]
fn what_was_used_is_the_difference_of_counters_and_the_state_at_the_end() {
    let earlier = TreeSample {
        rss_bytes: 10,
        jvm_use: JvmUse { jit_ns: Some(5), ..JvmUse::default() },
        ..sample(100, 40)
    };
    let later = TreeSample {
        rss_bytes: 12,
        threads: 3,
        descriptors: Some(9),
        jvm_use: JvmUse { jit_ns: Some(8), gc_ns: Some(1), gc_count: Some(1), ..JvmUse::default() },
        ..sample(200, 70)
    };
    let used = later.since(&earlier);
    assert_eq!((used.cpu_ns, used.rss_bytes, used.threads), (Some(30), Some(12), Some(3)));
    assert_eq!((used.descriptors, used.jit_ns), (Some(9), Some(3)));
    assert_eq!((used.gc_ns, used.gc_count), (None, None), "what was not known before has no difference");
}

#[test]
fn a_share_is_of_one_core() {
    assert_eq!(idle_share(&sample(0, 0), &sample(1_000, 20)), 0.02);
    assert_eq!(idle_share(&sample(0, 0), &sample(1_000, 2_000)), 2.0);
    assert_eq!(idle_share(&sample(5, 1), &sample(5, 9)), 0.0, "no time has passed");
}

/// Prints the cost of a sample; nothing is asserted about time.
#[test]
fn the_cost_of_a_sample_is_printed() {
    const SAMPLES: u64 = 50;
    let tree = Tree::of(std::process::id());
    for threads in [0, 200] {
        let barrier = Barrier::new(threads + 1);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| barrier.wait());
            }
            let begun_ns = clock::monotonic_ns();
            for _ in 0..SAMPLES {
                std::hint::black_box(tree.sample());
            }
            let each_us = (clock::monotonic_ns() - begun_ns) / SAMPLES / 1_000;
            println!("a sample of a process with {threads} more threads: {each_us} µs");
            barrier.wait();
        });
    }
}

#[test]
#[ignore = "full: starts a JVM of every JDK"]
fn a_real_jvm_shows_its_compilers_and_collectors() {
    let jdks: Vec<jdk::Jdk> =
        jdk::find_all().into_iter().filter(|jdk| jdk.has_compiler && jdk.major >= 11).collect();
    assert!(!jdks.is_empty(), "a JDK is needed: apt-get install openjdk-17-jdk-headless");
    for jdk in jdks {
        let mut child = Command::new("sh")
            .args(["-c", "\"$1\" -Xmx128m testdata/hsperf/Churn.java; :", "sh"])
            .arg(jdk.home.join("bin/java"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let tree = Tree::of(child.id());
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("done"), "{jdk}: {line}");
        let sample = tree.sample();
        println!("{jdk}: {sample:?}");
        assert!(sample.jvm && sample.processes == 2 && sample.threads > 5, "{sample:?}");
        let jvm = &sample.jvm_use;
        assert!(jvm.jit_ns > Some(0) && jvm.gc_ns > Some(0) && jvm.gc_count > Some(1), "{sample:?}");
        assert!(sample.cpu_ns > sample.jvm_use.gc_count.unwrap_or(0));
        child.stdin.take().unwrap().write_all(b"\n").unwrap();
        child.wait().unwrap();
        let after = tree.sample();
        assert!(
            after.processes == 0
                && after.cpu_ns >= sample.cpu_ns
                && after.jvm_use.jit_ns >= sample.jvm_use.jit_ns,
            "{after:?}"
        );
    }
}
