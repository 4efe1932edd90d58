//! Servers that answer fast and wrong, asked by the executable as a person runs it.

use super::support::{json, proofload, text};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

const BODY_BYTES: usize = 1_024;

fn whole(status: &str, body_bytes: usize) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status}\r\nContent-Length: {body_bytes}\r\n\r\n").into_bytes();
    bytes.resize(bytes.len() + body_bytes, b'x');
    bytes
}

/// A server that gives each request that answer after a while, and ends the connection after it if so asked. It ends
/// with this process.
fn server(answer: Vec<u8>, after: Duration, ends: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || serve(stream, &answer, after, ends));
        }
    });
    address
}

fn serve(mut stream: TcpStream, answer: &[u8], after: Duration, ends: bool) {
    let mut request = [0; 4_096];
    while stream.read(&mut request).is_ok_and(|bytes| bytes > 0) {
        thread::sleep(after);
        if stream.write_all(answer).is_err() || ends {
            return;
        }
    }
}

/// The wrong ones, by name: an error page, nothing, and half of it.
const WRONG: [&str; 3] = ["error", "empty", "cut"];

fn study() -> String {
    let mut half = whole("200 OK", BODY_BYTES);
    half.truncate(half.len() / 2);
    let right = server(whole("200 OK", BODY_BYTES), Duration::from_millis(5), false);
    let wrong = [
        server(whole("500 Internal Server Error", 0), Duration::ZERO, false),
        server(whole("200 OK", 0), Duration::ZERO, false),
        server(half, Duration::ZERO, true),
    ];
    let subject =
        |(name, address): (&str, &SocketAddr)| format!("  {name}: {{ url: \"http://{address}/\" }}\n");
    let subjects: String = WRONG.into_iter().zip(&wrong).map(subject).collect();
    let claim = |name: &str| {
        format!(
            "  - {name} serves more: throughput({name}) > throughput(right)\n  - {name} is sooner: p50({name}) < p50(right)\n"
        )
    };
    let claims: String = WRONG.into_iter().map(claim).collect();
    format!(
        "study: wrong-answers
question: Is a fast error page a fast server?
subjects:
  right: {{ url: \"http://{right}/\" }}
{subjects}workload: {{ page: {{ get: /, expect: {{ status: 200, bytes: {BODY_BYTES} }} }} }}
load: {{ closed: {{ connections: 4 }} }}
claims:
{claims}"
    )
}

fn share_of_errors(result: &Value, variant: &str) -> f64 {
    let points = result["points"].as_array().expect("points");
    let point =
        points.iter().find(|point| point["variant"] == variant).expect("every variant has its figures");
    let outcomes = point["outcomes"].as_object().expect("outcomes");
    let finished = outcomes.iter().filter(|(name, _)| *name != "unsent");
    let all: u64 = finished.filter_map(|(_, count)| count.as_u64()).sum();
    1.0 - outcomes["answered"].as_u64().unwrap_or(0) as f64 / all.max(1) as f64
}

#[test]
fn truth_14_a_fast_wrong_answer_is_not_faster() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("wrong-answers.yaml");
    std::fs::write(&file, study()).expect("written");
    let paths = [file.to_str().expect("UTF-8"), directory.path().to_str().expect("UTF-8")];
    let timing = "warm-up=200ms,slice=100ms,discard=20ms,cycles=2";
    let output = proofload(&[
        "run",
        paths[0],
        "--quick",
        "--timing",
        timing,
        "--budget",
        "12s",
        "--no-ceiling",
        "--format",
        "json",
        "--dir",
        paths[1],
        "-q",
    ]);
    let result = json(&output);
    let claims = result["claims"].as_array().expect("claims");
    let verdicts: Vec<&str> = claims.iter().filter_map(|claim| claim["verdict"].as_str()).collect();
    let shares: Vec<String> =
        WRONG.iter().map(|name| format!("{name} {:.0} %", 100.0 * share_of_errors(&result, name))).collect();
    let blocks = &result["blocks"];
    println!(
        "truth 14 | HTTP 500 at once, an empty 200 at once, a body cut off, each against a right answer after 5 ms; the \
         executable, {blocks} blocks | invalid, not faster | errors: {}; verdicts: {}",
        shares.join(", "),
        verdicts.join(", ")
    );
    assert_eq!(verdicts, ["undecided"; 6], "{}", text(&output.stderr));
    for claim in claims {
        let reasons = claim["reasons"].to_string();
        assert!(reasons.contains("fail") || reasons.contains("error"), "{claim}");
    }
    for name in WRONG {
        assert!(share_of_errors(&result, name) > 0.99, "{name}: {result}");
    }
    assert!(share_of_errors(&result, "right") < 0.001, "{result}");
    assert!(matches!(output.status.code(), Some(11 | 12)), "{}", output.status);
}
