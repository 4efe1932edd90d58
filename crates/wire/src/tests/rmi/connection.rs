//! The handshake, what a connection can carry, and pings.

use super::laws::{self, Driven, ID};
use super::{GREETED, answered, echo, first, malformed, named, session};
use crate::rmi::{IDLE_NS, ping};
use crate::{Cancelled, Close, Event, ExchangeId, Filling, Full, MalformedKind, Outbox, Request, State};

const ENDPOINT: &[u8] = b"\0\x09127.0.0.1\0\0\0\0";
const HELLO: &[u8] = b"\x51\xac\xed\0\x05\x77\x0f\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x74\0\x05hello";

#[test]
fn the_handshake_names_us_as_the_server_sees_us() {
    let greeting = laws::greeting(&session());
    for cut in 0..=greeting.len() {
        let mut driven = Driven::new(session());
        assert_eq!(driven.sent, b"JRMI\0\x02\x4b");
        let (left, right) = greeting.split_at(cut);
        driven.receive(left);
        driven.receive(right);
        assert_eq!(driven.session.state(), State::Ready(1), "cut at {cut}");
        assert_eq!(driven.sent[7..], *ENDPOINT);
        assert!(driven.events.is_empty());
    }
    let mut driven = Driven::new(session());
    for byte in greeting {
        assert_eq!(driven.session.state(), State::Opening);
        driven.receive(std::slice::from_ref(byte));
    }
    assert_eq!(driven.session.state(), State::Ready(1));
    let mut driven = Driven::new(session());
    driven.receive(b"\x4e\0\0\0\0\0\0");
    assert_eq!(driven.session.state(), State::Ready(1), "a host without name");
}

#[test]
fn a_connection_that_ends_with_its_call_is_dead_once_that_is_answered() {
    let mut driven = Driven::new(session());
    driven.receive(laws::greeting(&session()));
    driven.start(&Request { closes: true, ..echo("x") }, ID);
    assert_eq!(driven.session.state(), State::Draining);
    driven.receive(HELLO);
    assert_eq!(driven.events, [first(), answered(1, 8, None)]);
    assert_eq!(driven.session.state(), State::Dead);
}

#[test]
fn nothing_is_started_before_the_handshake_ended() {
    let mut driven = Driven::new(session());
    let mut out = Outbox::new(1024);
    assert_eq!(driven.session.start(&echo("x"), &Filling::default(), ID, &mut out), Err(Full));
    assert_eq!(driven.session.start_as_encoded(&echo("x"), ID), Err(Full));
    driven.close(Close::Fin);
    assert!(driven.events.is_empty());
}

#[test]
fn a_server_of_another_protocol_is_told_at_once() {
    for (bytes, at, kind) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], 0, MalformedKind::Other),
        (b"\x15\x03\x01\x00\x02\x02\x46", 0, MalformedKind::Other),
        (b"AB\x00\x01\x09", 0, MalformedKind::Other),
        (b"\x4f", 0, MalformedKind::Other),
        (b"\x4e\x04\x01", 2, MalformedKind::Length),
    ] {
        for piece in [1, bytes.len()] {
            let mut driven = Driven::new(session());
            bytes.chunks(piece).for_each(|piece| driven.receive(piece));
            assert_eq!(driven.events, [Event::Malformed { id: None, at, kind }]);
            assert_eq!(driven.session.state(), State::Dead);
        }
    }
}

#[test]
fn wrong_bytes_of_an_answer_are_told_where_they_show() {
    for (answer, at) in [
        (&b"\x50"[..], 0),
        (b"H", 0),
        (b"\x53", 0),
        (b"\x51\xad", 1),
        (b"\x51\xac\xed\0\x04", 4),
        (b"\x51\xac\xed\0\x05\x74", 5),
        (b"\x51\xac\xed\0\x05\x77\0", 6),
        (b"\x51\xac\xed\0\x05\x7a\0\0\0\0", 9),
        (b"\x51\xac\xed\0\x05\x77\x0f\x03", 7),
        (b"\x51\xac\xed\0\x05\x77\x0f\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x6f", 22),
    ] {
        let events = laws::every_split(session, &echo("x"), answer, Close::Fin);
        assert_eq!(events.last(), Some(&malformed(GREETED + at, MalformedKind::Other)));
        laws::ends_exactly_once(&events, &[ID]);
    }
    let longer = b"\x51\xac\xed\0\x05\x77\x10\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let events = laws::every_split(session, &echo("x"), longer, Close::Fin);
    assert_eq!(events, [first(), malformed(GREETED + 22, MalformedKind::Surplus)]);
}

