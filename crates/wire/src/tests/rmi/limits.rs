//! Limits of an answer, and what a byte costs.

use super::{GREETED, answered, echo, first, laws, malformed};
use crate::rmi::Limits;
use crate::tests::work;
use crate::{Close, MalformedKind, Session};

const HEAD: &[u8] = b"\x51\xac\xed\0\x05\x77\x0f\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

#[test]
fn each_value_has_the_whole_limit_and_no_more() {
    let limits = Limits { bytes_max: 8, ..Limits::default() };
    let make = || Session::rmi(limits);
    let within = [HEAD, b"\x74\0\x05hello"].concat();
    assert_eq!(laws::every_split(make, &echo("x"), &within, Close::Fin), [first(), answered(1, 8, None)]);
    let beyond = [HEAD, b"\x74\0\x06hello!"].concat();
    let told = malformed(GREETED + 24, MalformedKind::BodyTooLong);
    assert_eq!(laws::every_split(make, &echo("x"), &beyond, Close::Fin), [first(), told]);
    let mut driven = laws::Driven::started(make(), &echo("x"));
    for _ in 0..3 {
        driven.receive(&within);
        assert_eq!(driven.events.last(), Some(&answered(1, 8, None)));
        driven.start(&echo("x"), laws::ID);
    }
}

#[test]
fn an_exception_takes_the_place_of_a_value_once() {
    let make = || Session::rmi(Limits::default());
    // The server failed while it wrote the value, and again while it wrote why: there may be no end of it.
    let again = [HEAD, b"\x7b\x7b"].concat();
    let told = malformed(GREETED + 23, MalformedKind::Other);
    assert_eq!(laws::every_split(make, &echo("x"), &again, Close::Fin), [first(), told]);
}

#[test]
fn an_exception_too_long_to_keep_is_told_as_far_as_it_is_kept() {
    // Its message is longer than what is kept of the whole.
    let class =
        b"\x73\x72\x00\x01E\0\0\0\0\0\0\0\0\x02\0\x01L\0\x0ddetailMessage\x70\x78\x70\x7c\0\0\0\0\0\x02\0\0";
    let mut answer = [HEAD, class].concat();
    answer[7] = 2;
    answer.extend([b'y'; 0x2_0000]);
    let told = laws::outcome(Session::rmi(Limits::default()), &echo("x"), [&answer[..]], Close::Fin);
    let words = format!("E: {}", "y".repeat(297));
    assert_eq!(told, [first(), answered(2, answer.len() as u64 - 22, Some(words.as_bytes()))]);
}

#[test]
fn a_byte_costs_the_same_however_it_comes() {
    let answer = super::messages(include_str!("fixtures/jdk17-object-received.hex")).pop();
    let person = super::messages(include_str!("fixtures/jdk17-object-received.hex"))[5].clone();
    for answer in [answer.expect("an answer"), person] {
        let mut driven = laws::Driven::started(Session::rmi(Limits::default()), &echo("x"));
        work::take();
        driven.receive(&answer);
        let whole = work::take();
        driven.start(&echo("x"), laws::ID);
        answer.iter().for_each(|byte| driven.receive(std::slice::from_ref(byte)));
        let by_byte = work::take();
        assert!(whole <= answer.len() as u64, "{whole} steps for {} bytes", answer.len());
        assert!(
            by_byte <= whole + 2 * answer.len() as u64,
            "{by_byte} steps byte by byte, {whole} for the whole"
        );
    }
}
