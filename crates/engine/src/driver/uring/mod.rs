//! Linux sockets through one io_uring instance, for one worker.
//!
//! It is cheap because a connection is armed once and every answer on it comes as a completion, in a buffer of a pool
//! that all connections share; requests are copied into a pool too and leave together, with one system call for a whole
//! poll. Connecting, closing and requests that are too long for the pool are system calls of their own, as with epoll.
//!
//! [`Net::send`] queues bytes. They leave when the poll ends, or earlier when a batch of them waits; then
//! [`Handler::sent`] is called with the instant at which the batch was handed over. Within a batch the kernel sends one
//! after the other, so a request's first byte left after that instant, by what those before it took (some microseconds
//! each): that much of the generator's own time is part of the service time, never the other way round.

mod memory;
mod net;
mod probe;

use super::epoll::system;
use super::unix_connect_queue::{UnixConnectQueues, Waiting};
use super::{Allowance, Close, Conn, Driver, Drivers, EpollDrivers, Handler, Net, Polled, Wake};
use super::{POLL_BYTES, Pushed, SPIN_NS, Sent};
use crate::{DriverChoice, EngineError, GeneratorSettings, clock};
use io_uring::cqueue;
use memory::{Buffers, Parcels};
pub use net::UringNet;
use net::{KIND_SHIFT, Left, Out, POLL, RECEIVE, Rest, Socket, of_tag};
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroU64;

/// Entries that are handed to the kernel at once.
const ENTRIES: u32 = 256;
/// Room for completions; the kernel keeps those in excess until there is room.
const COMPLETIONS: u32 = 4096;
pub struct Uring {
    // Its ring is given up before the buffers go; see `Drop` of it.
    net: UringNet,
    buffers: Buffers,
    /// Taken and not reported yet.
    peeked: Option<cqueue::Entry>,
    /// Most things reported in one poll.
    events: u32,
}

impl std::fmt::Debug for Uring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Uring").field("net", &self.net).finish_non_exhaustive()
    }
}

