//! Is the machine quiet enough to measure on? Two CPUs that spin at once must do nearly what each does alone.

use crate::{CLIENT_CPU, SUBJECT_CPU};
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

/// Share of its solo figure that a CPU must reach while the other spins too.
const LEAST: f64 = 0.95;
/// Largest distance between two solo figures, before and after a series.
const DRIFT: f64 = 0.10;
/// Share of both CPUs that the hypervisor may have taken away between two looks: what a spin may lack, too.
const STEAL: f64 = 0.05;
const STRETCH: Duration = Duration::from_millis(200);
/// Number of tries, of which the best counts: a disturbance only ever slows a spin down.
const TRIES: usize = 3;

/// Result of a look.
#[derive(Clone, Copy, Debug)]
pub struct Canary {
    /// Rounds per millisecond of each CPU alone.
    pub solo: [f64; 2],
    /// Share of that while both spin.
    pub together: [f64; 2],
    /// Ticks of all CPUs since the machine began, and those of them that the hypervisor took away.
    pub ticks: [f64; 2],
}

impl Canary {
    /// Looks, for some two seconds.
    pub fn look() -> Canary {
        let best = |spin: &dyn Fn() -> f64| (0..TRIES).map(|_| spin()).fold(0.0, f64::max);
        let cpus = [CLIENT_CPU, SUBJECT_CPU];
        let solo = cpus.map(|cpu| best(&|| thread::scope(|scope| join(scope.spawn(move || spin_on(cpu))))));
        let mut together = [0.0; 2];
        for _ in 0..TRIES {
            let both = thread::scope(|scope| cpus.map(|cpu| scope.spawn(move || spin_on(cpu))).map(join));
            (0..2).for_each(|at| together[at] = f64::max(together[at], both[at] / solo[at]));
        }
        let ticks = std::fs::read_to_string("/proc/stat").map(|text| ticks(&text)).unwrap_or_default();
        Canary { solo, together, ticks }
    }

    /// Share of both CPUs that the hypervisor took away between two looks.
    pub fn stolen_since(&self, before: &Canary) -> f64 {
        (self.ticks[1] - before.ticks[1]) / (self.ticks[0] - before.ticks[0]).max(1.0)
    }

    /// Reason to discard a series between these two looks, if there is one.
    pub fn disturbed(&self, before: &Canary) -> Option<String> {
        for look in [before, self] {
            if let Some(share) = look.together.iter().find(|share| **share < LEAST) {
                return Some(format!("spinning together a CPU came to {share:.2} of what it does alone"));
            }
        }
        let stolen = self.stolen_since(before);
        if stolen > STEAL {
            return Some(format!("the hypervisor took {:.1} % of the CPUs", stolen * 100.0));
        }
        let drifts = before.solo.iter().zip(self.solo).map(|(then, now)| (now / then - 1.0).abs());
        let drift = drifts.fold(0.0, f64::max);
        (drift > DRIFT)
            .then(|| format!("a CPU alone differs by {:.0} % between begin and end", drift * 100.0))
    }
}

impl std::fmt::Display for Canary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ([a, b], [x, y]) = (self.solo, self.together);
        write!(f, "alone {a:.0} and {b:.0} rounds/ms, together {x:.2} and {y:.2} of that")
    }
}

/// Of the first line of proc_stat(5): `cpu user nice system idle iowait irq softirq steal …`; guests are counted in user and
/// nice already.
fn ticks(text: &str) -> [f64; 2] {
    let line = text.lines().next().unwrap_or("");
    let each: Vec<f64> = line.split_whitespace().skip(1).take(8).flat_map(str::parse).collect();
    [each.iter().sum(), each.get(7).copied().unwrap_or(0.0)]
}

fn join(spinner: thread::ScopedJoinHandle<'_, f64>) -> f64 {
    spinner.join().unwrap_or(0.0)
}

/// Rounds of fixed work per millisecond on that CPU.
fn spin_on(cpu: usize) -> f64 {
    // SAFETY: an empty set is a valid one, `cpu` is a small constant, and the set outlives the call.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
    let (begun, mut rounds) = (Instant::now(), 0u64);
    let mut value = 1u64;
    while begun.elapsed() < STRETCH {
        for _ in 0..1_000 {
            value = black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        }
        rounds += 1;
    }
    rounds as f64 / (begun.elapsed().as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_neighbour_and_a_machine_that_changed_are_told() {
        let quiet = Canary { solo: [500.0, 500.0], together: [0.99, 0.97], ticks: [1e6, 2e5] };
        assert_eq!(quiet.disturbed(&quiet), None);
        let busy = Canary { together: [0.99, 0.6], ..quiet };
        assert!(busy.disturbed(&quiet).is_some_and(|why| why.contains("0.60")));
        assert!(quiet.disturbed(&busy).is_some());
        let slower = Canary { solo: [500.0, 430.0], ..quiet };
        assert!(slower.disturbed(&quiet).is_some_and(|why| why.contains("14 %")));
        let robbed = |stolen: f64| Canary { ticks: [1e6 + 1_000.0, 2e5 + stolen], ..quiet };
        assert_eq!(robbed(20.0).disturbed(&quiet), None);
        assert!(robbed(51.0).disturbed(&quiet).is_some_and(|why| why.contains("5.1 %")));
        assert_eq!(ticks("cpu  10 1 5 100 2 0 3 7 0 0\ncpu0 1\n"), [128.0, 7.0]);
        assert_eq!(ticks(""), [0.0, 0.0]);
    }
}
