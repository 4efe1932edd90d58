//! One thread's share of the load: begin due exchanges, wait, handle events, record them.
//!
//! A worker owns everything it touches while measuring; it shares the stop switch and, ten times a second, the live
//! counters. All memory is had before the window begins. [`Pace`] decides what begins when, [`Exchanges`] carries it
//! out, and what became of it is in the [`WorkerRecord`].

mod due;
mod exchanges;
mod journeys;
mod live;
mod open_queue;
mod opener;
mod pace;
mod shaped;
mod think;
mod users;

use crate::check::Dealt;
use crate::driver::{Conn, DialFault, Driver, Handler, Net, Sent, Wake};
use crate::elsewhere::Around;
use crate::load::Share;
use crate::record::{HandedOver, WorkerRecord, WorkerResult};
use crate::seconds::Giving;
use crate::{AddressUse, Answers, Extent, LoadPlan, Watch};
use due::Next;
use exchanges::{Exchanges, Freed, PARTING_NS};
use live::LiveCounters;
use pace::Pace;
use proofload_measure::Window;
use proofload_wire::Close;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use users::Users;

pub(crate) use opener::opening_gap_ns;

/// Longest wait while exchanges begin.
const WAIT_NS_MAX: u64 = 1_000_000;

/// Shortest time that is listened when all exchanges have ended.
const LISTEN_NS_MIN: u64 = 20_000_000;

pub(crate) struct Worker<'a> {
    plan: &'a LoadPlan,
    exchanges: Exchanges<'a>,
    pace: Pace,
    /// Users, where there are journeys: the pace decides when they arrive.
    users: Option<Users<'a>>,
    live: LiveCounters<'a>,
    /// The earliest instant at which a worker of this load saw the stop switch; `u64::MAX` before that.
    stopped_at: &'a AtomicU64,
    stopped: bool,
    /// Instant at which exchanges in flight are given up; known once nothing more begins.
    drain_end_ns: Option<u64>,
    /// End of listening for unsolicited answers; known once all exchanges have ended.
    listen_end_ns: Option<u64>,
}

impl<'a> Worker<'a> {
    /// A worker that hands over what it saw of each second. All that takes time or memory is done here: the first
    /// instant is fixed when every worker is ready, and comes soon after.
    pub fn new(
        plan: &'a LoadPlan,
        around: &Around,
        watch: &'a Watch,
        stopped_at: &'a AtomicU64,
        share: Share,
        dealt: &Dealt,
        giving: Giving,
    ) -> Self {
        let window = Window { start_ns: plan.discard_ns, end_ns: plan.discard_ns + plan.extent.longest_ns() };
        let record = WorkerRecord::new(window, giving, &plan.asking, plan.counts_cohorts());
        let exchanges = Exchanges::new(plan, around, share, dealt, record);
        let users = Users::new(plan, share, exchanges.places);
        let carriers = users.as_ref().map_or(&exchanges.lanes[..], |users| &users.seats);
        let pace = Pace::new(plan, share, &window, carriers, exchanges.first_lanes());
        Worker {
            plan,
            exchanges,
            pace,
            users,
            live: LiveCounters::new(watch),
            stopped_at,
            stopped: false,
            drain_end_ns: None,
            listen_end_ns: None,
        }
    }

    /// Sets the first instant of the load; everything until then was made for one that begins at 0.
    fn begin_at(&mut self, start_ns: u64) {
        self.exchanges.begin_at(start_ns);
        let end_ns = self.exchanges.record.window.end_ns + self.plan.tail_ns();
        self.pace.begin_at(start_ns, end_ns);
        self.users.iter_mut().for_each(|users| users.begin_at(start_ns));
        if !self.exchanges.opener.opens_ahead() {
            let carriers = self.users.as_ref().map_or(&self.exchanges.lanes[..], |users| &users.seats);
            self.pace.lend_all(carriers);
        }
    }

