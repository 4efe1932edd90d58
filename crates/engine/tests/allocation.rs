//! Nothing allocates on the data path in the measured phase, requests with values and cookies included. The
//! count covers the whole process: the peer does not allocate between answers either.

#[path = "shared/drivers.rs"]
mod drivers;

use drivers::drivers;
use proofload_engine::feed::{Column, Draw, Feed, Feeder, Order};
use proofload_engine::{
    Arrival, Asking, Expect, Extent, KeepAlive, LoadPlan, MixEntry, Profile, Timeouts, Watch, run,
};
use proofload_measure::Outcome;
use proofload_testkit::HttpPeer;
use proofload_wire::http1::{Part, RequestSpec, Slot, Template};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn plan(peer: &HttpPeer, profile: Profile, think: bool) -> LoadPlan {
    let spec = RequestSpec {
        method: "GET".to_owned(),
        target: "/".to_owned(),
        authority: peer.address().to_string(),
        headers: vec![("X-Number".to_owned(), "n".to_owned())],
        // The peer takes an empty line for the end of a request.
        body: b"{}\r\n\r\n".to_vec(),
        close: false,
        keep_body: 0,
    };
    let closing = RequestSpec { close: true, ..spec.clone() };
    let mut texts = Column::default();
    ["/short", "/rather%20longer", "/x"].iter().for_each(|text| texts.push(text.as_bytes()));
    let feed = Feed {
        feeders: vec![
            Feeder::Rows { rows: 3, order: Order::Random },
            Feeder::Counter { from: 1, step: 1 },
            Feeder::Text { length: 24 },
        ],
        draws: vec![
            Draw { feeder: 0, column: Some(Arc::new(texts)) },
            Draw { feeder: 1, column: None },
            Draw { feeder: 2, column: None },
        ],
    };
    let slot = |part, draw| Slot { part, at: 1, draw };
    let slots = vec![slot(Part::Target, 0), slot(Part::Header(0), 1), slot(Part::Body, 2)];
    let template = Template { slots, cookies: true };
    LoadPlan {
        targets: vec![peer.address().into()],
        mix: vec![MixEntry {
            weight: 1,
            target: 0,
            request: Arc::new(spec.encode_with(&template).unwrap()),
            closing_request: Arc::new(closing.encode_with(&template).unwrap()),
            expect: Expect { status: Some(200), bytes: Some(1024), text: None },
            follow: Default::default(),
        }],
        profile,
        connections: if think { 32 } else { 8 },
        keep_alive: KeepAlive::On,
        timeouts: Timeouts::default(),
        discard_ns: 0,
        extent: Extent::DurationNs(60_000_000_000),
        drain_ns: 1_000_000_000,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Asking { feed, cookies: true, ..Asking::default() },
        shortage: Default::default(),
        driver: Default::default(),
    }
}

/// Waits until so many exchanges were answered and returns how many allocations there had been then.
fn allocations_at(watch: &Watch, answered: u64) -> u64 {
    while watch.answered.load(Ordering::Relaxed) < answered {
        thread::sleep(Duration::from_millis(5));
    }
    ALLOCATIONS.load(Ordering::Relaxed)
}

/// One test, for another would allocate beside it.
#[test]
fn the_data_path_does_not_allocate_while_it_measures() {
    let open = Profile::Open { rate_per_s: 2_000.0, arrival: Arrival::Poisson, coalesce_ns: 0 };
    let pausing = Profile::Closed { think_ns: 2_000_000.into() };
    let profiles = [(Profile::Closed { think_ns: 0.into() }, false), (open, false), (pausing, true)];
    let loads = drivers().into_iter().flat_map(|driver| profiles.clone().map(|profile| (driver, profile)));
    for (driver, (profile, think)) in loads {
        let peer = HttpPeer::start(1024).unwrap();
        let plan = LoadPlan { driver, ..plan(&peer, profile.clone(), think) };
        let watch = Watch::default();
        let (before, after, result) = thread::scope(|scope| {
            let load = scope.spawn(|| run(&plan, &watch).unwrap());
            let before = allocations_at(&watch, 500);
            let after = allocations_at(&watch, 2_500);
            watch.stop.store(true, Ordering::Relaxed);
            (before, after, load.join().unwrap())
        });
        assert_eq!(after - before, 0, "{driver:?} {profile:?}");
        assert_eq!(result.generator.driver, driver.name());
        let answered = result.snapshot.outcomes.get(Outcome::Answered);
        assert!(answered >= 2_500 && answered == peer.answered(), "{answered} {}", peer.answered());
        assert!(result.stopped_early);
    }
}
