//! A load that many processes carry out is the load of one: to the tick, to the request and to the byte.

use super::shares::{asked, bytes, fed};
use super::*;
use proofload_engine::{Distribution, Launch, Merger, ShareResult, Stage, Trace, execute_share};
use proofload_measure::SparseSnapshot;
use proofload_testkit::sim::{Server, Service};
use std::sync::mpsc;
use std::thread;

/// A load, and whether its timetable is all that decides who sends what: of its shares each tick has the row of the whole's.
struct Shape {
    plan: LoadPlan,
    is_open: bool,
}

/// Every load profile, half a second of it: each kind of stage, of arrivals, of pauses and of ends.
fn shapes() -> Vec<Shape> {
    let (entry, asking) = fed();
    let half = Extent::DurationNs(SECOND / 2);
    let counted = Extent::Requests { count: 317, cap_ns: SECOND };
    let of = |profile, extent| {
        let (mix, asking) = (vec![entry.clone()], asking.clone());
        LoadPlan { profile, extent, mix, asking, connections: 90, ..closed() }
    };
    let constant = |arrival| Profile::Open { rate_per_s: 700.0, arrival, coalesce_ns: 0 };
    let open_stages = |arrival| Profile::OpenStages { stages: rising(900.0), arrival, coalesce_ns: 0 };
    let offsets_ns: Vec<u64> = (0..90).map(|i| i * i * 20_000).collect();
    let trace = Trace { offsets_ns: offsets_ns.into(), round_ns: SECOND / 4, rounds: 2 };
    // One of three goes to the second target, by tick.
    let two = LoadPlan {
        targets: vec![target(), std::net::SocketAddr::from(([127, 0, 0, 2], 80)).into()],
        mix: vec![MixEntry { weight: 2, ..entry.clone() }, MixEntry { target: 1, ..entry.clone() }],
        connections: 200,
        ..of(constant(Arrival::Poisson), half)
    };
    let open = [
        of(constant(Arrival::Constant), half),
        of(constant(Arrival::Poisson), half),
        of(constant(Arrival::Constant), counted),
        LoadPlan { discard_ns: SECOND / 9, ..of(constant(Arrival::Poisson), counted) },
        LoadPlan { discard_ns: SECOND / 9, ..of(constant(Arrival::Constant), half) },
        of(open_stages(Arrival::Constant), half),
        of(open_stages(Arrival::Poisson), half),
        of(Profile::OpenTrace { trace, coalesce_ns: 0 }, half),
        two,
    ];
    let same = Distribution::Constant(40 * MS);
    let uniform = Distribution::Uniform { low: MS, high: 80 * MS };
    let users = |think_ns| Profile::Users { ramp_ns: SECOND / 4, loops: 3, think_ns };
    let of_users = Extent::Requests { count: 90 * 3, cap_ns: 100 * SECOND };
    // None joins at once with another: those that do dial one after the other in each process.
    let joining = |think_ns| Profile::ClosedStages { stages: rising(90.0), think_ns };
    let closed = [
        of(Profile::Closed { think_ns: same.clone() }, half),
        of(Profile::Closed { think_ns: uniform.clone() }, half),
        of(Profile::Closed { think_ns: Distribution::List([7 * MS, 90 * MS].into()) }, half),
        of(users(same.clone()), of_users),
        of(users(Distribution::Exponential { mean: 20 * MS }), of_users),
        of(joining(same), half),
        of(joining(uniform), half),
    ];
    let shape = |is_open| move |plan| Shape { plan, is_open };
    open.map(shape(true)).into_iter().chain(closed.map(shape(false))).collect()
}

/// A ramp from nothing, a wave, a step, a pause, a spike and steps down; `most` at its highest.
fn rising(most: f64) -> Vec<Stage> {
    let tenth = SECOND / 20;
    let half = most / 2.0;
    vec![
        Stage::Line { from: 0.0, to: half, for_ns: 3 * tenth },
        Stage::Sine { mean: half, amplitude: half, period_ns: tenth, for_ns: 2 * tenth },
        Stage::hold(half, tenth),
        Stage::hold(0.0, tenth),
        Stage::Line { from: 0.0, to: most, for_ns: tenth },
        Stage::Line { from: most, to: half, for_ns: tenth },
        Stage::hold(half / 2.0, tenth),
    ]
}

