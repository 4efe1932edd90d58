//! Runs that go on, are made again, and are compared.

use crate::support::{
    PROOFLOAD, Reference, executable, json, outside, processes_with, proofload, root, text, wait_until, world,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Blocks of under two seconds.
const SHORT: [&str; 4] =
    ["--quick", "--timing", "warm-up=100ms,slice=50ms,discard=10ms,cycles=2", "studies/quickstart.yaml"];

fn utf8(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn run(dir: &Path, more: &[&str]) -> Output {
    proofload(&[&["run", "-q", "--seed", "7", "--dir", utf8(dir)], &SHORT[..], more].concat())
}

fn latest(dir: &Path) -> PathBuf {
    dir.join("runs/quickstart/latest")
}

/// A run that was killed when its second block had begun.
fn killed(dir: &Path) -> PathBuf {
    killed_with(dir, &[])
}

fn killed_with(dir: &Path, more: &[&str]) -> PathBuf {
    world::change(|world| world.killed_in = Some(2));
    let ended = run(dir, more);
    world::change(|world| world.killed_in = None);
    assert_eq!(ended.status.signal(), Some(Signal::KILL.as_raw()), "{}", text(&ended.stderr));
    assert!(latest(dir).join("blocks/0002.partial.jsonl").exists());
    latest(dir).canonicalize().expect("a run")
}

/// It came to a verdict or to none.
fn decided(output: &Output) {
    assert!(matches!(output.status.code(), Some(0 | 10 | 11)), "{}", text(&output.stderr));
}

fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value = serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("JSON");
    change(&mut value);
    std::fs::write(path, value.to_string()).expect("writable");
}

#[test]
fn a_killed_run_goes_on_to_the_verdict_that_its_record_yields() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = killed(dir.path());
    let history = json(&proofload(&["history", "quickstart", "--dir", utf8(dir.path()), "--format", "json"]));
    assert_eq!(history[0]["status"]["state"], "killed", "{history}");

    // Another kernel, other servers: refused with the difference, and nothing is started or written.
    let before = std::fs::read(run.join("status.json")).expect("a status");
    let environment = run.join("environment.json");
    let good = std::fs::read(&environment).expect("an environment");
    edit(&environment, |environment| environment["kernel"] = "2.4.18".into());
    let refused = proofload(&["resume", utf8(&run)]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("kernel: 2.4.18 then"), "{}", text(&refused.stderr));
    assert_eq!(std::fs::read(run.join("status.json")).expect("a status"), before);
    std::fs::write(&environment, good).expect("writable");

    // It was planned with looks, and no other way of looking is chosen for what was seen.
    let refused = proofload(&["resume", utf8(&run), "--keep-going"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    let why = text(&refused.stderr);
    assert!(why.contains("planned with looks at [4, 6, 8, 10, 12] blocks"), "{why}");
    assert_eq!(std::fs::read(run.join("status.json")).expect("a status"), before);

    let resumed = proofload(&["resume", "--dir", utf8(dir.path()), "--format", "json"]);
    decided(&resumed);
    let result = json(&resumed);
    assert_eq!(result["status"]["state"], "finished");
    assert_eq!(result["plan"]["seed"], 7);
    assert!(result["blocks"].as_u64().is_some_and(|n| n >= 4), "{}", result["blocks"]);
    assert_eq!(result["excluded_blocks"], 1);
    let sittings = result["status"]["sittings"].as_array().expect("sittings");
    assert_eq!((&sittings[0]["state"], &sittings[0]["cut_block"]), (&"killed".into(), &2.into()));
    assert_eq!(sittings[1]["state"], "finished");

    let report = proofload(&["report", utf8(&run), "--format", "json"]);
    assert_eq!(report.status.code(), resumed.status.code());
    assert_eq!(json(&report), result, "what is drawn from the record is what was said at the end");

    let again = proofload(&["resume", utf8(&run)]);
    assert_eq!(again.status.code(), Some(0));
    assert!(text(&again.stderr).contains("is finished"), "{}", text(&again.stderr));
}

#[test]
fn a_run_that_keeps_going_is_looked_at_after_every_block_after_it_was_resumed_too() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = killed_with(dir.path(), &["--keep-going", "--budget", "6m"]);
    let resumed = proofload(&["resume", utf8(&run), "--keep-going", "--format", "json"]);
    decided(&resumed);
    let result = json(&resumed);
    assert_eq!(result["plan"]["timing"]["looking"], "anytime");
    let looks = result["plan"]["timing"]["looks"].as_array().expect("looks");
    assert!(looks.iter().zip(5..).all(|(look, n)| *look == n), "{looks:?}");
    let said = result["claims"][0]["sentence"].as_str().expect("a sentence");
    assert!(said.contains("anytime-valid interval") || said.contains("no interval"), "{said}");
}

#[test]
fn another_study_is_not_the_same_run_whatever_is_accepted() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = killed(dir.path());
    edit(&run.join("plan.json"), |plan| plan["timing"]["slice_ns"] = 1_000_000.into());
    let refused = proofload(&["resume", utf8(&run), "--anyway"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("another study now"), "{}", text(&refused.stderr));
}

#[test]
fn what_changed_and_was_accepted_is_marked() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = killed(dir.path());
    edit(&run.join("environment.json"), |environment| environment["kernel"] = "2.4.18".into());
    let resumed = proofload(&["resume", utf8(&run), "--anyway", "-v"]);
    decided(&resumed);
    let told = text(&resumed.stdout);
    assert!(told.contains("resumed although something had changed: kernel: 2.4.18 then"), "{told}");
}

