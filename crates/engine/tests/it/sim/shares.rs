//! A load in parts: what shares and workers ask is what the whole asks, and their seconds add up to it.

use super::*;
use proofload_engine::driver::{Allowance, Drivers};
use proofload_engine::feed::{Column, Draw, Feed, Feeder, Filter, Order};
use proofload_engine::{Asking, EngineError, Launch, Overflow, Shortage, Stage, launch};
use proofload_measure::{LatencyHistogram, Snapshot};
use proofload_testkit::sim::{Accept, Link, Machine, Peer, Reply, Server, Service, Sim};
use proofload_wire::http1::{RequestPart, Slot, Template};
use proptest::prelude::*;
use std::sync::Mutex;

/// First lines of requests, with the instants at which they came.
pub(super) type Asked = Vec<(u64, String)>;

/// Drivers whose peers record each request with its instant, and answer at once.
#[derive(Default)]
pub(super) struct Listening(Arc<Mutex<Asked>>);

#[derive(Debug)]
struct Ear(Arc<Mutex<Asked>>);

impl Peer for Ear {
    fn dialed(&mut self, _link: u64) -> Accept {
        Accept::Yes
    }

    fn received(&mut self, _link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let line = String::from_utf8_lossy(bytes).lines().next().unwrap_or_default().to_owned();
        self.0.lock().unwrap().push((now_ns, line));
        replies.push((now_ns, Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec())));
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, _link: u64) {}
}

impl Drivers for Listening {
    type Driver = Sim;

