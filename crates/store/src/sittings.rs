//! The history of a run's status: from when to when it was conducted, and how each sitting ended; and which of its blocks
//! are judged as one sitting's.

use crate::schema::{RunState, Sitting, Slice, Status};
use crate::{Block, Run};
use proofload_facts::Finding;

/// Longest pause of a run after which its blocks are still judged as those of one sitting.
pub const PAUSE_MAX_NS: u64 = 30 * 60 * 1_000_000_000;

impl Run {
    /// True if a run that goes on at that time has paused for so long that its next blocks belong to another sitting.
    pub fn would_be_another_sitting(&self, unix_ns: u64) -> bool {
        let closed = close_unfinished(self);
        closed.sittings.last().is_some_and(|last| is_long(last, unix_ns))
    }

    /// Sitting in which a block is judged, from 1: a sitting that began soon after the one before it ended counts as
    /// its continuation.
    pub fn sitting_of(&self, block: &Block) -> u32 {
        let started = block.slices.iter().map(|slice| slice.started_unix_ns).min().unwrap_or(0);
        let later = self
            .status()
            .sittings
            .windows(2)
            .filter(|pair| is_long(&pair[0], pair[1].began_unix_ns) && pair[1].began_unix_ns <= started);
        1 + later.count() as u32
    }
}

/// True if the gap after this sitting was long enough to make the next one another.
fn is_long(before: &Sitting, began_unix_ns: u64) -> bool {
    before.ended_unix_ns.is_some_and(|ended| began_unix_ns.saturating_sub(ended) > PAUSE_MAX_NS)
}

/// A new sitting after those there are.
pub(crate) fn begin(status: Status, unix_ns: u64, differences: Vec<Finding>) -> Status {
    let mut sittings = status.sittings;
    let state = RunState::Running;
    sittings.push(Sitting {
        began_unix_ns: unix_ns,
        state: state.clone(),
        differences,
        ..Sitting::default()
    });
    Status { state, why: None, sittings }
}

/// The last sitting ends, and with it the run for now.
pub(crate) fn end(status: &mut Status, state: RunState, why: Option<&Finding>, unix_ns: u64) {
    status.state = state.clone();
    status.why = why.cloned();
    if let Some(sitting) = status.sittings.last_mut() {
        sitting.state = state;
        sitting.why = why.cloned();
        sitting.ended_unix_ns = Some(unix_ns);
    }
}

/// Status of the last sitting when the next begins: one that still runs was killed, and the block that its end cut
/// off is named. A block lost while its sitting went on was not cut off.
pub(crate) fn close_unfinished(run: &Run) -> Status {
    let mut status = run.status().clone();
    let slices = || {
        let whole = run.blocks().iter().flat_map(|block| &block.slices);
        whole.chain(run.excluded().iter().flat_map(|block| &block.slices))
    };
    if status.sittings.is_empty() {
        // A record of before there were sittings.
        let began_unix_ns = slices().map(|slice| slice.started_unix_ns).min().unwrap_or(0);
        let Status { state, why, .. } = status.clone();
        status.sittings.push(Sitting { began_unix_ns, state, why, ..Sitting::default() });
    }
    let last_begun = run.last_block();
    let is_whole = run.blocks().iter().any(|block| block.number == last_begun);
    let known = |sitting: &Sitting| {
        sitting.cut_block == Some(last_begun) || sitting.lost_blocks.contains(&last_begun)
    };
    let is_known = status.sittings.iter().any(known);
    let Some(last) = status.sittings.last_mut() else { return status };
    if last.state == RunState::Running {
        last.state = RunState::Killed;
        last.why = Some(Finding::EndedWithoutAWord);
        last.ended_unix_ns =
            slices().map(Slice::ended_unix_ns).max().filter(|&end| end >= last.began_unix_ns);
    }
    let cut_off = matches!(last.state, RunState::Killed | RunState::Interrupted);
    if cut_off && last_begun > 0 && !is_whole && !is_known {
        last.cut_block = Some(last_begun);
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_of_more_than_half_an_hour_begins_another_sitting() {
        const MINUTE_NS: u64 = 60 * 1_000_000_000;
        let ended = |ended_unix_ns| Sitting { ended_unix_ns, ..Sitting::default() };
        assert!(!is_long(&ended(Some(MINUTE_NS)), 31 * MINUTE_NS));
        assert!(is_long(&ended(Some(MINUTE_NS)), 31 * MINUTE_NS + 1));
        assert!(!is_long(&ended(Some(90 * MINUTE_NS)), MINUTE_NS), "a clock that was set back");
        assert!(!is_long(&ended(None), u64::MAX), "nothing is known of its end");
    }
}
