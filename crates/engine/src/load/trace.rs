//! Arrivals that were recorded once, to be played back.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Recorded arrivals: the timetable of an open loop, as plain offsets.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Trace {
    /// Nanoseconds from the start of a round; strictly increasing, at least one.
    pub offsets_ns: Arc<[u64]>,
    /// From the start of one round to the start of the next; above the last offset.
    pub round_ns: u64,
    /// Number of times it is played, at least one.
    pub rounds: u32,
}

impl Trace {
    pub fn count(&self) -> u64 {
        self.offsets_ns.len() as u64 * u64::from(self.rounds)
    }

    /// From the first round's start to the end of the last.
    pub fn length_ns(&self) -> u64 {
        self.round_ns.saturating_mul(u64::from(self.rounds))
    }

    /// The offset of an arrival from the start of the load; `None` behind the last.
    #[inline]
    pub fn at_ns(&self, index: u64) -> Option<u64> {
        let each = self.offsets_ns.len() as u64;
        let round = index / each;
        (round < u64::from(self.rounds))
            .then(|| round * self.round_ns + self.offsets_ns[(index % each) as usize])
    }

    /// Its problem, in a sentence; `None` if there is none.
    pub(crate) fn problem(&self) -> Option<String> {
        let Some(last_ns) = self.offsets_ns.last() else { return Some("has no arrival".to_owned()) };
        if let Some(at) = self.offsets_ns.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Some(format!("arrival {} is not behind the one before it", at + 2));
        }
        if self.round_ns <= *last_ns {
            return Some(format!("a round of {} ns ends before its last arrival", self.round_ns));
        }
        (self.rounds == 0).then(|| "0 rounds; at least 1 is needed".to_owned())
    }
}

/// Without the offsets: there may be millions.
impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trace({} arrivals in {} ns, {} rounds)", self.offsets_ns.len(), self.round_ns, self.rounds)
    }
}
