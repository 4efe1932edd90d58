//! How a subject failed, told apart: by itself, by the kernel, by its own memory or ours.

use std::path::PathBuf;
use std::time::Duration;

use procfs::{Current, Meminfo};

use super::SubjectError;
use super::keeper::Exit;
use super::logs::{last_lines, tells_out_of_memory};

/// Of the memory that is available at a start, so much may be used unless the declaration says otherwise.
const ALLOWED_SHARE: f64 = 0.9;
const KILL: i32 = 9;

/// What is known where a process failed.
pub(crate) struct Scene {
    pub(crate) subject: String,
    pub(crate) log: PathBuf,
    /// Bytes for which the keeper killed it.
    pub(crate) over_memory: Option<u64>,
    pub(crate) memory_max_bytes: u64,
    /// Kills for lack of memory that the kernel had counted before the start.
    pub(crate) kernel_kills: u64,
}

impl Scene {
    /// A reason that is known for certain, whenever it struck.
    fn memory(&self, exit: Option<Exit>) -> Option<SubjectError> {
        let subject = self.subject.clone();
        if let Some(used_bytes) = self.over_memory {
            let (used_mib, limit_mib) = (used_bytes >> 20, self.memory_max_bytes >> 20);
            return Some(SubjectError::TooMuchMemory { subject, used_mib, limit_mib });
        }
        let (log, lines) = (self.log.clone(), last_lines(&self.log));
        if exit == Some(Exit::Signal(KILL)) && kernel_kills() > self.kernel_kills {
            return Some(SubjectError::KilledByKernel { subject, log, lines });
        }
        tells_out_of_memory(&self.log).then_some(SubjectError::JvmOutOfMemory { subject, log, lines })
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

/// How often the kernel has killed a process for lack of memory since the machine is up.
pub(crate) fn kernel_kills() -> u64 {
    let text = std::fs::read_to_string("/proc/vmstat").unwrap_or_default();
    let count = text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
    count.unwrap_or(0)
}

/// What a subject may use when its declaration does not say.
pub(crate) fn memory_allowed_bytes() -> u64 {
    let available = Meminfo::current().ok().and_then(|found| found.mem_available);
    available.map_or(u64::MAX, |bytes| (bytes as f64 * ALLOWED_SHARE) as u64)
}
