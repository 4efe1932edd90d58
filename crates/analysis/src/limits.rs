//! Limits of a test, from observations.

mod misled;

use crate::figures::{errors, outcome};
use crate::fitness::{Disturbance, disturbances, left_out};
use crate::merge::redirects_of;
use misled::misled;
use proofload_facts::{Fact, Finding, Limit};
use proofload_stats::ERROR_SHARE_MAX;
use proofload_store::schema::{
    self, Baseline, Mode, Model, Plan, Point, Preset, Replication, RunResult, Slice, SubjectKind, Transport,
};
use proofload_store::{Run, ended_in_window};
use std::collections::BTreeMap;

/// Most limits about what could not be measured.
const MISSING_TOLD_MAX: usize = 6;

/// Most disturbed blocks that are listed one by one; JSON has all.
const DISTURBED_TOLD_MAX: usize = 6;

/// An open loop of which less than this comes to an end in time is more than the server serves.
const CARRIED_SHARE_MIN: f64 = 0.95;

/// Limits of the test, from observations.
pub(crate) fn limits(run: &Run) -> Vec<Limit> {
    let plan = run.plan();
    let measured: Vec<&Slice> =
        run.blocks().iter().flat_map(|block| &block.slices).filter(|slice| slice.is_measured()).collect();
    let mut limits = Vec::new();
    if plan.timing.looks == [1] && !plan.not_tested.contains(&Finding::NoVerdict) {
        limits.push(Limit::OneStart);
    }
    limits.extend(warm_up(plan, &measured));
    if plan.points.iter().any(saturates) {
        limits.push(Limit::Saturated);
    }
    limits.extend(overloaded(&measured));
    limits.extend(place(run));
    limits.extend(telemetry(&measured, plan));
    limits.extend(lost_agents(&measured));
    limits.extend(doubtful(&measured));
    limits.extend(disturbed(run));
    if plan.mode == Mode::Serial {
        limits.push(Limit::Serial);
    }
    if plan.variants.iter().any(|variant| !variant.shares.is_empty()) {
        limits.push(Limit::SharedProcess);
    }
    limits.extend(lost(run, plan));
    limits.extend(spared(run));
    let (damaged, cut): (Vec<_>, Vec<_>) = run.excluded().iter().partition(|block| block.damage.is_some());
    limits.extend(
        damaged.iter().take(DISTURBED_TOLD_MAX).filter_map(|block| {
            Some(Limit::BlockDamaged { block: block.number, what: block.damage.clone()? })
        }),
    );
    if !cut.is_empty() {
        limits.push(Limit::BlocksExcluded { blocks: cut.len() as u32 });
    }
    limits.extend(circumstances(run));
    limits
}

/// All limits of a result, the most severe first: those of the record, of a comparison with a baseline, and of what was asked
/// without a study.
pub fn of_result(result: &RunResult) -> Vec<Limit> {
    let mut limits = unchecked(result);
    let single = result.plan.is_none();
    let mut points = result.points.clone();
    if single {
        // There is one address: it need not be named in each sentence.
        points.iter_mut().for_each(|point| (point.variant, point.point) = (String::new(), String::new()));
        limits.extend(points.iter().flat_map(of_point));
        let is_fit = points.iter().all(|point| point.generator.fit);
        limits.extend(crate::unfit::limits(&points).into_iter().filter(|_| is_fit));
    }
    if result.capacities.is_empty() {
        limits.extend(failures(&points, single));
    }
    limits.extend(points.iter().filter_map(surplus));
    limits.extend(by_variant(&points, misled));
    limits.extend(result.limits.iter().cloned());
    limits.extend(result.baseline.iter().flat_map(of_baseline));
    limits.extend(redirects(&result.points));
    limits.extend(redirects_elsewhere(&result.points));
    for found in &result.capacities {
        let variant = &found.variant;
        limits.extend(
            found.reasons.iter().map(|why| Limit::Capacity { variant: variant.clone(), why: why.clone() }),
        );
    }
    limits.sort_by_key(Fact::severity);
    limits
}

