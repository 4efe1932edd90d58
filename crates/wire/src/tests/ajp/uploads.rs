//! Bodies that do not fit into one packet: sent as the container asks for them.

use super::laws::{self, Driven};
use super::{END, answered, ask, first, get, headers, malformed, post, session};
use crate::ajp::{Attributes, PACKET_BYTES_MAX, PACKET_BYTES_MIN, encode};
use crate::http1::Template;
use crate::{Close, MalformedKind, Request, State};

fn body(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index % 251) as u8).collect()
}

fn request(len: usize, packet_bytes: u32) -> Request {
    let attributes = Attributes { packet_bytes, ..Attributes::default() };
    encode(&post(body(len)), &Template::default(), &attributes).expect("the request is right")
}

/// The contents of the body's packets in what was sent, the request's own packet aside.
pub(super) fn contents(sent: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut rest = sent;
    while let Some(([0x12, 0x34, high, low], after)) = rest.split_first_chunk::<4>() {
        let (content, next) = after.split_at(usize::from(u16::from_be_bytes([*high, *low])));
        if let Some((size, data)) = content.split_first_chunk::<2>() {
            let is_request = found.is_empty() && rest.len() == sent.len();
            assert!(is_request || usize::from(u16::from_be_bytes(*size)) == data.len());
            found.push(if is_request { Vec::new() } else { data.to_vec() });
        } else {
            found.push(Vec::new());
        }
        rest = next;
    }
    assert!(rest.is_empty(), "{} bytes are no packet", rest.len());
    found.split_off(1)
}

fn ok() -> Vec<u8> {
    [&headers(200, &[])[..], END].concat()
}

#[test]
fn the_whole_body_arrives_in_packets_as_large_as_may_be() {
    for packet_bytes in [PACKET_BYTES_MIN, 8192, 8193, PACKET_BYTES_MAX] {
        let most = packet_bytes as usize - 6;
        for len in [0, 1, most - 1, most, most + 1, 2 * most, 100_000] {
            let request = request(len, packet_bytes);
            assert_eq!(request.by_session, len > most);
            let mut driven = Driven::started(session(), &request);
            let packets = len.div_ceil(most);
            for _ in 0..packets.max(1) {
                driven.receive(&ask(most as u16));
            }
            driven.receive(&ok());
            let contents = contents(&driven.sent);
            let sizes: Vec<usize> = contents.iter().map(Vec::len).collect();
            let mut expected: Vec<usize> = (0..packets).map(|index| most.min(len - index * most)).collect();
            expected.push(0);
            assert_eq!(sizes, expected, "{len} bytes, packets of {packet_bytes}");
            assert_eq!(contents.concat(), body(len));
            assert_eq!(driven.events, [first(), answered(200, 0)]);
        }
    }
}

#[test]
fn a_container_gets_no_more_than_it_asks_for() {
    let mut driven = Driven::started(session(), &request(20_000, 8192));
    for asked in [1, 0, 100, 8186, 8187, 65535] {
        driven.receive(&ask(asked));
    }
    let contents = contents(&driven.sent);
    let sizes: Vec<usize> = contents.iter().map(Vec::len).collect();
    assert_eq!(sizes, [8186, 1, 0, 100, 8186, 3527, 0]);
    assert_eq!(contents.concat(), body(20_000));
}

#[test]
fn demands_are_answered_however_they_are_split() {
    let request = request(30_000, 8192);
    let answer = [ask(8186), ask(7), headers(200, &[]), ask(65535), END.to_vec()].concat();
    let whole = {
        let mut driven = Driven::started(session(), &request);
        driven.receive(&answer);
        driven.sent
    };
    for cut in 0..=answer.len() {
        let mut driven = Driven::started(session(), &request);
        driven.receive(&answer[..cut]);
        driven.receive(&answer[cut..]);
        assert!(driven.sent == whole, "cut at {cut}");
        assert_eq!(driven.events, [first(), answered(200, 0)]);
    }
    laws::every_split(session, &request, &answer, Close::Fin);
    laws::truncation(session, &request, &answer);
}

#[test]
fn a_container_that_asks_again_and_again_is_malformed() {
    let asks = ask(8186).repeat(16);
    let mut driven = Driven::started(session(), &get());
    driven.receive(&asks);
    assert!(driven.events.is_empty());
    assert_eq!(contents(&driven.sent), vec![Vec::<u8>::new(); 16]);
    let events = laws::every_split(session, &get(), &[&asks[..], &ask(1)].concat(), Close::Fin);
    assert_eq!(events, [malformed(asks.len() as u64 + 6, MalformedKind::Packet)]);
    driven.receive(&ok());
    driven.start(&get(), laws::ID);
    driven.receive(&asks);
    assert_eq!(driven.session.state(), State::Ready(0), "each exchange counts anew");
}

#[test]
fn after_an_early_answer_the_next_exchange_begins_anew() {
    let mut driven = Driven::started(session(), &request(100_000, 8192));
    driven.receive(&ask(8186));
    driven.receive(&ok());
    assert_eq!(driven.session.state(), State::Ready(1));
    let before = driven.sent.len();
    driven.start(&get(), laws::ID);
    assert_eq!(driven.sent[before..], get().bytes, "nothing of the unsent rest");
    let before = driven.sent.len();
    driven.receive(&ask(8186));
    assert_eq!(driven.sent[before..], [0x12, 0x34, 0, 0]);
    driven.receive(&ok());
    driven.start(&request(100_000, 8192), laws::ID);
    driven.receive(&ok());
    let before = driven.sent.len();
    let plain = get();
    driven.session.start_as_encoded(&plain, laws::ID).expect("the session is ready");
    driven.receive(&ask(8186));
    assert_eq!(driven.sent[before..], [0x12, 0x34, 0, 0]);
    driven.receive(&ok());
    driven.start(&request(9000, 8192), laws::ID);
    let before = driven.sent.len();
    driven.receive(&ask(8186));
    assert_eq!(driven.sent[before + 6..], body(9000)[8186..]);
}

#[test]
fn one_and_the_same_request_can_be_sent_again() {
    let request = request(20_000, 8192);
    let mut driven = Driven::new(session());
    let mut each = Vec::new();
    for _ in 0..3 {
        driven.sent.clear();
        driven.start(&request, laws::ID);
        driven.receive(&ask(8186));
        driven.receive(&ask(8186));
        driven.receive(&ok());
        each.push(contents(&driven.sent).concat());
    }
    assert_eq!(each, vec![body(20_000); 3]);
}
