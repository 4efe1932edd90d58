//! Exchanges of a connection, heartbeats, late answers, and its end.

use super::laws::{Driven, ID};
use super::{calls, hex, numbered, reply, request, session};
use crate::dubbo::{Limits, Options, Serialization, encode};
use crate::{
    Cancelled, Close, Event, ExchangeId, Filling, Full, MalformedKind, Outbox, Request, Session, State,
    Values,
};

const SECOND: u64 = 1_000_000_000;

fn ok(number: u64) -> Vec<u8> {
    numbered(&reply(Serialization::FastJson, 20, b"2\n"), number)
}

fn answered(id: ExchangeId) -> Event {
    Event::Answered { id, code: 20, body_bytes: 2, body: None }
}

#[test]
fn as_many_exchanges_as_allowed_are_in_flight() {
    let mut driven = Driven::new(session());
    let mut out = Outbox::new(1024);
    for id in 0..4 {
        assert_eq!(driven.session.state(), State::Ready(4 - id));
        driven.start(&request(), ExchangeId(id));
    }
    assert_eq!(driven.session.state(), State::Ready(0));
    assert_eq!(driven.session.start(&request(), &Filling::default(), ExchangeId(9), &mut out), Err(Full));
    assert!(out.pending().is_empty(), "a refused start sends nothing");
    driven.receive(&ok(2 << 32 | 2));
    assert_eq!(driven.events, [Event::FirstByte { id: ExchangeId(2) }, answered(ExchangeId(2))]);
    assert_eq!(driven.session.state(), State::Ready(1));
    driven.start(&request(), ExchangeId(2));
    assert_eq!(driven.session.start_as_encoded(&request(), ID), Err(Full));
}

#[test]
fn an_id_in_flight_or_a_full_outbox_refuses_a_start() {
    let mut driven = Driven::started(session(), &request());
    let mut out = Outbox::new(1024);
    assert_eq!(driven.session.start(&request(), &Filling::default(), ID, &mut out), Err(Full));
    let mut out = Outbox::new(4);
    assert!(out.push_control(b"long"));
    assert_eq!(driven.session.start(&request(), &Filling::default(), ExchangeId(1), &mut out), Err(Full));
    assert_eq!(driven.session.state(), State::Ready(3));
}

#[test]
fn each_exchange_has_a_number_of_its_own() {
    let mut driven = Driven::new(session());
    for counter in 0..3 {
        driven.sent.clear();
        driven.start(&request(), ID);
        assert_eq!(driven.sent[4..12], (counter << 32 | 7_u64).to_be_bytes());
        assert_eq!(
            u32::from_be_bytes(driven.sent[12..16].try_into().expect("four")) as usize,
            driven.sent.len() - 16
        );
        driven.receive(&ok(counter << 32 | 7));
    }
    assert_eq!(driven.events.len(), 6);
}

#[test]
fn a_late_answer_is_told_from_that_to_the_id_s_next_exchange() {
    let mut out = Outbox::new(1024);
    let mut driven = Driven::started(session(), &request());
    assert_eq!(driven.session.cancel(ExchangeId(99), &mut out), Cancelled::Keep);
    assert_eq!(driven.session.cancel(ID, &mut out), Cancelled::Keep);
    assert_eq!(driven.session.state(), State::Ready(4));
    driven.start(&request(), ID);
    driven.receive(&ok(7));
    assert_eq!(driven.events, [Event::Late { id: ID }]);
    driven.receive(&ok(1 << 32 | 7));
    assert_eq!(driven.events[1..], [Event::FirstByte { id: ID }, answered(ID)]);
    driven.receive(&ok(7));
    let again = Event::Malformed { id: None, at: 2 * 18 + 4, kind: MalformedKind::Surplus };
    assert_eq!(driven.events[3..], [again]);
}

#[test]
fn an_exchange_cancelled_within_its_answer_ends_late_at_every_byte() {
    let bytes = ok(7);
    for cut in 0..bytes.len() {
        let mut out = Outbox::new(1024);
        let mut driven = Driven::started(session(), &request());
        driven.receive(&bytes[..cut]);
        driven.session.cancel(ID, &mut out);
        driven.receive(&bytes[cut..]);
        assert_eq!(driven.events.last(), Some(&Event::Late { id: ID }), "cut at {cut}");
        assert_eq!(driven.events.len(), 1 + usize::from(cut >= 12));
        assert_eq!(driven.session.state(), State::Ready(4));
    }
}