/// Servers whose certificate was not checked.
fn unchecked(result: &RunResult) -> Vec<Limit> {
    let unchecked = |transport: &Option<Transport>| {
        transport.as_ref().and_then(|transport| transport.tls.as_ref()).is_some_and(|tls| tls.insecure)
    };
    let variants = result.plan.iter().flat_map(|plan| &plan.variants);
    let variants = variants.filter(|variant| unchecked(&variant.transport)).map(|variant| &variant.name);
    let points = result.points.iter().filter(|point| unchecked(&point.transport)).map(|point| &point.variant);
    variants.chain(points).map(|variant| Limit::TlsUnchecked { variant: variant.clone() }).collect()
}

fn of_baseline(baseline: &Baseline) -> Vec<Limit> {
    let mut limits = vec![Limit::BaselineNotPaired];
    if baseline.figures.iter().all(|figure| figure.tau.is_none()) {
        limits.push(Limit::BaselineWithoutSpread);
    }
    limits.extend(baseline.build.iter().map(|what| Limit::BaselineOtherBuild { what: what.clone() }));
    limits.extend(baseline.differences.iter().map(|what| Limit::BaselineDiffers { what: what.clone() }));
    limits.extend(baseline.unmatched.iter().map(|what| Limit::BaselineLacks { what: what.clone() }));
    limits
}

/// Limits of a single measurement.
fn of_point(point: &Point) -> Vec<Limit> {
    let (variant, label) = (|| point.variant.clone(), || point.point.clone());
    let mut limits = Vec::new();
    if outcome(point, "answered") == 0 {
        limits.push(nothing_answered(point));
    } else if !point.generator.fit {
        let limited = |what: &Finding| Limit::GeneratorLimited {
            variant: variant(),
            point: label(),
            tails: false,
            what: what.clone(),
        };
        limits.extend(point.generator.findings.iter().map(limited));
    }
    if point.dropped > 0 {
        let dropped_share = point.dropped as f64 / point.intended.max(1) as f64;
        limits.push(Limit::Dropped {
            variant: variant(),
            point: label(),
            dropped: point.dropped,
            intended: point.intended,
            dropped_share,
            many: dropped_share > DROPPED_SHARE_MAX,
        });
    }
    let unsent = point.unsent.saturating_sub(point.dropped);
    if unsent > 0 {
        limits.push(Limit::Unsent { variant: variant(), point: label(), unsent, intended: point.intended });
    }
    if point.connections_peak > point.connections {
        limits.push(Limit::ConnectionsOpened {
            variant: variant(),
            point: label(),
            began: point.connections,
            peak: point.connections_peak,
            most: point.connections_most,
            full: point.connections_peak >= point.connections_most,
        });
    }
    let unanswered = outcome(point, "unanswered");
    if unanswered > 0 {
        limits.push(Limit::Unanswered { variant: variant(), point: label(), unanswered });
    }
    limits
}

/// Errors that happened in place of answers.
pub fn nothing_answered(point: &Point) -> Limit {
    // Unsent requests tell nothing about the server where something else happened.
    let others = point.outcomes.iter().filter(|(_, n)| **n > 0);
    let most = others.max_by_key(|(kind, n)| (kind.as_str() != "unsent", **n));
    let (outcome, times) =
        most.map_or_else(|| ("nothing_asked".to_string(), 0), |(kind, n)| (kind.clone(), *n));
    Limit::NothingAnswered { variant: point.variant.clone(), point: point.point.clone(), outcome, times }
}

/// Each variant of which more exchanges failed than a claim about speed allows. At the limit of a capacity some always do.
fn failures(points: &[Point], single: bool) -> Vec<Limit> {
    let wholes = || points.iter().filter(|point| point.stream.is_empty());
    // Of one address that nothing came is a limit of its own.
    if single && !wholes().any(|point| outcome(point, "answered") > 0) {
        return Vec::new();
    }
    by_variant(points, failed)
}

/// Something about each variant and its points, those of single streams left out.
fn by_variant<L: IntoIterator<Item = Limit>>(points: &[Point], of: fn(&str, &[&Point]) -> L) -> Vec<Limit> {
    let mut variants: BTreeMap<&str, Vec<&Point>> = BTreeMap::new();
    for point in points.iter().filter(|point| point.stream.is_empty()) {
        variants.entry(&point.variant).or_default().push(point);
    }
    variants.iter().flat_map(|(variant, points)| of(variant, points)).collect()
}

