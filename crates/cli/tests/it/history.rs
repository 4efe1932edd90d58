//! Change points over records that are planted: the report shows what was put there, and no more.

use crate::support::{json, proofload, root, text};
use proofload_facts::Finding;
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_stats::rng::Rng;
use proofload_store::schema::{
    Environment, FORMAT_VERSION, Generator, LoadPoint, Plan, PlannedClaim, Point, RunState, Slice,
    SubjectUse, Timing, Variant,
};
use proofload_store::{RunWriter, histograms_of, point_of};
use proofload_testkit::schema_complaints;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const SECOND: u64 = 1_000_000_000;

/// A run of the study `shop`, and what is not as in the others.
#[derive(Clone, Copy)]
struct Planted {
    /// Factor on answer times of 3 ms to 4 ms.
    slower: f64,
    /// Factor on the number of answers.
    more: f64,
    kernel: &'static str,
    build: &'static str,
    fit: bool,
}

const AS_EVER: Planted = Planted { slower: 1.0, more: 1.0, kernel: "6.1", build: "aa", fit: true };

fn plan(of: Planted) -> Plan {
    let digests = BTreeMap::from([("server.jar".to_string(), of.build.to_string())]);
    Plan {
        format: FORMAT_VERSION,
        study: "shop".into(),
        preset: "quick".into(),
        seed: 7,
        replication: "start".into(),
        alpha: 0.05,
        variants: vec![Variant { name: "nio".into(), digests, ..Variant::default() }],
        workload: vec!["GET /, expect status 200".into()],
        points: vec![LoadPoint {
            label: "64c".into(),
            model: "closed".into(),
            connections: 64,
            ..LoadPoint::default()
        }],
        claims: vec![PlannedClaim { name: "in time".into(), text: "p90(nio) < 1s".into() }],
        timing: Timing { cycles: 1, slice_ns: SECOND, looks: vec![4, 6], ..Timing::default() },
        order: vec![vec![vec![0]]],
        ..Plan::default()
    }
}

fn slice(of: Planted, block: u32, rng: &mut Rng) -> Slice {
    let rate = (2_000.0 * of.more * (1.0 + 0.01 * rng.normal())) as u64;
    let slower = of.slower * (1.0 + 0.01 * rng.normal());
    let mut recorder = Recorder::new(Window { start_ns: SECOND, end_ns: 2 * SECOND });
    for i in 0..rate {
        let at_ns = SECOND + i * 200_000;
        let end_ns = at_ns + ((3_000_000 + (i % 97) * 10_000) as f64 * slower) as u64;
        let times = ExchangeTimes {
            intended_ns: at_ns,
            sent_ns: Some(at_ns + 4_000),
            first_byte_ns: Some(end_ns - 10_000),
            end_ns,
        };
        recorder.record(&times, Outcome::Answered);
    }
    let snapshot = recorder.finish();
    let findings = if of.fit {
        Vec::new()
    } else {
        vec![Finding::WorkerBusy { worker: 0, busy_share: 1.0, allowed_share: 0.9 }]
    };
    Slice {
        format: FORMAT_VERSION,
        block,
        phase: "measure".into(),
        cycle: 1,
        position: 1,
        started_unix_ns: 1_790_000_000 * SECOND,
        measured: Point {
            variant: "nio".into(),
            point: "64c".into(),
            model: "closed".into(),
            connections: 64,
            generator: Generator { threads: 1, fit: of.fit, findings, ..Generator::default() },
            subject: Some(SubjectUse { cpu_ns: Some(700_000_000), ..SubjectUse::default() }),
            ..point_of(&snapshot)
        },
        histograms: histograms_of(&snapshot),
        answered_in_window: snapshot.answered_in_window,
        ..Slice::default()
    }
}

/// Plants runs, one a day; their ids.
fn plant(root: &Path, runs: &[Planted]) -> Vec<String> {
    let mut rng = Rng::new(11);
    let mut ids = Vec::new();
    for (day, of) in runs.iter().enumerate() {
        let began = (1_790_000_000 + 86_400 * day as u64) * SECOND;
        let environment = Environment {
            proofload: "0.1.0".into(),
            machine: "here".into(),
            kernel: of.kernel.into(),
            cpus: vec![0, 1],
            ..Environment::default()
        };
        let mut record = RunWriter::create(root, &plan(*of), &environment, began).expect("a record");
        for block in 1..=4 {
            let mut writer = record.begin_block(block).expect("a block");
            writer.append(&slice(*of, block, &mut rng)).expect("written");
            writer.finish().expect("whole");
        }
        record.set_status(RunState::Finished, None, began + 60 * SECOND).expect("written");
        let id = record.path().file_name().expect("an id");
        ids.push(id.to_string_lossy().into_owned());
    }
    ids
}

fn history(root: &Path, more: &[&str]) -> std::process::Output {
    let dir = root.to_str().expect("UTF-8");
    proofload(&[&["history", "shop", "--dir", dir], more].concat())
}

fn entries(root: &Path, more: &[&str]) -> Vec<Value> {
    let output = history(root, &[&["--format", "json"], more].concat());
    json(&output).as_array().unwrap_or_else(|| panic!("{}", text(&output.stderr))).clone()
}

