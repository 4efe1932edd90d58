//! Check that a plan can be carried out: all of its problems in one message, before anything starts.

use crate::driver::Allowance;
use crate::http::lacks_get;
use crate::load::{Share, deal, deal_more, part};
use crate::seats::user_targets;
use crate::ways::{is_reached, spread};
use crate::{Address, Addresses, EngineError, Extent, KeepAlive, LoadPlan, Profile, Shortage, Stage, Trace};
use proofload_measure::PARTS_MAX;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// A load longer than a week is a slip of the pen; it also keeps sums of instants far from overflow.
const LONGEST_NS: u64 = 7 * 86_400 * 1_000_000_000;
/// Above this rate two ticks would share a nanosecond too often.
const RATE_MAX: f64 = 1e8;
/// Descriptors that the process needs besides connections: standard streams, logs, telemetry, epoll.
const OWN_DESCRIPTORS: u64 = 64;

/// Connections of each target over all shares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dealt {
    /// From the beginning.
    pub first: Vec<u64>,
    /// In the end at most.
    pub most: Vec<u64>,
    /// Users at once, each of whom has connections of his own; 0 without journeys.
    pub users: u64,
    /// Connections of one user to each target.
    each: Vec<u64>,
}

impl Dealt {
    /// The part of one share.
    pub fn of_share(&self, share: Share) -> Dealt {
        if self.users > 0 {
            return Dealt::of_users(part(self.users, share.k, share.n), self.each.clone());
        }
        let part = |dealt: &[u64]| dealt.iter().map(|all| part(*all, share.k, share.n)).collect();
        Dealt { first: part(&self.first), most: part(&self.most), ..Dealt::default() }
    }

    fn of_users(users: u64, each: Vec<u64>) -> Dealt {
        let all: Vec<u64> = each.iter().map(|each| users * each).collect();
        Dealt { first: all.clone(), most: all, users, each }
    }
}

/// Distribution of each load's connections; all loads that run at once must fit together.
pub(crate) fn check(plans: &[LoadPlan], allowance: &Allowance) -> Result<Vec<Dealt>, EngineError> {
    let mut dealt = Vec::new();
    let mut problems = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
        match check_one(plan) {
            Ok(connections) => dealt.push(connections),
            Err(found) if plans.len() == 1 => problems.extend(found),
            Err(found) => problems.extend(found.into_iter().map(|what| format!("stream {}: {what}", at + 1))),
        }
    }
    if plans.is_empty() {
        problems.push("load: none; at least one is needed".to_owned());
    }
    if !problems.is_empty() {
        return Err(EngineError::Plan(problems.join("; ")));
    }
    resources(plans, allowance, &dealt)?;
    Ok(dealt)
}

fn check_one(plan: &LoadPlan) -> Result<Dealt, Vec<String>> {
    let mut problems = Vec::new();
    mix_problems(plan, &mut problems);
    asking_problems(plan, &mut problems);
    crate::reader::problems(plan, &mut problems);
    extent_problems(plan, &mut problems);
    profile_problems(plan, &mut problems);
    shortage_problems(plan, &mut problems);
    let (k, n) = plan.share;
    if k >= n {
        problems.push(format!("share: {k} of {n} does not exist; count from 0"));
    }
    if plan.workers == 0 {
        problems.push("workers: 0; at least 1 is needed".to_owned());
    }
    if plan.connections == 0 {
        problems.push("connections: 0; at least 1 is needed".to_owned());
    }
    in_flight_problems(plan, &mut problems);
    let dealt = if problems.is_empty() { dealt(plan, &mut problems) } else { Dealt::default() };
    if problems.is_empty() { Ok(dealt) } else { Err(problems) }
}