impl Uring {
    /// A driver for connections 0 to `capacity` that takes at most `events` events at once, and at least one. Belongs
    /// to the calling thread, whose timers become exact.
    ///
    /// # Errors
    /// If the kernel refuses the ring or its buffers.
    pub fn new(capacity: u32, events: u32) -> io::Result<Self> {
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1)).map_err(system)?;
        let ring = probe::ring(ENTRIES, COMPLETIONS)?;
        let buffers = Buffers::register(&ring, capacity)?;
        let mut sockets = Vec::new();
        sockets.resize_with(capacity as usize, Socket::default);
        let net = UringNet {
            ring,
            parcels: Parcels::new()?,
            sockets,
            batch: 1,
            broken: None,
            named: Vec::new(),
            late: VecDeque::new(),
            #[cfg(test)]
            refusals: 0,
            connect_queues: UnixConnectQueues::default(),
        };
        Ok(Uring { net, buffers, peeked: None, events: events.max(1) })
    }

    /// Takes completions; returns true if there is something to report. The report that a request left whole is made at
    /// once, and ends no wait.
    fn take_completions<H: Handler<UringNet>>(&mut self, handler: &mut H) -> bool {
        while self.peeked.is_none() {
            let Some(done) = self.net.ring.completion().next() else { return false };
            match self.net.left_whole(&done) {
                Left::Whole(conn, sent) => handler.sent(&mut self.net, conn, sent),
                Left::Unasked => {}
                Left::Otherwise => self.peeked = Some(done),
            }
        }
        true
    }

    fn next<H: Handler<UringNet>>(&mut self, handler: &mut H) -> Option<cqueue::Entry> {
        self.take_completions(handler);
        self.peeked.take()
    }

    /// Submits the queue and waits until there is something to report, or for the instant; returns the time waited.
    /// Submitting is work and not waiting, so the two are two calls unless there is nothing to wait for.
    fn wait_until<H: Handler<UringNet>>(&mut self, wake: Wake, handler: &mut H) -> io::Result<u64> {
        let reportable = self.take_completions(handler);
        if self.net.has_queued() || self.net.has_work() {
            self.net.enter()?;
        }
        if reportable || self.take_completions(handler) {
            return Ok(0);
        }
        let began = clock::monotonic_ns();
        let mut now = began;
        loop {
            let left = wake.at_ns.saturating_sub(now);
            let sleep = if wake.exact { left.saturating_sub(SPIN_NS) } else { left };
            if sleep > 0 {
                self.net.sleep(sleep)?;
            } else if self.net.has_work() {
                self.net.enter()?;
            }
            let reportable = self.take_completions(handler);
            now = clock::monotonic_ns();
            if reportable || now >= wake.at_ns || !wake.exact {
                return Ok(now - began);
            }
        }
    }

    fn received<H: Handler<UringNet>>(&mut self, done: &cqueue::Entry, handler: &mut H) -> usize {
        let (conn, epoch) = of_tag(done.user_data());
        let buffer = cqueue::buffer_select(done.flags());
        let mut bytes = 0;
        if self.net.is_live(conn, epoch) {
            self.net.sockets[conn as usize].receiving = cqueue::more(done.flags());
            match (done.result(), buffer) {
                (got @ 1.., Some(id)) => {
                    bytes = got as usize;
                    handler.received(&mut self.net, conn, self.buffers.received(id, bytes));
                }
                (0, _) if self.net.sockets[conn as usize].reset => {
                    handler.closed(&mut self.net, conn, Close::Reset);
                }
                (0, _) => handler.closed(&mut self.net, conn, Close::Fin),
                // No buffer was left: those that were reported before have been given back meanwhile.
                (result, _) if may_go_on(result) => {}
                _ => handler.closed(&mut self.net, conn, Close::Reset),
            }
        }
        if let Some(id) = buffer {
            self.buffers.give_back(id);
        }
        let goes_on = done.result() > 0 || may_go_on(done.result());
        if goes_on && self.net.is_live(conn, epoch) && !self.net.sockets[conn as usize].receiving {
            self.net.arm(conn);
        }
        bytes
    }

    /// A connection can be written to, or a dial has ended.
    fn polled<H: Handler<UringNet>>(&mut self, done: &cqueue::Entry, handler: &mut H) {
        let (conn, epoch) = of_tag(done.user_data());
        if !self.net.is_live(conn, epoch) {
            return;
        }
        self.net.sockets[conn as usize].polling = false;
        if self.net.sockets[conn as usize].dialing {
            match self.net.dial_result(conn) {
                Ok(false) => self.net.poll(conn),
                Ok(true) => {
                    self.net.arm(conn);
                    handler.dialed(&mut self.net, conn, Ok(()));
                }
                Err(fault) => {
                    self.net.close(conn);
                    handler.dialed(&mut self.net, conn, Err(fault));
                }
            }
            return;
        }
        self.push_rest(conn, handler);
    }

    /// Goes on with a request that has not left whole, and tells.
    fn push_rest<H: Handler<UringNet>>(&mut self, conn: Conn, handler: &mut H) {
        let epoch = self.net.sockets[conn as usize].epoch;
        let Ok(Rest { done, begun }) = self.net.push_rest(conn) else {
            let sent = Sent { at_ns: clock::monotonic_ns(), pushed: Pushed::Failed };
            return handler.sent(&mut self.net, conn, sent);
        };
        if !done {
            self.net.poll(conn);
        }
        if let Some(sent) = begun {
            handler.sent(&mut self.net, conn, sent);
        }
        if done && self.net.is_live(conn, epoch) {
            self.tell_writable(conn, handler);
        }
    }

    /// Goes on with dials that found no room.
    #[cold]
    fn try_connecting<H: Handler<UringNet>>(&mut self, handler: &mut H) {
        let now = clock::monotonic_ns();
        for _ in 0..self.events {
            let sockets = &self.net.sockets;
            let goes_on = |conn: Conn, epoch| sockets[conn as usize].epoch == epoch;
            let Some((Waiting { conn, fd, .. }, ended)) = self.net.connect_queues.next(now, goes_on) else {
                return;
            };
            let socket = &mut self.net.sockets[conn as usize];
            socket.dialing = false;
            socket.fd = Some(fd);
            match ended {
                Ok(()) => self.net.arm(conn),
                Err(_) => self.net.close(conn),
            }
            handler.dialed(&mut self.net, conn, ended);
        }
    }

    fn tell_writable<H: Handler<UringNet>>(&mut self, conn: Conn, handler: &mut H) {
        if std::mem::take(&mut self.net.sockets[conn as usize].wants_write) {
            handler.writable(&mut self.net, conn);
        }
    }

    /// A request left in part or not at all, or a session waits until it has left.
    fn sent<H: Handler<UringNet>>(&mut self, done: &cqueue::Entry, handler: &mut H) {
        let id = done.user_data() as u16;
        let parcel = self.net.parcels.get(id);
        if !self.net.is_live(parcel.conn, parcel.epoch) {
            self.net.parcels.free(id);
            return;
        }
        let socket = &mut self.net.sockets[parcel.conn as usize];
        socket.out = Out::Nothing;
        match done.result() {
            result if result >= 0 || result == -libc::EAGAIN || result == -libc::EINTR => {
                self.net.parcels.sent(id, result.max(0) as u16);
                socket.out = Out::Rest(id);
                if result > 0 {
                    let pushed = Pushed::Took(usize::from(parcel.to));
                    handler.sent(&mut self.net, parcel.conn, Sent { at_ns: parcel.at_ns, pushed });
                }
                if self.net.is_live(parcel.conn, parcel.epoch) {
                    self.push_rest(parcel.conn, handler);
                }
            }
            result => {
                self.net.parcels.free(id);
                if result == -libc::ECONNRESET || result == -libc::EPIPE {
                    // An answer may have come before the reset; the armed receive finds it, then the end.
                    socket.reset = true;
                } else {
                    let sent = Sent { at_ns: parcel.at_ns, pushed: Pushed::Failed };
                    handler.sent(&mut self.net, parcel.conn, sent);
                }
            }
        }
    }
}

