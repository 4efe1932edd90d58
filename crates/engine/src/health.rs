//! Was the generator itself fit to measure? Pure arithmetic on what the workers wrote down.
//!
//! - **Send delay.** Only the part that is the generator's doing: from the instant at which a send was due
//!   *and* a connection was free, to the instant at which it was begun. Waiting for a free connection in
//!   an open loop is the server's doing and shows in response time. Its 90th percentile may be 0.05 ms or 5 %
//!   of the 90th percentile of response time, whichever is more, besides the coalescing that was asked for.
//! - **CPU.** A worker is the bottleneck when it is never at leisure: whenever it asks for what happened,
//!   something has happened already. So what counts is the share of the window in which it had something to do,
//!   in wall time (`at_work`), not CPU time: a worker that a quota throttles, or that shares its core, is
//!   just as late. A closed loop against a saturated server still waits for that server; by the utilisation
//!   law a generator at work 95 % of the time costs it under a twentieth of its throughput, so 0.95 is
//!   allowed. In an open loop work also delays sends and answers, so 0.70 is allowed (spinning ahead of a
//!   due send is leisure).
//! - **Away.** A worker waits at most a millisecond at a time. What a wait takes well beyond what it asked for is time in
//!   which the machine, a debugger or a SIGSTOP kept it from waking: nothing was sent or seen then. A closed loop asks less by
//!   that share, of which 2 % is allowed. Ticks of an open loop that fell due in it are late for the generator's own reasons,
//!   also where they then found all connections busy.
//! - **Lengthened.** An answer that comes while a worker is busy, or has no CPU, is taken late, and a send that leaves late
//!   lengthens what is measured from its intended instant. By how much that lengthens the mean, the p99 and the p999 is
//!   estimated, and allowed up to 10 %; intervals of claims about them are wider by twice that. No other figure is touched.
//! - **Little's law**, closed loop: connections in use on average = throughput times mean service time. The
//!   left side comes from the idle time of the connections, the right side from the recorder; a difference of over 5 % of
//!   the connections means that the generator loses time, or exchanges, that its latencies do not show.
//! - **Offered load**, open loop: of the planned requests 99 % are sent in the end. What waits for a connection until the
//!   load is over has no latency, so those of the others are too good. Where it was asked to drop what finds no
//!   connection, what was dropped for that reason is a figure and not a finding. What was given up because the
//!   generator itself was not back from waiting in time, by more than a send may be late, is not among them: a connection may
//!   have been free for it. Its lateness counts as send delay.
//! - **Ports and descriptors**: any want of them.
//! - **Limits of what is read**: any answer that exceeds one.

use crate::driver::Allowance;
use crate::record::{WorkerResult, WorkerSums};
use crate::{Check, CheckKind, Finding, LoadPlan};
use proofload_measure::{LatencyHistogram, Outcome, Snapshot};

const USUAL_SEND_DELAY_NS: u64 = 50_000;
/// Or this share of the same percentile of response time.
const SEND_DELAY_SHARE: f64 = 0.05;
/// Share of the window in which a worker may be at work.
const AT_WORK_CLOSED: f64 = 0.95;
const AT_WORK_OPEN: f64 = 0.70;
/// Share of the window in which a worker may have been kept from waking.
const AWAY_SHARE: f64 = 0.02;
/// Share by which the generator's own delays may lengthen a mean or a tail.
const LENGTHENED_SHARE: f64 = 0.10;
/// Largest value reported.
const LENGTHENED_MAX: f64 = 10.0;
/// Connections that may be unaccounted for, as a share of all.
const LITTLE_SHARE: f64 = 0.05;
/// Share of the planned requests that may be left unsent in the end.
const UNSENT_SHARE: f64 = 0.01;
/// Fewer exchanges than this tell nothing about a 99th percentile or a mean.
const FEWEST: u64 = 100;

/// Checks the workers of one load: what failed, and every check with its figure.
pub(crate) fn assess(
    plan: &LoadPlan,
    sums: &WorkerSums,
    workers: &[WorkerResult],
    snapshot: &Snapshot,
    allowance: &Allowance,
) -> (Vec<Finding>, Vec<Check>) {
    let mut findings = Vec::new();
    let delay = send_delay(plan, &sums.own_delay, snapshot);
    findings.extend(delay.1);
    findings.extend(cpu(plan, workers));
    let away = away(workers);
    findings.extend(away.1);
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
    let exchanges = snapshot.outcomes.get(Outcome::BeyondLimit);
    if exchanges > 0 {
        findings.push(Finding::BeyondLimit { exchanges });
    }
    let count = |kind, n: u64| Check { kind, found: Some(n as f64), allowed: 0.0 };
    let busiest = workers.iter().map(|worker| worker.at_work).fold(0.0, f64::max);
    let at_work = Check { kind: CheckKind::AtWork, found: Some(busiest), allowed: at_work_allowed(plan) };
    let ends = [count(CheckKind::Ports, no_port), count(CheckKind::Descriptors, no_descriptor)];
    let before = [delay.0, offered.0, at_work, away.0];
    let checks = before.into_iter().chain(lengthened(plan, sums, snapshot)).chain([little.0]).chain(ends);
    (findings, checks.collect())
}

