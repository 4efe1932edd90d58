//! Is this machine fit to measure, and is everything there that studies need?

use super::awake::Sleep;
use super::cpus::{self, Shortage, list_text};
use super::facts::Facts;
use super::leftovers;
use super::lock::{self, Holder};

/// With fewer descriptors a ladder of connections ends early.
const DESCRIPTORS_GOOD_MIN: u64 = 4096;
/// With fewer not even a JVM with a few hundred connections runs.
const DESCRIPTORS_MIN: u64 = 1024;
/// Ephemeral ports of an untouched Linux are 28,232.
const PORTS_GOOD_MIN: u32 = 16_000;
/// With a shorter queue a burst of connections is dropped before the subject sees it.
const SOMAXCONN_GOOD_MIN: u64 = 1024;
/// A clock that costs more shows in the generator's own CPU time: it is read once for each answer.
const CLOCK_READ_GOOD_NS_MAX: u64 = 200;
/// Two JVMs with heaps of 256 MiB, and the generator.
const MEMORY_GOOD_MIN: u64 = 1 << 30;
const MEMORY_MIN: u64 = 256 << 20;
/// A machine that is at least this busy, as a share of its CPUs, is not quiet.
const LOAD_SHARE_GOOD_MAX: f64 = 0.25;
/// Releases that the catalogue's subjects ask for, and how to get them.
const JDKS: [(u32, &str); 2] = [
    (17, "apt-get install openjdk-17-jdk-headless, or set JAVA_HOME"),
    (
        25,
        "install Temurin 25 from adoptium.net below /usr/lib/jvm, or set JAVA_HOME; only studies that ask for it need it",
    ),
];

/// How a finding is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// As it should be.
    Good,
    /// Measuring works; something will be limited, missing or less exact.
    Warning,
    /// Measuring does not work, or its figures would mislead.
    Bad,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoctorFinding {
    /// What was looked at: `cores`, `jdk 17`.
    pub subject: String,
    /// How it is.
    pub state: State,
    /// What was found, in a sentence.
    pub what: String,
    /// What to do; empty when all is good.
    pub remedy: String,
}

/// Looks at everything.
pub fn doctor() -> Vec<DoctorFinding> {
    let facts = Facts::read();
    let mut findings = audit_machine(&facts);
    findings.extend(audit_tools(&facts));
    findings.push(audit_lock(lock::holder().map_err(|error| error.to_string())));
    findings.push(audit_leftovers(&leftovers::find()));
    findings
}

/// What concerns every measurement on this machine; goes into the record too.
pub(crate) fn audit_machine(facts: &Facts) -> Vec<DoctorFinding> {
    let mut findings = vec![audit_cores(facts)];
    findings.extend(audit_governor(facts));
    findings.push(audit_sleep(facts));
    findings.push(audit_load(facts));
    findings.push(audit_memory(facts));
    findings.push(audit_descriptors(facts));
    findings.push(audit_ports(facts));
    findings.extend(audit_queue(facts));
    findings.push(audit_clock(facts));
    findings
}

fn finding(subject: &str, state: State, what: String, remedy: &str) -> DoctorFinding {
    let remedy = if state == State::Good { "" } else { remedy };
    DoctorFinding { subject: subject.to_string(), state, what, remedy: remedy.to_string() }
}

fn audit_cores(facts: &Facts) -> DoctorFinding {
    let count = facts.cpus.len();
    let names = list_text(&facts.cpus);
    if let Some(quota) = facts.cpu_quota.filter(|&quota| quota < count as f64) {
        let what = format!(
            "the cgroup allows {quota:.2} CPUs' worth of time on {count} CPUs ({names}): it stops everything for \
             the rest of a period when that is used up"
        );
        return finding(
            "cores",
            State::Warning,
            what,
            "give whole CPUs (docker --cpuset-cpus) and not a share",
        );
    }
    let share = cpus::share_by(&facts.cpus, &facts.cores);
    let Some(shortage) = share.shortage else {
        let (ours, theirs) = (list_text(&share.generator), list_text(&share.subject));
        let cores = facts.cores.len();
        let what = format!("{count} CPUs on {cores} cores: {ours} for the generator, {theirs} for subjects");
        return finding("cores", State::Good, what, "");
    };
    let (what, state) = match shortage {
        Shortage::OneCpu(cpu) => (
            format!(
                "generator and subjects share CPU {cpu}, the only one: they slow each other down, and no figure of \
                 speed is the subject's alone"
            ),
            State::Bad,
        ),
        Shortage::OneCore => (
            "generator and subjects run on hardware threads of one core: they slow each other down".to_string(),
            State::Warning,
        ),
        Shortage::TwoCpus => (
            "two CPUs, one for the generator and one for all subjects: a subject that needs several cores is not \
             seen at its best"
                .to_string(),
            State::Warning,
        ),
    };
    let remedy = match state {
        State::Bad => "measure on a machine with two cores or more",
        _ => "four cores or more leave room for both sides",
    };
    finding("cores", state, what, remedy)
}

