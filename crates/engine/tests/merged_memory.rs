//! Memory held while the shares of a load are added up: the present seconds and the sums, however many shares there are
//! and however long they have reported. All in virtual time; the count is of bytes that are allocated and not freed.

#![allow(clippy::unwrap_used, reason = "tests may")]

mod memory;

use memory::{SECOND, live, plan_of};
use proofload_engine::{
    Arrival, Launch, LoadPlan, Merger, MixEntry, Profile, ShareResult, Watch, execute_share,
};
use proofload_measure::{LatencyHistogram, SparseSnapshot};
use proofload_testkit::sim::{Server, Service, World};
use proofload_wire::http1::RequestSpec;
use std::sync::Arc;

const MIB: isize = 1 << 20;
/// All that a load holds in [`LatencyHistogram`]s for one second of it.
const DENSE: isize = 8 * 33 * 1_024 * 8;

fn plan(seconds: u64) -> LoadPlan {
    let spec = RequestSpec::get("server.test", "/");
    let encode = |close| Arc::new(RequestSpec { close, ..spec.clone() }.encode().unwrap());
    let (expect, follow) = Default::default();
    let (request, closing_request) = (encode(false), encode(true));
    let asked = MixEntry { weight: 1, target: 0, request, closing_request, expect, follow, digest: None };
    let profile = Profile::Open { rate_per_s: 50.0, arrival: Arrival::Poisson, coalesce_ns: 0 };
    plan_of(vec![asked], profile, 8, seconds)
}

/// A share of a load as it is told, and handed over in the end.
struct Recorded {
    seconds: Vec<SparseSnapshot>,
    shares: Vec<u8>,
}

fn recorded(seconds: u64) -> Recorded {
    let server = Server { service: Service::Exponential(SECOND / 100), ..Server::default() };
    let mut told = Vec::new();
    let mut tell = |stretch: &proofload_engine::Stretch<'_>| told.push(stretch.snapshot.sparse());
    let shares = execute_share(
        Launch { each_second: Some(&mut tell), ..Launch::new(&[plan(seconds)], &Watch::default()) }
            .through(&World::new(server, 1)),
    )
    .unwrap();
    Recorded { seconds: told, shares: postcard::to_stdvec(&shares).unwrap() }
}

/// Reports of `shares` shares with the values recorded of one: bytes held after each second, and when all have handed
/// over their results.
fn held(recorded: &Recorded, shares: u32) -> (Vec<isize>, isize) {
    let plans = [plan(recorded.seconds.len() as u64 - 1)];
    let watch = Watch::default();
    let before = live();
    let held = || live() - before;
    let mut merger = Merger::new(&plans, &watch, shares);
    let mut after = Vec::with_capacity(recorded.seconds.len());
    let at_first = held();
    for (last, seen) in (0..).zip(&recorded.seconds) {
        // The last of them is a second behind all others.
        for share in 0..shares - 1 {
            merger.add(share, 0, last, seen);
        }
        if let Some(second) = last.checked_sub(1) {
            merger.add(shares - 1, 0, second, &recorded.seconds[second as usize]);
        }
        merger.collect(&mut |_| {});
        after.push(held());
    }
    merger.add(shares - 1, 0, plans[0].extent.longest_ns() / SECOND, &recorded.seconds[0]);
    for share in 0..shares {
        merger.end(share, postcard::from_bytes::<Vec<ShareResult>>(&recorded.shares).unwrap());
    }
    assert!(merger.collect(&mut |_| {}));
    let in_the_end = held();
    drop(merger);
    assert!(at_first < MIB * 5 && held() < 4_096 * 8, "{at_first} {}", held());
    (after, in_the_end)
}

#[test]
fn what_is_held_does_not_grow_with_the_shares_nor_with_the_seconds_they_have_told() {
    const { assert!(size_of::<LatencyHistogram>() < 32) };
    let (short, long) = (recorded(20), recorded(320));
    let bytes = long.seconds.iter().map(|seen| postcard::to_stdvec(seen).unwrap().len()).sum::<usize>();
    assert!(bytes / long.seconds.len() > 400, "there is something to hold in a second: {bytes}");
    let (of_one, one_in_the_end) = held(&long, 2);
    let (of_many, many_in_the_end) = held(&long, 500);
    let most = |held: &[isize]| held.iter().copied().max().unwrap();
    // Two seconds, two that wait, the sum of all, and what the series of seconds takes.
    assert!(most(&of_many) < 5 * DENSE + MIB, "{}", most(&of_many));
    assert!(most(&of_many) - most(&of_one) < 500 * 256, "{} {}", most(&of_many), most(&of_one));
    // Between the tenth second and the last: a count for each second, in a list that doubles.
    let grown = of_many[of_many.len() - 1] - of_many[10];
    assert!(grown < 16 * of_many.len() as isize, "{grown} in {} s", of_many.len());
    // What workers hand over: of each what is its own, of all of them one sum.
    assert!(many_in_the_end - one_in_the_end < 500 * 2_048, "{many_in_the_end} {one_in_the_end}");
    let (_, short_in_the_end) = held(&short, 500);
    let grown = many_in_the_end - short_in_the_end;
    assert!(grown < 300 * 64 + 500 * 64, "{grown} in 300 s");
}
