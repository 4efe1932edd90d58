//! The laws on what chance makes of replies, on any bytes, and on the fuzz seeds.

use super::{frame, fuzzed, hex, names, numbered};
use proptest::prelude::*;

/// A frame of that serialization and status, which is the reply to the first exchange of one of the fuzzed connections.
fn framed(choices: [u8; 3], body: &[u8]) -> Vec<u8> {
    let [serialization, status, id] = choices;
    let numbers = [1, 2, 3, 6, 23, 8];
    let statuses = [20, 20, 20, 70, 40];
    let ids = ["0000000000000007", "0000000000000000", "0000000100000001"];
    let head = [0xda, 0xbb, numbers[usize::from(serialization) % 6], statuses[usize::from(status) % 5]];
    let id = hex(ids[usize::from(id) % 3]);
    [&head, id.as_slice(), &(body.len() as u32).to_be_bytes(), body].concat()
}

/// Pieces that bodies are made of.
const PIECES: &[&[u8]] = &[
    b"\x91",
    b"\x94",
    b"\x90",
    b"1\n",
    b"0\n",
    b"4\n",
    b"\x1a",
    b"\x19",
    b"\x1d",
    b"\0\0\0\x02\xbd\x01",
    b"\xac\xed\0\x05\x77\x02\x01\x01",
    b"\x05hello",
    b"N",
    b"HZ",
    b"\"x\"\n",
    b"{}\n",
    b"\x8b\x90\x83\x81a",
    b"\x8b\x92\x85\x81",
    b"\x8b\x93\x86\x80",
    b"\x8a\x83\x83LT;\x80\x1a",
    b"\x94",
    b"\0\0\0\x01\xaf",
    b"\0\0\0\x02\x4a",
    b"\x83\xff",
    b"C\x01T\x91\x01f\x60",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(384) })]

    #[test]
    fn a_client_holds_the_laws_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzzed::client(&bytes);
    }

    #[test]
    fn a_client_holds_the_laws_on_frames_in_disorder(
        how in any::<[u8; 2]>(),
        frames in prop::collection::vec(
            (any::<[u8; 3]>(), prop::collection::vec(prop::sample::select(PIECES), 0..6)), 0..4),
        tail in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        let frames: Vec<u8> = frames.iter().flat_map(|(choices, pieces)| framed(*choices, &pieces.concat())).collect();
        fuzzed::client(&[how.as_slice(), &frames, &tail].concat());
    }

    #[test]
    fn a_client_holds_the_laws_on_recorded_replies_with_a_wrong_byte(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let names: Vec<_> = names(".rsp").filter(|name| !name.contains("Map")).collect();
        let mut bytes = numbered(&frame(names[which.index(names.len())]), 7);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        fuzzed::client(&[[0, byte].as_slice(), &bytes].concat());
    }
}

#[test]
fn a_client_holds_the_laws_on_the_fuzz_seeds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/dubbo");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seen = 0;
    for file in files {
        fuzzed::client(
            &std::fs::read(file.expect("the folder can be listed").path()).expect("it can be read"),
        );
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} files");
}
