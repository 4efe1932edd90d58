//! Servers at several addresses, of which some refuse or say nothing.

use super::secured::{TlsFront, secured};
use super::totals::faults_but;
use super::*;
use proofload_engine::load::Random;
use proofload_engine::{Address, AddressUse, Addresses, Shortage};
use proofload_testkit::sim::{Accept, Fault, Front, Link, Peer, Reply, Server};
use proofload_testkit::tls::Speaks;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Mutex;

/// Answers of each address to the dials of a worker, one after the other; the last goes on.
#[derive(Clone, Debug, Default)]
struct Doors {
    answers: HashMap<SocketAddr, Vec<Accept>>,
    tls: Option<TlsFront>,
    /// Dials of each address that were accepted, refused and left without an answer, over all workers.
    seen: Arc<Mutex<HashMap<SocketAddr, [u64; 3]>>>,
}

#[derive(Debug)]
struct Behind {
    doors: Doors,
    dials: HashMap<SocketAddr, usize>,
    server: Box<dyn Peer>,
}

impl Front for Doors {
    fn before(&self, server: Box<dyn Peer>) -> Box<dyn Peer> {
        let server = match &self.tls {
            Some(tls) => tls.before(server),
            None => server,
        };
        Box::new(Behind { doors: self.clone(), dials: HashMap::new(), server })
    }
}

impl Peer for Behind {
    fn dialed(&mut self, link: u64) -> Accept {
        self.server.dialed(link)
    }

    fn dialed_at(&mut self, link: u64, to: &Target) -> Accept {
        assert!(to.addresses.others.is_empty(), "one address is dialed");
        let at = to.addresses.tcp().unwrap();
        let answers = &self.doors.answers[&at];
        let dials = self.dials.entry(at).or_default();
        let answer = answers[(*dials).min(answers.len() - 1)];
        *dials += 1;
        let answer = if answer == Accept::Yes { self.dialed(link) } else { answer };
        let kinds = [Accept::Yes, Accept::Refuse, Accept::Silence];
        let mut seen = self.doors.seen.lock().unwrap();
        seen.entry(at).or_default()[kinds.iter().position(|kind| *kind == answer).unwrap()] += 1;
        answer
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        self.server.received(link, bytes, now_ns, replies);
    }

    fn lost(&mut self, link: u64, bytes: &[u8], reset: bool) {
        self.server.lost(link, bytes, reset);
    }

    fn closed(&mut self, link: u64) {
        self.server.closed(link);
    }
}

const OPEN: &[Accept] = &[Accept::Yes];
const REFUSES: &[Accept] = &[Accept::Refuse];
const SILENT: &[Accept] = &[Accept::Silence];

/// Loads the servers behind these doors, in that order.
fn through(doors: &[(&str, &[Accept])], plan: LoadPlan) -> LoadResult {
    let tls = plan.targets[0].transport.tls.as_ref().map(|_| TlsFront::new(&Speaks::default()));
    let latency_ns = if tls.is_some() { 60 * MS } else { Link::default().latency_ns };
    over(latency_ns, tls, doors, plan)
}

/// The same over a way of that length, of servers that speak TLS or not.
fn over(latency_ns: u64, tls: Option<TlsFront>, doors: &[(&str, &[Accept])], plan: LoadPlan) -> LoadResult {
    let at = |text: &&str| text.parse::<SocketAddr>().unwrap();
    let addresses = Addresses::of(doors.iter().map(|(address, _)| Address::from(at(address)))).unwrap();
    let answers = doors.iter().map(|(address, answers)| (at(address), answers.to_vec())).collect();
    let link = Link { latency_ns, ..Link::default() };
    let world = World::new(Server::default(), 3).with_link(link).behind(Arc::new(Doors {
        answers,
        tls,
        ..Doors::default()
    }));
    let targets = vec![Target { addresses, ..plan.targets[0].clone() }];
    let mut result = load(&LoadPlan { targets, ..plan }, &world);
    let told = std::mem::take(&mut result.addresses);
    let of = |address: &Address| told.iter().find(|one| one.address == *address).cloned();
    result.addresses = doors
        .iter()
        .map(|(address, _)| Address::from(at(address)))
        .map(|address| {
            of(&address).unwrap_or(AddressUse {
                address,
                connections: 0,
                refused: 0,
                timed_out: 0,
                failed: 0,
                exchanges: 0,
            })
        })
        .collect();
    result
}

fn all_answered(result: &LoadResult) {
    assert!(result.snapshot.intended() > 0);
    assert_eq!(
        count(result, Outcome::Answered),
        result.snapshot.intended(),
        "{:?}",
        result.snapshot.outcomes
    );
    assert_eq!(result.findings, []);
}

