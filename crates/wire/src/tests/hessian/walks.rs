//! Ends of values of every kind, however their bytes come.

use super::fuzzed::{self, Walked};
use super::{dubbo_bodies, person, unhex};
use crate::hessian::{DEPTH_MAX, FIELDS_MAX, v1, v2};
use crate::tests::work;
use crate::{Placeholders, Value};

/// `bytes` is one value of that version: each cut finds its end, and no truncation does.
#[track_caller]
fn one(version: u8, bytes: &[u8]) {
    let whole = Walked { ends: vec![bytes.len()], wrong: None };
    let shown = bytes.escape_ascii().to_string();
    assert_eq!(fuzzed::walk_version(version, [bytes]), whole, "{shown}");
    for cut in 0..bytes.len() {
        let (left, right) = bytes.split_at(cut);
        assert_eq!(fuzzed::walk_version(version, [left, right]), whole, "cut at {cut}: {shown}");
        assert_eq!(fuzzed::walk_version(version, [left]), Walked::default(), "{cut} of {shown}");
    }
    assert_eq!(fuzzed::walk_version(version, bytes.chunks(1)), whole, "{shown}");
}

/// Byte `at` is the first that cannot be there.
#[track_caller]
fn wrong(version: u8, bytes: &[u8], at: usize) {
    let wrong = Walked { ends: Vec::new(), wrong: Some(at) };
    assert_eq!(fuzzed::walk_version(version, [bytes]), wrong, "{}", bytes.escape_ascii());
    assert_eq!(fuzzed::walk_version(version, bytes.chunks(1)), wrong, "{}", bytes.escape_ascii());
}

#[test]
fn the_values_of_dubbo_end_at_the_last_byte_of_their_frame() {
    for (name, body) in dubbo_bodies() {
        let walked = fuzzed::walk_version(2, [body.as_slice()]);
        assert_eq!(walked.wrong, None, "{name}");
        assert_eq!(walked.ends.last(), Some(&body.len()), "{name}");
        // Version, path, version, method, types, arguments, attachments; or kind, value, and attachments of some.
        let values = if name.ends_with("req") { 7..=7 } else { 2..=3 };
        assert!(values.contains(&walked.ends.len()), "{name}: {:?}", walked.ends);
        assert_eq!(fuzzed::walk_version(2, body.chunks(1)), walked, "{name}");
    }
}

#[test]
fn whatever_is_written_is_passed_over() {
    let texts =
        ["é\u{1f600}".repeat(40), "x".repeat(0x8001), "é".repeat(1024)].map(|text| text.as_str().into());
    let values = [
        person(),
        Value::List(vec![Value::Int(1 << 20), Value::Long(1 << 40), Value::Double(0.1), Value::Date(1)]),
        Value::Bytes(vec![0; 40]),
        Value::Map(vec![(Value::Null, Value::List(vec![Value::Null; 9]))]),
    ];
    for value in values.iter().chain(&texts) {
        let (mut first, mut second, mut places) = (Vec::new(), Vec::new(), Placeholders::default());
        v1::Writer::new(&mut first, &mut places).value(value);
        v2::Writer::new(&mut second, &mut places).value(value);
        if second.len() < 2000 {
            one(1, &first);
            one(2, &second);
        }
        for (version, bytes) in [(1, first), (2, second)] {
            let ends = vec![bytes.len()];
            assert_eq!(fuzzed::walk_version(version, bytes.chunks(1)), Walked { ends, wrong: None });
        }
    }
}

#[test]
fn values_of_other_writers_are_passed_over() {
    let second = [
        "55 04 5b696e74 90 91 5a",                   // a typed list until Z
        "55 90 5a",                                  // whose type came before
        "56 04 5b696e74 92 90 91",                   // of two
        "57 90 91 5a",                               // untyped, until Z
        "57 5a",                                     // with nothing in it
        "58 90",                                     // of none
        "72 04 5b696e74 90 91",                      // compact, typed
        "70 90",                                     // compact, of none
        "4d 01 61 90 91 5a",                         // a typed map
        "48 5a",                                     // an empty one
        "48 01 61 51 90 5a",                         // that holds itself
        "52 0001 61 52 0001 62 01 63",               // three chunks
        "52 0000 00",                                // empty chunks
        "41 0001 ff 34 01 ff",                       // chunks of a binary
        "41 0000 20",                                // empty ones
        "43 01 61 90 60",                            // an object without fields
        "43 01 61 92 01 78 01 79 4f 90 4e 60 4e 4e", // one whose class has its index
        "43 01 61 90 43 01 62 90 61",                // two definitions before an object
        "43 52 0001 61 01 62 91 01 78 60 90",        // a class whose name is in chunks
        "02 f09f9880",                               // a pair in four bytes
        "59 00000001",
        "4b 00e3838f",
    ];
    for digits in second {
        one(2, &unhex(digits));
    }
    let first = [
        "56 74 0004 5b696e74 6c 00000001 49 00000001 7a",
        "56 74 0004 5b696e74 49 00000001 7a",
        "56 7a",
        "4d 4e 4e 7a",
        "4d 74 0000 7a",
        "52 00000001",
        "73 0001 61 53 0000",
        "78 0001 61 58 0001 62",
        "62 0001 ff 42 0000",
        "72 74 0001 61 53 0001 62",
        "56 72 74 0001 61 53 0001 62 7a",
    ];
    for digits in first {
        one(1, &unhex(digits));
    }
}

