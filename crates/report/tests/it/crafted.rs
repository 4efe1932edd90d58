//! Made-up records: any number in them may be anything. A reader makes of them a report or an error.

use crate::made::{CASE, Case, SECOND, plan, slice};
use proofload_analysis::observations;
use proofload_analysis::{baseline, diff};
use proofload_report::{csv, csv_series, hlog, html, json, junit, markdown, of_run, text};
use proofload_store::schema::{Environment, Sitting, Slice, Status, Telemetry};
use proofload_store::{Run, RunWriter};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The gate puts one value into every fifth place, another value into others.
const APART: usize = 5;

/// Replacements of a number, where its type allows them.
const LACKS: [&str; 3] = ["null", "0", "[]"];
const VALUES: [&str; 5] = ["18446744073709551615", "4294967295", "1e308", "-1e308", "null"];

fn lines(block: u32) -> Vec<Value> {
    let case = Case { rejected: 1, ..CASE };
    let telemetry = Telemetry {
        at_ns: vec![0, 100],
        series: [("cpu_ns".to_string(), vec![Some(0), Some(5)])].into(),
        ..Telemetry::default()
    };
    let line = |cycle, variant| {
        let slice = Slice { telemetry: Some(telemetry.clone()), ..slice(case, block, cycle, variant) };
        serde_json::to_value(slice).expect("a line")
    };
    [(1, 0), (1, 1), (2, 0), (2, 1)].map(|(cycle, variant)| line(cycle, variant)).to_vec()
}

/// Paths of places that hold numbers, or may hold them.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| places(value, &format!("{here}/{name}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| places(value, &format!("{here}/{at}"), found));
        }
        Value::Number(_) | Value::Null => found.push(here.to_string()),
        Value::String(_) | Value::Bool(_) => {}
    }
}

fn put(into: &mut Value, place: &str, what: &str) {
    if let Some(value) = into.pointer_mut(place) {
        *value = serde_json::from_str(what).expect("a value");
    }
}

/// Everything that reads a record and draws it. An error is an answer.
fn read(path: &Path) {
    let Ok(run) = Run::open(path) else { return };
    let (_, _) = (run.subjects(), run.measured_ns());
    let slices: Vec<&Slice> = run.blocks().iter().flat_map(|block| &block.slices).collect();
    let _drawn = (csv_series(&slices), hlog(&slices));
    let Ok(mut result) = of_run(&run) else { return };
    result.baseline = baseline(&run, &run, 0.05, &[]).ok();
    let _drawn = (text(&result, false), html(&result, &[]), markdown(&result), csv(&result));
    let _drawn = (json(&result), junit(&result, Default::default()), diff(&run, &run).is_ok());
}

fn write(root: &Path, lines: &[Vec<Value>]) -> RunWriter {
    let record = RunWriter::create(root, &plan(CASE), &Environment::default(), SECOND).expect("a record");
    rewrite(record.path(), lines);
    record
}

fn rewrite(run: &Path, blocks: &[Vec<Value>]) {
    for (number, lines) in blocks.iter().enumerate() {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(run.join(format!("blocks/{:04}.jsonl", number + 1)), text).expect("written");
    }
}

#[test]
fn no_number_of_a_line_makes_a_reader_panic() {
    // All places at once: sums over places.
    read_lines_with(&VALUES, |able| {
        let counted = able.iter().copied().filter(|place| place.contains("measured")).collect();
        vec![able, counted]
    });
}

#[test]
fn no_largest_number_in_one_place_of_a_line_makes_a_reader_panic() {
    // Some hide others.
    read_lines_with(&VALUES[..1], |able| able.into_iter().step_by(APART).map(|place| vec![place]).collect());
}

#[test]
#[ignore = "full: every value in every place"]
fn no_value_in_any_place_makes_a_reader_panic() {
    read_lines_with(&VALUES, |able| able.into_iter().map(|place| vec![place]).collect());
    for values in [&VALUES[..], &LACKS] {
        read_plans_with(values, 0, 1);
    }
}

/// Puts these values into the places of each of `together`, which makes groups of those that can hold them.
fn read_lines_with(values: &[&str], together: impl Fn(Vec<&String>) -> Vec<Vec<&String>>) {
    let root = tempfile::tempdir().expect("a directory");
    let good = vec![lines(1), lines(2)];
    let record = write(root.path(), &good);
    let mut found = Vec::new();
    places(&good[0][0], "", &mut found);
    assert!(found.len() > 60, "{found:?}");
    let readable = |place: &str, what: &str| {
        let mut line = good[0][0].clone();
        put(&mut line, place, what);
        serde_json::from_value::<Slice>(line).is_ok()
    };
    for what in values {
        for places in together(found.iter().filter(|place| readable(place, what)).collect()) {
            let mut blocks = good.clone();
            for line in blocks.iter_mut().flatten() {
                places.iter().for_each(|place| put(line, place, what));
            }
            rewrite(record.path(), &blocks);
            read(record.path());
        }
    }
}

#[test]
fn no_number_of_64_bits_in_a_plan_makes_a_reader_panic() {
    read_plans_with(&VALUES[..1], 0, APART);
}

#[test]
fn no_number_of_32_bits_in_a_plan_makes_a_reader_panic() {
    read_plans_with(&VALUES[1..2], 1, APART);
}

#[test]
fn no_fraction_in_a_plan_makes_a_reader_panic() {
    read_plans_with(&VALUES[2..4], 2, APART);
}

#[test]
fn no_lack_in_a_plan_makes_a_reader_panic() {
    read_plans_with(&LACKS, 3, APART);
}

fn read_plans_with(values: &[&str], from: usize, apart: usize) {
    let root = tempfile::tempdir().expect("a directory");
    let record = write(root.path(), &[lines(1), lines(2)]);
    let path = record.path().join("plan.json");
    let good: Value = serde_json::from_slice(&fs::read(&path).expect("a plan")).expect("JSON");
    let mut found = Vec::new();
    places(&good, "", &mut found);
    for what in values {
        for place in found.iter().skip(from).step_by(apart) {
            let mut plan = good.clone();
            put(&mut plan, place, what);
            fs::write(&path, plan.to_string()).expect("written");
            read(record.path());
        }
    }
}

#[test]
fn a_status_may_name_a_block_twice_and_a_folder_have_the_highest_number() {
    let root = tempfile::tempdir().expect("a directory");
    let record = write(root.path(), &[lines(1), lines(2)]);
    let blocks = record.path().join("blocks");
    fs::rename(blocks.join("0001.jsonl"), blocks.join("0001.partial.jsonl")).expect("renamed");
    let cut = Sitting { state: "killed".into(), cut_block: Some(1), ..Sitting::default() };
    let status = Status { state: "killed".into(), sittings: vec![cut; 3], ..Status::default() };
    let text = serde_json::to_string(&status).expect("JSON");
    fs::write(record.path().join("status.json"), text).expect("written");
    read(record.path());
    let seen = observations(&Run::open(record.path()).expect("readable"), &[]).expect("a record");
    assert_eq!((seen.blocks, seen.excluded_blocks), (vec![1], 0));
    fs::write(blocks.join("4294967295.partial.jsonl"), "").expect("written");
    read(record.path());
}
