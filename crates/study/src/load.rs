//! The load: a closed or an open loop, and the ladder of its points.

use super::asking::Shared;
use super::capacity::{CapacityLoad, check_capacity};
use super::distribution::distribution;
use super::field::{Field, Map};
use super::hold::check_held;
use super::overflow::{AUTO_CLOSED, KEYS, check_shortage};
use super::problem::shown;
use super::quantity::{self, CONNECTIONS_MAX};
use super::shape::{peak, stages_label, trace_label};
use super::soak::{self, check_soak, soaked};
use super::stages::{Of, check_stages};
use super::suggest::nearest;
use super::trace::check_trace;
use super::{LoadKind, LoadPoint, OpenTerms};
use proofload_engine::{Arrival, Distribution, KeepAlive};

/// Most points of a ladder: each is measured in every cycle.
pub(super) const POINTS_MAX: usize = 16;

/// What a load that ends with a count may take at most, unless the study says otherwise.
pub const CAP_NS: u64 = 600_000_000_000;

/// Most requests of a load that ends with a count.
const REQUESTS_MAX: u64 = 10_000_000_000;

/// Most requests of one user.
const LOOPS_MAX: u64 = 1_000_000;

/// Longest think time, on average.
const THINK_MAX_NS: f64 = 60e9;

/// The points, and whether all their labels could be read (else claims cannot be checked).
pub(super) struct Points {
    pub(super) points: Vec<LoadPoint>,
    pub(super) labels_complete: bool,
    /// What is searched, where the load is a search.
    pub(super) capacity: Option<CapacityLoad>,
}

pub(super) fn check_load(field: &Field<'_>, shared: &Shared<'_>) -> Option<Points> {
    let map = field.map("write load: { closed: { connections: 64 } }")?;
    let kinds = ["closed", "open", "users", "capacity"];
    let kind = map.exactly_one(&kinds, "write closed: { connections: 64 } or open: { rate: 5k/s }");
    map.close(&kinds);
    match kind? {
        ("closed", field) => check_closed(&field),
        ("users", field) => check_users(&field),
        ("capacity", field) => check_capacity(&field),
        (_, field) => check_open(&field, shared),
    }
}

fn check_closed(field: &Field<'_>) -> Option<Points> {
    let map = field.map("write closed: { connections: 64 }")?;
    if map.has("stages") {
        return check_closed_stages(&map);
    }
    if map.has("for") {
        return check_held(field, &map);
    }
    let count = map.optional("requests").map(|field| field.integer("a number of requests", 1..=REQUESTS_MAX));
    if count.is_none()
        && let Some(cap) = map.optional("cap")
    {
        cap.problem("only a number of requests has a cap", "delete it, or add requests: 100000");
    }
    let cap_ns = check_cap(&map);
    if count.is_some() {
        map.forbid(&soak::KEYS[..], "requests");
    }
    let soak = if count.is_none() { check_soak(&map) } else { Some(None) };
    let connections = map.required("connections", "write connections: 64, or a list of numbers");
    let think_ns =
        map.optional("think").map_or_else(|| Some(Distribution::default()), |field| check_think(&field));
    let keep_alive = check_keep_alive(&map);
    map.close(
        &[&["connections", "requests", "cap", "stages", "think", "keep_alive"][..], &soak::KEYS[..]].concat(),
    );
    let (think_ns, keep_alive) = (think_ns.unwrap_or_default(), keep_alive.unwrap_or(KeepAlive::On));
    let rungs = ladder(&connections?, check_number)?;
    let (count, cap_ns) = (count.map_or(Some(None), |count| count.map(Some))?, cap_ns?);
    let point = |connections: &u64| {
        let label = connection_label(*connections as u32);
        let think_ns = think_ns.clone();
        let (label, kind) = match count {
            None => (label, LoadKind::Closed { think_ns }),
            Some(count) => (format!("{label}-{count}n"), LoadKind::Requests { count, think_ns, cap_ns }),
        };
        LoadPoint::new(label, *connections as u32, kind, keep_alive, OpenTerms::default())
    };
    Some(soaked(unique(field, rungs.0.iter().map(point).collect(), rungs.1)?, soak?))
}

/// A number of connections of a closed loop.
pub(super) fn check_number(field: &Field<'_>) -> Option<u64> {
    if field.written() == Some("auto") {
        field.problem(format!("auto: {AUTO_CLOSED}"), "write connections: [16, 64, 256], or an open load");
        return None;
    }
    field.integer("a number of connections", 1..=CONNECTIONS_MAX)
}

