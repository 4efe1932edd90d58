//! Dials to Unix sockets whose listen queue is full. A blocking `connect` would wait for room; ours fails with "try
//! again", and no event reports room. So they queue here, and the first of each queue tries again at a short
//! distance.

use super::dial::{Begun, connect, dial_fault};
use super::{Conn, DialFault, Wake};
use crate::Address;
use std::collections::VecDeque;
use std::os::fd::OwnedFd;

const TRY_GAP_NS: u64 = 250_000;

/// A dial that waits for room.
#[derive(Debug)]
pub(super) struct Waiting {
    pub conn: Conn,
    /// Use of the number.
    pub epoch: u32,
    pub fd: OwnedFd,
}

/// One queue for each socket that had no room.
#[derive(Debug, Default)]
pub(super) struct UnixConnectQueues {
    queues: Vec<(Address, VecDeque<Waiting>)>,
    waiting: usize,
    try_ns: u64,
}

impl UnixConnectQueues {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// True if others wait for that address already.
    #[inline]
    pub fn has_waiting(&self, to: &Address) -> bool {
        !self.is_empty() && self.queues.iter().any(|(of, queue)| of == to && !queue.is_empty())
    }

    /// Adds a dial at the end of its queue.
    pub fn push(&mut self, to: &Address, waiting: Waiting, now_ns: u64) {
        if self.is_empty() {
            self.try_ns = now_ns + TRY_GAP_NS;
        }
        self.waiting += 1;
        match self.queues.iter_mut().find(|(of, _)| of == to) {
            Some((_, queue)) => queue.push_back(waiting),
            None => self.queues.push((to.clone(), VecDeque::from([waiting]))),
        }
    }

    /// Limits the wait of a poll.
    #[inline]
    pub fn before(&self, wake: Wake) -> Wake {
        if self.is_empty() || wake.at_ns <= self.try_ns {
            return wake;
        }
        Wake { at_ns: self.try_ns, exact: false }
    }

    /// The next dial that has ended, and how; `None` once every queue was tried. `is_current` returns true while a
    /// use of a number goes on.
    pub fn next(
        &mut self,
        now_ns: u64,
        is_current: impl Fn(Conn, u32) -> bool,
    ) -> Option<(Waiting, Result<(), DialFault>)> {
        if now_ns < self.try_ns {
            return None;
        }
        for (to, queue) in &mut self.queues {
            while let Some(first) = queue.pop_front() {
                self.waiting -= 1;
                if !is_current(first.conn, first.epoch) {
                    continue;
                }
                match connect(&first.fd, to) {
                    Ok(Begun::Connecting) => return Some((first, Ok(()))),
                    Err(errno) => return Some((first, Err(dial_fault(errno)))),
                    Ok(Begun::NoRoom) => {
                        queue.push_front(first);
                        self.waiting += 1;
                        break;
                    }
                }
            }
        }
        self.try_ns = now_ns + TRY_GAP_NS;
        None
    }
}
