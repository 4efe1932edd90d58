//! Sentences about where load comes from: agents, and the network between them and the servers.

use crate::number;
use proofload_language::facts::told;
use proofload_language::tr;
use proofload_store::schema::{Network, PlannedAgent};

/// Most machines that are named.
const NAMED_MAX: usize = 8;

/// `3 agents on lab1, lab2`.
pub fn agents(agents: &[PlannedAgent]) -> String {
    // Agents may have been dealt to their machines in turn.
    let mut hosts: Vec<&str> = Vec::new();
    for agent in agents {
        if !hosts.contains(&agent.host.as_str()) {
            hosts.push(&agent.host);
        }
    }
    let more = hosts.len().saturating_sub(NAMED_MAX);
    hosts.truncate(NAMED_MAX);
    tr!("places-agents-on", agents = agents.len() as u64, hosts = hosts.join(tr!("between-items")), more)
}

/// Measurements of the network, without the name of the row.
pub fn network(of: &Network) -> String {
    let mut said = Vec::new();
    if let (Some(p50), Some(p99)) = (of.p50_ns, of.p99_ns) {
        let (p50, p99) = (number::duration(p50 as f64), number::duration(p99 as f64));
        said.push(tr!("places-small-exchange", p50, p99));
    }
    if let Some(rate) = of.bytes_per_s {
        said.push(tr!("places-large-answers", megabits = megabits(rate)));
    }
    said.extend(of.why.iter().map(|why| tr!("places-not-measured", why = told(why))));
    said.join(tr!("between-sentences"))
}

/// `21,047 Mbit/s`, of bytes per second.
fn megabits(bytes_per_s: f64) -> String {
    format!("{} Mbit/s", number::count((bytes_per_s * 8.0 / 1e6).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_of_several_agents_is_named_once() {
        let on = |host: &str| PlannedAgent { host: host.to_owned(), ..PlannedAgent::default() };
        let said = agents(&["b", "c", "b", "c"].map(on));
        assert!(said.starts_with('4') && said.ends_with("b, c"), "{said}");
        let many: Vec<PlannedAgent> = (0..20).map(|at| on(&format!("n{}", at % 10))).collect();
        assert!(agents(&many).contains("n7") && !agents(&many).contains("n8"), "{}", agents(&many));
    }

    #[test]
    fn a_network_is_told_with_its_units_and_what_is_missing_of_it() {
        let whole = Network {
            p50_ns: Some(21_300),
            p99_ns: Some(63_000),
            bytes_per_s: Some(2.63e9),
            ..Network::default()
        };
        let said = network(&whole);
        assert!(
            said.contains("21.3 µs (p50), 63.0 µs (p99)") && said.ends_with("at 21,040 Mbit/s"),
            "{said}"
        );
        let none = Network { why: Some(proofload_facts::Finding::failed("it ended")), ..Network::default() };
        assert_eq!(network(&none), "not measured: it ended");
    }
}
