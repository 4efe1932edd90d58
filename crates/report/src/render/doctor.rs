//! Findings about this machine, and remedies.

use proofload_host::cpus::{CpuShare, Shortage, list_text};
use proofload_host::{Finding, Sleep, State};
use proofload_language::facts::told;
use proofload_language::tr;
use std::ops::RangeInclusive;
use unicode_width::UnicodeWidthStr;

/// Everything that was looked at, a line each; below it what to do, where something is not as it should be.
pub fn doctor_text(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|finding| {
        let said = doctor_finding(finding);
        let state = match finding.state() {
            State::Good => return in_column(tr!("doctor-text-good"), &said),
            State::Warning => tr!("doctor-text-warning"),
            State::Bad => tr!("doctor-text-bad"),
        };
        in_column(state, &said) + &in_column("", &remedy(finding))
    });
    lines.collect()
}

/// Columns of the word before a line.
const STATE: usize = 8;

/// A line with a word before it, the words in a column.
pub fn in_column(word: &str, text: &str) -> String {
    format!("{word}{} {text}\n", " ".repeat(STATE.saturating_sub(word.width())))
}

/// `accept queue: a listener queues at most …`: what was looked at, and what was found.
fn doctor_finding(finding: &Finding) -> String {
    let is_good = finding.state() == State::Good;
    match finding {
        Finding::Cores { cpus, cores, quota, share } => {
            tr!("doctor-finding-cores", division = division(cpus, *cores, *quota, share))
        }
        Finding::Governors(_) if is_good => tr!("doctor-finding-governor-all-cpus-run").into(),
        Finding::Governors(names) => {
            let names = listed(names, tr!("between-items"));
            tr!("doctor-finding-governor-frequency-governor-the", names)
        }
        Finding::Sleep { sleep, is_virtual } => {
            tr!("doctor-finding-sleep", asleep = asleep(sleep, *is_virtual))
        }
        Finding::Load { processes: None, .. } => tr!("doctor-finding-load-the-load-average").into(),
        Finding::Load { processes: Some(count), cpus } => {
            tr!("doctor-load", quiet = is_good, count = count.to_string(), cpus)
        }
        Finding::Memory { bytes, available_bytes, limit_bytes } => tr!(
            "doctor-memory",
            available = available_bytes >> 20,
            all = bytes >> 20,
            limit = limit_bytes.map(|limit| limit >> 20)
        ),
        Finding::Descriptors { soft, hard } => {
            let text = |limit: &Option<u64>| {
                limit.map_or(tr!("doctor-finding-unlimited").to_string(), |limit| limit.to_string())
            };
            let (soft, hard) = (text(soft), text(hard));
            tr!("doctor-finding-descriptors-open-files-for", soft, hard)
        }
        Finding::Ports { range: None, .. } => tr!("doctor-finding-ports-the-range-of").into(),
        Finding::Ports { range: Some(range), reused } => ports(range, *reused),
        Finding::AcceptQueue(most) => {
            tr!("doctor-finding-accept-queue-a-listener", most)
        }
        Finding::Clock { source, step_ns, read_ns } => {
            let source = source.as_deref().unwrap_or(tr!("doctor-finding-unknown"));
            tr!("doctor-finding-clock-clock-source-a", source, step_ns, read_ns)
        }
        Finding::Jdk { major, found } if found.is_empty() => {
            tr!("doctor-finding-jdk-no-jdk-found", major)
        }
        Finding::Jdk { major, found } => {
            tr!("doctor-finding-jdk", major, listed = listed(found, tr!("between-sentences")))
        }
        Finding::Maven(Some(path)) => tr!("doctor-finding-maven", path = path.display().to_string()),
        Finding::Maven(None) => tr!("doctor-finding-maven-no-mvn-on").into(),
        Finding::Lock(Ok(None)) => tr!("doctor-finding-lock-nobody-measures-on").into(),
        Finding::Lock(Ok(Some(holder))) => {
            tr!("doctor-finding-lock-measures-on-this", holder = holder.to_string())
        }
        Finding::Lock(Err(error)) => tr!("doctor-finding-lock", error = error.to_string()),
        Finding::Orphans(_) if is_good => tr!("doctor-finding-leftovers-no-subject-outlived").into(),
        Finding::Orphans(pids) => {
            let pids = listed(pids, tr!("between-items"));
            tr!("doctor-finding-leftovers-processes-of-runs", pids)
        }
    }
}

