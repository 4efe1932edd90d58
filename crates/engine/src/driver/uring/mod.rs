//! Linux sockets through one io_uring instance, for one worker.
//!
//! What makes it cheap: a connection is armed once and every answer on it comes as a completion, in a buffer
//! of a pool that all connections share; requests are copied into a pool too and leave together, with one
//! system call for a whole turn. Connecting, closing and what is too long for the pool are system calls of
//! their own, as with epoll.
//!
//! [`Net::send`] says that bytes were taken when they stand in the queue. They leave when the turn ends, or
//! earlier when [`BATCH`] requests wait: an instant taken after `send` is before the first byte left, by what
//! the rest of the batch takes (some microseconds each). So what the generator itself holds a request up is
//! part of the service time that it measures, never hidden from it.

mod memory;
mod probe;

use super::epoll::{dial_fault, socket_to, system};
use super::{
    Allowance, Close, Conn, DialFault, Dialed, Driver, Drivers, EpollDrivers, Handler, Net, Pushed, Turned,
    Wake,
};
use crate::{Address, DriverChoice, EngineError, Target, clock};
use io_uring::{EnterFlags, IoUring, cqueue, opcode, squeue, types};
use memory::{Buffers, GROUP, Parcels, SEND_BYTES};
use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown, SocketAddrUnix, sockopt};
use std::io;
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::os::fd::{AsRawFd, OwnedFd};

/// Entries that are handed to the kernel at once.
const ENTRIES: u32 = 256;
/// Room for completions; what is in excess the kernel keeps until there is room.
const COMPLETIONS: u32 = 4096;
/// Requests that wait for each other at most.
const BATCH: u32 = 32;
/// Most completions told in one turn.
const TURN_EVENTS: usize = 64;
/// Bytes after which a turn ends.
const TURN_BYTES: usize = 256 * 1024;
/// The last stretch before an exact instant is spun, for a sleeping thread wakes up some 50 µs late.
const SPIN_NS: u64 = 60_000;

/// What a completion is about stands above connection and epoch in its tag.
const RECEIVE: u64 = 0;
const POLL: u64 = 1;
const SEND: u64 = 2;
const KIND_SHIFT: u32 = 56;
/// Epochs count uses of a number. A completion is never 2^24 uses late.
const EPOCHS: u32 = (1 << 24) - 1;

/// A driver over io_uring.
pub struct Uring {
    // Before the buffers, so that the kernel is done with them when they go.
    net: UringNet,
    buffers: Buffers,
    /// Looked at and not told yet.
    peeked: Option<cqueue::Entry>,
}

/// The sockets of one worker.
pub struct UringNet {
    // Before the parcels, as above.
    ring: IoUring,
    parcels: Parcels,
    sockets: Vec<Socket>,
    /// Counts submissions, to know whether an entry has left the queue.
    batch: u64,
    /// Requests in the queue.
    waiting: u32,
    /// What the kernel refused that it must not refuse; the next turn ends with it.
    broken: Option<Errno>,
    /// Sockets that entries still name which the kernel did not take.
    named: Vec<OwnedFd>,
}

#[derive(Debug, Default)]
struct Socket {
    fd: Option<OwnedFd>,
    epoch: u32,
    dialing: bool,
    /// A receive is armed.
    receiving: bool,
    /// Its writability is waited for.
    polling: bool,
    wants_write: bool,
    /// A send met a reset, which takes the error from the socket: receiving will only find an end.
    reset: bool,
    out: Out,
    /// Batch of the entry that was queued last.
    batch: u64,
}

/// What the pool of requests holds of a connection: one request at most, so that bytes stay in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Out {
    #[default]
    Nothing,
    /// The kernel has not answered for it.
    Queued,
    /// The kernel did not take all of it.
    Rest(u16),
}

impl std::fmt::Debug for Uring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Uring").field("net", &self.net).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for UringNet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UringNet").field("sockets", &self.sockets.len()).finish_non_exhaustive()
    }
}

