//! The sockets, and the entries that ask the kernel for something.

use super::memory::{GROUP, Parcels, SEND_BYTES};
use crate::driver::dial::{self, Begun, connect, dial_fault, socket_to};
use crate::driver::unix_connect_queue::{UnixConnectQueues, Waiting};
use crate::driver::{Conn, Delayed, DialFault, Dialed, Net, Pushed, Sent};
use crate::{Address, Target, clock};
use io_uring::{EnterFlags, IoUring, cqueue, opcode, squeue, types};
use rustix::io::Errno;
use rustix::net::Shutdown;
use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};

/// Requests that wait for each other at most.
pub(super) const BATCH: usize = 32;

/// Kind of a completion, above connection and epoch in its tag.
pub(super) const RECEIVE: u64 = 0;
pub(super) const POLL: u64 = 1;
pub(super) const SEND: u64 = 2;
pub(super) const KIND_SHIFT: u32 = 56;
/// Epochs count uses of a number. A completion is never 2^24 uses late.
const EPOCHS: u32 = (1 << 24) - 1;

/// The sockets of one worker.
pub struct UringNet {
    pub(super) ring: IoUring,
    pub(super) parcels: Parcels,
    pub(super) sockets: Vec<Socket>,
    /// Counts submissions, to know whether an entry has left the queue.
    pub(super) batch: u64,
    /// Error of a call that the kernel must not refuse; the next poll ends with it.
    pub(super) broken: Option<Errno>,
    /// Closed sockets that entries still name which the kernel did not take.
    pub(super) named: Vec<Named>,
    /// Entries for which the queue had no room.
    pub(super) late: VecDeque<squeue::Entry>,
    /// This many submissions will be refused for now.
    #[cfg(test)]
    pub(super) refusals: u32,
    pub(super) connect_queues: UnixConnectQueues,
}

#[derive(Debug, Default)]
pub(super) struct Socket {
    pub(super) fd: Option<OwnedFd>,
    pub(super) epoch: u32,
    pub(super) dialing: bool,
    pub(super) receiving: bool,
    /// Its writability is waited for.
    pub(super) polling: bool,
    pub(super) wants_write: bool,
    /// A send met a reset, which takes the error from the socket: receiving will only find an end.
    pub(super) reset: bool,
    pub(super) out: Out,
    /// Batch of the entry that was queued last.
    pub(super) batch: u64,
}

#[derive(Debug)]
pub(super) struct Named {
    fd: OwnedFd,
    /// Something is armed on it.
    armed: bool,
}

impl Named {
    /// Nothing names it any more.
    fn end(self) {
        if self.armed {
            // What is armed holds the socket until the next poll; this ends it for the peer, and what is armed.
            let _may_be_ended = rustix::net::shutdown(&self.fd, Shutdown::Both);
        }
    }
}

/// Content of the pool of requests for a connection: one request at most, so that bytes stay in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Out {
    #[default]
    Nothing,
    /// The kernel has not answered for it.
    Queued,
    /// The kernel did not take all of it.
    Rest(u16),
}

/// Result of a request, from its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// It is none of a request, or more is to be done.
    Otherwise,
    /// The request left whole, and nothing waits for it any more.
    Unasked,
    Whole(Conn, Sent),
}

/// Progress of sending a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    /// Nothing is left to be sent.
    pub done: bool,
    /// The kernel took the first bytes of the request.
    pub begun: Option<Sent>,
}

impl Drop for UringNet {
    /// Ends the armed operations. Closing the ring alone does not wait for it, and it would hold the sockets for a
    /// while. The kernel fills the buffers only within calls of the thread that the ring belongs to (deferred task
    /// work), so none is written to after this either way, though they are freed before the kernel has taken the ring
    /// apart.
    fn drop(&mut self) {
        let _nothing_was_armed =
            self.ring.submitter().register_sync_cancel(None, types::CancelBuilder::any());
        // What was cancelled ends within this call; nothing is submitted by it.
        // SAFETY: neither a timeout nor a set of signals is handed over.
        let _ended = unsafe {
            self.ring.submitter().enter::<libc::sigset_t>(0, 0, EnterFlags::GETEVENTS.bits(), None)
        };
    }
}

impl std::fmt::Debug for UringNet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UringNet").field("sockets", &self.sockets.len()).finish_non_exhaustive()
    }
}

pub(super) fn tag(kind: u64, conn: Conn, epoch: u32) -> u64 {
    kind << KIND_SHIFT | u64::from(epoch) << 32 | u64::from(conn)
}

pub(super) fn of_tag(tag: u64) -> (Conn, u32) {
    (tag as u32, (tag >> 32) as u32 & EPOCHS)
}

pub(super) fn timespec(ns: u64) -> types::Timespec {
    types::Timespec::new().sec(ns / 1_000_000_000).nsec((ns % 1_000_000_000) as u32)
}

