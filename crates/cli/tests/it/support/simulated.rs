//! The same server without sockets and without waiting, for simulated networks: what it does comes back with the instants
//! at which it does it. Parsing, decisions, answers and counts are those of the server that listens; TLS and the null
//! server are left to that.

use proofload_reference::parts::{
    After, Asked, Cells, Count, Decider, Ending, Form, Intake, Log, LogFile, Reply, Taken, Target,
};
use proofload_reference::{Config, Counts, Fault, ReferenceError};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// For the client to read an answer before the reset, as [`Fault::ResetAfter`] gives it.
const GRACE_NS: u64 = 20_000_000;

/// The server's side of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Sends bytes.
    Send(Vec<u8>),
    Fin,
    Reset,
}

/// A server, and what it has done so far.
#[derive(Debug)]
pub struct Simulated {
    config: Config,
    log: Option<Arc<LogFile>>,
    accepted: AtomicU64,
    cells: Mutex<Vec<Arc<Cells>>>,
}

impl Simulated {
    /// A server with that configuration.
    ///
    /// # Errors
    /// As [`Config::check`]; and when the log of arrivals cannot be written.
    pub fn new(config: Config) -> Result<Arc<Simulated>, ReferenceError> {
        config.check()?;
        let log = config.arrivals.as_deref().map(LogFile::create).transpose()?;
        Ok(Arc::new(Simulated { config, log, accepted: AtomicU64::new(0), cells: Mutex::default() }))
    }

    pub fn counts(&self) -> Counts {
        let cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        Counts::sum(cells.iter().map(|cells| &**cells), 0, 0)
    }

    /// The server as one network meets it, whose time begins at 0: its queue is empty, and its stalls are counted from
    /// there. Its CPU takes `pace` times as long for what it works.
    pub fn line(self: &Arc<Self>, pace: f64) -> SimulatedLine {
        let cells = Arc::new(Cells::new());
        self.cells.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&cells));
        SimulatedLine {
            decider: Decider::new(&self.config, 0),
            log: self.log.clone().map(Log::new),
            busy_until_ns: vec![0; self.config.workers],
            spin_ns: (self.config.service.spin_ns as f64 * pace) as u64,
            connections: HashMap::new(),
            server: Arc::clone(self),
            cells,
        }
    }
}

/// A simulated server at work, connection by connection; the caller chooses their ids.
#[derive(Debug)]
pub struct SimulatedLine {
    server: Arc<Simulated>,
    cells: Arc<Cells>,
    decider: Decider,
    log: Option<Log>,
    /// Until when a spin keeps each worker.
    busy_until_ns: Vec<u64>,
    spin_ns: u64,
    connections: HashMap<u64, Connection>,
}

#[derive(Debug)]
struct Connection {
    number: u64,
    requests: u64,
    control: bool,
    intake: Intake,
    carry: Vec<u8>,
    reply: Reply,
    /// The last request that counts, with the bytes of its answer, and when that has left.
    last: Option<(Ending, u64)>,
    free_ns: u64,
    over: bool,
}

impl SimulatedLine {
    pub fn accept(&mut self, name: u64) {
        self.cells.add(Count::Accepted, 1);
        let connection = Connection {
            number: self.server.accepted.fetch_add(1, Ordering::Relaxed) + 1,
            requests: 0,
            control: false,
            intake: Intake::new(),
            carry: Vec::new(),
            reply: Reply::new(),
            last: None,
            free_ns: 0,
            over: false,
        };
        self.connections.insert(name, connection);
    }