#[test]
fn two_do_not_conduct_one_run() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = [&["run", "-q", "--dir", utf8(dir.path())], &SHORT[..]].concat();
    let mut child =
        executable(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the executable runs");
    let plan = latest(dir.path()).join("plan.json");
    wait_until(Duration::from_secs(120), "the run begins", || plan.exists());
    let refused = executable(&["resume", utf8(&latest(dir.path()))]).output().expect("it runs");
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    child.wait().expect("it ends");
    assert_eq!(refused.status.code(), Some(4), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("conducted by another process"), "{}", text(&refused.stderr));
}

/// Multiplies the answers in the slices of a run by `times`.
fn faster(run: &Path, times: u64) {
    let blocks = std::fs::read_dir(run.join("blocks")).expect("blocks").flatten();
    for block in blocks.filter(|block| block.path().extension().is_some_and(|end| end == "jsonl")) {
        let lines = std::fs::read_to_string(block.path()).expect("readable");
        let changed = lines.lines().map(|line| {
            let mut slice: Value = serde_json::from_str(line).expect("a slice");
            let answered = slice["answered_in_window"].as_u64().expect("a count");
            slice["answered_in_window"] = (answered * times).into();
            format!("{slice}\n")
        });
        std::fs::write(block.path(), changed.collect::<String>()).expect("writable");
    }
}

#[test]
fn a_run_is_repeated_laid_beside_the_first_and_compared_with_it() {
    let dir = tempfile::tempdir().expect("a directory");
    decided(&run(dir.path(), &[]));
    let base = latest(dir.path()).canonicalize().expect("a run");
    let repeated = proofload(&["rerun", utf8(&base), "--dir", utf8(dir.path()), "--format", "json"]);
    decided(&repeated);
    let result = json(&repeated);
    assert_eq!(result["plan"]["repeats"], utf8(&base));
    let second = latest(dir.path()).canonicalize().expect("a run");
    assert_ne!(base, second);

    let diff = json(&proofload(&["diff", utf8(&base), utf8(&second), "--format", "json"]));
    assert_eq!(diff["plan"], Value::Array(Vec::new()), "the same plan, seed and order");
    let throughput = &diff["figures"][0];
    assert_eq!(throughput["measure"], "throughput");
    let point = |side: &str| throughput[side]["point"].as_f64().expect("a figure");
    assert!((point("ratio") / (point("right") / point("left")) - 1.0).abs() < 1e-9, "{throughput}");
    let told = text(&proofload(&["diff", utf8(&base), utf8(&second)]).stdout);
    assert!(told.contains("not paired: different times"), "{told}");

    let report = |more: &[&str]| {
        let mut args = vec!["report", utf8(&second), "--baseline", utf8(&base), "--format", "json"];
        args.extend(more);
        proofload(&args)
    };
    let compared = report(&["--tolerance", "99%"]);
    let figures = json(&compared)["baseline"]["figures"].as_array().expect("figures").clone();
    assert_eq!(figures.len(), 8, "{figures:?}");
    // A baseline that answered a hundred times as much: a regression, with its own exit code.
    faster(&base, 100);
    let regressed = report(&[]);
    let verdicts = json(&regressed)["baseline"]["figures"].clone();
    let mut figures = verdicts.as_array().expect("figures").iter();
    let worse = |figure: &Value| figure["measure"] == "throughput" && figure["verdict"] == "refuted";
    assert!(figures.any(worse), "{verdicts}");
    // A claim of the study that is refuted comes before it.
    assert!(matches!(regressed.status.code(), Some(10 | 13)), "{verdicts}");
    let drawn = text(&proofload(&["report", utf8(&second), "--baseline", utf8(&base)]).stdout);
    assert!(drawn.starts_with("✘ ") && drawn.contains("✘ regression  throughput("), "{drawn}");
    // A run that was compared is shown as it was compared, whatever command draws it.
    edit(&second.join("result.json"), |result| result["baseline"] = json(&regressed)["baseline"].clone());
    let again = proofload(&["report", utf8(&second)]);
    assert_eq!((again.status.code(), text(&again.stdout)), (regressed.status.code(), drawn));
    let history = text(&proofload(&["history", "quickstart", "--dir", utf8(dir.path())]).stdout);
    assert!(history.contains("✘ "), "{history}");

    edit(&base.join("environment.json"), |environment| environment["machine"] = "elsewhere".into());
    let refused = report(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("machine: elsewhere then"), "{}", text(&refused.stderr));
    let marked = json(&report(&["--baseline-anyway"]));
    let differences = marked["baseline"]["differences"].as_array().expect("differences");
    assert!(differences[0]["what"] == "machine" && differences[0]["then"] == "elsewhere", "{marked}");
}