    fn now_ns(&self) -> u64 {
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

    fn open(&self, worker: u32, capacity: u32) -> std::io::Result<Sim> {
        let peer = Box::new(Ear(Arc::clone(&self.0)));
        Ok(Sim::new(peer, Link::default(), Machine::default(), u64::from(worker), capacity))
    }
}

/// A feeder of rows in order, whose value is in the path.
pub(super) fn fed() -> (MixEntry, Asking) {
    let mut names = Column::default();
    (0..9_000).for_each(|row| names.push(format!("/row{row:04}").as_bytes()));
    let feeders = vec![Feeder::Rows { rows: 9_000, order: Order::Sequential }];
    let draws = vec![Draw::Value { feeder: 0, column: Some(Arc::new(names)), filter: Filter::Raw }];
    let feed = Feed { feeders, draws, ..Feed::default() };
    let template = Template {
        slots: vec![Slot { part: RequestPart::Target, at: 1, draw: 0 }],
        cookies: false,
        ..Template::default()
    };
    let spec = RequestSpec::get("server.test", "/");
    let encode = |close| Arc::new(RequestSpec { close, ..spec.clone() }.encode_with(&template).unwrap());
    let entry = MixEntry { request: encode(false), closing_request: encode(true), ..entry(1, 0, 0) };
    (entry, Asking { feed, ..Asking::default() })
}

/// Results of all shares of a load.
pub(super) struct Parts {
    pub asked: Asked,
    pub sum: Snapshot,
    /// Connections at the beginning, and at the end.
    pub connections: (u64, u64),
}

/// Requests of a load whose shares begin at one common instant, each share a run of its own.
pub(super) fn asked(plan: &LoadPlan, shares: u32, workers: u32) -> Parts {
    let drivers = Listening::default();
    let mut sum: Option<Snapshot> = None;
    let mut connections = (0, 0);
    for share in 0..shares {
        let part = LoadPlan { share: (share, shares), workers, ..plan.clone() };
        let result = launch(
            Launch { start_ns: Some(SECOND), ..Launch::new(&[part], &Watch::default()) }.through(&drivers),
        )
        .unwrap()
        .remove(0);
        assert_eq!((result.window_start_ns, &result.findings[..]), (SECOND + plan.discard_ns, &[][..]));
        assert_eq!(result.generator.start_error_ns, vec![Some(0); workers as usize]);
        connections.0 += u64::from(result.connections.began);
        connections.1 += u64::from(result.connections.peak);
        match &mut sum {
            Some(sum) => sum.merge(&result.snapshot),
            None => sum = Some(result.snapshot),
        }
    }
    let mut asked = std::mem::take(&mut *drivers.0.lock().unwrap());
    asked.sort_unstable();
    Parts { asked, sum: sum.unwrap(), connections }
}

#[test]
fn shares_and_workers_ask_together_what_the_whole_asks_to_the_nanosecond() {
    let (entry, asking) = fed();
    let stages = vec![Stage::Line { from: 100.0, to: 900.0, for_ns: SECOND }, Stage::hold(900.0, SECOND)];
    let profiles = [
        Profile::Open { rate_per_s: 700.0, arrival: Arrival::Constant, coalesce_ns: 0 },
        Profile::Open { rate_per_s: 700.0, arrival: Arrival::Poisson, coalesce_ns: 0 },
        Profile::OpenStages { stages, arrival: Arrival::Poisson, coalesce_ns: 0 },
    ];
    for profile in profiles {
        let extent = Extent::DurationNs(2 * SECOND);
        let (mix, asking) = (vec![entry.clone()], asking.clone());
        let plan = LoadPlan { profile, extent, mix, asking, connections: 64, ..closed() };
        let Parts { asked: whole, sum: seen, .. } = asked(&plan, 1, 1);
        assert!(whole.len() > 700, "{}", whole.len());
        let instants = |asked: &Asked| asked.iter().map(|(at, _)| *at).collect::<Vec<_>>();
        let mut rows: Vec<String> = whole.iter().map(|(_, line)| line.clone()).collect();
        rows.sort_unstable();
        for (shares, workers) in [(1, 3), (2, 1), (2, 2), (3, 1)] {
            let Parts { asked: parts, sum, .. } = asked(&plan, shares, workers);
            assert_eq!(instants(&parts), instants(&whole), "{shares} {workers} {:?}", plan.profile);
            let lines: Vec<&String> = parts.iter().map(|(_, line)| line).collect();
            assert_eq!(lines.len(), rows.len());
            assert_eq!(sum, seen, "{shares} {workers}");
        }
    }
}

#[test]
fn a_count_is_shared_out_exactly_with_its_rows() {
    let (entry, asking) = fed();
    let extent = Extent::Requests { count: 997, cap_ns: 100 * SECOND };
    let plan = LoadPlan { extent, mix: vec![entry], asking, connections: 30, ..closed() };
    for (shares, workers) in [(1, 1), (2, 1), (2, 2), (3, 2)] {
        let Parts { asked: parts, sum, .. } = asked(&plan, shares, workers);
        let mut lines: Vec<String> = parts.into_iter().map(|(_, line)| line).collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!((lines.len(), sum.intended()), (997, 997), "{shares} {workers}: no row twice");
    }
}

#[test]
fn rows_that_come_once_are_sent_once_and_what_finds_none_is_internal() {
    let (entry, mut asking) = fed();
    asking.feed.feeders = vec![Feeder::Rows { rows: 9_000, order: Order::Unique }];
    let profile = Profile::Open { rate_per_s: 4_600.0, arrival: Arrival::Constant, coalesce_ns: 0 };
    let extent = Extent::DurationNs(2 * SECOND);
    let plan = LoadPlan { profile, extent, mix: vec![entry], asking, connections: 64, ..closed() };
    for (shares, workers) in [(1, 1), (2, 2)] {
        let Parts { asked: parts, sum, .. } = asked(&plan, shares, workers);
        let mut lines: Vec<String> = parts.into_iter().map(|(_, line)| line).collect();
        lines.sort_unstable();
        lines.dedup();
        let of = |outcome| sum.outcomes.get(outcome);
        assert_eq!((lines.len(), of(Outcome::Answered)), (9_000, 9_000), "{shares} {workers}");
        assert_eq!(of(Outcome::Internal) + of(Outcome::Unsent), 200, "{:?}", sum.outcomes);
        assert!(of(Outcome::Internal) > 0 && sum.intended() == 9_200, "{:?}", sum.outcomes);
    }
    let extent = Extent::Requests { count: 9_001, cap_ns: SECOND };
    let drivers = Listening::default();
    let refused = launch(Launch::new(&[LoadPlan { extent, ..plan }], &Watch::default()).through(&drivers));
    let Err(EngineError::Plan(message)) = refused else { panic!("more requests than rows") };
    assert!(message.contains("9001 requests, and 9000 rows"), "{message}");
}

#[test]
fn an_instant_that_has_passed_is_an_error_and_lateness_is_told() {
    struct Late(Listening);
    impl Drivers for Late {
        type Driver = Sim;
        fn now_ns(&self) -> u64 {
            3 * SECOND
        }
        fn allowance(&self) -> Allowance {
            self.0.allowance()
        }
        fn peak_rss_bytes(&self) -> u64 {
            0
        }
        fn open(&self, worker: u32, capacity: u32) -> std::io::Result<Sim> {
            self.0.open(worker, capacity)
        }
    }
    let begin = |start_ns| {
        launch(
            Launch {
                start_ns: Some(start_ns),
                ..Launch::new(&[LoadPlan { workers: 2, ..closed() }], &Watch::default())
            }
            .through(&Late(Listening::default())),
        )
    };
    let error = begin(SECOND).unwrap_err();
    assert!(matches!(error, EngineError::TooLate { late_ns } if late_ns == 2 * SECOND), "{error}");
    assert!(begin(4 * SECOND).is_ok());
    // A machine whose waits end late begins its first exchange late, and reports it.
    let machine = Machine { wakes_late_ns: 5 * MS, ..Machine::default() };
    let world = World::new(Server::default(), 1).with_machine(machine);
    let result = load(&LoadPlan { workers: 2, ..open(100.0) }, &world);
    let errors = &result.generator.start_error_ns;
    assert!(errors.len() == 2 && errors.iter().all(|e| (MS..=10 * MS).contains(&e.unwrap())), "{errors:?}");
}

/// Everything of a snapshot that is stored, as it is stored.
pub(super) fn bytes(snapshot: &Snapshot) -> Vec<String> {
    let s = snapshot;
    let histograms = [&s.response_time, &s.service_time, &s.first_byte, &s.send_delay, &s.connects];
    let mut all: Vec<String> = histograms.into_iter().map(LatencyHistogram::encode).collect();
    all.push(format!("{:?} {:?} {:?}", s.outcomes, s.discarded, s.codes.iter().collect::<Vec<_>>()));
    all.push(format!("{} {} {}", s.answered_in_window, s.bytes_sent, s.bytes_received));
    all
}

#[test]
fn whatever_happens_first_in_a_second_is_of_that_second() {
    // One request at the very beginning of each second, on a connection of its own: nothing else makes a worker look.
    let plan = LoadPlan {
        keep_alive: KeepAlive::Off,
        connections: 1,
        extent: Extent::DurationNs(5 * SECOND),
        ..open(1.0)
    };
    let mut told = Vec::new();
    let mut tell = |stretch: &proofload_engine::Stretch<'_>| {
        let s = stretch.snapshot;
        told.push((s.bytes_sent, s.bytes_received, s.connects.count(), s.closed_by_us + s.closed_by_peer));
    };
    let world = World::new(Server::default(), 1);
    let result = launch(
        Launch { each_second: Some(&mut tell), ..Launch::new(&[plan], &Watch::default()) }.through(&world),
    )
    .unwrap()
    .remove(0);
    assert_eq!(count(&result, Outcome::Answered), 5);
    let each = (result.snapshot.bytes_sent / 5, result.snapshot.bytes_received / 5, 1, told[0].3);
    assert!(each.0 > 0 && each.1 > 0);
    assert_eq!(told[..5], [each; 5]);
}

