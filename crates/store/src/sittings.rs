//! The history of a run's status: from when to when it was conducted, and how each sitting ended.

use crate::schema::{RunState, Sitting, Slice, Status};
use crate::{Run, messages};

/// A new sitting after those there are.
pub(crate) fn begin(status: Status, unix_ns: u64, differences: Vec<String>) -> Status {
    let mut sittings = status.sittings;
    let state = RunState::Running;
    sittings.push(Sitting {
        began_unix_ns: unix_ns,
        state: state.clone(),
        differences,
        ..Sitting::default()
    });
    Status { state, why: String::new(), sittings }
}

/// The last sitting ends, and with it the run for now.
pub(crate) fn end(status: &mut Status, state: RunState, why: &str, unix_ns: u64) {
    status.state = state.clone();
    status.why = why.to_string();
    if let Some(sitting) = status.sittings.last_mut() {
        sitting.state = state;
        sitting.why = why.to_string();
        sitting.ended_unix_ns = Some(unix_ns);
    }
}

/// What is to be said of the last sitting when the next begins: one that still runs was killed, and the block
/// that its end cut off is named. A block lost while its sitting went on was not cut off by anybody.
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
        last.why = messages::ENDED_WITHOUT_A_WORD.to_string();
        last.ended_unix_ns = slices().map(end_of).max().filter(|&end| end >= last.began_unix_ns);
    }
    let cut_off = matches!(last.state, RunState::Killed | RunState::Interrupted);
    if cut_off && last_begun > 0 && !is_whole && !is_known {
        last.cut_block = Some(last_begun);
    }
    status
}

fn end_of(slice: &Slice) -> u64 {
    slice.started_unix_ns.saturating_add((slice.measured.seconds * 1e9) as u64)
}
