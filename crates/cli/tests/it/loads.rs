//! Shapes of a load and thresholds, from the command line to the exit code.

use crate::support::{PROOFLOAD, Reference, ReferenceProcess, json, outside, proofload, root, text};
use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn outcome(result: &Value, kind: &str) -> u64 {
    result["points"][0]["outcomes"][kind].as_u64().expect("a count")
}

/// All outcomes of the point, and its failures: everything but answers.
fn failed(result: &Value) -> u64 {
    let outcomes = result["points"][0]["outcomes"].as_object().expect("counts");
    outcomes.iter().filter(|(kind, _)| *kind != "answered").filter_map(|(_, n)| n.as_u64()).sum()
}

#[test]
fn stages_of_a_rate_ask_their_integral_and_keep_a_series() {
    let server = Reference::start(&[]);
    let url = server.url();
    let stages = ["--stage", "ramp 0..400/s 1s", "--stage", "hold 400/s 500ms", "--stage", "hold 0/s 500ms"];
    let args: Vec<&str> =
        [url.as_str()].into_iter().chain(stages).chain(["-c", "8", "--format", "json", "-q"]).collect();
    let output = proofload(&args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let point = json(&output)["points"][0].clone();
    assert_eq!(point["intended"], 400);
    assert_eq!((point["model"].as_str(), point["point"].as_str()), (Some("open"), Some("400/s-stages")));
    assert_eq!(point["per_second"].as_array().map(Vec::len), Some(2));
}

#[test]
fn stages_of_connections_and_users_run_and_end() {
    let server = Reference::start(&[]);
    let url = server.url();
    let output = proofload(&[&url, "--stage", "ramp 1..6 600ms", "--think", "5ms", "--format", "json", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(failed(&json(&output)), 0);
    assert_eq!(json(&output)["points"][0]["connections"], 6);
    let before = server.counts()["accepted"].as_u64().expect("a count");
    let users = ["--users", "40", "--ramp", "300ms", "--loops", "5", "--format", "json", "-q"];
    let output = proofload(&[&[url.as_str()][..], &users].concat());
    let result = json(&output);
    assert_eq!((outcome(&result, "answered"), failed(&result)), (200, 0));
    assert_eq!(server.counts()["accepted"].as_u64(), Some(before + 40));
}

#[test]
fn ladders_spikes_and_sines_ask_their_integral_one_after_the_other() {
    let server = Reference::start(&[]);
    let url = server.url();
    let stages = [
        // 40, 100 and 80 requests.
        "--stage",
        "ladder 100..300/s 2x100ms",
        "--stage",
        "spike 100..600/s 100ms@200ms 500ms",
        "--stage",
        "sine 200/s+-200/s 200ms 400ms",
    ];
    let args: Vec<&str> =
        [url.as_str()].into_iter().chain(stages).chain(["-c", "8", "--format", "json", "-q"]).collect();
    let output = proofload(&args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let point = json(&output)["points"][0].clone();
    assert_eq!((point["intended"].as_u64(), point["point"].as_str()), (Some(220), Some("600/s-stages")));
}

#[test]
fn think_times_follow_the_distribution_that_is_asked_for() {
    let server = Reference::start(&[]);
    let url = server.url();
    for think in ["exp:20ms", "uniform:10ms..30ms", "lognormal:15ms,p99=80ms", "list:10ms,30ms"] {
        let args = [&url, "-c", "10", "-n", "300", "--think", think, "--seed", "1", "--format", "json", "-q"];
        let output = proofload(&args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let result = json(&output);
        assert_eq!(outcome(&result, "answered"), 300, "{think}");
        // Thirty times on each connection, about 20 ms apart.
        let seconds = result["points"][0]["seconds"].as_f64().expect("a number");
        assert!((0.5..1.0).contains(&seconds), "{think}: {seconds} s");
    }
    let output = proofload(&[&url, "--think", "gauss:10ms"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--think: gauss is not known here"), "{}", text(&output.stderr));
}

#[test]
fn a_trace_is_played_back_by_flag_and_by_study_and_its_file_stands_in_the_plan() {
    let server = Reference::start(&[]);
    let url = server.url();
    let root = tempfile::tempdir().expect("a directory");
    let file = root.path().join("arrivals.txt");
    let lines: String =
        (0..100).map(|at| format!("{}.{:03}\n", 1_700_000_000 + at / 50, at % 50 * 20)).collect();
    std::fs::write(&file, lines).expect("written");
    let name = file.to_str().expect("text");
    let common = ["-c", "4", "--format", "json", "-q"];
    let args = [&url, "--trace", name, "--speed", "4x", "--repeat", "3"];
    let output = proofload(&[&args[..], &common].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let point = json(&output)["points"][0].clone();
    assert_eq!((point["intended"].as_u64(), point["point"].as_str()), (Some(300), Some("300n-trace")));
    assert!((point["seconds"].as_f64().expect("a length") - 1.5).abs() < 0.01, "{}", point["seconds"]);
    let output = proofload(&[&[&url, "--trace", name, "-d", "500ms"][..], &common].concat());
    assert_eq!(json(&output)["points"][0]["intended"], 25);
    let load = "workload: { page: { get: / } }\nload:\n  open: { trace: { file: arrivals.txt, speed: 2x }, connections: 4 }\n";
    std::fs::write(root.path().join("study.yaml"), study(load, &["errors(const:1ms) == 0"]))
        .expect("written");
    let explained = proofload(&["run", root.path().join("study.yaml").to_str().expect("text"), "--explain"]);
    let said = text(&explained.stdout);
    assert!(
        said.contains("trace arrivals.txt (sha256 ") && said.contains("100 arrivals in 1 s at 2 times"),
        "{said}"
    );
    std::fs::write(&file, "0\nsoon\n").expect("written");
    for args in [
        vec![url.as_str(), "--trace", name],
        vec!["run", root.path().join("study.yaml").to_str().expect("text")],
    ] {
        let output = proofload(&args);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains("arrivals.txt:2: soon is not a time"),
            "{}",
            text(&output.stderr)
        );
    }
    let output = proofload(&[&url, "--trace", "/nowhere", "--speed", "0x", "--repeat", "0"]);
    let said = text(&output.stderr).to_string();
    assert!(
        ["--trace: /nowhere cannot be read", "--speed: ", "--repeat: "]
            .iter()
            .all(|what| said.contains(what)),
        "{said}"
    );
}

#[test]
fn payloads_have_one_size_while_it_is_held_and_sizes_of_their_own_otherwise() {
    let server = Reference::start(&[]);
    let url = server.url();
    let sent = |feeder: &str, seed: &str| {
        let args = [
            &url, "-m", "POST", "--body", "<${p}>", "--feeder", feeder, "-n", "50", "-c", "4", "--seed", seed,
        ];
        let output = proofload(&[&args[..], &["--format", "json", "-q"]].concat());
        let result = json(&output);
        // A length that is not that of the body would spoil the next request on the connection.
        assert_eq!((outcome(&result, "answered"), failed(&result)), (50, 0), "{}", text(&output.stderr));
        result["points"][0]["bytes_sent"].as_u64().expect("a count")
    };
    let held = sent("p=sized:uniform:1000..9KiB/10m", "1");
    assert_eq!(held % 50, 0, "every request has the same size");
    assert!((50 * 1_000..50 * 10_000).contains(&held), "{held}");
    assert_ne!(sent("p=sized:uniform:1000..9KiB/10m", "2"), held);
    let each = sent("p=sized:list:1000,9000", "1");
    assert!((50 * 1_500..50 * 8_500).contains(&each), "both sizes come: {each}");
    for (feeder, says) in [
        ("p=sized:exp:2KiB", "no upper end"),
        ("p=sized:1GiB", "write 1 to 16MiB"),
        ("p=sized:uniform:5..2", "ends before it begins"),
        ("p=sized:5/soon", "not a duration"),
    ] {
        let output = proofload(&[&url, "-m", "POST", "--body", "${p}", "--feeder", feeder]);
        assert_eq!(output.status.code(), Some(2), "{feeder}");
        assert!(text(&output.stderr).contains(says), "{feeder}: {}", text(&output.stderr));
    }
}

#[test]
fn a_stage_that_cannot_be_read_is_one_mistake() {
    let output = proofload(&["http://127.0.0.1:1/", "--stage", "x"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("x is not a stage") && !said.contains("asks nothing"), "{said}");
}

#[test]
fn shapes_that_contradict_other_flags_are_usage_errors() {
    let url = "http://127.0.0.1:1/";
    for (args, says) in [
        (vec!["--stage", "ramp 0..2k/s 10s", "-d", "10s"], "--duration"),
        (vec!["--stage", "hold 2k/s 10s", "-r", "5"], "--rate"),
        (vec!["--stage", "hold 2k/s"], "is not a stage"),
        (vec!["--stage", "hold 2k/s 1s", "--stage", "hold 5 1s"], "some are rates"),
        (vec!["--stage", "hold 0/s 1s"], "asks nothing"),
        (vec!["--stage", "hold 5 1s", "-c", "7"], "-c"),
        (vec!["--stage", "hold 5/s 1s", "--warm-up", "1s"], "--warm-up"),
        (vec!["--stage", "hold 5/s 1s", "--think", "1s"], "--think"),
        (vec!["--users", "5"], "--loops"),
        (vec!["--users", "5", "--loops", "0"], "--loops"),
        (vec!["--users", "5", "--loops", "1", "-n", "5"], "--requests"),
        (vec!["--ramp", "5s"], "--users"),
        (vec!["--poisson"], "--poisson"),
        (vec!["--fail", "p99 < 50"], "p99 is compared with a duration"),
        (vec!["--fail", "p99 < 2 * p50"], "constant on one side"),
    ] {
        let output = proofload(&[&[url][..], &args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_threshold_decides_the_exit_code_and_stands_first() {
    let server = Reference::start(&["--service", "const:20ms"]);
    let url = server.url();
    let asked =
        |more: &[&str]| proofload(&[&[url.as_str(), "-n", "200", "-c", "4", "-q"][..], more].concat());
    let output = asked(&["--fail", "p50 > 15ms", "--fail", "errors == 0", "--format", "json"]);
    let claims = json(&output)["claims"].clone();
    assert_eq!((output.status.code(), &claims[0]["verdict"]), (Some(0), &"supported".into()), "{claims}");
    assert_eq!(claims[1]["verdict"], "supported");
    assert_eq!(claims[0]["reasons"][0]["code"], "one-measurement");
    assert!(claims[0]["estimate"]["low"].is_null(), "no interval: {claims}");
    let output = asked(&["--fail", "p50 < 15ms", "-v"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(10), "{said}");
    let place = |what: &str| said.find(what).unwrap_or_else(|| panic!("no {what} in {said}"));
    assert!(place("refuted") < place("response time"), "{said}");
}

#[test]
fn a_threshold_on_nothing_answered_or_on_errors_is_no_pass() {
    let server = Reference::start(&["--faults", "status_500=0.2", "--seed", "3"]);
    let url = server.url();
    let args = [url.as_str(), "-n", "500", "-c", "2", "-q", "--format", "json", "--fail"];
    let output = proofload(&[&args[..], &["p99 < 10s"]].concat());
    let claim = json(&output)["claims"][0].clone();
    assert_eq!((output.status.code(), &claim["verdict"]), (Some(10), &"refuted".into()), "{claim}");
    let output = proofload(&[&args[..], &["errors == 0"]].concat());
    assert_eq!(output.status.code(), Some(10), "{}", text(&output.stdout));
    let held = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let dead = format!("http://127.0.0.1:{}/", held.local_addr().expect("an address").port());
    drop(held);
    let output = proofload(&[&dead, "-d", "200ms", "-c", "1", "-q", "--fail", "p99 < 10s"]);
    assert_eq!(output.status.code(), Some(12));
}

/// The executable with 20,000 descriptors.
fn limited(args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    outside(&mut command).args(["-c", "ulimit -S -n 20000 && exec \"$0\" \"$@\"", PROOFLOAD]).args(args);
    // Where the others leave their records.
    command.current_dir(root()).stdin(Stdio::null());
    command
}

fn asked(args: &[&str]) -> Output {
    limited(args).output().expect("a shell runs the executable")
}

#[test]
fn more_connections_than_descriptors_are_refused_before_the_start_with_the_number_needed() {
    let server = Reference::listening(&[]);
    let url = server.url();
    for load in [&["-c", "25000"][..], &["--users", "25000", "--loops", "1"]] {
        let output = asked(&[&[url.as_str(), "-q"][..], load].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let said = text(&output.stderr);
        assert!(said.contains("needs 25065 file descriptors, the limit is 20000"), "{said}");
    }
    assert_eq!(server.counts()["accepted"], 0, "nothing was started");
}

#[test]
#[ignore = "full: opens 15,000 connections"]
fn five_thousand_users_and_fifteen_thousand_connections_fit_into_twenty_thousand_descriptors() {
    let server = ReferenceProcess::start_with(limited(&["reference-server", "--port", "0"]));
    let url = server.url();
    let users = ["--users", "5000", "--ramp", "10s", "--loops", "10", "-q", "--format", "json"];
    let output = asked(&[&[url.as_str()][..], &users].concat());
    // Whether a busy machine lets the generator be fit is not what this is about.
    assert!(matches!(output.status.code(), Some(0 | 12)), "{}", text(&output.stderr));
    let result = json(&output);
    assert_eq!(
        (outcome(&result, "answered"), failed(&result)),
        (50_000, 0),
        "{}",
        result["points"][0]["outcomes"]
    );
    let seconds = result["points"][0]["seconds"].as_f64().expect("a length");
    assert!(seconds > 9.9, "the users started over {seconds} s");
    let accepted = || server.counts()["accepted"].as_u64().expect("a count");
    let before = accepted();
    assert_eq!(before, 5_000, "a connection for each user");
    let many = ["-c", "15000", "-d", "4s", "-q", "--format", "json"];
    let output = asked(&[&[url.as_str()][..], &many].concat());
    assert!(matches!(output.status.code(), Some(0 | 12)), "{}", text(&output.stderr));
    let result = json(&output);
    let outcomes = &result["points"][0]["outcomes"];
    // What is in flight when the time is over may be unanswered; nothing else may go wrong.
    assert_eq!(failed(&result), outcome(&result, "unanswered"), "{outcomes}");
    assert!(outcome(&result, "answered") >= 15_000, "every connection was answered: {outcomes}");
    assert_eq!(accepted(), before + 15_000, "each was opened once");
}

/// A study of two servers with that load; they answer after one and after three milliseconds.
fn study(load: &str, claims: &[&str]) -> String {
    let claims: String =
        claims.iter().enumerate().map(|(at, claim)| format!("  - c{at}: {claim}\n")).collect();
    format!(
        "study: shapes\nquestion: Does the shape come through?\nsubjects:\n  server:\n    \
         use: reference\n    \
         vary: {{ service: [\"const:1ms\", \"const:3ms\"] }}\n{load}claims:\n{claims}"
    )
}

/// The result of one block of a study, and where its run lies.
fn smoke(root: &std::path::Path, study: &str) -> Value {
    let file = root.join("study.yaml");
    std::fs::write(&file, study).expect("it can be written");
    let args = ["--smoke", "--dir", root.to_str().expect("text"), "--format", "json", "-q"];
    let output = proofload(&[&["run", file.to_str().expect("text")][..], &args].concat());
    // One block decides nothing, and checks that everything works.
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    json(&output)
}

#[test]
fn a_study_of_streams_tells_them_apart_from_the_claim_to_the_report() {
    let root = tempfile::tempdir().expect("a directory");
    let load = "streams:\n  fast:\n    workload: { value: { get: /kv } }\n    load: { open: { rate: 200/s, connections: 8 } }\n  \
                slow:\n    workload: { query: { get: /query } }\n    load: { closed: { connections: 4, think: 5ms } }\n";
    let claims = [
        // Medians of 1 and of 3 ms, which no busy machine turns around.
        "p50[fast](const:1ms) < p50[fast](const:3ms)",
        "throughput[slow](const:1ms) > 1.1 * throughput[slow](const:3ms)",
    ];
    let result = smoke(root.path(), &study(load, &claims));
    let points = result["points"].as_array().expect("a list");
    let of = |stream: &str| {
        let found = points.iter().find(|p| p["variant"] == "const:1ms" && p["stream"] == stream);
        found.unwrap_or_else(|| panic!("no {stream} in {points:?}"))
    };
    let answered = |stream: &str| of(stream)["outcomes"]["answered"].as_u64().expect("a count");
    // Two windows of a second, 200 a second.
    assert!(answered("fast").abs_diff(400) <= 2, "{}", of("fast")["outcomes"]);
    assert!(answered("slow") > 400, "{}", of("slow")["outcomes"]);
    assert_eq!(answered(""), answered("fast") + answered("slow"));
    assert_eq!((of("")["model"].as_str(), of("fast")["point"].as_str()), (Some("mixed"), Some("200/s+4c")));
    let figure = |stream: &str, measure: &str| {
        let mut figures = result["figures"].as_array().expect("a list").iter();
        figures.any(|f| f["stream"] == stream && f["measure"] == measure && !f["estimate"].is_null())
    };
    assert!(figure("", "cpu_per_request") && figure("fast", "p99") && !figure("fast", "cpu_per_request"));
    let ratio = result["claims"][0]["estimate"]["point"].as_f64().expect("an estimate");
    assert!(ratio < 0.9, "the slower server answers the fast stream later: {ratio}");
    let run = root.path().join("runs/shapes/latest");
    let run = run.to_str().expect("text");
    let shown = proofload(&["report", run, "-v", "--fail", "errors[slow](const:1ms) == 0"]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("const:1ms [fast] @ 200/s+4c") && shown.contains("errors[slow]"), "{shown}");
    let wrong = proofload(&["report", run, "--fail", "errors[slwo](const:1ms) == 0"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("did you mean slow?"), "{}", text(&wrong.stderr));
}

#[test]
fn users_in_a_study_are_one_slice_of_their_own_length_in_a_block() {
    let root = tempfile::tempdir().expect("a directory");
    let load = "workload: { page: { get: / } }\nload:\n  users: { users: 100, ramp: 2s, loops: 5 }\n";
    let result =
        smoke(root.path(), &study(load, &["throughput(const:1ms) ~ throughput(const:3ms) within 5%"]));
    for point in result["points"].as_array().expect("a list") {
        assert_eq!(
            (point["outcomes"]["answered"].as_u64(), point["point"].as_str()),
            (Some(500), Some("100u"))
        );
        let seconds = point["seconds"].as_f64().expect("a length");
        assert!((1.9..3.0).contains(&seconds), "{seconds}");
        assert!(point["per_second"].as_array().expect("a series").len() >= 2);
    }
    let planned = &result["plan"]["points"][0];
    assert_eq!(
        (planned["whole"].as_bool(), result["plan"]["timing"]["cycles"].as_u64()),
        (Some(true), Some(1))
    );
}

#[test]
fn a_study_of_a_mix_has_figures_of_its_entries_from_the_claim_to_the_report() {
    let root = tempfile::tempdir().expect("a directory");
    let load = "workload:\n  value: { get: /kv, weight: 4 }\n  \"a query\": { get: /query }\nload: { closed: { connections: 4, think: 1ms } }\n";
    let claims = [
        "p50[value](const:1ms) < p50[value](const:3ms)",
        "ratio(throughput[a query], const:3ms, const:1ms) < 1",
        "error_share[a query](const:1ms) < 5%",
    ];
    let result = smoke(root.path(), &study(load, &claims));
    for point in result["points"].as_array().expect("a list") {
        let requests = point["requests"].as_array().expect("a list");
        let names: Vec<&str> = requests.iter().filter_map(|request| request["name"].as_str()).collect();
        assert_eq!(names, ["value", "a query"]);
        let answered = |of: &Value| of["outcomes"]["answered"].as_u64().expect("a count");
        let [often, seldom] = [answered(&requests[0]), answered(&requests[1])];
        assert_eq!(often + seldom, answered(point));
        assert!(seldom > 100 && (3 * seldom..5 * seldom).contains(&often), "{often} {seldom}");
        let rate = |of: &Value| of["throughput_per_s"].as_f64().expect("a rate");
        assert!((rate(&requests[0]) + rate(&requests[1]) - rate(point)).abs() < 1e-6);
    }
    let estimate = |at: usize| result["claims"][at]["estimate"]["point"].as_f64().expect("an estimate");
    assert!(estimate(0) < 0.6 && estimate(1) < 1.0, "{}", result["claims"]);
    let told = proofload(&[
        "report",
        result["run"].as_str().expect("a path"),
        "--fail",
        "p50[value](const:1ms) < 1s",
        "--verbose",
    ]);
    let told = text(&told.stdout);
    assert!(told.contains("const:3ms @ 4c: a query"), "{told}");
    assert!(told.contains("p50[value](const:1ms) < 1s"), "{told}");
    let wrong = study(load, &["p50[velue](const:1ms) < 1s"]);
    let file = root.path().join("wrong.yaml");
    std::fs::write(&file, wrong).expect("it can be written");
    let output = proofload(&["run", file.to_str().expect("text"), "--explain"]);
    assert!(
        text(&output.stderr).contains("no entry of the workload velue; did you mean value?"),
        "{output:?}"
    );
}
