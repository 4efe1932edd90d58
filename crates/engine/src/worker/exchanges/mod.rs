//! Exchanges and their connections: asking, answers, and the connection after them.
//!
//! Nothing here knows when an exchange should begin. Each call returns the lane that it freed, if any, which can carry
//! another exchange then; further ones are in [`Exchanges::more`].

mod answering;
mod asking;
mod away;
mod connecting;
mod timing;
mod users;

use super::opener::{BACKOFF_NS, Opener};
use crate::check::Dealt;
use crate::connection::{Connection, Phase};
use crate::deadlines::Deadlines;
use crate::driver::{Conn, Net};
use crate::elsewhere::{Around, Elsewhere, ORIGINS_MAX};
use crate::expect::Check;
use crate::feed::Feeding;
use crate::http::{self, Jar, hosts, longest_target};
use crate::lane::{Lane, LaneId, LaneNumbers, LanePhase};
use crate::load::{Random, Share};
use crate::memory::UserMemory;
use crate::reader::{KeptHead, Reading};
use crate::received::SAMPLE_BYTES;
use crate::record::WorkerRecord;
use crate::seats::{UserLanes, user_targets};
use crate::ways::Ways;
use crate::{LoadPlan, MixEntry};
use proofload_measure::{ExchangeTimes, Outcome};
use proofload_wire::{Events, ExchangeId, Outbox, Protocol};
use std::collections::VecDeque;

/// Time that a closing connection waits for the peer to close first, so that TIME_WAIT stays over there.
pub(super) const PARTING_NS: u64 = 100_000_000;
/// High-water mark of what waits to be sent on one connection.
const OUTBOX_BYTES: usize = 64 * 1024;
/// Bytes read at once of a body that is not in memory.
const PIECE_BYTES: usize = 64 * 1024;
/// Pieces of it after which others have their turn.
const PIECES: usize = 4;
/// Buffers for the beginnings of answers that come in pieces.
const SAMPLES: usize = 64;
/// A lane that can carry another exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Freed {
    pub lane: LaneId,
    pub now_ns: u64,
    /// True if it may begin one at once: not where the very attempt to begin one freed it, so that a peer that fails
    /// every attempt cannot keep a worker from its timetable.
    pub at_once: bool,
}

/// Name of the random stream of captures of any of several values.
const PICKS: u64 = 0x7069_636b;
/// Room for lanes that become free at once.
const MORE_ROOM: usize = 1024;

/// The connections of one worker and the exchanges on them.
pub(super) struct Exchanges<'a> {
    plan: &'a LoadPlan,
    share: Share,
    /// Expectations of the answers to each entry of the mix.
    checks: Vec<Check>,
    feeding: Feeding<'a>,
    pub connections: Vec<Connection>,
    /// Of each target.
    pub ways: Vec<Ways>,
    pub lanes: Vec<Lane>,
    numbers: LaneNumbers,
    /// Lanes of users, where there are journeys.
    pub places: UserLanes,
    /// Cookies of each user, or else of each connection, where they are kept.
    jars: Vec<Jar>,
    /// Of each user.
    memories: Vec<UserMemory>,
    /// Choices among several values of an answer.
    picks: Random,
    /// Room for values that are read.
    scratch: Vec<u8>,
    /// Parts of heads that sessions keep.
    kept: KeptHead,
    /// Lanes that became free beside the one that was returned.
    pub more: VecDeque<Freed>,
    /// Lanes whose exchanges ended with the bytes that came last; empty between calls.
    ended: Vec<LaneId>,
    /// Of lanes, and of connections behind them, unless they share theirs.
    pub deadlines: Deadlines,
    /// True if a connection and its only lane share a deadline: the connection's own matters only while no exchange is in
    /// flight on it, for no session of the plan wants to be called then.
    shares_deadlines: bool,
    /// Lanes that there can be, with those of other origins; the deadlines of connections are behind theirs.
    lanes_most: u32,
    pub opener: Opener,
    pub record: WorkerRecord,
    outbox: Outbox,
    /// Outboxes of connections that have sent their rest, for the next ones.
    #[expect(clippy::vec_box, reason = "connections have them boxed, and boxing one anew would allocate")]
    spare: Vec<Box<Outbox>>,
    /// A piece of a body that is read while it is sent; empty where there is none.
    piece: Vec<u8>,
    /// Connections whose socket may take more of such a body.
    pub unfinished: VecDeque<Conn>,
    events: Events,
    samples: Vec<Vec<u8>>,
    in_flight: usize,
    pub elsewhere: Elsewhere<'a>,
    /// Nanoseconds since 1970 (UTC) at the beginning of the axis of time.
    unix_ns: i64,
    /// Reason that the transport gave for the connection that ended last.
    why_closed: Option<String>,
}

