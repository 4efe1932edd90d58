//! Unsolicited answers: where they can be told from others they are counted, and answer nothing.

use super::lanes::provider::{Act, Provider};
use super::lanes::{calls, dubbo_plan};
use super::*;
use proofload_testkit::sim::{Accept, Front, Peer, Reply, Server};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Answers each request at once, and again after each of these times; reads one request after the other.
#[derive(Clone, Debug)]
struct Twice {
    again_ns: Vec<u64>,
    head: &'static str,
    /// End of each connection's work on answers.
    busy_ns: HashMap<u64, u64>,
    /// Instant at which the last connection was closed.
    closed_ns: Arc<AtomicU64>,
}

impl Twice {
    fn new(again_ns: &[u64], head: &'static str) -> Self {
        Twice { again_ns: again_ns.to_vec(), head, busy_ns: HashMap::new(), closed_ns: Arc::default() }
    }

    fn world(&self) -> World {
        World::new(Server::default(), 1).behind(Arc::new(self.clone()))
    }
}

impl Front for Twice {
    fn before(&self, _server: Box<dyn Peer>) -> Box<dyn Peer> {
        Box::new(self.clone())
    }
}

impl Peer for Twice {
    fn dialed(&mut self, _link: u64) -> Accept {
        Accept::Yes
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let answer =
            |body: &str| Reply::Bytes(format!("{}Content-Length: 2\r\n\r\n{body}", self.head).into());
        for _ in bytes.windows(4).filter(|end| end == b"\r\n\r\n") {
            let busy_ns = self.busy_ns.entry(link).or_default();
            let begun_ns = now_ns.max(*busy_ns);
            replies.push((begun_ns, answer("ok")));
            replies.extend(self.again_ns.iter().map(|again_ns| (begun_ns + again_ns, answer("NO"))));
            *busy_ns = begun_ns + self.again_ns.last().unwrap_or(&0) + WORK_NS;
        }
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, link: u64) {
        self.busy_ns.remove(&link);
    }

    fn closed_at(&mut self, link: u64, now_ns: u64) {
        self.closed(link);
        self.closed_ns.store(now_ns, Ordering::Relaxed);
    }
}

/// Cost of a request to the server: who is asked once more for each answer would be asked twice as often after each way there.
const WORK_NS: u64 = 50_000;

const OK: &str = "HTTP/1.1 200 OK\r\n";
const CLOSE: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n";

/// Answers that were counted as surplus, of a load of that plan.
fn surplus(again_ns: &[u64], head: &'static str, plan: &LoadPlan) -> u64 {
    let result = load(plan, &Twice::new(again_ns, head).world());
    assert_eq!(count(&result, Outcome::Internal), 0);
    result.snapshot.surplus
}

/// Loads of every kind, with their names.
fn loads() -> Vec<(&'static str, LoadPlan)> {
    let thinking = Profile::Closed { think_ns: (2 * MS).into() };
    let few = |count| LoadPlan { extent: Extent::Requests { count, cap_ns: SECOND }, ..closed() };
    let keeping = |keep_alive| LoadPlan { keep_alive, ..brief() };
    vec![
        ("closed", brief()),
        ("with time to think", LoadPlan { profile: thinking, ..brief() }),
        ("a hundred", few(100)),
        ("one", few(1)),
        ("a connection for each", keeping(KeepAlive::Off)),
        ("a connection for five", keeping(KeepAlive::Every(5))),
        ("open", LoadPlan { extent: Extent::DurationNs(SECOND / 10), ..open(100.0) }),
    ]
}

#[test]
fn a_second_answer_is_counted_whenever_it_comes() {
    for (name, plan) in loads() {
        for head in [OK, CLOSE] {
            assert_eq!(surplus(&[], head, &plan), 0, "{name}: {head}");
            // With the answer, behind it, while another is asked, and long after that.
            for delay_ns in [0, 1_000, 30_000, MS, 5 * MS, 15 * MS] {
                assert!(surplus(&[delay_ns], head, &plan) > 0, "{name}: {head}: {delay_ns} ns");
            }
        }
    }
}

#[test]
fn who_listens_at_the_end_waits_for_nobody_who_is_gone_and_for_others_not_long() {
    let ended_ns = |plan: &LoadPlan, again_ns: &[u64]| {
        let twice = Twice::new(again_ns, OK);
        load(plan, &twice.world());
        twice.closed_ns.load(Ordering::Relaxed)
    };
    let once = LoadPlan { extent: Extent::Requests { count: 1, cap_ns: SECOND }, connections: 1, ..closed() };
    let silent_ns = ended_ns(&once, &[]);
    assert!((20 * MS..25 * MS).contains(&silent_ns), "{silent_ns}");
    let spoken_ns = ended_ns(&once, &[MS]);
    assert!(spoken_ns < 10 * MS, "{spoken_ns}");
}

/// An answer that comes after its time-out was asked for.
#[test]
fn a_late_answer_is_no_surplus() {
    let provider = Provider::new(|_| vec![(1_500 * MS, Act::Text("late"))]);
    let plan = LoadPlan { extent: Extent::DurationNs(4 * SECOND), ..dubbo_plan(1, 4) };
    let result = load(&plan, &provider.world());
    assert!(count(&result, Outcome::Timeout) > 4);
    assert_eq!(result.snapshot.surplus, 0);
}

/// Heartbeats that want an answer from one that reads nothing.
#[test]
fn who_makes_us_answer_and_reads_nothing_is_given_up() {
    let beats: Vec<u8> = [&[0xda, 0xbb, 0xe2, 0][..], &[0; 7], &[7, 0, 0, 0, 1, b'N']].concat().repeat(4_000);
    let provider = Provider::new(move |_| (0..4).map(|at| (at * MS, Act::Raw(beats.clone()))).collect());
    let link = proofload_testkit::sim::Link { send_room: 300, drains_ns: 0, ..Default::default() };
    let result = load(&calls(10, dubbo_plan(1, 1)), &provider.world().with_link(link));
    assert_eq!(count(&result, Outcome::Malformed), 10, "{:?}", result.snapshot.outcomes);
    assert_eq!(result.snapshot.surplus, 0);
}
