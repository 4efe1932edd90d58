//! Linux sockets through one epoll instance, edge-triggered, for one worker.
//!
//! It is cheap because each connection is registered once; an answer is read with one `recv` into one buffer that all
//! connections share, and a read that comes back short has drained the socket, so nothing probes for `EAGAIN`;
//! writability is watched only after a write came back short.

mod sockets;

pub use sockets::EpollNet;

use super::busy_poll::{BusyPoll, NEAR_NS};
use super::dial::dial_fault;
use super::machine;
use super::unix_connect_queue::{UnixConnectQueues, Waiting};
use super::{Allowance, Close, Conn, Driver, Drivers, Handler, Net, POLL_BYTES, Polled, SPIN_NS, Wake};
use crate::{GeneratorSettings, clock};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventFlags};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use sockets::Socket;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::AsRawFd;

/// Bytes read at once: small enough to stay in the second-level cache, four of them the share of a poll.
const BUFFER_BYTES: usize = 64 * 1024;

pub struct Epoll {
    net: EpollNet,
    events: Vec<epoll::Event>,
    buffer: Vec<u8>,
    /// The kernel has no `epoll_pwait2` (before 5.11, and under Valgrind): waits are whole milliseconds.
    coarse: bool,
    busy_poll: BusyPoll,
}

/// Result of reading a connection.
enum Read {
    Drained,
    /// It has had its share of the poll.
    More,
    Gone,
    Ended(Close),
}

pub(super) fn system(errno: Errno) -> io::Error {
    io::Error::from_raw_os_error(errno.raw_os_error())
}

impl std::fmt::Debug for Epoll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Epoll").field("net", &self.net).finish_non_exhaustive()
    }
}