impl<'a> Exchanges<'a> {
    /// For a load that begins at 0, until [`Exchanges::begin_at`].
    pub fn new(
        plan: &'a LoadPlan,
        around: &Around,
        share: Share,
        dealt: &Dealt,
        record: WorkerRecord,
    ) -> Self {
        let places = UserLanes::new(plan, dealt.users);
        let kept = KeptHead::of(plan);
        let connections = deal_connections(plan, share, dealt, &kept);
        let jars = if places.seats > 0 { places.seats as usize } else { connections.len() };
        let numbers = LaneNumbers::new(connections.len(), plan.in_flight);
        let feeders = plan.asking.feed.feeders.len();
        let lane = |at| Lane::new(connections[numbers.conn(at) as usize].target as usize, feeders);
        let lanes: Vec<Lane> = (0..numbers.count() as LaneId).map(lane).collect();
        let shares_deadlines =
            numbers.are_connections() && !plan.mix.iter().any(|entry| holds_body(plan, entry));
        let companions = if http::follows(plan) { lanes.len() * ORIGINS_MAX } else { 0 };
        let lanes_most = lanes.len() + companions;
        let deadlines =
            if shares_deadlines { lanes.len() } else { lanes_most + connections.len() + companions };
        let shortest =
            plan.timeouts.connect_ns.min(plan.timeouts.response_ns).min(PARTING_NS).min(BACKOFF_NS);
        let check = |(at, entry): (usize, &MixEntry)| {
            let reading = Reading::new(plan, at, &kept);
            Check::new(&entry.expect, plan.targets[entry.target].protocol, reading)
        };
        let samples = 0..SAMPLES.min(connections.len());
        Exchanges {
            plan,
            share,
            checks: plan.mix.iter().enumerate().map(check).collect(),
            feeding: Feeding::new(&plan.asking.feed, plan.seed, share),
            deadlines: Deadlines::new(deadlines, shortest),
            shares_deadlines,
            lanes_most: lanes_most as u32,
            opener: Opener::new(
                plan,
                if dealt.users > 0 { dealt.users } else { dealt.first.iter().sum() } as usize,
            ),
            record,
            outbox: used_outbox(plan),
            spare: Vec::new(),
            piece: vec![0; if plan.streamed_bytes() > 0 { PIECE_BYTES } else { 0 }],
            unfinished: VecDeque::new(),
            events: Events::with_capacity(16),
            samples: samples.map(|_| Vec::with_capacity(SAMPLE_BYTES)).collect(),
            elsewhere: Elsewhere::new(plan, hosts(plan), around.names.clone(), lanes.len()),
            unix_ns: around.unix_ns,
            more: VecDeque::with_capacity(lanes.len().min(MORE_ROOM)),
            ended: Vec::with_capacity(plan.in_flight as usize),
            connections,
            ways: plan.targets.iter().map(|target| Ways::new(target, &plan.asking.bind)).collect(),
            lanes,
            numbers,
            places,
            jars: (0..if plan.asking.cookies { jars } else { 0 }).map(|_| Jar::default()).collect(),
            memories: (0..places.seats).map(|_| UserMemory::new(plan)).collect(),
            picks: Random::new(plan.seed, PICKS),
            scratch: Vec::new(),
            kept,
            in_flight: 0,
            why_closed: None,
        }
    }

