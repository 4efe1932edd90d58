//! Telemetry of real processes that use a known amount of everything: this executable, started again.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests may")]

use proofload_facts::Finding;
use proofload_host::clock;
use proofload_store::schema::{SubjectUse, Telemetry};
use proofload_telemetry::{Sampler, Target, Tree};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

mod actor;
mod jvm;

/// A subject that does what it is told.
struct Subject {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Subject {
    fn start() -> Subject {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "actor::the_subject_of_the_other_tests", "--nocapture"])
            .env(actor::CHILD, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut subject = Subject { child, stdin, stdout };
        subject.answer();
        subject
    }

    /// Tells it something, and waits until it is done.
    fn tell(&mut self, what: &str) -> String {
        writeln!(self.stdin, "{what}").unwrap();
        self.answer()
    }

    fn answer(&mut self) -> String {
        // The test harness of the child prints something of its own first.
        for _ in 0..10 {
            let mut line = String::new();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the subject ended");
            if let Some((_, answer)) = line.split_once("=> ") {
                return answer.trim().to_string();
            }
        }
        panic!("the subject says other things");
    }

    fn ports(&mut self, what: &str) -> Vec<u16> {
        self.tell(what).split(' ').map(|port| port.parse().unwrap()).collect()
    }

    /// Telemetry while `act` runs.
    fn observed(&mut self, loaded_ports: &[u16], act: impl FnOnce(&mut Subject)) -> (SubjectUse, Telemetry) {
        self.looked_at(true, loaded_ports, act)
    }

