//! Pushes to collectors, good and bad.

use super::support::{metric, parts_of, second, slice};
use proofload_measure::Outcome::Answered;
use proofload_serve::metrics::{Doing, Hub, OtlpSettings, Push};
use proofload_testkit::{ScriptStep, ScriptedPeer};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn settings(endpoint: String) -> OtlpSettings {
    let key = ("api-key".to_string(), "secret".to_string());
    OtlpSettings {
        endpoint,
        headers: vec![key],
        resource: vec![("deployment.environment".to_string(), "ci".to_string())],
        interval: Duration::from_secs(3_600),
        timeout: Duration::from_millis(500),
    }
}

/// Begins to push, with the stop switch set or not.
fn start(settings: OtlpSettings, hub: &Arc<Hub>, stopped: bool) -> Push {
    Push::start(settings, Arc::clone(hub), Arc::new(AtomicBool::new(stopped))).expect("it starts")
}

/// Result of one push at the end to a collector that gives that answer: the hub, the bytes it got, and the exporter's
/// message.
fn pushed(answer: Vec<u8>) -> (Arc<Hub>, Vec<u8>, Option<String>) {
    let peer =
        ScriptedPeer::start(vec![vec![ScriptStep::AwaitRequest, ScriptStep::Send(answer)]]).expect("a port");
    let endpoint = format!("http://{}/v1/metrics", peer.address());
    let hub = Arc::new(Hub::default());
    let push = start(settings(endpoint), &hub, false);
    hub.tell(|state| state.ends(Doing::Finished));
    let said = push.end();
    let received = peer.finish().expect("it was asked").remove(0).received;
    (hub, received, said)
}

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

/// A request: its head in small letters, and its body.
fn parts(received: &[u8]) -> (String, &[u8]) {
    let end = received.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    let head = String::from_utf8_lossy(&received[..end]).to_lowercase();
    (head, &received[end..])
}

#[test]
fn the_last_push_says_how_it_ended() {
    // A partial success without a message.
    let whole = answer("200 OK\r\nContent-Type: application/x-protobuf", b"\x0a\x00");
    assert_eq!(pushed(whole).2, None);
    let (hub, received, said) = pushed(answer("200 OK", &[]));
    assert_eq!(said, None);
    let (head, request) = parts(&received);
    assert!(head.starts_with("post /v1/metrics http/1.1"), "{head}");
    assert!(
        head.contains("content-type: application/x-protobuf") && head.contains("api-key: secret"),
        "{head}"
    );
    let keys = parts_of(request, &[1, 1, 1, 1]);
    assert!(
        keys.contains(&b"deployment.environment".as_slice())
            && keys.contains(&b"service.instance.id".as_slice())
    );
    let states = parts_of(metric(request, "proofload.run_state"), &[5, 1, 7, 2, 1]);
    assert!(states.contains(&b"finished".as_slice()), "{states:?}");
    let cost = hub.cost("otlp").expect("it is known");
    assert_eq!((cost.done, cost.failed, cost.bytes), (1, 0, (received.len() - head.len()) as u64));
}

