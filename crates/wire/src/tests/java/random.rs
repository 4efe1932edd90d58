//! The laws on what Java writes, on what chance makes of it, and on any bytes.

use super::{fixture, fuzzed, names};
use crate::java::Limits;
use crate::tests::corpus::corpus;
use proptest::prelude::*;

/// Pieces that streams are made of; chance strings them together.
const PIECES: &[&[u8]] = &[
    b"\x70",
    b"\x71\x00\x7e\x00\x00",
    b"\x71\x00\x7e\x00\x01",
    b"\x72\x00\x01A\0\0\0\0\0\0\0\x01\x02\0\x02I\0\x01iL\0\x01o\x74\0\x01L\x78",
    b"\x72\x00\x02[I\0\0\0\0\0\0\0\x01\x02\0\0\x78",
    b"\x72\x00\x01B\0\0\0\0\0\0\0\x01\x03\0\0\x78",
    b"\x72\x00\x01C\0\0\0\0\0\0\0\x01\x0c\0\0\x78",
    b"\x7d\0\0\0\x01\0\x01P\x78",
    b"\x73",
    b"\x75",
    b"\x76",
    b"\x7e",
    b"\x74\x00\x01x",
    b"\x7c\0\0\0\0\0\0\0\x01x",
    b"\x77\x01x",
    b"\x7a\0\0\0\x01x",
    b"\x78",
    b"\x79",
    b"\x7b",
    b"\0\0\0\x01",
];

fn strung() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => prop::sample::select(PIECES).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    (any::<u8>(), prop::collection::vec(piece, 0..16))
        .prop_map(|(how, pieces)| [vec![how], pieces.concat()].concat())
}

/// Runs the code of the fuzz target, and every cut.
fn stream(input: &[u8]) {
    fuzzed::stream(input);
    if let Some((_, bytes)) = input.split_first() {
        fuzzed::walk_split(Limits::default(), bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1024) })]

    #[test]
    fn any_bytes_end_the_same_however_they_are_split(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        stream(&bytes);
    }

    #[test]
    fn streams_in_disorder_end_the_same_however_they_are_split(bytes in strung()) {
        stream(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn streams_of_java_with_a_wrong_byte_end_the_same_however_they_are_split(
        at in any::<prop::sample::Index>(), which in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let all: Vec<&str> = names().collect();
        let mut bytes = fixture(all[which.index(all.len())]);
        bytes.truncate(600);
        // The last byte of the header chooses the limits.
        let at = at.index(bytes.len() - 3) + 3;
        bytes[at] = byte;
        stream(&bytes[3..]);
    }
}

#[test]
fn streams_of_the_fuzz_seeds_end_the_same_however_they_are_split() {
    corpus("java", stream);
}
