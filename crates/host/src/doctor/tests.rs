use super::*;
use crate::root::Root;
use std::path::Path;

fn fixture(name: &str, cpus: Vec<usize>) -> Facts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/proc").join(name);
    Facts {
        descriptors_soft: Some(20_000),
        descriptors_hard: Some(20_000),
        clock_read_ns: 20,
        clock_resolution_ns: 1,
        ..Facts::read_files(&Root::at(&folder), cpus)
    }
}

fn state(findings: &[DoctorFinding], subject: &str) -> State {
    findings.iter().find(|finding| finding.subject == subject).unwrap_or_else(|| panic!("no {subject}")).state
}

#[test]
fn a_machine_that_is_all_wrong_hears_of_everything_with_a_remedy() {
    let mut facts = fixture("eight-threads-cgroup2", vec![2, 3, 4, 5, 6, 7]);
    facts.descriptors_soft = Some(256);
    let findings = audit_machine(&facts);
    for finding in &findings {
        assert_ne!(finding.state, State::Good, "{finding:?}");
        assert!(!finding.remedy.is_empty(), "{finding:?}");
        assert!(!finding.what.ends_with('.'), "{finding:?}");
    }
    assert_eq!(findings.len(), 9);
    for subject in ["clock", "descriptors"] {
        assert_eq!(state(&findings, subject), State::Bad, "{subject}");
    }
}

#[test]
fn a_good_machine_hears_of_nothing_to_do() {
    let mut facts = fixture("two-cpus-cgroup1", vec![0, 1, 2, 3]);
    facts.load_1m = Some(0.1);
    for finding in audit_machine(&facts) {
        assert_eq!((finding.state, finding.remedy.as_str()), (State::Good, ""), "{finding:?}");
    }
}

#[test]
fn few_cpus_are_a_finding() {
    let mut facts = fixture("two-cpus-cgroup1", vec![0]);
    assert_eq!(audit_cores(&facts).state, State::Bad);
    facts.cpus = vec![0, 1];
    facts.cores = vec![vec![0], vec![1]];
    assert_eq!(audit_cores(&facts).state, State::Warning);
    facts.cpu_quota = Some(2.0);
    assert!(!audit_cores(&facts).what.contains("cgroup"), "a quota of all CPUs limits nothing");
}

#[test]
fn memory_is_what_both_machine_and_cgroup_leave() {
    let mut facts = fixture("two-cpus-cgroup1", vec![0, 1]);
    facts.memory_limit_bytes = Some(512 << 20);
    assert_eq!(audit_memory(&facts).state, State::Warning);
    facts.memory_available_bytes = Some(100 << 20);
    assert_eq!(audit_memory(&facts).state, State::Bad);
}

#[test]
fn missing_tools_are_warnings_for_those_who_need_them() {
    let mut facts = fixture("two-cpus-cgroup1", vec![0, 1]);
    let findings = audit_tools(&facts);
    assert_eq!(findings.iter().filter(|finding| finding.state == State::Warning).count(), 3);
    let jdk = crate::jdk::Jdk {
        home: "/jdk".into(),
        major: 17,
        version: "17.0.15".into(),
        vendor: String::new(),
        has_compiler: false,
    };
    facts.jdks = vec![jdk.clone()];
    assert_eq!(state(&audit_tools(&facts), "jdk 17"), State::Warning, "a runtime cannot build");
    facts.jdks = vec![crate::jdk::Jdk { has_compiler: true, ..jdk }];
    facts.maven = Some("/usr/bin/mvn".into());
    let findings = audit_tools(&facts);
    assert_eq!((state(&findings, "jdk 17"), state(&findings, "maven")), (State::Good, State::Good));
}

#[test]
fn somebody_who_measures_is_named() {
    let holder = Holder { pid: Some(7), who: "study x".into(), since_unix_ns: None };
    let finding = audit_lock(Ok(Some(holder)));
    assert_eq!(
        (finding.state, finding.what.as_str()),
        (State::Warning, "process 7 (study x) measures on this machine")
    );
    assert_eq!(audit_lock(Ok(None)).state, State::Good);
    assert_eq!(audit_lock(Err("x".into())).state, State::Bad);
}

#[test]
fn what_outlived_its_run_is_named() {
    let finding = audit_leftovers(&[12, 13]);
    assert_eq!((finding.state, finding.remedy.as_str()), (State::Warning, "proofload doctor --clean"));
    assert!(finding.what.ends_with("12, 13"), "{}", finding.what);
    assert_eq!(audit_leftovers(&[]).state, State::Good);
}

#[test]
fn this_machine_can_be_examined() {
    let subjects: Vec<String> = doctor().into_iter().map(|finding| finding.subject).collect();
    for subject in
        ["cores", "load", "memory", "descriptors", "ports", "clock", "jdk 17", "jdk 25", "maven", "lock"]
    {
        assert!(subjects.iter().any(|found| found == subject), "{subject} in {subjects:?}");
    }
}
