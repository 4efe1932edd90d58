//! One load that several processes carry out: the share of each, and its report. The reports are judged only when
//! they are merged, by the checks that judge the workers of one process: a process is a few workers elsewhere.

use crate::generator::{LEAD_NS, Launch, Network, Performed};
use crate::record::HandedOver;
use crate::worker::opening_gap_ns;
use crate::{EngineError, LoadPlan};
use serde::{Deserialize, Serialize};

/// Result of one process for a load.
#[derive(Debug, Deserialize, Serialize)]
pub struct ShareResult {
    pub(crate) workers: Vec<HandedOver>,
    /// Local ports that it had.
    pub(crate) ports: u64,
    pub(crate) peak_rss_bytes: u64,
}

impl ShareResult {
    /// The same on an axis of time that is `by_ns` ahead.
    pub fn shift(&mut self, by_ns: i64) {
        self.workers.iter_mut().for_each(|worker| worker.shift(by_ns));
    }
}

/// Carries out this process's share of several loads.
///
/// # Errors
/// As [`crate::launch`].
pub fn execute_share<N: Network>(launch: Launch<'_, N>) -> Result<Vec<ShareResult>, EngineError> {
    let Performed { loads, allowance, peak_rss_bytes } = N::perform(launch)?;
    let ports = allowance.ports;
    let shares = loads.into_iter().map(|(workers, _)| ShareResult { workers, ports, peak_rss_bytes });
    Ok(shares.collect())
}

/// Longest time that a process needs from receiving its share to the first instant of the load, in nanoseconds: kept
/// connections are opened before it.
pub fn lead_ns(plans: &[LoadPlan]) -> u64 {
    let opening = plans.iter().filter(|plan| plan.opens_ahead()).map(|plan| {
        let shares = u64::from(plan.workers) * u64::from(plan.share.1);
        let each = u64::from(plan.connections).div_ceil(shares.max(1)) + plan.targets.len() as u64;
        (each + 1) * opening_gap_ns(plan)
    });
    LEAD_NS + opening.max().unwrap_or(0)
}
