//! The load: a closed or an open loop, and the ladder of its points.

use super::capacity::{CAPACITY, check_capacity};
use super::field::{Field, Map};
use super::hold::check_hold;
use super::keys::{Kind, keys};
use super::overflow::{OPEN_CONNECTIONS, OVERFLOW_KEYS, Sending, check_sending};
use super::points::{ARRIVAL, LADDER, PAUSE, POINTS_MAX, Points, REUSE};
use super::points::{check_arrival, check_keep_alive, check_number, check_think, ladder, unique};
use super::quantity::{self, DURATION, RATE};
use super::request_defaults::Shared;
use super::shape::{LoadPoint, OpenTerms};
use super::soak::{SOAK, check_soak, soaked};
use super::stages::{Of, STAGES, check_stages};
use super::trace::{TRACE, check_trace};
use proofload_engine::{Arrival, Extent, KeepAlive, Profile, Stage};
use proofload_facts::Mistake;

/// Longest time of a load that ends with a count, unless the study sets another.
pub const CAP_NS: u64 = 600_000_000_000;

/// Most calls that one connection carries at once.
pub const IN_FLIGHT_MAX: u32 = 1024;

/// Most requests of a load that ends with a count.
const REQUESTS_MAX: u64 = 10_000_000_000;

/// Most requests of one user.
const LOOPS_MAX: u64 = 1_000_000;

keys! {
    /// Closed (a number of connections, each sends again once it is answered) or open (requests leave at their times).
    LOAD {
        /// A number of connections; each sends again once it is answered.
        optional closed: Kind::Map(&[&CLOSED]),
        /// Requests leave at their times, independent of the answers.
        optional open: Kind::Map(&[&OPEN]),
        /// Users that start over a ramp, send a number of requests, and leave.
        optional users: Kind::Map(&[&USERS]),
        /// The highest rate at which an objective holds is searched; such a study has no claims.
        optional capacity: Kind::Map(&[&CAPACITY]),
    }

    /// A closed loop.
    CLOSED exactly_one(connections, stages) with(SOAK, PAUSE, REUSE) {
        /// Connections, or a ladder of them.
        optional connections: LADDER,
        /// Calls that each connection carries at once, 1 by default; only of protocols whose answers may come in any
        /// order (Dubbo).
        optional in_flight: Kind::Integer(1, IN_FLIGHT_MAX as u64),
        /// The load ends after this number of requests over all connections.
        optional requests: Kind::Integer(1, REQUESTS_MAX),
        /// Longest time for all requests; 10m by default.
        optional cap: DURATION,
        /// Time over which the connections join; only with `for`.
        optional ramp: DURATION,
        /// Time for which the connections stay; the load is then carried out whole.
        optional for: DURATION,
        /// Connections over time, instead of a number of them.
        optional stages: STAGES,
    }

    /// An open loop.
    OPEN exactly_one(rate, stages, trace) with(SOAK, OVERFLOW_KEYS, REUSE) {
        /// Intended requests per second, or a ladder of rates: `5k/s`.
        optional rate: Kind::Either(&[&RATE, &Kind::Distinct(&RATE, 1, POINTS_MAX)]),
        /// The rate over time, instead of one that stays.
        optional stages: STAGES,
        /// Recorded arrivals, instead of a rate.
        optional trace: TRACE,
        /// Spacing of the intended times; constant by default.
        optional arrival: ARRIVAL,
        /// Connections; 64 by default. With `auto` there are 16 at first and more while none is free.
        optional connections: OPEN_CONNECTIONS,
        /// Calls that each connection carries at once, 1 by default; only of protocols whose answers may come in any
        /// order (Dubbo).
        optional in_flight: Kind::Integer(1, IN_FLIGHT_MAX as u64),
    }

    /// A load of users.
    USERS with(PAUSE, REUSE) {
        /// Number of users, or a ladder; each has a connection of its own.
        required users: LADDER,
        /// Time over which they start; all at once by default.
        optional ramp: DURATION,
        /// Number of requests that each user sends.
        required loops: Kind::Integer(1, LOOPS_MAX),
        /// Longest time of the load; 10m by default.
        optional cap: DURATION,
    }
}

