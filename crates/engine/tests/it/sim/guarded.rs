//! Servers that ask back within an exchange, by `100 Continue` and by challenges of Digest, and a proxy that is sent whole
//! requests: whatever else goes wrong, both sides count the same.

use super::*;
use proofload_engine::load::Random;
use proofload_testkit::sim::{Accept, Fault, Front, Peer, Redirect, Reply, Server};
use proofload_wire::http1::{Credentials, Template, through_proxy};
use std::collections::HashMap;
use std::sync::Mutex;

const GUARDS: u64 = 0x6775_6172;
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Way of a guard before a server.
#[derive(Clone, Copy, Debug, Default)]
struct Ways {
    /// Demands an answer to a challenge; each nonce is good for that many requests.
    nonce_uses: u64,
    /// Of requests whose body waits, how many get no word, and how many an answer at once, in a hundred.
    silent: u64,
    early: u64,
    /// Of early answers and challenges, how many end the connection, and how many reset it, in a hundred.
    closes: u64,
    resets: u64,
}

/// Work of the guards, as they know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Guarded {
    challenges: u64,
    /// Early answers sent whole, and those whose connection was reset instead.
    early: u64,
    cut: u64,
    continues: u64,
    /// Requests whose body came without the guard's word.
    unasked: u64,
    /// Requests passed on to the server.
    passed: u64,
    /// Answers to challenges that prove nothing, or targets that are not those of the request.
    wrong: u64,
}

#[derive(Clone, Debug, Default)]
struct Guard {
    ways: Ways,
    seed: u64,
    counts: Arc<Mutex<Guarded>>,
}

impl Front for Guard {
    fn before(&self, server: Box<dyn Peer>) -> Box<dyn Peer> {
        let random = Random::new(self.seed, GUARDS);
        Box::new(Guarding { guard: self.clone(), random, server, links: HashMap::new(), nonces: 0 })
    }
}

#[derive(Debug)]
struct Guarding {
    guard: Guard,
    random: Random,
    server: Box<dyn Peer>,
    links: HashMap<u64, At>,
    nonces: u64,
}

/// State of a connection.
#[derive(Debug, Default)]
struct At {
    bytes: Vec<u8>,
    nonce: Option<u64>,
    used: u64,
    /// Verdict on the head that has come: true where the body is to come, or not.
    body_comes: bool,
    ended: bool,
}

impl Guarding {
    fn count(&self, change: impl FnOnce(&mut Guarded)) {
        change(&mut self.guard.counts.lock().unwrap());
    }

    fn in_a_hundred(&mut self, share: u64) -> bool {
        self.random.below(100) < share
    }

    /// An answer of the guard's own; false if it reset the connection instead.
    fn answer(&mut self, at: &mut At, answer: String, now_ns: u64, replies: &mut Vec<(u64, Reply)>) -> bool {
        if self.in_a_hundred(self.guard.ways.resets) {
            at.ended = true;
            self.count(|counts| counts.cut += 1);
            replies.push((now_ns, Reply::Reset));
            return false;
        }
        let closes = self.in_a_hundred(self.guard.ways.closes);
        let close = if closes { "Connection: close\r\n" } else { "" };
        let whole = format!("HTTP/1.1 {answer}\r\n{close}Content-Length: 3\r\n\r\nno!");
        replies.push((now_ns, Reply::Bytes(whole.into_bytes())));
        if closes {
            at.ended = true;
            replies.push((now_ns, Reply::Fin));
        }
        true
    }

    /// True if the head answers the challenge of its connection with a nonce that is still good.
    fn proves(&mut self, at: &mut At, head: &str) -> bool {
        let Some(nonce) = at.nonce else { return false };
        let Some((_, line)) = head.split_once("Authorization: Digest ") else { return false };
        let right = line.contains(&format!("nonce=\"n{nonce}\"")) && line.contains("uri=\"/\"");
        let counted = line.contains(&format!("nc={:08x}\r\n", at.used + 1));
        self.count(|counts| counts.wrong += u64::from(!right || !counted));
        at.used += 1;
        at.used <= self.guard.ways.nonce_uses
    }

