//! Sittings of one study: planted records that are judged together, and a few short ones in virtual time.

use crate::support::{executable, json, proofload, text, wait_until, world};
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_store::schema::{
    EarlierSittings, EarlierSpread, Environment, FORMAT_VERSION, Generator, LoadPoint, Plan, PlannedClaim,
    Point, RunState, Slice, Timing, Variant,
};
use proofload_store::{RunWriter, histograms_of, point_of};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
/// Start of the first planted sitting.
const FIRST: u64 = 1_790_000_000 * SECOND;

fn plan(seed: u64) -> Plan {
    let variant = |name: &str| Variant { name: name.into(), ..Variant::default() };
    Plan {
        format: FORMAT_VERSION,
        study: "shop".into(),
        question: "Is a faster?".into(),
        preset: "quick".into(),
        seed,
        replication: "start".into(),
        alpha: 0.05,
        variants: vec![variant("a"), variant("b")],
        workload: vec!["GET /, expect status 200".into()],
        points: vec![LoadPoint {
            label: "64c".into(),
            model: "closed".into(),
            connections: 64,
            ..LoadPoint::default()
        }],
        claims: vec![PlannedClaim { name: "faster".into(), text: "throughput(a) > throughput(b)".into() }],
        timing: Timing { cycles: 1, slice_ns: SECOND, looks: vec![2], ..Timing::default() },
        order: vec![vec![vec![0, 1]]],
        ..Plan::default()
    }
}

fn looked_at(blocks: u32, seed: u64) -> Plan {
    let mut plan = plan(seed);
    plan.timing.looks = vec![blocks];
    plan
}

fn environment(build: &str) -> Environment {
    let mut environment = Environment {
        proofload: "0.1.0".into(),
        machine: "here".into(),
        kernel: "6.1".into(),
        cpus: vec![0, 1],
        ..Environment::default()
    };
    environment.facts.insert("proofload_build".into(), build.into());
    environment
}

fn slice(block: u32, variant: &str, position: u32, started_unix_ns: u64, rate: f64) -> Slice {
    let mut recorder = Recorder::new(Window { start_ns: SECOND, end_ns: 2 * SECOND });
    for i in 0..rate as u64 {
        let at_ns = SECOND + i * 100_000;
        let times = ExchangeTimes {
            intended_ns: at_ns,
            sent_ns: Some(at_ns + 4_000),
            first_byte_ns: Some(at_ns + 90_000),
            end_ns: at_ns + 100_000,
        };
        recorder.record(&times, Outcome::Answered);
    }
    let snapshot = recorder.finish();
    Slice {
        format: FORMAT_VERSION,
        block,
        phase: "measure".into(),
        cycle: 1,
        position,
        started_unix_ns,
        measured: Point {
            variant: variant.into(),
            point: "64c".into(),
            model: "closed".into(),
            connections: 64,
            generator: Generator { threads: 1, fit: true, ..Generator::default() },
            ..point_of(&snapshot)
        },
        histograms: histograms_of(&snapshot),
        answered_in_window: snapshot.answered_in_window,
        ..Slice::default()
    }
}

/// Two blocks in which a serves about `ratio` times as much as b, one a per cent above and one below.
fn blocks(record: &mut RunWriter, first: u32, began: u64, ratio: f64) {
    for (number, beside) in [(first, 1.01), (first + 1, 0.99)] {
        let mut block = record.begin_block(number).expect("a block");
        block.append(&slice(number, "a", 1, began + SECOND, 2_000.0 * ratio * beside)).expect("written");
        block.append(&slice(number, "b", 2, began + 3 * SECOND, 2_000.0)).expect("written");
        block.finish().expect("whole");
    }
}

/// A run that began then, with as many blocks as its plan has at the first look.
fn plant(root: &Path, plan: &Plan, build: &str, began: u64, ratio: f64) -> PathBuf {
    let mut record = RunWriter::create(root, plan, &environment(build), began).expect("a record");
    (0..plan.timing.looks[0] / 2).for_each(|pair| blocks(&mut record, 1 + 2 * pair, began, ratio));
    record.set_status(RunState::Finished, None, began + MINUTE).expect("written");
    record.path().to_path_buf()
}

/// Runs four hours apart, each with a seed of its own.
fn sittings(root: &Path, ratios: &[f64]) -> Vec<PathBuf> {
    sittings_of(root, 2, ratios)
}

fn sittings_of(root: &Path, blocks: u32, ratios: &[f64]) -> Vec<PathBuf> {
    let run = |(at, ratio): (u64, &f64)| {
        plant(root, &looked_at(blocks, at), "aa", FIRST + at * 240 * MINUTE, *ratio)
    };
    (0..).zip(ratios).map(run).collect()
}