impl Uring {
    /// A driver for connections 0 to `capacity`. Belongs to the calling thread, whose timers become exact.
    ///
    /// # Errors
    /// When the kernel refuses the ring or its buffers.
    pub fn new(capacity: u32) -> io::Result<Self> {
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1)).map_err(system)?;
        let ring = probe::ring(ENTRIES, COMPLETIONS)?;
        let buffers = Buffers::register(&ring, capacity)?;
        let mut sockets = Vec::new();
        sockets.resize_with(capacity as usize, Socket::default);
        let net = UringNet {
            ring,
            parcels: Parcels::new(),
            sockets,
            batch: 1,
            waiting: 0,
            broken: None,
            named: Vec::new(),
        };
        Ok(Uring { net, buffers, peeked: None })
    }

    /// Whether something is there to be told. Requests that left whole are not.
    fn look(&mut self) -> bool {
        while self.peeked.is_none() {
            let Some(done) = self.net.ring.completion().next() else { return false };
            if !self.net.left_whole(&done) {
                self.peeked = Some(done);
            }
        }
        true
    }

    fn next(&mut self) -> Option<cqueue::Entry> {
        self.look();
        self.peeked.take()
    }

    /// Submits what is queued and waits until something is to be told, or for the instant; returns how long it
    /// waited. Submitting is work and not waiting, so the two are two calls unless there is nothing to wait for.
    fn wait_until(&mut self, wake: Wake) -> io::Result<u64> {
        let told = self.look();
        if self.net.has_queued() || self.net.has_work() {
            self.net.enter()?;
        }
        if told || self.look() {
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
            let told = self.look();
            now = clock::monotonic_ns();
            if told || now >= wake.at_ns || !wake.exact {
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
                // No buffer was left: those that were told of before have been given back meanwhile.
                (result, _) if [-libc::ENOBUFS, -libc::EAGAIN, -libc::EINTR].contains(&result) => {}
                _ => handler.closed(&mut self.net, conn, Close::Reset),
            }
        }
        if let Some(id) = buffer {
            self.buffers.give_back(id);
        }
        let goes_on = done.result() > 0 || done.result() == -libc::ENOBUFS || done.result() == -libc::EAGAIN;
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
        match self.net.push_rest(conn) {
            Ok(true) => self.tell_writable(conn, handler),
            Ok(false) => self.net.poll(conn),
            Err(_) => handler.closed(&mut self.net, conn, Close::Reset),
        }
    }

    fn tell_writable<H: Handler<UringNet>>(&mut self, conn: Conn, handler: &mut H) {
        if std::mem::take(&mut self.net.sockets[conn as usize].wants_write) {
            handler.writable(&mut self.net, conn);
        }
    }

    /// A request left in part or not at all, or somebody waits until it has left.
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
                match self.net.push_rest(parcel.conn) {
                    Ok(true) => self.tell_writable(parcel.conn, handler),
                    Ok(false) => self.net.poll(parcel.conn),
                    Err(_) => handler.closed(&mut self.net, parcel.conn, Close::Reset),
                }
            }
            result => {
                self.net.parcels.free(id);
                if result == -libc::ECONNRESET || result == -libc::EPIPE {
                    // An answer may have come before the reset; the armed receive finds it, then the end.
                    socket.reset = true;
                } else {
                    // It was said to be taken: all that can be told now is that the connection is of no use.
                    handler.closed(&mut self.net, parcel.conn, Close::Reset);
                }
            }
        }
    }
}

impl Driver for Uring {
    type Net = UringNet;