fn audit_governor(facts: &Facts) -> Option<DoctorFinding> {
    if facts.governors.is_empty() {
        return None;
    }
    let names: Vec<&str> = facts.governors.iter().map(String::as_str).collect();
    let state = if names == ["performance"] { State::Good } else { State::Warning };
    let what = match state {
        State::Good => "all CPUs run under the governor performance".to_string(),
        _ => format!(
            "frequency governor {}: the clock rate follows the load, and the variant",
            names.join(", ")
        ),
    };
    Some(finding("governor", state, what, "cpupower frequency-set -g performance (as root)"))
}

fn audit_sleep(facts: &Facts) -> DoctorFinding {
    let remedy = match facts.is_virtual {
        true => {
            "measure as root or with the right to write /dev/cpu_dma_latency; without idle states: modprobe \
             cpuidle-haltpoll"
        }
        false => "measure as root, or with the right to write /dev/cpu_dma_latency",
    };
    let (state, what) = match &facts.sleep {
        Sleep::AtMost { waking_us: 0 } => {
            (State::Good, "CPUs are kept awake while somebody measures".to_string())
        }
        Sleep::AtMost { waking_us } => {
            (State::Good, format!("CPUs sleep no deeper than {waking_us} us while somebody measures"))
        }
        Sleep::AsItLikes { why } if facts.is_virtual => {
            let what =
                "CPUs that sleep are given to other guests, and waking them takes milliseconds at times";
            (State::Warning, format!("{what} ({why})"))
        }
        Sleep::AsItLikes { why } => {
            (State::Warning, format!("CPUs sleep between answers, and waking them takes time ({why})"))
        }
    };
    finding("sleep", state, what, remedy)
}

fn audit_load(facts: &Facts) -> DoctorFinding {
    let remedy = "end what else is running, or wait until it is done";
    let Some(load) = facts.load_1m else {
        return finding("load", State::Warning, "the load average cannot be read".to_string(), remedy);
    };
    let busy = load > LOAD_SHARE_GOOD_MAX * facts.cpus.len() as f64;
    let state = if busy { State::Warning } else { State::Good };
    let what = match state {
        State::Good => format!("quiet: {load} processes wanted to run in the last minute"),
        _ => format!("{load} processes wanted to run in the last minute, on {} CPUs", facts.cpus.len()),
    };
    finding("load", state, what, remedy)
}

fn audit_memory(facts: &Facts) -> DoctorFinding {
    let available = facts.memory_available_bytes.unwrap_or(facts.memory_bytes);
    let usable = facts.memory_limit_bytes.map_or(available, |limit| limit.min(available));
    let state = match usable {
        MEMORY_GOOD_MIN.. => State::Good,
        MEMORY_MIN.. => State::Warning,
        _ => State::Bad,
    };
    let mebibytes = |bytes: u64| bytes >> 20;
    let mut what = format!("{} MiB of {} MiB available", mebibytes(available), mebibytes(facts.memory_bytes));
    if let Some(limit) = facts.memory_limit_bytes {
        what += &format!(", the cgroup allows {} MiB", mebibytes(limit));
    }
    finding("memory", state, what, "end other programs, raise the limit, or give the subjects a smaller heap")
}

fn audit_descriptors(facts: &Facts) -> DoctorFinding {
    let text = |limit: Option<u64>| limit.map_or("unlimited".to_string(), |limit| limit.to_string());
    let soft = facts.descriptors_soft.unwrap_or(u64::MAX);
    let state = match soft {
        DESCRIPTORS_GOOD_MIN.. => State::Good,
        DESCRIPTORS_MIN.. => State::Warning,
        _ => State::Bad,
    };
    let what = format!(
        "{} open files for each process, {} at most: a connection takes one on each side",
        text(facts.descriptors_soft),
        text(facts.descriptors_hard)
    );
    let remedy = match facts.descriptors_hard {
        Some(hard) if hard <= soft => {
            "raise the hard limit (LimitNOFILE=, /etc/security/limits.conf)".to_string()
        }
        hard => format!("ulimit -n {}", hard.unwrap_or(1 << 20).min(1 << 20)),
    };
    finding("descriptors", state, what, &remedy)
}

