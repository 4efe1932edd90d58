//! Answers as Java's servers send them.

use super::laws::{self, every_split};
use super::{JDK17, JDK25, answered, call, echo, first, messages, named, session};
use crate::rmi::{LookupError, Remote, lookup, parse_lookup, ping};
use crate::{Close, Event, Events, Request, State};

fn keeping(request: Request, keep_body: usize) -> Request {
    Request { keep_body, ..request }
}

/// The events of an answer, the same however it is split; cut short it is none.
fn events(request: &Request, answer: &[u8]) -> Events {
    laws::truncation(session, request, answer);
    every_split(session, request, answer, Close::Fin)
}

#[test]
fn every_answer_of_javas_servers_ends_with_its_last_byte() {
    let files = [
        include_str!("fixtures/jdk17-registry-received.hex"),
        include_str!("fixtures/jdk17-object-received.hex"),
        include_str!("fixtures/jdk25-registry-received.hex"),
        include_str!("fixtures/jdk25-object-received.hex"),
    ];
    let mut seen = 0;
    for answer in files.into_iter().flat_map(messages).filter(|answer| answer[0] == 0x51) {
        let value = &answer[22..];
        let whole = answered(1, value.len() as u64, None);
        let (request, told) = (echo("x"), vec![first(), whole]);
        assert_eq!(laws::outcome(session(), &request, [&answer[..]], Close::Fin), told);
        laws::same_in_pieces_of(session, &request, &answer, Close::Fin, &told, |_| 1);
        if answer.len() < 1000 || seen == 4 {
            assert_eq!(events(&request, &answer), told);
        }
        seen += 1;
    }
    assert_eq!(seen, 12, "answers in the fixtures");
}

#[test]
fn results_of_every_type_are_read() {
    for file in [JDK17, JDK25] {
        for (ty, value) in [
            ("void", &b""[..]),
            ("boolean", b"\x01"),
            ("byte", b"\xfb"),
            ("char", b"\0x"),
            ("short", b"\xff\xfe"),
            ("int", b"\0\0\0\x2a"),
            ("long", b"\0\0\x01\0\0\0\0\x06"),
            ("float", b"\x3f\xc0\0\0"),
            ("double", b"\x3f\xf8\0\0\0\0\0\0"),
        ] {
            let answer = named(file, &format!("returns_{ty}"));
            let told = events(&call("m", &[], ty, vec![]), &answer);
            assert_eq!(told, [first(), answered(1, value.len() as u64, None)], "{ty}");
        }
        for (name, ty) in [("ints", "int[]"), ("big", "java.lang.Object")] {
            let answer = named(file, &format!("returns_{name}"));
            let told = events(&call("m", &[], ty, vec![]), &answer);
            assert_eq!(told, [first(), answered(1, answer.len() as u64 - 22, None)], "{name}");
        }
    }
}

#[test]
fn a_result_with_dates_is_read() {
    // RMI writes externalizable objects as protocol version 1 does, without blocks.
    let answer = super::unhex(include_str!("fixtures/time.txt"));
    let told = events(&call("m", &[], "java.lang.Object", vec![]), &answer);
    assert_eq!(told, [first(), answered(1, answer.len() as u64 - 22, None)]);
}

#[test]
fn a_primitive_may_come_in_a_block_of_its_own() {
    let request = keeping(call("m", &[], "int", vec![]), 4);
    let uid = [7; 14];
    for (head, tail) in [
        (&b"\x77\x0f\x01"[..], &b"\x77\x04\0\0\0\x2a"[..]),
        (b"\x7a\0\0\0\x0f\x01", b"\x77\x01\0\x7a\0\0\0\x03\0\0\x2a"),
    ] {
        let answer = [b"\x51\xac\xed\0\x05", head, &uid, tail].concat();
        assert_eq!(events(&request, &answer), [first(), answered(1, 4, Some(b"42"))]);
    }
}

