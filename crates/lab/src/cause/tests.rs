//! Peers that are not what was asked for, in virtual time.

use super::*;
use proofload_engine::driver::{Allowance, Drivers};
use proofload_engine::{EngineError, launch};
use proofload_testkit::sim::{Accept, Link, Machine, Peer as Party, Reply, Sim};
use std::io;
use std::sync::Mutex;

const SECOND: u64 = 1_000_000_000;
const HERE: &str = "127.0.0.1:8443";
const NAME: &str = "shop.test:8443";
const GET: &[u8] = b"GET / HTTP/1.1\r\n";
const HELLO: &[u8] = b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03";
const ALERT: &[u8] = b"\x15\x03\x03\x00\x02\x02\x78";
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
const PAGE: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

/// Replies of a peer to bytes on a connection.
type Says = fn(&[u8]) -> Vec<Reply>;

/// The way to one peer, which keeps what was sent to it.
#[derive(Clone, Debug)]
struct World {
    at: SocketAddr,
    says: Says,
    asked: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Party for World {
    fn dialed(&mut self, _link: u64) -> Accept {
        Accept::Refuse
    }

    fn dialed_at(&mut self, _link: u64, to: &Target) -> Accept {
        if to.addresses.tcp() == Some(self.at) { Accept::Yes } else { Accept::Refuse }
    }

    fn received(&mut self, _link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        self.asked.lock().unwrap().push(bytes.to_vec());
        replies.extend((self.says)(bytes).into_iter().map(|reply| (now_ns, reply)));
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, _link: u64) {}
}

impl Drivers for World {
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