#[test]
fn a_connection_that_owes_too_many_answers_is_given_up() {
    let mut session = Session::dubbo(Limits::default(), 1);
    let mut out = Outbox::new(1 << 30);
    for cancelled in 0..=65_536 {
        session.start(&request(), &Filling::default(), ID, &mut out).expect("ready");
        let keep = if cancelled < 65_536 { Cancelled::Keep } else { Cancelled::CloseConnection };
        assert_eq!(session.cancel(ID, &mut out), keep);
        out.clear();
    }
    assert_eq!(session.state(), State::Dead);
}

#[test]
fn a_number_never_given_out_is_malformed_where_it_begins() {
    for number in [1 << 32 | 7, 8, 7 << 32, u64::MAX] {
        let mut driven = Driven::started(session(), &request());
        driven.receive(&ok(number));
        let breach = Event::Malformed { id: Some(ID), at: 4, kind: MalformedKind::Surplus };
        assert_eq!(driven.events, [breach], "{number:x}");
    }
}

#[test]
fn a_breach_ends_all_exchanges_the_one_whose_answer_it_is_in_last() {
    let mut driven = Driven::new(session());
    for id in [3, 1, 2] {
        driven.start(&request(), ExchangeId(id));
    }
    driven.receive(&ok(1 << 32 | 1)[..16]);
    driven.receive(b"x");
    let closed = |id| Event::ClosedEarly { id: ExchangeId(id), close: Close::Local, began: false };
    let breach = Event::Malformed { id: Some(ExchangeId(1)), at: 16, kind: MalformedKind::Other };
    assert_eq!(driven.events, [Event::FirstByte { id: ExchangeId(1) }, closed(3), closed(2), breach]);
    assert_eq!(driven.session.state(), State::Dead);
}

#[test]
fn an_exchange_without_an_answer_is_not_carried() {
    let options = Options { serialization: Serialization::FastJson, one_way: true, ..Options::default() };
    let one_way = encode(&calls::echo_string(), &options).expect("it can be written");
    let mut driven = Driven::started(session(), &one_way);
    assert_eq!(driven.session.state(), State::Ready(4));
    assert_eq!(driven.sent[2], 0x86);
    driven.receive(&ok(7));
    assert_eq!(driven.events, [Event::Malformed { id: None, at: 4, kind: MalformedKind::Surplus }]);
}

#[test]
fn a_heartbeat_is_answered_with_the_null_it_carries() {
    for (flags, body) in
        [("e2", "4e"), ("e1", "94"), ("e3", "aced0005770100"), ("e6", "6e756c6c0a"), ("f7", "00000001af")]
    {
        let length = hex(body).len();
        let frame = |flags: &str, status: &str| {
            hex(&format!("dabb {flags} {status} 0102030405060708 000000{length:02x} {body}"))
        };
        let mut driven = Driven::started(session(), &request());
        driven.sent.clear();
        for byte in frame(flags, "00") {
            driven.receive(&[byte]);
        }
        let answer = format!("{:02x}", u8::from_str_radix(flags, 16).expect("hex") & 0x3f);
        assert_eq!(driven.sent, frame(&answer, "14"), "{flags}");
        assert_eq!(driven.events, [Event::Control]);
        driven.receive(&ok(7));
        assert_eq!(driven.events.len(), 3);
    }
}

#[test]
fn other_messages_of_the_peer_are_counted_and_not_answered() {
    for frame in [
        "dabb a2 00 0000000000000001 00000001 4e",
        "dabb c2 00 0000000000000001 00000002 4e4e",
        "dabb e2 00 0000000000000001 00000011 4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e",
    ] {
        let mut driven = Driven::new(session());
        driven.receive(&hex(frame));
        assert_eq!(
            (driven.events.as_slice(), driven.sent.len()),
            ([Event::Control].as_slice(), 0),
            "{frame}"
        );
        assert_eq!(driven.session.state(), State::Ready(4));
    }
}

#[test]
fn a_server_that_goes_away_drains_the_connection() {
    for (flags, body) in [
        ("a2", "0152"),
        ("a1", "8b90838152"),
        ("a3", "aced000577010174000152"),
        ("a6", "2252220a"),
        ("b7", "000000024a52"),
    ] {
        let length = hex(body).len();
        let mut driven = Driven::started(session(), &request());
        driven.receive(&hex(&format!("dabb {flags} 00 0000000000000001 000000{length:02x} {body}")));
        assert_eq!(driven.session.state(), State::Draining, "{flags}");
        driven.receive(&ok(7));
        assert_eq!(driven.events, [Event::Control, Event::FirstByte { id: ID }, answered(ID)]);
        assert_eq!(driven.session.state(), State::Draining);
    }
}

