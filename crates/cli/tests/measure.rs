//! `proofload URL` against the reference server.

mod support;

use proofload_measure::Outcome;
use serde_json::Value;
use std::collections::BTreeMap;
use support::{Reference, json, proofload, slow_tests, text};

fn point(args: &[&str]) -> Value {
    let output = proofload(args);
    // A busy machine may make the generator unfit, which is said and is not what these tests are about.
    assert!(matches!(output.status.code(), Some(0 | 12)), "{}\n{}", output.status, text(&output.stderr));
    json(&output)["points"][0].clone()
}

fn outcomes(point: &Value) -> BTreeMap<String, u64> {
    let counts = point["outcomes"].as_object().expect("an object of counts");
    counts.iter().map(|(name, n)| (name.clone(), n.as_u64().expect("a count"))).collect()
}

#[test]
fn a_number_of_requests_is_asked_exactly() {
    let server = Reference::start(&[]);
    let point = point(&[&server.url(), "-n", "1003", "-c", "7", "--workers", "2", "--format", "json", "-q"]);
    let outcomes = outcomes(&point);
    assert_eq!(outcomes["answered"], 1003);
    assert_eq!(outcomes.values().sum::<u64>(), 1003);
    assert_eq!(outcomes.len(), Outcome::ALL.len(), "every kind is there, zero or not");
    assert_eq!(server.counts()["answered"], 1003);
}

#[test]
fn json_output_is_what_the_schema_says() {
    let server = Reference::start(&[]);
    let output = proofload(&[&server.url(), "-n", "100", "-c", "4", "--format", "json", "-q"]);
    let schema =
        std::fs::read(support::root().join("schema/result.schema.json")).expect("the committed schema");
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let result = json(&output);
    let errors: Vec<String> = validator.iter_errors(&result).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn a_dead_port_is_an_outcome_and_an_invalid_result_not_a_crash() {
    // Bound and not listening: nobody else can take the port while the test runs.
    let held = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = held.local_addr().expect("an address").port();
    drop(held);
    let url = format!("http://127.0.0.1:{port}/");
    let output = proofload(&[&url, "-d", "300ms", "-c", "3", "--format", "json", "-q"]);
    assert_eq!(output.status.code(), Some(12), "{}", text(&output.stderr));
    let point = &json(&output)["points"][0];
    let outcomes = outcomes(point);
    assert_eq!(outcomes["answered"], 0);
    assert!(outcomes["connect_refused"] >= 3, "{outcomes:?}");
    // 100 ms of rest for each connection: three connections cannot try more than 4 times each in 300 ms.
    assert!(outcomes["connect_refused"] <= 15, "{outcomes:?}");
}

#[test]
fn errors_by_status_are_rejected_and_are_no_throughput() {
    let server = Reference::start(&["--faults", "status_500=1"]);
    let output = proofload(&[&server.url(), "-n", "50", "-c", "2", "--format", "json", "-q"]);
    let point = &json(&output)["points"][0];
    assert_eq!(outcomes(point)["rejected"], 50);
    assert_eq!(point["codes"]["500"], 50);
    assert_eq!(point["throughput_per_s"], 0.0);
    assert_eq!(output.status.code(), Some(12));
}

#[test]
fn expectations_are_checked() {
    let server = Reference::start(&["--size", "const:347"]);
    let url = server.url();
    let run = |extra: &[&str]| {
        let mut args = vec![url.as_str(), "-n", "20", "-c", "2", "--format", "json", "-q"];
        args.extend(extra);
        outcomes(&json(&proofload(&args))["points"][0])
    };
    assert_eq!(run(&["--expect-bytes", "347"])["answered"], 20);
    assert_eq!(run(&["--expect-bytes", "348"])["mismatch"], 20);
    assert_eq!(run(&["--expect-text", "no such text in it"])["mismatch"], 20);
    assert_eq!(run(&["--expect-status", "204"])["rejected"], 20);
}

#[test]
fn without_keep_alive_every_request_has_its_own_connection() {
    let server = Reference::start(&[]);
    let point =
        point(&[&server.url(), "-n", "200", "-c", "4", "--keep-alive", "off", "--format", "json", "-q"]);
    assert_eq!(outcomes(&point)["answered"], 200);
    assert_eq!(server.counts()["accepted"], 200, "the one that asks for the counts is not among them");
}

#[test]
fn bad_arguments_leave_with_usage_and_say_what_to_write() {
    for (args, says) in [
        (vec!["http://127.0.0.1:1/", "-d", "10"], "10s"),
        (vec!["localhost:8080"], "http://"),
        (vec!["ftp://127.0.0.1/"], "https"),
        (vec!["http://127.0.0.1:1/", "-c", "0"], "connections"),
        (vec!["http://127.0.0.1:1/", "-H", "no colon"], "colon"),
        (vec!["http://127.0.0.1:1/", "-r", "fast"], "rate"),
    ] {
        let output = proofload(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
    }
}

/// Every fault whose outcome does not hang on a time-out, and silence, whose outcome is one.
const FAULTS: &str = "reset_before=0.002,reset_within=0.002,reset_after=0.002,wrong_length=0.002,status_500=0.002,silence=0.0002";

#[test]
fn a_million_requests_with_random_faults_reconcile_kind_by_kind() {
    if !slow_tests("asks a million times") {
        return;
    }
    let server = Reference::start(&["--faults", FAULTS, "--seed", "42"]);
    let url = server.url();
    let args =
        [&url, "-n", "1000000", "-c", "64", "--timeout", "2s", "--format", "json", "-q", "--workers", "1"];
    let point = json(&proofload(&args))["points"][0].clone();
    let outcomes = outcomes(&point);
    let counts = server.counts();
    assert_eq!(outcomes.values().sum::<u64>(), 1_000_000, "{outcomes:?}");
    assert_eq!((point["intended"].as_u64(), counts["requests"].as_u64()), (Some(1_000_000), Some(1_000_000)));
    for (kind, n) in &outcomes {
        assert_eq!(Some(*n), counts["expected_outcomes"][kind].as_u64(), "{kind}: {outcomes:?} {counts}");
    }
    for fault in
        ["reset_before", "reset_within", "reset_after", "short_body", "surplus", "status_500", "silence"]
    {
        assert!(counts["faults"][fault].as_u64() > Some(50), "{fault} was not planted: {counts}");
    }
}

#[test]
fn a_stall_shows_in_response_time_whatever_the_number_of_connections() {
    if !slow_tests("waits for several stalls of a live server") {
        return;
    }
    let server = Reference::start(&["--stall", "200ms/2s"]);
    let url = server.url();
    let p99_ms = |point: &Value, clock: &str| point[clock]["p99"].as_u64().expect("a p99") as f64 / 1e6;
    let open = |connections: &str| {
        point(&[&url, "-r", "5k/s", "-c", connections, "-d", "10s", "--format", "json", "-q"])
    };
    let few = open("64");
    let many = open("1200");
    // The truth is 180 ms. A busy machine adds to it and never takes away; how much is held in virtual time.
    for point in [&few, &many] {
        let response = p99_ms(point, "response_time_ns");
        assert!(response > 170.0, "response p99 {response} ms");
        assert!(response < 1_000.0, "response p99 {response} ms");
    }
    let (few_service, many_service) = (p99_ms(&few, "service_time_ns"), p99_ms(&many, "service_time_ns"));
    assert!(few_service < 100.0, "64 connections hide it from the service time: {few_service} ms");
    assert!(many_service > 150.0, "1,200 connections show it: {many_service} ms");
}
