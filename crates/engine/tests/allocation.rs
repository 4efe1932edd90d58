//! Nothing allocates on the data path in the measured phase, requests with values and cookies included. The
//! count covers the whole process: the peer does not allocate between answers either.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests may")]

#[path = "it/drivers/mod.rs"]
mod drivers;
#[path = "allocation/journeys.rs"]
mod journeys;
#[path = "allocation/rpc.rs"]
mod rpc;

use drivers::drivers;
use proofload_engine::feed::{Column, Draw, Feed, Feeder, Filter, Order};
use proofload_engine::{
    Arrival, Asking, Distribution, DriverChoice, Expect, Extent, Follow, KeepAlive, LoadPlan, MixEntry,
    Profile, Timeouts, Watch,
};
use proofload_measure::Outcome;
use proofload_testkit::HttpPeer;
use proofload_testkit::sim::run;
use proofload_wire::http1::{RequestPart, RequestSpec, Slot, Template};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

/// Rows of the feeder, and how many of the first are short: the long ones come when allocations are counted already.
const ROWS: u64 = 10_000;
const SHORT_ROWS: u64 = 1_000;

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

fn plan(peer: SocketAddr, case: &Case) -> LoadPlan {
    let spec = RequestSpec {
        method: "GET".to_owned(),
        target: "/".to_owned(),
        authority: peer.to_string(),
        headers: ["X-Number", "X-Colour"].map(|name| (name.to_owned(), "n".to_owned())).to_vec(),
        // The peer takes an empty line for the end of a request.
        body: b"{}\r\n\r\n".to_vec(),
        close: false,
        keep_body: 0,
    };
    let closing = RequestSpec { close: true, ..spec.clone() };
    let mut texts = Column::default();
    let long = format!("/rather%20{}", "long".repeat(50));
    (0..ROWS).for_each(|row| texts.push(if row < SHORT_ROWS { b"/short" } else { long.as_bytes() }));
    let mut colours = Column::default();
    ["red", "rather%20blue", "x"].iter().for_each(|text| colours.push(text.as_bytes()));
    let feed = Feed {
        feeders: vec![
            Feeder::Rows { rows: ROWS, order: Order::Sequential },
            Feeder::Counter { from: 1, step: 1 },
            Feeder::Text { length: 24 },
            Feeder::Rows { rows: 3, order: Order::Random },
        ],
        draws: vec![
            Draw::Value { feeder: 0, column: Some(Arc::new(texts)), filter: Filter::Raw },
            Draw::Value { feeder: 1, column: None, filter: Filter::Raw },
            Draw::Value { feeder: 2, column: None, filter: Filter::Raw },
            Draw::Value { feeder: 3, column: Some(Arc::new(colours)), filter: Filter::Raw },
        ],
        ..Feed::default()
    };
    let slot = |part, draw| Slot { part, at: 1, draw };
    let slots = vec![
        slot(RequestPart::Target, 0),
        slot(RequestPart::Header(0), 1),
        slot(RequestPart::Header(1), 3),
        slot(RequestPart::Body, 2),
    ];
    let template = if case.filled {
        Template { slots, cookies: true, ..Template::default() }
    } else {
        Template::default()
    };
    let asking =
        if case.filled { Asking { feed, cookies: true, ..Asking::default() } } else { Asking::default() };
    LoadPlan {
        targets: vec![peer.into()],
        mix: vec![MixEntry {
            weight: 1,
            target: 0,
            request: Arc::new(spec.encode_with(&template).unwrap()),
            closing_request: Arc::new(closing.encode_with(&template).unwrap()),
            expect: Expect { status: vec![200..=200], bytes: Some(1024..=1024), ..Expect::default() },
            follow: if case.leads != Leads::Nowhere {
                Follow { most: 1, ..Default::default() }
            } else {
                Default::default()
            },
            digest: None,
        }],
        profile: case.profile.clone(),
        connections: case.connections,
        in_flight: 1,
        keep_alive: if case.closes { KeepAlive::Off } else { KeepAlive::On },
        timeouts: Timeouts::default(),
        discard_ns: 0,
        extent: Extent::DurationNs(60_000_000_000),
        // A peer on a busy machine may have fallen behind an open load by seconds.
        drain_ns: 30_000_000_000,
        workers: case.workers,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking,
        shortage: Default::default(),
        driver: Default::default(),
        settings: Default::default(),
    }
}

