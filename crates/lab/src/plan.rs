//! From a checked study to a plan: lengths, counts, order.
//!
//! A plan is on disk before the first start and decides everything that is left to chance. The points of a ladder nest
//! inside the cycles: for each cycle, for each point, every variant once. So variants that are compared at a point are
//! next to each other in time, and drift within a block meets all points alike.

mod capacity;
mod conditions;
mod explain;
mod lines;
mod looking;
mod mode;
mod needs;
mod order;
mod reckon;
mod reshape;
mod retime;

pub use conditions::Machine;
pub use explain::explain;
pub(crate) use lines::workload_of;
pub use lines::{redact_arguments, redact_own_arguments};
pub(crate) use looking::enough;
pub use looking::{KEEP_GOING_BLOCKS_MAX, Length, has_room, keep_rules, too_short};
pub use mode::choose as choose_mode;
pub(crate) use order::beyond as order_beyond;
pub use proofload_study::Mode;
pub(crate) use reckon::{block_end_ns, block_room_ns, ceiling_ns, perturbation_discard_ns};
pub use reshape::{reshape, seconds_per_block};
pub use retime::retime;

use crate::generator_settings::GeneratorSettings;
use crate::registry::reached;
use needs::Needs;
pub(crate) use needs::may_compile;
use proofload_engine::journey::Journeys;
use proofload_engine::{Asking, Extent, LoadPlan, Overflow, Target};
use proofload_facts::{Finding, Mistake};
use proofload_language::tr;
use proofload_stats::Design;
use proofload_stats::bounds::TABLE_ALPHA;
use proofload_store::schema::{
    self, FORMAT_VERSION, Looking, METHOD, Plan, PlannedClaim, Replication, StreamLoad, Timing,
};
use proofload_study::overflow::overflow_name;
use proofload_study::quantity::keep_alive_label;
use proofload_study::told;
use proofload_study::{
    Condition, LoadPoint, LoadRole, Server, Speaks, Stream, Study, SubjectSpec, WorkloadEntry,
};
use reckon::Reckoning;
use std::sync::Arc;

const S: u64 = 1_000_000_000;

/// Window of each of the two slices that a block has for the perturbation check: it is spread over the blocks, and
/// what it takes is missing elsewhere.
const PERTURBATION_NS: u64 = 2 * S;

/// Time of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// One block: right answers, clean stop, figures; no verdict.
    Smoke,
    /// Eight minutes: verdicts on servers that are just warm.
    Quick,
    /// Half an hour: more blocks, and a longer check that they are warm.
    Default,
    /// Two hours: the same as the default, with more of everything.
    Thorough,
}

impl Preset {
    /// As in the plan.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Smoke => "smoke",
            Preset::Quick => "quick",
            Preset::Default => "default",
            Preset::Thorough => "thorough",
        }
    }

    /// True if a study's `quick:` block applies.
    pub fn shortens(self) -> bool {
        matches!(self, Preset::Smoke | Preset::Quick)
    }

    /// Lengths and counts, before the budget cuts the looks.
    fn timing(self, variants: usize) -> Timing {
        let design = match self {
            Preset::Smoke => Design::smoke(),
            Preset::Quick => Design::quick(),
            Preset::Default => Design::default(),
            Preset::Thorough => Design::thorough(),
        };
        // A warm-up lasts until the variants are steady, at most the second time; the first is for those whose state
        // cannot be determined. Slices are chosen from the first warm-up, at most as long as these.
        let (warm_up_s, cap_s, cycles, slice_ns, discard_ns, budget_min) = match self {
            // Enough to see right answers and plausible figures from two JVMs, far within three minutes.
            Preset::Smoke => (5, 0, 2, S, S / 10, 3),
            // Four blocks have room for the longest warm-up. Six short slices a block beat one long one: drift
            // within the block falls out of the difference.
            Preset::Quick => (12, 90, 6, S, S / 10, 8),
            Preset::Default => (30, 180, 6, 4 * S, S, 30),
            Preset::Thorough => (45, 270, 6, 8 * S, S, 120),
        };
        // Variants share the warm-up in short turns, so that they are equally old and had equal load when
        // it ends; warming one after the other would leave the first cold again and the last young. The
        // figures above are for two variants; more of them take longer, so that each gets as much load.
        let of_all = |seconds: u64| seconds * S * variants.max(2) as u64 / 2;
        Timing {
            warm_up_ns: of_all(warm_up_s),
            warm_up_cap_ns: of_all(cap_s),
            cycles,
            // One block has no later ones.
            cycles_adapt: self != Preset::Smoke,
            slice_ns,
            discard_ns,
            // What a healthy server has in flight ends within its response time; two seconds are generous.
            drain_ns: 2 * S,
            long_cycles: u32::from(self != Preset::Smoke),
            checks_every: 1,
            perturbation_ns: match self {
                Preset::Smoke => 0,
                // Twelve blocks have this much room left in eight minutes.
                Preset::Quick => S * 4 / 5,
                Preset::Default | Preset::Thorough => PERTURBATION_NS,
            },
            looks: design.looks,
            looking: Looking::Unsaid,
            futility: self != Preset::Smoke,
            budget_ns: budget_min * 60 * S,
        }
    }
}

