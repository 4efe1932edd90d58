//! Use of the CPUs by other programs during a measurement.

use crate::process::{self, Stat, all_pids};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Most programs that are named.
const NAMED_MAX: usize = 4;
/// Share of a CPU from which on a program is named.
const NAMED_CPUS_MIN: f64 = 0.02;
/// State of a socket that waits for connections, as `/proc/net/tcp` writes it.
const LISTEN: &str = "0A";

/// CPU time of everything that runs, at one moment.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    at_ns: u64,
    cpus: u32,
    /// Of all CPUs together, without interrupts: those of our own traffic do not belong to others.
    busy_ns: u64,
    processes: BTreeMap<u32, Stat>,
}

/// CPU use of programs that are not ours between two moments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Others {
    pub used_cpus: f64,
    pub cpus: u32,
    /// Those that used most and may be seen, each with its process and the CPUs that it used: `gzip (pid 4711) 0.97`.
    pub programs: Vec<String>,
}

impl Others {
    /// Their share in all CPUs.
    pub fn share(&self) -> f64 {
        self.used_cpus / f64::from(self.cpus.max(1))
    }
}

impl Programs {
    /// The programs that run now; `None` where the kernel does not report them.
    pub fn now(at_ns: u64) -> Option<Programs> {
        let (cpus, busy_ns) = parse_busy(&fs::read_to_string("/proc/stat").ok()?)?;
        let processes = all_pids().filter_map(|pid| Some((pid, Stat::read(pid)?))).collect();
        Some(Programs { at_ns, cpus, busy_ns, processes })
    }

    /// CPU use of others since then. Those of `ours`, all that they started, and the kernel's own threads do not count
    /// as others. Where others cannot be seen, as in a container, their use is what the CPUs did beside ours.
    pub fn since(&self, before: &Programs, ours: &BTreeSet<u32>) -> Others {
        let seconds = self.at_ns.saturating_sub(before.at_ns).max(1) as f64;
        let mut used: BTreeMap<u32, u64> =
            self.processes.keys().map(|pid| (*pid, self.used(before, *pid))).collect();
        // The time of a process that ended and was waited for is in that of its parent, with what it had used before.
        for (pid, ended) in &before.processes {
            if !self.processes.contains_key(pid)
                && let Some(parent) = used.get_mut(&ended.parent)
            {
                *parent = parent.saturating_sub(ended.own_ns + ended.children_ns);
            }
        }
        let (own, mut others): (Vec<_>, Vec<_>) =
            used.into_iter().partition(|(pid, _)| self.is_ours(*pid, ours));
        let sum = |of: &[(u32, u64)]| of.iter().map(|(_, ns)| *ns).sum::<u64>();
        let beside_ns = self.busy_ns.saturating_sub(before.busy_ns).saturating_sub(sum(&own));
        others.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
        let named = others.iter().map(|(pid, ns)| (*pid, *ns as f64 / seconds));
        let named = named.filter(|(_, cpus)| *cpus >= NAMED_CPUS_MIN).take(NAMED_MAX);
        Others {
            used_cpus: beside_ns.max(sum(&others)) as f64 / seconds,
            cpus: self.cpus,
            programs: named.map(|(pid, cpus)| format!("{} (pid {pid}) {cpus:.2}", self.name(pid))).collect(),
        }
    }

    fn used(&self, before: &Programs, pid: u32) -> u64 {
        let spent = |of: &Stat| of.own_ns + of.children_ns;
        let Some(now) = self.processes.get(&pid) else { return 0 };
        let then = before.processes.get(&pid).filter(|then| then.start_ticks == now.start_ticks);
        spent(now).saturating_sub(then.map_or(0, spent))
    }

    /// Names come from others and are shown.
    fn name(&self, pid: u32) -> String {
        let name = self.processes.get(&pid).map_or("?", |stat| &stat.name);
        name.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
    }

    fn is_ours(&self, mut pid: u32, ours: &BTreeSet<u32>) -> bool {
        // A number may be given again while all of them are read: no chain is longer than there are processes.
        for _ in 0..self.processes.len() {
            let Some(stat) = self.processes.get(&pid) else { return false };
            if ours.contains(&pid) || stat.name == "kthreadd" {
                return true;
            }
            pid = stat.parent;
        }
        false
    }
}

/// This process, all others of this program (reference servers, agents), and the processes that listen on one of these
/// ports.
pub fn ours(ports: &[u16]) -> BTreeSet<u32> {
    let program = |pid: u32| fs::read_link(format!("/proc/{pid}/exe")).ok();
    let own = program(std::process::id());
    let is_own = |pid: &u32| *pid == std::process::id() || (own.is_some() && program(*pid) == own);
    all_pids().filter(is_own).chain(listening(ports)).collect()
}

/// Processes that listen on one of these ports.
pub fn listening(ports: &[u16]) -> Vec<u32> {
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let inodes: BTreeSet<u64> = tables.iter().flat_map(|table| parse_listening(table, ports)).collect();
    let listens =
        |pid: &u32| !inodes.is_empty() && process::socket_inodes(*pid).any(|inode| inodes.contains(&inode));
    all_pids().filter(listens).collect()
}