fn each<T>(result: &LoadResult, of: impl Fn(&AddressUse) -> T) -> Vec<T> {
    result.addresses.iter().map(of).collect()
}

#[test]
fn an_address_that_refuses_leaves_all_to_the_next_one() {
    for keep_alive in [KeepAlive::On, KeepAlive::Every(50)] {
        let plan = LoadPlan { keep_alive, ..brief() };
        let result = through(&[("127.0.0.2:80", REFUSES), ("127.0.0.3:80", OPEN)], plan);
        all_answered(&result);
        // Both were dialed before the first refusal came; then it is left alone for a tenth of a second.
        assert!((1..=2).contains(&result.addresses[0].refused), "{:?}", result.addresses);
        assert_eq!((result.addresses[0].connections, result.addresses[0].exchanges), (0, 0));
        assert!(result.addresses[1].connections >= 8);
        assert_eq!(result.addresses[1].exchanges, count(&result, Outcome::Answered));
    }
}

#[test]
fn an_address_that_refused_is_tried_again_now_and_then() {
    let back = [&[Accept::Refuse; 3][..], OPEN].concat();
    let plan = LoadPlan { keep_alive: KeepAlive::Off, connections: 6, ..closed() };
    let result = through(&[("127.0.0.2:80", &back), ("127.0.0.3:80", OPEN)], plan);
    all_answered(&result);
    let [first, second] = &result.addresses[..] else { panic!("{:?}", result.addresses) };
    assert_eq!((first.refused, second.refused), (3, 0));
    assert!(first.connections > second.connections / 3, "{:?}", result.addresses);
    assert!(second.connections > first.connections, "{:?}", result.addresses);
}

#[test]
fn an_address_that_says_nothing_is_given_up_after_a_quarter_of_a_second() {
    let timeouts = Timeouts { connect_ns: 10 * SECOND, ..closed().timeouts };
    let plan = LoadPlan { connections: 1, timeouts, ..closed() };
    let result = through(&[("127.0.0.2:80", SILENT), ("[::5]:80", OPEN)], plan);
    all_answered(&result);
    assert_eq!(each(&result, |one| (one.connections, one.timed_out)), [(0, 1), (1, 0)]);
    let longest_ns = result.snapshot.response_time.quantile_ns(1.0).unwrap();
    assert!(longest_ns.abs_diff(250 * MS) < 3 * MS, "{longest_ns}");
}

#[test]
fn a_slow_address_gets_the_rest_of_the_time_if_all_others_fail() {
    let timeouts = Timeouts { connect_ns: 2 * SECOND, response_ns: 2 * SECOND };
    let plan = LoadPlan { connections: 1, timeouts, ..closed() };
    let doors = [("127.0.0.2:80", OPEN), ("127.0.0.3:80", REFUSES)];
    let result = over(150 * MS, None, &doors, plan.clone());
    all_answered(&result);
    assert_eq!(each(&result, |one| (one.connections, one.timed_out, one.refused)), [(1, 1, 0), (0, 0, 1)]);
    // One that never accepts takes the time-out of connecting.
    let result = over(150 * MS, None, &[("127.0.0.2:80", SILENT), doors[1]], plan);
    let all = result.snapshot.intended();
    assert_eq!((count(&result, Outcome::ConnectTimeout), result.snapshot.outcomes.finished()), (all, all));
    let what = &result.bad_answers[0].what;
    assert_eq!(
        what,
        "127.0.0.2:80 did not accept the connection in time, and none of 2 addresses accepted it"
    );
}

#[test]
fn a_handshake_that_stalls_is_told_as_such_though_another_address_refused() {
    let timeouts = Timeouts { connect_ns: SECOND, response_ns: SECOND };
    let plan = LoadPlan { connections: 1, timeouts, targets: vec![secured()], ..closed() };
    let result = over(MS, None, &[("[::1]:443", REFUSES), ("127.0.0.3:443", OPEN)], plan);
    assert_eq!(
        count(&result, Outcome::ConnectTimeout),
        result.snapshot.intended(),
        "{:?}",
        result.bad_answers
    );
    let what = &result.bad_answers[0].what;
    assert!(what.contains("TLS handshake"), "{what}");
}

