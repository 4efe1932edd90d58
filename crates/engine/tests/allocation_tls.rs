//! Under TLS the data path allocates, the library's records; how often is a constant for each exchange, however
//! many there were before.

use proofload_engine::transport::{Tls, Transport};
use proofload_engine::{
    Distribution, Expect, Extent, KeepAlive, LoadPlan, MixEntry, Profile, Target, Timeouts, Watch,
};
use proofload_measure::Outcome;
use proofload_testkit::sim::run;
use proofload_testkit::tls::{Authority, Good, HttpsPeer, Parting, Speaks};
use proofload_wire::http1::RequestSpec;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static FREED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// True on the peer's thread: the library allocates there too.
    static PEER: Cell<bool> = const { Cell::new(false) };
}

fn count(counter: &AtomicU64) {
    // A thread that ends has no such variable any more, and is none of ours.
    if !PEER.try_with(Cell::get).unwrap_or(true) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(&ALLOCATIONS);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(&FREED);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(&ALLOCATIONS);
        count(&FREED);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most allocations of an exchange: the record that is sent and the ones that are received.
const EACH_MAX: f64 = 4.0;

#[test]
fn allocations_of_an_exchange_are_few_and_do_not_grow() {
    let authority = Authority::default();
    let config = Speaks::default().config(&authority.server(&["localhost"], Good::Now));
    let peer = HttpsPeer::start_noted(config, 1024, Parting::Proper, || PEER.set(true)).unwrap();
    let tls = Tls::new("localhost", vec![authority.certificate.clone()]);
    let transport = Transport { proxy: None, tls: Some(Arc::new(tls)) };
    let spec = RequestSpec::get("localhost", "/");
    let closing = RequestSpec { close: true, ..spec.clone() };
    let plan = LoadPlan {
        targets: vec![Target { transport, ..peer.address().into() }],
        mix: vec![MixEntry {
            weight: 1,
            target: 0,
            request: Arc::new(spec.encode().unwrap()),
            closing_request: Arc::new(closing.encode().unwrap()),
            expect: Expect { status: vec![200..=200], bytes: Some(1024..=1024), ..Expect::default() },
            follow: Default::default(),
            digest: None,
        }],
        profile: Profile::Closed { think_ns: Distribution::Constant(0) },
        connections: 8,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts::default(),
        discard_ns: 0,
        extent: Extent::DurationNs(60_000_000_000),
        drain_ns: 1_000_000_000,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Default::default(),
        driver: Default::default(),
        settings: Default::default(),
        shortage: Default::default(),
    };
    let watch = Watch::default();
    // Exchanges, allocations and bytes held, once `more` further exchanges were answered.
    let after = |load: &ScopedJoinHandle<'_, _>, more: u64| {
        let enough = peer.answered() + more;
        // A load that is over, because it panicked, answers no more.
        while peer.answered() < enough && !load.is_finished() {
            thread::sleep(Duration::from_millis(5));
        }
        let (allocated, freed) = (ALLOCATIONS.load(Ordering::Relaxed), FREED.load(Ordering::Relaxed));
        (peer.answered() as f64, allocated as f64, allocated as f64 - freed as f64)
    };
    let (marks, result) = thread::scope(|scope| {
        let load = scope.spawn(|| run(&plan, &watch).unwrap());
        let marks = [after(&load, 500), after(&load, 2_500), after(&load, 2_500)];
        watch.stop.store(true, Ordering::Relaxed);
        (marks, load.join().unwrap())
    });
    let each = |from: usize| (marks[from + 1].1 - marks[from].1) / (marks[from + 1].0 - marks[from].0);
    let (early, late) = (each(0), each(1));
    assert!(early <= EACH_MAX && late <= EACH_MAX, "{early} and {late} for each exchange");
    // The counters are read one after the other, and exchanges go on in between.
    assert!(late < early + 1.0, "{early}, later {late}");
    // What is held does not grow either: one piece for each exchange would be 5,000.
    assert!((marks[2].2 - marks[0].2).abs() < 2_000.0, "{marks:?}");
    assert!(result.snapshot.outcomes.get(Outcome::Answered) >= 5_500);
}