#[test]
fn a_refusal_is_told_in_the_servers_words() {
    let server = "java.rmi.ServerException: RemoteException occurred in server thread; nested exception is: ";
    for file in [JDK17, JDK25] {
        for (name, words) in [
            ("unbound", "java.rmi.NotBoundException: nobody".to_owned()),
            ("no_such_object", "java.rmi.NoSuchObjectException: no such object in table".to_owned()),
            (
                "wrong_method",
                format!(
                    "{server}java.rmi.UnmarshalException: unrecognized method hash: method not supported by remote \
                     object"
                ),
            ),
            ("wrong_class", "java.lang.IllegalArgumentException: argument type mismatch".to_owned()),
            (
                "returns_fails",
                "java.lang.IllegalStateException: I won't; nested exception is: java.lang.RuntimeException: why"
                    .to_owned(),
            ),
        ] {
            let answer = named(file, name);
            let refused = [first(), answered(2, answer.len() as u64 - 22, Some(words.as_bytes()))];
            // Whatever the method returns, an exception is an object.
            for request in [echo("x"), call("m", &[], "void", vec![]), keeping(call("m", &[], "int", vec![]), 9)] {
                assert_eq!(laws::outcome(session(), &request, [&answer[..]], Close::Fin), refused, "{name}");
            }
            if answer.len() < 1000 {
                assert_eq!(events(&echo("x"), &answer), refused, "{name}");
            }
            laws::same_in_pieces_of(session, &echo("x"), &answer, Close::Fin, &refused.to_vec(), |_| 1);
        }
    }
}

#[test]
fn a_value_that_the_server_gave_up_is_a_refusal_and_drains_the_connection() {
    for file in [JDK17, JDK25] {
        let answer = named(file, "returns_bad");
        for keep in [0, 99] {
            let request = keeping(call("m", &[], "java.lang.Object", vec![]), keep);
            let words = b"java.io.NotSerializableException: java.lang.Object";
            let told = [first(), answered(2, answer.len() as u64 - 22, Some(words))].to_vec();
            assert_eq!(laws::outcome(session(), &request, [&answer[..]], Close::Fin), told);
            laws::same_in_pieces_of(session, &request, &answer, Close::Fin, &told, |_| 1);
            let mut driven = laws::Driven::started(session(), &request);
            driven.receive(&answer);
            assert_eq!(driven.session.state(), State::Draining);
        }
    }
}

#[test]
fn words_are_cut_at_a_character_and_told_for_sixteen_refusals() {
    let answer = |message: &str| {
        let class = b"\x73\x72\x00\x01E\0\0\0\0\0\0\0\0\x02\0\x01L\0\x0ddetailMessage\x70\x78\x70\x74";
        let head = b"\x51\xac\xed\0\x05\x77\x0f\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        [&head[..], class, &(message.len() as u16).to_be_bytes(), message.as_bytes()].concat()
    };
    let long = answer(&"é".repeat(200));
    let mut driven = laws::Driven::started(session(), &echo("x"));
    driven.receive(&long);
    let words = format!("E: {}", "é".repeat(148));
    let Some(Event::Answered { body: Some(body), .. }) = driven.events.last() else { panic!("no words") };
    assert_eq!(String::from_utf8_lossy(body), words);
    for refusal in 2..20 {
        if refusal == 10 {
            driven.session.renew();
            driven.receive(laws::greeting(&driven.session));
        }
        driven.start(&echo("x"), laws::ID);
        driven.receive(&answer("no"));
        let told = if refusal <= 16 { Some(&b"E: no"[..]) } else { None };
        let len = answer("no").len() as u64 - 22;
        assert_eq!(driven.events.last(), Some(&answered(2, len, told)), "refusal {refusal}");
    }
}

