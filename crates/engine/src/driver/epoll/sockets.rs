//! The sockets of one worker, registered with its epoll instance.

use super::super::dial::{self, Begun, connect, delaying_socket_to, dial_fault, socket_to};
use super::super::unix_connect_queue::{UnixConnectQueues, Waiting};
use super::super::{Conn, Delayed, DialFault, Dialed, Net, Pushed, Sent};
use crate::{Address, Target, clock};
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{SendFlags, sockopt};
use std::net::IpAddr;
use std::os::fd::OwnedFd;

/// The sockets of one worker.
#[derive(Debug)]
pub struct EpollNet {
    pub(super) epoll: OwnedFd,
    pub(super) sockets: Vec<Socket>,
    /// Connections that used up their share of a poll and may have more.
    pub(super) requeued: Vec<Conn>,
    pub(super) connect_queues: UnixConnectQueues,
}

#[derive(Debug, Default)]
pub(super) struct Socket {
    pub(super) fd: Option<OwnedFd>,
    /// Counts the uses of the number, so that an event of an earlier use is known as such.
    pub(super) epoch: u32,
    pub(super) dialing: bool,
    pub(super) watches_write: bool,
    pub(super) wants_write: bool,
    pub(super) requeued: bool,
    /// True if a small send would wait for one under way: `TCP_NODELAY` is not set. A connection that was dialed with
    /// its request may never send another, and is spared the call.
    pub(super) delays: bool,
    /// A send met a reset, which takes the error from the socket: reading will only find an end.
    pub(super) reset: bool,
}

impl EpollNet {
    pub(super) fn requeue(&mut self, conn: Conn) {
        let socket = &mut self.sockets[conn as usize];
        if !socket.requeued {
            socket.requeued = true;
            self.requeued.push(conn);
        }
    }

    /// Returns `Ok(true)` once a pending dial has succeeded, `Ok(false)` while it has not ended.
    pub(super) fn dial_result(&mut self, conn: Conn) -> Result<bool, DialFault> {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return Ok(false) };
        let established = dial::dial_result(fd)?;
        socket.dialing = !established;
        Ok(established)
    }

    /// Begins to connect; takes the socket away if it has to queue.
    #[inline]
    pub(super) fn connect(
        &mut self,
        conn: Conn,
        fd: OwnedFd,
        to: &Address,
    ) -> Result<Option<OwnedFd>, Errno> {
        if !self.connect_queues.has_waiting(to) && connect(&fd, to)? == Begun::Connecting {
            return Ok(Some(fd));
        }
        let socket = &mut self.sockets[conn as usize];
        socket.dialing = true;
        self.connect_queues.push(to, Waiting { conn, epoch: socket.epoch, fd }, clock::monotonic_ns());
        Ok(None)
    }

    pub(super) fn open(&mut self, conn: Conn, to: &Address, from: Option<IpAddr>) -> Result<Dialed, Errno> {
        let Some(fd) = self.connect(conn, socket_to(to, from)?, to)? else { return Ok(Dialed::Pending) };
        // On loopback the handshake is over before `connect` returns; asking is cheaper than an event.
        let established = rustix::net::getpeername(&fd).is_ok();
        self.watch(conn, fd, !established)?;
        self.sockets[conn as usize].dialing = !established;
        Ok(if established { Dialed::Established } else { Dialed::Pending })
    }

    /// Dials and sends, which shows whether the connection is established and spares asking.
    pub(super) fn open_sending(
        &mut self,
        conn: Conn,
        to: &Address,
        from: Option<IpAddr>,
        bytes: &[u8],
    ) -> Result<(Dialed, Option<Sent>), Errno> {
        let Some(fd) = self.connect(conn, delaying_socket_to(to, from)?, to)? else {
            return Ok((Dialed::Pending, None));
        };
        let at_ns = clock::monotonic_ns();
        let sent = rustix::net::send(&fd, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
        let pushed = match sent {
            Ok(took) => Some(Pushed::Took(took)),
            Err(Errno::CONNRESET | Errno::PIPE) => Some(Pushed::Took(0)),
            Err(Errno::AGAIN | Errno::INTR | Errno::NOTCONN) => None,
            Err(errno) => return Err(errno),
        };
        let whole = pushed == Some(Pushed::Took(bytes.len()));
        let watched = self.watch(conn, fd, !whole);
        let socket = &mut self.sockets[conn as usize];
        socket.delays = matches!(to, Address::Tcp(_));
        socket.dialing = pushed.is_none();
        let Some(pushed) = pushed else {
            return watched.map(|()| (Dialed::Pending, None));
        };
        if sent.is_err() {
            // As in `send`: an answer may have come before the reset.
            socket.reset = true;
            self.requeue(conn);
        } else {
            socket.wants_write = !whole;
        }
        let pushed = if watched.is_ok() { pushed } else { Pushed::Failed };
        Ok((Dialed::Established, Some(Sent { at_ns, pushed })))
    }

    /// Makes the number's socket of a descriptor and registers it; `write` watches for writability too. The socket
    /// is the number's also if it cannot be registered.
    pub(super) fn watch(&mut self, conn: Conn, fd: OwnedFd, write: bool) -> Result<(), Errno> {
        let mut interest = EventFlags::IN | EventFlags::RDHUP | EventFlags::ET;
        interest.set(EventFlags::OUT, write);
        let socket = &mut self.sockets[conn as usize];
        let tag = u64::from(socket.epoch) << 32 | u64::from(conn);
        let watched = epoll::add(&self.epoll, &fd, EventData::new_u64(tag), interest);
        socket.watches_write = write;
        socket.wants_write = false;
        socket.fd = Some(fd);
        watched
    }

    pub(super) fn watch_write(&mut self, conn: Conn) -> Result<(), Errno> {
        let socket = &mut self.sockets[conn as usize];
        socket.wants_write = true;
        if socket.watches_write {
            return Ok(());
        }
        socket.watches_write = true;
        let Some(fd) = &socket.fd else { return Ok(()) };
        let interest = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        let tag = u64::from(socket.epoch) << 32 | u64::from(conn);
        epoll::modify(&self.epoll, fd, EventData::new_u64(tag), interest)
    }
}