fn failed(variant: &str, points: &[&Point]) -> Option<Limit> {
    let failed = points.iter().fold(0_u64, |sum, point| sum.saturating_add(errors(point)));
    let answered = points.iter().fold(0_u64, |sum, point| sum.saturating_add(outcome(point, "answered")));
    let exchanges = failed.saturating_add(answered);
    if failed == 0 || failed as f64 <= ERROR_SHARE_MAX * exchanges as f64 {
        return None;
    }
    let kinds = points.iter().flat_map(|point| &point.outcomes);
    let kinds = kinds.filter(|(kind, _)| !matches!(kind.as_str(), "answered" | "unsent"));
    let (most, _) = kinds.max_by_key(|(_, n)| **n)?;
    let bad = points.iter().flat_map(|point| &point.bad_answers).find(|bad| bad.outcome == *most);
    Some(Limit::ExchangesFailed {
        variant: variant.to_string(),
        failed,
        exchanges,
        outcome: most.clone(),
        example: bad.map(|bad| bad.what.clone()).unwrap_or_default(),
    })
}

/// Answers that nothing asked for.
fn surplus(point: &Point) -> Option<Limit> {
    (point.surplus > 0 && point.stream.is_empty()).then(|| Limit::SurplusAnswers {
        variant: point.variant.clone(),
        point: point.point.clone(),
        surplus: point.surplus,
    })
}

/// Redirects among the answers, over all points; those of a stream are in the point's own.
fn redirects(points: &[Point]) -> Option<Limit> {
    let wholes = || points.iter().filter(|point| point.stream.is_empty());
    let redirects = wholes().map(redirects_of).fold(0, u64::saturating_add);
    let followed = wholes().map(|point| point.redirects).fold(0, u64::saturating_add);
    (redirects > 0).then_some(Limit::Redirects { redirects, followed })
}

/// Other origins that redirects led to, over all points.
fn redirects_elsewhere(points: &[Point]) -> impl Iterator<Item = Limit> {
    let mut led = BTreeMap::new();
    for point in points.iter().filter(|point| point.stream.is_empty()) {
        for (origin, redirects) in &point.redirects_elsewhere {
            let sum: &mut u64 = led.entry(origin.clone()).or_default();
            *sum = sum.saturating_add(*redirects);
        }
    }
    led.into_iter().map(|(origin, redirects)| Limit::RedirectsElsewhere { origin, redirects })
}

/// Largest dropped share at which the load is still the planned one.
const DROPPED_SHARE_MAX: f64 = 0.01;

/// Warmth of the servers.
fn warm_up(plan: &Plan, measured: &[&Slice]) -> Option<Limit> {
    if plan.replication == Replication::Process {
        return Some(Limit::RunningServers);
    }
    let (from_s, to_s) = ages(measured)?;
    match plan.preset {
        Preset::Smoke | Preset::Quick => {
            let (from_s, to_s) = (from_s.round(), to_s.round());
            Some(Limit::YoungServers { from_s, to_s, jvm: has_jvm(measured) })
        }
        _ if plan.timing.warm_up_cap_ns == 0 => Some(Limit::FixedWarmUp),
        _ => None,
    }
}

/// Hindrances of the generator, and slices with marks.
fn doubtful(measured: &[&Slice]) -> Vec<Limit> {
    let marked: Vec<&Finding> = measured.iter().filter_map(|slice| slice.marks.first()).collect();
    let marked = marked.first().map(|first| Limit::SlicesMarked {
        marked: marked.len() as u32,
        slices: measured.len() as u32,
        first: (*first).clone(),
    });
    unfit(measured).into_iter().chain(marked).collect()
}

/// Slices with an unfit generator: one limit, for they have one cause.
fn unfit(measured: &[&Slice]) -> Option<Limit> {
    let of_slice = |slice: &&&Slice| own_findings(slice).next().is_some();
    let unfit: Vec<&&Slice> = measured.iter().filter(of_slice).collect();
    let (n, slices) = (unfit.len() as u32, measured.len() as u32);
    let findings = || unfit.iter().flat_map(|slice| own_findings(slice));
    let shares = findings().filter_map(|finding| match finding {
        Finding::WorkerHeldUp { away_share, allowed_share, .. } => Some((*away_share, *allowed_share)),
        _ => None,
    });
    let held_up = shares.fold(None, |seen: Option<(f64, f64, f64)>, (share, allowed)| {
        let (least, most, _) = seen.unwrap_or((share, share, allowed));
        Some((least.min(share), most.max(share), allowed))
    });
    match held_up {
        Some((least_share, most_share, allowed_share)) => {
            Some(Limit::GeneratorHeldUp { unfit: n, slices, least_share, most_share, allowed_share })
        }
        None => {
            findings().next().map(|first| Limit::GeneratorUnfit { unfit: n, slices, first: first.clone() })
        }
    }
}