fn mix_problems(plan: &LoadPlan, problems: &mut Vec<String>) {
    if plan.targets.is_empty() {
        problems.push("targets: none; name at least one address".to_owned());
    }
    if plan.mix.is_empty() {
        problems.push("mix: empty; at least one request is needed".to_owned());
    }
    for (at, target) in plan.targets.iter().enumerate() {
        // The same authorities are read once, however many targets they vouch for.
        if plan.targets[..at].iter().any(|earlier| earlier.transport == target.transport) {
            continue;
        }
        let found = crate::transport::problems(target);
        problems.extend(found.into_iter().map(|what| format!("targets[{at}]: {what}")));
    }
    for (at, entry) in plan.mix.iter().enumerate() {
        if entry.weight == 0 {
            problems.push(format!("mix[{at}]: weight 0; leave the entry out or give it at least 1"));
        }
        if entry.target >= plan.targets.len() {
            let (target, n) = (entry.target, plan.targets.len());
            problems.push(format!("mix[{at}]: target {target} does not exist; there are {n}"));
        }
        if entry.request.bytes.is_empty() || entry.closing_request.bytes.is_empty() {
            problems.push(format!("mix[{at}]: the request has no bytes"));
        }
        if !entry.closing_request.closes {
            problems.push(format!("mix[{at}]: the closing request does not close"));
        }
        if lacks_get(entry) {
            problems.push(format!("mix[{at}]: follows redirects without a GET to follow them with"));
        }
        let kept = entry.request.keep_body.min(entry.closing_request.keep_body);
        let longest = entry.expect.texts().map(Vec::len).max();
        if let Some(need) = longest.filter(|need| *need > kept) {
            problems.push(format!(
                "mix[{at}]: expects a text of {need} bytes, but only {kept} bytes of the body are kept"
            ));
        }
    }
}

/// Most bytes of a path that fit into the kernel's address of a Unix socket, with the NUL behind it.
const UNIX_PATH_MAX: usize = 107;

fn asking_problems(plan: &LoadPlan, problems: &mut Vec<String>) {
    let requests = plan.mix.iter().flat_map(|entry| [&*entry.request, &*entry.closing_request]);
    plan.asking.feed.problems(requests.clone(), problems);
    if let (Extent::Requests { count, .. }, true) = (&plan.extent, problems.is_empty())
        && let Some(rows) = plan.asking.feed.unique_rows(requests).filter(|rows| rows < count)
    {
        problems
            .push(format!("feeders: {count} requests, and {rows} rows of which none comes twice; give more"));
    }
    let journeys = plan.asking.journeys.as_ref().map_or(0, |journeys| {
        crate::seats::problems(journeys, plan, problems);
        journeys.journeys.len()
    });
    let (parts, entries) = (plan.asking.parts.len(), plan.mix.len() + journeys);
    if (parts != 0 && parts != entries) || plan.asking.part_count() > PARTS_MAX {
        problems
            .push(format!("parts: {parts} for {entries} entries of the mix, at most {PARTS_MAX} different"));
    }
    for (at, target) in plan.targets.iter().enumerate() {
        if target.addresses.others.len() >= Addresses::MAX {
            let (n, most) = (target.addresses.iter().count(), Addresses::MAX);
            problems.push(format!("targets[{at}]: {n} addresses; {most} are the most"));
        }
        match &target.addresses.first {
            Address::Unix(path) if path.as_os_str().len() > UNIX_PATH_MAX => {
                let length = path.as_os_str().len();
                problems.push(format!(
                    "targets[{at}]: a socket path of {length} bytes; the kernel takes {UNIX_PATH_MAX}"
                ));
            }
            Address::Unix(_) if !plan.asking.bind.is_empty() => {
                problems.push(format!("targets[{at}]: a Unix socket has no local address to bind"));
            }
            Address::Tcp(to) if !target.addresses.iter().any(|to| is_reached(to, &plan.asking.bind)) => {
                problems.push(format!(
                    "targets[{at}]: {to} cannot be reached from an address of the other family"
                ));
            }
            _ => {}
        }
    }
}

/// Local ports for connections to one address of the peer: each local address has its own.
pub(crate) fn ports(plan: &LoadPlan, allowance: &Allowance) -> u64 {
    allowance.ports.saturating_mul(plan.asking.bind.len().max(1) as u64)
}

fn extent_problems(plan: &LoadPlan, problems: &mut Vec<String>) {
    let extent_ns = match plan.extent {
        Extent::DurationNs(ns) => ns,
        Extent::Requests { count, cap_ns } => {
            if count == 0 {
                problems.push("extent: 0 requests; at least 1 is needed".to_owned());
            }
            cap_ns
        }
    };
    let timeouts = plan.timeouts;
    for (name, ns) in [
        ("extent", extent_ns),
        ("timeouts.connect", timeouts.connect_ns),
        ("timeouts.response", timeouts.response_ns),
    ] {
        if ns == 0 {
            problems.push(format!("{name}: 0 ns; it must be longer"));
        }
    }
    for (name, ns) in [
        ("extent", extent_ns),
        ("timeouts.connect", timeouts.connect_ns),
        ("timeouts.response", timeouts.response_ns),
        ("discard", plan.discard_ns),
        ("drain", plan.drain_ns),
    ] {
        if ns > LONGEST_NS {
            problems.push(format!("{name}: {ns} ns is longer than a week, the most that is allowed"));
        }
    }
}