#[test]
fn what_is_dropped_is_of_the_second_in_which_it_is_given_up() {
    // One connection, 25 ms each: of three requests that come 10 ms apart two find none.
    let server = Server { service: Service::Constant(25 * MS), ..Server::default() };
    let plan = LoadPlan {
        connections: 1,
        shortage: Shortage { overflow: Overflow::Drop, most_connections: None },
        extent: Extent::DurationNs(5 * SECOND),
        ..open(100.0)
    };
    let mut dropped = Vec::new();
    let mut tell = |stretch: &proofload_engine::Stretch<'_>| dropped.push(stretch.snapshot.dropped);
    launch(
        Launch { each_second: Some(&mut tell), ..Launch::new(&[plan], &Watch::default()) }
            .through(&World::new(server, 1)),
    )
    .unwrap();
    assert!(dropped[..5].iter().all(|dropped| (65..=68).contains(dropped)), "{dropped:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn the_seconds_that_are_told_add_up_to_the_result_in_any_order(
        workers in 1u32..5,
        seed: u64,
        open_loop: bool,
        ms in 500u64..4_000,
        shuffled: u64,
    ) {
        let service = Service::Exponential(3 * MS);
        let profile = match open_loop {
            true => Profile::Open { rate_per_s: 800.0, arrival: Arrival::Poisson, coalesce_ns: 0 },
            false => closed().profile,
        };
        let extent = Extent::DurationNs(ms * MS);
        let plan = LoadPlan { profile, extent, workers, seed, discard_ns: 100 * MS, ..closed() };
        let world = World::new(Server { service, ..Server::default() }, seed);
        let mut told = Vec::new();
        let mut tell = |stretch: &proofload_engine::Stretch<'_>| {
            told.push((stretch.first, stretch.last, stretch.snapshot.clone()));
        };
        let watch = Watch::default();
        let result = launch(Launch { each_second: Some(&mut tell), ..Launch::new(&[plan], &watch) }.through(&world)).unwrap().remove(0);
        // Each second once, in order, and what drained in the end.
        let seconds: Vec<(u64, u64)> = told.iter().map(|(first, last, _)| (*first, *last)).collect();
        let expected: Vec<(u64, u64)> = (0..=ms.div_ceil(1_000)).map(|second| (second, second)).collect();
        prop_assert_eq!(seconds, expected);
        for ((_, _, snapshot), (count, quantiles)) in
            told.iter().zip(result.per_second.iter().zip(&result.quantiles_per_second))
        {
            prop_assert_eq!(snapshot.answered_in_window, *count);
            prop_assert_eq!(snapshot.response_time.quantile_ns(0.99), quantiles.map(|q| q.p99_ns));
        }
        // A last second of a millisecond may see no answer.
        let last = result.quantiles_per_second.iter().flatten().last().unwrap();
        let live = [&watch.p50_ns, &watch.p99_ns].map(|at| at.load(std::sync::atomic::Ordering::Relaxed));
        prop_assert_eq!(live, [last.p50_ns, last.p99_ns]);
        told.sort_by_key(|(first, _, _)| (first ^ shuffled).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut sum = told.pop().unwrap().2;
        told.iter().for_each(|(_, _, snapshot)| sum.merge(snapshot));
        prop_assert_eq!(&sum, &result.snapshot);
        prop_assert_eq!(bytes(&sum), bytes(&result.snapshot));
    }
}
