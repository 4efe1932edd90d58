//! Timers of connections. A connection has at most one timer, so there are never more than connections.

use std::collections::BTreeSet;

/// Instants with the slots of the connections that wait for them.
#[derive(Debug, Default)]
pub(crate) struct Timers(BTreeSet<(u64, u32)>);

impl Timers {
    /// Sets the timer of a connection that has none.
    pub fn set(&mut self, at_ns: u64, slot: u32) {
        self.0.insert((at_ns, slot));
    }

    pub fn cancel(&mut self, at_ns: u64, slot: u32) {
        self.0.remove(&(at_ns, slot));
    }

    pub fn next_ns(&self) -> Option<u64> {
        self.0.first().map(|&(at_ns, _)| at_ns)
    }

    /// Takes the first timer that is due at `now_ns`.
    pub fn due(&mut self, now_ns: u64) -> Option<u32> {
        if self.next_ns()? > now_ns {
            return None;
        }
        self.0.pop_first().map(|(_, slot)| slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_come_due_in_order_and_cancelled_ones_never() {
        let mut timers = Timers::default();
        for (at, slot) in [(30, 1), (10, 2), (20, 3), (10, 4)] {
            timers.set(at, slot);
        }
        timers.cancel(20, 3);
        assert_eq!(timers.next_ns(), Some(10));
        assert_eq!(timers.due(9), None);
        assert_eq!([timers.due(10), timers.due(10), timers.due(10)], [Some(2), Some(4), None]);
        assert_eq!([timers.due(u64::MAX), timers.due(u64::MAX)], [Some(1), None]);
    }
}