#[test]
fn a_lookup_finds_the_object_and_confirms_it() {
    let registry = messages(include_str!("fixtures/jdk17-registry-received.hex"));
    let request = lookup("echo").expect("a text");
    let mut driven = laws::Driven::started(session(), &request);
    let before = driven.sent.len();
    driven.receive(&registry[1]);
    let acknowledgement = [&b"\x54"[..], &registry[1][8..22]].concat();
    assert_eq!(driven.sent[before..], acknowledgement);
    assert_eq!(acknowledgement, messages(include_str!("fixtures/jdk17-registry-sent.hex"))[4]);
    let Some(Event::Answered { body: Some(body), code: 1, .. }) = driven.events.last() else {
        panic!("no body")
    };
    let remote = Remote { host: "127.0.0.1".to_owned(), port: 11100, id: super::object() };
    assert_eq!(parse_lookup(body), Ok(remote.clone()));
    assert_eq!(parse_lookup(&registry[1]), Ok(remote));
    for len in 0..body.len() - 1 {
        let cut = parse_lookup(&body[..len]);
        assert!(cut.is_ok() == (len == body.len() - 2) || cut.is_err(), "cut after {len} bytes");
    }

    for (file, port) in [(JDK17, 19222), (JDK25, 19232)] {
        let factory = parse_lookup(&named(file, "factory")).expect("a reference with a socket factory");
        assert_eq!((factory.host.as_str(), factory.port), ("127.0.0.1", port));
        assert_eq!(factory.id.uid.count, -32766);
        let refused = LookupError::Refused("java.rmi.NotBoundException: nobody".to_owned());
        assert_eq!(parse_lookup(&named(file, "unbound")), Err(refused));
        let text = named(file, "returns_ints");
        assert!(matches!(parse_lookup(&text), Err(LookupError::NotRemote(_))));
    }
}

#[test]
fn a_ping_is_answered() {
    assert_eq!(events(&ping(), b"\x53"), [first(), answered(1, 0, None)]);
}

/// The value of an answer to a call with a result of that type, the same however it is split.
fn value(ty: &str, answer: &[u8], keep_body: usize) -> String {
    let request = keeping(call("m", &[], ty, vec![]), keep_body);
    let events = laws::outcome(session(), &request, [answer], Close::Fin);
    laws::same_in_pieces_of(session, &request, answer, Close::Fin, &events, |_| 1);
    let Some(Event::Answered { body: Some(body), code: 1, .. }) = events.last() else { panic!("{events:?}") };
    String::from_utf8(body.clone()).expect("it is UTF-8")
}

#[test]
fn results_are_told_as_json() {
    for file in [JDK17, JDK25] {
        let told = |name: &str, ty: &str| value(ty, &named(file, name), 9999);
        for (ty, expected) in [
            ("void", "null"),
            ("boolean", "true"),
            ("byte", "-5"),
            ("char", "\"x\""),
            ("short", "-2"),
            ("int", "42"),
            ("long", "1099511627782"),
            ("float", "1.5"),
            ("double", "1.5"),
        ] {
            assert_eq!(told(&format!("returns_{ty}"), ty), expected, "{ty}");
        }
        assert_eq!(told("returns_ints", "int[]"), "[3,9,3,77,2]");
        let big = told("returns_big", "java.lang.Object");
        assert!(
            big.starts_with("[0,\"lab.PrimServer\",\"NEW\",1,\"lab.PrimServer\",\"RUNNABLE\",2,"),
            "{big}"
        );
        assert!(big.ends_with(']'), "{big}");
    }
    let dates = value("java.lang.Object", &super::unhex(include_str!("fixtures/time.txt")), 9999);
    assert!(dates.starts_with("[0,\"1970-01-01\",1,\"1970-01-02\",2,"), "{dates}");
}

#[test]
fn of_a_result_that_is_longer_than_what_is_kept_the_beginning_is_told() {
    let answer = named(JDK17, "returns_big");
    let whole = value("java.lang.Object", &answer, 9999);
    for keep in [1, 2, 3, 4, 90, 500, 1000] {
        let told = value("java.lang.Object", &answer, keep);
        assert!(told.len() <= keep && (keep < 3 || told.ends_with('…')), "{keep}: {told}");
        assert!(whole.starts_with(told.trim_end_matches('…')), "{keep}: {told}");
        assert!(!crate::Protocol::Rmi.has_whole(told.as_bytes(), 0));
    }
    assert!(crate::Protocol::Rmi.has_whole(whole.as_bytes(), 99_999));
}