#[test]
fn one_call_at_a_time_and_offsets_go_on_counting() {
    let mut driven = Driven::started(session(), &echo("x"));
    let mut out = Outbox::new(1024);
    for _ in 0..3 {
        assert_eq!(driven.session.state(), State::Ready(0));
        assert_eq!(driven.session.start(&echo("x"), &Filling::default(), ID, &mut out), Err(Full));
        assert!(out.pending().is_empty());
        driven.receive(HELLO);
        assert_eq!(driven.events.last(), Some(&answered(1, 8, None)));
        driven.start(&echo("x"), ID);
    }
    driven.receive(b"\x51\xac\xee");
    let at = GREETED + 3 * HELLO.len() as u64 + 2;
    assert_eq!(driven.events.last(), Some(&malformed(at, MalformedKind::Other)));
    assert_eq!(driven.session.state(), State::Dead);
    driven.close(Close::Reset);
}

#[test]
fn bytes_that_nobody_asked_for_are_surplus() {
    let mut driven = Driven::started(session(), &echo("x"));
    driven.receive(&[HELLO, b"\x51"].concat());
    let at = GREETED + HELLO.len() as u64;
    let surplus = Event::Malformed { id: None, at, kind: MalformedKind::Surplus };
    assert_eq!(driven.events, [first(), answered(1, 8, None), surplus]);
}

#[test]
fn a_cancelled_call_needs_its_connection_closed() {
    let mut out = Outbox::new(1024);
    let mut driven = Driven::started(session(), &echo("x"));
    assert_eq!(driven.session.cancel(ExchangeId(99), &mut out), Cancelled::Keep);
    assert_eq!(driven.session.cancel(ID, &mut out), Cancelled::CloseConnection);
    assert_eq!(driven.session.state(), State::Dead);
    driven.receive(HELLO);
    assert!(driven.events.is_empty());
}

#[test]
fn an_idle_connection_is_pinged_and_dies_without_an_answer() {
    let mut driven = Driven::started(session(), &echo("x"));
    let (mut out, mut events) = (Outbox::new(1024), Vec::new());
    assert_eq!(driven.session.next_deadline(), None, "a call is in flight");
    driven.session.handle_bytes(5, HELLO, &mut out, &mut events);
    assert_eq!(driven.session.next_deadline(), Some(5 + IDLE_NS));
    driven.session.handle_timeout(4 + IDLE_NS, &mut out, &mut events);
    assert!(out.pending().is_empty(), "too early");
    let pinged = 6 + IDLE_NS;
    driven.session.handle_timeout(pinged, &mut out, &mut events);
    assert_eq!(out.pending(), b"\x52");
    assert_eq!(driven.session.state(), State::Ready(1));
    assert_eq!(driven.session.next_deadline(), Some(pinged + 3 * IDLE_NS));

    events.clear();
    driven.session.handle_bytes(pinged + 1, b"\x53", &mut out, &mut events);
    assert_eq!(events, [Event::Control]);
    assert_eq!(driven.session.next_deadline(), Some(pinged + 1 + IDLE_NS));

    let again = pinged + 1 + IDLE_NS;
    driven.session.handle_timeout(again, &mut out, &mut events);
    driven.session.handle_timeout(again + 3 * IDLE_NS - 1, &mut out, &mut events);
    assert_eq!(driven.session.state(), State::Ready(1));
    driven.session.handle_timeout(again + 3 * IDLE_NS, &mut out, &mut events);
    assert_eq!(driven.session.state(), State::Dead);
    assert_eq!(driven.session.next_deadline(), None);
}

#[test]
fn the_answer_to_a_ping_comes_before_that_to_a_later_call() {
    let pinged = || {
        let mut driven = Driven::started(session(), &echo("x"));
        driven.receive(HELLO);
        driven.events.clear();
        driven.session.handle_timeout(IDLE_NS, &mut Outbox::new(9), &mut Vec::new());
        driven
    };
    for request in [echo("x"), ping()] {
        let mut driven = pinged();
        driven.start(&request, ID);
        let answer = if request == ping() { b"\x53" } else { HELLO };
        driven.receive(&[b"\x53", answer].concat());
        let body_bytes = if request == ping() { 0 } else { 8 };
        assert_eq!(driven.events, [Event::Control, first(), answered(1, body_bytes, None)]);
    }
    let mut driven = pinged();
    driven.start(&echo("x"), ID);
    driven.receive(HELLO);
    let at = GREETED + HELLO.len() as u64;
    assert_eq!(driven.events, [malformed(at, MalformedKind::Other)]);
}

#[test]
fn a_connection_that_closes_ends_its_call_wherever_the_answer_is() {
    let answer = named(super::JDK17, "unbound");
    for close in [Close::Fin, Close::Reset, Close::TlsTruncated, Close::Local] {
        for len in [0, 1, 5, 7, 8, 22, 100, answer.len() - 1] {
            let events = laws::outcome(session(), &echo("x"), [&answer[..len]], close);
            assert_eq!(events.last(), Some(&Event::ClosedEarly { id: ID, close, began: len > 0 }));
        }
    }
}
