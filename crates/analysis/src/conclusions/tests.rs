use super::*;
use proofload_store::schema::StreamLoad;

fn of(outcomes: &[&str], in_part_only: bool) -> String {
    let test = |outcome: &&str| ConclusionTest { outcome: (*outcome).into(), ..ConclusionTest::default() };
    outcome(&outcomes.iter().map(test).collect::<Vec<_>>(), in_part_only).to_string()
}

#[test]
fn one_refuted_test_is_enough_and_all_must_be_supported() {
    let (yes, no, open) = ("reproduced", "not reproduced", "undecided here");
    assert_eq!(of(&[yes, yes], false), yes);
    assert_eq!(of(&[yes, open], false), open);
    assert_eq!(of(&[yes, open, no], false), no);
    assert_eq!(of(&[no], true), no, "what was not tested cannot save it");
    assert_eq!(of(&[yes], true), open, "a part of it was not tested");
    assert_eq!(of(&[], true), "not tested");
    assert_eq!(of(&[], false), "not tested");
}

#[test]
fn only_connections_of_closed_loops_bound_what_is_in_flight() {
    let load = |model: &str, think_ns: u64| LoadPoint {
        model: model.into(),
        connections: 10,
        think_ns,
        ..LoadPoint::default()
    };
    let found = |load: &LoadPoint, stream| in_flight(load, stream).map(|it| (it.connections, it.always));
    assert_eq!(found(&load("closed", 0), None), Some((10.0, true)));
    assert_eq!(found(&load("closed", 5), None), Some((10.0, false)));
    assert_eq!(found(&LoadPoint { whole: true, ..load("closed", 0) }, None), Some((10.0, false)));
    assert_eq!(found(&load("open", 0), None), None);
    let stream = |name: &str, model: &str, connections| StreamLoad {
        stream: name.into(),
        model: model.into(),
        connections,
        ..StreamLoad::default()
    };
    let streams = |last: &str| LoadPoint {
        model: "mixed".into(),
        streams: vec![stream("a", "closed", 4), stream("b", last, 6)],
        ..LoadPoint::default()
    };
    assert_eq!(found(&streams("closed"), None), Some((10.0, true)));
    assert_eq!(found(&streams("closed"), Some("b")), Some((6.0, true)));
    assert_eq!(found(&streams("open"), None), None);
    assert_eq!(found(&streams("open"), Some("a")), Some((4.0, true)));
}