#[test]
fn shares_of_every_shape_send_together_the_timetable_of_one() {
    send_the_timetable_of_one(&[2, 23]);
}

#[test]
#[ignore = "full: minutes"]
fn up_to_64_shares_of_every_shape_send_together_the_timetable_of_one() {
    send_the_timetable_of_one(&(1..=64).collect::<Vec<_>>());
}

fn send_the_timetable_of_one(shares: &[u32]) {
    for Shape { plan, is_open } in shapes() {
        let whole = asked(&plan, 1, 1);
        assert!(whole.asked.len() > 150, "{} {:?}", whole.asked.len(), plan.profile);
        for &n in shares {
            let parts = asked(&plan, n, 1);
            let apart = parts.asked.iter().zip(&whole.asked).find(|((sent, _), (at, _))| sent != at);
            assert_eq!((parts.asked.len(), apart), (whole.asked.len(), None), "{n} {:?}", plan.profile);
            assert_eq!(parts.sum, whole.sum, "{n} {:?}", plan.profile);
            let connections = (u64::from(plan.connections), u64::from(plan.connections));
            assert_eq!(parts.connections, connections, "{n} {:?}", plan.profile);
            // Each exchange has a row of its own, whichever process sends it; with a timetable, that of its tick.
            let mut rows: Vec<&String> = parts.asked.iter().map(|(_, line)| line).collect();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), parts.asked.len(), "{n} {:?}", plan.profile);
            assert!(!is_open || parts.asked == whole.asked, "{n} {:?}", plan.profile);
        }
    }
}

#[test]
fn what_each_connection_of_a_closed_loop_asks_is_the_same_in_any_share() {
    // No feeder, whose rows are taken as the exchanges of a process come.
    let entry = |weight, path: &str| {
        let spec = RequestSpec::get("server.test", path);
        let encode = |close| Arc::new(RequestSpec { close, ..spec.clone() }.encode().unwrap());
        MixEntry { request: encode(false), closing_request: encode(true), ..entry(weight, 0, 0) }
    };
    let think_ns = Distribution::Uniform { low: MS, high: 80 * MS };
    let mix = vec![entry(3, "/often"), entry(1, "/seldom")];
    let plan = LoadPlan { profile: Profile::Closed { think_ns }, mix, connections: 90, ..closed() };
    let whole = asked(&plan, 1, 1);
    assert!(whole.asked.iter().filter(|(_, line)| line.contains("seldom")).count() > 200);
    for (shares, workers) in [(1, 4), (7, 1), (64, 1)] {
        assert!(asked(&plan, shares, workers).asked == whole.asked, "{shares} {workers}");
    }
}

#[test]
fn counts_and_connections_of_up_to_64_shares_add_up_exactly() {
    let (entry, asking) = fed();
    let extent = Extent::Requests { count: 997, cap_ns: 100 * SECOND };
    let plan = LoadPlan { extent, mix: vec![entry], asking, connections: 67, ..closed() };
    for n in [1, 2, 5, 16, 33, 64] {
        let parts = asked(&plan, n, 1);
        assert_eq!((parts.asked.len(), parts.sum.intended()), (997, 997), "{n}");
        assert_eq!(parts.connections, (67, 67), "{n}");
        assert_eq!(parts.sum.connects.count(), 0, "opened before the load: {n}");
    }
}

/// The value as another process would receive it.
fn sent<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    postcard::from_bytes(&postcard::to_stdvec(value).unwrap()).unwrap()
}

/// Report of a process.
enum ProcessReport {
    Seen(usize, u64, Box<SparseSnapshot>),
    Ended(Vec<ShareResult>),
}

