//! Servers that misbehave, each in one way, against the engine over the kernel's sockets: every one of them ends in
//! the outcome that docs/outcomes.md tells, and nothing is lost.

mod bodies;
mod case;
mod cuts;
mod heads;

use crate::drivers::drivers;
use case::{Ask, Case, Expected, PATIENT_MS, Server, UPLOAD_BYTES};
use proofload_engine::{
    DriverChoice, Expect, Extent, KeepAlive, LoadPlan, LoadResult, MixEntry, Profile, Timeouts, Watch,
};
use proofload_measure::Outcome;
use proofload_testkit::sim::run;
use proofload_testkit::{Deaf, Lasting, Refusing, ScriptedPeer, deaf_address, refusing_address};
use proofload_wire::Request;
use proofload_wire::http1::RequestSpec;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

const MS: u64 = 1_000_000;
/// A load that has not ended by then hangs.
const BOUND: Duration = Duration::from_secs(60);
/// A bound of the load itself, beyond every time-out.
const LOAD_NS: u64 = 2 * PATIENT_MS * MS;
/// So long that of hundreds of servers at once some answer in it, on the busiest machine too.
const AT_ONCE_MS: u64 = 1_500;
/// Longer than what a server does in a pause takes.
const THINK_NS: u64 = 2_000 * MS;

fn cases() -> Vec<Case> {
    [cuts::cases(), heads::cases(), bodies::cases()].concat()
}

/// Keeps a server where it is.
enum Kept {
    Peer(Lasting),
    Deaf { _kept: Deaf },
    Refusing { _kept: Refusing },
    Nothing,
}

/// An address at which the case's server is found.
fn address_of(server: &Server) -> (SocketAddr, Kept) {
    match server {
        Server::Plays(scripts) => {
            let peer = ScriptedPeer::start_lasting(scripts.clone()).unwrap();
            (peer.address, Kept::Peer(peer))
        }
        Server::Refuses => {
            refusing_address().map(|(address, _kept)| (address, Kept::Refusing { _kept })).unwrap()
        }
        Server::Deaf => deaf_address().map(|(address, _kept)| (address, Kept::Deaf { _kept })).unwrap(),
        // The broadcast address of the loopback network.
        Server::Unreachable => (SocketAddr::from(([127, 255, 255, 255], 9)), Kept::Nothing),
    }
}

/// The request of that kind; encoded once, for one of them is large.
fn request(ask: Ask, closes: bool) -> Arc<Request> {
    static ENCODED: OnceLock<Vec<Arc<Request>>> = OnceLock::new();
    let encode = |ask, close| {
        let get = RequestSpec { close, keep_body: 16, ..RequestSpec::get("peer", "/") };
        let spec = match ask {
            Ask::Get => get,
            Ask::Head => RequestSpec { method: "HEAD".into(), ..get },
            Ask::Upload => RequestSpec { method: "POST".into(), body: vec![b'x'; UPLOAD_BYTES], ..get },
        };
        Arc::new(spec.encode().unwrap())
    };
    let asks = [Ask::Get, Ask::Head, Ask::Upload];
    let all = ENCODED
        .get_or_init(|| asks.iter().flat_map(|ask| [encode(*ask, false), encode(*ask, true)]).collect());
    Arc::clone(&all[ask as usize * 2 + usize::from(closes)])
}

fn entry(case: &Case, target: usize) -> MixEntry {
    let expect = match case.expects {
        Expected::Nothing => Expect::default(),
        Expected::Bytes(bytes) => Expect { bytes: Some(bytes..=bytes), ..Expect::default() },
        Expected::Text(text) => Expect { text: vec![text.into()], ..Expect::default() },
    };
    let (request, closing_request) = (request(case.ask, false), request(case.ask, true));
    MixEntry { weight: 1, target, request, closing_request, expect, follow: Default::default(), digest: None }
}

fn plan_of(case: &Case, address: SocketAddr) -> LoadPlan {
    let wait_ns = case.waits_ms * MS;
    LoadPlan {
        targets: vec![address.into()],
        mix: vec![entry(case, 0)],
        profile: Profile::Closed { think_ns: if case.thinks { THINK_NS } else { 0 }.into() },
        connections: 1,
        in_flight: 1,
        keep_alive: if case.fresh { KeepAlive::Off } else { KeepAlive::On },
        timeouts: Timeouts { connect_ns: wait_ns, response_ns: wait_ns },
        discard_ns: 0,
        extent: Extent::Requests { count: case.requests, cap_ns: LOAD_NS },
        drain_ns: LOAD_NS,
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

/// Carries a plan out, within bounds.
fn bounded(plan: LoadPlan) -> Result<LoadResult, String> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let _ = tell.send(run(&plan, &Watch::default()).map_err(|error| error.to_string()));
    });
    match told.recv_timeout(BOUND) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => Err("it hangs".into()),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err("it panicked".into()),
    }
}

