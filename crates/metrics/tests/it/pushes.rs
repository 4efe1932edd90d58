//! Pushes to collectors, good and bad.

use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsPartialSuccess, ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use proofload_metrics::{Doing, Hub, OtlpSettings, Push};
use proofload_testkit::{ScriptedPeer, Step};
use prost::Message;
use std::sync::Arc;
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

/// What one push at the end came to with a collector that answers like that, what it got, and what the exporter says.
fn pushed(answer: Vec<u8>) -> (Arc<Hub>, Vec<u8>, Option<String>) {
    let peer = ScriptedPeer::start(vec![vec![Step::AwaitRequest, Step::Send(answer)]]).expect("a port");
    let endpoint = format!("http://{}/v1/metrics", peer.address());
    let hub = Arc::new(Hub::default());
    let push = Push::start(settings(endpoint), Arc::clone(&hub)).expect("it starts");
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

#[test]
fn the_last_push_says_how_it_ended() {
    let whole =
        ExportMetricsServiceResponse { partial_success: Some(ExportMetricsPartialSuccess::default()) };
    let whole = answer("200 OK\r\nContent-Type: application/x-protobuf", &whole.encode_to_vec());
    assert_eq!(pushed(whole).2, None);
    let (hub, received, said) = pushed(answer("200 OK", &[]));
    assert_eq!(said, None);
    let end = received.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    let head = String::from_utf8_lossy(&received[..end]).to_lowercase();
    assert!(head.starts_with("post /v1/metrics http/1.1"), "{head}");
    assert!(
        head.contains("content-type: application/x-protobuf") && head.contains("api-key: secret"),
        "{head}"
    );
    let request = ExportMetricsServiceRequest::decode(&received[end..]).expect("a request");
    let resource = format!("{:?}", request.resource_metrics[0].resource);
    assert!(resource.contains("deployment.environment") && resource.contains("service.instance.id"));
    let state = request.resource_metrics[0].scope_metrics[0].metrics.iter();
    let state = state.clone().find(|metric| metric.name == "proofload.run_state").expect("it is there");
    assert!(format!("{state:?}").contains("\"finished\""));
    let cost = hub.cost("otlp").expect("it is known");
    assert_eq!((cost.done, cost.failed, cost.bytes), (1, 0, (received.len() - end) as u64));
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
    let partial =
        ExportMetricsPartialSuccess { rejected_data_points: 3, error_message: "too old".to_string() };
    let partial = ExportMetricsServiceResponse { partial_success: Some(partial) }.encode_to_vec();
    assert!(of(answer("200 OK", &partial)).contains("it rejected 3 of the values: too old"));
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
    let push = Push::start(settings(format!("http://127.0.0.1:{port}/v1/metrics")), hub).expect("it starts");
    let said = push.end().expect("it failed");
    assert!(said.contains(&format!("1 of 1 pushes to http://127.0.0.1:{port}/v1/metrics failed")), "{said}");
}

#[test]
fn a_push_that_failed_is_made_up_for_by_the_next() {
    let busy = vec![Step::AwaitRequest, Step::Send(answer("503 Busy", b"")), Step::Close];
    let good = vec![Step::AwaitRequest, Step::Send(answer("200 OK", b""))];
    let peer = ScriptedPeer::start(vec![busy, good]).expect("a port");
    let hub = Arc::new(Hub::default());
    let settings = OtlpSettings {
        interval: Duration::from_millis(20),
        ..settings(format!("http://{}/v1/metrics", peer.address()))
    };
    let push = Push::start(settings, Arc::clone(&hub)).expect("it starts");
    while hub.cost("otlp").is_none_or(|cost| cost.failed == 0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let said = push.end().expect("one failed");
    assert!(said.starts_with("1 of 2 pushes"), "{said}");
    drop(peer);
}
