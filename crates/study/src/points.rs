//! The load points of a study, and what several loads have in common.

use super::distribution::distribution;
use super::field::{Field, Map};
use super::keys::{Kind, keys, kinds};
use super::model::CapacityLoad;
use super::problem::shown;
use super::quantity::{self, CONNECTIONS};
use super::shape::LoadPoint;
use super::suggest::not_one_of;
use proofload_engine::{Arrival, Distribution, KeepAlive};
use proofload_facts::{Expected, Mistake, Thing};

/// Most points of a ladder: each is measured in every cycle.
pub(super) const POINTS_MAX: usize = 16;

/// Longest think time, on average.
const THINK_MAX_NS: f64 = 60e9;

keys! {
    /// Pauses of a closed loop.
    PAUSE {
        /// Pause between an answer and the next request; none by default.
        optional think: THINK,
    }

    /// Reuse of connections.
    REUSE {
        /// Reuse of connections: true, false, or a number of exchanges for each connection.
        optional keep_alive: KEEP_ALIVE,
    }
}

kinds! {
    /// A duration such as `50ms`, or a distribution of them: `exp:50ms`, `uniform:10ms..90ms`,
    /// `lognormal:50ms,p99=1s`, `list:10ms,20ms`.
    THINK = Kind::Text(
        r"^\s*((const|exp|uniform|lognormal|list)\s*:)?\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*(ns|us|µs|μs|ms|s|m|min|h)"
    );
    /// Reuse of connections.
    KEEP_ALIVE = Kind::Either(&[&Kind::Switch, &Kind::Integer(1, u32::MAX as u64)]);
    /// One number of connections, or a ladder.
    LADDER = Kind::Either(&[&CONNECTIONS, &Kind::Distinct(&CONNECTIONS, 1, POINTS_MAX)]);
    /// Spacing of intended times.
    ARRIVAL = Kind::Words(&[("constant", "Equal gaps."), ("poisson", "Exponential gaps.")]);
}

/// The points; true if all their labels could be read (otherwise claims cannot be checked).
pub(super) struct Points {
    pub(super) points: Vec<LoadPoint>,
    pub(super) labels_complete: bool,
    /// The search, where the load is one.
    pub(super) capacity: Option<CapacityLoad>,
}

/// A number of connections of a closed loop.
pub(super) fn check_number(field: &Field<'_>) -> Option<u64> {
    if field.written() == Some("auto") {
        field.problem(Mistake::AutoClosed);
        return None;
    }
    field.integer()
}

/// The pause of a closed loop.
pub(super) fn check_think(map: &Map<'_>) -> Option<Distribution> {
    let Some(field) = map.optional("think") else { return Some(Distribution::default()) };
    field.quantity(think, "50ms, exp:50ms")
}

/// A think time: `50ms`, `exp:50ms`, `uniform:10ms..90ms`, `lognormal:50ms,p99=1s`, `list:10ms,20ms`.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn think(text: &str) -> Result<Distribution, Mistake> {
    let think = distribution(text, quantity::duration, "uniform:50ms..150ms, lognormal:100ms,p99=1s")?;
    if think.mean() > THINK_MAX_NS {
        return Err(Mistake::beyond(shown(text), "0s", "60s"));
    }
    Ok(think)
}

pub(super) fn check_arrival(field: &Field<'_>) -> Option<Arrival> {
    let all = [Arrival::Constant, Arrival::Poisson];
    let text = field.text("constant, poisson")?;
    let known = all.into_iter().find(|arrival| arrival.name() == text);
    known.or_else(|| field.take(Err(not_one_of(text, &all.map(Arrival::name)))))
}

pub(super) fn check_keep_alive(map: &Map<'_>) -> Option<KeepAlive> {
    use super::yaml::Kind as Written;
    let Some(field) = map.optional("keep_alive") else { return Some(KeepAlive::On) };
    match field.node.kind() {
        Some(Written::Integer) => {
            let count = field.integer();
            count.map(|count| KeepAlive::Every(count as u32))
        }
        Some(Written::Boolean) => field.boolean().map(|on| if on { KeepAlive::On } else { KeepAlive::Off }),
        _ => {
            let form = match field.written().map(str::to_ascii_lowercase).as_deref() {
                Some("on" | "yes" | "y" | "true") => "true",
                Some("off" | "no" | "n" | "false") => "false",
                _ => "true, false, 100",
            };
            field.wrong(Expected::KeepAlive, form);
            None
        }
    }
}

/// The rungs that could be read; true if those are all.
pub(super) fn ladder<T>(field: &Field<'_>, read: impl Fn(&Field<'_>) -> Option<T>) -> Option<(Vec<T>, bool)> {
    let items = field.one_or_many("64, [16, 64]")?;
    field.at_most(items.len(), POINTS_MAX, Thing::Point)?;
    let count = items.len();
    let rungs: Vec<T> = items.iter().filter_map(read).collect();
    let complete = rungs.len() == count;
    Some((rungs, complete))
}

pub(super) fn unique(field: &Field<'_>, points: Vec<LoadPoint>, labels_complete: bool) -> Option<Points> {
    for (index, point) in points.iter().enumerate() {
        if points[..index].iter().any(|other| other.label == point.label) {
            field.problem(Mistake::twice(Thing::Point, point.label.clone()));
        }
    }
    Some(Points { points, labels_complete, capacity: None })
}
