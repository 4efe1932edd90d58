//! One thread's share of the load: look at the timetable, wait, handle what happened, write it down.
//!
//! A worker owns everything it touches while measuring; it shares the stop switch and, ten times a
//! second, the live counters. All memory is had before the window begins.

mod exchange;
mod lanes;
mod pace;
mod shaped;
mod think;

use crate::books::{Books, WorkerResult};
use crate::deadlines::Deadlines;
use crate::driver::{Conn, DialFault, Driver, Handler, Net, Sent, Wake};
use crate::expect::Check;
use crate::feed::Feeding;
use crate::load::{Mix, part};
use crate::seconds::Giving;
use crate::slot::{Phase, Slot};
use crate::{Extent, KeepAlive, LoadPlan, Watch};
use pace::Pace;
use proofload_measure::{Outcome, Window};
use proofload_wire::{Close, Events, Outbox};
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};

/// How long a closing connection waits for the peer to close first, so that TIME_WAIT stays over there.
pub(crate) const PARTING_NS: u64 = 100_000_000;
/// How long a place rests after its connection could not be established.
pub(crate) const BACKOFF_NS: u64 = 100_000_000;
/// Connections opened ahead of the load keep this distance, 16,000 a second: listen queues are short.
pub(crate) const OPENING_GAP_NS: u64 = 62_500;
/// Connections that may be under way at once ahead of the load.
const OPENING_MAX: usize = 128;
/// How often the live counters are brought up to date.
const LOOK_NS: u64 = 100_000_000;
/// Requests are never pipelined, so an outbox holds one.
const OUTBOX_BYTES: usize = 64 * 1024;
/// Buffers for the beginnings of answers that come in pieces.
const SAMPLES: usize = 64;

/// Which share of the whole load a worker carries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// Its place among all shares of the load, machines included.
    pub k: u64,
    /// How many shares there are.
    pub n: u64,
}

/// How many connections each target has in one worker: at first, and at most in the end.
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    pub first: Vec<u64>,
    pub most: Vec<u64>,
}

/// One worker.
pub(crate) struct Worker<'a> {
    plan: &'a LoadPlan,
    watch: &'a Watch,
    /// When somebody saw the stop switch first; `u64::MAX` before that.
    stopped_at: &'a AtomicU64,
    start_ns: u64,
    share_k: u64,
    share_n: u64,
    checks: Vec<Check>,
    feeding: Feeding<'a>,
    slots: Vec<Slot>,
    /// Places that there are from the beginning; those behind them are opened for want of a free one.
    first_places: usize,
    deadlines: Deadlines,
    pace: Pace,
    books: Books,
    outbox: Outbox,
    events: Events,
    samples: Vec<Vec<u8>>,
    in_flight: usize,
    /// First place that has not been opened ahead, and how many are under way.
    open_next: usize,
    opening: usize,
    /// Nothing intended at or after this instant is issued.
    issue_end_ns: u64,
    /// When to give up what is still in flight; known once issuing has ended.
    drain_end_ns: Option<u64>,
    stopped: bool,
    look_ns: u64,
    /// By when the worker is to look at its timetable, at the latest.
    looks_ns: u64,
    told: (u64, u64),
    /// What the transport said of the connection that ended last.
    why_closed: Option<String>,
}

impl Connections {
    /// Of one share of what is dealt to the targets.
    pub fn of(plan: &LoadPlan, first: &[u64], most: &[u64], share: &Share) -> Self {
        let mine = |dealt: &[u64]| {
            (0..plan.targets.len()).map(|target| part(dealt[target], share.k, share.n)).collect()
        };
        Connections { first: mine(first), most: mine(most) }
    }
}

impl<'a> Worker<'a> {
    /// A worker that gives what it saw of each second. All that takes time or memory is done here: the first instant
    /// is fixed when every worker is ready, and comes soon after.
    pub fn new(
        plan: &'a LoadPlan,
        watch: &'a Watch,
        stopped_at: &'a AtomicU64,
        share: Share,
        connections: &Connections,
        giving: Giving,
    ) -> Self {
        let window = Window { start_ns: plan.discard_ns, end_ns: plan.discard_ns + plan.extent.longest_ns() };
        let quota = match plan.extent {
            Extent::DurationNs(_) => None,
            Extent::Requests { count, .. } => Some(part(count, share.k, share.n)),
        };
        let (slots, first_places) = deal_slots(plan, connections);
        let mut pace = Pace::new(plan, &share, &window, quota, first_places);
        if let Pace::Open(open) = &mut pace {
            open.reserve(&slots, first_places);
        }
        let shortest =
            plan.timeouts.connect_ns.min(plan.timeouts.response_ns).min(PARTING_NS).min(BACKOFF_NS);
        Worker {
            plan,
            watch,
            stopped_at,
            start_ns: 0,
            share_k: share.k,
            share_n: share.n,
            checks: plan.mix.iter().map(|entry| Check::new(&entry.expect, &entry.request.protocol)).collect(),
            feeding: Feeding::new(plan, share.k, share.n),
            deadlines: Deadlines::new(slots.len(), shortest),
            samples: (0..SAMPLES.min(slots.len()))
                .map(|_| Vec::with_capacity(crate::books::SAMPLE_BYTES))
                .collect(),
            slots,
            first_places,
            pace,
            books: Books::new(window, giving),
            outbox: used_outbox(plan),
            events: Events::with_capacity(16),
            in_flight: 0,
            open_next: 0,
            opening: 0,
            issue_end_ns: u64::MAX,
            drain_end_ns: None,
            stopped: false,
            look_ns: 0,
            looks_ns: 0,
            told: (0, 0),
            why_closed: None,
        }
    }

