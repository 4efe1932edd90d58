//! Service of one connection by a worker: reads requests, lets them wait, answers them or injects faults.
//!
//! Every function here returns `Err(Gone)` when the connection has ended; the caller drops it.

mod null;

use crate::arrivals::Log;
use crate::clock::{now_ns, spin};
use crate::connection::{Connection, Phase};
use crate::counts::{Cells, Count};
use crate::decide::Decider;
use crate::ending::{Ending, Gone};
use crate::intake::{Asked, Taken, Target};
use crate::null::Null;
use crate::reply::{After, Form};
use crate::shared::Shared;
use crate::timers::Timers;
use crate::tls::{CIPHER, Received, Receiving, receive_some};
use crate::{Fault, ReferenceError};
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};
use std::sync::Arc;
use std::time::Duration;

/// Bytes of one receive.
const RECEIVE: usize = 64 * 1024;
/// Bytes received from one connection before the others are served.
const ROUND_BYTES: usize = 256 * 1024;
/// Time limit for the client to close after our FIN.
const DRAIN_NS: u64 = 1_000_000_000;
/// Between two checks of whether the client's kernel has the answer; there are at most `CHECKS_MAX`.
const CHECK_NS: u64 = 1_000_000;
const CHECKS_MAX: u32 = 1000;
/// For the client to read an answer that its kernel has, before the reset. Linux lets it read even after
/// that; the grace is for clients that read the error first.
const GRACE_NS: u64 = 20_000_000;
/// `1` to be taken back.
const LESS_ONE: u64 = 1u64.wrapping_neg();

/// Goes on, or the connection is gone.
pub(crate) type Flow = Result<(), Gone>;

/// State that a worker needs to serve any connection.
#[derive(Debug)]
pub(crate) struct Serving {
    pub shared: Arc<Shared>,
    pub cells: Arc<Cells>,
    pub timers: Timers,
    /// Connections that had more to read than may be read at once.
    pub again: Vec<u32>,
    /// Error that must end the server: the log could not be written.
    pub failure: Option<ReferenceError>,
    decider: Decider,
    log: Option<Log>,
    null: Option<Null>,
    spin_ns: u64,
    close_after: u64,
    buffer: Box<[u8]>,
    cipher: Box<[u8]>,
}

impl Serving {
    pub fn new(shared: Arc<Shared>, worker: usize) -> Self {
        let config = &shared.config;
        let null = config.null.then(|| {
            let mut dice = crate::dice::Dice::for_request(config.seed, 0, 0);
            Null::new(config.size.draw(&mut dice) as usize, config.close_after.is_some())
        });
        Serving {
            cells: shared.cells[worker].clone(),
            timers: Timers::default(),
            again: Vec::new(),
            failure: None,
            decider: Decider::new(config, shared.started_ns),
            log: shared.log.clone().map(Log::new),
            null,
            spin_ns: config.service.spin_ns,
            close_after: config.close_after.unwrap_or(u64::MAX),
            buffer: vec![0; RECEIVE].into_boxed_slice(),
            cipher: vec![0; if shared.tls.is_some() { CIPHER } else { 0 }].into_boxed_slice(),
            shared,
        }
    }

    /// The socket can be read or written, or was closed.
    pub fn on_event(&mut self, conn: &mut Connection, flags: EventFlags) -> Flow {
        let ended = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
        conn.readable |= flags.intersects(EventFlags::IN | ended);
        conn.hung |= flags.intersects(ended);
        conn.line.flush(&conn.fd);
        if conn.null {
            return self.serve_null(conn);
        }
        match conn.phase {
            Phase::Reading => self.pump(conn),
            Phase::Draining => self.drain(conn),
            Phase::Unacknowledged { .. } | Phase::Grace if conn.hung => self.reset(conn),
            _ if conn.hung && flags.contains(EventFlags::ERR) => Err(Gone::ClientReset),
            _ if conn.hung => Err(Gone::ClientFin),
            Phase::Writing => {
                self.write(conn)?;
                self.pump(conn)
            }
            Phase::Waiting
            | Phase::Dripping
            | Phase::Silent
            | Phase::Unacknowledged { .. }
            | Phase::Grace => Ok(()),
        }
    }