/// Loads with a shape are carried out once in a block: their own length is their slice.
fn fit_whole(timing: &mut Timing, study: &Study) {
    if study.points.iter().any(LoadPoint::is_whole) {
        timing.cycles = 1;
        timing.cycles_adapt = false;
    }
    if study.points.iter().all(LoadPoint::is_whole) {
        timing.perturbation_ns = 0;
    }
}

/// Gives users time for the pauses of their journeys: whoever arrives before the first of them can be done
/// is discarded, and the turn is long beside those who finish it while nobody arrives any more.
fn fit_journeys(timing: &mut Timing, study: &Study) {
    let Some(pauses_ns) = study.journeys.as_ref().map(|journeys| journeys.pauses_ns).filter(|ns| *ns > 0)
    else {
        return;
    };
    let before_ns = timing.slice_ns;
    timing.slice_ns = timing.slice_ns.max(2 * pauses_ns);
    timing.discard_ns = timing.discard_ns.max(pauses_ns);
    timing.cycles_adapt = false;
    let fewer = u64::from(timing.cycles) * before_ns / timing.slice_ns.max(1);
    timing.cycles = timing.cycles.min((fewer as u32).max(2));
}

/// Makes the plan of a study. The looks that the budget has no room for are cut, and reported under `not_tested`.
///
/// `length` is a budget instead of the preset's, or a [`Length`]; `mode` comes from [`choose_mode`]; the CPUs are recorded as they are.
pub fn make<'a>(
    study: &Study,
    preset: Preset,
    seed: u64,
    length: impl Into<Length>,
    mode: (Mode, Finding),
    machine: impl Into<Machine<'a>>,
) -> Plan {
    let (mode, mode_reason) = mode;
    let machine = machine.into();
    let cpus = machine.cpus;
    let variants = study.variants.len();
    let needs = Needs::of(study);
    let mut timing = needs.fit(preset, preset.timing(variants));
    length.into().enter(&mut timing);
    fit_whole(&mut timing, study);
    // One block, or a search, has no blocks to vary conditions over.
    let vary = timing.looks != [1] && study.capacity.is_none();
    let conditions = conditions::planned(study, &machine, vary);
    let ways = conditions.iter().map(|condition| condition.levels.len() as u32).product();
    let reckoning = Reckoning { study, serial: mode == Mode::Serial, ways, slowest: false };
    reckoning.shorten_slices(&mut timing);
    reckoning.limit_warm_up(&mut timing);
    fit_journeys(&mut timing, study);
    // For servers that run already ceilings are in the cache from the first comparison on: the last looks are planned
    // for that.
    let usual = Reckoning { ways: if needs == Needs::Running { 0 } else { ways }, ..reckoning };
    needs.shorten(&mut timing, |timing| usual.room(timing, KEEP_GOING_BLOCKS_MAX));
    let mut not_tested = lines::not_tested(study, preset, timing.warm_up_cap_ns);
    match study.capacity {
        // A search has no looks and no verdicts.
        Some(_) => not_tested.clone_from(&study.not_tested),
        None => cut_looks(&mut timing, needs, usual, &mut not_tested),
    }
    let blocks = timing.looks.last().copied().unwrap_or(1);
    let first = timing.looks.first().copied().unwrap_or(1);
    let within =
        if timing.looking == Looking::Anytime { blocks } else { usual.room(&timing, blocks).max(first) };
    let estimated_seconds = usual.seconds(&timing, within);
    let replication = if has_url(study) { Replication::Process } else { Replication::Start };
    let mut plan = Plan {
        format: FORMAT_VERSION,
        study: study.name.clone(),
        question: study.question.clone(),
        preset: preset.name().into(),
        seed,
        replication,
        method: METHOD,
        alpha: TABLE_ALPHA,
        variants: study.variants.iter().map(|variant| lines::variant(variant, &study.workload)).collect(),
        workload: lines::workload(study),
        streams: study.streams.iter().map(|stream| stream.name.clone()).collect(),
        requests: study.names.requests.clone(),
        journeys: study.names.journeys.clone(),
        points: study.points.iter().map(|point| lines::point(study, point)).collect(),
        claims: planned_claims(study),
        expectations: lines::expectations(study),
        references: lines::references(study),
        not_tested,
        mode: mode.name().into(),
        mode_reason: Some(mode_reason),
        order: match mode {
            Mode::Cycles => order::blocks(seed, blocks, timing.cycles, variants),
            Mode::Serial => order::serial(seed, blocks, timing.cycles, variants),
        },
        timing,
        conditions,
        estimated_seconds,
        generator_cpus: cpus.generator.clone(),
        subject_cpus: cpus.subject.clone(),
        study_text: study.text.clone(),
        settings: study.settings.clone(),
        two_sided: study.two_sided,
        only: study.only.clone(),
        ..Plan::default()
    };
    order_conditions(blocks, &mut plan);
    if !study.conditions.cpus(Condition::GeneratorCpus).is_empty()
        || !study.conditions.cpus(Condition::ServerCpus).is_empty()
    {
        let first = GeneratorSettings::of(&plan, 1);
        (plan.generator_cpus, plan.subject_cpus) = (first.generator_cpus, first.subject_cpus);
    }
    if let Some(load) = &study.capacity {
        capacity::arrange(study, load, preset, &mut plan);
    }
    plan
}

