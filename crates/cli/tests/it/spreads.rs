//! Spreads between blocks: left by runs, borrowed by later ones.

use crate::support::{command, json, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

const SHORT: [&str; 7] = [
    "--quick",
    "--no-ceiling",
    "--timing",
    "warm-up=100ms,slice=50ms,discard=10ms,cycles=2",
    "studies/quickstart.yaml",
    "--format",
    "json",
];

/// Runs it with a cache of that name.
fn with(dir: &Path, cache: &str, args: &[&str]) -> Output {
    command(args).env("PROOFLOAD_CACHE", dir.join(cache)).output().expect("it runs")
}

/// A quick study; its result, and its record.
fn study(dir: &Path, cache: &str, seed: &str) -> (Value, PathBuf) {
    let place = dir.to_str().expect("a path in UTF-8");
    let result =
        json(&with(dir, cache, &[&["run", "-q", "--dir", place, "--seed", seed], &SHORT[..]].concat()));
    (result, dir.join("runs/quickstart/latest").canonicalize().expect("a run"))
}

fn document(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a document")).expect("JSON")
}

fn lent(run: &Path) -> Vec<Value> {
    document(&run.join("plan.json"))["lent"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_study_borrows_of_earlier_ones_and_its_record_alone_yields_its_verdict() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_, first) = study(dir.path(), "cache", "1");
    assert_eq!(lent(&first), [] as [Value; 0], "the first of this machine");
    let id = first.file_name().and_then(|id| id.to_str()).expect("an id");
    let file = |id: &str| dir.path().join("cache/spreads").join(format!("{id}.json"));
    let left = document(&file(id));
    let spreads = left["spreads"].as_array().expect("spreads");
    let look = document(&first.join("plan.json"))["timing"]["looks"][0].as_u64();
    assert!(!spreads.is_empty() && spreads.iter().all(|it| it["blocks"].as_u64() <= look), "{left}");
    let other = id.replacen("Z-", "Z-f", 1);
    fs::write(file(&other), left.to_string().replace(id, &other)).expect("written");

    let doctor = text(&with(dir.path(), "cache", &["doctor"]).stdout);
    assert!(doctor.contains("2 runs, the first begun 0 minutes ago"), "{doctor}");
    assert!(doctor.contains("throughput, ratio of two, native, closed loop"), "{doctor}");

    let (result, second) = study(dir.path(), "cache", "2");
    let claims = lent(&second);
    assert!(!claims.is_empty(), "two runs lend");
    assert_eq!(claims[0]["runs"], serde_json::json!([id, other]));
    assert!(claims[0]["spread"].as_f64() > Some(0.0) && claims[0]["relatives"].as_u64() >= Some(2));
    let elsewhere =
        with(dir.path(), "other", &["report", second.to_str().expect("UTF-8"), "--format", "json"]);
    assert_eq!(json(&elsewhere)["claims"], result["claims"], "without the cache");
}
