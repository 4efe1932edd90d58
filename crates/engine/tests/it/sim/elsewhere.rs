//! Redirects to other origins: one exchange, several servers.

use super::secured::{TlsFront, authority};
use super::totals::faults_but;
use super::*;
use proofload_engine::transport::{Proxy, Tls, Transport};
use proofload_engine::{Asking, KeepAlive};
use proofload_testkit::sim::{Accept, Fault, Front, Peer, Redirect, Reply, Served, Server};
use proofload_testkit::tls::Speaks;
use proofload_wire::Request;
use proofload_wire::http1::{Template, through_proxy};

const OTHER: u16 = 8100;

fn server(ways: &[(&'static str, &'static str)]) -> Server {
    let way = |(from, to): &(&'static str, &'static str)| Redirect { from, code: 302, to, closes: false };
    Server { redirects: ways.iter().map(way).collect(), ..Server::default() }
}

/// A server that redirects as `home` says, and one at another port that does as `other` says.
fn world(home: &[(&'static str, &'static str)], other: &[(&'static str, &'static str)]) -> World {
    World::new(server(home), 5).with_other(OTHER, server(other), None)
}

fn follows(most: u32) -> LoadPlan {
    LoadPlan { mix: vec![following(most, entry(1, 0, 0))], ..brief() }
}

/// The first request line and headers that a server saw, in small letters.
fn head(served: &Served, at: usize) -> String {
    served.heads[at].to_ascii_lowercase()
}

#[test]
fn a_page_at_another_port_is_fetched_on_connections_that_are_kept() {
    let world = world(&[("/", "http://10.1.2.3:8100/page?a=b#c")], &[]);
    let result = load(&follows(1), &world);
    let all = result.snapshot.intended();
    let (home, other) = (world.served(), world.served_at(OTHER));
    assert_eq!(count(&result, Outcome::Answered), all, "{:?}", result.bad_answers);
    assert_eq!((home.requests, other.requests, all > 1_000), (all, all, true));
    assert_eq!((home.accepted, other.accepted), (8, 8));
    assert_eq!(result.elsewhere, [("http://10.1.2.3:8100".to_owned(), all)]);
    assert_eq!(result.snapshot.redirects, all);
    assert!(head(&other, 0).starts_with("get /page?a=b http/1.1\r\nhost: 10.1.2.3:8100\r\n"), "{other:?}");
    assert!(head(&home, 1).starts_with("get / http/1.1\r\nhost: server.test\r\n"), "{home:?}");
    let middle = result.snapshot.response_time.quantile_ns(0.5).unwrap();
    assert!(middle.abs_diff(180_000) < 9_000, "two steps of 90 us: {middle}");
    assert_eq!((result.connections.peak, result.findings.as_slice()), (8, &[][..]));
}

#[test]
fn a_chain_there_and_back_is_one_exchange() {
    let home = [("/", "//10.1.2.3:8100/x"), ("/back", "/end")];
    let world = world(&home, &[("/x", "y"), ("/y", "http://SERVER.test:80/back")]);
    let result = load(&follows(4), &world);
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::Answered), all, "{:?}", result.bad_answers);
    assert_eq!((world.served().requests, world.served_at(OTHER).requests), (3 * all, 2 * all));
    assert_eq!((world.served().accepted, world.served_at(OTHER).accepted), (8, 8));
    assert_eq!((result.snapshot.redirects, result.elsewhere[0].1), (4 * all, 2 * all));
    assert_eq!(result.findings, []);
}

#[test]
fn a_loop_between_two_servers_ends_at_the_most() {
    let world = world(&[("/", "http://10.1.2.3:8100/")], &[("/", "http://server.test/")]);
    let result = load(&follows(4), &world);
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::Rejected), all);
    assert_eq!(result.bad_answers[0].what, "more than 4 redirects, the last to http://10.1.2.3:8100/");
    assert_eq!((world.served().requests, world.served_at(OTHER).requests), (3 * all, 2 * all));
}

