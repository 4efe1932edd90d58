//! Values that change, with the lengths that follow them.

use super::super::values::BLANKS;
use super::uploads::contents;
use super::{HOST, ask, laws, post, session};
use crate::ajp::{Attributes, describe, encode};
use crate::http1::{RequestPart, RequestSpec, Slot, Template};
use crate::{Filling, Outbox, Values};

fn slot(part: RequestPart, at: usize, draw: u16) -> Slot {
    Slot { part, at, draw }
}

fn template(slots: &[Slot]) -> Template {
    Template { slots: slots.to_vec(), cookies: false, ..Template::default() }
}

fn spec(target: &str, header: &str, body: &str) -> RequestSpec {
    RequestSpec {
        target: target.to_owned(),
        headers: vec![("X".to_owned(), header.to_owned())],
        ..post(body.as_bytes().to_vec())
    }
}

/// Bytes sent when the request's draws, in their order, are filled with these values.
fn filled(spec: &RequestSpec, slots: &[Slot], values: &[&str]) -> Vec<u8> {
    let request = encode(spec, &template(slots), &Attributes::default()).expect("the request is right");
    let mut filling = Values::default();
    for draw in request.places.draws() {
        filling.push(values[usize::from(*draw)].as_bytes());
    }
    let mut out = Outbox::new(1 << 20);
    session().start(&request, &Filling::of(&filling), laws::ID, &mut out).expect("the session is ready");
    out.pending().to_vec()
}

/// Bytes sent of the same request without places.
fn plain(spec: &RequestSpec) -> Vec<u8> {
    super::encoded(spec).bytes
}

#[test]
fn lengths_follow_values_in_every_part() {
    let slots = [
        slot(RequestPart::Target, 3, 0),
        slot(RequestPart::Target, 6, 1),
        slot(RequestPart::Header(0), 0, 2),
        slot(RequestPart::Header(0), 1, 0),
        slot(RequestPart::Body, 1, 3),
        slot(RequestPart::Body, 2, 1),
    ];
    let long = "L".repeat(300);
    for values in [["", "", "", ""], ["a", "bc", "d", "e"], [&long, "b", "", &long], ["1", &long, &long, ""]]
    {
        let [a, b, c, d] = values;
        let expected = spec(&format!("/p/{a}?q={b}&r"), &format!("{c}h{a}"), &format!("[{d}]{b}"));
        assert_eq!(filled(&spec("/p/?q=&r", "h", "[]"), &slots, &values), plain(&expected), "{values:?}");
    }
}

#[test]
fn a_value_may_be_at_each_end_of_its_part() {
    let value = ["value"];
    let at = |part, at| [slot(part, at, 0)];
    let base = spec("/p?q", "h", "b");
    let cases = [
        (RequestPart::Target, 1, spec("/valuep?q", "h", "b")),
        (RequestPart::Target, 2, spec("/pvalue?q", "h", "b")),
        (RequestPart::Target, 3, spec("/p?valueq", "h", "b")),
        (RequestPart::Target, 4, spec("/p?qvalue", "h", "b")),
        (RequestPart::Header(0), 0, spec("/p?q", "valueh", "b")),
        (RequestPart::Header(0), 1, spec("/p?q", "hvalue", "b")),
        (RequestPart::Body, 0, spec("/p?q", "h", "valueb")),
        (RequestPart::Body, 1, spec("/p?q", "h", "bvalue")),
    ];
    for (part, place, expected) in cases {
        assert_eq!(filled(&base, &at(part, place), &value), plain(&expected), "{part:?} {place}");
    }
    let empty = spec("/p?q", "", "");
    assert_eq!(filled(&empty, &at(RequestPart::Body, 0), &value), plain(&spec("/p?q", "", "value")));
    assert_eq!(filled(&empty, &at(RequestPart::Header(0), 0), &value), plain(&spec("/p?q", "value", "")));
}

#[test]
fn a_value_in_a_header_has_the_blanks_of_its_text() {
    for (text, at) in BLANKS.iter().flat_map(|text| (0..=text.len()).map(move |at| (*text, at))) {
        let (before, after) = text.split_at(at);
        let sent = filled(&spec("/p", text, ""), &[slot(RequestPart::Header(0), at, 0)], &["value"]);
        assert_eq!(sent, plain(&spec("/p", &format!("{before}value{after}"), "")), "{text:?} {at}");
    }
}

#[test]
fn the_length_header_has_as_many_digits_as_it_needs() {
    for len in [1, 9, 10, 99, 100, 999, 1000, 8000] {
        let value = "x".repeat(len);
        let sent = filled(&spec("/", "h", ""), &[slot(RequestPart::Body, 0, 0)], &[&value]);
        assert_eq!(sent, plain(&spec("/", "h", &value)), "{len}");
    }
}

/// Bytes sent of a body that is `around` with a value in its middle, while the container asks for all of it: its head's
/// length of the body, and the contents of the body's packets.
fn sent_in_packets(around: &str, value: &str) -> (Option<usize>, Vec<Vec<u8>>) {
    let slots = [slot(RequestPart::Body, around.len() / 2, 0)];
    let request = encode(&spec("/", "h", around), &template(&slots), &Attributes::default()).expect("right");
    let mut filling = Values::default();
    filling.push(value.as_bytes());
    let (mut session, mut out, mut events) = (session(), Outbox::new(1 << 20), Vec::new());
    session.start(&request, &Filling::of(&filling), laws::ID, &mut out).expect("the session is ready");
    for _ in 0..4 {
        session.handle_bytes(0, &ask(8186), &mut out, &mut events);
    }
    assert_eq!(events, []);
    let sent = out.pending();
    let length =
        describe(true, sent).iter().find_map(|line| line.split_once("Content-Length: ")?.1.parse().ok());
    (length, contents(sent))
}

#[test]
fn a_body_with_a_value_goes_in_as_many_packets_as_it_needs_and_none_where_it_is_empty() {
    for (around, value, sizes) in [
        ("", 0, vec![]),
        ("", 1, vec![1]),
        ("[]", 0, vec![2]),
        ("", 8186, vec![8186]),
        ("", 8187, vec![8186, 1]),
        ("[]", 8186, vec![8186, 2]),
        // Where the lengths of a single packet would begin again at nothing.
        ("", 65_534, vec![8186; 5]),
        ("", 65_540, vec![8186; 5]),
    ] {
        let (length, contents) = sent_in_packets(around, &"v".repeat(value));
        assert_eq!(length, Some(around.len() + value), "{value}");
        let found: Vec<usize> = contents.iter().map(Vec::len).filter(|len| *len > 0).collect();
        assert_eq!(found, sizes, "{value}");
    }
    // Longer than a packet without its value.
    let (length, contents) = sent_in_packets(&"x".repeat(9_000), "value");
    let expected = [vec![b'x'; 4_500], b"value".to_vec(), vec![b'x'; 4_500]].concat();
    assert_eq!((length, contents.concat()), (Some(9_005), expected));
}

#[test]
fn values_in_a_head_go_with_a_body_of_several_packets() {
    let body = vec![b'x'; 20_000];
    let (base, expected) = (RequestSpec { target: "/p".to_owned(), ..post(body.clone()) }, "/pvalue");
    let sent = filled(&base, &[slot(RequestPart::Target, 2, 0)], &["value"]);
    let whole = plain(&RequestSpec { target: expected.to_owned(), ..base });
    assert_eq!(sent, whole[..whole.len() - (body.len() - 8186)]);
    assert!(HOST.len() < sent.len());
}
