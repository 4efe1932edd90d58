//! Linux sockets through one epoll instance, edge-triggered, for one worker.
//!
//! What makes it cheap: each connection is registered once; an answer is read with one `recv` into one
//! buffer that all connections share, and a read that comes back short has drained the socket, so
//! nothing probes for `EAGAIN`; writability is watched only after a write came back short.

use super::busy_poll::{BusyPoll, NEAR_NS};
use super::dial::{self, Begun, connect, delaying_socket_to, dial_fault, socket_to};
use super::machine;
use super::unix_connect_queue::{UnixConnectQueues, Waiting};
use super::{
    Allowance, Close, Conn, DialFault, Dialed, Driver, Drivers, Handler, Net, POLL_BYTES, POLL_EVENTS,
    Polled, Pushed, SPIN_NS, Sent, Wake,
};
use crate::{Address, Target, clock};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, sockopt};
use std::io;
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::os::fd::{AsRawFd, OwnedFd};

/// Bytes read at once: small enough to stay in the second-level cache, four of them the share of a poll.
const BUFFER_BYTES: usize = 64 * 1024;

/// A driver over epoll.
pub struct Epoll {
    net: EpollNet,
    events: Vec<epoll::Event>,
    buffer: Vec<u8>,
    /// The kernel has no `epoll_pwait2` (before 5.11, and under Valgrind): waits are whole milliseconds.
    coarse: bool,
    busy_poll: BusyPoll,
}

/// The sockets of one worker.
#[derive(Debug)]
pub struct EpollNet {
    epoll: OwnedFd,
    sockets: Vec<Socket>,
    /// Connections that used up their share of a poll and may have more.
    requeued: Vec<Conn>,
    connect_queues: UnixConnectQueues,
}

#[derive(Debug, Default)]
struct Socket {
    fd: Option<OwnedFd>,
    /// Counts the uses of the number, so that an event of an earlier use is known as such.
    epoch: u32,
    dialing: bool,
    watches_write: bool,
    wants_write: bool,
    requeued: bool,
    /// Whether a small send would wait for one under way: `TCP_NODELAY` is not set. A connection that was dialed with
    /// its request may never send another, and is spared the call.
    delays: bool,
    /// A send met a reset, which takes the error from the socket: reading will only find an end.
    reset: bool,
}

