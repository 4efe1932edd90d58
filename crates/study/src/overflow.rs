//! Terms of sending of an open loop beside its times: precision, connections, and requests that find none free.

use super::field::{Field, Map};
use super::keys::{Kind, keys, kinds};
use super::problem::shown;
use super::quantity::{self, CONNECTIONS, DURATION};
use super::shape::OpenTerms;
use super::suggest::not_one_of;
use proofload_engine::driver::{Allowance, Drivers, EpollDrivers};
use proofload_engine::{Overflow, Shortage};
use proofload_facts::Mistake;

/// Default connections of an open loop: as many as wrk2 users commonly take, and few enough for every server. A slow
/// server makes requests wait for one, which the response time shows.
const CONNECTIONS_WITHOUT: u32 = 64;

/// Connections at the start of a load whose connections the tool chooses.
pub const AUTO_FIRST: u32 = 16;

/// Most connections that the tool chooses, where the machine allows that: as many as a worker can serve in time.
const AUTO_MOST: u64 = 10_000;

/// Divisor of the machine's descriptors and local ports, for the connections that the tool chooses: the server beside
/// it takes as many again, and connections that end leave ports in TIME_WAIT.
const AUTO_PART: u64 = 4;

/// Longest delay of sends that leave together; beyond it the load is no longer an open loop.
const COALESCE_MAX_NS: u64 = 100_000_000;

/// Longest delay of sends that leave together: `100us`.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn coalesce(text: &str) -> Result<u64, Mistake> {
    let ns = quantity::duration(text)?;
    if ns > COALESCE_MAX_NS {
        return Err(Mistake::beyond(shown(text), "0s", "100ms"));
    }
    Ok(ns)
}

/// `queue` or `drop`.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn overflow(text: &str) -> Result<Overflow, Mistake> {
    match text {
        "queue" => Ok(Overflow::Queue),
        "drop" => Ok(Overflow::Drop),
        other => Err(not_one_of(other, &["queue", "drop"])),
    }
}

/// As it is written.
pub fn overflow_name(overflow: Overflow) -> &'static str {
    match overflow {
        Overflow::Queue => "queue",
        Overflow::Drop => "drop",
    }
}

/// Most connections, on this machine, of a load whose connections the tool chooses.
pub fn auto_most() -> u32 {
    auto_most_of(&EpollDrivers::default().allowance())
}

fn auto_most_of(allowance: &Allowance) -> u32 {
    let descriptors = allowance.descriptors.unwrap_or(u64::MAX);
    let most = AUTO_MOST.min(descriptors / AUTO_PART).min(allowance.ports / AUTO_PART);
    most.max(u64::from(AUTO_FIRST)) as u32
}

impl OpenTerms {
    /// Terms of sending in words; `connections` are those it begins with.
    pub fn in_words(&self, connections: u32, coalesce_ns: u64) -> Vec<String> {
        let mut parts = vec![match self.shortage.most_connections {
            Some(most) if most > connections => {
                format!("{connections} connections, up to {most} while none is free")
            }
            _ => format!("{connections} connections"),
        }];
        if self.shortage.overflow == Overflow::Drop {
            parts.push("requests that find none free are dropped".to_string());
        }
        if coalesce_ns > 0 {
            parts.push(format!("sent together within {} us", coalesce_ns as f64 / 1e3));
        }
        parts
    }
}

keys! {
    /// Requests that find no free connection.
    OVERFLOW_KEYS {
        /// Most connections: more are opened, up to this number, while requests that are due find none free.
        optional max_connections: CONNECTIONS,
        /// Handling of a request that finds no free connection; queue by default.
        optional overflow: OVERFLOW,
        /// Longest delay of requests that are sent together to save CPU time (0s to 100ms); exact by default.
        optional coalesce: DURATION,
    }
}

kinds! {
    /// A number of connections, or `auto`.
    OPEN_CONNECTIONS = Kind::Either(&[&CONNECTIONS, &Kind::Words(&[("auto", "As many as are needed.")])]);
    /// Handling of a request that finds no free connection.
    OVERFLOW = Kind::Words(&[
        ("queue", "It waits for one and keeps its intended time."),
        ("drop", "It is not sent, and counted."),
    ]);
}

/// Terms of sending of an open loop, beside its times.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// Connections that it begins with.
    pub connections: u32,
    /// Longest delay of sends that leave together; 0 is exact.
    pub coalesce_ns: u64,
    /// Handling of requests while no connection is free.
    pub open: OpenTerms,
}

/// Terms of sending of an open loop. With `auto_without` the tool chooses the connections where the study does not.
pub(super) fn check_sending(map: &Map<'_>, auto_without: bool) -> Option<Sending> {
    let written = map.optional("connections");
    let auto = written.as_ref().map_or(auto_without, |field| field.written() == Some("auto"));
    let first = match (written, auto) {
        (_, true) => Some(AUTO_FIRST),
        (None, false) => Some(CONNECTIONS_WITHOUT),
        (Some(field), false) => check_connections(&field),
    };
    let most = match map.optional("max_connections") {
        None => Some(auto.then(auto_most)),
        Some(field) => check_most(&field, first).map(Some),
    };
    let overflow = map
        .optional("overflow")
        .map_or(Some(Overflow::Queue), |field| field.quantity(overflow, "queue, drop"));
    let coalesce_ns = map.optional("coalesce").map_or(Some(0), |field| field.quantity(coalesce, "100us"));
    let shortage = Shortage { overflow: overflow?, most_connections: most? };
    Some(Sending { connections: first?, coalesce_ns: coalesce_ns?, open: OpenTerms { shortage, auto } })
}

fn check_connections(field: &Field<'_>) -> Option<u32> {
    if field.written().is_none() {
        field.problem(Mistake::OneNumber);
        return None;
    }
    field.integer().map(|connections| connections as u32)
}

fn check_most(field: &Field<'_>, first: Option<u32>) -> Option<u32> {
    let most = field.integer()? as u32;
    if let Some(first) = first.filter(|first| *first > most) {
        field.problem(Mistake::MostBelowFirst { most: most.into(), first: first.into() });
        return None;
    }
    Some(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::told;

    #[test]
    fn a_machine_gives_a_quarter_of_what_it_has() {
        let most = |descriptors, ports| auto_most_of(&Allowance { descriptors, ports });
        assert_eq!(most(Some(1_024), 28_232), 256);
        assert_eq!(most(Some(1 << 20), 28_232), 7_058);
        assert_eq!(most(None, u64::MAX), 10_000);
        assert_eq!(most(Some(20), 28_232), AUTO_FIRST);
    }

    #[test]
    fn what_cannot_be_is_refused_with_a_remedy() {
        assert_eq!(coalesce("100us"), Ok(100_000));
        assert_eq!(coalesce("0s"), Ok(0));
        assert!(matches!(coalesce("1s"), Err(Mistake::OutOfRange { .. })));
        assert_eq!(overflow("drop"), Ok(Overflow::Drop));
        assert_eq!(told(&overflow("dorp").unwrap_err()), "dorp is not known here; did you mean drop?");
        assert_eq!(told(&overflow("wait").unwrap_err()), "wait is not known here; write queue or drop");
    }
}
