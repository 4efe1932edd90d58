//! Facts about a subject's processes: limits in force, CPUs, and what a JVM reports about itself.

use super::hsperf::JvmFile;
use std::collections::BTreeMap;
use std::fs;

/// Limits that a server's behaviour depends on: their names in `/proc/PID/limits`, and their recorded names.
const LIMITS: [(&str, &str); 5] = [
    ("Max open files", "limit_descriptors"),
    ("Max processes", "limit_processes"),
    ("Max locked memory", "limit_locked_memory_bytes"),
    ("Max stack size", "limit_stack_bytes"),
    ("Max file size", "limit_file_size_bytes"),
];

/// Texts of a JVM's performance data: their names there, and their recorded names.
const JVM: [(&str, &str); 7] = [
    ("java.property.java.vm.name", "jvm_name"),
    ("java.property.java.vm.version", "jvm_version"),
    ("java.property.java.vm.vendor", "jvm_vendor"),
    ("java.rt.vmArgs", "jvm_arguments"),
    ("java.rt.vmFlags", "jvm_flags_file"),
    ("sun.gc.policy.name", "jvm_gc_policy"),
    ("java.property.java.version", "java_version"),
];

/// Facts about one process; a fact is there only when it could be read. Credentials in what a JVM reports of its
/// arguments are replaced.
pub(super) fn of_process(pid: u32, jvm: Option<&mut JvmFile>) -> BTreeMap<String, String> {
    let mut facts = limits(&fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default());
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    if let Some(cpus) = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")) {
        facts.insert("cpus_allowed".to_string(), cpus.trim().to_string());
    }
    // The data of a JVM that is starting cannot be read yet.
    if let Some(texts) = jvm.and_then(JvmFile::texts) {
        facts.extend(of_jvm(&texts));
    }
    facts
}

/// `Max open files            1024                 4096                 files`
fn limits(text: &str) -> BTreeMap<String, String> {
    let read = |(written, name): (&str, &str)| {
        let line = text.lines().find_map(|line| line.strip_prefix(written))?;
        let mut words = line.split_whitespace();
        Some((name.to_string(), format!("{} / {}", words.next()?, words.next()?)))
    };
    LIMITS.into_iter().filter_map(read).collect()
}

/// Facts from the performance data of a JVM.
fn of_jvm(texts: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    for (written, name) in JVM {
        if let Some(text) = texts.get(written).filter(|text| !text.is_empty()) {
            let words: Vec<String> = text.split(' ').map(str::to_string).collect();
            facts.insert(name.to_string(), proofload_study::redact::arguments(&words).join(" "));
        }
    }
    let collectors: Vec<&str> =
        (0..4).filter_map(|n| texts.get(&format!("sun.gc.collector.{n}.name"))).map(String::as_str).collect();
    if !collectors.is_empty() {
        facts.insert("jvm_collectors".to_string(), collectors.join(", "));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_the_kernel_writes_them() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max stack size            8388608              unlimited            bytes     \n\
                    Max open files            1024                 1048576              files     \n";
        let found = limits(text);
        assert_eq!(found["limit_descriptors"], "1024 / 1048576");
        assert_eq!(found["limit_stack_bytes"], "8388608 / unlimited");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_jvms_arguments_are_recorded_and_its_secrets_are_not() {
        let text = |name: &str, value: &str| (name.to_string(), value.to_string());
        let texts = BTreeMap::from([
            text("java.rt.vmArgs", "-Xmx256m -XX:+UseSerialGC -Dkey.password=hunter2"),
            text("sun.gc.collector.0.name", "Copy"),
            text("sun.gc.collector.1.name", "MSC"),
            text("java.rt.vmFlags", ""),
        ]);
        let found = of_jvm(&texts);
        assert!(found["jvm_arguments"].starts_with("-Xmx256m -XX:+UseSerialGC "), "{found:?}");
        assert!(!found["jvm_arguments"].contains("hunter2"), "{found:?}");
        assert_eq!(found["jvm_collectors"], "Copy, MSC");
        assert!(!found.contains_key("jvm_flags_file"));
    }

    #[test]
    fn this_process_has_limits_and_cpus() {
        let found = of_process(std::process::id(), None);
        assert!(found.contains_key("limit_descriptors") && found.contains_key("cpus_allowed"), "{found:?}");
        assert!(of_process(u32::MAX, None).is_empty());
    }
}
