//! The threads of a process tree, one by one. Reads two small files for each thread, so it is done beside the window.

use super::balance;
use proofload_host::process::{field, read_text};
use proofload_store::schema::ThreadsUse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Most threads of a subject that are read.
pub(super) const THREADS_MAX: usize = 2048;
/// Most names that are listed.
const NAMES_MAX: usize = 24;
const OTHERS: &str = "(others)";

/// One thread since it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Thread {
    pub name: String,
    /// The process that started this thread's process.
    pub parent: u32,
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
        parent: u32::try_from(field(text, "PPid:")?).ok()?,
        cpu_ns: None,
        voluntary: field(text, "voluntary_ctxt_switches:")?,
        involuntary: field(text, "nonvoluntary_ctxt_switches:")?,
    })
}

/// Increase between two readings, by name. Threads that ended in between are left out; new ones count from their
/// beginning.
pub(super) fn between(before: &Threads, after: &Threads) -> Vec<ThreadsUse> {
    let none = Thread::default();
    let mut groups: BTreeMap<String, ThreadsUse> = BTreeMap::new();
    for (id, now) in after {
        let then = before.get(id).unwrap_or(&none);
        let name = group_of(&now.name).to_string();
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
    for group in groups.iter_mut().filter(|group| !balance::is_jvms_own(&group.name)) {
        group.balance = worked(before, after, &group.name).and_then(|each| balance::index(&each));
    }
    let others = rest.into_iter().reduce(|sum, next| ThreadsUse {
        name: sum.name,
        threads: sum.threads + next.threads,
        cpu_ns: sum.cpu_ns + next.cpu_ns,
        voluntary_switches: sum.voluntary_switches + next.voluntary_switches,
        involuntary_switches: sum.involuntary_switches + next.involuntary_switches,
        balance: None,
    });
    groups.extend(others.map(|others| ThreadsUse { name: OTHERS.to_string(), ..others }));
    groups
}

/// CPU time of each thread of a group that was there at both readings; `None` where it is not known of one.
///
/// A process that started others of its group, such as nginx's, only looks after them: it is not a worker.
fn worked(before: &Threads, after: &Threads, group: &str) -> Option<Vec<u64>> {
    let of_group = || after.iter().filter(|(_, thread)| group_of(&thread.name) == group);
    let parents: BTreeSet<u32> = of_group().map(|(_, thread)| thread.parent).collect();
    let workers = of_group().filter(|((pid, _), _)| !parents.contains(pid));
    let stayed = workers.filter_map(|(id, now)| Some((now, before.get(id)?)));
    stayed.map(|(now, then)| Some(now.cpu_ns?.saturating_sub(then.cpu_ns?))).collect()
}

/// Balance of work over the busiest group for which it is defined, of groups in the order of their CPU time.
pub(super) fn worker_balance(groups: &[ThreadsUse]) -> Option<f64> {
    groups.iter().find_map(|group| group.balance)
}

/// The pool of a thread: its name without the number at the end.
fn group_of(name: &str) -> &str {
    let pool = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if pool.is_empty() { name } else { pool }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(name: &str, cpu_ns: u64, switches: u64) -> Thread {
        Thread { name: name.into(), parent: 0, cpu_ns: Some(cpu_ns), voluntary: switches, involuntary: 1 }
    }

    #[test]
    fn a_captured_status_is_read() {
        let text = include_str!("../testdata/proc/process/thread.status");
        let thread = parse_status(text).unwrap();
        assert_eq!((thread.name.as_str(), thread.voluntary, thread.involuntary), ("GC Thread#0", 58, 63));
        assert_eq!(thread.parent, 24_389);
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
            balance: None,
        };
        assert_eq!(between(&before, &after), [exec]);
    }

    /// Threads of one process, by name and CPU time.
    fn threads(of: &[(&str, u64)]) -> Threads {
        (1..).zip(of).map(|(tid, (name, cpu_ns))| ((1, tid), thread(name, *cpu_ns, 0))).collect()
    }

    #[test]
    fn the_workers_are_the_busiest_pool_that_is_not_the_jvms_own() {
        let before =
            threads(&[("exec-1", 10), ("exec-22", 10), ("GC Thread#0", 5), ("GC Thread#1", 5), ("io-1", 0)]);
        let mut after = threads(&[
            ("exec-1", 20),
            ("exec-22", 40),
            ("GC Thread#0", 500),
            ("GC Thread#1", 500),
            ("io-1", 90),
        ]);
        // One that began within the window had less time than the others.
        after.insert((1, 9), thread("exec-3", 1, 0));
        let groups = between(&before, &after);
        let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["GC Thread#", "io-", "exec-"]);
        assert_eq!(worker_balance(&groups), Some(0.8), "of 10 and 30: {groups:?}");
        after.insert((1, 10), thread("io-2", 90, 0));
        let mut before = before;
        before.insert((1, 10), thread("io-2", 0, 0));
        assert_eq!(worker_balance(&between(&before, &after)), Some(1.0), "two of io are busier");
    }

    #[test]
    fn an_idle_thread_of_the_pool_counts_and_one_busy_thread_is_no_pool() {
        let none = threads(&[("w-1", 0), ("w-2", 0), ("w-3", 0)]);
        let of = |each: [u64; 3]| {
            worker_balance(&between(&none, &threads(&[("w-1", each[0]), ("w-2", each[1]), ("w-3", each[2])])))
        };
        assert_eq!(of([6, 6, 0]), Some(2.0 / 3.0));
        assert_eq!((of([6, 0, 0]), of([0, 0, 0])), (None, None));
        let mut unknown = threads(&[("w-1", 1), ("w-2", 1)]);
        unknown.insert((1, 2), Thread { cpu_ns: None, ..thread("w-2", 0, 0) });
        assert_eq!(worker_balance(&between(&none, &unknown)), None, "no scheduler statistics");
    }

    #[test]
    fn a_process_that_only_looks_after_its_workers_is_none() {
        let nginx = |parent, cpu_ns| Thread { parent, ..thread("nginx", cpu_ns, 0) };
        let at = |cpu_ns| {
            Threads::from([
                ((10, 10), nginx(1, 3)),
                ((11, 11), nginx(10, cpu_ns)),
                ((12, 12), nginx(10, cpu_ns)),
            ])
        };
        assert_eq!(worker_balance(&between(&at(0), &at(50))), Some(1.0));
    }

    /// The kernel keeps 15 bytes: the pool `DubboServerHandler-127.0.0.1:20880-thread-7` and its like have one name.
    #[test]
    fn names_that_the_kernel_cut_are_one_group() {
        let cut =
            [("DubboServerHand", 4), ("DubboServerHand", 4), ("pool-1-thread-9", 3), ("pool-1-thread-1", 1)];
        let groups = between(&threads(&cut.map(|(name, _)| (name, 0))), &threads(&cut));
        let found: Vec<_> = groups.iter().map(|of| (of.name.as_str(), of.threads, of.balance)).collect();
        assert_eq!(found, [("DubboServerHand", 2, Some(1.0)), ("pool-1-thread-", 2, Some(0.8))]);
        assert_eq!(group_of("42"), "42", "a name of digits alone is its own");
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