/// Circumstances of a run of any kind: how it was made, and on what machine.
pub(crate) fn circumstances(run: &Run) -> Vec<Limit> {
    let plan = run.plan();
    let mut limits = sittings(run);
    if !plan.repeats.is_empty() {
        limits
            .push(Limit::Repeats { run: plan.repeats.clone(), differences: plan.repeat_differences.clone() });
    }
    limits.extend(plan.not_tested.iter().map(untested));
    let noticed = run.status().sittings.iter().flat_map(|sitting| &sitting.machine);
    let machine = run.environment().findings.iter().chain(noticed);
    limits.extend(machine.map(|what| Limit::Machine { what: what.clone() }));
    limits
}

/// A closed loop without think time, alone or among streams.
fn saturates(point: &schema::LoadPoint) -> bool {
    let is = |model: &Model, think_ns: u64| *model == Model::Closed && think_ns == 0;
    match point.streams.as_slice() {
        [] => is(&point.model, point.think_ns),
        streams => streams.iter().any(|load| is(&load.model, load.think_ns)),
    }
}

/// Each variant and load point of an open loop of which a fit generator asked more than it serves.
fn overloaded(measured: &[&Slice]) -> Vec<Limit> {
    let mut seen: BTreeMap<(&str, &str, &str), (u64, u64)> = BTreeMap::new();
    for slice in measured {
        let point = &slice.measured;
        if point.model != Model::Open || !point.generator.fit {
            continue;
        }
        let (due, ended) = seen.entry((&point.variant, &point.point, &point.stream)).or_default();
        *due = due.saturating_add(point.intended);
        *ended = ended.saturating_add(ended_in_window(slice));
    }
    let share = |(due, ended): (u64, u64)| if due > 0 { ended as f64 / due as f64 } else { 1.0 };
    seen.into_iter()
        .filter(|(_, counts)| share(*counts) < CARRIED_SHARE_MIN)
        .map(|((variant, point, stream), counts)| Limit::Overloaded {
            variant: variant.to_string(),
            point: point.to_string(),
            stream: stream.to_string(),
            completed_share: share(counts),
        })
        .collect()
}

/// Share of a server's median from which on the time of a small exchange is reported.
const NETWORK_SHARE_MIN: f64 = 0.25;

/// Consequences of the places of generator and servers: on one machine, or with a network between them.
pub(crate) fn place(run: &Run) -> Vec<Limit> {
    let agents = &run.plan().agents;
    let shared = agents.is_empty() || agents.iter().any(|agent| agent.is_here);
    let shared = shared.then_some(Limit::Loopback);
    shared.into_iter().chain(network_part(run)).collect()
}

/// The network's part in the quickest median that was measured.
fn network_part(run: &Run) -> Option<Limit> {
    let network_ns = run.network()?.p50_ns?;
    let slices = run.blocks().iter().flat_map(|block| &block.slices).filter(|slice| slice.is_measured());
    let medians =
        slices.filter_map(|slice| Some((slice.measured.service_time_ns.p50?, &slice.measured.variant)));
    let (quickest_ns, variant) = medians.min()?;
    let share = network_ns as f64 / quickest_ns.max(1) as f64;
    (share >= NETWORK_SHARE_MIN).then(|| Limit::NetworkPart {
        variant: variant.clone(),
        p50_ns: network_ns,
        part_share: share.min(1.0),
    })
}

fn is_of_agents(finding: &Finding) -> bool {
    matches!(finding, Finding::AgentLost { .. } | Finding::AgentLostBefore { .. })
}

/// Findings of the self-checks, lost agents left out.
fn own_findings(slice: &Slice) -> impl Iterator<Item = &Finding> {
    slice.measured.generator.findings.iter().filter(|finding| !is_of_agents(finding))
}

