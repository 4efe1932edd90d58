//! Readiness of a started process: each of its ports answers, and belongs to it.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proofload_host::clock::{monotonic_ns, sleep_for};

use super::SubjectError;
use super::keeper::tree;
use super::launched::{Launched, Started};
use super::ports::{self, ProbeError};

/// Interval between checks of readiness; a JVM takes half a second or more to start.
const CHECK_EVERY_NS: u64 = 10_000_000;
/// Time for one probe of a port that listens.
pub(super) const PROBE_WITHIN: Duration = Duration::from_secs(2);
/// Times in a row that another process must be seen listening: one that has just been forked may not be known as
/// ours at the first check.
const FOREIGN_CHECKS: u32 = 10;

enum Readiness {
    Ready,
    Missing(String),
    /// A connection was accepted and nothing came back.
    Silent(String),
    /// Another process listens on the port.
    Foreign {
        port: u16,
        holder: String,
    },
}

impl Launched {
    /// Waits until the process of a step is ready, as long as its declaration allows.
    pub(super) fn wait_ready(&self, step: usize, stop: &AtomicBool) -> Result<(), SubjectError> {
        let within = self.program.steps[step].ready_within;
        let within_ns = u64::try_from(within.as_nanos()).unwrap_or(u64::MAX);
        let deadline_ns = monotonic_ns().saturating_add(within_ns);
        let Some(started) = self.started().get(step).cloned() else { return Ok(()) };
        let mut foreign = 0;
        loop {
            let found = self.readiness(&started)?;
            foreign = if matches!(found, Readiness::Foreign { .. }) { foreign + 1 } else { 0 };
            let (missing, silent) = match found {
                Readiness::Ready => return Ok(()),
                Readiness::Missing(what) => (what, false),
                Readiness::Silent(what) => (what, true),
                Readiness::Foreign { port, holder } if foreign > FOREIGN_CHECKS => {
                    let subject = self.failure(&started).subject;
                    return Err(SubjectError::PortTaken { subject, port, by: holder });
                }
                Readiness::Foreign { holder, .. } => (format!("the port is held by {holder}"), false),
            };
            if monotonic_ns() >= deadline_ns {
                return Err(self.failure(&started).never_ready(within, missing, silent));
            }
            if !sleep_for(CHECK_EVERY_NS, stop) {
                return Err(SubjectError::Interrupted);
            }
        }
    }

    fn readiness(&self, started: &Started) -> Result<Readiness, SubjectError> {
        // Before the ports: a listener that is found afterwards does not belong to a process that had ended.
        if let Some((dead, exit)) = self.ended()? {
            return Err(self.failure(&dead).died_at_start(exit));
        }
        let step = &self.program.steps[started.step];
        for (number, port) in self.ports[started.step].iter().enumerate() {
            let sockets = ports::listeners(*port).map_err(SubjectError::files("/proc/net/tcp", "read"))?;
            if sockets.is_empty() {
                return Ok(Readiness::Missing(format!("nothing listens on port {port}")));
            }
            let ours = ports::held_by(&self.members(started), &sockets);
            if ours.len() < sockets.len() {
                let others = sockets.difference(&ours).copied().collect();
                let holder = ports::name_holder(&tree::snapshot(), &others);
                return Ok(Readiness::Foreign { port: *port, holder });
            }
            match ports::probe(&self.at(started.step, *port), step.ready_path(number), PROBE_WITHIN) {
                Ok(()) => {}
                Err(ProbeError::Silent(what)) => return Ok(Readiness::Silent(what)),
                Err(ProbeError::Other(what)) => return Ok(Readiness::Missing(what)),
            }
        }
        Ok(Readiness::Ready)
    }
}
