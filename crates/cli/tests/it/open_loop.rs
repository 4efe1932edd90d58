//! An open loop from the command line to the exit code: what it does when no connection is free, and how exactly it sends.

use crate::support::{Reference, json, proofload, root, text, world};
use proofload_testkit::sim::Link;
use serde_json::Value;
use std::process::Output;

fn point(output: &Output) -> Value {
    json(output)["points"][0].clone()
}

fn number(point: &Value, key: &str) -> u64 {
    point[key].as_u64().unwrap_or_else(|| panic!("no {key} in {point}"))
}

/// A server that takes a fifth of a second, and a load on it.
fn asked(server: &Reference, flags: &[&str]) -> Output {
    let url = server.url();
    proofload(&[&[url.as_str(), "-r", "100/s", "-d", "1s", "-q"][..], flags].concat())
}

#[test]
fn what_finds_no_connection_is_dropped_where_that_was_asked_for_and_said_loudly() {
    let server = Reference::start(&["--service", "const:200ms"]);
    let output = asked(&server, &["-c", "4", "--overflow", "drop", "--format", "json"]);
    let point = point(&output);
    let (sent, dropped, unsent) =
        (number(&point, "sent"), number(&point, "dropped"), number(&point, "unsent"));
    assert_eq!((number(&point, "intended"), sent + unsent), (100, 100));
    assert!(unsent >= 70 && dropped > 0, "four connections carry twenty a second: {point}");
    assert_eq!(dropped, unsent, "{point}");
    let findings = point["generator"]["findings"].to_string();
    assert!(
        findings.starts_with('[') && !findings.contains("offered load:"),
        "dropping was asked for: {point}"
    );
    let output = asked(&server, &["-c", "4", "--overflow", "drop", "-v"]);
    let said = text(&output.stdout);
    assert!(said.contains("of the planned load was offered") && said.contains("were dropped"), "{said}");
}

#[test]
fn a_server_that_cannot_take_the_load_is_overloaded_and_its_times_are_lower_ends() {
    // Two connections carry ten a second of the hundred that are asked for.
    let server = Reference::start(&["--service", "const:200ms"]);
    let output = asked(&server, &["-c", "2", "--fail", "p99 > 500ms", "--fail", "p50 < 100ms"]);
    let said = text(&output.stdout);
    assert!(said.contains("overloaded:") && said.contains("times are lower ends"), "{said}");
    assert!(said.contains("≥ ") && !said.contains("offered load:"), "{said}");
    // Longer than was seen is longer still.
    assert!(said.contains("refuted") && said.contains("supported"), "{said}");
    assert_eq!(output.status.code(), Some(10), "{said}");
}

