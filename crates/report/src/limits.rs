//! What limits a test, from what was really seen.

use crate::messages;
use proofload_analysis::{disturbance, disturbances, left_out};
use proofload_store::schema::{self, Mode, Model, Plan, Preset, Replication, Slice, SubjectKind};
use proofload_store::{Run, ended_in_window};
use std::collections::BTreeMap;

/// Most sentences about what could not be measured.
const MISSING_TOLD_MAX: usize = 6;

/// Most disturbed blocks that are told one by one; JSON lists all.
const DISTURBED_TOLD_MAX: usize = 6;

/// An open loop of which less than this comes to an end in time is more than the server serves.
const CARRIED_SHARE_MIN: f64 = 0.95;

/// What limits the test, from what was really seen.
pub(crate) fn limits(run: &Run) -> Vec<String> {
    let plan = run.plan();
    let measured: Vec<&Slice> =
        run.blocks().iter().flat_map(|block| &block.slices).filter(|slice| slice.is_measured()).collect();
    let mut limits = Vec::new();
    if plan.timing.looks == [1] {
        limits.push(messages::SMOKE.to_string());
    }
    limits.extend(warm_up(plan, &measured));
    if plan.points.iter().any(saturates) {
        limits.push(messages::SATURATED.to_string());
    }
    limits.extend(overloaded(&measured));
    limits.extend(place(run));
    limits.extend(telemetry(&measured, plan));
    limits.extend(lost_agents(&measured));
    limits.extend(doubtful(&measured));
    limits.extend(disturbed(run));
    if plan.mode == Mode::Serial {
        limits.push(messages::SERIAL.to_string());
    }
    if plan.variants.iter().any(|variant| !variant.shares.is_empty()) {
        limits.push(messages::SHARED.to_string());
    }
    limits.extend(lost(run, plan));
    limits.extend(spared(run));
    if !run.excluded().is_empty() {
        limits.push(messages::excluded(run.excluded().len() as u32));
    }
    limits.extend(circumstances(run));
    limits
}

/// How warm the servers were.
fn warm_up(plan: &Plan, measured: &[&Slice]) -> Option<String> {
    if plan.replication == Replication::Process {
        return Some(messages::PROCESSES.to_string());
    }
    let (from, to) = ages(measured)?;
    match plan.preset {
        Preset::Smoke | Preset::Quick => Some(messages::young_servers(from, to, has_jvm(measured))),
        _ if plan.timing.warm_up_cap_ns == 0 => Some(messages::FIXED_WARM_UP.to_string()),
        _ => None,
    }
}

/// Slices whose generator was no match, and those at which something was noticed.
fn doubtful(measured: &[&Slice]) -> Vec<String> {
    let unfit: Vec<&String> = measured.iter().filter_map(|slice| findings(slice).1.first()).collect();
    let marked: Vec<&String> = measured.iter().filter_map(|slice| slice.marks.first()).collect();
    let of = measured.len();
    let unfit = unfit.first().map(|first| messages::unfit(unfit.len(), of, first));
    let marked = marked.first().map(|first| messages::marked(marked.len(), of, first));
    unfit.into_iter().chain(marked).collect()
}

