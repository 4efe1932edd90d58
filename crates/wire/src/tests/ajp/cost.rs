//! However the bytes come, none is looked at again and again. Work is counted in bytes looked at, not in time; strings
//! and bodies are passed over, so they cost nothing.

use super::{END, chunk, get, headers, laws, session, string};
use crate::tests::work;
use crate::{Close, Event};

/// `answer` fed byte by byte costs at most twice the whole, and the whole at most one look a byte.
#[track_caller]
fn check(answer: &[u8]) {
    work::take();
    let events = laws::outcome(session(), &get(), [answer], Close::Fin);
    assert!(matches!(events.last(), Some(Event::Answered { .. })), "{events:?}");
    let whole = work::take();
    laws::same_in_pieces_of(session, &get(), answer, Close::Fin, &events, |_| 1);
    let by_byte = work::take();
    assert!(by_byte <= 2 * whole, "{by_byte} looks byte by byte, {whole} for the whole");
    assert!(whole <= answer.len() as u64, "{whole} looks for {} bytes", answer.len());
}

#[test]
fn no_byte_is_looked_at_twice() {
    let value = "9".repeat(60_000);
    check(&[&headers(200, &[(&string("X"), &value)])[..], END].concat());
    let name = string("Content-Length");
    let list: Vec<(&[u8], &str)> = vec![(&name, "0"); 250];
    check(&[&headers(200, &list)[..], END].concat());
    let (large, small, flush) =
        (chunk(&[b'y'; 60_000]), chunk(b"y").repeat(100_000), chunk(b"").repeat(1000));
    check(&[&headers(200, &[])[..], &large.repeat(16), &small, &flush, END].concat());
}