    /// Bytes came; what the server does because of them, in order.
    pub fn receive(&mut self, name: u64, bytes: &[u8], now_ns: u64) -> Vec<(u64, Act)> {
        let Some(mut connection) = self.connections.remove(&name) else { return Vec::new() };
        connection.carry.extend_from_slice(bytes);
        let mut acts = Vec::new();
        while !connection.over {
            let (n, taken) = connection.intake.take(&connection.carry);
            connection.carry.drain(..n);
            // One at a time: a pipelined request begins when the one before it is answered.
            let begins_ns = connection.free_ns.max(now_ns);
            match taken {
                Taken::More if n == 0 => break,
                Taken::More => {}
                Taken::Continue => {
                    acts.push((begins_ns, Act::Send(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec())));
                }
                Taken::Request(asked) => self.begin(&mut connection, asked, begins_ns, &mut acts),
                Taken::Bad { status } => {
                    self.cells.add(Count::BadRequests, 1);
                    let form = Form { status, head_only: false, close: true, old: false };
                    connection.reply.set_text(status, "text/plain", "the request cannot be read\n", form);
                    self.send(&mut connection, begins_ns, &mut acts);
                }
            }
        }
        self.connections.insert(name, connection);
        acts
    }

    /// The client closed the connection.
    pub fn close(&mut self, name: u64, now_ns: u64) {
        let Some(connection) = self.connections.remove(&name) else { return };
        // An answer that had not left by then never does.
        if let Some((ending, sent)) = connection.last.filter(|_| connection.free_ns > now_ns) {
            self.cells.count_ending(ending, 1u64.wrapping_neg());
            self.cells.take_back(Count::BytesSent, sent);
            self.cells.add(Count::ClientLeft, 1);
        }
        if !connection.over && !connection.control {
            self.cells.add(Count::ClosedByClient, 1);
        }
    }

    fn begin(&mut self, connection: &mut Connection, asked: Asked, now_ns: u64, acts: &mut Vec<(u64, Act)>) {
        if asked.target != Target::Load {
            return self.answer_control(connection, asked, now_ns, acts);
        }
        connection.requests += 1;
        self.cells.add(Count::Requests, 1);
        self.cells.add(Count::BytesReceived, asked.bytes);
        let served_ns = self.spun(connection.number, now_ns);
        let decision = self.decider.decide(connection.number, connection.requests, served_ns);
        if let Some(log) = &mut self.log {
            // A log that cannot be written shows in what is read of it.
            let _short = log.add(now_ns, connection.number, decision.fault, &self.cells);
        }
        let status = if asked.refused { 405 } else { 200 };
        let ending = Ending::of(decision.fault, asked.refused, connection.requests > 1);
        if decision.fault == Some(Fault::Silence) {
            self.cells.ended(decision.fault, ending.outcome, 1);
            connection.last = None;
            connection.free_ns = u64::MAX;
            connection.over = true;
            return;
        }
        let close = asked.close || connection.requests >= self.server.config.close_after.unwrap_or(u64::MAX);
        connection.reply.set(Form { status, head_only: asked.head_only, close, old: asked.old }, &decision);
        let sent = self.send(connection, decision.due_ns, acts);
        self.cells.count_ending(ending, 1);
        self.cells.add(Count::BytesSent, sent);
        connection.last = Some((ending, sent));
    }

    /// End of a spin that begins then: it keeps its worker, and all connections of that.
    fn spun(&mut self, connection: u64, now_ns: u64) -> u64 {
        let spin_ns = self.spin_ns;
        if spin_ns == 0 {
            return now_ns;
        }
        let worker = (connection - 1) as usize % self.busy_until_ns.len();
        let busy = &mut self.busy_until_ns[worker];
        *busy = (*busy).max(now_ns) + spin_ns;
        self.cells.add(Count::SpinCpu, spin_ns);
        self.cells.add(Count::SpinWall, spin_ns);
        *busy
    }

    fn answer_control(
        &mut self,
        connection: &mut Connection,
        asked: Asked,
        now_ns: u64,
        acts: &mut Vec<(u64, Act)>,
    ) {
        if connection.requests == 0 && !connection.control {
            connection.control = true;
            self.cells.take_back(Count::Accepted, 1);
            self.cells.add(Count::Control, 1);
        }
        let form = Form { status: 200, head_only: asked.head_only, close: asked.close, old: asked.old };
        match asked.target {
            Target::Counts => {
                connection.reply.set_text(200, "application/json", &self.server.counts().to_json(), form);
            }
            _ => connection.reply.set_text(200, "text/plain", "ready\n", form),
        }
        connection.last = None;
        self.send(connection, now_ns, acts);
    }