impl Epoll {
    /// A driver for connections 0 to `capacity` that takes at most `events` events at once, and at least one. Belongs
    /// to the calling thread, whose timers become exact.
    ///
    /// # Errors
    /// If the kernel refuses an epoll instance (descriptors, memory).
    pub fn new(capacity: u32, events: u32) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC).map_err(system)?;
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1)).map_err(system)?;
        let mut sockets = Vec::new();
        sockets.resize_with(capacity as usize, Socket::default);
        let requeued = Vec::with_capacity(capacity as usize);
        let net = EpollNet { epoll, sockets, requeued, connect_queues: UnixConnectQueues::default() };
        let events = Vec::with_capacity(events.max(1) as usize);
        Ok(Epoll {
            net,
            events,
            buffer: vec![0; BUFFER_BYTES],
            coarse: false,
            busy_poll: BusyPoll::default(),
        })
    }

    /// Waits at most `timeout_ns`; an interrupted wait is one in which nothing happened.
    #[inline]
    fn wait(&mut self, timeout_ns: u64, exact: bool) -> io::Result<()> {
        if self.coarse {
            return self.wait_coarsely(timeout_ns, exact);
        }
        let timeout = Timespec {
            tv_sec: (timeout_ns / 1_000_000_000) as i64,
            tv_nsec: (timeout_ns % 1_000_000_000) as i64,
        };
        self.events.clear();
        let spare = rustix::buffer::spare_capacity(&mut self.events);
        match epoll::wait(&self.net.epoll, spare, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(Errno::NOSYS) => {
                self.coarse = true;
                self.wait_coarsely(timeout_ns, exact)
            }
            Err(errno) => Err(system(errno)),
        }
    }

    /// Waits in milliseconds; the last part of one is left to the caller to spin if the wait must be exact.
    #[cold]
    fn wait_coarsely(&mut self, timeout_ns: u64, exact: bool) -> io::Result<()> {
        let ms = if exact { timeout_ns / 1_000_000 } else { timeout_ns.div_ceil(1_000_000) };
        self.events.clear();
        let spare = self.events.spare_capacity_mut();
        // SAFETY: the room lent is that of `spare` and outlives the call, and both types have the kernel's layout.
        let got = unsafe {
            libc::epoll_wait(
                self.net.epoll.as_raw_fd(),
                spare.as_mut_ptr().cast(),
                spare.len() as libc::c_int,
                ms.min(i32::MAX as u64) as libc::c_int,
            )
        };
        match usize::try_from(got) {
            Ok(got) => {
                // SAFETY: the kernel has written that many events, at most as many as there was room for.
                unsafe { self.events.set_len(got) };
                Ok(())
            }
            Err(_) => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
                error => Err(error),
            },
        }
    }

    /// Waits for events until the instant and returns how long that took.
    fn wait_until(&mut self, wake: Wake) -> io::Result<u64> {
        if !self.net.requeued.is_empty() {
            return self.wait(0, true).map(|()| 0);
        }
        let began = clock::monotonic_ns();
        let mut now = began;
        if !wake.exact && self.busy_poll.is_worthwhile() {
            now = self.poll_busily(wake.at_ns.min(began + NEAR_NS))?;
            if !self.events.is_empty() {
                self.busy_poll.note_wait(now - began, self.events.len());
                return Ok(now - began);
            }
        }
        loop {
            let left = wake.at_ns.saturating_sub(now);
            let sleep = if wake.exact { left.saturating_sub(SPIN_NS) } else { left };
            self.wait(sleep, wake.exact)?;
            now = clock::monotonic_ns();
            if !wake.exact || now >= wake.at_ns || !self.events.is_empty() {
                self.busy_poll.note_wait(now - began, self.events.len());
                return Ok(now - began);
            }
        }
    }

    /// Polls for events until then without sleeping, and returns the time.
    fn poll_busily(&mut self, until: u64) -> io::Result<u64> {
        loop {
            self.wait(0, true)?;
            let now = clock::monotonic_ns();
            if now >= until || !self.events.is_empty() {
                return Ok(now);
            }
        }
    }

    fn read<H: Handler<EpollNet>>(&mut self, conn: Conn, hung_up: EventFlags, handler: &mut H) -> Read {
        let epoch = self.net.sockets[conn as usize].epoch;
        let failed = hung_up.intersects(EventFlags::ERR | EventFlags::HUP);
        let mut budget = POLL_BYTES;
        while budget > 0 {
            let Some(fd) = &self.net.sockets[conn as usize].fd else { return Read::Gone };
            let got = match rustix::net::recv(fd, self.buffer.as_mut_slice(), RecvFlags::DONTWAIT) {
                Ok((_, 0)) if self.net.sockets[conn as usize].reset => return Read::Ended(Close::Reset),
                Ok((_, 0)) => return Read::Ended(Close::Fin),
                Ok((_, got)) => got,
                Err(Errno::AGAIN) => return Read::Drained,
                Err(Errno::INTR) => continue,
                Err(_) => return Read::Ended(Close::Reset),
            };
            handler.received(&mut self.net, conn, &self.buffer[..got]);
            let socket = &self.net.sockets[conn as usize];
            if socket.epoch != epoch || socket.fd.is_none() {
                return Read::Gone;
            }
            if got < BUFFER_BYTES && !failed {
                // The event reported the FIN, and the short read took all that came before it.
                let fin = hung_up.contains(EventFlags::RDHUP);
                match (fin, socket.reset) {
                    (_, true) => return Read::Ended(Close::Reset),
                    (true, false) => return Read::Ended(Close::Fin),
                    (false, false) => return Read::Drained,
                }
            }
            budget -= got.min(budget);
        }
        Read::More
    }

    /// Goes on with dials that found no room.
    #[cold]
    fn try_connecting<H: Handler<EpollNet>>(&mut self, handler: &mut H) {
        let now = clock::monotonic_ns();
        for _ in 0..self.events.capacity() {
            let sockets = &self.net.sockets;
            let goes_on = |conn: Conn, epoch| sockets[conn as usize].epoch == epoch;
            let Some((Waiting { conn, fd, .. }, ended)) = self.net.connect_queues.next(now, goes_on) else {
                return;
            };
            self.net.sockets[conn as usize].dialing = false;
            let ended = ended.and_then(|()| self.net.watch(conn, fd, false).map_err(dial_fault));
            if ended.is_err() {
                self.net.close(conn);
            }
            handler.dialed(&mut self.net, conn, ended);
        }
    }

    fn dispatch<H: Handler<EpollNet>>(&mut self, conn: Conn, flags: EventFlags, handler: &mut H) {
        let epoch = self.net.sockets[conn as usize].epoch;
        if self.net.sockets[conn as usize].dialing {
            match self.net.dial_result(conn) {
                Ok(false) => return,
                Ok(true) => {
                    handler.dialed(&mut self.net, conn, Ok(()));
                }
                Err(fault) => {
                    self.net.close(conn);
                    handler.dialed(&mut self.net, conn, Err(fault));
                    return;
                }
            }
        }
        if flags.contains(EventFlags::OUT) && self.net.sockets[conn as usize].wants_write {
            self.net.sockets[conn as usize].wants_write = false;
            handler.writable(&mut self.net, conn);
        }
        if self.net.sockets[conn as usize].epoch != epoch {
            // The handler has closed it, and may have dialed again: what else was reported is not about that connection.
            return;
        }
        let ends = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
        if flags.intersects(EventFlags::IN | ends) {
            match self.read(conn, flags & ends, handler) {
                Read::Drained | Read::Gone => {}
                Read::More => self.net.requeue(conn),
                Read::Ended(how) => handler.closed(&mut self.net, conn, how),
            }
        }
    }
}