    /// The same, with the expensive readings beside the window or without.
    fn looked_at(
        &mut self,
        thorough: bool,
        loaded_ports: &[u16],
        act: impl FnOnce(&mut Subject),
    ) -> (SubjectUse, Telemetry) {
        let tree = Tree::of(self.child.id());
        let sampler = Sampler {
            target: Target { tree: &tree, loaded_ports },
            discard_ns: 200_000_000,
            window_ns: None,
            thorough,
        };
        let (start_ns, done) = (clock::monotonic_ns() + 200_000_000, AtomicBool::new(false));
        let window_start_ns = AtomicU64::new(start_ns);
        std::thread::scope(|scope| {
            let sampling = scope.spawn(|| sampler.run(&window_start_ns, &done));
            // The first look of the window is late where every socket of a busy machine is read before it.
            clock::sleep_until(start_ns + 1_000_000_000, &AtomicBool::new(false));
            act(self);
            // The peer's last acknowledgement may take its 40 ms.
            clock::sleep_ns(150_000_000);
            let end_ns = clock::monotonic_ns();
            done.store(true, Ordering::Relaxed);
            sampling.join().unwrap().digest(start_ns, end_ns).expect("a window of some samples")
        })
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn cpu_time_is_found_in_the_process_and_in_the_thread_that_used_it() {
    let mut subject = Subject::start();
    let (used, telemetry) = subject.observed(&[], |subject| {
        subject.tell("burn 300");
    });
    let burnt_ns = 300_000_000;
    let cpu_ns = used.cpu_ns.unwrap();
    // What the first sample came late for is made up for.
    assert!((burnt_ns * 9 / 10..burnt_ns * 5 / 4).contains(&cpu_ns), "{cpu_ns}");
    assert_eq!(telemetry.processes.len(), 1);
    assert!(telemetry.processes[0].cpu_ns >= burnt_ns, "{:?}", telemetry.processes);
    let burner = &telemetry.threads[0];
    assert!(burner.name == "burner-" && burner.cpu_ns >= burnt_ns, "{:?}", telemetry.threads);
    let over_time: u64 = telemetry.series["cpu_ns"].iter().map(|ns| ns.unwrap()).sum();
    assert!(over_time >= burnt_ns, "{:?}", telemetry.series["cpu_ns"]);
    assert_eq!(telemetry.at_ns.len(), telemetry.series["cpu_ns"].len());
}

#[test]
fn descriptors_memory_and_sockets_are_counted() {
    let mut subject = Subject::start();
    let (before, _) = subject.observed(&[], |_| {});
    let (after, telemetry) = subject.observed(&[], |subject| {
        subject.tell("open 100");
        subject.tell("grow 64");
    });
    // A hundred files, and a connection with both its ends and its listener.
    assert_eq!(after.descriptors.unwrap() - before.descriptors.unwrap(), 103);
    assert_eq!((after.connections, telemetry.sockets["listen"]), (Some(2), 1));
    let grown = after.rss_bytes.unwrap() - before.rss_bytes.unwrap();
    assert!((64 << 20..80 << 20).contains(&grown), "{grown}");
    // No difference: a library is this process's alone until another one maps it too.
    let of_its_own = before.uss_bytes.unwrap()..after.uss_bytes.unwrap();
    assert!(of_its_own.contains(&(64 << 20)), "{of_its_own:?}");
    assert!(after.rss_peak_bytes >= after.rss_bytes && after.minor_faults > Some(64));
    let (rss, pss, uss) = (after.rss_bytes.unwrap(), after.pss_bytes.unwrap(), after.uss_bytes.unwrap());
    assert!(uss <= pss && pss <= rss + (4 << 20), "{uss} {pss} {rss}");
}

#[test]
fn bytes_on_their_way_to_a_disk_are_counted() {
    let mut subject = Subject::start();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = tempfile::NamedTempFile::new_in(folder).unwrap();
    let (used, _) = subject.observed(&[], |subject| {
        subject.tell(&format!("write 8 {}", file.path().display()));
    });
    let written = used.disk_written_bytes.unwrap();
    let on_memory_alone = written == 0;
    if on_memory_alone {
        println!("skipped: {} is not on a disk", folder.display());
        return;
    }
    assert!((8 << 20..9 << 20).contains(&written), "{written}");
}

#[test]
fn a_server_that_never_accepts_is_seen_with_its_full_queue_and_what_overflows() {
    let mut subject = Subject::start();
    let port = subject.ports("hang 4")[0];
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut callers = Vec::new();
    let (used, telemetry) = subject.observed(&[port], |_| {
        for _ in 0..5 {
            callers.push(TcpStream::connect(address).unwrap());
        }
        // The queue is full: the kernel drops the rest, and who calls finds out much later.
        for _ in 0..3 {
            let within = std::time::Duration::from_millis(50);
            assert!(TcpStream::connect_timeout(&address, within).is_err(), "it overflowed");
        }
    });
    assert_eq!(used.accept_queue_max, Some(5), "the kernel lets one more in than was asked for");
    assert!(used.listen_overflows >= Some(3) && used.listen_drops >= Some(3), "{used:?}");
    let queue = &telemetry.series["accept_queue"];
    assert_eq!((queue[0], queue[queue.len() - 1]), (Some(0), Some(5)));
    assert_eq!((used.backend_bytes, used.backend_connections), (None, None), "it has no back end");
}

/// Calls the front so often; it passes each question on, and the answer back.
fn call(front: u16, times: usize) {
    let mut caller = TcpStream::connect(("127.0.0.1", front)).unwrap();
    for _ in 0..times {
        caller.write_all(&[1; actor::QUESTION]).unwrap();
        caller.read_exact(&mut [0; actor::ANSWER]).unwrap();
    }
}

#[test]
fn bytes_between_front_and_back_are_those_that_were_sent() {
    for thorough in [true, false] {
        let mut subject = Subject::start();
        let ports = subject.ports("relay kept");
        let (used, telemetry) = subject.looked_at(thorough, &ports[..1], |_| call(ports[0], 500));
        let sent = 500 * (actor::QUESTION + actor::ANSWER) as u64;
        assert_eq!(used.backend_bytes, Some(sent));
        assert_eq!((used.backend_connections, used.backend_connections_lost), (Some(1), Some(0)));
        let over_time: u64 = telemetry.series["backend_bytes"].iter().map(|bytes| bytes.unwrap()).sum();
        assert_eq!(over_time, sent);
    }
}

#[test]
fn what_is_dear_to_read_is_read_only_where_it_is_asked_for() {
    let mut subject = Subject::start();
    let (used, telemetry) = subject.looked_at(false, &[], |subject| {
        subject.tell("burn 50");
    });
    assert!(used.cpu_ns >= Some(50_000_000) && used.rss_bytes > Some(0) && used.threads > Some(0));
    assert_eq!((used.voluntary_switches, used.pss_bytes, used.connections), (None, None, None));
    assert!(telemetry.threads.is_empty() && telemetry.sockets.is_empty());
    assert!(telemetry.missing.is_empty(), "nothing is missing that was not asked for");
}

#[test]
fn a_back_end_that_is_called_anew_each_time_is_not_measured_rather_than_wrong() {
    let mut subject = Subject::start();
    let ports = subject.ports("relay anew");
    let (used, telemetry) = subject.observed(&ports[..1], |_| call(ports[0], 300));
    assert_eq!(used.backend_bytes, None);
    assert!(used.backend_connections_lost > Some(250), "{used:?}");
    assert!(used.time_wait > Some(250), "{used:?}");
    assert!(
        telemetry.missing.iter().any(|what| matches!(what, Finding::BackendLost { .. })),
        "{telemetry:?}"
    );
}

#[test]
fn a_subject_without_a_jvm_has_no_figures_of_one() {
    let mut subject = Subject::start();
    let (used, telemetry) = subject.observed(&[], |_| {});
    let jvm = [used.gc_count, used.heap_used_bytes, used.safepoint_ns, used.jit_ns, used.loaded_classes];
    assert_eq!(jvm, [None; 5]);
    assert!(telemetry.collectors.is_empty() && !telemetry.series.contains_key("gc_ns"));
}

/// Serves one connection at a time.
fn serve(listener: &TcpListener, mut each: impl FnMut(TcpStream)) {
    for stream in listener.incoming().flatten() {
        each(stream);
    }
}
