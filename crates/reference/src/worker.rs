//! One worker: an epoll loop over its connections. The first worker also accepts, and deals the
//! connections to all workers in turn.

use crate::clock::now_ns;
use crate::connection::Connection;
use crate::counts::Count;
use crate::ending::Gone;
use crate::serving::{Flow, Serving};
use crate::shared::Shared;
use crate::tls::Line;
use crate::{ReferenceError, Stop};
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Events taken per wait, and connections accepted at once.
const EVENTS: usize = 512;
const ACCEPTS: usize = 64;
/// Pause of accepting when descriptors or memory ran out.
const ACCEPT_PAUSE_NS: u64 = 10_000_000;

/// Tokens that are not slots; slots are below 2^32.
const STOP: u64 = u64::MAX;
const LISTENER: u64 = u64::MAX - 1;
const INBOX: u64 = u64::MAX - 2;

#[derive(Debug)]
pub(crate) struct Worker {
    index: usize,
    epoll: OwnedFd,
    shared: Arc<Shared>,
    serving: Serving,
    /// By slot. A connection is out of its slot while it is served.
    connections: Vec<Option<Box<Connection>>>,
    free: Vec<u32>,
    /// Connections accepted so far, those turned away included.
    accepted: u64,
    paused_until_ns: Option<u64>,
}

impl Worker {
    pub fn new(shared: Arc<Shared>, index: usize, stop: &Stop) -> Result<Self, ReferenceError> {
        let epoll =
            epoll::create(CreateFlags::CLOEXEC).map_err(|e| ReferenceError::kernel("epoll_create", e))?;
        let serving = Serving::new(shared.clone(), index);
        let worker = Worker {
            index,
            epoll,
            shared,
            serving,
            connections: Vec::new(),
            free: Vec::new(),
            accepted: 0,
            paused_until_ns: None,
        };
        worker.watch(stop.bell(), STOP)?;
        worker.watch(worker.shared.inboxes[index].bell.as_fd(), INBOX)?;
        if index == 0 {
            worker.watch(worker.shared.listener.as_fd(), LISTENER)?;
        }
        Ok(worker)
    }

    fn watch(&self, fd: impl AsFd, token: u64) -> Result<(), ReferenceError> {
        epoll::add(&self.epoll, fd, EventData::new_u64(token), EventFlags::IN)
            .map_err(|e| ReferenceError::kernel("epoll_ctl", e))
    }