fn utf8(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn from(runs: &[PathBuf], more: &[&str]) -> Output {
    let runs: Vec<&str> = runs.iter().map(|run| utf8(run)).collect();
    proofload(&[&["replicate", "--from"], &runs[..], more].concat())
}

const RATIOS: [f64; 6] = [1.10, 1.22, 1.05, 1.16, 1.28, 1.11];

#[test]
fn runs_of_one_study_are_judged_by_the_means_of_their_sittings() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut runs = sittings(dir.path(), &RATIOS);
    runs.push(dir.path().join("runs/shop/latest"));
    let judged = from(&runs, &["--format", "json"]);
    assert_eq!(judged.status.code(), Some(0), "{}", text(&judged.stderr));
    let result = json(&judged);
    assert_eq!((&result["sittings"], &result["blocks"]), (&6.into(), &12.into()), "the link is no run");
    assert_eq!((&result["looks"], &result["planned"]), (&serde_json::json!([6]), &false.into()));
    let claim = &result["claims"][0];
    assert_eq!((&claim["verdict"], &claim["scope"]), (&"supported".into(), &"any_sitting".into()));
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{claim}"));
    let logs = RATIOS.map(f64::ln);
    let mean = logs.iter().sum::<f64>() / 6.0;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 5.0;
    // τ² is the variance of the means less half that of the blocks, which are a per cent beside them.
    let tau = (variance - 0.01_f64.powi(2)).sqrt();
    assert!((number(&claim["tau"]["tau"]) / tau - 1.0).abs() < 0.01, "{claim}");
    // t(0.05, 5) = 2.5706; the rates are whole numbers.
    let half = 2.570_6 * (variance / 6.0).sqrt();
    assert!((number(&claim["estimate"]["low"]) / (mean - half).exp() - 1.0).abs() < 2e-3, "{claim}");
    let next = 2.570_6 * (variance * 7.0 / 6.0).sqrt();
    assert!((number(&claim["prediction"]["high"]) / (mean + next).exp() - 1.0).abs() < 2e-3, "{claim}");
    assert!(number(&claim["tau"]["p"]) < 0.01 && number(&claim["tau"]["blocks_advised"]) >= 2.0, "{claim}");

    let told = text(&from(&runs, &[]).stdout);
    for part in [
        "Sittings differ by τ = ",
        "means of 6 sittings",
        "12 restarts in 6 sittings",
        "was not fixed before",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn another_build_is_told_and_another_study_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut runs = sittings(dir.path(), &RATIOS[..2]);
    runs.push(plant(dir.path(), &plan(9), "bb", FIRST + 999 * MINUTE, 1.1));
    let told = text(&from(&runs, &[]).stdout);
    assert!(told.contains("not the same in all sittings: proofload_build: aa then, bb now"), "{told}");

    let mut other = plan(9);
    other.claims[0].text = "throughput(a) > 1.2 * throughput(b)".into();
    other.timing.slice_ns = 2 * SECOND;
    runs.push(plant(dir.path(), &other, "aa", FIRST + 9_999 * MINUTE, 1.1));
    let refused = from(&runs, &[]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stdout));
    let why = text(&refused.stderr);
    assert!(
        why.contains("claim faster: throughput(a) > throughput(b) then") && why.contains("slice: 1 s then"),
        "{why}"
    );

    let alone = from(&runs[..1], &[]);
    assert_eq!(alone.status.code(), Some(11), "{}", text(&alone.stderr));
    assert!(text(&alone.stderr).contains("fewer than two sittings"), "{}", text(&alone.stderr));
}

fn reported(run: &Path, more: &[&str]) -> Value {
    json(&proofload(&[&["report", utf8(run), "--format", "json"], more].concat()))
}

#[test]
fn a_run_that_went_on_after_half_an_hour_is_of_two_sittings() {
    for (pause, sittings, scope) in [(29, 1, "this_sitting"), (31, 2, "any_sitting")] {
        let dir = tempfile::tempdir().expect("a directory");
        let run = plant(dir.path(), &looked_at(4, 1), "aa", FIRST, 1.2);
        let again = FIRST + (1 + pause) * MINUTE;
        let (mut record, _) = RunWriter::reopen(&run, again, Vec::new()).expect("a record");
        blocks(&mut record, 5, again, 1.21);
        record.set_status(RunState::Finished, None, again + MINUTE).expect("written");
        drop(record);
        let claim = &reported(&run, &[])["claims"][0];
        assert_eq!((&claim["sittings"], &claim["scope"]), (&sittings.into(), &scope.into()), "{claim}");
        let reasons = claim["reasons"].to_string();
        assert_eq!(reasons.contains("2 sittings so far"), sittings == 2, "{claim}");
        let verdict = if sittings == 2 { "undecided" } else { "supported" };
        assert_eq!(claim["verdict"], verdict, "{claim}");
    }
}

