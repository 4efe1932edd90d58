//! CPUs of the machine, and their division between generator and subjects.

use super::{cgroup, root::Root};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::collections::BTreeSet;

/// The generator gets a CPU for every four.
const CPUS_PER_GENERATOR_CPU: usize = 4;

/// More CPUs than this the generator does not need: one makes more than 100,000 exchanges a second, and every
/// further one is taken from the subject, whose speed is the question.
pub const GENERATOR_CPUS_MAX: usize = 16;

/// Highest CPU number that a list may name.
const CPU_NUMBER_MAX: usize = 1 << 16;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuShare {
    /// CPUs of the generator, ascending.
    pub generator: Vec<usize>,
    /// CPUs of the subjects, ascending.
    pub subject: Vec<usize>,
    /// The other division: CPUs that the generator might have instead, ascending: as many, from the other end; empty
    /// where there is no other division. The subjects would have the remaining ones.
    pub swapped: Vec<usize>,
    /// Remark on the division for a reader of the result; `None` if there is none.
    pub shortage: Option<Shortage>,
}

/// Too few CPUs for generator and subjects to run undisturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// Both run on this CPU, the only one.
    OneCpu(usize),
    /// Both run on hardware threads of one core.
    OneCore,
    /// Two CPUs, one for each side.
    TwoCpus,
}

/// CPUs that this process may use, ascending: its affinity, cut by the cpuset of its cgroup.
pub fn allowed() -> Vec<usize> {
    let affinity: Vec<usize> = match sched_getaffinity(None) {
        Ok(set) => (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect(),
        // The kernel has more CPUs than the mask: take those of the cpuset, or the first.
        Err(_) => Vec::new(),
    };
    let cpuset = cpuset(&Root::machine());
    combine(&affinity, &cpuset)
}

/// CPUs of the cgroup's cpuset; empty when there is none.
pub(crate) fn cpuset(root: &Root) -> Vec<usize> {
    const FILES: [&str; 3] = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
    cgroup::folders(root, "cpuset")
        .iter()
        .flat_map(|folder| FILES.map(|file| folder.join(file)))
        .find_map(|file| root.text(file).map(|text| parse_list(&text)).filter(|cpus| !cpus.is_empty()))
        .unwrap_or_default()
}

/// True if a hypervisor runs this machine.
pub(crate) fn is_virtual(root: &Root) -> bool {
    has_flag(&root.text("/proc/cpuinfo").unwrap_or_default(), "hypervisor")
}

fn has_flag(text: &str, flag: &str) -> bool {
    text.lines().any(|line| line.starts_with("flags") && line.split_whitespace().any(|word| word == flag))
}

/// Keeps the calling thread off the generator's CPUs until it is dropped, and with it the threads and processes that it
/// starts meanwhile. Without other CPUs it changes nothing.
#[derive(Debug)]
pub struct KeptOff {
    home: Option<CpuSet>,
}

impl KeptOff {
    /// From now on.
    pub fn these(generator_cpus: &[usize]) -> KeptOff {
        let mut others = CpuSet::new();
        let allowed = allowed().into_iter().filter(|cpu| !generator_cpus.contains(cpu));
        allowed.filter(|cpu| *cpu < CpuSet::MAX_CPU).for_each(|cpu| others.set(cpu));
        let home = sched_getaffinity(None).ok().filter(|_| !generator_cpus.is_empty() && others.count() > 0);
        // Refused: it stays where it is.
        let kept = home.is_some() && sched_setaffinity(None, &others).is_ok();
        KeptOff { home: home.filter(|_| kept) }
    }
}

impl Drop for KeptOff {
    fn drop(&mut self) {
        if let Some(home) = &self.home {
            // It was there before.
            let _ = sched_setaffinity(None, home);
        }
    }
}

/// The CPUs in both lists. An empty list means "not known" and does not restrict; CPU 0 is left when nothing is known
/// at all, or the lists contradict each other.
fn combine(affinity: &[usize], cpuset: &[usize]) -> Vec<usize> {
    let both: Vec<usize> = match (affinity.is_empty(), cpuset.is_empty()) {
        (false, false) => affinity.iter().copied().filter(|cpu| cpuset.contains(cpu)).collect(),
        (true, _) => cpuset.to_vec(),
        (_, true) => affinity.to_vec(),
    };
    match (both.is_empty(), affinity.first()) {
        (false, _) => both,
        // Affinity is what the kernel enforces.
        (true, Some(_)) => affinity.to_vec(),
        (true, None) => vec![0],
    }
}

/// Divides CPUs between generator and subjects.
///
/// With one CPU both share it. With two each has one. With more the generator gets a
/// quarter, rounded up, at most 16; hardware threads of one core stay on one side as long as there are at
/// least two cores. The generator takes the highest numbers, because the kernel's own work gathers on CPU 0.
pub fn share(allowed: &[usize]) -> CpuShare {
    share_by(allowed, &cores(&Root::machine(), allowed))
}

/// The same for a known topology: `cores` are the allowed CPUs, those of one core together.
pub(crate) fn share_by(allowed: &[usize], cores: &[Vec<usize>]) -> CpuShare {
    let count = allowed.len();
    if count < 2 {
        let only = allowed.first().copied().unwrap_or(0);
        let shortage = Some(Shortage::OneCpu(only));
        return CpuShare { generator: vec![only], subject: vec![only], swapped: Vec::new(), shortage };
    }
    let wanted = count.div_ceil(CPUS_PER_GENERATOR_CPU).min(GENERATOR_CPUS_MAX);
    let threads: Vec<Vec<usize>> = allowed.iter().map(|&cpu| vec![cpu]).collect();
    let (parts, shortage) = match (cores.len(), count) {
        (0 | 1, _) => (threads.as_slice(), Some(Shortage::OneCore)),
        (_, 2) => (cores, Some(Shortage::TwoCpus)),
        _ => (cores, None),
    };
    let mut ordered: Vec<&Vec<usize>> = parts.iter().collect();
    ordered.sort_by_key(|part| part.iter().min().copied());
    let swapped = take_last(wanted, ordered.iter().rev().copied().collect());
    let generator = take_last(wanted, ordered);
    let subject = allowed.iter().copied().filter(|cpu| !generator.contains(cpu)).collect();
    CpuShare {
        subject: ascending(subject),
        swapped: if swapped == generator { Vec::new() } else { swapped },
        generator,
        shortage,
    }
}

/// At least `wanted` CPUs, whole parts from the end; the first part stays.
fn take_last(wanted: usize, mut parts: Vec<&Vec<usize>>) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    while taken.len() < wanted && parts.len() > 1 {
        taken.extend(parts.pop().into_iter().flatten());
    }
    ascending(taken)
}

