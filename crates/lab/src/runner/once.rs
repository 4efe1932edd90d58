//! Steps that one user takes once: before all loads on a server, or after them.

use proofload_engine::LoadPlan;
use proofload_engine::debug::{Once, TapEvent, debug};
use proofload_facts::Finding;
use proofload_language::tr;
use proofload_measure::Outcome;
use proofload_study::WorkloadEntry;

/// Lets one user take the steps of a plan; the values that he captured, by their variables.
pub(super) fn walk(plan: &LoadPlan, steps: &[WorkloadEntry]) -> Result<Vec<(usize, Vec<u8>)>, Finding> {
    let passed = debug(plan, Once::Journey(0)).map_err(Finding::failed)?;
    let mut given = Vec::new();
    let captures = || plan.asking.captures.iter().flatten();
    for heard in &passed.notes.heard {
        match &heard.what {
            TapEvent::Ended(ended) if ended.outcome != Outcome::Answered => {
                let step = steps.get(ended.entry).map_or("", |step| &step.name);
                let why = ended.why.clone().unwrap_or_else(|| ended.outcome.name().to_string());
                return Err(Finding::failed(tr!("setup-failed", step, why)));
            }
            TapEvent::Ended(ended) => {
                for (name, value) in &ended.captured {
                    let Some(capture) = captures().find(|capture| capture.name == *name) else { continue };
                    proofload_store::redact::know_named(name, &String::from_utf8_lossy(value));
                    given.retain(|(variable, _)| *variable != capture.variable);
                    given.push((capture.variable, value.clone()));
                }
            }
            _ => {}
        }
    }
    Ok(given)
}
