//! Answers good and bad: what they yield, and where a bad one shows.

use super::laws;
use super::{
    END, END_AND_CLOSE, PONG, answered, ask, chunk, first, get, head, headers, malformed, packet, session,
    string,
};
use crate::ajp::Options;
use crate::{Close, Event, MalformedKind, Request, Session};

/// The events of these packets, however they are split.
#[track_caller]
fn events(packets: &[&[u8]]) -> Vec<Event> {
    laws::every_split(session, &get(), &packets.concat(), Close::Fin)
}

fn ok() -> Vec<u8> {
    headers(200, &[])
}

#[test]
fn an_answer_has_its_status_and_the_bytes_of_its_chunks() {
    assert_eq!(events(&[&ok(), END]), [first(), answered(200, 0)]);
    assert_eq!(
        events(&[&ok(), &chunk(b"hello"), &chunk(b""), &chunk(b"!"), END]),
        [first(), answered(200, 6)]
    );
    assert_eq!(events(&[&headers(404, &[]), &chunk(b"no"), END_AND_CLOSE]), [first(), answered(404, 2)]);
    for status in [100, 999] {
        assert_eq!(events(&[&headers(status, &[]), END]), [first(), answered(status, 0)]);
    }
}

#[test]
fn a_chunk_need_not_have_a_nul_behind_it() {
    let bare = packet(b"\x03\0\x02ok");
    let flush = packet(b"\x03\0\0");
    assert_eq!(events(&[&ok(), &bare, &flush, &bare, END]), [first(), answered(200, 4)]);
}

#[test]
fn headers_come_by_code_and_by_name_and_strings_may_be_null() {
    let all: Vec<[u8; 2]> = (1..=11).map(|code| [0xa0, code]).collect();
    let mut list: Vec<(&[u8], &str)> = all.iter().map(|code| (&code[..], "x")).collect();
    list[2].1 = "0";
    let name = string("X-Powered-By");
    list.push((&name, ""));
    assert_eq!(events(&[&headers(200, &list), END]), [first(), answered(200, 0)]);
    let nulls = packet(b"\x04\0\xc8\xff\xff\0\x01\xa0\x01\xff\xff");
    assert_eq!(events(&[&nulls, END]), [first(), answered(200, 0)]);
}

#[test]
fn the_body_is_kept_as_far_as_asked() {
    let kept = |keep_body| {
        let request = Request { keep_body, ..get() };
        let answer = [&ok()[..], &chunk(b"hel"), &chunk(b"lo"), END].concat();
        laws::every_split(session, &request, &answer, Close::Fin).pop()
    };
    let told = |body: &str| {
        Some(Event::Answered { id: laws::ID, code: 200, body_bytes: 5, body: Some(body.as_bytes().to_vec()) })
    };
    assert_eq!(kept(4), told("hell"));
    assert_eq!(kept(9), told("hello"));
}

#[test]
fn the_body_must_be_as_long_as_the_head_says() {
    let length = [0xa0, 3];
    let with = |name: &[u8], value: &str, body: &[u8]| {
        let head = headers(200, &[(name, value)]);
        let end = (head.len() + chunk(body).len() + 5) as u64;
        (events(&[&head, &chunk(body), END]), malformed(end, MalformedKind::ContentLength))
    };
    for name in [&length[..], &string("Content-Length"), &string("content-length")] {
        assert_eq!(with(name, "5", b"hello").0, [first(), answered(200, 5)]);
        for wrong in ["4", "6", "0", "18446744073709551615"] {
            let (events, breach) = with(name, wrong, b"hello");
            assert_eq!(events, [first(), breach], "{wrong}");
        }
    }
    assert_eq!(with(&string("Content-Lengti"), "6", b"hello").0, [first(), answered(200, 5)]);
    assert_eq!(with(&string("Content-Length-"), "6", b"hello").0, [first(), answered(200, 5)]);
    // Where the value begins: code, status, reason, count, name, length.
    let at = 4 + 1 + 2 + 5 + 2 + 2 + 2;
    for (wrong, offset) in [("x", 0), ("1 ", 1), ("-1", 0), ("18446744073709551616", 19), ("", 0)] {
        let expected = [first(), malformed(at + offset, MalformedKind::ContentLength)];
        assert_eq!(events(&[&headers(200, &[(&length, wrong)]), END]), expected, "{wrong:?}");
    }
    assert_eq!(
        events(&[&headers(200, &[(&length, "1"), (&length, "1")]), &chunk(b"x"), END]),
        [first(), answered(200, 1)]
    );
    let twice = headers(200, &[(&length, "1"), (&length, "2")]);
    assert_eq!(events(&[&twice]), [first(), malformed(twice.len() as u64 - 1, MalformedKind::ContentLength)]);
}