/// What reading a connection came to.
enum Read {
    Drained,
    /// It has had its share of the poll.
    More,
    /// The handler closed it.
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
    /// A driver for connections 0 to `capacity`. Belongs to the calling thread, whose timers become exact.
    ///
    /// # Errors
    /// When the kernel refuses an epoll instance (descriptors, memory).
    pub fn new(capacity: u32) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC).map_err(system)?;
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1)).map_err(system)?;
        let mut sockets = Vec::new();
        sockets.resize_with(capacity as usize, Socket::default);
        let requeued = Vec::with_capacity(capacity as usize);
        let net = EpollNet { epoll, sockets, requeued, connect_queues: UnixConnectQueues::default() };
        let events = Vec::with_capacity(POLL_EVENTS);
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
        for _ in 0..POLL_EVENTS {
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

impl EpollNet {
    fn requeue(&mut self, conn: Conn) {
        let socket = &mut self.sockets[conn as usize];
        if !socket.requeued {
            socket.requeued = true;
            self.requeued.push(conn);
        }
    }

    /// Whether a pending dial has ended well; `Ok(false)` while it has not ended.
    fn dial_result(&mut self, conn: Conn) -> Result<bool, DialFault> {
        let socket = &mut self.sockets[conn as usize];
        let Some(fd) = &socket.fd else { return Ok(false) };
        let established = dial::dial_result(fd)?;
        socket.dialing = !established;
        Ok(established)
    }

    /// Begins to connect; takes the socket away if it has to queue.
    #[inline]
    fn connect(&mut self, conn: Conn, fd: OwnedFd, to: &Address) -> Result<Option<OwnedFd>, Errno> {
        if !self.connect_queues.has_waiting(to) && connect(&fd, to)? == Begun::Connecting {
            return Ok(Some(fd));
        }
        let socket = &mut self.sockets[conn as usize];
        socket.dialing = true;
        self.connect_queues.push(to, Waiting { conn, epoch: socket.epoch, fd }, clock::monotonic_ns());
        Ok(None)
    }

    fn open(&mut self, conn: Conn, to: &Address, from: Option<IpAddr>) -> Result<Dialed, Errno> {
        let Some(fd) = self.connect(conn, socket_to(to, from)?, to)? else { return Ok(Dialed::Pending) };
        // On loopback the handshake is over before `connect` returns; asking is cheaper than an event.
        let established = rustix::net::getpeername(&fd).is_ok();
        self.watch(conn, fd, !established)?;
        self.sockets[conn as usize].dialing = !established;
        Ok(if established { Dialed::Established } else { Dialed::Pending })
    }

    /// Dials and sends, which shows whether the connection is established and spares asking.
    fn open_sending(
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
    fn watch(&mut self, conn: Conn, fd: OwnedFd, write: bool) -> Result<(), Errno> {
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

    fn watch_write(&mut self, conn: Conn) -> Result<(), Errno> {
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

    fn dial(&mut self, conn: Conn, to: &Target, from: Option<IpAddr>) -> Dialed {
        debug_assert!(self.sockets[conn as usize].fd.is_none(), "connection {conn} is in use");
        let dialed = self.open(conn, &to.address, from);
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
        self.open_sending(conn, &to.address, from, bytes).unwrap_or_else(|errno| {
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
                // An answer may have come before the reset; whoever reads next finds it, then the end.
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

/// Epoll drivers on this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct EpollDrivers;

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
        // Not `getrusage`: its peak is inherited through exec from whoever started this process.
        std::fs::read_to_string("/proc/self/status")
            .map_or(0, |text| machine::peak_rss_of(&text).unwrap_or(0))
    }

    fn open(&self, _worker: u32, capacity: u32) -> io::Result<Epoll> {
        Epoll::new(capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    /// Counts who was heard.
    struct Heard(Vec<usize>);

    impl Handler<EpollNet> for Heard {
        fn dialed(&mut self, _: &mut EpollNet, _: Conn, result: Result<(), DialFault>) {
            assert_eq!(result, Ok(()));
        }
        fn received(&mut self, _: &mut EpollNet, conn: Conn, bytes: &[u8]) {
            self.0[conn as usize] += bytes.len();
        }
        fn writable(&mut self, _: &mut EpollNet, _: Conn) {}
        fn closed(&mut self, _: &mut EpollNet, _: Conn, how: Close) {
            panic!("{how:?}");
        }
    }

    #[test]
    fn whoever_was_silent_while_the_others_spoke_is_heard_when_it_speaks() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = listener.local_addr().unwrap().into();
        let mut driver = Epoll::new(8).unwrap();
        let mut dial = |conn| {
            assert!(!matches!(driver.net().dial(conn, &target, None), Dialed::Failed(_)));
            listener.accept().unwrap().0
        };
        let mut peers: Vec<_> = (0..8).map(&mut dial).collect();
        let (silent, others) = peers.split_last_mut().unwrap();
        let mut heard = Heard(vec![0; 8]);
        let mut until = |heard: &mut Heard, so: &dyn Fn(&[usize]) -> bool| {
            for _ in 0..1_000 {
                if so(&heard.0) {
                    return;
                }
                let wake = Wake { at_ns: clock::monotonic_ns() + 20_000_000, exact: false };
                driver.poll(wake, heard).unwrap();
            }
            panic!("did not come: {:?}", heard.0);
        };
        for round in 1..=100 {
            others.iter_mut().for_each(|peer| peer.write_all(b"x").unwrap());
            until(&mut heard, &|of| of[..7].iter().all(|&bytes| bytes == round));
        }
        silent.write_all(b"x").unwrap();
        until(&mut heard, &|of| of[7] == 1);
    }

    #[test]
    fn without_nanoseconds_a_wait_ends_at_its_instant_too_and_not_before() {
        struct Nobody;
        impl Handler<EpollNet> for Nobody {
            fn dialed(&mut self, _: &mut EpollNet, _: Conn, _: Result<(), DialFault>) {}
            fn received(&mut self, _: &mut EpollNet, _: Conn, _: &[u8]) {}
            fn writable(&mut self, _: &mut EpollNet, _: Conn) {}
            fn closed(&mut self, _: &mut EpollNet, _: Conn, _: Close) {}
        }
        let mut driver = Epoll { coarse: true, ..Epoll::new(1).unwrap() };
        for (after_ns, exact) in [(2_300_000, true), (2_300_000, false), (300_000, true), (0, false)] {
            let began = clock::monotonic_ns();
            let polled = driver.poll(Wake { at_ns: began + after_ns, exact }, &mut Nobody).unwrap();
            let took = clock::monotonic_ns() - began;
            assert!(took >= after_ns && polled.waited_ns <= took, "{took} of {after_ns}");
        }
    }

    #[test]
    fn this_machine_allows_some_of_everything() {
        let allowance = EpollDrivers.allowance();
        assert!(allowance.ports > 0 && allowance.descriptors != Some(0));
        assert!(EpollDrivers.peak_rss_bytes() > 0);
    }
}