    /// Carries the share out, start to end.
    ///
    /// # Errors
    /// If the driver cannot wait any more.
    pub fn execute<D: Driver>(mut self, driver: &mut D, start_ns: u64) -> io::Result<HandedOver> {
        self.begin_at(start_ns);
        let mut now = driver.net().now_ns();
        loop {
            self.advance(driver.net(), now);
            let over = self.issuing_is_over(now) && self.note_end(driver.net(), now);
            if over {
                return Ok(self.finish(driver));
            }
            let wake = self.next_wake(now);
            self.pace.wake_ns = wake.at_ns;
            let polled = driver.poll(wake, &mut self)?;
            let then = now;
            now = driver.net().now_ns();
            let asked_ns = wake.at_ns.saturating_sub(then);
            self.exchanges.record.note_poll(polled.waited_ns, asked_ns, now - then, now);
            if self.exchanges.record.delay_is_due(now) {
                let delayed = driver.net().delayed();
                self.exchanges.record.note_delayed(delayed, now);
            }
        }
    }

    /// Takes the steps that have become due by time alone.
    fn advance<N: Net>(&mut self, net: &mut N, now: u64) {
        self.exchanges.record.advance_to(now);
        if self.exchanges.record.window_is_new(now) {
            self.exchanges.record.note_cpu(net.cpu_ns(), false);
        }
        if self.exchanges.record.window_is_over(now) {
            self.exchanges.record.note_cpu(net.cpu_ns(), true);
        }
        if now >= self.live.due_ns() {
            self.live.update(&self.exchanges.record, now);
        }
        if !self.stopped && self.live.is_stopped() {
            self.stop(now);
        }
        if now >= self.exchanges.deadlines.next_ns() {
            self.expire(net, now);
        }
        if self.issuing_is_over(now) {
            self.exchanges.opener.give_up();
        } else if let Some(conn) = self.exchanges.opener.take_due(now) {
            self.open(net, conn, now);
        }
        self.go_on_sending(net);
        if self.exchanges.elsewhere.has_news() {
            self.look_up(net, now);
        }
        self.begin_due(net, now);
        if self.users.is_some() {
            self.go_on_due(net, now);
        }
        if self.exchanges.opener.may_grow(now)
            && let Some(conn) = self.pace.grow()
        {
            self.exchanges.opener.grew(now);
            self.open(net, conn, now);
        }
    }