#[test]
fn an_address_in_the_middle_of_a_handshake_is_not_given_up() {
    // A round trip takes 120 ms; the handshake of TLS ends after the quarter of a second.
    let timeouts = Timeouts { connect_ns: 2 * SECOND, response_ns: 2 * SECOND };
    let plan = LoadPlan { connections: 1, timeouts, targets: vec![secured()], ..closed() };
    let result = through(&[("127.0.0.2:443", OPEN), ("127.0.0.3:443", OPEN)], plan);
    all_answered(&result);
    assert_eq!(each(&result, |one| one.connections + one.timed_out), [0, 0], "there is nothing to tell");
}

#[test]
fn an_address_that_has_accepted_has_the_whole_time_out() {
    let once = [OPEN, SILENT].concat();
    let plan = LoadPlan { connections: 1, keep_alive: KeepAlive::Off, ..closed() };
    let result = through(&[("127.0.0.2:80", &once), ("127.0.0.3:80", OPEN)], plan);
    assert_eq!(count(&result, Outcome::ConnectTimeout), 1, "500 ms are over");
    assert_eq!(count(&result, Outcome::Answered), result.snapshot.intended() - 1);
    assert_eq!(each(&result, |one| one.timed_out), [1, 0]);
    assert!(result.addresses[1].exchanges > 1_000);
}

#[test]
fn where_every_address_fails_each_exchange_ends_once_and_as_the_first_one_did() {
    let doors = [("127.0.0.2:80", REFUSES), ("[::2]:80", REFUSES), ("127.0.0.4:80", REFUSES)];
    let result = through(&doors, closed());
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::ConnectRefused), all);
    assert!(all.abs_diff(80) <= 8, "as often as a single address: {all}");
    let what = &result.bad_answers[0].what;
    assert!(what.ends_with(" refused the connection, and none of 3 addresses accepted it"), "{what}");
    let refused = each(&result, |one| one.refused);
    assert!(refused.iter().all(|n| *n == refused[0] && *n >= all), "{refused:?}");

    let result = through(&[("127.0.0.2:80", SILENT), ("127.0.0.3:80", SILENT)], closed());
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::ConnectTimeout), all);
    assert_eq!(result.snapshot.unended.quantile_ns(0.0), None, "a time-out of connecting is an end");
    assert!((8..=24).contains(&all), "each takes 500 ms, whatever the number of addresses: {all}");
}

#[test]
fn connections_are_spread_over_the_addresses_of_one_family() {
    let doors = [
        ("[::2]:80", OPEN),
        ("127.0.0.2:80", OPEN),
        ("[::3]:80", OPEN),
        ("127.0.0.3:80", OPEN),
        ("[::4]:80", OPEN),
    ];
    for (workers, most_connections) in [(1, None), (2, None), (2, Some(12))] {
        let shortage = Shortage { most_connections, ..Shortage::default() };
        let profile = if most_connections.is_some() { open(60_000.0).profile } else { closed().profile };
        let plan = LoadPlan { connections: 9, workers, shortage, profile, ..brief() };
        let result = through(&doors, plan);
        let made = each(&result, |one| one.connections);
        assert_eq!(made, if result.connections.peak == 12 { [4, 0, 4, 0, 4] } else { [3, 0, 3, 0, 3] });
        let ended: u64 = each(&result, |one| one.exchanges).iter().sum();
        assert_eq!(ended, result.snapshot.intended());
    }
}

#[test]
fn the_other_family_is_used_when_the_first_fails_and_then_alone() {
    let once = [OPEN, REFUSES].concat();
    let plan = LoadPlan { connections: 2, keep_alive: KeepAlive::Every(10), ..brief() };
    let result = through(&[("[::1]:80", &once), ("127.0.0.1:80", OPEN)], plan);
    all_answered(&result);
    let [six, four] = &result.addresses[..] else { panic!("{:?}", result.addresses) };
    assert_eq!((six.connections, six.exchanges), (1, 10));
    assert!(six.refused >= 1 && four.connections > 20, "{:?}", result.addresses);
}

#[test]
fn local_addresses_of_one_family_leave_the_other_out() {
    let mut plan = brief();
    plan.asking.bind = vec![IpAddr::from([127, 0, 0, 9])];
    let doors = [("[::1]:80", OPEN), ("127.0.0.1:80", OPEN)];
    let addresses = || Addresses::of(doors.map(|(at, _)| Address::from(at.parse::<SocketAddr>().unwrap())));
    plan.targets[0].addresses = addresses().unwrap();
    let answers = doors.map(|(at, answers)| (at.parse().unwrap(), answers.to_vec())).into();
    let world = World::new(Server::default(), 3).behind(Arc::new(Doors { answers, ..Doors::default() }));
    let result = load(&plan, &world);
    all_answered(&result);
    assert_eq!(result.addresses, [], "there is nothing to tell");
    plan.asking.bind = vec!["::9".parse().unwrap()];
    all_answered(&load(&plan, &world));
    plan.targets[0].addresses = SocketAddr::from(([127, 0, 0, 1], 80)).into();
    let error = run_in(&plan, &Watch::default(), &world).unwrap_err().to_string();
    assert!(error.contains("127.0.0.1:80 cannot be reached from an address of the other family"), "{error}");
}

