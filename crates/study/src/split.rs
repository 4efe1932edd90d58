//! `ask: separately`: each request of the workload is a load of its own, instead of all of them in one mix.

use super::field::{Field, Map};
use super::keys::{Kind, kinds};
use super::model::WorkloadEntry;
use super::name::{LEVEL_LETTERS, bad_name, is_level};
use super::points::{POINTS_MAX, Points};
use super::problem::shown;
use super::shape::LoadPoint;
use super::streams::Asked;
use super::suggest::not_one_of;
use proofload_facts::{Mistake, Thing};

kinds! {
    /// All requests in one mix by weight, or each of them a load point of its own.
    ASK = Kind::Words(&[("mixed", "In one mix by weight."), ("separately", "Each is a load point of its own.")]);
}

/// Makes a load point of each request at each point of the load, if the study sets that.
pub(super) fn check_ask(map: &Map<'_>, asked: Asked) -> Asked {
    let Some(field) = map.optional("ask") else { return asked };
    match field.text("ask: separately, ask: mixed") {
        Some("separately") => {}
        Some("mixed") => return asked,
        Some(other) => {
            field.problem(not_one_of(other, &["separately", "mixed"]));
            return asked;
        }
        None => return asked,
    }
    let (Some(workload), Some(points)) = (&asked.workload, &asked.points) else { return asked };
    let points = separated(&field, workload, points);
    Asked { points: Some(points), ..asked }
}

fn separated(field: &Field<'_>, workload: &[WorkloadEntry], points: &Points) -> Points {
    if points.capacity.is_some() {
        field.problem(Mistake::SearchAlone);
    }
    for entry in workload {
        if !is_level(&entry.name) {
            field.problem(bad_name(Thing::Point, &entry.name, LEVEL_LETTERS));
        }
        if entry.weight != 1 {
            field.problem(Mistake::WeightOfOne { entry: shown(&entry.name) });
        }
    }
    let all = workload.len() * points.points.len();
    if all > POINTS_MAX * 2 {
        field.problem(Mistake::too_many(Thing::Point, all, POINTS_MAX * 2));
    }
    let at = |point: &LoadPoint, asks: usize| LoadPoint {
        label: format!("{}-{}", point.label, workload[asks].name),
        asks: Some(asks),
        ..point.clone()
    };
    let of_point = |point: &LoadPoint| (0..workload.len()).map(|asks| at(point, asks)).collect::<Vec<_>>();
    let separated: Vec<LoadPoint> = points.points.iter().flat_map(of_point).collect();
    Points { points: separated, labels_complete: points.labels_complete, capacity: None }
}

#[cfg(test)]
mod tests {
    use crate::tests::TestCatalogue;
    use crate::{Options, Problems, Study, parse};
    use std::path::Path;

    const TWO: &str = "study: s\nquestion: Which?\nsubjects: { a: { url: 'http://127.0.0.1:1/' }, b: { url: \
                       'http://127.0.0.1:2/' } }\nworkload: { home: { get: / }, big: { get: /big } }\n\
                       load: { closed: { connections: [2, 4] } }\nask: separately\n";

    fn read(text: &str) -> Result<Study, Problems> {
        parse(text, "s.yaml", Path::new("."), &Options::default(), &TestCatalogue)
    }

    #[test]
    fn each_request_is_a_load_point_at_each_load() {
        let text = format!("{TWO}claims: [ {{ one: throughput(a) > throughput(b) @ 4c-big }} ]\n");
        let study = read(&text).unwrap_or_else(|problems| panic!("{problems}"));
        let labels: Vec<&str> = study.points.iter().map(|point| point.label.as_str()).collect();
        assert_eq!(labels, ["2c-home", "2c-big", "4c-home", "4c-big"]);
        assert_eq!(
            study.points.iter().map(|point| point.asks).collect::<Vec<_>>(),
            [Some(0), Some(1), Some(0), Some(1)]
        );
        assert_eq!(study.claims.len(), 1);
    }

    #[test]
    fn what_only_a_mix_has_is_a_mistake() {
        let claim = "claims: [ { one: throughput(a) > throughput(b) } ]\n";
        let cases = [
            ("{ get: / }", "{ get: /, weight: 2 }", "has a weight, which only a mix has"),
            ("home:", "'my home':", "no load point can be named my home"),
            ("ask: separately", "ask: apart", "apart is not known here; write separately or mixed"),
        ];
        for (from, to, expected) in cases {
            let told = read(&format!("{}{claim}", TWO.replacen(from, to, 1))).unwrap_err().to_string();
            assert!(told.contains(expected), "{told}");
        }
    }
}
