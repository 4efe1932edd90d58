//! A load that many processes carry out is the load of one: to the tick, to the request and to the byte.

use super::shares::{asked, bytes, fed};
use super::*;
use proofload_engine::driver::sim::{Server, Service};
use proofload_engine::{Launch, Merger, ShareResult, Stage, Trace, execute_share_in};
use proofload_measure::SparseSnapshot;
use std::sync::mpsc;
use std::thread;

/// Every shape that has a timetable, half a second of it.
fn timetables() -> Vec<LoadPlan> {
    let stages = |arrival| Profile::OpenStages {
        stages: vec![
            Stage::Line { from: 0.0, to: 900.0, for_ns: SECOND / 4 },
            Stage::Sine { mean: 600.0, amplitude: 300.0, period_ns: SECOND / 8, for_ns: SECOND / 4 },
        ],
        arrival,
        coalesce_ns: 0,
    };
    let offsets_ns: Vec<u64> = (0..90).map(|i| i * i * 20_000).collect();
    let trace = Trace { offsets_ns: offsets_ns.into(), round_ns: SECOND / 4, rounds: 2 };
    let constant = |arrival| Profile::Open { rate_per_s: 700.0, arrival, coalesce_ns: 0 };
    let users = Profile::Users { ramp_ns: SECOND / 4, loops: 3, think_ns: (20 * MS).into() };
    let of_users = Extent::Requests { count: 90 * 3, cap_ns: 100 * SECOND };
    // None at once with another: those that do dial one after the other in each process.
    let joining = Profile::ClosedStages {
        stages: vec![Stage::Line { from: 0.0, to: 90.0, for_ns: SECOND / 2 }],
        think_ns: (40 * MS).into(),
    };
    let half = Extent::DurationNs(SECOND / 2);
    let shapes = [
        (constant(Arrival::Constant), half),
        (constant(Arrival::Poisson), half),
        (stages(Arrival::Constant), half),
        (stages(Arrival::Poisson), half),
        (Profile::OpenTrace { trace, coalesce_ns: 0 }, half),
        (users, of_users),
        (joining, half),
    ];
    let (entry, asking) = fed();
    let plan = |(profile, extent)| {
        let (mix, asking) = (vec![entry.clone()], asking.clone());
        LoadPlan { profile, extent, mix, asking, connections: 90, ..closed() }
    };
    shapes.map(plan).into()
}

#[test]
fn shares_of_every_shape_send_together_the_timetable_of_one() {
    send_the_timetable_of_one(&[1, 2, 3, 8, 61]);
}

#[test]
#[ignore = "full: minutes"]
fn up_to_64_shares_of_every_shape_send_together_the_timetable_of_one() {
    send_the_timetable_of_one(&(1..=64).collect::<Vec<_>>());
}

fn send_the_timetable_of_one(shares: &[u32]) {
    for plan in timetables() {
        let (whole, seen) = asked(&plan, 1, 1);
        assert!(whole.len() > 150, "{} {:?}", whole.len(), plan.profile);
        let instants: Vec<u64> = whole.iter().map(|(at, _)| *at).collect();
        for &n in shares {
            let (parts, sum) = asked(&plan, n, 1);
            let sent: Vec<u64> = parts.iter().map(|(at, _)| *at).collect();
            let apart = sent.iter().zip(&instants).find(|(sent, instant)| sent != instant);
            assert_eq!((sent.len(), apart), (instants.len(), None), "{n} {:?}", plan.profile);
            assert_eq!(sum, seen, "{n} {:?}", plan.profile);
            // Each exchange has a row of its own, whoever sends it.
            let mut rows: Vec<&String> = parts.iter().map(|(_, line)| line).collect();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), parts.len(), "{n} {:?}", plan.profile);
        }
    }
}

#[test]
fn counts_and_connections_of_up_to_64_shares_add_up_exactly() {
    let (entry, asking) = fed();
    let extent = Extent::Requests { count: 997, cap_ns: 100 * SECOND };
    let plan = LoadPlan { extent, mix: vec![entry], asking, connections: 67, ..closed() };
    for n in [1, 2, 5, 16, 33, 64] {
        let (parts, sum) = asked(&plan, n, 1);
        assert_eq!((parts.len(), sum.intended()), (997, 997), "{n}");
        assert_eq!(sum.connects.count(), 0, "opened before the load: {n}");
    }
}

