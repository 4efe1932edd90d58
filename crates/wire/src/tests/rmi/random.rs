//! The laws on answers of Java's servers, on what chance makes of them, and on any bytes.

use super::{JDK17, fuzzed};
use crate::tests::corpus::corpus;
use crate::tests::java::unhex;
use proptest::prelude::*;

/// Pieces that answers are made of; chance strings them together.
const PIECES: &[&[u8]] = &[
    b"\x51\xac\xed\0\x05\x77\x0f\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\x51\xac\xed\0\x05\x77\x0f\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\x51\xac\xed\0\x05\x77\x17\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\x77\x08\0\0\0\0\0\0\0\0",
    b"\x53",
    b"\x4e\0\x01h\0\0\0\0",
    b"\x70",
    b"\x74\0\x05hello",
    b"\x73\x72\x00\x01E\0\0\0\0\0\0\0\0\x02\0\x01L\0\x0ddetailMessage\x70\x78\x70\x74\0\x02no",
    b"\x75\x72\x00\x02[L\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\0\0\0\x02",
    b"\x73\x71\x00\x7e\x00\x00",
    b"\x7b",
    b"\x78",
];

fn strung() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => prop::sample::select(PIECES).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    (any::<[u8; 2]>(), prop::collection::vec(piece, 0..10))
        .prop_map(|(choices, pieces)| [choices.to_vec(), pieces.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_client_holds_the_laws_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        fuzzed::client(&bytes);
    }

    #[test]
    fn a_client_holds_the_laws_on_answers_in_disorder(bytes in strung()) {
        fuzzed::client(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn a_client_holds_the_laws_on_answers_of_java_with_a_wrong_byte(
        choices in any::<[u8; 2]>(), at in any::<prop::sample::Index>(), which in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let all: Vec<&str> = JDK17.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
        let mut answer = unhex(all[which.index(all.len())]);
        let at = at.index(answer.len());
        answer[at] = byte;
        fuzzed::client(&[choices.to_vec(), answer].concat());
    }
}

#[test]
fn a_client_holds_the_laws_on_the_fuzz_seeds() {
    corpus("rmi", fuzzed::client);
}
