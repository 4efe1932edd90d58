//! Findings about this machine, and remedies.

use proofload_host::cpus::{CpuShare, Shortage, list_text};
use proofload_host::{Finding, Sleep, State};
use proofload_language::facts::told;
use proofload_language::{say, word};
use std::ops::RangeInclusive;
use unicode_width::UnicodeWidthStr;

/// Everything that was looked at, a line each; below it what to do, where something is not as it should be.
pub fn doctor_text(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|finding| {
        let said = doctor_finding(finding);
        let state = match finding.state() {
            State::Good => return in_column(word!("doctor-text-good"), &said),
            State::Warning => word!("doctor-text-warning"),
            State::Bad => word!("doctor-text-bad"),
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
            say!("doctor-finding-cores", division = division(cpus, *cores, *quota, share))
        }
        Finding::Governors(_) if is_good => word!("doctor-finding-governor-all-cpus-run").into(),
        Finding::Governors(names) => {
            let names = listed(names, word!("between-items"));
            say!("doctor-finding-governor-frequency-governor-the", names)
        }
        Finding::Sleep { sleep, is_virtual } => {
            say!("doctor-finding-sleep", asleep = asleep(sleep, *is_virtual))
        }
        Finding::Load { processes: None, .. } => word!("doctor-finding-load-the-load-average").into(),
        Finding::Load { processes: Some(count), cpus } => {
            say!("doctor-load", quiet = is_good, count = count.to_string(), cpus)
        }
        Finding::Memory { bytes, available_bytes, limit_bytes } => say!(
            "doctor-memory",
            available = available_bytes >> 20,
            all = bytes >> 20,
            limit = limit_bytes.map(|limit| limit >> 20)
        ),
        Finding::Descriptors { soft, hard } => {
            let text = |limit: &Option<u64>| {
                limit.map_or(word!("doctor-finding-unlimited").to_string(), |limit| limit.to_string())
            };
            let (soft, hard) = (text(soft), text(hard));
            say!("doctor-finding-descriptors-open-files-for", soft, hard)
        }
        Finding::Ports { range: None, .. } => word!("doctor-finding-ports-the-range-of").into(),
        Finding::Ports { range: Some(range), reused } => ports(range, *reused),
        Finding::AcceptQueue(most) => {
            say!("doctor-finding-accept-queue-a-listener", most)
        }
        Finding::Clock { source, step_ns, read_ns } => {
            let source = source.as_deref().unwrap_or(word!("doctor-finding-unknown"));
            say!("doctor-finding-clock-clock-source-a", source, step_ns, read_ns)
        }
        Finding::Jdk { major, found } if found.is_empty() => {
            say!("doctor-finding-jdk-no-jdk-found", major)
        }
        Finding::Jdk { major, found } => {
            say!("doctor-finding-jdk", major, listed = listed(found, word!("between-sentences")))
        }
        Finding::Maven(Some(path)) => say!("doctor-finding-maven", path = path.display().to_string()),
        Finding::Maven(None) => word!("doctor-finding-maven-no-mvn-on").into(),
        Finding::Lock(Ok(None)) => word!("doctor-finding-lock-nobody-measures-on").into(),
        Finding::Lock(Ok(Some(holder))) => {
            say!("doctor-finding-lock-measures-on-this", holder = holder.to_string())
        }
        Finding::Lock(Err(error)) => say!("doctor-finding-lock", error = error.to_string()),
        Finding::Orphans(_) if is_good => word!("doctor-finding-leftovers-no-subject-outlived").into(),
        Finding::Orphans(pids) => {
            let pids = listed(pids, word!("between-items"));
            say!("doctor-finding-leftovers-processes-of-runs", pids)
        }
    }
}

fn listed(items: impl IntoIterator<Item: ToString>, between: &str) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(between)
}

fn division(cpus: &[usize], cores: usize, quota: Option<f64>, share: &CpuShare) -> String {
    let (count, names) = (cpus.len(), list_text(cpus));
    if let Some(quota) = quota {
        return say!("division-the-cgroup-allows-cpus", quota = format!("{quota:.2}"), count, names);
    }
    match share.shortage {
        None => {
            let (ours, theirs) = (list_text(&share.generator), list_text(&share.subject));
            say!("division-cpus-on-cores-for", count, cores, ours, theirs)
        }
        Some(Shortage::OneCpu(cpu)) => say!("division-generator-and-subjects-share", cpu),
        Some(Shortage::OneCore) => word!("division-generator-and-subjects-run").into(),
        Some(Shortage::TwoCpus) => word!("division-two-cpus-one-for").into(),
    }
}

fn asleep(sleep: &Sleep, is_virtual: bool) -> String {
    let why = match sleep {
        Sleep::AtMost { waking_us: 0 } => return word!("asleep-cpus-are-kept-awake").into(),
        Sleep::AtMost { waking_us } => {
            return say!("asleep-cpus-sleep-no-deeper", waking_us);
        }
        Sleep::AsItLikes { why } => told(why),
    };
    match is_virtual {
        true => say!("asleep-cpus-that-sleep-are", why),
        false => say!("asleep-cpus-sleep-between-answers", why),
    }
}

fn ports(range: &RangeInclusive<u16>, reused: bool) -> String {
    say!("doctor-ports", count = range.len(), first = range.start(), last = range.end(), reused)
}

/// Remedy of a finding that is not good.
fn remedy(finding: &Finding) -> String {
    let text = match finding {
        Finding::Cores { quota: Some(_), .. } => word!("remedy-give-whole-cpus-docker"),
        Finding::Cores { share, .. } => match share.shortage {
            Some(Shortage::OneCpu(_)) => word!("remedy-measure-on-a-machine"),
            _ => word!("remedy-four-cores-or-more"),
        },
        Finding::Governors(_) => word!("remedy-cpupower-frequency-set-g"),
        Finding::Sleep { is_virtual: true, .. } => {
            word!("remedy-measure-as-root-or")
        }
        Finding::Sleep { .. } => word!("remedy-measure-as-root-or-with-the"),
        Finding::Load { .. } => word!("remedy-end-what-else-is"),
        Finding::Memory { .. } => word!("remedy-end-other-programs-raise"),
        Finding::Descriptors { soft: Some(soft), hard: Some(hard) } if hard <= soft => {
            word!("remedy-raise-the-hard-limit")
        }
        Finding::Descriptors { hard, .. } => {
            return say!("remedy-ulimit-n", hard = hard.unwrap_or(u64::MAX).min(1 << 20));
        }
        Finding::Ports { .. } => word!("remedy-sysctl-net-ipv4-ip"),
        Finding::AcceptQueue(_) => word!("remedy-sysctl-net-core-somaxconn"),
        Finding::Clock { .. } => word!("remedy-boot-with-clocksource-tsc"),
        Finding::Jdk { major: 17, .. } => word!("remedy-apt-get-install-openjdk"),
        Finding::Jdk { major, .. } => {
            return say!("remedy-install-temurin-from-adoptium", major);
        }
        Finding::Maven(_) => word!("remedy-apt-get-install-maven"),
        Finding::Lock(Ok(_)) => word!("remedy-wait-for-it-or"),
        Finding::Lock(Err(_)) => word!("remedy-remove-what-is-at"),
        Finding::Orphans(_) => word!("remedy-proofload-doctor-clean"),
    };
    text.into()
}
