//! Is this machine fit to measure, and is everything there that studies need?
//!
//! Findings are figures; the report has the sentences. A record keeps those that limit what is measured.

use super::awake::Sleep;
use super::cpus::{self, CpuShare, Shortage};
use super::facts::Facts;
use super::jdk::Jdk;
use super::lock::{self, Holder, LockError};
use super::orphans;
use proofload_facts::Finding as Recorded;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// With fewer descriptors a ladder of connections ends early.
const DESCRIPTORS_GOOD_MIN: u64 = 4096;
/// With fewer not even a JVM with a few hundred connections runs.
const DESCRIPTORS_MIN: u64 = 1024;
/// Ephemeral ports of an untouched Linux are 28,232.
const PORTS_GOOD_MIN: usize = 16_000;
/// With a shorter queue a burst of connections is dropped before the subject sees it.
const SOMAXCONN_GOOD_MIN: u64 = 1024;
/// A clock that costs more shows in the generator's own CPU time: it is read once for each answer.
const CLOCK_READ_GOOD_NS_MAX: u64 = 200;
/// A coarser clock cannot time answers that take microseconds.
const CLOCK_STEP_GOOD_NS_MAX: u64 = 1000;
/// Two JVMs with heaps of 256 MiB, and the generator.
const MEMORY_GOOD_MIN: u64 = 1 << 30;
const MEMORY_MIN: u64 = 256 << 20;
/// A machine that is at least this busy, as a share of its CPUs, is not quiet.
const LOAD_SHARE_GOOD_MAX: f64 = 0.25;
/// Java releases that the catalogue's subjects ask for.
const JDKS: [u32; 2] = [17, 25];

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Good,
    /// Measuring works; something will be limited, missing or less exact.
    Warning,
    /// Measuring does not work, or its figures would mislead.
    Bad,
}

/// One examined property, and its value; `None` if it cannot be read, does not exist or has no limit.
#[derive(Debug)]
pub enum Finding {
    /// `quota`: how many CPUs' worth of time the cgroup allows, when that is less than they have.
    Cores {
        cpus: Vec<usize>,
        cores: usize,
        quota: Option<f64>,
        share: CpuShare,
    },
    Governors(BTreeSet<String>),
    Sleep {
        sleep: Sleep,
        is_virtual: bool,
    },
    /// `processes`: that wanted to run, on average over the last minute.
    Load {
        processes: Option<f64>,
        cpus: usize,
    },
    Memory {
        bytes: u64,
        available_bytes: u64,
        limit_bytes: Option<u64>,
    },
    /// Open files that each process may have.
    Descriptors {
        soft: Option<u64>,
        hard: Option<u64>,
    },
    /// Ephemeral ones; `reused`: on loopback one that was closed is, after a second.
    Ports {
        range: Option<RangeInclusive<u16>>,
        reused: bool,
    },
    /// Connections that a listener queues at most.
    AcceptQueue(u64),
    Clock {
        source: Option<String>,
        step_ns: u64,
        read_ns: u64,
    },
    /// Those of a release that have a compiler.
    Jdk {
        major: u32,
        found: Vec<Jdk>,
    },
    Maven(Option<PathBuf>),
    /// Holder of the measuring lock on this machine.
    Lock(Result<Option<Holder>, LockError>),
    /// Processes of subjects that outlived their run.
    Orphans(Vec<u32>),
}

impl Finding {
    /// Severity.
    pub fn state(&self) -> State {
        let good_if = |good: bool| if good { State::Good } else { State::Warning };
        let above = |amount: u64, good_min: u64, min: u64| match amount {
            _ if amount >= good_min => State::Good,
            _ if amount >= min => State::Warning,
            _ => State::Bad,
        };
        match self {
            Finding::Cores { quota: Some(_), .. } => State::Warning,
            Finding::Cores { share, .. } => match share.shortage {
                None => State::Good,
                Some(Shortage::OneCpu(_)) => State::Bad,
                Some(Shortage::OneCore | Shortage::TwoCpus) => State::Warning,
            },
            Finding::Governors(names) => good_if(names.iter().eq(["performance"])),
            Finding::Sleep { sleep, .. } => good_if(matches!(sleep, Sleep::AtMost { .. })),
            Finding::Load { processes, cpus } => {
                good_if(processes.is_some_and(|count| count <= LOAD_SHARE_GOOD_MAX * *cpus as f64))
            }
            Finding::Memory { available_bytes, limit_bytes, .. } => {
                above(limit_bytes.unwrap_or(u64::MAX).min(*available_bytes), MEMORY_GOOD_MIN, MEMORY_MIN)
            }
            Finding::Descriptors { soft, .. } => {
                above(soft.unwrap_or(u64::MAX), DESCRIPTORS_GOOD_MIN, DESCRIPTORS_MIN)
            }
            Finding::Ports { range, .. } => {
                good_if(range.as_ref().is_some_and(|ports| ports.len() >= PORTS_GOOD_MIN))
            }
            Finding::AcceptQueue(most) => good_if(*most >= SOMAXCONN_GOOD_MIN),
            Finding::Clock { source, step_ns, read_ns } => match source.as_deref() {
                Some("hpet" | "acpi_pm" | "jiffies" | "refined-jiffies") => State::Bad,
                _ => good_if(*read_ns <= CLOCK_READ_GOOD_NS_MAX && *step_ns <= CLOCK_STEP_GOOD_NS_MAX),
            },
            Finding::Jdk { found, .. } => good_if(!found.is_empty()),
            Finding::Maven(path) => good_if(path.is_some()),
            Finding::Lock(Ok(holder)) => good_if(holder.is_none()),
            Finding::Lock(Err(_)) => State::Bad,
            Finding::Orphans(pids) => good_if(pids.is_empty()),
        }
    }
}

