//! The facts about this machine that a result must be read with.

use super::awake::{self, Sleep};
use super::cpus::{self, list_text};
use super::doctor::{self, State};
use super::jdk::{self, Jdk};
use super::root::Root;
use super::{clock, lock, settings};
use proofload_store::schema::Environment;
use rustix::process::{Resource, getrlimit};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most levels of the cgroup tree that are climbed.
const CGROUP_LEVELS_MAX: usize = 64;

/// Everything known; what could not be read is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub machine: String,
    pub kernel: String,
    pub cpu_model: String,
    pub is_virtual: bool,
    /// CPUs that this process may use.
    pub cpus: Vec<usize>,
    /// The same, those of one physical core together.
    pub cores: Vec<Vec<usize>>,
    /// CPUs' worth of time that the cgroup allows.
    pub cpu_quota: Option<f64>,
    pub memory_bytes: u64,
    pub memory_available_bytes: Option<u64>,
    pub memory_limit_bytes: Option<u64>,
    /// `None` stands for no limit.
    pub descriptors_soft: Option<u64>,
    pub descriptors_hard: Option<u64>,
    pub ephemeral_ports: Option<(u16, u16)>,
    pub somaxconn: Option<u64>,
    pub tcp_tw_reuse: Option<u64>,
    pub clock_source: Option<String>,
    pub clock_resolution_ns: u64,
    pub clock_read_ns: u64,
    pub load_1m: Option<f64>,
    pub governors: BTreeSet<String>,
    pub sleep: Sleep,
    pub jdks: Vec<Jdk>,
    pub maven: Option<PathBuf>,
    /// Settings of the kernel and limits, by name.
    pub settings: BTreeMap<String, String>,
}

/// This machine as it stands in the record, with what is not as it should be for measuring.
pub fn environment() -> Environment {
    Facts::read().environment()
}

/// Memory that new processes can have: what the kernel says is available, within the limit of the cgroup.
pub fn memory_available_bytes() -> Option<u64> {
    let root = Root::machine();
    let available = memory_line(&root.text("/proc/meminfo")?, "MemAvailable")?;
    Some(memory_limit(&root).map_or(available, |limit| available.min(limit)))
}

impl Facts {
    /// This machine.
    pub(crate) fn read() -> Self {
        let limit = getrlimit(Resource::Nofile);
        let files = Facts::read_files(&Root::machine(), cpus::allowed());
        let mut settings = settings::read(&Root::machine());
        settings.extend(settings::limits());
        Facts {
            settings,
            descriptors_soft: limit.current,
            descriptors_hard: limit.maximum,
            clock_resolution_ns: clock::resolution_ns(),
            clock_read_ns: clock::read_cost_ns(),
            jdks: jdk::find_all(),
            maven: jdk::on_path("mvn"),
            ..files
        }
    }

    /// The part that stands in files of the kernel.
    pub(crate) fn read_files(root: &Root, cpus: Vec<usize>) -> Self {
        let cpu_text = root.text("/proc/cpuinfo").unwrap_or_default();
        let memory_text = root.text("/proc/meminfo").unwrap_or_default();
        let cpu_model = cpu_model(&cpu_text);
        Facts {
            machine: machine_digest(root, &cpu_model),
            kernel: root.text("/proc/sys/kernel/osrelease").unwrap_or_default(),
            is_virtual: is_virtual(root),
            cores: cpus::cores(root, &cpus),
            cpu_quota: cpu_quota(root),
            memory_bytes: memory_line(&memory_text, "MemTotal").unwrap_or(0),
            memory_available_bytes: memory_line(&memory_text, "MemAvailable"),
            memory_limit_bytes: memory_limit(root),
            ephemeral_ports: root
                .text("/proc/sys/net/ipv4/ip_local_port_range")
                .and_then(|text| ports(&text)),
            somaxconn: root.number("/proc/sys/net/core/somaxconn"),
            tcp_tw_reuse: root.number("/proc/sys/net/ipv4/tcp_tw_reuse"),
            clock_source: root.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            load_1m: root.text("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            governors: governors(root, &cpus),
            sleep: awake::sleep(root),
            cpu_model,
            cpus,
            ..Facts::default()
        }
    }

    fn environment(&self) -> Environment {
        let findings = doctor::audit_machine(self)
            .into_iter()
            .filter(|finding| finding.state != State::Good)
            .map(|finding| format!("{}: {}", finding.subject, finding.what))
            .collect();
        Environment {
            proofload: env!("CARGO_PKG_VERSION").to_string(),
            machine: self.machine.clone(),
            kernel: self.kernel.clone(),
            cpu_model: self.cpu_model.clone(),
            cpus: self.cpus.clone(),
            memory_bytes: self.memory_bytes,
            descriptors: self.descriptors_soft.unwrap_or(u64::MAX),
            ephemeral_ports: self.ephemeral_ports.unwrap_or((0, 0)),
            facts: self.further(),
            findings,
        }
    }

    /// Facts by name. A name is there only when its value is known.
    fn further(&self) -> BTreeMap<String, String> {
        let mut facts = self.settings.clone();
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                facts.insert(name.to_string(), value);
            }
        };
        let jdks: Vec<String> = self.jdks.iter().map(Jdk::to_string).collect();
        add("cgroup_cpu_quota", self.cpu_quota.map(|cpus| format!("{cpus:.2} CPUs")));
        add("cgroup_memory_limit_bytes", self.memory_limit_bytes.map(|bytes| bytes.to_string()));
        add("clock_read_ns", Some(self.clock_read_ns.to_string()));
        add("clock_resolution_ns", Some(self.clock_resolution_ns.to_string()));
        add("clock_source", self.clock_source.clone());
        add("cpu_sleep", Some(self.sleep.to_string()));
        add("cores", Some(self.cores.len().to_string()));
        add("cpu_list", Some(list_text(&self.cpus)));
        add(
            "descriptors_hard",
            Some(self.descriptors_hard.map_or("unlimited".into(), |limit| limit.to_string())),
        );
        add("governor", Some(self.governors.iter().cloned().collect::<Vec<_>>().join(", ")));
        add("jdks", Some(jdks.join("; ")));
        add("load_1m_at_start", self.load_1m.map(|load| load.to_string()));
        add("memory_available_bytes", self.memory_available_bytes.map(|bytes| bytes.to_string()));
        add("somaxconn", self.somaxconn.map(|value| value.to_string()));
        add("tcp_tw_reuse", self.tcp_tw_reuse.map(|value| value.to_string()));
        add("virtual_machine", Some(if self.is_virtual { "yes" } else { "no" }.to_string()));
        facts
    }
}