    /// The connection's timer went off.
    pub fn on_timer(&mut self, conn: &mut Connection) -> Flow {
        conn.timer_ns = None;
        match conn.phase {
            Phase::Waiting | Phase::Dripping => {
                self.write(conn)?;
                self.pump(conn)
            }
            Phase::Unacknowledged { checks } => self.check_acknowledged(conn, checks),
            Phase::Grace => self.reset(conn),
            Phase::Draining => Err(Gone::ServerFin),
            Phase::Reading | Phase::Writing | Phase::Silent => Ok(()),
        }
    }

    /// Takes requests until there is none, or one keeps the connection busy.
    pub fn pump(&mut self, conn: &mut Connection) -> Flow {
        let mut received = 0;
        while conn.phase == Phase::Reading {
            if self.take_request(conn)? {
                continue;
            }
            if !conn.readable {
                break;
            }
            if received >= ROUND_BYTES {
                self.again.push(conn.slot);
                break;
            }
            let n = self.receive(conn)?;
            if n > 0 {
                conn.keep(&self.buffer[..n], now_ns());
            }
            received += n;
        }
        Ok(())
    }

    /// Returns true on progress: a request begun, or bytes of a body dropped.
    fn take_request(&mut self, conn: &mut Connection) -> Result<bool, Gone> {
        if conn.untaken().is_empty() {
            return Ok(false);
        }
        let (n, taken) = conn.intake.take(&conn.carry[conn.at..]);
        match taken {
            Taken::More => {
                conn.taken(n);
                Ok(n > 0)
            }
            Taken::Continue => {
                conn.taken(n);
                self.say_continue(conn)?;
                Ok(true)
            }
            Taken::Request(asked) => {
                let now_ns = if conn.fresh { conn.arrived_ns } else { now_ns() };
                conn.fresh = false;
                conn.taken(n);
                self.begin(conn, asked, now_ns)?;
                Ok(true)
            }
            Taken::Bad { status } => {
                self.cells.add(Count::BadRequests, 1);
                conn.ending = None;
                let form = Form { status, head_only: false, close: true, old: false };
                conn.reply.set_text(status, "text/plain", "the request cannot be read\n", form);
                self.write(conn)?;
                Ok(true)
            }
        }
    }

    fn begin(&mut self, conn: &mut Connection, asked: Asked, now_ns: u64) -> Flow {
        if asked.target != Target::Load {
            return self.answer_control(conn, asked);
        }
        if std::mem::take(&mut conn.control) {
            self.cells.take_back(Count::Control, 1);
            self.cells.add(Count::Accepted, 1);
        }
        conn.requests += 1;
        self.cells.add(Count::Requests, 1);
        self.cells.add(Count::BytesReceived, asked.bytes);
        let mut served_ns = now_ns;
        if self.spin_ns > 0 {
            let spun = spin(self.spin_ns);
            self.cells.add(Count::SpinCpu, spun.cpu_ns);
            self.cells.add(Count::SpinWall, spun.wall_ns);
            served_ns = self::now_ns();
        }
        let decision = self.decider.decide(conn.number, conn.requests, served_ns);
        self.log_arrival(conn.arrived_ns, conn.number, decision.fault);
        let status = if asked.refused { 405 } else { 200 };
        let ending = Ending::of(decision.fault, asked.refused, conn.requests > 1);
        conn.ending = Some(ending);
        if decision.fault == Some(Fault::Silence) {
            self.cells.ended(decision.fault, ending.outcome, 1);
            conn.phase = Phase::Silent;
            return if conn.hung { self.notice_end(conn) } else { Ok(()) };
        }
        let close = asked.close || conn.requests >= self.close_after;
        conn.reply.set(Form { status, head_only: asked.head_only, close, old: asked.old }, &decision);
        if decision.due_ns > served_ns {
            conn.phase = Phase::Waiting;
            self.set_timer(conn, decision.due_ns);
            return if conn.hung { self.notice_end(conn) } else { Ok(()) };
        }
        self.write(conn)
    }

    /// Notices that the client hung up before its request was read: no event will report it.
    fn notice_end(&mut self, conn: &mut Connection) -> Flow {
        loop {
            self.receive(conn)?;
            if !conn.readable || conn.phase == Phase::Draining {
                return Ok(());
            }
        }
    }

