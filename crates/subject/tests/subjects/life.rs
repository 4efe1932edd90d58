//! From start to stop.

use std::fs;
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;

use proofload_study::SubjectSpec;
use proofload_subject::{Absent, Exit, Keeper, Prepared, Running, SubjectError};

use crate::Bench;
use crate::actors::{DAEMON, DYING, LISTENER, RESTLESS, SLEEPER, STUBBORN};

/// Far beyond the time of anything here: only a test that fails waits for it.
const LONG_NS: u64 = 60_000_000_000;
const SHORT_NS: u64 = 300_000_000;
static GO_ON: AtomicBool = AtomicBool::new(false);

fn start(bench: &Bench, prepared: &Prepared, keeper: &Keeper) -> Running {
    prepared.start(keeper, &[], &bench.log(), &keeper.temp().join("it")).unwrap()
}

fn nobody_listens(address: std::net::SocketAddr) -> bool {
    TcpListener::bind(address).is_ok()
}

pub fn a_command_gets_ready_and_its_end_frees_the_port() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let prepared = bench.actor(&[LISTENER, "{port}"], LONG_NS);
    for _ in 0..3 {
        let running = start(&bench, &prepared, &keeper);
        running.wait_ready(&GO_ON).unwrap();
        running.alive().unwrap();
        let (address, pid) = (running.address().tcp().unwrap(), running.pid().unwrap());
        assert_eq!(running.authority(0), address.to_string());
        assert_eq!(running.pids(), [pid]);
        assert!(!nobody_listens(address));
        let report = running.stop().unwrap();
        // The keeper itself ignores TERM: its subjects must not inherit that.
        assert_eq!(report.exit, Some(Exit::Signal(libc::SIGTERM)));
        assert!(nobody_listens(address));
        assert!(!keeper.temp().join("it").exists());
    }
    let temp = keeper.temp().to_path_buf();
    assert!(temp.is_dir());
    assert_eq!(keeper.end(), Vec::<String>::new());
    assert!(!temp.exists());
}

pub fn a_subject_runs_on_its_cpus_alone() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let prepared = bench.actor(&[LISTENER, "{port}"], LONG_NS);
    let allowed = proofload_host::cpus::allowed();
    let last = *allowed.last().unwrap();
    let running = prepared.start(&keeper, &[last], &bench.log(), &keeper.temp().join("it")).unwrap();
    let status = fs::read_to_string(format!("/proc/{}/status", running.pid().unwrap())).unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    assert_eq!(list.trim(), last.to_string());
    running.stop().unwrap();
}

pub fn a_daemon_that_left_its_parent_is_known_and_ended() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    // Another subject is beside it, so that not everything below the keeper is its own.
    let other = bench.actor(&[LISTENER, "{port}"], LONG_NS);
    let other = other.start(&keeper, &[], &bench.log(), &keeper.temp().join("other")).unwrap();
    let running = start(&bench, &bench.actor(&[DAEMON, "{port}"], LONG_NS), &keeper);
    running.wait_ready(&GO_ON).unwrap();
    running.alive().unwrap();
    let (address, first) = (running.address().tcp().unwrap(), running.pid().unwrap());
    let pids = running.pids();
    assert!(pids.len() == 1 && pids[0] != first, "{pids:?}, started as {first}");
    running.stop().unwrap();
    assert!(nobody_listens(address));
    other.wait_ready(&GO_ON).unwrap();
    other.stop().unwrap();
}

pub fn a_daemon_that_changes_its_process_number_is_not_taken_for_dead() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    // It is missed once only by chance.
    for _ in 0..8 {
        let running = start(&bench, &bench.actor(&[RESTLESS, "{port}"], LONG_NS), &keeper);
        running.wait_ready(&GO_ON).unwrap();
        running.stop().unwrap();
    }
}