fn listed(items: impl IntoIterator<Item: ToString>, between: &str) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(between)
}

fn division(cpus: &[usize], cores: usize, quota: Option<f64>, share: &CpuShare) -> String {
    let (count, names) = (cpus.len(), list_text(cpus));
    if let Some(quota) = quota {
        return tr!("division-the-cgroup-allows-cpus", quota = format!("{quota:.2}"), count, names);
    }
    match share.shortage {
        None => {
            let (ours, theirs) = (list_text(&share.generator), list_text(&share.subject));
            tr!("division-cpus-on-cores-for", count, cores, ours, theirs)
        }
        Some(Shortage::OneCpu(cpu)) => tr!("division-generator-and-subjects-share", cpu),
        Some(Shortage::OneCore) => tr!("division-generator-and-subjects-run").into(),
        Some(Shortage::TwoCpus) => tr!("division-two-cpus-one-for").into(),
    }
}

fn asleep(sleep: &Sleep, is_virtual: bool) -> String {
    let why = match sleep {
        Sleep::AtMost { waking_us: 0 } => return tr!("asleep-cpus-are-kept-awake").into(),
        Sleep::AtMost { waking_us } => {
            return tr!("asleep-cpus-sleep-no-deeper", waking_us);
        }
        Sleep::AsItLikes { why } => told(why),
    };
    match is_virtual {
        true => tr!("asleep-cpus-that-sleep-are", why),
        false => tr!("asleep-cpus-sleep-between-answers", why),
    }
}

fn ports(range: &RangeInclusive<u16>, reused: bool) -> String {
    tr!("doctor-ports", count = range.len(), first = range.start(), last = range.end(), reused)
}

/// Remedy of a finding that is not good.
fn remedy(finding: &Finding) -> String {
    let text = match finding {
        Finding::Cores { quota: Some(_), .. } => tr!("remedy-give-whole-cpus-docker"),
        Finding::Cores { share, .. } => match share.shortage {
            Some(Shortage::OneCpu(_)) => tr!("remedy-measure-on-a-machine"),
            _ => tr!("remedy-four-cores-or-more"),
        },
        Finding::Governors(_) => tr!("remedy-cpupower-frequency-set-g"),
        Finding::Sleep { is_virtual: true, .. } => {
            tr!("remedy-measure-as-root-or")
        }
        Finding::Sleep { .. } => tr!("remedy-measure-as-root-or-with-the"),
        Finding::Load { .. } => tr!("remedy-end-what-else-is"),
        Finding::Memory { .. } => tr!("remedy-end-other-programs-raise"),
        Finding::Descriptors { soft: Some(soft), hard: Some(hard) } if hard <= soft => {
            tr!("remedy-raise-the-hard-limit")
        }
        Finding::Descriptors { hard, .. } => {
            return tr!("remedy-ulimit-n", hard = hard.unwrap_or(u64::MAX).min(1 << 20));
        }
        Finding::Ports { .. } => tr!("remedy-sysctl-net-ipv4-ip"),
        Finding::AcceptQueue(_) => tr!("remedy-sysctl-net-core-somaxconn"),
        Finding::Clock { .. } => tr!("remedy-boot-with-clocksource-tsc"),
        Finding::Jdk { major: 17, .. } => tr!("remedy-apt-get-install-openjdk"),
        Finding::Jdk { major, .. } => {
            return tr!("remedy-install-temurin-from-adoptium", major);
        }
        Finding::Maven(_) => tr!("remedy-apt-get-install-maven"),
        Finding::Lock(Ok(_)) => tr!("remedy-wait-for-it-or"),
        Finding::Lock(Err(_)) => tr!("remedy-remove-what-is-at"),
        Finding::Orphans(_) => tr!("remedy-proofload-doctor-clean"),
    };
    text.into()
}
