//! Is the client the limit? In virtual time with a ceiling that is planted, and in real time with one that is measured.

use crate::support::{Reference, command, executable, json, text, world};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

const STUDY: &str = "\
study: ceiling
question: Is one as fast as the other?
subjects:
  server:
    use: reference
    with: { service: const:2ms }
    vary: { seed: [\"1\", \"2\"] }
workload:
  page: { get: / }
load:
  closed: { connections: [8] }
conditions: fixed
claims:
  - alike: throughput(seed=1) ~ throughput(seed=2) within 90%
";

fn proofload(dir: &Path, args: &[&str]) -> Output {
    let mut command = command(args);
    command.current_dir(dir).env("PROOFLOAD_CACHE", dir.join("cache"));
    command.output().expect("proofload runs")
}

/// Changes every ceiling in the cache.
fn rewrite_ceilings(dir: &Path, change: impl Fn(&mut Value)) {
    let files: Vec<PathBuf> = fs::read_dir(dir.join("cache/ceilings"))
        .expect("ceilings were kept")
        .map(|entry| entry.expect("readable").path())
        .collect();
    assert!(!files.is_empty());
    for file in files {
        let mut ceiling: Value = serde_json::from_slice(&fs::read(&file).expect("readable")).expect("JSON");
        change(&mut ceiling);
        fs::write(&file, ceiling.to_string()).expect("writable");
    }
}

fn check<'a>(result: &'a Value, name: &str) -> &'a Value {
    let checks = result["points"][0]["generator"]["checks"].as_array().expect("checks");
    checks.iter().find(|check| check["check"] == name).unwrap_or_else(|| panic!("{name} in {checks:?}"))
}

fn run(dir: &Path, more: &[&str]) -> (Output, Value) {
    fs::write(dir.join("study.yaml"), STUDY).expect("writable");
    let timing = "warm-up=200ms,slice=150ms,discard=50ms,cycles=2";
    let mut args = vec!["run", "study.yaml", "--timing", timing, "--format", "json", "-q"];
    args.extend(more);
    let output = proofload(dir, &args);
    let result = json(&output);
    (output, result)
}

#[test]
fn a_study_at_its_ceiling_is_client_limited_and_a_slow_server_is_far_below_it() {
    let dir = tempfile::tempdir().expect("a directory");
    // Eight connections of 2 ms, and 1 ms on the way, answer 2,600 a second.
    world::change(|world| world.ceiling_per_s = 50_000.0);
    let (_, slow) = run(dir.path(), &["--smoke"]);
    assert_eq!(slow["ceilings"][0]["exchanges_per_s"], 50_000.0);
    let share = check(&slow, "ceiling")["found"].as_f64().expect("a share");
    assert!((0.04..0.06).contains(&share), "{share}");
    assert_eq!(slow["points"][0]["generator"]["fit"], true);
    // By how much the tail is lengthened is known, so that it needs no margin to the ceiling of its own.
    assert_eq!(check(&slow, "lengthened_p99")["limit"], 0.1);

    // The same server under a ceiling that it comes near.
    world::change(|world| world.ceiling_per_s = 3_000.0);
    // No budget leaves the first look.
    let (output, limited) = run(dir.path(), &["--quick", "--budget", "1s"]);
    assert_eq!(output.status.code(), Some(12), "{}", text(&output.stderr));
    assert_eq!(limited["claims"][0]["verdict"], "undecided");
    let reasons = limited["claims"][0]["reasons"].to_string();
    assert!(
        reasons.contains("client-limited: the generator ran at")
            && reasons.contains("% of its ceiling, 70 % allowed"),
        "{reasons}"
    );
    let found = check(&limited, "ceiling");
    assert_eq!((&found["outcome"], &found["limit"]), (&"failed".into(), &0.7.into()), "{found}");
    assert_eq!(limited["points"][0]["generator"]["fit"], false);
    let report = fs::read_to_string(dir.path().join("runs/ceiling/latest/report.html")).expect("a report");
    assert!(report.contains("How fit the generator was") && report.contains("share of the ceiling"));
    let redrawn = proofload(dir.path(), &["report", "runs/ceiling/latest", "--format", "json"]);
    assert_eq!(json(&redrawn)["claims"], limited["claims"], "the record says what the run said");
}