pub fn a_subject_that_ignores_term_is_killed_and_that_is_said() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let running = start(&bench, &bench.actor(&[STUBBORN, "{port}"], LONG_NS), &keeper);
    running.wait_ready(&GO_ON).unwrap();
    let address = running.address().tcp().unwrap();
    let told = running.stop().unwrap_err().to_string();
    assert!(told.contains("had to be ended by KILL"), "{told}");
    assert!(nobody_listens(address));
}

pub fn a_subject_that_dies_is_told_with_its_status_and_log() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let running = start(&bench, &bench.actor(&[DYING], LONG_NS), &keeper);
    let error = running.wait_ready(&GO_ON).unwrap_err();
    let SubjectError::DiedAtStart { exit, lines, .. } = &error else { panic!("{error}") };
    assert_eq!(*exit, Exit::Code(3));
    assert_eq!(lines, &["first line", "cannot open the configuration"]);
    assert!(matches!(running.alive(), Err(Absent::Ended(Exit::Code(3), _))));
    running.stop().unwrap();
}

pub fn a_subject_that_never_listens_is_told_apart() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let running = start(&bench, &bench.actor(&[SLEEPER], SHORT_NS), &keeper);
    let error = running.wait_ready(&GO_ON).unwrap_err();
    let SubjectError::NeverReady { missing, .. } = &error else { panic!("{error}") };
    assert!(missing.contains("nothing listens"), "{missing}");
    running.stop().unwrap();
}

pub fn a_port_of_somebody_else_is_never_taken_for_the_subject() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    // Taken after the start, by this process.
    let running = start(&bench, &bench.actor(&[SLEEPER], LONG_NS), &keeper);
    let thief = TcpListener::bind(running.address().tcp().unwrap()).unwrap();
    let error = running.wait_ready(&GO_ON).unwrap_err();
    let SubjectError::PortTaken { by, .. } = &error else { panic!("{error}") };
    assert!(by.contains(&std::process::id().to_string()), "{by}");
    drop(thief);
    running.stop().unwrap();

    // Taken before, where the study fixes the port.
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let spec = SubjectSpec::Command {
        args: vec!["sleep".into(), "1000".into()],
        port: Some(holder.local_addr().unwrap().port()),
        env: Default::default(),
        directory: None,
        ready_within_ns: LONG_NS,
        memory_max_bytes: None,
    };
    let refused = bench.prepare(&spec).start(&keeper, &[], &bench.log(), &keeper.temp().join("it"));
    assert!(matches!(refused, Err(SubjectError::PortTaken { .. })));
}

pub fn a_program_that_is_not_there_is_named() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let spec = SubjectSpec::Command {
        args: vec!["no-such-program".into(), "{port}".into()],
        port: None,
        env: Default::default(),
        directory: None,
        ready_within_ns: LONG_NS,
        memory_max_bytes: None,
    };
    let refused =
        bench.prepare(&spec).start(&keeper, &[], &bench.log(), &keeper.temp().join("it")).unwrap_err();
    assert!(matches!(refused, SubjectError::NotStarted { .. }));
    assert!(refused.to_string().contains("`no-such-program`"), "{refused}");
}

pub fn waiting_ends_when_somebody_says_stop() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let running = start(&bench, &bench.actor(&[SLEEPER], LONG_NS), &keeper);
    assert!(matches!(running.wait_ready(&AtomicBool::new(true)), Err(SubjectError::Interrupted)));
}

pub fn a_url_must_answer() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let prepared =
        bench.prepare(&SubjectSpec::Url { address: address.into(), authority: address.to_string() });
    let running = start(&bench, &prepared, &keeper);
    running.wait_ready(&GO_ON).unwrap();
    assert_eq!((running.address(), running.pid(), running.started_ns()), (address.into(), None, None));
    running.stop().unwrap();
    drop(listener);
    let refused = prepared.start(&keeper, &[], &bench.log(), &keeper.temp().join("it")).unwrap_err();
    assert!(refused.to_string().contains(&address.to_string()), "{refused}");
}
