//! However the bytes of a reply come, none is looked at again and again.

use super::laws;
use super::{reply, request, session};
use crate::dubbo::Serialization;
use crate::tests::work;
use crate::{Close, Event};

const MIB: usize = 1024 * 1024;

#[track_caller]
fn check(serialization: Serialization, body: &[u8]) {
    let bytes = reply(serialization, 20, body);
    work::take();
    let events = laws::outcome(session(), &request(), [bytes.as_slice()], Close::Fin);
    assert!(matches!(events.last(), Some(Event::Answered { code: 20, .. })), "{events:?}");
    let whole = work::take();
    laws::same_in_pieces_of(session, &request(), &bytes, Close::Fin, &events, |_| 1);
    let by_byte = work::take();
    assert!(
        by_byte <= 4 * whole.max(body.len() as u64),
        "{by_byte} looks byte by byte, {whole} for the whole"
    );
    assert!(whole <= 4 * bytes.len() as u64, "{whole} looks for {} bytes", bytes.len());
}

#[test]
fn a_mebibyte_of_dubbos_own_serialization() {
    let text = [b"\x1a\x8b\x90\x83\x00\x00\xc0".as_slice(), &vec![b'y'; MIB]].concat();
    check(Serialization::Native, &text);
    let list = [b"\x1a\x8b\x92\x85\x00\x00\xc0".as_slice(), &vec![0x94; MIB]].concat();
    check(Serialization::Native, &list);
    let wide = [b"\x1a\x8b\x90\x83\x00\x00\xc0".as_slice(), &"\u{e4}".repeat(MIB).into_bytes()].concat();
    check(Serialization::Native, &wide);
}

#[test]
fn long_json() {
    const LONG: usize = MIB / 8;
    check(Serialization::FastJson, format!("1\n\"{}\"\n", "y".repeat(LONG)).as_bytes());
    check(Serialization::FastJson, format!("1\n{}{}\n", "[".repeat(LONG), "]".repeat(LONG)).as_bytes());
}

#[test]
fn a_mebibyte_of_jsonb() {
    let value = vec![0x94; MIB];
    check(Serialization::FastJson2, &[b"\0\0\0\x02\xbd\x01\0\x10\0\0".as_slice(), &value].concat());
}

#[test]
fn a_mebibyte_of_hessian() {
    let list = [b"\x91\x58\x49\x00\x10\x00\x00".as_slice(), &vec![b'N'; MIB]].concat();
    check(Serialization::Hessian2, &list);
}