/// Waits end 20 ms late on this machine of the generator, and every send with them.
#[test]
fn a_generator_that_wakes_up_late_gives_no_verdict() {
    let dir = tempfile::tempdir().expect("a directory");
    world::change(|world| world.machine.wakes_late_ns = 20_000_000);
    let server = Reference::start(&[]);
    let url = server.url();
    let args = [url.as_str(), "-r", "200/s", "-d", "2s", "-c", "8", "-q", "--fail", "p99 < 5ms"];
    let output = proofload(dir.path(), &args);
    assert_eq!(output.status.code(), Some(12), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("client-limited"), "{}", text(&output.stdout));
}

#[test]
fn without_a_ceiling_it_is_said_why_and_the_record_keeps_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_, result) = run(dir.path(), &["--smoke", "--no-ceiling"]);
    let found = check(&result, "ceiling");
    assert_eq!((&found["outcome"], &found["found"]), (&"not_measured".into(), &Value::Null));
    assert_eq!(
        (&found["note"]["code"], &found["note"]["why"]["code"]),
        (&"no-ceiling".into(), &"ceiling-not-asked".into())
    );
    assert_eq!(result["plan"]["no_ceiling"], true);
    assert!(!dir.path().join("cache/ceilings").exists());
}

/// As a process with a null server that is one: what it measures is taken as it comes.
fn really(dir: &Path, args: &[&str]) -> Output {
    let mut command = executable(args);
    command.current_dir(dir).env("PROOFLOAD_CACHE", dir.join("cache")).output().expect("the executable runs")
}

#[test]
fn one_measurement_uses_the_ceiling_that_doctor_measured() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = Reference::listening(&["--service", "const:2ms"]);
    let url = server.url();
    let measure = |more: &[&str]| {
        let args = [url.as_str(), "-c", "8", "-d", "200ms", "--format", "json", "-q"];
        let output = really(dir.path(), &[&args[..], more].concat());
        (output.status.code(), json(&output))
    };
    let (_, unknown) = measure(&[]);
    let note = check(&unknown, "ceiling")["note"].to_string();
    assert!(note.contains("ceiling-not-cached") && note.contains("doctor --ceiling -c 8,"), "{note}");
    let doctor = really(dir.path(), &["doctor", "--ceiling", "-c", "8"]);
    let said = text(&doctor.stdout);
    assert_eq!(said.lines().filter(|line| line.starts_with("ceiling ")).count(), 4, "{said}");
    rewrite_ceilings(dir.path(), |ceiling| ceiling["exchanges_per_s"] = 100.0.into());
    let (code, limited) = measure(&[]);
    let found = check(&limited, "ceiling");
    match found["note"].to_string() {
        // The machine's speed may change between the two, and then the cache is rightly not believed.
        note if found["outcome"] == "not_measured" => assert!(note.contains("ceiling-other-speed"), "{note}"),
        _ => {
            assert_eq!((code, &found["outcome"]), (Some(12), &"failed".into()), "{limited}");
            let findings = limited["points"][0]["generator"]["findings"].to_string();
            assert!(findings.contains("near-ceiling"), "{limited}");
        }
    }
    let (_, left_out) = measure(&["--no-ceiling"]);
    assert_eq!(check(&left_out, "ceiling")["outcome"], "not_measured");

    // An entry that is there and no longer holds is distinguished from one that is missing.
    let noted = |more: &[&str]| check(&measure(more).1, "ceiling")["note"].to_string();
    rewrite_ceilings(dir.path(), |ceiling| ceiling["canary_ns"] = 1.into());
    assert!(noted(&[]).contains("ceiling-other-speed"), "{}", noted(&[]));
    rewrite_ceilings(dir.path(), |ceiling| ceiling["measured_unix_ns"] = 0.into());
    assert!(noted(&[]).contains("ceiling-old"), "{}", noted(&[]));
    assert!(noted(&["--cookies"]).contains("ceiling-not-cached"));
    assert!(noted(&["--keep-alive", "5"]).contains("ceiling-ends-after-some"));
}

