//! Connections: when they can carry an exchange, and how they end.

use super::laws::{self, Driven};
use super::{END, END_AND_CLOSE, PING, PONG, get, headers, post, session};
use crate::ajp::{Attributes, Options, encode};
use crate::http1::{RequestSpec, Template};
use crate::{
    Cancelled, Close, Event, ExchangeId, Filling, Full, MalformedKind, Outbox, Protocol, Request, Session,
    State,
};

fn pinging() -> Session {
    Session::ajp(Options { ping: true, ..Options::default() })
}

fn ok(end: &[u8]) -> Vec<u8> {
    [&headers(200, &[])[..], end].concat()
}

#[test]
fn it_carries_one_exchange_at_a_time() {
    let mut driven = Driven::started(Session::new(Protocol::Ajp, 8), &get());
    assert_eq!(driven.session.state(), State::Ready(0));
    let mut out = Outbox::new(99);
    assert_eq!(driven.session.start(&get(), &Filling::default(), ExchangeId(8), &mut out), Err(Full));
    assert_eq!(driven.session.start_as_encoded(&get(), ExchangeId(8)), Err(Full));
    driven.receive(&ok(END));
    assert_eq!(driven.session.state(), State::Ready(1));
    let mut full = Outbox::new(0);
    assert_eq!(driven.session.start(&get(), &Filling::default(), ExchangeId(8), &mut full), Err(Full));
    let request = get();
    assert_eq!(driven.session.start_as_encoded(&request, ExchangeId(8)), Ok(&request.bytes[..]));
    assert_eq!(Protocol::Ajp.good_codes(), 200..=399);
}

#[test]
fn an_answer_owes_nothing_to_the_one_before() {
    let mut driven = Driven::started(session(), &get());
    driven.receive(&[&headers(200, &[(&[0xa0, 3], "5")]), &super::chunk(b"hello")[..], END].concat());
    driven.start(&get(), laws::ID);
    driven.receive(&[&headers(404, &[]), &super::chunk(b"no")[..], END].concat());
    let expected = [super::first(), super::answered(200, 5), super::first(), super::answered(404, 2)];
    assert_eq!(driven.events, expected);
}

#[test]
fn it_drains_when_either_side_does_not_want_it_again() {
    let mut driven = Driven::started(session(), &get());
    driven.receive(&ok(END_AND_CLOSE));
    assert_eq!(driven.session.state(), State::Draining);
    let closing = encode(
        &RequestSpec { close: true, ..RequestSpec::get("h", "/") },
        &Template::default(),
        &Attributes::default(),
    );
    let mut driven = Driven::started(session(), &closing.expect("right"));
    assert_eq!(driven.session.state(), State::Draining);
    driven.receive(&ok(END));
    assert_eq!(driven.session.state(), State::Dead, "the server does not know that it is to close");
}

#[test]
fn a_ping_must_be_answered_before_anything_is_started() {
    let mut driven = Driven::new(pinging());
    assert_eq!(driven.sent, PING);
    let (last, but_last) = PONG.split_last().expect("bytes");
    driven.receive(but_last);
    assert_eq!(driven.session.state(), State::Opening);
    assert_eq!(driven.session.start(&get(), &Filling::default(), laws::ID, &mut Outbox::new(99)), Err(Full));
    driven.receive(&[*last]);
    assert_eq!(driven.session.state(), State::Ready(1));
    assert!(driven.events.is_empty());
}

#[test]
fn another_answer_to_a_ping_is_malformed() {
    let long = b"AB\0\x02\x09\0";
    for (answer, at, kind) in [
        (&b"HTTP/1.1 400 \r\n"[..], 0, MalformedKind::Packet),
        (&ok(END), 4, MalformedKind::Packet),
        (b"AB\0\x03\x06\0\x01", 4, MalformedKind::Packet),
        (long, 4, MalformedKind::Length),
        (&[PONG, PONG].concat(), 5, MalformedKind::Surplus),
    ] {
        let mut driven = Driven::new(pinging());
        driven.receive(answer);
        assert_eq!(driven.events, [Event::Malformed { id: None, at, kind }]);
        assert_eq!(driven.session.state(), State::Dead);
    }
    let mut driven = Driven::new(pinging());
    driven.close(Close::Fin);
    assert!(driven.events.is_empty());
}

#[test]
fn bytes_without_an_exchange_are_surplus() {
    let mut driven = Driven::new(session());
    driven.receive(PONG);
    assert_eq!(driven.events, [Event::Malformed { id: None, at: 0, kind: MalformedKind::Surplus }]);
}

#[test]
fn each_kind_of_close_is_told_at_each_place() {
    let answer = ok(END);
    for close in [Close::Fin, Close::Reset, Close::TlsTruncated, Close::Local] {
        for len in 0..answer.len() {
            let events = laws::outcome(session(), &get(), [&answer[..len]], close);
            assert_eq!(events.last(), Some(&Event::ClosedEarly { id: laws::ID, close, began: len > 0 }));
        }
        assert_eq!(laws::outcome(session(), &get(), [&answer[..]], close).len(), 2);
    }
}

#[test]
fn a_cancelled_exchange_costs_the_connection() {
    let mut driven = Driven::started(session(), &get());
    let mut out = Outbox::new(99);
    assert_eq!(driven.session.cancel(ExchangeId(99), &mut out), Cancelled::Keep);
    assert_eq!(driven.session.cancel(laws::ID, &mut out), Cancelled::CloseConnection);
    driven.receive(&ok(END));
    driven.close(Close::Local);
    assert!(driven.events.is_empty());
}

#[test]
fn a_renewed_session_is_as_just_made() {
    let long =
        encode(&post(vec![b'x'; 20_000]), &Template::default(), &Attributes::default()).expect("right");
    let mut driven = Driven::new(pinging());
    driven.receive(PONG);
    driven.start(&Request { keep_body: 3, ..long }, laws::ID);
    driven.receive(&headers(200, &[])[..7]);
    driven.close(Close::Reset);
    driven.session.renew();
    assert_eq!(driven.session.state(), State::Opening);
    driven.session.open(0, &mut Outbox::new(99));
    driven.events.clear();
    driven.receive(&PONG[..3]);
    driven.receive(&PONG[3..]);
    driven.start(&get(), laws::ID);
    driven.sent.clear();
    driven.receive(&super::ask(9));
    assert_eq!(driven.sent, [0x12, 0x34, 0, 0], "nothing of the other connection's request");
    driven.receive(&ok(END));
    assert_eq!(driven.events, [super::first(), super::answered(200, 0)]);
}