    fn name(&self) -> &'static str {
        DriverChoice::IoUring.name()
    }

    fn net(&mut self) -> &mut UringNet {
        &mut self.net
    }

    fn turn<H: Handler<UringNet>>(&mut self, wake: Wake, handler: &mut H) -> io::Result<Turned> {
        let waited_ns = self.wait_until(wake)?;
        let mut bytes = 0;
        for _ in 0..TURN_EVENTS {
            if bytes >= TURN_BYTES {
                break;
            }
            let Some(done) = self.next() else { break };
            match done.user_data() >> KIND_SHIFT {
                RECEIVE => bytes += self.received(&done, handler),
                POLL => self.polled(&done, handler),
                _ => self.sent(&done, handler),
            }
        }
        match self.net.broken {
            Some(errno) => Err(system(errno)),
            None => Ok(Turned { waited_ns }),
        }
    }
}

fn tag(kind: u64, conn: Conn, epoch: u32) -> u64 {
    kind << KIND_SHIFT | u64::from(epoch) << 32 | u64::from(conn)
}

fn of_tag(tag: u64) -> (Conn, u32) {
    (tag as u32, (tag >> 32) as u32 & EPOCHS)
}

fn timespec(ns: u64) -> types::Timespec {
    types::Timespec::new().sec(ns / 1_000_000_000).nsec((ns % 1_000_000_000) as u32)
}

impl UringNet {
    #[inline]
    fn is_live(&self, conn: Conn, epoch: u32) -> bool {
        let socket = &self.sockets[conn as usize];
        socket.epoch == epoch && socket.fd.is_some()
    }

    fn has_queued(&mut self) -> bool {
        !self.ring.submission().is_empty()
    }

    /// Whether the kernel has completions that it will make when it is asked.
    fn has_work(&mut self) -> bool {
        let queue = self.ring.submission();
        queue.taskrun() || queue.cq_overflow()
    }

    /// Hands over what is queued and has the kernel make the completions that are due, without waiting.
    fn enter(&mut self) -> io::Result<()> {
        self.submit(EnterFlags::GETEVENTS)
    }

    fn submit(&mut self, flags: EnterFlags) -> io::Result<()> {
        let queued = self.ring.submission().len();
        // SAFETY: neither a timeout nor a set of signals is handed over. Sockets that entries name are open, for
        // `close` submits first; buffers that they name live as long as the ring.
        let entered =
            unsafe { self.ring.submitter().enter::<libc::sigset_t>(queued as u32, 0, flags.bits(), None) };
        match entered {
            Ok(taken) => {
                if taken >= queued {
                    self.batch += 1;
                    self.waiting = 0;
                }
                Ok(())
            }
            // Busy: completions have to be taken first. Again: no memory just now. Both leave the queue as it is.
            Err(error) => match error.raw_os_error() {
                Some(libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(()),
                _ => Err(error),
            },
        }
    }

    /// Waits for a completion, at most so long.
    fn sleep(&mut self, ns: u64) -> io::Result<()> {
        let timeout = timespec(ns);
        let arguments = types::SubmitArgs::new().timespec(&timeout);
        match self.ring.submitter().submit_with_args(1, &arguments) {
            Ok(_) => Ok(()),
            Err(error) => match error.raw_os_error() {
                Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(()),
                _ => Err(error),
            },
        }
    }

    /// Queues an entry; one that does not fit breaks the driver.
    fn push(&mut self, conn: Conn, entry: &squeue::Entry) {
        if self.ring.submission().is_full()
            && let Err(error) = self.submit(EnterFlags::empty())
        {
            self.broken = Some(Errno::from_io_error(&error).unwrap_or(Errno::IO));
        }
        // SAFETY: the socket that the entry names is open until the kernel has the entry, for `close` submits first;
        // the buffers that it names live as long as the ring.
        if unsafe { self.ring.submission().push(entry) }.is_err() {
            self.broken.get_or_insert(Errno::NOBUFS);
            return;
        }
        self.sockets[conn as usize].batch = self.batch;
    }

    /// From now on what comes is told, in the buffers of the pool.
    fn arm(&mut self, conn: Conn) {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return };
        socket.receiving = true;
        let receive = opcode::RecvMulti::new(types::Fd(fd.as_raw_fd()), GROUP).build();
        let tag = tag(RECEIVE, conn, socket.epoch);
        self.push(conn, &receive.user_data(tag));
    }