#[test]
#[ignore = "full: measures ceilings for seconds"]
fn a_load_through_tls_is_held_against_a_ceiling_through_tls() {
    let dir = tempfile::tempdir().expect("a directory");
    let made = dir.path().join("made");
    let server = Reference::start(&["--tls-self-signed", made.to_str().expect("a path")]);
    let url = server.url().replace("http://127.0.0.1", "https://localhost");
    let ca = made.join("ca.pem");
    let load = [url.as_str(), "-c", "2", "--cacert", ca.to_str().expect("a path")];
    let noted = || {
        let args = [&load[..], &["-d", "200ms", "--format", "json", "-q"]].concat();
        check(&json(&really(dir.path(), &args)), "ceiling")["note"].to_string()
    };
    let plain = really(dir.path(), &["doctor", "--ceiling", "-c", "2"]);
    assert!(text(&plain.stdout).contains("exchanges/s"), "{}", text(&plain.stdout));
    assert!(noted().contains("ceiling-not-cached"), "that of plain connections says nothing: {}", noted());
    let secured = really(dir.path(), &[&["doctor", "--ceiling"], &load[..]].concat());
    let said = text(&secured.stdout);
    assert_eq!(said.lines().filter(|line| line.contains("exchanges/s")).count(), 4, "{said}");
    assert!(!noted().contains("ceiling-not-cached"), "{}", noted());
    let unasked = proofload(dir.path(), &["doctor", "-c", "2"]);
    assert_eq!(unasked.status.code(), Some(2), "{}", text(&unasked.stderr));
}

const REQUESTS: &str = "/dev/cpu_dma_latency";

fn asks(pid: u32) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    open.into_iter().any(|file| fs::read_link(file.path()).is_ok_and(|path| path == Path::new(REQUESTS)))
}

/// The longest time that waking a CPU may take, in microseconds, while this process holds a request for it.
fn waking_us(pid: u32) -> Option<i32> {
    if !asks(pid) {
        return None;
    }
    let mut bytes = [0; 4];
    fs::File::open(REQUESTS).ok()?.read_exact(&mut bytes).ok()?;
    // Else its request may have ended before the reading.
    asks(pid).then(|| i32::from_ne_bytes(bytes))
}

#[test]
fn cpus_are_kept_awake_while_somebody_measures_and_the_result_says_so() {
    let server = Reference::listening(&[]);
    let url = server.url();
    let mut running = executable(&[&url, "-d", "1s", "--format", "json", "-q"]);
    let mut running = running.stdout(Stdio::piped()).spawn().expect("the executable runs");
    let (mut in_a_row, mut longest) = (Vec::new(), Vec::new());
    while running.try_wait().expect("it can be asked").is_none() {
        match waking_us(running.id()) {
            Some(us) => in_a_row.push(us),
            None => in_a_row.clear(),
        }
        if in_a_row.len() > longest.len() {
            longest.clone_from(&in_a_row);
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let result = json(&running.wait_with_output().expect("it ended"));
    let said = result["environment"]["facts"]["cpu_sleep"].as_str().expect("what the CPUs did");
    let at_most = match said {
        "none while measuring" => Some(0),
        "as the kernel likes" => None,
        limited => limited.split(' ').find_map(|word| word.parse().ok()),
    };
    let findings = result["environment"]["findings"].to_string();
    match at_most {
        // Of a second; one look alone may have met the question whether the kernel grants it.
        Some(us) => {
            assert!(longest.len() > 2 && longest.iter().all(|found| *found <= us), "{said}: {longest:?}")
        }
        None => assert!(longest.len() < 2 && findings.contains("sleep: CPUs"), "{findings}, {longest:?}"),
    }
}
