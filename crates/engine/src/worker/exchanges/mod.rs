//! Exchanges and their connections: asking, answers, and what becomes of the connection then.
//!
//! Nothing here knows when an exchange should begin. Each call says whether it freed a connection, which can carry
//! another exchange then.

mod answering;
mod asking;
mod connecting;

use super::opener::{BACKOFF_NS, Opener};
use crate::LoadPlan;
use crate::check::Dealt;
use crate::connection::{Connection, Phase};
use crate::deadlines::Deadlines;
use crate::driver::{Conn, Net};
use crate::expect::Check;
use crate::feed::Feeding;
use crate::load::Share;
use crate::record::{SAMPLE_BYTES, WorkerRecord};
use proofload_measure::{ExchangeTimes, Outcome};
use proofload_wire::{Events, ExchangeId, Outbox};

/// How long a closing connection waits for the peer to close first, so that TIME_WAIT stays over there.
const PARTING_NS: u64 = 100_000_000;
/// Requests are never pipelined, so an outbox holds one.
const OUTBOX_BYTES: usize = 64 * 1024;
/// Buffers for the beginnings of answers that come in pieces.
const SAMPLES: usize = 64;
/// A connection carries one exchange at a time, so one name is enough.
const ONLY: ExchangeId = ExchangeId(0);

/// A connection that can carry another exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Freed {
    pub conn: Conn,
    pub now_ns: u64,
    /// Whether it may begin one at once: not where the very attempt to begin one freed it, so that a peer that fails
    /// every attempt cannot keep a worker from its timetable.
    pub at_once: bool,
}

/// The connections of one worker and the exchanges on them.
pub(super) struct Exchanges<'a> {
    plan: &'a LoadPlan,
    share: Share,
    /// What is expected of the answers to each entry of the mix.
    checks: Vec<Check>,
    feeding: Feeding<'a>,
    pub connections: Vec<Connection>,
    pub deadlines: Deadlines,
    pub opener: Opener,
    pub record: WorkerRecord,
    outbox: Outbox,
    events: Events,
    samples: Vec<Vec<u8>>,
    in_flight: usize,
    /// What the transport said of the connection that ended last.
    why_closed: Option<String>,
}

impl<'a> Exchanges<'a> {
    /// For a load that begins at 0, until [`Exchanges::begin_at`].
    pub fn new(plan: &'a LoadPlan, share: Share, dealt: &Dealt, record: WorkerRecord) -> Self {
        let connections = deal_connections(plan, dealt);
        let shortest =
            plan.timeouts.connect_ns.min(plan.timeouts.response_ns).min(PARTING_NS).min(BACKOFF_NS);
        let check = |entry: &crate::MixEntry| Check::new(&entry.expect, plan.targets[entry.target].protocol);
        let samples = 0..SAMPLES.min(connections.len());
        Exchanges {
            plan,
            share,
            checks: plan.mix.iter().map(check).collect(),
            feeding: Feeding::new(&plan.asking.feed, plan.seed, share),
            deadlines: Deadlines::new(connections.len(), shortest),
            opener: Opener::new(plan, dealt.first.iter().sum::<u64>() as usize),
            record,
            outbox: used_outbox(plan),
            events: Events::with_capacity(16),
            samples: samples.map(|_| Vec::with_capacity(SAMPLE_BYTES)).collect(),
            connections,
            in_flight: 0,
            why_closed: None,
        }
    }

    /// Sets the first instant of the load.
    pub fn begin_at(&mut self, start_ns: u64) {
        self.feeding.begin_at(start_ns);
        self.opener.begin_at(start_ns);
        self.record.begin_at(start_ns);
    }

    /// How many exchanges have begun and not ended.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Begins an exchange on a free connection.
    #[inline]
    pub fn begin<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        entry: usize,
        intended_ns: u64,
        now: u64,
    ) -> Option<Freed> {
        let connection = &mut self.connections[conn as usize];
        connection.entry = entry as u32;
        connection.begun += 1;
        if connection.begun == 1 {
            self.record.begun(intended_ns, now);
        }
        connection.times = ExchangeTimes { intended_ns, ..ExchangeTimes::default() };
        if let Some(http) = &mut connection.http {
            http.begin();
        }
        self.in_flight += 1;
        match connection.phase {
            Phase::Idle => self.ask(net, conn, intended_ns, now),
            Phase::Opening => {
                // What was opened ahead of the load came too late; the exchange waits for it.
                connection.phase = Phase::Dialing;
                self.opener.ended();
                None
            }
            Phase::Cold => self.dial(net, conn, now),
            Phase::Dialing | Phase::Asking | Phase::Parting | Phase::BackingOff => {
                debug_assert!(false, "connection {conn} is not free: {:?}", connection.phase);
                self.end(conn, Outcome::Internal, now);
                None
            }
        }
    }

    /// Writes the present exchange down.
    #[inline]
    fn end(&mut self, conn: Conn, outcome: Outcome, now: u64) {
        let connection = &mut self.connections[conn as usize];
        connection.times.end_ns = now;
        self.in_flight -= 1;
        connection.carried += 1;
        let idle_since_ns = self.record.exchange(&connection.times, connection.ready_ns, outcome);
        if connection.idle_since_ns.is_none() {
            connection.idle_since_ns = idle_since_ns;
        }
        self.deadlines.clear(conn);
        if let Some(mut sample) = connection.sample.take() {
            sample.clear();
            self.samples.push(sample);
        }
    }

    /// Notes that a connection is of no use to an exchange from now on.
    #[inline]
    pub fn note_idle(&mut self, conn: Conn, now: u64) {
        self.connections[conn as usize].idle_since_ns.get_or_insert(now);
    }

    /// Gives up what is in flight, and closes all connections.
    pub fn give_up<N: Net>(&mut self, net: &mut N, now: u64) {
        self.record.advance_to(now);
        for conn in 0..self.connections.len() as Conn {
            let connection = &self.connections[conn as usize];
            if connection.in_flight() {
                let sent = connection.times.sent_ns.is_some();
                self.end(conn, if sent { Outcome::Unanswered } else { Outcome::Unsent }, now);
            }
            if !matches!(self.connections[conn as usize].phase, Phase::Cold | Phase::BackingOff) {
                net.close(conn);
            }
        }
    }
}

/// Deals connections to targets, which take turns, so that each begins with the load. Those that may be added later
/// are behind those that there are from the beginning.
fn deal_connections(plan: &LoadPlan, dealt: &Dealt) -> Vec<Connection> {
    let mut connections = Vec::with_capacity(dealt.most.iter().sum::<u64>() as usize);
    let mut deal = |dealt: &[u64]| {
        let most = dealt.iter().copied().max().unwrap_or(0);
        for round in 0..most {
            for target in (0..dealt.len()).filter(|target| round < dealt[*target]) {
                connections.push(Connection::new(plan, target));
            }
        }
    };
    deal(&dealt.first);
    let more = dealt.most.iter().zip(&dealt.first).map(|(most, first)| most - first);
    deal(&more.collect::<Vec<_>>());
    connections
}

/// An outbox that has held the longest request: its first use would allocate in the window otherwise.
fn used_outbox(plan: &LoadPlan) -> Outbox {
    let mut outbox = Outbox::new(OUTBOX_BYTES);
    let longest = plan.mix.iter().map(|entry| entry.closing_request.bytes.len()).max().unwrap_or(0);
    outbox.push_exchange(ONLY, &vec![0; longest + plan.asking.feed.room()]);
    outbox.clear();
    outbox
}
