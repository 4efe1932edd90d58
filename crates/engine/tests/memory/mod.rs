//! Bytes that are allocated and not freed, in a process of one test; and the load of which they are.

#![allow(dead_code, reason = "each of the tests asks for its own figure")]

use proofload_engine::{Extent, KeepAlive, LoadPlan, MixEntry, Profile, Timeouts};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

pub const SECOND: u64 = 1_000_000_000;

struct Counting;

static LIVE_BYTES: AtomicIsize = AtomicIsize::new(0);
static MOST_BYTES: AtomicIsize = AtomicIsize::new(0);

fn allocated(layout: Layout) {
    let size = layout.size() as isize;
    MOST_BYTES.fetch_max(LIVE_BYTES.fetch_add(size, Ordering::Relaxed) + size, Ordering::Relaxed);
}

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocated(layout);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        allocated(layout);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most bytes held at any time during `work`, beyond those before it.
pub fn most_during(work: impl FnOnce()) -> isize {
    let before = live();
    MOST_BYTES.store(before, Ordering::Relaxed);
    work();
    MOST_BYTES.load(Ordering::Relaxed) - before
}

/// Bytes held now.
pub fn live() -> isize {
    LIVE_BYTES.load(Ordering::Relaxed)
}

/// A load of so many seconds on one server, by one worker.
pub fn plan_of(mix: Vec<MixEntry>, profile: Profile, connections: u32, seconds: u64) -> LoadPlan {
    LoadPlan {
        targets: vec![std::net::SocketAddr::from(([127, 0, 0, 1], 80)).into()],
        mix,
        profile,
        connections,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts::default(),
        discard_ns: 0,
        extent: Extent::DurationNs(seconds * SECOND),
        drain_ns: SECOND,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Default::default(),
        shortage: Default::default(),
        driver: Default::default(),
        settings: Default::default(),
    }
}