/// Order of the levels of conditions over the blocks.
fn order_conditions(blocks: u32, plan: &mut Plan) {
    let levels: Vec<usize> = plan.conditions.iter().map(|condition| condition.levels.len()).collect();
    plan.condition_order = conditions::order(plan.seed, blocks.max(1), &levels);
    let driver = plan.conditions.iter().find(|condition| condition.name == Condition::Driver.name());
    plan.driver = driver.map(|driver| driver.levels.join(", ")).unwrap_or_default();
}

fn has_url(study: &Study) -> bool {
    study.variants.iter().any(|variant| matches!(variant.subject, SubjectSpec::Url { .. }))
}

fn planned_claims(study: &Study) -> Vec<PlannedClaim> {
    let planned = |(name, text): &(String, String)| PlannedClaim { name: name.clone(), text: text.clone() };
    study.declared_claims.iter().map(planned).collect()
}

/// Whole minutes that are enough for that many seconds.
fn minutes_ns(seconds: f64) -> u64 {
    (seconds / 60.0).ceil() as u64 * 60 * S
}

/// Keeps the looks that the budget has room for, the first one always. Where there is room for blocks beyond the last of them one more
/// is kept: the budget ends before it, and that is a look, too. Running servers are looked at as often as there is time.
fn cut_looks(timing: &mut Timing, needs: Needs, reckoning: Reckoning<'_>, not_tested: &mut Vec<Finding>) {
    let room = reckoning.room(timing, KEEP_GOING_BLOCKS_MAX);
    let is_open = timing.looking != Looking::Anytime && timing.looks.len() > 1;
    if let Some(looks) = needs.looks_within(room).filter(|_| is_open) {
        timing.looks = looks;
        return;
    }
    let all = timing.looks.clone();
    let (first, last) = (all.first().copied().unwrap_or(1), all.last().copied().unwrap_or(1));
    let within = all.iter().filter(|look| **look <= room.max(first)).count();
    let kept = all[within.max(1) - 1];
    timing.looks.truncate(if room > kept { within + 1 } else { within.max(1) });
    let block_s = reckoning.block_s(timing).round();
    if room < first {
        let budget_ns = minutes_ns(reckoning.seconds(timing, first));
        not_tested.push(Finding::NoFirstLook { first, block_s, room, budget_ns });
    } else if within < all.len() {
        let budget_ns = minutes_ns(reckoning.seconds(timing, last));
        not_tested.push(Finding::FewerLooks { kept, room, block_s, all: last, budget_ns });
    }
}

