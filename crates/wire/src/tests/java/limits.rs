//! Limits at their boundary, and what a byte costs.

use super::fixture;
use super::fuzzed::{Ended, walk};
use crate::MalformedKind;
use crate::java::{Limits, Walker};
use crate::tests::work;

const BEYOND: MalformedKind = MalformedKind::BodyTooLong;

#[test]
fn bytes_are_limited_where_a_length_tells_them() {
    let limits = |bytes_max| Limits { bytes_max, ..Limits::default() };
    let text = b"\x74\x00\x05hello";
    assert_eq!(walk(limits(8), text), Ended::Done(8));
    assert_eq!(walk(limits(7), text), Ended::Broken(2, BEYOND));
    assert_eq!(
        walk(Limits::default(), b"\x7c\xff\xff\xff\xff\xff\xff\xff\xff"),
        Ended::Broken(8, MalformedKind::Other)
    );
    let array = b"\x75\x72\x00\x02[L\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\x7f\xff\xff\xff";
    assert_eq!(walk(limits(i32::MAX as u64), array), Ended::Broken(22, BEYOND));
    assert_eq!(walk(Limits::default(), array), Ended::More, "no limit of its own");
    let person = &fixture("person")[4..];
    assert_eq!(walk(limits(person.len() as u64), person), Ended::Done(person.len()));
    assert!(matches!(walk(limits(person.len() as u64 - 1), person), Ended::Broken(_, BEYOND)));
}

#[test]
fn each_stream_has_the_whole_limit_and_its_elements_share_it() {
    let mut walker = Walker::new(Limits { bytes_max: 15, ..Limits::default() });
    let text = b"\x74\x00\x05hello";
    for _ in 0..3 {
        assert!(walker.feed(text).is_ok_and(|fed| fed.done));
        walker.begin();
    }
    assert!(walker.feed(text).is_ok());
    walker.next();
    assert_eq!(walker.feed(text).expect_err("16 bytes").kind, BEYOND);
}

/// Arrays within arrays, that many.
fn nested(depth: usize) -> Vec<u8> {
    let mut bytes = b"\x75\x72\x00\x02[L\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\0\0\0\x01".to_vec();
    for _ in 1..depth {
        bytes.extend_from_slice(b"\x75\x71\x00\x7e\x00\x00\0\0\0\x01");
    }
    bytes.push(0x70);
    bytes
}

#[test]
fn depth_and_classes_are_limited() {
    // An only element leaves nothing behind it on the stack, but its class descriptor needs four parts.
    let deep = nested(100_000);
    assert_eq!(walk(Limits::default(), &deep), Ended::Done(deep.len()));
    let two = |count: usize| {
        let mut bytes = b"\x75\x72\x00\x02[L\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\0\0\0\x02".to_vec();
        bytes.extend(b"\x75\x71\x00\x7e\x00\x00\0\0\0\x02".repeat(count));
        bytes.extend(b"\x70".repeat(count + 2));
        bytes
    };
    let limits = Limits { depth_max: 50, ..Limits::default() };
    let (within, beyond) = (two(48), two(49));
    assert_eq!(walk(limits, &within), Ended::Done(within.len()));
    assert!(matches!(walk(limits, &beyond), Ended::Broken(_, MalformedKind::TooDeep)));

    let person = &fixture("person")[4..];
    let classes = |classes_max| Limits { classes_max, ..Limits::default() };
    assert_eq!(walk(classes(7), person), Ended::Done(person.len()));
    assert!(matches!(walk(classes(6), person), Ended::Broken(_, MalformedKind::TooDeep)));
}

#[test]
fn no_more_than_64_classes_are_above_another() {
    let line = |above: usize| {
        let mut bytes = vec![0x73];
        bytes.extend(b"\x72\x00\x01A\0\0\0\0\0\0\0\0\x02\0\0\x78".repeat(above + 1));
        bytes.push(0x70);
        bytes
    };
    assert_eq!(walk(Limits::default(), &line(64)), Ended::Done(line(64).len()));
    assert_eq!(walk(Limits::default(), &line(65)), Ended::Broken(line(65).len() - 1, MalformedKind::TooDeep));
}

#[test]
fn a_byte_costs_the_same_however_it_comes() {
    let mut values = b"\x75\x72\x00\x02[L\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\0\0\x03\xe8".to_vec();
    values.extend(b"\x74\x00\x64".iter().chain(&[b'y'; 100]).copied().collect::<Vec<u8>>().repeat(1000));
    let mut walker = Walker::new(Limits::default());
    work::take();
    assert!(walker.feed(&values).is_ok_and(|fed| fed.done));
    let whole = work::take();
    walker.begin();
    for byte in &values {
        walker.feed(std::slice::from_ref(byte)).expect("the stream is right");
    }
    let by_byte = work::take();
    assert!(whole <= values.len() as u64, "{whole} steps for {} bytes", values.len());
    assert!(by_byte <= whole + 2 * values.len() as u64, "{by_byte} steps byte by byte");
}
