//! Conditions of measuring.

use crate::{say, word};

/// A condition at one of its levels, as it follows *with*: `CPUs kept awake`, `io_uring`.
pub fn condition(name: &str, level: &str) -> String {
    match (name, level) {
        ("cpus_awake", "true") => word!("condition-cpus-kept-awake").to_string(),
        ("cpus_awake", _) => word!("condition-cpus-that-may-sleep").to_string(),
        ("generator_cpus", cpus) if cpus.contains(['-', ',']) => {
            say!("condition-generator-on-cpus", cpus)
        }
        ("generator_cpus", cpu) => say!("condition-generator-on-cpu", cpu),
        ("events", "1") => word!("condition-one-event").to_string(),
        ("events", events) => say!("condition-events", events),
        ("answers", "together") => word!("condition-answers-together").to_string(),
        ("answers", _) => word!("condition-answers-one-by-one").to_string(),
        ("workers", "1") => word!("condition-one-thread").to_string(),
        ("workers", workers) => say!("condition-threads", workers),
        ("right_of_way", "true") => word!("condition-raised-priority").to_string(),
        ("right_of_way", _) => word!("condition-usual-priority").to_string(),
        ("environment", bytes) => say!("condition-environment", bytes),
        ("connections", order) => say!("condition-connections", order),
        ("extra_warm_up", time) => say!("condition-extra-warm-up", time),
        _ => level.to_string(),
    }
}
