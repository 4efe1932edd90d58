//! The first variant of a study, started for a look at single exchanges of its workload.

use crate::generator_settings::GeneratorSettings;
use crate::plan::{LoadTerms, load_plans};
use crate::registry;
use crate::runner::Preparing;
use crate::study_run::{RunError, applicable};
use proofload_engine::{Extent, LoadPlan};
use proofload_facts::Finding;
use proofload_language::facts::told;
use proofload_study::{LoadPoint, LoadRole, Study};
use proofload_subject::{Cache, Catalogue, Keeper, Running};
use std::sync::atomic::AtomicBool;

/// Starts the first variant, lets `look` have the plans of the whole workload against it, and stops it. One that is a URL is
/// taken as it is. `say` receives the steps of its preparation that take long.
///
/// # Errors
/// It cannot be prepared, started or stopped, or not be asked what the study asks.
pub fn on_first_variant<T>(
    study: &Study,
    (catalogue, cache): (&Catalogue, &Cache),
    seed: u64,
    say: &dyn Fn(&str),
    look: impl FnOnce(&[LoadPlan]) -> T,
) -> Result<T, RunError> {
    let mut study = study.clone();
    study.variants.truncate(1);
    let hosts = applicable(&study, catalogue, cache, Preparing::Whole(say))?.hosts;
    let Some(host) = hosts.ready.first() else { return Err(RunError::Usage(told(&Finding::NoProcess))) };
    let keeper = Keeper::start().map_err(RunError::Keeper)?;
    let (log, temp) = (keeper.temp().join("log"), keeper.temp().join("start"));
    let running = host.prepared.start(&keeper, &[], &log, &temp).map_err(RunError::Keeper)?;
    // A signal ends this process, and the keeper the server.
    let ready = running.wait_ready(&AtomicBool::new(false)).map_err(RunError::Keeper);
    let looked = ready.and_then(|()| Ok(look(&plans(&study, &running, seed)?)));
    let stopped = running.stop();
    let looked = looked?;
    stopped.map(|_| looked).map_err(RunError::Keeper)
}

fn plans(study: &Study, running: &Running, seed: u64) -> Result<Vec<LoadPlan>, RunError> {
    let (Some(variant), Some(point), Some(address)) =
        (study.variants.first(), study.points.first(), running.addresses().first())
    else {
        return Err(RunError::Usage(told(&Finding::NotStarted)));
    };
    let authority = running.authority(0);
    let (target, speaks) =
        registry::reached(&variant.passage, address, &authority).map_err(RunError::Usage)?;
    let settings = GeneratorSettings::default();
    let terms = LoadTerms {
        target,
        authority: &authority,
        speaks: &speaks,
        discard_ns: 0,
        extent: Extent::DurationNs(1),
        drain_ns: 0,
        workers: 1,
        cpus: Vec::new(),
        seed,
        settings: &settings,
    };
    let whole = LoadPoint { asks: None, ..point.clone() };
    load_plans(study, &whole, LoadRole::Real, &terms).map_err(|error| RunError::Usage(error.to_string()))
}
