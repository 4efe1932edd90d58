//! Handshakes with servers of every kind.

use super::*;
use proofload_engine::DriverChoice;
use proofload_engine::transport::{ClientCertificate, Negotiated};
use proofload_testkit::tls::{TLS12, TLS13, self_signed};
use proofload_testkit::{ScriptStep, ScriptedPeer};
use std::time::Duration;

/// Full and resumed handshakes of a load.
fn handshakes(result: &LoadResult) -> (u64, u64) {
    (result.snapshot.handshakes_full.count(), result.snapshot.handshakes_resumed.count())
}

#[test]
fn exchanges_over_kept_connections_are_answered() {
    for (version, offered) in [(&TLS12, TlsVersion::V1_2), (&TLS13, TlsVersion::V1_3)] {
        let peer = server(&Speaks { versions: vec![version], ..Speaks::default() });
        let result = load(&plan(target(peer.address(), tls()), 500));
        assert_eq!(count(&result, Outcome::Answered), 500, "{:?}", result.bad_answers);
        assert_eq!((peer.answered(), peer.accepted()), (500, 2));
        let [Negotiated { version, cipher_suite, alpn: None }] = result.negotiated[..] else {
            panic!("{:?}", result.negotiated)
        };
        assert_eq!(version, offered);
        assert!(cipher_suite.starts_with("TLS"), "{cipher_suite}");
    }
}

#[test]
fn the_layer_works_over_io_uring_too() {
    if let Err(why) = proofload_engine::driver::probe(DriverChoice::IoUring) {
        eprintln!("skipped: {why}");
        return;
    }
    let peer = server(&Speaks::default());
    let over = |keep_alive| LoadPlan {
        keep_alive,
        driver: DriverChoice::IoUring,
        ..plan(target(peer.address(), tls()), 100)
    };
    for keep_alive in [KeepAlive::On, KeepAlive::Off] {
        let result = load(&over(keep_alive));
        assert_eq!(count(&result, Outcome::Answered), 100, "{:?}", result.bad_answers);
    }
}

#[test]
fn new_connections_resume_sessions_unless_they_may_not() {
    for version in [&TLS12, &TLS13] {
        let speaks = Speaks { versions: vec![version], ..Speaks::default() };
        let peer = server(&speaks);
        let mut each = plan(target(peer.address(), tls()), 40);
        each.keep_alive = KeepAlive::Off;
        each.connections = 1;
        let result = load(&each);
        assert_eq!(count(&result, Outcome::Answered), 40, "{:?}", result.bad_answers);
        assert_eq!(handshakes(&result), (1, 39));
        assert_eq!(result.snapshot.connects.count(), 40);
        let (connects, resumed) = (&result.snapshot.connects, &result.snapshot.handshakes_resumed);
        assert!(connects.quantile_ns(1.0) >= resumed.quantile_ns(1.0));
        each.targets = vec![target(peer.address(), Tls { resumption: false, ..tls() })];
        assert_eq!(handshakes(&load(&each)), (40, 0));
        let stern = server(&Speaks { resumes: false, ..speaks });
        each.targets = vec![target(stern.address(), tls())];
        assert_eq!(handshakes(&load(&each)), (40, 0));
    }
}

#[test]
fn a_protocol_is_picked_or_the_handshake_refused() {
    let offers = |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect::<Vec<_>>();
    let peer = server(&Speaks { alpn: offers(&["http/1.1"]), ..Speaks::default() });
    let asks = |names: &[&str]| target(peer.address(), Tls { alpn: offers(names), ..tls() });
    let result = load(&plan(asks(&["h2", "http/1.1"]), 10));
    assert_eq!(count(&result, Outcome::Answered), 10);
    assert_eq!(result.negotiated[0].alpn, Some(1));
    let none = load(&plan(asks(&[]), 10));
    assert_eq!((count(&none, Outcome::Answered), none.negotiated[0].alpn), (10, None));
    let what = refused(asks(&["h2"]));
    assert!(what.contains("none of the protocols offered (ALPN)") && what.contains("alert 120"), "{what}");
}