fn profile_problems(plan: &LoadPlan, problems: &mut Vec<String>) {
    let profile = &plan.profile;
    let stages = profile.stages();
    let mut rate_per_s = profile.rate_per_s();
    let mut pauses = vec![("coalescing", profile.coalesce_ns())];
    match profile {
        Profile::Closed { .. } | Profile::Open { .. } => {}
        Profile::OpenStages { .. } => {
            stage_problems(plan, stages, problems);
            // A stage may hold at 0; not all of them may.
            rate_per_s = Some(Stage::peak_of(stages));
        }
        Profile::ClosedStages { .. } => {
            stage_problems(plan, stages, problems);
            let (most, connections) = (Stage::peak_of(stages), plan.connections);
            if most.ceil() != f64::from(connections) {
                problems.push(format!("connections: {connections}, but the stages have {most} at most"));
            }
        }
        Profile::OpenTrace { trace, .. } => trace_problems(plan, trace, problems),
        Profile::Users { ramp_ns, loops, .. } => {
            pauses.push(("ramp", *ramp_ns));
            let all = u64::from(plan.connections) * u64::from(*loops);
            if !matches!(plan.extent, Extent::Requests { count, .. } if count == all) || *loops == 0 {
                problems.push(format!("users: the extent must be a count of users times loops, {all}"));
            }
        }
    }
    if let Some(rate_per_s) = rate_per_s.filter(|rate| !(*rate > 0.0 && *rate <= RATE_MAX)) {
        problems.push(format!("rate: {rate_per_s} per second is not above 0 and at most {RATE_MAX:e}"));
    }
    if let Some(think_ns) = profile.think() {
        pauses.push(("think time", think_ns.mean() as u64));
        problems.extend(think_ns.problem().map(|what| format!("think time: {what}")));
    }
    for (name, ns) in pauses.iter().filter(|(_, ns)| *ns > LONGEST_NS) {
        problems.push(format!("{name}: {ns} ns is longer than a week"));
    }
    if profile.is_shaped() && plan.discard_ns > 0 {
        problems
            .push("discard: a load with a shape of its own has no part that could be discarded".to_owned());
    }
    if plan.keep_alive == KeepAlive::Every(0) {
        problems.push("keep-alive: 0 exchanges for each connection; at least 1 is needed".to_owned());
    }
}

fn in_flight_problems(plan: &LoadPlan, problems: &mut Vec<String>) {
    if plan.in_flight == 0 {
        problems.push("in flight: 0; at least 1 is needed".to_owned());
    }
    if plan.in_flight <= 1 {
        return;
    }
    if plan.targets.iter().any(|target| !target.protocol.multiplexes()) {
        problems.push(
            "in flight: a protocol of this load answers one request after the other on a connection; \
             raise the connections instead"
                .to_owned(),
        );
    }
    if plan.keep_alive != KeepAlive::On || plan.shortage.most_connections.is_some() {
        problems.push(
            "in flight: several exchanges on a connection need a fixed number of connections that are kept"
                .to_owned(),
        );
    }
    if !plan.profile.opens_ahead() {
        problems.push(
            "in flight: users, and stages of a closed loop, have one exchange on each connection".to_owned(),
        );
    }
}

fn shortage_problems(plan: &LoadPlan, problems: &mut Vec<String>) {
    if plan.profile.is_closed() && plan.shortage != Shortage::default() {
        problems.push(
            "shortage: each place of a closed loop asks for itself; only an open loop lacks them".to_owned(),
        );
    }
    if let Some(most) = plan.shortage.most_connections
        && most < plan.connections
    {
        let connections = plan.connections;
        problems.push(format!("most connections: {most} are fewer than the {connections} it begins with"));
    }
}

