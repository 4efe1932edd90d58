//! Code that the fuzz target of Java's serialization runs on each input, and the tests on fixtures and random bytes.

use proofload_wire::MalformedKind;
use proofload_wire::java::{Limits, Walker, describe, thrown};

/// End of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It ended after this many bytes.
    Done(usize),
    /// It needs more bytes.
    More,
    /// It is wrong at this byte.
    Broken(usize, MalformedKind),
}

/// Walks an element that comes in pieces.
pub fn walk_pieces<'a>(limits: Limits, pieces: impl IntoIterator<Item = &'a [u8]>) -> Ended {
    let mut walker = Walker::new(limits);
    let mut before = 0;
    for piece in pieces {
        match walker.feed(piece) {
            Ok(fed) if fed.done => return Ended::Done(before + fed.consumed),
            Ok(fed) => assert_eq!(fed.consumed, piece.len(), "what is not done takes all"),
            Err(broken) => return Ended::Broken(before + broken.at, broken.kind),
        }
        before += piece.len();
    }
    Ended::More
}

/// Walks an element that comes whole.
pub fn walk(limits: Limits, bytes: &[u8]) -> Ended {
    walk_pieces(limits, [bytes])
}

/// Each cut in two, byte by byte and by threes end as the whole does.
pub fn walk_split(limits: Limits, bytes: &[u8]) {
    let whole = walk(limits, bytes);
    let shown = || bytes.escape_ascii().to_string();
    for cut in 0..=bytes.len() {
        let (left, right) = bytes.split_at(cut);
        assert_eq!(walk_pieces(limits, [left, right]), whole, "cut at {cut}: {}", shown());
    }
    for len in [1, 3] {
        assert_eq!(walk_pieces(limits, bytes.chunks(len)), whole, "pieces of {len}: {}", shown());
    }
}

/// The first byte of `input` chooses the limits and a length of pieces; the rest is a stream without its header. Not every
/// cut is tried: that takes so long that little else would be.
pub fn stream(input: &[u8]) {
    let Some((how, bytes)) = input.split_first() else { return };
    let small = Limits { depth_max: 8, classes_max: 2, bytes_max: 100 };
    let limits = if how & 1 != 0 { small } else { Limits::default() };
    let ended = walk(limits, bytes);
    for len in [1, 3, usize::from(how >> 1) + 1] {
        let split = walk_pieces(limits, bytes.chunks(len));
        assert_eq!(split, ended, "pieces of {len}: {}", bytes.escape_ascii());
    }
    if let Ended::Done(len) = ended {
        assert!(len <= bytes.len() && len as u64 <= limits.bytes_max);
        let cut = len.saturating_sub(usize::from(how >> 1) + 1);
        assert_eq!(walk(limits, &bytes[..cut]), Ended::More, "cut after {cut} of {len} bytes");
    }
    for told in describe(bytes) {
        assert!(told.len() < 70_000, "a line of {} bytes", told.len());
    }
    let _ = thrown(bytes);
}
