//! End of an element.

use super::fuzzed::{Ended, walk, walk_split};
use super::{fixture, names};
use crate::MalformedKind;
use crate::java::{Limits, Walker};

#[test]
fn what_java_writes_ends_with_its_last_byte_however_it_is_split() {
    for name in
        names().filter(|name| !matches!(*name, "external_1" | "bad" | "reset" | "blocks" | "blocks_long"))
    {
        let stream = &fixture(name)[4..];
        assert_eq!(walk(Limits::default(), stream), Ended::Done(stream.len()), "{name}");
        walk_split(Limits::default(), stream);
        let followed = [stream, b"\x70more"].concat();
        assert_eq!(walk(Limits::default(), &followed), Ended::Done(stream.len()), "{name}");
    }
}

#[test]
fn a_truncated_element_has_not_ended() {
    for name in
        names().filter(|name| !matches!(*name, "external_1" | "bad" | "reset" | "blocks" | "blocks_long"))
    {
        let stream = &fixture(name)[4..];
        for len in 0..stream.len() {
            assert_eq!(walk(Limits::default(), &stream[..len]), Ended::More, "{name} cut after {len} bytes");
        }
    }
}

#[test]
fn several_elements_share_their_handles_until_a_reset() {
    let stream = &fixture("blocks")[4..];
    let mut walker = Walker::new(Limits::default());
    let mut at = 0;
    let mut ends = Vec::new();
    while at < stream.len() {
        let fed = walker.feed(&stream[at..]).expect("the stream is right");
        assert!(fed.done);
        at += fed.consumed;
        ends.push(at);
        walker.next();
    }
    assert_eq!(ends, [14, 18, 21], "a block, a string and a block");

    let list = &fixture("list_empty")[4..];
    let again = b"\x73\x71\x00\x7e\x00\x00\x00\x00\x00\x00\x77\x04\x00\x00\x00\x00\x78";
    let mut walker = Walker::new(Limits::default());
    for element in [list, again] {
        assert_eq!(walker.feed(element).map(|fed| fed.consumed), Ok(element.len()));
        walker.next();
    }
    let reset = [&[0x79][..], again].concat();
    let broken = walker.feed(&reset).expect_err("the class is forgotten");
    assert_eq!((broken.at, broken.kind), (6, MalformedKind::Other));
    walker.begin();
    assert_eq!(walker.feed(again).expect_err("another stream").at, 5);
}

#[test]
fn a_writer_that_gives_up_ends_the_element_before_its_exception() {
    let stream = &fixture("bad")[4..];
    let mut walker = Walker::new(Limits::default());
    let fed = walker.feed(stream).expect("the stream is right");
    assert!(fed.done && walker.aborted());
    assert_eq!(stream[fed.consumed - 1], 0x7b);
    walker.begin();
    let rest = &stream[fed.consumed..];
    assert_eq!(walker.feed(rest).map(|fed| (fed.consumed, fed.done)), Ok((rest.len(), true)));
    assert!(!walker.aborted());
}

#[test]
fn what_only_its_class_can_read_is_malformed() {
    let stream = &fixture("external_1")[4..];
    let Ended::Broken(at, MalformedKind::Other) = walk(Limits::default(), stream) else {
        panic!("an externalizable object of version 1 has no end")
    };
    assert_eq!(at, stream.len() - 18, "with the null for the class above");
    walk_split(Limits::default(), stream);
}

#[test]
fn a_kind_of_time_that_is_none_is_malformed() {
    let mut stream = fixture("times_1")[4..].to_vec();
    let class = stream.windows(13).position(|name| name == b"java.time.Ser").expect("the class");
    // Its kind comes behind name, serialVersionUID, flags, count, end tag and null.
    let kind = class + 13 + 8 + 1 + 2 + 2;
    assert_eq!(stream[kind], 1);
    for wrong in [0, 15] {
        stream[kind] = wrong;
        assert_eq!(walk(Limits::default(), &stream), Ended::Broken(kind, MalformedKind::Other));
    }
}

#[test]
fn wrong_bytes_are_told_where_they_show() {
    for (bytes, at) in [
        (&b"HTTP/1.1"[..], 0),
        (b"\x6f", 0),
        (b"\x7f", 0),
        (b"\x78", 0),
        // An object whose class is null, a string, or a reference to nothing.
        (b"\x73\x70", 1),
        (b"\x73\x74", 1),
        (b"\x73\x71\x00\x7e\x00\x00", 5),
        // Flags that contradict each other; a type that is none; a primitive behind an object.
        (b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x06\0\0", 15),
        (b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x02\0\x01X\0\0", 18),
        (b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x02\0\x02L\0\0\x70I\0\0", 22),
        // A class above itself; an object of a class without serialized form; an array of no array class.
        (b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x02\0\0\x78\x71\x00\x7e\x00\x00", 21),
        (b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x00\0\0\x78\x70", 17),
        (b"\x75\x72\x00\x01A\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\0\0\0\x01", 21),
        // A negative length of an array and of a block; an array class as an object's.
        (b"\x75\x72\x00\x02[B\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\xff\xff\xff\xff", 22),
        (b"\x7a\x80\0\0\0", 4),
        (b"\x73\x72\x00\x02[B\0\0\0\0\0\0\0\0\x02\0\0\x78\x70", 18),
        // A reset within an object.
        (b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x03\0\0\x78\x70\x79", 18),
    ] {
        let shown = bytes.escape_ascii().to_string();
        assert_eq!(walk(Limits::default(), bytes), Ended::Broken(at, MalformedKind::Other), "{shown}");
        walk_split(Limits::default(), bytes);
        assert_eq!(walk(Limits::default(), &bytes[..at]), Ended::More, "{shown}");
    }
}