#[test]
fn a_server_that_refuses_is_told_by_its_address_and_the_exchange_ends_once() {
    let refuses = Server { faults: vec![(Fault::Refuse, 1.0)], ..Server::default() };
    let world = World::new(server(&[("/", "http://10.1.2.3:8100/")]), 5).with_other(OTHER, refuses, None);
    let result = load(&LoadPlan { extent: Extent::DurationNs(SECOND), ..follows(1) }, &world);
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::ConnectRefused), all);
    assert_eq!(result.bad_answers[0].what, "10.1.2.3:8100 refused the connection");
    // A place that was refused rests a tenth of a second, as after any refusal.
    assert_eq!(
        (world.served().requests, world.served_at(OTHER).refused, all >= 80),
        (all, all, true),
        "{all}"
    );
    assert_eq!(result.findings, []);
}

#[test]
fn credentials_and_cookies_stay_with_their_host() {
    let home = [
        (
            "/",
            "http://10.1.2.3:8100/a\r\nSet-Cookie: own=1\r\nSet-Cookie: brief=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT",
        ),
        ("/home", "/end"),
    ];
    let other = [("/a", "/b\r\nSet-Cookie: theirs=2; Path=/"), ("/b", "http://server.test/home")];
    let world = world(&home, &other);
    let mut plan = LoadPlan { connections: 1, ..follows(4) };
    plan.asking = Asking { cookies: true, ..Asking::default() };
    let with = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let spec = RequestSpec {
        headers: vec![with("Authorization", "Basic c2VjcmV0"), with("X-Kept", "yes")],
        ..RequestSpec::get("server.test", "/")
    };
    let template = Template { cookies: true, ..Template::default() };
    let both = |spec: &RequestSpec, template: &Template| {
        [false, true]
            .map(|close| Arc::new(RequestSpec { close, ..spec.clone() }.encode_with(template).unwrap()))
    };
    let (bare, bare_template) = spec.as_stranger(&template).unwrap();
    let entry = &mut plan.mix[0];
    [entry.request, entry.closing_request] = both(&spec, &template);
    let stranger = both(&bare, &bare_template);
    entry.follow = Follow { most: 4, as_get: None, elsewhere: Some([stranger.clone(), stranger]) };
    let result = load(&plan, &world);
    assert_eq!(count(&result, Outcome::Answered), result.snapshot.intended(), "{:?}", result.bad_answers);
    let (home, other) = (world.served(), world.served_at(OTHER));
    for at in 0..other.heads.len() {
        let head = head(&other, at);
        assert!(!head.contains("authorization") && !head.contains("own="), "{head}");
        assert!(head.contains("\r\nx-kept: yes\r\n"), "{head}");
        assert_eq!(head.contains("cookie: theirs=2"), at > 0, "{head}");
    }
    for at in 0..home.heads.len() {
        let head = head(&home, at);
        assert!(head.contains("authorization: basic c2vjcmv0") && !head.contains("theirs"), "{head}");
        assert_eq!(head.contains("cookie: own=1\r\n"), at > 0, "{head}");
    }
}

#[test]
fn a_ninth_origin_is_beyond_our_limit_and_no_fault_of_the_server() {
    let page = |n: u16| Box::leak(format!("/{n}").into_boxed_str());
    let there = |n: u16| Box::leak(format!("http://10.0.0.{n}/{n}").into_boxed_str());
    let ways: Vec<(&str, &str)> = (0..9).map(|n| (&*page(n), &*there(n + 1))).collect();
    let start = [("/", "/0")];
    let world = World::new(server(&[&start[..], &ways].concat()), 5);
    let plan = LoadPlan { connections: 2, ..follows(20) };
    let result = load(&plan, &world);
    assert_eq!(count(&result, Outcome::BeyondLimit), result.snapshot.intended());
    let what = &result.bad_answers[0].what;
    assert!(
        what.starts_with("redirected to http://10.0.0.9/9: each worker goes to 8 other origins"),
        "{what}"
    );
    assert_eq!(world.served().accepted, 2 * 9, "each place once to each origin");
}

#[test]
fn without_keep_alive_each_step_has_its_own_connection() {
    let world = world(&[("/", "http://10.1.2.3:8100/a")], &[("/a", "/b")]);
    let result = load(&LoadPlan { keep_alive: KeepAlive::Off, ..follows(2) }, &world);
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::Answered), all, "{:?}", result.bad_answers);
    assert_eq!((world.served().accepted, world.served_at(OTHER).accepted), (all, 2 * all));
    assert_eq!(result.findings, []);
}

