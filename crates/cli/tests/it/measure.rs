//! `proofload URL` against the reference server, in virtual time.

use crate::support::{Reference, ReferenceProcess, executable, json, proofload, text};
use proofload_measure::Outcome;
use proofload_testkit::schema_complaints;
use serde_json::Value;
use std::collections::BTreeMap;

fn point(args: &[&str]) -> Value {
    let output = proofload(args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
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
    let schema = std::fs::read(crate::support::root().join("schema/result.schema.json"))
        .expect("the committed schema");
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    let result = json(&output);
    assert_eq!(schema_complaints(&schema, &result), Vec::<String>::new());
}

#[test]
fn a_dead_port_is_an_outcome_and_an_invalid_result_not_a_crash() {
    // Bound and not listening: no other process can take the port while the test runs.
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
    assert_eq!(run(&["--expect-status", "204,300-399,2xx"])["answered"], 20);
    assert_eq!(run(&["--expect-status", "201-299,5xx"])["rejected"], 20);
    // Bodies are the alphabet, over and over.
    assert_eq!(run(&["--expect-text", "abc", "--expect-text", "xyz"])["answered"], 20);
    assert_eq!(run(&["--expect-text", "abc", "--expect-text", "zyx"])["mismatch"], 20);
    assert_eq!(run(&["--expect-no-text", "zyx", "--expect-no-text", "E41"])["answered"], 20);
    assert_eq!(run(&["--expect-no-text", "zyx", "--expect-no-text", "mno"])["mismatch"], 20);
}

#[test]
fn a_text_that_must_not_occur_is_not_known_of_a_body_longer_than_what_is_looked_at() {
    let server = Reference::start(&["--size", "const:70000"]);
    let run = |text: &str| {
        let args = ["-n", "9", "-c", "1", "--format", "json", "-q", "--expect-no-text", text];
        json(&proofload(&[&[server.url().as_str()], &args[..]].concat()))["points"][0].clone()
    };
    assert_eq!(outcomes(&run("lmn"))["mismatch"], 9, "it is there");
    let point = run("E41");
    assert_eq!(outcomes(&point)["beyond_limit"], 9);
    let what = point["bad_answers"][0]["what"].as_str().expect("a sentence");
    assert!(what.starts_with("\"E41\" is not in the first 65536 bytes of a body of 70000, and"), "{what}");
}

#[test]
fn statuses_that_are_none_are_named() {
    for wrong in ["99", "600", "6xx", "404-", "410-404", "200-399-500", "ok"] {
        let output = proofload(&["http://127.0.0.1:1/", "--expect-status", &format!("200,{wrong}")]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(
            told.contains("--expect-status") && told.contains(wrong) && told.contains("404-410"),
            "{told}"
        );
    }
}

#[test]
fn a_bound_on_the_first_byte_is_judged_apart_from_the_end() {
    // After a wait of 30 ms the answer comes byte by byte.
    let server = Reference::start(&["--service", "const:30ms", "--faults", "drip=1,drip_every=2ms"]);
    let run = |claims: &[&str]| {
        let mut args = vec!["-n", "300", "-c", "3", "-q"];
        claims.iter().for_each(|claim| args.extend(["--fail", claim]));
        proofload(&[&[server.url().as_str()], &args[..]].concat())
    };
    let both = run(&["first_byte_p95 < 60ms", "p50 > 100ms"]);
    assert_eq!(both.status.code(), Some(0), "{}{}", text(&both.stdout), text(&both.stderr));
    assert!(text(&both.stdout).contains("  first byte  p50 "), "{}", text(&both.stdout));
    for broken in ["first_byte_p50 > 100ms", "first_byte_mean < 20ms", "first_byte_max < 40ms", "p50 < 60ms"]
    {
        let output = run(&[broken]);
        assert_eq!(output.status.code(), Some(10), "{broken}: {}", text(&output.stdout));
    }
    let unknown = run(&["first_byte < 20ms"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("no measure first_byte"), "{}", text(&unknown.stderr));
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
        (vec!["gopher://localhost:8080"], "http"),
        (vec!["ftp://127.0.0.1/"], "https"),
        (vec!["http://127.0.0.1:1/", "-c", "0"], "from 1 to 100000"),
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
fn requests_with_random_faults_reconcile_kind_by_kind() {
    let server = Reference::start(&["--faults", FAULTS, "--seed", "42"]);
    let args = [&server.url(), "-n", "20000", "-c", "64", "--timeout", "2s", "--format", "json", "-q"];
    let point = json(&proofload(&args))["points"][0].clone();
    reconcile(&point, &server.counts(), 20_000, 0);
}

#[test]
#[ignore = "full: asks a million times"]
fn a_million_requests_with_random_faults_reconcile_kind_by_kind() {
    a_million_reconcile(&[]);
}

#[test]
#[ignore = "full: asks a million times"]
fn a_million_requests_of_four_processes_reconcile_kind_by_kind() {
    a_million_reconcile(&["--agents", "4"]);
}

fn a_million_reconcile(more: &[&str]) {
    let server = ReferenceProcess::start(&["--faults", FAULTS, "--seed", "42"]);
    let url = server.url();
    let args =
        [&url, "-n", "1000000", "-c", "64", "--timeout", "2s", "--format", "json", "-q", "--workers", "1"];
    let output = executable(&[&args[..], more].concat()).output().expect("the executable runs");
    reconcile(&json(&output)["points"][0], &server.counts(), 1_000_000, 50);
}

/// The client's counts are the server's, of `requests` requests; each fault was done more than `least` times.
fn reconcile(point: &Value, counts: &Value, requests: u64, least: u64) {
    let outcomes = outcomes(point);
    assert_eq!(outcomes.values().sum::<u64>(), requests, "{outcomes:?}");
    assert_eq!((point["intended"].as_u64(), counts["requests"].as_u64()), (Some(requests), Some(requests)));
    for (kind, n) in &outcomes {
        assert_eq!(Some(*n), counts["expected_outcomes"][kind].as_u64(), "{kind}: {outcomes:?} {counts}");
    }
    for fault in
        ["reset_before", "reset_within", "reset_after", "short_body", "surplus", "status_500", "silence"]
    {
        assert!(counts["faults"][fault].as_u64() > Some(least), "{fault} was not planted: {counts}");
    }
}

#[test]
fn a_stall_shows_in_response_time_whatever_the_number_of_connections() {
    let server = Reference::start(&["--stall", "200ms/2s"]);
    let url = server.url();
    let p99_ms = |point: &Value, clock: &str| point[clock]["p99"].as_u64().expect("a p99") as f64 / 1e6;
    let open = |connections: &str| {
        point(&[&url, "-r", "1k/s", "-c", connections, "-d", "10s", "--format", "json", "-q"])
    };
    let few = open("16");
    let many = open("300");
    // The truth is 180 ms.
    for point in [&few, &many] {
        let response = p99_ms(point, "response_time_ns");
        assert!((175.0..190.0).contains(&response), "response p99 {response} ms");
    }
    let (few_service, many_service) = (p99_ms(&few, "service_time_ns"), p99_ms(&many, "service_time_ns"));
    assert!(few_service < 100.0, "16 connections hide it from the service time: {few_service} ms");
    assert!(many_service > 150.0, "300 connections show it: {many_service} ms");
}

/// The load in the result of a measurement with these flags.
fn load_of(url: &str, args: &[&str]) -> Value {
    let output = proofload(&[&[url, "-q", "--no-ceiling", "--format", "json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    json(&output)["load"].clone()
}

fn is(load: &Value, place: &str, expected: Value) {
    assert_eq!(load.pointer(place), Some(&expected), "{place} in {load}");
}

/// The value of each flag is in the record: a measurement can be made again from its result alone.
#[test]
fn a_result_says_what_was_asked_for_flag_by_flag() {
    let server = Reference::start(&[]);
    let url = server.url();
    let load = |args: &[&str]| load_of(&url, args);
    let brief = ["-d", "300ms", "-c", "2"];
    let with = |args: &[&'static str]| load(&[&brief[..], args].concat());
    let plain = with(&["--seed", "7", "--workers", "2", "--warm-up", "50ms", "--timeout", "9s"]);
    is(&plain, "/seed", 7.into());
    is(&plain, "/workers", 2.into());
    is(&plain, "/driver", "epoll".into());
    is(&plain, "/discard_ns", 50_000_000.into());
    is(&plain, "/window_ns", 300_000_000.into());
    is(&plain, "/requests", 0.into());
    is(&plain, "/connect_timeout_ns", 5_000_000_000_u64.into());
    is(&plain, "/response_timeout_ns", 9_000_000_000_u64.into());
    is(&plain, "/point/connections", 2.into());
    is(&plain, "/point/model", "closed".into());
    assert!(
        plain["workload"][0].as_str().is_some_and(|line| line.contains("GET /, expects status")),
        "{plain}"
    );
    assert!(plain["arguments"].as_array().is_some_and(|all| all.contains(&"--warm-up".into())), "{plain}");
    assert_eq!(plain["working_directory"], crate::support::root().display().to_string());
    is(&load(&["-n", "20", "-c", "2"]), "/requests", 20.into());
    let open = with(&[
        "-r",
        "100",
        "--poisson",
        "--coalesce",
        "100us",
        "--overflow",
        "drop",
        "--max-connections",
        "9",
    ]);
    assert!(open["seed"].as_u64() > Some(0), "one from the clock is told too: {open}");
    is(&open, "/point/rate_per_s", 100.0.into());
    is(&open, "/point/arrival", "poisson".into());
    is(&open, "/point/coalesce_ns", 100_000.into());
    is(&open, "/point/overflow", "drop".into());
    is(&open, "/point/most_connections", 9.into());
    is(&with(&["--think", "5ms"]), "/point/think_ns", 5_000_000.into());
    is(&with(&["--keep-alive", "3"]), "/point/keep_alive", "3".into());
    let made =
        with(&["-m", "POST", "--body", "${n}", "--feeder", "n=counter:1", "--cookies", "--follow", "2"]);
    let line = made["workload"].to_string();
    for part in ["POST /", "what is filled in", "follows 2 redirects", "keeps its cookies"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(made["arguments"].to_string().contains("n=counter:1"), "{made}");
}

#[test]
fn a_result_says_what_shape_was_asked_for() {
    let server = Reference::start(&[]);
    let url = server.url();
    let dir = tempfile::tempdir().expect("a directory");
    let trace = dir.path().join("a.txt");
    std::fs::write(&trace, "0\n0.1\n0.2\n").expect("written");
    let trace = trace.to_str().expect("a path");
    let load = |args: &[&str]| load_of(&url, args);
    let staged = load(&["--stage", "hold 100/s 300ms"]);
    is(&staged, "/point/length_ns", 300_000_000.into());
    assert!(
        staged["point"]["profile"].as_str().is_some_and(|shape| shape.contains("hold 100/s")),
        "{staged}"
    );
    let played = load(&["--trace", trace, "--speed", "2x", "--repeat", "3"]);
    let shape = played["point"]["profile"].as_str().expect("a shape").to_owned();
    for part in [trace, "sha256", "2 times its speed", "3 rounds"] {
        assert!(shape.contains(part), "{part} in {shape}");
    }
    let users = load(&["--users", "2", "--loops", "3"]);
    is(&users, "/requests", 6.into());
    let said = text(&proofload(&[&url, "-n", "5", "-c", "1", "--seed", "41", "-v"]).stdout);
    assert!(said.contains("seed 41") && said.contains("GET /"), "{said}");
}

#[test]
fn a_result_does_not_say_the_credentials_that_were_given() {
    let server = Reference::start(&[]);
    let hidden = format!("{}?token=zQ9tokenZ", server.url());
    let output = proofload(&[&hidden, "-n", "5", "-c", "1", "--bearer", "zQ9tokenZ", "--format", "json"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(said.contains("[redacted]") && !said.contains("zQ9tokenZ"), "{said}");
}

#[test]
fn a_closed_loop_names_the_silences_that_it_hides_with_the_load_that_shows_them() {
    let server = Reference::start(&["--stall", "200ms/1s"]);
    let args = [&server.url(), "-c", "4", "-d", "5s", "--format", "json", "-q"];
    let output = proofload(&args);
    let result = json(&output);
    let silences = &result["points"][0]["silences"];
    let count = silences["count"].as_u64().expect("a closed loop without think time");
    // A stall each second, from the first on, of five.
    assert_eq!(count, 4, "{silences}");
    assert!(
        silences["longest_ns"].as_u64().is_some_and(|ns| (200_000_000..202_000_000).contains(&ns)),
        "{silences}"
    );
    let limits = result["limits"].to_string();
    assert!(limits.contains("A closed loop hides them: try -r "), "{limits}");

    let open = json(&proofload(&[&server.url(), "-r", "200/s", "-d", "1s", "--format", "json", "-q"]));
    assert_eq!(open["points"][0]["silences"], Value::Null);
}

#[test]
fn a_measurement_fits_a_screen_and_its_record_says_the_same() {
    let server = Reference::start(&["--faults", "status_500=0.2"]);
    let dir = tempfile::tempdir().expect("a folder");
    let dir_text = dir.path().to_str().expect("UTF-8");
    let output = proofload(&[&server.url(), "-n", "500", "-c", "4", "--dir", dir_text, "-q"]);
    let screen = text(&output.stdout);
    assert!(
        screen.lines().count() <= 24 && screen.lines().all(|line| line.chars().count() <= 80),
        "{screen}"
    );
    for part in
        ["4 connections, closed loop", "latency  p50", "status 500", "runs/url/", "answered per second"]
    {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    let run = dir.path().join("runs/url/latest");
    for file in ["result.json", "report.html", "report.md", "environment.json", "status.json"] {
        assert!(run.join(file).is_file(), "{file}");
    }
    let report = |extra: &[&str]| {
        let mut args = vec!["report", run.to_str().expect("UTF-8")];
        args.extend(extra);
        proofload(&args)
    };
    let again = report(&[]);
    assert_eq!(again.status.code(), output.status.code());
    let but_path = |text: &str| {
        let (head, tail) = text.split_once("record ").expect("it names its record");
        format!("{}{}", head.trim_end(), tail.split_once('\n').expect("a last line").1)
    };
    assert_eq!(but_path(&text(&again.stdout)), but_path(&screen));
    for format in
        ["json", "markdown", "html", "junit", "csv", "csv-series", "charts", "hlog", "hgrm", "jtl", "parquet"]
    {
        let drawn = report(&["--format", format]);
        assert!(!drawn.stdout.is_empty(), "{format}: {}", text(&drawn.stderr));
    }
    let failed = report(&["--fail", "errors == 0", "--format", "json"]);
    assert_eq!(failed.status.code(), Some(10), "{}", text(&failed.stderr));
    assert_eq!(report(&["--baseline", "x"]).status.code(), Some(2));
    let history = proofload(&["history", "--dir", dir_text]);
    assert_eq!(history.status.code(), Some(0), "{}", text(&history.stderr));
}

#[test]
fn a_refused_port_is_the_first_thing_said_and_the_generator_is_left_out() {
    let held = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", held.local_addr().expect("an address"));
    drop(held);
    for extra in [&[][..], &["-v"]] {
        let mut args = vec![url.as_str(), "-d", "300ms", "-c", "3", "-q"];
        args.extend(extra);
        let output = proofload(&args);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(12), "{said}");
        assert!(said.contains("nothing answered: connection refused ("), "{said}");
        assert!(said.contains("start the server"), "{said}");
        for word in ["ceiling", "generator fit", "client-limited"] {
            assert!(!said.contains(word), "{word}: {said}");
        }
        if extra.is_empty() {
            assert!(said.starts_with("✘ nothing answered"), "{said}");
        }
    }
}

#[test]
fn each_output_has_the_format_of_its_ending_and_is_named() {
    let server = Reference::start(&[]);
    let dir = tempfile::tempdir().expect("a folder");
    let file = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_string();
    let endings = ["json", "html", "md", "xml", "csv", "hlog", "hgrm", "jtl", "parquet", "txt"];
    let names = endings.map(|ending| file(&format!("a.{ending}")));
    let url = server.url();
    let run = |extra: &[&str]| {
        let mut args = vec![url.as_str(), "-n", "20", "-c", "2"];
        args.extend(names.iter().flat_map(|name| ["-o", name.as_str()]));
        args.extend(extra);
        proofload(&args)
    };
    let output = run(&[]);
    let begins =
        ["{", "<!doctype html", "#", "<?xml", "variant,", "#[", "       value", "timestamp,", "par1", &url];
    for (name, begin) in names.iter().zip(begins) {
        let written = text(&std::fs::read(name).expect("it was written"));
        assert!(written.to_lowercase().starts_with(begin), "{name}: {}", &written[..written.len().min(80)]);
        assert!(text(&output.stderr).contains(&format!("wrote {name}\n")), "{}", text(&output.stderr));
    }
    assert!(text(&output.stdout).starts_with(&url), "the screen is shown, too");
    let quiet = run(&["-q"]);
    assert!(quiet.stdout.is_empty() && !text(&quiet.stderr).contains("wrote"), "{}", text(&quiet.stderr));
    assert!(run(&["--format", "json"]).stdout.is_empty());
    for name in &names {
        assert!(std::fs::read_to_string(name).expect("it was written").starts_with('{'), "{name}");
    }
}

#[test]
fn a_mix_tells_its_entries_apart_and_says_which_is_slow_and_which_fails() {
    let quick = Reference::start(&["--service", "const:2ms", "--size", "const:30"]);
    let slow = Reference::start(&["--service", "const:40ms", "--size", "const:500"]);
    let failing = Reference::start(&["--service", "const:1ms", "--faults", "status_500=1"]);
    let [cart, report, gone] =
        [(&quick, "3*", "cart"), (&slow, "", "item/${id}?x=1"), (&failing, "2*", "gone")]
            .map(|(server, weight, path)| format!("{weight}{}{path}", server.url()));
    let load = [
        "-n",
        "420",
        "-c",
        "12",
        "--seed",
        "7",
        "--workers",
        "2",
        "--feeder",
        "id=counter:1",
        "-q",
        "--no-record",
    ];
    let ask = |more: &[&str]| proofload(&[&[&*cart, &*report, &*gone], &load[..], more].concat());
    let result = json(&ask(&["--format", "json"]));
    let whole = &result["points"][0];
    let requests = whole["requests"].as_array().expect("a list");
    let names: Vec<&str> = requests.iter().filter_map(|request| request["name"].as_str()).collect();
    assert_eq!(names, ["/cart", "/item/${id}", "/gone"]);
    let each: Vec<BTreeMap<String, u64>> = requests.iter().map(outcomes).collect();
    for (kind, n) in outcomes(whole) {
        assert_eq!(each.iter().map(|counts| counts[&kind]).sum::<u64>(), n, "{kind}");
    }
    assert_eq!(each[2]["rejected"], outcomes(whole)["rejected"]);
    assert_eq!((each[2]["answered"], requests[2]["codes"]["500"].as_u64()), (0, Some(each[2]["rejected"])));
    for (server, counts, size, request) in
        [(&quick, &each[0], 30, &requests[0]), (&slow, &each[1], 500, &requests[1])]
    {
        assert_eq!(server.counts()["answered"], counts["answered"]);
        assert_eq!(request["body_bytes"], size * counts["answered"]);
    }
    let median = |at: usize| requests[at]["response_time_ns"]["p50"].as_u64().expect("a median");
    assert!((2_000_000..9_000_000).contains(&median(0)) && median(1) >= 40_000_000, "{requests:?}");
    assert_eq!(whole["bad_answers"][0]["request"], "/gone");

    let n = each[2]["rejected"];
    let output = ask(&["--fail", "p50(/item/${id}) < 20ms", "--fail", "errors(/cart) == 0"]);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(10), "{told}");
    assert!(told.starts_with(&format!("✘ {n} of {n} of /gone rejected: status 500")), "{told}");
    for line in ["refuted    p50(/item/${id}) < 20ms", "supported  errors(/cart) == 0"] {
        assert!(told.lines().any(|told| told == line), "{line}: {told}");
    }
    assert!(told.lines().any(|line| line.starts_with("  /item/${id} ")), "{told}");

    let output = ask(&["--fail", "p99(/crat) < 20ms", "--fail", "rss(/cart) < 5MiB"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("no entry of the workload /crat; did you mean /cart?"), "{told}");
    assert!(told.contains("rss belongs to processes"), "{told}");
}

#[test]
fn entries_are_named_by_what_tells_them_apart() {
    let [one, other] = [Reference::start(&[]), Reference::start(&[])];
    let names = |urls: &[&str]| {
        let result = json(&proofload(
            &[urls, &["-n", "60", "-c", "12", "-q", "--no-record", "--format", "json"]].concat(),
        ));
        let point = &result["points"][0];
        let requests = point["requests"].as_array().cloned().unwrap_or_default();
        let counts = requests.iter().map(|request| outcomes(request)["answered"]);
        assert!(requests.is_empty() || counts.sum::<u64>() == outcomes(point)["answered"]);
        requests.iter().filter_map(|request| request["name"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let [here, there] = [one.url(), other.url()];
    let (host, _) = here["http://".len()..].split_once('/').expect("a path");
    let (elsewhere, _) = there["http://".len()..].split_once('/').expect("a path");
    assert_eq!(names(&[&here]), Vec::<String>::new(), "a load of one request has no figures apart");
    assert_eq!(
        names(&[&format!("{here}a?q=1"), &format!("{here}a?q=2"), &format!("{here}b?q=2")]),
        ["/a?q=1", "/a?q=2", "/b"]
    );
    assert_eq!(names(&[&here, &there]), [format!("{host}/"), format!("{elsewhere}/")]);
    assert_eq!(names(&[&format!("{here}a"), &format!("{here}a")]), ["/a", "/a 2"]);
}