impl Finding {
    /// Part of it that a record keeps; nothing if it is as it should be, or concerns no measurement.
    pub(crate) fn recorded(&self) -> Option<Recorded> {
        if self.state() == State::Good {
            return None;
        }
        Some(match self {
            Finding::Cores { cpus, quota: Some(quota), .. } => {
                Recorded::CpuQuota { quota: *quota, cpus: cpus.len() as u32 }
            }
            Finding::Cores { share, .. } => match share.shortage? {
                Shortage::OneCpu(cpu) => Recorded::OneCpu { cpu: cpu as u32 },
                Shortage::OneCore => Recorded::OneCore,
                Shortage::TwoCpus => Recorded::TwoCpus,
            },
            Finding::Governors(names) => Recorded::Governor { names: names.iter().cloned().collect() },
            Finding::Sleep { sleep, is_virtual } => {
                let Sleep::AsItLikes { why } = sleep else { return None };
                Recorded::CpusSleep { given_away: *is_virtual, why: Box::new(why.clone()) }
            }
            Finding::Load { processes: Some(processes), cpus } => {
                Recorded::MachineBusy { processes: *processes, cpus: *cpus as u32 }
            }
            Finding::Load { processes: None, .. } => Recorded::LoadUnknown,
            Finding::Memory { bytes, available_bytes, .. } => {
                Recorded::LittleMemory { available_bytes: *available_bytes, bytes: *bytes }
            }
            Finding::Descriptors { soft, .. } => Recorded::FewDescriptors { soft: (*soft)? },
            Finding::Ports { range, .. } => {
                let range = range.as_ref()?;
                let (first, last) = (range.start().to_string(), range.end().to_string());
                Recorded::FewPorts { ports: range.len() as u32, first, last }
            }
            Finding::AcceptQueue(most) => Recorded::ShortAcceptQueue { most: *most },
            Finding::Clock { source, step_ns, read_ns } => {
                let source = source.clone().unwrap_or_default();
                Recorded::SlowClock { source, step_ns: *step_ns, read_ns: *read_ns }
            }
            Finding::Jdk { .. } | Finding::Maven(_) | Finding::Lock(_) | Finding::Orphans(_) => {
                return None;
            }
        })
    }
}

pub fn doctor() -> Vec<Finding> {
    let facts = Facts::read();
    let mut findings = audit_machine(&facts);
    findings.extend(audit_tools(&facts));
    findings.extend([Finding::Lock(lock::holder()), Finding::Orphans(orphans::find())]);
    findings
}

/// Findings that concern every measurement on this machine; they go into the record too.
pub(crate) fn audit_machine(facts: &Facts) -> Vec<Finding> {
    let mut findings = vec![audit_cores(facts)];
    if !facts.governors.is_empty() {
        findings.push(Finding::Governors(facts.governors.clone()));
    }
    findings.extend([
        Finding::Sleep { sleep: facts.sleep.clone(), is_virtual: facts.is_virtual },
        Finding::Load { processes: facts.load_1m, cpus: facts.cpus.len() },
        Finding::Memory {
            bytes: facts.memory_bytes,
            available_bytes: facts.memory_available_bytes.unwrap_or(facts.memory_bytes),
            limit_bytes: facts.memory_limit_bytes,
        },
        Finding::Descriptors { soft: facts.descriptors_soft, hard: facts.descriptors_hard },
        Finding::Ports {
            range: facts.ephemeral_ports.map(|(first, last)| first..=last),
            reused: matches!(facts.tcp_tw_reuse, Some(1 | 2)),
        },
    ]);
    findings.extend(facts.somaxconn.map(Finding::AcceptQueue));
    findings.push(Finding::Clock {
        source: facts.clock_source.clone(),
        step_ns: facts.clock_resolution_ns,
        read_ns: facts.clock_read_ns,
    });
    findings
}

fn audit_cores(facts: &Facts) -> Finding {
    Finding::Cores {
        cpus: facts.cpus.clone(),
        cores: facts.cores.len(),
        quota: facts.cpu_quota.filter(|&quota| quota < facts.cpus.len() as f64),
        share: cpus::share_by(&facts.cpus, &facts.cores),
    }
}

/// Findings that concern only some studies.
fn audit_tools(facts: &Facts) -> Vec<Finding> {
    let jdks = |major: u32| {
        let fitting = facts.jdks.iter().filter(|jdk| jdk.major == major && jdk.has_compiler);
        Finding::Jdk { major, found: fitting.cloned().collect() }
    };
    JDKS.map(jdks).into_iter().chain([Finding::Maven(facts.maven.clone())]).collect()
}

#[cfg(test)]
mod tests;