impl Net for EpollNet {
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
        let dialed = self.open(conn, &to.addresses.first, from);
        dialed.unwrap_or_else(|errno| {
            self.close(conn);
            Dialed::Failed(dial_fault(errno))
        })
    }

    fn dial_sending(
        &mut self,
        conn: Conn,
        to: &Target,
        from: Option<IpAddr>,
        bytes: &[u8],
    ) -> (Dialed, Option<Sent>) {
        debug_assert!(self.sockets[conn as usize].fd.is_none(), "connection {conn} is in use");
        self.open_sending(conn, &to.addresses.first, from, bytes).unwrap_or_else(|errno| {
            self.close(conn);
            (Dialed::Failed(dial_fault(errno)), None)
        })
    }

    #[inline]
    fn send(&mut self, conn: Conn, bytes: &[u8]) -> Pushed {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return Pushed::Failed };
        if std::mem::take(&mut socket.delays) && sockopt::set_tcp_nodelay(fd, true).is_err() {
            return Pushed::Failed;
        }
        let took = match dial::send(fd, bytes) {
            Ok(took) => took,
            Err(Errno::CONNRESET | Errno::PIPE) => {
                // An answer may have come before the reset; the next read finds it, then the end.
                self.sockets[conn as usize].reset = true;
                self.requeue(conn);
                return Pushed::Took(0);
            }
            Err(_) => return Pushed::Failed,
        };
        if took < bytes.len() && self.watch_write(conn).is_err() {
            return Pushed::Failed;
        }
        Pushed::Took(took)
    }

    fn close(&mut self, conn: Conn) {
        let socket = &mut self.sockets[conn as usize];
        let epoch = socket.epoch.wrapping_add(1);
        // Dropping the descriptor closes it and takes it out of the epoll instance.
        *socket = Socket { epoch, ..Socket::default() };
    }
}