/// The plan holds the spread that earlier sittings showed: their runs may go, and the verdict stays.
#[test]
fn the_record_alone_knows_what_earlier_sittings_differed_by() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut known = plan(1);
    let claim = known.claims[0].text.clone();
    let spread = EarlierSpread { claim, tau: 0.08, freedom: 4.0, sittings: 5, of_means: 0.0 };
    known.earlier_sittings = Some(EarlierSittings { runs: vec!["gone".into(); 5], claims: vec![spread] });
    let run = plant(dir.path(), &known, "aa", FIRST, 1.5);
    let claim = &reported(&run, &[])["claims"][0];
    assert_eq!((&claim["scope"], &claim["sittings"]), (&"any_sitting".into(), &1.into()), "{claim}");
    assert_eq!((&claim["tau"]["tau"], &claim["tau"]["earlier"]), (&0.08.into(), &true.into()), "{claim}");
    let alone = plant(dir.path(), &plan(1), "aa", FIRST, 1.5);
    let low = |claim: &Value| claim["estimate"]["low"].as_f64().unwrap_or_else(|| panic!("{claim}"));
    assert!(low(claim) < low(&reported(&alone, &[])["claims"][0]), "{claim}");
}

/// The same addresses may be other servers by now.
#[test]
fn earlier_runs_against_running_servers_say_nothing_of_these() {
    let known = |replication: &str| {
        let dir = tempfile::tempdir().expect("a directory");
        let plan = Plan { replication: replication.into(), ..plan(1) };
        for (number, ratio) in (0..).zip([1.30, 1.38, 1.22, 1.45, 1.15]) {
            plant(dir.path(), &plan, "aa", FIRST + number * 100 * MINUTE, ratio);
        }
        proofload_analysis::earlier_sittings(dir.path(), &plan, &environment("aa")).expect("readable")
    };
    assert_eq!(known("start").map(|earlier| earlier.runs.len()), Some(5));
    assert_eq!(known("process"), None);
}

/// Six runs in which the spread of the servers alone explains nothing of the difference: only with the spread between
/// runs like the baseline is the last one, which lies as far off as they do, no regression; and the basis of its
/// interval is shown.
#[test]
fn a_baseline_knows_what_the_runs_beside_it_differ_by() {
    let dir = tempfile::tempdir().expect("a directory");
    let runs = sittings_of(dir.path(), 4, &[1.30, 1.38, 1.22, 1.45, 1.15]);
    let now = plant(dir.path(), &looked_at(4, 9), "bb", FIRST + 9_999 * MINUTE, 1.16);
    let baseline = |base: &Path| reported(&now, &["--baseline", utf8(base)])["baseline"].clone();
    let throughput = |baseline: &Value| {
        let figures = baseline["figures"].as_array().expect("figures").iter();
        let mut found =
            figures.filter(|figure| figure["measure"] == "throughput" && figure["variant"] == "a");
        found.next().expect("a figure").clone()
    };
    let known = baseline(&runs[0]);
    let figure = throughput(&known);
    assert_eq!(
        (&figure["verdict"], &figure["tau"]["sittings"]),
        (&"undecided".into(), &5.into()),
        "{figure}"
    );
    assert_eq!(known["build"]["sentence"], "proofload_build: aa then, bb now");
    // Without them the spread is unknown, and the comparison reports that.
    let elsewhere = tempfile::tempdir().expect("a directory");
    let alone = plant(elsewhere.path(), &looked_at(4, 0), "aa", FIRST, 1.30);
    let figure = throughput(&baseline(&alone));
    assert_eq!((&figure["verdict"], &figure["tau"]), (&"refuted".into(), &Value::Null), "{figure}");
    let told = text(&proofload(&["report", utf8(&now), "--baseline", utf8(&alone), "-v"]).stdout);
    assert!(told.contains("how much the figures differ between sittings is not known"), "{told}");
}

/// Blocks of under two seconds.
const SHORT: [&str; 5] = [
    "--quick",
    "--no-ceiling",
    "--timing",
    "warm-up=100ms,slice=50ms,discard=10ms,cycles=2",
    "studies/quickstart.yaml",
];

