//! A load that is a search: the highest rate at which an objective holds.

use super::field::Field;
use super::keys::{Kind, WORD, keys, kinds};
use super::model::CapacityLoad;
use super::overflow::{OPEN_CONNECTIONS, OVERFLOW_KEYS, Sending, check_sending};
use super::points::{ARRIVAL, Points, REUSE, check_arrival, check_keep_alive};
use super::quantity::{self, DURATION, RATE};
use super::shape::LoadPoint;
use proofload_engine::{Arrival, KeepAlive, Profile};
use proofload_facts::{Expected, Mistake};
use proofload_stats::capacity::parse_slo;

/// Lowest rate that is tried by default.
pub const FROM: &str = "100/s";
/// Highest.
pub const TO: &str = "20k/s";
/// Shortest trial: a shorter one is over before connections are open.
const TRIAL_MIN_NS: u64 = 100_000_000;
/// Longest.
const TRIAL_MAX_NS: u64 = 3_600_000_000_000;

keys! {
    /// A search for a capacity.
    CAPACITY with(OVERFLOW_KEYS, REUSE) {
        /// Objective to hold: `p99 < 50ms, errors < 0.1%`; at most 0.1 % errors by default.
        required slo: OBJECTIVE,
        /// Lowest rate that is tried; 100/s by default.
        optional from: RATE,
        /// Highest rate that is tried; 20k/s by default.
        optional to: RATE,
        /// Measured time of a trial (100ms to 1h); 20s without, 4s under --quick.
        optional trial: DURATION,
        /// Spacing of the intended times; poisson by default.
        optional arrival: ARRIVAL,
        /// Connections; without, or with `auto`, there are 16 at first and more while none is free.
        optional connections: OPEN_CONNECTIONS,
    }
}

kinds! {
    /// Conditions that all have to hold: one text with commas, or a list.
    OBJECTIVE = Kind::Either(&[&WORD, &Kind::List(&CONDITION, 1, 16)]);
    /// `p99 < 50ms`.
    CONDITION = WORD;
}

impl CapacityLoad {
    /// Reads a search.
    ///
    /// # Errors
    /// Every mistake with the key that it belongs to, `what; remedy`.
    pub fn read(
        slo: &[String],
        from: Option<&str>,
        to: Option<&str>,
        trial: Option<&str>,
    ) -> Result<CapacityLoad, Vec<(&'static str, Mistake)>> {
        let mut mistakes = Vec::new();
        let slo = parse_slo(slo).map_err(|found| mistakes.extend(found.into_iter().map(|it| ("slo", it))));
        let mut rate = |key, text| quantity::rate(text).map_err(|mistake| mistakes.push((key, mistake)));
        let (from_per_s, to_per_s) = (rate("from", from.unwrap_or(FROM)), rate("to", to.unwrap_or(TO)));
        let in_bounds = |ns: u64| match (TRIAL_MIN_NS..=TRIAL_MAX_NS).contains(&ns) {
            true => Ok(ns),
            false => Err(Mistake::beyond(trial.unwrap_or_default(), "100ms", "1h")),
        };
        let trial_ns = trial.map(|text| quantity::duration(text).and_then(in_bounds)).transpose();
        let trial_ns = trial_ns.map_err(|mistake| mistakes.push(("trial", mistake)));
        if let (Ok(from), Ok(to)) = (from_per_s, to_per_s)
            && from >= to
        {
            let (from, to) = (quantity::rate_label(from), quantity::rate_label(to));
            mistakes.push(("from", Mistake::NotBelow { from, to }));
        }
        match (slo, from_per_s, to_per_s, trial_ns) {
            (Ok(slo), Ok(from_per_s), Ok(to_per_s), Ok(trial_ns)) if mistakes.is_empty() => {
                Ok(CapacityLoad { slo, from_per_s, to_per_s, trial_ns })
            }
            _ => Err(mistakes),
        }
    }

    /// `100/s..20k/s`.
    pub fn label(&self) -> String {
        format!("{}..{}", quantity::rate_label(self.from_per_s), quantity::rate_label(self.to_per_s))
    }
}