/// True if a receive with that result only has to be armed again.
fn may_go_on(result: i32) -> bool {
    [-libc::ENOBUFS, -libc::EAGAIN, -libc::EINTR].contains(&result)
}

impl Driver for Uring {
    type Net = UringNet;

    fn name(&self) -> &'static str {
        DriverChoice::IoUring.name()
    }

    fn net(&mut self) -> &mut UringNet {
        &mut self.net
    }

    fn poll<H: Handler<UringNet>>(&mut self, wake: Wake, handler: &mut H) -> io::Result<Polled> {
        let waited_ns = self.wait_until(self.net.connect_queues.before(wake), handler)?;
        let mut bytes = 0;
        for _ in 0..self.events {
            if bytes >= POLL_BYTES {
                break;
            }
            let Some(done) = self.next(handler) else { break };
            match done.user_data() >> KIND_SHIFT {
                RECEIVE => bytes += self.received(&done, handler),
                POLL => self.polled(&done, handler),
                _ => self.sent(&done, handler),
            }
        }
        if !self.net.connect_queues.is_empty() {
            self.try_connecting(handler);
        }
        match self.net.broken {
            Some(errno) => Err(system(errno)),
            None => Ok(Polled { waited_ns }),
        }
    }
}

/// io_uring drivers on this machine.
#[derive(Clone, Copy, Debug)]
pub struct UringDrivers {
    events: u32,
}

impl UringDrivers {
    /// Tests that this kernel does what they need.
    ///
    /// # Errors
    /// [`EngineError::Driver`] with what is missing or forbidden.
    pub fn new() -> Result<Self, EngineError> {
        probe::judged(probe::attempt()).map(|()| UringDrivers { events: GeneratorSettings::EVENTS })
    }

    /// The same drivers, which take at most `events` events at once.
    pub fn taking(self, events: u32) -> Self {
        UringDrivers { events }
    }
}

impl Drivers for UringDrivers {
    type Driver = Uring;

    fn now_ns(&self) -> u64 {
        EpollDrivers::default().now_ns()
    }

    fn allowance(&self) -> Allowance {
        EpollDrivers::default().allowance()
    }

    fn peak_rss_bytes(&self) -> u64 {
        EpollDrivers::default().peak_rss_bytes()
    }

    fn open(&self, _worker: u32, capacity: u32) -> io::Result<Uring> {
        Uring::new(capacity, self.events)
    }
}

#[cfg(test)]
mod tests;
