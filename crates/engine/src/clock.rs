//! The only caller of the operating system's clocks in this crate. Nanoseconds throughout.

#![allow(clippy::disallowed_methods, reason = "this is the clock")]

use rustix::time::{ClockId, clock_gettime};

fn read_ns(id: ClockId) -> u64 {
    let t = clock_gettime(id);
    // Neither clock is ever negative, and 2^64 ns are 584 years of uptime.
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// `CLOCK_MONOTONIC`, about 20 ns through the vDSO.
#[inline]
pub(crate) fn monotonic_ns() -> u64 {
    read_ns(ClockId::Monotonic)
}

/// CPU time that the calling thread has used, user and system.
pub(crate) fn thread_cpu_ns() -> u64 {
    read_ns(ClockId::ThreadCPUTime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_monotonic_clock_never_goes_back_and_work_costs_cpu_time() {
        let (wall, cpu) = (monotonic_ns(), thread_cpu_ns());
        let mut last = wall;
        while thread_cpu_ns() == cpu {
            let now = monotonic_ns();
            assert!(now >= last);
            last = now;
        }
        assert!(last >= wall);
    }
}