    /// Sets the first instant of the load.
    pub fn begin_at(&mut self, start_ns: u64) {
        self.feeding.begin_at(start_ns, self.unix_ns);
        self.opener.begin_at(start_ns);
        self.record.begin_at(start_ns);
    }

    /// Number of lanes with which the load begins.
    pub fn first_lanes(&self) -> usize {
        self.opener.first() * self.plan.in_flight as usize
    }

    /// True if a peer could still send something.
    pub fn has_open(&self) -> bool {
        self.connections.iter().any(|connection| matches!(connection.phase, Phase::Open | Phase::Parting))
    }

    /// Number of exchanges that have begun and not ended.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Begins an exchange on a free lane.
    #[inline]
    pub fn begin<N: Net>(
        &mut self,
        net: &mut N,
        number: LaneId,
        entry: usize,
        intended_ns: u64,
        now: u64,
    ) -> Option<Freed> {
        self.begin_of(net, (number, entry), intended_ns, intended_ns, now)
    }

    /// The same for an exchange that belongs to the window if `cohort_ns` does.
    #[inline]
    pub fn begin_of<N: Net>(
        &mut self,
        net: &mut N,
        (number, entry): (LaneId, usize),
        cohort_ns: u64,
        intended_ns: u64,
        now: u64,
    ) -> Option<Freed> {
        let lane = &mut self.lanes[number as usize];
        debug_assert!(lane.phase == LanePhase::Free, "lane {number} is not free: {:?}", lane.phase);
        lane.entry = entry as u32;
        lane.begun += 1;
        if lane.begun == 1 {
            self.record.begun(intended_ns, now);
        }
        lane.times = ExchangeTimes { intended_ns, ..ExchangeTimes::default() };
        lane.cohort_ns = cohort_ns;
        let connection = &mut self.connections[self.numbers.conn(number) as usize];
        if let Some(http) = &mut connection.http {
            http.begin();
        }
        self.in_flight += 1;
        if connection.phase == Phase::Open {
            return self.ask(net, number, intended_ns, now);
        }
        self.wait(net, number, now)
    }

    /// Ends the present exchange of a lane.
    #[inline(never)]
    fn end(&mut self, number: LaneId, outcome: Outcome, now: u64) {
        self.write_down(number, outcome, now);
    }

    /// The same, as part of the caller.
    #[inline(always)]
    fn write_down(&mut self, number: LaneId, outcome: Outcome, now: u64) {
        if outcome != Outcome::Answered {
            self.note_rows(number, outcome);
        }
        self.connections[self.numbers.conn(number) as usize].carried += 1;
        let lane = &mut self.lanes[number as usize];
        lane.phase = LanePhase::Resting;
        lane.times.end_ns = now;
        lane.outcome = outcome;
        self.in_flight -= 1;
        let idle_since_ns = self.record.exchange(lane, outcome);
        if lane.idle_since_ns.is_none() {
            lane.idle_since_ns = idle_since_ns;
        }
        self.deadlines.clear(number);
        if let Some(mut sample) = lane.sample.take() {
            sample.clear();
            self.samples.push(sample);
        }
    }

    /// Keeps the values of the request whose bad answer is kept: the answer may repeat it.
    #[cold]
    fn note_rows(&mut self, number: LaneId, outcome: Outcome) {
        let lane = &self.lanes[number as usize];
        let request = self.connections[self.numbers.conn(number) as usize].request(self.plan, lane);
        let bad = self.record.bad(lane.entry as usize, outcome);
        if let Some(bad) = bad.as_mut().filter(|bad| bad.rows.is_none()) {
            bad.rows = Some(self.feeding.rows(request, &lane.numbers));
            let seat = self.places.seat(self.elsewhere.home(number)) as usize;
            bad.captured = self.memories.get(seat).map_or(Vec::new(), |memory| memory.named(self.plan));
        }
    }

    /// Lets a lane carry the next exchange. It is the one in which the exchange began.
    #[inline]
    fn free(&mut self, number: LaneId, now_ns: u64, at_once: bool) -> Freed {
        self.lanes[number as usize].phase = LanePhase::Free;
        let home = self.elsewhere.home(number);
        if home != number {
            self.come_home(number, home);
        }
        Freed { lane: home, now_ns, at_once }
    }