    /// Takes the next request of a connection, as far as it has come; false when more is needed.
    fn step(&mut self, link: u64, at: &mut At, now_ns: u64, replies: &mut Vec<(u64, Reply)>) -> bool {
        let Some(end) = at.bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|end| end + 4) else {
            return false;
        };
        let head = String::from_utf8(at.bytes[..end].to_vec()).unwrap();
        let length = head.split_once("Content-Length: ").and_then(|(_, rest)| rest.split("\r\n").next());
        let whole = end + length.map_or(0, |digits| digits.parse::<usize>().unwrap());
        let waits = head.contains("Expect: 100-continue") && !at.body_comes;
        if waits && at.bytes.len() == end {
            if self.in_a_hundred(self.guard.ways.early) {
                if self.answer(at, "413 Too Large".to_owned(), now_ns, replies) {
                    self.count(|counts| counts.early += 1);
                }
                // The body was announced: what comes on this connection is no request.
                at.ended = true;
                return false;
            }
            at.body_comes = true;
            if !self.in_a_hundred(self.guard.ways.silent) {
                self.count(|counts| counts.continues += 1);
                replies.push((now_ns, Reply::Bytes(CONTINUE.to_vec())));
            }
            return false;
        }
        if at.bytes.len() < whole {
            return false;
        }
        self.count(|counts| counts.unasked += u64::from(waits));
        at.body_comes = false;
        let request: Vec<u8> = at.bytes.drain(..whole).collect();
        if self.guard.ways.nonce_uses > 0 && !self.proves(at, &head) {
            self.nonces += 1;
            let stale = if at.used > 0 { ", stale=true" } else { "" };
            (at.nonce, at.used) = (Some(self.nonces), 0);
            let line = format!("Digest realm=\"r\", qop=\"auth\", nonce=\"n{}\"{stale}", self.nonces);
            if self.answer(at, format!("401 No\r\nWWW-Authenticate: {line}"), now_ns, replies) {
                self.count(|counts| counts.challenges += 1);
            }
            return !at.ended;
        }
        self.count(|counts| counts.passed += 1);
        self.server.received(link, &request, now_ns, replies);
        true
    }
}

impl Peer for Guarding {
    fn dialed(&mut self, link: u64) -> Accept {
        let accept = self.server.dialed(link);
        if accept == Accept::Yes {
            self.links.insert(link, At::default());
        }
        accept
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let Some(mut at) = self.links.remove(&link) else { return };
        at.bytes.extend_from_slice(bytes);
        while !at.ended && self.step(link, &mut at, now_ns, replies) {}
        self.links.insert(link, at);
    }

    fn lost(&mut self, link: u64, bytes: &[u8], reset: bool) {
        // A request whose connection this guard had ended never came to the server.
        if self.links.get(&link).is_some_and(|at| !at.ended) {
            self.server.lost(link, bytes, reset);
        }
    }

    fn closed(&mut self, link: u64) {
        self.links.remove(&link);
        self.server.closed(link);
    }
}

/// An entry with a place for what a guard asks for.
fn asking(body: usize, expects: bool, digest: bool) -> MixEntry {
    let headers = expects.then(|| ("Expect".to_owned(), "100-continue".to_owned()));
    let spec = RequestSpec {
        method: "PUT".to_owned(),
        headers: headers.into_iter().collect(),
        body: vec![b'b'; body],
        ..RequestSpec::get("server.test", "/")
    };
    let template = Template { digest, ..Template::default() };
    let encode = |close| Arc::new(RequestSpec { close, ..spec.clone() }.encode_with(&template).unwrap());
    let user = Credentials { user: "u".to_owned(), password: "p".to_owned() };
    let digest = digest.then(|| Arc::new(user));
    MixEntry { request: encode(false), closing_request: encode(true), digest, ..entry(1, 0, 0) }
}