/// A digest that tells machines apart without naming them. The machine id itself is never recorded
/// (machine-id(5) asks for exactly this); without one the host's name takes its place.
fn machine_digest(root: &Root, cpu_model: &str) -> String {
    let identity = ["/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/hostname"]
        .iter()
        .find_map(|file| root.text(file).filter(|text| !text.is_empty()))
        .unwrap_or_default();
    let digest = Sha256::digest(format!("proofload machine\n{identity}\n{cpu_model}\n"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `model name` on x86; on ARM only the part's numbers are there.
fn cpu_model(text: &str) -> String {
    let value = |key: &str| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then(|| value.trim().to_string())
        })
    };
    value("model name").or_else(|| value("Model")).unwrap_or_else(|| {
        match (value("CPU implementer"), value("CPU part")) {
            (Some(implementer), Some(part)) => format!("ARM implementer {implementer}, part {part}"),
            _ => "unknown".to_string(),
        }
    })
}

/// Whether a hypervisor runs this machine.
pub(super) fn is_virtual(root: &Root) -> bool {
    has_flag(&root.text("/proc/cpuinfo").unwrap_or_default(), "hypervisor")
}

fn has_flag(text: &str, flag: &str) -> bool {
    text.lines().any(|line| line.starts_with("flags") && line.split_whitespace().any(|word| word == flag))
}

/// `MemTotal:       24684084 kB` in bytes.
pub(super) fn memory_line(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split(':').next() == Some(key))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

fn ports(text: &str) -> Option<(u16, u16)> {
    let mut words = text.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

fn governors(root: &Root, cpus: &[usize]) -> BTreeSet<String> {
    cpus.iter()
        .filter_map(|cpu| root.text(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor")))
        .collect()
}

/// The folders of this process's cgroup for a controller, from its own up to the top. Both hierarchies: in a
/// container without a namespace of its own the paths may not exist, and the top alone is left.
fn cgroup_folders(root: &Root, controller: &str) -> Vec<PathBuf> {
    let text = root.text("/proc/self/cgroup").unwrap_or_default();
    let mut folders = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let mounts: Vec<PathBuf> = if controllers.is_empty() {
            vec!["/sys/fs/cgroup".into(), "/sys/fs/cgroup/unified".into()]
        } else if controllers.split(',').any(|name| name == controller) {
            vec![Path::new("/sys/fs/cgroup").join(controller), Path::new("/sys/fs/cgroup").join(controllers)]
        } else {
            continue;
        };
        for mount in mounts {
            let below = mount.join(path.trim_start_matches('/'));
            let levels = below.ancestors().take(CGROUP_LEVELS_MAX);
            folders.extend(levels.take_while(|folder| folder.starts_with(&mount)).map(Path::to_path_buf));
        }
    }
    folders
}

/// CPUs of the cgroup's cpuset; empty when there is none.
pub(crate) fn cpuset(root: &Root) -> Vec<usize> {
    const FILES: [&str; 3] = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
    cgroup_folders(root, "cpuset")
        .iter()
        .flat_map(|folder| FILES.map(|file| folder.join(file)))
        .find_map(|file| root.text(file).map(|text| cpus::parse_list(&text)).filter(|cpus| !cpus.is_empty()))
        .unwrap_or_default()
}

/// The tightest limit of CPU time on the way to the top, in CPUs: `cpu.max` (v2: quota and period, or `max`) or
/// `cpu.cfs_quota_us` (v1: -1 for none).
fn cpu_quota(root: &Root) -> Option<f64> {
    let share = |quota: &str, period: &str| -> Option<f64> {
        let (quota, period): (f64, f64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
        (quota > 0.0 && period > 0.0).then(|| quota / period)
    };
    cgroup_folders(root, "cpu")
        .iter()
        .filter_map(|folder| {
            let v2 = root.text(folder.join("cpu.max"));
            let from_v2 = v2.as_deref().and_then(|text| text.split_once(' ')).and_then(|(q, p)| share(q, p));
            from_v2.or_else(|| {
                share(
                    &root.text(folder.join("cpu.cfs_quota_us"))?,
                    &root.text(folder.join("cpu.cfs_period_us"))?,
                )
            })
        })
        .min_by(f64::total_cmp)
}

/// The tightest limit of memory on the way to the top, when it is below the machine's memory.
fn memory_limit(root: &Root) -> Option<u64> {
    let memory = memory_line(&root.text("/proc/meminfo")?, "MemTotal")?;
    cgroup_folders(root, "memory")
        .iter()
        .flat_map(|folder| [folder.join("memory.max"), folder.join("memory.limit_in_bytes")])
        .filter_map(|file| root.number::<u64>(file))
        .filter(|&limit| limit < memory)
        .min()
}

/// Who measures at the moment, as the doctor needs it.
pub(crate) fn lock_holder() -> Result<Option<lock::Holder>, String> {
    lock::holder().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
