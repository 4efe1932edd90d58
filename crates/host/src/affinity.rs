//! CPUs on which the threads of another process may run, changed while it runs.
//!
//! A process that warms up may use more CPUs than it is measured with. Of a JVM only the compilers get them: every other
//! thread may ask how many CPUs it has at any moment (the common pool is made when it is first needed), and would be
//! told more than there are later.

use super::process::read_text;
use proofload_language::tr;
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::fs;

/// Most rounds over the threads until none is left to move. New threads inherit from their creator, so that a second
/// round finds hardly any.
const ROUNDS_MAX: usize = 50;

/// A thread that cannot be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The system does not allow it.
    #[error("{}", tr!("host-cannot-move", thread = thread.to_string(), process = process.to_string(), why = why.to_string()))]
    Refused { process: u32, thread: u32, why: Errno },
    /// It begins threads faster than they are moved.
    #[error("{}", tr!("host-restless", process = process.to_string()))]
    Restless { process: u32 },
    /// A number that no set of CPUs has.
    #[error("{}", tr!("host-no-such-cpu", cpu))]
    NoSuchCpu { cpu: usize },
}

/// Lets the threads of a process that may use just the CPUs of `own` use those of `more` as well: of a JVM the compilers,
/// of any other process all. Threads that were pinned elsewhere stay there.
///
/// # Errors
/// If a thread cannot be moved; others may have been.
pub fn spread(process: u32, own: &[usize], more: &[usize]) -> Result<(), MoveError> {
    let (own, wide) = (set(own)?, set(&[own, more].concat())?);
    if own == wide || own.count() == 0 {
        return Ok(());
    }
    let compilers = has_compilers(process);
    move_all(process, &wide, |thread, now| *now == own && (!compilers || is_compiler(process, thread)))
}

/// Brings the threads of a process that may use more than the CPUs of `own` back to them.
///
/// # Errors
/// If a thread cannot be moved; others may have been.
pub fn gather(process: u32, own: &[usize]) -> Result<(), MoveError> {
    let own = set(own)?;
    if own.count() == 0 {
        return Ok(());
    }
    let within = |now: &CpuSet| (0..CpuSet::MAX_CPU).all(|cpu| !own.is_set(cpu) || now.is_set(cpu));
    move_all(process, &own, |_, now| *now != own && within(now))
}

/// Threads of another user's process, pinned until this is dropped; those that it begins meanwhile inherit it.
#[derive(Debug)]
pub struct Pinned {
    process: u32,
    there: CpuSet,
    /// CPUs of each thread before.
    before: Vec<(u32, CpuSet)>,
}

impl Pinned {
    /// Pins all threads.
    ///
    /// # Errors
    /// If a thread cannot be moved; all are then back where they were.
    pub fn new(process: u32, cpus: &[usize]) -> Result<Pinned, MoveError> {
        let there = set(cpus)?;
        let before =
            threads(process).filter_map(|thread| Some((thread, sched_getaffinity(id(thread)).ok()?)));
        let pinned = Pinned { process, there, before: before.collect() };
        move_all(process, &pinned.there, |_, now| *now != pinned.there)?;
        Ok(pinned)
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let Some((_, first)) = self.before.first() else { return };
        // A thread that began meanwhile goes where the first one was. A thread that another program moved stays there.
        for thread in threads(self.process) {
            let was = self.before.iter().find(|(known, _)| *known == thread).map_or(first, |(_, was)| was);
            if sched_getaffinity(id(thread)).is_ok_and(|now| now == self.there) {
                let _ = sched_setaffinity(id(thread), was);
            }
        }
    }
}

fn id(thread: u32) -> Option<Pid> {
    i32::try_from(thread).ok().and_then(Pid::from_raw)
}

/// True if a thread of the process compiles while it runs, as those of a JVM do.
pub fn has_compilers(process: u32) -> bool {
    threads(process).any(|thread| is_compiler(process, thread))
}

/// Moves the threads that `is_due`, until a round finds none.
fn move_all(process: u32, there: &CpuSet, is_due: impl Fn(u32, &CpuSet) -> bool) -> Result<(), MoveError> {
    for _ in 0..ROUNDS_MAX {
        let mut moved = false;
        for thread in threads(process) {
            let found = sched_getaffinity(id(thread)).map(|now| is_due(thread, &now));
            let done = match found {
                Ok(false) => continue,
                Ok(true) => sched_setaffinity(id(thread), there),
                Err(why) => Err(why),
            };
            match done {
                Ok(()) => moved = true,
                // It ended meanwhile.
                Err(Errno::SRCH) => {}
                Err(why) => return Err(MoveError::Refused { process, thread, why }),
            }
        }
        if !moved {
            return Ok(());
        }
    }
    Err(MoveError::Restless { process })
}

fn set(cpus: &[usize]) -> Result<CpuSet, MoveError> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(MoveError::NoSuchCpu { cpu });
        }
        set.set(cpu);
    }
    Ok(set)
}

/// The threads of a process that has not ended.
fn threads(process: u32) -> impl Iterator<Item = u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| task.file_name().to_str()?.parse().ok())
}

