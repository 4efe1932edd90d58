//! The laws on a corpus of answers, on what chance makes of it, and on any bytes.

use super::{END, END_AND_CLOSE, PONG, ask, chunk, fuzzed, headers, string};
use proptest::prelude::*;

/// Pieces that answers are made of; chance strings them together.
fn pieces() -> Vec<Vec<u8>> {
    let length = string("Content-Length");
    vec![
        headers(200, &[]),
        headers(200, &[(&[0xa0, 3], "5")]),
        headers(404, &[(&length, "2"), (&[0xa0, 1], "text/html")]),
        headers(304, &[(&string("X"), "y")]),
        chunk(b"hello"),
        chunk(b"ok"),
        chunk(b""),
        b"AB\0\x05\x03\0\x02ok".to_vec(),
        ask(8186),
        ask(7),
        ask(0),
        END.to_vec(),
        END_AND_CLOSE.to_vec(),
        PONG.to_vec(),
        b"AB".to_vec(),
        vec![0],
    ]
}

/// One bit in three cases is wrong.
fn strung() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        15 => prop::sample::select(pieces()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    let flip = prop::option::weighted(0.33, (any::<prop::sample::Index>(), 0..8));
    (any::<[u8; 2]>(), prop::collection::vec(piece, 0..12), flip).prop_map(|(choices, pieces, flip)| {
        let mut bytes = pieces.concat();
        if let Some((index, bit)) = flip.filter(|_| !bytes.is_empty()) {
            let at = index.index(bytes.len());
            bytes[at] ^= 1u8 << bit;
        }
        [choices.to_vec(), bytes].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn the_laws_hold_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzzed::client(&bytes);
    }

    #[test]
    fn the_laws_hold_on_packets_in_disorder(bytes in strung()) {
        fuzzed::client(&bytes);
    }
}

#[test]
fn the_laws_hold_on_the_fuzz_seeds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/ajp");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seen = 0;
    for file in files {
        let path = file.expect("the folder can be listed").path();
        fuzzed::client(&std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} files in {}", folder.display());
}