    /// Has the kernel tell once when the connection can be written to, or has failed.
    fn poll(&mut self, conn: Conn) {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return };
        if std::mem::replace(&mut socket.polling, true) {
            return;
        }
        let poll = opcode::PollAdd::new(types::Fd(fd.as_raw_fd()), libc::POLLOUT as u32).build();
        let tag = tag(POLL, conn, socket.epoch);
        self.push(conn, &poll.user_data(tag));
    }

    /// Whether that completion tells of a request that left whole while nobody waits for it.
    #[inline]
    fn left_whole(&mut self, done: &cqueue::Entry) -> bool {
        if done.user_data() >> KIND_SHIFT != SEND {
            return false;
        }
        let id = done.user_data() as u16;
        let parcel = self.parcels.get(id);
        if done.result() != i32::from(parcel.to) {
            return false;
        }
        let socket = &mut self.sockets[parcel.conn as usize];
        if socket.epoch == parcel.epoch {
            if socket.wants_write {
                return false;
            }
            socket.out = Out::Nothing;
        }
        self.parcels.free(id);
        true
    }

    /// Whether a pending dial has ended well; `Ok(false)` while it has not ended.
    fn dial_result(&mut self, conn: Conn) -> Result<bool, DialFault> {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return Ok(false) };
        match sockopt::socket_error(fd) {
            Ok(Ok(())) => {}
            Ok(Err(errno)) | Err(errno) => return Err(dial_fault(errno)),
        }
        socket.dialing = rustix::net::getpeername(fd).is_err();
        Ok(!socket.dialing)
    }

    /// Sends what the kernel has left of a request; says whether that was all.
    fn push_rest(&mut self, conn: Conn) -> Result<bool, Errno> {
        let Out::Rest(id) = self.sockets[conn as usize].out else { return Ok(true) };
        loop {
            let rest = self.parcels.rest(id);
            if rest.is_empty() {
                self.sockets[conn as usize].out = Out::Nothing;
                self.parcels.free(id);
                return Ok(true);
            }
            let Some(fd) = &self.sockets[conn as usize].fd else { return Ok(false) };
            match rustix::net::send(fd, rest, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(took) => self.parcels.sent(id, took as u16),
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(errno) => {
                    self.sockets[conn as usize].out = Out::Nothing;
                    self.parcels.free(id);
                    if !matches!(errno, Errno::CONNRESET | Errno::PIPE) {
                        return Err(errno);
                    }
                    self.sockets[conn as usize].reset = true;
                    return Ok(true);
                }
            }
        }
    }

    fn open(&mut self, conn: Conn, to: &Address, from: Option<IpAddr>) -> Result<Dialed, Errno> {
        let fd = socket_to(to, from)?;
        let connected = match to {
            Address::Tcp(to) => rustix::net::connect(&fd, to),
            Address::Unix(path) => rustix::net::connect(&fd, &SocketAddrUnix::new(path)?),
        };
        match connected {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        let established = rustix::net::getpeername(&fd).is_ok();
        let socket = &mut self.sockets[conn as usize];
        socket.dialing = !established;
        socket.fd = Some(fd);
        if established {
            self.arm(conn);
            Ok(Dialed::Established)
        } else {
            self.poll(conn);
            Ok(Dialed::Pending)
        }
    }

    /// Sends with a system call of its own.
    fn send_now(&mut self, conn: Conn, bytes: &[u8]) -> Pushed {
        let Some(fd) = &self.sockets[conn as usize].fd else { return Pushed::Failed };
        let took = loop {
            match rustix::net::send(fd, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(took) => break took,
                Err(Errno::AGAIN) => break 0,
                Err(Errno::INTR) => {}
                Err(Errno::CONNRESET | Errno::PIPE) => {
                    // As above: the armed receive finds what came before, then the end.
                    self.sockets[conn as usize].reset = true;
                    return Pushed::Took(0);
                }
                Err(_) => return Pushed::Failed,
            }
        };
        if took < bytes.len() {
            self.sockets[conn as usize].wants_write = true;
            self.poll(conn);
        }
        Pushed::Took(took)
    }
}

