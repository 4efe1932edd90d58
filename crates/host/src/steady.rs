//! Does the machine keep still while something is measured? Time that the hypervisor takes, and how fast the CPUs
//! are: by their clock frequency where the kernel tells it, and by a short piece of fixed work.

use super::clock;
use super::root::Root;
use proofload_store::schema::Conditions;
use rustix::param::clock_ticks_per_second;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::collections::BTreeMap;

/// Interval at which the clock frequency is read while a load runs.
const FREQUENCY_EVERY_NS: u64 = 200_000_000;
/// Times that the fixed work is done; the quickest counts, so that one preemption is not taken for a slow CPU.
const CANARY_TIMES: u32 = 5;
/// Steps of the fixed work, each waiting for the one before it: about 0.4 ms. Without optimisation a step takes
/// several times as long.
const CANARY_STEPS: u64 = if cfg!(debug_assertions) { 25_000 } else { 250_000 };

#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    pub generator: &'a [usize],
    pub subject: &'a [usize],
}

/// Counters of the CPUs at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counters {
    at_ns: u64,
    /// Ticks that the hypervisor took, by CPU.
    steal: BTreeMap<usize, u64>,
}

impl Counters {
    fn read(root: &Root, at_ns: u64) -> Counters {
        Counters { at_ns, steal: steal_ticks(&root.text("/proc/stat").unwrap_or_default()) }
    }

    /// Share of the time of these CPUs that was taken until `later`; `None` when it is not known.
    fn steal_share(&self, later: &Counters, cpus: &[usize]) -> Option<f64> {
        let wall_ns = later.at_ns.saturating_sub(self.at_ns);
        let tick_ns = 1_000_000_000 / clock_ticks_per_second().max(1);
        let mut taken_ns = 0_u64;
        for cpu in cpus {
            let ticks = later.steal.get(cpu)?.saturating_sub(*self.steal.get(cpu)?);
            taken_ns = taken_ns.saturating_add(ticks.saturating_mul(tick_ns));
        }
        let whole_ns = wall_ns as f64 * cpus.len() as f64;
        (whole_ns > 0.0).then(|| taken_ns as f64 / whole_ns)
    }
}

/// The column `steal` of each line `cpuN user nice system idle iowait irq softirq steal …`.
fn steal_ticks(stat: &str) -> BTreeMap<usize, u64> {
    let of_line = |line: &str| {
        let (name, counts) = line.split_once(' ')?;
        let cpu = name.strip_prefix("cpu")?.parse().ok()?;
        Some((cpu, counts.split_whitespace().nth(7)?.parse().ok()?))
    };
    stat.lines().filter_map(of_line).collect()
}

/// Mean clock frequency of these CPUs; `None` where the kernel does not tell it of each.
fn frequency_hz(root: &Root, cpus: &[usize]) -> Option<f64> {
    let of = |cpu: &usize| -> Option<f64> {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
        root.number::<f64>(path).filter(|kilohertz| kilohertz.is_finite() && *kilohertz > 0.0)
    };
    let each: Vec<f64> = cpus.iter().map(of).collect::<Option<_>>()?;
    (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64 * 1e3)
}

/// Time that a fixed piece of work takes on this CPU, the quickest of several; on any when the kernel refuses.
pub fn canary_ns(cpu: Option<usize>) -> u64 {
    let home = sched_getaffinity(None).ok();
    if let Some(cpu) = cpu.filter(|cpu| *cpu < CpuSet::MAX_CPU && home.is_some()) {
        let mut there = CpuSet::new();
        there.set(cpu);
        // Refused: the work is done on the thread's present CPU.
        let _ = sched_setaffinity(None, &there);
    }
    let once = || {
        let begun_ns = clock::monotonic_ns();
        let mut value = std::hint::black_box(0x9e37_79b9_7f4a_7c15_u64);
        for _ in 0..CANARY_STEPS {
            value = value.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        }
        std::hint::black_box(value);
        clock::monotonic_ns() - begun_ns
    };
    let quickest = (0..CANARY_TIMES).map(|_| once()).min().unwrap_or(0);
    if let Some(home) = home {
        // It was allowed there a moment ago.
        let _ = sched_setaffinity(None, &home);
    }
    quickest
}

/// Watches the machine while one load runs.
pub struct Steady<'a> {
    root: Root,
    sides: Sides<'a>,
    both: Vec<usize>,
    before: Counters,
    canary_ns: u64,
    frequencies: Vec<f64>,
    next_ns: u64,
}

