//! Requests to a real container and its answers.

use super::laws::{self, Driven};
use super::{answered, first};
use crate::ajp::{Attributes, Options, encode};
use crate::http1::{RequestSpec, Template};
use crate::{Close, Event, Request, Session, State};

/// The writes of one direction.
fn writes(hex: &str) -> Vec<Vec<u8>> {
    let digits =
        |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("hex");
    hex.lines().map(|line| line.as_bytes().chunks(2).map(digits).collect()).collect()
}

fn sent() -> Vec<Vec<u8>> {
    writes(include_str!("fixtures/to_container.hex"))
}

fn came() -> Vec<Vec<u8>> {
    writes(include_str!("fixtures/from_container.hex"))
}

fn request(spec: &RequestSpec) -> Request {
    encode(spec, &Template::default(), &Attributes::default()).expect("the request is right")
}

fn get() -> Request {
    request(&RequestSpec::get("localhost", "/"))
}

fn post() -> Request {
    let kind = ("Content-Type".to_owned(), "application/octet-stream".to_owned());
    request(&RequestSpec {
        method: "POST".to_owned(),
        headers: vec![kind],
        body: vec![b'x'; 1024],
        ..RequestSpec::get("localhost", "/examples/servlets/nonblocking/bytecounter")
    })
}

#[test]
fn requests_are_those_recorded_but_for_names_and_the_order_of_headers() {
    // The recorded client names the server 127.0.0.1.
    let name = [&[0, 9][..], b"localhost\0"].concat();
    let recorded_name = [&[0, 9][..], b"127.0.0.1\0"].concat();
    let as_recorded = |bytes: &[u8]| {
        let at = bytes.windows(name.len()).position(|window| *window == *name).expect("it names the server");
        [&bytes[..at], &recorded_name, &bytes[at + name.len()..]].concat()
    };
    assert_eq!(as_recorded(&get().bytes), sent()[1]);
    let (ours, recorded) = (as_recorded(&post().bytes), &sent()[2]);
    assert_eq!(ours.len(), recorded.len());
    let length = b"\xa0\x08\0\x041024\0";
    let kind = b"\xa0\x07\0\x18application/octet-stream\0";
    let at = ours.windows(kind.len()).position(|window| window == kind).expect("the header is there");
    let both = kind.len() + length.len();
    assert_eq!(ours[at..at + both], [&kind[..], length].concat());
    assert_eq!(recorded[at..at + both], [&length[..], kind].concat());
    assert_eq!((&ours[..at], &ours[at + both..]), (&recorded[..at], &recorded[at + both..]));
}

#[test]
fn answers_yield_their_events_however_they_are_split() {
    let (page, count) = (came()[1..3].concat(), came()[3..].concat());
    let make = || Session::ajp(Options::default());
    let expected = [first(), answered(200, 11_410)];
    // Each split of the whole would read it 11,000 times.
    let whole = laws::outcome(make(), &get(), [&page[..]], Close::Fin);
    assert_eq!(whole, expected);
    for length in [1, 3, 4, 5, 1000, 8191, 8192, 8193] {
        laws::same_in_pieces_of(make, &get(), &page, Close::Fin, &whole, |_| length);
    }
    assert_eq!(laws::every_split(make, &post(), &count, Close::Fin), [first(), answered(200, 28)]);
    laws::truncation(make, &post(), &count);
}

#[test]
fn a_connection_carries_ping_and_exchanges_one_after_the_other() {
    let mut driven = Driven::new(Session::ajp(Options { ping: true, ..Options::default() }));
    assert_eq!(driven.sent, sent()[0]);
    assert_eq!(driven.session.state(), State::Opening);
    driven.receive(&came()[0]);
    assert_eq!(driven.session.state(), State::Ready(1));
    for (request, answer) in [(get(), came()[1..3].concat()), (post(), came()[3..].concat())] {
        driven.start(&request, laws::ID);
        assert_eq!(driven.session.state(), State::Ready(0));
        driven.receive(&answer);
        assert_eq!(driven.session.state(), State::Ready(1));
    }
    let told: Vec<u64> = driven
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Answered { body_bytes, .. } => Some(*body_bytes),
            _ => None,
        })
        .collect();
    assert_eq!(told, [11_410, 28]);
}
