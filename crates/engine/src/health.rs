//! Was the generator itself fit to measure? Pure arithmetic on what the workers wrote down.
//!
//! - **Send delay.** Only the part that is the generator's doing: from the instant at which a send was due
//!   *and* a connection was free, to the instant at which it was begun. Waiting for a free connection in
//!   an open loop is the server's doing and shows in response time. Its 90th percentile may be 0.05 ms or 5 %
//!   of the 90th percentile of response time, whichever is more, besides the coalescing that was asked for. The
//!   99th may be 0.2 ms, or 5 % of that of response time; else the mean and the tail are in part the generator's, and no other
//!   figure is.
//! - **CPU.** A worker is the bottleneck when it is never at leisure: whenever it asks for what happened,
//!   something has happened already. So what counts is the share of the window in which it had something to do,
//!   in wall time (`at_work`), not CPU time: a worker that a quota throttles, or that shares its core, is
//!   just as late. A closed loop against a saturated server still waits for that server; by the utilisation
//!   law a generator at work 95 % of the time costs it under a twentieth of its throughput, so 0.95 is
//!   allowed. In an open loop work also delays sends and answers, so 0.70 is allowed (spinning ahead of a
//!   due send is leisure).
//! - **Hiccups.** An answer that comes while a worker is busy, or has no CPU, is taken late. Of the time of the window all
//!   but a thousandth has an answer taken within 0.2 ms, or 10 % of the 99th percentile of response time, whichever is
//!   more; else that percentile and those beyond are in part the generator's. No other figure is touched by it.
//! - **Little's law**, closed loop: connections in use on average = throughput times mean service time. The
//!   left side comes from the idle time of the connections, the right side from the recorder; a difference of over 5 % of
//!   the connections means that the generator loses time, or exchanges, that its latencies do not show.
//! - **Offered load**, open loop: of the planned requests 99 % are sent in the end. What waits for a connection until the
//!   load is over has no latency, so those of the others are too good. Where it was asked to drop what finds no
//!   connection, what was dropped for that reason is a figure and not a finding. What was given up because the
//!   generator itself was not back from waiting in time, by more than a send may be late, is not among them: a connection may
//!   have been free for it. Its lateness counts as send delay.
//! - **Ports and descriptors**: any want of them.

use crate::driver::Allowance;
use crate::hiccups::Hiccups;
use crate::record::{SEND_DELAY_NS, WorkerResult};
use crate::{Check, CheckKind, Finding, LoadPlan};
use proofload_measure::{LatencyHistogram, Snapshot};

/// One of ten.
const USUAL_SEND_DELAY_NS: u64 = 50_000;
/// Or this share of the same percentile of response time.
const SEND_DELAY_SHARE: f64 = 0.05;
/// Share of the window in which a worker may be at work.
const AT_WORK_CLOSED: f64 = 0.95;
const AT_WORK_OPEN: f64 = 0.70;
/// A worker may be this long away from its sockets, whatever the response times are.
const HICCUP_NS: u64 = 200_000;
/// Or this share of the 99th percentile of response time.
const HICCUP_SHARE: f64 = 0.10;
/// Connections that may be unaccounted for, as a share of all.
const LITTLE_SHARE: f64 = 0.05;
/// Share of the planned requests that may be left unsent in the end.
const UNSENT_SHARE: f64 = 0.01;
/// Fewer exchanges than these say nothing about a 99th percentile or a mean.
const FEWEST: u64 = 100;

/// Checks the workers of one load: what failed, and every check with its figure.
pub(crate) fn assess(
    plan: &LoadPlan,
    workers: &[WorkerResult],
    snapshot: &Snapshot,
    allowance: &Allowance,
) -> (Vec<Finding>, Vec<Check>) {
    let mut findings = Vec::new();
    let (delays, late) = send_delays(plan, workers, snapshot);
    findings.extend(late);
    findings.extend(cpu(plan, workers));
    let little = littles_law(plan, workers, snapshot);
    findings.extend(little.1);
    let offered = not_offered(plan, workers, snapshot);
    findings.extend(offered.1);
    let sum = |of: fn(&WorkerResult) -> u64| workers.iter().map(of).sum::<u64>();
    let (no_port, no_descriptor) = (sum(|w| w.no_port), sum(|w| w.no_descriptor));
    if no_port > 0 {
        let (opened, available) = (sum(|w| w.opened), crate::check::ports(plan, allowance));
        findings.push(Finding::Ports { exhausted: no_port, opened, available });
    }
    if no_descriptor > 0 {
        findings.push(Finding::Descriptors { exhausted: no_descriptor });
    }
    let count = |kind, n: u64| Check { kind, found: Some(n as f64), allowed: 0.0 };
    let busiest = workers.iter().map(|worker| worker.at_work).fold(0.0, f64::max);
    let at_work = Check { kind: CheckKind::AtWork, found: Some(busiest), allowed: at_work_allowed(plan) };
    let ends = [count(CheckKind::Ports, no_port), count(CheckKind::Descriptors, no_descriptor)];
    (
        findings,
        delays
            .into_iter()
            .chain([offered.0, at_work, hiccups(workers, snapshot), little.0])
            .chain(ends)
            .collect(),
    )
}

