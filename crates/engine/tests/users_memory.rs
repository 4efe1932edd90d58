//! Memory held by users on their way, each with a connection, a cookie and five variables: in virtual time, with what the
//! simulated network and its server hold of them; the kernel's share is not in it.

#![allow(clippy::unwrap_used, reason = "tests may")]

use proofload_engine::feed::{Draw, Feed, Filter};
use proofload_engine::journey::{Journey, Journeys, Step};
use proofload_engine::reading::{Capture, Source};
use proofload_engine::{Asking, Extent, KeepAlive, LoadPlan, MixEntry, Profile, Timeouts, Watch};
use proofload_extract::{Pick, Selector};
use proofload_measure::Outcome;
use proofload_testkit::sim::{Server, World, run_in};
use proofload_wire::http1::{RequestPart, RequestSpec, Slot, Template};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

struct Counting;

static LIVE_BYTES: AtomicIsize = AtomicIsize::new(0);
static MOST_BYTES: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size() as isize;
        MOST_BYTES.fetch_max(LIVE_BYTES.fetch_add(size, Ordering::Relaxed) + size, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SECOND: u64 = 1_000_000_000;
const MIB: f64 = (1 << 20) as f64;

/// So many users, who log in, ask for a page, and then wait until the load is over.
fn plan(users: u32) -> LoadPlan {
    let entry = |method: &str, path: &str| {
        let spec = RequestSpec {
            method: method.to_owned(),
            headers: (0..5).map(|at| (format!("X-{at}"), String::new())).collect(),
            keep_body: 1024,
            ..RequestSpec::get("server.test", path)
        };
        let slots = (0..5).map(|draw| Slot { part: RequestPart::Header(usize::from(draw)), at: 0, draw });
        let template = Template { slots: slots.collect(), cookies: true, ..Template::default() };
        let encode = |close| Arc::new(RequestSpec { close, ..spec.clone() }.encode_with(&template).unwrap());
        let (expect, follow) = Default::default();
        let (request, closing_request) = (encode(false), encode(true));
        MixEntry { weight: 1, target: 0, request, closing_request, expect, follow, digest: None }
    };
    let sources = [
        Source::Body(Selector::JsonPath("$.token".to_owned())),
        Source::Header("X-Token".to_owned()),
        Source::Cookie("sid".to_owned()),
        Source::Status,
        // All of the body: a longer value.
        Source::Body(Selector::Regex(".*".to_owned())),
    ];
    let capture = |(variable, from)| Capture {
        variable,
        name: format!("v{variable}"),
        from,
        pick: Pick::Nth(1),
        otherwise: None,
    };
    let steps = vec![Step::Ask(0), Step::Ask(1), Step::Pause((100 * SECOND).into())];
    let journeys = vec![Journey { weight: 1, teardown: steps.len(), steps }];
    let draw = |variable| Draw::Variable { variable, filter: Filter::Raw };
    LoadPlan {
        targets: vec![std::net::SocketAddr::from(([127, 0, 0, 1], 80)).into()],
        mix: vec![entry("POST", "/login"), entry("GET", "/private")],
        profile: Profile::Closed { think_ns: 0.into() },
        connections: users,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts::default(),
        discard_ns: 0,
        extent: Extent::DurationNs(SECOND),
        drain_ns: SECOND,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Asking {
            feed: Feed { draws: (0..5).map(draw).collect(), ..Feed::default() },
            cookies: true,
            captures: vec![sources.into_iter().enumerate().map(capture).collect(), vec![]],
            journeys: Some(Arc::new(Journeys { journeys, variables: 5, ..Journeys::default() })),
            ..Asking::default()
        },
        shortage: Default::default(),
        driver: Default::default(),
        settings: Default::default(),
    }
}

/// Most bytes held while so many users were on their way, beyond those before.
fn held(users: u32) -> isize {
    let plan = plan(users);
    let world = World::new(Server { gives_tokens: true, body_bytes: 300, ..Server::default() }, 1);
    let before = LIVE_BYTES.load(Ordering::Relaxed);
    MOST_BYTES.store(before, Ordering::Relaxed);
    let result = run_in(&plan, &Watch::default(), &world).unwrap();
    assert_eq!(result.snapshot.outcomes.get(Outcome::Answered), 2 * u64::from(users));
    assert_eq!(world.served().unauthorized, 0);
    MOST_BYTES.load(Ordering::Relaxed) - before
}

#[test]
fn ten_thousand_users_with_cookies_and_five_variables_fit_into_60_mib() {
    let (one, all) = (held(1), held(10_000));
    assert!(all as f64 <= 60.0 * MIB, "{:.1} MiB", all as f64 / MIB);
    let each = (all - one) / 9_999;
    assert!(each <= 3_000, "{each} bytes a user");
}