fn guarded(ways: Ways, server: Server, plan: &LoadPlan, seed: u64) -> (LoadResult, Guarded, World) {
    let guard = Guard { ways, seed, ..Guard::default() };
    let world = World::new(server, seed).behind(Arc::new(guard.clone()));
    let result = load(plan, &world);
    let counts = *guard.counts.lock().unwrap();
    (result, counts, world)
}

fn requests(count: u64, entry: MixEntry) -> LoadPlan {
    let extent = Extent::Requests { count, cap_ns: 3_600 * SECOND };
    LoadPlan { mix: vec![entry], extent, connections: 16, ..closed() }
}

#[test]
fn a_body_waits_for_the_word_and_goes_without_it_after_a_second() {
    let timeouts = Timeouts { connect_ns: 500 * MS, response_ns: 5 * SECOND };
    let plan = LoadPlan { timeouts, ..requests(64, asking(4000, true, false)) };
    for (silent, longer_ns) in [(0, 0), (100, SECOND)] {
        let (result, counts, _) = guarded(Ways { silent, ..Ways::default() }, Server::default(), &plan, 7);
        assert_eq!(count(&result, Outcome::Answered), 64, "{:?}", result.bad_answers);
        assert_eq!((counts.passed, counts.continues, counts.unasked), (64, 64 - silent * 64 / 100, 0));
        let middle = result.snapshot.response_time.quantile_ns(0.5).unwrap();
        assert!((longer_ns..longer_ns + 10 * MS).contains(&middle), "{middle} ns");
    }
}

#[test]
fn an_answer_before_the_body_is_the_answer_and_the_next_exchange_dials() {
    let plan = requests(64, asking(4000, true, false));
    let (result, counts, world) =
        guarded(Ways { early: 100, ..Ways::default() }, Server::default(), &plan, 7);
    assert_eq!(count(&result, Outcome::Rejected), 64, "{:?}", result.snapshot.outcomes);
    assert_eq!((counts.early, counts.passed, world.served().accepted), (64, 0, 64));
    assert_eq!(result.snapshot.codes.iter().collect::<Vec<_>>(), [(413, 64)]);
    assert_eq!(result.snapshot.surplus, 0);
}

#[test]
fn one_challenge_per_connection_is_answered_and_the_count_goes_on() {
    let plan = requests(320, asking(0, false, true));
    let ways = Ways { nonce_uses: u64::MAX, ..Ways::default() };
    let (result, counts, _) = guarded(ways, Server::default(), &plan, 7);
    assert_eq!(count(&result, Outcome::Answered), 320, "{:?}", result.bad_answers);
    assert_eq!((counts.challenges, counts.passed, counts.wrong), (16, 320, 0));
    assert_eq!(result.snapshot.challenges, 16);
    assert_eq!(result.snapshot.codes.iter().collect::<Vec<_>>(), [(200, 320), (401, 16)]);
}

#[test]
fn a_stale_nonce_is_replaced_within_the_exchange_and_a_second_refusal_is_the_answer() {
    let plan = requests(320, asking(10, false, true));
    let ways = Ways { nonce_uses: 5, ..Ways::default() };
    let (result, counts, _) = guarded(ways, Server::default(), &plan, 7);
    assert_eq!(count(&result, Outcome::Answered), 320, "{:?}", result.bad_answers);
    assert_eq!((counts.passed, counts.wrong), (320, 0));
    assert_eq!(result.snapshot.challenges, counts.challenges);
    assert!((60..=72).contains(&counts.challenges), "{}", counts.challenges);
    // Without the credentials, and with a server that takes none, the 401 is the answer.
    let plan = requests(32, MixEntry { digest: None, ..asking(0, false, true) });
    let (result, ..) = guarded(ways, Server::default(), &plan, 7);
    assert_eq!((count(&result, Outcome::Rejected), result.snapshot.challenges), (32, 0));
}