fn check_closed_stages(map: &Map<'_>) -> Option<Points> {
    map.forbid(&[&["connections", "requests", "cap"][..], &soak::KEYS[..]].concat(), "stages");
    let stages = map.optional("stages").and_then(|field| check_stages(&field, Of::Connections));
    let think_ns =
        map.optional("think").map_or_else(|| Some(Distribution::default()), |field| check_think(&field));
    let keep_alive = check_keep_alive(map);
    map.close(&["stages", "think", "keep_alive"]);
    let stages = stages?;
    let point = LoadPoint::new(
        stages_label(&stages, false),
        peak(&stages).ceil() as u32,
        LoadKind::ClosedStages { stages, think_ns: think_ns? },
        keep_alive?,
        OpenTerms::default(),
    );
    Some(Points { points: vec![point], labels_complete: true, capacity: None })
}

fn check_users(field: &Field<'_>) -> Option<Points> {
    let map = field.map("write users: { users: 5000, ramp: 10s, loops: 10 }")?;
    let users = map.required("users", "write users: 5000, or a list of numbers");
    let loops = map
        .required("loops", "say how often each asks: loops: 10")
        .and_then(|field| field.integer("a number of loops", 1..=LOOPS_MAX));
    let ramp_ns = map
        .optional("ramp")
        .map_or(Some(0), |field| field.quantity(quantity::duration, "write a duration such as 10s"));
    let think_ns =
        map.optional("think").map_or_else(|| Some(Distribution::default()), |field| check_think(&field));
    let keep_alive = check_keep_alive(&map);
    let cap_ns = check_cap(&map);
    map.close(&["users", "ramp", "loops", "think", "keep_alive", "cap"]);
    let rungs = ladder(&users?, |field| field.integer("a number of users", 1..=CONNECTIONS_MAX))?;
    let (loops, ramp_ns, think_ns) = (loops? as u32, ramp_ns?, think_ns?);
    let (keep_alive, cap_ns) = (keep_alive?, cap_ns?);
    if ramp_ns >= cap_ns {
        field.problem(
            "the users start over a longer time than the load may take",
            "raise cap or shorten ramp",
        );
        return None;
    }
    let point = |users: &u64| {
        LoadPoint::new(
            users_label(*users as u32),
            *users as u32,
            LoadKind::Users { ramp_ns, loops, think_ns: think_ns.clone(), cap_ns },
            keep_alive,
            OpenTerms::default(),
        )
    };
    unique(field, rungs.0.iter().map(point).collect(), rungs.1)
}

/// `5000u`.
pub fn users_label(users: u32) -> String {
    format!("{users}u")
}

/// What a load that ends with a count may take at most.
fn check_cap(map: &Map<'_>) -> Option<u64> {
    map.optional("cap").map_or(Some(CAP_NS), |field| {
        let ns = field.quantity(quantity::duration, "write a duration such as 10m")?;
        if ns == 0 {
            field.problem("a load that may take no time", "write more than 0s");
            return None;
        }
        Some(ns)
    })
}

/// `64c`.
pub fn connection_label(connections: u32) -> String {
    format!("{connections}c")
}

pub(super) fn check_think(field: &Field<'_>) -> Option<Distribution> {
    field.quantity(think, "write a duration such as 50ms, or exp:50ms")
}

/// A think time: `50ms`, `exp:50ms`, `uniform:10ms..90ms`, `lognormal:50ms,p99=1s`, `list:10ms,20ms`.
///
/// # Errors
/// What is wrong and what to write.
pub fn think(text: &str) -> Result<Distribution, String> {
    let think = distribution(text, quantity::duration, "uniform:50ms..150ms or lognormal:100ms,p99=1s")?;
    if think.mean() > THINK_MAX_NS {
        return Err(format!("{} is too long to think; write at most 60s", shown(text)));
    }
    Ok(think)
}