#[test]
fn a_bad_collector_costs_a_sentence() {
    let of = |answer| pushed(answer).2.expect("it failed");
    let refused = of(answer("503 Service Unavailable\r\nRetry-After: 1", b"no room"));
    assert!(refused.starts_with("1 of 1 pushes to http://127.0.0.1:"), "{refused}");
    assert!(
        refused.contains("it answered 503: no room") && refused.contains("the record does not"),
        "{refused}"
    );
    assert!(of(answer("429 Too Many Requests", b"\x1b[2J")).contains("it answered 429; "), "no escapes");
    assert!(of(answer("404 Not Found", b"")).contains("it answered 404"));
    // A partial success: 3 values, and why.
    let partial = b"\x0a\x0b\x08\x03\x12\x07too old";
    assert!(of(answer("200 OK", partial)).contains("it rejected 3 of the values: too old"));
    let typed = |kind: &str, body: &str| answer(&format!("200 OK\r\nContent-Type: {kind}"), body.as_bytes());
    let page = of(typed("text/html; charset=utf-8", "<html>log in</html>"));
    assert!(page.contains("it answered 200 with text/html, which is no answer of a collector"), "{page}");
    assert!(of(typed("application/json", "{}")).contains("with application/json"));
    assert!(of(answer("200 OK", b"OK")).contains("it answered 200 with what is no answer of a collector"));
    let broken = of(typed("application/x-protobuf", "\x0a\x7f"));
    assert!(broken.contains("it answered 200 with what is no answer"), "{broken}");
    let cut = of(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".to_vec());
    assert!(cut.contains("it answered 200, and the rest could not be read: "), "{cut}");
    assert!(of(b"no HTTP at all\r\n\r\n".to_vec()).contains("pushes to"));
    assert!(of(Vec::new()).contains("timeout"), "one that never answers");
}

#[test]
fn a_collector_that_is_not_there_is_said() {
    let held = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = held.local_addr().expect("an address").port();
    drop(held);
    let hub = Arc::new(Hub::default());
    let said =
        start(settings(format!("http://127.0.0.1:{port}/v1/metrics")), &hub, false).end().expect("it failed");
    assert!(said.contains(&format!("1 of 1 pushes to http://127.0.0.1:{port}/v1/metrics failed")), "{said}");
}

#[test]
fn a_push_that_failed_is_made_up_for_by_the_next_and_who_says_stop_waits_for_no_patience() {
    // For longer than a test may take: the push after it is the last.
    let busy = answer("503 Busy\r\nRetry-After: 3600", b"");
    let busy = vec![ScriptStep::AwaitRequest, ScriptStep::Send(busy), ScriptStep::Close];
    let good = vec![ScriptStep::AwaitRequest, ScriptStep::Send(answer("200 OK", b"")), ScriptStep::Close];
    let peer = ScriptedPeer::start(vec![busy, good]).expect("a port");
    let hub = Arc::new(Hub::default());
    let settings = OtlpSettings {
        interval: Duration::from_millis(20),
        ..settings(format!("http://{}/v1/metrics", peer.address()))
    };
    let push = start(settings, &hub, true);
    while hub.cost("otlp").is_none_or(|cost| cost.failed == 0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    hub.tell(|state| state.slice(&slice("nio", "8c", "", &second(0, &[(1_000_000, Answered); 3]))));
    let begun = std::time::Instant::now();
    let said = push.end().expect("one failed");
    assert!(said.ends_with("the next one made up for it"), "{said}");
    assert!(said.starts_with("1 of 2 pushes") && begun.elapsed() < Duration::from_secs(5), "{said}");
    let cost = hub.cost("otlp").expect("it is known");
    assert_eq!((cost.done, cost.failed), (1, 1));
    let received = peer.finish().expect("both came").remove(1).received;
    let (_, request) = parts(&received);
    let exchanges = parts_of(metric(request, "proofload.exchanges"), &[7, 1, 6]);
    let three = 3_u64.to_le_bytes();
    assert_eq!(exchanges.iter().filter(|count| **count == three).count(), 1, "{exchanges:?}");
}

#[test]
fn the_end_does_not_wait_long_for_a_collector_that_does_not_answer() {
    let silent = vec![ScriptStep::AwaitRequest, ScriptStep::Await(usize::MAX)];
    let peer = ScriptedPeer::start_lasting(vec![silent]).expect("a port");
    let hub = Arc::new(Hub::default());
    let hour = Duration::from_secs(3_600);
    let patient = |interval| {
        let endpoint = format!("http://{}/v1/metrics", peer.address);
        start(OtlpSettings { interval, timeout: hour, ..settings(endpoint) }, &hub, true)
    };
    let last = patient(hour);
    let on_its_way = patient(Duration::from_millis(1));
    while peer.accepted() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let on_its_way = std::thread::spawn(|| on_its_way.end());
    let said = last.end().expect("it failed");
    assert!(said.starts_with("1 of 1 pushes") && said.contains("timeout"), "{said}");
    let said = on_its_way.join().expect("it ends").expect("it failed");
    assert!(said.contains("was not over in time"), "{said}");
}
