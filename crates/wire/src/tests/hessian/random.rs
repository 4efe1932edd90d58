//! The walkers on what chance makes of values, and on any bytes.

use super::{dubbo_bodies, fuzzed};
use proptest::prelude::*;

/// Pieces that values are made of; chance strings them together.
const PIECES: &[&[u8]] = &[
    b"N",
    b"T",
    b"H",
    b"M",
    b"Z",
    b"z",
    b"X\x92",
    b"V",
    b"t\0\x01a",
    b"l\0\0\0\x01",
    b"S\0\x02",
    b"s\0\x01",
    b"R\0\x01",
    b"\x02ab",
    b"C\x01c\x91\x01x",
    b"`",
    b"O\x90",
    b"\x79",
    b"\x71",
    b"U",
    b"W",
    b"\xc3\xa9",
    b"\xf0\x9f\x98\x80",
    b"Q\x90",
    b"A\0\x01",
    b"\x21",
    b"I\0\0\0\x01",
    b"D",
    b"b\0\x01",
    b"B\0\x01",
    b"r",
    b"\xd0",
];

/// Pieces that answers are made of.
const ANSWER_PIECES: &[&[u8]] = &[
    b"H\x02\0R",
    b"H\x02\0F",
    b"H\x04code\x01x",
    b"\x07message\x02no",
    b"\x06detailC\x01E\x91\x0ddetailMessage`\x01x",
    b"Z",
    b"r\x01\0",
    b"fS\0\x04codeS\0\x01x",
    b"z",
    b"N",
    b"{",
    b"}",
    b"\"result\":",
    b"\"error\":",
    b"\"message\":\"no\"",
    b"\"code\":-1",
    b",",
    b"[",
    b"]",
    b"1",
    b"null",
    b"\"\\u00e9\"",
    b"HTTP/1.1 200 \r\n\r\n",
];

fn strung(pieces: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => prop::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    (any::<[u8; 2]>(), prop::collection::vec(piece, 0..20))
        .prop_map(|(choices, pieces)| [choices.to_vec(), pieces.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2048) })]

    #[test]
    fn a_session_holds_the_laws_on_values_in_disorder(bytes in strung(ANSWER_PIECES)) {
        fuzzed::session(&bytes);
    }

    #[test]
    fn a_session_holds_the_laws_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzzed::session(&bytes);
    }

    #[test]
    fn a_walker_finds_the_same_in_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzzed::walker(&bytes);
    }

    #[test]
    fn a_walker_finds_the_same_in_values_in_disorder(bytes in strung(PIECES)) {
        fuzzed::walker(&bytes);
    }

    #[test]
    fn a_walker_finds_the_same_in_values_with_a_wrong_byte(at in any::<prop::sample::Index>(), byte: u8, how: u8) {
        let bodies = dubbo_bodies();
        let mut bytes = [&[how | 1], bodies[at.index(bodies.len())].1.as_slice()].concat();
        let at = at.index(bytes.len() - 1) + 1;
        bytes[at] = byte;
        fuzzed::walker(&bytes);
    }
}

/// Runs `check` on every file of a corpus that is kept beside the fuzz targets.
fn corpus(target: &str, check: fn(&[u8])) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths: Vec<_> = files.map(|file| file.expect("the folder can be listed").path()).collect();
    for path in &paths {
        check(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
    }
    assert!(paths.len() >= 10, "only {} files in {}", paths.len(), folder.display());
}

#[test]
fn a_walker_finds_the_same_in_the_fuzz_seeds() {
    corpus("hessian", fuzzed::walker);
}

#[test]
fn a_session_holds_the_laws_on_the_fuzz_seeds() {
    corpus("hessian_rpc", fuzzed::session);
}