    /// The load begins at that instant; everything until then was made for one that begins at 0.
    fn begin_at(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
        self.feeding.begin_at(start_ns);
        self.pace.begin_at(start_ns);
        let Window { start_ns: from_ns, end_ns } = self.books.window;
        self.books.stand_at(Window { start_ns: from_ns + start_ns, end_ns: end_ns + start_ns });
        self.issue_end_ns = self.pace.count_full_ns().unwrap_or(self.books.window.end_ns);
        if !self.opens_ahead() {
            self.lend_all();
        }
    }

    /// Carries the share out, start to end.
    ///
    /// # Errors
    /// When the driver cannot wait any more.
    pub fn carry_out<D: Driver>(mut self, driver: &mut D, start_ns: u64) -> io::Result<WorkerResult> {
        self.begin_at(start_ns);
        let mut now = driver.net().now_ns();
        loop {
            self.advance(driver.net(), now);
            let over = self.issuing_is_over(now) && self.note_end(driver.net(), now);
            if over {
                return Ok(self.finish(driver));
            }
            let wake = self.next_wake(now);
            self.looks_ns = wake.at_ns;
            let turned = driver.turn(wake, &mut self)?;
            let then = now;
            now = driver.net().now_ns();
            self.books.note_turn(turned.waited_ns, now - then, now);
        }
    }

    /// Does what time alone has made due.
    fn advance<N: Net>(&mut self, net: &mut N, now: u64) {
        self.books.turn(now);
        if self.books.window_is_new(now) {
            self.books.note_cpu(net.cpu_ns(), false);
        }
        if now >= self.look_ns {
            self.look(now);
        }
        if !self.stopped && self.watch.stop.load(Ordering::Relaxed) {
            self.stop(now);
        }
        if now >= self.deadlines.next_ns() {
            self.expire(net, now);
        }
        if self.open_next < self.first_places {
            self.open_ahead(net, now);
        }
        self.fire(net, now);
        self.grow(net, now);
    }

    /// Whether nothing more will be issued.
    fn issuing_is_over(&self, now: u64) -> bool {
        now >= self.issue_end_ns || self.pace.is_used_up()
    }

    /// Notes that issuing has ended; says whether everything else has ended too.
    fn note_end<N: Net>(&mut self, net: &mut N, now: u64) -> bool {
        let end = match self.drain_end_ns {
            Some(end) => end,
            None => {
                self.books.note_cpu(net.cpu_ns(), true);
                let end = now + self.plan.drain_ns;
                self.drain_end_ns = Some(end);
                end
            }
        };
        now >= end || (self.in_flight == 0 && !self.pace.has_due_before(self.issue_end_ns))
    }

    fn next_wake(&self, now: u64) -> Wake {
        let mut at_ns = self.look_ns.min(self.deadlines.next_ns());
        at_ns = at_ns.min(self.drain_end_ns.unwrap_or(self.issue_end_ns.max(now + 1)));
        if now < self.books.window.start_ns {
            at_ns = at_ns.min(self.books.window.start_ns);
        }
        if self.open_next < self.first_places && self.opens_ahead() && self.opening < OPENING_MAX {
            at_ns = at_ns.min(self.opening_ns());
        }
        match self.pace.next_ns(self.issue_end_ns, self.opening < OPENING_MAX) {
            Some((due_ns, exact)) if due_ns <= at_ns => Wake { at_ns: due_ns, exact },
            _ => Wake { at_ns, exact: false },
        }
    }

    /// Brings the live counters up to date.
    fn look(&mut self, now: u64) {
        self.look_ns = now + LOOK_NS;
        let (answered, failed) = (self.books.answered, self.books.failed);
        self.watch.answered.fetch_add(answered - self.told.0, Ordering::Relaxed);
        self.watch.failed.fetch_add(failed - self.told.1, Ordering::Relaxed);
        self.told = (answered, failed);
    }