const OTHER: u16 = 8100;

/// A server that redirects to another, behind a guard.
fn leading(ways: Ways, plan: &LoadPlan) -> (LoadResult, Guarded, World) {
    let there = Redirect { from: "/", code: 307, to: "http://10.1.2.3:8100/page", closes: false };
    let guard = Guard { ways, seed: 7, ..Guard::default() };
    let world = World::new(Server { redirects: vec![there], ..Server::default() }, 7)
        .behind(Arc::new(guard.clone()))
        .with_other(OTHER, Server::default(), None);
    let result = load(plan, &world);
    let counts = *guard.counts.lock().unwrap();
    (result, counts, world)
}

#[test]
fn an_answer_to_a_challenge_is_for_the_server_that_asked() {
    let plan = requests(320, following(1, asking(0, false, true)));
    let (result, counts, world) = leading(Ways { nonce_uses: u64::MAX, ..Ways::default() }, &plan);
    let other = world.served_at(OTHER);
    assert_eq!(count(&result, Outcome::Answered), 320, "{:?}", result.bad_answers);
    assert_eq!((counts.challenges, counts.passed, counts.wrong, other.requests), (16, 320, 0, 320));
    let told = other.heads.iter().filter(|head| head.to_ascii_lowercase().contains("authorization"));
    assert_eq!((told.count(), other.heads.is_empty()), (0, false), "{:?}", other.heads);
}

#[test]
fn a_body_waits_on_a_place_that_has_connections_to_other_servers() {
    let timeouts = Timeouts { connect_ns: 500 * MS, response_ns: 5 * SECOND };
    let plan = LoadPlan { timeouts, ..requests(64, following(1, asking(4000, true, false))) };
    let (result, counts, world) = leading(Ways { silent: 100, ..Ways::default() }, &plan);
    assert_eq!(count(&result, Outcome::Answered), 64, "{:?}", result.bad_answers);
    assert_eq!((counts.continues, counts.passed, world.served_at(OTHER).requests), (0, 64, 64));
    let response = &result.snapshot.response_time;
    let longest = response.quantile_ns(1.0).unwrap();
    assert!((2 * SECOND..2 * SECOND + 20 * MS).contains(&longest), "a second at each of both: {longest} ns");
}

/// Both sides' counts of a load whose server fails in all ways; returns the number of exchanges.
fn adds_up(count_of: u64, seed: u64) -> u64 {
    let faults = [
        (Fault::ResetBefore, 0.02),
        (Fault::ResetWithin, 0.02),
        (Fault::CloseBefore, 0.02),
        (Fault::CloseWithin, 0.02),
        (Fault::CloseAfter, 0.02),
        (Fault::CloseAnnounced, 0.05),
        (Fault::Error, 0.05),
        (Fault::Silence, 0.001),
    ];
    let ways = Ways { nonce_uses: 7, silent: 1, early: 10, closes: 20, resets: 5 };
    let server = Server { faults: faults.to_vec(), ..Server::default() };
    let mut mix = Vec::new();
    for (body, expects, digest) in
        [(900, true, true), (0, false, true), (0, false, true), (70_000, true, true)]
    {
        mix.push(asking(body, expects, digest));
    }
    let timeouts = Timeouts { connect_ns: 500 * MS, response_ns: 3 * SECOND };
    let plan = LoadPlan { timeouts, mix, seed, ..requests(count_of, asking(0, false, true)) };
    let (result, counts, world) = guarded(ways, server, &plan, seed);
    let served = world.served();
    let outcomes = &result.snapshot.outcomes;
    let code = |code| result.snapshot.codes.iter().find(|(known, _)| *known == code).map_or(0, |(_, n)| n);
    let total: u64 = Outcome::ALL.iter().map(|outcome| outcomes.get(*outcome)).sum();
    assert_eq!((total, result.snapshot.intended()), (count_of, count_of), "{outcomes:?}");
    assert_eq!(counts.wrong, 0);
    assert_eq!((count(&result, Outcome::Answered), code(200)), (served.answered, served.answered));
    assert_eq!((code(500), code(413), code(401)), (served.errors, counts.early, counts.challenges));
    // Each challenge was answered, but those that came again in one exchange.
    let refused = code(401) - result.snapshot.challenges;
    assert_eq!(count(&result, Outcome::Rejected), code(500) + code(413) + refused, "{outcomes:?}");
    assert_eq!(counts.passed, served.requests);
    let cut = count(&result, Outcome::ResetFresh)
        + count(&result, Outcome::ResetReused)
        + count(&result, Outcome::ClosedEarly);
    let lost = served.lost_to_close + served.lost_to_reset;
    let known = served.reset_fresh + served.reset_reused + served.cut + counts.cut + lost;
    assert_eq!(cut, known, "{outcomes:?} {served:?} {counts:?}");
    assert_eq!(count(&result, Outcome::Timeout), served.silent);
    count_of
}