#[test]
fn an_origin_of_https_has_its_own_name_and_the_authorities_of_the_load() {
    let front = TlsFront::new(&Speaks::default());
    let home = server(&[("/", "https://server.test:8100/s")]);
    let world = World::new(home, 5).with_other(OTHER, Server::default(), Some(Arc::new(front)));
    let mut plan = follows(1);
    let result = load(&plan, &world);
    assert_eq!(count(&result, Outcome::ConnectFailed), result.snapshot.intended());
    let what = &result.bad_answers[0].what;
    assert_eq!(what, "https://server.test:8100 cannot be trusted: no authority is known");
    let tls = Tls::new("unused.test", vec![authority().0.certificate.clone()]);
    plan.asking.elsewhere_tls = Some(Arc::new(tls));
    let result = load(&plan, &world);
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::Answered), all, "{:?}", result.bad_answers);
    assert_eq!(world.served_at(OTHER).requests, all);
    let handshakes = result.snapshot.handshakes_full.count() + result.snapshot.handshakes_resumed.count();
    assert_eq!((handshakes, result.negotiated.len()), (8, 1));
    // A name that the certificate is not for.
    let home = server(&[("/", "https://127.0.0.1:8100/s")]);
    let front = Arc::new(TlsFront::new(&Speaks::default()));
    let result = load(&plan, &World::new(home, 5).with_other(OTHER, Server::default(), Some(front)));
    assert_eq!(count(&result, Outcome::ConnectFailed), result.snapshot.intended());
    assert!(result.bad_answers[0].what.contains("the certificate of 127.0.0.1"), "{:?}", result.bad_answers);
}

#[test]
fn a_proxy_that_passes_requests_on_is_told_the_other_server_and_its_own_credentials_only() {
    let world = World::new(server(&[("http://server.test/", "http://10.1.2.3:8100/a")]), 5);
    let proxy = Proxy {
        authority: "server.test:80".to_owned(),
        tunnels: false,
        authorization: Some(b"Basic eDp5".to_vec()),
    };
    let mut plan = LoadPlan { connections: 1, ..follows(1) };
    plan.targets[0].transport = Transport { proxy: Some(proxy), tls: None };
    let [bare, bare_closing] = [false, true].map(|close| {
        Arc::new(RequestSpec { close, ..RequestSpec::get("server.test", "/") }.encode().unwrap())
    });
    let through = |request: &Arc<Request>| {
        Arc::new(through_proxy((**request).clone(), "server.test", Some(b"Basic eDp5")))
    };
    let entry = &mut plan.mix[0];
    (entry.request, entry.closing_request) = (through(&bare), through(&bare_closing));
    let stranger = [bare, bare_closing];
    entry.follow = Follow { most: 1, as_get: None, elsewhere: Some([stranger.clone(), stranger]) };
    let result = load(&plan, &world);
    assert_eq!(count(&result, Outcome::Answered), result.snapshot.intended(), "{:?}", result.bad_answers);
    let seen = world.served();
    let told = |first: &str, host: &str| {
        format!("{first} http/1.1\r\nhost: {host}\r\nproxy-authorization: basic edp5\r\n\r\n")
    };
    assert_eq!(head(&seen, 0), told("get http://server.test/", "server.test"));
    assert_eq!(head(&seen, 1), told("get http://10.1.2.3:8100/a", "10.1.2.3:8100"));
    assert_eq!(head(&seen, 2), head(&seen, 0));
}

/// A server that ends a connection some time after the answer.
#[derive(Debug)]
struct Tires(Box<dyn Peer>);

#[derive(Debug)]
struct Tiring;

impl Front for Tiring {
    fn before(&self, server: Box<dyn Peer>) -> Box<dyn Peer> {
        Box::new(Tires(server))
    }
}

impl Peer for Tires {
    fn dialed(&mut self, link: u64) -> Accept {
        self.0.dialed(link)
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        self.0.received(link, bytes, now_ns, replies);
        replies.push((now_ns + 20 * MS, Reply::Fin));
    }

    fn lost(&mut self, link: u64, bytes: &[u8], reset: bool) {
        self.0.lost(link, bytes, reset);
    }

    fn closed(&mut self, link: u64) {
        self.0.closed(link);
    }
}