/// CPUs, and the time that they all worked, from `/proc/stat`: user, nice and system, in clock ticks.
fn parse_busy(text: &str) -> Option<(u32, u64)> {
    let mut all = text.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
    let ticks = all.by_ref().take(3).map(|word| word.parse::<u64>().ok()).sum::<Option<u64>>()?;
    let is_cpu = |line: &&str| {
        line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let per_tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
    Some((text.lines().filter(is_cpu).count() as u32, ticks.saturating_mul(per_tick_ns)))
}

/// Inodes of the sockets that listen on one of these ports, from a table like `/proc/net/tcp`.
fn parse_listening<'a>(table: &'a str, ports: &'a [u16]) -> impl Iterator<Item = u64> + 'a {
    table.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let port = u16::from_str_radix(words.get(1)?.rsplit_once(':')?.1, 16).ok()?;
        (*words.get(3)? == LISTEN && ports.contains(&port)).then(|| words.get(9)?.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(name: &str, parent: u32, own_ns: u64, children_ns: u64) -> Stat {
        Stat {
            name: name.to_string(),
            parent,
            session: 1,
            own_ns,
            children_ns,
            threads: 1,
            minor_faults: 0,
            major_faults: 0,
            start_ticks: 7,
            zombie: false,
        }
    }

    fn programs(at_s: u64, busy_s: u64, processes: &[(u32, Stat)]) -> Programs {
        let s = 1_000_000_000;
        Programs {
            at_ns: at_s * s,
            cpus: 2,
            busy_ns: busy_s * s,
            processes: processes.iter().cloned().collect(),
        }
    }

    #[test]
    fn others_are_named_with_what_they_used_and_ours_are_none() {
        let s = 1_000_000_000;
        let common = |of_ours, of_server, of_kernel| {
            [
                (1, stat("init", 0, 0, 0)),
                (2, stat("kthreadd", 0, 0, 0)),
                (3, stat("ksoftirqd/0", 2, of_kernel, 0)),
                (10, stat("proofload", 1, of_ours, 0)),
                (11, stat("java", 10, of_server, 0)),
            ]
        };
        let before =
            [&common(0, 0, 0)[..], &[(20, stat("make", 1, 0, 5 * s)), (21, stat("cc1plus", 20, 4 * s, 0))]]
                .concat();
        // The compiler that was seen before ended, another came and went, and one is new.
        let after = [
            &common(3 * s, 4 * s, 2 * s)[..],
            &[(20, stat("make", 1, 0, 5 * s + 4 * s + 3 * s)), (30, stat("gz\u{1b}ip", 1, 6 * s, 0))],
        ]
        .concat();
        let (before, after) = (programs(0, 0, &before), programs(10, 20, &after));
        let others = after.since(&before, &BTreeSet::from([10]));
        assert_eq!(others.programs, ["gz?ip (pid 30) 0.60", "make (pid 20) 0.30"]);
        assert!(
            (others.used_cpus - 1.1).abs() < 1e-9,
            "two more seconds are of what nobody may see: {others:?}"
        );
        assert!((others.share() - 0.55).abs() < 1e-9);
    }

    #[test]
    fn where_nobody_else_may_be_seen_the_cpus_tell() {
        let alone = |busy_s, own_s: u64| {
            programs(busy_s, 2 * busy_s, &[(10, stat("proofload", 0, own_s * 1_000_000_000, 0))])
        };
        let others = alone(10, 5).since(&alone(0, 0), &BTreeSet::from([10]));
        assert_eq!((others.used_cpus, others.cpus, others.programs.len()), (1.5, 2, 0));
    }

    #[test]
    fn the_kernels_tables_are_read() {
        let text = "cpu  10 20 30 999 5 6 7 8\ncpu0 5 10 15 1\ncpu1 5 10 15 1\nintr 5\n";
        let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        assert_eq!(parse_busy(text), Some((2, 60 * tick_ns)));
        assert_eq!((parse_busy(""), parse_busy("cpu x")), (None, None));
        let table = "  sl  local_address rem_address st ...\n\
            0: 0100007F:1F90 00000000:0000 0A 0:0 0:0 0 0 0 4711 1\n\
            1: 0100007F:1F90 0100007F:AAAA 01 0:0 0:0 0 0 0 4712 1\n\
            2: 0100007F:0050 00000000:0000 0A 0:0 0:0 0 0 0 4713 1\nrubbish\n";
        assert_eq!(parse_listening(table, &[8080]).collect::<Vec<_>>(), [4711]);
    }

    #[test]
    fn this_machine_can_be_looked_at() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(ours(&[port]).contains(&std::process::id()));
        let (before, after) = (Programs::now(0).unwrap(), Programs::now(1).unwrap());
        assert!(after.since(&before, &ours(&[])).cpus >= 1);
    }
}
