//! Conditions of measuring.

use crate::tr;

/// A condition at one of its levels, as it follows *with*: `CPUs kept awake`, `io_uring`.
pub fn condition(name: &str, level: &str) -> String {
    match (name, level) {
        ("cpus_awake", "true") => tr!("condition-cpus-kept-awake").to_string(),
        ("cpus_awake", _) => tr!("condition-cpus-that-may-sleep").to_string(),
        ("generator_cpus", cpus) if cpus.contains(['-', ',']) => {
            tr!("condition-generator-on-cpus", cpus)
        }
        ("generator_cpus", cpu) => tr!("condition-generator-on-cpu", cpu),
        ("events", "1") => tr!("condition-one-event").to_string(),
        ("events", events) => tr!("condition-events", events),
        ("answers", "together") => tr!("condition-answers-together").to_string(),
        ("answers", _) => tr!("condition-answers-one-by-one").to_string(),
        ("workers", "1") => tr!("condition-one-thread").to_string(),
        ("workers", workers) => tr!("condition-threads", workers),
        ("right_of_way", "true") => tr!("condition-raised-priority").to_string(),
        ("right_of_way", _) => tr!("condition-usual-priority").to_string(),
        ("environment", bytes) => tr!("condition-environment", bytes),
        ("connections", order) => tr!("condition-connections", order),
        ("extra_warm_up", time) => tr!("condition-extra-warm-up", time),
        _ => level.to_string(),
    }
}
