//! The load: a closed or an open loop, and the ladder of its points.

use super::field::{Field, Map};
use super::problem::shown;
use super::quantity::{self, CONNECTIONS_MAX};
use super::suggest::nearest;
use super::{LoadKind, LoadPoint};
use proofload_engine::{Arrival, KeepAlive};

/// Most points of a ladder: each is measured in every cycle.
const POINTS_MAX: usize = 16;

/// Connections of an open loop unless the study says otherwise: as many as wrk2 users commonly take, and
/// few enough for every server. A slow server makes requests wait for one, which the response time shows.
const OPEN_CONNECTIONS: u64 = 64;

/// Longest think time.
const THINK_MAX_NS: u64 = 60_000_000_000;

/// The points, and whether all their labels could be read (else claims cannot be checked).
pub(super) struct Points {
    pub(super) points: Vec<LoadPoint>,
    pub(super) labels_complete: bool,
}

pub(super) fn check_load(field: &Field<'_>) -> Option<Points> {
    let map = field.map("write load: { closed: { connections: 64 } }")?;
    let kind =
        map.exactly_one(&["closed", "open"], "write closed: { connections: 64 } or open: { rate: 5k/s }");
    map.close(&["closed", "open"]);
    match kind? {
        ("closed", field) => check_closed(&field),
        (_, field) => check_open(&field),
    }
}

fn check_closed(field: &Field<'_>) -> Option<Points> {
    let map = field.map("write closed: { connections: 64 }")?;
    let connections = map.required("connections", "write connections: 64, or a list of numbers");
    let think_ns = map.optional("think").map_or(Some(0), |field| check_think(&field));
    let keep_alive = check_keep_alive(&map);
    map.close(&["connections", "think", "keep_alive"]);
    let (think_ns, keep_alive) = (think_ns.unwrap_or(0), keep_alive.unwrap_or(KeepAlive::On));
    let rungs = ladder(&connections?, |field| field.integer("a number of connections", 1..=CONNECTIONS_MAX))?;
    let point = |connections: &u64| LoadPoint {
        label: connection_label(*connections as u32),
        connections: *connections as u32,
        kind: LoadKind::Closed { think_ns },
        keep_alive,
        streams: Vec::new(),
    };
    unique(field, rungs.0.iter().map(point).collect(), rungs.1)
}

/// `64c`.
pub fn connection_label(connections: u32) -> String {
    format!("{connections}c")
}

fn check_think(field: &Field<'_>) -> Option<u64> {
    let ns = field.quantity(quantity::duration, "write a duration such as 50ms")?;
    if ns > THINK_MAX_NS {
        field.problem(format!("{} is too long to think", field.found()), "write at most 60s");
        return None;
    }
    Some(ns)
}

fn check_open(field: &Field<'_>) -> Option<Points> {
    let map = field.map("write open: { rate: 5k/s }")?;
    let rates = map.required("rate", "write rate: 5k/s, or a list of rates");
    let arrival = map.optional("arrival").map_or(Some(Arrival::Constant), |field| check_arrival(&field));
    let connections = map
        .optional("connections")
        .map_or(Some(OPEN_CONNECTIONS), |field| {
            if field.written().is_none() {
                field.problem(
                    "the connections of an open load are one number",
                    "write connections: 64; the ladder is that of rate",
                );
                return None;
            }
            field.integer("a number of connections", 1..=CONNECTIONS_MAX)
        })
        .unwrap_or(OPEN_CONNECTIONS);
    let keep_alive = check_keep_alive(&map).unwrap_or(KeepAlive::On);
    if let Some(think) = map.optional("think") {
        think.problem("an open load does not think: its requests leave at their times", "delete it");
    }
    map.close(&["rate", "arrival", "connections", "keep_alive"]);
    let arrival = arrival.unwrap_or(Arrival::Constant);
    let rungs = ladder(&rates?, |field| field.quantity(quantity::rate, "write a rate such as 5k/s"))?;
    let point = |rate_per_s: &f64| LoadPoint {
        label: quantity::rate_label(*rate_per_s),
        connections: connections as u32,
        kind: LoadKind::Open { rate_per_s: *rate_per_s, arrival },
        keep_alive,
        streams: Vec::new(),
    };
    unique(field, rungs.0.iter().map(point).collect(), rungs.1)
}

fn check_arrival(field: &Field<'_>) -> Option<Arrival> {
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

fn check_keep_alive(map: &Map<'_>) -> Option<KeepAlive> {
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
fn ladder<T>(field: &Field<'_>, read: impl Fn(&Field<'_>) -> Option<T>) -> Option<(Vec<T>, bool)> {
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

fn unique(field: &Field<'_>, points: Vec<LoadPoint>, labels_complete: bool) -> Option<Points> {
    for (index, point) in points.iter().enumerate() {
        if points[..index].iter().any(|other| other.label == point.label) {
            field.problem(format!("the load point {} stands here a second time", point.label), "delete it");
        }
    }
    Some(Points { points, labels_complete })
}
