//! Exchanges that are redirected to another origin: carried there by a companion of their lane.

use super::{Exchanges, Freed};
use crate::connection::{Connection, Phase};
use crate::driver::{Conn, Net, TapEvent};
use crate::lane::{Lane, LaneId, LanePhase};
use crate::ways::Ways;
use proofload_measure::Outcome;

impl Exchanges<'_> {
    /// The connection over which the next request of this one's exchange goes; one to another origin may be new. Only
    /// connections with one lane follow.
    pub(super) fn place(&mut self, conn: Conn) -> Conn {
        let Some(http) = &self.connections[conn as usize].http else { return conn };
        let (away, home) = (http.away(), self.elsewhere.home(conn));
        let Some(other) = away else { return home };
        let (companion, is_new) = self.elsewhere.companion(home, other);
        if is_new {
            let target = self.plan.targets.len() + other;
            let mut connection = Connection::new(self.plan, target, 0, &self.kept);
            // As connections to targets are, those of all workers are spread over its addresses.
            connection.attempt.number = self.share.number_of(home);
            self.connections.push(connection);
            self.lanes.push(Lane { idle_since_ns: None, ..Lane::new(target, 0) });
            self.deadlines.grow();
            if self.ways.len() <= target {
                self.ways.resize_with(target + 1, Ways::default);
            }
        }
        companion
    }

    /// Lets another connection of the same user go on with an exchange.
    #[cold]
    pub(super) fn move_on<N: Net>(&mut self, net: &mut N, conn: Conn, to: Conn, now: u64) -> Option<Freed> {
        if let Some(tap) = net.tap() {
            tap.note(now, conn, TapEvent::Moves(to));
        }
        self.deadlines.clear(conn);
        self.hand_over(conn, to);
        let is_companion = self.elsewhere.home(conn) != conn;
        self.lanes[conn as usize].phase = if is_companion { LanePhase::Free } else { LanePhase::Away };
        self.lanes[to as usize].phase = LanePhase::Waiting;
        if self.connections[to as usize].phase == Phase::Open {
            let ready_ns = self.lanes[to as usize].ready_ns;
            return self.ask(net, to, ready_ns, now);
        }
        self.wait_on(net, to, now)
    }

    fn hand_over(&mut self, from: LaneId, to: LaneId) {
        self.connections[to as usize].http = self.connections[from as usize].http.take();
        if let Ok([from, to]) = self.lanes.get_disjoint_mut([from as usize, to as usize]) {
            from.hand_over(to);
        }
    }

    /// An exchange has ended at another origin: its own lane is free.
    #[cold]
    pub(super) fn come_home(&mut self, companion: LaneId, home: LaneId) {
        self.hand_over(companion, home);
        let idle_since_ns = self.lanes[companion as usize].idle_since_ns.take();
        let lane = &mut self.lanes[home as usize];
        lane.idle_since_ns = lane.idle_since_ns.or(idle_since_ns);
        lane.phase = LanePhase::Free;
    }

    /// Connects to another origin, once its addresses are known.
    #[cold]
    pub(super) fn dial_away<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let at = self.connections[conn as usize].target;
        if self.ways[at as usize].is_empty() {
            match self.elsewhere.way(at, now) {
                Ok(Some(target)) => self.ways[at as usize] = Ways::new(target, &self.plan.asking.bind),
                Ok(None) => {
                    self.elsewhere.waiting.push(conn);
                    self.set_connect_deadline(conn);
                    return None;
                }
                Err((outcome, why)) => return self.not_opened(conn, outcome, || why.clone(), now),
            }
        }
        if self.ways[at as usize].is_empty() {
            let url = self.elsewhere.url(at);
            let what = || format!("{url} cannot be reached from an address of the other family");
            return self.not_opened(conn, Outcome::ConnectFailed, what, now);
        }
        // Until now it waited for the name.
        self.connections[conn as usize].dialed_ns = now;
        self.dial_next(net, conn, None, now)
    }

    /// Dials an origin if its name is known by now.
    pub fn look_up<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let waits = self.connections[conn as usize].phase == Phase::Opening
            && self.lanes[conn as usize].phase == LanePhase::Waiting;
        if waits { self.dial_away(net, conn, now) } else { None }
    }
}