    fn open(&self, _worker: u32, capacity: u32) -> io::Result<Sim> {
        Ok(Sim::new(Box::new(self.clone()), Link::default(), Machine::default(), 7, capacity))
    }
}

impl Generator for World {
    fn launch(&self, how: Launch<'_>) -> Result<Vec<LoadResult>, EngineError> {
        launch(how.through(self))
    }
}

fn plan(method: &str, is_tls: bool) -> LoadPlan {
    let header = ("Authorization".to_owned(), "Bearer s3cr3t".to_owned());
    let get = RequestSpec::get(NAME, "/cart?key=s3cr3t");
    let spec = RequestSpec { method: method.to_owned(), headers: vec![header], ..get };
    let closing = RequestSpec { close: true, ..spec.clone() };
    let entry = MixEntry {
        weight: 1,
        target: 0,
        request: Arc::new(spec.encode().unwrap()),
        closing_request: Arc::new(closing.encode().unwrap()),
        expect: Expect::default(),
        follow: Follow::default(),
        digest: None,
    };
    let tls = Tls { verify: false, ..Tls::new("shop.test", Vec::new()) };
    let transport = Transport { tls: is_tls.then(|| Arc::new(tls)), ..Transport::default() };
    let address: SocketAddr = HERE.parse().unwrap();
    LoadPlan {
        targets: vec![Target { transport, ..address.into() }],
        mix: vec![entry],
        profile: Profile::Closed { think_ns: 0.into() },
        connections: 2,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts { connect_ns: SECOND, response_ns: 2 * SECOND },
        discard_ns: 0,
        extent: Extent::Requests { count: 6, cap_ns: 60 * SECOND },
        drain_ns: 5 * SECOND,
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

/// What a load of that plan shows of a peer, and what was sent to it after the load.
fn found_at(peer: &str, says: Says, plan: &LoadPlan) -> (Option<Finding>, Vec<Vec<u8>>) {
    let world = World { at: peer.parse().unwrap(), says, asked: Arc::default() };
    let result = world.launch(Launch::new(std::slice::from_ref(plan), &Watch::default())).unwrap().remove(0);
    world.asked.lock().unwrap().clear();
    let found = cause(&world, plan, &result, NAME);
    let asked = std::mem::take(&mut *world.asked.lock().unwrap());
    (found, asked)
}

fn found(says: Says, plan: &LoadPlan) -> (Option<Finding>, Vec<Vec<u8>>) {
    found_at(HERE, says, plan)
}

fn send(bytes: &[u8]) -> Vec<Reply> {
    vec![Reply::Bytes(bytes.to_vec()), Reply::Fin]
}

fn is_tls(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x16\x03")
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|here| here == part)
}

#[test]
fn a_peer_that_ends_plain_text_is_asked_for_tls_and_http2() {
    let closes: Says = |bytes| if is_tls(bytes) { send(HELLO) } else { vec![Reply::Fin] };
    let resets: Says = |bytes| if is_tls(bytes) { send(ALERT) } else { vec![Reply::Reset] };
    let keeps: Says = |bytes| if is_tls(bytes) { send(HELLO) } else { Vec::new() };
    for says in [closes, resets, keeps] {
        for method in ["GET", "POST"] {
            let (of, asked) = found(says, &plan(method, false));
            assert_eq!(of, Some(Finding::SpeaksTls { authority: NAME.to_owned() }));
            assert_eq!(asked.len(), 1, "one exchange tells");
            assert!(has(&asked[0], b"shop.test"), "with the name of the server");
        }
    }
    let prior: Says = |bytes| if bytes.starts_with(b"PRI ") { send(SETTINGS) } else { vec![Reply::Fin] };
    let (of, asked) = found(prior, &plan("GET", false));
    assert_eq!((of, asked.len()), (Some(Finding::SpeaksHttp2), 2));
}

#[test]
fn a_peer_that_shows_what_it_speaks_is_not_asked_again() {
    const PLAIN: &[u8] = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n\
        <title>400 The plain HTTP request was sent to HTTPS port</title>";
    let redis = Finding::SpeaksOther { address: HERE.to_owned(), protocol: "Redis".to_owned() };
    let speaks_tls = Finding::SpeaksTls { authority: NAME.to_owned() };
    let table: [(Says, Option<Finding>); 5] = [
        (|_| send(ALERT), Some(speaks_tls.clone())),
        (|_| send(PLAIN), Some(speaks_tls)),
        (|_| send(SETTINGS), Some(Finding::SpeaksHttp2)),
        (|_| send(b"-ERR unknown command 'GET'\r\n"), Some(redis)),
        (|_| send(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), None),
    ];
    for (says, expected) in table {
        assert_eq!(found(says, &plan("GET", false)), (expected, Vec::new()));
    }
}

#[test]
fn a_peer_that_refuses_tls_is_asked_in_plain_text() {
    let closes: Says = |bytes| if bytes.starts_with(GET) { send(PAGE) } else { vec![Reply::Fin] };
    let keeps: Says = |bytes| if bytes.starts_with(GET) { send(PAGE) } else { Vec::new() };
    for says in [closes, keeps] {
        let (of, asked) = found(says, &plan("GET", true));
        assert_eq!((of, asked.len()), (Some(Finding::SpeaksNoTls { authority: NAME.to_owned() }), 1));
        assert!(!has(&asked[0], b"s3cr3t"), "nothing of the user's is sent");
        assert_eq!(found(says, &plan("POST", true)), (None, Vec::new()), "who writes is not asked to read");
    }
}

#[test]
fn a_peer_of_http2_over_tls_refuses_the_other_protocol_alone() {
    let only: Says = |bytes| match bytes {
        hello if is_tls(hello) && has(hello, b"http/1.1") => send(ALERT),
        hello if is_tls(hello) => send(HELLO),
        _ => vec![Reply::Fin],
    };
    let (of, asked) = found(only, &plan("GET", true));
    assert_eq!((of, asked.len()), (Some(Finding::SpeaksHttp2), 3));
    let none: Says = |bytes| if is_tls(bytes) { send(ALERT) } else { vec![Reply::Fin] };
    assert_eq!(found(none, &plan("GET", true)).0, None, "it refuses any");
}

#[test]
fn silence_and_absence_are_told_apart() {
    let silent: Says = |_| Vec::new();
    let expected = Finding::SaysNothing { address: HERE.to_owned(), within_ns: 2 * SECOND };
    assert_eq!(found(silent, &plan("GET", false)).0, Some(expected));
    let expected = Finding::ListensElsewhere { address: HERE.to_owned(), listens: "[::1]:8443".to_owned() };
    assert_eq!(found_at("[::1]:8443", silent, &plan("POST", false)).0, Some(expected));
    assert_eq!(found_at("192.0.2.7:8443", silent, &plan("GET", false)).0, None, "nobody is here");
}

#[test]
fn a_server_that_is_only_slow_is_not_called_stuck() {
    let slow: Says = |bytes| if is_tls(bytes) { send(b"HTTP/1.1 400 Bad\r\n\r\n") } else { Vec::new() };
    assert_eq!(found(slow, &plan("GET", false)).0, None);
}

#[test]
fn of_several_servers_the_one_is_named_that_failed_most() {
    let mut two = plan("GET", false);
    two.targets.insert(0, "127.0.0.1:1".parse::<SocketAddr>().unwrap().into());
    two.mix = vec![two.mix[0].clone(), MixEntry { target: 1, ..two.mix[0].clone() }];
    let (of, _) = found(|_| send(ALERT), &two);
    assert_eq!(of, Some(Finding::SpeaksTls { authority: HERE.to_owned() }));
}

#[test]
fn bytes_of_the_protocol_that_was_asked_for_are_no_surprise() {
    let mut ajp = plan("GET", false);
    ajp.targets[0].protocol = Protocol::Ajp;
    let answers: Says = |_| send(b"AB\0\x04\x04\x01\x94\0");
    assert_eq!(found(answers, &ajp), (None, Vec::new()));
}

#[test]
fn where_redirects_lead_is_asked_for_once() {
    let away: Says = |_| {
        let head = b"HTTP/1.1 308 Permanent Redirect\r\nContent-Length: 0\r\nlocation: ";
        vec![Reply::Bytes([&head[..], b"https://www.shop.test/cart\r\n\r\n"].concat())]
    };
    let (of, asked) = found(away, &plan("GET", false));
    let to = "https://www.shop.test/cart".to_owned();
    assert_eq!((of, asked.len()), (Some(Finding::RedirectsTo { to }), 1));
    assert_eq!(found(away, &plan("POST", false)), (None, Vec::new()), "that may buy twice");
    let page: Says = |_| vec![Reply::Bytes(PAGE.to_vec())];
    assert_eq!(found(page, &plan("GET", false)), (None, Vec::new()), "all is well");
}
