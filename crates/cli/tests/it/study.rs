//! Whole studies, from the file to the verdict.

use crate::support::{Reference, TWINS, executable, json, processes_with, proofload, root, text, world};
use proofload_testkit::schema_complaints;
use serde_json::Value;
use std::path::Path;
use std::process::Output;

fn schema_errors(schema: &str, value: &Value) -> Vec<String> {
    let schema = std::fs::read(root().join("schema").join(schema)).expect("the committed schema");
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    schema_complaints(&schema, value)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn run_in(dir: &Path, args: &[&str]) -> Output {
    proofload(&within(dir, args))
}

/// With servers that are processes.
fn really_run_in(dir: &Path, args: &[&str]) -> Output {
    executable(&within(dir, args)).output().expect("the executable runs")
}

fn within<'a>(dir: &'a Path, args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--dir", dir.to_str().expect("a path in UTF-8"), "-q"]].concat()
}

#[test]
fn the_quickstart_runs_from_file_to_verdict_and_leaves_a_record_that_says_the_same() {
    let dir = tempfile::tempdir().expect("a directory");
    let timing = "warm-up=500ms,slice=600ms,discard=50ms,cycles=2";
    let args = ["run", "studies/quickstart.yaml", "--smoke", "--timing", timing, "--format", "json"];
    let output = really_run_in(dir.path(), &args);
    let result = json(&output);
    assert_eq!(schema_errors("result.schema.json", &result), Vec::<String>::new());
    for claim in result["claims"].as_array().expect("claims") {
        assert_eq!(claim["verdict"], "undecided");
    }
    for point in result["points"].as_array().expect("points") {
        assert!(point["outcomes"]["answered"].as_u64() > Some(0), "{point}");
        assert!(point["subject"]["cpu_ns"].as_u64().expect("CPU time of the server") > 0, "{point}");
        assert!(point["generator"]["fit"].is_boolean(), "{}", point["generator"]);
    }
    let latest = dir.path().join("runs/quickstart/latest");
    for (file, schema) in [
        ("plan.json", "plan.schema.json"),
        ("result.json", "result.schema.json"),
        ("environment.json", "environment.schema.json"),
    ] {
        let value: Value = serde_json::from_str(&read(&latest.join(file))).expect("JSON");
        assert_eq!(schema_errors(schema, &value), Vec::<String>::new(), "{file}");
    }
    let slices = read(&latest.join("blocks/0001.jsonl"));
    let mut lines = slices.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    // On a busy machine a sampler may come too late for one of them; and threads are not read in each.
    let has_threads =
        |line: &Value| line["telemetry"]["threads"].as_array().is_some_and(|all| !all.is_empty());
    let slice = lines.find(has_threads).expect("a slice whose server was looked at");
    assert_eq!(schema_errors("slice.schema.json", &slice), Vec::<String>::new());
    let telemetry = &slice["telemetry"];
    assert_eq!(
        telemetry["at_ns"].as_array().map(Vec::len),
        telemetry["series"]["cpu_ns"].as_array().map(Vec::len)
    );
    assert!(
        slice["measured"]["subject"]["sampler_cpu_ns"].as_u64() > Some(0),
        "what looking costs is on record"
    );
    let redrawn = proofload(&["report", latest.to_str().expect("a path"), "--format", "json"]);
    assert_eq!(json(&redrawn)["claims"], result["claims"], "the record says what the live run said");
    assert!(read(&latest.join("report.html")).contains("</html>"));
}

