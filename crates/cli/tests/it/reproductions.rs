//! From a study with published conclusions to a small record and the page that is made of it; and the page of this
//! repository, which must agree with its records.

use crate::support::{json, proofload, root, text};
use serde_json::Value;
use std::path::{Path, PathBuf};

const STUDY: &str = "\
study: sleepers
question: Does less sleep serve more?
subjects:
  server:
    use: reference
    vary: { service: [\"const:1ms\", \"const:4ms\"] }
workload:
  page: { get: / }
load:
  closed: { connections: 10 }
claims:
  - less sleep serves more: throughput(const:1ms) > throughput(const:4ms)
  - ten times as much:      throughput(const:1ms) >= 10 * throughput(const:4ms)
  - no error:               errors(const:1ms) == 0
reference:
  - source: An old report, 2011
    url: https://example.org/report
    figures:
      throughput(const:1ms) @ 10c: 1966/s
      mean(const:1ms) @ 10c: 7.68ms
      throughput(const:4ms) @ 10c: 1293/s
      mean(const:4ms) @ 10c: 5.03ms
    conclusions:
      - less sleep serves more: { claim: less sleep serves more, was: 1.52 }
      - and ten times as much: { claim: [less sleep serves more, ten times as much], was: 10, beware: it was one run }
      - it holds for fifty hours: { not_tested: this takes seconds }
";

fn run(dir: &Path, more: &[&str]) -> Value {
    let file = dir.join("sleepers.yaml");
    std::fs::write(&file, STUDY).expect("written");
    let catalogue = root().join("subjects");
    let timing = "warm-up=200ms,slice=150ms,discard=50ms,cycles=2";
    let (file, dir) = (file.to_str().expect("UTF-8"), dir.to_str().expect("UTF-8"));
    let mut args =
        vec!["run", file, "--dir", dir, "--timing", timing, "--format", "json", "-q", "--catalogue"];
    args.push(catalogue.to_str().expect("UTF-8"));
    args.extend(more);
    json(&proofload(&args))
}

/// Outcome of a conclusion from the verdicts on these claims.
fn wanted(result: &Value, claims: &[&str]) -> &'static str {
    let all = result["claims"].as_array().expect("claims");
    let is_asked = |claim: &&Value| claims.contains(&claim["name"].as_str().expect("a name"));
    let verdicts: Vec<&str> =
        all.iter().filter(is_asked).map(|claim| claim["verdict"].as_str().expect("a verdict")).collect();
    assert_eq!(verdicts.len(), claims.len());
    match () {
        () if verdicts.contains(&"refuted") => "not reproduced",
        () if verdicts.contains(&"undecided") => "undecided here",
        () => "reproduced",
    }
}

#[test]
fn a_study_becomes_a_small_record_and_a_page_that_say_the_same() {
    let dir = tempfile::tempdir().expect("a directory");
    let result = run(dir.path(), &["--quick"]);
    let outcomes: Vec<&str> = result["conclusions"]
        .as_array()
        .expect("conclusions")
        .iter()
        .filter_map(|it| it["outcome"].as_str())
        .collect();
    let both = ["less sleep serves more", "ten times as much"];
    assert_eq!(outcomes, [wanted(&result, &both[..1]), wanted(&result, &both), "not tested"]);
    let findings: Vec<&str> = result["contradictions"]
        .as_array()
        .expect("flags")
        .iter()
        .filter_map(|it| it["what"]["code"].as_str())
        .collect();
    assert_eq!(findings, ["more-in-flight", "time-unaccounted"]);

    let latest = dir.path().join("runs/sleepers/latest");
    let small = dir.path().join("kept/sleepers");
    let (latest, small) = (latest.to_str().expect("UTF-8"), small.to_str().expect("UTF-8"));
    let said = proofload(&["condense", latest, small]);
    assert!(said.status.success(), "{}", text(&said.stderr));
    assert!(text(&said.stdout).contains("with the same verdicts and figures"), "{}", text(&said.stdout));
    let again = json(&proofload(&["report", small, "--format", "json"]));
    for key in ["claims", "figures", "conclusions", "contradictions", "published", "limits", "blocks"] {
        assert_eq!(result[key], again[key], "{key}");
    }
    let code = |args: &[&str]| proofload(args).status.code();
    assert_eq!(code(&["condense", latest, small]), Some(2), "something is there");
    assert_eq!(code(&["condense", "studies", "/nowhere/to"]), Some(2), "no run");
    for series in ["hlog", "csv-series", "parquet", "jtl"] {
        assert_eq!(code(&["report", small, "--format", series]), Some(2), "what it has not it does not draw");
    }

    page_of(&dir.path().join("kept"), small);
}

/// The page of a folder in which the one record `small` is.
fn page_of(folder: &Path, small: &str) {
    let kept = folder.to_str().expect("UTF-8");
    let code = |args: &[&str]| proofload(args).status.code();
    let page = proofload(&["reproductions", kept]);
    assert!(page.status.success(), "{}", text(&page.stderr));
    let page = text(&page.stdout);
    assert_eq!(
        text(&proofload(&["reproductions", small]).stdout),
        page,
        "a record or the folder that it is in"
    );
    let report = format!("proofload report {small}\n");
    for part in [
        "## sleepers",
        "Does less sleep serve more?",
        "published: An old report, 2011, https://example.org/report",
        "preset quick",
        "it was one run",
        "this takes seconds",
        "**not tested**",
        "cannot be true",
        "the time of 3.49 of the 10 connections is unaccounted for",
        "no error: errors(const:1ms) == 0",
        "7.68 ms",
        "--quick",
        &report,
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let command = page.lines().find(|line| line.starts_with("proofload run ")).expect("the command");
    assert!(!command.contains("json") && !command.contains("--dir"), "{command}");
    // A record that cannot be read is reported, and the others are not held up by it.
    std::fs::create_dir(folder.join("broken")).expect("a directory");
    let beside = proofload(&["reproductions", kept, "/nowhere"]);
    assert_eq!((beside.status.code(), text(&beside.stdout)), (Some(2), page));
    let told = text(&beside.stderr);
    assert!(told.contains("kept/broken is no run") && told.contains("/nowhere is no run"), "{told}");
    assert_eq!(code(&["reproductions", "/nowhere"]), Some(2));
    assert_eq!(code(&["reproductions"]), Some(2));
}

/// Outcome of each conclusion, and the reason why it was not tested.
fn outcomes(result: &Value) -> Vec<(String, String)> {
    let of = |row: &Value| (row["outcome"].to_string(), row["not_tested"].to_string());
    result["conclusions"].as_array().expect("conclusions").iter().map(of).collect()
}

#[test]
fn one_block_tests_less_and_says_so() {
    let dir = tempfile::tempdir().expect("a directory");
    let smoke = outcomes(&run(dir.path(), &["--smoke"]));
    assert!(smoke.iter().all(|(outcome, _)| outcome == "\"not tested\""), "{smoke:?}");
    assert!(smoke[0].1.contains("not-tested-by-smoke"), "{smoke:?}");
}

#[test]
fn a_part_of_a_study_tests_less_and_says_so() {
    let dir = tempfile::tempdir().expect("a directory");
    let less = ["--quick", "--budget", "10s", "--no-ceiling", "--only", "claim:no error"];
    let part = outcomes(&run(dir.path(), &less));
    assert!(part.iter().all(|(outcome, _)| outcome == "\"not tested\""), "{part:?}");
    assert!(part[0].1.contains("claim-left-out") && part[0].1.contains("less sleep serves more"), "{part:?}");
}

/// The records of this repository.
fn records() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("docs/reproductions"));
    let entries = entries.map_or_else(|_| Vec::new(), |entries| entries.flatten().collect());
    let mut found: Vec<PathBuf> =
        entries.iter().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

#[test]
fn the_page_of_the_documents_is_what_its_records_say() {
    let page = std::fs::read_to_string(root().join("docs/reproductions.md"));
    if records().is_empty() {
        assert!(page.is_err(), "docs/reproductions.md is there, and no record that it could rest on");
        return;
    }
    let printed = proofload(&["reproductions", "docs/reproductions"]);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let remedy = "write it anew: proofload reproductions docs/reproductions -o docs/reproductions.md";
    let (page, printed) = (page.expect(remedy), text(&printed.stdout));
    let differing = page.lines().zip(printed.lines()).find(|(there, wanted)| there != wanted);
    assert!(page == printed, "{remedy}; the first line that differs: {differing:?}");
}

#[test]
fn the_records_of_the_documents_are_small_and_condensed() {
    const MOST: u64 = 400 << 10;
    // Of studies that are wider than most: each variant at each load has its own slices.
    const MOST_OF_EACH: u64 = 33 << 10;
    for record in records() {
        let plan = std::fs::read(record.join("plan.json")).expect("a plan");
        let plan: Value = serde_json::from_slice(&plan).expect("JSON");
        let count = |key: &str| plan[key].as_array().expect("a list").len() as u64;
        let most = MOST.max(MOST_OF_EACH * count("variants") * count("points"));
        let files = walk(&record);
        let bytes: u64 = files.iter().map(|file| file.metadata().expect("its size").len()).sum();
        assert!(bytes <= most, "{} has {bytes} bytes, {most} allowed: proofload condense", record.display());
        for file in &files {
            let name = file.file_name().expect("a name").to_string_lossy().into_owned();
            assert!(
                name.ends_with(".json") || name.ends_with(".jsonl.gz") || name.ends_with(".partial.jsonl")
            );
        }
    }
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory").flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