fn check_open(field: &Field<'_>, shared: &Shared<'_>) -> Option<Points> {
    let map = field.map("write open: { rate: 5k/s }")?;
    let stages = map.optional("stages").map(|field| check_stages(&field, Of::Rate));
    let trace = map.optional("trace").map(|field| check_trace(&field, |file| shared.file(file)));
    let rates = match stages {
        _ if trace.is_some() => {
            map.forbid(&[&["rate", "stages", "arrival"][..], &soak::KEYS[..]].concat(), "trace");
            None
        }
        None => map.required("rate", "write rate: 5k/s, or a list of rates"),
        Some(_) => {
            map.forbid(&[&["rate"][..], &soak::KEYS[..]].concat(), "stages");
            None
        }
    };
    let arrival = map.optional("arrival").map_or(Some(Arrival::Constant), |field| check_arrival(&field));
    let terms = check_shortage(&map, false);
    let keep_alive = check_keep_alive(&map).unwrap_or(KeepAlive::On);
    if let Some(think) = map.optional("think") {
        think.problem("an open load does not think: its requests leave at their times", "delete it");
    }
    let is_plain = !map.has("stages") && !map.has("trace");
    let soak = if is_plain { check_soak(&map) } else { Some(None) };
    map.close(
        &[&["rate", "stages", "trace", "arrival", "keep_alive"][..], &KEYS[..], &soak::KEYS[..]].concat(),
    );
    let (connections, open) = terms?;
    if let Some(trace) = trace {
        let (recorded, for_ns) = trace?;
        let point = LoadPoint::new(
            trace_label(&recorded),
            connections,
            LoadKind::OpenTrace { recorded, for_ns },
            keep_alive,
            open,
        );
        return Some(Points { points: vec![point], labels_complete: true, capacity: None });
    }
    let arrival = arrival.unwrap_or(Arrival::Constant);
    if let Some(stages) = stages {
        let stages = stages?;
        let point = LoadPoint::new(
            stages_label(&stages, true),
            connections,
            LoadKind::OpenStages { stages, arrival },
            keep_alive,
            open,
        );
        return Some(Points { points: vec![point], labels_complete: true, capacity: None });
    }
    let rungs = ladder(&rates?, |field| field.quantity(quantity::rate, "write a rate such as 5k/s"))?;
    let point = |rate_per_s: &f64| {
        LoadPoint::new(
            quantity::rate_label(*rate_per_s),
            connections,
            LoadKind::Open { rate_per_s: *rate_per_s, arrival },
            keep_alive,
            open,
        )
    };
    Some(soaked(unique(field, rungs.0.iter().map(point).collect(), rungs.1)?, soak?))
}

pub(super) fn check_arrival(field: &Field<'_>) -> Option<Arrival> {
    match field.text("write constant or poisson")? {
        "constant" => Some(Arrival::Constant),
        "poisson" => Some(Arrival::Poisson),
        other => {
            let remedy = match nearest(other, ["constant", "poisson"]) {
                Some(near) => format!("did you mean {near}?"),
                None => "write constant or poisson".to_string(),
            };
            field.problem(format!("{} is not a kind of arrival", shown(other)), remedy);
            None
        }
    }
}

pub(super) fn check_keep_alive(map: &Map<'_>) -> Option<KeepAlive> {
    use super::yaml::Kind;
    let Some(field) = map.optional("keep_alive") else { return Some(KeepAlive::On) };
    match field.node.kind() {
        Some(Kind::Integer) => {
            let count = field.integer("a number of exchanges for each connection", 1..=u64::from(u32::MAX));
            count.map(|count| KeepAlive::Every(count as u32))
        }
        Some(Kind::Boolean) => field.boolean().map(|on| if on { KeepAlive::On } else { KeepAlive::Off }),
        _ => {
            let remedy = match field.written().map(str::to_ascii_lowercase).as_deref() {
                Some("on" | "yes" | "y" | "true") => "write true",
                Some("off" | "no" | "n" | "false") => "write false",
                _ => "write true, false, or a number of exchanges for each connection",
            };
            field.wrong("true, false or a number", remedy);
            None
        }
    }
}

/// The rungs that could be read, and whether that is all of them.
pub(super) fn ladder<T>(field: &Field<'_>, read: impl Fn(&Field<'_>) -> Option<T>) -> Option<(Vec<T>, bool)> {
    let items = field.one_or_many("write a number, or a list of numbers")?;
    if items.len() > POINTS_MAX {
        field.problem(
            format!("{} load points are too many", items.len()),
            format!("write at most {POINTS_MAX}"),
        );
        return None;
    }
    let count = items.len();
    let rungs: Vec<T> = items.iter().filter_map(read).collect();
    let complete = rungs.len() == count;
    Some((rungs, complete))
}

pub(super) fn unique(field: &Field<'_>, points: Vec<LoadPoint>, labels_complete: bool) -> Option<Points> {
    for (index, point) in points.iter().enumerate() {
        if points[..index].iter().any(|other| other.label == point.label) {
            field.problem(format!("the load point {} stands here a second time", point.label), "delete it");
        }
    }
    Some(Points { points, labels_complete, capacity: None })
}
