//! Processes and all that descend from them.

use super::facts;
use super::hsperf::JvmFile;
use super::{JvmUse, ProcessSample, TreeSample};
use proofload_host::clock::{self, CpuClock};
use proofload_host::process::{self, Stat};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most processes of a tree that are followed.
const PROCESSES_MAX: usize = 4096;
/// After this time every process is read again: its number may have been given to a new one.
const UNRELATED_NS: u64 = 10_000_000_000;
/// Folder in which JVMs on Linux put their performance data, whatever `java.io.tmpdir` is.
const TEMPORARY: &str = "/tmp";
/// Most entries of that folder that are read.
const ENTRIES_MAX: usize = 1 << 16;

/// The processes below one root or several, followed from sample to sample.
///
/// A process belongs to the tree from when it is first seen until it ends, also when its parent ends before it.
/// If a root leads a session, processes of that session which have moved up to the root's own parent (daemons)
/// belong to it as well; one that began a session of its own before any sample saw it does not.
///
/// CPU time is the sum of the processes' own CPU clocks, and of what ended: the last reading of processes that
/// were seen, or what the kernel charged to the parent that waited for them, whichever is more.
#[derive(Debug)]
pub struct Tree {
    /// Samples change what is known, and the sampler's thread holds the tree by shared reference.
    known: Mutex<Known>,
}

impl Tree {
    /// The tree below this process. A process that does not exist is a tree without processes.
    pub fn of(root_pid: u32) -> Tree {
        Tree::of_all(&[root_pid])
    }

    /// The processes below any of these: all of a subject that was started as several. [`Tree::facts`] are those of
    /// the first.
    pub fn of_all(root_pids: &[u32]) -> Tree {
        let ended_work = Work { disk: Some((0, 0)), ..Work::default() };
        let mut known = Known { ended_work, ..Known::default() };
        for &root_pid in root_pids {
            let Some(stat) = Stat::read(root_pid) else { continue };
            known.add(root_pid, &stat);
            if stat.session == root_pid && stat.parent > 1 {
                known.launchers.insert((root_pid, stat.parent));
            }
        }
        Tree { known: Mutex::new(known) }
    }

    /// Facts about the first JVM among its processes, or else about the root. See `facts`.
    pub fn facts(&self) -> BTreeMap<String, String> {
        let mut known = self.known();
        known.discover();
        let pids: Vec<u32> = known.processes.iter().map(|process| process.pid).collect();
        for &pid in &pids {
            if let Some(mut jvm) = find_jvm_file(pid, &mut known.users) {
                return facts::of_process(pid, Some(&mut jvm));
            }
        }
        pids.first().map(|&pid| facts::of_process(pid, None)).unwrap_or_default()
    }

    /// Samples the whole tree. Costs some ten microseconds for each of its processes, and one for each other
    /// process of the machine.
    pub fn sample(&self) -> TreeSample {
        let mut known = self.known();
        known.discover();
        known.read()
    }

    /// Process ids of the live ones, as of the last sample.
    pub fn pids(&self) -> Vec<u32> {
        self.known().processes.iter().filter(|process| !process.zombie).map(|process| process.pid).collect()
    }

    /// Ports on which it was last found to listen.
    pub(super) fn listening_ports(&self) -> Option<BTreeSet<u16>> {
        self.known().listening_ports.clone()
    }

    pub(super) fn keep_listening_ports(&self, ports: BTreeSet<u16>) {
        self.known().listening_ports = Some(ports);
    }

    /// Process ids of its JVMs, as far as they write performance data.
    pub(super) fn jvms(&self) -> Vec<u32> {
        self.sample();
        let known = self.known();
        let live = known.processes.iter().filter(|process| !process.zombie && process.jvm.is_some());
        live.map(|process| process.pid).collect()
    }

    /// Full collections of its JVMs so far, where their collectors count them apart.
    pub(super) fn full_gc_count(&self) -> Option<u64> {
        self.sample().jvm_use.full_gc_count
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // A thread that panicked left it consistent: samples only add to it.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Known {
    /// Parents before their children.
    processes: Vec<Tracked>,
    /// Sessions that roots lead, each with that root's parent, where daemons of the session may end up.
    launchers: BTreeSet<(u32, u32)>,
    /// Processes that do not belong to the tree, and never will.
    unrelated: BTreeSet<u32>,
    unrelated_since_ns: u64,
    /// CPU time of processes that ended and have no live ancestor here.
    ended_ns: u64,
    /// Work of JVMs that ended.
    ended_jvm: JvmUse,
    /// Page faults and disk traffic of those that ended, as of their last sample.
    ended_work: Work,
    cpu_ns: u64,
    users: BTreeMap<u32, Option<String>>,
    listening_ports: Option<BTreeSet<u16>>,
}

/// Work of a process, besides using a CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Work {
    minor_faults: u64,
    major_faults: u64,
    /// Read and written; `None` once those of some process could not be read.
    disk: Option<(u64, u64)>,
}