#[test]
fn a_byte_that_cannot_be_there_is_told_at_once() {
    for tag in [0x40, b'E', b'G', b'P', b'Z'] {
        wrong(2, &[tag], 0);
    }
    for (bytes, at) in [
        (&b"\x48\x01aZ"[..], 3),      // a key without a value
        (b"\x60", 0),                 // an object of no class
        (b"\x43\x01a\x90\x61", 4),    // of a class that is not defined
        (b"\x43\x01a\x90O\x91", 5),   // likewise
        (b"\x43\x90", 1),             // a class whose name is a number
        (b"\x43\x01a\x8f", 3),        // with -1 fields
        (b"\x43\x01a\x91\x90", 4),    // whose field's name is a number
        (b"HC\x01a\x90Z", 5),         // that no object follows
        (b"\x58\x8f", 1),             // a list of -1
        (b"\x58\xe0", 1),             // whose length is a long
        (b"\x55\x4e", 1),             // whose type is null
        (b"R\x00\x01a\x90", 4),       // a chunk of a text and then a number
        (b"A\x00\x01a\x01a", 4),      // a chunk of a binary and then a text
        (b"\x02\x80", 1),             // a text that begins amid a character
        (b"\x01\xc3\x41", 2),         // a character that is cut
        (b"\x01\xf0\x9f\x98\x80", 1), // a pair in a text of one unit
        (b"\x01\xff", 1),
    ] {
        wrong(2, bytes, at);
    }
    for tag in *b"zlt<HP{" {
        wrong(1, &[tag], 0);
    }
    for (bytes, at) in [
        (&b"MNz"[..], 2),
        (b"Vl\0\0\0\0t", 6),
        (b"VNl", 2),
        (b"Ml", 1),
        (b"s\0\x01aN", 4),
        (b"b\0\x01aS", 4),
        (b"rS", 1),
        (b"rt\0\0t", 4),
        (b"rt\0\0N", 4),
    ] {
        wrong(1, bytes, at);
    }
}

#[test]
fn nesting_classes_and_fields_have_limits() {
    let nested = |depth: usize| [vec![0x79; depth], vec![b'N']].concat();
    one(2, &nested(DEPTH_MAX));
    wrong(2, &nested(DEPTH_MAX + 1), DEPTH_MAX);
    let nested = |depth: usize| [vec![b'V'; depth], vec![b'z'; depth]].concat();
    one(1, &nested(DEPTH_MAX));
    wrong(1, &nested(DEPTH_MAX + 1), DEPTH_MAX);
    let class = |fields: usize| {
        let (mut bytes, mut places) = (b"C\x01c".to_vec(), Placeholders::default());
        v2::Writer::new(&mut bytes, &mut places).int(fields as i32);
        [bytes, vec![0; fields], vec![0x60], vec![b'N'; fields]].concat()
    };
    let most = class(FIELDS_MAX);
    assert_eq!(fuzzed::walk_version(2, [most.as_slice()]).ends, [most.len()]);
    assert_eq!(fuzzed::walk_version(2, [class(FIELDS_MAX + 1).as_slice()]).wrong, Some(5));
    let classes = b"C\x01c\x90".repeat(crate::hessian::CLASSES_MAX);
    let most = [classes.as_slice(), b"\x60"].concat();
    assert_eq!(fuzzed::walk_version(2, [most.as_slice()]).ends, [most.len()]);
    let more = [classes.as_slice(), b"C\x01c\x90"].concat();
    assert_eq!(fuzzed::walk_version(2, [more.as_slice()]).wrong, Some(more.len() - 1));
}

#[test]
fn classes_are_known_until_the_message_ends() {
    let mut walker = v2::Walker::new();
    assert!(walker.feed(b"C\x01c\x90`").expect("right").done);
    assert!(walker.feed(b"`").expect("right").done);
    walker.clear();
    assert!(walker.feed(b"`").is_err());
}

#[test]
fn a_large_value_is_not_looked_at_again_with_each_byte() {
    const LARGE: usize = 256 * 1024;
    for value in [
        Value::from("y".repeat(LARGE).as_str()),
        Value::from("é\u{1f600}".repeat(LARGE / 8).as_str()),
        Value::Bytes(vec![0; LARGE]),
        Value::List(vec![Value::Int(300); LARGE / 2]),
        Value::Map(vec![(Value::Null, "é".into()); LARGE / 4]),
    ] {
        let (mut first, mut second, mut places) = (Vec::new(), Vec::new(), Placeholders::default());
        v1::Writer::new(&mut first, &mut places).value(&value);
        v2::Writer::new(&mut second, &mut places).value(&value);
        for (version, bytes) in [(1, first), (2, second)] {
            work::take();
            let whole = fuzzed::walk_version(version, [bytes.as_slice()]);
            assert_eq!(whole.ends, [bytes.len()]);
            let looks = work::take();
            assert!(looks <= 2 * bytes.len() as u64, "{looks} looks for {} bytes", bytes.len());
            assert_eq!(fuzzed::walk_version(version, bytes.chunks(1)), whole);
            let by_byte = work::take();
            assert!(by_byte <= 3 * bytes.len() as u64, "{by_byte} looks for {} bytes", bytes.len());
        }
    }
}