#[test]
fn a_server_is_who_it_must_be_or_not_at_all() {
    let (authority, _) = authority();
    let with = |identity: &Identity| {
        let peer = HttpsPeer::start(Speaks::default().config(identity), 64, Parting::Proper).unwrap();
        peer.address()
    };
    let good = with(&authority.server(&["localhost"], Good::Now));
    let strangers = Tls { roots: vec![Authority::default().certificate], ..tls() };
    let cases = [
        (
            good,
            strangers,
            "the certificate of localhost is signed by an unknown authority: name the authority with --cacert, or take any with --insecure",
        ),
        (
            with(&authority.server(&["localhost"], Good::Before)),
            tls(),
            "the certificate of localhost has expired",
        ),
        (
            with(&authority.server(&["localhost"], Good::Later)),
            tls(),
            "the certificate of localhost is not valid yet; is the clock of this machine right?",
        ),
        (
            with(&authority.server(&["a.test", "b.test"], Good::Now)),
            tls(),
            "the certificate of localhost is not its own: it is for a.test, b.test",
        ),
        (
            with(&authority.client(Good::Now)),
            Tls { server_name: "client".to_owned(), ..tls() },
            "the certificate of client is not for servers",
        ),
    ];
    for (address, strict, expected) in cases {
        assert_eq!(refused(target(address, strict.clone())), expected);
        let anybody = Tls { verify: false, roots: Vec::new(), ..strict };
        assert_eq!(count(&load(&plan(target(address, anybody), 4)), Outcome::Answered), 4);
    }
}

#[test]
fn a_server_may_be_named_by_its_address() {
    let peer = server(&Speaks::default());
    let by_address = Tls { server_name: "127.0.0.1".to_owned(), ..tls() };
    assert_eq!(count(&load(&plan(target(peer.address(), by_address), 4)), Outcome::Answered), 4);
}

#[test]
fn a_certificate_that_is_its_own_authority_can_be_named_as_one() {
    for (good, ends) in
        [(Good::Now, None), (Good::Before, Some("has expired")), (Good::Later, Some("not valid yet"))]
    {
        let identity = self_signed(&["localhost"], good);
        let peer = HttpsPeer::start(Speaks::default().config(&identity), 64, Parting::Proper).unwrap();
        let pinned = |name: &str| target(peer.address(), Tls::new(name, identity.chain.clone()));
        match ends {
            None => {
                assert_eq!(count(&load(&plan(pinned("localhost"), 4)), Outcome::Answered), 4);
                let what = refused(pinned("other.test"));
                assert!(what.contains("not its own: it is for localhost"), "{what}");
            }
            Some(why) => assert!(refused(pinned("localhost")).contains(why)),
        }
    }
}

#[test]
fn a_client_shows_who_it_is_or_is_sent_away() {
    let clients = Authority::default();
    let shows = |identity: Identity| Tls {
        client: Some(ClientCertificate { chain: identity.chain, key: identity.key }),
        ..tls()
    };
    for version in [&TLS12, &TLS13] {
        let speaks = Speaks {
            versions: vec![version],
            clients_of: Some(clients.certificate.clone()),
            ..Speaks::default()
        };
        let peer = server(&speaks);
        let with = |tls: Tls| load(&plan(target(peer.address(), tls), 4));
        assert_eq!(count(&with(shows(clients.client(Good::Now))), Outcome::Answered), 4);
        // With TLS 1.3 the handshake is over for the client before the server has seen its certificate.
        let outcome =
            if version.version == TLS13.version { Outcome::ClosedEarly } else { Outcome::ConnectFailed };
        for (tls, why) in [
            (tls(), "it wants a client certificate"),
            (
                shows(Authority::default().client(Good::Now)),
                "it does not know the authority of the client certificate",
            ),
            (shows(clients.client(Good::Before)), "the client certificate has expired"),
        ] {
            let result = with(tls);
            let what = complaint(&result, outcome);
            assert!(what.contains(why), "{what}");
        }
    }
}

#[test]
fn versions_that_are_not_allowed_are_not_spoken() {
    for (version, allowed) in [(&TLS12, TlsVersion::V1_3), (&TLS13, TlsVersion::V1_2)] {
        let peer = server(&Speaks { versions: vec![version], ..Speaks::default() });
        let what = refused(target(peer.address(), Tls { versions: vec![allowed], ..tls() }));
        assert!(what.contains("speaks no version of TLS that is allowed here"), "{what}");
    }
}

#[test]
fn what_does_not_speak_tls_is_told_as_such() {
    let odd: [(Vec<ScriptStep>, &str); 4] = [
        (
            vec![
                ScriptStep::Await(1),
                ScriptStep::Send(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()),
                ScriptStep::Fin,
            ],
            "does not speak TLS",
        ),
        (vec![ScriptStep::Await(1), ScriptStep::Send(vec![0; 64])], "does not speak TLS"),
        (
            vec![ScriptStep::Await(1), ScriptStep::Fin],
            "localhost closed the connection within the TLS handshake",
        ),
        (
            vec![ScriptStep::Await(1), ScriptStep::Send(vec![22, 3, 3, 0, 4, 2, 0, 0, 0])],
            "the TLS handshake with localhost failed",
        ),
    ];
    for (script, expected) in odd {
        let peer = ScriptedPeer::start_lasting(vec![script]).unwrap();
        let what = refused(target(peer.address, tls()));
        assert!(what.contains(expected), "{what}");
    }
    let resets = ScriptedPeer::start_lasting(vec![vec![ScriptStep::Await(1), ScriptStep::Reset]]).unwrap();
    let result = load(&plan(target(resets.address, tls()), 2));
    let what = complaint(&result, Outcome::ResetFresh);
    assert_eq!(what, "localhost reset the connection within the TLS handshake");
}