/// A load as it is recorded; `streams` are those of the study.
pub(crate) fn planned_point(streams: &[Stream], point: &LoadPoint) -> schema::LoadPoint {
    let alone = streams.is_empty();
    let streams = streams.iter().zip(&point.streams).map(|(stream, load)| StreamLoad {
        stream: stream.name.clone(),
        model: load.model().into(),
        connections: load.connections,
        profile: load.in_words(),
        most_connections: load.open.shortage.most_connections.unwrap_or(0),
        think_ns: load.think_ns(),
    });
    schema::LoadPoint {
        label: point.label.clone(),
        model: point.model().into(),
        connections: point.connections,
        in_flight: point.in_flight,
        most_connections: point.open.shortage.most_connections.filter(|_| alone).unwrap_or(0),
        overflow: match point.open.shortage.overflow {
            Overflow::Drop if alone => overflow_name(Overflow::Drop).to_string(),
            _ => String::new(),
        },
        coalesce_ns: if alone { point.profile.coalesce_ns() } else { 0 },
        rate_per_s: point.profile.rate_per_s().filter(|_| alone),
        arrival: point.profile.arrival().filter(|_| alone).map(|arrival| arrival.name().to_string()),
        think_ns: if alone { point.think_ns() } else { 0 },
        think: if alone { point.spread_in_words() } else { String::new() },
        keep_alive: keep_alive_label(point.keep_alive),
        profile: if alone { point.shape_in_words() } else { String::new() },
        whole: point.is_whole(),
        length_ns: point.length_ns(),
        checkpoint_ns: point.checkpoint_ns(),
        streams: streams.collect(),
        asks: String::new(),
    }
}

/// Lets the loads whose connections the tool chooses have as many as they could have when the run was begun: it goes on
/// under the limits of another shell.
pub fn keep_most_connections(study: &mut Study, begun: &Plan) {
    let keep = |load: &mut LoadPoint, most: u32| {
        if load.open.auto && most > 0 {
            load.open.shortage.most_connections = Some(most);
        }
    };
    for point in &mut study.points {
        let Some(recorded) = begun.points.iter().find(|recorded| recorded.label == point.label) else {
            continue;
        };
        for (load, recorded) in point.streams.iter_mut().zip(&recorded.streams) {
            keep(load, recorded.most_connections);
        }
        keep(point, recorded.most_connections);
    }
}

/// Terms of a load beside the study.
#[derive(Clone, Debug)]
pub struct LoadTerms<'a> {
    /// Target of the variant: its address, TLS and proxy.
    pub target: Target,
    /// `host:port` for the Host header.
    pub authority: &'a str,
    /// Its protocol.
    pub speaks: &'a Speaks,
    /// Load before the window that is discarded.
    pub discard_ns: u64,
    pub extent: Extent,
    /// Longest wait for requests in flight at the end.
    pub drain_ns: u64,
    /// Threads; fewer are taken when there are fewer connections.
    pub workers: u32,
    /// CPUs to pin workers to; empty pins none.
    pub cpus: Vec<usize>,
    /// Seed of everything random.
    pub seed: u64,
    /// Settings of the generator.
    pub settings: &'a GeneratorSettings,
}

/// Reasons why a load cannot be planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadPlanError {
    /// A request of the workload cannot be encoded.
    #[error("{}", tr!("plan-request", entry, source = told(mistake)))]
    Request {
        entry: String,
        /// Mistake in the request of the entry.
        mistake: Mistake,
    },
}

impl LoadPlanError {
    fn request(entry: &WorkloadEntry, mistake: Mistake) -> LoadPlanError {
        LoadPlanError::Request { entry: entry.name.clone(), mistake }
    }
}

