//! Drivers whose traffic is recorded, as exchanges have it, not as the wire does. For looking at exchanges, not
//! for measuring them.

use super::{Allowance, Conn, Drivers};
use crate::target::{Address, Handshake};
use proofload_measure::Outcome;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

/// Most bytes that are kept of a request, and of an answer: a head and 64 KiB of body.
pub const RECEIVED_MAX: usize = 128 * 1024;
/// Most bytes that are kept altogether.
const ALL_MAX: usize = 64 << 20;
/// Most events that are kept.
const EVENTS_MAX: usize = 100_000;

/// Event with its instant, on its connection: that in which the exchange began of one that a user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    pub at_ns: u64,
    pub conn: Conn,
    pub what: TapEvent,
}

/// Event on a connection, or on the way of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapEvent {
    Dialing(Address),
    Connected,
    /// The proxy has made the tunnel.
    Tunnelled,
    /// The TLS handshake is done.
    Secured(Handshake),
    /// These bytes were taken for sending; under TLS they are those that were encrypted. What is over
    /// [`RECEIVED_MAX`] of a request is left out.
    Sent(Vec<u8>),
    /// These bytes came, decrypted if need be; bytes over [`RECEIVED_MAX`] since something was sent are left out.
    Received(Vec<u8>),
    /// A redirect leads the exchange to this connection.
    Moves(Conn),
    /// The user begins the request of this entry of the mix.
    Asks(usize),
    /// The end of that request.
    Ended(Box<Ended>),
    /// The user has taken this step, which asks nothing, and goes on at `to`.
    Took {
        step: usize,
        to: usize,
    },
    /// The user has left; the outcome of his journey.
    Left(Outcome),
    /// Nothing more is kept, but that he left.
    Cut,
}

/// End of a user's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub entry: usize,
    pub outcome: Outcome,
    /// Reason of a bad outcome, for a reader.
    pub why: Option<String>,
    pub took_ns: u64,
    /// Variables that an answer as expected gave him, with their values.
    pub captured: Vec<(String, Vec<u8>)>,
}

/// All that was heard.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    pub heard: Vec<Heard>,
    /// Bytes sent and received, those that were not kept included.
    pub sent: u64,
    pub received: u64,
    /// Bytes kept of each connection since something went the other way: sent, received.
    running: BTreeMap<Conn, [usize; 2]>,
    kept: usize,
}

/// Events so far.
#[derive(Debug, Default)]
pub struct Tap(Mutex<Notes>);

impl Notes {
    /// As much of the bytes as is kept; `way` is 0 for those sent.
    fn keep(&mut self, conn: Conn, way: usize, mut bytes: Vec<u8>) -> Vec<u8> {
        let running = self.running.entry(conn).or_default();
        bytes.truncate((RECEIVED_MAX - running[way]).min(ALL_MAX - self.kept));
        running[way] += bytes.len();
        running[1 - way] = 0;
        self.kept += bytes.len();
        bytes
    }
}

impl Tap {
    /// Writes down what happened then.
    pub fn note(&self, at_ns: u64, conn: Conn, what: TapEvent) {
        let Ok(mut notes) = self.0.lock() else { return };
        let what = match what {
            TapEvent::Received(bytes) => {
                notes.received += bytes.len() as u64;
                TapEvent::Received(notes.keep(conn, 1, bytes))
            }
            TapEvent::Sent(bytes) => {
                notes.sent += bytes.len() as u64;
                TapEvent::Sent(notes.keep(conn, 0, bytes))
            }
            other => other,
        };
        let what = match notes.heard.len() {
            0..EVENTS_MAX => what,
            EVENTS_MAX => TapEvent::Cut,
            _ if matches!(what, TapEvent::Left(_)) => what,
            _ => return,
        };
        notes.heard.push(Heard { at_ns, conn, what });
    }

    /// All notes.
    pub fn take(&self) -> Notes {
        self.0.lock().map_or_else(|_| Notes::default(), |mut notes| std::mem::take(&mut *notes))
    }
}

/// Drivers with a tap above all that connections pass through.
#[derive(Debug)]
pub(crate) struct TappedDrivers<'a, D>(pub &'a D, pub Arc<Tap>);

impl<D: Drivers> Drivers for TappedDrivers<'_, D> {
    type Driver = D::Driver;

    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }

    fn unix_ns_at_zero(&self) -> i64 {
        self.0.unix_ns_at_zero()
    }

    fn is_virtual(&self) -> bool {
        self.0.is_virtual()
    }

    fn allowance(&self) -> Allowance {
        self.0.allowance()
    }

    fn peak_rss_bytes(&self) -> u64 {
        self.0.peak_rss_bytes()
    }

    fn open(&self, worker: u32, capacity: u32) -> io::Result<D::Driver> {
        self.0.open(worker, capacity)
    }

    fn tap(&self) -> Option<Arc<Tap>> {
        Some(Arc::clone(&self.1))
    }
}
