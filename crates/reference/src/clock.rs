//! The clocks, and burning CPU time by them.

#![allow(clippy::disallowed_methods, reason = "this is the clock")]

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of `CLOCK_MONOTONIC`: the same axis in every process of this machine.
pub(crate) fn now_ns() -> u64 {
    nanos(ClockId::Monotonic)
}

/// CPU time that a spin cost and the time that passed meanwhile, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spun {
    pub cpu_ns: u64,
    pub wall_ns: u64,
}

/// Burns `cpu_ns` of this thread's CPU time. Measured by the thread's own clock, so a preempted spin takes
/// longer and costs the same.
pub(crate) fn spin(cpu_ns: u64) -> Spun {
    let wall = now_ns();
    let start = nanos(ClockId::ThreadCPUTime);
    loop {
        let spent = nanos(ClockId::ThreadCPUTime) - start;
        if spent >= cpu_ns {
            return Spun { cpu_ns: spent, wall_ns: now_ns() - wall };
        }
        for _ in 0..16 {
            std::hint::spin_loop();
        }
    }
}

fn nanos(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spin_costs_at_least_the_cpu_time_it_was_told_to() {
        let before = nanos(ClockId::ThreadCPUTime);
        let spun = spin(2_000_000);
        let cost = nanos(ClockId::ThreadCPUTime) - before;
        assert!(spun.cpu_ns >= 2_000_000 && cost >= spun.cpu_ns);
        assert!(spun.wall_ns > 0);
    }
}
