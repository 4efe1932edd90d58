//! Output of the doctor for every finding.

use proofload_facts::Finding as Why;
use proofload_host::cpus::{CpuShare, Shortage};
use proofload_host::jdk::Jdk;
use proofload_host::lock::{Holder, LockError};
use proofload_host::{Finding, Sleep, State};
use proofload_report::doctor_text;

const GIB: u64 = 1 << 30;

/// Four CPUs on two cores, divided like this.
fn cores(quota: Option<f64>, shortage: Option<Shortage>) -> Finding {
    let share = CpuShare { generator: vec![2, 3], subject: vec![0, 1], shortage, ..CpuShare::default() };
    Finding::Cores { cpus: vec![0, 1, 2, 3], cores: 2, quota, share }
}

fn governors(names: &[&str]) -> Finding {
    Finding::Governors(names.iter().map(ToString::to_string).collect())
}

fn sleeps(is_virtual: bool, why: Why) -> Finding {
    Finding::Sleep { sleep: Sleep::AsItLikes { why }, is_virtual }
}

fn memory(available_bytes: u64, limit_bytes: Option<u64>) -> Finding {
    Finding::Memory { bytes: 8 * GIB, available_bytes, limit_bytes }
}

fn clock(source: Option<&str>, read_ns: u64) -> Finding {
    Finding::Clock { source: source.map(str::to_string), step_ns: 1, read_ns }
}

fn of_the_machine() -> Vec<Finding> {
    let awake = |waking_us| Finding::Sleep { sleep: Sleep::AtMost { waking_us }, is_virtual: false };
    let no_latency = "/sys/devices/system/cpu/cpu0/cpuidle/state1".to_string();
    let denied = "Permission denied (os error 13)".to_string();
    vec![
        cores(None, None),
        governors(&["performance"]),
        awake(0),
        Finding::Load { processes: Some(0.1), cpus: 4 },
        memory(4 * GIB, None),
        Finding::Descriptors { soft: Some(20_000), hard: Some(20_000) },
        Finding::Ports { range: Some(15_000..=60_999), reused: true },
        Finding::AcceptQueue(4096),
        clock(Some("tsc"), 20),
        cores(Some(1.5), None),
        cores(None, Some(Shortage::OneCpu(3))),
        cores(None, Some(Shortage::OneCore)),
        cores(None, Some(Shortage::TwoCpus)),
        governors(&["performance", "powersave"]),
        awake(2),
        sleeps(true, Why::NoIdleStates),
        sleeps(true, Why::EachGivesCpuAway),
        sleeps(false, Why::NoWakeUpLatency { state: no_latency }),
        sleeps(false, Why::SleepRefused { path: "/dev/cpu_dma_latency".into(), error: denied }),
        Finding::Load { processes: None, cpus: 4 },
        Finding::Load { processes: Some(2.5), cpus: 4 },
        memory(8 * GIB, Some(GIB / 2)),
        memory(100 << 20, None),
        Finding::Descriptors { soft: None, hard: None },
        Finding::Descriptors { soft: Some(1024), hard: Some(1 << 19) },
        Finding::Descriptors { soft: Some(256), hard: None },
        Finding::Descriptors { soft: Some(256), hard: Some(256) },
        Finding::Ports { range: None, reused: false },
        Finding::Ports { range: Some(32_768..=40_000), reused: false },
        Finding::AcceptQueue(128),
        clock(None, 20),
        clock(Some("tsc"), 300),
        clock(Some("hpet"), 20),
    ]
}

fn of_tools_and_runs() -> Vec<Finding> {
    let jdk = Jdk {
        home: "/jdk".into(),
        major: 17,
        version: "17.0.15".into(),
        vendor: "Debian".into(),
        has_compiler: true,
    };
    let holder = Holder { pid: Some(7), who: "study x".into(), since_unix_ns: None };
    vec![
        Finding::Jdk { major: 17, found: vec![] },
        Finding::Jdk { major: 25, found: vec![] },
        Finding::Maven(None),
        Finding::Jdk { major: 17, found: vec![jdk.clone(), jdk] },
        Finding::Maven(Some("/usr/bin/mvn".into())),
        Finding::Lock(Ok(None)),
        Finding::Lock(Ok(Some(holder))),
        Finding::Lock(Err(LockError::NotAFile { path: "/tmp/x".into(), what: "directory" })),
        Finding::Orphans(vec![]),
        Finding::Orphans(vec![12, 13]),
    ]
}

#[test]
fn every_finding_has_its_sentence_and_each_that_is_not_good_a_remedy() {
    let findings: Vec<Finding> = of_the_machine().into_iter().chain(of_tools_and_runs()).collect();
    let text = doctor_text(&findings);
    let wrong = findings.iter().filter(|finding| finding.state() != State::Good).count();
    assert_eq!(text.lines().count(), findings.len() + wrong);
    for line in text.lines() {
        assert!(line.len() > 12 && !line.ends_with('.'), "{line}");
    }
    insta::assert_snapshot!("doctor.txt", text);
}
