//! The clock of everything above the engine: they ask the operating system here only.

#![allow(clippy::disallowed_methods, reason = "this is the clock")]

use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::{Timespec, clock_getres, clock_gettime};
use std::sync::atomic::{AtomicBool, Ordering};
use time::{Date, OffsetDateTime};

/// Longest time after which a sleeper looks at its stop flag.
const NAP_NS: u64 = 20_000_000;

const SECOND_NS: u64 = 1_000_000_000;

/// Monotonic time in nanoseconds (`CLOCK_MONOTONIC`, the clock of the engine).
pub fn monotonic_ns() -> u64 {
    to_ns(clock_gettime(ClockId::Monotonic))
}

/// Wall-clock time in nanoseconds since 1970; 0 if the machine's clock is before that.
pub fn unix_ns() -> u64 {
    to_ns(clock_gettime(ClockId::Realtime))
}

/// CPU time of the thread that asks.
pub fn thread_cpu_ns() -> u64 {
    to_ns(clock_gettime(ClockId::ThreadCPUTime))
}

/// CPU time of this process, all its threads.
pub fn process_cpu_ns() -> u64 {
    to_ns(clock_gettime(ClockId::ProcessCPUTime))
}

/// Wall-clock time as a date that people read: `2026-01-31 12:00 UTC`.
pub fn date_text(unix_ns: u64) -> String {
    let (date, (hour, minute, _)) = date_and_time(unix_ns);
    format!("{date} {hour:02}:{minute:02} UTC")
}

/// The day, and hours, minutes and seconds, of UTC.
pub(crate) fn date_and_time(unix_ns: u64) -> (Date, (u8, u8, u8)) {
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ns));
    let at = at.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    (at.date(), at.to_hms())
}

/// Sleeps until the monotonic clock shows `deadline_ns`, or `stop` is set (seen within 20 ms).
/// `true` when the deadline was reached, `false` when it was stopped.
pub fn sleep_until(deadline_ns: u64, stop: &AtomicBool) -> bool {
    loop {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let now_ns = monotonic_ns();
        if now_ns >= deadline_ns {
            return true;
        }
        let until = to_timespec(deadline_ns.min(now_ns + NAP_NS));
        // A signal cuts the nap short; the loop looks at the flag and the clock again either way.
        let _ = clock_nanosleep_absolute(ClockId::Monotonic, &until);
    }
}

/// Sleeps for so long, or until `stop` is set; see [`sleep_until`].
pub fn sleep_for(duration_ns: u64, stop: &AtomicBool) -> bool {
    sleep_until(monotonic_ns().saturating_add(duration_ns), stop)
}

/// Sleeps for that time, whatever happens: for waits so short that they need not be stopped.
pub fn sleep_ns(duration_ns: u64) {
    sleep_for(duration_ns, &AtomicBool::new(false));
}

/// Smallest step of the monotonic clock.
pub(crate) fn resolution_ns() -> u64 {
    to_ns(clock_getres(ClockId::Monotonic))
}

/// Cost of one read of the clock: the best of a few batches, so that a preemption is not taken for the clock.
pub(crate) fn read_cost_ns() -> u64 {
    const READS: u64 = 200;
    (0..10)
        .map(|_| {
            let begun_ns = monotonic_ns();
            for _ in 0..READS {
                std::hint::black_box(monotonic_ns());
            }
            (monotonic_ns() - begun_ns) / READS
        })
        .min()
        .unwrap_or(0)
}

/// The CPU clock of another process.
///
/// It counts nanoseconds for the whole process, ended threads included, and may be read for any process of any
/// user; `/proc/PID/schedstat` is the main thread alone, `/proc/PID/stat` counts in ticks of 10 ms. A thread
/// that runs at this very moment is counted up to its last tick or switch (a few milliseconds).
#[derive(Clone, Copy, Debug)]
pub struct CpuClock(libc::clockid_t);

impl CpuClock {
    /// `None` if there is no such process.
    pub fn of(pid: u32) -> Option<CpuClock> {
        let mut clock: libc::clockid_t = 0;
        // SAFETY: writes one clock id into `clock`, which outlives the call.
        match unsafe { libc::clock_getcpuclockid(libc::pid_t::try_from(pid).ok()?, &raw mut clock) } {
            0 => Some(CpuClock(clock)),
            _ => None,
        }
    }

    /// CPU time so far; `None` once the process has gone.
    pub fn read_ns(self) -> Option<u64> {
        // SAFETY: an all-zero timespec is a valid value.
        let mut time: libc::timespec = unsafe { std::mem::zeroed() };
        // SAFETY: writes one timespec into `time`, which outlives the call.
        match unsafe { libc::clock_gettime(self.0, &raw mut time) } {
            0 => {
                let seconds = u64::try_from(time.tv_sec).ok()?;
                Some(seconds.saturating_mul(SECOND_NS).saturating_add(time.tv_nsec.unsigned_abs()))
            }
            _ => None,
        }
    }
}

fn to_ns(time: Timespec) -> u64 {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    // The kernel keeps nanoseconds within 0 to 999,999,999.
    seconds.saturating_mul(SECOND_NS).saturating_add(time.tv_nsec.unsigned_abs())
}

fn to_timespec(ns: u64) -> Timespec {
    Timespec { tv_sec: (ns / SECOND_NS) as i64, tv_nsec: (ns % SECOND_NS) as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleeper_wakes_at_its_deadline_and_not_before() {
        let deadline_ns = monotonic_ns() + 30_000_000;
        assert!(sleep_until(deadline_ns, &AtomicBool::new(false)));
        assert!(monotonic_ns() >= deadline_ns);
    }

    #[test]
    fn a_deadline_in_the_past_is_reached_at_once() {
        assert!(sleep_until(0, &AtomicBool::new(false)));
        assert!(sleep_for(0, &AtomicBool::new(false)));
    }

    #[test]
    fn a_stopped_sleeper_does_not_sleep_to_the_end_of_time() {
        assert!(!sleep_until(u64::MAX, &AtomicBool::new(true)));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| sleep_for(u64::MAX, &stop));
            stop.store(true, Ordering::Relaxed);
            assert!(!sleeper.join().unwrap(), "stopped, not finished");
        });
    }

    #[test]
    fn wall_clock_time_is_after_the_year_2024() {
        assert!(unix_ns() > 1_704_067_200 * SECOND_NS);
    }
}
