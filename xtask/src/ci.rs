//! What everyone runs before a push: at most ten minutes from an empty target folder on two CPUs.

use crate::suite::{self, Tier};
use crate::tools::{self, run_command};
use crate::{gates, kills, real, reference, root, web};
use anyhow::{Context, anyhow};
use std::thread;
use std::time::Instant;

/// Kills of a live study in the gate.
const KILLS: &str = "10";

/// Runs every step and stops at the first that fails. Kills and lints go beside the tests, the lints by what those leave
/// of the CPUs: tests and kills wait for servers more than they work.
pub fn run() -> anyhow::Result<()> {
    let begun = Instant::now();
    let root = root();
    step("tools", install_tools)?;
    step("format", || tools::cargo(&root, &["fmt", "--all", "--check"], &[]))?;
    let executables = step("the tests are built", || suite::build(&root, &suite::ALL))?;
    let beside = [thread::spawn(kills), thread::spawn(lints)];
    let tests = step("tests", || suite::run(&executables, Tier::Gate, &[]));
    let real = tests.and_then(|tests| {
        step("a real Tomcat to a real verdict", || real::tomcat(&root))?;
        step("one start of each server whose files are here", || real::families(&root))?;
        step("the report in a browser", || web::run(&root, &["--check".to_string()]))?;
        step("the manual pages are well formed", || reference::man(&root))?;
        step("what an exchange costs", || gates::run_debug(&root))?;
        Ok(tests)
    });
    let beside =
        beside.map(|thread| thread.join().map_err(|_| anyhow!("what is done beside the tests panicked")));
    let tests = real?;
    for ended in beside {
        ended??;
    }
    let closed = tests.close();
    println!("\nci: {:.0} s", begun.elapsed().as_secs_f64());
    closed
}

fn kills() -> anyhow::Result<()> {
    step("a study killed at ten moments goes on", || {
        kills::kill(&root(), &["--count".to_string(), KILLS.to_string()])
    })
}

/// Lints and documents, as long as others leave CPUs.
fn lints() -> anyhow::Result<()> {
    let patiently = |args: &[&str], environment: &[(&str, &str)]| {
        let mut command = tools::patient_cargo(&root(), "19");
        run_command(command.args(args).envs(environment.iter().copied()))
    };
    step("lints", || {
        let lint = ["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-D", "warnings"];
        patiently(&lint, &[])
    })?;
    step("documents", || {
        let document = ["doc", "--workspace", "--no-deps", "--locked", "--quiet"];
        patiently(&document, &[("RUSTDOCFLAGS", "-D warnings")])
    })
}

/// Runs a step, and says how long it took.
pub fn step<T>(name: &str, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    println!("\n== {name}");
    let begun = Instant::now();
    let done = work().with_context(|| format!("step failed: {name}"))?;
    println!("== {name}: passed in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(done)
}

/// Programs, and Debian's packages that bring them.
const TOOLS: [(&str, &str); 8] = [
    ("javac", "openjdk-17-jdk-headless"),
    ("mvn", "maven"),
    ("python3", "python3"),
    ("valgrind", "valgrind"),
    ("strace", "strace"),
    ("npm", "npm"),
    ("chromium", "chromium"),
    ("mandoc", "mandoc"),
];

/// The tests with real servers need a JDK 17 and Maven, the gates Valgrind and strace, the report npm and Chromium, the
/// manual pages mandoc. On Debian as root they are installed; elsewhere it is said what to install.
pub fn install_tools() -> anyhow::Result<()> {
    tools::install(&TOOLS, "the tests start real servers, the gates measure, the report is opened")
}
