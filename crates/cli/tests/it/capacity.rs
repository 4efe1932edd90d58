//! `proofload capacity` against the reference server, whose limits are known, in virtual time.

use crate::support::{Reference, ReferenceProcess, executable, json, proofload, root, text, world};
use proofload_testkit::schema_complaints;
use serde_json::Value;
use std::process::Output;

fn search(server: &Reference, dir: &tempfile::TempDir, args: &[&str]) -> Output {
    let url = server.url();
    proofload(&searching(&url, dir.path().to_str().expect("UTF-8"), args))
}

fn searching<'a>(url: &'a str, dir: &'a str, args: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["capacity", url, "--dir", dir, "--no-ceiling", "--seed", "1", "--format", "json", "-q"];
    [&fixed, args].concat()
}

#[test]
fn all_mistakes_are_told_at_once_and_nothing_is_recorded() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = proofload(&[
        "capacity",
        "http://127.0.0.1:1/",
        "--slo",
        "p99 > 50ms, cpu < 1",
        "--from",
        "2k/s",
        "--to",
        "1k/s",
        "--trial",
        "1ms",
        "-r",
        "5",
        "--dir",
        dir.path().to_str().expect("UTF-8"),
    ]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    for part in ["--slo: `p99 > 50ms`", "--slo: `cpu < 1`", "--from:", "--trial:", "-r:"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!dir.path().join("runs").exists());
    let none = proofload(&["capacity", "http://127.0.0.1:1/"]);
    assert!(none.status.code() == Some(2) && text(&none.stderr).contains("--slo"));
}

#[test]
fn a_dead_port_is_no_capacity_and_says_what_to_look_at() {
    let dir = tempfile::tempdir().expect("a directory");
    let held = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", held.local_addr().expect("an address"));
    drop(held);
    let output = executable(&[
        "capacity",
        &url,
        "--slo",
        "p50 < 1s",
        "--trial",
        "200ms",
        "--no-ceiling",
        "--dir",
        dir.path().to_str().expect("UTF-8"),
    ])
    .output()
    .expect("the executable runs");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(said.contains("nothing answers at") && said.contains("start it first"), "{said}");
    // A server that answers otherwise than is expected.
    let server = Reference::start(&[]);
    let args = ["--slo", "p50 < 1s", "--trial", "200ms", "--expect-status", "404"];
    let output = search(&server, &dir, &args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("nothing was answered at 100/s, mostly rejected"), "{said}");
}

/// Each request takes 20 ms, so no rate has a median below 1 ms.
#[test]
fn an_objective_that_never_holds_is_below_the_range() {
    let server = Reference::start(&["--service", "const:20ms", "--servers", "1"]);
    let dir = tempfile::tempdir().expect("a directory");
    let args = ["--slo", "p50 < 1ms", "--from", "10/s", "--to", "100/s", "--trial", "300ms"];
    let output = search(&server, &dir, &args);
    let result = json(&output);
    let found = &result["capacities"][0];
    assert_eq!((output.status.code(), &found["answer"]), (Some(10), &Value::from("below_range")), "{found}");
    assert!(found["sentence"].as_str().expect("text").contains("not within the range"));
}

#[test]
fn an_objective_that_always_holds_is_beyond_the_range_and_the_record_says_it_again() {
    let (server, dir) = (Reference::start(&[]), tempfile::tempdir().expect("a directory"));
    let args = ["--slo", "p50 < 1s", "--from", "100/s", "--to", "200/s", "--trial", "500ms"];
    let output = search(&server, &dir, &args);
    let found = json(&output)["capacities"][0].clone();
    assert_eq!((output.status.code(), &found["answer"]), (Some(0), &Value::from("above_range")), "{found}");
    assert_eq!(found["at_least_per_s"], 200.0);
    let run = dir.path().join("runs/capacity/latest");
    let run = run.to_str().expect("UTF-8");
    let again = proofload(&["report", run, "--format", "json"]);
    assert_eq!((again.status.code(), &json(&again)["capacities"][0]), (Some(0), &found));
    let schema = std::fs::read(root().join("schema/result.schema.json")).expect("the committed schema");
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    assert_eq!(schema_complaints(&schema, &json(&again)), Vec::<String>::new());
    for (format, said) in
        [("text", "at least 200/s"), ("markdown", "at least 200/s"), ("html", "at least 200/s")]
    {
        let drawn = text(&proofload(&["report", run, "--format", format]).stdout);
        assert!(drawn.contains(said), "{format}: {drawn}");
    }
}