/// Under another limit of descriptors, and from another directory than that in which its files were named.
#[test]
#[ignore = "full: half a minute of blocks"]
fn a_comparison_goes_on_from_elsewhere_and_under_other_limits() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = Reference::listening(&["--tls-self-signed", utf8(dir.path())]);
    std::fs::write(dir.path().join("token"), "t0").expect("written");
    let url = format!("https://localhost:{}/", server.port);
    let limited = |descriptors: &str, args: &[&str], place: &Path| {
        let script = "ulimit -Sn $0; exec \"$@\"";
        let mut command = Command::new("sh");
        outside(&mut command)
            .args(["-c", script, descriptors, PROOFLOAD])
            .args(args)
            .current_dir(place)
            .stdin(Stdio::null());
        command
    };
    let timing = "warm-up=100ms,slice=50ms,discard=10ms,cycles=2";
    let args = [
        "compare",
        &url,
        &url,
        "-q",
        "-c",
        "auto",
        "-r",
        "200",
        "--quick",
        "--no-ceiling",
        "--timing",
        timing,
    ];
    let files = ["--cacert", "ca.pem", "--bearer", "@token", "--seed", "7"];
    let mut child = limited("400", &[&args[..], &files].concat(), dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    let run = dir.path().join("runs/compare/latest");
    let block = run.join("blocks/0002.partial.jsonl");
    wait_until(Duration::from_secs(120), "the second block begins", || block.exists());
    kill_process(Pid::from_child(&child), Signal::KILL).expect("it runs");
    child.wait().expect("it ends");
    let most = |run: &Path| {
        let plan: Value =
            serde_json::from_slice(&std::fs::read(run.join("plan.json")).expect("a plan")).expect("JSON");
        plan["points"][0]["most_connections"].as_u64()
    };
    assert_eq!(most(&run), Some(100));
    let elsewhere = tempfile::tempdir().expect("a directory");
    let run = run.canonicalize().expect("a run");
    let of = |verb: &str| {
        let args = [verb, utf8(&run), "--dir", utf8(elsewhere.path()), "--format", "json"];
        limited("800", &args, elsewhere.path()).output().expect("a shell")
    };
    let resumed = of("resume");
    assert_eq!(json(&resumed)["status"]["state"], "finished");
    // Made anew, it has what this machine gives, and reports that.
    let repeated = of("rerun");
    let plan = &json(&repeated)["plan"];
    assert_eq!(plan["points"][0]["most_connections"], 200);
    let differences = plan["repeat_differences"].to_string();
    assert!(differences.contains("most connections: [100] then, [200] now"), "{differences}");
    assert_eq!(plan["driver"], "epoll, io_uring");
}

/// A limit on the size of files is to a process what a full disk is: writing fails in the middle of a slice.
#[test]
#[ignore = "full: half a minute of blocks"]
fn a_disk_that_fills_ends_the_run_as_a_signal_does() {
    let dir = tempfile::tempdir().expect("a directory");
    let temp = tempfile::tempdir().expect("a directory");
    // Units of 512 bytes: the plan has room, a block has not.
    let script = "trap '' XFSZ; ulimit -f 24; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    let output = outside(&mut command)
        .args(["-c", script, PROOFLOAD, "run", "--dir", utf8(dir.path())])
        .args(SHORT)
        .current_dir(root())
        .env("TMPDIR", temp.path())
        .env("XDG_RUNTIME_DIR", temp.path())
        .output()
        .expect("a shell");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("the disk is full") && told.contains("go on with proofload resume"), "{told}");
    assert_eq!(processes_with(utf8(temp.path())), Vec::<String>::new());
    let run = latest(dir.path()).canonicalize().expect("a run");
    let status = std::fs::read_to_string(run.join("status.json")).expect("a status");
    assert!(status.contains("\"state\": \"interrupted\""), "{status}");
    let report = proofload(&["report", utf8(&run), "--format", "json"]);
    assert_eq!(json(&report)["excluded_blocks"], 1, "{}", text(&report.stderr));
    // With room again it goes on.
    let args = ["resume", utf8(&run), "--format", "json"];
    let resumed = executable(&args).output().expect("the executable runs");
    assert_eq!(json(&resumed)["status"]["sittings"][0]["cut_block"], 1);
}