#[test]
fn silence_is_a_timeout_of_the_connection() {
    let peer = ScriptedPeer::start_lasting(vec![vec![ScriptStep::Pause(Duration::from_secs(10))]]).unwrap();
    let mut silent = plan(target(peer.address, tls()), 2);
    silent.timeouts.connect_ns = 50 * MS;
    let result = load(&silent);
    let what = complaint(&result, Outcome::ConnectTimeout);
    assert_eq!(what, "the TLS handshake with localhost was not done in time");
}

#[test]
fn an_end_without_notice_is_known_from_a_proper_one() {
    // Each answer has its length, so it is whole whatever comes after it.
    for parting in [Parting::Proper, Parting::Truncated] {
        let peer = HttpsPeer::start(Speaks::default().config(&authority().1), 64, parting).unwrap();
        let mut each = plan(target(peer.address(), tls()), 10);
        each.keep_alive = KeepAlive::Off;
        let result = load(&each);
        assert_eq!(count(&result, Outcome::Answered), 10);
        // The last ones may end after the load.
        assert!(result.snapshot.closed_by_peer >= 8);
    }
}

#[test]
fn long_answers_come_whole() {
    let config = Speaks::default().config(&authority().1);
    let peer = HttpsPeer::start(config, 6_000_000, Parting::Proper).unwrap();
    let mut long = plan(target(peer.address(), tls()), 6);
    Arc::get_mut(&mut long.mix[0].request).unwrap().keep_body = 0;
    long.mix[0].expect.bytes = Some(6_000_000..=6_000_000);
    let result = load(&long);
    assert_eq!(count(&result, Outcome::Answered), 6, "{:?}", result.bad_answers);
    assert!(result.snapshot.bytes_received >= 36_000_000);
}

#[test]
fn plain_and_secured_targets_stand_side_by_side() {
    let secured = server(&Speaks::default());
    let plain = proofload_testkit::HttpPeer::start(64).unwrap();
    let mut both = plan(target(secured.address(), tls()), 100);
    both.targets.push(plain.address().into());
    let entry = MixEntry { target: 1, ..both.mix[0].clone() };
    both.mix.push(entry);
    let result = load(&both);
    assert_eq!(count(&result, Outcome::Answered), 100);
    assert!(secured.answered() > 0 && plain.answered() > 0);
    assert_eq!(secured.answered() + plain.answered(), 100);
}

#[test]
fn what_is_wrong_with_the_values_is_said_at_once() {
    let broken = Tls {
        server_name: "no name".to_owned(),
        versions: Vec::new(),
        alpn: vec![Vec::new()],
        roots: Vec::new(),
        ..tls()
    };
    let mut plan = plan(target(SocketAddr::from(([127, 0, 0, 1], 1)), broken), 1);
    plan.targets[0].transport.proxy =
        Some(Proxy { authority: "nowhere".to_owned(), tunnels: true, authorization: None });
    let error = run(&plan, &Watch::default()).unwrap_err().to_string();
    for part in ["\"no name\"", "no version", "(ALPN)", "none of 0 certificates", "proxy: \"nowhere\""] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn a_debugged_exchange_is_shown_as_plaintext() {
    use proofload_engine::debug::{Once, TapEvent, debug};
    let peer = server(&Speaks::default());
    let transcript = debug(&plan(target(peer.address(), tls()), 1), Once::Entry(0)).unwrap();
    let heard: Vec<&TapEvent> = transcript.notes.heard.iter().map(|heard| &heard.what).collect();
    let [
        TapEvent::Dialing(_),
        TapEvent::Connected,
        TapEvent::Secured(handshake),
        TapEvent::Sent(sent),
        TapEvent::Received(_),
        ..,
    ] = heard[..]
    else {
        panic!("{heard:?}")
    };
    assert!(sent.starts_with(b"GET / HTTP/1.1\r\n") && !handshake.resumed);
    let received: Vec<u8> = heard
        .iter()
        .filter_map(|what| if let TapEvent::Received(bytes) = what { Some(bytes.clone()) } else { None })
        .flatten()
        .collect();
    assert!(received.starts_with(b"HTTP/1.1 200 OK\r\n") && received.ends_with(b"xxxx"));
}