#[test]
fn what_is_never_answered_is_an_error_and_ranks_above_all_answers() {
    let server = Reference::start(&["--faults", "silence=0.02"]);
    let url = server.url();
    let load = [url.as_str(), "-r", "1000/s", "-d", "2s", "-c", "auto", "-q"];
    let claims = ["--fail", "errors == 0", "--fail", "p99 < 100ms", "--fail", "p50 < 100ms"];
    let output = proofload(&[&load[..], &claims[..], &["--format", "json"]].concat());
    let result = json(&output);
    let point = &result["points"][0];
    let unanswered = point["outcomes"]["unanswered"].as_u64().expect("a count");
    assert!((15..=80).contains(&unanswered), "{point}");
    let times = &point["response_time_ns"];
    assert_eq!(times["unended"], unanswered);
    // A second is waited for them.
    assert!(times["p99"].as_u64().expect("a time") > 1_000_000_000, "{times}");
    let verdicts: Vec<&str> = result["claims"]
        .as_array()
        .expect("claims")
        .iter()
        .filter_map(|claim| claim["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["refuted", "refuted", "supported"], "{}", result["claims"]);
    assert_eq!(output.status.code(), Some(10));
}

#[test]
fn connections_grow_to_what_is_needed_and_no_further_than_allowed() {
    let server = Reference::start(&["--service", "const:200ms"]);
    let accepted = || server.counts()["accepted"].as_u64().expect("a count");
    let before = accepted();
    let output = asked(&server, &["-c", "2", "--max-connections", "80", "--format", "json"]);
    let grown = point(&output);
    assert_eq!((number(&grown, "connections"), number(&grown, "connections_most")), (2, 80));
    assert_eq!(number(&grown, "sent"), 100);
    let peak = number(&grown, "connections_peak");
    // A hundred a second that take a fifth of a second are twenty at once.
    assert!((20..=22).contains(&peak), "{grown}");
    assert_eq!(accepted() - before, peak);
    let output =
        asked(&server, &["-c", "2", "--max-connections", "8", "--overflow", "drop", "--format", "json"]);
    assert_eq!(number(&point(&output), "connections_peak"), 8);
    let said =
        text(&asked(&server, &["-c", "2", "--max-connections", "8", "--overflow", "drop", "-v"]).stdout);
    assert!(said.contains("2 at first, 8 in the end (as many as allowed)"), "{said}");
    let output = asked(&server, &["-c", "auto", "--format", "json"]);
    let chosen = point(&output);
    assert_eq!((number(&chosen, "connections"), number(&chosen, "sent")), (16, 100));
    assert!(
        number(&chosen, "connections_peak") > 16 && number(&chosen, "connections_most") >= 64,
        "{chosen}"
    );
}

#[test]
fn coalesced_sends_leave_together_and_late() {
    let server = Reference::start(&[]);
    let url = server.url();
    // Answers that come later would wake the generator between two of its turns.
    world::change(|world| world.link = Link::default());
    let args = [&url, "-r", "1k/s", "-d", "1s", "-c", "8", "-q", "--coalesce", "8ms", "--format", "json"];
    let point = point(&proofload(&args));
    assert_eq!(number(&point, "sent"), 1_000);
    let p50_ns = point["send_delay_ns"]["p50"].as_f64().expect("a quantile");
    assert!((3e6..5e6).contains(&p50_ns), "{point}");
}

#[test]
fn flags_that_make_no_sense_are_refused_all_at_once() {
    let url = "http://127.0.0.1:1/";
    let refused = |args: &[&str], says: &[&str]| {
        let output = proofload(&[&[url][..], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        for what in says {
            assert!(text(&output.stderr).contains(what), "{args:?}: no {what} in {}", text(&output.stderr));
        }
    };
    refused(
        &["-c", "auto"],
        &["-c: in a closed loop", "each number of them is another question", "an open load"],
    );
    refused(&["-c", "0"], &["-c: 0 does not fit"]);
    refused(&["-c", "many"], &["-c: many"]);
    for flag in ["--overflow=drop", "--coalesce=1ms", "--max-connections=99"] {
        refused(&[flag], &[flag.split('=').next().expect("a flag"), "has no meaning without -r"]);
        refused(&["--stage", "hold 5 1s", flag], &["has no meaning without -r"]);
    }
    refused(&["-r", "5", "--coalesce", "1s"], &["--coalesce", "to 100ms"]);
    refused(&["-r", "5", "--overflow", "dorp"], &["did you mean drop?"]);
    refused(&["-r", "5", "-c", "8", "--max-connections", "4"], &["--max-connections: "]);
    refused(
        &["-r", "5", "-c", "none", "--coalesce", "x", "--overflow", "x", "--max-connections", "100001"],
        &["-c: none", "--coalesce", "--overflow", "--max-connections"],
    );
}

fn study(name: &str, load: &str) -> String {
    let path = std::env::temp_dir().join(format!("proofload-open-{}-{name}.yaml", std::process::id()));
    let text = format!(
        "study: open\nquestion: Is it?\nsubjects:\n  a: {{ url: \"http://127.0.0.1:1/\" }}\n  b: {{ url: \
         \"http://127.0.0.1:2/\" }}\nworkload:\n  page: {{ get: / }}\nload:\n  {load}\nclaims:\n  - faster: p99(a) < \
         p99(b)\n"
    );
    std::fs::write(&path, text).expect("a temporary file");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_study_says_how_an_open_loop_sends_and_all_mistakes_in_it_are_told_at_once() {
    assert!(root().is_dir());
    let explained = |name: &str, load: &str| {
        let path = study(name, load);
        let output = proofload(&["run", &path, "--explain"]);
        std::fs::remove_file(&path).expect("it was written");
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let load =
        "open: { rate: 5k/s, connections: 64, max_connections: 1200, overflow: drop, coalesce: 100us }";
    let (code, said) = explained("good", load);
    assert_eq!(code, Some(0), "{said}");
    for words in ["64 connections, up to 1200 while none is free", "are dropped", "within 100 µs"] {
        assert!(said.contains(words), "no {words} in {said}");
    }
    let (code, said) = explained("auto", "open: { rate: 5k/s, connections: auto }");
    assert!(code == Some(0) && said.contains("16 connections, up to "), "{said}");
    let (code, said) = explained(
        "bad",
        "open: { rate: 5k/s, connections: 64, max_connections: 8, overflow: lose, coalesce: 1s }",
    );
    assert_eq!(code, Some(2), "{said}");
    for words in ["fewer than the 64", "write queue or drop", "to 100ms"] {
        assert!(said.contains(words), "no {words} in {said}");
    }
    let (code, said) = explained("closed", "closed: { connections: auto }");
    assert!(code == Some(2) && said.contains("another question"), "{said}");
}