fn stage_problems(plan: &LoadPlan, stages: &[Stage], problems: &mut Vec<String>) {
    let bad = |value: f64| !value.is_finite() || value < 0.0;
    for (at, stage) in (1..).zip(stages) {
        let for_ns = stage.for_ns();
        if for_ns == 0 || for_ns > LONGEST_NS {
            problems.push(format!("stage {at}: {for_ns} ns; write more than 0 and at most a week"));
        }
        match *stage {
            Stage::Line { from, to, .. } if bad(from) || bad(to) => {
                problems.push(format!("stage {at}: {from} to {to} is below 0 or no number"));
            }
            Stage::Sine { mean, amplitude, period_ns, .. } => {
                // Written so that NaN is wrong too.
                if !(mean.is_finite() && amplitude > 0.0 && amplitude <= mean) {
                    problems.push(format!(
                        "stage {at}: an amplitude of {amplitude} around {mean} is not above 0 and at most the mean"
                    ));
                }
                if period_ns == 0 || period_ns > LONGEST_NS {
                    let what = "write more than 0 and at most a week";
                    problems.push(format!("stage {at}: a period of {period_ns} ns; {what}"));
                }
            }
            Stage::Line { .. } => {}
        }
    }
    let length_ns = Stage::length_ns(stages);
    if plan.extent != Extent::DurationNs(length_ns) {
        problems.push(format!("extent: it must be the length of the stages, {length_ns} ns"));
    }
}

fn trace_problems(plan: &LoadPlan, trace: &Trace, problems: &mut Vec<String>) {
    problems.extend(trace.problem().map(|what| format!("trace: {what}")));
    let length_ns = trace.length_ns();
    if !matches!(plan.extent, Extent::DurationNs(ns) if ns <= length_ns) {
        problems.push(format!("extent: it must be at most the length of the trace, {length_ns} ns"));
    }
}

fn dealt(plan: &LoadPlan, problems: &mut Vec<String>) -> Dealt {
    let shares = u64::from(plan.workers) * u64::from(plan.share.1);
    let connections = u64::from(plan.connections);
    if plan.asking.journeys.is_some() {
        // One without a seat would leave its part of the users waiting for ever.
        if connections < shares {
            problems.push(format!(
                "connections: {connections} users at once are too few for {shares} workers; raise them or lower the workers"
            ));
        }
        let mut each = vec![0; plan.targets.len()];
        user_targets(plan).into_iter().for_each(|target| each[target] += 1);
        return Dealt::of_users(connections, each);
    }
    let mut weights = vec![0u64; plan.targets.len()];
    for entry in &plan.mix {
        weights[entry.target] += u64::from(entry.weight);
    }
    let dealt = deal(connections, &weights).unwrap_or_default();
    let enough = weights.iter().zip(&dealt).all(|(weight, dealt)| *weight == 0 || *dealt >= shares);
    if dealt.is_empty() || !enough {
        problems.push(format!(
            "connections: {connections} are too few, each of {shares} workers needs one to each target; \
             raise the connections or lower the workers"
        ));
        return Dealt::default();
    }
    let more = u64::from(plan.most_connections()) - connections;
    Dealt { most: deal_more(&dealt, more, &weights), first: dealt, ..Dealt::default() }
}

fn resources(plans: &[LoadPlan], allowance: &Allowance, dealt: &[Dealt]) -> Result<(), EngineError> {
    let mut wanted: BTreeMap<SocketAddr, u64> = BTreeMap::new();
    let mut needed = OWN_DESCRIPTORS;
    for (plan, dealt) in plans.iter().zip(dealt) {
        needed += u64::from(plan.workers);
        for (target, of_target) in plan.targets.iter().zip(&dealt.most) {
            let connections = of_target.div_ceil(u64::from(plan.share.1));
            needed += connections;
            // Each of several has its ports.
            if let Some(address) = target.addresses.tcp() {
                let each = connections.div_ceil(spread(target, &plan.asking.bind) as u64);
                *wanted.entry(address).or_default() += each;
            }
        }
    }
    if let Some(limit) = allowance.descriptors
        && needed > limit
    {
        return Err(EngineError::Descriptors { needed, limit });
    }
    let available = plans.iter().map(|plan| ports(plan, allowance)).min().unwrap_or(0);
    match wanted.into_values().max() {
        Some(most) if most > available => Err(EngineError::Plan(format!(
            "connections: {most} to one address need as many local ports, this machine has {available}; lower the \
             connections, widen net.ipv4.ip_local_port_range, or bind to several local addresses"
        ))),
        _ => Ok(()),
    }
}
