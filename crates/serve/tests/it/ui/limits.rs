//! Limits on what a client may take.

use super::asking::serve;
use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

#[test]
fn a_head_that_is_too_long_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let served = serve(root.path());
    for long in [format!("X: {}\r\n", "a".repeat(64 << 10)), "X: a\r\n".repeat(200)] {
        let answer = served.raw(&format!("GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\n{long}\r\n"));
        // Either it reads the answer, or the reset that follows was faster.
        assert!(answer.as_ref().is_none_or(|answer| answer.status == 431), "{answer:?}");
    }
    let answer = served.raw(&format!("GET /TOKEN/{} HTTP/1.1\r\nHost: HOST\r\n\r\n", "a".repeat(80 << 10)));
    assert!(answer.as_ref().is_none_or(|answer| [414, 431].contains(&answer.status)), "{answer:?}");
    assert_eq!(served.get("").status, 200);
}

#[test]
fn who_sends_half_a_request_is_hung_up_on() {
    let root = tempfile::tempdir().expect("a folder");
    let served = serve(root.path());
    let mut slow = served.connect();
    slow.write_all(b"GET / HT").expect("sent");
    let mut rest = Vec::new();
    let ended = slow.read_to_end(&mut rest);
    assert!(
        ended.as_ref().is_ok_and(|_| rest.is_empty() || rest.starts_with(b"HTTP/1.1 408")),
        "{ended:?} {rest:?}"
    );
}

#[test]
fn a_connection_carries_one_request() {
    let root = tempfile::tempdir().expect("a folder");
    let served = serve(root.path());
    let one = "GET /TOKEN/icon.svg HTTP/1.1\r\nHost: HOST\r\n\r\n";
    let answer = served.raw(&one.repeat(3)).expect("an answer");
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert!(!answer.body.contains("HTTP/1.1"), "{}", answer.body);
}

#[test]
fn many_connections_wait_for_their_turn() {
    let root = tempfile::tempdir().expect("a folder");
    let served = serve(root.path());
    let idle: Vec<_> = (0..32).map(|_| served.connect()).collect();
    let mut late = served.connect();
    late.set_read_timeout(Some(Duration::from_millis(200))).expect("set");
    late.write_all(
        format!("GET {}icon.svg HTTP/1.1\r\nHost: {}\r\n\r\n", served.base, served.host).as_bytes(),
    )
    .expect("sent");
    let early = late.read(&mut [0; 1]);
    assert!(
        early
            .as_ref()
            .is_err_and(|error| [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind())),
        "{early:?}"
    );
    drop(idle);
    late.set_read_timeout(Some(Duration::from_secs(100))).expect("set");
    let mut answer = String::new();
    late.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