fn runs_of(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir.join("runs/quickstart")).expect("runs").flatten();
    let mut runs: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect();
    runs.sort();
    runs
}

fn document(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("JSON")
}

/// A copy of a run in which the variants serve as much as they did, give or take.
fn copied(run: &Path, id: &str, faster: f64) {
    let to = run.parent().expect("a directory").join(id);
    std::fs::create_dir_all(to.join("blocks")).expect("writable");
    for name in ["plan.json", "environment.json", "status.json"] {
        std::fs::copy(run.join(name), to.join(name)).expect("writable");
    }
    for block in std::fs::read_dir(run.join("blocks")).expect("blocks").flatten() {
        let name = block.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".jsonl") || name.contains("partial") {
            continue;
        }
        let lines = std::fs::read_to_string(block.path()).expect("readable");
        let changed = lines.lines().map(|line| {
            let mut slice: Value = serde_json::from_str(line).expect("a slice");
            let at = if slice["measured"]["variant"].as_str().is_some_and(|name| name.contains("40")) {
                faster
            } else {
                1.0
            };
            let answered = slice["answered_in_window"].as_f64().expect("a count");
            slice["answered_in_window"] = ((answered * at) as u64).into();
            format!("{slice}\n")
        });
        std::fs::write(to.join("blocks").join(name), changed.collect::<String>()).expect("writable");
    }
}

/// Two sittings, each a run of its own; then a run of the same study, which finds what four like them differ by and has it
/// in its plan before its first block.
#[test]
fn sittings_are_runs_of_their_own_and_a_later_run_looks_back_at_them() {
    let dir = tempfile::tempdir().expect("a directory");
    let place = ["--dir", utf8(dir.path()), "--seed", "7"];
    let held = proofload(
        &[
            &["replicate", "-q", "--sittings", "2", "--every", "0s", "--format", "json"],
            &place[..],
            &SHORT[..],
        ]
        .concat(),
    );
    let result = json(&held);
    assert_eq!((&result["sittings"], &result["planned"]), (&2.into(), &true.into()), "{result}");
    let limits = result["limits"].to_string();
    assert!(limits.contains("1 sitting began less than 30 minutes after"), "{limits}");
    let runs = runs_of(dir.path());
    let plans: Vec<Value> = runs.iter().map(|run| document(&run.join("plan.json"))).collect();
    let seeds: Vec<&Value> = plans.iter().map(|plan| &plan["seed"]).collect();
    assert_eq!(seeds, [&Value::from(7), &Value::from(8)], "a seed of its own in each");
    assert_eq!(plans[1]["sitting"], serde_json::json!({ "number": 2, "looks": [2] }));
    assert_eq!(result["runs"][1]["id"], runs[1].file_name().and_then(|id| id.to_str()).expect("an id"));
    // From the records it is judged as it was.
    assert_eq!(json(&from(&runs, &["--format", "json"])), result);

    for (id, faster) in [("20200101T000000.000Z-000001", 1.0), ("20200102T000000.000Z-000001", 1.1)] {
        copied(&runs[0], id, faster);
        copied(&runs[1], &id.replace("01-", "02-").replace("-000001", "-000002"), 1.0 / faster);
    }
    world::change(|world| world.killed_in = Some(1));
    proofload(&[&["run", "-q"], &place[..], &SHORT[..]].concat());
    assert_eq!(runs_of(dir.path()).len(), 7);
    let run = runs_of(dir.path()).pop().expect("a run");
    let earlier = &document(&run.join("plan.json"))["earlier_sittings"];
    let spreads = earlier["claims"].as_array().unwrap_or_else(|| panic!("{earlier}"));
    assert!(spreads.iter().any(|spread| spread["sittings"].as_u64() >= Some(4)), "{earlier}");
}

#[test]
fn a_signal_between_sittings_keeps_the_first() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command =
        executable(&["replicate", "--sittings", "3", "--every", "9h", "--blocks", "1", "--dir"]);
    let child = command
        .arg(dir.path())
        .args(SHORT)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the executable runs");
    let latest = dir.path().join("runs/quickstart/latest");
    wait_until(Duration::from_secs(120), "the first sitting ends", || {
        std::fs::read(latest.join("status.json")).is_ok_and(|status| text(&status).contains("finished"))
            && latest.join("report.html").exists()
    });
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130), "{}", text(&ended.stderr));
    let runs = runs_of(dir.path());
    assert_eq!(runs.len(), 1);
    let report = reported(&runs[0], &[]);
    assert_eq!((&report["blocks"], &report["status"]["state"]), (&1.into(), &"finished".into()));
}
