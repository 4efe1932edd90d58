//! The state of one connection.

use crate::ending::Ending;
use crate::intake::Intake;
use crate::null::Ends;
use crate::reply::Reply;
use crate::tls::Line;
use std::os::fd::OwnedFd;

/// Event that a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The bytes of a request.
    Reading,
    /// The instant when its answer is due; the connection has a timer.
    Waiting,
    /// Room for the answer's bytes.
    Writing,
    /// The instant of the next byte of a drip; the connection has a timer.
    Dripping,
    /// The client's patience to end.
    Silent,
    /// The client's kernel to have the whole answer; the connection has a timer.
    Unacknowledged {
        /// Number of these checks.
        checks: u32,
    },
    /// The client to have read the answer before the reset; the connection has a timer.
    Grace,
    /// The client's FIN after ours; the connection has a timer.
    Draining,
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub fd: OwnedFd,
    pub line: Line,
    pub slot: u32,
    /// From 1 in order of acceptance.
    pub number: u64,
    pub requests: u64,
    /// True if it only asked about the server itself so far.
    pub control: bool,
    pub phase: Phase,
    pub timer_ns: Option<u64>,
    /// The socket may have bytes, or its end, to read (edge-triggered: it is reported once).
    pub readable: bool,
    /// The client hung up; there may be bytes before that.
    pub hung: bool,
    /// Received, from `at` on not yet taken.
    pub carry: Vec<u8>,
    pub at: usize,
    /// Arrival of the last bytes of `carry`, and true if no request was taken from them yet.
    pub arrived_ns: u64,
    pub fresh: bool,
    pub intake: Intake,
    pub reply: Reply,
    /// The request in hand; `None` for one that does not count.
    pub ending: Option<Ending>,
    /// In null mode: the search for ends, and bytes owed to the client.
    pub ends: Ends,
    pub owed: u64,
    pub null: bool,
}

/// Memory that an emptied carry may keep.
const CARRY_KEPT: usize = 4096;

impl Connection {
    pub fn new(fd: OwnedFd, line: Line, slot: u32, number: u64, null: bool) -> Self {
        Connection {
            fd,
            line,
            slot,
            number,
            requests: 0,
            control: false,
            phase: Phase::Reading,
            timer_ns: None,
            readable: false,
            hung: false,
            carry: Vec::new(),
            at: 0,
            arrived_ns: 0,
            fresh: false,
            intake: Intake::new(),
            reply: Reply::new(),
            ending: None,
            ends: Ends::default(),
            owed: 0,
            null,
        }
    }

    /// Bytes received and not yet taken.
    pub fn untaken(&self) -> &[u8] {
        &self.carry[self.at..]
    }

    pub fn keep(&mut self, bytes: &[u8], now_ns: u64) {
        self.carry.drain(..self.at);
        self.at = 0;
        self.carry.extend_from_slice(bytes);
        self.arrived_ns = now_ns;
        self.fresh = true;
    }

    /// Drops bytes that were taken.
    pub fn taken(&mut self, n: usize) {
        self.at += n;
        if self.at == self.carry.len() {
            self.carry.clear();
            self.carry.shrink_to(CARRY_KEPT);
            self.at = 0;
        }
    }

    /// True while a request that counts is neither answered nor silently dropped.
    pub fn in_the_making(&self) -> bool {
        let making = matches!(self.phase, Phase::Waiting | Phase::Writing | Phase::Dripping);
        making && self.ending.is_some()
    }
}