/// What another process would make of it.
fn sent<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    postcard::from_bytes(&postcard::to_stdvec(value).unwrap()).unwrap()
}

/// What a process tells.
enum Told {
    Seen(usize, u64, Box<SparseSnapshot>),
    Ended(Vec<ShareResult>),
}

/// A load by `n` processes whose axes of time differ, and which hand everything over as bytes.
fn merged(plan: &LoadPlan, n: u32, server: &Server) -> LoadResult {
    let watch = Watch::default();
    let plans = [sent(plan)];
    let one = |k: u32, telling: mpsc::Sender<(u32, Told)>| {
        let ahead = u64::from(k) * 7 * SECOND;
        let part = sent(&LoadPlan { share: (k, n), ..plan.clone() });
        let back = |window: &mut proofload_measure::Window| {
            (window.start_ns, window.end_ns) = (window.start_ns - ahead, window.end_ns - ahead);
        };
        let mut tell = |stretch: &proofload_engine::Stretch<'_>| {
            let mut snapshot: Box<SparseSnapshot> =
                postcard::from_bytes(&postcard::to_stdvec(stretch.snapshot).unwrap()).unwrap();
            back(&mut snapshot.window);
            telling.send((k, Told::Seen(stretch.stream, stretch.last, snapshot))).unwrap();
        };
        let how = Launch { start_ns: Some(SECOND + ahead), each_second: Some(&mut tell) };
        let world = World::new(server.clone(), u64::from(k));
        let mut shares = execute_share_in(&[part], &Watch::default(), &world, how).unwrap();
        shares.iter_mut().for_each(|share| share.shift(-(ahead as i64)));
        telling.send((k, Told::Ended(sent::<Vec<ShareResult>>(&shares)))).unwrap();
    };
    let mut merger = Merger::new(&plans, &watch, n);
    thread::scope(|scope| {
        let (telling, told) = mpsc::channel();
        for k in 0..n {
            let (one, telling) = (&one, telling.clone());
            scope.spawn(move || one(k, telling));
        }
        while !merger.collect(&mut |_| {}) {
            match told.recv().unwrap() {
                (k, Told::Seen(stream, last, snapshot)) => merger.add(k, stream, last, &snapshot),
                (k, Told::Ended(shares)) => merger.end(k, shares),
            }
        }
    });
    merger.finish().remove(0)
}

#[test]
fn what_many_processes_hand_over_as_bytes_merges_to_what_one_has() {
    let server = Server { service: Service::Constant(3 * MS), ..Server::default() };
    let open = LoadPlan { extent: Extent::DurationNs(4 * SECOND), connections: 64, ..open(900.0) };
    let closed = LoadPlan { extent: Extent::DurationNs(4 * SECOND), connections: 64, ..closed() };
    for plan in [open, closed] {
        let whole = merged(&plan, 1, &server);
        let alone = {
            let how = Launch { start_ns: Some(SECOND), each_second: None };
            let world = World::new(server.clone(), 0);
            proofload_engine::launch(std::slice::from_ref(&plan), &Watch::default(), &world, how)
                .unwrap()
                .remove(0)
        };
        for n in [2, 3, 8] {
            let parts = merged(&plan, n, &server);
            for same in [&whole, &alone] {
                assert_eq!(bytes(&parts.snapshot), bytes(&same.snapshot), "{n} {:?}", plan.profile);
                assert_eq!(parts.snapshot.window, same.snapshot.window);
                assert_eq!(parts.per_second, same.per_second);
                assert_eq!(parts.quantiles_per_second, same.quantiles_per_second);
                assert_eq!(parts.silences, same.silences);
                assert_eq!(parts.checks.len(), same.checks.len());
                assert_eq!(parts.findings, same.findings);
            }
            assert_eq!(parts.generator.threads, n);
            assert_eq!(parts.connections.peak, 64);
        }
    }
}