/// A load by `n` processes whose axes of time differ, and which hand everything over as bytes.
fn merged(plan: &LoadPlan, n: u32, server: &Server) -> LoadResult {
    let watch = Watch::default();
    let plans = [sent(plan)];
    let one = |k: u32, telling: mpsc::Sender<(u32, ProcessReport)>| {
        let ahead = u64::from(k) * 7 * SECOND;
        let part = sent(&LoadPlan { share: (k, n), ..plan.clone() });
        let back = |window: &mut proofload_measure::Window| {
            (window.start_ns, window.end_ns) = (window.start_ns - ahead, window.end_ns - ahead);
        };
        let mut tell = |stretch: &proofload_engine::Stretch<'_>| {
            let mut snapshot: Box<SparseSnapshot> =
                postcard::from_bytes(&postcard::to_stdvec(stretch.snapshot).unwrap()).unwrap();
            back(&mut snapshot.window);
            telling.send((k, ProcessReport::Seen(stretch.stream, stretch.last, snapshot))).unwrap();
        };
        let world = World::new(server.clone(), u64::from(k));
        let mut shares = execute_share(
            Launch {
                start_ns: Some(SECOND + ahead),
                each_second: Some(&mut tell),
                ..Launch::new(&[part], &Watch::default())
            }
            .through(&world),
        )
        .unwrap();
        shares.iter_mut().for_each(|share| share.shift(-(ahead as i64)));
        telling.send((k, ProcessReport::Ended(sent::<Vec<ShareResult>>(&shares)))).unwrap();
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
                (k, ProcessReport::Seen(stream, last, snapshot)) => merger.add(k, stream, last, &snapshot),
                (k, ProcessReport::Ended(shares)) => merger.end(k, shares),
            }
        }
    });
    merger.finish().remove(0)
}

#[test]
fn what_many_processes_hand_over_as_bytes_merges_to_what_one_has() {
    let server = Server { service: Service::Constant(3 * MS), ..Server::default() };
    let extent = Extent::DurationNs(2 * SECOND + SECOND / 2);
    let mix = vec![entry(3, 0, 0), entry(1, 0, 20), entry(1, 0, 0)];
    let asking = proofload_engine::Asking { parts: vec![1, 0, 1], ..Default::default() };
    let open = LoadPlan { extent, mix: mix.clone(), asking: asking.clone(), connections: 64, ..open(900.0) };
    let closed = LoadPlan { extent, mix, asking, connections: 64, ..closed() };
    for plan in [open, closed] {
        let whole = merged(&plan, 1, &server);
        let alone = {
            let world = World::new(server.clone(), 0);
            proofload_engine::launch(
                Launch {
                    start_ns: Some(SECOND),
                    ..Launch::new(std::slice::from_ref(&plan), &Watch::default())
                }
                .through(&world),
            )
            .unwrap()
            .remove(0)
        };
        for n in [3, 8] {
            let parts = merged(&plan, n, &server);
            for same in [&whole, &alone] {
                assert_eq!(bytes(&parts.snapshot), bytes(&same.snapshot), "{n} {:?}", plan.profile);
                assert_eq!(parts.snapshot.window, same.snapshot.window);
                assert_eq!(parts.snapshot.parts, same.snapshot.parts, "{n} {:?}", plan.profile);
                assert!(parts.snapshot.parts_add_up(), "{n} {:?}", plan.profile);
                assert_eq!(parts.per_second, same.per_second);
                assert_eq!(parts.quantiles_per_second, same.quantiles_per_second);
                assert_eq!(parts.silences, same.silences);
                assert_eq!(parts.checks.len(), same.checks.len());
                assert_eq!(parts.findings, same.findings);
            }
            let shares = parts.snapshot.parts.iter().map(|part| part.response_time.count());
            let [seldom, often] = shares.collect::<Vec<_>>()[..] else {
                panic!("two names of three entries")
            };
            assert!((3 * seldom..5 * seldom).contains(&often), "{seldom} {often}");
            assert_eq!(parts.generator.threads, n);
            assert_eq!(parts.connections.peak, 64);
        }
    }
}
