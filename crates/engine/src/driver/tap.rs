//! Drivers whose traffic is recorded, as exchanges have it, not as the wire does. For looking at exchanges, not
//! for measuring them.

use super::{Allowance, Drivers};
use crate::target::{Address, Handshake};
use std::io;
use std::sync::{Arc, Mutex};

/// Most bytes that are kept of a request, and of all that was received: a head and 64 KiB of body.
pub const RECEIVED_MAX: usize = 128 * 1024;

/// Event on the connection.
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
    /// These bytes came, decrypted if need be; bytes over [`RECEIVED_MAX`] altogether are left out.
    Received(Vec<u8>),
}

/// Events so far.
#[derive(Debug, Default)]
pub struct Tap(Mutex<Notes>);

#[derive(Debug, Default)]
struct Notes {
    heard: Vec<(u64, TapEvent)>,
    received: u64,
    kept: usize,
    /// Bytes sent that are kept since something was received.
    sent: usize,
}

impl Tap {
    /// Writes down what happened then.
    pub fn note(&self, at_ns: u64, what: TapEvent) {
        let Ok(mut notes) = self.0.lock() else { return };
        let what = match what {
            TapEvent::Received(mut bytes) => {
                notes.received += bytes.len() as u64;
                bytes.truncate(RECEIVED_MAX - notes.kept);
                notes.kept += bytes.len();
                notes.sent = 0;
                TapEvent::Received(bytes)
            }
            TapEvent::Sent(mut bytes) => {
                bytes.truncate(RECEIVED_MAX - notes.sent);
                notes.sent += bytes.len();
                TapEvent::Sent(bytes)
            }
            other => other,
        };
        notes.heard.push((at_ns, what));
    }

    /// All notes, and how many bytes were received.
    pub fn take(&self) -> (Vec<(u64, TapEvent)>, u64) {
        self.0
            .lock()
            .map_or_else(|_| (Vec::new(), 0), |mut notes| (std::mem::take(&mut notes.heard), notes.received))
    }
}

/// Drivers with a tap above all that connections pass through.
#[derive(Debug)]
pub(crate) struct TappedDrivers<D>(pub D, pub Arc<Tap>);

impl<D: Drivers> Drivers for TappedDrivers<D> {
    type Driver = D::Driver;

    fn now_ns(&self) -> u64 {
        self.0.now_ns()
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
