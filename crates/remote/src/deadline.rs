//! Limits of waits.

use proofload_host::clock;
use std::time::Duration;

/// A stretch of time that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    began_ns: u64,
    length: Duration,
}

impl Deadline {
    pub fn after(length: Duration) -> Deadline {
        Deadline { began_ns: clock::monotonic_ns(), length }
    }

    pub fn elapsed(self) -> Duration {
        Duration::from_nanos(clock::monotonic_ns().saturating_sub(self.began_ns))
    }

    pub fn is_over(self) -> bool {
        self.elapsed() >= self.length
    }
}
