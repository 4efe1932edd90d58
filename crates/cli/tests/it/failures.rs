//! One study in which almost every server fails in its own way: each failure is recognised, and the healthy
//! servers are measured all the same.

use crate::support::{Reference, executable, json, proofload, text};
use serde_json::Value;
use std::net::TcpListener;
use std::path::Path;

/// A server that behaves as its first argument demands.
const SERVER: &str = r#"
import os, socket, sys, threading, time
how, port = sys.argv[1], int(sys.argv[2])
if how == "dies_at_start":
    sys.exit("cannot open the configuration")
if how == "never_listens":
    time.sleep(1000)
answered, held = 0, []
def eat():
    while len(held) < 200:
        held.append(bytearray(os.urandom(1 << 16)) * 64)
        time.sleep(0.01)
def serve(connection):
    global answered
    while True:
        if not connection.recv(4096):
            return
        if how == "hangs":
            time.sleep(1000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        answered += 1
        if how == "dies_later" and answered > 50:
            print("50 are enough", flush=True)
            os._exit(7)
if how == "eats":
    threading.Thread(target=eat, daemon=True).start()
listener = socket.create_server(("127.0.0.1", port), backlog=64)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"#;

fn study(server: &Path, taken: u16) -> String {
    let own = |how: &str, rest: &str| {
        format!("  {how}: {{ command: [python3, {server:?}, {how}, \"{{port}}\"]{rest} }}\n")
    };
    let subjects = [
        own("dies_at_start", ""),
        own("dies_later", ""),
        own("hangs", ""),
        own("never_listens", ", ready_within: 300ms"),
        own("meets_another", &format!(", port: {taken}")),
        own("eats", ", memory: 64MiB"),
    ];
    format!(
        "study: failures
question: Is each failure told apart?
subjects:
  well: {{ use: reference, vary: {{ service: [none, \"spin:2ms\"] }} }}
{}workload: {{ page: {{ get: / }} }}
load: {{ closed: {{ connections: 2 }} }}
claims:
  those that are well: throughput(none) > throughput(spin:2ms)
  one that died: throughput(none) > throughput(dies_later)
",
        subjects.concat()
    )
}

/// Message about each, wherever it appears.
const TOLD: [(&str, &str); 6] = [
    ("dies_at_start", "ended before it was ready: exit status 1"),
    ("dies_later", "died: exit status 7"),
    ("hangs", "and answered none"),
    ("never_listens", "was not ready after 0.3 s: nothing listens on port"),
    ("meets_another", "which this run did not start"),
    ("eats", "more than its 128 MiB, and was killed"),
];

fn claim<'a>(result: &'a Value, name: &str) -> &'a Value {
    let claims = result["claims"].as_array().expect("claims");
    claims.iter().find(|claim| claim["name"] == name).unwrap_or_else(|| panic!("no {name} in {claims:?}"))
}

#[test]
#[ignore = "full: a minute of blocks, on quiet CPUs"]
fn every_way_to_fail_is_told_apart_and_the_others_are_compared() {
    let directory = tempfile::tempdir().expect("a directory");
    let (server, file) = (directory.path().join("server.py"), directory.path().join("failures.yaml"));
    let another = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = another.local_addr().expect("an address").port();
    std::fs::write(&server, SERVER).expect("written");
    std::fs::write(&file, study(&server, taken)).expect("written");
    let dir = directory.path().to_str().expect("a path in UTF-8");
    let output = executable(&[
        "run",
        file.to_str().expect("a path in UTF-8"),
        "--quick",
        "--timing",
        "warm-up=100ms,slice=200ms,discard=20ms,cycles=2",
        "--budget",
        "30s",
        "--format",
        "json",
        "--dir",
        dir,
        "-q",
    ])
    .output()
    .expect("the executable runs");
    let result = json(&output);
    let run = directory.path().join("runs/failures/latest");
    let noticed = std::fs::read_to_string(run.join("noticed.txt")).expect("something was noticed");
    for (variant, sentence) in TOLD {
        let told = |line: &&str| line.contains(variant) && line.contains(sentence);
        assert!(noticed.lines().any(|line| told(&line)), "{variant}: no `{sentence}` in\n{noticed}");
        for (other, others) in TOLD.iter().filter(|(other, _)| *other != variant) {
            let mixed = |line: &&str| line.contains(&format!("{variant}: ")) && line.contains(others);
            assert!(!noticed.lines().any(|line| mixed(&line)), "{variant} is told as {other}: {noticed}");
        }
        let limits = result["limits"].as_array().expect("limits");
        let limit = |limit: &&Value| limit.as_str().is_some_and(|limit| told(&limit));
        assert!(limits.iter().any(|line| limit(&line)), "{variant}: no `{sentence}` in {limits:#?}");
    }
    assert!(
        noticed.contains("| cannot open the configuration") || noticed.contains("cannot open"),
        "{noticed}"
    );

    let well = claim(&result, "those that are well");
    assert!(well["estimate"]["point"].as_f64().expect("figures") > 1.5, "{well}");
    assert_ne!(well["verdict"], "refuted", "{well}");
    assert_eq!(claim(&result, "one that died")["verdict"], "undecided");
    for point in result["points"].as_array().expect("points") {
        if point["variant"] == "none" {
            assert_eq!(point["outcomes"]["answered"], point["intended"], "{point}");
        }
    }
    drop(another);
}

#[test]
fn a_run_whose_directory_is_removed_is_not_said_to_be_kept() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("twins.yaml"), crate::support::TWINS).expect("written");
    let mut command = crate::support::executable(&["run", "twins.yaml", "--no-ceiling"]);
    command.current_dir(dir.path()).env("PROOFLOAD_TEST_LOCK_FILE", dir.path().join("lock"));
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("it starts");
    let runs = dir.path().join("runs");
    let blocks = runs.join("twins/latest/blocks");
    let limit = std::time::Duration::from_secs(60);
    crate::support::wait_until(limit, "a record", || blocks.is_dir());
    crate::support::wait_until(limit, "its end", || std::fs::remove_dir_all(&runs).is_ok());
    let output = child.wait_with_output().expect("it ends");
    let said = crate::support::text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("what was measured is lost") && !said.contains("is kept"), "{said}");
}

#[test]
fn where_results_go_is_tried_before_the_load_and_figures_are_printed_all_the_same() {
    let server = Reference::start(&[]);
    let url = server.url();
    let dir = tempfile::tempdir().expect("a directory");
    let there = dir.path().join("there.json");
    let (file, taken) = (there.to_str().expect("text"), dir.path().join("taken"));
    std::fs::write(&taken, "a file").expect("written");
    let quick = [url.as_str(), "-n", "20", "-c", "2", "-q"];
    let refused = proofload(&[&quick[..], &["--no-record", "-o", file, "-o", "/nowhere/r.json"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("cannot write /nowhere/r.json"), "{}", text(&refused.stderr));
    assert!(!there.exists(), "what was not there is not there after a trial");
    let no_folder = proofload(&[&quick[..], &["--dir", taken.to_str().expect("text")]].concat());
    assert_eq!(no_folder.status.code(), Some(2), "{}", text(&no_folder.stderr));
    assert!(text(&no_folder.stderr).contains("--no-record"), "{}", text(&no_folder.stderr));
    // A disk that is full is found when it is written.
    let full = proofload(&[&quick[..], &["--no-record", "--format", "json", "-o", "/dev/full"]].concat());
    assert!(full.status.code().is_some_and(|code| code != 0), "{}", text(&full.stderr));
    assert!(text(&full.stdout).contains("answered per second"), "{}", text(&full.stdout));
}

#[test]
fn cpus_that_there_are_not_are_refused_by_every_verb() {
    let (one, two) = ("http://127.0.0.1:1/", "http://127.0.0.1:2/");
    for asked in [
        &[one, "--generator-cpus", "900"][..],
        &["compare", one, two, "--server-cpus", "900-901"],
        &["capacity", one, "--slo", "p99 < 1s", "--generator-cpus", "900"],
    ] {
        let output = proofload(asked);
        assert_eq!(output.status.code(), Some(2), "{asked:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("list of CPUs"), "{asked:?}: {}", text(&output.stderr));
    }
    let planned =
        proofload(&["compare", one, two, "--generator-cpus", "0", "--server-cpus", "0", "--explain"]);
    let plan = text(&planned.stdout).to_string();
    assert!(plan.contains("generator: 0") && plan.contains("subjects: 0"), "{plan}{}", text(&planned.stderr));
}

#[test]
fn no_verb_waits_for_another_run_unless_it_may() {
    let dir = tempfile::tempdir().expect("a directory");
    let lock = dir.path().join("lock");
    let file = std::fs::File::create(&lock).expect("a file");
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).expect("nobody else has it");
    let server = Reference::listening(&[]);
    let url = server.url();
    let study = format!("subjects.a.url={}", url.trim_end_matches('/'));
    for asked in [
        &[url.as_str(), "-n", "5", "-c", "1", "--no-record"][..],
        &["compare", &url, &url, "--smoke"],
        &["capacity", &url, "--slo", "p99 < 1s", "--to", "200/s", "--trial", "100ms"],
        &[
            "run",
            "crates/study/testdata/good/cpus.yaml",
            "--smoke",
            "--set",
            &study,
            "--set",
            "generator_cpus=0",
            "--set",
            "server_cpus=0",
        ],
        &["doctor", "--ceiling"],
    ] {
        let mut command = executable(&[asked, &["--no-wait"]].concat());
        let output = command.env("PROOFLOAD_TEST_LOCK_FILE", &lock).output().expect("it starts");
        assert_eq!(output.status.code(), Some(4), "{asked:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_low_soft_limit_of_descriptors_is_raised() {
    let server = Reference::listening(&[]);
    let load =
        executable(&[&server.url(), "-n", "200", "-c", "100", "--no-record", "--format", "json", "-q"]);
    let mut limited = std::process::Command::new("/bin/sh");
    limited.args(["-c", "ulimit -Sn 64; exec \"$@\"", "sh"]).arg(load.get_program()).args(load.get_args());
    let output = limited.output().expect("it starts");
    assert_eq!(json(&output)["points"][0]["outcomes"]["answered"], 200, "{}", text(&output.stderr));
}
