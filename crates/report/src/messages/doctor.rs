//! What is said of this machine, and what to do about it.

use proofload_host::cpus::{CpuShare, Shortage, list_text};
use proofload_host::{Finding, Sleep, State, WhyUnlimited};
use std::ops::RangeInclusive;

/// Everything that was looked at, a line each; below it what to do, where something is not as it should be.
pub fn doctor_text(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|finding| {
        let said = doctor_finding(finding);
        let state = match finding.state() {
            State::Good => return format!("good     {said}\n"),
            State::Warning => "warning",
            State::Bad => "bad",
        };
        format!("{state:<8} {said}\n{:<8} {}\n", "", remedy(finding))
    });
    lines.collect()
}

/// `accept queue: a listener queues at most …`: what was looked at, and what was found.
pub fn doctor_finding(finding: &Finding) -> String {
    let is_good = finding.state() == State::Good;
    match finding {
        Finding::Cores { cpus, cores, quota, share } => {
            format!("cores: {}", division(cpus, *cores, *quota, share))
        }
        Finding::Governors(_) if is_good => "governor: all CPUs run under the governor performance".into(),
        Finding::Governors(names) => {
            let names = listed(names, ", ");
            format!("governor: frequency governor {names}: the clock rate follows the load, and the variant")
        }
        Finding::Sleep { sleep, is_virtual } => format!("sleep: {}", asleep(sleep, *is_virtual)),
        Finding::Load { processes: None, .. } => "load: the load average cannot be read".into(),
        Finding::Load { processes: Some(count), cpus } => {
            let said = format!("{count} processes wanted to run in the last minute");
            if is_good { format!("load: quiet: {said}") } else { format!("load: {said}, on {cpus} CPUs") }
        }
        Finding::Memory { bytes, available_bytes, limit_bytes } => {
            let limit = limit_bytes.map(|limit| format!(", the cgroup allows {} MiB", limit >> 20));
            let limit = limit.unwrap_or_default();
            format!("memory: {} MiB of {} MiB available{limit}", available_bytes >> 20, bytes >> 20)
        }
        Finding::Descriptors { soft, hard } => {
            let text = |limit: &Option<u64>| limit.map_or("unlimited".to_string(), |limit| limit.to_string());
            let (soft, hard) = (text(soft), text(hard));
            format!(
                "descriptors: {soft} open files for each process, {hard} at most: a connection takes one on each side"
            )
        }
        Finding::Ports { range: None, .. } => "ports: the range of ephemeral ports cannot be read".into(),
        Finding::Ports { range: Some(range), reused } => ports(range, *reused),
        Finding::AcceptQueue(most) => {
            format!("accept queue: a listener queues at most {most} connections that were not accepted yet")
        }
        Finding::Clock { source, step_ns, read_ns } => {
            let source = source.as_deref().unwrap_or("unknown");
            format!("clock: clock source {source}: a step of {step_ns} ns, {read_ns} ns for each read")
        }
        Finding::Jdk { major, found } if found.is_empty() => {
            format!("jdk {major}: no JDK {major} found: its subjects cannot be built or started")
        }
        Finding::Jdk { major, found } => format!("jdk {major}: {}", listed(found, "; ")),
        Finding::Maven(Some(path)) => format!("maven: {}", path.display()),
        Finding::Maven(None) => {
            "maven: no mvn on the PATH: Java subjects that are not in the cache yet cannot be fetched".into()
        }
        Finding::Lock(Ok(None)) => "lock: nobody measures on this machine".into(),
        Finding::Lock(Ok(Some(holder))) => format!("lock: {holder} measures on this machine"),
        Finding::Lock(Err(error)) => format!("lock: {error}"),
        Finding::Leftovers(_) if is_good => "leftovers: no subject outlived its run".into(),
        Finding::Leftovers(pids) => {
            let pids = listed(pids, ", ");
            format!("leftovers: processes of runs whose Proofload and keeper were killed: {pids}")
        }
    }
}

fn listed(items: impl IntoIterator<Item: ToString>, between: &str) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(between)
}