impl Work {
    fn plus(self, other: Work) -> Work {
        let disk =
            self.disk.zip(other.disk).map(|((a, b), (c, d))| (a.saturating_add(c), b.saturating_add(d)));
        Work {
            minor_faults: self.minor_faults.saturating_add(other.minor_faults),
            major_faults: self.major_faults.saturating_add(other.major_faults),
            disk,
        }
    }
}

/// A process that was seen.
#[derive(Debug)]
struct Tracked {
    pid: u32,
    name: String,
    zombie: bool,
    work: Work,
    start_ticks: u64,
    parent: u32,
    clock: Option<CpuClock>,
    own_ns: u64,
    /// Time that the kernel charged to it for children that it waited for.
    waited_ns: u64,
    /// The same, as it was at the sample before.
    waited_before_ns: u64,
    /// Time that its children that ended had used when they were last seen.
    ended_ns: u64,
    jvm: Option<JvmFile>,
    jvm_use: JvmUse,
}

/// Present values of a live process.
struct Now {
    rss_bytes: u64,
    threads: u64,
    descriptors: Option<u64>,
    zombie: bool,
}

impl Tracked {
    fn cpu_ns(&self) -> u64 {
        self.own_ns + self.ended_ns.max(self.waited_ns)
    }

    /// Reads its counters; `None` when it has gone. The start time is compared after the CPU clock was read: if it
    /// still agrees, the clock was this process's.
    fn read(&mut self) -> Option<Now> {
        let clock_ns = self.clock.and_then(CpuClock::read_ns);
        let stat = Stat::read(self.pid).filter(|stat| stat.start_ticks == self.start_ticks)?;
        self.own_ns = self.own_ns.max(clock_ns.unwrap_or(stat.own_ns));
        self.waited_before_ns = self.waited_ns;
        self.waited_ns = self.waited_ns.max(stat.children_ns);
        self.parent = stat.parent;
        self.name = stat.name;
        self.zombie = stat.zombie;
        self.work = Work {
            minor_faults: stat.minor_faults,
            major_faults: stat.major_faults,
            // Those of a process that ended cannot be read; its last reading is kept.
            disk: process::disk_bytes(self.pid).or(self.work.disk),
        };
        Some(Now {
            rss_bytes: process::rss_bytes(self.pid).unwrap_or(0),
            threads: stat.threads,
            descriptors: process::descriptors(self.pid),
            zombie: stat.zombie,
        })
    }

    fn read_jvm(&mut self, users: &mut BTreeMap<u32, Option<String>>) {
        if self.jvm.is_none() {
            self.jvm = find_jvm_file(self.pid, users);
        }
        // The last reading is kept while the file cannot be read.
        if let Some(read) = self.jvm.as_mut().and_then(JvmFile::read) {
            self.jvm_use = self.jvm_use.followed_by(read);
        }
    }
}

impl Known {
    fn add(&mut self, pid: u32, stat: &Stat) {
        self.processes.push(Tracked {
            pid,
            name: stat.name.clone(),
            zombie: stat.zombie,
            work: Work::default(),
            start_ticks: stat.start_ticks,
            parent: stat.parent,
            clock: CpuClock::of(pid),
            own_ns: 0,
            waited_ns: 0,
            waited_before_ns: 0,
            ended_ns: 0,
            jvm: None,
            jvm_use: JvmUse::default(),
        });
    }

    /// Adds the processes below the known ones that are not known yet.
    ///
    /// The kernel's lists of children are kept for each thread, and reading those of a server with 200 threads
    /// takes milliseconds; so the numbers of all processes are listed instead, and only new ones are read.
    fn discover(&mut self) {
        let now_ns = clock::monotonic_ns();
        if now_ns.saturating_sub(self.unrelated_since_ns) > UNRELATED_NS {
            self.unrelated.clear();
            self.unrelated_since_ns = now_ns;
        }
        let members: BTreeSet<u32> = self.processes.iter().map(|process| process.pid).collect();
        let mut fresh: Vec<(u32, Stat)> = process::all_pids()
            .filter(|pid| !members.contains(pid) && !self.unrelated.contains(pid))
            .filter_map(|pid| Some((pid, Stat::read(pid)?)))
            .collect();
        // It ends, because every round but the last takes something from `fresh`. Parents come before their children.
        loop {
            let before = fresh.len();
            fresh.retain(|(pid, stat)| {
                let belongs = self.processes.len() < PROCESSES_MAX && self.belongs(stat);
                if belongs {
                    self.add(*pid, stat);
                }
                !belongs
            });
            if fresh.len() == before {
                break;
            }
        }
        self.unrelated.extend(fresh.iter().map(|(pid, _)| *pid));
    }