fn audit_ports(facts: &Facts) -> DoctorFinding {
    let remedy = "sysctl net.ipv4.ip_local_port_range=\"15000 60999\" (as root)";
    let Some((first, last)) = facts.ephemeral_ports else {
        return finding(
            "ports",
            State::Warning,
            "the range of ephemeral ports cannot be read".to_string(),
            remedy,
        );
    };
    let count = (u32::from(last) + 1).saturating_sub(u32::from(first));
    let reuse = match facts.tcp_tw_reuse {
        Some(1 | 2) => "; on loopback one that was closed is reused after a second",
        _ => "; one that was closed waits for a minute (net.ipv4.tcp_tw_reuse)",
    };
    let state = if count < PORTS_GOOD_MIN { State::Warning } else { State::Good };
    let what =
        format!("{count} ephemeral ports ({first} to {last}): as many connections to one address{reuse}");
    finding("ports", state, what, remedy)
}

fn audit_queue(facts: &Facts) -> Option<DoctorFinding> {
    let limit = facts.somaxconn?;
    let state = if limit < SOMAXCONN_GOOD_MIN { State::Warning } else { State::Good };
    let what = format!("a listener queues at most {limit} connections that were not accepted yet");
    Some(finding("accept queue", state, what, "sysctl net.core.somaxconn=4096 (as root)"))
}

fn audit_clock(facts: &Facts) -> DoctorFinding {
    let source = facts.clock_source.as_deref().unwrap_or("unknown");
    let (read_ns, step_ns) = (facts.clock_read_ns, facts.clock_resolution_ns);
    let state = match source {
        "hpet" | "acpi_pm" | "jiffies" | "refined-jiffies" => State::Bad,
        _ if read_ns > CLOCK_READ_GOOD_NS_MAX || step_ns > 1000 => State::Warning,
        _ => State::Good,
    };
    let what = format!("clock source {source}: a step of {step_ns} ns, {read_ns} ns for each read");
    finding("clock", state, what, "boot with clocksource=tsc, or measure on another machine")
}

/// What only some studies need.
fn audit_tools(facts: &Facts) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for (major, remedy) in JDKS {
        let found: Vec<String> = facts
            .jdks
            .iter()
            .filter(|jdk| jdk.major == major && jdk.has_compiler)
            .map(|jdk| jdk.to_string())
            .collect();
        let (state, what) = match found.is_empty() {
            true => {
                (State::Warning, format!("no JDK {major} found: its subjects cannot be built or started"))
            }
            false => (State::Good, found.join("; ")),
        };
        findings.push(finding(&format!("jdk {major}"), state, what, remedy));
    }
    findings.push(match &facts.maven {
        Some(path) => finding("maven", State::Good, path.display().to_string(), ""),
        None => finding(
            "maven",
            State::Warning,
            "no mvn on the PATH: Java subjects that are not in the cache yet cannot be fetched".to_string(),
            "apt-get install maven",
        ),
    });
    findings
}

fn audit_lock(holder: Result<Option<Holder>, String>) -> DoctorFinding {
    match holder {
        Ok(None) => finding("lock", State::Good, "nobody measures on this machine".to_string(), ""),
        Ok(Some(holder)) => finding(
            "lock",
            State::Warning,
            format!("{holder} measures on this machine"),
            "wait for it, or end it",
        ),
        Err(error) => finding("lock", State::Bad, error, "remove what is at that path"),
    }
}

fn audit_leftovers(pids: &[u32]) -> DoctorFinding {
    if pids.is_empty() {
        return finding("leftovers", State::Good, "no subject outlived its run".to_string(), "");
    }
    let names: Vec<String> = pids.iter().map(u32::to_string).collect();
    let what = format!("processes of runs whose Proofload and keeper were killed: {}", names.join(", "));
    finding("leftovers", State::Warning, what, "proofload doctor --clean")
}

#[cfg(test)]
mod tests;