    fn answer_control(&mut self, conn: &mut Connection, asked: Asked) -> Flow {
        if conn.requests == 0 && !conn.control {
            conn.control = true;
            self.cells.take_back(Count::Accepted, 1);
            self.cells.add(Count::Control, 1);
        }
        conn.ending = None;
        let form = Form { status: 200, head_only: asked.head_only, close: asked.close, old: asked.old };
        match asked.target {
            Target::Counts => {
                conn.reply.set_text(200, "application/json", &self.shared.counts().to_json(), form)
            }
            _ => conn.reply.set_text(200, "text/plain", "ready\n", form),
        }
        self.write(conn)
    }

    /// A client that sent `Expect: 100-continue` waits for this before it sends the body. The few bytes fit
    /// whenever the answers before it were read; if not, the client goes on by itself (RFC 9110, 10.1.1).
    fn say_continue(&mut self, conn: &mut Connection) -> Flow {
        let said = conn.line.interject(&conn.fd, b"HTTP/1.1 100 Continue\r\n\r\n");
        said.map_err(|_| Gone::ClientReset)
    }

    /// Sends what may leave now, then does what comes after the last byte.
    fn write(&mut self, conn: &mut Connection) -> Flow {
        conn.phase = Phase::Writing;
        while !conn.reply.is_sent() {
            let pieces = conn.reply.pieces(conn.reply.allowed());
            let attempt: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
            let ends = conn.reply.ends_at(conn.reply.sent() + attempt);
            let ending = conn.ending.filter(|ending| ends && ending.is_answer());
            if let Some(ending) = ending {
                self.cells.count_ending(ending, 1);
            }
            let sent = conn.line.send(&conn.fd, &pieces);
            let taken = sent.map_or(0, |n| n as u64);
            if let Some(ending) = ending.filter(|_| taken < attempt) {
                self.cells.count_ending(ending, LESS_ONE);
            }
            if conn.ending.is_some() {
                self.cells.add(Count::BytesSent, taken);
            }
            conn.reply.take(taken);
            match sent {
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(_) => return Err(Gone::ClientReset),
            }
            if !conn.reply.is_sent() && conn.reply.fault == Some(Fault::Drip) && taken > 0 {
                conn.phase = Phase::Dripping;
                self.set_timer(conn, now_ns() + self.shared.config.faults.drip_every_ns);
                return Ok(());
            }
        }
        self.finish(conn)
    }

    fn finish(&mut self, conn: &mut Connection) -> Flow {
        match conn.reply.after {
            After::Next => conn.phase = Phase::Reading,
            After::Fin => {
                if let Some(ending) = conn.ending.filter(|ending| !ending.is_answer()) {
                    self.cells.count_ending(ending, 1);
                }
                return self.close(conn);
            }
            After::Reset => {
                if let Some(ending) = conn.ending {
                    self.cells.count_ending(ending, 1);
                }
                return self.reset(conn);
            }
            After::ResetLater => {
                conn.phase = Phase::Unacknowledged { checks: 0 };
                self.set_timer(conn, now_ns() + CHECK_NS);
            }
        }
        Ok(())
    }

    /// Sends FIN, and reads what still comes, for to close with bytes unread would reset the connection and
    /// could destroy the answer.
    fn close(&mut self, conn: &mut Connection) -> Flow {
        if !conn.control {
            self.cells.add(Count::ClosedByServer, 1);
        }
        conn.phase = Phase::Draining;
        conn.line.say_goodbye(&conn.fd);
        if shutdown(&conn.fd, Shutdown::Write).is_err() {
            return Err(Gone::ServerFin);
        }
        self.set_timer(conn, now_ns() + DRAIN_NS);
        if conn.readable { self.drain(conn) } else { Ok(()) }
    }

    fn drain(&mut self, conn: &mut Connection) -> Flow {
        let mut dropped = 0;
        while conn.readable && dropped < ROUND_BYTES {
            match receive_some(&conn.fd, &mut self.buffer).map_err(|_| Gone::ServerFin)? {
                Some(n) => {
                    conn.readable = n == RECEIVE || conn.hung;
                    dropped += n;
                }
                None => conn.readable = false,
            }
        }
        if conn.readable {
            self.again.push(conn.slot);
        }
        Ok(())
    }

