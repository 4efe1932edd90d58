//! The facts about this machine that a result must be read with.

use super::awake::{self, Sleep};
use super::cpus::{self, list_text};
use super::jdk::{self, Jdk};
use super::root::Root;
use super::{cgroup, clock, settings};
use proofload_store::schema::BUILD;
use rustix::process::{Resource, getrlimit};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Everything known; values that could not be read are `None` or empty.
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
    /// `None` means no limit.
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
    /// First digits of the digest of this executable.
    pub build: Option<String>,
    /// Settings of the kernel and limits, by name.
    pub settings: BTreeMap<String, String>,
}

/// Memory that new processes can have: the amount that the kernel reports as available, within the limit of
/// the cgroup.
pub fn memory_available_bytes() -> Option<u64> {
    let root = Root::machine();
    let available = root.meminfo_bytes("MemAvailable")?;
    Some(cgroup::memory_limit(&root).map_or(available, |limit| available.min(limit)))
}

impl Facts {
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
            build: build().map(str::to_string),
            ..files
        }
    }

    /// The part that is in files of the kernel.
    pub(crate) fn read_files(root: &Root, cpus: Vec<usize>) -> Self {
        let cpu_text = root.text("/proc/cpuinfo").unwrap_or_default();
        let cpu_model = cpu_model(&cpu_text);
        Facts {
            machine: machine_digest(root, &cpu_model),
            kernel: root.text("/proc/sys/kernel/osrelease").unwrap_or_default(),
            is_virtual: cpus::is_virtual(root),
            cores: cpus::cores(root, &cpus),
            cpu_quota: cgroup::cpu_quota(root),
            memory_bytes: root.meminfo_bytes("MemTotal").unwrap_or(0),
            memory_available_bytes: root.meminfo_bytes("MemAvailable"),
            memory_limit_bytes: cgroup::memory_limit(root),
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

    /// Facts by name. A name is there only when its value is known.
    pub(crate) fn by_name(&self) -> BTreeMap<String, String> {
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
        add(BUILD, self.build.clone());
        add("somaxconn", self.somaxconn.map(|value| value.to_string()));
        add("tcp_tw_reuse", self.tcp_tw_reuse.map(|value| value.to_string()));
        add("virtual_machine", Some(if self.is_virtual { "yes" } else { "no" }.to_string()));
        facts
    }
}

/// The first digits of the SHA-256 of this executable: two builds of one version may measure differently.
fn build() -> Option<&'static str> {
    static BUILD: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let mut file = File::open("/proc/self/exe").ok()?;
        let mut digest = Sha256::new();
        let mut part = vec![0; 1 << 16];
        loop {
            match file.read(&mut part).ok()? {
                0 => break,
                read => digest.update(&part[..read]),
            }
        }
        Some(digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
    };
    BUILD.get_or_init(read).as_deref()
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

fn ports(text: &str) -> Option<(u16, u16)> {
    let mut words = text.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

fn governors(root: &Root, cpus: &[usize]) -> BTreeSet<String> {
    cpus.iter()
        .filter_map(|cpu| root.text(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor")))
        .collect()
}

#[cfg(test)]
mod tests;