#[test]
fn head_and_statuses_without_a_body_have_none_whatever_they_say() {
    let says = |status| headers(status, &[(&[0xa0, 3], "9")]);
    let events_of = |request: &Request, packets: &[&[u8]]| {
        laws::every_split(session, request, &packets.concat(), Close::Fin)
    };
    assert_eq!(events_of(&head(), &[&says(200), &chunk(b""), END]), [first(), answered(200, 0)]);
    assert_eq!(events_of(&get(), &[&says(304), END]), [first(), answered(304, 0)]);
    assert_eq!(events_of(&get(), &[&says(204), END]), [first(), answered(204, 0)]);
    for (request, status) in [(head(), 200), (get(), 204), (get(), 304)] {
        let answer = [says(status), chunk(b"x")];
        let at = answer[0].len() as u64 + 6;
        let events = events_of(&request, &[&answer[0], &answer[1]]);
        assert_eq!(events, [first(), malformed(at, MalformedKind::Surplus)], "{status}");
    }
}

#[test]
fn servers_of_other_protocols_show_at_once() {
    for (stranger, at) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], 0),
        (b"\x15\x03\x03\0\x02\x02\x0a", 0),
        (b"\xda\xbb", 0),
        (b"AC", 1),
    ] {
        assert_eq!(events(&[stranger]), [malformed(at, MalformedKind::Packet)]);
        assert_eq!(events(&[&stranger[..=at as usize]]), [malformed(at, MalformedKind::Packet)]);
    }
}

#[test]
fn packets_that_may_not_come_there_are_malformed_at_their_code() {
    let ok = ok();
    let at = ok.len() as u64 + 4;
    for early in [END, &chunk(b"x"), PONG, b"AB\0\x01\x02", b"AB\0\x01\x00", b"AB\0\x01\xff"] {
        assert_eq!(events(&[early]), [malformed(4, MalformedKind::Packet)], "{early:?}");
    }
    for late in [&ok[..], PONG, b"AB\0\x01\x0a"] {
        assert_eq!(events(&[&ok, late]), [first(), malformed(at, MalformedKind::Packet)], "{late:?}");
    }
    assert_eq!(events(&[&ok, b"AB\0\x02\x05\x02"]), [first(), malformed(at + 1, MalformedKind::Packet)]);
    let surplus = (ok.len() + END.len()) as u64;
    let after = Event::Malformed { id: None, at: surplus, kind: MalformedKind::Surplus };
    assert_eq!(events(&[&ok, END, b"A"]), [first(), answered(200, 0), after]);
}

#[test]
fn lengths_that_do_not_fit_are_malformed_where_it_shows() {
    let wrong = |at, kind| vec![malformed(at, kind)];
    let begun = |at, kind| vec![first(), malformed(at, kind)];
    let length = MalformedKind::Length;
    for (bytes, expected) in [
        (&b"AB\0\0"[..], wrong(2, length)),
        (b"AB\0\x02\x04\0", wrong(4, length)),
        (b"AB\0\x02\x03\0", wrong(4, length)),
        (b"AB\0\x02\x06\0", wrong(4, length)),
        (b"AB\0\x01\x05", wrong(4, length)),
        (b"AB\0\x02\x09\0", wrong(4, length)),
        (b"AB\0\x04\x06\0\x01\0", wrong(6, length)),
        (b"AB\0\x03\x04\0\xc8", begun(6, length)),
        (b"AB\0\x06\x04\0\xc8\0\x01x", begun(7, length)),
        (b"AB\0\x07\x04\0\xc8\0\x01xy", begun(10, length)),
        (b"AB\0\x08\x04\0\xc8\0\x01x\0\0", begun(10, length)),
        (b"AB\0\x0b\x04\0\xc8\0\x01x\0\0\0\0\0", begun(12, length)),
        (b"AB\0\x0a\x04\0\xc8\0\x01x\0\0\x01\0", begun(12, length)),
        (b"AB\0\x0f\x04\0\xc8\0\x01x\0\0\x01\xa0\x01\0\x03ab\0", begun(15, length)),
    ] {
        assert_eq!(events(&[bytes]), expected, "{:?}", bytes.escape_ascii().to_string());
    }
    let ok = ok();
    let at = ok.len() as u64;
    for (bytes, offset) in [
        (&b"AB\0\x05\x03\0\x03ok"[..], 5),
        (b"AB\0\x07\x03\0\x02ok\0\0", 5),
        (b"AB\0\x06\x03\0\x02ok!", 9),
        (b"AB\0\x03\x05\x01\0", 5),
    ] {
        assert_eq!(
            events(&[&ok, bytes]),
            begun(at + offset, length),
            "{:?}",
            bytes.escape_ascii().to_string()
        );
    }
}