fn ascending(mut cpus: Vec<usize>) -> Vec<usize> {
    cpus.sort_unstable();
    cpus
}

/// The allowed CPUs grouped by physical core; a CPU without known siblings is a core of its own.
pub(crate) fn cores(root: &Root, allowed: &[usize]) -> Vec<Vec<usize>> {
    let mut seen = BTreeSet::new();
    let mut cores = Vec::new();
    for &cpu in allowed {
        if seen.contains(&cpu) {
            continue;
        }
        let topology = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
        let siblings = ["core_cpus_list", "thread_siblings_list"]
            .iter()
            .find_map(|name| root.text(format!("{topology}/{name}")))
            .map(|text| parse_list(&text))
            .unwrap_or_default();
        let mut core: Vec<usize> = siblings.into_iter().filter(|other| allowed.contains(other)).collect();
        if !core.contains(&cpu) {
            core = vec![cpu];
        }
        core.retain(|other| seen.insert(*other));
        cores.push(core);
    }
    cores
}

/// A list of CPUs as the kernel writes it: `0-3,8,10-11`. Parts that are not understood are left out.
pub fn parse_list(text: &str) -> Vec<usize> {
    let mut cpus = BTreeSet::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.trim().parse::<usize>(), last.trim().parse::<usize>()) {
            cpus.extend(first..=last.min(CPU_NUMBER_MAX));
        }
    }
    cpus.into_iter().collect()
}