    /// Notes that a lane is of no use to an exchange from now on.
    #[inline]
    pub fn note_idle(&mut self, number: LaneId, now: u64) {
        self.lanes[number as usize].idle_since_ns.get_or_insert(now);
    }

    /// True if the connection of a lane is open.
    fn is_open(&self, number: LaneId) -> bool {
        self.connections[self.numbers.conn(number) as usize].phase == Phase::Open
    }

    /// True if the connection of a lane is still being opened.
    pub fn is_opening(&self, number: LaneId) -> bool {
        self.connections[self.numbers.conn(number) as usize].phase == Phase::Opening
    }

    /// Gives up what is in flight, and closes all connections.
    pub fn give_up<N: Net>(&mut self, net: &mut N, now: u64) {
        self.record.advance_to(now);
        for number in 0..self.lanes.len() as LaneId {
            let lane = &self.lanes[number as usize];
            if lane.in_flight() {
                let sent = lane.times.sent_ns.is_some();
                self.end(number, if sent { Outcome::Unanswered } else { Outcome::Unsent }, now);
            }
        }
        for (conn, connection) in (0..).zip(&self.connections) {
            if matches!(connection.phase, Phase::Open | Phase::Parting) {
                self.ways[connection.target as usize].ended(&connection.attempt, connection.carried);
            }
            if !matches!(connection.phase, Phase::Cold | Phase::BackingOff) {
                net.close(conn);
            }
        }
    }
}

/// True if the session of an entry keeps its body back, and goes on by itself after a while (`Expect: 100-continue`).
fn holds_body(plan: &LoadPlan, entry: &MixEntry) -> bool {
    let protocol = plan.targets[entry.target].protocol;
    entry.request.by_session && matches!(protocol, Protocol::Http1 | Protocol::Hessian | Protocol::JsonRpc)
}

/// Deals connections to targets, which take turns, so that each begins with the load. Those that may be added later
/// are behind those that there are from the beginning.
fn deal_connections(plan: &LoadPlan, share: Share, dealt: &Dealt, kept: &KeptHead) -> Vec<Connection> {
    let mut connections = Vec::with_capacity(dealt.most.iter().sum::<u64>() as usize);
    let longest = longest_target(plan);
    if let [first, others @ ..] = &user_targets(plan)[..] {
        connections.extend((0..dealt.users).map(|_| Connection::new(plan, *first, longest, kept)));
        for _ in 0..dealt.users {
            connections.extend(others.iter().map(|target| Connection::new(plan, *target, longest, kept)));
        }
        return numbered(connections, share, dealt.most.len());
    }
    let mut deal = |dealt: &[u64]| {
        let most = dealt.iter().copied().max().unwrap_or(0);
        for round in 0..most {
            for target in (0..dealt.len()).filter(|target| round < dealt[*target]) {
                connections.push(Connection::new(plan, target, longest, kept));
            }
        }
    };
    deal(&dealt.first);
    let more = dealt.most.iter().zip(&dealt.first).map(|(most, first)| most - first);
    deal(&more.collect::<Vec<_>>());
    numbered(connections, share, dealt.most.len())
}

/// The connections, numbered among all of the load to the same target.
fn numbered(mut connections: Vec<Connection>, share: Share, targets: usize) -> Vec<Connection> {
    let mut numbers = vec![0; targets];
    for connection in &mut connections {
        let number = &mut numbers[connection.target as usize];
        connection.attempt.number = share.number_of(*number);
        *number += 1;
    }
    connections
}

/// An outbox that has held the longest request: its first use would allocate in the window otherwise.
fn used_outbox(plan: &LoadPlan) -> Outbox {
    let mut outbox = Outbox::new(OUTBOX_BYTES);
    let longest = plan.mix.iter().map(|entry| entry.closing_request.bytes.len()).max().unwrap_or(0);
    outbox.push_exchange(ExchangeId(0), &vec![0; longest + plan.asking.feed.room()]);
    outbox.clear();
    outbox
}