    /// Checks whether the client's kernel has acknowledged every byte; if so the grace begins.
    fn check_acknowledged(&mut self, conn: &mut Connection, checks: u32) -> Flow {
        if conn.hung {
            return self.reset(conn);
        }
        if checks < CHECKS_MAX && unacknowledged(conn) > 0 {
            conn.phase = Phase::Unacknowledged { checks: checks + 1 };
            self.set_timer(conn, now_ns() + CHECK_NS);
        } else {
            conn.phase = Phase::Grace;
            self.set_timer(conn, now_ns() + GRACE_NS);
        }
        Ok(())
    }

    /// Makes the coming close a reset.
    fn reset(&mut self, conn: &Connection) -> Flow {
        // On a socket that is still open this cannot fail; on one that the peer has reset it does not matter.
        let _moot = rustix::net::sockopt::set_socket_linger(&conn.fd, Some(Duration::ZERO));
        Err(Gone::ServerReset)
    }

    /// Receives into the buffer; 0 when there is nothing.
    fn receive(&mut self, conn: &mut Connection) -> Result<usize, Gone> {
        let receiving = Receiving {
            shared: &self.shared,
            cells: &self.cells,
            number: conn.number,
            buffer: &mut self.buffer,
            cipher: &mut self.cipher,
        };
        match conn.line.receive(&conn.fd, conn.hung, receiving)? {
            Received::Bytes { n, more } => {
                conn.readable = more;
                Ok(n)
            }
            Received::Failed => {
                self.cells.add(Count::ClientLeft, u64::from(conn.in_the_making()));
                self.close(conn)?;
                Ok(0)
            }
            Received::Stalled if conn.hung => Err(Gone::ClientFin),
            Received::Stalled => {
                conn.phase = Phase::Silent;
                Ok(0)
            }
        }
    }

    fn log_arrival(&mut self, at_ns: u64, connection: u64, fault: Option<Fault>) {
        if let Some(Err(failure)) =
            self.log.as_mut().map(|log| log.add(at_ns, connection, fault, &self.cells))
        {
            self.failure = Some(failure);
        }
    }

    /// Writes what the log has gathered.
    pub fn flush_log(&mut self) -> Result<(), ReferenceError> {
        self.log.as_mut().map_or(Ok(()), |log| log.flush(&self.cells))
    }

    /// Sets the connection's timer anew.
    fn set_timer(&mut self, conn: &mut Connection, at_ns: u64) {
        self.cancel_timer(conn);
        conn.timer_ns = Some(at_ns);
        self.timers.set(at_ns, conn.slot);
    }

    pub fn cancel_timer(&mut self, conn: &mut Connection) {
        if let Some(at_ns) = conn.timer_ns.take() {
            self.timers.cancel(at_ns, conn.slot);
        }
    }

    /// Counts how a connection ended. Ours were counted before the client could see them.
    pub fn count_gone(&self, conn: &Connection, gone: Gone) {
        let left = conn.in_the_making() || (conn.null && conn.owed > 0);
        if left && gone != Gone::ServerReset {
            let null = self.null.as_ref().filter(|_| conn.null);
            self.cells.add(Count::ClientLeft, null.map_or(1, |null| null.unfinished(conn.owed)));
        }
        if conn.control {
            return;
        }
        match gone {
            Gone::ClientFin => self.cells.add(Count::ClosedByClient, 1),
            Gone::ClientReset => self.cells.add(Count::ResetByClient, 1),
            Gone::ServerReset => self.cells.add(Count::ResetByServer, 1),
            Gone::ServerFin => {}
        }
    }

    /// Counts what the end of the server cuts off.
    pub fn count_cut(&self, conn: &Connection) {
        let null = self.null.as_ref().filter(|_| conn.null);
        let cut = null.map_or(u64::from(conn.in_the_making()), |null| null.unfinished(conn.owed));
        self.cells.add(Count::CutByStop, cut);
    }
}

/// Bytes that the client's kernel has not acknowledged; 0 when the connection is gone.
fn unacknowledged(conn: &Connection) -> u32 {
    use std::os::fd::AsRawFd;
    let mut bytes: libc::c_int = 0;
    // SAFETY: TIOCOUTQ (SIOCOUTQ on sockets) writes one int to the address given, which is valid for that.
    let result = unsafe { libc::ioctl(conn.fd.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    if result == 0 { bytes.unsigned_abs() } else { 0 }
}