/// The engine's plans of one load: the study's workload at one point, against one address; one for each stream.
///
/// # Errors
/// A request that cannot be encoded for this authority.
pub fn load_plans(
    study: &Study,
    point: &LoadPoint,
    role: LoadRole,
    terms: &LoadTerms<'_>,
) -> Result<Vec<LoadPlan>, LoadPlanError> {
    if study.streams.is_empty() {
        let asked = match point.asks {
            Some(entry) => &study.workload[entry..=entry],
            None => &study.workload[..study.journeys.as_ref().map_or(study.workload.len(), |of| of.entries)],
        };
        return Ok(vec![load_plan(study, asked, point, role, terms)?]);
    }
    let streams = study.streams.iter().zip(&point.streams).enumerate();
    let plans = streams.map(|(at, (stream, load))| {
        // Streams of the same rate would otherwise send at the same instants.
        let seed = terms.seed.wrapping_add((at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let terms = LoadTerms { seed, ..terms.clone() };
        load_plan(study, &study.workload[stream.entries.clone()], load, role, &terms)
    });
    plans.collect()
}

/// The plan of one user who takes the steps before all loads on a server, or those after them; `None` where there are none.
///
/// # Errors
/// As [`load_plans`].
pub fn around(study: &Study, when: Around, terms: &LoadTerms<'_>) -> Option<Result<LoadPlan, LoadPlanError>> {
    let program = study.journeys.as_ref()?.around[when as usize].clone()?;
    let plan = load_plan(study, &study.workload, study.points.first()?, LoadRole::Real, terms);
    Some(plan.map(|mut plan| {
        if let Some(journeys) = &plan.asking.journeys {
            let alone = Journeys { journeys: vec![program], ..Journeys::clone(journeys) };
            plan.asking.journeys = Some(Arc::new(alone));
        }
        plan.asking.parts = Vec::new();
        plan
    }))
}

/// Time of steps that are taken once for each server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    Setup,
    Teardown,
}

fn load_plan(
    study: &Study,
    workload: &[WorkloadEntry],
    point: &LoadPoint,
    role: LoadRole,
    terms: &LoadTerms<'_>,
) -> Result<LoadPlan, LoadPlanError> {
    let (mut mix, mut targets) = (Vec::with_capacity(workload.len()), vec![terms.target.clone()]);
    // A load of one request pays nothing for what would be told apart.
    let is_apart = workload.len() > 1 || study.journeys.is_some();
    let names = if is_apart { &study.names.requests[..] } else { &[] };
    let part = |name: &String| Some(names.iter().position(|known| known == name)? as u32);
    let journeys = study.journeys.iter().flat_map(|journeys| &journeys.names);
    let parts = workload.iter().map(|entry| &entry.name).chain(journeys).filter_map(part).collect();
    for entry in workload {
        let failed = |mistake| LoadPlanError::request(entry, mistake);
        let encoded = match &entry.at {
            None => entry.encode(0, terms.authority, terms.speaks, terms.target.transport.proxy.as_ref()),
            Some(Server { address, authority, passage }) => {
                let (target, speaks) = reached(passage, address, authority)
                    .map_err(|error| failed(Mistake::NotReached { error }))?;
                let at = targets.iter().position(|known| *known == target).unwrap_or_else(|| {
                    targets.push(target);
                    targets.len() - 1
                });
                entry.encode(at, authority, &speaks, targets[at].transport.proxy.as_ref())
            }
        };
        mix.push(encoded.map_err(failed)?);
    }
    let (profile, connections, extent) = match role {
        LoadRole::WarmUp => {
            let (profile, connections) = point.warm_up();
            (profile, connections, terms.extent)
        }
        LoadRole::Real => (point.profile.clone(), point.connections, point.extent().unwrap_or(terms.extent)),
    };
    Ok(LoadPlan {
        targets,
        mix,
        discard_ns: if profile.is_shaped() { 0 } else { terms.discard_ns },
        profile,
        connections,
        in_flight: point.in_flight,
        keep_alive: point.keep_alive,
        timeouts: study.timeouts,
        extent,
        drain_ns: match (extent, &study.journeys) {
            // Users finish their journeys, pauses included.
            (_, Some(journeys)) => terms.drain_ns.max(journeys.longest_ns(&study.timeouts)),
            // Every one of a number of requests ends: by an answer or by its time-out.
            (Extent::Requests { .. }, None) => terms.drain_ns.max(study.timeouts.response_ns),
            (Extent::DurationNs(_), None) => terms.drain_ns,
        },
        workers: terms.workers.clamp(1, connections.max(1)),
        cpus: terms.cpus.clone(),
        seed: terms.seed,
        share: (0, 1),
        asking: Asking { parts, ..study.asking.clone() },
        shortage: point.open.shortage,
        driver: terms.settings.driver,
        settings: terms.settings.engine,
    })
}

#[cfg(test)]
mod tests;