    /// Opens a connection that no exchange waits for.
    fn open<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        let freed = self.exchanges.open(net, conn, now);
        self.release(net, freed);
    }

    /// Sends more of bodies whose sockets may take it.
    #[inline]
    fn go_on_sending<N: Net>(&mut self, net: &mut N) {
        for _ in 0..self.exchanges.unfinished.len() {
            let Some(conn) = self.exchanges.unfinished.pop_front() else { return };
            let freed = self.exchanges.writable(net, conn);
            self.release(net, freed);
        }
    }

    /// Dials origins whose names are known by now.
    #[cold]
    fn look_up<N: Net>(&mut self, net: &mut N, now: u64) {
        for conn in std::mem::take(&mut self.exchanges.elsewhere.waiting) {
            let freed = self.exchanges.look_up(net, conn, now);
            self.release(net, freed);
        }
    }

    /// Ends exchanges that took too long.
    fn expire<N: Net>(&mut self, net: &mut N, now: u64) {
        let expired = self.exchanges.deadlines.expired(now);
        for deadline in &expired {
            // What was done about another one may have ended this exchange, and begun the next.
            if !self.exchanges.deadlines.take(*deadline, now) {
                continue;
            }
            let freed = self.exchanges.expire(net, *deadline, now);
            self.release(net, freed);
        }
        self.exchanges.deadlines.recycle(expired);
    }

    fn begin_due<N: Net>(&mut self, net: &mut N, now: u64) {
        for queue in 0..self.pace.queues() {
            self.serve(net, queue, now);
        }
    }

    /// Begins the due exchanges of one queue, as long as connections are free.
    #[inline]
    fn serve<N: Net>(&mut self, net: &mut N, queue: usize, mut now: u64) {
        // At most one exchange for each lane, so that failing attempts cannot keep the loop here.
        for _ in 0..self.exchanges.lanes.len() {
            let Exchanges { lanes, record, .. } = &mut self.exchanges;
            let carriers = self.users.as_ref().map_or(&lanes[..], |users| &users.seats);
            let Some(due) = self.pace.take_due(queue, now, carriers, record) else { return };
            if let Some(sendable_ns) = due.sendable_ns
                && record.covers(due.intended_ns)
                && !self.exchanges.is_opening(due.lane)
            {
                self.exchanges.record.own_delay.record(now - sendable_ns);
            }
            if self.users.is_some() {
                self.arrive(net, due.lane, due.entry, due.intended_ns, now);
            } else {
                let freed = self.exchanges.begin(net, due.lane, due.entry, due.intended_ns, now);
                self.release(net, freed);
            }
            now = net.now_ns();
            self.exchanges.record.advance_to(now);
        }
    }

    /// Lets the lanes that have become free carry the next exchanges, if any are due.
    #[inline]
    fn release<N: Net>(&mut self, net: &mut N, freed: Option<Freed>) {
        let Some(freed) = freed else { return };
        self.release_one(net, freed);
        while let Some(freed) = self.exchanges.more.pop_front() {
            self.release_one(net, freed);
        }
    }

    #[inline(always)]
    fn release_one<N: Net>(&mut self, net: &mut N, freed: Freed) {
        let Freed { lane: number, now_ns: now, at_once } = freed;
        let at_once = at_once && self.plan.settings.answers == Answers::OneByOne;
        if self.users.is_some() {
            return self.step_ended(net, number, now, at_once);
        }
        let Exchanges { lanes, record, .. } = &mut self.exchanges;
        let lane = &mut lanes[number as usize];
        lane.freed_ns = now;
        match self.pace.next_of(number, lane, now, at_once, record) {
            Next::Begin(entry) => {
                let freed = self.exchanges.begin(net, number, entry, now, now);
                // Freed by the attempt itself, so it does not begin another at once.
                if freed.is_some() {
                    self.release_again(net, freed);
                }
            }
            Next::Serve(queue) if at_once => self.serve(net, queue, now),
            Next::Serve(_) => {}
            Next::Wait => self.exchanges.note_idle(number, now),
            Next::Part => {
                self.exchanges.part(net, number, now);
                self.exchanges.note_idle(number, now);
            }
        }
    }

    #[cold]
    fn release_again<N: Net>(&mut self, net: &mut N, freed: Option<Freed>) {
        self.release(net, freed);
    }

    /// True if nothing more will begin.
    fn issuing_is_over(&self, now: u64) -> bool {
        now >= self.pace.end_ns || self.pace.is_used_up()
    }

    /// Notes that nothing more begins; returns true once everything has ended.
    fn note_end<N: Net>(&mut self, net: &mut N, now: u64) -> bool {
        let end = match self.drain_end_ns {
            Some(end) => end,
            None => {
                self.exchanges.record.note_cpu(net.cpu_ns(), true);
                // A server that takes its time is waited for as long as it took before.
                let end = now + self.plan.drain_ns.max(self.exchanges.record.slowest_ns);
                self.drain_end_ns = Some(end);
                end
            }
        };
        let is_left = now >= end || self.live.is_abandoned();
        let is_busy = self.users.as_ref().is_some_and(Users::is_busy);
        let has_ended = self.exchanges.in_flight() == 0 && !is_busy && !self.pace.has_due();
        is_left || (has_ended && !self.listens(now))
    }

    /// True if an unsolicited answer may still come. In a closed loop, where a connection is asked again at once, a
    /// second answer is taken for that to the next request; only after the last one it shows.
    fn listens(&mut self, now: u64) -> bool {
        // A server that answers each request twice takes as long for the second answer as one seems to have taken.
        let longest_ns = (2 * self.exchanges.record.slowest_ns).clamp(LISTEN_NS_MIN, PARTING_NS);
        let end = *self.listen_end_ns.get_or_insert(now + longest_ns);
        now < end && self.exchanges.has_open()
    }

    fn next_wake(&self, now: u64) -> Wake {
        let Exchanges { deadlines, opener, record, .. } = &self.exchanges;
        if !self.exchanges.unfinished.is_empty() {
            return Wake { at_ns: now, exact: false };
        }
        let mut at_ns = self.live.due_ns().min(deadlines.next_ns());
        if !self.exchanges.elsewhere.waiting.is_empty() {
            at_ns = at_ns.min(now + WAIT_NS_MAX);
        }
        // Coalesced sends leave whenever the worker wakes, so it sleeps as long as it is allowed to.
        if self.drain_end_ns.is_none() && self.plan.profile.coalesce_ns() == 0 {
            // A worker that sleeps for long does not notice that the machine, or a SIGSTOP, kept it from waking up.
            at_ns = at_ns.min(now + WAIT_NS_MAX);
        }
        at_ns = at_ns.min(self.drain_end_ns.unwrap_or(self.pace.end_ns.max(now + 1)));
        at_ns = at_ns.min(self.listen_end_ns.unwrap_or(u64::MAX));
        if now < record.window.start_ns {
            at_ns = at_ns.min(record.window.start_ns);
        }
        if let Some(opening_ns) = opener.next_ns() {
            at_ns = at_ns.min(opening_ns);
        }
        let wake = match self.pace.next_ns(opener.next_growth_ns()) {
            Some(Wake { at_ns: due_ns, exact }) if due_ns <= at_ns => Wake { at_ns: due_ns, exact },
            _ => Wake { at_ns, exact: false },
        };
        match self.users.as_ref().and_then(Users::next_ns) {
            Some(due_ns) if due_ns <= wake.at_ns => Wake { at_ns: due_ns, exact: true },
            _ => wake,
        }
    }

    /// Begins nothing more. All workers of a load stop at the instant at which the first of them saw the switch.
    fn stop(&mut self, now: u64) {
        self.stopped = true;
        let first = self.stopped_at.fetch_min(now, Ordering::Relaxed).min(now);
        if first < self.pace.end_ns {
            self.pace.end_ns = first;
            self.exchanges.record.cut(first);
        }
    }

    /// Counts the remaining exchanges and hands the record over.
    fn finish<D: Driver>(mut self, driver: &mut D) -> HandedOver {
        let now = driver.net().now_ns();
        self.exchanges.give_up(driver.net(), now);
        self.give_up_users(now);
        let Exchanges { connections, ways, lanes, mut record, opener, elsewhere, .. } = self.exchanges;
        self.pace.give_up(now, &mut record);
        let counted = matches!(self.plan.extent, Extent::Requests { .. });
        let reached = counted && self.pace.reached_count();
        let end = record.end_ns();
        // The users of a count have arrived when the last of them has, however long their journeys are.
        let last_ns = if self.plan.counts_cohorts() { self.pace.end_ns } else { record.last_end_ns };
        let end = if counted && reached { last_ns.min(end) } else { end };
        if self.plan.profile.is_closed() {
            lanes.iter().filter_map(|lane| lane.idle_since_ns).for_each(|since_ns| {
                record.idle(since_ns, end);
            });
        }
        self.live.update(&record, now);
        let stopped_early = !reached && (counted || record.end_ns() < record.window.end_ns);
        let own = connections.len() - elsewhere.companions();
        let opened = own as u64 - self.pace.in_reserve();
        let HandedOver { sums, worker } = record.finish(end, opened, driver.name());
        let mut addresses = Vec::new();
        // What other origins were dialed for is told by their own counts.
        let ways = ways.into_iter().take(self.plan.targets.len());
        ways.for_each(|ways| AddressUse::add_all(&mut addresses, ways.finish()));
        let (first_connections, elsewhere) = (opener.first() as u64, elsewhere.counts());
        let worker = WorkerResult { stopped_early, first_connections, addresses, elsewhere, ..worker };
        HandedOver { sums, worker }
    }
}

impl<N: Net> Handler<N> for Worker<'_> {
    fn dialed(&mut self, net: &mut N, conn: Conn, result: Result<(), DialFault>) {
        let freed = self.exchanges.dialed(net, conn, result);
        self.release(net, freed);
    }

    #[inline]
    fn received(&mut self, net: &mut N, conn: Conn, bytes: &[u8]) {
        let freed = self.exchanges.received(net, conn, bytes);
        self.release(net, freed);
    }

    #[inline]
    fn sent(&mut self, net: &mut N, conn: Conn, sent: Sent) {
        let freed = self.exchanges.sent(net, conn, sent);
        self.release(net, freed);
    }

    fn writable(&mut self, net: &mut N, conn: Conn) {
        let freed = self.exchanges.writable(net, conn);
        self.release(net, freed);
    }

    fn closed(&mut self, net: &mut N, conn: Conn, how: Close) {
        let freed = self.exchanges.closed(net, conn, how);
        self.release(net, freed);
    }
}