#[test]
fn explain_prints_every_command_and_starts_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run_in(dir.path(), &["run", "studies/quickstart.yaml", "--quick", "--explain"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for part in ["reference-server", "looks", "closed", "at most"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert!(std::fs::read_dir(dir.path()).expect("a directory").next().is_none(), "nothing was written");
}

#[test]
fn a_broken_study_names_every_mistake_and_starts_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("broken.yaml");
    std::fs::write(
        &file,
        "study: broken\nsubjects:\n  a: { use: referense }\nload:\n  closed: { connections: 0 }\n",
    )
    .expect("written");
    let output = run_in(dir.path(), &["run", file.to_str().expect("a path"), "--smoke"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    for part in ["broken.yaml:3", "reference", "broken.yaml:5", "connections", "workload"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert!(!dir.path().join("runs").exists());
}

#[test]
fn a_subject_that_dies_at_its_start_is_named_with_its_last_words() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("dies.yaml");
    let study = "study: dies
question: Does it start?
subjects:
  a: { command: [python3, -c, 'import sys; sys.exit(\"no such luck\")', '{port}'] }
workload: { page: { get: / } }
load: { closed: { connections: 1 } }
claims: { any: 'throughput(a) > 1/s' }
";
    std::fs::write(&file, study).expect("written");
    let output = really_run_in(dir.path(), &["run", file.to_str().expect("a path"), "--smoke"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("no such luck"), "{}", text(&output.stderr));
    let status = read(&dir.path().join("runs/dies/latest/status.json"));
    assert!(status.contains("failed"), "{status}");
}

#[test]
fn a_server_that_dies_under_load_refutes_that_it_has_no_errors() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("dies.yaml");
    let study = "study: dies
question: Does it live?
subjects:
  a: { use: reference }
workload: { page: { get: / } }
load: { closed: { connections: 1 } }
claims: { no error: errors(a) == 0, hardly any: error_share(a) < 1% }
";
    world::change(|world| world.deaths.push(("a", 2)));
    std::fs::write(&file, study).expect("written");
    let output = run_in(dir.path(), &["run", file.to_str().expect("a path"), "--smoke", "-v"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(10), "{said} {}", text(&output.stderr));
    assert!(said.matches("refuted").count() >= 2, "{said}");
    assert!(said.contains("a died under load: block 1"), "{said}");
}

/// In the warm-up and in a slice. The servers died with the keeper, and it is not known of what.
#[test]
fn a_lab_that_loses_its_keeper_refutes_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("kept.yaml");
    let study = "study: kept
question: Who failed?
subjects:
  server: { use: reference, vary: { service: ['spin:20us', 'spin:22us'] } }
workload: { page: { get: / } }
load: { closed: { connections: 1 } }
claims: { no error: errors(spin:20us) == 0, quick: 'p99(spin:22us) < 1s' }
";
    std::fs::write(&file, study).expect("written");
    let file = file.to_str().expect("a path");
    let (a, b) = (Reference::start(&[]), Reference::start(&[]));
    let (a, b) = (&a.url(), &b.url());
    let short = ["--timing", "warm-up=2s,slice=1s,discard=10ms,cycles=2", "--no-ceiling"];
    let search = ["--slo", "p99 < 1s", "--from", "50/s", "--to", "200/s"];
    let verbs: [Vec<&str>; 4] = [
        [&["run", file, "--smoke"], &short[..]].concat(),
        [&["compare", a, b, "-c", "1", "--smoke"], &short[..]].concat(),
        [&["capacity", a, "--no-ceiling"], &search[..]].concat(),
        [&["tune", file, "--budget", "300s", "--minimize", "p99"], &short[..]].concat(),
    ];
    for verb in &verbs {
        for load in [1, 4, 7] {
            world::change(|world| world.unkept_at = Some(load));
            let output = run_in(dir.path(), verb);
            let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(12), "{verb:?} at load {load}: {said}");
            assert!(!said.contains("refuted"), "{verb:?} at load {load}: {said}");
            assert!(said.contains("nothing is held against them"), "{verb:?} at load {load}: {said}");
        }
    }
}

#[test]
fn two_running_servers_are_compared_as_processes_not_as_setups() {
    let (a, b) = (Reference::start(&[]), Reference::start(&[]));
    let dir = tempfile::tempdir().expect("a directory");
    let output =
        run_in(dir.path(), &["compare", &a.url(), &b.url(), "-c", "4", "--smoke", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "nothing is claimed: {}", text(&output.stderr));
    let result = json(&output);
    assert_eq!(result["replication"], "process");
    let limits = result["limits"].as_array().expect("limits");
    assert!(limits.iter().any(|limit| limit["code"] == "running-servers"), "{limits:?}");
    assert_eq!(result["points"].as_array().map(Vec::len), Some(2));
}

#[test]
#[ignore = "truth: takes minutes of real load"]
fn truth_02_live_a_planted_tenth_is_never_judged_the_other_way_round() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("tenth.yaml");
    let study = "study: tenth
question: Is a tenth more work seen?
subjects:
  server: { use: reference, vary: { service: ['spin:200us', 'spin:220us'] } }
workload: { page: { get: / } }
load: { closed: { connections: 8 } }
claims:
  the lighter serves more: 'throughput(spin:200us) > throughput(spin:220us)'
  the heavier serves more: 'throughput(spin:220us) > throughput(spin:200us)'
";
    std::fs::write(&file, study).expect("written");
    let output =
        really_run_in(dir.path(), &["run", file.to_str().expect("a path"), "--quick", "--format", "json"]);
    let result = json(&output);
    let claims = result["claims"].as_array().expect("claims");
    let told = |claim: &Value, key: &str| claim[key].as_str().unwrap_or("none").to_string();
    let verdicts: Vec<String> =
        claims.iter().map(|claim| format!("{}: {}", told(claim, "name"), told(claim, "verdict"))).collect();
    println!(
        "truth 02 live | reference server, 200 against 220 µs of work, quick looks | never the wrong way round | {}",
        verdicts.join(", ")
    );
    assert_ne!(claims[0]["verdict"], "refuted", "{claims:?}");
    assert_ne!(claims[1]["verdict"], "supported", "{claims:?}");
    for claim in claims {
        let estimate = &claim["estimate"];
        assert!(estimate["low"].as_f64() < estimate["high"].as_f64(), "an interval: {claim}");
    }
    assert!(result["blocks"].as_u64().expect("a count") >= 4, "{}", text(&output.stderr));
}

#[test]
#[ignore = "full: needs a JDK and Maven"]
fn real_tomcats_answer_and_leave_nothing_behind() {
    let dir = tempfile::tempdir().expect("a directory");
    let temp = tempfile::tempdir().expect("a directory");
    let output =
        executable(&["run", "studies/tomcat-connectors.yaml", "--smoke", "--format", "json", "-q", "--dir"])
            .arg(dir.path())
            .env("TMPDIR", temp.path())
            .env("XDG_RUNTIME_DIR", temp.path())
            .output()
            .expect("the executable runs");
    let result = json(&output);
    for point in result["points"].as_array().expect("points") {
        assert_eq!(point["outcomes"]["answered"], point["intended"], "every answer is right: {point}");
        assert!(point["subject"]["jit_ns"].as_u64().is_some(), "JIT time from the JVM: {}", point["subject"]);
    }
    let facts = dir.path().join("runs/tomcat-connectors/latest/blocks/0001.subjects.json");
    let facts = std::fs::read_to_string(facts).expect("what the servers say of themselves");
    let facts: serde_json::Value = serde_json::from_str(&facts).expect("JSON");
    for variant in ["nio", "nio2"] {
        let said = facts.as_array().expect("a list").iter().find(|said| said["variant"] == variant);
        let of = |name: &str| said.and_then(|said| said["facts"][name].as_str());
        assert!(of("jvm_arguments").is_some_and(|args| args.contains("-XX:+UseSerialGC")), "{facts:#}");
        assert!(of("jvm_version").is_some_and(|version| version.starts_with("17.")), "{facts:#}");
        assert!(of("limit_descriptors").is_some() && of("cpus_allowed").is_some(), "{facts:#}");
    }
    let mark = temp.path().to_str().expect("a path in UTF-8");
    assert_eq!(processes_with(mark), Vec::<String>::new());
    assert!(std::fs::read_dir(temp.path()).expect("a directory").next().is_none(), "no temporary file");
}

/// A study whose path is wrong: every surface begins with what was answered.
#[test]
fn wrong_answers_lead_every_surface_of_a_study() {
    let dir = tempfile::tempdir().expect("a directory");
    let study = dir.path().join("twins.yaml");
    let wrong = TWINS.replace("page: { get: / }", "page: { get: /, expect: { status: 404 } }");
    std::fs::write(&study, wrong).expect("written");
    let page = dir.path().join("page.html");
    let path = |path: &Path| path.to_str().expect("a path in UTF-8").to_string();
    let ran = run_in(dir.path(), &["run", &path(&study), "--smoke", "-o", &path(&page)]);
    assert_eq!(ran.status.code(), Some(12), "{}", text(&ran.stderr));
    let latest = path(&dir.path().join("runs/twins/latest"));
    let markdown = text(&proofload(&["report", &latest, "--format", "markdown"]).stdout);
    let drawn = text(&proofload(&["report", &latest]).stdout);
    let whole = text(&proofload(&["report", &latest, "-v"]).stdout);
    for drawn in [&drawn, &whole] {
        let mut lines = drawn.lines();
        let first = lines.next().expect("a line");
        assert!(
            first.starts_with("✘ 1: ") && first.ends_with(" rejected: status 200, expected 404"),
            "{drawn}"
        );
        assert!(lines.next().is_some_and(|line| line.starts_with("  HTTP/1.1 200")), "{drawn}");
    }
    assert!(markdown.starts_with("# ✘ twins\n\n**✘ 1: "), "{markdown}");
    assert!(read(&page).contains("<h1 class=\"lead refuted\">✘ 1: "), "{}", path(&page));
    let history = text(&proofload(&["history", "--dir", &path(dir.path())]).stdout);
    assert!(history.contains("✘ 1: "), "{history}");
    let junit = text(&proofload(&["report", &latest, "--format", "junit"]).stdout);
    assert!(junit.contains("errors=\"1\"") && junit.contains("status 200, expected 404"), "{junit}");
}