fn play(case: &Case, driver: DriverChoice) -> Result<(), String> {
    let (address, kept) = address_of(&case.server);
    let result = bounded(LoadPlan { driver, ..plan_of(case, address) })?;
    let counts = &result.snapshot.outcomes;
    let seen: Vec<(Outcome, u64)> = counts.iter().filter(|(_, n)| *n > 0).collect();
    let mut wanted = case.outcomes.clone();
    wanted.sort_by_key(|(outcome, _)| *outcome);
    let instead = case.or.map(|outcome| vec![(outcome, case.requests)]);
    if seen != wanted && Some(&seen) != instead.as_ref() {
        return Err(format!("{seen:?}, must be {wanted:?}; {:?}", result.bad_answers));
    }
    if counts.total() != case.requests || result.snapshot.discarded.total() != 0 {
        return Err(format!("{} intended, {} counted", case.requests, counts.total()));
    }
    let explained = seen.iter().filter(|(outcome, _)| outcome.is_error());
    for (outcome, _) in explained {
        if !result.bad_answers.iter().any(|bad| bad.outcome == *outcome && !bad.what.is_empty()) {
            return Err(format!("nothing explains {outcome:?}"));
        }
    }
    match kept {
        Kept::Peer(peer) if case.kept && peer.accepted() != 1 => {
            Err(format!("one connection would do, and {} were made", peer.accepted()))
        }
        _ => Ok(()),
    }
}

/// By one of the kernel's back ends each, in turns.
#[test]
fn every_misbehaviour_ends_in_its_outcome() {
    let cases = cases();
    play_all(&drivers().into_iter().cycle().zip(&cases).collect::<Vec<_>>());
}

#[test]
#[ignore = "full: by every back end"]
fn every_misbehaviour_ends_in_its_outcome_by_every_back_end() {
    let cases = cases();
    let each = |driver| cases.iter().map(move |case| (driver, case));
    play_all(&drivers().into_iter().flat_map(each).collect::<Vec<_>>());
}

fn play_all(plays: &[(DriverChoice, &Case)]) {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while let Some((driver, case)) = plays.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = play(case, *driver) {
                        let what = format!("{}, the server {}: {why}", driver.name(), case.name);
                        failures.lock().unwrap().push(what);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), plays.len(), failures.join("\n"));
}

#[test]
fn all_of_them_at_once_lose_no_exchange() {
    drivers().into_iter().take(1).for_each(all_at_once);
}

#[test]
#[ignore = "full: by every back end"]
fn all_of_them_at_once_lose_no_exchange_by_any_back_end() {
    drivers().into_iter().for_each(all_at_once);
}

fn all_at_once(driver: DriverChoice) {
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.ask != Ask::Upload).collect();
    let servers: Vec<_> = cases.iter().map(|case| address_of(&case.server)).collect();
    let intended = 3 * cases.len() as u64;
    let plan = LoadPlan {
        targets: servers.iter().map(|(address, _)| (*address).into()).collect(),
        mix: cases.iter().enumerate().map(|(target, case)| entry(case, target)).collect(),
        connections: cases.len() as u32,
        driver,
        extent: Extent::Requests { count: intended, cap_ns: LOAD_NS },
        ..plan_of(&Case { waits_ms: AT_ONCE_MS, ..cases[0].clone() }, servers[0].0)
    };
    let result = bounded(plan).expect("it ends");
    let counts = result.snapshot.outcomes;
    assert_eq!(counts.total() + result.snapshot.discarded.total(), intended);
    assert_eq!(counts.get(Outcome::Internal), 0, "{:?}", result.bad_answers);
    for outcome in
        [Outcome::Answered, Outcome::ResetFresh, Outcome::ClosedEarly, Outcome::Timeout, Outcome::Malformed]
    {
        assert!(counts.get(outcome) > 0, "no {outcome:?} among {:?}", counts.iter().collect::<Vec<_>>());
    }
}

#[test]
fn there_are_at_least_a_hundred_and_no_two_are_the_same() {
    let cases = cases();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len(), "a name twice");
    let ways: BTreeSet<String> =
        cases.iter().map(|case| format!("{:?}", Case { name: String::new(), ..case.clone() })).collect();
    assert_eq!(ways.len(), cases.len(), "a misbehaviour twice");
    assert!(cases.len() >= 100, "{}", cases.len());
}

#[test]
fn the_documented_table_is_the_one_that_is_tested() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/outcomes.md");
    let document = std::fs::read_to_string(path).unwrap();
    let (before, rest) = document.split_once("<!-- misbehaviours -->\n").expect("the mark before the table");
    let (table, after) = rest.split_once("<!-- end -->").expect("the mark behind the table");
    let rows: Vec<String> = cases().iter().map(Case::row).collect();
    let tested = format!("| the server … | asked | outcome |\n| --- | --- | --- |\n{}\n", rows.join("\n"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, format!("{before}<!-- misbehaviours -->\n{tested}<!-- end -->{after}")).unwrap();
    } else {
        assert!(table == tested, "docs/outcomes.md tells another table; UPDATE=1 writes this one:\n{tested}");
    }
}
