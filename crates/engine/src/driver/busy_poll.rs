//! The choice to poll for the next event without sleeping.

/// A wait is polled for this long when the one before it was no longer.
pub const NEAR_NS: u64 = 20_000;
/// Most events for each wait. With more, many answers share one wake-up, so that it costs the server nothing worth
/// mentioning, and polling would cost this side what it wants to spend on requests.
const FEW: u32 = 4;
/// Weight of all earlier waits in the moving average, against one for the last.
const MEMORY: u32 = 16;

/// The recent waits of a worker.
///
/// A server that answers while its client sleeps pays for waking it, with each answer, and is measured slower than it
/// is. Polling for a short time before sleeping spares it that, where answers come one by one and soon.
#[derive(Debug, Default)]
pub struct BusyPoll {
    near: bool,
    /// Events for each wait, moving average, times [`MEMORY`].
    events: u32,
}

impl BusyPoll {
    /// True if polling is worthwhile for the next wait, for [`NEAR_NS`] at most.
    pub fn is_worthwhile(&self) -> bool {
        self.near && self.events <= FEW * MEMORY
    }

    /// A wait took `waited_ns` and ended with `events` events.
    pub fn note_wait(&mut self, waited_ns: u64, events: usize) {
        self.near = events > 0 && waited_ns < NEAR_NS;
        self.events = self.events - self.events / MEMORY + u32::try_from(events).unwrap_or(u32::MAX / MEMORY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(waits: &[(u64, usize)]) -> BusyPoll {
        let mut busy_poll = BusyPoll::default();
        waits.iter().for_each(|&(waited_ns, events)| busy_poll.note_wait(waited_ns, events));
        busy_poll
    }

    #[test]
    fn it_takes_a_short_wait_that_brought_something() {
        assert!(!after(&[]).is_worthwhile());
        assert!(after(&[(NEAR_NS - 1, 1)]).is_worthwhile());
        assert!(!after(&[(NEAR_NS, 1)]).is_worthwhile());
        assert!(!after(&[(5_000, 1), (5_000, 0)]).is_worthwhile(), "nothing came");
        assert!(!after(&[(5_000, 1), (1_000_000, 1)]).is_worthwhile(), "the server became slow");
        assert!(after(&[(1_000_000, 1), (5_000, 1)]).is_worthwhile(), "and quick again");
    }

    #[test]
    fn many_answers_at_once_need_none() {
        let waits = [(5_000, 40); 100];
        assert!(!after(&waits).is_worthwhile());
        assert!(
            !after(&[&waits[..], &[(5_000, 1); 8]].concat()).is_worthwhile(),
            "a few single ones change nothing"
        );
        assert!(after(&[&waits[..], &[(5_000, 1); 100]].concat()).is_worthwhile());
        assert!(after(&[(5_000, FEW as usize); 1_000]).is_worthwhile());
        assert!(!after(&[(5_000, FEW as usize + 1); 1_000]).is_worthwhile());
        assert!(!after(&[(5_000, usize::MAX); 3]).is_worthwhile());
    }
}