    fn belongs(&self, stat: &Stat) -> bool {
        let is_daemon = self.launchers.contains(&(stat.session, stat.parent));
        is_daemon || self.processes.iter().any(|process| process.pid == stat.parent)
    }

    /// Reads every known process, parents first, and keeps what those that have gone had used.
    fn read(&mut self) -> TreeSample {
        let mut sample =
            TreeSample { at_ns: clock::monotonic_ns(), descriptors: Some(0), ..TreeSample::default() };
        let mut live = Vec::with_capacity(self.processes.len());
        let mut gone = Vec::new();
        for mut process in std::mem::take(&mut self.processes) {
            let Some(now) = process.read() else {
                gone.push(process);
                continue;
            };
            if !now.zombie {
                process.read_jvm(&mut self.users);
                sample.processes += 1;
                sample.rss_bytes += now.rss_bytes;
                sample.threads += now.threads;
                sample.descriptors = sample.descriptors.zip(now.descriptors).map(|(sum, more)| sum + more);
                sample.jvm |= process.jvm.is_some();
                sample.each.push(ProcessSample {
                    pid: process.pid,
                    start_ticks: process.start_ticks,
                    name: process.name.clone(),
                    cpu_ns: process.own_ns,
                    rss_bytes: now.rss_bytes,
                    threads: now.threads,
                });
            }
            live.push(process);
        }
        self.processes = live;
        self.credit_ended(&gone);
        let jvm = self.processes.iter().fold(self.ended_jvm.clone(), |sum, p| sum.plus(&p.jvm_use));
        let work = self.processes.iter().fold(self.ended_work, |sum, p| sum.plus(p.work));
        let cpu_ns = self.ended_ns + self.processes.iter().map(Tracked::cpu_ns).sum::<u64>();
        self.cpu_ns = self.cpu_ns.max(cpu_ns);
        TreeSample {
            cpu_ns: self.cpu_ns,
            jvm_use: jvm,
            minor_faults: work.minor_faults,
            major_faults: work.major_faults,
            disk_read_bytes: work.disk.map(|(read, _)| read),
            disk_written_bytes: work.disk.map(|(_, written)| written),
            ..sample
        }
    }

    /// Credits the time of ended processes to their nearest live ancestor.
    ///
    /// The ancestor will wait for them, or has already: then the kernel charges the same time to it. So the time
    /// that they used is added to the charge that it had *before*, when they were still alive, and the larger of this
    /// and its present charge is taken. Nothing counts twice and nothing is lost.
    fn credit_ended(&mut self, gone: &[Tracked]) {
        let parents: BTreeMap<u32, u32> = gone.iter().map(|process| (process.pid, process.parent)).collect();
        let mut shares: BTreeMap<usize, u64> = BTreeMap::new();
        for process in gone {
            self.ended_jvm = self.ended_jvm.plus(&process.jvm_use.ended());
            self.ended_work = self.ended_work.plus(process.work);
            let mut ancestor = process.parent;
            // At most as many steps as there are processes that have gone.
            for _ in 0..gone.len() {
                match parents.get(&ancestor) {
                    Some(&above) => ancestor = above,
                    None => break,
                }
            }
            match self.processes.iter().position(|live| live.pid == ancestor) {
                Some(at) => *shares.entry(at).or_default() += process.cpu_ns(),
                None => self.ended_ns += process.cpu_ns(),
            }
        }
        for (at, share_ns) in shares {
            let process = &mut self.processes[at];
            process.ended_ns = process.ended_ns.max(process.waited_before_ns) + share_ns;
        }
    }
}

/// The performance data of this process, if it is a JVM that writes them.
fn find_jvm_file(pid: u32, users: &mut BTreeMap<u32, Option<String>>) -> Option<JvmFile> {
    let user = process::user(pid)?;
    let name = users.entry(user).or_insert_with(|| {
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        parse_user(&passwd, user)
    });
    let folders = match name {
        Some(name) => vec![Path::new(TEMPORARY).join(format!("hsperfdata_{name}"))],
        // Users of a directory service have no line there.
        None => folders_of(user),
    };
    folders.iter().find_map(|folder| JvmFile::open(&folder.join(pid.to_string()), user))
}

fn folders_of(user: u32) -> Vec<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir(TEMPORARY).into_iter().flatten().flatten().take(ENTRIES_MAX);
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("hsperfdata_"))
        .filter(|entry| entry.metadata().is_ok_and(|found| found.is_dir() && found.uid() == user))
        .map(|entry| entry.path())
        .collect()
}

/// Name of a user in a file like `/etc/passwd`.
fn parse_user(passwd: &str, user: u32) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty() && !name.contains('/'))?;
        (fields.nth(1)?.parse() == Ok(user)).then(|| name.to_string())
    })
}

#[cfg(test)]
mod tests;
