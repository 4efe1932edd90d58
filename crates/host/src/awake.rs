//! Keeps the CPUs from falling asleep during a measurement.
//!
//! A CPU that has nothing to do sleeps, and must be woken for the next answer. Out of a deep sleep that takes up to 0.1
//! ms. In a virtual machine a CPU that sleeps is given to another guest, and a wake-up waits for milliseconds until the
//! turn of that guest is over: the kernel counts it as steal. Linux takes requests against sleep: a limit to the time
//! that waking may take, which holds as long as the file it was written to is open, and so ends with the process,
//! however that ends (PM Quality of Service, `/dev/cpu_dma_latency`: Documentation/power/pm_qos_interface.rst).

use super::{cpus, root::Root};
use proofload_facts::Finding;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};

/// File to which requests are written: 32 bits, microseconds.
const REQUESTS: &str = "/dev/cpu_dma_latency";

/// Descriptions of the kernel's idle states, the shallowest first.
const STATES: &str = "/sys/devices/system/cpu/cpu0/cpuidle";

/// The state in which a CPU looks for work instead of sleeping.
const AWAKE: &str = "POLL";

/// Text of a record for CPUs that cannot be kept awake.
pub const AS_IT_LIKES: &str = "as the kernel likes";

/// Sleep of idle CPUs during a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Sleep {
    /// Waking takes no longer than this; with 0 they stay awake.
    AtMost { waking_us: i32 },
    /// They sleep as the kernel likes.
    AsItLikes { why: Finding },
}

impl Default for Sleep {
    fn default() -> Self {
        Sleep::AsItLikes { why: Finding::SleepNotLookedAt }
    }
}

impl fmt::Display for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sleep::AtMost { waking_us: 0 } => write!(f, "none while measuring"),
            Sleep::AtMost { waking_us } => write!(f, "at most {waking_us} us to wake while measuring"),
            Sleep::AsItLikes { .. } => write!(f, "{AS_IT_LIKES}"),
        }
    }
}

/// The CPUs sleep no deeper than is good for measuring, until this is dropped. Where the kernel does not grant that,
/// they sleep as ever; the environment of a record has the reason.
#[derive(Debug)]
pub struct Awake {
    _request: Option<File>,
}

impl Awake {
    /// From now on.
    pub fn keep() -> Awake {
        Awake { _request: request(&Root::machine()).ok().map(|(_, file)| file) }
    }
}

/// Result of [`Awake`] on this machine, found by asking for it and taking that back at once.
pub(super) fn sleep(root: &Root) -> Sleep {
    let told_to_poll = |line: String| line.split_whitespace().any(|word| word == "idle=poll");
    if root.text("/proc/cmdline").is_some_and(told_to_poll) {
        return Sleep::AtMost { waking_us: 0 };
    }
    match request(root) {
        Ok((waking_us, _request)) => Sleep::AtMost { waking_us },
        Err(why) => Sleep::AsItLikes { why },
    }
}

/// The limit in microseconds that the kernel took, and what it holds by.
fn request(root: &Root) -> Result<(i32, File), Finding> {
    let waking_us = limit(root)?;
    let refused =
        |error: io::Error| Finding::SleepRefused { path: REQUESTS.to_string(), error: error.to_string() };
    let mut file = OpenOptions::new().write(true).open(root.path(REQUESTS)).map_err(refused)?;
    file.write_all(&waking_us.to_ne_bytes()).map_err(refused)?;
    Ok((waking_us, file))
}

/// Longest time that waking may take, in microseconds.
///
/// On metal as long as it takes from the shallowest state that is a sleep: one that goes on looking for work would slow its
/// core's other thread down, and keep the core from a higher clock. A virtual CPU stays awake, since any sleep gives it away.
fn limit(root: &Root) -> Result<i32, Finding> {
    let state = |number: u32, what: &str| root.text(format!("{STATES}/state{number}/{what}"));
    let first = state(0, "name").ok_or(Finding::NoIdleStates)?;
    let is_virtual = cpus::is_virtual(root);
    let shallowest = match (first == AWAKE, is_virtual) {
        (true, true) => return Ok(0),
        (false, true) => return Err(Finding::EachGivesCpuAway),
        (true, false) => 1,
        (false, false) => 0,
    };
    let latency = state(shallowest, "latency").and_then(|text| text.parse().ok());
    latency.ok_or_else(|| Finding::NoWakeUpLatency { state: format!("{STATES}/state{shallowest}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// A machine with these idle states: name and latency.
    fn machine(flags: &str, states: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("proc/cpuinfo", &format!("flags\t\t: fpu {flags}\n"));
        put(REQUESTS, "");
        for (number, (name, latency)) in states.iter().enumerate() {
            put(&format!("{STATES}/state{number}/name"), &format!("{name}\n"));
            put(&format!("{STATES}/state{number}/latency"), &format!("{latency}\n"));
        }
        let root = Root::at(folder.path());
        (folder, root)
    }

    fn written(folder: &Path) -> Vec<u8> {
        fs::read(folder.join(REQUESTS.trim_start_matches('/'))).unwrap()
    }

    #[test]
    fn a_virtual_cpu_stays_awake_and_one_of_metal_sleeps_lightly() {
        let haltpoll = [("POLL", "0"), ("haltpoll idle", "1")];
        let intel = [("POLL", "0"), ("C1", "2"), ("C6", "133")];
        let arm = [("WFI", "1"), ("cpu-sleep-0", "220")];
        for (flags, states, waking_us) in
            [("hypervisor", &haltpoll[..], 0), ("hypervisor", &intel, 0), ("", &intel, 2), ("", &arm, 1)]
        {
            let (folder, root) = machine(flags, states);
            assert_eq!(sleep(&root), Sleep::AtMost { waking_us }, "{states:?}");
            assert_eq!(written(folder.path()), waking_us.to_ne_bytes(), "{states:?}");
        }
    }

    #[test]
    fn what_cannot_be_limited_says_why() {
        let why = |root: &Root| match sleep(root) {
            Sleep::AsItLikes { why } => why,
            other => panic!("{other:?}"),
        };
        let refused = |root: &Root| match why(root) {
            Finding::SleepRefused { error, .. } => error,
            other => panic!("{other:?}"),
        };
        let (_folder, root) = machine("hypervisor", &[]);
        assert_eq!(why(&root), Finding::NoIdleStates);
        fs::remove_file(root.path(REQUESTS)).unwrap();
        fs::write(root.path("/proc/cmdline"), "quiet idle=poll\n").unwrap();
        assert_eq!(sleep(&root), Sleep::AtMost { waking_us: 0 }, "the kernel was told to at its start");
        let (_folder, root) = machine("hypervisor", &[("WFI", "1")]);
        assert_eq!(why(&root), Finding::EachGivesCpuAway);
        let (_folder, root) = machine("", &[("POLL", "0")]);
        assert_eq!(why(&root), Finding::NoWakeUpLatency { state: format!("{STATES}/state1") });
        let (folder, root) = machine("hypervisor", &[("POLL", "0")]);
        fs::remove_file(folder.path().join(REQUESTS.trim_start_matches('/'))).unwrap();
        assert!(refused(&root).contains("No such file"), "{}", refused(&root));
        std::os::unix::fs::symlink("/dev/full", root.path(REQUESTS)).unwrap();
        assert!(refused(&root).contains("No space left"), "a request that is not taken: {}", refused(&root));
    }
}