impl UringNet {
    #[inline]
    pub(super) fn is_live(&self, conn: Conn, epoch: u32) -> bool {
        let socket = &self.sockets[conn as usize];
        socket.epoch == epoch && socket.fd.is_some()
    }

    /// True if something is to be submitted, or is not known to have left: a sleep submits what a busy kernel did not
    /// take.
    pub(super) fn has_queued(&mut self) -> bool {
        let unsure = self.parcels.waiting() > 0 || !self.named.is_empty();
        unsure || !self.ring.submission().is_empty() || !self.late.is_empty()
    }

    /// True if the kernel has completions that it will post when it is asked.
    pub(super) fn has_work(&mut self) -> bool {
        let queue = self.ring.submission();
        queue.taskrun() || queue.cq_overflow()
    }

    /// Hands over what is queued and has the kernel make the completions that are due, without waiting.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        self.submit(EnterFlags::GETEVENTS)
    }

    /// Hands over what is queued. Entries that the kernel does not take now stay queued.
    ///
    /// # Errors
    /// If the kernel refuses for good.
    pub(super) fn submit(&mut self, flags: EnterFlags) -> io::Result<()> {
        loop {
            while let Some(entry) = self.late.front() {
                // SAFETY: as in `push`.
                if unsafe { self.ring.submission().push(entry) }.is_err() {
                    break;
                }
                self.late.pop_front();
            }
            let queued = self.ring.submission().len();
            if self.parcels.waiting() > 0 {
                self.parcels.leave(clock::monotonic_ns());
            }
            match self.enter_ring(queued, flags) {
                Ok(taken) if taken < queued => return Ok(()),
                Ok(_) if !self.late.is_empty() => {}
                Ok(_) => {
                    self.batch += 1;
                    self.parcels.have_left();
                    self.named.drain(..).for_each(Named::end);
                    return Ok(());
                }
                // Busy: completions have to be taken first. Again: no memory just now. Both leave the queue as it is.
                Err(error) => match error.raw_os_error() {
                    Some(libc::EINTR) => {}
                    Some(libc::EBUSY | libc::EAGAIN) => return Ok(()),
                    _ => return Err(error),
                },
            }
        }
    }

    fn enter_ring(&mut self, queued: usize, flags: EnterFlags) -> io::Result<usize> {
        #[cfg(test)]
        if self.refusals > 0 {
            self.refusals -= 1;
            return Err(io::Error::from_raw_os_error(libc::EBUSY));
        }
        // SAFETY: neither a timeout nor a set of signals is handed over. Sockets that entries name are open, for
        // `close` keeps them until the entries have left; buffers that they name live as long as the ring.
        unsafe { self.ring.submitter().enter::<libc::sigset_t>(queued as u32, 0, flags.bits(), None) }
    }

    /// Waits for a completion, at most so long.
    pub(super) fn sleep(&mut self, ns: u64) -> io::Result<()> {
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

    pub(super) fn push(&mut self, conn: Conn, entry: &squeue::Entry) {
        if self.ring.submission().is_full()
            && let Err(error) = self.submit(EnterFlags::empty())
        {
            self.broken = Some(Errno::from_io_error(&error).unwrap_or(Errno::IO));
        }
        // SAFETY: the socket that the entry names is open until the kernel has the entry, which `close` sees to; the
        // buffers that it names live as long as the ring.
        if !self.late.is_empty() || unsafe { self.ring.submission().push(entry) }.is_err() {
            self.late.push_back(entry.clone());
        }
        self.sockets[conn as usize].batch = self.batch;
    }

    /// From now on what comes is reported, in the buffers of the pool.
    pub(super) fn arm(&mut self, conn: Conn) {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return };
        socket.receiving = true;
        let receive = opcode::RecvMulti::new(types::Fd(fd.as_raw_fd()), GROUP).build();
        let tag = tag(RECEIVE, conn, socket.epoch);
        self.push(conn, &receive.user_data(tag));
    }

    /// Has the kernel tell once when the connection can be written to, or has failed.
    pub(super) fn poll(&mut self, conn: Conn) {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return };
        if std::mem::replace(&mut socket.polling, true) {
            return;
        }
        let poll = opcode::PollAdd::new(types::Fd(fd.as_raw_fd()), libc::POLLOUT as u32).build();
        let tag = tag(POLL, conn, socket.epoch);
        self.push(conn, &poll.user_data(tag));
    }

    /// Result of a request that left whole while nothing waits to send more; else [`Left::Otherwise`].
    #[inline]
    pub(super) fn left_whole(&mut self, done: &cqueue::Entry) -> Left {
        if done.user_data() >> KIND_SHIFT != SEND {
            return Left::Otherwise;
        }
        let id = done.user_data() as u16;
        let parcel = self.parcels.get(id);
        if done.result() != i32::from(parcel.to) {
            return Left::Otherwise;
        }
        let socket = &mut self.sockets[parcel.conn as usize];
        let asked = socket.epoch == parcel.epoch;
        if asked {
            if socket.wants_write {
                return Left::Otherwise;
            }
            socket.out = Out::Nothing;
        }
        self.parcels.free(id);
        let sent = Sent { at_ns: parcel.at_ns, pushed: Pushed::Took(usize::from(parcel.to)) };
        if asked { Left::Whole(parcel.conn, sent) } else { Left::Unasked }
    }

    /// Returns `Ok(true)` once a pending dial has succeeded, `Ok(false)` while it has not ended.
    pub(super) fn dial_result(&mut self, conn: Conn) -> Result<bool, DialFault> {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return Ok(false) };
        let established = dial::dial_result(fd)?;
        socket.dialing = !established;
        Ok(established)
    }

    /// Sends the part of a request that the kernel has left.
    pub(super) fn push_rest(&mut self, conn: Conn) -> Result<Rest, Errno> {
        let mut begun = None;
        let Out::Rest(id) = self.sockets[conn as usize].out else { return Ok(Rest { done: true, begun }) };
        loop {
            let rest = self.parcels.rest(id);
            if rest.is_empty() {
                self.sockets[conn as usize].out = Out::Nothing;
                self.parcels.free(id);
                return Ok(Rest { done: true, begun });
            }
            let Some(fd) = &self.sockets[conn as usize].fd else { return Ok(Rest { done: false, begun }) };
            let at_ns = clock::monotonic_ns();
            match dial::send(fd, rest) {
                Ok(0) => return Ok(Rest { done: false, begun }),
                Ok(took) => {
                    let parcel = self.parcels.get(id);
                    if parcel.from == 0 {
                        begun = Some(Sent { at_ns, pushed: Pushed::Took(usize::from(parcel.to)) });
                    }
                    self.parcels.sent(id, took as u16);
                }
                Err(errno) => {
                    self.sockets[conn as usize].out = Out::Nothing;
                    self.parcels.free(id);
                    if !matches!(errno, Errno::CONNRESET | Errno::PIPE) {
                        return Err(errno);
                    }
                    self.sockets[conn as usize].reset = true;
                    return Ok(Rest { done: true, begun });
                }
            }
        }
    }

    pub(super) fn open(&mut self, conn: Conn, to: &Address, from: Option<IpAddr>) -> Result<Dialed, Errno> {
        let fd = socket_to(to, from)?;
        if self.connect_queues.has_waiting(to) || connect(&fd, to)? == Begun::NoRoom {
            let socket = &mut self.sockets[conn as usize];
            socket.dialing = true;
            self.connect_queues.push(to, Waiting { conn, epoch: socket.epoch, fd }, clock::monotonic_ns());
            return Ok(Dialed::Pending);
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
    pub(super) fn send_now(&mut self, conn: Conn, bytes: &[u8]) -> Pushed {
        let Some(fd) = &self.sockets[conn as usize].fd else { return Pushed::Failed };
        let took = match dial::send(fd, bytes) {
            Ok(took) => took,
            Err(Errno::CONNRESET | Errno::PIPE) => {
                // As above: the armed receive finds what came before, then the end.
                self.sockets[conn as usize].reset = true;
                return Pushed::Took(0);
            }
            Err(_) => return Pushed::Failed,
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

    fn delayed(&self) -> Option<Delayed> {
        clock::thread_delayed()
    }

    fn dial(&mut self, conn: Conn, to: &Target, from: Option<IpAddr>) -> Dialed {
        debug_assert!(self.sockets[conn as usize].fd.is_none(), "connection {conn} is in use");
        self.open(conn, &to.addresses.first, from).unwrap_or_else(|errno| Dialed::Failed(dial_fault(errno)))
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
        if self.parcels.waiting() >= BATCH
            && let Err(error) = self.submit(EnterFlags::empty())
        {
            self.broken = Some(Errno::from_io_error(&error).unwrap_or(Errno::IO));
        }
        Pushed::Queued
    }

    fn close(&mut self, conn: Conn) {
        let socket = &mut self.sockets[conn as usize];
        let epoch = socket.epoch.wrapping_add(1) & EPOCHS;
        let socket = std::mem::replace(socket, Socket { epoch, ..Socket::default() });
        if let Out::Rest(id) = socket.out {
            self.parcels.free(id);
        }
        let Some(fd) = socket.fd else { return };
        let closed = Named { fd, armed: socket.receiving || socket.polling };
        // An entry names its socket by a number that may be another's once this one is closed.
        if socket.batch == self.batch && self.has_queued() {
            if let Err(error) = self.submit(EnterFlags::empty()) {
                self.broken = Some(Errno::from_io_error(&error).unwrap_or(Errno::IO));
            }
            if socket.batch == self.batch {
                return self.named.push(closed);
            }
        }
        closed.end();
    }
}