/// CPUs as the kernel writes them, for messages: `0-3,8`.
pub fn list_text(cpus: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &cpu in cpus {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => parts.push((cpu, cpu)),
        }
    }
    let texts: Vec<String> = parts
        .into_iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    texts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn singles(allowed: &[usize]) -> Vec<Vec<usize>> {
        allowed.iter().map(|&cpu| vec![cpu]).collect()
    }

    #[test]
    fn one_cpu_is_shared_and_said_so() {
        let share = share_by(&[3], &[vec![3]]);
        assert_eq!((share.generator, share.subject), (vec![3], vec![3]));
        assert_eq!(share.swapped, [0_usize; 0]);
        assert_eq!(share.shortage, Some(Shortage::OneCpu(3)));
    }

    #[test]
    fn of_two_cpus_each_side_has_one() {
        let share = share_by(&[0, 1], &singles(&[0, 1]));
        assert_eq!((share.generator, share.subject, share.swapped), (vec![1], vec![0], vec![0]));
        assert_eq!(share.shortage, Some(Shortage::TwoCpus));
    }

    #[test]
    fn two_threads_of_one_core_are_divided_and_said_so() {
        let share = share_by(&[0, 1], &[vec![0, 1]]);
        assert_eq!((share.generator, share.subject), (vec![1], vec![0]));
        assert_eq!(share.shortage, Some(Shortage::OneCore));
    }

    #[test]
    fn the_generator_gets_a_quarter_rounded_up() {
        for (count, expected) in [(3, 1), (4, 1), (5, 2), (8, 2), (9, 3), (64, 16), (256, 16)] {
            let allowed: Vec<usize> = (0..count).collect();
            let share = share_by(&allowed, &singles(&allowed));
            assert_eq!(share.generator.len(), expected, "{count} CPUs");
            assert_eq!(share.shortage, None);
        }
    }

    #[test]
    fn siblings_stay_on_one_side() {
        // Four cores of two threads, numbered as Intel does: 0 and 4 are one core.
        let cores = [vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]];
        let share = share_by(&(0..8).collect::<Vec<_>>(), &cores);
        assert_eq!(share.generator, [3, 7]);
        assert_eq!(share.subject, [0, 1, 2, 4, 5, 6]);
        assert_eq!(share.swapped, [0, 4]);
    }

    #[test]
    fn lists_are_read_and_written_as_the_kernel_does() {
        assert_eq!(parse_list("0-2,5,7-8\n"), [0, 1, 2, 5, 7, 8]);
        assert_eq!(parse_list(""), [0_usize; 0]);
        assert_eq!(parse_list("x,3-,2"), [2]);
        assert_eq!(list_text(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
    }

    #[test]
    fn a_list_up_to_the_end_of_numbers_is_cut() {
        assert_eq!(parse_list("65535-18446744073709551615"), [65_535, 65_536]);
    }

    #[test]
    fn affinity_is_cut_by_the_cpuset_and_never_becomes_empty() {
        assert_eq!(combine(&[0, 1, 2, 3], &[2, 3, 4]), [2, 3]);
        assert_eq!(combine(&[0, 1], &[]), [0, 1]);
        assert_eq!(combine(&[], &[5]), [5]);
        assert_eq!(combine(&[0], &[1]), [0], "affinity is what holds");
        assert_eq!(combine(&[], &[]), [0]);
    }

    #[test]
    fn what_is_kept_off_comes_back_and_children_stay_away() {
        let home = allowed();
        let generator = share(&home).generator;
        let kept = KeptOff::these(&generator);
        let of_a_thread = std::thread::spawn(allowed).join().unwrap();
        assert_eq!(of_a_thread, allowed());
        let expected: Vec<usize> = home.iter().copied().filter(|cpu| !generator.contains(cpu)).collect();
        assert_eq!(of_a_thread, if expected.is_empty() { home.clone() } else { expected });
        drop(kept);
        assert_eq!(allowed(), home);
        drop(KeptOff::these(&home));
        assert_eq!(allowed(), home, "there is nowhere else");
    }

    #[test]
    fn this_machine_has_a_cpu_for_each_side() {
        let allowed = allowed();
        assert!(!allowed.is_empty());
        let share = share(&allowed);
        assert!(!share.generator.is_empty() && !share.subject.is_empty());
    }

    proptest! {
        #[test]
        fn every_cpu_is_given_to_exactly_one_side(
            cores in proptest::collection::vec(1_usize..4, 2..40), offset in 0_usize..8
        ) {
            let mut next = offset;
            let cores: Vec<Vec<usize>> = cores.into_iter().map(|threads| {
                let core = (next..next + threads).collect();
                next += threads;
                core
            }).collect();
            let allowed: Vec<usize> = cores.iter().flatten().copied().collect();
            let share = share_by(&allowed, &cores);
            let mut all = [share.generator.clone(), share.subject.clone()].concat();
            all.sort_unstable();
            prop_assert_eq!(all, allowed);
            prop_assert!(!share.generator.is_empty() && !share.subject.is_empty());
            for core in &cores {
                let on_generator = core.iter().filter(|cpu| share.generator.contains(cpu)).count();
                prop_assert!(on_generator == 0 || on_generator == core.len());
            }
        }
    }
}
