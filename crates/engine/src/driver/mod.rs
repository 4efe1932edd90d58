//! Drivers, which carry bytes: the kernel's sockets through epoll or io_uring.
//!
//! A [`Driver`] belongs to one worker. [`Driver::poll`] waits until something happens or an instant
//! comes, and calls the [`Handler`] for each thing that happened; the handler answers at once through
//! the [`Net`] it is given. Received bytes are lent for the call only, so one buffer serves all
//! connections of a worker.
//!
//! Connections are named by numbers that the worker chose (indexes of its list). A number is free again
//! after [`Net::close`], also within the call that reported it.

mod busy_poll;
mod dial;
mod epoll;
mod machine;
mod tap;
mod unix_connect_queue;
mod uring;

pub use crate::clock::Delayed;
pub use dial::is_local;
pub use epoll::{Epoll, EpollDrivers, EpollNet};
pub use proofload_wire::Close;
pub(crate) use tap::TappedDrivers;
pub use tap::{Ended, Heard, Notes, RECEIVED_MAX, Tap, TapEvent};
pub use uring::{Uring, UringDrivers, UringNet};

use crate::target::Handshake;
use crate::{DriverChoice, EngineError, Target};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

/// Checks that this machine can carry a load by that driver; a trial of some microseconds.
///
/// # Errors
/// [`EngineError::Driver`] with what is missing or forbidden, and what to do.
pub fn probe(choice: DriverChoice) -> Result<(), EngineError> {
    match choice {
        DriverChoice::Epoll => Ok(()),
        DriverChoice::IoUring => UringDrivers::new().map(|_| ()),
    }
}

/// Bytes after which a poll ends, or a connection has had its share of it.
const POLL_BYTES: usize = 256 * 1024;
/// The last stretch before an exact instant is spun, for a sleeping thread wakes up some 50 µs late.
const SPIN_NS: u64 = 60_000;

/// Names a connection of one worker.
pub type Conn = u32;

/// Reason for which a connection was not established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialFault {
    /// The peer's host refused it (`ECONNREFUSED`).
    Refused,
    /// The kernel gave up (`ETIMEDOUT`).
    TimedOut,
    /// No local port was left (`EADDRNOTAVAIL`).
    NoPort,
    /// No descriptor, or no memory for a socket, was left (`EMFILE`, `ENFILE`, `ENOBUFS`, `ENOMEM`).
    NoDescriptor,
    /// It was established, and the peer had reset it before it was used (`ECONNRESET`).
    Reset,
    /// Anything else: unreachable, forbidden.
    Other,
    /// The connection was established, but its transport was not: the proxy refused, or TLS could not be agreed on.
    /// [`Net::explain`] returns the reason.
    Transport,
}

/// Progress of [`Net::dial`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialed {
    /// The connection is established; [`Handler::dialed`] is not called.
    Established,
    /// [`Handler::dialed`] will report how it ended.
    Pending,
    /// It failed; the number is free.
    Failed(DialFault),
}

/// Result of giving bytes to [`Net::send`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// This many bytes were taken. If that is fewer than were given, [`Handler::writable`] will be called, unless a later
    /// send takes all that it is given, or [`Handler::closed`] once what the peer had sent was handed over.
    Took(usize),
    /// All of them are in a queue of the driver's, and the kernel has none yet. [`Handler::sent`] reports what became
    /// of them, unless the connection ends first.
    Queued,
    /// The peer has reset the connection, and nothing that it had sent is left. The handler must still close it.
    Reset,
    /// They could not be sent for another reason. The handler must still close the connection.
    Failed,
}

/// Result of bytes that were sent as soon as their connection was established, or had been queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Just before they were handed to the kernel, when the connection was established already.
    pub at_ns: u64,
    /// As [`Net::send`] would have returned.
    pub pushed: Pushed,
}