#[test]
fn a_search_that_is_interrupted_keeps_what_was_measured() {
    let (server, dir) = (Reference::start(&[]), tempfile::tempdir().expect("a directory"));
    world::change(|world| world.signal_at = Some(4));
    let status = search(&server, &dir, &["--slo", "p50 < 1s", "--trial", "1s"]).status;
    assert_eq!(status.code(), Some(130));
    let run = dir.path().join("runs/capacity/latest");
    let again = proofload(&["report", run.to_str().expect("UTF-8"), "--format", "json"]);
    let found = &json(&again)["capacities"][0];
    assert_eq!((again.status.code(), &found["answer"]), (Some(11), &Value::from("not_settled")), "{found}");
    assert!(!found["trials"].as_array().expect("a list").is_empty());
}

/// One server that takes 2 ms for each request carries nearly 500 a second: with 100 ms allowed for p99, the queue of
/// an M/D/1 server is that long at ρ = 1 − ln(100)·S/2L = 0.954.
#[test]
#[ignore = "truth: loads a real server for minutes"]
fn truth_09_live_capacity_of_a_queue() {
    let server = ReferenceProcess::start(&["--service", "const:2ms", "--servers", "1"]);
    let (url, dir) = (server.url(), tempfile::tempdir().expect("a directory"));
    let args = ["--slo", "p99 < 100ms", "--from", "50/s", "--to", "2k/s", "--trial", "4s"];
    let words = searching(&url, dir.path().to_str().expect("UTF-8"), &args);
    let output = executable(&words).output().expect("the executable runs");
    let found = json(&output)["capacities"][0].clone();
    let estimate = &found["estimate"];
    let figure = |key: &str| estimate[key].as_f64().unwrap_or(f64::NAN);
    println!(
        "truth 09 live | a real server, one place, 2 ms for each request, p99 < 100 ms | about 477/s, under 500/s; ± 6 % \
         with trials of 4 s | {:.0} [{:.0}, {:.0}], {} trials and {} in all: {}",
        figure("point"),
        figure("low"),
        figure("high"),
        found["searched"],
        found["trials"].as_array().map_or(0, Vec::len),
        found["answer"]
    );
    assert_eq!(found["answer"], "found", "{found}");
    let point = estimate["point"].as_f64().expect("a number");
    assert!((450.0..=506.0).contains(&point), "{estimate}");
    assert!(found["searched"].as_u64().expect("a count") <= 30);
}

#[test]
#[ignore = "truth: starts servers and loads them for minutes"]
fn truth_09_live_each_variant_has_its_capacity_on_fresh_starts() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = executable(&[
        "run",
        "studies/capacity.yaml",
        "--quick",
        "--no-ceiling",
        "--budget",
        "15m",
        "--timing",
        "warm-up=500ms",
        "--set",
        "load.capacity.trial=2s",
        "--seed",
        "3",
        "--dir",
        dir.path().to_str().expect("UTF-8"),
        "--format",
        "json",
        "-q",
    ])
    .output()
    .expect("the executable runs");
    let result = json(&output);
    let found = result["capacities"].as_array().expect("a list");
    assert_eq!(found.len(), 2);
    let told: Vec<&str> = found.iter().filter_map(|capacity| capacity["sentence"].as_str()).collect();
    println!(
        "truth 09 live | real servers of one place, 1 and 2 ms for each request, p99 < 20 ms, each start fresh | 700 to \
         1,080/s and 300 to 540/s where it is found | {}",
        told.join("; ")
    );
    for (capacity, (least, most)) in found.iter().zip([(700.0, 1_080.0), (300.0, 540.0)]) {
        if capacity["answer"] == "found" {
            let point = capacity["estimate"]["point"].as_f64().expect("a number");
            assert!((least..=most).contains(&point), "{}", capacity["sentence"]);
        }
        let trials = capacity["trials"].as_array().expect("a list");
        let fresh = trials.iter().filter(|trial| trial["fresh"] == true).count();
        assert!(fresh >= 2, "{capacity}");
    }
}
