//! Settings of the kernel and limits of the machine that a figure may depend on. Read, never changed.

use super::cpus::{cpuset, list_text};
use super::root::Root;
use rustix::process::{Resource, getrlimit};
use std::collections::BTreeMap;

/// Words of the kernel's command line that change speed; the others may name disks and are not recorded.
const COMMAND_LINE: [&str; 14] = [
    "mitigations",
    "nosmt",
    "isolcpus",
    "nohz_full",
    "rcu_nocbs",
    "spectre_v2",
    "spec_store_bypass_disable",
    "pti",
    "nopti",
    "l1tf",
    "mds",
    "tsx",
    "transparent_hugepage",
    "intel_pstate",
];

/// Settings that are one line of a file: name and file.
const LINES: [(&str, &str); 18] = [
    ("tcp_fin_timeout", "/proc/sys/net/ipv4/tcp_fin_timeout"),
    ("tcp_rmem", "/proc/sys/net/ipv4/tcp_rmem"),
    ("tcp_wmem", "/proc/sys/net/ipv4/tcp_wmem"),
    ("tcp_max_syn_backlog", "/proc/sys/net/ipv4/tcp_max_syn_backlog"),
    ("tcp_max_tw_buckets", "/proc/sys/net/ipv4/tcp_max_tw_buckets"),
    ("tcp_congestion_control", "/proc/sys/net/ipv4/tcp_congestion_control"),
    ("tcp_syncookies", "/proc/sys/net/ipv4/tcp_syncookies"),
    ("rmem_max", "/proc/sys/net/core/rmem_max"),
    ("wmem_max", "/proc/sys/net/core/wmem_max"),
    ("netdev_max_backlog", "/proc/sys/net/core/netdev_max_backlog"),
    ("swappiness", "/proc/sys/vm/swappiness"),
    ("overcommit_memory", "/proc/sys/vm/overcommit_memory"),
    ("smt_control", "/sys/devices/system/cpu/smt/control"),
    ("smt_active", "/sys/devices/system/cpu/smt/active"),
    ("numa_nodes", "/sys/devices/system/node/online"),
    ("machine_product", "/sys/class/dmi/id/product_name"),
    ("hypervisor", "/sys/hypervisor/type"),
    ("cpufreq_driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"),
];

/// Settings by name. A name is there only when its value is known.
pub(super) fn read(root: &Root) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            found.insert(name.to_string(), value.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    };
    for (name, file) in LINES {
        add(name, root.text(file));
    }
    let bytes = |key| root.meminfo_bytes(key).map(|bytes| bytes.to_string());
    add("swap_total_bytes", bytes("SwapTotal"));
    add("swap_free_bytes", bytes("SwapFree"));
    add("transparent_hugepages", root.text("/sys/kernel/mm/transparent_hugepage/enabled").map(chosen));
    add("kernel_command_line", root.text("/proc/cmdline").map(|text| speed_words(&text)));
    add("cpu_vulnerabilities", Some(vulnerabilities(root)));
    add("turbo", turbo(root));
    let mhz = |file: &str| {
        let khz: Option<u64> = root.number(format!("/sys/devices/system/cpu/cpu0/cpufreq/{file}"));
        khz.map(|khz| (khz / 1000).to_string())
    };
    add("cpu_mhz_min", mhz("cpuinfo_min_freq"));
    add("cpu_mhz_max", mhz("cpuinfo_max_freq"));
    add("cpu_mhz_at_start", mhz("scaling_cur_freq").or_else(|| cpu_mhz(root)));
    let load = root.text("/proc/loadavg");
    add("load_at_start", load.map(|text| text.split(' ').take(3).collect::<Vec<_>>().join(" ")));
    add("cgroup_cpuset", Some(list_text(&cpuset(root))));
    found
}