    /// Serves until the stop is asked for.
    pub fn run(mut self) -> Result<(), ReferenceError> {
        // The kernel may otherwise let a timer go off 50 us late. Where that cannot be set, delays are that
        // coarse.
        let _coarse = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS);
        loop {
            events.clear();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), self.patience().as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(ReferenceError::kernel("epoll_wait", error)),
            }
            for event in &events {
                match event.data.u64() {
                    STOP => return self.end(),
                    LISTENER => self.accept()?,
                    INBOX => self.adopt_dealt(),
                    slot => self.serve(slot as u32, |serving, conn| serving.on_event(conn, event.flags)),
                }
            }
            self.fire_timers();
            for slot in std::mem::take(&mut self.serving.again) {
                self.serve(slot, |serving, conn| serving.on_event(conn, EventFlags::IN));
            }
            self.resume_accepting()?;
            if let Some(failure) = self.serving.failure.take() {
                return Err(failure);
            }
        }
    }

    /// Time limit for the wait for events; `None` is for ever.
    fn patience(&self) -> Option<Timespec> {
        if !self.serving.again.is_empty() {
            return Some(Timespec { tv_sec: 0, tv_nsec: 0 });
        }
        let next_ns = self.serving.timers.next_ns().into_iter().chain(self.paused_until_ns).min()?;
        let left = next_ns.saturating_sub(now_ns());
        Some(Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 })
    }

    fn fire_timers(&mut self) {
        if self.serving.timers.next_ns().is_none() {
            return;
        }
        let now_ns = now_ns();
        while let Some(slot) = self.serving.timers.due(now_ns) {
            self.serve(slot, Serving::on_timer);
        }
    }

    /// Lets one connection be served, and drops it if that was its end.
    fn serve(&mut self, slot: u32, how: impl FnOnce(&mut Serving, &mut Connection) -> Flow) {
        let Some(mut conn) = self.connections.get_mut(slot as usize).and_then(Option::take) else { return };
        match how(&mut self.serving, &mut conn) {
            Ok(()) => self.connections[slot as usize] = Some(conn),
            Err(gone) => self.forget(conn, gone),
        }
    }

    fn forget(&mut self, mut conn: Box<Connection>, gone: Gone) {
        self.serving.cancel_timer(&mut conn);
        self.serving.count_gone(&conn, gone);
        // No event for this slot can follow in the same batch: each socket has at most one, and this was it.
        self.free.push(conn.slot);
        self.shared.open.fetch_sub(1, Ordering::Relaxed);
    }

    fn accept(&mut self) -> Result<(), ReferenceError> {
        for _ in 0..ACCEPTS {
            match accept_with(&self.shared.listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(fd) => self.deal(fd),
                Err(Errno::AGAIN) => break,
                // The pending connection failed, not ours to mend (accept(2) lists the network errors).
                Err(Errno::INTR | Errno::CONNABORTED | Errno::PROTO | Errno::PERM | Errno::NETDOWN) => {}
                Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                    return self.pause_accepting();
                }
                Err(error) => return Err(ReferenceError::kernel("accept", error)),
            }
        }
        Ok(())
    }

    /// Descriptors are out: stop asking, for the listener would stay readable and the loop would spin.
    fn pause_accepting(&mut self) -> Result<(), ReferenceError> {
        self.paused_until_ns = Some(now_ns() + ACCEPT_PAUSE_NS);
        epoll::delete(&self.epoll, &self.shared.listener).map_err(|e| ReferenceError::kernel("epoll_ctl", e))
    }

    fn resume_accepting(&mut self) -> Result<(), ReferenceError> {
        if self.paused_until_ns.is_some_and(|until| now_ns() >= until) {
            self.paused_until_ns = None;
            self.watch(self.shared.listener.as_fd(), LISTENER)?;
        }
        Ok(())
    }

    fn deal(&mut self, fd: OwnedFd) {
        let cells = &self.serving.cells;
        if self.shared.open.load(Ordering::Relaxed) >= self.shared.connections_max {
            cells.add(Count::TurnedAway, 1);
            return;
        }
        self.shared.open.fetch_add(1, Ordering::Relaxed);
        cells.add(Count::Accepted, 1);
        self.accepted += 1;
        let to = (self.accepted - 1) as usize % self.shared.inboxes.len();
        if to == self.index {
            self.adopt(fd, self.accepted);
        } else {
            self.shared.inboxes[to].put(fd, self.accepted);
        }
    }

    fn adopt_dealt(&mut self) {
        for (fd, number) in self.shared.inboxes[self.index].take() {
            self.adopt(fd, number);
        }
    }

    fn adopt(&mut self, fd: OwnedFd, number: u64) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.connections.push(None);
            (self.connections.len() - 1) as u32
        });
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        let watched = epoll::add(&self.epoll, &fd, EventData::new_u64(u64::from(slot)), flags);
        let conn =
            Box::new(Connection::new(fd, Line::new(&self.shared), slot, number, self.shared.config.null));
        match watched {
            Ok(()) => self.connections[slot as usize] = Some(conn),
            // Out of memory for watches: the connection is closed, which counts as ours.
            Err(_) => {
                self.serving.cells.add(Count::ClosedByServer, 1);
                self.forget(conn, Gone::ServerFin);
            }
        }
    }

    fn end(mut self) -> Result<(), ReferenceError> {
        for conn in self.connections.iter().flatten() {
            self.serving.count_cut(conn);
        }
        self.serving.flush_log()
    }
}