/// The load point that trials are made of: at its lowest rate.
pub fn capacity_point(
    load: &CapacityLoad,
    arrival: Arrival,
    keep_alive: KeepAlive,
    sending: Sending,
) -> LoadPoint {
    let Sending { connections, coalesce_ns, open } = sending;
    let profile = Profile::Open { rate_per_s: load.from_per_s, arrival, coalesce_ns };
    LoadPoint { label: load.label(), ..LoadPoint::new(connections, profile, keep_alive, open) }
}

pub(super) fn check_capacity(field: &Field<'_>) -> Option<Points> {
    let map = field.map("capacity: { slo: 'p99 < 50ms', from: 100/s, to: 20k/s }")?;
    let slo = map.required("slo", "slo: 'p99 < 50ms, errors < 0.1%'");
    let texts = slo.and_then(|field| {
        let items = field.one_or_many("slo: 'p99 < 50ms'")?;
        let texts = items.iter().map(|item| item.text("p99 < 50ms").map(str::to_string));
        texts.collect::<Option<Vec<String>>>()
    });
    let written = |key: &str| {
        let field = map.optional(key)?;
        if field.written().is_none() {
            field.wrong(Expected::Quantity, "100/s, 20s");
        }
        field.written()
    };
    let (from, to, trial) = (written("from"), written("to"), written("trial"));
    let arrival = map.optional("arrival").map_or(Some(Arrival::Poisson), |field| check_arrival(&field));
    // The number of connections that a search needs is unknown before it runs.
    let terms = check_sending(&map, true);
    let keep_alive = check_keep_alive(&map);
    map.close();
    let load = match CapacityLoad::read(&texts?, from, to, trial) {
        Ok(load) => load,
        Err(mistakes) => {
            for (key, mistake) in mistakes {
                map.optional(key).as_ref().unwrap_or(field).problem(mistake);
            }
            return None;
        }
    };
    let point = capacity_point(&load, arrival?, keep_alive?, terms?);
    Some(Points { points: vec![point], labels_complete: true, capacity: Some(load) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overflow::AUTO_FIRST;
    use crate::tests::TestCatalogue;
    use std::path::Path;

    #[test]
    fn what_is_searched_is_read_with_its_defaults() {
        let slo = ["p99 < 50ms".to_string()];
        let load = CapacityLoad::read(&slo, None, None, None).expect("a search");
        assert_eq!((load.from_per_s, load.to_per_s, load.trial_ns), (100.0, 20_000.0, None));
        assert_eq!(load.label(), "100/s..20k/s");
    }

    #[test]
    fn whatever_is_said_of_its_connections_holds_where_their_number_is_not_said() {
        let text = "study: s\nquestion: Up to which rate?\nsubjects: { a: { url: 'http://127.0.0.1:1/' } }\nworkload: { \
                    page: { get: / } }\nload: { capacity: { slo: p99 < 50ms, max_connections: 40, overflow: drop, \
                    coalesce: 1ms } }\n";
        let options = crate::Options::default();
        let study = crate::parse(text, "s.yaml", Path::new("."), &options, &TestCatalogue)
            .unwrap_or_else(|problems| panic!("{problems}"));
        let point = &study.points[0];
        let LoadPoint { connections, open, .. } = point;
        assert_eq!((*connections, open.auto, point.profile.coalesce_ns()), (AUTO_FIRST, true, 1_000_000));
        assert_eq!(
            (open.shortage.most_connections, open.shortage.overflow),
            (Some(40), proofload_engine::Overflow::Drop)
        );
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let slo = ["p99 > 50ms".to_string()];
        let mistakes = CapacityLoad::read(&slo, Some("fast"), Some("0"), Some("1ms")).expect_err("wrong");
        let keys: Vec<&str> = mistakes.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, ["slo", "from", "to", "trial"]);
        let slo = ["p99 < 50ms".to_string()];
        let turned = CapacityLoad::read(&slo, Some("2k/s"), Some("1k/s"), None).expect_err("wrong");
        assert!(matches!(turned[0].1, Mistake::NotBelow { .. }), "{turned:?}");
    }
}