/// Limits of this process, which those it starts inherit: soft and hard.
pub(super) fn limits() -> BTreeMap<String, String> {
    let text = |limit: Option<u64>| limit.map_or_else(|| "unlimited".to_string(), |limit| limit.to_string());
    let kinds = [
        ("limit_processes", Resource::Nproc),
        ("limit_locked_memory_bytes", Resource::Memlock),
        ("limit_stack_bytes", Resource::Stack),
        ("limit_file_size_bytes", Resource::Fsize),
    ];
    let read = |(name, kind): (&str, Resource)| {
        let limit = getrlimit(kind);
        (name.to_string(), format!("{} / {}", text(limit.current), text(limit.maximum)))
    };
    kinds.into_iter().map(read).collect()
}

/// `madvise` of `always [madvise] never`.
fn chosen(text: String) -> String {
    let between = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    between.map_or(text.clone(), |(word, _)| word.to_string())
}

fn speed_words(text: &str) -> String {
    let matters = |word: &&str| COMMAND_LINE.contains(&word.split('=').next().unwrap_or_default());
    text.split_whitespace().filter(matters).collect::<Vec<_>>().join(" ")
}

/// The kernel's mitigation of each known flaw of the CPU, where it has one.
fn vulnerabilities(root: &Root) -> String {
    const FLAWS: [&str; 10] = [
        "meltdown",
        "spectre_v1",
        "spectre_v2",
        "spec_store_bypass",
        "l1tf",
        "mds",
        "tsx_async_abort",
        "retbleed",
        "srbds",
        "mmio_stale_data",
    ];
    let told = FLAWS.iter().filter_map(|flaw| {
        let text = root.text(format!("/sys/devices/system/cpu/vulnerabilities/{flaw}"))?;
        (text != "Not affected").then(|| format!("{flaw}: {text}"))
    });
    told.collect::<Vec<_>>().join("; ")
}

fn turbo(root: &Root) -> Option<String> {
    let word = |on: bool| if on { "on" } else { "off" }.to_string();
    let no_turbo: Option<u8> = root.number("/sys/devices/system/cpu/intel_pstate/no_turbo");
    let boost: Option<u8> = root.number("/sys/devices/system/cpu/cpufreq/boost");
    no_turbo.map(|no| word(no == 0)).or_else(|| boost.map(|boost| word(boost == 1)))
}

/// `cpu MHz : 2600.000` of the first CPU.
fn cpu_mhz(root: &Root) -> Option<String> {
    let text = root.text("/proc/cpuinfo")?;
    let line = text.lines().find(|line| line.starts_with("cpu MHz"))?;
    let mhz: f64 = line.split(':').nth(1)?.trim().parse().ok()?;
    Some(format!("{mhz:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn root_with(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, text).expect("writable");
        }
        let root = Root::at(folder.path());
        (folder, root)
    }

    #[test]
    fn settings_are_read_and_secrets_of_the_command_line_are_not() {
        let (_folder, root) = root_with(&[
            ("proc/cmdline", "root=UUID=1234 mitigations=off quiet isolcpus=2,3\n"),
            ("proc/meminfo", "MemTotal: 100 kB\nSwapTotal:  2048 kB\nSwapFree: 1024 kB\n"),
            ("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n"),
            ("proc/loadavg", "0.10 0.20 0.30 1/200 999\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
            ("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n"),
            ("sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3500000\n"),
        ]);
        let found = read(&root);
        let expected = [
            ("cpu_mhz_max", "3500"),
            ("cpu_vulnerabilities", "meltdown: Mitigation: PTI"),
            ("kernel_command_line", "mitigations=off isolcpus=2,3"),
            ("load_at_start", "0.10 0.20 0.30"),
            ("swap_free_bytes", "1048576"),
            ("swap_total_bytes", "2097152"),
            ("tcp_rmem", "4096 131072 6291456"),
            ("transparent_hugepages", "madvise"),
            ("turbo", "off"),
        ];
        let expected: BTreeMap<_, _> =
            expected.map(|(name, value)| (name.to_string(), value.to_string())).into_iter().collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn this_machine_has_settings_and_limits() {
        let found = read(&Root::machine());
        assert!(found.contains_key("load_at_start"), "{found:?}");
        let limits = limits();
        assert!(limits["limit_processes"].contains(" / "), "{limits:?}");
    }
}