#[test]
fn a_connection_that_ends_with_a_request_takes_no_more_and_is_dead_once_all_are_answered() {
    let mut driven = Driven::new(Session::dubbo(Limits::default(), 4));
    driven.start(&request(), ExchangeId(0));
    driven.start(&Request { closes: true, ..request() }, ExchangeId(1));
    assert_eq!(driven.session.state(), State::Draining);
    driven.receive(&ok(1 << 32 | 1));
    assert_eq!(driven.session.state(), State::Draining);
    driven.receive(&ok(0));
    assert_eq!(driven.session.state(), State::Dead);
    driven.session.renew();
    assert_eq!(driven.session.state(), State::Ready(4));
}

/// A session and what it sends at the instants it names, in seconds, until it is dead.
fn idle(session: &mut Session, mut each: impl FnMut(u64, &mut Session, &mut Outbox)) -> Vec<(u64, Vec<u8>)> {
    let (mut out, mut sent) = (Outbox::new(1024), Vec::new());
    session.open(0, &mut out);
    while let Some(at) = session.next_deadline().filter(|at| *at < 1000 * SECOND) {
        each(at / SECOND, session, &mut out);
        session.handle_timeout(at, &mut out, &mut Vec::new());
        if !out.pending().is_empty() {
            sent.push((at / SECOND, out.pending().to_vec()));
            out.take(out.pending().len(), |_| {});
        }
    }
    sent
}

#[test]
fn a_silent_connection_gets_heartbeats_and_is_dead_after_three() {
    let mut session = session();
    let mut died = 0;
    let sent = idle(&mut session, |at, _, _| died = at);
    let beats: Vec<_> = sent.iter().map(|(at, _)| *at).collect();
    assert_eq!((beats[0], died), (60, 180));
    assert_eq!(sent[0].1, hex("dabb e2 00 0000000000000000 00000001 4e"));
    assert_eq!(session.state(), State::Dead);
    let mut events = Vec::new();
    session.handle_close(Close::Local, &mut events);
    assert!(events.is_empty());
}

#[test]
fn exchanges_of_a_silent_peer_end_with_its_connection() {
    let mut session = session();
    session.open(0, &mut Outbox::new(1024));
    session.start(&request(), &Filling::default(), ID, &mut Outbox::new(1024)).expect("ready");
    idle(&mut session, |_, _, _| {});
    let mut events = Vec::new();
    session.handle_close(Close::Local, &mut events);
    assert_eq!(events, [Event::ClosedEarly { id: ID, close: Close::Local, began: false }]);
}

#[test]
fn a_connection_in_use_gets_no_heartbeats() {
    let mut session = session();
    let mut counter = 0;
    let sent = idle(&mut session, |at, session, out| {
        session.start(&request(), &Filling::of(&Values::default()), ID, out).expect("ready");
        out.take(out.pending().len(), |_| {});
        session.handle_bytes(at * SECOND, &ok(counter << 32 | 7), out, &mut Vec::new());
        counter += 1;
    });
    assert_eq!(sent, []);
    assert!(counter > 40);
    assert_eq!(session.state(), State::Ready(4));
}

#[test]
fn a_heartbeat_is_written_like_the_requests_and_its_answer_is_no_event() {
    let mut session = session();
    let (mut out, mut events) = (Outbox::new(1024), Vec::new());
    session.open(0, &mut out);
    session.start(&request(), &Filling::default(), ID, &mut out).expect("ready");
    out.clear();
    while out.pending().is_empty() {
        let at = session.next_deadline().expect("alive");
        session.handle_timeout(at, &mut out, &mut events);
    }
    assert_eq!(out.pending(), hex("dabb e6 00 0000000100000000 00000005 6e756c6c0a"));
    session.handle_bytes(0, &hex("dabb 26 14 0000000100000000 00000005 6e756c6c0a"), &mut out, &mut events);
    assert_eq!(events, []);
    session.handle_bytes(0, &ok(7), &mut out, &mut events);
    assert_eq!(events.len(), 2);
}

#[test]
fn without_a_heartbeat_time_there_is_no_deadline() {
    let mut session = Session::dubbo(Limits { heartbeat_ns: 0, ..Limits::default() }, 1);
    session.open(5, &mut Outbox::new(1024));
    assert_eq!(session.next_deadline(), None);
}

#[test]
fn a_close_ends_exchanges_in_the_order_of_their_start() {
    let mut driven = Driven::new(session());
    for id in [5, 1, 3] {
        driven.start(&request(), ExchangeId(id));
    }
    driven.receive(&ok(1 << 32 | 1)[..12]);
    driven.close(Close::Reset);
    let closed = |id, began| Event::ClosedEarly { id: ExchangeId(id), close: Close::Reset, began };
    assert_eq!(driven.events[1..], [closed(5, false), closed(1, true), closed(3, false)]);
}
