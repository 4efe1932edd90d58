//! Answers that break off: at each place by a reset, by the end of the stream, and by silence.

use super::case::{Ask, Case, GOOD, Server, answers, pause, plays, send};
use proofload_measure::Outcome::{
    Answered, ClosedEarly, ConnectFailed, ConnectRefused, ConnectTimeout, Rejected, ResetFresh, ResetReused,
    Timeout,
};
use proofload_testkit::ScriptStep::{Await, AwaitRequest, Close, Drip, Fin, Flood, Reset};
use std::time::Duration;

/// Places within an answer, and what has been sent until then.
const PLACES: [(&str, &[u8]); 17] = [
    ("before the answer", b""),
    ("within the status line", b"HTTP/1."),
    ("behind the status", b"HTTP/1.1 200"),
    ("behind the status line", b"HTTP/1.1 200 OK\r\n"),
    ("within a header's name", b"HTTP/1.1 200 OK\r\nContent-Le"),
    ("within a header's value", b"HTTP/1.1 200 OK\r\nContent-Length: 1"),
    ("before the empty line of the head", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"),
    ("within the empty line of the head", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r"),
    ("behind an interim answer", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ("behind the head, before the body", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"),
    ("one byte before the body's end", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"),
    ("within a chunk's size", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1"),
    ("within a chunk's data", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
    ("behind a chunk's data", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok"),
    ("before the last chunk", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"),
    ("within the trailers", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nDigest: a"),
    (
        "before the empty line of the trailers",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n",
    ),
];

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (place, sent) in PLACES {
        all.push(
            plays(format!("resets the connection {place}"), vec![AwaitRequest, send(sent), Reset])
                .is(ResetFresh),
        );
        all.push(
            plays(format!("ends the stream {place}"), vec![AwaitRequest, send(sent), Fin]).is(ClosedEarly),
        );
        all.push(answers(format!("falls silent {place}"), sent).hurried().is(Timeout));
    }
    for (place, sent) in [PLACES[0], PLACES[5], PLACES[10], PLACES[12]] {
        let second = |end| vec![AwaitRequest, send(GOOD), AwaitRequest, send(sent), end];
        let name = |what| format!("answers once, then {what} {place} of the next");
        all.push(plays(name("resets the connection"), second(Reset)).then(Answered, ResetReused));
        all.push(plays(name("ends the stream"), second(Fin)).then(Answered, ClosedEarly));
    }
    all.extend(unframed());
    all.extend(before_the_request());
    all.extend(between_exchanges());
    all.extend(uploads());
    all.extend(drips());
    all
}

/// Bodies that only the end of the stream ends.
fn unframed() -> Vec<Case> {
    let begun = b"HTTP/1.0 200 OK\r\n\r\nsome";
    vec![
        plays("sends a body without length and ends the stream", vec![AwaitRequest, send(begun), Fin])
            .is(Answered),
        plays("sends a body without length and resets", vec![AwaitRequest, send(begun), Reset])
            .is(ResetFresh),
        answers("sends a body without length and falls silent", begun).hurried().is(Timeout),
        plays("sends a body without length and without end", {
            // In pieces so small that no machine sends as much as a body may have within the time-out.
            vec![AwaitRequest, send(begun), Flood(vec![b'x'; 256])]
        })
        .hurried()
        .is(Timeout),
    ]
}

fn before_the_request() -> Vec<Case> {
    let later_ones_are_fine =
        plays("takes the first connection and never speaks; later ones are fine", Vec::new())
            .at(Server::Plays(vec![vec![], vec![AwaitRequest, send(GOOD)]]))
            .then(Timeout, Answered);
    vec![
        plays("accepts and closes", vec![Close]).fresh().is(ResetFresh).or(ClosedEarly),
        plays("accepts and resets", vec![Reset]).fresh().is(ResetFresh),
        plays("ends the stream before the request and reads on", vec![Fin]).fresh().is(ClosedEarly),
        plays("answers before it has read the request", vec![send(GOOD)]).fresh().is(Answered),
        plays("never reads and never answers", vec![pause(20_000)]).hurried().is(Timeout),
        // The second answer must come in this time, on the busiest machine too.
        Case { waits_ms: 3_000, ..later_ones_are_fine },
        plays("refuses connections", Vec::new()).at(Server::Refuses).is(ConnectRefused),
        plays("never accepts: its listen queue is full", Vec::new())
            .at(Server::Deaf)
            .hurried()
            .is(ConnectTimeout),
        plays("has an address that cannot be connected to", Vec::new())
            .at(Server::Unreachable)
            .is(ConnectFailed),
    ]
}

/// Events while nothing is in flight; the next exchange dials.
fn between_exchanges() -> Vec<Case> {
    let after = |end| vec![AwaitRequest, send(GOOD), end];
    let closing = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
    let two = |name: &str, script| plays(name, script).then(Answered, Answered);
    vec![
        two("resets between two exchanges", after(Reset)).thinking(),
        two("ends the stream between two exchanges, which it had not said", after(Fin)).thinking(),
        two("sends bytes that nobody asked for between two exchanges", {
            vec![AwaitRequest, send(GOOD), pause(20), send(b"HTTP/1.1 408 Request Timeout\r\n\r\n")]
        })
        .thinking(),
        two("says that it closes, and closes", vec![AwaitRequest, send(closing), Close]),
        two("says that it closes, and does not", vec![AwaitRequest, send(closing)]),
        two("says that it closes, and resets", vec![AwaitRequest, send(closing), Reset]),
        two("says that it closes, and sends more", vec![AwaitRequest, send(closing), send(GOOD)]),
        two("closes after an answer of HTTP/1.0", {
            vec![AwaitRequest, send(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"), Close]
        }),
        two("keeps a connection of HTTP/1.0 alive", {
            let kept = b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok";
            vec![AwaitRequest, send(kept), AwaitRequest, send(kept)]
        }),
        two("sends the next answer together with this one", {
            vec![AwaitRequest, send([GOOD, GOOD].concat())]
        }),
        two("sends junk right behind the answer", vec![AwaitRequest, send([GOOD, b"junk"].concat())]),
    ]
}

fn uploads() -> Vec<Case> {
    let refusal = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let kept = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n";
    let upload = |name: &str, script| plays(name, script).asked(Ask::Upload);
    vec![
        upload("reads all of it and answers", vec![AwaitRequest, send(GOOD)]).is(Answered),
        upload("says 100 Continue unasked, reads all of it and answers", {
            vec![Await(1_000), send(b"HTTP/1.1 100 Continue\r\n\r\n"), AwaitRequest, send(GOOD)]
        })
        .is(Answered),
        upload("answers 200 early and reads on", vec![Await(1_000), send(GOOD)]).then(Answered, Answered),
        upload("answers 413 and closes, which resets", vec![Await(1_000), send(refusal), Close])
            .then(Rejected, Rejected),
        upload("answers 413 and reads no more", vec![Await(1_000), send(kept), pause(20_000)])
            .then(Rejected, Rejected),
        upload("answers 413 and ends the stream", vec![Await(1_000), send(kept), Fin])
            .then(Rejected, Rejected),
        upload("answers 413 in part and resets", vec![Await(1_000), send(&kept[..20]), Reset]).is(ResetFresh),
        upload("resets within the body", vec![Await(1_000_000), Reset]).is(ResetFresh),
        upload("ends the stream within the body", vec![Await(1_000_000), Fin]).is(ClosedEarly),
        upload("never reads", vec![pause(20_000)]).hurried().is(Timeout),
        upload("reads a little and then no more", vec![Await(1_000_000), pause(20_000)])
            .hurried()
            .is(Timeout),
    ]
}

fn drips() -> Vec<Case> {
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let timely = |name: &str, bytes: Vec<u8>| {
        plays(name, vec![AwaitRequest, Drip(bytes, Duration::from_millis(1))]).is(Answered)
    };
    let slow = |name: &str, head: &[u8], rest: Vec<u8>| {
        plays(name, vec![AwaitRequest, send(head), Drip(rest, Duration::from_millis(30))])
            .hurried()
            .is(Timeout)
    };
    let whole = [chunked, b"2;a=b\r\nok\r\n0\r\nA: b\r\n\r\n".as_slice()].concat();
    vec![
        timely("sends the answer byte by byte, in time", GOOD.to_vec()),
        timely("sends a chunked answer byte by byte, in time", whole),
        slow("drips a head slower than the time-out", b"HTTP/1.1 200 OK\r\nX: ", vec![b'x'; 300]),
        slow(
            "drips a body slower than the time-out",
            b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n",
            vec![b'x'; 300],
        ),
        slow("drips chunks slower than the time-out", chunked, b"1\r\nx\r\n".repeat(60)),
    ]
}