/// How a run of any kind came about, and on what machine.
pub(crate) fn circumstances(run: &Run) -> Vec<String> {
    let plan = run.plan();
    let mut limits = sittings(run);
    if !plan.repeats.is_empty() {
        limits.push(messages::repeats(&plan.repeats, &plan.repeat_differences));
    }
    limits.extend(plan.not_tested.iter().map(|what| messages::not_tested(what)));
    limits.extend(run.environment().findings.iter().map(|what| messages::machine(what)));
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

/// A sentence for each variant and load point of an open loop of which a fit generator asked more than it serves.
fn overloaded(measured: &[&Slice]) -> Vec<String> {
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
        .map(|((variant, point, stream), counts)| messages::overloaded(variant, point, stream, share(counts)))
        .collect()
}

/// A small exchange that takes this share of a server's median, or more, is told.
const NETWORK_SHARE_MIN: f64 = 0.25;

/// What comes of where generator and servers are: on one machine, or with a network between them.
pub(crate) fn place(run: &Run) -> Vec<String> {
    let agents = &run.plan().agents;
    let shared = agents.is_empty() || agents.iter().any(|agent| agent.is_here);
    let shared = shared.then(|| messages::LOOPBACK.to_string());
    shared.into_iter().chain(network_part(run)).collect()
}

/// The network's part in the quickest median that was measured.
fn network_part(run: &Run) -> Option<String> {
    let network_ns = run.network()?.p50_ns?;
    let slices = run.blocks().iter().flat_map(|block| &block.slices).filter(|slice| slice.is_measured());
    let medians =
        slices.filter_map(|slice| Some((slice.measured.service_time_ns.p50?, &slice.measured.variant)));
    let (quickest_ns, variant) = medians.min()?;
    let share = network_ns as f64 / quickest_ns.max(1) as f64;
    (share >= NETWORK_SHARE_MIN).then(|| messages::places::network_part(network_ns, variant, share.min(1.0)))
}

/// What is said of agents that were lost, and what the self-checks found.
fn findings(slice: &Slice) -> (&[String], &[String]) {
    let found = slice.measured.generator.findings.as_slice();
    found.split_at(found.len().min(slice.measured.generator.agents_lost() as usize))
}

/// A sentence for each agent where a slice lacks more of them than those before it.
fn lost_agents(measured: &[&Slice]) -> Vec<String> {
    let (mut said, mut known) = (Vec::new(), 0);
    for (at, slice) in measured.iter().enumerate() {
        let lost = slice.measured.generator.agents_lost();
        if lost > known {
            known = lost;
            let n = measured[at..].iter().filter(|slice| slice.measured.generator.agents_lost() > 0).count();
            let (first, of) = (slice.block, measured.len());
            let of_agents = findings(slice).0.iter();
            said.extend(of_agents.map(|finding| messages::places::agent_lost(first, n, of, finding)));
        }
    }
    said
}

/// A sentence for each variant that was lost in a block, with what happened first.
fn lost(run: &Run, plan: &Plan) -> Vec<String> {
    let sentence = |variant: &proofload_store::schema::Variant| {
        let all = run.blocks().iter().flat_map(|block| &block.lost);
        let lost: Vec<_> = all.filter(|l| l.variant == variant.name).collect();
        let given_up = lost.iter().any(|lost| lost.given_up);
        lost.first().map(|first| messages::lost(&variant.name, lost.len(), given_up, &first.why))
    };
    plan.variants.iter().filter_map(sentence).collect()
}

/// A sentence for each variant and load point that blocks left out.
fn spared(run: &Run) -> Vec<String> {
    let mut left_out: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for spared in run.blocks().iter().flat_map(|block| &block.spared) {
        *left_out.entry((&spared.variant, &spared.point)).or_default() += 1;
    }
    left_out.into_iter().map(|((variant, point), n)| messages::spared(variant, point, n)).collect()
}

/// What a reader must know of a run that was resumed.
fn sittings(run: &Run) -> Vec<String> {
    let sittings = &run.status().sittings;
    let mut said = Vec::new();
    if sittings.len() > 1 {
        // Of a search every trial that is whole counts, whatever its block came to.
        let cut = run.plan().capacity.is_none().then(|| run.cut_blocks().count() as u32);
        said.push(messages::resumed(sittings.len() - 1, cut));
    }
    said.extend(sittings.iter().flat_map(|s| &s.differences).map(|what| messages::resumed_elsewhere(what)));
    said
}

/// A sentence for each of the first blocks that the machine disturbed.
pub(crate) fn disturbed(run: &Run) -> Vec<String> {
    let out = left_out(run);
    let disturbances = disturbances(run).into_iter().take(DISTURBED_TOLD_MAX);
    disturbances
        .map(|it| messages::disturbed(it.block, &disturbance(&it.causes), out.contains(&it.block)))
        .collect()
}

/// What looking at the subjects cost, and what could not be seen.
fn telemetry(measured: &[&Slice], plan: &Plan) -> Vec<String> {
    let mut said = Vec::new();
    let costs = measured
        .iter()
        .filter_map(|slice| Some((slice.measured.subject.as_ref()?.sampler_cpu_ns?, slice.measured.seconds)));
    let (cost_ns, seconds) =
        costs.fold((0, 0.0), |(ns, s): (u64, f64), (cost, seconds)| (ns.saturating_add(cost), s + seconds));
    if seconds > 0.0 {
        said.push(messages::telemetry_cost(cost_ns as f64 / 1e9 / seconds));
    }
    if plan.variants.iter().any(|variant| variant.kind == SubjectKind::Url) {
        said.push(messages::NO_PROCESSES.to_string());
    }
    let mut missing: Vec<&str> = Vec::new();
    for what in measured.iter().filter_map(|slice| slice.telemetry.as_ref()).flat_map(|seen| &seen.missing) {
        if missing.len() < MISSING_TOLD_MAX && !missing.contains(&what.as_str()) {
            missing.push(what);
        }
    }
    said.extend(missing.into_iter().map(messages::not_measured));
    said
}

/// Whether any subject told the clocks of a JVM.
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
        let slice = |block, lost, findings: &[&str]| {
            let agents = Some(schema::Agents { count: 3, lost, ..Default::default() });
            let findings = findings.iter().map(|said| said.to_string()).collect();
            let generator = schema::Generator { agents, findings, ..Default::default() };
            Slice { block, measured: schema::Point { generator, ..Default::default() }, ..Slice::default() }
        };
        let slices = [
            slice(1, 0, &["late"]),
            slice(2, 1, &["agent 1 was lost after 3 s", "late"]),
            slice(3, 1, &["agent 1 was lost before"]),
            slice(4, 2, &["agent 1 was lost before", "agent 2 was lost after 5 s"]),
        ];
        let measured: Vec<&Slice> = slices.iter().collect();
        let expected = [
            "from block 2 on, in 3 of 4 slices: agent 1 was lost after 3 s",
            "from block 4 on, in 1 of 4 slices: agent 1 was lost before",
            "from block 4 on, in 1 of 4 slices: agent 2 was lost after 5 s",
        ];
        assert_eq!(lost_agents(&measured), expected);
        assert_eq!(findings(&slices[1]).1, ["late"], "a check of the others");
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