pub(super) fn check_load(field: &Field<'_>, shared: &Shared<'_>) -> Option<Points> {
    let map = field.map("load: { closed: { connections: 64 } }")?;
    let kind = map.exactly_one("closed: { connections: 64 }, open: { rate: 5k/s }");
    map.close();
    match kind? {
        ("closed", field) => check_closed(&field),
        ("users", field) => check_users(&field),
        ("capacity", field) => check_capacity(&field),
        (_, field) => check_open(&field, shared),
    }
}

fn check_closed(field: &Field<'_>) -> Option<Points> {
    let map = field.map("closed: { connections: 64 }")?;
    if map.has("stages") {
        return check_closed_stages(&map);
    }
    if map.has("for") {
        return check_hold(field, &map);
    }
    let in_flight = check_in_flight(&map);
    let count = map.optional("requests").map(|field| field.integer());
    if count.is_none()
        && let Some(cap) = map.optional("cap")
    {
        cap.problem(Mistake::NoMeaningWithout { needs: "requests: 100000".to_string() });
    }
    let cap_ns = check_cap(&map);
    if count.is_some() {
        map.forbid(&["soak", "checkpoint"], "requests");
    }
    let soak = if count.is_none() { check_soak(&map) } else { Some(None) };
    let connections = map.required("connections", "connections: 64, connections: [16, 64]");
    let think_ns = check_think(&map);
    let keep_alive = check_keep_alive(&map);
    if let Some(ramp) = map.optional("ramp") {
        ramp.problem(Mistake::NoMeaningWithout { needs: "for: 5m".to_string() });
    }
    map.close();
    let (think_ns, keep_alive) = (think_ns.unwrap_or_default(), keep_alive.unwrap_or(KeepAlive::On));
    let rungs = ladder(&connections?, check_number)?;
    let (count, cap_ns) = (count.map_or(Some(None), |count| count.map(Some))?, cap_ns?);
    let in_flight = in_flight?;
    let point = |connections: &u64| {
        let profile = Profile::Closed { think_ns: think_ns.clone() };
        let point = LoadPoint::new(*connections as u32, profile, keep_alive, OpenTerms::default());
        let mut point = point.with_in_flight(in_flight);
        if let Some(count) = count {
            point.label += &format!("-{count}n");
            point.end = Some(Extent::Requests { count, cap_ns });
        }
        point
    };
    Some(soaked(unique(field, rungs.0.iter().map(point).collect(), rungs.1)?, soak?))
}

fn check_closed_stages(map: &Map<'_>) -> Option<Points> {
    map.forbid(
        &["connections", "in_flight", "requests", "cap", "soak", "checkpoint", "ramp", "for"],
        "stages",
    );
    let stages = map.optional("stages").and_then(|field| check_stages(&field, Of::Connections));
    let think_ns = check_think(map);
    let keep_alive = check_keep_alive(map);
    map.close();
    let stages = stages?;
    let point = LoadPoint::new(
        Stage::peak_of(&stages).ceil() as u32,
        Profile::ClosedStages { stages, think_ns: think_ns? },
        keep_alive?,
        OpenTerms::default(),
    );
    Some(Points { points: vec![point], labels_complete: true, capacity: None })
}