/// Each agent, where a slice lacks more of them than those before it.
fn lost_agents(measured: &[&Slice]) -> Vec<Limit> {
    let (mut limits, mut known) = (Vec::new(), 0);
    for (at, slice) in measured.iter().enumerate() {
        let lost = slice.measured.generator.agents_lost();
        if lost <= known {
            continue;
        }
        known = lost;
        let missing =
            measured[at..].iter().filter(|slice| slice.measured.generator.agents_lost() > 0).count();
        let findings = slice.measured.generator.findings.iter().filter(|finding| is_of_agents(finding));
        limits.extend(findings.map(|what| Limit::AgentMissing {
            block: slice.block,
            missing: missing as u32,
            slices: measured.len() as u32,
            what: what.clone(),
        }));
    }
    limits
}

/// Each variant that was lost in a block, with what happened first.
fn lost(run: &Run, plan: &Plan) -> Vec<Limit> {
    let of_variant = |variant: &schema::Variant| {
        let all = run.blocks().iter().flat_map(|block| &block.lost);
        let lost: Vec<_> = all.filter(|l| l.variant == variant.name).collect();
        let first = lost.first()?.why.first()?.clone();
        Some(Limit::VariantLost {
            variant: variant.name.clone(),
            blocks: lost.len() as u32,
            given_up: lost.iter().any(|lost| lost.given_up),
            first,
        })
    };
    plan.variants.iter().filter_map(of_variant).collect()
}

/// Each variant and load point that blocks left out.
fn spared(run: &Run) -> Vec<Limit> {
    let mut left_out: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for spared in run.blocks().iter().flat_map(|block| &block.spared) {
        *left_out.entry((&spared.variant, &spared.point)).or_default() += 1;
    }
    let limit = |((variant, point), blocks): ((&str, &str), u32)| Limit::Spared {
        variant: variant.to_string(),
        point: point.to_string(),
        blocks,
    };
    left_out.into_iter().map(limit).collect()
}

/// A part of the study that was not tested; that no verdict is possible is more than that.
fn untested(what: &Finding) -> Limit {
    match what {
        Finding::NoVerdict => Limit::OneStart,
        Finding::NoFirstLook { .. } | Finding::NoSearch { .. } => {
            Limit::NoVerdictInTime { what: what.clone() }
        }
        Finding::FewerLooks { .. } | Finding::FewerTrials { .. } => {
            Limit::FewerLooksInTime { what: what.clone() }
        }
        what => Limit::NotTested { what: what.clone() },
    }
}

/// Notes on a run that was resumed.
fn sittings(run: &Run) -> Vec<Limit> {
    let sittings = &run.status().sittings;
    let mut limits = Vec::new();
    if sittings.len() > 1 {
        // Of a search every trial that is whole counts, whatever its block came to.
        let cut = run.plan().capacity.is_none().then(|| run.cut_blocks().count() as u32);
        limits.push(Limit::Resumed { times: sittings.len() as u32 - 1, cut });
    }
    let differences = sittings.iter().flat_map(|sitting| &sitting.differences);
    limits.extend(differences.map(|what| Limit::ResumedElsewhere { what: what.clone() }));
    limits
}

/// The first blocks that the machine disturbed.
pub(crate) fn disturbed(run: &Run) -> Vec<Limit> {
    let out = left_out(run);
    let disturbances = disturbances(run).into_iter().take(DISTURBED_TOLD_MAX);
    let limit = |it: Disturbance| match out.contains(&it.block) {
        true => Limit::BlockLeftOut { block: it.block, causes: it.causes },
        false => Limit::BlockDisturbed { block: it.block, causes: it.causes },
    };
    disturbances.map(limit).collect()
}

/// Cost of observing the subjects, and values that could not be observed.
fn telemetry(measured: &[&Slice], plan: &Plan) -> Vec<Limit> {
    let mut limits = Vec::new();
    let costs = measured
        .iter()
        .filter_map(|slice| Some((slice.measured.subject.as_ref()?.sampler_cpu_ns?, slice.measured.seconds)));
    let (cost_ns, seconds) =
        costs.fold((0, 0.0), |(ns, s): (u64, f64), (cost, seconds)| (ns.saturating_add(cost), s + seconds));
    if seconds > 0.0 {
        limits.push(Limit::TelemetryCost { cores_share: cost_ns as f64 / 1e9 / seconds });
    }
    if plan.variants.iter().any(|variant| variant.kind == SubjectKind::Url) {
        limits.push(Limit::NoProcesses);
    }
    let mut missing: Vec<&Finding> = Vec::new();
    for what in measured.iter().filter_map(|slice| slice.telemetry.as_ref()).flat_map(|seen| &seen.missing) {
        if missing.len() < MISSING_TOLD_MAX && !missing.contains(&what) {
            missing.push(what);
        }
    }
    limits.extend(missing.into_iter().map(|what| Limit::TelemetryMissing { what: what.clone() }));
    limits
}

