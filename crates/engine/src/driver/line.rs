//! Dials to Unix sockets whose listen queue is full. A blocking `connect` would wait for room; ours is told to try
//! again, and nothing tells when. So they stand in line here, and the first of each line tries at a short distance.

use super::dial::{Begun, connect, dial_fault};
use super::{Conn, DialFault, Wake};
use crate::Address;
use std::collections::VecDeque;
use std::os::fd::OwnedFd;

/// Distance of two tries.
const TRY_GAP_NS: u64 = 250_000;

/// A dial in line.
#[derive(Debug)]
pub(super) struct Waiting {
    pub conn: Conn,
    /// Which use of the number it is.
    pub epoch: u32,
    pub fd: OwnedFd,
}

/// One line for each socket that had no room.
#[derive(Debug, Default)]
pub(super) struct Lines {
    lines: Vec<(Address, VecDeque<Waiting>)>,
    waiting: usize,
    try_ns: u64,
}

impl Lines {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Whether others stand in line for that address already.
    #[inline]
    pub fn lead_to(&self, to: &Address) -> bool {
        !self.is_empty() && self.lines.iter().any(|(of, line)| of == to && !line.is_empty())
    }

    /// Stands at the end of the line.
    pub fn join(&mut self, to: &Address, waiting: Waiting, now_ns: u64) {
        if self.is_empty() {
            self.try_ns = now_ns + TRY_GAP_NS;
        }
        self.waiting += 1;
        match self.lines.iter_mut().find(|(of, _)| of == to) {
            Some((_, line)) => line.push_back(waiting),
            None => self.lines.push((to.clone(), VecDeque::from([waiting]))),
        }
    }

    /// How long a turn may wait.
    #[inline]
    pub fn before(&self, wake: Wake) -> Wake {
        if self.is_empty() || wake.at_ns <= self.try_ns {
            return wake;
        }
        Wake { at_ns: self.try_ns, exact: false }
    }

    /// The next dial that has ended, and how; `None` once every line was tried. `stands` says whether a use of a
    /// number goes on.
    pub fn next(
        &mut self,
        now_ns: u64,
        stands: impl Fn(Conn, u32) -> bool,
    ) -> Option<(Waiting, Result<(), DialFault>)> {
        if now_ns < self.try_ns {
            return None;
        }
        for (to, line) in &mut self.lines {
            while let Some(first) = line.pop_front() {
                self.waiting -= 1;
                if !stands(first.conn, first.epoch) {
                    continue;
                }
                match connect(&first.fd, to) {
                    Ok(Begun::Connecting) => return Some((first, Ok(()))),
                    Err(errno) => return Some((first, Err(dial_fault(errno)))),
                    Ok(Begun::NoRoom) => {
                        line.push_front(first);
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