fn division(cpus: &[usize], cores: usize, quota: Option<f64>, share: &CpuShare) -> String {
    let (count, names) = (cpus.len(), list_text(cpus));
    if let Some(quota) = quota {
        return format!(
            "the cgroup allows {quota:.2} CPUs' worth of time on {count} CPUs ({names}): it stops everything for the rest \
             of a period when that is used up"
        );
    }
    match share.shortage {
        None => {
            let (ours, theirs) = (list_text(&share.generator), list_text(&share.subject));
            format!("{count} CPUs on {cores} cores: {ours} for the generator, {theirs} for subjects")
        }
        Some(Shortage::OneCpu(cpu)) => format!(
            "generator and subjects share CPU {cpu}, the only one: they slow each other down, and no figure of speed is \
             the subject's alone"
        ),
        Some(Shortage::OneCore) => {
            "generator and subjects run on hardware threads of one core: they slow each other down".into()
        }
        Some(Shortage::TwoCpus) => {
            "two CPUs, one for the generator and one for all subjects: a subject that needs several cores is not seen at \
             its best"
                .into()
        }
    }
}

fn asleep(sleep: &Sleep, is_virtual: bool) -> String {
    let why = match sleep {
        Sleep::AtMost { waking_us: 0 } => return "CPUs are kept awake while somebody measures".into(),
        Sleep::AtMost { waking_us } => {
            return format!("CPUs sleep no deeper than {waking_us} us while somebody measures");
        }
        Sleep::AsItLikes { why } => match why {
            WhyUnlimited::NotLooked => "not looked at".into(),
            WhyUnlimited::NoIdleStates => "the kernel leaves no choice of idle states".into(),
            WhyUnlimited::EachGivesAway => "each of its idle states gives the CPU away".into(),
            WhyUnlimited::NoLatency { state } => format!("{state} tells no latency"),
            WhyUnlimited::Refused { path, error } => format!("{path}: {error}"),
        },
    };
    match is_virtual {
        true => format!(
            "CPUs that sleep are given to other guests, and waking them takes milliseconds at times ({why})"
        ),
        false => format!("CPUs sleep between answers, and waking them takes time ({why})"),
    }
}

fn ports(range: &RangeInclusive<u16>, reused: bool) -> String {
    let closed = match reused {
        true => "on loopback one that was closed is reused after a second",
        false => "one that was closed waits for a minute (net.ipv4.tcp_tw_reuse)",
    };
    let (count, first, last) = (range.len(), range.start(), range.end());
    format!(
        "ports: {count} ephemeral ports ({first} to {last}): as many connections to one address; {closed}"
    )
}

/// What to do about a finding that is not good.
fn remedy(finding: &Finding) -> String {
    let text = match finding {
        Finding::Cores { quota: Some(_), .. } => "give whole CPUs (docker --cpuset-cpus) and not a share",
        Finding::Cores { share, .. } => match share.shortage {
            Some(Shortage::OneCpu(_)) => "measure on a machine with two cores or more",
            _ => "four cores or more leave room for both sides",
        },
        Finding::Governors(_) => "cpupower frequency-set -g performance (as root)",
        Finding::Sleep { is_virtual: true, .. } => {
            "measure as root or with the right to write /dev/cpu_dma_latency; without idle states: modprobe \
             cpuidle-haltpoll"
        }
        Finding::Sleep { .. } => "measure as root, or with the right to write /dev/cpu_dma_latency",
        Finding::Load { .. } => "end what else is running, or wait until it is done",
        Finding::Memory { .. } => "end other programs, raise the limit, or give the subjects a smaller heap",
        Finding::Descriptors { soft: Some(soft), hard: Some(hard) } if hard <= soft => {
            "raise the hard limit (LimitNOFILE=, /etc/security/limits.conf)"
        }
        Finding::Descriptors { hard, .. } => {
            return format!("ulimit -n {}", hard.unwrap_or(u64::MAX).min(1 << 20));
        }
        Finding::Ports { .. } => "sysctl net.ipv4.ip_local_port_range=\"15000 60999\" (as root)",
        Finding::AcceptQueue(_) => "sysctl net.core.somaxconn=4096 (as root)",
        Finding::Clock { .. } => "boot with clocksource=tsc, or measure on another machine",
        Finding::Jdk { major: 17, .. } => "apt-get install openjdk-17-jdk-headless, or set JAVA_HOME",
        Finding::Jdk { major, .. } => {
            return format!(
                "install Temurin {major} from adoptium.net below /usr/lib/jvm, or set JAVA_HOME; only studies that ask for \
                 it need it"
            );
        }
        Finding::Maven(_) => "apt-get install maven",
        Finding::Lock(Ok(_)) => "wait for it, or end it",
        Finding::Lock(Err(_)) => "remove what is at that path",
        Finding::Leftovers(_) => "proofload doctor --clean",
    };
    text.into()
}