/// True if any subject reported the clocks of a JVM.
fn has_jvm(measured: &[&Slice]) -> bool {
    let uses = measured.iter().filter_map(|slice| slice.measured.subject.as_ref());
    uses.into_iter().any(|used| used.jit_ns.is_some() || used.gc_ns.is_some())
}

fn ages(measured: &[&Slice]) -> Option<(f64, f64)> {
    let ages = measured.iter().map(|slice| slice.age_seconds).filter(|age| *age > 0.0);
    let youngest = ages.clone().fold(f64::INFINITY, f64::min);
    let ends = measured.iter().map(|slice| slice.age_seconds + slice.measured.seconds);
    youngest.is_finite().then(|| (youngest, ends.fold(0.0, f64::max)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_were_lost_are_named_where_they_were() {
        let lost =
            |agent: &str| Finding::AgentLost { agent: agent.into(), reported_s: 3.0, offered_share: 0.8 };
        let before = |agent: &str| Finding::AgentLostBefore { agent: agent.into(), offered_share: 0.8 };
        let late = || Finding::SendsLate { p90_ns: 2, allowed_ns: 1 };
        let slice = |block, lost, findings: Vec<Finding>| {
            let agents = Some(schema::Agents { count: 3, lost, ..Default::default() });
            let generator = schema::Generator { agents, findings, ..Default::default() };
            Slice { block, measured: schema::Point { generator, ..Default::default() }, ..Slice::default() }
        };
        let slices = [
            slice(1, 0, vec![late()]),
            slice(2, 1, vec![lost("agent 1"), late()]),
            slice(3, 1, vec![before("agent 1")]),
            slice(4, 2, vec![before("agent 1"), lost("agent 2")]),
        ];
        let measured: Vec<&Slice> = slices.iter().collect();
        let missing = |block, missing, what| Limit::AgentMissing { block, missing, slices: 4, what };
        let expected = [
            missing(2, 3, lost("agent 1")),
            missing(4, 1, before("agent 1")),
            missing(4, 1, lost("agent 2")),
        ];
        assert_eq!(lost_agents(&measured), expected);
        assert!(own_findings(&slices[1]).eq([&late()]), "a check of the others");
    }

    fn point(counts: &[(&str, u64)], codes: &[(&str, u64)]) -> Point {
        let map = |of: &[(&str, u64)]| of.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        Point { variant: "shop".into(), outcomes: map(counts), codes: map(codes), ..Point::default() }
    }

    #[test]
    fn answers_that_are_all_redirects_are_no_page() {
        let to = "https://www.shop.test/".to_owned();
        let cause = Some(Finding::RedirectsTo { to: to.clone() });
        let all = Point { cause, ..point(&[("answered", 30)], &[("302", 12), ("307", 18)]) };
        let limit = |redirects, to| Limit::AllRedirected {
            variant: "shop".into(),
            redirects,
            status: "307".into(),
            to,
        };
        assert_eq!(misled("shop", &[&all]), [limit(30, to.clone())]);
        let unknown = Point { cause: None, ..all.clone() };
        assert_eq!(misled("shop", &[&unknown, &all]), [limit(60, to)], "one load point of two tells");
        assert_eq!(misled("shop", &[&unknown]), [limit(30, String::new())]);
        let followed = Point { redirects: 1, ..all.clone() };
        let pages = point(&[("answered", 31)], &[("307", 30), ("200", 1)]);
        let none = point(&[("connect_refused", 3)], &[]);
        for other in [followed, pages, none, point(&[], &[])] {
            assert_eq!(misled("shop", &[&other]), []);
        }
    }

    #[test]
    fn a_refusal_says_what_the_server_asks_for() {
        let asked = |head: &str| {
            let received = format!("{head}\r\nContent-Length: 0\r\n\r\nWWW-Authenticate: Body\r\n");
            let bad = schema::BadAnswer {
                outcome: "rejected".into(),
                what: String::new(),
                received,
                ..Default::default()
            };
            let of = Point { bad_answers: vec![bad], ..point(&[("rejected", 5)], &[("401", 5)]) };
            match misled("shop", &[&of]).as_slice() {
                [Limit::AsksWho { scheme, realm, .. }] => Some((scheme.clone(), realm.clone())),
                [] => None,
                other => panic!("{other:?}"),
            }
        };
        let some = |scheme: &str, realm: &str| Some((scheme.to_owned(), realm.to_owned()));
        let table = [
            (
                "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"the shop\", charset=\"UTF-8\"",
                some("basic", "the shop"),
            ),
            ("HTTP/1.0 401\r\nwww-authenticate:Bearer", some("bearer", "")),
            ("HTTP/1.1 401 No\r\nWww-Authenticate: Negotiate, NTLM", some("negotiate", "")),
            (
                "HTTP/1.1 401 No\r\nWWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\n\
                 WWW-Authenticate: Basic realm=\"x\"",
                some("basic", "x"),
            ),
            (
                "HTTP/1.1 401 No\r\nWWW-Authenticate: NTLM a==, Digest nonce=\"a, b\", realm=\"x, y\"",
                some("digest", "x, y"),
            ),
            ("HTTP/1.1 401 No\r\nServer: x", None),
            ("HTTP/1.1 403 No\r\nWWW-Authenticate: Basic realm=\"a\"", None),
            ("", None),
        ];
        for (head, expected) in table {
            assert_eq!(asked(head), expected, "{head}");
        }
    }

    #[test]
    fn the_refusal_that_asks_for_something_need_not_be_the_first() {
        let refused = |received: &str| schema::BadAnswer {
            outcome: "rejected".into(),
            received: received.into(),
            ..Default::default()
        };
        let bad_answers = [
            "HTTP/1.1 404 No\r\n\r\n",
            "HTTP/1.1 401 No\r\nWWW-Authenticate: NTLM\r\n\r\n",
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer\r\n\r\n",
        ];
        let bad_answers = Vec::from(bad_answers.map(refused));
        let of = Point { bad_answers, ..point(&[("rejected", 5)], &[("401", 1), ("404", 4)]) };
        let (variant, scheme) = ("shop".into(), "bearer".into());
        assert_eq!(misled("shop", &[&of]), [Limit::AsksWho { variant, scheme, realm: String::new() }]);
    }

    #[test]
    fn ends_of_connections_after_the_same_number_are_a_rule() {
        let ended = |connections, fewest, most, failed: &[(&str, u64)]| {
            let ended = schema::EndedByServer { connections, fewest, most };
            Point { ended_by_server: Some(ended), ..point(failed, &[]) }
        };
        let limit = |connections, exchanges, failed, keep_alive: &str| {
            let (variant, keep_alive) = ("shop".into(), keep_alive.into());
            vec![Limit::EndsConnections { variant, connections, exchanges, failed, keep_alive }]
        };
        let hit = [("closed_early", 7), ("reset_reused", 2), ("reset_fresh", 5), ("answered", 40)];
        assert_eq!(misled("shop", &[&ended(90, 5, 5, &hit)]), limit(90, 5, 9, "5"));
        assert_eq!(misled("shop", &[&ended(90, 1_000, 1_000, &hit)]), limit(90, 1_000, 9, "1000"));
        let two = [ended(2, 1, 1, &hit), ended(1, 1, 1, &[])];
        assert_eq!(misled("shop", &[&two[0], &two[1]]), limit(3, 1, 9, "off"));
        let none = [
            ended(90, 4, 5, &hit),
            ended(2, 5, 5, &hit),
            ended(90, 5, 5, &[("answered", 90)]),
            // After idleness, say.
            ended(100, 1, 1, &hit),
            point(&hit, &[]),
        ];
        for point in &none {
            assert_eq!(misled("shop", &[point]), []);
        }
    }

    #[test]
    fn a_closed_loop_among_streams_saturates_like_one_alone() {
        let load = |model, think_ns| schema::StreamLoad { model, think_ns, ..schema::StreamLoad::default() };
        let point = |streams| schema::LoadPoint { model: Model::Mixed, streams, ..Default::default() };
        assert!(saturates(&point(vec![load(Model::Open, 0), load(Model::Closed, 0)])));
        assert!(!saturates(&point(vec![load(Model::Open, 0), load(Model::Closed, 5)])));
        let thinking = schema::LoadPoint { model: Model::Closed, ..point(vec![load(Model::Closed, 5)]) };
        assert!(!saturates(&thinking), "the point itself says nothing of its streams");
    }
}
