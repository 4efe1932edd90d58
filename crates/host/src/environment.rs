//! This machine in the record.

use super::doctor::{Finding, audit_machine};
use super::facts::Facts;
use proofload_store::schema::Environment;

/// This machine, with what is not as it should be for measuring, in the words of `say`.
pub fn environment() -> Environment {
    let facts = Facts::read();
    let findings = audit_machine(&facts).iter().filter_map(Finding::recorded).collect();
    Environment {
        proofload: env!("CARGO_PKG_VERSION").to_string(),
        facts: facts.by_name(),
        machine: facts.machine,
        kernel: facts.kernel,
        cpu_model: facts.cpu_model,
        cpus: facts.cpus,
        memory_bytes: facts.memory_bytes,
        descriptors: facts.descriptors_soft.unwrap_or(u64::MAX),
        ephemeral_ports: facts.ephemeral_ports.unwrap_or((0, 0)),
        findings,
    }
}

/// Identity of this machine since its last start, by a number that the kernel drew then: containers and network
/// namespaces of one machine have the same. Empty where it cannot be read.
pub fn boot() -> String {
    super::root::Root::machine().text("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_of_this_machine_is_filled() {
        let environment = environment();
        assert_eq!(environment.proofload, env!("CARGO_PKG_VERSION"));
        assert!(!environment.cpus.is_empty() && environment.memory_bytes > 0 && environment.descriptors > 0);
        assert!(environment.facts.contains_key("clock_source"), "{:?}", environment.facts);
        assert_eq!(environment.machine.len(), 64);
    }
}