/// The check of the 90th percentile. One that fails is a finding: most figures may be in part the generator's.
fn send_delay(plan: &LoadPlan, own: &LatencyHistogram, snapshot: &Snapshot) -> (Check, Option<Finding>) {
    let found = own.quantile_ns(0.9).filter(|_| own.count() >= FEWEST);
    // A time that the generator's own delay has lengthened is not a measure for that delay.
    let response_ns = response_ns(snapshot, 0.9).saturating_sub(found.unwrap_or(0));
    let allowed_ns = USUAL_SEND_DELAY_NS.max((response_ns as f64 * SEND_DELAY_SHARE) as u64);
    let allowed_ns = allowed_ns + plan.profile.coalesce_ns();
    let late = found.filter(|found| *found > allowed_ns);
    (
        Check {
            kind: CheckKind::SendDelay,
            found: found.map(|delay_ns| delay_ns as f64),
            allowed: allowed_ns as f64,
        },
        late.map(|p90_ns| Finding::SendDelay { p90_ns, allowed_ns }),
    )
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

/// Time beyond what waits asked for: something else kept the worker from waking, and no figure of a load counts it.
fn away(workers: &[WorkerResult]) -> (Check, Option<Finding>) {
    let most = (0u32..).zip(workers).max_by(|(_, a), (_, b)| a.away.total_cmp(&b.away));
    let (worker, share) = most.map_or((0, 0.0), |(at, worker)| (at, worker.away));
    let check = Check { kind: CheckKind::Away, found: Some(share), allowed: AWAY_SHARE };
    (check, (share > AWAY_SHARE).then_some(Finding::Away { worker, share, allowed: AWAY_SHARE }))
}

/// Share of the mean and the tail that the generator itself causes. The known effect of its short delays is added once
/// more, and the change is taken for the effect that they have had already (simulation-extrapolation, Cook and
/// Stefanski 1994). Long ones, of more than a tenth of the quantile, may be all that lies beyond it: what they may have
/// hit is left out. Delays are those of sends, coalescing that was asked for aside, and of answers that came while a
/// worker was away or busy.
fn lengthened(plan: &LoadPlan, sums: &WorkerSums, snapshot: &Snapshot) -> [Check; 3] {
    let (away, none) = (&sums.hiccups, LatencyHistogram::new());
    // A coalesced send is late on purpose.
    let sends = if plan.profile.coalesce_ns() > 0 { &none } else { &sums.own_delay };
    let added = [(away.late(), away.asked()), (sends, sends.count())];
    let times = &snapshot.response_time;
    let is_known = away.asked() >= FEWEST && times.count() >= FEWEST;
    let check = |kind, longer: Option<f64>| Check {
        kind,
        found: longer.filter(|_| is_known).map(|longer| longer.max(0.0)),
        allowed: LENGTHENED_SHARE,
    };
    let quantile = |q: f64| {
        let alone = times.quantile_ns(q)?;
        let (mut longer, mut spoiled) = (0.0, 0.0);
        for (added, of) in added {
            let (short, long) = added.parted_at((alone as f64 * LENGTHENED_SHARE) as u64);
            longer += times.quantile_with_added(&short, of, q)? as f64 / alone as f64 - 1.0;
            spoiled += long as f64 / of.max(1) as f64;
        }
        // At worst all that waited so long are the longest, and what is left below them is the server's own.
        let without = match spoiled < 0.5 {
            true => times.quantile_ns(q * (1.0 - spoiled))? as f64,
            false => 0.0,
        };
        Some((longer + alone as f64 / without - 1.0).min(LENGTHENED_MAX))
    };
    let mean = |(added, of): (&LatencyHistogram, u64)| {
        added.mean_ns().map_or(0.0, |mean| mean * added.count() as f64 / of.max(1) as f64)
    };
    [
        check(CheckKind::LengthenedMean, times.mean_ns().map(|ns| added.map(mean).iter().sum::<f64>() / ns)),
        check(CheckKind::LengthenedP99, quantile(0.99)),
        check(CheckKind::LengthenedP999, quantile(0.999)),
    ]
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
    // Users have connections that they do not use all the time.
    if !plan.profile.is_closed() || plan.asking.journeys.is_some() || snapshot.service_time.count() < FEWEST {
        return (check(None), None);
    }
    let (mut expected, mut found, mut all) = (0.0, 0.0, 0.0);
    for worker in workers {
        let wall_ns = worker.wall_ns as f64;
        if wall_ns <= 0.0 {
            continue;
        }
        let (idle, over) = (worker.idle_time.idle_ns as f64, worker.idle_time.over_ns as f64);
        let lanes = worker.connections as f64 * f64::from(plan.in_flight);
        expected += lanes + (over - idle) / wall_ns;
        found += worker.service_sum_ns as f64 / wall_ns;
        all += lanes;
    }
    let apart: f64 = expected - found;
    let share = (all > 0.0).then(|| apart.abs() / all);
    let differs = apart.abs() > LITTLE_SHARE * all;
    (check(share), differs.then_some(Finding::LittlesLaw { expected, found }))
}

#[cfg(test)]
pub(crate) mod tests;
