//! Reasons why a subject failed: by itself, killed by the kernel, or out of memory, its own or its limit.

use std::path::PathBuf;
use std::time::Duration;

use proofload_host::process::{field, read_text};

use super::SubjectError;
use super::keeper::Exit;
use super::logs::{last_lines, says_out_of_memory};

/// Share of the memory available at a start that may be used by default.
const ALLOWED_SHARE: f64 = 0.9;
const KILL: i32 = 9;

/// Facts about the failure of a process.
pub(crate) struct Failure {
    pub(crate) subject: String,
    pub(crate) log: PathBuf,
    /// Bytes for which the keeper killed it.
    pub(crate) over_memory: Option<u64>,
    pub(crate) memory_max_bytes: u64,
    /// True if the kernel has killed anything for lack of memory since the start.
    pub(crate) kernel_kills: bool,
}

impl Failure {
    /// Lack of memory, if that is certain.
    fn memory(&self, exit: Option<Exit>) -> Option<SubjectError> {
        let subject = self.subject.clone();
        if let Some(used_bytes) = self.over_memory {
            let (used_mib, limit_mib) = (used_bytes >> 20, self.memory_max_bytes >> 20);
            return Some(SubjectError::TooMuchMemory { subject, used_mib, limit_mib });
        }
        let (log, lines) = (self.log.clone(), last_lines(&self.log));
        if exit == Some(Exit::Signal(KILL)) && self.kernel_kills {
            return Some(SubjectError::KilledByKernel { subject, log, lines });
        }
        says_out_of_memory(&self.log).then_some(SubjectError::JvmOutOfMemory { subject, log, lines })
    }

    pub(crate) fn died_at_start(&self, exit: Exit) -> SubjectError {
        self.memory(Some(exit)).unwrap_or_else(|| SubjectError::DiedAtStart {
            subject: self.subject.clone(),
            exit,
            log: self.log.clone(),
            lines: last_lines(&self.log),
        })
    }

    pub(crate) fn died(&self, exit: Exit) -> SubjectError {
        self.memory(Some(exit)).unwrap_or_else(|| SubjectError::Died {
            subject: self.subject.clone(),
            exit,
            log: self.log.clone(),
            lines: last_lines(&self.log),
        })
    }

    pub(crate) fn never_ready(&self, within: Duration, missing: String, silent: bool) -> SubjectError {
        if let Some(memory) = self.memory(None) {
            return memory;
        }
        if silent {
            return self.hangs(within, missing);
        }
        SubjectError::NeverReady {
            subject: self.subject.clone(),
            seconds: within.as_secs_f64(),
            missing,
            log: self.log.clone(),
            lines: last_lines(&self.log),
        }
    }

    pub(crate) fn hangs(&self, within: Duration, missing: String) -> SubjectError {
        self.memory(None).unwrap_or_else(|| SubjectError::Hangs {
            subject: self.subject.clone(),
            seconds: within.as_secs_f64(),
            missing,
            log: self.log.clone(),
            lines: last_lines(&self.log),
        })
    }
}

/// Number of processes that the kernel has killed for lack of memory since the machine started.
pub(crate) fn kernel_kills() -> u64 {
    kills_in(&std::fs::read_to_string("/proc/vmstat").unwrap_or_default())
}

/// The count of `/proc/vmstat`; kills within a group are counted there as well.
fn kills_in(text: &str) -> u64 {
    let count = text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
    count.unwrap_or(0)
}

/// Memory that a subject may use when its declaration gives no limit.
pub(crate) fn memory_allowed_bytes() -> u64 {
    let available = field(&read_text("/proc/meminfo").unwrap_or_default(), "MemAvailable:");
    available
        .and_then(|kibibytes| kibibytes.checked_mul(1024))
        .map_or(u64::MAX, |bytes| (bytes as f64 * ALLOWED_SHARE) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(log: &str, kernel_kills: bool) -> (tempfile::TempDir, Failure) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        std::fs::write(&path, log).unwrap();
        let failure = Failure {
            subject: "it".into(),
            log: path,
            over_memory: None,
            memory_max_bytes: 1 << 20,
            kernel_kills,
        };
        (directory, failure)
    }

    #[test]
    fn a_kill_is_the_kernels_only_when_it_counted_one() {
        assert_eq!(kills_in("nr_free_pages 1\noom_kill 7\noom_kill_x 9\n"), 7);
        assert_eq!(kills_in(""), 0);
        let (_held, killed) = failure("last words", true);
        let error = killed.died(Exit::Signal(KILL));
        assert!(matches!(error, SubjectError::KilledByKernel { .. }), "{error}");
        assert!(
            error.to_string().contains("killed by the kernel") && error.to_string().contains("| last words")
        );
        assert!(matches!(killed.died(Exit::Signal(15)), SubjectError::Died { .. }));
        let (_held, other) = failure("last words", false);
        assert!(matches!(other.died(Exit::Signal(KILL)), SubjectError::Died { .. }));
        assert!(matches!(other.died_at_start(Exit::Code(1)), SubjectError::DiedAtStart { .. }));
    }

    #[test]
    fn a_jvm_without_memory_is_named_however_it_fails() {
        let log = "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n";
        let (_held, failure) = failure(log, false);
        let within = Duration::from_secs(1);
        for error in [
            failure.died(Exit::Code(3)),
            failure.died_at_start(Exit::Code(3)),
            failure.hangs(within, "x".into()),
            failure.never_ready(within, "x".into(), false),
        ] {
            assert!(matches!(error, SubjectError::JvmOutOfMemory { .. }), "{error}");
        }
    }
}
