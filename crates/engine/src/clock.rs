//! The only caller of the operating system's clocks in this crate. Nanoseconds throughout.

#![allow(clippy::disallowed_methods, reason = "this is the clock")]

use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::os::unix::fs::FileExt;

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

/// Nanoseconds since 1970 (UTC) at the beginning of `CLOCK_MONOTONIC`'s axis, by the present setting of the clock.
pub(crate) fn unix_ns_at_zero() -> i64 {
    read_ns(ClockId::Realtime) as i64 - monotonic_ns() as i64
}

/// CPU time that the calling thread has used, user and system.
pub(crate) fn thread_cpu_ns() -> u64 {
    read_ns(ClockId::ThreadCPUTime)
}

/// Time for which a thread was ready to run and had no CPU, and how often it was given one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delayed {
    /// In all, in nanoseconds.
    pub ns: u64,
    /// Times that it began to run.
    pub runs: u64,
}

/// Delay of the calling thread (`/proc/thread-self/schedstat`); `None` where the kernel does not report it.
pub(crate) fn thread_delayed() -> Option<Delayed> {
    thread_local! {
        // The name leads to whichever thread opens it.
        static SCHEDSTAT: Option<File> = File::open("/proc/thread-self/schedstat").ok();
    }
    let mut text = [0; 96];
    let length = SCHEDSTAT.with(|file| file.as_ref()?.read_at(&mut text, 0).ok())?;
    delayed_of(std::str::from_utf8(&text[..length]).ok()?)
}

fn delayed_of(text: &str) -> Option<Delayed> {
    let mut words = text.split_whitespace().skip(1).map(str::parse);
    Some(Delayed { ns: words.next()?.ok()?, runs: words.next()?.ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_how_long_a_thread_had_no_cpu() {
        assert_eq!(delayed_of("116142 74321 2\n"), Some(Delayed { ns: 74_321, runs: 2 }));
        assert_eq!((delayed_of(""), delayed_of("1 x 2")), (None, None));
        let before = thread_delayed().expect("this kernel tells");
        std::thread::sleep(std::time::Duration::from_millis(2));
        let after = thread_delayed().expect("still");
        assert!(after.runs > before.runs && after.ns >= before.ns, "{before:?} {after:?}");
    }

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
