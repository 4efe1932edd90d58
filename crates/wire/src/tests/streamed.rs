//! Bodies that are read while they are sent: the bytes are those of a body in memory, however the kernel takes them.

use crate::ajp::{self, Attributes};
use crate::http1::{RequestPart, RequestSpec, Slot, Template};
use crate::{ExchangeId, Filling, Outbox, Request, Session, Source, Streamed, Values};
use std::io;

const ID: ExchangeId = ExchangeId(3);

/// A form of two files between texts, one of them with a value, and the same with the files in memory.
fn specs(file: &[u8]) -> [(RequestSpec, Template); 2] {
    let (before, between, after) = ("--b\r\n\r\n", "\r\n--b\r\n\r\nX\r\n--b\r\n\r\n", "\r\n--b--\r\n");
    let spec = |body: Vec<u8>| RequestSpec { method: "POST".into(), body, ..RequestSpec::get("h", "/up") };
    let slot = |at| vec![Slot { part: RequestPart::Body, at, draw: 0 }];
    let texts = [before, between, after].concat();
    let at = [before.len(), before.len() + between.len()];
    let streamed = at.map(|at| (at, Streamed::new(file.to_vec()))).to_vec();
    let value_at = before.len() + 10;
    let template = Template { slots: slot(value_at), streamed, ..Template::default() };
    let whole = [before.as_bytes(), file, between.as_bytes(), file, after.as_bytes()].concat();
    let in_memory = Template { slots: slot(value_at + file.len()), ..Template::default() };
    [(spec(texts.into_bytes()), template), (spec(whole), in_memory)]
}

fn values() -> Values {
    let mut values = Values::default();
    values.push(b"value");
    values
}

/// Bytes that go to the kernel when it takes `step` bytes at a time of pieces of `piece` bytes.
fn drained(out: &mut Outbox, piece: usize, step: usize) -> Vec<u8> {
    let (mut sent, mut told, mut buffer) = (Vec::new(), 0, vec![0; piece]);
    while !out.is_empty() {
        let left = out.left();
        let came = out.read(&mut buffer).expect("readable");
        assert_eq!(came as u64, left.min(piece as u64));
        let took = came.min(step);
        sent.extend_from_slice(&buffer[..took]);
        out.take(took, |_| told += 1);
        assert!(out.is_empty() || out.left() == left - took as u64);
    }
    assert!(told <= 1);
    sent
}

fn started(request: &Request, make: fn() -> Session) -> (Session, Outbox) {
    let (mut session, mut out) = (make(), Outbox::new(64));
    let values = values();
    session.start(request, &Filling::of(&values), ID, &mut out).expect("ready");
    (session, out)
}

#[test]
fn the_bytes_are_those_of_a_body_in_memory_however_they_are_taken() {
    for len in [1, 63, 64, 65, 1000] {
        let file: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
        let [(streamed, template), (whole, in_memory)] = specs(&file);
        let http = || Session::http1(Default::default());
        let expected = whole.encode_with(&in_memory).expect("right");
        let (_, mut out) = started(&expected, http);
        let expected = drained(&mut out, 1 << 20, 1 << 20);
        let request = streamed.encode_with(&template).expect("right");
        assert!(!request.goes_as_encoded() && request.places.streamed_bytes() == 2 * len);
        for (piece, step) in [(64, 64), (64, 63), (7, 3), (1, 1), (100, 1000), (1 << 20, 1 << 20), (200, 65)]
        {
            let (_, mut out) = started(&request, http);
            assert_eq!(
                drained(&mut out, piece, step),
                expected,
                "{len} bytes in pieces of {piece}, {step} taken"
            );
        }
    }
}

#[test]
fn a_container_is_sent_as_much_of_a_file_as_it_asks_for() {
    let file = vec![b'x'; 20_000];
    let [(streamed, template), (whole, in_memory)] = specs(&file);
    let attributes = Attributes::default();
    let ajp = || Session::ajp(Default::default());
    let sent = |request: &Request| {
        let (mut session, mut out) = started(request, ajp);
        let mut sent = drained(&mut out, 100, 99);
        for asked in [8186, 1, 4000, 8186, 8186, 8186, 8186, 8186, 8186, 8186] {
            let [high, low] = u16::to_be_bytes(asked);
            session.handle_bytes(0, &[b'A', b'B', 0, 3, 6, high, low], &mut out, &mut Vec::new());
            sent.extend(drained(&mut out, 100, 99));
        }
        sent
    };
    let expected = sent(&ajp::encode(&whole, &in_memory, &attributes).expect("right"));
    assert!(expected.len() > 2 * file.len());
    assert_eq!(sent(&ajp::encode(&streamed, &template, &attributes).expect("right")), expected);
}

#[test]
fn it_goes_to_another_process_with_its_bytes() {
    let [(streamed, template), _] = specs(b"of a file");
    let request = streamed.encode_with(&template).expect("right");
    let there: Request =
        postcard::from_bytes(&postcard::to_allocvec(&request).expect("bytes")).expect("a request");
    let all = |request| drained(&mut started(request, || Session::http1(Default::default())).1, 50, 50);
    assert_eq!(all(&there), all(&request));
}

#[derive(Debug)]
struct Gone;

impl Source for Gone {
    fn bytes(&self) -> u64 {
        5
    }

    fn read(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
        Err(io::Error::other("it is gone"))
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let streamed = vec![(0, Streamed::new(Gone))];
    let spec = RequestSpec { method: "PUT".into(), ..RequestSpec::get("h", "/") };
    let request = spec.encode_with(&Template { streamed, ..Template::default() }).expect("right");
    let (_, out) = started(&request, || Session::http1(Default::default()));
    assert_eq!(out.read(&mut [0; 999]).expect_err("gone").to_string(), "it is gone");
    assert!(postcard::to_allocvec(&request).is_err());
}