#[test]
fn counts_add_up_with_those_of_a_server_that_asks_back_and_fails() {
    let all: u64 = (1..=5).map(|seed| adds_up(2_000, seed)).sum();
    assert_eq!(all, 10_000);
}

#[test]
#[ignore = "full: minutes"]
fn counts_add_up_over_a_million_exchanges() {
    let all: u64 = (100..150).map(|seed| adds_up(20_000, seed)).sum();
    println!("counts of both sides agree over {all} exchanges");
    assert_eq!(all, 1_000_000);
}

/// Takes requests in absolute form and passes them on in the origin's.
#[derive(Debug)]
struct Forwarding(Box<dyn Peer>, Arc<Mutex<u64>>);

#[derive(Clone, Debug, Default)]
struct Forwarder(Arc<Mutex<u64>>);

impl Front for Forwarder {
    fn before(&self, server: Box<dyn Peer>) -> Box<dyn Peer> {
        Box::new(Forwarding(server, Arc::clone(&self.0)))
    }
}

impl Peer for Forwarding {
    fn dialed(&mut self, link: u64) -> Accept {
        self.0.dialed(link)
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let origin = "PUT http://server.test/";
        assert!(
            text.starts_with(origin) && text.contains("\r\nProxy-Authorization: Basic eDp5\r\n"),
            "{text}"
        );
        assert!(text.contains("\r\nHost: server.test\r\n"), "{text}");
        *self.1.lock().unwrap() += 1;
        self.0.received(link, text.replacen(origin, "PUT /", 1).as_bytes(), now_ns, replies);
    }

    fn lost(&mut self, link: u64, bytes: &[u8], reset: bool) {
        self.0.lost(link, bytes, reset);
    }

    fn closed(&mut self, link: u64) {
        self.0.closed(link);
    }
}

#[test]
fn requests_of_a_proxy_without_tunnels_add_up() {
    let proxied = |request: &proofload_wire::Request| {
        Arc::new(through_proxy(request.clone(), "server.test", Some(b"Basic eDp5")))
    };
    let plain = asking(20, false, false);
    let (request, closing_request) = (proxied(&plain.request), proxied(&plain.closing_request));
    let plan = requests(5_000, MixEntry { request, closing_request, ..plain });
    let faults = vec![(Fault::ResetBefore, 0.05), (Fault::CloseWithin, 0.05), (Fault::CloseAfter, 0.05)];
    let forwarder = Forwarder::default();
    let world = World::new(Server { faults, ..Server::default() }, 3).behind(Arc::new(forwarder.clone()));
    let result = load(&plan, &world);
    let served = world.served();
    assert_eq!(count(&result, Outcome::Answered), served.answered);
    assert_eq!(*forwarder.0.lock().unwrap(), served.requests);
    let lost = served.lost_to_close + served.lost_to_reset;
    assert_eq!(result.snapshot.intended(), served.requests + lost);
}