    /// Sends the answer from that instant on, and does what comes after it; the bytes that leave.
    fn send(&mut self, connection: &mut Connection, from_ns: u64, acts: &mut Vec<(u64, Act)>) -> u64 {
        let reply = &mut connection.reply;
        let mut at_ns = from_ns;
        while !reply.is_sent() {
            let pieces = reply.pieces(reply.allowed());
            let mut bytes = Vec::new();
            pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
            reply.take(bytes.len() as u64);
            acts.push((at_ns, Act::Send(bytes)));
            if !reply.is_sent() && reply.fault == Some(Fault::Drip) {
                at_ns += self.server.config.faults.drip_every_ns;
            }
        }
        let (ended, after) = (reply.sent(), reply.after);
        connection.free_ns = at_ns;
        match after {
            After::Next => return ended,
            After::Fin => {
                acts.push((at_ns, Act::Fin));
                self.cells.add(Count::ClosedByServer, u64::from(!connection.control));
            }
            After::Reset => acts.push((at_ns, Act::Reset)),
            After::ResetLater => acts.push((at_ns + GRACE_NS, Act::Reset)),
        }
        if matches!(after, After::Reset | After::ResetLater) {
            self.cells.add(Count::ResetByServer, 1);
        }
        connection.over = true;
        ended
    }
}

impl Drop for SimulatedLine {
    fn drop(&mut self) {
        if let Some(log) = &mut self.log {
            let _short = log.flush(&self.cells);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_reference::{Faults, ServiceTime};

    const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    fn server(config: Config) -> (Arc<Simulated>, SimulatedLine) {
        let server = Simulated::new(config).expect("a right configuration");
        let mut line = server.line(1.0);
        line.accept(7);
        (server, line)
    }

    #[test]
    fn answers_leave_when_they_are_due_one_after_the_other() {
        let service = ServiceTime::parse("const:2ms").unwrap();
        let (server, mut line) = server(Config { service, ..Config::default() });
        let acts = line.receive(7, &[GET, GET, &GET[..9]].concat(), 1_000);
        let at: Vec<u64> = acts.iter().map(|(at_ns, _)| *at_ns).collect();
        assert_eq!(at, [2_001_000, 4_001_000]);
        assert!(
            acts.iter().all(|(_, act)| matches!(act, Act::Send(bytes) if bytes.starts_with(b"HTTP/1.1 200")))
        );
        assert_eq!((server.counts().requests, server.counts().answered), (2, 2));
        line.close(7, 3_000_000);
        assert_eq!(
            (server.counts().answered, server.counts().client_left),
            (1, 1),
            "the second had not left"
        );
    }

    #[test]
    fn faults_end_connections_as_they_do_on_sockets() {
        for (fault, ends, outcome) in [
            ("reset_before", Some(Act::Reset), "reset_fresh"),
            ("short_body", Some(Act::Fin), "closed_early"),
            ("reset_after", Some(Act::Reset), "answered"),
            ("silence", None, "timeout"),
        ] {
            let faults = Faults::parse(&format!("{fault}=1")).unwrap();
            let (server, mut line) = server(Config { faults, ..Config::default() });
            let acts = line.receive(7, GET, 0);
            assert_eq!(acts.last().map(|(_, act)| act.clone()), ends, "{fault}");
            let counts = server.counts();
            let expected: Vec<&str> =
                counts.expected.iter().filter(|(_, n)| *n == 1).map(|(outcome, _)| outcome.name()).collect();
            assert_eq!(expected, [outcome], "{fault}");
            assert_eq!(line.receive(7, GET, 5), [], "{fault}: it reads no more");
        }
    }

    #[test]
    fn a_spin_keeps_its_worker_and_costs_its_time() {
        let service = ServiceTime::parse("spin:100us").unwrap();
        let (server, mut line) = server(Config { service, ..Config::default() });
        line.accept(8);
        assert_eq!(line.receive(7, GET, 0)[0].0, 100_000);
        assert_eq!(line.receive(8, GET, 0)[0].0, 200_000);
        assert_eq!(server.counts().spin_cpu_ns, 200_000);
    }
}