/// The checks of the 90th and the 99th percentile. One that fails at the 90th is a finding: most figures may be in part the
/// generator's.
fn send_delays(
    plan: &LoadPlan,
    workers: &[WorkerResult],
    snapshot: &Snapshot,
) -> ([Check; 2], Option<Finding>) {
    let mut own = LatencyHistogram::new();
    workers.iter().for_each(|worker| own.merge(&worker.own_delay));
    let check = |kind, quantile, least_ns: u64| {
        let found = own.quantile_ns(quantile).filter(|_| own.count() >= FEWEST);
        let response_ns = response_ns(snapshot, quantile);
        let allowed_ns = least_ns.max((response_ns as f64 * SEND_DELAY_SHARE) as u64);
        let allowed = (allowed_ns + plan.profile.coalesce_ns()) as f64;
        Check { kind, found: found.map(|delay_ns| delay_ns as f64), allowed }
    };
    let usual = check(CheckKind::SendDelay, 0.90, USUAL_SEND_DELAY_NS);
    let rare = check(CheckKind::SendDelayTail, 0.99, SEND_DELAY_NS);
    let late = usual.found.filter(|found| *found > usual.allowed);
    let finding =
        late.map(|found| Finding::SendDelay { p90_ns: found as u64, allowed_ns: usual.allowed as u64 });
    ([usual, rare], finding)
}

/// A quantile of response times, those in their rank that had no end; 0 without any.
fn response_ns(snapshot: &Snapshot, quantile: f64) -> u64 {
    snapshot.response_time.quantile_beside(&snapshot.unended, quantile).map_or(0, |found| found.value)
}

fn at_work_allowed(plan: &LoadPlan) -> f64 {
    if plan.profile.is_closed() { AT_WORK_CLOSED } else { AT_WORK_OPEN }
}

fn cpu(plan: &LoadPlan, workers: &[WorkerResult]) -> Vec<Finding> {
    let allowed = at_work_allowed(plan);
    let bound = (0u32..).zip(workers).filter(|(_, worker)| worker.at_work > allowed);
    bound.map(|(at, worker)| Finding::CpuBound { worker: at, busy: worker.at_work, allowed }).collect()
}

fn hiccups(workers: &[WorkerResult], snapshot: &Snapshot) -> Check {
    let mut all = Hiccups::default();
    workers.iter().for_each(|worker| all.merge(&worker.hiccups));
    let response_p99 = response_ns(snapshot, 0.99);
    let allowed_ns = HICCUP_NS.max((response_p99 as f64 * HICCUP_SHARE) as u64);
    // Fewer questions have no thousandth part.
    let found = (all.asked() >= 1_000).then(|| all.p999_ns() as f64);
    Check { kind: CheckKind::Hiccups, found, allowed: allowed_ns as f64 }
}

fn not_offered(plan: &LoadPlan, workers: &[WorkerResult], snapshot: &Snapshot) -> (Check, Option<Finding>) {
    let check = |found| Check { kind: CheckKind::Unsent, found, allowed: UNSENT_SHARE };
    let intended = snapshot.intended();
    if plan.profile.is_closed() || intended < FEWEST {
        return (check(None), None);
    }
    let behind: u64 = workers.iter().map(|worker| worker.behind).sum();
    let lacks = behind as f64 > UNSENT_SHARE * intended as f64;
    let finding = lacks.then_some(Finding::NotOffered { intended, behind });
    (check(Some(behind as f64 / intended as f64)), finding)
}

fn littles_law(plan: &LoadPlan, workers: &[WorkerResult], snapshot: &Snapshot) -> (Check, Option<Finding>) {
    let check = |found| Check { kind: CheckKind::LittlesLaw, found, allowed: LITTLE_SHARE };
    if !plan.profile.is_closed() || snapshot.service_time.count() < FEWEST {
        return (check(None), None);
    }
    let (mut expected, mut found, mut connections) = (0.0, 0.0, 0.0);
    for worker in workers {
        let wall_ns = worker.wall_ns as f64;
        if wall_ns <= 0.0 {
            continue;
        }
        let (idle, over) = (worker.idle_time.idle_ns as f64, worker.idle_time.over_ns as f64);
        expected += worker.connections as f64 + (over - idle) / wall_ns;
        found += worker.service_sum_ns as f64 / wall_ns;
        connections += worker.connections as f64;
    }
    let apart: f64 = expected - found;
    let share = (connections > 0.0).then(|| apart.abs() / connections);
    let differs = apart.abs() > LITTLE_SHARE * connections;
    (check(share), differs.then_some(Finding::LittlesLaw { expected, found }))
}

#[cfg(test)]
pub(crate) mod tests;
