//! Steps before the first instant of a load is fixed, and after it.

use super::*;
use proofload_engine::driver::{Allowance, Drivers};
use proofload_engine::feed::{Feed, Feeder};
use proofload_engine::{Asking, Overflow, Shortage};
use proofload_testkit::sim::{Accept, Link, Machine, Peer, Reply, Sim};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// CPU time of a worker's thread when it got its driver, when the first instant was fixed, and when it first did
/// something for the load.
type Marks = Arc<Mutex<Vec<u64>>>;

fn mark(marks: &Marks) {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    marks.lock().unwrap().push(t.tv_sec as u64 * SECOND + t.tv_nsec as u64);
}

/// Drivers of one worker, which is stopped at its first connection.
struct Marking(Marks, Arc<Watch>);

#[derive(Debug)]
struct Mark(Marks, Arc<Watch>);

impl Peer for Mark {
    fn dialed(&mut self, _link: u64) -> Accept {
        mark(&self.0);
        self.1.stop.store(true, Ordering::Relaxed);
        Accept::Silence
    }

    fn received(&mut self, _link: u64, _bytes: &[u8], _now_ns: u64, _replies: &mut Vec<(u64, Reply)>) {}

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, _link: u64) {}
}

impl Drivers for Marking {
    type Driver = Sim;

    fn now_ns(&self) -> u64 {
        mark(&self.0);
        0
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn allowance(&self) -> Allowance {
        Allowance { descriptors: None, ports: u64::MAX }
    }

    fn peak_rss_bytes(&self) -> u64 {
        0
    }

    fn open(&self, _worker: u32, capacity: u32) -> std::io::Result<Sim> {
        let peer = Box::new(Mark(Arc::clone(&self.0), Arc::clone(&self.1)));
        let sim = Sim::new(peer, Link::default(), Machine::default(), 1, capacity);
        mark(&self.0);
        Ok(sim)
    }
}

/// The marks of a load that is stopped at once.
fn marks(plan: &LoadPlan) -> Vec<u64> {
    let (marks, watch) = (Marks::default(), Arc::new(Watch::default()));
    run_in(plan, &watch, &Marking(Arc::clone(&marks), Arc::clone(&watch))).unwrap();
    std::mem::take(&mut *marks.lock().unwrap())
}

#[test]
fn a_worker_is_whole_before_the_first_instant_is_fixed() {
    let poisson = Profile::Open { rate_per_s: 1e6, arrival: Arrival::Poisson, coalesce_ns: 0 };
    let sizes = 100.into();
    let payload = Feeder::Payload { sizes, most_bytes: 1 << 20, redraw_ns: 0 };
    let feed = Feed { feeders: vec![payload], ..Feed::default() };
    let plans = [
        // Where a count of random arrivals is full is known once all of them have been drawn.
        LoadPlan {
            profile: poisson,
            extent: Extent::Requests { count: 1_000_000, cap_ns: 100 * SECOND },
            ..closed()
        },
        // Places that may be opened later are there before.
        LoadPlan {
            shortage: Shortage { overflow: Overflow::Queue, most_connections: Some(20_000) },
            ..open(100.0)
        },
        LoadPlan { asking: Asking { feed, ..Asking::default() }, ..open(100.0) },
    ];
    for plan in plans {
        let [opened, fixed, begun, ..] = marks(&plan)[..] else { panic!("no connection was opened") };
        let (before, after) = (fixed - opened, begun - fixed);
        assert!(after * 4 < before, "{after} ns of CPU time behind {before} ns: {:?}", plan.profile);
    }
}
