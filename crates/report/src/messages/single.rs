//! Sentences about a single measurement.

use crate::number;
use proofload_language::{named, tr};
use proofload_store::schema::{AddressUse, Agents, Model, Point};

/// `50 connections, closed loop, 10.0 s`.
pub fn load_of(point: &Point) -> String {
    let label = match point.model {
        Model::Closed if point.point == format!("{}c", point.connections) => {
            tr!(
                "load-of-connections",
                n = point.connections,
                count = number::count(u64::from(point.connections))
            )
        }
        _ => point.point.clone(),
    };
    let time = match point.seconds {
        seconds if seconds < 1.0 => number::duration(seconds * 1e9),
        seconds => tr!("load-of-s", seconds = ((seconds * 10.0).round() / 10.0).to_string()),
    };
    tr!("load-of-loop", label, model = named(point.model.name()), time)
}

pub fn answers(n: u64) -> String {
    tr!("answers", n, count = number::count(n))
}

/// An address with what became of the dials to it.
pub fn address(of: &AddressUse) -> String {
    let shown = |id: fn(u64, String) -> String, n: u64| (n > 0).then(|| id(n, number::count(n)));
    let parts = [
        shown(|n, count| tr!("address-connections", n, count), of.connections),
        shown(|n, count| tr!("address-refused", n, count), of.refused),
        shown(|n, count| tr!("address-timed-out", n, count), of.timed_out),
        shown(|n, count| tr!("address-failed", n, count), of.failed),
    ];
    format!("{} {}", of.address, parts.into_iter().flatten().collect::<Vec<_>>().join(tr!("between-items")))
}

/// Those that were not, with their share and what they were.
pub fn errors_of(n: u64, share: f64, what: &str) -> String {
    tr!("errors-of", n = number::count(n), share = number::short_percent(share), what)
}

/// The processes that carried a load out together, and what is missing of it for those that were lost.
pub fn agents(of: Agents) -> String {
    tr!(
        "generator-agents",
        agents = of.count,
        lost = of.lost,
        n = of.not_offered,
        count = number::count(of.not_offered),
        within = number::duration(of.clocks_within_ns as f64)
    )
}

pub fn more_verbose(n: usize) -> String {
    tr!("more-verbose-and-more-v", n)
}
