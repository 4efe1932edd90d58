//! Named parts of a load: figures of their own, which add up to those of the whole.

use super::*;
use proofload_engine::{Asking, Overflow, Shortage};
use proofload_testkit::sim::{Fault, Server, Service};

/// Four entries of three names.
fn mixed(plan: LoadPlan) -> LoadPlan {
    let mix = vec![entry(2, 0, 0), entry(1, 0, 30), entry(1, 0, 0), entry(3, 0, 0)];
    LoadPlan { mix, asking: Asking { parts: vec![0, 1, 2, 1], ..Asking::default() }, ..plan }
}

#[test]
fn the_parts_add_up_whatever_becomes_of_the_exchanges() {
    let slow = Service::Constant(9 * MS);
    let faults = vec![(Fault::Error, 0.1), (Fault::Silence, 0.02)];
    let server = Server { service: slow, faults, ..Server::default() };
    let shortage = Shortage { overflow: Overflow::Drop, most_connections: Some(9) };
    let timeouts = Timeouts { connect_ns: 50 * MS, response_ns: 100 * MS };
    for (plan, expected) in [
        // The drain ends before what is in flight does.
        (LoadPlan { drain_ns: MS, ..closed() }, Outcome::Unanswered),
        (LoadPlan { drain_ns: MS, discard_ns: 200 * MS, ..open(2_000.0) }, Outcome::Unsent),
        (LoadPlan { shortage, workers: 2, ..open(3_000.0) }, Outcome::Unsent),
        (LoadPlan { timeouts, discard_ns: 100 * MS, ..closed() }, Outcome::Timeout),
    ] {
        let result = load(&mixed(plan.clone()), &World::new(server.clone(), 3));
        let snapshot = &result.snapshot;
        assert!(count(&result, expected) > 0, "{:?}", snapshot.outcomes);
        assert_eq!(snapshot.parts.len(), 3);
        assert!(snapshot.parts_add_up(), "{:?} {:?}", snapshot.outcomes, snapshot.parts);
        assert!(snapshot.parts.iter().all(|part| part.outcomes.get(Outcome::Rejected) > 0));
        assert_eq!(snapshot.discarded.total() > 0, plan.discard_ns > 0);
        // Each has its own first answer that was rejected.
        let rejected = result.bad_answers.iter().filter(|bad| bad.outcome == Outcome::Rejected);
        let mut parts: Vec<u32> = rejected.map(|bad| [0, 1, 2, 1][bad.mix_entry]).collect();
        parts.sort_unstable();
        assert_eq!(parts, [0, 1, 2]);
    }
}

#[test]
fn a_load_that_is_stopped_early_has_whole_parts_and_one_without_names_has_none() {
    let plan = mixed(LoadPlan { extent: Extent::DurationNs(30 * SECOND), ..open(700.0) });
    let watch = Watch::default();
    watch.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let stopped = run_in(&plan, &watch, &World::new(Server::default(), 1)).unwrap();
    assert!(stopped.stopped_early && stopped.snapshot.parts_add_up());
    let unnamed = load(&brief(), &World::new(Server::default(), 1));
    assert_eq!(unnamed.snapshot.parts, []);
    let short = LoadPlan { asking: Asking { parts: vec![0], ..Asking::default() }, ..plan };
    let error = run_in(&short, &Watch::default(), &World::new(Server::default(), 1)).unwrap_err();
    assert!(error.to_string().contains("parts: 1 for 4 entries"), "{error}");
}
