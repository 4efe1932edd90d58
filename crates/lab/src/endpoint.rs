//! A study of one server and one load, measured once.

use crate::generator_settings::GeneratorSettings;
use crate::plan::{LoadPlanError, LoadTerms, load_plans, planned_point, workload_of};
use crate::registry::reached;
use proofload_engine::{DriverChoice, Extent, LoadPlan};
use proofload_facts::Mistake;
use proofload_store::schema::SingleLoad;
use proofload_study::{Condition, LoadPoint, LoadRole, Study, SubjectSpec};

/// Terms of one measurement by the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// Load before the window.
    pub discard_ns: u64,
    /// End of the load; a load with a shape of its own stops with its shape.
    pub extent: Extent,
    /// Longest wait for requests in flight at the end.
    pub drain_ns: u64,
    pub workers: u32,
    /// I/O driver.
    pub driver: DriverChoice,
    /// Seed of everything random.
    pub seed: u64,
}

/// The load of the study's first variant at its first point.
///
/// # Errors
/// A mistake in a request, or a server that cannot be reached as the study declares.
pub fn load_plan(study: &Study, terms: &Terms) -> Result<LoadPlan, Mistake> {
    let (Some(variant), Some(point)) = (study.variants.first(), study.points.first()) else {
        return Err(Mistake::AsksNothing);
    };
    let SubjectSpec::Url { address, authority } = &variant.subject else { return Err(Mistake::OneServer) };
    let (target, speaks) = reached(&variant.passage, address, authority)
        .map_err(|error| Mistake::NotReached { error }.at("URL"))?;
    let settings = GeneratorSettings { driver: terms.driver, ..GeneratorSettings::default() };
    let terms = LoadTerms {
        target,
        authority,
        speaks: &speaks,
        discard_ns: terms.discard_ns,
        extent: terms.extent,
        drain_ns: terms.drain_ns,
        workers: terms.workers,
        cpus: study.conditions.cpus(Condition::GeneratorCpus),
        seed: terms.seed,
        settings: &settings,
    };
    let plans = load_plans(study, point, LoadRole::Real, &terms);
    let mut plan = plans.map_err(|LoadPlanError::Request { mistake, .. }| mistake)?.remove(0);
    if point.open.auto {
        // Each worker has the one connection to each target that it needs.
        plan.connections = plan.connections.max(terms.workers.saturating_mul(plan.targets.len() as u32));
    }
    Ok(plan)
}

/// The requests and their settings, for the record. `plan` was made of the study and the terms.
pub fn recorded(study: &Study, terms: &Terms, plan: &LoadPlan) -> SingleLoad {
    let point = &study.points[0];
    let (window_ns, requests) = match plan.extent {
        Extent::Requests { count, .. } => (0, count),
        Extent::DurationNs(_) if point.extent().is_some() => (0, 0),
        Extent::DurationNs(window_ns) => (window_ns, 0),
    };
    // Where the tool chooses the connections there may be more than the load begins with.
    let load = LoadPoint { connections: plan.connections.max(point.connections), ..point.clone() };
    SingleLoad {
        point: planned_point(&[], &load),
        workload: workload_of(&study.workload, &study.asking),
        seed: terms.seed,
        driver: terms.driver.name().to_string(),
        workers: terms.workers,
        discard_ns: terms.discard_ns,
        window_ns,
        requests,
        connect_timeout_ns: study.timeouts.connect_ns,
        response_timeout_ns: study.timeouts.response_ns,
        ..SingleLoad::default()
    }
}
