use super::*;
use crate::cpus::cpuset;
use std::path::Path;

fn root(name: &str) -> Root {
    Root::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/proc").join(name))
}

#[test]
fn a_small_virtual_machine_with_both_cgroup_versions_is_read() {
    let root = root("two-cpus-cgroup1");
    let facts = Facts::read_files(&root, vec![0, 1]);
    assert_eq!((facts.cpu_model.as_str(), facts.is_virtual, facts.cores.len()), ("AMD EPYC", true, 2));
    assert_eq!(facts.kernel, "6.18.44-fc-v669");
    assert_eq!(facts.memory_bytes, 24_684_084 * 1024);
    assert_eq!(
        (facts.cpu_quota, facts.memory_limit_bytes),
        (None, None),
        "-1 and a huge number mean no limit"
    );
    assert_eq!(facts.ephemeral_ports, Some((32_768, 60_999)));
    assert_eq!((facts.somaxconn, facts.tcp_tw_reuse), (Some(4096), Some(2)));
    assert_eq!(facts.clock_source.as_deref(), Some("tsc"));
    assert_eq!(facts.load_1m, Some(1.42));
    assert!(facts.governors.is_empty());
    assert_eq!(cpuset(&root), [0, 1]);
}

#[test]
fn limits_of_a_scope_are_found_on_the_way_to_the_top() {
    let root = root("eight-threads-cgroup2");
    let facts = Facts::read_files(&root, cpuset(&root));
    assert_eq!(facts.cpus, [2, 3, 4, 5, 6, 7]);
    assert_eq!(facts.cores.len(), 4, "of 0 and 1 one thread each is allowed");
    assert_eq!(facts.cpu_quota, Some(1.5));
    assert_eq!(facts.memory_limit_bytes, Some(2 << 30));
    assert_eq!(facts.governors, BTreeSet::from(["performance".to_string(), "powersave".to_string()]));
}

#[test]
fn a_machine_that_tells_nothing_has_facts_all_the_same() {
    let empty = tempfile::tempdir().unwrap();
    let facts = Facts::read_files(&Root::at(empty.path()), vec![0]);
    assert_eq!((facts.memory_bytes, facts.ephemeral_ports, facts.cpu_quota), (0, None, None));
    assert_eq!((facts.cpu_model.as_str(), facts.cores.len()), ("unknown", 1));
}

#[test]
fn machines_are_told_apart_without_naming_them() {
    let (one, other) = (root("two-cpus-cgroup1"), root("eight-threads-cgroup2"));
    let digest = machine_digest(&one, "AMD EPYC");
    assert_eq!(digest.len(), 64);
    assert_eq!(digest, machine_digest(&one, "AMD EPYC"), "the same every time");
    assert_ne!(digest, machine_digest(&one, "another CPU"));
    assert_ne!(digest, machine_digest(&other, "AMD EPYC"));
    assert!(!digest.contains("0123456789abcdef"));
}

#[test]
fn a_cpu_without_a_model_name_is_described_by_its_numbers() {
    assert_eq!(cpu_model("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"), "ARM implementer 0x41, part 0xd0c");
    assert_eq!(cpu_model(""), "unknown");
}

#[test]
fn odd_texts_are_unknown_values() {
    for bytes in ["many", &u64::MAX.to_string()] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("proc")).unwrap();
        std::fs::write(folder.path().join("proc/meminfo"), format!("MemTotal: {bytes} kB\n")).unwrap();
        assert_eq!(Root::at(folder.path()).meminfo_bytes("MemTotal"), None);
    }
    assert_eq!(ports("32768"), None);
    assert_eq!(ports("1 70000"), None);
}