#[test]
fn more_addresses_than_are_kept_are_refused() {
    let all = |n: u8| (0..n).map(|at| Address::from(SocketAddr::from(([127, 0, 1, at], 80))));
    assert_eq!(Addresses::of(all(40)).unwrap().iter().count(), Addresses::MAX);
    assert_eq!(Addresses::of(all(0)), None);
    let mut plan = brief();
    plan.targets[0].addresses = Addresses { first: all(1).next().unwrap(), others: all(16).collect() };
    let error = run_in(&plan, &Watch::default(), &World::default()).unwrap_err().to_string();
    assert!(error.contains("targets[0]: 17 addresses; 16 are the most"), "{error}");
}

/// That many exchanges with a server at four addresses that fails in every way, as each of them does now and then, summed up
/// kind by kind and address by address.
fn reconciled(exchanges: u64, keep_alive: KeepAlive) {
    let left_out = [Fault::Refuse, Fault::SilentConnect, Fault::Drip(100)];
    let server = Server { faults: faults_but(&left_out, 0.01), ..Server::default() };
    let mut random = Random::new(5, 0x6164_6472);
    let mut answers = |_| match random.below(100) {
        0..6 => Accept::Refuse,
        6..8 => Accept::Silence,
        _ => Accept::Yes,
    };
    let at =
        ["[::2]:80", "127.0.0.2:80", "[::3]:80", "127.0.0.3:80"].map(|at| at.parse::<SocketAddr>().unwrap());
    let doors = Doors {
        answers: at.iter().map(|at| (*at, (0..exchanges / 4).map(&mut answers).collect())).collect(),
        ..Doors::default()
    };
    let world = World::new(server, 11).behind(Arc::new(doors.clone()));
    let addresses = Addresses::of(at.map(Address::from)).unwrap();
    let plan = closed();
    let plan = LoadPlan {
        connections: 50,
        workers: 2,
        keep_alive,
        extent: Extent::Requests { count: exchanges, cap_ns: 100_000 * SECOND },
        drain_ns: 1_000 * SECOND,
        targets: vec![Target { addresses, ..plan.targets[0].clone() }],
        ..plan
    };
    let result = load(&plan, &world);
    let (served, found) = (world.served(), |outcome| count(&result, outcome));
    assert_eq!(result.snapshot.outcomes.finished(), exchanges, "{:?}", result.snapshot.outcomes);
    assert_eq!(found(Outcome::Answered), served.answered);
    assert_eq!(found(Outcome::Rejected), served.errors);
    assert_eq!(found(Outcome::Malformed), served.garbage);
    assert_eq!(found(Outcome::Timeout), served.silent);
    assert_eq!(found(Outcome::ClosedEarly), served.cut + served.lost_to_close);
    let resets = found(Outcome::ResetFresh) + found(Outcome::ResetReused);
    assert_eq!(resets, served.reset_fresh + served.reset_reused + served.lost_to_reset);
    assert!(found(Outcome::Answered) > exchanges / 2, "{:?}", result.snapshot.outcomes);
    let seen = doors.seen.lock().unwrap();
    for one in &result.addresses {
        let told = [one.connections, one.refused, one.timed_out];
        assert_eq!((told, one.failed), (seen[&one.address.tcp().unwrap()], 0), "{:?}", one.address);
        assert!(told.iter().all(|n| *n > 0), "{told:?}");
    }
    let answers: u64 = result.snapshot.codes.iter().map(|(_, n)| n).sum();
    let of_addresses: u64 = result.addresses.iter().map(|one| one.exchanges).sum();
    assert!(of_addresses >= answers && of_addresses <= exchanges, "{of_addresses} {answers}");
}

#[test]
fn counts_of_each_address_add_up_with_its_own() {
    reconciled(10_000, KeepAlive::On);
    reconciled(3_000, KeepAlive::Off);
    reconciled(3_000, KeepAlive::Every(3));
}

#[test]
#[ignore = "full: a million exchanges take minutes"]
fn counts_of_each_address_add_up_over_a_million_exchanges() {
    reconciled(1_000_000, KeepAlive::Every(10));
}
