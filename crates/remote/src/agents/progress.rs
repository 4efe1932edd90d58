//! Progress of a load at each agent, and the missing parts of a load that some agents did not carry out to its end.

use crate::agents::member::Member;
use proofload_engine::{AgentsUse, Finding, LoadResult};
use proofload_measure::SparseSnapshot;

/// Snapshots that an agent sent of one stream, added up. It does not grow while the load goes on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    /// Start of the window, once the agent has reported it.
    began_ns: Option<u64>,
    /// End of the reported time, from there.
    until_ns: u64,
    intended: u64,
}

impl Sum {
    pub fn add(&mut self, seen: &SparseSnapshot) {
        let began_ns = *self.began_ns.get_or_insert(seen.window.start_ns);
        self.until_ns = seen.window.end_ns.saturating_sub(began_ns);
        self.intended = self.intended.saturating_add(seen.intended());
    }
}

/// Progress of the streams of a load at one agent.
pub(crate) struct Progress {
    /// It handed over its results, failed, or was lost.
    pub has_ended: bool,
    pub streams: Vec<Sum>,
    /// It handed over nothing in the end.
    is_lost: bool,
    /// It was lost before the load.
    is_absent: bool,
}

impl Progress {
    pub fn of(streams: usize, is_absent: bool) -> Progress {
        let streams = vec![Sum::default(); streams];
        Progress { has_ended: is_absent, streams, is_lost: is_absent, is_absent }
    }

    /// The rest of its share is not carried out. The part that it handed over before is complete.
    pub fn lose(&mut self) {
        self.is_lost |= !self.has_ended;
        self.has_ended = true;
    }
}

/// Enters the agents that carried a stream out, and those that did not. The reports of lost agents from before are in
/// the sums already.
pub(crate) fn enter(
    result: &mut LoadResult,
    stream: usize,
    members: &[Member],
    progress: &[Progress],
    clocks_within_ns: u64,
) {
    let lost: Vec<_> = members.iter().zip(progress).filter(|(_, of_agent)| of_agent.is_lost).collect();
    let not_offered = not_offered(stream, progress);
    let intended = result.snapshot.intended();
    let planned = intended + not_offered;
    let offered = if planned > 0 { intended as f64 / planned as f64 } else { 0.0 };
    let found = lost.iter().map(|(member, of_agent)| {
        let told_ns = (!of_agent.is_absent).then_some(of_agent.streams[stream].until_ns);
        Finding::AgentLost { agent: member.name(), told_ns, offered }
    });
    // Nothing else matters more.
    result.findings.splice(0..0, found);
    if !lost.is_empty() {
        // With lost agents it is unknown if one was answered while the others were not.
        result.silences = None;
    }
    let (count, lost) = (members.len() as u32, lost.len() as u32);
    result.generator.agents = Some(AgentsUse { count, clocks_within_ns, lost, not_offered });
}

/// Exchanges that lost agents left out. All shares of a timetable are alike, to an exchange: each of them would have had as
/// many as the others had on average.
fn not_offered(stream: usize, progress: &[Progress]) -> u64 {
    let intended = |is_lost| {
        let agents = progress.iter().filter(move |of_agent: &&Progress| of_agent.is_lost == is_lost);
        agents.map(|of_agent| of_agent.streams[stream].intended)
    };
    let each = intended(false).sum::<u64>() as f64 / intended(false).count().max(1) as f64;
    intended(true).map(|told| (each - told as f64).max(0.0)).sum::<f64>().round() as u64
}

#[cfg(test)]
mod tests {
    use super::Sum;

    #[test]
    fn what_is_kept_of_an_agent_does_not_grow_with_the_seconds_it_tells() {
        assert!(!std::mem::needs_drop::<Sum>(), "it owns no list");
    }
}
