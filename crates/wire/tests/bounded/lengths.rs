//! Lengths that a peer announces: nothing is made ready for what has not come.

use super::floods::{frame, packet};
use super::{Stuck, peak_of, request, session};
use proofload_wire::{Protocol, rmi};

/// Most that is held when some bytes announce many: what a session has anyway, and its request.
const HELD_MAX: usize = 128 * 1024;

/// Lengths as large as they can be written, and as large as is still believed, in HTTP.
const HTTP: &[&[u8]] = &[
    b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\nx",
    b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3fffffff\r\nx",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
    b"HTTP/1.1 100 Go\r\nContent-Length: 1000000000\r\n\r\n",
];

/// In Hessian 2 and 1, in Java's streams, in Dubbo's own serialization and in JSONB.
const HESSIAN: &[&[u8]] = &[
    b"V\x01aI\x7f\xff\xff\xff",
    b"XI\x7f\xff\xff\xff",
    b"V\x01aI\xff\xff\xff\xff",
    b"C\x01aI\x7f\xff\xff\xff\x01a",
    b"S\xff\xffx",
    b"R\xff\xffx",
    b"B\xff\xffx",
    b"A\xff\xffx",
    b"QI\x7f\xff\xff\xff",
    b"O I\x7f\xff\xff\xff",
    b"M\x03\xff\xff\xff",
];
const HESSIAN_1: &[&[u8]] = &[
    b"r\x01\x00Vl\x7f\xff\xff\xff",
    b"r\x01\x00Vt\xff\xffa",
    b"r\x01\x00S\xff\xffx",
    b"r\x01\x00B\xff\xffx",
];
const JAVA: &[&[u8]] = &[
    b"\x7c\x00\x00\x00\x00\x3f\xff\xff\xffx",
    b"\x7c\x7f\xff\xff\xff\xff\xff\xff\xffx",
    b"\x74\xff\xffx",
    b"\x75\x72\x00\x02[B\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\x3f\xff\xff\xff",
    b"\x75\x72\x00\x02[L\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\x7f\xff\xff\xff\x70",
    b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x02\xff\xffI\x00\x01a",
    b"\x73\x7d\x00\x00\xff\xff\x00\x01a",
    b"\x73\x72\xff\xffA",
];
const NATIVE: &[&[u8]] = &[
    b"\x1a\x85\x7f\x7f\x7f\x7f\x8f",
    b"\x1a\x86\x7f\x7f\x7f\x7f\x8f",
    b"\x1a\x83\x7f\x7f\x7f\x7f\x8fx",
    b"\x1a\x82\x7f\x7f\x7f\x7f\x8fx",
    b"\x1a\x80\x03\xff\xff\xff\xff",
];
const JSONB: &[&[u8]] = &[
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x02\xbd\x04\x7f\xff\xff\xff\xa4\x48\x7f\xff\xff\xff",
    b"\x00\x00\x00\x02\xbd\x04\x7f\xff\xff\xff\x79\x48\x7f\xff\xff\xffx",
    b"\x00\x00\x00\x02\xbd\x04\x7f\xff\xff\xff\x91\x48\x7f\xff\xff\xffx",
    b"\x00\x00\x00\x02\xbd\x04\x7f\xff\xff\xff\x92\x79\x48\x7f\xff\xff\xffx",
];

fn announced(protocol: Protocol) -> Vec<Vec<u8>> {
    match protocol {
        Protocol::Http1 => HTTP.iter().map(|answer| answer.to_vec()).collect(),
        Protocol::Ajp => of_ajp(),
        Protocol::Hessian => of_hessian(),
        Protocol::JsonRpc => vec![http(b"{\"result\":1e999999999"), http(b"{\"result\":\"\\uffff")],
        Protocol::Rmi => of_rmi(),
        Protocol::Dubbo => of_dubbo(),
        other => panic!("which lengths does a peer of {other:?} announce?"),
    }
}