impl<'a> Steady<'a> {
    /// Begins. Does the fixed work, so nothing should be measured yet.
    pub fn begin(sides: Sides<'a>) -> Steady<'a> {
        let canary_ns = canary_ns(sides.subject.first().copied());
        Steady { canary_ns, ..Steady::below(Root::machine(), sides, clock::monotonic_ns()) }
    }

    fn below(root: Root, sides: Sides<'a>, now_ns: u64) -> Steady<'a> {
        let mut both = [sides.generator, sides.subject].concat();
        both.sort_unstable();
        both.dedup();
        let before = Counters::read(&root, now_ns);
        Steady { root, sides, both, before, canary_ns: 0, frequencies: Vec::new(), next_ns: now_ns }
    }

    /// Looks again, if it is time. The first look comes a while after the beginning: an idle CPU is slow.
    pub fn tick(&mut self, now_ns: u64) {
        if now_ns < self.next_ns.saturating_add(FREQUENCY_EVERY_NS) {
            return;
        }
        self.next_ns = now_ns;
        self.frequencies.extend(frequency_hz(&self.root, &self.both));
    }

    pub fn end(self) -> Conditions {
        let now_ns = clock::monotonic_ns();
        self.end_at(now_ns)
    }

    fn end_at(self, now_ns: u64) -> Conditions {
        let after = Counters::read(&self.root, now_ns);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        Conditions {
            generator_steal_share: self.before.steal_share(&after, self.sides.generator),
            subject_steal_share: self.before.steal_share(&after, self.sides.subject),
            frequency_hz: (!self.frequencies.is_empty()).then(|| mean(&self.frequencies)),
            canary_ns: Some(self.canary_ns).filter(|ns| *ns > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn stat(root: &Path, steal: [u64; 2]) {
        let [first, second] = steal;
        let text = format!(
            "cpu  9 9 9 9 9 9 9 {} 0 0\ncpu0 9 9 9 9 9 9 9 {first} 0 0\ncpu1 9 9 9 9 9 9 9 {second} 0 0\nintr 1\n",
            first + second
        );
        write(root, "proc/stat", &text);
    }

    fn frequency(root: &Path, cpu: usize, kilohertz: u64) {
        let path = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
        write(root, &path, &kilohertz.to_string());
    }

    const SIDES: Sides<'_> = Sides { generator: &[1], subject: &[0] };

    #[test]
    fn stolen_time_is_told_for_each_side() {
        let root = tempfile::tempdir().unwrap();
        stat(root.path(), [100, 40]);
        let steady = Steady::below(Root::at(root.path()), SIDES, 0);
        stat(root.path(), [100, 45]);
        // Five ticks of a hundredth of a second in a second.
        let seen = steady.end_at(1_000_000_000);
        let ticks = clock_ticks_per_second() as f64;
        assert!((seen.generator_steal_share.unwrap() - 5.0 / ticks).abs() < 1e-9, "{seen:?}");
        assert_eq!((seen.subject_steal_share, seen.frequency_hz, seen.canary_ns), (Some(0.0), None, None));
    }

    #[test]
    fn what_the_kernel_does_not_tell_is_not_known() {
        let root = tempfile::tempdir().unwrap();
        let seen = Steady::below(Root::at(root.path()), SIDES, 0).end_at(1_000_000_000);
        assert_eq!(seen, Conditions::default());
        assert_eq!(steal_ticks("cpu0 1 2 3\ncpux 1 1 1 1 1 1 1 1\n"), BTreeMap::new());
    }

    #[test]
    fn the_frequency_is_the_mean_of_both_sides_while_the_load_runs() {
        let root = tempfile::tempdir().unwrap();
        frequency(root.path(), 0, 800_000);
        frequency(root.path(), 1, 800_000);
        let mut steady = Steady::below(Root::at(root.path()), SIDES, 0);
        steady.tick(0);
        frequency(root.path(), 0, 2_000_000);
        frequency(root.path(), 1, 3_000_000);
        steady.tick(FREQUENCY_EVERY_NS);
        steady.tick(FREQUENCY_EVERY_NS + 1);
        assert_eq!(steady.end_at(1_000_000_000).frequency_hz, Some(2.5e9));
    }

    #[test]
    fn the_fixed_work_takes_time_and_leaves_the_thread_where_it_was() {
        let home = crate::cpus::allowed();
        assert!(canary_ns(home.first().copied()) > 0 && canary_ns(None) > 0);
        assert_eq!(crate::cpus::allowed(), home);
    }
}