    /// Ends issuing early. All workers of a load stop at the instant the first of them saw the switch.
    fn stop(&mut self, now: u64) {
        self.stopped = true;
        let first = self.stopped_at.fetch_min(now, Ordering::Relaxed).min(now);
        if first < self.issue_end_ns {
            self.issue_end_ns = first;
            self.books.cut(first);
        }
    }

    fn opens_ahead(&self) -> bool {
        self.plan.keep_alive != KeepAlive::Off && self.plan.profile.opens_ahead()
    }

    /// When the next connection is to be opened: the start was set so that the last of them, each at its
    /// distance from the others, comes just before it.
    fn opening_ns(&self) -> u64 {
        let left = (self.first_places - self.open_next) as u64;
        self.start_ns.saturating_sub(left * self.plan.opening_gap_ns())
    }

    /// Opens the connections that will be kept, before the load begins and at a measured pace.
    fn open_ahead<N: Net>(&mut self, net: &mut N, now: u64) {
        if !self.opens_ahead() || self.issuing_is_over(now) {
            self.open_next = self.first_places;
            return;
        }
        if self.opening_ns() > now || self.opening >= OPENING_MAX {
            return;
        }
        let conn = self.open_next as Conn;
        self.open_next += 1;
        let slot = &self.slots[conn as usize];
        if slot.phase == Phase::Cold && slot.begun == 0 {
            self.open_one(net, conn, now);
        }
    }

    fn opened_ahead<N: Net>(&mut self, net: &mut N, conn: Conn) {
        let now = net.now_ns();
        self.connected(conn, now);
        self.slots[conn as usize].phase = Phase::Idle;
        self.deadlines.clear(conn);
        if self.pace.lends() {
            self.release(net, conn, now, true);
        }
    }

    /// A connection could not be opened ahead. No exchange has failed yet; the one that comes to this place
    /// will dial again, and be counted.
    fn not_opened<N: Net>(&mut self, net: &mut N, conn: Conn, fault: Option<DialFault>, now: u64) {
        if let Some(fault) = fault {
            self.count_local_want(fault);
        }
        self.rest_growth(now);
        self.deadlines.clear(conn);
        self.slots[conn as usize].disconnect();
        if self.pace.lends() {
            self.release(net, conn, now, true);
        }
    }

    /// Where a place's connections leave from: the addresses are taken in turn over all workers.
    fn local_address(&self, conn: Conn) -> Option<IpAddr> {
        let bind = &self.plan.asking.bind;
        let place = self.share_k.wrapping_add(self.share_n.wrapping_mul(u64::from(conn)));
        (!bind.is_empty()).then(|| bind[(place % bind.len() as u64) as usize])
    }

    /// Ends what took too long.
    fn expire<N: Net>(&mut self, net: &mut N, now: u64) {
        let expired = self.deadlines.expired(now);
        for conn in &expired {
            match self.slots[*conn as usize].phase {
                Phase::Asking => self.time_out(net, *conn, now),
                Phase::Dialing => {
                    net.close(*conn);
                    self.dial_failed(net, *conn, DialFault::TimedOut, now);
                }
                Phase::Opening => {
                    net.close(*conn);
                    self.opening -= 1;
                    self.not_opened(net, *conn, None, now);
                }
                Phase::Parting => {
                    self.hang_up(net, *conn, now);
                    self.release(net, *conn, now, true);
                }
                Phase::BackingOff => {
                    self.slots[*conn as usize].phase = Phase::Cold;
                    self.release(net, *conn, now, true);
                }
                Phase::Cold | Phase::Idle => {}
            }
        }
        self.deadlines.recycle(expired);
    }

    /// Counts what is left and hands the books over.
    fn finish<D: Driver>(mut self, driver: &mut D) -> WorkerResult {
        let now = driver.net().now_ns();
        self.books.turn(now);
        for conn in 0..self.slots.len() as Conn {
            let slot = &self.slots[conn as usize];
            if slot.in_flight() {
                let sent = slot.times.sent_ns.is_some();
                self.settle(conn, if sent { Outcome::Abandoned } else { Outcome::Unsent }, now);
            }
            if !matches!(self.slots[conn as usize].phase, Phase::Cold | Phase::BackingOff) {
                driver.net().close(conn);
            }
        }
        let window = self.books.window;
        let places = self.slots.len() as u64 - self.pace.in_reserve();
        let left = self.pace.count_due(window.start_ns, self.issue_end_ns);
        self.books.recorder.record_unsent(left.within);
        self.books.recorder.snapshot_mut().dropped += left.dropped;
        self.books.recorder.snapshot_mut().discarded.add_many(Outcome::Unsent, left.before);
        self.books.behind += left.behind;
        let counted = matches!(self.plan.extent, Extent::Requests { .. });
        let reached = counted && self.pace.reached_count(self.issue_end_ns);
        let end = self.books.end_ns();
        let end = if counted && reached { self.books.last_end_ns.min(end) } else { end };
        if self.plan.profile.is_closed() {
            for slot in &self.slots {
                if let Some(since) = slot.away_ns {
                    self.books.away(since, end);
                }
            }
        }
        self.look(now);
        let early = !reached && (counted || self.books.end_ns() < window.end_ns);
        let finished = self.books.finish(end, places, driver.name());
        WorkerResult { stopped_early: early, first_connections: self.first_places as u64, ..finished }
    }
}

