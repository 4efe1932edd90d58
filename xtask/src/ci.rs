//! Everything that must pass.

use crate::tools::{self, run_command};
use crate::{benches, gates, root};
use anyhow::{Context, anyhow, bail, ensure};
use proofload_host::Awake;
use std::collections::BTreeSet;
use std::process::Command;
use std::thread;
use std::time::Instant;

/// A test that is run beside the others: it starts servers for minutes and measures nothing.
const FAMILIES: &str = "every_family_starts_answers_and_ends_twenty_times_in_a_row";

/// Files of tests that measure nothing either, by name: simulations and replays, which keep a CPU busy. They know no
/// clock but their own, so that they may wait for a CPU as long as they like.
const VIRTUAL: [&str; 4] = ["crafted", "replay", "sim", "stateful"];

/// Runs every step and stops at the first that fails. Tests that measure take turns and wait for servers: what knows no
/// real time is done beside them, by what they leave of the CPUs.
pub fn run() -> anyhow::Result<()> {
    let begun = Instant::now();
    // Tests wait for servers more than they work, and on a shared host a virtual CPU that sleeps comes back late.
    let _awake = Awake::keep();
    step("tools: a JDK 17, Maven, Valgrind, strace", install_tools)?;
    step("format", || cargo(&["fmt", "--all", "--check"], &[]))?;
    step("schemas are those of the types", || cargo(&["xtask", "schema", "--check"], &[]))?;
    step("bounds are those of their generator", || cargo(&["xtask", "bounds", "--check"], &[]))?;
    let beside = thread::spawn(beside);
    let tests = step("tests, with real servers", || {
        let files = test_files()?;
        let measuring = files.iter().filter(|name| !VIRTUAL.contains(&name.as_str()));
        let mut test = vec!["test", "--workspace", "--locked", "--no-fail-fast", "--lib", "--bins"];
        test.extend(measuring.flat_map(|name| ["--test", name]));
        test.extend(["--", "--skip", FAMILIES]);
        cargo(&test, &[("PROOFLOAD_SLOW_TESTS", "1")])
    });
    let killed = step("a study killed at ten moments goes on", || {
        tests.as_ref().map_err(|why| anyhow!("{why:#}"))?;
        cargo(&["xtask", "kills", "--count", "10"], &[])
    });
    let beside = beside.join().map_err(|_| anyhow!("what is done beside the tests panicked"))?;
    tests.and(beside).and(killed)?;
    step("what an exchange costs", || gates::run(&root()))?;
    step("the benchmarks run", || benches::run(&root()))?;
    println!("\nci: all passed in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// What is done beside the tests, in the order in which cargo lets it: only what is released has a folder of its own, and the
/// others wait until the tests are built, and find there what both need.
fn beside() -> anyhow::Result<()> {
    step("the release is built", || patiently(LAST, &gates::RELEASE, &[]))?;
    step("lints", || {
        let lint = ["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-D", "warnings"];
        patiently(LAST, &lint, &[])
    })?;
    step("documents", || {
        let document = ["doc", "--workspace", "--no-deps", "--locked", "--quiet"];
        patiently(LAST, &document, &[("RUSTDOCFLAGS", "-D warnings")])
    })?;
    step("tests in virtual time, and examples of documents", || {
        let mut test = vec!["test", "--workspace", "--locked", "--no-fail-fast"];
        test.extend(VIRTUAL.iter().flat_map(|name| ["--test", name]));
        patiently(LAST, &test, &[("PROOFLOAD_SLOW_TESTS", "1")])?;
        patiently(LAST, &["test", "--workspace", "--locked", "--doc"], &[])
    })?;
    step("each family of servers, twenty times", || {
        // With the features of the other tests, so that nothing is built again.
        let test = ["test", "--workspace", "--locked", "--test", "families", FAMILIES];
        patiently(LATER, &test, &[("PROOFLOAD_SLOW_TESTS", "1")])
    })
}

/// The nice value of what may wait as long as it likes.
const LAST: &str = "19";

/// The nice value of what gives way and has time limits of its own.
const LATER: &str = "10";

/// Cargo, where those who are less nice leave CPUs.
fn patiently(nice: &str, args: &[&str], environment: &[(&str, &str)]) -> anyhow::Result<()> {
    let mut command = tools::patient_cargo(&root(), nice);
    run_command(command.args(args).envs(environment.iter().copied()))
}

fn step(name: &str, work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    println!("\n== {name}");
    let begun = Instant::now();
    work().with_context(|| format!("step failed: {name}"))?;
    println!("== {name}: passed in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn cargo(args: &[&str], environment: &[(&str, &str)]) -> anyhow::Result<()> {
    tools::cargo(&root(), args, environment)
}

/// The names of all files of tests in the workspace.
fn test_files() -> anyhow::Result<BTreeSet<String>> {
    let mut ask = tools::cargo_command(&root());
    let told = ask.args(["metadata", "--no-deps", "--format-version", "1", "--locked"]).output()?;
    ensure!(told.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&told.stderr).trim());
    let workspace: serde_json::Value = serde_json::from_slice(&told.stdout).context("cargo metadata")?;
    let targets =
        workspace["packages"].as_array().into_iter().flatten().flat_map(|one| one["targets"].as_array());
    let tests = targets.flatten().filter(|target| target["kind"][0] == "test");
    Ok(tests.filter_map(|target| target["name"].as_str().map(str::to_owned)).collect())
}

/// Programs, and Debian's packages that bring them.
const TOOLS: [(&str, &str); 5] = [
    ("javac", "openjdk-17-jdk-headless"),
    ("mvn", "maven"),
    ("python3", "python3"),
    ("valgrind", "valgrind"),
    ("strace", "strace"),
];

/// The tests with real servers need a JDK 17 and Maven, the gates Valgrind and strace. On Debian as root they are
/// installed; elsewhere it is said what to install.
fn install_tools() -> anyhow::Result<()> {
    let missing: Vec<&str> =
        TOOLS.iter().copied().filter(|(program, _)| !on_path(program)).map(|(_, package)| package).collect();
    if missing.is_empty() {
        println!("they are there");
        return Ok(());
    }
    if !on_path("apt-get") || !is_root() {
        bail!("install {} first: the tests start real servers, the gates measure", missing.join(", "));
    }
    println!("installing {} from Debian's packages", missing.join(", "));
    run_command(Command::new("apt-get").args(["update", "-qq"]))?;
    let install = ["install", "-y", "-qq", "--no-install-recommends"];
    run_command(Command::new("apt-get").args(install).args(&missing).env("DEBIAN_FRONTEND", "noninteractive"))
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(2) == Some("0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that is nobody's would leave the test out of both lanes, and nothing would fail.
    #[test]
    fn the_test_with_a_lane_of_its_own_is_there() {
        let file = root().join("crates/cli/tests/families.rs");
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains(&format!("#[test]\nfn {FAMILIES}() {{")));
    }

    #[test]
    fn every_file_of_tests_is_in_one_lane() {
        let files = test_files().unwrap();
        assert!(VIRTUAL.iter().all(|name| files.contains(*name)), "{files:?}");
        assert!(files.contains("families"), "{files:?}");
    }
}
