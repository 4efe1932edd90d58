//! The threads of a process tree, one by one. Reads two small files for each thread, so it is done beside the window.

use proofload_host::process::{field, read_text};
use proofload_store::schema::ThreadsUse;
use std::collections::BTreeMap;
use std::fs;

/// Most threads of a subject that are read.
pub(super) const THREADS_MAX: usize = 2048;
/// Most names that are listed.
const NAMES_MAX: usize = 24;
/// Name of all others.
const OTHERS: &str = "(others)";

/// One thread since it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Thread {
    pub name: String,
    /// `None` on kernels without scheduler statistics.
    pub cpu_ns: Option<u64>,
    pub voluntary: u64,
    pub involuntary: u64,
}

/// Threads by process and thread number.
pub(super) type Threads = BTreeMap<(u32, u32), Thread>;

/// All threads of these processes; `None` when they are too many to be read one by one.
pub(super) fn read(pids: &[u32]) -> Option<Threads> {
    let mut threads = Threads::new();
    for &pid in pids {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let Some(tid) = task.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if threads.len() >= THREADS_MAX {
                return None;
            }
            // One that ends meanwhile is left out.
            let status = read_text(&format!("/proc/{pid}/task/{tid}/status"));
            let Some(mut thread) = status.as_deref().and_then(parse_status) else { continue };
            let schedule = read_text(&format!("/proc/{pid}/task/{tid}/schedstat"));
            thread.cpu_ns = schedule.and_then(|text| text.split_whitespace().next()?.parse().ok());
            threads.insert((pid, tid), thread);
        }
    }
    Some(threads)
}

fn parse_status(text: &str) -> Option<Thread> {
    let name = text.lines().next()?.strip_prefix("Name:")?.trim();
    Some(Thread {
        name: name.to_string(),
        cpu_ns: None,
        voluntary: field(text, "voluntary_ctxt_switches:")?,
        involuntary: field(text, "nonvoluntary_ctxt_switches:")?,
    })
}

/// What was added between two readings, by name. Threads that ended in between are left out; new ones count
/// from their beginning.
pub(super) fn between(before: &Threads, after: &Threads) -> Vec<ThreadsUse> {
    let none = Thread::default();
    let mut groups: BTreeMap<String, ThreadsUse> = BTreeMap::new();
    for (id, now) in after {
        let then = before.get(id).unwrap_or(&none);
        let name = group_of(&now.name);
        let group =
            groups.entry(name.clone()).or_insert_with(|| ThreadsUse { name, ..ThreadsUse::default() });
        group.threads += 1;
        group.cpu_ns += now.cpu_ns.unwrap_or(0).saturating_sub(then.cpu_ns.unwrap_or(0));
        group.voluntary_switches += now.voluntary.saturating_sub(then.voluntary);
        group.involuntary_switches += now.involuntary.saturating_sub(then.involuntary);
    }
    let mut groups: Vec<ThreadsUse> = groups.into_values().collect();
    groups.sort_by(|a, b| b.cpu_ns.cmp(&a.cpu_ns).then_with(|| a.name.cmp(&b.name)));
    let rest = groups.split_off(groups.len().min(NAMES_MAX));
    let others = rest.into_iter().reduce(|sum, next| ThreadsUse {
        name: sum.name,
        threads: sum.threads + next.threads,
        cpu_ns: sum.cpu_ns + next.cpu_ns,
        voluntary_switches: sum.voluntary_switches + next.voluntary_switches,
        involuntary_switches: sum.involuntary_switches + next.involuntary_switches,
    });
    groups.extend(others.map(|others| ThreadsUse { name: OTHERS.to_string(), ..others }));
    groups
}

/// The pool of a thread: its name without the number at the end.
fn group_of(name: &str) -> String {
    let pool = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if pool.is_empty() { name.to_string() } else { pool.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(name: &str, cpu_ns: u64, switches: u64) -> Thread {
        Thread { name: name.into(), cpu_ns: Some(cpu_ns), voluntary: switches, involuntary: 1 }
    }

    #[test]
    fn a_captured_status_is_read() {
        let text = include_str!("../testdata/proc/process/thread.status");
        let thread = parse_status(text).unwrap();
        assert_eq!((thread.name.as_str(), thread.voluntary, thread.involuntary), ("GC Thread#0", 58, 63));
        assert_eq!(parse_status("Name:\tx\n"), None);
    }

    #[test]
    fn threads_of_a_pool_are_counted_together_and_newcomers_from_their_beginning() {
        let before = Threads::from([((1, 1), thread("exec-1", 100, 10)), ((1, 2), thread("gone", 5, 5))]);
        let after = Threads::from([((1, 1), thread("exec-1", 150, 12)), ((1, 3), thread("exec-12", 7, 3))]);
        let exec = ThreadsUse {
            name: "exec-".into(),
            threads: 2,
            cpu_ns: 57,
            voluntary_switches: 5,
            involuntary_switches: 1,
        };
        assert_eq!(between(&before, &after), [exec]);
    }

    #[test]
    fn names_beyond_the_limit_are_summed_and_nothing_is_lost() {
        let after: Threads =
            (0..40_u32).map(|n| ((1, n), thread(&format!("{n}x"), u64::from(n), 2))).collect();
        let groups = between(&Threads::new(), &after);
        assert_eq!((groups.len(), groups[0].cpu_ns), (NAMES_MAX + 1, 39));
        assert_eq!((groups[NAMES_MAX].name.as_str(), groups[NAMES_MAX].threads), (OTHERS, 16));
        assert_eq!(groups.iter().map(|group| group.cpu_ns).sum::<u64>(), (0..40).sum::<u64>());
    }

    #[test]
    fn switches_of_a_thread_that_waits_often_are_counted() {
        let (to_us, from_them) = std::sync::mpsc::channel();
        let (to_them, from_us) = std::sync::mpsc::channel::<()>();
        let pinger = std::thread::Builder::new().name("pinger-7".into()).spawn(move || {
            while from_us.recv().is_ok() {
                to_us.send(()).unwrap();
            }
        });
        let pid = [std::process::id()];
        let before = read(&pid).unwrap();
        for _ in 0..200 {
            to_them.send(()).unwrap();
            from_them.recv().unwrap();
            // Until it waits again: a receiver that spins is not switched away from.
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        let after = read(&pid).unwrap();
        drop(to_them);
        pinger.unwrap().join().unwrap();
        let groups = between(&before, &after);
        let pingers = groups.iter().find(|group| group.name == "pinger-").unwrap();
        let switches = pingers.voluntary_switches;
        assert!(pingers.threads == 1 && (100..=450).contains(&switches), "{pingers:?}");
    }
}
