//! Opening of connections that no exchange waits for: ahead of the load, and in its course where an open loop has too
//! few.

use crate::driver::Conn;
use crate::load::Random;
use crate::{ConnectionOrder, KeepAlive, LoadPlan};

/// Connections opened ahead of the load keep this distance, 16,000 a second: listen queues are short.
pub(super) const OPENING_GAP_NS: u64 = 62_500;
/// Backoff after a connection could not be established; none is added meanwhile.
pub(super) const BACKOFF_NS: u64 = 100_000_000;
/// Name of the random stream of orders.
const CONNECTIONS: u64 = 0x636f_6e6e;
/// Connections that may be under way at once.
const OPENING_MAX: usize = 128;

/// The distance at which connections are opened ahead of the load: listen queues are short, and a TLS handshake costs
/// either side the better part of a millisecond.
pub(crate) fn opening_gap_ns(plan: &LoadPlan) -> u64 {
    let secured = plan.targets.iter().any(|target| target.transport.tls.is_some());
    if secured { 1_000_000 } else { OPENING_GAP_NS }
}

/// Decides which connection to open, and when.
#[derive(Debug)]
pub(super) struct Opener {
    /// The connections that the load begins with, in their order; those behind them are opened where these are too few.
    order: Vec<Conn>,
    opens_ahead: bool,
    /// The place of the next connection to be opened ahead; beyond the last when there is none.
    next: usize,
    /// Number being opened.
    under_way: usize,
    gap_ns: u64,
    start_ns: u64,
    /// Not before then is a connection added.
    grow_ns: u64,
}

/// `many` connections, or lanes of them, in the order in which they are opened and send their first requests.
pub(super) fn in_order(plan: &LoadPlan, many: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..many as u32).collect();
    if plan.settings.connections == ConnectionOrder::Shuffled {
        let draws = Random::new(plan.seed, CONNECTIONS);
        order.sort_by_key(|number| draws.at(u64::from(*number)));
    }
    order
}

impl Opener {
    /// For a load that begins at 0, until [`Opener::begin_at`].
    pub fn new(plan: &LoadPlan, first: usize) -> Self {
        let opens_ahead = plan.keep_alive != KeepAlive::Off && plan.opens_ahead();
        Opener {
            order: in_order(plan, first),
            opens_ahead,
            next: if opens_ahead { 0 } else { first },
            under_way: 0,
            gap_ns: opening_gap_ns(plan),
            start_ns: 0,
            grow_ns: 0,
        }
    }

    /// Sets the first instant of the load.
    pub fn begin_at(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
    }

    /// Number of connections with which the load begins.
    pub fn first(&self) -> usize {
        self.order.len()
    }

    /// True if they are opened ahead of the load.
    pub fn opens_ahead(&self) -> bool {
        self.opens_ahead
    }

    fn has_room(&self) -> bool {
        self.under_way < OPENING_MAX
    }

    /// Instant at which the next connection is to be opened ahead: the start was set so that the last of them, each at
    /// its distance from the others, comes just before it.
    pub fn next_ns(&self) -> Option<u64> {
        let left = (self.order.len() - self.next) as u64;
        (left > 0 && self.has_room()).then(|| self.start_ns.saturating_sub(left * self.gap_ns))
    }

    /// The connection that is to be opened ahead now.
    pub fn take_due(&mut self, now: u64) -> Option<Conn> {
        self.next_ns().filter(|due_ns| *due_ns <= now)?;
        self.next += 1;
        self.order.get(self.next - 1).copied()
    }

    pub fn give_up(&mut self) {
        self.next = self.order.len();
    }

    /// A connection is being opened.
    pub fn begun(&mut self) {
        self.under_way += 1;
    }

    /// It is open, or will not be, or an exchange waits for it.
    pub fn ended(&mut self) {
        self.under_way -= 1;
    }

    /// Earliest instant at which a connection may be added; `None` while too many are under way.
    pub fn next_growth_ns(&self) -> Option<u64> {
        self.has_room().then_some(self.grow_ns)
    }

    /// True if a connection may be added now.
    pub fn may_grow(&self, now: u64) -> bool {
        now >= self.grow_ns && self.has_room()
    }

    pub fn grew(&mut self, now: u64) {
        self.grow_ns = now + OPENING_GAP_NS;
    }

    /// Adds none for a while, after one that could not be opened.
    pub fn rest(&mut self, now: u64) {
        self.grow_ns = now + BACKOFF_NS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opener(first: usize) -> Opener {
        let mut opener = Opener::new(&crate::health::tests::plan(), first);
        opener.begin_at(1_000_000);
        opener
    }

    #[test]
    fn connections_are_opened_one_after_the_other_and_the_last_just_before_the_load() {
        let mut opener = opener(3);
        let mut opened = Vec::new();
        for now in (0..1_000_000).step_by(500) {
            opened.extend(opener.take_due(now).map(|conn| (now, conn)));
        }
        let at = |before: u64, conn| (1_000_000 - before * OPENING_GAP_NS, conn);
        assert_eq!(opened, [at(3, 0), at(2, 1), at(1, 2)]);
        assert_eq!(opener.next_ns(), None);
    }

    #[test]
    fn only_so_many_are_under_way_at_once() {
        let mut opener = opener(OPENING_MAX + 1);
        for _ in 0..OPENING_MAX {
            assert!(opener.take_due(1_000_000).is_some());
            opener.begun();
        }
        assert_eq!((opener.take_due(1_000_000), opener.next_growth_ns()), (None, None));
        opener.ended();
        assert_eq!(opener.take_due(1_000_000), Some(OPENING_MAX as Conn));
    }

    #[test]
    fn after_a_failure_none_is_added_for_a_while() {
        let mut opener = opener(1);
        assert!(opener.may_grow(5));
        opener.grew(5);
        assert_eq!(opener.next_growth_ns(), Some(5 + OPENING_GAP_NS));
        opener.rest(5);
        assert!(!opener.may_grow(4 + BACKOFF_NS) && opener.may_grow(5 + BACKOFF_NS));
    }

    #[test]
    fn a_shuffled_order_has_every_connection_once_and_comes_of_the_seed() {
        let plan = |seed, connections| {
            let settings = crate::GeneratorSettings { connections, ..crate::GeneratorSettings::default() };
            LoadPlan { seed, settings, ..crate::health::tests::plan() }
        };
        let numbered: Vec<Conn> = (0..20).collect();
        assert_eq!(in_order(&plan(1, ConnectionOrder::Numbered), 20), numbered);
        let shuffled = in_order(&plan(1, ConnectionOrder::Shuffled), 20);
        assert_ne!(shuffled, numbered);
        assert_eq!(shuffled, in_order(&plan(1, ConnectionOrder::Shuffled), 20));
        assert_ne!(shuffled, in_order(&plan(2, ConnectionOrder::Shuffled), 20));
        let mut sorted = shuffled;
        sorted.sort_unstable();
        assert_eq!(sorted, numbered);
    }
}