/// Indexes of the runs with a change, and the measures that changed.
fn changed(entries: &[Value]) -> Vec<(usize, Vec<String>)> {
    let measures = |entry: &Value| {
        let changes = entry["changes"].as_array().expect("a list");
        changes.iter().map(|change| change["measure"].as_str().expect("a name").to_string()).collect()
    };
    let all = entries.iter().enumerate().map(|(at, entry)| (at, measures(entry)));
    all.filter(|(_, measures): &(usize, Vec<String>)| !measures.is_empty()).collect()
}

#[test]
fn a_slower_server_is_told_with_the_run_that_brought_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let slower = Planted { slower: 1.12, build: "bb", ..AS_EVER };
    let ids = plant(dir.path(), &[[AS_EVER; 9].as_slice(), &[slower; 7]].concat());
    let entries = entries(dir.path(), &[]);
    let schema = std::fs::read_to_string(root().join("schema/history.schema.json")).expect("a schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    for entry in &entries {
        assert_eq!(schema_complaints(&schema, entry), Vec::<String>::new(), "{entry}");
    }
    // The measures of the table, and the one that the claim speaks of.
    let latencies = ["p50", "p90", "p99"].map(str::to_string).to_vec();
    assert_eq!(changed(&entries), [(9, latencies)]);
    let series = &entries[9]["series"];
    assert_eq!((&series["place"], &series["runs"], &series["figures"]), (&10.into(), &16.into(), &5.into()));
    let change = &entries[9]["changes"][2];
    assert_eq!((&change["runs_before"], &change["runs_after"]), (&9.into(), &7.into()));
    assert_eq!(change["previous"], ids[8].as_str());
    let end = |name: &str| change["change"][name].as_f64().expect("a number");
    assert!(end("low") < 1.12 && 1.12 < end("high"), "{change}");
    assert!((1.10..1.14).contains(&end("point")), "{change}");
    assert_eq!(change["differences"][0]["sentence"], "variant nio: digest of server.jar: aa then, bb now");

    let told = text(&history(dir.path(), &[]).stdout);
    assert!(told.contains("p99 of nio @ 64c rose by 1"), "{told}");
    assert!(told.contains(&format!("with run {}, 9 runs before it, 7 from it on", ids[9])), "{told}");
    assert!(told.contains("since the run before: variant nio: digest of server.jar: aa then"), "{told}");
    assert!(told.contains("no verdicts: the runs were made at different times"), "{told}");

    // Larger changes only.
    let told = text(&history(dir.path(), &["--least-change", "20%"]).stdout);
    assert!(told.contains("5 figures were followed; no change was found in any"), "{told}");
    let refused = history(dir.path(), &["--least-change", "much"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("--least-change much: write a share"),
        "{}",
        text(&refused.stderr)
    );
}

#[test]
fn few_runs_and_runs_on_another_machine_say_so() {
    let dir = tempfile::tempdir().expect("a directory");
    // Half as much on another kernel is not a change of the server.
    let elsewhere = Planted { kernel: "6.2", more: 0.5, ..AS_EVER };
    let ids = plant(dir.path(), &[[AS_EVER; 8].as_slice(), &[elsewhere; 5]].concat());
    let entries = entries(dir.path(), &[]);
    assert!(changed(&entries).is_empty(), "{:?}", changed(&entries));
    assert_eq!(entries[8]["series"]["began"], ids[8].as_str());
    assert_eq!(entries[8]["series"]["differences"][0]["sentence"], "kernel: 6.1 then, 6.2 now");
    let told = text(&history(dir.path(), &[]).stdout);
    assert!(told.contains("shop, 8 comparable runs, the first "), "{told}");
    assert!(told.contains("not comparable with the run before: kernel: 6.1 then, 6.2 now"), "{told}");
    assert!(told.contains("5 runs: too few to tell a change; it needs 6 that are comparable"), "{told}");
}

#[test]
fn figures_of_an_unfit_generator_are_in_no_series() {
    let unfit = Planted { more: 0.45, fit: false, ..AS_EVER };
    let runs = |last: Planted| [[AS_EVER; 8].as_slice(), &[last; 4]].concat();
    let dir = tempfile::tempdir().expect("a directory");
    let ids = plant(dir.path(), &runs(unfit));
    let entries_of_unfit = entries(dir.path(), &[]);
    assert!(changed(&entries_of_unfit).is_empty(), "{entries_of_unfit:?}");
    let told = text(&history(dir.path(), &[]).stdout);
    let left_out = format!("left out, run {}: nio @ 64c: client-limited: worker 0 was busy", ids[8]);
    assert!(told.contains(&left_out), "{told}");
    // The same figures of a fit one are a change.
    let dir = tempfile::tempdir().expect("a directory");
    plant(dir.path(), &runs(Planted { fit: true, ..unfit }));
    let changes = changed(&entries(dir.path(), &[]));
    assert!(
        changes.iter().any(|(at, measures)| *at == 8 && measures.contains(&"throughput".into())),
        "{changes:?}"
    );
    assert!(text(&history(dir.path(), &[]).stdout).contains("throughput of nio @ 64c fell by 5"));
}
