//! However Proofload ends, nothing of it stays: no process, no port, no temporary file.

use crate::support::{executable, json, processes_with, proofload, text, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A small generator of moments; the seed is in every message.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn start(study: &str, dir: &Path, temp: &Path) -> Child {
    let dir = dir.to_str().expect("a path in UTF-8");
    executable(&["run", study, "--smoke", "--dir", dir, "-q"])
        .env("TMPDIR", temp)
        .env("XDG_RUNTIME_DIR", temp)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the executable runs")
}

/// Kills a study at random moments, some of its runs beside each other: each has a runtime directory of its own, so
/// that none waits for another.
fn kill_at_random(study: &str, times: usize, span_ms: u64) {
    let mut state = 2_026;
    let signals = [Signal::INT, Signal::TERM, Signal::KILL].into_iter().cycle();
    let moments: Vec<_> = signals
        .take(times)
        .enumerate()
        .map(|(round, signal)| (round, signal, next(&mut state) % span_ms))
        .collect();
    std::thread::scope(|scope| {
        for lane in moments.chunks(times.div_ceil(4)) {
            scope.spawn(move || {
                for (round, signal, after_ms) in lane {
                    let place = format!("round {round}, {signal:?} after {after_ms} ms");
                    kill_after(study, *signal, Duration::from_millis(*after_ms), &place);
                }
            });
        }
    });
}

/// Kills one run of a study and looks for what it left.
fn kill_after(study: &str, signal: Signal, after: Duration, place: &str) {
    let dir = tempfile::tempdir().expect("a directory");
    let temp = tempfile::tempdir().expect("a directory");
    let mut child = start(study, dir.path(), temp.path());
    std::thread::sleep(after);
    let pid = Pid::from_child(&child);
    let _ended_before = kill_process(pid, signal);
    let status = child.wait().expect("it ends");
    if signal != Signal::KILL && !status.success() {
        // No code: the signal came before anything was begun, and before it was listened to.
        // 12: what there was by then was measured beside too much else.
        assert!(matches!(status.code(), None | Some(130 | 10 | 11 | 12)), "{place}: {status}");
    }
    // The temporary directory is in the environment of everything that this run started.
    let mark = temp.path().to_str().expect("a path in UTF-8").to_string();
    wait_until(Duration::from_secs(20), &format!("{place}: {:?} still runs", processes_with(&mark)), || {
        processes_with(&mark).is_empty()
    });
    wait_until(Duration::from_secs(20), &format!("{place}: temporary files are gone"), || {
        std::fs::read_dir(temp.path()).expect("a directory").next().is_none()
    });
    read_record(dir.path(), place);
}

/// The record that a kill left can be read: one block at most is not whole, and it decides nothing.
fn read_record(dir: &Path, place: &str) {
    let Some(study) = std::fs::read_dir(dir.join("runs")).ok().and_then(|mut studies| studies.next()) else {
        return;
    };
    let latest = study.expect("readable").path().join("latest");
    if !latest.exists() {
        return;
    }
    let output = proofload(&["report", latest.to_str().expect("a path in UTF-8"), "--format", "json"]);
    let result = json(&output);
    let blocks = |key: &str| result[key].as_u64().expect("a count");
    assert!(blocks("blocks") + blocks("excluded_blocks") <= 1, "{place}: {result}");
    for claim in result["claims"].as_array().expect("claims") {
        assert_eq!(claim["verdict"], "undecided", "{place}: {claim}");
    }
}

#[test]
fn killed_at_random_moments_a_study_leaves_nothing_behind() {
    kill_at_random("studies/quickstart.yaml", 3, 4_000);
}

#[test]
#[ignore = "full: kills fifty studies"]
fn killed_at_fifty_random_moments_a_study_leaves_nothing_behind() {
    kill_at_random("studies/quickstart.yaml", 50, 4_000);
}

#[test]
#[ignore = "full: starts Tomcats"]
fn killed_at_random_moments_a_study_of_tomcats_leaves_nothing_behind() {
    kill_at_random("studies/tomcat-connectors.yaml", 6, 12_000);
}

#[test]
fn ctrl_c_ends_cleanly_and_keeps_what_was_measured() {
    let dir = tempfile::tempdir().expect("a directory");
    let temp = tempfile::tempdir().expect("a directory");
    let child = start("studies/quickstart.yaml", dir.path(), temp.path());
    let blocks = dir.path().join("runs/quickstart/latest/blocks");
    wait_until(Duration::from_secs(60), "the first slice is on disk", || {
        let files =
            std::fs::read_dir(&blocks).map(|files| files.flatten().collect()).unwrap_or_else(|_| Vec::new());
        files.iter().any(|file| file.metadata().is_ok_and(|m| m.len() > 0))
    });
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let status =
        std::fs::read_to_string(dir.path().join("runs/quickstart/latest/status.json")).expect("a status");
    assert!(status.contains("interrupted"), "{status}");
    let said = text(&output.stderr);
    assert!(said.contains("go on with: proofload resume ") && said.contains("runs/quickstart/"), "{said}");
    let result =
        std::fs::read_to_string(dir.path().join("runs/quickstart/latest/result.json")).expect("a result");
    assert!(result.contains("undecided") && result.contains("\"excluded_blocks\": 1"), "{result}");
}
