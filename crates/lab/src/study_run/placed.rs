//! Consequences of the origin of load: the owner of the CPUs, and the text of the plan about it.

use super::RunError;
use crate::runner::Preparing;
use proofload_engine::{AGENT_BODIES_MAX, AgentPlace};
use proofload_host::cpus;
use proofload_language::{number, tr};
use proofload_store::schema::{Plan, PlannedAgent};
use proofload_study::{LoadPoint, Study};
use std::net::IpAddr;

/// Checks that a study that names places is not run in another one silently, and that every agent has a connection.
///
/// # Errors
/// It would be, a load point has fewer, or its bodies are too large to be sent to agents.
pub(super) fn check(study: &Study, agents: &[AgentPlace], how: Preparing<'_>) -> Result<(), RunError> {
    if study.places.is_some() && agents.is_empty() && matches!(how, Preparing::Whole(_)) {
        return Err(RunError::Usage(tr!("run-places").to_owned()));
    }
    let streamed = study.workload.iter().flat_map(|entry| &entry.template.streamed);
    let bytes: u64 = streamed.map(|(_, source)| source.bytes()).sum();
    if !agents.is_empty() && bytes > AGENT_BODIES_MAX {
        let [bytes, most] = [bytes, AGENT_BODIES_MAX].map(|bytes| number::bytes(bytes as f64));
        return Err(RunError::Usage(tr!("run-large-bodies", bytes, most)));
    }
    let few = study.points.iter().filter(|point| connections(point) < agents.len());
    let few: Vec<&str> = few.map(|point| point.label.as_str()).collect();
    match few.is_empty() {
        true => Ok(()),
        false => {
            let few = few.join(tr!("between-items"));
            Err(RunError::Usage(tr!("run-few-connections", few, agents = agents.len())))
        }
    }
}

/// Connections of the load, or with streams of the smallest of them.
fn connections(point: &LoadPoint) -> usize {
    let streams = point.streams.iter().map(|stream| stream.connections);
    streams.min().unwrap_or(point.connections) as usize
}

/// The CPUs of this machine between generator and servers.
pub(super) fn share(own: &[usize], agents: &[AgentPlace]) -> cpus::CpuShare {
    match is_elsewhere(agents) {
        true => cpus::CpuShare { subject: own.to_vec(), ..cpus::CpuShare::default() },
        false => cpus::share(own),
    }
}

/// Enters them in the plan.
pub(super) fn enter(plan: &mut Plan, agents: &[AgentPlace], address: IpAddr) {
    plan.agents = agents.iter().map(planned_agent).collect();
    if !address.is_loopback() {
        plan.subjects_address = address.to_string();
    }
}

/// True if all load comes from other machines: the servers then have this one to themselves.
fn is_elsewhere(agents: &[AgentPlace]) -> bool {
    !agents.is_empty() && agents.iter().all(|agent| !agent.is_here)
}

/// Threads of each agent where all have machines of their own: as many as the smallest has CPUs.
pub(super) fn workers(agents: &[AgentPlace]) -> Option<u32> {
    let least = agents.iter().map(|agent| agent.cpus.clamp(1, cpus::GENERATOR_CPUS_MAX as u32)).min();
    least.filter(|_| is_elsewhere(agents))
}

fn planned_agent(agent: &AgentPlace) -> PlannedAgent {
    PlannedAgent { host: agent.host.clone(), is_here: agent.is_here, cpus: agent.cpus }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(is_here: bool, cpus: u32) -> AgentPlace {
        AgentPlace { host: "lab".to_owned(), is_here, cpus }
    }

    #[test]
    fn servers_have_all_cpus_where_no_agent_shares_their_machine() {
        let own = [0, 1, 2, 3];
        let away = share(&own, &[agent(false, 2), agent(false, 8)]);
        assert_eq!((away.subject, away.generator), (own.to_vec(), Vec::new()));
        for agents in [&[][..], &[agent(true, 2)], &[agent(false, 2), agent(true, 2)]] {
            assert_eq!(share(&own, agents), cpus::share(&own), "{agents:?}");
        }
    }

    #[test]
    fn agents_elsewhere_have_as_many_threads_as_the_smallest_has_cpus() {
        assert_eq!(workers(&[agent(false, 8), agent(false, 2)]), Some(2));
        assert_eq!(workers(&[agent(false, 0)]), Some(1));
        assert_eq!(workers(&[agent(false, 500)]), Some(cpus::GENERATOR_CPUS_MAX as u32));
        assert_eq!((workers(&[]), workers(&[agent(true, 8), agent(false, 8)])), (None, None));
    }

    #[test]
    fn a_plan_says_who_loads_and_where_servers_listen() {
        let mut plan = Plan::default();
        enter(&mut plan, &[], [127, 0, 0, 1].into());
        assert_eq!((plan.agents.len(), plan.subjects_address.as_str()), (0, ""));
        enter(&mut plan, &[agent(false, 4)], [10, 0, 0, 1].into());
        assert_eq!((plan.agents[0].cpus, plan.subjects_address.as_str()), (4, "10.0.0.1"));
    }
}
