//! What is known of a load that some agents did not carry out to its end, and what is missing of it.

use proofload_engine::{AgentsUse, Finding, LoadResult};
use proofload_measure::SparseSnapshot;

/// What one agent told of one load, added up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    /// When its window began, once it has told of it.
    began_ns: Option<u64>,
    /// Until when it told what it did, from there.
    until_ns: u64,
    intended: u64,
}

impl Told {
    pub fn add(&mut self, seen: &SparseSnapshot) {
        let began_ns = *self.began_ns.get_or_insert(seen.window.start_ns);
        self.until_ns = seen.window.end_ns.saturating_sub(began_ns);
        self.intended = self.intended.saturating_add(seen.intended());
    }
}

/// An agent's part in one load.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub name: String,
    pub told: &'a Told,
    /// It handed over nothing in the end.
    pub is_lost: bool,
    /// It was lost before the load.
    pub is_absent: bool,
}

/// Enters who was lost. What they told before is in the sums already.
pub(crate) fn enter(result: &mut LoadResult, agents: AgentsUse, parts: &[Part<'_>]) {
    let lost: Vec<&Part<'_>> = parts.iter().filter(|part| part.is_lost).collect();
    let not_offered = not_offered(parts);
    let intended = result.snapshot.intended();
    let planned = intended + not_offered;
    let offered = if planned > 0 { intended as f64 / planned as f64 } else { 0.0 };
    let mut found = Vec::new();
    for part in &lost {
        let (agent, told_ns) = (part.name.clone(), (!part.is_absent).then_some(part.told.until_ns));
        found.push(Finding::AgentLost { agent, told_ns, offered });
    }
    // Nothing else matters more.
    result.findings.splice(0..0, found);
    if !lost.is_empty() {
        // Whether somebody was answered while the others were not is known of nobody.
        result.silences = None;
    }
    result.generator.agents = Some(AgentsUse { lost: lost.len() as u32, not_offered, ..agents });
}

/// What those that were lost left out. All shares of a timetable are alike, to an exchange: each of them would have had as
/// many as the others had on average.
fn not_offered(parts: &[Part<'_>]) -> u64 {
    let whole: Vec<u64> = parts.iter().filter(|part| !part.is_lost).map(|part| part.told.intended).collect();
    let each = whole.iter().sum::<u64>() as f64 / whole.len().max(1) as f64;
    let lost = parts.iter().filter(|part| part.is_lost);
    lost.map(|part| (each - part.told.intended as f64).max(0.0)).sum::<f64>().round() as u64
}

#[cfg(test)]
mod tests {
    use super::Told;

    #[test]
    fn what_is_kept_of_an_agent_does_not_grow_with_the_seconds_it_tells() {
        assert!(!std::mem::needs_drop::<Told>(), "it owns no list");
    }
}