/// Operations on connections that a handler may use.
pub trait Net {
    /// The time of this driver's axis; for the kernel's sockets `CLOCK_MONOTONIC`.
    fn now_ns(&self) -> u64;
    /// CPU time that this worker's thread has used.
    fn cpu_ns(&self) -> u64;
    /// Time for which this worker's thread was ready to run and had no CPU, since it began; `None` where it is not
    /// known.
    fn delayed(&self) -> Option<Delayed> {
        None
    }
    /// Begins to connect, `from` a local address if one is given (TCP). The number must be free and below the
    /// capacity the driver was made with. A driver of sockets takes the first address alone; what the target's
    /// transport asks for is the layer's above it ([`crate::transport`]), and which address is dialed the worker's.
    fn dial(&mut self, conn: Conn, to: &Target, from: Option<IpAddr>) -> Dialed;
    /// The same, and sends these bytes if the connection is established at once; only then is there a [`Sent`].
    fn dial_sending(
        &mut self,
        conn: Conn,
        to: &Target,
        from: Option<IpAddr>,
        bytes: &[u8],
    ) -> (Dialed, Option<Sent>) {
        let dialed = self.dial(conn, to, from);
        let sent = (dialed == Dialed::Established).then(|| {
            let at_ns = self.now_ns();
            Sent { at_ns, pushed: self.send(conn, bytes) }
        });
        (dialed, sent)
    }
    /// Sends the bytes that the kernel takes now.
    fn send(&mut self, conn: Conn, bytes: &[u8]) -> Pushed;
    /// Closes the connection, or gives its establishment up, and frees the number. No call reports it.
    fn close(&mut self, conn: Conn);
    /// True if the socket of a pending dial is connected, so that what is awaited is a proxy's or TLS's.
    fn is_connected(&self, _conn: Conn) -> bool {
        false
    }
    /// Reason for which the transport of a connection failed, in a sentence: within [`Handler::dialed`] and
    /// [`Handler::closed`], after [`Dialed::Failed`], and after [`Net::close`] of a connection that was being made.
    fn explain(&self) -> Option<String> {
        None
    }
    /// The TLS handshake of the connection, within [`Handler::dialed`].
    fn handshake(&self, _conn: Conn) -> Option<Handshake> {
        None
    }
    /// Tap that hears what happens; `None` while measuring.
    fn tap(&self) -> Option<&Tap> {
        None
    }
}

pub trait Handler<N: Net> {
    /// A dial that was pending has ended. After a failure the number is free.
    fn dialed(&mut self, net: &mut N, conn: Conn, result: Result<(), DialFault>);
    /// Bytes came; they are valid for the call.
    fn received(&mut self, net: &mut N, conn: Conn, bytes: &[u8]);
    /// The kernel has taken what was [`Pushed::Queued`], or the first of it: called once, with [`Pushed::Took`] of all of
    /// it, and before anything that came later. [`Pushed::Failed`], instead or when a rest could not be sent: the
    /// handler must close the connection. [`Handler::closed`] reports a reset, once what came before was handed over.
    fn sent(&mut self, _net: &mut N, conn: Conn, _sent: Sent) {
        debug_assert!(false, "bytes of connection {conn} were queued for a handler that does not hear of it");
    }
    /// Bytes can be sent again.
    fn writable(&mut self, net: &mut N, conn: Conn);
    /// The peer ended the connection; everything it had sent was handed over before. The handler must
    /// close the connection.
    fn closed(&mut self, net: &mut N, conn: Conn, how: Close);
}

/// Limit on the wait of a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// The instant at which to return at the latest.
    pub at_ns: u64,
    /// True to hit the instant within microseconds, which costs CPU time; false to wake up when the kernel sees fit.
    pub exact: bool,
}

/// Facts about one poll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Polled {
    /// Time without anything to do but to wait, asleep or spinning.
    pub waited_ns: u64,
}

/// Waits for things to happen, one poll at a time.
pub trait Driver {
    /// Connections through which handlers answer.
    type Net: Net;

    fn name(&self) -> &'static str;
    fn net(&mut self) -> &mut Self::Net;
    /// Waits until something happens or the instant comes, then calls the handler for what happened.
    /// A handful of things at most, so that a worker soon gets back to its timetable.
    ///
    /// # Errors
    /// If the operating system refuses to wait at all.
    fn poll<H: Handler<Self::Net>>(&mut self, wake: Wake, handler: &mut H) -> io::Result<Polled>;
}

/// Amounts of scarce resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// File descriptors this process may have open; `None` means no limit.
    pub descriptors: Option<u64>,
    /// Local ports for connections to one address.
    pub ports: u64,
}

/// Makes a driver for each worker, and answers for the machine below them.
pub trait Drivers: Sync {
    type Driver: Driver;

    /// The time of the axis that all its drivers share.
    fn now_ns(&self) -> u64;
    /// Nanoseconds since 1970 (UTC) at the beginning of that axis.
    fn unix_ns_at_zero(&self) -> i64 {
        crate::clock::unix_ns_at_zero()
    }
    /// True if time stops while a worker waits for another thread.
    fn is_virtual(&self) -> bool {
        false
    }
    fn allowance(&self) -> Allowance;
    /// Peak resident memory of this process, in bytes; 0 when unknown.
    fn peak_rss_bytes(&self) -> u64;
    /// A driver for one worker, called on the worker's own thread.
    ///
    /// # Errors
    /// If the operating system refuses a resource that the driver needs.
    fn open(&self, worker: u32, capacity: u32) -> io::Result<Self::Driver>;
    /// Tap that records all events; `None` while measuring.
    fn tap(&self) -> Option<Arc<Tap>> {
        None
    }
}