impl Driver for Epoll {
    type Net = EpollNet;

    fn name(&self) -> &'static str {
        "epoll"
    }

    fn net(&mut self) -> &mut EpollNet {
        &mut self.net
    }

    fn poll<H: Handler<EpollNet>>(&mut self, wake: Wake, handler: &mut H) -> io::Result<Polled> {
        let waited_ns = self.wait_until(self.net.connect_queues.before(wake))?;
        let requeued = self.net.requeued.len();
        for at in 0..self.events.len() {
            let epoll::Event { flags, data } = self.events[at];
            let (conn, epoch) = (data.u64() as u32, (data.u64() >> 32) as u32);
            let socket = &self.net.sockets[conn as usize];
            if socket.epoch == epoch && socket.fd.is_some() {
                // What is in the queue is read from there, or it would have two shares of this poll.
                let flags = if socket.requeued { flags & EventFlags::OUT } else { flags };
                self.dispatch(conn, flags, handler);
            }
        }
        for at in 0..requeued {
            let conn = self.net.requeued[at];
            if std::mem::take(&mut self.net.sockets[conn as usize].requeued) {
                // The event is gone, so a FIN must be found by another read: RDHUP is not assumed.
                self.dispatch(conn, EventFlags::IN | EventFlags::HUP, handler);
            }
        }
        self.net.requeued.drain(..requeued);
        if !self.net.connect_queues.is_empty() {
            self.try_connecting(handler);
        }
        Ok(Polled { waited_ns })
    }
}

/// Epoll drivers on this machine.
#[derive(Clone, Copy, Debug)]
pub struct EpollDrivers {
    events: u32,
}

impl EpollDrivers {
    /// Drivers that take at most `events` events at once.
    pub fn taking(events: u32) -> Self {
        EpollDrivers { events }
    }
}

impl Default for EpollDrivers {
    fn default() -> Self {
        EpollDrivers::taking(GeneratorSettings::EVENTS)
    }
}

impl Drivers for EpollDrivers {
    type Driver = Epoll;

    fn now_ns(&self) -> u64 {
        clock::monotonic_ns()
    }

    fn allowance(&self) -> Allowance {
        let descriptors = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        Allowance { descriptors, ports: machine::ephemeral_ports() }
    }

    fn peak_rss_bytes(&self) -> u64 {
        // Not `getrusage`: its peak is inherited through exec from the process that started this one.
        std::fs::read_to_string("/proc/self/status")
            .map_or(0, |text| machine::peak_rss_of(&text).unwrap_or(0))
    }

    fn open(&self, _worker: u32, capacity: u32) -> io::Result<Epoll> {
        Epoll::new(capacity, self.events)
    }
}

#[cfg(test)]
mod tests;