impl Net for UringNet {
    #[inline]
    fn now_ns(&self) -> u64 {
        clock::monotonic_ns()
    }

    fn cpu_ns(&self) -> u64 {
        clock::thread_cpu_ns()
    }

    fn dial(&mut self, conn: Conn, to: &Target, from: Option<IpAddr>) -> Dialed {
        debug_assert!(self.sockets[conn as usize].fd.is_none(), "connection {conn} is in use");
        self.open(conn, &to.address, from).unwrap_or_else(|errno| Dialed::Failed(dial_fault(errno)))
    }

    #[inline]
    fn send(&mut self, conn: Conn, bytes: &[u8]) -> Pushed {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return Pushed::Failed };
        if socket.out != Out::Nothing || socket.polling {
            socket.wants_write = true;
            return Pushed::Took(0);
        }
        if bytes.len() > SEND_BYTES {
            return self.send_now(conn, bytes);
        }
        let Some(id) = self.parcels.pack(conn, socket.epoch, bytes) else {
            return self.send_now(conn, bytes);
        };
        socket.out = Out::Queued;
        let send = opcode::Send::new(types::Fd(fd.as_raw_fd()), self.parcels.address(id), bytes.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT)
            .build();
        self.push(conn, &send.user_data(SEND << KIND_SHIFT | u64::from(id)));
        self.waiting += 1;
        if self.waiting >= BATCH
            && let Err(error) = self.submit(EnterFlags::empty())
        {
            self.broken = Some(Errno::from_io_error(&error).unwrap_or(Errno::IO));
        }
        Pushed::Took(bytes.len())
    }

    fn close(&mut self, conn: Conn) {
        let socket = &mut self.sockets[conn as usize];
        let epoch = socket.epoch.wrapping_add(1) & EPOCHS;
        let socket = std::mem::replace(socket, Socket { epoch, ..Socket::default() });
        if let Out::Rest(id) = socket.out {
            self.parcels.free(id);
        }
        let Some(fd) = socket.fd else { return };
        // An entry names its socket by a number that may be another's once this one is closed.
        if socket.batch == self.batch && self.has_queued() {
            let submitted = self.submit(EnterFlags::empty());
            if submitted.is_err() || self.has_queued() {
                self.broken.get_or_insert(Errno::NOBUFS);
                self.named.push(fd);
                return;
            }
        }
        if socket.receiving || socket.polling {
            // What is armed holds the socket until the next turn; this ends it for the peer, and what is armed.
            let _may_be_ended = rustix::net::shutdown(&fd, Shutdown::Both);
        }
    }
}

/// io_uring drivers on this machine.
#[derive(Clone, Copy, Debug)]
pub struct UringDrivers(());

impl UringDrivers {
    /// Tries whether this kernel does what they need.
    ///
    /// # Errors
    /// [`EngineError::Driver`] with what is missing or forbidden.
    pub fn new() -> Result<Self, EngineError> {
        probe::judged(probe::attempt()).map(|()| UringDrivers(()))
    }
}

impl Drivers for UringDrivers {
    type Driver = Uring;

    fn now_ns(&self) -> u64 {
        EpollDrivers.now_ns()
    }

    fn allowance(&self) -> Allowance {
        EpollDrivers.allowance()
    }

    fn peak_rss_bytes(&self) -> u64 {
        EpollDrivers.peak_rss_bytes()
    }

    fn open(&self, _worker: u32, capacity: u32) -> io::Result<Uring> {
        Uring::new(capacity)
    }
}