/// An answer of HTTP whose body begins so.
fn http(body: &[u8]) -> Vec<u8> {
    [b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", body].concat()
}

fn of_ajp() -> Vec<Vec<u8>> {
    let long = packet(b"\x04\x00\xc8\x00\x02OK\x00\x00\x01\xa0\x03\x00\x0a1000000000\x00");
    vec![
        b"AB\xff\xff\x03\xff\xfcx".to_vec(),
        b"AB\xff\xff\x04\x00\xc8\xff\xfex".to_vec(),
        packet(b"\x04\x00\xc8\x00\x02OK\x00\xff\xff"),
        packet(b"\x06\xff\xff"),
        [long.as_slice(), b"AB"].concat(),
    ]
}

fn of_hessian() -> Vec<Vec<u8>> {
    let two = HESSIAN.iter().map(|value| http(&[b"H\x02\x00R", *value].concat()));
    let fault = HESSIAN.iter().map(|value| http(&[b"H\x02\x00FH\x07message", *value].concat()));
    two.chain(fault).chain(HESSIAN_1.iter().map(|body| http(body))).collect()
}

fn of_rmi() -> Vec<Vec<u8>> {
    let of = |how: u8| {
        let head = [b"\x51\xac\xed\0\x05\x77\x0f", &[how][..], &[0; 14]].concat();
        JAVA.iter().map(move |value| [&head, *value].concat())
    };
    let block = b"\x51\xac\xed\0\x05\x7a\xff\xff\xff\xff\x01".to_vec();
    of(1).chain(of(2)).chain([block]).collect()
}

fn of_dubbo() -> Vec<Vec<u8>> {
    let of = |serialization: u8, kind: &[u8], value: &[u8]| {
        let head = [0xda, 0xbb, serialization, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff];
        [&head[..], kind, value].concat()
    };
    let whole = |(length, flags, status): (u32, u8, u8)| {
        let mut head = frame(flags, status, 0, b"");
        head[12..].copy_from_slice(&length.to_be_bytes());
        [head, b"x".to_vec()].concat()
    };
    let frames =
        [(u32::MAX, 2, 20), (1 << 30, 2, 20), (8 << 20, 2, 70), (8 << 20, 0xe2, 0), (8 << 20, 0x22, 20)];
    let frames = frames.into_iter().map(whole);
    let hessian = HESSIAN.iter().flat_map(|value| [of(2, b"\x91", value), of(2, b"\x90", value)]);
    let java = JAVA.iter().map(|value| of(3, b"\xac\xed\0\x05\x77\x01\x01", value));
    let native = NATIVE.iter().map(|value| of(1, b"", value));
    let jsonb = JSONB.iter().map(|value| of(23, b"", value));
    frames.chain(hessian).chain(java).chain(native).chain(jsonb).collect()
}

#[test]
fn a_length_that_is_only_announced_takes_no_memory() {
    for &protocol in Protocol::ALL {
        let request = request(protocol);
        let own = request.bytes.len();
        for bytes in announced(protocol) {
            let shown = bytes.escape_ascii().to_string();
            let held = peak_of(|| {
                let mut stuck = Stuck::new(session(protocol));
                stuck.start(&request);
                stuck.receive(&bytes);
            });
            // The rest of a request is copied, into a buffer that doubles.
            assert!(held <= HELD_MAX + 2 * own, "{protocol:?}: {held} bytes for {shown}");
            let held = peak_of(|| {
                for sent in [true, false] {
                    drop(protocol.describe(sent, &bytes));
                }
            });
            assert!(held <= HELD_MAX, "{protocol:?}: {held} bytes to describe {shown}");
            let held = peak_of(|| drop(rmi::parse_lookup(bytes.get(22..).unwrap_or_default())));
            assert!(held <= HELD_MAX, "{held} bytes to look for an object in {shown}");
        }
    }
}
