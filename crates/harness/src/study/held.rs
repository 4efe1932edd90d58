//! `closed: { connections: [200, 1200], ramp: 1s, for: 5m }` — a ladder each rung of which is carried out whole: the
//! connections join over the ramp, and stay.

use super::field::{Field, Map};
use super::intensity::{
    Points, check_keep_alive, check_number, check_think, connection_label, ladder, unique,
};
use super::soak;
use super::{LoadKind, LoadPoint, OpenTerms, quantity};
use proofload_engine::{Distribution, Stage};

/// Checks a closed loop that has a length.
pub(super) fn check_held(field: &Field<'_>, map: &Map<'_>) -> Option<Points> {
    map.forbid(&[&["requests", "cap", "stages"][..], &soak::KEYS[..]].concat(), "for");
    let time = |field: &Field<'_>| field.quantity(quantity::duration, "write a duration such as 30s");
    let length = map.optional("for");
    let for_ns = length.as_ref().and_then(time);
    let ramp_ns = map.optional("ramp").map_or(Some(0), |field| time(&field));
    let connections = map.required("connections", "write connections: 64, or a list of numbers");
    let think_ns =
        map.optional("think").map_or_else(|| Some(Distribution::default()), |field| check_think(&field));
    let keep_alive = check_keep_alive(map);
    map.close(&["connections", "ramp", "for", "think", "keep_alive"]);
    let rungs = ladder(&connections?, check_number)?;
    let (for_ns, ramp_ns) = (for_ns?, ramp_ns?);
    if for_ns == 0
        && let Some(field) = &length
    {
        field.problem("a load of no length", "write how long the connections stay: for: 30s");
        return None;
    }
    let (think_ns, keep_alive) = (think_ns?, keep_alive?);
    let point = |connections: &u64| {
        let all = *connections as f64;
        let ramp = (ramp_ns > 0).then_some(Stage::Line { from: 0.0, to: all, for_ns: ramp_ns });
        let stages = ramp.into_iter().chain([Stage::hold(all, for_ns)]).collect();
        LoadPoint {
            label: connection_label(*connections as u32),
            connections: *connections as u32,
            kind: LoadKind::ClosedStages { stages, think_ns: think_ns.clone() },
            keep_alive,
            open: OpenTerms::default(),
            checkpoint_ns: 0,
            streams: Vec::new(),
            asks: None,
        }
    };
    unique(field, rungs.0.iter().map(point).collect(), rungs.1)
}

#[cfg(test)]
mod tests {
    use crate::study::tests::TestCatalogue;
    use crate::study::{Options, Problems, Study, parse};
    use std::path::Path;

    fn read(load: &str) -> Result<Study, Problems> {
        let text = format!(
            "study: s\nquestion: Which?\nsubjects: {{ a: {{ url: 'http://127.0.0.1:1/' }} }}\n\
             workload: {{ page: {{ get: / }} }}\nload: {{ closed: {load} }}\nclaims: [ {{ ok: errors(a) == 0 }} ]\n"
        );
        parse(&text, "s.yaml", Path::new("."), &Options::default(), &TestCatalogue)
    }

    #[test]
    fn each_rung_is_a_ramp_and_a_hold_of_its_own_length() {
        let study =
            read("{ connections: [200, 1200], ramp: 1s, for: 5m }").unwrap_or_else(|wrong| panic!("{wrong}"));
        let told: Vec<(&str, u64, bool, String)> = study
            .points
            .iter()
            .map(|point| (point.label.as_str(), point.length_ns(), point.is_whole(), point.shape_in_words()))
            .collect();
        let words = |n: u32| format!("ramp 0 to {n} in 1 s, hold {n} for 300 s");
        assert_eq!(
            told,
            [("200c", 301_000_000_000, true, words(200)), ("1200c", 301_000_000_000, true, words(1200))]
        );
        assert_eq!(
            read("{ connections: 8, for: 2s }").map(|study| study.points[0].length_ns()),
            Ok(2_000_000_000)
        );
    }

    #[test]
    fn what_goes_with_no_length_is_told() {
        for (load, expected) in [
            ("{ connections: 8, for: 2s, requests: 9 }", "requests"),
            ("{ connections: 8, for: 0s }", "a load of no length"),
            ("{ connections: 8, ramp: 2s }", "ramp"),
        ] {
            let told = read(load).unwrap_err().to_string();
            assert!(told.contains(expected), "{told}");
        }
    }
}
