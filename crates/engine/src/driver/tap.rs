//! Drivers over epoll that write down what passes. For looking at exchanges, not for measuring them.

use super::{Allowance, Drivers, Epoll, EpollDrivers};
use crate::debug::{Heard, RECEIVED_MAX};
use std::io;
use std::sync::{Arc, Mutex};

/// What was heard so far.
#[derive(Debug, Default)]
pub(crate) struct Tap(Mutex<Notes>);

#[derive(Debug, Default)]
struct Notes {
    heard: Vec<(u64, Heard)>,
    received: u64,
    kept: usize,
}

impl Tap {
    /// Writes down what happened then.
    pub fn note(&self, at_ns: u64, what: Heard) {
        let Ok(mut notes) = self.0.lock() else { return };
        let what = match what {
            Heard::Received(mut bytes) => {
                notes.received += bytes.len() as u64;
                bytes.truncate(RECEIVED_MAX - notes.kept);
                notes.kept += bytes.len();
                Heard::Received(bytes)
            }
            other => other,
        };
        notes.heard.push((at_ns, what));
    }

    /// All notes, and how many bytes were received.
    pub fn take(&self) -> (Vec<(u64, Heard)>, u64) {
        self.0
            .lock()
            .map_or_else(|_| (Vec::new(), 0), |mut notes| (std::mem::take(&mut notes.heard), notes.received))
    }
}

/// Epoll drivers with a tap.
#[derive(Debug)]
pub(crate) struct TappedDrivers(pub Arc<Tap>);

impl Drivers for TappedDrivers {
    type Driver = Epoll;

    fn now_ns(&self) -> u64 {
        EpollDrivers.now_ns()
    }

    fn allowance(&self) -> Allowance {
        EpollDrivers.allowance()
    }

    fn peak_rss_bytes(&self) -> u64 {
        EpollDrivers.peak_rss_bytes()
    }

    fn open(&self, _worker: u32, capacity: u32) -> io::Result<Epoll> {
        Epoll::tapped(capacity, Arc::clone(&self.0))
    }
}
