//! `closed: { connections: [200, 1200], ramp: 1s, for: 5m }` — a ladder each rung of which is carried out whole: the
//! connections join over the ramp, and stay.

use super::field::{Field, Map};
use super::points::{Points, check_keep_alive, check_number, check_think, ladder, unique};
use super::quantity;
use super::shape::{LoadPoint, OpenTerms};
use super::soak::CHECKPOINT_MIN_NS;
use proofload_engine::{Profile, Stage};
use proofload_facts::Mistake;

/// Checks a closed loop that has a length.
pub(super) fn check_hold(field: &Field<'_>, map: &Map<'_>) -> Option<Points> {
    map.forbid(&["in_flight", "requests", "cap", "stages", "soak", "checkpoint"], "for");
    let time = |field: &Field<'_>| field.quantity(quantity::duration, "30s");
    let length = map.optional("for");
    let for_ns = length.as_ref().and_then(time);
    let ramp_ns = map.optional("ramp").map_or(Some(0), |field| time(&field));
    let connections = map.required("connections", "connections: 64, connections: [16, 64]");
    let think_ns = check_think(map);
    let keep_alive = check_keep_alive(map);
    map.close();
    let rungs = ladder(&connections?, check_number)?;
    let (for_ns, ramp_ns) = (for_ns?, ramp_ns?);
    if for_ns == 0
        && let Some(field) = &length
    {
        field.problem(Mistake::TakesNoTime);
        return None;
    }
    let (think_ns, keep_alive) = (think_ns?, keep_alive?);
    let point = |connections: &u64| {
        let all = *connections as f64;
        let ramp = (ramp_ns > 0).then_some(Stage::Line { from: 0.0, to: all, for_ns: ramp_ns });
        let stages = ramp.into_iter().chain([Stage::hold(all, for_ns)]).collect();
        let profile = Profile::ClosedStages { stages, think_ns: think_ns.clone() };
        let point = LoadPoint::new(*connections as u32, profile, keep_alive, OpenTerms::default());
        LoadPoint { label: format!("{connections}c"), ..point }
    };
    unique(field, rungs.0.iter().map(point).collect(), rungs.1)
}

/// The length of the hold at the end of a load whose connections join and stay.
fn held_ns(point: &LoadPoint) -> Option<u64> {
    match point.profile.stages().last().filter(|_| point.profile.is_closed()) {
        Some(Stage::Line { from, to, for_ns }) if from == to => Some(*for_ns),
        _ => None,
    }
}

/// Holds the connections for that time instead; a soak has its checkpoints closer together then. Returns the time they
/// would have been held; nothing for another load.
pub(super) fn hold_for(point: &mut LoadPoint, for_ns: u64) -> Option<u64> {
    let own_ns = held_ns(point)?;
    if let Profile::ClosedStages { stages, .. } = &mut point.profile
        && let Some(Stage::Line { for_ns: held_ns, .. }) = stages.last_mut()
    {
        *held_ns = for_ns;
    }
    if point.checkpoint_ns > 0 {
        let part = for_ns as f64 / own_ns as f64;
        point.checkpoint_ns = ((point.checkpoint_ns as f64 * part) as u64).max(CHECKPOINT_MIN_NS);
    }
    Some(own_ns)
}

/// Checks `quick: { for: 10s }`.
pub(super) fn check_shorter(field: &Field<'_>, points: &[LoadPoint]) -> Option<u64> {
    let for_ns = field.quantity(quantity::duration, "10s")?;
    let Some(own_ns) = points.iter().filter_map(held_ns).max() else {
        field.problem(Mistake::NoLength);
        return None;
    };
    if !(1..=own_ns).contains(&for_ns) {
        let most = format!("{}s", own_ns as f64 / 1e9);
        field.problem(Mistake::beyond(field.found(), "1ms", most));
        return None;
    }
    Some(for_ns)
}

#[cfg(test)]
mod tests {
    use crate::tests::TestCatalogue;
    use crate::{Options, Problems, Study, parse};
    use std::path::Path;

    fn read(load: &str) -> Result<Study, Problems> {
        read_with(load, &Options::default())
    }

    fn read_with(load: &str, options: &Options) -> Result<Study, Problems> {
        let text = format!(
            "study: s\nquestion: Which?\nsubjects: {{ a: {{ url: 'http://127.0.0.1:1/' }} }}\n\
             workload: {{ page: {{ get: / }} }}\nload: {{ closed: {load} }}\nclaims: [ {{ ok: errors(a) == 0 }} ]\n"
        );
        parse(&text, "s.yaml", Path::new("."), options, &TestCatalogue)
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
    fn a_quick_run_may_be_shorter_which_is_said() {
        let load = "{ connections: [8, 9], ramp: 1s, for: 5m }}\nquick: { for: 10s, points: [9c] }\n#";
        let quick = Options { quick: true, ..Options::default() };
        for (options, length_s) in [(quick, 11), (Options::default(), 301)] {
            let study = read_with(load, &options).unwrap_or_else(|wrong| panic!("{wrong}"));
            let last = study.points.last().map(|point| point.length_ns() / 1_000_000_000);
            assert_eq!(last, Some(length_s));
            let other = proofload_facts::Finding::OtherLength { own_s: 300.0, instead_s: 10.0 };
            let said = study.not_tested.contains(&other);
            assert_eq!(said, options.quick, "{:?}", study.not_tested);
        }
        let wrong =
            |quick: &str, load: &str| read(&format!("{load}}}\nquick: {quick}\n#")).unwrap_err().to_string();
        assert!(wrong("{ for: 10m }", "{ connections: 8, for: 5m }").contains("to 300s"));
        assert!(wrong("{ for: 10s }", "{ connections: 8 }").contains("no load here has a length"));
    }

    #[test]
    fn a_soak_is_shortened_with_its_checkpoints() {
        let load = "{ connections: 8, soak: 50h }}\nquick: { for: 40s }\n#";
        let of = |quick| {
            let study = read_with(load, &Options { quick, ..Options::default() });
            let point = study.unwrap_or_else(|wrong| panic!("{wrong}")).points.remove(0);
            (point.length_ns() / 1_000_000_000, point.checkpoint_ns() / 1_000_000_000)
        };
        assert_eq!((of(false), of(true)), ((180_000, 3_000), (40, 1)));
    }

    #[test]
    fn what_goes_with_no_length_is_told() {
        for (load, expected) in [
            ("{ connections: 8, for: 2s, requests: 9 }", "requests"),
            ("{ connections: 8, for: 2s, in_flight: 9 }", "in_flight"),
            ("{ connections: 8, for: 0s }", "takes no time"),
            ("{ connections: 8, ramp: 2s }", "ramp"),
        ] {
            let told = read(load).unwrap_err().to_string();
            assert!(told.contains(expected), "{told}");
        }
    }
}
