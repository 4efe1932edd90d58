//! The stall experiment of the simulation, live: slow tests, for they take ten seconds of a quiet machine.

use super::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Ten seconds of 5,000 requests a second, with a stall of 200 ms in every two.
fn stalled(connections: u32) -> LoadResult {
    let peer = HttpPeer::start(100).unwrap();
    let profile = Profile::Open { rate_per_s: 5_000.0, arrival: Arrival::Constant, coalesce_ns: 0 };
    let extent = Extent::DurationNs(10 * SECOND);
    let plan = LoadPlan { profile, connections, extent, ..plan(peer.address(), 1) };
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_secs(1));
            while !over.load(Ordering::Relaxed) {
                peer.stall(|| thread::sleep(Duration::from_millis(200)));
                thread::sleep(Duration::from_millis(1_800));
            }
        });
        let result = load(&plan);
        over.store(true, Ordering::Relaxed);
        only(&result, Outcome::Answered, 50_000);
        result
    })
}

fn p99_ms(histogram: &proofload_measure::LatencyHistogram) -> f64 {
    histogram.quantile_ns(0.99).unwrap() as f64 / 1e6
}

#[test]
#[ignore = "full: takes ten seconds of a quiet machine"]
fn a_live_stall_shows_in_response_time_with_few_connections_and_in_both_with_many() {
    let few = stalled(64);
    // The peer does stall that long, so noise can only add to what is seen.
    let (response, service) = (p99_ms(&few.snapshot.response_time), p99_ms(&few.snapshot.service_time));
    assert!(response >= 171.0 && service < response / 3.0, "{response} {service}");
    let many = stalled(1_200);
    let (response, service) = (p99_ms(&many.snapshot.response_time), p99_ms(&many.snapshot.service_time));
    assert!(response >= 171.0 && service >= 171.0, "{response} {service}");
    // How much a busy machine adds is its own business; the exact figure is held in virtual time.
    for result in [few, many] {
        let response = p99_ms(&result.snapshot.response_time);
        println!("response p99 {response:.1} ms, 180 in truth; findings {:?}", result.findings);
        assert!(response < 1_000.0, "{response}");
    }
}

#[test]
#[ignore = "full: takes ten seconds of a quiet machine"]
fn thousands_of_connections_are_opened_and_every_request_is_answered() {
    // Both ends are in this process: two descriptors for each connection, and those that the test before has not
    // closed yet.
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    let connections = 10_000.min(limit.saturating_sub(4_000) / 2) as u32;
    let peer = HttpPeer::start(10).unwrap();
    let result = load_alone(&LoadPlan { connections, ..plan(peer.address(), 3 * u64::from(connections)) });
    only(&result, Outcome::Answered, 3 * u64::from(connections));
    // The last of them may have been opened, and closed again, before the peer came to accept it.
    for _ in 0..20_000 {
        if peer.accepted() >= u64::from(connections) {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(peer.accepted(), u64::from(connections));
}
