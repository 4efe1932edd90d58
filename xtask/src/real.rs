//! One real thing of each kind for the gate: a Tomcat to a verdict, and one start of each server of the catalogue.

use crate::tools::{scratch, target_folder};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;

/// Two connectors of one Tomcat, and a claim that four short blocks settle.
const STUDY: &str = "study: gate
question: Do both connectors answer without an error?
subjects:
  tomcat: { use: tomcat, with: { version: \"9.0.110\" }, vary: { connector: [nio, nio2] } }
workload: { page: { get: /test, expect: { status: 200 } } }
load: { closed: { connections: 4 } }
claims:
  - no errors with nio:  errors(nio) == 0
  - no errors with nio2: errors(nio2) == 0
";

/// Lengths that let a block end soon: a verdict on errors needs no steady state.
const TIMING: &str = "warm-up=500ms,slice=100ms,discard=20ms,cycles=2";

fn proofload(root: &Path, args: &[&str]) -> anyhow::Result<Output> {
    let mut command = Command::new(target_folder(root).join("debug/proofload"));
    command.args(args).current_dir(root).stdin(Stdio::null());
    command.output().context("the executable could not be started")
}

/// Exit codes of a study with a verdict for each claim, and of one whose generator others kept from its CPU.
const ENDS: [i32; 3] = [0, 11, 12];

/// Brings a study of a real Tomcat to its verdicts. Both connectors answer every request; the fitness of the generator
/// is not checked on a machine that does other work.
pub fn tomcat(root: &Path) -> anyhow::Result<()> {
    let place = scratch("real")?;
    let study = place.join("gate.yaml");
    fs::write(&study, STUDY)?;
    let (study, dir) = (study.display().to_string(), place.display().to_string());
    let args = ["run", &study, "--quick", "--no-ceiling", "--timing", TIMING, "--dir", &dir];
    let output = proofload(root, &[&args[..], &["--format", "json", "-q"]].concat())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code().context("it was killed")?;
    ensure!(ENDS.contains(&code), "it ended with {}; see {dir}\n{said}", output.status);
    let result: Value = serde_json::from_slice(&output.stdout).context("its output is no JSON")?;
    let (claims, points) = (result["claims"].as_array(), result["points"].as_array());
    let (claims, points) = (claims.context("no claims")?, points.context("no points")?);
    ensure!(claims.len() == 2 && points.len() == 2, "two connectors were measured, not {}", points.len());
    for claim in claims {
        ensure!(claim["verdict"] != "refuted" && (code != 0 || claim["verdict"] == "supported"), "{claim}");
    }
    for point in points {
        let outcomes = point["outcomes"].as_object().context("no outcomes")?;
        let failed = outcomes.iter().filter(|(kind, count)| *kind != "answered" && **count != 0).count();
        ensure!(failed == 0 && point["outcomes"]["answered"] != 0, "{outcomes:?}");
    }
    println!("two connectors, {} blocks, exit code {code}", result["blocks"]);
    fs::remove_dir_all(&place)?;
    Ok(())
}

/// Starts each server of the catalogue once whose files are in the cache. The others are named: `cargo xtask full` fetches
/// them.
pub fn families(root: &Path) -> anyhow::Result<()> {
    let listed = proofload(root, &["subjects", "list", "--format", "json"])?;
    let listed: Value = serde_json::from_slice(&listed.stdout).context("no list of subjects")?;
    let names: Vec<&str> = listed["subjects"]
        .as_array()
        .context("no list of subjects")?
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    let waiting = Mutex::new(names.into_iter());
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(name) = waiting.lock().expect("no thread panics").next() else { break };
                    if let Err(error) = family(root, name) {
                        failed.lock().expect("no thread panics").push(format!("{name}: {error:#}"));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no thread panicked");
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

fn family(root: &Path, name: &str) -> anyhow::Result<()> {
    let output = proofload(root, &["subjects", "check", name, "--start", "--times", "1", "--offline"])?;
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        println!("{name}: started, answered, ended");
        return Ok(());
    }
    ensure!(said.contains("offline"), "it ended with {}\n{said}", output.status);
    println!("{name}: not started, its files are not in the cache");
    Ok(())
}
