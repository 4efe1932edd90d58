//! Exchanges that a connection can carry, and its lifetime.

use super::laws::{Driven, ID};
use super::{answered, first, get, session};
use crate::{Cancelled, Close, Event, ExchangeId, Filling, Full, MalformedKind, Outbox, Request, State};

/// The state after `answer` to `request`.
fn state_after(request: &Request, answer: &str) -> State {
    let mut driven = Driven::started(session(), request);
    driven.receive(answer.as_bytes());
    assert!(matches!(driven.events.last(), Some(Event::Answered { .. })), "{:?}", driven.events);
    driven.session.state()
}

#[test]
fn a_connection_persists_as_version_and_header_say() {
    for (answer, state) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", State::Ready(1)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", State::Ready(1)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", State::Draining),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: foo , CLOSE,\r\n\r\n", State::Draining),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive, close\r\n\r\n", State::Draining),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: closed\r\n\r\n", State::Ready(1)),
        (
            "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            State::Draining,
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nConnection: close\r\n\r\n",
            State::Ready(1),
        ),
        ("HTTP/1.1 100 C\r\nConnection: close\r\n\r\nHTTP/1.1 204 N\r\n\r\n", State::Ready(1)),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", State::Draining),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n", State::Ready(1)),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive, close\r\n\r\n", State::Draining),
    ] {
        assert_eq!(state_after(&get(), answer), state, "{answer:?}");
    }
}

#[test]
fn a_request_that_closes_drains_the_connection_from_its_start() {
    let request = Request { closes: true, ..get() };
    let mut driven = Driven::started(session(), &request);
    assert_eq!(driven.session.state(), State::Draining);
    driven.receive(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(driven.events, [first(), answered(200, 0)]);
    assert_eq!(driven.session.state(), State::Draining);
}

#[test]
fn an_answer_without_length_drains_the_connection() {
    let mut driven = Driven::started(session(), &get());
    assert_eq!(driven.session.state(), State::Ready(0));
    driven.receive(b"HTTP/1.1 200 OK\r\n\r\n");
    assert_eq!(driven.session.state(), State::Draining);
}

#[test]
fn one_exchange_at_a_time_and_offsets_go_on_counting() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let mut driven = Driven::new(session());
    assert_eq!(driven.session.state(), State::Ready(1));
    let mut out = Outbox::new(1024);
    for id in (0..3).map(ExchangeId) {
        driven.start(&get(), id);
        assert_eq!(driven.session.state(), State::Ready(0));
        assert_eq!(driven.session.start(&get(), &Filling::default(), ID, &mut out), Err(Full));
        assert!(out.pending().is_empty(), "a refused start sends nothing");
        driven.receive(answer);
    }
    driven.start(&get(), ID);
    driven.receive(b"HTTP/1.1 2x");
    driven.receive(b"0 OK\r\n\r\n");
    let at = 3 * answer.len() as u64 + 10;
    let breach = Event::Malformed { id: Some(ID), at, kind: MalformedKind::StatusLine };
    assert_eq!(driven.events.last(), Some(&breach));
    assert_eq!(driven.session.state(), State::Dead);
    assert_eq!(driven.session.start(&get(), &Filling::default(), ID, &mut out), Err(Full));
    driven.close(Close::Reset);
    assert_eq!(driven.events.last(), Some(&breach), "the exchange had ended");
}

#[test]
fn a_full_outbox_refuses_a_start() {
    let mut out = Outbox::new(4);
    assert!(out.push_control(b"long"));
    let mut session = session();
    assert_eq!(session.start(&get(), &Filling::default(), ID, &mut out), Err(Full));
    assert_eq!(session.state(), State::Ready(1));
}

#[test]
fn bytes_while_nothing_is_in_flight_are_surplus() {
    let mut driven = Driven::new(session());
    driven.receive(b"");
    assert_eq!(driven.session.state(), State::Ready(1));
    driven.receive(b"HTTP/1.1 408 Request Timeout\r\n\r\n");
    assert_eq!(driven.events, [Event::Malformed { id: None, at: 0, kind: MalformedKind::Surplus }]);
    assert_eq!(driven.session.state(), State::Dead);
}

#[test]
fn an_idle_connection_ends_without_an_event() {
    let mut driven = Driven::new(session());
    driven.close(Close::Fin);
    assert!(driven.events.is_empty());
}

#[test]
fn a_cancelled_exchange_needs_its_connection_closed() {
    let mut out = Outbox::new(1024);
    let mut driven = Driven::started(session(), &get());
    assert_eq!(driven.session.cancel(ExchangeId(99), &mut out), Cancelled::Keep);
    assert_eq!(driven.session.state(), State::Ready(0));
    assert_eq!(driven.session.cancel(ID, &mut out), Cancelled::CloseConnection);
    assert_eq!(driven.session.state(), State::Dead);
    driven.receive(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    driven.close(Close::Local);
    assert!(driven.events.is_empty(), "whoever cancels knows the end: {:?}", driven.events);
}

#[test]
fn the_first_byte_is_told_with_the_byte_that_makes_the_answer_final() {
    let mut driven = Driven::started(session(), &get());
    driven.receive(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 ");
    assert!(driven.events.is_empty());
    driven.receive(b"2");
    assert_eq!(driven.events, [first()]);
    assert_eq!(driven.session.next_deadline(), None);
}
