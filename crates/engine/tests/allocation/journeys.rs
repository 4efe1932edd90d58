//! Users with a memory: five variables captured by plain JSONPaths, and cookies.

use super::*;
use proofload_engine::journey::{Journey, Journeys, Step};
use proofload_engine::reading::{Capture, Source};
use proofload_extract::{Pick, Selector};
use std::net::TcpStream;

/// A page that is captured from, which sets a cookie, and another one.
const LOGIN: &[u8] = b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=c41; Path=/\r\nContent-Length: 95\r\n\r\n\
    {\"token\": \"t41\", \"user\": {\"id\": \"u7\", \"roles\": [\"buyer\", \"seller\"]}, \"csrf\": \"x9\", \"cart\": \"8\"}";
const PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const PATHS: [&str; 5] = ["$.token", "$.user.id", "$.user.roles[1]", "$.csrf", "$.cart"];

/// Answers on one connection without allocating.
fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut buffer, mut filled) = ([0; 4096], 0);
    loop {
        filled += match stream.read(&mut buffer[filled..])? {
            0 => return Ok(()),
            got => got,
        };
        if buffer[..filled].ends_with(b"\r\n\r\n") {
            stream.write_all(if buffer.starts_with(b"GET /login") { LOGIN } else { PAGE })?;
            filled = 0;
        }
    }
}

fn peer() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            thread::spawn(move || serve(stream));
        }
    });
    address
}

/// A request with the five variables of the user in its headers.
fn entry(peer: SocketAddr, path: &str, keep_body: usize) -> MixEntry {
    let spec = RequestSpec {
        headers: (0..5).map(|at| (format!("X-{at}"), String::new())).collect(),
        keep_body,
        ..RequestSpec::get(&peer.to_string(), path)
    };
    let slots = (0..5).map(|draw| Slot { part: RequestPart::Header(usize::from(draw)), at: 0, draw });
    let template = Template { slots: slots.collect(), cookies: true, ..Template::default() };
    let encode = |close| Arc::new(RequestSpec { close, ..spec.clone() }.encode_with(&template).unwrap());
    MixEntry {
        weight: 1,
        target: 0,
        request: encode(false),
        closing_request: encode(true),
        expect: Expect::default(),
        follow: Follow::default(),
        digest: None,
    }
}

/// Users who log in, and then ask for ever for entry 0 or 1.
fn users(peer: SocketAddr, again: usize) -> LoadPlan {
    let case = Case { profile: Profile::Closed { think_ns: 0.into() }, ..cases_of_http()[0].clone() };
    let capture = |(variable, path): (usize, &&str)| Capture {
        variable,
        name: (*path).to_owned(),
        from: Source::Body(Selector::JsonPath((*path).to_owned())),
        pick: Pick::Nth(1),
        otherwise: None,
    };
    let steps = vec![
        Step::Ask(0),
        Step::Repeat { times: u32::MAX, to: 5 },
        Step::Pause(2_000_000.into()),
        Step::Ask(again),
        Step::Jump(1),
    ];
    let journey = Journey { weight: 1, teardown: steps.len(), steps };
    let draw = |variable| Draw::Variable { variable, filter: Filter::Raw };
    let asking = Asking {
        feed: Feed { draws: (0..5).map(draw).collect(), ..Feed::default() },
        cookies: true,
        captures: vec![PATHS.iter().enumerate().map(capture).collect(), vec![]],
        journeys: Some(Arc::new(Journeys { journeys: vec![journey], variables: 5, ..Journeys::default() })),
        parts: vec![0, 1, 2],
        ..Asking::default()
    };
    let mix = vec![entry(peer, "/login", 1024), entry(peer, "/page", 0)];
    LoadPlan { mix, asking, drain_ns: 0, ..plan(peer, &case) }
}

#[test]
fn a_step_allocates_for_the_body_and_the_values_that_it_reads_and_for_nothing_else() {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    // The body, five values as the JSON has them, and the cookie with its host and path. What was counted last may be a few
    // milliseconds old.
    for (again, bound) in [(1, 0.0), (0, 9.5)] {
        let plan = users(peer(), again);
        let watch = Watch::default();
        let (steps, allocations, result) = thread::scope(|scope| {
            let load = scope.spawn(|| run(&plan, &watch).unwrap());
            let before = allocations_at(&load, &watch, 500);
            let first = watch.answered.load(Ordering::Relaxed);
            let after = allocations_at(&load, &watch, 6_500);
            let last = watch.answered.load(Ordering::Relaxed);
            watch.stop.store(true, Ordering::Relaxed);
            (last - first, after - before, load.join().unwrap())
        });
        let answered = result.snapshot.outcomes.get(Outcome::Answered);
        assert!(answered >= 6_500, "{answered} {:?}", result.bad_answers);
        let each = allocations as f64 / steps as f64;
        assert!(each <= bound, "{each} allocations a step of entry {again}, not {bound}");
    }
}
