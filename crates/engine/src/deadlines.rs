//! One deadline for each connection, without a system call or an allocation for any of them.
//!
//! Setting a deadline is one store. They are swept together: after a sweep none can come before the
//! earliest that was set then, nor before the shortest that can be set from then on, so nothing needs to be
//! checked until then. A sweep of 15,000 takes some 5 µs; sweeps keep a distance that bounds their cost
//! to a few percent of a core, which is how late a deadline can be (1 ms with 15,000 connections).

const NEVER: u64 = u64::MAX;
/// Least distance of two sweeps, for each connection.
const SWEEP_GAP_NS: u64 = 64;

/// Deadlines of connections 0 to n.
#[derive(Debug)]
pub(crate) struct Deadlines {
    at_ns: Vec<u64>,
    shortest_ns: u64,
    next_sweep_ns: u64,
    expired: Vec<u32>,
}

impl Deadlines {
    /// None set, for `n` connections; none set later is nearer than `shortest_ns`.
    pub fn new(n: usize, shortest_ns: u64) -> Self {
        Deadlines { at_ns: vec![NEVER; n], shortest_ns, next_sweep_ns: 0, expired: Vec::with_capacity(n) }
    }

    /// Makes room for one more connection.
    pub fn grow(&mut self) {
        self.at_ns.push(NEVER);
    }

    /// Sets the deadline of a connection, in place of the one it had.
    #[inline]
    pub fn set(&mut self, conn: u32, now_ns: u64, after_ns: u64) {
        debug_assert!(after_ns >= self.shortest_ns);
        self.at_ns[conn as usize] = now_ns.saturating_add(after_ns);
    }

    /// Sets the deadline to an instant. One nearer than the shortest may come as late as that is long.
    pub fn set_at(&mut self, conn: u32, at_ns: u64) {
        self.at_ns[conn as usize] = at_ns;
    }

    /// Takes the deadline of a connection away.
    #[inline]
    pub fn clear(&mut self, conn: u32) {
        self.at_ns[conn as usize] = NEVER;
    }

    /// Instant at which [`Deadlines::expired`] must be called next.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_sweep_ns
    }

    /// The connections whose deadlines have come. Each is to be [taken](Deadlines::take) when its turn comes, for what is
    /// done about the ones before may change it. The list is to be handed back to [`Deadlines::recycle`].
    pub fn expired(&mut self, now_ns: u64) -> Vec<u32> {
        let mut expired = std::mem::take(&mut self.expired);
        if now_ns < self.next_sweep_ns {
            return expired;
        }
        let mut nearest = NEVER;
        for (conn, at) in self.at_ns.iter().enumerate() {
            if *at <= now_ns {
                expired.push(conn as u32);
            } else {
                nearest = nearest.min(*at);
            }
        }
        let soonest = nearest.min(now_ns.saturating_add(self.shortest_ns));
        self.next_sweep_ns = soonest.max(now_ns + SWEEP_GAP_NS * self.at_ns.len() as u64);
        expired
    }

    /// Takes the deadline of a connection away if it has come; returns true if it had.
    #[inline]
    pub fn take(&mut self, conn: u32, now_ns: u64) -> bool {
        let at_ns = &mut self.at_ns[conn as usize];
        let has_come = *at_ns <= now_ns;
        if has_come {
            *at_ns = NEVER;
        }
        has_come
    }

    /// Takes the list of [`Deadlines::expired`] back, for its memory.
    pub fn recycle(&mut self, mut expired: Vec<u32>) {
        expired.clear();
        self.expired = expired;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_deadline_that_was_replaced_or_taken_away_does_not_come() {
        let mut deadlines = Deadlines::new(3, 100);
        deadlines.set(0, 0, 100);
        deadlines.set(1, 0, 100);
        deadlines.set(0, 50, 1_000);
        deadlines.clear(1);
        assert!(deadlines.expired(1_000).is_empty());
        let expired = deadlines.expired(deadlines.next_ns().max(1_050));
        assert_eq!(expired, [0]);
    }

    #[test]
    fn a_deadline_that_is_replaced_before_its_turn_comes_does_not_come() {
        let mut deadlines = Deadlines::new(3, 100);
        (0..3).for_each(|conn| deadlines.set(conn, 0, 100));
        let expired = deadlines.expired(1_000);
        assert_eq!(expired, [0, 1, 2]);
        assert!(deadlines.take(0, 1_000));
        deadlines.set(1, 1_000, 100);
        deadlines.clear(2);
        assert!(!deadlines.take(0, 1_000) && !deadlines.take(1, 1_000) && !deadlines.take(2, 1_000));
        deadlines.recycle(expired);
        assert_eq!(deadlines.expired(deadlines.next_ns().max(1_100)), [1]);
    }

    proptest! {
        #[test]
        fn none_is_missed_and_none_comes_early_or_later_than_the_gap(
            delays in proptest::collection::vec(1_000u64..50_000, 1..40)
        ) {
            let mut deadlines = Deadlines::new(delays.len(), 1_000);
            let gap = SWEEP_GAP_NS * delays.len() as u64;
            let mut left = delays.len();
            // Each is set when time has come to its place, so that sweeps and settings interleave.
            let mut due = vec![NEVER; delays.len()];
            let (mut now, mut next_set) = (0u64, 0);
            while left > 0 {
                if next_set < delays.len() {
                    deadlines.set(next_set as u32, now, delays[next_set]);
                    due[next_set] = now + delays[next_set];
                    next_set += 1;
                }
                let expired = deadlines.expired(now);
                for conn in &expired {
                    prop_assert!(deadlines.take(*conn, now));
                    let at = due[*conn as usize];
                    prop_assert!(at <= now && now <= at + gap + 300, "due {at}, came {now}");
                    left -= 1;
                }
                deadlines.recycle(expired);
                now = if next_set < delays.len() { now + 300 } else { deadlines.next_ns().max(now + 1) };
            }
        }
    }
}