/// Waits until this is so, or the load is over.
fn wait_until<T>(load: &ScopedJoinHandle<'_, T>, so: impl Fn() -> bool) {
    while !so() && !load.is_finished() {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until `answered` exchanges were answered, or the load is over, and returns the number of allocations until
/// then.
fn allocations_at<T>(load: &ScopedJoinHandle<'_, T>, watch: &Watch, answered: u64) -> u64 {
    wait_until(load, || watch.answered.load(Ordering::Relaxed) >= answered);
    ALLOCATIONS.load(Ordering::Relaxed)
}

/// A peer for connections that carry one exchange each; it allocates nothing for any of them. It redirects to `/end` as
/// it `leads`.
fn closing_peer(leads: Leads) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let mut answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n".to_vec();
        answer.resize(answer.len() + 1024, b'x');
        let mut buffer = [0; 4096];
        let mut turn = 0;
        while let Ok((mut stream, _)) = listener.accept() {
            let mut len = 0;
            while !buffer[..len].ends_with(b"}\r\n\r\n") {
                match stream.read(&mut buffer[len..]) {
                    Ok(got) if got > 0 => len += got,
                    _ => break,
                }
            }
            let led = match leads {
                Leads::Nowhere => true,
                Leads::Once => buffer.starts_with(b"GET /end "),
                Leads::TooFar => {
                    turn += 1;
                    turn % 3 == 0
                }
            };
            let redirect = b"HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n";
            // A client that leaves early does not matter for this test.
            let _ = stream.write_all(if led { &answer } else { redirect });
        }
    });
    address
}

/// Differences of a load from the others.
#[derive(Clone, Debug)]
struct Case {
    profile: Profile,
    connections: u32,
    workers: u32,
    /// Requests have places to fill, and users keep cookies.
    filled: bool,
    closes: bool,
    leads: Leads,
}

/// Redirects of the peer, of which one is followed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Leads {
    Nowhere,
    /// With each first answer.
    Once,
    /// With two of three answers: many an exchange is rejected.
    TooFar,
}

fn cases_of_http() -> Vec<Case> {
    // What comes in between costs CPU time alone: one load without pauses is enough.
    let paced = Case {
        profile: Profile::Closed { think_ns: 2_000_000.into() },
        connections: 8,
        workers: 1,
        filled: true,
        closes: false,
        leads: Leads::Nowhere,
    };
    let open = Profile::Open { rate_per_s: 2_000.0, arrival: Arrival::Poisson, coalesce_ns: 0 };
    let busy = Profile::Closed { think_ns: 0.into() };
    let differing = Profile::Closed { think_ns: Distribution::log_normal(4_000_000, 10_000_000) };
    vec![
        Case { profile: busy, ..paced.clone() },
        Case { filled: false, ..paced.clone() },
        Case { workers: 2, ..paced.clone() },
        Case { closes: true, ..paced.clone() },
        Case { closes: true, filled: false, workers: 2, ..paced.clone() },
        Case { closes: true, leads: Leads::Once, ..paced.clone() },
        Case { closes: true, leads: Leads::TooFar, ..paced.clone() },
        Case { profile: open.clone(), ..paced.clone() },
        Case { profile: open, closes: true, filled: false, ..paced.clone() },
        Case { profile: differing, connections: 32, ..paced },
    ]
}

/// Held by each test: allocations made meanwhile count as its own.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn the_data_path_does_not_allocate_while_it_measures() {
    nothing_is_allocated_by(DriverChoice::Epoll);
}

#[test]
#[ignore = "full: every load once more, a second each"]
fn the_data_path_of_io_uring_does_not_allocate_either() {
    if drivers().contains(&DriverChoice::IoUring) {
        nothing_is_allocated_by(DriverChoice::IoUring);
    }
}

fn nothing_is_allocated_by(driver: DriverChoice) {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    for case in cases_of_http() {
        let peer = HttpPeer::start(1024).unwrap();
        let address = if case.closes { closing_peer(case.leads) } else { peer.address() };
        let mut plan = LoadPlan { driver, ..plan(address, &case) };
        if case.workers > 1 {
            // Two named parts, which are handed over second by second like the rest.
            plan.mix.push(plan.mix[0].clone());
            plan.asking.parts = vec![0, 1];
        }
        let watch = Watch::default();
        let (before, after, result) = thread::scope(|scope| {
            let load = scope.spawn(|| run(&plan, &watch).unwrap());
            let before = allocations_at(&load, &watch, 500);
            // A second at least is handed over meanwhile, and tells its quantiles.
            watch.p99_ns.store(0, Ordering::Relaxed);
            let handed_over = || watch.p99_ns.load(Ordering::Relaxed) > 0;
            wait_until(&load, handed_over);
            let after = allocations_at(&load, &watch, 2_500);
            let seen = handed_over();
            // A load that panicked is joined, and a load is stopped before anything else may panic.
            watch.stop.store(true, Ordering::Relaxed);
            let result = load.join().unwrap();
            assert!(seen, "nothing was handed over");
            (before, after, result)
        });
        assert_eq!(after - before, 0, "{driver:?} {case:?}");
        assert_eq!(result.generator.driver, driver.name());
        let answered = result.snapshot.outcomes.get(Outcome::Answered);
        assert!(answered >= 2_500, "{answered}: {case:?} {:?}", result.bad_answers);
        assert!(case.closes || answered == peer.answered(), "{answered} {}", peer.answered());
        let outcomes = &result.snapshot.outcomes;
        let rejected = outcomes.get(Outcome::Rejected);
        assert_eq!(outcomes.errors(), rejected, "{case:?} {outcomes:?} {:?}", result.bad_answers);
        assert_eq!(rejected > 500, case.leads == Leads::TooFar, "{rejected} rejected: {case:?}");
        assert!(result.stopped_early);
        assert!(result.snapshot.parts.len() == plan.asking.parts.len() && result.snapshot.parts_add_up());
    }
}