#[test]
fn a_connection_that_idles_after_a_redirect_may_end_and_nothing_is_sent_for_it() {
    let world = world(&[("/", "http://10.1.2.3:8100/page")], &[]).behind(Arc::new(Tiring));
    let plan = LoadPlan { mix: follows(1).mix, connections: 2, ..open(20.0) };
    let result = load(&plan, &world);
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::Answered), all, "{:?}", result.bad_answers);
    assert_eq!((world.served().requests, world.served_at(OTHER).requests, all >= 10), (all, all, true));
    assert_eq!(result.snapshot.codes.iter().collect::<Vec<_>>(), [(200, all), (302, all)]);
}

#[test]
fn an_origin_gets_the_tls_of_the_server_that_led_there_and_of_no_other() {
    let world = World::new(server(&[("/", "https://server.test:8100/s")]), 5);
    let mut plan = follows(1);
    plan.targets.push(super::secured::secured());
    let result = load(&plan, &world);
    assert_eq!(count(&result, Outcome::ConnectFailed), result.snapshot.intended());
    let what = &result.bad_answers[0].what;
    assert_eq!(what, "https://server.test:8100 cannot be trusted: no authority is known");
}

/// That many exchanges through two servers that fail in every way, summed up kind by kind.
fn reconciled(exchanges: u64, keep_alive: KeepAlive) {
    let faults = faults_but(&[Fault::SilentConnect, Fault::Drip(100)], 0.01);
    let home = [("/", "http://10.1.2.3:8100/a"), ("/b", "http://10.1.2.3:8100/c")];
    let other = [("/a", "http://server.test/b"), ("/c", "/d")];
    let home = Server { faults: faults.clone(), ..server(&home) };
    let other = Server { faults, ..server(&other) };
    let world = World::new(home, 11).with_other(OTHER, other, None);
    let plan = LoadPlan {
        connections: 50,
        workers: 2,
        keep_alive,
        extent: Extent::Requests { count: exchanges, cap_ns: 100_000 * SECOND },
        drain_ns: 1_000 * SECOND,
        ..follows(4)
    };
    let result = load(&plan, &world);
    let (home, other) = (world.served(), world.served_at(OTHER));
    let both = |of: fn(&Served) -> u64| of(&home) + of(&other);
    let found = |outcome| count(&result, outcome);
    assert_eq!(result.snapshot.intended(), exchanges);
    assert_eq!(result.snapshot.outcomes.finished(), exchanges, "{:?}", result.snapshot.outcomes);
    assert_eq!(found(Outcome::Answered), both(|of| of.answered - of.redirected));
    assert_eq!(found(Outcome::Rejected), both(|of| of.errors));
    assert_eq!(found(Outcome::Malformed), both(|of| of.garbage));
    assert_eq!(found(Outcome::Timeout), both(|of| of.silent));
    assert_eq!(found(Outcome::ClosedEarly), both(|of| of.cut + of.lost_to_close));
    let resets = found(Outcome::ResetFresh) + found(Outcome::ResetReused);
    assert_eq!(resets, both(|of| of.reset_fresh + of.reset_reused + of.lost_to_reset));
    assert!(found(Outcome::ConnectRefused) <= both(|of| of.refused));
    assert_eq!(found(Outcome::Internal) + found(Outcome::Unanswered) + found(Outcome::Unsent), 0);
    // What was followed was sent; some of it never arrived.
    assert!(result.snapshot.redirects <= both(|of| of.redirected));
    assert!(result.elsewhere[0].1 <= home.redirected + other.redirected);
    assert!(other.requests <= result.elsewhere[0].1, "{} {:?}", other.requests, result.elsewhere);
    assert!(found(Outcome::Answered) > exchanges / 2, "{:?}", result.snapshot.outcomes);
}

#[test]
fn ten_thousand_exchanges_with_every_fault_of_two_servers_reconcile() {
    reconciled(10_000, KeepAlive::On);
    reconciled(3_000, KeepAlive::Off);
    reconciled(3_000, KeepAlive::Every(3));
}

#[test]
#[ignore = "full: a million exchanges take minutes"]
fn a_million_exchanges_with_every_fault_of_two_servers_reconcile() {
    reconciled(1_000_000, KeepAlive::On);
}