fn check_users(field: &Field<'_>) -> Option<Points> {
    let map = field.map("users: { users: 5000, ramp: 10s, loops: 10 }")?;
    let users = map.required("users", "users: 5000, users: [500, 5000]");
    let loops = map.required("loops", "loops: 10").and_then(|field| field.integer());
    let ramp_ns = map.optional("ramp").map_or(Some(0), |field| field.quantity(quantity::duration, "10s"));
    let think_ns = check_think(&map);
    let keep_alive = check_keep_alive(&map);
    let cap_ns = check_cap(&map);
    map.close();
    let rungs = ladder(&users?, |field| field.integer())?;
    let (loops, ramp_ns, think_ns) = (loops? as u32, ramp_ns?, think_ns?);
    let (keep_alive, cap_ns) = (keep_alive?, cap_ns?);
    if ramp_ns >= cap_ns {
        field.problem(Mistake::StartTooLong);
        return None;
    }
    let point = |users: &u64| {
        let count = *users * u64::from(loops);
        let profile = Profile::Users { ramp_ns, loops, think_ns: think_ns.clone() };
        LoadPoint {
            end: Some(Extent::Requests { count, cap_ns }),
            ..LoadPoint::new(*users as u32, profile, keep_alive, OpenTerms::default())
        }
    };
    unique(field, rungs.0.iter().map(point).collect(), rungs.1)
}

/// Longest time of a load that ends with a count.
fn check_cap(map: &Map<'_>) -> Option<u64> {
    map.optional("cap").map_or(Some(CAP_NS), |field| {
        let ns = field.quantity(quantity::duration, "10m")?;
        if ns == 0 {
            field.problem(Mistake::TakesNoTime);
            return None;
        }
        Some(ns)
    })
}

/// Calls that each connection carries at once.
fn check_in_flight(map: &Map<'_>) -> Option<u32> {
    let Some(field) = map.optional("in_flight") else { return Some(1) };
    field.integer().map(|calls| calls as u32)
}

fn check_open(field: &Field<'_>, shared: &Shared<'_>) -> Option<Points> {
    let map = field.map("open: { rate: 5k/s }")?;
    let stages = map.optional("stages").map(|field| check_stages(&field, Of::Rate));
    let trace = map.optional("trace").map(|field| check_trace(&field, |file| shared.file(file)));
    let rates = match stages {
        _ if trace.is_some() => {
            map.forbid(&["rate", "stages", "arrival", "soak", "checkpoint"], "trace");
            None
        }
        None => map.required("rate", "rate: 5k/s, rate: [1k/s, 5k/s]"),
        Some(_) => {
            map.forbid(&["rate", "soak", "checkpoint"], "stages");
            None
        }
    };
    let arrival = map.optional("arrival").map_or(Some(Arrival::Constant), |field| check_arrival(&field));
    let terms = check_sending(&map, false);
    let in_flight = check_in_flight(&map).unwrap_or(1);
    let keep_alive = check_keep_alive(&map).unwrap_or(KeepAlive::On);
    if let Some(think) = map.undeclared("think") {
        think.problem(Mistake::OpenThinks);
    }
    let is_plain = !map.has("stages") && !map.has("trace");
    let soak = if is_plain { check_soak(&map) } else { Some(None) };
    map.close();
    let Sending { connections, coalesce_ns, open } = terms?;
    if let Some(trace) = trace {
        let (recorded, for_ns) = trace?;
        let profile = Profile::OpenTrace { trace: recorded.trace.clone(), coalesce_ns };
        let point = LoadPoint::new(connections, profile, keep_alive, open);
        let end = Some(Extent::DurationNs(for_ns));
        let point = LoadPoint { end, trace: Some(recorded), in_flight, ..point };
        return Some(Points { points: vec![point], labels_complete: true, capacity: None });
    }
    let arrival = arrival.unwrap_or(Arrival::Constant);
    if let Some(stages) = stages {
        let stages = stages?;
        let profile = Profile::OpenStages { stages, arrival, coalesce_ns };
        let point = LoadPoint::new(connections, profile, keep_alive, open);
        let point = LoadPoint { in_flight, ..point };
        return Some(Points { points: vec![point], labels_complete: true, capacity: None });
    }
    let rungs = ladder(&rates?, |field| field.quantity(quantity::rate, "5k/s"))?;
    let point = |rate_per_s: &f64| {
        let profile = Profile::Open { rate_per_s: *rate_per_s, arrival, coalesce_ns };
        LoadPoint::new(connections, profile, keep_alive, open).with_in_flight(in_flight)
    };
    Some(soaked(unique(field, rungs.0.iter().map(point).collect(), rungs.1)?, soak?))
}