/// Deals connections to places: targets take turns, so that each begins with the load. Says how many there are from the
/// beginning; those that may be opened later stand behind them.
fn deal_slots(plan: &LoadPlan, connections: &Connections) -> (Vec<Slot>, usize) {
    // A target that no entry asks has no connections.
    let protocol =
        |target| plan.mix.iter().find(|entry| entry.target == target).map(|entry| &entry.request.protocol);
    let protocols: Vec<_> = (0..plan.targets.len()).map(protocol).collect();
    let deal = |slots: &mut Vec<Slot>, dealt: &[u64]| {
        let most = dealt.iter().copied().max().unwrap_or(0);
        for round in 0..most {
            for target in (0..dealt.len()).filter(|target| round < dealt[*target]) {
                slots.extend(protocols[target].map(|protocol| Slot::new(plan, target, protocol)));
            }
        }
    };
    let mut slots = Vec::with_capacity(connections.most.iter().sum::<u64>() as usize);
    deal(&mut slots, &connections.first);
    let first_places = slots.len();
    let more = connections.most.iter().zip(&connections.first).map(|(most, first)| most - first);
    deal(&mut slots, &more.collect::<Vec<_>>());
    (slots, first_places)
}

/// An outbox that has held the longest request: its first use would allocate in the window otherwise.
fn used_outbox(plan: &LoadPlan) -> Outbox {
    let mut outbox = Outbox::new(OUTBOX_BYTES);
    let longest = plan.mix.iter().map(|entry| entry.closing_request.bytes.len()).max().unwrap_or(0);
    outbox.push_exchange(proofload_wire::ExchangeId(0), &vec![0; longest + plan.asking.feed.room()]);
    outbox.clear();
    outbox
}

impl<N: Net> Handler<N> for Worker<'_> {
    fn dialed(&mut self, net: &mut N, conn: Conn, result: Result<(), DialFault>) {
        let ahead = self.slots[conn as usize].phase == Phase::Opening;
        if let Some(handshake) = net.handshake(conn) {
            self.books.shook_hands(net.now_ns(), &handshake);
        }
        match (result, ahead) {
            (Ok(()), false) => {
                let now = net.now_ns();
                self.connected(conn, now);
                self.ask(net, conn, now, now);
            }
            (Ok(()), true) => {
                self.opening -= 1;
                self.opened_ahead(net, conn);
            }
            (Err(fault), false) => {
                let now = net.now_ns();
                self.dial_failed(net, conn, fault, now);
            }
            (Err(fault), true) => {
                self.opening -= 1;
                let now = net.now_ns();
                self.not_opened(net, conn, Some(fault), now);
            }
        }
    }

    #[inline]
    fn received(&mut self, net: &mut N, conn: Conn, bytes: &[u8]) {
        let now = net.now_ns();
        self.books.turn(now);
        self.books.recorder.record_bytes(now, 0, bytes.len() as u64);
        self.feed(net, conn, bytes, now);
    }

    #[inline]
    fn sent(&mut self, net: &mut N, conn: Conn, sent: Sent) {
        self.left(net, conn, sent);
    }

    fn writable(&mut self, net: &mut N, conn: Conn) {
        if self.slots[conn as usize].backlog.is_some() {
            let now = net.now_ns();
            self.books.turn(now);
            self.flush(net, conn, now);
        }
    }

    fn closed(&mut self, net: &mut N, conn: Conn, how: Close) {
        let now = net.now_ns();
        self.books.turn(now);
        self.why_closed = net.explain();
        self.lost(net, conn, how, now, true);
        self.why_closed = None;
    }
}

/// The choice among the entries of one target, for connections that belong to it.
fn mix_of_target(plan: &LoadPlan, target: usize) -> Mix {
    let entries = plan.mix.iter().enumerate().filter(|(_, entry)| entry.target == target);
    Mix::new(entries.map(|(at, entry)| (at, entry.weight)), plan.seed, target as u64)
}
