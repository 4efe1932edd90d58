//! The noise audit and the search, in virtual time.

use crate::support::{command, json, root, text};
use proofload_testkit::schema_complaints;
use serde_json::Value;
use std::path::Path;
use std::process::Output;

const SHORT: &str = "--timing=warm-up=50ms,slice=60ms,discard=10ms,cycles=2";

/// Runs it with a cache of its own.
fn run_with(cache: &Path, args: &[&str]) -> Output {
    command(args).env("PROOFLOAD_CACHE", cache.join("cache")).output().expect("the executable runs")
}

fn assert_fits(schema: &str, value: &Value) {
    let schema = std::fs::read(root().join("schema").join(schema)).expect("the committed schema");
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    assert_eq!(schema_complaints(&schema, value), Vec::<String>::new());
}

fn study(dir: &Path, claims: &str) -> String {
    let file = dir.join("study.yaml");
    let text = format!(
        "study: lighter\nquestion: Which?\nsubjects:\n  server: {{ use: reference, vary: {{ service: ['spin:800us', \
         'spin:200us', 'spin:400us'] }} }}\nworkload: {{ page: {{ get: / }} }}\nload: {{ closed: {{ connections: 4 }} \
         }}\nclaims: {{ {claims} }}\n"
    );
    std::fs::write(&file, text).expect("written");
    file.to_str().expect("a path in UTF-8").to_string()
}

const TINY: &str = "c: 'throughput(spin:200us) >= 1.000001 * throughput(spin:400us)'";

#[test]
fn an_audit_is_fitted_kept_shown_and_held_against_claims() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let tiny = study(dir.path(), TINY);
    let explain = ["run", &tiny, "--quick", "--explain", "--catalogue", "subjects"];
    let before = text(&run_with(dir.path(), &explain).stdout);
    assert!(before.contains("proofload doctor --noise"), "{before}");

    let args = ["doctor", "--noise", "--blocks", "5", SHORT, "--format", "json", "-q", "--dir", path];
    let output = run_with(dir.path(), &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let audit = json(&output);
    assert_fits("noise.schema.json", &audit);
    assert_eq!(audit["cycles"], 2);
    let measures: Vec<&str> =
        audit["measures"].as_array().expect("a list").iter().filter_map(|m| m["measure"].as_str()).collect();
    assert!(measures.starts_with(&["throughput", "p50", "p99"]), "{measures:?}");
    let block_sd = &audit["measures"][0]["block_sd"];
    assert!(block_sd["low"].as_f64() < block_sd["value"].as_f64(), "{block_sd}");
    let minutes: Vec<u64> =
        audit["resolution"].as_array().expect("rows").iter().filter_map(|r| r["minutes"].as_u64()).collect();
    assert_eq!(minutes, [5, 20, 60]);
    assert!(dir.path().join("runs/noise-audit/latest/plan.json").is_file(), "an ordinary record");

    let doctor = text(&run_with(dir.path(), &["doctor"]).stdout);
    assert!(doctor.contains("audit 0 minutes old") && doctor.contains("throughput"), "{doctor}");
    assert!(doctor.contains("1 run, begun 0 minutes ago") && doctor.contains("ratio of two"), "{doctor}");
    let after = text(&run_with(dir.path(), &explain).stdout);
    assert!(after.contains("warning: c: asks for a difference of"), "{after}");
    assert!(!after.contains("proofload doctor --noise"), "{after}");
    let sensible = study(dir.path(), "c: 'throughput(spin:200us) > throughput(spin:400us)'");
    let explain = ["run", &sensible, "--quick", "--explain", "--catalogue", "subjects"];
    let said = text(&run_with(dir.path(), &explain).stdout);
    assert!(!said.contains("What this machine can resolve"), "{said}");
}

#[test]
fn a_search_leads_to_the_lightest_and_fresh_blocks_confirm_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let file = study(dir.path(), "c: 'throughput(spin:200us) > throughput(spin:400us)'");
    let args = ["tune", &file, "--budget", "300s", SHORT, "--format", "json", "--no-ceiling", "--dir", path];
    let output = run_with(dir.path(), &[&args[..], &["--catalogue", "subjects"]].concat());
    let said = text(&output.stderr);
    let result = json(&output);
    assert_fits("tune.schema.json", &result);
    assert_eq!(
        (&result["default"], &result["winner"]),
        (&"spin:800us".into(), &"spin:200us".into()),
        "{said}"
    );
    let heat = &result["heats"][0];
    assert_eq!(heat["variants"].as_array().map(Vec::len), Some(3), "{heat}");
    assert_eq!(heat["variants"][0], "spin:800us", "the default always runs");
    assert!(Path::new(heat["run"].as_str().expect("a path")).join("result.json").is_file());
    let standings = result["standings"].as_array().expect("a list");
    assert!(standings[0]["search_ratio"].as_f64() > standings[1]["search_ratio"].as_f64(), "{standings:?}");
    let confirmation = &result["confirmation"];
    assert_eq!(confirmation["study"], "lighter-tuned");
    assert_eq!(confirmation["claims"].as_array().map(Vec::len), Some(1));
    // Four times the work is found.
    let claim = &confirmation["claims"][0];
    assert_eq!((output.status.code(), &claim["verdict"]), (Some(0), &"supported".into()), "{claim:#}");
}

#[test]
fn what_cannot_be_audited_or_searched_is_refused_with_what_to_do() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = study(dir.path(), "c: 'throughput(spin:200us) > 1/s'");
    let catalogue = ["--catalogue", "subjects"];
    for (args, part) in [
        (&["doctor", "--noise", "--blocks", "3"][..], "4 to 200 blocks"),
        (&["doctor", "--noise", "--budget", "10s"], "4 to 200 blocks"),
        (&["doctor", "--blocks", "9"], "--noise"),
        (&["tune", &file, "--budget", "1m"], "minutes; give --budget"),
        (&["tune", &file, "--maximize", "troughput"], "no measure"),
        (&["tune", &file, "--minimize", "errors"], "zero of nearly all variants"),
        (&["tune", &file, "--minimize", "p99 @ 9c"], "9c"),
        (&["tune", &file, "--default", "spin:1us"], "--default"),
        (&["tune", &file, "--only", "spin:200us"], "1 variants"),
    ] {
        let more = if args[0] == "tune" { &catalogue[..] } else { &[] };
        let output = run_with(dir.path(), &[args, more].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(part), "{args:?}: {said}");
    }
    assert!(!root().join("runs/noise-audit").exists(), "nothing was started");
}
