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

fn states(findings: &[Finding]) -> Vec<State> {
    findings.iter().map(Finding::state).collect()
}

#[test]
fn a_machine_that_is_all_wrong_hears_of_everything() {
    let mut facts = fixture("eight-threads-cgroup2", vec![2, 3, 4, 5, 6, 7]);
    facts.descriptors_soft = Some(256);
    let findings = audit_machine(&facts);
    assert_eq!(findings.len(), 9);
    for finding in &findings {
        let is_bad = matches!(finding, Finding::Clock { .. } | Finding::Descriptors { .. });
        assert_eq!(finding.state(), if is_bad { State::Bad } else { State::Warning }, "{finding:?}");
    }
}

#[test]
fn a_good_machine_hears_of_nothing_to_do() {
    let mut facts = fixture("two-cpus-cgroup1", vec![0, 1, 2, 3]);
    facts.load_1m = Some(0.1);
    for finding in audit_machine(&facts) {
        assert_eq!(finding.state(), State::Good, "{finding:?}");
    }
}

#[test]
fn few_cpus_are_a_finding() {
    let mut facts = fixture("two-cpus-cgroup1", vec![0]);
    assert_eq!(audit_cores(&facts).state(), State::Bad);
    facts.cpus = vec![0, 1];
    facts.cores = vec![vec![0], vec![1]];
    assert_eq!(audit_cores(&facts).state(), State::Warning);
    facts.cpu_quota = Some(2.0);
    let finding = audit_cores(&facts);
    let limits = matches!(finding, Finding::Cores { quota: Some(_), .. });
    assert!(!limits, "a quota of all CPUs limits nothing: {finding:?}");
}

#[test]
fn memory_is_what_both_machine_and_cgroup_leave() {
    let mut facts = fixture("two-cpus-cgroup1", vec![0, 1]);
    let state = |facts: &Facts| {
        let findings = audit_machine(facts);
        findings.iter().find(|finding| matches!(finding, Finding::Memory { .. })).unwrap().state()
    };
    facts.memory_limit_bytes = Some(512 << 20);
    assert_eq!(state(&facts), State::Warning);
    facts.memory_available_bytes = Some(100 << 20);
    assert_eq!(state(&facts), State::Bad);
}

#[test]
fn missing_tools_are_warnings_for_those_who_need_them() {
    use State::{Good, Warning};
    let mut facts = fixture("two-cpus-cgroup1", vec![0, 1]);
    assert_eq!(states(&audit_tools(&facts)), [Warning; 3]);
    let jdk = Jdk {
        home: "/jdk".into(),
        major: 17,
        version: "17.0.15".into(),
        vendor: String::new(),
        has_compiler: false,
    };
    facts.jdks = vec![jdk.clone()];
    assert_eq!(states(&audit_tools(&facts)), [Warning; 3], "a runtime cannot build");
    facts.jdks = vec![Jdk { has_compiler: true, ..jdk }];
    facts.maven = Some("/usr/bin/mvn".into());
    let findings = audit_tools(&facts);
    assert!(matches!(findings[0], Finding::Jdk { major: 17, .. }), "{findings:?}");
    assert_eq!(states(&findings), [Good, Warning, Good]);
}

#[test]
fn the_lock_and_orphans_are_good_while_there_are_none() {
    let held = Finding::Lock(Ok(Some(Holder::default())));
    let broken = Finding::Lock(Err(LockError::NotAFile { path: "x".into(), what: "a directory" }));
    let findings =
        [Finding::Lock(Ok(None)), held, broken, Finding::Orphans(vec![]), Finding::Orphans(vec![12, 13])];
    let expected = [State::Good, State::Warning, State::Bad, State::Good, State::Warning];
    assert_eq!(states(&findings), expected);
}

#[test]
fn this_machine_can_be_examined() {
    let findings = doctor();
    let looked_at: [fn(&Finding) -> bool; 10] = [
        |finding| matches!(finding, Finding::Cores { .. }),
        |finding| matches!(finding, Finding::Load { .. }),
        |finding| matches!(finding, Finding::Memory { .. }),
        |finding| matches!(finding, Finding::Descriptors { .. }),
        |finding| matches!(finding, Finding::Ports { .. }),
        |finding| matches!(finding, Finding::Clock { .. }),
        |finding| matches!(finding, Finding::Jdk { major: 17, .. }),
        |finding| matches!(finding, Finding::Jdk { major: 25, .. }),
        |finding| matches!(finding, Finding::Maven(_)),
        |finding| matches!(finding, Finding::Lock(_)),
    ];
    for (at, is_it) in looked_at.into_iter().enumerate() {
        assert!(findings.iter().any(is_it), "{at} in {findings:?}");
    }
}