/// HotSpot's "C2 CompilerThread0", Graal's "JVMCI-native CompilerThread0", OpenJ9's "JIT Compilation Thread-000", of
/// which the kernel keeps 15 bytes.
fn is_compiler(process: u32, thread: u32) -> bool {
    let name = read_text(&format!("/proc/{process}/task/{thread}/comm")).unwrap_or_default();
    is_name_of_compiler(name.trim_end())
}

fn is_name_of_compiler(name: &str) -> bool {
    ["C1 Compiler", "C2 Compiler", "JVMCI", "JIT Compilation"].iter().any(|begin| name.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpus;
    use std::sync::mpsc;

    /// A thread that starts another one when it is told to, and both stay until the sender is dropped.
    fn two_threads(name: &str) -> (mpsc::Sender<()>, mpsc::Receiver<u32>) {
        let (ask, asked) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let builder = std::thread::Builder::new().name(name.to_string());
        fn tell_own(tell: &mpsc::Sender<u32>) {
            let id = rustix::thread::gettid().as_raw_nonzero().get();
            tell.send(id as u32).expect("somebody listens");
        }
        let body = move || {
            tell_own(&tell);
            if asked.recv().is_ok() {
                let child = std::thread::spawn(move || {
                    tell_own(&tell);
                    while asked.recv().is_ok() {}
                });
                child.join().expect("it ends");
            }
        };
        builder.spawn(body).expect("a thread");
        (ask, told)
    }

    fn of(thread: u32) -> Vec<usize> {
        let id = Pid::from_raw(thread as i32);
        let set = sched_getaffinity(id).expect("it lives");
        (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect()
    }

    fn pin(thread: u32, cpus: &[usize]) {
        sched_setaffinity(Pid::from_raw(thread as i32), &set(cpus).expect("small")).expect("allowed");
    }

    /// Threads of this process that are pinned to one CPU are those of this test alone.
    #[test]
    fn threads_are_spread_and_gathered_with_those_that_they_began_meanwhile() {
        let all = cpus::allowed();
        let [first, second, ..] = all[..] else { return };
        let me = std::process::id();
        let (ask, told) = two_threads("worker");
        let parent = told.recv().expect("it began");
        pin(parent, &[first]);
        let (_other, other_told) = two_threads("elsewhere");
        let elsewhere = other_told.recv().expect("it began");
        pin(elsewhere, &[second]);
        spread(me, &[first], &[second]).expect("own threads may be moved");
        assert_eq!(of(parent), [first, second]);
        assert_eq!(of(elsewhere), [second], "who pinned itself stays");
        ask.send(()).expect("it listens");
        let child = told.recv().expect("it began");
        assert_eq!(of(child), [first, second], "inherited");
    }

    #[test]
    fn a_server_of_somebody_else_is_pinned_until_that_ends() {
        let all = cpus::allowed();
        let [first, second, ..] = all[..] else { return };
        let mut child = std::process::Command::new("sleep").arg("100").spawn().expect("it starts");
        let process = child.id();
        let before = of(process);
        let pinned = Pinned::new(process, &[second]).expect("it is ours");
        let there = of(process);
        drop(pinned);
        let after = of(process);
        child.kill().and_then(|()| child.wait()).expect("it ends");
        assert_eq!((there, after), (vec![second], before));
        assert_ne!(first, second);
    }

    /// Another process: all threads of this one would be gathered with those of the test.
    #[test]
    fn what_was_spread_is_gathered_and_what_was_pinned_elsewhere_stays() {
        let all = cpus::allowed();
        let [first, second, ..] = all[..] else { return };
        let mut child = std::process::Command::new("sleep").arg("100").spawn().expect("it starts");
        let process = child.id();
        pin(process, &[first]);
        let spread = spread(process, &[first], &[second]).map(|()| of(process));
        let gathered = gather(process, &[first]).map(|()| of(process));
        let elsewhere = gather(process, &[second]).map(|()| of(process));
        child.kill().and_then(|()| child.wait()).expect("it ends");
        assert_eq!(spread, Ok(vec![first, second]));
        assert_eq!((gathered, elsewhere), (Ok(vec![first]), Ok(vec![first])));
    }

    #[test]
    fn compilers_are_known_by_what_the_kernel_keeps_of_their_names() {
        for name in ["C2 CompilerThre", "C1 CompilerThre", "JVMCI-native Co", "JIT Compilation"] {
            assert!(is_name_of_compiler(name), "{name}");
        }
        for name in ["http-nio-8080-e", "GC Thread#0", "java", "C2", "main"] {
            assert!(!is_name_of_compiler(name), "{name}");
        }
    }

    #[test]
    fn what_is_not_pinned_or_has_no_more_cpus_is_left_alone() {
        let me = std::process::id();
        assert_eq!((spread(me, &[], &[0]), gather(me, &[])), (Ok(()), Ok(())));
        assert_eq!(spread(me, &[1], &[1]), Ok(()));
        assert_eq!(spread(me, &[1 << 20], &[0]), Err(MoveError::NoSuchCpu { cpu: 1 << 20 }));
        assert_eq!(gather(u32::MAX, &[0]), Ok(()), "a process that is gone has no threads");
    }
}