#[test]
fn headers_without_a_name_and_statuses_out_of_range_are_malformed() {
    for name in [&[0xa0, 0][..], &[0xa0, 12], &[0, 0, 0], &[0xff, 0xff]] {
        let answer = headers(200, &[(name, "x"), (name, "y")]);
        assert_eq!(events(&[&answer]), [first(), malformed(14, MalformedKind::HeaderLine)], "{name:?}");
    }
    for status in [0, 99, 1000, 0xffff] {
        let expected = [first(), malformed(5, MalformedKind::StatusLine)];
        assert_eq!(events(&[&headers(status, &[])]), expected);
    }
}

#[test]
fn a_body_is_malformed_where_it_shows_to_exceed_its_limit() {
    let make = || Session::ajp(Options { body_max: 20, ..Options::default() });
    let answer = [ok(), chunk(&[b'y'; 19]), chunk(b"y"), chunk(b""), END.to_vec()].concat();
    assert_eq!(laws::every_split(make, &get(), &answer, Close::Fin), [first(), answered(200, 20)]);
    let answer = [ok(), chunk(&[b'y'; 19]), chunk(b"yy")];
    let at = (answer[0].len() + answer[1].len() + 6) as u64;
    let events = laws::every_split(make, &get(), &answer.concat(), Close::Fin);
    assert_eq!(events, [first(), malformed(at, MalformedKind::BodyTooLong)]);
}

#[test]
fn an_answer_cut_short_ends_early() {
    let answer = [&ask(1)[..], &headers(200, &[(&[0xa0, 3], "5")]), &chunk(b"hello"), END].concat();
    laws::truncation(session, &get(), &answer);
}

#[test]
fn header_fields_cookies_and_codings_are_kept_however_an_answer_is_split() {
    let request = Request { keep_body: 9, ..get() };
    let names = ["etag".to_owned(), "last-modified".to_owned(), "location".to_owned()];
    let long = "x".repeat(8 * 1024 + 1);
    let answers = [
        headers(
            200,
            &[
                (&string("ETag"), " \"a:b\" "),
                (&[0xa0, 5], "yesterday"),
                (&[0xa0, 7], "sid=1; Path=/"),
                (&string("set-cookie"), "sid=2"),
                (&string("Set-Cookie"), "a\nb=3"),
                (&string("Content-Encoding"), "gzip"),
                (&string("etag"), "second"),
                (&[0xa0, 6], long.as_str()),
            ],
        ),
        headers(200, &[(&string("eTag"), "")]),
    ];
    for size in [1, 3, 70_000] {
        let mut session = session();
        session.keep_fields(names.to_vec().into());
        session.keep_set_cookies();
        let mut driven = laws::Driven::started(session, &request);
        let whole = [&answers[0], &chunk(b"x"), END].concat();
        whole.chunks(size).for_each(|piece| driven.receive(piece));
        let kept = &driven.session;
        assert_eq!(
            [0, 1, 2, 3].map(|at| kept.field(at)),
            [Some(&b"\"a:b\""[..]), Some(b"yesterday"), None, None]
        );
        assert_eq!(
            (kept.set_cookie("sid"), kept.set_cookie("a"), kept.codings()),
            (Some(&b"2"[..]), None, &b"gzip"[..])
        );
        driven.session.renew();
        assert_eq!((driven.session.field(0), driven.session.codings()), (None, &b""[..]));
        driven.start(&request, laws::ID);
        driven.receive(&[&answers[1], END].concat());
        assert_eq!((driven.session.field(0), driven.session.field(1)), (Some(&b""[..]), None));
    }
}
